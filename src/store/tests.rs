use std::os::unix::fs::PermissionsExt as _;

use super::values::pack;
use super::*;
use crate::model::Cursor;
use crate::sync::{Intent, JobEnd, JobId, RecordPart};

pub(super) fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("state.db")).unwrap();
    (folder, store)
}

pub(super) fn record(id: &str, title: &str, parts: &[(&str, &str)], at: u64) -> Record {
    Record {
        item: ItemId(id.into()),
        kind: KindName::Docs,
        title: title.into(),
        revision: Some(Revision(format!("r{at}"))),
        can_edit: true,
        gone: false,
        parts: parts
            .iter()
            .map(|(part, text)| RecordPart {
                part: PartId((*part).into()),
                base: (*text).into(),
                stamp: Some(Stamp {
                    dev: u64::MAX,
                    ino: 2,
                    len_bytes: 3,
                    mtime_ns: -4,
                    ctime_ns: i128::from(i64::MAX),
                }),
                hash: Some(ContentHash::of(text.as_bytes())),
                behind: false,
                indexed: (*text).into(),
                told: Told::default(),
                put_back: None,
                blind: Some(Blind { until: Millis(7), read: vec!["word".into()] }),
                arrived: Vec::new(),
                written: true,
                settled: true,
            })
            .collect(),
        left: Vec::new(),
        jobs: Vec::new(),
        at: Millis(at),
    }
}

pub(super) const ASKER: Asker<'static> = Asker { account: "me@example.org", now: Millis(1_700_000_000_000) };

fn lost() -> Notice {
    Notice { code: "COMMENT_LOST".into(), line: 3, column: 0, message: "`x` is gone".into() }
}

fn found(store: &Store, query: &str) -> Vec<String> {
    store
        .search(query, ASKER, 10, 0)
        .unwrap()
        .hits
        .into_iter()
        .map(|hit| format!("{}/{}", hit.item, hit.part))
        .collect()
}

fn came(store: &Store, item: &ItemId, part: &PartId) -> Vec<Arrival> {
    store.arrivals(item, part).unwrap().unwrap()
}

#[test]
fn what_is_recorded_is_read_back() {
    let (_folder, mut store) = store();
    let facts = Facts {
        main: None,
        url: "https://docs.google.com/document/d/one/edit".into(),
        facets: Facets::default(),
        parts: vec![(PartId("t.2".into()), "Second".into(), Vec::new())],
    };
    store.record(&record("one", "First", &[("", "a\n"), ("t.2", "b\n")], 7), Some(&facts)).unwrap();
    let item = store.item(&ItemId("one".into())).unwrap().unwrap();
    assert_eq!(item.url, facts.url);
    assert_eq!(item.revision, Some(Revision("r7".into())));
    assert_eq!(item.parts.len(), 2);
    assert_eq!(item.parts[1].title, "Second");
    assert_eq!(item.parts[0].stamp.unwrap().dev, u64::MAX);
    assert_eq!(item.parts[0].stamp.unwrap().mtime_ns, -4);
    assert_eq!(store.items().unwrap(), vec![item]);
    let bases = store.bases(&ItemId("one".into())).unwrap();
    assert_eq!(bases, vec![(PartId(String::new()), "a\n".into()), (PartId("t.2".into()), "b\n".into())]);
}

#[test]
fn a_part_that_is_gone_leaves_nothing_behind() {
    let (_folder, mut store) = store();
    store.record(&record("one", "T", &[("", "alpha"), ("t.2", "beta")], 1), None).unwrap();
    store.record(&record("one", "T", &[("", "alpha")], 2), None).unwrap();
    assert_eq!(found(&store, "beta"), Vec::<String>::new());
    assert_eq!(store.bases(&ItemId("one".into())).unwrap().len(), 1);
}

#[test]
fn what_was_agreed_on_at_a_moment_is_known() {
    let (_folder, mut store) = store();
    let (one, none) = (ItemId("one".into()), PartId(String::new()));
    for at in [10, 20, 30] {
        store.record(&record("one", "T", &[("", &format!("text {at}"))], at), None).unwrap();
    }
    for (at, expected) in [(9, None), (10, Some("text 10")), (29, Some("text 20")), (1_000, Some("text 30"))] {
        assert_eq!(store.agreed_at(&one, &none, Millis(at)).unwrap().as_deref(), expected, "{at}");
    }
    assert_eq!(store.agreed_at(&ItemId("two".into()), &none, Millis(30)).unwrap(), None);
}

#[test]
fn what_came_after_a_moment_is_counted() {
    let (_folder, mut store) = store();
    let (one, none) = (ItemId("one".into()), PartId(String::new()));
    store.record(&record("one", "T", &[("", "text")], 1), None).unwrap();
    assert_eq!(store.newest_arrival(&one, &none).unwrap(), 0);
    let arrival = |text: &str| Arrival { before: String::new(), after: text.into(), base: String::new() };
    store.note_arrivals(&one, &none, &[arrival("a")]).unwrap();
    let noted = LinkBase { base: "text".into(), is_later: true, arrival: store.newest_arrival(&one, &none).unwrap() };
    store.note_link_base(Path::new("/a.md"), &noted).unwrap();
    for text in ["b", "c"] {
        store.note_arrivals(&one, &none, &[arrival(text)]).unwrap();
    }
    assert_eq!(store.arrivals_since(&one, &none, noted.arrival).unwrap(), 2);
    assert_eq!(store.arrivals_since(&one, &none, i64::MAX).unwrap(), 0);
    assert_eq!(store.link_base(Path::new("/a.md")).unwrap(), Some(noted));
    store.drop_link_base(Path::new("/a.md")).unwrap();
    assert_eq!(store.link_base(Path::new("/a.md")).unwrap(), None);
}

#[test]
fn the_newest_bases_are_kept() {
    let (_folder, mut store) = store();
    for n in 0..30 {
        store.record(&record("one", "T", &[("", &format!("text {n}"))], n), None).unwrap();
        store.record(&record("one", "T", &[("", &format!("text {n}"))], n), None).unwrap();
    }
    let count: i64 = store.connection.query_row("SELECT count(*) FROM base", [], |row| row.get(0)).unwrap();
    assert_eq!(count, KEPT_BASES);
    assert_eq!(store.bases(&ItemId("one".into())).unwrap()[0].1, "text 29");
}

#[test]
fn the_journal_outlives_a_restart_and_ends_with_a_record() {
    let (folder, mut store) = store();
    let (item, part) = (ItemId("one".into()), PartId::default());
    let job = NewJob {
        item: &item,
        part: &part,
        base_revision: &Revision("r1".into()),
        before: "one two\n",
        expected: "after\n",
        base: Some("agreed\n"),
        plan: b"[]",
        told: &[lost()],
        at: Millis(5),
    };
    let id = store.begin_job(&job).unwrap();
    drop(store);
    let mut store = Store::open(&folder.path().join("state.db")).unwrap();
    let open = store.open_jobs().unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!((open[0].job, open[0].expected.as_str()), (id, "after\n"));
    assert_eq!(open[0].base.as_deref(), Some("agreed\n"));
    assert_eq!(open[0].told, [lost()]);
    let failed = |store: &Store| store.open_jobs().unwrap()[0].power_failed;
    assert_eq!(failed(&store), boot::id().is_none());
    // Begun in another run of the machine, or by a program that wrote none down.
    for other in ["'another'", "NULL"] {
        store.connection.execute_batch(&format!("UPDATE job SET boot = {other}")).unwrap();
        assert!(failed(&store), "{other}");
    }
    let mut end = record("one", "T", &[("", "after\n")], 6);
    end.jobs = vec![(id, JobEnd::Accepted)];
    store.record(&end, None).unwrap();
    assert!(store.open_jobs().unwrap().is_empty());
    assert_eq!(store.log(None, 10).unwrap()[0].what, LogWord::Push);
}

#[test]
fn what_waits_is_known_after_a_restart() {
    let (_folder, mut store) = store();
    let mut waits = record("one", "T", &[("", "a\n"), ("t.2", "b\n")], 6);
    let loaded =
        |store: &Store| store.load("f").unwrap().rows[0].parts.iter().map(|part| part.behind).collect::<Vec<_>>();
    for behind in [true, false, true] {
        waits.parts[1].behind = behind;
        store.record(&waits, None).unwrap();
        assert_eq!(loaded(&store), [false, behind]);
    }
    // What an older version recorded may wait.
    store
        .connection
        .execute("INSERT INTO part (item, part, position, modified, docid) VALUES ('one', 't.3', 2, 1, 9)", [])
        .unwrap();
    assert_eq!(loaded(&store), [false, true, true]);
}

#[test]
fn what_is_told_outlives_a_restart_until_it_was_seen() {
    let (folder, mut store) = store();
    let (item, part) = (ItemId("one".into()), PartId("t.2".into()));
    let mut told = record("one", "T", &[("", "a\n"), ("t.2", "b\n")], 6);
    told.parts[1].told = Told { at: Millis(6), notices: vec![lost()] };
    store.record(&told, None).unwrap();
    drop(store);
    let mut store = Store::open(&folder.path().join("state.db")).unwrap();
    let loaded = |store: &Store| store.load("f").unwrap().rows[0].parts.iter().map(|part| part.told.clone()).collect();
    let is: Vec<Told> = loaded(&store);
    assert_eq!(is, [Told::default(), told.parts[1].told.clone()]);
    assert!(told.parts[0].blind.is_some());
    assert_eq!(store.load("f").unwrap().rows[0].parts[0].blind, told.parts[0].blind);
    let blind: Vec<(PartId, Blind)> =
        told.parts.iter().filter_map(|known| Some((known.part.clone(), known.blind.clone()?))).collect();
    assert_eq!(store.blind_of(&item).unwrap(), blind);
    store.save_told(&item, &part, &Told { at: Millis(6), notices: Vec::new() }).unwrap();
    let is: Vec<Told> = loaded(&store);
    assert_eq!(is[1], Told { at: Millis(6), notices: Vec::new() });
}

#[test]
fn search_finds_words_prefixes_and_folded_letters() {
    let (_folder, mut store) = store();
    store.record(&record("old", "Budget", &[("", "The crème brûlée is ready")], 1), None).unwrap();
    store.record(&record("new", "Notes", &[("", "a budget for creme, \"quoted\" words")], 2), None).unwrap();
    assert_eq!(found(&store, "creme"), ["old/", "new/"]);
    assert_eq!(found(&store, "brul"), ["old/"]);
    assert_eq!(found(&store, "brul "), Vec::<String>::new());
    // A word in the title weighs more than one in the text.
    assert_eq!(found(&store, "budget"), ["old/", "new/"]);
    assert_eq!(found(&store, "AND OR NOT ( \" *"), Vec::<String>::new());
    let hits = store.search("quoted", ASKER, 1, 0).unwrap();
    assert!(hits.hits[0].snippet.contains("\"quoted\" words"), "{hits:?}");
    assert!(store.search("  * ", ASKER, 1, 0).is_err());
    // A changed text is found by its new words alone.
    store.record(&record("old", "Budget", &[("", "nothing sweet")], 3), None).unwrap();
    assert_eq!(found(&store, "creme"), ["new/"]);
    let page = store.search("budget", ASKER, 1, 1).unwrap();
    assert_eq!((page.total, page.hits.len(), page.truncated), (2, 1, false));
}

#[test]
fn a_retired_item_is_gone_from_everywhere() {
    let (_folder, mut store) = store();
    store.record(&record("one", "T", &[("", "alpha")], 1), None).unwrap();
    store.retire(&ItemId("one".into()), false, Millis(2)).unwrap();
    store.retire(&ItemId("never".into()), true, Millis(2)).unwrap();
    let newest = store.log(None, 2).unwrap();
    assert_eq!(newest[0].what, LogWord::Forgotten);
    assert_eq!((newest[0].item.0.as_str(), newest[0].title.as_str()), ("one", "T"));
    assert_eq!(store.items().unwrap(), Vec::new());
    assert_eq!(found(&store, "alpha"), Vec::<String>::new());
    store.drop_forgotten(Millis(3 + FORGOTTEN_FOR_MS)).unwrap();
    let rows: i64 = store.connection.query_row("SELECT count(*) FROM base", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0);
}

#[test]
fn the_log_tells_what_is_there_again() {
    let (_folder, mut store) = store();
    let write = |store: &mut Store, at: u64| store.record(&record("one", "T", &[("", "a\n")], at), None).unwrap();
    write(&mut store, 1);
    store.retire(&ItemId("one".into()), true, Millis(2)).unwrap();
    write(&mut store, 3);
    write(&mut store, 4);
    let words: Vec<LogWord> = store.log(None, 10).unwrap().into_iter().map(|line| line.what).collect();
    assert_eq!(words, [LogWord::Returned, LogWord::Retired, LogWord::Pull]);
}

#[test]
fn the_log_names_the_tab() {
    let (_folder, mut store) = store();
    let facts = Facts {
        main: None,
        facets: Facets::default(),
        url: String::new(),
        parts: [("", "First"), ("t.1", "Second")]
            .map(|(id, title)| (PartId(id.into()), title.into(), Vec::new()))
            .into(),
    };
    store.record(&record("one", "T", &[("", "a\n"), ("t.1", "b\n")], 1), Some(&facts)).unwrap();
    let tabs: Vec<String> = store.log(None, 10).unwrap().into_iter().map(|line| line.tab).collect();
    assert_eq!(tabs, ["Second", ""]);
    // Once the tab is gone, the log alone knows what it was called.
    store
        .record(&record("one", "T", &[("", "a\n")], 2), Some(&Facts { parts: facts.parts[..1].into(), ..facts }))
        .unwrap();
    store.note_put_away(&ItemId("one".into()), &PartId("t.1".into()), Millis(3)).unwrap();
    let tabs: Vec<_> = store.log(None, 10).unwrap().into_iter().map(|line| (line.what, line.tab)).collect();
    assert_eq!(tabs[0], (LogWord::TabGone, "Second".into()));
    assert_eq!(tabs.iter().filter(|(_, tab)| tab == "Second").count(), 2);
}

#[test]
fn an_id_in_other_letters_is_found() {
    let (_folder, mut store) = store();
    store.record(&record("aBc", "T", &[("", "a\n")], 1), None).unwrap();
    let spelt = |id: &str| store.item_spelt_otherwise(&ItemId(id.into())).unwrap().map(|item| item.0);
    assert_eq!(spelt("ABC").as_deref(), Some("aBc"));
    assert_eq!((spelt("aBc"), spelt("abd")), (None, None));
}

#[test]
fn a_reader_sees_what_was_written() {
    let (_folder, mut store) = store();
    let reader = store.reader().unwrap();
    store.record(&record("one", "T", &[("", "alpha")], 1), None).unwrap();
    assert_eq!(found(&reader, "alpha"), ["one/"]);
    store.save_cursor("drive", &Cursor("9".into())).unwrap();
    store.save_cursor("drive", &Cursor("10".into())).unwrap();
    assert_eq!(reader.cursor("drive").unwrap(), Some(Cursor("10".into())));
}

#[test]
fn the_file_is_private() {
    let (folder, store) = store();
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let mode = std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    drop(store);
}

#[test]
fn a_newer_or_damaged_database_is_refused_with_advice() {
    let (folder, store) = store();
    store.connection.pragma_update(None, "user_version", 99).unwrap();
    drop(store);
    let path = folder.path().join("state.db");
    let error = Store::open(&path).unwrap_err();
    assert!(error.to_string().contains("newer"), "{error}");
    assert!(error.suggestion().contains("Update"), "{}", error.suggestion());

    let path = folder.path().join("broken.db");
    std::fs::write(&path, "this is no database, and long enough to be read as one".repeat(40)).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
    assert!(error.suggestion().contains("puts the database aside"), "{}", error.suggestion());
    let error = Store::open_or_rebuild(&folder.path().join("state.db"), Millis(7)).unwrap_err();
    assert!(error.to_string().contains("newer"), "{error}");
}

#[test]
fn a_damaged_database_is_put_aside_with_what_stands_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let (mut store, opened) = Store::open_or_rebuild(&path, Millis(6)).unwrap();
    assert_eq!(opened, Opened::Known);
    for number in 0..200 {
        let id = format!("id{number}");
        store.record(&record(&id, "T", &[("", &format!("text {number} {}", "x ".repeat(500)))], 1), None).unwrap();
    }
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    // No database; one whose pages are broken; one that was cut off.
    let no_database = b"this is no database, and long enough to be read as one".repeat(40);
    let broken: Vec<u8> = whole.iter().enumerate().map(|(at, byte)| if at < 8192 { *byte } else { 0x5a }).collect();
    let cut = whole[..whole.len() / 2 + 100].to_vec();
    for (at, bytes) in [no_database, broken, cut].into_iter().enumerate() {
        std::fs::write(&path, &bytes).unwrap();
        std::fs::write(folder.path().join("state.db-wal"), "of another one").unwrap();
        let (store, opened) = Store::open_or_rebuild(&path, Millis(7 + at as u64)).unwrap();
        let aside = folder.path().join(format!("state.db.damaged-{}", 7 + at));
        assert_eq!(opened, Opened::Rebuilt(aside.clone()), "{at}");
        assert_eq!(std::fs::read(&aside).unwrap(), bytes);
        assert_eq!(store.items().unwrap(), Vec::new());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        drop(store);
        assert_eq!(Store::open_or_rebuild(&path, Millis(99)).unwrap().1, Opened::Known);
    }
}

#[test]
fn items_of_which_only_files_are_known_are_taken_in_once() {
    let (_folder, mut store) = store();
    store.record(&record("one", "First", &[("", "a\n")], 3), None).unwrap();
    let ids = ["one", "two"].map(|id| ItemId(id.into()));
    store.adopt(&ids, KindName::Docs, Millis(5)).unwrap();
    store.adopt(&ids, KindName::Docs, Millis(6)).unwrap();
    let items = store.items().unwrap();
    let told: Vec<(&str, usize, u64)> =
        items.iter().map(|item| (item.title.as_str(), item.parts.len(), item.at.0)).collect();
    assert_eq!(told, [("First", 1, 3), ("", 0, 5)]);
}

#[test]
fn the_log_tells_words_and_knows_pushes() {
    let (_folder, mut store) = store();
    let (item, part) = (ItemId("one".into()), PartId::default());
    store.record(&record("one", "T", &[("", "one two\n")], 1), None).unwrap();
    let push = |store: &mut Store, before: &str, after: &str, base: &str, end: JobEnd| {
        let job = NewJob {
            item: &item,
            part: &part,
            base_revision: &Revision("r1".into()),
            before,
            expected: after,
            base: None,
            plan: b"[]",
            told: &[],
            at: Millis(5),
        };
        let id = store.begin_job(&job).unwrap();
        let mut ended = record("one", "T", &[("", base)], 6);
        ended.jobs = vec![(id, end)];
        store.record(&ended, None).unwrap();
        id
    };
    // One that landed while somebody else wrote a word; one that Google refused; one that was stale.
    let landed = push(&mut store, "one two\n", "one 2 3\n", "one 2 3 four\n", JobEnd::Accepted);
    let refused = push(&mut store, "one 2 3 four\n", "one\n", "one 2 3 four\n", JobEnd::Refused);
    let stale = push(&mut store, "one 2 3 four\n", "one\n", "one 2 3 four\n", JobEnd::Stale);
    let words = |added, removed| Words { added, removed };
    let told: Vec<_> =
        store.log(Some(&item), 10).unwrap().into_iter().map(|line| (line.what, line.push, line.words)).collect();
    assert_eq!(
        told,
        [
            (LogWord::Refused, Some(refused), words(0, 3)),
            (LogWord::Pull, None, words(1, 0)),
            (LogWord::Push, Some(landed), words(2, 1)),
            (LogWord::Pull, None, words(2, 0)),
        ]
    );
    assert_eq!(store.log(Some(&ItemId("two".into())), 10).unwrap(), Vec::new());
    assert_eq!(store.log(None, 1).unwrap().len(), 1);
    let texts = store.push(landed).unwrap().unwrap().texts;
    assert_eq!(texts, Some(("one two\n".into(), "one 2 3\n".into())));
    assert_eq!((store.push(refused).unwrap(), store.push(stale).unwrap()), (None, None));
    // Its texts are kept for as many pushes of the file, then it is known and nothing more.
    for number in 0..50 {
        push(&mut store, "a\n", "b\n", &format!("{number}\n"), JobEnd::Accepted);
    }
    assert_eq!(store.push(landed).unwrap().unwrap().texts, None);
}

#[test]
fn an_index_that_lost_a_text_is_found_and_made_anew() {
    let (_folder, mut store) = store();
    let (item, part) = (ItemId("one".into()), PartId::default());
    store.record(&record("one", "T", &[("", "---\nid: one\n---\n\nalpha beta\n")], 1), None).unwrap();
    assert_eq!(store.damage().unwrap(), Damage::default());
    assert!(store.is_indexed(&item, &part, "---\nid: one\n---\n\nalpha beta\n").unwrap());
    assert!(!store.is_indexed(&item, &part, "alpha\n").unwrap());
    store.connection.execute("DELETE FROM doc", []).unwrap();
    assert_eq!(store.damage().unwrap(), Damage::default());
    assert!(!store.is_indexed(&item, &part, "alpha beta\n").unwrap());
    store.index_anew(&item, &part, "alpha beta\n").unwrap();
    assert_eq!(found(&store, "alpha"), ["one/"]);
    // Its own tables disagree.
    store.connection.execute("UPDATE doc_content SET c1 = 'gamma'", []).unwrap();
    let damage = store.damage().unwrap();
    assert!(damage.tables.is_empty() && !damage.index.is_empty(), "{damage:?}");
    store.rebuild_index().unwrap();
    assert_eq!(store.damage().unwrap(), Damage::default());
    assert_eq!(found(&store, "gamma"), ["one/"]);
}

#[test]
fn a_pause_outlives_a_restart() {
    let (folder, mut store) = store();
    assert!(!store.load("f").unwrap().paused);
    store.save_paused(true).unwrap();
    store.save_paused(true).unwrap();
    drop(store);
    let mut store = Store::open(&folder.path().join("state.db")).unwrap();
    assert!(store.load("f").unwrap().paused);
    store.save_paused(false).unwrap();
    assert!(!store.load("f").unwrap().paused);
}

#[test]
fn the_newest_of_what_came_is_kept_and_the_rest_as_one() {
    let (_folder, mut store) = store();
    let (item, part) = (ItemId("one".into()), PartId(String::new()));
    let arrival = |number: u64| Arrival {
        before: format!("without {number}"),
        after: format!("with {number}"),
        base: if number.is_multiple_of(2) { format!("without {number}") } else { format!("base {number}") },
    };
    for number in 0..25 {
        let mut record = record("one", "First", &[("", "a\n"), ("t.2", "b\n")], number);
        record.parts[0].arrived = vec![arrival(number)];
        store.record(&record, None).unwrap();
    }
    let mut kept: Vec<Arrival> = (5..25).rev().map(arrival).collect();
    let oldest = kept.last_mut().unwrap();
    (oldest.before, oldest.base) = ("without 0".into(), "without 0".into());
    assert_eq!(came(&store, &item, &part), kept);
    assert_eq!(came(&store, &item, &PartId("t.2".into())), Vec::new());
    store.record(&record("one", "First", &[("t.2", "b\n")], 30), None).unwrap();
    assert_eq!(came(&store, &item, &part), Vec::new());
}

#[test]
fn what_a_file_is_about_to_say_is_known_until_it_is_recorded() {
    let (_folder, mut store) = store();
    let (item, part) = (ItemId("one".into()), PartId(String::new()));
    let intent = |after: &str, base: &str| Intent {
        before: "b".into(),
        was: (after != base).then(|| "was".into()),
        after: after.into(),
        base: base.into(),
        pushes: (after != base).then_some(JobId(7)).into_iter().collect(),
        blind: (after != base).then(|| Blind { until: Millis(7), read: vec!["word".into()] }),
    };
    assert_eq!(store.intents(&item).unwrap(), Vec::new());
    for intent in [intent("one", "one"), intent("two", "base")] {
        store.intend((&item, &part), &intent, None, &[]).unwrap();
        assert_eq!(store.intents(&item).unwrap(), [(part.clone(), intent)]);
    }
    // What was read did not tell whether it stands there.
    let mut unsettled = record("one", "First", &[("", "two\n")], 1);
    unsettled.parts[0].settled = false;
    store.record(&unsettled, None).unwrap();
    assert_eq!(store.intents(&item).unwrap().len(), 1);
    store.record(&record("one", "First", &[("", "two\n")], 1), None).unwrap();
    assert_eq!(store.intents(&item).unwrap(), Vec::new());
    let arrival = |at: &str| Arrival { before: at.into(), after: format!("{at} more"), base: at.into() };
    store.intend((&item, &part), &intent("three", "three"), None, &[arrival("2"), arrival("1")]).unwrap();
    assert_eq!(came(&store, &item, &part), [arrival("2"), arrival("1")]);
    store.retire(&item, true, Millis(2)).unwrap();
    assert_eq!(store.intents(&item).unwrap(), Vec::new());
    assert_eq!(came(&store, &item, &part), [arrival("2"), arrival("1")]);
}

#[test]
fn what_an_older_version_noted_of_a_file_is_kept() {
    const BEFORE_UNRECORDED: usize = 11;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let mut connection = Connection::open(&path).unwrap();
    schema::migrations().to_version(&mut connection, BEFORE_UNRECORDED).unwrap();
    connection
        .execute_batch("INSERT INTO item (id, kind, title, can_edit, at) VALUES ('one', 'docs', 'First', 1, 1)")
        .unwrap();
    let packed = |text: &str| pack(text.as_bytes(), "testing").unwrap();
    for (seq, base) in [(1, None), (2, Some(packed("base")))] {
        connection
            .execute(
                "INSERT INTO arrival (item, part, seq, before, after, base) VALUES ('one', '', ?1, ?2, ?3, ?4)",
                params![seq, packed("before"), packed(&format!("after {seq}")), base],
            )
            .unwrap();
    }
    drop(connection);
    let arrival = |after: &str, base: &str| Arrival { before: "before".into(), after: after.into(), base: base.into() };
    let store = Store::open(&path).unwrap();
    let kept = came(&store, &ItemId("one".into()), &PartId::default());
    assert_eq!(kept, [arrival("after 2", "base"), arrival("after 1", "before")]);
}

#[test]
fn what_came_into_a_file_that_nobody_has_recorded_is_kept() {
    let (item, tab) = (ItemId("new".into()), PartId("t.1".into()));
    let arrival = Arrival { before: "one".into(), after: "one more".into(), base: "one".into() };
    let intent = Intent {
        blind: None,
        before: "one more".into(),
        was: Some("one more".into()),
        after: "two".into(),
        base: "two".into(),
        pushes: Vec::new(),
    };
    // Then it is recorded with the file, or without it, or is let go of.
    let kept = |end: &dyn Fn(&mut Store)| {
        let (_folder, mut store) = store();
        store.intend((&item, &tab), &intent, Some("t.0"), std::slice::from_ref(&arrival)).unwrap();
        assert_eq!(came(&store, &item, &tab), std::slice::from_ref(&arrival));
        // What the main file is of is known before anything is recorded.
        assert_eq!(store.main_of(&item).unwrap().as_deref(), Some("t.0"));
        end(&mut store);
        (came(&store, &item, &tab).len(), store.intents(&item).unwrap().len())
    };
    assert_eq!(kept(&|store| store.record(&record("new", "New", &[("t.1", "two\n")], 1), None).unwrap()), (1, 0));
    assert_eq!(kept(&|store| store.record(&record("new", "New", &[("", "two\n")], 1), None).unwrap()), (0, 0));
    assert_eq!(kept(&|store| store.retire(&item, true, Millis(2)).unwrap()), (0, 0));
    assert_eq!(kept(&|store| store.retire(&item, false, Millis(2)).unwrap()), (1, 1));
    let later = |store: &mut Store| {
        store.retire(&item, false, Millis(2)).unwrap();
        store.drop_forgotten(Millis(3 + FORGOTTEN_FOR_MS)).unwrap();
    };
    assert_eq!(kept(&later), (0, 0));
}

#[test]
fn what_is_gone_is_known_until_it_is_forgotten_or_comes_back() {
    let (_folder, mut store) = store();
    let (one, two) = (ItemId("one".into()), ItemId("two".into()));
    for comes_back in [true, false] {
        store.record(&record("one", "First", &[("", "a\n"), ("t.1", "b\n")], 1), None).unwrap();
        store.record(&record("two", "Second", &[("", "c\n")], 1), None).unwrap();
        store.retire(&one, true, Millis(2)).unwrap();
        store.retire(&two, false, Millis(2)).unwrap();
        // A second time changes nothing.
        store.retire(&one, true, Millis(3)).unwrap();
        assert_eq!(store.items().unwrap(), Vec::new());
        assert_eq!(store.search("First", ASKER, 9, 0).unwrap().hits.len(), 0);
        let rows = store.load("feed").unwrap().rows;
        let shown = rows.iter().map(|row| (row.item.0.as_str(), row.title.as_str(), row.buried, row.parts.len()));
        assert_eq!(shown.collect::<Vec<_>>(), [("one", "First", true, 2)]);
        let base = |part: &str, text: &str| (PartId(part.into()), text.to_owned());
        assert_eq!(store.bases(&one).unwrap(), [base("", "a\n"), base("t.1", "b\n")]);
        assert!(store.is_buried(&one).unwrap() && !store.is_buried(&two).unwrap());
        // Who has a file of it open may save that once it is fetched anew.
        assert_eq!(store.bases(&two).unwrap(), [base("", "c\n")]);
        if comes_back {
            store.record(&record("one", "First", &[("", "d\n")], 4), None).unwrap();
            assert_eq!(store.bases(&one).unwrap(), [base("", "d\n")]);
        }
        store.retire(&one, false, Millis(5)).unwrap();
        assert_eq!(store.load("feed").unwrap().rows.len(), 0);
        assert!(!store.is_buried(&one).unwrap() && store.item(&one).unwrap().is_none());
        let left = if comes_back { vec![base("", "d\n")] } else { vec![base("", "a\n"), base("t.1", "b\n")] };
        assert_eq!(store.bases(&one).unwrap(), left);
    }
}

#[test]
fn what_a_person_lets_go_of_is_known_for_a_week() {
    let (_folder, mut store) = store();
    let (one, file) = (ItemId("one".into()), PartId::default());
    let came = Arrival { before: "a\n".into(), after: "b\n".into(), base: "a\n".into() };
    store.record(&record("one", "First", &[("", "b\n")], 1), None).unwrap();
    store.note_arrivals(&one, &file, std::slice::from_ref(&came)).unwrap();
    let known = |store: &Store| (store.bases(&one).unwrap().len(), store.arrivals(&one, &file).unwrap().unwrap().len());
    store.retire(&one, false, Millis(2)).unwrap();
    // Letting go of it once more does not make it longer.
    store.retire(&one, false, Millis(9)).unwrap();
    store.drop_forgotten(Millis(2 + FORGOTTEN_FOR_MS)).unwrap();
    assert_eq!(known(&store), (1, 1));
    // Fetched anew it is an item like any other.
    store.record(&record("one", "First", &[("", "c\n")], 3), None).unwrap();
    assert_eq!((store.items().unwrap().len(), store.search("First", ASKER, 9, 0).unwrap().hits.len()), (1, 1));
    store.drop_forgotten(Millis(4 + FORGOTTEN_FOR_MS)).unwrap();
    assert_eq!(known(&store), (1, 1));
    store.retire(&one, false, Millis(5)).unwrap();
    store.drop_forgotten(Millis(6 + FORGOTTEN_FOR_MS)).unwrap();
    assert_eq!(known(&store), (0, 0));
    // A file of it that is found later is compared with its document.
    store.record(&record("one", "First", &[("", "c\n")], 7), None).unwrap();
    store.retire(&one, false, Millis(8)).unwrap();
    store.adopt(std::slice::from_ref(&one), KindName::Docs, Millis(9)).unwrap();
    assert_eq!((store.load("feed").unwrap().rows.len(), store.bases(&one).unwrap().len()), (1, 0));
}

#[test]
fn what_a_push_without_an_answer_brought_is_known_when_its_item_goes() {
    for bury in [false, true] {
        let (_folder, mut store) = store();
        let (one, part) = (ItemId("one".into()), PartId::default());
        store.record(&record("one", "T", &[("", "a\n")], 1), None).unwrap();
        for base in [Some("a\n\nmine\n"), None] {
            let job = NewJob {
                item: &one,
                part: &part,
                base_revision: &Revision("r1".into()),
                before: "a theirs\n",
                expected: "a theirs\n\nmine\n",
                base,
                plan: b"[]",
                told: &[],
                at: Millis(2),
            };
            store.begin_job(&job).unwrap();
        }
        store.retire(&one, bury, Millis(3)).unwrap();
        assert!(store.open_jobs().unwrap().is_empty());
        assert_eq!(store.arrivals(&one, &part).unwrap(), Some(vec![Arrival::of_none("a\n\nmine\n", "a\n")]));
    }
}

#[test]
fn rows_that_belong_to_nothing_are_taken_away() {
    let (_folder, mut store) = store();
    store.record(&record("one", "T", &[("", "beta\n")], 5), None).unwrap();
    store.connection.execute("INSERT INTO doc (rowid, title, text) VALUES (999, 'x', 'y')", []).unwrap();
    assert_eq!(store.stray_rows().unwrap(), 1);
    store.drop_stray_rows().unwrap();
    assert_eq!((store.stray_rows().unwrap(), found(&store, "beta")), (0, vec!["one/".to_owned()]));
}
