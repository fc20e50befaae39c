//! The places on disk of one instance.

use std::fs;
use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};

use crate::error::{Error, Result};
use crate::model::{Account, Feed};

/// Names the folder that holds everything of one instance; `--home` goes before it.
pub const HOME_VARIABLE: &str = "MCP_WORKSPACE_HOME";

/// The longest name of a socket.
const LONGEST_SOCKET: &str = "google-docs.sock";

/// `sun_path` holds 108 bytes on Linux and 104 elsewhere, the last of them a NUL.
const SOCKET_BYTES_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Where one instance keeps its things. Nothing is made by naming it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The folder that people edit in; `workspace` in the config moves it.
    pub workspace: PathBuf,
    /// The folder of `config.toml`.
    pub config: PathBuf,
    /// The folder of the databases and, without a keyring, the secrets.
    pub state: PathBuf,
    /// The folder of the sockets and the lock.
    pub run: PathBuf,
    /// The folder below which all of that stands; `None` when the system says where each is.
    pub home: Option<PathBuf>,
}

impl Places {
    /// Returns the places below `home`, below the folder that [`HOME_VARIABLE`] names, or where the system wants them.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the user has no home folder, or the socket's path would be too long for the system.
    pub fn find(home: Option<&Path>) -> Result<Self> {
        let variable = std::env::var_os(HOME_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let places = match home.map(Path::to_path_buf).or(variable) {
            Some(home) => Self::below(&home)?,
            None => Self::usual()?,
        };
        places.check_socket()?;
        Ok(places)
    }

    /// Returns the places below one folder.
    ///
    /// # Errors
    ///
    /// `Disk` when the current folder is unknown and `home` is relative to it.
    pub fn below(home: &Path) -> Result<Self> {
        let home =
            std::path::absolute(home).map_err(|source| Error::Disk { path: home.into(), doing: "found", source })?;
        Ok(Self {
            workspace: home.join("workspace"),
            config: home.join("config"),
            state: home.join("state"),
            run: home.join("run"),
            home: Some(home),
        })
    }

    fn usual() -> Result<Self> {
        let (Some(base), Some(project)) = (BaseDirs::new(), ProjectDirs::from("", "", "mcp-workspace")) else {
            return Err(Error::InvalidInput {
                what: "this user has no home folder".into(),
                suggestion: "Set HOME, or use --home.".into(),
            });
        };
        let run = match project.runtime_dir() {
            Some(run) => run.to_path_buf(),
            None if cfg!(target_os = "macos") => project.data_local_dir().join("run"),
            // Clients hand few variables on, and this is none of them: a bridge would look for the daemon elsewhere.
            None => match own_runtime_dir() {
                Some(runtime) => runtime.join("mcp-workspace"),
                None => std::env::temp_dir().join(format!("mcp-workspace-{}", user())),
            },
        };
        Ok(Self {
            workspace: base.home_dir().join(".mcp-workspace"),
            config: project.config_dir().into(),
            state: project.data_local_dir().into(),
            run,
            home: None,
        })
    }

    /// Returns the variables that say where these places are and that MCP clients do not hand on to what they start.
    #[must_use]
    pub fn variables(&self) -> Vec<(String, String)> {
        let Some(base) = BaseDirs::new().filter(|_| self.home.is_none() && cfg!(target_os = "linux")) else {
            return Vec::new();
        };
        let usual = [
            ("XDG_CONFIG_HOME", base.home_dir().join(".config")),
            ("XDG_DATA_HOME", base.home_dir().join(".local/share")),
            ("XDG_RUNTIME_DIR", runtime_dir()),
        ];
        let moved = usual.into_iter().filter_map(|(name, usual)| {
            let value = std::env::var(name).ok()?;
            (Path::new(&value).is_absolute() && Path::new(&value) != usual).then(|| (name.to_owned(), value))
        });
        moved.collect()
    }

    /// Returns how a person calls this program for this instance in a shell, up to the verb.
    #[must_use]
    pub fn command(&self) -> String {
        match &self.home {
            Some(home) => format!("mcp-workspace --home {}", shell_word(home)),
            None => "mcp-workspace".into(),
        }
    }

    /// Returns the config file.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// Returns the MCP socket of this name.
    #[must_use]
    pub fn socket(&self, name: &str) -> PathBuf {
        self.run.join(name)
    }

    /// Returns the socket of the command line.
    #[must_use]
    pub fn control_socket(&self) -> PathBuf {
        self.run.join("control.sock")
    }

    /// Returns the folder of one account's database and secrets.
    #[must_use]
    pub fn account_state(&self, account: &Account) -> PathBuf {
        self.state.join(&account.0)
    }

    /// Returns the database of one feed of an account.
    #[must_use]
    pub fn database(&self, account: &Account, feed: Feed) -> PathBuf {
        let name = match feed {
            Feed::Drive => "state.db",
            Feed::Gmail => "gmail.db",
        };
        self.account_state(account).join(name)
    }

    /// Returns the folder of the profile of the browser that asks notebooks.
    #[must_use]
    pub fn notebooks_profile(&self) -> PathBuf {
        self.state.join("notebooklm").join("profile")
    }

    fn check_socket(&self) -> Result<()> {
        let socket = self.socket(LONGEST_SOCKET);
        let bytes = socket.as_os_str().len();
        if bytes > SOCKET_BYTES_MAX {
            return Err(Error::InvalidInput {
                what: format!(
                    "the socket's path {} has {bytes} bytes; {SOCKET_BYTES_MAX} are possible",
                    socket.display()
                ),
                suggestion: "Use a shorter folder for --home.".into(),
            });
        }
        Ok(())
    }
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Where the system keeps what a user's programs need while they run.
fn runtime_dir() -> PathBuf {
    PathBuf::from(format!("/run/user/{}", user()))
}

/// The same, if it is there and ours alone.
fn own_runtime_dir() -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    let dir = runtime_dir();
    let metadata = fs::symlink_metadata(&dir).ok()?;
    (metadata.is_dir() && metadata.uid() == user() && metadata.mode() & 0o077 == 0).then_some(dir)
}

/// Writes a path so that a shell reads it as one word.
#[must_use]
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        for (path, word) in [("/a/b-c.d", "/a/b-c.d"), ("/a b", "'/a b'"), ("/it's", "'/it'\\''s'")] {
            assert_eq!(shell_word(Path::new(path)), word);
        }
    }

    #[test]
    fn the_command_names_a_home_of_its_own() {
        assert_eq!(Places::below(Path::new("/a b")).unwrap().command(), "mcp-workspace --home '/a b'");
    }

    #[test]
    fn one_home_holds_everything() {
        let places = Places::find(Some(Path::new("/h"))).unwrap();
        assert_eq!(places.database(&Account("a@b".into()), Feed::Drive), Path::new("/h/state/a@b/state.db"));
        assert_eq!(places.socket("mcp.sock"), Path::new("/h/run/mcp.sock"));
        let long = format!("/{}", "x".repeat(100));
        let error = Places::find(Some(Path::new(&long))).unwrap_err();
        assert!(error.suggestion().contains("shorter"), "{error}");
    }
}
