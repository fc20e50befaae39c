//! What becomes of an edit of a thread's file: its labels can be changed and an answer can be drafted. What was sent is shown, and
//! nobody can change that. Pure.

mod labels;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::Known;
use super::compose::Draft;
use super::text::reply::{self, Section};
use crate::error::{Error, Result};
use crate::kinds::{Fetched, PushPlan};
use crate::mebdf::{self, FrontMatter, LABELS, Tree};
use crate::model::{Notice, PartId};

/// The request that changes labels.
pub(super) const MODIFY: &str = "threads.modify";

/// The request that makes a draft.
pub(super) const CREATE_DRAFT: &str = "drafts.create";

/// The request that puts another text into a draft.
pub(super) const UPDATE_DRAFT: &str = "drafts.update";

/// Edits that are told one by one.
const TOLD_MAX: usize = 20;

/// Plans what an edit changes in Gmail, and says of all else that it stays in the file alone.
///
/// # Errors
///
/// `NotFound` when the thread has no such file.
pub(super) fn plan(remote: &Fetched, part: &PartId, desired: &str) -> Result<PushPlan> {
    let shown = remote.parts.iter().find(|shown| shown.id == *part);
    let shown = shown.ok_or_else(|| Error::NotFound { id: remote.id.to_string() })?;
    let nothing = Known::default();
    let known = remote.reading.get::<Known>().unwrap_or(&nothing);
    let desired = mebdf::clean(desired);
    let (there, here) = (Pieces::of(&shown.text), Pieces::of(&desired));
    let mut plan = PushPlan { refused: refused(&there, &here), ..PushPlan::default() };
    let labels = labels_of(&there, &here, known, &mut plan);
    // One call after the other, so that no push can land by halves.
    let mut second = PushPlan::default();
    let mut section = draft_of(&here, known, &mut second);
    plan.refused.append(&mut second.refused);
    if plan.requests.is_empty() {
        plan.requests = second.requests;
    } else if !second.requests.is_empty() {
        plan.again = true;
        section = known.section();
    }
    plan.refused.sort_by_key(|notice| notice.line);
    plan.expected = expected(&there, labels.as_deref(), section.as_deref());
    Ok(plan)
}

/// A file, and what in it is whose: the head, the mails, and the answers.
struct Pieces<'t> {
    text: &'t str,
    head: Option<FrontMatter>,
    /// The bytes of the mails.
    mails: Range<usize>,
    /// The sections in which an answer is written.
    sections: Vec<Section>,
}

impl<'t> Pieces<'t> {
    fn of(text: &'t str) -> Self {
        let sections = reply::sections(text);
        let begin = text.len() - mebdf::body(text).len();
        Self { text, head: mebdf::head(text), mails: begin..text.len(), sections }
    }

    /// The lines of the mails, each with its number in the file; those of answers are left out.
    fn lines(&self) -> Vec<(u32, &'t str)> {
        let (mut at, mut number, mut lines) = (self.mails.start, self.line(self.mails.start), Vec::new());
        for line in self.text.get(self.mails.clone()).unwrap_or_default().split_inclusive('\n') {
            if !self.sections.iter().any(|section| section.span.contains(&at)) {
                lines.push((number, line.trim_end_matches('\n')));
            }
            at += line.len();
            number = number.saturating_add(1);
        }
        while lines.last().is_some_and(|(_, line)| line.trim().is_empty()) {
            lines.pop();
        }
        lines
    }

    /// The line, from 1, that a byte stands on.
    fn line(&self, at: usize) -> u32 {
        let before = self.text.get(..at).unwrap_or(self.text).matches('\n').count();
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }

    /// The line of an entry of the head.
    fn line_of_entry(&self, name: &str) -> u32 {
        let head = self.text.get(..self.mails.start).unwrap_or_default();
        let found = head.lines().position(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')));
        found.map_or(1, |line| u32::try_from(line + 1).unwrap_or(u32::MAX))
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.head.as_ref()?.value(name)
    }
}

/// Plans the labels; returns what the head says of them then.
fn labels_of(there: &Pieces<'_>, here: &Pieces<'_>, known: &Known, plan: &mut PushPlan) -> Option<String> {
    let (shown, desired) = (there.value(LABELS)?, here.value(LABELS)?);
    let line = here.line_of_entry(LABELS);
    let labels = labels::plan(shown, desired, &known.labels, line);
    plan.requests.extend(labels.call.map(|call| json!({ MODIFY: call })));
    plan.refused.extend(labels.refused);
    Some(labels.expected)
}

/// Plans the draft; returns the section that shows it then.
fn draft_of(here: &Pieces<'_>, known: &Known, plan: &mut PushPlan) -> Option<String> {
    let shown = known.section();
    let mut tell = |line: u32, message: &str| {
        plan.refused.push(Notice { code: "DRAFT".into(), line, column: 0, message: message.to_owned() });
    };
    let section = match &here.sections[..] {
        [] => {
            if shown.is_some() {
                let last = here.line(here.text.trim_end().len());
                tell(
                    last,
                    "the draft of the answer stays in Gmail until it is sent or thrown away there; taken out of the file, it is only not shown",
                );
            }
            return shown;
        }
        [section] if here.text.get(section.span.end..).is_some_and(|rest| rest.trim().is_empty()) => section,
        [section] => {
            tell(
                here.line(section.span.start),
                "an answer is written at the end of the file, behind all mails; it stays as it was until then",
            );
            return shown;
        }
        [_, second, ..] => {
            tell(
                here.line(second.span.start),
                "a thread has one draft from here: write everything under one heading; it stays as it was until then",
            );
            return shown;
        }
    };
    let desired = reply::print(section.all, &section.text);
    if shown.as_ref() == Some(&desired) {
        return shown;
    }
    let heading = here.line(section.span.start);
    let Some(answered) = &known.answered else {
        tell(heading, "there is no mail in this thread that could be answered");
        return shown;
    };
    let section_text = section.text.as_str();
    let unsayable = reply::unsayable(section_text);
    if !unsayable.is_empty() {
        let said = here.text.get(section.span.clone()).and_then(|section| section.find(section_text));
        let first = if section_text.is_empty() { heading } else { here.line(section.span.start + said.unwrap_or(0)) };
        for notice in unsayable {
            tell(first.saturating_add(notice.line).saturating_sub(1), &notice.message);
        }
        return shown;
    }
    let envelope = match &known.reply {
        // Whom it goes to may have been changed in Gmail; and who wrote last is not whom it was written to.
        Some(reply) if reply.all == section.all => reply.envelope.clone(),
        Some(_) | None => answered.envelope(&known.account, section.all),
    };
    let replaces = known.reply.as_ref().map(|reply| reply.message.clone());
    let request = if replaces.is_some() { UPDATE_DRAFT } else { CREATE_DRAFT };
    let draft = Draft { replaces, all: section.all, envelope, text: section.text.clone() };
    let Ok(draft) = serde_json::to_value(&draft) else { return shown };
    plan.requests.push(Value::Object([(request.to_owned(), draft)].into_iter().collect()));
    Some(desired)
}

/// The text of the file once all has landed.
fn expected(there: &Pieces<'_>, labels: Option<&str>, section: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(mut head) = there.head.clone() {
        for (name, value) in &mut head.entries {
            if let Some(labels) = labels.filter(|_| name == LABELS) {
                labels.clone_into(value);
            }
        }
        text.push_str(&mebdf::print(&Tree { front_matter: Some(head), blocks: Vec::new() }));
        text.push('\n');
    }
    let end = there.sections.first().map_or(there.text.len(), |section| section.span.start);
    text.push_str(there.text.get(there.mails.start..end).unwrap_or_default().trim_end());
    text.push('\n');
    if let Some(section) = section {
        text.push('\n');
        text.push_str(section);
    }
    text
}

/// A notice for each place of the mails and of the head in which a file does not say what is shown.
fn refused(there: &Pieces<'_>, here: &Pieces<'_>) -> Vec<Notice> {
    let mut lines: Vec<u32> = Vec::new();
    if let (Some(theirs), Some(mine)) = (&there.head, &here.head) {
        let names = theirs.entries.iter().chain(&mine.entries).map(|(name, _)| name).filter(|name| *name != LABELS);
        let differ = |name: &&String| theirs.value(name).map(str::trim_end) != mine.value(name).map(str::trim_end);
        lines.extend(names.filter(differ).map(|name| here.line_of_entry(name)));
    }
    let (theirs, mine) = (there.lines(), here.lines());
    let texts = |lines: &[(u32, &str)]| lines.iter().map(|(_, line)| format!("{line}\n")).collect::<Vec<_>>();
    let (theirs, texts) = (texts(&theirs), texts(&mine));
    let (theirs, said): (Vec<&str>, Vec<&str>) =
        (theirs.iter().map(String::as_str).collect(), texts.iter().map(String::as_str).collect());
    let diff = TextDiff::from_slices(&theirs, &said);
    let (mut at, mut within) = (0_usize, false);
    let behind = mine.last().map_or(here.line(here.mails.start), |(line, _)| line.saturating_add(1));
    for change in diff.iter_all_changes() {
        if change.tag() != ChangeTag::Equal && !within {
            let first = mine.iter().skip(at).find(|(_, line)| !line.trim().is_empty());
            lines.push(first.map_or(behind, |(line, _)| *line));
        }
        within = change.tag() != ChangeTag::Equal;
        at += usize::from(change.tag() != ChangeTag::Delete);
    }
    lines.sort_unstable();
    lines.dedup();
    let told = |line: u32| {
        Notice {
        code: "MAIL_READ_ONLY".into(),
        line,
        column: 0,
        message: match is_nearly_draft(here.text, line) {
            true => format!("to write an answer, its heading is `## {}` or `## {}`, as it stands here", reply::REPLY, reply::REPLY_TO_ALL),
            false => "what was sent is only shown here: this edit stays in the file, and nobody else sees it; take it back, or keep it as \
                      a note of your own"
                .into(),
        },
    }
    };
    lines.into_iter().take(TOLD_MAX).map(told).collect()
}

/// Tells whether a line was to be the heading of an answer.
fn is_nearly_draft(text: &str, line: u32) -> bool {
    let line = usize::try_from(line).ok().and_then(|line| text.lines().nth(line.checked_sub(1)?)).unwrap_or_default();
    let said = line.trim_start_matches(['#', ' ', '*', '_']).to_lowercase();
    line.starts_with('#') && said.starts_with(&reply::REPLY.to_lowercase())
}
