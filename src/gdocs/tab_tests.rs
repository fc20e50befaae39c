//! Cases of tabs and drop-downs.

use serde_json::{Value, json};

use super::{Document, Tab, apply, new_document, read_requests};

/// Applies raw requests and returns the document and the replies.
fn send(document: &Document, requests: &Value) -> Result<(Document, Vec<Value>), String> {
    let requests = read_requests(requests.as_array().unwrap()).map_err(|refusal| refusal.message)?;
    let applied = apply(document, &requests, 1).map_err(|refusal| refusal.message)?;
    super::law_form::check_form(&applied.document);
    Ok((applied.document, applied.replies))
}

/// Writes tabs as `title(children)`.
fn shown(tabs: &[Tab]) -> String {
    let tab = |tab: &Tab| match tab.child_tabs.as_slice() {
        [] => tab.title().to_owned(),
        children => format!("{}({})", tab.title(), shown(children)),
    };
    tabs.iter().map(tab).collect::<Vec<_>>().join(" ")
}

/// A document with the tabs `Tab 1(A(B) C) D`, and their ids by title.
fn tree() -> Document {
    let mut document = new_document("doc", "t");
    for (title, parent) in [("A", "Tab 1"), ("B", "A"), ("C", "Tab 1"), ("D", "")] {
        let parent = if parent.is_empty() { String::new() } else { id(&document, parent) };
        let add = json!([{"addDocumentTab": {"tabProperties": {"title": title, "parentTabId": parent}}}]);
        document = send(&document, &add).unwrap().0;
    }
    document
}

fn id(document: &Document, title: &str) -> String {
    document.all_tabs().into_iter().find(|tab| tab.title() == title).unwrap().id().to_owned()
}

#[test]
fn tabs_are_added() {
    let document = new_document("doc", "t");
    let add = |properties: Value| json!([{"addDocumentTab": {"tabProperties": properties}}]);
    let (after, replies) = send(&document, &add(json!({"title": "New", "iconEmoji": "🙂", "index": 0}))).unwrap();
    assert_eq!(shown(&after.tabs), "New Tab 1");
    let made = &replies[0]["addDocumentTab"]["tabProperties"];
    assert_eq!((&made["title"], &made["iconEmoji"], &made["index"]), (&json!("New"), &json!("🙂"), &json!(0)));
    let tab_id = made["tabId"].as_str().unwrap();
    assert!(tab_id.starts_with("t.") && tab_id.len() == 14, "{tab_id}");
    assert_eq!(after.tabs[0].document_tab, document.tabs[0].document_tab);
    assert_eq!(shown(&send(&document, &add(json!({}))).unwrap().0.tabs), "Tab 1 Tab 2");
    assert_eq!(shown(&send(&document, &json!([{"addDocumentTab": {}}])).unwrap().0.tabs), "Tab 1 Tab 2");
    assert_eq!(shown(&tree().tabs), "Tab 1(A(B) C) D");
    // The new tab can be written into in the next batch.
    let fill = json!([{"insertText": {"location": {"index": 1, "tabId": tab_id}, "text": "x"}}]);
    assert!(send(&after, &fill).is_ok());
}

#[test]
fn tabs_are_deleted_with_their_children() {
    let tree = tree();
    let after = |title: &str| shown(&send(&tree, &json!([{"deleteTab": {"tabId": id(&tree, title)}}])).unwrap().0.tabs);
    assert_eq!(after("A"), "Tab 1(C) D");
    assert_eq!(after("B"), "Tab 1(A C) D");
    assert_eq!(after("Tab 1"), "D");
    assert_eq!(after("D"), "Tab 1(A(B) C)");
}

#[test]
fn tabs_are_renamed_and_moved() {
    let tree = tree();
    let update = |title: &str, properties: &Value, fields: &str| {
        let mut properties = properties.clone();
        properties["tabId"] = json!(id(&tree, title));
        json!([{"updateDocumentTabProperties": {"tabProperties": properties, "fields": fields}}])
    };
    let after = |requests: &Value| shown(&send(&tree, requests).unwrap().0.tabs);
    assert_eq!(after(&update("A", &json!({"title": "X"}), "title")), "Tab 1(X(B) C) D");
    assert_eq!(after(&update("A", &json!({"title": "A"}), "title")), "Tab 1(A(B) C) D");
    assert_eq!(after(&update("A", &json!({"title": "X", "iconEmoji": "🇩🇪"}), "*")), "Tab 1(X(B) C) D");
    assert_eq!(after(&update("D", &json!({"index": 0}), "index")), "D Tab 1(A(B) C)");
    assert_eq!(after(&update("C", &json!({}), "index")), "Tab 1(C A(B)) D");
    assert_eq!(after(&update("C", &json!({}), "parentTabId")), "Tab 1(A(B)) D C");
    assert_eq!(after(&update("A", &json!({"parentTabId": id(&tree, "D")}), "parent_tab_id")), "Tab 1(C) D(A(B))");
    assert_eq!(after(&update("D", &json!({"parentTabId": "t.0", "index": 1}), "parentTabId,index")), "Tab 1(A(B) D C)");
    let cases = [
        (update("A", &json!({"title": "D"}), "title"), "Tab title must be unique"),
        (update("A", &json!({}), "title"), "Tab title must not be empty"),
        (update("A", &json!({}), ""), "At least one field must be listed"),
        (update("A", &json!({"nestingLevel": 2}), "nestingLevel"), "Invalid field: nestingLevel"),
        (update("A", &json!({"index": 9}), "index"), "The tab index is out of bounds."),
        (update("A", &json!({"parentTabId": id(&tree, "B")}), "parentTabId"), "does not exist."),
        (update("Tab 1", &json!({"parentTabId": id(&tree, "D")}), "parentTabId"), "more than 3 levels"),
        (update("A", &json!({"iconEmoji": "ab"}), "iconEmoji"), "must be a single emoji."),
    ];
    for (requests, expected) in cases {
        let refusal = send(&tree, &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
}

#[test]
fn icons_are_single_emojis() {
    let add = |icon: &str| {
        send(&new_document("d", "t"), &json!([{"addDocumentTab": {"tabProperties": {"iconEmoji": icon}}}]))
    };
    for icon in ["🙂", "👍🏽", "👨‍👩‍👧", "🇩🇪", "❤️", "1️⃣", "🏳️‍🌈", "☝🏽"]
    {
        assert!(add(icon).is_ok(), "{icon}");
    }
    for icon in ["a", "🙂🙂", "🇩", "1", "é", " ", "🙂 ", "❤️a", "שלום"] {
        assert!(add(icon).unwrap_err().contains("must be a single emoji."), "{icon}");
    }
}

#[test]
fn refusals_of_tabs() {
    let tree = tree();
    let add = |properties: Value| json!([{"addDocumentTab": {"tabProperties": properties}}]);
    let single = new_document("doc", "t");
    let cases = [
        (&tree, add(json!({"title": "A"})), "Tab title must be unique"),
        (&tree, add(json!({"tabId": "t.x"})), "Tab ID should not be specified in the properties when adding a tab."),
        (&tree, add(json!({"parentTabId": "t.x"})), "A tab with ID t.x does not exist."),
        (&tree, add(json!({"parentTabId": id(&tree, "B")})), "more than 3 levels deep."),
        (&tree, add(json!({"index": 3})), "The tab index is out of bounds."),
        (&tree, add(json!({"nestingLevel": 1})), "nesting_level is output only"),
        (&tree, json!([{"deleteTab": {"tabId": "t.x"}}]), "A tab with ID t.x does not exist."),
        (&tree, json!([{"deleteTab": {}}]), "does not exist."),
        (&single, json!([{"deleteTab": {"tabId": "t.0"}}]), "The last tab of a document cannot be deleted."),
    ];
    for (document, requests, expected) in cases {
        let refusal = send(document, &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
}

/// A definition of two options.
fn definition() -> Value {
    json!({"createDropdownDefinition": {"dropdownDefinition": {"dropdownDefinitionId": "kix.state",
    "dropdownDefinitionProperties": {"title": "State", "options": [
        {"optionId": "dropdownItem.open", "displayValue": "Open",
            "textStyle": {"backgroundColor": {"color": {"rgbColor": {"red": 1.0}}}}},
        {"optionId": "dropdownItem.done", "displayValue": "Done"},
    ]}}}})
}

fn chip(option: &str) -> Value {
    json!({"insertDropdown": {"location": {"index": 1}, "dropdownDefinitionId": "kix.state", "selectedOptionId": option}})
}

/// Returns the properties of the first chip.
fn properties(document: &Document) -> Value {
    let content = document.tabs[0].document_tab.as_ref().unwrap().segment(None).unwrap();
    let value = serde_json::to_value(content).unwrap();
    value[1]["paragraph"]["elements"][0]["dropdown"]["dropdownProperties"].clone()
}

#[test]
fn dropdowns_come_and_change() {
    let document = new_document("doc", "t");
    let (made, replies) = send(&document, &json!([definition(), chip("")])).unwrap();
    let defined = &replies[0]["createDropdownDefinition"]["dropdownDefinition"];
    assert_eq!(
        defined["dropdownDefinitionProperties"]["options"][1],
        json!({"optionId": "dropdownItem.done", "displayValue": "Done"})
    );
    let open =
        json!({"dropdownDefinitionId": "kix.state", "selectedOptionId": "dropdownItem.open", "displayValue": "Open"});
    let done =
        json!({"dropdownDefinitionId": "kix.state", "selectedOptionId": "dropdownItem.done", "displayValue": "Done"});
    assert_eq!(
        (properties(&made), &replies[1]["insertDropdown"]["dropdown"]["dropdownProperties"]),
        (open, &properties(&made))
    );
    assert_eq!(properties(&send(&document, &json!([definition(), chip("dropdownItem.done")])).unwrap().0), done);
    let id = replies[1]["insertDropdown"]["dropdown"]["dropdownId"].clone();
    let select = |option: &str| {
        json!([{"updateDropdownProperties": {"dropdownId": id, "fields": "selectedOptionId",
            "dropdownProperties": {"selectedOptionId": option}}}])
    };
    let (finished, _) = send(&made, &select("dropdownItem.done")).unwrap();
    assert_eq!(properties(&finished), done);
    assert!(send(&made, &select("dropdownItem.none")).unwrap_err().contains("dropdownItem.none was not found."));
    let define = |options: Value, replacements: Value| {
        json!([{"updateDropdownDefinitionProperties": {"dropdownDefinitionId": "kix.state", "fields": "options",
            "dropdownDefinitionProperties": {"options": options}, "selectedOptionIdReplacements": replacements}}])
    };
    let renamed = json!([{"optionId": "dropdownItem.open", "displayValue": "Open"},
        {"optionId": "dropdownItem.done", "displayValue": "Finished"}]);
    assert_eq!(properties(&send(&finished, &define(renamed, json!({}))).unwrap().0)["displayValue"], "Finished");
    let others = json!([{"optionId": "dropdownItem.open", "displayValue": "Open"}, {"displayValue": "Later"}]);
    let refusal = send(&finished, &define(others.clone(), json!({}))).unwrap_err();
    assert!(refusal.contains("is being deleted without a replacement."), "{refusal}");
    let replaced = define(others, json!({"dropdownItem.done": "dropdownItem.open"}));
    assert_eq!(properties(&send(&finished, &replaced).unwrap().0)["displayValue"], "Open");
    let delete = json!([{"deleteDropdownDefinition": {"dropdownDefinitionId": "kix.state"}}]);
    assert!(send(&made, &delete).unwrap_err().contains("is in use."));
    let clear = json!([{"deleteContentRange": {"range": {"startIndex": 1, "endIndex": 2}}}, delete[0]]);
    assert!(send(&made, &clear).unwrap().0.tabs[0].document_tab.as_ref().unwrap().dropdown_definitions.is_empty());
}

#[test]
fn refusals_of_dropdowns() {
    let (document, _) = send(&new_document("doc", "t"), &json!([definition(), chip("")])).unwrap();
    let define = |id: &str, options: Value| {
        json!([{"createDropdownDefinition": {"dropdownDefinition": {"dropdownDefinitionId": id,
            "dropdownDefinitionProperties": {"options": options}}}}])
    };
    let two = json!([{"displayValue": "a"}, {"displayValue": "b"}]);
    let cases = [
        (define("kix.state", two.clone()), "The ID kix.state is already in use."),
        (define("state", two.clone()), "must start with 'kix.'"),
        (define("kix.x", two.clone()), "must start with 'kix.'"),
        (define("kix.new", json!([{"displayValue": "a"}])), "between 2 and 50 options."),
        (define("kix.new", json!(vec![json!({}); 51])), "between 2 and 50 options."),
        (define("kix.new", json!([{"optionId": "a"}, {}])), "must start with 'dropdownItem.'"),
        (
            define("kix.new", json!([{"optionId": "dropdownItem.aa"}, {"optionId": "dropdownItem.aa"}])),
            "The ID dropdownItem.aa is already in use.",
        ),
        (define("kix.new", json!([{"textStyle": {"bold": true}}, {}])), "only support foreground_color and"),
        (json!([{"deleteDropdownDefinition": {"dropdownDefinitionId": "kix.no"}}]), "kix.no was not found."),
        (json!([chip("dropdownItem.no")]), "The dropdown option with ID dropdownItem.no was not found."),
        (
            json!([{"insertDropdown": {"location": {"index": 1}, "dropdownDefinitionId": "kix.no"}}]),
            "The dropdown definition with ID kix.no was not found.",
        ),
        (
            json!([{"updateDropdownProperties": {"dropdownId": "kix.no", "fields": "selectedOptionId"}}]),
            "The dropdown with ID kix.no was not found.",
        ),
        (
            json!([{"updateDropdownProperties": {"dropdownId": "kix.no", "fields": "displayValue"}}]),
            "display_value is output only",
        ),
        (
            json!([{"updateDropdownDefinitionProperties": {"dropdownDefinitionId": "kix.state", "fields": "title",
                "selectedOptionIdReplacements": {"dropdownItem.open": "dropdownItem.done"}}}]),
            "is not being deleted, so it cannot be replaced.",
        ),
        (
            json!([{"updateDropdownDefinitionProperties": {"dropdownDefinitionId": "kix.state", "fields": "options.optionId"}}]),
            "Invalid field: options.optionId",
        ),
    ];
    for (requests, expected) in cases {
        let refusal = send(&document, &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
}
