//! The edits of a file's head: the title, and the text of header and footer. Pure.
//!
//! Of a header or footer the head shows the words alone. What it does not show, such as a page number, a picture or a
//! table, stands between the words as a hole that no edit may take away.

use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;

use super::characters::{CHARACTER, is_stripped, left_out};
use super::edit::{Group, delete_range, insert_text, utf16_len};
use super::planner::Planner;
use super::words::{Hunk, hunks};
use crate::gdocs::{
    CreateFooter, CreateHeader, DocumentTab, HeaderFooterType, Request, StructuralElement, TabProperties,
    UpdateDocumentTabProperties,
};
use crate::kinds::Rename;
use crate::kinds::docs::text::head::{Segment, Unit, char_of, read_segment};
use crate::kinds::docs::text::line::Token;
use crate::mebdf::{FrontMatter, HEAD_FAULT, Tree};

/// UTF-16 units that Drive takes for a name.
pub(super) const MAX_TITLE_CHARS: usize = 500;

/// UTF-16 units that a header or footer may have; a page holds far fewer.
const MAX_SEGMENT_UTF16: u32 = 20_000;

/// What the head of the file asks for, as far as it can be pushed.
#[derive(Debug, Default)]
pub(super) struct HeadEdits {
    /// The document's other name.
    pub(super) rename: Option<Rename>,
    /// Segments that are edited: name, id, and the text that the head shows of it afterwards.
    segments: Vec<(&'static str, String, String)>,
    /// Segments that are made, empty: their text can only be planned once Google has given them ids.
    made: Vec<&'static str>,
    /// The tab's other name.
    tab_title: Option<String>,
}

impl HeadEdits {
    /// Returns the head as it stands once the push has landed.
    pub(super) fn applied(&self, head: Option<&FrontMatter>) -> Option<FrontMatter> {
        let mut head = head?.clone();
        let title = self.rename.iter().map(|rename| ("title", &rename.to));
        for (name, text) in title.chain(self.segments.iter().map(|(name, _, text)| (*name, text))) {
            if let Some((_, value)) = head.entries.iter_mut().find(|(entry, _)| entry == name) {
                value.clone_from(text);
            }
        }
        if let (Some(title), Some((_, value))) =
            (&self.tab_title, head.entries.iter_mut().find(|(entry, _)| entry == "tab"))
        {
            let id = value.split_whitespace().next().unwrap_or_default();
            *value = format!("{id} \"{title}\"");
        }
        for name in &self.made {
            // The header stands before the footer, as it does when both are read.
            let footer = head.entries.iter().position(|(entry, _)| entry == "footer").filter(|_| *name == "header");
            head.entries.insert(footer.unwrap_or(head.entries.len()), ((*name).to_owned(), String::new()));
        }
        Some(head)
    }

    /// Tells whether the head asks for nothing.
    pub(super) const fn is_idle(&self) -> bool {
        self.rename.is_none() && self.segments.is_empty() && self.made.is_empty() && self.tab_title.is_none()
    }

    /// Tells whether something is left to plan once this has landed.
    pub(super) const fn again(&self) -> bool {
        !self.made.is_empty()
    }

    /// Checks that of a tab's properties only the title changes, and only to what it shall be.
    pub(super) fn tab_is_kept(&self, old: Option<&TabProperties>, new: Option<&TabProperties>) -> bool {
        match (&self.tab_title, old) {
            (Some(title), Some(old)) => new == Some(&TabProperties { title: title.clone(), ..old.clone() }),
            (Some(_) | None, _) => old == new,
        }
    }

    /// Checks that headers and footers say what they shall say after the push, and lost nothing that the head does not
    /// show.
    ///
    /// # Errors
    ///
    /// A sentence that tells what would differ.
    pub(super) fn arrives(&self, old: &DocumentTab, new: &DocumentTab) -> Result<(), String> {
        let style = |tab: &DocumentTab| {
            let mut style = tab.document_style.clone();
            for (name, field) in [("header", "defaultHeaderId"), ("footer", "defaultFooterId")] {
                if let (true, Some(Value::Object(map))) = (self.made.contains(&name), &mut style) {
                    map.remove(field);
                }
            }
            style.filter(|style| style.as_object().is_none_or(|map| !map.is_empty()))
        };
        if style(old) != style(new) {
            return Err("the style of the document would change".into());
        }
        for (kind, old, new) in [("header", &old.headers, &new.headers), ("footer", &old.footers, &new.footers)] {
            let made: Vec<_> = new.iter().filter(|(id, _)| !old.contains_key(*id)).collect();
            let all_empty = made.iter().all(|(_, segment)| plain_text(&segment.content).trim().is_empty());
            if made.len() != usize::from(self.made.contains(&kind)) || !all_empty {
                return Err("the headers and footers would change".into());
            }
            for (id, old) in old {
                let Some(new) = new.get(id) else { return Err("a header or footer would be gone".into()) };
                match self.segments.iter().find(|(_, edited, _)| edited == id) {
                    None if old == new => {}
                    None => return Err("a header or footer that was not edited would change".into()),
                    Some((name, id, text)) => {
                        if read_segment(name, id, &new.content).text() != *text {
                            return Err(format!("the {name} would not say what the file says"));
                        }
                        if hidden(&old.content) != hidden(&new.content) {
                            return Err(format!("the {name} would lose what the head of the file does not show"));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Segment {
    /// Where text goes that comes behind the unit before `index`.
    fn place(&self, index: usize) -> u32 {
        index.checked_sub(1).and_then(|before| self.units.get(before)).map_or(self.start, |unit| unit.at + unit.len)
    }

    /// The requests that put `text` in the place of a stretch of units, the last in the segment first. What stands
    /// between them and is not shown stays where it is.
    fn replace(&self, hunk: &Hunk, text: &str, tab: Option<&str>) -> Vec<Request> {
        let id = Some(self.id.as_str());
        let units = self.units.get(hunk.old.clone()).unwrap_or_default();
        let mut stretches = units.chunk_by(|one, next| one.at + one.len == next.at);
        let Some(first) = stretches.next() else {
            return vec![insert_text(id, tab, self.place(hunk.old.start), text)];
        };
        let bounds = |units: &[Unit]| {
            (units.first().map_or(0, |unit| unit.at), units.last().map_or(0, |unit| unit.at + unit.len))
        };
        let mut requests: Vec<Request> = stretches
            .map(|units| {
                let (start, end) = bounds(units);
                delete_range(id, tab, start, end)
            })
            .collect();
        requests.reverse();
        let (start, end) = bounds(first);
        if text.is_empty() {
            requests.push(delete_range(id, tab, start, end));
            return requests;
        }
        // Behind the first cluster of the old, and only then the old goes: so the new text takes its style, and a
        // comment on exactly these words keeps words to stand on.
        let behind_first = start + first_cluster(first);
        requests.push(insert_text(id, tab, behind_first, text));
        if behind_first < end {
            let len = utf16_len(text);
            requests.push(delete_range(id, tab, behind_first + len, end + len));
        }
        requests.push(delete_range(id, tab, start, behind_first));
        requests
    }
}

/// Width of the first grapheme cluster in UTF-16 units.
fn first_cluster(units: &[Unit]) -> u32 {
    let text: String = units.iter().filter_map(|unit| char_of(&unit.token)).collect();
    text.graphemes(true).next().map_or(0, utf16_len)
}

/// All text of a segment's paragraphs.
fn plain_text(content: &[StructuralElement]) -> String {
    let paragraphs = content.iter().filter_map(|element| element.paragraph.as_ref());
    paragraphs
        .flat_map(|paragraph| &paragraph.elements)
        .filter_map(|element| element.text_run.as_ref())
        .map(|run| run.content.as_str())
        .collect()
}

/// What a segment holds that the head does not show, without the places, which an edit moves.
fn hidden(content: &[StructuralElement]) -> Vec<Value> {
    let mut found = Vec::new();
    for element in content {
        let Some(paragraph) = &element.paragraph else {
            let mut value = serde_json::to_value(element).unwrap_or_default();
            unplace(&mut value);
            found.push(value);
            continue;
        };
        found.extend(paragraph.rest.get("positionedObjectIds").cloned());
        for part in &paragraph.elements {
            if let Some(run) = &part.text_run {
                let private = run.content.chars().filter(|c| ('\u{e000}'..='\u{f8ff}').contains(c));
                found.extend(private.map(|character| Value::from(character.to_string())));
            } else {
                let mut value = serde_json::to_value(part).unwrap_or_default();
                unplace(&mut value);
                found.push(value);
            }
        }
    }
    found
}

fn unplace(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|name, _| name != "startIndex" && name != "endIndex");
            map.values_mut().for_each(unplace);
        }
        Value::Array(list) => list.iter_mut().for_each(unplace),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns why a text cannot be the name of a document, if so.
pub(crate) fn bad_title(title: &str) -> Option<String> {
    if title.is_empty() {
        return Some("a document needs a title".into());
    }
    if title.contains(char::is_control) {
        return Some("a title stands on one line and has no control characters".into());
    }
    (title.encode_utf16().count() > MAX_TITLE_CHARS)
        .then(|| format!("a title has at most {MAX_TITLE_CHARS} characters"))
}

impl Planner<'_> {
    /// Decides on every entry of the head that differs.
    pub(super) fn front_matter(&mut self, local: &Tree) {
        let (Some(remote), Some(local)) = (&self.remote.tree.front_matter, &local.front_matter) else { return };
        if let [(name, _)] = local.entries.as_slice()
            && name.is_empty()
        {
            let found = self.diagnostics.iter().find(|notice| notice.code == HEAD_FAULT);
            let (line, why) = found.map_or((1, "the head cannot be read"), |notice| (notice.line, &*notice.message));
            return self.refuse(HEAD_FAULT, line, format!("{why}; nothing in it is pushed"));
        }
        for (name, value) in &remote.entries {
            let here = local.value(name);
            if here.map(str::trim_end) != Some(value.trim_end()) {
                self.entry(name, value, here);
            }
        }
        for (name, _) in local.entries.iter().filter(|(name, _)| !remote.entries.iter().any(|(other, _)| other == name))
        {
            let line = self.head_line(name);
            let message = match name.as_str() {
                "header" | "footer" if self.make(name) => continue,
                "header" | "footer" => format!("the API makes a {name} for the first tab alone, and this one has none"),
                _ => format!("`{name}` in the head of the file means nothing here"),
            };
            self.refuse("FRONT_MATTER_LOCKED", line, message);
        }
    }

    /// Decides on one entry that differs; `new` is `None` when it was removed.
    fn entry(&mut self, name: &str, old: &str, new: Option<&str>) {
        let line = self.head_line(name);
        match (name, new) {
            ("title", Some(new)) => self.title(old, new.trim(), line),
            ("header" | "footer", Some(new)) => {
                let remote = self.remote;
                match remote.segments.iter().find(|segment| segment.name == name) {
                    Some(segment) => self.segment(segment, new, line),
                    None => self.refuse("FRONT_MATTER_LOCKED", line, format!("the document has no {name}")),
                }
            }
            ("header" | "footer", None) => {
                let message = format!(
                    "`{name}` was removed from the head of the file; it stays in the document. Write `{name}:` with \
                     nothing behind it to empty it"
                );
                self.refuse("FRONT_MATTER_LOCKED", line, message);
            }
            ("tab", Some(new)) => self.tab_title(old, new, line),
            (_, Some(_)) => {
                self.refuse("FRONT_MATTER_LOCKED", line, format!("`{name}` is Google's to say; `{old}` stays"));
            }
            (_, None) => {
                let message = format!("`{name}` was removed from the head of the file; it means `{old}` still");
                self.refuse("FRONT_MATTER_LOCKED", line, message);
            }
        }
    }

    fn title(&mut self, old: &str, new: &str, line: u32) {
        match bad_title(new) {
            Some(why) => self.refuse("TITLE", line, why),
            None => self.head.rename = Some(Rename { from: old.to_owned(), to: new.to_owned() }),
        }
    }

    /// Plans a header or footer that the document does not have yet; its text comes with the next plan, when its id is
    /// known. Tells whether it can be made.
    fn make(&mut self, name: &str) -> bool {
        if !self.remote.first_tab {
            return false;
        }
        let r#type = HeaderFooterType::Default;
        let (name, request) = match name {
            "header" => ("header", Request::CreateHeader(CreateHeader { r#type, ..CreateHeader::default() })),
            _ => ("footer", Request::CreateFooter(CreateFooter { r#type, ..CreateFooter::default() })),
        };
        self.groups.push(Group { elements: Vec::new(), requests: vec![request] });
        self.head.made.push(name);
        true
    }

    /// Plans the other name of the tab.
    fn tab_title(&mut self, old: &str, new: &str, line: u32) {
        let parts = |entry: &str| {
            let (id, title) = entry.trim().split_once(char::is_whitespace).unwrap_or((entry.trim(), ""));
            let title = title.trim();
            let bare = title.strip_prefix('"').and_then(|title| title.strip_suffix('"')).unwrap_or(title);
            (id.to_owned(), bare.trim().to_owned())
        };
        let ((id, old), (new_id, new)) = (parts(old), parts(new));
        if id != new_id {
            return self.refuse(
                "FRONT_MATTER_LOCKED",
                line,
                format!("the id of a tab is Google's to say; `{id}` stays"),
            );
        }
        if new == old {
            return;
        }
        if let Some(why) = bad_title(&new) {
            return self.refuse("TITLE", line, why.replace("a document", "a tab"));
        }
        if self.remote.other_tabs.contains(&new) {
            return self.refuse("TITLE", line, format!("another tab is called \"{new}\" already"));
        }
        let tab_properties = TabProperties { tab_id: id, title: new.clone(), ..TabProperties::default() };
        let request = UpdateDocumentTabProperties { tab_properties, fields: "title".into() };
        let requests = vec![Request::UpdateDocumentTabProperties(request)];
        self.groups.push(Group { elements: Vec::new(), requests });
        self.head.tab_title = Some(new);
    }

    /// Plans the words of a header or footer.
    fn segment(&mut self, segment: &Segment, new: &str, line: u32) {
        if let Some(reason) = segment.lock {
            return self.refuse("LOCKED", line, format!("the {} cannot be edited here: {reason}", segment.name));
        }
        if utf16_len(new) > MAX_SEGMENT_UTF16 {
            let message = format!("a {} has at most {MAX_SEGMENT_UTF16} characters", segment.name);
            return self.refuse("LOCKED", line, message);
        }
        let mut wanted: Vec<Token> = Vec::new();
        for character in new.trim_end_matches('\n').chars() {
            if is_stripped(character) {
                self.refuse(CHARACTER, line, left_out(character));
            } else {
                // A line break within a paragraph is shown as a blank, so it can only be asked for as one.
                wanted.push(Token::Char(if character == '\u{b}' { ' ' } else { character }));
            }
        }
        let old: Vec<&Token> = segment.units.iter().map(|unit| &unit.token).collect();
        let wanted: Vec<&Token> = wanted.iter().collect();
        let mut requests = Vec::new();
        let mut result = segment.text().chars().collect::<Vec<_>>();
        for hunk in hunks(&old, &wanted).into_iter().rev() {
            if segment.units[hunk.old.clone()].iter().any(|unit| unit.fixed) {
                let message =
                    "these lines cannot be joined: a table or a picture that is not shown here stands between them";
                self.refuse("LOCKED", line, message);
                continue;
            }
            let inserted: Vec<char> = wanted[hunk.new.clone()].iter().filter_map(|token| char_of(token)).collect();
            let text: String = inserted.iter().collect();
            requests.extend(segment.replace(&hunk, &text, self.tab_id.as_deref()));
            result.splice(hunk.old.clone(), inserted);
        }
        if requests.is_empty() {
            return;
        }
        let result: String = result.into_iter().collect();
        self.groups.push(Group { elements: Vec::new(), requests });
        self.head.segments.push((segment.name, segment.id.clone(), result.trim_end_matches('\n').to_owned()));
    }

    /// The line of an entry of the head, or that of the head's begin.
    fn head_line(&self, name: &str) -> u32 {
        let mut lines = self.text.lines().enumerate().skip(1).take_while(|(_, line)| *line != "---");
        let line = lines.find(|(_, line)| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.map_or(1, |(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX))
    }
}
