//! The laws, on arbitrary trees and hostile texts.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::FileFailurePersistence;

use super::*;

/// What must hold for every text there is.
pub(super) fn check_laws(text: &str) {
    let cleaned = clean(text);
    let parsed = parse(text);
    let printed = print(&parsed.tree);
    let again = parse(&printed);
    assert_eq!(again.tree, parsed.tree, "\n--- source\n{text}\n--- printed\n{printed}\n{text:?}\n{printed:?}");
    assert_eq!(print(&again.tree), printed, "printing is no fixed point of {text:?}");
    let mut at = 0;
    for block in &parsed.tree.blocks {
        let range = block.span.0.clone();
        assert!(at <= range.start && range.start <= range.end && range.end <= cleaned.len(), "{range:?} of {text:?}");
        assert!(cleaned.get(range.clone()).is_some());
        assert!(range.start == 0 || cleaned.as_bytes()[range.start - 1] == b'\n', "{range:?} of {text:?}");
        at = range.end;
    }
}

/// The pieces that hostile texts are made of.
const HOSTILE: &[&str] = &[
    "a",
    "b",
    "Z",
    "1",
    "é",
    "ก้",
    "😀",
    "א",
    "\u{301}",
    "\u{200b}",
    "\u{a0}",
    "\u{e907}",
    "\u{2003}",
    "\u{1}",
    "\0",
    "\u{c}",
    "\u{85}",
    "\u{2028}",
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\n  ",
    "\n    ",
    "\n- ",
    "\n  - ",
    "\n1. ",
    "\n10) ",
    "\n# ",
    "\n## ",
    "\n> ",
    "\n---\n",
    "\n===\n",
    "\n***\n",
    "\n```\n",
    "\n~~~\n",
    "\n| ",
    " | ",
    "\n| --- |\n",
    "\n|---|---|\n",
    "\n[^1]: ",
    "\n[x]: y\n",
    "\n+ ",
    "\n{!mono}\n",
    "\n- [ ] ",
    "\n\\\n",
    "\\\n",
    "*",
    "**",
    "***",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "``",
    "[",
    "]",
    "(",
    ")",
    "![",
    "](",
    "](<",
    "[^",
    "{Z",
    "<",
    ">",
    "<br>",
    "<https://x>",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "&amp;",
    "&#10;",
    "&#32;",
    "&",
    "#",
    ";",
    ":",
    "!",
    "|",
    "\\",
    "\\|",
    "\"",
    "'",
    "{",
    "}",
    "{!",
    "{/!}",
    "{!mono}",
    "{!u, underline}",
    "{!font:\"a, *b* `c` | \\\" \"}",
    "{^ h.x}",
    "{^}",
    "{^= kix.1 image \"a *b* | c\"}",
    "{^= toc}",
    "{!}",
    "[^1]",
    "[x]",
    "[x](y)",
    "[x](y \"t\")",
    "\\{",
    "\r\n",
    "\r",
    "-",
    "+",
    "=",
    ".",
    "1.",
    "---",
    "\u{feff}",
];

fn hostile() -> impl Strategy<Value = String> {
    vec(select(HOSTILE), 0..24).prop_map(|parts| parts.concat())
}

/// Text as it stands in a tree.
fn words() -> impl Strategy<Value = String> {
    let letters: Vec<&str> = HOSTILE
        .iter()
        .copied()
        .chain([
            "\u{b}",
            "x\u{b}y",
            " c ",
            "word",
            "* ",
            " *",
            "some words mean nothing",
            " and so do (these), 1. + 2. = 3; ",
        ])
        .collect();
    vec(select(letters), 1..5).prop_map(|parts| parts.concat())
}

fn value() -> impl Strategy<Value = PropertyValue> {
    prop_oneof![
        Just(PropertyValue::On),
        Just(PropertyValue::Off),
        words().prop_map(PropertyValue::Text),
        Just(PropertyValue::Text("12pt".to_owned())),
    ]
}

fn properties() -> impl Strategy<Value = Vec<Property>> {
    let name = select(vec!["mono", "underline", "color", "font", "size", "Title", "odd-one", "locked"]);
    vec((name, value()).prop_map(|(name, value)| Property { name: name.to_owned(), value }), 0..3)
}

fn marks() -> impl Strategy<Value = Marks> {
    let link = prop_oneof![
        4 => Just(None),
        1 => select(vec!["https://x.y/a_b?c=d&e=f&amp;g#h", "#^h.x", "b(c)", "a b", "", "<x>", "a|b", "\\", "é", "{!x}", "x*y*z"])
            .prop_map(|link| Some(link.to_owned())),
    ];
    let spans = prop_oneof![3 => Just(Vec::new()), 1 => properties()];
    let flag = || prop_oneof![2 => Just(false), 1 => Just(true)];
    (
        flag(),
        flag(),
        prop_oneof![5 => Just(false), 1 => Just(true)],
        prop_oneof![5 => Just(false), 1 => Just(true)],
        link,
        spans,
    )
        .prop_map(|(bold, italic, strike, code, link, properties)| Marks {
            bold,
            italic,
            strike,
            code,
            link,
            properties,
        })
}

fn runs() -> impl Strategy<Value = Vec<Run>> {
    let content = prop_oneof![
        8 => words().prop_map(RunContent::Text),
        1 => select(vec![None, Some("h.a")]).prop_map(|id| RunContent::Anchor(id.map(str::to_owned))),
        1 => (words(), any::<bool>()).prop_map(|(title, has_id)| RunContent::Object(Object {
            id: has_id.then(|| "kix.1".to_owned()),
            kind: "image".to_owned(),
            title: Some(title),
        })),
        1 => Just(RunContent::FootnoteReference("1".to_owned())),
    ];
    vec((content, marks()).prop_map(|(content, marks)| Run { content, marks }), 0..5)
}

fn content() -> impl Strategy<Value = Content> {
    let mark = || select(vec![Mark::Bullet, Mark::Number, Mark::Task { checked: true }, Mark::Task { checked: false }]);
    let paragraphs = || vec(runs(), 0..3);
    prop_oneof![
        1 => (1_u8..7, select(vec![None, Some(""), Some("h.x")]), runs()).prop_map(|(level, anchor, runs)| {
            Content::Heading { level, anchor: anchor.map(str::to_owned), runs }
        }),
        3 => runs().prop_map(|runs| Content::Paragraph { runs }),
        4 => (0_u8..4, mark(), runs()).prop_map(|(depth, mark, runs)| Content::Item { depth, mark, runs }),
        1 => (0_u8..4, runs()).prop_map(|(depth, runs)| Content::ItemParagraph { depth, runs }),
        1 => (select(vec!["", "py", "a\\b &amp; `c"]), hostile())
            .prop_map(|(info, text)| Content::Code { info: info.to_owned(), text }),
        1 => (1_usize..3, vec(vec(paragraphs(), 0..3), 1..3)).prop_map(|(width, rows)| Content::Table {
            alignments: vec![Alignment::Center; width],
            rows,
        }),
        1 => Just(Content::Rule),
        1 => properties().prop_map(|properties| Content::Directive { properties }),
        1 => paragraphs().prop_map(|paragraphs| Content::Footnote { label: "1".to_owned(), paragraphs }),
    ]
}

/// The pieces that heads are made of.
const HEADS: &[&str] = &[
    "\ntitle: ",
    "\ntab: ",
    "\nheader: |\n  ",
    "\nheader: >-\n    ",
    "\nfooter: ",
    "\nid: ",
    "\nother: ",
    "\n  ",
    "\n    ",
    "\n# ",
    "\n\n",
    "a",
    "b: c",
    "\"",
    "'",
    "&a ",
    "*a",
    "!x",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "- ",
    "? ",
    "%",
    "@",
    "~",
    "null",
    "  # c",
    " #",
];

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(vec!["title", "tab", "header", "footer", "id", "other", "null", "1", "true", "<<", "a b"]).prop_map(str::to_owned),
        1 => words(),
        1 => any::<String>().prop_filter("a head has no entry without a key", |key| !key.is_empty()),
    ]
}

fn value_of_head() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), words(), hostile(), vec(select(HEADS), 0..6).prop_map(|parts| parts.concat())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))), ..ProptestConfig::default() })]

    #[test]
    fn any_text_keeps_the_laws(text in hostile()) {
        check_laws(&text);
    }

    #[test]
    fn any_tree_comes_back(blocks in vec(content(), 0..5)) {
        let mut tree = Tree { front_matter: None, blocks: blocks.into_iter().map(Block::new).collect() };
        tree.normalize();
        let mut twice = tree.clone();
        twice.normalize();
        prop_assert_eq!(&twice, &tree);
        let printed = print(&tree);
        let parsed = parse(&printed);
        prop_assert_eq!(&parsed.tree, &tree, "\n{}", printed);
    }

    #[test]
    fn any_head_comes_back(entries in vec((key(), value_of_head()), 0..5), text in hostile()) {
        let mut entries = entries;
        let mut seen = std::collections::HashSet::new();
        entries.retain(|(key, _)| seen.insert(key.clone()));
        let front_matter = Some(FrontMatter { entries });
        let mut tree = Tree { front_matter, blocks: parse(&text).tree.blocks };
        tree.normalize();
        let printed = print(&tree);
        let parsed = parse(&printed);
        prop_assert_eq!(&parsed.tree.front_matter, &tree.front_matter, "\n{}", printed);
        prop_assert_eq!(print(&parsed.tree), printed);
    }

    /// Whatever is typed as a text of the head leaves the rest of it readable.
    #[test]
    fn any_line_of_a_head_is_read(lines in vec((select(vec!["title", "tab", "header", "footer"]), value_of_head()), 1..4)) {
        let line = |value: &str| clean(value).replace('\n', " ");
        let mut body = String::from("id: 1a\n");
        let mut seen = std::collections::HashSet::new();
        for (key, value) in lines.iter().filter(|(key, _)| seen.insert(*key)) {
            body.push_str(&format!("{key}: {}\n", line(value)));
        }
        body.push_str("url: x\n");
        let text = format!("---\n{body}---\n");
        check_laws(&text);
        let head = parse(&text).tree.front_matter.unwrap();
        let keys: Vec<&str> = head.entries.iter().map(|(key, _)| &**key).collect();
        let wanted: Vec<&str> = body.lines().filter_map(|line| line.split(':').next()).collect();
        prop_assert_eq!(keys, wanted, "{}", body);
    }

    #[test]
    fn any_head_keeps_the_laws(body in vec(prop_oneof![select(HEADS).prop_map(str::to_owned), value_of_head()], 0..12)) {
        check_laws(&format!("---\n{}\n---\n\ntext\n", body.concat()));
    }

    #[test]
    fn slices_join_to_the_same_tree(text in hostile(), reprinted in vec(any::<bool>(), 24)) {
        let text = clean(&text);
        let tree = parse(&text).tree;
        let blocks: Vec<(&Content, Option<&str>)> = tree
            .blocks
            .iter()
            .enumerate()
            .map(|(index, block)| {
                let keep = !reprinted.get(index).copied().unwrap_or(false);
                (&block.content, keep.then(|| text.get(block.span.0.clone()).unwrap()))
            })
            .collect();
        prop_assert_eq!(parse(&join(&blocks)).tree.blocks, tree.blocks);
    }
}

/// More cases are asked for by the environment, as proptest does it.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256)
}
