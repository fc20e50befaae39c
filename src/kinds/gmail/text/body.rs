//! From the parts of one message to its lines and attachments.

use std::collections::HashMap;

use mail_parser::{MessageParser, MimeHeaders as _};

use super::Attachment;
use super::choice::html_says_more;
use super::mime::{self, Budget, DEPTH_MAX, Part};
use super::names::Names;
use super::people::{one_line, people, row, sender};
use super::plain;
use crate::extract::calendar;
use crate::extract::html::{self, Page};
use crate::extract::lines::{Line, Mark};
use crate::model::ContentHash;

/// The most bytes of text that are shown of one message; books are sent as attachments. The rest lies in the raw message.
pub(super) const SHOWN_BYTES_MAX: usize = 1 << 20;

/// The most bytes of HTML that are read of one message: newsletters have a tenth of it, tags take most.
const HTML_BYTES_MAX: usize = 4 << 20;

/// The fields of a delivery report that say what became of a message.
const REPORT_FIELDS: [&str; 5] = ["final-recipient", "original-recipient", "action", "status", "diagnostic-code"];

/// How many lines of a delivery report are shown.
const REPORT_LINES_MAX: usize = 60;

/// What names of attachments the messages of one thread share.
#[derive(Default)]
pub(super) struct Folder {
    pub(super) names: Names,
    /// Files that were named: the same bytes under the same name are one file.
    given: HashMap<(String, ContentHash), String>,
}

/// What one message holds.
pub(super) struct Body<'t> {
    parser: &'t MessageParser,
    folder: &'t mut Folder,
    thread: &'t str,
    message: &'t str,
    pub(super) lines: Vec<Line>,
    pub(super) attachments: Vec<Attachment>,
    /// What must be said of it: a word and a sentence.
    pub(super) told: Vec<(&'static str, String)>,
    pub(super) budget: Budget,
    hidden_words: usize,
    left: usize,
    has_calendar: bool,
}

impl<'t> Body<'t> {
    pub(super) fn new(parser: &'t MessageParser, folder: &'t mut Folder, thread: &'t str, message: &'t str) -> Self {
        Self {
            parser,
            folder,
            thread,
            message,
            lines: Vec::new(),
            attachments: Vec::new(),
            told: Vec::new(),
            budget: Budget::new(),
            hidden_words: 0,
            left: SHOWN_BYTES_MAX,
            has_calendar: false,
        }
    }

    /// Reads a whole message.
    pub(super) fn read(&mut self, root: &Part<'_>) {
        self.name_attachments(root, "", false);
        self.part(root, "", 0, 0);
        let Budget { beyond, too_deep, .. } = self.budget;
        if beyond > 0 {
            self.tell("PARTS", format!("the message has {beyond} more parts, which are not shown"));
        }
        if too_deep {
            self.tell("NESTED", format!("parts that nest deeper than {DEPTH_MAX} are not shown"));
        }
        if self.hidden_words > 0 {
            self.tell(
                "HIDDEN_TEXT",
                format!("{} words that cannot be seen in the message are left out", self.hidden_words),
            );
        }
    }

    /// How many bytes of text were taken.
    pub(super) fn weight(&self) -> usize {
        SHOWN_BYTES_MAX - self.left
    }

    fn tell(&mut self, code: &'static str, message: String) {
        self.told.push((code, message));
    }

    /// Names what is no body, in the order of the parts, so that a body can say where its pictures are.
    fn name_attachments(&mut self, part: &Part<'_>, prefix: &str, in_alternative: bool) {
        let alternative = part.media_type == "multipart/alternative";
        for child in &part.children {
            self.name_attachments(
                child,
                prefix,
                alternative || (in_alternative && part.media_type == "multipart/related"),
            );
        }
        let is_container =
            !part.children.is_empty() || part.body.is_empty() && part.media_type.starts_with("multipart/");
        if is_container || is_body(part, in_alternative) || is_message(part) || is_status(part) {
            return;
        }
        let media_type = one_line(&part.media_type);
        let said = part.name();
        let key = (said.unwrap_or_default().to_owned(), ContentHash::of(part.body));
        let name = match self.folder.given.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = self.folder.names.give(said, &media_type);
                self.folder.given.insert(key, name.clone());
                name
            }
        };
        self.attachments.push(Attachment {
            message: self.message.to_owned(),
            part: format!("{prefix}{}", part.path),
            name,
            media_type,
            size: part.size(),
            inline: false,
            content_id: part.headers.content_id().map(|id| one_line(id.trim_matches(['<', '>', ' ']))),
        });
    }

    /// Reads a part into lines. `depth`: how many messages it is attached in; `level`: how many parts.
    fn part(&mut self, part: &Part<'_>, prefix: &str, depth: usize, level: usize) {
        match &*part.media_type {
            "multipart/alternative" => self.alternative(part, prefix, depth, level),
            "multipart/encrypted" => {
                self.say("(This message is encrypted; its text is in the attachment.)", depth);
                self.tell("ENCRYPTED", "the message is encrypted and its text cannot be read".to_owned());
            }
            "application/pkcs7-mime" | "application/x-pkcs7-mime" => {
                let kind =
                    part.headers.content_type().and_then(|found| found.attribute("smime-type")).unwrap_or_default();
                let (said, code) = if kind.contains("signed") {
                    ("signed as a whole (S/MIME)", "SIGNED")
                } else {
                    ("encrypted (S/MIME)", "ENCRYPTED")
                };
                self.say(&format!("(This message is {said}; its text is in the attachment.)"), depth);
                self.tell(code, format!("the message is {said} and its text cannot be read"));
            }
            _ if !part.children.is_empty() => {
                if part.media_type == "multipart/signed" {
                    self.tell("SIGNED", "the message is signed; the signature was not checked".to_owned());
                }
                for child in &part.children {
                    self.part(child, prefix, depth, level + 1);
                }
            }
            "text/calendar" | "application/ics" => self.calendar(part, depth),
            _ if is_message(part) => self.attached(part, prefix, depth, level),
            _ if is_status(part) => self.report(part, depth),
            "text/html" if is_body(part, false) => {
                let page = self.page(part);
                self.take_page(page, depth);
            }
            _ if is_body(part, false) || (level == 0 && part.media_type.starts_with("multipart/")) => {
                let lines = self.plain(part);
                self.take(lines, depth);
            }
            _ => {}
        }
    }

    /// Reads the body that says more, and what stands beside the bodies.
    fn alternative(&mut self, part: &Part<'_>, prefix: &str, depth: usize, level: usize) {
        let plain = part.children.iter().find(|child| child.media_type == "text/plain" && is_body(child, true));
        let rich: Vec<&Part<'_>> =
            part.children.iter().rev().map(rich_of).find(|found| !found.is_empty()).unwrap_or_default();
        let others = part
            .children
            .iter()
            .filter(|child| !plain.is_some_and(|plain| std::ptr::eq(*child, plain)) && rich_of(child).is_empty());
        match (plain, &rich[..]) {
            (None, []) => {
                // What nobody knows is least of all the last, which says most.
                let readable = |child: &&Part<'_>| child.media_type != "text/calendar";
                if let Some(child) = part.children.iter().rev().find(readable) {
                    self.part(child, prefix, depth, level + 1);
                }
                for child in part.children.iter().filter(|child| child.media_type == "text/calendar") {
                    self.calendar(child, depth);
                }
                return;
            }
            (Some(plain), []) => {
                let lines = self.plain(plain);
                self.take(lines, depth);
            }
            (None, rich) => {
                let page = self.pages(rich);
                self.take_page(page, depth);
            }
            (Some(plain), rich) => {
                let (lines, page) = (self.plain(plain), self.pages(rich));
                if html_says_more(&lines, &page) { self.take_page(page, depth) } else { self.take(lines, depth) }
            }
        }
        for child in others {
            self.part(child, prefix, depth, level + 1);
        }
    }

    fn plain(&mut self, part: &Part<'_>) -> Vec<Line> {
        let (text, all) = part.text(SHOWN_BYTES_MAX);
        let parameter = |name: &str| {
            part.headers.content_type().and_then(|found| found.attribute(name)).map(str::to_ascii_lowercase)
        };
        let flowed = parameter("format").is_some_and(|format| format == "flowed");
        let delsp = parameter("delsp").is_some_and(|delsp| delsp == "yes");
        if text.contains("-----BEGIN PGP MESSAGE-----") {
            self.tell("ENCRYPTED", "text of the message is encrypted with PGP".to_owned());
        }
        let mut lines = plain::lines(&text, flowed, delsp);
        if !all {
            lines.push(self.cut(part));
        }
        lines
    }

    /// Reads bodies that are one text.
    fn pages(&mut self, parts: &[&Part<'_>]) -> Page {
        let mut all = Page::default();
        for part in parts {
            if part.media_type == "text/html" {
                let page = self.page(part);
                all.lines.extend(page.lines);
                all.placed.extend(page.placed);
                all.links.extend(page.links);
                all.hidden_words += page.hidden_words;
                all.has_table |= page.has_table;
            } else {
                all.lines.extend(self.plain(part));
            }
        }
        all
    }

    fn page(&mut self, part: &Part<'_>) -> Page {
        let (text, all) = part.text(HTML_BYTES_MAX);
        let (attachments, thread) = (&self.attachments, self.thread);
        let pictures = |cid: &str| {
            let cid = percent_encoding::percent_decode_str(cid).decode_utf8_lossy();
            let found = attachments.iter().find(|one| one.content_id.as_deref() == Some(&*cid))?;
            Some((found.name.clone(), path(thread, &found.name)))
        };
        let mut page = html::page(&text, &pictures);
        if !all {
            let cut = self.cut(part);
            page.lines.push(cut);
        }
        page
    }

    /// Says that a text goes on.
    fn cut(&mut self, part: &Part<'_>) -> Line {
        let size = part.size();
        self.tell("LONG", format!("a text of {size} bytes is shown in part"));
        Line::text(&format!("(The text goes on: it has {size} bytes.)"), 0, true)
    }

    fn take_page(&mut self, page: Page, depth: usize) {
        self.hidden_words += page.hidden_words;
        for cid in &page.placed {
            let cid = percent_encoding::percent_decode_str(cid).decode_utf8_lossy();
            for attachment in self.attachments.iter_mut().filter(|one| one.content_id.as_deref() == Some(&*cid)) {
                attachment.inline = true;
            }
        }
        self.take(page.lines, depth);
    }

    fn take(&mut self, lines: Vec<Line>, depth: usize) {
        for (number, mut line) in lines.into_iter().enumerate() {
            let length = line.weight();
            if length > self.left {
                if self.left > 0 {
                    self.tell("LONG", format!("more than {SHOWN_BYTES_MAX} bytes of text are not shown"));
                    self.say("(The text goes on; the raw message has all of it.)", depth);
                }
                self.left = 0;
                return;
            }
            self.left -= length;
            line.apart |= number == 0;
            line.depth += depth;
            if depth > 0 {
                line.mark = Mark::Attached;
            }
            self.lines.push(line);
        }
    }

    /// Adds a line of ours.
    fn say(&mut self, text: &str, depth: usize) {
        self.lines.push(Line { mark: Mark::Attached, ..Line::text(text, depth, true) });
    }

    fn calendar(&mut self, part: &Part<'_>, depth: usize) {
        // The same invitation stands in a message twice: for programs and for people.
        if std::mem::replace(&mut self.has_calendar, true) {
            return;
        }
        let (text, _) = part.text(SHOWN_BYTES_MAX);
        for line in calendar::lines(&text, depth) {
            self.lines.push(Line { mark: Mark::Attached, ..line });
        }
    }

    fn report(&mut self, part: &Part<'_>, depth: usize) {
        let (text, _) = part.text(SHOWN_BYTES_MAX);
        let mut apart = true;
        let said = text.lines().filter(|line| {
            let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
            REPORT_FIELDS.contains(&&*name)
        });
        for line in said.take(REPORT_LINES_MAX) {
            self.lines.push(Line { mark: Mark::Attached, ..Line::text(&one_line(line), depth, apart) });
            apart = false;
        }
    }

    /// Reads a message that is attached to this one: all of it, with nothing folded.
    fn attached(&mut self, part: &Part<'_>, prefix: &str, depth: usize, level: usize) {
        if level >= DEPTH_MAX {
            self.budget.too_deep = true;
            return;
        }
        let bytes = part.bytes();
        let inner = mime::split(self.parser, &bytes, "", level + 1, &mut self.budget);
        self.say("Attached message", depth);
        let mut facts = Vec::new();
        facts.extend(sender(&inner.headers).map(|from| format!("From: {}", from.whole())));
        facts.extend(inner.headers.date().map(|date| format!("Date: {}", date.to_rfc3339())));
        let to = people(inner.headers.to());
        facts.extend((!to.is_empty()).then(|| format!("To: {}", row(&to))));
        facts.extend(inner.headers.subject().map(|subject| format!("Subject: {}", one_line(subject))));
        for (number, fact) in facts.iter().enumerate() {
            self.lines.push(Line { mark: Mark::Attached, ..Line::text(fact, depth + 1, number == 0) });
        }
        let prefix = format!("{prefix}{}/", part.path);
        self.name_attachments(&inner, &prefix, false);
        self.part(&inner, &prefix, depth + 1, level + 1);
    }
}

/// Where an attachment stands, from the folder of the threads.
pub(super) fn path(thread: &str, name: &str) -> String {
    format!("attachments/{thread}/{name}")
}

/// Tells whether a part is text for the reader, and no file.
fn is_body(part: &Part<'_>, in_alternative: bool) -> bool {
    matches!(&*part.media_type, "text/plain" | "text/html" | "text/enriched" | "text/richtext" | "text/x-amp-html")
        && !part.is_attachment()
        && (in_alternative || part.name().is_none())
}

fn is_message(part: &Part<'_>) -> bool {
    matches!(&*part.media_type, "message/rfc822" | "message/global" | "message/news")
}

fn is_status(part: &Part<'_>) -> bool {
    matches!(&*part.media_type, "message/delivery-status" | "message/disposition-notification")
}

/// The bodies of a part that has HTML, which may stand beside its pictures or be cut by files; none where it has no HTML.
fn rich_of<'p, 'r>(part: &'p Part<'r>) -> Vec<&'p Part<'r>> {
    let mut found = Vec::new();
    gather(part, &mut found);
    if found.iter().any(|part| part.media_type == "text/html") { found } else { Vec::new() }
}

fn gather<'p, 'r>(part: &'p Part<'r>, found: &mut Vec<&'p Part<'r>>) {
    if part.children.is_empty() {
        found.extend(is_body(part, true).then_some(part));
        return;
    }
    let before = found.len();
    for child in &part.children {
        gather(child, found);
    }
    // Of two forms of the same text the richer one.
    if part.media_type == "multipart/alternative"
        && found.iter().skip(before).any(|part| part.media_type == "text/html")
    {
        let mut at = 0;
        found.retain(|part| {
            at += 1;
            at <= before || part.media_type == "text/html"
        });
    }
}

/// Reads the bytes of an attachment again. `part`: as [`Attachment::part`] says.
pub(super) fn content(raw: &[u8], part: &str) -> Option<Vec<u8>> {
    let parser = MessageParser::default();
    let mut bytes = raw.to_vec();
    for (step, path) in part.split('/').enumerate() {
        // The level only bounds how deep is looked.
        let tree = mime::split(&parser, &bytes, "", step.min(DEPTH_MAX), &mut Budget::new());
        let found = at(&tree, path)?.bytes().into_owned();
        bytes = found;
    }
    Some(bytes)
}

fn at<'p, 'r>(part: &'p Part<'r>, path: &str) -> Option<&'p Part<'r>> {
    if part.path == path {
        return Some(part);
    }
    part.children.iter().find_map(|child| at(child, path))
}
