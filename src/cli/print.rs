//! What a person reads. The only place besides `main` that writes to stdout and stderr.

use std::io::Write as _;

use serde_json::Value;

use crate::model::counted;
use crate::tools::{Command, ErrorAnswer};

/// Lines of what waits for a person that one screen shows of an account.
const YOURS_MAX: usize = 20;

/// Lines of what goes on by itself that it shows.
const BY_ITSELF_MAX: usize = 5;

/// Has a terminal show nothing, and writing begin at its top.
const CLEARED: &str = "\u{1b}[H\u{1b}[2J";

/// Writes one line to stdout. A reader that went away is no fault of the command.
pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        tracing::debug!("nobody reads stdout");
    }
}

/// Writes a piece of what is still being written, and ends no line.
pub(crate) fn piece(text: &str) {
    let mut out = std::io::stdout().lock();
    if write!(out, "{}", tame(text)).and_then(|()| out.flush()).is_err() {
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

/// Writes a line to stderr that a person is to act on before the command can end.
pub(crate) fn prompt(text: &str) {
    if writeln!(std::io::stderr().lock(), "{text}").is_err() {
        tracing::debug!("nobody reads stderr");
    }
}

/// Writes a remark to stderr.
pub(crate) fn note(text: &str) {
    if writeln!(std::io::stderr().lock(), "note: {text}").is_err() {
        tracing::debug!("nobody reads stderr");
    }
}

/// Puts a report in the place of all that the terminal shows.
pub(crate) fn screen(command: &Command, value: &Value) {
    line(&format!("{CLEARED}{}", lines(command, value).join("\n")));
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
        Command::Link { .. } => {
            let note = Some(text(value, "note")).filter(|note| !note.is_empty());
            let leads = format!("{} leads to {}", text(value, "path"), text(value, "target"));
            std::iter::once(leads).chain(note.map(|note| format!("note: {note}"))).collect()
        }
        Command::Search { .. } => hits(value),
        Command::Forget { .. }
        | Command::Resolve { .. }
        | Command::Comment { .. }
        | Command::Trash { .. }
        | Command::Pause { .. }
        | Command::AddRule { .. }
        | Command::EndRule { .. }
        | Command::Resume { .. } => {
            vec![text(value, "message")]
        }
        Command::Status => status(value),
        Command::Rules => rules(value),
        Command::Diff { .. } => match text(value, "diff") {
            diff if diff.is_empty() => vec!["no edits".into()],
            diff => {
                let note = Some(text(value, "note")).filter(|note| !note.is_empty());
                let diff = diff.trim_end_matches('\n').to_owned();
                std::iter::once(diff).chain(note.map(|note| format!("note: {note}"))).collect()
            }
        },
        Command::Push { dry_run, .. } => push(value, *dry_run),
        Command::Undo { .. } => push(value, false),
        Command::Log { .. } => match list(value, "lines") {
            [] => vec!["nothing was pushed or pulled yet".into()],
            lines => lines.iter().map(log_line).collect(),
        },
        Command::Doctor { .. } => doctor(value),
        Command::Ask { .. } => answer(value),
        Command::CheckNotebooks => vec![health(value)],
        Command::ReleaseNotebooks => Vec::new(),
    }
}

/// An answer, and what it cites.
fn answer(value: &Value) -> Vec<String> {
    std::iter::once(text(value, "answer").trim_end().to_owned()).chain(cited(value)).collect()
}

/// What an answer cites, below an empty line.
pub(crate) fn cited(value: &Value) -> Vec<String> {
    let cited = list(value, "citations").iter().map(|citation| {
        let number = citation.get("number").and_then(Value::as_u64).unwrap_or_default();
        let excerpt = text(citation, "excerpt").split_whitespace().collect::<Vec<_>>().join(" ");
        let says = if excerpt.is_empty() { excerpt } else { format!(": {excerpt}") };
        format!("[{number}] {}{says}", text(citation, "source_title"))
    });
    let cited: Vec<String> = cited.collect();
    let apart = (!cited.is_empty()).then(String::new);
    apart.into_iter().chain(cited).collect()
}

/// Whether notebooks can be asked.
fn health(value: &Value) -> String {
    let why = Some(text(value, "error")).filter(|error| !error.is_empty());
    let latency = value.get("latency_ms").and_then(Value::as_u64).unwrap_or_default();
    format!("{} ({latency} ms){}", text(value, "status"), why.map(|why| format!(": {why}")).unwrap_or_default())
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
    let mut lines: Vec<String> = list(value, "results").iter().map(hit).collect();
    if lines.is_empty() {
        lines.push("nothing found".into());
    }
    lines.extend(list(value, "told").iter().filter_map(Value::as_str).map(str::to_owned));
    if value["more"] == true {
        lines.push("There is more: see `--limit`.".into());
    }
    lines
}

/// What is not mirrored is named by what `fetch` takes.
fn hit(hit: &Value) -> String {
    let path = text(hit, "path");
    let place = if path.is_empty() { format!("{} (not mirrored)", text(hit, "url")) } else { path };
    format!("{place}\n    {} — {}", text(hit, "title"), text(hit, "snippet"))
}

fn status(value: &Value) -> Vec<String> {
    let mut lines = vec![format!("workspace {}", text(value, "workspace"))];
    for account in list(value, "accounts") {
        let mode = text(account, "mode");
        let mirrored = if mode == "mirror" { ", only mirrored" } else { "" };
        let items = usize::try_from(count(account, "items")).unwrap_or(usize::MAX);
        let is_mail = text(account, "feed") == "gmail";
        let what = counted(items, if is_mail { "thread" } else { "item" });
        // Of mail that nobody fetched there is nothing to say, nor what is said of the documents of the account.
        let tells_as_much = |other: &Value| {
            let is_same = |key: &str| text(other, key) == text(account, key);
            text(other, "feed") != "gmail" && is_same("account") && is_same("halted")
        };
        let is_told = text(account, "halted").is_empty() || list(value, "accounts").iter().any(tells_as_much);
        let has_nothing = items == 0 && list(account, "rules").is_empty() && list(account, "waiting").is_empty();
        if is_mail && has_nothing && is_told {
            continue;
        }
        let of_mail = if is_mail { " of mail" } else { "" };
        lines.push(format!("{}: {what}{of_mail}{mirrored}", text(account, "account")));
        let halted = text(account, "halted");
        if !halted.is_empty() {
            lines.push(format!("  halted: {halted}"));
        }
        lines.extend(queue(account));
        lines.extend(list(account, "rules").iter().map(|told| format!("  {}", rule(told))));
        lines.extend(waiting(list(account, "waiting")));
        lines.extend(list(account, "lately").iter().map(|line| format!("  {}", log_line(line))));
    }
    lines
}

/// Says what is mirrored by itself.
fn rules(value: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for account in list(value, "accounts") {
        let told = list(account, "rules").iter();
        lines.extend(told.map(|told| format!("{}: {}", text(account, "account"), rule(told))));
    }
    if lines.is_empty() {
        lines.push("no rules: mail is mirrored as it is fetched; `mcp-workspace rules add` makes one".into());
    }
    lines
}

/// Says what a rule names, and how far it is.
fn rule(told: &Value) -> String {
    let mut words = vec![format!("rule {}, {}", count(told, "number"), text(told, "what"))];
    let (left, named) = (count(told, "left"), count(told, "named"));
    match (left, told.get("whole").and_then(Value::as_bool)) {
        (0, Some(true)) => words.push("all of it is here".into()),
        (0, _) => words.push("being listed".into()),
        (left, _) => words.push(format!("{left} of {named} to be fetched")),
    }
    if let Some(left) = told.get("left_s").and_then(Value::as_u64).filter(|_| left > 0) {
        words.push(format!("about {} left", duration(left)));
    }
    if let passed @ 1.. = count(told, "passed") {
        words.push(format!("{passed} could not be had"));
    }
    match text(told, "trouble") {
        trouble if trouble.is_empty() => words.join("; "),
        trouble => format!("{}; it waits: {trouble}", words.join("; ")),
    }
}

/// Says what waits, on one screen: first what waits for a person, then what goes on by itself.
fn waiting(all: &[Value]) -> Vec<String> {
    let goes_on = |waiting: &&Value| matches!(text(waiting, "state").as_str(), "pending" | "retrying");
    let told = |waiting: &Value| {
        let what = match text(waiting, "path") {
            path if path.is_empty() => text(waiting, "id"),
            path => path,
        };
        format!("  {} {what}: {}", text(waiting, "state"), text(waiting, "message"))
    };
    let (by_itself, yours): (Vec<&Value>, Vec<&Value>) = all.iter().partition(goes_on);
    let mut lines = Vec::new();
    for (some, most, what) in [(yours, YOURS_MAX, "wait for you"), (by_itself, BY_ITSELF_MAX, "go on by themselves")] {
        lines.extend(some.iter().take(most).map(|waiting| told(waiting)));
        if let Some(more) = some.len().checked_sub(most).filter(|more| *more > 0) {
            lines.push(format!("  and {more} more that {what}; `mcp-workspace status --json` has all"));
        }
    }
    lines
}

/// Says what is to be done for an account, and when it looks for changes.
fn queue(account: &Value) -> Option<String> {
    let queue = account.get("queue")?;
    let mut words = Vec::new();
    for (key, what) in [("working", "at work"), ("waiting", "in the queue"), ("yours", "waiting for you")] {
        match count(queue, key) {
            0 => {}
            count => words.push(format!("{count} {what}")),
        }
    }
    if let Some(left) = queue.get("left_s").and_then(Value::as_u64) {
        words.push(format!("about {} left", duration(left)));
    }
    if let Some(quota) = account.get("quota") {
        let left = |sort: &str| {
            format!("{} of {}", count(quota, &format!("{sort}_left")), count(quota, &format!("{sort}_limit")))
        };
        words.push(format!("{} reads and {} pushes left this minute", left("reads"), left("writes")));
    }
    if let Some(wait) = account.get("next_poll_s").and_then(Value::as_u64) {
        words.push(format!("next look for changes in {}", duration(wait)));
    }
    (!words.is_empty()).then(|| format!("  {}", words.join(", ")))
}

/// Writes seconds as a person says them.
pub(crate) fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

fn log_line(line: &Value) -> String {
    let push = line.get("push").and_then(Value::as_i64).map(|push| format!(" {push}")).unwrap_or_default();
    let name = match text(line, "title") {
        title if title.is_empty() => text(line, "id"),
        title => title,
    };
    let tab = text(line, "tab");
    let told = match text(line, "what").as_str() {
        "retired" => {
            "is gone; what stood of it here was moved to .retired, and comes back with the document".to_owned()
        }
        "tab-gone" => {
            let tab = if tab.is_empty() { "the main tab".to_owned() } else { format!("its tab \"{tab}\"") };
            format!("has lost {tab}; what stood of it here was moved to .retired")
        }
        "forgotten" => {
            "was forgotten; what stood of it here was moved to .retired, and `fetch` mirrors it again".to_owned()
        }
        "returned" => "is there again, and so is its file".to_owned(),
        _ => String::new(),
    };
    if !told.is_empty() {
        return format!("{} {}: \"{name}\" {told}", text(line, "at"), text(line, "what"));
    }
    let tab = if tab.is_empty() { tab } else { format!(", tab \"{tab}\"") };
    let words = format!("+{} -{} words", count(line, "words_added"), count(line, "words_removed"));
    format!("{} {}{push}: {words} in \"{name}\"{tab}", text(line, "at"), text(line, "what"))
}

fn doctor(value: &Value) -> Vec<String> {
    let findings = list(value, "findings");
    if findings.is_empty() {
        return vec!["all is as it should be".into()];
    }
    let told = |finding: &Value| {
        let what = match (text(finding, "path"), text(finding, "account")) {
            (path, account) if path.is_empty() && account.is_empty() => String::new(),
            (path, account) if path.is_empty() => format!("{account}: "),
            (path, _) => format!("{path}: "),
        };
        let word = match text(finding, "repair").as_str() {
            "note" => "note",
            "done" => "mended",
            _ => "problem",
        };
        let mut told = vec![format!("{word}: {what}{} ({})", text(finding, "message"), text(finding, "check"))];
        if word != "mended" {
            told.push(format!("    {}", text(finding, "fix")));
        }
        told
    };
    findings.iter().flat_map(told).collect()
}

fn count(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or_default()
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
    tame(value.get(key).and_then(Value::as_str).unwrap_or_default())
}

/// Takes from a text what a terminal would obey.
fn tame(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
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
        check(
            &Command::Status,
            &json!({ "workspace": "/w", "accounts": [{
                "account": "a@b", "mode": "mirror", "items": 3, "halted": "", "next_poll_s": 12,
                "queue": { "waiting": 200, "working": 4, "yours": 0, "left_s": 200 },
                "waiting": [{ "id": "x", "path": "/w/a.md", "state": "held", "message": "m" }],
                "lately": [{ "at": "T", "what": "push", "push": 7, "id": "x", "title": "A", "words_added": 2, "words_removed": 1 }],
            }] }),
            &[
                "workspace /w",
                "a@b: 3 items, only mirrored",
                "  4 at work, 200 in the queue, about 4 min left, next look for changes in 12 s",
                "  held /w/a.md: m",
                "  T push 7: +2 -1 words in \"A\"",
            ],
        );
        let mail = |items: u64| {
            json!({ "account": "a@b", "feed": "gmail", "mode": "two-way", "items": items, "halted": "", "waiting": [], "lately": [],
                    "queue": { "waiting": 0, "working": 0, "yours": 0 } })
        };
        check(
            &Command::Status,
            &json!({ "workspace": "/w", "accounts": [mail(0), mail(2)] }),
            &["workspace /w", "a@b: 2 threads of mail"],
        );
        let paused = |feed: &str| {
            let mut account = mail(0);
            (account["feed"], account["halted"]) = (json!(feed), json!("the account is paused. Resume it."));
            account
        };
        let halts = "  halted: the account is paused. Resume it.";
        for (accounts, shown) in [
            (json!([paused("documents"), paused("gmail")]), vec!["workspace /w", "a@b: 0 items", halts]),
            (json!([paused("gmail")]), vec!["workspace /w", "a@b: 0 threads of mail", halts]),
        ] {
            check(&Command::Status, &json!({ "workspace": "/w", "accounts": accounts }), &shown);
        }
        let waits = |state: &str| json!({ "id": "x", "state": state, "message": "m" });
        let mut many: Vec<Value> = (0..7).map(|_| waits("pending")).collect();
        many.push(waits("conflict"));
        assert_eq!(
            waiting(&many),
            [
                &["  conflict x: m"][..],
                &["  pending x: m"; 5],
                &["  and 2 more that go on by themselves; `mcp-workspace status --json` has all"],
            ]
            .concat()
        );
        check(
            &Command::Log { id: None, limit: 1 },
            &json!({ "lines": [{ "at": "T", "what": "pull", "id": "x", "title": "", "words_added": 0, "words_removed": 0 }] }),
            &["T pull: +0 -0 words in \"x\""],
        );
        check(
            &Command::Log { id: None, limit: 1 },
            &json!({ "lines": [
                { "at": "T", "what": "pull", "id": "x", "title": "A", "tab": "B", "words_added": 1, "words_removed": 0 },
                { "at": "T", "what": "returned", "id": "x", "title": "A" },
                { "at": "T", "what": "tab-gone", "id": "x", "title": "A", "tab": "B" },
            ] }),
            &[
                "T pull: +1 -0 words in \"A\", tab \"B\"",
                "T returned: \"A\" is there again, and so is its file",
                "T tab-gone: \"A\" has lost its tab \"B\"; what stood of it here was moved to .retired",
            ],
        );
        let finding = |repair: &str| json!({ "account": "a@b", "check": "file", "path": "/w/a.md", "message": "m", "fix": "F.", "repair": repair });
        check(
            &Command::Doctor { repair: false, remote: 1 },
            &json!({ "findings": [finding("offered"), finding("done"), finding("note")] }),
            &["problem: /w/a.md: m (file)", "    F.", "mended: /w/a.md: m (file)", "note: /w/a.md: m (file)", "    F."],
        );
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
