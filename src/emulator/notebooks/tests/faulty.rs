//! Faults to order, each as a client meets it.

use serde_json::json;

use super::{Browser, text};
use crate::emulator::notebooks::reply::Ending;
use crate::notebooklm::call::{self, NewSource};
use crate::notebooklm::ids::Overrides;
use crate::notebooklm::reply::{Outcome, Refusal, Rejected};

#[test]
fn each_as_it_is_met() {
    let mut browser = Browser::signed_in();
    let list = call::list_notebooks();
    browser.admin("POST", "notebooks:faults", &json!({"fault": "429", "retry_after": 7, "times": 2}));
    for _ in 0..2 {
        assert_eq!(browser.call(&list), Outcome::Refused(Refusal::RateLimited { retry_after_s: Some(7) }));
    }
    for (fault, outcome) in [
        ("500", Outcome::Refused(Refusal::Server { status: 500 })),
        ("503", Outcome::Refused(Refusal::Server { status: 503 })),
        ("stale_token", Outcome::Refused(Refusal::StaleToken)),
        ("expired_session", Outcome::Refused(Refusal::Unauthenticated)),
        ("gate", Outcome::Refused(Refusal::Redirected)),
        ("interstitial", Outcome::Interstitial),
        ("truncated", Outcome::Cut),
    ] {
        browser.fault(fault, "LIST_NOTEBOOKS");
        browser.result(&call::settings());
        assert_eq!(browser.call(&list), outcome, "{fault}");
    }
    browser.fault("two_rows", "LIST_NOTEBOOKS");
    browser.result(&list);
    browser.fault("id_rotated", "LIST_NOTEBOOKS");
    assert!(matches!(browser.call(&list), Outcome::Drifted { .. }));
    browser.fault("displayable", "LIST_NOTEBOOKS");
    let Outcome::Rejected(rejection) = browser.call(&list) else { panic!() };
    assert!(rejection.displayable && rejection.kind == Rejected::ResourceExhausted);
    browser.admin("POST", "notebooks:faults", &json!({"fault": "rejected", "code": 13}));
    let Outcome::Rejected(rejection) = browser.call(&list) else { panic!() };
    assert_eq!(rejection.kind, Rejected::Internal);
    browser.result(&list);
}

#[test]
fn what_was_done_although_nobody_heard() {
    let mut browser = Browser::signed_in();
    let tokens = browser.tokens.clone().unwrap();
    let send = |browser: &mut Browser, call: &call::Call| {
        browser.request(&call.encode(&tokens.as_session("en"), &Overrides::default()))
    };
    for (fault, made) in [("lost_reply", true), ("cut_reply", true), ("drop", false)] {
        browser.fault(fault, "CREATE_NOTEBOOK");
        let reply = send(&mut browser, &call::create_notebook(fault));
        assert_eq!(reply.ending, Ending::Cut);
        let found = browser.world.notebooks.values().any(|notebook| notebook.title == fault);
        assert_eq!(found, made, "{fault}");
    }
    browser.admin("POST", "notebooks:faults", &json!({"fault": "slow", "delay_ms": 5_000}));
    let reply = send(&mut browser, &call::list_notebooks());
    assert_eq!(reply.pieces[0].wait_ms, 5_000);
    assert!(text(&reply).starts_with(")]}'"));
}

#[test]
fn a_stub_is_left() {
    let mut browser = Browser::signed_in();
    let solar = browser.notebook("Balcony");
    browser.fault("error_stub", "ADD_SOURCE");
    let new = NewSource::Url("https://example.com/fine".into());
    let Outcome::Rejected(rejection) = browser.call(&call::add_sources(&solar.id, &[new])) else { panic!() };
    assert_eq!(rejection.kind, Rejected::FailedPrecondition);
    let after = browser.notebook("Balcony");
    assert_eq!(after.sources.len(), solar.sources.len() + 1);
    assert_eq!(after.sources.last().unwrap().status(browser.now).code(), 3);
}
