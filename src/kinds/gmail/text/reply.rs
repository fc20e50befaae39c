//! The draft of an answer: the section of a thread's file in which a person writes it, and the message that it is in Gmail.
//!
//! A draft that this program wrote bears a mark with the hash of its text. One without it, or whose text is another by now, was
//! written in Gmail, where mails have looks, quotes and files that no section shows: such a draft is only read.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::mime::Part;
use super::people::{Person, one_line, people, sender};
use crate::mebdf::{self, Block, Content, Marks, RunContent, Tree};
use crate::model::{ContentHash, Notice};

/// The heading under which a person answers whom the last mail is from.
pub const REPLY: &str = "Draft reply";

/// The heading under which a person answers everybody.
pub const REPLY_TO_ALL: &str = "Draft reply to all";

/// The header of a draft that this program wrote.
pub const MARK: &str = "X-Mcp-Workspace-Draft";

/// The longest text of a draft, in bytes; the longest novels of the classics have three times as many.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// How many Message-IDs of a thread an answer names, as RFC 5322 has it in `References`.
const REFERENCES_MAX: usize = 100;

/// The longest Message-ID that an answer names, in bytes: a line of a mail has 998.
const MESSAGE_ID_MAX: usize = 900;

/// Where a draft goes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// To whom.
    pub to: Vec<Person>,
    /// Who gets a copy.
    pub cc: Vec<Person>,
    /// Who gets a copy that others do not know of.
    pub bcc: Vec<Person>,
    /// The subject.
    pub subject: String,
    /// The Message-ID that it answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// Those of the mails before, oldest first.
    pub references: Vec<String>,
}

/// Says to whom a draft goes: `to Ana Lee <ana@example.com>, with a copy to Bo <bo@example.com>`.
#[must_use]
pub fn whither(envelope: &Envelope) -> String {
    let row = |people: &[Person]| people.iter().map(Person::whole).collect::<Vec<_>>().join(", ");
    let (to, cc) = (row(&envelope.to), row(&envelope.cc));
    let copy = if cc.is_empty() { String::new() } else { format!(", with a copy to {cc}") };
    format!("to {to}{copy}")
}

/// A draft that this program wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The API id of its message.
    pub message: String,
    /// Whether it answers everybody.
    pub all: bool,
    /// Where it goes.
    pub envelope: Envelope,
    /// Its text as it was written, MEBDF.
    pub text: String,
}

/// The last mail of a thread that is no draft, as far as an answer needs it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answered {
    /// Whether the account wrote it.
    pub own: bool,
    from: Vec<Person>,
    to: Vec<Person>,
    cc: Vec<Person>,
    subject: String,
    message_id: Option<String>,
    references: Vec<String>,
}

/// A section of a file in which an answer is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its bytes, heading included.
    pub span: Range<usize>,
    /// Whether it answers everybody.
    pub all: bool,
    /// What stands below the heading, without blank lines around it.
    pub text: String,
}

impl Answered {
    /// Reads what an answer to a message needs.
    pub(super) fn read(root: &Part<'_>, own: bool) -> Self {
        let headers = &root.headers;
        let reply_to = people(headers.reply_to());
        let from = if reply_to.is_empty() { sender(headers).into_iter().collect() } else { reply_to };
        let mut references = ids(headers.references());
        if references.is_empty() {
            references = ids(headers.in_reply_to());
        }
        let message_id = headers.message_id().and_then(id);
        references.extend(message_id.clone());
        // The first one names the thread.
        if let Some(surplus @ 1..) = references.len().checked_sub(REFERENCES_MAX) {
            references.drain(1..=surplus);
        }
        Self {
            own,
            from,
            to: people(headers.to()),
            cc: people(headers.cc()),
            subject: headers.subject().map(one_line).unwrap_or_default(),
            message_id,
            references,
        }
    }

    /// Returns where an answer of `account` goes. An answer to a mail of one's own goes to whom that went.
    #[must_use]
    pub fn envelope(&self, account: &str, all: bool) -> Envelope {
        let whom = if self.own { &self.to } else { &self.from };
        let mut known: Vec<String> = vec![account.to_lowercase()];
        let to = others(whom, &mut known);
        let cc = match (all, self.own) {
            (false, _) => Vec::new(),
            (true, true) => others(&self.cc, &mut known),
            (true, false) => others(self.to.iter().chain(&self.cc), &mut known),
        };
        let is_answer = self.subject.get(..3).is_some_and(|begin| begin.eq_ignore_ascii_case("re:"));
        Envelope {
            // Somebody may write to themselves.
            to: if to.is_empty() { others(whom, &mut Vec::new()) } else { to },
            cc,
            bcc: Vec::new(),
            subject: if is_answer { self.subject.clone() } else { format!("Re: {}", self.subject) },
            in_reply_to: self.message_id.clone(),
            references: self.references.clone(),
        }
    }
}

/// People who have an address and were not met yet.
fn others<'p>(people: impl IntoIterator<Item = &'p Person>, known: &mut Vec<String>) -> Vec<Person> {
    let mut found = Vec::new();
    for person in people {
        let key = person.address.to_lowercase();
        if !key.is_empty() && !known.contains(&key) {
            known.push(key);
            found.push(person.clone());
        }
    }
    found
}

/// A Message-ID, if it is one that a header can hold.
fn id(said: &str) -> Option<String> {
    let said = said.trim().trim_matches(['<', '>']);
    let stands = !said.is_empty()
        && said.len() <= MESSAGE_ID_MAX
        && said.chars().all(|letter| !letter.is_whitespace() && !letter.is_control() && !matches!(letter, '<' | '>'));
    stands.then(|| said.to_owned())
}

fn ids(value: &mail_parser::HeaderValue<'_>) -> Vec<String> {
    let said = value.as_text_list().unwrap_or_default().iter();
    said.flat_map(|said| said.split_whitespace()).filter_map(id).collect()
}

/// Returns the value of the mark of a draft.
#[must_use]
pub fn mark(all: bool, text: &str) -> String {
    let hash: String = ContentHash::of(text.as_bytes()).0.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}; blake3={hash}", if all { "reply-all" } else { "reply" })
}

/// Reads a draft that this program wrote, and nobody has changed since.
pub(super) fn read(root: &Part<'_>, message: &str) -> Option<Reply> {
    let marked = root.headers.header_raw(MARK)?.split_whitespace().collect::<Vec<_>>().join(" ");
    let part = if root.children.is_empty() { root } else { root.children.first()? };
    if part.media_type != "text/plain" {
        return None;
    }
    let (text, whole) = part.text(TEXT_BYTES_MAX);
    let text = mebdf::clean(&text).trim_end().to_owned();
    let all = [true, false].into_iter().find(|all| marked == mark(*all, &text))?;
    if !whole || !unsayable(&text).is_empty() {
        return None;
    }
    let headers = &root.headers;
    let envelope = Envelope {
        to: people(headers.to()),
        cc: people(headers.cc()),
        bcc: people(headers.bcc()),
        subject: headers.subject().map(one_line).unwrap_or_default(),
        in_reply_to: ids(headers.in_reply_to()).into_iter().next(),
        references: ids(headers.references()),
    };
    Some(Reply { message: message.to_owned(), all, envelope, text })
}

/// The blocks of the section that shows a draft.
pub(super) fn blocks(reply: &Reply) -> Vec<Block> {
    let heading = if reply.all { REPLY_TO_ALL } else { REPLY };
    let heading = Content::Heading { level: 2, anchor: None, runs: vec![super::run(heading)] };
    let mut blocks = vec![Block::new(heading)];
    blocks.extend(said(&reply.text));
    blocks
}

/// Reads the text of a draft. It has no head, whatever it begins with.
pub(super) fn said(text: &str) -> Vec<Block> {
    mebdf::parse(&format!("\n{text}\n")).tree.blocks
}

/// The text of a section as a thread's file shows it.
#[must_use]
pub fn print(all: bool, text: &str) -> String {
    let blocks = blocks(&Reply { all, text: text.to_owned(), ..Reply::default() });
    mebdf::print(&Tree { front_matter: None, blocks })
}

/// Finds the sections of a file in which an answer is written. Each goes to the next mail's heading, or to the end.
#[must_use]
pub fn sections(text: &str) -> Vec<Section> {
    let blocks = mebdf::parse(text).tree.blocks;
    let mut sections = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let Some(all) = answers(&block.content) else { continue };
        let next = blocks.iter().skip(at + 1).find(|next| is_mail(&next.content) || answers(&next.content).is_some());
        let end = next.map_or(text.len(), |next| next.span.0.start);
        let below = text.get(block.span.0.end..end).unwrap_or_default();
        let below = below.trim_end().trim_start_matches('\n').to_owned();
        sections.push(Section { span: block.span.0.start..end, all, text: below });
    }
    sections
}

/// Tells whether a block is the heading of an answer, and whether of one to everybody.
fn answers(content: &Content) -> Option<bool> {
    let Content::Heading { level: 2, runs, .. } = content else { return None };
    let [run] = &runs[..] else { return None };
    let said = text_of(&run.content).filter(|_| run.marks == Marks::default())?;
    [(REPLY, false), (REPLY_TO_ALL, true)].into_iter().find(|(name, _)| *name == said).map(|(_, all)| all)
}

fn text_of(content: &RunContent) -> Option<&str> {
    let RunContent::Text(text) = content else { return None };
    Some(text)
}

fn is_mail(content: &Content) -> bool {
    matches!(content, Content::Heading { anchor: Some(anchor), .. } if anchor.starts_with(mebdf::MAIL_ANCHOR))
}

/// Says what of a text no draft can say, with the line of that text.
#[must_use]
pub fn unsayable(text: &str) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut tell = |line: u32, message: &str| {
        notices.push(Notice {
            code: "DRAFT".into(),
            line,
            column: 0,
            message: format!("{message}; the draft stays as it was"),
        });
    };
    if text.trim().is_empty() {
        tell(1, "the draft says nothing yet");
    }
    if text.len() > TEXT_BYTES_MAX {
        tell(1, "the draft has more than a million letters, which Gmail does not take");
        return notices;
    }
    let whole = format!("\n{text}\n");
    for block in mebdf::parse(&whole).tree.blocks {
        let line = whole.get(..block.span.0.start).unwrap_or_default().matches('\n').count();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let runs = block.content.runs();
        match &block.content {
            Content::Heading { level: 1 | 2, .. } => {
                tell(
                    line,
                    "a heading in a draft begins with three marks or more, since the headings above are the mails",
                );
            }
            Content::Directive { .. } => tell(line, "a mail has no such formatting as `{!…}`"),
            Content::Footnote { .. } => tell(line, "a mail has no footnotes"),
            _ if runs.iter().any(|run| text_of(&run.content).is_none()) => {
                tell(line, "a mail has no anchors, objects and footnotes: put the words there");
            }
            _ if runs.iter().any(|run| !run.marks.properties.is_empty()) => {
                tell(line, "a mail has no such formatting as `{!…}`: use Markdown alone");
            }
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Item { .. }
            | Content::ItemParagraph { .. }
            | Content::Code { .. }
            | Content::Table { .. }
            | Content::Rule => {}
        }
    }
    notices
}

/// The text of a draft as HTML.
#[must_use]
pub fn html(text: &str) -> String {
    mebdf::html(&Tree { front_matter: None, blocks: said(text) })
}
