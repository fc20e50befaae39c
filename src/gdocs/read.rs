//! Reading the JSON of a batch as strictly as Google does.

use serde_json::{Map, Value};

use super::quirks;
use super::refusal::Refusal;
use super::request::Request;
use super::schema::{KINDS, REQUESTS, Shape, THREAD_REQUESTS, field};

/// Reads the `requests` of a batch.
///
/// # Errors
///
/// The [`Refusal`] that Google answers to an unknown name or a request without a kind; a kind that Google knows and
/// this interpreter does not is refused with a text that says so.
pub fn read_requests(requests: &[Value]) -> Result<Vec<Request>, Refusal> {
    if requests.len() > quirks::MAX_REQUESTS {
        return Err(Refusal::invalid(format!("A batch holds at most {} requests.", quirks::MAX_REQUESTS)));
    }
    // Google parses the whole body before it looks at any request.
    let cleaned = requests.iter().enumerate().map(|(number, request)| clean_request(number, request));
    let cleaned = cleaned.collect::<Result<Vec<_>, _>>()?;
    cleaned.into_iter().enumerate().map(|(number, (kind, body))| typed(number, kind, body)).collect()
}

/// Checks the names and values of one request and returns its kind and its body.
fn clean_request(number: usize, request: &Value) -> Result<(&'static str, Value), Refusal> {
    let path = format!("requests[{number}]");
    let Value::Object(fields) = request else {
        return Err(Refusal::invalid(quirks::bad_value(&path, "google.apps.docs.v1.Request", request)));
    };
    let mut found: Option<(&'static str, &Value)> = None;
    for (name, body) in fields {
        let Some(kind) = KINDS.iter().find(|kind| *kind == name) else {
            return Err(Refusal::invalid(quirks::unknown_name(name, &path)));
        };
        if body.is_null() {
            continue;
        }
        if found.is_some() {
            return Err(Refusal::invalid(quirks::second_kind(&path, kind)));
        }
        found = Some((kind, body));
    }
    let Some((kind, body)) = found else {
        return Err(Refusal::invalid(quirks::no_kind(&path)));
    };
    let Some(shape) = field(REQUESTS, kind).or_else(|| field(THREAD_REQUESTS, kind)) else {
        return Err(Refusal::unimplemented(quirks::not_interpreted(number, kind)));
    };
    Ok((kind, clean(body, shape, &format!("{path}.{}", snake(kind)))?))
}

/// Makes the typed request.
fn typed(number: usize, kind: &'static str, body: Value) -> Result<Request, Refusal> {
    let request = Value::Object(Map::from_iter([(kind.to_owned(), body)]));
    serde_json::from_value(request)
        .map_err(|error| Refusal::invalid(format!("Invalid requests[{number}].{kind}: {error}")))
}

/// Checks a value against its shape and returns it with nulls left out and numbers as numbers.
fn clean(value: &Value, shape: Shape, path: &str) -> Result<Value, Refusal> {
    let bad = |type_name: &str| Refusal::invalid(quirks::bad_value(path, type_name, value));
    match (shape, value) {
        (Shape::Message(fields), Value::Object(given)) => {
            let mut kept = Map::new();
            for (name, value) in given {
                let Some(shape) = field(fields, name) else {
                    return Err(Refusal::invalid(quirks::unknown_name(name, path)));
                };
                if !value.is_null() {
                    kept.insert(name.clone(), clean(value, shape, &format!("{path}.{}", snake(name)))?);
                }
            }
            Ok(Value::Object(kept))
        }
        (Shape::List(item), Value::Array(values)) => {
            let items = values.iter().enumerate();
            items.map(|(number, value)| clean(value, *item, &format!("{path}[{number}]"))).collect()
        }
        (Shape::Map(item), Value::Object(given)) => {
            let items = given.iter().filter(|(_, value)| !value.is_null());
            let items = items.map(|(key, value)| Ok((key.clone(), clean(value, *item, &format!("{path}.{key}"))?)));
            items.collect::<Result<Map<_, _>, _>>().map(Value::Object)
        }
        (Shape::Text, Value::String(_)) | (Shape::Bool, Value::Bool(_)) => Ok(value.clone()),
        (Shape::Enum(_, names), Value::String(name)) if names.contains(&name.as_str()) => Ok(value.clone()),
        (Shape::Int, _) => {
            let number = whole(value).ok_or_else(|| bad("TYPE_INT32"))?;
            if number < 0 { Err(Refusal::invalid(quirks::negative(path, number))) } else { Ok(Value::from(number)) }
        }
        (Shape::Float, Value::Number(_)) => Ok(value.clone()),
        (Shape::Float, Value::String(text)) => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::from(number)),
            Ok(_) | Err(_) => Err(bad("TYPE_FLOAT")),
        },
        (Shape::Text, _) => Err(bad("TYPE_STRING")),
        (Shape::Bool, _) => Err(bad("TYPE_BOOL")),
        (Shape::Float, _) => Err(bad("TYPE_FLOAT")),
        (Shape::Enum(name, _), _) => Err(bad(&format!("type.googleapis.com/google.apps.docs.v1.{name}"))),
        (Shape::Message(_) | Shape::Map(_), _) => Err(bad("a message")),
        (Shape::List(_), _) => Err(bad("a list")),
    }
}

/// Reads a 32-bit number as proto3 JSON does: `5`, `5.0` and `"5"` are the same.
fn whole(value: &Value) -> Option<i32> {
    let number = match value {
        Value::String(text) => return text.parse().ok(),
        Value::Number(number) => number,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    if let Some(number) = number.as_i64() {
        return i32::try_from(number).ok();
    }
    let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
    // Written without a fraction the number parses as what it is, or not at all when it is too large.
    format!("{float:.0}").parse().ok()
}

/// Turns `insertText` into `insert_text`, the spelling in Google's paths.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}
