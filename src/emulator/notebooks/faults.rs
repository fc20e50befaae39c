//! Faults to order: what the product and the network do now and then, for so many of the next requests that match.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Notebooks;
use super::hosts::{Host, origin};
use super::log::Heard;
use super::reply::{Ending, Piece, Reply};
use crate::emulator::call::Call;
use crate::emulator::errors::aip;

/// Faults that may wait at a time.
const FAULTS_MAX: usize = 1_000;

/// The longest delay, in milliseconds.
const DELAY_MS_MAX: u64 = 600_000;

/// One fault that waits for the requests it matches.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    /// Which requests.
    #[serde(default, rename = "match")]
    matches: Matches,
    /// How many more requests it hits.
    #[serde(default = "once")]
    times: u32,
    /// What happens to them.
    pub(super) fault: Kind,
    /// How long the slow ones wait.
    #[serde(default = "a_second")]
    pub(super) delay_ms: u64,
    /// The `Retry-After` of a 429 or 503, in seconds.
    #[serde(default)]
    retry_after: Option<u64>,
    /// The status of a refusal.
    #[serde(default = "invalid")]
    pub(super) code: i64,
}

/// Which requests a fault hits; what is absent matches all.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Matches {
    /// The method.
    #[serde(default)]
    method: Option<String>,
    /// A part of the path with its query.
    #[serde(default)]
    path: Option<String>,
    /// The name of the operation, as in `LIST_NOTEBOOKS`; also `CHAT`, `UPLOAD`, `PAGE`, `LOGIN`, `ACCOUNTS` and
    /// `ENTERPRISE`.
    #[serde(default)]
    operation: Option<String>,
}

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Too many requests.
    #[serde(rename = "429")]
    TooMany,
    /// An internal error.
    #[serde(rename = "500")]
    Internal,
    /// Not available.
    #[serde(rename = "503")]
    Unavailable,
    /// The token of the page is too old.
    StaleToken,
    /// The session is over, for this request.
    ExpiredSession,
    /// A page comes instead of an answer.
    Interstitial,
    /// The way to the page that tells whom the product does not serve.
    Gate,
    /// The connection is cut; nothing was carried out.
    Drop,
    /// Carried out; the connection is cut before the answer.
    LostReply,
    /// Carried out; the connection is cut within the answer.
    CutReply,
    /// Carried out; the answer ends within its frames, and as HTTP it is whole.
    Truncated,
    /// Carried out; the answer comes late.
    Slow,
    /// Refused with a status.
    Rejected,
    /// Refused with status 8 and words for people.
    Displayable,
    /// Refused with status 9, and a source that failed is left.
    ErrorStub,
    /// Carried out; the answer has another id.
    IdRotated,
    /// Carried out; a row that says nothing stands before the one that does.
    TwoRows,
    /// Of a question: nothing is said, since no more questions are answered for now.
    QuotaExhausted,
    /// Of a question: the answer stops in the middle and nothing more comes, until the connection is cut.
    Stall,
    /// Of a question: the answer ends without the chunk that says that it is whole.
    Unfinished,
}

const fn once() -> u32 {
    1
}

const fn a_second() -> u64 {
    1_000
}

const fn invalid() -> i64 {
    3
}

impl Fault {
    /// Returns the answer that takes the place of carrying the request out, if the fault is of that sort.
    pub(super) fn instead(&self, call: &Call) -> Option<Reply> {
        let reply: Reply = match self.fault {
            Kind::TooMany => aip(429, "RESOURCE_EXHAUSTED", "Rate limited").into(),
            Kind::Internal => aip(500, "INTERNAL", "Internal error encountered.").into(),
            Kind::Unavailable => aip(503, "UNAVAILABLE", "The service is currently unavailable.").into(),
            Kind::StaleToken => stale_token(),
            Kind::ExpiredSession => signed_out(),
            Kind::Interstitial => Reply::html(
                200,
                "<!doctype html><html><head><title>Sorry…</title></head><body><h1>We're sorry…</h1>\
                 <p>Our systems have detected unusual traffic.</p></body></html>",
            ),
            Kind::Gate => gate(call),
            Kind::Drop => Reply::cut(),
            Kind::LostReply
            | Kind::CutReply
            | Kind::Truncated
            | Kind::Slow
            | Kind::Rejected
            | Kind::Displayable
            | Kind::ErrorStub
            | Kind::IdRotated
            | Kind::TwoRows
            | Kind::QuotaExhausted
            | Kind::Stall
            | Kind::Unfinished => return None,
        };
        Some(match self.retry_after {
            Some(seconds) => reply.with("retry-after", seconds.to_string()),
            None => reply,
        })
    }

    /// Does to an answer what the fault does to those that were carried out.
    pub(super) fn after(&self, mut reply: Reply) -> Reply {
        match self.fault {
            Kind::Slow => reply.later(self.delay_ms),
            Kind::LostReply => Reply::cut(),
            Kind::CutReply => {
                shorten(&mut reply.pieces);
                Reply { ending: Ending::Cut, ..reply }
            }
            Kind::Truncated => {
                shorten(&mut reply.pieces);
                reply
            }
            Kind::TooMany
            | Kind::Internal
            | Kind::Unavailable
            | Kind::StaleToken
            | Kind::ExpiredSession
            | Kind::Interstitial
            | Kind::Gate
            | Kind::Drop
            | Kind::Rejected
            | Kind::Displayable
            | Kind::ErrorStub
            | Kind::IdRotated
            | Kind::TwoRows
            | Kind::QuotaExhausted
            | Kind::Stall
            | Kind::Unfinished => reply,
        }
    }

    /// Returns the word for it.
    pub(super) fn word(&self) -> Value {
        serde_json::to_value(self.fault).unwrap_or_default()
    }

    fn hits(&self, heard: &Heard, call: &Call) -> bool {
        let matches = &self.matches;
        matches.method.as_ref().is_none_or(|method| method.eq_ignore_ascii_case(&call.method))
            && matches.path.as_ref().is_none_or(|part| call.target().contains(part.as_str()))
            && matches.operation.as_ref().is_none_or(|name| *name == heard.operation)
    }
}

/// Takes the second half of a body away: of several pieces, of the one in the middle, and all that come after it.
fn shorten(pieces: &mut Vec<Piece>) {
    pieces.truncate(pieces.len() / 2 + 1);
    if let Some(last) = pieces.last_mut() {
        last.bytes.truncate(last.bytes.len() / 2);
    }
}

/// Returns what somebody gets whose token is too old.
pub(super) fn stale_token() -> Reply {
    aip(400, "INVALID_ARGUMENT", "Invalid request token").into()
}

/// Returns what somebody gets who asks and is not signed in.
pub(super) fn signed_out() -> Reply {
    let words = "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or \
                 other valid authentication credential.";
    aip(401, "UNAUTHENTICATED", words).into()
}

/// Leads to the page that tells whom the product does not serve.
pub(super) fn gate(call: &Call) -> Reply {
    Reply::redirect(302, &format!("{}/?location=unsupported", origin(call, Host::App)))
}

impl Notebooks {
    /// Takes the first fault that hits a request, and counts it.
    pub(super) fn take_fault(&mut self, heard: &Heard, call: &Call) -> Option<Fault> {
        let at = self.faults.iter().position(|fault| fault.hits(heard, call))?;
        let fault = self.faults.get_mut(at)?;
        fault.times = fault.times.saturating_sub(1);
        let taken = fault.clone();
        if taken.times == 0 {
            self.faults.remove(at);
        }
        self.touch();
        Some(taken)
    }

    /// Adds the faults of a body: a list, or one. The error says what is amiss.
    pub(super) fn add_faults(&mut self, body: Value) -> Result<(), String> {
        let list = if let Value::Array(list) = body { list } else { vec![body] };
        let read = |value| serde_json::from_value::<Fault>(value).map_err(|error| error.to_string());
        let new = list.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        if new.iter().any(|fault| fault.delay_ms > DELAY_MS_MAX) {
            return Err(format!("`delay_ms` is at most {DELAY_MS_MAX}"));
        }
        if self.faults.len() + new.len() > FAULTS_MAX {
            return Err(format!("more than {FAULTS_MAX} faults"));
        }
        self.faults.extend(new.into_iter().filter(|fault| fault.times > 0));
        self.touch();
        Ok(())
    }
}
