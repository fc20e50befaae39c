//! The token endpoint, and who is signed in.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::call::{Answer, Call, Handled, pairs};
use super::state::{Google, lock};
use super::{CLIENT_ID, CLIENT_SECRET, DEMO_ACCOUNT, REFRESH_TOKEN, clock, errors};

/// Access tokens that are remembered at a time; Google drops the oldest beyond 100.
const MAX_ACCESS_TOKENS: usize = 100;

/// Codes and refresh tokens that are remembered at a time.
const MAX_GRANTS: usize = 1_000;

/// How long a code can be exchanged.
const CODE_LIFETIME_MS: i64 = 600_000;

/// What a token of [`REFRESH_TOKEN`], or of a code that was issued for a test, allows.
const USUAL_SCOPES: &str = "https://www.googleapis.com/auth/documents https://www.googleapis.com/auth/drive \
                            https://www.googleapis.com/auth/gmail.modify";

/// The account's number at Google.
const SUBJECT: &str = "100000000000000000001";

/// What a person agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    /// Where the code was sent.
    pub(super) redirect_uri: String,
    /// The hash of the verifier, for PKCE with S256; `None` when none was sent.
    pub(super) challenge: Option<String>,
    /// What was allowed, with blanks between.
    pub(super) scopes: String,
}

/// A code that waits to be exchanged.
#[derive(Debug)]
struct Code {
    code: String,
    grant: Option<Grant>,
    issued_ms: i64,
}

/// What the token endpoint has given out.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// Access tokens with the moment they expire at, in milliseconds, and what they allow; they do not survive a restart.
    #[serde(skip)]
    access: BTreeMap<String, (i64, String)>,
    /// Codes that wait to be exchanged; they do not survive a restart either.
    #[serde(skip)]
    codes: Vec<Code>,
    /// Refresh tokens beside [`REFRESH_TOKEN`].
    refresh: Vec<String>,
    /// What those of them allow that a person agreed to.
    #[serde(default)]
    scopes: BTreeMap<String, String>,
    /// Whether [`REFRESH_TOKEN`] was revoked.
    revoked: bool,
    /// How many were given out; makes each different.
    count: u64,
}

impl Tokens {
    /// Tells whether an access token is valid at a moment.
    pub(super) fn accepts(&self, token: &str, now_ms: i64) -> bool {
        self.access.get(token).is_some_and(|(until, _)| now_ms < *until)
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
    let (scopes, new_refresh) = match field("grant_type") {
        "refresh_token" if tokens.refreshes(field("refresh_token")) => {
            (tokens.scopes.get(field("refresh_token")).cloned().unwrap_or_else(|| USUAL_SCOPES.into()), None)
        }
        "authorization_code" => {
            let grant = redeem(&mut tokens, field, now_ms)?;
            let scopes = grant.map_or_else(|| USUAL_SCOPES.into(), |grant| grant.scopes);
            tokens.count += 1;
            let refresh = google.opaque("refresh", "", tokens.count);
            if tokens.refresh.len() >= MAX_GRANTS {
                let oldest = tokens.refresh.remove(0);
                tokens.scopes.remove(&oldest);
            }
            tokens.refresh.push(refresh.clone());
            tokens.scopes.insert(refresh.clone(), scopes.clone());
            google.keep_tokens(&tokens).map_err(|error| errors::internal(&error))?;
            (scopes, Some(refresh))
        }
        "refresh_token" => return Err(refused(400, "invalid_grant", "Token has been expired or revoked.")),
        other => return Err(refused(400, "unsupported_grant_type", &format!("Invalid grant_type: {other}"))),
    };
    tokens.count += 1;
    let access = format!("ya29.{}", google.opaque("access", "", tokens.count));
    let lifetime_ms = i64::try_from(google.token_lifetime.as_millis()).unwrap_or(i64::MAX);
    let until = now_ms.saturating_add(lifetime_ms);
    tokens.access.retain(|_, (until, _)| now_ms < *until);
    if tokens.access.len() >= MAX_ACCESS_TOKENS {
        let oldest = tokens.access.iter().min_by_key(|(_, (until, _))| *until).map(|(token, _)| token.clone());
        if let Some(oldest) = oldest {
            tokens.access.remove(&oldest);
        }
    }
    tokens.access.insert(access.clone(), (until, scopes.clone()));
    let mut answer = json!({
        "access_token": access,
        "expires_in": google.token_lifetime.as_secs(),
        "scope": scopes,
        "token_type": "Bearer",
    });
    if let Some(refresh) = new_refresh {
        answer["refresh_token"] = refresh.into();
    }
    if scopes.split(' ').any(|scope| scope == "openid") {
        answer["id_token"] = id_token(now_ms, until, scopes.split(' ').any(|scope| scope == "email")).into();
    }
    Ok(Answer::json(200, &answer).with("cache-control", "no-store"))
}

/// Takes a code, once, and what was agreed to with it; one that was issued for a test has nothing of that.
fn redeem<'f>(tokens: &mut Tokens, field: impl Fn(&str) -> &'f str, now_ms: i64) -> Result<Option<Grant>, Answer> {
    tokens.codes.retain(|code| now_ms.saturating_sub(code.issued_ms) < CODE_LIFETIME_MS);
    let Some(at) = tokens.codes.iter().position(|code| code.code == field("code")) else {
        return Err(refused(400, "invalid_grant", "Malformed auth code."));
    };
    // A code is used up by whoever sends it, rightly or not.
    let Some(grant) = tokens.codes.swap_remove(at).grant else { return Ok(None) };
    if grant.redirect_uri != field("redirect_uri") {
        return Err(refused(400, "redirect_uri_mismatch", "Bad Request"));
    }
    let hashed = URL_SAFE_NO_PAD.encode(Sha256::digest(field("code_verifier")));
    match &grant.challenge {
        Some(_) if field("code_verifier").is_empty() => Err(refused(400, "invalid_grant", "Missing code verifier.")),
        Some(challenge) if *challenge != hashed => Err(refused(400, "invalid_grant", "Invalid code verifier.")),
        Some(_) | None => Ok(Some(grant)),
    }
}

/// Says who signed in. Its signature is none: whoever has it from the token endpoint itself need not check that.
fn id_token(now_ms: i64, until_ms: i64, has_address: bool) -> String {
    let header = json!({"alg": "RS256", "kid": "embedded", "typ": "JWT"});
    let mut claims = json!({
        "iss": "https://accounts.google.com", "azp": CLIENT_ID, "aud": CLIENT_ID, "sub": SUBJECT,
        "iat": now_ms / 1000, "exp": until_ms / 1000,
    });
    if has_address {
        (claims["email"], claims["email_verified"]) = (DEMO_ACCOUNT.into(), true.into());
    }
    [header.to_string(), claims.to_string(), "none".into()].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".")
}

/// Answers `GET /tokeninfo`: what an access token allows, and for how long.
pub(super) fn token_info(google: &Google, call: &Call) -> Handled {
    let token = call.parameter("access_token").unwrap_or_default();
    let now_ms = clock::now_ms();
    let tokens = lock(&google.tokens);
    let Some((until, scopes)) = tokens.access.get(token).filter(|(until, _)| now_ms < *until) else {
        return Err(refused(400, "invalid_token", "Invalid Value"));
    };
    let left = (until - now_ms) / 1000;
    Ok(Answer::json(
        200,
        &json!({"azp": CLIENT_ID, "aud": CLIENT_ID, "sub": SUBJECT, "scope": scopes, "exp": (until / 1000).to_string(),
            "expires_in": left.to_string(), "email": DEMO_ACCOUNT, "email_verified": "true", "access_type": "offline"}),
    ))
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
        tokens.scopes.remove(&token);
        // With its grant go all tokens that were made from it.
        tokens.access.clear();
        google.keep_tokens(&tokens).map_err(|error| errors::internal(&error))?;
    }
    Ok(Answer::json(200, &json!({})))
}

/// Makes a code as the consent page does; for tests of the exchange.
pub(super) fn issue_code(google: &Google) -> Value {
    json!({"code": new_code(google, None)})
}

/// Makes a code for what a person agreed to.
pub(super) fn new_code(google: &Google, grant: Option<Grant>) -> String {
    let mut tokens = lock(&google.tokens);
    tokens.count += 1;
    let code = format!("4/{}", google.opaque("code", "", tokens.count));
    if tokens.codes.len() >= MAX_GRANTS {
        tokens.codes.remove(0);
    }
    tokens.codes.push(Code { code: code.clone(), grant, issued_ms: clock::now_ms() });
    code
}

/// Answers `GET /oauth2/v2/userinfo`.
pub(super) fn userinfo() -> Answer {
    Answer::json(
        200,
        &json!({"id": SUBJECT, "email": DEMO_ACCOUNT, "verified_email": true,
            "name": "Demo Account", "given_name": "Demo", "family_name": "Account"}),
    )
}

/// Reads a form.
pub(super) fn form(call: &Call) -> Result<Vec<(String, String)>, Answer> {
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
