//! The laws of the format, checked on one document and one edit of one of its files.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mcp_workspace::error::Error;
use mcp_workspace::gdocs::{self, Document, Ticks, check_items};
use mcp_workspace::kinds::docs::{self, Access};
use mcp_workspace::kinds::{Fetched, PushPlan};
use mcp_workspace::mebdf;
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;

use super::arithmetic::Text;
use super::identities::{self, Batch};
use super::kept::File;
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

/// A document, and what is read of it.
pub(crate) struct Stand {
    /// As the API answers it.
    raw: Value,
    document: Document,
    /// Its boxes that are ticked, which come from an export.
    ticks: Ticks,
    /// Its files.
    pub(crate) remote: Fetched,
    /// What each of them says, and its words: asked for once, and wanted for each edit.
    said: Vec<OnceCell<(File, Words)>>,
}

/// How often each word stands in a text.
type Words = BTreeMap<String, usize>;

impl Stand {
    /// Reads a raw document, in which every other box is ticked or so.
    pub(crate) fn of(raw: &Value) -> Self {
        let document: Document = serde_json::from_value(raw.clone()).unwrap();
        let mut ticks = Ticks::default();
        for tab in document.all_tabs() {
            for item in tab.document_tab.iter().flat_map(|content| check_items(content, "")) {
                ticks.set(tab.id(), "", item.start, item.start % 2 == 0);
            }
        }
        Self::read(raw.clone(), document, ticks)
    }

    fn read(raw: Value, document: Document, ticks: Ticks) -> Self {
        let bytes = serde_json::to_vec(&raw).unwrap();
        let remote = docs::read_exported(bytes, export(&document, &ticks), Access::Edit, URL).unwrap();
        let said = remote.parts.iter().map(|_| OnceCell::new()).collect();
        Self { raw, document, ticks, remote, said }
    }

    /// What the file of a part says, and its words.
    fn said(&self, part: usize) -> &(File, Words) {
        self.said[part].get_or_init(|| {
            let file = File::read(&self.remote.parts[part].text);
            let words = words_in(&file);
            (file, words)
        })
    }
}

/// The boxes of a document as its export shows them.
fn export(document: &Document, ticks: &Ticks) -> Vec<u8> {
    let mut export = String::new();
    for tab in document.all_tabs() {
        for item in tab.document_tab.iter().flat_map(|content| check_items(content, "")) {
            export.push_str(if ticks.has(tab.id(), "", item.start) { "- [x] " } else { "- [ ] " });
            let words = item.paragraph.elements.iter().map(words).collect::<String>();
            for c in words.chars() {
                if c.is_ascii_punctuation() {
                    export.push('\\');
                }
                export.push(if c.is_control() { ' ' } else { c });
            }
            export.push('\n');
        }
    }
    export.into_bytes()
}

/// What people read of an element.
fn words(element: &gdocs::ParagraphElement) -> String {
    let value = element.raw().map(|(_, value)| value.clone()).unwrap_or_default();
    let names = ["/personProperties/name", "/personProperties/email", "/dateElementProperties/displayText"];
    let names = names.into_iter().chain(["/richLinkProperties/title", "/richLinkProperties/uri"]);
    let name = names.filter_map(|name| value.pointer(name)?.as_str()).find(|name| !name.is_empty());
    element.text().or(name).unwrap_or_default().to_owned()
}

/// Checks that the files of a document are in canonical form and that saving them unchanged sends nothing.
pub(crate) fn check_unedited(raw: &Value) -> Rc<Stand> {
    let stand = Rc::new(Stand::of(raw));
    let remote = &stand.remote;
    for part in &remote.parts {
        let parsed = mebdf::parse(&part.text);
        assert_eq!(mebdf::print(&parsed.tree), part.text, "law 1: what is printed is canonical");
        let whole = Fetched { reading: mcp_workspace::kinds::Reading::default(), ..remote.clone() };
        let plan = docs::plan(&whole, &part.id, &format!("{}\n", part.text), false).unwrap();
        assert!(plan.requests.is_empty() && plan.refused.is_empty() && plan.holds.is_empty(), "law 3: {plan:#?}");
        assert!(plan.told.is_empty() && plan.unsaid.is_empty(), "law 3: {plan:#?}");
    }
    stand
}

/// Checks the laws for an edit of the part at `part`.
pub(crate) fn check_edit(before: &Rc<Stand>, part: usize, edited: &str) -> Fate {
    let mut after = Rc::clone(before);
    let file = &File::read(edited);
    let fate = carry_through(&mut after, part, (edited, file));
    let (old, new) = (&before.remote.parts[part].text, &after.remote.parts[part].text);
    if old == new {
        return fate;
    }
    let ((_, was), wanted, (_, is)) = (before.said(part), words_in(file), after.said(part));
    for (word, was) in was {
        let of = |counts: &Words| counts.get(word).copied().unwrap_or(0);
        let least = *was.min(&of(&wanted));
        assert!(
            of(is) >= least,
            "law 5: `{word}` stood {was} times, the file has it {} times, and the document {} times ({fate:?}):\n{new}",
            of(&wanted),
            of(is),
        );
    }
    fate
}

/// The words that people read in a file, and how often each stands there.
fn words_in(file: &File) -> Words {
    let mut counts = Words::new();
    for text in file.texts() {
        for word in text.unicode_words() {
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
    }
    counts
}

/// Pushes an edit as often as it takes, and checks the laws on the way; `stand` is then what became of the document.
fn carry_through(stand: &mut Rc<Stand>, part: usize, (edited, file): (&str, &File)) -> Fate {
    let id = stand.remote.parts[part].id.clone();
    let mut fate = Fate::Nothing;
    for _ in 0..PLANS_MAX {
        let plan = match docs::plan(&stand.remote, &id, edited, false) {
            Ok(plan) => plan,
            Err(Error::PlanRejected { .. }) => return Fate::Rejected,
            Err(error) => panic!("a plan is made or rejected, but: {error}"),
        };
        show("planned", &plan);
        for notice in plan.refused.iter().chain(&plan.told).chain(&plan.holds) {
            assert!(!notice.message.is_empty() && !notice.code.is_empty());
        }
        // A form that is read as text is told and pushed all the same.
        const AS_TEXT: [&str; 7] = [
            "UNCLOSED_FORMAT",
            "STRAY_CLOSE",
            "EMPTY_FORMAT",
            "DUPLICATE_PROPERTY",
            "MARKDOWN_IMAGE",
            "BLOCK_QUOTE",
            "LIST_IN_CELL",
        ];
        let told = plan.refused.iter().any(|notice| !AS_TEXT.contains(&&*notice.code)) || !plan.holds.is_empty();
        if !plan.holds.is_empty() {
            assert!(plan.requests.is_empty(), "what is held is not sent");
        }
        if told {
            fate = Fate::Told;
        }
        if plan.requests.is_empty() {
            return fate;
        }
        *stand = Rc::new(carried_out(stand, &plan, part, (edited, file)));
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
        let plan = match docs::plan(&stand.remote, &id, edited, false) {
            Ok(plan) => plan,
            Err(Error::PlanRejected { .. }) if fate == Fate::Told => return fate,
            Err(error) => panic!(
                "law 4: the edit has arrived, and yet it cannot be planned: {error}\n{}",
                stand.remote.parts[part].text
            ),
        };
        if plan.requests.is_empty() {
            break;
        }
        show("planned at the next save", &plan);
        assert!(
            round < rounds,
            "law 4: the edit has arrived ({fate:?}), and yet {:#?}\nthe document says:\n{}",
            plan.requests,
            stand.remote.parts[part].text
        );
        *stand = Rc::new(carried_out(stand, &plan, part, (edited, file)));
    }
    fate
}

/// Shows a plan where one pair is looked at.
fn show(what: &str, plan: &PushPlan) {
    if std::env::var_os("SEED").is_none() {
        return;
    }
    plan.refused.iter().chain(&plan.told).chain(&plan.holds).for_each(|notice| println!("told: {notice}"));
    let kinds = plan.requests.iter().map(|request| request.as_object().unwrap().keys().next().unwrap().as_str());
    println!("{what}: {} (again: {})", kinds.collect::<Vec<_>>().join(" "), plan.again);
    if std::env::var_os("REQUESTS").is_some() {
        plan.requests.iter().for_each(|request| println!("  {request}"));
    }
}

/// Carries out a plan on the model, compares its effect on text with plain arithmetic, and checks that nothing moves but
/// what differs between the file of the part and the file as it was edited.
fn carried_out(stand: &Stand, plan: &PushPlan, part: usize, edited: (&str, &File)) -> Stand {
    let requests = gdocs::read_requests(&plan.requests).unwrap();
    let (applied, traces) = gdocs::apply_traced(&stand.document, &requests, 7).unwrap();
    let ticks = stand.ticks.carried(&stand.document, &applied.document, &traces);
    let (before, after) = (&stand.raw, serde_json::to_value(&applied.document).unwrap());
    order::check(&plan.requests, identities::tab_id(before, part));
    let mut text = Text::of(before);
    if plan.requests.iter().all(|request| text.carry_out(request).is_some()) {
        let model = Text::of(&after);
        for (key, units) in text.segments() {
            let shown = |units: &[u16]| String::from_utf16_lossy(units);
            // A footnote goes with its reference.
            let Some(found) = model.segment_units(key) else { continue };
            assert_eq!(shown(units), shown(found), "arithmetic and the model differ in {key:?}");
        }
    }
    let old = stand.remote.parts[part].text.as_str();
    let files = [(old, &stand.said(part).0), edited];
    let lost = plan.told.iter().any(|notice| notice.code == "LOOK_LOST");
    let instead = (!plan.refused.is_empty()).then(|| File::read(&plan.expected));
    let instead = instead.as_ref();
    identities::check(&Batch { before, after: &after, traces: &traces, tab: part, files, instead, lost });
    Stand::read(after, applied.document, ticks)
}
