//! Who is signed in: the sessions of browsers, their cookies, and the tokens of pages.
//!
//! Of a session only one secret is kept; all its cookies but the stamps are seals of that, so that those which do not
//! belong together are told apart.

use serde::{Deserialize, Serialize};

use super::Notebooks;
use super::cookies::{Cookie, LONG_S, read};
use super::model::Millis;
use super::switches::Rotation;
use crate::emulator::call::Call;

/// Sessions that are kept; the oldest go first.
const SESSIONS_MAX: usize = 1_000;

/// Accounts of one browser.
pub(super) const PEOPLE_MAX: usize = 10;

/// How long the stamp before the newest is still good: requests under way have it yet.
const GRACE_MS: Millis = 60_000;

/// A browser in which somebody is signed in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Session {
    /// The value of its first cookie.
    pub(super) sid: String,
    /// Who is signed in, in the order in which they did.
    pub(super) people: Vec<String>,
    /// When it began.
    pub(super) made_ms: Millis,
    /// Tokens of pages that are older than this are refused.
    pub(super) tokens_from_ms: Millis,
    stamp: Stamp,
    stamp_before: Option<Stamp>,
}

/// A value that a browser gets anew every few minutes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    value: String,
    until_ms: Millis,
}

/// Who makes a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Who {
    /// Nobody who is known.
    Nobody {
        /// Whether there was a session once: it is over.
        had_session: bool,
    },
    /// Cookies that do not belong together.
    Unfit,
    /// A browser in which somebody is signed in.
    Somebody {
        /// The session.
        sid: String,
        /// Whether it wants a new stamp.
        renew: bool,
        /// Whether its cookies are bound to this host, or to the account.
        bound: bool,
    },
}

/// Tells whether a browser makes a request: only those say from where.
fn is_browser(call: &Call) -> bool {
    call.header("sec-fetch-mode").is_some()
}

impl Notebooks {
    /// Tells who makes a request.
    pub(super) fn who(&self, now: Millis, call: &Call) -> Who {
        let Some(sid) = read(call, "SID") else { return Who::Nobody { had_session: false } };
        let over = Who::Nobody { had_session: true };
        let Some(session) = self.sessions.get(sid) else { return over };
        if self.switches.cookie_mismatch || self.is_unfit(call, sid) {
            return Who::Unfit;
        }
        if self.switches.device_bound && !is_browser(call) {
            return over;
        }
        let stamp = read(call, "__Secure-1PSIDTS").unwrap_or_default();
        let good = |known: &Stamp| known.value == stamp && now < known.until_ms;
        let fresh = good(&session.stamp) || session.stamp_before.as_ref().is_some_and(good);
        let may_renew = match self.switches.rotation {
            Rotation::Browser => is_browser(call),
            Rotation::Always => true,
            Rotation::Never => false,
        };
        if !fresh && !may_renew {
            return over;
        }
        let half = i64::from(self.switches.stamp_s) * 500;
        let old = session.stamp.value != stamp || session.stamp.until_ms - now < half;
        Who::Somebody { sid: sid.to_owned(), renew: may_renew && (!fresh || old), bound: self.is_bound(call, sid) }
    }

    /// Tells whether cookies that came do not belong to the session that came with them.
    fn is_unfit(&self, call: &Call, sid: &str) -> bool {
        let names = ["HSID", "SSID", "APISID", "SAPISID", "__Secure-1PSID", "__Secure-3PSID"];
        names.into_iter().any(|name| read(call, name).is_some_and(|value| value != self.chance.seal(name, sid)))
    }

    /// Tells whether the session is bound to this host, by the cookie that its page sets, or to the account.
    fn is_bound(&self, call: &Call, sid: &str) -> bool {
        let is = |name: &str| read(call, name).is_some_and(|value| value == self.chance.seal(name, sid));
        read(call, "OSID").is_some_and(|value| value == self.osid(call, sid)) || is("APISID") && is("SAPISID")
    }

    fn osid(&self, call: &Call, sid: &str) -> String {
        self.chance.seal("OSID", &format!("{sid}/{}", call.host))
    }

    /// Signs somebody in, in the browser that a request comes from, and returns the cookies to set.
    pub(super) fn sign_in(&mut self, now: Millis, call: &Call, email: &str) -> Vec<String> {
        let sid = match self.who(now, call) {
            Who::Somebody { sid, .. } => sid,
            Who::Nobody { .. } | Who::Unfit => self.open_session(now),
        };
        if let Some(session) = self.sessions.get_mut(&sid)
            && !session.people.iter().any(|known| known == email)
            && session.people.len() < PEOPLE_MAX
        {
            session.people.push(email.to_owned());
        }
        self.touch();
        let mut cookies = self.session_cookies(now, &sid);
        cookies.extend(self.new_stamp(now, &sid));
        cookies
    }

    fn open_session(&mut self, now: Millis) -> String {
        if self.sessions.len() >= SESSIONS_MAX
            && let Some(oldest) = self.sessions.values().min_by_key(|session| session.made_ms)
        {
            let sid = oldest.sid.clone();
            self.sessions.remove(&sid);
        }
        let sid = format!("g.a000{}", self.chance.letters(60));
        let stamp = Stamp { value: String::new(), until_ms: 0 };
        let session = Session {
            sid: sid.clone(),
            people: Vec::new(),
            made_ms: now,
            tokens_from_ms: now,
            stamp,
            stamp_before: None,
        };
        self.sessions.insert(sid.clone(), session);
        sid
    }

    /// Returns the cookies of a session that last, for the host of the accounts.
    fn session_cookies(&self, now: Millis, sid: &str) -> Vec<String> {
        let seconds = self.switches.persistent_cookies.then_some(LONG_S);
        // Name, whether of all hosts, HttpOnly, Secure, SameSite=none: as Google sets them.
        let facts = [
            ("SID", true, false, false, false),
            ("HSID", true, true, false, false),
            ("SSID", true, true, true, false),
            ("APISID", true, false, false, false),
            ("SAPISID", true, false, true, false),
            ("__Secure-1PAPISID", true, false, true, false),
            ("__Secure-3PAPISID", true, false, true, true),
            ("__Secure-1PSID", true, true, true, false),
            ("__Secure-3PSID", true, true, true, true),
            ("LSID", false, true, true, false),
            ("__Host-GAPS", false, true, true, false),
        ];
        let write = |(name, shared, http_only, secure, cross_site)| {
            let value = if name == "SID" { sid.to_owned() } else { self.chance.seal(name, sid) };
            Cookie { name, value: &value, shared, seconds, http_only, secure, cross_site }.write(now)
        };
        facts.into_iter().map(write).collect()
    }

    /// Gives a session a new stamp and returns the cookies that say it.
    pub(super) fn new_stamp(&mut self, now: Millis, sid: &str) -> Vec<String> {
        let value = format!("sidts-{}", self.chance.letters(40));
        let life_s = self.switches.stamp_s;
        let Some(session) = self.sessions.get_mut(sid) else { return Vec::new() };
        let before = std::mem::replace(
            &mut session.stamp,
            Stamp { value: value.clone(), until_ms: now + i64::from(life_s) * 1000 },
        );
        session.stamp_before = Some(Stamp { until_ms: before.until_ms.min(now + GRACE_MS), ..before });
        self.touch();
        let seconds = self.switches.persistent_cookies.then_some(life_s);
        [("__Secure-1PSIDTS", false), ("__Secure-3PSIDTS", true)]
            .map(|(name, cross_site)| {
                let (shared, http_only, secure) = (true, true, true);
                Cookie { name, value: &value, shared, seconds, http_only, secure, cross_site }.write(now)
            })
            .into()
    }

    /// Returns the cookies that every answer to a signed-in browser sets anew.
    pub(super) fn fresh_cookies(&mut self, now: Millis) -> Vec<String> {
        let names = [("SIDCC", false, false), ("__Secure-1PSIDCC", true, false), ("__Secure-3PSIDCC", true, true)];
        names
            .map(|(name, secure, cross_site)| {
                let value = format!("AKEyX{}", self.chance.letters(50));
                let seconds = Some(LONG_S / 2);
                Cookie { name, value: &value, shared: true, seconds, http_only: secure, secure, cross_site }.write(now)
            })
            .into()
    }

    /// Returns the cookie that binds a session to the host of the product.
    pub(super) fn binding_cookie(&self, now: Millis, call: &Call, sid: &str) -> String {
        let value = self.osid(call, sid);
        let seconds = self.switches.persistent_cookies.then_some(LONG_S);
        let (shared, http_only, secure, cross_site) = (false, true, true, false);
        Cookie { name: "OSID", value: &value, shared, seconds, http_only, secure, cross_site }.write(now)
    }

    /// Returns cookies that take all those of a session away.
    pub(super) fn farewell(&self, now: Millis) -> Vec<String> {
        let names = ["SID", "HSID", "SSID", "APISID", "SAPISID", "__Secure-1PAPISID", "__Secure-3PAPISID"];
        let more = ["__Secure-1PSID", "__Secure-3PSID", "__Secure-1PSIDTS", "__Secure-3PSIDTS", "SIDCC"];
        let write = |(name, shared)| {
            let (seconds, http_only, cross_site) = (Some(0), true, false);
            Cookie { name, value: "", shared, seconds, http_only, secure: true, cross_site }.write(now)
        };
        let shared = names.into_iter().chain(more).map(|name| (name, true));
        shared.chain([("LSID", false)]).map(write).collect()
    }

    /// Finds the account that a request means: by number or by address. One that is not signed in is taken for the
    /// first, which is why notebooks of another are told as not found then.
    pub(super) fn person_of(&self, sid: &str, authuser: Option<&str>) -> Option<(usize, String)> {
        let people = &self.sessions.get(sid)?.people;
        let wanted = authuser.unwrap_or("0");
        let at = wanted.parse::<usize>().ok().or_else(|| people.iter().position(|email| email == wanted));
        let at = at.filter(|at| *at < people.len()).unwrap_or(0);
        Some((at, people.get(at)?.clone()))
    }

    /// Returns a token for a page of a person.
    pub(super) fn new_token(&self, now: Millis, sid: &str, email: &str) -> String {
        format!("{}:{now}", self.chance.seal("at", &format!("{sid}/{email}/{now}")))
    }

    /// Tells whether a token is one of a page of a person, and young enough.
    pub(super) fn is_token(&self, now: Millis, sid: &str, email: &str, token: &str) -> bool {
        let Some((seal, moment)) = token.rsplit_once(':') else { return false };
        let Ok(moment) = moment.parse::<Millis>() else { return false };
        let young = now - moment <= i64::from(self.switches.token_s) * 1000;
        let from = self.sessions.get(sid).map_or(Millis::MAX, |session| session.tokens_from_ms);
        young && moment >= from && seal == self.chance.seal("at", &format!("{sid}/{email}/{moment}"))
    }

    /// Ends sessions: all, or those in which somebody is signed in. Returns how many.
    pub(super) fn revoke(&mut self, email: Option<&str>) -> usize {
        let before = self.sessions.len();
        self.sessions.retain(|_, session| email.is_some_and(|email| !session.people.iter().any(|one| one == email)));
        self.touch();
        before - self.sessions.len()
    }

    /// Makes the tokens of all pages stale that were loaded until now.
    pub(super) fn age_tokens(&mut self, now: Millis) {
        for session in self.sessions.values_mut() {
            session.tokens_from_ms = now + 1;
        }
        self.touch();
    }
}
