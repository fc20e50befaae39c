//! Items that Markdown takes for text: right under the text of an item a list begins only with 1, and so a nested list whose
//! first item was deleted would become words of the item above it.

use std::ops::Range;

use super::mask::list_mark;

/// The largest number that begins a nested list right under the text of its item; a year at the begin of a line is text.
const NUMBER_MAX: u32 = 99;

/// How much further than the text of an item a line under it may be indented, in blanks, and not be code.
const INDENT_MAX: usize = 3;

/// Finds the numbers of items that are nested right under a line of an item, in bytes.
pub(super) fn numbers(source: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Where the texts of the items begin that a line may belong to, the outermost first.
    let mut open: Vec<usize> = Vec::new();
    let (mut at, mut after_blank) = (0, true);
    for line in source.split_inclusive('\n') {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let begin = at + indent;
        at += line.len();
        if body.trim().is_empty() {
            after_blank = true;
            open.clear();
            continue;
        }
        let fresh = std::mem::take(&mut after_blank);
        let Some(length) = list_mark(body) else { continue };
        let digits = body.bytes().take_while(u8::is_ascii_digit).count();
        let number: u32 = body.get(..digits).and_then(|digits| digits.parse().ok()).unwrap_or(1);
        let listed = !open.is_empty();
        while open.last().is_some_and(|text| *text > indent) {
            open.pop();
        }
        let parent = open.last().copied();
        if let Some(text) = parent
            && (2..=NUMBER_MAX).contains(&number)
            && indent <= text + INDENT_MAX
        {
            found.push(begin..begin + digits);
        }
        if fresh || listed || number == 1 {
            open.push(indent + length);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_list_may_begin_with_any_number() {
        let check = |source: &str, expected: &[&str]| {
            let found: Vec<&str> = numbers(source).into_iter().filter_map(|range| source.get(range)).collect();
            assert_eq!(found, expected, "{source}");
        };
        check("1. a\n   2. b\n   3. c\n", &["2", "3"]);
        check("- a\n  more\n  12) b\n", &["12"]);
        check("- a\n  - b\n    2. c\n    3. d\n  - e\n", &["2", "3"]);
        // Siblings, text, and what is not indented enough or too much.
        check("1. a\n2. b\n", &[]);
        check("- a\n 2. b\n", &[]);
        check("in\n1984. It\n   2. was\n", &[]);
        check("- in\n  1984. It\n", &[]);
        check("- a\n\n  2. b\n", &[]);
        check("- a\n       2. b\n", &[]);
        check("1. a\n   1. b\n", &[]);
    }
}
