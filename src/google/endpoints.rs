//! Where Google is: one table of base URLs.

use std::net::IpAddr;

use reqwest::Url;

use crate::error::{Error, Result};

/// The base URL of each service, without a slash at the end; Google's own by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints {
    /// The Docs API.
    pub docs: String,
    /// The Drive API.
    pub drive: String,
    /// The Gmail API.
    pub gmail: String,
    /// The token endpoint and its neighbours.
    pub oauth: String,
    /// Where people sign in.
    pub accounts: String,
    /// Where people open documents.
    pub pages: String,
}

impl Default for Endpoints {
    fn default() -> Self {
        Self {
            docs: "https://docs.googleapis.com".into(),
            drive: "https://www.googleapis.com".into(),
            gmail: "https://gmail.googleapis.com".into(),
            oauth: "https://oauth2.googleapis.com".into(),
            accounts: "https://accounts.google.com".into(),
            pages: "https://docs.google.com".into(),
        }
    }
}

impl Endpoints {
    /// Returns a table with everything at one origin, as the embedded Google is.
    #[must_use]
    pub fn at(origin: &str) -> Self {
        let origin = origin.trim_end_matches('/').to_owned();
        Self {
            docs: origin.clone(),
            drive: origin.clone(),
            gmail: origin.clone(),
            oauth: origin.clone(),
            accounts: origin.clone(),
            pages: origin,
        }
    }

    /// Returns the URL of the token endpoint.
    #[must_use]
    pub fn token_uri(&self) -> String {
        format!("{}/token", self.oauth)
    }

    /// Returns the URL at which a grant is taken back.
    #[must_use]
    pub fn revoke_uri(&self) -> String {
        format!("{}/revoke", self.oauth)
    }

    /// Returns the URL that tells what a token allows.
    #[must_use]
    pub fn token_info_uri(&self) -> String {
        format!("{}/tokeninfo", self.oauth)
    }

    /// Returns the page that asks a person for consent.
    #[must_use]
    pub fn consent_uri(&self) -> String {
        format!("{}/o/oauth2/v2/auth", self.accounts)
    }

    /// Checks that no token would leave this machine unencrypted.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when a base URL is none, or is neither https nor http to a loopback address.
    pub fn check(&self) -> Result<()> {
        for base in [&self.docs, &self.drive, &self.gmail, &self.oauth, &self.accounts, &self.pages] {
            let url = Url::parse(base).map_err(|error| bad(base, &error.to_string()))?;
            match url.scheme() {
                "https" => {}
                "http" if is_loopback(&url) => {}
                _ => return Err(bad(base, "it is neither https nor http to a loopback address")),
            }
        }
        Ok(())
    }

    /// Tells whether everything is on this machine.
    #[must_use]
    pub fn all_loopback(&self) -> bool {
        let all = [&self.docs, &self.drive, &self.gmail, &self.oauth];
        all.iter().all(|base| Url::parse(base).is_ok_and(|url| is_loopback(&url)))
    }
}

/// Tells whether a URL's host is a loopback address or `localhost`.
pub(super) fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

/// Returns the error about a base URL.
fn bad(base: &str, why: &str) -> Error {
    Error::InvalidInput {
        what: format!("`{base}` cannot be a base URL of Google: {why}"),
        suggestion: "Correct the endpoint in the config file, or remove it to use Google's own.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_or_loopback() {
        assert!(Endpoints::default().check().is_ok());
        for (origin, good) in [
            ("http://127.0.0.1:4300", true),
            ("http://[::1]:4300/", true),
            ("http://localhost:1", true),
            ("https://example.com", true),
            ("http://example.com", false),
            ("http://127.0.0.1.example.com", false),
            ("ftp://127.0.0.1", false),
            ("not a url", false),
        ] {
            assert_eq!(Endpoints::at(origin).check().is_ok(), good, "{origin}");
        }
    }
}
