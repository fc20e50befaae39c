//! The open comments of a document as the text of a file. Pure.
//!
//! The text is printed from a tree as any other, so what people wrote into their comments is escaped as any text is
//! and cannot look like another thread, another author, or the file's head.

use super::places::{Places, Section, Spot, one_line};
use super::wire::{DriveComment, DriveReply, DriveUser};
use crate::error::{Error, Result};
use crate::gdocs::{CommentAnchor, CommentThread, Document, Post, Tab};
use crate::kinds::CommentAct;
use crate::kinds::sidecar::{UNSEALED, seal};
use crate::mebdf::{Block, Content, FrontMatter, Mark, Marks, Run, RunContent, Tree, print};

/// Characters of a quote that a heading shows.
const QUOTE_CHARS: usize = 80;

/// Characters of a quote that are shown at all.
const LONG_QUOTE_CHARS: usize = 1_000;

/// Characters of a name that are shown.
const NAME_CHARS: usize = 80;

/// Threads that the file shows; far more than anybody reads.
const THREADS_MAX: usize = 1_000;

/// Characters of one post that are shown; Google takes no longer ones.
const POST_CHARS: usize = 10_000;

/// A thread with its place.
struct Placed<'a> {
    thread: &'a DriveComment,
    place: Place,
}

/// Where a thread stands.
pub(super) enum Place {
    /// In the text.
    Found(Spot),
    /// Nowhere in particular: it is about the document.
    Whole,
    /// Its text is not there any more.
    Lost,
}

/// Writes the file of the open threads; `None` when there are none. `truncated` tells that there are more than were read.
pub(super) fn render(document: &Document, url: &str, threads: &[DriveComment], truncated: bool) -> Option<String> {
    let mut open: Vec<&DriveComment> = threads.iter().filter(|thread| thread.is_open()).collect();
    if open.is_empty() {
        return None;
    }
    let more = truncated || open.len() > THREADS_MAX;
    open.truncate(THREADS_MAX);
    let places = Places::new(document);
    let mut placed: Vec<Placed<'_>> =
        open.iter().map(|&thread| Placed { thread, place: place(document, &places, thread) }).collect();
    placed.sort_by(|a, b| key(a).cmp(&key(b)));
    let mut blocks = Vec::new();
    let count = open.len();
    let plural = if count == 1 { "" } else { "s" };
    push(&mut blocks, heading(1, None, format!("{count} open comment{plural} on “{}”", name(&document.title))));
    if more {
        push(
            &mut blocks,
            paragraph("There are more; only the newest are shown. See the document for the rest.".into()),
        );
    }
    for placed in &placed {
        write_thread(&mut blocks, placed);
    }
    let entries = [
        ("comments", name(&document.title)),
        ("id", document.document_id.clone()),
        ("url", url.to_owned()),
        ("access", "read".to_owned()),
        (
            "answer",
            "mcp-workspace comment FILE --reply ID TEXT, or --resolve ID; an edit of this file goes nowhere".to_owned(),
        ),
        ("check", UNSEALED.to_owned()),
    ];
    let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Some(seal(&print(&Tree { front_matter: Some(FrontMatter { entries }), blocks })))
}

/// Ties the open threads whose places the document does not tell to the words that they were made on, so that an edit of
/// those words is planned as one of words that somebody commented.
pub(super) fn tie(document: &mut Document, threads: &[DriveComment]) {
    let places = Places::new(document);
    let mut ties = Vec::new();
    for thread in threads.iter().filter(|thread| thread.is_open()).take(THREADS_MAX) {
        if told(document, &places, thread) {
            continue;
        }
        let Some((tab, ranges)) = places.ranges_of_words(&thread.quote()) else { continue };
        let anchor = thread.anchor.clone().filter(|anchor| !anchor.is_empty());
        ties.push((tab, ranges, anchor.unwrap_or_else(|| format!("words-of-{}", thread.id)), thread));
    }
    for (tab, ranges, id, thread) in ties {
        let Some(content) = nth_tab(&mut document.tabs, &mut { tab }).and_then(|tab| tab.document_tab.as_mut()) else {
            continue;
        };
        let anchor = CommentAnchor { anchor_id: id.clone(), ranges, ..CommentAnchor::default() };
        content.comment_anchors.insert(id.clone(), anchor);
        if let Some(known) = document.comments.iter_mut().find(|known| known.comment_id == thread.id) {
            known.anchor_id = Some(id);
            continue;
        }
        document.comments.push(CommentThread {
            comment_id: thread.id.clone(),
            anchor_id: Some(id),
            head_post: Some(Post { post_id: thread.id.clone(), content: thread.content.clone(), ..Post::default() }),
            status: "OPEN".to_owned(),
            ..CommentThread::default()
        });
    }
}

/// Finds a tab by its number in the order in which people see them.
fn nth_tab<'a>(tabs: &'a mut [Tab], left: &mut usize) -> Option<&'a mut Tab> {
    for tab in tabs {
        if *left == 0 {
            return Some(tab);
        }
        *left -= 1;
        if let Some(found) = nth_tab(&mut tab.child_tabs, left) {
            return Some(found);
        }
    }
    None
}

/// Tells whether a document tells where a thread stands, or that its place is gone.
fn told(document: &Document, places: &Places<'_>, thread: &DriveComment) -> bool {
    let anchor = thread.anchor.as_deref().filter(|anchor| !anchor.is_empty());
    // A document that tells its anchors tells all of them: one that it does not know stands nowhere.
    anchor.is_some_and(|anchor| places.of_anchor(anchor).is_some())
        || document.comments.iter().any(|known| known.comment_id == thread.id && known.anchor_id.is_some())
}

/// Finds the thread that an act is for.
///
/// # Errors
///
/// `InvalidInput` when there is no such thread, with those that are open, or when the act means nothing for it.
pub(super) fn answerable<'a>(threads: &'a [DriveComment], id: &str, act: &CommentAct) -> Result<&'a DriveComment> {
    let invalid = |what: String, suggestion: String| Err(Error::InvalidInput { what, suggestion });
    let Some(thread) = threads.iter().find(|thread| thread.id == id && !thread.deleted) else {
        return invalid(format!("there is no comment `{}`", id.escape_debug()), listed(threads));
    };
    match act {
        CommentAct::Reply(text) if text.trim().is_empty() => {
            invalid("the reply is empty".to_owned(), "Give it some words.".to_owned())
        }
        CommentAct::Reply(_) | CommentAct::Resolve if thread.resolved => invalid(
            format!("the comment `{id}` is resolved"),
            format!("Open it again with --reopen {id} first; or {}", lower(&listed(threads))),
        ),
        CommentAct::Reopen if !thread.resolved => {
            invalid(format!("the comment `{id}` is open"), "Nothing has to be done.".to_owned())
        }
        CommentAct::Reply(_) | CommentAct::Resolve | CommentAct::Reopen => Ok(thread),
    }
}

/// What is told of an act that Google refused: what was to be said stands in no file.
pub(super) fn refused(error: &Error, act: &CommentAct) -> Error {
    let suggestion = match act {
        CommentAct::Reply(_) => {
            "Nothing was said, and the reply is kept nowhere: answer in other words, or in several shorter replies."
        }
        CommentAct::Resolve | CommentAct::Reopen => "The comment stays as it is; try it in Google Docs.",
    };
    Error::Told { kind: error.kind(), message: error.to_string(), suggestion: suggestion.to_owned() }
}

/// Tells whether an act whose answer was lost has happened: `before` is the thread as it was.
pub(super) fn was_said(before: &DriveComment, threads: &[DriveComment], act: &CommentAct) -> bool {
    let Some(now) = threads.iter().find(|thread| thread.id == before.id) else { return false };
    let new = |reply: &&DriveReply| reply.author.me && before.replies.iter().all(|known| known.id != reply.id);
    match act {
        CommentAct::Reply(text) => now.replies.iter().filter(new).any(|reply| reply.content.trim() == text.trim()),
        CommentAct::Resolve => now.resolved,
        CommentAct::Reopen => !now.resolved,
    }
}

/// Names the open threads, for who gave an id that is none.
fn listed(threads: &[DriveComment]) -> String {
    const LISTED_MAX: usize = 20;
    const WORDS_CHARS: usize = 40;
    let open: Vec<&DriveComment> = threads.iter().filter(|thread| thread.is_open()).collect();
    if open.is_empty() {
        return "No comment is open.".to_owned();
    }
    let shown: Vec<String> = open
        .iter()
        .take(LISTED_MAX)
        .map(|thread| {
            let said = cut(&one_line(&clean(&thread.content)), WORDS_CHARS);
            format!("{} (“{said}”)", one_line(&clean(&thread.id)))
        })
        .collect();
    let more = if open.len() > LISTED_MAX { format!(" and {} more", open.len() - LISTED_MAX) } else { String::new() };
    format!("Open are {}{more}.", shown.join(", "))
}

/// Makes a sentence the end of another.
fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Finds the place of a thread.
pub(super) fn place(document: &Document, places: &Places<'_>, thread: &DriveComment) -> Place {
    let anchor = thread.anchor.as_deref().filter(|anchor| !anchor.is_empty());
    if let Some(spot) = anchor.and_then(|anchor| places.of_anchor(anchor)) {
        return Place::Found(spot);
    }
    let quote = thread.quote();
    if quote.is_empty() && anchor.is_none() {
        return Place::Whole;
    }
    if told(document, places, thread) {
        return Place::Lost;
    }
    places.of_words(&quote).map_or(Place::Lost, Place::Found)
}

/// What threads are sorted by: the document's order, then the whole, then the lost, each from the oldest on.
fn key<'a>(placed: &'a Placed<'_>) -> (u8, (usize, usize), &'a str, &'a str) {
    let (rank, order) = match &placed.place {
        Place::Found(spot) => (0, spot.order),
        Place::Whole => (1, (0, 0)),
        Place::Lost => (2, (0, 0)),
    };
    (rank, order, &placed.thread.created_time, &placed.thread.id)
}

/// Writes one thread: what it is about, where that stands, and what was said.
fn write_thread(blocks: &mut Vec<Block>, placed: &Placed<'_>) {
    let thread = placed.thread;
    let quote = one_line(&clean(&thread.quote()));
    let shown = match (&placed.place, quote.is_empty()) {
        (Place::Whole, _) => "On the document".to_owned(),
        (_, false) => format!("“{}”", cut(&quote, QUOTE_CHARS)),
        (_, true) => "On a place without words".to_owned(),
    };
    push(blocks, heading(2, Some(thread.id.clone()), shown));
    if quote.chars().count() > QUOTE_CHARS {
        push(blocks, paragraph(format!("All of it: “{}”", cut(&quote, LONG_QUOTE_CHARS))));
    }
    push(blocks, paragraph(whereabouts(&placed.place, &quote)));
    push(blocks, post(&thread.author, &thread.created_time, &thread.content, None));
    for reply in thread.replies.iter().filter(|reply| !reply.deleted) {
        let DriveReply { author, created_time, content, action, .. } = reply;
        push(blocks, post(author, created_time, content, action.as_deref()));
    }
}

/// Says where a thread stands.
fn whereabouts(place: &Place, quote: &str) -> String {
    let spot = match place {
        Place::Found(spot) => spot,
        Place::Whole => return "About the document as a whole.".to_owned(),
        Place::Lost => return "These words are not in the document any more.".to_owned(),
    };
    let mut text = match &spot.section {
        Section::Preamble => "Before the first heading".to_owned(),
        Section::Heading(title, Some(anchor)) => format!("In “{}” ({anchor})", cut(&clean(title), QUOTE_CHARS)),
        Section::Heading(title, None) => format!("In “{}”", cut(&clean(title), QUOTE_CHARS)),
        Section::Segment(name) => format!("In {name}"),
    };
    if let Some((id, title)) = &spot.tab {
        text.push_str(&format!(", tab “{}” ({id})", cut(&one_line(&clean(title)), NAME_CHARS)));
    }
    text.push('.');
    if spot.places > 1 {
        text.push_str(&format!(" The same words stand in {} places; this is the first.", spot.places));
    }
    if let Some(now) = spot.text.as_ref().map(|now| one_line(&clean(now))).filter(|now| now != quote && !now.is_empty())
    {
        text.push_str(&format!(" It says now: “{}”", cut(&now, LONG_QUOTE_CHARS)));
    }
    text
}

/// Writes one post as an item: who, when, what.
fn post(author: &DriveUser, time: &str, content: &str, action: Option<&str>) -> Content {
    let who =
        Run { content: RunContent::Text(name(&author.display_name)), marks: Marks { bold: true, ..Marks::default() } };
    let lines: Vec<String> = clean(content).lines().map(|line| line.trim().to_owned()).collect();
    let mut said = cut(lines.join("\u{b}").trim_matches('\u{b}'), POST_CHARS);
    match action {
        Some("resolve") => said = format!("(resolved) {said}"),
        Some("reopen") => said = format!("(reopened) {said}"),
        Some(_) | None => {}
    }
    let rest = Run { content: RunContent::Text(format!(", {}: {said}", moment(time))), marks: Marks::default() };
    Content::Item { depth: 0, mark: Mark::Bullet, runs: vec![who, rest] }
}

/// Writes `2026-08-31T20:18:09.873Z` as `2026-08-31 20:18 UTC`; anything else as it is.
fn moment(time: &str) -> String {
    let time = one_line(&clean(time));
    match (time.get(..10), time.get(10..11), time.get(11..16), time.ends_with('Z')) {
        (Some(day), Some("T"), Some(clock), true) => format!("{day} {clock} UTC"),
        _ => cut(&time, NAME_CHARS),
    }
}

/// Writes a name on one line; nobody is nameless.
fn name(text: &str) -> String {
    let name = one_line(&clean(text));
    if name.is_empty() { "Somebody".to_owned() } else { cut(&name, NAME_CHARS) }
}

/// Takes out what would hide or reorder text, or act on a terminal.
fn clean(text: &str) -> String {
    let line =
        |c: char| if matches!(c, '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}') { '\n' } else { c };
    let hidden = |c: char| matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let text = text.replace("\r\n", "\n");
    text.chars()
        .map(line)
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| *c == '\n' || !(c.is_control() || hidden(*c)))
        .collect()
}

/// Cuts a text that is too long, and shows that it was.
fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

fn heading(level: u8, anchor: Option<String>, text: String) -> Content {
    Content::Heading { level, anchor, runs: vec![Run { content: RunContent::Text(text), marks: Marks::default() }] }
}

fn paragraph(text: String) -> Content {
    Content::Paragraph { runs: vec![Run { content: RunContent::Text(text), marks: Marks::default() }] }
}

fn push(blocks: &mut Vec<Block>, content: Content) {
    blocks.push(Block::new(content));
}
