//! Comments and replies as the Drive API tells them: the same threads that the Docs API knows.
//!
//! Source: <https://developers.google.com/workspace/drive/api/reference/rest/v3/comments>

use serde_json::{Map, Value, json};

use super::call::{Answer, Call, Handled};
use super::clock;
use super::drive::{answer, bad_fields, mask};
use super::errors::{self, file_not_found, invalid_value, legacy};
use super::fields::Mask;
use super::state::{File, Google, World};
use crate::gdocs::{self, CommentThread, Post, PostAuthor, Setting};

/// Comments and replies on a page, unless asked otherwise.
const PAGE: usize = 20;

/// Comments and replies on the largest page; more is taken for this many.
const MAX_PAGE: usize = 100;

/// Fields of a comment.
const COMMENT_FIELDS: &[&str] = &[
    "anchor",
    "assigneeEmailAddress",
    "author",
    "content",
    "createdTime",
    "deleted",
    "htmlContent",
    "id",
    "kind",
    "mentionedEmailAddresses",
    "modifiedTime",
    "quotedFileContent",
    "replies",
    "resolved",
];

/// Fields of a reply.
const REPLY_FIELDS: &[&str] = &[
    "action",
    "assigneeEmailAddress",
    "author",
    "content",
    "createdTime",
    "deleted",
    "htmlContent",
    "id",
    "kind",
    "mentionedEmailAddresses",
    "modifiedTime",
];

/// Finds the method; `rest` is what follows `/drive/v3/files/{id}/comments`.
pub(super) fn handle(google: &Google, call: &Call, id: &str, rest: &[&str]) -> Handled {
    match (call.method.as_str(), rest) {
        ("GET", []) => list(google, call, id),
        ("POST", []) => create(google, call, id),
        ("GET", [comment]) => get(google, call, id, comment),
        ("PATCH", [comment]) => update(google, call, id, comment),
        ("DELETE", [comment]) => delete(google, id, comment),
        ("GET", [comment, "replies"]) => list_replies(google, call, id, comment),
        ("POST", [comment, "replies"]) => reply(google, call, id, comment),
        ("GET", [comment, "replies", reply]) => get_reply(google, call, id, comment, reply),
        ("PATCH", [comment, "replies", reply]) => update_reply(google, call, id, comment, reply),
        ("DELETE", [comment, "replies", reply]) => delete_reply(google, id, comment, reply),
        _ => Err(legacy(
            501,
            "notImplemented",
            &format!("The embedded Google does not serve {} {}.", call.method, call.path),
            None,
        )),
    }
}

/// Reads the `fields` parameter, without which no method on comments answers.
fn wanted(call: &Call) -> Result<Mask, Answer> {
    if call.parameter("fields").is_none() {
        let message = "The 'fields' parameter is required for this method.";
        return Err(legacy(400, "required", message, Some(("fields", "parameter"))));
    }
    mask(call, "*")
}

/// Refuses a mask that names what there is not.
fn check_mask(mask: &Mask, fields: &[&str]) -> Result<(), Answer> {
    match mask.0.keys().find(|name| *name != "*" && !fields.contains(&name.as_str())) {
        Some(name) => Err(bad_fields(name)),
        None => mask.0.get("replies").map_or(Ok(()), |replies| check_mask(replies, REPLY_FIELDS)),
    }
}

/// Answers `comments.list`: the newest first.
fn list(google: &Google, call: &Call, id: &str) -> Handled {
    let mask = wanted(call)?;
    if let Some(name) = mask.0.keys().find(|name| !["*", "kind", "nextPageToken", "comments"].contains(&name.as_str()))
    {
        return Err(bad_fields(name));
    }
    mask.0.get("comments").map_or(Ok(()), |mask| check_mask(mask, COMMENT_FIELDS))?;
    let since = match call.parameter("startModifiedTime") {
        None | Some("") => None,
        Some(text) => Some(clock::parse(text).ok_or_else(|| invalid_value("startModifiedTime"))?),
    };
    let (size, start) = page(call)?;
    let deleted = call.flag("includeDeleted");
    let world = google.world();
    let file = readable(&world, id)?;
    let shown: Vec<&CommentThread> = file
        .document
        .comments
        .iter()
        .rev()
        .filter(|thread| deleted || !thread.is_deleted())
        .filter(|thread| since.is_none_or(|since| clock::parse(modified(thread)).is_some_and(|at| at >= since)))
        .collect();
    let page: Vec<Value> = shown.iter().skip(start).take(size).map(|thread| show(thread, deleted)).collect();
    let mut value = json!({"kind": "drive#commentList", "comments": page});
    if start.saturating_add(size) < shown.len() {
        value["nextPageToken"] = format!("~!{}", start + size).into();
    }
    Ok(Answer::json(200, &mask.pick(&value)))
}

/// Reads the size and the start of a page.
fn page(call: &Call) -> Result<(usize, usize), Answer> {
    let size = match call.parameter("pageSize") {
        None => PAGE,
        Some(text) => match text.parse::<usize>() {
            Ok(size @ 1..) => size.min(MAX_PAGE),
            Ok(0) | Err(_) => return Err(invalid_value("pageSize")),
        },
    };
    let start = match call.parameter("pageToken") {
        None | Some("") => 0,
        Some(token) => {
            token.strip_prefix("~!").and_then(|n| n.parse().ok()).ok_or_else(|| invalid_value("pageToken"))?
        }
    };
    Ok((size, start))
}

/// Answers `comments.get`.
fn get(google: &Google, call: &Call, id: &str, comment: &str) -> Handled {
    let mask = wanted(call)?;
    check_mask(&mask, COMMENT_FIELDS)?;
    let deleted = call.flag("includeDeleted");
    let world = google.world();
    let thread = find(readable(&world, id)?, comment, deleted)?;
    Ok(Answer::json(200, &mask.pick(&show(thread, deleted))))
}

/// Answers `comments.create`. Docs stores the anchor and takes no heed of it.
fn create(google: &Google, call: &Call, id: &str) -> Handled {
    let mask = wanted(call)?;
    // Seen by others: the comment is made, and the call refused.
    let late = mask.0.contains_key("mentionedEmailAddresses");
    check_mask(&mask, COMMENT_FIELDS)?;
    let body = body(call, &["content", "anchor", "quotedFileContent"])?;
    let content = text(&body, "content")?.filter(|content| !content.is_empty());
    let content = content.ok_or_else(|| required("content"))?;
    let quote = match body.get("quotedFileContent") {
        None | Some(Value::Null) => None,
        Some(Value::Object(quoted)) => text(quoted, "value")?,
        Some(_) => return Err(invalid_value("quotedFileContent")),
    };
    let anchor = text(&body, "anchor")?.filter(|anchor| !anchor.is_empty());
    let mut world = google.world();
    let mut file = readable(&world, id)?.clone();
    let setting = google.setting(&file);
    let comment = gdocs::comment_without_place(&mut file.document, &content, anchor, quote, &setting)
        .map_err(|refusal| refused(&refusal))?;
    keep(google, &mut world, file)?;
    if late {
        return Err(bad_fields("mentionedEmailAddresses"));
    }
    let thread = find(readable(&world, id)?, &comment, false)?;
    Ok(Answer::json(200, &mask.pick(&show(thread, false))))
}

/// Answers `comments.update`.
fn update(google: &Google, call: &Call, id: &str, comment: &str) -> Handled {
    let mask = wanted(call)?;
    check_mask(&mask, COMMENT_FIELDS)?;
    let content = content_of(&body(call, &["content"])?)?;
    let mut world = google.world();
    let file = readable(&world, id)?.clone();
    check_author(find(&file, comment, false)?.head_post.as_ref())?;
    let request = json!({"updateCommentPost": {"commentId": comment, "postId": comment, "content": content}});
    carry_out(google, &mut world, file, &request)?;
    let thread = find(readable(&world, id)?, comment, false)?;
    Ok(Answer::json(200, &mask.pick(&show(thread, false))))
}

/// Answers `comments.delete`.
fn delete(google: &Google, id: &str, comment: &str) -> Handled {
    let mut world = google.world();
    let file = readable(&world, id)?.clone();
    check_author(find(&file, comment, false)?.head_post.as_ref())?;
    carry_out(google, &mut world, file, &json!({"deleteComment": {"commentId": comment}}))?;
    Ok(Answer::empty(204))
}

/// Answers `replies.list`: the oldest first.
fn list_replies(google: &Google, call: &Call, id: &str, comment: &str) -> Handled {
    let (size, start) = page(call)?;
    let deleted = call.flag("includeDeleted");
    let world = google.world();
    let thread = find(readable(&world, id)?, comment, deleted)?;
    let shown: Vec<Value> =
        thread.replies.iter().filter(|post| deleted || !post.is_deleted()).map(show_reply).collect();
    let page: Vec<&Value> = shown.iter().skip(start).take(size).collect();
    let mut value = json!({"kind": "drive#replyList", "replies": page});
    if start.saturating_add(size) < shown.len() {
        value["nextPageToken"] = format!("~!{}", start + size).into();
    }
    answer(call, &value, "*")
}

/// Answers `replies.create`.
fn reply(google: &Google, call: &Call, id: &str, comment: &str) -> Handled {
    let mask = mask(call, "*")?;
    check_mask(&mask, REPLY_FIELDS)?;
    let body = body(call, &["content", "action"])?;
    let content = text(&body, "content")?.unwrap_or_default();
    let mut post = json!({"content": content});
    match text(&body, "action")?.as_deref() {
        None | Some("") if content.is_empty() => return Err(required("content")),
        None | Some("") => {}
        Some("resolve") => post["commentAction"] = "RESOLVE".into(),
        Some("reopen") => post["commentAction"] = "REOPEN".into(),
        Some(_) => return Err(invalid_value("action")),
    }
    let mut world = google.world();
    let file = readable(&world, id)?.clone();
    find(&file, comment, false)?;
    let request = json!({"addCommentReply": {"commentId": comment, "post": post}});
    carry_out(google, &mut world, file, &request)?;
    let thread = find(readable(&world, id)?, comment, false)?;
    let made = thread.replies.last().map(show_reply).unwrap_or_default();
    Ok(Answer::json(200, &mask.pick(&made)))
}

/// Answers `replies.get`.
fn get_reply(google: &Google, call: &Call, id: &str, comment: &str, reply: &str) -> Handled {
    let world = google.world();
    let deleted = call.flag("includeDeleted");
    let thread = find(readable(&world, id)?, comment, deleted)?;
    answer(call, &show_reply(find_reply(thread, reply, deleted)?), "*")
}

/// Answers `replies.update`.
fn update_reply(google: &Google, call: &Call, id: &str, comment: &str, reply: &str) -> Handled {
    let content = content_of(&body(call, &["content"])?)?;
    let mut world = google.world();
    let file = readable(&world, id)?.clone();
    check_author(Some(find_reply(find(&file, comment, false)?, reply, false)?))?;
    let request = json!({"updateCommentPost": {"commentId": comment, "postId": reply, "content": content}});
    carry_out(google, &mut world, file, &request)?;
    let thread = find(readable(&world, id)?, comment, false)?;
    answer(call, &show_reply(find_reply(thread, reply, false)?), "*")
}

/// Answers `replies.delete`.
fn delete_reply(google: &Google, id: &str, comment: &str, reply: &str) -> Handled {
    let mut world = google.world();
    let file = readable(&world, id)?.clone();
    check_author(Some(find_reply(find(&file, comment, false)?, reply, false)?))?;
    let request = json!({"deleteCommentReply": {"commentId": comment, "postId": reply}});
    carry_out(google, &mut world, file, &request)?;
    Ok(Answer::empty(204))
}

/// Carries out one request on the threads of a file.
fn carry_out(google: &Google, world: &mut World, mut file: File, request: &Value) -> Result<(), Answer> {
    let typed = gdocs::read_requests(std::slice::from_ref(request)).map_err(|refusal| refused(&refusal))?;
    let setting: Setting = google.setting(&file);
    file.document = gdocs::apply_as(&file.document, &typed, &setting).map_err(|refusal| refused(&refusal))?.document;
    keep(google, world, file)
}

/// Keeps a file whose comments changed: the change feed names it, its text and revision are as before.
fn keep(google: &Google, world: &mut World, file: File) -> Result<(), Answer> {
    google.put(world, file, false).map_err(|error| errors::internal(&error))
}

/// Returns a file whose comments the account may read, and to which it may add.
fn readable<'a>(world: &'a World, id: &str) -> Result<&'a File, Answer> {
    let file = world.visible(id).ok_or_else(|| file_not_found(id))?;
    if file.role.can_comment() { Ok(file) } else { Err(forbidden()) }
}

/// Returns the refusal of somebody who may not.
fn forbidden() -> Answer {
    legacy(403, "insufficientFilePermissions", "The user does not have sufficient permissions for this file.", None)
}

/// Refuses a change of what somebody else wrote.
fn check_author(post: Option<&Post>) -> Result<(), Answer> {
    if post.and_then(|post| post.author.as_ref()).is_none_or(|author| author.me == Some(true)) {
        return Ok(());
    }
    Err(forbidden())
}

/// Finds a thread.
fn find<'a>(file: &'a File, id: &str, deleted: bool) -> Result<&'a CommentThread, Answer> {
    let found = file.document.comments.iter().find(|thread| thread.comment_id == id);
    found
        .filter(|thread| deleted || !thread.is_deleted())
        .ok_or_else(|| legacy(404, "notFound", &format!("Comment not found: {id}."), Some(("commentId", "parameter"))))
}

/// Finds a reply.
fn find_reply<'a>(thread: &'a CommentThread, id: &str, deleted: bool) -> Result<&'a Post, Answer> {
    let found = thread.replies.iter().find(|post| post.post_id == id);
    found
        .filter(|post| deleted || !post.is_deleted())
        .ok_or_else(|| legacy(404, "notFound", &format!("Reply not found: {id}."), Some(("replyId", "parameter"))))
}

/// Reads a body: `known` are the fields that count, the others of the resource are Google's to set.
fn body(call: &Call, known: &[&str]) -> Result<Map<String, Value>, Answer> {
    let bad = || legacy(400, "parseError", "Parse Error", None);
    let value: Value = match call.body.as_slice() {
        [] => json!({}),
        bytes => serde_json::from_slice(bytes).map_err(|_no_json| bad())?,
    };
    let Value::Object(map) = value else { return Err(bad()) };
    if let Some(name) =
        map.keys().find(|name| !known.contains(&name.as_str()) && !COMMENT_FIELDS.contains(&name.as_str()))
    {
        let message = format!("Invalid JSON payload received. Unknown name \"{name}\": Cannot find field.");
        return Err(legacy(400, "badRequest", &message, None));
    }
    Ok(map)
}

/// Reads a text of a body.
fn text(body: &Map<String, Value>, name: &str) -> Result<Option<String>, Answer> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(invalid_value(name)),
    }
}

/// Reads the content that a change must say.
fn content_of(body: &Map<String, Value>) -> Result<String, Answer> {
    text(body, "content")?.filter(|content| !content.is_empty()).ok_or_else(|| required("content"))
}

/// Returns the refusal of a body without a field.
fn required(name: &str) -> Answer {
    legacy(400, "required", &format!("Required field: {name}"), Some((name, "parameter")))
}

/// Words a refusal of the model as Drive does.
fn refused(refusal: &gdocs::Refusal) -> Answer {
    let message = refusal.message.rsplit_once("]: ").map_or(refusal.message.as_str(), |(_, words)| words);
    legacy(refusal.code, "invalid", message, None)
}

/// Returns when a thread was last changed.
fn modified(thread: &CommentThread) -> &str {
    let posts = thread.head_post.iter().chain(&thread.replies);
    posts.map(|post| post.update_time.as_str()).max().unwrap_or_default()
}

/// Writes a thread.
fn show(thread: &CommentThread, deleted: bool) -> Value {
    let head = thread.head_post.clone().unwrap_or_default();
    let replies = thread.replies.iter().filter(|post| deleted || !post.is_deleted());
    let mut value = show_post(&head);
    value["kind"] = "drive#comment".into();
    value["id"] = thread.comment_id.as_str().into();
    value["modifiedTime"] = modified(thread).into();
    value["replies"] = replies.map(show_reply).collect();
    if let Some(anchor) = &thread.anchor_id {
        value["anchor"] = anchor.as_str().into();
    }
    if let Some(quote) = &thread.plain_text_quote {
        value["quotedFileContent"] = json!({"mimeType": "text/html", "value": escaped(quote)});
    }
    // Recorded: absent in a thread that was never resolved, false in one that was reopened.
    if thread.status == "RESOLVED" {
        value["resolved"] = true.into();
    } else if thread.replies.iter().any(|post| post.comment_action == "REOPEN") {
        value["resolved"] = false.into();
    }
    value
}

/// Writes a reply.
fn show_reply(post: &Post) -> Value {
    let mut value = show_post(post);
    value["kind"] = "drive#reply".into();
    value["id"] = post.post_id.as_str().into();
    value["modifiedTime"] = post.update_time.as_str().into();
    match post.comment_action.as_str() {
        "RESOLVE" => value["action"] = "resolve".into(),
        "REOPEN" => value["action"] = "reopen".into(),
        _ => {}
    }
    value
}

/// Writes what comments and replies have in common.
fn show_post(post: &Post) -> Value {
    let mut value = json!({"createdTime": post.create_time, "deleted": post.is_deleted()});
    if !post.is_deleted() {
        value["content"] = post.content.as_str().into();
        value["htmlContent"] = post.content_html.as_str().into();
        value["author"] = show_author(post.author.as_ref());
        if let Some(address) = &post.assignee_email {
            value["assigneeEmailAddress"] = address.as_str().into();
        }
    }
    value
}

/// Writes an author: name and no address.
fn show_author(author: Option<&PostAuthor>) -> Value {
    let name = author.map_or("", |author| author.display_name.as_str());
    json!({"kind": "drive#user", "displayName": name, "me": author.is_some_and(|author| author.me == Some(true))})
}

/// Writes plain text as HTML, as Drive does with what a comment quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
