//! No input breaks anything: every reader is total.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::recordings::read;
use crate::notebooklm::bootstrap::read_page;
use crate::notebooklm::call::{ChatCall, Exchange, read_chat};
use crate::notebooklm::chat::{Fold, answer_of_chunk};
use crate::notebooklm::document::{blocks, document};
use crate::notebooklm::form;
use crate::notebooklm::frames::{self, Frames};
use crate::notebooklm::hosts::Base;
use crate::notebooklm::ids::Operation;
use crate::notebooklm::json as google;
use crate::notebooklm::reply;
use crate::notebooklm::slot::Slot;

/// JSON as answers have it: lists in lists, with strings that may be JSON, too.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_i64..12).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        "[#*_`|>\\[\\]()!<&~\\n 1.-]{0,12}".prop_map(Value::from),
        Just(json!({"101": "•", "102": 2, "103": -1})),
        Just(json!("18446744073709551616")),
    ];
    leaf.prop_recursive(8, 96, 8, |inner| prop::collection::vec(inner, 0..8).prop_map(Value::Array))
}

fn read_all(value: &Value) {
    for operation in Operation::ALL {
        drop(read(*operation, operation.wire_id(), value));
    }
    let slot = Slot::new("x", value);
    for document in [document(slot), blocks(slot)] {
        let markdown = document.markdown();
        let lines = markdown.text.lines().count();
        for position in [0, 1, 7, u32::MAX] {
            assert!(markdown.line_of(position).is_none_or(|line| (1..=lines).contains(&line)));
        }
        drop(document.plain());
    }
    drop(answer_of_chunk(value));
    drop(read_chat(value));
    drop(reply::rejection_of(slot));
}

mod laws {
    use super::*;

    proptest! {
        #[test]
        fn any_value_is_read(value in value()) {
            read_all(&value);
        }

        #[test]
        fn any_text_is_read(text in ".{0,200}") {
            drop(frames::read(&text));
            drop(google::read(&text));
            drop(reply::read(200, Some(&text), &text, &text));
            drop(read_page(&text));
            drop(form::read_request(&text));
            let _landing = Base::new(&text).map(|base| base.landing(&text));
            let mut fold = Fold::new();
            drop(fold.push(&text));
            drop(fold.finish());
        }

        #[test]
        fn pages_with_any_text_are_read(text in "[\\\\\"'&;:a-z0-9é-]{0,40}") {
            drop(read_page(&format!("\"SNlM0e\":\"{text}\",'FdrFJe':'{text}',&quot;oPEP7c&quot;:{text}")));
        }

        #[test]
        fn frames_are_read_as_they_were_written(chunks in prop::collection::vec(prop::collection::vec(value(), 0..3), 0..4)) {
            let body = frames::write(&chunks);
            let (read, summary) = frames::read(&body).unwrap();
            prop_assert_eq!(summary.declared_bytes, Some(body.len() as u64));
            let written: Vec<Value> = chunks.into_iter().map(Value::Array).collect();
            prop_assert_eq!(&read[..written.len()], &written[..]);
        }

        #[test]
        fn a_cut_changes_nothing(chunks in prop::collection::vec(prop::collection::vec(value(), 0..3), 0..4), at in any::<prop::sample::Index>()) {
            let body = frames::write(&chunks);
            let at = body.floor_char_boundary(at.index(body.len()));
            let mut frames = Frames::new();
            let mut read = frames.push(body.get(..at).unwrap()).unwrap();
            read.extend(frames.push(body.get(at..).unwrap()).unwrap());
            prop_assert_eq!((read, frames.finish()), frames::read(&body).unwrap());
        }

        #[test]
        fn google_json_is_json(value in value()) {
            prop_assert_eq!(google::read(&google::write(&value)).unwrap(), value);
        }

        #[test]
        fn forms_come_back(params in value(), at in ".{0,20}") {
            let read = form::read_request(&form::write_call("wXbhsf", &params, &at)).unwrap();
            prop_assert_eq!((read.id.as_deref(), read.at, read.params), (Some("wXbhsf"), at, params));
        }

        #[test]
        fn questions_come_back(question in ".{0,40}", sources in prop::collection::vec("[a-z0-9-]{1,9}", 0..4),
                               history in prop::collection::vec((".{0,9}", ".{0,9}"), 0..3)) {
            let history = history.into_iter().map(|(question, answer)| Exchange { question, answer }).collect();
            let call = ChatCall { notebook: "n".into(), sources, question, history, conversation: None };
            prop_assert_eq!(read_chat(&call.params()).unwrap(), call);
        }

        /// Plain text is plain text in Markdown: a backslash stands before whatever is no letter, and nothing is lost.
        #[test]
        fn no_word_is_lost(words in prop::collection::vec("[a-z]{1,6}", 1..12)) {
            let text = words.join(" # * _ ");
            let markdown = blocks(Slot::new("x", &json!([[0, 9, [[[0, 9, [text]]]]]]))).markdown().text;
            for word in words {
                prop_assert!(markdown.contains(&word));
            }
        }
    }
}

#[test]
fn deep_and_huge() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(google::read(&deep).is_err());
    let (chunks, summary) = frames::read(&deep).unwrap();
    assert_eq!((chunks.len(), summary.unreadable), (0, 1));
    let mut nested = json!("x");
    for _ in 0..100 {
        nested = json!([nested]);
    }
    read_all(&nested);
    let many: Vec<Value> = (0..50_000).map(|number| json!([[number.to_string()], "t"])).collect();
    let read = crate::notebooklm::rows::added_sources("izAoDd", &json!([many])).unwrap();
    assert_eq!(read.items.len(), crate::notebooklm::rows::ROWS_MAX);
    let many = "[]\n".repeat(frames::CHUNKS_MAX + 1);
    assert_eq!(frames::read(&many), Err(frames::TooMuch::Chunks));
}

/// Numbers come as strings at times, and out of range.
#[test]
fn odd_numbers() {
    let row = |meta: Value| json!([[["T", null, "n", null, null, meta]]]);
    let list = |meta: Value| crate::notebooklm::rows::notebooks("wXbhsf", &row(meta));
    let read = list(json!(["1", 0, null, null, null, ["1704153600", 5_000_000.0]])).unwrap();
    assert_eq!(read.items[0].viewed.unwrap().ms, 1_704_153_600_005);
    for viewed in [json!([i64::MAX, 0]), json!([1, -1]), json!([1, 1e30]), json!("soon"), json!([[1]])] {
        let drift = list(json!([1, false, null, null, null, viewed])).unwrap_err();
        assert!(drift.path.starts_with("wXbhsf[0][0][5][5]"), "{drift}");
    }
}
