//! What is found among mails and documents, here and at Google.

use std::fs;

use serde_json::{Value, json};

use super::support::daily::{document_of, done, refused, world};
use super::support::world::{World, until};
use super::{PLAIN, deliver, fetch, message};

/// The titles that a search shows, and where each stands.
fn found(world: &World, arguments: &[&str]) -> (Vec<String>, Value) {
    let answer = done(world, &[&["search"], arguments].concat());
    let show = |hit: &Value| {
        let place = if hit["path"].is_null() { "remote" } else { "here" };
        format!("{} {} {place}", hit["kind"].as_str().unwrap(), hit["title"].as_str().unwrap())
    };
    (answer["results"].as_array().unwrap().iter().map(show).collect(), answer["told"].clone())
}

#[track_caller]
fn check(world: &World, arguments: &[&str], expected: &[&str], told: &str) {
    let (titles, said) = found(world, arguments);
    assert_eq!(titles, expected, "{arguments:?} {said}");
    assert!(said.to_string().contains(told), "{arguments:?} {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_and_documents_are_found_here_and_at_google() {
    let world = world("mail-searching");
    let (_, trip) = deliver(&world, &message(1, PLAIN, "Shall we go to Lisbon? 東京都 next.")).await;
    let other = message(1, PLAIN, "The quarterly walrus report.").replace("The trip", "The walrus");
    let other = other.replace("trip-1@", "walrus-1@").replace("Ana Lee <ana@", "Bo <bo@");
    deliver(&world, &other).await;
    document_of(&world, "Lisbon plan", "Where to stay.");
    let file = fetch(&world, &trip);
    check(&world, &["lisbon"], &["docs Lisbon plan here", "gmail The trip here"], "");
    check(&world, &["--kind", "gmail", "lisbon"], &["gmail The trip here"], "");
    check(&world, &["--kind", "docs", "lisbon"], &["docs Lisbon plan here"], "");
    check(&world, &["京都"], &["gmail The trip here"], "");
    check(&world, &["from:ana@example.com", "lisbon"], &["gmail The trip here"], "");
    check(&world, &["is:unread", "after:2020-01-01"], &["gmail The trip here"], "");
    // What nobody mirrored is found by Google, when nothing is here or when it is asked for.
    check(&world, &["walrus"], &["gmail The walrus remote"], "");
    check(&world, &["--remote", "from:bo"], &["gmail The walrus remote"], "");
    check(&world, &["subject:trip"], &["gmail The trip here"], "");
    // What only Gmail knows is not passed over.
    check(&world, &["subject:trip -from:bo"], &["gmail The trip here"], "-from:bo is not known here");
    check(&world, &["larger:50M lisbon"], &[], "larger:50M is not known here");
    check(&world, &["--kind", "docs", "larger:50M lisbon"], &[], "no mail is searched");
    // Labels follow.
    let changed = fs::read_to_string(&file).unwrap().replace("UNREAD", "STARRED");
    fs::write(&file, changed).unwrap();
    until("the label is found", || {
        std::future::ready(found(&world, &["is:starred", "lisbon"]).0 == ["gmail The trip here"])
    })
    .await;
    check(&world, &["is:read"], &["gmail The trip here"], "");
    // A Google that does not answer is told, and what is here is found.
    let faults = json!([{ "match": { "path": "/users/me/threads" }, "fault": "400", "times": 20 }]);
    world.post("/admin/faults", &faults).await;
    check(&world, &["--remote", "lisbon"], &["docs Lisbon plan here", "gmail The trip here"], "could not be asked");
    check(&world, &["walrus"], &[], "Gmail of demo@example.com could not be asked");
    let error = refused(&world, &["search", "--account", "b@example.com", "x"]);
    assert!(error.to_string().contains("b@example.com"), "{error}");
}
