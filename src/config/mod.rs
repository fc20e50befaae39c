//! The config file, and the places on disk of one instance.

mod editing;
mod places;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::Account;
use crate::notebooklm::hosts::{Base, PERSONAL_HOSTS, Product};
use crate::notebooklm::ids::{BadOverride, Overrides};

pub use editing::{SignedIn, with_account, without_account};
pub use places::{HOME_VARIABLE, Places, shell_word};

/// The longest config file that is read, in bytes.
const CONFIG_BYTES_MAX: u64 = 1 << 20;

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
    /// Shows nothing on the desktop.
    #[serde(skip_serializing_if = "is_no")]
    pub quiet: bool,
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
    /// How notebooks are asked.
    #[serde(skip_serializing_if = "NotebookLm::is_usual")]
    pub notebooklm: NotebookLm,
}

/// How the notebooks of NotebookLM are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NotebookLm {
    /// Where it is: scheme and host. Where Drive is not Google's own, beside that unless it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Which of several accounts that are signed in there: an address, or an index from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authuser: Option<String>,
    /// The language of its messages and of what it writes by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The browser's program, instead of the one that is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser: Option<PathBuf>,
    /// Ids of its operations, by their names, instead of the known ones: NotebookLM changes them at times.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, String>,
}

impl NotebookLm {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the ids that it is asked with.
    ///
    /// # Errors
    ///
    /// [`BadOverride`] for one that cannot be.
    pub fn overrides(&self) -> std::result::Result<Overrides, BadOverride> {
        Overrides::new(self.ids.iter().map(|(name, id)| (name.as_str(), id.as_str())))
    }
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
    /// The OAuth client that signed it in, where that is another than the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuthClient>,
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
const fn is_no(value: &bool) -> bool {
    !*value
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
    /// Returns an account of which nothing but its address is known.
    #[must_use]
    pub fn of(email: &str) -> Self {
        Self { email: email.into(), mode: Mode::default(), mail: true, token_file: None, bearer: None, oauth: None }
    }

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
    /// Where people sign in; where tokens are not had at Google, there unless it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounts: Option<String>,
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

    /// Returns where people sign in.
    #[must_use]
    pub fn accounts(&self) -> String {
        let usual = || match self.token == Self::default().token {
            true => "https://accounts.google.com".into(),
            false => self.token.clone(),
        };
        self.accounts.clone().unwrap_or_else(usual)
    }
}

impl Default for Endpoints {
    fn default() -> Self {
        Self {
            docs: "https://docs.googleapis.com".into(),
            drive: "https://www.googleapis.com".into(),
            gmail: None,
            token: "https://oauth2.googleapis.com".into(),
            accounts: None,
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

    /// Returns where the notebooks are.
    ///
    /// # Errors
    ///
    /// What is wrong with the address.
    pub fn notebooks_base(&self) -> std::result::Result<Base, String> {
        let [usual, _] = PERSONAL_HOSTS;
        let told = self.notebooklm.base.clone();
        let address = told.unwrap_or_else(|| stand_in(&self.endpoints.drive).unwrap_or(format!("https://{usual}")));
        let base = Base::new(address.trim_end_matches('/')).map_err(|why| why.to_string())?;
        match base.product() {
            Product::Personal | Product::Local => Ok(base),
            Product::Enterprise => Err("notebooks of Google Cloud cannot be asked yet".into()),
        }
    }

    fn check_notebooks(&self, path: &Path) -> Result<()> {
        self.notebooks_base().map_err(|why| invalid(path, &format!("`notebooklm.base`: {why}")))?;
        self.notebooklm.overrides().map_err(|why| invalid(path, &format!("`notebooklm.ids`: {why}")))?;
        if self.notebooklm.browser.as_ref().is_some_and(|browser| !browser.is_absolute()) {
            return Err(invalid(path, "`notebooklm.browser` must be an absolute path"));
        }
        Ok(())
    }

    fn check(&self, path: &Path) -> Result<()> {
        self.check_notebooks(path)?;
        let Endpoints { docs, drive, token, .. } = &self.endpoints;
        let (gmail, accounts) = (self.endpoints.gmail(), self.endpoints.accounts());
        let all = [("docs", docs), ("drive", drive), ("gmail", &gmail), ("token", token), ("accounts", &accounts)];
        for (name, url) in all {
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
            if self.accounts.iter().take(index).any(|other| other.email.eq_ignore_ascii_case(&account.email)) {
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
        let text = toml::to_string_pretty(self).map_err(|error| Error::Disk {
            path: path.into(),
            doing: "written",
            source: io::Error::other(error),
        })?;
        write(path, &text)
    }

    /// Changes the text of the config file, whole or not at all; `None` changes nothing. A link to it stays one.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when `change` says what is wrong with the text, or when what it makes of it is no config; `Disk` as it
    /// comes.
    pub fn edit(path: &Path, change: impl FnOnce(&str) -> std::result::Result<Option<String>, String>) -> Result<Self> {
        let disk = |source| Error::Disk { path: path.into(), doing: "read", source };
        let config = Self::read(path)?;
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let text = match fs::read_to_string(&real) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(disk(source)),
        };
        let Some(text) = change(&text).map_err(|what| invalid(path, &what))? else { return Ok(config) };
        let config = Self::parse(path, &text)?;
        if let Some(folder) = real.parent() {
            let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|source| Error::Disk { path: folder.into(), doing: "made", source })?;
        }
        write(&real, &text)?;
        Ok(config)
    }
}

/// Where notebooks are for whoever stands in for Google at `drive` on this machine: beside that, under a name that browsers keep cookies of
/// as they do of Google's.
fn stand_in(drive: &str) -> Option<String> {
    let url = url::Url::parse(drive).ok().filter(|url| url.scheme() == "http")?;
    Some(format!("http://notebook.google.localhost:{}", url.port_or_known_default()?))
}

/// Replaces the config file by one that its owner alone may read.
fn write(path: &Path, text: &str) -> Result<()> {
    let disk = |source| Error::Disk { path: path.into(), doing: "written", source };
    let new = path.with_extension("toml.new");
    let mut file =
        fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new).map_err(disk)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(disk)?;
    fs::rename(&new, path).map_err(disk)
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn notebooks_are_where_the_rest_is() {
        for (text, expected) in [
            ("", "https://notebook.google.com"),
            ("[endpoints]\ndrive = 'http://127.0.0.1:9'", "http://notebook.google.localhost:9"),
            ("[notebooklm]\nbase = 'https://notebooklm.google.com/'", "https://notebooklm.google.com"),
        ] {
            assert_eq!(parse(text).unwrap().notebooks_base().unwrap().origin(), expected, "{text}");
        }
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
        check_error("[notebooklm]\nbase = 'https://example.com'", "only NotebookLM's own names");
        check_error("[notebooklm]\nbase = 'https://notebook.cloud.google.com'", "cannot be asked yet");
        check_error("[notebooklm]\nbrowser = 'chromium'", "absolute");
        check_error("[notebooklm.ids]\nListNotebook = 'abcdef'", "did you mean");
        // Google knows an address however it is written, and so do some disks.
        check_error("[[accounts]]\nemail = 'a@b'\n[[accounts]]\nemail = 'A@b'", "twice");
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
}
