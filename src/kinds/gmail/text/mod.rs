//! From raw messages to the file of their thread. Pure.
//!
//! [`thread`] reads each message (`mime`, `body`), makes lines of its text (`plain`, `html`), folds what stands above already
//! (`quotes`, `signature`) and prints the whole with [`mebdf`], so that no text of a mail can become structure.
//!
//! **Invariant:** nothing is taken from a message but what is folded, which stands in an earlier message or is a signature, and what cannot be
//! seen; each is said, and the raw message has it.

mod body;
mod choice;
mod mime;
mod moment;
pub mod names;
mod people;
mod phrases;
mod plain;
mod quotes;
pub mod reply;
mod signature;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use mail_parser::MessageParser;

pub use moment::rfc3339;
pub use people::{Person, shown_subject};
pub use quotes::{Folded, fold, fold_in_thread};

use self::body::{Body, Folder, path};
use self::people::{Everybody, bare_subject, one_line, people, row, sender};
use self::quotes::{Seen, Thread, fates};
use self::reply::{Answered, Reply};
use self::words::Earlier;
use crate::extract::lines::{Fate, Line, Mark, blocks, plain as run};
use crate::extract::{self, Format};
use crate::mebdf::{self, Block, Content, FrontMatter, MAIL_ANCHOR, Marks, Run, RunContent, Tree};
use crate::model::{Facets, Millis, Notice};

/// The most bytes of text in the file of a thread: a longer text is not parsed ([`mebdf::TEXT_BYTES_MAX`]). Later messages are named only.
const FILE_BYTES_MAX: usize = 8 << 20;

/// The label of drafts.
const DRAFT: &str = "DRAFT";

/// The label of what the account wrote.
const SENT: &str = "SENT";

/// A message as it was read.
#[derive(Debug, Clone, Copy)]
pub struct Message<'m> {
    /// Its API id.
    pub id: &'m str,
    /// The ids of its labels.
    pub labels: &'m [String],
    /// When Gmail got it.
    pub internal_date: Millis,
    /// The message as it was sent, RFC 822.
    pub raw: &'m [u8],
}

impl Message<'_> {
    fn has(&self, label: &str) -> bool {
        self.labels.iter().any(|id| id == label)
    }
}

/// A file that was sent with a message. Its bytes: [`attachment_bytes`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The API id of its message.
    pub message: String,
    /// Which part of the message it is: `2.1` is the first part of the second, `2/1` the first of the message that is attached as the second.
    pub part: String,
    /// A safe name, which no other file of the thread has, unless it is the same.
    pub name: String,
    /// Its media type in lower case, as the message says.
    pub media_type: String,
    /// How many bytes it has, decoded.
    pub size: usize,
    /// Whether it is shown at its place in the text.
    pub inline: bool,
    /// By what the text names it.
    pub content_id: Option<String>,
}

impl Attachment {
    /// As what its text is read, if it is.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        Format::of(&self.name, &self.media_type)
    }
}

/// The file of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadText {
    /// The subject.
    pub title: String,
    /// The whole text, head included.
    pub text: String,
    /// The files of its messages, in their order.
    pub attachments: Vec<Attachment>,
    /// What the text does not say.
    pub notices: Vec<Notice>,
    /// The draft that the last section shows.
    pub reply: Option<Reply>,
    /// The mail that an answer is one to.
    pub answered: Option<Answered>,
    /// What the thread is found by besides its words.
    pub facets: Facets,
}

/// Makes the file of a thread. `labels` tells the names of the labels by their ids; one that it does not know is named by its id. The
/// messages may come in any order.
#[must_use]
pub fn thread(id: &str, messages: &[Message<'_>], labels: &BTreeMap<String, String>) -> ThreadText {
    let mut messages: Vec<&Message<'_>> = messages.iter().collect();
    messages.sort_by_key(|message| (message.internal_date, message.id));
    // A thread of nothing else would have no file.
    let reply = messages.iter().skip(1).rev().find_map(|message| draft(message));
    messages.retain(|message| reply.as_ref().is_none_or(|reply| reply.message != message.id));
    let mut making = Making::new(id, &messages);
    for message in &messages {
        making.message(message);
    }
    if let Some(reply) = &reply {
        making.reply(reply);
    }
    let labels = label_names(&messages, labels);
    let front_matter = making.head(&messages, &labels);
    let facets = Facets {
        senders: making.senders.shown,
        recipients: making.recipients.shown,
        labels: labels.into_iter().collect(),
        has_attachment: making.attachments.iter().any(|attachment| !attachment.inline),
        first: messages.first().map(|message| message.internal_date),
        last: messages.last().map(|message| message.internal_date),
    };
    let tree = Tree { front_matter: Some(front_matter), blocks: making.blocks };
    ThreadText {
        title: making.title,
        text: mebdf::print(&tree),
        attachments: making.attachments,
        notices: making.notices,
        reply,
        answered: making.answered,
        facets,
    }
}

/// Reads a message that is a draft of ours.
fn draft(message: &Message<'_>) -> Option<Reply> {
    if !message.has(DRAFT) {
        return None;
    }
    let parser = MessageParser::default();
    let root = mime::split(&parser, message.raw, "", 0, &mut mime::Budget::new());
    reply::read(&root, message.id)
}

/// Reads the bytes of an attachment from the raw message; `part` is [`Attachment::part`]. `None` when there is no such part.
#[must_use]
pub fn attachment_bytes(raw: &[u8], part: &str) -> Option<Vec<u8>> {
    body::content(raw, part)
}

struct Making<'m> {
    id: &'m str,
    parser: MessageParser,
    folder: Folder,
    title: String,
    participants: Everybody,
    senders: Everybody,
    recipients: Everybody,
    earlier: Earlier,
    blocks: Vec<Block>,
    attachments: Vec<Attachment>,
    notices: Vec<Notice>,
    bytes: usize,
    /// Whom the last message was from.
    last: Option<String>,
    /// The last message that is no draft.
    answered: Option<Answered>,
}

impl<'m> Making<'m> {
    fn new(id: &'m str, messages: &[&Message<'_>]) -> Self {
        let mut folder = Folder::default();
        // The raw messages lie in the same folder.
        for message in messages {
            folder.names.reserve(&format!("{}.eml", message.id));
        }
        Self {
            id,
            parser: MessageParser::default(),
            folder,
            title: String::new(),
            participants: Everybody::default(),
            senders: Everybody::default(),
            recipients: Everybody::default(),
            earlier: Earlier::default(),
            blocks: Vec::new(),
            attachments: Vec::new(),
            notices: Vec::new(),
            bytes: 0,
            last: None,
            answered: None,
        }
    }

    fn message(&mut self, message: &Message<'_>) {
        let mut body = Body::new(&self.parser, &mut self.folder, self.id, message.id);
        let root = mime::split(&self.parser, message.raw, "", 0, &mut body.budget);
        body.read(&root);
        self.bytes += body.weight();
        let Body { lines, attachments, told, .. } = body;
        if !message.has(DRAFT) {
            self.answered = Some(Answered::read(&root, message.has(SENT)));
        }
        let subject = root.headers.subject().map(one_line).unwrap_or_default();
        if self.blocks.is_empty() {
            self.title = shown_subject(&subject);
        }
        let from = sender(&root.headers);
        let (to, cc, bcc) = (people(root.headers.to()), people(root.headers.cc()), people(root.headers.bcc()));
        self.participants.meet(from.iter().chain(&to).chain(&cc).chain(&bcc));
        self.senders.meet(from.iter());
        self.recipients.meet(to.iter().chain(&cc).chain(&bcc));
        self.heading(message, from.as_ref());
        let differs = bare_subject(&subject) != bare_subject(&self.title)
            && !(subject.is_empty() && self.title == people::NO_SUBJECT);
        // That an answer goes to whom it answers needs no word.
        let answers =
            matches!(&to[..], [one] if cc.is_empty() && self.last.as_deref() == Some(&*one.address.to_lowercase()));
        self.last = from.as_ref().map(|from| from.address.to_lowercase());
        let to_row = if answers { String::new() } else { row(&to) };
        let mut facts: Vec<Vec<Run>> = Vec::new();
        // Answers go there, whatever the sender's name is.
        let reply_to = people(root.headers.reply_to());
        let is_sender = reply_to
            .iter()
            .all(|one| from.as_ref().is_some_and(|from| from.address.eq_ignore_ascii_case(&one.address)));
        let reply_row = if is_sender { String::new() } else { row(&reply_to) };
        for (name, row) in [("Reply-To", reply_row), ("To", to_row), ("Cc", row(&cc)), ("Bcc", row(&bcc))] {
            facts.extend((!row.is_empty()).then(|| vec![run(&format!("{name}: {row}"))]));
        }
        facts.extend(differs.then(|| vec![run(&format!("Subject: {subject}"))]));
        facts.extend(self.files(&attachments));
        self.paragraph(facts);
        if lines.is_empty() {
            self.nothing(root.body, message.raw.len(), &attachments);
        }
        self.text(&lines, phrases::is_forward_subject(&subject), message);
        self.attachments.extend(attachments);
        for (code, told) in told {
            self.tell(code, format!("message {}: {told}", message.id));
        }
    }

    fn tell(&mut self, code: &str, message: String) {
        self.notices.push(Notice { code: code.to_owned(), line: 0, column: 0, message });
    }

    fn heading(&mut self, message: &Message<'_>, from: Option<&Person>) {
        let who = from.map_or("(unknown sender)", Person::called);
        let draft = if message.has(DRAFT) { " (draft)" } else { "" };
        let text = format!("{who} — {}{draft}", moment::short(message.internal_date));
        let anchor = Some(format!("{MAIL_ANCHOR}{}", message.id));
        self.blocks.push(Block::new(Content::Heading { level: 2, anchor, runs: vec![run(&text)] }));
    }

    /// Shows the draft that a person writes here, and says where it goes.
    fn reply(&mut self, reply: &Reply) {
        self.blocks.extend(reply::blocks(reply));
        self.tell(
            "DRAFT",
            format!(
                "\"{}\" is a draft in Gmail, {}; it is sent there alone",
                if reply.all { reply::REPLY_TO_ALL } else { reply::REPLY },
                reply::whither(&reply.envelope)
            ),
        );
    }

    /// The files that no place in the text shows.
    fn files(&self, attachments: &[Attachment]) -> Option<Vec<Run>> {
        let mut runs = vec![run("Attachments: ")];
        for attachment in attachments.iter().filter(|attachment| !attachment.inline) {
            if runs.len() > 1 {
                runs.push(run(", "));
            }
            let marks = Marks { link: Some(path(self.id, &attachment.name)), ..Marks::default() };
            runs.push(Run { content: RunContent::Text(attachment.name.clone()), marks });
            // A file of such a name and type has its text beside it, or why there is none.
            if attachment.format().is_some() {
                let marks =
                    Marks { link: Some(path(self.id, &extract::text_name(&attachment.name))), ..Marks::default() };
                runs.push(run(" ("));
                runs.push(Run { content: RunContent::Text("text".to_owned()), marks });
                runs.push(run(")"));
            }
        }
        (runs.len() > 1).then_some(runs)
    }

    fn paragraph(&mut self, lines: Vec<Vec<Run>>) {
        let mut runs: Vec<Run> = Vec::new();
        for line in lines {
            if !runs.is_empty() {
                runs.push(run("\u{b}"));
            }
            runs.extend(line);
        }
        if !runs.is_empty() {
            self.blocks.push(Block::new(Content::Paragraph { runs }));
        }
    }

    /// Says why there is no text.
    fn nothing(&mut self, body: &[u8], size: usize, attachments: &[Attachment]) {
        let bare = body.iter().all(u8::is_ascii_whitespace) || !attachments.is_empty();
        let said = if bare {
            "(This message has no text.)".to_owned()
        } else {
            format!("(No text can be read in this message; it has {size} bytes.)")
        };
        self.paragraph(vec![vec![run(&said)]]);
    }

    /// Adds the text of a message, without what stands in the thread already.
    fn text(&mut self, lines: &[Line], forwards: bool, message: &Message<'_>) {
        let mut all = vec![Fate::Keep; lines.len()];
        let own: Vec<usize> =
            lines.iter().enumerate().filter(|(_, line)| line.mark != Mark::Attached).map(|(at, _)| at).collect();
        let seen: Vec<Seen<'_>> = own.iter().filter_map(|at| lines.get(*at)).map(Line::seen).collect();
        for (at, fate) in own.iter().zip(fates(&seen, Thread::Known(&self.earlier), forwards)) {
            if let Some(place) = all.get_mut(*at) {
                *place = fate;
            }
        }
        let mut shown = String::new();
        for (line, _) in lines.iter().zip(&all).filter(|(_, fate)| **fate != Fate::Quoted) {
            shown.push_str(&line.said());
            shown.push('\n');
        }
        if self.bytes > FILE_BYTES_MAX {
            self.paragraph(vec![vec![run(&format!(
                "(The thread is too long: {} bytes of text are not shown.)",
                shown.len()
            ))]]);
            self.tell(
                "LONG",
                format!("message {}: its text is not shown, since that of the thread is too long", message.id),
            );
            return;
        }
        self.earlier.push(&shown);
        self.blocks.extend(blocks(lines, &all));
    }

    /// The head of the file.
    fn head(&self, messages: &[&Message<'_>], labels: &BTreeSet<String>) -> FrontMatter {
        let more = self.participants.known.len() - self.participants.shown.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let mut entries = vec![
            ("title".to_owned(), self.title.clone()),
            ("id".to_owned(), self.id.to_owned()),
            ("url".to_owned(), super::ids::url(self.id)),
            (mebdf::LABELS.to_owned(), mebdf::print_names(labels.iter().map(String::as_str))),
            ("participants".to_owned(), format!("{}{more}", self.participants.shown.join(", "))),
        ];
        if let (Some(first), Some(last)) = (messages.first(), messages.last()) {
            entries.push(("from".to_owned(), rfc3339(first.internal_date)));
            entries.push(("to".to_owned(), rfc3339(last.internal_date)));
        }
        entries.push(("messages".to_owned(), messages.len().to_string()));
        FrontMatter { entries }
    }
}

/// The names of the labels that messages have.
fn label_names(messages: &[&Message<'_>], labels: &BTreeMap<String, String>) -> BTreeSet<String> {
    let ids = messages.iter().flat_map(|message| message.labels);
    ids.map(|id| label_name(labels.get(id).unwrap_or(id))).collect()
}

/// The name of a label as the head of a file says it.
#[must_use]
pub fn label_name(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
