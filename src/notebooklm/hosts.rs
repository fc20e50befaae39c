//! Which hosts are the product, and what a browser's last address means.
//!
//! Whoever answers at the base gets the token and the questions of a person. So the base is one of Google's names, or
//! this machine, where a stand-in may listen; `*.localhost` never leaves it, and browsers treat it as they do HTTPS.

use std::fmt;

use url::{Host, Url};

/// The names of the personal product, the newer first. Both answer calls (2026-11).
pub const PERSONAL_HOSTS: [&str; 2] = ["notebook.google.com", "notebooklm.google.com"];

/// The names of the enterprise product's page.
pub const ENTERPRISE_HOSTS: [&str; 3] =
    ["notebook.cloud.google.com", "notebooklm.cloud.google.com", "notebooklm.cloud.google"];

/// The names of the pages that tell what the product is, where those land whom it does not serve.
const GATES: [&str; 2] = ["notebook.google", "notebooklm.google"];

/// Where people sign in.
const ACCOUNTS: [&str; 2] = ["accounts.google.com", "accounts.youtube.com"];

/// Where the product is: scheme, host and port, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Base {
    origin: String,
    product: Product,
}

/// Which product a base is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Product {
    /// The one for everybody.
    Personal,
    /// The one of Google Cloud.
    Enterprise,
    /// A stand-in on this machine.
    Local,
}

/// Why an address is no base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadBase {
    /// It is no address.
    #[error("this is no web address")]
    NoUrl,
    /// It is of another host.
    #[error("only NotebookLM's own names are asked, and this machine")]
    OtherHost,
    /// It would be asked without encryption.
    #[error("NotebookLM is only asked over https")]
    NotEncrypted,
    /// It says more than a host.
    #[error("the base is a host alone, without a path, a query or a name to sign in with")]
    MoreThanHost,
}

/// Where a browser was led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Landing {
    /// The product itself. Whether somebody is signed in, only its page tells.
    App,
    /// The page to sign in.
    SignIn,
    /// The page that says that cookies do not fit together, which is no expiry.
    CookieMismatch,
    /// The page for those whom the product does not serve: by country, network or browser.
    RegionGate,
    /// Anything else.
    Other,
}

impl Base {
    /// Reads a base.
    ///
    /// # Errors
    ///
    /// [`BadBase`].
    pub fn new(text: &str) -> Result<Self, BadBase> {
        let url = Url::parse(text).map_err(|_error| BadBase::NoUrl)?;
        let more = !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some();
        if more || !url.username().is_empty() || url.password().is_some() {
            return Err(BadBase::MoreThanHost);
        }
        let product = match url.host() {
            Some(host) if is_local(&host) && matches!(url.scheme(), "http" | "https") => Product::Local,
            Some(Host::Domain(name)) if PERSONAL_HOSTS.contains(&name) => Product::Personal,
            Some(Host::Domain(name)) if ENTERPRISE_HOSTS.contains(&name) => Product::Enterprise,
            Some(_) | None => return Err(BadBase::OtherHost),
        };
        if product != Product::Local {
            if url.scheme() != "https" {
                return Err(BadBase::NotEncrypted);
            }
            if url.port().is_some() {
                return Err(BadBase::OtherHost);
            }
        }
        Ok(Self { origin: url.origin().ascii_serialization(), product })
    }

    /// Returns scheme, host and port.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns which product this is the base of.
    #[must_use]
    pub const fn product(&self) -> Product {
        self.product
    }

    /// Tells what the address means that a browser was led to from here.
    #[must_use]
    pub fn landing(&self, address: &str) -> Landing {
        let Ok(url) = Url::parse(address) else { return Landing::Other };
        let Some(host) = url.host() else { return Landing::Other };
        let local = is_local(&host);
        if !(url.scheme() == "https" || local && url.scheme() == "http") || local && self.product != Product::Local {
            return Landing::Other;
        }
        let name = match host {
            Host::Domain(name) => google_name(name),
            Host::Ipv4(_) | Host::Ipv6(_) => String::new(),
        };
        let path = url.path();
        if ACCOUNTS.contains(&name.as_str()) {
            return of_accounts(path);
        }
        let app = PERSONAL_HOSTS.contains(&name.as_str()) || ENTERPRISE_HOSTS.contains(&name.as_str());
        let here = url.origin().ascii_serialization() == self.origin;
        let unsupported = url.query_pairs().any(|(key, value)| key == "location" && value == "unsupported");
        if GATES.contains(&name.as_str()) || unsupported && (app || here) {
            return Landing::RegionGate;
        }
        if !app && !here {
            return Landing::Other;
        }
        // A stand-in may have all its pages at one host. The page that asks whether one is signed in leads elsewhere.
        match path {
            "/login" => Landing::Other,
            _ if !app && (path.starts_with("/v3/signin") || path.starts_with("/ServiceLogin")) => Landing::SignIn,
            _ if !app && path.starts_with("/CookieMismatch") => Landing::CookieMismatch,
            _ => Landing::App,
        }
    }
}

impl fmt::Display for Base {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.origin)
    }
}

fn of_accounts(path: &str) -> Landing {
    if path.to_ascii_lowercase().starts_with("/cookiemismatch") { Landing::CookieMismatch } else { Landing::SignIn }
}

/// Tells whether a host is this machine by its name alone.
fn is_local(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// Returns the name that a stand-in's name stands for: `notebook.google.localhost` for `notebook.google.com`.
fn google_name(name: &str) -> String {
    name.strip_suffix(".localhost").map_or_else(|| name.to_owned(), |stem| format!("{stem}.com"))
}
