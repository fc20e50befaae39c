//! `auth add`: a person allows the access in a browser, and the account is written into the config.

use std::io::BufRead as _;
use std::io::Read as _;
use std::os::unix::fs::DirBuilderExt as _;

use serde_json::json;

use super::loopback::Loopback;
use super::{client, failed, is_served, not_allowed};
use crate::cli::arguments::AddArguments;
use crate::cli::{Answer, Report, print};
use crate::config::{AccountConfig, Config, Mode, OAuthClient, Places, SignedIn, with_account};
use crate::daemon;
use crate::error::{Error, ErrorKind};
use crate::google::{self, Consent, Granted, Returned, Scopes, Token};
use crate::tools::ErrorAnswer;

/// Where nothing listens: with `--manual` the browser is to fail there, and to show the answer in its address bar.
const NOBODYS_URI: &str = "http://127.0.0.1:42813";

/// Bytes of an address that is pasted.
const PASTED_BYTES_MAX: u64 = 1 << 14;

/// What is to be signed in, and how.
struct Wish {
    config: Config,
    client: OAuthClient,
    asked: AddArguments,
    /// Whether reading is all that is asked for: a person said so, now or when the account was made one that is only mirrored.
    read_only: bool,
    scopes: Scopes,
}

/// Signs an account in.
pub(super) async fn run(asked: AddArguments, places: &Places) -> Answer<Report> {
    let config = Config::read(&places.config_file()).map_err(failed)?;
    let hinted = asked.account.as_deref().and_then(|email| known(&config, email));
    let own = hinted.and_then(|account| account.oauth.clone());
    let client = match &asked.client {
        Some(named) => client::read(named).await?,
        None => own.or_else(|| config.oauth.clone()).ok_or_else(|| {
            ErrorAnswer::invalid(
                "there is no OAuth client to sign in with",
                "Give one with --client FILE; how to make it in ten minutes: `mcp-workspace help google-setup`.",
            )
        })?,
    };
    let read_only = asked.read_only || hinted.is_some_and(|account| account.mode == Mode::Mirror);
    let scopes = match &asked.scopes {
        Some(list) => chosen(list, read_only)?,
        None => Scopes::needed(read_only, true),
    };
    let wish = Wish { config, client, asked, read_only, scopes };
    if wish.asked.manual { by_hand(&wish, places).await } else { by_browser(&wish, places).await }
}

/// Reads the scopes that were chosen; those must do for what is to be done.
fn chosen(list: &str, read_only: bool) -> Answer<Scopes> {
    let scopes = Scopes::parse(list);
    if scopes.writes_documents() || (read_only && scopes.reads_documents()) {
        return Ok(scopes);
    }
    let (what, suggestion) = match scopes.reads_documents() {
        true => ("these scopes only read", "Add --read-only, or `drive` to the scopes."),
        false => (
            "without Drive nothing can be mirrored",
            "Add `drive` to the scopes, or `drive.readonly` with --read-only.",
        ),
    };
    Err(ErrorAnswer::invalid(what, suggestion))
}

/// Has the browser come back to a page of ours.
async fn by_browser(wish: &Wish, places: &Places) -> Answer<Report> {
    let page = Loopback::open().await?;
    let consent = Consent::new(page.uri().to_owned(), wish.scopes.clone()).map_err(failed)?;
    let url = address(wish, &consent)?;
    print::prompt("Sign in and allow the access in your browser; if none opens, go to this address:");
    print::prompt(&url);
    print::prompt("Is the browser on another machine? Stop with Ctrl-C and use --manual.");
    if let Err(error) = open::that_detached(&url) {
        tracing::debug!(%error, "no browser opens");
    }
    page.receive(&consent, async |code| {
        let report = finish(wish, places, &consent, &code).await?;
        let told = report.lines.first().cloned().unwrap_or_default();
        Ok((report, told))
    })
    .await
}

/// Has the person paste what the browser shows.
async fn by_hand(wish: &Wish, places: &Places) -> Answer<Report> {
    let consent = Consent::new(NOBODYS_URI.to_owned(), wish.scopes.clone()).map_err(failed)?;
    print::prompt("Open this address in a browser, on any machine, sign in and allow the access:");
    print::prompt(&address(wish, &consent)?);
    print::prompt(
        "Then the browser says that it cannot reach 127.0.0.1. Copy the whole address from its bar, and paste it here:",
    );
    let pasted = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().take(PASTED_BYTES_MAX).read_line(&mut line).map(|_| line)
    });
    let disk = |source| failed(Error::Disk { path: "stdin".into(), doing: "read", source });
    let pasted = pasted.await.map_err(|error| disk(std::io::Error::other(error)))?.map_err(disk)?;
    match consent.returned(&pasted) {
        Returned::Code(code) => finish(wish, places, &consent, &code).await,
        Returned::Refused(why) => Err(not_allowed(&why)),
        Returned::Stray => Err(ErrorAnswer::invalid(
            "this is not the address to which the browser went after that page",
            "Run the command once more, and paste the whole address, which begins with http://127.0.0.1.",
        )),
    }
}

fn address(wish: &Wish, consent: &Consent) -> Answer<String> {
    let client = of_google(&wish.client);
    consent.url(&daemon::endpoints(&wish.config), &client, wish.asked.account.as_deref()).map_err(failed)
}

/// Exchanges the code, looks at what was allowed, and keeps it.
async fn finish(wish: &Wish, places: &Places, consent: &Consent, code: &Token) -> Answer<Report> {
    let endpoints = daemon::endpoints(&wish.config);
    let granted = consent.exchange(&endpoints, &of_google(&wish.client), code).await.map_err(failed)?;
    if let Err(error) = check(wish, &granted) {
        // What is of no use to us is nobody's to keep.
        if let Err(error) = google::revoke(&endpoints, &granted.refresh_token).await {
            tracing::warn!(%error, "the access was not taken back");
        }
        return Err(error);
    }
    keep(wish, places, &granted).await
}

/// Checks that the account is the one that was meant, and that it allowed enough: each box on Google's page can be unticked.
fn check(wish: &Wish, granted: &Granted) -> Answer<()> {
    if let Some(email) = wish.asked.account.as_deref().filter(|email| !email.eq_ignore_ascii_case(&granted.account)) {
        return Err(ErrorAnswer::invalid(
            format!("{} signed in, and not {}; nothing was kept", granted.account, email.escape_debug()),
            "Run the command once more and choose the other account, or leave --account out.",
        ));
    }
    let is_enough = match wish.read_only {
        true => granted.scopes.reads_documents(),
        false => granted.scopes.writes_documents(),
    };
    if is_enough {
        return Ok(());
    }
    let what = if wish.read_only { "to read Google Drive" } else { "to edit files in Google Drive" };
    Err(failed(Error::Told {
        kind: ErrorKind::PermissionDenied,
        message: format!("{} did not allow {what}; nothing was kept", granted.account),
        suggestion: "Run the command once more, and leave that box ticked on Google's page.".into(),
    }))
}

/// Keeps the tokens, and writes the account into the config.
async fn keep(wish: &Wish, places: &Places, granted: &Granted) -> Answer<Report> {
    let Wish { config, client, .. } = wish;
    let before = known(config, &granted.account);
    let fresh = AccountConfig::of(&granted.account);
    // Its folders have the name that the config gave it.
    let account = before.unwrap_or(&fresh);
    let folder = places.account_state(&account.account());
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)
        .map_err(|source| failed(Error::Disk { path: folder, doing: "made", source }))?;
    let secrets = daemon::secrets(places, account);
    secrets.sign_in(&account.email, &granted.refresh_token).await.map_err(failed)?;
    // Tokens are of the client that asked for them, so that of others must stay what it was.
    let others = config
        .accounts
        .iter()
        .any(|other| other.email != account.email && other.bearer.is_none() && other.oauth.is_none());
    let is_usual = config.oauth.as_ref().is_none_or(|usual| usual == client || !others);
    // Signing in anew never lets edits go to Google that were to stay here.
    let mode = if wish.read_only { Mode::Mirror } else { account.mode };
    let signed_in =
        SignedIn { email: &account.email, mode, mail: granted.scopes.reads_mail(), client: Some((client, is_usual)) };
    let after = Config::edit(&places.config_file(), |text| with_account(text, &signed_in).map(Some)).map_err(failed)?;
    let is_changed = known(&after, &account.email) != before || after.oauth != config.oauth;
    Ok(told(places, granted, (&account.email, mode), secrets.path(), is_changed))
}

fn told(
    places: &Places,
    granted: &Granted,
    (email, mode): (&str, Mode),
    kept: &std::path::Path,
    is_changed: bool,
) -> Report {
    let short: Vec<&str> = granted.scopes.short().into_iter().filter(|scope| !is_of_identity(scope)).collect();
    let mut lines = vec![format!("{email} is signed in: {}", short.join(", "))];
    let mail = granted.scopes.reads_mail();
    if !mail {
        lines.push("Its mail was not allowed, so no mail is mirrored; sign in once more to change that.".into());
    } else if mode == Mode::TwoWay && !granted.scopes.writes_mail() {
        lines.push("Its mail may only be read: labels and drafts in the files stay there.".into());
    }
    if mode == Mode::Mirror {
        lines.push("It is only mirrored: edits of its files stay in them (`mode` in config.toml).".into());
    }
    lines.push(format!("What renews the access stands in {}, for you alone to read.", kept.display()));
    let is_served = is_served(places);
    lines.push(match (is_served, is_changed) {
        (true, true) => format!(
            "Stop the daemon and start it again, as by `{} service restart`: then it mirrors this account.",
            places.command()
        ),
        (true, false) => format!("The daemon goes on with it by itself; `{} resume` hastens it.", places.command()),
        (false, _) => {
            format!("Now run `{} daemon`, or `{0} service install`, and `{0} fetch URL` beside it.", places.command())
        }
    });
    let value = json!({
        "account": email, "scopes": short, "mail": mail, "mode": mode, "kept_in": kept,
        "restart": is_served && is_changed,
    });
    Report { value, lines, waits: false }
}

/// Whether a scope only tells who signed in.
pub(super) fn is_of_identity(scope: &str) -> bool {
    matches!(scope, "openid" | "email" | "profile" | "userinfo.email" | "userinfo.profile")
}

/// The account of that address, however it is written.
pub(super) fn known<'c>(config: &'c Config, email: &str) -> Option<&'c AccountConfig> {
    config.accounts.iter().find(|account| account.email.eq_ignore_ascii_case(email))
}

fn of_google(client: &OAuthClient) -> google::OAuthClient {
    google::OAuthClient { id: client.client_id.clone(), secret: Token::new(client.client_secret.expose()) }
}
