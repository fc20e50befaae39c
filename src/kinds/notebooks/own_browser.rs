//! The browser that stands between this program and NotebookLM, on a profile that is for nothing else.

use std::path::{Path, PathBuf};
use std::time::Duration;

use url::Url;

use crate::browser::find::find;
use crate::browser::{Keeper, Launch, Profile};
use crate::error::{Error, NotebookFault, Result};
use crate::notebooklm::hosts::Base;

use super::failure::failed;
use super::in_page::{InPage, of_browser};
use super::personal::{Personal, Settings};

/// A browser that nobody uses is closed after as long.
const IDLE: Duration = Duration::from_secs(600);

/// How long a person may take to sign in, and to close the window.
const SIGN_IN_WAIT: Duration = Duration::from_secs(900);

/// A person's browser on a profile of its own. It is started when it is first used, and one at a time runs on the profile, whichever
/// process has it.
#[derive(Debug, Clone)]
pub struct OwnBrowser {
    launch: Launch,
    keeper: Keeper,
    base: Base,
    settings: Settings,
}

impl OwnBrowser {
    /// Finds the program, the one that is `configured` or the one that is installed, for the profile in a folder.
    ///
    /// # Errors
    ///
    /// `Notebook` with the fault `BrowserLaunchFailed` when there is none.
    pub fn find(configured: Option<&Path>, profile: PathBuf, base: Base, settings: Settings) -> Result<Self> {
        let program = find(configured).map_err(of_browser)?;
        let launch = Launch::headless(program, Profile::at(profile));
        let keeper = Keeper::new(launch.clone(), IDLE);
        Ok(Self { launch, keeper, base, settings })
    }

    /// Returns what can be asked by way of it.
    #[must_use]
    pub fn service(&self) -> Personal {
        let way = InPage::new(self.keeper.clone(), self.base.clone(), self.settings.authuser.clone());
        Personal::new(Box::new(way), self.settings.clone())
    }

    /// Opens a window in which a person signs in, and waits until it is closed. Nothing of ours speaks to that browser; whether
    /// somebody is signed in then, only an answer tells.
    ///
    /// # Errors
    ///
    /// `Notebook` when it cannot be opened, or stands open too long.
    pub async fn sign_in(&self) -> Result<()> {
        let login = Url::parse(&format!("{}/login", self.base.origin()))
            .map_err(|_error| failed(NotebookFault::ParseError, "the address of NotebookLM cannot be used"))?;
        let window = self.launch.open_window(&login).await.map_err(of_browser)?;
        let is_closed = window.closed(SIGN_IN_WAIT).await.map_err(of_browser);
        window.close().await;
        if is_closed? {
            return Ok(());
        }
        Err(Error::Notebook {
            fault: NotebookFault::Timeout,
            message: format!("the window was open for {} minutes", SIGN_IN_WAIT.as_secs() / 60),
            retry_after: None,
            outcome_unknown: false,
        })
    }
}
