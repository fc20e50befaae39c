//! What came from the remote into each file, so that a save of an older text is known for one.

use rusqlite::{Transaction, params};

use super::{Store, pack, storage, unpack};
use crate::error::Result;
use crate::model::{ItemId, PartId};
use crate::sync::Arrival;

/// How many of each file are kept, the newest.
const KEPT: i64 = 20;

impl Store {
    /// Returns what came into a file, newest first.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn arrivals(&self, item: &ItemId, part: &PartId) -> Result<Vec<Arrival>> {
        let doing = "reading what came into a file";
        let mut statement = self
            .connection
            .prepare_cached("SELECT before, after, base FROM arrival WHERE item = ?1 AND part = ?2 ORDER BY seq DESC")
            .map_err(storage(doing))?;
        let rows = statement
            .query_map([&item.0, &part.0], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Option<Vec<u8>>>(2)?))
            })
            .map_err(storage(doing))?;
        let mut arrivals = Vec::new();
        for row in rows {
            let (before, after, base) = row.map_err(storage(doing))?;
            let before = unpack(&before, doing)?;
            let base = base.map_or_else(|| Ok(before.clone()), |base| unpack(&base, doing))?;
            arrivals.push(Arrival { before, after: unpack(&after, doing)?, base });
        }
        Ok(arrivals)
    }
}

/// Adds what came into a file, and drops the oldest beyond [`KEPT`]; the caller commits.
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
    transaction
        .execute("DELETE FROM arrival WHERE item = ?1 AND part = ?2 AND seq <= ?3", params![item.0, part.0, seq - KEPT])
        .map(drop)
        .map_err(storage(doing))
}
