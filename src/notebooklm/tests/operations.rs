//! Operations, ids and what outcomes mean.

use std::collections::BTreeSet;

use serde_json::json;

use crate::error::NotebookFault;
use crate::notebooklm::fault::fault_of;
use crate::notebooklm::frames;
use crate::notebooklm::ids::{BadOverride, Operation, Overrides};
use crate::notebooklm::reply::{self, Outcome, Refusal};

#[test]
fn names_and_ids_are_unique() {
    let names: BTreeSet<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
    let ids: BTreeSet<_> = Operation::ALL.iter().map(|operation| operation.wire_id()).collect();
    assert_eq!((names.len(), ids.len()), (Operation::ALL.len(), Operation::ALL.len()));
    for operation in Operation::ALL {
        assert_eq!(Operation::by_name(operation.name()), Some(*operation));
    }
}

#[test]
fn overrides() {
    let overrides = Overrides::new([("LIST_NOTEBOOKS", "newId1")]).unwrap();
    assert_eq!(overrides.wire_id(Operation::ListNotebooks), "newId1");
    assert_eq!(overrides.wire_id(Operation::GetNotebook), "rLM1Ne");
    assert_eq!(overrides.operation("newId1"), Some(Operation::ListNotebooks));
    assert_eq!(overrides.operation("wXbhsf"), None);
    let Err(BadOverride::UnknownName { near, .. }) = Overrides::new([("LIST_NOTEBOOK", "newId1")]) else { panic!() };
    assert_eq!(near.first(), Some(&"LIST_NOTEBOOKS"));
    for id in ["", "abc", "a-b-c", "toolongtoolong", "ünïcödé"] {
        assert!(matches!(Overrides::new([("LIST_NOTEBOOKS", id)]), Err(BadOverride::BadId { .. })), "{id}");
    }
    assert!(matches!(Overrides::new([("LIST_NOTEBOOKS", "rLM1Ne")]), Err(BadOverride::Twice { .. })));
    // Two ids that change places are no doubling.
    assert!(Overrides::new([("LIST_NOTEBOOKS", "rLM1Ne"), ("GET_NOTEBOOK", "wXbhsf")]).is_ok());
}

#[track_caller]
fn check(status: u16, body: &str, operation: Operation, kind: Option<NotebookFault>) {
    let outcome = reply::read(status, Some("7"), body, operation.wire_id());
    assert_eq!(fault_of(&outcome, operation), kind, "{outcome:?}");
}

fn rejected(operation: Operation, code: i64) -> String {
    frames::write(&[vec![reply::rejection_row(Some(operation.wire_id()), code, code == 8)]])
}

#[test]
fn what_outcomes_mean() {
    use Operation as O;
    for (operation, code, kind) in [
        (O::GetNotebook, 5, NotebookFault::NotFound),
        (O::ListNotebooks, 7, NotebookFault::NotFound),
        (O::ListNotebooks, 16, NotebookFault::AuthRequired),
        (O::GetNotebook, 8, NotebookFault::RateLimited),
        (O::GetNotebook, 13, NotebookFault::NetworkError),
        (O::CreateNotebook, 3, NotebookFault::LimitReached),
        (O::CreateNotebook, 7, NotebookFault::LimitReached),
        (O::AddSource, 3, NotebookFault::UnsupportedUrl),
        (O::AddSource, 9, NotebookFault::ProcessingFailed),
        (O::RefreshSource, 3, NotebookFault::Refused),
        (O::RemoveRecentlyViewed, 5, NotebookFault::NotFound),
    ] {
        check(200, &rejected(operation, code), operation, Some(kind));
    }
    check(200, &rejected(O::RemoveRecentlyViewed, 13), O::RemoveRecentlyViewed, None);
    let silent = frames::write(&[vec![json!(["di", 1])]]);
    check(200, &silent, O::ListNotebooks, Some(NotebookFault::ParseError));
    check(200, "<!doctype html><html>", O::ListNotebooks, Some(NotebookFault::AuthRequired));
    check(200, ")]}'\n\n9\n[[\"wrb", O::ListNotebooks, Some(NotebookFault::NetworkError));
    check(302, "", O::ListNotebooks, Some(NotebookFault::AuthRequired));
    check(
        400,
        "{\"error\":{\"code\":400,\"message\":\"Invalid request token\"}}",
        O::ListNotebooks,
        Some(NotebookFault::SessionExpired),
    );
    check(400, "{}", O::ListNotebooks, Some(NotebookFault::ParseError));
    check(401, "", O::ListNotebooks, Some(NotebookFault::AuthRequired));
    check(403, "", O::ListNotebooks, Some(NotebookFault::AuthRequired));
    check(429, "", O::ListNotebooks, Some(NotebookFault::RateLimited));
    check(503, "", O::ListNotebooks, Some(NotebookFault::NetworkError));
    let drifted = frames::write(&[vec![reply::result_row("ZZdrift", &json!([1]))]]);
    check(200, &drifted, O::ListNotebooks, Some(NotebookFault::ParseError));
    let outcome = reply::read(429, Some("7"), "", "x");
    assert_eq!(outcome, Outcome::Refused(Refusal::RateLimited { retry_after_s: Some(7) }));
}

/// An answer stands against a later row that says nothing, and against one that refuses.
#[test]
fn the_last_that_says_something_counts() {
    let empty = json!(["wrb.fr", "wXbhsf", null, null, null, null, "generic"]);
    let refused = reply::rejection_row(Some("wXbhsf"), 5, false);
    let one = reply::result_row("wXbhsf", &json!([1]));
    let two = reply::result_row("wXbhsf", &json!([2]));
    for (rows, wanted) in [
        (vec![empty.clone(), one.clone()], json!([1])),
        (vec![one.clone(), empty.clone()], json!([1])),
        (vec![one.clone(), two, empty.clone()], json!([2])),
        (vec![one, refused.clone()], json!([1])),
    ] {
        assert_eq!(reply::read_body(&frames::write(&[rows]), "wXbhsf"), Outcome::Result(wanted));
    }
    let both = frames::write(&[vec![empty.clone(), refused, empty]]);
    assert!(matches!(reply::read_body(&both, "wXbhsf"), Outcome::Rejected(rejection) if rejection.code == 5));
}

/// What is told of a drift holds nothing of anybody's.
#[test]
fn drifts_tell_shapes_alone() {
    let answer = json!([["secret title", null, {"secret": 1}]]);
    let drift = crate::notebooklm::rows::notebooks("wXbhsf", &json!([answer])).unwrap_err();
    assert_eq!(drift.to_string(), "wXbhsf[0][0][2]: expected an id, found a map of 1");
    let drift = crate::notebooklm::rows::notebooks("wXbhsf", &answer).unwrap_err();
    assert!(!drift.to_string().contains("secret"), "{drift}");
}
