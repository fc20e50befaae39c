//! Requests that the product's own page makes, in a browser of the person's. No cookie leaves that.

use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Mutex;
use url::Url;

use crate::browser::{self, Fetch, Keeper, Lease, Stream};
use crate::error::{Error, NotebookFault, Result};
use crate::notebooklm::bootstrap::{Landing, Page, read_page};
use crate::notebooklm::call::Request;
use crate::notebooklm::form;
use crate::notebooklm::hosts::Base;

use super::failure::{failed, harmless, of_landing};
use super::transport::{Head, Opened, Pieces, Sent, Transport};

/// Bytes of an answer. The longest source has half a million words, and each of them comes with its place.
const ANSWER_BYTES: usize = 256 << 20;

/// The status of an answer that leads elsewhere.
const LED_ELSEWHERE: u16 = 302;

/// A browser that stands at the product's page.
#[derive(Debug)]
pub struct InPage {
    keeper: Keeper,
    base: Base,
    authuser: Option<String>,
    /// The process of the browser that was led to the page: another one starts elsewhere.
    at_page: Mutex<Option<u32>>,
}

impl InPage {
    /// Asks the product at `base`, as the account `authuser` where several are signed in.
    #[must_use]
    pub fn new(keeper: Keeper, base: Base, authuser: Option<String>) -> Self {
        Self { keeper, base, authuser, at_page: Mutex::new(None) }
    }

    /// Returns the browser's page, at the product.
    async fn page(&self, deadline: Duration) -> Result<Lease> {
        let lease = self.keeper.page().await.map_err(of_browser)?;
        let mut at_page = self.at_page.lock().await;
        let known = lease.process_id().filter(|process| *at_page == Some(*process));
        if known.is_none() || !self.is_at_product(&lease, deadline).await? {
            *at_page = None;
            let landing = self.go(&lease, deadline).await?;
            if landing != Landing::App {
                return Err(of_landing(landing));
            }
            *at_page = lease.process_id();
        }
        drop(at_page);
        Ok(lease)
    }

    /// Tells whether the page is still at the product: its own scripts may have led it to the sign-in.
    async fn is_at_product(&self, page: &browser::Page, deadline: Duration) -> Result<bool> {
        let origin = page.evaluate("location.origin", deadline).await.map_err(of_browser)?;
        Ok(origin.as_str() == Some(self.base.origin()))
    }

    /// Leads the browser to the product's page.
    async fn go(&self, page: &browser::Page, deadline: Duration) -> Result<Landing> {
        let landed = page.navigate(&self.home()?, deadline).await.map_err(of_browser)?;
        Ok(self.base.landing(&landed.url))
    }

    /// Reads what the product's page says of its session.
    async fn read(&self, page: &Lease, deadline: Duration) -> Result<Opened> {
        let mut at_page = self.at_page.lock().await;
        // To lead the page elsewhere ends what it is asked at the moment, so it is left where it is if it need not go.
        if at_page.is_some()
            && *at_page == page.process_id()
            && self.is_at_product(page, deadline).await?
            && let said @ Page::App(_) = self.fetched(page, deadline).await?
        {
            return Ok(Opened::App(said));
        }
        *at_page = None;
        let landing = self.go(page, deadline).await?;
        if landing != Landing::App {
            return Ok(Opened::Elsewhere(landing));
        }
        *at_page = page.process_id();
        drop(at_page);
        let shown = page.evaluate("document.documentElement.outerHTML", deadline).await.map_err(of_browser)?;
        if let said @ Page::App(_) = read_page(shown.as_str().unwrap_or_default()) {
            return Ok(Opened::App(said));
        }
        // Scripts of the page may have used up what it says.
        self.fetched(page, deadline).await.map(Opened::App)
    }

    /// Asks for the product's page and reads it as it comes.
    async fn fetched(&self, page: &browser::Page, deadline: Duration) -> Result<Page> {
        let fetch = Fetch { follow: false, deadline, ..Fetch::get(self.home()?) };
        match page.fetch(&fetch).await {
            Ok(page) if (200..300).contains(&page.head.status) => Ok(read_page(&page.body)),
            Ok(page) if page.head.redirected => Ok(Page::Landing),
            Ok(page) => {
                let message = format!("the page of NotebookLM cannot be opened (HTTP {})", page.head.status);
                Err(failed(NotebookFault::NetworkError, message))
            }
            // A page that came and may ask for nothing is that for strangers.
            Err(browser::Error::Network { .. }) => Ok(Page::Landing),
            Err(error) => Err(of_browser(error)),
        }
    }

    fn home(&self) -> Result<Url> {
        let mut url = self.url("/")?;
        if let Some(authuser) = &self.authuser {
            url.query_pairs_mut().append_pair("authuser", authuser);
        }
        Ok(url)
    }

    fn url(&self, path_and_query: &str) -> Result<Url> {
        let url = Url::parse(&format!("{}{path_and_query}", self.base.origin()));
        url.map_err(|_error| failed(NotebookFault::ParseError, "the address of NotebookLM cannot be used"))
    }

    fn post(&self, request: &Request, deadline: Duration) -> Result<Fetch> {
        let url = self.url(&request.path_and_query())?;
        let post = Fetch::post(url, form::CONTENT_TYPE, request.body.clone());
        Ok(Fetch { follow: false, deadline, limit_bytes: ANSWER_BYTES, ..post })
    }
}

#[async_trait]
impl Transport for InPage {
    async fn open(&self, deadline: Duration) -> Result<Opened> {
        let lease = self.keeper.page().await.map_err(|error| harmless(of_browser(error)))?;
        self.read(&lease, deadline).await.map_err(harmless)
    }

    async fn send(&self, request: &Request, deadline: Duration) -> Result<Sent> {
        let fetch = self.post(request, deadline)?;
        let page = self.page(deadline).await.map_err(harmless)?;
        let answer = page.fetch(&fetch).await.map_err(of_browser)?;
        Ok(Sent { head: head(&answer.head), body: answer.body })
    }

    async fn stream(&self, request: &Request, deadline: Duration) -> Result<Box<dyn Pieces>> {
        let fetch = self.post(request, deadline)?;
        let lease = self.page(deadline).await.map_err(harmless)?;
        let stream = lease.stream(&fetch).await.map_err(of_browser)?;
        Ok(Box::new(Streamed { head: head(stream.head()), stream, _lease: lease }))
    }

    async fn release(&self) {
        self.keeper.close().await;
    }
}

/// An answer that comes in pieces; the browser is kept as long as it does.
struct Streamed {
    head: Head,
    stream: Stream,
    _lease: Lease,
}

#[async_trait]
impl Pieces for Streamed {
    fn head(&self) -> &Head {
        &self.head
    }

    async fn next(&mut self) -> Result<Option<String>> {
        self.stream.next().await.map_err(of_browser)
    }
}

fn head(head: &browser::Head) -> Head {
    let status = if head.redirected { LED_ELSEWHERE } else { head.status };
    Head { status, retry_after: head.headers.get("retry-after").cloned() }
}

/// Returns the error of what a browser could not do.
#[expect(clippy::needless_pass_by_value, reason = "it is given what a result has")]
pub(super) fn of_browser(error: browser::Error) -> Error {
    let fault = match &error {
        browser::Error::NotFound { .. }
        | browser::Error::InvalidInput { .. }
        | browser::Error::Unsafe { .. }
        | browser::Error::InUse { .. }
        | browser::Error::Disk { .. }
        | browser::Error::Launch { .. }
        | browser::Error::Protocol { .. } => NotebookFault::BrowserLaunchFailed,
        browser::Error::Ended { .. } | browser::Error::PageLost { .. } | browser::Error::Network { .. } => {
            NotebookFault::NetworkError
        }
        browser::Error::TimedOut { .. } => NotebookFault::Timeout,
        browser::Error::TooLarge { .. } | browser::Error::Script { .. } => NotebookFault::ParseError,
    };
    let outcome_unknown = error.outcome_unknown();
    Error::Notebook { fault, message: error.to_string(), retry_after: None, outcome_unknown }
}
