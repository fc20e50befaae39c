//! The host that is real: one mirror for each feed of each account.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::found::{Found, Search};
use super::holders::not_mirrored;
use super::host::{
    CommentAct, CommentReport, DiffReport, DoctorReport, Done, Host, ItemReport, Linked, LogReport, PushReport, Side,
    StatusReport, Told, no_notebooks,
};
use super::notebooklm::Notebooks;
use super::reports::{NOTHING, account_status, finding, item_report, log_entry, push_report, went_before};
use super::searching;
use super::turns::{Turn, Turns};
use crate::error::{Error, Result};
use crate::kinds;
use crate::mirror::{self, MirrorHandle};
use crate::model::{Account, Feed, ItemId, Rule, counted};
use crate::sync::{self, JobId};

/// Lines of the log of an item in which the last push of one of its files is looked for.
const LINES_LOOKED_AT: usize = 50;

/// The mirrors of all accounts behind one door.
pub struct Mirrors {
    pub(super) workspace: PathBuf,
    pub(super) handles: Vec<MirrorHandle>,
    /// By document, whoever's mirror it is in.
    turns: Turns,
    notebooks: Option<Arc<Notebooks>>,
}

impl Mirrors {
    /// Joins the mirrors of a workspace; the first is the one that makes new documents.
    #[must_use]
    pub fn new(workspace: PathBuf, handles: Vec<MirrorHandle>) -> Self {
        Self { workspace, handles, turns: Turns::default(), notebooks: None }
    }

    /// Adds notebooks that can be asked.
    #[must_use]
    pub fn with_notebooks(mut self, notebooks: Notebooks) -> Self {
        self.notebooks = Some(Arc::new(notebooks));
        self
    }
}

#[async_trait]
impl Host for Mirrors {
    fn workspace(&self) -> PathBuf {
        self.workspace.clone()
    }

    fn accounts(&self) -> Vec<Account> {
        self.of_documents().map(|handle| handle.account().clone()).collect()
    }

    async fn fetch(&self, id_or_url: &str, refresh: bool) -> Result<ItemReport> {
        if let Some((handle, mut report)) = self.holding(id_or_url).await? {
            // What was taken in without a state is not known before it was read.
            if refresh || report.parts.is_empty() {
                return handle.fetch(id_or_url).await.map(item_report);
            }
            // The file is as good as the last look at the remote was; one that was deleted here is asked for again.
            if report.parts.iter().any(|part| part.path.symlink_metadata().is_err()) {
                return handle.fetch(id_or_url).await.map(item_report);
            }
            let status = handle.status_of(&report.item).await?;
            report.notices.extend(status.items.iter().flat_map(sync::ItemStatus::notices));
            let trouble = status.halted.or(status.paused).or(status.poll_error);
            report.stale = report.stale.or(trouble.map(|trouble| trouble.message));
            return Ok(item_report(report));
        }
        // An account that may not see the item says so; the next one may.
        let mut refusal = None;
        for handle in self.naming(id_or_url)? {
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

    async fn search(&self, search: &Search) -> Result<Found> {
        let mut handles = self.named(search.account.as_ref())?;
        handles.retain(|handle| search.kinds.is_empty() || search.kinds.contains(&handle.kind()));
        searching::search(&handles, search).await
    }

    async fn create(&self, title: &str, text: &str) -> Result<ItemReport> {
        self.first()?.create(title, text).await.map(item_report)
    }

    async fn forget(&self, id_or_url: &str) -> Result<Done> {
        let holder = match self.holding(id_or_url).await? {
            Some((handle, _)) => Ok(handle),
            None => self.burying(id_or_url).await?.ok_or_else(|| not_mirrored(id_or_url)),
        };
        let mirror::Forgotten { item: id, files, edited } = holder?.forget(id_or_url).await?;
        let mut message = format!("{id} is not mirrored any more; {}the document is untouched", put_away(files, ", "));
        if edited > 0 {
            let files = if edited == 1 { "one of them holds".to_owned() } else { format!("{edited} of them hold") };
            message.push_str(&format!("; {files} edits that the document does not have"));
        }
        Ok(Done { id, message, waits: false })
    }

    async fn add_rule(&self, rule: &Rule, account: Option<&Account>) -> Result<Told> {
        let mut of_mail = self.named(account)?.into_iter().filter(|handle| handle.layout().feed() == Feed::Gmail);
        let (Some(handle), None) = (of_mail.next(), of_mail.next()) else {
            let which = account.map_or("several accounts have mail, or none", |_| "that account has no mail here");
            return Err(Error::InvalidInput {
                what: which.into(),
                suggestion: "Name one with `--account`; `mail = false` in the config file keeps one out.".into(),
            });
        };
        let (number, found, more) = handle.add_rule(rule).await?;
        let least = if more { "more than " } else { "" };
        let found = found.min(rule.max.unwrap_or(usize::MAX));
        let message = format!(
            "rule {number}, {rule}: {least}{} now, and what comes; `mcp-workspace status` tells how far it is",
            counted(found, "thread")
        );
        Ok(Told { message })
    }

    async fn end_rule(&self, number: i64, account: Option<&Account>) -> Result<Told> {
        let mut having = Vec::new();
        for handle in self.named(account)? {
            if handle.rules().await?.iter().any(|rule| rule.number == number) {
                having.push(handle);
            }
        }
        let [handle] = having.as_slice() else {
            let what = match having.len() {
                0 => format!("there is no rule {number}"),
                count => format!("{count} accounts have a rule {number}"),
            };
            let suggestion = "See `mcp-workspace rules`, and name the account with `--account` where several have it.";
            return Err(Error::InvalidInput { what, suggestion: suggestion.into() });
        };
        handle.end_rule(number).await?;
        Ok(Told { message: format!("rule {number} has ended; what it brought stays until `mcp-workspace forget`") })
    }

    async fn status(&self) -> Result<StatusReport> {
        let mut accounts = Vec::new();
        for handle in &self.handles {
            let report = handle.status().await?;
            accounts.push(account_status(handle.layout(), &report));
        }
        Ok(StatusReport { workspace: self.workspace.clone(), accounts })
    }

    async fn diff(&self, path: &Path) -> Result<DiffReport> {
        let (handle, path, _) = self.settled_file(path).await?;
        let mirror::DiffReport { item, part, path, diff } =
            handle.diff(&path).await.map_err(|error| stray(error, &path))?;
        let parts = handle.parts_of(&item).await?;
        let conflicts = parts.into_iter().filter(|known| known.part == part).flat_map(|known| known.conflicts);
        let conflicts: Vec<String> = conflicts.map(|heading| sync::section_name(&heading)).collect();
        let note = (!conflicts.is_empty()).then(|| {
            format!(
                "in conflict: {}; this compares the file with what both sides agreed on last, and the conflict file shows what the \
                 document says",
                conflicts.join(", ")
            )
        });
        Ok(DiffReport { id: item, path, diff, note })
    }

    async fn push(&self, path: &Path, accept: bool, dry_run: bool) -> Result<PushReport> {
        let (handle, path, is_settled) = self.settled_file(path).await?;
        let mut report = handle.push(&path, accept, dry_run).await.map_err(|error| stray(error, &path))?;
        report.saving |= !is_settled;
        let mut report = push_report(report, dry_run);
        if report.message == NOTHING {
            let log = handle.log(path.to_str(), LINES_LOOKED_AT).await?;
            report.message = went_before(&log.lines, &path).unwrap_or(report.message);
        }
        Ok(report)
    }

    async fn text(&self, path: &Path) -> Result<String> {
        let (handle, path) = self.of_path(path)?;
        handle.text(&path).await.map_err(|error| stray(error, &path))
    }

    async fn turn(&self, id: &ItemId) -> Result<Turn> {
        self.turns.take(id).await
    }

    async fn edit(&self, path: &Path, was: &str, text: &str) -> Result<Option<PushReport>> {
        let (handle, path) = self.of_path(path)?;
        let report = handle.edit(&path, was, text).await.map_err(|error| stray(error, &path))?;
        Ok(report.map(|report| push_report(report, false)))
    }

    async fn documents(&self, query: &str, limit: usize) -> Result<kinds::Listing> {
        let mut all = kinds::Listing::default();
        self.first()?;
        for handle in self.of_documents() {
            let found = handle.list(query, limit).await?;
            (all.total, all.more) = (all.total + found.total, all.more || found.more);
            for item in found.items {
                // What is shared between two of the accounts is one.
                match all.items.iter().any(|known| known.id == item.id) {
                    true => all.total -= 1,
                    false => all.items.push(item),
                }
            }
        }
        all.items.sort_by(|one, other| other.modified.cmp(&one.modified));
        all.items.truncate(limit);
        Ok(all)
    }

    async fn facts(&self, id_or_url: &str) -> Result<kinds::Facts> {
        self.seeing(id_or_url).await.map(|(_, facts)| facts)
    }

    async fn styles(&self, id_or_url: &str, tab: &str) -> Result<Vec<kinds::StyleDefinition>> {
        let (handle, _) = self.seeing(id_or_url).await?;
        handle.styles(id_or_url, tab).await
    }

    async fn restyle(&self, id_or_url: &str, tab: &str, styles: &[kinds::StyleDefinition]) -> Result<kinds::Restyled> {
        let (handle, facts) = self.seeing(id_or_url).await?;
        let _turn = self.turns.take(&facts.id).await?;
        handle.restyle(id_or_url, tab, styles).await
    }

    async fn raw(&self, id_or_url: &str) -> Result<serde_json::Value> {
        let (handle, _) = self.seeing(id_or_url).await?;
        handle.raw(id_or_url).await
    }

    async fn elements(&self, id_or_url: &str, tab: &str) -> Result<kinds::Elements> {
        let (handle, _) = self.seeing(id_or_url).await?;
        handle.elements(id_or_url, tab).await
    }

    async fn dress(&self, id_or_url: &str, tab: &str, range: (u32, u32), look: &kinds::Look) -> Result<Vec<String>> {
        let (handle, facts) = self.seeing(id_or_url).await?;
        let _turn = self.turns.take(&facts.id).await?;
        handle.dress(id_or_url, tab, range, look).await
    }

    async fn leave(&self, id: &ItemId, name: &str, text: String) -> Result<PathBuf> {
        let (handle, _) = self.seeing(&id.0).await?;
        handle.leave(name, text).await
    }

    async fn place_of_comment(&self, id_or_url: &str, thread: &str) -> Result<Option<kinds::CommentPlace>> {
        self.here(id_or_url).await?.place_of_comment(id_or_url, thread).await
    }

    async fn restore(&self, id_or_url: &str) -> Result<ItemReport> {
        self.here(id_or_url).await?.restore(id_or_url).await.map(item_report)
    }

    async fn link(&self, id_or_url: &str, folder: &Path) -> Result<Linked> {
        let id = self.fetch(id_or_url, false).await?.id;
        let mirror::LinkReport { path, versioned } = self.here(id_or_url).await?.link(id_or_url, folder).await?;
        let target =
            std::fs::read_link(&path).map_err(|source| Error::Disk { path: path.clone(), doing: "read", source })?;
        let note = versioned.then(|| {
            "the folder is under version control: keep the link out of that, as by a line in .gitignore, since a file that a checkout \
             puts in its place is taken for an edit of the document"
                .to_owned()
        });
        Ok(Linked { id, path, target, note })
    }

    async fn resolve(&self, path: &Path, side: Side) -> Result<Done> {
        // What a save in place of a link says is of the file's side.
        let (handle, path, is_settled) = self.settled_file(path).await?;
        if !is_settled {
            return Err(Error::InvalidInput {
                what: format!(
                    "{} is being saved, or the file that stands in the place of a link to it",
                    path.display()
                ),
                suggestion: "Ask again when it is; nothing was changed.".into(),
            });
        }
        let (side, whose) = match side {
            Side::Mine => (sync::Side::Mine, "the file's text stands"),
            Side::Theirs => (sync::Side::Theirs, "the document's text stands"),
        };
        let resolved = handle.resolve(&path, side).await.map_err(|error| stray(error, &path))?;
        let mirror::Resolved { item: id, waits, went } = resolved;
        let mut message = format!("resolved: {whose}");
        for went in &went {
            message.push_str("; ");
            message.push_str(&went.message);
        }
        if let Some(first) = &waits {
            message.push_str(&format!("; not all of it is pushed: {first}"));
        }
        if !went.is_empty() {
            message.push_str(" (what both said is kept in .retired)");
        }
        Ok(Done { id, message, waits: waits.is_some() })
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

    async fn pause(&self, account: Option<&Account>) -> Result<Told> {
        for handle in self.named(account)? {
            handle.pause().await?;
        }
        let who = account.map_or("every account".into(), |account| account.0.clone());
        Ok(Told { message: format!("{who} is paused: nothing is pulled or pushed until `mcp-workspace resume`") })
    }

    async fn resume(&self, account: Option<&Account>) -> Result<Told> {
        let mut missing = 0;
        for handle in self.named(account)? {
            missing += handle.resume().await?;
        }
        let who = account.map_or("every account".into(), |account| account.0.clone());
        let mut message = format!("{who} goes on");
        if missing > 0 {
            let files = if missing == 1 { "1 file is".into() } else { format!("{missing} files are") };
            message.push_str(&format!(
                "; {files} missing, which counts as deleted here and changes no document; put what was moved away back, or \
                 `restore` each"
            ));
        }
        Ok(Told { message })
    }

    async fn log(&self, id_or_url: Option<&str>, limit: usize) -> Result<LogReport> {
        let mut lines = Vec::new();
        let handles = match id_or_url {
            Some(named) if !Path::new(named).is_absolute() => self.naming(named)?,
            Some(_) | None => self.handles.iter().collect(),
        };
        for handle in handles {
            // A path lies in the folder of one account alone.
            let here = id_or_url.map(Path::new).filter(|path| path.is_absolute()).map(|path| self.of_path(path));
            let (named, is_other) = match here.transpose()? {
                Some((other, path)) => (Some(path.display().to_string()), other.layout() != handle.layout()),
                None => (id_or_url.map(str::to_owned), false),
            };
            if is_other {
                continue;
            }
            let report = handle.log(named.as_deref(), limit).await?;
            lines
                .extend(report.lines.into_iter().map(|(line, path)| (line.at, log_entry(&report.account, line, path))));
        }
        lines.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        Ok(LogReport { lines: lines.into_iter().map(|(_, line)| line).take(limit).collect() })
    }

    async fn undo(&self, push: i64, account: Option<&Account>) -> Result<PushReport> {
        let mut having = Vec::new();
        for handle in self.named(account)? {
            if handle.has_push(JobId(push)).await? {
                having.push(handle);
            }
        }
        let [handle] = having.as_slice() else {
            let what = if having.is_empty() {
                format!("there is no push {push} that landed")
            } else {
                format!("{} accounts have a push {push}", having.len())
            };
            let suggestion =
                "See `mcp-workspace log` for its number, and name the account with `--account` where several have it.";
            return Err(Error::InvalidInput { what, suggestion: suggestion.into() });
        };
        Ok(match handle.undo(JobId(push)).await? {
            mirror::UndoReport::Pushed(report) => {
                let report = push_report(report, false);
                // What is in conflict or held keeps the document from following its file.
                let file_alone =
                    format!("the file stands without push {push}, the document does not: {}", report.message);
                let message = if report.pushed { report.message } else { file_alone };
                PushReport { message, ..report }
            }
            mirror::UndoReport::Waits(report) => {
                let report = push_report(report, false);
                let message =
                    format!("nothing of push {push} stands in the file any more; of the document: {}", report.message);
                PushReport { message, ..report }
            }
            mirror::UndoReport::Nothing { item, path } => PushReport {
                id: item,
                path,
                message: format!("nothing of push {push} stands there any more"),
                ..PushReport::default()
            },
        })
    }

    async fn trash(&self, id_or_url: &str) -> Result<Done> {
        let (id, files, stay) = self.here(id_or_url).await?.trash(id_or_url).await?;
        let mut message = format!(
            "{id} is in the trash of Google Drive; {}its owner can bring it back for 30 days",
            put_away(files, ", and ")
        );
        for file in &stay {
            let file = file.display();
            message.push_str(&format!(". {file} was saved meanwhile, so it stays: its edits are not in the document"));
        }
        Ok(Done { id, message, waits: !stay.is_empty() })
    }

    async fn doctor(&self, repair: bool, remote_max: usize) -> Result<DoctorReport> {
        let mut findings = Vec::new();
        for handle in &self.handles {
            let found = handle.doctor(repair, remote_max).await?;
            for found in found.into_iter().map(|found| finding(handle.layout(), found)) {
                // What is of the account is so for each of its feeds.
                if !findings.contains(&found) {
                    findings.push(found);
                }
            }
        }
        let waits = findings.iter().any(|finding| matches!(finding.repair.as_str(), "byhand" | "offered"));
        Ok(DoctorReport { findings, waits })
    }

    fn notebooks(&self) -> Result<Arc<Notebooks>> {
        self.notebooks.clone().ok_or_else(no_notebooks)
    }
}

/// Says of a file in the workspace that is no item's what it is.
fn stray(error: Error, path: &Path) -> Error {
    let Error::NotFound { .. } = error else { return error };
    Error::InvalidInput {
        what: format!("{} is not the file of a mirrored document", path.display()),
        suggestion: "A copy, a renamed file, or that of a deleted tab or of a document that is not mirrored is yours alone, and \
                     nothing of it is pushed: `mcp-workspace fetch` of the document's id or URL mirrors it and names its own \
                     file, into which you put the text."
            .into(),
    }
}

/// Says where the files of an item are that was put away; nothing when it had none.
fn put_away(files: usize, then: &str) -> String {
    match files {
        0 => String::new(),
        1 => format!("its file is in .retired{then}"),
        _ => format!("its {files} files are in .retired{then}"),
    }
}
