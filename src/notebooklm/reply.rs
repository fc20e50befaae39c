//! From the rows of an answer to what came of a call.

use serde_json::{Value, json};

use super::frames::{self, Ending};
use super::json::{self, Unreadable};
use super::slot::Slot;

/// The most characters that are kept of a message that the product means for people.
const MESSAGE_CHARS_MAX: usize = 300;

/// The most ids that are told of an answer that lacks the one asked for.
const SEEN_MAX: usize = 8;

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// An answer.
    Result(Value),
    /// An answer that says nothing.
    Empty,
    /// The call was refused.
    Rejected(Rejection),
    /// The request was refused before the call was looked at.
    Refused(Refusal),
    /// There are answers, but none to what was asked: the id of the operation is another by now.
    Drifted {
        /// The id that was asked for.
        asked: String,
        /// The ids that were answered.
        seen: Vec<String>,
    },
    /// A page came instead of an answer.
    Interstitial,
    /// The frames came, and no answer in them.
    Silent,
    /// The answer ends within its frames.
    Cut,
    /// The answer is no JSON.
    Unreadable(Unreadable),
}

/// Why a call was refused, as the product says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The number of the status.
    pub code: i64,
    /// What the number means.
    pub kind: Rejected,
    /// Whether the product has words for people about it. No recording has the words themselves.
    pub displayable: bool,
    /// What the product says, where it says something.
    pub message: Option<String>,
}

/// The statuses of Google's calls. Source: <https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto>
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejected {
    /// 3.
    InvalidArgument,
    /// 4.
    DeadlineExceeded,
    /// 5.
    NotFound,
    /// 7.
    PermissionDenied,
    /// 8.
    ResourceExhausted,
    /// 9.
    FailedPrecondition,
    /// 12.
    Unimplemented,
    /// 13.
    Internal,
    /// 14.
    Unavailable,
    /// 16.
    Unauthenticated,
    /// Any other.
    Other,
}

/// Why a request was refused, by its HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The token of the page is too old: it must be read anew.
    StaleToken,
    /// The request was not understood.
    BadRequest,
    /// Nobody is signed in.
    Unauthenticated,
    /// Whoever is signed in may not.
    Forbidden,
    /// Nothing is at this address.
    NotFound,
    /// The answer is elsewhere, as that of somebody who is not signed in is.
    Redirected,
    /// Too much was asked for.
    RateLimited {
        /// After how many seconds one may ask again, where it was said in seconds.
        retry_after_s: Option<u64>,
    },
    /// The product is out of order.
    Server {
        /// The status.
        status: u16,
    },
    /// A status that nobody expected.
    Other {
        /// The status.
        status: u16,
    },
}

impl Rejected {
    /// Returns what the number of a status means.
    #[must_use]
    pub const fn of(code: i64) -> Self {
        match code {
            3 => Self::InvalidArgument,
            4 => Self::DeadlineExceeded,
            5 => Self::NotFound,
            7 => Self::PermissionDenied,
            8 => Self::ResourceExhausted,
            9 => Self::FailedPrecondition,
            12 => Self::Unimplemented,
            13 => Self::Internal,
            14 => Self::Unavailable,
            16 => Self::Unauthenticated,
            _ => Self::Other,
        }
    }

    /// Returns what an HTTP status means, which some rows of errors have instead.
    const fn of_http(code: i64) -> Self {
        match code {
            400 => Self::InvalidArgument,
            401 => Self::Unauthenticated,
            403 => Self::PermissionDenied,
            404 => Self::NotFound,
            429 => Self::ResourceExhausted,
            500 => Self::Internal,
            502..=504 => Self::Unavailable,
            _ => Self::of(code),
        }
    }
}

/// Reads what came of a call: `asked` is the id that it was sent with, `retry_after` the header of that name.
#[must_use]
pub fn read(status: u16, retry_after: Option<&str>, body: &str, asked: &str) -> Outcome {
    if let Some(refusal) = refusal_of(status, retry_after, body) {
        return Outcome::Refused(refusal);
    }
    read_body(body, asked)
}

/// Tells why a request was refused; nothing for one that was not.
#[must_use]
pub fn refusal_of(status: u16, retry_after: Option<&str>, body: &str) -> Option<Refusal> {
    Some(match status {
        200..=299 => return None,
        300..=399 => Refusal::Redirected,
        // The bodies on record are of tests by others; a stale token is by far the most usual reason.
        400 if body.contains("request token") || body.contains("INVALID_CREDENTIALS") => Refusal::StaleToken,
        400 => Refusal::BadRequest,
        401 => Refusal::Unauthenticated,
        403 => Refusal::Forbidden,
        404 => Refusal::NotFound,
        429 => Refusal::RateLimited { retry_after_s: retry_after.and_then(|wait| wait.trim().parse().ok()) },
        500..=599 => Refusal::Server { status },
        _ => Refusal::Other { status },
    })
}

/// Reads the body of an answer to a request that was not refused.
#[must_use]
pub fn read_body(body: &str, asked: &str) -> Outcome {
    let Ok((chunks, summary)) = frames::read(body) else {
        return Outcome::Unreadable(Unreadable::TooLong);
    };
    let mut seen = Vec::new();
    let mut last = None;
    for row in chunks.iter().filter_map(Value::as_array).flatten() {
        let Some(answer) = Answer::of(row) else { continue };
        if answer.id == Some(asked) {
            // The last that says something counts: a place may be held by a row that says nothing yet.
            if last.as_ref().is_none_or(|known| weight(&answer.outcome) >= weight(known)) {
                last = Some(answer.outcome);
            }
        } else if let Some(id) = answer.id {
            seen.push(id);
        }
    }
    match last {
        Some(outcome) => outcome,
        None if summary.ending == Ending::Cut => Outcome::Cut,
        None if !seen.is_empty() => {
            let seen = seen.into_iter().take(SEEN_MAX).map(|id| id.chars().take(24).collect()).collect();
            Outcome::Drifted { asked: asked.to_owned(), seen }
        }
        None if is_page(body) => Outcome::Interstitial,
        None => summary.first_unreadable.map_or(Outcome::Silent, Outcome::Unreadable),
    }
}

/// How much an outcome says: an answer more than a refusal, and that more than nothing.
const fn weight(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Result(_) => 2,
        Outcome::Rejected(_) | Outcome::Unreadable(_) => 1,
        Outcome::Empty
        | Outcome::Refused(_)
        | Outcome::Drifted { .. }
        | Outcome::Interstitial
        | Outcome::Silent
        | Outcome::Cut => 0,
    }
}

/// Tells whether a body is a page.
#[must_use]
pub fn is_page(body: &str) -> bool {
    let start: String = body.trim_start().chars().take(64).map(|letter| letter.to_ascii_lowercase()).collect();
    ["<!doctype", "<html", "<head", "<?xml", "<!--"].iter().any(|mark| start.starts_with(mark))
}

/// A row that answers a call.
struct Answer<'a> {
    id: Option<&'a str>,
    outcome: Outcome,
}

impl<'a> Answer<'a> {
    /// Reads a row; nothing for one that only keeps books.
    fn of(row: &'a Value) -> Option<Self> {
        let slot = Slot::new("row", row);
        let outcome = match slot.at(0).text()? {
            "wrb.fr" => outcome_of(slot),
            "er" => Outcome::Rejected(error_of(slot)),
            _ => return None,
        };
        Some(Self { id: slot.at(1).text(), outcome })
    }
}

fn outcome_of(row: Slot<'_>) -> Outcome {
    if let Some(text) = row.at(2).text() {
        return match json::read(text) {
            Ok(Value::Null) => Outcome::Empty,
            Ok(value) => Outcome::Result(value),
            Err(why) => Outcome::Unreadable(why),
        };
    }
    rejection_of(row.at(5)).map_or(Outcome::Empty, Outcome::Rejected)
}

/// Reads a status: `[code]`, or `[code, message, [[type, …]…]]`.
#[must_use]
pub fn rejection_of(status: Slot<'_>) -> Option<Rejection> {
    let code = status.at(0).integer()?;
    let details = status.at(2).list().unwrap_or_default();
    let displayable = details
        .iter()
        .any(|detail| detail.get(0).and_then(Value::as_str).is_some_and(|name| name.ends_with("UserDisplayableError")));
    Some(Rejection { code, kind: Rejected::of(code), displayable, message: status.at(1).text().map(shortened) })
}

/// Reads a row of an error, `["er", id, what, …]`: a number or words stand where others have an answer.
#[must_use]
pub fn error_of(row: Slot<'_>) -> Rejection {
    let code = row.at(2).integer().unwrap_or_default();
    Rejection { code, kind: Rejected::of_http(code), displayable: false, message: row.at(2).text().map(shortened) }
}

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(MESSAGE_CHARS_MAX).collect()
}

/// Writes the row of an answer, as a server does. A chat's has no id and no last slots.
#[must_use]
pub fn result_row(id: &str, result: &Value) -> Value {
    json!(["wrb.fr", id, json::write(result), null, null, null, "generic"])
}

/// Writes the row of a chunk of a chat.
#[must_use]
pub fn chat_row(chunk: &Value) -> Value {
    json!(["wrb.fr", null, json::write(chunk)])
}

/// Writes the row of a call that was refused; without an id, that of a chat.
#[must_use]
pub fn rejection_row(id: Option<&str>, code: i64, displayable: bool) -> Value {
    let status = if displayable {
        let name = "type.googleapis.com/google.internal.labs.tailwind.orchestration.v1.UserDisplayableError";
        json!([code, null, [[name, []]]])
    } else {
        json!([code])
    };
    match id {
        Some(id) => json!(["wrb.fr", id, null, null, null, status, "generic"]),
        None => json!(["wrb.fr", null, null, null, null, status]),
    }
}

/// Writes the rows that follow an answer: the milliseconds it took, and an id of the measurement.
#[must_use]
pub fn timing_rows(took_ms: u64, id: &str) -> [Value; 2] {
    [json!(["di", took_ms]), json!(["af.httprm", took_ms, id, 10])]
}
