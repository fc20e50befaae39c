//! Where a line of the text that is pushed stands in the file: a merge spells what lies between blocks its own way. Pure.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::model::Notice;

/// Gives notices about the text that is pushed the lines of the file. A line that the file does not have stands for the
/// next one that it has, and then for the last.
pub fn lines_of_file(notices: &mut [Notice], pushed: &str, file: &str) {
    if pushed == file || notices.iter().all(|notice| notice.line == 0) {
        return;
    }
    let lines = |text: &'_ str| -> Vec<String> { text.lines().map(|line| line.trim_end().to_owned()).collect() };
    let (pushed, file) = (lines(pushed), lines(file));
    let ops = capture_diff_slices(Algorithm::Myers, &pushed, &file);
    for notice in notices.iter_mut().filter(|notice| notice.line > 0) {
        let line = usize::try_from(notice.line - 1).unwrap_or(usize::MAX);
        let mut same = ops.iter().filter(|op| matches!(op, DiffOp::Equal { .. }));
        let there = same
            .find(|op| line < op.old_range().end)
            .map(|op| op.new_range().start + line.saturating_sub(op.old_range().start));
        let there = there.unwrap_or_else(|| file.len().saturating_sub(1));
        notice.line = u32::try_from(there + 1).unwrap_or(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pushed: &str, file: &str, line: u32, expected: u32) {
        let mut notices = [Notice { code: "X".into(), line, column: 0, message: "x".into() }];
        lines_of_file(&mut notices, pushed, file);
        assert_eq!(notices[0].line, expected, "line {line} of {pushed:?} in {file:?}");
    }

    #[test]
    fn a_line_is_that_of_the_file() {
        check("a\n\nb\n", "a\n\n\n\nb\n", 3, 5);
        check("a\n\nb\n", "a\n\nb\n", 3, 3);
        check("a\n\nb\n", "a\r\n\r\n\r\nb\r\n", 3, 4);
        check("{!Title}\na\n\nb\n", "{!Title}\n\na\n\nb\n", 4, 5);
        check("{!Title}\na\n\nb\n", "a\n\nb\n", 1, 1);
        check("a\n\nb\n", "a\n\n\nc\n", 3, 4);
        check("a\n\nb\n", "", 0, 0);
    }
}
