//! Documents as Markdown.

use serde_json::{Value, json};

use super::{json as read_json, recordings, say};
use crate::notebooklm::document::{Block, Document, Range, blocks, document};
use crate::notebooklm::slot::Slot;

fn doc(value: &Value) -> Document {
    blocks(Slot::new("doc", value))
}

#[track_caller]
fn check(value: &Value, markdown: &str) {
    assert_eq!(doc(value).markdown().text, markdown);
}

/// A paragraph of one run.
fn para(start: u32, text: &str) -> Value {
    let end = start + u32::try_from(text.encode_utf16().count()).unwrap();
    json!([start, end, [[[start, end, [text]]]]])
}

fn run(text: &str, style: Value) -> Value {
    json!([null, null, [text, style]])
}

fn line(runs: Vec<Value>) -> Value {
    json!([[null, null, [runs]]])
}

#[test]
fn a_recorded_markdown_file() {
    let Some(folder) = recordings("a_recorded_markdown_file") else { return };
    let answer = read_json(&folder.join("chat_rows/source_fulltext_tailwind_doc.json"));
    let document = document(Slot::new("hizoJc", &answer).at(3));
    let markdown = document.markdown();
    let lines: Vec<&str> = markdown.text.lines().collect();
    assert_eq!(lines[0], "# Photosynthesis");
    assert!(lines.contains(&"## Light-dependent reactions") && lines.contains(&"### Limiting factors"));
    assert!(lines.contains(&"- ATP and NADPH are produced.") && lines.contains(&"2. Carbon dioxide concentration"));
    // A citation names a stretch; its line is found.
    let (first, last) = markdown.lines_of(Range { start: 183, end: 243 }).unwrap();
    assert_eq!(lines[first - 1], "- Water is split, releasing oxygen.");
    assert_eq!(lines[last - 1], "- ATP and NADPH are produced.");
    assert_eq!(markdown.line_of(0), Some(1));
    assert_eq!(markdown.line_of(u32::MAX), Some(lines.len()));
}

#[test]
fn recorded_tables() {
    let Some(folder) = recordings("recorded_tables") else { return };
    let fragment = doc(&read_json(&folder.join("chat_rows/citation_fragment_with_tables.json")));
    let markdown = fragment.markdown();
    let tables = fragment.blocks.iter().filter(|block| matches!(block, Block::Table(_))).count();
    assert_eq!(tables, 2);
    assert!(
        markdown.text.contains("| Operating system") || markdown.text.contains("| [Operating system]"),
        "{}",
        markdown.text
    );
    assert!(
        markdown.text.contains("[Gemini](https://en.wikipedia.org/wiki/Gemini_\\(chatbot\\))"),
        "{}",
        markdown.text
    );
    assert!(markdown.text.contains("**NotebookLM** (Google"), "{}", markdown.text);
    let row = markdown.line_of(1655).unwrap();
    assert!(markdown.text.lines().nth(row - 1).unwrap().contains("Included with"));
    let rich = read_json(&folder.join("tmc-nlm/cmd/nlm/testdata/load_source_rich_wire.json"));
    let rich = document(Slot::new("hizoJc", &rich).at(3)).markdown();
    assert_eq!(
        rich.text,
        "- **`Text`**\n\n| Cell |\n| --- |\n\n```go\ncode\n```\n".replace("- **`Text`**", "- **[`Text`](link)**")
    );
    let tree = read_json(&folder.join("tmc-nlm/notebooklm/testdata/live_rich_tree.json"));
    say(&format!("rich tree: {} lines", document(Slot::new("tree", &tree)).markdown().text.lines().count()));
}

/// Positions of recorded documents are found again: the words of a run stand in the line that its position names.
#[test]
fn positions_name_the_lines_of_their_words() {
    let Some(folder) = recordings("positions_name_the_lines_of_their_words") else { return };
    let cassette = read_json(&folder.join("cassettes/sources_wait.json"));
    let body = cassette["interactions"][3]["response"]["body"].as_str().unwrap();
    let crate::notebooklm::Outcome::Result(answer) = crate::notebooklm::reply::read_body(body, "hizoJc") else {
        panic!()
    };
    let read = crate::notebooklm::rows::source_text("hizoJc", &answer).unwrap();
    let markdown = read.document.markdown();
    let lines: Vec<&str> = markdown.text.lines().collect();
    let mut count = 0;
    for block in &read.document.blocks {
        let Block::Paragraph(paragraph) = block else { continue };
        for run in &paragraph.runs {
            let crate::notebooklm::document::Content::Text { text, .. } = &run.content else { continue };
            let word: String = text.trim().chars().take_while(char::is_ascii_alphanumeric).collect();
            if word.len() > 3 {
                let line = lines[markdown.line_of(run.range.start).unwrap() - 1];
                assert!(line.contains(&word), "{word} in {line}");
                count += 1;
            }
        }
    }
    say(&format!("{count} positions name the lines of their words"));
    assert!(count > 100);
}

#[test]
fn text_stays_text() {
    for (text, markdown) in [
        ("# no heading", "\\# no heading"),
        ("#no heading", "#no heading"),
        ("1. no item", "1\\. no item"),
        ("2024 was", "2024 was"),
        ("1.5 is", "1.5 is"),
        ("- no item", "\\- no item"),
        ("-5 degrees", "-5 degrees"),
        ("--- no rule", "\\--- no rule"),
        ("> no quote", "\\> no quote"),
        ("| no | table", "\\| no | table"),
        ("=== no title", "\\=== no title"),
        ("a*b*c `d` \\e", "a\\*b\\*c \\`d\\` \\\\e"),
        ("snake_case and _this_", "snake_case and \\_this\\_"),
        ("[1] and <b> and a<b and 1 < 2", "\\[1] and \\<b> and a\\<b and 1 < 2"),
        ("AT&T &amp; more", "AT&T \\&amp; more"),
        ("~~no~~ ~yes~", "\\~\\~no\\~\\~ ~yes~"),
        ("    no code", "&#32;   no code"),
        ("\tno code", "&#9;no code"),
        ("* * *", "\\* \\* \\*"),
        ("漢字 😀", "漢字 😀"),
    ] {
        check(&json!([para(0, text)]), &format!("{markdown}\n"));
    }
}

#[test]
fn looks() {
    let bold = json!([true]);
    let italic = json!([null, true]);
    let code = json!([null, null, null, null, null, null, null, true]);
    let link = json!([null, null, null, "https://a.example/x y"]);
    check(&line(vec![run("a ", Value::Null), run("b ", bold.clone()), run("c", Value::Null)]), "a **b** c\n");
    check(&line(vec![run("a", bold.clone()), run("b", bold.clone())]), "**ab**\n");
    check(&line(vec![run("a:", bold.clone()), run("b", Value::Null)]), "<b>a:</b>b\n");
    check(&line(vec![run("a:", bold.clone()), run(" b", Value::Null)]), "**a:** b\n");
    check(&line(vec![run("a", bold.clone()), run("b", italic.clone())]), "**a**<i>b</i>\n");
    check(&line(vec![run("x", json!([true, true]))]), "***x***\n");
    check(&line(vec![run("a`b", code.clone()), run(" ", code)]), "``a`b``\n");
    check(&line(vec![run("wow!", Value::Null), run("t]", link)]), "wow\\![t\\]](https://a.example/x%20y)\n");
    check(&line(vec![run("x", json!([null, null, null, "javascript:alert(1)"]))]), "x\n");
    check(&line(vec![run("x_1", json!([null, null, null, null, null, null, null, null, null, 1]))]), "$x_1$\n");
    check(&json!([[0, 1, [[[0, 1, null, ["https://a.example/i", null, "id"]]]]]]), "![image](https://a.example/i)\n");
}

#[test]
fn paragraphs_rows_and_lists() {
    check(&json!([para(0, "one"), para(3, "two")]), "one\n\ntwo\n");
    // A text that was pasted has a paragraph for each line, with the line's end.
    check(&json!([para(0, "one\n"), para(4, "two\n"), para(8, "\n"), para(9, "three\n")]), "one\ntwo\n\nthree\n");
    check(&json!([para(0, "one\ntwo")]), "one\ntwo\n");
    let item = |start: u32, text: &str, level: u32, kind: u32, number: u32| {
        let mut value = para(start, text);
        value[2] = json!([value[2][0], [null, 1], null, [null, null, level, {"101": "•", "102": kind, "103": number}]]);
        value
    };
    check(
        &json!([
            item(0, "a", 0, 2, 1),
            item(1, "b", 1, 1, 1),
            item(2, "c", 2, 1, 1),
            item(3, "d", 0, 2, 2),
            para(4, "e")
        ]),
        "1. a\n   - b\n     - c\n2. d\n\ne\n",
    );
    check(&json!([item(0, "deep", 7, 1, 1)]), "- deep\n");
    check(&json!([item(0, "# a\nb", 0, 1, 1)]), "- \\# a\n  b\n");
    let heading = |kind: u32, text: &str| json!([[0, 1, [[[0, 1, [text]]], [null, kind]]]]);
    check(&heading(2, "t"), "# t\n");
    check(&heading(9, "t #"), "###### t \\#\n");
    check(&heading(5, "a\nb"), "## a b\n");
    check(
        &json!([para(0, "a"), [1, 2, null, null, null, null, null, null, null, null, null, []], para(2, "b")]),
        "a\n\n---\n\nb\n",
    );
    check(&json!([[0, 9, null, null, null, null, ["a ``` b\nc", "go<x>"]]]), "````gox\na ``` b\nc\n````\n");
}

#[test]
fn tables() {
    let cell = |text: &str| json!([0, 1, [para(0, text)]]);
    let table = json!([[0, 9, null, null, [2, 2, [[0, 4, [cell("a|b"), cell("c\\|d")]], [4, 9, [cell("x\ny")]]]]]]);
    check(&table, "| a\\|b | c\\\\\\|d |\n| --- | --- |\n| x<br>y |  |\n");
    // A table in a cell is read so deep, and no deeper.
    let mut deep = cell("x");
    for _ in 0..40 {
        deep = json!([0, 1, [[0, 1, null, null, [1, 1, [[0, 1, [deep]]]]]]]);
    }
    let read = doc(&json!([[0, 1, null, null, [1, 1, [[0, 1, [deep]]]]]]));
    assert!(read.cut && read.markdown().text.contains("The rest is not shown"));
}

#[test]
fn lines_of_code_and_rows() {
    let value = json!([para(0, "one\n"), para(4, "😀 two\n"), [11, 20, null, null, null, null, ["ab\ncd\nef", "x"]]]);
    let markdown = doc(&value).markdown();
    assert_eq!(markdown.text, "one\n😀 two\n\n```x\nab\ncd\nef\n```\n");
    for (position, line) in [(0, 1), (3, 1), (4, 2), (9, 2), (11, 5), (14, 6), (17, 7), (99, 7)] {
        assert_eq!(markdown.line_of(position), Some(line), "{position}");
    }
    assert_eq!(markdown.lines_of(Range { start: 4, end: 15 }), Some((2, 6)));
    assert_eq!(doc(&json!([])).markdown().line_of(0), None);
}
