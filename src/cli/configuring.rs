//! `config`: what the config file says, and whether it is sound.

use serde_json::json;

use super::arguments::ConfigVerb;
use super::{Answer, Outcome, Report};
use crate::config::{Config, Mode, Places};
use crate::model::counted;
use crate::tools::ErrorAnswer;

/// Carries out what is asked for the config file of a home.
pub(super) fn perform(verb: &ConfigVerb, places: &Places, json: bool) -> Answer<Outcome> {
    let report = match verb {
        ConfigVerb::Check => check(places)?,
        ConfigVerb::Path => path(places),
    };
    Ok(report.tell(json))
}

/// Reads the file as the daemon does.
fn check(places: &Places) -> Answer<Report> {
    let file = places.config_file();
    let config = Config::read(&file).map_err(|error| ErrorAnswer::from(&error))?;
    let is_there = file.exists();
    let workspace = config.workspace.as_ref().unwrap_or(&places.workspace);
    let state = if is_there { "is sound" } else { "is not there, which is as good as an empty one" };
    let mut lines = vec![
        format!("{} {state}: {}", file.display(), counted(config.accounts.len(), "account")),
        format!("the workspace is {}", workspace.display()),
    ];
    let mut accounts = Vec::new();
    for account in &config.accounts {
        let mode = if account.mode == Mode::Mirror { "mirror" } else { "two-way" };
        let mail = if account.mail { "with mail" } else { "without mail" };
        lines.push(format!("{}: {mode}, {mail}", account.email));
        accounts.push(json!({ "account": account.email, "mode": account.mode, "mail": account.mail }));
    }
    lines.push("a daemon that runs follows a change once it was started anew".into());
    let value = json!({ "path": file, "exists": is_there, "workspace": workspace, "accounts": accounts });
    Ok(Report { value, lines, waits: false })
}

/// Tells where everything is kept.
fn path(places: &Places) -> Report {
    let file = places.config_file();
    let value = json!({ "path": file, "state": places.state, "run": places.run });
    Report { value, lines: vec![file.display().to_string()], waits: false }
}
