//! Sections as tools name them: a heading with everything up to the next heading of the same or a higher level, cut out of a text
//! and put back.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::section::title;
use super::{Block, Content, RunContent, Tree};
use crate::model::ContentHash;

/// How many bytes of a hash name a heading that has no id.
const NAME_BYTES: usize = 4;

/// A heading under the name that tools know it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Its id, or `s.` and 8 hex digits of its path where the document has given it none.
    pub anchor: String,
    /// 1 to 6.
    pub level: u8,
    /// Its text.
    pub title: String,
    /// Its block.
    pub block: usize,
}

/// Lists the headings of a tree. One without an id is named by the texts of the headings above it and its own, and counted among
/// those of the same path, so that its name stays as long as these do.
#[must_use]
pub fn headings(tree: &Tree) -> Vec<Heading> {
    let mut above: Vec<(u8, String)> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut found = Vec::new();
    for (block, content) in tree.blocks.iter().map(|block| &block.content).enumerate() {
        let Content::Heading { level, anchor, runs } = content else { continue };
        let title = title(runs);
        above.retain(|(higher, _)| higher < level);
        above.push((*level, title.clone()));
        let path = above.iter().map(|(level, title)| format!("{level} {title}\n")).collect::<String>();
        let count = seen.entry(path.clone()).or_default();
        *count += 1;
        let anchor = match anchor.as_deref().filter(|anchor| !anchor.is_empty()) {
            Some(anchor) => anchor.to_owned(),
            None => {
                let hash = ContentHash::of(format!("{path}{count}").as_bytes());
                let digits = hash.0.iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}"));
                format!("s.{}", digits.collect::<String>())
            }
        };
        found.push(Heading { anchor, level: *level, title, block });
    }
    found
}

/// A section of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Its blocks: the heading first, without definitions of footnotes at the end of the text. Empty where a text has no preamble.
    pub blocks: Range<usize>,
    /// Where they stand in the text, in bytes.
    pub bytes: Range<usize>,
    /// What it says, with the definitions of its footnotes.
    pub text: String,
}

/// Finds the section that an anchor names: the preamble for an empty one, the one below a heading for its id or name, and for an
/// anchor within the text the innermost section in which it stands. `text` is one that [`super::clean`] would not change, and `tree`
/// what it says.
#[must_use]
pub fn excerpt(text: &str, tree: &Tree, anchor: &str) -> Option<Excerpt> {
    let headings = headings(tree);
    // Definitions at the end are of the whole text.
    let is_definition = |block: &&Block| matches!(block.content, Content::Footnote { .. });
    let end = tree.blocks.len() - tree.blocks.iter().rev().take_while(is_definition).count();
    let blocks = if anchor.is_empty() {
        0..headings.first().map_or(end, |first| first.block.min(end))
    } else {
        let named = headings.iter().position(|heading| heading.anchor == anchor);
        let holds = |block: &Block| {
            let runs = block.content.runs();
            runs.iter().any(|run| matches!(&run.content, RunContent::Anchor(Some(id)) if id == anchor))
        };
        let around = || {
            let at = tree.blocks.iter().position(holds)?;
            Some(headings.iter().rposition(|heading| heading.block <= at))
        };
        match named.map(Some).or_else(around)? {
            Some(first) => {
                let heading = headings.get(first)?;
                let next = headings.iter().skip(first + 1).find(|next| next.level <= heading.level);
                heading.block..next.map_or(end, |next| next.block.min(end)).max(heading.block)
            }
            None => return excerpt(text, tree, ""),
        }
    };
    let bytes = line_start(text, tree, blocks.start)..line_start(text, tree, blocks.end);
    let own = text.get(bytes.clone())?.trim_end_matches('\n');
    let mut said = if own.is_empty() { String::new() } else { format!("{own}\n") };
    let wanted = referenced(tree.blocks.get(blocks.clone()).unwrap_or_default());
    for (label, lines) in definitions(text, tree)
        .into_iter()
        .filter(|(label, lines)| wanted.contains(label) && !(bytes.start <= lines.start && lines.end <= bytes.end))
    {
        said.push_str(if label.is_empty() { "" } else { "\n" });
        said.push_str(text.get(lines).unwrap_or_default().trim_end_matches('\n'));
        said.push('\n');
    }
    Some(Excerpt { blocks, bytes, text: said })
}

/// Puts `content` where a section of a text stands; both are texts that [`super::clean`] would not change, `content` one without a
/// head. A heading stays where `content` does not begin with one. Definitions of footnotes in `content` take the place of those of
/// the same label, and one goes that nothing points to any more.
#[must_use]
pub fn replaced(text: &str, tree: &Tree, section: &Excerpt, content: &str) -> String {
    let new = super::parse(content);
    let blocks = &new.tree.blocks;
    let is_heading =
        |block: Option<&Block>| block.is_some_and(|block| matches!(block.content, Content::Heading { .. }));
    let stands = tree.blocks.get(section.blocks.start).filter(|_| !section.blocks.is_empty());
    let keeps_heading = is_heading(stands) && !is_heading(blocks.first());
    let heading = match stands.filter(|_| keeps_heading) {
        Some(_) => text.get(section.bytes.start..line_start(text, tree, section.blocks.start + 1)).unwrap_or_default(),
        None => "",
    };
    let outside: Vec<(String, Range<usize>)> = definitions(text, tree)
        .into_iter()
        .filter(|(_, lines)| lines.end <= section.bytes.start || lines.start >= section.bytes.end)
        .collect();
    let known: BTreeSet<&str> = outside.iter().map(|(label, _)| label.as_str()).collect();
    // What defines a footnote that is defined elsewhere goes there.
    let own = definitions(content, &new.tree);
    let moved: HashMap<&str, &str> = own
        .iter()
        .filter(|(label, _)| known.contains(label.as_str()))
        .map(|(label, lines)| (label.as_str(), content.get(lines.clone()).unwrap_or_default()))
        .collect();
    let mut body = String::new();
    let mut at = 0;
    for (_, lines) in own.iter().filter(|(label, _)| known.contains(label.as_str())) {
        body.push_str(content.get(at..lines.start).unwrap_or_default());
        at = lines.end;
    }
    body.push_str(content.get(at..).unwrap_or_default());
    let kept = tree.blocks.iter().enumerate().filter(|(at, _)| !section.blocks.contains(at)).map(|(_, block)| block);
    let is_body = |block: &&Block| !matches!(block.content, Content::Footnote { .. });
    let wanted: BTreeSet<String> = kept.filter(is_body).chain(blocks).flat_map(|block| referenced([block])).collect();
    let had = referenced(tree.blocks.get(section.blocks.clone()).unwrap_or_default());
    let around = |range: Range<usize>| {
        let mut said = String::new();
        let mut at = range.start;
        for (label, lines) in outside.iter().filter(|(_, lines)| range.start <= lines.start && lines.end <= range.end) {
            said.push_str(text.get(at..lines.start).unwrap_or_default());
            at = lines.end;
            let stands = text.get(lines.clone()).unwrap_or_default();
            if let Some(new) = moved.get(label.as_str()) {
                let gap = stands.len() - stands.trim_end_matches('\n').len();
                said.push_str(new.trim_end_matches('\n'));
                said.push_str(&"\n".repeat(gap));
            } else if wanted.contains(label) || !had.contains(label) {
                said.push_str(stands);
            }
        }
        said.push_str(text.get(at..range.end).unwrap_or_default());
        said
    };
    let (before, behind) = (around(0..section.bytes.start), around(section.bytes.end..text.len()));
    joined(&[&before, heading, &body, &behind])
}

/// The labels of the footnotes that some blocks point to.
fn referenced<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> BTreeSet<String> {
    let runs = blocks.into_iter().flat_map(|block| block.content.runs());
    let labels = runs.filter_map(|run| match &run.content {
        RunContent::FootnoteReference(label) => Some(label.clone()),
        RunContent::Text(_) | RunContent::Anchor(_) | RunContent::Object(_) => None,
    });
    labels.collect()
}

/// The definitions of footnotes in a text, with what stands up to the next block.
fn definitions(text: &str, tree: &Tree) -> Vec<(String, Range<usize>)> {
    let all = tree.blocks.iter().enumerate().filter_map(|(at, block)| {
        let Content::Footnote { label, .. } = &block.content else { return None };
        Some((label.clone(), line_start(text, tree, at)..line_start(text, tree, at + 1)))
    });
    all.collect()
}

/// Where the line of a block begins, in bytes; behind the last, the end of the text.
fn line_start(text: &str, tree: &Tree, block: usize) -> usize {
    let Some(block) = tree.blocks.get(block) else { return text.len() };
    let start = block.span.0.start.min(text.len());
    let before = text.get(..start).unwrap_or_default();
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

/// Joins pieces of a text with a blank line between any two that say something.
fn joined(pieces: &[&str]) -> String {
    let mut text = String::new();
    for piece in pieces.iter().map(|piece| piece.trim_matches('\n')).filter(|piece| !piece.is_empty()) {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(piece);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    const HEAD: &str = "---\ntitle: t\nid: 1\n---\n\n";
    const TEXT: &str = "Before.\n\n# {^ h.a}One\n\nAlpha[^1].\n\n## {^ h.b}Two\n\n{^ kix.1}Beta[^2].\n\n- item\n  - deeper\n\n\
                        # Three\n\nGamma.\n\n## Three\n\n[^1]: First note.\n\n[^2]: Second note.\n";

    fn cut(text: &str, anchor: &str) -> Option<String> {
        excerpt(text, &parse(text).tree, anchor).map(|found| found.text)
    }

    #[test]
    fn a_section_is_cut_out_with_its_footnotes() {
        let text = format!("{HEAD}{TEXT}");
        let check =
            |anchor: &str, expected: &str| assert_eq!(cut(&text, anchor).as_deref(), Some(expected), "{anchor}");
        check("", "Before.\n");
        check("h.b", "## {^ h.b}Two\n\n{^ kix.1}Beta[^2].\n\n- item\n  - deeper\n\n[^2]: Second note.\n");
        check("kix.1", "## {^ h.b}Two\n\n{^ kix.1}Beta[^2].\n\n- item\n  - deeper\n\n[^2]: Second note.\n");
        let names: Vec<String> = headings(&parse(&text).tree).into_iter().map(|heading| heading.anchor).collect();
        assert_eq!(names[..2], ["h.a", "h.b"]);
        assert!(names[2..].iter().all(|name| name.len() == 10 && name.starts_with("s.")), "{names:?}");
        check(&names[2], "# Three\n\nGamma.\n\n## Three\n");
        check(&names[3], "## Three\n");
        assert_eq!(cut(&text, "h.none"), None);
        assert_eq!(cut("# {^ h.a}One\n", ""), Some(String::new()));
        assert_eq!(cut("", ""), Some(String::new()));
    }

    #[test]
    fn names_stay_while_other_sections_change() {
        let names = |text: &str| -> Vec<String> {
            headings(&parse(text).tree).into_iter().map(|heading| heading.anchor).collect()
        };
        let before = names("# A\n\n## B\n\n# C\n\n## B\n");
        assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), 4);
        let after = names("# New\n\n# A\n\nx\n\n## B\n\n# C\n\n## B\n");
        assert_eq!(after[1..], before[..]);
        let twice = names("# A\n\n# A\n");
        assert_ne!(twice[0], twice[1]);
    }

    /// Puts a content into [`TEXT`] and compares the pieces that are not as they were.
    fn check(anchor: &str, content: &str, edits: &[(&str, &str)]) {
        let text = format!("{HEAD}{TEXT}");
        let tree = parse(&text).tree;
        let found = excerpt(&text, &tree, anchor).unwrap();
        let expected = edits.iter().fold(text.clone(), |text, (old, new)| {
            assert!(text.contains(old), "{old:?}");
            text.replace(old, new)
        });
        assert_eq!(replaced(&text, &tree, &found, content), expected, "{anchor} {content:?}");
    }

    #[test]
    fn a_section_is_put_back_where_it_stood() {
        check(
            "h.b",
            "## Two\n\nNew[^2].\n",
            &[("## {^ h.b}Two\n\n{^ kix.1}Beta[^2].\n\n- item\n  - deeper", "## Two\n\nNew[^2].")],
        );
        // Its heading stays where the content has none.
        check("h.b", "New[^2].", &[("{^ kix.1}Beta[^2].\n\n- item\n  - deeper", "New[^2].")]);
        check("", "Other.\n\nMore.\n", &[("Before.", "Other.\n\nMore.")]);
        check("", "", &[("Before.\n\n", "")]);
        // A footnote is defined anew, comes, and goes.
        check(
            "h.b",
            "New[^2].\n\n[^2]: Better.\n",
            &[("{^ kix.1}Beta[^2].\n\n- item\n  - deeper", "New[^2]."), ("Second note.", "Better.")],
        );
        check(
            "h.b",
            "New[^x].\n\n[^x]: Mine.\n",
            &[("{^ kix.1}Beta[^2].\n\n- item\n  - deeper", "New[^x].\n\n[^x]: Mine."), ("\n\n[^2]: Second note.", "")],
        );
    }

    #[test]
    fn what_is_cut_out_and_put_back_changes_nothing() {
        let text = format!("{HEAD}{TEXT}");
        let tree = parse(&text).tree;
        for anchor in headings(&tree).into_iter().map(|heading| heading.anchor).chain([String::new()]) {
            let found = excerpt(&text, &tree, &anchor).unwrap();
            assert_eq!(replaced(&text, &tree, &found, &found.text), text, "{anchor}");
        }
    }
}
