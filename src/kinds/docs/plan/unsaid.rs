//! What a file says by its blocks and no document does: it stays in the file alone, and is told as long as it does. Pure.

use unicode_segmentation::UnicodeSegmentation as _;

use super::planner::text_of;
use super::trial::Task;
use crate::mebdf::{Block, Content, Marks, RunContent, Tree};
use crate::model::Notice;

/// The code of the notice of what stands behind a fence.
pub(super) const LANGUAGE: &str = "CODE_LANGUAGE";

/// Finds what stands behind a fence and stood in the document before: a line of text that a torn fence slid before is no
/// language, and its words go with the edit.
pub(super) fn torn_off(parsed: &Tree, remote: &Tree, local: &Tree) -> Vec<(usize, String)> {
    let fences = parsed.blocks.iter().filter_map(|block| {
        let Content::Code { info, .. } = &block.content else { return None };
        Some((block.span.0.start, info))
    });
    let count = |tree: &Tree, word: &str| -> usize {
        let texts = tree.blocks.iter().map(|block| text_of(&block.content));
        texts.map(|text| text.unicode_words().filter(|other| *other == word).count()).sum()
    };
    let is_lost = |info: &str| info.unicode_words().any(|word| count(remote, word) > count(local, word));
    fences.filter(|(_, info)| is_lost(info)).map(|(at, info)| (at, without_place(info))).collect()
}

fn without_place(info: &str) -> String {
    format!("a Doc has no place for `{info}` behind the fence")
}

/// Finds it in the file of a task, by line.
pub(super) fn found(task: &Task<'_>) -> Vec<Notice> {
    let mut found = Vec::new();
    for block in &task.parsed.blocks {
        let line = task.line_at(block.span.0.start);
        let mut tell = |code: &str, below: usize, message: String| {
            let line = line.saturating_add(u32::try_from(below).unwrap_or(u32::MAX));
            found.push(Notice { code: code.into(), line, column: 0, message });
        };
        if let Content::Code { info, text } = &block.content {
            if !info.is_empty() {
                tell(LANGUAGE, 0, without_place(info));
            }
            let ends_blank = |line: &str| line.ends_with([' ', '\t']);
            let more = text.lines().filter(|line| ends_blank(line)).count().saturating_sub(1);
            if let Some(at) = text.lines().position(ends_blank) {
                let and_more =
                    if more > 0 { format!(", nor those of {more} more of this code") } else { String::new() };
                let message = format!("the blanks at the end of this line are not kept in the document{and_more}");
                tell("CODE_BLANKS", at + usize::from(is_fenced(task, block)), message);
            }
        }
        let dressed = block.content.runs().into_iter().find_map(|run| match &run.content {
            RunContent::Object(object) if run.marks != Marks::default() => Some(object),
            RunContent::Object(_) | RunContent::Text(_) | RunContent::Anchor(_) | RunContent::FootnoteReference(_) => {
                None
            }
        });
        if let Some(object) = dressed {
            let message = format!(
                "bold, links and other formatting are set on text alone: `{{^= {}}}` and the blanks beside it do not get them",
                object.kind
            );
            tell("OBJECT_MARKS", 0, message);
        }
    }
    found
}

/// Tells whether a line of marks stands above the code.
fn is_fenced(task: &Task<'_>, block: &Block) -> bool {
    let source = task.text.get(block.span.0.clone()).unwrap_or_default();
    source.lines().next().is_some_and(|line| line.contains("```") || line.contains("~~~"))
}
