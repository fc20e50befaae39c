//! Puts our entry into the text of a config file, and takes it out again.
//!
//! The text is edited in its syntax tree, so that comments, order, indentation and the bytes of other entries stay as
//! they are. Whether they did is looked up in the result ([`kept`]); what does not stand that is refused.

use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::entry::{Entry, is_ours};
use super::{Client, kept};
use crate::error::{Error, Result};

/// Some editors begin a file with it; it is kept and not read.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A config file, for edits of its text and for messages.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Whose file it is.
    pub client: Client,
    /// Where it stands.
    pub file: &'a Path,
}

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// It says already what it should.
    Same,
    /// Another text takes its place.
    Changed {
        /// The whole new text.
        text: String,
        /// What stood under our name before.
        was: Option<Value>,
    },
}

impl Target<'_> {
    /// Puts an entry into the text of the file; an empty text is a new file. An entry of ours follows: its command, its
    /// arguments and the variables that we need; what else stands in it stays. An entry of somebody else under our name
    /// gives way with `force` alone.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a text that cannot be edited without harm, with what to add by hand.
    pub fn put(&self, text: &str, entry: &Entry, force: bool) -> Result<Edit> {
        let refuse = |what: String| self.refused(&what, self.by_hand(entry));
        let (mark, body) = split_mark(text);
        let root = parse(body).map_err(refuse)?;
        if root.value().is_none() {
            root.set_value(CstInputValue::Object(Vec::new()));
        }
        let Some(object) = root.object_value() else { return Err(refuse("it does not hold a JSON object".into())) };
        let section = match only(&object, self.client.section()).map_err(refuse)? {
            None => object.object_value_or_set(self.client.section()),
            Some(property) => self.section(&property).map_err(refuse)?,
        };
        let was = match only(&section, &entry.name).map_err(refuse)? {
            None => {
                section.append(&entry.name, CstInputValue::Object(entry.members(self.client)));
                None
            }
            Some(property) => {
                let was = property.value().and_then(|value| value.to_serde_value()).unwrap_or_default();
                if entry.is_said_by(&was) {
                    return Ok(Edit::Same);
                }
                match property.object_value() {
                    Some(ours) if is_ours(&was) => self.follow(&ours, entry).map_err(refuse)?,
                    Some(_) | None if force => {
                        property.set_value(CstInputValue::Object(entry.members(self.client)));
                    }
                    Some(_) | None => return Err(self.foreign(&entry.name, &was, "--force replaces it")),
                }
                Some(was)
            }
        };
        let mut new = format!("{mark}{root}");
        if body.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        let says_it = kept::entry(&new, self.client.section(), &entry.name).is_some_and(|now| entry.is_said_by(&now));
        if !says_it || !kept::all_else(text, &new, self.client.section(), &entry.name) {
            return Err(refuse("it cannot be edited without a change to the rest of it".into()));
        }
        Ok(Edit::Changed { text: new, was })
    }

    /// Takes the entry of that name out of the text of the file; one of somebody else stays, unless `force`.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a text that cannot be edited without harm.
    pub fn take(&self, text: &str, name: &str, force: bool) -> Result<Edit> {
        let section_name = self.client.section();
        let refuse = |what: String| {
            self.refused(&what, format!("Take `{name}` out of its \"{section_name}\" by hand, if it stands there."))
        };
        let (mark, body) = split_mark(text);
        let root = parse(body).map_err(refuse)?;
        if root.value().is_none() {
            return Ok(Edit::Same);
        }
        let Some(object) = root.object_value() else { return Err(refuse("it does not hold a JSON object".into())) };
        let Some(section) = only(&object, section_name).map_err(refuse)? else { return Ok(Edit::Same) };
        let section = self.section(&section).map_err(refuse)?;
        let Some(property) = only(&section, name).map_err(refuse)? else { return Ok(Edit::Same) };
        let was = property.value().and_then(|value| value.to_serde_value()).unwrap_or_default();
        if !is_ours(&was) && !force {
            return Err(self.foreign(name, &was, "--force takes it out all the same"));
        }
        property.remove();
        let new = format!("{mark}{root}");
        if kept::entry(&new, section_name, name).is_some() || !kept::all_else(text, &new, section_name, name) {
            return Err(refuse("it cannot be edited without a change to the rest of it".into()));
        }
        Ok(Edit::Changed { text: new, was: Some(was) })
    }

    /// Says what a person may add to the file.
    #[must_use]
    pub fn by_hand(&self, entry: &Entry) -> String {
        let section = self.client.section();
        format!("Add this to \"{section}\" of {} by hand: {}", self.file.display(), entry.line(self.client))
    }

    fn section(&self, property: &CstObjectProp) -> Result<CstObject, String> {
        property.object_value().ok_or_else(|| format!("its \"{}\" is not an object", self.client.section()))
    }

    /// Makes an entry of ours start what `entry` starts.
    fn follow(&self, ours: &CstObject, entry: &Entry) -> Result<(), String> {
        for (name, value) in entry.members(self.client) {
            let CstInputValue::Object(variables) = value else {
                set(ours, &name, value)?;
                continue;
            };
            let env = match only(ours, &name)? {
                None => ours.object_value_or_set(&name),
                Some(property) => property.object_value().ok_or("the \"env\" of our entry is not an object")?,
            };
            for (name, value) in variables {
                set(&env, &name, value)?;
            }
        }
        Ok(())
    }

    fn foreign(&self, name: &str, was: &Value, force: &str) -> Error {
        // The rest may hold somebody's secrets.
        let shown = was.get("command").or_else(|| was.get("url")).map_or_else(String::new, |is| format!(": {is}"));
        Error::InvalidInput {
            what: format!("in {} another server stands under the name `{name}`{shown}", self.file.display()),
            suggestion: format!("Give that one another name there; {force}."),
        }
    }

    fn refused(&self, what: &str, suggestion: String) -> Error {
        Error::InvalidInput { what: format!("{} was left as it is: {what}", self.file.display()), suggestion }
    }
}

/// What clients read: JSON, with comments and commas at the end where they allow them. Nothing looser is edited.
pub(super) const fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Splits the mark that a text may begin with from the rest.
pub(super) fn split_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(body) => text.split_at(text.len() - body.len()),
        None => ("", text),
    }
}

fn parse(body: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(body, &options()).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        format!("it is not valid JSON (line {line}, column {column}: {})", error.kind())
    })
}

/// Finds a member; of two of one name clients take the last, so that an edit of either may be lost on them.
fn only(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, String> {
    let mut found = object.properties().into_iter().filter(|one| one.decoded_name().as_deref() == Some(name));
    let first = found.next();
    if found.next().is_some() {
        return Err(format!("\"{name}\" stands there twice"));
    }
    Ok(first)
}

fn set(object: &CstObject, name: &str, value: CstInputValue) -> Result<(), String> {
    match only(object, name)? {
        Some(property) => property.set_value(value),
        None => drop(object.append(name, value)),
    }
    Ok(())
}
