//! `notebooks`: signing in to NotebookLM, and looking whether that holds.

use serde_json::{Value, json};

use super::arguments::NotebooksVerb;
use super::{Answer, Outcome, Report, Threads, client, failed, print, runtime};
use crate::config::{Config, Places};
use crate::daemon;
use crate::kinds::notebooks::Service as _;
use crate::tools::{Command, ErrorAnswer};

/// Does what is asked about notebooks.
///
/// # Errors
///
/// `InvalidInput` where the config is wrong; of a sign-in, why it did not come about.
pub(super) fn perform(verb: &NotebooksVerb, places: &Places, json: bool) -> Answer<Outcome> {
    let config = Config::read(&places.config_file()).map_err(failed)?;
    let asked = async {
        match verb {
            NotebooksVerb::Login => login(places, &config, json).await.map(|report| report.tell(json)),
            NotebooksVerb::Check => check(places, &config, json).await,
        }
    };
    runtime(Threads::Several)?.block_on(asked)
}

/// Opens a window for a person, and asks something that only who is signed in is answered.
async fn login(places: &Places, config: &Config, json: bool) -> Answer<Report> {
    let browser = daemon::own_browser(places, config).map_err(failed)?;
    // One browser at a time has the profile, and the daemon's may be open yet.
    ask_daemon(places, Command::ReleaseNotebooks).await?;
    if !json {
        print::line("A window opens at NotebookLM. Sign in there, and close the window when you see your notebooks.");
        print::line(
            "NotebookLM has no published interface for personal accounts: what is asked is asked from within its own",
        );
        print::line("page, in a browser on this machine. Google does not support that, and may change it at any time.");
    }
    browser.sign_in().await.map_err(failed)?;
    let service = browser.service();
    let signed_in = service.probe().await;
    service.release().await;
    let email = signed_in.map_err(failed)?.email;
    let who = email.as_deref().unwrap_or("somebody whose address NotebookLM does not tell");
    let lines = vec![format!("{who} is signed in to NotebookLM; its notebooks can be asked")];
    Ok(Report { value: json!({ "email": email }), lines, waits: false })
}

/// Tells whether notebooks can be asked: by the daemon, or by itself where none runs.
async fn check(places: &Places, config: &Config, json: bool) -> Answer<Outcome> {
    let health = match ask_daemon(places, Command::CheckNotebooks).await? {
        Some(health) => health,
        None => {
            let notebooks = daemon::notebooks(places, config).map_err(failed)?;
            let health = notebooks.health().await;
            notebooks.release().await;
            health
        }
    };
    print::report(&Command::CheckNotebooks, &health, json);
    let is_healthy = health.get("status").and_then(Value::as_str) == Some("healthy");
    Ok(if is_healthy { Outcome::Done } else { Outcome::Waits })
}

/// Asks the daemon; `None` where none runs.
async fn ask_daemon(places: &Places, command: Command) -> Answer<Option<Value>> {
    match client::ask(&places.control_socket(), command).await {
        Ok(value) => Ok(Some(value)),
        Err(ErrorAnswer { kind, .. }) if kind == "daemon" => Ok(None),
        Err(answer) => Err(answer),
    }
}
