//! Characters that cannot stand in a Doc. Pure.

use super::images::paragraphs;
use crate::kinds::docs::text::flat::{Flat, Look};
use crate::mebdf::{Content, Run, RunContent, Tree, normalize_runs};
use crate::model::Notice;

/// The code of the notice of a character that is left out.
pub(super) const CHARACTER: &str = "CHARACTER";

/// Tells whether Google leaves a character out of inserted text.
///
/// Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#InsertTextRequest>
pub(super) const fn is_stripped(character: char) -> bool {
    matches!(character, '\u{0}'..='\u{8}' | '\u{c}'..='\u{1f}' | '\u{e000}'..='\u{f8ff}')
}

/// What becomes of a character in a file.
const STAYS: &str = " and stays in the file alone";

/// What is told of a character that is left out.
pub(super) fn left_out(character: char) -> String {
    format!("the character U+{:04X} cannot stand in a Google Doc{STAYS}", u32::from(character))
}

/// What is told of it where a document is made, whose file will not have it either.
pub(in crate::kinds::docs) fn of_new(mut notice: Notice) -> Notice {
    if let Some(what) = notice.message.strip_suffix(STAYS).filter(|_| notice.code == CHARACTER) {
        notice.message = format!("{what}, so it was left out");
    }
    notice
}

/// Takes such characters out of a file, whose text is `text`, and tells of each. What is left is read as if they had never
/// been there: the blanks beside them may now end a line or a word in bold, where no file shows a look of theirs. A
/// paragraph that says nothing else goes whole.
pub(super) fn leave_out(local: &mut Flat, text: &str) {
    if !text.contains(is_stripped) {
        return;
    }
    for at in (0..local.tree.blocks.len()).rev() {
        let Some(block) = local.tree.blocks.get_mut(at) else { continue };
        let mut found: Vec<char> = Vec::new();
        paragraphs(&mut block.content, &mut |runs, one_line| {
            found.append(&mut strip(runs, one_line));
        });
        let source = text.get(block.span.0.clone()).unwrap_or_default();
        let place = |character: &char| block.span.0.start + source.find(*character).unwrap_or(0);
        let told = found.iter().map(|character| (place(character), CHARACTER, left_out(*character)));
        local.findings.extend(told);
        let is_paragraph = !matches!(block.content, Content::Table { .. } | Content::Footnote { .. });
        let is_code = local.looks.get(at).is_some_and(|look| look.is_like(&Look::code()));
        if !found.is_empty() && is_paragraph && !is_code && block.content.runs().is_empty() {
            local.remove(at);
        }
    }
}

/// Takes such characters out of what a file says as it was parsed, so that a word that one of them stands in is the word
/// that the document has.
pub(super) fn leave_out_of_tree(tree: &mut Tree, text: &str) {
    if !text.contains(is_stripped) {
        return;
    }
    for block in &mut tree.blocks {
        if let Content::Code { text, .. } = &mut block.content {
            text.retain(|character| !is_stripped(character));
        }
        paragraphs(&mut block.content, &mut |runs, one_line| drop(strip(runs, one_line)));
    }
}

/// Takes them out of a paragraph and returns them.
fn strip(runs: &mut Vec<Run>, one_line: bool) -> Vec<char> {
    let mut found = Vec::new();
    for run in runs.iter_mut() {
        let RunContent::Text(said) = &mut run.content else { continue };
        found.extend(said.chars().filter(|character| is_stripped(*character)));
        said.retain(|character| !is_stripped(character));
    }
    if !found.is_empty() {
        *runs = normalize_runs(std::mem::take(runs), one_line);
    }
    found
}
