//! What a tree says laid out flat, as a person reads it: a line for each paragraph, and which run says which letter.
//!
//! What cannot be joined, such as two cells, is parted by a letter that nothing looks for.

use std::ops::Range;

use super::{Block, Content, Marks, Run, RunContent, Tree};

/// Parts what a find must not reach over.
pub(super) const WALL: char = '\0';
/// Stands for what has no text: an object, an anchor, a footnote's number.
pub(super) const THING: char = '\u{fffc}';

/// What a tree says, without looks, anchors and objects: a line for each paragraph.
#[must_use]
pub fn said(tree: &Tree) -> String {
    Flat::of(tree).text.replace(WALL, "\n").replace(THING, "")
}

/// A paragraph of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) block: usize,
    /// Which of the block's own, where it holds several.
    pub(super) paragraph: usize,
}

/// A piece of the flat text, and the run that says it; for a block of code, its text.
#[derive(Debug)]
pub(super) struct Piece {
    flat: Range<usize>,
    place: Place,
    run: usize,
}

/// What a tree says, flat.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) text: String,
    pieces: Vec<Piece>,
    /// Where each paragraph stands.
    pub(super) paragraphs: Vec<(Range<usize>, Place)>,
}

impl Flat {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut flat = Self::default();
        let mut above: Option<bool> = None;
        for (block, Block { content, .. }) in tree.blocks.iter().enumerate() {
            if matches!(content, Content::Directive { .. }) {
                // It is a look, not a text.
                continue;
            }
            let is_line = is_line(content);
            match above.replace(is_line) {
                None => {}
                Some(true) if is_line => flat.text.push('\n'),
                Some(_) => flat.text.push(WALL),
            }
            if let Content::Code { text, .. } = content {
                let (start, said) = (flat.text.len(), text.strip_suffix('\n').unwrap_or(text));
                flat.text.push_str(said);
                let (range, place) = (start..flat.text.len(), Place { block, paragraph: 0 });
                flat.pieces.push(Piece { flat: range.clone(), place, run: 0 });
                flat.paragraphs.push((range, place));
            }
            for (paragraph, runs) in paragraphs(content).into_iter().enumerate() {
                if paragraph > 0 {
                    flat.text.push(WALL);
                }
                flat.add(Place { block, paragraph }, runs);
            }
        }
        flat
    }

    fn add(&mut self, place: Place, runs: &[Run]) {
        let first = self.text.len();
        for (run, Run { content, .. }) in runs.iter().enumerate() {
            let start = self.text.len();
            match content {
                // A line that ends softly goes on with a space.
                RunContent::Text(text) => self.text.push_str(&text.replace('\n', " ")),
                RunContent::Anchor(_) => {}
                RunContent::Object(_) | RunContent::FootnoteReference(_) => self.text.push(THING),
            }
            self.pieces.push(Piece { flat: start..self.text.len(), place, run });
        }
        self.paragraphs.push((first..self.text.len(), place));
    }

    /// The first and the last block of a range.
    pub(super) fn blocks_of(&self, range: &Range<usize>) -> (usize, usize) {
        let at = |offset: usize| self.place(offset).map_or(0, |(_, place)| place.block);
        (at(range.start), at(range.end))
    }

    /// The paragraph in which, or at whose end, an offset lies.
    pub(super) fn place(&self, offset: usize) -> Option<(&Range<usize>, Place)> {
        let at = self.paragraphs.partition_point(|(range, _)| range.end < offset);
        self.paragraphs.get(at).map(|(range, place)| (range, *place))
    }

    pub(super) fn is_start(&self, offset: usize) -> bool {
        self.place(offset).is_some_and(|(range, _)| range.start == offset)
    }

    /// Cuts the runs of a paragraph at an offset.
    pub(super) fn cut(&self, runs: &[Run], place: Place, offset: usize) -> (Vec<Run>, Vec<Run>) {
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        for piece in self.pieces.iter().filter(|piece| piece.place == place) {
            let Some(run) = runs.get(piece.run) else { continue };
            if let RunContent::Text(text) = &run.content
                && piece.flat.start < offset
                && offset < piece.flat.end
            {
                let (head, tail) = text.split_at_checked(offset - piece.flat.start).unwrap_or((text, ""));
                before.push(text_run(head, run.marks.clone()));
                behind.push(text_run(tail, run.marks.clone()));
            } else if piece.flat.end <= offset && (piece.flat.start < offset || piece.flat.is_empty()) {
                before.push(run.clone());
            } else {
                behind.push(run.clone());
            }
        }
        (before, behind)
    }

    /// The looks of the letter at an offset, or of the one before it where nothing is replaced or the paragraph ends.
    pub(super) fn marks(&self, runs: &[Run], place: Place, range: &Range<usize>) -> Marks {
        let at = |offset: usize| {
            let is_here = |piece: &&Piece| piece.place == place && piece.flat.contains(&offset);
            self.pieces.iter().find(is_here).and_then(|piece| runs.get(piece.run)).filter(|run| is_text(run))
        };
        let before = || range.start.checked_sub(1).and_then(at);
        let found =
            if range.is_empty() { before().or_else(|| at(range.start)) } else { at(range.start).or_else(before) };
        found.map(|run| run.marks.clone()).unwrap_or_default()
    }
}

/// Tells whether a block is one paragraph of text, and may be joined to another one.
pub(super) fn is_line(content: &Content) -> bool {
    match content {
        Content::Heading { .. } | Content::Item { .. } | Content::ItemParagraph { .. } => true,
        Content::Paragraph { .. } => !content.is_structure(),
        Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => false,
    }
}

/// The paragraphs of a block.
pub(super) fn paragraphs(content: &Content) -> Vec<&[Run]> {
    match content {
        Content::Table { rows, .. } => rows.iter().flatten().flatten().map(Vec::as_slice).collect(),
        Content::Footnote { paragraphs, .. } => paragraphs.iter().map(Vec::as_slice).collect(),
        Content::Heading { runs, .. }
        | Content::Paragraph { runs }
        | Content::Item { runs, .. }
        | Content::ItemParagraph { runs, .. } => vec![runs],
        Content::Code { .. } | Content::Rule | Content::Directive { .. } => Vec::new(),
    }
}

pub(super) fn text_run(text: &str, marks: Marks) -> Run {
    Run { content: RunContent::Text(text.to_owned()), marks }
}

pub(super) fn is_text(run: &Run) -> bool {
    matches!(run.content, RunContent::Text(_))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn what_is_said_has_no_looks() {
        let text = "# {^ h.1}A **b**[c](http://x)\n\n| d | e{^= kix.1 image} |\n| --- | --- |\n\nf[^1]\n\n[^1]: g\n";
        assert_eq!(said(&parse(text).tree), "A bc\nd\ne\nf\ng");
    }
}
