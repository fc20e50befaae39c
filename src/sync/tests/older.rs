//! Saves of an older text than the newest, as the engine meets them.

use crate::model::{ItemId, Millis, PartId};

use super::super::{
    Arrival, Command, Effect, Engine, Event, Loaded, Planned, RequestId, Row, Saves, Settings, Target, When,
    of_two_saves,
};
use super::decisions::{STAMP, engine, fetched, id, observed, planned, row, words};

use super::crashes::desired;

#[test]
fn what_was_pushed_since_is_nothing_new_in_an_older_text() {
    // `theirs` came, then a push of `mine` landed. An editor that never read `theirs` saves, and others have removed `mine`.
    let (before, after) = ("one\n\nmine\n", "one theirs\n\nmine\n");
    let mut engine = engine(1);
    let Event::Observed { item, mut parts } = observed(id(0), after, "one\n\nmine\n\nmore\n") else { unreachable!() };
    parts[0].arrivals = vec![Arrival { before: before.into(), after: after.into(), base: "one\n".into() }];
    engine.step(Millis(1), Event::Observed { item, parts });
    let effects = engine.step(Millis(2), fetched(id(0), "one theirs\n", true));
    assert_eq!(desired(&effects), Some("one theirs\n\nmore\n"), "{}", words(&effects));
}

#[test]
fn a_save_that_waits_is_looked_at_for_what_went_too() {
    let (before, after) = ("one\n\ntwo\n", "one\n");
    let mut engine = engine(1);
    let Event::Observed { item, mut parts } = observed(id(0), after, "one\n\ntwo\n\nmore\0\n") else { unreachable!() };
    parts[0].arrivals = vec![Arrival { before: before.into(), after: after.into(), base: before.into() }];
    engine.step(Millis(1), Event::Observed { item, parts });
    engine.step(Millis(2), fetched(id(0), after, true));
    let held = engine.status().items[0].parts[0].held.clone();
    assert_eq!(held.iter().map(|held| held.code.as_str()).collect::<Vec<_>>(), ["NUL", "DELETED_THERE"]);
}

#[test]
fn what_was_put_back_is_known_after_a_restart() {
    let (before, after, saved) = ("one\n\ntwo\n", "one theirs\n\ntwo\n", "one\n\ntwo mine\n");
    let walk = |engine: &mut Engine| {
        let Event::Observed { item, mut parts } = observed(id(0), after, saved) else { unreachable!() };
        parts[0].arrivals = vec![Arrival { before: before.into(), after: after.into(), base: before.into() }];
        engine.step(Millis(1), Event::Observed { item, parts });
        engine.step(Millis(2), fetched(id(0), after, true))
    };
    let mut first = engine(1);
    assert_eq!(desired(&walk(&mut first)), Some("one theirs\n\ntwo mine\n"));
    let unplanned = Planned { requests: 0, ..planned(after) };
    let effects = first.step(Millis(3), Event::Planned { item: id(0), result: Ok(unplanned) });
    assert_eq!(words(&effects), "told deposit");
    let effects = first.step(Millis(4), Event::Deposited { item: id(0), part: PartId::default(), result: Ok(STAMP) });
    let put_back = effects
        .iter()
        .find_map(|effect| if let Effect::Record(record) = effect { record.parts[0].put_back.clone() } else { None });
    assert_eq!(put_back.as_deref(), Some(saved));

    let mut parts = row(0).parts;
    parts[0].put_back = put_back;
    let mut second = Engine::new(Settings::default());
    let rows = vec![Row { parts, ..row(0) }];
    second.load(Millis(0), Loaded { rows, ..Loaded::default() });
    assert_eq!(words(&walk(&mut second)), "record");
    assert_eq!(second.status().items[0].parts[0].held[0].code, "TAKEN_AGAIN");
}

/// What the engine makes of a file that says `local`, into which `after` had come in the place of `before`.
pub(super) fn saved(engine: &mut Engine, [before, after, local, remote]: [&str; 4]) -> Vec<Effect> {
    let Event::Observed { item, mut parts } = observed(id(0), after, local) else { unreachable!() };
    parts[0].arrivals = vec![Arrival { before: before.into(), after: after.into(), base: before.into() }];
    engine.step(Millis(1), Event::Observed { item, parts });
    engine.step(Millis(2), fetched(id(0), remote, true))
}

#[test]
fn what_came_and_went_is_not_its_readers_own() {
    let (before, after) = ("one\n\ntwo\n", "one\n\neight seven came\n\ntwo\n");
    for (local, remote, held) in [
        // Somebody read what came, and replaced a word; others have removed the line meanwhile.
        ("one\n\nmine eight came\n\ntwo\n", before, Some((3, "`eight came`"))),
        // They have it yet, or again.
        ("one\n\nmine eight came\n\ntwo\n", after, None),
        ("one\n\nmine eight came\n\ntwo\n", "one eight came\n\ntwo\n", None),
        // Nothing of it was read.
        ("one\n\nmine\n\ntwo\n", before, None),
    ] {
        let mut engine = engine(1);
        let effects = saved(&mut engine, [before, after, local, remote]);
        let found = engine.status().items[0].parts[0].held.clone();
        let found: Vec<_> = found.iter().map(|held| (&*held.code, held.line, &*held.message)).collect();
        match held {
            None => assert!(found.is_empty(), "{local:?} {remote:?}: {found:?}"),
            Some((line, said)) => {
                assert_eq!((found.len(), found[0].0, found[0].1), (1, "DELETED_THERE", line), "{found:?}");
                assert!(found[0].2.contains(said), "{found:?}");
                assert_eq!(desired(&effects), None, "{}", words(&effects));
            }
        }
    }
}

#[test]
fn whatever_is_put_back_is_told() {
    // `theirs` came into the file, then `mine` was saved there and pushed; a version from before both takes its place.
    let first = "one\n\ntwo\n\nthree here\n";
    let (before, after) = (first, "one theirs\n\ntwo\n\nthree here\n");
    let newest = "one theirs\n\ntwo\n\nthree mine here\n";
    let mut engine = engine(1);
    let Event::Observed { item, mut parts } = observed(id(0), newest, first) else { unreachable!() };
    parts[0].arrivals = vec![Arrival { before: before.into(), after: after.into(), base: before.into() }];
    engine.step(Millis(1), Event::Observed { item, parts });
    engine.step(Millis(2), fetched(id(0), newest, true));
    engine.step(Millis(4), Event::Deposited { item: id(0), part: PartId::default(), result: Ok(STAMP) });
    let told = engine.status().items[0].parts[0].told.clone();
    let told: Vec<_> = told.iter().map(|told| (&*told.code, &*told.message)).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, "PUT_BACK");
    assert!(["`theirs`", "`mine`"].iter().all(|words| told[0].1.contains(words)), "{told:?}");
}

#[test]
fn what_is_in_conflict_was_not_put_back() {
    let (before, after) = ("one\n\n# Two\n\ntwo\n", "one theirs\n\n# Two\n\ntwo\n");
    let mut engine = engine(1);
    // Both sides wrote there, and something else came elsewhere.
    let remote = "one theirs\n\n# Two\n\ntwo more\n";
    let effects = saved(&mut engine, [before, after, "one mine\n\n# Two\n\ntwo\n", remote]);
    assert_eq!(words(&effects), "conflict deposit");
    let effects = engine.step(Millis(4), Event::Deposited { item: id(0), part: PartId::default(), result: Ok(STAMP) });
    let put_back = effects
        .iter()
        .find_map(|effect| if let Effect::Record(record) = effect { record.parts[0].put_back.clone() } else { None });
    assert_eq!(put_back, None, "{}", words(&effects));
}

#[test]
fn a_conflict_does_not_end_with_words_that_were_deleted_there() {
    // What came was edited by who had read it, in conflict with nothing but a doubt; then others remove it.
    let (before, after) = ("one\n\ntwo\n", "one\n\nra rb rc rd re\n\ntwo\n");
    let local = "one\n\nra mine re\n\ntwo\n";
    let mut engine = engine(1);
    let effects = saved(&mut engine, [before, after, local, after]);
    assert_eq!(words(&effects), "conflict record");
    let base = effects
        .iter()
        .find_map(|effect| if let Effect::Record(record) = effect { Some(record.parts[0].base.clone()) } else { None });
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    engine.step(Millis(4), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    let Event::Observed { item, mut parts } = observed(id(0), &base.unwrap(), local) else { unreachable!() };
    parts[0].arrivals = vec![Arrival { before: before.into(), after: after.into(), base: before.into() }];
    engine.step(Millis(5), Event::Observed { item, parts });
    let effects = engine.step(Millis(6), fetched(id(0), before, true));
    assert_eq!(desired(&effects), None, "{}", words(&effects));
    assert_eq!(engine.status().items[0].parts[0].held[0].code, "DELETED_THERE");
}

#[test]
fn a_paragraph_that_went_whole_is_not_said_by_others_who_wrote_some_of_its_words() {
    // Of its words only two went, as the file counts: its writer has the others in a line of their own.
    let both = "# Keys\n\nThe keys are with Maria and Paul.\n\nThe keys for us are with Paul.\n";
    let left = "# Keys\n\nThe keys for us are with Paul.\n";
    let own = |text: &str| format!("{text}\nThe keys are also with Maria.\n");
    let mut engine = engine(1);
    let Event::Observed { item, mut parts } = observed(id(0), left, &own(both).replace("Maria.", "Maria now.")) else {
        unreachable!()
    };
    parts[0].arrivals = vec![Arrival { before: own(both), after: own(left), base: both.into() }];
    engine.step(Millis(1), Event::Observed { item, parts });
    let effects = engine.step(Millis(2), fetched(id(0), &left.replace("# Keys", "# Keys and Paul"), true));
    assert_eq!(desired(&effects), None, "{}", words(&effects));
    assert_eq!(engine.status().items[0].parts[0].held[0].code, "DELETED_THERE");
}

/// An engine whose one file may say more than was agreed on, as one in conflict does.
fn behind() -> Engine {
    let mut engine = Engine::new(Settings::default());
    let mut parts = row(0).parts;
    parts[0].behind = true;
    let rows = vec![Row { parts, ..row(0) }];
    engine.load(Millis(0), Loaded { rows, ..Loaded::default() });
    engine
}

#[test]
fn what_its_writer_wrote_and_got_back_is_not_deleted_there() {
    // `mine` was never in the document, in conflict with what others wrote there. A save from an older text lacked it, as it lacked
    // what had come, and both were put back.
    let base = "one\n\n# Two\n\ntwo\n";
    let [mine, more] = ["one mine\n\n# Two\n\ntwo\n", "one mine\n\n# Two\n\ntwo more\n"];
    let local = "one mine\n\n# Two\n\ntwo more words\n";
    let theirs = "one theirs\n\n# Two\n\ntwo more\n";
    for (own, bases, held) in [
        (mine, base, None),
        // What was agreed on once went there.
        (mine, mine, Some("DELETED_THERE")),
        // It came from there.
        (base, base, Some("DELETED_THERE")),
    ] {
        let mut engine = behind();
        let Event::Observed { item, mut parts } = observed(id(0), base, local) else { unreachable!() };
        let arrival =
            |before: &str, after: &str| Arrival { before: before.into(), after: after.into(), base: bases.into() };
        parts[0].arrivals = vec![arrival(base, more), arrival(own, more)];
        engine.step(Millis(1), Event::Observed { item, parts });
        let effects = engine.step(Millis(2), fetched(id(0), theirs, true));
        let status = engine.status().items.remove(0).parts.remove(0);
        assert_eq!(status.held.first().map(|held| &*held.code), held, "{}", words(&effects));
        assert_eq!(words(&effects).contains("conflict"), held.is_none(), "{}", words(&effects));
        // A hold does not hide that a section is in conflict.
        assert!(!status.conflicts.is_empty());
        let says = status.in_conflict().next().unwrap();
        assert!(says.contains("see the conflict file") == held.is_none(), "{says}");
    }
}

#[test]
fn an_edit_of_what_came_does_not_stand_beside_it() {
    let (before, after) = ("one\n\ntwo\n", "one\n\ntwo\n\nplease bring your slides\n");
    for (local, remote) in [
        // Others have removed what stood above meanwhile, or it was moved.
        ("one\n\ntwo\n\nplease bring your drawings\n", "one\n\nplease bring your slides\n"),
        ("please bring your drawings\n\none\n\ntwo\n", after),
    ] {
        let mut engine = engine(1);
        let effects = saved(&mut engine, [before, after, local, remote]);
        let held = engine.status().items[0].parts[0].held.clone();
        assert_eq!(held.iter().map(|held| &*held.code).collect::<Vec<_>>(), ["STANDS_TWICE"], "{}", words(&effects));
        // Then it takes its place, as a dry run says before.
        engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
        for dry_run in [true, false] {
            let command = Command::Push { item: id(0), accept: Some(PartId::default()), dry_run };
            engine.step(Millis(4), Event::Asked { request: RequestId(1), command });
            let effects = saved(&mut engine, [before, after, local, remote]);
            let says = desired(&effects).unwrap_or_else(|| panic!("{dry_run} {}", words(&effects)));
            assert!(says.contains("drawings") && !says.contains("slides"), "{dry_run} {says:?}");
            engine.step(Millis(5), Event::Planned { item: id(0), result: Ok(planned(says)) });
        }
    }
}

#[test]
fn a_word_that_came_and_was_moved_does_not_stand_twice() {
    let before = "# A\n\none two three four\n\nsecond of them\n\n# B\n\nlast of them\n";
    let came = before.replace("three", "three sharp");
    let alone = before.replace("four\n", "four\n\nsharp\n");
    let instead = before.replace("three", "sharp");
    for (after, local) in [
        (&came, before.replace("last", "last sharp")),
        (&came, before.replace("second", "second sharp")),
        // A paragraph of one word, joined with the one behind it and with the one before.
        (&alone, before.replace("second", "sharp second")),
        (&alone, before.replace("four", "four sharp")),
        // Split where it came, and half of that moved: there the two sides meet.
        (&instead, before.replace(" three four", "").replace("last", "sharp four more\n\nlast")),
    ] {
        let mut engine = engine(1);
        let effects = saved(&mut engine, [before, after, &local, after]);
        assert_eq!(desired(&effects), None, "{local}");
        let held = &engine.status().items[0].parts[0].held;
        assert_eq!(
            held.iter().map(|held| &*held.code).collect::<Vec<_>>(),
            ["STANDS_TWICE"],
            "{local}: {}",
            words(&effects)
        );
    }
}

#[test]
fn what_is_put_back_is_told_though_some_of_it_was_edited() {
    // `spring` came and was edited to `autumn`; then a save lacks all of it.
    let (before, after) = ("one\n\ntwo\n", "one\n\ntwo\n\nready in early spring this year\n");
    let newest = after.replace("spring", "autumn");
    let mut engine = engine(1);
    let Event::Observed { item, mut parts } = observed(id(0), &newest, before) else { unreachable!() };
    parts[0].arrivals = vec![Arrival { before: before.into(), after: after.into(), base: before.into() }];
    engine.step(Millis(1), Event::Observed { item, parts });
    let effects = engine.step(Millis(2), fetched(id(0), &newest, true));
    assert_eq!(words(&effects), "told deposit");
}

#[test]
fn what_was_written_alike_is_no_edit_of_what_came() {
    // `lease` stands elsewhere, too.
    let before = "the lease ends\n\n- call the plumber about the kitchen\n- order the boxes\n";
    let after = before.replace("- order", "- call the bank about the lease\n- order");
    let mine = before.replace("- order", "- call the bank about the offer\n- order");
    let mut engine = engine(1);
    let effects = saved(&mut engine, [before, &after, &mine, &after]);
    assert_eq!(words(&effects), "conflict record", "{:?}", desired(&effects));
}

#[test]
fn a_word_that_came_once_more_is_lacked() {
    let before = "on the first monday the truck comes on friday\n\ntwo answered\n";
    let after = before.replace("friday", "friday on monday");
    let mine = before.replace("answered", "answered, so we call on monday");
    let mut engine = engine(1);
    let effects = saved(&mut engine, [before, &after, &mine, &after]);
    let both = "on the first monday the truck comes on friday on monday\n\ntwo answered, so we call on monday\n";
    assert_eq!(desired(&effects), Some(both), "{}", words(&effects));
}

#[test]
fn of_two_saves_that_were_joined_each_is_its_writers_own() {
    // Something came into the file, which was edited; a save that was made before that, in the place of a link, was joined with it.
    let opened = "---\nid: 1a\n---\n\n# Plan\n\none is here\n\ntwo is there\n\nthree is far\n";
    let agreed = opened.replace("one is", "one theirs is");
    let (current, linked) = (agreed.replace("two is", "two mine is"), opened.replace("three is", "three linked is"));
    let came = [Arrival { before: opened.into(), after: agreed.clone(), base: opened.into() }];
    let file =
        Target { base: opened, agreed: Some(&agreed), arrivals: &came, since: 1, text: &current, when: When::Later };
    let Saves::Joins(both, noted) = of_two_saves(&ItemId("1a".into()), &file, &linked) else { panic!("not joined") };
    let arrivals = [noted, came.to_vec()].concat();
    // Who has the file open saves once more, before both were pushed or after; or who saved the other does, in the file itself.
    let more = |text: &str| text.replace("Plan", "Plan again");
    let (saved, again) = (more(&current), more(&linked));
    let less = both.replace("two mine is", "two is");
    for (text, there, says) in [
        (&saved, &agreed, saved.clone()),
        (&saved, &both, more(&both)),
        (&again, &agreed, again.replace("one is", "one theirs is")),
        (&again, &both, more(&both)),
        // Others have taken away what the file said alone.
        (&again, &less, more(&less)),
    ] {
        let mut engine = engine(1);
        let Event::Observed { item, mut parts } = observed(id(0), there, text) else { unreachable!() };
        parts[0].arrivals.clone_from(&arrivals);
        engine.step(Millis(1), Event::Observed { item, parts });
        let effects = engine.step(Millis(2), fetched(id(0), there, true));
        let held = &engine.status().items[0].parts[0].held;
        assert_eq!(desired(&effects), Some(&*says), "{} {held:?}", words(&effects));
    }
}
