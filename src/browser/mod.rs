//! A Chromium of the person's own, on a profile of its own: found, started, spoken to, kept and ended.
//!
//! It is steered through a pipe that no other process has, so no port is open and nothing listens. A person signs in in a window
//! that nothing steers. What runs here knows nothing of the sites that are opened.
//!
//! **Invariant:** no process is ended that was not started here; no URL, header, cookie or text of a page is logged.

mod devtools;
mod error;
mod fetch;
pub mod find;
mod identity;
mod keeper;
mod launch;
mod leftover;
mod page;
mod process;
mod profile;
mod transport;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use devtools::{Client, Deadline, text};
use process::Process;

pub use error::{Error, Result};
pub use fetch::{Fetch, Fetched, Head, Stream};
pub use keeper::{Chromium, Keeper, Kept, Lease, Opens};
pub use launch::{Launch, has_display};
pub use page::{Landed, Page};
pub use profile::Profile;
pub use transport::Attach;

/// How long a browser may take to answer that it closes, or opens a page.
const ANSWER_WAIT: Duration = Duration::from_secs(30);

const CLOSE_ANSWER_WAIT: Duration = Duration::from_secs(3);

/// How often a window is looked at.
const WINDOW_PAUSE: Duration = Duration::from_millis(250);

/// A browser that runs. Dropped, it is ended in the background; [`Browser::close`] waits for that.
#[derive(Debug)]
pub struct Browser {
    client: Client,
    /// `None` for one that was attached to: that is the person's to end.
    process: Option<Process>,
    version: String,
    /// The pages that were opened in a browser that was attached to.
    opened: Mutex<Vec<String>>,
}

/// A window that only its person steers. Dropped, it is closed in the background.
#[derive(Debug)]
pub struct Window {
    process: Option<Process>,
    program: PathBuf,
}

impl Browser {
    const fn started(client: Client, process: Process, version: String) -> Self {
        Self { client, process: Some(process), version, opened: Mutex::new(Vec::new()) }
    }

    /// Attaches to a browser that runs already on this machine; it is left running.
    ///
    /// # Errors
    ///
    /// `Unsafe` when another user listens there; `Ended` when no browser does; `TimedOut`.
    pub async fn attach(address: &Attach) -> Result<Self> {
        let deadline = Deadline::after(ANSWER_WAIT);
        let connected = tokio::time::timeout_at(deadline.at(), address.connect()).await;
        let (sender, receiver) = connected.map_err(|_elapsed| deadline.over("connecting to a browser", false))??;
        let client = Client::start(sender, receiver);
        let answer = client.call("Browser.getVersion", json!({}), deadline).await?;
        client.call("Target.setDiscoverTargets", json!({"discover": true}), deadline).await?;
        Ok(Self { client, process: None, version: text(&answer, "product"), opened: Mutex::default() })
    }

    /// Returns the browser's name and version, such as `Chrome/156.0.8078.108`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the number of its process; `None` for one that was attached to.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// Tells whether it runs and listens.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.client.is_open() && self.process.as_ref().is_none_or(Process::is_running)
    }

    /// Opens a page, an empty one. The first is the one that the browser has from its start.
    ///
    /// # Errors
    ///
    /// `Ended`, `TimedOut`, and `Protocol` for a browser that is too old.
    pub async fn page(&self) -> Result<Page> {
        let opening = |error: Error| error.during("opening a page").harmless();
        let deadline = Deadline::after(ANSWER_WAIT);
        if let Some(target) = self.unused(deadline).await.map_err(opening)? {
            return Page::attach(&self.client, &target).await.map_err(opening);
        }
        let params = json!({"url": "about:blank"});
        let answer = self.client.call("Target.createTarget", params, deadline).await.map_err(opening)?;
        let target = text(&answer, "targetId");
        if self.process.is_none() {
            self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(target.clone());
        }
        Page::attach(&self.client, &target).await.map_err(opening)
    }

    /// Returns an empty page that nobody has, in a browser that is ours.
    async fn unused(&self, deadline: Deadline) -> Result<Option<String>> {
        if self.process.is_none() {
            return Ok(None);
        }
        let answer = self.client.call("Target.getTargets", json!({}), deadline).await?;
        let targets = answer.get("targetInfos").and_then(Value::as_array).cloned().unwrap_or_default();
        let is_unused = |target: &&Value| {
            let is_empty = text(target, "type") == "page" && text(target, "url") == "about:blank";
            is_empty && target.get("attached") == Some(&Value::Bool(false))
        };
        Ok(targets.iter().find(is_unused).map(|target| text(target, "targetId")))
    }

    /// Closes a page.
    ///
    /// # Errors
    ///
    /// `Ended` and `TimedOut`.
    pub async fn close_page(&self, page: Page) -> Result<()> {
        let params = json!({"targetId": page.target()});
        let deadline = Deadline::after(CLOSE_ANSWER_WAIT);
        drop(page);
        self.client.call("Target.closeTarget", params, deadline).await.map(drop)
    }

    /// Closes the browser and waits until nothing of it is left, some seconds at most: it is asked to close, then to end, then
    /// ended. One that was attached to only loses the pages that were opened here.
    pub async fn close(mut self) {
        let deadline = Deadline::after(CLOSE_ANSWER_WAIT);
        match self.process.take() {
            Some(process) => {
                let told = self.client.call("Browser.close", json!({}), deadline).await;
                // It may end before it has answered.
                process.end(matches!(told, Ok(_) | Err(Error::Ended { .. }))).await;
            }
            None => {
                let opened = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
                for target in opened {
                    let closed = self.client.call("Target.closeTarget", json!({"targetId": target}), deadline).await;
                    tracing::debug!(closed = closed.is_ok(), "a page was closed");
                }
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        end_behind(self.process.take());
    }
}

impl Window {
    const fn started(process: Process, program: PathBuf) -> Self {
        Self { process: Some(process), program }
    }

    /// Waits until the person has closed the browser; false when it stands open after `within`.
    ///
    /// # Errors
    ///
    /// `Launch` when it never opened, with what to do about it.
    pub async fn closed(&self, within: Duration) -> Result<bool> {
        let Some(process) = &self.process else { return Ok(true) };
        if !process.ended(within, WINDOW_PAUSE).await {
            return Ok(false);
        }
        match process.failed() {
            Some(reason) => Err(Error::Launch { program: self.program.clone(), reason, source: None }),
            None => Ok(true),
        }
    }

    /// Returns the number of its process.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// Closes the window if it is open, and waits until nothing of the browser is left, some seconds at most.
    pub async fn close(mut self) {
        if let Some(process) = self.process.take() {
            process.end(false).await;
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        end_behind(self.process.take());
    }
}

/// Ends a process in order behind the caller's back; where no tasks run any more, its own drop ends it at once.
fn end_behind(process: Option<Process>) {
    if let (Some(process), Ok(runtime)) = (process, tokio::runtime::Handle::try_current()) {
        runtime.spawn(process.end(false));
    }
}
