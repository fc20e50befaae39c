//! A folder on a disk that loses what was not synced: what a program sees, and what a power cut leaves.

use std::collections::{BTreeMap, BTreeSet};

use mcp_workspace::model::Stamp;
use mcp_workspace::sync::Touch;

use crate::dice::Dice;

/// The time before the first change, in nanoseconds.
const BEGAN_NS: i128 = 1_800_000_000_000_000_000;

/// What stands at a place of the disk.
#[derive(Debug, Clone)]
struct Inode {
    text: String,
    /// What a power cut leaves of it; `None` while nothing was synced.
    synced: Option<String>,
    /// What the daemon wrote into it, while nobody else has.
    deposited: Option<String>,
    /// Changes so far: modification and change time.
    modified: i128,
    changed: i128,
}

/// One change of the folder that a power cut may undo while it is not synced.
#[derive(Debug, Clone)]
enum Change {
    /// The name stands for this inode, or for none.
    Name(String, Option<u64>),
    /// Two names change places.
    Exchange(String, String),
}

/// A folder.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    names: BTreeMap<String, u64>,
    synced_names: BTreeMap<String, u64>,
    changes: Vec<Change>,
    inodes: BTreeMap<u64, Inode>,
    last_inode: u64,
    ticks: i128,
    /// What the watcher would say, in order: the name and what happened.
    pub(crate) touches: Vec<(String, Touch)>,
}

impl Disk {
    /// Returns the text at a name.
    pub(crate) fn read(&self, name: &str) -> Option<&str> {
        self.inode(name).map(|inode| inode.text.as_str())
    }

    /// Returns the names that stand.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.names.keys()
    }

    /// Returns the version of the file at a name.
    pub(crate) fn stamp(&self, name: &str) -> Option<Stamp> {
        self.stamp_of(*self.names.get(name)?)
    }

    /// Returns the version of a file that is open, wherever it stands by now.
    pub(crate) fn stamp_of(&self, open: u64) -> Option<Stamp> {
        let inode = self.inodes.get(&open)?;
        Some(Stamp {
            dev: 1,
            ino: open,
            len_bytes: inode.text.len() as u64,
            mtime_ns: inode.modified,
            ctime_ns: inode.changed,
        })
    }

    fn inode(&self, name: &str) -> Option<&Inode> {
        self.inodes.get(self.names.get(name)?)
    }

    fn tick(&mut self) -> i128 {
        self.ticks += 1;
        BEGAN_NS + self.ticks
    }

    fn name(&mut self, name: &str, inode: Option<u64>) {
        match inode {
            Some(inode) => self.names.insert(name.to_owned(), inode),
            None => self.names.remove(name),
        };
        self.changes.push(Change::Name(name.to_owned(), inode));
    }

    /// Opens a file for writing and empties it, or makes it; returns it as it is open.
    pub(crate) fn open_empty(&mut self, name: &str) -> u64 {
        let now = self.tick();
        let known = self.names.get(name).copied();
        if let Some(inode) = known.and_then(|number| self.inodes.get_mut(&number)) {
            inode.text.clear();
            inode.deposited = None;
            (inode.modified, inode.changed) = (now, now);
        } else {
            self.last_inode += 1;
            let inode = Inode { text: String::new(), synced: None, deposited: None, modified: now, changed: now };
            self.inodes.insert(self.last_inode, inode);
            self.name(name, Some(self.last_inode));
        }
        self.touches.push((name.to_owned(), Touch::Modified { closes: true }));
        known.unwrap_or(self.last_inode)
    }

    /// Writes more into a file that is open, wherever it stands by now.
    pub(crate) fn append(&mut self, open: u64, text: &str) {
        let now = self.tick();
        let Some(inode) = self.inodes.get_mut(&open) else { return };
        inode.text.push_str(text);
        inode.deposited = None;
        (inode.modified, inode.changed) = (now, now);
        self.touch(open, Touch::Modified { closes: true });
    }

    /// Opens a file to write behind its end; nobody sees that yet.
    pub(crate) fn open_end(&self, name: &str) -> Option<u64> {
        self.names.get(name).copied()
    }

    /// Remembers that the daemon alone has written what a file holds.
    pub(crate) fn claim(&mut self, open: u64) {
        if let Some(inode) = self.inodes.get_mut(&open) {
            inode.deposited = Some(inode.text.clone());
        }
    }

    /// Checks that a file which the daemon wrote is whole.
    ///
    /// # Panics
    ///
    /// When it is not.
    pub(crate) fn check_whole(&self, name: &str) {
        if let Some(Inode { text, deposited: Some(deposited), .. }) = self.inode(name) {
            assert_eq!(text, deposited, "atomicity: {name} is not what the daemon wrote, and nobody else wrote it");
        }
    }

    /// Closes a file that was written.
    pub(crate) fn close(&mut self, open: u64) {
        self.touch(open, Touch::Complete);
    }

    fn touch(&mut self, open: u64, touch: Touch) {
        if let Some((name, _)) = self.names.iter().find(|(_, number)| **number == open) {
            self.touches.push((name.clone(), touch));
        }
    }

    /// Gives a file an old date.
    pub(crate) fn date(&mut self, name: &str) {
        let now = self.tick();
        if let Some(inode) = self.names.get(name).and_then(|number| self.inodes.get_mut(number)) {
            (inode.modified, inode.changed) = (-now, now);
        }
    }

    /// Waits until what a file holds is on the disk.
    pub(crate) fn sync(&mut self, open: u64) {
        if let Some(inode) = self.inodes.get_mut(&open) {
            inode.synced = Some(inode.text.clone());
        }
    }

    /// Waits until what the file at a name holds is on the disk.
    pub(crate) fn sync_name(&mut self, name: &str) {
        if let Some(number) = self.names.get(name).copied() {
            self.sync(number);
        }
    }

    /// Waits until the names are on the disk.
    pub(crate) fn sync_names(&mut self) {
        self.synced_names = self.names.clone();
        self.changes.clear();
        let used: BTreeSet<u64> = self.names.values().copied().collect();
        self.inodes.retain(|number, _| used.contains(number));
    }

    /// Puts a file in the place of another, or of none.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        let Some(number) = self.names.get(from).copied() else { return };
        self.name(from, None);
        self.name(to, Some(number));
        let now = self.tick();
        if let Some(inode) = self.inodes.get_mut(&number) {
            inode.changed = now;
        }
        self.touches.push((from.to_owned(), Touch::Missing));
        self.touches.push((to.to_owned(), Touch::Complete));
    }

    /// Lets two files change places; false when one is missing.
    pub(crate) fn exchange(&mut self, one: &str, other: &str) -> bool {
        let (Some(first), Some(second)) = (self.names.get(one).copied(), self.names.get(other).copied()) else {
            return false;
        };
        self.names.insert(one.to_owned(), second);
        self.names.insert(other.to_owned(), first);
        self.changes.push(Change::Exchange(one.to_owned(), other.to_owned()));
        let now = self.tick();
        for number in [first, second] {
            if let Some(inode) = self.inodes.get_mut(&number) {
                inode.changed = now;
            }
        }
        self.touches.push((one.to_owned(), Touch::Complete));
        self.touches.push((other.to_owned(), Touch::Complete));
        true
    }

    /// Removes a name.
    pub(crate) fn remove(&mut self, name: &str) {
        if self.names.contains_key(name) {
            self.name(name, None);
            self.touches.push((name.to_owned(), Touch::Missing));
        }
    }

    /// Writes a whole file so that it survives, as a program does that syncs all it writes.
    pub(crate) fn put(&mut self, name: &str, text: &str) {
        let temporary = format!(".put-{name}");
        let open = self.open_empty(&temporary);
        self.append(open, text);
        self.sync(open);
        self.rename(&temporary, name);
        self.sync_names();
    }

    /// The power fails: of the changes of names that were not synced some prefix stands, and of a file that was not, the old
    /// text, nothing, zeros, or all of it. Pages are longer than the texts here, so that none stands by halves.
    pub(crate) fn cut_power(&mut self, dice: &mut Dice<'_>) {
        let mut names = std::mem::take(&mut self.synced_names);
        let kept = dice.roll(self.changes.len() + 1);
        for change in self.changes.drain(..).take(kept) {
            match change {
                Change::Name(name, Some(inode)) => drop(names.insert(name, inode)),
                Change::Name(name, None) => drop(names.remove(&name)),
                Change::Exchange(one, other) => {
                    if let (Some(first), Some(second)) = (names.get(&one).copied(), names.get(&other).copied()) {
                        names.insert(one, second);
                        names.insert(other, first);
                    }
                }
            }
        }
        for inode in self.inodes.values_mut() {
            if inode.synced.as_ref() != Some(&inode.text) {
                inode.text = match dice.roll(4) {
                    0 => std::mem::take(&mut inode.text),
                    1 => String::new(),
                    2 => "\0".repeat(inode.text.len()),
                    _ => inode.synced.clone().unwrap_or_default(),
                };
            }
            inode.synced = Some(inode.text.clone());
        }
        self.names.clone_from(&names);
        self.synced_names = names;
        self.touches.clear();
    }
}
