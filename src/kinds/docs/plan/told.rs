//! What a plan does that the file does not show, told all the same. Pure.

use super::blocks::key;
use super::moves::ids;
use super::trial::Task;
use crate::kinds::docs::text::extract::Extract;
use crate::mebdf::Content;
use crate::model::Notice;

/// Tells which headings of the file get another id: links from other documents no longer find them. The id goes with the
/// end of a paragraph, and what is put between a heading and a table can only stand behind that end.
pub(super) fn tell_headings(task: &Task<'_>, after: &Extract, told: &mut Vec<Notice>) {
    let (was, is) = (ids(&task.remote.tree), ids(&after.tree));
    for block in &task.local.tree.blocks {
        let Content::Heading { anchor: Some(id), .. } = &block.content else { continue };
        let (Some(was), is) = (was.get(&**id), is.get(&**id)) else { continue };
        let name = key(&block.content);
        // One that is written anew as well has become another.
        if Some(was) == is || key(was) != name || is.is_some_and(|is| key(is) == name) {
            continue;
        }
        let mut headings = after.tree.blocks.iter().map(|block| &block.content);
        if headings.any(|content| matches!(content, Content::Heading { .. }) && key(content) == name) {
            let message = "in the document this heading gets another id, since it was moved, or text was put between it and \
                           a table: links to it from elsewhere no longer find it";
            told.push(Notice {
                code: "HEADING_ID".into(),
                line: task.line_at(block.span.0.start),
                column: 0,
                message: message.into(),
            });
        }
    }
}
