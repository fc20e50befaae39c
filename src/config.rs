//! The config file, and the places on disk of one instance.

use std::fmt;
use std::fs;
use std::io;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::{Account, Feed};

/// Names the folder that holds everything of one instance; `--home` goes before it.
pub const HOME_VARIABLE: &str = "MCP_WORKSPACE_HOME";

/// The longest name of a socket.
const LONGEST_SOCKET: &str = "google-docs.sock";

/// `sun_path` holds 108 bytes on Linux and 104 elsewhere, the last of them a NUL.
const SOCKET_BYTES_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The longest config file that is read, in bytes.
const CONFIG_BYTES_MAX: u64 = 1 << 20;

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

/// What `config.toml` says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The folder that people edit in, instead of the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// A fixed time between polls in milliseconds; without it the daemon adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_ms: Option<u64>,
    /// Folders beside the workspace from which new pictures may be taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_folders: Vec<PathBuf>,
    /// The accounts that are mirrored.
    pub accounts: Vec<AccountConfig>,
    /// Where Google is.
    pub endpoints: Endpoints,
    /// How often Google may be asked.
    #[serde(skip_serializing_if = "Quota::is_usual")]
    pub quota: Quota,
    /// The OAuth client that signs accounts in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuthClient>,
}

/// One account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountConfig {
    /// Its e-mail address.
    pub email: String,
    /// Whether edits of files go to its documents.
    #[serde(default)]
    pub mode: Mode,
    /// Whether its mail can be fetched, too.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub mail: bool,
    /// A file that holds its tokens, instead of the usual place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_file: Option<PathBuf>,
    /// A bearer that stands for it, for the embedded Google.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer: Option<Secret>,
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
const fn is_yes(value: &bool) -> bool {
    *value
}

/// What is done with the edits of an account's files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// They go to the documents.
    #[default]
    TwoWay,
    /// They stay in the files: nothing is ever changed at Google.
    Mirror,
}

impl AccountConfig {
    /// Returns the account.
    #[must_use]
    pub fn account(&self) -> Account {
        Account(self.email.clone())
    }
}

/// How often Google may be asked for one account, instead of what it allows usually.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quota {
    /// Documents that are read in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_per_minute: Option<u32>,
    /// Pushes that are sent in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes_per_minute: Option<u32>,
    /// Units that may be spent on mail in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mail_units_per_minute: Option<u32>,
    /// Which of Gmail's price lists is that of the OAuth client.
    pub mail_prices: MailPrices,
}

/// Gmail's price lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MailPrices {
    /// Of programs that were registered since May 2026.
    #[default]
    New,
    /// Of older ones.
    Old,
}

impl Quota {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// Base URLs, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Endpoints {
    /// The Docs API.
    pub docs: String,
    /// The Drive API.
    pub drive: String,
    /// The Gmail API; where the others are not Google's own, that of Drive unless it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gmail: Option<String>,
    /// Where tokens are had.
    pub token: String,
}

impl Endpoints {
    /// Returns where the Gmail API is.
    #[must_use]
    pub fn gmail(&self) -> String {
        let usual = || match self.drive == Self::default().drive {
            true => "https://gmail.googleapis.com".into(),
            // A bearer for somebody who stands in for Google must not go to Google.
            false => self.drive.clone(),
        };
        self.gmail.clone().unwrap_or_else(usual)
    }
}

impl Default for Endpoints {
    fn default() -> Self {
        Self {
            docs: "https://docs.googleapis.com".into(),
            drive: "https://www.googleapis.com".into(),
            gmail: None,
            token: "https://oauth2.googleapis.com".into(),
        }
    }
}

/// An OAuth client of the kind "installed application".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthClient {
    /// Its id.
    pub client_id: String,
    /// Its secret.
    pub client_secret: Secret,
}

/// A text that never shows itself.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Hides `text`.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Shows it, for sending it to whom it is meant for.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

impl Config {
    /// Reads the config file; a missing one is an empty one.
    ///
    /// # Errors
    ///
    /// `InvalidInput` with line and column when it is not understood; `Disk` as it comes.
    pub fn read(path: &Path) -> Result<Self> {
        let disk = |source| Error::Disk { path: path.into(), doing: "read", source };
        match fs::metadata(path) {
            Ok(metadata) if metadata.len() > CONFIG_BYTES_MAX => {
                return Err(invalid(path, "it is longer than 1 MiB"));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(disk(source)),
        }
        Self::parse(path, &fs::read_to_string(path).map_err(disk)?)
    }

    /// Reads the text of a config file; `path` is for messages.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        let config: Self = toml::from_str(text).map_err(|error| {
            // The error's own words quote the line, which may hold a secret; only its place is told.
            let (line, column) = error.span().map_or((1, 1), |span| place(text, span.start));
            invalid(path, &format!("line {line}, column {column}: {}", error.message()))
        })?;
        config.check(path)?;
        Ok(config)
    }

    fn check(&self, path: &Path) -> Result<()> {
        let Endpoints { docs, drive, token, .. } = &self.endpoints;
        for (name, url) in [("docs", docs), ("drive", drive), ("gmail", &self.endpoints.gmail()), ("token", token)] {
            // A token over plain HTTP is for everyone to read, so only this machine may be reached that way.
            let local = ["http://127.0.0.1", "http://[::1]", "http://localhost"].iter().any(|start| {
                url.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
            });
            if !local && !url.starts_with("https://") {
                return Err(invalid(path, &format!("`endpoints.{name}` must begin with https://")));
            }
        }
        if self.workspace.as_ref().is_some_and(|workspace| !workspace.is_absolute()) {
            return Err(invalid(path, "`workspace` must be an absolute path"));
        }
        if self.read_folders.iter().any(|folder| !folder.is_absolute()) {
            return Err(invalid(path, "each of `read_folders` must be an absolute path"));
        }
        // A push reads its document before and after.
        if self.quota.reads_per_minute.is_some_and(|reads| reads < 2) || self.quota.writes_per_minute == Some(0) {
            return Err(invalid(path, "`quota` must allow at least 2 reads and 1 write a minute"));
        }
        if self.poll_ms == Some(0) {
            return Err(invalid(path, "`poll_ms` must be at least 1"));
        }
        for (index, account) in self.accounts.iter().enumerate() {
            if self.accounts.iter().take(index).any(|other| other.email == account.email) {
                return Err(invalid(path, &format!("the account {} stands there twice", account.email)));
            }
        }
        Ok(())
    }

    /// Writes the config file, readable by its owner alone.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn write(&self, path: &Path) -> Result<()> {
        let disk = |source| Error::Disk { path: path.into(), doing: "written", source };
        let text = toml::to_string_pretty(self).map_err(|error| disk(io::Error::other(error)))?;
        let new = path.with_extension("toml.new");
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new).map_err(disk)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(disk)?;
        fs::rename(&new, path).map_err(disk)
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

fn invalid(path: &Path, what: &str) -> Error {
    Error::InvalidInput {
        what: format!("{} cannot be used: {what}", path.display()),
        suggestion: format!("Correct {} and start again.", path.display()),
    }
}

/// Returns line and column, from 1, of a byte position.
fn place(text: &str, position: usize) -> (usize, usize) {
    let before = text.get(..position).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    (line, column)
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

    fn parse(text: &str) -> Result<Config> {
        Config::parse(Path::new("config.toml"), text)
    }

    fn check_error(text: &str, expected: &str) {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("hush"), "{error}");
    }

    #[test]
    fn a_whole_config() {
        let config = parse(
            "workspace = '/w'\npoll_ms = 200\n[[accounts]]\nemail = 'ana@example.com'\nbearer = 'hush'\n\
             [endpoints]\ndocs = 'http://127.0.0.1:9'\n[oauth]\nclient_id = 'c'\nclient_secret = 'hush'\n",
        )
        .unwrap();
        assert_eq!(config.accounts[0].account(), Account("ana@example.com".into()));
        assert_eq!(config.endpoints.drive, Endpoints::default().drive);
        assert_eq!(config.accounts[0].bearer.as_ref().map(Secret::expose), Some("hush"));
        assert!(!format!("{config:?}").contains("hush"));
    }

    #[test]
    fn errors_say_where_and_no_secret() {
        check_error("poll_ms = 'x'", "line 1, column 11");
        check_error("[[accounts]]\nemail = 'a@b'\nbearer = 'hush' 'hush'", "line 3");
        check_error("\nworkspase = '/w'", "unknown field `workspase`");
        check_error("workspace = 'w'", "absolute");
        check_error("poll_ms = 0", "at least 1");
        check_error("[quota]\nreads_per_minute = 1", "at least 2 reads");
        check_error("[[accounts]]\nemail = 'a@b'\nmode = 'one-way'", "line 3");
        check_error("[endpoints]\ndocs = 'http://example.com'", "https://");
        check_error("[endpoints]\ndocs = 'http://127.0.0.1.example.com'", "https://");
        check_error("[[accounts]]\nemail = 'a@b'\n[[accounts]]\nemail = 'a@b'", "twice");
    }

    #[test]
    fn what_is_written_is_read_back_and_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        assert_eq!(Config::read(&path).unwrap(), Config::default());
        let config = parse("poll_ms = 5\n[[accounts]]\nemail = 'a@b'\nbearer = 'hush'").unwrap();
        config.write(&path).unwrap();
        assert_eq!(Config::read(&path).unwrap(), config);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
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
