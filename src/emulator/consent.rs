//! The page on which a person allows a program what it asks for.
//!
//! Source: <https://developers.google.com/identity/protocols/oauth2/native-app>

use url::Url;

use super::call::{Answer, Call, Handled};
use super::oauth::{Grant, form, new_code};
use super::render::escape;
use super::state::Google;
use super::{CLIENT_ID, DEMO_ACCOUNT};

/// Nothing may be loaded, and nobody may frame the page. Where its form leads is told by each answer.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const HTML: &str = include_str!("consent.html");

/// The longest value of a parameter that the page takes, in bytes.
const VALUE_BYTES_MAX: usize = 4_096;

/// What a program asks for.
struct Asked {
    redirect: Url,
    /// As it was sent, which the exchange must repeat.
    redirect_uri: String,
    scopes: Vec<String>,
    state: String,
    challenge: Option<String>,
}

/// Shows the page, or answers what a person chose on it.
pub(super) fn handle(google: &Google, call: &Call) -> Handled {
    let asked = read(call)?;
    match call.method.as_str() {
        "GET" => Ok(page(&asked, call)),
        "POST" => choose(google, &asked, call),
        _ => Err(refused("invalid_request", "The page is read or its form is sent.")),
    }
}

/// Reads the query, which the form keeps.
fn read(call: &Call) -> Result<Asked, Answer> {
    let value = |name: &str| call.parameter(name).unwrap_or_default();
    if call.query.iter().any(|(_, value)| value.len() > VALUE_BYTES_MAX) {
        return Err(refused("invalid_request", "A parameter is too long."));
    }
    if value("client_id") != CLIENT_ID {
        return Err(refused("invalid_client", "The OAuth client was not found."));
    }
    if value("response_type") != "code" {
        return Err(refused("unsupported_response_type", "response_type must be code."));
    }
    let redirect_uri = value("redirect_uri").to_owned();
    // An installed program may name any port of this machine, and nothing else.
    let redirect = Url::parse(&redirect_uri)
        .ok()
        .filter(|url| url.scheme() == "http" && matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]")));
    let Some(redirect) = redirect else {
        return Err(refused("redirect_uri_mismatch", "The redirect URI must be http on a loopback address."));
    };
    let scopes: Vec<String> = value("scope").split_whitespace().map(str::to_owned).collect();
    if scopes.is_empty() {
        return Err(refused("invalid_scope", "Missing required parameter: scope"));
    }
    let challenge = call.parameter("code_challenge").map(str::to_owned);
    if challenge.is_some() && value("code_challenge_method") != "S256" {
        return Err(refused("invalid_request", "Only the challenge method S256 is taken."));
    }
    Ok(Asked { redirect, redirect_uri, scopes, state: value("state").to_owned(), challenge })
}

/// Shows what is asked for, each with a box.
fn page(asked: &Asked, call: &Call) -> Answer {
    let row = |scope: &String| {
        let scope = escape(scope);
        format!("<li><label><input type=\"checkbox\" name=\"scope\" value=\"{scope}\" checked> {scope}</label></li>")
    };
    let scopes: String = asked.scopes.iter().map(row).collect();
    let html = HTML
        .replacen("{account}", &escape(DEMO_ACCOUNT), 1)
        .replacen("{action}", &escape(&format!("{}?{}", call.path, call.raw_query)), 1)
        .replacen("{scopes}", &scopes, 1);
    Answer::text(200, "text/html; charset=UTF-8", &html).guarded(POLICY)
}

/// Sends the person back to the program, with a code or with a refusal.
fn choose(google: &Google, asked: &Asked, call: &Call) -> Handled {
    let form = form(call)?;
    let is_allowed = form.iter().any(|(name, value)| name == "choice" && value == "allow");
    let ticked = |scope: &&String| form.iter().any(|(name, value)| name == "scope" && value == *scope);
    let scopes: Vec<&str> = asked.scopes.iter().filter(ticked).map(String::as_str).collect();
    let mut back = asked.redirect.clone();
    back.query_pairs_mut().append_pair("state", &asked.state);
    if is_allowed && !scopes.is_empty() {
        let scopes = scopes.join(" ");
        let grant = Grant {
            redirect_uri: asked.redirect_uri.clone(),
            challenge: asked.challenge.clone(),
            scopes: scopes.clone(),
        };
        let code = new_code(google, Some(grant));
        back.query_pairs_mut().append_pair("code", &code).append_pair("scope", &scopes);
    } else {
        back.query_pairs_mut().append_pair("error", "access_denied");
    }
    Ok(Answer::empty(302).guarded(POLICY).with("location", back.as_str()))
}

/// Says on a page why nothing can be asked: nobody is sent to an address that was not checked.
fn refused(error: &str, description: &str) -> Answer {
    Answer::text(400, "text/plain; charset=UTF-8", &format!("Error 400: {error}\n{description}\n")).guarded(POLICY)
}
