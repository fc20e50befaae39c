//! Text replaced, added, and made to new documents.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::reading::plain;
use super::{Outcome, Refused, arguments, checked_id};
use crate::kinds::ApartKind;
use crate::mebdf::{
    self, Block, By, Content, FIND_BYTES_MAX, Find, Mark, Property, PropertyValue, RunContent, State, Tree,
};
use crate::model::{ItemId, Notice};
use crate::tools::docs::failure::{Failure, is_read_only};
use crate::tools::host::{Host, ItemReport, PartReport, PushReport};
use crate::tools::tabs;
use crate::tools::verbs::{TEXT_BYTES_MAX, excerpt, require};

/// So much is told of what did not go.
const WARNINGS_MAX: usize = 20;
/// What no file has at the end of a line.
const BLANKS: [char; 2] = [' ', '\t'];
const NO_BLANKS: &str = "spaces at the end of a line are not kept, so they were left out";
/// How often an edit is made anew on a file that was saved meanwhile.
const TRIES_MAX: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EditArguments {
    document_id: String,
    old_text: String,
    new_text: String,
    #[serde(default = "yes")]
    match_case: bool,
    #[serde(default)]
    replace_all: bool,
    #[serde(default)]
    append_to_end: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AppendArguments {
    document_id: String,
    text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormattedArguments {
    document_id: String,
    formatted_text: String,
    #[serde(default)]
    position: Position,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Position {
    #[default]
    End,
    Beginning,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlankArguments {
    title: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FromTextArguments {
    title: String,
    text_content: String,
}

/// Answers `google_docs_edit_text`.
pub(super) async fn edit_text(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let given: EditArguments = arguments(given)?;
    let id = checked_id(&given.document_id)?;
    is_short("new_text", &given.new_text)?;
    has_no_null("old_text", &given.old_text)?;
    let new = mebdf::clean(&given.new_text).into_owned();
    if given.old_text.is_empty() {
        let hint = "Give the text to replace, or append_to_end=true to write at the end of the document.";
        require(given.append_to_end, "`old_text` is empty", hint)?;
        require(!new.is_empty(), "`old_text` and `new_text` are empty", "Give the text to append as new_text.")?;
        require(
            given.match_case && !given.replace_all,
            "`replace_all` and `match_case` are about text that is replaced, and append_to_end replaces none",
            "Leave them out to append, or give old_text and leave append_to_end out.",
        )?;
        let (id, warnings) = append(host, id, &new).await?;
        let message = format!("Appended {} characters to the end of the document", new.chars().count());
        let answer = json!({ "success": true, "document_id": id, "replacements_made": 1, "message": message });
        return Ok(with_warnings(answer, warnings));
    }
    let hint = "To append, leave old_text empty; to replace, leave append_to_end out.";
    require(!given.append_to_end, "append_to_end goes with an empty `old_text`", hint)?;
    let is_short = given.old_text.len() <= FIND_BYTES_MAX;
    require(
        is_short,
        "`old_text` is longer than 64 KiB",
        "Give the lines that change, and as much around them as makes them the only ones.",
    )?;
    let old = mebdf::clean(&given.old_text).into_owned();
    let find = Find { text: &old, match_case: given.match_case, all: given.replace_all };
    let (old_blocks, new_blocks) = (mebdf::markup(&old), mebdf::markup(&new));
    let loses_blanks = AtomicBool::new(blanks_end_a_line(&new));
    let literal = |tree: &mut Tree| {
        if new.ends_with(BLANKS) && ends_a_line(tree, find, &new) {
            loses_blanks.store(true, Ordering::Relaxed);
        }
        mebdf::replace(tree, find, By::Text(&new))
    };
    let in_head = |tree: &mut Tree| mebdf::replace_in_head(tree, find, &new);
    let everywhere = |tree: &mut Tree| literal(tree) + in_head(tree);
    // What the document does not say as it stands there may be said by its looks.
    let marked = |tree: &mut Tree| mebdf::replace_blocks(tree, &old_blocks, find, &new_blocks);
    let report = read_anew(host, id).await?;
    let _turn = host.turn(&report.id).await?;
    // Headers and footers come behind what every page has for itself.
    let first_of_all: &(dyn Fn(&mut Tree) -> usize + Sync) = if find.all { &everywhere } else { &literal };
    let mut edited = replace_in(host, &report, find.all, first_of_all).await?;
    if edited.count == 0 && !find.all {
        edited = replace_in(host, &report, false, &in_head).await?;
    }
    let said = mebdf::said(&Tree { front_matter: None, blocks: old_blocks.clone() });
    if edited.count == 0 && said != old.trim() {
        edited = replace_in(host, &report, given.replace_all, &marked).await?;
    }
    let count = edited.count;
    if count == 0 {
        return Err(not_found(host, &report, find).await?);
    }
    let message = format!("Replaced '{}' with '{}' at {count} location(s)", excerpt(&given.old_text), excerpt(&new));
    let answer = json!({ "success": true, "document_id": report.id, "replacements_made": count, "message": message });
    edited.warnings.extend(loses_blanks.into_inner().then(|| NO_BLANKS.to_owned()));
    Ok(with_warnings(answer, edited.warnings))
}

/// Tells whether a line of a text, but the last, ends with blanks.
fn blanks_end_a_line(text: &str) -> bool {
    text.rsplit('\n').skip(1).any(|line| line.ends_with(BLANKS))
}

/// Tells whether what is put into the place of a text is the end of a line there.
fn ends_a_line(tree: &Tree, find: Find<'_>, new: &str) -> bool {
    // Google Docs takes no letter of these, so no document has one.
    const MARK: char = '\u{f8ff}';
    let mut tried = tree.clone();
    mebdf::replace(&mut tried, find, By::Text(&format!("{new}{MARK}")));
    mebdf::said(&tried).lines().any(|line| line.ends_with(MARK))
}

/// Says where a text stands that cannot be edited, or that it stands nowhere.
async fn not_found(host: &dyn Host, report: &ItemReport, find: Find<'_>) -> Result<Refused, Refused> {
    let shown = excerpt(find.text);
    for part in &report.parts {
        // What is held has another text than the document, which the client goes by.
        let pushed = host.push(&part.path, false, true).await?;
        if !pushed.holds.is_empty() {
            let Refused { error, hint } = waits(&PushReport { unsaved: true, ..pushed });
            let error = format!(
                "Text not found: '{shown}' is not in the mirrored file, in which an earlier edit waits; {error}"
            );
            return Ok(Refused { error, hint });
        }
    }
    for part in &report.parts {
        let tree = mebdf::parse(&host.text(&part.path).await?).tree;
        if let Some(kind) = mebdf::object_that_says(&tree, find) {
            return Ok(Refused::new(
                format!("'{shown}' was found in an object of the document ({kind}), whose text cannot be edited."),
                "Leave the object out of old_text; what it says is changed in Google Docs.",
            ));
        }
    }
    for apart in host.elements(&report.id.0, "").await?.apart {
        let place = match apart.kind {
            ApartKind::Footnote(_) => continue,
            ApartKind::Header => "header",
            ApartKind::Footer => "footer",
        };
        if mebdf::says(&plain(&apart.elements), find) {
            return Ok(Refused::new(
                format!(
                    "'{shown}' was found in a {place} that is for some pages alone or has a table, which cannot be edited here."
                ),
                "Change it in Google Docs; only the header and footer of all pages are edited here, and the text in them alone.",
            ));
        }
    }
    Ok(Refused::new(
        format!("Text not found: '{shown}' does not exist in the document."),
        "Check for typos, or use google_docs_get_document_by_id with response_format 'plain_text' to view the current content; \
         text is found across formatting, in footnotes, headers and footers, but not from one cell of a table to another, and spaces \
         at the end of a line are not kept.",
    ))
}

/// Answers `google_docs_insert_text_at_end`.
pub(super) async fn insert_text_at_end(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let AppendArguments { document_id, text } = arguments(given)?;
    let id = checked_id(&document_id)?;
    is_short("text", &text)?;
    let text = mebdf::clean(&text).into_owned();
    require(!text.is_empty(), "`text` is empty", "Give the text to insert.")?;
    let (id, warnings) = append(host, id, &text).await?;
    let message = format!("Inserted {} characters at end of document", text.chars().count());
    Ok(with_warnings(json!({ "success": true, "document_id": id, "message": message }), warnings))
}

/// Answers `google_docs_insert_formatted_text`.
pub(super) async fn insert_formatted_text(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let FormattedArguments { document_id, formatted_text, position } = arguments(given)?;
    let id = checked_id(&document_id)?;
    is_short("formatted_text", &formatted_text)?;
    let blocks = mebdf::markup(&formatted_text);
    require(!blocks.is_empty(), "`formatted_text` is empty", "Give the text to insert.")?;
    let report = host.fetch(id, true).await?;
    let _turn = host.turn(&report.id).await?;
    let tab = tabs::meant("", id);
    let part = part_of(host, &report, &tab).await?;
    let before = body_end(host, &report.id, &tab).await?;
    let mut fills = false;
    let edited = edit_part(host, &report, part, |tree| {
        fills = insert(tree, &blocks, position);
        1
    })
    .await?;
    let after = body_end(host, &report.id, &tab).await?;
    let (start, end) = match position {
        // The newline of the last paragraph stays behind it all.
        Position::End => (before.saturating_sub(u32::from(fills)), after.saturating_sub(1)),
        Position::Beginning => (1, 1 + after.saturating_sub(before)),
    };
    let (end, place) = (end.max(start), if position == Position::End { "end" } else { "beginning" });
    let length = end - start;
    let answer = json!({
        "success": true,
        "document_id": report.id,
        "inserted_range": { "start_index": start, "end_index": end },
        "styles_applied": styles(&blocks, &edited.warnings),
        "message": format!("Inserted {length} characters with formatting at {place} of document"),
    });
    Ok(with_warnings(answer, edited.warnings))
}

/// Answers `google_docs_create_blank_document`.
pub(super) async fn create_blank(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let BlankArguments { title } = arguments(given)?;
    create(host, &title, "").await
}

/// Answers `google_docs_create_document_from_text`.
pub(super) async fn create_from_text(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let FromTextArguments { title, text_content } = arguments(given)?;
    is_short("text_content", &text_content)?;
    let text = match text_content.is_empty() {
        true => String::new(),
        false => mebdf::print(&Tree { front_matter: None, blocks: mebdf::literal(&text_content) }),
    };
    create(host, &title, &text).await
}

async fn create(host: &dyn Host, title: &str, text: &str) -> Outcome {
    require(!title.trim().is_empty(), "`title` is empty", "Give the new document a name.")?;
    let is_short = title.chars().count() <= 1000;
    require(is_short, "`title` is longer than 1000 characters", "Make it shorter.")?;
    let made = host.create(title.trim(), text).await?;
    let message = format!("Created '{}'", excerpt(&made.title));
    let answer =
        json!({ "success": true, "document_id": made.id, "title": made.title, "url": made.url, "message": message });
    // Each letter of a kind is told once, however often it stands there.
    let mut warnings: Vec<String> = Vec::new();
    for Notice { message, .. } in made.notices {
        if !warnings.contains(&message) && warnings.len() < WARNINGS_MAX {
            warnings.push(message);
        }
    }
    Ok(with_warnings(answer, warnings))
}

/// Puts text at the end of a document; returns its id, and what did not go as it was asked for.
async fn append(host: &dyn Host, id: &str, text: &str) -> Result<(ItemId, Vec<String>), Refused> {
    // No file has a space at the end of a line, so none would come to the document.
    let hint = "Give text that ends with a letter; a space at the end of a line is not kept.";
    require(!text.trim_matches(BLANKS).is_empty(), "there are only spaces to append", hint)?;
    let report = host.fetch(id, true).await?;
    let _turn = host.turn(&report.id).await?;
    let edited = edit_part(host, &report, part_of(host, &report, &tabs::meant("", id)).await?, |tree| {
        mebdf::append(tree, text);
        1
    })
    .await?;
    let mut warnings = edited.warnings;
    let loses_blanks = text.ends_with(BLANKS) || blanks_end_a_line(text);
    warnings.extend(loses_blanks.then(|| NO_BLANKS.to_owned()));
    Ok((report.id, warnings))
}

/// Replaces text in the tabs of a document: in all of them, or in the first that has it. Returns how many places were replaced.
async fn replace_in(
    host: &dyn Host,
    report: &ItemReport,
    all: bool,
    replace: &(dyn Fn(&mut Tree) -> usize + Sync),
) -> Result<Edited, Refused> {
    let mut all_edited = Edited::default();
    for part in &report.parts {
        match edit_part(host, report, part, replace).await {
            Ok(edited) => {
                all_edited.count += edited.count;
                all_edited.warnings.extend(edited.warnings);
            }
            Err(refused) if all_edited.count > 0 => {
                let error =
                    format!("{} location(s) were replaced in other tabs, then: {}", all_edited.count, refused.error);
                return Err(Refused::new(error, refused.hint));
            }
            Err(refused) => return Err(refused),
        }
        if all_edited.count > 0 && !all {
            break;
        }
    }
    Ok(all_edited)
}

/// Makes an edit of a tab's file, and pushes it; returns how many places were edited. Where that is none nothing is written.
async fn edit_part(
    host: &dyn Host,
    item: &ItemReport,
    part: &PartReport,
    mut make: impl FnMut(&mut Tree) -> usize + Send,
) -> Result<Edited, Refused> {
    for _ in 0..TRIES_MAX {
        let said = host.text(&part.path).await?;
        let text = mebdf::clean(&said).into_owned();
        let was = mebdf::parse(&text).tree;
        let mut is = was.clone();
        let count = make(&mut is);
        if count == 0 || is == was {
            return Ok(Edited { count, warnings: Vec::new() });
        }
        let edited = mebdf::rewritten(&text, &was, &is);
        let known = known(host, item, part).await;
        let pushed = host.edit(&part.path, &said, &edited).await.map_err(Failure::NotMade)?;
        let Some(report) = pushed else { continue };
        // What waited in the file before is no failure of an edit that went.
        if report.waits && !report.pushed {
            if !report.unsaved {
                take_back(host, part, &said, &edited).await?;
            }
            return Err(waits(&report));
        }
        return Ok(Edited { count, warnings: warnings(&report, known) });
    }
    Err(Failure::Restless.into())
}

/// What became of an edit.
#[derive(Debug, Default)]
struct Edited {
    /// How many places were edited.
    count: usize,
    /// What did not go as it was asked for.
    warnings: Vec<String>,
}

/// Takes an edit out of a file again that did not go: a client of this profile sees documents, not files, and would build on what is
/// in no document.
async fn take_back(host: &dyn Host, part: &PartReport, said: &str, edited: &str) -> Result<(), Refused> {
    // Who saved the file meanwhile has it in his text; then it stays with that.
    let report = host.edit(&part.path, edited, said).await?;
    tracing::debug!(?report, "an edit that did not go is taken back");
    Ok(())
}

/// Why an edit was not made.
fn waits(report: &PushReport) -> Refused {
    let why: Vec<String> =
        report.holds.iter().chain(&report.refused).take(WARNINGS_MAX).map(ToString::to_string).collect();
    let error = match why.is_empty() {
        true => format!("the edit was not made: {}", report.message),
        false => format!("the edit was not made: {}", why.join("; ")),
    };
    let hint = match (report.holds.is_empty(), report.refused.is_empty()) {
        (false, _) if report.unsaved => {
            "An earlier edit of the mirrored file waits there for the person, who sends it with `mcp-workspace push --accept FILE` or \
             takes it back with `mcp-workspace restore ID` once the file is deleted; then edit again. Nothing was changed."
        }
        (true, false) if is_read_only(report) => {
            "The account may not edit the document. Ask the owner for access, or use an account that has it. Nothing was changed."
        }
        (false, _) => {
            "It would destroy much of the document, or an object in it. Tell the person what is to go, and let them do it; nothing was changed."
        }
        (true, false) => {
            "What it touches is read-only, or no document can have it. Leave that out; nothing was changed."
        }
        (true, true) => {
            "The person's own edit of the mirrored file waits there, in conflict with what somebody else wrote. The person settles it \
             with `mcp-workspace resolve FILE --mine` or `--theirs`; then edit again. Nothing was changed."
        }
    };
    Refused::new(error, hint)
}

/// What is to be told of a file before it is edited, which no edit brought. Only of a document of which there is something to tell it
/// costs a question.
async fn known(host: &dyn Host, item: &ItemReport, part: &PartReport) -> Vec<Notice> {
    if item.notices.is_empty() {
        return Vec::new();
    }
    match host.push(&part.path, false, true).await {
        Ok(report) => [report.refused, report.told, report.unsaid].concat(),
        // Then the edit says why, if it fails as well.
        Err(error) => {
            tracing::debug!(%error, "what a file waits for is not known");
            Vec::new()
        }
    }
}

/// What of an edit went otherwise than it was asked for, or not at all. What was `known` before stands elsewhere, and its line may be
/// another one by now.
fn warnings(report: &PushReport, mut known: Vec<Notice>) -> Vec<String> {
    let mut told: Vec<&Notice> = [&report.refused, &report.told, &report.unsaid].into_iter().flatten().collect();
    told.retain(|notice| {
        let at = known.iter().position(|other| (&other.code, &other.message) == (&notice.code, &notice.message));
        at.is_none_or(|at| {
            known.swap_remove(at);
            false
        })
    });
    told.into_iter().take(WARNINGS_MAX).map(ToString::to_string).collect()
}

/// Adds what there is to say to an answer.
fn with_warnings(mut answer: Value, warnings: Vec<String>) -> Value {
    if !warnings.is_empty() {
        answer["warnings"] = warnings.into();
    }
    answer
}

/// Finds the file of the tab that a URL names; the first one's for an id.
async fn part_of<'report>(
    host: &dyn Host,
    report: &'report ItemReport,
    tab: &str,
) -> Result<&'report PartReport, Refused> {
    require(!report.parts.is_empty(), "the document has no tab", "Open it in Google Docs.")?;
    Ok(tabs::part_of(host, report, tab).await?)
}

/// Reads a document from Google; of one whose URL names a tab there is that tab alone.
async fn read_anew(host: &dyn Host, id: &str) -> Result<ItemReport, Refused> {
    let mut report = host.fetch(id, true).await?;
    let tab = tabs::meant("", id);
    if !tab.is_empty() {
        report.parts = vec![part_of(host, &report, &tab).await?.clone()];
    }
    Ok(report)
}

/// Where the body of a tab ends, the first for an empty id.
async fn body_end(host: &dyn Host, id: &ItemId, tab: &str) -> Result<u32, Refused> {
    let elements = host.elements(&id.0, tab).await?.elements;
    let tab = elements.first().map(|element| element.tab_id.clone());
    let of_first = elements.iter().rev().find(|element| Some(&element.tab_id) == tab.as_ref());
    Ok(of_first.map_or(1, |element| element.end_index))
}

/// Puts blocks into a tree; tells whether they take the place of an empty paragraph.
fn insert(tree: &mut Tree, blocks: &[Block], position: Position) -> bool {
    let is_empty = |block: Option<&Block>| {
        block.is_some_and(|block| matches!(&block.content, Content::Paragraph { runs } if runs.is_empty()))
    };
    let end = mebdf::body_end(tree);
    let at = if position == Position::End { end } else { 0 };
    let fills = match position {
        Position::End => is_empty(end.checked_sub(1).and_then(|last| tree.blocks.get(last))),
        Position::Beginning => end == 1 && is_empty(tree.blocks.first()),
    };
    let mut new = blocks.to_vec();
    let is_heading = new.first().is_some_and(|block| matches!(block.content, Content::Heading { .. }));
    if at > 0 && !is_heading && mebdf::state_at(&tree.blocks, at - 1) != State::default() {
        // What was set on the blocks above is not meant for these.
        let plain = Property { name: "Normal text".into(), value: PropertyValue::On };
        new.insert(0, Block::new(Content::Directive { properties: vec![plain] }));
    }
    let place = match (position, fills) {
        (Position::End, true) => end - 1..end,
        (Position::Beginning, true) => 0..1,
        (_, false) => at..at,
    };
    tree.blocks.splice(place, new);
    tree.normalize();
    fills
}

/// Counts the looks of some blocks; a link that was refused, as the warnings tell, is none.
fn styles(blocks: &[Block], warnings: &[String]) -> Value {
    let runs: Vec<&mebdf::Run> = blocks.iter().flat_map(|block| block.content.runs()).collect();
    let ranges = |has: fn(&mebdf::Run) -> bool| {
        let mut before = false;
        runs.iter().filter(|run| !std::mem::replace(&mut before, has(run)) && has(run)).count()
    };
    let is_refused = |to: &str| {
        let told = format!("`{to}`");
        warnings.iter().any(|warning| warning.contains("LINK_LOCKED") && warning.contains(&told))
    };
    let leads = |run: &&&mebdf::Run| run.marks.link.as_deref().is_some_and(|to| !to.is_empty() && !is_refused(to));
    let links = runs.iter().filter(|run| matches!(run.content, RunContent::Text(_))).filter(leads).count();
    let blocks_of = |is: fn(&Content) -> bool| blocks.iter().filter(|block| is(&block.content)).count();
    json!({
        "headings": blocks_of(|content| matches!(content, Content::Heading { .. })),
        "bold_ranges": ranges(|run| run.marks.bold),
        "italic_ranges": ranges(|run| run.marks.italic),
        "strikethrough_ranges": ranges(|run| run.marks.strike),
        "links": links,
        "bullet_items": blocks_of(|content| matches!(content, Content::Item { mark: Mark::Bullet, .. })),
    })
}

fn is_short(name: &str, text: &str) -> Result<(), Refused> {
    let fits = u64::try_from(text.len()).is_ok_and(|bytes| bytes <= TEXT_BYTES_MAX);
    require(fits, &format!("`{name}` is longer than 4 MiB"), "Write it in pieces.")?;
    has_no_null(name, text)
}

/// A file would have another letter in the place of this one, and so would the document.
fn has_no_null(name: &str, text: &str) -> Result<(), Refused> {
    let what = format!("`{name}` holds the character U+0000, which no document can have");
    Ok(require(!text.contains('\0'), &what, "Leave it out; nothing was changed.")?)
}
