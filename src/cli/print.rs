//! What a person reads. The only place besides `main` that writes to stdout and stderr.

use std::io::Write as _;

use serde_json::Value;

use crate::tools::{Command, ErrorAnswer};

/// Writes one line to stdout. A reader that went away is no fault of the command.
pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        tracing::debug!("nobody reads stdout");
    }
}

/// Writes an error: as JSON to stdout, or as sentences to stderr.
pub(crate) fn error(answer: &ErrorAnswer, json: bool) {
    if json {
        return line(&answer.to_json());
    }
    let mut out = std::io::stderr().lock();
    if writeln!(out, "error: {}\nhint: {}", answer.message, answer.suggestion).is_err() {
        tracing::debug!("nobody reads stderr");
    }
}

/// Writes a report: as one line of JSON, or as short text.
pub(crate) fn report(command: &Command, value: &Value, json: bool) {
    if json {
        return line(&value.to_string());
    }
    for text in lines(command, value) {
        line(&text);
    }
}

/// Turns a report into short lines.
fn lines(command: &Command, value: &Value) -> Vec<String> {
    match command {
        Command::Fetch { .. } | Command::Create { .. } | Command::Restore { .. } => item(value),
        Command::Search { .. } => hits(value),
        Command::Forget { .. } | Command::Resolve { .. } | Command::Comment { .. } | Command::Resume => {
            vec![text(value, "message")]
        }
        Command::Status => status(value),
        Command::Diff { .. } => match text(value, "diff") {
            diff if diff.is_empty() => vec!["no edits".into()],
            diff => vec![diff.trim_end_matches('\n').into()],
        },
        Command::Push { dry_run, .. } => push(value, *dry_run),
    }
}

fn item(value: &Value) -> Vec<String> {
    let parts = list(value, "parts");
    let mut lines: Vec<String> = parts.iter().map(|part| text(part, "path")).collect();
    lines.extend(notices(value, "notices", "note"));
    if value.get("stale").and_then(Value::as_bool) == Some(true) {
        lines.push("note: Google could not be asked; the file may be behind".into());
    }
    lines
}

fn hits(value: &Value) -> Vec<String> {
    let hits = list(value, "results");
    if hits.is_empty() {
        return vec!["nothing found among the mirrored items".into()];
    }
    hits.iter()
        .map(|hit| format!("{}\n    {} — {}", text(hit, "path"), text(hit, "title"), text(hit, "snippet")))
        .collect()
}

fn status(value: &Value) -> Vec<String> {
    let mut lines = vec![format!("workspace {}", text(value, "workspace"))];
    for account in list(value, "accounts") {
        let items = account.get("items").and_then(Value::as_u64).unwrap_or_default();
        lines.push(format!("{}: {items} items", text(account, "account")));
        let halted = text(account, "halted");
        if !halted.is_empty() {
            lines.push(format!("  halted: {halted}"));
        }
        for waiting in list(account, "waiting") {
            let what = match text(waiting, "path") {
                path if path.is_empty() => text(waiting, "id"),
                path => path,
            };
            lines.push(format!("  {} {what}: {}", text(waiting, "state"), text(waiting, "message")));
        }
    }
    lines
}

fn push(value: &Value, dry_run: bool) -> Vec<String> {
    let mut lines = vec![text(value, "message")];
    if dry_run {
        lines.extend(list(value, "requests").iter().map(ToString::to_string));
    }
    lines.extend(notices(value, "refused", "refused"));
    lines.extend(notices(value, "told", if dry_run { "would go with it" } else { "went with it" }));
    lines.extend(notices(value, "unsaid", "stays in the file alone"));
    lines.extend(notices(value, "holds", "held"));
    lines
}

fn notices(value: &Value, key: &str, word: &str) -> Vec<String> {
    let notices = list(value, key).iter();
    notices
        .map(|notice| match notice.get("line").and_then(Value::as_u64) {
            None | Some(0) => format!("{word}: {}", text(notice, "message")),
            Some(line) => format!("{word}: line {line}: {}", text(notice, "message")),
        })
        .collect()
}

fn list<'value>(value: &'value Value, key: &str) -> &'value [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns a text for the terminal: what documents say may hold control characters, which must not act on it.
fn text(value: &Value, key: &str) -> String {
    let raw = value.get(key).and_then(Value::as_str).unwrap_or_default();
    raw.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(command: &Command, value: &Value, expected: &[&str]) {
        assert_eq!(lines(command, value), expected);
    }

    #[test]
    fn reports_are_short() {
        let id = "x".to_owned();
        check(
            &Command::Fetch { id: id.clone(), refresh: false },
            &json!({ "parts": [{ "path": "/w/a.md" }, { "path": "/w/a.t.1.md" }], "stale": true,
                     "notices": [{ "line": 3, "message": "m" }] }),
            &["/w/a.md", "/w/a.t.1.md", "note: line 3: m", "note: Google could not be asked; the file may be behind"],
        );
        check(&Command::Status, &json!({ "workspace": "/w", "accounts": [] }), &["workspace /w"]);
        check(&Command::Diff { path: "/w/a.md".into() }, &json!({ "diff": "" }), &["no edits"]);
        check(
            &Command::Push { path: "/w/a.md".into(), accept: false, dry_run: true },
            &json!({ "message": "1 request", "requests": [{ "a": 1 }], "told": [{ "line": 4, "message": "t" }],
                     "holds": [{ "line": 0, "message": "h" }] }),
            &["1 request", "{\"a\":1}", "would go with it: line 4: t", "held: h"],
        );
    }

    #[test]
    fn a_document_cannot_steer_the_terminal() {
        check(&Command::Forget { id: "x".into() }, &json!({ "message": "a\u{1b}[2Jb" }), &["a\u{fffd}[2Jb"]);
    }
}
