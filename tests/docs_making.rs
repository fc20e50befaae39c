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
        "x [^a] z[^b]\n\n[^a]: on\n\n[^b]: {^= date \"2026-12-25\"}\n",
        "x [^a]\n\n[^a]: {^= date \"2026-12-25\"}\n",
        "x [^a] z[^b]\n\n[^a]: on {^= date \"2026-12-25\"} and\n\n[^b]: two {^= date \"2026-12-25\"}\n",
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
