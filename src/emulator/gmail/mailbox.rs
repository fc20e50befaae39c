//! A mailbox as data: its messages, labels, drafts and history, and the changes that make it.
//!
//! Raw bytes are the one truth of a message; a thread is nothing but its messages. Every change is a value, so that a
//! mailbox can be made again from the list of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::generate::{self, Letter};
use super::labels::{Label, system_labels};

/// Labels that a mailbox may have.
pub(super) const MAX_LABELS: usize = 10_000;

/// Threads that a mailbox may have made up.
pub(super) const MAX_GENERATED: u32 = 1_000_000;

/// Numbers between two entries of the history, at most: Gmail's have gaps, and nobody may count on none.
const HISTORY_GAP: u64 = 3;

/// Number of a label in [`Mailbox::labels`].
pub(super) type LabelNumber = u16;

/// Where the raw bytes of a message are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Raw {
    /// Kept under their hash; with their count.
    Kept([u8; 32], u32),
    /// Made when they are asked for.
    Made(Letter),
}

/// A message.
#[derive(Debug, Clone)]
pub(super) struct Message {
    /// Its id.
    pub(super) id: u64,
    /// Its thread's id, which is that of the thread's first message.
    pub(super) thread: u64,
    /// Its labels, sorted.
    pub(super) labels: Vec<LabelNumber>,
    /// When it was written or arrived, in milliseconds since the epoch.
    pub(super) date_ms: i64,
    /// Where it stood in the history when it was changed last.
    pub(super) history: u64,
    /// What it says.
    pub(super) raw: Raw,
}

/// What happened to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Happened {
    /// It came.
    Added,
    /// It was deleted for good.
    Deleted,
    /// It got labels.
    Labelled(Vec<LabelNumber>),
    /// It lost labels.
    Unlabelled(Vec<LabelNumber>),
}

/// An entry of the history.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// Its number.
    pub(super) id: u64,
    /// The message.
    pub(super) message: u64,
    /// The message's thread, for messages that are gone.
    pub(super) thread: u64,
    /// What happened.
    pub(super) happened: Happened,
}

/// A message that comes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct New {
    /// Its id.
    pub(super) id: u64,
    /// Its thread.
    pub(super) thread: u64,
    /// The ids of its labels.
    pub(super) labels: Vec<String>,
    /// Its moment.
    pub(super) date_ms: i64,
    /// The key of its raw bytes.
    pub(super) key: String,
    /// Count of its raw bytes.
    pub(super) size: u32,
    /// What it is called in its header, which answers name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) message_id: Option<String>,
    /// The draft that it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) draft: Option<String>,
}

/// A change of a mailbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    /// A message came.
    Add(New),
    /// Messages were deleted for good.
    Delete(Vec<u64>),
    /// Messages got and lost labels.
    Relabel {
        /// The messages.
        ids: Vec<u64>,
        /// The labels that came.
        add: Vec<String>,
        /// The labels that went.
        remove: Vec<String>,
    },
    /// A label was made or changed.
    Label(Label),
    /// A label was deleted.
    DropLabel(String),
    /// Threads were made up.
    Generate {
        /// How many.
        threads: u32,
        /// What they are made from.
        seed: u64,
        /// When the newest came.
        until_ms: i64,
    },
    /// All of the history became too old.
    Expire,
}

/// A mailbox.
#[derive(Debug)]
pub(super) struct Mailbox {
    /// Messages by id.
    pub(super) messages: BTreeMap<u64, Message>,
    /// The messages of each thread, in order of time.
    pub(super) threads: BTreeMap<u64, Vec<u64>>,
    /// All messages in order of time.
    pub(super) order: BTreeSet<(i64, u64)>,
    /// Labels by number; that of a deleted one is not used again.
    pub(super) labels: Vec<Label>,
    /// The message of each draft.
    pub(super) drafts: BTreeMap<String, u64>,
    /// What happened, in order.
    pub(super) events: Vec<Event>,
    /// The newest number of the history.
    pub(super) history: u64,
    /// What is older than this is not told any more.
    pub(super) floor: u64,
    /// Messages by the hash of what they are called in their header.
    named: HashMap<u64, u64>,
    /// The threads of all bytes that ever came, so that a seed that was deleted, or edited, does not come back.
    came: HashMap<[u8; 32], u64>,
}

impl Default for Mailbox {
    fn default() -> Self {
        Self {
            messages: BTreeMap::new(),
            threads: BTreeMap::new(),
            order: BTreeSet::new(),
            labels: system_labels(),
            drafts: BTreeMap::new(),
            events: Vec::new(),
            history: 1_000,
            floor: 1_000,
            named: HashMap::new(),
            came: HashMap::new(),
        }
    }
}

impl Mailbox {
    /// Returns the number of a label by its id.
    pub(super) fn label(&self, id: &str) -> Option<LabelNumber> {
        let at = self.labels.iter().position(|label| label.id == id && !label.deleted)?;
        LabelNumber::try_from(at).ok()
    }

    /// Returns the ids of labels by their numbers.
    pub(super) fn label_ids(&self, numbers: &[LabelNumber]) -> Vec<&str> {
        numbers.iter().filter_map(|at| self.labels.get(usize::from(*at))).map(|label| label.id.as_str()).collect()
    }

    /// Returns the messages of a thread in order of time.
    pub(super) fn thread(&self, id: u64) -> Vec<&Message> {
        let ids = self.threads.get(&id).map(Vec::as_slice).unwrap_or_default();
        ids.iter().filter_map(|id| self.messages.get(id)).collect()
    }

    /// Returns the draft that a message is.
    pub(super) fn draft_of(&self, message: u64) -> Option<&str> {
        self.drafts.iter().find(|(_, id)| **id == message).map(|(draft, _)| draft.as_str())
    }

    /// Returns the message that a header names.
    pub(super) fn named(&self, message_id: &str) -> Option<&Message> {
        self.named.get(&name_hash(message_id)).and_then(|id| self.messages.get(id))
    }

    /// Returns the thread in which a message of these bytes came, though it may be gone.
    pub(super) fn came(&self, raw: &[u8]) -> Option<u64> {
        self.came.get(blake3::hash(raw).as_bytes()).copied()
    }

    /// Returns an id for a message of a moment: Gmail's begin with it, too.
    pub(super) fn fresh_id(&self, at_ms: i64, chance: u64) -> u64 {
        let moment = u64::try_from(at_ms).unwrap_or(0) & 0xfff_ffff_ffff;
        let mut id = (moment << 20 | chance & 0xf_ffff).max(1);
        while self.messages.contains_key(&id) {
            id += 1;
        }
        id
    }

    /// Carries out a change.
    pub(super) fn apply(&mut self, change: &Change) {
        match change {
            Change::Add(new) => self.add(new),
            Change::Delete(ids) => ids.iter().for_each(|id| self.delete(*id)),
            Change::Relabel { ids, add, remove } => {
                let numbers = |ids: &[String]| ids.iter().filter_map(|id| self.label(id)).collect::<Vec<_>>();
                let (add, remove) = (numbers(add), numbers(remove));
                ids.iter().for_each(|id| self.relabel(*id, &add, &remove));
            }
            Change::Label(label) => {
                let room = self.labels.len() < MAX_LABELS;
                match self.labels.iter_mut().find(|known| known.id == label.id) {
                    Some(known) => *known = label.clone(),
                    None if room => self.labels.push(label.clone()),
                    None => {}
                }
            }
            Change::DropLabel(id) => self.drop_label(id),
            Change::Generate { threads, seed, until_ms } => generate::fill(self, *threads, *seed, *until_ms),
            Change::Expire => {
                self.history += HISTORY_GAP;
                self.floor = self.history;
                self.events.clear();
            }
        }
    }

    /// Puts a message in that has its id.
    pub(super) fn put(&mut self, mut message: Message, message_id: Option<&str>) {
        if self.messages.contains_key(&message.id) {
            return;
        }
        let (id, thread, date) = (message.id, message.thread, message.date_ms);
        message.labels.sort_unstable();
        message.labels.dedup();
        message.history = self.happened(id, thread, Happened::Added);
        if let Some(name) = message_id.map(name_hash) {
            // A draft that is saved again has the name of the one that it takes the place of.
            let taken = self.named.get(&name).is_some_and(|other| self.messages.contains_key(other));
            if !taken {
                self.named.insert(name, id);
            }
        }
        self.order.insert((date, id));
        let siblings = self.threads.entry(thread).or_default();
        let messages = &self.messages;
        let at = siblings.partition_point(|other| messages.get(other).map(|m| (m.date_ms, m.id)) < Some((date, id)));
        siblings.insert(at, id);
        self.messages.insert(id, message);
    }

    fn add(&mut self, new: &New) {
        let mut key = [0; 32];
        for (byte, pair) in key.iter_mut().zip(new.key.as_bytes().chunks(2)) {
            *byte = std::str::from_utf8(pair).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
        }
        let message = Message {
            id: new.id,
            thread: new.thread,
            labels: new.labels.iter().filter_map(|id| self.label(id)).collect(),
            date_ms: new.date_ms,
            history: 0,
            raw: Raw::Kept(key, new.size),
        };
        self.came.entry(key).or_insert(new.thread);
        if let Some(draft) = &new.draft {
            self.drafts.insert(draft.clone(), new.id);
        }
        self.put(message, new.message_id.as_deref());
    }

    fn delete(&mut self, id: u64) {
        let Some(message) = self.messages.remove(&id) else { return };
        self.order.remove(&(message.date_ms, id));
        if let Some(siblings) = self.threads.get_mut(&message.thread) {
            siblings.retain(|other| *other != id);
            if siblings.is_empty() {
                self.threads.remove(&message.thread);
            }
        }
        self.drafts.retain(|_, draft| *draft != id);
        self.happened(id, message.thread, Happened::Deleted);
    }

    /// Changes the labels of a message; what it has, or has not, already is no change.
    fn relabel(&mut self, id: u64, add: &[LabelNumber], remove: &[LabelNumber]) {
        let Some(message) = self.messages.get(&id) else { return };
        let thread = message.thread;
        let has = |label: &&LabelNumber| message.labels.contains(label);
        let added: Vec<LabelNumber> = add.iter().filter(|label| !has(label)).copied().collect();
        let removed: Vec<LabelNumber> = remove.iter().filter(has).copied().collect();
        let mut history = message.history;
        if !added.is_empty() {
            history = self.happened(id, thread, Happened::Labelled(added.clone()));
        }
        if !removed.is_empty() {
            history = self.happened(id, thread, Happened::Unlabelled(removed.clone()));
        }
        if let Some(message) = self.messages.get_mut(&id) {
            message.labels.retain(|label| !removed.contains(label));
            message.labels.extend(added);
            message.labels.sort_unstable();
            message.labels.dedup();
            message.history = history;
        }
    }

    fn drop_label(&mut self, id: &str) {
        let Some(number) = self.label(id) else { return };
        let holders: Vec<u64> =
            self.messages.values().filter(|message| message.labels.contains(&number)).map(|m| m.id).collect();
        for holder in holders {
            self.relabel(holder, &[], &[number]);
        }
        if let Some(label) = self.labels.get_mut(usize::from(number)) {
            label.deleted = true;
        }
    }

    /// Notes what happened to a message; returns its number in the history.
    fn happened(&mut self, message: u64, thread: u64, happened: Happened) -> u64 {
        self.history += 1 + message % HISTORY_GAP;
        self.events.push(Event { id: self.history, message, thread, happened });
        self.history
    }
}

/// Returns what a `Message-ID` is known by.
fn name_hash(message_id: &str) -> u64 {
    let name = message_id.trim().trim_start_matches('<').trim_end_matches('>');
    u64::from_le_bytes(*blake3::hash(name.as_bytes()).as_bytes().first_chunk().unwrap_or(&[0; 8]))
}
