//! Claude Code, whose config its own command line writes, and how it may read and edit the documents.

use serde_json::{Value, json};

use super::Entry;

/// Returns the arguments of `claude` that add an entry for all projects of the user.
///
/// Source: <https://code.claude.com/docs/en/mcp>. `--env` takes several values, so it stands between the name and `--`.
#[must_use]
pub fn add_arguments(entry: &Entry) -> Vec<String> {
    let mut arguments = ["mcp", "add", "--scope", "user", entry.name.as_str()].map(str::to_owned).to_vec();
    for (name, value) in &entry.env {
        arguments.extend(["--env".into(), format!("{name}={value}")]);
    }
    arguments.extend(["--".into(), entry.command.clone()]);
    arguments.extend(entry.args.iter().cloned());
    arguments
}

/// Returns the arguments of `claude` that take an entry out again.
#[must_use]
pub fn remove_arguments(name: &str) -> Vec<String> {
    ["mcp", "remove", "--scope", "user", name].map(str::to_owned).to_vec()
}

/// The folder that Claude Code is let into: it reads and edits the documents itself, as files.
#[derive(Debug, Clone, Copy)]
pub struct Access<'a> {
    /// The workspace, absolute.
    pub workspace: &'a str,
}

impl Access<'_> {
    /// Returns the arguments of `claude` that let one session in.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        vec!["--add-dir".into(), self.workspace.into()]
    }

    /// Returns what `settings.json` must say so that every session may: the folder is one to work in, and files in it are
    /// read and edited without asking. `//` begins an absolute path in a rule; a rule for `Edit` goes for all tools that
    /// write files.
    ///
    /// Source: <https://code.claude.com/docs/en/permissions>.
    #[must_use]
    pub fn settings(&self) -> Value {
        let inside = format!("/{}/**", self.workspace.trim_end_matches('/'));
        json!({
            "permissions": {
                "additionalDirectories": [self.workspace],
                "allow": [format!("Read({inside})"), format!("Edit({inside})")],
            }
        })
    }
}
