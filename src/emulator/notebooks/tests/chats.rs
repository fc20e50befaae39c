//! Questions and their streams.

use serde_json::json;

use super::{Browser, text};
use crate::emulator::notebooks::reply::{Ending, Reply};
use crate::notebooklm::call::{self, ChatCall};
use crate::notebooklm::chat::{Answer, Ended, Fold, Progress};
use crate::notebooklm::json::utf16_len;
use crate::notebooklm::reply::Rejected;
use crate::notebooklm::rows::{self, Speaker};

/// Asks all sources of a notebook of the seed.
fn question(browser: &Browser, title: &str, question: &str) -> ChatCall {
    let notebook = browser.notebook(title);
    ChatCall {
        sources: notebook.sources.iter().map(|source| source.id.clone()).collect(),
        notebook: notebook.id,
        question: question.to_owned(),
        ..ChatCall::default()
    }
}

/// Reads a stream piece by piece.
fn fold(reply: &Reply) -> (Vec<Progress>, Ended) {
    let mut fold = Fold::new();
    let mut all = Vec::new();
    for piece in &reply.pieces {
        all.extend(fold.push(std::str::from_utf8(&piece.bytes).unwrap()).unwrap());
    }
    (all, fold.finish())
}

fn answered(ended: Ended) -> Answer {
    match ended {
        Ended::Answered(answer) => *answer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_quotes_and_cites_the_sources() {
    for era in ["own", "within"] {
        let mut browser = Browser::signed_in();
        browser.admin("POST", "notebooks:switches", &json!({"thinking": era}));
        let asked =
            question(&browser, "Balcony", "Which inverter does the Nordlicht offer have, and what does it cost?");
        let reply = browser.ask(&asked);
        assert!(reply.pieces.len() > 4 && reply.pieces.iter().take(5).all(|piece| piece.wait_ms == 40));
        let (progress, ended) = fold(&reply);
        assert!(matches!(&progress[0], Progress::Thinking(thought) if thought.contains("Looking at the Question")));
        let partial: Vec<&String> = progress
            .iter()
            .filter_map(|one| if let Progress::Partial(text) = one { Some(text) } else { None })
            .collect();
        assert!(
            partial.len() > 3 && partial.windows(2).all(|pair| pair[1].starts_with(pair[0].as_str())),
            "{partial:?}"
        );
        let answer = answered(ended);
        assert!(answer.text.contains("Nordlicht") && answer.text.contains("[1]"), "{}", answer.text);
        assert_eq!(answer.follow_ups.len(), 3);
        let notebook = browser.notebook("Balcony");
        for citation in &answer.citations {
            let source = notebook.sources.iter().find(|one| Some(&one.id) == citation.source_id.as_ref()).unwrap();
            assert_eq!(citation.revision_id.as_ref(), Some(&source.revision));
            // The excerpt stands at its place in the document that the source's own text has.
            let (_, fragment) = positions(&browser, &notebook.id, &source.id, citation.range.unwrap());
            assert_eq!(citation.excerpt, fragment);
            assert!(citation.score.unwrap() > 0.0 && citation.score.unwrap() <= 1.0);
        }
        assert!(!answer.spans.is_empty());
        let plain = answer.document.plain().replace('\n', "");
        let units: Vec<u16> = plain.encode_utf16().collect();
        for span in &answer.spans {
            let said = units.get(span.range.start as usize..span.range.end as usize).unwrap();
            assert!(!String::from_utf16_lossy(said).trim().is_empty());
        }
        assert!(utf16_len(&plain) >= answer.spans.last().unwrap().range.end as usize);
    }
}

/// Returns a source's document, and what stands at a place in it.
fn positions(
    browser: &Browser,
    notebook: &str,
    source: &str,
    range: crate::notebooklm::document::Range,
) -> (String, String) {
    let source = browser.world.notebooks[notebook].source(source).unwrap();
    let mut doc = super::super::parse::parse(&source.text);
    doc.blocks.retain(|block| block.start >= range.start as usize && block.end <= range.end as usize);
    let body = json!([doc.values()]);
    let read = crate::notebooklm::document::body(crate::notebooklm::slot::Slot::new("body", &body));
    (source.text.clone(), read.plain())
}

#[test]
fn other_scripts_are_found() {
    let mut browser = Browser::signed_in();
    let asked = question(&browser, "京都", "千本鳥居はいつ静かですか");
    let answer = answered(fold(&browser.ask(&asked)).1);
    assert!(answer.text.contains("千本鳥居は夜のほうが静かです"), "{}", answer.text);
    let asked = question(&browser, "京都", "zzzz qqqq");
    let answer = answered(fold(&browser.ask(&asked)).1);
    assert!(answer.citations.is_empty() && answer.text.contains("do not say"));
}

#[test]
fn a_turn_is_kept_when_the_last_slots_say_so() {
    let mut browser = Browser::signed_in();
    let asked = question(&browser, "Sourdough", "How warm should the water be?");
    let id = asked.notebook.clone();
    let answer = browser.result(&call::last_conversation(&id));
    let conversation = rows::conversation("hPTbtc", &answer).unwrap().unwrap();
    let reply = browser.ask(&asked);
    assert!(rows::chat_is_busy("oXwmh", &browser.result(&call::chat_status(&id, &conversation))).unwrap());
    assert_eq!(browser.result(&call::turns(&id, &conversation, 20)), json!([]));
    browser.now = reply.ends_ms(browser.now);
    let turns = rows::turns("khqZz", &browser.result(&call::turns(&id, &conversation, 20))).unwrap();
    assert!(matches!(&turns.turns[1].speaker, Speaker::Person(said) if *said == asked.question));
    let Speaker::Product(kept) = &turns.turns[0].speaker else { panic!() };
    let streamed = answered(fold(&reply).1);
    assert_eq!((&kept.text, kept.spans.len()), (&streamed.text, streamed.spans.len()));
    assert_eq!(kept.citations[0].source_id, streamed.citations[0].source_id);

    // Without the notebook, and in a conversation that is none, an answer comes and is not kept.
    for ghost in [
        ChatCall { notebook: String::new(), ..asked.clone() },
        ChatCall { conversation: Some("of-a-stream".into()), ..asked.clone() },
    ] {
        let mut params = ghost.params();
        if ghost.notebook.is_empty() {
            params[7] = json!(null);
            params[8] = json!(null);
        }
        let tokens = browser.tokens.clone().unwrap();
        let mut request = ghost.encode(&tokens.as_session("en"));
        request.body = crate::notebooklm::form::write_chat(&params, &tokens.at);
        answered(fold(&browser.request(&request)).1);
        browser.now += 60_000;
        let turns = rows::turns("khqZz", &browser.result(&call::turns(&id, &conversation, 20))).unwrap();
        assert_eq!(turns.turns.len(), 2);
    }
}

#[test]
fn cancelled() {
    let mut browser = Browser::signed_in();
    let asked = question(&browser, "Sourdough", "What makes the dough sour?");
    let id = asked.notebook.clone();
    let conversation = browser.notebook("Sourdough").conversation.id;
    let reply = browser.ask(&asked);
    let stream = reply.stream.clone().unwrap();
    assert!(browser.world.goes_on(&stream));
    browser.now += 50;
    assert_eq!(browser.result(&call::cancel_chat(&id, &conversation)), json!([]));
    assert!(!browser.world.goes_on(&stream));
    browser.now += 60_000;
    assert_eq!(browser.result(&call::turns(&id, &conversation, 20)), json!([]));
}

#[test]
fn refused() {
    let mut browser = Browser::signed_in();
    let asked = question(&browser, "Balcony", "What?");
    let code = |reply: &Reply| match fold(reply).1 {
        Ended::Rejected(rejection) => rejection.kind,
        other => panic!("{other:?}"),
    };
    let long = ChatCall { question: "x".repeat(10_001), ..asked.clone() };
    assert_eq!(code(&browser.ask(&long)), Rejected::InvalidArgument);
    let none = ChatCall { sources: Vec::new(), ..asked.clone() };
    assert_eq!(code(&browser.ask(&none)), Rejected::InvalidArgument);
    let unknown = ChatCall { sources: vec!["nothing".into()], ..asked.clone() };
    assert_eq!(code(&browser.ask(&unknown)), Rejected::NotFound);
    browser.fault("displayable", "CHAT");
    assert_eq!(code(&browser.ask(&asked)), Rejected::ResourceExhausted);
    browser.fault("quota_exhausted", "CHAT");
    assert_eq!(fold(&browser.ask(&asked)).1, Ended::Exhausted);
    browser.fault("unfinished", "CHAT");
    assert!(matches!(fold(&browser.ask(&asked)).1, Ended::Unfinished(Some(_))));
    browser.admin("POST", "notebooks:faults", &json!({"fault": "stall", "delay_ms": 300_000}));
    let stalled = browser.ask(&asked);
    assert_eq!((stalled.ending, stalled.pieces.last().unwrap().wait_ms), (Ending::Cut, 300_000));
    browser.fault("interstitial", "CHAT");
    assert_eq!(fold(&browser.ask(&asked)).1, Ended::Interstitial);
    let plan = json!({"tier": 1, "notebooks": 100, "sources": 50, "words": 500_000, "chats": 2});
    browser.admin("POST", "notebooks:people", &json!({"email": "demo@example.com", "plan": plan}));
    assert_eq!(fold(&browser.ask(&asked)).1, Ended::Exhausted, "two questions of today have been answered");
    browser.now += 25 * 3_600_000;
    browser.open("/");
    answered(fold(&browser.ask(&asked)).1);
    assert!(!text(&browser.ask(&asked)).is_empty());
}
