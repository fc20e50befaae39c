//! Text that a document says elsewhere than in its paragraphs: in the header and footer that the head of its file shows, and in what
//! stands for objects.

use std::ops::Range;

use super::flat::paragraphs;
use super::replace::{Find, found_in};
use super::{Run, RunContent, Tree};

/// The entries of a head that are texts of the document.
const MARGINS: [&str; 2] = ["header", "footer"];

/// Replaces text of the header and footer that a head shows; returns how many places were replaced.
pub fn replace_in_head(tree: &mut Tree, find: Find<'_>, new: &str) -> usize {
    let mut count = 0;
    let entries = tree.front_matter.iter_mut().flat_map(|head| &mut head.entries);
    for (_, text) in entries.filter(|(key, _)| MARGINS.contains(&key.as_str())) {
        if count > 0 && !find.all {
            break;
        }
        let found = found_in(text, &find);
        count += found.len();
        for range in found.into_iter().rev() {
            text.replace_range(range, new);
        }
    }
    count
}

/// Returns the kind of an object, such as `person` or `date`, whose name holds a text or a part of it: it reads like text, and is
/// none.
#[must_use]
pub fn object_that_says<'t>(tree: &'t Tree, find: Find<'_>) -> Option<&'t str> {
    let mut all = tree.blocks.iter().flat_map(|block| paragraphs(&block.content));
    all.find_map(|runs| in_paragraph(runs, &Find { all: true, ..find }))
}

/// Tells whether a text says what is looked for.
#[must_use]
pub fn says(text: &str, find: Find<'_>) -> bool {
    !found_in(text, &find).is_empty()
}

fn in_paragraph<'r>(runs: &'r [Run], find: &Find<'_>) -> Option<&'r str> {
    let (mut text, mut objects): (String, Vec<(Range<usize>, &str)>) = (String::new(), Vec::new());
    for run in runs {
        let start = text.len();
        match &run.content {
            RunContent::Text(said) => text.push_str(&said.replace('\n', " ")),
            RunContent::Object(object) => {
                text.push_str(object.title.as_deref().unwrap_or_default());
                objects.push((start..text.len(), &object.kind));
            }
            RunContent::Anchor(_) | RunContent::FootnoteReference(_) => {}
        }
    }
    let found = found_in(&text, find);
    let touches = |object: &Range<usize>| found.iter().any(|at| at.start < object.end && object.start < at.end);
    objects.into_iter().find(|(object, _)| touches(object)).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::super::{parse, rewritten};
    use super::*;

    const fn find(text: &str, all: bool) -> Find<'_> {
        Find { text, match_case: true, all }
    }

    #[test]
    fn the_head_shows_two_texts_that_are_replaced() {
        let text = "---\ntitle: Acme\nid: x\nheader: Acme one\nfooter: |\n  Page of Acme\n  Acme\n---\n\nAcme  text\n";
        let check = |all: bool, count: usize, expected: &str| {
            let was = parse(text).tree;
            let mut is = was.clone();
            assert_eq!(replace_in_head(&mut is, find("Acme", all), "B: c"), count);
            assert_eq!(rewritten(text, &was, &is), expected);
        };
        let one = text.replace("header: Acme one", "header: 'B: c one'");
        let head = |text: &str| parse(text).tree.front_matter;
        let mut is = parse(text).tree;
        assert_eq!(replace_in_head(&mut is, find("Acme", false), "B: c"), 1);
        assert_eq!(is.front_matter, head(&one));
        let written = rewritten(text, &parse(text).tree, &is);
        assert!(head(&written) == head(&one) && written.ends_with("\nAcme  text\n"), "{written}");
        let mut is = parse(text).tree;
        assert_eq!(replace_in_head(&mut is, find("Acme", true), "B"), 3);
        assert!(rewritten(text, &parse(text).tree, &is).contains("title: Acme\n"));
        check(false, 1, &written);
        assert_eq!(replace_in_head(&mut parse("Acme\n").tree, find("Acme", true), "B"), 0);
    }

    #[test]
    fn objects_read_like_text() {
        let check = |text: &str, old: &str, kind: Option<&str>| {
            assert_eq!(object_that_says(&parse(text).tree, find(old, false)), kind, "{old:?} in {text:?}");
        };
        let text = "Ask {^= person \"Ana\"} by {^= date \"Mar 3\"} today.\n";
        check(text, "Ana", Some("person"));
        check(text, "Ask Ana by", Some("person"));
        check(text, "Mar 3 today", Some("date"));
        check(text, "Ask ", None);
        check(text, " by ", None);
        check(text, "nowhere", None);
    }
}
