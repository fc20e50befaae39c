//! Which files have a writer: a program that has one open can save into it long after its name leads elsewhere.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::model::Millis;

/// Where Linux tells of every process which files it has open.
///
/// Source: <https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html>
const PROCESSES: &str = "/proc";

/// Open files that are looked at, at most; a machine with more tells nothing.
const OPEN_MAX: usize = 1 << 20;

/// How long after it was replaced a file may have a writer where no system tells, in milliseconds.
const UNTOLD_MS: u64 = 3_600_000;

/// The bits of an open file's flags that say whether it is read, written or both; zero is reading alone.
const ACCESS_MODE: u32 = 0o3;

/// The files that programs of this user have open for writing; `None` where the system does not tell.
#[derive(Debug)]
pub(super) struct Writers(Option<BTreeSet<(u64, u64)>>);

impl Writers {
    /// Asks the system.
    pub(super) fn now() -> Self {
        Self::below(Path::new(PROCESSES))
    }

    fn below(processes: &Path) -> Self {
        // A process that may not be asked, or has ended, tells nothing, as a file that is closed meanwhile does.
        let Ok(all) = fs::read_dir(processes) else { return Self(None) };
        let mut open = BTreeSet::new();
        let (mut looked, mut told) = (0, false);
        for process in all.flatten().filter(|entry| is_number(&entry.file_name())) {
            let Ok(files) = fs::read_dir(process.path().join("fd")) else { continue };
            told = true;
            for file in files.flatten() {
                looked += 1;
                if looked > OPEN_MAX {
                    return Self(None);
                }
                let writes = fs::read_to_string(process.path().join("fdinfo").join(file.file_name()))
                    .is_ok_and(|facts| is_written(&facts));
                if writes && let Ok(metadata) = fs::metadata(file.path()) {
                    open.insert((metadata.dev(), metadata.ino()));
                }
            }
        }
        Self(told.then_some(open))
    }

    /// Whether the system tells who writes.
    pub(super) const fn tells(&self) -> bool {
        self.0.is_some()
    }

    /// Tells whether somebody may save yet into a file that was replaced.
    pub(super) fn may_save(&self, file: &Metadata, now: Millis) -> bool {
        match &self.0 {
            Some(open) => open.contains(&(file.dev(), file.ino())),
            None => {
                let replaced = u64::try_from(file.ctime()).unwrap_or_default().saturating_mul(1000);
                now.0.saturating_sub(replaced) < UNTOLD_MS
            }
        }
    }
}

fn is_number(name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Tells whether what the system says of an open file names it as one that is written to.
fn is_written(facts: &str) -> bool {
    let flags = facts.lines().find_map(|line| line.strip_prefix("flags:"));
    flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).is_some_and(|flags| flags & ACCESS_MODE != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_tell_who_writes() {
        assert!(is_written("pos:\t0\nflags:\t0100002\nmnt_id:\t29\n"));
        assert!(is_written("flags:\t02101\n"));
        assert!(!is_written("pos:\t0\nflags:\t0100000\n"));
        assert!(!is_written(""));
    }

    #[test]
    fn where_nobody_tells_time_does() {
        let folder = tempfile::tempdir().unwrap();
        let metadata = fs::metadata(folder.path()).unwrap();
        let replaced = u64::try_from(metadata.ctime()).unwrap() * 1000;
        for untold in [Writers::below(folder.path()), Writers::below(&folder.path().join("none"))] {
            assert!(untold.may_save(&metadata, Millis(replaced + UNTOLD_MS - 1)));
            assert!(!untold.may_save(&metadata, Millis(replaced + UNTOLD_MS)));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_who_has_it_open_for_writing_may_save() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "a").unwrap();
        let metadata = fs::metadata(&path).unwrap();
        let may_save = || Writers::now().may_save(&metadata, Millis(0));
        let reader = fs::File::open(&path).unwrap();
        assert!(!may_save());
        let writer = fs::OpenOptions::new().append(true).open(&path).unwrap();
        assert!(may_save());
        drop((reader, writer));
        assert!(!may_save());
    }
}
