//! What a person says of what waits: that a text is meant as it stands, or whose text of a conflict stands.

use crate::model::{Millis, PartId};

use super::super::{Answer, Command, Effect, Engine, Event, FailureClass, JobId, Posted, RequestId, Side, Touch};
use super::crashes::{desired, failure};
use super::decisions::{STAMP, engine, fetched, id, observed, planned, words};

const BASE: &str = "one\n\n# Two\n\ntwo\n";

/// An engine with one file that says what was agreed.
fn quiet(base: &str) -> Engine {
    let mut engine = engine(1);
    assert_eq!(words(&engine.step(Millis(9), observed(id(0), base, base))), "");
    engine
}

fn ask(engine: &mut Engine, command: Command) {
    engine.step(Millis(10), Event::Asked { request: RequestId(7), command });
}

fn accept(engine: &mut Engine) {
    ask(engine, Command::Push { item: id(0), accept: Some(PartId::default()), dry_run: false });
}

fn resolve(engine: &mut Engine, side: Side) {
    ask(engine, Command::Resolve { item: id(0), part: PartId::default(), side });
}

/// Reads the file and the remote.
fn read(engine: &mut Engine, base: &str, local: &str, remote: &str) -> Vec<Effect> {
    assert_eq!(words(&engine.step(Millis(11), observed(id(0), base, local))), "fetch");
    engine.step(Millis(12), fetched(id(0), remote, true))
}

/// Lets the one file be written, and the walk end.
fn deposited(engine: &mut Engine) -> Vec<Effect> {
    let written = Event::Deposited { item: id(0), part: PartId::default(), result: Ok(STAMP) };
    assert_eq!(words(&engine.step(Millis(13), written)), "record");
    recorded(engine)
}

fn recorded(engine: &mut Engine) -> Vec<Effect> {
    engine.step(Millis(14), Event::Recorded { item: id(0), result: Ok(()) })
}

fn written(effects: &[Effect]) -> Option<String> {
    effects
        .iter()
        .find_map(|effect| if let Effect::Deposit { intent, .. } = effect { Some(intent.after.clone()) } else { None })
}

/// The codes of what the file is held for.
fn held(engine: &Engine) -> Vec<String> {
    engine.status().items[0].parts[0].held.iter().map(|notice| notice.code.clone()).collect()
}

fn refusal(effects: &[Effect]) -> Option<&str> {
    effects.iter().find_map(|effect| {
        let Effect::Reply { answer: Answer::Failed(failure), .. } = effect else { return None };
        Some(failure.message.as_str())
    })
}

#[test]
fn a_side_that_is_chosen_for_a_held_file_is_refused() {
    for side in [Side::Mine, Side::Theirs] {
        let mut engine = engine(1);
        read(&mut engine, BASE, "one mine\n\n# Two\n\ntwo\n", "one theirs\n\n# Two\n\ntwo\n");
        recorded(&mut engine);
        resolve(&mut engine, side);
        let effects = read(&mut engine, BASE, "\0\n", "one theirs\n\n# Two\n\ntwo\n");
        assert_eq!(words(&effects), "record", "{side:?}");
        let effects = recorded(&mut engine);
        assert!(refusal(&effects).is_some_and(|why| why.contains("held (NUL)")), "{side:?}: {effects:?}");
    }
}

#[test]
fn a_side_that_is_chosen_while_the_file_is_saved_or_gone_is_refused() {
    let conflict = |engine: &mut Engine| {
        read(engine, BASE, "one mine\n\n# Two\n\ntwo\n", "one theirs\n\n# Two\n\ntwo\n");
        recorded(engine);
        resolve(engine, Side::Theirs);
    };
    let mut saved = engine(1);
    conflict(&mut saved);
    saved.step(Millis(11), observed(id(0), BASE, "one mine\n\n# Two\n\ntwo\n"));
    saved.step(Millis(12), Event::Touched { item: id(0), part: PartId::default(), touch: Touch::Complete });
    saved.step(Millis(12), fetched(id(0), "one theirs\n\n# Two\n\ntwo\n", true));
    assert!(refusal(&recorded(&mut saved)).is_some_and(|why| why.contains("being saved")));
    let mut gone = engine(1);
    conflict(&mut gone);
    read(&mut gone, BASE, "-", "one theirs\n\n# Two\n\ntwo\n");
    assert!(refusal(&recorded(&mut gone)).is_some_and(|why| why.contains("is gone")));
}

#[test]
fn a_side_whose_push_has_no_answer_is_not_taken_for_resolved() {
    let (mine, theirs) = ("one mine\n\n# Two\n\ntwo\n", "one theirs\n\n# Two\n\ntwo\n");
    for posted in [Posted::Unknown(failure(FailureClass::Transient)), Posted::Stale, Posted::Accepted(None)] {
        let mut engine = engine(1);
        read(&mut engine, BASE, mine, theirs);
        recorded(&mut engine);
        resolve(&mut engine, Side::Mine);
        assert_eq!(words(&read(&mut engine, BASE, mine, theirs)), "plan");
        engine.step(Millis(12), Event::Planned { item: id(0), result: Ok(planned(mine)) });
        engine.step(Millis(12), Event::Begun { item: id(0), result: Ok(JobId(1)) });
        let lands = matches!(posted, Posted::Accepted(_));
        let effects = engine.step(Millis(12), Event::Posted { item: id(0), result: posted });
        assert_eq!(words(&effects), "fetch");
        engine.step(Millis(12), fetched(id(0), if lands { mine } else { theirs }, true));
        let effects = recorded(&mut engine);
        let refused = refusal(&effects).is_some_and(|why| why.contains("nothing was resolved"));
        assert_eq!(refused, !lands, "{}", words(&effects));
        assert_eq!(engine.status().items[0].parts[0].conflicts.is_empty(), lands);
    }
}

#[test]
fn of_two_sides_that_are_chosen_at_once_the_last_holds() {
    let (mine, theirs) = ("one mine\n\n# Two\n\ntwo\n", "one theirs\n\n# Two\n\ntwo\n");
    let mut engine = engine(1);
    read(&mut engine, BASE, mine, theirs);
    recorded(&mut engine);
    // A dry run is under way, so both are for the walk behind it.
    ask(&mut engine, Command::Push { item: id(0), accept: None, dry_run: true });
    for (request, side) in [(8, Side::Mine), (9, Side::Theirs)] {
        let command = Command::Resolve { item: id(0), part: PartId::default(), side };
        engine.step(Millis(10), Event::Asked { request: RequestId(request), command });
    }
    read(&mut engine, BASE, mine, theirs);
    assert_eq!(written(&read(&mut engine, BASE, mine, theirs)).as_deref(), Some(theirs));
    let effects = deposited(&mut engine);
    let answers: Vec<(u64, bool)> = effects
        .iter()
        .filter_map(|effect| {
            let Effect::Reply { request, answer } = effect else { return None };
            Some((request.0, matches!(answer, Answer::Done { .. })))
        })
        .collect();
    assert_eq!(answers, [(8, false), (9, true)], "{}", words(&effects));
    assert!(refusal(&effects).is_some_and(|why| why.contains("other side")));
    // Who chooses once more finds nothing to choose.
    resolve(&mut engine, Side::Mine);
    read(&mut engine, theirs, theirs, theirs);
    let effects = recorded(&mut engine);
    assert!(refusal(&effects).is_some_and(|why| why.contains("nothing of the file is in conflict")), "{effects:?}");
}

#[test]
fn what_comes_into_an_accepted_text_takes_nothing_back_of_that() {
    for side in [Side::Mine, Side::Theirs] {
        let (head, theirs) = ("---\nid: i0\n---\n\n", "one theirs\n");
        let (base, remote) = (format!("{head}one\n"), format!("{head}{theirs}"));
        let mut engine = quiet(&base);
        accept(&mut engine);
        let effects = read(&mut engine, &base, "", &remote);
        let after = written(&effects).unwrap();
        assert_eq!(words(&effects), "conflict deposit");
        deposited(&mut engine);
        assert_eq!(held(&engine), Vec::<String>::new());
        resolve(&mut engine, side);
        let effects = read(&mut engine, &base, &after, &remote);
        assert_eq!(words(&effects), if side == Side::Mine { "plan" } else { "conflict deposit" }, "{after:?}");
    }
}

#[test]
fn what_was_accepted_is_asked_for_anew_the_next_time() {
    let pushed = |engine: &mut Engine, expected: &str| {
        engine.step(Millis(12), Event::Planned { item: id(0), result: Ok(planned(expected)) });
        engine.step(Millis(12), Event::Begun { item: id(0), result: Ok(JobId(1)) });
        engine.step(Millis(12), Event::Posted { item: id(0), result: Posted::Accepted(None) });
        engine.step(Millis(12), fetched(id(0), expected, true))
    };
    let mut engine = quiet(BASE);
    accept(&mut engine);
    assert_eq!(words(&read(&mut engine, BASE, "\0\n", BASE)), "plan");
    assert_eq!(words(&pushed(&mut engine, "\0\n")), "record");
    recorded(&mut engine);
    ask(&mut engine, Command::Push { item: id(0), accept: None, dry_run: false });
    assert_eq!(words(&read(&mut engine, BASE, "\0\n", BASE)), "record");
    assert_eq!(held(&engine), ["NUL"]);
}

#[test]
fn an_acceptance_ends_where_another_text_stands_or_none() {
    // It waits in a conflict.
    let [base, mine, theirs] = ["one", "one mine", "one theirs"].map(|words| format!("---\nid: i0\n---\n\n{words}\n"));
    for between in [mine.as_str(), "-"] {
        let mut engine = quiet(&base);
        accept(&mut engine);
        let effects = read(&mut engine, &base, "", &theirs);
        let after = written(&effects).unwrap();
        deposited(&mut engine);
        let look = |engine: &mut Engine, text: &str| {
            ask(engine, Command::Push { item: id(0), accept: None, dry_run: false });
            read(engine, &base, text, &theirs);
            recorded(engine);
            held(engine)
        };
        assert_eq!(look(&mut engine, &after), Vec::<String>::new(), "{after:?}");
        look(&mut engine, between);
        assert_eq!(look(&mut engine, &after), ["EMPTY"], "{between:?}");
    }
}

#[test]
fn an_acceptance_is_for_the_one_file_it_was_asked_for() {
    let mut engine = engine(1);
    let both = |local: [&str; 2]| {
        let mut parts = Vec::new();
        for (part, local) in [PartId::default(), PartId("t.2".into())].into_iter().zip(local) {
            let Event::Observed { parts: seen, .. } = observed(id(0), BASE, local) else { unreachable!() };
            parts.extend(seen.into_iter().map(|seen| super::super::Observation { part: part.clone(), ..seen }));
        }
        Event::Observed { item: id(0), parts }
    };
    engine.step(Millis(9), both([BASE, BASE]));
    accept(&mut engine);
    assert_eq!(words(&engine.step(Millis(11), both(["\0\n", ""]))), "fetch");
    let Event::Fetched { item, result: Ok(mut remote) } = fetched(id(0), BASE, true) else { unreachable!() };
    remote.parts.push((PartId("t.2".into()), BASE.into()));
    let effects = engine.step(Millis(12), Event::Fetched { item, result: Ok(remote) });
    assert_eq!(words(&effects), "plan");
    let status = engine.status();
    let held: Vec<usize> = status.items[0].parts.iter().map(|part| part.held.len()).collect();
    assert_eq!(held, [0, 1]);
}

#[test]
fn an_acceptance_that_came_to_nothing_is_none() {
    for class in [FailureClass::Transient, FailureClass::Permanent, FailureClass::SignedOut] {
        let mut engine = quiet(BASE);
        accept(&mut engine);
        assert_eq!(words(&read(&mut engine, BASE, "", BASE)), "plan");
        engine.step(Millis(12), Event::Planned { item: id(0), result: Ok(planned("")) });
        engine.step(Millis(12), Event::Begun { item: id(0), result: Ok(JobId(1)) });
        let effects = engine.step(Millis(12), Event::Posted { item: id(0), result: Posted::Failed(failure(class)) });
        assert!(refusal(&effects).is_some(), "{class:?}: {effects:?}");
        ask(&mut engine, Command::Resume);
        ask(&mut engine, Command::Fetch(id(0)));
        engine.step(Millis(7_200_000), Event::Tick);
        engine.step(Millis(7_200_000), observed(id(0), BASE, ""));
        let effects = engine.step(Millis(7_200_001), fetched(id(0), BASE, true));
        assert!(!words(&effects).contains("plan"), "{class:?}: {}", words(&effects));
        assert_eq!(held(&engine), ["EMPTY"], "{class:?}");
    }
}

#[test]
fn an_acceptance_lets_go_what_was_told_and_nothing_else() {
    let mut engine = quiet(BASE);
    let ask_to_push = |engine: &mut Engine, local: &str| {
        ask(engine, Command::Push { item: id(0), accept: None, dry_run: false });
        read(engine, BASE, local, BASE);
        recorded(engine);
    };
    ask_to_push(&mut engine, "\0\n");
    assert_eq!(held(&engine), ["NUL"]);
    // Something else happened to the file since its person was told.
    accept(&mut engine);
    assert_eq!(words(&read(&mut engine, BASE, "", BASE)), "record");
    recorded(&mut engine);
    assert_eq!(held(&engine), ["EMPTY"]);
    // Now that is told, too; the push that lets it go says so.
    accept(&mut engine);
    assert_eq!(words(&read(&mut engine, BASE, "", BASE)), "plan");
    let effects = engine.step(Millis(12), Event::Planned { item: id(0), result: Ok(planned("")) });
    let told: Vec<String> = effects
        .iter()
        .filter_map(|effect| if let Effect::Begin { told, .. } = effect { Some(told) } else { None })
        .flatten()
        .map(|notice| format!("{} {}", notice.code, notice.message))
        .collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("RELEASED was held (EMPTY): "), "{told:?}");
}

#[test]
fn a_conflict_that_no_file_shows_ends_with_the_file_that_was_held() {
    let (mine, theirs) = ("one mine\n\n# Two\n\ntwo\n", "one theirs\n\n# Two\n\ntwo\n");
    for is_shown in [false, true] {
        let mut engine = quiet(BASE);
        for local in [is_shown.then_some(mine), Some("")].into_iter().flatten() {
            ask(&mut engine, Command::Fetch(id(0)));
            let effects = words(&read(&mut engine, BASE, local, theirs));
            assert_eq!(effects, if local.is_empty() { "record" } else { "conflict record" });
            recorded(&mut engine);
        }
        assert_eq!(held(&engine), ["EMPTY"]);
        let conflicts = |engine: &Engine| engine.status().items[0].parts[0].conflicts.len();
        assert_eq!(conflicts(&engine), 1, "{is_shown}");
        ask(&mut engine, Command::Fetch(id(0)));
        engine.step(Millis(11), observed(id(0), BASE, "-"));
        assert_eq!(held(&engine), Vec::<String>::new());
        assert_eq!(conflicts(&engine), usize::from(is_shown));
    }
}

#[test]
fn a_text_of_which_nothing_is_agreed_does_not_go_over_the_document_unasked_where_it_looks_like_no_edit() {
    // As after a state that was lost: both sides say something else.
    let remote = "one theirs and so on and on\n\n# Two\n\ntwo, which goes on for some words more, as texts do\n";
    let marks =
        "one\n\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\n\n# Two\n\ntwo, which goes on for some words\n";
    for (local, code) in [
        (marks, Some("MERGE_MARKS")),
        ("one mine\n\n```\ncode\n\n# Two\n\ntwo, which goes on for some words more, as texts do\n", Some("CODE_OPEN")),
        ("one\n", None),
        ("one mine\n\n# Two\n\ntwo, which goes on and on as texts do\n", None),
    ] {
        let mut engine = engine(1);
        let see = |engine: &mut Engine| {
            engine.step(Millis(11), observed(id(0), "", local));
            engine.step(Millis(12), fetched(id(0), remote, true))
        };
        assert_eq!(words(&see(&mut engine)), "conflict record");
        recorded(&mut engine);
        resolve(&mut engine, Side::Mine);
        let effects = see(&mut engine);
        match code {
            None => assert_eq!(desired(&effects), Some(local)),
            Some(code) => {
                assert_eq!(desired(&effects), None, "{}", words(&effects));
                assert_eq!(held(&engine), [code]);
                // Who says that it is meant so is believed.
                recorded(&mut engine);
                accept(&mut engine);
                see(&mut engine);
                recorded(&mut engine);
                resolve(&mut engine, Side::Mine);
                let effects = see(&mut engine);
                assert_eq!(desired(&effects), Some(local), "{}", words(&effects));
            }
        }
    }
}
