//! The end of a walk: conflict file first, then the files, then the base in one transaction.

use crate::model::{ContentHash, ItemId, Millis, PartId, Stamp};

use super::arrival::Arrival;
use super::backoff;
use super::carried::Walk;
use super::choice;
use super::conflict::{conflict_text, shown};
use super::engine::{Engine, Fate};
use super::head;
use super::intent::Intent;
use super::item::{Item, Phase, notice};
use super::merge;
use super::older;
use super::{Effect, Failure, JobEnd, Local, NotDone, Record, RecordPart, Touch};

/// Files that moved under a deposit are read again at once this often; then with pauses.
const MOVED_AT_ONCE: u32 = 3;

/// How long a file that was replaced is kept at least, in milliseconds: so long may a program take that has it open and
/// writes its save into it.
const REPLACED_MS: u64 = 60_000;

/// What a file said last, and what both sides agreed on then. `base` is that of the walk. Who has the text of a file open that is
/// gone, or is just being written anew, has what it said last; and one that was never recorded may have stood all the same. Of the
/// first text of a file that is gone nothing tells that: what somebody puts there may be any other, so nothing is agreed on then.
fn said_last<'w>(base: Option<&'w String>, walk: &'w Walk, id: &PartId) -> (Option<&'w str>, Option<&'w str>) {
    let seen = walk.observed.get(id);
    let intended = seen.and_then(|seen| seen.intent.as_ref());
    let recorded = base.or(seen.and_then(|seen| seen.base.as_ref()));
    let is_first = |intent: &&Intent| intent.was.as_deref().is_none_or(str::is_empty);
    if let (None, Some(first), Some(Local::Absent)) = (recorded, intended.filter(is_first), walk.local(id)) {
        return (Some(&first.after), Some(""));
    }
    let base = recorded.or(intended.map(|intent| &intent.base));
    let text = match walk.local(id) {
        Some(Local::Text { text, .. }) if !text.trim().is_empty() => Some(text),
        Some(Local::Text { .. }) => intended.map(|intent| &intent.after).or(base),
        Some(Local::Absent | Local::Unusable { .. } | Local::Restless) | None => base,
    };
    (text.map(String::as_str), base.map(String::as_str))
}

impl Engine {
    /// Writes the conflict files, then queues the deposits.
    pub(super) fn next_conflicts(&mut self, item: &mut Item) -> Fate {
        let Some(walk) = &mut item.walk else { return self.lost(item) };
        let how = (&*self.settings.command, self.settings.read_only);
        for (id, merged) in &walk.merged {
            let Some(part) = item.parts.get_mut(id) else { continue };
            if let Some((side, given_up)) = walk.given_up.remove(id) {
                let went = given_up.iter().filter_map(|conflict| choice::given_up(side, conflict));
                walk.went.extend(went.map(|went| (id.clone(), went)));
                let text = conflict_text(how, &item.id, id, &item.title, &given_up);
                part.conflict_file = None;
                self.out.push(Effect::PutConflict { item: item.id.clone(), part: id.clone(), text });
            }
            part.state.shown = merged.conflicts.iter().map(shown).collect();
            let text = conflict_text(how, &item.id, id, &item.title, &merged.conflicts);
            let hash = text.as_ref().map(|text| ContentHash::of(text.as_bytes()));
            if part.conflict_file != Some(hash) {
                part.conflict_file = Some(hash);
                self.out.push(Effect::PutConflict { item: item.id.clone(), part: id.clone(), text });
            }
        }
        walk.deposits.clear();
        for (id, merged) in &walk.merged {
            let stands = match walk.observed.get(id).map(|seen| &seen.local) {
                Some(Local::Text { text, .. }) => *text == merged.file,
                Some(Local::Absent | Local::Unusable { .. } | Local::Restless) | None => false,
            };
            if !stands || walk.rewritten.contains(id) {
                walk.deposits.push_back(id.clone());
            }
        }
        self.next_deposit(item)
    }

    fn next_deposit(&mut self, item: &mut Item) -> Fate {
        if self.halted.is_some() {
            return self.stop(item);
        }
        let Some(walk) = &mut item.walk else { return self.lost(item) };
        let Some(id) = walk.deposits.front().cloned() else { return self.record(item) };
        if self.settle.waits(&(item.id.clone(), id.clone())) {
            // Touched since it was read. Its base must not move without its file, so the walk begins again.
            self.hand_back(item);
            return Fate::Keep;
        }
        let Some(merged) = walk.merged.get(&id) else { return self.lost(item) };
        let expect = walk.stamp(&id);
        let (before, was) = said_last(item.state.bases.get(&id), walk, &id);
        let (before, was) = (before.unwrap_or_default().to_owned(), was.map(str::to_owned));
        let landed = item.state.ended.iter().filter(|(_, end)| *end == JobEnd::Accepted);
        let pushes = landed.map(|(job, _)| *job).collect();
        let blind = item.parts.get(&id).and_then(|part| part.state.blind.clone());
        let intent = Intent { before, was, after: merged.file.clone(), base: merged.base.clone(), pushes, blind };
        // What is in conflict is not put back.
        let lacks = walk.stale.get(&id).map(|older| older.put_back(&merged.file)).unwrap_or_default();
        let access = head::access_kept([intent.was.as_deref().unwrap_or_default(), &intent.before, &intent.after]);
        if let Some(part) = item.parts.get_mut(&id).filter(|_| !lacks.is_empty() || access.is_some()) {
            // Stored before the file is written: whoever finds it changed after a crash can read why.
            if !lacks.is_empty() {
                older::tell_put_back(part, &lacks, self.now);
            }
            part.state.told.landed(access.into_iter().collect(), self.now);
            let told = part.state.told.clone();
            self.out.push(Effect::SaveTold { item: item.id.clone(), part: id.clone(), told });
        }
        item.note_fleeting(&id, intent.clone());
        let arrived = item.state.arrived.get(&id).cloned().unwrap_or_default();
        let effect = Effect::Deposit { item: item.id.clone(), part: id, intent, arrived, expect };
        item.phase = Phase::Depositing;
        self.out.push(effect);
        Fate::Keep
    }

    /// Lets the files that were replaced be looked at, once they have stood for a while.
    pub(super) fn sweep_later(&mut self) {
        let at = Millis(self.now.0.saturating_add(REPLACED_MS));
        self.sweep_at.get_or_insert(at);
    }

    /// When the files that were replaced are looked at next, once the last look at them has ended.
    pub(super) fn sweep_due(&self) -> Option<Millis> {
        self.sweep_at.filter(|_| !self.sweeping)
    }

    /// The files that were replaced were looked at. A save that came back is a file that was touched; of one that stands
    /// aside a person is told.
    pub(super) fn swept(&mut self, left: bool, aside: Vec<(ItemId, PartId, String)>) {
        self.sweeping = false;
        if left {
            // It stands until a later look finds it once more.
            self.sweep_at = None;
            self.sweep_later();
        }
        for (id, part, path) in aside {
            self.saved_aside(id, part, &path);
        }
    }

    /// Tells of a save that is not in its file.
    pub(super) fn saved_aside(&mut self, id: ItemId, part: PartId, path: &str) {
        let Some(known) = self.items.get_mut(&id).and_then(|item| item.parts.get_mut(&part)) else { return };
        let message = format!(
            "a program saved the file while another text took its place; what it saved stands in `{path}`: put into the file what \
             is missing there"
        );
        known.state.told.landed(vec![notice("SAVED_ASIDE", message)], self.now);
        let told = known.state.told.clone();
        self.out.push(Effect::SaveTold { item: id, part, told });
    }

    /// A file was written, or not.
    pub(super) fn deposited(&mut self, item: &mut Item, id: &PartId, result: Result<Stamp, NotDone>) -> Fate {
        self.sweep_later();
        if !matches!(result, Err(NotDone::Failed(_))) {
            // It is stored.
            item.state.arrived.remove(id);
        }
        match result {
            Ok(stamp) => {
                item.state.fleeting.remove(id);
                let Some(walk) = &mut item.walk else { return self.lost(item) };
                walk.deposits.retain(|other| other != id);
                if let Some(merged) = walk.merged.get(id) {
                    let hash = ContentHash::of(merged.file.as_bytes());
                    walk.deposited.insert(id.clone(), (stamp, hash));
                    if let Some(part) = item.parts.get_mut(id) {
                        // So that the watcher's word of our own writing is known for an echo.
                        part.hash = Some(hash);
                        if let Some(accepted) = &mut part.state.accepted {
                            // What came into an accepted text takes nothing back of that.
                            accepted.hash = hash;
                        }
                        let older = walk.stale.remove(id).filter(|older| !older.put_back(&merged.file).is_empty());
                        if let Some(older) = older {
                            part.state.put_back = Some(older.saved);
                        }
                    }
                    let arrival = match said_last(item.state.bases.get(id), walk, id) {
                        (Some(before), Some(base)) => Arrival::noted(before, &merged.file, base),
                        _ => None,
                    };
                    item.state.bases.insert(id.clone(), merged.base.clone());
                    item.state.before_push.remove(id);
                    item.note_arrival(id, arrival);
                }
                self.next_deposit(item)
            }
            Err(NotDone::Moved) => self.moved(item, id),
            Err(NotDone::Failed(failure)) => self.fail_here(item, failure),
        }
    }

    /// A newer save stands where a file was read: it is read, merged and takes the place of the older one.
    pub(super) fn moved(&mut self, item: &mut Item, id: &PartId) -> Fate {
        let key = (item.id.clone(), id.clone());
        if !self.settle.waits(&key) {
            // Nobody has said so yet, so what stands there may be half of a save.
            self.settle.touch(key, Touch::Modified { closes: false }, self.now);
        }
        item.state.moved = item.state.moved.saturating_add(1);
        if let Some(walk) = &mut item.walk {
            walk.why.remote = true;
        }
        if item.state.moved <= MOVED_AT_ONCE {
            self.hand_back(item);
            return Fate::Keep;
        }
        let chance = self.chance.draw();
        let wait = backoff::next(item.state.moved - MOVED_AT_ONCE, None, chance);
        self.put_off(item, Millis(self.now.0.saturating_add(wait)))
    }

    /// Stores what stands now, and what was read of the remote. Where that is gone, the files are kept as they were.
    pub(super) fn record(&mut self, item: &mut Item) -> Fate {
        let (Some(walk), Some(kind)) = (&item.walk, item.kind) else { return self.lost(item) };
        let remote = walk.remote.as_ref().filter(|_| !item.gone);
        let ids: Vec<&PartId> = match remote {
            Some(remote) => remote.parts.iter().map(|(id, _)| id).collect(),
            None => walk.observed.keys().collect(),
        };
        let (mut parts, mut left) = (Vec::new(), Vec::new());
        for id in ids {
            let seen = walk.observed.get(id);
            let known = item.parts.get(id);
            let arrived = item.state.arrived.get(id).cloned().unwrap_or_default();
            let (stamp, hash, text) = match seen.map(|seen| &seen.local) {
                Some(Local::Text { stamp, hash, text }) => (Some(*stamp), Some(*hash), text.as_str()),
                Some(Local::Absent | Local::Unusable { .. } | Local::Restless) | None => (None, None, ""),
            };
            let (base, indexed, stamp, hash, settled) = if let Some(merged) = walk.merged.get(id) {
                let deposited = walk.deposited.get(id);
                let stamp = deposited.map(|(stamp, _)| *stamp).or(stamp);
                let hash = deposited.map(|(_, hash)| *hash).or(hash);
                (&merged.base, merged.file.as_str(), stamp, hash, true)
            } else if let Some(base) =
                item.state.bases.get(id).or(walk.newest.get(id)).or(seen.and_then(|seen| seen.base.as_ref()))
            {
                // What was read may have been half a save, or the moment between two names; once the base has moved on from there
                // it is known, or what came is stored as an arrival: the note would bring back the base from then. Where no file
                // stands it may be brought back as the note has it, and what was read of a save may not have told its base yet.
                let intent = seen.and_then(|seen| seen.intent.as_ref());
                let moved =
                    |intent: &Intent| item.state.bases.get(id).is_some_and(|base| Some(base) != intent.was.as_ref());
                let is_absent = seen.is_some_and(|seen| seen.local == Local::Absent);
                let is_told = !is_absent && !walk.doubted.contains(id);
                let came = |intent: &Intent| is_told && arrived.iter().any(|arrival| intent.is_of(arrival));
                let settled =
                    intent.is_none_or(|intent| came(intent) || moved(intent) && !walk.before_note.contains(id));
                // It took no part: its base stays, so that nothing of either side is taken for agreed. And so does
                // its hash, or the edit that was seen here would look like an echo to the walk that is for it.
                (base, text, known.and_then(|part| part.stamp), known.and_then(|part| part.hash), settled)
            } else {
                left.push(id.clone());
                continue;
            };
            parts.push(RecordPart {
                part: id.clone(),
                base: base.clone(),
                stamp,
                hash,
                behind: known.is_some_and(|part| part.behind),
                indexed: indexed.to_owned(),
                told: known.map(|part| part.state.told.clone()).unwrap_or_default(),
                put_back: known.and_then(|part| part.state.put_back.clone()),
                blind: known.and_then(|part| part.state.blind.clone()),
                arrived,
                written: walk.deposited.contains_key(id),
                settled,
            });
        }
        let record = Record {
            item: item.id.clone(),
            kind,
            title: item.title.clone(),
            revision: remote.and_then(|remote| remote.revision.clone()),
            can_edit: item.can_edit,
            gone: item.gone,
            parts,
            left,
            jobs: item.state.ended.clone(),
            at: self.now,
        };
        item.phase = Phase::Recording;
        for part in &record.parts {
            if let Some(known) = item.parts.get_mut(&part.part) {
                known.stamp = part.stamp;
                known.hash = part.hash;
            }
        }
        self.out.push(Effect::Record(record));
        Fate::Keep
    }

    /// The new base is stored, or not.
    pub(super) fn recorded(&mut self, item: &mut Item, result: Result<(), Failure>) -> Fate {
        if let Err(failure) = result {
            return self.fail_here(item, failure);
        }
        (item.mirrored, item.buried) = (true, false);
        if !item.gone {
            item.parts.values_mut().for_each(|part| part.away = false);
        }
        item.state.ended.clear();
        item.state.bases.clear();
        item.state.arrived.clear();
        item.state.before_push.clear();
        if let Some(walk) = &mut item.walk {
            walk.unrecorded.clear();
            for (id, merged) in &walk.merged {
                let Some(part) = item.parts.get_mut(id) else { continue };
                if part.state.accepted.is_some()
                    && part.state.held.is_empty()
                    && !merge::is_edited(&merged.base, &merged.file)
                {
                    // What was accepted has arrived; the next time it is asked for anew.
                    part.state.accepted = None;
                }
            }
        }
        if item.state.dirty.forget {
            return self.retire(item, None);
        }
        if let Some(walk) = item.walk.as_ref().filter(|walk| walk.buries.is_some()) {
            let read = walk.stamps();
            return self.retire(item, Some(read));
        }
        if item.walk.as_ref().is_some_and(|walk| !walk.passed) {
            self.cover(&item.id, item.covers);
        }
        self.end(item)
    }
}
