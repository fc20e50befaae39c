//! Many calls in one: `multipart/mixed` with a whole HTTP request in each part.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/guides/batch>

use super::call::{Answer, Call, Handled, decode, pairs};
use super::gmail::{pieces, refused};
use super::route::dispatch;
use super::state::Google;
use super::{clock, errors};

/// Calls in a batch.
const MAX_CALLS: usize = 100;

/// Bytes of an answer; a call that comes after so many is told to come again.
const MAX_ANSWER: usize = 128 << 20;

/// What parts the answers. It holds nothing that JSON can hold at the beginning of a line.
const BOUNDARY: &str = "batch_pK7mWc3nQz0tXv9LfYb2RhJd5sGa8uEi";

/// The same within its header.
const CONTENT_TYPE: &str = "multipart/mixed; boundary=batch_pK7mWc3nQz0tXv9LfYb2RhJd5sGa8uEi";

/// Answers a batch; `service` is what all of its calls are for, when the path says so.
pub(super) fn handle(google: &Google, outer: &Call, service: Option<&str>) -> Handled {
    let bad = |message: &str| refused(400, "INVALID_ARGUMENT", "badRequest", message);
    let boundary = outer.boundary.as_deref().filter(|boundary| !boundary.is_empty());
    let boundary = boundary.filter(|_| outer.content_type == "multipart/mixed");
    let boundary =
        boundary.ok_or_else(|| bad("Failed to parse batch request, error: No boundary in the content type."))?;
    let parts = pieces(&outer.body, boundary, MAX_CALLS + 1);
    if parts.is_empty() {
        return Err(bad("Failed to parse batch request, error: 0 items."));
    }
    if parts.len() > MAX_CALLS {
        return Err(bad("The batch request contains too many calls: at most 100 are allowed."));
    }
    let mut body = Vec::new();
    for range in parts {
        let part = outer.body.get(range).unwrap_or_default();
        let (head, request) = split(part);
        let inner = parse(outer, request);
        let answer = if body.len() > MAX_ANSWER {
            refused(429, "RESOURCE_EXHAUSTED", "rateLimitExceeded", "Too many concurrent requests for user.")
        } else {
            match inner {
                Some(call) => answer(google, &call, service),
                None => bad("Failed to parse batch request, error: a part is no HTTP request."),
            }
        };
        write_part(&mut body, header(head, "content-id").as_deref(), &answer);
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    Ok(Answer::bytes(200, CONTENT_TYPE, &body))
}

/// Answers one call as it would be answered by itself, with the fault that strikes it.
fn answer(google: &Google, call: &Call, service: Option<&str>) -> Answer {
    let at = clock::rfc3339(clock::now_ms());
    let served = ["/gmail/v1/", "/drive/v3/"].into_iter().find(|path| call.path.starts_with(path));
    let wanted = served.filter(|path| service.is_none_or(|service| path.trim_matches('/') == service));
    let answer = match (wanted, google.take_answering_fault(call)) {
        (None, _) => errors::no_route(&format!("{} {} in this batch", call.method, call.path)),
        (Some(_), Some(answer)) => answer,
        (Some(_), None) => match dispatch(google, call, false) {
            Ok(answer) | Err(answer) => answer,
        },
    };
    google.record(call, answer.status, at);
    answer
}

/// Reads the request in a part; what it does not say is as in the outer one.
fn parse(outer: &Call, request: &[u8]) -> Option<Call> {
    let request = request.trim_ascii_start();
    let (head, body) = split(request);
    let head = std::str::from_utf8(head).ok()?;
    let (line, headers) = head.split_once('\n').unwrap_or((head, ""));
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?, words.next()?);
    if !method.bytes().all(|byte| byte.is_ascii_uppercase()) || words.next().is_some_and(|v| !v.starts_with("HTTP/")) {
        return None;
    }
    // Some clients write the whole address.
    let target = target
        .find("://")
        .and_then(|at| target.get(at + 3..))
        .map_or(target, |rest| rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"));
    let (path, raw_query) = target.split_once('?').unwrap_or((target, ""));
    let content_type = header(headers.as_bytes(), "content-type").unwrap_or_default();
    let length = header(headers.as_bytes(), "content-length").and_then(|length| length.parse::<usize>().ok());
    let bearer = header(headers.as_bytes(), "authorization")
        .and_then(|value| Some(value.split_once(' ')?.1.trim().to_owned()))
        .or_else(|| outer.bearer.clone());
    Some(Call {
        method: method.into(),
        path: path.into(),
        segments: path.trim_start_matches('/').split('/').map(decode).collect(),
        raw_query: raw_query.into(),
        query: pairs(raw_query),
        host: outer.host.clone(),
        origin: outer.origin.clone(),
        headers: Vec::new(),
        bearer,
        content_type: content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase(),
        boundary: None,
        body: body.get(..length.unwrap_or(body.len()).min(body.len())).unwrap_or_default().to_vec(),
    })
}

/// Splits at the first empty line.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let end = at + line.len();
        if line.trim_ascii().is_empty() {
            return (bytes.get(..at).unwrap_or_default(), bytes.get(end..).unwrap_or_default());
        }
        at = end;
    }
    (bytes, &[])
}

/// Returns the value of a header.
fn header(head: &[u8], name: &str) -> Option<String> {
    let head = String::from_utf8_lossy(head);
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

/// Writes an answer as a part.
fn write_part(out: &mut Vec<u8>, content_id: Option<&str>, answer: &Answer) {
    let mut head = format!("--{BOUNDARY}\r\nContent-Type: application/http\r\n");
    if let Some(id) = content_id {
        let id = match id.strip_prefix('<') {
            Some(rest) => format!("<response-{rest}"),
            None => format!("response-{id}"),
        };
        head.push_str(&format!("Content-ID: {id}\r\n"));
    }
    head.push_str(&format!(
        "\r\nHTTP/1.1 {} {}\r\nContent-Type: {}\r\n",
        answer.status,
        reason(answer.status),
        answer.content_type
    ));
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", answer.body.len()));
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(&answer.body);
    out.extend_from_slice(b"\r\n");
}

const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        413 => "Request Entity Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}
