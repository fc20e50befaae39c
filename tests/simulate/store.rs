//! What the daemon knows across its lives: each change is on the disk, whole, before it is answered.

use std::collections::{BTreeMap, BTreeSet};

use mcp_workspace::model::{Cursor, ItemId, KindName, Millis, Notice, Revision, Stamp};
use mcp_workspace::sync::{
    Arrival, Blind, Intent, JobEnd, JobId, Loaded, OpenJob, Record, RecordPart, Row, RowPart, Told,
};

use crate::file::File;
use crate::machine::row;

/// As many arrivals of each file are kept as the real store keeps.
const ARRIVALS_MAX: usize = 20;

/// How long it is known what a file said that somebody has forgotten, as the real store keeps it, in milliseconds.
const FORGOTTEN_FOR_MS: u64 = 7 * 86_400_000;

/// A push in the journal.
#[derive(Debug)]
struct Job {
    open: OpenJob,
    sent: bool,
    end: Option<JobEnd>,
}

/// Bases, the journal and the cursor.
#[derive(Debug, Default)]
pub(crate) struct Store {
    items: BTreeMap<ItemId, Record>,
    /// What was known of items that are gone.
    buried: BTreeMap<ItemId, Record>,
    /// What was known of items that somebody has forgotten, perhaps before they were recorded, and when that was.
    forgotten: BTreeMap<ItemId, (Option<Record>, Millis)>,
    /// What came into each file, newest first.
    arrivals: BTreeMap<File, Vec<Arrival>>,
    /// What each file is about to say, until it is recorded.
    intents: BTreeMap<File, Intent>,
    /// The tab that each main file is of.
    mains: BTreeMap<ItemId, String>,
    jobs: Vec<Job>,
    pub(crate) cursor: Option<Cursor>,
    pub(crate) paused: bool,
    /// When the state was lost.
    lost_at: Option<Millis>,
}

impl Store {
    /// What the next daemon begins with when the state was lost at a time, or there was none.
    pub(crate) fn after_loss(lost_at: Option<Millis>) -> Self {
        Self { lost_at, ..Self::default() }
    }

    /// Returns what an engine is told at its start.
    pub(crate) fn loaded(&self) -> Loaded {
        let part = |part: &RecordPart| RowPart {
            part: part.part.clone(),
            stamp: part.stamp,
            hash: part.hash,
            behind: part.behind,
            told: part.told.clone(),
            put_back: part.put_back.clone(),
            blind: part.blind.clone(),
        };
        let row = |record: &Record| Row {
            item: record.item.clone(),
            kind: record.kind,
            title: record.title.clone(),
            revision: record.revision.clone(),
            can_edit: record.can_edit,
            gone: record.gone,
            buried: false,
            parts: record.parts.iter().map(part).collect(),
        };
        let bare = |part: RowPart| RowPart { stamp: None, hash: None, told: Told::default(), put_back: None, ..part };
        let of_buried =
            |row: Row| Row { gone: true, buried: true, parts: row.parts.into_iter().map(bare).collect(), ..row };
        Loaded {
            rows: self.items.values().map(row).chain(self.buried.values().map(row).map(of_buried)).collect(),
            jobs: self.jobs.iter().filter(|job| job.end.is_none()).map(|job| job.open.clone()).collect(),
            cursor: self.cursor.clone(),
            paused: self.paused,
            lost_at: self.lost_at,
        }
    }

    /// Tells whether nothing was ever stored.
    pub(crate) fn is_new(&self) -> bool {
        self.items.is_empty() && self.jobs.is_empty() && self.cursor.is_none()
    }

    /// Tells whether nothing was ever written down, not even what a file is about to say.
    pub(crate) fn is_blank(&self) -> bool {
        self.is_new() && self.intents.is_empty()
    }

    /// Takes in an item of which only the file is known: at this time the state is found to be lost.
    pub(crate) fn adopt(&mut self, item: ItemId, now: Millis) {
        self.lost_at = Some(now);
        self.forgotten.remove(&item);
        let record = Record {
            item: item.clone(),
            kind: KindName::Docs,
            title: String::new(),
            revision: None,
            can_edit: false,
            gone: false,
            parts: Vec::new(),
            left: Vec::new(),
            jobs: Vec::new(),
            at: Millis(0),
        };
        self.items.insert(item, record);
    }

    /// Tells whether an item is mirrored.
    pub(crate) fn holds(&self, item: &ItemId) -> bool {
        self.items.contains_key(item)
    }

    /// Tells whether an item is mirrored, or was until it went away.
    pub(crate) fn remembers(&self, item: &ItemId) -> bool {
        self.holds(item) || self.buried.contains_key(item)
    }

    fn parts(&self, item: &ItemId) -> &[RecordPart] {
        let forgotten = || self.forgotten.get(item).and_then(|(record, _)| record.as_ref());
        let record = self.items.get(item).or(self.buried.get(item)).or_else(forgotten);
        record.map(|record| record.parts.as_slice()).unwrap_or_default()
    }

    /// Returns the files of an item of which anything is known.
    pub(crate) fn files(&self, item: &ItemId) -> BTreeSet<File> {
        let recorded = self.parts(item).iter().map(|part| File::of(item, &part.part));
        recorded.chain(self.intents.keys().filter(|file| file.item == *item).cloned()).collect()
    }

    /// Returns what both sides last agreed on of a file.
    pub(crate) fn base(&self, file: &File) -> Option<String> {
        self.parts(&file.item).iter().find(|part| part.part == file.part).map(|part| part.base.clone())
    }

    /// Returns what is known of a file of which nothing is known from before.
    pub(crate) fn blind(&self, file: &File) -> Option<Blind> {
        self.parts(&file.item).iter().find(|part| part.part == file.part)?.blind.clone()
    }

    /// Returns the tab that the main file of an item is of.
    pub(crate) fn main(&self, item: &ItemId) -> Option<String> {
        self.mains.get(item).cloned()
    }

    /// Writes down what a file is about to say, and what came into it before.
    pub(crate) fn intend(&mut self, file: &File, (intent, main): (Intent, Option<String>), arrived: Vec<Arrival>) {
        if let Some(main) = main {
            self.mains.entry(file.item.clone()).or_insert(main);
        }
        self.intents.insert(file.clone(), intent);
        self.note_arrivals(file, arrived);
    }

    fn note_arrivals(&mut self, file: &File, arrived: Vec<Arrival>) {
        let arrivals = self.arrivals.entry(file.clone()).or_default();
        arrivals.splice(0..0, arrived);
        while arrivals.len() > ARRIVALS_MAX {
            let (Some(oldest), Some(next)) = (arrivals.pop(), arrivals.last_mut()) else { break };
            (next.before, next.base) = (oldest.before, oldest.base);
        }
    }

    /// Returns what a file was about to say.
    pub(crate) fn intent(&self, file: &File) -> Option<&Intent> {
        self.intents.get(file)
    }

    /// Returns what came into a file, newest first.
    pub(crate) fn arrivals(&self, file: &File) -> &[Arrival] {
        self.arrivals.get(file).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the version of a file that was recorded last.
    pub(crate) fn stamp(&self, file: &File) -> Option<Stamp> {
        self.items.get(&file.item)?.parts.iter().find(|part| part.part == file.part)?.stamp
    }

    /// Returns the revision that was recorded last.
    pub(crate) fn revision(&self, item: &ItemId) -> Option<u64> {
        self.items.get(item)?.revision.as_ref()?.0.strip_prefix('r')?.parse().ok()
    }

    /// Stores another base.
    pub(crate) fn rebase(&mut self, file: &File, base: &str) {
        let parts = self.items.get_mut(&file.item).map(|record| &mut record.parts);
        if let Some(part) = parts.and_then(|parts| parts.iter_mut().find(|part| part.part == file.part)) {
            base.clone_into(&mut part.base);
        }
    }

    /// Notes that a push begins.
    pub(crate) fn begin(
        &mut self,
        file: &File,
        revision: &Revision,
        (before, expected, base): (Option<&str>, &str, Option<&str>),
        (told, at): (&[Notice], Millis),
    ) -> JobId {
        let job = JobId(i64::try_from(self.jobs.len()).unwrap());
        let open = OpenJob {
            job,
            item: file.item.clone(),
            part: file.part.clone(),
            revision: revision.clone(),
            at,
            answered: false,
            power_failed: false,
            before: before.map(str::to_owned),
            expected: expected.to_owned(),
            base: base.map(str::to_owned),
            told: told.to_vec(),
        };
        self.jobs.push(Job { open, sent: false, end: None });
        job
    }

    /// Notes that power has failed.
    pub(crate) fn cut_power(&mut self) {
        self.jobs.iter_mut().for_each(|job| job.open.power_failed = true);
    }

    /// A push goes out: only what was begun may, on its revision, and once.
    ///
    /// # Panics
    ///
    /// When it is not so.
    pub(crate) fn sent(&mut self, item: &ItemId, job: JobId, revision: &Revision) {
        let job = self.jobs.get_mut(row(job)).expect("journal: a push without a row");
        let begun = job.open.item == *item && job.open.revision == *revision && job.end.is_none();
        assert!(begun, "journal: a push that was not begun: {job:?}");
        assert!(!std::mem::replace(&mut job.sent, true), "journal: a push was sent twice: {job:?}");
    }

    /// Tells whether a push that has not come to its end brings a token that is not agreed on.
    pub(crate) fn may_have_brought(&self, item: &ItemId, token: &str) -> bool {
        let mut open = self.jobs.iter().filter(|job| job.end.is_none() && job.open.item == *item).map(|job| &job.open);
        let is_new = |job: &OpenJob| self.base(&File::of(item, &job.part)).is_none_or(|base| !base.contains(token));
        open.any(|job| job.expected.contains(token) && is_new(job))
    }

    /// Notes that a push has landed.
    pub(crate) fn answered(&mut self, job: JobId) {
        if let Some(job) = self.jobs.get_mut(row(job)) {
            job.open.answered = true;
        }
    }

    /// Stores the end of a walk in one transaction.
    ///
    /// # Panics
    ///
    /// When a push ends twice.
    pub(crate) fn record(&mut self, mut record: Record, main: Option<String>) {
        for (job, end) in &record.jobs {
            let job = &mut self.jobs[row(*job)];
            assert!(job.end.is_none(), "journal: a push ended twice: {job:?}");
            job.end = Some(*end);
        }
        for part in &record.parts {
            let file = File::of(&record.item, &part.part);
            if part.settled {
                self.intents.remove(&file);
            }
            self.note_arrivals(&file, part.arrived.clone());
        }
        let left: Vec<RecordPart> =
            self.parts(&record.item).iter().filter(|part| record.left.contains(&part.part)).cloned().collect();
        record.parts.extend(left);
        let is_kept = |file: &File| {
            let mut kept = record.parts.iter().map(|part| &part.part).chain(&record.left);
            file.item != record.item || kept.any(|part| *part == file.part)
        };
        self.intents.retain(|file, _| is_kept(file));
        self.arrivals.retain(|file, _| is_kept(file));
        self.mains.extend(main.map(|main| (record.item.clone(), main)));
        self.buried.remove(&record.item);
        self.forgotten.remove(&record.item);
        self.items.insert(record.item.clone(), record);
    }

    /// Lets go of an item; of one that is buried the base is kept, and for a while that of one which somebody has forgotten.
    pub(crate) fn retire(&mut self, item: &ItemId, bury: bool, at: Millis) {
        let open = self.jobs.iter().filter(|job| job.open.item == *item && job.end.is_none()).map(|job| &job.open);
        let said = open.filter_map(|job| {
            let file = File::of(item, &job.part);
            Some((Arrival::of_none(job.base.as_ref()?, &self.base(&file)?), file))
        });
        for (said, file) in said.collect::<Vec<_>>() {
            self.note_arrivals(&file, vec![said]);
        }
        let record = self.items.remove(item);
        if bury {
            self.buried.extend(record.map(|record| (item.clone(), record)));
            self.intents.retain(|file, _| file.item != *item);
        } else {
            let record = record.or(self.buried.remove(item));
            self.forgotten.entry(item.clone()).or_insert((record, at));
        }
        self.drop_forgotten(at);
        let open = self.jobs.iter_mut().filter(|job| job.open.item == *item && job.end.is_none());
        open.for_each(|job| job.end = Some(JobEnd::Reconciled));
    }

    /// Drops what is known of items that were forgotten long ago.
    pub(crate) fn drop_forgotten(&mut self, now: Millis) {
        self.drop_forgotten_before(Millis(now.0.saturating_sub(FORGOTTEN_FOR_MS)));
    }

    /// Drops what is known of items that were forgotten before.
    pub(crate) fn drop_forgotten_before(&mut self, before: Millis) {
        self.forgotten.retain(|item, (_, at)| {
            if *at < before {
                self.arrivals.retain(|file, _| file.item != *item);
                self.intents.retain(|file, _| file.item != *item);
                self.mains.remove(item);
            }
            *at >= before
        });
    }

    /// Stores what a person is yet to be told.
    pub(crate) fn save_told(&mut self, file: &File, told: Told) {
        let parts = self.items.get_mut(&file.item).map(|record| &mut record.parts);
        if let Some(known) = parts.and_then(|parts| parts.iter_mut().find(|known| known.part == file.part)) {
            known.told = told;
        }
    }

    /// Tells whether every push has come to its end.
    pub(crate) fn is_quiet(&self, may_land: impl Fn(&ItemId, &Revision) -> bool) -> bool {
        let open = self.jobs.iter().filter(|job| job.end.is_none());
        open.map(|job| &job.open).all(|job| may_land(&job.item, &job.revision))
    }
}
