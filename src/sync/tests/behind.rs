//! Files that wait while the remote moves on, and then say again what was agreed on.

use crate::model::{Cursor, Millis, PartId};

use super::super::{Command, Effect, Engine, Event, Loaded, RequestId, Row, Settings, Touch};
use super::decisions::{engine, fetched, id, observed, row, words};

/// Whether a record says that the base of its file may be older than its version.
fn is_behind(effects: &[Effect]) -> Option<bool> {
    effects
        .iter()
        .find_map(|effect| if let Effect::Record(record) = effect { Some(record.parts[0].behind) } else { None })
}

/// Walks the only item, of which `a` is agreed on: the file says `local`, and the remote `remote`.
fn walk(engine: &mut Engine, local: &str, remote: &str) -> Vec<Effect> {
    engine.step(Millis(0), observed(id(0), "a", "a"));
    let command = Command::Push { item: id(0), accept: None, dry_run: false };
    engine.step(Millis(1), Event::Asked { request: RequestId(1), command });
    engine.step(Millis(1), observed(id(0), "a", local));
    let effects = engine.step(Millis(2), fetched(id(0), remote, true));
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    effects
}

#[test]
fn a_record_says_whether_its_base_is_older_than_its_version() {
    let check = |local: &str, remote: &str, behind: Option<bool>| {
        let effects = walk(&mut engine(1), local, remote);
        assert_eq!(is_behind(&effects), behind, "{local:?} {remote:?}: {}", words(&effects));
    };
    check("a", "a", Some(false));
    check("b", "b", Some(false));
    // In conflict, held, and deleted.
    check("b", "c", Some(true));
    check("", "c", Some(true));
    check("-", "c", Some(true));
}

#[test]
fn an_edit_in_conflict_that_is_taken_back_lets_the_other_side_in() {
    let mut engine = engine(1);
    assert_eq!(words(&walk(&mut engine, "b", "c")), "conflict record");
    engine.step(Millis(10), Event::Touched { item: id(0), part: PartId::default(), touch: Touch::Complete });
    assert_eq!(words(&engine.step(Millis(60), Event::Tick)), "observe");
    assert_eq!(words(&engine.step(Millis(61), observed(id(0), "a", "a"))), "fetch");
    assert_eq!(words(&engine.step(Millis(62), fetched(id(0), "c", true))), "deposit");
}

#[test]
fn a_file_that_is_back_without_a_word_lets_in_what_came_meanwhile() {
    let mut engine = engine(1);
    assert_eq!(words(&walk(&mut engine, "-", "c")), "record");
    // Its folder was moved away and back: nobody reports the file itself.
    assert_eq!(words(&engine.step(Millis(10), Event::Rescan)), "observe");
    assert_eq!(words(&engine.step(Millis(11), observed(id(0), "a", "a"))), "fetch");
    assert_eq!(words(&engine.step(Millis(12), fetched(id(0), "c", true))), "deposit");
}

#[test]
fn an_edit_that_waited_and_was_taken_back_unseen_lets_the_other_side_in() {
    let check = |behind: bool, decision: &str| {
        let mut engine = Engine::new(Settings::default());
        let mut parts = row(0).parts;
        parts[0].behind = behind;
        let rows = vec![Row { parts, ..row(0) }];
        engine.load(Millis(0), Loaded { rows, cursor: Some(Cursor("1".into())), ..Loaded::default() });
        assert_eq!(words(&engine.step(Millis(1), observed(id(0), "a", "a"))), decision);
    };
    check(true, "fetch");
    check(false, "");
}
