//! From Markdown to the blocks of a document.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::document::{Bullet, Content, Doc, Marks, Run};

/// Reads a text.
pub(super) fn parse(text: &str) -> Doc {
    let mut reader = Reader::default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(text, options) {
        reader.event(event);
    }
    reader.flush();
    reader.doc
}

/// Returns a text as HTML, for who asks for it in that form.
pub(super) fn html(text: &str) -> String {
    let mut html = String::new();
    // What somebody wrote as HTML is shown as text, as everything else that comes from outside.
    let events = Parser::new_ext(text, Options::ENABLE_TABLES)
        .map(|event| if let Event::Html(raw) | Event::InlineHtml(raw) = event { Event::Text(raw) } else { event });
    pulldown_cmark::html::push_html(&mut html, events);
    html
}

/// What is known while a text is read.
#[derive(Default)]
struct Reader {
    doc: Doc,
    runs: Vec<Run>,
    marks: Marks,
    style: Option<i64>,
    /// The lists that are open: whether they count, and the number of the item at hand.
    lists: Vec<(bool, u64)>,
    /// Whether the item at hand has been written: its further paragraphs have no mark.
    marked: bool,
    code: Option<(String, String)>,
    rows: Option<Vec<Vec<Vec<Run>>>>,
}

impl Reader {
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not told apart is plain text")]
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => {
                let marks = Marks { code: true, ..self.marks.clone() };
                self.runs.push(Run { text: text.into_string(), marks });
            }
            // Recorded: the end of a line within a paragraph is a run of its own, a space.
            Event::SoftBreak | Event::HardBreak => self.runs.push(Run::plain(" ")),
            Event::Rule => {
                self.flush();
                self.doc.push(Content::Rule);
            }
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not told apart is plain text")]
    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                self.style = Some(style_of(level));
            }
            Tag::Paragraph => self.flush(),
            Tag::List(first) => {
                self.flush();
                self.lists.push((first.is_some(), first.unwrap_or(1).saturating_sub(1)));
            }
            Tag::Item => {
                self.flush();
                self.marked = false;
                if let Some((_, number)) = self.lists.last_mut() {
                    *number += 1;
                }
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((String::new(), language));
            }
            Tag::Table(_) => {
                self.flush();
                self.rows = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(rows) = &mut self.rows {
                    rows.push(Vec::new());
                }
            }
            Tag::Strong => self.marks.bold = true,
            Tag::Emphasis => self.marks.italic = true,
            Tag::Link { dest_url, .. } => self.marks.link = Some(dest_url.into_string()),
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not told apart is plain text")]
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.style = None;
            }
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
                self.marked = true;
            }
            TagEnd::CodeBlock => {
                if let Some((code, language)) = self.code.take() {
                    self.doc.push(Content::Code(code.trim_end_matches('\n').to_owned(), language));
                }
            }
            TagEnd::TableCell => {
                let runs = std::mem::take(&mut self.runs);
                if let Some(row) = self.rows.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(runs);
                }
            }
            TagEnd::Table => {
                if let Some(rows) = self.rows.take() {
                    self.doc.push(Content::Table(rows));
                }
            }
            TagEnd::Strong => self.marks.bold = false,
            TagEnd::Emphasis => self.marks.italic = false,
            TagEnd::Link => self.marks.link = None,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((code, _)) = &mut self.code {
            code.push_str(text);
            return;
        }
        match self.runs.last_mut() {
            Some(run) if run.marks == self.marks && run.text != " " => run.text.push_str(text),
            Some(_) | None => self.runs.push(Run { text: text.to_owned(), marks: self.marks.clone() }),
        }
    }

    /// Ends the paragraph at hand.
    fn flush(&mut self) {
        let runs = std::mem::take(&mut self.runs);
        if runs.iter().all(|run| run.text.trim().is_empty()) {
            return;
        }
        let level = self.lists.len().saturating_sub(1);
        let bullet = self.lists.last().filter(|_| !self.marked);
        let bullet = bullet.map(|(numbered, number)| Bullet { level, numbered: *numbered, number: *number });
        self.marked = true;
        self.doc.push(Content::Text { runs, style: self.style, bullet });
    }
}

/// Returns the product's number for a heading: 4 for the first level.
const fn style_of(level: HeadingLevel) -> i64 {
    match level {
        HeadingLevel::H1 => 4,
        HeadingLevel::H2 => 5,
        HeadingLevel::H3 => 6,
        HeadingLevel::H4 => 7,
        HeadingLevel::H5 => 8,
        HeadingLevel::H6 => 9,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::notebooklm::document;
    use crate::notebooklm::slot::Slot;

    #[test]
    fn positions_run_through_and_the_codec_reads_the_same_text() {
        let text = "# 標題 🙂\n\nOne **bold**\nline with `code` and [a link](https://x.example).\n\n* a\n* b\n  1. c\n\n\
                    | h | i |\n|---|---|\n| 1 | |\n\n```rust\nfn f() {}\n```\n\n---\n\nend";
        let doc = parse(text);
        let mut at = 0;
        for block in &doc.blocks {
            assert_eq!(block.start, at);
            at = block.end;
        }
        let body = json!([doc.values()]);
        let read = document::body(Slot::new("body", &body));
        assert_eq!(read.blocks.len(), doc.blocks.len());
        let markdown = read.markdown().text;
        for part in ["# 標題 🙂", "**bold**", "`code`", "[a link](https://x.example)", "fn f() {}", "1. c"] {
            assert!(markdown.contains(part), "{part} in {markdown}");
        }
        assert!(!read.cut);
    }

    #[test]
    fn shapes() {
        let doc = parse("# T\n\nA line\ngoes on.\n\n* x\n\n1. y");
        assert_eq!(
            doc.values(),
            json!([
                [0, 1, [[[0, 1, ["T"]]], [null, 4]]],
                [1, 16, [[[1, 7, ["A line"]], [7, 8, [" "]], [8, 16, ["goes on."]]]]],
                [16, 17, [[[16, 17, ["x"]]], [null, 1], null,
                    [null, null, 0, {"101": "•", "102": 1, "103": 1, "104": 0}]]],
                [17, 18, [[[17, 18, ["y"]]], [null, 1], null,
                    [null, null, 0, {"101": "1.", "102": 2, "103": 1, "104": 1}]]],
            ])
        );
    }
}
