//! Every operation that the codec builds, over real state.

use serde_json::{Value, json};

use super::{Browser, NOON};
use crate::notebooklm::call::{self, Goal, Length, NewSource, TextForm};
use crate::notebooklm::document::Block;
use crate::notebooklm::reply::{Outcome, Rejected};
use crate::notebooklm::rows::{self, Freshness, NoteKind, Role, SourceKind, Speaker, Status};
use crate::notebooklm::slot::Slot;

fn rejected(outcome: &Outcome) -> Rejected {
    match outcome {
        Outcome::Rejected(rejection) => rejection.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn notebooks() {
    let mut browser = Browser::signed_in();
    let list = rows::notebooks("wXbhsf", &browser.result(&call::list_notebooks())).unwrap();
    assert!(list.odd.is_empty());
    let titles: Vec<&str> = list.items.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Balcony solar", "京都 Kyoto in November", "Sourdough, shared"]);
    assert_eq!(list.items[2].role, Some(Role::Viewer));
    assert_eq!(list.items[0].limits.as_ref().unwrap().sources, Some(300));

    let made = rows::notebook("CCqFvf", &browser.result(&call::create_notebook("New 🙂"))).unwrap();
    assert!(made.conversation.is_some());
    browser.now += 1000;
    let got = rows::notebook_of_get("rLM1Ne", &browser.result(&call::get_notebook(&made.id))).unwrap();
    assert_eq!((got.title.as_str(), got.viewed.unwrap().ms), ("New 🙂", NOON + 1000));
    let row = browser.result(&call::rename_notebook(&made.id, "Newer"));
    assert_eq!(rows::notebook("s0tc2d", &row).unwrap().title, "Newer");
    browser.result(&call::set_emoji(&made.id, "📘"));
    browser.result(&call::set_chat(&made.id, &Goal::Custom("Be brief.".into()), Length::Shorter));
    let got = rows::notebook_of_get("rLM1Ne", &browser.result(&call::get_notebook(&made.id))).unwrap();
    let chat = got.chat.unwrap();
    assert_eq!(
        (got.emoji.as_deref(), chat.goal, chat.length),
        (Some("📘"), Goal::Custom("Be brief.".into()), Length::Shorter)
    );

    assert_eq!(rejected(&browser.call(&call::remove_from_recent(&made.id))), Rejected::Internal);
    let ids = |browser: &mut Browser| browser.result(&call::list_notebooks()).to_string().contains(&made.id);
    assert!(!ids(&mut browser));
    browser.result(&call::get_notebook(&made.id));
    assert!(ids(&mut browser));
    assert_eq!(browser.result(&call::delete_notebook(&made.id)), json!([]));
    assert_eq!(rejected(&browser.call(&call::get_notebook(&made.id))), Rejected::NotFound);
    let bread = browser.notebook("Sourdough").id;
    assert_eq!(rejected(&browser.call(&call::delete_notebook(&bread))), Rejected::PermissionDenied);
    assert_eq!(rejected(&browser.call(&call::rename_notebook(&bread, "Mine"))), Rejected::PermissionDenied);
}

#[test]
fn the_limit_of_notebooks() {
    let mut browser = Browser::signed_in();
    let plan = json!({"tier": 1, "notebooks": 3, "sources": 2, "words": 100, "chats": 2});
    browser.admin("POST", "notebooks:people", &json!({"email": "demo@example.com", "plan": plan}));
    browser.result(&call::create_notebook("third"));
    assert_eq!(rejected(&browser.call(&call::create_notebook("fourth"))), Rejected::InvalidArgument);
    let third = browser.notebook("third").id;
    let text = |words: usize| NewSource::Text { title: "t".into(), text: "word ".repeat(words) };
    assert_eq!(rejected(&browser.call(&call::add_sources(&third, &[text(101)]))), Rejected::InvalidArgument);
    browser.result(&call::add_sources(&third, &[text(100)]));
    browser.result(&call::add_sources(&third, &[text(1)]));
    assert_eq!(rejected(&browser.call(&call::add_sources(&third, &[text(1)]))), Rejected::InvalidArgument);
}

#[test]
fn sources_move_with_the_clock() {
    let mut browser = Browser::signed_in();
    let solar = browser.notebook("Balcony").id;
    let good = NewSource::Url("https://example.com/wind-power/basics".into());
    let bad = NewSource::Url("https://example.com/fails/always".into());
    let video = NewSource::YouTube("https://www.youtube.com/watch?v=abc123".into());
    let answer = browser.result(&call::add_sources(&solar, &[good, bad, video]));
    let added = rows::added_sources("izAoDd", &answer).unwrap();
    assert!(added.items.iter().all(|source| source.status == Status::Processing && source.revision.is_none()));
    let status = |browser: &mut Browser| {
        let answer = browser.result(&call::get_notebook(&solar));
        rows::notebook_of_get("rLM1Ne", &answer).unwrap().sources.into_iter().skip(3).collect::<Vec<_>>()
    };
    browser.now += 1_999;
    assert!(status(&mut browser).iter().all(|source| source.status == Status::Processing));
    browser.admin("POST", "notebooks:clock", &json!({"advance_ms": 1}));
    let sources = status(&mut browser);
    assert_eq!(
        sources.iter().map(|source| (source.kind, source.status)).collect::<Vec<_>>(),
        [
            (SourceKind::WebPage, Status::Ready),
            (SourceKind::WebPage, Status::Failed),
            (SourceKind::YouTube, Status::Ready)
        ]
    );
    assert_eq!(sources[1].failure, Some(rows::Failure::Place { place: 6, code: Some(1) }));
    assert_eq!(sources[2].video.as_ref().unwrap().0, "https://www.youtube.com/watch?v=abc123");
    assert!(sources[0].words.unwrap() > 50 && sources[0].revision.is_some());

    let invalid = NewSource::Url("ftp://example.com/".into());
    assert_eq!(rejected(&browser.call(&call::add_sources(&solar, &[invalid]))), Rejected::InvalidArgument);
    let gone = NewSource::Url("https://nowhere.invalid/".into());
    assert_eq!(rejected(&browser.call(&call::add_sources(&solar, &[gone]))), Rejected::FailedPrecondition);
    assert_eq!(status(&mut browser).last().unwrap().status, Status::Failed);
    let later = NewSource::Url("https://example.com/later".into());
    let answer = browser.result(&call::add_sources_async(&solar, &[later]));
    assert_eq!(rows::added_sources("X1snv", &answer).unwrap().items[0].status, Status::Untold);
}

#[test]
fn source_text_guide_and_passages() {
    let mut browser = Browser::signed_in();
    let solar = browser.notebook("Balcony");
    let guide = solar.sources[0].id.clone();
    let answer = browser.result(&call::source_text(&solar.id, &guide, TextForm::Document));
    let read = rows::source_text("hizoJc", &answer).unwrap();
    let markdown = read.document.markdown().text;
    for part in ["# Balcony solar for a rented flat ☀️", "**800 W**", "| Small", "```python", "1. Weigh", "---"] {
        assert!(markdown.contains(part), "{part} in {markdown}");
    }
    assert!(read.document.blocks.iter().any(|block| matches!(block, Block::Table(_))));
    assert_eq!(read.source.unwrap().revision.as_deref(), Some(solar.sources[0].revision.as_str()));
    let html = browser.result(&call::source_text(&solar.id, &guide, TextForm::Html));
    assert!(rows::source_text("hizoJc", &html).unwrap().html.unwrap().contains("<h1>Balcony"));
    let about = rows::source_guide("tr032e", &browser.result(&call::source_guide(&solar.id, &guide))).unwrap();
    assert!(about.summary.contains("Guide to balcony solar") && about.keywords.len() == 5, "{about:?}");
    let whole = rows::notebook_guide("VfAZjd", &browser.result(&call::notebook_guide(&solar.id))).unwrap();
    assert!(whole.summary.contains("**House meeting**") && whole.questions.len() == 3, "{whole:?}");
    let steps = browser.result(&call::next_steps(&solar.id));
    assert_eq!(rows::suggestions("OcvKNc", &steps).unwrap().items.len(), 3);

    let found = browser.result(&call::search_passages(&solar.id, "Which inverter has the Nordlicht offer?", &[]));
    let found = rows::passages("ASU5Oe", &found).unwrap();
    assert_eq!(found.items[0].source, solar.sources[1].id);
    assert!(found.items[0].text.contains("Nordlicht") && found.items[0].range.is_some());
    let only = browser.result(&call::search_passages(&solar.id, "inverter", &[guide.as_str()]));
    let only = rows::passages("ASU5Oe", &only).unwrap();
    assert!(only.items.iter().all(|passage| passage.source == guide) && !only.items.is_empty());
}

#[test]
fn sources_are_renamed_refreshed_appended_and_deleted() {
    let mut browser = Browser::signed_in();
    let solar = browser.notebook("Balcony");
    let (text, page, doc) = (&solar.sources[0].id, &solar.sources[1].id, &solar.sources[2].id);
    let renamed = browser.result(&call::rename_source(&solar.id, text, "Guide"));
    assert_eq!(rows::mutated_source("b7Wfje", &renamed).unwrap().title, "Guide");
    let fresh = |browser: &mut Browser, id: &str| {
        rows::freshness("yR9Yof", &browser.result(&call::check_freshness(&solar.id, id))).unwrap()
    };
    assert_eq!(fresh(&mut browser, page), Freshness::Fresh);
    assert_eq!(fresh(&mut browser, doc), Freshness::Fresh);
    let file = super::super::seed::MINUTES_FILE;
    browser.admin("POST", "notebooks:drive", &json!({"id": file, "title": "House meeting", "text": "# Other\n\nNew."}));
    assert_eq!(fresh(&mut browser, doc), Freshness::Stale);
    let before = solar.sources[2].revision.clone();
    let row = rows::mutated_source("FLmJqe", &browser.result(&call::refresh_source(&solar.id, doc))).unwrap();
    assert!(row.revision.is_some() && row.revision != Some(before));
    assert_eq!(fresh(&mut browser, doc), Freshness::Fresh);
    assert_eq!(browser.call(&call::refresh_source(&solar.id, page)), Outcome::Empty);
    assert_eq!(rejected(&browser.call(&call::refresh_source(&solar.id, text))), Rejected::InvalidArgument);

    let before = browser.notebook("Balcony").sources[0].revision.clone();
    assert_eq!(browser.call(&call::append_text(&solar.id, text, "More", "And more.")), Outcome::Empty);
    let after = browser.notebook("Balcony").sources[0].clone();
    assert!(after.revision != before && after.text.ends_with("## More\n\nAnd more."));

    let bread = browser.notebook("Sourdough").id;
    assert_eq!(rejected(&browser.call(&call::delete_sources(&bread, &[text]))), Rejected::NotFound);
    assert_eq!(browser.result(&call::delete_sources(&solar.id, &[text])), json!([]));
    let gone = browser.call(&call::source_text(&solar.id, text, TextForm::Document));
    assert_eq!(rejected(&gone), Rejected::NotFound);
    let drive = NewSource::Drive {
        file: file.into(),
        mime: "application/vnd.google-apps.document".into(),
        title: "Minutes".into(),
    };
    let added = browser.result(&call::add_sources(&solar.id, &[drive]));
    let added = rows::added_sources("izAoDd", &added).unwrap();
    assert_eq!((added.items[0].kind, added.items[0].drive_file.as_deref()), (SourceKind::GoogleDocs, Some(file)));
}

#[test]
fn notes() {
    let mut browser = Browser::signed_in();
    let solar = browser.notebook("Balcony").id;
    let list = |browser: &mut Browser| rows::notes("cFji9", &browser.result(&call::list_notes(&solar))).unwrap().items;
    let kinds: Vec<NoteKind> = list(&mut browser).iter().map(|note| note.kind).collect();
    assert_eq!(kinds, [NoteKind::Written, NoteKind::MindMap]);
    let raw = browser.result(&call::list_notes(&solar));
    assert!(raw[0].as_array().unwrap().iter().any(|row| row[1].is_null() && row[2] == 2), "{raw}");
    let made = rows::created_note("CYK0Xb", &browser.result(&call::create_note(&solar, "Mine"))).unwrap();
    assert_eq!((made.title.as_str(), made.content.as_str()), ("New Note", ""));
    browser.now += 5;
    let answer = browser.result(&call::update_note(&solar, &made.id, Some("Mine"), "Text 🙂"));
    let changed = rows::created_note("cYAfTb", &answer).unwrap();
    assert_eq!((changed.title.as_str(), changed.edited.unwrap().ms), ("Mine", NOON + 5));
    browser.result(&call::update_note(&solar, &made.id, None, "Other"));
    let read = list(&mut browser);
    assert_eq!((read[2].title.as_str(), read[2].content.as_str()), ("Mine", "Other"));
    browser.result(&call::delete_notes(&solar, &[&made.id]));
    assert_eq!(list(&mut browser).len(), 2);
    let gone = browser.call(&call::update_note(&solar, &made.id, None, "x"));
    assert_eq!(rejected(&gone), Rejected::NotFound);
}

#[test]
fn conversations_of_the_seed() {
    let mut browser = Browser::signed_in();
    let solar = browser.notebook("Balcony").id;
    let answer = browser.result(&call::last_conversation(&solar));
    let conversation = rows::conversation("hPTbtc", &answer).unwrap().unwrap();
    let turns = rows::turns("khqZz", &browser.result(&call::turns(&solar, &conversation, 20))).unwrap();
    assert_eq!((turns.turns.len(), turns.next), (2, None));
    let Speaker::Product(answer) = &turns.turns[0].speaker else { panic!() };
    assert!(answer.text.contains("[1]") && !answer.citations.is_empty(), "{answer:?}");
    let half = rows::turns("khqZz", &browser.result(&call::turns(&solar, &conversation, 1))).unwrap();
    assert_eq!((half.turns.len(), half.next.as_deref()), (1, Some("1")));
    assert!(!rows::chat_is_busy("oXwmh", &browser.result(&call::chat_status(&solar, &conversation))).unwrap());
    browser.result(&call::delete_conversation(&solar, &conversation));
    assert_eq!(browser.result(&call::turns(&solar, &conversation, 20)), json!([]));
}

#[test]
fn the_account() {
    let mut browser = Browser::signed_in();
    let limits = rows::limits("ZwVcOc", &browser.result(&call::settings())).unwrap();
    assert_eq!((limits.tier, limits.notebooks, limits.language.as_deref()), (Some(6), Some(500), Some("en")));
    rows::limits("SatQRc", &browser.result(&call::account())).unwrap();
    let usage = rows::usage("EylDcb", &browser.result(&call::usage())).unwrap();
    assert_eq!(usage.items.len(), 2);
    assert_eq!(usage.items[1].left_percent, Some(100.0));
    let solar = browser.notebook("Balcony").id;
    assert_eq!(browser.result(&call::list_artifacts(&solar)), json!([]));
}

#[test]
fn a_hundred_notebooks() {
    let mut browser = Browser::signed_in();
    let made = browser.admin("POST", "notebooks:generate", &json!({"count": 100, "seed": 5}));
    assert_eq!(made["notebooks"], 100);
    let list = rows::notebooks("wXbhsf", &browser.result(&call::list_notebooks())).unwrap();
    assert_eq!((list.items.len(), list.odd.len()), (103, 0));
    let count: usize = list.items.iter().map(|one| one.sources.len()).sum();
    assert_eq!(Value::from(count - 8), made["sources"]);
    assert!(list.items.iter().flat_map(|one| &one.sources).all(|source| source.status == Status::Ready));
    let row = json!([["x"], "t"]);
    rows::source(Slot::new("row", &row)).unwrap();
}

#[test]
fn admin_changes_what_a_person_would() {
    let mut browser = Browser::signed_in();
    let body = json!({"title": "By hand", "emoji": "✍️", "shares": {"other@example.com": "editor"},
        "sources": [{"title": "a", "text": "One."}, {"file": "b.csv", "text": "x,y\n1,2"}],
        "notes": [{"title": "n", "text": "t"}]});
    let made = browser.admin("POST", "notebooks", &body);
    let id = made["id"].as_str().unwrap().to_owned();
    let source = made["sources"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(made["sources"][1]["status"], 5);
    let changed = browser.admin("PATCH", &format!("notebooks/{id}/sources/{source}"), &json!({"text": "Two."}));
    assert_ne!(changed["sources"][0]["revision"], made["sources"][0]["revision"]);
    browser.admin("POST", &format!("notebooks/{id}/notes"), &json!({"title": "m"}));
    let shared = browser.admin("POST", &format!("notebooks/{id}/share"), &json!({"email": "other@example.com"}));
    assert_eq!((shared["shares"].clone(), shared["notes"].as_array().unwrap().len()), (json!({}), 2));
    browser.now += 60_000;
    let got = rows::notebook_of_get("rLM1Ne", &browser.result(&call::get_notebook(&id))).unwrap();
    assert_eq!(got.sources[1].kind, SourceKind::Csv);
    assert!(got.sources.iter().all(|source| source.status == Status::Ready));
}
