//! The files of a document: one for its main tab, and one for each other.

use mcp_workspace::model::{ItemId, PartId};

/// What the name of a conflict file ends with.
pub(crate) const CONFLICT: &str = ".conflict.md";

/// One file of a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct File {
    pub(crate) item: ItemId,
    pub(crate) part: PartId,
}

impl File {
    /// The file of a document's main tab.
    pub(crate) fn main(item: &ItemId) -> Self {
        Self::of(item, &PartId::default())
    }

    /// The file of a tab.
    pub(crate) fn of(item: &ItemId, part: &PartId) -> Self {
        Self { item: item.clone(), part: part.clone() }
    }

    /// The file that has a name; `None` for what is no document's.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(".md").filter(|stem| !stem.starts_with('.') && !name.ends_with(CONFLICT))?;
        let (item, part) = stem.split_once('.').unwrap_or((stem, ""));
        Some(Self { item: ItemId(item.to_owned()), part: PartId(part.to_owned()) })
    }

    /// The file of which a name is that of the conflict file.
    pub(crate) fn in_conflict(name: &str) -> Option<Self> {
        Self::named(&format!("{}.md", name.strip_suffix(CONFLICT)?))
    }

    fn stem(&self) -> String {
        let Self { item, part } = self;
        if part.0.is_empty() { item.0.clone() } else { format!("{item}.{part}") }
    }

    /// Its name.
    pub(crate) fn name(&self) -> String {
        format!("{}.md", self.stem())
    }

    /// The name of what shows what it is in conflict about.
    pub(crate) fn conflict_name(&self) -> String {
        format!("{}{CONFLICT}", self.stem())
    }

    /// The name of what a program keeps beside it for itself.
    pub(crate) fn beside(&self, what: &str) -> String {
        format!(".{}.{what}", self.stem())
    }
}
