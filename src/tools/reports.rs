//! What the mirror reports, in the words that the door speaks.

use std::path::{Path, PathBuf};

use super::host::{
    AccountStatus, DoctorFinding, ImageReport, ItemReport, LogEntry, PartReport, PushReport, QueueStatus, QuotaLeft,
    RuleStatus, WaitingStatus,
};
use crate::mirror::{self, BesideState, Check, Finding, Repair};
use crate::model::{Account, ItemId, Millis, Notice, PartId, counted};
use crate::store::{LogLine, LogWord};
use crate::sync;
use crate::sync::quota::QuotaStatus;
use crate::workspace::layout::{Layout, Place, date, readable_name};

/// More calls in a minute than Google allows anybody.
const NO_LIMIT: u32 = u32::MAX / 100;

/// Lines of the log that the status shows.
const LATELY: usize = 5;

/// Tells what became of a push, or what would.
pub(super) fn push_report(report: mirror::PushReport, dry_run: bool) -> PushReport {
    let message = push_message(&report, dry_run);
    let mirror::PushReport {
        item,
        path,
        pushed,
        requests,
        refused,
        told,
        unsaid,
        held,
        conflicts,
        hidden,
        saving,
        unsaved,
        ..
    } = report;
    let waits = hidden || saving && !pushed || !(refused.is_empty() && held.is_empty() && conflicts.is_empty());
    PushReport { id: item, path, pushed, requests, refused, told, unsaid, holds: held, waits, unsaved, message }
}

/// Tells where an item stands.
pub(super) fn item_report(report: mirror::FetchReport) -> ItemReport {
    let mut notices: Vec<Notice> = report.notices.into_iter().map(|(_, notice)| notice).collect();
    let stale = report.stale.is_some();
    notices.extend(report.stale.map(|message| Notice { code: "STALE".into(), line: 0, column: 0, message }));
    ItemReport {
        id: report.item,
        kind: report.kind,
        account: report.account,
        title: report.title,
        url: report.url,
        parts: report
            .parts
            .into_iter()
            .map(|part| PartReport { part: part.part, title: part.title, path: part.path })
            .collect(),
        images: report.images.into_iter().map(|image| ImageReport { object: image.object, path: image.path }).collect(),
        notices,
        stale,
    }
}

/// Says that a file has no edits.
pub(super) const NOTHING: &str = "nothing to push";

/// Says when the edits of a file went that somebody wants to push: the daemon pushes by itself what is saved. `lines` are of its
/// item, newest first.
pub(super) fn went_before(lines: &[(LogLine, PathBuf)], path: &Path) -> Option<String> {
    let (line, _) = lines.iter().find(|(_, other)| other == path)?;
    let push = line.push.filter(|_| line.what == LogWord::Push)?;
    Some(format!("{NOTHING}: what it says went with push {}, at {}", push.0, rfc3339(line.at)))
}

/// Says in one sentence what became of a push, or what would.
fn push_message(report: &mirror::PushReport, dry_run: bool) -> String {
    let count = report.requests.len();
    let requests = counted(count, "request");
    let done = match (report.pushed, dry_run, count) {
        (true, _, 0) => "pushed".to_owned(),
        (true, _, _) if report.calls > 1 => format!("pushed with {requests} in {} calls", report.calls),
        (true, _, _) => format!("pushed with {requests} in one call"),
        (false, true, 1..) => format!("{requests} would be sent in one call"),
        (false, ..) if report.hidden => {
            format!("nothing was pushed: the file was deleted here; `restore {}` writes it back", report.item)
        }
        (false, ..) if !report.held.is_empty() => "nothing was pushed: the file is held".to_owned(),
        (false, ..) if !report.refused.is_empty() => {
            "nothing was pushed: what was refused stays in the file alone".to_owned()
        }
        (false, ..) if report.saving => {
            "nothing was pushed yet: the file is being saved, and is pushed once it stands still".to_owned()
        }
        (false, ..) => NOTHING.to_owned(),
    };
    let is_hidden = |notice: &Notice| notice.code != sync::RELEASED;
    let done = match (report.told.iter().any(is_hidden), report.pushed, dry_run) {
        (false, ..) => done,
        (true, true, _) => format!("{done}; with it went what the file does not show"),
        (true, false, true) => format!("{done}; with it would go what the file does not show"),
        (true, false, false) => format!("{done}; with an earlier push went what the file does not show"),
    };
    let done =
        if report.unsaid.is_empty() { done } else { format!("{done}; what no document can say stays in the file") };
    let conflicts: Vec<String> = report.conflicts.iter().map(|heading| sync::section_name(heading)).collect();
    if conflicts.is_empty() {
        return done;
    }
    let look = match report.held.is_empty() {
        true => "the conflict file shows what both say, and how to end it",
        false => sync::SHOWN_LATER,
    };
    format!("{done}; in conflict: {}; {look}", conflicts.join(", "))
}

/// Turns the engine's state into what a person must know: only what waits is listed.
pub(super) fn account_status(layout: &Layout, report: &mirror::StatusReport) -> AccountStatus {
    let status = &report.status;
    let mut waiting = Vec::new();
    let mut add = |id: &ItemId, part: Option<&PartId>, state: &str, message: String| {
        let path = part.and_then(|part| layout.path(&Place::file(id, part)).ok());
        waiting.push(WaitingStatus { id: id.clone(), path, state: state.into(), message });
    };
    // While the whole folder may be away nobody has deleted a file of it.
    let is_halted = status.halted.as_ref().is_some_and(|halted| halted.kind == sync::HALTED);
    for item in &status.items {
        let id = &item.id;
        if item.gone {
            let why = item.error.as_ref().map_or_else(|| "ask its owner for it.".to_owned(), trouble);
            let message = format!(
                "\"{}\" is not there any more, and its file holds edits, so it is kept: {why} Or take the text elsewhere \
                 and run `mcp-workspace forget {id}`",
                item.title
            );
            // The others were put away.
            let kept = item.parts.iter().find(|part| !part.away && !part.hidden);
            add(id, kept.map(|part| &part.part), "gone", message);
        } else if let Some(error) = &item.error {
            let state = if error.lasting { "refused" } else { "retrying" };
            add(id, item.parts.first().map(|part| &part.part), state, trouble(error));
        } else if item.waiting {
            let does = if item.phase == "idle" { "waits" } else { item.phase };
            let message = if item.title.is_empty() { does.to_owned() } else { format!("\"{}\": {does}", item.title) };
            add(id, None, "pending", message);
        }
        for part in &item.parts {
            let place = Some(&part.part);
            if part.hidden && !is_halted {
                let message =
                    format!("the file was deleted here; `restore {id}` writes it back, `forget {id}` ends it");
                add(id, place, "hidden", message);
            }
            if part.open {
                add(id, place, "open", "it stays open for writing; nothing is pushed until it is closed".into());
            }
            for (state, notices) in
                [("held", &part.held), ("refused", &part.refused), ("pushed", &part.told), ("unsaid", &part.unsaid)]
            {
                for notice in notices {
                    add(id, place, state, notice.to_string());
                }
            }
            for message in part.in_conflict() {
                add(id, place, "conflict", message);
            }
            if let Some(notice) = &part.unusable {
                add(id, place, "unusable", notice.to_string());
            }
        }
    }
    for (id, path) in &report.kept {
        let what = if mirror::is_of_conflicts(path) { "conflict" } else { "comments" };
        let path = path.display();
        add(id, None, "kept", format!("the {what} file is only read; what somebody saved in it is kept at {path}"));
    }
    let halted = status.halted.as_ref().or(status.paused.as_ref()).map(trouble).unwrap_or_default();
    waiting.extend(of_no_item(report));
    let log = report.log.iter().filter_map(|line| {
        let path = layout.path(&Place::file(&line.item, &line.part)).ok()?;
        Some(log_entry(layout.account(), line.clone(), path))
    });
    let poll = status.next_poll.filter(|_| status.halted.is_none());
    AccountStatus {
        account: layout.account().clone(),
        feed: layout.feed(),
        mode: if status.read_only { "mirror" } else { "two-way" }.into(),
        items: status.items.len(),
        queue: queue(status),
        quota: quota(status.quota),
        rules: report.rules.iter().map(rule_status).collect(),
        next_poll_s: poll.map(|at| at.0.saturating_sub(status.now.0).div_ceil(1000)),
        halted,
        waiting,
        lately: log.take(LATELY).collect(),
    }
}

fn rule_status(report: &mirror::RuleReport) -> RuleStatus {
    let mirror::RuleReport { number, rule, whole, state } = report;
    let mirror::RuleState { named, left, left_s, passed, trouble } = state.clone();
    RuleStatus { number: *number, what: rule.to_string(), whole: *whole, named, left, left_s, passed, trouble }
}

/// What waits that is no item's: the feed, the folder, files beside the mirrored ones, and a state that was lost.
fn of_no_item(report: &mirror::StatusReport) -> Vec<WaitingStatus> {
    let mut waiting = Vec::new();
    let mut add = |what: &str, path: Option<PathBuf>, state: &str, message: String| {
        waiting.push(WaitingStatus { id: ItemId(what.into()), path, state: state.into(), message });
    };
    if let Some(error) = &report.status.poll_error {
        add("changes", None, "retrying", trouble(error));
    }
    if let Some(error) = &report.status.unwatched {
        let message = format!("the folder cannot be watched, so it is looked at once a minute: {}", trouble(error));
        add("folder", None, "unwatched", message);
    }
    for told in &report.beside {
        let (what, state) = match told.state {
            BesideState::NotMade => ("new", "not made"),
            BesideState::MadeInPart => ("new", "made in part"),
            BesideState::Unlinked => ("new", "unlinked"),
            BesideState::Stray => ("folder", "not mirrored"),
        };
        add(what, Some(told.path.clone()), state, told.why.clone());
    }
    let is_told = |path: &PathBuf| report.beside.iter().any(|told| told.path == *path);
    for unmade in report.unmade.iter().filter(|unmade| !is_told(&unmade.path)) {
        // A title that no document could have may be one, too.
        let (title, path) = (readable_name(&unmade.title), unmade.path.display());
        let kept = format!("what it was to say is kept, and this is told as long as that stands at {path}");
        let (state, message) = match unmade.asked {
            true => {
                let message = format!(
                    "making \"{title}\" did not come to its end, so it may stand in Google Drive, whole or without its text: \
                     look there before you make it once more; {kept}"
                );
                ("cut off", message)
            }
            false => ("not made", format!("\"{title}\" was not made: create it once more; {kept}")),
        };
        add("create", None, state, message);
    }
    if let Some(told) = &report.recovered {
        add("state", None, "recovered", told.clone());
    }
    waiting
}

fn trouble(trouble: &sync::Trouble) -> String {
    format!("{}. {}", trouble.message.trim_end_matches('.'), trouble.suggestion)
}

/// Says what Google may still be asked, where it knows a limit.
fn quota(quota: QuotaStatus) -> Option<QuotaLeft> {
    let QuotaStatus { reads_left, reads_limit, writes_left, writes_limit, waiting } = quota;
    // A Google of one's own has none, of which a part is left after it asked to slow down.
    let has_limit = reads_limit < NO_LIMIT || writes_limit < NO_LIMIT;
    has_limit.then_some(QuotaLeft { reads_left, reads_limit, writes_left, writes_limit, waiting })
}

/// Counts what is to be done.
fn queue(status: &sync::Status) -> QueueStatus {
    let at_work = |item: &&sync::ItemStatus| item.phase != "idle";
    let waits = |item: &&sync::ItemStatus| item.waiting && item.phase == "idle";
    let parts = status.items.iter().flat_map(|item| &item.parts);
    let is_yours = |part: &&sync::PartStatus| {
        let waits = !(part.held.is_empty() && part.refused.is_empty() && part.conflicts.is_empty());
        waits || part.hidden || part.unusable.is_some()
    };
    let gone = status.items.iter().filter(|item| item.gone).count();
    QueueStatus {
        waiting: status.items.iter().filter(waits).count(),
        working: status.items.iter().filter(at_work).count(),
        yours: parts.filter(is_yours).count().max(gone),
        left_s: status.left_ms.map(|left| left.div_ceil(1000)),
    }
}

/// Tells of a push, a pull, or files that were put away.
pub(super) fn log_entry(account: &Account, line: LogLine, path: PathBuf) -> LogEntry {
    LogEntry {
        at: rfc3339(line.at),
        account: account.clone(),
        what: line.what.word().into(),
        push: line.push.map(|job| job.0),
        id: line.item,
        title: line.title,
        tab: line.tab,
        path,
        words_added: line.words.added,
        words_removed: line.words.removed,
    }
}

/// Tells of something that does not hold.
pub(super) fn finding(layout: &Layout, found: Finding) -> DoctorFinding {
    let path = found.place.as_ref().and_then(|(item, part)| layout.path(&Place::file(item, part)).ok());
    DoctorFinding {
        account: layout.account().clone(),
        check: match found.check {
            Check::Database => "database",
            Check::Folder => "folder",
            Check::Journal => "journal",
            Check::Base => "base",
            Check::File => "file",
            Check::Index => "index",
            Check::Stray => "stray",
            Check::Remote => "remote",
            Check::Account => "account",
        }
        .into(),
        id: found.place.map(|(item, _)| item),
        path,
        message: found.message,
        fix: found.fix,
        repair: match found.repair {
            Repair::Note => "note",
            Repair::ByHand => "byhand",
            Repair::Offered => "offered",
            Repair::Done => "done",
        }
        .into(),
    }
}

/// Writes a moment as RFC 3339 in UTC, to the second.
pub(super) fn rfc3339(at: Millis) -> String {
    let second = at.0 / 1000 % 86_400;
    format!("{}T{:02}:{:02}:{:02}Z", date(at), second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_rfc_3339() {
        for (millis, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_999, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (951_868_800_000, "2000-03-01T00:00:00Z"),
            (1_795_233_845_000, "2026-11-21T04:04:05Z"),
            (4_102_444_799_000, "2099-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(Millis(millis)), expected);
        }
    }
}
