//! HTTPS to Google: one client for each account, one function that turns an HTTP answer into a result.
//!
//! It tries once, apart from renewing a token that was refused; whoever asks decides about trying again.

mod auth;
mod batch;
mod clock;
mod consent;
mod content;
mod endpoints;
mod failure;
mod gate;
mod scopes;
mod units;

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::sync::quota::Limits;

pub use auth::{Secrets, SignIn, Token, TokenSource};
pub use batch::CALLS_MAX as BATCH_MAX;
pub use clock::clock;
pub use consent::{Consent, Granted, OAuthClient, Returned, allowed, revoke};
pub use endpoints::Endpoints;
pub use scopes::Scopes;
pub use units::MailUnits;

/// Bytes that one answer may have, unpacked.
const ANSWER_BYTES: usize = 256 << 20;

/// How long a connection may take to stand.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// How long a whole call may take; a large batch takes Google up to three minutes.
const CALL_TIMEOUT: Duration = Duration::from_secs(200);

/// How long an answer may be silent between two pieces.
const READ_TIMEOUT: Duration = Duration::from_secs(190);

/// Where calls to Gmail go that are many in one.
const BATCH_PATH: &str = "/batch/gmail/v1";

/// Which service a call goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// The Docs API.
    Docs,
    /// The Drive API.
    Drive,
    /// The Gmail API.
    Gmail,
}

/// One call, as data.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// The service.
    pub service: Service,
    /// Whether the call changes something, so that a lost answer leaves its outcome unknown.
    pub method: Method,
    /// The path from the service's base, with a slash at the beginning; ids in it must be encoded already.
    pub path: String,
    /// The query, not encoded.
    pub query: Vec<(&'a str, &'a str)>,
    /// The body, if any.
    pub body: Option<&'a Value>,
    /// Bytes that are uploaded beside the body, or are the body, with their media type.
    pub media: Option<(&'a str, &'a [u8])>,
    /// The item it is about, for errors.
    pub id: &'a str,
    /// What is being done, for errors: "reading the document".
    pub doing: &'a str,
    /// What it counts against the limits of its service: Gmail's units, elsewhere calls.
    pub cost: u32,
}

impl<'a> Call<'a> {
    /// Returns a call that only reads.
    #[must_use]
    pub fn get(service: Service, path: String, id: &'a str, doing: &'a str) -> Self {
        Self { service, method: Method::GET, path, query: Vec::new(), body: None, media: None, id, doing, cost: 1 }
    }

    /// Returns a call that changes something.
    #[must_use]
    pub fn post(service: Service, path: String, body: &'a Value, id: &'a str, doing: &'a str) -> Self {
        Self {
            service,
            method: Method::POST,
            path,
            query: Vec::new(),
            body: Some(body),
            media: None,
            id,
            doing,
            cost: 1,
        }
    }

    /// Returns a call that changes a part of something.
    #[must_use]
    pub fn patch(service: Service, path: String, body: &'a Value, id: &'a str, doing: &'a str) -> Self {
        Self { method: Method::PATCH, ..Self::post(service, path, body, id, doing) }
    }

    /// Returns a call that puts something in the place of another.
    #[must_use]
    pub fn put(service: Service, path: String, body: &'a Value, id: &'a str, doing: &'a str) -> Self {
        Self { method: Method::PUT, ..Self::post(service, path, body, id, doing) }
    }

    /// Returns a call that takes something away.
    #[must_use]
    pub fn delete(service: Service, path: String, id: &'a str, doing: &'a str) -> Self {
        Self { method: Method::DELETE, ..Self::get(service, path, id, doing) }
    }

    /// Returns a call that carries calls which only read.
    fn batch(id: &'a str, doing: &'a str) -> Self {
        Self { method: Method::POST, ..Self::get(Service::Gmail, BATCH_PATH.to_owned(), id, doing) }
    }

    /// Says what the call counts against the limits of its service.
    #[must_use]
    pub const fn costing(mut self, cost: u32) -> Self {
        self.cost = cost;
        self
    }

    /// Uploads bytes of a media type beside the body.
    #[must_use]
    pub fn with_media(mut self, media_type: &'a str, bytes: &'a [u8]) -> Self {
        self.media = Some((media_type, bytes));
        self
    }

    /// Adds a query parameter.
    #[must_use]
    pub fn with(mut self, name: &'a str, value: &'a str) -> Self {
        self.query.push((name, value));
        self
    }

    /// Tells whether the call changes something.
    fn mutating(&self) -> bool {
        self.method != Method::GET && self.path != BATCH_PATH
    }
}

/// The connection of one account to Google.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    /// For what is fetched without a token.
    content: reqwest::Client,
    endpoints: Endpoints,
    tokens: TokenSource,
    gate: gate::Gate,
    mail_units: MailUnits,
}

/// An HTTP answer, read whole.
struct Answer {
    status: StatusCode,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

impl Client {
    /// Makes a client.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when an endpoint is not safe; `Network` when TLS cannot be set up.
    pub fn new(endpoints: Endpoints, tokens: TokenSource) -> Result<Self> {
        endpoints.check()?;
        let (http, content) = (http_client(&endpoints)?, content::client(&endpoints)?);
        Ok(Self { http, content, endpoints, tokens, gate: gate::Gate::default(), mail_units: MailUnits::NONE })
    }

    /// Keeps to limits: a call for which this minute has no room waits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.gate = self.gate.with_limits(limits);
        self
    }

    /// Keeps to what Gmail allows.
    #[must_use]
    pub fn with_mail_units(mut self, units: MailUnits) -> Self {
        self.gate = self.gate.with_mail_units(units.per_minute);
        self.mail_units = units;
        self
    }

    /// Returns what Gmail's methods cost.
    #[must_use]
    pub const fn mail_units(&self) -> MailUnits {
        self.mail_units
    }

    /// Returns the address of the account.
    #[must_use]
    pub fn account(&self) -> &str {
        self.tokens.account()
    }

    /// Returns where the services are.
    #[must_use]
    pub const fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }

    /// Sends one call and returns the body of a successful answer.
    ///
    /// # Errors
    ///
    /// `AuthExpired` when the token is refused and a renewed one too; `PermissionDenied`, `NotFound`, `RateLimited`,
    /// `StaleRevision`, and `Refused` as Google says; `Network` otherwise, with `outcome_unknown` when a call that
    /// changes something may have been carried out.
    pub async fn send(&self, call: &Call<'_>) -> Result<Vec<u8>> {
        let token = self.tokens.token().await?;
        let mut answer = self.attempt(call, &token).await?;
        if answer.status == StatusCode::UNAUTHORIZED {
            // A refused token means that nothing was carried out, so the same call may be sent again.
            let renewed = self.tokens.renew().await?;
            answer = self.attempt(call, &renewed).await?;
            if answer.status == StatusCode::UNAUTHORIZED {
                return Err(Error::AuthExpired { account: self.tokens.account().to_owned() });
            }
        }
        if answer.status.is_success() {
            return Ok(answer.body);
        }
        Err(failure::of(call, answer.status.as_u16(), answer.retry_after, &answer.body))
    }

    /// Sends one call and reads the answer as JSON.
    ///
    /// # Errors
    ///
    /// As [`Client::send`]; an answer that is no such JSON is a `Network` error.
    pub async fn json<T: serde::de::DeserializeOwned>(&self, call: &Call<'_>) -> Result<T> {
        let body = self.send(call).await?;
        serde_json::from_slice(&body).map_err(|error| Error::Network {
            doing: call.doing.to_owned(),
            // It was carried out, but what came of it is not known.
            outcome_unknown: call.mutating(),
            source: error.into(),
        })
    }

    /// Sends once and reads the answer whole, whatever its status.
    async fn attempt(&self, call: &Call<'_>, token: &Token) -> Result<Answer> {
        let _pass = self.gate.pass(call).await;
        let base = match call.service {
            Service::Docs => &self.endpoints.docs,
            Service::Drive => &self.endpoints.drive,
            Service::Gmail => &self.endpoints.gmail,
        };
        let mut request = self
            .http
            .request(call.method.clone(), format!("{base}{}", call.path))
            .query(&call.query)
            .bearer_auth(token.reveal());
        request = match (call.body, call.media) {
            (Some(body), Some((media_type, bytes))) => {
                let (content_type, body) = related(body, media_type, bytes);
                request.header(CONTENT_TYPE, content_type).body(body)
            }
            (Some(body), None) => request.json(body),
            (None, Some((media_type, bytes))) => request.header(CONTENT_TYPE, media_type).body(bytes.to_vec()),
            (None, None) => request,
        };
        let mut response = request.send().await.map_err(|error| lost(call, error))?;
        let (status, retry_after) = (response.status(), retry_after(response.headers()));
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| lost(call, error))? {
            if body.len() + piece.len() > ANSWER_BYTES {
                return Err(Error::Network {
                    doing: call.doing.to_owned(),
                    outcome_unknown: call.mutating(),
                    source: format!("the answer is larger than {ANSWER_BYTES} bytes").into(),
                });
            }
            body.extend_from_slice(&piece);
        }
        Ok(Answer { status, retry_after, body })
    }
}

/// Returns the type and the bytes of a body of two parts: what a file is called, and what it holds.
///
/// Source: <https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart>
fn related(metadata: &Value, media_type: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    // The hash of the bytes cannot stand in them but by design, and then it harms nobody else.
    let boundary = format!("mcpw{}", blake3::hash(bytes).to_hex());
    let mut body = format!(
        "--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{metadata}\r\n--{boundary}\r\n\
         Content-Type: {media_type}\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(bytes);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    (format!("multipart/related; boundary={boundary}"), body)
}

/// Makes the HTTP client that calls and token renewals share.
fn http_client(endpoints: &Endpoints) -> Result<reqwest::Client> {
    // An error means that a provider was installed before; it is the same one, since no other is compiled in.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("mcp-workspace/", env!("CARGO_PKG_VERSION"), " (gzip)"))
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .timeout(CALL_TIMEOUT)
        // None of the calls is redirected; following would carry bodies to where nobody meant them to go.
        .redirect(reqwest::redirect::Policy::none())
        .tcp_nodelay(true);
    if endpoints.all_loopback() {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| Error::Network {
        doing: "setting up TLS".into(),
        outcome_unknown: false,
        source: error.into(),
    })
}

/// Returns the error for a call that got no whole answer.
fn lost(call: &Call<'_>, error: reqwest::Error) -> Error {
    // Without a connection, or without a request, nothing was sent.
    let sent = !error.is_connect() && !error.is_builder();
    Error::Network {
        doing: call.doing.to_owned(),
        outcome_unknown: sent && call.mutating(),
        // The URL may hold ids and queries, which do not belong into logs.
        source: error.without_url().into(),
    }
}

/// Reads `Retry-After` in seconds; a date is not read, the caller's own wait then counts.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    retry_after_of(headers.get(RETRY_AFTER)?.to_str().ok()?)
}

fn retry_after_of(value: &str) -> Option<Duration> {
    let seconds: u64 = value.trim().parse().ok()?;
    // An hour is the longest wait that is believed.
    Some(Duration::from_secs(seconds.min(3600)))
}
