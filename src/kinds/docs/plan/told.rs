//! What is told of a plan as a whole: that nothing of it can be pushed, that the document would not quite say what the
//! file does, and what goes with it though the file does not show it. Pure.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::align::Step;
use super::blocks::{aligned, entries, is_settled, key};
use super::images;
use super::known;
use super::loosened;
use super::moves::{self, Misplaced, ids, targets};
use super::planner::{Notices, below, excerpt, text_of, words_of};
use super::trial::{Task, Trial};
use super::verify;
use crate::gdocs::{Document, Tab};
use crate::kinds::docs::text::extract::{Extract, Origin, tab_of};
use crate::kinds::docs::text::line::Line;
use crate::kinds::docs::text::values::link_destination;
use crate::mebdf::{Block, Cell, Content, Tree, plain};
use crate::model::Notice;

/// Tells where the document would not quite say what the file does, when nothing else was told.
pub(super) fn tell_unsaid(task: &Task<'_>, trial: &Trial<'_>, inserted: &images::Inserted, notices: &mut Notices) {
    if !notices.0.is_empty() {
        return;
    }
    let (local, _) = task.local_for(&trial.extract);
    if let Some(block) = verify::unsaid(&as_in_file(&trial.extract, inserted), &local.tree) {
        let message = "this could not be pushed quite as it stands here; the rest of the file was";
        notices.refuse("INCOMPLETE", task.line_at(block.span.0.start), message);
    }
}

/// What a tab says, with its new pictures as the file names them.
pub(super) fn as_in_file<'e>(extract: &'e Extract, inserted: &images::Inserted) -> Cow<'e, Tree> {
    if inserted.is_empty() {
        return Cow::Borrowed(&extract.tree);
    }
    let mut said = extract.tree.clone();
    images::as_written(&mut said, inserted);
    Cow::Owned(said)
}

/// Tells that nothing can be pushed, when pushing a part of the edit would lose a word or double it, or leave text where it
/// belongs on neither side.
pub(super) fn tell_torn(task: &Task<'_>, after: &Tree, notices: &mut Notices) -> bool {
    let (before, local) = (&task.remote.tree, task.file.as_ref().unwrap_or(&task.local.tree));
    let mut placed = moves::links_are_kept(before, local, after);
    if !notices.0.is_empty() {
        placed = placed.and_then(|()| moves::headings_are_kept(before, local, after));
    }
    match placed {
        Err(Misplaced::Target(heading)) => {
            let message = "this edit is not pushed: a link goes to this heading, and moving it would break the link";
            notices.refuse("TORN", task.line_at(heading.span.0.start), message);
            return true;
        }
        Err(Misplaced::Text(text)) => {
            let (line, shown) = (line_saying(task, notices, &text), excerpt(&text));
            let message = format!(
                "this edit is not pushed: a part of it cannot be, and by the rest `{shown}` would come under \
                 a heading that it belongs under neither in the document nor in the file"
            );
            notices.refuse("TORN", line, message);
            return true;
        }
        Ok(()) if notices.0.is_empty() => return false,
        Ok(()) => {}
    }
    let kept = verify::words_are_kept(before, &task.parsed, after, task.slid.as_deref())
        .and_then(|()| verify::paragraphs_are_kept(before, local, after))
        .and_then(|()| verify::tables_are_kept(before, &task.parsed, after))
        .and_then(|()| known::paragraphs_are_known(&[before, local, &task.parsed], after))
        .and_then(|()| known::cells_are_known(&[before, local, &task.parsed], after))
        .and_then(|()| known::rows_are_known(before, local, after));
    let Err(text) = kept else { return false };
    let (line, shown) = (line_saying(task, notices, &text), excerpt(&text));
    let message = format!(
        "this edit is not pushed: text with `{shown}` was moved to or from a place that cannot be edited yet, \
         and a part of it would lose that or double it"
    );
    notices.refuse("TORN", line, message);
    true
}

/// The line of the file where a paragraph or a word stands; where the file does not have it, that of the first edit that
/// is not pushed.
pub(super) fn line_saying(task: &Task<'_>, notices: &Notices, text: &str) -> u32 {
    let blocks = || task.parsed.blocks.iter();
    let said = |block: &&Block| {
        let runs = block.content.runs().into_iter();
        runs.map(|run| plain(std::slice::from_ref(run))).collect::<String>().trim() == text
    };
    let found =
        blocks().find(said).or_else(|| blocks().find(|block| words_of(&text_of(&block.content)).contains(text)));
    let first = || notices.0.iter().map(|notice| notice.line).find(|line| *line > 0);
    let row = |block: &Block| {
        let Content::Table { rows, .. } = &block.content else { return 0 };
        let says =
            |cell: &Cell| cell.iter().any(|runs| words_of(&plain(runs)).contains(text) || plain(runs).trim() == text);
        rows.iter().position(|row| row.iter().any(says)).map_or(0, below)
    };
    found.map(|block| task.line_at(block.span.0.start).saturating_add(row(block))).or_else(first).unwrap_or(0)
}

/// Finds what goes with the requests though the file does not show it, by line; of what was refused it takes what is none
/// of the person's text. `told` is what has been found so far.
pub(super) fn side_effects(
    task: &Task<'_>,
    trial: &Trial<'_>,
    (notices, mut told): (&mut Notices, Notices),
    requests: &[Value],
) -> Vec<Notice> {
    if !requests.is_empty() {
        told.0.extend(notices.0.extract_if(.., |notice| notice.code == "STRUCTURE"));
    }
    for reach in &*task.reaches {
        let says = &reach.says;
        let message = match &reach.ended_by {
            None => format!(
                "the heading that ended `{says}` went, so this and the following paragraphs look as it says: write \
                 `{{!Normal text}}` above them to end it here"
            ),
            Some(heading) => format!(
                "the heading `{heading}` ends `{says}`, so this and the following paragraphs do not look as it says any \
                 more: write the directive once more above them to keep that"
            ),
        };
        told.refuse("SCOPE", task.line_at(reach.at), message);
    }
    let places = Places::default();
    loosened::tell(task, trial, &places, &mut told);
    moved_ids(task, &trial.extract, &mut told);
    lost_links(task, &trial.extract, &places, &mut told);
    told.sorted()
}

/// Where the blocks of the document stand in the file, or would; looked for when something has to be told alone.
#[derive(Default)]
pub(super) struct Places(OnceCell<Vec<Place>>);

/// Where one block of the document stands.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Its line; of one that is gone, that of what stands in its place, or of the end.
    line: u32,
    /// The rows that it has in the file, when it is a table.
    rows: usize,
}

impl Places {
    fn of(&self, task: &Task<'_>, block: usize) -> Place {
        self.0.get_or_init(|| Self::find(task)).get(block).copied().unwrap_or_default()
    }

    fn find(task: &Task<'_>) -> Vec<Place> {
        let (file, _) = task.local_for(&task.remote);
        let (old, new) = entries(&task.remote, &file, &task.staying);
        let stands = |block: &Block| !is_settled(block) && block.span.0.start < task.text.len();
        let line = |at: usize| {
            let behind = new.iter().skip(at).map(|entry| entry.block).find(|block| stands(block));
            let block = behind.or_else(|| new.iter().rev().map(|entry| entry.block).find(|block| stands(block)));
            block.map_or(1, |block| task.line_at(block.span.0.start))
        };
        let mut places = vec![Place::default(); task.remote.tree.blocks.len()];
        let mut next = 0;
        for step in aligned(&task.remote, &old, &new) {
            let (gone, place) = match step {
                Step::Insert(j) => {
                    next = j + 1;
                    continue;
                }
                Step::Delete(i) => (i, Place { line: line(next), rows: 0 }),
                Step::Pair(i, j) => {
                    next = j + 1;
                    let rows = if let Content::Table { rows, .. } = &new[j].block.content { rows.len() } else { 0 };
                    (i, Place { line: line(j), rows })
                }
            };
            if let Some(slot) = places.get_mut(old[gone].index) {
                *slot = place;
            }
        }
        places
    }

    /// The line of the file where something stood that begins at a place of the document; 0 for the whole file.
    pub(super) fn line_of(&self, task: &Task<'_>, segment: Option<&str>, at: u32) -> u32 {
        let segment = segment.filter(|id| !id.is_empty());
        let holds = |line: &Line| line.segment.as_deref() == segment && (line.start..line.end).contains(&at);
        for (block, origin) in task.remote.origins.iter().enumerate() {
            let row = match origin {
                Origin::Line { line, .. } => holds(line).then_some(0),
                Origin::Footnote { lines } => lines.iter().any(holds).then_some(0),
                Origin::Table { cells, .. } => cells.iter().position(|row| row.iter().flatten().any(holds)),
                Origin::Fixed { .. } => None,
            };
            let Some(row) = row else { continue };
            let Place { line, rows } = self.of(task, block);
            let same = matches!(origin, Origin::Table { cells, .. } if cells.len() == rows);
            return line.saturating_add(if same { below(row) } else { 0 });
        }
        0
    }
}

/// Finds headings of the file that get another id: links from elsewhere no longer find them. The id goes with the end of a
/// paragraph, and what is put between a heading and a table can only stand behind that end.
fn moved_ids(task: &Task<'_>, after: &Extract, told: &mut Notices) {
    let (was, is) = (ids(&task.remote.tree), ids(&after.tree));
    let (file, _) = task.local_for(&task.remote);
    let wanted = ids(&file.tree);
    for block in &file.tree.blocks {
        let Content::Heading { anchor: Some(id), .. } = &block.content else { continue };
        let name = key(&block.content);
        let is_new = |other: &Block| {
            let Content::Heading { anchor: Some(anchor), .. } = &other.content else { return false };
            !was.contains_key(&**anchor) && key(&other.content) == name
        };
        let nobodys = !was.contains_key(&**id) && !is.contains_key(&**id);
        if nobodys && block.span.0.start < task.text.len() && after.tree.blocks.iter().any(is_new) {
            // Of a long document a stretch alone is looked at here, so it may be one from elsewhere.
            let message = "in the document this heading gets an id of its own, since the one that stands here is another \
                           heading's, or none's: links to that do not lead here";
            told.refuse("HEADING_ID", task.line_at(block.span.0.start), message);
        }
        let (Some(had), has) = (was.get(&**id).map(|was| key(was)), is.get(&**id).map(|is| key(is))) else { continue };
        if has.as_ref() == Some(&name) || block.span.0.start > task.text.len() {
            continue;
        }
        // It stands there with another id, by this plan, and is not one that has always had that.
        let moves = has != Some(had);
        let other = after.tree.blocks.iter().any(|block| {
            let Content::Heading { anchor, .. } = &block.content else { return false };
            let (anchor, fresh) = (anchor.as_deref(), !anchor.as_deref().is_some_and(|own| was.contains_key(own)));
            let own = anchor.and_then(|anchor| wanted.get(anchor));
            key(&block.content) == name && (moves || fresh) && own.is_none_or(|own| key(own) != name)
        });
        if other {
            let message = match is.get(&**id) {
                Some(taken) => format!(
                    "in the document this heading gets another id, since an id goes with the end of its paragraph: links to \
                     it from elsewhere now lead to `{}`",
                    excerpt(&words(taken))
                ),
                None => {
                    "in the document this heading gets another id, since it was moved, or text was put right behind \
                         it: links to it from elsewhere no longer find it"
                        .to_owned()
                }
            };
            told.refuse("HEADING_ID", task.line_at(block.span.0.start), message);
        }
    }
}

/// Finds links of the document to headings that are gone: they stay, and lead nowhere.
fn lost_links(task: &Task<'_>, after: &Extract, places: &Places, told: &mut Notices) {
    let (was, is) = (ids(&task.remote.tree), ids(&after.tree));
    let lost: BTreeMap<&str, &Content> = was.into_iter().filter(|(id, _)| !is.contains_key(id)).collect();
    if lost.is_empty() {
        return;
    }
    let here = targets(std::iter::once(&after.tree));
    let linking = tabs_by_target(task.document);
    for (block, content) in task.remote.tree.blocks.iter().enumerate().map(|(at, block)| (at, &block.content)) {
        let Some((id, name)) = anchor(content).and_then(|id| Some((id, excerpt(&words(lost.get(id)?))))) else {
            continue;
        };
        if here.contains(id) {
            let mut lines = lines_linking(task, id);
            if lines.is_empty() {
                lines.insert(places.of(task, block).line);
            }
            for line in lines {
                let message = format!("the heading `{name}` that this link goes to is gone, so the link leads nowhere");
                told.refuse("LINK_LOST", line, message);
            }
        }
        let others = linking.get(&format!("#^{id}")).into_iter().flatten();
        for tab in others.filter(|tab| !is_tab(tab, task)) {
            let title = tab.tab_properties.as_ref().map(|properties| excerpt(&properties.title)).unwrap_or_default();
            let message = format!(
                "the heading `{name}` is gone, and a link in the tab \"{title}\" that goes to it leads nowhere"
            );
            told.refuse("LINK_LOST", places.of(task, block).line, message);
        }
    }
}

/// The lines of the file in which links to a heading stand.
fn lines_linking(task: &Task<'_>, id: &str) -> BTreeSet<u32> {
    let target = format!("#^{id}");
    let links = |block: &&Block| block.content.runs().iter().any(|run| run.marks.link.as_deref() == Some(&*target));
    let blocks = task.local.tree.blocks.iter().filter(links);
    blocks
        .flat_map(|block| {
            let written = task.text.get(block.span.0.clone()).unwrap_or_default();
            let places: Vec<usize> = written.match_indices(&*target).map(|(at, _)| block.span.0.start + at).collect();
            if places.is_empty() { vec![block.span.0.start] } else { places }
        })
        .filter(|at| *at < task.text.len())
        .map(|at| task.line_at(at))
        .collect()
}

/// The tabs of a document in which links stand, by where these go; in one walk, since a long section may have many headings.
pub(super) fn tabs_by_target(document: &Document) -> BTreeMap<String, Vec<&Tab>> {
    fn walk(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("link").and_then(link_destination));
                fields.values().for_each(|value| walk(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut tabs: BTreeMap<String, Vec<&Tab>> = BTreeMap::new();
    for tab in document.all_tabs() {
        let mut found = BTreeSet::new();
        if let Ok(value) = serde_json::to_value(&tab.document_tab) {
            walk(&value, &mut found);
        }
        for target in found {
            tabs.entry(target).or_default().push(tab);
        }
    }
    tabs
}

fn is_tab(tab: &Tab, task: &Task<'_>) -> bool {
    tab_of(task.document, task.part).is_some_and(|own| std::ptr::eq(own, tab))
}

fn anchor(content: &Content) -> Option<&str> {
    if let Content::Heading { anchor: Some(anchor), .. } = content { Some(anchor) } else { None }
}

/// The words of a heading.
fn words(content: &Content) -> String {
    content.runs().into_iter().map(|run| plain(std::slice::from_ref(run))).collect()
}
