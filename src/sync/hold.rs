//! What makes a saved file wait for the person before anything of it is pushed.

use crate::mebdf;
use crate::model::Notice;

/// Below this length of the base's text a shrink is not suspicious, in bytes.
const SHRINK_FROM_BYTES: usize = 80;

/// Returns why `local` must not be pushed without being accepted; empty when it may.
///
/// Empty, truncated and half-restored files look like edits that delete a document; a person meant none of them.
#[must_use]
pub fn holds(base: Option<&str>, local: &str) -> Vec<Notice> {
    let Some(base) = base.filter(|base| !base.trim().is_empty()) else { return Vec::new() };
    if local.trim().is_empty() {
        return vec![notice("EMPTY", "the file is empty; pushing it would delete the whole text")];
    }
    let mut notices = Vec::new();
    if local.contains('\0') {
        notices.push(notice("NUL", "the file holds NUL bytes, as half-written files do"));
    }
    // The head is as long as ever, whatever became of the text.
    let (was, is) = (mebdf::body(base).trim().len(), mebdf::body(local).trim().len());
    if was >= SHRINK_FROM_BYTES && is.saturating_mul(10) < was.saturating_mul(4) {
        notices.push(notice("SHRUNK", "the file lost more than 60 % of its text"));
    }
    if let Some(base_head) = mebdf::parse(base).tree.front_matter {
        match mebdf::parse(local).tree.front_matter {
            None => notices.push(notice("HEAD_MISSING", "the head between the `---` lines is gone")),
            Some(head) if head.entries.iter().all(|(key, _)| key.is_empty()) => {
                notices.push(notice(
                    "HEAD_BROKEN",
                    "the head cannot be read: a value with a colon or a quote stands in quotes",
                ));
            }
            Some(head) if value(&head, "id") != value(&base_head, "id") => {
                notices.push(notice("ID_CHANGED", "the `id` in the head is not this item's"));
            }
            Some(_) => {}
        }
    }
    notices
}

fn value<'a>(head: &'a mebdf::FrontMatter, key: &str) -> Option<&'a str> {
    head.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

fn notice(code: &str, message: &str) -> Notice {
    Notice { code: code.into(), line: 0, column: 0, message: message.into() }
}
