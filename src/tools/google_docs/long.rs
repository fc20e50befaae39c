//! Answers that are too long for a client: cut at the end of an element, with the whole in a file.

use serde_json::{Value, json};

use super::Refused;
use crate::model::ItemId;
use crate::tools::host::Host;

/// The longest answer in bytes: about 25,000 tokens, where clients cut.
pub(super) const ANSWER_BYTES_MAX: usize = 75_000;
/// What is told of a cut, in bytes at most; a path may be long.
const TOLD_BYTES_MAX: usize = 8_192;

/// Returns an answer that is short enough. Of one that is too long, the list or text at `pointer` is cut, and where that is not enough
/// only what `keeps` names is left.
pub(super) async fn shortened(
    host: &dyn Host,
    id: &ItemId,
    name: &str,
    mut answer: Value,
    pointer: &str,
    keeps: &[&str],
) -> Result<Value, Refused> {
    let bytes = size(&answer);
    if bytes <= ANSWER_BYTES_MAX {
        return Ok(answer);
    }
    let whole = serde_json::to_string_pretty(&answer).unwrap_or_default();
    let path = host.leave(id, &format!("{id}-{name}.json"), whole).await?;
    let room = ANSWER_BYTES_MAX - TOLD_BYTES_MAX;
    let left = answer.pointer(pointer).map_or(0, size);
    let shown = answer.pointer_mut(pointer).map(|long| cut(long, room.saturating_sub(bytes - left)));
    if size(&answer) > room
        && let Value::Object(fields) = &mut answer
    {
        fields.retain(|key, _| keeps.contains(&key.as_str()));
    }
    if let Value::Object(fields) = &mut answer {
        let what = match shown {
            Some((shown, all)) => format!("{shown} of {all} are here"),
            None => "it is left out here".to_owned(),
        };
        fields.insert("truncated".into(), true.into());
        fields.insert("full_content_path".into(), json!(path));
        fields.insert(
            "message".into(),
            format!("The answer is too long: {what}; the file at full_content_path has the whole.").into(),
        );
    }
    Ok(answer)
}

/// Cuts a list or a text to so many bytes; returns how many elements or lines are left, and of how many.
fn cut(long: &mut Value, room: usize) -> (usize, usize) {
    match long {
        Value::Array(elements) => {
            let all = elements.len();
            let mut used = 0;
            let fits = elements.iter().take_while(|element| {
                used += size(element) + 1;
                used <= room
            });
            let shown = fits.count();
            elements.truncate(shown);
            (shown, all)
        }
        Value::String(text) => {
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let all = lines.len();
            let mut used = 0;
            // A line can be longer in JSON than it is.
            let fits = lines.iter().take_while(|line| {
                used += size(&json!(line));
                used <= room
            });
            let shown = fits.count();
            *text = lines.into_iter().take(shown).collect();
            (shown, all)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => (0, 0),
    }
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_and_a_text_are_cut_where_something_ends() {
        let check = |mut long: Value, room: usize, expected: Value, counts: (usize, usize)| {
            assert_eq!(cut(&mut long, room), counts);
            assert_eq!(long, expected);
        };
        check(json!(["aa", "bb", "cc"]), 10, json!(["aa", "bb"]), (2, 3));
        check(json!(["aa"]), 1, json!([]), (0, 1));
        check(json!("one\ntwo\nthree"), 14, json!("one\ntwo\n"), (2, 3));
        check(json!(7), 14, json!(7), (0, 0));
    }
}
