//! Claude Code writes its config itself, beside what else it keeps in the same file: it is asked to.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Report, failed};
use crate::cli::Answer;
use crate::cli::config_file::ConfigFile;
use crate::clients::{Client, Edit, Entry, Folders, Target, add_arguments, remove_arguments};
use crate::config::shell_word;
use crate::error::{Error, ErrorKind};
use crate::tools::ErrorAnswer;

/// The name of its program.
const PROGRAM: &str = "claude";
/// How long it may take to change its config.
const WAIT: Duration = Duration::from_secs(60);
/// The pause between two looks whether it is done.
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// Has an entry added for all projects of the user.
pub(super) fn install(entry: &Entry, folders: &Folders, force: bool) -> Answer<Report> {
    let path = Client::ClaudeCode.config_file(folders);
    let config = ConfigFile::read(&path).map_err(failed)?;
    let mut report = Report::new(Client::ClaudeCode, entry.name.clone(), path.clone(), "unchanged");
    let target = Target { client: Client::ClaudeCode, file: &path };
    // The new text is not written: it tells what has to be done.
    let Edit::Changed { text: _, was } = target.put(config.text(), entry, force).map_err(failed)? else {
        return Ok(report);
    };
    let add = add_arguments(entry);
    let remove = was.is_some().then(|| remove_arguments(&entry.name));
    let Some(program) = find() else {
        report.done = "not installed";
        report.waits = true;
        report.commands = remove.iter().chain([&add]).map(|arguments| command_line(arguments)).collect();
        report.notes.push("there is no program `claude` in PATH; run the command above where it is".into());
        report.was = was;
        return Ok(report);
    };
    report.backup = config.back_up().map_err(failed)?;
    if let Some(remove) = remove {
        run(&program, &remove)?;
    }
    run(&program, &add)?;
    check(&path, |text| matches!(target.put(text, entry, force), Ok(Edit::Same)), &add)?;
    report.done = if was.is_some() { "updated" } else { "installed" };
    report.was = was;
    report.notes.push(Client::ClaudeCode.afterwards().into());
    Ok(report)
}

/// Has our entry taken out.
pub(super) fn uninstall(name: &str, folders: &Folders, force: bool) -> Answer<Report> {
    let path = Client::ClaudeCode.config_file(folders);
    let config = ConfigFile::read(&path).map_err(failed)?;
    let mut report = Report::new(Client::ClaudeCode, name.into(), path.clone(), "not there");
    let target = Target { client: Client::ClaudeCode, file: &path };
    let Edit::Changed { text: _, was } = target.take(config.text(), name, force).map_err(failed)? else {
        return Ok(report);
    };
    let remove = remove_arguments(name);
    report.was = was;
    let Some(program) = find() else {
        report.done = "not removed";
        report.waits = true;
        report.commands = vec![command_line(&remove)];
        report.notes.push("there is no program `claude` in PATH; run the command above where it is".into());
        return Ok(report);
    };
    report.backup = config.back_up().map_err(failed)?;
    run(&program, &remove)?;
    check(&path, |text| matches!(target.take(text, name, force), Ok(Edit::Same)), &remove)?;
    report.done = "removed";
    Ok(report)
}

/// Returns what a person types.
pub(super) fn command_line(arguments: &[String]) -> String {
    let words = arguments.iter().map(|word| shell_word(Path::new(word)));
    std::iter::once(PROGRAM.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

fn find() -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let path = std::env::var_os("PATH")?;
    // A relative folder in PATH is wherever we happen to be.
    let mut programs = std::env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(PROGRAM));
    programs.find(|program| {
        program.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    })
}

/// Runs it to its end; what it says goes to stderr, since our stdout may be JSON.
fn run(program: &Path, arguments: &[String]) -> Answer<()> {
    let disk = |source| failed(Error::Disk { path: program.into(), doing: "run", source });
    let mut child =
        Command::new(program).args(arguments).stdin(Stdio::null()).stdout(std::io::stderr()).spawn().map_err(disk)?;
    let deadline = Instant::now() + WAIT;
    loop {
        match child.try_wait().map_err(disk)? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(refused(&format!("it ended with {status}"), arguments)),
            None if Instant::now() >= deadline => {
                child.kill().and_then(|()| child.wait()).map_err(disk)?;
                return Err(refused(&format!("it did not end within {} s", WAIT.as_secs()), arguments));
            }
            None => std::thread::sleep(LOOK_PAUSE),
        }
    }
}

/// Believes what stands in the file.
fn check(path: &Path, is_done: impl Fn(&str) -> bool, arguments: &[String]) -> Answer<()> {
    let config = ConfigFile::read(path).map_err(failed)?;
    if is_done(config.text()) {
        return Ok(());
    }
    Err(refused(&format!("{} does not say what it should", path.display()), arguments))
}

fn refused(what: &str, arguments: &[String]) -> ErrorAnswer {
    ErrorAnswer::from(&Error::Told {
        kind: ErrorKind::Refused,
        message: format!("`claude` could not be asked to change its config: {what}"),
        suggestion: format!("Run it yourself and look at what it says: {}", command_line(arguments)),
    })
}
