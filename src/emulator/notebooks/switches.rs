//! How the product behaves where it has behaved in several ways, or does so for some accounts only.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The switches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Switches {
    /// What somebody gets who is not signed in.
    pub(super) signed_out: SignedOut,
    /// Whether the product does not serve this country, network or browser.
    pub(super) gate: bool,
    /// Whether the page to sign in refuses the browser.
    pub(super) insecure_browser: bool,
    /// Whether cookies are said not to fit together.
    pub(super) cookie_mismatch: bool,
    /// Whether cookies outlive the browser.
    pub(super) persistent_cookies: bool,
    /// Whether a session is bound to a browser, so that cookies alone are refused.
    pub(super) device_bound: bool,
    /// Who gets a new stamp of the session when the old one is used up.
    pub(super) rotation: Rotation,
    /// How long a stamp of the session is good, in seconds.
    pub(super) stamp_s: u32,
    /// How long the token of a page is good, in seconds.
    pub(super) token_s: u32,
    /// The status for a notebook that is another's: 5, or 7 as some saw.
    pub(super) hidden_code: i64,
    /// Whether writes with the older, shorter context are refused, as for accounts that were moved in June 2026.
    pub(super) strict_context: bool,
    /// Whether a source cannot be refreshed, as for some accounts.
    pub(super) refresh_refused: bool,
    /// How long the product looks at an upload before it knows what it is, in milliseconds.
    pub(super) preparing_ms: u32,
    /// How long it reads a page, a video or a file.
    pub(super) processing_ms: u32,
    /// How long it reads a pasted text.
    pub(super) text_ms: u32,
    /// Where the thoughts of the model stand in a stream.
    pub(super) thinking: Thinking,
    /// How long one piece of a stream is waited for, in milliseconds.
    pub(super) piece_ms: u32,
    /// The build that pages name.
    pub(super) build: String,
}

/// What somebody gets who is not signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SignedOut {
    /// A page without tokens, since October 2026.
    Landing,
    /// The way to sign in, until then.
    Redirect,
}

/// Who gets a new stamp of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Rotation {
    /// Browsers: requests that say from where they were made.
    Browser,
    /// Everybody.
    Always,
    /// Nobody.
    Never,
}

/// Where the thoughts of the model stand in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Thinking {
    /// In chunks of their own, until mid-2026.
    Own,
    /// Within the document of the answer, since August 2026.
    Within,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            signed_out: SignedOut::Landing,
            gate: false,
            insecure_browser: false,
            cookie_mismatch: false,
            persistent_cookies: true,
            device_bound: false,
            rotation: Rotation::Browser,
            stamp_s: 600,
            token_s: 86_400,
            hidden_code: 5,
            strict_context: true,
            refresh_refused: false,
            preparing_ms: 1_000,
            processing_ms: 2_000,
            text_ms: 0,
            thinking: Thinking::Within,
            piece_ms: 40,
            build: "boq_labs-tailwind-frontend_20261101.05_p0".into(),
        }
    }
}

impl Switches {
    /// Returns them with those changed that an object names; the error says what is amiss.
    pub(super) fn changed(&self, change: &Value) -> Result<Self, String> {
        let change = change.as_object().ok_or("the body is no object")?;
        let mut all = serde_json::to_value(self).map_err(|error| error.to_string())?;
        if let Some(all) = all.as_object_mut() {
            all.extend(change.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        serde_json::from_value(all).map_err(|error| error.to_string())
    }
}
