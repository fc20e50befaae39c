//! What makes a saved file wait for the person before anything of it is pushed.

use std::collections::BTreeSet;

use crate::mebdf::{self, Content};
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
    // Up to the end of a line is what people delete, and editors leave out the last newline.
    if base.strip_prefix(local).is_some_and(|rest| !rest.trim_start_matches(' ').starts_with('\n') && !rest.is_empty())
        && !local.ends_with('\n')
    {
        let message = "the file ends in the middle of a line, as half-written files do; save it again, with a newline at its \
                       end if it is meant so, or push it with `push --accept`";
        notices.push(at_line(local.lines().count(), notice("HALF_WRITTEN", message)));
    }
    if let Some(line) = opened(base, local) {
        let message = "the code block that begins here is not closed, so all behind it would become code; close it with a line of \
                       the same marks, or push it with `push --accept`";
        notices.push(at_line(line, notice("CODE_OPEN", message)));
    }
    if let Some(base_head) = mebdf::parse(base).tree.front_matter {
        let mebdf::Parsed { tree, diagnostics } = mebdf::parse(local);
        match tree.front_matter {
            None => notices.push(at_line(1, notice("HEAD_MISSING", "the head between the `---` lines is gone"))),
            Some(head) if head.entries.iter().all(|(key, _)| key.is_empty()) => {
                let found = diagnostics.iter().find(|found| found.code == mebdf::HEAD_FAULT);
                let (line, why) = found.map_or((1, "the head cannot be read"), |found| (found.line, &*found.message));
                notices.push(Notice { line, ..notice("HEAD_BROKEN", why) });
            }
            Some(head) if value(&head, "id") != value(&base_head, "id") => {
                // Where it stands, or where the head begins when it has none.
                let line = local.lines().position(|line| line.trim_start().starts_with("id:")).unwrap_or(0);
                notices.push(at_line(line + 1, notice("ID_CHANGED", "the `id` in the head is not this item's")));
            }
            Some(_) => {}
        }
    }
    notices
}

/// The line of a fence that takes what stood in the base before for code, up to the end.
fn opened(base: &str, local: &str) -> Option<usize> {
    if !local.contains("```") && !local.contains("~~~") {
        return None;
    }
    let tree = mebdf::parse(local).tree;
    let at = mebdf::open_fence(local, &tree)?;
    let Some(Content::Code { text, .. }) = tree.blocks.last().map(|block| &block.content) else { return None };
    let known: BTreeSet<&str> = base.lines().map(str::trim).collect();
    let takes = text.lines().map(str::trim).any(|line| !line.is_empty() && known.contains(line));
    let was_open = mebdf::open_fence(base, &mebdf::parse(base).tree).is_some();
    (takes && !was_open).then(|| local.get(..at).unwrap_or_default().lines().count() + 1)
}

fn value<'a>(head: &'a mebdf::FrontMatter, key: &str) -> Option<&'a str> {
    head.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

/// Gives a notice its line in the file, from 1.
fn at_line(line: usize, notice: Notice) -> Notice {
    Notice { line: u32::try_from(line.max(1)).unwrap_or(u32::MAX), ..notice }
}

fn notice(code: &str, message: &str) -> Notice {
    Notice { code: code.into(), line: 0, column: 0, message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "---\ntitle: T\nid: 1a\n---\n\n";
    const BODY: &str =
        "# One\n\nSome words of text that are long enough to count as a document, and more.\n\nThe last line of it.\n";

    #[test]
    fn what_is_wrong_with_the_head_has_its_line() {
        let base = format!("{HEAD}{BODY}");
        for (local, line, code) in [
            (BODY.to_owned(), 1, "HEAD_MISSING"),
            (base.replace("id: 1a", "id: 1b"), 3, "ID_CHANGED"),
            (base.replace("id: 1a\n", ""), 1, "ID_CHANGED"),
            (base.replace("title: T", "- T"), 2, "HEAD_BROKEN"),
            (base.replace("id: 1a\n", "id: 1a\nid: 1a\n"), 4, "HEAD_BROKEN"),
            (base.replace("id: 1a\n", "id: 1a\nheader: |\n    Acme\n  and more\n"), 6, "HEAD_BROKEN"),
            (base.replace("id: 1a\n", "id: 1a\n  header: Acme\n"), 4, "HEAD_BROKEN"),
            (base.replace("id: 1a\n", "header: |\n  Acme\nand more\nid: 1a\n"), 5, "HEAD_BROKEN"),
            (base.replace("line of it.\n", ""), 10, "HALF_WRITTEN"),
        ] {
            let found = holds(Some(&base), &local);
            let found: Vec<_> = found.iter().map(|notice| (notice.line, &*notice.code)).collect();
            assert_eq!(found, [(line, code)], "{local}");
        }
    }

    /// Checks which codes hold a file back whose text was [`BODY`] and is `local` now.
    fn check(local: &str, codes: &[&str]) {
        let found = holds(Some(&format!("{HEAD}{BODY}")), &format!("{HEAD}{local}"));
        assert_eq!(found.iter().map(|notice| notice.code.as_str()).collect::<Vec<_>>(), codes, "{local:?}");
    }

    #[test]
    fn a_fence_that_nothing_closes_waits() {
        let fenced = |fence: &str| BODY.replace("Some words", &format!("{fence}\nSome words"));
        check(&fenced("```"), &["CODE_OPEN"]);
        check(&fenced("~~~~ rs"), &["CODE_OPEN"]);
        check(&format!("{}```\n", fenced("```")), &[]);
        check(&format!("{BODY}\n```\nlet a;\n"), &[]);
        check(&format!("{BODY}\n- a\n  ```\n  let a;\n\nend\n"), &[]);
    }

    #[test]
    fn a_file_that_was_cut_inside_a_line_waits() {
        check(BODY, &[]);
        check(BODY.trim_end(), &[]);
        // At the end of a line people stop, too.
        check("# One\n\nSome words of text that are long enough to count as a document, and more.\n", &[]);
        check("# One\n\nSome words of text that are long enough to count as a document, and more.", &[]);
        check("# One\n\nSome words of text that are long enough to count as a document, and more.\n\n", &[]);
        check(BODY.strip_suffix("line of it.\n").unwrap_or_default(), &["HALF_WRITTEN"]);
        check(BODY.strip_suffix("ne of it.\n").unwrap_or_default(), &["HALF_WRITTEN"]);
        check(BODY.strip_suffix(".\n").unwrap_or_default(), &["HALF_WRITTEN"]);
        check("# On", &["SHRUNK", "HALF_WRITTEN"]);
        // Whoever writes the newline means it; so does whoever wrote something else.
        check(&BODY.replace("line of it.", ""), &[]);
        check(&BODY.replace("Some", "More").replace("ne of it.\n", ""), &[]);
        check(&BODY.replace("The last line of it.\n", "The last words"), &[]);
    }
}
