//! Faults on demand: what a real network and a real Google do now and then.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::call::{Answer, Call};
use super::errors::{aip, legacy};
use super::gmail;
use super::state::{Google, lock};
use crate::error::{Error, Result};

/// Faults that may wait at a time.
const MAX_FAULTS: usize = 1_000;

/// The longest delay, in milliseconds.
const MAX_DELAY_MS: u64 = 600_000;

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
    pub(super) fault: FaultKind,
    /// How long the slow ones wait.
    #[serde(default = "a_second")]
    pub(super) delay_ms: u64,
    /// The `Retry-After` of a 429 or 503, in seconds.
    #[serde(default)]
    retry_after: Option<u64>,
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
}

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FaultKind {
    /// Too many requests.
    #[serde(rename = "429")]
    TooMany,
    /// Too many requests, in Drive's older way.
    #[serde(rename = "403")]
    RateForbidden,
    /// The request means nothing.
    #[serde(rename = "400")]
    Invalid,
    /// The token is refused.
    #[serde(rename = "401")]
    Unauthenticated,
    /// An internal error.
    #[serde(rename = "500")]
    Internal,
    /// Not available.
    #[serde(rename = "503")]
    Unavailable,
    /// The connection is cut; nothing was carried out.
    Drop,
    /// Carried out; the connection is cut before the reply.
    LostReply,
    /// Carried out; the connection is cut within the reply.
    Truncated,
    /// A wait, then carried out.
    Slow,
    /// Carried out, then a wait.
    SlowReply,
    /// The change feed tells nothing new.
    StaleFeed,
}

const fn once() -> u32 {
    1
}

const fn a_second() -> u64 {
    1_000
}

impl Fault {
    /// Reads one fault.
    pub(super) fn read(value: Value) -> Result<Self> {
        let bad = |what: String| {
            Error::InvalidInput {
            what,
            suggestion: "A fault is {\"match\":{\"method\",\"path\"},\"times\",\"fault\",\"delay_ms\",\"retry_after\"} with fault \
                         400, 401, 403, 429, 500, 503, drop, lost_reply, truncated, slow, slow_reply, or stale_feed."
                .into(),
        }
        };
        let fault: Self = serde_json::from_value(value).map_err(|error| bad(format!("not a fault: {error}")))?;
        if fault.delay_ms > MAX_DELAY_MS {
            return Err(bad(format!("`delay_ms` is at most {MAX_DELAY_MS}")));
        }
        Ok(fault)
    }

    /// Returns the answer that takes the place of carrying the request out, if the fault is of that sort.
    pub(super) fn answer(&self, call: &Call) -> Option<Answer> {
        let drive = call.path.starts_with("/drive/");
        let mail = call.path.starts_with("/gmail/") || call.path.starts_with("/batch");
        let answer = match self.fault {
            FaultKind::TooMany if mail => {
                too_many_of_mail(429, "RESOURCE_EXHAUSTED", "Too many concurrent requests for user.")
            }
            FaultKind::RateForbidden if mail => too_many_of_mail(403, "PERMISSION_DENIED", "Rate Limit Exceeded"),
            FaultKind::TooMany if drive => legacy(429, "rateLimitExceeded", "Rate Limit Exceeded", None),
            FaultKind::TooMany => too_many(call.method == "GET"),
            FaultKind::RateForbidden => user_rate(),
            FaultKind::Invalid => aip(400, "INVALID_ARGUMENT", "Invalid requests[0]: it cannot be carried out here."),
            FaultKind::Unauthenticated => super::errors::unauthenticated(super::errors::Envelope::Aip, true),
            FaultKind::Internal => aip(500, "INTERNAL", "Internal error encountered."),
            FaultKind::Unavailable => aip(503, "UNAVAILABLE", "The service is currently unavailable."),
            FaultKind::Drop
            | FaultKind::LostReply
            | FaultKind::Truncated
            | FaultKind::Slow
            | FaultKind::SlowReply
            | FaultKind::StaleFeed => return None,
        };
        Some(match self.retry_after {
            Some(seconds) => answer.with("retry-after", seconds.to_string()),
            None => answer,
        })
    }

    /// Tells whether it hits a call.
    fn hits(&self, call: &Call) -> bool {
        self.matches.method.as_ref().is_none_or(|method| method.eq_ignore_ascii_case(&call.method))
            && self.matches.path.as_ref().is_none_or(|part| call.target().contains(part.as_str()))
            && (self.fault != FaultKind::StaleFeed || is_feed(&call.path))
    }
}

impl Google {
    /// Takes the first fault that hits a call, and counts it.
    pub(super) fn take_fault(&self, call: &Call) -> Option<Fault> {
        self.take_first(|fault| fault.hits(call))
    }

    /// Takes the first fault that answers a call within a batch, where there is no connection of its own to cut or to
    /// slow down.
    pub(super) fn take_answering_fault(&self, call: &Call) -> Option<Answer> {
        self.take_first(|fault| fault.hits(call) && fault.answer(call).is_some())?.answer(call)
    }

    fn take_first(&self, wanted: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let at = faults.iter().position(wanted)?;
        let fault = faults.get_mut(at)?;
        fault.times = fault.times.saturating_sub(1);
        Some(if fault.times == 0 { faults.remove(at) } else { fault.clone() })
    }

    /// Adds the faults of a body: a list, or one.
    pub(super) fn add_faults(&self, body: Value) -> Result<Value> {
        let list = if let Value::Array(list) = body { list } else { vec![body] };
        let new = list.into_iter().map(Fault::read).collect::<Result<Vec<_>>>()?;
        let mut faults = lock(&self.faults);
        if faults.len() + new.len() > MAX_FAULTS {
            return Err(Error::InvalidInput {
                what: format!("more than {MAX_FAULTS} faults"),
                suggestion: "Clear them with DELETE /admin/faults.".into(),
            });
        }
        faults.extend(new.into_iter().filter(|fault| fault.times > 0));
        Ok(json!(*faults))
    }
}

/// Tells whether a path is that of a feed of changes.
fn is_feed(path: &str) -> bool {
    path == "/drive/v3/changes" || (path.starts_with("/gmail/") && path.ends_with("/history"))
}

/// Returns what Gmail answers when a quota is used up.
fn too_many_of_mail(code: u16, status: &str, message: &str) -> Answer {
    gmail::refused(code, status, "rateLimitExceeded", message)
}

/// Returns what Docs answers when a quota is used up.
fn too_many(read: bool) -> Answer {
    let what = if read { "Read requests" } else { "Write requests" };
    let message = format!(
        "Quota exceeded for quota metric '{what}' and limit '{what} per minute per user' of service \
         'docs.googleapis.com' for consumer 'project_number:000000000000'."
    );
    Answer::json(
        429,
        &json!({"error": {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED",
             "domain": "googleapis.com", "metadata": {"service": "docs.googleapis.com"}}]}}),
    )
}

/// Returns Drive's older answer when a quota is used up.
fn user_rate() -> Answer {
    let message = "User Rate Limit Exceeded";
    Answer::json(
        403,
        &json!({"error": {"code": 403, "message": message, "errors": [
            {"message": message, "domain": "usageLimits", "reason": "userRateLimitExceeded"}]}}),
    )
}
