//! What a crash leaves, and what the engine makes of it: pushes without an answer, texts on their way into files.

use crate::model::{KindName, Millis, Notice, PartId, Revision};

use super::super::{
    Arrival, Command, Effect, Engine, Event, Failure, FailureClass, Intent, JobEnd, JobId, Loaded, NotDone, OpenJob,
    Posted, Remote, RequestId, Row, RowPart, Settings, Told,
};
use super::decisions::{STAMP, engine, fetched, id, lost, observed, planned, recorded, row, told, words};

fn failure(class: FailureClass) -> Failure {
    Failure {
        class,
        retry_after_ms: None,
        message: "m".into(),
        kind: "permission_denied".into(),
        suggestion: "-".into(),
    }
}

/// What one effect of them plans to be in the document.
fn desired(effects: &[Effect]) -> Option<&str> {
    effects
        .iter()
        .find_map(|effect| if let Effect::Plan { desired, .. } = effect { Some(desired.as_str()) } else { None })
}

/// A file that was read, of which a note of what it is about to say stands.
fn intended(base: &str, local: &str, intent: &Intent) -> Event {
    let mut seen = observed(id(0), base, local);
    if let Event::Observed { parts, .. } = &mut seen {
        parts[0].intent = Some(intent.clone());
    }
    seen
}

/// An engine after a restart: a push was begun with `expected`, and perhaps a base, and no answer is known, and `notices` are
/// yet to be told.
fn restarted(notices: Vec<Notice>, expected: &str, base: Option<&str>) -> Engine {
    let told = Told { at: Millis(1), notices };
    let rows = vec![Row {
        item: id(0),
        kind: KindName::Docs,
        title: "t".into(),
        revision: None,
        can_edit: true,
        gone: false,
        buried: false,
        parts: vec![RowPart { part: PartId::default(), stamp: None, hash: None, told }],
    }];
    let job = OpenJob {
        job: JobId(1),
        item: id(0),
        part: PartId::default(),
        revision: Revision("0".into()),
        at: Millis(1),
        answered: false,
        expected: expected.into(),
        base: base.map(str::to_owned),
        told: vec![lost(8)],
    };
    let mut engine = Engine::new(Settings::default());
    engine.load(Millis(2), Loaded { rows, jobs: vec![job], cursor: None, paused: false });
    engine
}

#[test]
fn a_push_landed_though_its_title_waits() {
    let text = |title: &str, words: &str| format!("---\ntitle: {title}\n---\n\n{words}\n");
    for (there, landed) in [("Old", true), ("New", true), ("Other", false)] {
        let mut engine = restarted(Vec::new(), &text("New", "b"), None);
        engine.step(Millis(3), observed(id(0), &text("Old", "a"), &text("New", "b")));
        engine.step(Millis(4), fetched(id(0), &text(there, "b"), true));
        assert_eq!(told(&engine), if landed { vec![8] } else { Vec::new() }, "{there}");
    }
}

#[test]
fn what_went_with_a_push_survives_a_restart() {
    // Of a push whose end is not known it is told once that it landed.
    let mut engine = restarted(vec![lost(7)], "b", None);
    assert_eq!(told(&engine), [7]);
    engine.step(Millis(3), observed(id(0), "a", "b"));
    let effects = engine.step(Millis(4), fetched(id(0), "b", true));
    assert_eq!(told(&engine), [7, 8]);
    assert_eq!(recorded(&effects), [lost(7), lost(8)]);
}

#[test]
fn a_push_landed_though_others_wrote_since() {
    // It brought `ours`, which was moved and edited since; others wrote `theirs`.
    for (remote, landed) in [("a\n\nours\n\ntheirs\n", true), ("a\n\ntheirs\n", false)] {
        let mut engine = restarted(Vec::new(), "a\n\nours\n", Some("a\n\nours\n"));
        engine.step(Millis(3), observed(id(0), "a\n", "ours more\n\na\n"));
        let effects = engine.step(Millis(4), fetched(id(0), remote, true));
        let desired = desired(&effects).unwrap_or_default();
        assert_eq!(desired.matches("ours").count(), 1, "{remote:?}: {desired:?}");
        assert_eq!(told(&engine), if landed { vec![8] } else { Vec::new() }, "{remote:?}");
    }
}

#[test]
fn a_push_may_land_as_long_as_its_version_stands() {
    let at_version = |version: &str, text: &str| {
        let Event::Fetched { item, result } = fetched(id(0), text, true) else { unreachable!() };
        let result = result.map(|remote| Remote { revision: Some(Revision(version.into())), ..remote });
        Event::Fetched { item, result }
    };
    let ended = |effects: &[Effect]| -> Vec<(JobId, JobEnd)> {
        let record =
            |effect: &Effect| if let Effect::Record(record) = effect { Some(record.jobs.clone()) } else { None };
        effects.iter().filter_map(record).flatten().collect()
    };
    let later = || Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) };
    for (minutes, ends) in [(9, Vec::new()), (10, vec![(JobId(1), JobEnd::Reconciled)])] {
        let mut engine = restarted(Vec::new(), "b", None);
        engine.step(Millis(3), observed(id(0), "a", "a"));
        let first = engine.step(Millis(4), at_version("0", "a"));
        assert_eq!(ended(&first), [], "it may be under way");
        engine.step(Millis(5), Event::Recorded { item: id(0), result: Ok(()) });
        let now = Millis(1 + minutes * 60_000);
        engine.step(now, later());
        engine.step(now, observed(id(0), "a", "a"));
        assert_eq!(ended(&engine.step(now, at_version("0", "a"))), ends, "after {minutes} minutes");
    }
    let mut engine = restarted(Vec::new(), "b", None);
    engine.step(Millis(3), observed(id(0), "a", "a"));
    engine.step(Millis(4), at_version("0", "a"));
    engine.step(Millis(5), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(told(&engine), Vec::<u32>::new());
    engine.step(Millis(6), later());
    engine.step(Millis(7), observed(id(0), "a", "a"));
    engine.step(Millis(8), at_version("1", "b"));
    assert_eq!(told(&engine), [8], "it came late");
}

#[test]
fn what_came_after_a_push_is_agreed_on_though_neither_was_recorded() {
    // The push brought `mine`, and then `theirs` came into the file.
    let (pushed, both) = ("a\n\nmine\n", "a\n\ntheirs\n\nmine\n");
    let mut engine = restarted(Vec::new(), both, Some(pushed));
    let pushes = vec![JobId(1)];
    let intent =
        Intent { before: pushed.into(), was: Some(pushed.into()), after: both.into(), base: both.into(), pushes };
    engine.step(Millis(3), intended("a\n", "a\n\ntheirs\n\nmine\n\nmore\n", &intent));
    assert_eq!(words(&engine.step(Millis(4), fetched(id(0), both, true))), "plan");
    let planned = planned("-");
    engine.step(Millis(5), Event::Planned { item: id(0), result: Ok(planned) });
    engine.step(Millis(6), Event::Begun { item: id(0), result: Ok(JobId(2)) });
    assert_eq!(words(&engine.step(Millis(7), Event::Posted { item: id(0), result: Posted::Stale })), "fetch");
    // Others have removed what came.
    let effects = engine.step(Millis(8), fetched(id(0), pushed, true));
    assert_eq!(desired(&effects), Some("a\n\nmine\n\nmore\n"), "{}", words(&effects));
}

#[test]
fn what_a_landed_push_asked_for_gets_its_id_though_others_wrote_since() {
    let pushed = "a\n\nb\n\nours {^= new image \"https://x.example/p.png\"}\n";
    let mut engine = restarted(Vec::new(), pushed, Some(pushed));
    // The block was edited again meanwhile, and others wrote into the one before.
    engine.step(Millis(3), observed(id(0), "a\n\nb\n", &pushed.replace("ours", "ours more")));
    let remote = "a theirs\n\nb\n\nours {^= kix.p1 image}\n";
    let effects = engine.step(Millis(4), fetched(id(0), remote, true));
    assert_eq!(desired(&effects), Some("a theirs\n\nb\n\nours more {^= kix.p1 image}\n"), "{}", words(&effects));
}

#[test]
fn a_note_of_what_is_written_outlives_half_a_save() {
    let after = "theirs\n\na\n";
    let intent = Intent {
        before: "a\n".into(),
        was: Some("a\n".into()),
        after: after.into(),
        base: after.into(),
        pushes: Vec::new(),
    };
    let mut engine = engine(1);
    let mut walk = |local: &str| {
        engine.step(Millis(1), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
        engine.step(Millis(1), intended("a\n", local, &intent));
        // Others have taken away again what came.
        let effects = engine.step(Millis(2), fetched(id(0), "a\n", true));
        engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
        effects
    };
    // The text came into the file, and nobody knows it yet. Then a person who has read it saves: half of that is read first.
    let effects = walk("");
    let settled = effects
        .iter()
        .find_map(|effect| if let Effect::Record(record) = effect { Some(record.parts[0].settled) } else { None });
    assert_eq!(settled, Some(false), "{}", words(&effects));
    let effects = walk("theirs\n\na mine\n");
    assert_eq!(desired(&effects), Some("a mine\n"), "{}", words(&effects));
}

#[test]
fn a_note_that_knows_of_a_push_outlives_the_record_of_that_push() {
    // The push brought `mine`, `theirs` came, and then went: the note of that was written, and half of a save is read.
    let (pushed, came) = ("a\n\nmine\n", "a\n\ntheirs\n\nmine\n");
    let note = Intent {
        before: came.into(),
        was: Some(came.into()),
        after: pushed.into(),
        base: pushed.into(),
        pushes: vec![JobId(1)],
    };
    // With what the push brought, and without.
    for (half, base) in [("a\n\nmine\n\0\0", pushed), ("", pushed)] {
        let mut engine = restarted(Vec::new(), pushed, Some(pushed));
        engine.step(Millis(3), intended("a\n", half, &note));
        let effects = engine.step(Millis(4), fetched(id(0), pushed, true));
        let record = effects
            .iter()
            .find_map(|effect| if let Effect::Record(record) = effect { Some(&record.parts[0]) } else { None })
            .unwrap();
        assert_eq!((record.base.as_str(), record.settled), (base, false), "{}", words(&effects));
        // Who saves the rest has had the text open that stood before.
        engine.step(Millis(5), Event::Recorded { item: id(0), result: Ok(()) });
        engine.step(Millis(6), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
        engine.step(Millis(6), intended(base, "a\n\ntheirs\n\nmine\n\nmore\n", &note));
        let effects = engine.step(Millis(7), fetched(id(0), pushed, true));
        assert_eq!(desired(&effects), Some("a\n\nmine\n\nmore\n"), "{}", words(&effects));
    }
}

#[test]
fn what_lies_between_two_texts_that_were_not_recorded_is_no_deletion() {
    // `one` came into the file, then `two`; neither was recorded, and the power cut took both from the disk.
    let (first, second) = ("one\n\na\n\nb\n", "one\n\na\n\nb two\n");
    let intent = Intent {
        before: first.into(),
        was: Some(first.into()),
        after: second.into(),
        base: second.into(),
        pushes: Vec::new(),
    };
    for (recorded, local, says) in [
        ("a\n\nb\n", "a mine\n\nb\n", "one\n\na mine\n\nb two\n"),
        ("a\n\nb\n", "one\n\na mine\n\nb\n", "one\n\na mine\n\nb two\n"),
        // What others took away before does not come back either.
        ("one\n\nold\n\na\n\nb\n", "one\n\nold\n\na mine\n\nb\n", "one\n\na mine\n\nb two\n"),
    ] {
        let mut engine = engine(1);
        engine.step(Millis(1), intended(recorded, local, &intent));
        let effects = engine.step(Millis(2), fetched(id(0), second, true));
        assert_eq!(desired(&effects), Some(says), "{local:?}: {}", words(&effects));
    }
}

#[test]
fn a_text_that_came_is_the_base_of_who_has_it_open_while_the_file_is_empty() {
    let first = "old\n\na\n\nb\n";
    let intent =
        Intent { before: String::new(), was: None, after: first.into(), base: first.into(), pushes: Vec::new() };
    // It was never recorded; an editor has emptied the file, and others take a paragraph away.
    for local in ["", "-"] {
        let mut engine = engine(1);
        engine.step(Millis(1), intended("-", local, &intent));
        engine.step(Millis(1), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
        engine.step(Millis(1_000), Event::Tick);
        engine.step(Millis(1_001), intended("-", local, &intent));
        let effects = engine.step(Millis(1_002), fetched(id(0), "a\n\nb\n", true));
        let next = effects
            .iter()
            .find_map(|effect| if let Effect::Deposit { intent, .. } = effect { Some(intent.clone()) } else { None });
        let next = next.unwrap_or_else(|| panic!("{local:?}: {}", words(&effects)));
        assert_eq!((next.before.as_str(), next.was.as_deref()), (first, Some(first)), "{local:?}");
        // The editor's save came instead, and the daemon died: what others took away stays away.
        let mut engine = self::engine(1);
        engine.step(Millis(1), intended("-", "old\n\na mine\n\nb\n", &next));
        let effects = engine.step(Millis(2), fetched(id(0), "a\n\nb\n", true));
        assert_eq!(desired(&effects), Some("a mine\n\nb\n"), "{local:?}: {}", words(&effects));
    }
}

#[test]
fn what_came_before_the_last_text_is_known_though_nothing_was_recorded() {
    // `one` came, then `two`, and the store failed both times; an editor has the text from before open.
    let (first, second) = ("a one\n\nb\n", "a one\n\nb two\n");
    let mut engine = engine(1);
    let failed = || Event::Recorded { item: id(0), result: Err(failure(FailureClass::Permanent)) };
    let mut arrived = Vec::new();
    for (at, (local, remote)) in [("a\n\nb\n", first), (first, second)].into_iter().enumerate() {
        let now = |step: u64| Millis(1 + 10_000_000 * at as u64 + step);
        engine.step(now(0), Event::Tick);
        engine.step(now(0), observed(id(0), "a\n\nb\n", local));
        engine.step(now(1), Event::Asked { request: RequestId(at as u64), command: Command::Fetch(id(0)) });
        engine.step(now(1), observed(id(0), "a\n\nb\n", local));
        let effects = engine.step(now(2), fetched(id(0), remote, true));
        arrived = effects
            .into_iter()
            .find_map(|effect| if let Effect::Deposit { arrived, .. } = effect { Some(arrived) } else { None })
            .unwrap_or_default();
        engine.step(now(3), Event::Deposited { item: id(0), part: PartId::default(), result: Ok(STAMP) });
        engine.step(now(4), failed());
    }
    let arrived: Vec<(&str, &str)> = arrived.iter().map(|came| (came.before.as_str(), came.after.as_str())).collect();
    assert_eq!(arrived, [("a\n\nb\n", first)]);
}

#[test]
fn an_emptied_file_in_conflict_waits() {
    // Nothing is agreed on, and the text that stood there may be being written anew.
    let mut engine = engine(1);
    for at in [1, 1_000] {
        engine.step(Millis(at), Event::Tick);
        engine.step(Millis(at), observed(id(0), "", ""));
        let effects = engine.step(Millis(at + 1), fetched(id(0), "a\n", true));
        assert!(!words(&effects).contains("deposit"), "{}", words(&effects));
        engine.step(Millis(at + 2), Event::Recorded { item: id(0), result: Ok(()) });
    }
    let held = engine.status().items[0].parts[0].held.clone();
    assert_eq!(held.iter().map(|held| held.code.as_str()).collect::<Vec<_>>(), ["EMPTY"]);
    let command = Command::Push { item: id(0), accept: true, dry_run: false };
    engine.step(Millis(2_000), Event::Asked { request: RequestId(1), command });
    engine.step(Millis(2_001), observed(id(0), "", ""));
    let effects = engine.step(Millis(2_002), fetched(id(0), "a\n", true));
    assert!(words(&effects).contains("deposit"), "{}", words(&effects));
}

#[test]
fn an_empty_file_of_which_nothing_is_agreed_gets_its_text_once_it_is_quiet() {
    let mut engine = engine(1);
    // It may be being written this moment.
    let effects = engine.step(Millis(1), observed(id(0), "-", ""));
    assert!(!words(&effects).contains("deposit"), "{}", words(&effects));
    let effects = engine.step(Millis(2), fetched(id(0), "a\n", true));
    assert!(!words(&effects).contains("deposit"), "{}", words(&effects));
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(words(&engine.step(Millis(1_000), Event::Tick)), "observe");
    engine.step(Millis(1_001), observed(id(0), "-", ""));
    let effects = engine.step(Millis(1_002), fetched(id(0), "a\n", true));
    assert!(words(&effects).contains("deposit"), "{}", words(&effects));
}

#[test]
fn what_does_not_pass_is_tried_again_within_the_hour() {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a", "a"));
    engine.step(Millis(1), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(1), observed(id(0), "a", "a"));
    let effects = engine.step(Millis(2), Event::Fetched { item: id(0), result: Err(failure(FailureClass::Permanent)) });
    assert_eq!(words(&effects), "failed");
    engine.step(Millis(3), Event::Polled(Err(failure(FailureClass::Permanent))));
    let effects = engine.step(Millis(3_600_002), Event::Tick);
    assert!(words(&effects).contains("observe"), "{}", words(&effects));
    engine.step(Millis(3_600_003), observed(id(0), "a", "a"));
    assert_eq!(words(&engine.step(Millis(3_600_004), fetched(id(0), "b", true))), "deposit");
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
fn what_is_saved_later_is_not_released_with_what_was_read() {
    let base = "one two three\n\nfour five six\n\nseven eight nine\n\nten eleven twelve\n\nthirteen fourteen fifteen\n";
    for class in [FailureClass::Transient, FailureClass::Permanent] {
        let mut engine = engine(1);
        engine.step(Millis(1), observed(id(0), base, base));
        let command = Command::Push { item: id(0), accept: true, dry_run: false };
        engine.step(Millis(1), Event::Asked { request: RequestId(1), command });
        engine.step(Millis(1), observed(id(0), base, "one two three\n"));
        engine.step(Millis(2), Event::Fetched { item: id(0), result: Err(failure(class)) });
        // Of two saves the first one was released, and Google did not answer.
        for (local, plans) in [("one two\n", false), ("one two three\n", true)] {
            engine.step(Millis(7_200_000), Event::Asked { request: RequestId(2), command: Command::Fetch(id(0)) });
            engine.step(Millis(7_200_001), observed(id(0), base, local));
            let effects = engine.step(Millis(7_200_002), fetched(id(0), base, true));
            assert_eq!(words(&effects).contains("plan"), plans, "{class:?} {local:?}: {}", words(&effects));
            engine.step(Millis(7_200_003), Event::Recorded { item: id(0), result: Ok(()) });
        }
    }
}

#[test]
fn what_was_gone_is_asked_for_after_a_restart_though_nothing_was_edited() {
    let mut engine = Engine::new(Settings::default());
    let rows = vec![Row { gone: true, ..row(0) }];
    engine.load(Millis(0), Loaded { rows, jobs: Vec::new(), cursor: None, paused: false });
    assert_eq!(words(&engine.step(Millis(1), observed(id(0), "a", "a"))), "fetch");
    let effects = engine.step(Millis(2), fetched(id(0), "a", true));
    let is_back = |effect: &Effect| matches!(effect, Effect::Record(record) if !record.gone);
    assert!(effects.iter().any(is_back), "{}", words(&effects));
}

#[test]
fn half_a_save_does_not_bring_an_older_base_back() {
    // `theirs` came, and a push of `mine` landed; neither of which the store knows of when half of a save is read.
    let (before, after) = ("one\n\ntwo\n", "one\n\ntheirs\n\ntwo\n");
    let mut engine = engine(1);
    let seen = |local: &str| {
        let Event::Observed { item, mut parts } = observed(id(0), after, local) else { unreachable!() };
        parts[0].arrivals = vec![Arrival { before: before.into(), after: after.into(), base: before.into() }];
        Event::Observed { item, parts }
    };
    engine.step(Millis(1), seen("one\n\ntheirs\n\ntwo mine\n"));
    engine.step(Millis(3), fetched(id(0), after, true));
    engine.step(Millis(4), Event::Planned { item: id(0), result: Ok(planned("one\n\ntheirs\n\ntwo mine\n")) });
    engine.step(Millis(5), Event::Begun { item: id(0), result: Ok(JobId(1)) });
    engine.step(Millis(6), Event::Posted { item: id(0), result: Posted::Accepted(None) });
    engine.step(Millis(7), Event::Fetched { item: id(0), result: Err(failure(FailureClass::Permanent)) });
    for (local, remote) in [
        ("one more\n\ntw", Err(failure(FailureClass::Permanent))),
        ("one more\n\ntheirs\n\ntwo mine\n", Ok("one\n\ntwo mine\n")),
    ] {
        engine.step(Millis(8), Event::Asked { request: RequestId(9), command: Command::Fetch(id(0)) });
        engine.step(Millis(8), seen(local));
        let effects = match remote {
            Err(failure) => engine.step(Millis(9), Event::Fetched { item: id(0), result: Err(failure) }),
            Ok(remote) => engine.step(Millis(9), fetched(id(0), remote, true)),
        };
        // Others have taken it away again meanwhile, which stays so.
        assert!(desired(&effects).is_none_or(|desired| desired == "one more\n\ntwo mine\n"), "{:?}", desired(&effects));
        assert_eq!(desired(&effects).is_some(), local.contains("mine"), "{}", words(&effects));
    }
}

#[test]
fn what_others_took_away_of_a_push_that_may_have_landed_does_not_double_the_rest() {
    let pushed = "first of ours\n\nsecond of ours, longer\n\na\n";
    for (remote, says) in [
        // Others took away one of the paragraphs and edited the other.
        ("second of ours, longer theirs\n\na\n", "first of ours\n\nsecond of ours, longer theirs\n\na\n"),
        // They wrote words of it by themselves: it has not landed.
        (
            "a longer one of theirs, the second\n",
            "first of ours\n\nsecond of ours, longer\n\na longer one of theirs, the second\n",
        ),
    ] {
        let mut engine = restarted(Vec::new(), pushed, Some(pushed));
        engine.step(Millis(3), observed(id(0), "a\n", pushed));
        let effects = engine.step(Millis(4), fetched(id(0), remote, true));
        assert_eq!(desired(&effects), Some(says), "{remote:?}: {}", words(&effects));
    }
}

#[test]
fn what_came_twice_after_a_push_is_agreed_on_though_nothing_was_recorded() {
    // The push brought `mine`; `theirs` came, then the daemon died, then `later` was on its way, and it died again.
    let (pushed, came) = ("a\n\nmine\n", "a\n\ntheirs\n\nmine\n");
    let mut engine = restarted(Vec::new(), pushed, Some(pushed));
    let intent = |was: &str, after: &str| Intent {
        before: was.into(),
        was: Some(was.into()),
        after: after.into(),
        base: after.into(),
        pushes: vec![JobId(1)],
    };
    engine.step(Millis(3), intended("a\n", came, &intent(pushed, came)));
    let effects = engine.step(Millis(4), fetched(id(0), "a later\n\ntheirs\n\nmine\n", true));
    let note = effects
        .iter()
        .find_map(|effect| if let Effect::Deposit { intent, .. } = effect { Some(intent.clone()) } else { None });
    assert_eq!(note, Some(intent(came, "a later\n\ntheirs\n\nmine\n")), "{}", words(&effects));
    let mut engine = restarted(Vec::new(), pushed, Some(pushed));
    engine.step(Millis(5), intended("a\n", "a\n\ntheirs\n\nmine more\n", &note.unwrap()));
    // Others have removed what came.
    let effects = engine.step(Millis(6), fetched(id(0), "a later\n\nmine\n", true));
    assert_eq!(desired(&effects), Some("a later\n\nmine more\n"), "{}", words(&effects));
}

#[test]
fn a_text_that_was_taken_back_may_have_been_read() {
    // Neither `one` nor `two` is recorded. `two` stood there for a moment, in which somebody opened it.
    let (first, second) = ("a one\n\nb\n", "a one\n\nb two\n");
    let note = |before: &str, was: Option<&str>, after: &str| Intent {
        before: before.into(),
        was: was.map(str::to_owned),
        after: after.into(),
        base: after.into(),
        pushes: Vec::new(),
    };
    let mut engine = engine(1);
    engine.step(Millis(1), intended("-", first, &note("", None, first)));
    engine.step(Millis(1), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(1), intended("-", first, &note("", None, first)));
    let effects = engine.step(Millis(2), fetched(id(0), second, true));
    assert_eq!(words(&effects), "deposit");
    let moved = Event::Deposited { item: id(0), part: PartId::default(), result: Err(NotDone::Moved) };
    engine.step(Millis(3), moved);
    engine.step(Millis(1_000), Event::Tick);
    engine.step(Millis(1_001), intended("-", "a one\n\nb two mine\n", &note(first, Some(first), second)));
    // Others have taken `two` away again.
    let effects = engine.step(Millis(1_002), fetched(id(0), first, true));
    let desired = desired(&effects).unwrap_or("-");
    assert!(!desired.contains("two"), "{desired:?}: {}", words(&effects));
}

#[test]
fn two_looks_at_replaced_files_are_never_under_way() {
    let mut engine = engine(0);
    assert!(words(&engine.step(Millis(60_000), Event::Tick)).contains("sweep"));
    // The disk is slow, and another file was replaced meanwhile.
    engine.step(Millis(60_001), Event::Deposited { item: id(0), part: PartId::default(), result: Ok(STAMP) });
    assert!(!words(&engine.step(Millis(600_000), Event::Tick)).contains("sweep"));
    engine.step(Millis(600_001), Event::Swept { left: true, aside: Vec::new() });
    assert!(!words(&engine.step(Millis(660_000), Event::Tick)).contains("sweep"));
    assert!(words(&engine.step(Millis(660_001), Event::Tick)).contains("sweep"));
}

#[test]
fn who_deleted_some_of_what_came_before_a_crash_has_seen_the_rest() {
    let (before, after) = ("one\n\ntwo\n", "theirs\n\none\n\nthird one of theirs\n\ntwo\n");
    let note = Intent {
        before: before.into(),
        was: Some(before.into()),
        after: after.into(),
        base: after.into(),
        pushes: Vec::new(),
    };
    // The rest was taken away by others.
    for (local, says) in [
        ("one\n\nthird one of theirs\n\ntwo mine\n", Some("one\n\ntwo mine\n")),
        // Of what nothing has come nothing was seen.
        ("one\n\ntwo mine\n", Some("theirs\n\none\n\ntwo mine\n")),
    ] {
        let mut engine = engine(1);
        engine.step(Millis(1), intended(before, local, &note));
        let effects = engine.step(Millis(2), fetched(id(0), "theirs\n\none\n\ntwo\n", true));
        assert_eq!(desired(&effects), says, "{local:?}: {}", words(&effects));
    }
}

#[test]
fn who_has_the_whole_text_open_has_not_read_what_came_into_half_of_it() {
    // Nothing is agreed; the document's text came into a file of which its head alone stood, for a moment.
    let after = "one\n\ntwo theirs\n\nthree\n\nfour\n";
    let note = Intent {
        before: String::new(),
        was: Some(String::new()),
        after: after.into(),
        base: after.into(),
        pushes: Vec::new(),
    };
    let mut engine = engine(1);
    engine.step(Millis(1), intended("", "mine\n\none\n\ntwo\n\nthree\n\nfour\n", &note));
    let effects = engine.step(Millis(2), fetched(id(0), after, true));
    assert!(desired(&effects).is_none_or(|desired| desired.contains("theirs")), "{:?}", desired(&effects));
}

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
