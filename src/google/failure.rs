//! From an HTTP status and Google's words to an [`enum@Error`].

use std::time::Duration;

use serde_json::Value;

use super::Call;
use crate::error::Error;
use crate::model::ItemId;

/// Characters of Google's words that are kept.
const MESSAGE_CHARS: usize = 1_000;

/// An answer that is no success, as the source of an error.
#[derive(Debug, thiserror::Error)]
#[error("HTTP {status}: {message}")]
struct HttpFailure {
    status: u16,
    message: String,
}

/// Returns the error that an answer stands for.
pub(super) fn of(call: &Call<'_>, status: u16, retry_after: Option<Duration>, body: &[u8]) -> Error {
    let words = Words::read(status, body);
    let id = call.id.to_owned();
    match status {
        429 => Error::RateLimited { retry_after },
        403 if words.is_rate() => Error::RateLimited { retry_after },
        403 => Error::PermissionDenied { id, message: words.message },
        // 410 is a cursor or an item that has been there.
        404 | 410 => Error::NotFound { id },
        // Source: <https://developers.google.com/docs/api/how-tos/best-practices>
        400 if call.mutating() && words.message.to_lowercase().contains("revision") => {
            Error::StaleRevision { id: ItemId(id) }
        }
        // 501 is for good: asking again does not build what is not there.
        408 | 500 | 502.. => Error::Network {
            doing: call.doing.to_owned(),
            outcome_unknown: call.mutating(),
            source: Box::new(HttpFailure { status, message: words.message }),
        },
        _ => Error::Refused { message: words.message },
    }
}

/// What an error body says.
struct Words {
    message: String,
    reasons: Vec<String>,
}

impl Words {
    /// Reads both envelopes, and what is neither.
    fn read(status: u16, body: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = value.get("error");
        let message = error.and_then(|error| error.get("message")).and_then(Value::as_str);
        let message =
            message.map_or_else(|| format!("HTTP {status}"), |text| text.chars().take(MESSAGE_CHARS).collect());
        let reasons = ["errors", "details"]
            .iter()
            .filter_map(|list| error?.get(list)?.as_array())
            .flatten()
            .filter_map(|item| item.get("reason")?.as_str())
            .map(str::to_owned)
            .collect();
        Self { message, reasons }
    }

    /// Tells whether the reason is a limit that passes.
    fn is_rate(&self) -> bool {
        const RATE: &[&str] = &["rateLimitExceeded", "userRateLimitExceeded", "backendError", "RATE_LIMIT_EXCEEDED"];
        self.reasons.iter().any(|reason| RATE.contains(&reason.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Service;
    use super::*;
    use crate::error::ErrorKind;

    fn check(method: &str, status: u16, body: &str, kind: ErrorKind, unknown: bool) {
        let value = Value::Null;
        let mut call = Call::post(Service::Docs, "/v1/x".into(), &value, "doc", "pushing");
        if method == "GET" {
            call = Call::get(Service::Docs, "/v1/x".into(), "doc", "reading");
        }
        let error = of(&call, status, None, body.as_bytes());
        assert_eq!(error.kind(), kind, "{method} {status} {body}");
        assert_eq!(matches!(error, Error::Network { outcome_unknown: true, .. }), unknown, "{method} {status} {body}");
    }

    /// Source: <https://developers.google.com/drive/api/guides/handle-errors>
    #[test]
    fn every_reason_of_a_403_passes_or_does_not() {
        let passing = ["rateLimitExceeded", "userRateLimitExceeded", "backendError"];
        let lasting = [
            "accessNotConfigured",
            "activeItemCreationLimitExceeded",
            "appNotAuthorizedToFile",
            "cannotDownloadAbusiveFile",
            "dailyLimitExceeded",
            "domainPolicy",
            "exportSizeLimitExceeded",
            "fileNotDownloadable",
            "fileNotExportable",
            "insufficientFilePermissions",
            "insufficientPermissions",
            "sharingRateLimitExceeded",
            "storageQuotaExceeded",
        ];
        let of_body = |reason: &str, list: &str| {
            format!(r#"{{"error":{{"code":403,"message":"m","{list}":[{{"domain":"d","reason":"{reason}"}}]}}}}"#)
        };
        for method in ["GET", "POST"] {
            for reason in passing {
                check(method, 403, &of_body(reason, "errors"), ErrorKind::RateLimited, false);
            }
            check(method, 403, &of_body("RATE_LIMIT_EXCEEDED", "details"), ErrorKind::RateLimited, false);
            for reason in lasting {
                check(method, 403, &of_body(reason, "errors"), ErrorKind::PermissionDenied, false);
            }
            for reason in ["ACCESS_TOKEN_SCOPE_INSUFFICIENT", "IAM_PERMISSION_DENIED", "SERVICE_DISABLED"] {
                check(method, 403, &of_body(reason, "details"), ErrorKind::PermissionDenied, false);
            }
        }
    }

    #[test]
    fn statuses() {
        let reason = |reason: &str| format!(r#"{{"error":{{"message":"m","errors":[{{"reason":"{reason}"}}]}}}}"#);
        let stale =
            r#"{"error":{"code":400,"message":"The required revision ID 'x' does not match the latest revision."}}"#;
        check("POST", 400, stale, ErrorKind::StaleRevision, false);
        check("GET", 400, stale, ErrorKind::Refused, false);
        check("POST", 400, r#"{"error":{"message":"Invalid requests[0]"}}"#, ErrorKind::Refused, false);
        check("GET", 403, &reason("userRateLimitExceeded"), ErrorKind::RateLimited, false);
        check("GET", 403, &reason("insufficientFilePermissions"), ErrorKind::PermissionDenied, false);
        check("GET", 403, "<html>", ErrorKind::PermissionDenied, false);
        check("GET", 404, "", ErrorKind::NotFound, false);
        check("GET", 410, "", ErrorKind::NotFound, false);
        check("POST", 429, "", ErrorKind::RateLimited, false);
        check("GET", 500, "", ErrorKind::NetworkError, false);
        check("POST", 503, "", ErrorKind::NetworkError, true);
        check("POST", 501, "", ErrorKind::Refused, false);
        check("GET", 302, "", ErrorKind::Refused, false);
    }
}
