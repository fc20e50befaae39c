//! In which section of a file a comment stands. Pure.

use super::comments::{Place, place};
use super::places::{Places, Section, Spot};
use super::text::extract::{self, Origin};
use super::wire::DriveComment;
use crate::gdocs::{Document, Ticks};
use crate::kinds::CommentPlace;
use crate::mebdf;

/// Finds the section in which a thread stands.
pub(super) fn section_of(document: &Document, thread: &DriveComment) -> CommentPlace {
    if !thread.is_open() {
        return CommentPlace::Resolved;
    }
    let places = Places::new(document);
    let spot = match place(document, &places, thread) {
        Place::Found(spot) => spot,
        Place::Whole => return CommentPlace::Whole,
        Place::Lost => return CommentPlace::Lost,
    };
    let count = spot.places;
    // Of the same words in different sections nobody knows which are meant, and an edit must not guess.
    let all = if count > 1 { places.all_of_words(&thread.quote()) } else { Some(vec![spot]) };
    all.and_then(|all| common(document, &all)).unwrap_or(CommentPlace::Several(count))
}

/// The place that some spots have in common; `None` when they have none.
fn common(document: &Document, spots: &[Spot]) -> Option<CommentPlace> {
    let (first, others) = spots.split_first()?;
    if let Section::Segment(name) = first.section {
        return others.iter().all(|other| other.section == first.section).then_some(CommentPlace::Apart(name));
    }
    let tabs = document.all_tabs();
    let tab = tabs.get(first.element.0)?;
    let read = extract::extract(document, &Ticks::default(), tab, tabs.len() > 1);
    let headings = mebdf::headings(&read.tree);
    let anchor = |element: usize| {
        let is_above = |origin: &Origin| matches!(origin, Origin::Line { element: at, .. } if *at <= element);
        let above = headings.iter().rfind(|heading| read.origins.get(heading.block).is_some_and(is_above));
        above.map_or("", |heading| heading.anchor.as_str())
    };
    let own = anchor(first.element.1);
    let is_there = |other: &Spot| {
        let in_body = !matches!(other.section, Section::Segment(_));
        in_body && other.element.0 == first.element.0 && anchor(other.element.1) == own
    };
    others.iter().all(is_there).then(|| CommentPlace::Section {
        tab_id: tab.id().to_owned(),
        tab_title: tab.title().to_owned(),
        anchor: own.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Access, read};
    use super::*;

    /// A tab of these paragraphs: a style, the id of a heading, a text. A style `TABLE` makes a table of one cell.
    fn tab(id: &str, title: &str, paragraphs: &[(&str, &str, &str)]) -> Value {
        let mut at = 1;
        let mut content = vec![json!({ "endIndex": 1, "sectionBreak": {} })];
        for (style, heading, text) in paragraphs {
            let opens = if *style == "TABLE" { 3 } else { 0 };
            let start = at + opens;
            let end = start + text.len() + 1;
            let mut looks = json!({ "namedStyleType": if opens > 0 { "NORMAL_TEXT" } else { *style } });
            if !heading.is_empty() {
                looks["headingId"] = json!(heading);
            }
            let run = json!({ "startIndex": start, "endIndex": end, "textRun": { "content": format!("{text}\n"), "textStyle": {} } });
            let mut element = json!({ "startIndex": start, "endIndex": end,
                "paragraph": { "elements": [run], "paragraphStyle": looks } });
            if opens > 0 {
                let cell = json!({ "startIndex": start - 1, "endIndex": end, "content": [element] });
                let row = json!({ "startIndex": start - 2, "endIndex": end, "tableCells": [cell] });
                element = json!({ "startIndex": at, "endIndex": end + 1,
                    "table": { "rows": 1, "columns": 1, "tableRows": [row] } });
            }
            at = if opens > 0 { end + 1 } else { end };
            content.push(element);
        }
        json!({ "tabProperties": { "tabId": id, "title": title }, "documentTab": { "body": { "content": content } } })
    }

    fn document() -> Document {
        let first = [
            ("NORMAL_TEXT", "", "Before."),
            ("HEADING_1", "h.a", "One"),
            ("NORMAL_TEXT", "", "Alpha same."),
            ("TABLE", "", "In a cell."),
            ("HEADING_2", "", "Two"),
            ("NORMAL_TEXT", "", "Gamma same."),
            ("HEADING_2", "", "Two"),
            ("NORMAL_TEXT", "", "Delta so, and so on."),
        ];
        let mut first = tab("t.0", "Main", &first);
        let note = json!({ "startIndex": 0, "endIndex": 8, "paragraph": { "elements": [
            { "startIndex": 0, "endIndex": 8, "textRun": { "content": "A note.\n", "textStyle": {} } }] } });
        first["documentTab"]["footnotes"] = json!({ "kix.f": { "footnoteId": "kix.f", "content": [note] } });
        first["documentTab"]["commentAnchors"] =
            json!({ "kix.AAA1": { "anchorId": "kix.AAA1", "ranges": [{ "startIndex": 13, "endIndex": 18 }] } });
        let second = tab("t.1", "More", &[("HEADING_1", "h.o", "Other"), ("NORMAL_TEXT", "", "Elsewhere.")]);
        serde_json::from_value(json!({ "documentId": "doc", "title": "t", "tabs": [first, second] })).unwrap()
    }

    fn thread(quote: &str, more: &Value) -> DriveComment {
        let mut thread = json!({ "id": "AAA1", "quotedFileContent": { "value": quote } });
        thread.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(thread).unwrap()
    }

    /// The sections of the files: the tab's id and title, and the names of its headings.
    fn sections(document: &Document) -> Vec<(&str, &str, Vec<String>)> {
        let files = read(serde_json::to_vec(document).unwrap(), Access::Edit, "").unwrap().parts;
        let names = files.into_iter().map(|file| mebdf::headings(&mebdf::parse(&file.text).tree));
        let names = names.map(|headings| headings.into_iter().map(|heading| heading.anchor).collect());
        document.all_tabs().into_iter().zip(names).map(|(tab, names)| (tab.id(), tab.title(), names)).collect()
    }

    #[test]
    fn a_comment_stands_in_the_section_that_the_file_has() {
        let document = document();
        let files = sections(&document);
        assert_eq!(files[0].2.len(), 3, "{files:?}");
        let section = |(tab, heading): (usize, Option<usize>)| CommentPlace::Section {
            tab_id: files[tab].0.to_owned(),
            tab_title: files[tab].1.to_owned(),
            anchor: heading.map(|heading| files[tab].2[heading].clone()).unwrap_or_default(),
        };
        let check = |quote: &str, place: CommentPlace| {
            assert_eq!(section_of(&document, &thread(quote, &json!({}))), place, "{quote}");
        };
        check("Before", section((0, None)));
        check("One", section((0, Some(0))));
        check("Alpha  same", section((0, Some(0))));
        check("In a cell", section((0, Some(0))));
        check("Gamma", section((0, Some(1))));
        check("Delta", section((0, Some(2))));
        check("Elsewhere", section((1, Some(0))));
        // The same words twice in one section, in two, and in more places than are told apart.
        check("so", section((0, Some(2))));
        check("e", CommentPlace::Several(12));
        check("same", CommentPlace::Several(2));
        check("Two", CommentPlace::Several(2));
        check("A note", CommentPlace::Apart("a footnote"));
        check("", CommentPlace::Whole);
        check("gone", CommentPlace::Lost);
    }

    #[test]
    fn the_document_knows_better_than_the_words() {
        let document = document();
        let check = |quote: &str, more: Value, expected: &str| {
            let place = section_of(&document, &thread(quote, &more));
            let told = match &place {
                CommentPlace::Section { anchor, .. } => anchor.as_str(),
                CommentPlace::Resolved => "resolved",
                CommentPlace::Apart(_) | CommentPlace::Several(_) | CommentPlace::Whole | CommentPlace::Lost => "none",
            };
            assert_eq!(told, expected, "{quote} {more}: {place:?}");
        };
        check("same", json!({ "anchor": "kix.AAA1" }), "h.a");
        check("Elsewhere", json!({ "anchor": "kix.AAA1" }), "h.a");
        check("Alpha", json!({ "anchor": "kix.unknown" }), "h.a");
        check("Alpha", json!({ "resolved": true }), "resolved");
        check("", json!({ "anchor": "kix.unknown" }), "none");
    }
}
