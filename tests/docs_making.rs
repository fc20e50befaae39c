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


/// Pushes a file as the daemon does: once, and again while a plan asks for it. Returns the codes and lines of what is not
/// pushed by the first plan, and the document.
fn pushed(raw: &Value, edited: &str) -> (Vec<String>, Value) {
    let (mut raw, mut told) = (raw.clone(), None);
    for round in 0..4 {
        let remote = docs::read(serde_json::to_vec(&raw).unwrap(), Access::Edit, URL).unwrap();
        let head = &remote.parts[0].text[..remote.parts[0].text.len() - text_of(&raw).len()];
        let plan = docs::plan(&remote, &remote.parts[0].id, &format!("{head}{edited}"), false).unwrap();
        let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
        let requests = gdocs::read_requests(&plan.requests).unwrap();
        let after = gdocs::apply(&document, &requests, 77 + round).unwrap_or_else(|refusal| panic!("{}", refusal.message));
        raw = serde_json::to_value(after.document).unwrap();
        let notices = plan.refused.iter().chain(&plan.holds);
        told.get_or_insert(notices.map(|notice| format!("{} {}", notice.code, notice.line)).collect());
        if !plan.again {
            let again = docs::read(serde_json::to_vec(&raw).unwrap(), Access::Edit, URL).unwrap();
            let text = again.parts[0].text.clone();
            assert!(docs::plan(&again, &again.parts[0].id, &text, false).unwrap().requests.is_empty(), "{edited}");
            return (told.unwrap(), raw);
        }
    }
    panic!("the plan asks for another without end: {edited}");
}

/// The lists of the items of a document, by order of appearance.
fn lists(raw: &Value) -> Vec<usize> {
    let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap();
    let mut known: Vec<&Value> = Vec::new();
    let ids = content.iter().filter_map(|element| element["paragraph"]["bullet"].get("listId"));
    ids.map(|id| {
        known.iter().position(|other| *other == id).unwrap_or_else(|| {
            known.push(id);
            known.len() - 1
        })
    })
    .collect()
}

const TABLE: &str = "| h | i |\n| --- | --- |\n| x | y |\n";

/// What a file says without anchors of headings; `T` stands for a table.
fn canonical(text: &str) -> String {
    let mut text = text.replace(TABLE, "T\n");
    while let Some((at, end)) = text.find("{^ h.").and_then(|at| Some((at, at + text[at..].find('}')? + 1))) {
        text.replace_range(at..end, "");
    }
    text.trim_end().to_owned()
}

#[test]
fn probe() {
    let start = created("a\n\nb\n\n- c\n").unwrap();
    for case in [
        "a\n\nb\n\n- c\n- l1\n- l2\n\nT\n\n# N2\n\nT\n\n- tail\n",
        "a\n\n- l1\n- l2\n\nT\n\n# N2\n\nT\n\nb\n\n- c\n",
        "# H\n\nT\n\na\n\nb\n\n- c\n",
        "a\n\n# H\n\nT\n\nT\n\n# H\n\nT\n\nb\n\n- c\n\n# H\n\nT\n",
        "# H\n\nT\n\nb\n\n- c\n\nT\n",
        "T\n\n# K\n\nT\n",
        "T\n\n- a\n- b\n\nT\n\nb\n",
        "a\n\nT\n\nb x {^= date \"2026-12-24\"} and {^= date \"2026-12-25\"}.\n\n- c {^= date \"2026-12-24\"}, {^= date \"2026-12-25\"}\n",
        "a\n\nb\n\n7. x\n8. y\n",
    ] {
        let text = case.replace("T\n", TABLE);
        let (told, raw) = pushed(&start, &text);
        println!("=== {case:?}\n{told:?}");
        let found = canonical(&text_of(&raw));
        if found == canonical(&text) { println!("same") } else { println!("--- {found}") }
    }
    for (start, steps) in [
        ("1. a\n2. b\n3. c\n", &["a\n\n1. b\n2. c\n", "1. a\n2. b\n3. c\n"][..]),
        ("1. a\n2. b\n3. c\n", &["1. a\n\nb\n\n1. c\n", "1. a\n2. b\n3. c\n"]),
        ("1. a\n2. b\n3. c\n", &["1. a\n2. b\n\nc\n", "1. a\n2. b\n3. c\n"]),
        ("1. a\n2. b\n3. c\n", &["a\n\nb\n\n1. c\n", "a\n\n1. b\n2. c\n", "1. a\n2. b\n3. c\n"]),
        ("1. a\n   1. b\n2. c\n\nx\n", &["a\n\n1. b\n2. c\n\nx\n", "1. a\n2. b\n3. c\n\nx\n"]),
        ("x\n\n1. a\n   1. b\n   2. c\n\ny\n", &["1. x\n2. a\n   1. b\n   2. c\n\ny\n"]),
        ("1. a\n\nx\n\n1. b\n2. c\n", &["1. a\n2. x\n3. b\n4. c\n"]),
        ("x\n\n1. b\n2. c\n", &["n\n\nx\n\n1. m\n2. b\n3. c\n", "1. n\n2. x\n3. m\n4. b\n5. c\n"]),
        ("x\n\n1. b\n\ny\n", &["x\n\n1. b\n2. c\n3. d\n\ny\n"]),
        ("- a\n- b\n", &["a\n\n- b\n", "- a\n- b\n"]),
        ("1. aa\n2. bb\n", &["7. aa\n8. bb\n", "7. aa\n8. cc\n", "1. aa\n7. cc\n"]),
    ] {
        let mut raw = created(start).unwrap();
        println!("=== {start:?} {:?}", lists(&raw));
        for step in steps {
            let (told, after) = pushed(&raw, step);
            raw = after;
            println!("{step:?} {told:?} {:?} {}", lists(&raw), text_of(&raw) == *step);
        }
    }
}
