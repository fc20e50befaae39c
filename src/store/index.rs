//! The rows of the full-text index.
//!
//! The number of a row begins with the time of its text, so that the index gives the newest first without sorting. Single changes
//! are written at once. Where many come, their rows are written together, which costs a third. What waits is noted, and read from what
//! was agreed on if the program ends before.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::values::{json, unpack};
use super::{Store, attached, storage};
use crate::error::Result;
use crate::mebdf;
use crate::model::{ContentHash, Facets, ItemId, Millis, PartId};

/// Begins what no text can say: the index takes this letter of private use for one of a word.
pub(super) const MARK: char = '\u{e000}';

/// What each row has.
pub(super) const ANY: &str = "\u{e000}any";

/// What rows have whose items came with files.
pub(super) const ATTACHMENT: &str = "\u{e000}attachment";

/// What rows of mail have in which nothing is unread.
pub(super) const READ: &str = "\u{e000}read";

/// The label of what nobody has read.
const UNREAD: &str = "UNREAD";

/// Stands between letters of scripts that know no blanks, so that each is a word of the index.
const APART: char = '\u{200b}';

/// How many rows of one minute are told apart by their numbers; more of them are taken for rows of the next minute. The index keeps what
/// lies between two numbers, so they lie close together.
const OF_MINUTE: i64 = 1 << 8;

/// The latest minute that a row can be of.
const MINUTES_MAX: i64 = 1 << 42;

/// How many changes in one second are indexed at once; more are a flood.
const AT_ONCE_MAX: u32 = 8;

/// Rows that wait at most; the next change writes them.
const WAITING_MAX: usize = 10_000;

/// Bytes that they have at most.
const WAITING_BYTES_MAX: usize = 16 << 20;

/// Rows that are written in one turn.
const TURN_MAX: i64 = 10_000;

/// For how long rows wait while others come.
const WAIT_MAX: u64 = 10_000;

/// How long no row came when the flood is over.
const QUIET: u64 = 1_000;

/// The columns of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Title,
    Text,
    Sender,
    Recipient,
    Attached,
    Facts,
}

impl Column {
    /// All of them, in the order of the table.
    pub(super) const ALL: [Self; 6] =
        [Self::Title, Self::Text, Self::Sender, Self::Recipient, Self::Attached, Self::Facts];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Text => "text",
            Self::Sender => "sender",
            Self::Recipient => "recipient",
            Self::Attached => "attached",
            Self::Facts => "facts",
        }
    }

    /// How much a word in it weighs. Facts are no words.
    pub(super) const fn weight(self) -> &'static str {
        match self {
            Self::Title => "8.0",
            Self::Text => "1.0",
            Self::Sender => "4.0",
            Self::Recipient => "2.0",
            Self::Attached => "0.5",
            Self::Facts => "0.0",
        }
    }
}

/// What comes in a flood waits; this knows whether there is one.
#[derive(Debug, Default)]
pub(super) struct Flood {
    /// The second that is counted, and how many changes it has seen.
    second: u64,
    changes: u32,
    /// When the oldest row that waits came, and the newest.
    oldest: Option<Millis>,
    newest: Millis,
    /// The rows, by their numbers. Those that an earlier run has left are read when they are written.
    ready: BTreeMap<i64, Ready>,
    bytes: usize,
}

impl Flood {
    /// What an earlier run left waits since long ago.
    pub(super) fn left(any: bool) -> Self {
        Self { oldest: any.then_some(Millis(0)), ..Self::default() }
    }

    /// Counts a change; tells whether its rows may wait.
    pub(super) fn comes(&mut self, at: Millis) -> bool {
        let second = at.0 / 1000;
        self.changes = if self.second == second { self.changes.saturating_add(1) } else { 1 };
        self.second = second;
        self.changes > AT_ONCE_MAX || !self.ready.is_empty()
    }

    fn waits(&mut self, (doc, row): (i64, Ready), at: Millis) {
        self.bytes += row.bytes();
        self.bytes -= self.ready.insert(doc, row).map_or(0, |old| old.bytes());
        self.changed(at);
    }

    /// Has a row read when it is written: something else than its text is stored anew.
    pub(super) fn read_anew(&mut self, doc: i64, at: Millis) {
        self.bytes -= self.ready.remove(&doc).map_or(0, |old| old.bytes());
        self.changed(at);
    }

    fn changed(&mut self, at: Millis) {
        self.newest = at;
        self.oldest.get_or_insert(at);
    }

    /// Tells whether what waits is to be written.
    fn is_due(&self, now: Millis) -> bool {
        self.oldest.is_some_and(|oldest| {
            self.ready.len() >= WAITING_MAX
                || self.bytes >= WAITING_BYTES_MAX
                || now.0 < self.newest.0
                || now.0 - self.newest.0 >= QUIET
                || now.0.saturating_sub(oldest.0) >= WAIT_MAX
        })
    }
}

/// What the columns of a row say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ready([String; Column::ALL.len()]);

impl Ready {
    fn bytes(&self) -> usize {
        self.0.iter().map(String::len).sum()
    }

    /// Writes it into the index.
    pub(super) fn insert(&self, connection: &Connection, doc: i64) -> Result<()> {
        let [title, text, sender, recipient, attached, facts] = &self.0;
        connection
            .prepare_cached(
                "INSERT INTO doc (rowid, title, text, sender, recipient, attached, facts)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )
            .and_then(|mut s| s.execute(params![doc, title, text, sender, recipient, attached, facts]))
            .map(drop)
            .map_err(storage("indexing a file"))
    }
}

/// A file as it is indexed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) title: &'a str,
    /// The text of the file, head included.
    pub(super) text: &'a str,
    pub(super) facets: &'a Facets,
}

impl Row<'_> {
    /// Tells two rows apart that say something else; what is attached follows by itself.
    pub(super) fn mark(&self) -> Result<[u8; 16]> {
        let facets = json(self.facets, "indexing a file")?;
        let body = mebdf::body(self.text);
        let ContentHash(whole) = ContentHash::of(format!("{}\n{facets}\n{body}", self.title).as_bytes());
        let mut mark = [0; 16];
        for (to, from) in mark.iter_mut().zip(whole) {
            *to = from;
        }
        Ok(mark)
    }

    /// Returns what its columns say, with what is attached to the item, as [`attached::indexed`] has it.
    pub(super) fn ready(&self, attached: String) -> Ready {
        let all = |people: &[String]| spaced(&people.join("; ")).into_owned();
        let Facets { senders, recipients, .. } = self.facets;
        let text = spaced(mebdf::body(self.text)).into_owned();
        let (sender, recipient, facts) = (all(senders), all(recipients), self.facts());
        Ready([spaced(self.title).into_owned(), text, sender, recipient, attached, facts])
    }

    /// What the row is found by beside words.
    fn facts(&self) -> String {
        let Facets { labels, has_attachment, .. } = self.facets;
        let mut facts = vec![ANY.to_owned()];
        facts.extend(has_attachment.then(|| ATTACHMENT.to_owned()));
        // What has no labels is no mail.
        let is_read = !labels.is_empty() && !labels.iter().any(|label| label == UNREAD);
        facts.extend(is_read.then(|| READ.to_owned()));
        facts.extend(labels.iter().map(String::as_str).map(label));
        facts.join(" ")
    }

    /// The moment that its newest text is of, when it was recorded then.
    pub(super) fn moment(&self, at: Millis) -> Millis {
        self.facets.last.unwrap_or(at)
    }
}

/// Names a label so that the index knows it for one: as Gmail's search does, by its letters and digits, whatever their case.
///
/// Source: <https://support.google.com/mail/answer/7190> (`label:` takes hyphens for what no word has)
pub(super) fn label(name: &str) -> String {
    let plain: String =
        name.to_lowercase().chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
    let ContentHash(hash) = ContentHash::of(plain.as_bytes());
    let hex: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{MARK}l{hex}")
}

/// Returns the first number that rows of a moment have, in seconds since 1970.
pub(super) const fn first_of(second: i64) -> i64 {
    let minute = second / 60;
    let minute = if minute < 0 { 0 } else { minute };
    (if minute > MINUTES_MAX { MINUTES_MAX } else { minute }) * OF_MINUTE
}

/// Draws a number for a row of a moment. The old one stays if it is of that minute.
pub(super) fn number(connection: &Connection, Millis(moment): Millis, old: Option<i64>) -> Result<i64> {
    let mut first = first_of(i64::try_from(moment / 1000).unwrap_or(i64::MAX));
    if let Some(old) = old.filter(|old| (first..first + OF_MINUTE).contains(old)) {
        return Ok(old);
    }
    loop {
        let last: Option<i64> = connection
            .prepare_cached("SELECT max(docid) FROM part WHERE docid >= ?1 AND docid < ?2")
            .and_then(|mut s| s.query_row([first, first + OF_MINUTE], |row| row.get(0)))
            .map_err(storage("indexing a file"))?;
        let next = last.map_or(first, |last| last + 1);
        if next < first + OF_MINUTE {
            return Ok(next);
        }
        first = next;
    }
}

/// Sets letters of scripts that know no blanks apart, and takes [`MARK`] away.
pub(super) fn spaced(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|letter| letter == MARK || is_unspaced(letter)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut before: Option<char> = None;
    for letter in text.chars().filter(|letter| *letter != MARK) {
        let meet = |one: char, other: char| {
            one.is_alphanumeric() && other.is_alphanumeric() && (is_unspaced(one) || is_unspaced(other))
        };
        if before.is_some_and(|before| meet(before, letter)) {
            out.push(APART);
        }
        out.push(letter);
        before = Some(letter);
    }
    Cow::Owned(out)
}

/// Takes away what [`spaced`] has put into a text, and every [`MARK`], and makes one line of it.
pub(super) fn unspaced(text: &str) -> String {
    let text: String = text.chars().filter(|letter| *letter != APART && *letter != MARK).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Tells whether a letter is of a script whose words are not set apart by blanks, or, as in Korean, have endings without.
const fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        '\u{e00}'..='\u{fff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{2e80}'..='\u{2fdf}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Takes a row out of the index, or from among those that wait.
pub(super) fn remove(connection: &Connection, doc: i64) -> Result<()> {
    for sql in ["DELETE FROM doc WHERE rowid = ?1", "DELETE FROM unindexed WHERE docid = ?1"] {
        connection.prepare_cached(sql).and_then(|mut s| s.execute([doc])).map_err(storage("indexing a file"))?;
    }
    Ok(())
}

/// Has a row wait.
pub(super) fn wait(connection: &Connection, doc: i64) -> Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO unindexed (docid) VALUES (?1)")
        .and_then(|mut s| s.execute([doc]))
        .map(drop)
        .map_err(storage("indexing a file"))
}

/// Tells whether rows wait.
pub(super) fn any_waits(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM unindexed)", [], |row| row.get(0))
}

/// Writes rows that wait, those with the lowest numbers first: the index writes what comes out of order piece by piece. Returns how
/// many it wrote.
fn write_waiting(transaction: &Transaction<'_>, ready: &BTreeMap<i64, Ready>) -> Result<usize> {
    let doing = "indexing what came";
    let mut statement =
        transaction.prepare_cached("SELECT docid FROM unindexed ORDER BY docid LIMIT ?1").map_err(storage(doing))?;
    let rows = statement.query_map([TURN_MAX], |row| row.get::<_, i64>(0)).map_err(storage(doing))?;
    let mut last = i64::MAX;
    let mut count = 0;
    for doc in rows {
        let doc = doc.map_err(storage(doing))?;
        match ready.get(&doc) {
            Some(row) => row.insert(transaction, doc)?,
            None if attached::refresh(transaction, doc)? => {}
            None => read_ready(transaction, doc)?.map_or(Ok(()), |row| row.insert(transaction, doc))?,
        }
        (last, count) = (doc, count + 1);
    }
    drop(statement);
    transaction.execute("DELETE FROM unindexed WHERE docid <= ?1", [last]).map_err(storage(doing))?;
    Ok(count)
}

/// Makes the row of a file from what was agreed on. What cannot be read is found by its title, and told of by whoever reads it.
fn read_ready(connection: &Connection, doc: i64) -> Result<Option<Ready>> {
    type Stored = (String, String, String, Option<Vec<u8>>);
    let found: Option<Stored> = connection
        .prepare_cached(
            "SELECT i.id, i.title, p.facets, b.text FROM part p JOIN item i ON i.id = p.item
             LEFT JOIN base b ON b.item = p.item AND b.part = p.part
                 AND b.seq = (SELECT max(seq) FROM base WHERE item = p.item AND part = p.part)
             WHERE p.docid = ?1",
        )
        .and_then(|mut s| s.query_row([doc], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).optional())
        .map_err(storage("indexing what came"))?;
    let Some((item, title, facets, packed)) = found else { return Ok(None) };
    let text = packed.as_deref().and_then(unpack).unwrap_or_default();
    let attached = attached::indexed(connection, &item)?;
    Ok(Some(Row { title: &title, text: &text, facets: &read_facets(&facets) }.ready(attached)))
}

/// Reads facets as they are stored; those that cannot be read are none.
pub(super) fn read_facets(stored: &str) -> Facets {
    serde_json::from_str(stored).unwrap_or_default()
}

/// Reads what is stored of a file for its row: its number, the title of its item, and its facets.
pub(super) fn stored(connection: &Connection, item: &ItemId, part: &PartId) -> Result<Option<(i64, String, Facets)>> {
    connection
        .prepare_cached(
            "SELECT p.docid, i.title, p.facets FROM part p JOIN item i ON i.id = p.item
             WHERE p.item = ?1 AND p.part = ?2",
        )
        .and_then(|mut s| s.query_row([&item.0, &part.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional())
        .map(|found| found.map(|(doc, title, facets): (i64, String, String)| (doc, title, read_facets(&facets))))
        .map_err(storage("reading what is indexed"))
}

impl Store {
    /// Keeps rows that wait, as a record has left them. The record stands, whatever becomes of them.
    pub(super) fn rows_wait(&mut self, rows: Vec<(i64, Ready)>, at: Millis) {
        for row in rows {
            self.flood.waits(row, at);
        }
        if let Err(error) = self.index_waiting(at) {
            tracing::warn!(%error, "what came could not be indexed yet");
        }
    }

    /// Writes into the index what came in a flood, when that is over, or has lasted long. Returns how many files it wrote.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then they wait on.
    pub fn index_waiting(&mut self, now: Millis) -> Result<usize> {
        if !self.flood.is_due(now) {
            return Ok(0);
        }
        let doing = "indexing what came";
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        let count = write_waiting(&transaction, &self.flood.ready)?;
        transaction.commit().map_err(storage(doing))?;
        // Nothing of it is worth an epoch: an older database finds what it has.
        self.flood = Flood::left(any_waits(&self.connection).map_err(storage(doing))?);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_without_blanks_are_set_apart() {
        for (text, expected) in [
            ("plain text", "plain text"),
            ("会議 room", "会\u{200b}議 room"),
            ("Q3の会議。次", "Q3\u{200b}の\u{200b}会\u{200b}議。次"),
            ("회의는", "회\u{200b}의\u{200b}는"),
        ] {
            assert_eq!(spaced(text), expected);
            assert_eq!(unspaced(&spaced(text)), text);
        }
    }

    #[test]
    fn single_changes_do_not_wait_and_floods_do() {
        let mut flood = Flood::default();
        let waits: Vec<bool> = (0..12).map(|_| flood.comes(Millis(5_000))).collect();
        assert_eq!(waits.iter().filter(|waits| !**waits).count(), AT_ONCE_MAX as usize);
        let row = || Ready(Column::ALL.map(|column| column.name().to_owned()));
        for doc in [1, 2, 3, 4, 4] {
            flood.waits((doc, row()), Millis(5_000));
        }
        assert_eq!(flood.bytes, 4 * row().bytes());
        assert!(flood.comes(Millis(9_000)), "what comes while others wait comes behind them");
        assert!(!flood.is_due(Millis(5_500)) && flood.is_due(Millis(6_000)));
        flood.waits((5, row()), Millis(14_900));
        assert!(!flood.is_due(Millis(14_950)) && flood.is_due(Millis(15_000)));
        assert!(flood.is_due(Millis(1)), "a clock that was set back makes nothing wait");
        flood.read_anew(5, Millis(15_000));
        assert_eq!((flood.bytes, flood.ready.contains_key(&5)), (4 * row().bytes(), false));
        let mut other = Flood::default();
        other.read_anew(1, Millis(5_000));
        assert!(!other.comes(Millis(5_000)), "single changes wait for no attachment");
        assert!(other.is_due(Millis(6_000)));
        assert!(Flood::left(true).is_due(Millis(10_000)) && !Flood::left(false).is_due(Millis(10_000)));
    }
}
