//! What is neither text nor table and can be made: footnotes, page breaks, chips of persons and dates. They are inserted
//! when the text stands, into the places that the text left for them. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;

use super::align::Step;
use super::blocks::{aligned, entries};
use super::edit::{Group, delete_range, insert_text, name_of};
use super::images::{Inserted, as_inserted};
use super::part::in_order;
use super::planner::{Notices, Planner, excerpt, rows_of};
use super::restyle::contents;
use super::trial::{Task, Trial};
use super::words::{Hunk, hunks, same};
use crate::error::Error;
use crate::gdocs::{
    CreateFootnote, DateElementProperties, DocumentTab, InsertDate, InsertPageBreak, InsertPerson, Location,
    PersonProperties, Request, StructuralElement, date_that_shows,
};
use crate::kinds::docs::text::extract::{Extract, Origin};
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::docs::text::line::{Line, Token, block_runs, tokens};
use crate::mebdf::{Content, Marks, Object};

/// Finds the dates of a tab by what they show, with all that makes them again.
pub(super) fn dates(tab: &DocumentTab) -> BTreeMap<String, DateElementProperties> {
    fn walk(content: &[StructuralElement], found: &mut BTreeMap<String, DateElementProperties>) {
        for element in content {
            let paragraph = element.paragraph.iter().flat_map(|paragraph| &paragraph.elements);
            for date in paragraph.filter_map(|element| element.rest.get("dateElement")?.get("dateElementProperties")) {
                let read: Option<DateElementProperties> = serde_json::from_value(date.clone()).ok();
                let shown = date.get("displayText").and_then(Value::as_str);
                if let (Some(mut read), Some(shown)) = (read, shown)
                    && read.date_format.as_deref() != Some("DATE_FORMAT_CUSTOM")
                {
                    read.display_text = None;
                    found.insert(shown.to_owned(), read);
                }
            }
            for row in element.table.iter().flat_map(|table| &table.table_rows) {
                row.table_cells.iter().for_each(|cell| walk(&cell.content, found));
            }
        }
    }
    let mut found = BTreeMap::new();
    let segments = tab.footnotes.values().map(|segment| segment.content.as_slice());
    for content in tab.body.iter().map(|body| body.content.as_slice()).chain(segments) {
        walk(content, &mut found);
    }
    found
}

/// Returns the address of a person chip: `Ana Lee <ana@x.com>`, or the address alone.
pub(super) fn email(object: &Object) -> Option<&str> {
    let title = object.title.as_deref().filter(|_| object.kind == "person" && object.id.is_none())?.trim();
    let address =
        title.strip_suffix('>').and_then(|title| title.rsplit_once('<')).map_or(title, |(_, address)| address);
    let (user, host) = address.split_once('@')?;
    let plain = !user.is_empty() && !host.is_empty() && !host.contains('@') && !address.contains(char::is_whitespace);
    plain.then_some(address)
}

/// Tells whether a date can be made that shows a text.
pub(super) fn is_date(text: &str) -> bool {
    date_that_shows(text).is_some()
}

/// Makes the objects that the text left places for; tells whether another plan is needed. The pictures of the file that are
/// `inserted` stand in the document.
///
/// # Errors
///
/// `PlanRejected` when one would not stand where the file has it.
pub(super) fn make(
    task: &Task<'_>,
    trial: &mut Trial<'_>,
    inserted: &Inserted,
    notices: &mut Notices,
) -> Result<bool, Error> {
    let local_for = |extract: &Extract| {
        let (mut local, fresh) = task.local_for(extract);
        if !inserted.is_empty() {
            as_inserted(&mut local.to_mut().tree, inserted);
        }
        (local, fresh)
    };
    let (local, fresh) = local_for(&trial.extract);
    let mut planner = Planner::new(task, &trial.extract, (&local, Some(&fresh)), BTreeSet::new());
    planner.objects(&local);
    notices.0.append(&mut planner.refused.0);
    let (touched, requests) = in_order(planner.groups);
    // What stands beside a new object got its looks before the object was there, so it is looked at once more.
    let again = planner.again || !requests.is_empty();
    let before = contents(&trial.extract).count();
    trial.change_structure(requests, &touched)?;
    let after = contents(&trial.extract).filter(|(content, _)| !matches!(content, Content::Footnote { .. })).count();
    let (local, fresh_now) = local_for(&trial.extract);
    let mut planner = Planner::new(task, &trial.extract, (&local, Some(&fresh_now)), BTreeSet::new());
    planner.objects(&local);
    // What stands in a footnote that was just made, objects and all, is the next plan's.
    let is_missing = |group: &Group| !group.requests.is_empty() && (fresh.is_empty() || !group.elements.is_empty());
    if planner.groups.iter().any(is_missing) || after > before {
        return Err(task.rejected("an object would not stand in the document as it does in the file".into()));
    }
    Ok(again)
}

impl Planner<'_> {
    /// Tells whether an object can be made, and so deleted and made again elsewhere, without loss.
    pub(super) fn is_makeable(&self, object: &Object) -> bool {
        match object.kind.as_str() {
            "person" => email(object).is_some(),
            "date" => object.id.is_none() && self.date(object).is_some(),
            "pagebreak" => object.id.is_none() && object.title.is_none(),
            _ => self.carried.is_made_anew(object),
        }
    }

    /// Tells whether an object may go without a question: what it is can be made again by what the file shows. A date that shows
    /// too little for that is copied while another one of the file shows the same, and only then.
    pub(super) fn may_go(&self, object: &Object) -> bool {
        let shown = |title: &String| is_date(title) || self.shown_dates.contains(title);
        self.is_makeable(object) && (object.kind != "date" || object.title.as_ref().is_some_and(shown))
    }

    /// Tells whether a token of the file that the document does not have can be made once the text stands.
    pub(super) fn is_pending(&self, token: &Token) -> bool {
        let Some(footnotes) = self.new_footnotes else { return false };
        match token {
            Token::Object(object) => self.is_makeable(object),
            Token::Footnote(label) => footnotes.contains(&**label),
            Token::Char(_) | Token::Anchor(_) => false,
        }
    }

    fn date(&self, object: &Object) -> Option<DateElementProperties> {
        let title = object.title.as_deref()?;
        self.dates.get(title).cloned().or_else(|| date_that_shows(title))
    }

    /// Plans what the text left out; what has no place is told.
    pub(super) fn objects(&mut self, local: &Flat) {
        let (old, new) = entries(self.remote, local, self.staying);
        let steps = aligned(self.remote, &old, &new);
        for step in steps {
            let Step::Pair(i, j) = step else { continue };
            if old[i].key == new[j].key || old[i].look.locked.is_some() || new[j].look.locked.is_some() {
                continue;
            }
            let number = self.line_number(new[j].block);
            let (element, lines, wanted): (Option<usize>, Vec<&Line>, Vec<_>) =
                match (&new[j].block.content, &self.remote.origins[old[i].index]) {
                    (Content::Table { rows, .. }, Origin::Table { element, cells, lock: None, .. }) => (
                        Some(*element),
                        cells.iter().flatten().flatten().collect(),
                        rows.iter().flatten().flatten().map(|runs| tokens(runs)).collect(),
                    ),
                    (Content::Footnote { paragraphs, .. }, Origin::Footnote { lines }) => {
                        (None, lines.iter().collect(), paragraphs.iter().map(|runs| tokens(runs)).collect())
                    }
                    (content, Origin::Line { element, line }) => {
                        (Some(*element), vec![line], vec![tokens(block_runs(content))])
                    }
                    _ => continue,
                };
            if lines.len() != wanted.len() {
                continue;
            }
            let mut requests = Vec::new();
            let cell = matches!(new[j].block.content, Content::Table { .. });
            let rows = rows_of(&self.remote.origins[old[i].index]);
            for (at, (line, wanted)) in lines.into_iter().zip(&wanted).enumerate().rev() {
                let number = rows.get(at).map_or(number, |row| self.row_number(new[j].block, *row));
                requests.extend(self.line_objects(line, wanted, cell, number));
            }
            if !requests.is_empty() {
                self.groups.push(Group { elements: element.into_iter().collect(), requests });
            }
        }
    }

    /// Plans the objects of one paragraph, last first.
    fn line_objects(&mut self, line: &Line, wanted: &[(Token, Rc<Marks>)], cell: bool, number: u32) -> Vec<Request> {
        let old: Vec<&Token> = line.units.iter().map(|unit| &unit.token).collect();
        let new: Vec<&Token> = wanted.iter().map(|(token, _)| token).collect();
        let mut requests = Vec::new();
        let hunks = places(&old, &new).unwrap_or_else(|| hunks(&old, &new));
        for hunk in hunks.into_iter().rev() {
            let inserted = &new[hunk.new.clone()];
            let ready = hunk.old.is_empty()
                && line.lock.is_none()
                && inserted.iter().all(|token| self.is_pending(token) || is_blank(token));
            if !inserted.iter().any(|token| self.is_pending(token)) {
                continue;
            }
            if !ready {
                let first = inserted.iter().find(|token| self.is_pending(token));
                let what = match first {
                    Some(Token::Footnote(label)) => format!("the footnote [^{label}]"),
                    Some(Token::Object(object)) => name_of(object),
                    Some(Token::Char(_) | Token::Anchor(_)) | None => "this".into(),
                };
                let why = match &line.lock {
                    Some(reason) => format!("the paragraph cannot be edited here: {reason}"),
                    None => format!("the text around it stayed `{}`", excerpt(&line.text())),
                };
                self.refuse("LOCKED", number, format!("{what} could not be inserted: {why}"));
                continue;
            }
            let before = hunk.old.start.checked_sub(1).and_then(|before| line.units.get(before));
            let at = before.map_or(line.start, |unit| unit.at + unit.len);
            let mut rest = inserted.iter().rev().peekable();
            while let Some(token) = rest.next() {
                if let Token::Char(character) = token {
                    let mut blanks = vec![*character];
                    while let Some(Token::Char(character)) = rest.next_if(|token| is_blank(token)) {
                        blanks.push(*character);
                    }
                    let blanks: String = blanks.into_iter().rev().collect();
                    requests.push(insert_text(line.segment.as_deref(), self.tab_id.as_deref(), at, &blanks));
                    continue;
                }
                match self.made(token, line, cell, at) {
                    Ok(made) => requests.extend(made),
                    Err(reason) => self.refuse("LOCKED", number, reason),
                }
            }
        }
        requests
    }

    /// Returns what makes one object.
    fn made(&mut self, token: &Token, line: &Line, cell: bool, at: u32) -> Result<Vec<Request>, &'static str> {
        let location = Some(Location { index: at, segment_id: line.segment.clone(), tab_id: self.tab_id.clone() });
        match token {
            Token::Footnote(_) if line.segment.is_some() => Err("a footnote cannot have a footnote"),
            Token::Footnote(_) => {
                self.again = true;
                Ok(vec![Request::CreateFootnote(CreateFootnote { location, end_of_segment_location: None })])
            }
            Token::Object(object) if object.kind == "pagebreak" => {
                if cell || line.segment.is_some() {
                    return Err("a page break cannot stand in a table or a footnote");
                }
                if line.named_style.starts_with("HEADING_") {
                    return Err("a page break cannot be put into a heading; it stands in a paragraph of its own");
                }
                // The break brings a newline that the file does not have.
                Ok(vec![
                    Request::InsertPageBreak(InsertPageBreak { location, end_of_segment_location: None }),
                    delete_range(None, self.tab_id.as_deref(), at + 1, at + 2),
                ])
            }
            Token::Object(object) if object.kind == "date" => {
                let date_element_properties = self.date(object).ok_or("this is no date as 2026-11-21")?;
                Ok(vec![Request::InsertDate(InsertDate {
                    date_element_properties,
                    location,
                    end_of_segment_location: None,
                })])
            }
            Token::Object(object) => {
                let email = email(object).ok_or("a person is written as \"Ana Lee <ana@x.com>\"")?.to_owned();
                // Google looks the name up itself and refuses one that is sent.
                let person_properties = PersonProperties { email: Some(email), name: None };
                Ok(vec![Request::InsertPerson(InsertPerson {
                    person_properties,
                    location,
                    end_of_segment_location: None,
                })])
            }
            Token::Char(_) | Token::Anchor(_) => Err("this cannot be made"),
        }
    }
}

/// Where tokens were left out of a row: in the text that stands, everything is that is no object. Between two objects
/// there may be no more than a word, which an edit of text would write anew. `None` when the rows differ otherwise, too.
fn places(old: &[&Token], new: &[&Token]) -> Option<Vec<Hunk>> {
    let mut places: Vec<Hunk> = Vec::new();
    let mut at = 0;
    for (place, token) in new.iter().enumerate() {
        if old.get(at).is_some_and(|old| same(old, token)) {
            at += 1;
        } else if !matches!(token, Token::Char(_)) || is_blank(token) {
            match places.last_mut() {
                Some(last) if last.new.end == place => last.new.end = place + 1,
                _ => places.push(Hunk { old: at..at, new: place..place + 1 }),
            }
        } else {
            return None;
        }
    }
    (at == old.len()).then_some(places)
}

const fn is_blank(token: &Token) -> bool {
    matches!(token, Token::Char(' ' | '\t'))
}
