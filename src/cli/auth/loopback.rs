//! The page on this machine to which a browser comes back with the answer to a sign-in.
//!
//! Source: RFC 8252, section 7.3.

use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use axum::extract::RawQuery;
use axum::http::{HeaderName, StatusCode, header};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

use crate::cli::Answer;
use crate::error::Error;
use crate::google::{Consent, Returned, Token};
use crate::tools::ErrorAnswer;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(900);

/// How long the browser may take to read its page when all is done.
const LAST_PAGE: Duration = Duration::from_secs(2);

/// Visits that wait to be looked at.
const VISITS_MAX: usize = 8;

/// A visit: its query, and where its page goes.
type Visit = (String, oneshot::Sender<Page>);

/// What a visitor reads: plain text, in which nothing has to be escaped.
type Page = (StatusCode, String);

/// The page while it waits.
pub(super) struct Loopback {
    listener: TcpListener,
    uri: String,
}

impl Loopback {
    /// Opens it at a free port, for this machine alone.
    pub(super) async fn open() -> Answer<Self> {
        let opened = async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let address = listener.local_addr()?;
            Ok(Self { listener, uri: format!("http://{address}") })
        };
        opened.await.map_err(|source: std::io::Error| {
            ErrorAnswer::from(&Error::Network {
                doing: "opening a port on this machine".into(),
                outcome_unknown: false,
                source: source.into(),
            })
        })
    }

    /// Returns its address, to which the answer is to be sent.
    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// Waits for the answer to `consent` and does `finish` with its code; the browser's page tells what came of that. What other
    /// pages send is refused and changes nothing.
    pub(super) async fn receive<T>(
        self,
        consent: &Consent,
        finish: impl AsyncFnOnce(Token) -> Answer<(T, String)>,
    ) -> Answer<T> {
        let (sender, mut visits) = mpsc::channel::<Visit>(VISITS_MAX);
        let answer = move |RawQuery(query): RawQuery| {
            let sender = sender.clone();
            async move {
                let (page, shown) = oneshot::channel();
                let heard = sender.send((query.unwrap_or_default(), page)).await;
                let ended = || (StatusCode::GONE, "The sign-in has ended.\n".to_owned());
                let (status, text) = match heard {
                    Ok(()) => shown.await.unwrap_or_else(|_| ended()),
                    Err(_) => ended(),
                };
                (status, HEADERS, text)
            }
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let server = axum::serve(self.listener, Router::new().fallback(answer)).with_graceful_shutdown(async {
            drop(stopped.await);
        });
        let serving = tokio::spawn(async move { server.await });
        let outcome = tokio::time::timeout(PATIENCE, wait(&mut visits, consent, finish)).await.unwrap_or_else(|_| {
            Err(ErrorAnswer::invalid(
                format!("nobody signed in within {} minutes", PATIENCE.as_secs() / 60),
                "Run the command once more; with --manual where the browser runs on another machine.",
            ))
        });
        drop(visits);
        drop(stop);
        if tokio::time::timeout(LAST_PAGE, serving).await.is_err() {
            tracing::debug!("the browser did not read the last page");
        }
        outcome
    }
}

/// Nothing of it is kept, framed, or taken for a page.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
];

async fn wait<T>(
    visits: &mut mpsc::Receiver<Visit>,
    consent: &Consent,
    finish: impl AsyncFnOnce(Token) -> Answer<(T, String)>,
) -> Answer<T> {
    while let Some((query, page)) = visits.recv().await {
        let (shown, outcome) = match consent.returned(&query) {
            Returned::Stray => {
                show(page, StatusCode::BAD_REQUEST, "This is not the answer that is waited for.\n".into());
                continue;
            }
            Returned::Refused(why) => {
                let error = super::not_allowed(&why);
                ((StatusCode::OK, said(&error)), Err(error))
            }
            Returned::Code(code) => match finish(code).await {
                Ok((done, told)) => ((StatusCode::OK, format!("{told}\nYou can close this page.\n")), Ok(done)),
                Err(error) => ((StatusCode::OK, said(&error)), Err(error)),
            },
        };
        show(page, shown.0, shown.1);
        return outcome;
    }
    Err(ErrorAnswer::invalid("the page on this machine has ended", "Run the command once more."))
}

fn show(page: oneshot::Sender<Page>, status: StatusCode, text: String) {
    if page.send((status, text)).is_err() {
        tracing::debug!("the browser went away");
    }
}

fn said(error: &ErrorAnswer) -> String {
    format!("Not signed in: {}\n{}\n", error.message, error.suggestion)
}
