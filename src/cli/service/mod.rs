//! `service`: the daemon as a service of the person's own, which starts when they sign in.

mod manager;
mod unit;

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use directories::BaseDirs;
use serde_json::json;

use super::arguments::ServiceVerb;
use super::config_file::ConfigFile;
use super::{Answer, Outcome, Report, demo, failed, serve, utf8};
use crate::config::{Config, Places};
use crate::error::{Error, ErrorKind};
use crate::tools::{self, ErrorAnswer};
use manager::Manager;
use unit::{Service, UnitFile};

/// How long a daemon that a client has started may take to end: what is at work is finished.
const END_WAIT: Duration = Duration::from_secs(20);
/// The pause between two looks whether it has.
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// A service, and who runs it.
struct Managed<'a> {
    manager: Manager,
    service: Service,
    /// What the manager calls it.
    unit: String,
    user_home: PathBuf,
    /// Where the files of units are.
    folder: PathBuf,
    places: &'a Places,
}

/// Tells how the service of a home stands.
pub(super) fn standing(places: &Places) -> Answer<Report> {
    Managed::of(places)?.status()
}

/// Carries out what is asked for the service of a home.
pub(super) fn perform(verb: &ServiceVerb, places: &Places, json: bool) -> Answer<Outcome> {
    let managed = Managed::of(places)?;
    let report = match *verb {
        ServiceVerb::Install { strict, print: true } => managed.printed(strict)?,
        ServiceVerb::Install { strict, print: false } => managed.install(strict)?,
        ServiceVerb::Uninstall => managed.uninstall()?,
        ServiceVerb::Start => managed.change(Manager::start, "started")?,
        ServiceVerb::Stop => managed.change(Manager::stop, "stopped")?,
        ServiceVerb::Restart => managed.change(Manager::restart, "started anew")?,
        ServiceVerb::Status => managed.status()?,
        ServiceVerb::Logs { lines, follow } => {
            if json && managed.manager == Manager::Launchd {
                return Err(ErrorAnswer::invalid("launchd keeps the log as plain lines", "Leave --json out."));
            }
            let log = managed.service.log(&managed.user_home);
            return Err(managed.manager.show_logs(&managed.unit, &log, lines, follow, json));
        }
    };
    Ok(report.tell(json))
}

impl<'a> Managed<'a> {
    fn of(places: &'a Places) -> Answer<Self> {
        let Some(base) = BaseDirs::new() else {
            return Err(ErrorAnswer::invalid("this user has no home folder", "Set HOME."));
        };
        let home = places.home.as_deref().map(utf8).transpose()?;
        let service = Service::new(utf8(&stable_program()?)?, home, places.variables());
        let manager = Manager::here();
        let unit = match manager {
            Manager::Systemd => service.unit(),
            Manager::Launchd => service.name.clone(),
        };
        let folder = base.config_dir().join("systemd/user");
        Ok(Self { manager, service, unit, user_home: base.home_dir().into(), folder, places })
    }

    /// The files as they are to be, the one of the service itself first.
    fn files(&self, strict: bool) -> Vec<UnitFile> {
        match self.manager {
            Manager::Systemd => {
                let strict = strict.then(|| self.service.strict(&self.folder));
                [self.service.systemd(&self.folder)].into_iter().chain(strict).collect()
            }
            Manager::Launchd => vec![self.service.launchd(&self.user_home)],
        }
    }

    /// Tells what would be written, and writes nothing.
    fn printed(&self, strict: bool) -> Answer<Report> {
        self.check_strict(strict)?;
        let files = self.files(strict);
        let lines = files.iter().map(|file| format!("# {}\n{}", file.path.display(), file.text)).collect();
        let value = files.iter().map(|file| json!({ "path": file.path, "text": file.text })).collect::<Vec<_>>();
        Ok(Report { value: json!({ "service": self.service.name, "files": value }), lines, waits: false })
    }

    fn check_strict(&self, strict: bool) -> Answer<()> {
        match self.manager {
            Manager::Launchd if strict => {
                Err(ErrorAnswer::invalid("launchd has nothing stricter", "Leave --strict out."))
            }
            Manager::Launchd | Manager::Systemd => Ok(()),
        }
    }

    /// Writes the files where they are not as they are to be, and starts the service.
    fn install(&self, strict: bool) -> Answer<Report> {
        self.check_strict(strict)?;
        if demo::is_demo(self.places) {
            let what = "this home is that of a demo, which has its own Google and runs until Ctrl-C";
            return Err(ErrorAnswer::invalid(what, "Leave `--home` out, or name another folder."));
        }
        // What the daemon would stumble over is said here, not in its log.
        let config = Config::read(&self.places.config_file()).map_err(failed)?;
        self.manager.check()?;
        let files = self.files(strict);
        let mut told = Vec::new();
        let mut is_changed = false;
        for file in &files {
            let (done, backup) = written(file)?;
            is_changed |= done != "unchanged";
            told.push((file.path.clone(), done, backup));
        }
        let first = &files.first().map(|file| file.path.clone()).unwrap_or_default();
        self.manager.enable(&self.unit, first, is_changed)?;
        let before = self.manager.state(&self.unit)?;
        let ended = if before.is_active { None } else { end_other(self.places)? };
        if !before.is_active || is_changed || before.pid.is_some_and(is_replaced) {
            self.manager.restart(&self.unit)?;
        }
        let state = self.manager.state(&self.unit)?;
        let mut lines: Vec<String> = Vec::new();
        for (path, done, backup) in &told {
            let backup = backup.as_ref().map(|backup| format!("; what stood there is {}", backup.display()));
            lines.push(format!("{} {done}{}", path.display(), backup.unwrap_or_default()));
        }
        if let Some(pid) = ended {
            lines.push(format!("the daemon that a client had started (process {pid}) was ended for that"));
        }
        lines.push(format!("{} runs: {}", self.service.name, state.words));
        lines.extend(self.hints(&config));
        let files = told.iter().map(|(path, done, backup)| json!({ "path": path, "done": done, "backup": backup }));
        let value = json!({
            "service": self.service.name, "files": files.collect::<Vec<_>>(), "running": state.is_active, "pid": state.pid,
            "ended": ended,
        });
        Ok(Report { value, lines, waits: !state.is_active })
    }

    /// What to know once a service runs.
    fn hints(&self, config: &Config) -> Vec<String> {
        let mut lines = Vec::new();
        if config.accounts.is_empty() {
            let command = self.places.command();
            lines.push(format!(
                "no account is signed in yet: `{command} auth add --client FILE`, then `{command} service restart`"
            ));
        }
        if self.manager == Manager::Systemd {
            lines.push(
                "it starts when you sign in and ends when you have signed out; `loginctl enable-linger` has it run without you"
                    .to_owned(),
            );
        }
        lines
    }

    /// Ends the service and takes its files away; all else stays.
    fn uninstall(&self) -> Answer<Report> {
        self.manager.check()?;
        let known = self.manager.state(&self.unit)?;
        let files: Vec<PathBuf> =
            self.files(true).into_iter().map(|file| file.path).filter(|path| path.symlink_metadata().is_ok()).collect();
        if !known.is_known && files.is_empty() {
            let line = format!("{} was not installed", self.service.name);
            let value = json!({ "service": self.service.name, "removed": [] });
            return Ok(Report { value, lines: vec![line], waits: false });
        }
        if known.is_known {
            self.manager.disable(&self.unit)?;
        }
        for path in &files {
            fs::remove_file(path)
                .map_err(|source| failed(Error::Disk { path: path.clone(), doing: "removed", source }))?;
        }
        // A folder in which a person keeps changes of their own stays.
        drop(fs::remove_dir(self.folder.join(format!("{}.d", self.service.unit()))));
        self.manager.forget(&self.unit)?;
        let mut lines: Vec<String> = files.iter().map(|path| format!("{} removed", path.display())).collect();
        lines.push(format!(
            "your files in {} stay, and so do {} and {}",
            self.places.workspace.display(),
            self.places.config.display(),
            self.places.state.display()
        ));
        lines.push("a client that is connected starts a daemon by itself; `mcp uninstall` disconnects it".into());
        Ok(Report { value: json!({ "service": self.service.name, "removed": files }), lines, waits: false })
    }

    /// Starts the service, or ends it.
    fn change(&self, how: fn(Manager, &str) -> Answer<()>, done: &str) -> Answer<Report> {
        self.manager.check()?;
        let before = self.manager.state(&self.unit)?;
        if !before.is_known {
            return Err(ErrorAnswer::from(&Error::Told {
                kind: ErrorKind::Daemon,
                message: format!("{} is not installed", self.service.name),
                suggestion: format!("Run `{} service install` first.", self.places.command()),
            }));
        }
        if !before.is_active && done != "stopped" {
            end_other(self.places)?;
        }
        how(self.manager, &self.unit)?;
        let state = self.manager.state(&self.unit)?;
        let line = format!("{} was {done}: {}", self.service.name, state.words);
        let value = json!({ "service": self.service.name, "running": state.is_active, "pid": state.pid });
        Ok(Report { value, lines: vec![line], waits: state.is_active == (done == "stopped") })
    }

    /// Tells how the service stands, and whether its file is the one that this program would write.
    fn status(&self) -> Answer<Report> {
        let state = self.manager.state(&self.unit)?;
        let file = self.files(false).into_iter().next();
        let stands = file.as_ref().and_then(|file| fs::read_to_string(&file.path).ok());
        let is_current = file.as_ref().is_some_and(|file| stands.as_deref() == Some(&*file.text));
        let mut lines = Vec::new();
        let command = self.places.command();
        if !state.is_known && stands.is_none() {
            lines.push(format!("{} is not installed; `{command} service install` does that", self.service.name));
        } else {
            let pid = state.pid.map(|pid| format!(", process {pid}")).unwrap_or_default();
            let start = if state.is_enabled { "starts when you sign in" } else { "does not start by itself" };
            lines.push(format!("{}: {}{pid}; {start}", self.service.name, state.words));
            if !is_current {
                lines.push(format!(
                    "its file is not the one that this program writes; `{command} service install` renews it"
                ));
            }
            if state.pid.is_some_and(is_replaced) {
                lines.push(format!("the program was replaced since; `{command} service restart` runs the new one"));
            }
        }
        if !state.is_active && tools::is_locked(&self.places.run) {
            lines.push("a daemon runs all the same: a client or a person has started it".into());
        }
        let value = json!({
            "service": self.service.name, "installed": state.is_known, "enabled": state.is_enabled,
            "running": state.is_active, "state": state.words, "pid": state.pid, "current": is_current,
        });
        Ok(Report { value, lines, waits: !state.is_active })
    }
}

/// Writes a file where it is not as it is to be; tells what was done, and where that stands which stood there before and is not ours.
fn written(file: &UnitFile) -> Answer<(&'static str, Option<PathBuf>)> {
    let stands = ConfigFile::read(&file.path).map_err(failed)?;
    if stands.text() == file.text {
        return Ok(("unchanged", None));
    }
    let backup = stands.replace(&file.text).map_err(failed)?;
    Ok((if backup.is_some() { "renewed" } else { "written" }, backup))
}

/// Where this program is found by its name, if that leads to it: it stays so when a newer one takes its place. Else where it is.
fn stable_program() -> Answer<PathBuf> {
    let program = serve::program()?;
    let Ok(real) = fs::canonicalize(&program) else {
        let what = format!("this program is no longer where it was started from: {}", program.display());
        return Err(ErrorAnswer::invalid(what, "It was replaced meanwhile; run the command once more."));
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = program.file_name().map(Path::new).unwrap_or(Path::new("mcp-workspace"));
    let mut found = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(named));
    Ok(found.find(|path| fs::canonicalize(path).is_ok_and(|there| there == real)).unwrap_or(real))
}

/// Tells whether a process runs a program that was replaced since.
fn is_replaced(pid: u32) -> bool {
    // Where the system tells nothing of that, nothing was replaced as far as is known.
    let Ok(runs) = fs::read_link(format!("/proc/{pid}/exe")) else { return false };
    runs.to_string_lossy().ends_with(" (deleted)")
}

/// Ends a daemon that serves this home without being the service, as one that a client has started: else the service could not
/// start. Returns its process.
fn end_other(places: &Places) -> Answer<Option<u32>> {
    if !tools::is_locked(&places.run) {
        return Ok(None);
    }
    let in_the_way = || {
        ErrorAnswer::from(&Error::Told {
            kind: ErrorKind::Daemon,
            message: format!("a daemon already serves {}, and it does not end", places.run.display()),
            suggestion: "End it, as with Ctrl-C where it runs, and run the command once more.".into(),
        })
    };
    let pid = daemon_of(places).ok_or_else(in_the_way)?;
    if rustix::process::kill_process(pid, rustix::process::Signal::TERM).is_err() {
        return Err(in_the_way());
    }
    let deadline = Instant::now() + END_WAIT;
    while tools::is_locked(&places.run) {
        if Instant::now() >= deadline {
            return Err(in_the_way());
        }
        std::thread::sleep(LOOK_PAUSE);
    }
    Ok(u32::try_from(pid.as_raw_nonzero().get()).ok())
}

/// The process that answers at a home's socket.
#[cfg(target_os = "linux")]
fn daemon_of(places: &Places) -> Option<rustix::process::Pid> {
    let stream = UnixStream::connect(places.control_socket()).ok()?;
    let peer = rustix::net::sockopt::socket_peercred(&stream).ok()?;
    (peer.uid == rustix::process::getuid()).then_some(peer.pid)
}

/// The system does not tell that.
#[cfg(not(target_os = "linux"))]
fn daemon_of(_: &Places) -> Option<rustix::process::Pid> {
    None
}
