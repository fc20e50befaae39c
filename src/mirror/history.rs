//! Looking back: what was pushed and pulled, and taking a push back.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::blocking;
use super::editing::{held, read, save, unreadable};
use super::failure::once;
use super::handle::MirrorHandle;
use super::report::PushReport;
use crate::error::{Error, Result};
use crate::model::{Account, ItemId, Notice, PartId};
use crate::store::{LogLine, StoredPush};
use crate::sync::{Command, JobId, Undone};
use crate::workspace::layout::Place;

/// What was pushed and pulled, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogReport {
    /// The account.
    pub account: Account,
    /// Each with the file that it is about.
    pub lines: Vec<(LogLine, PathBuf)>,
}

/// What became of a push that was taken back.
#[derive(Debug, Clone, PartialEq)]
pub enum UndoReport {
    /// The file says what it said without it, and this became of pushing that.
    Pushed(PushReport),
    /// Nothing of it stood in the file any more, and something of the file waits: perhaps that.
    Waits(PushReport),
    /// Nothing of it stood there any more.
    Nothing {
        /// The item.
        item: ItemId,
        /// Its file.
        path: PathBuf,
    },
}

impl MirrorHandle {
    /// Tells what was pushed and pulled, newest first; of one item when an id, a URL or a path names one.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when nothing is named so; `Storage` as it comes.
    pub async fn log(&self, id_or_url: Option<&str>, limit: usize) -> Result<LogReport> {
        let item = id_or_url.map(|name| self.item(name)).transpose()?;
        let shared = self.shared_arc();
        let account = self.account().clone();
        blocking(move || {
            let lines = shared.reader().log(item.as_ref(), limit)?;
            let placed = |line: LogLine| {
                let path = shared.workspace.layout().path(&Place::file(&line.item, &line.part))?;
                Ok((line, path))
            };
            Ok(LogReport { account, lines: lines.into_iter().map(placed).collect::<Result<_>>()? })
        })
        .await
    }

    /// Tells whether a push of this number landed here.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub async fn has_push(&self, push: JobId) -> Result<bool> {
        let shared = self.shared_arc();
        blocking(move || Ok(shared.reader().push(push)?.is_some())).await
    }

    /// Takes a push back: the file is saved without it, and that edit is pushed like any other. What was written since stays.
    ///
    /// # Errors
    ///
    /// `NotFound` when no such push landed; `InvalidInput` when its texts are not kept any more, when what it wrote was edited
    /// since, when the file is held, or when it cannot be read; else as [`MirrorHandle::push`].
    pub async fn undo(&self, push: JobId) -> Result<UndoReport> {
        self.check_writable().await?;
        let shared = self.shared_arc();
        if let Some(path) = self.file_of(push).await? {
            // What a person is to be asked about must not go along, and a save may be half of one until it stands still.
            let report = self.push(&path, false, false).await?;
            if let Some(held) = report.held.first() {
                return Err(waits(push, held));
            }
            if report.saving {
                return Err(unreadable(&path, "it is being saved", "Ask again when it is; nothing was changed."));
            }
        }
        type Taken = (ItemId, PartId, PathBuf, Option<(String, String)>);
        let saved = blocking(move || -> Result<Taken> {
            let Some(stored) = shared.reader().push(push)? else {
                return Err(Error::NotFound { id: format!("push {}", push.0) });
            };
            let path = shared.workspace.layout().path(&Place::file(&stored.item, &stored.part))?;
            let StoredPush { item, part, texts, .. } = stored;
            let Some((before, after)) = texts else { return Err(too_old(push)) };
            if shared.reader().item(&item)?.is_none() {
                return Err(not_mirrored(push, &item));
            }
            let (stamp, now) = read(&shared, &item, &part, &path)?;
            // Nor does what was saved since the look above go along.
            if let Some(held) = held(&shared, &item, &part, &now)? {
                return Err(waits(push, &held));
            }
            match Undone::of(&before, &after, &now) {
                Undone::Nothing => Ok((item, part, path, None)),
                Undone::Edited(sections) => Err(Error::InvalidInput {
                    what: format!("what push {} wrote was edited since, in {}", push.0, sections.join(", ")),
                    suggestion:
                        "Nothing was changed. Where `mcp-workspace log FILE` has later pushes, take those back first, newest first; \
                         what was written in the Doc since is nobody's to take back, so edit the file."
                            .into(),
                }),
                // To all others this is a save as an editor makes one.
                Undone::Edit(text) if save(&shared, (&item, &part), &text, stamp)? => {
                    Ok((item, part, path, Some((before, after))))
                }
                Undone::Edit(_) => Err(unreadable(&path, "it was saved just now", "Ask again; nothing was changed.")),
            }
        });
        let (item, part, path, edited) = saved.await?;
        let report = self.push(&path, false, false).await;
        let report = report.map_err(|error| if edited.is_some() { later(push, error) } else { error })?;
        if let Some((before, after)) = edited.clone() {
            // An editor may have saved over it what it had read before.
            let (shared, id, at) = (self.shared_arc(), item.clone(), path.clone());
            let (_, now) = blocking(move || read(&shared, &id, &part, &at)).await?;
            if let Undone::Edit(_) = Undone::of(&before, &after, &now) {
                return Err(unreadable(
                    &path,
                    "it was saved while the push was taken back, and says that again",
                    "Ask again.",
                ));
            }
        }
        // It may be out of the file, and wait on its way to the document.
        let waits = !(report.conflicts.is_empty() && report.held.is_empty() && report.refused.is_empty());
        Ok(match (edited, waits) {
            (Some(_), _) => UndoReport::Pushed(report),
            (None, _) if report.pushed => UndoReport::Pushed(report),
            (None, true) => UndoReport::Waits(report),
            (None, false) => UndoReport::Nothing { item, path },
        })
    }

    /// Returns the file that a push was made of, if its item is mirrored and the file stands.
    async fn file_of(&self, push: JobId) -> Result<Option<PathBuf>> {
        let shared = self.shared_arc();
        blocking(move || {
            let Some(stored) = shared.reader().push(push)? else { return Ok(None) };
            let path = shared.workspace.layout().path(&Place::file(&stored.item, &stored.part))?;
            Ok((shared.reader().item(&stored.item)?.is_some() && path.is_file()).then_some(path))
        })
        .await
    }

    /// Moves an item to the trash of its service, where its owner can bring it back for a while; its files are put away. Returns
    /// the item, how many files were put away, and those that somebody saved meanwhile, which stay.
    ///
    /// # Errors
    ///
    /// `NotFound` when it is not mirrored; `InvalidInput` when a file holds edits that the document does not have, or it is named by the
    /// file of one of its tabs; permission and network errors as they come: then nothing was put away.
    pub async fn trash(&self, id_or_url: &str) -> Result<(ItemId, usize, Vec<PathBuf>)> {
        self.check_writable().await?;
        let item = self.item(id_or_url)?;
        let Some(report) = self.lookup(&item.0).await? else { return Err(Error::NotFound { id: id_or_url.into() }) };
        if self.place(Path::new(id_or_url)).is_ok_and(|place| place.part != PartId::default()) {
            return Err(Error::InvalidInput {
                what: format!("{id_or_url} is one part of {item}, and all of that would go into the trash"),
                suggestion: format!(
                    "Delete a tab in the document itself; to trash the whole of it, name it: `mcp-workspace trash {item}`."
                ),
            });
        }
        let mut files: Vec<PathBuf> = Vec::new();
        for part in &report.parts {
            files.extend(part.path.symlink_metadata().is_ok().then(|| part.path.clone()));
            let settled = self.settled_file(&part.path).await?;
            if settled.is_some_and(|(_, is_settled)| !is_settled) || self.has_edits(&part.path).await? {
                return Err(Error::InvalidInput {
                    what: format!(
                        "{}, or what was saved in place of a link to it, holds edits that the document does not have",
                        part.path.display()
                    ),
                    suggestion: "Push them, or take them back, first; nothing was trashed.".into(),
                });
            }
        }
        if let Some(stray) = self.strays_of(&item, &report).await?.first() {
            return Err(Error::InvalidInput {
                what: format!(
                    "{} stands there, of which the document has no tab any more; nobody knows whether it holds edits",
                    stray.display()
                ),
                suggestion: "Take what you need from it and delete it, first; nothing was trashed.".into(),
            });
        }
        let (kind, id) = (self.shared().kind.clone(), item.clone());
        // In a task of its own, a caller who gives up waiting does not cut it in half.
        let trashed = tokio::spawn(async move { kind.trash(&id).await }).await;
        trashed
            .map_err(|panic| Error::ExtractionFailed { id: "the item".into(), source: panic.into() })?
            .map_err(|error| once(error, "trash it"))?;
        match self.done(&item, Command::Trashed(item.clone())).await {
            // Which is what was to be.
            Ok(_) | Err(Error::Trashed { .. } | Error::NotFound { .. }) => {
                let (stay, away): (Vec<_>, Vec<_>) =
                    files.into_iter().partition(|file| file.symlink_metadata().is_ok());
                Ok((item, away.len(), stay))
            }
            Err(error) => Err(error),
        }
    }
}

fn waits(push: JobId, held: &Notice) -> Error {
    Error::InvalidInput {
        what: format!("push {} cannot be taken back while the file is held ({}): {}", push.0, held.code, held.message),
        suggestion: "Put the file right, or push it, first; nothing was changed.".into(),
    }
}

/// What is told of a push that was taken out of its file, and goes out of the document when that can be reached.
fn later(push: JobId, error: Error) -> Error {
    if !error.retryable() {
        return error;
    }
    Error::Told {
        kind: error.kind(),
        message: format!(
            "push {} is taken back in the file, and not in the document yet: {}",
            push.0,
            error.with_causes()
        ),
        suggestion:
            "Nothing: it is an edit like any other, and goes by itself when it can; `mcp-workspace status` tells."
                .into(),
    }
}

fn not_mirrored(push: JobId, item: &ItemId) -> Error {
    Error::InvalidInput {
        what: format!("push {} was to {item}, which is not mirrored any more", push.0),
        suggestion: format!(
            "Run `mcp-workspace fetch {item}` (what is in the trash must be brought back in Google Drive first), then take the push \
             back; nothing was changed."
        ),
    }
}

fn too_old(push: JobId) -> Error {
    Error::InvalidInput {
        what: format!("push {} is too old, or its texts were damaged: they are not kept any more", push.0),
        suggestion: "Take an older text from the document's own version history.".into(),
    }
}
