//! What a client of the profile `google-docs` gets, through the bridge, with the real binary and the embedded Google.

use crate::support::mcp::{Client, document};
use crate::support::world::World;
use serde_json::{Value, json};

const TEXT: &str = "Before **all** of it.\n\n# Introduction\n\nOld words here.\n\n- Item one\n- Item two\n\n| A | B |\n| --- | --- |\n\
                    | cell old | d |\n\nOld end[^1].\n\n[^1]: An old note.\n";

/// Calls a tool of a document; the name goes without its prefix.
fn on(client: &mut Client, id: &str, tool: &str, arguments: Value) -> Result<Value, Value> {
    let Value::Object(mut all) = arguments else { panic!("{arguments}") };
    all.insert("document_id".into(), json!(id));
    client.call(&format!("google_docs_{tool}"), &Value::Object(all))
}

fn done(client: &mut Client, id: &str, tool: &str, arguments: Value) -> Value {
    let shown = arguments.to_string();
    on(client, id, tool, arguments).unwrap_or_else(|error| panic!("{tool} {shown}: {error}"))
}

/// Expects an error that says something, and what to do.
fn refused(client: &mut Client, id: &str, tool: &str, arguments: Value, words: &str) {
    let shown = arguments.to_string();
    let error = on(client, id, tool, arguments).expect_err(&format!("{tool} {shown}"));
    assert!(error["error"].as_str().unwrap().contains(words), "{tool} {shown}: {error}");
    assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{error}");
    assert_eq!(error["success"], false);
}

/// The elements of a document, flat.
fn elements(client: &mut Client, id: &str) -> Vec<Value> {
    let read = done(client, id, "get_document_by_id", json!({ "response_format": "structured" }));
    read["elements"].as_array().unwrap().clone()
}

/// Where some words stand, by the indices of the structured form.
fn place(client: &mut Client, id: &str, words: &str) -> (u64, u64) {
    let all = elements(client, id);
    let runs = all.iter().flat_map(|element| element["text_runs"].as_array().cloned().unwrap_or_default());
    let run = runs.into_iter().find(|run| run["content"].as_str().unwrap().contains(words)).unwrap();
    let at = run["content"].as_str().unwrap().find(words).unwrap() as u64;
    let start = run["start_index"].as_u64().unwrap() + at;
    (start, start + words.len() as u64)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_read_in_four_forms() {
    let (world, id) = document("google-read", TEXT);
    let mut client = Client::new(&world, "google-docs");
    let tools = client.ask("tools/list", &json!({}));
    let names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 8);
    assert!(names.iter().all(|name| name.starts_with("google_docs_")), "{names:?}");

    let raw = done(&mut client, &id, "get_document_by_id", json!({}));
    let answered = world.get(&format!("/v1/documents/{id}")).await;
    assert_eq!(raw, answered, "the default is Google's own answer");
    assert!(raw["body"]["content"].as_array().unwrap().len() > 5);

    let plain = done(&mut client, &id, "get_document_by_id", json!({ "response_format": "plain_text" }));
    let text = "Before all of it.\nIntroduction\nOld words here.\nItem one\nItem two\nA\tB\ncell old\td\nOld end.\n[1] An old note.\n";
    assert_eq!((plain["content"].as_str().unwrap(), &plain["title"]), (text, &json!("Ana's plan")));

    let markdown = done(&mut client, &id, "get_document_by_id", json!({ "response_format": "markdown" }));
    assert_eq!(markdown["content"], TEXT, "{markdown}");
    assert_eq!(markdown["word_count"], 22, "{markdown}");

    let all = elements(&mut client, &id);
    let heading = all.iter().find(|element| element["content"] == "Introduction").unwrap();
    assert_eq!(heading["paragraph_style"]["heading_type"], "HEADING_1");
    let (start, end) = (heading["start_index"].as_u64().unwrap(), heading["end_index"].as_u64().unwrap());
    assert_eq!(end - start, "Introduction\n".len() as u64);
    assert_eq!(heading["text_runs"][0]["end_index"], end - 1);
    let bold = &all.iter().find(|element| element["content"] == "Before all of it.").unwrap()["text_runs"][1];
    assert_eq!((&bold["content"], &bold["style"]), (&json!("all"), &json!({ "bold": true })));
    assert_eq!(bold["start_index"], 8);
    let table = all.iter().find(|element| element["type"] == "table").unwrap();
    assert_eq!(table["rows"][1][0][0]["content"], "cell old");
    assert_eq!(all.iter().find(|element| element["content"] == "Item one").unwrap()["nesting_level"], 0);

    let listed = client.call("google_docs_get_all_documents", &json!({})).unwrap();
    let mine = listed["documents"].as_array().unwrap().iter().find(|document| document["document_id"] == json!(id));
    assert_eq!(mine.unwrap()["title"], "Ana's plan", "{listed}");
    assert_eq!(mine.unwrap()["url"], format!("{}/document/d/{id}/edit", world.base), "where this Google is");
    assert_eq!(listed["counted_all"], true);
    assert_eq!(listed["total_count"].as_u64().unwrap(), listed["documents"].as_array().unwrap().len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn text_is_edited_by_what_it_says() {
    let (world, id) = document("google-edit", TEXT);
    let mut client = Client::new(&world, "google-docs");
    let edit = |old: &str, new: &str| json!({ "old_text": old, "new_text": new });
    let with = |mut arguments: Value, name: &str| {
        arguments[name] = json!(!arguments[name].as_bool().unwrap_or(false));
        arguments
    };
    let replaced = done(&mut client, &id, "edit_text", edit("Old words", "New words"));
    assert_eq!((&replaced["replacements_made"], &replaced["document_id"]), (&json!(1), &json!(id)), "{replaced}");
    // The first place alone, then all: in a table, and in a footnote.
    done(&mut client, &id, "edit_text", edit("old", "x"));
    let pushes = world.pushes().await.len();
    assert!(world.text(&id).await.contains("cell x\n"), "{}", world.text(&id).await);
    assert_eq!(done(&mut client, &id, "edit_text", with(edit("old", "y"), "replace_all"))["replacements_made"], 1);
    let mut all = with(edit("old END", "end"), "replace_all");
    refused(&mut client, &id, "edit_text", all.clone(), "old END");
    all["match_case"] = json!(false);
    assert_eq!(done(&mut client, &id, "edit_text", all)["replacements_made"], 1);
    assert_eq!(world.pushes().await.len(), pushes + 2);
    // Across formatting, and over the end of a paragraph.
    done(&mut client, &id, "edit_text", edit("Before all of it.", "Before everything."));
    done(&mut client, &id, "edit_text", edit("Item one\nItem two", "One item"));
    // As the specification has it: Markdown finds the heading, and what is new is formatted.
    done(&mut client, &id, "edit_text", edit("# Introduction", "# Introduction\n\nThis is the **new** paragraph."));
    done(&mut client, &id, "edit_text", edit("New words here.", ""));
    let expected = "Before everything.\nIntroduction\nThis is the new paragraph.\nOne item\nA\nB\ncell x\nd\nend.\n";
    assert_eq!(world.text(&id).await, expected);
    let file = std::fs::read_to_string(world.file(&id)).unwrap();
    assert!(file.contains("the **new** paragraph") && file.contains("[^1]: An y note."), "{file}");
    // At the end, as plain text.
    let append = |text: &str| json!({ "old_text": "", "new_text": text, "append_to_end": true });
    done(&mut client, &id, "edit_text", append(" More *text*"));
    done(&mut client, &id, "insert_text_at_end", json!({ "text": "\n# Not a heading" }));
    assert_eq!(world.text(&id).await, expected.replace("end.\n", "end. More *text*\n# Not a heading\n"));

    // Spaces at the end of a line are in no file, which is told; those within one are.
    let said = world.text(&id).await;
    for (tool, arguments, ends) in [
        ("insert_text_at_end", json!({ "text": "  " }), true),
        ("insert_text_at_end", json!({ "text": "!  " }), true),
        ("edit_text", edit("Before everything.", "Before  everything.\t"), true),
        ("edit_text", edit("Before  everything", "Before everything "), false),
    ] {
        match on(&mut client, &id, tool, arguments.clone()) {
            Ok(answer) => {
                let told = answer["warnings"].to_string();
                assert_eq!(told.contains("spaces at the end"), ends, "{arguments}: {answer}");
            }
            Err(error) => assert!(ends && error.to_string().contains("only spaces"), "{arguments}: {error}"),
        }
    }
    assert_eq!(world.text(&id).await, said.replace("everything.", "everything .").replace("heading\n", "heading!\n"));
    let said = world.text(&id).await;
    refused(&mut client, &id, "edit_text", edit("", "x"), "empty");
    refused(&mut client, &id, "edit_text", append(""), "empty");
    refused(&mut client, &id, "edit_text", with(edit("end", "x"), "append_to_end"), "append_to_end");
    refused(&mut client, &id, "edit_text", edit("nowhere at all", "x"), "'nowhere at all' does not exist");
    refused(&mut client, &id, "edit_text", json!({ "old_text": "end" }), "new_text");
    refused(&mut client, &id, "edit_text", with(edit("end", "x"), "all"), "all");
    refused(&mut client, &id, "insert_text_at_end", json!({ "text": "" }), "empty");
    // What is not asked of a text that is appended is no more ignored than a letter that no document has.
    let case = json!({ "old_text": "", "new_text": "x", "append_to_end": true, "match_case": false });
    refused(&mut client, &id, "edit_text", case, "match_case");
    refused(&mut client, &id, "edit_text", with(with(edit("", "x"), "append_to_end"), "replace_all"), "replace_all");
    refused(&mut client, &id, "edit_text", edit("end", "e\0nd"), "U+0000");
    refused(&mut client, &id, "edit_text", edit("e\0nd", "end"), "U+0000");
    refused(&mut client, &id, "insert_text_at_end", json!({ "text": "a\0" }), "U+0000");
    refused(&mut client, &id, "insert_formatted_text", json!({ "formatted_text": "a\0" }), "U+0000");
    let made = client.call("google_docs_create_document_from_text", &json!({ "title": "N", "text_content": "a\0b" }));
    assert!(made.unwrap_err()["error"].as_str().unwrap().contains("U+0000"));
    refused(&mut client, "1AbCdEfGhIjKlMnOpQrStUvWxYz012345678901234", "edit_text", edit("a", "b"), "1AbC");
    refused(&mut client, " ", "edit_text", edit("a", "b"), "empty");
    assert_eq!(world.text(&id).await, said);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_changes_the_words_alone_and_merges_with_others() {
    let (world, id) = document("google-merge", "Alpha beta gamma.\n\nSecond one.\n");
    let mut client = Client::new(&world, "google-docs");
    let edit = |old: &str, new: &str| json!({ "old_text": old, "new_text": new });
    done(&mut client, &id, "edit_text", edit("beta", "betas"));
    let last = world.pushes().await.pop().unwrap();
    let sent = serde_json::to_string(&last).unwrap();
    assert!(!sent.contains("Alpha") && !sent.contains("Second"), "{sent}");
    world.collaborate(&id, "Alpha", "Alpha theirs").await;
    done(&mut client, &id, "edit_text", edit("gamma", "delta"));
    assert_eq!(world.text(&id).await, "Alpha theirs betas delta.\nSecond one.\n");
    // What the file holds that was not pushed yet is edited, too.
    let file = world.file(&id);
    let said = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, said.replace("Second one", "Second mine one")).unwrap();
    done(&mut client, &id, "edit_text", edit("Second", "2nd"));
    let text = world.text(&id).await;
    assert!(
        text.contains("2nd") && (text.contains("mine") || std::fs::read_to_string(&file).unwrap().contains("mine")),
        "{text}"
    );
    // In any tab.
    let tab = json!({ "requests": [{ "addDocumentTab": { "tabProperties": { "title": "More" } } }] });
    let made = world.post(&format!("/v1/documents/{id}:batchUpdate"), &tab).await;
    let tab_id = made["replies"][0]["addDocumentTab"]["tabProperties"]["tabId"].as_str().unwrap().to_owned();
    let words =
        json!({ "requests": [{ "insertText": { "text": "Far away", "endOfSegmentLocation": { "tabId": tab_id } } }] });
    world.post(&format!("/v1/documents/{id}:batchUpdate"), &words).await;
    done(&mut client, &id, "edit_text", edit("away", "off"));
    let read = json!({ "response_format": "plain_text", "tab_id": tab_id });
    assert_eq!(done(&mut client, &id, "get_document_by_id", read)["content"], "Far off\n");
    let read = json!({ "response_format": "markdown", "tab_id": tab_id });
    assert_eq!(done(&mut client, &id, "get_document_by_id", read)["content"], "Far off\n");
    let both = done(&mut client, &id, "get_document_by_id", json!({ "response_format": "markdown" }));
    assert_eq!(both["tabs"].as_array().unwrap().len(), 2, "{both}");
    refused(&mut client, &id, "get_document_by_id", json!({ "tab_id": tab_id }), "raw");
    // The URL that a browser shows names a tab, too.
    let url = |tab: &str| format!("https://docs.google.com/document/d/{id}/edit?tab={tab}#heading=h.x");
    let plain = json!({ "response_format": "plain_text" });
    let read = done(&mut client, &url(&tab_id), "get_document_by_id", plain.clone());
    assert_eq!(read["content"], "Far off\n");
    refused(&mut client, &url(&tab_id), "get_document_by_id", json!({}), "the URL names another one");
    assert_eq!(done(&mut client, &url("t.0"), "get_document_by_id", json!({}))["documentId"], json!(id));
    done(&mut client, &url(&tab_id), "insert_text_at_end", json!({ "text": " indeed" }));
    let formatted = json!({ "formatted_text": "So **far**" });
    let range = done(&mut client, &url(&tab_id), "insert_formatted_text", formatted)["inserted_range"].clone();
    assert_eq!(range, json!({ "start_index": 16, "end_index": 22 }));
    let read = done(&mut client, &url(&tab_id), "get_document_by_id", plain);
    assert_eq!(read["content"], "Far off indeed\nSo far\n");
    refused(&mut client, &url("t.none"), "insert_text_at_end", json!({ "text": "x" }), "t.none");
    // What stands in another tab than the one of the URL is let alone.
    refused(&mut client, &url("t.0"), "edit_text", edit("indeed", "no"), "does not exist");
    done(&mut client, &url(&tab_id), "edit_text", edit("indeed", "away"));
    for format in ["plain_text", "markdown", "structured"] {
        let read = json!({ "response_format": format, "tab_id": "t.none" });
        refused(&mut client, &id, "get_document_by_id", read, "t.none");
    }
    refused(&mut client, &id, "get_document_by_id", json!({ "response_format": "html" }), "html");
}

#[tokio::test(flavor = "multi_thread")]
async fn looks_are_set_on_a_range() {
    let (world, id) = document("google-looks", "Alpha beta.\n\nSecond one.\n");
    let mut client = Client::new(&world, "google-docs");
    let (start, end) = place(&mut client, &id, "beta");
    let range = |more: Value| {
        let mut all = json!({ "start_index": start, "end_index": end });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let looks = json!({ "bold": true, "foreground_color": "#F00", "font_size": 14, "link_url": "https://example.com/", "heading_type": "HEADING_2",
        "alignment": "CENTER", "italic": true, "underline": true, "strikethrough": true, "font_family": "Georgia",
        "background_color": "#ffff00", "line_spacing": 150, "space_above": 6, "space_below": 12 });
    let styled = done(&mut client, &id, "apply_style", range(looks));
    assert_eq!(styled["styled_range"], json!({ "start_index": start, "end_index": end }));
    assert_eq!(styled["applied_styles"].as_array().unwrap().len(), 14, "{styled}");
    assert!(styled["message"].as_str().unwrap().starts_with("Applied 14 style(s)"), "{styled}");
    let all = elements(&mut client, &id);
    let paragraph = all.iter().find(|element| element["content"] == "Alpha beta.").unwrap();
    let expected = json!({ "heading_type": "HEADING_2", "alignment": "CENTER", "line_spacing": 150, "space_above": 6.0, "space_below": 12.0 });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(paragraph["paragraph_style"][name], *value, "{paragraph}");
    }
    let run = &paragraph["text_runs"].as_array().unwrap().iter().find(|run| run["content"] == "beta").unwrap()["style"];
    let expected = json!({ "bold": true, "italic": true, "underline": true, "strikethrough": true, "font_size": 14.0, "font_family": "Georgia",
        "foreground_color": "#ff0000", "background_color": "#ffff00", "link_url": "https://example.com/" });
    assert_eq!(*run, expected);
    let file = std::fs::read_to_string(world.file(&id)).unwrap();
    assert!(file.contains("}Alpha {!") && file.contains("](https://example.com/)"), "the file follows: {file}");
    assert_eq!(world.text(&id).await, "Alpha beta.\nSecond one.\n");
    done(&mut client, &id, "apply_style", range(json!({ "bold": false })));
    let all = elements(&mut client, &id);
    let runs = all.iter().flat_map(|element| element["text_runs"].as_array().cloned().unwrap_or_default());
    assert_ne!(runs.into_iter().find(|run| run["content"] == "beta").unwrap()["style"]["bold"], true);

    let pushes = world.pushes().await.len();
    refused(&mut client, &id, "apply_style", range(json!({})), "no style");
    refused(&mut client, &id, "apply_style", range(json!({ "blink": true })), "blink");
    refused(&mut client, &id, "apply_style", range(json!({ "foreground_color": "red" })), "red");
    refused(&mut client, &id, "apply_style", range(json!({ "heading_type": "HEADING_7" })), "HEADING_7");
    for address in ["javascript:alert(1)", "file:///etc/passwd", "example.com", "#top"] {
        let error = on(&mut client, &id, "apply_style", range(json!({ "link_url": address }))).unwrap_err();
        assert!(error["error"].as_str().unwrap().contains("link_url"), "{error}");
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains("https://") && hint.contains("mailto:") && hint.contains("#^"), "{error}");
    }
    refused(&mut client, &id, "apply_style", range(json!({ "link_url": "#^h.none" })), "h.none");
    refused(&mut client, &id, "apply_style", range(json!({ "tab_id": "t.none", "bold": true })), "t.none");
    refused(&mut client, &id, "apply_style", json!({ "start_index": 0, "end_index": 4, "bold": true }), "no text");
    refused(&mut client, &id, "apply_style", json!({ "start_index": 5, "end_index": 5, "bold": true }), "no text");
    let over = json!({ "start_index": 5, "end_index": 500, "bold": true });
    let error = on(&mut client, &id, "apply_style", over).unwrap_err();
    assert!(error["hint"].as_str().unwrap().contains("ends at index 25"), "{error}");
    assert_eq!(world.pushes().await.len(), pushes);
}

#[tokio::test(flavor = "multi_thread")]
async fn formatted_text_goes_in_as_one_update() {
    let (world, id) = document("google-formatted", "First.\n");
    let mut client = Client::new(&world, "google-docs");
    let pushes = world.pushes().await.len();
    let text = "# Meeting Notes\n\n**Important**: This is a _critical_ update.\n\n## Action Items\n- Review the ~~old~~ new proposal\n- Contact [John](mailto:john@example.com)\n";
    let inserted = done(&mut client, &id, "insert_formatted_text", json!({ "formatted_text": text }));
    assert_eq!(
        inserted["styles_applied"],
        json!({ "headings": 2, "bold_ranges": 1, "italic_ranges": 1, "strikethrough_ranges": 1, "links": 1, "bullet_items": 2 })
    );
    assert_eq!(world.pushes().await.len(), pushes + 1);
    let said = "Meeting Notes\nImportant: This is a critical update.\nAction Items\nReview the old new proposal\nContact John\n";
    assert_eq!(world.text(&id).await, format!("First.\n{said}"));
    let range = &inserted["inserted_range"];
    let (start, end) = (range["start_index"].as_u64().unwrap(), range["end_index"].as_u64().unwrap());
    assert_eq!((start, end), (8, 8 + said.len() as u64 - 1), "{inserted}");
    assert_eq!(inserted["message"], format!("Inserted {} characters with formatting at end of document", end - start));
    // A link that was refused is none.
    let links = "[a](javascript:alert(1)) [b](javascript://%0aalert(1)) [c](nowhere) [d](https://example.com/) [e](data:text/html,x)";
    let refused_links = json!({ "formatted_text": links, "position": "end" });
    let inserted = done(&mut client, &id, "insert_formatted_text", refused_links);
    assert_eq!(inserted["styles_applied"]["links"], 1, "{inserted}");
    assert_eq!(inserted["warnings"].to_string().matches("is not a web address").count(), 4, "{inserted}");
    // Brace forms are text here, and so is what only looks like markup.
    let plain = json!({ "formatted_text": "{!bold} snake_case_name, 2 * 3 * 4 {^= x image}", "position": "beginning" });
    let inserted = done(&mut client, &id, "insert_formatted_text", plain);
    assert_eq!(inserted["inserted_range"]["start_index"], 1);
    let text = world.text(&id).await;
    assert!(text.starts_with("{!bold} snake_case_name, 2 * 3 * 4 {^= x image}\nFirst.\n"), "{text}");
    refused(&mut client, &id, "insert_formatted_text", json!({ "formatted_text": " \n" }), "empty");
    refused(
        &mut client,
        &id,
        "insert_formatted_text",
        json!({ "formatted_text": "x", "position": "middle" }),
        "middle",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_made_and_a_long_answer_is_cut() {
    let (world, _) = document("google-make", "First.\n");
    let mut client = Client::new(&world, "google-docs");
    let blank = client.call("google_docs_create_blank_document", &json!({ "title": "Blank one" })).unwrap();
    assert_eq!(blank["title"], "Blank one");
    assert!(blank["url"].as_str().unwrap().contains(blank["document_id"].as_str().unwrap()), "{blank}");
    let text = json!({ "title": "From text", "text_content": "# no heading\n- no item\n\n{!bold} **x**" });
    let made = client.call("google_docs_create_document_from_text", &text).unwrap();
    let id = made["document_id"].as_str().unwrap().to_owned();
    assert_eq!(world.text(&id).await, "# no heading\n- no item\n\n{!bold} **x**\n");
    // What no document can have is left out, and that is told.
    let text = json!({ "title": "Bells", "text_content": "ring\u{7}\u{7} on\nand\u{1b} off\u{e001}" });
    let made = client.call("google_docs_create_document_from_text", &text).unwrap();
    assert_eq!(world.text(made["document_id"].as_str().unwrap()).await, "ring on\nand off\n");
    let told = made["warnings"].to_string();
    assert!(["U+0007", "U+001B", "U+E001"].iter().all(|letter| told.contains(letter)), "{made}");
    assert!(!told.contains("file"), "nobody has one here: {made}");
    for arguments in [json!({ "title": " " }), json!({ "title": "x".repeat(1001) }), json!({})] {
        let error = client.call("google_docs_create_blank_document", &arguments).unwrap_err();
        assert!(error["error"].as_str().unwrap().contains("title"), "{error}");
    }

    let lines: String = (0..3000).map(|line| format!("Line {line} of a long text that goes on and on.\n")).collect();
    let text = json!({ "title": "Long", "text_content": lines });
    let long = client.call("google_docs_create_document_from_text", &text).unwrap();
    let id = long["document_id"].as_str().unwrap().to_owned();
    for (format, of) in
        [("raw", "/body/content"), ("structured", "/elements"), ("plain_text", "/content"), ("markdown", "/content")]
    {
        let read = done(&mut client, &id, "get_document_by_id", json!({ "response_format": format }));
        let bytes = read.to_string().len();
        assert!((40_000..=75_000).contains(&bytes), "{format}: {bytes}");
        assert!(read["truncated"] == true && read["message"].as_str().unwrap().contains("too long"), "{format}");
        let whole = std::fs::read_to_string(read["full_content_path"].as_str().unwrap()).unwrap();
        assert!(whole.contains("Line 2999 of a long text") && !read.to_string().contains("Line 2999"), "{format}");
        assert!(read.pointer(of).is_some_and(|left| left.to_string().contains("Line 10 of")), "{format}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_says_what_the_person_can_do() {
    let (world, id): (World, String) = document("google-waits", "Alpha beta gamma.\n");
    let mut client = Client::new(&world, "google-docs");
    let file = world.file(&id);
    let said = std::fs::read_to_string(&file).unwrap();
    // The person is editing the very words that somebody else has changed.
    world.collaborate(&id, "beta", "theirs").await;
    std::fs::write(&file, said.replace("beta", "mine")).unwrap();
    let error = on(&mut client, &id, "edit_text", json!({ "old_text": "gamma", "new_text": "delta" }));
    let refused = error.unwrap_err();
    assert!(refused["hint"].as_str().unwrap().contains("resolve"), "{refused}");
    assert!(
        std::fs::read_to_string(&file).unwrap().contains("mine gamma"),
        "the person's edit stays, and ours is gone"
    );
    assert_eq!(world.text(&id).await, "Alpha theirs gamma.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_fails_leaves_nothing_behind() {
    let (world, id) = document("google-fails", "Chapter one is long and precious.\n\nChapter two as well.\n");
    let mut client = Client::new(&world, "google-docs");
    let said = world.text(&id).await;
    let file = world.file(&id);
    let before = std::fs::read_to_string(&file).unwrap();
    let whole = json!({ "old_text": said.trim_end(), "new_text": "" });
    refused(&mut client, &id, "edit_text", whole, "not made");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    done(&mut client, &id, "insert_text_at_end", json!({ "text": " A" }));
    assert_eq!(world.text(&id).await, "Chapter one is long and precious.\nChapter two as well. A\n");
    // What no document can have.
    refused(&mut client, &id, "edit_text", json!({ "old_text": "one", "new_text": "o\u{7}ne" }), "not made");
    refused(&mut client, &id, "insert_text_at_end", json!({ "text": "  " }), "spaces");
    assert_eq!(world.text(&id).await, "Chapter one is long and precious.\nChapter two as well. A\n");
    let read = done(&mut client, &id, "get_document_by_id", json!({ "response_format": "markdown" }));
    assert_eq!(read["content"], "Chapter one is long and precious.\n\nChapter two as well. A\n");
    // What goes but for a part says so.
    let part = done(&mut client, &id, "insert_formatted_text", json!({ "formatted_text": "a\n\n---\n\nb" }));
    assert!(!part["warnings"].as_array().unwrap().is_empty(), "{part}");
}

/// Gives a document a header that says `text`; returns its id.
async fn header(world: &World, id: &str, text: &str) -> String {
    let path = format!("/v1/documents/{id}:batchUpdate");
    let made = world.post(&path, &json!({ "requests": [{ "createHeader": { "type": "DEFAULT" } }] })).await;
    let header = made["replies"][0]["createHeader"]["headerId"].as_str().unwrap().to_owned();
    let location = json!({ "segmentId": header, "index": 0 });
    world.post(&path, &json!({ "requests": [{ "insertText": { "text": text, "location": location } }] })).await;
    header
}

#[tokio::test(flavor = "multi_thread")]
async fn text_beside_the_body_is_edited_or_told_of() {
    let (world, id) = document("google-beside", "# Head\n\nBody of Acme.\n");
    let mut client = Client::new(&world, "google-docs");
    let edit = |old: &str, new: &str| json!({ "old_text": old, "new_text": new });
    let header = header(&world, &id, "Confidential, Acme").await;
    let said = async || {
        let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
        let content = &document["tabs"][0]["documentTab"]["headers"][&header]["content"];
        content[0]["paragraph"]["elements"][0]["textRun"]["content"].as_str().unwrap().to_owned()
    };
    // The body comes first.
    done(&mut client, &id, "edit_text", edit("Acme", "Bee"));
    assert_eq!((said().await, world.text(&id).await), ("Confidential, Acme\n".into(), "Head\nBody of Bee.\n".into()));
    done(&mut client, &id, "edit_text", edit("Acme", "Bee"));
    assert_eq!(said().await, "Confidential, Bee\n");
    let all = json!({ "old_text": "bee", "new_text": "Cee", "replace_all": true, "match_case": false });
    assert_eq!(done(&mut client, &id, "edit_text", all)["replacements_made"], 2);
    assert_eq!((said().await, world.text(&id).await), ("Confidential, Cee\n".into(), "Head\nBody of Cee.\n".into()));
    let file = std::fs::read_to_string(world.file(&id)).unwrap();
    assert!(file.contains("Confidential, Cee"), "{file}");

    // Chips read like text.
    let path = format!("/v1/documents/{id}:batchUpdate");
    let person =
        json!({ "insertPerson": { "location": { "index": 6 }, "personProperties": { "email": "ben@example.com" } } });
    let date = json!({ "insertDate": { "location": { "index": 6 }, "dateElementProperties": { "timestamp": "2026-01-02T00:00:00Z" } } });
    world.post(&path, &json!({ "requests": [person, date] })).await;
    for old in ["ben@example", "ben@example.comBody", "2026"] {
        let error = on(&mut client, &id, "edit_text", edit(old, "x")).unwrap_err();
        let told = error["error"].as_str().unwrap();
        assert!(told.contains("was found in an object") && !told.contains("not found"), "{old}: {error}");
        assert!(told.contains(if old.contains("ben") { "person" } else { "date" }), "{old}: {error}");
    }
    refused(&mut client, &id, "edit_text", edit("nowhere", "x"), "Text not found");

    // A header of the first page alone is in no file.
    let mut document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    let style = document["tabs"][0]["documentTab"]["documentStyle"].as_object_mut().unwrap();
    let of_first = style.remove("defaultHeaderId").unwrap();
    style.insert("firstPageHeaderId".into(), of_first);
    style.insert("useFirstPageHeaderFooter".into(), true.into());
    document["documentId"] = json!("1FirstPageHeaderAbCdEfGhIjKlMnOpQrStUvWxYz01");
    let other = world.post("/admin/documents", &document).await["documentId"].as_str().unwrap().to_owned();
    let error = on(&mut client, &other, "edit_text", edit("Confidential", "x")).unwrap_err();
    assert!(error["error"].as_str().unwrap().contains("was found in a header"), "{error}");

    // A link leads to a heading.
    let (start, end) = place(&mut client, &id, "Cee");
    let heading = elements_heading(&world, &id).await;
    let link = json!({ "start_index": start, "end_index": end, "link_url": format!("#^{heading}") });
    done(&mut client, &id, "apply_style", link);
    let file = std::fs::read_to_string(world.file(&id)).unwrap();
    assert!(file.contains(&format!("[Cee](#^{heading})")), "{file}");
}

/// The id of the first heading.
async fn elements_heading(world: &World, id: &str) -> String {
    let document = world.get(&format!("/v1/documents/{id}")).await;
    let content = document["body"]["content"].as_array().unwrap();
    let id = content.iter().find_map(|element| element["paragraph"]["paragraphStyle"]["headingId"].as_str());
    id.unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_tells_what_it_brought_alone() {
    let (world, id) = document("google-told", "Alpha.\n\nOmega.\n");
    let mut client = Client::new(&world, "google-docs");
    let insert = |text: &str, position: &str| json!({ "formatted_text": text, "position": position });
    let told = |answer: &Value| answer.get("warnings").map_or(0, |warnings| warnings.as_array().unwrap().len());
    let first = done(&mut client, &id, "insert_formatted_text", insert("[l](javascript:x)", "end"));
    assert_eq!(told(&first), 1, "{first}");
    for position in ["end", "beginning"] {
        let next = done(&mut client, &id, "insert_formatted_text", insert("Plain words.", position));
        assert_eq!(told(&next), 0, "{next}");
    }
    let next = done(&mut client, &id, "edit_text", json!({ "old_text": "Alpha", "new_text": "Beta" }));
    assert_eq!(told(&next), 0, "{next}");
    let again = done(&mut client, &id, "insert_formatted_text", insert("[l](javascript:x)", "end"));
    assert_eq!(told(&again), 1, "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_of_one_document_at_the_same_time_take_turns() {
    const EDITS: usize = 20;
    let words = |made: &str| (0..EDITS).map(|at| format!("The word{at}{made} stands here.\n")).collect::<Vec<_>>();
    let (world, id) = document("google-docs-turns", &words("").join("\n"));
    let mut client = Client::new(&world, "google-docs");
    let edit = |at: usize| {
        let (old, new) = (format!("word{at} "), format!("word{at}made "));
        let arguments = json!({ "document_id": id, "old_text": old, "new_text": new });
        json!({ "name": "google_docs_edit_text", "arguments": arguments })
    };
    let begun: Vec<u32> = (0..EDITS).map(|at| client.begin("tools/call", &edit(at))).collect();
    for _ in &begun {
        let answer = client.next();
        assert!(begun.iter().any(|id| answer["id"] == *id) && answer["result"]["isError"] != true, "{answer}");
    }
    assert_eq!(world.text(&id).await, words("made").concat());
}
