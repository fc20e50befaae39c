//! Reading by index: where a value stands, what it is, and what is told when it is something else.

use std::fmt;

use serde_json::Value;

/// How many indexes of a path are remembered. Rows are nested less deep; of what is deeper the beginning is told.
const STEPS_MAX: usize = 12;

/// Something stands where something else was expected: the product changed, or this is no answer of its.
///
/// The path and the shape are told, never the value: that may be a title or a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: expected {expected}, found {found}")]
pub struct Drift {
    /// Where: the id of the call and the indexes, as in `wXbhsf[0][3][2]`.
    pub path: String,
    /// What should stand there.
    pub expected: &'static str,
    /// The shape of what stands there, as in `a list of 3`.
    pub found: String,
}

/// A place in an answer: a value, or the lack of one, and how one got there.
#[derive(Debug, Clone, Copy)]
pub struct Slot<'a> {
    value: Option<&'a Value>,
    root: &'a str,
    steps: [usize; STEPS_MAX],
    depth: usize,
}

impl<'a> Slot<'a> {
    /// Returns the place of a whole answer; `root` is the id of its call.
    #[must_use]
    pub const fn new(root: &'a str, value: &'a Value) -> Self {
        Self { value: Some(value), root, steps: [0; STEPS_MAX], depth: 0 }
    }

    /// Returns the place at an index of this list; where there is none, nothing stands there.
    #[must_use]
    pub fn at(mut self, index: usize) -> Self {
        self.value = self.value.and_then(Value::as_array).and_then(|list| list.get(index));
        if let Some(step) = self.steps.get_mut(self.depth) {
            *step = index;
        }
        self.depth += 1;
        self
    }

    /// Returns the value, if one stands here that is not null.
    #[must_use]
    pub fn value(self) -> Option<&'a Value> {
        self.value.filter(|value| !value.is_null())
    }

    /// Tells whether nothing stands here, or null.
    #[must_use]
    pub fn is_absent(self) -> bool {
        self.value().is_none()
    }

    /// Returns the list that stands here.
    #[must_use]
    pub fn list(self) -> Option<&'a [Value]> {
        self.value().and_then(Value::as_array).map(Vec::as_slice)
    }

    /// Returns the places of this list; none when nothing stands here.
    ///
    /// # Errors
    ///
    /// [`Drift`] when something else than a list does.
    pub fn each(self) -> Result<impl Iterator<Item = Slot<'a>>, Drift> {
        let count = match (self.list(), self.is_absent()) {
            (Some(list), _) => list.len(),
            (None, true) => 0,
            (None, false) => return Err(self.drift("a list")),
        };
        Ok((0..count).map(move |index| self.at(index)))
    }

    /// Returns the string that stands here, or nothing when something else does.
    #[must_use]
    pub fn text(self) -> Option<&'a str> {
        self.value().and_then(Value::as_str)
    }

    /// Returns the string that must stand here.
    ///
    /// # Errors
    ///
    /// [`Drift`] when something else does, or nothing.
    pub fn string(self) -> Result<&'a str, Drift> {
        self.text().ok_or_else(|| self.drift("a string"))
    }

    /// Returns the id that must stand here: a string that is neither empty nor longer than an id may be.
    ///
    /// # Errors
    ///
    /// [`Drift`] when something else does, or nothing.
    pub fn id(self) -> Result<&'a str, Drift> {
        self.text().filter(|id| is_id(id)).ok_or_else(|| self.drift("an id"))
    }

    /// Returns the string that may stand here.
    ///
    /// # Errors
    ///
    /// [`Drift`] when something else does.
    pub fn optional_string(self) -> Result<Option<&'a str>, Drift> {
        self.optional("a string", Self::text)
    }

    /// Returns the whole number that may stand here, also one written as a string or with a fraction of zero.
    ///
    /// # Errors
    ///
    /// [`Drift`] when something else does.
    pub fn optional_integer(self) -> Result<Option<i64>, Drift> {
        self.optional("a whole number", Self::integer)
    }

    /// Returns the whole number that stands here, or nothing when something else does.
    #[must_use]
    pub fn integer(self) -> Option<i64> {
        self.value().and_then(integer)
    }

    /// Returns the number that stands here, or nothing when something else does.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        self.value().and_then(Value::as_f64)
    }

    /// Returns the yes or no that stands here, also one written as 1 or 0, or nothing when something else does.
    #[must_use]
    pub fn flag(self) -> Option<bool> {
        let value = self.value()?;
        value.as_bool().or_else(|| value.as_i64().map(|number| number != 0))
    }

    /// Says that something else was expected here.
    #[must_use]
    pub fn drift(self, expected: &'static str) -> Drift {
        Drift { path: self.to_string(), expected, found: shape(self.value) }
    }

    fn optional<T>(self, expected: &'static str, read: fn(Self) -> Option<T>) -> Result<Option<T>, Drift> {
        if self.is_absent() {
            return Ok(None);
        }
        read(self).map(Some).ok_or_else(|| self.drift(expected))
    }
}

impl fmt::Display for Slot<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.root)?;
        for step in self.steps.iter().take(self.depth) {
            write!(formatter, "[{step}]")?;
        }
        if self.depth > STEPS_MAX {
            formatter.write_str("…")?;
        }
        Ok(())
    }
}

/// Tells whether a text may be an id of the product. They are UUIDs today; what is asked of one is that it can stand in
/// a path, since files are named by it and calls put it into their addresses.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let plain = |letter: char| !letter.is_control() && !['/', '\\'].contains(&letter);
    !text.is_empty() && text.len() <= 128 && text != "." && text != ".." && text.chars().all(plain)
}

fn integer(value: &Value) -> Option<i64> {
    if let Some(number) = value.as_i64() {
        return Some(number);
    }
    if let Some(text) = value.as_str() {
        return text.parse().ok();
    }
    let number = value.as_f64()?;
    // Up to here a float says every whole number exactly.
    let exact = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    exact.then_some(number as i64)
}

/// Says what a value is without saying it.
fn shape(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::Null) => "null".to_owned(),
        Some(Value::Bool(_)) => "a yes or no".to_owned(),
        Some(Value::Number(_)) => "a number".to_owned(),
        Some(Value::String(text)) if text.is_empty() => "an empty string".to_owned(),
        Some(Value::String(_)) => "a string".to_owned(),
        Some(Value::Array(list)) => format!("a list of {}", list.len()),
        Some(Value::Object(map)) => format!("a map of {}", map.len()),
    }
}
