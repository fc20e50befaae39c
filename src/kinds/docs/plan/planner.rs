//! The planner: what it knows of both sides, and what it has gathered so far. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use unicode_segmentation::UnicodeSegmentation as _;

use super::carried::Carried;
use super::edit::{Expected, Group};
use super::footnotes::{references, unfit};
use super::head::HeadEdits;
use super::moves::Staying;
use super::trial::{Task, Ties};
use super::unsaid;
use crate::gdocs::{DateElementProperties, Document};
use crate::kinds::Pictures;
use crate::kinds::docs::text::extract::{Extract, Origin};
use crate::kinds::docs::text::flat::{Flat, notices};
use crate::mebdf::{Block, Content, Object, RunContent, Tree, print_block};
use crate::model::{Notice, PartId};

/// Edits that are not pushed, with their reasons.
#[derive(Default)]
pub(super) struct Notices(pub(super) Vec<Notice>);

impl Notices {
    /// Returns them by line, each once.
    pub(super) fn sorted(mut self) -> Vec<Notice> {
        self.0.sort_by_key(|notice| (notice.line, notice.column));
        self.0.dedup();
        self.0
    }

    /// Notes that an edit in `line` of the file is not pushed.
    pub(super) fn refuse(&mut self, code: &str, line: u32, message: impl Into<String>) {
        self.0.push(Notice { code: code.into(), line, column: 0, message: message.into() });
    }
}

/// Gathers the edits of one tab in the order of the document.
pub(super) struct Planner<'a> {
    pub(super) remote: &'a Extract,
    pub(super) tab_id: Option<String>,
    pub(super) accept: bool,
    pub(super) text: &'a str,
    /// Where the lines of the text end, in bytes.
    newlines: Rc<[usize]>,
    /// What the parser did not understand.
    pub(super) diagnostics: &'a [Notice],
    /// The objects that the file still holds, by id: what looks destroyed may only have moved.
    pub(super) objects: BTreeSet<String>,
    /// What the dates of the file show.
    pub(super) shown_dates: BTreeSet<String>,
    /// Words of text that stands in the file and cannot be pushed: what looks deleted may only have moved there.
    pub(super) moved: BTreeSet<String>,
    /// Such words, as far as this pass found them.
    pub(super) unplaced: BTreeSet<String>,
    /// The labels that the file refers to.
    pub(super) references: BTreeSet<String>,
    /// The labels of footnotes that are to be made; `None` when no object is made at all.
    pub(super) new_footnotes: Option<&'a BTreeSet<String>>,
    /// The footnotes of the file that cannot be made, with what of their text cannot.
    pub(super) unfit_footnotes: BTreeMap<String, String>,
    /// The dates of the document by what they show, with all that makes them again.
    pub(super) dates: &'a BTreeMap<String, DateElementProperties>,
    /// Whether objects wait to be made once the text stands.
    pub(super) pending: bool,
    /// Whether something can only be planned once this has landed.
    pub(super) again: bool,
    /// Words that a change of structure deletes.
    pub(super) deleted: BTreeSet<String>,
    /// What of the document stays.
    pub(super) staying: &'a Staying,
    /// The stretches of the document that they are tied to.
    pub(super) ties: Ties,
    /// The words of those of them that are gone from their place, with what is tied to them.
    pub(super) tied: Vec<(BTreeSet<String>, &'static str)>,
    /// The words of each table that was moved and edited: it stays where it is.
    pub(super) moved_tables: Vec<BTreeSet<String>>,
    pub(super) groups: Vec<Group>,
    pub(super) expected: Vec<Expected>,
    pub(super) refused: Notices,
    pub(super) holds: Vec<Notice>,
    /// What goes with the edit though the file does not show it.
    pub(super) lost: Notices,
    /// The document and its tab, while the structure changes.
    pub(super) document: Option<(&'a Document, &'a PartId)>,
    /// What the head asks for.
    pub(super) head: HeadEdits,
    /// What is known of the files that the text names as new pictures.
    pub(super) pictures: &'a Pictures,
    /// The pictures of the document.
    pub(super) carried: &'a Carried,
}

/// Passes after which the words that cannot be pushed are taken as known; each pass can only find more of them.
pub(super) const PASSES_MAX: usize = 4;

impl<'a> Planner<'a> {
    /// Starts a plan of what makes `remote` say `local`; `moved` are words that are known not to be pushed.
    pub(super) fn new(
        task: &'a Task<'_>,
        remote: &'a Extract,
        (local, new_footnotes): (&Flat, Option<&'a BTreeSet<String>>),
        moved: BTreeSet<String>,
    ) -> Self {
        Self {
            remote,
            tab_id: task.tab_id.clone(),
            accept: task.accept,
            text: &task.text,
            newlines: Rc::clone(&task.newlines),
            diagnostics: &task.diagnostics,
            objects: objects(&local.tree).filter_map(|object| object.id.clone()).collect(),
            shown_dates: objects(&local.tree)
                .filter(|object| object.kind == "date")
                .filter_map(|object| object.title.clone())
                .collect(),
            moved,
            unplaced: BTreeSet::new(),
            references: local.tree.blocks.iter().flat_map(|block| references(&block.content)).collect(),
            new_footnotes,
            unfit_footnotes: unfit(&local.tree, &remote.tree),
            dates: &task.dates,
            pending: false,
            again: false,
            deleted: BTreeSet::new(),
            staying: &task.staying,
            ties: Ties::default(),
            tied: Vec::new(),
            moved_tables: Vec::new(),
            groups: Vec::new(),
            expected: Vec::new(),
            refused: Notices::default(),
            holds: Vec::new(),
            lost: Notices::default(),
            document: None,
            head: HeadEdits::default(),
            pictures: task.pictures,
            carried: &task.carried,
        }
    }

    /// Plans until no text is taken from the document that stands in the file where it cannot be pushed: a paragraph
    /// that was moved to such a place must not be deleted from the place that it left.
    pub(super) fn settled(
        task: &'a Task<'_>,
        remote: &'a Extract,
        local: (&Flat, Option<&'a BTreeSet<String>>),
        mut moved: BTreeSet<String>,
    ) -> Self {
        for pass in 1.. {
            let mut planner = Self::new(task, remote, local, moved.clone());
            planner.front_matter(&local.0.tree);
            planner.findings(local.0);
            for (at, message) in unsaid::torn_off(&task.parsed, &remote.tree, &local.0.tree) {
                planner.refuse(unsaid::LANGUAGE, task.line_at(at), message);
            }
            planner.refused.0.extend(task.held.iter().cloned());
            planner.blocks(local.0);
            if planner.unplaced.is_subset(&moved) || pass == PASSES_MAX {
                return planner;
            }
            moved.append(&mut planner.unplaced);
        }
        unreachable!("the last pass returns")
    }
}

impl Planner<'_> {
    pub(super) fn line_number(&self, block: &Block) -> u32 {
        self.line_at(block.span.0.start)
    }

    /// The line of a row of a table of the file.
    pub(super) fn row_number(&self, table: &Block, row: usize) -> u32 {
        // What was put back for the document has no lines of its own.
        let here = table.span.0.start < self.text.len();
        self.line_number(table).saturating_add(if here { below(row) } else { 0 })
    }

    /// The line of the first row of the file that differs from the one in its place; of what is no table, its first line.
    pub(super) fn differing_row(&self, old: &Block, new: &Block) -> u32 {
        let (Content::Table { rows: was, .. }, Content::Table { rows, .. }) = (&old.content, &new.content) else {
            return self.line_number(new);
        };
        let differs = rows.iter().enumerate().position(|(at, row)| was.get(at) != Some(row));
        self.row_number(new, differs.unwrap_or_default())
    }

    fn line_at(&self, byte: usize) -> u32 {
        let line = self.newlines.partition_point(|newline| *newline < byte);
        u32::try_from(line + 1).unwrap_or(u32::MAX)
    }

    /// Tells what the file asks for that means nothing.
    fn findings(&mut self, local: &Flat) {
        let unknown = self.diagnostics.iter().filter(|notice| notice.code == "UNKNOWN_PROPERTY");
        self.refused.0.extend(unknown.cloned());
        // What stands in the file and is not read may have been moved there.
        let unread: Vec<&Notice> = self.diagnostics.iter().filter(|notice| notice.code == "TABLE_CELLS").collect();
        for notice in unread {
            let line = self.text.lines().nth(notice.line.saturating_sub(1) as usize).unwrap_or_default();
            self.unplaced(line, "");
            self.refused.0.push(waiting(notice));
        }
        let found = notices(&local.findings, |at| self.line_at(at));
        self.refused.0.extend(found);
    }

    pub(super) fn refuse(&mut self, code: &str, line: u32, message: impl Into<String>) {
        self.refused.refuse(code, line, message);
    }

    pub(super) fn hold(&mut self, code: &str, line: u32, message: impl Into<String>) {
        self.holds.push(Notice { code: code.into(), line, column: 0, message: message.into() });
    }

    /// Tells that an empty paragraph cannot go.
    pub(super) fn structure_stays(&mut self, line: u32) {
        let message = "an empty paragraph has to stay here: Docs wants one beside a table and at the end";
        self.refuse("STRUCTURE", line, message);
    }

    /// Tells what would be lost if text with these words moved from where it stood: moving is deleting and typing anew.
    pub(super) fn tied_to(&self, words: &BTreeSet<String>) -> Option<&'static str> {
        self.tied.iter().find(|(tied, _)| is_mostly(tied, words)).map(|(_, what)| *what)
    }

    /// Finds what the parser left out of a table: the block does not say all that the file does.
    pub(super) fn unread(&self, block: &Block) -> Option<Notice> {
        let lines = self.text.get(block.span.0.clone()).unwrap_or_default().lines().count();
        let first = self.line_number(block);
        let last = first.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        let here = |notice: &&Notice| notice.code == "TABLE_CELLS" && (first..last).contains(&notice.line);
        self.diagnostics.iter().find(here).map(waiting)
    }
}

/// What the parser left out of a row, with what that does to its table.
fn waiting(unread: &Notice) -> Notice {
    let message = format!("{}; all edits of this table wait until the row fits", unread.message);
    Notice { message, ..unread.clone() }
}

/// The lines between the first of a table and that of one of its rows: below the first stands the one of dashes.
pub(super) fn below(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX).saturating_add(u32::from(row > 0))
}

/// The rows that the paragraphs of a block stand in, in their order; of what is no table, nothing.
pub(super) fn rows_of(origin: &Origin) -> Vec<usize> {
    let Origin::Table { cells, .. } = origin else { return Vec::new() };
    let rows = cells.iter().enumerate();
    rows.flat_map(|(row, cells)| cells.iter().flatten().map(move |_| row)).collect()
}

/// The objects of a text.
fn objects(tree: &Tree) -> impl Iterator<Item = &Object> {
    let runs = tree.blocks.iter().flat_map(|block| block.content.runs());
    runs.filter_map(|run| if let RunContent::Object(object) = &run.content { Some(object) } else { None })
}

/// A reason, as the end of a sentence.
pub(super) fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

/// Most of a text that a notice shows, in characters.
const SHOWN_MAX: usize = 40;

/// A text as a notice shows it: its beginning, on one line.
pub(super) fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = line.graphemes(true).take(SHOWN_MAX).collect();
    if shown.len() < line.len() {
        shown.truncate(shown.trim_end().len());
        shown.push('…');
    }
    shown
}

/// The words of a text, as far as they can tell where a text went.
pub(super) fn words_of(text: &str) -> BTreeSet<String> {
    text.unicode_words().map(str::to_lowercase).collect()
}

/// Tells whether half of the words of the longer of two texts stand in both.
pub(super) fn is_mostly(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let common = one.intersection(other).count();
    common > 0 && common * 2 >= one.len().max(other.len())
}

/// The text of a block, marks and all, for its words.
pub(super) fn text_of(content: &Content) -> String {
    print_block(content)
}
