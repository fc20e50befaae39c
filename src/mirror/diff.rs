//! What a file says that both sides have not agreed on.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::blocking;
use super::handle::MirrorHandle;
use crate::error::{Error, Result};
use crate::model::{ItemId, PartId};
use crate::sync::{Local, is_edited};
use crate::workspace::layout::Place;

/// What a file would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffReport {
    /// The item.
    pub item: ItemId,
    /// Which of its files.
    pub part: PartId,
    /// The file.
    pub path: PathBuf,
    /// A unified diff from what both sides last agreed on to the file; empty when they say the same.
    pub diff: String,
}

impl MirrorHandle {
    /// Tells what a file would change, as a unified diff from what both sides last agreed on.
    ///
    /// # Errors
    ///
    /// `NotFound` when no item has that file; `InvalidInput` when the file cannot be read as text.
    pub async fn diff(&self, path: &Path) -> Result<DiffReport> {
        let Place { item, part, .. } = self.place(path)?;
        let shared = self.shared_arc();
        blocking(move || {
            let path = shared.workspace.layout().path(&Place::file(&item, &part))?;
            let bases = shared.reader().bases(&item)?;
            let Some((_, base)) = bases.into_iter().find(|(other, _)| *other == part) else {
                return Err(Error::NotFound { id: path.display().to_string() });
            };
            let now = match shared.workspace.observe(&item, &part)? {
                Local::Text { text, .. } => text,
                Local::Absent if shared.reader().is_buried(&item)? => {
                    return Err(Error::Trashed { id: item.0 });
                }
                Local::Absent if shared.reader().item(&item)?.is_none() => {
                    return Err(Error::NotFound { id: path.display().to_string() });
                }
                Local::Absent => {
                    return Err(Error::InvalidInput {
                        what: format!("{} is not there", path.display()),
                        suggestion: "Write it back with `mcp-workspace restore`.".into(),
                    });
                }
                Local::Unusable { notice } => {
                    return Err(Error::InvalidInput { what: notice.to_string(), suggestion: notice.message });
                }
                Local::Restless => {
                    return Err(Error::InvalidInput {
                        what: format!("{} is being written", path.display()),
                        suggestion: "Ask again when it is saved.".into(),
                    });
                }
            };
            let diff = similar::TextDiff::from_lines(&base, &now);
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let text =
                diff.unified_diff().context_radius(3).header(&format!("a/{name}"), &format!("b/{name}")).to_string();
            Ok(DiffReport { item, part, path, diff: if is_edited(&base, &now) { text } else { String::new() } })
        })
        .await
    }

    /// Tells whether a file says anything that both sides have not agreed on.
    pub(super) async fn has_edits(&self, path: &Path) -> Result<bool> {
        if path.symlink_metadata().is_err() {
            return Ok(false);
        }
        match self.diff(path).await {
            Ok(diff) => Ok(!diff.diff.is_empty()),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
