//! Which accounts are signed in, whether that still works, and signing one out.

use serde_json::{Value, json};

use super::add::{is_of_identity, known};
use super::{failed, is_served};
use crate::cli::{Answer, Report};
use crate::config::{AccountConfig, Config, Mode, Places, without_account};
use crate::daemon;
use crate::error::Error;
use crate::google::{self, Scopes};
use crate::tools::ErrorAnswer;

/// Where a person takes a program's access away by hand.
const PERMISSIONS_PAGE: &str = "https://myaccount.google.com/permissions";

/// Tells which accounts there are, without asking Google.
pub(super) async fn list(places: &Places) -> Answer<Report> {
    let config = Config::read(&places.config_file()).map_err(failed)?;
    let (mut all, mut lines) = (Vec::new(), Vec::new());
    for account in &config.accounts {
        let way = way(places, account).await?;
        let mode = if account.mode == Mode::Mirror { "mirror" } else { "two-way" };
        let mail = if account.mail { "with mail" } else { "without mail" };
        lines.push(format!("{}  {mode}, {mail}, {way}", account.email));
        all.push(json!({ "account": account.email, "mode": account.mode, "mail": account.mail, "sign_in": way }));
    }
    if lines.is_empty() {
        lines.push("no account; `mcp-workspace auth add --client FILE` signs one in".into());
    }
    Ok(Report { value: json!({ "accounts": all }), lines, waits: false })
}

/// How an account gets in.
async fn way(places: &Places, account: &AccountConfig) -> Answer<&'static str> {
    if account.bearer.is_some() {
        return Ok("bearer in the config");
    }
    let is_known = daemon::secrets(places, account).knows(&account.email).await.map_err(failed)?;
    Ok(if is_known { "signed in" } else { "not signed in" })
}

/// Asks Google whether the accounts are let in, and to do what; with `renew` with a new token.
pub(super) async fn check(places: &Places, only: Option<&str>, renew: bool) -> Answer<Report> {
    let config = Config::read(&places.config_file()).map_err(failed)?;
    let accounts: Vec<&AccountConfig> = match only {
        Some(email) => vec![known(&config, email).ok_or_else(|| no_account(email))?],
        None => config.accounts.iter().collect(),
    };
    let (mut all, mut lines, mut waits) = (Vec::new(), Vec::new(), false);
    for account in accounts {
        let (value, line) = match check_one(places, &config, account, renew).await {
            Ok(found) => found,
            Err(error) => {
                waits = true;
                let answer = ErrorAnswer::from(&error);
                let line = format!("{}  {}. {}", account.email, answer.message, answer.suggestion);
                (json!({ "account": account.email, "works": false, "error": answer.to_value() }), line)
            }
        };
        all.push(value);
        lines.push(line);
    }
    if lines.is_empty() {
        lines.push("no account; `mcp-workspace auth add --client FILE` signs one in".into());
    }
    Ok(Report { value: json!({ "accounts": all }), lines, waits })
}

async fn check_one(
    places: &Places,
    config: &Config,
    account: &AccountConfig,
    renew: bool,
) -> crate::error::Result<(Value, String)> {
    let email = &account.email;
    let Some(scopes) = scopes(places, config, account, renew).await? else {
        let line = format!("{email}  a bearer in the config, which is neither asked about nor renewed");
        return Ok((json!({ "account": email, "works": null }), line));
    };
    let short: Vec<&str> = scopes.short().into_iter().filter(|scope| !is_of_identity(scope)).collect();
    let what = if renew { "renewed" } else { "signed in" };
    let line = format!("{email}  {what}: {}", short.join(", "));
    Ok((json!({ "account": email, "works": true, "scopes": short }), line))
}

/// Asks Google what an account's sign-in allows, with `renew` with a new token; `None` for a bearer of the config, of which nobody
/// can tell.
pub(in crate::cli) async fn scopes(
    places: &Places,
    config: &Config,
    account: &AccountConfig,
    renew: bool,
) -> crate::error::Result<Option<Scopes>> {
    if account.bearer.is_some() {
        return Ok(None);
    }
    let tokens = daemon::tokens(places, config, account).await?;
    let endpoints = daemon::endpoints(config);
    let token = if renew { tokens.renew().await? } else { tokens.token().await? };
    match google::allowed(&endpoints, &token).await {
        Ok(scopes) => Ok(Some(scopes)),
        // An access token is refused at once when its grant is taken back, and a new one tells why.
        Err(_) if !renew => google::allowed(&endpoints, &tokens.renew().await?).await.map(Some),
        Err(error) => Err(error),
    }
}

/// Signs an account out: its access is taken back at Google, and it goes out of the config. Its files stay.
pub(super) async fn remove(places: &Places, email: &str) -> Answer<Report> {
    let config = Config::read(&places.config_file()).map_err(failed)?;
    let account = known(&config, email).ok_or_else(|| no_account(email))?;
    let secrets = daemon::secrets(places, account);
    let refresh_token = secrets.refresh_token(&account.email).await.map_err(failed)?;
    let revoked = match &refresh_token {
        Some(token) => google::revoke(&daemon::endpoints(&config), token).await.map(Some),
        None => Ok(None),
    };
    // Out of the config first: what is left of a crash is a file that nobody reads.
    Config::edit(&places.config_file(), |text| without_account(text, &account.email)).map_err(failed)?;
    if refresh_token.is_some() {
        secrets.sign_out(&account.email).await.map_err(failed)?;
    }
    let mut lines = vec![format!("{} is signed out; its files stay where they are", account.email)];
    let is_revoked = match revoked {
        Ok(Some(true)) => true,
        Ok(Some(false) | None) => false,
        Err(error) => {
            let why = error.with_causes();
            lines.push(format!("Its access could not be taken back at Google ({why}): do that at {PERMISSIONS_PAGE}"));
            false
        }
    };
    let is_served = is_served(places);
    if is_served {
        lines.push(format!(
            "Stop the daemon and start it again, as by `{} service restart`: until then it goes on with this account.",
            places.command()
        ));
    }
    let value = json!({ "account": account.email, "revoked": is_revoked, "restart": is_served });
    Ok(Report { value, lines, waits: false })
}

fn no_account(email: &str) -> ErrorAnswer {
    ErrorAnswer::from(&Error::InvalidInput {
        what: format!("`{}` is no account of the config", email.escape_debug()),
        suggestion: "See `mcp-workspace auth list`.".into(),
    })
}
