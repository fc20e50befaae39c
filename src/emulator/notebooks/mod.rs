//! NotebookLM ("Gemini Notebook"): its web page with all that the page asks, the sign-in before it, and the enterprise
//! product's published interface, over notebooks that live here.
//!
//! Pure: a request and the moment go in, an answer comes out, which may come in pieces over time. The door waits, writes
//! and draws the salt; see [`Notebooks::answer`], [`Notebooks::goes_on`] and [`Notebooks::changes`].
//!
//! The rows are shaped as recorded answers of 2026 are. What no recording shows is the least that its readers need.

mod accounts;
mod adding;
mod admin;
mod app;
mod asked;
mod chance;
mod chat;
mod cookies;
mod document;
mod draft;
mod enterprise;
mod faults;
mod generate;
mod hosts;
mod log;
mod making;
mod model;
mod on_account;
mod on_notebooks;
mod on_notes;
mod on_sources;
mod pages;
mod parse;
mod reading;
mod reply;
mod rows;
mod rpc;
mod seed;
mod sessions;
mod switches;
#[cfg(test)]
mod tests;
mod upload;
mod words;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use self::chance::Chance;
use self::faults::Fault;
use self::hosts::{Host, host_of};
use self::log::{Heard, Logged};
use self::model::{DriveFile, Notebook, Person, Plan, WebPage};
use self::sessions::{Session, Who};
use self::switches::Switches;
use crate::emulator::call::Call;
use crate::emulator::{DEMO_ACCOUNT, errors};

pub(in crate::emulator) use self::model::Millis;
pub(in crate::emulator) use self::reply::{Ending, Reply};

/// Bytes that an upload may have.
pub(in crate::emulator) const UPLOAD_BYTES: usize = 200 << 20;

/// What everybody types to sign in, unless another password was set.
const PASSWORD: &str = "demo-password";

/// A second account that can be signed in beside the first.
const OTHER_ACCOUNT: &str = "other@example.com";

/// All of NotebookLM.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::emulator) struct Notebooks {
    chance: Chance,
    /// Counts changes, for who keeps this on disk.
    changes: u64,
    /// How far the clock here is ahead, which an admin call sets.
    ahead_ms: Millis,
    switches: Switches,
    people: BTreeMap<String, Person>,
    sessions: BTreeMap<String, Session>,
    notebooks: BTreeMap<String, Notebook>,
    drive: BTreeMap<String, DriveFile>,
    web: BTreeMap<String, WebPage>,
    /// The sources whose bytes are awaited, by the id of the upload.
    uploads: BTreeMap<String, String>,
    faults: Vec<Fault>,
    #[serde(skip)]
    log: VecDeque<Logged>,
    #[serde(skip)]
    cancelled: BTreeSet<String>,
}

/// Tells whether a request is for what is served here: by its host, or by the path of the enterprise product.
pub(in crate::emulator) fn claims(call: &Call) -> bool {
    is_served(&call.host) && !call.path.starts_with("/admin/")
        || call.path.starts_with("/v1alpha/")
        || call.path.starts_with("/upload/v1alpha/")
}

/// Tells whether a `Host` header has one of the names that are served here. They never leave this machine.
pub(in crate::emulator) fn is_served(host: &str) -> bool {
    host_of(&Call { host: host.to_owned(), ..Call::default() }).is_some()
}

impl Notebooks {
    /// Begins with two people and nothing else. The salt makes ids and tokens different from those of any other run.
    pub(in crate::emulator) fn new(salt: [u8; 16]) -> Self {
        let mut notebooks = Self {
            chance: Chance::new(salt),
            changes: 0,
            ahead_ms: 0,
            switches: Switches::default(),
            people: BTreeMap::new(),
            sessions: BTreeMap::new(),
            notebooks: BTreeMap::new(),
            drive: BTreeMap::new(),
            web: BTreeMap::new(),
            uploads: BTreeMap::new(),
            faults: Vec::new(),
            log: VecDeque::new(),
            cancelled: BTreeSet::new(),
        };
        notebooks.add_person(DEMO_ACCOUNT, "Demo Account", Plan::PRO);
        notebooks.add_person(OTHER_ACCOUNT, "Other Account", Plan::FREE);
        notebooks
    }

    /// Returns how often anything changed that is worth keeping. As long as it stays, nothing has to be written.
    pub(in crate::emulator) const fn changes(&self) -> u64 {
        self.changes
    }

    /// Tells whether a stream goes on, or was cancelled.
    pub(in crate::emulator) fn goes_on(&self, stream: &str) -> bool {
        !self.cancelled.contains(stream)
    }

    /// Answers a request.
    ///
    /// The enterprise product's calls must have been let in by their bearer before: whose it is, the door knows.
    pub(in crate::emulator) fn answer(&mut self, now: Millis, call: &Call) -> Reply {
        let now = now.saturating_add(self.ahead_ms);
        let mut heard = Heard::of(call);
        let fault = self.take_fault(&heard, call);
        let reply = match fault.as_ref().and_then(|fault| fault.instead(call)) {
            Some(reply) => reply,
            None => self.dispatch(now, call, fault.as_ref(), &mut heard),
        };
        let reply = match &fault {
            Some(fault) => fault.after(reply),
            None => reply,
        };
        let reply = self.with_fresh_cookies(now, call, reply);
        self.note(now, call, heard, &reply, fault.as_ref());
        reply
    }

    fn dispatch(&mut self, now: Millis, call: &Call, fault: Option<&Fault>, heard: &mut Heard) -> Reply {
        if call.path.starts_with("/v1alpha/") || call.path.starts_with("/upload/v1alpha/") {
            return self.enterprise(now, call);
        }
        match host_of(call) {
            Some(Host::Accounts) => self.accounts(now, call),
            Some(host @ (Host::App | Host::Legacy)) => self.app(now, call, host, fault, heard),
            None => errors::no_route(&format!("{} {}", call.method, call.path)).into(),
        }
    }

    /// Adds what every answer to a signed-in browser has.
    fn with_fresh_cookies(&mut self, now: Millis, call: &Call, mut reply: Reply) -> Reply {
        if host_of(call).is_none() {
            return reply;
        }
        if let Who::Somebody { sid, renew, .. } = self.who(now, call) {
            let mut cookies = self.fresh_cookies(now);
            if renew && !reply.headers.iter().any(|(_, value)| value.starts_with("__Secure-1PSIDTS")) {
                cookies.extend(self.new_stamp(now, &sid));
            }
            reply.headers.extend(cookies.into_iter().map(|cookie| ("set-cookie", cookie)));
        }
        reply
    }

    /// Says that something changed.
    const fn touch(&mut self) {
        self.changes += 1;
    }

    /// Adds somebody who can sign in; one who is there already stays.
    fn add_person(&mut self, email: &str, name: &str, plan: Plan) {
        let user = format!("1{:020}", self.chance.below(usize::MAX));
        let person = Person {
            email: email.to_owned(),
            name: name.to_owned(),
            user,
            password: PASSWORD.to_owned(),
            second_step: None,
            plan,
            language: "en".to_owned(),
            asked_ms: Vec::new(),
        };
        self.people.entry(email.to_owned()).or_insert(person);
        self.touch();
    }
}
