//! What the product writes about notebooks and sources, from their words alone: the same for the same content.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::document::{Block, Content};
use super::model::{Millis, Notebook, Source};
use super::parse::parse;
use super::words::words;

/// Key words of a source.
const KEYWORDS: usize = 5;

/// Questions that are suggested.
const QUESTIONS: usize = 3;

/// Sources that a summary of a notebook names.
const NAMED_SOURCES: usize = 5;

/// The longest sentence that a summary takes over, in characters.
const SENTENCE_CHARS_MAX: usize = 240;

/// Returns the first paragraph of a source that is one, up to a length.
fn opening(source: &Source) -> String {
    let doc = parse(&source.text);
    let is_plain = |block: &&Block| matches!(&block.content, Content::Text { style: None, bullet: None, .. });
    let block = doc.blocks.iter().find(is_plain).or_else(|| doc.blocks.first());
    let text = block.map(Block::text).unwrap_or_default();
    if text.chars().count() <= SENTENCE_CHARS_MAX {
        return text;
    }
    let cut: String = text.chars().take(SENTENCE_CHARS_MAX).collect();
    format!("{}…", cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole))
}

/// Returns the key words of a source: its headings, and then the words that it has most often.
pub(super) fn keywords(source: &Source) -> Vec<String> {
    let doc = parse(&source.text);
    let mut found: Vec<String> = doc.blocks.iter().filter(|block| block.is_heading()).map(Block::text).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for block in &doc.blocks {
        for word in words(&block.text()).into_iter().filter(|word| word.chars().count() > 1) {
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut often: Vec<(String, usize)> = counts.into_iter().collect();
    often.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    found.extend(often.into_iter().map(|(word, _)| word));
    found.dedup();
    found.truncate(KEYWORDS);
    found
}

/// Returns what a source is about.
pub(super) fn source_summary(source: &Source) -> String {
    format!("**{}** has {} words. {}", source.title, source.words, opening(source))
}

/// Returns what a notebook is about; nothing where it has no source that was read.
pub(super) fn notebook_summary(notebook: &Notebook, now: Millis) -> Option<String> {
    let ready: Vec<&Source> = notebook.sources.iter().filter(|source| source.is_ready(now)).collect();
    let first = ready.first()?;
    let names: Vec<String> = ready.iter().take(NAMED_SOURCES).map(|source| format!("**{}**", source.title)).collect();
    Some(format!("The provided sources introduce {}. {}", names.join(", "), opening(first)))
}

/// Returns questions to ask of sources, by their headings.
pub(super) fn questions(notebook: &Notebook, now: Millis) -> Vec<String> {
    let mut questions = Vec::new();
    for source in notebook.sources.iter().filter(|source| source.is_ready(now)) {
        let doc = parse(&source.text);
        let headings = doc.blocks.iter().filter(|block| block.is_heading()).skip(1);
        questions.extend(headings.take(2).map(|block| format!("What do the sources say about {}?", block.text())));
        if questions.is_empty() {
            questions.push(format!("What is the main point of {}?", source.title));
        }
    }
    questions.dedup();
    questions.truncate(QUESTIONS);
    questions
}

/// Writes the guide of a notebook.
pub(super) fn guide(notebook: &Notebook, now: Millis) -> Value {
    let Some(summary) = notebook_summary(notebook, now) else { return json!([]) };
    let questions = questions(notebook, now);
    let prompt = |question: &String| {
        let words = format!(
            "Create a detailed briefing document designed to address this topic: \"{question}\". Include quotes from \
             the original sources where appropriate."
        );
        json!([question, words])
    };
    let prompts: Vec<Value> = questions.iter().map(prompt).collect();
    json!([[[summary], [prompts], null, null, null, [numbered(&questions)]]])
}

/// Writes questions as they stand in answers: each with a number that was always 9.
pub(super) fn numbered(questions: &[String]) -> Value {
    questions.iter().map(|question| json!([question, 9])).collect()
}
