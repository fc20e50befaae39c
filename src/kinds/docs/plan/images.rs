//! The insertion of new pictures. Pure.
//!
//! A new picture's place is held by a character while the text is planned, so that everything around it is planned as
//! if it stood there; then the picture takes its place.

use std::collections::BTreeMap;

use super::carried::Carried;
use super::edit::{Expected, What, delete_range};
use super::planner::Planner;
use super::restyle::contents;
use crate::gdocs::{DocumentTab, InsertInlineImage, Location, PICTURE_URI_BYTES_MAX, Request};
use crate::kinds::docs::text::extract::{Extract, lines};
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::docs::text::line::Token;
use crate::kinds::{Pictures, upload_address};
use crate::mebdf::{Content, Object, Run, RunContent, Tree, normalize_runs, parse};

/// The id that asks for a picture to be inserted.
const NEW: &str = "new";

/// Stands in the text of a paragraph where a new picture goes, until the picture is inserted. It is a character of its own
/// for Docs, so that the blanks beside it are no blanks at the end of a line.
pub(super) const PLACEHOLDER: char = '\u{fffc}';

/// Where a new picture goes, and what the file says of it.
pub(super) struct NewPicture {
    /// Index among the expected blocks.
    block: usize,
    /// Index among the block's paragraphs.
    line: usize,
    /// Index among the paragraph's tokens.
    token: usize,
    /// Its place in the segment, in UTF-16 units.
    at: u32,
    /// What the file says.
    object: Object,
}

/// New pictures that were inserted: the id that the model gave each, and what the file says of it.
pub(super) type Inserted = Vec<(String, Object)>;

/// Where a picture comes from.
enum Origin<'a> {
    /// An address that everybody can read.
    Address(&'a str),
    /// A file here.
    File(&'a str),
}

/// Tells whether an object asks for a picture to be inserted.
pub(super) fn is_new(object: &Object) -> bool {
    object.id.as_deref() == Some(NEW) && object.kind == "image"
}

/// Reads where a new picture comes from.
///
/// # Errors
///
/// A sentence that says what cannot be.
fn origin(object: &Object) -> Result<Origin<'_>, String> {
    let named = object.title.as_deref().map(str::trim).filter(|named| !named.is_empty());
    let Some(named) = named else { return Err("a new picture is named by a path or an https address".into()) };
    if named.starts_with("https://") {
        if named.len() > PICTURE_URI_BYTES_MAX {
            return Err(format!("the address of a picture has at most {PICTURE_URI_BYTES_MAX} bytes"));
        }
        if named.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err("the address of a picture holds a blank; write it as %20".into());
        }
        return Ok(Origin::Address(named));
    }
    if named.starts_with("http://") {
        return Err(format!("`{named}` is no https address, and Google Docs is given no other"));
    }
    let scheme = named.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| scheme.len() > 1);
    if scheme.is_some_and(|scheme| scheme.bytes().all(|b| b.is_ascii_alphanumeric())) {
        return Err(format!("`{named}` is neither an https address nor a path"));
    }
    if named.contains('\0') {
        return Err("a path holds no NUL".into());
    }
    Ok(Origin::File(named))
}

/// Tells whether the picture that an object asks for can be inserted.
///
/// # Errors
///
/// A sentence that says why not.
pub(super) fn can_be_had(object: &Object, pictures: &Pictures) -> Result<(), String> {
    origin(object).and_then(|origin| match origin {
        Origin::Address(name) | Origin::File(name) => pictures.named.get(name).cloned().unwrap_or(Ok(())),
    })
}

/// Takes the objects out of a file that were copied from another document: their ids mean nothing here, and the words
/// around them do without. A paragraph that holds nothing else goes whole.
pub(super) fn leave_out_foreign(local: &mut Flat, tab: &DocumentTab) {
    let foreign = |run: &Run| match &run.content {
        RunContent::Object(object) if matches!(&*object.kind, "image" | "drawing" | "chart") => object
            .id
            .as_ref()
            .filter(|id| *id != NEW)
            .is_some_and(|id| !tab.inline_objects.contains_key(id) && !tab.positioned_objects.contains_key(id)),
        RunContent::Object(_) | RunContent::Text(_) | RunContent::Anchor(_) | RunContent::FootnoteReference(_) => false,
    };
    for at in (0..local.tree.blocks.len()).rev() {
        let Some(block) = local.tree.blocks.get_mut(at) else { continue };
        let found: Vec<Object> = block
            .content
            .runs()
            .into_iter()
            .filter(|run| foreign(run))
            .filter_map(|run| if let RunContent::Object(object) = &run.content { Some(object.clone()) } else { None })
            .collect();
        if found.is_empty() {
            continue;
        }
        local.findings.extend(found.iter().map(|object| (block.span.0.start, "IMAGE", no_object_here(object))));
        paragraphs(&mut block.content, &mut |runs, one_line| leave_out(runs, &foreign, one_line));
        let is_paragraph = !matches!(block.content, Content::Table { .. } | Content::Footnote { .. });
        if is_paragraph && block.content.runs().is_empty() {
            local.remove(at);
        }
    }
}

/// Puts what is tethered to a paragraph before all of its text, as the document has it, wherever in it the file does.
pub(super) fn put_tethered_first(local: &mut Flat, tab: &DocumentTab) {
    let is_tethered = |run: &Run| match &run.content {
        RunContent::Object(object) => object.id.as_ref().is_some_and(|id| tab.positioned_objects.contains_key(id)),
        RunContent::Text(_) | RunContent::Anchor(_) | RunContent::FootnoteReference(_) => false,
    };
    if tab.positioned_objects.is_empty() {
        return;
    }
    for block in &mut local.tree.blocks {
        paragraphs(&mut block.content, &mut |runs, one_line| {
            if !runs.iter().skip_while(|run| is_tethered(run)).any(is_tethered) {
                return;
            }
            let tethered: Vec<Run> = runs.iter().filter(|run| is_tethered(run)).cloned().collect();
            leave_out(runs, &is_tethered, one_line);
            runs.splice(0..0, tethered);
        });
    }
}

/// Goes through the paragraphs of a block, and tells of each whether it is one line.
pub(super) fn paragraphs(content: &mut Content, act: &mut impl FnMut(&mut Vec<Run>, bool)) {
    match content {
        Content::Heading { runs, .. } => act(runs, true),
        Content::Paragraph { runs } | Content::Item { runs, .. } | Content::ItemParagraph { runs, .. } => {
            act(runs, false);
        }
        Content::Table { rows, .. } => rows.iter_mut().flatten().flatten().for_each(|runs| act(runs, true)),
        Content::Footnote { paragraphs, .. } => paragraphs.iter_mut().for_each(|runs| act(runs, false)),
        Content::Code { .. } | Content::Rule | Content::Directive { .. } => {}
    }
}

/// Gives the objects of a file the type and the text that the document has for their ids: no request sets them.
pub(super) fn keep_descriptions(local: &mut Flat, remote: &Tree) {
    let object = |run: &Run| if let RunContent::Object(object) = &run.content { Some(object.clone()) } else { None };
    let there = remote.blocks.iter().flat_map(|block| block.content.runs()).filter_map(object);
    let known: BTreeMap<String, Object> = there.filter_map(|object| Some((object.id.clone()?, object))).collect();
    for block in &mut local.tree.blocks {
        for run in block.content.runs_mut() {
            let RunContent::Object(object) = &mut run.content else { continue };
            let Some(known) = object.id.as_ref().and_then(|id| known.get(id)).filter(|known| **known != *object) else {
                continue;
            };
            let id = known.id.as_deref().unwrap_or_default();
            let stays = known.title.as_ref().map_or("none".to_owned(), |title| format!("`{title}`"));
            let what = format!(
                "the API can set neither the type nor the description of an object: `{id}` is of type `{}`, and its \
                 description stays {stays}",
                known.kind
            );
            local.findings.push((block.span.0.start, "OBJECT_TEXT", what));
            object.clone_from(known);
        }
    }
}

/// Takes runs out of a paragraph, each with one of the two blanks around it.
pub(super) fn leave_out(runs: &mut Vec<Run>, goes: &impl Fn(&Run) -> bool, one_line: bool) {
    let mut kept: Vec<Run> = Vec::with_capacity(runs.len());
    let mut gone = false;
    for mut run in std::mem::take(runs) {
        if goes(&run) {
            gone = true;
            continue;
        }
        let blank =
            kept.last().is_none_or(|last| matches!(&last.content, RunContent::Text(text) if text.ends_with(' ')));
        if let RunContent::Text(text) = &mut run.content
            && std::mem::take(&mut gone)
            && blank
            && text.starts_with(' ')
        {
            text.remove(0);
            if text.is_empty() {
                continue;
            }
        }
        kept.push(run);
    }
    kept.retain(|run| !matches!(&run.content, RunContent::Text(text) if text.is_empty()));
    *runs = normalize_runs(kept, one_line);
}

/// Why an object of another document does not come with its words.
pub(super) fn no_object_here(object: &Object) -> String {
    let (id, kind) = (object.id.as_deref().unwrap_or_default(), &object.kind);
    let instead = if kind == "image" {
        "write `{^= new image \"path\"}` with the file of the picture, which stands beside the file that it was copied from"
    } else {
        "the API cannot make one; a picture of it can be inserted with `{^= new image \"path\"}`"
    };
    format!("`{id}` is no {kind} of this text, and the id of another document or tab means nothing here: {instead}")
}

/// Finds the files that a text names as new pictures, each once.
pub(crate) fn named_files(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if !text.contains(NEW) {
        return found;
    }
    for block in parse(text).tree.blocks {
        for run in block.content.runs() {
            let RunContent::Object(object) = &run.content else { continue };
            if is_new(object)
                && let Ok(Origin::File(path)) = origin(object)
                && !found.iter().any(|other| other == path)
            {
                found.push(path.to_owned());
            }
        }
    }
    found
}

impl Planner<'_> {
    /// Tells of a token that is a new picture whether it can be inserted into `segment`; `None` for every other token.
    pub(super) fn new_picture(&self, token: &Token, segment: Option<&str>) -> Option<Result<(), String>> {
        let Token::Object(object) = token else { return None };
        if !is_new(object) {
            return None;
        }
        if segment.is_some() {
            return Some(Err("Docs takes no picture into a footnote".into()));
        }
        Some(can_be_had(object, self.pictures))
    }
}

/// Plans the insertion of the pictures for which a place is held in the text, the last first; each takes its place.
/// `uploads` gathers the files that must be uploaded for it.
///
/// # Errors
///
/// A sentence, when the blocks are not those that were expected.
pub(super) fn insertions(
    after: &Extract,
    expected: &[Expected],
    (tab, carried): (Option<&str>, &Carried),
    uploads: &mut Vec<String>,
) -> Result<(Vec<Request>, Vec<NewPicture>), String> {
    let (mut requests, mut pictures) = (Vec::new(), Vec::new());
    let found: Vec<_> = contents(after).map(|(_, origin)| origin).collect();
    for (block, expected) in expected.iter().enumerate() {
        let What::Edited { lines: wanted, .. } = &expected.what else { continue };
        if !wanted.iter().flatten().any(|wanted| matches!(&wanted.token, Token::Object(object) if is_new(object))) {
            continue;
        }
        let found = found.get(block).map(|origin| lines(origin)).unwrap_or_default();
        for (line, wanted) in wanted.iter().enumerate() {
            let units = found.get(line).map(|line| line.units.as_slice()).unwrap_or_default();
            // Leading tabs that tell a depth may stand before, so the places are counted, not measured.
            let mut held = units.iter().filter(|unit| unit.token == Token::Char(PLACEHOLDER));
            for (token, wanted) in wanted.iter().enumerate() {
                let object = match &wanted.token {
                    Token::Object(object) if is_new(object) => object,
                    Token::Char(PLACEHOLDER) => {
                        held.next();
                        continue;
                    }
                    Token::Char(_) | Token::Object(_) | Token::Footnote(_) | Token::Anchor(_) => continue,
                };
                let at = held.next().ok_or("the place of a new picture would be missing")?.at;
                pictures.push(NewPicture { block, line, token, at, object: (**object).clone() });
            }
        }
    }
    for picture in pictures.iter().rev() {
        let uri = match origin(&picture.object)? {
            Origin::Address(address) => address.to_owned(),
            Origin::File(path) => {
                let index = uploads.iter().position(|other| other == path).unwrap_or_else(|| {
                    uploads.push(path.to_owned());
                    uploads.len() - 1
                });
                upload_address(index)
            }
        };
        let location = Location { index: picture.at, segment_id: None, tab_id: tab.map(ToOwned::to_owned) };
        requests.push(Request::InsertInlineImage(InsertInlineImage {
            uri,
            object_size: carried.size(&picture.object),
            location: Some(location),
            ..Default::default()
        }));
        requests.push(delete_range(None, tab, picture.at + 1, picture.at + 2));
    }
    Ok((requests, pictures))
}

/// Takes the pictures that now stand there for those that were wanted.
///
/// # Errors
///
/// A sentence, when one does not stand where it was put.
pub(super) fn arrived(
    after: &Extract,
    expected: &mut [Expected],
    pictures: Vec<NewPicture>,
) -> Result<Inserted, String> {
    let found: Vec<_> = contents(after).map(|(_, origin)| origin).collect();
    let mut inserted = Inserted::new();
    for picture in pictures {
        let lines = found.get(picture.block).map(|origin| lines(origin)).unwrap_or_default();
        let units = lines.get(picture.line).map(|line| line.units.as_slice()).unwrap_or_default();
        let unit = units.iter().find(|unit| unit.at == picture.at);
        let Some(Token::Object(object)) = unit.map(|unit| &unit.token) else {
            return Err("a new picture would not stand where the file has it".into());
        };
        let wanted = match expected.get_mut(picture.block).map(|expected| &mut expected.what) {
            Some(What::Edited { lines, .. }) => {
                lines.get_mut(picture.line).and_then(|line| line.get_mut(picture.token))
            }
            Some(What::Kept(_)) | None => None,
        };
        if let Some(wanted) = wanted {
            wanted.token = Token::Object(object.clone());
        }
        inserted.extend(object.id.clone().map(|id| (id, picture.object)));
    }
    Ok(inserted)
}

/// Writes the new pictures of a tree as the file does: nobody knows yet which ids Google gives.
pub(super) fn as_written(tree: &mut Tree, inserted: &Inserted) {
    if inserted.is_empty() {
        return;
    }
    for run in tree.blocks.iter_mut().flat_map(|block| block.content.runs_mut()) {
        if let RunContent::Object(object) = &mut run.content
            && let Some((_, written)) = inserted.iter().find(|(id, _)| object.id.as_ref() == Some(id))
        {
            object.clone_from(written);
        }
    }
}

/// Writes the new pictures of a file that were inserted as the document has them; the rest stays to be inserted.
pub(super) fn as_inserted(tree: &mut Tree, inserted: &Inserted) {
    let mut left = inserted.iter().peekable();
    for run in tree.blocks.iter_mut().flat_map(|block| block.content.runs_mut()) {
        if let RunContent::Object(object) = &mut run.content
            && let Some((id, _)) = left.next_if(|(_, written)| written == object)
        {
            *object = Object { id: Some(id.clone()), kind: "image".into(), title: None };
        }
    }
}

/// The pictures that stand in a document of which the file names as many new ones: those that the batch before made.
pub(super) fn made_before(remote: &Tree, local: &Tree) -> Inserted {
    let objects = |tree: &'_ Tree, fits: &dyn Fn(&Object) -> bool| -> Vec<Object> {
        let runs = tree.blocks.iter().flat_map(|block| block.content.runs());
        let objects = runs.filter_map(|run| match &run.content {
            RunContent::Object(object) => Some(object),
            RunContent::Text(_) | RunContent::Anchor(_) | RunContent::FootnoteReference(_) => None,
        });
        objects.filter(|object| fits(object)).cloned().collect()
    };
    let there = objects(remote, &|object| object.kind == "image");
    let here = objects(local, &is_new);
    if there.len() != here.len() {
        return Inserted::new();
    }
    there.into_iter().zip(here).filter_map(|(there, here)| Some((there.id?, here))).collect()
}
