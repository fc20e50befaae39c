//! Google as the daemon meets it: documents on the Docs model, a change feed, and a network that loses answers.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mcp_workspace::gdocs::{self, Document, Paragraph, Request, SegmentTrace, StructuralElement, Tab, TableRow};
use mcp_workspace::kinds::Fetched;
use mcp_workspace::kinds::docs::{self, Access};
use mcp_workspace::model::{ItemId, PartId, Revision};
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::feed::{Log, Reach};
use crate::file::File;
use crate::ledger::{Ledger, tokens};
use crate::prose::Speech;

/// The first number that makes fresh ids; smaller ones made the documents.
const SEED: u64 = 100;

/// What somebody does to a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Writes a word to it.
    Write,
    /// Writes a new one before it.
    Add,
    /// Takes it away.
    Remove,
}

/// One document.
#[derive(Debug)]
struct Doc {
    document: Document,
    revision: u64,
    /// What is read of it by who may edit it and by who may not, until it changes.
    read: [OnceCell<Rc<Fetched>>; 2],
}

impl Doc {
    fn change(&mut self, document: Document) {
        self.document = document;
        self.revision += 1;
        self.read = Default::default();
    }
}

/// Makes a document that says `text`.
pub(crate) fn document(name: &str, text: &str) -> Document {
    let mut document = gdocs::new_document(name, &format!("Title {name}"));
    let raw = serde_json::to_vec(&document).unwrap();
    for (plan, seed) in docs::plan_creation(&raw, text).unwrap().iter().zip(1..) {
        let requests = gdocs::read_requests(&plan.requests).unwrap();
        document = gdocs::apply(&document, &requests, seed).unwrap().document;
    }
    document
}

/// Makes a document that has a second tab, which says `text`.
pub(crate) fn with_tab(document: &Document, text: &str) -> Document {
    let made = applied(document, &json!({ "addDocumentTab": { "tabProperties": { "title": "Second" } } }), 50);
    let location = json!({ "index": 1, "tabId": made.all_tabs()[1].id() });
    applied(&made, &json!({ "insertText": { "location": location, "text": text } }), 51)
}

/// A document after one request, of which fresh ids come by `seed`.
fn applied(document: &Document, request: &Value, seed: u64) -> Document {
    let requests = gdocs::read_requests(std::slice::from_ref(request)).unwrap();
    gdocs::apply(document, &requests, seed).unwrap().document
}

/// What tells which tab a main file is of.
#[derive(Debug)]
pub(crate) enum Main {
    /// It was written down.
    Of(String),
    /// The file says this, these tabs have files of their own, and nothing else is known.
    Says(String, Vec<PartId>),
    /// Nothing: it is that of the first tab.
    Unknown,
}

impl Main {
    /// What is written down.
    pub(crate) fn known(main: Option<String>) -> Self {
        main.map_or(Self::Unknown, Self::Of)
    }

    /// What was read, with the main file given to its tab.
    pub(crate) fn given(&self, fetched: Rc<Fetched>) -> Rc<Fetched> {
        match self {
            Self::Of(main) if fetched.main.as_ref() != Some(main) => Rc::new(docs::keep_main((*fetched).clone(), main)),
            Self::Says(text, others) => Rc::new(docs::adopt_main((*fetched).clone(), text, others)),
            Self::Of(_) | Self::Unknown => fetched,
        }
    }
}

/// A push that was sent and whose sender is gone or tired of waiting; it may arrive yet.
#[derive(Debug)]
pub(crate) struct Late {
    /// When it was sent.
    at: u64,
    /// By whom.
    account: usize,
    item: ItemId,
    revision: Revision,
    requests: Vec<Value>,
}

/// What became of a push.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Landed {
    Yes,
    Stale,
    /// The account may not edit the document, or does not see it.
    Denied(Reach),
    /// With Google's words.
    Refused(String),
}

/// So many tabs a document has at most.
const TABS_MAX: usize = 3;

/// How late a push arrives at most.
const LATE_MAX_MS: u64 = 300_000;

/// All of Google.
#[derive(Debug)]
pub(crate) struct Google {
    docs: BTreeMap<ItemId, Doc>,
    pub(crate) feed: Log,
    pub(crate) late: Vec<Late>,
    seed: u64,
    /// Pushes that were carried out.
    pub(crate) pushes: u64,
    /// What documents said after each of them, as long as somebody wants to know.
    pub(crate) said: Vec<(ItemId, String)>,
}

impl Google {
    /// A Google that has these documents.
    pub(crate) fn with(documents: &[(&str, Document)]) -> Self {
        let doc = |document: &Document| Doc { document: document.clone(), revision: 1, read: Default::default() };
        let docs = documents.iter().map(|(name, document)| (ItemId((*name).into()), doc(document)));
        Self { docs: docs.collect(), feed: Log::default(), late: Vec::new(), seed: SEED, pushes: 0, said: Vec::new() }
    }

    /// Returns the ids of all documents.
    pub(crate) fn items(&self) -> Vec<ItemId> {
        self.docs.keys().cloned().collect()
    }

    /// Reads a document as an account that may edit it.
    pub(crate) fn fetch(&self, item: &ItemId) -> Rc<Fetched> {
        self.read(item, Access::Edit)
    }

    /// Reads a document as an account; `None` when it does not see it.
    pub(crate) fn fetch_as(&self, account: usize, item: &ItemId) -> Option<Rc<Fetched>> {
        match self.feed.reach(account, item) {
            Reach::Edit => Some(self.read(item, Access::Edit)),
            Reach::Read => Some(self.read(item, Access::Read)),
            Reach::Trash | Reach::Nothing => None,
        }
    }

    /// Returns what an account reads that does not ask whether a document is in the trash.
    pub(crate) fn fetch_anywhere(&self, account: usize, item: &ItemId) -> Option<Rc<Fetched>> {
        let is_trashed = self.feed.reach(account, item) == Reach::Trash;
        if is_trashed { Some(self.read(item, Access::Edit)) } else { self.fetch_as(account, item) }
    }

    fn read(&self, item: &ItemId, access: Access) -> Rc<Fetched> {
        let Doc { document, revision, read } = &self.docs[item];
        let reading = || {
            let mut document = document.clone();
            // Google tells it to those alone who may edit.
            document.revision_id = (access == Access::Edit).then(|| format!("r{revision}"));
            let url = format!("https://docs.google.com/document/d/{item}/edit");
            Rc::new(docs::read_model(document, access, &url))
        };
        Rc::clone(read[usize::from(access != Access::Edit)].get_or_init(reading))
    }

    /// Checks that the answers of Google's wire would say what was read of its documents.
    pub(crate) fn check_answers(&self) {
        for (item, Doc { document, .. }) in &self.docs {
            let fetched = self.read(item, Access::Read);
            let answer = Document { revision_id: None, ..document.clone() };
            let answer = docs::read(serde_json::to_vec(&answer).unwrap(), Access::Read, &fetched.url).unwrap();
            assert_eq!(answer.parts, fetched.parts, "the answer that is {item} says something else");
        }
    }

    /// Changes what an account may do with a document.
    pub(crate) fn set_reach(&mut self, account: usize, item: &ItemId, reach: Reach) {
        self.feed.set_reach(account, item, reach, self.docs[item].revision);
    }

    /// Returns all text of a document.
    pub(crate) fn text(&self, item: &ItemId) -> String {
        let tabs = self.docs[item].document.all_tabs();
        tabs.into_iter().flat_map(paragraphs).map(|(_, paragraph)| paragraph.text()).collect()
    }

    /// Returns the text of the tab that a file is of, where the main file is that of `main`.
    pub(crate) fn text_of(&self, file: &File, main: Option<&str>) -> String {
        let tabs = self.docs[&file.item].document.all_tabs();
        let id = if file.part.0.is_empty() { main.unwrap_or(tabs[0].id()) } else { &file.part.0 };
        let tab = tabs.iter().find(|tab| tab.id() == id);
        tab.into_iter().flat_map(|tab| paragraphs(tab)).map(|(_, paragraph)| paragraph.text()).collect()
    }

    /// Returns the indices of the letters of the first tab's body that take two units.
    pub(crate) fn astral(&self, item: &ItemId) -> Vec<u32> {
        let mut found = Vec::new();
        for (start, paragraph) in paragraphs(self.docs[item].document.all_tabs()[0]) {
            let mut at = start;
            for letter in paragraph.text().chars() {
                found.extend((letter.len_utf16() == 2).then_some(at));
                at += letter.len_utf16() as u32;
            }
        }
        found
    }

    /// Carries out a push that requires `revision`; `None` requires none, as no client of ours may ask.
    pub(crate) fn push(
        &mut self,
        (account, item): (usize, &ItemId),
        revision: Option<&Revision>,
        requests: &[Value],
        ledger: &mut Ledger,
    ) -> Landed {
        let reach = self.feed.reach(account, item);
        if !matches!(reach, Reach::Edit | Reach::Trash) {
            return Landed::Denied(reach);
        }
        let doc = self.docs.get_mut(item).unwrap();
        if revision.is_some_and(|revision| revision.0 != format!("r{}", doc.revision)) {
            return Landed::Stale;
        }
        let requests: Vec<Request> = gdocs::read_requests(requests).unwrap();
        self.seed += 1;
        match gdocs::apply_traced(&doc.document, &requests, self.seed) {
            Ok((after, traces)) => {
                check_kept(item, &doc.document, &after.document, &traces);
                doc.change(after.document);
            }
            Err(refusal) => return Landed::Refused(refusal.message),
        }
        self.pushes += 1;
        self.feed.changed(item, doc.revision);
        let text = self.text(item);
        ledger.pushed(item, &text);
        self.said.push((item.clone(), text));
        Landed::Yes
    }

    /// Keeps a push that may arrive later.
    pub(crate) fn keep(&mut self, at: u64, (account, item): (usize, &ItemId), revision: &Revision, requests: &[Value]) {
        self.late.push(Late {
            at,
            account,
            item: item.clone(),
            revision: revision.clone(),
            requests: requests.to_vec(),
        });
    }

    /// Tells whether a document is still at a revision.
    pub(crate) fn stands_at(&self, item: &ItemId, revision: &Revision) -> bool {
        revision.0 == format!("r{}", self.docs[item].revision)
    }

    /// A push that nobody waits for arrives, or never does.
    pub(crate) fn arrive(&mut self, which: usize, now: u64, ledger: &mut Ledger) -> Landed {
        let Late { at, account, item, revision, requests } = self.late.swap_remove(which);
        if now.saturating_sub(at) >= LATE_MAX_MS {
            return Landed::Stale;
        }
        self.push((account, &item), Some(&revision), &requests, ledger)
    }

    /// Another person edits a document: writes a word, a paragraph, or removes one.
    pub(crate) fn collaborate(&mut self, item: &ItemId, speech: Speech, dice: &mut Dice<'_>, ledger: &mut Ledger) {
        let document = &self.docs[item].document;
        let tabs = document.all_tabs();
        let tab = tabs[if tabs.len() > 1 { dice.roll(tabs.len()) } else { 0 }];
        let tab_id = tab.id().to_owned();
        let all: Vec<(u32, u32, String)> = paragraphs(tab)
            .map(|(start, paragraph)| {
                let text = paragraph.text();
                (start, start + text.encode_utf16().count() as u32, text)
            })
            .collect();
        let what = dice.roll(8);
        // What nobody wrote is not looked for, so it would be removed to no purpose.
        let free = free_starts(tab);
        let is_said = |at: &usize| free.contains(&all[*at].0) && tokens(&all[*at].2).next().is_some();
        let said: Vec<usize> = (0..all.len()).filter(is_said).collect();
        let removes = what < 2 && all.len() > 3 && !said.is_empty();
        let has_words = |at: &usize| tokens(&all[*at].2).any(|word| all[*at].2.contains(&format!(" {word}")));
        let worded: Vec<usize> = (0..all.len()).filter(has_words).collect();
        let deletes = what == 7 && !worded.is_empty();
        let at = match (removes, deletes) {
            (true, _) => dice.pick(&said),
            (false, true) => dice.pick(&worded),
            (false, false) => dice.roll(all.len()),
        };
        let (start, end, text) = &all[at];
        let (start, end) = (*start, *end);
        let token = ledger.new_token('r');
        let insert = |index: u32, text: String| json!({ "insertText": { "location": { "index": index, "tabId": tab_id }, "text": text } });
        let delete = |start: u32, end: u32| {
            let range = json!({ "startIndex": start, "endIndex": end, "tabId": tab_id });
            json!({ "deleteContentRange": { "range": range } })
        };
        let words: Vec<&str> = tokens(text).filter(|word| text.contains(&format!(" {word}"))).collect();
        let request = match what {
            4 | 7 if !words.is_empty() && (deletes || dice.once_in(2)) => {
                let word = words[dice.roll(words.len())];
                let at = start + text[..text.find(&format!(" {word}")).unwrap()].encode_utf16().count() as u32;
                ledger.given_up(word);
                ledger.given_up(&token);
                delete(at, at + 1 + word.len() as u32)
            }
            _ if removes => {
                // Who removes a paragraph has seen what stands in it.
                tokens(text).for_each(|token| ledger.given_up(token));
                ledger.given_up(&token);
                delete(start, end)
            }
            2 | 3 if free.contains(&start) => match speech {
                Speech::Tokens => insert(start, format!("{token} more\n")),
                Speech::Prose => insert(start, format!("{}\n", speech.paragraph(dice, ledger, &token))),
            },
            4 => insert(start, format!("{} ", speech.words(dice, ledger, &token))),
            5 => {
                let gaps: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
                let at = if gaps.is_empty() { text.trim_end().len() } else { gaps[dice.roll(gaps.len())] };
                insert(
                    start + text[..at].encode_utf16().count() as u32,
                    format!(" {}", speech.words(dice, ledger, &token)),
                )
            }
            _ => insert(end - 1, format!(" {}", speech.words(dice, ledger, &token))),
        };
        self.carry_out(item, &request, ledger);
    }

    /// Another person writes a word to a paragraph of a document, writes a new one before it, or removes it; nothing happens
    /// where it has none at that place.
    pub(crate) fn edit(&mut self, item: &ItemId, (what, at): (Edit, usize), ledger: &mut Ledger) {
        let tab = self.docs[item].document.all_tabs()[0];
        let all: Vec<(u32, String)> = paragraphs(tab).map(|(start, paragraph)| (start, paragraph.text())).collect();
        // The last end of a document stays.
        let Some((start, text)) = all.get(at).filter(|_| at + 1 < all.len() || what != Edit::Remove) else { return };
        let end = start + text.encode_utf16().count() as u32;
        let insert =
            |index: u32, text: String| json!({ "insertText": { "location": { "index": index }, "text": text } });
        let request = match what {
            // Behind it where the file's words stand, too, or before it, where they need not meet.
            Edit::Write if at == 0 => insert(*start, format!("{} ", ledger.new_token('r'))),
            Edit::Write => insert(end - 1, format!(" {}", ledger.new_token('r'))),
            Edit::Add => insert(*start, format!("{}\n", ledger.new_token('r'))),
            Edit::Remove => {
                tokens(text).for_each(|token| ledger.given_up(token));
                json!({ "deleteContentRange": { "range": { "startIndex": start, "endIndex": end } } })
            }
        };
        self.carry_out(item, &request, ledger);
    }

    /// Another person adds a tab to a document, moves one, or takes one away with all that it says.
    pub(crate) fn change_tabs(&mut self, item: &ItemId, speech: Speech, dice: &mut Dice<'_>, ledger: &mut Ledger) {
        let tabs: Vec<String> = self.docs[item].document.all_tabs().iter().map(|tab| tab.id().to_owned()).collect();
        match dice.roll(4) {
            0 if tabs.len() < TABS_MAX => {
                let index = dice.roll(tabs.len() + 1);
                let properties = json!({ "title": format!("Tab {}", self.seed), "index": index });
                self.carry_out(item, &json!({ "addDocumentTab": { "tabProperties": properties } }), ledger);
                let added = self.docs[item].document.all_tabs()[index].id().to_owned();
                let token = ledger.new_token('r');
                let text = speech.paragraph(dice, ledger, &token);
                let location = json!({ "index": 1, "tabId": added });
                self.carry_out(item, &json!({ "insertText": { "location": location, "text": text } }), ledger);
            }
            1 if tabs.len() > 1 => {
                let at = dice.roll(tabs.len());
                let said: String = paragraphs(self.docs[item].document.all_tabs()[at])
                    .map(|(_, paragraph)| paragraph.text())
                    .collect();
                tokens(&said).for_each(|token| ledger.given_up(token));
                self.carry_out(item, &json!({ "deleteTab": { "tabId": tabs[at] } }), ledger);
            }
            _ if tabs.len() > 1 => {
                let properties = json!({ "tabId": tabs[dice.roll(tabs.len())], "index": dice.roll(tabs.len()) });
                let change = json!({ "tabProperties": properties, "fields": "index" });
                self.carry_out(item, &json!({ "updateDocumentTabProperties": change }), ledger);
            }
            _ => {}
        }
    }

    /// Another person replaces words in a document.
    pub(crate) fn replace(&mut self, item: &ItemId, old: &str, new: &str) {
        let found = json!({ "text": old, "matchCase": true });
        let request = json!({ "replaceAllText": { "containsText": found, "replaceText": new } });
        self.carry_out(item, &request, &mut Ledger::default());
    }

    fn carry_out(&mut self, item: &ItemId, request: &Value, ledger: &mut Ledger) {
        self.seed += 1;
        let doc = self.docs.get_mut(item).unwrap();
        doc.change(applied(&doc.document, request, self.seed));
        self.feed.changed(item, doc.revision);
        ledger.collaborated(item, &self.text(item));
    }
}

/// What stands in the body of a tab.
fn body(tab: &Tab) -> impl Iterator<Item = &StructuralElement> {
    let body = tab.document_tab.iter().filter_map(|tab| tab.body.as_ref());
    body.flat_map(|body| &body.content)
}

/// The paragraphs of a body and of its tables' cells with their first indices.
fn paragraphs(tab: &Tab) -> impl Iterator<Item = (u32, &Paragraph)> {
    body(tab).flat_map(|element| {
        let cells = element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells);
        std::iter::once(element).chain(cells.flat_map(|cell| &cell.content)).filter_map(own_paragraph)
    })
}

/// The paragraph that stands there itself, if one does.
fn own_paragraph(element: &StructuralElement) -> Option<(u32, &Paragraph)> {
    Some((element.start_index.utf16(), element.paragraph.as_ref()?))
}

/// The first indices of the paragraphs that may be removed: their ends are not those of a cell, and no table stands behind them.
fn free_starts(tab: &Tab) -> BTreeSet<u32> {
    let body = tab.document_tab.iter().filter_map(|tab| tab.body.as_ref());
    let content = body.flat_map(|body| body.content.windows(2));
    let free = content.filter(|both| both[1].table.is_none());
    free.filter_map(|both| own_paragraph(&both[0])).map(|(start, _)| start).collect()
}

/// The words of each row of each table.
fn rows(tab: &Tab) -> Vec<Vec<BTreeSet<String>>> {
    let words = |row: &TableRow| {
        let cells = row.table_cells.iter().flat_map(|cell| &cell.content).filter_map(own_paragraph);
        let texts = cells.map(|(_, paragraph)| paragraph.text());
        texts.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    body(tab)
        .filter_map(|element| element.table.as_ref())
        .map(|table| table.table_rows.iter().map(words).collect())
        .collect()
}

/// Tells whether all rows stand where they stood: each has most words in common with the one that was there.
fn are_rows_kept(before: &[Vec<BTreeSet<String>>], after: &[Vec<BTreeSet<String>>]) -> bool {
    let is_kept = |was: &Vec<BTreeSet<String>>, is: &Vec<BTreeSet<String>>| {
        let shared = |row: usize, at: usize| was[row].intersection(&is[at]).count();
        let is_nearest = |at: usize| (0..was.len()).all(|row| row == at || shared(row, at) < shared(at, at));
        was.len() == is.len() && (0..is.len()).all(is_nearest)
    };
    before.len() == after.len() && before.iter().zip(after).all(|(was, is)| is_kept(was, is))
}

/// Checks that a push leaves the very characters of the paragraphs that stand before and after it, where all of those stand in
/// one order: what is written anew loses its comments. A row that is moved is written anew, so the cells of tables count where
/// all rows stay.
fn check_kept(item: &ItemId, before: &Document, after: &Document, traces: &[SegmentTrace]) {
    let after = after.all_tabs();
    for tab in before.all_tabs() {
        let is_its = |trace: &&SegmentTrace| trace.tab_id == tab.id() && trace.segment_id.is_empty();
        let trace = traces.iter().find(is_its).expect("each body is traced");
        let same = after.iter().find(|other| other.id() == tab.id()).expect("a push takes no tab away");
        check_tab_kept(item, tab, same, trace);
    }
}

fn check_tab_kept(item: &ItemId, before: &Tab, after: &Tab, trace: &SegmentTrace) {
    let cells_count = are_rows_kept(&rows(before), &rows(after));
    let texts = |tab: &Tab| -> BTreeMap<u32, String> {
        let own: BTreeSet<u32> = body(tab).filter_map(own_paragraph).map(|(start, _)| start).collect();
        let counts = |start: &u32| cells_count || own.contains(start);
        let all = paragraphs(tab).filter(|(start, _)| counts(start));
        all.map(|(start, paragraph)| (start, paragraph.text())).collect()
    };
    let (before, after) = (texts(before), texts(after));
    let once = |texts: &BTreeMap<u32, String>| -> BTreeSet<String> {
        let mut seen: BTreeMap<&String, usize> = BTreeMap::new();
        texts.values().for_each(|text| *seen.entry(text).or_default() += 1);
        seen.into_iter()
            .filter(|(text, count)| *count == 1 && !text.trim().is_empty())
            .map(|(text, _)| text.clone())
            .collect()
    };
    let both: BTreeSet<String> = once(&before).intersection(&once(&after)).cloned().collect();
    let stay = |texts: &BTreeMap<u32, String>| -> Vec<(u32, String)> {
        texts.iter().filter(|(_, text)| both.contains(*text)).map(|(start, text)| (*start, text.clone())).collect()
    };
    let pairs: Vec<_> = stay(&before).into_iter().zip(stay(&after)).collect();
    if pairs.iter().any(|((_, was), (_, is))| was != is) {
        return;
    }
    for ((from, text), (to, _)) in pairs {
        for unit in 0..text.trim_end_matches('\n').encode_utf16().count() as u32 {
            let came = trace.units[(to + unit) as usize];
            assert_eq!(came, Some(from + unit), "anchors: a push wrote {text:?} of {item} anew");
        }
    }
}
