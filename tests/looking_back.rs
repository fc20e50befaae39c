//! What a person sees and takes back, with the real binary and the embedded Google: the log, undo, the trash, pauses, accounts
//! that are only mirrored, `doctor`, and a state that was lost.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::world::{World, edit_in_place, until};

const ACCOUNT: &str = "demo@example.com";

fn world(name: &str) -> World {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    world
}

/// A document that says `text`: its id and its file.
fn document(world: &World, text: &str) -> (String, PathBuf) {
    let source = world.home.join("source.md");
    std::fs::write(&source, text).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Told", source.to_str().unwrap()]);
    assert!(done, "{made}");
    let told = |key: &str| made[key].as_str().unwrap().to_owned();
    (told("id"), told("path").into())
}

fn done(world: &World, arguments: &[&str]) -> Value {
    let (done, answer) = world.cli(arguments);
    assert!(done, "{arguments:?}: {answer}");
    answer
}

fn refused(world: &World, arguments: &[&str]) -> Value {
    let (done, answer) = world.cli(arguments);
    assert!(!done, "{arguments:?}: {answer}");
    answer
}

fn push(world: &World, file: &Path, old: &str, new: &str) {
    edit_in_place(file, old, new);
    done(world, &["push", file.to_str().unwrap()]);
}

/// The lines of the log of a file: what, and the words that came and went.
fn log(world: &World, file: &Path) -> Vec<(String, u64, u64)> {
    let log = done(world, &["log", file.to_str().unwrap()]);
    let lines = log["lines"].as_array().unwrap().iter();
    let of = |line: &Value| {
        let count = |key: &str| line[key].as_u64().unwrap();
        (line["what"].as_str().unwrap().to_owned(), count("words_added"), count("words_removed"))
    };
    lines.map(of).collect()
}

/// The number of the newest push of a file.
fn newest_push(world: &World, file: &Path) -> String {
    let log = done(world, &["log", file.to_str().unwrap()]);
    let pushes = log["lines"].as_array().unwrap().iter();
    pushes.filter_map(|line| line["push"].as_i64()).next().unwrap().to_string()
}

fn database(world: &World) -> PathBuf {
    world.home.join("state").join(account(world)).join("state.db")
}

fn account(world: &World) -> String {
    done(world, &["status"])["accounts"][0]["account"].as_str().unwrap_or(ACCOUNT).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_is_logged_and_taken_back_while_later_edits_stay() {
    let world = world("undo");
    let (id, file) = document(&world, "# One\n\nalpha beta\n\n# Two\n\ngamma\n");
    push(&world, &file, "alpha beta", "alpha new words");
    let first = newest_push(&world, &file);
    push(&world, &file, "gamma", "gamma delta");
    assert_eq!(log(&world, &file)[..2], [("push".into(), 1, 0), ("push".into(), 2, 1)]);
    world.collaborate(&id, "gamma", "theirs").await;
    done(&world, &["fetch", "--refresh", &id]);
    assert_eq!(log(&world, &file)[0], ("pull".into(), 1, 1));
    // What comes beside a push is told, too; while the account is paused nothing comes before.
    done(&world, &["pause"]);
    world.collaborate(&id, "theirs", "theirs and more").await;
    edit_in_place(&file, "}Two", "}Two three");
    done(&world, &["resume"]);
    done(&world, &["push", file.to_str().unwrap()]);
    assert_eq!(log(&world, &file)[..2], [("pull".into(), 2, 0), ("push".into(), 1, 0)]);
    push(&world, &file, "}Two three", "}Two");
    let undone = done(&world, &["undo", &first]);
    assert_eq!(undone["pushed"], true, "{undone}");
    assert_eq!(world.text(&id).await, "One\nalpha beta\nTwo\ntheirs and more delta\n");
    assert!(std::fs::read_to_string(&file).unwrap().contains("alpha beta\n"));
    // Once more there is nothing to take back.
    let again = done(&world, &["undo", &first]);
    assert!(again["message"].as_str().unwrap().contains("nothing of push"), "{again}");
    // And the undoing is a push like any other.
    let undoing = newest_push(&world, &file);
    done(&world, &["undo", &undoing]);
    assert_eq!(world.text(&id).await, "One\nalpha new words\nTwo\ntheirs and more delta\n");
    let unknown = refused(&world, &["undo", "999999"]);
    assert!(unknown["message"].as_str().unwrap().contains("no push 999999"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_is_taken_back_beside_a_conflict_is_told_to_stand_in_the_document() {
    let world = world("undo-conflict");
    let (id, file) = document(&world, "# One\n\nalpha\n\nbeta\n");
    push(&world, &file, "alpha", "alpha first");
    let first = newest_push(&world, &file);
    done(&world, &["pause"]);
    edit_in_place(&file, "beta", "mine");
    world.collaborate(&id, "beta", "theirs").await;
    done(&world, &["resume"]);
    let (_, met) = world.cli(&["push", file.to_str().unwrap()]);
    assert!(met["message"].as_str().unwrap().contains("in conflict"), "{met}");
    let (gone, undone) = world.cli(&["undo", &first]);
    let told = undone["message"].as_str().unwrap();
    assert!(
        !gone && told.contains("the file stands without push") && told.contains("in conflict: \"One\""),
        "{undone}"
    );
    assert!(!std::fs::read_to_string(&file).unwrap().contains("alpha first"));
    assert!(world.text(&id).await.contains("alpha first"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_edited_since_is_not_taken_back() {
    let world = world("undo-edited");
    let (id, file) = document(&world, "# One\n\nalpha\n\n# Two\n\ngamma\n");
    push(&world, &file, "alpha", "beta");
    let first = newest_push(&world, &file);
    push(&world, &file, "beta", "other");
    let answer = refused(&world, &["undo", &first]);
    assert!(answer["message"].as_str().unwrap().contains("edited since, in \"One\""), "{answer}");
    assert_eq!(world.text(&id).await, "One\nother\nTwo\ngamma\n");
    assert!(std::fs::read_to_string(&file).unwrap().contains("other"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_account_sends_nothing_until_it_is_resumed() {
    let mut world = world("pause");
    let (id, file) = document(&world, "alpha\n");
    done(&world, &["pause"]);
    let pushes = world.pushes().await.len();
    edit_in_place(&file, "alpha", "beta");
    let answer = refused(&world, &["push", file.to_str().unwrap()]);
    assert!(answer["message"].as_str().unwrap().contains("paused"), "{answer}");
    refused(&world, &["create", "--title", "T"]);
    // It outlives the daemon, however that ends.
    world.kill_daemon();
    world.start_daemon(&[]);
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert!(done(&world, &["status"])["accounts"][0]["halted"].as_str().unwrap().contains("paused"));
    assert_eq!((world.pushes().await.len(), world.text(&id).await.as_str()), (pushes, "alpha\n"));
    refused(&world, &["resume", "--account", "nobody@example.com"]);
    done(&world, &["resume"]);
    until("the edit arrives", || async { world.text(&id).await == "beta\n" }).await;
    world.kill_daemon();
    world.start_daemon(&[]);
    assert_eq!(done(&world, &["status"])["accounts"][0]["halted"], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_is_only_mirrored_takes_in_and_sends_nothing() {
    let mut world = world("mirror-mode");
    let (id, file) = document(&world, "# One\n\nalpha\n\n# Two\n\ngamma\n");
    world.kill_daemon();
    let config = world.home.join("config/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("mode = \"two-way\"", "mode = \"mirror\"")).unwrap();
    world.start_daemon(&[]);
    assert_eq!(done(&world, &["status"])["accounts"][0]["mode"], "mirror");
    let before = world.get("/admin/requests").await.as_array().unwrap().len();
    edit_in_place(&file, "alpha", "beta");
    let answer = refused(&world, &["push", file.to_str().unwrap()]);
    assert_eq!(answer["refused"][0]["code"], "MIRROR_ONLY", "{answer}");
    refused(&world, &["create", "--title", "T"]);
    refused(&world, &["trash", &id]);
    world.collaborate(&id, "gamma", "theirs").await;
    until("what others write arrives", || {
        std::future::ready(std::fs::read_to_string(&file).unwrap().contains("theirs"))
    })
    .await;
    assert!(std::fs::read_to_string(&file).unwrap().contains("beta"));
    assert_eq!(world.text(&id).await, "One\nalpha\nTwo\ntheirs\n");
    // Its own side of a conflict would have to be sent.
    world.collaborate(&id, "alpha", "foreign").await;
    until("the conflict is known", || {
        std::future::ready(world.cli(&["status"]).1.to_string().contains("say different things"))
    })
    .await;
    let path = file.to_str().unwrap();
    assert_eq!(refused(&world, &["resolve", path, "--mine"])["kind"], "read_only");
    assert!(std::fs::read_to_string(&file).unwrap().contains("beta"));
    done(&world, &["resolve", path, "--theirs"]);
    assert!(std::fs::read_to_string(&file).unwrap().contains("foreign"));
    let log = world.get("/admin/requests").await;
    let sent = log.as_array().unwrap()[before..].iter();
    let changing: Vec<&Value> = sent
        .filter(|entry| entry["method"] != "GET" && !entry["path"].as_str().unwrap().starts_with("/admin"))
        .collect();
    assert!(changing.is_empty(), "{changing:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_that_a_restore_ends_is_told_and_kept() {
    let world = world("restore-conflict");
    let (id, file) = document(&world, "# One\n\nalpha\n");
    let status = || world.cli(&["status"]).1.to_string();
    done(&world, &["pause"]);
    edit_in_place(&file, "alpha", "mine");
    world.collaborate(&id, "alpha", "theirs").await;
    done(&world, &["resume"]);
    until("the conflict is known", || std::future::ready(status().contains("say different things"))).await;
    std::fs::remove_file(&file).unwrap();
    until("it is known to be deleted", || std::future::ready(status().contains("deleted"))).await;
    let answer = done(&world, &["restore", &id]);
    assert!(answer["notices"].to_string().contains("CONFLICT_ENDED"), "{answer}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("theirs"));
    let retired = walk(&world.home.join("workspace/.retired"));
    assert!(retired.iter().any(|path| std::fs::read_to_string(path).unwrap().contains("mine")), "{retired:?}");
    // Without a conflict there is nothing to tell.
    std::fs::remove_file(&file).unwrap();
    until("it is known to be deleted", || std::future::ready(status().contains("deleted"))).await;
    let answer = done(&world, &["restore", &id]);
    assert!(!answer.to_string().contains("CONFLICT_ENDED"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_from_the_place_of_a_file_or_of_all_is_noticed() {
    let world = world("moved");
    let (id, file) = document(&world, "alpha\n");
    let status = || world.cli(&["status"]).1.to_string();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    until("the folder in its place is told", || std::future::ready(status().contains("NOT_A_FILE"))).await;
    std::fs::remove_dir(&file).unwrap();
    until("it is told no more", || std::future::ready(!status().contains("NOT_A_FILE"))).await;
    std::fs::write(&file, text.replace("alpha", "beta")).unwrap();
    until("the file is one again", || async { world.text(&id).await == "beta\n" }).await;
    // The folder of all goes, and comes back with an edit.
    let (folder, away) = (world.home.join("workspace"), world.home.join("elsewhere"));
    std::fs::rename(&folder, &away).unwrap();
    until("everything halts", || async { done(&world, &["status"])["accounts"][0]["halted"] != "" }).await;
    refused(&world, &["push", file.to_str().unwrap()]);
    assert_eq!(world.text(&id).await, "beta\n");
    std::fs::rename(&away, &folder).unwrap();
    edit_in_place(&file, "beta", "gamma");
    done(&world, &["resume"]);
    until("the edit arrives", || async { world.text(&id).await == "gamma\n" }).await;
    // It is watched where it is.
    edit_in_place(&file, "gamma", "delta");
    until("the next edit arrives", || async { world.text(&id).await == "delta\n" }).await;
    // Who goes on without it is told what that means; what comes meanwhile comes into the file when that is back.
    std::fs::rename(&folder, &away).unwrap();
    until("everything halts", || async { done(&world, &["status"])["accounts"][0]["halted"] != "" }).await;
    let told = done(&world, &["resume"]);
    assert!(told["message"].as_str().unwrap().contains("missing"), "{told}");
    until("the file counts as deleted", || std::future::ready(status().contains("deleted"))).await;
    let pulled = || done(&world, &["status"])["accounts"][0]["queue"]["waiting"] == 0;
    world.collaborate(&id, "delta", "theirs").await;
    done(&world, &["fetch", "--refresh", &id]);
    until("it was looked at", || std::future::ready(pulled())).await;
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::rename(&away, &folder).unwrap();
    let said = || std::fs::read_to_string(&file).is_ok_and(|text| text.contains("theirs"));
    until("what came meanwhile arrives", || {
        done(&world, &["resume"]);
        std::future::ready(said())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn trash_is_an_act_of_its_own_and_takes_no_edit_along() {
    let world = world("trash");
    let (id, file) = document(&world, "alpha\n");
    // An edit that is held is one that the document does not have.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("alpha", "")).unwrap();
    refused(&world, &["push", file.to_str().unwrap()]);
    let answer = refused(&world, &["trash", &id]);
    assert!(answer["message"].as_str().unwrap().contains("holds edits"), "{answer}");
    assert_eq!(world.get(&format!("/drive/v3/files/{id}?fields=trashed")).await["trashed"], false);
    std::fs::write(&file, text).unwrap();
    push(&world, &file, "alpha", "gamma");
    done(&world, &["trash", file.to_str().unwrap()]);
    assert_eq!(world.get(&format!("/drive/v3/files/{id}?fields=trashed")).await["trashed"], true);
    assert!(!file.exists());
    let retired = walk(&world.home.join("workspace/.retired"));
    assert!(retired.iter().any(|path| std::fs::read_to_string(path).unwrap().contains("gamma")), "{retired:?}");
    refused(&world, &["trash", &id]);
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_finds_and_mends_what_nobody_noticed() {
    let world = world("doctor");
    let (id, file) = document(&world, "alpha unfindable\n");
    assert_eq!(done(&world, &["doctor"])["findings"].as_array().unwrap().len(), 0);
    // A walk that comes in between would mend the index by itself.
    until("nothing is left to do, and nothing begins", || {
        done(&world, &["pause"]);
        let queue = done(&world, &["status"])["accounts"][0]["queue"].clone();
        let is_quiet = queue["waiting"] == 0 && queue["working"] == 0;
        if !is_quiet {
            done(&world, &["resume"]);
        }
        std::future::ready(is_quiet)
    })
    .await;
    let store = rusqlite::Connection::open(database(&world)).unwrap();
    store.execute("DELETE FROM doc WHERE rowid IN (SELECT docid FROM part WHERE item = ?1)", [&id]).unwrap();
    drop(store);
    std::fs::write(file.with_file_name("stray.md"), "nobody's\n").unwrap();
    let checks = |answer: &Value| -> Vec<(String, String)> {
        let findings = answer["findings"].as_array().unwrap().iter();
        let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
        findings.map(|finding| (word(finding, "check"), word(finding, "repair"))).collect()
    };
    let found = refused(&world, &["doctor"]);
    let finding = |check: &str, repair: &str| (check.to_owned(), repair.to_owned());
    let expected = [finding("account", "note"), finding("stray", "note"), finding("index", "offered")];
    assert_eq!(checks(&found), expected, "{found}");
    let mended = done(&world, &["doctor", "--repair"]);
    assert!(checks(&mended).contains(&("index".into(), "done".into())), "{mended}");
    assert_eq!(checks(&done(&world, &["doctor"])), expected[..2]);
    assert_eq!(done(&world, &["search", "unfindable"])["results"][0]["id"], *id);
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_tells_what_waits() {
    let world = world("doctor-waits");
    let (_, emptied) = document(&world, "# One\n\nalpha beta gamma\n");
    let (_, replaced) = document(&world, "# One\n\ndelta\n");
    std::fs::write(&emptied, "").unwrap();
    refused(&world, &["push", emptied.to_str().unwrap()]);
    std::fs::remove_file(&replaced).unwrap();
    std::fs::create_dir(&replaced).unwrap();
    until("the folder is seen", || std::future::ready(done(&world, &["status"]).to_string().contains("\"unusable\"")))
        .await;
    let found = refused(&world, &["doctor"]);
    let findings: Vec<&str> =
        found["findings"].as_array().unwrap().iter().map(|finding| finding["repair"].as_str().unwrap()).collect();
    assert!(findings.contains(&"note") && findings.contains(&"byhand") && findings.len() == 2, "{found}");
    assert!(found.to_string().contains("the file is empty"), "{found}");
}

/// A state that was lost: files that were not touched since, files with edits, and documents that moved on.
async fn lose(name: &str, lose: impl FnOnce(&Path)) {
    let mut world = world(name);
    let (same, same_file) = document(&world, "# One\n\nalpha\n");
    let (edited, edited_file) = document(&world, "# One\n\nbeta\n");
    let (moved, moved_file) = document(&world, "# One\n\ngamma\n");
    let database = database(&world);
    world.kill_daemon();
    lose(&database);
    edit_in_place(&edited_file, "beta", "my words");
    world.collaborate(&moved, "gamma", "their words").await;
    world.start_daemon(&[]);
    until("all of it is mirrored again", || {
        let status = done(&world, &["status"]);
        let account = &status["accounts"][0];
        let idle = account["queue"]["waiting"] == 0 && account["queue"]["working"] == 0;
        std::future::ready(idle && account["items"].as_u64().unwrap() >= 6)
    })
    .await;
    let status = done(&world, &["status"]).to_string();
    assert!(status.contains("recovered") && status.contains("`resolve` ends that"), "{status}");
    // Nothing is lost on either side, and nothing of the remote's was taken for the file's.
    assert_eq!(world.text(&same).await, "One\nalpha\n");
    assert!(std::fs::read_to_string(&same_file).unwrap().contains("alpha"));
    assert_eq!(world.text(&edited).await, "One\nbeta\n");
    assert!(std::fs::read_to_string(&edited_file).unwrap().contains("my words"));
    assert_eq!(world.text(&moved).await, "One\ntheir words\n");
    for (id, file, mine, theirs) in
        [(&edited, &edited_file, "my words", "beta"), (&moved, &moved_file, "gamma", "their words")]
    {
        let shown = std::fs::read_to_string(file.with_file_name(format!("{id}.conflict.md"))).unwrap();
        assert!(shown.contains(mine) && shown.contains(theirs), "{shown}");
    }
    done(&world, &["resolve", edited_file.to_str().unwrap(), "--mine"]);
    done(&world, &["resolve", moved_file.to_str().unwrap(), "--theirs"]);
    until("the file's words arrive", || async { world.text(&edited).await == "One\nmy words\n" }).await;
    assert!(std::fs::read_to_string(&moved_file).unwrap().contains("their words"));
    // What is known again is edited like any other.
    push(&world, &same_file, "alpha", "alpha two");
    assert_eq!(world.text(&same).await, "One\nalpha two\n");
    let status = done(&world, &["status"]).to_string();
    assert!(status.contains("nothing is left to do") && !status.contains("`resolve` ends that"), "{status}");
    assert_eq!(done(&world, &["doctor"])["findings"].as_array().unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_is_gone_is_made_anew() {
    lose("lost", |database| std::fs::remove_file(database).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_is_damaged_is_put_aside_and_made_anew() {
    lose("damaged", |database| {
        std::fs::write(database, [0x5a; 20_000]).unwrap();
        // In which all of it may stand yet.
        for beside in ["-wal", "-shm"] {
            drop(std::fs::remove_file(format!("{}{beside}", database.display())));
        }
    })
    .await;
}

/// Cuts the end off every text that some tables of a database hold.
fn damage_texts(database: &Path, tables: &[&str]) {
    let state = rusqlite::Connection::open(database).unwrap();
    let columns =
        [("base", "text"), ("arrival", "before"), ("arrival", "after"), ("job", "before"), ("job", "expected")];
    for (table, column) in columns.into_iter().filter(|(table, _)| tables.contains(table)) {
        let cut =
            format!("UPDATE {table} SET {column} = substr({column}, 1, length({column}) - 3) WHERE {column} NOT NULL");
        state.execute(&cut, []).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_the_state_that_are_damaged_are_done_without() {
    let mut world = world("rotten");
    let (edited, edited_file) = document(&world, "# One\n\nalpha\n");
    let (moved, moved_file) = document(&world, "# One\n\nbeta\n");
    let (same, same_file) = document(&world, "# One\n\ndelta\n");
    let (hashed, hashed_file) = document(&world, "# One\n\nepsilon\n");
    push(&world, &moved_file, "beta", "gamma");
    let pushed = newest_push(&world, &moved_file);
    let database = database(&world);
    world.kill_daemon();
    let hash = "UPDATE base SET hash = zeroblob(32) WHERE item = ?1";
    let text = "SELECT text FROM base WHERE item = ?1";
    let state = rusqlite::Connection::open(&database).unwrap();
    let whole: Vec<u8> = state.query_row(text, [&hashed], |row| row.get(0)).unwrap();
    damage_texts(&database, &["base", "arrival", "job"]);
    state.execute("UPDATE base SET text = ?2 WHERE item = ?1", rusqlite::params![hashed, whole]).unwrap();
    state.execute(hash, [&hashed]).unwrap();
    drop(state);
    edit_in_place(&edited_file, "alpha", "my words");
    world.collaborate(&moved, "gamma", "their words").await;
    world.start_daemon(&[]);
    // A file that nobody has edited says what was agreed; of another one nothing is taken for agreed.
    until("what moved comes into its file", || {
        std::future::ready(std::fs::read_to_string(&moved_file).unwrap().contains("their words"))
    })
    .await;
    assert!(!moved_file.with_file_name(format!("{moved}.conflict.md")).exists());
    let shown = edited_file.with_file_name(format!("{edited}.conflict.md"));
    until("both texts are shown", || std::future::ready(shown.exists())).await;
    assert_eq!(world.text(&edited).await, "One\nalpha\n");
    assert!(std::fs::read_to_string(&edited_file).unwrap().contains("my words"));
    let answer = refused(&world, &["undo", &pushed]);
    assert!(answer["message"].as_str().unwrap().contains("not kept"), "{answer}");
    done(&world, &["resolve", edited_file.to_str().unwrap(), "--mine"]);
    until("the file's words arrive", || async { world.text(&edited).await == "One\nmy words\n" }).await;
    push(&world, &moved_file, "their words", "their words and ours");
    for (id, file, word) in [(&same, &same_file, "delta"), (&hashed, &hashed_file, "epsilon")] {
        push(&world, file, word, "edited");
        assert_eq!(world.text(id).await, "One\nedited\n");
    }
    assert_eq!(done(&world, &["doctor"])["findings"].as_array().unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_of_an_older_text_deletes_nothing_though_what_came_is_damaged() {
    let mut world = world("rotten-notes");
    let (id, file) = document(&world, "# One\n\nalpha\n\nbeta\n");
    let older = std::fs::read_to_string(&file).unwrap();
    world.collaborate(&id, "alpha", "alpha theirs").await;
    until("it comes", || std::future::ready(std::fs::read_to_string(&file).unwrap().contains("theirs"))).await;
    until("it is recorded", || std::future::ready(done(&world, &["status"])["accounts"][0]["queue"]["working"] == 0))
        .await;
    let database = database(&world);
    world.kill_daemon();
    damage_texts(&database, &["arrival"]);
    let state = rusqlite::Connection::open(&database).unwrap();
    let arrivals: i64 =
        state.query_row("SELECT count(*) FROM arrival WHERE item = ?1", [&id], |row| row.get(0)).unwrap();
    assert!(arrivals > 0);
    drop(state);
    std::fs::write(&file, older.replace("beta", "beta mine")).unwrap();
    world.start_daemon(&[]);
    let shown = file.with_file_name(format!("{id}.conflict.md"));
    until("both texts are shown", || std::future::ready(shown.exists())).await;
    assert_eq!(world.text(&id).await, "One\nalpha theirs\nbeta\n");
    assert!(std::fs::read_to_string(&file).unwrap().contains("mine"));
    done(&world, &["resolve", file.to_str().unwrap(), "--mine"]);
    until("the file's words arrive", || async { world.text(&id).await == "One\nalpha\nbeta mine\n" }).await;
    push(&world, &file, "mine", "ours");
    assert_eq!(world.text(&id).await, "One\nalpha\nbeta ours\n");
}
