//! What a client of each set of tools gets, through the bridge, with the real binary and the embedded Google.

use crate::support::mcp::{Client, document};
use crate::support::world::World;
use serde_json::{Value, json};

/// Expects an error of this type, whose message and suggestion say something.
fn refused(client: &mut Client, tool: &str, arguments: &Value, kind: &str, words: &str) {
    let error = client.call(tool, arguments).expect_err(tool)["error"].clone();
    assert_eq!(error["type"], kind, "{tool} {arguments}: {error}");
    assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    assert!(error["suggestion"].as_str().is_some_and(|suggestion| !suggestion.is_empty()), "{error}");
}

const TEXT: &str = "Before.\n\n# One\n\nAlpha beta[^1].\n\n## Two\n\nGamma.\n\n# Three\n\nDelta.\n\n[^1]: A note.\n";

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_found_and_read_by_section() {
    let (world, id) = document("profile-read", TEXT);
    let made = world.pushes().await.len();
    let mut client = Client::new(&world, "docs");
    let tools = client.ask("tools/list", &json!({}));
    for tool in tools["tools"].as_array().unwrap() {
        assert_eq!((&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]), (&json!("object"), &json!("object")));
    }
    let found = client.done("list_documents", &json!({ "query": "Ana's" }));
    assert_eq!(found["total_count"], 1);
    let listed = &found["documents"][0];
    assert_eq!((&listed["document_id"], &listed["title"]), (&json!(id), &json!("Ana's plan")), "{found}");
    assert!(listed["owner"].as_str().unwrap().contains('@') && listed["last_modified"].as_str().unwrap().contains('T'));
    let all = client.done("list_documents", &json!({ "limit": 1 }));
    assert_eq!(all["documents"].as_array().unwrap().len(), 1);
    assert!(all["total_count"].as_u64().unwrap() > 1, "{all}");

    let facts = client.done("get_metadata", &json!({ "document_id": id }));
    assert_eq!(
        (&facts["title"], &facts["can_edit"], &facts["can_comment"]),
        (&json!("Ana's plan"), &json!(true), &json!(true))
    );
    let tab = facts["tabs"][0].clone();
    assert_eq!(tab["index"], 0);

    let tree = client.done("get_hierarchy", &json!({ "document_id": id, "tab_id": tab["tab_id"] }));
    let headings = tree["headings"].as_array().unwrap();
    let names: Vec<(&Value, u64)> = headings.iter().map(|one| (&one["text"], one["level"].as_u64().unwrap())).collect();
    assert_eq!(names, [(&json!("One"), 1), (&json!("Two"), 2), (&json!("Three"), 1)]);
    let anchor = |at: usize| headings[at]["anchor_id"].clone();
    assert!(tree["markdown"].as_str().unwrap().contains(&format!("## {{^ {}}}Two\n", anchor(1).as_str().unwrap())));

    let section = |anchor: Value| json!({ "document_id": id, "anchor_id": anchor });
    let one = client.done("export_section", &section(anchor(0)));
    let said = one["content"].as_str().unwrap();
    assert!(said.contains("}One\n\nAlpha beta[^1].\n\n## ") && said.ends_with("Gamma.\n\n[^1]: A note.\n"), "{said}");
    assert_eq!(client.done("export_section", &section(json!("")))["content"], "Before.\n");
    let whole = client.done("export_tab", &json!({ "document_id": id }));
    assert_eq!(whole["tab_id"], tab["tab_id"]);
    assert!(whole["content"].as_str().unwrap().starts_with("Before.\n\n# "), "{whole}");

    // Whatever is exported and imported as it is changes nothing.
    for at in 0..3 {
        let export = client.done("export_section", &section(anchor(at)));
        let import = json!({ "document_id": id, "anchor_id": anchor(at), "content": export["content"] });
        client.done("import_section", &import);
    }
    client.done("import_tab", &json!({ "document_id": id, "content": whole["content"] }));
    assert_eq!(world.pushes().await.len(), made);
}

/// Comments on these words as a program does, which has no say in where that stands; returns the thread's id.
async fn commented(world: &World, id: &str, words: &str) -> String {
    let quoted = if words.is_empty() { Value::Null } else { json!({ "value": words }) };
    let body = json!({ "content": "why?", "quotedFileContent": quoted });
    let made = world.post(&format!("/drive/v3/files/{id}/comments?fields=id"), &body).await;
    made["id"].as_str().unwrap().to_owned()
}

/// Comments on a range as another person does; returns the thread's id.
async fn marked(world: &World, id: &str, range: Value) -> String {
    let body = json!({ "requests": [{ "insertComment": { "range": range, "content": "why?" } }], "author": "Bea" });
    let made = world.post(&format!("/admin/documents/{id}:edit"), &body).await;
    made["replies"][0]["insertComment"]["commentThread"]["commentId"].as_str().unwrap().to_owned()
}

/// How often Google was asked for a single comment.
async fn asked_for_comments(world: &World) -> usize {
    let log = world.get("/admin/requests").await;
    let paths = log.as_array().unwrap().iter().map(|entry| entry["path"].as_str().unwrap().to_owned());
    paths.filter(|path| path.contains("/comments/")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_names_the_section_that_it_stands_in() {
    let (world, id) = document("profile-comments", TEXT);
    let mut client = Client::new(&world, "docs");
    let tree = client.done("get_hierarchy", &json!({ "document_id": id }));
    let anchor = |at: usize| tree["headings"][at]["anchor_id"].clone();
    let section = |anchor: &Value| json!({ "document_id": id, "anchor_id": anchor });
    let none = client.ask("resources/read", &json!({ "uri": format!("workspace://comments/{id}") }));
    assert!(none["contents"][0]["text"].as_str().unwrap().contains("No comment"), "{none}");
    world.delete("/admin/requests").await;
    let mut made = Vec::new();
    let mut said = |anchor: &Value| client.done("export_section", &section(anchor))["content"].clone();
    for (words, named) in [("Before", json!("")), ("beta", anchor(0)), ("Gamma.", anchor(1)), ("Delta", anchor(2))] {
        let expected = said(&named);
        assert_eq!(asked_for_comments(&world).await, 0, "an anchor of the text is asked for nowhere");
        let comment = commented(&world, &id, words).await;
        assert_eq!(said(&json!(comment)), expected, "{words}");
        assert_eq!(asked_for_comments(&world).await, 1);
        made.push(comment);
        world.delete("/admin/requests").await;
    }
    // What lists them is a resource.
    let mut listed = || {
        let read = client.ask("resources/read", &json!({ "uri": format!("workspace://comments/{id}") }));
        read["contents"][0]["text"].as_str().unwrap().to_owned()
    };
    assert!(made.iter().all(|comment| listed().contains(comment.as_str())), "{made:?} in {}", listed());
    // One on a range, as people make them.
    let gamma = marked(&world, &id, json!({ "startIndex": 30, "endIndex": 33 })).await;
    let export = client.done("export_section", &section(&json!(gamma)));
    assert_eq!(export["anchor_id"], gamma, "{export}");
    let content = export["content"].as_str().unwrap().replace("Gamma.", "Gamma and more.");
    assert_ne!(export["content"], content);
    let before = world.pushes().await.len();
    let import = json!({ "document_id": id, "anchor_id": gamma, "content": content });
    assert_eq!(client.done("import_section", &import)["anchor_id"], gamma);
    assert_eq!(world.text(&id).await, "Before.\nOne\nAlpha beta.\nTwo\nGamma and more.\nThree\nDelta.\n");
    assert_eq!(world.pushes().await.len(), before + 1);
    // A heading without an id is named by its words.
    let mut raw = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    for element in raw["tabs"][0]["documentTab"]["body"]["content"].as_array_mut().unwrap() {
        let style = element.pointer_mut("/paragraph/paragraphStyle").and_then(Value::as_object_mut);
        style.map(|style| style.remove("headingId"));
    }
    let other = world.post("/admin/documents", &raw).await["documentId"].clone();
    let tree = client.done("get_hierarchy", &json!({ "document_id": other }));
    let named = &tree["headings"][1]["anchor_id"];
    assert!(named.as_str().unwrap().starts_with("s."), "{tree}");
    let comment = json!(commented(&world, other.as_str().unwrap(), "and more").await);
    let mut said = |anchor: &Value| {
        client.done("export_section", &json!({ "document_id": other, "anchor_id": anchor }))["content"].clone()
    };
    assert_eq!(said(&comment), said(named));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_that_names_no_section_says_why() {
    let (world, id) = document("profile-placeless", TEXT);
    let mut client = Client::new(&world, "docs");
    let on = |anchor: &str, tab: &Value| json!({ "document_id": id, "anchor_id": anchor, "tab_id": tab });
    let said = world.text(&id).await;
    let resolved = commented(&world, &id, "Gamma").await;
    let replies = format!("/drive/v3/files/{id}/comments/{resolved}/replies");
    world.post(&format!("{replies}?fields=id"), &json!({ "action": "resolve" })).await;
    for (comment, words) in [
        (commented(&world, &id, "").await, "as a whole"),
        (commented(&world, &id, "never there").await, "not in the document any more"),
        (commented(&world, &id, "ta").await, "2 places"),
        (commented(&world, &id, "A note").await, "a footnote"),
        (resolved, "resolved"),
        ("AAAAnone".to_owned(), "no section `AAAAnone`"),
    ] {
        let export = on(&comment, &json!(""));
        refused(&mut client, "export_section", &export, "AnchorNotFoundError", words);
        let mut import = export.clone();
        import["content"] = json!("Other.");
        refused(&mut client, "import_section", &import, "AnchorNotFoundError", words);
    }
    assert_eq!(world.text(&id).await, said);
    // In another tab than the one that is named.
    let path = format!("/v1/documents/{id}:batchUpdate");
    let add = json!({ "requests": [{ "addDocumentTab": { "tabProperties": { "title": "More" } } }] });
    world.post(&path, &add).await;
    let facts = client.done("get_metadata", &json!({ "document_id": id }));
    let tab = |at: usize| facts["tabs"][at]["tab_id"].clone();
    let heading = json!({ "range": { "startIndex": 1, "endIndex": 2, "tabId": tab(1) },
        "paragraphStyle": { "namedStyleType": "HEADING_1" }, "fields": "namedStyleType" });
    let write = json!({ "requests": [
        { "insertText": { "location": { "index": 1, "tabId": tab(1) }, "text": "Elsewhere\nOther words." } },
        { "updateParagraphStyle": heading } ] });
    world.post(&path, &write).await;
    let comment = marked(&world, &id, json!({ "startIndex": 11, "endIndex": 16, "tabId": tab(1) })).await;
    refused(&mut client, "export_section", &on(&comment, &tab(0)), "AnchorNotFoundError", "\"More\"");
    let there = client.done("export_section", &on(&comment, &tab(1)))["content"].clone();
    assert!(there.as_str().unwrap().contains("Elsewhere\n\nOther words."), "{there}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_is_imported_word_by_word_and_the_file_follows() {
    let (world, id) = document("profile-write", TEXT);
    let mut client = Client::new(&world, "docs");
    let tree = client.done("get_hierarchy", &json!({ "document_id": id }));
    let anchor = tree["headings"][1]["anchor_id"].clone();
    let import = |content: &str| json!({ "document_id": id, "anchor_id": anchor, "content": content });
    let before = world.pushes().await.len();
    let done = client.done("import_section", &import("## Two\n\nGamma and more.\n"));
    assert_eq!((&done["anchor_id"], &done["preserved_objects"]), (&anchor, &json!([])), "{done}");
    assert_eq!(world.text(&id).await, "Before.\nOne\nAlpha beta.\nTwo\nGamma and more.\nThree\nDelta.\n");
    let file = std::fs::read_to_string(world.file(&id)).unwrap();
    assert!(file.contains("Gamma and more.") && file.contains("[^1]: A note."), "{file}");
    assert_eq!(world.pushes().await.len(), before + 1);
    // What another one wrote meanwhile stays, and so does the anchor.
    world.collaborate(&id, "Delta", "Delta of theirs").await;
    client.done("import_section", &import("Gamma and even more."));
    assert_eq!(
        world.text(&id).await,
        "Before.\nOne\nAlpha beta.\nTwo\nGamma and even more.\nThree\nDelta of theirs.\n"
    );
    let now = client.done("get_hierarchy", &json!({ "document_id": id }));
    assert_eq!(now["headings"], tree["headings"]);
    // A whole tab, with another name for the document in its head.
    let whole = client.done("export_tab", &json!({ "document_id": id }));
    let content = whole["content"].as_str().unwrap().replace("Before.", "Before all.").replace("# Three", "# 3");
    client.done("import_tab", &json!({ "document_id": id, "content": content }));
    assert!(world.text(&id).await.starts_with("Before all.\n"));
    let error = client.call("import_tab", &json!({ "document_id": id, "content": "" })).unwrap_err()["error"].clone();
    assert_eq!(error["type"], "EditHeldError", "{error}");
    assert!(error["message"].as_str().unwrap().contains(".md"), "{error}");
    assert!(world.text(&id).await.starts_with("Before all.\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_says_what_to_do() {
    let (world, id) = document("profile-errors", TEXT);
    let mut client = Client::new(&world, "docs");
    let on = |arguments: Value| {
        let mut all = json!({ "document_id": id });
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        all
    };
    let nowhere = json!({ "document_id": "1AbCdEfGhIjKlMnOpQrStUvWxYz012345678901234" });
    refused(&mut client, "get_metadata", &nowhere, "DocumentNotFoundError", "1AbC");
    refused(&mut client, "get_hierarchy", &nowhere, "DocumentNotFoundError", "1AbC");
    refused(&mut client, "get_hierarchy", &on(json!({ "tab_id": "t.none" })), "TabNotFoundError", "t.none");
    refused(&mut client, "export_section", &on(json!({ "anchor_id": "h.none" })), "AnchorNotFoundError", "h.none");
    let import = |content: &str| on(json!({ "anchor_id": "", "content": content }));
    refused(&mut client, "import_section", &import("{!color:#c00}never closed"), "MebdfParseError", "line 1");
    refused(&mut client, "import_section", &import("---\ntitle: x\n---\nText"), "InvalidInputError", "head");
    refused(&mut client, "import_section", &import("{^= kix.none image}"), "EmbeddedObjectNotFoundError", "kix.none");
    for anchor in [" ", "\t\n", "#^", " # "] {
        let blank = on(json!({ "anchor_id": anchor, "content": "Mine." }));
        refused(&mut client, "import_section", &blank, "InvalidInputError", "names nothing");
        refused(
            &mut client,
            "export_section",
            &on(json!({ "anchor_id": anchor })),
            "InvalidInputError",
            "names nothing",
        );
    }
    assert_eq!(client.done("export_tab", &on(json!({ "tab_id": null })))["success"], true);
    assert_eq!(client.done("list_documents", &json!({ "limit": 10.0 }))["success"], true);
    refused(&mut client, "list_documents", &json!({ "limit": 10.5 }), "InvalidInputError", "`limit`");
    refused(&mut client, "list_documents", &json!({ "limit": 101 }), "InvalidInputError", "100");
    refused(&mut client, "list_documents", &json!({ "limits": 1 }), "InvalidInputError", "limits");
    refused(&mut client, "export_tab", &json!({}), "InvalidInputError", "document_id");
    assert_eq!(world.text(&id).await, "Before.\nOne\nAlpha beta.\nTwo\nGamma.\nThree\nDelta.\n");
    // A document with several tabs wants one of them named.
    world
        .post(
            &format!("/v1/documents/{id}:batchUpdate"),
            &json!({ "requests": [{ "addDocumentTab": { "tabProperties": { "title": "More" } } }] }),
        )
        .await;
    refused(&mut client, "get_hierarchy", &on(json!({})), "MultipleTabsError", "\"More\"");
    let facts = client.done("get_metadata", &on(json!({})));
    for tab in facts["tabs"].as_array().unwrap() {
        let exported = client.done("export_tab", &on(json!({ "tab_id": tab["tab_id"] })));
        assert_eq!(exported["tab_id"], tab["tab_id"]);
        // The URL that a browser shows names the tab, and what is given goes before it.
        let of_tab =
            |tab: &Value| format!("https://docs.google.com/document/d/{id}/edit?tab={}", tab.as_str().unwrap());
        let by_url = json!({ "document_id": of_tab(&tab["tab_id"]) });
        assert_eq!(client.done("export_tab", &by_url)["tab_id"], tab["tab_id"]);
        let both = json!({ "document_id": of_tab(&facts["tabs"][0]["tab_id"]), "tab_id": tab["tab_id"] });
        assert_eq!(client.done("export_tab", &both)["tab_id"], tab["tab_id"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn looks_are_read_made_alike_and_carried_over() {
    let text =
        "# One\n\nAlpha **beta** `code` gamma.\n\n- item\n\n| a | b |\n| --- | --- |\n| c | d |\n\n**All bold.**\n";
    let (world, id) = document("profile-looks", text);
    let mut client = Client::new(&world, "docs");
    let on = |more: Value| {
        let mut all = json!({ "document_id": id });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    // Somebody has given a word another size, and a paragraph another spacing.
    let said = world.text(&id).await;
    let body = json!({ "requests": [
        { "updateTextStyle": { "range": { "startIndex": 6, "endIndex": 9 }, "textStyle": { "fontSize": { "magnitude": 18, "unit": "PT" } }, "fields": "fontSize" } },
        { "updateParagraphStyle": { "range": { "startIndex": 6, "endIndex": 9 }, "paragraphStyle": { "lineSpacing": 200 }, "fields": "lineSpacing" } },
    ] });
    world.post(&format!("/v1/documents/{id}:batchUpdate"), &body).await;
    let styles = client.done("extract_styles", &on(json!({})));
    let named = |styles: &Value, name: &str| {
        styles["styles"].as_array().unwrap().iter().find(|style| style["element_type"] == name).unwrap().clone()
    };
    let body = named(&styles, "body");
    assert_eq!((&body["font_family"], &body["font_size"]), (&json!("Arial"), &json!("11pt")), "{styles}");
    assert_eq!(named(&styles, "heading1")["font_size"], "20pt", "{styles}");

    let wish = json!({ "body_font": "Georgia", "body_size": "12pt", "heading_font": "Verdana", "line_spacing": "1.5", "space_after": "6pt" });
    let done = client.done("normalize_formatting", &on(wish.clone()));
    assert!(done["changes_made"].as_u64().unwrap() >= 4, "{done}");
    assert!(done["warnings"][0].as_str().unwrap().contains("code"), "{done}");
    assert_eq!(world.text(&id).await, said);
    let file = std::fs::read_to_string(world.file(&id)).unwrap();
    assert!(
        file.contains("Alpha **beta** `code` gamma.") && file.contains("**All bold.**") && !file.contains("{!size"),
        "{file}"
    );
    assert_eq!(client.done("normalize_formatting", &on(wish))["changes_made"], 0);
    let styles = client.done("extract_styles", &on(json!({})));
    let body = named(&styles, "body");
    for (field, value) in
        [("font_family", "Georgia"), ("font_size", "12pt"), ("line_spacing", "1.5"), ("space_after", "6pt")]
    {
        assert_eq!(body[field], value, "{field}: {styles}");
    }
    assert_eq!(named(&styles, "heading1")["font_family"], "Verdana");

    // Another document takes them over, and has them then.
    let source = world.home.join("other.md");
    std::fs::write(&source, "# Other\n\n{!size:20pt}Large{/!} words.\n").unwrap();
    let (_, other) = world.cli(&["create", "--title", "Other", source.to_str().unwrap()]);
    let target = |more: Value| {
        let mut all = json!({ "document_id": other["id"] });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let applied = client.done("apply_styles", &target(json!({ "styles": styles["styles"] })));
    assert!(applied["changes_made"].as_u64().unwrap() >= 3, "{applied}");
    assert_eq!(client.done("extract_styles", &target(json!({})))["styles"], styles["styles"]);
    assert_eq!(client.done("apply_styles", &target(json!({ "styles": styles["styles"] })))["changes_made"], 0);
    assert_eq!(world.text(other["id"].as_str().unwrap()).await, "Other\nLarge words.\n");

    // What headings have from normal text is theirs at once, or stays as it was.
    let (_, fresh) = world.cli(&["create", "--title", "Fresh"]);
    let on_fresh = json!({ "document_id": fresh["id"], "body_font": "Georgia", "heading_font": "Arial" });
    client.done("normalize_formatting", &on_fresh);
    assert_eq!(client.done("normalize_formatting", &on_fresh)["changes_made"], 0);
    let body = json!({ "document_id": fresh["id"], "styles": [{ "element_type": "body", "font_family": "Verdana" }] });
    client.done("apply_styles", &body);
    let styles = client.done("extract_styles", &json!({ "document_id": fresh["id"] }));
    let fonts = ["body", "title", "heading1"].map(|name| named(&styles, name)["font_family"].clone());
    assert_eq!(fonts, ["Verdana", "Arial", "Arial"], "{styles}");

    refused(&mut client, "normalize_formatting", &on(json!({})), "InvalidInputError", "nothing");
    refused(&mut client, "normalize_formatting", &on(json!({ "body_size": "huge" })), "InvalidInputError", "huge");
    let styles = |style: Value| on(json!({ "styles": [style] }));
    refused(&mut client, "apply_styles", &styles(json!({ "element_type": "footer" })), "InvalidInputError", "footer");
    refused(
        &mut client,
        "apply_styles",
        &styles(json!({ "element_type": "body", "text_color": "c" })),
        "InvalidInputError",
        "text_color",
    );
    refused(
        &mut client,
        "apply_styles",
        &styles(json!({ "element_type": "body", "size": "1pt" })),
        "InvalidInputError",
        "size",
    );
    refused(&mut client, "apply_styles", &on(json!({ "styles": [] })), "InvalidInputError", "empty");
    let twice = on(json!({ "styles": [{ "element_type": "body", "font_size": "9pt" }, { "element_type": "body" }] }));
    refused(&mut client, "apply_styles", &twice, "InvalidInputError", "twice");
    let wrong = on(json!({ "styles": [{ "element_type": "body", "font_size": 9 }] }));
    refused(&mut client, "apply_styles", &wrong, "InvalidInputError", "`styles[0].font_size`: invalid type");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_of_an_older_export_takes_nothing_from_others() {
    let text = "# One\n\nAlpha beta gamma delta.\n\nSecond paragraph of the section stands here.\n\nThird one.\n";
    let (world, id) = document("profile-older", text);
    let mut client = Client::new(&world, "docs");
    let anchor = client.done("get_hierarchy", &json!({ "document_id": id }))["headings"][0]["anchor_id"].clone();
    let section = json!({ "document_id": id, "anchor_id": anchor });
    let import = |content: &str| json!({ "document_id": id, "anchor_id": anchor, "content": content });
    let said = |export: Value| export["content"].as_str().unwrap().to_owned();
    // Another person writes beside it: both go, and that is told.
    let older = said(client.done("export_section", &section));
    world.collaborate(&id, "beta", "beta theirs").await;
    let done = client.done("import_section", &import(&older.replace("Third", "Third mine")));
    assert!(done["warnings"][0].as_str().unwrap().contains("merged"), "{done}");
    let expected =
        "One\nAlpha beta theirs gamma delta.\nSecond paragraph of the section stands here.\nThird mine one.\n";
    assert_eq!(world.text(&id).await, expected);
    // And over the same words: nothing is imported.
    let older = said(client.done("export_section", &section));
    world.collaborate(&id, "gamma", "others").await;
    refused(&mut client, "import_section", &import(&older.replace("gamma", "own")), "EditConflictError", "\"One\"");
    assert_eq!(world.text(&id).await, expected.replace("gamma", "others"));
}

/// The person saves the mirrored file with other words.
fn saved(world: &World, id: &str, old: &str, new: &str) {
    let file = world.file(id);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(old), "{text}");
    std::fs::write(&file, text.replace(old, new)).unwrap();
    let (done, told) = world.cli(&["push", file.to_str().unwrap()]);
    assert!(done, "{told}");
}

const SECTION: &str =
    "# One\n\nAlpha beta gamma delta.\n\nSecond paragraph of the section stands here.\n\nThird one.\n";

/// Both eras, and what each exports: a section, or all of the tab.
const HOLDERS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

#[tokio::test(flavor = "multi_thread")]
async fn an_import_of_an_older_export_takes_nothing_from_the_file_either() {
    for (is_modern, is_tab) in HOLDERS {
        let (world, id) = document(&format!("profile-stale-{is_modern}-{is_tab}"), SECTION);
        let mut other = Client::new(&world, "docs");
        let mut google = Client::new(&world, "google-docs");
        let mut client = if is_modern { Client::modern(&world, "docs") } else { Client::new(&world, "docs") };
        let anchor = other.done("get_hierarchy", &json!({ "document_id": id }))["headings"][0]["anchor_id"].clone();
        let section = json!({ "document_id": id, "anchor_id": anchor });
        let (given, tool) = match is_tab {
            true => (json!({ "document_id": id }), "import_tab"),
            false => (section.clone(), "import_section"),
        };
        let export = client.done(&tool.replace("import", "export"), &given)["content"].as_str().unwrap().to_owned();
        let import = |content: &str| {
            let mut all = given.clone();
            all["content"] = json!(content);
            all
        };
        // Another client adds a paragraph, a third one edits, and so does the person.
        let theirs = other.done("export_section", &section)["content"].as_str().unwrap().to_owned();
        let mut more = section.clone();
        more["content"] = json!(format!("{theirs}\nFourth of another.\n"));
        other.done("import_section", &more);
        let edit = json!({ "document_id": id, "old_text": "beta", "new_text": "better" });
        google.done("google_docs_edit_text", &edit);
        saved(&world, &id, "stands here", "stands right here");
        let said = "One\nAlpha better gamma delta.\nSecond paragraph of the section stands right here.\nThird one.\nFourth of another.\n";
        assert_eq!(world.text(&id).await, said);
        // Unedited, it sends nothing.
        let (pushes, file) = (world.pushes().await.len(), std::fs::read_to_string(world.file(&id)).unwrap());
        let done = client.done(tool, &import(&export));
        assert!(done["warnings"][0].as_str().unwrap().contains("merged"), "{done}");
        assert_eq!((world.pushes().await.len(), std::fs::read_to_string(world.file(&id)).unwrap()), (pushes, file));
        // Edited, it changes its own word alone; and so does a second one, made from the first.
        let first = export.replace("Third", "Third mine");
        let done = client.done(tool, &import(&first));
        assert!(done["warnings"][0].as_str().unwrap().contains("merged"), "{done}");
        assert_eq!(world.text(&id).await, said.replace("Third", "Third mine"));
        let second =
            first.replace("Third mine", "Third of mine").replace(&format!("{{^ {}}}", anchor.as_str().unwrap()), "");
        client.done(tool, &import(&second));
        assert_eq!(world.text(&id).await, said.replace("Third", "Third of mine"));
        client.done(tool, &import(&second.replace("Third of mine", "Third of me")));
        assert_eq!(world.text(&id).await, said.replace("Third", "Third of me"));
        // The same words: neither the file nor the document changes.
        saved(&world, &id, "gamma", "person's");
        let (said, file) = (world.text(&id).await, std::fs::read_to_string(world.file(&id)).unwrap());
        let both = import(&second.replace("Third of mine", "Third of me").replace("gamma", "own"));
        refused(&mut client, tool, &both, "EditConflictError", "\"One\"");
        assert_eq!((world.text(&id).await, std::fs::read_to_string(world.file(&id)).unwrap()), (said.clone(), file));
        // As that says, another export settles it.
        let newest = client.done(&tool.replace("import", "export"), &given)["content"].as_str().unwrap().to_owned();
        let done = client.done(tool, &import(&newest.replace("person's", "own")));
        assert_eq!(done["warnings"], json!([]), "{done}");
        assert_eq!(world.text(&id).await, said.replace("person's", "own"));
    }
}

/// How often something was sent to a document.
async fn batches(world: &World) -> usize {
    let log = world.get("/admin/requests").await;
    let paths = log.as_array().unwrap().iter().map(|entry| entry["path"].as_str().unwrap().to_owned());
    paths.filter(|path| path.ends_with(":batchUpdate")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn looks_that_several_clients_set_at_once_take_turns() {
    let (world, id) = document("profile-turns", TEXT);
    // The first is slow, so that the others come while it is at work.
    let slow = json!([{ "match": { "path": ":batchUpdate" }, "times": 1, "fault": "slow", "delay_ms": 1500 }]);
    world.post("/admin/faults", &slow).await;
    let before = batches(&world).await;
    let on = |tool: &str, more: Value| {
        let mut all = json!({ "document_id": id });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "name": tool, "arguments": all })
    };
    let calls = [
        on("google_docs_apply_style", json!({ "start_index": 1, "end_index": 7, "bold": true })),
        on("google_docs_apply_style", json!({ "start_index": 1, "end_index": 7, "italic": true })),
        on("normalize_formatting", json!({ "body_size": "13pt" })),
        on("apply_styles", json!({ "styles": [{ "element_type": "heading1", "font_family": "Georgia" }] })),
        on("google_docs_edit_text", json!({ "old_text": "Delta", "new_text": "Delta more" })),
    ];
    let mut clients: Vec<Client> = calls.iter().map(|_| Client::new(&world, "full")).collect();
    for (client, call) in clients.iter_mut().zip(&calls) {
        client.begin("tools/call", call);
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    for client in &mut clients {
        let answer = client.next();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    // None met another's edit, which it would have had to be made anew for.
    assert_eq!(batches(&world).await, before + calls.len());
    let file = std::fs::read_to_string(world.file(&id)).unwrap();
    assert!(file.contains("***Before***") && file.contains("Delta more"), "{file}");
    let styles = clients[0].done("extract_styles", &json!({ "document_id": id }))["styles"].clone();
    let of =
        |name: &str| styles.as_array().unwrap().iter().find(|style| style["element_type"] == name).unwrap().clone();
    assert_eq!((&of("body")["font_size"], &of("heading1")["font_family"]), (&json!("13pt"), &json!("Georgia")));
}

/// Paragraphs of a document that is longer than most clients show.
fn paragraphs(count: usize, length: usize) -> Vec<String> {
    let words = "and words enough to make a paragraph of the usual length of it, ".repeat(length) + "and the end";
    (0..count).map(|at| format!("Paragraph {at} has its own number {at}, {words}.")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_a_client_has_cut_is_not_imported() {
    let all = paragraphs(1000, 1);
    let (world, id) = document("profile-cut-there", &all.join("\n\n"));
    let mut client = Client::new(&world, "docs");
    let whole = json!({ "document_id": id });
    let export = client.done("export_tab", &whole);
    let content = export["content"].as_str().unwrap().to_owned();
    assert!(export["warnings"][0].as_str().unwrap().contains("this is long"), "{}", export["warnings"]);
    assert_eq!(content.trim_end().split("\n\n").count(), all.len());
    let said = world.text(&id).await;
    let import = |content: &str| json!({ "document_id": id, "content": content });
    let cut = &content[..content.len() * 9 / 10];
    let middle = format!("{}\n[...]\n{}", &content[..20_000], &content[60_000..]);
    for content in [cut, &middle] {
        refused(&mut client, "import_tab", &import(content), "InvalidInputError", "looks cut");
        // A client that was given nothing on this connection is no other.
        let mut other = Client::new(&world, "docs");
        refused(&mut other, "import_tab", &import(content), "InvalidInputError", "looks cut");
    }
    assert_eq!(world.text(&id).await, said);
    // What is taken out by hand goes.
    let taken = all[500..510].join("\n\n") + "\n\n";
    client.done("import_tab", &import(&content.replace(&taken, "")));
    assert_eq!(world.text(&id).await, said.replace(&taken.replace("\n\n", "\n"), ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_that_is_longer_than_any_client_takes_is_cut_and_what_was_cut_stays() {
    let all = paragraphs(1000, 10);
    let (world, id) = document("profile-cut-here", &all.join("\n\n"));
    let mut client = Client::new(&world, "docs");
    let result = client.ask("tools/call", &json!({ "name": "export_tab", "arguments": { "document_id": id } }));
    let export = &result["structuredContent"];
    let limit = client.ask("tools/list", &json!({}))["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "export_tab")
        .unwrap()["_meta"]["anthropic/maxResultSizeChars"]
        .as_u64()
        .unwrap();
    assert!((export.to_string().len() as u64) < limit, "{limit}");
    let content = export["content"].as_str().unwrap().to_owned();
    let told = export["warnings"][0].as_str().unwrap();
    let file = world.file(&id);
    assert!(
        told.starts_with("cut: ") && told.contains(file.to_str().unwrap()) && told.contains("export_section"),
        "{told}"
    );
    assert!(content.ends_with(".\n") && !content.contains("Paragraph 999 "), "it ends with a paragraph");
    let said = world.text(&id).await;
    let pushes = world.pushes().await.len();
    let import = |content: &str| json!({ "document_id": id, "content": content });
    // Unedited it sends nothing; edited, again and again, it changes what was edited alone.
    client.done("import_tab", &import(&content));
    assert_eq!((world.text(&id).await == said, world.pushes().await.len()), (true, pushes));
    let (mut content, mut said) = (content, said);
    for (old, new) in [("number 7,", "number seven,"), ("number 8,", "number eight,")] {
        (content, said) = (content.replacen(old, new, 1), said.replacen(old, new, 1));
        let done = client.done("import_tab", &import(&content));
        assert!(done["warnings"][0].as_str().unwrap().contains("was cut, stays as it is"), "{done}");
        assert!(world.text(&id).await == said, "{new}");
    }
    // Of what was given here the client may have cut more.
    refused(&mut client, "import_tab", &import(&content[..100_000]), "InvalidInputError", "looks cut");
    assert!(world.text(&id).await == said);
}
