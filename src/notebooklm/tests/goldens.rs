//! Answers that others wrote down to pin their reader, with the changes that they look out for.

use serde_json::{Value, json};

use super::recordings::read as read_answer;
use super::{files, json as read_json, name, recordings, say};
use crate::error::NotebookFault;
use crate::notebooklm::fault::fault_of;
use crate::notebooklm::frames;
use crate::notebooklm::ids::Operation;
use crate::notebooklm::reply::{self, Outcome};
use crate::notebooklm::rows::{self, Notebook, Role};

/// Answers whose shape somebody made up: no recording has them, and they are refused.
const MADE_UP: [&str; 7] = [
    "CREATE_NOTE",
    "CREATE_NOTEBOOK",
    "GET_CONVERSATION_TURNS",
    "GET_LAST_CONVERSATION_ID",
    "GET_NOTES_AND_MIND_MAPS",
    "GET_SOURCE",
    "GET_SOURCE_GUIDE",
];

fn outcome(id: &str, chunks: &Value) -> Outcome {
    let rows: Vec<Vec<Value>> =
        chunks.as_array().unwrap().iter().map(|chunk| chunk.as_array().unwrap().clone()).collect();
    reply::read_body(&frames::write(&rows), id)
}

#[test]
fn answers() {
    let Some(folder) = recordings("golden answers") else { return };
    let mut read = 0;
    for path in files(&folder.join("rpc_golden")).into_iter().filter(|path| name(path).ends_with(".json")) {
        let golden = read_json(&path);
        let operation = Operation::by_name(golden["method_name"].as_str().unwrap()).unwrap();
        let id = operation.wire_id();
        let response = &golden["response"];
        let outcome = outcome(id, &response["chunks"]);
        match &outcome {
            Outcome::Result(answer) => {
                assert_eq!(*answer, response["expected_decoded"], "{operation}");
                match read_answer(operation, id, answer) {
                    Ok(_) => {
                        assert!(!MADE_UP.contains(&operation.name()), "{operation} is read");
                        read += 1;
                    }
                    Err(drift) if MADE_UP.contains(&operation.name()) => {
                        say(&format!("  {operation}: made up: {drift}"));
                    }
                    Err(drift) => panic!("{operation}: {drift}"),
                }
            }
            // What says nothing is what they call null, which is well where they allow it.
            _ => {
                assert!(response["expected_decoded"].is_null(), "{operation}: {outcome:?}");
                assert_eq!(fault_of(&outcome, operation), None, "{operation}: {outcome:?}");
                read += 1;
            }
        }
    }
    say(&format!("goldens: {read} answers read"));
}

#[test]
fn drift_cases() {
    let Some(folder) = recordings("golden drift cases") else { return };
    let mut count = 0;
    for path in files(&folder.join("rpc_golden")).into_iter().filter(|path| name(path).ends_with(".json")) {
        let golden = read_json(&path);
        let operation = Operation::by_name(golden["method_name"].as_str().unwrap()).unwrap();
        for case in golden["drift_cases"].as_array().into_iter().flatten() {
            let outcome = outcome(operation.wire_id(), &case["chunks"]);
            let what = format!("{operation} {}: {outcome:?}", case["name"]);
            if let Some(wanted) = case.get("expected_decoded") {
                assert_eq!(outcome, Outcome::Result(wanted.clone()), "{what}");
            } else {
                let kind = fault_of(&outcome, operation);
                let words = case["expected_message_substring"].as_str().unwrap();
                match case["expected_exception"].as_str().unwrap() {
                    "UnknownRPCMethodError" => {
                        assert!(matches!(outcome, Outcome::Drifted { .. }), "{what}");
                        assert_eq!(kind, Some(NotebookFault::ParseError), "{what}");
                    }
                    "RateLimitError" => assert_eq!(kind, Some(NotebookFault::RateLimited), "{what}"),
                    "ClientError" => assert_eq!(kind, Some(NotebookFault::NotFound), "{what}"),
                    _ if words == "rate limit" => assert_eq!(kind, Some(NotebookFault::RateLimited), "{what}"),
                    _ => {
                        let Outcome::Rejected(rejection) = &outcome else { panic!("{what}") };
                        assert_eq!(rejection.message.as_deref(), Some(words), "{what}");
                    }
                }
            }
            count += 1;
        }
    }
    say(&format!("goldens: {count} drift cases"));
}

/// What others make of a notebook, as far as we have the same fields.
fn mapped(notebook: &Notebook) -> Value {
    let at = |moment: Option<rows::Moment>| moment.map(|moment| moment.ms);
    json!({
        "id": notebook.id,
        "title": notebook.title,
        "created_at": at(notebook.created),
        "sources_count": notebook.sources.len(),
        "is_owner": notebook.role == Some(Role::Owner),
        "last_viewed_at": at(notebook.viewed),
        "emoji": notebook.emoji,
    })
}

fn wanted(expected: &Value) -> Value {
    let at = |key: &str| match expected[key].as_str() {
        // The three moments of these files.
        Some("2024-01-01T00:00:00+00:00") => json!(1_704_067_200_000_i64),
        Some("2024-01-02T00:00:00+00:00") => json!(1_704_153_600_000_i64),
        Some("2024-01-03T00:00:00+00:00") => json!(1_704_240_000_000_i64),
        Some(other) => panic!("{other}"),
        None => Value::Null,
    };
    json!({
        "id": expected["id"],
        "title": expected["title"],
        "created_at": at("created_at"),
        "sources_count": expected["sources_count"],
        "is_owner": expected["is_owner"],
        "last_viewed_at": at("last_viewed_at"),
        "emoji": expected["emoji"],
    })
}

#[test]
fn mapped_things() {
    let Some(folder) = recordings("golden mappers") else { return };
    let golden = |file: &str| read_json(&folder.join("rpc_golden").join(file));

    let list = golden("LIST_NOTEBOOKS.json");
    let read = rows::notebooks("wXbhsf", &list["response"]["expected_decoded"]).unwrap();
    let expected = list["mapper_expected"].as_array().unwrap();
    assert_eq!(read.items.iter().map(mapped).collect::<Vec<_>>(), expected.iter().map(wanted).collect::<Vec<_>>());
    assert_eq!(read.items[1].role, Some(Role::Viewer));

    let get = golden("GET_NOTEBOOK.json");
    let read = rows::notebook_of_get("rLM1Ne", &get["response"]["expected_decoded"]).unwrap();
    assert_eq!(mapped(&read), wanted(&get["mapper_expected"]));

    let added = golden("ADD_SOURCE.json");
    let read = rows::added_sources("izAoDd", &added["response"]["expected_decoded"]).unwrap();
    assert_eq!(json!(read.items[0].id), added["mapper_expected"]["id"]);
    assert_eq!(read.items[0].status, rows::Status::Untold);

    let next = golden("SUGGEST_NEXT_STEPS.json");
    let read = rows::suggestions("OcvKNc", &next["response"]["expected_decoded"]).unwrap();
    for (one, expected) in read.items.iter().zip(next["mapper_expected"].as_array().unwrap()) {
        assert_eq!(json!(one.question), expected["question"]);
    }
}
