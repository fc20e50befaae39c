//! The host that is real: one mirror for each account.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::host::{
    AccountStatus, CommentAct, CommentReport, DiffReport, Done, Hit, Host, ImageReport, ItemReport, PartReport,
    PushReport, Resumed, Side, StatusReport, WaitingStatus,
};
use crate::error::{Error, Result};
use crate::kinds;
use crate::mirror::{self, MirrorHandle};
use crate::model::{Account, ItemId, KindName, Millis, Notice, PartId};
use crate::sync;
use crate::workspace::layout::{Layout, Place, date};

/// The mirrors of all accounts behind one door.
pub struct Mirrors {
    workspace: PathBuf,
    handles: Vec<MirrorHandle>,
}

impl Mirrors {
    /// Joins the mirrors of a workspace; the first is the one that makes new documents.
    #[must_use]
    pub const fn new(workspace: PathBuf, handles: Vec<MirrorHandle>) -> Self {
        Self { workspace, handles }
    }

    /// Finds the mirror that holds an item already, if one does.
    async fn holding(&self, id_or_url: &str) -> Result<Option<(&MirrorHandle, mirror::FetchReport)>> {
        for handle in &self.handles {
            if let Some(report) = handle.lookup(id_or_url).await? {
                return Ok(Some((handle, report)));
            }
        }
        Ok(None)
    }

    /// Finds the mirror that holds an item, or says that none does.
    async fn holder(&self, id_or_url: &str) -> Result<&MirrorHandle> {
        match self.holding(id_or_url).await? {
            Some((handle, _)) => Ok(handle),
            None => Err(Error::NotFound { id: id_or_url.into() }),
        }
    }

    /// Finds the mirror whose folder a path lies in. Links above the workspace are followed on both sides, so that a
    /// path means the same however it was come by.
    fn of_path(&self, path: &Path) -> Result<(&MirrorHandle, PathBuf)> {
        let root = std::fs::canonicalize(&self.workspace).unwrap_or_else(|_| self.workspace.clone());
        let real = path
            .parent()
            .and_then(|parent| std::fs::canonicalize(parent).ok())
            .zip(path.file_name())
            .map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name));
        // The mirror knows its files by the name that the workspace was given.
        let known = real.strip_prefix(&root).map_or_else(|_| path.to_owned(), |below| self.workspace.join(below));
        let found = self.handles.iter().find(|handle| known.starts_with(self.workspace.join(&handle.account().0)));
        found.map(|handle| (handle, known)).ok_or_else(|| Error::InvalidInput {
            what: format!("{} is no file of the workspace", path.display()),
            suggestion: format!("Give a file below {}.", self.workspace.display()),
        })
    }

    fn first(&self) -> Result<&MirrorHandle> {
        self.handles.first().ok_or_else(|| Error::InvalidInput {
            what: "no account is signed in".into(),
            suggestion: "Name an account in the config file, or try `mcp-workspace demo`.".into(),
        })
    }
}

#[async_trait]
impl Host for Mirrors {
    fn workspace(&self) -> PathBuf {
        self.workspace.clone()
    }

    fn accounts(&self) -> Vec<Account> {
        self.handles.iter().map(|handle| handle.account().clone()).collect()
    }

    async fn fetch(&self, id_or_url: &str, refresh: bool) -> Result<ItemReport> {
        if let Some((handle, mut report)) = self.holding(id_or_url).await? {
            if refresh {
                return handle.fetch(id_or_url).await.map(item_report);
            }
            // The file is as good as the last look at the remote was.
            let status = handle.status().await?.status;
            let item = status.items.iter().find(|item| item.id == report.item);
            report.notices.extend(item.map(sync::ItemStatus::notices).unwrap_or_default());
            let trouble = status.halted.or(status.paused).or(status.poll_error);
            report.stale = report.stale.or(trouble.map(|trouble| trouble.message));
            return Ok(item_report(report));
        }
        // An account that may not see the item says so; the next one may.
        let mut refusal = None;
        for handle in &self.handles {
            match handle.fetch(id_or_url).await {
                Ok(report) => return Ok(item_report(report)),
                Err(error @ (Error::NotFound { .. } | Error::PermissionDenied { .. })) => {
                    refusal.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        match refusal {
            Some(error) => Err(error),
            None => self.first().map(|_| ()).and(Err(Error::NotFound { id: id_or_url.into() })),
        }
    }

    async fn search(&self, query: &str, limit: usize, offset: usize) -> Result<Vec<Hit>> {
        let mut lists = Vec::new();
        for handle in &self.handles {
            let layout = Layout::new(&self.workspace, handle.account())?;
            let found = handle.search(query, offset.saturating_add(limit), 0).await?;
            let mut hits = Vec::new();
            for hit in found.hits {
                hits.push(Hit {
                    path: layout.path(&Place::file(&hit.item, &hit.part))?,
                    id: hit.item,
                    kind: KindName::Docs,
                    account: handle.account().clone(),
                    title: hit.title,
                    snippet: hit.snippet,
                    modified: rfc3339(hit.modified),
                });
            }
            lists.push(hits.into_iter());
        }
        // Ranks of two indexes cannot be compared, so the accounts take turns.
        let mut merged = Vec::new();
        while merged.len() < offset.saturating_add(limit) {
            let before = merged.len();
            merged.extend(lists.iter_mut().filter_map(Iterator::next));
            if merged.len() == before {
                break;
            }
        }
        Ok(merged.into_iter().skip(offset).take(limit).collect())
    }

    async fn create(&self, title: &str, text: &str) -> Result<ItemReport> {
        self.first()?.create(title, text).await.map(item_report)
    }

    async fn forget(&self, id_or_url: &str) -> Result<Done> {
        let id = self.holder(id_or_url).await?.forget(id_or_url).await?;
        let message = format!("{id} is not mirrored any more; its files are in .retired, the document is untouched");
        Ok(Done { id, message })
    }

    async fn status(&self) -> Result<StatusReport> {
        let mut accounts = Vec::new();
        for handle in &self.handles {
            let report = handle.status().await?;
            let layout = Layout::new(&self.workspace, handle.account())?;
            accounts.push(account_status(handle.account(), &layout, &report));
        }
        Ok(StatusReport { workspace: self.workspace.clone(), accounts })
    }

    async fn diff(&self, path: &Path) -> Result<DiffReport> {
        let (handle, path) = self.of_path(path)?;
        let mirror::DiffReport { item, path, diff, .. } = handle.diff(&path).await?;
        Ok(DiffReport { id: item, path, diff })
    }

    async fn push(&self, path: &Path, accept: bool, dry_run: bool) -> Result<PushReport> {
        let (handle, path) = self.of_path(path)?;
        let report = handle.push(&path, accept, dry_run).await?;
        let message = push_message(&report, dry_run);
        let mirror::PushReport { item, path, pushed, requests, refused, told, unsaid, held, conflicts, hidden, .. } =
            report;
        let waits = hidden || !(refused.is_empty() && held.is_empty() && conflicts.is_empty());
        Ok(PushReport { id: item, path, pushed, requests, refused, told, unsaid, holds: held, waits, message })
    }

    async fn restore(&self, id_or_url: &str) -> Result<ItemReport> {
        self.holder(id_or_url).await?.restore(id_or_url).await.map(item_report)
    }

    async fn resolve(&self, path: &Path, side: Side) -> Result<Done> {
        let (handle, path) = self.of_path(path)?;
        let (side, whose) = match side {
            Side::Mine => (sync::Side::Mine, "the file's text stands"),
            Side::Theirs => (sync::Side::Theirs, "the document's text stands"),
        };
        let id = handle.resolve(&path, side).await?;
        Ok(Done { id, message: format!("resolved: {whose}") })
    }

    async fn comment(&self, path: &Path, thread: &str, act: CommentAct) -> Result<CommentReport> {
        let (handle, path) = self.of_path(path)?;
        let (act, done) = match act {
            CommentAct::Reply(text) => (kinds::CommentAct::Reply(text), "answered"),
            CommentAct::Resolve => (kinds::CommentAct::Resolve, "resolved"),
            CommentAct::Reopen => (kinds::CommentAct::Reopen, "open again"),
        };
        let mirror::CommentReport { item, path, stale } = handle.comment(&path, thread, act).await?;
        let mut message = format!("{thread} is {done}");
        match (&path, stale) {
            (_, Some(why)) => message.push_str(&format!("; the comments file could not be refreshed yet: {why}")),
            (None, None) => message.push_str("; no comment is open any more"),
            (Some(_), None) => {}
        }
        Ok(CommentReport { id: item, thread: thread.to_owned(), path, message })
    }

    async fn resume(&self) -> Result<Resumed> {
        for handle in &self.handles {
            handle.resume().await?;
        }
        Ok(Resumed { message: "every account goes on".into() })
    }
}

fn item_report(report: mirror::FetchReport) -> ItemReport {
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

fn push_message(report: &mirror::PushReport, dry_run: bool) -> String {
    let requests = report.requests.len();
    let done = match (report.pushed, dry_run, requests) {
        (true, _, 0) => "pushed".to_owned(),
        (true, _, _) if report.calls > 1 => format!("pushed with {requests} requests in {} calls", report.calls),
        (true, _, _) => format!("pushed with {requests} requests in one call"),
        (false, true, 1..) => format!("{requests} requests would be sent in one call"),
        (false, ..) if report.hidden => {
            format!("nothing was pushed: the file was deleted here; `restore {}` writes it back", report.item)
        }
        (false, ..) if !report.held.is_empty() => "nothing was pushed: it waits for `push --accept`".to_owned(),
        (false, ..) if !report.refused.is_empty() => {
            "nothing was pushed: what was refused stays in the file alone".to_owned()
        }
        (false, ..) => "nothing to push".to_owned(),
    };
    let done = match (report.told.is_empty(), report.pushed, dry_run) {
        (true, ..) => done,
        (false, true, _) => format!("{done}; with it went what the file does not show"),
        (false, false, true) => format!("{done}; with it would go what the file does not show"),
        (false, false, false) => format!("{done}; with an earlier push went what the file does not show"),
    };
    let done =
        if report.unsaid.is_empty() { done } else { format!("{done}; what no document can say stays in the file") };
    let conflicts: Vec<String> = report.conflicts.iter().map(|heading| sync::section_name(heading)).collect();
    if conflicts.is_empty() { done } else { format!("{done}; in conflict: {}", conflicts.join(", ")) }
}

/// Turns the engine's state into what a person must know: only what waits is listed.
fn account_status(account: &Account, layout: &Layout, report: &mirror::StatusReport) -> AccountStatus {
    let status = &report.status;
    let trouble = |trouble: &sync::Trouble| format!("{}. {}", trouble.message, trouble.suggestion);
    let mut waiting = Vec::new();
    let mut add = |id: &ItemId, part: Option<&PartId>, state: &str, message: String| {
        let path = part.and_then(|part| layout.path(&Place::file(id, part)).ok());
        waiting.push(WaitingStatus { id: id.clone(), path, state: state.into(), message });
    };
    for item in &status.items {
        let id = &item.id;
        if let Some(error) = &item.error {
            let state = if item.next_retry.is_some() { "retrying" } else { "refused" };
            add(id, None, state, trouble(error));
        } else if item.waiting {
            add(id, None, "pending", format!("\"{}\" is {}", item.title, item.phase));
        }
        if item.gone {
            add(id, None, "gone", "it is gone or no longer shared; the file holds edits and is kept".into());
        }
        for part in &item.parts {
            let place = Some(&part.part);
            if part.hidden {
                add(id, place, "hidden", "the file was deleted here; `restore` writes it back".into());
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
            for heading in &part.conflicts {
                let name = sync::section_name(heading);
                add(id, place, "conflict", format!("both sides changed {name}; see the conflict file"));
            }
            if let Some(notice) = &part.unusable {
                add(id, place, "unusable", notice.to_string());
            }
        }
    }
    for (id, path) in &report.kept {
        let path = path.display();
        add(id, None, "kept", format!("the comments file is only read; what somebody saved in it is kept at {path}"));
    }
    let halted = status.halted.as_ref().or(status.paused.as_ref()).map(trouble).unwrap_or_default();
    if let Some(error) = &status.poll_error {
        waiting.push(WaitingStatus {
            id: ItemId("changes".into()),
            path: None,
            state: "retrying".into(),
            message: trouble(error),
        });
    }
    AccountStatus { account: account.clone(), items: status.items.len(), halted, waiting }
}

/// Writes a moment as RFC 3339 in UTC, to the second.
fn rfc3339(at: Millis) -> String {
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
