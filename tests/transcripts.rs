//! Records what a client of each set of tools says and hears: every tool called with good and with bad input, through
//! the real bridge, with the embedded Google behind the daemon.
//!
//! `cargo test --test transcripts` writes `target/transcripts/PROFILE.md`: the messages as they went over the pipes, pretty
//! printed, with the members of objects in alphabetical order. What is long is cut, and says by how much.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use support::mcp::{Client, document};

/// The longest text that is shown whole.
const TEXT_CHARS_MAX: usize = 400;
/// The longest list that is shown whole.
const LIST_MAX: usize = 8;

const TEXT: &str = "# One\n\nAlpha beta.\n\n# Two\n\nGamma delta.\n";
/// No document has this id.
const NOWHERE: &str = "1AbCdEfGhIjKlMnOpQrStUvWxYz012345678901234";

/// Good and bad input for a tool. `section` is the id of the first heading, `content` the tab as it is exported.
fn inputs(tool: &str, id: &str, section: &Value, content: &str) -> (Value, Value) {
    let on = |more: Value| {
        let mut all = json!({ "document_id": id });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let nowhere = json!({ "document_id": NOWHERE });
    match tool {
        "search" => (json!({ "query": "alpha" }), json!({ "query": "alpha", "limit": 0 })),
        "fetch" => (json!({ "id": id }), json!({ "id": NOWHERE })),
        "create" => (
            json!({ "title": "Notes", "content": "# Notes\n\nThe first.\n" }),
            json!({ "title": "Notes", "source": "/etc/hosts" }),
        ),
        "list_documents" => (json!({ "query": "plan" }), json!({ "limit": 101 })),
        "get_metadata" | "extract_styles" => (on(json!({})), nowhere),
        "get_hierarchy" => (on(json!({})), on(json!({ "tab_id": "t.none" }))),
        "export_section" => (on(json!({ "anchor_id": section })), on(json!({ "anchor_id": "h.none" }))),
        "export_tab" => (on(json!({})), json!({})),
        "import_section" => (
            on(json!({ "anchor_id": section, "content": "# One\n\nAlpha beta and more.\n" })),
            on(json!({ "anchor_id": section, "content": "{!color:#c00}never closed" })),
        ),
        "import_tab" => (
            on(json!({ "content": content.replace("Gamma", "Gamma gamma") })),
            on(json!({ "content": "{^= kix.none image}" })),
        ),
        "apply_styles" => (
            on(json!({ "styles": [{ "element_type": "body", "font_family": "Georgia" }] })),
            on(json!({ "styles": [{ "element_type": "footer" }] })),
        ),
        "normalize_formatting" => (on(json!({ "body_font": "Arial" })), on(json!({}))),
        "google_docs_get_all_documents" => (json!({}), json!({ "limit": 3 })),
        "google_docs_get_document_by_id" => (on(json!({ "response_format": "markdown" })), nowhere),
        "google_docs_create_blank_document" => (json!({ "title": "Blank" }), json!({ "title": "" })),
        "google_docs_create_document_from_text" => {
            (json!({ "title": "Lines", "text_content": "One line.\nAnother." }), json!({ "title": "Lines" }))
        }
        "google_docs_edit_text" => (
            on(json!({ "old_text": "delta", "new_text": "epsilon" })),
            on(json!({ "old_text": "no such words", "new_text": "" })),
        ),
        "google_docs_insert_text_at_end" => (on(json!({ "text": "The end." })), json!({ "document_id": id })),
        "google_docs_insert_formatted_text" => (
            on(json!({ "formatted_text": "**Bold** words." })),
            on(json!({ "formatted_text": "x", "position": "middle" })),
        ),
        "google_docs_apply_style" => (
            on(json!({ "start_index": 1, "end_index": 3, "italic": true })),
            on(json!({ "start_index": 3, "end_index": 1_000_000, "italic": true })),
        ),
        other => panic!("{other} is a new tool: what is good and bad input for it?"),
    }
}

/// Shortens what is long, and says by how much.
fn cut(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let count = text.chars().count();
            let shown: String = text.chars().take(TEXT_CHARS_MAX).collect();
            if count > TEXT_CHARS_MAX {
                json!(format!("{shown}[... {} characters more]", count - TEXT_CHARS_MAX))
            } else {
                json!(shown)
            }
        }
        Value::Array(list) => {
            let more = list.len().saturating_sub(LIST_MAX);
            let left_out = (more > 0).then(|| json!(format!("[... {more} more]")));
            list.iter().take(LIST_MAX).map(cut).chain(left_out).collect()
        }
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), cut(value))).collect(),
        other => other.clone(),
    }
}

/// Moves what was said since the last time into the transcript.
fn note(transcript: &mut String, title: &str, client: &mut Client) {
    writeln!(transcript, "\n## {title}").unwrap();
    for (is_client, message) in client.frames.replace(Vec::new()).unwrap() {
        let who = if is_client { "client" } else { "server" };
        writeln!(transcript, "\n{who}:\n\n~~~json\n{:#}\n~~~", cut(&message)).unwrap();
    }
}

/// Plays a whole session; returns its transcript.
fn session(profile: &str) -> String {
    let (world, id) = document(&format!("transcript-{profile}"), TEXT);
    let (section, content) = {
        let mut client = Client::new(&world, "docs");
        let tree = client.done("get_hierarchy", &json!({ "document_id": id }));
        let tab = client.done("export_tab", &json!({ "document_id": id }));
        (tree["headings"][0]["anchor_id"].clone(), tab["content"].as_str().unwrap().to_owned())
    };
    let mut transcript = format!("# A session with the profile `{profile}`\n");
    let mut client = Client::recorded(&world, profile);
    note(&mut transcript, "The session begins", &mut client);
    let tools = client.tools();
    note(&mut transcript, "Which tools there are", &mut client);
    // Those about notebooks want a browser in which somebody has signed in.
    let notebooks = ["health_check", "list_notebooks", "get_notebook", "list_sources", "add_source", "ask"];
    for tool in tools.iter().filter(|tool| !notebooks.contains(&tool.as_str())) {
        let (good, bad) = inputs(tool, &id, &section, &content);
        let call = |arguments: &Value| json!({ "name": tool, "arguments": arguments });
        let answer = client.ask("tools/call", &call(&good));
        assert!(answer["isError"] != true && answer["structuredContent"].is_object(), "{tool}: {answer}");
        note(&mut transcript, &format!("`{tool}`, good input"), &mut client);
        let answer = client.ask("tools/call", &call(&bad));
        assert!(answer["isError"] == true, "{tool}: {answer}");
        note(&mut transcript, &format!("`{tool}`, bad input"), &mut client);
    }
    client.refuse("tools/call", &json!({ "name": "no_such_tool", "arguments": {} }));
    note(&mut transcript, "A tool that there is not", &mut client);
    client.ask("resources/list", &json!({}));
    client.ask("resources/read", &json!({ "uri": "workspace://docs/overview" }));
    client.refuse("resources/read", &json!({ "uri": "workspace://nothing" }));
    note(&mut transcript, "Resources", &mut client);
    client.write(b"{ no JSON\n");
    client.frames.as_mut().unwrap().push((true, json!("{ no JSON")));
    assert_eq!(client.next()["error"]["code"], -32700);
    note(&mut transcript, "A line that is no JSON", &mut client);
    transcript
}

#[test]
fn every_tool_is_called_with_good_and_with_bad_input() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/transcripts");
    std::fs::create_dir_all(&folder).unwrap();
    for profile in ["default", "docs", "google-docs", "full"] {
        let transcript = session(profile);
        let path = folder.join(profile).with_extension("md");
        std::fs::write(&path, &transcript).unwrap();
        println!("{}: {} lines", path.display(), transcript.lines().count());
    }
}
