//! The embedded Google: as much of Google's APIs as the product uses, on loopback, for the demo and for tests.
//!
//! One origin with Google's own paths. Every answer is valid against Google's discovery documents; errors are worded
//! as Google words them. What is not built answers 501 and says so.

mod admin;
mod batch;
mod call;
mod clock;
mod comments;
mod consent;
mod docs;
mod drive;
mod errors;
mod export;
mod faults;
mod fields;
mod gmail;
mod images;
mod notebooks;
mod oauth;
mod page;
mod persist;
mod pieces;
mod query;
mod render;
mod route;
mod seed;
mod state;
mod typing;
mod upload;
mod wire;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::error::{Error, Result};

pub use seed::Seeded;

/// The bearer that stands for the demo account unless another is chosen.
pub const DEFAULT_TOKEN: &str = "test-token";

/// Who a collaborator is called unless another name is given.
pub(crate) const COLLEAGUE: &str = "Colleague";

/// The address of the demo account.
pub const DEMO_ACCOUNT: &str = "demo@example.com";

/// The id of the only OAuth client that the token endpoint knows.
pub const CLIENT_ID: &str = "demo-client.apps.googleusercontent.com";

/// The secret of that client; as with every desktop client, it is not confidential.
pub const CLIENT_SECRET: &str = "demo-secret";

/// The refresh token that always works for the demo account, until it is revoked.
pub const REFRESH_TOKEN: &str = "demo-refresh-token";

/// How the embedded Google is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to listen; must be a loopback address. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// The bearer that stands for the demo account; [`DEFAULT_TOKEN`] when absent.
    pub token: Option<String>,
    /// Where the world is kept; in memory alone when absent.
    pub state_dir: Option<PathBuf>,
    /// Faults to start with, as `POST /admin/faults` takes them.
    pub faults: Vec<Value>,
    /// How long an issued access token is valid.
    pub token_lifetime: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: None,
            state_dir: None,
            faults: Vec::new(),
            token_lifetime: Duration::from_secs(3600),
        }
    }
}

/// An embedded Google that runs. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    google: Arc<state::Google>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Running {
    /// Returns the address it listens on.
    #[must_use]
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns the root of all its paths, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Returns the URL of the page on which a person reads and edits a document.
    #[must_use]
    pub fn page_url(&self, id: &str) -> String {
        format!("{}/document/d/{id}/edit", self.url())
    }

    /// Imports a raw Document and returns its id: its own when that is free, else a new one.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the value is not a Document; `Disk` when it cannot be kept.
    pub fn import(&self, document: Value) -> Result<String> {
        self.google.import(document)
    }

    /// Imports a folder in the order of names: raw Documents (`*.json` with `documentId` and `tabs`), messages (`*.eml`,
    /// which come together in threads by their headers), and raw answers of Gmail's `threads.get`.
    ///
    /// What is here already is left as it is and listed among the ids, so that a second start finds the world as it was
    /// left.
    ///
    /// # Errors
    ///
    /// `Disk` when the folder cannot be read or a document cannot be kept.
    pub fn import_seed_dir(&self, dir: &Path) -> Result<Seeded> {
        seed::import_dir(&self.google, dir)
    }

    /// Puts the notebooks of the demo in, unless they are there.
    ///
    /// # Errors
    ///
    /// `Disk` when they cannot be kept.
    pub fn seed_notebooks(&self) -> Result<()> {
        self.google.change_notebooks(|notebooks| drop(notebooks.seed(clock::now_ms())))
    }

    /// Waits until the server ends by itself, which it only does when it fails.
    pub async fn ended(&mut self) {
        // A finished task must not be awaited again.
        if !self.task.is_finished() {
            // A server task that failed has logged why; there is nothing more to learn from the join.
            drop((&mut self.task).await);
        }
    }

    /// Stops listening and waits for the server to end. Idle connections are closed; a request that is being carried
    /// out is carried out whole.
    pub async fn shutdown(mut self) {
        let stop = self.stop.take();
        if stop.is_some_and(|stop| stop.send(()).is_err()) {
            tracing::debug!("the embedded Google had ended already");
        }
        self.ended().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts the embedded Google.
///
/// # Errors
///
/// `InvalidInput` when the address is not a loopback one, is taken, or a fault is misspelt; `Disk` when the state
/// folder cannot be used.
pub async fn serve(options: Options) -> Result<Running> {
    if !options.listen.ip().is_loopback() {
        return Err(Error::InvalidInput {
            what: format!("the embedded Google does not listen on {}", options.listen),
            suggestion: "Give it a loopback address such as 127.0.0.1:4300.".into(),
        });
    }
    let listen = options.listen;
    let google = Arc::new(state::Google::open(options)?);
    let taken = |source: std::io::Error| Error::InvalidInput {
        what: format!("the embedded Google cannot listen on {listen}: {source}"),
        suggestion: "Choose another port, or stop what listens there.".into(),
    };
    let listener = TcpListener::bind(listen).await.map_err(taken)?;
    let addr = listener.local_addr().map_err(taken)?;
    let (stop, stopped) = oneshot::channel::<()>();
    let service = route::service(Arc::clone(&google));
    let task = tokio::spawn(async move {
        let serving = axum::serve(wire::Listening(listener), service);
        tokio::select! {
            ended = async { serving.await } => {
                if let Err(error) = ended {
                    tracing::error!(%error, "the embedded Google ended");
                }
            }
            // Not a graceful shutdown: a reply that is held back by a fault must not hold the end.
            _ = stopped => {}
        }
    });
    Ok(Running { addr, google, stop: Some(stop), task })
}
