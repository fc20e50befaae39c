//! Which tab the main file is of, whatever stands first in the document by now.

use serde_json::json;

use super::{Access, adopt_main, keep_main, plan, read};
use crate::kinds::Fetched;
use crate::model::PartId;

/// A document with these tabs, each with an id and a line of text.
fn fetched(tabs: &[(&str, &str)]) -> Fetched {
    let tab = |(index, (id, text)): (usize, &(&str, &str))| {
        let line = format!("{text}\n");
        let end = line.encode_utf16().count() + 1;
        json!({"tabProperties": {"tabId": id, "title": format!("Tab {id}"), "index": index}, "documentTab": {"body": {"content": [
            {"endIndex": 1, "sectionBreak": {"sectionStyle": {}}},
            {"startIndex": 1, "endIndex": end, "paragraph": {"paragraphStyle": {"namedStyleType": "NORMAL_TEXT"},
                "elements": [{"startIndex": 1, "endIndex": end, "textRun": {"content": line, "textStyle": {}}}]}},
        ]}}})
    };
    let tabs: Vec<_> = tabs.iter().enumerate().map(tab).collect();
    let raw = json!({"documentId": "doc", "title": "t", "revisionId": "r", "tabs": tabs});
    read(serde_json::to_vec(&raw).unwrap(), Access::Edit, "https://docs.google.com/document/d/doc/edit").unwrap()
}

/// The files: their ids, and the last lines of their texts.
fn shown(fetched: &Fetched) -> Vec<(&str, &str)> {
    fetched.parts.iter().map(|part| (part.id.0.as_str(), part.text.lines().last().unwrap())).collect()
}

#[test]
fn the_main_file_stays_that_of_its_tab() {
    let whole = fetched(&[("t.new", "new words"), ("t.0", "old words"), ("t.1", "other words")]);
    assert_eq!(whole.main.as_deref(), Some("t.new"));
    let kept = keep_main(whole.clone(), "t.0");
    assert_eq!(shown(&kept), [("", "old words"), ("t.new", "new words"), ("t.1", "other words")]);
    assert_eq!(kept.main.as_deref(), Some("t.0"));
    // An edit of the main file is one of that tab.
    for (part, was, tab) in [("", "old words", "t.0"), ("t.new", "new words", "t.new"), ("t.1", "other words", "t.1")] {
        let text = &kept.parts.iter().find(|known| known.id.0 == part).unwrap().text;
        let planned = plan(&kept, &PartId(part.into()), &text.replace(was, &format!("{was} mine")), false).unwrap();
        let sent = serde_json::to_string(&planned.requests).unwrap();
        assert!(sent.contains("mine") && sent.contains(&format!("\"{tab}\"")), "{part}: {sent}");
        assert_eq!(sent.matches("tabId").count(), sent.matches(&format!("\"tabId\":\"{tab}\"")).count(), "{sent}");
        let alone = Fetched { reading: crate::kinds::Reading::default(), ..kept.clone() };
        let again = plan(&alone, &PartId(part.into()), &text.replace(was, &format!("{was} mine")), false).unwrap();
        assert_eq!(serde_json::to_string(&again.requests).unwrap(), sent, "without what was read");
    }
    // It is given back as it was given.
    assert_eq!(shown(&keep_main(kept, "t.new")), shown(&whole));
}

#[test]
fn where_its_tab_is_gone_no_file_is_the_main_one() {
    let rest = keep_main(fetched(&[("t.1", "other words"), ("t.2", "more words")]), "t.0");
    assert_eq!(shown(&rest), [("t.1", "other words"), ("t.2", "more words")]);
    let only = keep_main(fetched(&[("t.1", "other words")]), "t.0");
    assert_eq!(shown(&only), [("t.1", "other words")]);
    assert_eq!(only.main.as_deref(), Some("t.0"));
}

#[test]
fn the_text_of_a_main_file_tells_which_tab_it_is_of() {
    let several = || fetched(&[("t.new", "new words"), ("t.0", "old words"), ("t.1", "other words")]);
    let text = |id: &str, tab: &str| format!("---\ntitle: t\nid: {id}\n{tab}---\n\nwords\n");
    let one = "tab: t.1 \"Tab t.1\"\n";
    for (what, text, others, main) in [
        ("it says so", text("doc", one), "", "t.1"),
        ("it says so of one that has a file", text("doc", one), "t.1", "t.0"),
        ("its tab is gone", text("doc", "tab: t.gone \"Old\"\n"), "t.1", "t.gone"),
        // Then the document had one.
        ("it names none", text("doc", ""), "", "t.0"),
        ("it names none, and the oldest has a file", text("doc", ""), "t.0", "t.new"),
        ("it names none, and all have files", text("doc", ""), "t.0 t.new t.1", ""),
        ("it names none, and says what one says", text("doc", "").replace("words", "other words"), "", "t.1"),
        ("no id of a tab", text("doc", "tab: mine\n"), "", "t.0"),
        ("another document's", text("other", one), "", "t.new"),
        ("no head", "words\n".to_owned(), "", "t.new"),
    ] {
        let others: Vec<PartId> = others.split_whitespace().map(|other| PartId(other.into())).collect();
        let adopted = adopt_main(several(), &text, &others);
        assert_eq!(adopted.main.as_deref(), Some(main), "{what}");
        // Its file is the only one without a name, and where it is gone there is none.
        let tabs = ["t.new", "t.0", "t.1"];
        let named: Vec<&str> =
            tabs.into_iter().filter(|tab| adopted.parts.iter().any(|part| part.id.0 == *tab)).collect();
        assert_eq!(named, tabs.into_iter().filter(|tab| *tab != main).collect::<Vec<_>>(), "{what}");
    }
    // Of two that are as like to it, and neither is known to be the older, the first.
    let other = fetched(&[("t.a", "words"), ("t.b", "words")]);
    assert_eq!(adopt_main(other, &text("doc", ""), &[]).main.as_deref(), Some("t.a"));
    // The one that was first is gone, and another came to stand before the rest.
    let other = fetched(&[("t.a", "something new"), ("t.b", "words and more")]);
    assert_eq!(adopt_main(other, &text("doc", ""), &[]).main.as_deref(), Some("t.b"));
}
