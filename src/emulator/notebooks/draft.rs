//! An answer before it is sent: what it says, what each stretch of it cites, and how far it is.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::document::{Bullet, Content, Doc, Marks, Run, units_of};
use super::model::Source;
use super::parse::parse;
use super::words::{Passage, best_sentence, in_common, passage_text, passages, words};

/// Passages that an answer cites.
const CITED_MAX: usize = 4;

/// Words of a question that an answer repeats.
const REPEATED_WORDS: usize = 3;

/// An answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    /// Its paragraphs.
    blocks: Vec<Paragraph>,
    /// What it cites, in the order of the marks.
    citations: Vec<Citation>,
}

/// A paragraph of an answer, or an item of a list.
#[derive(Debug, Clone)]
struct Paragraph {
    item: bool,
    parts: Vec<Part>,
}

/// A stretch of an answer with the citations that stand after it, counted from 0.
#[derive(Debug, Clone)]
struct Part {
    runs: Vec<Run>,
    cites: Vec<usize>,
}

/// A passage that an answer cites.
#[derive(Debug, Clone)]
struct Citation {
    source: String,
    revision: String,
    score: f64,
    start: usize,
    end: usize,
    blocks: Vec<Value>,
}

/// An answer as far as it goes, as answers have it.
pub(super) struct Written {
    /// The text, in Markdown with marks.
    pub(super) text: String,
    /// The blocks of its document, without marks.
    pub(super) blocks: Vec<Value>,
    /// Where which citations stand.
    spans: Vec<(usize, usize, Vec<usize>)>,
    /// How many of the citations were reached.
    reached: usize,
}

/// Writes an answer to a question from the passages of sources that have most words in common with it.
pub(super) fn compose(question: &str, sources: &[&Source]) -> Draft {
    let asked = words(question);
    let mut found: Vec<(usize, &Source, Doc, Passage)> = Vec::new();
    for source in sources {
        let doc = parse(&source.text);
        for passage in passages(&doc) {
            let count = in_common(&asked, &passage_text(&doc, &passage));
            if count > 0 {
                found.push((count, source, doc.clone(), passage));
            }
        }
        // What is worse than the best so far is never cited, so it need not be kept.
        found.sort_by_key(|each| std::cmp::Reverse(each.0));
        found.truncate(CITED_MAX);
    }
    let mut draft = Draft::default();
    if found.is_empty() {
        let words = "The provided sources do not say anything about that.";
        draft.say(false, vec![Part { runs: vec![Run::plain(words)], cites: Vec::new() }]);
        return draft;
    }
    draft.begin(&asked, found.first());
    for (count, source, doc, passage) in &found {
        draft.quote(&asked, *count, source, doc, passage);
    }
    if found.len() > 1 {
        let cites = (0..draft.citations.len()).collect();
        let words = "Together, these passages answer the question";
        draft.say(false, vec![Part { runs: vec![Run::plain(words)], cites }, full_stop()]);
    }
    draft
}

fn full_stop() -> Part {
    Part { runs: vec![Run::plain(".")], cites: Vec::new() }
}

fn bold(text: &str) -> Run {
    Run { text: text.to_owned(), marks: Marks { bold: true, ..Marks::default() } }
}

impl Draft {
    fn say(&mut self, item: bool, parts: Vec<Part>) {
        self.blocks.push(Paragraph { item, parts });
    }

    fn begin(&mut self, asked: &BTreeSet<String>, best: Option<&(usize, &Source, Doc, Passage)>) {
        let known = best.map(|(_, _, doc, passage)| words(&passage_text(doc, passage))).unwrap_or_default();
        let repeated: Vec<&str> = asked.intersection(&known).take(REPEATED_WORDS).map(String::as_str).collect();
        let runs =
            vec![Run::plain("Based on the sources, this is said about "), bold(&repeated.join(", ")), Run::plain(":")];
        self.say(false, vec![Part { runs, cites: Vec::new() }]);
    }

    fn quote(&mut self, asked: &BTreeSet<String>, count: usize, source: &Source, doc: &Doc, passage: &Passage) {
        let Some((sentence, is_code)) = best_sentence(doc, passage, asked) else { return };
        let blocks = doc.blocks.get(passage.first..passage.last).unwrap_or_default();
        let most = f64::from(u32::try_from(asked.len()).unwrap_or(1).max(1));
        self.citations.push(Citation {
            source: source.id.clone(),
            revision: source.revision.clone(),
            score: f64::from(u32::try_from(count).unwrap_or_default()) / most,
            start: passage.start,
            end: passage.end,
            blocks: blocks.iter().map(super::document::Block::value).collect(),
        });
        let said = sentence.trim_end_matches(['.', '。', '!', '?']).to_owned();
        let quoted = Run { text: said, marks: Marks { code: is_code, ..Marks::default() } };
        let runs = vec![bold(&format!("{}:", source.title)), Run::plain(" "), quoted];
        let cites = vec![self.citations.len() - 1];
        self.say(true, vec![Part { runs, cites }, full_stop()]);
    }

    /// Returns how many steps the answer is written in: the first half of its first paragraph, and then each paragraph.
    pub(super) fn steps(&self) -> usize {
        self.blocks.len() + 1
    }

    /// Writes the answer up to a step.
    pub(super) fn written(&self, step: usize) -> Written {
        let mut written = Written { text: String::new(), blocks: Vec::new(), spans: Vec::new(), reached: 0 };
        let mut doc = Doc::default();
        let mut number = 0;
        for (index, paragraph) in self.blocks.iter().take(step.max(1)).enumerate() {
            if index > 0 {
                let both = paragraph.item && self.blocks.get(index - 1).is_some_and(|before| before.item);
                written.text.push_str(if both { "\n" } else { "\n\n" });
            }
            if paragraph.item {
                written.text.push_str("*   ");
                number += 1;
            }
            let start = doc.blocks.last().map_or(0, |block| block.end);
            let mut runs = Vec::new();
            for part in &paragraph.parts {
                // Of the first step, only the beginning is there.
                let upto = if step == 0 { 1 } else { part.runs.len() };
                written.add(part, upto, start, &mut runs);
            }
            let bullet = paragraph.item.then_some(Bullet { level: 0, numbered: false, number });
            doc.push(Content::Text { runs, style: None, bullet });
        }
        written.blocks = doc.blocks.iter().map(super::document::Block::value).collect();
        written
    }

    /// Returns the citations that an answer has reached; `passages` are the ids of all.
    pub(super) fn citations(&self, written: &Written, passages: &[String]) -> Value {
        if written.reached == 0 {
            return Value::Null;
        }
        let each = self.citations.iter().zip(passages).take(written.reached).map(|(citation, passage)| {
            json!([
                null,
                null,
                citation.score,
                [[null, citation.start, citation.end]],
                [citation.blocks],
                [[[citation.source], citation.revision]],
                [passage]
            ])
        });
        each.collect()
    }

    /// Returns how many passages the whole answer cites.
    pub(super) fn cited(&self) -> usize {
        self.citations.len()
    }
}

impl Written {
    fn add(&mut self, part: &Part, upto: usize, block_start: usize, runs: &mut Vec<Run>) {
        let begin = block_start + units_of(runs);
        for run in part.runs.iter().take(upto) {
            let mark = if run.marks.bold {
                "**"
            } else if run.marks.code {
                "`"
            } else {
                ""
            };
            self.text.push_str(&format!("{mark}{}{mark}", run.text));
            runs.push(run.clone());
        }
        if part.cites.is_empty() || upto < part.runs.len() {
            return;
        }
        self.text.push_str(&format!(" [{}]", marker(&part.cites)));
        self.spans.push((begin, block_start + units_of(runs), part.cites.clone()));
        self.reached = self.reached.max(part.cites.iter().max().map_or(0, |last| last + 1));
    }

    /// Returns which stretches cite what; nothing where none does.
    pub(super) fn spans(&self) -> Value {
        if self.spans.is_empty() {
            return Value::Null;
        }
        self.spans.iter().map(|(start, end, cites)| json!([[null, start, end], cites])).collect()
    }

    /// Returns the same in the way of documents, where each passage is named by its id.
    pub(super) fn anchors(&self, passages: &[String]) -> Value {
        let each = |(start, end, cites): &(usize, usize, Vec<usize>)| {
            let named = cites.iter().filter_map(|cite| passages.get(*cite));
            named.map(|passage| json!([[passage], [null, start, end]])).collect::<Vec<_>>()
        };
        self.spans.iter().flat_map(each).collect()
    }
}

/// Writes what stands in a mark: `1`, `1, 3`, or `1-3` for three and more that follow each other.
fn marker(cites: &[usize]) -> String {
    let numbers: Vec<String> = cites.iter().map(|cite| (cite + 1).to_string()).collect();
    let follow = cites.len() > 2 && cites.windows(2).all(|pair| matches!(pair, [one, next] if one + 1 == *next));
    match (numbers.first(), numbers.last()) {
        (Some(first), Some(last)) if follow => format!("{first}-{last}"),
        _ => numbers.join(", "),
    }
}

/// Returns the block that says what a model thought, as it stood in documents since August 2026.
pub(super) fn thought_block(thought: &str) -> Value {
    json!([null, null, null, null, null, null, null, null, [[[null, null, [[[null, null, [thought]]]]]]]])
}

/// Returns the blocks of a thought that came in a chunk of its own, until mid-2026: a heading in bold and a paragraph.
pub(super) fn thought_blocks(heading: &str, thought: &str) -> Value {
    let mut doc = Doc::default();
    doc.push(Content::Text { runs: vec![bold(heading)], style: None, bullet: None });
    doc.push(Content::Text { runs: vec![Run::plain(thought)], style: None, bullet: None });
    doc.values()
}
