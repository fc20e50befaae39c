//! The `fields` parameter: which parts of an answer are wanted.

use std::collections::BTreeMap;

use serde_json::Value;

/// Parentheses that may be nested.
const MAX_DEPTH: usize = 32;

/// A parsed mask: the wanted names, each with its own mask; without any names everything is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mask(pub(super) BTreeMap<String, Self>);

impl Mask {
    /// Reads a mask such as `id,owners(emailAddress),capabilities/canEdit`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut mask = Self::default();
        let rest = mask.read_list(text, 0)?;
        (rest.is_empty() && !mask.0.is_empty()).then_some(mask)
    }

    /// Returns the wanted parts of a value; a mask applies to every element of a list.
    pub(super) fn pick(&self, value: &Value) -> Value {
        if self.0.is_empty() {
            return value.clone();
        }
        match value {
            Value::Array(list) => list.iter().map(|item| self.pick(item)).collect(),
            Value::Object(map) => map
                .iter()
                .filter_map(|(key, item)| {
                    let mask = self.0.get(key).or_else(|| self.0.get("*"))?;
                    Some((key.clone(), mask.pick(item)))
                })
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }

    /// Reads `item,item…` up to the end or a closing parenthesis; returns what is left.
    fn read_list<'a>(&mut self, text: &'a str, depth: usize) -> Option<&'a str> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut rest = text;
        loop {
            rest = self.read_item(rest, depth)?;
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => return Some(rest),
            }
        }
    }

    /// Reads one `name`, `name/item`, or `name(list)`.
    fn read_item<'a>(&mut self, text: &'a str, depth: usize) -> Option<&'a str> {
        let text = text.trim_start();
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '*' | '-' | '$')));
        let (name, rest) = text.split_at(end.unwrap_or(text.len()));
        if name.is_empty() {
            return None;
        }
        let known = self.0.get(name).is_some_and(|mask| mask.0.is_empty());
        let mut inner = self.0.remove(name).unwrap_or_default();
        let rest = if let Some(deeper) = rest.strip_prefix(['/', '.']) {
            inner.read_item(deeper, depth + 1)?
        } else if let Some(list) = rest.strip_prefix('(') {
            inner.read_list(list, depth + 1)?.strip_prefix(')')?
        } else {
            inner = Self::default();
            rest
        };
        // A name that was wanted whole stays wanted whole.
        self.0.insert(name.to_owned(), if known { Self::default() } else { inner });
        Some(rest.trim_start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn picking() {
        let value = json!({"id": "1", "owners": [{"me": true, "name": "a"}], "caps": {"edit": true, "copy": false}});
        for (mask, wanted) in [
            ("id", json!({"id": "1"})),
            ("owners(me),caps/edit", json!({"owners": [{"me": true}], "caps": {"edit": true}})),
            ("owners/me, caps.copy", json!({"owners": [{"me": true}], "caps": {"copy": false}})),
            ("*", value.clone()),
            ("caps/edit,caps", json!({"caps": {"edit": true, "copy": false}})),
            ("caps,caps/edit", json!({"caps": {"edit": true, "copy": false}})),
            ("none", json!({})),
        ] {
            assert_eq!(Mask::parse(mask).unwrap().pick(&value), wanted, "{mask}");
        }
    }

    #[test]
    fn broken_masks() {
        for mask in ["", ",", "a,", "a(", "a(b", "a)b", "a(b))", "a//b", "ä"] {
            assert_eq!(Mask::parse(mask), None, "{mask}");
        }
        assert_eq!(Mask::parse(&"a(".repeat(100)), None);
    }
}
