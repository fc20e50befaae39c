//! Cases of comments and suggestions.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::sample::document;
use super::{Applied, Document, PostAuthor, Setting, apply, apply_as, new_document, preview, read_requests};

fn by(name: &str, suggests: bool) -> Setting {
    let author = PostAuthor {
        display_name: name.into(),
        me: Some(name == "Ana"),
        user: format!("users/{name}"),
        ..PostAuthor::default()
    };
    Setting { seed: 5, now: "2026-11-21T10:00:00.000Z".into(), author, suggests }
}

fn send_as(document: &Document, requests: &Value, setting: &Setting) -> Result<Applied, String> {
    let requests = read_requests(requests.as_array().unwrap()).map_err(|refusal| refusal.message)?;
    apply_as(document, &requests, setting).map_err(|refusal| refusal.message)
}

fn send(document: &Document, requests: &Value) -> Result<Document, String> {
    send_as(document, requests, &by("Ana", false)).map(|applied| applied.document)
}

fn of(text: &str) -> Document {
    send(&new_document("doc", "t"), &json!([insert(1, text)])).unwrap()
}

fn insert(at: u32, text: &str) -> Value {
    json!({"insertText": {"location": {"index": at}, "text": text}})
}

fn delete(from: u32, to: u32) -> Value {
    json!({"deleteContentRange": {"range": {"startIndex": from, "endIndex": to}}})
}

fn comment(from: u32, to: u32, text: &str) -> Value {
    json!({"insertComment": {"range": {"startIndex": from, "endIndex": to}, "content": text}})
}

fn text(document: &Document) -> String {
    let tab = document.tabs[0].document_tab.as_ref().unwrap();
    tab.segment(None)
        .unwrap()
        .iter()
        .filter_map(|element| element.paragraph.as_ref())
        .map(super::Paragraph::text)
        .collect()
}

/// The ranges of the one anchor, `None` without an anchor.
fn anchored(document: &Document) -> Option<Vec<(u32, u32)>> {
    let tab = document.tabs[0].document_tab.as_ref().unwrap();
    assert!(tab.comment_anchors.len() < 2);
    let anchor = tab.comment_anchors.values().next()?;
    Some(anchor.ranges.iter().map(|range| (range.start_index.unwrap_or(0), range.end_index.unwrap())).collect())
}

/// Checks where a comment on `[5, 9)` of "one two three" stands after an edit.
fn check_anchor(edits: &[Value], expected: Option<(u32, u32)>) {
    let document = send(&of("one two three"), &json!([comment(5, 8, "why")])).unwrap();
    assert_eq!(document.comments[0].plain_text_quote.as_deref(), Some("two"));
    let after = send(&document, &json!(edits)).unwrap();
    assert_eq!(anchored(&after), expected.map(|range| vec![range]), "{edits:?}");
    let thread = &after.comments[0];
    assert_eq!((thread.status.as_str(), thread.plain_text_quote.as_deref()), ("OPEN", Some("two")));
    assert!(thread.anchor_id.is_some());
}

#[test]
fn an_anchor_moves_grows_and_shrinks_with_its_text() {
    check_anchor(&[], Some((5, 8)));
    check_anchor(&[insert(1, "xx")], Some((7, 10)));
    check_anchor(&[insert(5, "xx")], Some((7, 10)));
    check_anchor(&[insert(6, "xx")], Some((5, 10)));
    check_anchor(&[insert(8, "xx")], Some((5, 8)));
    check_anchor(&[insert(6, "\n")], Some((5, 9)));
    check_anchor(&[delete(1, 4)], Some((2, 5)));
    check_anchor(&[delete(2, 6)], Some((2, 4)));
    check_anchor(&[delete(6, 7)], Some((5, 7)));
    check_anchor(&[delete(6, 12)], Some((5, 6)));
    check_anchor(&[delete(5, 8)], None);
    check_anchor(&[delete(4, 9)], None);
    // New words inside, then the old ones go: as the planner replaces a word.
    check_anchor(&[insert(6, "2"), delete(7, 9), delete(5, 6)], Some((5, 6)));
    let bullets = json!({"createParagraphBullets": {"range": {"startIndex": 1, "endIndex": 3}, "bulletPreset": "BULLET_CHECKBOX"}});
    check_anchor(&[insert(1, "\t"), bullets], Some((5, 8)));
    check_anchor(&[json!({"insertTable": {"rows": 1, "columns": 1, "location": {"index": 1}}})], Some((11, 14)));
}

#[test]
fn anchors_stand_in_every_segment_and_go_with_it() {
    let place = |segment: &str| {
        json!({"insertComment": {"content": "x",
        "range": {"startIndex": 0, "endIndex": 2, "segmentId": segment}}})
    };
    let made = send(&document(), &json!([place("kix.head"), place("kix.note")])).unwrap();
    let tab = made.tabs[0].document_tab.as_ref().unwrap();
    assert_eq!(tab.comment_anchors.len(), 2);
    let body = tab.segment(None).unwrap();
    let mut reference = None;
    for inline in body.iter().filter_map(|element| element.paragraph.as_ref()).flat_map(|paragraph| &paragraph.elements)
    {
        if inline.rest.contains_key("footnoteReference") {
            reference = Some(inline.start_index.utf16());
        }
    }
    let at = reference.unwrap();
    let after = send(&made, &json!([delete(at, at + 1)])).unwrap();
    let left: Vec<_> = after.tabs[0].document_tab.as_ref().unwrap().comment_anchors.values().collect();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].ranges[0].segment_id.as_deref(), Some("kix.head"));
    assert_eq!(after.comments.len(), 2);
}

#[test]
fn a_thread_is_answered_as_recorded() {
    let applied =
        send_as(&of("a paragraph here"), &json!([comment(3, 12, "Anchored <probe>")]), &by("Ana", false)).unwrap();
    let mut reply = applied.replies[0].clone();
    let thread = &mut reply["insertComment"]["commentThread"];
    let id = thread["commentId"].as_str().unwrap().to_owned();
    assert!(id.starts_with("AAAC") && id.len() == 11, "{id}");
    assert!(thread["anchorId"].as_str().unwrap().starts_with("kix."));
    thread["anchorId"] = json!("kix.x");
    assert_eq!(
        *thread,
        json!({"commentId": id, "anchorId": "kix.x", "status": "OPEN", "plainTextQuote": "paragraph", "headPost": {
            "postId": id, "content": "Anchored <probe>", "contentHtml": "Anchored &lt;probe&gt;",
            "author": {"displayName": "Ana", "me": true, "user": "users/Ana"}, "commentAction": "NO_COMMENT_ACTION_CHANGE",
            "createTime": "2026-11-21T10:00:00.000Z", "updateTime": "2026-11-21T10:00:00.000Z"}})
    );
    assert_eq!(applied.suggestions, [json!({})]);
    assert!(applied.updates_comments);
    let answered = send_as(
        &applied.document,
        &json!([{"addCommentReply": {"commentId": id, "post": {"content": "Reply"}}}]),
        &by("Bea", false),
    )
    .unwrap();
    let post = &answered.replies[0]["addCommentReply"]["post"];
    assert_eq!((post["content"].as_str(), post["author"]["displayName"].as_str()), (Some("Reply"), Some("Bea")));
    assert_ne!(post["postId"], json!(id));
}

#[test]
fn a_thread_is_resolved_reopened_changed_and_deleted() {
    let start = send(&of("some words"), &json!([comment(1, 5, "x")])).unwrap();
    let id = start.comments[0].comment_id.clone();
    let reply = |post: Value| json!([{"addCommentReply": {"commentId": id, "post": post}}]);
    let resolved = send(&start, &reply(json!({"commentAction": "RESOLVE"}))).unwrap();
    assert_eq!(resolved.comments[0].status, "RESOLVED");
    assert!(anchored(&resolved).is_some());
    let open = send(&resolved, &reply(json!({"commentAction": "REOPEN", "content": "no"}))).unwrap();
    assert_eq!(open.comments[0].status, "OPEN");
    let action = open.comments[0].replies[0].post_id.clone();
    let words = send(&open, &reply(json!({"content": "words"}))).unwrap();
    let post = words.comments[0].replies[2].post_id.clone();

    let update = |post: &str| json!([{"updateCommentPost": {"commentId": id, "postId": post, "content": "new"}}]);
    assert_eq!(send(&words, &update(&post)).unwrap().comments[0].replies[2].content, "new");
    assert_eq!(send(&words, &update(&id)).unwrap().comments[0].head_post.as_ref().unwrap().content, "new");
    let other = |requests: &Value| send_as(&words, requests, &by("Bea", false)).map(drop).unwrap_err();
    assert!(other(&update(&post)).ends_with("is not the author of the post."));
    let delete_reply = |post: &str| json!([{"deleteCommentReply": {"commentId": id, "postId": post}}]);
    assert!(other(&delete_reply(&post)).ends_with("is not the author of the post."));
    assert!(send(&words, &delete_reply(&action)).unwrap_err().ends_with("cannot be deleted."));
    assert!(send(&words, &delete_reply(&id)).is_err());
    let mut shorter = send(&words, &delete_reply(&post)).unwrap();
    assert!(send(&shorter, &delete_reply(&post)).is_err());
    shorter.omit_deleted_comments();
    assert_eq!(shorter.comments[0].replies.len(), 2);
    let delete = json!([{"deleteComment": {"commentId": id}}]);
    assert!(other(&delete).ends_with("is not the author of the post."));
    let mut gone = send(&words, &delete).unwrap();
    assert_eq!(anchored(&gone), None);
    assert!(send(&gone, &delete).unwrap_err().contains(&id));
    gone.omit_deleted_comments();
    assert!(gone.comments.is_empty());
}

#[test]
fn bad_comments_are_refused_and_leave_nothing() {
    let start = send(&of("some words"), &json!([comment(1, 5, "x")])).unwrap();
    let id = start.comments[0].comment_id.clone();
    let long = "é".repeat(1025);
    for (request, words) in [
        (
            comment(90_000, 90_010, "x"),
            "Invalid requests[1].insertComment: Index 90000 must be less than the end index of the referenced segment, 12.",
        ),
        (comment(1, 5, ""), "Invalid requests[1].insertComment: The content of a comment cannot be empty."),
        (comment(1, 5, &long), "2048"),
        (comment(3, 3, "x"), "The range should not be empty."),
        (json!({"insertComment": {"content": "x"}}), "The range should not be empty."),
        (json!({"addCommentReply": {"commentId": "AAAC", "post": {"content": "x"}}}), "AAAC"),
        (json!({"addCommentReply": {"post": {"content": "x"}}}), "Exactly one"),
        (json!({"addCommentReply": {"commentId": id, "suggestionId": "s", "post": {"content": "x"}}}), "Exactly one"),
        (json!({"addCommentReply": {"commentId": id, "post": {}}}), "cannot be empty"),
        (json!({"addCommentReply": {"commentId": id}}), "cannot be empty"),
        (json!({"addCommentReply": {"commentId": id, "post": {"content": "x", "assigneeEmail": "a@b"}}}), "assigned"),
        (json!({"updateCommentPost": {"commentId": id, "postId": id}}), "cannot be empty"),
        (json!({"updateCommentPost": {"commentId": id, "postId": "no", "content": "x"}}), "no"),
        (json!({"acceptSuggestion": {"suggestionId": "suggest.no"}}), "suggest.no"),
    ] {
        let refusal = send(&start, &json!([comment(1, 5, "valid"), request])).unwrap_err();
        assert!(refusal.contains(words), "{request}: {refusal}");
    }
    assert!(read_requests(&[json!({"addCommentReply": {"post": {"commentAction": "ACCEPT"}}})]).is_err());
    assert!(read_requests(&[json!({"insertComment": {"text": "x"}})]).is_err());
}

#[test]
fn an_assigned_thread_can_be_handed_on() {
    let request = json!([{"insertComment": {"content": "x", "assigneeEmailAddress": "ana@example.com", "range": {"startIndex": 1, "endIndex": 2}}}]);
    let start = send(&of("words"), &request).unwrap();
    let id = start.comments[0].comment_id.clone();
    let reply = |post: Value| json!([{"addCommentReply": {"commentId": id, "post": post}}]);
    let next = send(&start, &reply(json!({"content": "yours", "assigneeEmail": "bea@example.com"}))).unwrap();
    assert_eq!(next.comments[0].replies[0].assignee_email.as_deref(), Some("bea@example.com"));
    assert!(send(&start, &reply(json!({"commentAction": "RESOLVE", "assigneeEmail": "b@c"}))).is_err());
}

/// Writes runs as `text`, `+text+` for an insertion, `-text-` for a deletion, `~text~` for a style.
fn shown(document: &Document) -> String {
    let tab = document.tabs[0].document_tab.as_ref().unwrap();
    let paragraphs = tab.segment(None).unwrap().iter().filter_map(|element| element.paragraph.as_ref());
    let mut out = String::new();
    for run in paragraphs.flat_map(|paragraph| &paragraph.elements).filter_map(|element| element.text_run.as_ref()) {
        let mut marks = String::new();
        for (key, mark) in [("suggestedInsertionIds", "+"), ("suggestedDeletionIds", "-")] {
            if run.rest.contains_key(key) {
                marks.push_str(mark);
            }
        }
        if marks.is_empty() && run.rest.contains_key("suggestedTextStyleChanges") {
            marks.push('~');
        }
        out.push_str(&format!("{marks}{}{marks}", run.content));
    }
    out.replace('\n', "¶")
}

fn suggest(document: &Document, requests: &Value) -> Applied {
    send_as(document, requests, &by("Ana", true)).unwrap()
}

/// Checks what a suggested edit shows, and what is left when it is accepted and rejected.
fn check_suggestion(start: &str, edits: &Value, inline: &str, accepted: &str) {
    let document = of(start);
    let suggested = suggest(&document, edits);
    assert_eq!(shown(&suggested.document), inline, "{edits}");
    assert_eq!(text(&preview(&suggested.document, true)), accepted, "{edits} accepted");
    assert_eq!(preview(&suggested.document, false), document, "{edits} rejected");
    // One by one it is the same.
    for (request, wanted) in [
        ("acceptSuggestion", accepted.to_owned()),
        ("rejectSuggestion", text(&document)),
        ("deleteSuggestion", text(&document)),
    ] {
        let ids: Vec<String> =
            suggested.document.suggestions.iter().map(|thread| thread.suggestion_id.clone()).collect();
        let requests: Vec<Value> = ids.iter().map(|id| json!({request: {"suggestionId": id}})).collect();
        let settled = send_as(&suggested.document, &json!(requests), &by("Ana", false)).unwrap();
        assert_eq!(text(&settled.document), wanted, "{request}");
        assert!(!shown(&settled.document).contains(['+', '-', '~']));
        assert!(super::suggestion::pending(&settled.document).is_empty());
    }
}

#[test]
fn edits_as_suggestions() {
    check_suggestion("abc", &json!([insert(2, "X")]), "a+X+bc¶", "aXbc\n");
    check_suggestion("abc", &json!([insert(1, "New\n")]), "+New¶+abc¶", "New\nabc\n");
    check_suggestion("abc", &json!([insert(4, "\nNew")]), "abc+¶++New+¶", "abc\nNew\n");
    check_suggestion("abc", &json!([delete(2, 3)]), "a-b-c¶", "ac\n");
    check_suggestion("ab\ncd", &json!([delete(2, 5)]), "a-b¶--c-d¶", "ad\n");
    check_suggestion("one two", &json!([insert(8, "2"), delete(5, 8)]), "one -two-+2+¶", "one 2\n");
    check_suggestion("one two", &json!([insert(5, "2"), delete(6, 9)]), "one +2+-two-¶", "one 2\n");
    // An own insertion that is deleted again is simply gone.
    check_suggestion("abc", &json!([insert(2, "XYZ"), delete(3, 4)]), "a+XZ+bc¶", "aXZbc\n");
    check_suggestion("abc", &json!([insert(2, "XYZ"), delete(1, 4)]), "-a-+Z+bc¶", "Zbc\n");
    let bold = json!({"updateTextStyle": {"range": {"startIndex": 2, "endIndex": 3}, "textStyle": {"bold": true}, "fields": "bold"}});
    check_suggestion("abc", &json!([bold]), "a~b~c¶", "abc\n");
    let suggested = suggest(&of("abc"), &json!([bold]));
    let accepted = preview(&suggested.document, true);
    assert_eq!(accepted, send(&of("abc"), &json!([bold])).unwrap());
    let run =
        &accepted.tabs[0].document_tab.as_ref().unwrap().segment(None).unwrap()[1].paragraph.as_ref().unwrap().elements
            [1];
    assert_eq!(json!(run.text_style()), json!({"bold": true}));
}

#[test]
fn a_suggested_replacement_is_one_suggestion() {
    let replace = json!([{"replaceAllText": {"containsText": {"text": "Delete freely", "matchCase": true}, "replaceText": "Delete happily"}}]);
    let document = of("Delete freely or not.");
    let suggested = suggest(&document, &replace);
    assert_eq!(shown(&suggested.document), "-Delete freely-+Delete happily+ or not.¶");
    assert_eq!(suggested.replies, [json!({"replaceAllText": {"occurrencesChanged": 1}})]);
    let id = suggested.document.suggestions[0].suggestion_id.clone();
    assert_eq!(suggested.suggestions, [json!({"createdSuggestionIds": [id]})]);
    assert_eq!(text(&preview(&suggested.document, true)), "Delete happily or not.\n");
    assert_eq!(preview(&suggested.document, false), document);
    assert_eq!(suggest(&of("abc"), &replace).replies, [json!({"replaceAllText": {}})]);
}

#[test]
fn a_suggested_insertion_looks_as_recorded() {
    let suggested = suggest(&of("abc"), &json!([insert(1, "A\n")]));
    let id = suggested.document.suggestions[0].suggestion_id.clone();
    assert!(id.starts_with("suggest.") && id.len() == 20, "{id}");
    assert_eq!(suggested.suggestions, [json!({"createdSuggestionIds": [id]})]);
    assert_eq!(suggested.replies, [json!({})]);
    let run = suggested.document.tabs[0].document_tab.as_ref().unwrap().segment(None).unwrap()[1]
        .paragraph
        .as_ref()
        .unwrap()
        .elements[0]
        .clone();
    assert_eq!(
        serde_json::to_value(run.text_run).unwrap(),
        json!({"content": "A\n", "suggestedInsertionIds": [id], "textStyle": {}, "suggestedTextStyleChanges": {id.clone(): {
            "textStyle": {}, "textStyleSuggestionState": {"boldSuggested": true, "italicSuggested": true,
            "underlineSuggested": true, "strikethroughSuggested": true, "smallCapsSuggested": true,
            "backgroundColorSuggested": true, "foregroundColorSuggested": true, "fontSizeSuggested": true,
            "weightedFontFamilySuggested": true, "baselineOffsetSuggested": true}}}})
    );
    // A second one beside it becomes a part of it, another person's does not.
    let again = suggest(&suggested.document, &json!([insert(1, "B\n")]));
    assert_eq!(again.suggestions, [json!({"updatedSummarySuggestionIds": [id]})]);
    assert_eq!(again.document.suggestions.len(), 1);
    let other = send_as(&suggested.document, &json!([insert(1, "B\n")]), &by("Bea", true)).unwrap();
    assert_eq!(other.document.suggestions.len(), 2);
    let accepted =
        send_as(&again.document, &json!([{"acceptSuggestion": {"suggestionId": id}}]), &by("Bea", false)).unwrap();
    assert_eq!(accepted.suggestions, [json!({"acceptedSuggestionIds": [id]})]);
    assert_eq!(accepted.document.suggestions[0].status, "ACCEPTED");
    assert_eq!(text(&accepted.document), "B\nA\nabc\n");
}

#[test]
fn only_the_author_deletes_a_suggestion() {
    let suggested = suggest(&of("abc"), &json!([insert(1, "A")])).document;
    let id = suggested.suggestions[0].suggestion_id.clone();
    let requests = read_requests(&[json!({"deleteSuggestion": {"suggestionId": id}})]).unwrap();
    let refusal = apply_as(&suggested, &requests, &by("Bea", false)).unwrap_err();
    assert_eq!((refusal.code, refusal.status), (403, "PERMISSION_DENIED"));
    let own = apply_as(&suggested, &requests, &by("Ana", false)).unwrap();
    assert_eq!(own.suggestions, [json!({"deletedSuggestionIds": [id]})]);
    assert!(own.document.suggestions.is_empty());
    let reply = json!([{"addCommentReply": {"suggestionId": id, "post": {"content": "why"}}}]);
    assert_eq!(send(&suggested, &reply).unwrap().suggestions[0].replies[0].content, "why");
    let resolve = json!([{"addCommentReply": {"suggestionId": id, "post": {"commentAction": "RESOLVE"}}}]);
    assert!(send(&suggested, &resolve).is_err());
}

#[test]
fn what_cannot_be_suggested_is_refused() {
    let name = json!({"createNamedRange": {"name": "n", "range": {"startIndex": 1, "endIndex": 2}}});
    let style = |fields: &str| json!({"updateDocumentStyle": {"documentStyle": {}, "fields": fields}});
    for (request, code) in [
        (name, 400),
        (json!({"insertTable": {"rows": 1, "columns": 1, "location": {"index": 1}}}), 501),
        (style("useFirstPageHeaderFooter,marginTop"), 400),
        (style("documentFormat.documentMode"), 400),
        (style("*"), 400),
        (style("marginTop"), 501),
    ] {
        let requests = read_requests(&[request]).unwrap();
        assert_eq!(apply_as(&of("abc"), &requests, &by("Ana", true)).unwrap_err().code, code);
    }
    // What would be refused as an edit is refused as a suggestion.
    assert!(
        send_as(&of("abc"), &json!([delete(1, 5)]), &by("Ana", true))
            .unwrap_err()
            .contains("newline character at the end")
    );
    // A comment is a comment in either mode.
    assert_eq!(suggest(&of("abc"), &json!([comment(1, 2, "x")])).document.comments.len(), 1);
}

#[test]
fn suggested_tables_rows_and_objects_are_settled() {
    let mut raw = serde_json::to_value(document()).unwrap();
    let content = raw.pointer_mut("/tabs/0/documentTab/body/content").unwrap();
    content[6]["table"]["tableRows"][1]["suggestedInsertionIds"] = json!(["s1"]);
    content[5]["paragraph"]["elements"][1]["inlineObjectElement"]["suggestedDeletionIds"] = json!(["s2"]);
    content[3]["paragraph"]["suggestedBulletChanges"] =
        json!({"s3": {"bullet": {}, "bulletSuggestionState": {"listIdSuggested": true}}});
    content[1]["paragraph"]["suggestedParagraphStyleChanges"] = json!({"s4": {"paragraphStyle": {"alignment": "CENTER"},
        "paragraphStyleSuggestionState": {"alignmentSuggested": true}}});
    raw["tabs"][0]["documentTab"]["suggestedDocumentStyleChanges"] = json!({"s5": {"documentStyle": {"pageNumberStart": 7},
        "documentStyleSuggestionState": {"pageNumberStartSuggested": true}}});
    let with: Document = serde_json::from_value(raw).unwrap();
    assert_eq!(super::suggestion::pending(&with).into_iter().collect::<Vec<_>>(), ["s1", "s2", "s3", "s4", "s5"]);

    let accepted = preview(&with, true);
    let tab = accepted.tabs[0].document_tab.as_ref().unwrap();
    let body = tab.segment(None).unwrap();
    assert_eq!(body[6].table.as_ref().unwrap().table_rows.len(), 2);
    assert!(tab.inline_objects.is_empty());
    assert!(body[3].paragraph.as_ref().unwrap().bullet.is_none());
    assert_eq!(body[1].paragraph.as_ref().unwrap().paragraph_style.as_ref().unwrap().0["alignment"], "CENTER");
    assert_eq!(tab.document_style.as_ref().unwrap()["pageNumberStart"], 7);
    assert!(super::suggestion::pending(&accepted).is_empty());

    let rejected = preview(&with, false);
    let tab = rejected.tabs[0].document_tab.as_ref().unwrap();
    let body = tab.segment(None).unwrap();
    assert_eq!(body[6].table.as_ref().unwrap().table_rows.len(), 1);
    assert_eq!(tab.inline_objects.len(), 1);
    let mut copy = rejected.clone();
    assert_eq!(super::reindex(copy.tabs[0].document_tab.as_mut().unwrap().segment_mut(None).unwrap()), 0);
    assert!(super::suggestion::pending(&rejected).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Suggested and rejected, an edit leaves the document as it was; suggested and accepted, it is the edit itself.
    #[test]
    fn suggestions_accepted_are_edits_and_rejected_are_none(
        edits in prop::collection::vec((0.0..1.0_f64, 0..3_u32, "[ab\n]{1,3}", prop::bool::ANY), 1..4),
        start in "[xyz \n]{4,20}",
    ) {
        let document = of(&start);
        let end = u32::try_from(text(&document).len()).unwrap();
        let mut requests: Vec<(u32, Value)> = Vec::new();
        for (place, width, new, deletes) in edits {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a short text")]
            let at = 1 + (place * f64::from(end - 1)) as u32;
            let to = (at + width + 1).min(end);
            requests.push((at, if deletes && at < to { delete(at, to) } else { insert(at, &new) }));
        }
        // From the end on, apart from one another, so that the places mean the same in both modes.
        requests.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        requests.dedup_by(|(low, _), (high, _)| *low + 4 > *high);
        let requests = json!(requests.into_iter().map(|(_, request)| request).collect::<Vec<_>>());
        let suggested = suggest(&document, &requests);
        prop_assert_eq!(text(&preview(&suggested.document, false)), text(&document));
        prop_assert_eq!(preview(&suggested.document, false), document.clone());
        prop_assert_eq!(text(&preview(&suggested.document, true)), text(&send(&document, &requests).unwrap()));
    }
}

#[test]
fn a_preview_without_suggestions_is_the_document() {
    let document = document();
    assert_eq!(preview(&document, true), document);
    assert_eq!(preview(&document, false), document);
    assert_eq!(apply(&document, &[], 0).unwrap().suggestions, Vec::<Value>::new());
}
