//! What can be made arrives whole, in one push: tables beside anything, chips, lists.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail, and says what it saw")]

mod support;

use mcp_workspace::gdocs;
use mcp_workspace::kinds::docs::{self, Access};
use serde_json::Value;

const URL: &str = "https://docs.google.com/document/d/x/edit";

fn text_of(raw: &Value) -> String {
    let fetched = docs::read(serde_json::to_vec(raw).unwrap(), Access::Edit, URL).unwrap();
    let text = &fetched.parts[0].text;
    text.splitn(3, "---\n").nth(2).unwrap_or(text).trim_start().to_owned()
}

fn created(text: &str) -> Result<Value, String> {
    let mut raw = serde_json::to_value(gdocs::new_document("x", "New")).unwrap();
    let plans = docs::plan_creation(&serde_json::to_vec(&raw).unwrap(), text).map_err(|error| error.to_string())?;
    for (seed, plan) in plans.iter().enumerate() {
        let document: gdocs::Document = serde_json::from_value(raw).unwrap();
        let requests = gdocs::read_requests(&plan.requests).unwrap();
        raw = serde_json::to_value(gdocs::apply(&document, &requests, seed as u64).unwrap().document).unwrap();
    }
    Ok(raw)
}

#[test]
fn probe() {
    let table = "| h | i |\n| --- | --- |\n| x | y |\n";
    let cases = [
        "# h1\n\nT\npara\n", "- i\n\nT", "T\nT", "T\n# H\n\nT", "T", "para\n\nT", "1. a\n2. b\n\nT\n1. c\n\nT\n- d\n",
        "# A\n\n# B\n\nT\n## C\n\nT\npara\n\nT", "T\n- i\n", "T\n# H\n", "# H\n", "- a\n- b\n", "T\nT\nT", "- a\n  - b\n\nT\n  para\n\nT\n- c\n  - d\n\nT",
        "{!Title}\n\nHello\n\nT\n{!Title}\n\nX\n\nT",
        "| h | i |\n| --- | --- |\n| x | y | z |\n",
        "para\n\n| h | i |\n| --- | --- |\n| x | y | z |\n",
        "x {^= date \"2026-12-24\"} and {^= date \"2026-12-25\"}.\n",
        "x[^a] and y[^b].\n\n[^a]: one\n\n[^b]: two\n",
        "{^= person \"a@x.com\"} and {^= date \"2026-12-25\"}\n",
        "{^= person \"a@x.com\"}{^= date \"2026-12-25\"}\n",
        "- {^= person \"a@x.com\"} and {^= date \"2026-12-25\"} of {^= date \"2026-12-25\"}\n- b {^= date \"2026-12-25\"}\n",
        "| h {^= date \"2026-12-25\"} and {^= date \"2026-12-26\"} | i |\n| --- | --- |\n| {^= person \"a@x.com\"} | {^= person \"b@x.com\"} {^= person \"c@x.com\"} |\n",
        "a\n\n{^= pagebreak}\n\nb\n\n{^= pagebreak}\n\n{^= pagebreak}\n\nc\n",
        "{^= pagebreak}\n\nb\n",
        "b\n\n{^= pagebreak}\n",
        "# H\n\n{^= pagebreak}\n\n# I\n\n{^= pagebreak}\n\n- a\n",
        "# H {^= date \"2026-12-25\"}, {^= date \"2026-12-26\"}\n\n{^= date \"2026-12-25\"}\n",
        "x [^a]{^= date \"2026-12-25\"} z\n\n[^a]: on {^= date \"2026-12-25\"} and {^= date \"2026-12-25\"}\n",
        "x {^= date \"2026-12-24\"} and\\\n{^= date \"2026-12-25\"} **and** *{^= date \"2026-12-25\"}*.\n",
    ];
    for case in cases {
        let text = case.replace('T', table);
        println!("=== {case:?}");
        match created(&text) {
            Ok(raw) => {
                let found = text_of(&raw);
                if found.trim_end() == text.trim_end() { println!("same") } else { println!("--- {found}") }
            }
            Err(error) => println!("!!! {error}"),
        }
    }
}
