//! The requests about comments: threads, posts, and the anchors that they stand on.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#insertcommentrequest>

use serde_json::{Value, json};

use super::document::{Document, Range, StructuralElement};
use super::ids::FreshIds;
use super::index::utf16_len;
use super::locate::check_range;
use super::refusal::Refusal;
use super::request::{AddCommentReply, DeleteComment, DeleteCommentReply, InsertComment, NewPost, UpdateCommentPost};
use super::runs::byte_at;
use super::segment::Segment;
use super::setting::Setting;
use super::thread::{CommentAnchor, CommentThread, OPEN, Post, PostAuthor, RESOLVED, SuggestionThread};
use super::{quirks, suggestion};

/// A post that changes nothing but says something.
const NO_ACTION: &str = "NO_COMMENT_ACTION_CHANGE";

/// Puts an anchor into a segment; returns its id and the text that it stands on.
pub(crate) fn anchor(
    segment: &mut Segment<'_>,
    request: &InsertComment,
    named_tab: Option<String>,
) -> Result<(String, String), Refusal> {
    let (start, end) = check_range(&request.range, segment.content)?;
    let mut quote = String::new();
    text_between(segment.content, start, end, &mut quote);
    let id = segment.ids.draw("kix.");
    let range = Range {
        start_index: (start > 0).then_some(start),
        end_index: Some(end),
        segment_id: request.range.segment_id.clone().filter(|segment| !segment.is_empty()),
        tab_id: named_tab,
        ..Range::default()
    };
    let anchor = CommentAnchor { anchor_id: id.clone(), ranges: vec![range], ..CommentAnchor::default() };
    segment.tab.comment_anchors.insert(id.clone(), anchor);
    Ok((id, quote.trim_end_matches('\n').to_owned()))
}

/// Checks a new comment before anything is done for it.
pub(crate) fn check(document: &Document, request: &InsertComment) -> Result<(), Refusal> {
    if document.comments.len() >= quirks::MAX_THREADS {
        return Err(Refusal::invalid(format!("A document holds at most {} comments.", quirks::MAX_THREADS)));
    }
    check_content(&request.content)?;
    check_assignee(request.assignee_email_address.as_deref())
}

/// Makes the thread of a new comment and returns the reply of the request.
pub(crate) fn open(
    document: &mut Document,
    request: &InsertComment,
    anchor: (String, String),
    setting: &Setting,
    ids: &mut FreshIds,
) -> Value {
    let id = ids.draw_comment();
    let mut head = post(id.clone(), &request.content, NO_ACTION, setting);
    head.assignee_email = request.assignee_email_address.clone().filter(|address| !address.is_empty());
    let (anchor_id, quote) = anchor;
    let thread = CommentThread {
        comment_id: id,
        anchor_id: Some(anchor_id),
        head_post: Some(head),
        status: OPEN.to_owned(),
        plain_text_quote: Some(quote).filter(|quote| !quote.is_empty()),
        ..CommentThread::default()
    };
    let reply = json!({ "insertComment": { "commentThread": thread } });
    document.comments.push(thread);
    reply
}

/// Opens a thread that stands nowhere in the text, as Drive makes them: an anchor is kept and not heeded. Returns its id.
///
/// # Errors
///
/// A refusal when the text is empty or too long.
pub fn comment_without_place(
    document: &mut Document,
    content: &str,
    anchor: Option<String>,
    quote: Option<String>,
    setting: &Setting,
) -> Result<String, Refusal> {
    let request = InsertComment { content: content.to_owned(), ..InsertComment::default() };
    check(document, &request)?;
    let mut ids = FreshIds::new(setting.seed);
    ids.learn(document);
    let id = ids.draw_comment();
    document.comments.push(CommentThread {
        comment_id: id.clone(),
        anchor_id: anchor,
        head_post: Some(post(id.clone(), content, NO_ACTION, setting)),
        status: OPEN.to_owned(),
        plain_text_quote: quote.filter(|quote| !quote.is_empty()),
        ..CommentThread::default()
    });
    Ok(id)
}

/// Carries out `addCommentReply`.
pub(crate) fn reply(
    document: &mut Document,
    request: &AddCommentReply,
    setting: &Setting,
    ids: &mut FreshIds,
) -> Result<Value, Refusal> {
    let action = match request.post.comment_action.as_deref() {
        Some(action @ ("RESOLVE" | "REOPEN")) => action,
        _ => NO_ACTION,
    };
    if action == NO_ACTION || !request.post.content.is_empty() {
        check_content(&request.post.content)?;
    }
    let added = match one_of(request.comment_id.as_deref(), request.suggestion_id.as_deref())? {
        Named::Comment(id) => {
            let thread = comment_mut(document, id)?;
            let assigned = thread.head_post.as_ref().is_some_and(|head| head.assignee_email.is_some());
            let assignee = assignee(&request.post, assigned && action == NO_ACTION)?;
            let mut added = post(ids.draw_comment(), &request.post.content, action, setting);
            added.assignee_email = assignee;
            match action {
                "RESOLVE" => RESOLVED.clone_into(&mut thread.status),
                "REOPEN" => OPEN.clone_into(&mut thread.status),
                _ => {}
            }
            thread.replies.push(added.clone());
            added
        }
        Named::Suggestion(id) => {
            if action != NO_ACTION {
                return Err(Refusal::invalid(quirks::SUGGESTION_ACTION));
            }
            assignee(&request.post, false)?;
            let added = post(ids.draw_comment(), &request.post.content, NO_ACTION, setting);
            suggestion_mut(document, id)?.replies.push(added.clone());
            added
        }
    };
    Ok(json!({ "addCommentReply": { "post": added } }))
}

/// Carries out `updateCommentPost`.
pub(crate) fn update(document: &mut Document, request: &UpdateCommentPost, setting: &Setting) -> Result<(), Refusal> {
    check_content(&request.content)?;
    let post = match one_of(request.comment_id.as_deref(), request.suggestion_id.as_deref())? {
        Named::Comment(id) => {
            let thread = comment_mut(document, id)?;
            thread.head_post.iter_mut().chain(&mut thread.replies).find(|post| post.post_id == request.post_id)
        }
        Named::Suggestion(id) => {
            let thread = suggestion_mut(document, id)?;
            if thread.head_post.as_ref().is_some_and(|head| head.post_id == request.post_id) {
                return Err(Refusal::invalid(quirks::SUGGESTION_HEAD));
            }
            thread.replies.iter_mut().find(|post| post.post_id == request.post_id)
        }
    };
    let unknown = || Refusal::invalid(quirks::unknown_post(&request.post_id));
    let post = post.filter(|post| !post.is_deleted()).ok_or_else(unknown)?;
    check_author(post, setting)?;
    post.content.clone_from(&request.content);
    post.content_html = html(&request.content);
    post.update_time.clone_from(&setting.now);
    Ok(())
}

/// Carries out `deleteComment`; what is left is the mark of a deleted thread, which Drive tells on demand.
pub(crate) fn delete(document: &mut Document, request: &DeleteComment, setting: &Setting) -> Result<(), Refusal> {
    let thread = comment_mut(document, &request.comment_id)?;
    if let Some(head) = &mut thread.head_post {
        check_author(head, setting)?;
        blot(head, setting);
    }
    thread.replies.clear();
    let anchor = thread.anchor_id.clone();
    let shared =
        |document: &Document| document.comments.iter().any(|other| !other.is_deleted() && other.anchor_id == anchor);
    if let Some(id) = anchor.as_deref().filter(|_| !shared(document)) {
        forget_anchor(document, id);
    }
    Ok(())
}

/// Carries out `deleteCommentReply`.
pub(crate) fn delete_reply(
    document: &mut Document,
    request: &DeleteCommentReply,
    setting: &Setting,
) -> Result<(), Refusal> {
    let (head, replies) = match one_of(request.comment_id.as_deref(), request.suggestion_id.as_deref())? {
        Named::Comment(id) => {
            let thread = comment_mut(document, id)?;
            (&thread.head_post, &mut thread.replies)
        }
        Named::Suggestion(id) => {
            let thread = suggestion_mut(document, id)?;
            (&thread.head_post, &mut thread.replies)
        }
    };
    if head.as_ref().is_some_and(|head| head.post_id == request.post_id) {
        return Err(Refusal::invalid(quirks::HEAD_IS_NO_REPLY));
    }
    let unknown = || Refusal::invalid(quirks::unknown_post(&request.post_id));
    let found = replies.iter_mut().find(|post| post.post_id == request.post_id && !post.is_deleted());
    let reply = found.ok_or_else(unknown)?;
    check_author(reply, setting)?;
    let acts = !matches!(reply.comment_action.as_str(), "" | NO_ACTION | "COMMENT_ACTION_TYPE_UNSPECIFIED");
    if acts || reply.assignee_email.is_some() {
        return Err(Refusal::invalid(quirks::REPLY_HAS_EFFECT));
    }
    blot(reply, setting);
    Ok(())
}

/// The thread that a request names.
enum Named<'a> {
    /// A comment's.
    Comment(&'a str),
    /// A suggestion's.
    Suggestion(&'a str),
}

/// Returns the one thread that is named.
fn one_of<'a>(comment: Option<&'a str>, suggestion: Option<&'a str>) -> Result<Named<'a>, Refusal> {
    match (comment.filter(|id| !id.is_empty()), suggestion.filter(|id| !id.is_empty())) {
        (Some(id), None) => Ok(Named::Comment(id)),
        (None, Some(id)) => Ok(Named::Suggestion(id)),
        (None, None) | (Some(_), Some(_)) => Err(Refusal::invalid(quirks::NO_THREAD)),
    }
}

/// Finds a comment that was not deleted.
fn comment_mut<'a>(document: &'a mut Document, id: &str) -> Result<&'a mut CommentThread, Refusal> {
    let found = document.comments.iter_mut().find(|thread| thread.comment_id == id && !thread.is_deleted());
    found.ok_or_else(|| Refusal::invalid(quirks::unknown_comment(id)))
}

/// Finds a suggestion's thread; one is made when the text carries the suggestion and nothing was said about it yet.
fn suggestion_mut<'a>(document: &'a mut Document, id: &str) -> Result<&'a mut SuggestionThread, Refusal> {
    let unknown = || Refusal::invalid(quirks::unknown_suggestion(id));
    if !document.suggestions.iter().any(|thread| thread.suggestion_id == id) {
        if !suggestion::is_pending(document, id) {
            return Err(unknown());
        }
        let thread =
            SuggestionThread { suggestion_id: id.to_owned(), status: OPEN.to_owned(), ..SuggestionThread::default() };
        document.suggestions.push(thread);
    }
    document.suggestions.iter_mut().find(|thread| thread.suggestion_id == id).ok_or_else(unknown)
}

/// Makes a post.
pub(crate) fn post(id: String, content: &str, action: &str, setting: &Setting) -> Post {
    Post {
        post_id: id,
        content: content.to_owned(),
        content_html: html(content),
        author: Some(setting.author.clone()),
        create_time: setting.now.clone(),
        update_time: setting.now.clone(),
        comment_action: action.to_owned(),
        ..Post::default()
    }
}

/// Takes everything out of a post that is deleted but that it was there.
fn blot(post: &mut Post, setting: &Setting) {
    post.content.clear();
    post.content_html.clear();
    post.author = None;
    post.assignee_email = None;
    post.update_time.clone_from(&setting.now);
    post.deleted = Some(true);
}

/// Refuses a change of what somebody else wrote. A post of which nobody is known to be the author may be changed.
fn check_author(post: &Post, setting: &Setting) -> Result<(), Refusal> {
    let own = |author: &PostAuthor| {
        if author.user.is_empty() { author.me == Some(true) } else { author.user == setting.author.user }
    };
    if post.author.as_ref().is_none_or(own) { Ok(()) } else { Err(Refusal::invalid(quirks::NOT_AUTHOR)) }
}

/// Refuses what is empty or too long.
fn check_content(content: &str) -> Result<(), Refusal> {
    if content.is_empty() {
        return Err(Refusal::invalid(quirks::EMPTY_POST));
    }
    if content.len() > quirks::MAX_POST_BYTES {
        return Err(Refusal::invalid(quirks::too_long("content of a comment")));
    }
    Ok(())
}

/// Refuses an address that is too long.
fn check_assignee(address: Option<&str>) -> Result<(), Refusal> {
    if address.is_some_and(|address| address.len() > quirks::MAX_POST_BYTES) {
        return Err(Refusal::invalid(quirks::too_long("assignee email address")));
    }
    Ok(())
}

/// Returns who a post gives the thread to, if it may.
fn assignee(post: &NewPost, may: bool) -> Result<Option<String>, Refusal> {
    let Some(address) = post.assignee_email.as_deref().filter(|address| !address.is_empty()) else { return Ok(None) };
    if !may {
        return Err(Refusal::invalid(quirks::NO_ASSIGNEE));
    }
    check_assignee(Some(address))?;
    Ok(Some(address.to_owned()))
}

/// Removes an anchor from whichever tab has it.
fn forget_anchor(document: &mut Document, id: &str) {
    let tabs: Vec<String> = document.all_tabs().into_iter().map(|tab| tab.id().to_owned()).collect();
    for tab in tabs {
        if let Some(content) = document.tab_mut(Some(&tab)).and_then(|tab| tab.document_tab.as_mut()) {
            content.comment_anchors.remove(id);
        }
    }
}

/// Writes plain text as HTML.
fn html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            '\n' => html.push_str("<br>"),
            other => html.push(other),
        }
    }
    html
}

/// Appends the text of `[start, end)`, in UTF-16 units; objects have none.
pub fn text_between(content: &[StructuralElement], start: u32, end: u32, text: &mut String) {
    let reaches = |from: u32, to: u32| from < end && start < to;
    for element in content.iter().filter(|e| reaches(e.start_index.utf16(), e.end_index.utf16())) {
        for inline in element.paragraph.iter().flat_map(|paragraph| &paragraph.elements) {
            let (from, to) = (inline.start_index.utf16(), inline.end_index.utf16());
            let Some(run) = inline.text().filter(|_| reaches(from, to)) else { continue };
            let begin = byte_at(run, start.saturating_sub(from)).unwrap_or(0);
            let stop = byte_at(run, end.saturating_sub(from).min(utf16_len(run))).unwrap_or(run.len());
            text.push_str(run.get(begin..stop).unwrap_or_default());
        }
        for cell in element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
            text_between(&cell.content, start, end, text);
        }
    }
}
