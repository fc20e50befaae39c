//! What a search is asked for, and what it finds.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Account, ItemId, KindName};

/// What is searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The words and operators.
    pub query: String,
    /// Only items of these kinds; of all when there is none.
    #[serde(default)]
    pub kinds: Vec<KindName>,
    /// Only those of this account.
    #[serde(default)]
    pub account: Option<Account>,
    /// Whether the remote is asked, too; else it is when nothing is found here.
    #[serde(default)]
    pub remote: bool,
    /// How many at most.
    pub limit: usize,
    /// How many to skip.
    #[serde(default)]
    pub offset: usize,
}

/// What a search has found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The best first.
    pub hits: Vec<Hit>,
    /// Whether there are more behind them.
    pub more: bool,
    /// Whether the remote was asked.
    pub asked: bool,
    /// What was cut off or could not be asked, each a sentence.
    pub told: Vec<String>,
}

/// One thing found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// The item.
    pub id: ItemId,
    /// Its kind.
    pub kind: KindName,
    /// The account that sees it.
    pub account: Account,
    /// Its name.
    pub title: String,
    /// Words around the match.
    pub snippet: String,
    /// When it was last changed, RFC 3339; empty when that is not known.
    pub modified: String,
    /// Its main file, absolute; `None` for one that is not mirrored.
    pub path: Option<PathBuf>,
    /// Where a person opens one that is not mirrored.
    pub url: String,
}
