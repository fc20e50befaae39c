//! Lines of `text/html`.
//!
//! The tags are read by `html5gum`, as browsers read them, and walked in one pass: what tags say opens and closes over the text, and no
//! tree is built. Converters to Markdown build one and descend it, so that a page that was made for it takes their stack, or a time
//! that grows with its square; their Markdown would have to be read again, where text could become structure; and they know
//! neither what is hidden nor where a quote or a signature begins.

use html5gum::{Emitter as _, HtmlString, StartTag, Token, Tokenizer};

use super::attributes::{Container, address, attribute, container, is_layout, said, span};
use super::lines::{Line, Mark, What};
use super::look;
use super::tables::{Frame, TABLES_MAX};
use crate::mebdf::{Mark as Bullet, Marks, Run, RunContent};

/// How many elements may be open; what is deeper looks as its parent does. Newsletters of nested tables have 60.
const OPEN_MAX: usize = 256;

/// The deepest list, as the format has it.
const LISTS_MAX: usize = 31;

/// A picture of at most so many pixels in both directions counts readers; one without a name of at most so many is an ornament.
const PIXEL_MAX: u32 = 2;
const ORNAMENT_MAX: u32 = 32;

const HEADINGS: [&[u8]; 6] = [b"h1", b"h2", b"h3", b"h4", b"h5", b"h6"];

/// Where the pictures of a message are: by their content id, the name and the path.
pub(crate) type Pictures<'p> = dyn Fn(&str) -> Option<(String, String)> + 'p;

/// What an HTML text says.
#[derive(Default)]
pub(crate) struct Page {
    /// Its lines.
    pub(crate) lines: Vec<Line>,
    /// How many words cannot be seen.
    pub(crate) hidden_words: usize,
    /// Content ids of the pictures that were placed.
    pub(crate) placed: Vec<String>,
    /// Whether it holds a table of data.
    pub(crate) has_table: bool,
    /// Addresses that its links lead to.
    pub(crate) links: Vec<String>,
}

/// How text looks at one place.
#[derive(Debug, Clone, Default)]
struct Look {
    marks: Marks,
    hidden: bool,
    no_size: bool,
    invisible: bool,
    pre: bool,
    skipped: bool,
    depth: usize,
    mark: Mark,
    color: Option<u32>,
    background: Option<u32>,
    lists: usize,
}

/// An open element.
struct Open {
    name: HtmlString,
    /// How text looked outside of it.
    outside: Look,
}

/// A list that is open, and whether it counts.
struct List {
    numbered: bool,
}

pub(crate) struct Walk<'p> {
    pictures: &'p Pictures<'p>,
    /// Whether rules stand apart from the elements: then a background may be one that is not seen here.
    has_sheet: bool,
    page: Page,
    pub(crate) lines: Vec<Line>,
    open: Vec<Open>,
    look: Look,
    lists: Vec<List>,
    runs: Vec<Run>,
    /// Whether a blank line stands above the next line.
    pub(crate) apart: bool,
    /// The item that the next line begins, or, once it has, goes on.
    item: Option<(u8, Bullet, bool)>,
    pub(super) tables: Vec<Frame>,
}

/// Reads an HTML text.
pub(crate) fn page(html: &str, pictures: &Pictures<'_>) -> Page {
    let mut walk = Walk {
        pictures,
        has_sheet: html.contains("<style") || html.contains("<STYLE") || html.contains("<Style"),
        page: Page::default(),
        lines: Vec::new(),
        open: Vec::new(),
        look: Look::default(),
        lists: Vec::new(),
        runs: Vec::new(),
        apart: true,
        item: None,
        tables: Vec::new(),
    };
    let mut emitter = html5gum::DefaultEmitter::default();
    emitter.naively_switch_states(true);
    emitter.set_last_start_tag(None);
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => walk.start(&tag),
            Token::EndTag(tag) => walk.end(&tag.name),
            Token::String(text) => walk.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    walk.flush();
    while !walk.tables.is_empty() {
        walk.close_table();
    }
    walk.page.lines = walk.lines;
    walk.page
}

impl Walk<'_> {
    fn start(&mut self, tag: &StartTag<()>) {
        let name = tag.name.as_slice();
        if is_skipped(name) {
            self.open.push(Open { name: tag.name.clone(), outside: self.look.clone() });
            self.look.skipped = true;
            return;
        }
        match name {
            b"br" => return self.line_break(),
            b"img" => return self.picture(tag),
            b"hr" => {
                self.flush();
                if !self.look.skipped && !self.look.hidden {
                    self.line(What::Rule, Vec::new());
                }
                self.apart = true;
                return;
            }
            b"wbr" | b"meta" | b"link" | b"base" | b"input" | b"col" | b"area" | b"source" | b"track" | b"embed"
            | b"param" => return,
            b"body" | b"html" => {
                // They hold all and close nothing.
                self.apply(tag);
                return;
            }
            b"p" => self.close_implied(b"p"),
            b"li" => self.close_implied(b"li"),
            b"td" | b"th" => {
                self.close_implied(b"td");
                self.close_implied(b"th");
            }
            b"tr" => self.close_implied(b"tr"),
            _ => {}
        }
        self.block_edge(name);
        match name {
            _ if self.open.len() >= OPEN_MAX => {}
            b"table" if self.tables.len() < TABLES_MAX => self.open_table(is_layout(tag)),
            b"tr" => self.open_row(),
            b"td" | b"th" => self.open_cell(span(tag), name == b"th"),
            b"ul" | b"ol" if self.lists.len() < LISTS_MAX => self.lists.push(List { numbered: name == b"ol" }),
            b"li" => self.open_item(),
            _ => {}
        }
        // What is not kept open cannot end, so it changes nothing.
        if self.open.len() < OPEN_MAX {
            self.open.push(Open { name: tag.name.clone(), outside: self.look.clone() });
            self.look.lists = self.lists.len();
            self.apply(tag);
        }
    }

    /// Takes what an element says of its text.
    fn apply(&mut self, tag: &StartTag<()>) {
        let said = said(tag);
        let name = tag.name.as_slice();
        let look = &mut self.look;
        match name {
            b"b" | b"strong" | b"th" => look.marks.bold = true,
            b"i" | b"em" | b"cite" | b"dfn" | b"var" => look.marks.italic = true,
            b"s" | b"strike" | b"del" => look.marks.strike = true,
            b"code" | b"tt" | b"kbd" | b"samp" if !look.pre => look.marks.code = true,
            b"pre" | b"textarea" | b"listing" | b"xmp" => look.pre = true,
            b"a" => look.marks.link = attribute(tag, "href").and_then(|href| address(&href)),
            b"blockquote" => {
                let class = attribute(tag, "class").unwrap_or_default();
                let is_quote = !said.borderless || class.contains("quote") || attribute(tag, "type").is_some();
                look.depth += usize::from(is_quote);
            }
            _ => {}
        }
        look.marks.bold = said.bold.unwrap_or(look.marks.bold);
        look.marks.italic = said.italic.unwrap_or(look.marks.italic);
        look.marks.strike |= said.strike;
        look.pre |= said.pre;
        look.color = said.color.or(look.color);
        look.background = said.background.or(look.background);
        look.hidden |= said.hidden;
        look.no_size = said.no_size.unwrap_or(look.no_size);
        look.invisible = said.invisible.unwrap_or(look.invisible);
        match container(tag) {
            Some(Container::Signature) => look.mark = Mark::Signature,
            Some(Container::Attribution) => look.mark = Mark::Attribution,
            Some(Container::Quote) if name != b"blockquote" => look.depth += 1,
            Some(Container::Quote) | None => {}
        }
        if let Some(link) = &self.look.marks.link
            && name == b"a"
        {
            self.page.links.push(link.clone());
        }
    }

    fn end(&mut self, name: &HtmlString) {
        match name.as_slice() {
            b"br" => return self.line_break(),
            b"p" if !self.open.iter().any(|open| open.name == *name) => {
                self.block_edge(b"p");
                return;
            }
            _ => {}
        }
        // An end tag closes what is open within; without its begin it closes nothing.
        if let Some(at) = self.open.iter().rposition(|open| open.name == *name) {
            self.close_from(at);
        }
    }

    /// Closes the elements from this one on.
    fn close_from(&mut self, at: usize) {
        while self.open.len() > at {
            // The last line within ends while its element is still open.
            let Some(name) = self.open.last().map(|open| open.name.clone()) else { return };
            let name = name.as_slice();
            if !is_skipped(name) {
                self.block_edge(name);
            }
            let Some(open) = self.open.pop() else { return };
            if is_skipped(name) {
                self.look = open.outside;
                continue;
            }
            match name {
                b"table" if !self.tables.is_empty() => self.close_table(),
                b"td" | b"th" => self.close_cell(),
                b"ul" | b"ol" => self.item = None,
                b"li" => self.item = None,
                _ => {}
            }
            self.lists.truncate(open.outside.lists);
            self.look = open.outside;
        }
    }

    /// Closes an element that the next of its kind ends, unless a table or list within which it stands is newer.
    fn close_implied(&mut self, name: &[u8]) {
        let bounds: &[&[u8]] = match name {
            b"li" => &[b"ul", b"ol", b"table"],
            b"p" => &[b"table", b"td", b"th", b"blockquote", b"li", b"div", b"ul", b"ol"],
            _ => &[b"table"],
        };
        for at in (0..self.open.len()).rev() {
            let open = self.open.get(at).map_or(&[][..], |open| open.name.as_slice());
            if open == name {
                return self.close_from(at);
            }
            if bounds.contains(&open) {
                return;
            }
        }
    }

    /// Ends the line where a block begins or ends.
    fn block_edge(&mut self, name: &[u8]) {
        match name {
            b"p" | b"blockquote" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"ul" | b"ol" | b"dl" | b"pre"
            | b"table" => {
                self.flush();
                // A list within an item, and what is no more than the begin of one, goes on.
                self.apart |= !(self.item.is_some() || (matches!(name, b"ul" | b"ol") && self.lists.len() > 1));
            }
            b"div" | b"tr" | b"li" | b"td" | b"th" | b"dt" | b"dd" | b"section" | b"article" | b"header"
            | b"footer" | b"center" | b"address" | b"form" | b"fieldset" | b"main" | b"nav" | b"caption"
            | b"figure" | b"figcaption" | b"aside" | b"option" | b"details" | b"summary" | b"legend" => self.flush(),
            _ => {}
        }
    }

    fn open_item(&mut self) {
        let depth = self.lists.len().saturating_sub(1);
        let numbered = self.lists.last().is_some_and(|list| list.numbered);
        let bullet = if numbered { Bullet::Number } else { Bullet::Bullet };
        self.item = Some((u8::try_from(depth).unwrap_or(u8::MAX), bullet, false));
    }

    fn line_break(&mut self) {
        if self.look.skipped || self.look.hidden {
            return;
        }
        if self.runs.is_empty() {
            self.apart = true;
        }
        self.flush();
    }

    fn text(&mut self, text: &str) {
        if self.look.skipped {
            return;
        }
        let Look { hidden, no_size, invisible, color, background, .. } = self.look;
        let unseen = !self.has_sheet && look::is_unseen(color, background);
        let hidden = hidden || no_size || invisible || unseen;
        if hidden {
            self.page.hidden_words +=
                text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
            return;
        }
        if self.look.pre {
            for (number, line) in text.split('\n').enumerate() {
                if number > 0 {
                    self.line_break();
                }
                self.add(line.trim_end_matches('\r'));
            }
            return;
        }
        let mut said = String::with_capacity(text.len());
        let mut blank = self.ends_blank();
        for letter in text.chars() {
            match letter {
                ' ' | '\t' | '\n' | '\r' | '\u{c}' if blank => {}
                ' ' | '\t' | '\n' | '\r' | '\u{c}' => {
                    said.push(' ');
                    blank = true;
                }
                // Blanks that fill the line shown in a list of mails.
                '\u{ad}' | '\u{200b}' | '\u{34f}' | '\u{feff}' | '\u{2060}' => {}
                letter => {
                    said.push(if letter == '\u{a0}' { ' ' } else { letter });
                    blank = false;
                }
            }
        }
        self.add(&said);
    }

    fn ends_blank(&self) -> bool {
        self.runs.last().is_none_or(|run| matches!(&run.content, RunContent::Text(text) if text.ends_with(' ')))
    }

    fn add(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let marks = self.look.marks.clone();
        match self.runs.last_mut() {
            Some(Run { content: RunContent::Text(last), marks: same }) if *same == marks => last.push_str(text),
            Some(_) | None => self.runs.push(Run { content: RunContent::Text(text.to_owned()), marks }),
        }
    }

    /// Ends the line.
    pub(crate) fn flush(&mut self) {
        let mut runs = std::mem::take(&mut self.runs);
        let is_blank = runs.iter().all(|run| matches!(&run.content, RunContent::Text(text) if text.trim().is_empty()));
        if is_blank {
            return;
        }
        let (heading, code) = (self.heading(), self.look.pre && self.stands_in(&[b"pre"]));
        let what = match &mut self.item {
            Some((depth, bullet, begun)) if !*begun => {
                *begun = true;
                What::Item { depth: *depth, bullet: *bullet }
            }
            Some((depth, ..)) => What::ItemText { depth: *depth },
            None => match heading {
                Some(level) => What::Heading(level),
                None if code => What::Code,
                None => What::Text,
            },
        };
        trim(&mut runs, what == What::Code);
        self.line(what, runs);
    }

    /// The level of the heading that the line stands in.
    fn heading(&self) -> Option<u8> {
        let near = self.open.iter().rev().take(4);
        let at = near.filter_map(|open| HEADINGS.iter().position(|name| *name == open.name.as_slice())).next()?;
        u8::try_from(at + 1).ok()
    }

    /// Tells whether the line stands in one of these elements, or in a child of one.
    fn stands_in(&self, names: &[&[u8]]) -> bool {
        self.open.iter().rev().take(4).any(|open| names.contains(&open.name.as_slice()))
    }

    fn line(&mut self, what: What, runs: Vec<Run>) {
        let Look { depth, mark, .. } = self.look;
        self.lines.push(Line { depth, what, runs, apart: self.apart, mark });
        self.apart = false;
    }

    pub(crate) fn table(&mut self, rows: Vec<Vec<crate::mebdf::Cell>>) {
        self.page.has_table = true;
        self.apart = true;
        self.line(What::Table(rows), Vec::new());
        self.apart = true;
    }

    fn picture(&mut self, tag: &StartTag<()>) {
        let said = said(tag);
        let small =
            |max: u32| said.width.is_some_and(|width| width <= max) || said.height.is_some_and(|height| height <= max);
        let source = attribute(tag, "src").unwrap_or_default();
        let alt = attribute(tag, "alt").map(|alt| alt.split_whitespace().collect::<Vec<_>>().join(" "));
        let alt = alt.unwrap_or_default();
        if self.look.skipped || self.look.hidden || said.hidden || small(PIXEL_MAX) {
            self.page.hidden_words += alt.split_whitespace().count();
            return;
        }
        let cid = source.trim().strip_prefix("cid:");
        let inner = cid.and_then(|cid| (self.pictures)(cid).map(|found| (cid, found)));
        let (text, link) = match inner {
            Some((cid, (name, path))) => {
                self.page.placed.push(cid.to_owned());
                (if alt.is_empty() { name } else { alt }, Some(path))
            }
            None if alt.is_empty() && small(ORNAMENT_MAX) => return,
            None => {
                let own = address(&source).filter(|link| link.starts_with("http"));
                let link = self.look.marks.link.clone().or(own);
                // What leads nowhere and has no name says nothing.
                if alt.is_empty() && link.is_none() {
                    return;
                }
                (if alt.is_empty() { "image".to_owned() } else { alt }, link)
            }
        };
        let outer = std::mem::replace(&mut self.look.marks.link, link);
        if !self.ends_blank() {
            self.add(" ");
        }
        self.add(&text);
        self.look.marks.link = outer;
    }
}

/// Takes blanks from the begin and the end of a line; code keeps its indent.
fn trim(runs: &mut [Run], code: bool) {
    for run in runs.iter_mut().take(if code { 0 } else { usize::MAX }) {
        let RunContent::Text(text) = &mut run.content else { return };
        *text = text.trim_start().to_owned();
        if !text.is_empty() {
            break;
        }
    }
    for run in runs.iter_mut().rev() {
        let RunContent::Text(text) = &mut run.content else { return };
        *text = text.trim_end().to_owned();
        if !text.is_empty() {
            break;
        }
    }
}

/// Elements whose text is for no reader; up to their end tag all is text, also where that is missing.
fn is_skipped(name: &[u8]) -> bool {
    matches!(name, b"script" | b"style" | b"title" | b"noframes" | b"iframe")
}
