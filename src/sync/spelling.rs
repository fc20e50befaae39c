//! What a file spells otherwise than the remote though both say the same: a person by the name that somebody typed, a link
//! to a heading by its words, the label of a footnote, a table without the empty paragraph behind it. Once such a text has
//! landed the file takes the remote's way of writing it, since what differs from the remote for ever would meet every later
//! edit of the other side.

use std::collections::{BTreeMap, BTreeSet};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::mebdf::{self, Block, Content, Run, RunContent, print_block};

use super::sides::{Keys, Text};

/// Blocks of a file that its document does not say, as they are written.
#[derive(Debug, Default)]
pub(super) struct Waiting(BTreeSet<String>);

impl Waiting {
    /// The blocks of a file that stand on these lines, which count from 1.
    pub(super) fn of(file: &str, lines: &[u32]) -> Self {
        if lines.is_empty() {
            return Self::default();
        }
        let ends: Vec<usize> = file.match_indices('\n').map(|(at, _)| at).collect();
        let line_of = |at: usize| u32::try_from(ends.partition_point(|end| *end < at) + 1).unwrap_or(u32::MAX);
        let blocks = mebdf::parse(file).tree.blocks;
        let here = |block: &&Block| {
            let (first, behind) = (line_of(block.span.0.start), line_of(block.span.0.end.saturating_sub(1)));
            lines.iter().any(|line| (first..=behind).contains(line))
        };
        Self(blocks.iter().filter(here).map(|block| print_block(&block.content)).collect())
    }
}

/// Returns a file that the remote says all of, but for what waits, with the remote's way of writing the blocks that the two
/// spell in different ways, with the empty paragraphs that no document can be without, and with definitions of footnotes where the
/// remote has them; `None` when that is the file. All else of it keeps its bytes.
///
/// References and definitions of footnotes need each other's labels, so all of them are the remote's or none is.
pub(super) fn respelled(file: &str, remote: &str, waiting: &Waiting) -> Option<String> {
    let mut keys = Keys::default();
    let (file, remote) = (Text::read(file, &mut keys), Text::read(remote, &mut keys));
    let pairs = pairs(&file.tree().blocks, &remote.tree().blocks);
    let differ = |(i, j): &(usize, usize)| file.bare(&(*i..i + 1)) != remote.bare(&(*j..j + 1));
    let waits = |i: usize| {
        file.has_unsaid(i)
            || file.tree().blocks.get(i).is_some_and(|block| waiting.0.contains(&print_block(&block.content)))
    };
    let (mut theirs, kept): (BTreeMap<usize, usize>, BTreeMap<usize, usize>) =
        pairs.iter().copied().filter(differ).partition(|(i, _)| !waits(*i));
    // A footnote of which something is the file's own keeps the labels of all.
    let notes = |text: &Text<'_>| (0..text.len()).filter(|at| has_footnote(text, *at)).collect::<Vec<_>>();
    let (mine, others) = (notes(&file), notes(&remote));
    let paired = |at: &usize| pairs.iter().any(|(i, _)| i == at) && !kept.contains_key(at);
    if mine.len() != others.len() || !mine.iter().all(paired) {
        theirs.retain(|at, _| !has_footnote(&file, *at));
    }
    let blanks = blanks(&file.tree().blocks, &remote.tree().blocks, &pairs);
    let is_whole = kept.is_empty() && !(0..file.len()).any(waits);
    let respelled = match theirs.is_empty() && blanks.is_empty() {
        true => None,
        false => {
            let written = written(&file, &remote, &theirs, &blanks);
            Some(written.filter(|(text, expected)| says(text, expected, &mut keys))?.0)
        }
    };
    if !is_whole {
        return respelled;
    }
    let said = Text::read(respelled.as_deref().unwrap_or(file.text), &mut keys);
    let placed = placed(&said, &remote).filter(|(text, expected)| says(text, expected, &mut keys));
    placed.map(|(text, _)| text).or(respelled)
}

/// Tells whether the blocks of a text say this.
fn says(text: &str, expected: &[u32], keys: &mut Keys) -> bool {
    let read = Text::read(text, keys);
    read.bare(&(0..read.len())) == expected
}

/// Returns a file that says all that the remote does, and nothing else, with the definitions of footnotes where the remote has
/// them, and what each of its blocks says then; `None` when they stand there, or when it says something else.
fn placed(file: &Text<'_>, remote: &Text<'_>) -> Option<(String, Vec<u32>)> {
    let mut pairs = pairs(&file.tree().blocks, &remote.tree().blocks);
    pairs.sort_unstable_by_key(|(_, there)| *there);
    let order: Vec<usize> = pairs.iter().map(|(here, _)| *here).collect();
    if order.len() != file.len() || order.len() != remote.len() || order.is_sorted() {
        return None;
    }
    let mut text = file.head().to_owned();
    for (place, at) in order.iter().enumerate() {
        let own = file.text.get(file.start(*at)..file.start(at + 1))?;
        match order.get(place + 1) {
            Some(next) if *next == at + 1 => text.push_str(own),
            next => {
                text.push_str(own.trim_end_matches('\n'));
                text.push_str(if next.is_some() { "\n\n" } else { "\n" });
            }
        }
    }
    Some((text, order.iter().flat_map(|at| file.bare(&(*at..at + 1))).copied().collect()))
}

/// Returns the file with blocks of the remote in the places of some of its own, and others put before some; and what each of
/// its blocks says then.
fn written(
    file: &Text<'_>,
    remote: &Text<'_>,
    instead: &BTreeMap<usize, usize>,
    before: &BTreeMap<usize, usize>,
) -> Option<(String, Vec<u32>)> {
    let there = |at: &usize| *at..at + 1;
    let mut lines: BTreeMap<usize, String> = instead.iter().map(|(at, of)| (*at, remote.slice(&there(of)))).collect();
    let mut said: Vec<u32> = Vec::new();
    for at in 0..=file.len() {
        if let Some(of) = before.get(&at) {
            // It is written with the block behind which it stands, or with the first of all.
            let beside = at.saturating_sub(1);
            let (own, new) =
                (lines.remove(&beside).unwrap_or_else(|| file.slice(&there(&beside))), remote.slice(&there(of)));
            let (one, other) = if at == 0 { (new, own) } else { (own, new) };
            lines.insert(beside, format!("{}\n\n{other}", one.trim_end_matches('\n')));
            said.extend(remote.bare(&there(of)));
        }
        said.extend(instead.get(&at).map_or_else(|| file.bare(&there(&at)), |of| remote.bare(&there(of))));
    }
    Some((file.with(&lines)?, said))
}

/// The empty paragraphs that no document can be without, beside a table or the like where no other paragraph stands, and that
/// the file lacks: the block of the file that each stands before, and where the remote has it.
fn blanks(file: &[Block], remote: &[Block], pairs: &[(usize, usize)]) -> BTreeMap<usize, usize> {
    let in_file: BTreeMap<usize, usize> = pairs.iter().map(|(i, j)| (*j, *i)).collect();
    let is_line = |block: &Block| !matches!(block.content, Content::Table { .. }) && !block.content.is_structure();
    let is_empty = |block: &Block| matches!(&block.content, Content::Paragraph { runs } if runs.is_empty());
    // Where a footnote is defined is no place in the text.
    let of_text = |blocks: &[Block]| -> Vec<usize> {
        blocks.iter().enumerate().filter(|(_, block)| !is_footnote(block)).map(|(at, _)| at).collect()
    };
    let (mine, others) = (of_text(file), of_text(remote));
    let mut found = BTreeMap::new();
    for (place, there) in others.iter().enumerate().filter(|(_, there)| !in_file.contains_key(there)) {
        let beside = [place.checked_sub(1).and_then(|before| others.get(before)), others.get(place + 1)];
        let is_wanted = beside.iter().flatten().all(|at| !remote.get(**at).is_none_or(is_line));
        if !is_wanted || !remote.get(*there).is_some_and(is_empty) {
            continue;
        }
        // In the file the two stand side by side, or the one there is stands at the edge of the text.
        let here = beside.map(|at| at.map(|at| in_file.get(at)));
        let next = match here[0] {
            None => Some(0),
            Some(before) => mine.iter().position(|at| Some(at) == before).map(|at| at + 1),
        };
        if let Some(next) = next
            && here[1] == mine.get(next).map(Some)
        {
            found
                .insert(next.checked_sub(1).and_then(|before| mine.get(before)).map_or(0, |before| before + 1), *there);
        }
    }
    found
}

/// Pairs the blocks of a file with those of the remote that say the same but for their spelling: in their order, and
/// footnotes wherever they stand.
fn pairs(file: &[Block], remote: &[Block]) -> Vec<(usize, usize)> {
    let (mine, theirs) =
        (file.iter().map(unspelled).collect::<Vec<_>>(), remote.iter().map(unspelled).collect::<Vec<_>>());
    let texts = |said: &[String], blocks: &[Block]| -> Vec<(usize, String)> {
        let of_text = blocks.iter().zip(said).enumerate().filter(|(_, (block, _))| !is_footnote(block));
        of_text.map(|(at, (_, said))| (at, said.clone())).collect()
    };
    let (one, other) = (texts(&mine, file), texts(&theirs, remote));
    let said = |texts: &[(usize, String)]| texts.iter().map(|(_, said)| said.clone()).collect::<Vec<_>>();
    let mut found = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &said(&one), &said(&other)) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            found.extend((0..len).filter_map(|at| Some((one.get(old_index + at)?.0, other.get(new_index + at)?.0))));
        }
    }
    let mut free: Vec<usize> = (0..remote.len()).filter(|at| remote.get(*at).is_some_and(is_footnote)).collect();
    for (at, _) in file.iter().enumerate().filter(|(_, block)| is_footnote(block)) {
        if let Some(place) = free.iter().position(|there| theirs.get(*there) == mine.get(at)) {
            found.push((at, free.remove(place)));
        }
    }
    found
}

const fn is_footnote(block: &Block) -> bool {
    matches!(block.content, Content::Footnote { .. })
}

fn has_footnote(text: &Text<'_>, at: usize) -> bool {
    let is_reference = |run: &&Run| matches!(run.content, RunContent::FootnoteReference(_));
    text.blocks(&(at..at + 1)).iter().any(|block| is_footnote(block) || block.content.runs().iter().any(is_reference))
}

/// What a block says without what the remote has its own names for.
fn unspelled(block: &Block) -> String {
    let mut content = block.content.clone();
    match &mut content {
        Content::Heading { anchor, .. } => *anchor = None,
        Content::Footnote { label, .. } => label.clear(),
        Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. } => {}
    }
    for run in content.runs_mut() {
        if let Some(link) = run.marks.link.as_mut().filter(|link| link.starts_with('#')) {
            link.truncate(1);
        }
        match &mut run.content {
            RunContent::Anchor(id) => *id = None,
            RunContent::Object(object) => (object.id, object.title) = (None, None),
            RunContent::FootnoteReference(label) => label.clear(),
            RunContent::Text(_) => {}
        }
    }
    print_block(&content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footnote_that_is_defined_elsewhere_stands_where_the_remote_has_it() {
        let (head, remote) =
            ("---\nid: i\nmine: 1\n---\n", "---\nid: i\n---\n\na[^1] *b*\n\n# Two\n\nc\n\n[^1]: note\n");
        let check = |file: &str, expected: Option<&str>| {
            let expected = expected.map(|body| format!("{head}{body}"));
            assert_eq!(respelled(&format!("{head}{file}"), remote, &Waiting::default()), expected, "{file}");
        };
        let there = "\na[^1] *b*\n\n# Two\n\nc\n\n[^1]: note\n";
        check("\na[^1] *b*\n\n[^1]: note\n\n# Two\n\nc\n", Some(there));
        check("\n[^1]: note\n\na[^1] *b*\n\n# Two\n\nc\n", Some(there));
        check(there, None);
        // A label is the remote's, and the way in which the file writes the rest is its own.
        check("\na[^x] *b*\n\n[^x]: note\n\n# Two\n\nc\n", Some(there));
        check("a[^1] _b_\n[^1]: note\n# Two\nc\n", Some("a[^1] _b_\n\n# Two\nc\n\n[^1]: note\n"));
        // What the remote does not say is not taken away.
        check("\na[^1] *b*\n\n[^1]: note\n\n# Two\n\nc\n\nd\n", None);
        check("\na[^1] *b*\n\n[^1]: note\n\n# Two\n\nc d\n", None);
    }
}
