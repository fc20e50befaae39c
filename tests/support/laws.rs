//! The laws of the format, checked on one document and one edit of one of its files.

use mcp_workspace::error::Error;
use mcp_workspace::gdocs::{self, Document};
use mcp_workspace::kinds::docs::{self, Access};
use mcp_workspace::kinds::{Fetched, PushPlan};
use mcp_workspace::mebdf;
use serde_json::Value;

use super::arithmetic::Text;
use super::identities::{self, Batch};
use super::order;

const URL: &str = "https://docs.google.com/document/d/x/edit";

/// More plans than one edit can ask for.
const PLANS_MAX: usize = 6;

/// Plans after which an edit that was refused in part has come to rest.
const ROUNDS_TO_REST: usize = 3;

/// What became of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It says what the document says.
    Nothing,
    /// All of it arrived.
    Arrived,
    /// A part of it was refused or held, and told.
    Told,
    /// The plan did not stand the check on the model; nothing was sent.
    Rejected,
}

/// Reads a raw document.
pub(crate) fn fetched(raw: &Value) -> Fetched {
    docs::read(serde_json::to_vec(raw).unwrap(), Access::Edit, URL).unwrap()
}

/// Checks that the files of a document are in canonical form and that saving them unchanged sends nothing.
pub(crate) fn check_unedited(raw: &Value) -> Fetched {
    let remote = fetched(raw);
    for part in &remote.parts {
        let parsed = mebdf::parse(&part.text);
        assert_eq!(mebdf::print(&parsed.tree), part.text, "law 1: what is printed is canonical");
        let whole = Fetched { reading: mcp_workspace::kinds::Reading::default(), ..remote.clone() };
        let plan = docs::plan(&whole, &part.id, &format!("{}\n", part.text), false).unwrap();
        assert!(plan.requests.is_empty() && plan.refused.is_empty() && plan.holds.is_empty(), "law 3: {plan:#?}");
    }
    remote
}

/// Checks the laws for an edit of the part at `part`.
pub(crate) fn check_edit(raw: &Value, remote: &Fetched, part: usize, edited: &str) -> Fate {
    let id = &remote.parts[part].id;
    let mut raw = raw.clone();
    let mut remote = remote.clone();
    let mut fate = Fate::Nothing;
    for _ in 0..PLANS_MAX {
        let plan = match docs::plan(&remote, id, edited, false) {
            Ok(plan) => plan,
            Err(Error::PlanRejected { .. }) => return Fate::Rejected,
            Err(error) => panic!("a plan is made or rejected, but: {error}"),
        };
        for notice in plan.refused.iter().chain(&plan.holds) {
            if std::env::var_os("SEED").is_some() {
                println!("told: {notice}");
            }
            assert!(!notice.message.is_empty() && !notice.code.is_empty());
        }
        let told = !plan.refused.is_empty() || !plan.holds.is_empty();
        if !plan.holds.is_empty() {
            assert!(plan.requests.is_empty(), "what is held is not sent");
        }
        if told {
            fate = Fate::Told;
        }
        if std::env::var_os("SEED").is_some() {
            let kinds =
                plan.requests.iter().map(|request| request.as_object().unwrap().keys().next().unwrap().as_str());
            println!("planned: {} (again: {})", kinds.collect::<Vec<_>>().join(" "), plan.again);
            if std::env::var_os("REQUESTS").is_some() {
                plan.requests.iter().for_each(|request| println!("  {request}"));
            }
        }
        if plan.requests.is_empty() {
            return fate;
        }
        raw = carried_out(&raw, &plan, (part, &remote.parts[part].text, edited));
        remote = fetched(&raw);
        if fate == Fate::Nothing {
            fate = Fate::Arrived;
        }
        if !plan.again {
            break;
        }
    }
    // Law 4: what was sent has arrived, so nothing is left to push. Where a part was refused, what it left may be read
    // otherwise by the next plan, but that comes to rest.
    let rounds = if fate == Fate::Told { ROUNDS_TO_REST } else { 0 };
    for round in 0..=rounds {
        let plan = match docs::plan(&remote, id, edited, false) {
            Ok(plan) => plan,
            Err(Error::PlanRejected { .. }) if fate == Fate::Told => return fate,
            Err(error) => panic!("law 4: the edit has arrived, and yet it cannot be planned: {error}"),
        };
        if plan.requests.is_empty() {
            break;
        }
        assert!(
            round < rounds,
            "law 4: the edit has arrived ({fate:?}), and yet {:#?}\nthe document says:\n{}",
            plan.requests,
            remote.parts[part].text
        );
        raw = carried_out(&raw, &plan, (part, &remote.parts[part].text, edited));
        remote = fetched(&raw);
    }
    fate
}

/// Carries out a plan on the model, compares its effect on text with plain arithmetic, and checks that nothing moves but
/// what differs between the file of the part and the file as it was edited.
fn carried_out(raw: &Value, plan: &PushPlan, (tab, file, edited): (usize, &str, &str)) -> Value {
    let document: Document = serde_json::from_value(raw.clone()).unwrap();
    let requests = gdocs::read_requests(&plan.requests).unwrap();
    let (applied, traces) = gdocs::apply_traced(&document, &requests, 7).unwrap();
    let after = serde_json::to_value(&applied.document).unwrap();
    order::check(&plan.requests, identities::tab_id(raw, tab));
    let mut text = Text::of(raw);
    if plan.requests.iter().all(|request| text.carry_out(request).is_some()) {
        let model = Text::of(&after);
        for (key, units) in text.segments() {
            let shown = |units: &[u16]| String::from_utf16_lossy(units);
            // A footnote goes with its reference.
            let Some(found) = model.segment_units(key) else { continue };
            assert_eq!(shown(units), shown(found), "arithmetic and the model differ in {key:?}");
        }
    }
    identities::check(&Batch { before: raw, after: &after, traces: &traces, tab, files: (file, edited) });
    after
}
