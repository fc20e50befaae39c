//! Where people sign in, with pages that work without scripts.

use super::Notebooks;
use super::hosts::{Host, onward, origin};
use super::model::Millis;
use super::pages::{form, hidden, plain};
use super::reply::Reply;
use super::sessions::Who;
use super::switches::Rotation;
use crate::emulator::call::{Call, pairs};
use crate::emulator::errors;
use crate::emulator::render::escape;
use crate::notebooklm::form::encode;

/// How long the steps of a sign-in may take, in milliseconds.
const STEPS_MS: Millis = 600_000;

/// The longest value of a field that is read, in bytes.
const FIELD_BYTES_MAX: usize = 4_096;

const IDENTIFIER: &str = "/v3/signin/identifier";
const PASSWORD: &str = "/v3/signin/challenge/pwd";
const SECOND_STEP: &str = "/v3/signin/challenge/totp";
const REJECTED: &str = "/v3/signin/rejected";

/// What a form or a query says.
struct Said(Vec<(String, String)>);

impl Said {
    fn of(call: &Call) -> Self {
        let mut pairs_of = call.query.clone();
        if call.method == "POST" && call.content_type == "application/x-www-form-urlencoded" {
            pairs_of.extend(pairs(&String::from_utf8_lossy(&call.body)));
        }
        pairs_of.retain(|(_, value)| value.len() <= FIELD_BYTES_MAX);
        Self(pairs_of)
    }

    fn get(&self, name: &str) -> &str {
        self.0.iter().rev().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str())
    }
}

impl Notebooks {
    /// Answers a request to the host where people sign in.
    pub(super) fn accounts(&mut self, now: Millis, call: &Call) -> Reply {
        let said = Said::of(call);
        // A page of somebody else must not sign anybody in or out.
        let own = origin(call, Host::Accounts);
        if call.method == "POST" && call.origin.as_ref().is_some_and(|from| *from != own && from != "null") {
            return errors::forbidden().into();
        }
        match (call.method.as_str(), call.path.as_str()) {
            ("GET", "/" | "/AccountChooser" | "/v3/signin/accountchooser" | IDENTIFIER) => {
                self.chooser(now, call, &said)
            }
            ("GET", "/ServiceLogin") => match self.who(now, call) {
                Who::Somebody { .. } => Reply::redirect(302, &onward(call, Some(said.get("continue")))),
                Who::Nobody { .. } | Who::Unfit => Reply::redirect(302, &step(IDENTIFIER, &said, "")),
            },
            ("POST", IDENTIFIER) => self.identify(&said),
            ("GET", PASSWORD) => password_page(&said, None),
            ("POST", PASSWORD) => self.check_password(now, call, &said),
            ("GET", SECOND_STEP) => second_page(&said, None),
            ("POST", SECOND_STEP) => self.check_second_step(now, call, &said),
            ("GET", REJECTED) => rejected(),
            ("GET", "/CookieMismatch") => mismatch(),
            ("POST", "/RotateCookies") => self.rotate(now, call),
            ("POST", "/ListAccounts") => Reply::new(200, "application/json; charset=utf-8", "[\"gaia.l.a.r\",[]]"),
            ("GET" | "POST", "/Logout") => self.log_out(now, call, &said),
            _ => errors::no_route(&format!("{} {}", call.method, call.path)).into(),
        }
    }

    /// Shows who is signed in, to choose from; or asks who is there.
    fn chooser(&self, now: Millis, call: &Call, said: &Said) -> Reply {
        let people = match self.who(now, call) {
            Who::Somebody { sid, .. } if said.get("AddSession").is_empty() => {
                self.sessions.get(&sid).map(|session| session.people.clone()).unwrap_or_default()
            }
            Who::Somebody { .. } | Who::Nobody { .. } | Who::Unfit => Vec::new(),
        };
        if people.is_empty() {
            return identifier_page(said, None);
        }
        let target = onward(call, Some(said.get("continue")));
        let row = |(index, email): (usize, &String)| {
            let joint = if target.contains('?') { '&' } else { '?' };
            let link = escape(&format!("{target}{joint}authuser={index}"));
            format!("<li><a href=\"{link}\" data-email=\"{0}\">{0}</a></li>", escape(email))
        };
        let rows: String = people.iter().enumerate().map(row).collect();
        let other = escape(&step(IDENTIFIER, said, "&AddSession=1"));
        let body =
            format!("<h1>Choose an account</h1><ul>{rows}</ul><p><a href=\"{other}\">Use another account</a></p>");
        plain(200, "Choose an account", &body)
    }

    fn identify(&self, said: &Said) -> Reply {
        if self.switches.insecure_browser {
            return Reply::redirect(303, REJECTED);
        }
        let email = said.get("identifier").trim().to_lowercase();
        if email.is_empty() {
            return identifier_page(said, Some("Enter an email or phone number"));
        }
        if !self.people.contains_key(&email) {
            return identifier_page(said, Some("Couldn’t find your Google Account"));
        }
        Reply::redirect(303, &step(PASSWORD, said, &format!("&identifier={}", encode(&email))))
    }

    fn check_password(&mut self, now: Millis, call: &Call, said: &Said) -> Reply {
        if self.switches.insecure_browser {
            return Reply::redirect(303, REJECTED);
        }
        let email = said.get("identifier").to_lowercase();
        let Some(person) = self.people.get(&email) else {
            return identifier_page(said, Some("Couldn’t find your Google Account"));
        };
        if person.password != said.get("Passwd") {
            return password_page(said, Some("Wrong password. Try again or click Forgot password to reset it."));
        }
        if person.second_step.is_none() {
            return self.let_in(now, call, said, &email);
        }
        let proof = format!("{}:{now}", self.chance.seal("steps", &format!("{email}/{now}")));
        let more = format!("&identifier={}&TL={}", encode(&email), encode(&proof));
        Reply::redirect(303, &step(SECOND_STEP, said, &more))
    }

    fn check_second_step(&mut self, now: Millis, call: &Call, said: &Said) -> Reply {
        let email = said.get("identifier").to_lowercase();
        let proof = said.get("TL").rsplit_once(':');
        let begun = proof.and_then(|(seal, moment)| {
            let moment: Millis = moment.parse().ok()?;
            (seal == self.chance.seal("steps", &format!("{email}/{moment}"))).then_some(moment)
        });
        // Whoever comes here without the password, or too late, begins anew.
        if begun.is_none_or(|begun| now - begun > STEPS_MS) {
            return Reply::redirect(303, &step(IDENTIFIER, said, ""));
        }
        let code = self.people.get(&email).and_then(|person| person.second_step.as_deref());
        if code != Some(said.get("totpPin").trim()) {
            return second_page(said, Some("Wrong code. Try again."));
        }
        self.let_in(now, call, said, &email)
    }

    fn let_in(&mut self, now: Millis, call: &Call, said: &Said, email: &str) -> Reply {
        let mut reply = Reply::redirect(303, &onward(call, Some(said.get("continue"))));
        let cookies = self.sign_in(now, call, email);
        reply.headers.extend(cookies.into_iter().map(|cookie| ("set-cookie", cookie)));
        reply
    }

    /// Gives a new stamp to whoever gets one. Source: what clients saw; whether others than browsers do, they disagree on
    /// (<https://github.com/jacob-bd/gemini-notebook-mcp-cli/issues/316>).
    fn rotate(&mut self, now: Millis, call: &Call) -> Reply {
        let sid = super::cookies::read(call, "SID").map(str::to_owned);
        let Some(sid) = sid.filter(|sid| self.sessions.contains_key(sid)) else {
            return Reply::new(401, "text/html; charset=utf-8", "Error 401");
        };
        let mut reply = Reply::new(200, "application/json; charset=utf-8", "[[\"identity.hfcr\",600],[\"di\",10]]");
        let gets = match self.switches.rotation {
            Rotation::Browser => call.header("sec-fetch-mode").is_some(),
            Rotation::Always => true,
            Rotation::Never => false,
        };
        if gets {
            let cookies = self.new_stamp(now, &sid);
            reply.headers.extend(cookies.into_iter().map(|cookie| ("set-cookie", cookie)));
        }
        reply
    }

    fn log_out(&mut self, now: Millis, call: &Call, said: &Said) -> Reply {
        if let Some(sid) = super::cookies::read(call, "SID").map(str::to_owned) {
            self.sessions.remove(&sid);
            self.touch();
        }
        let mut reply = Reply::redirect(302, &step(IDENTIFIER, said, ""));
        reply.headers.extend(self.farewell(now).into_iter().map(|cookie| ("set-cookie", cookie)));
        reply
    }
}

/// Returns the address of a step, with where to go on to afterwards.
fn step(path: &str, said: &Said, more: &str) -> String {
    let onwards = said.get("continue");
    let onwards = if onwards.is_empty() { String::new() } else { format!("continue={}", encode(onwards)) };
    format!("{path}?{}", format!("{onwards}{more}").trim_start_matches('&'))
}

fn identifier_page(said: &Said, error: Option<&str>) -> Reply {
    let field = "<label>Email or phone <input type=\"email\" id=\"identifierId\" name=\"identifier\" \
                 autocomplete=\"username\" autofocus required></label>";
    let fields = format!("{field}{}", hidden("continue", said.get("continue")));
    // Google's page to sign in has the same keys as the product's page, with values of its own.
    let decoy = "<span hidden data-wiz=\"&quot;SNlM0e&quot;:&quot;of-the-sign-in&quot;,&quot;FdrFJe&quot;:&quot;-1&quot;\">\
                 </span>";
    form("Sign in", IDENTIFIER, &format!("{fields}{decoy}"), "identifierNext", error)
}

fn password_page(said: &Said, error: Option<&str>) -> Reply {
    let email = said.get("identifier");
    let fields = format!(
        "<p id=\"profileIdentifier\">{}</p><label>Enter your password <input type=\"password\" name=\"Passwd\" \
         autocomplete=\"current-password\" autofocus required></label>{}{}",
        escape(email),
        hidden("identifier", email),
        hidden("continue", said.get("continue"))
    );
    form("Welcome", PASSWORD, &fields, "passwordNext", error)
}

fn second_page(said: &Said, error: Option<&str>) -> Reply {
    let fields = format!(
        "<label>Enter code <input type=\"tel\" id=\"totpPin\" name=\"totpPin\" autocomplete=\"one-time-code\" autofocus \
         required></label>{}{}{}",
        hidden("identifier", said.get("identifier")),
        hidden("TL", said.get("TL")),
        hidden("continue", said.get("continue"))
    );
    form("2-Step Verification", SECOND_STEP, &fields, "totpNext", error)
}

fn rejected() -> Reply {
    let body = "<h1>Couldn’t sign you in</h1><p>This browser or app may not be secure.</p>\
                <p>Try using a different browser.</p>";
    plain(200, "Couldn’t sign you in", body)
}

fn mismatch() -> Reply {
    let body = "<h1>Your browser has cookies disabled</h1><p>Make sure your cookies are enabled and try again.</p>";
    plain(200, "Cookie mismatch", body)
}
