//! The token endpoint, and who is signed in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::call::{Answer, Call, Handled, pairs};
use super::state::{Google, lock};
use super::{CLIENT_ID, CLIENT_SECRET, DEMO_ACCOUNT, REFRESH_TOKEN, clock, errors};

/// Access tokens that are remembered at a time; Google drops the oldest beyond 100.
const MAX_ACCESS_TOKENS: usize = 100;

/// Codes and refresh tokens that are remembered at a time.
const MAX_GRANTS: usize = 1_000;

/// What the token endpoint has given out.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// Access tokens with the moment they expire at, in milliseconds; they do not survive a restart.
    #[serde(skip)]
    access: BTreeMap<String, i64>,
    /// Codes that wait to be exchanged; they do not survive a restart either.
    #[serde(skip)]
    codes: Vec<String>,
    /// Refresh tokens beside [`REFRESH_TOKEN`].
    refresh: Vec<String>,
    /// Whether [`REFRESH_TOKEN`] was revoked.
    revoked: bool,
    /// How many were given out; makes each different.
    count: u64,
}

impl Tokens {
    /// Tells whether an access token is valid at a moment.
    pub(super) fn accepts(&self, token: &str, now_ms: i64) -> bool {
        self.access.get(token).is_some_and(|&until| now_ms < until)
    }

    /// Tells whether a refresh token is valid.
    fn refreshes(&self, token: &str) -> bool {
        (token == REFRESH_TOKEN && !self.revoked) || self.refresh.iter().any(|known| known == token)
    }
}

/// Answers `POST /token`.
///
/// Source: <https://developers.google.com/identity/protocols/oauth2/native-app>
pub(super) fn token(google: &Google, call: &Call) -> Handled {
    let form = form(call)?;
    let field = |name: &str| form.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
    if field("client_id") != CLIENT_ID || field("client_secret") != CLIENT_SECRET {
        return Err(refused(401, "invalid_client", "The OAuth client was not found."));
    }
    let now_ms = clock::now_ms();
    let mut tokens = lock(&google.tokens);
    let new_refresh = match field("grant_type") {
        "refresh_token" if tokens.refreshes(field("refresh_token")) => None,
        "authorization_code" => {
            let Some(at) = tokens.codes.iter().position(|code| code == field("code")) else {
                return Err(refused(400, "invalid_grant", "Malformed auth code."));
            };
            tokens.codes.swap_remove(at);
            tokens.count += 1;
            let refresh = google.opaque("refresh", "", tokens.count);
            if tokens.refresh.len() >= MAX_GRANTS {
                tokens.refresh.remove(0);
            }
            tokens.refresh.push(refresh.clone());
            google.keep_tokens(&tokens).map_err(|error| errors::internal(&error))?;
            Some(refresh)
        }
        "refresh_token" => return Err(refused(400, "invalid_grant", "Token has been expired or revoked.")),
        other => return Err(refused(400, "unsupported_grant_type", &format!("Invalid grant_type: {other}"))),
    };
    tokens.count += 1;
    let access = format!("ya29.{}", google.opaque("access", "", tokens.count));
    let lifetime_ms = i64::try_from(google.token_lifetime.as_millis()).unwrap_or(i64::MAX);
    tokens.access.retain(|_, until| now_ms < *until);
    if tokens.access.len() >= MAX_ACCESS_TOKENS {
        let oldest = tokens.access.iter().min_by_key(|(_, until)| **until).map(|(token, _)| token.clone());
        if let Some(oldest) = oldest {
            tokens.access.remove(&oldest);
        }
    }
    tokens.access.insert(access.clone(), now_ms.saturating_add(lifetime_ms));
    let mut answer = json!({
        "access_token": access,
        "expires_in": google.token_lifetime.as_secs(),
        "scope": "https://www.googleapis.com/auth/documents https://www.googleapis.com/auth/drive",
        "token_type": "Bearer",
    });
    if let Some(refresh) = new_refresh {
        answer["refresh_token"] = refresh.into();
    }
    Ok(Answer::json(200, &answer).with("cache-control", "no-store"))
}

/// Answers `POST /revoke`: a refresh or access token stops working.
pub(super) fn revoke(google: &Google, call: &Call) -> Handled {
    let mut fields = form(call)?;
    fields.extend(call.query.iter().cloned());
    let token = fields.into_iter().find(|(key, _)| key == "token").map(|(_, value)| value).unwrap_or_default();
    let mut tokens = lock(&google.tokens);
    if tokens.access.remove(&token).is_none() {
        if !tokens.refreshes(&token) {
            return Err(refused(400, "invalid_token", "Token expired or revoked"));
        }
        tokens.revoked |= token == REFRESH_TOKEN;
        tokens.refresh.retain(|known| *known != token);
        // With its grant go all tokens that were made from it.
        tokens.access.clear();
        google.keep_tokens(&tokens).map_err(|error| errors::internal(&error))?;
    }
    Ok(Answer::json(200, &json!({})))
}

/// Makes a code as the consent screen would; for tests of the exchange.
pub(super) fn issue_code(google: &Google) -> Value {
    let mut tokens = lock(&google.tokens);
    tokens.count += 1;
    let code = format!("4/{}", google.opaque("code", "", tokens.count));
    if tokens.codes.len() >= MAX_GRANTS {
        tokens.codes.remove(0);
    }
    tokens.codes.push(code.clone());
    json!({"code": code})
}

/// Answers `GET /oauth2/v2/userinfo`.
pub(super) fn userinfo() -> Answer {
    Answer::json(
        200,
        &json!({"id": "100000000000000000001", "email": DEMO_ACCOUNT, "verified_email": true,
            "name": "Demo Account", "given_name": "Demo", "family_name": "Account"}),
    )
}

/// Reads a form.
fn form(call: &Call) -> Result<Vec<(String, String)>, Answer> {
    if call.body.is_empty() {
        return Ok(Vec::new());
    }
    match std::str::from_utf8(&call.body) {
        Ok(text) if call.content_type == "application/x-www-form-urlencoded" => Ok(pairs(text)),
        _ => Err(refused(400, "invalid_request", "The body must be a form.")),
    }
}

/// Returns an error of the token endpoint.
fn refused(code: u16, error: &str, description: &str) -> Answer {
    Answer::json(code, &json!({"error": error, "error_description": description}))
}
