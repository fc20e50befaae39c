//! What was tried in vain waits for its time, whoever waits for an answer.

use crate::model::{Millis, PartId};

use super::super::quota::Limits;
use super::super::{
    Command, Effect, Engine, Event, FailureClass, JobId, Loaded, Local, Observation, Posted, RequestId, Settings, Touch,
};
use super::crashes::failure;
use super::decisions::{engine, fetched, id, observed, planned, row, words};

fn ask(engine: &mut Engine, at: u64, request: u64, dry_run: bool) -> Vec<Effect> {
    let command = Command::Push { item: id(0), accept: None, dry_run };
    engine.step(Millis(at), Event::Asked { request: RequestId(request), command })
}

/// Answers the plan of a push, and lets the push itself go without an answer.
fn push_in_vain(engine: &mut Engine, at: u64) -> String {
    engine.step(Millis(at), Event::Planned { item: id(0), result: Ok(planned("b\n")) });
    engine.step(Millis(at), Event::Begun { item: id(0), result: Ok(JobId(1)) });
    let result = Posted::Unknown(failure(FailureClass::Transient));
    words(&engine.step(Millis(at), Event::Posted { item: id(0), result }))
}

/// An engine of which a push has failed twice and is to be tried again later.
fn failed() -> Engine {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a\n", "b\n"));
    engine.step(Millis(1), fetched(id(0), "a\n", true));
    assert_eq!(push_in_vain(&mut engine, 1), "fetch");
    engine.step(Millis(2), fetched(id(0), "a\n", true));
    assert_eq!(push_in_vain(&mut engine, 2), "");
    engine
}

#[test]
fn a_dry_run_hurries_nothing_that_waits_for_its_time() {
    let mut engine = failed();
    let due = engine.status().items[0].next_retry.unwrap();
    assert_eq!(words(&ask(&mut engine, 3, 7, true)), "observe");
    assert_eq!(words(&engine.step(Millis(3), observed(id(0), "a\n", "b\n"))), "fetch");
    assert_eq!(words(&engine.step(Millis(3), fetched(id(0), "a\n", true))), "plan");
    let effects = engine.step(Millis(3), Event::Planned { item: id(0), result: Ok(planned("b\n")) });
    assert_eq!(words(&effects), "done");
    let status = engine.status();
    assert_eq!((status.items[0].next_retry, status.items[0].error.is_some()), (Some(due), true));
    assert!(words(&engine.step(due, Event::Tick)).contains("observe"));
}

#[test]
fn a_push_that_is_tried_again_is_told_to_have_failed_until_it_lands() {
    let mut engine = failed();
    let fails = |engine: &Engine| engine.status().items[0].error.is_some();
    let due = engine.status().items[0].next_retry.unwrap();
    engine.step(due, Event::Tick);
    assert!(fails(&engine));
    engine.step(due, observed(id(0), "a\n", "b\n"));
    engine.step(due, fetched(id(0), "a\n", true));
    assert!(fails(&engine), "it is planned anew");
    engine.step(due, Event::Planned { item: id(0), result: Ok(planned("b\n")) });
    engine.step(due, Event::Begun { item: id(0), result: Ok(JobId(2)) });
    assert!(fails(&engine), "it is on its way");
    engine.step(due, Event::Posted { item: id(0), result: Posted::Accepted(None) });
    assert!(!fails(&engine));
}

#[test]
fn a_push_that_failed_is_not_told_of_once_nothing_is_left_to_push() {
    let mut engine = failed();
    let due = engine.status().items[0].next_retry.unwrap();
    engine.step(due, Event::Tick);
    engine.step(due, observed(id(0), "a\n", "a\n"));
    engine.step(due, fetched(id(0), "a\n", true));
    engine.step(due, Event::Recorded { item: id(0), result: Ok(()) });
    assert!(engine.status().items[0].error.is_none());
}

#[test]
fn a_dry_run_goes_before_what_it_tells_of() {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a\n", "a\n"));
    ask(&mut engine, 1, 1, false);
    ask(&mut engine, 1, 2, false);
    ask(&mut engine, 1, 3, true);
    // The first push has begun; then comes the dry run, and the second push.
    let go = |engine: &mut Engine| {
        engine.step(Millis(2), observed(id(0), "a\n", "b\n"));
        engine.step(Millis(2), fetched(id(0), "a\n", true))
    };
    assert_eq!(words(&go(&mut engine)), "plan");
    assert_eq!(push_in_vain(&mut engine, 2), "fetch");
    engine.step(Millis(2), fetched(id(0), "a\n", true));
    assert_eq!(push_in_vain(&mut engine, 2), "failed observe");
    assert_eq!(words(&go(&mut engine)), "plan");
    let effects = engine.step(Millis(2), Event::Planned { item: id(0), result: Ok(planned("b\n")) });
    assert_eq!(words(&effects), "done observe");
}

#[test]
fn a_dry_run_needs_no_call_that_pushes_wait_for() {
    let limits = Limits { reads: 20, writes: 1 };
    let mut engine = Engine::new(Settings { limits, ..Settings::default() });
    let rows = (0..3).map(row).collect();
    engine.load(Millis(0), Loaded { rows, ..Loaded::default() });
    for number in 0..3 {
        let decided = words(&engine.step(Millis(1), observed(id(number), "a\n", "b\n")));
        assert_eq!(decided, if number == 0 { "fetch" } else { "" }, "one may push in a minute");
    }
    let dry_run = |engine: &mut Engine, number: usize| {
        let command = Command::Push { item: id(number), accept: None, dry_run: true };
        let asked = words(&engine.step(Millis(2), Event::Asked { request: RequestId(9), command }));
        let read = words(&engine.step(Millis(2), observed(id(number), "a\n", "b\n")));
        let planned = Event::Planned { item: id(number), result: Ok(planned("b\n")) };
        engine.step(Millis(2), fetched(id(number), "a\n", true));
        [asked, read, words(&engine.step(Millis(2), planned))].join(" ")
    };
    assert_eq!(dry_run(&mut engine, 1), "observe fetch done observe");
    assert_eq!(words(&engine.step(Millis(3), observed(id(1), "a\n", "b\n"))), "", "it waits as before");
    // Its turn is the one that it had: before the third.
    engine.step(Millis(4), fetched(id(0), "a\n", true));
    let (done, landed) = (Event::Planned { item: id(0), result: Ok(planned("b\n")) }, Posted::Accepted(None));
    engine.step(Millis(4), done);
    engine.step(Millis(4), Event::Begun { item: id(0), result: Ok(JobId(1)) });
    engine.step(Millis(4), Event::Posted { item: id(0), result: landed });
    engine.step(Millis(4), fetched(id(0), "b\n", true));
    engine.step(Millis(4), Event::Recorded { item: id(0), result: Ok(()) });
    let effects = engine.step(Millis(60_005), Event::Tick);
    let observes =
        effects.iter().filter_map(|effect| if let Effect::Observe { item } = effect { Some(item) } else { None });
    assert_eq!(observes.collect::<Vec<_>>(), [&id(1)], "{}", words(&effects));
}

/// An engine of one item whose file and remote say the same.
fn agreed(base: &str) -> Engine {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), base, base));
    engine.step(Millis(2), fetched(id(0), base, true));
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    engine
}

fn touch(engine: &mut Engine, at: u64) {
    engine.step(Millis(at), Event::Touched { item: id(0), part: PartId::default(), touch: Touch::Complete });
}

#[test]
fn a_text_that_ends_early_is_read_again_before_it_is_believed() {
    let base = "one\n\ntwo\n\nthree\n";
    let mut engine = agreed(base);
    let touched = |engine: &mut Engine, at: u64| {
        touch(engine, at);
        words(&engine.step(Millis(at + 50), Event::Tick))
    };
    assert_eq!(touched(&mut engine, 10), "observe");
    assert_eq!(words(&engine.step(Millis(60), observed(id(0), base, "one more\n"))), "");
    // More of it follows.
    assert_eq!(touched(&mut engine, 600), "observe");
    assert_eq!(words(&engine.step(Millis(650), observed(id(0), base, "one more\n\ntwo\n"))), "");
    assert_eq!(words(&engine.step(Millis(2_590), Event::Tick)), "");
    assert_eq!(words(&engine.step(Millis(2_600), Event::Tick)), "observe");
    // Nothing: its writer has deleted the end.
    assert_eq!(words(&engine.step(Millis(2_600), observed(id(0), base, "one more\n\ntwo\n"))), "fetch");
}

#[test]
fn who_asks_about_a_save_that_is_doubted_waits_until_it_is_believed() {
    let base = "one\n\ntwo\n\nthree\n";
    let mut engine = agreed(base);
    let walk = |engine: &mut Engine, at: u64, text: &str| {
        engine.step(Millis(at), observed(id(0), base, text));
        let mut effects = engine.step(Millis(at), fetched(id(0), base, true));
        effects.extend(engine.step(Millis(at), Event::Recorded { item: id(0), result: Ok(()) }));
        effects
    };
    // Somebody who never stops saving keeps nobody waiting for ever.
    assert_eq!(words(&ask(&mut engine, 3_000, 1, false)), "observe");
    for at in (3_000..8_000).step_by(1_000) {
        touch(&mut engine, at);
        assert_eq!(words(&walk(&mut engine, at + 1, base)), "record", "{at}");
        assert_eq!(words(&engine.step(Millis(at + 100), Event::Tick)), "observe");
    }
    touch(&mut engine, 8_000);
    assert_eq!(words(&walk(&mut engine, 8_001, base)), "record done");
    assert_eq!(words(&engine.step(Millis(8_100), Event::Tick)), "observe");
    walk(&mut engine, 8_101, base);
    // A save is told of while the walk that was asked for goes on, and then it lacks its end.
    assert_eq!(words(&ask(&mut engine, 9_000, 2, false)), "observe");
    touch(&mut engine, 9_001);
    assert_eq!(words(&walk(&mut engine, 9_002, base)), "record");
    assert_eq!(words(&engine.step(Millis(9_051), Event::Tick)), "observe");
    assert_eq!(words(&walk(&mut engine, 9_052, "one\n")), "record");
    assert_eq!(words(&engine.step(Millis(11_001), Event::Tick)), "observe");
    assert_eq!(words(&walk(&mut engine, 11_002, "one\n")), "plan");
}

#[test]
fn who_asks_about_a_save_that_was_passed_by_has_the_next_walk_though_it_is_quiet_by_then() {
    let mut engine = agreed("a\n");
    assert_eq!(words(&ask(&mut engine, 1_000, 1, false)), "observe");
    touch(&mut engine, 1_001);
    engine.step(Millis(1_002), observed(id(0), "a\n", "b\n"));
    assert_eq!(words(&engine.step(Millis(1_010), fetched(id(0), "a\n", true))), "record");
    // It is quiet before the record is on the disk.
    assert_eq!(words(&engine.step(Millis(1_051), Event::Tick)), "");
    let effects = engine.step(Millis(1_060), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(words(&effects), "observe", "nobody is answered");
    engine.step(Millis(1_061), observed(id(0), "a\n", "b\n"));
    assert_eq!(words(&engine.step(Millis(1_070), fetched(id(0), "a\n", true))), "plan");
}

#[test]
fn who_waits_for_a_restless_file_waits_with_it() {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a\n", "a\n"));
    ask(&mut engine, 1, 1, false);
    let restless = || {
        let (part, local) = (PartId::default(), Local::Restless);
        let parts = vec![Observation {
            part,
            base: Some("a\n".into()),
            local,
            intent: None,
            arrivals: Vec::new(),
            blind: None,
        }];
        Event::Observed { item: id(0), parts }
    };
    let mut now = Millis(1);
    for _ in 0..8 {
        assert_eq!(words(&engine.step(now, restless())), "");
        now = engine.status().items[0].next_retry.unwrap();
        assert!(words(&engine.step(now, Event::Tick)).contains("observe"));
    }
    // Who asks now does not wait.
    engine.step(now, restless());
    assert_eq!(words(&ask(&mut engine, now.0, 2, false)), "observe");
    engine.step(now, observed(id(0), "a\n", "a\n"));
    let mut effects = engine.step(now, fetched(id(0), "a\n", true));
    effects.extend(engine.step(now, Event::Recorded { item: id(0), result: Ok(()) }));
    assert_eq!(words(&effects), "record done done");
}

#[test]
fn what_cannot_be_read_is_told_and_tried_again() {
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), "a\n", "a\n"));
    ask(&mut engine, 1, 1, false);
    let unread = || Event::Unobserved { item: id(0), failure: failure(FailureClass::Permanent) };
    assert_eq!(words(&engine.step(Millis(1), unread())), "failed");
    let status = engine.status();
    assert!(status.items[0].error.is_some());
    let due = status.items[0].next_retry.unwrap();
    assert!(due <= Millis(1_001), "{due:?}");
    assert!(words(&engine.step(due, Event::Tick)).contains("observe"));
    // A file that reads again is what it was.
    engine.step(due, observed(id(0), "a\n", "a\n"));
    engine.step(due, fetched(id(0), "a\n", true));
    assert!(engine.status().items[0].error.is_none());
}

#[test]
fn a_pause_hides_no_halt() {
    let mut engine = engine(1);
    engine.step(Millis(1), Event::RootMissing);
    engine.step(Millis(2), Event::Asked { request: RequestId(1), command: Command::Pause });
    engine.step(Millis(3), Event::Asked { request: RequestId(2), command: Command::Pause });
    let status = engine.status();
    let halted = status.halted.unwrap();
    assert!(halted.message.contains("paused") && halted.message.matches("is missing").count() == 1, "{halted:?}");
    assert!(halted.suggestion.contains("folder") && status.left_ms.is_none(), "{halted:?}");
    engine.step(Millis(4), Event::Asked { request: RequestId(3), command: Command::Resume });
    assert!(engine.status().halted.is_none());
}
