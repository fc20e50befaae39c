//! Which way imports go, which rooms are pure, and which room owns which crate.
//!
//! The table is the house's: a room may import only rooms below it.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from the top; rooms of one row are neighbours and do not meet.
const ROWS: [&[&str]; 10] = [
    &["main"],
    &["cli"],
    &["daemon"],
    &["tools", "hub"],
    &["mirror"],
    &["kinds"],
    &["google", "browser", "store", "workspace", "config"],
    &["gdocs", "extract", "notebooklm"],
    &["sync"],
    &["mebdf", "clients"],
];

/// The nouns, below all rows; `error` may name `model`.
const NOUNS: [&str; 2] = ["error", "model"];

/// Rooms without clock, disk, network, chance or await.
const PURE_ROOMS: [&str; 8] = ["gdocs", "extract", "notebooklm", "sync", "mebdf", "clients", "model", "error"];

/// Rooms within a kind, which are pure, and what of the kind they must not know.
const INNER_ROOMS: [(&str, &[&str]); 4] = [
    ("kinds/docs/text", &["adapter", "plan"]),
    ("kinds/docs/plan", &["adapter"]),
    ("kinds/gmail/text", &["adapter", "plan", "compose", "naming", "writing"]),
    ("kinds/gmail/plan", &["adapter", "writing"]),
];

/// Files that are pure in every room.
const PURE_FILES: [&str; 5] = ["extract.rs", "plan.rs", "wire.rs", "layout.rs", "ids.rs"];

/// What a pure file does not say.
const IMPURE: [&str; 16] = [
    "std::fs",
    "std::net",
    "std::env",
    "tokio",
    "reqwest",
    "rusqlite",
    "notify::",
    "rand::",
    "getrandom",
    "Instant::now",
    "SystemTime::now",
    "async fn",
    "async move",
    "async {",
    "async_trait",
    ".await",
];

/// Crates and the rooms that may say them.
const OWNERS: [(&str, &[&str]); 26] = [
    ("rusqlite", &["store"]),
    ("rusqlite_migration", &["store"]),
    ("notify", &["workspace"]),
    ("tokio_tungstenite", &["browser"]),
    ("yup_oauth2", &["google"]),
    ("reqwest", &["google"]),
    ("rmcp", &["tools", "daemon", "cli"]),
    ("pulldown_cmark", &["mebdf", "emulator"]),
    ("mail_parser", &["google", "kinds", "emulator"]),
    ("mail_builder", &["kinds"]),
    ("httparse", &["google"]),
    ("httpdate", &["google", "emulator"]),
    ("html5gum", &["extract"]),
    ("hayro_syntax", &["extract"]),
    ("hayro_cmap", &["extract"]),
    ("quick_xml", &["extract"]),
    ("rawzip", &["extract"]),
    ("flate2", &["extract"]),
    ("csv", &["extract"]),
    ("jsonc_parser", &["clients"]),
    // The page to which a browser comes back from a sign-in.
    ("axum", &["emulator", "cli"]),
    ("open", &["cli"]),
    ("sd_notify", &["cli"]),
    ("sha2", &["google", "emulator"]),
    ("toml_edit", &["config"]),
    ("clap", &["cli"]),
];

#[test]
fn the_house_holds_to_its_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut complaints = Vec::new();
    let mut count = 0;
    for file in rust_files(&root) {
        let text = fs::read_to_string(&file).expect("a source file is readable");
        let inside = file.strip_prefix(&root).expect("it lies below src");
        complaints.extend(complaints_of(inside, &text));
        count += 1;
    }
    assert!(count > 10, "only {count} files were looked at");
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Lists what one file, named from `src`, does that it must not.
fn complaints_of(file: &Path, text: &str) -> Vec<String> {
    let room = room_of(file);
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // The wire of the emulator and of the sockets is I/O; a kind's is the JSON as types.
    let pure_by_name = PURE_FILES.contains(&name) && room != "emulator" && room != "tools";
    let inner = INNER_ROOMS.iter().find(|(inner, _)| file.starts_with(inner));
    let pure = PURE_ROOMS.contains(&room.as_str()) || pure_by_name || inner.is_some();
    let in_tests =
        name == "tests.rs" || name.ends_with("_tests.rs") || file.components().any(|part| part.as_os_str() == "tests");
    let mut complaints = Vec::new();
    let mut complain =
        |number: usize, what: String| complaints.push(format!("src/{}:{number}: {what}", file.display()));
    if room != "lib" && !known(&room) {
        complain(1, format!("'{room}' is no room of the house"));
    }
    for (number, line) in code_lines(text, in_tests) {
        for other in rooms_named(file, &line.code) {
            if !may_know(&room, &other, line.test) {
                complain(number, format!("'{room}' must not know '{other}'"));
            }
        }
        if pure && !line.test {
            for word in IMPURE.iter().filter(|word| says(&line.code, word)) {
                complain(number, format!("'{}' is pure and must not say '{word}'", file.display()));
            }
        }
        if !line.test {
            for (owned, rooms) in OWNERS {
                let path = format!("{owned}::");
                if !rooms.contains(&room.as_str())
                    && (says(&line.code, &path) || says(&line.code, &format!("use {owned};")))
                {
                    complain(number, format!("'{room}' must not say '{owned}', only {}", rooms.join(", ")));
                }
            }
        }
        if let Some((inner, unknown)) = inner.filter(|_| !line.test) {
            let named = neighbours_named(file, inner, &line.code);
            for other in *unknown {
                if named.iter().any(|name| name == other) || says(&line.code, &format!("{other}::")) {
                    complain(number, format!("'{inner}' must not know '{other}'"));
                }
            }
        }
        let kind_file = room == "kinds" && matches!(name, "extract.rs" | "plan.rs" | "wire.rs");
        if kind_file && !line.test && (says(&line.code, "super::adapter") || says(&line.code, "docs::adapter")) {
            complain(number, format!("'{name}' must not know 'adapter'"));
        }
    }
    complaints
}

/// Tells whether a room may import another.
fn may_know(room: &str, other: &str, test: bool) -> bool {
    if room == other || room == "lib" {
        return true;
    }
    if NOUNS.contains(&room) {
        return room == "error" && other == "model";
    }
    if NOUNS.contains(&other) {
        return true;
    }
    if room == "emulator" {
        return ["gdocs", "notebooklm"].contains(&other);
    }
    if other == "emulator" {
        return room == "cli" || test;
    }
    // A kind knows its remote, not where its text is kept.
    if room == "kinds" && ["store", "workspace", "config"].contains(&other) {
        return false;
    }
    match (row_of(room), row_of(other)) {
        (Some(row), Some(below)) => row < below,
        (None, _) | (_, None) => false,
    }
}

fn row_of(room: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&room))
}

fn known(room: &str) -> bool {
    row_of(room).is_some() || NOUNS.contains(&room) || room == "emulator"
}

/// The room of a file: its first folder, or its own name when it stands in `src` itself.
fn room_of(file: &Path) -> String {
    let first = file.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
    first.unwrap_or_default().trim_end_matches(".rs").to_owned()
}

/// A line without its comment.
struct Line {
    code: String,
    test: bool,
}

/// Numbers the lines from 1, without comments, and marks those of the tests at the end.
fn code_lines(text: &str, in_tests: bool) -> Vec<(usize, Line)> {
    let mut lines = Vec::new();
    let mut test = in_tests;
    let mut previous_is_cfg = false;
    for (index, raw) in text.lines().enumerate() {
        let trimmed = raw.trim();
        if previous_is_cfg && trimmed.starts_with("mod ") && trimmed.ends_with('{') {
            test = true;
        }
        previous_is_cfg = trimmed == "#[cfg(test)]";
        let code = without_comment(trimmed);
        // An import over several lines is read as one.
        match lines.last_mut() {
            Some((_, Line { code: open, .. })) if is_open_import(open) => open.push_str(&code),
            Some(_) | None => lines.push((index + 1, Line { code, test })),
        }
    }
    lines
}

fn is_open_import(code: &str) -> bool {
    let import = code.strip_prefix("pub ").or_else(|| code.strip_prefix("pub(crate) ")).unwrap_or(code);
    import.starts_with("use ") && !code.contains(';')
}

/// Cuts a line at `//`, unless that is part of a URL or inside a string.
fn without_comment(line: &str) -> String {
    let mut code = String::new();
    let mut in_string = false;
    let mut escaped = false;
    let mut previous = ' ';
    for c in line.chars() {
        if in_string {
            (in_string, escaped) = (escaped || c != '"', !escaped && c == '\\');
            // What a string says is no code.
            previous = c;
            continue;
        }
        if c == '"' && previous != '\'' {
            in_string = true;
        }
        if c == '/' && previous == '/' {
            code.pop();
            break;
        }
        code.push(c);
        previous = c;
    }
    code
}

/// Finds the rooms that a line names through `crate::`, the crate's name, or a chain of `super` out of its own room.
fn rooms_named(file: &Path, code: &str) -> Vec<String> {
    let mut heads = vec!["crate::".to_owned(), "mcp_workspace::".to_owned()];
    // In src/a.rs and src/a/mod.rs `super` is the root, in src/a/b.rs `super::super` is, and so on.
    let parts = file.components().count();
    let is_module_root = file.file_name().is_some_and(|name| name == "mod.rs");
    let depth = if is_module_root { parts - 1 } else { parts };
    heads.push("super::".repeat(depth));
    // Inside `mod tests` there is one more.
    heads.push("super::".repeat(depth + 1));
    let mut rooms = names_behind(&heads, code);
    rooms.retain(|name| known(name));
    rooms
}

/// Finds what a line of an inner room names of the kind around it: through the kind's name or a chain of `super`.
fn neighbours_named(file: &Path, inner: &str, code: &str) -> Vec<String> {
    let kind: Vec<&str> = inner.split('/').take(2).collect();
    let name = kind.last().copied().unwrap_or_default();
    // In kinds/docs/text/mod.rs `super` is kinds/docs, in kinds/docs/text/a.rs `super::super` is.
    let is_module_root = file.file_name().is_some_and(|name| name == "mod.rs");
    let depth = file.components().count() - kind.len() - usize::from(is_module_root);
    let chain = "super::".repeat(depth);
    let path = format!("{}::", kind.join("::"));
    let heads = [
        format!("crate::{path}"),
        format!("mcp_workspace::{path}"),
        format!("{chain}super::{name}::"),
        format!("{name}::"),
        chain,
    ];
    names_behind(&heads, code)
}

/// The first names behind any of the heads in a line.
fn names_behind(heads: &[String], code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for head in heads.iter().filter(|head| !head.is_empty()) {
        let mut rest = code;
        while let Some((before, after)) = rest.split_once(head.as_str()) {
            let whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$');
            if whole {
                names.extend(first_names(after));
            }
            rest = after;
        }
    }
    names.sort();
    names.dedup();
    names
}

/// The first name of a path, or of each path in braces.
fn first_names(path: &str) -> Vec<String> {
    let name =
        |text: &str| -> String { text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let Some(list) = path.strip_prefix('{') else { return vec![name(path)] };
    let mut names = Vec::new();
    let mut depth = 0;
    let mut item = String::new();
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(name(&std::mem::take(&mut item))),
            _ if depth == 0 => item.push(c),
            _ => {}
        }
    }
    names.push(name(&item));
    names
}

/// Tells whether code holds a word that does not begin inside another.
fn says(code: &str, word: &str) -> bool {
    let begins_plain = word.starts_with(|c: char| c.is_alphanumeric());
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).and_then(|text| text.chars().next_back());
        !begins_plain || !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.' || c == ':')
    })
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).expect("a source folder is readable") {
            let path = entry.expect("an entry is readable").path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn check(file: &str, text: &str, expected: &[&str]) {
    assert_eq!(complaints_of(Path::new(file), text), expected, "{file}: {text}");
}

#[test]
fn the_checker_sees_imports() {
    check(
        "sync/settle.rs",
        "//! Doc.\nuse crate::store::Store;\n",
        &["src/sync/settle.rs:2: 'sync' must not know 'store'"],
    );
    check("store/mod.rs", "use crate::workspace::Row;", &["src/store/mod.rs:1: 'store' must not know 'workspace'"]);
    check("store/mod.rs", "fn f() { crate::mirror::go() }", &["src/store/mod.rs:1: 'store' must not know 'mirror'"]);
    check(
        "kinds/docs/mod.rs",
        "use crate::config::Config;",
        &["src/kinds/docs/mod.rs:1: 'kinds' must not know 'config'"],
    );
    check(
        "mebdf/mod.rs",
        "use crate::{gdocs::{model, X}, model::Notice, sync};",
        &["src/mebdf/mod.rs:1: 'mebdf' must not know 'gdocs'", "src/mebdf/mod.rs:1: 'mebdf' must not know 'sync'"],
    );
    check(
        "sync/mod.rs",
        "use crate::{\n    mebdf::{\n        parse, // a comment\n    },\n    store::Store,\n};\nfn f() {}",
        &["src/sync/mod.rs:1: 'sync' must not know 'store'"],
    );
    check("mebdf/tree.rs", "use super::super::sync::Engine;", &["src/mebdf/tree.rs:1: 'mebdf' must not know 'sync'"]);
    check(
        "mirror/pull.rs",
        "use crate::emulator::serve;",
        &["src/mirror/pull.rs:1: 'mirror' must not know 'emulator'"],
    );
    check("emulator/mod.rs", "use crate::google::X;", &["src/emulator/mod.rs:1: 'emulator' must not know 'google'"]);
    check("model.rs", "use crate::error::Error;", &["src/model.rs:1: 'model' must not know 'error'"]);
    check("utils/mod.rs", "", &["src/utils/mod.rs:1: 'utils' is no room of the house"]);
    check("tools/mod.rs", "use crate::hub::X;", &["src/tools/mod.rs:1: 'tools' must not know 'hub'"]);
}

#[test]
fn the_checker_lets_pass_what_is_right() {
    check("kinds/docs/mod.rs", "use crate::google::Client;\nuse crate::{error::Result, gdocs::Document};", &[]);
    check("cli/demo.rs", "use crate::emulator::serve;\nuse crate::tools::{Command, config};", &[]);
    check("sync/mod.rs", "// crate::store is below\n/// [`crate::store`]\nlet s = \"crate::store::x\";", &[]);
    check("sync/engine.rs", "use super::store_it;\nuse super::super::mebdf::parse;", &[]);
    check("google/mod.rs", "#[cfg(test)]\nmod tests {\n    use crate::emulator::serve;\n}", &[]);
    check("error.rs", "use crate::model::ItemId;", &[]);
}

#[test]
fn the_checker_sees_impurity() {
    for (code, word) in [
        ("use std::fs::File;", "std::fs"),
        ("let now = Instant::now();", "Instant::now"),
        ("tokio::spawn(x);", "tokio"),
        ("async fn f() {}", "async fn"),
        ("f().await;", ".await"),
    ] {
        check(
            "sync/merge.rs",
            code,
            &[&format!("src/sync/merge.rs:1: 'sync/merge.rs' is pure and must not say '{word}'")],
        );
        check("sync/merge.rs", &format!("#[cfg(test)]\nmod tests {{\n    {code}\n}}"), &[]);
    }
    check(
        "kinds/docs/plan.rs",
        "use std::env;",
        &["src/kinds/docs/plan.rs:1: 'kinds/docs/plan.rs' is pure and must not say 'std::env'"],
    );
    check(
        "kinds/docs/plan.rs",
        "use super::adapter::get;",
        &["src/kinds/docs/plan.rs:1: 'plan.rs' must not know 'adapter'"],
    );
    check(
        "kinds/docs/plan/gap.rs",
        "use std::env;",
        &["src/kinds/docs/plan/gap.rs:1: 'kinds/docs/plan/gap.rs' is pure and must not say 'std::env'"],
    );
    check("workspace/mod.rs", "use std::fs::File;", &[]);
    check("sync/merge.rs", "self.tokio_like; my_std::fs();", &[]);
}

#[test]
fn the_checker_knows_the_rooms_of_a_kind() {
    for code in [
        "use crate::kinds::docs::plan::words::same;",
        "use crate::kinds::docs::{Access, plan::bad_title};",
        "use crate::kinds::{docs::plan::bad_title, Part};",
        "use super::super::plan;",
        "use super::super::{text, plan::words};",
        "fn f() { super::super::super::docs::plan::f() }",
        "fn f() { plan::f() }",
    ] {
        check(
            "kinds/docs/text/flat.rs",
            code,
            &["src/kinds/docs/text/flat.rs:1: 'kinds/docs/text' must not know 'plan'"],
        );
        check("kinds/docs/plan/gap.rs", code, &[]);
        check("kinds/docs/text/flat_tests.rs", code, &[]);
    }
    check(
        "kinds/docs/text/mod.rs",
        "use super::plan;",
        &["src/kinds/docs/text/mod.rs:1: 'kinds/docs/text' must not know 'plan'"],
    );
    check(
        "kinds/docs/plan/gap.rs",
        "use super::super::adapter::get;",
        &["src/kinds/docs/plan/gap.rs:1: 'kinds/docs/plan' must not know 'adapter'"],
    );
    check("kinds/docs/text/flat.rs", "use super::line::Line;\nuse crate::kinds::docs::Access;\nlet plan = 1;", &[]);
    check("kinds/docs/plan/gap.rs", "use crate::kinds::docs::text::line::Line;", &[]);
}

#[test]
fn the_checker_knows_the_owners_of_crates() {
    check(
        "mirror/mod.rs",
        "use rusqlite::Row;",
        &["src/mirror/mod.rs:1: 'mirror' must not say 'rusqlite', only store"],
    );
    check(
        "mirror/mod.rs",
        "fn f(x: notify::Event) {}",
        &["src/mirror/mod.rs:1: 'mirror' must not say 'notify', only workspace"],
    );
    check("mirror/mod.rs", "self.notify(); x::notify::y();", &[]);
    check("store/mod.rs", "use rusqlite::Row;", &[]);
    check(
        "kinds/mod.rs",
        "use rmcp::Tool;",
        &["src/kinds/mod.rs:1: 'kinds' must not say 'rmcp', only tools, daemon, cli"],
    );
    check(
        "sync/merge.rs",
        "use pulldown_cmark::Event;",
        &["src/sync/merge.rs:1: 'sync' must not say 'pulldown_cmark', only mebdf, emulator"],
    );
}
