//! The index of a large mailbox: how long it takes to make it, and how long a search in it.

use std::path::Path;
use std::time::{Duration, Instant};

use mcp_workspace::model::{ContentHash, Facets, ItemId, KindName, Millis, PartId, Revision};
use mcp_workspace::store::{Asker, Facts, Store};
use mcp_workspace::sync::{Record, RecordPart, Told};
use rusqlite::{Connection, params};

use super::report::{Report, ms};

/// Threads of the mailbox; `MAIL_THREADS` asks for others.
const THREADS: usize = 100_000;

/// Rows that are written together, as by the product when it is flooded.
const TURN: usize = 8_000;

/// Words that mails are written with; the nth is about n times as rare as the first.
const WORDS: usize = 30_000;

/// When the newest mail came.
const NEWEST: u64 = 1_790_000_000_000;

const ASKER: Asker<'static> = Asker { account: "me@example.org", now: Millis(NEWEST) };

struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }
}

/// What mails say.
struct Language {
    words: Vec<String>,
    cumulated: Vec<f64>,
}

impl Language {
    fn new(chance: &mut Chance) -> Self {
        let letter = |chance: &mut Chance| char::from(b'a' + u8::try_from(chance.below(26)).unwrap());
        let word = |chance: &mut Chance| (0..3 + chance.below(7)).map(|_| letter(chance)).collect();
        let words = (0..WORDS).map(|_| word(chance)).collect();
        let mut sum = 0.0;
        let weights = (0..WORDS).map(|rank| 1.0 / (rank as f64 + 3.0));
        let cumulated = weights
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        Self { words, cumulated }
    }

    fn say(&self, chance: &mut Chance, count: usize) -> String {
        let whole = self.cumulated[WORDS - 1];
        let word = |chance: &mut Chance| {
            let at = chance.next() as f64 / u64::MAX as f64 * whole;
            self.words[self.cumulated.partition_point(|sum| *sum < at).min(WORDS - 1)].as_str()
        };
        (0..count).map(|_| word(chance)).collect::<Vec<_>>().join(" ")
    }
}

struct Thread {
    title: String,
    text: String,
    facets: Facets,
}

fn thread(language: &Language, chance: &mut Chance, number: usize) -> Thread {
    let person = |number: usize| format!("Person {number} <person{number}@example.org>");
    let last = Millis(NEWEST - number as u64 * 600_000);
    let labels = ["INBOX", "UNREAD", "CATEGORY_SOCIAL", "Work", "Trips"];
    let facets = Facets {
        senders: vec![person(chance.below(3_000)), person(chance.below(50))],
        recipients: vec!["me@example.org".into()],
        labels: labels.iter().filter(|_| chance.below(3) == 0).map(|label| (*label).to_owned()).collect(),
        has_attachment: chance.below(5) == 0,
        first: Some(Millis(last.0 - chance.below(10) as u64 * 86_400_000)),
        last: Some(last),
    };
    Thread { title: language.say(chance, 5), text: language.say(chance, 220), facets }
}

fn record(number: usize, thread: &Thread) -> Record {
    Record {
        item: ItemId(format!("{number:016x}")),
        kind: KindName::Gmail,
        title: thread.title.clone(),
        revision: Some(Revision("1".into())),
        can_edit: true,
        gone: false,
        parts: vec![RecordPart {
            part: PartId::default(),
            base: thread.text.clone(),
            stamp: None,
            hash: Some(ContentHash::of(thread.text.as_bytes())),
            behind: false,
            indexed: thread.text.clone(),
            told: Told::default(),
            put_back: None,
            blind: None,
            arrived: Vec::new(),
            written: true,
            settled: true,
        }],
        left: Vec::new(),
        jobs: Vec::new(),
        at: Millis(NEWEST),
    }
}

/// The same rows in FTS5 and nothing else.
struct Bare {
    connection: Connection,
    /// Where the rows stand that it is to have.
    rows: Connection,
    /// The lowest number that it has.
    lowest: i64,
    took: Duration,
}

impl Bare {
    fn new(path: &Path, rows: &Path) -> Self {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2000;
                 PRAGMA temp_store = MEMORY;
                 CREATE VIRTUAL TABLE doc USING fts5 (
                     title, text, sender, recipient, facts, tokenize = 'unicode61 remove_diacritics 2'
                 );
                 INSERT INTO doc (doc, rank) VALUES ('hashsize', 16777216);",
            )
            .unwrap();
        Self { connection, rows: Connection::open(rows).unwrap(), lowest: i64::MAX, took: Duration::ZERO }
    }

    /// Writes the rows that came since together.
    fn follow(&mut self) {
        let mut select = self.rows.prepare_cached("SELECT rowid, * FROM doc WHERE rowid < ?1 ORDER BY rowid").unwrap();
        let rows: Vec<(i64, [String; 5])> = select
            .query_map([self.lowest], |row| {
                let column = |at| row.get::<_, String>(at);
                Ok((row.get(0)?, [column(1)?, column(2)?, column(3)?, column(4)?, column(5)?]))
            })
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let start = Instant::now();
        let transaction = self.connection.transaction().unwrap();
        let sql = "INSERT INTO doc (rowid, title, text, sender, recipient, facts) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let mut insert = transaction.prepare(sql).unwrap();
        for (number, [title, text, sender, recipient, facts]) in &rows {
            insert.execute(params![number, title, text, sender, recipient, facts]).unwrap();
        }
        drop(insert);
        transaction.commit().unwrap();
        self.took += start.elapsed();
        self.lowest = rows.first().map_or(self.lowest, |(number, _)| *number);
    }
}

/// Makes the index of a mailbox that comes newest first, then searches in it.
pub(crate) fn mail(report: &mut Report) {
    let threads = std::env::var("MAIL_THREADS").ok().and_then(|count| count.parse().ok()).unwrap_or(THREADS);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut chance = Chance(7);
    let language = Language::new(&mut chance);
    let mut store = Store::open(&folder.path().join("state.db")).unwrap();
    let mut bare = Bare::new(&folder.path().join("bare.db"), store.path());
    let (mut indexing, mut recording) = (Duration::ZERO, Duration::ZERO);
    let mut number = 0;
    while number < threads {
        let turn: Vec<Thread> =
            (number..threads.min(number + TURN)).map(|number| thread(&language, &mut chance, number)).collect();
        let start = Instant::now();
        for thread in &turn {
            let facts = Facts { facets: thread.facets.clone(), ..Facts::default() };
            store.record(&record(number, thread), Some(&facts)).unwrap();
            number += 1;
        }
        recording += start.elapsed();
        let start = Instant::now();
        store.index_waiting(Millis(NEWEST + 60_000)).unwrap();
        indexing += start.elapsed();
        bare.follow();
    }
    let ratio = indexing.as_secs_f64() / bare.took.as_secs_f64();
    report.add(
        &format!("index {threads} threads"),
        format!("{} = {ratio:.2}x, recording them {}", ms(indexing), ms(recording)),
        format!("the same rows in bare FTS5 {}", ms(bare.took)),
        "<= 1.25x",
        Some(ratio <= 1.25),
    );
    searches(report, &store.reader().unwrap(), &language);
}

/// Searches of all sorts, each with the most common words.
fn searches(report: &mut Report, store: &Store, language: &Language) {
    let word = |rank: usize| language.words[rank].clone();
    let beginning = |rank: usize, letters: usize| word(rank).chars().take(letters).collect::<String>();
    let queries = [
        ("a common word", format!("{} ", word(0))),
        ("a rare word", format!("{} ", word(20_000))),
        ("two common words", format!("{} {} ", word(0), word(1))),
        ("five words", format!("{} {} {} {} {} ", word(0), word(5), word(9), word(100), word(300))),
        ("a phrase", format!("\"{} {}\"", word(0), word(1))),
        ("one letter", beginning(0, 1)),
        ("two letters", beginning(0, 2)),
        ("three letters", beginning(0, 3)),
        ("common words, the last unfinished", format!("{} {}", word(0), beginning(1, 1))),
        ("a person", "from:person7@example.org".to_owned()),
        ("a person and a word", format!("from:person7 {} ", word(0))),
        ("a label and a word", format!("label:work {} ", word(0))),
        ("unread with files", "is:unread has:attachment".to_owned()),
        ("a word of a year", format!("{} after:2025-01-01 before:2026-01-01", word(0))),
        ("a word of long ago", format!("{} before:2025-03-01", word(2))),
        ("all of a month", "after:2026-03-01 before:2026-04-01".to_owned()),
        ("nothing", "xqzzq ".to_owned()),
    ];
    let mut worst = Duration::ZERO;
    let mut all = Vec::new();
    for (what, query) in &queries {
        let mut times: Vec<Duration> = (0..20)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(store.search(query, ASKER, 10, 0).unwrap());
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        println!("  {what}: {} (longest {})", ms(times[10]), ms(times[19]));
        worst = worst.max(times[10]);
        all.extend(times);
    }
    all.sort_unstable();
    let p99 = all[all.len() * 99 / 100];
    report.add(
        "search among them, 17 sorts",
        format!("p50 {}, p99 {}, the slowest sort {}", ms(all[all.len() / 2]), ms(p99), ms(worst)),
        String::new(),
        "p99 <= 15 ms",
        Some(p99 <= Duration::from_millis(15)),
    );
}
