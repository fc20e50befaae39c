//! Items that are gone from the remote, put away, forgotten or missing here.

use crate::model::{ContentHash, Cursor, Millis, PartId};

use super::super::{
    Command, Effect, Engine, Event, FailureClass, Feed, Intent, JobEnd, JobId, Loaded, NotDone, Posted, RequestId, Row,
    Settings, Touch,
};
use super::crashes::{desired, failure, first_note, intended, note_of};
use super::decisions::{STAMP, engine, fetched, id, observed, planned, row, words};

/// A feed that names an item, changed or vanished.
pub(super) fn told_of(vanished: bool, cursor: &str) -> Event {
    let ids = vec![id(0)];
    let (changed, vanished) = if vanished { (Vec::new(), ids) } else { (ids, Vec::new()) };
    Event::Polled(Ok(Feed { changed, vanished, cursor: Cursor(cursor.into()) }))
}

/// An engine whose only item is gone, its unedited file put away.
fn buried() -> Engine {
    let mut engine = Engine::new(Settings::default());
    let cursor = Some(Cursor("1".into()));
    engine.load(Millis(0), Loaded { rows: vec![row(0)], cursor, ..Loaded::default() });
    engine.step(Millis(1), observed(id(0), "a\n", "a\n"));
    engine.step(Millis(2), told_of(true, "2"));
    let effects = engine.step(Millis(3), observed(id(0), "a\n", "a\n"));
    // Who vanished may be in the trash, where Google reads it all the same.
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Fetch { may_be_trashed: true, .. })));
    assert_eq!(words(&engine.step(Millis(4), fetched(id(0), "-", true))), "record");
    let effects = engine.step(Millis(4), Event::Recorded { item: id(0), result: Ok(()) });
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Retire { bury: true, expect: Some(_), .. })));
    let effects = engine.step(Millis(5), Event::Retired { item: id(0), result: Ok(()) });
    assert_eq!(words(&effects), "cursor");
    assert_eq!(engine.status().items.len(), 0);
    engine
}

#[test]
fn what_was_put_away_comes_back_with_its_document() {
    let mut engine = buried();
    // Nothing is asked for meanwhile.
    let effects = engine.step(Millis(3_600_010), Event::Tick);
    assert!(words(&effects).contains("observe"), "{}", words(&effects));
    assert_eq!(words(&engine.step(Millis(3_600_011), observed(id(0), "a\n", "-"))), "");
    let effects = engine.step(Millis(3_600_020), told_of(false, "3"));
    assert!(words(&effects).contains("observe"), "{}", words(&effects));
    assert_eq!(words(&engine.step(Millis(3_600_021), observed(id(0), "a\n", "-"))), "fetch");
    assert_eq!(words(&engine.step(Millis(3_600_022), fetched(id(0), "b\n", true))), "deposit");
    engine.step(Millis(3_600_023), Event::Deposited { item: id(0), part: PartId::default(), result: Ok(STAMP) });
    engine.step(Millis(3_600_024), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(engine.status().items.len(), 1);
    assert!(!engine.status().items[0].gone);
}

#[test]
fn a_save_where_a_file_was_put_away_is_an_edit_of_its_document() {
    let mut engine = buried();
    engine.step(Millis(10), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    assert_eq!(words(&engine.step(Millis(11), observed(id(0), "a\n", "a mine\n"))), "fetch");
    let effects = engine.step(Millis(12), fetched(id(0), "-", true));
    assert_eq!(words(&effects), "failed record");
    engine.step(Millis(13), Event::Recorded { item: id(0), result: Ok(()) });
    assert!(engine.status().items[0].gone);
    engine.step(Millis(14), told_of(false, "3"));
    engine.step(Millis(15), observed(id(0), "a\n", "a mine\n"));
    let effects = engine.step(Millis(16), fetched(id(0), "a\n\nb\n", true));
    assert_eq!(words(&effects), "plan");
}

#[test]
fn a_first_text_that_was_never_recorded_is_written_once_more() {
    // The daemon died before it recorded what it had written, and the file is gone since.
    let first = Intent {
        blind: None,
        before: String::new(),
        was: None,
        after: "a\n".into(),
        base: "a\n".into(),
        pushes: Vec::new(),
    };
    for (parts, intent) in [(Vec::new(), None), (Vec::new(), Some(first.clone())), (row(0).parts, Some(first))] {
        let mut engine = Engine::new(Settings::default());
        let rows = vec![Row { parts, ..row(0) }];
        let effects = engine.load(Millis(0), Loaded { rows, ..Loaded::default() });
        assert!(words(&effects).contains("observe"), "{}", words(&effects));
        let Event::Observed { item, mut parts } = observed(id(0), "", "-") else { unreachable!() };
        parts.retain(|_| intent.is_some());
        parts.iter_mut().for_each(|part| (part.base, part.intent) = (None, intent.clone()));
        let effects = engine.step(Millis(1), Event::Observed { item, parts });
        assert!(words(&effects).contains("fetch"), "{}", words(&effects));
        let effects = engine.step(Millis(2), fetched(id(0), "a\n\nb\n", true));
        let mut notes = effects
            .iter()
            .filter_map(|effect| if let Effect::Deposit { intent, .. } = effect { Some(intent) } else { None });
        // Nothing tells that the first one ever stood there: what somebody puts there may be any other.
        let Intent { before, was, after, .. } = notes.next().unwrap();
        let expected = if intent.is_some() { ("a\n", Some("")) } else { ("", None) };
        assert_eq!((&**before, was.as_deref(), &**after), (expected.0, expected.1, "a\n\nb\n"));
        // Nor does an editor that had it open all the same take away what came with the second one.
        let effects =
            engine.step(Millis(3), Event::Deposited { item: id(0), part: PartId::default(), result: Ok(STAMP) });
        let mut records =
            effects.iter().filter_map(|effect| if let Effect::Record(record) = effect { Some(record) } else { None });
        let arrivals = records.next().unwrap().parts[0].arrived.clone();
        engine.step(Millis(4), Event::Recorded { item: id(0), result: Ok(()) });
        let touched = Event::Touched { item: id(0), part: PartId::default(), touch: Touch::Complete };
        engine.step(Millis(5), touched);
        let effects = engine.step(Millis(10_000), Event::Tick);
        assert!(words(&effects).contains("observe"), "{}", words(&effects));
        let Event::Observed { item, mut parts } = observed(id(0), "a\n\nb\n", "a mine\n") else { unreachable!() };
        parts[0].arrivals = arrivals;
        engine.step(Millis(10_001), Event::Observed { item, parts });
        let effects = engine.step(Millis(10_002), fetched(id(0), "a\n\nb\n", true));
        match intent {
            // The save was made before anything was agreed on.
            Some(_) => assert_eq!((desired(&effects), &*words(&effects)), (None, "conflict record")),
            None => assert_eq!(desired(&effects), Some("a mine\n"), "{}", words(&effects)),
        }
    }
}

#[test]
fn of_first_texts_that_were_noted_one_after_another_none_is_agreed_on() {
    let first = "a\n\nold\n";
    let mut note = first_note(first);
    // The file is gone each time, and each time the daemon dies before it has written it.
    for remote in ["a\n\nold\n\nb\n", "a\n\nb\n\nc\n", "a\n\nc\n"] {
        let mut engine = engine(1);
        engine.step(Millis(1), intended("-", "-", &note));
        let effects = engine.step(Millis(2), fetched(id(0), remote, true));
        let mut notes = effects
            .iter()
            .filter_map(|effect| if let Effect::Deposit { intent, .. } = effect { Some(intent) } else { None });
        let next = notes.next().unwrap_or_else(|| panic!("{remote:?}: {}", words(&effects))).clone();
        assert_eq!((&*next.before, next.was.as_deref(), &*next.after), (&*note.after, Some(""), remote));
        note = next;
    }
    // An older file is brought back: its person is asked about all of it.
    let mut engine = engine(1);
    engine.step(Millis(1), intended("-", "a\n\nold\n\nmine\n", &note));
    let effects = engine.step(Millis(2), fetched(id(0), "a\n\nc\n", true));
    assert_eq!((desired(&effects), words(&effects).contains("conflict")), (None, true), "{}", words(&effects));
}

#[test]
fn what_is_forgotten_does_not_come_back() {
    let mut engine = buried();
    let effects = engine.step(Millis(10), Event::Asked { request: RequestId(1), command: Command::Forget(id(0)) });
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Retire { bury: false, .. })), "{}", words(&effects));
    assert!(words(&engine.step(Millis(12), Event::Retired { item: id(0), result: Ok(()) })).contains("done"));
    assert!(!words(&engine.step(Millis(13), told_of(false, "3"))).contains("observe"));
}

#[test]
fn what_has_landed_is_agreed_on_before_it_is_forgotten() {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a", "b"));
    engine.step(Millis(2), fetched(id(0), "a", true));
    engine.step(Millis(3), Event::Planned { item: id(0), result: Ok(planned("b")) });
    engine.step(Millis(4), Event::Begun { item: id(0), result: Ok(JobId(1)) });
    let forget = |request| Event::Asked { request: RequestId(request), command: Command::Forget(id(0)) };
    assert_eq!(words(&engine.step(Millis(5), forget(1))), "");
    assert_eq!(words(&engine.step(Millis(6), Event::Posted { item: id(0), result: Posted::Accepted(None) })), "fetch");
    let is_whole = |effects: &[Effect]| matches!(effects, [Effect::Record(record)] if record.jobs == [(JobId(1), JobEnd::Accepted)] && record.parts[0].base == "b");
    let effects = engine.step(Millis(7), fetched(id(0), "b", true));
    assert!(is_whole(&effects), "{effects:?}");
    // Where that cannot be stored it is tried again first.
    let failed = Event::Recorded { item: id(0), result: Err(failure(FailureClass::Permanent)) };
    engine.step(Millis(8), failed);
    engine.step(Millis(9), forget(2));
    engine.step(Millis(600_000), Event::Tick);
    let effects = engine.step(Millis(600_001), observed(id(0), "a", "b"));
    assert!(is_whole(&effects), "{effects:?}");
    assert_eq!(words(&engine.step(Millis(600_002), Event::Recorded { item: id(0), result: Ok(()) })), "retire");
}

#[test]
fn a_new_item_that_cannot_be_fetched_is_forgotten() {
    let mut engine = Engine::new(Settings::default());
    engine.step(Millis(0), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(0), observed(id(0), "-", "-"));
    assert_eq!(words(&engine.step(Millis(0), fetched(id(0), "-", true))), "failed");
    assert!(engine.status().items.is_empty());
    let unknown = engine.step(Millis(0), Event::Asked { request: RequestId(2), command: Command::Forget(id(0)) });
    assert_eq!(words(&unknown), "failed");
}

#[test]
fn an_item_that_is_gone_takes_no_save_with_it() {
    let moved = |result| Event::Retired { item: id(0), result };
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a", "a"));
    engine.step(Millis(1), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(1), observed(id(0), "a", "a"));
    let recorded = || Event::Recorded { item: id(0), result: Ok(()) };
    assert_eq!(words(&engine.step(Millis(2), fetched(id(0), "-", true))), "record");
    assert_eq!(words(&engine.step(Millis(2), recorded())), "retire");
    // Somebody saved meanwhile: the file is read once more, and stays.
    assert_eq!(words(&engine.step(Millis(3), moved(Err(NotDone::Moved)))), "");
    assert_eq!(words(&engine.step(Millis(1_000), Event::Tick)), "observe");
    engine.step(Millis(1_001), observed(id(0), "a", "b"));
    let effects = engine.step(Millis(1_002), fetched(id(0), "-", true));
    let is_gone = |effect: &Effect| matches!(effect, Effect::Record(record) if record.gone && record.parts.len() == 1);
    assert!(effects.iter().any(is_gone), "{}", words(&effects));
    engine.step(Millis(1_003), Event::Recorded { item: id(0), result: Ok(()) });
    assert!(engine.status().items[0].gone);
    // The edit was taken back, and an hour later it is put away.
    let effects = engine.step(Millis(3_600_002), Event::Tick);
    assert!(words(&effects).contains("observe"), "{}", words(&effects));
    engine.step(Millis(3_600_003), observed(id(0), "a", "a"));
    assert_eq!(words(&engine.step(Millis(3_600_004), fetched(id(0), "-", true))), "record");
    assert_eq!(words(&engine.step(Millis(3_600_004), recorded())), "retire");
    engine.step(Millis(3_600_005), moved(Ok(())));
    assert_eq!(engine.status().items.len(), 0);
}

#[test]
fn what_was_gone_is_asked_for_after_a_restart_though_nothing_was_edited() {
    let mut engine = Engine::new(Settings::default());
    let rows = vec![Row { gone: true, ..row(0) }];
    engine.load(Millis(0), Loaded { rows, ..Loaded::default() });
    assert_eq!(words(&engine.step(Millis(1), observed(id(0), "a", "a"))), "fetch");
    let effects = engine.step(Millis(2), fetched(id(0), "a", true));
    let is_back = |effect: &Effect| matches!(effect, Effect::Record(record) if !record.gone);
    assert!(effects.iter().any(is_back), "{}", words(&effects));
}

#[test]
fn many_missing_files_halt_the_account() {
    let mut engine = engine(16);
    for number in 0..5 {
        engine.step(Millis(10), observed(id(number), "a", "-"));
    }
    assert!(engine.status().halted.is_some());
    let refused = engine.step(Millis(20), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    assert_eq!(words(&refused), "failed");
    assert_eq!(words(&engine.step(Millis(30), observed(id(6), "a", "b"))), "", "nothing is pushed while halted");
    let resumed = engine.step(Millis(40), Event::Asked { request: RequestId(2), command: Command::Resume });
    assert!(words(&resumed).starts_with("done observe"), "{}", words(&resumed));
    assert!(engine.status().halted.is_none());
}

#[test]
fn files_that_were_brought_back_are_not_missing() {
    let mut engine = engine(16);
    // The same one again and again, and five one after the other.
    for round in 0..10 {
        let number = if round < 5 { 0 } else { round };
        let at = Millis(10 + 10 * round as u64);
        engine.step(at, observed(id(number), "a", "-"));
        let command = Command::Restore(id(number));
        engine.step(at, Event::Asked { request: RequestId(round as u64), command });
        engine.step(at, observed(id(number), "a", "-"));
        let written = engine.step(at, fetched(id(number), "a", true));
        assert!(words(&written).contains("deposit"), "{round}: {}", words(&written));
        engine.step(at, Event::Deposited { item: id(number), part: PartId::default(), result: Ok(STAMP) });
        engine.step(at, Event::Recorded { item: id(number), result: Ok(()) });
        assert!(engine.status().halted.is_none(), "{round}");
    }
    for number in 10..15 {
        engine.step(Millis(200), observed(id(number), "a", "-"));
    }
    assert!(engine.status().halted.is_some());
}

#[test]
fn who_goes_on_after_a_halt_has_seen_what_is_missing() {
    let mut engine = engine(12);
    for number in 0..12 {
        engine.step(Millis(1), observed(id(number), "a", "a"));
    }
    engine.step(Millis(2), Event::Rescan);
    for number in 0..12 {
        engine.step(Millis(3), observed(id(number), "a", "-"));
    }
    assert!(engine.status().halted.is_some());
    engine.step(Millis(4), Event::Asked { request: RequestId(1), command: Command::Resume });
    let mut rows = Vec::new();
    for number in 0..12 {
        assert_eq!(words(&engine.step(Millis(5), observed(id(number), "a", "-"))), "fetch");
        let effects = engine.step(Millis(6), fetched(id(number), "a", true));
        let stamp = effects.iter().find_map(|effect| {
            let Effect::Record(record) = effect else { return None };
            Some(record.parts[0].stamp)
        });
        rows.push(row(number));
        rows[number].parts[0].stamp = stamp.unwrap();
        engine.step(Millis(7), Event::Recorded { item: id(number), result: Ok(()) });
    }
    let status = engine.status();
    assert!(status.halted.is_none());
    assert!(status.items.iter().all(|item| item.parts[0].hidden));
    // And a later start does not ask again.
    let mut engine = Engine::new(Settings::default());
    engine.load(Millis(0), Loaded { rows, ..Loaded::default() });
    for number in 0..12 {
        engine.step(Millis(1), observed(id(number), "a", "-"));
    }
    let status = engine.status();
    assert!(status.halted.is_none());
    assert!(status.items.iter().all(|item| item.parts[0].hidden));
}

#[test]
fn what_may_have_come_into_a_file_that_is_gone_is_no_edit_once_others_took_it_away() {
    // The daemon died before it recorded what it had written, and the file was thrown away.
    let (before, came) = ("a\n\nb\n", "theirs one\n\na\n\nb\n");
    let note = note_of(before, came);
    let mine = |text: &str| text.replace("a\n", "a\n\nmine\n");
    for (seen_there, saved, there, says) in [
        // What came is gone by the time of the walk, or only when the file is back; or it stands.
        (before, mine(came), before, Some(mine(before))),
        (came, mine(came), before, Some(mine(before))),
        (came, mine(came), came, Some(mine(came))),
        // It never stood in the file.
        (came, mine(before), came, Some(mine(came))),
        (came, before.to_owned(), came, None),
    ] {
        let mut engine = engine(1);
        engine.step(Millis(1), intended(before, "-", &note));
        engine.step(Millis(2), told_of(false, "1"));
        engine.step(Millis(2), intended(before, "-", &note));
        let effects = engine.step(Millis(3), fetched(id(0), seen_there, true));
        let mut records =
            effects.iter().filter_map(|effect| if let Effect::Record(record) = effect { Some(record) } else { None });
        let part = records.next().unwrap_or_else(|| panic!("{}", words(&effects))).parts[0].clone();
        assert_eq!((&*part.base, part.settled), (before, false));
        engine.step(Millis(4), Event::Recorded { item: id(0), result: Ok(()) });
        // It is brought back, and somebody may have written in it.
        engine.step(Millis(5), Event::Touched { item: id(0), part: PartId::default(), touch: Touch::Complete });
        engine.step(Millis(10_000), Event::Tick);
        let mut seen = intended(before, &saved, &note);
        let Event::Observed { parts, .. } = &mut seen else { unreachable!() };
        parts[0].arrivals = part.arrived;
        engine.step(Millis(10_001), seen);
        let effects = engine.step(Millis(10_002), fetched(id(0), there, true));
        assert_eq!(desired(&effects), says.as_deref(), "{saved:?} {there:?}: {}", words(&effects));
        assert!(says.is_some() || words(&effects).contains("deposit"), "{}", words(&effects));
    }
}

#[test]
fn what_a_file_was_about_to_say_is_known_until_the_save_that_brings_it_back_was_read_whole() {
    // The daemon died before it recorded what it had written; an editor that has it open saves by way of another name.
    let (before, came) = ("a\n\nb\n", "theirs one\n\na\n\nb\n");
    let (saved, there) = (came.replace("b\n", "b\n\nmine\n"), came.replace("one", "one two"));
    let note = note_of(before, came);
    let mut engine = engine(1);
    engine.step(Millis(1), intended(before, "-", &note));
    engine.step(Millis(2), told_of(false, "1"));
    engine.step(Millis(2), Event::Touched { item: id(0), part: PartId::default(), touch: Touch::Complete });
    let mut seen = intended(before, &saved, &note);
    engine.step(Millis(3), seen.clone());
    let effects = engine.step(Millis(4), fetched(id(0), &there, true));
    let [.., Effect::Record(record)] = &*effects else { panic!("{}", words(&effects)) };
    let part = record.parts[0].clone();
    assert_eq!((&*part.base, part.settled, part.arrived.len()), (before, false, 1));
    engine.step(Millis(5), Event::Recorded { item: id(0), result: Ok(()) });
    engine.step(Millis(10_000), Event::Tick);
    let Event::Observed { parts, .. } = &mut seen else { unreachable!() };
    parts[0].arrivals = part.arrived;
    engine.step(Millis(10_001), seen);
    let effects = engine.step(Millis(10_002), fetched(id(0), &there, true));
    assert_eq!(desired(&effects), Some(&*there.replace("b\n", "b\n\nmine\n")), "{}", words(&effects));
}

#[test]
fn a_file_that_is_back_is_compared_though_it_says_what_was_recorded() {
    // It stood in conflict with a document of which nothing was agreed, and went while nobody looked.
    let mut engine = Engine::new(Settings::default());
    let mut known = row(0);
    known.parts[0].hash = Some(ContentHash::of(b"mine\n"));
    engine.load(Millis(0), Loaded { rows: vec![known], ..Loaded::default() });
    engine.step(Millis(1), observed(id(0), "", "-"));
    engine.step(Millis(2), Event::Touched { item: id(0), part: PartId::default(), touch: Touch::Complete });
    assert_eq!(words(&engine.step(Millis(5_000), Event::Tick)), "observe");
    assert_eq!(words(&engine.step(Millis(5_001), observed(id(0), "", "mine\n"))), "fetch");
    assert_eq!(words(&engine.step(Millis(5_002), fetched(id(0), "theirs\n", true))), "conflict record");
}

#[test]
fn a_dry_run_does_not_hide_that_a_file_is_back() {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a\n", "-"));
    // It is back by the time of the dry run, as it was, and others have written since.
    let command = Command::Push { item: id(0), accept: None, dry_run: true };
    assert_eq!(words(&engine.step(Millis(2), Event::Asked { request: RequestId(1), command })), "observe");
    assert_eq!(words(&engine.step(Millis(3), observed(id(0), "a\n", "a\n"))), "fetch");
    assert_eq!(words(&engine.step(Millis(4), fetched(id(0), "a\n\nb\n", true))), "done observe");
    assert_eq!(words(&engine.step(Millis(5), observed(id(0), "a\n", "a\n"))), "fetch");
    assert_eq!(words(&engine.step(Millis(6), fetched(id(0), "a\n\nb\n", true))), "deposit");
}

#[test]
fn a_file_that_was_passed_by_and_is_gone_since_is_written() {
    // Nothing was ever agreed of it: it was being saved when it was found.
    let mut engine = Engine::new(Settings::default());
    let rows = vec![Row { parts: Vec::new(), ..row(0) }];
    engine.load(Millis(0), Loaded { rows, cursor: Some(Cursor("1".into())), ..Loaded::default() });
    let touched = |touch| Event::Touched { item: id(0), part: PartId::default(), touch };
    engine.step(Millis(1), touched(Touch::Modified { closes: true }));
    engine.step(Millis(2), observed(id(0), "-", "half\n"));
    let effects = engine.step(Millis(3), fetched(id(0), "whole\n", true));
    assert_eq!(words(&effects), "record");
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    engine.step(Millis(4), touched(Touch::Missing));
    let effects = engine.step(Millis(10_000), Event::Tick);
    assert!(words(&effects).contains("observe"), "{}", words(&effects));
    let effects = engine.step(Millis(10_001), Event::Observed { item: id(0), parts: Vec::new() });
    assert_eq!(words(&effects), "fetch", "nothing else tells that it is missing");
    assert_eq!(words(&engine.step(Millis(10_002), fetched(id(0), "whole\n", true))), "deposit");
}
