//! Markdown as programs write it that know nothing of brace forms: in it a brace is a brace, and every line is a paragraph.

use super::{Block, Content, Marks, Run, RunContent, Tree, normalize_runs};

/// Letters that stand for a brace while the text is parsed; of these one is free in every text that is not made to have them all.
const STAND_INS: std::ops::RangeInclusive<char> = '\u{e000}'..='\u{f8ff}';

/// Reads Markdown in which `{` means nothing. A line is a paragraph of its own, also without an empty one between; within an item or
/// a heading it is a line of that.
#[must_use]
pub fn markup(text: &str) -> Vec<Block> {
    let text = super::clean(text);
    let stand_in = STAND_INS.into_iter().find(|letter| !text.contains(*letter)).unwrap_or('(');
    // A first empty line keeps three dashes from being a head.
    let tree = super::parse(&format!("\n{}", apart(&text).replace('{', &stand_in.to_string()))).tree;
    let mut blocks = Vec::with_capacity(tree.blocks.len());
    for Block { mut content, .. } in tree.blocks {
        each_text(&mut content, |text| *text = text.replace(stand_in, "{"));
        if let Content::Paragraph { runs } = content {
            blocks.extend(lines(runs).into_iter().map(|runs| Block::new(Content::Paragraph { runs })));
            continue;
        }
        for run in content.runs_mut() {
            if let RunContent::Text(text) = &mut run.content {
                *text = text.replace('\n', "\u{b}");
            }
        }
        blocks.push(Block::new(content));
    }
    blocks
}

/// Reads a text that is no Markdown at all: each of its lines is a paragraph.
#[must_use]
pub fn literal(text: &str) -> Vec<Block> {
    let text = super::clean(text);
    let paragraph = |line: &str| {
        let run = Run { content: RunContent::Text(line.to_owned()), marks: Marks::default() };
        Block::new(Content::Paragraph { runs: if line.is_empty() { Vec::new() } else { vec![run] } })
    };
    text.strip_suffix('\n').unwrap_or(&text).split('\n').map(paragraph).collect()
}

/// Writes a tree as Markdown that any reader knows: without anchors, brace forms and directives; an object is its name.
#[must_use]
pub fn markdown(tree: &Tree) -> String {
    let mut blocks = tree.blocks.clone();
    blocks.retain(|block| !matches!(block.content, Content::Directive { .. }) && !block.content.is_structure());
    for block in &mut blocks {
        if let Content::Heading { anchor, .. } = &mut block.content {
            *anchor = None;
        }
        for run in block.content.runs_mut() {
            run.marks.properties.clear();
            match &run.content {
                RunContent::Object(object) => {
                    let name = object.title.as_deref().filter(|title| !title.trim().is_empty());
                    let said = name.map_or_else(|| format!("[{}]", object.kind), str::to_owned);
                    run.content = RunContent::Text(said);
                }
                RunContent::Anchor(_) => run.content = RunContent::Text(String::new()),
                RunContent::Text(_) | RunContent::FootnoteReference(_) => {}
            }
        }
    }
    super::print(&Tree { front_matter: None, blocks })
}

/// Parts lines that Markdown would take together: text below a list, and a line of dashes or equals signs below text.
fn apart(text: &str) -> String {
    let is_item = |line: &str| {
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..).unwrap_or_default();
        let is_numbered = digits > 0 && (rest.starts_with(". ") || rest.starts_with(") "));
        is_numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
    };
    let is_rule = |line: &str| {
        let line = line.trim_end();
        !line.is_empty() && [b'-', b'='].iter().any(|mark| line.bytes().all(|byte| byte == *mark))
    };
    let mut parted = String::with_capacity(text.len());
    let (mut fence, mut above): (Option<&str>, &str) = (None, "");
    for line in text.split_inclusive('\n') {
        let said = line.trim_end_matches('\n');
        let mark = ["```", "~~~"].into_iter().find(|mark| said.trim_start().starts_with(mark));
        if fence.is_none() && !above.trim().is_empty() {
            let is_text = !is_item(said) && !said.starts_with([' ', '\t']) && !said.trim().is_empty();
            if is_item(above) && is_text || is_rule(said) {
                parted.push('\n');
            }
        }
        fence = match (fence, mark) {
            (None, Some(mark)) => Some(mark),
            (Some(open), Some(mark)) if open == mark => None,
            (open, _) => open,
        };
        parted.push_str(line);
        above = said;
    }
    parted
}

fn each_text(content: &mut Content, mut change: impl FnMut(&mut String)) {
    if let Content::Code { info, text } = content {
        change(info);
        change(text);
    }
    for run in content.runs_mut() {
        if let RunContent::Text(text) = &mut run.content {
            change(text);
        }
        run.marks.link.iter_mut().for_each(&mut change);
    }
}

/// Cuts a paragraph where its lines end.
fn lines(runs: Vec<Run>) -> Vec<Vec<Run>> {
    let mut lines = vec![Vec::new()];
    for run in runs {
        let RunContent::Text(text) = &run.content else {
            lines.iter_mut().last().into_iter().for_each(|line: &mut Vec<Run>| line.push(run.clone()));
            continue;
        };
        for (at, piece) in text.split('\n').enumerate() {
            if at > 0 {
                lines.push(Vec::new());
            }
            let piece = Run { content: RunContent::Text(piece.to_owned()), marks: run.marks.clone() };
            lines.iter_mut().last().into_iter().for_each(|line| line.push(piece.clone()));
        }
    }
    lines.into_iter().map(|runs| normalize_runs(runs, false)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brace_is_a_brace_and_a_line_a_paragraph() {
        let check = |given: &str, expected: &str| {
            let printed = super::super::print(&Tree { front_matter: None, blocks: markup(given) });
            assert_eq!(printed, expected, "{given:?}");
            // What it says is what was written, also when it is read as what it is.
            assert_eq!(super::super::parse(&printed).tree.blocks, markup(given), "{given:?}");
        };
        check("a {^= x image} b", "a \\{^= x image} b\n");
        check("{!align:center}", "\\{!align:center}\n");
        check("---\ntitle: x\n---", "***\n\ntitle: x\n\n---\n");
        check("- b\nbelow", "- b\n\nbelow\n");
        check("text\n---\nnext", "text\n\n---\n\nnext\n");
        check("a\n==\n", "a\n\n\\==\n");
        check("```\n- a\nb\n---\n```", "```\n- a\nb\n---\n```\n");
        check("one\ntwo **three\nfour**", "one\n\ntwo **three**\n\n**four**\n");
        check("- one\n  more\n- two", "- one\\\n  more\n- two\n");
        check("# A __b__ _c_ ~~d~~", "# A **b** *c* ~~d~~\n");
        check("snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4\n");
        check("[a](http://x/{id})", "[a](<http://x/{id}>)\n");
        check("", "");
    }

    #[test]
    fn a_literal_text_is_what_it_says() {
        let check = |given: &str, count: usize| {
            let blocks = literal(given);
            assert_eq!(blocks.len(), count, "{given:?}");
            let read = super::super::parse(&super::super::print(&Tree { front_matter: None, blocks: blocks.clone() }));
            assert_eq!(read.tree.blocks, blocks, "{given:?}");
        };
        check("# no heading\n- no item\n\n**not bold**\n", 4);
        check("one\r\ntwo", 2);
        check("", 1);
    }

    #[test]
    fn markdown_has_no_braces_of_ours() {
        let check = |given: &str, expected: &str| {
            assert_eq!(markdown(&super::super::parse(given).tree), expected, "{given:?}");
        };
        check("# {^ h.1}Title\n\n{!align:center}\n\nA {!underline}word{/!} {^}here.\n", "# Title\n\nA word here.\n");
        check("See {^= kix.1 image \"A cat\"} and {^= equation}.\n", "See A cat and \\[equation\\].\n");
        check("a {b}\n", "a {b}\n");
    }
}
