//! What tells one process from another that got its number later.

use std::path::Path;

use rustix::process::Pid;

/// A process as the system knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    /// When it started, in the system's own words: no two processes have both the same number and the same start.
    pub(super) started: String,
    /// Its user.
    pub(super) uid: u32,
    /// Its arguments, a NUL or a space behind each.
    pub(super) arguments: String,
}

impl Identity {
    /// Reads what the system knows of a process; `None` when there is none, or it has ended and waits for its parent.
    pub(super) fn of(pid: Pid) -> Option<Self> {
        if cfg!(target_os = "linux") { from_proc(pid) } else { from_ps(pid) }
    }

    /// Tells whether it is a browser of this user on the folder `data`.
    pub(super) fn is_browser_on(&self, data: &Path) -> bool {
        let Some(data) = data.to_str() else { return false };
        let argument = format!("--user-data-dir={data}");
        let mut rest = self.arguments.as_str();
        while let Some((_, behind)) = rest.split_once(&argument) {
            // What follows must not be a longer name.
            if behind.is_empty() || behind.starts_with(['\0', ' ']) {
                return self.uid == rustix::process::geteuid().as_raw();
            }
            rest = behind;
        }
        false
    }
}

/// Source: <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>
fn from_proc(pid: Pid) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let folder = Path::new("/proc").join(pid.as_raw_nonzero().to_string());
    let stat = std::fs::read(folder.join("stat")).ok()?;
    let started = started(&String::from_utf8_lossy(&stat))?;
    let uid = std::fs::metadata(&folder).ok()?.uid();
    let arguments = std::fs::read(folder.join("cmdline")).ok()?;
    Some(Identity { started, uid, arguments: String::from_utf8_lossy(&arguments).into_owned() })
}

/// Finds the start, in ticks since the machine's, in a line of `/proc/<pid>/stat`; `None` for one that has ended.
fn started(stat: &str) -> Option<String> {
    // The name of the program stands in brackets and may hold any character, brackets and spaces too.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X" | "x") {
        return None;
    }
    // The state is the third field of the line and the start the twenty-second.
    fields.nth(18).map(str::to_owned)
}

fn from_ps(pid: Pid) -> Option<Identity> {
    let told = std::process::Command::new("/bin/ps")
        .args(["-ww", "-o", "state=,uid=,lstart=,command=", "-p", &pid.as_raw_nonzero().to_string()])
        .env("LC_ALL", "C")
        .output()
        .ok()?;
    parse_ps(&String::from_utf8_lossy(&told.stdout))
}

/// Reads a line such as `S  501 Mon Nov 30 02:36:11 2026  /path/of/program --argument`.
fn parse_ps(line: &str) -> Option<Identity> {
    let mut fields = line.split_ascii_whitespace();
    let state = fields.next()?;
    let uid = fields.next()?.parse().ok()?;
    let started: Vec<_> = fields.by_ref().take(5).collect();
    let arguments: Vec<_> = fields.collect();
    (started.len() == 5 && !state.starts_with('Z')).then(|| Identity {
        started: started.join(" "),
        uid,
        arguments: arguments.join(" "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_found_behind_any_name() {
        let line = "12 (a) b (c) S 1 12 12 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 9 0 4567 8 9";
        assert_eq!(started(line).as_deref(), Some("4567"));
        assert_eq!(started(&line.replace(" S ", " Z ")), None);
        assert_eq!(started("12 (a"), None);
    }

    #[test]
    fn a_line_of_ps_is_read() {
        let read = parse_ps("S  501 Mon Nov 30 02:36:11 2026  /a b/Chrome --user-data-dir=/p q/data --x\n").unwrap();
        assert_eq!((read.uid, read.started.as_str()), (501, "Mon Nov 30 02:36:11 2026"));
        assert_eq!(read.arguments, "/a b/Chrome --user-data-dir=/p q/data --x");
        assert_eq!(parse_ps("Z 501 Mon Nov 30 02:36:11 2026 (x)"), None);
        assert_eq!(parse_ps(""), None);
    }

    #[test]
    fn only_a_browser_of_ours_on_that_very_folder_is_it() {
        let uid = rustix::process::geteuid().as_raw();
        for (arguments, uid, expected) in [
            ("chromium\0--user-data-dir=/p/data\0--x\0", uid, true),
            ("chromium --user-data-dir=/p/data", uid, true),
            ("chromium\0--user-data-dir=/p/data2\0--user-data-dir=/p/data\0", uid, true),
            ("chromium\0--user-data-dir=/p/data2\0", uid, false),
            ("chromium\0--user-data-dir=/p/data\0", uid + 1, false),
            ("vi\0/p/data\0", uid, false),
        ] {
            let identity = Identity { started: "1".into(), uid, arguments: arguments.into() };
            assert_eq!(identity.is_browser_on(Path::new("/p/data")), expected, "{arguments:?}");
        }
    }

    #[test]
    fn this_process_is_known() {
        let own = Identity::of(rustix::process::getpid()).unwrap();
        assert_eq!(own.uid, rustix::process::geteuid().as_raw());
        assert_eq!(Identity::of(rustix::process::getpid()), Some(own));
    }
}
