//! What the shell does with files: it reads them, writes them in steps, and keeps what it replaces.

use std::collections::BTreeSet;

use mcp_workspace::kinds::Fetched;
use mcp_workspace::model::{ContentHash, ItemId, PartId, Stamp};
use mcp_workspace::sync::{Event, FailureClass, Local, NotDone, Observation};

use super::network::failure;
use super::{Machine, REPLACED, RETIRED, Task};
use crate::around::Around;
use crate::dice::Dice;
use crate::file::File;
use crate::google::Main;
use crate::ledger::tokens;
use crate::plants::Plant;

/// A text on its way into the folder.
#[derive(Debug)]
pub(super) struct Deposit {
    pub(super) file: File,
    pub(super) text: String,
    pub(super) expect: Option<Stamp>,
    pub(super) new: String,
    /// The name of what it replaces.
    pub(super) old: String,
    /// The new file, while it is open.
    pub(super) open: u64,
    pub(super) stage: Stage,
}

/// What a deposit does next.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stage {
    Begin,
    Write,
    Place,
    Check,
    End,
}

/// The versions of a replaced file that nobody saved into, and the name of the file that it was.
fn fields(name: &str) -> [&str; 3] {
    let fields: Vec<&str> = name.trim_start_matches(REPLACED).splitn(3, ' ').collect();
    fields.try_into().unwrap()
}

impl Machine {
    /// Returns the files of an item that stand or of which anything is known.
    pub(crate) fn files(&self, item: &ItemId) -> BTreeSet<File> {
        let standing = self.disk.names().filter_map(|name| File::named(name)).filter(|file| file.item == *item);
        standing.chain(self.store.files(item)).collect()
    }

    /// Returns the files of an item that should stand: those that are recorded, and before any is, its main one.
    pub(crate) fn expected(&self, item: &ItemId) -> BTreeSet<File> {
        let known = self.store.files(item);
        if known.is_empty() { BTreeSet::from([File::main(item)]) } else { known }
    }

    /// Returns one of the files of an item.
    pub(crate) fn some_file(&self, item: &ItemId, dice: &mut Dice<'_>) -> File {
        let files: Vec<File> = self.files(item).into_iter().collect();
        match files.as_slice() {
            [] => File::main(item),
            [only] => only.clone(),
            several => several[dice.roll(several.len())].clone(),
        }
    }

    /// Returns what tells which tab the main file of an item is of: what was read before, what was written down, or its text.
    pub(super) fn main_of(&self, around: &Around, before: Option<&Fetched>, item: &ItemId) -> Main {
        if around.plant == Some(Plant::ForgetsMain) {
            return Main::Unknown;
        }
        let known = before.and_then(|before| before.main.clone()).or_else(|| self.store.main(item));
        let others = || self.files(item).into_iter().map(|file| file.part).filter(|part| !part.0.is_empty()).collect();
        let says = || self.disk.read(&File::main(item).name()).map(|text| Main::Says(text.to_owned(), others()));
        known.map(Main::Of).or_else(says).unwrap_or(Main::Unknown)
    }

    /// Reads the files of an item and what is known of them.
    pub(super) fn observe(&self, around: &Around, item: ItemId) -> Event {
        let parts = self.files(&item).iter().map(|file| self.observe_file(around, file)).collect();
        Event::Observed { item, parts }
    }

    fn observe_file(&self, around: &Around, file: &File) -> Observation {
        let name = file.name();
        let local = match (self.disk.read(&name), self.disk.stamp(&name)) {
            (Some(text), Some(_)) if text.contains('\0') => Local::Unusable {
                notice: mcp_workspace::model::Notice {
                    code: "NUL".into(),
                    line: 1,
                    column: 0,
                    message: "this line holds a NUL byte".into(),
                },
            },
            (Some(text), Some(stamp)) => {
                let known = self.store.stamp(file).filter(|_| around.plant == Some(Plant::ComparesTimes));
                let base = self.store.base(file).filter(|_| known.is_some_and(|was| stamp.mtime_ns <= was.mtime_ns));
                let text = base.as_deref().unwrap_or(text);
                let whole_lines = text.rfind('\n').map_or(text, |end| &text[..=end]);
                let text = if around.plant == Some(Plant::HurriesSaves) { whole_lines } else { text };
                Local::Text { stamp, hash: ContentHash::of(text.as_bytes()), text: text.to_owned() }
            }
            _ => Local::Absent,
        };
        let mut arrivals = self.store.arrivals(file).to_vec();
        arrivals.retain(|arrival| match around.plant {
            Some(Plant::ForgetsArrivals) => false,
            Some(Plant::ForgetsDeletions) => tokens(&arrival.after).any(|token| !arrival.before.contains(token)),
            _ => true,
        });
        let (base, intent) = (self.store.base(file), self.store.intent(file).cloned());
        Observation { part: file.part.clone(), base, local, intent, arrivals, blind: self.store.blind(file) }
    }

    /// Waits until a file is on the disk: what others are told of it must outlive a power cut.
    pub(super) fn sync_file(&mut self, around: &Around, file: &File) {
        if around.plant != Some(Plant::TrustsTheCache) {
            self.disk.sync_name(&file.name());
            self.disk.sync_names();
        }
    }

    /// Shows what a file is in conflict about, or that it is not any more.
    pub(super) fn put_conflict(&mut self, around: &Around, file: &File, text: Option<&str>) {
        if around.plant == Some(Plant::WritesNoConflictFile) && text.is_some() {
            return;
        }
        let name = file.conflict_name();
        match text {
            Some(text) if self.disk.read(&name) == Some(text) => {}
            Some(text) => self.disk.put(&name, text),
            None => drop(self.put_away(&name)),
        }
    }

    /// Puts the files of an item away, if they are those that were read.
    pub(super) fn put_aside(
        &mut self,
        around: &mut Around,
        (item, bury): (ItemId, bool),
        expect: Option<&[(PartId, Option<Stamp>)]>,
    ) -> Task {
        let is_other = |(part, read): &(PartId, Option<Stamp>)| self.disk.stamp(&File::of(&item, part).name()) != *read;
        let result = if around.fault(25) {
            Err(NotDone::Failed(failure(FailureClass::Permanent)))
        } else if expect.into_iter().flatten().any(is_other) {
            Err(NotDone::Moved)
        } else {
            let names: Vec<String> = self.disk.names().cloned().collect();
            let file_of = |name: &String| File::named(name).or_else(|| File::in_conflict(name));
            let of_item = names.iter().filter(|name| file_of(name).is_some_and(|file| file.item == item));
            of_item.for_each(|name| drop(self.put_away(name)));
            return Task::Retire(item, bury);
        };
        Task::Tell(Box::new(Event::Retired { item, result }))
    }

    /// Puts a file where nobody looks but who misses it; returns its name there.
    pub(super) fn put_away(&mut self, name: &str) -> String {
        let kept = format!("{RETIRED}{}", self.last_retired + 1);
        if self.disk.read(name).is_some() {
            self.last_retired += 1;
            self.disk.rename(name, &kept);
            self.disk.sync_names();
        }
        kept
    }

    /// Tells whether a file was replaced and nobody saved into it since: at the next look it is removed.
    pub(crate) fn is_done_with(&self, name: &str) -> bool {
        let version = self.disk.stamp(name).map(|stamp| version(&stamp));
        name.starts_with(REPLACED) && version.is_some_and(|now| fields(name)[..2].contains(&now.as_str()))
    }

    /// Lets nothing that is saved into a replaced file take its place again, since nothing is known of it.
    pub(super) fn distrust_replaced(&mut self) {
        let names: Vec<String> = self.disk.names().filter(|name| name.starts_with(REPLACED)).cloned().collect();
        for name in names {
            let [was, new, file] = fields(&name);
            let now = self.disk.stamp(&name).map(|stamp| version(&stamp));
            let unsaved = if now.as_deref() == Some(new) { new } else { was };
            self.disk.rename(&name, &format!("{REPLACED}{unsaved} - {file}"));
        }
        self.disk.sync_names();
    }

    /// Lets the deposits end that have changed two files and have not looked yet what came into the file before: nobody looks at
    /// the files that were replaced meanwhile.
    fn end_exchanges(&mut self, around: &mut Around) {
        let is_changing =
            |task: &Option<Task>| matches!(task, Some(Task::Deposit(deposit)) if matches!(deposit.stage, Stage::Check));
        let lanes = self.lanes.iter().filter(|(_, lane)| is_changing(&lane.task));
        let keys: Vec<Option<ItemId>> = lanes.map(|(key, _)| key.clone()).collect();
        for key in keys {
            let Some(Task::Deposit(deposit)) = self.lanes.get_mut(&key).and_then(|lane| lane.task.take()) else {
                continue;
            };
            let task = self.deposit(around, deposit);
            self.lanes.get_mut(&key).unwrap().task = Some(task);
        }
    }

    /// Looks at the files that were replaced and stood there at the last look.
    pub(super) fn sweep(&mut self, around: &mut Around) -> Event {
        self.end_exchanges(around);
        let names: BTreeSet<String> = self.disk.names().filter(|name| name.starts_with(REPLACED)).cloned().collect();
        let (mut left, mut aside) = (false, Vec::new());
        for name in &names {
            let [_, new, file] = fields(name);
            if !self.replaced.contains(name) {
                left = true;
            } else if self.is_done_with(name) {
                self.disk.remove(name);
            } else if self.disk.stamp(file).is_some_and(|stands| version(&stands) == new) {
                self.disk.exchange(name, file);
                self.disk.sync_names();
                left = true;
            } else {
                let kept = self.put_away(name);
                let file = File::named(file).unwrap();
                aside.push((file.item, file.part, kept));
            }
        }
        self.replaced = names;
        Event::Swept { left, aside }
    }

    /// Does the next step of a deposit.
    pub(super) fn deposit(&mut self, around: &mut Around, mut deposit: Box<Deposit>) -> Task {
        let name = deposit.file.name();
        let result = match deposit.stage {
            Stage::Begin if around.fault(25) => Err(NotDone::Failed(failure(FailureClass::Permanent))),
            Stage::Begin => {
                deposit.open = self.disk.open_empty(&deposit.new);
                deposit.stage = Stage::Write;
                return Task::Deposit(deposit);
            }
            Stage::Write => {
                self.disk.append(deposit.open, &deposit.text);
                self.disk.claim(deposit.open);
                if around.plant != Some(Plant::DepositsWithoutSync) {
                    self.disk.sync(deposit.open);
                }
                deposit.stage = Stage::Place;
                return Task::Deposit(deposit);
            }
            Stage::Place => {
                let stamp = self.disk.stamp(&name);
                if stamp == deposit.expect || around.plant == Some(Plant::NoStampCheck) {
                    if let Some(stands) = stamp {
                        let new = self.disk.stamp(&deposit.new).unwrap();
                        deposit.old = format!("{REPLACED}{} {} {name}", version(&stands), version(&new));
                        self.disk.rename(&deposit.new, &deposit.old);
                        self.disk.exchange(&deposit.old, &name);
                        deposit.stage = Stage::Check;
                    } else {
                        self.disk.rename(&deposit.new, &name);
                        deposit.stage = Stage::End;
                    }
                    return Task::Deposit(deposit);
                }
                Err(NotDone::Moved)
            }
            Stage::Check => {
                let old = self.disk.stamp(&deposit.old).zip(deposit.expect);
                let same = old.is_some_and(|(old, expect)| Stamp { ctime_ns: expect.ctime_ns, ..old } == expect);
                if same || around.plant == Some(Plant::NoStampCheck) {
                    deposit.stage = Stage::End;
                    if around.plant == Some(Plant::ForgetsReplaced) {
                        self.disk.remove(&deposit.old);
                    }
                    return Task::Deposit(deposit);
                }
                self.disk.exchange(&deposit.old, &name);
                Err(NotDone::Moved)
            }
            Stage::End => {
                if around.plant != Some(Plant::DepositsWithoutSync) {
                    self.disk.sync_names();
                }
                self.deposits += 1;
                self.deposited_at.insert(deposit.file.clone(), around.now);
                self.disk.stamp_of(deposit.open).ok_or(NotDone::Moved)
            }
        };
        if result.is_err() {
            self.disk.remove(&deposit.new);
        }
        let File { item, part } = deposit.file;
        Task::Tell(Box::new(Event::Deposited { item, part, result }))
    }
}

/// What tells that nobody has written to a file since.
fn version(stamp: &Stamp) -> String {
    format!("{}.{}", stamp.len_bytes, stamp.mtime_ns)
}
