//! A state that was lost, damaged or set back, with the real binary and the embedded Google.
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

use support::daily::{database, document, done, newest_push, push, refused, told_of, waiting, world};
use support::world::{World, edit_in_place, until};

/// Waits until the documents of the demo, and three more, are compared with their files.
async fn compared_anew(world: &World) {
    until("all of it is mirrored again", || {
        let status = done(world, &["status"]);
        let account = &status["accounts"][0];
        let idle = account["queue"]["waiting"] == 0 && account["queue"]["working"] == 0;
        std::future::ready(idle && account["items"].as_u64().unwrap() >= 6)
    })
    .await;
}

/// Pushes the first save of a file since what was known of it was lost, which waits for its person.
fn push_known_again(world: &World, file: &Path, old: &str, new: &str) {
    edit_in_place(file, old, new);
    let answer = refused(world, &["push", file.to_str().unwrap()]);
    assert!(answer["holds"][0]["code"] == "STATE_LOST", "{answer}");
    done(world, &["push", "--accept", file.to_str().unwrap()]);
}

/// The files that tell how new the state is.
fn marks(file: &Path) -> Vec<PathBuf> {
    let names = std::fs::read_dir(file.parent().unwrap().parent().unwrap()).unwrap().flatten();
    let marks: Vec<PathBuf> =
        names.map(|entry| entry.path()).filter(|path| path.to_str().unwrap().contains("/.epoch-")).collect();
    assert_eq!(marks.len(), 2, "documents and mail have one each");
    marks
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
    compared_anew(&world).await;
    let status = done(&world, &["status"]).to_string();
    assert!(status.contains("recovered") && status.contains("`resolve` ends that"), "{status}");
    // Nothing came into a file that says what its document says.
    let pulls = done(&world, &["log", same_file.to_str().unwrap()]);
    assert_eq!(pulls["lines"].as_array().unwrap().len(), 0, "{pulls}");
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
    // What is known again is edited like any other, once its person has said that it was the newest text.
    push_known_again(&world, &same_file, "alpha", "alpha two");
    assert_eq!(world.text(&same).await, "One\nalpha two\n");
    push(&world, &same_file, "two", "two three");
    assert_eq!(world.text(&same).await, "One\nalpha two three\n");
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
    // Of what was chosen no word is left.
    push_known_again(&world, &file, "mine", "ours");
    assert_eq!(world.text(&id).await, "One\nalpha\nbeta ours\n");
}

/// Copies what stands in the folder of the state, but for the signs of who runs.
fn copy_state(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in ["state.db", "state.db-wal", "state.db-shm"] {
        drop(std::fs::remove_file(to.join(file)));
        if from.join(file).exists() {
            std::fs::copy(from.join(file), to.join(file)).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_was_set_back_is_known_for_an_older_one() {
    let mut world = world("set-back");
    let text = "# One\n\nalpha\n\nbeta\n\n# Two\n\ngamma\n";
    let (again, again_file) = document(&world, text);
    let (theirs, theirs_file) = document(&world, text);
    let (same, same_file) = document(&world, text);
    let state = database(&world).parent().unwrap().to_owned();
    let older = world.home.join("older");
    world.kill_daemon();
    copy_state(&state, &older);
    world.start_daemon(&[]);
    // Deleted by both sides after the copy, and written again by the person alone.
    push(&world, &again_file, "beta\n\n", "");
    world.collaborate(&theirs, "beta\n", "").await;
    until("it comes", || std::future::ready(!std::fs::read_to_string(&theirs_file).unwrap().contains("beta"))).await;
    push(&world, &same_file, "gamma", "delta");
    done(&world, &["pause"]);
    done(&world, &["resume"]);
    world.kill_daemon();
    copy_state(&older, &state);
    for file in [&again_file, &theirs_file] {
        edit_in_place(file, "alpha\n", "alpha\n\nbeta\n");
    }
    world.start_daemon(&[]);
    compared_anew(&world).await;
    let status = done(&world, &["status"]).to_string();
    assert!(status.contains("older than your files") && status.contains("what was deleted here since"), "{status}");
    // What the person wrote stands, and nothing went to the documents that nobody decided on.
    for (id, file) in [(&again, &again_file), (&theirs, &theirs_file)] {
        assert!(std::fs::read_to_string(file).unwrap().contains("alpha\n\nbeta"), "{}", file.display());
        assert_eq!(world.text(id).await, "One\nalpha\nTwo\ngamma\n");
        done(&world, &["resolve", file.to_str().unwrap(), "--mine"]);
        until("it arrives", || async { world.text(id).await == "One\nalpha\nbeta\nTwo\ngamma\n" }).await;
    }
    assert_eq!(world.text(&same).await, "One\nalpha\nbeta\nTwo\ndelta\n");
    push_known_again(&world, &same_file, "delta", "epsilon");
    // The next start finds nothing new, and tells what the one before had found.
    world.kill_daemon();
    world.start_daemon(&[]);
    until("that is told as over", || {
        std::future::ready(done(&world, &["status"]).to_string().contains("nothing is left to do"))
    })
    .await;
    let kept = std::fs::read_dir(&state).unwrap().flatten();
    let kept = kept.filter(|entry| entry.file_name().to_str().unwrap().contains(".older-")).count();
    assert_eq!(kept, 1);
    assert_eq!(done(&world, &["doctor"])["findings"].as_array().unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_of_the_database_that_is_damaged_is_noticed() {
    let mut world = world("damaged-log");
    let (id, file) = document(&world, "# One\n\nalpha\n\nbeta\n");
    let state = database(&world);
    // What stands in the file alone from here on is older than the files.
    rusqlite::Connection::open(&state).unwrap().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    push(&world, &file, "beta\n", "");
    world.kill_daemon();
    world.start_daemon(&[]);
    world.kill_daemon();
    let log = state.with_file_name("state.db-wal");
    let mut bytes = std::fs::read(&log).unwrap();
    assert!(bytes.len() > 100, "the log holds what was not brought over");
    bytes[40] ^= 0xff;
    std::fs::write(&log, bytes).unwrap();
    edit_in_place(&file, "alpha\n", "alpha\n\nbeta\n");
    world.start_daemon(&[]);
    until("it is noticed", || std::future::ready(done(&world, &["status"]).to_string().contains("recovered"))).await;
    assert!(std::fs::read_to_string(&file).unwrap().contains("beta"));
    assert_eq!(world.text(&id).await, "One\nalpha\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_tells_what_became_of_the_database_of_a_daemon_that_runs() {
    let mut world = world("misplaced");
    let (id, file) = document(&world, "# One\n\nalpha\n");
    let mut text = "alpha".to_owned();
    for (what, said) in [("emptied", "was emptied"), ("removed", "is gone"), ("log", "state.db-wal is gone")] {
        let state = database(&world);
        match what {
            "emptied" => std::fs::write(&state, "").unwrap(),
            "removed" => std::fs::remove_file(&state).unwrap(),
            _ => std::fs::remove_file(state.with_file_name("state.db-wal")).unwrap(),
        }
        let found = refused(&world, &["doctor"]);
        assert!(found.to_string().contains(said), "{what}: {found}");
        // Whatever it was, no text goes.
        edit_in_place(&file, &text, what);
        world.kill_daemon();
        world.start_daemon(&[]);
        until("it is compared anew", || {
            std::future::ready(done(&world, &["status"]).to_string().contains("recovered"))
        })
        .await;
        assert!(std::fs::read_to_string(&file).unwrap().contains(what));
        until("the file's words arrive", || async {
            // What was saved just before the start is compared once it has been quiet.
            drop(world.cli(&["resolve", file.to_str().unwrap(), "--mine"]));
            world.text(&id).await == format!("One\n{what}\n")
        })
        .await;
        text = what.to_owned();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_was_set_back_within_one_run_is_known_too() {
    set_back_within_one_run("set-back-killed", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn so_it_is_when_the_machine_has_started_anew_since() {
    set_back_within_one_run("set-back-booted", true).await;
}

async fn set_back_within_one_run(name: &str, booted: bool) {
    let mut world = world(name);
    let (id, file) = document(&world, "# One\n\nalpha\n\nbeta\n");
    let (other, other_file) = document(&world, "# One\n\ngamma\n");
    let state = database(&world).parent().unwrap().to_owned();
    let older = world.home.join("older");
    copy_state(&state, &older);
    push(&world, &file, "alpha\n", "alpha\n\ndelta\n");
    let made = world.home.join("later.md");
    std::fs::write(&made, "made later\n").unwrap();
    let later = done(&world, &["create", "--title", "Later", made.to_str().unwrap()]);
    world.kill_daemon();
    copy_state(&older, &state);
    if booted {
        for mark in marks(&file) {
            let text = std::fs::read_to_string(&mark).unwrap();
            let boot = text.split_whitespace().last().unwrap();
            std::fs::write(mark, text.replace(boot, &"0".repeat(boot.len()))).unwrap();
        }
    }
    // A paragraph that is younger than the copy goes from the document.
    world.collaborate(&id, "delta\n", "").await;
    edit_in_place(&other_file, "gamma", "gamma mine");
    world.start_daemon(&[]);
    until("it is noticed", || {
        std::future::ready(done(&world, &["status"]).to_string().contains("older than your files"))
    })
    .await;
    until("all is compared anew", || {
        let status = done(&world, &["status"]);
        let queue = &status["accounts"][0]["queue"];
        std::future::ready(queue["waiting"] == 0 && queue["working"] == 0)
    })
    .await;
    assert_eq!(world.text(&id).await, "One\nalpha\nbeta\n", "a deletion does not come back");
    assert_eq!(world.text(&other).await, "One\ngamma\n");
    // What was made since is mirrored.
    let later_file = Path::new(later["path"].as_str().unwrap()).to_owned();
    push_known_again(&world, &later_file, "made later", "made later, and edited");
    // A start that is cut off and another one still tell of it.
    for _ in 0..2 {
        world.kill_daemon();
        world.start_daemon(&[]);
        assert!(done(&world, &["status"]).to_string().contains("older than your files"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_looks_into_the_database_takes_nothing_from_it() {
    let mut world = world("looked-into");
    let (id, file) = document(&world, "# One\n\nalpha\n\nbeta\n");
    let state = database(&world);
    let count = |state: &Path| -> i64 {
        let other = rusqlite::Connection::open(state).unwrap();
        other.query_row("SELECT count(*) FROM item", [], |row| row.get(0)).unwrap()
    };
    assert!(count(&state) > 0);
    assert!(state.with_file_name("state.db-wal").exists(), "the daemon's log stays");
    push(&world, &file, "alpha", "alpha two");
    world.kill_daemon();
    assert!(count(&state) > 0);
    world.collaborate(&id, "alpha two", "alpha").await;
    edit_in_place(&file, "beta\n", "");
    world.start_daemon(&[]);
    until("both arrive", || async { world.text(&id).await == "One\nalpha\n" }).await;
    until("the file follows", || {
        let text = std::fs::read_to_string(&file).unwrap();
        std::future::ready(!text.contains("alpha two") && !text.contains("beta"))
    })
    .await;
    let status = done(&world, &["status"]).to_string();
    assert!(!status.contains("recovered"), "{status}");
    assert_eq!(done(&world, &["doctor"])["findings"].as_array().unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_tells_how_old_the_state_is_must_be_readable() {
    let mut world = world("garbled");
    let (_, file) = document(&world, "# One\n\nalpha\n");
    for text in [Some(""), Some("nonsense"), None] {
        world.kill_daemon();
        for mark in marks(&file) {
            match text {
                Some(text) => std::fs::write(mark, text).unwrap(),
                None => std::fs::remove_file(mark).unwrap(),
            }
        }
        world.start_daemon(&[]);
        let status = done(&world, &["status"]).to_string();
        assert!(status.contains("is the newest is gone or cannot be read"), "{text:?}: {status}");
    }
    // Where another name is noted, as before the machine had this one, there was none to be missed.
    let database = database(&world);
    world.kill_daemon();
    let connection = rusqlite::Connection::open(database).unwrap();
    assert_eq!(connection.execute("UPDATE setting SET value = '.epoch-0' WHERE name = 'noted in'", []).unwrap(), 1);
    connection.execute("DELETE FROM setting WHERE name = 'lost'", []).unwrap();
    drop(connection);
    marks(&file).iter().for_each(|mark| std::fs::remove_file(mark).unwrap());
    world.start_daemon(&[]);
    // The state of the mail, of which another mark could not be read, says so on.
    let status = done(&world, &["status"])["accounts"][0].to_string();
    assert!(!status.contains("recovered"), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_in_new_waits_where_nobody_knows_what_became_of_it() {
    let mut world = world("lost-making");
    let (_, file) = document(&world, "# One\n\nalpha\n");
    let new = file.parent().unwrap().with_file_name("new").join("Plan.md");
    let state = database(&world);
    world.kill_daemon();
    // As after a death between the making and its end.
    std::fs::write(&new, "of which a document may stand\n").unwrap();
    std::fs::remove_file(state).unwrap();
    for _ in 0..2 {
        world.start_daemon(&[]);
        until("it is told", || std::future::ready(done(&world, &["status"]).to_string().contains("Plan.md"))).await;
        tokio::time::sleep(std::time::Duration::from_secs(4)).await;
        let titles: Vec<String> = world.documents().await.into_iter().map(|(title, _)| title).collect();
        assert!(!titles.contains(&"Plan".to_owned()), "{titles:?}");
        world.kill_daemon();
    }
    world.start_daemon(&[]);
    std::fs::write(&new, "of which a document may stand, saved anew\n").unwrap();
    until("it becomes a document", || async { world.documents().await.iter().any(|(title, _)| title == "Plan") }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_was_open_before_the_loss_takes_nothing_away_and_brings_nothing_back() {
    for (name, is_older) in [("lost-open", false), ("lost-open-older", true)] {
        let mut world = world(name);
        let (lacking, lacking_file) = document(&world, "# One\n\nalpha\n\nbeta\n\ngamma\n");
        let (having, having_file) = document(&world, "# One\n\nalpha\n\nbeta\n\ngamma\n");
        let _another = document(&world, "# One\n\ndelta\n");
        let state = database(&world).parent().unwrap().to_owned();
        let older = world.home.join("older");
        world.kill_daemon();
        copy_state(&state, &older);
        world.start_daemon(&[]);
        let open = [&lacking_file, &having_file].map(|file| std::fs::read_to_string(file).unwrap());
        world.collaborate(&lacking, "alpha", "alpha theirs").await;
        world.collaborate(&having, "beta\n", "").await;
        let has_come = || {
            let [lacking, having] = [&lacking_file, &having_file].map(|file| std::fs::read_to_string(file).unwrap());
            lacking.contains("theirs") && !having.contains("beta")
        };
        until("it comes", || std::future::ready(has_come())).await;
        world.kill_daemon();
        match is_older {
            true => copy_state(&older, &state),
            false => std::fs::remove_file(state.join("state.db")).unwrap(),
        }
        world.start_daemon(&[]);
        compared_anew(&world).await;
        for (file, text) in [&lacking_file, &having_file].into_iter().zip(&open) {
            std::fs::write(file, text.replace("One\n", "One of mine\n")).unwrap();
            let answer = refused(&world, &["push", file.to_str().unwrap()]);
            assert_eq!(answer["holds"][0]["code"], "STATE_LOST", "{answer}");
        }
        // That is known over a start, too.
        world.kill_daemon();
        world.start_daemon(&[]);
        until("it waits", || {
            std::future::ready(waiting(&world).iter().filter(|told| told["state"] == "held").count() == 2)
        })
        .await;
        assert_eq!(world.text(&lacking).await, "One\nalpha theirs\nbeta\ngamma\n");
        assert_eq!(world.text(&having).await, "One\nalpha\ngamma\n");
        // The document's text comes back as the answer says.
        std::fs::remove_file(&lacking_file).unwrap();
        done(&world, &["restore", &lacking]);
        until("it is there", || std::future::ready(lacking_file.exists())).await;
        assert!(std::fs::read_to_string(&lacking_file).unwrap().contains("alpha theirs"));
        done(&world, &["push", "--accept", having_file.to_str().unwrap()]);
        assert_eq!(world.text(&having).await, "One of mine\nalpha\nbeta\ngamma\n");
    }
}

/// A document whose file was put away before the state was lost. No daemon runs.
struct Away {
    world: World,
    id: String,
    /// Where the file stood.
    file: PathBuf,
    /// Where it was put.
    away: PathBuf,
    /// A file of another document, which stands.
    other: PathBuf,
}

fn away_at_the_loss(name: &str) -> Away {
    let mut world = world(name);
    let (id, file) = document(&world, "# One\n\nalpha\n");
    let (_, other) = document(&world, "# One\n\nbeta\n");
    let state = database(&world);
    let away = world.home.join("away.md");
    world.kill_daemon();
    std::fs::rename(&file, &away).unwrap();
    std::fs::remove_file(state).unwrap();
    Away { world, id, file, away, other }
}

/// Starts the daemon, and waits until the file that stands was compared anew.
async fn known_again(world: &mut World, other: &Path) {
    world.start_daemon(&[]);
    until("the other one is known", || std::future::ready(world.cli(&["push", other.to_str().unwrap()]).0)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_away_when_the_state_was_lost_is_told_of_when_it_is_back() {
    let Away { mut world, id, file, away, other } = away_at_the_loss("lost-away");
    known_again(&mut world, &other).await;
    std::fs::rename(&away, &file).unwrap();
    until("it is told of", || std::future::ready(told_of(&world, &file).is_some_and(|told| told.contains("fetch"))))
        .await;
    // So it is after the next start.
    world.kill_daemon();
    world.start_daemon(&[]);
    assert!(told_of(&world, &file).is_some());
    done(&world, &["fetch", &id]);
    assert!(told_of(&world, &file).is_none());
    push_known_again(&world, &file, "alpha", "alpha two");
    assert_eq!(world.text(&id).await, "One\nalpha two\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_away_is_no_edit_of_what_was_fetched_meanwhile() {
    let Away { mut world, id, file, away, other } = away_at_the_loss("lost-fetched");
    world.collaborate(&id, "alpha", "alpha theirs").await;
    known_again(&mut world, &other).await;
    done(&world, &["fetch", &id]);
    assert!(std::fs::read_to_string(&file).unwrap().contains("alpha theirs"));
    // So it is after the next start.
    world.kill_daemon();
    world.start_daemon(&[]);
    std::fs::rename(&away, &file).unwrap();
    let answer = refused(&world, &["push", file.to_str().unwrap()]);
    assert_eq!(answer["holds"][0]["code"], "STATE_LOST", "{answer}");
    assert_eq!(world.text(&id).await, "One\nalpha theirs\n");
    std::fs::remove_file(&file).unwrap();
    done(&world, &["restore", &id]);
    until("it is there", || std::future::ready(file.exists())).await;
    push_known_again(&world, &file, "theirs", "theirs two");
    assert_eq!(world.text(&id).await, "One\nalpha theirs two\n");
}
