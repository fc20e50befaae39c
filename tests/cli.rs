//! The program as people and scripts run it, where no daemon is needed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn run(home: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
        .arg("--home")
        .arg(home)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    // A program that ends without reading its input is no fault.
    drop(stdin.write_all(input.as_bytes()));
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

/// Expects an exit code, and with `--json` an error of a kind on stdout.
fn check(arguments: &[&str], code: i32, kind: &str) {
    let home = tempfile::tempdir().expect("a folder");
    let human = run(home.path(), arguments, "");
    assert_eq!(human.status.code(), Some(code), "{arguments:?}");
    assert!(human.stdout.is_empty(), "{arguments:?}: errors go to stderr");
    assert!(String::from_utf8_lossy(&human.stderr).contains("error: "), "{arguments:?}");
    let json = run(home.path(), &[arguments, &["--json"]].concat(), "");
    assert_eq!(json.status.code(), Some(code), "{arguments:?} --json");
    let answer: Value = serde_json::from_slice(&json.stdout).expect("JSON on stdout");
    assert_eq!(answer["kind"], kind, "{arguments:?}: {answer}");
    for key in ["error", "message", "retryable", "suggestion"] {
        assert!(answer.get(key).is_some_and(|value| value != ""), "{arguments:?}: {key} in {answer}");
    }
}

#[test]
fn errors_have_exit_codes_and_json() {
    check(&["status"], 1, "daemon");
    check(&["fetch", "x"], 1, "daemon");
    check(&["push", "x.md", "--dry-run"], 1, "daemon");
    check(&["create", "--title", "T", "no-such-file.md"], 1, "storage_error");
    check(&["fetch"], 2, "invalid_input");
    check(&["dance"], 2, "invalid_input");
    check(&["resolve", "x.md"], 2, "invalid_input");
    check(&["resolve", "x.md", "--mine", "--theirs"], 2, "invalid_input");
    check(&["search", "x", "--limit", "0"], 2, "invalid_input");
    check(&["emulator", "--listen", "192.0.2.1:0"], 1, "invalid_input");
}

#[test]
fn what_is_missing_is_named_in_json_too() {
    let home = tempfile::tempdir().expect("a folder");
    for (verb, missing) in [("push", "<FILE>"), ("undo", "<PUSH>"), ("fetch", "<ID>"), ("trash", "<ITEM>")] {
        let output = run(home.path(), &[verb, "--json"], "");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON on stdout");
        let message = answer["message"].as_str().expect("a message");
        assert!(message.ends_with(&format!(": {missing}")), "{message}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let home = tempfile::tempdir().expect("a folder");
    for arguments in [["--help"], ["--version"]] {
        let output = run(home.path(), &arguments, "");
        assert_eq!(output.status.code(), Some(0));
        assert!(!output.stdout.is_empty() && output.stderr.is_empty());
    }
}

#[test]
fn a_home_that_is_too_long_is_refused_with_advice() {
    let long = Path::new("/nowhere").join("x".repeat(120));
    let output = run(&long, &["status", "--json"], "");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON on stdout");
    assert!(answer["suggestion"].as_str().is_some_and(|text| text.contains("shorter")), "{answer}");
}

/// A demo's home has no daemon of its own to start, so the bridge must say so in MCP and nothing else.
#[test]
fn a_bridge_without_a_daemon_answers_in_mcp() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(home.path().join("state")).expect("a folder");
    std::fs::write(home.path().join("state/demo.json"), "{}").expect("a file");
    let input = "\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"initialize\",\"params\":{}}\n\
                 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\nnonsense\n";
    let output = run(home.path(), &["bridge"], input);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let [answer, unread] = &answers[..] else { panic!("{text}") };
    assert_eq!((&unread["id"], &unread["error"]["code"]), (&Value::Null, &Value::from(-32700)));
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::from(7), &Value::from(-32000)));
    assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains("demo")), "{answer}");
}

#[test]
fn a_demo_leaves_a_home_in_use_alone() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(home.path().join("config")).expect("a folder");
    std::fs::write(home.path().join("config/config.toml"), "poll_ms = 7\n").expect("a file");
    let output = run(home.path(), &["demo", "--json"], "");
    assert_eq!(output.status.code(), Some(1));
    let kept = std::fs::read_to_string(home.path().join("config/config.toml")).expect("the file");
    assert_eq!(kept, "poll_ms = 7\n");
}

#[test]
fn the_config_file_is_looked_at() {
    let home = tempfile::tempdir().expect("a folder");
    let check = |code: i32, expected: &str| {
        let output = run(home.path(), &["config", "check", "--json"], "");
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(expected), "{said}");
    };
    check(0, "\"exists\":false");
    let said = run(home.path(), &["config", "path"], "").stdout;
    let path = String::from_utf8(said).expect("UTF-8");
    let file = Path::new(path.trim());
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(file, "[[accounts]]\nemail = 'a@b.c'\nmode = 'mirror'\nbearer = 'hush'\n").expect("a file");
    check(0, r#""accounts":[{"account":"a@b.c","mail":true,"mode":"mirror"}]"#);
    std::fs::write(file, "[[accounts]]\nemail = 'a@b.c'\nbearer = 'hush' 'hush'\n").expect("a file");
    check(1, "line 3, column 17");
    assert!(!String::from_utf8_lossy(&run(home.path(), &["config", "check"], "").stderr).contains("hush"));
}

#[test]
fn shells_and_readers_of_manuals_are_served() {
    let home = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish"] {
        let output = run(home.path(), &["completions", shell], "");
        let script = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success() && script.contains("resolve") && script.contains("uninstall"), "{shell}");
        // A shell that is here takes it.
        let mut checked = Command::new(shell);
        checked.arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped());
        if let Ok(mut child) = checked.spawn() {
            child.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("it reads");
            let output = child.wait_with_output().expect("it ends");
            assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    let pages = home.path().join("man");
    assert!(run(home.path(), &["man", pages.to_str().expect("UTF-8")], "").status.success());
    for (page, says) in [("mcp-workspace.1", "SUBCOMMANDS"), ("mcp-workspace-service-install.1", "strict")] {
        let text = std::fs::read_to_string(pages.join(page)).expect("a page");
        assert!(text.contains(says), "{page}: {text}");
    }
}

/// What is wrong around a daemon is told though none answers, and each finding says what to do.
#[test]
fn a_doctor_needs_no_daemon() {
    let home = tempfile::tempdir().expect("a folder");
    let findings = |expected: &[&str]| {
        let told = run(home.path(), &["doctor", "--json"], "");
        assert_eq!(told.status.code(), Some(1));
        let told: Value = serde_json::from_slice(&told.stdout).expect("JSON on stdout");
        let findings = told["findings"].as_array().expect("findings").clone();
        let checks: Vec<&str> = findings.iter().filter_map(|finding| finding["check"].as_str()).collect();
        assert_eq!((checks.as_slice(), &told["waits"]), (expected, &Value::Bool(true)), "{told}");
        assert!(findings.iter().all(|finding| finding["fix"].as_str().is_some_and(|fix| !fix.is_empty())), "{told}");
        findings
    };
    findings(&["socket", "sign-in"]);
    // Nobody listens at the first port.
    let there = "http://127.0.0.1:1";
    let config =
        format!("[[accounts]]\nemail = 'a@b.c'\n[endpoints]\ndocs = '{there}'\ndrive = '{there}'\ntoken = '{there}'\n");
    std::fs::create_dir_all(home.path().join("config")).expect("a folder");
    std::fs::write(home.path().join("config/config.toml"), config).expect("a file");
    findings(&["socket", "network"]);
    let human = run(home.path(), &["doctor"], "");
    let human = String::from_utf8_lossy(&human.stdout).into_owned();
    assert!(human.starts_with("problem: no daemon answers") && human.contains("    Run `"), "{human}");
    // One that answers is asked for the time, and then for the account.
    let mut google = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
        .args(["emulator", "--listen", "127.0.0.1:0", "--token", "t", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(google.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
    let told: Value = serde_json::from_str(&line).expect("JSON");
    let there = told["url"].as_str().expect("a URL");
    let config =
        format!("[[accounts]]\nemail = 'a@b.c'\n[endpoints]\ndocs = '{there}'\ndrive = '{there}'\ntoken = '{there}'\n");
    std::fs::write(home.path().join("config/config.toml"), config).expect("a file");
    let found = std::panic::catch_unwind(|| findings(&["socket", "sign-in"]));
    google.kill().and_then(|()| google.wait()).expect("it ran");
    let found = found.expect("the findings");
    assert_eq!(found[1]["account"], "a@b.c", "{found:?}");
}
