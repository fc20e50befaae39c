//! `mcp install` and `mcp uninstall`: our entry in the config of MCP clients.

mod claude;

use std::path::{Path, PathBuf};

use directories::BaseDirs;
use serde_json::{Value, json};

use super::arguments::McpVerb;
use super::config_file::ConfigFile;
use super::{Answer, Outcome, failed, print, serve, utf8};
use crate::clients::{self, Access, Client, Edit, Entry, Folders, Target};
use crate::config::{Config, Places, shell_word};
use crate::error::{Error, ErrorKind};
use crate::tools::{ErrorAnswer, Profile};

/// Moves what Claude Code keeps; see <https://code.claude.com/docs/en/settings>.
const CLAUDE_FOLDER_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

/// What was done, for people and as JSON.
struct Report {
    client: Client,
    name: String,
    file: PathBuf,
    /// What happened to the file, as a participle.
    done: &'static str,
    /// Whether a person must do it, since it could not be done.
    waits: bool,
    /// What stood under our name before.
    was: Option<Value>,
    backup: Option<PathBuf>,
    /// The entry, unless it was taken out.
    entry: Option<Entry>,
    /// What a person would paste, with `--print`.
    snippet: Option<String>,
    /// What a person would type.
    commands: Vec<String>,
    /// What else to know and to do.
    notes: Vec<String>,
}

impl Report {
    const fn new(client: Client, name: String, file: PathBuf, done: &'static str) -> Self {
        Self {
            client,
            name,
            file,
            done,
            waits: false,
            was: None,
            backup: None,
            entry: None,
            snippet: None,
            commands: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Carries out `mcp`.
pub(crate) fn perform(verb: &McpVerb, places: &Places, json: bool) -> Answer<Outcome> {
    let folders = folders()?;
    let report = match *verb {
        McpVerb::Install { client, profile, print, force } => {
            let entry = entry(places, profile)?;
            let mut report = match (client, print) {
                (_, true) => printed(client, &entry, &folders)?,
                (Client::ClaudeCode, false) => claude::install(&entry, &folders, force)?,
                (Client::ClaudeDesktop | Client::Cursor | Client::VsCode, false) => {
                    install(client, &entry, &folders, force)?
                }
            };
            report.entry = Some(entry.clone());
            if client == Client::ClaudeCode {
                report.notes.extend(access(places, &folders)?);
            }
            report
        }
        McpVerb::Uninstall { client, profile, force } => {
            let name = name(profile);
            match client {
                Client::ClaudeCode => claude::uninstall(&name, &folders, force)?,
                Client::ClaudeDesktop | Client::Cursor | Client::VsCode => uninstall(client, &name, &folders, force)?,
            }
        }
    };
    show(&report, json);
    Ok(if report.waits { Outcome::Waits } else { Outcome::Done })
}

/// Each set of tools is a server of its own to a client.
fn name(profile: Profile) -> String {
    match profile {
        Profile::Default => "mcp-workspace".into(),
        Profile::Docs | Profile::GoogleDocs | Profile::NotebookLm | Profile::Full => {
            format!("mcp-workspace-{}", profile.name())
        }
    }
}

/// How a client starts this very program for this very home.
fn entry(places: &Places, profile: Profile) -> Answer<Entry> {
    let program = serve::program()?;
    if !program.is_file() {
        return Err(ErrorAnswer::invalid(
            format!("this program is no longer where it was started from: {}", program.display()),
            "It was replaced meanwhile; run the command once more.",
        ));
    }
    let mut args = Vec::new();
    if let Some(home) = &places.home {
        args.extend(["--home".into(), utf8(home)?]);
    }
    args.push("bridge".into());
    if profile != Profile::default() {
        args.extend(["--profile".into(), profile.name().into()]);
    }
    Ok(Entry { name: name(profile), command: utf8(&program)?, args, env: places.variables() })
}

fn folders() -> Answer<Folders> {
    let Some(base) = BaseDirs::new() else {
        return Err(ErrorAnswer::invalid("this user has no home folder", "Set HOME."));
    };
    let claude = std::env::var_os(CLAUDE_FOLDER_VARIABLE).filter(|dir| !dir.is_empty()).map(PathBuf::from);
    Ok(Folders { home: base.home_dir().into(), config: base.config_dir().into(), claude })
}

/// What would be in a config file that holds nothing else, and where that is.
fn printed(client: Client, entry: &Entry, folders: &Folders) -> Answer<Report> {
    let file = client.config_file(folders);
    let mut report = Report::new(client, entry.name.clone(), file.clone(), "not written");
    if client == Client::ClaudeCode {
        report.commands.push(claude::command_line(&clients::add_arguments(entry)));
    }
    match (Target { client, file: &file }).put("", entry, false).map_err(failed)? {
        Edit::Changed { text, .. } => report.snippet = Some(text),
        Edit::Same => {}
    }
    Ok(report)
}

fn install(client: Client, entry: &Entry, folders: &Folders, force: bool) -> Answer<Report> {
    let path = client.config_file(folders);
    let target = Target { client, file: &path };
    // Whatever goes wrong with the file, a person may still write into it.
    let by_hand = |error: Error| {
        let answer = ErrorAnswer::from(&error);
        let knows_better = error.kind() == ErrorKind::InvalidInput;
        if knows_better { answer } else { ErrorAnswer { suggestion: target.by_hand(entry), ..answer } }
    };
    let config = ConfigFile::read(&path).map_err(by_hand)?;
    let mut report = Report::new(client, entry.name.clone(), path.clone(), "unchanged");
    if let Edit::Changed { text, was } = target.put(config.text(), entry, force).map_err(by_hand)? {
        if config.lacks_folder() {
            let title = client.title();
            report.notes.push(format!("the folder of {title}'s config was not there yet; is {title} installed?"));
        }
        report.backup = config.replace(&text).map_err(by_hand)?;
        report.done = if was.is_some() { "updated" } else { "installed" };
        report.was = was;
        report.notes.push(client.afterwards().into());
    }
    Ok(report)
}

fn uninstall(client: Client, name: &str, folders: &Folders, force: bool) -> Answer<Report> {
    let path = client.config_file(folders);
    let config = ConfigFile::read(&path).map_err(failed)?;
    let mut report = Report::new(client, name.into(), path.clone(), "not there");
    let target = Target { client, file: &path };
    if let Edit::Changed { text, was } = target.take(config.text(), name, force).map_err(failed)? {
        report.backup = config.replace(&text).map_err(failed)?;
        report.done = "removed";
        report.was = was;
        report.notes.push(format!("{} takes notice at its next start", client.title()));
    }
    Ok(report)
}

/// How Claude Code is let into the folder: it gets paths, and reads and edits the files itself.
fn access(places: &Places, folders: &Folders) -> Answer<Vec<String>> {
    let config = Config::read(&places.config_file()).map_err(failed)?;
    let workspace = utf8(&config.workspace.unwrap_or_else(|| places.workspace.clone()))?;
    let access = Access { workspace: &workspace };
    let settings = folders.claude.clone().unwrap_or_else(|| folders.home.join(".claude")).join("settings.json");
    Ok(vec![
        format!("Let one session read and edit the documents: {}", claude::command_line(&access.arguments())),
        format!("Let every session: add this to {}: {}", settings.display(), access.settings()),
    ])
}

fn show(report: &Report, json: bool) {
    if json {
        let value = json!({
            "client": report.client.name(),
            "name": report.name,
            "file": report.file,
            "done": report.done,
            "was": report.was,
            "backup": report.backup,
            "entry": report.entry.as_ref().map(|entry| entry.value(report.client)),
            "snippet": report.snippet,
            "commands": report.commands,
            "notes": report.notes,
        });
        return print::line(&value.to_string());
    }
    print::line(&format!("{} {}", report.name, report.done));
    print::line(&format!("file    {}", report.file.display()));
    if let Some(was) = &report.was {
        print::line(&format!("was     {was}"));
    }
    if let Some(entry) = &report.entry {
        let words = entry.env.iter().map(|(name, value)| format!("{name}={value}"));
        let words = words.chain([entry.command.clone()]).chain(entry.args.iter().cloned());
        let words: Vec<String> = words.map(|word| shell_word(Path::new(&word))).collect();
        print::line(&format!("starts  {}", words.join(" ")));
    }
    if let Some(backup) = &report.backup {
        print::line(&format!("backup  {}", backup.display()));
    }
    for command in &report.commands {
        print::line(&format!("run     {command}"));
    }
    for note in &report.notes {
        print::line(&format!("note    {note}"));
    }
    if let Some(snippet) = &report.snippet {
        print::line(snippet.trim_end());
    }
}
