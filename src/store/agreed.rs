//! What both sides agreed on of a file, and whether anything is known of it from before that.

use rusqlite::{OptionalExtension as _, params};

use super::values::{pack, unpack};
use super::{Store, storage};
use crate::error::Result;
use crate::model::{ContentHash, ItemId, PartId};
use crate::sync::Blind;

impl Store {
    /// Returns the newest base of each part of an item, also of one that may come back or be fetched anew. A damaged one is left out:
    /// then nothing is agreed, and a file that says something else than its document is an edit or a conflict.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn bases(&self, id: &ItemId) -> Result<Vec<(PartId, String)>> {
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT p.part, b.text, b.hash FROM part p JOIN base b ON b.item = p.item AND b.part = p.part
                 WHERE p.item = ?1
                   AND b.seq = (SELECT max(seq) FROM base WHERE item = p.item AND part = p.part)
                 ORDER BY p.position",
            )
            .map_err(storage("reading a base"))?;
        let rows = statement
            .query_map([&id.0], |row| Ok((PartId(row.get(0)?), (row.get::<_, Vec<u8>>(1)?, row.get::<_, Vec<u8>>(2)?))))
            .map_err(storage("reading a base"))?;
        let mut bases = Vec::new();
        for row in rows {
            let (part, (packed, hash)) = row.map_err(storage("reading a base"))?;
            match unpack(&packed).filter(|text| ContentHash::of(text.as_bytes()).0.as_slice() == hash) {
                Some(text) => bases.push((part, text)),
                None => tracing::error!(%id, %part, "what both sides agreed on is damaged; they are compared anew"),
            }
        }
        Ok(bases)
    }

    /// Returns what is known of those files of an item of which nothing is known from before, also of one that may come back or be
    /// fetched anew.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn blind_of(&self, id: &ItemId) -> Result<Vec<(PartId, Blind)>> {
        let doing = "reading what is known of a file";
        let mut statement = self
            .connection
            .prepare_cached("SELECT part, blind FROM part WHERE item = ?1 AND blind IS NOT NULL")
            .map_err(storage(doing))?;
        let rows = statement
            .query_map([&id.0], |row| Ok((PartId(row.get(0)?), row.get::<_, String>(1)?)))
            .map_err(storage(doing))?;
        let rows: Vec<(PartId, String)> = rows.collect::<Result<_, _>>().map_err(storage(doing))?;
        // One that cannot be read is as none: nobody could say when it ends.
        Ok(rows.into_iter().filter_map(|(part, told)| Some((part, serde_json::from_str(&told).ok()?))).collect())
    }

    /// Writes the newest base of a file anew when its text or its hash says that it was `text`, which the file still says: one of
    /// the two is damaged. Tells whether it was.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing has changed.
    pub fn mend_base(&mut self, item: &ItemId, part: &PartId, text: &str) -> Result<bool> {
        let doing = "mending a base";
        let hash = ContentHash::of(text.as_bytes());
        let newest: Option<(i64, Vec<u8>, Vec<u8>)> = self
            .connection
            .prepare_cached("SELECT seq, hash, text FROM base WHERE item = ?1 AND part = ?2 ORDER BY seq DESC LIMIT 1")
            .and_then(|mut s| {
                s.query_row([&item.0, &part.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
            })
            .map_err(storage(doing))?;
        let Some((seq, known, packed)) = newest else { return Ok(false) };
        if known.as_slice() != hash.0 && unpack(&packed).as_deref() != Some(text) {
            return Ok(false);
        }
        self.connection
            .execute(
                "UPDATE base SET text = ?4, hash = ?5 WHERE item = ?1 AND part = ?2 AND seq = ?3",
                params![item.0, part.0, seq, pack(text.as_bytes(), doing)?, hash.0],
            )
            .map_err(storage(doing))?;
        Ok(true)
    }

    /// Forgets what was agreed of a file, and what came into it: nothing that its text says or lacks is taken for an edit then.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing has changed.
    pub fn distrust(&mut self, item: &ItemId, part: &PartId) -> Result<()> {
        let doing = "forgetting what was agreed";
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        for table in ["base", "arrival"] {
            let sql = format!("DELETE FROM {table} WHERE item = ?1 AND part = ?2");
            transaction.execute(&sql, [&item.0, &part.0]).map_err(storage(doing))?;
        }
        transaction.commit().map_err(storage(doing))
    }
}
