//! A person's consent: the page that asks for it, what comes back from there, and the exchange for tokens.
//!
//! The proof key (PKCE) makes a code worthless for whoever reads it on its way back, and the state makes what another page sends
//! here worthless for us.
//!
//! Source: <https://developers.google.com/identity/protocols/oauth2/native-app>, RFC 7636 and RFC 8252.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Endpoints, Scopes, Token};
use crate::error::{Error, ErrorKind, Result};

/// Random bytes of a verifier or a state; their text has 43 letters, the fewest that RFC 7636 allows.
const RANDOM_BYTES: usize = 32;

/// How long Google may take for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes that an answer of the token endpoint may have.
const ANSWER_BYTES: usize = 1 << 16;

/// Letters that are shown of what Google says.
const SHOWN_MAX: usize = 300;

/// An OAuth client of the kind "Desktop app".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthClient {
    /// Its id.
    pub id: String,
    /// Its secret, which is not confidential and must be sent all the same.
    pub secret: Token,
}

/// One request for consent.
#[derive(Debug)]
pub struct Consent {
    state: String,
    verifier: Token,
    redirect_uri: String,
    scopes: Scopes,
}

/// What came back to the redirect URI.
#[derive(Debug, PartialEq, Eq)]
pub enum Returned {
    /// A code to exchange.
    Code(Token),
    /// The person refused, or Google did; in its own word.
    Refused(String),
    /// It does not belong to this request.
    Stray,
}

/// What a person allowed.
#[derive(Debug)]
pub struct Granted {
    /// The account's address.
    pub account: String,
    /// What renews the access.
    pub refresh_token: Token,
    /// What of the scopes was allowed: a person may untick some.
    pub scopes: Scopes,
}

impl Consent {
    /// Begins a request whose answer comes to `redirect_uri`.
    ///
    /// # Errors
    ///
    /// `Storage` when the system has no random numbers.
    pub fn new(redirect_uri: String, scopes: Scopes) -> Result<Self> {
        Ok(Self { state: random()?, verifier: Token::new(random()?), redirect_uri, scopes })
    }

    /// Returns the page that asks the person; with `account` that one is proposed.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the endpoint is no URL.
    pub fn url(&self, endpoints: &Endpoints, client: &OAuthClient, account: Option<&str>) -> Result<String> {
        let mut url = Url::parse(&endpoints.consent_uri()).map_err(|error| Error::InvalidInput {
            what: format!("`{}` is no URL: {error}", endpoints.consent_uri()),
            suggestion: "Correct `endpoints` in the config file.".into(),
        })?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.reveal()));
        url.query_pairs_mut()
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &self.redirect_uri)
            .append_pair("response_type", "code")
            .append_pair("scope", &self.scopes.joined())
            .append_pair("state", &self.state)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            // Without these two a second sign-in brings no refresh token.
            .append_pair("access_type", "offline")
            .append_pair("prompt", "consent");
        if let Some(account) = account {
            url.query_pairs_mut().append_pair("login_hint", account);
        }
        Ok(url.into())
    }

    /// Reads the query of what came back, or the whole address with it.
    #[must_use]
    pub fn returned(&self, address: &str) -> Returned {
        let address = address.trim();
        let query = address.split_once('?').map_or(address, |(_, query)| query);
        let query = query.split_once('#').map_or(query, |(query, _)| query);
        let pairs: Vec<(String, String)> =
            url::form_urlencoded::parse(query.as_bytes()).map(|(name, value)| (name.into(), value.into())).collect();
        let value = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        match (value("state"), value("code"), value("error")) {
            (Some(state), ..) if state != self.state => Returned::Stray,
            (Some(_), _, Some(error)) => Returned::Refused(shown(&error)),
            (Some(_), Some(code), None) if !code.is_empty() => Returned::Code(Token::new(code)),
            _ => Returned::Stray,
        }
    }

    /// Exchanges a code for tokens.
    ///
    /// # Errors
    ///
    /// `Network` when Google cannot be reached; `Refused` with what to do when it refuses the code or the client, or when its
    /// answer does not say who signed in.
    pub async fn exchange(&self, endpoints: &Endpoints, client: &OAuthClient, code: &Token) -> Result<Granted> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code.reveal()),
            ("client_id", client.id.as_str()),
            ("client_secret", client.secret.reveal()),
            ("code_verifier", self.verifier.reveal()),
            ("redirect_uri", self.redirect_uri.as_str()),
        ];
        let (is_success, answer) = post(&endpoints.token_uri(), &form, "signing in").await?;
        if !is_success {
            return Err(refusal(&answer));
        }
        let text = |name: &str| answer.get(name).and_then(Value::as_str);
        let Some(refresh_token) = text("refresh_token") else {
            return Err(refused(
                "Google gave no refresh token".into(),
                "Take the program's access away at https://myaccount.google.com/permissions, and sign in once more.",
            ));
        };
        let scopes = text("scope").map_or_else(|| self.scopes.clone(), Scopes::parse);
        let account = text("id_token").and_then(|token| account_of(token, &client.id)).ok_or_else(|| {
            refused("Google did not say which account signed in".into(), "Sign in once more, and leave `email` ticked.")
        })?;
        Ok(Granted { account, refresh_token: Token::new(refresh_token), scopes })
    }
}

/// Takes a grant back at Google, with all tokens that were made of it. Tells whether Google still knew it.
///
/// # Errors
///
/// `Network` when Google cannot be reached.
pub async fn revoke(endpoints: &Endpoints, refresh_token: &Token) -> Result<bool> {
    let form = [("token", refresh_token.reveal())];
    post(&endpoints.revoke_uri(), &form, "taking the access back").await.map(|(is_success, _)| is_success)
}

/// Asks Google what an access token allows.
///
/// # Errors
///
/// `Network` when Google cannot be reached, or does not know the token.
pub async fn allowed(endpoints: &Endpoints, token: &Token) -> Result<Scopes> {
    let doing = "asking what the sign-in allows";
    let asked = client(doing)?.get(endpoints.token_info_uri()).query(&[("access_token", token.reveal())]);
    let (is_success, answer) = answer_of(asked, doing).await?;
    match answer.get("scope").and_then(Value::as_str).filter(|_| is_success) {
        Some(scopes) => Ok(Scopes::parse(scopes)),
        None => Err(unreachable(doing, "Google does not know the token".into())),
    }
}

/// Posts a form; returns whether that succeeded, and the answer.
async fn post(uri: &str, form: &[(&str, &str)], doing: &str) -> Result<(bool, Value)> {
    answer_of(client(doing)?.post(uri).form(form), doing).await
}

pub(super) fn client(doing: &str) -> Result<reqwest::Client> {
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder()
        .timeout(ANSWER_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| unreachable(doing, error.into()))
}

async fn answer_of(asked: reqwest::RequestBuilder, doing: &str) -> Result<(bool, Value)> {
    let failed = |error: reqwest::Error| unreachable(doing, error.without_url().into());
    let mut response = asked.send().await.map_err(failed)?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&piece);
        if body.len() > ANSWER_BYTES {
            return Err(unreachable(doing, "the answer is too long".into()));
        }
    }
    if status.is_server_error() {
        return Err(unreachable(doing, format!("Google answered HTTP {status}").into()));
    }
    // The error of a JSON reader may quote the text, which holds tokens; what is no JSON has none of its fields.
    Ok((status.is_success(), serde_json::from_slice(&body).unwrap_or_default()))
}

pub(super) fn unreachable(doing: &str, source: crate::error::Source) -> Error {
    Error::Network { doing: doing.into(), outcome_unknown: false, source }
}

/// Says what Google's refusal of a code means.
fn refusal(answer: &Value) -> Error {
    let text = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default();
    let said = match (text("error"), text("error_description")) {
        ("", _) => "Google refused without a reason".to_owned(),
        (error, "") => format!("Google refused: {}", shown(error)),
        (error, description) => format!("Google refused: {} ({})", shown(error), shown(description)),
    };
    let suggestion = match text("error") {
        "invalid_client" | "unauthorized_client" | "deleted_client" | "disabled_client" => {
            "Check the OAuth client: `--client` wants the file that the Google Cloud console gives for a client of the type \
             \"Desktop app\"; see `mcp-workspace help google-setup`."
        }
        "redirect_uri_mismatch" => {
            "The OAuth client is not of the type \"Desktop app\": make one that is; see `mcp-workspace help google-setup`."
        }
        _ => "Sign in once more: a code can be used once, and for a few minutes.",
    };
    refused(said, suggestion)
}

fn refused(message: String, suggestion: &str) -> Error {
    Error::Told { kind: ErrorKind::Refused, message, suggestion: suggestion.into() }
}

/// Whose an id token is; `None` when it is of another client, or its address was never verified. It came from the token
/// endpoint itself, so its signature says nothing more.
///
/// Source: <https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation>, point 6.
fn account_of(token: &str, client_id: &str) -> Option<String> {
    let claims = token.split('.').nth(1)?.trim_end_matches('=');
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    let is_ours = match claims.get("aud")? {
        Value::String(audience) => audience == client_id,
        Value::Array(audiences) => audiences.iter().any(|audience| audience == client_id),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    let is_verified = claims.get("email_verified").is_none_or(|verified| *verified == true || verified == "true");
    let account = claims.get("email")?.as_str()?;
    // It becomes the name of a folder.
    let is_plain = account.contains('@') && !account.starts_with('.') && account.chars().all(is_of_an_address);
    (is_ours && is_verified && is_plain).then(|| account.to_lowercase())
}

/// Whether a letter may stand in an address that names a folder.
fn is_of_an_address(letter: char) -> bool {
    letter.is_alphanumeric() || "@.+-_'~!#$%&*=?^`{|}".contains(letter)
}

/// A text that nobody can guess.
fn random() -> Result<String> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::Storage { doing: "drawing a random number", source: error.into() })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// What is shown of a text from outside: it may be long, or hold what a terminal obeys.
fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(SHOWN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::URL_SAFE;

    use super::*;

    fn consent() -> Consent {
        Consent {
            state: "s1".into(),
            verifier: Token::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            redirect_uri: "http://127.0.0.1:9".into(),
            scopes: Scopes::needed(false, true),
        }
    }

    #[test]
    fn the_page_is_asked_with_a_proof_key() {
        let client = OAuthClient { id: "c".into(), secret: Token::new("hush") };
        let url = consent().url(&Endpoints::default(), &client, Some("ana@example.com")).unwrap();
        // The pair of RFC 7636, appendix B.
        for part in [
            "https://accounts.google.com/o/oauth2/v2/auth?client_id=c&",
            "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
            "redirect_uri=http%3A%2F%2F127.0.0.1%3A9",
            "state=s1",
            "access_type=offline",
            "login_hint=ana%40example.com",
        ] {
            assert!(url.contains(part), "{part} in {url}");
        }
        assert!(!url.contains("hush") && !url.contains("dBjft"));
        let [one, other] = [(); 2].map(|()| Consent::new(String::new(), Scopes::needed(true, true)).unwrap());
        assert_ne!(one.state, other.state);
        assert_eq!(one.verifier.reveal().len(), 43);
    }

    #[test]
    fn what_comes_back() {
        let code = |code: &str| Returned::Code(Token::new(code));
        for (address, expected) in [
            ("state=s1&code=4%2Fabc&scope=x", code("4/abc")),
            ("http://127.0.0.1:9/?state=s1&code=4/abc#", code("4/abc")),
            (" http://127.0.0.1:9/?code=a&state=s1\n", code("a")),
            ("state=s1&error=access_denied", Returned::Refused("access_denied".into())),
            ("state=s1&error=a%1b%5b31m", Returned::Refused("a[31m".into())),
            ("state=s2&code=a", Returned::Stray),
            ("state=s2&error=access_denied", Returned::Stray),
            ("state=s1&code=", Returned::Stray),
            ("code=a", Returned::Stray),
            ("4/abc", Returned::Stray),
            ("", Returned::Stray),
        ] {
            assert_eq!(consent().returned(address), expected, "{address}");
        }
    }

    #[test]
    fn an_account_is_of_its_own_client_and_verified() {
        let token = |claims: &str| format!("e30.{}.sig", URL_SAFE.encode(claims));
        for (claims, expected) in [
            (r#"{"aud":"c","email":"Ana@Example.com","email_verified":true}"#, Some("ana@example.com")),
            (r#"{"aud":["x","c"],"email":"a@b.c"}"#, Some("a@b.c")),
            (r#"{"aud":"other","email":"a@b.c"}"#, None),
            (r#"{"aud":"c","email":"a@b.c","email_verified":false}"#, None),
            (r#"{"aud":"c","email":"../../a@b.c"}"#, None),
            (r#"{"aud":"c","email":"a@b\u0000.c"}"#, None),
            (r#"{"aud":"c","sub":"1"}"#, None),
            ("no json", None),
        ] {
            assert_eq!(account_of(&token(claims), "c").as_deref(), expected, "{claims}");
        }
        assert_eq!(account_of("e30", "c"), None);
    }
}
