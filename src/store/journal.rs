//! The journal: every push, written down before it is sent.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::boot;
use super::log::{self, LogWord};
use super::values::{from_millis, json, millis, pack, unpack};
use super::{Store, epoch, storage};
use crate::error::Result;
use crate::model::{ItemId, Millis, Notice, PartId, Revision};
use crate::sync::{JobEnd, JobId, OpenJob, Words};

/// How many ended pushes are kept in the journal, for looking back.
const KEPT_JOBS: i64 = 1_000;

/// How many pushes of each file keep their texts, so that they can be taken back.
const KEPT_TEXTS: i64 = 50;

/// A push that is about to be sent.
#[derive(Debug, Clone, Copy)]
pub struct NewJob<'a> {
    /// The item.
    pub item: &'a ItemId,
    /// Which of its files.
    pub part: &'a PartId,
    /// The version the plan was made on.
    pub base_revision: &'a Revision,
    /// The text the part has before.
    pub before: &'a str,
    /// The text the part shall have afterwards.
    pub expected: &'a str,
    /// What both sides then agree on; `None` when the base stays.
    pub base: Option<&'a str>,
    /// The requests as JSON, for looking back.
    pub plan: &'a [u8],
    /// What goes with it though the file does not show it.
    pub told: &'a [Notice],
    /// When.
    pub at: Millis,
}

/// A push that landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPush {
    /// Its row in the journal.
    pub job: JobId,
    /// The item.
    pub item: ItemId,
    /// Which of its files.
    pub part: PartId,
    /// When it was begun.
    pub at: Millis,
    /// The texts of the part before and after it; `None` when it is too old for them to be kept, or they are damaged.
    pub texts: Option<(String, String)>,
}

impl Store {
    /// Writes "begun" into the journal; on return it is on the disk.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing may be sent.
    pub fn begin_job(&mut self, job: &NewJob<'_>) -> Result<JobId> {
        let doing = "writing the journal";
        let (expected, plan) = (pack(job.expected.as_bytes(), doing)?, pack(job.plan, doing)?);
        let before = pack(job.before.as_bytes(), doing)?;
        let base = job.base.map(|base| pack(base.as_bytes(), doing)).transpose()?;
        let told = json(&job.told, doing)?;
        let boot = boot::id();
        let job = self.durably(doing, |connection| {
            let transaction = connection.transaction().map_err(storage(doing))?;
            let inserted = transaction.execute(
                "INSERT INTO job (item, part, base_revision, expected, plan, state, at, told, landed, before, boot)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'begun', ?6, ?7, ?8, ?9, ?10)",
                params![
                    job.item.0,
                    job.part.0,
                    job.base_revision.0,
                    expected,
                    plan,
                    millis(job.at),
                    told,
                    base,
                    before,
                    boot
                ],
            );
            let job = inserted.map(|_| JobId(transaction.last_insert_rowid())).map_err(storage(doing))?;
            epoch::advance(&transaction)?;
            transaction.commit().map_err(storage(doing))?;
            Ok(job)
        })?;
        self.tell_durable();
        Ok(job)
    }

    /// Notes that Google has said of a push that it has landed: what the document says later may not tell, since others go on
    /// writing.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn answered(&self, job: JobId) -> Result<()> {
        let doing = "writing the journal";
        let noted = self.connection.execute("UPDATE job SET answered = 1 WHERE id = ?1", [job.0]);
        noted.map(drop).map_err(storage(doing))
    }

    /// Returns the pushes whose end is not recorded, oldest first.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn open_jobs(&self) -> Result<Vec<OpenJob>> {
        let doing = "reading the journal";
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT id, item, part, base_revision, expected, told, landed, at, answered,
                     boot IS NULL OR boot IS NOT ?1, before
                 FROM job WHERE state = 'begun' ORDER BY id",
            )
            .map_err(storage(doing))?;
        let rows = statement
            .query_map([boot::id()], |row| {
                Ok((
                    OpenJob {
                        job: JobId(row.get(0)?),
                        item: ItemId(row.get(1)?),
                        part: PartId(row.get(2)?),
                        revision: Revision(row.get(3)?),
                        at: Millis(u64::try_from(row.get::<_, i64>(7)?).unwrap_or_default()),
                        answered: row.get(8)?,
                        power_failed: row.get(9)?,
                        before: None,
                        expected: String::new(),
                        base: None,
                        told: serde_json::from_str(&row.get::<_, String>(5)?).unwrap_or_default(),
                    },
                    row.get::<_, Vec<u8>>(4)?,
                    row.get::<_, Option<Vec<u8>>>(6)?,
                    row.get::<_, Option<Vec<u8>>>(10)?,
                ))
            })
            .map_err(storage(doing))?;
        let mut jobs = Vec::new();
        for row in rows {
            let (mut job, packed, base, before) = row.map_err(storage(doing))?;
            let base = base.map_or(Some(None), |base| unpack(&base).map(Some));
            // What became of a push whose text is damaged is seen as what anybody wrote: by comparing.
            let (Some(expected), Some(base)) = (unpack(&packed), base) else { continue };
            (job.expected, job.base) = (expected, base);
            job.before = before.and_then(|before| unpack(&before));
            jobs.push(job);
        }
        Ok(jobs)
    }

    /// Returns a push that landed.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn push(&self, job: JobId) -> Result<Option<StoredPush>> {
        let doing = "reading the journal";
        let found = self
            .connection
            .prepare_cached("SELECT item, part, at, before, expected FROM job WHERE id = ?1 AND state = 'accepted'")
            .and_then(|mut statement| {
                let read = |row: &rusqlite::Row<'_>| {
                    let texts: (Option<Vec<u8>>, Vec<u8>) = (row.get(3)?, row.get(4)?);
                    let (item, part, at) = (ItemId(row.get(0)?), PartId(row.get(1)?), from_millis(row.get(2)?));
                    Ok((StoredPush { job, item, part, at, texts: None }, texts))
                };
                statement.query_row([job.0], read).optional()
            })
            .map_err(storage(doing))?;
        let Some((mut push, (before, after))) = found else { return Ok(None) };
        if let Some(before) = before {
            push.texts = unpack(&before).zip(unpack(&after));
        }
        Ok(Some(push))
    }
}

/// What a push that ended changed.
pub(super) struct Ended {
    pub(super) part: PartId,
    /// The text before it; `None` when that is not known any more.
    pub(super) before: Option<String>,
    /// The text after it.
    pub(super) after: String,
}

/// Writes how pushes of an item ended, and into the log what they changed. Returns those that landed, oldest first.
pub(super) fn end(
    transaction: &Transaction<'_>,
    item: &ItemId,
    jobs: &[(JobId, JobEnd)],
    at: Millis,
) -> Result<Vec<Ended>> {
    let doing = "recording";
    let mut landed = Vec::new();
    for (job, end) in jobs {
        let (state, what) = match end {
            JobEnd::Accepted => ("accepted", Some(LogWord::Push)),
            JobEnd::Stale => ("stale", None),
            JobEnd::Refused => ("refused", Some(LogWord::Refused)),
            JobEnd::Failed => ("failed", None),
            JobEnd::Reconciled => ("reconciled", None),
        };
        transaction
            .execute("UPDATE job SET state = ?2 WHERE id = ?1", params![job.0, state])
            .map_err(storage(doing))?;
        let Some(what) = what else { continue };
        let Some((part, before, after)) = texts(transaction, *job)? else { continue };
        let words = before.as_ref().map(|before| Words::changed(before, &after)).unwrap_or_default();
        log::write(transaction, &log::Entry { at, item, part: &part, what, push: Some(*job), words })?;
        if what == LogWord::Push {
            landed.push(Ended { part, before, after });
        }
    }
    if !jobs.is_empty() {
        drop_old(transaction, item)?;
    }
    Ok(landed)
}

/// Returns the file of a push, and its texts before and after; `None` when it is not known, or damaged.
fn texts(connection: &Connection, job: JobId) -> Result<Option<(PartId, Option<String>, String)>> {
    let doing = "recording";
    let found: Option<(String, Option<Vec<u8>>, Vec<u8>)> = connection
        .prepare_cached("SELECT part, before, expected FROM job WHERE id = ?1")
        .and_then(|mut statement| {
            statement.query_row([job.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
        })
        .map_err(storage(doing))?;
    let Some((part, before, after)) = found else { return Ok(None) };
    let before = before.and_then(|before| unpack(&before));
    Ok(unpack(&after).map(|after| (PartId(part), before, after)))
}

/// Drops the texts of pushes of an item beyond [`KEPT_TEXTS`], and all of those beyond [`KEPT_JOBS`].
fn drop_old(transaction: &Transaction<'_>, item: &ItemId) -> Result<()> {
    let doing = "recording";
    transaction
        .execute(
            "UPDATE job SET before = NULL, expected = x'', plan = x'' WHERE item = ?1 AND state <> 'begun' AND before IS NOT NULL
               AND id NOT IN (SELECT id FROM job WHERE item = ?1 ORDER BY id DESC LIMIT ?2)",
            params![item.0, KEPT_TEXTS],
        )
        .map_err(storage(doing))?;
    transaction
        .execute("DELETE FROM job WHERE state <> 'begun' AND id <= (SELECT max(id) FROM job) - ?1", [KEPT_JOBS])
        .map(drop)
        .map_err(storage(doing))
}
