//! Saves that somebody sends though they wait, as the engine meets them.

use crate::model::{Millis, PartId};

use super::super::{Command, Effect, Engine, Event, JobId, Planned, Posted, RequestId, Side};
use super::crashes::desired;
use super::decisions::{STAMP, engine, fetched, id, observed, planned, words};
use super::older::saved;

const BEFORE: &str = "one\n\ntwo\n\nthree is long\n";
const AFTER: &str = "one\n\ntwo\n\nthree is long\n\ntheirs came here\n";
/// It opens a code block, and lacks what came.
const LOCAL: &str = "one\n\n```\ntwo\n\nthree is long\n";

fn codes(engine: &Engine) -> Vec<String> {
    engine.status().items[0].parts[0].held.iter().map(|held| held.code.clone()).collect()
}

fn accept(engine: &mut Engine, dry_run: bool) {
    let command = Command::Push { item: id(0), accept: Some(PartId::default()), dry_run };
    engine.step(Millis(4), Event::Asked { request: RequestId(1), command });
}

/// An engine of which somebody was told that `LOCAL` waits.
fn told() -> Engine {
    let mut engine = engine(1);
    saved(&mut engine, [BEFORE, AFTER, LOCAL, AFTER]);
    assert_eq!(codes(&engine), ["CODE_OPEN", "LACKS"]);
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    engine
}

/// Sends what is desired, and somebody else wrote before it came. Returns what had been told once it landed, and what follows.
fn overtaken(engine: &mut Engine, effects: &[Effect]) -> (Vec<String>, Vec<Effect>) {
    let says = desired(effects).unwrap_or_else(|| panic!("{} {:?}", words(effects), codes(engine)));
    assert!(!says.contains("theirs came here"), "{says}");
    let effects = engine.step(Millis(5), Event::Planned { item: id(0), result: Ok(planned(says)) });
    let [Effect::Begin { told, .. }] = &effects[..] else { panic!("{}", words(&effects)) };
    engine.step(Millis(5), Event::Begun { item: id(0), result: Ok(JobId(1)) });
    let next = engine.step(Millis(5), Event::Posted { item: id(0), result: Posted::Stale });
    (told.iter().map(|told| told.message.clone()).collect(), next)
}

#[test]
fn who_lets_a_save_go_is_not_asked_once_more_because_others_type() {
    let mut engine = told();
    accept(&mut engine, false);
    let mut remote = AFTER.to_owned();
    let mut effects = saved(&mut engine, [BEFORE, AFTER, LOCAL, &remote]);
    let mut waited = 0_u64;
    for _ in 0..6 {
        let (told, next) = overtaken(&mut engine, &effects);
        let is_told = |what: &str| told.iter().any(|told| told.contains(what));
        assert!(is_told("CODE_OPEN") && is_told("`theirs came here`"), "{told:?}");
        remote = remote.replace("one", "one more");
        if words(&next) == "fetch" {
            effects = engine.step(Millis(6), fetched(id(0), &remote, true));
            continue;
        }
        // They type on and on, so it waits; and somebody asks meanwhile what would go.
        waited += 1;
        for dry_run in [true, false] {
            if dry_run {
                let command = Command::Push { item: id(0), accept: None, dry_run };
                engine.step(Millis(7), Event::Asked { request: RequestId(2), command });
            } else {
                engine.step(Millis(waited * 300_000), Event::Tick);
            }
            effects = saved(&mut engine, [BEFORE, AFTER, LOCAL, &remote]);
            if dry_run {
                let says = desired(&effects).unwrap_or_else(|| panic!("{}", words(&effects)));
                engine.step(Millis(8), Event::Planned { item: id(0), result: Ok(planned(says)) });
            }
        }
    }
    assert!(waited > 1);
}

#[test]
fn what_a_save_is_held_for_since_somebody_let_it_go_is_asked() {
    let (before, after, local) = ("one\n\ntwo\n", "one\n", "one\n\ntwo\n\nmore\0\n");
    let mut engine = engine(1);
    saved(&mut engine, [before, before, local, before]);
    assert_eq!(codes(&engine), ["NUL"]);
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    accept(&mut engine, false);
    let mut effects = saved(&mut engine, [before, before, local, before]);
    let mut remote = before.to_owned();
    // They type, so that it is put off at last.
    let is_put_off = (0..20).any(|_| {
        remote = remote.replace("one", "one more");
        let (_, next) = overtaken(&mut engine, &effects);
        let goes_on = words(&next) == "fetch";
        if goes_on {
            effects = engine.step(Millis(6), fetched(id(0), &remote, true));
        }
        !goes_on
    });
    assert!(is_put_off);
    // While it waits, `two` goes from the document.
    engine.step(Millis(300_000), Event::Tick);
    let effects = saved(&mut engine, [before, after, local, after]);
    assert_eq!(desired(&effects), None);
    assert_eq!(codes(&engine), ["NUL", "DELETED_THERE"]);
}

#[test]
fn who_lets_a_save_go_lets_go_nothing_that_they_were_not_told_of() {
    let accepted = |engine: &mut Engine, local: &str, dry_run: bool| {
        accept(engine, dry_run);
        let effects = saved(engine, [BEFORE, AFTER, local, AFTER]);
        desired(&effects).unwrap_or_else(|| panic!("{}", words(&effects))).to_owned()
    };
    // Nobody has looked at it yet.
    let says = accepted(&mut engine(1), "one\n\ntwo more\n\nthree is long\n", false);
    assert!(says.contains("theirs came here"), "{says}");
    // It waits for something else, which names what goes, too.
    for is_told in [true, false] {
        let mut engine = engine(1);
        if !is_told {
            engine.step(Millis(1), observed(id(0), AFTER, AFTER));
            accept(&mut engine, false);
        }
        let effects = saved(&mut engine, [BEFORE, AFTER, LOCAL, AFTER]);
        let held = engine.status().items[0].parts[0].held.clone();
        assert_eq!(
            held.iter().map(|held| &*held.code).collect::<Vec<_>>(),
            ["CODE_OPEN", "LACKS"],
            "{}",
            words(&effects)
        );
        assert!(held[1].message.contains("`theirs came here`"), "{held:?}");
        engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
        // A dry run, which says the same, takes no reason away.
        for dry_run in [true, false] {
            let says = accepted(&mut engine, LOCAL, dry_run);
            assert!(!says.contains("theirs came here"), "{dry_run} {says}");
            let codes = engine.status().items[0].parts[0].held.len();
            assert_eq!(codes, if dry_run { 2 } else { 0 });
            engine.step(Millis(5), Event::Planned { item: id(0), result: Ok(planned(&says)) });
        }
    }
    // What was put back goes once it is deleted once more.
    let mut engine = engine(1);
    let local = "one\n\ntwo more\n\nthree is long\n";
    let effects = saved(&mut engine, [BEFORE, AFTER, local, AFTER]);
    let both = desired(&effects).map(str::to_owned).unwrap();
    engine.step(Millis(3), Event::Planned { item: id(0), result: Ok(Planned { requests: 0, ..planned(&both) }) });
    engine.step(Millis(3), Event::Deposited { item: id(0), part: PartId::default(), result: Ok(STAMP) });
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    let says = accepted(&mut engine, "one\n\ntwo more words\n\nthree is long\n", false);
    assert_eq!(says, "one\n\ntwo more words\n\nthree is long\n");
}

#[test]
fn places_that_are_counted_alone_go_with_those_that_are_named() {
    let with = |count: usize| -> String {
        let came = |number: usize| if number <= count { format!(" came{number}") } else { String::new() };
        let said = |number: usize| format!("\nThis is what paragraph {number} says of it{}.\n", came(number));
        (1..=9).map(said).fold(BEFORE.to_owned(), |text, said| text + &said)
    };
    let [none, seven, agreed] = [0, 7, 9].map(with);
    let local = none.replace("two\n", "```\ntwo\n");
    let mut engine = engine(1);
    saved(&mut engine, [&none, &seven, &local, &seven]);
    let held = engine.status().items[0].parts[0].held.clone();
    assert!(held.iter().any(|held| held.message.contains("and 2 more places")), "{held:?}");
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    accept(&mut engine, true);
    let effects = saved(&mut engine, [&none, &seven, &local, &seven]);
    let says = desired(&effects).unwrap_or_else(|| panic!("{}", words(&effects)));
    assert!((1..=7).all(|number| !says.contains(&format!("came{number}"))), "{says}");
    engine.step(Millis(3), Event::Planned { item: id(0), result: Ok(planned(says)) });
    // More came since: that many were not told of.
    accept(&mut engine, false);
    let effects = saved(&mut engine, [&none, &agreed, &local, &agreed]);
    assert_eq!(desired(&effects), None);
    let held = engine.status().items[0].parts[0].held.clone();
    assert!(held.iter().any(|held| held.message.contains("and 4 more places")), "{held:?}");
}

/// What a save that is let go meets: `theirs` stands where it deletes. Returns the engine, in which that was answered.
fn let_go_into_a_conflict(local: &str, base: &str, theirs: &str) -> Engine {
    let mut engine = engine(1);
    saved(&mut engine, [base, base, local, base]);
    assert_eq!(codes(&engine), ["SHRUNK"]);
    engine.step(Millis(3), Event::Recorded { item: id(0), result: Ok(()) });
    accept(&mut engine, false);
    let effects = saved(&mut engine, [base, base, local, theirs]);
    assert_eq!(words(&effects), "conflict record");
    let effects = engine.step(Millis(4), Event::Recorded { item: id(0), result: Ok(()) });
    assert_eq!(words(&effects), "done");
    assert_eq!(codes(&engine), Vec::<String>::new());
    engine
}

#[test]
fn what_was_let_go_in_vain_does_not_go_later_unasked() {
    let base = "# Head\n\none is here\n\ntwo says more than that\n\nthree says more than two\n\nfour says most\n";
    let local = "# Head\n\none is here\n";
    let theirs = base.replace("than that", "than that now");
    // Others take it back, or go on: it is asked, or stays in conflict.
    for (later, held) in [(base.to_owned(), ["SHRUNK"].as_slice()), (theirs.replace("now", "again"), &[])] {
        let mut engine = let_go_into_a_conflict(local, base, &theirs);
        engine.step(Millis(5), Event::Asked { request: RequestId(2), command: Command::Fetch(id(0)) });
        let effects = saved(&mut engine, [base, base, local, &later]);
        assert_eq!(desired(&effects), None, "{later:?} {}", words(&effects));
        assert_eq!(codes(&engine), held, "{later:?}");
        assert_eq!(engine.status().items[0].parts[0].conflicts.is_empty(), !held.is_empty(), "{later:?}");
    }
    // With a choice it goes, and so it does when it is let go once more.
    let mut engine = let_go_into_a_conflict(local, base, &theirs);
    let command = Command::Resolve { item: id(0), part: PartId::default(), side: Side::Mine };
    engine.step(Millis(5), Event::Asked { request: RequestId(2), command });
    let effects = saved(&mut engine, [base, base, local, &theirs]);
    assert_eq!(desired(&effects), Some(local), "{}", words(&effects));
    let mut engine = let_go_into_a_conflict(local, base, &theirs);
    accept(&mut engine, false);
    let effects = saved(&mut engine, [base, base, local, base]);
    assert_eq!(desired(&effects), Some(local), "{}", words(&effects));
}
