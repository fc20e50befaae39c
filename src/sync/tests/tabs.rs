//! The files of a document with several tabs, and what becomes of them when it or one of its tabs goes.

use crate::model::{Cursor, Millis, PartId};

use super::super::{
    Command, Effect, Engine, Event, FailureClass, Loaded, NotDone, Observation, RecordPart, RequestId, Row, RowPart,
    Settings, Touch,
};
use super::crashes::failure;
use super::decisions::{STAMP, engine, fetched, id, observed, row, words};
use super::gone::told_of;

/// An item with two files: an unedited one, and one of another part, with the text agreed on of it.
fn observed_beside(another: &PartId, base: &str, text: &str) -> Event {
    let Event::Observed { item, mut parts } = observed(id(0), "a\n", "a\n") else { unreachable!() };
    let Event::Observed { parts: others, .. } = observed(id(0), base, text) else { unreachable!() };
    parts.extend(others.into_iter().map(|other| Observation { part: another.clone(), ..other }));
    Event::Observed { item, parts }
}

#[test]
fn a_file_that_is_put_back_leaves_those_beside_it_away() {
    let tab = PartId("t.1".into());
    let both = |main: &str, beside: &str| {
        let Event::Observed { parts, .. } = observed(id(0), "a\n", main) else { unreachable!() };
        let Event::Observed { item, parts: mut all } = observed_beside(&tab, "b\n", beside) else { unreachable!() };
        all.splice(..1, parts);
        Event::Observed { item, parts: all }
    };
    let hidden = |engine: &Engine| engine.status().items[0].parts.iter().map(|part| part.hidden).collect::<Vec<_>>();
    for is_killed in [false, true] {
        let mut engine = engine(1);
        engine.step(Millis(1), both("a\n", "b\n"));
        engine.step(Millis(2), told_of(true, "2"));
        engine.step(Millis(3), both("a\n", "b\n"));
        engine.step(Millis(4), fetched(id(0), "-", true));
        engine.step(Millis(4), Event::Recorded { item: id(0), result: Ok(()) });
        engine.step(Millis(5), Event::Retired { item: id(0), result: Ok(()) });
        // An editor that was open saves one of them.
        engine.step(Millis(10), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
        engine.step(Millis(11), both("a mine\n", "-"));
        let mut effects = engine.step(Millis(12), fetched(id(0), "-", true));
        let Some(Effect::Record(record)) = effects.pop() else { panic!("{}", words(&effects)) };
        engine.step(Millis(13), Event::Recorded { item: id(0), result: Ok(()) });
        if is_killed {
            let known = |part: &RecordPart| RowPart {
                part: part.part.clone(),
                stamp: part.stamp,
                hash: part.hash,
                ..row(0).parts.remove(0)
            };
            let row = Row { gone: record.gone, parts: record.parts.iter().map(known).collect(), ..row(0) };
            engine = Engine::new(Settings::default());
            let cursor = Some(Cursor("2".into()));
            engine.load(Millis(14), Loaded { rows: vec![row], cursor, ..Loaded::default() });
            engine.step(Millis(14), both("a mine\n", "-"));
            engine.step(Millis(14), fetched(id(0), "-", true));
            engine.step(Millis(14), Event::Recorded { item: id(0), result: Ok(()) });
        }
        assert_eq!(hidden(&engine), [false, false], "nobody has deleted it");
        engine.step(Millis(15), told_of(false, "3"));
        engine.step(Millis(16), both("a mine\n", "-"));
        let Event::Fetched { item, result: Ok(mut remote) } = fetched(id(0), "a mine\n", true) else { unreachable!() };
        remote.parts.push((tab.clone(), "b\n".into()));
        let effects = engine.step(Millis(17), Event::Fetched { item, result: Ok(remote) });
        let is_back = |effect: &Effect| matches!(effect, Effect::Deposit { part, .. } if *part == tab);
        assert!(effects.iter().any(is_back), "{}", words(&effects));
    }
}

#[test]
fn a_copy_of_a_tabs_file_is_told_of_as_long_as_it_stands() {
    let copy = PartId("t.1.copy".into());
    let told = |engine: &Engine| -> Vec<String> {
        let parts = engine.status().items.into_iter().flat_map(|item| item.parts);
        parts.flat_map(|part| part.refused).map(|notice| notice.code).collect()
    };
    let touched = |engine: &mut Engine, at: u64| {
        let touch = Event::Touched { item: id(0), part: copy.clone(), touch: Touch::Complete };
        engine.step(Millis(at), touch);
        assert_eq!(words(&engine.step(Millis(at + 5_000), Event::Tick)), "observe");
    };
    let mut engine = engine(1);
    engine.step(Millis(1), observed_beside(&copy, "-", "a\n"));
    engine.step(Millis(2), fetched(id(0), "a\n", true));
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(told(&engine), ["PART_UNKNOWN"]);
    touched(&mut engine, 10);
    engine.step(Millis(6_000), observed(id(0), "a\n", "a\n"));
    assert_eq!(told(&engine), Vec::<String>::new());
}

#[test]
fn what_waited_of_a_file_ends_with_its_tab() {
    let tab = PartId("t.1".into());
    let seen = || observed_beside(&tab, "b\n", "b mine\n");
    let conflicts =
        |engine: &Engine| engine.status().items[0].parts.iter().map(|part| part.conflicts.len()).sum::<usize>();
    let mut engine = engine(1);
    engine.step(Millis(1), seen());
    let Event::Fetched { item, result: Ok(mut remote) } = fetched(id(0), "a\n", true) else { unreachable!() };
    remote.parts.push((tab.clone(), "b theirs\n".into()));
    let effects = engine.step(Millis(2), Event::Fetched { item, result: Ok(remote) });
    assert_eq!((words(&effects).as_str(), conflicts(&engine)), ("conflict record", 1));
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    engine.step(Millis(4), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(5), seen());
    let effects = engine.step(Millis(6), fetched(id(0), "a\n", true));
    let is_put_away = |effect: &Effect| matches!(effect, Effect::PutConflict { part, text: None, .. } if *part == tab);
    assert!(effects.iter().any(is_put_away), "{effects:?}");
    assert_eq!(conflicts(&engine), 0);
    let refused: Vec<_> = engine.status().items[0].parts.iter().flat_map(|part| part.refused.clone()).collect();
    assert_eq!(refused.iter().map(|refused| refused.code.as_str()).collect::<Vec<_>>(), ["PART_GONE"]);
}

#[test]
fn a_file_that_was_deleted_here_is_told_of_no_more_once_its_tab_is() {
    let tab = PartId("t.1".into());
    let mut engine = engine(1);
    engine.step(Millis(1), observed_beside(&tab, "b\n", "-"));
    let stand = |engine: &Engine| engine.status().items[0].parts.iter().map(|part| part.hidden).collect::<Vec<_>>();
    assert_eq!(stand(&engine), [false, true]);
    engine.step(Millis(2), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(3), observed_beside(&tab, "b\n", "-"));
    let effects = words(&engine.step(Millis(4), fetched(id(0), "a\n", true)));
    assert!(effects.contains("record"), "{effects}");
    assert_eq!(stand(&engine), [false]);
}

#[test]
fn the_file_of_a_tab_that_is_gone_is_put_away_unless_somebody_has_edited_it() {
    let tab = PartId("t.1".into());
    let asked = || Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) };
    let put_away = |effects: &[Effect]| -> Vec<PartId> {
        let part = |effect: &Effect| if let Effect::PutAway { part, .. } = effect { Some(part.clone()) } else { None };
        effects.iter().filter_map(part).collect()
    };
    for (says, is_saved, is_dry, goes) in [
        ("b\n", false, false, true),
        // The blanks of a line's end are nobody's edit.
        ("b\n\n", false, false, true),
        ("b mine\n", false, false, false),
        // Half of a save may say what was agreed.
        ("b\n", true, false, false),
        ("b\n", false, true, false),
    ] {
        let mut engine = engine(1);
        engine.step(Millis(1), observed_beside(&tab, "b\n", "b\n"));
        let command = Command::Push { item: id(0), accept: None, dry_run: true };
        let dry = Event::Asked { request: RequestId(1), command };
        engine.step(Millis(2), if is_dry { dry } else { asked() });
        if is_saved {
            let touch = Touch::Modified { closes: true };
            engine.step(Millis(2), Event::Touched { item: id(0), part: tab.clone(), touch });
        }
        engine.step(Millis(3), observed_beside(&tab, "b\n", says));
        let effects = engine.step(Millis(4), fetched(id(0), "a\n", true));
        let told = format!("{says:?} {is_saved} {is_dry}: {}", words(&effects));
        assert_eq!(put_away(&effects), if goes { vec![tab.clone()] } else { Vec::new() }, "{told}");
        let place = |name: &str| words(&effects).split(' ').position(|word| word == name);
        assert!(is_dry || !goes || effects.len() > 1 && place("record") == Some(effects.len() - 1), "{told}");
        let known = engine.status().items[0].parts.iter().any(|part| part.part == tab);
        assert_eq!(known, !goes, "{told}");
    }
}

#[test]
fn a_document_that_goes_once_more_before_its_files_are_back_takes_them_along() {
    let tab = PartId("t.1".into());
    let read = |main: &str| {
        let Event::Observed { parts, .. } = observed(id(0), "a\n", main) else { unreachable!() };
        let Event::Observed { item, parts: mut all } = observed_beside(&tab, "b\n", "-") else { unreachable!() };
        all.splice(..1, parts);
        Event::Observed { item, parts: all }
    };
    for (is_first_back, ends) in [(true, "record"), (false, "cursor")] {
        let mut engine = engine(1);
        engine.step(Millis(1), observed_beside(&tab, "b\n", "b\n"));
        engine.step(Millis(2), told_of(true, "2"));
        engine.step(Millis(3), observed_beside(&tab, "b\n", "b\n"));
        engine.step(Millis(4), fetched(id(0), "-", true));
        engine.step(Millis(4), Event::Recorded { item: id(0), result: Ok(()) });
        engine.step(Millis(5), Event::Retired { item: id(0), result: Ok(()) });
        // It comes back, and one of its files, or none, can be written.
        engine.step(Millis(6), told_of(false, "3"));
        engine.step(Millis(7), read("-"));
        let Event::Fetched { item, result: Ok(mut remote) } = fetched(id(0), "a\n", true) else { unreachable!() };
        remote.parts.push((tab.clone(), "b\n".into()));
        engine.step(Millis(8), Event::Fetched { item, result: Ok(remote) });
        let deposited = |part: PartId, result| Event::Deposited { item: id(0), part, result };
        if is_first_back {
            assert_eq!(words(&engine.step(Millis(9), deposited(PartId::default(), Ok(STAMP)))), "deposit");
        }
        let part = if is_first_back { tab.clone() } else { PartId::default() };
        engine.step(Millis(10), deposited(part, Err(NotDone::Failed(failure(FailureClass::Permanent)))));
        // And goes again.
        engine.step(Millis(11), told_of(true, "4"));
        engine.step(Millis(1_000_000), Event::Tick);
        engine.step(Millis(1_000_001), read(if is_first_back { "a\n" } else { "-" }));
        let effects = words(&engine.step(Millis(1_000_002), fetched(id(0), "-", true)));
        assert_eq!(effects, ends, "{is_first_back}");
        if is_first_back {
            let effects = engine.step(Millis(1_000_003), Event::Recorded { item: id(0), result: Ok(()) });
            assert!(effects.iter().any(|effect| matches!(effect, Effect::Retire { bury: true, .. })));
            engine.step(Millis(1_000_004), Event::Retired { item: id(0), result: Ok(()) });
        }
        // Whoever looks next asks whether it is in the trash.
        engine.step(Millis(2_000_000), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
        let effects = engine.step(Millis(2_000_001), read("-"));
        let asks = |effect: &Effect| matches!(effect, Effect::Fetch { may_be_trashed: true, .. });
        assert!(effects.iter().any(asks), "{}", words(&effects));
    }
}
