//! The nouns that every room shares.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One signed-in Google identity: its e-mail address, which is also its folder in the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Account(pub String);

/// The remote's own id of an item, for a Doc its Drive file id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ItemId(pub String);

/// One file of an item: empty for the main file, a tab id for another tab of a Doc.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PartId(pub String);

/// The remote's opaque version of an item; only compared for equality.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(pub String);

/// How far a change feed was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(pub String);

/// The kind of an item; its name is its folder's and the word that people see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KindName {
    /// Google Docs.
    Docs,
    /// Threads of mails.
    Gmail,
}

impl KindName {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Docs, Self::Gmail];
}

/// A stream of changes at Google. The items that it names stand in a folder of its own in that of an account, and no others
/// do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Feed {
    /// Google Drive, which has the documents.
    Drive,
    /// Gmail, which has the threads of mails.
    Gmail,
}

impl Feed {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Drive, Self::Gmail];

    /// Returns its name, which is its folder's too.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drive => "drive",
            Self::Gmail => "gmail",
        }
    }
}

/// A moment in milliseconds since the Unix epoch; pure rooms take it as an argument.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

/// The version of a file as the file system tells it; compared for equality only, never for age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// Device number.
    pub dev: u64,
    /// Inode number.
    pub ino: u64,
    /// Length in bytes.
    pub len_bytes: u64,
    /// Modification time in nanoseconds.
    pub mtime_ns: i128,
    /// Change time in nanoseconds.
    pub ctime_ns: i128,
}

/// BLAKE3 of a file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Returns the hash of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }
}

/// A state of one database; later ones have higher numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epoch {
    /// The name that this database has, and no other one.
    pub database: String,
    /// How many epochs have begun.
    pub number: u64,
}

impl Epoch {
    /// Tells whether a database in this state is older than one in the state `seen`, or another one.
    #[must_use]
    pub fn is_older(&self, seen: &Self) -> bool {
        self.database != seen.database || self.number < seen.number
    }
}

/// What a person must know about one line of a file: something shown but not pushed, or not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// A stable word, such as `LOCKED` or `UNCLOSED_FORMAT`.
    pub code: String,
    /// Line in the file, from 1; 0 when it concerns the whole file.
    pub line: u32,
    /// Column in characters, from 1; 0 when it concerns the whole line.
    pub column: u32,
    /// One sentence that says what and why.
    pub message: String,
}

impl fmt::Display for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(formatter, "{}: {}", self.code, self.message)
        } else {
            write!(formatter, "line {}: {}: {}", self.line, self.code, self.message)
        }
    }
}

/// What a person wants to be mirrored by itself: the threads of mail that all of this is true of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What Gmail's own search would be asked; all mail but spam and trash when it is empty.
    pub query: String,
    /// The name of a label that they have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The day since when something was written in them, in UTC: `2026-01-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// How many, the newest first; without it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend((!self.query.is_empty()).then(|| format!("`{}`", self.query)));
        words.extend(self.label.as_ref().map(|label| format!("with the label {label}")));
        words.extend(self.since.as_ref().map(|since| format!("since {since}")));
        words.extend(self.max.map(|max| format!("the newest {max}")));
        if words.is_empty() { formatter.write_str("all mail") } else { write!(formatter, "mail {}", words.join(", ")) }
    }
}

/// What an item can be searched by besides its words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Facets {
    /// Who wrote something in it, as people are shown: `Ana Lee <ana@example.com>`.
    pub senders: Vec<String>,
    /// To whom something in it went, copies included.
    pub recipients: Vec<String>,
    /// The names of its labels.
    pub labels: Vec<String>,
    /// Whether files were sent with it.
    pub has_attachment: bool,
    /// When the first of it was written.
    pub first: Option<Millis>,
    /// When the last of it was written.
    pub last: Option<Millis>,
}

/// Returns when a day begins in UTC, in seconds since 1970: `2026-01-31`, also with slashes. `None` when it is no day.
#[must_use]
pub fn begin_of_day(text: &str) -> Option<i64> {
    let mut parts = text.trim().split(['-', '/']);
    let mut number = |digits: std::ops::RangeInclusive<usize>| {
        let is_number = |part: &&str| digits.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        parts.next().filter(is_number)?.parse::<i64>().ok()
    };
    let (year, month, day) = (number(4..=4)?, number(1..=2)?, number(1..=2)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_of_month = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let is_day =
        parts.next().is_none() && year > 1970 && (1..=12).contains(&month) && (1..=days_of_month).contains(&day);
    // Years begin in March here, so that the leap day is the last one.
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = shifted_year / 4 - shifted_year / 100 + shifted_year / 400;
    let days = shifted_year * 365 + leap_days + (153 * shifted_month + 2) / 5 + day - 1 - 719_468;
    is_day.then_some(days * 86_400)
}

/// Says how many there are of something, for a noun whose plural ends with an s: `1 item`, `2 items`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for PartId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for KindName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Docs => "docs",
            Self::Gmail => "gmail",
        })
    }
}
