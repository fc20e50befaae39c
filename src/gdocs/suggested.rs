//! The marks that suggestions leave in a message, whatever kind of message it is.
//!
//! Insertions and deletions are lists of ids; changes of fields are maps from an id to the new values and to a state
//! that says which of them count. Google names both by one rule, and so they are read by one.

use serde_json::{Map, Value};

/// Which suggestions are settled, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice<'a> {
    /// The one; `None` for all.
    pub(crate) id: Option<&'a str>,
    /// Whether they are accepted; else they are rejected.
    pub(crate) accept: bool,
}

/// What becomes of a thing that bears a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stays.
    Stays,
    /// It goes.
    Goes,
}

impl Choice<'_> {
    /// Tells whether a suggestion is among the chosen.
    fn chooses(&self, id: &str) -> bool {
        self.id.is_none_or(|one| one == id)
    }

    /// Settles the marks of one message: its insertion, its deletion, and all changes of its fields.
    pub(crate) fn settle(&self, message: &mut Map<String, Value>) -> Fate {
        if !message.keys().any(|key| key.starts_with("suggested")) {
            return Fate::Stays;
        }
        let names: Vec<String> = message.keys().filter_map(|key| changed_field(key)).collect();
        for name in names {
            let own = message.remove(&name);
            if let Some(own) = self.settle_field(message, &name, own) {
                message.insert(name, own);
            }
        }
        let inserted = self.take_ids(message, &["suggestedInsertionIds", "suggestedInsertionId"]);
        let deleted = self.take_ids(message, &["suggestedDeletionIds"]);
        if (inserted && !self.accept) || (deleted && self.accept) { Fate::Goes } else { Fate::Stays }
    }

    /// Takes the chosen ids out of the lists; tells whether there were any.
    fn take_ids(&self, message: &mut Map<String, Value>, keys: &[&str]) -> bool {
        let mut any = false;
        for key in keys {
            let empty = match message.get_mut(*key) {
                Some(Value::Array(ids)) => {
                    let before = ids.len();
                    ids.retain(|id| !id.as_str().is_some_and(|id| self.chooses(id)));
                    any |= ids.len() != before;
                    ids.is_empty()
                }
                Some(Value::String(id)) => {
                    let chosen = self.chooses(id);
                    any |= chosen;
                    chosen
                }
                Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => false,
            };
            if empty {
                message.remove(*key);
            }
        }
        any
    }

    /// Settles the suggested changes of the field `name`, whose value is `own`; returns its value afterwards.
    pub(crate) fn settle_field(
        &self,
        message: &mut Map<String, Value>,
        name: &str,
        own: Option<Value>,
    ) -> Option<Value> {
        let key = changes_key(name);
        let Some(Value::Object(changes)) = message.get_mut(&key) else { return own };
        let mut own = own;
        let chosen: Vec<String> = changes.keys().filter(|id| self.chooses(id)).cloned().collect();
        for id in chosen {
            let Some(change) = changes.remove(&id).filter(|_| self.accept) else { continue };
            let empty = Map::new();
            let new = change.get(name).and_then(Value::as_object).unwrap_or(&empty);
            let mut fields = match own.take() {
                Some(Value::Object(fields)) => fields,
                Some(_) | None => Map::new(),
            };
            match change.get(format!("{name}SuggestionState")).and_then(Value::as_object) {
                Some(state) => take_over(state, new, &mut fields),
                None => fields.extend(new.clone()),
            }
            own = Some(Value::Object(fields));
        }
        if changes.is_empty() {
            message.remove(&key);
        }
        own
    }

    /// Settles images that are suggested to be tethered to a paragraph.
    pub(crate) fn settle_tethers(&self, paragraph: &mut Map<String, Value>) {
        let Some(Value::Object(changes)) = paragraph.get_mut("suggestedPositionedObjectIds") else { return };
        let chosen: Vec<String> = changes.keys().filter(|id| self.chooses(id)).cloned().collect();
        let mut tethered = Vec::new();
        for id in chosen {
            let Some(change) = changes.remove(&id).filter(|_| self.accept) else { continue };
            tethered.extend(change.get("objectIds").and_then(Value::as_array).into_iter().flatten().cloned());
        }
        if changes.is_empty() {
            paragraph.remove("suggestedPositionedObjectIds");
        }
        if !tethered.is_empty() {
            match paragraph.get_mut("positionedObjectIds").and_then(Value::as_array_mut) {
                Some(own) => own.extend(tethered),
                None => drop(paragraph.insert("positionedObjectIds".to_owned(), Value::Array(tethered))),
            }
        }
    }
}

/// Returns `textStyle` for `suggestedTextStyleChanges`.
fn changed_field(key: &str) -> Option<String> {
    let name = key.strip_prefix("suggested")?.strip_suffix("Changes")?;
    let mut letters = name.chars();
    let first = letters.next()?;
    Some(first.to_lowercase().chain(letters).collect())
}

/// Returns `suggestedTextStyleChanges` for `textStyle`.
fn changes_key(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("suggested{}Changes", first.chain(letters).collect::<String>())
}

/// Copies what a state says is changed; a changed field without a value is inherited again.
fn take_over(state: &Map<String, Value>, new: &Map<String, Value>, own: &mut Map<String, Value>) {
    for (key, flag) in state {
        match flag {
            Value::Bool(true) => {
                let Some(name) = key.strip_suffix("Suggested") else { continue };
                match new.get(name) {
                    Some(value) => own.insert(name.to_owned(), value.clone()),
                    None => own.remove(name),
                };
            }
            Value::Object(inner) => {
                let Some(name) = key.strip_suffix("SuggestionState") else { continue };
                let empty = Map::new();
                let values = new.get(name).and_then(Value::as_object).unwrap_or(&empty);
                let slot = own.entry(name.to_owned()).or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(slot) = slot {
                    take_over(inner, values, slot);
                }
            }
            Value::Array(states) => {
                let Some(name) = key.strip_suffix("SuggestionStates") else { continue };
                let values = new.get(name).and_then(Value::as_array);
                let Some(Value::Array(slots)) = own.get_mut(name) else { continue };
                take_over_list(states, values.map_or(&[], Vec::as_slice), slots);
            }
            Value::Null | Value::Bool(false) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Copies what is changed in the entries of a list: named styles are found by their type, anything else by its place.
fn take_over_list(states: &[Value], values: &[Value], slots: &mut [Value]) {
    let empty = Map::new();
    for (at, state) in states.iter().enumerate() {
        let Some(state) = state.as_object() else { continue };
        let value = values.get(at).and_then(Value::as_object).unwrap_or(&empty);
        let slot = match state.get("namedStyleType") {
            Some(wanted) => slots.iter_mut().find(|slot| slot.get("namedStyleType") == Some(wanted)),
            None => slots.get_mut(at),
        };
        if let Some(Value::Object(slot)) = slot {
            take_over(state, value, slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(message: &Value, id: Option<&str>, accept: bool, fate: Fate, after: &Value) {
        let Value::Object(mut map) = message.clone() else { panic!("an object") };
        assert_eq!(Choice { id, accept }.settle(&mut map), fate);
        assert_eq!(Value::Object(map), *after);
    }

    #[test]
    fn ids_and_fates() {
        let inserted = json!({"suggestedInsertionIds": ["a", "b"], "x": 1});
        check(&inserted, Some("a"), true, Fate::Stays, &json!({"suggestedInsertionIds": ["b"], "x": 1}));
        check(&inserted, Some("a"), false, Fate::Goes, &json!({"suggestedInsertionIds": ["b"], "x": 1}));
        check(&inserted, Some("c"), false, Fate::Stays, &inserted);
        check(&inserted, None, true, Fate::Stays, &json!({"x": 1}));
        let deleted = json!({"suggestedDeletionIds": ["a"], "suggestedInsertionIds": ["b"]});
        check(&deleted, Some("a"), true, Fate::Goes, &json!({"suggestedInsertionIds": ["b"]}));
        check(&deleted, Some("a"), false, Fate::Stays, &json!({"suggestedInsertionIds": ["b"]}));
        check(&deleted, None, true, Fate::Goes, &json!({}));
        check(&deleted, None, false, Fate::Goes, &json!({}));
        check(&json!({"suggestedInsertionId": "a"}), None, false, Fate::Goes, &json!({}));
    }

    #[test]
    fn changes_take_over_what_their_state_says() {
        let message = json!({
            "tableCellStyle": {"rowSpan": 2, "shading": {"backgroundColor": 1, "other": 2}, "gone": true},
            "suggestedTableCellStyleChanges": {"a": {
                "tableCellStyle": {"rowSpan": 5, "contentAlignment": "TOP", "ignored": 1, "shading": {"backgroundColor": 9}},
                "tableCellStyleSuggestionState": {"rowSpanSuggested": true, "contentAlignmentSuggested": false,
                    "goneSuggested": true, "shadingSuggestionState": {"backgroundColorSuggested": true}}}}});
        let accepted = json!({"tableCellStyle": {"rowSpan": 5, "shading": {"backgroundColor": 9, "other": 2}}});
        check(&message, Some("a"), true, Fate::Stays, &accepted);
        let rejected = json!({"tableCellStyle": message["tableCellStyle"]});
        check(&message, Some("a"), false, Fate::Stays, &rejected);
    }
}
