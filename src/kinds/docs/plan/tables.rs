//! Tables: rows and columns come and go, tables are made and deleted. The text of their cells is left to the edit of the
//! text. Pure.

use std::collections::BTreeSet;

use super::align::Step;
use super::blocks::{Entry, aligned, entries, is_settled, key, unaligned_left};
use super::edit::{Group, delete_range, range};
use super::endings;
use super::gap::line_may_go;
use super::moved_tables::{barred_words, inserted, stands_in};
use super::planner::{Planner, text_of, words_of};
use super::rows::Tied;
use super::table_looks::Sources;
use crate::gdocs::{
    DeleteTableColumn, DeleteTableRow, InsertSectionBreak, InsertTable, InsertTableColumn, InsertTableRow, Location,
    Request, SectionType, Style, TableCellLocation, UpdateParagraphStyle,
};
use crate::kinds::docs::text::extract::{Origin, tab_of};
use crate::kinds::docs::text::flat::{Flat, Look};
use crate::kinds::docs::text::line::Line;
use crate::mebdf::{Alignment, Block, Cell, Content, Span, Tree, plain};

/// Bounds of a new table. The editor makes no more columns than that.
pub(super) const COLUMNS_MAX: usize = 20;
/// Google publishes no bound for rows.
const ROWS_MAX: usize = 1_000;

/// What a block is for the paragraphs beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A paragraph, or the like.
    Line,
    /// A table, or something else that is no paragraph; the same for both sides.
    Table,
    /// A section break.
    Break,
    /// A table of contents.
    Contents,
    /// The begin or the end of the body.
    Edge,
}

fn kind(content: &Content) -> Option<Kind> {
    if matches!(content, Content::Directive { .. } | Content::Footnote { .. }) {
        return None;
    }
    Some(match content {
        Content::Table { .. } => Kind::Table,
        content if content.is_object("sectionbreak") => Kind::Break,
        content if content.is_object("toc") => Kind::Contents,
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => Kind::Line,
    })
}

/// Takes the empty paragraphs beside tables in which nothing stands for no others than they are: such a table was just
/// made and is like every new one, and an empty paragraph of the file that stands elsewhere would take it from its place.
pub(super) fn unkey_gaps(old: &mut [Entry<'_>]) {
    let blank = |entry: Option<&Entry<'_>>| {
        let content = entry.map(|entry| &entry.block.content);
        matches!(content, Some(Content::Table { .. })) && content.is_some_and(|content| content.runs().is_empty())
    };
    let empty = |entry: &Entry<'_>| matches!(&entry.block.content, Content::Paragraph { runs } if runs.is_empty());
    for at in 0..old.len() {
        let before = at.checked_sub(1).and_then(|before| old.get(before));
        if !(blank(before) || blank(old.get(at + 1))) {
            continue;
        }
        if let Some(entry) = old.get_mut(at).filter(|entry| empty(entry) && !entry.key.starts_with(['\u{1}', '\u{2}']))
        {
            entry.key = format!("\u{3}{at}");
        }
    }
}

/// Gives the file the empty paragraphs that Docs wants beside a table and that a person does not write. They have no
/// place in the text. Where the document itself does without, it is left alone.
pub(super) fn settle(local: &mut Flat, remote: &Tree) {
    let without: BTreeSet<(Kind, Kind)> = neighbours(remote).into_iter().map(|(_, pair)| pair).collect();
    for (at, pair) in neighbours(&local.tree).into_iter().rev() {
        if !without.contains(&pair) {
            let blocks = &local.tree.blocks;
            let place = blocks.get(at).or(blocks.last()).map_or(0, |block| block.span.0.start);
            let block = Block { content: Content::Paragraph { runs: Vec::new() }, span: Span(place..place) };
            local.insert(at, block, Look::default());
        }
    }
}

/// The same for a file whose blocks took another order since it was done: what nothing wants there any more goes. Where a
/// table or a section break is still to be made, all stays: what it is put beside is not known before it is.
pub(super) fn settle_anew(local: &mut Flat, remote: &Tree) {
    if structures(&local.tree) > structures(remote) {
        return;
    }
    let needless = |blocks: &[Block], at: usize| blocks.get(at).is_some_and(is_settled) && !is_wanted(blocks, at);
    for at in (0..local.tree.blocks.len()).rev() {
        if needless(&local.tree.blocks, at) {
            local.remove(at);
        }
    }
    settle(local, remote);
}

/// How many tables and section breaks a tree has.
pub(super) fn structures(tree: &Tree) -> usize {
    tree.blocks.iter().filter(|block| matches!(kind(&block.content), Some(Kind::Table | Kind::Break))).count()
}

/// How many empty paragraphs of a document stand where Docs wants one.
pub(super) fn wanted(tree: &Tree) -> usize {
    let empty = |content: &Content| matches!(content, Content::Paragraph { runs } if runs.is_empty());
    (0..tree.blocks.len()).filter(|at| empty(&tree.blocks[*at].content) && is_wanted(&tree.blocks, *at)).count()
}

/// The places where a paragraph is wanted and none is: index of the block behind, and what stands on both sides.
fn neighbours(tree: &Tree) -> Vec<(usize, (Kind, Kind))> {
    let mut found = Vec::new();
    let (mut before, mut end) = (Kind::Edge, 0);
    for (at, block) in tree.blocks.iter().enumerate() {
        let Some(kind) = kind(&block.content) else { continue };
        // A directive in between belongs to what follows.
        if wants_paragraph(before, kind) {
            found.push((end, (before, kind)));
        }
        (before, end) = (kind, at + 1);
    }
    if wants_paragraph(before, Kind::Edge) {
        found.push((end, (before, Kind::Edge)));
    }
    found
}

/// Tells whether Docs wants a paragraph between what stands on both sides of a block.
fn is_wanted(blocks: &[Block], at: usize) -> bool {
    let before = blocks.iter().take(at).rev().find_map(|block| kind(&block.content));
    let behind = blocks.iter().skip(at + 1).find_map(|block| kind(&block.content));
    wants_paragraph(before.unwrap_or(Kind::Edge), behind.unwrap_or(Kind::Edge))
}

const fn wants_paragraph(before: Kind, behind: Kind) -> bool {
    match (before, behind) {
        (Kind::Line, _) | (_, Kind::Line) | (Kind::Edge, Kind::Edge | Kind::Contents) => false,
        (Kind::Table | Kind::Break | Kind::Contents, _) | (Kind::Edge, Kind::Table | Kind::Break) => true,
    }
}

/// Returns how much of the words of two tables is the same, from 0 to 1.
pub(super) fn alike(old: &[Vec<Cell>], new: &[Vec<Cell>]) -> f32 {
    let words = |rows: &[Vec<Cell>]| rows.iter().flatten().flat_map(|cell| words_of(&cell_text(cell))).collect();
    ratio(&words(old), &words(new))
}

/// Returns how much of two sets of words is the same, from 0 to 1, seen from the smaller one: rows and columns may have
/// come or gone.
pub(super) fn ratio(old: &BTreeSet<String>, new: &BTreeSet<String>) -> f32 {
    let count = |count: usize| u16::try_from(count).map_or(f32::from(u16::MAX), f32::from);
    let least = old.len().min(new.len());
    if least == 0 { 0.0 } else { count(old.intersection(new).count()) / count(least) }
}

pub(super) fn cell_text(cell: &Cell) -> String {
    cell.iter().map(|runs| plain(runs)).collect::<Vec<_>>().join("\n")
}

/// Returns the requests that align the columns of a table as the file says.
pub(super) fn alignments(
    cells: &[Vec<Vec<Line>>],
    old: &[Alignment],
    new: &[Alignment],
    tab: Option<&str>,
) -> Vec<Request> {
    let (old, new) = (unaligned_left(old), unaligned_left(new));
    let mut requests = Vec::new();
    for (column, (_, wanted)) in old.iter().zip(&new).enumerate().filter(|(_, (old, new))| old != new) {
        let value = match wanted {
            Alignment::Center => "CENTER",
            Alignment::Right => "END",
            Alignment::None | Alignment::Left => "START",
        };
        for line in cells.iter().filter_map(|row| row.get(column)).flatten() {
            requests.push(Request::UpdateParagraphStyle(UpdateParagraphStyle {
                range: range(line.segment.as_deref(), tab, line.start, line.end),
                paragraph_style: Style([("alignment".to_owned(), value.into())].into_iter().collect()),
                fields: "alignment".into(),
            }));
        }
    }
    requests
}

impl Planner<'_> {
    /// Gives the document the tables and section breaks of the file, with as many rows and columns; what is new is empty.
    pub(super) fn tables(&mut self, local: &Flat) {
        let (old, new) = entries(self.remote, local, self.staying);
        let interesting = |entry: &Entry<'_>| matches!(kind(&entry.block.content), Some(Kind::Table | Kind::Break));
        if !old.iter().any(interesting) && !new.iter().any(interesting) {
            return;
        }
        let steps = aligned(self.remote, &old, &new);
        self.note_anchored(&old, &steps);
        self.note_moved_tables(&old, &new, &steps);
        let gone: BTreeSet<&str> = steps
            .iter()
            .filter_map(|step| if let Step::Delete(i) = step { Some(&*old[*i].key) } else { None })
            .collect();
        let inserted = inserted(&new, &steps);
        let elsewhere = barred_words(&inserted);
        let (mut passed, mut passed_new) = (0, 0);
        for step in &steps {
            match *step {
                Step::Pair(i, j) => {
                    (passed, passed_new) = (i + 1, j + 1);
                    if old[i].key != new[j].key {
                        self.reshape(&old[i], &new[j]);
                    }
                }
                Step::Delete(i) => {
                    passed = i + 1;
                    let line = self.line_of(&new, passed_new);
                    self.delete_table(&old[i], (&inserted, &elsewhere), line);
                }
                Step::Insert(j) => {
                    passed_new = j + 1;
                    // One that was edited as well stays where it was, too: here it would stand a second time.
                    let moved = gone.contains(&*new[j].key) || self.is_moved_table(&new[j].block.content);
                    if interesting(&new[j]) && !moved {
                        let origin = |entry: &Entry<'_>| &self.remote.origins[entry.index];
                        let before = passed.checked_sub(1).and_then(|i| old.get(i)).map(origin);
                        let behind = old.get(passed).map(origin);
                        let group = self.insert_structure(&new[j], before, behind);
                        self.groups.extend(group);
                    }
                }
            }
        }
    }

    /// Deletes a table whose text does not stand `elsewhere`, in what is `inserted`.
    fn delete_table(
        &mut self,
        old: &Entry<'_>,
        (inserted, elsewhere): (&[&Entry<'_>], &BTreeSet<String>),
        number: u32,
    ) {
        let Origin::Table { element, place, cells, lock: None } = &self.remote.origins[old.index] else { return };
        let same = inserted.iter().any(|entry| entry.key == old.key);
        if old.look.locked.is_some()
            || same
            || stands_in(elsewhere, old)
            || !self.cells_may_go(cells.iter().flatten(), number)
        {
            return;
        }
        let requests = vec![delete_range(None, self.tab_id.as_deref(), place.0, place.1)];
        self.groups.push(Group { elements: vec![*element], requests });
        self.deleted.extend(words_of(&text_of(&old.block.content)));
    }

    /// Decides whether cells may go with their text; if not, says why.
    fn cells_may_go<'a>(&mut self, cells: impl Iterator<Item = &'a Vec<Line>>, number: u32) -> bool {
        cells.flatten().all(|line| {
            let words = words_of(&line.text());
            line_may_go(self, line, &words, false, number)
        })
    }

    /// Plans an empty table or a section break: behind a paragraph, or before one that keeps all that is its own.
    fn insert_structure(&self, new: &Entry<'_>, before: Option<&Origin>, behind: Option<&Origin>) -> Option<Group> {
        if new.look.locked.is_some() || self.unread(new.block).is_some() {
            return None;
        }
        if self.tied_to(&words_of(&text_of(&new.block.content))).is_some() {
            return None;
        }
        let open = |origin: Option<&Origin>| match origin {
            Some(Origin::Line { element, line }) if line.lock.is_none() => Some((*element, line.clone())),
            _ => None,
        };
        let heading = |line: &Line| line.named_style.starts_with("HEADING_");
        let (before, behind) = (open(before), open(behind));
        // The newline at the end of a paragraph is the paragraph: what is put before it takes a heading's id away, and what
        // is tethered. What is put before a heading gets its looks, so that comes last but one.
        let before = before.filter(|(_, line)| line.units.iter().all(|unit| unit.len > 0));
        let (element, index) = match (&before, &behind) {
            (_, Some((element, line))) if !heading(line) => (*element, line.start),
            (Some((element, line)), _) if !heading(line) => (*element, line.newline_at()),
            (_, Some((element, line))) => (*element, line.start),
            (Some((element, line)), None) => (*element, line.newline_at()),
            (None, None) => return None,
        };
        let location = Some(Location { index, segment_id: None, tab_id: self.tab_id.clone() });
        let request = if let Content::Table { rows, alignments } = &new.block.content {
            if rows.len() > ROWS_MAX || alignments.len() > COLUMNS_MAX {
                return None;
            }
            let (rows, columns) = (u32::try_from(rows.len()).ok()?, u32::try_from(alignments.len()).ok()?);
            Request::InsertTable(InsertTable { rows, columns, location, end_of_segment_location: None })
        } else {
            // The file does not say where the new section begins: right here changes the least.
            let section_type = SectionType::Continuous;
            Request::InsertSectionBreak(InsertSectionBreak { location, end_of_segment_location: None, section_type })
        };
        let tab =
            self.document.and_then(|(document, part)| tab_of(document, part)).and_then(|tab| tab.document_tab.as_ref());
        let end = before.filter(|(_, line)| line.newline_at() == index).zip(tab);
        let end = end.and_then(|((element, line), tab)| endings::parted(tab, element, &line, self.tab_id.as_deref()));
        Some(Group { elements: vec![element], requests: [Some(request), end].into_iter().flatten().collect() })
    }

    /// Why a table of the file has not been made, once the structure stands; the end of a sentence.
    pub(super) fn why_no_table(&self, block: &Block) -> String {
        let Content::Table { rows, alignments } = &block.content else { return "it is none".into() };
        let was_moved = || {
            let tables = self.remote.tree.blocks.iter().filter(|old| matches!(old.content, Content::Table { .. }));
            self.is_moved_table(&block.content)
                || tables.map(|old| key(&old.content)).any(|old| old == key(&block.content))
        };
        if alignments.len() > COLUMNS_MAX {
            format!("it has {} columns, and at most {COLUMNS_MAX} can be made", alignments.len())
        } else if rows.len() > ROWS_MAX {
            format!("it has {} rows, and at most {ROWS_MAX} can be made", rows.len())
        } else if was_moved() {
            "a table cannot be moved, since its colours and widths would be lost; move it in Google Docs, or put it back \
             where it stood, and its edits are pushed"
                .into()
        } else if self.new_footnotes.is_none() {
            "another part of the edit cannot be pushed, and with the table words would be lost or stand twice".into()
        } else {
            "it needs a paragraph beside it that can be edited".into()
        }
    }

    /// Gives a table the rows and columns that the file has.
    fn reshape(&mut self, old: &Entry<'_>, new: &Entry<'_>) {
        let (
            Content::Table { rows: old_rows, .. },
            Content::Table { rows: new_rows, .. },
            Origin::Table { element, place, cells, lock: None },
        ) = (&old.block.content, &new.block.content, &self.remote.origins[old.index])
        else {
            return;
        };
        if old.look.locked.is_some() || new.look.locked.is_some() || self.unread(new.block).is_some() {
            return;
        }
        let (old_width, new_width) = (old_rows.first().map_or(0, Vec::len), new_rows.first().map_or(0, Vec::len));
        if new_width > COLUMNS_MAX || new_rows.len() > ROWS_MAX {
            return;
        }
        let (rows, columns) = Tied::of(&self.ties, cells).aligned(old_rows, new_rows);
        let gone = |steps: &[Step]| -> Vec<usize> {
            steps.iter().filter_map(|step| if let Step::Delete(i) = step { Some(*i) } else { None }).collect()
        };
        let (rows_gone, columns_gone) = (gone(&rows), gone(&columns));
        let going: Vec<(usize, &Vec<Line>)> = cells
            .iter()
            .enumerate()
            .flat_map(|(row, cells)| cells.iter().enumerate().map(move |(column, cell)| (row, column, cell)))
            .filter(|(row, column, _)| rows_gone.contains(row) || columns_gone.contains(column))
            .map(|(row, _, cell)| (row, cell))
            .collect();
        // The line of the row, or of what stands in its place.
        let line = |row: usize| {
            let at = rows.iter().position(|step| matches!(step, Step::Pair(i, _) | Step::Delete(i) if *i == row));
            let behind = at.and_then(|at| rows.get(at..)).unwrap_or_default();
            let there = behind.iter().find_map(|step| match step {
                Step::Pair(_, j) | Step::Insert(j) => Some(*j),
                Step::Delete(_) => None,
            });
            self.row_number(new.block, there.unwrap_or_else(|| new_rows.len().saturating_sub(1)))
        };
        let numbers: Vec<u32> = going.iter().map(|(row, _)| line(*row)).collect();
        if !going.iter().zip(numbers).all(|((_, cell), number)| self.cells_may_go(std::iter::once(*cell), number)) {
            return;
        }
        self.deleted.extend(going.iter().flat_map(|(_, cell)| *cell).flat_map(|line| words_of(&line.text())));
        let line = Lines { start: place.0, tab: self.tab_id.as_deref() };
        let mut requests = line.changes(&columns, old_width, false);
        requests.extend(line.changes(&rows, old_rows.len(), true));
        let sources = Sources::of(&rows, &columns, old_rows, new_rows);
        requests.extend(self.looks_of_moved(place.0, &sources, &requests, self.line_number(new.block)));
        if !requests.is_empty() {
            self.groups.push(Group { elements: vec![*element], requests });
        }
    }
}

/// The rows or columns of one table.
struct Lines<'a> {
    /// Where the table starts.
    start: u32,
    tab: Option<&'a str>,
}

impl Lines<'_> {
    /// Returns the requests that follow `steps`, the last row or column first.
    fn changes(&self, steps: &[Step], count: usize, rows: bool) -> Vec<Request> {
        let mut requests = Vec::new();
        for (at, step) in steps.iter().enumerate().rev() {
            match *step {
                Step::Pair(..) => {}
                Step::Delete(i) => requests.push(self.delete(i, rows)),
                Step::Insert(_) => {
                    let before = steps[..at].iter().rev().find_map(|step| match step {
                        Step::Pair(i, _) | Step::Delete(i) => Some(*i),
                        Step::Insert(_) => None,
                    });
                    let stays = |i: usize| steps.iter().any(|step| matches!(step, Step::Pair(old, _) if *old == i));
                    // What is new looks like what it stands beside; behind the head, like what follows it.
                    let (reference, behind) = match before {
                        None => (0, false),
                        Some(0) if rows && count > 1 && stays(1) => (1, false),
                        Some(i) => (i, true),
                    };
                    requests.push(self.insert(reference, behind, rows));
                }
            }
        }
        requests
    }

    fn cell(&self, at: usize, rows: bool) -> Option<TableCellLocation> {
        let index = u32::try_from(at).unwrap_or(u32::MAX);
        Some(TableCellLocation {
            table_start_location: Some(Location {
                index: self.start,
                segment_id: None,
                tab_id: self.tab.map(ToOwned::to_owned),
            }),
            row_index: if rows { index } else { 0 },
            column_index: if rows { 0 } else { index },
        })
    }

    fn delete(&self, at: usize, rows: bool) -> Request {
        let table_cell_location = self.cell(at, rows);
        if rows {
            Request::DeleteTableRow(DeleteTableRow { table_cell_location })
        } else {
            Request::DeleteTableColumn(DeleteTableColumn { table_cell_location })
        }
    }

    fn insert(&self, at: usize, behind: bool, rows: bool) -> Request {
        let table_cell_location = self.cell(at, rows);
        if rows {
            Request::InsertTableRow(InsertTableRow { table_cell_location, insert_below: behind })
        } else {
            Request::InsertTableColumn(InsertTableColumn { table_cell_location, insert_right: behind })
        }
    }
}
