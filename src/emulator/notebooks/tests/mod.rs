//! The part as a browser, a client and a program of the enterprise product meet it.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks at what it is about")]

mod chats;
mod enterprises;
mod faulty;
mod operations;
mod shapes;
mod signing_in;
mod uploads;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Notebooks;
use super::model::Millis;
use super::reply::Reply;
use crate::emulator::call::{Call, pairs};
use crate::notebooklm::bootstrap::{Page, Tokens, read_page};
use crate::notebooklm::call::{self, ChatCall, Request};
use crate::notebooklm::form;
use crate::notebooklm::ids::Overrides;
use crate::notebooklm::reply::{self, Outcome};

/// Where the product is, for tests.
pub(super) const APP: &str = "notebook.google.localhost:8080";

/// Where people sign in, for tests.
pub(super) const ACCOUNTS: &str = "accounts.google.localhost:8080";

/// A moment in November 2026.
pub(super) const NOON: Millis = 1_795_000_000_000;

/// A browser with its cookies, and the world that it meets.
pub(super) struct Browser {
    pub(super) world: Notebooks,
    pub(super) now: Millis,
    pub(super) cookies: BTreeMap<String, String>,
    pub(super) tokens: Option<Tokens>,
    /// Whether it says from where it asks, as browsers do.
    pub(super) is_browser: bool,
}

impl Browser {
    /// Starts a browser that nobody is signed in to, in a world with the seed.
    pub(super) fn new() -> Self {
        let mut world = Notebooks::new([3; 16]);
        world.seed(NOON);
        world.switches.processing_ms = 2_000;
        Self { world, now: NOON, cookies: BTreeMap::new(), tokens: None, is_browser: true }
    }

    /// The same, in which the demo account is signed in and the page is open.
    pub(super) fn signed_in() -> Self {
        let mut browser = Self::new();
        browser.sign_in("demo@example.com", "");
        browser.open("/");
        browser
    }

    /// Sends a request and keeps the cookies that come back.
    pub(super) fn send(
        &mut self,
        method: &str,
        host: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut kept: Vec<(String, String)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        kept.push(("cookie".to_owned(), cookies.join("; ")));
        if self.is_browser {
            kept.push(("sec-fetch-mode".to_owned(), "navigate".to_owned()));
        }
        let content_type = headers.iter().find(|(name, _)| *name == "content-type").map_or("", |(_, value)| value);
        let call = Call {
            method: method.to_owned(),
            path: path.to_owned(),
            segments: path.trim_start_matches('/').split('/').map(crate::emulator::call::decode).collect(),
            query: pairs(query),
            raw_query: query.to_owned(),
            host: host.to_owned(),
            headers: kept,
            bearer: headers.iter().find(|(name, _)| *name == "bearer").map(|(_, value)| (*value).to_owned()),
            content_type: content_type.to_owned(),
            body: body.to_vec(),
            ..Call::default()
        };
        let reply = self.world.answer(self.now, &call);
        for (_, cookie) in reply.headers.iter().filter(|(name, _)| *name == "set-cookie") {
            let (name, rest) = cookie.split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            if cookie.contains("Max-Age=0;") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        reply
    }

    /// Types a name and a password; `more` is added to the address of the first step.
    pub(super) fn sign_in(&mut self, email: &str, more: &str) -> Reply {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let onwards = form::encode(&format!("http://{APP}/"));
        let body = format!("identifier={}&continue={onwards}", form::encode(email));
        let reply = self.send("POST", ACCOUNTS, &format!("/v3/signin/identifier?x=1{more}"), &form, body.as_bytes());
        let next = location(&reply);
        assert!(next.starts_with("/v3/signin/challenge/pwd?"), "{next}");
        let body = format!("{body}&Passwd={}", super::PASSWORD);
        self.send("POST", ACCOUNTS, &next, &form, body.as_bytes())
    }

    /// Opens a page of the product and takes its tokens.
    pub(super) fn open(&mut self, target: &str) {
        let reply = self.send("GET", APP, target, &[], b"");
        match read_page(&text(&reply)) {
            Page::App(tokens) => self.tokens = Some(tokens),
            other => panic!("{other:?}: {}", text(&reply)),
        }
    }

    /// Sends a request of the page.
    pub(super) fn request(&mut self, request: &Request) -> Reply {
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        self.send("POST", APP, &request.path_and_query(), &headers, request.body.as_bytes())
    }

    /// Makes a call and reads what came of it.
    pub(super) fn call(&mut self, call: &call::Call) -> Outcome {
        let tokens = self.tokens.clone().unwrap();
        let reply = self.request(&call.encode(&tokens.as_session("en"), &Overrides::default()));
        let retry = reply.headers.iter().find(|(name, _)| *name == "retry-after").map(|(_, value)| value.as_str());
        reply::read(reply.status, retry, &text(&reply), call.operation.wire_id())
    }

    /// Makes a call that must be answered.
    pub(super) fn result(&mut self, call: &call::Call) -> Value {
        match self.call(call) {
            Outcome::Result(value) => value,
            other => panic!("{}: {other:?}", call.operation),
        }
    }

    /// Asks a question.
    pub(super) fn ask(&mut self, call: &ChatCall) -> Reply {
        let tokens = self.tokens.clone().unwrap();
        self.request(&call.encode(&tokens.as_session("en")))
    }

    /// Makes an admin call.
    pub(super) fn admin(&mut self, method: &str, name: &str, body: &Value) -> Value {
        let call = Call { method: method.to_owned(), body: body.to_string().into_bytes(), ..Call::default() };
        let rest: Vec<&str> = name.split('/').collect();
        let answer = self.world.admin(self.now, &call, &rest).unwrap_or_else(|answer| {
            panic!("{name}: {}", String::from_utf8_lossy(&answer.body));
        });
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Finds a notebook of the seed by a part of its title.
    pub(super) fn notebook(&self, title: &str) -> super::Notebook {
        self.world.notebooks.values().find(|notebook| notebook.title.contains(title)).unwrap().clone()
    }

    /// Orders a fault.
    pub(super) fn fault(&mut self, fault: &str, operation: &str) {
        let body = json!({"fault": fault, "match": {"operation": operation}});
        self.admin("POST", "notebooks:faults", &body);
    }
}

/// Returns the whole body of an answer.
pub(super) fn text(reply: &Reply) -> String {
    reply.pieces.iter().map(|piece| String::from_utf8_lossy(&piece.bytes).into_owned()).collect()
}

/// Returns where an answer leads to.
pub(super) fn location(reply: &Reply) -> String {
    let found = reply.headers.iter().find(|(name, _)| *name == "location");
    found.unwrap_or_else(|| panic!("{}: {}", reply.status, text(reply))).1.clone()
}
