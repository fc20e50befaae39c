//! `status --watch`: how things stand, again and again until Ctrl-C.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::{Answer, client, print};
use crate::tools::Command;

/// The pause between two looks.
const LOOK_PAUSE: Duration = Duration::from_secs(1);

/// What of an account changes all the time, and is no news to whoever reads a log; the terminal shows it.
const OF_TIME: [&str; 3] = ["next_poll_s", "quota", "queue"];

/// What was shown last.
#[derive(Debug, Default, PartialEq)]
enum Shown {
    /// Nothing.
    #[default]
    Nothing,
    /// This, of which a reader of lines was told.
    Status(Value),
    /// That nobody answers, for this reason.
    Nobody(String),
}

/// Shows how things stand until Ctrl-C: on a terminal in place, elsewhere whenever anything has changed but what changes all the
/// time. A daemon that ends is waited for.
///
/// # Errors
///
/// That of the first look, so that a wrong home is told at once.
pub(super) async fn status(socket: &Path, json: bool) -> Answer<()> {
    let screen = !json && std::io::stdout().is_terminal();
    let mut shown = Shown::default();
    loop {
        match client::ask(socket, Command::Status).await {
            Ok(value) => {
                let news = Shown::Status(without_time(&value));
                if screen {
                    print::screen(&Command::Status, &value);
                } else if shown != news {
                    print::report(&Command::Status, &value, json);
                }
                shown = news;
            }
            Err(answer) if shown == Shown::Nothing => return Err(answer),
            Err(answer) => {
                let news = Shown::Nobody(answer.message.clone());
                if shown != news {
                    print::error(&answer, json);
                }
                shown = news;
            }
        }
        tokio::select! {
            ended = tokio::signal::ctrl_c() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "Ctrl-C cannot be heard");
                    tokio::time::sleep(LOOK_PAUSE).await;
                    continue;
                }
                return Ok(());
            }
            () = tokio::time::sleep(LOOK_PAUSE) => {}
        }
    }
}

/// Returns a status without what changes with the time alone.
fn without_time(value: &Value) -> Value {
    let mut value = value.clone();
    let accounts = value.get_mut("accounts").and_then(Value::as_array_mut);
    for account in accounts.into_iter().flatten().filter_map(Value::as_object_mut) {
        for key in OF_TIME {
            account.remove(key);
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_time_alone_is_no_news() {
        let status = |poll: u64, held: &str| json!({ "accounts": [{ "next_poll_s": poll, "quota": { "reads_left": poll }, "halted": held }] });
        assert_eq!(without_time(&status(1, "")), without_time(&status(2, "")));
        assert_ne!(without_time(&status(1, "")), without_time(&status(1, "it is")));
    }
}
