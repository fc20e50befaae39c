//! Signing accounts in and out.

mod accounts;
mod add;
mod client;
mod loopback;

pub(super) use accounts::scopes;

use super::arguments::AuthVerb;
use super::{Answer, Outcome, Threads, failed, runtime};
use crate::config::Places;
use crate::error::{Error, ErrorKind};
use crate::tools::ErrorAnswer;

/// Carries out what is asked for the accounts of a home.
pub(super) fn perform(verb: AuthVerb, places: &Places, json: bool) -> Answer<Outcome> {
    let runtime = runtime(Threads::One)?;
    let report = runtime.block_on(async {
        match verb {
            AuthVerb::Add(asked) => add::run(asked, places).await,
            AuthVerb::List => accounts::list(places).await,
            AuthVerb::Status { account } => accounts::check(places, account.as_deref(), false).await,
            AuthVerb::Refresh { account } => accounts::check(places, account.as_deref(), true).await,
            AuthVerb::Remove { account } => accounts::remove(places, &account).await,
        }
    });
    // A person who was asked for a line may never type it.
    runtime.shutdown_background();
    Ok(report?.tell(json))
}

/// Says that nobody was signed in, since the person did not want it or Google did not.
fn not_allowed(why: &str) -> ErrorAnswer {
    let message = match why {
        "access_denied" => "the access was not allowed".to_owned(),
        other => format!("Google did not allow the access: {other}"),
    };
    let suggestion = match why {
        "admin_policy_enforced" => "The administrator of this Google Workspace must allow the OAuth client first.",
        "access_denied" => {
            "Run the command once more and press Allow. While the project is in testing, only its test users may: see \
             `mcp-workspace help google-setup`."
        }
        _ => "See `mcp-workspace help google-setup`.",
    };
    ErrorAnswer::from(&Error::Told { kind: ErrorKind::PermissionDenied, message, suggestion: suggestion.into() })
}

/// Tells whether a daemon serves this home now.
fn is_served(places: &Places) -> bool {
    std::os::unix::net::UnixStream::connect(places.control_socket()).is_ok()
}
