//! The daemon as a service, under a service manager that is real: systemd's of a person, in a home and a runtime folder of its own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail, and says what it saw"
)]
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Where Debian and others have systemd.
const SYSTEMD: &str = "/lib/systemd/systemd";

/// How long a busy machine may take to start or end something.
const WAIT: Duration = Duration::from_secs(30);

/// Managers that were started side by side take each other's services for their own, since they share a group of processes.
static ONE_MANAGER: Mutex<()> = Mutex::new(());

/// A person with a home of their own.
struct User {
    folder: tempfile::TempDir,
    manager: Option<Child>,
    /// Held until the manager has ended.
    turn: Option<MutexGuard<'static, ()>>,
}

impl User {
    fn new() -> Self {
        // A socket's path must be short.
        let folder = tempfile::Builder::new().prefix("s").tempdir_in("/var/tmp").unwrap();
        for (name, mode) in [("r", 0o700), ("h", 0o755), ("h/bin", 0o755)] {
            fs::create_dir(folder.path().join(name)).unwrap();
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
            fs::set_permissions(folder.path().join(name), permissions).unwrap();
        }
        let user = Self { folder, manager: None, turn: None };
        user.put_program(&user.home().join("bin"));
        user
    }

    /// A person for whom systemd runs; `None` where it cannot.
    fn with_manager() -> Option<Self> {
        let mut user = Self::new();
        // A test that failed has ended its own.
        user.turn = Some(ONE_MANAGER.lock().unwrap_or_else(PoisonError::into_inner));
        // It runs where systemd has booted the system, which is so in a room of its own.
        let boot = format!(
            "mount -t tmpfs tmpfs /run/systemd && cd /run/systemd && mkdir system inaccessible && \
             mkdir -m 0 inaccessible/dir && touch inaccessible/reg && chmod 0 inaccessible/reg && \
             exec {SYSTEMD} --user --log-level=info --log-target=console"
        );
        let mut unshare = user.command(Path::new("unshare"), &["--mount", "sh", "-c", &boot]);
        let log = fs::File::create(user.folder.path().join("manager.log")).unwrap();
        user.manager = unshare.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().ok();
        let deadline = Instant::now() + WAIT;
        while Instant::now() < deadline {
            let mut ask = user.command(Path::new("systemctl"), &["--user", "show", "--property=Version"]);
            if ask.stderr(Stdio::null()).stdout(Stdio::null()).status().is_ok_and(|status| status.success()) {
                if user.can_run("") {
                    return Some(user);
                }
                break;
            }
            let ended = |child: &mut Child| child.try_wait().is_ok_and(|status| status.is_some());
            if user.manager.as_mut().is_none_or(ended) {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // Only root has such rooms, and not on every system.
        println!("NOT RUN systemd cannot be run here: {}", env!("CARGO_CRATE_NAME"));
        None
    }

    /// Tells whether the manager can run anything at all with these properties.
    fn can_run(&self, properties: &str) -> bool {
        // A name of its own: the manager may still know another one by what it said.
        let name = format!("probe-{}.service", properties.len());
        let unit = self.unit().with_file_name(&name);
        fs::create_dir_all(unit.parent().unwrap()).unwrap();
        fs::write(&unit, format!("[Service]\nType=oneshot\nExecStart=/bin/true\n{properties}")).unwrap();
        let mut start = self.command(Path::new("systemctl"), &["--user", "start", &name]);
        let started = start.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        fs::remove_file(unit).unwrap();
        started
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("h")
    }

    fn unit(&self) -> PathBuf {
        self.home().join(".config/systemd/user/mcp-workspace.service")
    }

    /// Puts the program into a folder, as an update does.
    fn put_program(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        let new = folder.join(".new");
        fs::copy(env!("CARGO_BIN_EXE_mcp-workspace"), &new).unwrap();
        fs::rename(new, folder.join("mcp-workspace")).unwrap();
    }

    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        let path = format!("{}:/usr/bin:/bin:/usr/sbin:/sbin", self.home().join("bin").display());
        command.args(arguments).env_clear().env("HOME", self.home()).env("PATH", path);
        command.env("XDG_RUNTIME_DIR", self.folder.path().join("r"));
        command
    }

    fn program(&self, arguments: &[&str]) -> Command {
        self.command(&self.home().join("bin/mcp-workspace"), arguments)
    }

    /// Runs the program; returns its exit code and what it answers.
    fn ask(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.program(arguments).arg("--json").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{arguments:?}: {text}\n{output:?}"));
        (output.status.code().unwrap(), value)
    }

    /// Runs the program, which must have done what was asked.
    #[track_caller]
    fn done(&self, arguments: &[&str]) -> Value {
        let (code, value) = self.ask(arguments);
        assert_eq!(code, 0, "{arguments:?}: {value}\n{}", self.told());
        value
    }

    /// What systemd has said.
    fn told(&self) -> String {
        fs::read_to_string(self.folder.path().join("manager.log")).unwrap_or_default()
    }

    #[track_caller]
    fn pid(&self) -> u64 {
        let status = self.done(&["service", "status"]);
        assert_eq!(status["running"], true, "{status}");
        status["pid"].as_u64().unwrap()
    }

    /// Waits until another process than this one is the service.
    #[track_caller]
    fn pid_after(&self, before: u64) -> u64 {
        let deadline = Instant::now() + WAIT;
        loop {
            let (_, status) = self.ask(&["service", "status"]);
            match status["pid"].as_u64().filter(|pid| *pid != before && status["running"] == true) {
                Some(pid) => return pid,
                None => assert!(Instant::now() < deadline, "{status}\n{}", self.told()),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn signal(&self, pid: u64, signal: &str) {
        assert!(self.command(Path::new("kill"), &[signal, &pid.to_string()]).status().unwrap().success());
    }
}

impl Drop for User {
    fn drop(&mut self) {
        if let Some(manager) = &mut self.manager {
            // It ends its services first.
            let pid = manager.id().to_string();
            drop(Command::new("kill").args(["-TERM", &pid]).status());
            let deadline = Instant::now() + WAIT;
            while manager.try_wait().is_ok_and(|status| status.is_none()) && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(20));
            }
            drop(manager.kill());
            drop(manager.wait());
        }
    }
}

#[test]
fn it_is_installed_once_and_outlives_what_happens_to_it() {
    let Some(user) = User::with_manager() else { return };
    let first = user.done(&["service", "install"]);
    assert_eq!(first["files"], json!([{ "path": user.unit(), "done": "written", "backup": null }]), "{first}");
    let status = user.done(&["service", "status"]);
    let expected = json!({
        "service": "mcp-workspace", "installed": true, "enabled": true, "running": true, "state": "active (running)",
        "pid": first["pid"], "current": true,
    });
    assert_eq!(status, expected);
    assert_eq!(user.done(&["status"])["accounts"], json!([]));
    // A second time changes nothing.
    let again = user.done(&["service", "install"]);
    assert_eq!((&again["files"][0]["done"], &again["pid"]), (&json!("unchanged"), &first["pid"]), "{}", user.told());
    // It comes back by itself.
    let pid = user.pid();
    user.signal(pid, "-KILL");
    let pid = user.pid_after(pid);
    // An update is run once it is asked for, and the file stays as it is.
    user.put_program(&user.home().join("bin"));
    assert_eq!(user.pid(), pid);
    let updated = user.done(&["service", "install"]);
    assert_eq!(updated["files"][0]["done"], "unchanged");
    assert_ne!(updated["pid"].as_u64().unwrap(), pid);
    // What a person wrote there is kept beside it.
    fs::write(user.unit(), "[Service]\nExecStart=/bin/true\n").unwrap();
    assert_eq!(user.done(&["service", "status"])["current"], false);
    let renewed = user.done(&["service", "install"]);
    assert_eq!(renewed["files"][0]["done"], "renewed");
    let backup = renewed["files"][0]["backup"].as_str().unwrap();
    assert_eq!(fs::read_to_string(backup).unwrap(), "[Service]\nExecStart=/bin/true\n");

    user.done(&["service", "stop"]);
    let (code, status) = user.ask(&["service", "status"]);
    assert_eq!((code, &status["running"], &status["enabled"]), (1, &json!(false), &json!(true)));
    let started = user.done(&["service", "start"]);
    assert_ne!(user.done(&["service", "restart"])["pid"], started["pid"]);

    let workspace = user.home().join(".mcp-workspace");
    fs::write(workspace.join("mine.md"), "mine").unwrap();
    let removed = user.done(&["service", "uninstall"]);
    assert_eq!(removed["removed"], json!([user.unit()]));
    assert!(!user.unit().exists() && workspace.join("mine.md").exists());
    let (code, status) = user.ask(&["service", "status"]);
    assert_eq!((code, &status["installed"], &status["running"]), (1, &json!(false), &json!(false)));
    assert_eq!(user.done(&["service", "uninstall"])["removed"], json!([]));
    let (code, refused) = user.ask(&["service", "start"]);
    assert!(code == 1 && refused["suggestion"].as_str().unwrap().contains("service install"), "{refused}");
}

/// One that hangs is ended and started anew; one that works is left alone.
#[test]
fn it_tells_that_it_lives() {
    let Some(user) = User::with_manager() else { return };
    let folder = user.unit().with_file_name("mcp-workspace.service.d");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mine.conf"), "[Service]\nWatchdogSec=1\n").unwrap();
    user.done(&["service", "install"]);
    let pid = user.pid();
    std::thread::sleep(Duration::from_millis(2_500));
    assert_eq!(user.pid(), pid, "{}", user.told());
    user.signal(pid, "-STOP");
    user.pid_after(pid);
    user.done(&["service", "uninstall"]);
    assert!(folder.join("mine.conf").exists(), "a person's own change stays");
}

#[test]
fn a_daemon_that_a_client_started_makes_room() {
    let Some(user) = User::with_manager() else { return };
    let mut other = user.program(&["daemon"]).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + WAIT;
    while user.ask(&["status"]).0 != 0 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(20));
    }
    let installed = user.done(&["service", "install"]);
    assert_eq!(installed["ended"], other.id(), "{installed}");
    assert!(other.wait().unwrap().success());
    assert_eq!(user.done(&["status"])["accounts"], json!([]));
}

#[test]
fn the_stricter_one_works_as_well() {
    let Some(user) = User::with_manager() else { return };
    if !user.can_run("PrivateUsers=yes\nProtectSystem=strict\nPrivateDevices=yes\nInaccessiblePaths=-%h/bin\n") {
        println!("NOT RUN a service cannot have its own view of the disk here: {}", env!("CARGO_CRATE_NAME"));
        return;
    }
    let installed = user.done(&["service", "install", "--strict"]);
    assert_eq!(installed["files"].as_array().unwrap().len(), 2, "{installed}");
    fs::create_dir(user.home().join(".ssh")).unwrap();
    let pid = user.done(&["service", "restart"])["pid"].as_u64().unwrap();
    // Its own view of the disk: nothing of the system can be written, and keys cannot be seen.
    let mounts = fs::read_to_string(format!("/proc/{pid}/mounts")).unwrap();
    let keys = user.home().join(".ssh");
    let options = |place: &str| {
        let mut mounts = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        mounts
            .find(|fields| fields.get(1) == Some(&place))
            .and_then(|fields| fields.get(3).copied())
            .unwrap_or_default()
    };
    assert!(options("/").split(',').any(|option| option == "ro"), "{mounts}");
    assert!(options(keys.to_str().unwrap()).split(',').any(|option| option == "ro"), "{mounts}");
    assert_eq!(user.done(&["status"])["accounts"], json!([]));
    // To install it once more makes nothing looser.
    user.done(&["service", "install"]);
    assert!(user.unit().with_file_name("mcp-workspace.service.d/strict.conf").exists());
    assert_eq!(user.done(&["service", "uninstall"])["removed"].as_array().unwrap().len(), 2);
}

#[test]
fn without_a_manager_nothing_is_written() {
    let user = User::new();
    let (code, refused) = user.ask(&["service", "install"]);
    assert!(code == 1 && refused["suggestion"].as_str().unwrap().contains("mcp-workspace daemon"), "{refused}");
    assert!(!user.unit().exists());
    let (code, printed) = user.ask(&["service", "install", "--print", "--strict"]);
    assert_eq!((code, printed["files"].as_array().unwrap().len()), (0, 2), "{printed}");
    // Where the program is found by its name it is found after an update, too.
    let text = printed["files"][0]["text"].as_str().unwrap();
    assert!(text.contains(&format!("ExecStart={}/bin/mcp-workspace daemon\n", user.home().display())), "{text}");
    assert!(!user.unit().exists());
    let config = user.home().join(".config/mcp-workspace/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(config, "poll_ms = 7\nnonsense = 1\n").unwrap();
    let (code, refused) = user.ask(&["service", "install"]);
    assert!(code == 1 && refused["message"].as_str().unwrap().contains("line 2"), "{refused}");
}

#[test]
fn the_units_are_sound() {
    let user = User::new();
    let home = user.home().join("a home with 100% $x");
    let home = home.to_str().unwrap();
    for arguments in
        [vec!["service", "install", "--print", "--strict"], vec!["--home", home, "service", "install", "--print"]]
    {
        let files = user.done(&arguments)["files"].as_array().unwrap().clone();
        for file in &files {
            let path = PathBuf::from(file["path"].as_str().unwrap());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, file["text"].as_str().unwrap()).unwrap();
        }
        let unit = files[0]["path"].as_str().unwrap();
        let verified = user.command(Path::new("systemd-analyze"), &["--user", "verify", unit]).output();
        let Ok(verified) = verified else {
            println!("NOT RUN systemd-analyze is not here: {}", env!("CARGO_CRATE_NAME"));
            return;
        };
        let said = String::from_utf8_lossy(&verified.stderr).into_owned();
        let ours: Vec<&str> = said.lines().filter(|line| line.contains("mcp-workspace")).collect();
        assert!(verified.status.success() && ours.is_empty(), "{said}");
    }
}
