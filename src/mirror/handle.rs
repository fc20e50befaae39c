//! What others may ask of a mirror. Every answer is text, paths and small facts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::clock::system_ms;
use super::failure::{error_of, once};
use super::report::{FetchReport, Forgotten, ImageReport, PartReport, PushReport, Resolved, StatusReport};
use super::{Message, Replied, Shared, blocking, images, making};
use crate::error::{Error, Result};
use crate::kinds::Listing;
use crate::model::{Account, ItemId, KindName, Millis, Notice, PartId};
use crate::store::{Asker, Hits, Store, StoredItem};
use crate::sync::{Answer, Command, GIVEN_UP, PartStatus, Side, Status};
use crate::workspace::layout::{Layout, Place};

/// How an item stands that nothing is under way for.
const IDLE: &str = "idle";

/// How long a question waits at most until nothing is under way, and how often it looks.
const IDLE_WAIT: Duration = Duration::from_secs(30);
const IDLE_LOOK: Duration = Duration::from_millis(20);

/// A handle on a running mirror.
#[derive(Clone)]
pub struct MirrorHandle {
    shared: Arc<Shared>,
    messages: mpsc::Sender<Message>,
}

impl MirrorHandle {
    pub(super) const fn new(shared: Arc<Shared>, messages: mpsc::Sender<Message>) -> Self {
        Self { shared, messages }
    }

    /// Returns what every step of every walk needs.
    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Returns the way to the loop.
    pub(super) const fn messages(&self) -> &mpsc::Sender<Message> {
        &self.messages
    }

    /// Returns the same for who takes it to another thread.
    pub(super) fn shared_arc(&self) -> Arc<Shared> {
        self.shared.clone()
    }

    /// Refuses what would change the remote while the account is halted, paused, or only mirrored.
    pub(super) async fn check_writable(&self) -> Result<()> {
        let status = self.engine_status().await?;
        if let Some(halted) = status.halted {
            return Err(Error::InvalidInput { what: halted.message, suggestion: halted.suggestion });
        }
        if status.read_only {
            return Err(Error::MirrorOnly { account: self.account().to_string() });
        }
        Ok(())
    }

    /// Returns the account.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.shared.account
    }

    /// Returns where the files stand.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        self.shared.workspace.layout()
    }

    /// Returns the kind of the items.
    #[must_use]
    pub fn kind(&self) -> KindName {
        self.shared.kind.name()
    }

    /// Returns the folder that holds the account's folder.
    #[must_use]
    pub fn workspace(&self) -> &Path {
        self.shared.workspace.layout().root()
    }

    /// Mirrors an item, or brings it up to date, and tells where it stands. When the remote cannot be reached, a
    /// mirrored item is told as it stands, and why it may be behind.
    ///
    /// # Errors
    ///
    /// `NotFound` when the id is unknown or hidden; network and permission errors as they come.
    pub async fn fetch(&self, id_or_url: &str) -> Result<FetchReport> {
        let item = self.found(id_or_url).await?;
        match self.ask(Command::Fetch(item.clone())).await?.answer {
            Answer::Done { notices, .. } => self.report(item, notices, None).await,
            Answer::Failed(failure) => {
                let message = failure.message.clone();
                let error = error_of(failure, &item.0, self.account());
                if !error.retryable() {
                    return Err(error);
                }
                self.report(item, Vec::new(), Some(message)).await.map_err(|_unknown| error)
            }
        }
    }

    /// Tells where a mirrored item stands without asking the remote; `None` when it is not mirrored.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the id or URL is of no known kind.
    pub async fn lookup(&self, id_or_url: &str) -> Result<Option<FetchReport>> {
        let item = self.item(id_or_url)?;
        match self.report_within(item, Vec::new(), None, Duration::ZERO).await {
            Ok(report) => Ok(Some(report)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Searches what is mirrored, best first.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the query holds no word.
    pub async fn search(&self, query: &str, limit: usize, offset: usize) -> Result<Hits> {
        let (shared, query) = (self.shared.clone(), query.to_owned());
        blocking(move || {
            let asker = Asker { account: &shared.account.0, now: Millis(system_ms()) };
            shared.reader().search(&query, asker, limit, offset)
        })
        .await
    }

    /// Lets the remote search, in what is mirrored and what is not; see [`crate::kinds::Kind::search`].
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    pub async fn search_remote(&self, query: &str, limit: usize) -> Result<Listing> {
        self.shared.kind.search(query, limit).await
    }

    /// Stops mirroring an item; its files are put away, the remote is not touched.
    ///
    /// # Errors
    ///
    /// `NotFound` when it is not mirrored.
    pub async fn forget(&self, id_or_url: &str) -> Result<Forgotten> {
        let item = self.item(id_or_url)?;
        self.wait_until_idle(&item).await?;
        let (mut files, mut edited) = (0, 0);
        let report = self.lookup(&item.0).await?;
        if let Some(report) = &report {
            // What cannot be compared may be edited.
            let strays = self.strays_of(&item, report).await?.len();
            (files, edited) = (strays, strays);
        }
        for part in report.into_iter().flat_map(|report| report.parts) {
            files += usize::from(part.path.symlink_metadata().is_ok());
            // What was saved in place of a link stays there otherwise, and is of nothing.
            self.settled_file(&part.path).await?;
            // What cannot be compared may be edited.
            edited += usize::from(self.has_edits(&part.path).await.unwrap_or(true));
        }
        self.done(&item, Command::Forget(item.clone())).await?;
        self.remove_links(&item).await?;
        Ok(Forgotten { item, files, edited })
    }

    /// Returns the files of an item that are of no tab that it has: of one that was deleted, or copies.
    pub(super) async fn strays_of(&self, item: &ItemId, report: &FetchReport) -> Result<Vec<PathBuf>> {
        let (shared, item) = (self.shared_arc(), item.clone());
        let known: Vec<PathBuf> = report.parts.iter().map(|part| part.path.clone()).collect();
        blocking(move || {
            let files = shared.workspace.files(&item)?.into_iter().filter(|place| !place.conflict);
            let paths = files.map(|place| shared.workspace.layout().path(&place));
            let paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
            Ok(paths.into_iter().filter(|path| !known.contains(path)).collect())
        })
        .await
    }

    /// Waits until nothing is under way for an item, so that a push on its way is seen to land, and is logged.
    async fn wait_until_idle(&self, item: &ItemId) -> Result<()> {
        let is_idle = |status: &Status| status.items.iter().all(|item| item.phase == IDLE);
        let until = Instant::now() + IDLE_WAIT;
        while !is_idle(&self.status_of(item).await?) && Instant::now() < until {
            tokio::time::sleep(IDLE_LOOK).await;
        }
        Ok(())
    }

    /// Tells whether an item is gone and comes back by itself.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the id or URL is of no known kind; `Storage` as it comes.
    pub async fn is_buried(&self, id_or_url: &str) -> Result<bool> {
        let (shared, item) = (self.shared.clone(), self.item(id_or_url)?);
        blocking(move || shared.reader().is_buried(&item)).await
    }

    /// Writes the files of an item back that were deleted in the workspace.
    ///
    /// # Errors
    ///
    /// `NotFound` when it is not mirrored; `InvalidInput` when no tab has the file that was named, or when something stands in a
    /// file's place that cannot be used, or waits.
    pub async fn restore(&self, id_or_url: &str) -> Result<FetchReport> {
        let item = self.item(id_or_url)?;
        let before = self.parts_of(&item).await?;
        let named = self.place_of(Path::new(id_or_url.trim())).filter(|place| place.item == item);
        let has = self.lookup(&item.0).await?.map(|report| report.parts).unwrap_or_default();
        if !has.is_empty() && named.is_some_and(|place| has.iter().all(|part| part.part != place.part)) {
            return Err(Error::InvalidInput {
                what: format!("{} is the file of no tab of its document", id_or_url.trim()),
                suggestion:
                    "Where the tab was deleted in the document, the document's version history still has it, and what \
                             had not gone there stands in `.retired/`."
                        .into(),
            });
        }
        let shown = before.iter().map(|part| &part.part).filter(|part| self.has_conflict_file(&item, part));
        let shown: Vec<PartId> = shown.cloned().collect();
        let mut notices = self.done(&item, Command::Restore(item.clone())).await?;
        for part in self.parts_of(&item).await? {
            if shown.contains(&part.part) && !self.has_conflict_file(&item, &part.part) {
                let message = "its conflict ended with the document's text; the conflict file, with what both said, stands in `.retired/`";
                let code = "CONFLICT_ENDED".to_owned();
                notices.push((part.part.clone(), Notice { code, line: 0, column: 0, message: message.to_owned() }));
            }
            if let Some(notice) = part.unusable.iter().chain(&part.held).next() {
                let path = self.shared.workspace.layout().path(&Place::file(&item, &part.part))?;
                return Err(Error::InvalidInput {
                    what: format!("{} was not written anew: {}", path.display(), notice.message),
                    suggestion: "Take away what stands there, then restore it once more.".into(),
                });
            }
        }
        self.report(item, notices, None).await
    }

    fn has_conflict_file(&self, item: &ItemId, part: &PartId) -> bool {
        let path = self.shared.workspace.layout().path(&Place::conflict(item, part));
        path.is_ok_and(|path| path.symlink_metadata().is_ok())
    }

    pub(crate) async fn parts_of(&self, item: &ItemId) -> Result<Vec<PartStatus>> {
        let items = self.status_of(item).await?.items.into_iter();
        Ok(items.flat_map(|status| status.parts).collect())
    }

    /// Ends a file's conflicts in favour of one side.
    ///
    /// # Errors
    ///
    /// `NotFound` when no item has that file; `MirrorOnly` for the file's side where nothing is pushed.
    pub async fn resolve(&self, path: &Path, side: Side) -> Result<Resolved> {
        let Place { item, part, .. } = self.place(path)?;
        let status = self.engine_status().await?;
        if status.read_only && side == Side::Mine {
            return Err(Error::MirrorOnly { account: self.account().to_string() });
        }
        let parts = status.items.iter().filter(|status| status.id == item).flat_map(|status| &status.parts);
        if !parts.into_iter().any(|other| other.part == part && !other.conflicts.is_empty()) {
            if let Some(halted) = &status.halted {
                // What was in conflict before this start is known once the file is compared again.
                return Err(Error::InvalidInput {
                    what: format!("{} was not resolved: {}", path.display(), halted.message),
                    suggestion: halted.suggestion.clone(),
                });
            }
            return Err(Error::InvalidInput {
                what: format!("{} has no conflict", path.display()),
                suggestion: "See `mcp-workspace status` for what waits.".into(),
            });
        }
        let done = self.done(&item, Command::Resolve { item: item.clone(), part: part.clone(), side }).await;
        let done = done.map_err(|error| once(error, "resolve it"))?;
        let went = done.into_iter().filter(|(of, notice)| *of == part && notice.code == GIVEN_UP);
        let mut went: Vec<Notice> = went.map(|(_, notice)| notice).collect();
        let mut waits = None;
        if side == Side::Mine {
            // Whether the document takes it is known once it was sent.
            let pushed = self.done(&item, Command::Push { item: item.clone(), accept: None, dry_run: false }).await;
            waits = pushed.err().map(|error| error.to_string());
        }
        let part = self.parts_of(&item).await?.into_iter().find(|other| other.part == part);
        if waits.is_some() || part.as_ref().is_some_and(|part| !part.held.is_empty()) {
            // Of what is not pushed at all, the document still has what it had.
            went.clear();
        }
        let left = part.and_then(|part| part.held.into_iter().chain(part.refused).next());
        let waits = left.map(|notice| notice.to_string()).or(waits);
        Ok(Resolved { item, waits, went })
    }

    /// Reads the change feed now.
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    pub async fn poll(&self) -> Result<()> {
        self.done(&ItemId("the change feed".into()), Command::Poll).await.map(drop)
    }

    /// Pulls and pushes nothing until [`Self::resume`], over restarts too.
    ///
    /// # Errors
    ///
    /// `NotRunning` when the mirror has ended.
    pub async fn pause(&self) -> Result<()> {
        self.done(&ItemId("the account".into()), Command::Pause).await.map(drop)
    }

    /// Goes on after a halt or a pause, or tries again after a sign-in. Returns how many files are missing, which count as
    /// deleted here from now on.
    ///
    /// # Errors
    ///
    /// `NotRunning` when the mirror has ended.
    pub async fn resume(&self) -> Result<usize> {
        let mut missing = 0;
        for item in self.engine_status().await?.items.into_iter().filter(|item| !item.gone) {
            for part in item.parts {
                let path = self.shared.workspace.layout().path(&Place::file(&item.id, &part.part))?;
                missing += usize::from(path.symlink_metadata().is_err());
            }
        }
        self.done(&ItemId("the account".into()), Command::Resume).await?;
        Ok(missing)
    }

    /// Pushes what is saved in a file now; with `dry_run` it only tells what would be sent.
    ///
    /// # Errors
    ///
    /// `NotFound` when no item has that file; network and permission errors as they come.
    pub async fn push(&self, path: &Path, accept: bool, dry_run: bool) -> Result<PushReport> {
        let place = self.place(path)?;
        let path = self.shared.workspace.layout().path(&Place::file(&place.item, &place.part))?;
        let Place { item, part, .. } = place;
        let accept = accept.then(|| part.clone());
        let replied = self.ask(Command::Push { item: item.clone(), accept, dry_run }).await?;
        let requests = match replied.answer {
            Answer::Done { requests, .. } => requests,
            Answer::Failed(failure) => return Err(error_of(failure, &item.0, self.account())),
        };
        let plan = replied.plans.get(&part);
        let landed = replied.landed.get(&part).map(Vec::as_slice).unwrap_or_default();
        let file = replied.status.as_ref().and_then(|status| status.parts.iter().find(|other| other.part == part));
        if file.is_none() && plan.is_none() {
            // The file of a tab that is gone, or a copy's name: nothing was looked at.
            return Err(Error::NotFound { id: path.display().to_string() });
        }
        let mut refused: Vec<Notice> =
            file.iter().flat_map(|file| file.unusable.iter().chain(&file.refused)).cloned().collect();
        let mut held = file.map(|file| file.held.clone()).unwrap_or_default();
        // A dry run leaves no trace in the engine, so what it found is in the plan alone.
        if let Some(plan) = plan {
            for (found, list) in [(&plan.refused, &mut refused), (&plan.holds, &mut held)] {
                for notice in found {
                    if !list.contains(notice) {
                        list.push(notice.clone());
                    }
                }
            }
        }
        let told = match (dry_run, plan) {
            (true, plan) => plan.map(|plan| plan.told.clone()).unwrap_or_default(),
            (false, _) => file.map(|file| file.told.clone()).unwrap_or_default(),
        };
        if !dry_run && !told.is_empty() {
            let seen = Command::Seen { item: item.clone(), part: part.clone(), notices: told.clone() };
            self.messages.send(Message::Ask(seen, oneshot::channel().0)).await.map_err(|_ended| self.ended())?;
        }
        let unsaid = match (dry_run, plan) {
            (true, plan) => plan.map(|plan| plan.unsaid.clone()).unwrap_or_default(),
            (false, _) => file.map(|file| file.unsaid.clone()).unwrap_or_default(),
        };
        Ok(PushReport {
            told,
            unsaid,
            pushed: !dry_run && requests > 0,
            calls: landed.len(),
            requests: match dry_run {
                true => plan.map(|plan| plan.shown()).unwrap_or_default(),
                false => landed.iter().flat_map(|plan| plan.shown()).collect(),
            },
            conflicts: file.map(|file| file.conflicts.clone()).unwrap_or_default(),
            hidden: file.is_some_and(|file| file.hidden),
            saving: file.is_some_and(|file| file.saving),
            unsaved: false,
            refused,
            held,
            item,
            part,
            path,
        })
    }

    /// Tells how things stand.
    ///
    /// # Errors
    ///
    /// `NotRunning` when the mirror has ended.
    pub async fn status(&self) -> Result<StatusReport> {
        const LOG_LINES: usize = 20;
        let mut status = self.engine_status().await?;
        let shared = self.shared.clone();
        let (status, recovered, log, makings, strays) = blocking(move || {
            // One that is back and waits to be read was not deleted.
            for (item, part) in
                status.items.iter_mut().flat_map(|item| item.parts.iter_mut().map(|part| (&item.id, part)))
            {
                part.hidden = part.hidden && !shared.workspace.layout().path(&Place::file(item, &part.part))?.exists();
            }
            let recovered = shared.recovered.told(&status, &shared)?;
            let strays = shared.strays.told(&shared)?;
            let reader = shared.reader();
            Ok((status, recovered, reader.log(None, LOG_LINES)?, reader.makings()?, strays))
        })
        .await?;
        Ok(StatusReport {
            rules: self.rules().await?,
            account: self.account().clone(),
            workspace: self.workspace().into(),
            recovered,
            beside: self.shared.beside.told().into_iter().chain(strays).collect(),
            unmade: making::told(&makings),
            status,
            log,
            kept: self.shared.kept.list(),
        })
    }

    /// Tells what the engine says of the account.
    ///
    /// # Errors
    ///
    /// `NotRunning` when the mirror has ended.
    pub async fn engine_status(&self) -> Result<Status> {
        self.ask_status(None).await
    }

    /// Tells how an item stands, and its account.
    ///
    /// # Errors
    ///
    /// `NotRunning` when the mirror has ended.
    pub async fn status_of(&self, item: &ItemId) -> Result<Status> {
        self.ask_status(Some(item.clone())).await
    }

    pub(super) async fn ask_status(&self, item: Option<ItemId>) -> Result<Status> {
        let (sender, receiver) = oneshot::channel();
        self.messages.send(Message::Status(item, sender)).await.map_err(|_ended| self.ended())?;
        receiver.await.map_err(|_ended| self.ended())
    }

    /// Returns which item an id, a URL or a path means; the remote is asked about one that is not mirrored yet.
    async fn found(&self, id_or_url: &str) -> Result<ItemId> {
        let known = self.item(id_or_url);
        if let Ok(item) = &known {
            let (shared, item) = (self.shared.clone(), item.clone());
            if blocking(move || Ok(shared.reader().item(&item)?.is_some())).await? {
                return known;
            }
        }
        match self.shared.kind.find(id_or_url.trim()).await? {
            Some(item) => Ok(item),
            None => known,
        }
    }

    /// Tells whether an id, a URL or a path may mean an item of this mirror, though it may have to be looked up.
    #[must_use]
    pub fn may_have(&self, id_or_url: &str) -> bool {
        self.shared.kind.may_name(id_or_url.trim()) || self.item(id_or_url).is_ok()
    }

    /// Returns which item an id, a URL or a path means.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when it names none that this mirror could have.
    pub fn item(&self, id_or_url: &str) -> Result<ItemId> {
        let text = id_or_url.trim();
        if let Some(item) = self.shared.kind.recognize(text) {
            Place::file(&item, &PartId::default()).name()?;
            return Ok(item);
        }
        if let Some(place) = self.place_of(Path::new(text)) {
            return Ok(place.item);
        }
        Err(Error::InvalidInput {
            what: format!("`{}` is neither an id, a URL nor a mirrored file", text.escape_debug()),
            suggestion: "Give the id or the URL of a Google document.".into(),
        })
    }

    /// Returns which file of ours a path means.
    pub(super) fn place(&self, path: &Path) -> Result<Place> {
        self.place_of(path).ok_or_else(|| Error::NotFound { id: path.display().to_string() })
    }

    async fn report(&self, item: ItemId, notices: Vec<(PartId, Notice)>, stale: Option<String>) -> Result<FetchReport> {
        self.report_within(item, notices, stale, images::ANSWER_WAIT).await
    }

    /// Tells where an item stands; waits at most `wait` for its pictures.
    async fn report_within(
        &self,
        item: ItemId,
        notices: Vec<(PartId, Notice)>,
        stale: Option<String>,
        wait: Duration,
    ) -> Result<FetchReport> {
        let all_here = self.shared.images.wait(&item, wait).await;
        // A few rows are read by their keys sooner than a thread is woken for it; who searches is not waited for here.
        if let Some(reader) = self.shared.reader_if_free() {
            return report_of(&self.shared, &reader, item, notices, stale, all_here);
        }
        let shared = self.shared.clone();
        blocking(move || report_of(&shared, &shared.reader(), item, notices, stale, all_here)).await
    }

    pub(super) async fn done(&self, item: &ItemId, command: Command) -> Result<Vec<(PartId, Notice)>> {
        match self.ask(command).await?.answer {
            Answer::Done { notices, .. } => Ok(notices),
            Answer::Failed(failure) => Err(error_of(failure, &item.0, self.account())),
        }
    }

    pub(super) async fn ask(&self, command: Command) -> Result<Replied> {
        let (sender, receiver) = oneshot::channel();
        self.messages.send(Message::Ask(command, sender)).await.map_err(|_ended| self.ended())?;
        receiver.await.map_err(|_ended| self.ended())
    }

    pub(super) fn ended(&self) -> Error {
        Error::NotRunning { path: self.workspace().into() }
    }
}

/// Tells where a stored item stands.
fn report_of(
    shared: &Shared,
    reader: &Store,
    item: ItemId,
    notices: Vec<(PartId, Notice)>,
    stale: Option<String>,
    all_here: bool,
) -> Result<FetchReport> {
    let (images, pictures) = images::report(shared, reader, &item, all_here)?;
    let Some(stored) = reader.item(&item)? else { return Err(Error::NotFound { id: item.0 }) };
    let StoredItem { id, kind, title, url, revision, can_edit, parts, .. } = stored;
    let mut report = FetchReport {
        account: shared.account.clone(),
        parts: Vec::new(),
        images: images.into_iter().map(|(object, path)| ImageReport { object, path }).collect(),
        notices: Vec::new(),
        item: id,
        kind,
        title,
        url,
        revision,
        can_edit,
        stale,
    };
    for part in parts {
        let path = shared.workspace.layout().path(&Place::file(&report.item, &part.part))?;
        report.notices.extend(part.warnings.into_iter().map(|notice| (part.part.clone(), notice)));
        let title = if part.title.is_empty() { report.title.clone() } else { part.title };
        report.parts.push(PartReport { part: part.part, title, path });
    }
    report.notices.extend(pictures.into_iter().map(|notice| (PartId::default(), notice)));
    report.notices.extend(notices);
    Ok(report)
}
