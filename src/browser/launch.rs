//! How a browser is started.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use url::Url;

use super::devtools::{Client, Deadline};
use super::error::{Error, Result};
use super::process::Process;
use super::profile::{Claim, Profile};
use super::transport::{Receiver, Sender};
use super::{Browser, Window, leftover};

/// Options that decide who else may steer the browser, and where a person's sign-in is kept.
const OURS: [&str; 5] =
    ["--remote-debugging", "--remote-allow-origins", "--user-data-dir", "--password-store", "--enable-automation"];

/// A browser to be started on a profile of its own.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program, as [`find`](super::find::find) gives it.
    pub program: PathBuf,
    /// The profile. There is one browser at a time on it.
    pub profile: Profile,
    /// Whether it has windows on the person's desktop.
    pub visible: bool,
    /// Options of Chromium in addition, such as `--host-resolver-rules=…` in a test.
    pub extra: Vec<String>,
    /// How long it may take until it answers.
    pub ready_within: Duration,
    /// How long another process that has the profile is waited for.
    pub claim_within: Duration,
}

impl Launch {
    /// Names a browser without windows, which may take 60 s to answer and waits 5 s for its profile.
    #[must_use]
    pub const fn headless(program: PathBuf, profile: Profile) -> Self {
        Self {
            program,
            profile,
            visible: false,
            extra: Vec::new(),
            ready_within: Duration::from_secs(60),
            claim_within: Duration::from_secs(5),
        }
    }

    /// Starts the browser and speaks to it through a pipe. No port is open: a port of this machine could be used by all its users,
    /// and whoever uses it has the person's sign-in.
    ///
    /// A page can see that it is steered (`navigator.webdriver`), and sites may refuse a sign-in then: [`Self::open_window`] is
    /// for that. What an earlier process of ours left running on the profile is ended first.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for an extra option that is not the caller's to give; `Unsafe`, `InUse` and `Disk` for the profile; `Launch`
    /// when the browser does not start, and `TimedOut` when it does not answer. No process is left behind then.
    pub async fn start(&self) -> Result<Browser> {
        let claim = self.prepare().await?;
        let arguments = self.arguments(true, "about:blank");
        let (process, pipe) = Process::start(&self.program, &arguments, true, (&self.profile, claim))?;
        let Some((output, input)) = pipe else {
            return Err(self.failed("its pipe is missing, so report this as a bug"));
        };
        let client = Client::start(Sender::Pipe(input), Receiver::pipe(output));
        match self.greet(&client).await {
            Ok(version) => Ok(Browser::started(client, process, version)),
            Err(error) => {
                let reason = process.reason();
                drop(client);
                process.end(false).await;
                Err(if matches!(error, Error::Ended { .. }) { self.failed(reason) } else { error })
            }
        }
    }

    /// Opens `url` in a window that only its person steers: nothing of ours speaks to the browser, so that a sign-in is between
    /// the person and the site. Who wants to know what came of it waits until the window is closed, and looks with
    /// [`Self::start`].
    ///
    /// # Errors
    ///
    /// As [`Self::start`].
    pub async fn open_window(&self, url: &Url) -> Result<Window> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Error::InvalidInput {
                what: "the window's URL cannot be opened".into(),
                suggestion: "give one of http or https",
            });
        }
        let visible = Self { visible: true, ..self.clone() };
        let claim = visible.prepare().await?;
        let arguments = visible.arguments(false, url.as_str());
        let (process, _) = Process::start(&visible.program, &arguments, false, (&visible.profile, claim))?;
        Ok(Window::started(process, visible.program))
    }

    async fn prepare(&self) -> Result<Claim> {
        check(&self.extra)?;
        if self.visible && !has_display() {
            return Err(self.failed("there is no display, so run it on a desktop"));
        }
        let claim = self.profile.claim(self.claim_within).await?;
        leftover::end(&self.profile).await?;
        Ok(claim)
    }

    async fn greet(&self, client: &Client) -> Result<String> {
        let deadline = Deadline::after(self.ready_within);
        let starting = |error: Error| error.during("starting").harmless();
        let answer = client.call("Browser.getVersion", json!({}), deadline).await.map_err(starting)?;
        client.call("Target.setDiscoverTargets", json!({"discover": true}), deadline).await.map_err(starting)?;
        if !self.visible {
            // Nobody is there to say where a file should go, or that it should not come.
            let deny = json!({"behavior": "deny"});
            client.call("Browser.setDownloadBehavior", deny, deadline).await.map_err(starting)?;
        }
        Ok(super::devtools::text(&answer, "product"))
    }

    fn failed(&self, reason: &'static str) -> Error {
        Error::Launch { program: self.program.clone(), reason, source: None }
    }

    /// Returns the options. The way in which passwords are kept is the same for all: cookies that were written with another are
    /// not read.
    fn arguments(&self, piped: bool, url: &str) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = [
            "--no-first-run",
            "--no-default-browser-check",
            "--password-store=basic",
            // A dump of a crash would hold what the browser knew.
            "--disable-breakpad",
            // Models and lists of some hundred megabytes, which a browser for one page does not need.
            "--disable-component-update",
            "--hide-crash-restore-bubble",
        ]
        .map(OsString::from)
        .to_vec();
        let mut data = OsString::from("--user-data-dir=");
        data.push(self.profile.data_folder());
        arguments.push(data);
        if piped {
            arguments.push("--remote-debugging-pipe".into());
        }
        if !self.visible {
            arguments.push("--headless=new".into());
        }
        if rustix::process::geteuid().is_root() {
            tracing::warn!("the browser's sandbox does not work for root, so it runs without; another user is safer");
            arguments.push("--no-sandbox".into());
        }
        arguments.extend(self.extra.iter().map(OsString::from));
        arguments.push(url.into());
        arguments
    }
}

/// Makes sure that extra options leave alone what is ours.
fn check(extra: &[String]) -> Result<()> {
    let is_bad = |option: &&String| !option.starts_with("--") || OURS.iter().any(|ours| option.starts_with(ours));
    match extra.iter().find(is_bad) {
        Some(option) => Err(Error::InvalidInput {
            what: format!("the browser's option `{}` cannot be given", option.split('=').next().unwrap_or_default()),
            suggestion: "leave it out",
        }),
        None => Ok(()),
    }
}

/// Tells whether a browser with windows could be shown.
#[must_use]
pub fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch() -> Launch {
        Launch::headless("/usr/bin/chromium".into(), Profile::at("/p"))
    }

    #[track_caller]
    fn has(arguments: &[OsString], wanted: &str, expected: bool) {
        let found = arguments.iter().any(|argument| argument.to_string_lossy().starts_with(wanted));
        assert_eq!(found, expected, "{wanted} in {arguments:?}");
    }

    #[test]
    fn no_port_is_opened_and_no_automation_asked_for() {
        let headless = launch().arguments(true, "about:blank");
        let window = Launch { visible: true, ..launch() }.arguments(false, "https://a.test/");
        for arguments in [&headless, &window] {
            has(arguments, "--remote-debugging-port", false);
            has(arguments, "--enable-automation", false);
            has(arguments, "--disable-blink-features", false);
            has(arguments, "--password-store=basic", true);
            has(arguments, "--user-data-dir=/p/data", true);
            has(arguments, "--no-sandbox", rustix::process::geteuid().is_root());
        }
        has(&headless, "--headless=new", true);
        has(&headless, "--remote-debugging-pipe", true);
        has(&window, "--headless", false);
        has(&window, "--remote-debugging-pipe", false);
        assert_eq!(window.last().unwrap(), "https://a.test/");
    }

    #[test]
    fn extra_options_leave_alone_what_is_ours() {
        assert!(check(&["--host-resolver-rules=MAP * ~NOTFOUND".into()]).is_ok());
        for option in ["--remote-debugging-port=1", "--user-data-dir=/x", "--enable-automation", "http://a/", "-x"] {
            assert!(check(&[option.into()]).is_err(), "{option}");
        }
    }
}
