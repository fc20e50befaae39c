//! The host of the product: its pages, the way to sign in, and where its calls go.

use super::faults::{Fault, gate};
use super::hosts::{Host, origin};
use super::log::Heard;
use super::model::{Millis, Notebook};
use super::pages::{self, Facts};
use super::reply::Reply;
use super::sessions::Who;
use super::switches::SignedOut;
use super::{Notebooks, rpc};
use crate::emulator::call::Call;
use crate::emulator::errors;
use crate::notebooklm::form::encode;

impl Notebooks {
    /// Answers a request to the host of the product.
    pub(super) fn app(
        &mut self,
        now: Millis,
        call: &Call,
        host: Host,
        fault: Option<&Fault>,
        heard: &mut Heard,
    ) -> Reply {
        let path = call.path.as_str();
        match call.method.as_str() {
            "GET" if path == "/" && call.parameter("location") == Some("unsupported") => pages::unsupported(),
            "GET" if path == "/" && host == Host::Legacy => {
                let query = if call.raw_query.is_empty() { String::new() } else { format!("?{}", call.raw_query) };
                Reply::redirect(302, &format!("{}/{query}", origin(call, Host::App)))
            }
            "GET" if path == "/" || path.starts_with("/notebook/") => self.show_page(now, call, heard),
            "GET" if path == "/login" => self.login(now, call),
            "POST" if rpc::is_batch(path) => self.batch(now, call, fault, heard),
            "POST" if rpc::is_chat(path) => self.stream(now, call, fault, heard),
            "POST" | "PUT" if path.trim_end_matches('/') == "/upload/_" => self.upload(now, call, heard),
            "POST" if path == "/_/LabsTailwindUi/cspreport" => Reply::new(204, "text/plain; charset=utf-8", ""),
            _ => errors::no_route(&format!("{} {path}", call.method)).into(),
        }
    }

    /// Shows the product's page to who is signed in.
    fn show_page(&mut self, now: Millis, call: &Call, heard: &mut Heard) -> Reply {
        if self.switches.gate {
            return gate(call);
        }
        let sid = match self.who(now, call) {
            Who::Somebody { sid, .. } => sid,
            Who::Unfit => return mismatch(call),
            Who::Nobody { .. } => {
                return match self.switches.signed_out {
                    SignedOut::Landing => pages::landing(),
                    SignedOut::Redirect => to_sign_in(call),
                };
            }
        };
        let Some((index, email)) = self.person_of(&sid, call.parameter("authuser")) else {
            return to_sign_in(call);
        };
        heard.account = Some(email.clone());
        let token = self.new_token(now, &sid, &email);
        let (session, nonce) = (self.chance.number(), self.chance.letters(22));
        let Some(person) = self.people.get(&email) else { return to_sign_in(call) };
        let build = &self.switches.build;
        let shown = call.path.strip_prefix("/notebook/").and_then(|id| self.notebooks.get(id));
        let body = match shown.filter(|notebook| notebook.role(&email).is_some()) {
            Some(notebook) => pages::one(person, notebook, now),
            None => pages::list(person, &self.listed(&email)),
        };
        let facts = Facts { token, session, nonce, build, index, person };
        pages::app(&facts, &origin(call, Host::App), &body).with("set-cookie", self.binding_cookie(now, call, &sid))
    }

    /// Answers the question whether somebody is signed in, by where it leads.
    fn login(&self, now: Millis, call: &Call) -> Reply {
        if self.switches.gate {
            return gate(call);
        }
        match self.who(now, call) {
            Who::Somebody { .. } => {
                let user = call.parameter("authuser").map(|user| format!("?authuser={}", encode(user)));
                Reply::redirect(302, &format!("{}/{}", origin(call, Host::App), user.unwrap_or_default()))
            }
            Who::Unfit => mismatch(call),
            Who::Nobody { .. } => to_sign_in(call),
        }
    }

    /// Returns the notebooks that a person viewed lately, the newest first.
    pub(super) fn listed(&self, email: &str) -> Vec<&Notebook> {
        let mut listed: Vec<&Notebook> = self.notebooks.values().filter(|notebook| notebook.is_listed(email)).collect();
        let viewed = |notebook: &Notebook| notebook.viewed_ms.get(email).copied().unwrap_or(notebook.created_ms);
        listed.sort_by(|one, other| viewed(other).cmp(&viewed(one)).then_with(|| one.id.cmp(&other.id)));
        listed
    }
}

fn to_sign_in(call: &Call) -> Reply {
    let back = format!("{}/", origin(call, Host::App));
    let accounts = origin(call, Host::Accounts);
    Reply::redirect(302, &format!("{accounts}/v3/signin/identifier?continue={}&flowName=GlifWebSignIn", encode(&back)))
}

fn mismatch(call: &Call) -> Reply {
    Reply::redirect(302, &format!("{}/CookieMismatch", origin(call, Host::Accounts)))
}
