//! The grammar of the brace forms, one at a time.

use super::properties;
use super::{Object, Property, PropertyValue};

/// A form, or something that means to be one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// `{!props}` with the names that stood twice.
    Open { properties: Vec<Property>, duplicates: Vec<String> },
    /// `{!}`
    Empty,
    /// `{!` that is no form.
    Malformed,
    /// `{/!}`
    Close,
    /// `{^ id}`
    Anchor(Option<String>),
    /// `{^= id type "title"}`
    Object(Object),
    /// `[^label]`
    Footnote(String),
    /// `<br>` in a cell
    Break,
}

/// The types of objects that mean something.
const KINDS: [&str; 12] = [
    "image",
    "drawing",
    "chart",
    "video",
    "embed",
    "person",
    "date",
    "equation",
    "toc",
    "autotext",
    "pagebreak",
    "columnbreak",
];

/// The most properties that one form may hold.
const PROPERTIES_MAX: usize = 64;

/// Tells whether an object's type means something; others are embeds.
#[must_use]
pub fn is_object_kind(kind: &str) -> bool {
    KINDS.contains(&kind) || kind == "sectionbreak"
}

/// Bytes that a form begins with and that are text where the rest is none.
const OPENING: usize = 2;

/// Reads the form that `text` begins with, and its length in bytes.
pub(super) fn scan(text: &str) -> Option<(Form, usize)> {
    let mut cursor = Cursor { text, at: 0 };
    if cursor.eat("{/!}") {
        return Some((Form::Close, cursor.at));
    }
    if text.starts_with("{!") || text.starts_with("{^") {
        let form = if cursor.eat("{!") {
            open(&mut cursor)
        } else if cursor.eat("{^=") {
            object(&mut cursor).map(Form::Object)
        } else {
            anchor(&mut cursor)
        };
        return Some(form.map_or((Form::Malformed, OPENING), |form| (form, cursor.at)));
    }
    if cursor.eat("[^") {
        let label = cursor.word(is_label);
        if label.is_empty() || !cursor.eat("]") {
            return None;
        }
        return Some((Form::Footnote(label.to_owned()), cursor.at));
    }
    None
}

/// Tells whether `letter` may stand in an id.
pub(super) fn is_id(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-' | ':')
}

/// Tells whether `letter` may stand in the label of a footnote.
pub(super) fn is_label(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | ':')
}

/// Tells whether `letter` may stand in an object's type.
pub(super) fn is_kind(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'
}

/// Prints `{!props}`.
pub(super) fn print_open(properties: &[Property]) -> String {
    let all: Vec<String> = properties.iter().map(print_property).collect();
    format!("{{!{}}}", all.join(", "))
}

/// Prints an anchor.
pub(super) fn print_anchor(id: Option<&str>) -> String {
    match id {
        Some(id) if !id.is_empty() => format!("{{^ {id}}}"),
        Some(_) | None => "{^}".to_owned(),
    }
}

/// Prints an object.
pub(super) fn print_object(object: &Object) -> String {
    let mut out = String::from("{^= ");
    if let Some(id) = &object.id {
        out.push_str(id);
        out.push(' ');
    }
    out.push_str(&object.kind);
    if let Some(title) = &object.title {
        out.push(' ');
        quote(&mut out, title);
    }
    out.push('}');
    out
}

fn print_property(property: &Property) -> String {
    match &property.value {
        PropertyValue::On => property.name.clone(),
        PropertyValue::Off => format!("{}:false", property.name),
        PropertyValue::Text(value) => {
            let mut out = format!("{}:", property.name);
            let bare = !value.is_empty()
                && value.trim() == value
                && !value.contains([',', '{', '}', '"', '|', '\\', ']', '\n'])
                && value != "true"
                && value != "false";
            if bare {
                out.push_str(value);
            } else {
                quote(&mut out, value);
            }
            out
        }
    }
}

/// A backslash before any ASCII punctuation is an escape in a quoted value too: without that a value could not end in
/// a backslash, `|` could not stand in a table, and `]:` in a link would make it a definition.
fn quote(out: &mut String, value: &str) {
    out.push('"');
    for letter in value.chars() {
        if matches!(letter, '"' | '\\' | '|' | ']') {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push('"');
}

fn open(cursor: &mut Cursor<'_>) -> Option<Form> {
    let mut properties: Vec<Property> = Vec::new();
    let mut duplicates = Vec::new();
    cursor.blanks();
    if cursor.eat("}") {
        return Some(Form::Empty);
    }
    loop {
        cursor.blanks();
        let name = cursor.word(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | ' ' | '\t'));
        let name = name.trim();
        if !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            return None;
        }
        let value = if cursor.eat(":") { value(cursor)? } else { PropertyValue::On };
        let mut property = Property { name: name.to_owned(), value };
        properties::canonical(&mut property);
        if properties.iter().any(|earlier| earlier.name == property.name) {
            duplicates.push(property.name.clone());
        }
        properties.push(property);
        // Nobody writes that many; without a limit a hostile line would take quadratic time.
        if properties.len() > PROPERTIES_MAX {
            return None;
        }
        cursor.blanks();
        if cursor.eat("}") {
            properties::canonical_order(&mut properties);
            return Some(Form::Open { properties, duplicates });
        }
        if !cursor.eat(",") {
            return None;
        }
    }
}

fn value(cursor: &mut Cursor<'_>) -> Option<PropertyValue> {
    cursor.blanks();
    if cursor.eat("\"") {
        return cursor.quoted().map(PropertyValue::Text);
    }
    let bare = cursor.word(|letter| !matches!(letter, ',' | '{' | '}' | '"' | '\n')).trim();
    match bare {
        "" => None,
        "true" => Some(PropertyValue::On),
        "false" => Some(PropertyValue::Off),
        other => Some(PropertyValue::Text(other.to_owned())),
    }
}

fn anchor(cursor: &mut Cursor<'_>) -> Option<Form> {
    cursor.eat("{^");
    cursor.blanks();
    let id = cursor.word(is_id);
    cursor.blanks();
    let id = (!id.is_empty()).then(|| id.to_owned());
    cursor.eat("}").then_some(Form::Anchor(id))
}

fn object(cursor: &mut Cursor<'_>) -> Option<Object> {
    cursor.blanks();
    let first = cursor.word(is_id).to_owned();
    if first.is_empty() {
        return None;
    }
    cursor.blanks();
    let second = cursor.word(is_kind).to_owned();
    cursor.blanks();
    let title = if cursor.eat("\"") { Some(cursor.quoted()?) } else { None };
    cursor.blanks();
    if !cursor.eat("}") {
        return None;
    }
    if second.is_empty() {
        return first.chars().all(is_kind).then_some(Object { id: None, kind: first, title });
    }
    Some(Object { id: Some(first), kind: second, title })
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn blanks(&mut self) {
        self.word(|letter| letter == ' ' || letter == '\t');
    }

    fn word(&mut self, allowed: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|letter| !allowed(letter)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// Reads up to the closing quote, which is eaten.
    fn quoted(&mut self) -> Option<String> {
        let mut out = String::new();
        let mut letters = self.rest().char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.at += at + 1;
                    return Some(out);
                }
                '\n' => return None,
                '\\' => match letters.peek() {
                    Some((_, next)) if next.is_ascii_punctuation() => {
                        out.push(*next);
                        letters.next();
                    }
                    Some(_) | None => out.push('\\'),
                },
                other => out.push(other),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_print_to_what_they_are_read_from() {
        let check = |text: &str, printed: &str| {
            let (form, length) = scan(text).unwrap();
            assert_eq!(length, text.len(), "{text}");
            let out = match form {
                Form::Open { properties, .. } => print_open(&properties),
                Form::Anchor(id) => print_anchor(id.as_deref()),
                Form::Object(object) => print_object(&object),
                Form::Close | Form::Empty | Form::Malformed | Form::Footnote(_) | Form::Break => String::new(),
            };
            assert_eq!(out, printed);
        };
        check("{! highlight : yellow , underline }", "{!underline, highlight:yellow}");
        check("{!mono:true,size:12pt}", "{!size:12pt, mono}");
        check("{!font:\"a \\\" \\\\ b\"}", "{!font:\"a \\\" \\\\ b\"}");
        check("{!normal text}", "{!Normal text}");
        check("{^=   kix.a-b_1   image  \"a *b*\" }", "{^= kix.a-b_1 image \"a *b*\"}");
        check("{^=pagebreak}", "{^= pagebreak}");
        check("{^  }", "{^}");
        check("{^ h.x}", "{^ h.x}");
    }

    #[test]
    fn what_is_no_form_is_none() {
        for text in ["{x}", "{ !x}", "{/!", "[^]", "[^a b]"] {
            assert_eq!(scan(text), None, "{text}");
        }
        let marks = ["{!a", "{!1}", "{!a:}", "{!a,}", "{!,}", "{!a:{b}}", "{!a:\"b}"];
        for text in
            marks.into_iter().chain(["{^ a b}", "{^= }", "{^= a b c}", "{^= a \"b}", "{^= new image \"x\" \"y\"}"])
        {
            assert_eq!(scan(text), Some((Form::Malformed, 2)), "{text}");
        }
    }
}
