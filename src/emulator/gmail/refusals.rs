//! Gmail's refusals, in its words.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/guides/handle-errors>

use serde_json::json;

use crate::emulator::call::Answer;

/// Returns an error in Gmail's envelope: the older list of reasons and the newer status.
pub(in crate::emulator) fn refused(code: u16, status: &str, reason: &str, message: &str) -> Answer {
    let domain = if reason.ends_with("ateLimitExceeded") { "usageLimits" } else { "global" };
    Answer::json(
        code,
        &json!({"error": {"code": code, "message": message, "status": status,
            "errors": [{"message": message, "domain": domain, "reason": reason}]}}),
    )
}

/// Returns the refusal of an argument.
pub(super) fn invalid(message: &str) -> Answer {
    refused(400, "INVALID_ARGUMENT", "invalidArgument", message)
}

/// Returns what is said of an id that is no id.
pub(super) fn invalid_id() -> Answer {
    invalid("Invalid id value")
}

/// Returns what is said of what is not there.
pub(super) fn not_found() -> Answer {
    refused(404, "NOT_FOUND", "notFound", "Requested entity was not found.")
}

/// Returns the refusal of a label that is not there.
pub(super) fn no_label() -> Answer {
    invalid("labelId not found")
}

/// Returns the refusal of a value that is not of its type.
pub(super) fn bad_value(field: &str, kind: &str, value: &str) -> Answer {
    invalid(&format!("Invalid value at '{field}' ({kind}), \"{value}\""))
}

/// Returns the refusal to somebody who asks for another one's mail.
pub(super) fn delegation_denied(user: &str) -> Answer {
    refused(403, "PERMISSION_DENIED", "forbidden", &format!("Delegation denied for {user}"))
}

/// Returns the refusal of what the granted scopes do not reach to, such as sending and deleting for good.
pub(super) fn scopes(method: &str) -> Answer {
    let message = "Request had insufficient authentication scopes.";
    Answer::json(
        403,
        &json!({"error": {"code": 403, "message": message, "status": "PERMISSION_DENIED",
            "errors": [{"message": "Insufficient Permission", "domain": "global", "reason": "insufficientPermissions"}],
            "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "domain": "googleapis.com",
                "metadata": {"method": format!("caribou.api.proto.MailboxService.{method}"),
                    "service": "gmail.googleapis.com"}}]}}),
    )
    .with("www-authenticate", "Bearer realm=\"https://accounts.google.com/\", error=\"insufficient_scope\"")
}

/// Returns the refusal of a message that is too large.
pub(super) fn too_large(limit: usize) -> Answer {
    invalid_size(&format!("Request payload size exceeds the limit: {limit} bytes."))
}

fn invalid_size(message: &str) -> Answer {
    refused(413, "INVALID_ARGUMENT", "uploadTooLarge", message)
}
