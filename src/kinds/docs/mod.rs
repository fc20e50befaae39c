//! Google Docs: extraction, plans, and the calls of the API.

mod adapter;
mod commented;
mod comments;
#[cfg(test)]
mod comments_tests;
mod elements;
mod listing;
mod main_tab;
#[cfg(test)]
mod main_tab_tests;
mod making;
mod places;
mod plan;
mod recognize;
mod styling;
mod text;
mod wire;

pub use adapter::Docs;
pub use main_tab::{adopt_main, keep_main};

use std::collections::BTreeMap;
use std::sync::Arc;

use self::text::{checklist, extract, images, landmarks};
use crate::error::{Error, Result};
use crate::gdocs::{Document, Tab, Ticks};
use crate::kinds::{Comments, Fetched, Lack, Part, Pictures, PushPlan, Reading};
use crate::mebdf;
use crate::model::{Facets, ItemId, KindName, Notice, PartId, Revision};

/// What the account may do with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everything.
    Edit,
    /// Comment only.
    Comment,
    /// Read only.
    Read,
}

impl Access {
    const fn word(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Comment => "comment",
            Self::Read => "read",
        }
    }
}

/// Turns an answer of `documents.get` (with `includeTabsContent=true`) into the files of an item. Pure.
///
/// # Errors
///
/// `ExtractionFailed` when the answer is not a Document.
pub fn read(raw: Vec<u8>, access: Access, url: &str) -> Result<Fetched> {
    let document = document(&raw)?;
    Ok(read_with(raw, document, access, url, &Boxes::NotAsked, |_| Comments::Unread))
}

/// Does the same with a document that is a model already, as an embedded Google has it; the answer that it would be is not kept.
/// Pure.
#[must_use]
pub fn read_model(document: Document, access: Access, url: &str) -> Fetched {
    read_with(Vec::new(), document, access, url, &Boxes::NotAsked, |_| Comments::Unread)
}

/// Does the same with the Markdown export of the document, which tells which boxes are ticked. Pure.
///
/// # Errors
///
/// As [`read`].
pub fn read_exported(raw: Vec<u8>, export: Vec<u8>, access: Access, url: &str) -> Result<Fetched> {
    let document = document(&raw)?;
    Ok(read_with(raw, document, access, url, &Boxes::Told(export), |_| Comments::Unread))
}

/// What tells which boxes of a document's checklists are ticked.
enum Boxes {
    /// Nothing: there are none, or nobody asked.
    NotAsked,
    /// The document as Markdown.
    Told(Vec<u8>),
    /// It could not be had.
    Failed {
        /// Why.
        why: String,
        /// Whether that may pass.
        passes: bool,
    },
}

impl Boxes {
    /// What a person should know about the boxes of a tab, when not all of them are known.
    fn notice(&self, tab: &Tab, unmatched: &BTreeMap<String, usize>) -> Option<Notice> {
        let message = match self {
            Self::Told(_) => {
                let count = unmatched.get(tab.id()).filter(|count| **count > 0)?;
                format!("Google's export of the document does not show {count} of its boxes; they stand here unticked")
            }
            Self::NotAsked => "the API does not tell which boxes of a checklist are ticked".to_owned(),
            Self::Failed { why, .. } => {
                format!("which boxes are ticked could not be read, so they stand as they were last known: {why}")
            }
        };
        let has_boxes = checklist::shown(tab) > 0;
        has_boxes.then(|| Notice { code: "CHECKLIST".into(), line: 0, column: 0, message })
    }

    const fn lack(&self) -> Lack {
        match self {
            Self::NotAsked | Self::Told(_) => Lack::Nothing,
            Self::Failed { passes: true, .. } => Lack::ForNow,
            Self::Failed { passes: false, .. } => Lack::ForGood,
        }
    }
}

/// Makes the files of an answer that was read, with the comments that `comments` writes for it; that may tie them to the
/// text for the plans, which the answer itself does not show.
fn read_with(
    raw: Vec<u8>,
    mut document: Document,
    access: Access,
    url: &str,
    boxes: &Boxes,
    comments: impl FnOnce(&mut Document) -> Comments,
) -> Fetched {
    let known = match boxes {
        Boxes::Told(export) => checklist::read(export, &document),
        Boxes::NotAsked | Boxes::Failed { .. } => checklist::Known::default(),
    };
    let revision = document.revision_id.clone().filter(|revision| !revision.is_empty()).map(Revision);
    let can_edit = access == Access::Edit && revision.is_some();
    let access = if can_edit || access != Access::Edit { access } else { Access::Read };
    let (mut parts, landmarks): (Vec<Part>, _) =
        extract::parts(&document, &known.ticks, access.word(), url).into_iter().unzip();
    for (part, tab) in parts.iter_mut().zip(document.all_tabs()) {
        part.warnings.extend(boxes.notice(tab, &known.unmatched));
    }
    let images = images::images(&document);
    let comments = comments(&mut document);
    let tabs: Vec<String> = document.all_tabs().iter().map(|tab| tab.id().to_owned()).collect();
    let main = tabs.first().filter(|tab| !tab.is_empty()).cloned();
    Fetched {
        id: ItemId(document.document_id.clone()),
        kind: KindName::Docs,
        title: document.title.clone(),
        url: url.to_owned(),
        revision,
        can_edit,
        facets: Facets::default(),
        parts,
        main,
        images,
        comments,
        lack: boxes.lack(),
        raw,
        reading: Reading::new(Read {
            document: Arc::new(document),
            ticks: known.ticks,
            access,
            tabs,
            landmarks,
            unknown: landmarks::Landmarks::default(),
        }),
    }
}

/// Ticks the boxes of a reading that could not be told which are ticked as the last known texts of its parts have them.
///
/// The base of a merge holds what the remote last said, so a box that is taken from there is no change of the remote's;
/// unticked because nobody knows, it would undo the tick in the file, and tick it again with the next reading.
fn recalled(mut fetched: Fetched, known: &[(PartId, String)]) -> Fetched {
    let Some(read) = fetched.reading.get::<Read>() else { return fetched };
    let mut ticks = Ticks::default();
    let all = read.document.all_tabs();
    for (part, text) in known {
        let of_part = |(_, tab): &(&Part, &String)| all.iter().find(|other| other.id() == *tab);
        let mut parts = fetched.parts.iter().zip(&read.tabs).filter(|(other, _)| other.id == *part);
        if let Some(tab) = parts.next().as_ref().and_then(of_part) {
            checklist::recall(&read.document, tab, text, &mut ticks);
        }
    }
    let shown = extract::parts(&read.document, &ticks, read.access.word(), &fetched.url);
    let mut shown: Vec<_> = all.iter().map(|tab| tab.id()).zip(shown).collect();
    let place = |tab: &str| read.tabs.iter().position(|other| other == tab);
    shown.sort_by_key(|(tab, _)| place(tab));
    let mut landmarks = Vec::with_capacity(shown.len());
    for (part, (_, (shown, marks))) in fetched.parts.iter_mut().zip(shown) {
        part.text = shown.text;
        landmarks.push(marks);
    }
    let read = Read {
        document: Arc::clone(&read.document),
        ticks,
        access: read.access,
        tabs: read.tabs.clone(),
        landmarks,
        unknown: landmarks::Landmarks::default(),
    };
    fetched.reading = Reading::new(read);
    fetched
}

/// A document that was read, kept for the plans that are made on it.
struct Read {
    document: Arc<Document>,
    /// The boxes that are ticked.
    ticks: Ticks,
    /// What the head of its files says.
    access: Access,
    /// The tab that each part is of.
    tabs: Vec<String>,
    /// Where the text of each part can be cut.
    landmarks: Vec<landmarks::Landmarks>,
    /// What is known of a text that is none of them.
    unknown: landmarks::Landmarks,
}

/// Plans what makes `part` of `remote` say `desired`; see [`Kind::plan`](crate::kinds::Kind::plan). Pure.
///
/// # Errors
///
/// `ReadOnly`, `NotFound` for an unknown part, `PlanRejected`.
pub fn plan(remote: &Fetched, part: &PartId, desired: &str, accept: bool) -> Result<PushPlan> {
    plan_with(remote, part, desired, accept, &Pictures::default())
}

/// Plans like [`plan()`], with what is known of the files that the text names as new pictures; one that is not among them
/// is taken for a good one. Pure.
///
/// # Errors
///
/// As [`plan()`].
pub fn plan_with(
    remote: &Fetched,
    part: &PartId,
    desired: &str,
    accept: bool,
    pictures: &Pictures,
) -> Result<PushPlan> {
    if !remote.can_edit {
        let reason = "this account may not edit the document".to_owned();
        return Err(Error::ReadOnly { id: remote.id.to_string(), reason });
    }
    let at = remote.parts.iter().position(|other| other.id == *part);
    let text = at.and_then(|at| remote.parts.get(at)).map(|part| part.text.as_str());
    if let (Some(read), Some(text)) = (remote.reading.get::<Read>(), text) {
        let landmarks = at.and_then(|at| read.landmarks.get(at)).unwrap_or(&read.unknown);
        // The main file may be of another tab than the first.
        let tab = at.and_then(|at| read.tabs.get(at)).map_or_else(PartId::default, |tab| PartId(tab.clone()));
        return plan::plan(
            &plan::Source { document: &read.document, ticks: &read.ticks, part: &tab, text, landmarks },
            desired,
            accept,
            pictures,
        );
    }
    // The answer alone does not say which boxes are ticked; the text that was made of it does.
    let document = document(&remote.raw)?;
    let main = remote.main.clone().filter(|_| part.0.is_empty()).map(PartId);
    let part = main.as_ref().unwrap_or(part);
    let mut ticks = Ticks::default();
    if let (Some(tab), Some(text)) = (extract::tab_of(&document, part), text) {
        checklist::recall(&document, tab, text, &mut ticks);
    }
    let head = text.and_then(mebdf::head);
    plan::plan_part((&document, &ticks), head.as_ref(), part, desired, accept, pictures, plan::Scope::Whole)
}

/// Plans what makes a new document, as `documents.create` answers it, say `text`: one plan for each batch that it takes,
/// each on what the model makes of the one before. Pure.
///
/// # Errors
///
/// `ExtractionFailed` when the answer is not a Document; `InvalidInput` when a part of the text cannot be pushed.
pub fn plan_creation(raw: &[u8], text: &str) -> Result<Vec<PushPlan>> {
    plan::try_creation(&document(raw)?, text, &Pictures::default())
}

fn document(raw: &[u8]) -> Result<Document> {
    serde_json::from_slice(raw)
        .map_err(|source| Error::ExtractionFailed { id: "the document".into(), source: Box::new(source) })
}
