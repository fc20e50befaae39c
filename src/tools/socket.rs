//! The sockets in the run folder: who may be there, and who is let in.

use std::fs::{DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use crate::error::{Error, Result};

/// The longest line either socket reads: 16 MiB, so that a peer who never ends a line cannot eat the memory.
pub const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// `sun_path` holds 108 bytes on Linux and 104 on macOS, the last of them a NUL.
const PATH_BYTES_MAX: usize = 103;

/// Makes the run folder if it is missing and checks that it is ours alone: a directory, not a link, mode 0700.
///
/// # Errors
///
/// `Unsafe` when something else stands there; `Disk` when it cannot be made.
pub fn prepare_run_dir(dir: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(|source| Error::Disk {
        path: dir.into(),
        doing: "made",
        source,
    })?;
    let metadata = std::fs::symlink_metadata(dir).map_err(|source| disk(dir, "read", source))?;
    if !metadata.is_dir() {
        return Err(not_safe(dir, "it is a link or a file, not a folder"));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(not_safe(dir, "it belongs to another user"));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(not_safe(dir, "other users may enter it (its mode should be 0700)"));
    }
    Ok(())
}

/// Binds a socket with mode 0600 in a run folder that [`prepare_run_dir`] has checked. A dead socket of ours is
/// replaced, a living one is not, and a foreign file is not touched.
///
/// # Errors
///
/// `AlreadyRunning` when somebody answers there; `Unsafe` for a path that is too long or a file that is no socket.
pub fn bind(path: &Path) -> Result<UnixListener> {
    check_length(path)?;
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.file_type().is_socket() => {
            if std::os::unix::net::UnixStream::connect(path).is_ok() {
                return Err(Error::AlreadyRunning { path: path.into() });
            }
            std::fs::remove_file(path).map_err(|source| disk(path, "replaced", source))?;
        }
        Ok(_) => return Err(not_safe(path, "a file that is no socket stands there")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(disk(path, "read", source)),
    }
    // The socket takes its mode from the process's mask, which other threads share, so it is bound inside a folder
    // that only we can enter; the mode is set for whoever moves it elsewhere.
    let listener = UnixListener::bind(path).map_err(|source| disk(path, "bound", source))?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(|source| disk(path, "protected", source))?;
    Ok(listener)
}

/// Takes a socket's file away at shutdown; that it is gone already is no fault.
pub fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::debug!(%error, "the socket's file was gone");
    }
}

/// Tells whether the peer of a connection is our own user. The folder's mode keeps others out already; this holds
/// even if somebody opened the folder.
#[must_use]
pub fn connect_is_mine(stream: &UnixStream) -> bool {
    match stream.peer_cred() {
        Ok(peer) => peer.uid() == rustix::process::geteuid().as_raw(),
        Err(error) => {
            tracing::warn!(%error, "a connection without credentials was refused");
            false
        }
    }
}

/// Refuses a path that the system would cut off.
pub(crate) fn check_length(path: &Path) -> Result<()> {
    let bytes = path.as_os_str().len();
    if bytes > PATH_BYTES_MAX {
        return Err(Error::InvalidInput {
            what: format!("the socket's path {} has {bytes} bytes; {PATH_BYTES_MAX} are possible", path.display()),
            suggestion: "Use a shorter folder for --home.".into(),
        });
    }
    Ok(())
}

/// The file whose lock the daemon holds that owns a folder.
#[must_use]
pub fn lock_file(dir: &Path) -> PathBuf {
    dir.join("daemon.lock")
}

/// Tells whether a daemon holds the lock of a run folder: one that runs, that starts, or that has not ended yet. For the
/// moment of looking the lock is shared, which a daemon that starts waits for.
#[must_use]
pub fn is_locked(dir: &Path) -> bool {
    let Ok(file) = File::open(lock_file(dir)) else { return false };
    matches!(fs4::FileExt::try_lock_shared(&file), Err(fs4::TryLockError::WouldBlock))
}

/// Opens a lock file that is ours alone, and makes it if it is missing.
///
/// # Errors
///
/// `Disk` as it comes, also for a link.
pub fn open_lock(path: &Path) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0))
        .open(path)
        .map_err(|source| disk(path, "opened", source))
}

fn not_safe(path: &Path, reason: &str) -> Error {
    Error::Unsafe { path: path.into(), reason: reason.into() }
}

fn disk(path: &Path, doing: &'static str, source: io::Error) -> Error {
    Error::Disk { path: PathBuf::from(path), doing, source }
}

/// The descriptors that one process opens, if the system lets it: macOS lets none have more.
const DESCRIPTORS: u64 = 10_240;

/// Asks for more descriptors than the few that a process has by default, which a crowd of connections would take from
/// the databases and the network. Where it is refused, fewer connections are let in.
pub fn raise_descriptor_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(DESCRIPTORS, |most| most.min(DESCRIPTORS));
    if limit.current.is_none_or(|now| now >= wanted) {
        return;
    }
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum }) {
        tracing::debug!(%error, "no more descriptors may be opened than now");
    }
}

/// Returns how many connections one socket may have: at most an eighth of the process's descriptors.
pub(crate) fn connections_of(wanted: usize) -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(DESCRIPTORS);
    wanted.min(usize::try_from(limit / 8).unwrap_or(wanted)).max(1)
}

/// Accepts connections for ever, at most `connections_max` at once; further ones wait in the system's queue. The
/// connections end when the future is dropped.
pub(crate) async fn accept<F, W>(listener: UnixListener, connections_max: usize, serve: F) -> Result<()>
where
    F: Fn(UnixStream) -> W,
    W: Future<Output = ()> + Send + 'static,
{
    // Broken accepts in a row after which the listener is given up; a shortage heals and is none of them.
    const FAILURES_MAX: u32 = 100;
    let mut connections = tokio::task::JoinSet::new();
    // Dropped before them: whoever was served here and comes back at once must not be let in again.
    let listener = listener;
    let mut failures = 0;
    loop {
        while connections.try_join_next().is_some() {}
        while connections.len() >= connections_max {
            if connections.join_next().await.is_none() {
                break;
            }
        }
        match listener.accept().await {
            Ok((stream, _address)) => {
                failures = 0;
                connections.spawn(serve(stream));
            }
            Err(source) if failures >= FAILURES_MAX => {
                return Err(Error::Disk { path: PathBuf::from("the socket"), doing: "listened on", source });
            }
            Err(error) => {
                failures += u32::from(!is_shortage(&error));
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        }
    }
}

/// Tells whether there are no descriptors or no memory for another connection now.
fn is_shortage(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let shortages = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|errno| shortages.contains(&errno))
}

/// Reads one line of at most [`LINE_BYTES_MAX`] bytes into `line`, without its end; `false` at the end of the stream.
///
/// # Errors
///
/// `InvalidData` for a longer line: what follows on that stream cannot be trusted to begin anywhere.
pub(crate) async fn read_line<R>(reader: &mut R, line: &mut Vec<u8>) -> io::Result<bool>
where
    R: tokio::io::AsyncBufRead + Unpin,
{
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _};
    line.clear();
    let bytes_max = u64::try_from(LINE_BYTES_MAX).unwrap_or(u64::MAX);
    let read = reader.take(bytes_max + 1).read_until(b'\n', line).await?;
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(true);
    }
    if line.len() > LINE_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is longer than 16 MiB"));
    }
    // An unfinished last line is a message cut off: nobody may act on it.
    let _cut_off = read;
    Ok(false)
}

/// Opens a daemon's log, empty, ours alone.
pub(crate) fn open_log(path: &Path) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    File::options()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .custom_flags(i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0))
        .open(path)
        .map_err(|source| disk(path, "opened", source))
}
