//! Pushes without an answer, across a restart: whether they landed, and which base holds then.

use crate::model::{KindName, Millis, Notice, PartId, Revision};

use super::super::{
    Answer, Arrival, Command, Effect, Engine, Event, FailureClass, Intent, JobEnd, JobId, Loaded, NotDone, OpenJob,
    Posted, RecordPart, Remote, RequestId, Row, RowPart, Settings, Told,
};
use super::decisions::{engine, fetched, id, lost, observed, planned, recorded, told, words};

use super::crashes::{desired, failure, intended};

/// An engine after a restart: a push was begun with `expected`, and perhaps a base, and no answer is known, and `notices` are
/// yet to be told.
fn restarted(notices: Vec<Notice>, expected: &str, base: Option<&str>) -> Engine {
    started_again(true, notices, expected, base)
}

fn started_again(power_failed: bool, notices: Vec<Notice>, expected: &str, base: Option<&str>) -> Engine {
    loaded(notices, vec![open_job(power_failed, expected, base)])
}

/// The push with which the eighth line goes.
fn open_job(power_failed: bool, expected: &str, base: Option<&str>) -> OpenJob {
    OpenJob {
        job: JobId(1),
        item: id(0),
        part: PartId::default(),
        revision: Revision("0".into()),
        at: Millis(1),
        answered: false,
        power_failed,
        before: None,
        expected: expected.into(),
        base: base.map(str::to_owned),
        told: vec![lost(8)],
    }
}

fn loaded(notices: Vec<Notice>, jobs: Vec<OpenJob>) -> Engine {
    let told = Told { at: Millis(1), notices };
    let rows = vec![Row {
        item: id(0),
        kind: KindName::Docs,
        title: "t".into(),
        revision: None,
        can_edit: true,
        gone: false,
        buried: false,
        parts: vec![RowPart {
            part: PartId::default(),
            stamp: None,
            hash: None,
            behind: false,
            told,
            put_back: None,
            blind: None,
        }],
    }];
    let mut engine = Engine::new(Settings::default());
    engine.load(Millis(2), Loaded { rows, jobs, ..Loaded::default() });
    engine
}

/// What is told once what was planned, if anything, has landed.
fn told_at_last(engine: &mut Engine, effects: &[Effect]) -> Vec<u32> {
    if let Some(desired) = desired(effects) {
        assert!(!told(engine).contains(&SENT_AGAIN), "nothing was sent yet");
        engine.step(Millis(5), Event::Planned { item: id(0), result: Ok(planned(desired)) });
        engine.step(Millis(5), Event::Begun { item: id(0), result: Ok(JobId(9)) });
        engine.step(Millis(5), Event::Posted { item: id(0), result: Posted::Accepted(None) });
    }
    told(engine)
}

/// The line of what tells that a push is sent once more: none.
const SENT_AGAIN: u32 = 0;

/// What is stored of the one file.
fn stored(effects: &[Effect]) -> &RecordPart {
    let mut parts = effects
        .iter()
        .filter_map(|effect| if let Effect::Record(record) = effect { record.parts.first() } else { None });
    parts.next().unwrap()
}

#[test]
fn a_push_landed_though_its_title_waits() {
    let text = |title: &str, words: &str| format!("---\ntitle: {title}\n---\n\n{words}\n");
    for (there, landed) in [("Old", true), ("New", true), ("Other", false)] {
        let mut engine = restarted(Vec::new(), &text("New", "b"), None);
        engine.step(Millis(3), observed(id(0), &text("Old", "a"), &text("New", "b")));
        engine.step(Millis(4), fetched(id(0), &text(there, "b"), true));
        // Titles that both sides gave are in conflict, so that nothing is sent again.
        assert_eq!(told(&engine), if landed { vec![8] } else { Vec::new() }, "{there}");
        assert_eq!(engine.status().items[0].parts[0].conflicts.is_empty(), landed, "{there}");
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
fn what_a_landed_push_frees_of_a_conflict_is_pushed_in_the_same_walk() {
    // A list was moved over the words that others edited. Once the new line is on both sides, it parts the two.
    let theirs = "First words, theirs.\n\n- item one\n- item two\n\nLast words.\n\n# End\n\nBye.\n";
    let base = theirs.replace(", theirs", "");
    let mine = "- item one\n- item two, mine\n\nFirst words.\n\nLast words.\n\n# End\n\nMine.\n\nBye.\n";
    let mut engine = engine(1);
    engine.step(Millis(1), observed(id(0), &base, mine));
    let effects = engine.step(Millis(2), fetched(id(0), theirs, true));
    let first = desired(&effects).unwrap();
    assert!(first.contains("Mine.") && !first.contains(", mine"), "{first}");
    engine.step(Millis(3), Event::Planned { item: id(0), result: Ok(planned(first)) });
    engine.step(Millis(4), Event::Begun { item: id(0), result: Ok(JobId(1)) });
    engine.step(Millis(5), Event::Posted { item: id(0), result: Posted::Accepted(None) });
    let effects = engine.step(Millis(6), fetched(id(0), first, true));
    let second = desired(&effects).unwrap_or_default();
    assert!([", mine", ", theirs", "Mine."].iter().all(|words| second.contains(words)), "{effects:?}");
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
        let told = told_at_last(&mut engine, &effects);
        assert_eq!(told, if landed { vec![8] } else { vec![SENT_AGAIN] }, "{remote:?}");
    }
}

#[test]
fn a_push_that_only_took_away_landed_though_others_wrote_since() {
    for (remote, landed) in [("a\n\nc theirs\n", true), ("a\n\nb\n\nc theirs\n", false)] {
        let mut engine = restarted(Vec::new(), "a\n\nc\n", Some("a\n\nc\n"));
        engine.step(Millis(3), observed(id(0), "a\n\nb\n\nc\n", "a\n\nc\n"));
        let effects = engine.step(Millis(4), fetched(id(0), remote, true));
        assert_eq!(desired(&effects), (!landed).then_some("a\n\nc theirs\n"), "{remote:?}");
        let told = told_at_last(&mut engine, &effects);
        assert_eq!(told, if landed { vec![8] } else { vec![SENT_AGAIN] }, "{remote:?}");
    }
}

#[test]
fn what_a_push_was_planned_on_is_none_of_what_it_brought() {
    // The base that is known is older, and so is the text from which the file was saved since.
    let said = "a theirs\n\nours\n\nb\n";
    let job = OpenJob { before: Some("a theirs\n\nb\n".into()), ..open_job(false, said, Some(said)) };
    let mut engine = loaded(Vec::new(), vec![job]);
    engine.step(Millis(3), observed(id(0), "a\n\nb\n", "a\n\nours\n\nmore\n\nb\n"));
    let effects = engine.step(Millis(4), fetched(id(0), "a theirs\n\nb later\n", true));
    assert_eq!(desired(&effects), Some("a theirs\n\nours\n\nmore\n\nb later\n"), "{}", words(&effects));
}

#[test]
fn what_a_later_push_was_planned_on_tells_of_the_one_before() {
    // Neither end was recorded. The first may be one that never landed and was sent anew from the same version, or one whose
    // words stood there, and were written over, before the second went out; of a third others may have taken back what it brought.
    for (version, there, is_told) in [("0", "a\n", false), ("1", "a\n\nours\n", false), ("1", "a\n\ntheirs\n", true)] {
        let push = |job, version: &str, before: &str, brings: &str, answered| OpenJob {
            job: JobId(job),
            revision: Revision(version.into()),
            before: Some(before.into()),
            answered,
            ..open_job(false, brings, Some(brings))
        };
        let first = push(1, "0", "a\n", "a\n\nours\n", false);
        let second = push(2, version, there, "a\n\nmine\n", true);
        let mut engine = loaded(Vec::new(), vec![first, second]);
        engine.step(Millis(3), observed(id(0), "a\n", "a\n\nmine, and more\n"));
        let effects = engine.step(Millis(4), fetched(id(0), "a\n\nmine\n", true));
        assert_eq!(desired(&effects), Some("a\n\nmine, and more\n"), "{version} {there:?}");
        let told = told_at_last(&mut engine, &effects);
        assert_eq!(told.contains(&SENT_AGAIN), is_told, "{version} {there:?}: {told:?}");
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
    let intent = Intent {
        blind: None,
        before: pushed.into(),
        was: Some(pushed.into()),
        after: both.into(),
        base: both.into(),
        pushes,
    };
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
fn a_note_that_knows_of_a_push_outlives_the_record_of_that_push() {
    // The push brought `mine`, `theirs` came, and then went: the note of that was written, and half of a save is read.
    let (pushed, came) = ("a\n\nmine\n", "a\n\ntheirs\n\nmine\n");
    let note = Intent {
        blind: None,
        before: came.into(),
        was: Some(came.into()),
        after: pushed.into(),
        base: pushed.into(),
        pushes: vec![JobId(1)],
    };
    // With what the push brought, and without.
    for half in ["a\n\nmine\n\0\0", ""] {
        let mut engine = restarted(Vec::new(), pushed, Some(pushed));
        engine.step(Millis(3), intended("a\n", half, &note));
        let effects = engine.step(Millis(4), fetched(id(0), pushed, true));
        let part = stored(&effects);
        assert_eq!((part.base.as_str(), part.settled), (pushed, false), "{}", words(&effects));
        // Who saves the rest has had the text open that stood before.
        engine.step(Millis(5), Event::Recorded { item: id(0), result: Ok(()) });
        engine.step(Millis(6), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
        engine.step(Millis(6), intended(pushed, "a\n\ntheirs\n\nmine\n\nmore\n", &note));
        let effects = engine.step(Millis(7), fetched(id(0), pushed, true));
        assert_eq!(desired(&effects), Some("a\n\nmine\n\nmore\n"), "{}", words(&effects));
    }
}

#[test]
fn a_push_before_one_that_a_note_knows_of_brings_no_older_base_back() {
    // The first push failed, the second brought its words and more, and a text was to come: nothing of that was recorded. The file
    // was saved meanwhile, and others write on in what the second brought.
    let push = |job, text: &str| OpenJob { job: JobId(job), ..open_job(false, text, Some(text)) };
    let (first, both) = ("a\n\nours\n", "a\n\nours\n\nour second words of it\n");
    let mut engine = loaded(Vec::new(), vec![push(1, first), push(2, both)]);
    let note = Intent {
        blind: None,
        before: both.into(),
        was: Some(both.into()),
        after: format!("{both}\ntheirs\n"),
        base: format!("{both}\ntheirs\n"),
        pushes: vec![JobId(2)],
    };
    engine.step(Millis(3), intended("a\n", &both.replace("a\n", "a mine\n"), &note));
    let remote = format!("{}\ntheirs\n", both.replace("words of it", "words of it and of theirs"));
    let effects = engine.step(Millis(4), fetched(id(0), &remote, true));
    assert_eq!(desired(&effects), Some(&*remote.replace("a\n\n", "a mine\n\n")), "{}", words(&effects));
}

#[test]
fn the_base_of_a_note_outlives_it_though_a_push_before_was_not_recorded() {
    // The push brought `mine`, then `theirs` came, and neither was recorded; and then the document seemed to be gone.
    let (pushed, came) = ("a\n\nmine\n", "a theirs\n\nmine\n");
    let note = Intent {
        blind: None,
        before: pushed.into(),
        was: Some(pushed.into()),
        after: came.into(),
        base: came.into(),
        pushes: vec![JobId(1)],
    };
    let mut engine = restarted(Vec::new(), pushed, Some(pushed));
    let edited = "a theirs\n\nmine more\n";
    engine.step(Millis(3), intended("a\n", edited, &note));
    let effects = engine.step(Millis(4), fetched(id(0), "-", true));
    let part = stored(&effects);
    assert_eq!((part.base.as_str(), part.settled), (came, true), "{}", words(&effects));
    engine.step(Millis(5), Event::Recorded { item: id(0), result: Ok(()) });
    engine.step(Millis(6), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    engine.step(Millis(6), observed(id(0), came, edited));
    // Others have removed what came.
    let effects = engine.step(Millis(7), fetched(id(0), pushed, true));
    assert_eq!(desired(&effects), Some("a\n\nmine more\n"), "{}", words(&effects));
}

#[test]
fn a_text_that_a_power_cut_brought_back_deletes_nothing_of_what_was_pushed_since() {
    let pushed = "a\n\nmine and more\n";
    for (local, says) in [
        ("a longer\n", "a longer\n\nmine and more\n"),
        // Who has most of it has deleted the rest.
        ("a\n\nmine and\n", "a\n\nmine and\n"),
    ] {
        let mut engine = restarted(Vec::new(), pushed, Some(pushed));
        // However often it is tried.
        for at in [Millis(3), Millis(10_000_000)] {
            engine.step(at, Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
            engine.step(at, observed(id(0), "a\n", local));
            let effects = engine.step(at, fetched(id(0), pushed, true));
            assert_eq!(desired(&effects), Some(says), "{local:?}: {}", words(&effects));
            engine.step(at, Event::Planned { item: id(0), result: Ok(planned(says)) });
            engine.step(at, Event::Begun { item: id(0), result: Ok(JobId(2)) });
            engine.step(at, Event::Posted { item: id(0), result: Posted::Failed(failure(FailureClass::Permanent)) });
        }
    }
}

#[test]
fn what_its_writer_took_away_while_the_daemon_was_down_goes_there_too() {
    let pushed = "a\n\nmine and more\n";
    for local in ["a\n", "a longer\n"] {
        let mut engine = started_again(false, Vec::new(), pushed, Some(pushed));
        engine.step(Millis(3), observed(id(0), "a\n", local));
        let effects = engine.step(Millis(4), fetched(id(0), pushed, true));
        assert_eq!(desired(&effects), Some(local), "{}", words(&effects));
    }
}

#[test]
fn that_a_push_is_sent_once_more_after_others_wrote_is_told() {
    let pushed = "a\n\nmine and more\n";
    let is_told = |local: &str, remote: &str| {
        let mut engine = started_again(false, Vec::new(), pushed, Some(pushed));
        engine.step(Millis(3), observed(id(0), "a\n", local));
        let effects = engine.step(Millis(4), fetched(id(0), remote, true));
        told_at_last(&mut engine, &effects).contains(&SENT_AGAIN)
    };
    assert!(is_told(pushed, "a\n"));
    assert!(is_told(pushed, "a of theirs\n"));
    // It landed, or its writer has taken it back.
    assert!(!is_told(pushed, pushed));
    assert!(!is_told("a\n", "a of theirs\n"));
}

#[test]
fn nothing_of_a_push_that_is_in_conflict_is_said_to_be_sent_once_more() {
    let base = "# A\n\na\n\n# B\n\nb\n";
    // Others wrote over the one section; what was pushed of the other goes out again.
    for (pushed, is_told) in
        [("# A\n\na of mine\n\n# B\n\nb\n", false), ("# A\n\na of mine\n\n# B\n\nb and some words more\n", true)]
    {
        let mut engine = restarted(Vec::new(), pushed, Some(pushed));
        engine.step(Millis(3), observed(id(0), base, pushed));
        let effects = engine.step(Millis(4), fetched(id(0), "# A\n\nquite another\n\n# B\n\nb\n", true));
        assert_eq!(engine.status().items[0].parts[0].conflicts, ["A"], "{}", words(&effects));
        assert_eq!(told_at_last(&mut engine, &effects).contains(&SENT_AGAIN), is_told, "{pushed:?}");
    }
    // Nor where the push that sends it once more met what others wrote meanwhile.
    let mut engine = restarted(Vec::new(), "a mine\n", Some("a mine\n"));
    engine.step(Millis(3), observed(id(0), "a\n", "a mine\n"));
    let effects = engine.step(Millis(4), fetched(id(0), "a\n\nmore\n", true));
    engine.step(Millis(5), Event::Planned { item: id(0), result: Ok(planned(desired(&effects).unwrap())) });
    engine.step(Millis(5), Event::Begun { item: id(0), result: Ok(JobId(9)) });
    engine.step(Millis(5), Event::Posted { item: id(0), result: Posted::Stale });
    engine.step(Millis(6), fetched(id(0), "a of theirs\n\nmore\n", true));
    assert_eq!(engine.status().items[0].parts[0].conflicts, [""]);
    assert!(!told(&engine).contains(&SENT_AGAIN));
    // Nor is a text that is held, until somebody releases it.
    let mut engine = restarted(Vec::new(), "a mine\n", Some("a mine\n"));
    engine.step(Millis(3), observed(id(0), "a\n", "\0\n"));
    engine.step(Millis(4), fetched(id(0), "a of theirs\n", true));
    assert!(!engine.status().items[0].parts[0].held.is_empty());
    assert!(!told(&engine).contains(&SENT_AGAIN));
}

#[test]
fn what_is_left_of_a_push_beside_what_others_took_away_before_it_is_not_sent_again() {
    // `theirs` was gone from the document before the push, and waits in the file.
    let (base, local) = ("a\n\ntheirs more\n\nb\n", "# mine\n\na\n\ntheirs more\n\nown\n\nb\n");
    let pushed = "# mine\n\na\n\nown\n\nb\n";
    let mut engine = restarted(Vec::new(), pushed, Some(local));
    engine.step(Millis(3), observed(id(0), base, local));
    let effects = engine.step(Millis(4), fetched(id(0), "a\n\nown later\n\nb\n", true));
    let says = desired(&effects).unwrap_or_default();
    assert_eq!(says.matches("own").count(), 1, "{says:?} {}", words(&effects));
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
        blind: None,
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
fn a_push_that_landed_leaves_a_save_of_an_older_text_its_base() {
    let before = "one\n\ntwo\n";
    let (came, pushed) = ("one theirs\n\ntwo\n", "one theirs\n\ntwo\n\nmine\n");
    let edited = "one theirs\n\ntwo\n\nedited: mine\n";
    for (local, remote, says) in [
        // Who has neither has deleted neither.
        ("one\n\ntwo more\n", pushed, "one theirs\n\ntwo more\n\nmine\n"),
        // What the push brought and that text has is nothing new, also when others have edited it since.
        ("one\n\ntwo\n\nmine\n\nmore\n", pushed, "one theirs\n\ntwo\n\nmine\n\nmore\n"),
        ("one\n\ntwo\n\nmine\n\nmore\n", edited, "one theirs\n\ntwo\n\nedited: mine\n\nmore\n"),
    ] {
        let mut engine = restarted(Vec::new(), pushed, Some(pushed));
        let Event::Observed { item, mut parts } = observed(id(0), came, local) else { unreachable!() };
        parts[0].arrivals = vec![Arrival { before: before.into(), after: came.into(), base: before.into() }];
        engine.step(Millis(3), Event::Observed { item, parts });
        let effects = engine.step(Millis(4), fetched(id(0), remote, true));
        assert_eq!(desired(&effects), Some(says), "{local:?}, {remote:?}: {}", words(&effects));
    }
}

#[test]
fn what_came_before_a_push_is_not_deleted_by_a_save_of_an_older_text() {
    // `theirs` came into the file and was not recorded, then `mine` was pushed from there, then the daemon died.
    let (before, came) = ("a\n\nmine\n", "a\n\ntheirs\n\nmine\n");
    let note = Intent {
        blind: None,
        before: before.into(),
        was: Some("a\n".into()),
        after: came.into(),
        base: "a\n\ntheirs\n".into(),
        pushes: Vec::new(),
    };
    let mut engine = restarted(Vec::new(), came, Some(came));
    let mut at = 3;
    let mut walk = |base: &str, local: &str, arrivals: Vec<Arrival>| {
        engine.step(Millis(at), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
        let Event::Observed { item, mut parts } = intended(base, local, &note) else { unreachable!() };
        parts[0].arrivals = arrivals;
        engine.step(Millis(at), Event::Observed { item, parts });
        let effects = engine.step(Millis(at + 1), fetched(id(0), came, true));
        engine.step(Millis(at + 2), Event::Recorded { item: id(0), result: Ok(()) });
        at += 3;
        effects
    };
    // An editor that shows the text from before saves it, and is half done at first.
    let effects = walk("a\n", "", Vec::new());
    let part = stored(&effects).clone();
    assert_eq!(part.base, came, "{}", words(&effects));
    let effects = walk(&part.base, "a more\n\nmine\n", part.arrived);
    assert_eq!(desired(&effects), Some("a more\n\ntheirs\n\nmine\n"), "{}", words(&effects));
    let mut engine = restarted(Vec::new(), came, Some(came));
    engine.step(Millis(3), intended("a\n", "a more\n\nmine\n", &note));
    let effects = engine.step(Millis(4), fetched(id(0), came, true));
    assert_eq!(desired(&effects), Some("a more\n\ntheirs\n\nmine\n"), "{}", words(&effects));
}

#[test]
fn a_note_that_has_served_goes_with_the_record_of_a_later_push() {
    // `more of it` and `theirs` came into the file and were not recorded, then `mine` was pushed; the text with all of it is being
    // saved once more.
    let before = "one\n\n# B\n\ntwo\n";
    let (came, pushed) =
        ("more of it\n\none\n\n# B theirs\n\ntwo\n", "more of it\n\none\n\n# B theirs\n\ntwo\n\nmine\n");
    let note = Intent {
        blind: None,
        before: before.into(),
        was: Some(before.into()),
        after: came.into(),
        base: came.into(),
        pushes: Vec::new(),
    };
    let mut engine = restarted(Vec::new(), pushed, Some(pushed));
    let there = "more of it\n\none\n\nedited there: mine\n";
    engine.step(Millis(3), intended(before, "more of it\n\none local\n\n# B", &note));
    let effects = engine.step(Millis(4), fetched(id(0), there, true));
    let part = stored(&effects);
    assert_eq!((part.base.as_str(), part.settled), (pushed, true), "{}", words(&effects));
    let arrivals = part.arrived.clone();
    engine.step(Millis(5), Event::Recorded { item: id(0), result: Ok(()) });
    engine.step(Millis(6), Event::Asked { request: RequestId(1), command: Command::Fetch(id(0)) });
    let whole = "more of it\n\none local\n\n# B theirs\n\ntwo\n\nmine\n";
    let Event::Observed { item, mut parts } = observed(id(0), pushed, whole) else { unreachable!() };
    parts[0].arrivals = arrivals;
    engine.step(Millis(6), Event::Observed { item, parts });
    let effects = engine.step(Millis(7), fetched(id(0), there, true));
    assert_eq!(desired(&effects), Some("more of it\n\none local\n\nedited there: mine\n"), "{}", words(&effects));
}

#[test]
fn a_push_without_an_answer_is_tried_at_once_and_then_with_pauses() {
    let mut engine = engine(1);
    let lost = || Event::Posted { item: id(0), result: Posted::Unknown(failure(FailureClass::Transient)) };
    engine.step(Millis(1), observed(id(0), "a\n", "b\n"));
    let mut now = 1;
    for attempt in 0..6 {
        assert_eq!(words(&engine.step(Millis(now), fetched(id(0), "a\n", true))), "plan", "attempt {attempt}");
        engine.step(Millis(now), Event::Planned { item: id(0), result: Ok(planned("b\n")) });
        assert_eq!(words(&engine.step(Millis(now), Event::Begun { item: id(0), result: Ok(JobId(attempt)) })), "post");
        let answered = words(&engine.step(Millis(now), lost()));
        if attempt == 0 {
            assert_eq!(answered, "fetch");
            continue;
        }
        assert_eq!(answered, "", "attempt {attempt}");
        let status = engine.status();
        let at = status.items[0].next_retry.unwrap();
        assert!(status.items[0].error.is_some() && at > Millis(now) && at <= Millis(now + (500 << attempt)), "{at:?}");
        now = at.0;
        assert!(words(&engine.step(Millis(now), Event::Tick)).contains("observe"));
        assert_eq!(words(&engine.step(Millis(now), observed(id(0), "a\n", "b\n"))), "fetch");
    }
}

#[test]
fn a_push_that_landed_without_an_answer_counts_for_who_asked_for_it() {
    for (there, count) in [("b\n", 1), ("a\n", 0)] {
        let mut engine = engine(1);
        engine.step(Millis(1), observed(id(0), "a\n", "a\n"));
        let command = Command::Push { item: id(0), accept: None, dry_run: false };
        engine.step(Millis(1), Event::Asked { request: RequestId(1), command });
        engine.step(Millis(1), observed(id(0), "a\n", "b\n"));
        engine.step(Millis(1), fetched(id(0), "a\n", true));
        engine.step(Millis(1), Event::Planned { item: id(0), result: Ok(planned("b\n")) });
        engine.step(Millis(1), Event::Begun { item: id(0), result: Ok(JobId(1)) });
        let result = Posted::Unknown(failure(FailureClass::Transient));
        engine.step(Millis(1), Event::Posted { item: id(0), result });
        let mut fetched = fetched(id(0), there, true);
        if let Event::Fetched { result: Ok(remote), .. } = &mut fetched {
            remote.revision = Some(Revision("later".into()));
        }
        let mut effects = engine.step(Millis(2), fetched);
        effects.extend(engine.step(Millis(2), Event::Recorded { item: id(0), result: Ok(()) }));
        let answers = effects.iter().filter_map(|effect| {
            if let Effect::Reply { answer: Answer::Done { requests, .. }, .. } = effect {
                Some(*requests)
            } else {
                None
            }
        });
        let expected: &[usize] = if count > 0 { &[count] } else { &[] };
        assert_eq!(answers.collect::<Vec<_>>(), expected, "{there:?}: {}", words(&effects));
    }
}

/// What is read of the remote at a version.
fn read_at(version: &str, text: &str) -> Event {
    let Event::Fetched { item, result: Ok(remote) } = fetched(id(0), text, true) else { unreachable!() };
    Event::Fetched { item, result: Ok(Remote { revision: Some(Revision(version.into())), ..remote }) }
}

#[test]
fn a_push_of_an_older_text_that_never_landed_takes_nothing_away_later() {
    // An editor that was not told of what came saves; that push has no answer, and the document has nothing of it.
    let opened = "Please read this.\n\n# Keys\n\nThe keys are with Maria.\n\n# Walls\n\nCall the painter about the walls.\n\n\
        Please bring your slides to the meeting.\n";
    let theirs = opened
        .replace("read this.", "read this. house theirs and Maria")
        .replace("Call the painter about the walls.\n\n", "")
        .replace("meeting.", "meeting. Call one about the walls.");
    let edit = |text: &str| text.replace("Maria.", "Maria. slides mine");
    let before =
        edit(opened).replace("Call the painter about", "Call the painter about six walls.\n\nCall the painter about");
    let after = edit(&theirs).replace("# Walls\n\n", "# Walls\n\nCall the painter about six walls.\n\n");
    let local = before.replace("# Keys", "Please bring your walls mine to the meeting.\n\n# Keys");
    let saved = || {
        let Event::Observed { item, mut parts } = observed(id(0), &theirs, &local) else { unreachable!() };
        parts[0].arrivals = vec![Arrival { before: before.clone(), after: after.clone(), base: opened.into() }];
        Event::Observed { item, parts }
    };
    let mut engine = engine(1);
    engine.step(Millis(1), saved());
    let ask = |text: &str, more: &str| text.replace("# Keys\n\n", &format!("# Keys\n\nAsk {more} for it.\n\n"));
    let mut remote = theirs.replace("Call one", "Call one ten");
    for version in ["8", "9"] {
        let effects = engine.step(Millis(2), read_at(version, &remote));
        let says = desired(&effects).unwrap_or_else(|| panic!("{}", words(&effects)));
        assert!(["theirs", "slides mine", "walls mine"].iter().all(|words| says.contains(words)), "{says}");
        engine.step(Millis(3), Event::Planned { item: id(0), result: Ok(planned(says)) });
        let result = if version == "8" { Ok(JobId(1)) } else { Err(NotDone::Moved) };
        engine.step(Millis(4), Event::Begun { item: id(0), result });
        if version == "8" {
            let unknown = Posted::Unknown(failure(FailureClass::Transient));
            engine.step(Millis(5), Event::Posted { item: id(0), result: unknown });
        }
        remote = ask(&remote, version);
    }
    // The file is read again, and once more while nobody says that its writer is done.
    let (mut effects, mut trail) = (Vec::new(), Vec::new());
    for second in 60..90 {
        let now = Millis(second * 1_000);
        let event = match words(&effects) {
            asked if asked.contains("fetch") => read_at("10", &remote),
            asked if asked.contains("observe") => saved(),
            asked if asked.contains("record") => Event::Recorded { item: id(0), result: Ok(()) },
            _ => Event::Tick,
        };
        effects = engine.step(now, event);
        trail.push(words(&effects));
        if desired(&effects).is_some() {
            break;
        }
    }
    let says = desired(&effects).unwrap_or_else(|| panic!("{trail:?}"));
    assert!(["theirs", "slides mine", "walls mine"].iter().all(|words| says.contains(words)), "{says}");
}

#[test]
fn half_of_a_save_of_what_a_push_may_have_brought_is_held() {
    let (base, pushed) = ("one\n\ntwo three\n", "one\n\ntwo three\n\nfour five six\n");
    for (local, is_held) in [
        ("one mine\n\ntwo three", true),
        ("one mine\n\ntwo three\n", false),
        ("one mine\n\ntwo three\n\nfour five six", false),
    ] {
        let mut engine = restarted(Vec::new(), pushed, None);
        assert!(words(&engine.step(Millis(3), observed(id(0), base, local))).contains("fetch"), "{local:?}");
        let effects = engine.step(Millis(4), fetched(id(0), pushed, true));
        assert_eq!(desired(&effects).is_none(), is_held, "{local:?}: {}", words(&effects));
        let held = engine.status().items[0].parts[0].held.iter().map(|held| held.code.clone()).collect::<Vec<_>>();
        assert_eq!(held, if is_held { vec!["HALF_WRITTEN"] } else { vec![] }, "{local:?}");
    }
}
