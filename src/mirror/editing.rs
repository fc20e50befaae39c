//! Edits that a program asks for: the file is saved with them as an editor would do it, and that is pushed like any other save.

use std::path::{Path, PathBuf};

use super::handle::MirrorHandle;
use super::report::PushReport;
use super::{Shared, blocking};
use crate::error::{Error, Result};
use crate::kinds::{Elements, Facts, Listing, Look, Restyled, StyleDefinition};
use crate::model::{ItemId, Notice, PartId, Stamp};
use crate::sync::{Local, hold, is_edited};
use crate::workspace::NotDeposited;
use crate::workspace::layout::Place;

/// How often a save is pushed once more that a push has passed by, at most.
const AGAIN_MAX: usize = 3;

impl MirrorHandle {
    /// Reads a mirrored file as it stands.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when no item has that file, or when it cannot be read.
    pub async fn text(&self, path: &Path) -> Result<String> {
        let (shared, place, path) = (self.shared_arc(), self.place(path)?, path.to_owned());
        blocking(move || read(&shared, &place.item, &place.part, &path).map(|(_, text)| text)).await
    }

    /// Saves `text` in a mirrored file that says `was`, and pushes it; `None` when it says something else by now, and nothing was
    /// done. While what the file says is held, only a text is saved that brings most of it back: what a person was to be asked
    /// about must not go along with a later edit. After an error the file says `was`, unless somebody saved it meanwhile, so that
    /// the same edit may be asked for again.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when no item has that file, or when it cannot be read; `ReadOnly`; `MirrorOnly`; else as
    /// [`MirrorHandle::push`].
    pub async fn edit(&self, path: &Path, was: &str, text: &str) -> Result<Option<PushReport>> {
        self.check_writable().await?;
        let place = self.place(path)?;
        let is_held = was != text && self.is_held(&place).await?;
        let edit = FileEdit { path: path.to_owned(), was: was.to_owned(), text: text.to_owned() };
        let (shared, of, saving) = (self.shared_arc(), place.clone(), edit.clone());
        let save = move || {
            // It may have been saved just now, so that it is not held yet.
            let is_held =
                is_held || saving.was != saving.text && held(&shared, &of.item, &of.part, &saving.was)?.is_some();
            saving.save(&shared, &of, is_held)
        };
        match blocking(save).await? {
            Saved::Moved => return Ok(None),
            Saved::Held => {
                let report = self.push(path, false, false).await?;
                return Ok(Some(PushReport { unsaved: true, ..report }));
            }
            Saved::Yes => {}
        }
        let mut pushed = self.push(path, false, false).await;
        if matches!(pushed, Err(Error::Network { .. })) {
            // It may have landed without an answer. Whoever asks anew hears that at once, also where earlier failures made the
            // first one wait; taken back unlooked, what has landed would be taken out of the item again.
            pushed = self.push(path, false, false).await;
        }
        for _ in 0..AGAIN_MAX {
            let is_passed_by = pushed.as_ref().is_ok_and(passes_by) && self.differs(&place, &edit.text).await?;
            if !is_passed_by {
                break;
            }
            // The walk had read the file before the save, or while another was settling; the one after it has this.
            pushed = self.push(path, false, false).await;
        }
        match pushed {
            Ok(report) => Ok(Some(report)),
            Err(error) => {
                let shared = self.shared_arc();
                let back = blocking(move || edit.taken_back().save(&shared, &place, false)).await;
                tracing::debug!(?back, %error, "an edit that did not go is taken back");
                Err(error)
            }
        }
    }

    /// Tells whether a text says anything that a file and its item have not agreed on.
    async fn differs(&self, place: &Place, text: &str) -> Result<bool> {
        let (shared, Place { item, part, .. }, text) = (self.shared_arc(), place.clone(), text.to_owned());
        blocking(move || Ok(base(&shared, &item, &part)?.is_some_and(|base| is_edited(&base, &text)))).await
    }

    /// Tells whether what a file says waits for a person.
    async fn is_held(&self, place: &Place) -> Result<bool> {
        let items = self.status_of(&place.item).await?.items.into_iter();
        let mut parts = items.flat_map(|item| item.parts).filter(|part| part.part == place.part);
        Ok(parts.any(|part| !part.held.is_empty()))
    }

    /// Lists items of the remote, mirrored or not; see [`crate::kinds::Kind::list`].
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    pub async fn list(&self, query: &str, limit: usize) -> Result<Listing> {
        self.shared().kind.list(query, limit).await
    }

    /// Reads how the kinds of paragraphs of a tab look; see [`crate::kinds::Kind::styles`].
    ///
    /// # Errors
    ///
    /// `NotFound` and `TabNotFound`; network and permission errors as they come.
    pub async fn styles(&self, id_or_url: &str, tab: &str) -> Result<Vec<StyleDefinition>> {
        self.shared().kind.styles(&self.item(id_or_url)?, tab).await
    }

    /// Makes the kinds of paragraphs of a tab look so, and lets the mirrored file follow; see [`crate::kinds::Kind::restyle`]. No text
    /// is changed and the same once more changes nothing, so the journal has no part in it.
    ///
    /// # Errors
    ///
    /// `MirrorOnly`; else as [`crate::kinds::Kind::restyle`].
    pub async fn restyle(&self, id_or_url: &str, tab: &str, styles: &[StyleDefinition]) -> Result<Restyled> {
        self.check_writable().await?;
        let item = self.item(id_or_url)?;
        let restyled = self.shared().kind.restyle(&item, tab, styles).await?;
        self.fetch(&item.0).await?;
        Ok(restyled)
    }

    /// Reads what the service answers when it is asked for an item; see [`crate::kinds::Kind::raw`].
    ///
    /// # Errors
    ///
    /// `NotFound`; network and permission errors as they come.
    pub async fn raw(&self, id_or_url: &str) -> Result<serde_json::Value> {
        self.shared().kind.raw(&self.item(id_or_url)?).await
    }

    /// Lists what stands in the bodies of an item's tabs; see [`crate::kinds::Kind::elements`].
    ///
    /// # Errors
    ///
    /// `NotFound` and `TabNotFound`; network and permission errors as they come.
    pub async fn elements(&self, id_or_url: &str, tab: &str) -> Result<Elements> {
        self.shared().kind.elements(&self.item(id_or_url)?, tab).await
    }

    /// Sets looks on a range of a tab, and lets the mirrored file follow; see [`crate::kinds::Kind::dress`]. As with
    /// [`MirrorHandle::restyle`], the journal has no part in it.
    ///
    /// # Errors
    ///
    /// `MirrorOnly`; else as [`crate::kinds::Kind::dress`].
    pub async fn dress(&self, id_or_url: &str, tab: &str, range: (u32, u32), look: &Look) -> Result<Vec<String>> {
        self.check_writable().await?;
        let item = self.item(id_or_url)?;
        let applied = self.shared().kind.dress(&item, tab, range, look).await?;
        self.fetch(&item.0).await?;
        Ok(applied)
    }

    /// Leaves a text that is too long for an answer in a file of its own, which is gone with the next start.
    ///
    /// # Errors
    ///
    /// `Disk` when it cannot be written.
    pub async fn leave(&self, name: &str, text: String) -> Result<PathBuf> {
        let (shared, name) = (self.shared_arc(), name.to_owned());
        blocking(move || shared.workspace.leave(&name, &text)).await
    }

    /// Asks what an item is, mirrored or not, and what the account may do with it.
    ///
    /// # Errors
    ///
    /// `NotFound` when the id is unknown or hidden; network errors as they come.
    pub async fn facts(&self, id_or_url: &str) -> Result<Facts> {
        self.shared().kind.facts(&self.item(id_or_url)?).await
    }
}

/// Tells whether nothing went with a push, and nothing says why.
fn passes_by(report: &PushReport) -> bool {
    let PushReport { pushed, hidden, refused, held, unsaid, conflicts, .. } = report;
    !pushed && !hidden && refused.is_empty() && held.is_empty() && unsaid.is_empty() && conflicts.is_empty()
}

/// An edit of a whole file.
#[derive(Debug, Clone)]
struct FileEdit {
    path: PathBuf,
    was: String,
    text: String,
}

/// What became of a save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Saved {
    /// The file says it.
    Yes,
    /// The file says something else by now.
    Moved,
    /// What the file says is held, and this does not bring it back.
    Held,
}

impl FileEdit {
    /// Saves it where the file says what it did.
    fn save(&self, shared: &Shared, Place { item, part, .. }: &Place, is_held: bool) -> Result<Saved> {
        if shared.reader().item(item)?.is_some_and(|stored| !stored.can_edit) {
            return Err(Error::ReadOnly { id: item.0.clone(), reason: "the account may not edit it".into() });
        }
        let (stamp, now) = read(shared, item, part, &self.path)?;
        if now != self.was {
            return Ok(Saved::Moved);
        }
        if now == self.text {
            return Ok(Saved::Yes);
        }
        if is_held && base(shared, item, part)?.is_some_and(|base| !hold::brings_back(&base, &self.text)) {
            return Ok(Saved::Held);
        }
        Ok(if save(shared, (item, part), &self.text, stamp)? { Saved::Yes } else { Saved::Moved })
    }

    /// The way back.
    fn taken_back(self) -> Self {
        Self { was: self.text, text: self.was, ..self }
    }
}

/// Returns why a file that says `text` is held, or will be once it stands still.
pub(super) fn held(shared: &Shared, item: &ItemId, part: &PartId, text: &str) -> Result<Option<Notice>> {
    Ok(hold::holds(base(shared, item, part)?.as_deref(), text).into_iter().next())
}

/// Returns what a file and its item have agreed on.
fn base(shared: &Shared, item: &ItemId, part: &PartId) -> Result<Option<String>> {
    let bases = shared.reader().bases(item)?;
    Ok(bases.into_iter().find(|(other, _)| other == part).map(|(_, base)| base))
}

/// Reads a file that is to be edited, and by what it is known again.
pub(super) fn read(shared: &Shared, item: &ItemId, part: &PartId, path: &Path) -> Result<(Stamp, String)> {
    match shared.workspace.observe(item, part)? {
        Local::Text { stamp, text, .. } => Ok((stamp, text)),
        Local::Absent => Err(unreadable(path, "it is not there", "Write it back with `restore` first.")),
        Local::Restless => Err(unreadable(path, "it is being written", "Ask again when it is saved.")),
        Local::Unusable { notice } => Err(unreadable(path, &notice.to_string(), "Make it readable first.")),
    }
}

/// Saves a file if it is still the one that was read; tells whether it was. To all others this is a save as an editor makes one.
pub(super) fn save(shared: &Shared, (item, part): (&ItemId, &PartId), text: &str, stamp: Stamp) -> Result<bool> {
    match shared.workspace.deposit(item, part, text, Some(stamp)) {
        Ok(_) => Ok(true),
        Err(NotDeposited::Moved) => Ok(false),
        Err(NotDeposited::Failed(error)) => Err(error),
    }
}

pub(super) fn unreadable(path: &Path, why: &str, suggestion: &str) -> Error {
    Error::InvalidInput { what: format!("{} cannot be edited: {why}", path.display()), suggestion: suggestion.into() }
}
