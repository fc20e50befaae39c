//! What a crash leaves of texts on their way into files, and what the engine makes of it.

use crate::model::{Millis, PartId};

use super::super::{
    Arrival, Command, Effect, Engine, Event, Failure, FailureClass, Intent, JobId, NotDone, Posted, RequestId, Touch,
};
use super::decisions::{STAMP, engine, fetched, id, observed, planned, words};

pub(super) fn failure(class: FailureClass) -> Failure {
    Failure {
        class,
        retry_after_ms: None,
        message: "m".into(),
        kind: "permission_denied".into(),
        suggestion: "-".into(),
    }
}

/// What one effect of them plans to be in the document.
pub(super) fn desired(effects: &[Effect]) -> Option<&str> {
    effects
        .iter()
        .find_map(|effect| if let Effect::Plan { desired, .. } = effect { Some(desired.as_str()) } else { None })
}

/// The note of the text that one effect of them writes into a file.
pub(super) fn noted(effects: &[Effect]) -> Intent {
    let deposit =
        |effect: &Effect| if let Effect::Deposit { intent, .. } = effect { Some(intent.clone()) } else { None };
    effects.iter().find_map(deposit).unwrap_or_else(|| panic!("{}", words(effects)))
}

/// A note of what came into a file that said what was agreed on.
pub(super) fn note_of(before: &str, after: &str) -> Intent {
    Intent {
        blind: None,
        before: before.into(),
        was: Some(before.into()),
        after: after.into(),
        base: after.into(),
        pushes: Vec::new(),
    }
}

/// A file that was read, of which a note of what it is about to say stands.
pub(super) fn intended(base: &str, local: &str, intent: &Intent) -> Event {
    let mut seen = observed(id(0), base, local);
    if let Event::Observed { parts, .. } = &mut seen {
        parts[0].intent = Some(intent.clone());
    }
    seen
}

/// Reads a file that moved under a deposit until its text counts: nobody says when its writer is done.
fn read_twice(engine: &mut Engine, remote: &str, seen: impl Fn() -> Event) -> Vec<Effect> {
    let mut effects = Vec::new();
    for at in [100_000, 200_000] {
        assert!(words(&engine.step(Millis(at), Event::Tick)).contains("observe"));
        engine.step(Millis(at + 1), seen());
        effects = engine.step(Millis(at + 2), fetched(id(0), remote, true));
        engine.step(Millis(at + 3), Event::Recorded { item: id(0), result: Ok(()) });
    }
    effects
}

#[test]
fn a_note_of_what_is_written_outlives_half_a_save() {
    let after = "theirs\n\na\n";
    let intent = Intent {
        blind: None,
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
fn who_took_a_line_away_has_read_what_came_in_another() {
    // What came into the file is not recorded. A word of it stood in the line that went, too.
    let (before, after) = ("one more\n\na\n", "one more\n\ntwo more\n\na\n");
    let note = note_of(before, after);
    let mut engine = engine(1);
    engine.step(Millis(1), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(1), intended(before, "two more\n\na\n\nmine\n", &note));
    // Others have removed it again.
    let effects = engine.step(Millis(2), fetched(id(0), before, true));
    assert_eq!(desired(&effects), Some("a\n\nmine\n"), "{}", words(&effects));
}

#[test]
fn what_lies_between_two_texts_that_were_not_recorded_is_no_deletion() {
    // `one` came into the file, then `two`; neither was recorded, and the power cut took both from the disk.
    let (first, second) = ("one\n\na\n\nb\n", "one\n\na\n\nb two\n");
    let intent = Intent {
        blind: None,
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
fn an_older_text_that_is_brought_back_deletes_nothing_where_nothing_was_recorded() {
    // The state was lost while the file was in the trash. Its document came anew and was noted twice, and never into a file.
    let remote = "new a\n\nb\n";
    let mut engine = engine(1);
    engine.step(Millis(1), intended("-", "a\n\nb\n", &note_of(remote, remote)));
    let effects = engine.step(Millis(2), fetched(id(0), remote, true));
    assert_eq!(desired(&effects), None, "{}", words(&effects));
    let conflict = effects
        .iter()
        .find_map(|effect| if let Effect::PutConflict { text, .. } = effect { text.clone() } else { None });
    assert!(conflict.is_some_and(|text| text.contains("new a")), "{}", words(&effects));
}

/// The note of the first text that is to be written into a file.
pub(super) fn first_note(text: &str) -> Intent {
    let pushes = Vec::new();
    Intent { blind: None, before: String::new(), was: None, after: text.into(), base: text.into(), pushes }
}

#[test]
fn a_text_that_came_is_the_base_of_who_has_it_open_while_the_file_is_empty() {
    let first = "old\n\na\n\nb\n";
    let intent = first_note(first);
    // It was never recorded; an editor has emptied the file, or it is gone, and others take a paragraph away.
    for (local, was) in [("", first), ("-", "")] {
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
        assert_eq!((next.before.as_str(), next.was.as_deref()), (first, Some(was)), "{local:?}");
        // A save came instead, and the daemon died: what others took away stays away. What is put where nothing stood may be the
        // editor's or any older file, so that its person is asked.
        let mut engine = self::engine(1);
        engine.step(Millis(1), intended("-", "old\n\na mine\n\nb\n", &next));
        let effects = engine.step(Millis(2), fetched(id(0), "a\n\nb\n", true));
        let is_known = was == first;
        assert_eq!(desired(&effects), is_known.then_some("a mine\n\nb\n"), "{local:?}: {}", words(&effects));
        assert_eq!(engine.status().items[0].parts[0].conflicts.is_empty(), is_known, "{local:?}");
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
    for (empty, remote) in [("", "a\n"), ("---\ntitle: t\n---", "---\ntitle: t\n---\n\na\n")] {
        let mut engine = engine(1);
        for at in [1, 1_000] {
            engine.step(Millis(at), Event::Tick);
            engine.step(Millis(at), observed(id(0), "", empty));
            let effects = engine.step(Millis(at + 1), fetched(id(0), remote, true));
            assert!(!words(&effects).contains("deposit"), "{}", words(&effects));
            engine.step(Millis(at + 2), Event::Recorded { item: id(0), result: Ok(()) });
        }
        let held = engine.status().items[0].parts[0].held.clone();
        assert_eq!(held.iter().map(|held| held.code.as_str()).collect::<Vec<_>>(), ["EMPTY"]);
        let command = Command::Push { item: id(0), accept: Some(PartId::default()), dry_run: false };
        engine.step(Millis(2_000), Event::Asked { request: RequestId(1), command });
        engine.step(Millis(2_001), observed(id(0), "", empty));
        let effects = engine.step(Millis(2_002), fetched(id(0), remote, true));
        assert!(words(&effects).contains("deposit"), "{}", words(&effects));
    }
}

#[test]
fn an_empty_document_leaves_nothing_to_wait_for() {
    let (text, remote) = ("---\ntitle: other\n---\n", "---\ntitle: t\n---\n\n\\\n");
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "", text));
    engine.step(Millis(2), fetched(id(0), remote, true));
    assert_eq!(engine.status().items[0].parts[0].held, []);
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
fn what_was_released_for_a_push_that_failed_is_asked_for_anew() {
    let base = "one two three\n\nfour five six\n\nseven eight nine\n\nten eleven twelve\n\nthirteen fourteen fifteen\n";
    for class in [FailureClass::Transient, FailureClass::Permanent] {
        let mut engine = engine(1);
        engine.step(Millis(1), observed(id(0), base, base));
        let command = Command::Push { item: id(0), accept: Some(PartId::default()), dry_run: false };
        engine.step(Millis(1), Event::Asked { request: RequestId(1), command });
        engine.step(Millis(1), observed(id(0), base, "one two three\n"));
        engine.step(Millis(2), Event::Fetched { item: id(0), result: Err(failure(class)) });
        // Google did not answer, which whoever released it was told; another save was never released.
        for (local, plans) in [("one two three\n", false), ("one two\n", false), ("one two three\n", false)] {
            engine.step(Millis(7_200_000), Event::Asked { request: RequestId(2), command: Command::Fetch(id(0)) });
            engine.step(Millis(7_200_001), observed(id(0), base, local));
            let effects = engine.step(Millis(7_200_002), fetched(id(0), base, true));
            assert_eq!(words(&effects).contains("plan"), plans, "{class:?} {local:?}: {}", words(&effects));
            engine.step(Millis(7_200_003), Event::Recorded { item: id(0), result: Ok(()) });
        }
    }
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
fn a_text_that_was_taken_back_may_have_been_read() {
    // Neither `one` nor `two` is recorded. `two` stood there for a moment, in which somebody opened it.
    let (first, second) = ("a one\n\nb\n", "a one\n\nb two\n");
    let note = |before: &str, was: Option<&str>, after: &str| Intent {
        blind: None,
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
    // Others have taken `two` away again.
    let seen = || intended("-", "a one\n\nb two mine\n", &note(first, Some(first), second));
    let effects = read_twice(&mut engine, first, seen);
    assert_eq!(words(&effects), "conflict record");
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
    let note = note_of(before, after);
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
        blind: None,
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
fn who_has_read_what_stood_there_for_a_moment_has_not_read_what_was_to_come_next() {
    let base = "a\n\nb\n\nc\n";
    let first = "a one two\n\nb\n\nc\n";
    let second = "a one two\n\nb\n\nc three\n";
    let taken_back = || Event::Deposited { item: id(0), part: PartId::default(), result: Err(NotDone::Moved) };
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), base, base));
    engine.step(Millis(1), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(1), observed(id(0), base, base));
    let note = noted(&engine.step(Millis(2), fetched(id(0), first, true)));
    // It stands there while somebody opens the file, whose editor then saves what was there before.
    engine.step(Millis(3), taken_back());
    assert_eq!(words(&engine.step(Millis(10_000), Event::Tick)), "observe");
    assert_eq!(words(&engine.step(Millis(10_001), intended(base, base, &note))), "fetch");
    let note = noted(&engine.step(Millis(10_002), fetched(id(0), second, true)));
    engine.step(Millis(10_003), taken_back());
    // Now they save what they have read and written.
    let effects = read_twice(&mut engine, second, || intended(base, "a one two\n\nb mine\n\nc\n", &note));
    assert_eq!(desired(&effects), Some("a one two\n\nb mine\n\nc three\n"), "{}", words(&effects));
}

#[test]
fn who_wrote_the_words_of_others_elsewhere_has_not_read_what_these_wrote() {
    // The first text stood there for a moment; of the second, which never did, the save has the words, in another sentence.
    let before = "# Keys\n\nThe keys are here.\n\n# Walls\n\nlast\n";
    let first = before.replace("last", "Call Paul about the walls.\n\nlast");
    let second = first.replace("# Keys", "# Keys Call about the house");
    let saved = first.replace("The keys", "The keys for the house or about walls are with Eve.\n\nThe keys");
    let mut seen = intended(before, &saved, &note_of(before, &second));
    let Event::Observed { parts, .. } = &mut seen else { unreachable!() };
    parts[0].arrivals = vec![note_of(before, &first).arrival()];
    let mut engine = engine(1);
    engine.step(Millis(1), seen);
    let effects = engine.step(Millis(2), fetched(id(0), &second, true));
    let says = saved.replace("# Keys", "# Keys Call about the house");
    assert_eq!(desired(&effects), Some(&*says), "{}", words(&effects));
}

#[test]
fn some_of_what_may_have_stood_there_is_not_its_readers_own() {
    let (before, after) = ("old more\n\na\n", "a\n\neight seven more\n");
    let note = note_of(before, after);
    // Half of what came is no proof that it was read; and others have removed all of it.
    let mut engine = engine(1);
    engine.step(Millis(1), intended(before, "a\n\nmine eight more\n", &note));
    let effects = engine.step(Millis(2), fetched(id(0), "a\n", true));
    assert_eq!(desired(&effects), None, "{}", words(&effects));
    assert_eq!(engine.status().items[0].parts[0].held[0].code, "DELETED_THERE");
}

#[test]
fn an_empty_file_is_no_text_that_stood_there_for_a_moment() {
    let base = "one\n\ntwo here\n";
    let remote = "one theirs\n";
    let touched = |touch: Touch| Event::Touched { item: id(0), part: PartId::default(), touch };
    let moved = || Event::Deposited { item: id(0), part: PartId::default(), result: Err(NotDone::Moved) };
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), base, base));
    engine.step(Millis(1), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(1), observed(id(0), base, base));
    // What came is taken back for a save of the text from before, which is pushed.
    let note = noted(&engine.step(Millis(2), fetched(id(0), remote, true)));
    let (mine, both) = ("one\n\nmine\n\ntwo here\n", "one theirs\n\nmine\n");
    engine.step(Millis(3), moved());
    engine.step(Millis(4), touched(Touch::Complete));
    engine.step(Millis(10_000), Event::Tick);
    engine.step(Millis(10_001), intended(base, mine, &note));
    let effects = engine.step(Millis(10_002), fetched(id(0), remote, true));
    assert_eq!(desired(&effects), Some(both), "{}", words(&effects));
    engine.step(Millis(10_003), Event::Planned { item: id(0), result: Ok(planned(both)) });
    engine.step(Millis(10_003), Event::Begun { item: id(0), result: Ok(JobId(1)) });
    engine.step(Millis(10_004), Event::Posted { item: id(0), result: Posted::Accepted(None) });
    let note = noted(&engine.step(Millis(10_005), fetched(id(0), both, true)));
    // The same editor saves once more: the file is empty first. Meanwhile others take away what was pushed.
    engine.step(Millis(10_006), touched(Touch::Modified { closes: true }));
    let effects = engine.step(Millis(10_006), moved());
    assert!(words(&effects).contains("observe"), "{}", words(&effects));
    engine.step(Millis(10_007), intended(base, "", &note));
    let effects = engine.step(Millis(10_008), fetched(id(0), both, true));
    let recorded = effects
        .iter()
        .find_map(|effect| if let Effect::Record(record) = effect { Some(&record.parts[0]) } else { None });
    assert!(recorded.is_none_or(|part| part.base.contains("mine")), "{recorded:?}");
}

#[test]
fn what_a_file_was_about_to_say_is_known_though_it_is_touched_when_it_is_read() {
    let (before, after) = ("one two\n\nthree\n", "one two more\n\nthree\n");
    let intent = note_of(before, after);
    let mut engine = engine(1);
    engine.step(Millis(1), Event::Touched { item: id(0), part: PartId::default(), touch: Touch::Complete });
    assert_eq!(words(&engine.step(Millis(2), intended(before, after, &intent))), "fetch");
    // It is quiet by the time the document was read.
    engine.step(Millis(60_000), Event::Tick);
    let recorded = |effects: &[Effect]| match effects {
        [.., Effect::Record(record)] => (record.parts[0].settled, record.parts[0].arrived.len()),
        effects => panic!("{}", words(effects)),
    };
    assert_eq!(recorded(&engine.step(Millis(60_001), fetched(id(0), after, true))), (false, 0));
    let effects = engine.step(Millis(60_002), Event::Recorded { item: id(0), result: Ok(()) });
    assert!(words(&effects).contains("observe"), "{}", words(&effects));
    assert_eq!(words(&engine.step(Millis(60_003), intended(before, after, &intent))), "fetch");
    assert_eq!(recorded(&engine.step(Millis(60_004), fetched(id(0), after, true))), (true, 1));
}
