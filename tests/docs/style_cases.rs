//! Styles, links, code and lists, case by case: what is typed, what is told, and what the file says afterwards.

use crate::support::every_style;
use crate::support::model::fetched;
use mcp_workspace::gdocs;
use mcp_workspace::kinds::PushPlan;
use mcp_workspace::kinds::docs;
use mcp_workspace::mebdf;
use serde_json::Value;

fn carried_out(raw: &Value, plan: &PushPlan) -> Value {
    let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
    let requests = gdocs::read_requests(&plan.requests).unwrap();
    serde_json::to_value(&gdocs::apply(&document, &requests, 5).unwrap().document).unwrap()
}

/// A demo document, and what becomes of it: pieces of the file are replaced, and after the push the file holds `wanted`.
fn check(file: &str, edits: &[(&str, &str)], codes: &[&str], wanted: &str) -> PushPlan {
    let path = format!("{}/fixtures/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let raw: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let remote = fetched(&raw);
    let mut edited = remote.parts[0].text.clone();
    for (old, new) in edits {
        assert!(edited.contains(old), "{old:?} is not in {edited}");
        edited = edited.replacen(old, new, 1);
    }
    let plan =
        docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap_or_else(|error| panic!("{error}\n{edited}"));
    let told: Vec<&str> = plan.refused.iter().map(|notice| notice.code.as_str()).collect();
    assert_eq!(told, codes, "{edits:?}: {:#?}", plan.refused);
    let after = carried_out(&raw, &plan);
    let again = fetched(&after);
    assert!(
        again.parts[0].text.contains(wanted),
        "{edits:?}: {wanted:?} is not in {}\n{:#?}",
        again.parts[0].text,
        plan.requests
    );
    let second = docs::plan(&again, &again.parts[0].id, &again.parts[0].text, false).unwrap();
    assert!(second.requests.is_empty() && second.refused.is_empty(), "{:#?}", second.requests);
    plan
}

/// A plain paragraph of the demo.
const PLAIN: &str = "Chidi.";

#[test]
fn a_document_of_every_style_shows_its_overrides_only() {
    let remote = fetched(&every_style());
    let part = &remote.parts[0];
    let wanted = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/docs/every-style.md")).unwrap();
    assert_eq!(part.text, wanted);
    for text in [part.text.clone(), part.text.replace('\n', "\r\n"), mebdf::print(&mebdf::parse(&part.text).tree)] {
        let plan = docs::plan(&remote, &part.id, &text, false).unwrap();
        assert!(plan.requests.is_empty() && plan.refused.is_empty(), "{:#?} {:#?}", plan.requests, plan.refused);
    }
}

#[test]
fn what_is_not_shown_is_not_touched() {
    for (old, new, requests, text) in [
        // The weight of a typewriter font other than ours changes, and the font stays.
        (
            "{!font:Courier New}typewriter",
            "{!font:Courier New, weight:700}typewriter",
            1,
            "{!font:Courier New, weight:700}typewriter",
        ),
        // A heading keeps the alignment that it does not show.
        ("# {^ h.styles1}{!color:#008033}Centred", "## {^ h.styles1}{!color:#008033}Centred", 1, "## {^ h.styles1}"),
        ("### {^ h.styles3}a heading that", "### {^ h.styles3}still a heading that", 1, "still a heading"),
        // A heading that was an item leaves its list when it becomes a paragraph.
        ("### {^ h.styles3}a heading that", "a text that", 5, "\n\na text that is an item"),
        ("{!Normal text}\nDirect", "Direct", 9, "to format one\n\nDirect"),
        ("{!font:Calibri, size:12pt, align:justify", "{!font:Calibri, size:13pt, align:justify", 2, "size:13pt"),
        (", line-spacing:1.5}", "}", 1, "align:justify}"),
        ("1. Roman, from four on", "1. Roman, from 4 on", 3, "{!list:roman 4}\n1. Roman, from 4 on"),
        ("    println", "  println", 1, "\n  println"),
    ] {
        let plan = check("docs/every-style", &[(old, new)], &[], text);
        assert!(plan.requests.len() <= requests, "{old:?}: {:#?}", plan.requests);
    }
    let plan = check(
        "docs/every-style",
        &[("{!font:Courier New}typewriter", "{!font:Courier New, weight:700}typewriter")],
        &[],
        "typewriter",
    );
    assert_eq!(plan.requests[0]["updateTextStyle"]["textStyle"]["weightedFontFamily"]["fontFamily"], "Courier New");
    // A paragraph that becomes a heading leaves behind what was said of it, but for the way it runs.
    let plan = check("docs/every-style", &[("\nShaded, indented", "\n# Shaded, indented")], &["NO_EFFECT"], "Shaded");
    let fields = plan.requests[0]["updateParagraphStyle"]["fields"].as_str().unwrap();
    for field in ["namedStyleType", "indentStart", "spaceBelow", "shading"] {
        assert!(fields.contains(field), "{field} is not in {fields}");
    }
    assert!(!fields.contains("direction"), "{fields}");
    check("docs/every-style", &[("{!list:roman 4}", "{!list:roman 7}")], &["LIST_LOCKED"], "{!list:roman 4}");
    check("docs/every-style", &[("{!Title, align:center}", "{!Title}")], &[], "{!Title}\n{!color");
    check(
        "docs/every-style",
        &[("\n\n# {^ h.styles1}", "\n\n{!size:30pt}\n# {^ h.styles1}")],
        &["NO_EFFECT"],
        "# {^ h.styles1}",
    );
}

#[test]
fn values_are_read_in_every_spelling() {
    for (typed, printed) in [
        ("color:red", "{!color:#ff0000}"),
        ("color:c00", "{!color:#cc0000}"),
        ("highlight:yellow", "{!highlight:#ffff00}"),
        ("size:13", "{!size:13pt}"),
        ("size:0.25in", "{!size:18pt}"),
        ("weight:Light", "{!weight:300}"),
        ("font:Roboto Mono", "{!mono}"),
        ("font:\"Roboto Mono\", color:#188038", "`Chidi.`"),
        ("font:Georgia, weight:Bold", "{!font:Georgia, weight:700}"),
        ("sup, smallcaps", "{!sup, smallcaps}"),
        // What the named style gives, and what is off anyway, is no override.
        ("font:Arial, size:11pt, color:black", ", Chidi."),
        ("underline:false", ", Chidi."),
    ] {
        check("demo/meeting-notes", &[(PLAIN, &format!("{{!{typed}}}{PLAIN}{{/!}}"))], &[], printed);
    }
}

#[test]
fn what_cannot_be_said_is_told() {
    let styled = |form: &str| format!("{{!{form}}}{PLAIN}{{/!}}");
    for (form, code) in [
        ("size:huge", "STYLE_VALUE"),
        ("color:greenish", "STYLE_VALUE"),
        ("weight:450", "STYLE_VALUE"),
        ("wobble:3", "UNKNOWN_PROPERTY"),
        ("align:center", "PARAGRAPH_PROPERTY"),
        ("suggested-insertion:x", "LOCKED"),
    ] {
        let plan = check("demo/meeting-notes", &[(PLAIN, &styled(form))], &[code], ", Chidi.");
        assert!(plan.requests.is_empty() && plan.refused[0].line > 5, "{form}: {:#?}", plan.requests);
    }
    // The rest is pushed.
    check("demo/meeting-notes", &[(PLAIN, &styled("wobble:3, size:14pt"))], &["UNKNOWN_PROPERTY"], "{!size:14pt}");
    check("demo/meeting-notes", &[(PLAIN, &format!("[{PLAIN}](notes.html)"))], &["LINK_LOCKED"], ", Chidi.");
    check("demo/meeting-notes", &[(PLAIN, &format!("[{PLAIN}](#^h.nowhere)"))], &["LINK_LOCKED"], ", Chidi.");
    check("demo/meeting-notes", &[(PLAIN, &format!("[{PLAIN}](#no-such-text)"))], &["LINK_LOCKED"], ", Chidi.");
    check("demo/meeting-notes", &[("- Who tells", "{!list:alpha}\n- Who tells")], &["NO_EFFECT"], "- Who tells");
    check(
        "demo/meeting-notes",
        &[("- Who tells", "{!list:other-bullet}\n- Who tells")],
        &["LIST_LOCKED"],
        "- Who tells",
    );
    check(
        "demo/meeting-notes",
        &[("- Who tells", "{!indent-left:90pt}\n- Who tells")],
        &["LIST_LOCKED"],
        "- Who tells",
    );
    check("demo/meeting-notes", &[("- Who tells", "- [x] Who tells")], &["TICK"], "- [ ] Who tells");
}

#[test]
fn links_lead_to_headings() {
    for link in ["#^h.demonotes3", "#actions"] {
        let plan =
            check("demo/meeting-notes", &[(PLAIN, &format!("[{PLAIN}]({link})"))], &[], "[Chidi.](#^h.demonotes3)");
        assert_eq!(plan.requests[0]["updateTextStyle"]["textStyle"]["link"]["heading"]["id"], "h.demonotes3");
    }
    // A new heading has no id yet: the link is made by the next plan.
    let plan =
        check("demo/meeting-notes", &[(PLAIN, &format!("[{PLAIN}](#a-new-one)\n\n## A new one"))], &[], "A new one");
    assert!(plan.again);
    check(
        "demo/meeting-notes",
        &[(PLAIN, "[Chidi.](mailto:chidi@example.com)")],
        &[],
        "[Chidi.](mailto:chidi@example.com)",
    );
}

#[test]
fn code_blocks_are_shaded_paragraphs() {
    let fence = "```\nfn main() {\n\n    \tx(); // `{!mono}` *y*\n}\n```\n";
    check("demo/meeting-notes", &[(", Chidi.", &format!(", Chidi.\n\n{fence}"))], &[], &format!("\n{fence}"));
    let language = fence.replacen("```", "```rust", 1);
    let plan = check("demo/meeting-notes", &[(", Chidi.", &format!(", Chidi.\n\n{language}"))], &[], fence);
    let unsaid: Vec<&str> = plan.unsaid.iter().map(|notice| &*notice.code).collect();
    assert_eq!(unsaid, ["CODE_LANGUAGE"], "{:#?}", plan.unsaid);
    assert!(plan.requests.len() <= 4, "{:#?}", plan.requests);
}

#[test]
fn lists_are_made_as_markdown_says() {
    let list = "1. one\n2. two\n   - inner\n     - [ ] box\n   - again\n3. three\n";
    check("demo/meeting-notes", &[(", Chidi.", &format!(", Chidi.\n\n{list}"))], &[], &format!("\n{list}"));
    for (kind, mark) in [("upper-roman", "1. "), ("decimal-nested", "1. "), ("star", "- "), ("diamondx-hollow", "- ")] {
        let list = format!("{{!list:{kind}}}\n{mark}one\n");
        check("demo/meeting-notes", &[(", Chidi.", &format!(", Chidi.\n\n{list}\n{{!Normal text}}"))], &[], &list);
    }
}
