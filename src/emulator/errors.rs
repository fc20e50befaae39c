//! Errors as Google words them, in its two envelopes.

use serde_json::{Value, json};

use super::call::Answer;

/// The text for a request without a token.
const MISSING: &str = "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";

/// The text for a token that is wrong or has expired.
const INVALID: &str = "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";

/// Which envelope a service uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Envelope {
    /// Docs and the newer services.
    Aip,
    /// Drive, Calendar, and the older services.
    Legacy,
}

/// Returns an error in the envelope of Docs.
///
/// Source: <https://google.aip.dev/193>
pub(super) fn aip(code: u16, status: &str, message: &str) -> Answer {
    Answer::json(code, &json!({"error": {"code": code, "message": message, "status": status}}))
}

/// Returns an error about bad JSON, with the violations that Google adds.
pub(super) fn bad_field(field: &str, message: &str) -> Answer {
    Answer::json(
        400,
        &json!({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT", "details": [
            {"@type": "type.googleapis.com/google.rpc.BadRequest",
             "fieldViolations": [violation(field, message)]}]}}),
    )
}

/// Returns one violation; a field at the top has no name.
fn violation(field: &str, message: &str) -> Value {
    if field.is_empty() { json!({"description": message}) } else { json!({"field": field, "description": message}) }
}

/// Returns an error in the envelope of Drive; `place` is the location and its type.
///
/// Source: <https://developers.google.com/workspace/drive/api/guides/handle-errors>
pub(super) fn legacy(code: u16, reason: &str, message: &str, place: Option<(&str, &str)>) -> Answer {
    let mut detail = json!({"message": message, "domain": "global", "reason": reason});
    if let Some((location, kind)) = place {
        detail["location"] = location.into();
        detail["locationType"] = kind.into();
    }
    Answer::json(code, &json!({"error": {"code": code, "message": message, "errors": [detail]}}))
}

/// Returns Drive's refusal of a parameter's value.
pub(super) fn invalid_value(parameter: &str) -> Answer {
    legacy(400, "invalid", "Invalid Value", Some((parameter, "parameter")))
}

/// Returns what Docs answers when there is no such document, or none for this account.
pub(super) fn not_found() -> Answer {
    aip(404, "NOT_FOUND", "Requested entity was not found.")
}

/// Returns what Drive answers when there is no such file, or none for this account.
pub(super) fn file_not_found(id: &str) -> Answer {
    legacy(404, "notFound", &format!("File not found: {id}."), Some(("fileId", "parameter")))
}

/// Returns what Docs answers to somebody who may only read.
pub(super) fn forbidden() -> Answer {
    aip(403, "PERMISSION_DENIED", "The caller does not have permission")
}

/// Returns the answer to a request with no token, or a bad one.
pub(super) fn unauthenticated(envelope: Envelope, had_token: bool) -> Answer {
    let message = if had_token { INVALID } else { MISSING };
    let mut error = json!({"code": 401, "message": message, "status": "UNAUTHENTICATED"});
    if envelope == Envelope::Legacy {
        let (text, reason) =
            if had_token { ("Invalid Credentials", "authError") } else { ("Login Required.", "required") };
        error["errors"] = json!([{"message": text, "domain": "global", "reason": reason,
            "location": "Authorization", "locationType": "header"}]);
    }
    let challenge = if had_token {
        "Bearer realm=\"https://accounts.google.com/\", error=\"invalid_token\""
    } else {
        "Bearer realm=\"https://accounts.google.com/\""
    };
    Answer::json(401, &json!({"error": error})).with("www-authenticate", challenge)
}

/// Returns the answer to what Google offers and the embedded one does not.
pub(super) fn not_built(what: &str) -> Answer {
    aip(501, "UNIMPLEMENTED", &format!("The embedded Google does not offer {what}."))
}

/// Returns the answer to a path that nobody serves.
pub(super) fn no_route(call: &str) -> Answer {
    aip(404, "NOT_FOUND", &format!("The embedded Google does not serve {call}."))
}

/// Returns the answer when the state could not be kept.
pub(super) fn internal(error: &crate::error::Error) -> Answer {
    tracing::error!(%error, "the embedded Google could not keep its state");
    aip(500, "INTERNAL", "Internal error encountered.")
}
