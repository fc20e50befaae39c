//! The recorded cases, and cases of our own.

mod laws;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::*;
use laws::check_laws;

fn shared() -> Option<PathBuf> {
    let path = std::env::var_os("MCP_WORKSPACE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    path.is_dir().then_some(path)
}

fn fixture(name: &str) -> Option<Value> {
    let path = shared()?.join("fixtures/mebdf").join(name);
    Some(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
}

fn skipped(test: &str) {
    #[expect(clippy::print_stdout, reason = "a test that did not run must say so")]
    {
        println!("SKIPPED {test}: ../shared is absent");
    }
}

#[test]
fn strict_cases() {
    let Some(file) = fixture("strict_cases.json") else { return skipped("strict_cases") };
    let mut failed = Vec::new();
    for case in file["cases"].as_array().unwrap() {
        let input = case["input"].as_str().unwrap();
        let parsed = parse(input);
        let blocks = project(&parsed.tree);
        let printed = print(&parsed.tree);
        let mut expected = case["blocks"].clone();
        tidy(&mut expected);
        if blocks != expected {
            failed.push(format!("{}: {input:?}\n got {blocks}\nwant {expected}", case["id"]));
        }
        let codes: Vec<Value> = parsed.diagnostics.iter().map(|notice| json!(notice.code)).collect();
        let wanted = case.get("diagnostics").cloned().unwrap_or(json!([]));
        if json!(codes) != wanted {
            failed.push(format!("{}: got {codes:?}, want {wanted}", case["id"]));
        }
        if let Some(canonical) = case.get("canonical").and_then(Value::as_str)
            && printed.trim_end_matches('\n') != canonical
        {
            failed.push(format!("{}: printed {printed:?}, want {canonical:?}", case["id"]));
        }
        check_laws(input);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A heading without anchor says `"anchor": null`; a span in a span is said flat, as the tree is.
fn tidy(blocks: &mut Value) {
    for block in blocks.as_array_mut().unwrap() {
        if let Some(block) = block.as_object_mut() {
            if block.contains_key("h") {
                block.entry("anchor").or_insert(Value::Null);
            }
            if let Some(Value::Array(spans)) = block.get_mut("p") {
                *spans = spans.drain(..).flat_map(|span| flat(span, &Map::new())).collect();
            }
        }
    }
}

fn flat(span: Value, outer: &Map<String, Value>) -> Vec<Value> {
    let Some(own) = span.get("fmt").and_then(Value::as_object) else {
        return vec![if outer.is_empty() { span } else { json!({"fmt": outer, "c": [span]}) }];
    };
    let mut all = outer.clone();
    all.extend(own.clone());
    let inner: Vec<Value> = span["c"].as_array().unwrap().clone();
    let mut out: Vec<Value> = Vec::new();
    for span in inner.into_iter().flat_map(|span| flat(span, &all)) {
        let same = out.last().is_some_and(|last| last["fmt"] == span["fmt"]);
        match (out.last_mut(), same) {
            (Some(last), true) => {
                let more = span["c"].as_array().unwrap().clone();
                last["c"].as_array_mut().unwrap().extend(more);
            }
            _ => out.push(span),
        }
    }
    out
}

/// Projects a tree onto the notation of the strict cases.
fn project(tree: &Tree) -> Value {
    let mut out: Vec<Value> = Vec::new();
    for block in &tree.blocks {
        match &block.content {
            Content::Heading { level, anchor, runs } => {
                out.push(json!({"h": level, "anchor": anchor, "c": spans(runs)}));
            }
            Content::Paragraph { runs } | Content::ItemParagraph { runs, .. } => out.push(json!({"p": spans(runs)})),
            Content::Item { mark, runs, .. } => {
                let (name, item) = match mark {
                    Mark::Bullet => ("ul", json!([{"p": spans(runs)}])),
                    Mark::Number => ("ol", json!([{"p": spans(runs)}])),
                    Mark::Task { checked } => {
                        let mut item = vec![json!(checked)];
                        item.extend(spans(runs));
                        ("task", json!(item))
                    }
                };
                match out.last_mut().and_then(|last| last.get_mut(name)).and_then(Value::as_array_mut) {
                    Some(list) => list.push(item),
                    None => out.push(json!({ name: [item] })),
                }
            }
            Content::Code { info, text } => out.push(json!({"fence": info, "text": text})),
            Content::Table { rows, .. } => {
                let rows: Vec<Vec<Vec<Value>>> = rows
                    .iter()
                    .map(|row| row.iter().map(|cell| cell.iter().flat_map(|runs| spans(runs)).collect()).collect())
                    .collect();
                out.push(json!({ "table": rows }));
            }
            Content::Rule => out.push(json!({"rule": 1})),
            Content::Directive { properties } => match properties.as_slice() {
                [style] if named_style(&style.name).is_some() => {
                    out.push(json!({"style": style.name.to_uppercase().replace(' ', "_")}));
                }
                all => out.push(json!({ "set": props(all) })),
            },
            Content::Footnote { label, paragraphs } => {
                out.push(
                    json!({"fndef": label, "c": paragraphs.iter().flat_map(|runs| spans(runs)).collect::<Vec<_>>()}),
                );
            }
        }
    }
    Value::Array(out)
}

fn props(properties: &[Property]) -> Value {
    let mut out = Map::new();
    for property in properties {
        let value = match &property.value {
            PropertyValue::On => json!(true),
            PropertyValue::Off => json!(false),
            PropertyValue::Text(text) => json!(text),
        };
        out.insert(property.name.clone(), value);
    }
    Value::Object(out)
}

fn spans(runs: &[Run]) -> Vec<Value> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let properties = &runs[at].marks.properties;
        let length = runs[at..].iter().take_while(|run| run.marks.properties == *properties).count();
        let inner: Vec<Value> = runs[at..at + length].iter().flat_map(span).collect();
        if properties.is_empty() {
            out.extend(inner);
        } else {
            out.push(json!({"fmt": props(properties), "c": inner}));
        }
        at += length;
    }
    out
}

fn span(run: &Run) -> Vec<Value> {
    let mut values: Vec<Value> = match &run.content {
        RunContent::Text(text) => {
            let mut values = Vec::new();
            let mut plain = String::new();
            for letter in text.chars() {
                let kind = match letter {
                    '\n' => "soft",
                    '\u{b}' => "hard",
                    other => {
                        plain.push(other);
                        continue;
                    }
                };
                if !plain.is_empty() {
                    values.push(json!(std::mem::take(&mut plain)));
                }
                values.push(json!({ kind: 1 }));
            }
            if !plain.is_empty() {
                values.push(json!(plain));
            }
            values
        }
        RunContent::Anchor(id) => vec![json!({ "anchor": id })],
        RunContent::Object(object) if is_object_kind(&object.kind) => {
            vec![json!({"obj": object.id, "type": object.kind})]
        }
        RunContent::Object(object) => vec![json!({"obj": object.id, "type": "embed", "raw_type": object.kind})],
        RunContent::FootnoteReference(label) => vec![json!({ "fn": label })],
    };
    let marks = &run.marks;
    for (on, name) in [(marks.code, "code"), (marks.strike, "s"), (marks.italic, "i"), (marks.bold, "b")] {
        if on {
            values = vec![json!({ name: values })];
        }
    }
    if let Some(link) = &marks.link {
        values = vec![json!({"link": link, "c": values})];
    }
    values
}

#[test]
fn other_corpora_keep_the_laws() {
    for (file, list) in
        [("parser_cases.json", "cases"), ("observed_defects.json", "cases"), ("spec_v1_4_examples.json", "examples")]
    {
        let Some(file) = fixture(file) else { return skipped("other_corpora_keep_the_laws") };
        for case in file[list].as_array().unwrap() {
            check_laws(case.as_str().or_else(|| case["input"].as_str()).unwrap());
        }
    }
    let samples = fixture("samples.json").unwrap();
    for sample in samples["samples"].as_object().unwrap().values() {
        check_laws(sample.as_str().unwrap());
    }
}

/// Texts that make careless parsers quadratic; each must take about as long as harmless text of its size.
#[test]
fn hostile_texts_take_linear_time() {
    let size = 200_000;
    for piece in [
        "{!",
        "{!a",
        "{!a:\"",
        "{!mono}",
        "{!mono}x{/!}",
        "{/!}",
        "{^",
        "{^= a \"",
        "[",
        "[[a](",
        "](",
        "](<",
        "*",
        "**a",
        "***",
        "_a",
        "~~",
        "~",
        "`",
        "``a`",
        "<",
        "<a:",
        "<br>",
        "![",
        "![a",
        "&",
        "&#",
        "\\",
        "> ",
        "- ",
        "1. ",
        "[^1",
        "[^1]",
        "[^1]: ",
        "- [^1]: ",
        "|",
        "a|",
        "\n|a|\n|-|",
        "\t",
        "#",
        "\n{!mono}",
        "\n- ",
        "\n\n",
        "a **b",
        "*a_ ",
        "[a](b",
        "[a]: b\n",
        "{!a, ",
        "\u{b}",
        "<!--",
    ] {
        let text = piece.repeat(size / piece.len());
        let parsed = parse(&text);
        let printed = print(&parsed.tree);
        assert!(printed.len() < 20 * size + 100, "{piece}");
    }
}

#[test]
fn diagnostics_name_line_and_column() {
    let notices = parse("---\ntitle: x\n---\n\né {!mono}a\n\n{/!}\n\n{!odd:1}\n\na {!odder} b\n").diagnostics;
    let places: Vec<(&str, u32, u32)> = notices.iter().map(|n| (n.code.as_str(), n.line, n.column)).collect();
    assert_eq!(
        places,
        [("UNCLOSED_FORMAT", 5, 3), ("STRAY_CLOSE", 7, 1), ("UNKNOWN_PROPERTY", 9, 1), ("UNCLOSED_FORMAT", 11, 3)]
    );
}

#[test]
fn a_text_that_is_too_long_is_one_literal_paragraph() {
    let parsed = parse(&"# a\n".repeat(TEXT_BYTES_MAX / 4 + 1));
    assert_eq!(parsed.tree.blocks.len(), 1);
    assert_eq!(parsed.diagnostics[0].code, "TEXT_TOO_LARGE");
}

/// Ways of writing and what becomes of them in canonical form.
#[test]
fn canonical_forms() {
    let check = |text: &str, printed: &str| {
        check_laws(text);
        assert_eq!(print(&parse(text).tree), printed, "{text:?}");
    };
    check("a\n\n\\\n\nb\n", "a\n\n\\\n\nb\n");
    check("* a\n\n  more\n* b\n    1) c\n", "- a\n\n  more\n\n- b\n  1. c\n");
    check("- - a\n- b", "- - a\n- b\n");
    check("-\n- a", "- \\\n- a\n");
    check("- [x] \\\n- [ ] b", "- [x] \\\n- [ ] b\n");
    check("a\n{!mono}\nb", "a\n\n{!mono}\nb\n");
    check("\\\ntext\n", "\\\n\ntext\n");
    check("\\\n\\\n**a** b\n\\\nc\n", "\\\n\n\\\n\n**a** b\\\nc\n");
    check("&#11;text\n", "&#11;text\n");
    check("> quoted", "\\> quoted\n");
    check("<div>*a*</div>", "\\<div>*a*\\</div>\n");
    check("<https://x.y>", "[https://x.y](https://x.y)\n");
    check("[a][x]\n\n[x]: <u v>", "[a](<u v>)\n");
    check("a_b * c & d < e {f}", "a_b * c & d < e {f}\n");
    check("1\\. a", "1\\. a\n");
    check("\\# a", "\\# a\n");
    check("# a\\#b C#", "# a#b C#\n");
    check("***a** b*c", "***a** b*c\n");
    check("| a |\n|---|\n| b<br>{!mono}c{/!} |", "| a |\n| --- |\n| b<br>{!mono}c{/!} |\n");
    check("[^1]: a\n\n    b", "[^1]: a\n\n    b\n");
    check("**a{!mono}b{/!}c**", "**a**{!mono}**b**{/!}**c**\n");
    check("[a **b** c](x)", "[a **b** c](x)\n");
    check("**a [b](x) c**", "**a [b](x) c**\n");
    check("***\n\na\n\n---", "***\n\na\n\n---\n");
    check("{^= new image \"https://x/y_z.png\"}", "{^= new image \"https://x/y_z.png\"}\n");
}

#[test]
fn what_looks_like_a_definition_and_is_used_by_no_link_is_text() {
    let check = |source: &str, expected: &str| assert_eq!(print(&parse(source).tree), expected, "{source:?}");
    check("[Ana]: yes\n", "\\[Ana\\]: yes\n");
    check("First.\n\n[Ana]: yes **now**\n\nLast.\n", "First.\n\n\\[Ana\\]: yes **now**\n\nLast.\n");
    check("- one\n- [TODO]: call {!color:#ff0000}her{/!}\n", "- one\n- \\[TODO\\]: call {!color:#ff0000}her{/!}\n");
    check("a[^1]\n\n[^1]: [Ana]: yes\n", "a[^1]\n\n[^1]: \\[Ana\\]: yes\n");
    check("[1]: https://smith.example/paper\n[2]: <b>\n", "\\[1\\]: https://smith.example/paper\n\\[2\\]: \\<b>\n");
    check("see [one], [1]\n\n[1]: /x\n[2]: /y\n", "see \\[one\\], [1](/x)\n\n\\[2\\]: /y\n");
    check("```\n[Ana]: yes\n```\n", "```\n[Ana]: yes\n```\n");
}

#[test]
fn a_link_without_a_text_is_text() {
    let check = |source: &str, expected: &str| {
        assert_eq!(print(&parse(source).tree), expected, "{source:?}");
        check_laws(source);
    };
    check("a [](https://e.com/x) b\n", "a \\[\\](https://e.com/x) b\n");
    check("[](u)\n", "\\[\\](u)\n");
    check("- [](<u v>)\n", "- \\[\\](\\<u v>)\n");
    check("[{!color:#ff0000}{/!}](u)\n", "\\[\\{!color:#ff0000}\\{/!}\\](u)\n");
    check("**[](u)**\n", "**\\[\\](u)**\n");
    check("| a |\n| --- |\n| [](u) |\n", "| a |\n| --- |\n| \\[\\](u) |\n");
    assert_eq!(parse("a [](u)").diagnostics[0].code, "EMPTY_LINK");
}

#[test]
fn what_no_document_says_is_known() {
    let check = |source: &str, codes: &[&str], unsaid: usize| {
        let parsed = parse(source);
        let found = &parsed.diagnostics;
        assert_eq!(found.iter().map(|found| found.code.as_str()).collect::<Vec<_>>(), codes, "{source:?}");
        assert_eq!(parsed.unsaid().count(), unsaid, "{source:?}");
    };
    check("[a](u)\n", &[], 0);
    check("[a](u \"t\")\n", &["LINK_TITLE"], 1);
    check("[{^ kix.1}](u)\n", &["LINK_WITHOUT_TEXT"], 1);
    check("[{^= kix.1 image}](u)\n", &["LINK_WITHOUT_TEXT"], 1);
    check("[a {^= kix.1 image}](u)\n", &[], 0);
    check("- # a\n", &["HEADING_IN_ITEM"], 1);
    check("- ```\n  a\n  ```\n", &["BLOCK_IN_ITEM"], 0);
    check("- b\n\n  ```\n  a\n  ```\n", &[], 0);
    check("- | a |\n  | --- |\n", &["BLOCK_IN_ITEM"], 0);
    check("- \\\n\n```\na\n```\n", &[], 0);
    check("a[^1]\n\n[^1]: b\n\n    - c\n    - d\n", &["FOOTNOTE_FORM", "FOOTNOTE_FORM"], 0);
    check("a[^1]\n\n[^1]: b\n\n    c\n", &[], 0);
    check("a {^= new image \"x\" \"y\"} {^ b c}\n", &["UNCLOSED_FORMAT", "UNCLOSED_FORMAT"], 0);
    check("see [Ana]\n\n[Ana]: u\n", &["LINK_DEFINITION"], 0);
    check("see [Ana]\n\n[Bo]: no\n[Ana]: u\n", &["LINK_UNUSED", "LINK_DEFINITION"], 0);
    check("see [Ana]\n\n[Bo]: no\n\n[Ana]: u\n", &["LINK_DEFINITION"], 0);
}

#[test]
fn what_stands_in_a_footnote_is_paragraphs() {
    let check = |source: &str, expected: &str| {
        let note = |text: &str| format!("a[^1]\n\n[^1]: {text}\n");
        assert_eq!(print(&parse(&note(source)).tree), note(expected), "{source:?}");
        check_laws(&note(source));
    };
    check("b\n\n    - c\n    - d\n", "b\n\n    c\n\n    d");
    check("b\n\n    1. c\n       - d\n\n    e", "b\n\n    c\n\n    d\n\n    e");
    check("b\n\n    - \n    - d\n", "b\n\n    \\\n\n    d");
    check("b\n\n    ```\n    c\n    d\n    ```\n", "b\n\n    c\n\n    d");
}

#[test]
fn code_with_nothing_between_is_one() {
    let check = |source: &str, expected: &str| {
        assert_eq!(print(&parse(source).tree), expected, "{source:?}");
        check_laws(source);
    };
    check("```\na\n```\n\n```\nb\n```\n", "```\na\nb\n```\n");
    check("```\na\n```\n```\n```\n~~~\nb\n~~~\n", "```\na\nb\n```\n");
    check("```\na\n```\n\n\\\n\n```\nb\n```\n", "```\na\n```\n\n\\\n\n```\nb\n```\n");
    check("```js\na\n```\n\n```\nb\n```\n", "```js\na\n```\n\n```\nb\n```\n");
}

#[test]
fn a_cell_too_many_is_text_of_the_last_one() {
    let table = |row: &str| format!("| a | b |\n| --- | --- |\n{row}\n");
    let check = |row: &str, expected: &str| {
        let parsed = parse(&table(row));
        assert_eq!(print(&parsed.tree), table(expected));
        assert_eq!(
            parsed.diagnostics.iter().filter(|found| found.code == "TABLE_CELLS").count(),
            usize::from(row != expected)
        );
    };
    check("| c | d |", "| c | d |");
    check("| c | d | e |", "| c | d \\| e |");
    check("| c | d | e | f", "| c | d \\| e \\| f |");
    check("| c | d | behind", "| c | d \\| behind |");
    check("| c |  | e |", "| c | \\| e |");
}

/// Texts that once had no fixed point, each found by fuzzing.
#[test]
fn what_fuzzing_found() {
    check_laws("\0\0\0\0:\u{11}]([^\u{11}](1{Z?`)");
    check_laws("[^ a](1{Z?`)");
    check_laws("[^1 V]([[^V](\u{c}[K)");
}
