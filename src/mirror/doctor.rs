//! A look at live data: what must hold of base, file, index, journal and remote is derived anew, and told where it does not.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::clock::system_ms;
use super::handle::MirrorHandle;
use super::{Shared, blocking};
use crate::error::{Error, Result};
use crate::kinds::Lack;
use crate::model::{ItemId, PartId, Stamp};
use crate::store::{StoredItem, StoredPart};
use crate::sync::{Command, ItemStatus, Local, PartStatus, Status, in_conflict, is_edited, same_meaning};

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// SQLite finds its own file whole.
    Database,
    /// The account's folder stands where it was.
    Folder,
    /// Every push that was begun has an end, or somebody at work on it.
    Journal,
    /// What both sides agreed on is known of every file.
    Base,
    /// Every file says what was agreed, or what waits in it is known.
    File,
    /// The index finds every file by its words.
    Index,
    /// Every file of the folder belongs to an item.
    Stray,
    /// Every document says what was agreed.
    Remote,
    /// Nothing stops the account.
    Account,
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was checked.
    pub check: Check,
    /// The item and the file that it is about, when it is about one.
    pub place: Option<(ItemId, PartId)>,
    /// What does not hold.
    pub message: String,
    /// What to do about it.
    pub fix: String,
    /// Whether a repair can be made, and was.
    pub repair: Repair,
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Repair {
    /// Nothing is wrong, but a person may want to know.
    Note,
    /// A person must do something.
    ByHand,
    /// `doctor --repair` can do it.
    Offered,
    /// It was done.
    Done,
}

impl Finding {
    fn new(
        check: Check,
        place: Option<(&ItemId, &PartId)>,
        message: impl Into<String>,
        fix: &str,
        repair: Repair,
    ) -> Self {
        let place = place.map(|(item, part)| (item.clone(), part.clone()));
        Self { check, place, message: message.into(), fix: fix.into(), repair }
    }
}

/// How long after a save nothing is said of what a file says, in milliseconds.
const JUST_SAVED_MS: u64 = 6_000;

/// What a file is to be walked anew for.
const WALK: &str = "`mcp-workspace doctor --repair` compares it with its document anew; nothing is lost by that.";

/// What a person can do where that changed nothing.
const NOT_MENDED: &str =
    "It was compared with its document, and that changed nothing; `mcp-workspace status` may say why.";

/// What an index that SQLite finds fault with needs.
const REINDEX: &str = "`mcp-workspace doctor --repair` makes it anew from the texts that it holds.";

impl MirrorHandle {
    /// Checks what stands here, and at most `remote_max` documents; with `repair` it mends what can be mended.
    ///
    /// # Errors
    ///
    /// `Storage` and `Disk` as they come.
    pub async fn doctor(&self, repair: bool, remote_max: usize) -> Result<Vec<Finding>> {
        let mut findings = self.look_locally().await?;
        findings.extend(self.look_remotely(remote_max).await?);
        if repair {
            for finding in findings.iter_mut().filter(|finding| finding.repair == Repair::Offered) {
                if self.mend(finding).await? {
                    finding.repair = Repair::Done;
                }
            }
            self.check_mended(&mut findings).await?;
        }
        Ok(findings)
    }

    /// Looks once more at what was mended: what is found again was not.
    async fn check_mended(&self, findings: &mut [Finding]) -> Result<()> {
        let left = self.look_locally().await?;
        let is_left = |finding: &Finding| {
            let mut left = left.iter().filter(|other| other.repair != Repair::Note);
            left.any(|other| (other.check, &other.place) == (finding.check, &finding.place))
        };
        for finding in findings.iter_mut().filter(|finding| finding.repair == Repair::Done) {
            if is_left(finding) {
                finding.repair = Repair::ByHand;
                finding.fix = NOT_MENDED.into();
            }
        }
        Ok(())
    }

    async fn look_locally(&self) -> Result<Vec<Finding>> {
        let status = self.engine_status().await?;
        let shared = self.shared_arc();
        blocking(move || local_findings(&shared, &status)).await
    }

    /// Reads documents, those that changed last first, and compares them with their bases.
    async fn look_remotely(&self, most: usize) -> Result<Vec<Finding>> {
        let shared = self.shared_arc();
        let mut items = blocking(move || shared.reader().items()).await?;
        items.sort_by_key(|item| std::cmp::Reverse(item.at));
        let mut findings = Vec::new();
        for item in items.iter().take(most) {
            findings.extend(self.compare(item).await?);
        }
        if let Some(left) = items.len().checked_sub(most).filter(|left| *left > 0 && most > 0) {
            let message = format!("{left} of {} documents were not compared with Google", items.len());
            findings.push(Finding::new(Check::Remote, None, message, "Ask for more with `--remote N`.", Repair::Note));
        }
        Ok(findings)
    }

    async fn compare(&self, item: &StoredItem) -> Result<Vec<Finding>> {
        let place = Some((item.id.clone(), PartId::default()));
        let told = |message: String, fix: &str, repair| Finding {
            check: Check::Remote,
            place: place.clone(),
            message,
            fix: fix.into(),
            repair,
        };
        let shared = self.shared_arc();
        let permit = shared.fetches.acquire().await;
        let (kind, id) = (shared.kind.clone(), item.id.clone());
        let here = shared.clone();
        let read = async move { super::walk::with_main(&here, None, kind.fetch(&id, true).await?).await };
        let fetched: Result<Result<_>, _> = tokio::spawn(read).await;
        drop(permit);
        let fetched = match fetched
            .map_err(|panic| Error::ExtractionFailed { id: item.id.0.clone(), source: panic.into() })?
        {
            Ok(fetched) => fetched,
            Err(error) => {
                return Ok(vec![told(format!("it could not be read: {error}"), &error.suggestion(), Repair::ByHand)]);
            }
        };
        // Which boxes are ticked was not told now; what is shown of them would look like a change.
        if fetched.lack != Lack::Nothing {
            return Ok(Vec::new());
        }
        let (shared, id) = (self.shared_arc(), item.id.clone());
        let (now, bases) = blocking(move || {
            let reader = shared.reader();
            Ok((reader.item(&id)?, reader.bases(&id)?))
        })
        .await?;
        // Read anew meanwhile, it is compared already.
        if now.is_none_or(|now| now.revision != item.revision) {
            return Ok(Vec::new());
        }
        let bases: BTreeMap<PartId, String> = bases.into_iter().collect();
        let status = self.engine_status().await?;
        let known = status.items.iter().find(|status| status.id == item.id);
        if known.is_none_or(is_at_work) {
            return Ok(Vec::new());
        }
        let differs = |(part, text): (&PartId, &String)| {
            let waits = part_of(known, part).is_some_and(has_waiting);
            !waits && bases.get(part).is_none_or(|base| !same_meaning(base, text))
        };
        if !fetched.parts.iter().any(|part| differs((&part.id, &part.text))) {
            return Ok(Vec::new());
        }
        let message = if fetched.revision == item.revision {
            "the document says something else than what was agreed at the same revision"
        } else {
            "the document was changed since it was read last, and the feed has not told that yet"
        };
        Ok(vec![told(message.into(), WALK, Repair::Offered)])
    }

    /// Mends what a finding is about; tells whether it could.
    async fn mend(&self, finding: &Finding) -> Result<bool> {
        let Some((item, part)) = finding.place.clone() else {
            let shared = self.shared_arc();
            let mend = move || {
                let mut store = shared.store()?;
                store.rebuild_index()?;
                store.drop_stray_rows()
            };
            return blocking(mend).await.map(|()| true);
        };
        if finding.check == Check::Index {
            let shared = self.shared_arc();
            return blocking(move || {
                let Local::Text { text, .. } = shared.workspace.observe(&item, &part)? else { return Ok(false) };
                shared.store()?.index_anew(&item, &part, &text)?;
                Ok(true)
            })
            .await;
        }
        Ok(self.done(&item, Command::Push { item: item.clone(), accept: None, dry_run: false }).await.is_ok())
    }
}

fn local_findings(shared: &Shared, status: &Status) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    if let Some(trouble) = status.halted.as_ref().or(status.paused.as_ref()) {
        let message = format!("nothing is pulled or pushed: {}", trouble.message);
        // Who has paused it knows.
        let repair = if trouble.kind == "paused" { Repair::Note } else { Repair::ByHand };
        findings.push(Finding::new(Check::Account, None, message, &trouble.suggestion, repair));
    }
    if let Some(trouble) = &status.poll_error {
        let message = format!("what changed at Google cannot be asked for: {}", trouble.message);
        findings.push(Finding::new(Check::Account, None, message, &trouble.suggestion, Repair::Note));
    }
    let misplaced = shared.reader().misplaced();
    if let Some(message) = misplaced {
        let fix = "Stop the daemon and start it again: the files are then compared with their documents anew.";
        findings.push(Finding::new(Check::Database, None, message, fix, Repair::ByHand));
        return Ok(findings);
    }
    if let Some(error) = shared.epochs.failed() {
        let message = format!("that the database is the newest cannot be noted beside the files: {error}");
        let fix = "Until it can be, a database that is put back from a backup is not known for an older one.";
        findings.push(Finding::new(Check::Database, None, message, fix, Repair::ByHand));
    }
    // That takes long with a large database, and whoever searches meanwhile must not wait for it.
    let aside = shared.reader().reader()?;
    let damage = aside.damage()?;
    for words in damage.index {
        findings.push(Finding::new(Check::Index, None, words, REINDEX, Repair::Offered));
    }
    for words in damage.tables {
        let fix = "Stop the daemon, move the database (state.db, and what stands beside it) away, and start again: the files \
                   are then compared with their documents anew.";
        findings.push(Finding::new(Check::Database, None, words, fix, Repair::ByHand));
    }
    if shared.workspace.identity().is_none() {
        let path = shared.workspace.layout().items_folder();
        let message = format!("{} is not there", path.display());
        findings.push(Finding::new(
            Check::Folder,
            None,
            message,
            "Bring it back, then `mcp-workspace resume`.",
            Repair::ByHand,
        ));
        return Ok(findings);
    }
    findings.extend(status.items.iter().flat_map(waiting_findings));
    let items = shared.reader().items()?;
    let known: BTreeSet<&ItemId> = items.iter().map(|item| &item.id).collect();
    for place in shared.workspace.all_files()?.iter().filter(|place| !place.conflict) {
        if !known.contains(&place.item) {
            let path = shared.workspace.layout().path(place)?;
            let message = format!("{} belongs to nothing that is mirrored", path.display());
            let fix = "`mcp-workspace fetch` of its id mirrors it; else it is left alone.";
            findings.push(Finding::new(Check::Stray, Some((&place.item, &place.part)), message, fix, Repair::Note));
        }
    }
    let strays = shared.reader().stray_rows()?;
    if strays > 0 {
        let message = format!("the index has {strays} texts that belong to nothing");
        findings.push(Finding::new(Check::Index, None, message, REINDEX, Repair::Offered));
    }
    let open = shared.reader().open_pushes()?;
    for item in &items {
        let known = status.items.iter().find(|status| status.id == item.id);
        let is_waiting = known.is_some_and(waits);
        // While everything halts, what waits is not about to be done, and the rest can be checked.
        if known.is_some_and(is_at_work) && (status.halted.is_none() || !is_waiting) {
            continue;
        }
        for (_, part) in open.iter().filter(|(id, _)| *id == item.id && !is_waiting) {
            let message = "a push was begun, and nobody knows yet whether it landed: its document tells, once it changes or ten \
                           minutes have passed";
            findings.push(Finding::new(Check::Journal, Some((&item.id, part)), message, WALK, Repair::Offered));
        }
        let bases: BTreeMap<PartId, String> = shared.reader().bases(&item.id)?.into_iter().collect();
        // A file that cannot be used, or waits, is told of by the status.
        let is_told = known.is_some_and(|known| known.gone || known.parts.iter().any(has_waiting));
        if item.parts.is_empty() && !is_waiting && !is_told {
            let main = PartId::default();
            let message = "it was taken in and never read";
            findings.push(Finding::new(Check::Base, Some((&item.id, &main)), message, WALK, Repair::Offered));
        }
        // Of a document that is gone the status tells, and that its file keeps the edits.
        if known.is_some_and(|known| known.gone) {
            continue;
        }
        for part in &item.parts {
            let found = part_finding(shared, item, part, bases.get(&part.part), part_of(known, &part.part))?;
            findings.extend(found.filter(|found| !is_waiting || found.check == Check::Index));
        }
    }
    Ok(findings)
}

/// What waits for a person in the files of an item: nothing is wrong with that, but not all is well.
fn waiting_findings(item: &ItemStatus) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(trouble) = item.error.as_ref().filter(|_| !item.gone) {
        let repair = if trouble.lasting { Repair::ByHand } else { Repair::Note };
        let main = item.parts.first().map(|part| part.part.clone()).unwrap_or_default();
        findings.push(Finding::new(
            Check::File,
            Some((&item.id, &main)),
            trouble.message.clone(),
            &trouble.suggestion,
            repair,
        ));
    }
    for part in &item.parts {
        let mut told = |message: &str, fix: &str, repair| {
            findings.push(Finding::new(Check::File, Some((&item.id, &part.part)), message, fix, repair));
        };
        if let Some(notice) = &part.unusable {
            told(
                &notice.message,
                "Put that right, or take away what stands there and run `mcp-workspace restore`.",
                Repair::ByHand,
            );
        }
        let waits = part.held.iter().chain(&part.refused);
        for notice in waits {
            told(&format!("an edit waits: {}", notice.message), "`mcp-workspace status` tells more.", Repair::Note);
        }
        for heading in &part.conflicts {
            let message = in_conflict(heading);
            told(&message, "The conflict file says how to end that.", Repair::Note);
        }
    }
    findings
}

/// Checks one file against its base and the index.
fn part_finding(
    shared: &Shared,
    item: &StoredItem,
    part: &StoredPart,
    base: Option<&String>,
    status: Option<&PartStatus>,
) -> Result<Option<Finding>> {
    let found =
        |check, message: &str| Finding::new(check, Some((&item.id, &part.part)), message, WALK, Repair::Offered);
    let Some(base) = base else {
        return Ok(Some(found(Check::Base, "what was agreed of this file is not known")));
    };
    let (stamp, hash, text) = match shared.workspace.observe(&item.id, &part.part)? {
        Local::Text { stamp, hash, text } => (stamp, hash, text),
        Local::Absent => {
            let message = "the file was deleted here";
            let fix = "`mcp-workspace restore` of its id writes it back; the document is untouched.";
            return Ok(Some(Finding::new(Check::File, Some((&item.id, &part.part)), message, fix, Repair::Note)));
        }
        // Whoever writes it is not done; what cannot be read is told in the status.
        Local::Restless | Local::Unusable { .. } => return Ok(None),
    };
    if (part.hash == Some(hash) || text == *base) && !shared.reader().is_indexed(&item.id, &part.part, &text)? {
        return Ok(Some(found(Check::Index, "a search does not find the file by what it says")));
    }
    if is_edited(base, &text) && !status.is_some_and(has_waiting) && !is_just_saved(&stamp) {
        return Ok(Some(found(Check::File, "the file says something else than what was agreed, and nothing waits")));
    }
    Ok(None)
}

/// Tells whether a file was saved a moment ago: an editor may not be done, and it is not looked at at once.
fn is_just_saved(stamp: &Stamp) -> bool {
    let since_ns = i128::from(system_ms()) * 1_000_000 - stamp.ctime_ns;
    // A clock may have been set back since.
    since_ns.abs() < i128::from(JUST_SAVED_MS) * 1_000_000
}

fn part_of<'a>(item: Option<&'a ItemStatus>, part: &PartId) -> Option<&'a PartStatus> {
    item?.parts.iter().find(|status| status.part == *part)
}

/// Tells whether something is being done with an item, or about to be.
fn is_at_work(item: &ItemStatus) -> bool {
    waits(item) || item.phase != "idle"
}

/// Tells whether something is to be done with an item.
fn waits(item: &ItemStatus) -> bool {
    item.waiting || item.next_retry.is_some()
}

/// Tells whether the status of a file says why it differs.
fn has_waiting(part: &PartStatus) -> bool {
    part.open
        || part.hidden
        || part.unusable.is_some()
        || !(part.held.is_empty() && part.refused.is_empty() && part.unsaid.is_empty() && part.conflicts.is_empty())
}
