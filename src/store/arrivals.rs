//! What came from the remote into each file, so that a save of an older text is known for one; and what is about to come.

use rusqlite::{Transaction, params};

use super::values::{json, pack, unpack};
use super::{Store, epoch, storage};
use crate::error::Result;
use crate::model::{ItemId, PartId};
use crate::sync::{Arrival, Intent};

/// How many of each file are kept: the newest, and one that is all the older ones.
const KEPT: i64 = 20;

/// The text before, the text after, and the base where it is neither.
type Packed = (Vec<u8>, Vec<u8>, Option<Vec<u8>>);

impl Store {
    /// Returns what came into a file, newest first; `None` when some of that is damaged, so that nobody knows which text a save was
    /// made from.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn arrivals(&self, item: &ItemId, part: &PartId) -> Result<Option<Vec<Arrival>>> {
        let doing = "reading what came into a file";
        let mut statement = self
            .connection
            .prepare_cached("SELECT before, after, base FROM arrival WHERE item = ?1 AND part = ?2 ORDER BY seq DESC")
            .map_err(storage(doing))?;
        let rows = statement
            .query_map([&item.0, &part.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .map_err(storage(doing))?;
        let mut arrivals = Vec::new();
        for row in rows {
            let (before, after, base): Packed = row.map_err(storage(doing))?;
            let arrival = || {
                let before = unpack(&before)?;
                let base = base.map_or_else(|| Some(before.clone()), |base| unpack(&base))?;
                Some(Arrival { before, after: unpack(&after)?, base })
            };
            let Some(arrival) = arrival() else { return Ok(None) };
            arrivals.push(arrival);
        }
        Ok(Some(arrivals))
    }

    /// Returns the number of what came into a file last; 0 when nothing did.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn newest_arrival(&self, item: &ItemId, part: &PartId) -> Result<i64> {
        self.connection
            .prepare_cached("SELECT coalesce(max(seq), 0) FROM arrival WHERE item = ?1 AND part = ?2")
            .and_then(|mut statement| statement.query_row([&item.0, &part.0], |row| row.get(0)))
            .map_err(storage("counting what came into a file"))
    }

    /// Returns how many of [`Store::arrivals`] came after the one with a number.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn arrivals_since(&self, item: &ItemId, part: &PartId, number: i64) -> Result<usize> {
        let count: i64 = self
            .connection
            .prepare_cached("SELECT count(*) FROM arrival WHERE item = ?1 AND part = ?2 AND seq > ?3")
            .and_then(|mut statement| statement.query_row(params![item.0, part.0, number], |row| row.get(0)))
            .map_err(storage("counting what came into a file"))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Writes down what a file is about to say, and what came into it before that no record knows of yet, newest first; on return
    /// it is on the disk.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then the file must not be written.
    pub fn intend(
        &mut self,
        (item, part): (&ItemId, &PartId),
        intent: &Intent,
        main: Option<&str>,
        arrived: &[Arrival],
    ) -> Result<()> {
        let doing = "writing down what a file will say";
        let pack = |text: &str| pack(text.as_bytes(), doing);
        let base = (intent.base != intent.after).then(|| pack(&intent.base)).transpose()?;
        let was = intent.was.as_deref().map(pack).transpose()?;
        let (before, after) = (pack(&intent.before)?, pack(&intent.after)?);
        let pushes = json(&intent.pushes, doing)?;
        let blind = intent.blind.as_ref().map(|blind| json(blind, doing)).transpose()?;
        self.durably(doing, |connection| {
            let transaction = connection.transaction().map_err(storage(doing))?;
            transaction
                .execute(
                    "INSERT INTO intent (item, part, before, after, base, was, pushes, blind, main)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                     ON CONFLICT (item, part)
                     DO UPDATE SET before = ?3, after = ?4, base = ?5, was = ?6, pushes = ?7, blind = ?8, main = ?9",
                    params![item.0, part.0, before, after, base, was, pushes, blind, main],
                )
                .map_err(storage(doing))?;
            arrived.iter().rev().try_for_each(|arrival| write(&transaction, item, part, arrival))?;
            epoch::advance(&transaction)?;
            transaction.commit().map_err(storage(doing))
        })?;
        self.tell_durable();
        Ok(())
    }

    /// Notes what comes by a save that is about to be joined with a file, the newest first; on return it is on the disk. Noted once more
    /// it is the same.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then the file must not be written.
    pub fn note_arrivals(&mut self, item: &ItemId, part: &PartId, arrivals: &[Arrival]) -> Result<()> {
        let doing = "noting what comes into a file";
        let known = self.arrivals(item, part)?;
        if known.is_some_and(|known| known.starts_with(arrivals)) {
            return Ok(());
        }
        self.durably(doing, |connection| {
            let transaction = connection.transaction().map_err(storage(doing))?;
            arrivals.iter().rev().try_for_each(|arrival| write(&transaction, item, part, arrival))?;
            transaction.commit().map_err(storage(doing))
        })
    }

    /// Returns what the files of an item were about to say, where that was not recorded; what is damaged is left out.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn intents(&self, item: &ItemId) -> Result<Vec<(PartId, Intent)>> {
        let doing = "reading what a file shall say";
        let mut statement = self
            .connection
            .prepare_cached("SELECT part, before, after, base, was, pushes, blind FROM intent WHERE item = ?1")
            .map_err(storage(doing))?;
        let rows = statement
            .query_map([&item.0], |row| {
                Ok((
                    row.get(0)?,
                    (row.get(1)?, row.get(2)?, row.get(3)?),
                    row.get::<_, Option<Vec<u8>>>(4)?,
                    (row.get(5)?, row.get(6)?),
                ))
            })
            .map_err(storage(doing))?;
        let mut intents = Vec::new();
        for row in rows {
            let (part, (before, after, base), was, (pushes, blind)): (String, Packed, _, (String, Option<String>)) =
                row.map_err(storage(doing))?;
            let intent = || {
                let was = was.map_or(Some(None), |was| unpack(&was).map(Some))?;
                let after = unpack(&after)?;
                let base = base.map_or_else(|| Some(after.clone()), |base| unpack(&base))?;
                let pushes = serde_json::from_str(&pushes).unwrap_or_default();
                let blind = blind.and_then(|blind| serde_json::from_str(&blind).ok());
                Some(Intent { before: unpack(&before)?, was, after, base, pushes, blind })
            };
            intents.extend(intent().map(|intent| (PartId(part), intent)));
        }
        Ok(intents)
    }
}

/// Lets go of what a file was about to say, since it is recorded; the caller commits.
pub(super) fn forget_intent(transaction: &Transaction<'_>, item: &ItemId, part: &PartId) -> Result<()> {
    transaction
        .prepare_cached("DELETE FROM intent WHERE item = ?1 AND part = ?2")
        .and_then(|mut statement| statement.execute([&item.0, &part.0]))
        .map(drop)
        .map_err(storage("recording what a file says"))
}

/// Adds what came into a file; beyond [`KEPT`] the two oldest become one, so that the oldest text that an editor may have open is
/// known as long as the file is. The caller commits.
pub(super) fn write(transaction: &Transaction<'_>, item: &ItemId, part: &PartId, arrival: &Arrival) -> Result<()> {
    let doing = "recording what came into a file";
    let pack = |text: &str| pack(text.as_bytes(), doing);
    // A file mostly says what its base does.
    let base = (arrival.base != arrival.before).then(|| pack(&arrival.base)).transpose()?;
    let seq: i64 = transaction
        .query_row(
            "SELECT coalesce(max(seq), 0) + 1 FROM arrival WHERE item = ?1 AND part = ?2",
            [&item.0, &part.0],
            |row| row.get(0),
        )
        .map_err(storage(doing))?;
    transaction
        .execute(
            "INSERT INTO arrival (item, part, seq, before, after, base) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![item.0, part.0, seq, pack(&arrival.before)?, pack(&arrival.after)?, base],
        )
        .map_err(storage(doing))?;
    let mut statement = transaction
        .prepare_cached("SELECT seq FROM arrival WHERE item = ?1 AND part = ?2 ORDER BY seq DESC LIMIT -1 OFFSET ?3")
        .map_err(storage(doing))?;
    let oldest = statement
        .query_map(params![item.0, part.0, KEPT - 1], |row| row.get(0))
        .and_then(Iterator::collect::<std::result::Result<Vec<i64>, _>>)
        .map_err(storage(doing))?;
    for pair in oldest.windows(2).rev() {
        let &[newer, older] = pair else { continue };
        let of = params![item.0, part.0, older, newer];
        let join = "UPDATE arrival SET (before, base) =
                        (SELECT before, base FROM arrival WHERE item = ?1 AND part = ?2 AND seq = ?3)
                    WHERE item = ?1 AND part = ?2 AND seq = ?4";
        transaction.execute(join, of).map_err(storage(doing))?;
        let remove = "DELETE FROM arrival WHERE item = ?1 AND part = ?2 AND seq = ?3";
        transaction.execute(remove, params![item.0, part.0, older]).map_err(storage(doing))?;
    }
    Ok(())
}
