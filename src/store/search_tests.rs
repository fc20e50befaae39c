#![allow(clippy::unwrap_used, reason = "a test may fail, and says what it saw")]

use super::attached_tests::attached;
use super::tests::{ASKER, record, store};
use super::values::pack;
use super::*;

const DAY: u64 = 86_400_000;

/// The day of a thread's mails, as `after:` and `before:` say it.
const BEGIN: u64 = 1_769_817_600_000;

struct Mail {
    id: &'static str,
    title: &'static str,
    text: &'static str,
    from: &'static [&'static str],
    to: &'static [&'static str],
    labels: &'static [&'static str],
    has_attachment: bool,
    /// Days after the first.
    days: (u64, u64),
}

const MAILS: [Mail; 4] = [
    Mail {
        id: "a",
        title: "Tax return",
        text: "## Ana\n\nThe budget for Q3会議です。\n",
        from: &["Ana Lee <ana@example.org>"],
        to: &["me@example.org"],
        labels: &["INBOX", "UNREAD", "Work/Tax"],
        has_attachment: true,
        days: (0, 0),
    },
    Mail {
        id: "b",
        title: "Trip",
        text: "## Bo\n\nAna says: from:bo the budget, tax and return. 東京都\n",
        from: &["Bo <bo@example.org>", "me@example.org"],
        to: &["Ana Lee <ana@example.org>"],
        labels: &["SENT", "STARRED"],
        has_attachment: false,
        days: (1, 9),
    },
    Mail {
        id: "c",
        title: "Budget budget",
        text: "## Ci\n\nbudget \u{e000}any isread\n",
        from: &["Ci <ci@example.com>"],
        to: &["Bo <bo@example.org>"],
        labels: &["INBOX", "Work"],
        has_attachment: false,
        days: (5, 5),
    },
    Mail {
        id: "d",
        title: "Alone",
        text: "## Bo\n\nnothing else\n",
        from: &["Bo <bo@example.org>"],
        to: &[],
        labels: &["CATEGORY_SOCIAL"],
        has_attachment: false,
        days: (7, 7),
    },
];

fn keep(store: &mut Store, mail: &Mail, at: u64) {
    let mut record = record(mail.id, mail.title, &[("", mail.text)], at);
    record.kind = KindName::Gmail;
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let facets = Facets {
        senders: all(mail.from),
        recipients: all(mail.to),
        labels: all(mail.labels),
        has_attachment: mail.has_attachment,
        first: Some(Millis(BEGIN + mail.days.0 * DAY)),
        last: Some(Millis(BEGIN + mail.days.1 * DAY)),
    };
    store.record(&record, Some(&Facts { facets, ..Facts::default() })).unwrap();
}

fn found(store: &Store, query: &str) -> String {
    store.search(query, ASKER, 10, 0).unwrap().hits.into_iter().map(|hit| hit.item.0).collect()
}

/// A store with all mails.
fn mails() -> (tempfile::TempDir, Store) {
    let (folder, mut store) = store();
    for (at, mail) in MAILS.iter().enumerate() {
        keep(&mut store, mail, BEGIN + at as u64 * 60_000);
    }
    (folder, store)
}

#[test]
fn mail_is_found_by_words_people_labels_and_days() {
    let (_folder, store) = mails();
    for (query, expected) in [
        // A word in the title weighs more, and among equals the newer one comes first.
        ("budget", "cab"),
        ("bud", "cab"),
        ("nothing els", "d"),
        ("nothing el", ""),
        ("\"tax and return\"", "b"),
        ("from:ana", "a"),
        ("from:ana@example.org", "a"),
        ("from:\"Ana Lee\" budget", "a"),
        ("from:ana budget ", "a"),
        ("budget from:ana", "a"),
        ("\"the budget\" subject:trip", "b"),
        ("from:me", "b"),
        ("to:me", "a"),
        ("to:ana budget", "b"),
        ("cc:bo", "c"),
        ("subject:tax", "a"),
        ("subject:(return tax)", "a"),
        ("subject:bo", ""),
        ("label:work", "c"),
        ("label:work-tax", "a"),
        ("label:Work/Tax", "a"),
        ("label:inbox", "ca"),
        ("category:social", "d"),
        ("is:unread", "a"),
        ("is:read", "bdc"),
        ("is:starred", "b"),
        ("in:sent budget", "b"),
        ("in:anywhere", "bdca"),
        ("has:attachment", "a"),
        ("has:attachment from:bo", ""),
        // The thread goes from the second day to the tenth.
        ("after:2026-02-01 before:2026-02-02", "b"),
        ("before:2026/02/01", "a"),
        ("before:2026/02/02", "ba"),
        ("before:2026/02/06 budget", "cab"),
        ("after:2026/02/06", "bd"),
        ("before:2026/01/01", ""),
        // Letters of scripts without blanks.
        ("会議", "a"),
        ("議です", "a"),
        ("京都", "b"),
        ("都京", ""),
        // What a mail says is no fact of it.
        ("\u{e000}any", "c"),
        ("isread", "c"),
    ] {
        assert_eq!(found(&store, query), expected, "{query}");
    }
    let hits = store.search("larger:5M budget", ASKER, 10, 0).unwrap();
    assert_eq!((hits.hits.len(), hits.elsewhere), (0, vec!["larger:5M".to_owned()]));
    let hit = store.search("会議", ASKER, 10, 0).unwrap().hits.remove(0);
    assert!(hit.snippet.contains("Q3会議です。"), "{hit:?}");
    assert_eq!(hit.modified, Millis(BEGIN));
}

#[test]
fn labels_that_change_are_found_at_once() {
    let (_folder, mut store) = store();
    keep(&mut store, &MAILS[0], 1_000);
    keep(&mut store, &Mail { labels: &["Work"], ..MAILS[0] }, 5_000);
    assert_eq!((found(&store, "is:unread"), found(&store, "label:work")), (String::new(), "a".to_owned()));
    // A record without facts, as that of a save, keeps them.
    store.record(&record("a", "Tax return", &[("", "other words\n")], 9_000), None).unwrap();
    assert_eq!((found(&store, "label:work other"), found(&store, "from:ana")), ("a".to_owned(), "a".to_owned()));
    assert_eq!(found(&store, "budget"), "");
}

#[test]
fn what_is_written_anew_is_found_at_every_moment() {
    let (_folder, mut store) = store();
    keep(&mut store, &MAILS[0], BEGIN);
    let reader = store.reader().unwrap();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..300 {
                keep(&mut store, &Mail { days: (0, number), ..MAILS[0] }, BEGIN + number * DAY);
            }
            is_over.store(true, std::sync::atomic::Ordering::Release);
        });
        while !is_over.load(std::sync::atomic::Ordering::Acquire) {
            assert_eq!((found(&reader, "is:unread"), found(&reader, "budget")), ("a".to_owned(), "a".to_owned()));
        }
    });
}

#[test]
fn a_flood_is_indexed_together_and_outlives_a_restart() {
    let (folder, mut store) = store();
    for number in 0..50 {
        store
            .record(&record(&format!("i{number}"), "T", &[("", &format!("word{number} all\n"))], 4_000), None)
            .unwrap();
    }
    let count = |store: &Store, query: &str| store.search(query, ASKER, 100, 0).unwrap().hits.len();
    assert_eq!(count(&store, "all"), 8);
    let (item, part) = (ItemId("i49".into()), PartId::default());
    assert!(store.is_indexed(&item, &part, "word49 all\n").unwrap(), "what waits is no damage");
    // What is not what was agreed on cannot wait.
    let mut edited = record("i50", "T", &[("", "mine all\n")], 4_000);
    edited.parts[0].indexed = "edited all\n".into();
    store.record(&edited, None).unwrap();
    assert_eq!((count(&store, "edited"), count(&store, "all")), (1, 9));
    // One that changes while it waits, one that goes, and one that is buried.
    store.record(&record("i20", "T", &[("", "changed all\n")], 4_100), None).unwrap();
    store.retire(&ItemId("i21".into()), false, Millis(4_100)).unwrap();
    store.retire(&ItemId("i22".into()), true, Millis(4_100)).unwrap();
    drop(store);
    let mut store = Store::open(&folder.path().join("state.db")).unwrap();
    assert_eq!(store.index_waiting(Millis(5_000)).unwrap(), 40);
    assert_eq!(store.index_waiting(Millis(9_000)).unwrap(), 0);
    assert_eq!((count(&store, "all"), count(&store, "changed"), count(&store, "word20")), (49, 1, 0));
    // What comes back is found again, though it says what it said.
    store.record(&record("i22", "T", &[("", "word22 all\n")], 20_000), None).unwrap();
    assert_eq!((count(&store, "word22"), count(&store, "all")), (1, 50));
    assert_eq!(store.damage().unwrap(), Damage::default());
}

#[test]
fn what_is_attached_is_found_with_its_mail() {
    let (folder, mut store) = mails();
    let item = ItemId("a".into());
    let many = "many words before and after ".repeat(20);
    let offer = format!("# Offer\n\n{many}\n\nA zwetschge of spring, {{!mono}} and more.\n\n会議室\n\n{many}\n");
    for (name, text) in [("offer.pdf", &*offer), ("plan.csv", "| x | damson |\n")] {
        store.keep_attached(&item, &attached(name, text.as_bytes(), ""), text).unwrap();
    }
    assert_eq!(found(&store, "zwetschge"), "", "it follows a moment later");
    assert!(store.is_indexed(&item, &PartId::default(), MAILS[0].text).unwrap(), "what waits is no damage");
    drop(store);
    let mut store = Store::open(&folder.path().join("state.db")).unwrap();
    assert_eq!(store.index_waiting(Millis(9_000)).unwrap(), 1);
    let snippet = |store: &Store, query: &str| store.search(query, ASKER, 10, 0).unwrap().hits[0].snippet.clone();
    for query in [
        "zwetschge",
        "from:ana zwetschge",
        "label:work/tax damson budget",
        "会議室",
        "offer.pdf",
        "\"of spring\" damson",
    ] {
        assert_eq!(found(&store, query), "a", "{query}");
    }
    assert_eq!(found(&store, "from:bo zwetschge"), "");
    assert!(snippet(&store, "damson").ends_with("after plan.csv | x | damson |"), "{}", snippet(&store, "damson"));
    let shown = snippet(&store, "zwetschge");
    assert!(
        shown.starts_with("offer.pdf: …") && shown.contains("A zwetschge of spring, {!mono} and more. 会議室"),
        "{shown}"
    );
    assert!(snippet(&store, "budget zwetschge").contains("The budget for Q3会議です。"));
    // The row is written anew for the text of the thread, and what is attached stays.
    store.record(&record("a", "Tax return", &[("", "other words\n")], 9_000), None).unwrap();
    assert_eq!((found(&store, "other damson"), found(&store, "budget damson")), ("a".into(), String::new()));
    // One goes, and an index that lost the other is no longer what it should be.
    store.drop_attached(&item, "plan.csv", Millis(10_000)).unwrap();
    store.index_waiting(Millis(11_000)).unwrap();
    assert_eq!((found(&store, "damson"), found(&store, "zwetschge")), (String::new(), "a".into()));
    store.connection.execute("UPDATE doc SET attached = ''", []).unwrap();
    assert!(!store.is_indexed(&item, &PartId::default(), "other words\n").unwrap());
    store.index_anew(&item, &PartId::default(), "other words\n").unwrap();
    assert_eq!(found(&store, "zwetschge other"), "a");
    assert_eq!(store.damage().unwrap(), Damage::default());
}

#[test]
fn of_too_much_that_is_attached_the_index_has_the_first() {
    let (_folder, mut store) = mails();
    let item = ItemId("a".into());
    let long = format!("first {} last\n", "ä ".repeat(1 << 20));
    for (name, text) in [("1.pdf", &*long), ("2.pdf", &long), ("3.pdf", "third\n")] {
        assert_eq!(store.is_cut_in_index(&item).unwrap(), name == "3.pdf");
        store.keep_attached(&item, &attached(name, b"", ""), text).unwrap();
    }
    assert!(store.is_cut_in_index(&item).unwrap());
    store.index_waiting(Millis(9_000)).unwrap();
    let all = ["first", "last", "third", "3.pdf"].map(|query| found(&store, query));
    assert_eq!(all, ["a", "a", "", "a"]);
}

#[test]
fn rows_of_one_minute_have_numbers_of_their_own() {
    let (_folder, mut store) = store();
    // One stands already where those spill that are too many for a minute.
    store.record(&record("next", "T", &[("", "other\n")], 61_000), None).unwrap();
    for number in 0..5_000 {
        store.record(&record(&format!("i{number}"), "T", &[("", "same\n")], 4_000), None).unwrap();
    }
    store.index_waiting(Millis(120_000)).unwrap();
    let hits = store.search("same", ASKER, 3_000, 0).unwrap();
    assert_eq!((hits.hits.len(), hits.total, hits.truncated), (2_000, 2_000, true));
    assert_eq!(found(&store, "other"), "next");
    let count = |sql: &str| store.connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM doc"), 5_001);
    assert_eq!(count("SELECT count(*) FROM doc JOIN part ON part.docid = doc.rowid"), 5_001);
}

#[test]
fn an_index_of_an_earlier_version_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let mut old = Connection::open(&path).unwrap();
    let before = schema::ALL.iter().position(|sql| sql.contains("CREATE TABLE unindexed")).unwrap();
    schema::migrations().to_version(&mut old, before).unwrap();
    old.execute_batch(
        "INSERT INTO item (id, kind, title, can_edit, at) VALUES ('one', 'docs', 'First', 1, 1), ('two', 'docs', 'Second', 1, 1);
         INSERT INTO part (item, part, position, modified, docid) VALUES ('one', '', 0, 1769817600000, 1), ('two', '', 0, 1769817600001, 2);
         INSERT INTO doc (rowid, title, text) VALUES (1, 'First', 'old words');
         UPDATE item SET buried = 1 WHERE id = 'two';",
    )
    .unwrap();
    let text = pack("---\nid: one\n---\n\nwhat was agreed on\n".as_bytes(), "testing").unwrap();
    old.execute("INSERT INTO base (item, part, seq, text, hash, at) VALUES ('one', '', 1, ?1, x'00', 1)", [text])
        .unwrap();
    drop(old);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.index_waiting(Millis(1_769_900_000_000)).unwrap(), 1);
    assert_eq!((found(&store, "agreed"), found(&store, "after:2026-01-30 first")), ("one".into(), "one".into()));
    assert_eq!(found(&store, "second"), "");
}
