//! Which blocks each side changed, where the two meet, and how far a conflict reaches.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::align;
use super::sides::Text;
use crate::mebdf::{Content, MAIL_ANCHOR};

/// Words of this length tell one paragraph from another, in bytes.
pub(super) const TELLING_BYTES: usize = 5;

/// What is done with a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Both sides say the same.
    Agree,
    /// Only the file changed it.
    Local,
    /// Only the remote changed it.
    Remote,
    /// Both changed it, each in its own way.
    Conflict,
    /// Where nothing was, a mail came and the person began a section of their own: both stay, the mail first.
    Both,
}

/// A run of base blocks that at least one side changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    /// Its blocks in the base; empty for an insertion.
    pub(super) base: Range<usize>,
    /// Count of its blocks in the file.
    pub(super) local_len: usize,
    /// Count of its blocks in the remote.
    pub(super) remote_len: usize,
    /// What is done with it.
    pub(super) verdict: Verdict,
}

/// One change of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk {
    base: Range<usize>,
    new: Range<usize>,
}

impl Hunk {
    /// Tells whether it inserts, perhaps beside what it changes.
    fn grows(&self) -> bool {
        self.new.len() > self.base.len()
    }
}

/// Changes of both sides that touch the same blocks.
#[derive(Debug, Clone)]
struct Group {
    base: Range<usize>,
    local: Range<usize>,
    remote: Range<usize>,
    verdict: Verdict,
}

/// A conflict, grown to whole sections.
#[derive(Debug, Clone)]
struct Zone {
    base: Range<usize>,
    /// Where both sides insert; when that is its end, insertions there belong to it.
    hot: Option<usize>,
}

/// What the search for regions works on.
struct Search<'a> {
    base: &'a Text<'a>,
    local: &'a Text<'a>,
    remote: &'a Text<'a>,
    mine: Vec<Hunk>,
    theirs: Vec<Hunk>,
}

/// Returns the regions in order; between them all three say the same.
pub(super) fn regions(base: &Text<'_>, local: &Text<'_>, remote: &Text<'_>) -> Vec<Region> {
    let search = Search { base, local, remote, mine: diff(base, local), theirs: diff(base, remote) };
    let groups = search.groups();
    let zones = search.zones(&groups);
    search.regions(&groups, &zones)
}

/// Returns the places where either side changed anything, in order: like [`regions`], but for what a conflict holds back around it.
pub(super) fn places(base: &Text<'_>, local: &Text<'_>, remote: &Text<'_>) -> Vec<Region> {
    let search = Search { base, local, remote, mine: diff(base, local), theirs: diff(base, remote) };
    search.regions(&search.groups(), &[])
}

/// Returns the blocks that both sides edited where they stand, each in its own way: in the base, in the file and in the remote.
pub(super) fn edited_by_both(base: &Text<'_>, local: &Text<'_>, remote: &Text<'_>) -> Vec<[usize; 3]> {
    let search = Search { base, local, remote, mine: diff(base, local), theirs: diff(base, remote) };
    let one = |hunks: &[Hunk], range: Range<usize>| match hunks.get(range) {
        Some([hunk]) if hunk.base.len() == 1 && hunk.new.len() == 1 => Some(hunk.new.start),
        _ => None,
    };
    // Whoever put there what the other put elsewhere moved it.
    let is_new = |text: &Text<'_>, at: usize, other: &Text<'_>| {
        text.keys_of(&(at..at + 1)).iter().all(|key| !other.keys.contains(key))
    };
    let conflicts = search.groups().into_iter().filter(|group| group.verdict == Verdict::Conflict);
    let edited = conflicts.filter(|group| group.base.len() == 1).filter_map(|group| {
        let (mine, theirs) = (one(&search.mine, group.local)?, one(&search.theirs, group.remote)?);
        (is_new(local, mine, remote) && is_new(remote, theirs, local)).then_some([group.base.start, mine, theirs])
    });
    edited.collect()
}

/// Diffs two texts by meaning. Blocks that were replaced one for one, or are edits of one another beside what came or went, are
/// hunks of their own, so that edits of neighbours do not meet.
fn diff(base: &Text<'_>, new: &Text<'_>) -> Vec<Hunk> {
    let mut runs: Vec<Hunk> = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &base.keys, &new.keys) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (base, new) = (op.old_range(), op.new_range());
        match runs.last_mut() {
            Some(last) if last.base.end == base.start && last.new.end == new.start => {
                (last.base.end, last.new.end) = (base.end, new.end);
            }
            _ => runs.push(Hunk { base, new }),
        }
    }
    let mut hunks = Vec::new();
    for run in runs.into_iter().flat_map(|run| at_new_section(run, base, new)) {
        let moves = || align::moves_words((base, &run.base), (new, &run.new));
        if run.base.len() == run.new.len() && !crosses_sections(&run, base, new) && !moves() {
            let singles = run.base.zip(run.new);
            hunks.extend(singles.map(|(base, new)| Hunk { base: base..base + 1, new: new..new + 1 }));
        } else if let Some(parts) = align::parts((base, &run.base), (new, &run.new)) {
            hunks.extend(parts.into_iter().map(|(base, new)| Hunk { base, new }));
        } else {
            hunks.push(run);
        }
    }
    hunks
}

/// Splits a change that edits the end of a section and adds sections after it, so that a conflict about the edit does
/// not hold the new sections back.
fn at_new_section(run: Hunk, base: &Text<'_>, new: &Text<'_>) -> Vec<Hunk> {
    let heading = run.new.clone().find(|index| new.is_heading(*index));
    let splits = !run.base.is_empty() && !run.base.clone().any(|index| base.is_heading(index));
    // What stands below the new heading must be new: an old paragraph that only moved there would come twice.
    let is_new = |heading: &usize| {
        let old = base.slice(&run.base);
        let old: HashSet<&str> = old.split_whitespace().filter(|word| word.len() >= TELLING_BYTES).collect();
        !new.slice(&(*heading..run.new.end)).split_whitespace().any(|word| old.contains(word))
    };
    match heading.filter(|heading| splits && is_new(heading)) {
        Some(heading) => vec![
            Hunk { base: run.base.clone(), new: run.new.start..heading },
            Hunk { base: run.base.end..run.base.end, new: heading..run.new.end },
        ],
        None => vec![run],
    }
}

/// Tells whether a change of several blocks takes text from one section into another: cut one for one, a conflict in one of
/// them would bring that text twice.
fn crosses_sections(run: &Hunk, base: &Text<'_>, new: &Text<'_>) -> bool {
    let pairs = || run.base.clone().zip(run.new.clone());
    if !pairs().any(|(old, new_at)| base.is_heading(old) || new.is_heading(new_at)) {
        return false;
    }
    if pairs().any(|(old, new_at)| base.is_heading(old) != new.is_heading(new_at)) {
        return true;
    }
    let words = |text: &Text<'_>, block: usize| -> HashSet<String> {
        let words = text.slice(&(block..block + 1));
        words.split_whitespace().filter(|word| word.len() >= TELLING_BYTES).map(str::to_owned).collect()
    };
    // A word that is gone from its block and stands in another one went there.
    let mut gone = HashSet::new();
    for (old, own) in pairs() {
        let kept = words(new, own);
        gone.extend(words(base, old).into_iter().filter(|word| !kept.contains(word)));
    }
    run.new.clone().any(|block| words(new, block).iter().any(|word| gone.contains(word)))
}

impl Search<'_> {
    /// Puts changes of both sides together where they meet.
    fn groups(&self) -> Vec<Group> {
        let (mut l, mut r) = (0, 0);
        let mut groups = Vec::new();
        loop {
            let order = |hunk: &Hunk| (hunk.base.start, hunk.base.end);
            let mut group = match (self.mine.get(l), self.theirs.get(r)) {
                (None, None) => break,
                (Some(mine), theirs) if theirs.is_none_or(|theirs| order(mine) <= order(theirs)) => {
                    Group { base: mine.base.clone(), local: l..l + 1, remote: r..r, verdict: Verdict::Local }
                }
                (_, Some(theirs)) => {
                    Group { base: theirs.base.clone(), local: l..l, remote: r..r + 1, verdict: Verdict::Remote }
                }
                (Some(_), None) => break,
            };
            loop {
                let mine = self.mine.get(group.local.end);
                let theirs = self.theirs.get(group.remote.end);
                let meets_mine = mine.is_some_and(|mine| {
                    self.theirs.get(group.remote.clone()).unwrap_or_default().iter().any(|other| self.meet(mine, other))
                });
                let meets_theirs = theirs.is_some_and(|theirs| {
                    self.mine.get(group.local.clone()).unwrap_or_default().iter().any(|other| self.meet(other, theirs))
                });
                if let Some(mine) = mine.filter(|_| meets_mine) {
                    group.base = union(&group.base, &mine.base);
                    group.local.end += 1;
                } else if let Some(theirs) = theirs.filter(|_| meets_theirs) {
                    group.base = union(&group.base, &theirs.base);
                    group.remote.end += 1;
                } else {
                    break;
                }
            }
            (l, r) = (group.local.end, group.remote.end);
            group.verdict = self.verdict(&group);
            groups.push(group);
        }
        self.doubt_doubles(&mut groups);
        groups
    }

    /// Turns changes into conflicts that would bring the same new block twice.
    ///
    /// A push that landed can be cut into changes in another way than the edit it came from when headings went or
    /// blocks repeat; the block then looks new on both sides, at two places.
    fn doubt_doubles(&self, groups: &mut [Group]) {
        let old: HashSet<u32> = self.base.keys.iter().copied().collect();
        let fresh = |side: fn(&Group) -> Range<usize>, hunks: &[Hunk], text: &Text<'_>| {
            let mut found: HashMap<u32, Vec<usize>> = HashMap::new();
            for (index, group) in groups.iter().enumerate().filter(|(_, group)| group.verdict != Verdict::Agree) {
                for hunk in hunks.get(side(group)).unwrap_or_default() {
                    for (at, key) in hunk.new.clone().zip(text.keys_of(&hunk.new)) {
                        if !old.contains(key) && text.has_words(at) {
                            found.entry(*key).or_default().push(index);
                        }
                    }
                }
            }
            found
        };
        let mine = fresh(|group| group.local.clone(), &self.mine, self.local);
        let theirs = fresh(|group| group.remote.clone(), &self.theirs, self.remote);
        for (key, ours) in mine {
            let others = theirs.get(&key).map(Vec::as_slice).unwrap_or_default();
            if others.is_empty() || (ours == others && ours.len() == 1) {
                continue;
            }
            for index in ours.iter().chain(others) {
                if let Some(group) = groups.get_mut(*index) {
                    group.verdict = Verdict::Conflict;
                }
            }
        }
    }

    /// Tells whether a change of the file and one of the remote touch the same place.
    fn meet(&self, mine: &Hunk, theirs: &Hunk) -> bool {
        let touch = mine.base.end == theirs.base.start || theirs.base.end == mine.base.start;
        if touch {
            // The same new block on both sides is one block, however the two diffs have cut it; else it came twice.
            let others = self.remote.keys_of(&theirs.new);
            if self.local.keys_of(&mine.new).iter().any(|key| others.contains(key)) {
                return true;
            }
            // Both may insert between the same two blocks.
            if mine.grows() && theirs.grows() {
                return true;
            }
        }
        match (mine.base.is_empty(), theirs.base.is_empty()) {
            (true, true) => mine.base.start == theirs.base.start,
            (false, false) => mine.base.start < theirs.base.end && theirs.base.start < mine.base.end,
            (true, false) => self.meets_insertion(theirs, mine, self.local),
            (false, true) => self.meets_insertion(mine, theirs, self.remote),
        }
    }

    fn meets_insertion(&self, change: &Hunk, insertion: &Hunk, inserted: &Text<'_>) -> bool {
        let at = insertion.base.start;
        if change.base.start < at && at < change.base.end {
            return true;
        }
        // A paragraph that is added to a section whose heading goes away belongs to nothing.
        at == change.base.end
            && change.new.is_empty()
            && change.base.clone().any(|index| self.base.is_heading(index))
            && !inserted.is_heading(insertion.new.start)
    }

    fn verdict(&self, group: &Group) -> Verdict {
        if group.remote.is_empty() {
            return Verdict::Local;
        }
        if group.local.is_empty() {
            return Verdict::Remote;
        }
        let base = self.base.keys_of(&group.base);
        let mine = self.local.keys_of(&new_range(&self.mine, &group.local, &group.base));
        let theirs = self.remote.keys_of(&new_range(&self.theirs, &group.remote, &group.base));
        if mine == theirs {
            Verdict::Agree
        } else if mine == base {
            Verdict::Remote
        } else if theirs == base || extends(mine, theirs, base) {
            Verdict::Local
        } else if extends(theirs, mine, base) {
            Verdict::Remote
        } else if group.base.is_empty() && self.are_answer_and_mail(group) {
            Verdict::Both
        } else {
            Verdict::Conflict
        }
    }

    fn are_answer_and_mail(&self, group: &Group) -> bool {
        let anchor = |text: &Text<'_>, new: Range<usize>| match text.content(new.start) {
            Some(Content::Heading { anchor, .. }) => Some(anchor.clone().unwrap_or_default()),
            _ => None,
        };
        let mine = anchor(self.local, new_range(&self.mine, &group.local, &group.base));
        let theirs = anchor(self.remote, new_range(&self.theirs, &group.remote, &group.base));
        mine.is_some_and(|anchor| anchor.is_empty()) && theirs.is_some_and(|anchor| anchor.starts_with(MAIL_ANCHOR))
    }

    /// Grows each conflict to whole sections, until no change straddles a border.
    fn zones(&self, groups: &[Group]) -> Vec<Zone> {
        let mut zones: Vec<Zone> = Vec::new();
        for group in groups.iter().filter(|group| group.verdict == Verdict::Conflict) {
            // Where both sides insert, the end of the section is part of it.
            let hot = if group.base.is_empty() { Some(group.base.end) } else { None };
            let mut zone = self.grown(groups, group.base.clone(), hot);
            // Growing can reach back over zones that were found before.
            while let Some(last) = zones.pop_if(|last| last.base.end > zone.base.start || last.base == zone.base) {
                zone = self.grown(groups, union(&last.base, &zone.base), last.hot.max(zone.hot));
            }
            zones.push(zone);
        }
        zones
    }

    fn grown(&self, groups: &[Group], base: Range<usize>, hot: Option<usize>) -> Zone {
        let mut zone = Zone { base, hot };
        loop {
            let before = zone.base.clone();
            zone.base = self.sections(&before);
            let held = groups.iter().filter(|group| self.holds(&zone, group));
            zone.base = held.fold(zone.base.clone(), |base, group| union(&base, &group.base));
            if zone.base == before {
                return zone;
            }
        }
    }

    /// Returns the borders of the sections that a range lies in.
    fn sections(&self, range: &Range<usize>) -> Range<usize> {
        // What is inserted before a heading stands at the end of the section above.
        let first = if range.is_empty() { range.start.checked_sub(1) } else { Some(range.start) };
        let start = first.map_or(0, |first| (0..=first).rev().find(|index| self.base.is_heading(*index)).unwrap_or(0));
        let end = (range.end..self.base.len()).find(|index| self.base.is_heading(*index)).unwrap_or(self.base.len());
        start..end
    }

    /// Tells whether a group lies in a zone or straddles its border.
    fn holds(&self, zone: &Zone, group: &Group) -> bool {
        let Range { start, end } = zone.base;
        if !group.base.is_empty() {
            return group.base.start < end && start < group.base.end;
        }
        let at = group.base.start;
        if at == end {
            let mine = self.mine.get(group.local.clone()).unwrap_or_default();
            let theirs = self.theirs.get(group.remote.clone()).unwrap_or_default();
            let joins = mine.iter().any(|hunk| !self.local.is_heading(hunk.new.start))
                || theirs.iter().any(|hunk| !self.remote.is_heading(hunk.new.start));
            zone.hot == Some(end) || (start < end && joins)
        } else {
            (start < at && at < end) || (at == 0 && start == 0 && !self.base.is_heading(0))
        }
    }

    fn regions(&self, groups: &[Group], zones: &[Zone]) -> Vec<Region> {
        let mut regions: Vec<Region> = zones
            .iter()
            .map(|zone| {
                let len = zone.base.len();
                Region { base: zone.base.clone(), local_len: len, remote_len: len, verdict: Verdict::Conflict }
            })
            .collect();
        for group in groups {
            let mine = self.mine.get(group.local.clone()).unwrap_or_default();
            let theirs = self.theirs.get(group.remote.clone()).unwrap_or_default();
            if let Some(at) = zones.iter().position(|zone| self.holds(zone, group)) {
                if let Some(region) = regions.get_mut(at) {
                    region.local_len = grow_by(region.local_len, mine);
                    region.remote_len = grow_by(region.remote_len, theirs);
                }
            } else {
                regions.push(Region {
                    base: group.base.clone(),
                    local_len: grow_by(group.base.len(), mine),
                    remote_len: grow_by(group.base.len(), theirs),
                    verdict: group.verdict,
                });
            }
        }
        regions.sort_by_key(|region| (region.base.start, region.base.end));
        regions
    }
}

/// Returns the count of blocks after hunks were applied to `len` blocks.
fn grow_by(len: usize, hunks: &[Hunk]) -> usize {
    let added: usize = hunks.iter().map(|hunk| hunk.new.len()).sum();
    let removed: usize = hunks.iter().map(|hunk| hunk.base.len()).sum();
    (len + added).saturating_sub(removed)
}

/// Returns the blocks that a side has for a base range, given its hunks inside it.
fn new_range(hunks: &[Hunk], inside: &Range<usize>, base: &Range<usize>) -> Range<usize> {
    let (Some(first), Some(last)) = (hunks.get(inside.start), hunks.get(inside.end.saturating_sub(1))) else {
        return 0..0;
    };
    let start = first.new.start.saturating_sub(first.base.start.saturating_sub(base.start));
    let end = last.new.end + base.end.saturating_sub(last.base.end);
    start..end
}

/// Tells whether `more` is what `less` is, with something new before or after it: the smaller change has been agreed
/// on already. A change that also deletes is no such thing, since what it deleted must not come back that way.
fn extends(more: &[u32], less: &[u32], base: &[u32]) -> bool {
    if less.len() < base.len().max(1) || more.len() <= less.len() {
        return false;
    }
    let rest = more.strip_prefix(less).or_else(|| more.strip_suffix(less));
    rest.is_some_and(|rest| rest.iter().all(|key| !base.contains(key)))
}

fn union(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    one.start.min(other.start)..one.end.max(other.end)
}

/// The regions, each with its blocks in the file and in the remote.
pub(super) fn placed(regions: &[Region]) -> impl Iterator<Item = (&Region, Range<usize>, Range<usize>)> {
    let (mut base, mut local, mut remote) = (0, 0, 0);
    regions.iter().map(move |region| {
        let same = region.base.start.saturating_sub(base);
        base = region.base.end;
        let mine = local + same..local + same + region.local_len;
        let theirs = remote + same..remote + same + region.remote_len;
        (local, remote) = (mine.end, theirs.end);
        (region, mine, theirs)
    })
}
