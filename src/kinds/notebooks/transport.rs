//! How a request gets to the product with the session of whoever is signed in, and how its answer comes back.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::error::Result;
use crate::notebooklm::bootstrap::{Landing, Page};
use crate::notebooklm::call::Request;

/// Where one landed who opened the product's page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// At the product, whose page says this.
    App(Page),
    /// Elsewhere.
    Elsewhere(Landing),
}

/// How an answer begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The status of HTTP; 302 for an answer that leads elsewhere, which is never followed.
    pub status: u16,
    /// The header `Retry-After`.
    pub retry_after: Option<String>,
}

/// A whole answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Sent {
    /// Its beginning.
    pub head: Head,
    /// Its text; what is no UTF-8 became U+FFFD.
    pub body: String,
}

impl fmt::Debug for Sent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sent").field("head", &self.head).finish_non_exhaustive()
    }
}

/// A way to the product. It tries once: whoever asks decides about trying again.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Opens the product's page anew.
    ///
    /// # Errors
    ///
    /// `Notebook` when it cannot be opened within `deadline`.
    async fn open(&self, deadline: Duration) -> Result<Opened>;

    /// Sends a request and reads the answer whole, whatever its status.
    ///
    /// # Errors
    ///
    /// `Notebook`, which tells whether the request may have been carried out.
    async fn send(&self, request: &Request, deadline: Duration) -> Result<Sent>;

    /// Sends a request whose answer comes in pieces.
    ///
    /// # Errors
    ///
    /// As [`Transport::send`].
    async fn stream(&self, request: &Request, deadline: Duration) -> Result<Box<dyn Pieces>>;

    /// Lets go of what is kept open. Who sends later opens it anew.
    async fn release(&self) {}
}

/// An answer that comes in pieces. Dropped, it is not waited for any more.
#[async_trait]
pub trait Pieces: Send {
    /// Returns how it begins.
    fn head(&self) -> &Head;

    /// Waits for the next piece of its text; `None` at the end.
    ///
    /// # Errors
    ///
    /// As [`Transport::send`].
    async fn next(&mut self) -> Result<Option<String>>;
}
