//! `doctor`: first what is around the daemon, which it cannot look at itself, then what it finds.

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{Answer, Outcome, auth, client, demo, failed, print, progress, service, with_how_to_start};
use crate::config::{AccountConfig, Config, Mode, Places};
use crate::daemon;
use crate::google::{self, Scopes};
use crate::model::Account;
use crate::tools::{Command, DoctorFinding, ErrorAnswer};

/// Less room than this on a disk is told, in bytes.
const ROOM_MIN: u64 = 500 << 20;

/// A clock that is further off is told: tokens end by it, and the time of what changed is compared.
const CLOCK_OFF_MAX: Duration = Duration::from_secs(120);

/// Checks everything that can be checked from here, and has the daemon check the rest.
///
/// # Errors
///
/// `InvalidInput` where the config is wrong; else what the daemon answers.
pub(super) async fn perform(places: &Places, repair: bool, remote: usize, json: bool) -> Answer<Outcome> {
    let config = Config::read(&places.config_file()).map_err(failed)?;
    let command = Command::Doctor { repair, remote };
    let socket = places.control_socket();
    let look = async { (client::ask(&socket, command.clone()).await, around(places, &config).await) };
    let (told, mut findings) = tokio::select! {
        biased;
        found = look => found,
        never = progress::show(&socket, &command, json) => match never {},
    };
    match told {
        Ok(report) => findings.extend(report.get("findings").and_then(Value::as_array).cloned().unwrap_or_default()),
        Err(answer) if answer.kind == "daemon" => {
            let answer = with_how_to_start(answer, places);
            findings.insert(0, finding("", "socket", answer.message, answer.suggestion, Weight::Problem));
            if config.accounts.is_empty() && !demo::is_demo(places) {
                let fix = "`mcp-workspace auth add --client FILE` signs one in; see `mcp-workspace help google-setup`.";
                findings.push(finding("", "sign-in", "no account is signed in".into(), fix.into(), Weight::Note));
            }
        }
        Err(answer) => return Err(answer),
    }
    let is_left = |finding: &Value| matches!(finding["repair"].as_str(), Some("byhand" | "offered"));
    let waits = findings.iter().any(is_left);
    print::report(&command, &json!({ "findings": findings, "waits": waits }), json);
    Ok(if waits { Outcome::Waits } else { Outcome::Done })
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// A person may want to know.
    Note,
    /// A person must do something.
    Problem,
}

/// A finding as the daemon tells its own; `account` is empty where it is of none.
fn finding(account: &str, check: &str, message: String, fix: String, weight: Weight) -> Value {
    let repair = match weight {
        Weight::Note => "note",
        Weight::Problem => "byhand",
    };
    json!(DoctorFinding {
        account: Account(account.into()),
        check: check.into(),
        id: None,
        path: None,
        message,
        fix,
        repair: repair.into(),
    })
}

/// Looks at disks, the service, the network, the clock and the sign-ins.
async fn around(places: &Places, config: &Config) -> Vec<Value> {
    let mut findings = disks(places, config);
    findings.extend(service_of(places));
    if config.accounts.is_empty() {
        return findings;
    }
    match google::clock(&daemon::endpoints(config)).await {
        Ok(there) => findings.extend(there.and_then(|there| clock(SystemTime::now(), there))),
        Err(error) => {
            // What is asked there would tell the same once more for each account.
            let ErrorAnswer { suggestion, .. } = ErrorAnswer::from(&error);
            findings.push(finding("", "network", error.with_causes(), suggestion, Weight::Problem));
            return findings;
        }
    }
    for account in &config.accounts {
        findings.extend(sign_in(places, config, account).await);
    }
    findings
}

/// Tells of disks that are nearly full.
fn disks(places: &Places, config: &Config) -> Vec<Value> {
    let workspace = config.workspace.as_ref().unwrap_or(&places.workspace);
    let mut findings = Vec::new();
    for (what, folder) in [("the workspace", workspace), ("the state", &places.state)] {
        // One that is not there yet is not full.
        let Ok(disk) = rustix::fs::statvfs(folder) else { continue };
        findings.extend(room(what, folder, disk.f_bavail.saturating_mul(disk.f_frsize)));
    }
    findings
}

fn room(what: &str, folder: &Path, bytes: u64) -> Option<Value> {
    (bytes < ROOM_MIN).then(|| {
        let message = format!("the disk of {what}, {}, has {} MiB left", folder.display(), bytes >> 20);
        let fix = "Make room there: without any, nothing is written, and nothing is pushed.";
        finding("", "disk", message, fix.into(), Weight::Problem)
    })
}

/// Tells of a service that is installed and does not run, or not as this program would write it.
fn service_of(places: &Places) -> Vec<Value> {
    // Where no manager can be asked there is no service.
    let Ok(report) = service::standing(places) else { return Vec::new() };
    if report.value["installed"] != true || !report.waits && report.value["current"] == true {
        return Vec::new();
    }
    let weight = if report.waits { Weight::Problem } else { Weight::Note };
    let command = places.command();
    let fix = match report.waits {
        true => format!("`{command} service start` starts it, and `{command} service logs` tells why it ended."),
        false => format!("`{command} service install` writes it anew."),
    };
    vec![finding("", "service", report.lines.join("; "), fix, weight)]
}

/// Tells of a clock that is far from Google's.
fn clock(here: SystemTime, there: SystemTime) -> Option<Value> {
    let (off, way) = match here.duration_since(there) {
        Ok(ahead) => (ahead, "ahead of"),
        Err(behind) => (behind.duration(), "behind"),
    };
    (off > CLOCK_OFF_MAX).then(|| {
        let message = format!("this machine's clock is {} {way} Google's", print::duration(off.as_secs()));
        let fix = "Have the system set it by the network: with a wrong clock sign-ins end early or late.";
        finding("", "clock", message, fix.into(), Weight::Problem)
    })
}

/// Tells of an account that Google does not let in, or not to all that the config says.
async fn sign_in(places: &Places, config: &Config, account: &AccountConfig) -> Option<Value> {
    let problem = |message: String, fix: String| finding(&account.email, "sign-in", message, fix, Weight::Problem);
    match auth::scopes(places, config, account, false).await {
        Ok(scopes) => lacks(account, scopes.as_ref()?).map(|what| {
            let add = format!("`{} auth add --account {}`", places.command(), account.email);
            problem(format!("the sign-in does not allow {what}"), format!("Sign in anew and leave it ticked: {add}."))
        }),
        Err(error) => {
            let ErrorAnswer { suggestion, .. } = ErrorAnswer::from(&error);
            Some(problem(error.with_causes(), suggestion))
        }
    }
}

/// Says what an account is to do and may not.
fn lacks(account: &AccountConfig, scopes: &Scopes) -> Option<&'static str> {
    let writes = account.mode == Mode::TwoWay;
    match () {
        () if !scopes.reads_documents() => Some("to read documents"),
        () if writes && !scopes.writes_documents() => Some("to change documents"),
        () if account.mail && !scopes.reads_mail() => Some("to read mail"),
        () if account.mail && writes && !scopes.writes_mail() => Some("to change labels and drafts of mail"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(finding: Option<Value>) -> String {
        finding.map(|finding| finding["message"].as_str().unwrap_or_default().to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_clock_is_told_when_it_is_far_off() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(told(clock(at(10_000), at(10_100))), "");
        assert_eq!(told(clock(at(10_000), at(10_600))), "this machine's clock is 10 min behind Google's");
        assert_eq!(told(clock(at(20_000), at(10_000))), "this machine's clock is 3 h ahead of Google's");
    }

    #[test]
    fn a_disk_is_told_when_it_is_nearly_full() {
        assert_eq!(told(room("the workspace", Path::new("/w"), ROOM_MIN)), "");
        let expected = "the disk of the workspace, /w, has 3 MiB left";
        assert_eq!(told(room("the workspace", Path::new("/w"), (3 << 20) + 5)), expected);
    }

    #[test]
    fn what_a_sign_in_does_not_allow_is_told() {
        let account = |mode, mail| AccountConfig { mode, mail, ..AccountConfig::of("a@b") };
        for (mode, mail, scopes, expected) in [
            (Mode::TwoWay, false, "drive", None),
            (Mode::TwoWay, true, "drive", Some("to read mail")),
            (Mode::TwoWay, true, "drive gmail.readonly", Some("to change labels and drafts of mail")),
            (Mode::Mirror, true, "drive.readonly gmail.readonly", None),
            (Mode::TwoWay, false, "drive.readonly", Some("to change documents")),
            (Mode::Mirror, false, "gmail.readonly", Some("to read documents")),
        ] {
            assert_eq!(lacks(&account(mode, mail), &Scopes::parse(scopes)), expected, "{mode:?} {mail} {scopes}");
        }
    }
}
