//! Saves of files of which nothing is known from before, since the state was lost.

use crate::model::{Millis, PartId, Stamp};

use super::super::Loaded;
use super::super::{Arrival, Blind, Command, Effect, Engine, Event, JobId, Local, Posted, RequestId, Settings};
use super::crashes::{desired, noted};
use super::decisions::{engine, fetched, id, observed, planned, row, words};

const NOW: u64 = 1_800_000_000_000;
const DAY: u64 = 24 * 60 * 60 * 1000;

/// A file that was read at a time, having changed some days before `NOW`.
fn seen(base: &str, text: &str, days: u64) -> Event {
    let Event::Observed { item, mut parts } = observed(id(0), base, text) else { unreachable!() };
    if let Local::Text { stamp, .. } = &mut parts[0].local {
        let at = i128::from(NOW - days * DAY) * 1_000_000;
        *stamp = Stamp { mtime_ns: at, ctime_ns: at, ..*stamp };
    }
    Event::Observed { item, parts }
}

/// An engine that knows that there is an item, and nothing of its file.
fn unknown_item() -> Engine {
    let mut engine = Engine::new(Settings::default());
    let mut row = row(0);
    row.parts.clear();
    engine.load(Millis(NOW), Loaded { rows: vec![row], ..Loaded::default() });
    engine
}

/// An engine that has found a file of which it knows nothing, and its document.
fn found(file: &str, remote: &str, days: u64) -> (Engine, Vec<Effect>) {
    let mut engine = unknown_item();
    engine.step(Millis(NOW), seen("-", file, days));
    let effects = engine.step(Millis(NOW), fetched(id(0), remote, true));
    engine.step(Millis(NOW), Event::Recorded { item: id(0), result: Ok(()) });
    (engine, effects)
}

/// Saves a text at a time; tells what follows, and why the file waits.
fn save(engine: &mut Engine, [base, text]: [&str; 2], now: u64) -> (String, Vec<String>) {
    engine.step(Millis(now), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(now), seen(base, text, 0));
    let effects = engine.step(Millis(now), fetched(id(0), base, true));
    let held = engine.status().items[0].parts[0].held.iter().map(|held| held.code.clone()).collect();
    (words(&effects), held)
}

#[test]
fn the_first_save_after_a_lost_state_waits() {
    let text = "one\n\ntwo\n";
    for (edited, days, now, waits) in [
        ("one\n", 1, NOW, true),
        // What it still has may have gone from the document, too.
        ("one\n\ntwo\n\nthree\n", 1, NOW, true),
        ("one\n", 8, NOW, false),
        ("one\n", 6, NOW + 2 * DAY, false),
        ("one\n\ntwo\n\n\n", 1, NOW, false),
    ] {
        let (mut engine, effects) = found(text, text, days);
        assert_eq!(words(&effects), "record");
        let (effects, held) = save(&mut engine, [text, edited], now);
        assert_eq!(held, if waits { vec!["STATE_LOST"] } else { Vec::new() }, "{edited:?} {days} {effects}");
        assert_eq!(effects.contains("plan"), !waits && edited.trim() != text.trim(), "{edited:?} {days} {effects}");
    }
}

/// Lets the first save of a file go; tells why a `later` one waits.
fn after_one_was_let_go(later: &str) -> Vec<String> {
    let text = "one\n\ntwo\n";
    let (mut engine, _) = found(text, text, 1);
    let edited = "one\n\ntwo and more\n";
    assert_eq!(save(&mut engine, [text, edited], NOW).1, ["STATE_LOST"]);
    engine.step(Millis(NOW + 1), Event::Recorded { item: id(0), result: Ok(()) });
    let accept = Command::Push { item: id(0), accept: Some(PartId::default()), dry_run: false };
    engine.step(Millis(NOW + 2), Event::Asked { request: RequestId(2), command: accept });
    engine.step(Millis(NOW + 2), seen(text, edited, 0));
    let effects = engine.step(Millis(NOW + 3), fetched(id(0), text, true));
    assert_eq!(words(&effects), "plan");
    engine.step(Millis(NOW + 3), Event::Planned { item: id(0), result: Ok(planned(edited)) });
    engine.step(Millis(NOW + 3), Event::Begun { item: id(0), result: Ok(JobId(1)) });
    engine.step(Millis(NOW + 3), Event::Posted { item: id(0), result: Posted::Accepted(None) });
    let effects = engine.step(Millis(NOW + 3), fetched(id(0), edited, true));
    assert_eq!(words(&effects), "record");
    engine.step(Millis(NOW + 3), Event::Recorded { item: id(0), result: Ok(()) });
    save(&mut engine, [edited, later], NOW + 4).1
}

#[test]
fn who_goes_on_from_a_save_that_was_let_go_has_read_the_file() {
    assert_eq!(after_one_was_let_go("one\n\ntwo and more of it\n"), Vec::<String>::new());
    // Another editor still has the text from before the loss.
    assert_eq!(after_one_was_let_go("one\n\ntwo\n\nolder\n"), ["STATE_LOST"]);
}

#[test]
fn an_edit_from_before_the_loss_is_in_conflict_and_nothing_else() {
    // Nothing is agreed, so both texts are shown; nobody has saved anything since.
    let (mut engine, effects) = found("one mine\n", "one\n", 1);
    assert_eq!(words(&effects), "conflict record");
    let base = effects
        .iter()
        .find_map(|effect| if let Effect::Record(record) = effect { Some(record.parts[0].base.clone()) } else { None });
    engine.step(Millis(NOW), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(NOW), seen(&base.unwrap(), "one mine\n", 1));
    engine.step(Millis(NOW), fetched(id(0), "one\n", true));
    let part = &engine.status().items[0].parts[0];
    assert!(part.held.is_empty() && part.conflicts.len() == 1, "{part:?}");
}

/// An engine that has written the file of a document where none stood, when the state was lost some days before `NOW`.
fn fetched_anew(text: &str, lost_days: Option<u64>) -> Engine {
    let mut engine = Engine::new(Settings::default());
    let lost_at = lost_days.map(|days| Millis(NOW - days * DAY));
    let mut row = row(0);
    row.parts.clear();
    engine.load(Millis(NOW), Loaded { rows: vec![row], lost_at, ..Loaded::default() });
    engine.step(Millis(NOW), observed(id(0), "-", "-"));
    engine.step(Millis(NOW), fetched(id(0), text, true));
    engine.step(
        Millis(NOW),
        Event::Deposited { item: id(0), part: PartId::default(), result: Ok(super::decisions::STAMP) },
    );
    engine.step(Millis(NOW), Event::Recorded { item: id(0), result: Ok(()) });
    engine
}

#[test]
fn a_file_may_have_been_thrown_away_before_the_state_was_lost() {
    let [text, older] = ["one two\n", "one\n"];
    for (lost_days, now, waits) in
        [(None, NOW, false), (Some(1), NOW, true), (Some(8), NOW, false), (Some(6), NOW + 2 * DAY, false)]
    {
        let mut engine = fetched_anew(text, lost_days);
        let (effects, held) = save(&mut engine, [text, older], now);
        assert_eq!(held, if waits { vec!["STATE_LOST"] } else { Vec::new() }, "{lost_days:?} {now} {effects}");
        assert_eq!(effects.contains("plan"), !waits, "{lost_days:?} {now} {effects}");
    }
}

#[test]
fn a_file_that_the_daemon_wrote_first_is_no_unknown_one() {
    let mut engine = engine(1);
    engine.step(Millis(NOW), observed(id(0), "-", "-"));
    engine.step(Millis(NOW), fetched(id(0), "one\n", true));
    engine.step(
        Millis(NOW),
        Event::Deposited { item: id(0), part: PartId::default(), result: Ok(super::decisions::STAMP) },
    );
    engine.step(Millis(NOW), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(save(&mut engine, ["one\n", "one two\n"], NOW).1, Vec::<String>::new());
}

/// An engine of which a first life has found a file that says `file` and written its document's `text` into it, and has died before
/// that was recorded; the document says `remote` now.
fn died_writing(file: &str, text: &str, remote: &str) -> (Engine, Vec<Effect>) {
    let (_, effects) = found(file, text, 0);
    let intent = noted(&effects);
    let mut engine = unknown_item();
    let Event::Observed { item, mut parts } = seen("-", text, 0) else { unreachable!() };
    parts[0].intent = Some(intent);
    engine.step(Millis(NOW), Event::Observed { item, parts });
    let effects = engine.step(Millis(NOW), fetched(id(0), remote, true));
    (engine, effects)
}

#[test]
fn an_editor_that_was_writing_when_the_state_was_lost_is_asked() {
    let head = "---\nid: i0\n---\n";
    let text = format!("{head}\none\n\ntwo theirs\n");
    let edited = text.replace(" theirs", "");
    let (mut engine, effects) = found(head, &text, 0);
    assert_eq!(words(&effects), "deposit");
    let stamp = super::decisions::STAMP;
    engine.step(Millis(NOW), Event::Deposited { item: id(0), part: PartId::default(), result: Ok(stamp) });
    engine.step(Millis(NOW), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(save(&mut engine, [&text, &edited], NOW + 1).1, ["STATE_LOST"]);
    // So it is if the daemon died before it had recorded that.
    let (mut engine, effects) = died_writing(head, &text, &text);
    assert_eq!(words(&effects), "record");
    engine.step(Millis(NOW), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(save(&mut engine, [&text, &edited], NOW + 1).1, ["STATE_LOST"]);
    // And if it dies once more, while the next text comes.
    let (_, effects) = died_writing(head, &text, &format!("{text}\nthree\n"));
    assert!(noted(&effects).blind.is_some());
}

#[test]
fn nothing_tells_what_a_file_said_of_which_nothing_was_agreed() {
    let [text, older] = ["one two\n", "one mine\n"];
    for (base, waits) in [("", true), (text, false)] {
        let mut engine = Engine::new(Settings::default());
        engine.step(Millis(NOW), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
        engine.step(Millis(NOW), observed(id(0), base, "-"));
        let effects = engine.step(Millis(NOW), fetched(id(0), text, true));
        assert!(words(&effects).contains("deposit"), "{}", words(&effects));
        let result = Ok(super::decisions::STAMP);
        engine.step(Millis(NOW), Event::Deposited { item: id(0), part: PartId::default(), result });
        engine.step(Millis(NOW), Event::Recorded { item: id(0), result: Ok(()) });
        let (_, held) = save(&mut engine, [text, older], NOW);
        assert_eq!(held, if waits { vec!["STATE_LOST"] } else { Vec::new() }, "{base:?}");
    }
}

#[test]
fn what_is_not_known_of_a_file_is_not_forgotten_with_its_item() {
    let text = "one\n\ntwo\n";
    for (until, waits) in [(NOW + DAY, true), (NOW, false)] {
        let mut engine = Engine::new(Settings::default());
        engine.load(Millis(NOW), Loaded::default());
        engine.step(Millis(NOW), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
        let Event::Observed { item, mut parts } = seen(text, "one\n", 0) else { unreachable!() };
        parts[0].blind = Some(Blind { until: Millis(until), read: Vec::new() });
        engine.step(Millis(NOW), Event::Observed { item, parts });
        let effects = words(&engine.step(Millis(NOW), fetched(id(0), text, true)));
        assert_eq!(effects.contains("plan"), !waits, "{effects}");
        let held = engine.status().items[0].parts[0].held.iter().map(|held| held.code.clone()).collect::<Vec<_>>();
        assert_eq!(held, if waits { vec!["STATE_LOST"] } else { Vec::new() });
    }
}

#[test]
fn who_lets_a_first_save_go_lets_go_nothing_that_came_since() {
    let text = "one\n\ntwo\n";
    let (mut engine, _) = found(text, text, 1);
    let (there, saved) = ("one\n\ntwo\n\ntheirs came here\n", "one\n\nmine\n");
    for accept in [None, Some(PartId::default())] {
        let command = Command::Push { item: id(0), accept: accept.clone(), dry_run: false };
        engine.step(Millis(NOW), Event::Asked { request: RequestId(1), command });
        let Event::Observed { item, mut parts } = seen(there, saved, 0) else { unreachable!() };
        parts[0].arrivals = vec![Arrival { before: text.into(), after: there.into(), base: text.into() }];
        engine.step(Millis(NOW), Event::Observed { item, parts });
        let effects = engine.step(Millis(NOW), fetched(id(0), there, true));
        if accept.is_none() {
            let held = &engine.status().items[0].parts[0].held[0];
            assert!(held.code == "STATE_LOST" && held.message.contains("(without `two`, with `mine`)"), "{held:?}");
            engine.step(Millis(NOW), Event::Recorded { item: id(0), result: Ok(()) });
        } else {
            assert_eq!(desired(&effects), Some("one\n\nmine\n\ntheirs came here\n"), "{}", words(&effects));
        }
    }
}
