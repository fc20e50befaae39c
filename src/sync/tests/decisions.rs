//! What the engine decides about one item, as a table.

use crate::model::{ContentHash, Cursor, ItemId, KindName, Millis, Notice, PartId, Revision, Stamp};

use super::super::quota::Limits;
use super::super::{
    Answer, Command, Effect, Engine, Event, Failure, FailureClass, Feed, JobId, Loaded, Local, NotDone, Observation,
    Planned, Posted, Remote, RequestId, Row, RowPart, Settings, Side, Told,
};

pub(super) const STAMP: Stamp = Stamp { dev: 1, ino: 1, len_bytes: 1, mtime_ns: 1, ctime_ns: 1 };

pub(super) fn id(number: usize) -> ItemId {
    ItemId(format!("i{number}"))
}

/// The row of a mirrored item.
pub(super) fn row(number: usize) -> Row {
    Row {
        item: id(number),
        kind: KindName::Docs,
        title: "t".into(),
        revision: None,
        can_edit: true,
        gone: false,
        buried: false,
        parts: vec![RowPart {
            part: PartId::default(),
            stamp: Some(STAMP),
            hash: None,
            behind: false,
            told: Told::default(),
            put_back: None,
            blind: None,
        }],
    }
}

/// Makes an engine with `count` mirrored items, each being observed.
pub(super) fn engine(count: usize) -> Engine {
    let mut engine = Engine::new(Settings::default());
    engine.load(Millis(0), Loaded { rows: (0..count).map(row).collect(), ..Loaded::default() });
    engine
}

pub(super) fn observed(item: ItemId, base: &str, local: &str) -> Event {
    let local = match local {
        "-" => Local::Absent,
        text => Local::Text { stamp: STAMP, hash: ContentHash::of(text.as_bytes()), text: text.into() },
    };
    let base = (base != "-").then(|| base.to_owned());
    Event::Observed {
        item,
        parts: vec![Observation {
            part: PartId::default(),
            base,
            local,
            intent: None,
            arrivals: Vec::new(),
            blind: None,
        }],
    }
}

pub(super) fn fetched(item: ItemId, text: &str, can_edit: bool) -> Event {
    let result = if text == "-" {
        Err(Failure {
            class: FailureClass::Gone,
            retry_after_ms: None,
            message: "gone".into(),
            kind: "not_found".into(),
            suggestion: "-".into(),
        })
    } else {
        Ok(Remote {
            kind: KindName::Docs,
            title: "t".into(),
            revision: can_edit.then(|| Revision("1".into())),
            can_edit,
            parts: vec![(PartId::default(), text.into())],
        })
    };
    Event::Fetched { item, result }
}

/// A plan of one request, after which the part says `expected`.
pub(super) fn planned(expected: &str) -> Planned {
    Planned {
        requests: 1,
        refused: Vec::new(),
        told: Vec::new(),
        unsaid: Vec::new(),
        holds: Vec::new(),
        expected: expected.into(),
        again: false,
    }
}

/// Returns the words for effects, without the conflict files that are removed for good measure.
pub(super) fn words(effects: &[Effect]) -> String {
    let word = |effect: &Effect| match effect {
        Effect::Observe { .. } => "observe",
        Effect::Poll { .. } => "poll",
        Effect::Fetch { .. } => "fetch",
        Effect::PutAway { .. } => "put away",
        Effect::Plan { .. } => "plan",
        Effect::Begin { .. } => "begin",
        Effect::Post { .. } => "post",
        Effect::PutConflict { text: Some(_), .. } => "conflict",
        Effect::PutConflict { text: None, .. } => "",
        Effect::Deposit { .. } => "deposit",
        Effect::Record(_) => "record",
        Effect::Retire { .. } => "retire",
        Effect::SaveTold { .. } => "told",
        Effect::Sweep => "sweep",
        Effect::SaveCursor(_) => "cursor",
        Effect::SavePaused(true) => "paused",
        Effect::SavePaused(false) => "resumed",
        Effect::Reply { answer: Answer::Done { .. }, .. } => "done",
        Effect::Reply { answer: Answer::Failed(_), .. } => "failed",
    };
    effects.iter().map(word).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Checks what follows when somebody asks for a push; `-` is absent.
fn check(base: &str, local: &str, remote: &str, decision: &str) {
    check_with(base, local, remote, true, decision);
}

fn check_with(base: &str, local: &str, remote: &str, can_edit: bool, decision: &str) {
    let mut engine = engine(1);
    let command = Command::Push { item: id(0), accept: None, dry_run: false };
    engine.step(Millis(0), observed(id(0), "same", "same"));
    engine.step(Millis(1), Event::Asked { request: RequestId(1), command });
    engine.step(Millis(1), observed(id(0), base, local));
    let effects = engine.step(Millis(2), fetched(id(0), remote, can_edit));
    // What is put away is recorded first.
    let recorded = engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    let retired = if words(&recorded) == "retire" { " retire" } else { "" };
    assert_eq!(words(&effects) + retired, decision, "{base:?} {local:?} {remote:?}");
}

#[test]
fn three_sides_give_one_decision() {
    let long = "A paragraph that is long enough to count.\n\n".repeat(10);
    check("a", "a", "a", "record");
    check("a", "b", "a", "plan");
    check("a", "a", "b", "deposit");
    check("a", "b", "b", "record");
    check("a", "b", "c", "conflict record");
    // A missing file is never a remote deletion, and does not come back by itself.
    check("a", "-", "a", "record");
    check("a", "-", "b", "record");
    check("-", "-", "a", "deposit");
    // Without a base neither side wins.
    check("-", "a", "b", "conflict record");
    check("-", "a", "a", "record");
    // What looks like an accident waits.
    check("a", "", "a", "record");
    check("a", "a\0", "a", "record");
    check(&long, "short", &long, "record");
    check("---\nid: x\n---\n\na\n", "b", "---\nid: x\n---\n\na\n", "record");
    check("---\nid: x\n---\n\na\n", "---\nid: y\n---\n\na\n", "---\nid: x\n---\n\na\n", "record");
    // Gone: an untouched file is put away, an edited one is kept.
    check("a", "a", "-", "record retire");
    check("a", "b", "-", "failed record");
    // Read-only: edits stay in the file, remote changes come.
    check_with("a", "b", "a", false, "record");
    check_with("a\n\nb", "x\n\nb", "a\n\nc", false, "deposit");
}

#[test]
fn a_conflict_file_that_was_removed_is_written_again_after_a_while() {
    let mut engine = engine(1);
    engine.step(Millis(0), observed(id(0), "a", "b"));
    assert_eq!(words(&engine.step(Millis(1), fetched(id(0), "c", true))), "conflict record");
    engine.step(Millis(2), Event::Recorded { item: id(0), result: Ok(()) });
    let removed = Event::ConflictMissing { item: id(0), part: PartId::default() };
    // Who removes the whole folder file by file finds no new one in it.
    assert_eq!(words(&engine.step(Millis(10), removed)), "");
    assert_eq!(words(&engine.step(Millis(2_000), Event::Tick)), "");
    assert_eq!(words(&engine.step(Millis(2_010), Event::Tick)), "observe");
    assert_eq!(words(&engine.step(Millis(2_011), observed(id(0), "a", "b"))), "fetch");
    assert_eq!(words(&engine.step(Millis(2_012), fetched(id(0), "c", true))), "conflict record");
}

#[test]
fn a_side_is_chosen_over_what_the_conflict_file_has_shown() {
    for (side, remote, decision) in [
        (Side::Mine, "c", "plan"),
        // The remote says more than that by now: it is shown first.
        (Side::Mine, "d", "conflict record"),
        // What the file says is kept with what it gives way to.
        (Side::Theirs, "c", "conflict deposit"),
        (Side::Theirs, "d", "conflict deposit"),
    ] {
        let mut engine = engine(1);
        let resolve = |request| {
            let command = Command::Resolve { item: id(0), part: PartId::default(), side };
            Event::Asked { request: RequestId(request), command }
        };
        engine.step(Millis(0), observed(id(0), "a", "b"));
        assert_eq!(words(&engine.step(Millis(1), fetched(id(0), "c", true))), "conflict record");
        engine.step(Millis(2), Event::Recorded { item: id(0), result: Ok(()) });
        assert_eq!(words(&engine.step(Millis(3), resolve(1))), "observe");
        assert_eq!(words(&engine.step(Millis(4), observed(id(0), "a", "b"))), "fetch");
        assert_eq!(words(&engine.step(Millis(5), fetched(id(0), remote, true))), decision, "{side:?} {remote}");
        if decision == "conflict record" {
            let ended = engine.step(Millis(6), Event::Recorded { item: id(0), result: Ok(()) });
            assert_eq!(words(&ended), "failed");
            engine.step(Millis(7), resolve(2));
            engine.step(Millis(8), observed(id(0), "a", "b"));
            assert_eq!(words(&engine.step(Millis(9), fetched(id(0), remote, true))), "plan");
        }
    }
}

#[test]
fn a_save_seen_before_it_was_quiet_is_pushed_when_it_is() {
    let mut engine = engine(1);
    let touch = Event::Touched { item: id(0), part: PartId::default(), touch: super::super::Touch::Complete };
    engine.step(Millis(10), touch);
    assert_eq!(words(&engine.step(Millis(11), observed(id(0), "a", "b"))), "fetch");
    assert_eq!(words(&engine.step(Millis(12), fetched(id(0), "a", true))), "record");
    engine.step(Millis(13), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(words(&engine.step(Millis(60), Event::Tick)), "observe");
    assert_eq!(words(&engine.step(Millis(61), observed(id(0), "a", "b"))), "fetch", "it is no echo of anything");
    assert_eq!(words(&engine.step(Millis(62), fetched(id(0), "a", true))), "plan");
}

fn touched() -> Event {
    Event::Touched { item: id(0), part: PartId::default(), touch: super::super::Touch::Complete }
}

#[test]
fn a_save_seen_while_its_plan_was_made_is_pushed_when_it_is_quiet() {
    let mut engine = engine(1);
    assert_eq!(words(&engine.step(Millis(11), observed(id(0), "a", "b"))), "fetch");
    assert_eq!(words(&engine.step(Millis(12), fetched(id(0), "a", true))), "plan");
    engine.step(Millis(13), touched());
    let planned = |requests| Event::Planned { item: id(0), result: Ok(Planned { requests, ..planned("b") }) };
    assert_eq!(words(&engine.step(Millis(14), planned(1))), "record");
    engine.step(Millis(15), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(words(&engine.step(Millis(63), Event::Tick)), "observe");
    assert_eq!(words(&engine.step(Millis(64), observed(id(0), "a", "b"))), "fetch", "it is no echo of anything");
    assert_eq!(words(&engine.step(Millis(65), fetched(id(0), "a", true))), "plan");
    assert_eq!(words(&engine.step(Millis(66), planned(1))), "begin");
}

#[test]
fn what_can_only_be_planned_later_is_pushed_in_the_same_walk() {
    // What was refused may have waited for the rest, too: it is planned again once that has landed.
    for waits in [(true, Vec::new()), (false, vec![lost(3)])] {
        let mut engine = engine(1);
        let planned = |requests, (again, refused): (bool, Vec<Notice>)| Event::Planned {
            item: id(0),
            result: Ok(Planned { requests, refused, again, ..planned("a") }),
        };
        let posted = || Event::Posted { item: id(0), result: Posted::Accepted(None) };
        assert_eq!(words(&engine.step(Millis(1), observed(id(0), "a", "b"))), "fetch");
        for asked in [waits.clone(), (false, Vec::new())] {
            assert_eq!(words(&engine.step(Millis(2), fetched(id(0), "a", true))), "plan", "{asked:?}");
            assert_eq!(words(&engine.step(Millis(3), planned(1, asked))), "begin");
            engine.step(Millis(4), Event::Begun { item: id(0), result: Ok(JobId(1)) });
            assert_eq!(words(&engine.step(Millis(5), posted())), "fetch");
        }
        assert_eq!(words(&engine.step(Millis(6), fetched(id(0), "a", true))), "record", "no plan asked for more");
    }
}

#[test]
fn plans_that_ask_for_more_for_ever_come_to_an_end() {
    let mut engine = engine(1);
    let planned = Planned { refused: vec![lost(3)], ..planned("a") };
    engine.step(Millis(1), observed(id(0), "a", "b"));
    let mut posts = 0;
    while words(&engine.step(Millis(2), fetched(id(0), "a", true))) == "plan" {
        engine.step(Millis(3), Event::Planned { item: id(0), result: Ok(planned.clone()) });
        engine.step(Millis(4), Event::Begun { item: id(0), result: Ok(JobId(1)) });
        engine.step(Millis(5), Event::Posted { item: id(0), result: Posted::Accepted(None) });
        posts += 1;
    }
    assert_eq!(posts, 4);
}

#[test]
fn a_file_that_was_written_since_it_was_read_is_not_pushed() {
    let mut engine = engine(1);
    let planned = planned("half");
    engine.step(Millis(1), observed(id(0), "a", "half"));
    engine.step(Millis(2), fetched(id(0), "a", true));
    let begin = engine.step(Millis(3), Event::Planned { item: id(0), result: Ok(planned) });
    assert!(matches!(begin[..], [Effect::Begin { expect: Some(STAMP), .. }]), "{begin:?}");
    // Nobody has said that it was written, so nobody knows whether that has ended.
    let after = engine.step(Millis(4), Event::Begun { item: id(0), result: Err(NotDone::Moved) });
    assert_eq!(words(&after), "");
    assert_eq!(words(&engine.step(Millis(300), Event::Tick)), "");
    assert_eq!(words(&engine.step(Millis(404), Event::Tick)), "observe");
    engine.step(Millis(405), observed(id(0), "a", "half a save"));
    assert_eq!(words(&engine.step(Millis(406), fetched(id(0), "a", true))), "record", "it was read once");
}

#[test]
fn a_remote_edit_that_met_a_touch_arrives_though_the_file_did_not_change() {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a", "a"));
    let poll = Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) };
    assert_eq!(words(&engine.step(Millis(2), poll)), "observe");
    assert_eq!(words(&engine.step(Millis(3), observed(id(0), "a", "a"))), "fetch");
    engine.step(Millis(4), touched());
    assert_eq!(words(&engine.step(Millis(5), fetched(id(0), "b", true))), "record");
    engine.step(Millis(6), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(words(&engine.step(Millis(54), Event::Tick)), "observe");
    assert_eq!(words(&engine.step(Millis(55), observed(id(0), "a", "a"))), "fetch", "the base is behind the remote");
    assert_eq!(words(&engine.step(Millis(56), fetched(id(0), "b", true))), "deposit");
}

/// What a status says of what went with pushes, by line.
pub(super) fn told(engine: &Engine) -> Vec<u32> {
    let parts = engine.status().items.into_iter().flat_map(|item| item.parts);
    parts.flat_map(|part| part.told).map(|notice| notice.line).collect()
}

pub(super) fn lost(line: u32) -> Notice {
    Notice { code: "COMMENT_LOST".into(), line, column: 0, message: "`x` is gone".into() }
}

/// Plans a push with which something goes, and posts it with this result.
fn post(engine: &mut Engine, line: u32, result: Posted) -> Vec<Effect> {
    let planned = Planned { told: vec![lost(line)], ..planned("b") };
    engine.step(Millis(3), Event::Planned { item: id(0), result: Ok(planned) });
    assert_eq!(told(engine), Vec::<u32>::new(), "nothing has landed yet");
    engine.step(Millis(4), Event::Begun { item: id(0), result: Ok(JobId(1)) });
    engine.step(Millis(5), Event::Posted { item: id(0), result })
}

pub(super) fn recorded(effects: &[Effect]) -> Vec<Notice> {
    let record = |effect: &Effect| if let Effect::Record(record) = effect { Some(record.clone()) } else { None };
    effects.iter().filter_map(record).flat_map(|record| record.parts).flat_map(|part| part.told.notices).collect()
}

#[test]
fn what_went_with_a_push_that_landed_is_told_until_it_was_seen() {
    let unknown = || {
        Posted::Unknown(Failure {
            class: FailureClass::Transient,
            retry_after_ms: None,
            message: "lost".into(),
            kind: "network".into(),
            suggestion: "-".into(),
        })
    };
    for (result, landed, kept) in [
        (Posted::Accepted(None), "b", true),
        (unknown(), "b", true),
        (unknown(), "a", false),
        (Posted::Stale, "a", false),
        (Posted::Refused("no".into()), "a", false),
    ] {
        let mut engine = engine(1);
        engine.step(Millis(1), observed(id(0), "a", "b"));
        engine.step(Millis(2), fetched(id(0), "a", true));
        let refused = matches!(result, Posted::Refused(_));
        let effects = post(&mut engine, 1, result);
        let mut remote = fetched(id(0), landed, true);
        if let Event::Fetched { result: Ok(remote), .. } = &mut remote {
            remote.revision = Some(Revision(if landed == "b" { "2" } else { "1" }.into()));
        }
        let effects = if refused { effects } else { engine.step(Millis(6), remote) };
        assert_eq!(told(&engine), if kept { vec![1] } else { Vec::new() }, "{effects:?}");
        assert_eq!(recorded(&effects), if kept { vec![lost(1)] } else { Vec::new() }, "{effects:?}");
        if !kept {
            continue;
        }
        engine.step(Millis(7), Event::Recorded { item: id(0), result: Ok(()) });
        // What came since it was read stays.
        let seen = |line| Command::Seen { item: id(0), part: PartId::default(), notices: vec![lost(line)] };
        for (line, stays) in [(2, vec![1]), (1, vec![])] {
            let effects = engine.step(Millis(8), Event::Asked { request: RequestId(1), command: seen(line) });
            assert_eq!(words(&effects), "told done");
            assert_eq!(told(&engine), stays);
        }
    }
}

#[test]
fn a_dry_run_that_waits_for_googles_limits_reads_once() {
    let limits = Limits { reads: 2, writes: 1 };
    let mut engine = Engine::new(Settings { limits, ..Settings::default() });
    engine.load(Millis(0), Loaded { rows: vec![row(0)], ..Loaded::default() });
    engine.step(Millis(0), observed(id(0), "a", "a"));
    for request in [RequestId(1), RequestId(2)] {
        engine.step(Millis(0), Event::Asked { request, command: Command::Fetch(id(0)) });
        engine.step(Millis(0), observed(id(0), "a", "a"));
        engine.step(Millis(0), fetched(id(0), "a", true));
        engine.step(Millis(0), Event::Recorded { item: id(0), result: Ok(()) });
    }
    let command = Command::Push { item: id(0), accept: None, dry_run: true };
    engine.step(Millis(1), Event::Asked { request: RequestId(3), command });
    assert_eq!(words(&engine.step(Millis(2), observed(id(0), "a", "b"))), "", "no call is free");
    assert_eq!(words(&engine.step(Millis(60_001), Event::Tick)), "sweep observe");
    assert_eq!(words(&engine.step(Millis(60_002), observed(id(0), "a", "b"))), "fetch");
    assert_eq!(words(&engine.step(Millis(60_003), fetched(id(0), "c", true))), "done");
}

#[test]
fn a_dry_run_takes_nothing_in() {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a", "a"));
    let command = Command::Push { item: id(0), accept: None, dry_run: true };
    engine.step(Millis(2), Event::Asked { request: RequestId(1), command });
    // The feed names it while the dry run reads it.
    let cursor = Cursor("1".into());
    engine.step(Millis(2), Event::Polled(Ok(Feed { changed: vec![id(0)], vanished: Vec::new(), cursor })));
    let mut effects = engine.step(Millis(3), observed(id(0), "a", "a"));
    effects.extend(engine.step(Millis(4), fetched(id(0), "b", true)));
    assert_eq!(words(&effects), "fetch done observe");
    engine.step(Millis(5), observed(id(0), "a", "a"));
    assert_eq!(words(&engine.step(Millis(6), fetched(id(0), "b", true))), "deposit");
}

#[test]
fn a_doubted_file_whose_second_reading_is_due_during_the_walk_is_merged_in_the_next() {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a\n", "b\n"));
    engine.step(Millis(2), fetched(id(0), "c\n", true));
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(engine.status().items[0].parts[0].conflicts.len(), 1);
    // Events were lost, and the document says what the file says by now.
    engine.step(Millis(4), Event::Rescan);
    engine.step(Millis(5), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(6), observed(id(0), "a\n", "b\n"));
    engine.step(Millis(10_000), Event::Tick);
    engine.step(Millis(10_001), fetched(id(0), "b\n", true));
    engine.step(Millis(10_002), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(words(&engine.step(Millis(10_003), observed(id(0), "a\n", "b\n"))), "fetch");
    let effects = engine.step(Millis(10_004), fetched(id(0), "b\n", true));
    assert!(words(&effects).contains("record"), "{}", words(&effects));
    assert_eq!(engine.status().items[0].parts[0].conflicts.len(), 0);
}

#[test]
fn a_second_reading_counts_until_the_walk_has_its_turn() {
    let mut engine = Engine::new(Settings { limits: Limits { reads: 2, ..Limits::USER }, ..Settings::default() });
    engine.load(Millis(0), Loaded { rows: vec![row(0)], ..Loaded::default() });
    let empty = || observed(id(0), "-", "");
    engine.step(Millis(1), empty());
    // The minute's call goes to the first reading; the file is read again before there is another one.
    engine.step(Millis(2), fetched(id(0), "a\n", true));
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(words(&engine.step(Millis(1_000), Event::Tick)), "observe");
    assert_eq!(words(&engine.step(Millis(1_001), empty())), "");
    assert!(words(&engine.step(Millis(60_003), Event::Tick)).contains("observe"));
    let mut effects = engine.step(Millis(60_004), empty());
    if words(&effects) == "fetch" {
        effects = engine.step(Millis(60_005), fetched(id(0), "a\n", true));
    }
    assert!(words(&effects).contains("deposit"), "{}", words(&effects));
}
