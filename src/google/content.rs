//! Contents that lie outside the services, such as the pictures of a document: fetched without any token.

use std::time::Duration;

use reqwest::Url;
use reqwest::redirect::Policy;

use super::Client;
use super::endpoints::{Endpoints, is_loopback};
use crate::error::{Error, Result};

/// How long fetching a content may take.
const CONTENT_TIMEOUT: Duration = Duration::from_secs(120);

/// How long it may be silent between two pieces.
const CONTENT_SILENCE: Duration = Duration::from_secs(30);

/// How often a content may be somewhere else than its address says.
const REDIRECTS_MAX: usize = 3;

impl Client {
    /// Fetches what lies at an address that Google named, at most `bytes_max` bytes; `doing` is for errors. No token goes
    /// along: such addresses carry what they need.
    ///
    /// # Errors
    ///
    /// `Refused` when the address is none to be asked, or what lies there is too large or not there any more; `Network`
    /// otherwise.
    pub async fn content(&self, address: &str, bytes_max: usize, doing: &str) -> Result<Vec<u8>> {
        let refused = |message: String| Error::Refused { message };
        let failed = |error: reqwest::Error| {
            // A redirect to where nothing is asked for, or one too many.
            if error.is_redirect() {
                return Error::Refused { message: "its address leads elsewhere".into() };
            }
            // The address is a key to the content, which does not belong into logs.
            Error::Network { doing: doing.to_owned(), outcome_unknown: false, source: error.without_url().into() }
        };
        let url = Url::parse(address).ok().filter(|url| may_ask(url, self.endpoints.all_loopback()));
        let url = url.ok_or_else(|| refused("its address is not one of the public network".into()))?;
        let mut response = self.content.get(url).send().await.map_err(failed)?;
        let status = response.status();
        if status.is_server_error() || status.as_u16() == 429 {
            let source = format!("HTTP {}", status.as_u16()).into();
            return Err(Error::Network { doing: doing.to_owned(), outcome_unknown: false, source });
        }
        if !status.is_success() {
            return Err(refused(format!("its address answered HTTP {}", status.as_u16())));
        }
        let too_large = || refused(format!("it is larger than {} MB", bytes_max >> 20));
        if response
            .content_length()
            .is_some_and(|length| usize::try_from(length).map_or(true, |length| length > bytes_max))
        {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            if bytes.len() + piece.len() > bytes_max {
                return Err(too_large());
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

/// Makes the HTTP client for contents.
pub(super) fn client(endpoints: &Endpoints) -> Result<reqwest::Client> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let local = endpoints.all_loopback();
    let follow = Policy::custom(move |attempt| {
        if attempt.previous().len() > REDIRECTS_MAX || !may_ask(attempt.url(), local) {
            attempt.error("a redirect that is not followed")
        } else {
            attempt.follow()
        }
    });
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("mcp-workspace/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(super::CONNECT_TIMEOUT)
        .read_timeout(CONTENT_SILENCE)
        .timeout(CONTENT_TIMEOUT)
        .redirect(follow)
        .referer(false);
    if local {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| Error::Network {
        doing: "setting up TLS".into(),
        outcome_unknown: false,
        source: error.into(),
    })
}

/// Tells whether a content may be asked for at a URL: encrypted and by a name of the public network; where Google is on
/// this machine, on this machine alone.
fn may_ask(url: &Url, local: bool) -> bool {
    if local {
        return matches!(url.scheme(), "http" | "https") && is_loopback(url);
    }
    // An address in numbers, or a name without a dot, is somebody's own network.
    url.scheme() == "https"
        && url.port().is_none()
        && url.username().is_empty()
        && url
            .domain()
            .is_some_and(|name| name.contains('.') && !name.ends_with(".local") && !name.ends_with(".internal"))
        && !is_loopback(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_names_are_asked() {
        for (url, google, local) in [
            ("https://lh7-rt.googleusercontent.com/docsz/x?key=1", true, false),
            ("http://lh7-rt.googleusercontent.com/docsz/x", false, false),
            ("https://127.0.0.1/x", false, true),
            ("https://10.0.0.1/x", false, false),
            ("https://[::1]/x", false, true),
            ("https://localhost/x", false, true),
            ("https://router/x", false, false),
            ("https://printer.local/x", false, false),
            ("https://metadata.google.internal/x", false, false),
            ("https://user@example.com/x", false, false),
            ("https://example.com:8443/x", false, false),
            ("http://127.0.0.1:4300/docsz/x", false, true),
            ("file:///etc/passwd", false, false),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!((may_ask(&url, false), may_ask(&url, true)), (google, local), "{url}");
        }
    }
}
