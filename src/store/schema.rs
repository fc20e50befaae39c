//! The tables, as migrations; `PRAGMA user_version` counts how many of them a database has seen.

use rusqlite_migration::{M, Migrations};

/// The tables of the first version. A later version is a further entry, never a change of an earlier one.
const FIRST: &str = "
CREATE TABLE item (
    id       TEXT PRIMARY KEY,
    kind     TEXT NOT NULL,
    title    TEXT NOT NULL,
    revision TEXT,
    can_edit INTEGER NOT NULL,
    url      TEXT NOT NULL DEFAULT '',
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE part (
    item     TEXT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    part     TEXT NOT NULL,
    position INTEGER NOT NULL,
    title    TEXT NOT NULL DEFAULT '',
    warnings TEXT NOT NULL DEFAULT '[]',
    stamp    TEXT,
    hash     BLOB,
    modified INTEGER NOT NULL,
    docid    INTEGER NOT NULL UNIQUE,
    PRIMARY KEY (item, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE base (
    item TEXT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    part TEXT NOT NULL,
    seq  INTEGER NOT NULL,
    text BLOB NOT NULL,
    hash BLOB NOT NULL,
    at   INTEGER NOT NULL,
    PRIMARY KEY (item, part, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    item          TEXT NOT NULL,
    part          TEXT NOT NULL,
    base_revision TEXT NOT NULL,
    expected      BLOB NOT NULL,
    plan          BLOB NOT NULL,
    state         TEXT NOT NULL,
    at            INTEGER NOT NULL
) STRICT;
CREATE INDEX job_open ON job (item) WHERE state = 'begun';

CREATE TABLE cursor (feed TEXT PRIMARY KEY, cursor TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE log (
    id    INTEGER PRIMARY KEY,
    at    INTEGER NOT NULL,
    item  TEXT NOT NULL,
    part  TEXT NOT NULL,
    what  TEXT NOT NULL,
    words TEXT NOT NULL
) STRICT;

CREATE TABLE tombstone (
    item  TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE doc USING fts5 (title, text, tokenize = 'unicode61 remove_diacritics 2');
";

/// Pictures that stand beside the files, and files that stand in Drive for a moment.
const PICTURES: &str = "
CREATE TABLE image (
    item    TEXT NOT NULL,
    object  TEXT NOT NULL,
    source  TEXT NOT NULL,
    name    TEXT NOT NULL,
    hash    BLOB,
    problem TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (item, object)
) STRICT, WITHOUT ROWID;

CREATE TABLE hosted (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// What a person has yet to be told of pushes that landed.
const TOLD: &str = "
ALTER TABLE part ADD COLUMN told TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN told TEXT NOT NULL DEFAULT '';
";

/// What both sides agree on once a push has landed.
const LANDED: &str = "ALTER TABLE job ADD COLUMN landed BLOB;";

/// What came from the remote into each file, so that a save of an older text is known for one.
const ARRIVALS: &str = "
CREATE TABLE arrival (
    item   TEXT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    part   TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    before BLOB NOT NULL,
    after  BLOB NOT NULL,
    base   BLOB,
    PRIMARY KEY (item, part, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE intent (
    item   TEXT NOT NULL,
    part   TEXT NOT NULL,
    before BLOB NOT NULL,
    after  BLOB NOT NULL,
    base   BLOB,
    PRIMARY KEY (item, part)
) STRICT, WITHOUT ROWID;
";

/// The base of a file while what it is about to say does not stand there yet.
const WAS: &str = "ALTER TABLE intent ADD COLUMN was BLOB;";

/// What a push changed, so that it can be told of and taken back; and what a person has set.
const LOOKING_BACK: &str = "
ALTER TABLE log ADD COLUMN job INTEGER;
ALTER TABLE log ADD COLUMN added INTEGER NOT NULL DEFAULT 0;
ALTER TABLE log ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN before BLOB;
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
";

/// Whether Google has said that a push has landed, though its end is not recorded yet.
const ANSWERED: &str = "ALTER TABLE job ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;";

/// Whether an item was there when it was read last.
const GONE: &str = "ALTER TABLE item ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;";

/// The pushes that are known to have landed before a file is written.
const PUSHES: &str = "ALTER TABLE intent ADD COLUMN pushes TEXT NOT NULL DEFAULT '[]';";

/// Whether an item is gone and its files are put away (1), or a person has forgotten it (2); what is known of it is kept, for it may
/// come back, or be fetched anew.
const BURIED: &str = "ALTER TABLE item ADD COLUMN buried INTEGER NOT NULL DEFAULT 0;";

/// What came into a file is kept before the item is recorded for the first time, too: an editor may have read the file by then.
const UNRECORDED: &str = "
CREATE TABLE arrived (
    item   TEXT NOT NULL,
    part   TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    before BLOB NOT NULL,
    after  BLOB NOT NULL,
    base   BLOB,
    PRIMARY KEY (item, part, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO arrived (item, part, seq, before, after, base) SELECT item, part, seq, before, after, base FROM arrival;
DROP TABLE arrival;
ALTER TABLE arrived RENAME TO arrival;
";

/// Whether what is agreed on of a file may be older than the version of its item. Of files recorded before, nobody knows.
const BEHIND: &str = "ALTER TABLE part ADD COLUMN behind INTEGER NOT NULL DEFAULT 1;";

/// The save of an older text into which what it lacked was put back last.
const PUT_BACK: &str = "ALTER TABLE part ADD COLUMN put_back BLOB;";

/// What new items are to say until they are made; else where that is kept.
const MAKINGS: &str = "
CREATE TABLE making (
    number INTEGER PRIMARY KEY,
    title  TEXT NOT NULL,
    text   TEXT NOT NULL,
    at     INTEGER NOT NULL,
    path   TEXT
) STRICT;
";

/// In which run of the machine a push was begun; of those before, nobody knows.
const BOOT: &str = "ALTER TABLE job ADD COLUMN boot TEXT;";

/// Links to mirrored files that stand elsewhere.
const LINKS: &str = "
CREATE TABLE link (
    path    TEXT PRIMARY KEY,
    item    TEXT NOT NULL,
    part    TEXT NOT NULL,
    made_of BLOB,
    at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// What was made of a text that has not arrived there yet.
const MADE_EMPTY: &str = "ALTER TABLE making ADD COLUMN item TEXT;";

/// Whether anybody was asked to make an item.
const ASKED: &str = "ALTER TABLE making ADD COLUMN asked INTEGER NOT NULL DEFAULT 1;";

/// What saves in place of links were made of, until they are taken in.
const LINK_BASES: &str = "
CREATE TABLE link_base (
    path     TEXT PRIMARY KEY,
    base     BLOB NOT NULL,
    is_later INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// What had come into a file by then.
const ARRIVED: &str = "ALTER TABLE link_base ADD COLUMN arrival INTEGER NOT NULL DEFAULT 9223372036854775807;";

/// What a person wants to be mirrored by itself.
const RULES: &str = "
CREATE TABLE rule (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    what   TEXT NOT NULL,
    whole  INTEGER NOT NULL DEFAULT 0,
    at     INTEGER NOT NULL
) STRICT;
";

/// An index that gives the newest first and knows more than words. All rows are made anew from what was agreed on.
const FACETS: &str = "
ALTER TABLE part ADD COLUMN facets TEXT NOT NULL DEFAULT '';
ALTER TABLE part ADD COLUMN first INTEGER;
ALTER TABLE part ADD COLUMN mark BLOB;
UPDATE OR IGNORE part SET docid = numbered.docid FROM (
    SELECT item, part, ((modified / 60000) << 8) - 1 + row_number() OVER (PARTITION BY modified / 60000 ORDER BY docid) AS docid
    FROM part
) AS numbered WHERE numbered.item = part.item AND numbered.part = part.part;
CREATE TABLE unindexed (docid INTEGER PRIMARY KEY) STRICT;
INSERT INTO unindexed (docid) SELECT docid FROM part JOIN item ON item.id = part.item WHERE NOT buried;
CREATE INDEX part_first ON part (first, docid) WHERE first IS NOT NULL;
DROP TABLE doc;
CREATE VIRTUAL TABLE doc USING fts5 (
    title, text, sender, recipient, facts, tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO doc (doc, rank) VALUES ('hashsize', 16777216);
";

/// The texts of attachments, which the index has in the rows of their items, and where copies of attachments are.
const ATTACHED: &str = "
CREATE TABLE attached (
    item    TEXT NOT NULL,
    name    TEXT NOT NULL,
    hash    BLOB NOT NULL,
    format  TEXT NOT NULL,
    version INTEGER NOT NULL,
    problem TEXT NOT NULL,
    text    BLOB NOT NULL,
    bytes   INTEGER NOT NULL,
    written BLOB,
    at      INTEGER NOT NULL,
    UNIQUE (item, name)
) STRICT;
CREATE INDEX attached_hash ON attached (hash);
CREATE TABLE copy (
    item TEXT NOT NULL,
    name TEXT NOT NULL,
    url  TEXT NOT NULL,
    at   INTEGER NOT NULL,
    PRIMARY KEY (item, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_item ON link (item, part);
INSERT OR IGNORE INTO unindexed (docid) SELECT docid FROM part JOIN item ON item.id = part.item WHERE NOT buried;
DROP TABLE doc;
CREATE VIRTUAL TABLE doc USING fts5 (
    title, text, sender, recipient, attached, facts, tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO doc (doc, rank) VALUES ('hashsize', 16777216);
";

/// What is known of a file of which nothing is known from before, as JSON.
const BLIND: &str = "ALTER TABLE part ADD COLUMN blind TEXT;";

/// The same of a file that is about to be written, of which that is not recorded yet.
const BLIND_BEFORE: &str = "ALTER TABLE intent ADD COLUMN blind TEXT;";

/// What the main file of an item is of, as its kind calls it.
const MAIN: &str = "ALTER TABLE item ADD COLUMN main TEXT;";

/// The same of an item of which a file is about to be written and nothing is recorded yet.
const MAIN_BEFORE: &str = "ALTER TABLE intent ADD COLUMN main TEXT;";

/// What the tab was called that a line of the log is about.
const LOGGED_TAB: &str = "ALTER TABLE log ADD COLUMN tab TEXT NOT NULL DEFAULT '';";

/// The migrations, oldest first.
pub(super) const ALL: [&str; 29] = [
    FIRST,
    PICTURES,
    TOLD,
    LANDED,
    ARRIVALS,
    WAS,
    LOOKING_BACK,
    ANSWERED,
    GONE,
    PUSHES,
    BURIED,
    UNRECORDED,
    BEHIND,
    PUT_BACK,
    MAKINGS,
    BOOT,
    LINKS,
    MADE_EMPTY,
    ASKED,
    LINK_BASES,
    RULES,
    FACETS,
    ATTACHED,
    ARRIVED,
    BLIND,
    BLIND_BEFORE,
    MAIN,
    MAIN_BEFORE,
    LOGGED_TAB,
];

/// Returns the migrations, oldest first.
pub(super) fn migrations() -> Migrations<'static> {
    Migrations::new(ALL.into_iter().map(M::up).collect())
}
