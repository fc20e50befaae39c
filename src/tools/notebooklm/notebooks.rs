//! The notebooks of one account, as the tools ask them: so often, and for so long.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::limits::Calls;
use super::toolkit::Tool;
use crate::error::{Error, NotebookFault, Result};
use crate::kinds::notebooks::Service;

/// The variable of the environment that says how long a tool may take: `90` or `90s` for seconds, `1500ms` for less.
pub const TIMEOUT_VARIABLE: &str = "NOTEBOOKLM_TIMEOUT";

/// What makes the way to the notebooks.
type Makes = Box<dyn Fn() -> Result<Arc<dyn Service>> + Send + Sync>;

/// The notebooks of one account. The limits are its own, whoever asks.
pub struct Notebooks {
    makes: Makes,
    made: Mutex<Option<Arc<dyn Service>>>,
    calls: Mutex<Calls>,
    timeout: Option<Duration>,
}

/// A call that was counted.
pub(super) struct Begun {
    pub(super) service: Arc<dyn Service>,
    /// How long it may take.
    pub(super) wait: Duration,
}

impl Notebooks {
    /// Names notebooks, to which `makes` finds the way when they are first asked, and again as long as there is none. `timeout` is how long
    /// a tool may take, instead of what is usual.
    pub fn new(
        makes: impl Fn() -> Result<Arc<dyn Service>> + Send + Sync + 'static,
        timeout: Option<Duration>,
    ) -> Self {
        Self { makes: Box::new(makes), made: Mutex::default(), calls: Mutex::default(), timeout }
    }

    /// Counts a call, and returns what it is made with. `wanted` is how long it may take, where the client's bridge said so.
    ///
    /// # Errors
    ///
    /// `RATE_LIMITED` for one call too many; else why there is no way to the notebooks.
    pub(super) fn begin(&self, tool: Tool, wanted: Option<Duration>) -> std::result::Result<Begun, Failure> {
        self.count(tool)?;
        Ok(Begun { service: self.service()?, wait: self.wait(tool, wanted) })
    }

    /// Counts a call.
    ///
    /// # Errors
    ///
    /// `RATE_LIMITED` for one call too many.
    pub(super) fn count(&self, tool: Tool) -> std::result::Result<(), Failure> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.count(tool, Instant::now()).map_err(Failure::from)
    }

    /// Returns the way to the notebooks, and finds it where that was not found yet.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(super) fn service(&self) -> Result<Arc<dyn Service>> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(match made.as_ref() {
            Some(service) => Arc::clone(service),
            None => Arc::clone(made.insert((self.makes)()?)),
        })
    }

    /// How long a tool may take: what its client wanted, else what the daemon was told.
    pub(super) fn wait(&self, tool: Tool, wanted: Option<Duration>) -> Duration {
        tool.wait(wanted.or(self.timeout))
    }

    /// Lets go of what is kept open to ask them, such as a browser, so that somebody else can use it. Who asks later opens it anew.
    pub async fn release(&self) {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(service) = made {
            service.release().await;
        }
    }
}

impl fmt::Debug for Notebooks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Notebooks").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// Waits so long for what only reads.
///
/// # Errors
///
/// `Notebook` with the fault `Timeout` when that is over; else as it comes.
pub(super) async fn within<T>(wait: Duration, asked: impl Future<Output = Result<T>>) -> Result<T> {
    match tokio::time::timeout(wait, asked).await {
        Ok(result) => result,
        Err(_elapsed) => Err(over(wait, false)),
    }
}

/// Returns the error of what took too long.
pub(super) fn over(wait: Duration, outcome_unknown: bool) -> Error {
    Error::Notebook {
        fault: NotebookFault::Timeout,
        message: format!("NotebookLM gave no answer within {} s", wait.as_secs_f64()),
        retry_after: None,
        outcome_unknown,
    }
}

/// Reads how long a tool may take.
///
/// # Errors
///
/// `InvalidInput` for anything but a positive time.
pub fn timeout_of(text: &str) -> Result<Duration> {
    let text = text.trim();
    let (number, unit_ms) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1),
        (None, Some(number)) => (number, 1_000),
        (None, None) => (text, 1_000),
    };
    let milliseconds = number.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(unit_ms));
    match milliseconds.filter(|milliseconds| *milliseconds > 0) {
        Some(milliseconds) => Ok(Duration::from_millis(milliseconds)),
        None => Err(Error::InvalidInput {
            what: format!("{TIMEOUT_VARIABLE} says `{}`, which is no time", text.escape_debug()),
            suggestion: "Give seconds, as in 90 or 90s, or milliseconds, as in 1500ms.".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, expected) in [
            ("90", Some(90_000)),
            (" 90s ", Some(90_000)),
            ("1500ms", Some(1_500)),
            ("1 s", Some(1_000)),
            ("0", None),
            ("-1", None),
            ("1.5", None),
            ("90m", None),
            ("", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(timeout_of(text).ok(), expected.map(Duration::from_millis), "{text}");
        }
    }
}
