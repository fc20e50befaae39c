//! The rows written here against recorded ones: which places are null, and what stands in the others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Browser;
use crate::notebooklm::call::{self, ChatCall, NewSource, TextForm};
use crate::notebooklm::frames;

/// Returns the folder of recordings, or says that the test is skipped.
#[expect(clippy::print_stdout, reason = "a test says what it skips")]
fn recordings(test: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("MCP_WORKSPACE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = shared.join("fixtures/notebooklm");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED {test}: ../shared is absent");
    None
}

/// Writes a shape: `_` null, `b` yes or no, `n` number, `s` text. Of a list of equal shapes, one stands for all.
fn shape(value: &Value) -> String {
    match value {
        Value::Null => "_".into(),
        Value::Bool(_) => "b".into(),
        Value::Number(_) => "n".into(),
        Value::String(_) => "s".into(),
        Value::Object(map) => {
            let parts: Vec<String> = map.iter().map(|(key, value)| format!("{key}:{}", shape(value))).collect();
            format!("{{{}}}", parts.join(","))
        }
        Value::Array(list) => {
            let parts: Vec<String> = list.iter().map(shape).collect();
            format!("[{}]", parts.join(","))
        }
    }
}

/// Returns the answers to an operation in all recordings.
fn answers(folder: &Path, id: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.join("cassettes")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let file: Value = serde_json::from_str(&text).unwrap();
        for one in file["interactions"].as_array().into_iter().flatten() {
            let Some(body) = one["response"]["body"].as_str().filter(|_| one["request"]["query"]["rpcids"] == id)
            else {
                continue;
            };
            let (chunks, _) = frames::read(body).unwrap();
            for row in chunks.iter().filter_map(Value::as_array).flatten().filter(|row| row[0] == "wrb.fr") {
                found.extend(row[2].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()));
            }
        }
    }
    assert!(!found.is_empty(), "{id}");
    found
}

/// Returns the shapes of what answers to an operation hold at a place.
fn shapes<'a>(answers: &'a [Value], pick: impl Fn(&'a Value) -> Vec<&'a Value>) -> BTreeSet<String> {
    answers.iter().flat_map(pick).map(shape).collect()
}

fn list(value: &Value) -> Vec<&Value> {
    value.as_array().into_iter().flatten().collect()
}

/// Returns a notebook's row without its sources, which are looked at by themselves.
fn bare(row: &Value) -> Value {
    let mut row = row.clone();
    row[1] = Value::Null;
    row
}

#[test]
fn notebooks_and_sources() {
    let Some(folder) = recordings("shapes of notebooks") else { return };
    let (listed, got) = (answers(&folder, "wXbhsf"), answers(&folder, "rLM1Ne"));
    let rows: Vec<&Value> =
        listed.iter().flat_map(|answer| list(&answer[0])).chain(got.iter().map(|one| &one[0])).collect();
    let rows: Vec<&Value> = rows.into_iter().filter(|row| row.is_array()).collect();
    let known: BTreeSet<String> = rows.iter().map(|row| shape(&bare(row))).collect();
    let sources: BTreeSet<String> = rows.iter().flat_map(|row| list(&row[1])).map(shape).collect();

    let mut browser = Browser::signed_in();
    let solar = browser.notebook("Balcony").id;
    browser.admin("POST", &format!("notebooks/{solar}/sources"), &json!({"file": "a.pdf", "text": "x"}));
    browser.admin(
        "POST",
        "notebooks:drive",
        &json!({"id": "1sheet", "title": "s", "text": "t",
        "mime": "application/vnd.google-apps.spreadsheet"}),
    );
    let waiting = browser.result(&call::get_notebook(&solar));
    browser.result(&call::register_upload(&solar, "b.txt"));
    browser.now += 60_000;
    let answer = browser.result(&call::list_notebooks());
    for row in list(&answer[0]) {
        assert!(known.contains(&shape(&bare(row))), "{}", shape(&bare(row)));
        for source in list(&row[1]) {
            assert!(sources.contains(&shape(source)), "{}", shape(source));
        }
    }
    let preparing = list(&waiting[0][1]).into_iter().find(|source| source[3][1] == 5).unwrap();
    assert!(sources.contains(&shape(preparing)));
    browser.result(&call::set_chat(&solar, &call::Goal::Custom("x".into()), call::Length::Shorter));
    let row = browser.result(&call::get_notebook(&solar));
    assert!(known.contains(&shape(&bare(&row[0]))), "{}", shape(&bare(&row[0])));

    let failure: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("chat_rows/source_failure_settings.json")).unwrap())
            .unwrap();
    browser.call(&call::add_sources(&solar, &[NewSource::Url("https://no.invalid".into())]));
    let row = browser.result(&call::get_notebook(&solar));
    assert_eq!(list(&row[0][1]).last().unwrap()[3], failure["settings"]);
}

#[test]
fn what_changes_answer() {
    let Some(folder) = recordings("shapes of changes") else { return };
    let mut browser = Browser::signed_in();
    let solar = browser.notebook("Balcony");
    let (id, text) = (solar.id.clone(), solar.sources[0].id.clone());
    let new = NewSource::Text { title: "t".into(), text: "Some words of mine.".into() };
    for call in [
        call::create_notebook("x"),
        call::set_emoji(&id, "📘"),
        call::set_chat(&id, &call::Goal::Custom("x".into()), call::Length::Longer),
        call::register_upload(&id, "a.txt"),
        call::create_note(&id, "x"),
        call::last_conversation(&id),
        call::settings(),
        call::account(),
        call::next_steps(&id),
        call::search_passages(&id, "Nordlicht phone", &[]),
        call::add_sources(&id, &[new]),
        call::check_freshness(&id, &text),
    ] {
        let operation = call.operation;
        let known = shapes(&answers(&folder, operation.wire_id()), |answer| vec![answer]);
        let answer = browser.result(&call);
        let mine = shape(&answer);
        // Lists of questions and passages have any length, and one of each stands for all. Rows of August have four
        // places more than those of June, and plans of September one more than those of January.
        let near = |text: &str| {
            let text = text
                .replace("[s,n],[s,n],[s,n]", "[s,n]")
                .replace(",b,n,_,_,_,b]", ",b,n]")
                .replace("[n,n,n,n,n]", "[n,n,n,n]");
            text.split("],[s,[[[[[s]]]").next().unwrap_or_default().trim_end_matches(']').to_owned()
        };
        let known: BTreeSet<String> = known.iter().map(|one| near(one)).collect();
        assert!(known.contains(&near(&mine)), "{operation}: {mine}\n{known:#?}");
    }
    let note = browser.notebook("Balcony").notes[0].id.clone();
    let known = shapes(&answers(&folder, "cYAfTb"), |answer| vec![answer]);
    assert!(known.contains(&shape(&browser.result(&call::update_note(&id, &note, Some("a"), "b")))));
    let known = shapes(&answers(&folder, "cFji9"), |answer| list(&answer[0]));
    let notes = browser.result(&call::list_notes(&id));
    assert!(known.contains(&shape(&notes[0][0])), "{} {known:?}", shape(&notes[0][0]));
    assert_eq!(shape(&notes[0][2]), "[s,_,n]");
    let guide = browser.result(&call::notebook_guide(&id));
    let known = shapes(&answers(&folder, "VfAZjd"), |answer| vec![answer]);
    assert!(known.contains(&shape(&guide)), "{} {known:?}", shape(&guide));
    let guide = browser.result(&call::source_guide(&id, &text));
    let known = shapes(&answers(&folder, "tr032e"), |answer| vec![answer]);
    assert!(known.contains(&shape(&guide)), "{} {known:?}", shape(&guide));
}

/// Returns the shapes of the blocks of a document, with one run for all, since their count says nothing.
fn blocks(value: &Value, found: &mut BTreeSet<String>) {
    for block in list(value) {
        let mut block = block.clone();
        if let Some(runs) = block.get_mut(2).and_then(|paragraph| paragraph.get_mut(0)).and_then(Value::as_array_mut) {
            for run in runs.drain(..) {
                found.insert(format!("run {}", shape(&run)));
            }
        }
        found.insert(format!("block {}", shape(&block)));
    }
}

#[test]
fn documents() {
    let Some(folder) = recordings("shapes of documents") else { return };
    let mut known = BTreeSet::new();
    for answer in answers(&folder, "hizoJc") {
        blocks(&answer[3][0][0], &mut known);
    }
    let read =
        |name: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap() };
    blocks(&read("chat_rows/source_fulltext_tailwind_doc.json")[3][0][0], &mut known);
    blocks(&read("tmc-nlm/cmd/nlm/testdata/load_source_rich_wire.json")[3][0][0], &mut known);
    let text = std::fs::read_to_string(folder.join("tmc-nlm/internal/batchexecute/testdata/conversation_history.txt"))
        .unwrap();
    let (chunks, _) = frames::read(&text).unwrap();
    let history: Value = serde_json::from_str(chunks[0][0][2].as_str().unwrap()).unwrap();
    for turn in list(&history[0]).into_iter().filter(|turn| turn[2] == 2) {
        blocks(&turn[4][0][4][0][0], &mut known);
    }
    let mut browser = Browser::signed_in();
    let mut mine = BTreeSet::new();
    for title in ["Balcony", "京都", "Sourdough"] {
        let notebook = browser.notebook(title);
        for source in &notebook.sources {
            let answer = browser.result(&call::source_text(&notebook.id, &source.id, TextForm::Document));
            blocks(&answer[3][0][0], &mut mine);
        }
    }
    // Italic alone, and tables, whose shape is that of their rows, are in no recording of these.
    let odd: Vec<&String> = mine.difference(&known).filter(|one| !one.contains("[_,b]]") && one.len() < 120).collect();
    assert!(odd.is_empty(), "{odd:#?}\nknown {known:#?}");
}

#[test]
fn streams() {
    let Some(folder) = recordings("shapes of streams") else { return };
    let body = std::fs::read_to_string(folder.join("raw_framing/chat_ask.1.GenerateFreeFormStreamed.txt")).unwrap();
    let (chunks, _) = frames::read(&body).unwrap();
    let chunk_of = |row: &Value| row[2].as_str().map(|text| serde_json::from_str::<Value>(text).unwrap());
    let own: Vec<Value> = chunks.iter().filter_map(|chunk| chunk_of(&chunk[0])).collect();
    let text = std::fs::read_to_string(folder.join("chat_rows/chat_stream_final_response.json")).unwrap();
    let within: Value = serde_json::from_str(&text).unwrap();
    let within: Vec<Value> = within["chunks"].as_array().unwrap().clone();
    for (era, known) in [("own", own), ("within", within)] {
        let mut browser = Browser::signed_in();
        browser.admin("POST", "notebooks:switches", &json!({"thinking": era}));
        let solar = browser.notebook("Balcony");
        let sources = solar.sources.iter().map(|source| source.id.clone()).collect();
        let question = "Which inverter does Nordlicht have?".to_owned();
        let reply = browser.ask(&ChatCall { notebook: solar.id, sources, question, ..ChatCall::default() });
        let (chunks, summary) = frames::read(&super::text(&reply)).unwrap();
        assert_eq!(summary.declared_bytes, u64::try_from(summary.bytes).ok());
        let mine: Vec<Value> = chunks.iter().filter_map(|chunk| chunk_of(&chunk[0])).collect();
        assert_eq!(head(&mine[0]), head(&known[0]), "{era}: thinking");
        assert_eq!(head(mine.last().unwrap()), head(known.last().unwrap()), "{era}: the whole answer");
        let heads: BTreeSet<String> = known.iter().map(head).collect();
        for chunk in &mine {
            assert!(heads.contains(&head(chunk)), "{era}: {} {heads:#?}", head(chunk));
        }
    }
}

/// Writes the shape of a chunk down to the citations, of which one stands for all.
fn head(chunk: &Value) -> String {
    let mut chunk = chunk.clone();
    let first = |value: &mut Value| {
        if let Some(list) = value.as_array_mut() {
            list.truncate(1);
        }
    };
    let citation = |value: &mut Value| {
        if value.is_array() {
            value[4] = json!("blocks");
        }
    };
    first(&mut chunk[1]);
    if chunk[1].is_array() {
        citation(&mut chunk[1][0]);
    }
    first(&mut chunk[2]);
    if chunk[2].is_array() {
        first(&mut chunk[2][0][1]);
    }
    chunk[0][4][0] = json!("body");
    first(&mut chunk[0][4][3]);
    if chunk[0][4][3].is_array() {
        citation(&mut chunk[0][4][3][0][1]);
    }
    for place in [3, 5] {
        if chunk.get(place).is_some_and(Value::is_array) {
            first(&mut chunk[place][0]);
        }
    }
    shape(&chunk)
}
