//! What becomes of an edit of a thread's file: mail is shown, and nobody can change what was sent. Pure.

use similar::{ChangeTag, TextDiff};

use crate::error::{Error, Result};
use crate::kinds::{Fetched, PushPlan};
use crate::model::{Notice, PartId};

/// Edits that are told one by one.
const TOLD_MAX: usize = 20;

/// Says of each edit that it stays in the file alone.
///
/// # Errors
///
/// `NotFound` when the thread has no such file.
pub(super) fn plan(remote: &Fetched, part: &PartId, desired: &str) -> Result<PushPlan> {
    let shown = remote.parts.iter().find(|shown| shown.id == *part);
    let shown = shown.ok_or_else(|| Error::NotFound { id: remote.id.to_string() })?;
    Ok(PushPlan { refused: refused(&shown.text, desired), expected: shown.text.clone(), ..PushPlan::default() })
}

/// A notice for each place in which `desired` is not what is shown.
fn refused(shown: &str, desired: &str) -> Vec<Notice> {
    let diff = TextDiff::from_lines(shown, desired);
    let mut notices: Vec<Notice> = Vec::new();
    let (mut line, mut within) = (0_u32, false);
    for change in diff.iter_all_changes() {
        let begins = change.tag() != ChangeTag::Equal && !within;
        within = change.tag() != ChangeTag::Equal;
        if begins && notices.len() < TOLD_MAX {
            notices.push(Notice {
                code: "MAIL_READ_ONLY".into(),
                line: line + 1,
                column: 0,
                message: "mail is only shown here: this edit stays in the file, and nobody else sees it; take it back, or keep \
                          it as a note of your own"
                    .into(),
            });
        }
        if change.tag() != ChangeTag::Delete {
            line = line.saturating_add(1);
        }
    }
    notices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shown: &str, desired: &str, lines: &[u32]) {
        let told: Vec<u32> = refused(shown, desired).iter().map(|notice| notice.line).collect();
        assert_eq!(told, lines, "{desired:?}");
    }

    #[test]
    fn each_place_is_told_with_its_line() {
        check("a\nb\nc\n", "a\nb\nc\n", &[]);
        check("a\nb\nc\n", "a\nx\nc\n", &[2]);
        check("a\nb\nc\n", "a\nc\n", &[2]);
        check("a\nb\nc\n", "new\na\nb\nc\nmore\n", &[1, 5]);
        check("a\nb\nc\n", "", &[1]);
        let (shown, desired): (String, String) = (0..100).map(|n| (format!("{n}\n\n"), format!("{n}\nx\n"))).unzip();
        check(&shown, &desired, &(1..=20).map(|n| n * 2).collect::<Vec<u32>>());
    }
}
