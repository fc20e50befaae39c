//! Field masks: which fields of a style a request sets, and which it resets.
//!
//! Source: <https://developers.google.com/docs/api/how-tos/field-masks>

use serde_json::{Map, Value};

use super::quirks;
use super::refusal::Refusal;
use super::schema::{Field, READ_ONLY, Shape, field};
use super::style::stored;

/// The fields a mask names, without doubles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mask(Vec<Vec<String>>);

impl Mask {
    /// Reads a mask of the message with these fields; `*` names all that can be set.
    ///
    /// # Errors
    ///
    /// A refusal when the mask is empty or names what there is not.
    pub(crate) fn read(mask: &str, fields: &[Field]) -> Result<Self, Refusal> {
        let mut paths: Vec<Vec<String>> = Vec::new();
        for path in mask.split(',').map(str::trim).filter(|path| !path.is_empty()) {
            if path == "*" {
                let all = fields.iter().filter(|(name, _)| !READ_ONLY.contains(name));
                paths.extend(all.map(|(name, _)| vec![(*name).to_owned()]));
                continue;
            }
            let parts: Vec<String> = path.split('.').map(camel).collect();
            if !exists(&parts, fields) || parts.first().is_some_and(|name| READ_ONLY.contains(&name.as_str())) {
                return Err(Refusal::invalid(quirks::invalid_field(path)));
            }
            paths.push(parts);
        }
        if paths.is_empty() {
            return Err(Refusal::invalid(quirks::NO_FIELDS));
        }
        paths.sort();
        paths.dedup();
        Ok(Self(paths))
    }

    /// Tells whether the mask names a field, whole or in part.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.0.iter().any(|path| path.first().is_some_and(|first| first == name))
    }

    /// Tells whether the mask names a part of a field alone.
    pub(crate) fn names_part_of(&self, name: &str) -> bool {
        self.0.iter().any(|path| path.len() > 1 && path.first().is_some_and(|first| first == name))
    }

    /// Returns the mask of a message inside this one: the fields of it that are named, or all when it is named whole;
    /// `None` when it is not named.
    ///
    /// # Errors
    ///
    /// A refusal of a field that only Google sets.
    pub(crate) fn inner(&self, name: &str, fields: &[Field]) -> Result<Option<Self>, Refusal> {
        let named = self.0.iter().filter_map(|path| path.split_first()).filter(|(first, _)| *first == name);
        let tails: Vec<Vec<String>> = named.map(|(_, tail)| tail.to_vec()).collect();
        let deep: Vec<Vec<String>> = tails.iter().filter(|tail| !tail.is_empty()).cloned().collect();
        if let Some(own) = deep.iter().filter_map(|tail| tail.first()).find(|own| READ_ONLY.contains(&own.as_str())) {
            return Err(Refusal::invalid(quirks::invalid_field(&format!("{name}.{own}"))));
        }
        match (tails.is_empty(), deep.is_empty()) {
            (true, _) => Ok(None),
            (false, true) => Self::read("*", fields).map(Some),
            (false, false) => Ok(Some(Self(deep))),
        }
    }

    /// Returns the names of the fields of the style that are touched.
    pub(crate) fn names_of_fields(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|path| path.first().map(String::as_str))
    }

    /// Copies what the mask names from `source` to `target`; what is not set in `source` is taken out of `target`.
    pub(crate) fn copy(&self, source: &Map<String, Value>, target: &mut Map<String, Value>, skip: &[&str]) {
        for path in &self.0 {
            let Some((name, rest)) = path.split_first() else { continue };
            if !skip.contains(&name.as_str()) {
                copy_path(source, target, name, rest);
            }
        }
    }

    /// Copies what the mask names of one field.
    pub(crate) fn copy_only(&self, source: &Map<String, Value>, target: &mut Map<String, Value>, only: &str) {
        for (name, rest) in self.0.iter().filter_map(|path| path.split_first()).filter(|(name, _)| *name == only) {
            copy_path(source, target, name, rest);
        }
    }
}

/// Copies one path.
fn copy_path(source: &Map<String, Value>, target: &mut Map<String, Value>, name: &str, rest: &[String]) {
    let value = source.get(name).filter(|value| !value.is_null());
    let Some((next, rest)) = rest.split_first() else {
        match value {
            Some(value) => target.insert(name.to_owned(), stored(value)),
            None => target.remove(name),
        };
        return;
    };
    let empty = Map::new();
    let inner = value.and_then(Value::as_object).unwrap_or(&empty);
    let own = target.entry(name.to_owned()).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(own) = own {
        copy_path(inner, own, next, rest);
        if own.is_empty() {
            target.remove(name);
        }
    }
}

/// Tells whether a path leads to a field.
fn exists(path: &[String], fields: &[Field]) -> bool {
    let Some((name, rest)) = path.split_first() else { return false };
    match field(fields, name) {
        None => false,
        Some(Shape::Message(inner)) => rest.is_empty() || exists(rest, inner),
        Some(
            Shape::Text | Shape::Int | Shape::Float | Shape::Bool | Shape::Enum(..) | Shape::List(_) | Shape::Map(_),
        ) => rest.is_empty(),
    }
}

/// Turns `font_size` into `fontSize`; masks may use either spelling.
fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut upper = false;
    for character in name.chars() {
        if character == '_' {
            upper = true;
        } else if upper {
            camel.push(character.to_ascii_uppercase());
            upper = false;
        } else {
            camel.push(character);
        }
    }
    camel
}
