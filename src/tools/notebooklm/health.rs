//! Whether notebooks can be asked. That they cannot is an answer, no error.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::failure::Failure;
use super::notebooks::{Notebooks, within};
use super::toolkit::Tool;
use super::{Outcome, arguments};
use crate::error::{Error, NotebookFault};
use crate::tools::host::Host;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// What is known of the way to the notebooks.
#[derive(Debug, PartialEq, Eq)]
struct Health {
    status: &'static str,
    authenticated: bool,
    browser_ok: bool,
    error: Option<String>,
}

/// Tells whether notebooks can be asked.
pub(super) async fn health_check(host: &dyn Host, given: Map<String, Value>, wait: Option<Duration>) -> Outcome {
    let Nothing {} = arguments(given)?;
    match host.notebooks() {
        Ok(notebooks) => {
            notebooks.count(Tool::HealthCheck)?;
            Ok(notebooks.looked_at(wait).await)
        }
        Err(error) => Ok(shown(&unhealthy(error), Duration::ZERO)),
    }
}

impl Notebooks {
    /// Tells whether they can be asked, as the tool `health_check` does: `status`, `authenticated`, `latency_ms`, `browser_ok` and
    /// `error`. It does not count as a call.
    pub async fn health(&self) -> Value {
        self.looked_at(None).await
    }

    async fn looked_at(&self, wait: Option<Duration>) -> Value {
        let began = Instant::now();
        let health = self.looked(began, self.wait(Tool::HealthCheck, wait)).await;
        shown(&health, began.elapsed())
    }

    async fn looked(&self, began: Instant, wait: Duration) -> Health {
        let service = match self.service() {
            Ok(service) => service,
            Err(error) => return unhealthy(error),
        };
        match within(wait, service.probe()).await {
            Ok(_signed_in) => Health { status: "healthy", authenticated: true, browser_ok: true, error: None },
            Err(error @ Error::Notebook { fault: NotebookFault::ParseError, .. }) => {
                // One answer in a new shape is not all of them.
                let left = wait.saturating_sub(began.elapsed());
                match within(left, service.notebooks()).await {
                    Ok(_listing) => Health { status: "degraded", authenticated: true, ..unhealthy(error) },
                    Err(_) => unhealthy(error),
                }
            }
            Err(error) => unhealthy(error),
        }
    }
}

/// What an error says of the health.
fn unhealthy(error: Error) -> Health {
    let fault = if let Error::Notebook { fault, .. } = &error { Some(*fault) } else { None };
    // Only who is signed in is told that it was too much.
    let is_limited = fault == Some(NotebookFault::RateLimited);
    let failure = Failure::from(error);
    Health {
        status: if is_limited { "degraded" } else { "unhealthy" },
        authenticated: is_limited,
        browser_ok: fault.is_some_and(|fault| fault != NotebookFault::BrowserLaunchFailed),
        error: Some(format!("{}: {}", failure.code(), failure.message())),
    }
}

fn shown(health: &Health, latency: Duration) -> Value {
    json!({
        "status": health.status,
        "authenticated": health.authenticated,
        "latency_ms": u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
        "browser_ok": health.browser_ok,
        "error": health.error,
    })
}
