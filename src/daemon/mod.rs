//! The daemon: the single instance of a home, its sockets, and one task for each feed of each account.

mod attention;
mod notebooks;
mod notifying;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::config::{AccountConfig, Config, MailPrices, Mode, Places, Secret};
use crate::error::{Error, Result};
use crate::google::{Client, Endpoints, MailUnits, Scopes, Secrets, SignIn, Token, TokenSource};
use crate::kinds::Kind;
use crate::kinds::docs::Docs;
use crate::kinds::gmail::Gmail;
use crate::mirror::{Mirror, Parts};
use crate::model::{Feed, Millis};
use crate::store::{Opened, Store};
use crate::sync::quota::Limits;
use crate::tools::{self, Mirrors, Profile};
use crate::workspace::{Claim, Workspace};

pub use notebooks::{notebooks, notebooks_timeout, own_browser};

/// How long a lock may be held by who only looks whether it is held, as bridges do.
const LOCK_WAIT: Duration = Duration::from_millis(200);
/// The pause between two tries.
const LOCK_PAUSE: Duration = Duration::from_millis(5);
/// The longest path that is read out of a lock's file.
const PATH_BYTES_MAX: u64 = 4096;

/// Runs the daemon of a home until `stop` ends. Calls `ready` once its sockets are there.
///
/// # Errors
///
/// `AlreadyRunning` when another daemon has the home or the workspace; `InvalidInput` when an account cannot be signed in; `Unsafe` when
/// something else stands at the sockets' paths; `Disk` and `Storage` as they come.
pub async fn run(places: Places, config: Config, ready: impl FnOnce(), stop: impl Future<Output = ()>) -> Result<()> {
    tools::prepare_run_dir(&places.run)?;
    let _lock = lock(&places, &places.run).await?;
    make_private(&places.state)?;
    // Another run folder is no other home: two daemons must never share a database.
    let _state_lock = lock(&places, &places.state).await?;
    let workspace = config.workspace.clone().unwrap_or_else(|| places.workspace.clone());
    let _claim = claim(&workspace).await?;
    let notebooks = notebooks(&places, &config)?;
    tools::raise_descriptor_limit();
    // The sockets come before the databases: whoever answers there owns them.
    let control = tools::bind(&places.control_socket())?;
    let mut doors = Vec::new();
    for profile in Profile::ALL {
        doors.push((profile, tools::bind(&places.socket(profile.socket_name()))?));
    }
    let _sockets = Sockets { places: places.clone() };

    let (stopping, stopped) = watch::channel(false);
    let (changing, changed) = watch::channel(());
    let mut mirrors = JoinSet::new();
    let mut handles = Vec::new();
    for account in &config.accounts {
        let google = Arc::new(client(&places, &config, account).await?);
        for feed in Feed::ALL.into_iter().filter(|feed| *feed != Feed::Gmail || account.mail) {
            let mut mirror = open(&places, &config, account, &workspace, (feed, &google))?;
            mirror.tell_changes_to(changing.clone());
            handles.push(mirror.handle());
            mirrors.spawn(mirror.run(stopped.clone()));
        }
    }
    // The mirrors have the way to it now, so that it ends with them.
    drop(changing);
    let mut serving = JoinSet::new();
    if !config.quiet {
        let handles = handles.clone();
        serving.spawn(async move { match notifying::run(handles, changed).await {} });
    }
    let host = Arc::new(Mirrors::new(workspace, handles).with_notebooks(notebooks));
    for (profile, door) in doors {
        serving.spawn(tools::serve_mcp(door, host.clone(), profile));
    }
    ready();
    let outcome = tokio::select! {
        () = stop => Ok(()),
        Some(ended) = serving.join_next() => told(ended),
        result = tools::serve_control(control, host) => result,
        Some(ended) = mirrors.join_next() => told(ended),
    };
    drop(serving);
    // Nobody listens only when all mirrors have ended already.
    if stopping.send(true).is_err() {
        tracing::debug!("no mirror is left to stop");
    }
    let mut result = outcome;
    while let Some(ended) = mirrors.join_next().await {
        result = result.and(told(ended));
    }
    result
}

fn told(ended: std::result::Result<Result<()>, tokio::task::JoinError>) -> Result<()> {
    match ended {
        Ok(result) => result,
        Err(error) => Err(Error::Storage { doing: "running a mirror", source: Box::new(error) }),
    }
}

/// Makes the connection of an account, which its mirrors share.
async fn client(places: &Places, config: &Config, account: &AccountConfig) -> Result<Client> {
    let tokens = tokens(places, config, account).await?;
    let endpoints = endpoints(config);
    let (limits, units) = (limits(config, &endpoints), mail_units(config, &endpoints));
    Ok(Client::new(endpoints, tokens)?.with_limits(limits).with_mail_units(units))
}

/// Puts the mirror of one feed of an account together.
fn open(
    places: &Places,
    config: &Config,
    account: &AccountConfig,
    workspace: &Path,
    (feed, google): (Feed, &Arc<Client>),
) -> Result<Mirror> {
    let (limits, kind): (Limits, Arc<dyn Kind>) = match feed {
        Feed::Drive => (limits(config, google.endpoints()), Arc::new(Docs::new(google.clone()))),
        Feed::Gmail => (threads(google.mail_units()), Arc::new(Gmail::new(google.clone()))),
    };
    let read_only = account.mode == Mode::Mirror;
    let account = account.account();
    let workspace = Workspace::open(workspace, &account, feed)?;
    make_private(&places.account_state(&account))?;
    let (store, opened) = Store::open_or_rebuild(&places.database(&account, feed), now())?;
    let damaged = match opened {
        Opened::Known => None,
        Opened::Rebuilt(aside) => Some(aside),
    };
    let mirror = Mirror::open(
        Parts {
            workspace,
            kind,
            poll_ms: config.poll_ms,
            read_folders: config.read_folders.clone(),
            read_only,
            damaged,
            command: places.command(),
            limits,
        },
        store,
    )?;
    mirror.read_attachments_with(this_program()?);
    Ok(mirror)
}

/// Where this program is, also once another version has taken its place on the disk.
fn this_program() -> Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() {
        return Ok(running.to_owned());
    }
    std::env::current_exe().map_err(|source| Error::Disk {
        path: "mcp-workspace".into(),
        doing: "found on disk",
        source,
    })
}

/// The system's time.
fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// How often Google may be asked for one of the accounts; one that stands in for it on this machine as often as anybody likes.
fn limits(config: &Config, endpoints: &Endpoints) -> Limits {
    let is_told = config.quota.reads_per_minute.is_some() || config.quota.writes_per_minute.is_some();
    let has_none = endpoints.all_loopback() && !is_told;
    let usual = if has_none { Limits::NONE } else { Limits::shared(config.accounts.len()) };
    Limits {
        reads: config.quota.reads_per_minute.unwrap_or(usual.reads),
        writes: config.quota.writes_per_minute.unwrap_or(usual.writes),
    }
}

/// What an account may spend on mail in a minute.
fn mail_units(config: &Config, endpoints: &Endpoints) -> MailUnits {
    let prices = match config.quota.mail_prices {
        MailPrices::New => MailUnits::NEW,
        MailPrices::Old => MailUnits::OLD,
    };
    let usual = if endpoints.all_loopback() { MailUnits::NONE.per_minute } else { prices.per_minute };
    MailUnits { per_minute: config.quota.mail_units_per_minute.unwrap_or(usual), ..prices }
}

/// How many threads may be read in a minute, where each has two mails that are new; the connection counts what they do have.
fn threads(units: MailUnits) -> Limits {
    let a_thread = units.get_thread + 2 * units.get_message;
    match units.per_minute {
        u32::MAX => Limits::NONE,
        units => Limits { reads: (units / a_thread).max(2), writes: (units / a_thread).max(1) },
    }
}

/// Google's own pages, or those of whoever stands in for it.
#[must_use]
pub fn endpoints(config: &Config) -> Endpoints {
    let usual = Endpoints::default();
    let told = &config.endpoints;
    let pages = if told.docs == usual.docs { usual.pages } else { told.docs.clone() };
    Endpoints {
        docs: told.docs.clone(),
        drive: told.drive.clone(),
        gmail: told.gmail(),
        oauth: told.token.clone(),
        accounts: told.accounts(),
        pages,
    }
}

/// Finds where an account's tokens come from: a bearer in the config, else the file of its sign-in.
///
/// # Errors
///
/// `InvalidInput` when it was never signed in; `Network` when TLS cannot be set up.
pub async fn tokens(places: &Places, config: &Config, account: &AccountConfig) -> Result<TokenSource> {
    if let Some(bearer) = &account.bearer {
        return Ok(TokenSource::fixed(&account.email, Token::new(bearer.expose())));
    }
    let Some(client) = account.oauth.as_ref().or(config.oauth.as_ref()) else {
        return Err(Error::InvalidInput {
            what: format!("{} has neither a bearer nor an OAuth client to sign in with", account.email),
            suggestion: "Run `mcp-workspace auth add --client FILE`; see `mcp-workspace help google-setup`.".into(),
        });
    };
    let sign_in = SignIn {
        client_id: client.client_id.clone(),
        client_secret: Token::new(Secret::expose(&client.client_secret)),
        token_uri: endpoints(config).token_uri(),
        scopes: Scopes::needed(account.mode == Mode::Mirror, account.mail).list().to_vec(),
    };
    TokenSource::signed_in(&account.email, sign_in, &secrets(places, account)).await
}

/// Names the file that keeps the tokens of an account.
#[must_use]
pub fn secrets(places: &Places, account: &AccountConfig) -> Secrets {
    let usual = || places.account_state(&account.account()).join("tokens.json");
    Secrets::at(account.token_file.clone().unwrap_or_else(usual))
}

/// Takes the sockets' files away at the end, so that nobody knocks at a dead one.
struct Sockets {
    places: Places,
}

impl Drop for Sockets {
    fn drop(&mut self) {
        for profile in Profile::ALL {
            tools::remove(&self.places.socket(profile.socket_name()));
        }
        tools::remove(&self.places.control_socket());
    }
}

/// Takes the lock of a folder of this home. It ends with the process, however that ends. In the file stands where the
/// sockets of its holder are.
async fn lock(places: &Places, dir: &Path) -> Result<File> {
    let path = tools::lock_file(dir);
    let disk = |source| Error::Disk { path: path.clone(), doing: "locked", source };
    let mut file = tools::open_lock(&path)?;
    let deadline = tokio::time::Instant::now() + LOCK_WAIT;
    loop {
        match fs4::FileExt::try_lock(&file) {
            Ok(()) => break,
            Err(fs4::TryLockError::WouldBlock) if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(LOCK_PAUSE).await;
            }
            Err(fs4::TryLockError::WouldBlock) => return Err(Error::AlreadyRunning { path: holder(&path, places) }),
            Err(fs4::TryLockError::Error(source)) => return Err(disk(source)),
        }
    }
    let run = places.run.as_os_str().as_bytes();
    file.set_len(0).and_then(|()| file.write_all(run)).map_err(disk)?;
    Ok(file)
}

/// Takes the workspace. A daemon that was killed has it for a moment yet.
async fn claim(workspace: &Path) -> Result<Claim> {
    let deadline = tokio::time::Instant::now() + LOCK_WAIT;
    loop {
        match Claim::take(workspace) {
            Err(Error::AlreadyRunning { .. }) if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(LOCK_PAUSE).await;
            }
            claim => return claim,
        }
    }
}

/// Where the daemon is that holds a lock; our own folder when nobody wrote that down.
fn holder(lock: &Path, places: &Places) -> PathBuf {
    let mut bytes = Vec::new();
    let read = File::open(lock).and_then(|file| file.take(PATH_BYTES_MAX).read_to_end(&mut bytes));
    match read {
        Ok(1..) => PathBuf::from(OsString::from_vec(bytes)),
        Ok(0) | Err(_) => places.run.clone(),
    }
}

fn make_private(dir: &Path) -> Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(|source| Error::Disk {
        path: dir.into(),
        doing: "made",
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Quota;

    #[test]
    fn each_price_list_holds_whoever_is_asked() {
        let (google, own) = (Endpoints::default(), Endpoints::at("http://127.0.0.1:9"));
        for (mail_prices, told, endpoints, expected) in [
            (MailPrices::New, None, &google, (6_000, 20)),
            (MailPrices::Old, None, &google, (15_000, 5)),
            (MailPrices::Old, Some(100), &google, (100, 5)),
            (MailPrices::New, None, &own, (u32::MAX, 20)),
            (MailPrices::Old, Some(100), &own, (100, 5)),
        ] {
            let quota = Quota { mail_prices, mail_units_per_minute: told, ..Quota::default() };
            let units = mail_units(&Config { quota, ..Config::default() }, endpoints);
            assert_eq!((units.per_minute, units.get_message), expected, "{mail_prices:?} {told:?}");
        }
    }
}
