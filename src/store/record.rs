//! What is stored at the end of a walk: base, file, index row, journal, log, in one transaction.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::arrivals;
use super::index::{self, Ready, Row};
use super::journal::{self, Ended};
use super::log::{self, LogWord};
use super::values::{json, millis, pack, unpack};
use super::{Facts, KEPT_BASES, attached, storage};
use crate::error::Result;
use crate::model::{ContentHash, Facets, ItemId, Millis, PartId};
use crate::sync::{Record, RecordPart, Told, Words};

/// Writes one record with everything that belongs to it; the caller commits. Returns the rows of the index that
/// wait, if they may.
pub(super) fn write_record(
    transaction: &Transaction<'_>,
    record: &Record,
    facts: Option<&Facts>,
    may_wait: bool,
) -> Result<Vec<(i64, Ready)>> {
    let doing = "recording";
    let Record { item, kind, title, revision, can_edit, gone, parts, left: _, jobs, at } = record;
    let returns = transaction
        .query_row("SELECT 1 FROM item WHERE id = ?1 AND buried = 1", [&item.0], |_row| Ok(()))
        .optional()
        .map_err(storage(doing))?
        // Where somebody puts a file back while its item is away, that alone is there.
        .is_some_and(|()| !gone);
    // Its files stood there when it was taken in, so nothing came into them.
    let adopted = transaction
        .query_row(
            "SELECT 1 FROM item WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM part WHERE item = ?1)",
            [&item.0],
            |_row| Ok(()),
        )
        .optional()
        .map_err(storage(doing))?
        .is_some();
    transaction
        .execute(
            "INSERT INTO item (id, kind, title, revision, can_edit, at, gone) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET kind = ?2, title = ?3, revision = ?4, can_edit = ?5, at = ?6, gone = ?7,
                 buried = 0",
            params![item.0, kind.to_string(), title, revision.as_ref().map(|r| &r.0), can_edit, millis(*at), gone],
        )
        .map_err(storage(doing))?;
    transaction.execute("DELETE FROM tombstone WHERE item = ?1", [&item.0]).map_err(storage(doing))?;

    if returns {
        let (part, words) = (&PartId::default(), Words::default());
        log::write(transaction, &log::Entry { at: *at, item, part, what: LogWord::Returned, push: None, words })?;
    }
    let landed = journal::end(transaction, item, jobs, *at)?;
    let mut waiting = Vec::new();
    for (position, part) in parts.iter().enumerate() {
        let pushed: Vec<&Ended> = landed.iter().filter(|ended| ended.part == part.part).collect();
        write_base(transaction, (item, adopted), part, &pushed, *at)?;
        for arrival in part.arrived.iter().rev() {
            arrivals::write(transaction, item, &part.part, arrival)?;
        }
        if part.settled {
            arrivals::forget_intent(transaction, item, &part.part)?;
        }
        let facets = facts.map(|facts| &facts.facets);
        waiting.extend(write_index(transaction, record, position, (facets, may_wait))?);
        write_told(transaction, item, &part.part, &part.told)?;
        let blind = part.blind.as_ref().map(|blind| json(blind, doing)).transpose()?;
        let put_back = part.put_back.as_ref().map(|text| pack(text.as_bytes(), doing)).transpose()?;
        transaction
            .prepare_cached(
                "UPDATE part SET behind = ?3, put_back = ?4, blind = ?5
                 WHERE item = ?1 AND part = ?2 AND (behind <> ?3 OR put_back IS NOT ?4 OR blind IS NOT ?5)",
            )
            .and_then(|mut s| s.execute(params![item.0, part.part.0, part.behind, put_back, blind]))
            .map_err(storage(doing))?;
    }
    drop_missing_parts(transaction, record)?;

    if let Some(facts) = facts {
        transaction
            .execute(
                "UPDATE item SET url = ?2, main = coalesce(?3, main) WHERE id = ?1",
                params![item.0, facts.url, facts.main],
            )
            .map_err(storage(doing))?;
        for (part, title, warnings) in &facts.parts {
            let warnings = json(warnings, doing)?;
            transaction
                .execute(
                    "UPDATE part SET title = ?3, warnings = ?4 WHERE item = ?1 AND part = ?2",
                    [&item.0, &part.0, title, &warnings],
                )
                .map_err(storage(doing))?;
        }
    }
    Ok(waiting)
}

/// Adds a base when it differs from the newest one, drops those beyond [`KEPT_BASES`], and writes into the log what came with
/// it that was not `pushed`; into the files of an item that was `adopted` nothing came but what is written.
fn write_base(
    transaction: &Transaction<'_>,
    (item, adopted): (&ItemId, bool),
    part: &RecordPart,
    pushed: &[&Ended],
    at: Millis,
) -> Result<()> {
    let doing = "recording a base";
    let RecordPart { part, base: text, indexed, written, .. } = part;
    let hash = ContentHash::of(text.as_bytes());
    let newest: Option<(i64, Vec<u8>, Vec<u8>)> = transaction
        .prepare_cached("SELECT seq, hash, text FROM base WHERE item = ?1 AND part = ?2 ORDER BY seq DESC LIMIT 1")
        .and_then(|mut s| s.query_row([&item.0, &part.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional())
        .map_err(storage(doing))?;
    let before = newest.as_ref().and_then(|(_, _, packed)| unpack(packed));
    // A damaged one is written anew.
    if before.as_ref() == Some(text) && newest.as_ref().is_some_and(|(_, known, _)| known.as_slice() == hash.0) {
        return Ok(());
    }
    // Of a file that was never recorded its first push tells what was there.
    let before = before.or_else(|| pushed.first()?.before.clone()).unwrap_or_default();
    let known: Vec<(&str, &str)> =
        pushed.iter().map(|ended| (ended.before.as_deref().unwrap_or(&before), ended.after.as_str())).collect();
    let words = Words::changed_beside((&before, text), &known);
    // What is agreed on comes into a file when that is written; after a crash it may say so by then. A choice between two sides
    // is no pull. After a push the base changes in any case; a pull without a word is one of looks alone.
    let came = *written || !adopted && pushed.is_empty() && indexed == text;
    if came && (pushed.is_empty() || words != Words::default()) {
        log::write(transaction, &log::Entry { at, item, part, what: LogWord::Pull, push: None, words })?;
    }
    let seq = newest.map_or(1, |(seq, ..)| seq + 1);
    transaction
        .execute(
            "INSERT INTO base (item, part, seq, text, hash, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![item.0, part.0, seq, pack(text.as_bytes(), doing)?, hash.0, millis(at)],
        )
        .map_err(storage(doing))?;
    transaction
        .execute(
            "DELETE FROM base WHERE item = ?1 AND part = ?2 AND seq <= ?3",
            params![item.0, part.0, seq - KEPT_BASES],
        )
        .map(drop)
        .map_err(storage(doing))
}

/// Writes the row of a part and, when its text, its facets or the item's title changed, its row in the index. Returns that row if
/// it waits.
fn write_index(
    transaction: &Transaction<'_>,
    record: &Record,
    position: usize,
    (facets, may_wait): (Option<&Facets>, bool),
) -> Result<Option<(i64, Ready)>> {
    let doing = "recording a file";
    let Some(part) = record.parts.get(position) else { return Ok(None) };
    let (item, at) = (&record.item.0, millis(record.at));
    let stamp = part.stamp.map(|stamp| json(&stamp, doing)).transpose()?;
    let hash = part.hash.map(|hash| hash.0);
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    let known: Option<(i64, Option<Vec<u8>>, String)> = transaction
        .prepare_cached("SELECT docid, mark, facets FROM part WHERE item = ?1 AND part = ?2")
        .and_then(|mut s| {
            s.query_row([item, &part.part.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
        })
        .map_err(storage(doing))?;
    let stored = known.as_ref().map(|(.., facets)| index::read_facets(facets)).unwrap_or_default();
    let facets = facets.unwrap_or(&stored);
    let row = Row { title: &record.title, text: &part.indexed, facets };
    let mark = row.mark()?;
    if known.as_ref().is_some_and(|(_, known, _)| known.as_deref() == Some(&mark)) {
        return transaction
            .prepare_cached("UPDATE part SET position = ?3, stamp = ?4, hash = ?5 WHERE item = ?1 AND part = ?2")
            .and_then(|mut s| s.execute(params![item, part.part.0, position, stamp, hash]))
            .map(|_| None)
            .map_err(storage(doing));
    }
    let old = known.map(|(doc, ..)| doc);
    if let Some(old) = old {
        index::remove(transaction, old)?;
    }
    let doc = index::number(transaction, row.moment(record.at), old)?;
    // What waits is read from the base, so a file that says something else cannot.
    let ready = row.ready(attached::indexed(transaction, item)?);
    let waits = may_wait && part.indexed == part.base;
    match waits {
        true => index::wait(transaction, doc)?,
        false => ready.insert(transaction, doc)?,
    }
    let first = facets.first.map(|first| millis(first) / 1000);
    transaction
        .prepare_cached(
            "INSERT INTO part (item, part, position, stamp, hash, modified, docid, facets, first, mark)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (item, part) DO UPDATE SET position = ?3, stamp = ?4, hash = ?5, modified = ?6, docid = ?7,
                 facets = ?8, first = ?9, mark = ?10",
        )
        .and_then(|mut s| {
            let facets = json(facets, doing).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
            s.execute(params![item, part.part.0, position, stamp, hash, at, doc, facets, first, mark])
        })
        .map(|_| waits.then_some((doc, ready)))
        .map_err(storage(doing))
}

/// Writes what a person has yet to be told of pushes of a file.
pub(super) fn write_told(connection: &Connection, item: &ItemId, part: &PartId, told: &Told) -> Result<()> {
    let doing = "recording what is told";
    let written = json(told, doing)?;
    connection
        .prepare_cached("UPDATE part SET told = ?3 WHERE item = ?1 AND part = ?2 AND told <> ?3")
        .and_then(|mut s| s.execute(params![item.0, part.0, written]))
        .map(drop)
        .map_err(storage(doing))
}

/// Drops the rows of parts that no longer exist remotely.
fn drop_missing_parts(transaction: &Transaction<'_>, record: &Record) -> Result<()> {
    let doing = "dropping a file";
    let item = &record.item.0;
    // What came into a file, or was to come, may have been noted before the file was recorded.
    let stored: Vec<(String, Option<i64>)> = transaction
        .prepare_cached(
            "SELECT part, max(docid) FROM (
                 SELECT part, docid FROM part WHERE item = ?1
                 UNION ALL SELECT part, NULL FROM arrival WHERE item = ?1
                 UNION ALL SELECT part, NULL FROM intent WHERE item = ?1
             ) GROUP BY part",
        )
        .and_then(|mut s| s.query_map([item], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .map_err(storage(doing))?;
    for (part, doc) in stored {
        if record.parts.iter().map(|kept| &kept.part).chain(&record.left).any(|kept| kept.0 == part) {
            continue;
        }
        if let Some(doc) = doc {
            index::remove(transaction, doc)?;
        }
        log::keep_title(transaction, item, &part)?;
        transaction.execute("DELETE FROM part WHERE item = ?1 AND part = ?2", [item, &part]).map_err(storage(doing))?;
        transaction.execute("DELETE FROM base WHERE item = ?1 AND part = ?2", [item, &part]).map_err(storage(doing))?;
        transaction
            .execute("DELETE FROM arrival WHERE item = ?1 AND part = ?2", [item, &part])
            .map_err(storage(doing))?;
        arrivals::forget_intent(transaction, &record.item, &PartId(part))?;
    }
    Ok(())
}
