//! Which text becomes which text.

use std::path::Path;

use serde_json::json;

use super::*;

fn entry() -> Entry {
    Entry {
        name: "mcp-workspace".into(),
        command: "/p/mcp-workspace".into(),
        args: vec!["bridge".into()],
        env: Vec::new(),
    }
}

fn target(client: Client) -> Target<'static> {
    Target { client, file: Path::new("/c/mcp.json") }
}

/// Expects a text with our entry, the same text when it is put in once more, and, when it was not there before, the first
/// text but for white space when it is taken out.
#[track_caller]
fn check(client: Client, before: &str, after: &str) {
    let Edit::Changed { text, was } = target(client).put(before, &entry(), false).unwrap() else {
        panic!("nothing changed: {before}")
    };
    assert_eq!(text, after, "\n{text}");
    assert_eq!(target(client).put(&text, &entry(), false).unwrap(), Edit::Same, "a second time");
    let Edit::Changed { text: out, was: taken } = target(client).take(&text, "mcp-workspace", false).unwrap() else {
        panic!("it is not taken out: {text}")
    };
    assert!(taken.is_some() && !out.contains("mcp-workspace"), "{out}");
    assert_eq!(target(client).take(&out, "mcp-workspace", false).unwrap(), Edit::Same, "a second time");
    if was.is_none() && before.contains(client.section()) {
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect::<String>();
        assert_eq!(bare(&out), bare(before), "what was put in was taken out");
    }
}

#[track_caller]
fn check_refused(client: Client, text: &str, expected: &str) {
    let error = target(client).put(text, &entry(), false).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
    assert!(error.to_string().contains("/c/mcp.json"), "{error}");
    assert!(error.suggestion().contains("mcp-workspace"), "{}", error.suggestion());
}

#[test]
fn a_new_file_holds_our_entry_alone() {
    let vscode = "{\n  \"servers\": {\n    \"mcp-workspace\": {\n      \"type\": \"stdio\",\n      \"command\": \
                  \"/p/mcp-workspace\",\n      \"args\": [\"bridge\"]\n    }\n  }\n}\n";
    check(Client::VsCode, "", vscode);
    check(Client::VsCode, "\n", vscode);
    let cursor = "{\n  \"mcpServers\": {\n    \"mcp-workspace\": {\n      \"command\": \"/p/mcp-workspace\",\n      \
                  \"args\": [\"bridge\"]\n    }\n  }\n}\n";
    check(Client::Cursor, "", cursor);
    check(Client::ClaudeDesktop, "", cursor);
}

/// `ENTRY` stands for our entry with three more tabs, or six more blanks.
const TABBED: &str =
    "\"mcp-workspace\": {\n\t\t\t\"command\": \"/p/mcp-workspace\",\n\t\t\t\"args\": [\"bridge\"]\n\t\t}";
const SPACED: &str =
    "\"mcp-workspace\": {\n      \"command\": \"/p/mcp-workspace\",\n      \"args\": [\"bridge\"]\n    }";

#[test]
fn what_stands_there_stays() {
    let cases = [
        // An empty object, with a member of another kind, and an empty section.
        ("{}", "{\n  \"mcpServers\": {\n    ENTRY\n  }\n}"),
        ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"mcpServers\": {\n    ENTRY\n  }\n}\n"),
        ("{\n  \"mcpServers\": {}\n}\n", "{\n  \"mcpServers\": {\n    ENTRY\n  }\n}\n"),
        // Another entry, written in its own way.
        (
            "{\n  \"mcpServers\": {\n    \"b\":   {\"command\":\"x\",\"args\":[ ]}\n  }\n}\n",
            "{\n  \"mcpServers\": {\n    \"b\":   {\"command\":\"x\",\"args\":[ ]},\n    ENTRY\n  }\n}\n",
        ),
        // Comments in every place.
        (
            "// top\n{\n  /* in */\n  \"mcpServers\": { // open\n    \"b\": {}, // b\n    // last\n  } // close\n  // end\n}\n// bottom\n",
            "// top\n{\n  /* in */\n  \"mcpServers\": { // open\n    \"b\": {}, // b\n    ENDED,\n    // last\n  } // close\n  // end\n}\n// bottom\n",
        ),
        ("// only words\n", "// only words\n{\n  \"mcpServers\": {\n    ENTRY\n  }\n}\n"),
    ];
    for (before, after) in cases {
        let after = after.replace("ENTRY", SPACED).replace("ENDED", &trailing(SPACED));
        check(Client::Cursor, before, &after);
        // What has no line end yet gets plain ones.
        if before.contains('\n') {
            let windows = |text: &str| text.replace('\n', "\r\n");
            check(Client::Cursor, &windows(before), &windows(&after));
        }
        let marked = format!("\u{feff}{before}");
        check(Client::Cursor, &marked, &format!("\u{feff}{after}"));
    }
}

#[test]
fn indentation_and_commas_follow_the_file() {
    check(
        Client::Cursor,
        "{\n\t\"mcpServers\": {\n\t\t\"b\": {},\n\t},\n}\n",
        &format!("{{\n\t\"mcpServers\": {{\n\t\t\"b\": {{}},\n\t\t{},\n\t}},\n}}\n", trailing(TABBED)),
    );
    check(
        Client::Cursor,
        "{\"mcpServers\":{\"b\":{}}}",
        &format!("{{\"mcpServers\":{{\n    \"b\":{{}},\n    {SPACED}\n  }}}}"),
    );
}

/// The same entry in a file that ends its objects with a comma.
fn trailing(entry: &str) -> String {
    entry.replace("[\"bridge\"]\n", "[\"bridge\"],\n")
}

#[test]
fn an_entry_of_ours_follows_and_keeps_what_else_it_says() {
    let before = "{\n  \"mcpServers\": {\n    \"mcp-workspace\": {\n      \"command\": \"/old/mcp-workspace\", // here\n      \
                  \"args\": [\"--home\", \"/h\", \"bridge\"],\n      \"disabled\": true,\n      \"env\": { \"A\": \"1\" }\n    }\n  }\n}\n";
    let after = before.replace("/old/", "/p/").replace("\"--home\", \"/h\", ", "");
    check(Client::Cursor, before, &after);
    let wanted = Entry { env: vec![("XDG_DATA_HOME".into(), "/d".into())], ..entry() };
    let Edit::Changed { text, was } = target(Client::Cursor).put(before, &wanted, false).unwrap() else {
        panic!("it follows")
    };
    assert_eq!(was.unwrap()["command"], "/old/mcp-workspace");
    let now: serde_json::Value = kept::entry(&text, "mcpServers", "mcp-workspace").unwrap();
    assert_eq!(now["env"], json!({ "A": "1", "XDG_DATA_HOME": "/d" }), "{text}");
    assert_eq!(now["disabled"], true);
    assert!(text.contains("// here"));
    assert_eq!(target(Client::Cursor).put(&text, &wanted, false).unwrap(), Edit::Same);
}

#[test]
fn an_entry_of_somebody_else_gives_way_to_force_alone() {
    for foreign in [
        "{\"command\": \"docker\", \"args\": [\"run\"]}",
        "{\"url\": \"https://example.com\"}",
        "{\"command\": \"/p/mcp-workspace\", \"args\": [\"status\"]}",
        "7",
    ] {
        let text =
            format!("{{\n  \"mcpServers\": {{\n    \"mcp-workspace\": {foreign}, // x\n    \"b\": {{}}\n  }}\n}}\n");
        let cursor = target(Client::Cursor);
        let error = cursor.put(&text, &entry(), false).unwrap_err();
        assert!(error.suggestion().contains("--force"), "{error}");
        assert!(cursor.take(&text, "mcp-workspace", false).unwrap_err().suggestion().contains("--force"));
        let Edit::Changed { text: new, was } = cursor.put(&text, &entry(), true).unwrap() else { panic!("replaced") };
        assert!(was.is_some() && new.contains(SPACED) && new.contains("\"b\": {}"), "{new}");
        let Edit::Changed { text: out, .. } = cursor.take(&text, "mcp-workspace", true).unwrap() else {
            panic!("taken out")
        };
        assert_eq!(out, "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n");
    }
}

#[test]
fn what_cannot_be_edited_without_harm_is_refused() {
    for (text, expected) in [
        ("{", "not valid JSON (line 1, column 1"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "not valid JSON (line 2"),
        ("{'a': 1}", "not valid JSON"),
        ("{a: 1}", "not valid JSON"),
        ("{} {}", "not valid JSON"),
        ("nonsense", "not valid JSON"),
        ("[]", "not hold a JSON object"),
        ("null", "not hold a JSON object"),
        ("{\"mcpServers\": []}", "not an object"),
        ("{\"mcpServers\": null}", "not an object"),
        ("{\"mcpServers\": {}, \"mcpServers\": {}}", "twice"),
        ("{\"mcpServers\": {}, \"mcp\\u0053ervers\": {}}", "twice"),
        ("{\"mcpServers\": {\"mcp-workspace\": {}, \"mcp-workspace\": {}}}", "twice"),
        (
            "{\"mcpServers\": {\"mcp-workspace\": {\"command\": \"/p/mcp-workspace\", \"args\": [\"serve\"], \"args\": [\"serve\"]}}}",
            "twice",
        ),
    ] {
        check_refused(Client::Cursor, text, expected);
    }
    check_refused(Client::Cursor, &"[".repeat(100_000), "not valid JSON");
    check_refused(Client::Cursor, &"{\"a\":".repeat(100_000), "not valid JSON");
}

#[test]
fn a_loss_is_seen() {
    let old = "{\n  // c\n  \"mcpServers\": {\n    \"b\": {\"x\": 1},\n    \"ours\": {} // o\n  },\n  \"d\": 2\n}\n";
    for (from, to, kept_all) in [
        ("", "", true),
        ("\n", "\r\n", true),
        ("    \"b\"", "\t\"b\"", true),
        ("\"ours\": {}", "\"ours\": {\"command\": \"y\"}", true),
        (",\n    \"ours\": {} // o", "", true),
        ("// c", "", false),
        ("\"x\": 1", "\"x\":1", false),
        ("\"x\": 1", "\"x\": 1.0", false),
        (",\n  \"d\": 2", "", false),
        ("\"b\"", "\"c\"", false),
        ("\"d\"", "d", false),
    ] {
        let new = if from.is_empty() { old.to_owned() } else { old.replace(from, to) };
        assert_eq!(kept::all_else(old, &new, "mcpServers", "ours"), kept_all, "{from:?} {to:?}");
    }
}

#[test]
fn files_stand_where_clients_look() {
    let linux = Folders { home: "/home/ana".into(), config: "/home/ana/.config".into(), claude: None };
    let mac = Folders {
        home: "/Users/ana".into(),
        config: "/Users/ana/Library/Application Support".into(),
        claude: Some("/c".into()),
    };
    for (client, on_linux, on_mac) in [
        (Client::ClaudeCode, "/home/ana/.claude.json", "/c/.claude.json"),
        (
            Client::ClaudeDesktop,
            "/home/ana/.config/Claude/claude_desktop_config.json",
            "/Users/ana/Library/Application Support/Claude/claude_desktop_config.json",
        ),
        (Client::Cursor, "/home/ana/.cursor/mcp.json", "/Users/ana/.cursor/mcp.json"),
        (
            Client::VsCode,
            "/home/ana/.config/Code/User/mcp.json",
            "/Users/ana/Library/Application Support/Code/User/mcp.json",
        ),
    ] {
        assert_eq!(client.config_file(&linux), PathBuf::from(on_linux));
        assert_eq!(client.config_file(&mac), PathBuf::from(on_mac));
        assert_eq!(client.name().parse(), Ok(client));
    }
    assert!("emacs".parse::<Client>().unwrap_err().contains("claude-code, claude-desktop, cursor, vscode"));
}

#[test]
fn claude_code_is_told_in_its_own_words() {
    let entry = Entry { env: vec![("A".into(), "b c".into())], ..entry() };
    assert_eq!(
        add_arguments(&entry),
        ["mcp", "add", "--scope", "user", "mcp-workspace", "--env", "A=b c", "--", "/p/mcp-workspace", "bridge"]
    );
    assert_eq!(remove_arguments("x"), ["mcp", "remove", "--scope", "user", "x"]);
    let settings = Access { workspace: "/w" }.settings();
    assert_eq!(settings["permissions"]["additionalDirectories"], json!(["/w"]));
    assert_eq!(settings["permissions"]["allow"], json!(["Read(//w/**)", "Edit(//w/**)"]));
}
