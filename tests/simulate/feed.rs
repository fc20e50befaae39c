//! Google's change feed, and which accounts reach which documents: who cannot see a document is told that it vanished.

use std::collections::{BTreeMap, BTreeSet};

use mcp_workspace::model::{Cursor, ItemId};

/// What an account may do with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reach {
    /// Read and write it.
    #[default]
    Edit,
    /// Read it.
    Read,
    /// It is in the trash, where it is read and written by who does not ask.
    Trash,
    /// It is not there for the account.
    Nothing,
}

impl Reach {
    /// Tells whether the document is there for an account that asks.
    pub(crate) const fn is_there(self) -> bool {
        matches!(self, Self::Edit | Self::Read)
    }
}

/// What happened to a document.
#[derive(Debug)]
struct Entry {
    item: ItemId,
    revision: u64,
    /// Whose reach has changed; `None` when the document has.
    reach: Option<(usize, Reach)>,
}

/// All that happened, in order; a cursor is a length of it.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: Vec<Entry>,
    /// Where it is not [`Reach::Edit`].
    reach: BTreeMap<(usize, ItemId), Reach>,
}

impl Log {
    /// Notes that a document has changed.
    pub(crate) fn changed(&mut self, item: &ItemId, revision: u64) {
        self.entries.push(Entry { item: item.clone(), revision, reach: None });
    }

    /// Changes what an account may do with a document.
    pub(crate) fn set_reach(&mut self, account: usize, item: &ItemId, reach: Reach, revision: u64) {
        if self.reach(account, item) != reach {
            self.reach.insert((account, item.clone()), reach);
            self.entries.push(Entry { item: item.clone(), revision, reach: Some((account, reach)) });
        }
    }

    /// Returns what an account may do with a document.
    pub(crate) fn reach(&self, account: usize, item: &ItemId) -> Reach {
        self.reach.get(&(account, item.clone())).copied().unwrap_or_default()
    }

    /// Returns what changed and what vanished for an account since `cursor`, without the last `lag` entries.
    pub(crate) fn since(
        &self,
        account: usize,
        cursor: Option<&Cursor>,
        lag: usize,
    ) -> (Vec<ItemId>, Vec<ItemId>, Cursor) {
        let known = self.entries.len().saturating_sub(lag);
        let from: usize = cursor.map_or(known, |cursor| cursor.0.parse().unwrap());
        let known = known.max(from);
        let (mut changed, mut vanished) = (Vec::new(), Vec::new());
        for entry in &self.entries[from..known] {
            let of_account = entry.reach.is_none_or(|(of, _)| of == account);
            match self.reach(account, &entry.item) {
                Reach::Edit | Reach::Read if of_account => changed.push(entry.item.clone()),
                Reach::Trash if of_account => vanished.push(entry.item.clone()),
                Reach::Nothing if of_account && entry.reach.is_some() => vanished.push(entry.item.clone()),
                Reach::Edit | Reach::Read | Reach::Trash | Reach::Nothing => {}
            }
        }
        (changed, vanished, Cursor(known.to_string()))
    }

    /// Returns the newest revision of each document that the feed told an account of up to `cursor`, where the account has
    /// reached the document ever since: a reading that found nothing owes nothing.
    pub(crate) fn owed(&self, account: usize, cursor: &Cursor) -> BTreeMap<&ItemId, u64> {
        let told: usize = cursor.0.parse().unwrap();
        let (mut owed, mut hidden) = (BTreeMap::new(), BTreeSet::new());
        for (at, entry) in self.entries.iter().enumerate() {
            match entry.reach {
                Some((of, _)) if of != account => continue,
                Some((_, reach)) if !reach.is_there() => {
                    hidden.insert(&entry.item);
                    owed.remove(&entry.item);
                }
                Some(_) => drop(hidden.remove(&entry.item)),
                None => {}
            }
            if at < told && !hidden.contains(&entry.item) {
                owed.insert(&entry.item, entry.revision);
            }
        }
        owed
    }
}
