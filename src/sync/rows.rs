//! The three-way merge of the rows of a table in which rows came or went. Pure.

use std::collections::BTreeSet;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::hunks::TELLING_BYTES;
use super::order;
use super::words::words_in;
use crate::mebdf::{Cell, RunContent};

/// Rows of one table, at most; a longer one is not merged by rows.
const ROWS_MAX: usize = 1_000;

type Row = Vec<Cell>;

/// A change of a side: the rows of the base that go, and those that come there.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    gone: Range<usize>,
    came: Vec<Row>,
}

/// Tells whether each row of a table stands where it stood, perhaps edited. As many may have gone as came.
pub(super) fn are_kept(base: &[Row], rows: &[Row]) -> bool {
    base.len() == rows.len() && base.iter().zip(rows).all(|(was, is)| is_kept(was, is))
}

/// Tells whether a row is another one, perhaps edited: it has half of its words, or its cells.
fn is_kept(was: &Row, is: &Row) -> bool {
    let [old, new] = [was, is].map(|row| said(std::slice::from_ref(row)).collect::<BTreeSet<_>>());
    let same = was.iter().zip(is).filter(|(was, is)| was == is).count();
    old.intersection(&new).count() * 2 >= old.len() || same * 2 >= was.len()
}

/// Tells whether two versions of a table have different columns, or the same in another order: what is new in a row of the one has
/// no place in the other.
pub(super) fn have_other_columns(mine: &[Row], theirs: &[Row]) -> bool {
    let (Some(one), Some(other)) = (mine.first(), theirs.first()) else { return false };
    let sorted = |row: &Row| {
        let mut cells: Vec<String> = row.iter().map(|cell| format!("{cell:?}")).collect();
        cells.sort_unstable();
        cells
    };
    one.len() != other.len() || one != other && sorted(one) == sorted(other)
}

/// Merges the rows of two versions of a table that come from `base`; `merge` merges a row that both edited. `None` where changes
/// meet, where a row might come twice since somebody moved it, or stand where the one side has not put it.
pub(super) fn merged(
    base: &[Row],
    mine: &[Row],
    theirs: &[Row],
    merge: impl Fn(&Row, &Row, &Row) -> Option<Row>,
) -> Option<Vec<Row>> {
    if [base, mine, theirs].iter().any(|rows| rows.len() > ROWS_MAX) {
        return None;
    }
    let keys = |rows: &[Row]| rows.iter().map(|row| format!("{row:?}")).collect::<Vec<_>>();
    let orders = [base, mine, theirs].map(keys);
    let (mine, theirs) = (changes(base, mine), changes(base, theirs));
    let both: Vec<Change> = mine.iter().filter(|change| theirs.contains(change)).cloned().collect();
    let own = |side: Vec<Change>| side.into_iter().filter(|change| !both.contains(change)).collect::<Vec<_>>();
    let (mine, theirs) = (own(mine), own(theirs));
    // Whoever took a row away and put it elsewhere may have moved it, which the other side does not know.
    let (went, came) = (|changes: &[Change]| words_gone(base, changes), |changes: &[Change]| words_come(base, changes));
    let meets = |one: &BTreeSet<String>, other: &BTreeSet<String>| one.intersection(other).next().is_some();
    let is_moved = [&mine, &theirs, &both].iter().any(|changes| meets(&went(changes), &came(changes)));
    if is_moved || meets(&came(&mine), &came(&theirs)) || meets(&went(&both), &came(&[&mine[..], &theirs].concat())) {
        return None;
    }
    let mut all = both;
    let mut others = theirs;
    for change in mine {
        let edit = others.iter().position(|other| other.gone == change.gone && is_edit(&change) && is_edit(other));
        all.push(match edit.map(|at| others.remove(at)) {
            Some(other) => {
                let (was, mine, theirs) = (base.get(change.gone.start)?, change.came.first()?, other.came.first()?);
                // What took the place of another row is no edit of it.
                let row = (is_kept(was, mine) && is_kept(was, theirs)).then(|| merge(was, mine, theirs))??;
                Change { came: vec![row], ..change }
            }
            None => change,
        });
    }
    all.extend(others);
    let rows = applied(base, all)?;
    let [base, mine, theirs] = &orders;
    order::contradicted(base, mine, theirs, &keys(&rows)).is_empty().then_some(rows)
}

/// Tells whether a change edits one row where it stands.
fn is_edit(change: &Change) -> bool {
    change.gone.len() == 1 && change.came.len() == 1
}

/// Returns what a side changed; rows that were replaced one for one are changes of their own.
fn changes(base: &[Row], side: &[Row]) -> Vec<Change> {
    let [old, new] = [base, side].map(|rows| rows.iter().map(|row| format!("{row:?}")).collect::<Vec<_>>());
    let mut changes = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (gone, came) = (op.old_range(), op.new_range());
        let rows = |range: Range<usize>| side.get(range).unwrap_or_default().to_vec();
        if gone.len() == came.len() {
            changes.extend(gone.zip(came).map(|(old, new)| Change { gone: old..old + 1, came: rows(new..new + 1) }));
        } else {
            changes.push(Change { gone, came: rows(came) });
        }
    }
    changes
}

/// The telling words of the rows that go with changes, and of those that come, without those that stay in an edited row.
fn words_gone(base: &[Row], changes: &[Change]) -> BTreeSet<String> {
    let gone = |change: &Change| &words(base.get(change.gone.clone()).unwrap_or_default()) - &words(&change.came);
    changes.iter().flat_map(gone).collect()
}

fn words_come(base: &[Row], changes: &[Change]) -> BTreeSet<String> {
    let came = |change: &Change| &words(&change.came) - &words(base.get(change.gone.clone()).unwrap_or_default());
    changes.iter().flat_map(came).collect()
}

fn words(rows: &[Row]) -> BTreeSet<String> {
    said(rows).filter(|word| word.len() >= TELLING_BYTES).map(str::to_owned).collect()
}

/// The words of rows.
pub(super) fn said(rows: &[Row]) -> impl Iterator<Item = &str> {
    let runs = rows.iter().flatten().flatten().flatten();
    let texts = runs.filter_map(|run| if let RunContent::Text(text) = &run.content { Some(text) } else { None });
    texts.flat_map(|text| words_in(text))
}

/// Makes changes; `None` where two of them meet.
fn applied(base: &[Row], mut changes: Vec<Change>) -> Option<Vec<Row>> {
    changes.sort_by_key(|change| (change.gone.start, change.gone.end));
    let (mut out, mut at, mut inserted) = (Vec::new(), 0, None);
    for Change { gone, came } in changes {
        // Nobody knows in which order two rows stand that came to one place.
        if gone.start < at || gone.is_empty() && inserted == Some(gone.start) {
            return None;
        }
        out.extend_from_slice(base.get(at..gone.start)?);
        out.extend(came);
        inserted = gone.is_empty().then_some(gone.start);
        at = gone.end;
    }
    out.extend_from_slice(base.get(at..)?);
    Some(out)
}
