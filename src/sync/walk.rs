//! The first half of a walk: read the files, read the remote, merge.

use crate::model::{ContentHash, Millis, PartId};

use super::accepted::{self, LetGo};
use super::alone;
use super::backoff;
use super::blind::Blind;
use super::carried::{PUSHES_MAX, Walk};
use super::choice;
use super::conflict::headings;
use super::engine::{Engine, Fate};
use super::hold;
use super::holding::{self, Seen};
use super::intent;
use super::item::{Item, Part, Phase};
use super::merge::{self, Merged};
use super::named;
use super::older;
use super::push;
use super::unknown;
use super::{Answer, Effect, Failure, FailureClass, Local, Observation, Remote, Touch};

impl Engine {
    /// The files of an item were read.
    pub(super) fn observed(&mut self, item: &mut Item, observations: Vec<Observation>) -> Fate {
        let Some(mut walk) = item.walk.take() else { return self.lost(item) };
        let mut news = false;
        for mut observation in observations {
            // A push that landed moves the base at once, though it is stored only at the end of the walk.
            let is_being_saved = self.settle.waits(&(item.id.clone(), observation.part.clone()));
            if is_being_saved && observation.intent.is_some() {
                // What it says may be half of a save, so nothing tells yet which base it has; and it may be whole before it is merged.
                walk.doubted.insert(observation.part.clone());
            }
            news |= intent::rebase(item, &mut observation, is_being_saved, self.now);
            news |= self.look_at(item, &mut walk, &observation);
            news |= older::look(item, &mut walk, &mut observation);
            walk.observed.insert(observation.part.clone(), observation);
        }
        let is_dry = walk.why.dry;
        for (_, part) in item.parts.iter_mut().filter(|(id, _)| !walk.observed.contains_key(id)) {
            // Nothing is agreed of it, and its file is gone. One that was passed by is written once the remote is read.
            walk.why.remote |= part.behind && !is_dry;
            item.state.dirty.remote |= part.behind && is_dry;
            part.stands_no_more();
        }
        let restless = walk.restless;
        if !walk.why.accept.is_empty() && !restless && walk.doubted.is_empty() {
            // What was read is released, and nothing that is saved later.
            walk.why.accept.clear();
            walk.why.push = true;
        }
        walk.news = news;
        // Whether a document that was gone is there again, nothing tells.
        let silent = !news && !walk.why.wants_remote() && !walk.why.dry && (!item.gone || item.buried);
        item.walk = Some(walk);
        if restless {
            let chance = self.chance.draw();
            item.state.failures = item.state.failures.saturating_add(1);
            let at = Millis(self.now.0.saturating_add(backoff::next(item.state.failures, None, chance)));
            return self.put_off(item, at);
        }
        if item.state.dirty.forget {
            return self.forget_files(item);
        }
        if self.halted.is_some() {
            return self.stop(item);
        }
        if silent {
            return self.end(item);
        }
        self.fetch(item)
    }

    /// Takes in one file; tells whether it says anything that was not recorded.
    fn look_at(&mut self, item: &mut Item, walk: &mut Walk, observation: &Observation) -> bool {
        let key = (item.id.clone(), observation.part.clone());
        let count = item.parts.len();
        let part = item.parts.or_default(&observation.part);
        part.state.unusable = None;
        match &observation.local {
            Local::Absent => {
                part.stands_no_more();
                part.behind = observation.base.is_some();
                // What was never recorded is no file that somebody has deleted: it is written once more.
                walk.why.remote |= observation.base.is_none() && observation.intent.is_some() && !item.buried;
                if walk.why.seen_missing && part.stamp.take().is_some() {
                    // It is recorded, so that no later start takes it for news.
                    walk.why.remote = true;
                }
                if observation.base.is_some() && !part.hidden && !part.away {
                    part.hidden = true;
                    if item.mirrored && part.stamp.is_some() {
                        self.note_missing(key, count);
                    }
                }
                false
            }
            Local::Restless => {
                walk.restless = true;
                false
            }
            Local::Unusable { notice } => {
                (part.hidden, part.away) = (false, false);
                part.behind = true;
                part.state.unusable = Some(notice.clone());
                self.note_standing(&key);
                false
            }
            Local::Text { hash, text, .. } => {
                // What was recorded of it before it went may have waited, and was not looked at while it was away.
                let is_back = part.hidden && part.behind;
                walk.why.remote |= is_back;
                // A dry run takes nothing in, so another walk has to.
                item.state.dirty.remote |= is_back && walk.why.dry;
                (part.hidden, part.away) = (false, false);
                self.note_standing(&key);
                let is_cut = |base: &String| hold::cut(base, text).is_some() && !merge::same_meaning(base, text);
                // What was recorded has been seen being saved.
                let is_unseen = walk.why.look && part.hash != Some(*hash);
                // A push that may have landed was of a longer text, perhaps.
                let pushed = item.state.unknown.iter().filter(|unknown| unknown.part == observation.part);
                let mut known = observation.base.iter().chain(pushed.map(|unknown| &unknown.expected));
                if is_unseen && known.any(is_cut) {
                    part.state.cut = Some(*hash);
                }
                // Of an empty file of which nothing is agreed, nothing is known but that somebody has opened it.
                let is_bare = is_blank(Some(text)) && is_blank(observation.base.as_deref());
                let is_accepted = walk.why.accept.contains(&observation.part);
                let is_doubted =
                    walk.why.twice.remove(&observation.part) || self.unwatched.is_some() || is_bare && !is_accepted;
                let is_base = observation.base.as_ref() == Some(text) && !is_bare;
                let is_begun = !is_accepted
                    && part.hash != Some(*hash)
                    && observation.base.as_ref().is_some_and(|base| hold::lacks_end(base, text));
                if is_begun && self.settle.wait_for_end(&key, self.now) {
                    walk.doubted.insert(observation.part.clone());
                    return false;
                }
                if is_doubted && !is_base && part.state.first_reading != Some(*hash) {
                    // Nobody says when the writer is done: the same bytes twice with quiet between must do.
                    part.state.first_reading = Some(*hash);
                    walk.doubted.insert(observation.part.clone());
                    self.settle.touch(key, Touch::Modified { closes: false }, self.now);
                    return false;
                }
                if !is_doubted {
                    part.state.first_reading = None;
                }
                if is_accepted {
                    part.state.accept(*hash);
                } else if !part.state.accepts(*hash) {
                    part.state.accepted = None;
                }
                let news = is_news(walk, part, observation.base.as_deref(), *hash, text);
                if news {
                    let chance = self.chance.draw();
                    self.polling.note_edit(self.now, chance);
                } else if observation.base.as_ref().is_some_and(|base| base == text) {
                    part.state.held.clear();
                    part.state.refused.clear();
                    part.state.unsaid.clear();
                    // An edit that waited was taken back; made once more, it is no echo. Or the file is there again. Of what
                    // came meanwhile nothing tells once more.
                    part.hash = Some(*hash);
                    walk.why.remote |= part.behind;
                }
                news
            }
        }
    }

    /// Asks for the remote, or waits until it may be asked.
    pub(super) fn fetch(&mut self, item: &mut Item) -> Fate {
        if self.halted.is_some() {
            return self.stop(item);
        }
        let pushes = item.walk.as_ref().is_some_and(|walk| walk.news && !walk.why.dry) && !self.settings.read_only;
        if !self.may_read(item, pushes) {
            if let Some(walk) = item.walk.as_mut().filter(|walk| !walk.why.dry) {
                // What was seen in the files is seen again, but what it is to be compared with must be asked for. A dry run
                // asks by itself; as anything more it would have to let another walk go first, again and again.
                walk.why.remote = true;
            }
            self.hand_back(item);
            return Fate::Keep;
        }
        item.state.reserved.reads = item.state.reserved.reads.saturating_sub(1);
        // What the feed named up to here is covered by this reading; what it names from now on is for the next walk.
        // A dry run takes nothing in, so it covers nothing.
        if let Some(walk) = item.walk.as_mut().filter(|walk| !walk.why.dry) {
            walk.why.remote = true;
            walk.why.may_be_trashed |= std::mem::take(&mut item.state.dirty.may_be_trashed);
            item.state.dirty.remote = false;
            item.covers = self.pages.count;
        }
        item.phase = Phase::Fetching;
        let is_named = item.walk.as_ref().is_some_and(|walk| walk.why.may_be_trashed);
        let may_be_trashed = is_named || item.state.dirty.may_be_trashed || item.gone || !item.mirrored;
        self.out.push(Effect::Fetch { item: item.id.clone(), may_be_trashed });
        Fate::Keep
    }

    /// The remote was read, or not.
    pub(super) fn fetched(&mut self, item: &mut Item, result: Result<Remote, Failure>) -> Fate {
        match result {
            Ok(remote) => {
                self.signed_in();
                self.read_remote(item, remote)
            }
            Err(failure) if failure.class == FailureClass::Gone => self.gone(item, failure),
            Err(failure) => self.fail(item, failure),
        }
    }

    fn read_remote(&mut self, item: &mut Item, remote: Remote) -> Fate {
        if item.state.dirty.forget {
            return self.forget_files(item);
        }
        if self.halted.is_some() {
            return self.stop(item);
        }
        if item.walk.as_ref().is_some_and(|walk| !walk.why.dry && self.is_saved_before_named(item, walk)) {
            self.hand_back(item);
            return Fate::Keep;
        }
        let Some(mut walk) = item.walk.take() else { return self.lost(item) };
        self.progress.read(self.now);
        if !walk.why.dry || !item.state.dirty.real() {
            // Of what waits for its time a dry run says nothing.
            item.state.failures = 0;
            let failure = item.state.failure.take().or(walk.failed_push.take());
            walk.failed_push = failure.filter(|_| item.state.push_failures > 0);
        }
        item.gone = false;
        item.kind = Some(remote.kind);
        item.title.clone_from(&remote.title);
        item.can_edit = remote.can_edit;
        unknown::settle(item, &mut walk, &remote, self.now);
        unknown::doubt(item, &mut walk);
        named::name_anew(item, &mut walk, &remote);
        // A part that has neither base nor file nor remote is nothing any more.
        let known: Vec<PartId> = remote.parts.iter().map(|(id, _)| id.clone()).collect();
        if !walk.why.dry {
            self.end_conflicts_without(item, &known);
            self.put_away_unedited(item, &mut walk, &known);
        }
        let stands = |id: &PartId| walk.local(id).is_some_and(|local| *local != Local::Absent);
        item.parts.retain(|id| known.contains(id) || stands(id));
        item.state.unlanded.retain(|(id, _)| known.contains(id));
        walk.merged.clear();
        walk.plans.clear();
        for (id, text) in &remote.parts {
            if let Some(merged) = self.merge_part(item, &mut walk, id, text) {
                if !merged.pushes && !walk.why.dry {
                    item.state.unlanded.retain(|(other, _)| other != id);
                }
                if merged.pushes && walk.pushed.get(id).is_none_or(|pushes| *pushes < PUSHES_MAX) {
                    walk.plans.push_back(id.clone());
                }
                walk.merged.insert(id.clone(), merged);
            }
        }
        for (id, part) in item.parts.iter_mut() {
            if !known.contains(id) {
                let agreed =
                    item.state.bases.contains_key(id) || walk.observed.get(id).is_some_and(|seen| seen.base.is_some());
                alone::left(part, agreed);
            }
        }
        choice::pass_by(&mut walk, &item.parts);
        choice::once_merged(&mut walk);
        walk.remote = Some(remote);
        for (id, waiting) in std::mem::take(&mut walk.said) {
            push::respell(&mut walk, &id, &waiting);
        }
        item.walk = Some(walk);
        self.next_plan(item)
    }

    /// Puts the conflict files away of files that no part of the remote stands for any more.
    fn end_conflicts_without(&mut self, item: &mut Item, known: &[PartId]) {
        for (part, state) in item.parts.iter_mut().filter(|(id, _)| !known.contains(id)) {
            if state.conflict_file.is_some_and(|stands| stands.is_some()) || !state.state.conflicts.is_empty() {
                state.conflict_file = Some(None);
                self.out.push(Effect::PutConflict { item: item.id.clone(), part: part.clone(), text: None });
            }
        }
    }

    /// Puts the files away of which no part of the remote stands for any more, and that nobody has edited: an edited one stays.
    fn put_away_unedited(&mut self, item: &Item, walk: &mut Walk, known: &[PartId]) {
        let Walk { observed, doubted, .. } = walk;
        for (part, seen) in observed.iter_mut().filter(|(part, _)| !known.contains(part) && !doubted.contains(part)) {
            let Local::Text { stamp, text, .. } = &seen.local else { continue };
            let base = item.state.bases.get(part).or(seen.base.as_ref());
            let is_edited = base.is_none_or(|base| !merge::same_meaning(base, text));
            if !is_edited && !self.settle.waits(&(item.id.clone(), part.clone())) {
                self.out.push(Effect::PutAway { item: item.id.clone(), part: part.clone(), expect: *stamp });
                seen.local = Local::Absent;
            }
        }
    }

    /// Tells whether a file must be quiet first of which a push has no answer: the ids that the remote gave go into the file with
    /// the word that it landed.
    fn is_saved_before_named(&self, item: &Item, walk: &Walk) -> bool {
        let key = |part: &PartId| (item.id.clone(), part.clone());
        let mut parts = item.state.unknown.iter().map(|unknown| &unknown.part);
        parts.any(|part| walk.doubted.contains(part) || self.settle.is_due_soon(&key(part)))
    }

    /// Merges one file with its remote text; `None` when the file takes no part in this walk.
    fn merge_part(&mut self, item: &mut Item, walk: &mut Walk, id: &PartId, remote: &str) -> Option<Merged> {
        let waits = self.settle.waits(&(item.id.clone(), id.clone()));
        let part = item.parts.or_default(id);
        let observation = walk.observed.get(id);
        let base = item.state.bases.get(id).or(observation.and_then(|seen| seen.base.as_ref()));
        let merged = match observation.map_or(&Local::Absent, |seen| &seen.local) {
            Local::Absent if part.hidden && !walk.why.restore => None,
            Local::Absent => {
                part.hidden = false;
                if part.state.blind.is_none() {
                    // Of a file that was in conflict as a whole nothing was ever agreed, whatever it said.
                    let unknown_since = if base.is_none() { self.lost_at } else { Some(self.now) };
                    let is_unknown = is_blank(base.map(String::as_str));
                    part.state.blind = Blind::written_anew(unknown_since.filter(|_| is_unknown), self.now);
                }
                self.note_standing(&(item.id.clone(), id.clone()));
                Some(merge::adopt(remote))
            }
            Local::Unusable { .. } | Local::Restless => None,
            // Touched since it was read, or read once alone: whatever was read may be half of a save.
            Local::Text { .. } if waits || walk.doubted.contains(id) => {
                walk.passed = true;
                // The second reading may be due already, and was not told that it is behind.
                item.state.dirty.remote |= !waits;
                None
            }
            Local::Text { hash, text, stamp } => {
                if base.is_none() && observation.is_some_and(|seen| seen.intent.is_none()) {
                    part.state.blind = Blind::found(stamp, self.now);
                }
                // It counted until here: a walk may have to wait for its turn to read.
                part.state.first_reading = None;
                let was_told = std::mem::take(&mut part.state.held);
                let asked = walk.why.resolve.iter().rev().find(|resolve| resolve.part == *id);
                let fleeting = item.state.fleeting.get(id).map(Vec::as_slice).unwrap_or_default();
                let seen = Seen { base: base.map(String::as_str), text, hash: *hash, remote, fleeting };
                part.state.held = holding::reasons((walk, id, part), &seen, asked.map(|asked| asked.side), self.now);
                let was_let_go = accepted::let_go((&walk.why, &walk.let_go), &mut walk.released, (id, part), *hash);
                let base = base.map_or("", String::as_str);
                if !part.state.held.is_empty() && !merge::same_meaning(base, remote) {
                    let waits = "; what was changed in the document meanwhile waits, too";
                    part.state.held.iter_mut().for_each(|held| held.message.push_str(waits));
                }
                if !part.state.held.is_empty() {
                    // They are of an older save, and their lines, too.
                    part.state.refused.clear();
                    part.state.unsaid.clear();
                }
                let goes_on = part.state.held.is_empty() || walk.why.dry_accept.contains(id);
                let side = asked.filter(|_| part.state.held.is_empty()).and_then(|asked| {
                    let sides = [base, text, remote];
                    choice::made(asked, part, sides, &mut walk.undecided, &mut walk.given_up, &mut walk.taken)
                });
                if let (Some(_), Some(blind)) = (side, &mut part.state.blind) {
                    // Who chose has compared the texts.
                    blind.let_go(text, [base, remote]);
                }
                let merged = goes_on.then(|| merge::resolve(base, text, remote, side));
                // A file that is held is in conflict all the same.
                let open = merged.is_none().then(|| merge::merge3(base, text, remote).conflicts);
                if let Some(open) = open {
                    part.state.conflicts = headings(&open);
                }
                let is_clear = merged.as_ref().is_some_and(|merged| merged.conflicts.is_empty());
                match was_let_go {
                    Some(LetGo::Now) if is_clear && !walk.why.dry => {
                        part.state.put_back = None;
                        if let Some(blind) = &mut part.state.blind {
                            blind.let_go(text, [base, remote]);
                        }
                        part.state.told.decided(older::PUT_BACK);
                    }
                    // What it waits for is a choice.
                    Some(LetGo::WithAChoice) if !part.state.conflicts.is_empty() => part.state.held.clear(),
                    Some(LetGo::Now | LetGo::WithAChoice) | None => {}
                }
                let twice = merged.as_ref().and_then(|merged| older::stands_twice(walk, id, text, merged));
                part.state.held.extend(twice);
                if walk.why.dry_accept.contains(id) && !was_told.is_empty() {
                    // What waits goes on to wait, for all that it was told to.
                    part.state.held = was_told;
                }
                merged.filter(|_| part.state.held.is_empty() || walk.why.dry_accept.contains(id))
            }
        };
        part.behind = merged.as_ref().is_none_or(|merged| !merged.conflicts.is_empty());
        if let Some(merged) = &merged {
            part.state.conflicts = headings(&merged.conflicts);
            if !merged.pushes {
                part.state.refused.clear();
                part.state.unsaid.clear();
            }
        }
        merged
    }

    /// The item is gone or hidden from this account. Files that equal their base are put away until it is there again; edits are
    /// kept.
    fn gone(&mut self, item: &mut Item, failure: Failure) -> Fate {
        let Some(walk) = &item.walk else { return self.lost(item) };
        let untouched = walk.observed.values().all(|seen| match &seen.local {
            Local::Absent => true,
            Local::Text { text, .. } => seen.base.as_ref().is_some_and(|base| merge::same_meaning(base, text)),
            Local::Unusable { .. } | Local::Restless => false,
        });
        let read = walk.stamps();
        // It may have been on its way back, so that some of its files stand there again.
        let stands = walk.observed.values().any(|seen| seen.local != Local::Absent);
        let is_away = item.buried && untouched && !stands;
        let is_buried_now = item.mirrored && item.kind.is_some() && untouched && !is_away;
        let waiters = item.walk.as_mut().filter(|_| !is_buried_now).map(|walk| std::mem::take(&mut walk.waiters));
        item.release_nothing();
        for waiter in waiters.unwrap_or_default() {
            self.reply(waiter.request, Answer::Failed(failure.clone()));
        }
        if is_away {
            item.gone = true;
            self.cover(&item.id, item.covers);
            return self.end(item);
        }
        if !item.mirrored || untouched && item.kind.is_none() {
            return self.retire(item, Some(read));
        }
        item.gone = true;
        item.state.failure = Some(failure.clone());
        if item.kind.is_none() {
            // It was never read, so there is nothing that could be recorded of it.
            self.cover(&item.id, item.covers);
            return self.end(item);
        }
        if let Some(walk) = &mut item.walk {
            // What was merged before is not recorded: the files are kept as they stand, or put away once their bases are.
            walk.merged.clear();
            walk.buries = untouched.then_some(failure);
        }
        self.record(item)
    }
}

/// Tells whether a file says anything that the remote should be asked about.
fn is_news(walk: &Walk, part: &Part, base: Option<&str>, hash: ContentHash, text: &str) -> bool {
    let Some(base) = base else { return true };
    if base == text {
        // An empty base says that nothing is agreed yet.
        return is_blank(Some(text));
    }
    // Only touched, and still the bytes that were recorded: an echo of our own deposit, or edits that already wait.
    let echo = walk.why.local && !walk.why.look && part.hash == Some(hash);
    !echo && merge::is_edited(base, text)
}

/// Tells whether a text says nothing at all, not even a head, or is none.
fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}
