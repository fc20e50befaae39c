//! `mcp install` and `mcp uninstall` on real files.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A user with a home folder of their own.
struct User {
    home: tempfile::TempDir,
}

impl User {
    fn new() -> Self {
        Self { home: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"));
        command.args(arguments).env("HOME", self.home.path()).env("PATH", self.path("bin"));
        for variable in
            ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "MCP_WORKSPACE_HOME", "CLAUDE_CONFIG_DIR"]
        {
            command.env_remove(variable);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    /// Expects success and returns the report.
    fn done(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        serde_json::from_slice(&output.stdout).expect("JSON on stdout")
    }

    /// Expects an error and returns it.
    fn refused(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
        serde_json::from_slice(&output.stdout).expect("JSON on stdout")
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    /// Puts a program `claude` into PATH that does to its config what the real one does, as far as we ask for it.
    fn with_claude(&self, script: &str) {
        let program = self.write("bin/claude", script);
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("a program");
    }
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-workspace");
const CURSOR: &str = ".cursor/mcp.json";

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

fn value(path: &Path) -> Value {
    serde_json::from_str(&read(path)).expect("JSON")
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn each_client_gets_what_it_reads() {
    let program = fs::canonicalize(PROGRAM).expect("the program");
    // macOS keeps config elsewhere; where, the tests of the room `clients` look up.
    let config = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    for (client, file, section) in [
        ("claude-desktop", format!("{config}/Claude/claude_desktop_config.json"), "mcpServers"),
        ("cursor", CURSOR.to_owned(), "mcpServers"),
        ("vscode", format!("{config}/Code/User/mcp.json"), "servers"),
    ] {
        let user = User::new();
        let file = user.path(&file);
        let report = user.done(&["mcp", "install", client]);
        assert_eq!((&report["done"], &report["file"]), (&json!("installed"), &json!(file)));
        let entry = &value(&file)[section]["mcp-workspace"];
        assert_eq!((&entry["command"], &entry["args"]), (&json!(program), &json!(["bridge"])));
        assert_eq!(entry.get("type").is_some(), client == "vscode", "{entry}");
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);

        let text = read(&file);
        let again = user.done(&["mcp", "install", client]);
        assert_eq!((&again["done"], &again["backup"]), (&json!("unchanged"), &Value::Null));
        assert_eq!(read(&file), text);
        assert_eq!(names(file.parent().expect("a folder")).len(), 1, "no backup of nothing, nothing left over");

        let home = user.path("h");
        let home = home.to_str().expect("UTF-8");
        let docs = user.done(&["mcp", "install", client, "--profile", "docs", "--home", home]);
        assert_eq!(docs["name"], "mcp-workspace-docs");
        let args = json!(["--home", home, "bridge", "--profile", "docs"]);
        assert_eq!(value(&file)[section]["mcp-workspace-docs"]["args"], args);
        let report = user.done(&["mcp", "install", client, "--home", home]);
        assert_eq!((&report["done"], &report["was"]["args"]), (&json!("updated"), &json!(["bridge"])));

        assert_eq!(user.done(&["mcp", "uninstall", client])["done"], "removed");
        assert_eq!(user.done(&["mcp", "uninstall", client])["done"], "not there");
        assert_eq!(value(&file)[section].as_object().map(serde_json::Map::len), Some(1), "the other one stays");
    }
}

#[test]
fn printing_writes_nothing() {
    let user = User::new();
    for client in ["claude-code", "claude-desktop", "cursor", "vscode"] {
        let report = user.done(&["mcp", "install", client, "--print"]);
        let snippet: Value = serde_json::from_str(report["snippet"].as_str().expect("a snippet")).expect("JSON");
        let section = if client == "vscode" { "servers" } else { "mcpServers" };
        assert_eq!(snippet[section]["mcp-workspace"], report["entry"]);
        let human = user.run(&["mcp", "install", client, "--print"]);
        let text = String::from_utf8(human.stdout).expect("UTF-8");
        assert!(text.contains(report["file"].as_str().expect("a file")) && text.contains(section), "{text}");
    }
    assert!(names(user.home.path()).is_empty(), "{:?}", names(user.home.path()));
}

#[test]
fn what_the_places_depend_on_goes_with_the_entry() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let user = User::new();
    let mut command = user.command(&["mcp", "install", "cursor", "--json"]);
    let usual = user.path(".config");
    let output = command.env("XDG_DATA_HOME", "/elsewhere").env("XDG_CONFIG_HOME", usual).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        value(&user.path(CURSOR))["mcpServers"]["mcp-workspace"]["env"],
        json!({ "XDG_DATA_HOME": "/elsewhere" })
    );
    let mut command = user.command(&["mcp", "install", "cursor", "--profile", "docs", "--json"]);
    assert!(command.env("MCP_WORKSPACE_HOME", "/h").output().expect("it runs").status.success());
    let docs = &value(&user.path(CURSOR))["mcpServers"]["mcp-workspace-docs"];
    assert_eq!((&docs["args"][1], docs.get("env")), (&json!("/h"), None));
}

#[test]
fn a_filled_config_keeps_what_it_has_and_gets_a_backup() {
    let user = User::new();
    let before = "{\r\n\t// mine\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\":  \"x\"},\r\n\t},\r\n}\r\n";
    let file = user.write(CURSOR, before);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("a mode");
    let report = user.done(&["mcp", "install", "cursor"]);
    let text = read(&file);
    assert!(
        text.contains("\t// mine\r\n") && text.contains("\"a\": {\"command\":  \"x\"},\r\n\t\t\"mcp-workspace\""),
        "{text}"
    );
    assert!(!text.replace("\r\n", "").contains('\n'), "line ends stay as they were");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o640);
    let backup = file.with_file_name("mcp.json.bak");
    assert_eq!(report["backup"], json!(backup));
    assert_eq!(read(&backup), before);
    assert_eq!(fs::metadata(&backup).expect("a file").permissions().mode() & 0o777, 0o640);

    // An earlier backup is never overwritten, and one that says the same is enough.
    fs::write(&file, "{\"other\": 1}").expect("a file");
    assert_eq!(user.done(&["mcp", "install", "cursor"])["backup"], json!(file.with_file_name("mcp.json.bak.1")));
    fs::write(&file, before).expect("a file");
    assert_eq!(user.done(&["mcp", "install", "cursor"])["backup"], json!(backup));
    assert_eq!(read(&backup), before);
    assert_eq!(names(file.parent().expect("a folder")), ["mcp.json", "mcp.json.bak", "mcp.json.bak.1"]);
}

#[test]
fn an_empty_file_and_one_with_a_mark_are_filled() {
    let user = User::new();
    for (before, start) in [("", "{"), (" \n", "{"), ("\u{feff}{}\n", "\u{feff}{")] {
        let file = user.write(CURSOR, before);
        user.done(&["mcp", "install", "cursor"]);
        let text = read(&file);
        assert!(text.trim_start_matches([' ', '\n']).starts_with(start) && text.contains("\"bridge\""), "{text:?}");
    }
}

#[test]
fn a_link_is_followed_and_stays() {
    let user = User::new();
    let real = user.write("dotfiles/cursor.json", "{\"mcpServers\": {}}\n");
    let link = user.path(CURSOR);
    fs::create_dir(user.path(".cursor")).expect("a folder");
    symlink(&real, &link).expect("a link");
    let report = user.done(&["mcp", "install", "cursor"]);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert!(read(&real).contains("mcp-workspace"));
    let backup = fs::canonicalize(user.path("dotfiles")).expect("a folder").join("cursor.json.bak");
    assert_eq!(report["backup"], json!(backup), "beside the file, not the link");

    fs::remove_file(&real).expect("the file");
    let error = user.refused(&["mcp", "install", "cursor"]);
    assert!(error["message"].as_str().is_some_and(|text| text.contains("leads nowhere")), "{error}");
    assert!(!real.exists());
}

#[test]
fn what_cannot_be_edited_is_left_and_told() {
    let user = User::new();
    for (text, expected) in [
        ("{\n  \"mcpServers\": {\n}", "not valid JSON"),
        ("[]", "not hold a JSON object"),
        ("{\"mcpServers\": {\"mcp-workspace\": {\"url\": \"https://example.com\"}}}", "another server"),
    ] {
        let file = user.write(CURSOR, text);
        let error = user.refused(&["mcp", "install", "cursor"]);
        assert!(error["message"].as_str().is_some_and(|message| message.contains(expected)), "{error}");
        assert_eq!((error["kind"].as_str(), read(&file).as_str()), (Some("invalid_input"), text));
    }
    assert_eq!(user.done(&["mcp", "install", "cursor", "--force"])["was"], json!({ "url": "https://example.com" }));

    let file = user.path(CURSOR);
    fs::write(&file, b"{\"a\": \"\xff\"}").expect("a file");
    assert!(user.refused(&["mcp", "install", "cursor"])["message"].as_str().is_some_and(|text| text.contains("UTF-8")));
    let large = fs::File::options().write(true).open(&file).expect("the file");
    large.set_len(10 * 1024 * 1024 + 1).expect("a large file");
    assert!(
        user.refused(&["mcp", "install", "cursor"])["message"].as_str().is_some_and(|text| text.contains("10 MiB"))
    );
    fs::write(&file, "{}").expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("a mode");
    assert!(
        user.refused(&["mcp", "install", "cursor"])["message"].as_str().is_some_and(|text| text.contains("protected"))
    );
    assert_eq!(read(&file), "{}");
    fs::remove_file(&file).expect("the file");
    fs::create_dir(&file).expect("a folder");
    assert!(
        user.refused(&["mcp", "install", "cursor"])["message"].as_str().is_some_and(|text| text.contains("no file"))
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_told_with_what_to_add() {
    if rustix::process::geteuid().is_root() {
        // Root writes everywhere, so a file stands in the place of a folder.
        let user = User::new();
        user.write(".cursor", "");
        let error = user.refused(&["mcp", "install", "cursor"]);
        let suggestion = error["suggestion"].as_str().expect("a suggestion");
        assert!(suggestion.contains("by hand") && suggestion.contains("\"bridge\""), "{error}");
        return;
    }
    let user = User::new();
    let file = user.write(CURSOR, "{}");
    let folder = user.path(".cursor");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).expect("a mode");
    let error = user.refused(&["mcp", "install", "cursor"]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("a mode");
    let suggestion = error["suggestion"].as_str().expect("a suggestion");
    assert!(suggestion.contains("by hand") && suggestion.contains("\"bridge\""), "{error}");
    assert_eq!((read(&file).as_str(), names(&folder).len()), ("{}", 1));
}

/// Keeps its arguments, and changes its config as `add` and `remove` do. The config is one line, so that a shell can.
const CLAUDE: &str = r#"#!/bin/sh
echo "$@" >>"$HOME/asked"
echo "a word on stdout"
case "$2" in
  add) shift 6
       printf '{"numStartups": 3, "mcpServers": {"mcp-workspace": {"type": "stdio", "command": "%s", "args": ["%s"], "env": {}}}}' "$1" "$2" ;;
  remove) printf '{"numStartups": 3, "mcpServers": {}}' ;;
esac >"$HOME/.claude.json"
"#;

#[test]
fn claude_code_is_asked_to_change_its_config() {
    let user = User::new();
    let command = format!("claude mcp add --scope user mcp-workspace -- {PROGRAM} bridge");
    let without = user.refused(&["mcp", "install", "claude-code"]);
    assert_eq!((&without["done"], &without["commands"]), (&json!("not installed"), &json!([command])));
    assert!(!user.path(".claude.json").exists());

    user.with_claude(CLAUDE);
    let old =
        r#"{"numStartups": 3, "mcpServers": {"mcp-workspace": {"command": "/old/mcp-workspace", "args": ["bridge"]}}}"#;
    let file = user.write(".claude.json", old);
    let report = user.done(&["mcp", "install", "claude-code"]);
    assert_eq!((&report["done"], &report["was"]["command"]), (&json!("updated"), &json!("/old/mcp-workspace")));
    assert_eq!(read(&user.path(".claude.json.bak")), old);
    let asked = read(&user.path("asked"));
    let add = command.trim_start_matches("claude ");
    assert_eq!(asked.lines().collect::<Vec<_>>(), ["mcp remove --scope user mcp-workspace", add]);
    assert_eq!(user.done(&["mcp", "install", "claude-code"])["done"], "unchanged");
    assert_eq!(value(&file)["mcpServers"]["mcp-workspace"]["command"], PROGRAM);
    assert_eq!(user.done(&["mcp", "uninstall", "claude-code"])["done"], "removed");
    assert_eq!(value(&file)["mcpServers"], json!({}));

    // One that says that it did and did not is not believed, and one that fails is told.
    for script in ["#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 7\n"] {
        user.with_claude(script);
        let error = user.refused(&["mcp", "install", "claude-code"]);
        assert!(error["suggestion"].as_str().is_some_and(|text| text.contains(&command)), "{error}");
    }
}

#[test]
fn claude_code_is_let_into_the_folder() {
    let user = User::new();
    user.write("h/config/config.toml", "workspace = '/my/docs'\n");
    let home = user.path("h");
    let report = user.done(&["mcp", "install", "claude-code", "--print", "--home", home.to_str().expect("UTF-8")]);
    let notes = report["notes"].to_string();
    for expected in
        ["claude --add-dir /my/docs", "additionalDirectories", "Edit(//my/docs/**)", ".claude/settings.json"]
    {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
}
