//! Who is signed in: a fixed bearer, or a refresh token that is renewed as it expires.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::Mutex;
use yup_oauth2::authenticator::DefaultAuthenticator;
use yup_oauth2::authenticator_delegate::InstalledFlowDelegate;
use yup_oauth2::storage::{TokenInfo, TokenStorage, TokenStorageError};
use yup_oauth2::{ApplicationSecret, InstalledFlowAuthenticator, InstalledFlowReturnMethod};

use crate::error::{Error, Result};

/// How long a renewal may take.
const RENEW_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes that the secrets file may have.
const SECRETS_BYTES: u64 = 1 << 20;

/// A token; printing it shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Keeps a token.
    #[must_use]
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// Returns the token itself, for the header alone.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

/// How an account was signed in.
#[derive(Debug, Clone)]
pub struct SignIn {
    /// The OAuth client's id.
    pub client_id: String,
    /// The OAuth client's secret; not confidential for a desktop client, but Google wants it.
    pub client_secret: Token,
    /// The token endpoint.
    pub token_uri: String,
    /// The scopes that were granted.
    pub scopes: Vec<String>,
}

/// Where the tokens of one account come from.
pub struct TokenSource {
    account: String,
    way: Way,
}

/// The two ways to a token.
enum Way {
    Fixed(Token),
    Renewing(Box<Renewing>),
}

/// What renewing needs.
struct Renewing {
    sign_in: SignIn,
    storage: AccountStorage,
    authenticator: DefaultAuthenticator,
    http: reqwest::Client,
}

impl fmt::Debug for TokenSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TokenSource").field("account", &self.account).finish_non_exhaustive()
    }
}

impl TokenSource {
    /// Returns a source that always gives the same bearer, as the demo uses it.
    #[must_use]
    pub fn fixed(account: impl Into<String>, token: Token) -> Self {
        Self { account: account.into(), way: Way::Fixed(token) }
    }

    /// Returns a source that renews what the secrets hold for an account. It never starts an interactive sign-in.
    ///
    /// # Errors
    ///
    /// `Network` when TLS cannot be set up.
    pub async fn signed_in(account: impl Into<String>, sign_in: SignIn, secrets: &Secrets) -> Result<Self> {
        let account = account.into();
        let secret = ApplicationSecret {
            client_id: sign_in.client_id.clone(),
            client_secret: sign_in.client_secret.0.clone(),
            token_uri: sign_in.token_uri.clone(),
            ..ApplicationSecret::default()
        };
        let storage = AccountStorage { secrets: secrets.clone(), account: account.clone() };
        let failed = |source: crate::error::Source| Error::Network {
            doing: "setting up TLS".into(),
            outcome_unknown: false,
            source,
        };
        let authenticator = InstalledFlowAuthenticator::builder(secret, InstalledFlowReturnMethod::Interactive)
            .with_storage(Box::new(storage.clone()))
            .flow_delegate(Box::new(NeverAsk))
            .with_timeout(RENEW_TIMEOUT)
            .build()
            .await
            .map_err(|error| failed(error.into()))?;
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = reqwest::Client::builder()
            .timeout(RENEW_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| failed(error.into()))?;
        Ok(Self { account, way: Way::Renewing(Box::new(Renewing { sign_in, storage, authenticator, http })) })
    }

    /// Returns the account's address.
    #[must_use]
    pub fn account(&self) -> &str {
        &self.account
    }

    /// Returns a token that is valid as far as its expiry tells; renews it when it is not.
    ///
    /// # Errors
    ///
    /// `AuthExpired` when the sign-in no longer works, `Network` when that could not be found out.
    pub async fn token(&self) -> Result<Token> {
        match &self.way {
            Way::Fixed(token) => Ok(token.clone()),
            Way::Renewing(renewing) => {
                let mut token = renewing.authenticator.token(&renewing.sign_in.scopes).await;
                if token.as_ref().is_ok_and(|token| token.token().is_none()) {
                    // Just signed in: there is a refresh token and no access token yet.
                    token = renewing.authenticator.force_refreshed_token(&renewing.sign_in.scopes).await;
                }
                self.accept(renewing, token).await
            }
        }
    }

    /// Returns a new token although the old one had not expired: Google refused it.
    ///
    /// # Errors
    ///
    /// As [`TokenSource::token`]; a fixed bearer cannot be renewed and is `AuthExpired` at once.
    pub async fn renew(&self) -> Result<Token> {
        match &self.way {
            Way::Fixed(_) => Err(self.expired()),
            Way::Renewing(renewing) => {
                let token = renewing.authenticator.force_refreshed_token(&renewing.sign_in.scopes).await;
                self.accept(renewing, token).await
            }
        }
    }

    /// Takes what the authenticator gave, or finds out why it gave nothing.
    async fn accept(
        &self,
        renewing: &Renewing,
        given: std::result::Result<yup_oauth2::AccessToken, yup_oauth2::Error>,
    ) -> Result<Token> {
        match given {
            Ok(given) if given.token().is_some() => Ok(Token::new(given.token().unwrap_or_default())),
            // The authenticator hides why a renewal failed: it tries to ask the user, which [`NeverAsk`] refuses, or
            // takes an error page for an answer without a token. An outage must not look like an expired sign-in, so
            // the same renewal is asked for once more to see why.
            Ok(_) | Err(yup_oauth2::Error::UserError(_)) => self.ask_why(renewing).await,
            Err(error) => Err(self.unreachable(error.into())),
        }
    }

    /// Renews by hand, for the reason of a failure.
    async fn ask_why(&self, renewing: &Renewing) -> Result<Token> {
        let Some(refresh) = renewing.storage.load().await?.and_then(|info| info.refresh_token) else {
            return Err(self.expired());
        };
        let sign_in = &renewing.sign_in;
        let form = [
            ("client_id", sign_in.client_id.as_str()),
            ("client_secret", sign_in.client_secret.reveal()),
            ("refresh_token", refresh.as_str()),
            ("grant_type", "refresh_token"),
        ];
        let unreachable = |error: reqwest::Error| self.unreachable(error.without_url().into());
        let response = renewing.http.post(&sign_in.token_uri).form(&form).send().await.map_err(unreachable)?;
        let status = response.status();
        let body: Value = response.json().await.map_err(unreachable)?;
        if let Some(token) = body.get("access_token").and_then(Value::as_str).filter(|_| status.is_success()) {
            return Ok(Token::new(token));
        }
        match body.get("error").and_then(Value::as_str) {
            Some("invalid_grant" | "invalid_client" | "unauthorized_client" | "deleted_client" | "disabled_client") => {
                Err(self.expired())
            }
            _ => Err(self.unreachable(format!("the token endpoint answered HTTP {status}").into())),
        }
    }

    /// Returns the error for a sign-in that no longer works.
    fn expired(&self) -> Error {
        Error::AuthExpired { account: self.account.clone() }
    }

    /// Returns the error for a renewal that may work later.
    fn unreachable(&self, source: crate::error::Source) -> Error {
        Error::Network { doing: format!("renewing the sign-in of {}", self.account), outcome_unknown: false, source }
    }
}

/// Refuses to ask the user: a daemon has nobody to ask.
struct NeverAsk;

impl InstalledFlowDelegate for NeverAsk {
    fn present_user_url<'a>(
        &'a self,
        _url: &'a str,
        _need_code: bool,
    ) -> Pin<Box<dyn Future<Output = std::result::Result<String, String>> + Send + 'a>> {
        Box::pin(async { Err("nobody can be asked".to_owned()) })
    }
}

/// The file that keeps the tokens of all accounts, readable for its owner alone.
#[derive(Debug, Clone)]
pub struct Secrets {
    path: Arc<PathBuf>,
    // One writer at a time, so that two accounts do not overwrite each other's tokens.
    writing: Arc<Mutex<()>>,
}

impl Secrets {
    /// Names the file; it is made when the first token is kept.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: Arc::new(path.into()), writing: Arc::default() }
    }

    /// Returns where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the refresh token of an account in place of what was known of it.
    ///
    /// # Errors
    ///
    /// `Disk` or `Unsafe` when the file cannot be used.
    pub async fn sign_in(&self, account: &str, refresh_token: &Token) -> Result<()> {
        let info = TokenInfo {
            access_token: None,
            refresh_token: Some(refresh_token.0.clone()),
            expires_at: None,
            id_token: None,
        };
        self.change(|all| all.insert(account.to_owned(), info)).await?;
        // A sign-in that is lost is noticed an hour later, by nobody.
        match self.refresh_token(account).await? {
            Some(kept) if kept == *refresh_token => Ok(()),
            Some(_) | None => Err(Error::Disk {
                path: self.path.to_path_buf(),
                doing: "kept",
                source: std::io::Error::other("it does not say what was just written"),
            }),
        }
    }

    /// Returns what renews the access of an account, if that is kept.
    ///
    /// # Errors
    ///
    /// `Disk` or `Unsafe` when the file cannot be used.
    pub async fn refresh_token(&self, account: &str) -> Result<Option<Token>> {
        let _one_at_a_time = self.writing.lock().await;
        let kept = read(&self.path)?.remove(account).and_then(|info| info.refresh_token);
        Ok(kept.map(Token))
    }

    /// Forgets an account.
    ///
    /// # Errors
    ///
    /// `Disk` or `Unsafe` when the file cannot be used.
    pub async fn sign_out(&self, account: &str) -> Result<()> {
        self.change(|all| all.remove(account)).await
    }

    /// Tells whether something is kept for an account.
    ///
    /// # Errors
    ///
    /// `Disk` or `Unsafe` when the file cannot be used.
    pub async fn knows(&self, account: &str) -> Result<bool> {
        let _one_at_a_time = self.writing.lock().await;
        Ok(read(&self.path)?.contains_key(account))
    }

    /// Reads, changes, and replaces the file.
    async fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, TokenInfo>) -> T) -> Result<()> {
        let _one_at_a_time = self.writing.lock().await;
        let mut all = read(&self.path)?;
        change(&mut all);
        write(&self.path, &all)
    }
}

/// The part of the secrets that belongs to one account.
#[derive(Debug, Clone)]
struct AccountStorage {
    secrets: Secrets,
    account: String,
}

impl AccountStorage {
    /// Reads what is known of the account.
    async fn load(&self) -> Result<Option<TokenInfo>> {
        let _one_at_a_time = self.secrets.writing.lock().await;
        Ok(read(&self.secrets.path)?.remove(&self.account))
    }
}

#[async_trait]
impl TokenStorage for AccountStorage {
    async fn set(&self, _scopes: &[&str], token: TokenInfo) -> std::result::Result<(), TokenStorageError> {
        let account = self.account.clone();
        let kept = self.secrets.change(|all| all.insert(account, token)).await;
        kept.map_err(|error| TokenStorageError::Other(error.to_string().into()))
    }

    async fn get(&self, _scopes: &[&str]) -> Option<TokenInfo> {
        match self.load().await {
            Ok(info) => info,
            Err(error) => {
                tracing::error!(%error, account = self.account, "the secrets cannot be read");
                None
            }
        }
    }
}

/// Reads the file; an absent one is empty.
fn read(path: &Path) -> Result<BTreeMap<String, TokenInfo>> {
    let disk = |source| Error::Disk { path: path.to_owned(), doing: "read", source };
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(source) => return Err(disk(source)),
    };
    let unsafe_because = |reason: &str| Err(Error::Unsafe { path: path.to_owned(), reason: reason.to_owned() });
    if !meta.is_file() {
        return unsafe_because("it is not a plain file");
    }
    if meta.permissions().mode() & 0o077 != 0 {
        return unsafe_because("others may read it; it must have mode 0600");
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return unsafe_because("it belongs to somebody else");
    }
    if meta.len() > SECRETS_BYTES {
        return unsafe_because("it is too large for a file of tokens");
    }
    let bytes = fs::read(path).map_err(disk)?;
    // The error of a JSON reader may quote the text, which holds tokens; it is left out.
    serde_json::from_slice(&bytes).map_err(|_quotes_tokens| disk(std::io::ErrorKind::InvalidData.into()))
}

/// Replaces the file: a new one of mode 0600, fsync, rename, fsync of the folder.
fn write(path: &Path, all: &BTreeMap<String, TokenInfo>) -> Result<()> {
    let disk = |source| Error::Disk { path: path.to_owned(), doing: "written", source };
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let bytes = serde_json::to_vec(all).map_err(|error| disk(error.into()))?;
    let mut temp = tempfile::Builder::new()
        .prefix(".secrets")
        .permissions(fs::Permissions::from_mode(0o600))
        .tempfile_in(dir)
        .map_err(disk)?;
    temp.write_all(&bytes).map_err(disk)?;
    temp.as_file().sync_all().map_err(disk)?;
    temp.persist(path).map_err(|error| disk(error.error))?;
    fs::File::open(dir).and_then(|dir| dir.sync_all()).map_err(disk)
}
