//! The folder in which a browser keeps a person's sign-in, and who may use it.
//!
//! What stands in it is as good as a password: Chromium encrypts cookies with a key of the desktop only where it has one, and
//! with `--password-store=basic` with one that everybody knows. So the folder's mode is what guards it.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use tokio::time::Instant;

use super::error::{Error, Result};

/// How often a lock that another process has is tried.
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// A browser's profile: a folder with a lock, a note of the browser that runs on it, and Chromium's own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    root: PathBuf,
}

/// Holds a profile for this process until it is dropped or the process ends, however that ends.
#[derive(Debug)]
pub(super) struct Claim(#[expect(dead_code, reason = "it is held, not used")] Option<File>);

impl Profile {
    /// Names the profile at `root`, an absolute path. Nothing is read or made yet.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns the profile's folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder that is Chromium's.
    #[must_use]
    pub fn data_folder(&self) -> PathBuf {
        self.root.join("data")
    }

    /// Returns where the note of the running browser stands.
    pub(super) fn note(&self) -> PathBuf {
        self.root.join("running.json")
    }

    /// Makes the folders, or makes sure of them: of this user alone, mode 0700, no links. One that others may read is closed to
    /// them, since what is in it is the person's.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the path is not absolute; `Unsafe` when a folder is a link, no folder, or another user's; `Disk` as
    /// it comes.
    pub fn prepare(&self) -> Result<()> {
        if !self.root.is_absolute() {
            return Err(Error::InvalidInput {
                what: format!("`{}` is not an absolute path", self.root.display()),
                suggestion: "name the folder of the profile with its whole path",
            });
        }
        private_folder(&self.root)?;
        private_folder(&self.data_folder())
    }

    /// Takes the profile for this process, waiting at most `within` for another that has it.
    ///
    /// The lock is the kernel's, so it ends with its process and none is ever stale.
    ///
    /// # Errors
    ///
    /// `InUse` when another process, or another browser of this one, has it; `Unsafe` and `Disk` as [`Self::prepare`].
    pub(super) async fn claim(&self, within: Duration) -> Result<Claim> {
        self.prepare()?;
        let path = self.root.join("lock");
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file: File = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)
            .map(File::from)
            .map_err(|errno| disk(&path, "opened", errno.into()))?;
        let deadline = Instant::now() + within;
        loop {
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Claim(Some(file))),
                Err(Errno::WOULDBLOCK) if Instant::now() < deadline => tokio::time::sleep(LOCK_PAUSE).await,
                Err(Errno::WOULDBLOCK) => {
                    return Err(Error::InUse { path: self.root.clone(), by: "another process of this program" });
                }
                // Some disks over a network have no locks; Chromium's own lock stands between two browsers there.
                Err(error) => {
                    tracing::warn!(%error, path = %self.root.display(), "the browser profile cannot be locked");
                    return Ok(Claim(None));
                }
            }
        }
    }

    /// Returns the process that Chromium says has its folder, when it is one of this machine.
    ///
    /// Chromium writes a link `SingletonLock` that leads to `<host>-<pid>`, and leaves it there when it is killed.
    pub(super) fn singleton(&self) -> Option<u32> {
        let link = fs::read_link(self.data_folder().join("SingletonLock")).ok()?;
        let (host, pid) = link.to_str()?.rsplit_once('-')?;
        let own = rustix::system::uname();
        (host.as_bytes() == own.nodename().to_bytes()).then(|| pid.parse().ok()).flatten()
    }
}

/// Makes sure that `path` is a folder of this user alone.
fn private_folder(path: &Path) -> Result<()> {
    match DirBuilder::new().recursive(true).mode(0o700).create(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(source) => return Err(disk(path, "made", source)),
    }
    let is_unsafe = |reason| Error::Unsafe { place: path.display().to_string(), reason };
    let metadata = fs::symlink_metadata(path).map_err(|source| disk(path, "read", source))?;
    if metadata.file_type().is_symlink() {
        return Err(is_unsafe("it is a link"));
    }
    if !metadata.is_dir() {
        return Err(is_unsafe("it is not a folder"));
    }
    // What is looked at from here on is the very folder that was opened, whatever takes its place meanwhile.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder: OwnedFd =
        rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| disk(path, "opened", errno.into()))?;
    let opened = File::from(folder);
    let metadata = opened.metadata().map_err(|source| disk(path, "read", source))?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(is_unsafe("it belongs to another user"));
    }
    if metadata.mode() & 0o777 != 0o700 {
        rustix::fs::fchmod(&opened, Mode::RWXU).map_err(|errno| disk(path, "closed to others", errno.into()))?;
    }
    Ok(())
}

pub(super) fn disk(path: &Path, doing: &'static str, source: io::Error) -> Error {
    Error::Disk { path: path.into(), doing, source }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_profile_is_its_owners_alone() {
        let home = tempfile::tempdir().unwrap();
        let profile = Profile::at(home.path().join("a/b"));
        profile.prepare().unwrap();
        assert_eq!((mode(profile.root()), mode(&profile.data_folder())), (0o700, 0o700));
        fs::set_permissions(profile.root(), fs::Permissions::from_mode(0o755)).unwrap();
        profile.prepare().unwrap();
        assert_eq!(mode(profile.root()), 0o700);
    }

    #[test]
    fn links_files_and_relative_paths_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let real = home.path().join("real");
        fs::create_dir(&real).unwrap();
        symlink(&real, home.path().join("link")).unwrap();
        fs::write(home.path().join("file"), "").unwrap();
        for name in ["link", "file"] {
            let refused = Profile::at(home.path().join(name)).prepare();
            assert!(matches!(refused, Err(Error::Unsafe { .. })), "{name}: {refused:?}");
        }
        assert!(matches!(Profile::at("here").prepare(), Err(Error::InvalidInput { .. })));
    }

    #[tokio::test]
    async fn one_holds_a_profile_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let profile = Profile::at(home.path().join("p"));
        let first = profile.claim(Duration::ZERO).await.unwrap();
        let second = profile.claim(Duration::from_millis(120)).await;
        assert!(matches!(second, Err(Error::InUse { .. })), "{second:?}");
        drop(first);
        profile.claim(Duration::ZERO).await.unwrap();
    }

    #[test]
    fn the_link_of_chromium_names_a_process_of_this_machine() {
        let home = tempfile::tempdir().unwrap();
        let profile = Profile::at(home.path().join("p"));
        profile.prepare().unwrap();
        let link = profile.data_folder().join("SingletonLock");
        assert_eq!(profile.singleton(), None);
        symlink("some.other-host-12", &link).unwrap();
        assert_eq!(profile.singleton(), None);
        fs::remove_file(&link).unwrap();
        let host = rustix::system::uname().nodename().to_str().unwrap().to_owned();
        symlink(format!("{host}-12"), &link).unwrap();
        assert_eq!(profile.singleton(), Some(12));
    }
}
