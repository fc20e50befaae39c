//! What a person wants to be mirrored by itself.

use rusqlite::{OptionalExtension as _, params};

use super::values::{json, millis};
use super::{Store, storage};
use crate::error::Result;
use crate::model::{ItemId, Millis, Rule};

/// A rule, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRule {
    /// Its number.
    pub number: i64,
    /// What it is.
    pub rule: Rule,
    /// Whether all that it names was mirrored once, so that only what is new is to be looked for.
    pub whole: bool,
}

impl Store {
    /// Keeps a rule; returns its number.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn add_rule(&mut self, rule: &Rule, at: Millis) -> Result<i64> {
        let doing = "keeping a rule";
        self.connection
            .execute("INSERT INTO rule (what, at) VALUES (?1, ?2)", params![json(rule, doing)?, millis(at)])
            .map_err(storage(doing))?;
        let number = self.connection.last_insert_rowid();
        self.advanced()?;
        Ok(number)
    }

    /// Notes that all that a rule names was mirrored once.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn rule_is_whole(&mut self, number: i64) -> Result<()> {
        self.connection
            .execute("UPDATE rule SET whole = 1 WHERE number = ?1", [number])
            .map_err(storage("noting how far a rule is"))?;
        self.advanced()
    }

    /// Ends a rule; tells whether there was one.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn end_rule(&mut self, number: i64) -> Result<bool> {
        let ended = self.connection.execute("DELETE FROM rule WHERE number = ?1", [number]);
        let ended = ended.map_err(storage("ending a rule"))? > 0;
        self.advanced()?;
        Ok(ended)
    }

    /// Returns the rules, oldest first. One that a later version wrote and this one cannot read is left out.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn rules(&self) -> Result<Vec<KeptRule>> {
        let doing = "reading the rules";
        let mut statement = self
            .connection
            .prepare_cached("SELECT number, what, whole FROM rule ORDER BY number")
            .map_err(storage(doing))?;
        let rows = statement
            .query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, bool>(2)?)))
            .map_err(storage(doing))?;
        let mut rules = Vec::new();
        for row in rows {
            let (number, what, whole) = row.map_err(storage(doing))?;
            match serde_json::from_str(&what) {
                Ok(rule) => rules.push(KeptRule { number, rule, whole }),
                Err(error) => tracing::warn!(number, %error, "a rule cannot be read"),
            }
        }
        Ok(rules)
    }

    /// Tells whether a rule has nothing to do for an item: it is mirrored, or a person has ended that.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn is_settled(&self, item: &ItemId) -> Result<bool> {
        self.connection
            .prepare_cached("SELECT 1 FROM item WHERE id = ?1 UNION ALL SELECT 1 FROM tombstone WHERE item = ?1")
            .and_then(|mut statement| statement.query_row([&item.0], |_row| Ok(())).optional())
            .map(|found| found.is_some())
            .map_err(storage("looking for an item"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_kept_until_they_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        let rule = Rule { query: "label:trips".into(), label: None, since: Some("2026-01-02".into()), max: Some(5) };
        let first = store.add_rule(&rule, Millis(1)).unwrap();
        let second = store.add_rule(&Rule::default(), Millis(2)).unwrap();
        store.rule_is_whole(second).unwrap();
        let kept = store.rules().unwrap();
        assert_eq!(kept[0], KeptRule { number: first, rule, whole: false });
        assert_eq!((kept[1].number, kept[1].whole), (second, true));
        assert!(store.end_rule(first).unwrap() && !store.end_rule(first).unwrap());
        // A number is given once.
        assert!(store.end_rule(second).unwrap());
        assert!(store.add_rule(&Rule::default(), Millis(3)).unwrap() > second);
        assert!(!store.is_settled(&ItemId("a".into())).unwrap());
    }
}
