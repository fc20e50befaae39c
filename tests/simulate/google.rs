//! Google as the daemon meets it: documents on the Docs model, a change feed, and a network that loses answers.

use std::collections::BTreeMap;

use mcp_workspace::gdocs::{self, Document, Paragraph, Request};
use mcp_workspace::kinds::Fetched;
use mcp_workspace::kinds::docs::{self, Access};
use mcp_workspace::model::{Cursor, ItemId, Revision};
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::ledger::{Ledger, tokens};

/// One document.
#[derive(Debug)]
struct Doc {
    document: Document,
    revision: u64,
}

/// A push that was sent and whose sender is gone or tired of waiting; it may arrive yet.
#[derive(Debug)]
pub(crate) struct Late {
    item: ItemId,
    revision: Revision,
    requests: Vec<Value>,
}

/// What became of a push.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Landed {
    Yes,
    Stale,
    /// With Google's words.
    Refused(String),
}

/// All of Google.
#[derive(Debug, Default)]
pub(crate) struct Google {
    docs: BTreeMap<ItemId, Doc>,
    /// The item and revision of every change, in order; a cursor is a length of it.
    feed: Vec<(ItemId, u64)>,
    pub(crate) late: Vec<Late>,
    seed: u64,
    /// Pushes that were carried out.
    pub(crate) pushes: u64,
}

impl Google {
    /// Makes a document that says `text`.
    pub(crate) fn create(&mut self, name: &str, text: &str) {
        let mut document = gdocs::new_document(name, &format!("Title {name}"));
        let raw = serde_json::to_vec(&document).unwrap();
        for plan in docs::plan_creation(&raw, text).unwrap() {
            self.seed += 1;
            let requests = gdocs::read_requests(&plan.requests).unwrap();
            document = gdocs::apply(&document, &requests, self.seed).unwrap().document;
        }
        self.docs.insert(ItemId(name.into()), Doc { document, revision: 1 });
    }

    /// Returns the ids of all documents.
    pub(crate) fn items(&self) -> Vec<ItemId> {
        self.docs.keys().cloned().collect()
    }

    /// Reads a document.
    pub(crate) fn fetch(&self, item: &ItemId) -> Fetched {
        let Doc { document, revision } = &self.docs[item];
        let mut document = document.clone();
        document.revision_id = Some(format!("r{revision}"));
        let url = format!("https://docs.google.com/document/d/{item}/edit");
        docs::read(serde_json::to_vec(&document).unwrap(), Access::Edit, &url).unwrap()
    }

    /// Returns all text of a document.
    pub(crate) fn text(&self, item: &ItemId) -> String {
        paragraphs(&self.docs[item].document).map(|(_, paragraph)| paragraph.text()).collect()
    }

    /// Reads the change feed.
    pub(crate) fn changes(&self, cursor: Option<&Cursor>) -> (Vec<ItemId>, Cursor) {
        let from = cursor.map_or(self.feed.len(), |cursor| cursor.0.parse().unwrap());
        let changed = self.feed[from..].iter().map(|(item, _)| item.clone()).collect();
        (changed, Cursor(self.feed.len().to_string()))
    }

    /// Returns what the feed said up to a cursor.
    pub(crate) fn fed(&self, cursor: &Cursor) -> &[(ItemId, u64)] {
        &self.feed[..cursor.0.parse::<usize>().unwrap()]
    }

    /// Carries out a push that requires `revision`; `None` requires none, as no client of ours may ask.
    pub(crate) fn push(
        &mut self,
        item: &ItemId,
        revision: Option<&Revision>,
        requests: &[Value],
        ledger: &mut Ledger,
    ) -> Landed {
        let doc = self.docs.get_mut(item).unwrap();
        if revision.is_some_and(|revision| revision.0 != format!("r{}", doc.revision)) {
            return Landed::Stale;
        }
        let requests: Vec<Request> = gdocs::read_requests(requests).unwrap();
        self.seed += 1;
        match gdocs::apply(&doc.document, &requests, self.seed) {
            Ok(after) => doc.document = after.document,
            Err(refusal) => return Landed::Refused(refusal.message),
        }
        doc.revision += 1;
        self.pushes += 1;
        self.feed.push((item.clone(), doc.revision));
        ledger.pushed(item, &self.text(item));
        Landed::Yes
    }

    /// Keeps a push that may arrive later.
    pub(crate) fn keep(&mut self, item: &ItemId, revision: &Revision, requests: &[Value]) {
        self.late.push(Late { item: item.clone(), revision: revision.clone(), requests: requests.to_vec() });
    }

    /// A push that nobody waits for arrives.
    pub(crate) fn arrive(&mut self, at: usize, ledger: &mut Ledger) -> Landed {
        let Late { item, revision, requests } = self.late.swap_remove(at);
        self.push(&item, Some(&revision), &requests, ledger)
    }

    /// Another person edits a document: writes a word, a paragraph, or removes one.
    pub(crate) fn collaborate(&mut self, item: &ItemId, dice: &mut Dice<'_>, ledger: &mut Ledger) {
        let doc = self.docs.get_mut(item).unwrap();
        let all: Vec<(u32, u32, String)> = paragraphs(&doc.document)
            .map(|(start, paragraph)| {
                let text = paragraph.text();
                (start, start + text.encode_utf16().count() as u32, text)
            })
            .collect();
        let (start, end, text) = all[dice.roll(all.len())].clone();
        let is_last = end == all.last().map_or(0, |(_, end, _)| *end);
        let token = ledger.new_token('r');
        let insert =
            |index: u32, text: String| json!({ "insertText": { "location": { "index": index }, "text": text } });
        let request = match dice.roll(6) {
            0 if all.len() > 5 && !is_last && !text.trim().is_empty() => {
                // Who removes a paragraph has seen what stands in it.
                tokens(&text).for_each(|token| ledger.given_up(token));
                ledger.given_up(&token);
                json!({ "deleteContentRange": { "range": { "startIndex": start, "endIndex": end } } })
            }
            1 | 2 => insert(start, format!("{token} more\n")),
            3 => insert(start, format!("{token} ")),
            _ => insert(end - 1, format!(" {token}")),
        };
        let requests = gdocs::read_requests(&[request]).unwrap();
        self.seed += 1;
        doc.document = gdocs::apply(&doc.document, &requests, self.seed).unwrap().document;
        doc.revision += 1;
        self.feed.push((item.clone(), doc.revision));
        ledger.collaborated(item, &self.text(item));
    }
}

/// The paragraphs of a body with their first indices.
fn paragraphs(document: &Document) -> impl Iterator<Item = (u32, &Paragraph)> {
    let tabs = document.tabs.iter().filter_map(|tab| tab.document_tab.as_ref());
    let content = tabs.filter_map(|tab| tab.body.as_ref()).flat_map(|body| &body.content);
    content.filter_map(|element| Some((element.start_index.utf16(), element.paragraph.as_ref()?)))
}
