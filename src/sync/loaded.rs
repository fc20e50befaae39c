//! What the engine is given at its start: what the store knows, and how it is set.

use super::blind::Blind;
use super::event::JobId;
use super::quota::Limits;
use super::told::Told;
use crate::model::{ContentHash, Cursor, ItemId, KindName, Millis, Notice, PartId, Revision, Stamp};

/// What the engine is told of the store at the start.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Every mirrored item.
    pub rows: Vec<Row>,
    /// Pushes that were begun and did not end.
    pub jobs: Vec<OpenJob>,
    /// How far the feed was read; `None` when it never was.
    pub cursor: Option<Cursor>,
    /// Whether a person has paused the account.
    pub paused: bool,
    /// When it was found that the state was lost; `None` when it never was.
    pub lost_at: Option<Millis>,
}

/// A mirrored item as the store knows it.
#[derive(Debug, Clone)]
pub struct Row {
    /// The item.
    pub item: ItemId,
    /// Its kind.
    pub kind: KindName,
    /// Its name.
    pub title: String,
    /// The version that was recorded last.
    pub revision: Option<Revision>,
    /// Whether the account may edit it.
    pub can_edit: bool,
    /// Whether it was not there, or hidden from the account, when it was read last.
    pub gone: bool,
    /// Whether its files are put away until it is there again.
    pub buried: bool,
    /// Its files.
    pub parts: Vec<RowPart>,
}

/// One file of a [`Row`].
#[derive(Debug, Clone)]
pub struct RowPart {
    /// Which file.
    pub part: PartId,
    /// The file's version when it was recorded; `None` when it was absent.
    pub stamp: Option<Stamp>,
    /// Hash of the file's bytes then.
    pub hash: Option<ContentHash>,
    /// Whether its base may be older than the version of the item that was recorded last.
    pub behind: bool,
    /// What a person has yet to be told of pushes that landed.
    pub told: Told,
    /// The save of an older text into which what it lacked was put back last.
    pub put_back: Option<String>,
    /// What is known of a file of which nothing is known from before.
    pub blind: Option<Blind>,
}

/// A push that was begun and did not end.
#[derive(Debug, Clone)]
pub struct OpenJob {
    /// Its row in the journal.
    pub job: JobId,
    /// The item.
    pub item: ItemId,
    /// Which of its files.
    pub part: PartId,
    /// The version it was planned on.
    pub revision: Revision,
    /// When it was begun.
    pub at: Millis,
    /// Whether Google has said that it landed.
    pub answered: bool,
    /// Whether power may have failed since, so that files may say again what they said before.
    pub power_failed: bool,
    /// What the remote said when it was planned; `None` when nobody kept it.
    pub before: Option<String>,
    /// The text the part has if it landed.
    pub expected: String,
    /// What both sides agree on if it landed; `None` when the stored base serves.
    pub base: Option<String>,
    /// What went with it if it landed.
    pub told: Vec<Notice>,
}

/// How an engine is set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where its chance begins; any number.
    pub seed: u64,
    /// A fixed time between polls in milliseconds; `None` adapts.
    pub poll_ms: Option<u64>,
    /// Count of items that are walked at the same time.
    pub walks_max: usize,
    /// Whether edits of files stay in them: the remote is only mirrored.
    pub read_only: bool,
    /// How many calls it may make in a minute.
    pub limits: Limits,
    /// How a person calls this program in a shell, up to the verb.
    pub command: String,
}

impl Default for Settings {
    fn default() -> Self {
        let command = "mcp-workspace".into();
        Self { seed: 0, poll_ms: None, walks_max: 16, read_only: false, limits: Limits::USER, command }
    }
}
