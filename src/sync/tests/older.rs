//! Saves of an older text than the newest, as the engine meets them.

use crate::model::Millis;

use super::super::{Arrival, Event};
use super::decisions::{engine, fetched, id, observed, words};

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
