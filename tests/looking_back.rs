//! What a person sees and takes back, with the real binary and the embedded Google: the log, undo, the trash, pauses, accounts
//! that are only mirrored, and `doctor`.
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

use serde_json::{Value, json};
use support::daily::{database, document, done, newest_push, push, refused, world};
use support::world::{World, edit_in_place, until};

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
    // What is not mirrored any more has no file in which it could be taken back.
    done(&world, &["forget", &id]);
    let told = refused(&world, &["undo", &undoing]);
    assert!(told["suggestion"].as_str().unwrap().contains(&format!("fetch {id}")), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_is_taken_back_while_google_fails_goes_out_of_the_document_by_itself() {
    let world = world("undo-fails");
    let (id, file) = document(&world, "alpha beta\n");
    push(&world, &file, "alpha beta", "alpha new words");
    let first = newest_push(&world, &file);
    let writing = json!({"method": "POST", "path": ":batchUpdate"});
    world.post("/admin/faults", &json!([{"match": writing, "fault": "503", "times": 4}])).await;
    let told = refused(&world, &["undo", &first]);
    assert!(told["message"].as_str().unwrap().contains("is taken back in the file"), "{told}");
    assert_eq!(told["retryable"], false, "{told}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("alpha beta\n"));
    until("it is out of the document", || async { world.text(&id).await == "alpha beta\n" }).await;
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

/// Taken back in a file that is held, a push would take what the person is to be asked about along.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_taken_back_while_the_file_is_held() {
    let world = world("undo-held");
    let lines: String = (1..=12).map(|number| format!("Precious words of line {number}.\n\n")).collect();
    let text = format!("# One\n\nalpha\n\n{lines}The last line of all.\n");
    let (id, file) = document(&world, &text);
    push(&world, &file, "alpha", "alpha beta");
    let first = newest_push(&world, &file);
    let (stands, whole) = (world.text(&id).await, std::fs::read_to_string(&file).unwrap());
    let body = whole.find("# ").unwrap();
    let shrunk = format!("{}\n", &whole[..whole.find("Precious words of line 3").unwrap()].trim_end());
    for (cut, code) in [
        (&whole[..whole.len() - 8], "HALF_WRITTEN"),
        (&*shrunk, "SHRUNK"),
        (&whole[body..], "HEAD_MISSING"),
        (&whole[..body], "EMPTY"),
    ] {
        std::fs::write(&file, cut).unwrap();
        // At once, and when it is known to be held.
        for _ in 0..2 {
            let told = refused(&world, &["undo", &first]);
            assert!(told["message"].as_str().unwrap().contains(&format!("held ({code})")), "{code}: {told}");
            assert_eq!(
                (world.text(&id).await, std::fs::read_to_string(&file).unwrap()),
                (stands.clone(), cut.to_owned())
            );
        }
        std::fs::write(&file, &whole).unwrap();
        done(&world, &["push", file.to_str().unwrap()]);
    }
    done(&world, &["undo", &first]);
    assert!(!world.text(&id).await.contains("beta"));
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
async fn what_is_forgotten_while_its_push_is_on_its_way_is_told_as_pushed() {
    let world = world("forgotten-push");
    let (id, file) = document(&world, "# One\n\nalpha\n");
    let sent = || async { world.get("/admin/requests").await.to_string().matches(":batchUpdate").count() };
    let before = sent().await;
    let writing = json!({ "path": ":batchUpdate", "method": "POST" });
    world.post("/admin/faults", &json!([{ "match": writing, "fault": "slow", "delay_ms": 2000 }])).await;
    edit_in_place(&file, "alpha", "alpha new words");
    until("the push is on its way", || async { sent().await > before }).await;
    let forgotten = done(&world, &["forget", &id]);
    assert!(!forgotten.to_string().contains("edits"), "{forgotten}");
    assert_eq!(world.text(&id).await, "One\nalpha new words\n");
    let log = done(&world, &["log", &id]);
    assert!(log["lines"].as_array().unwrap().iter().any(|line| line["what"] == "push"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_was_open_while_its_document_was_forgotten_takes_nothing_away() {
    let mut world = world("forget-open");
    let text = "# One\n\nalpha\n\nbeta\n\nThe long word goes.\n";
    let (id, file) = document(&world, text);
    let (other, other_file) = document(&world, text);
    let [shown, other_shown] = [&file, &other_file].map(|file| std::fs::read_to_string(file).unwrap());
    done(&world, &["forget", &id]);
    done(&world, &["forget", &other]);
    assert!(!file.exists());
    world.collaborate(&id, "beta", "beta theirs").await;
    world.collaborate(&id, " long", "").await;
    world.collaborate(&other, " long", "").await;
    // What is known of it outlives the daemon.
    world.kill_daemon();
    world.start_daemon(&[]);
    done(&world, &["fetch", &id]);
    std::fs::write(&file, shown.replace("alpha", "alpha mine")).unwrap();
    let told = done(&world, &["push", file.to_str().unwrap()]);
    assert!(told.to_string().contains("PUT_BACK"), "{told}");
    assert_eq!(world.text(&id).await, "One\nalpha mine\nbeta theirs\nThe word goes.\n");
    // Where they took away alone, what the editor still has waits.
    done(&world, &["fetch", &other]);
    std::fs::write(&other_file, other_shown.replace("alpha", "alpha mine")).unwrap();
    let told = refused(&world, &["push", other_file.to_str().unwrap()]);
    assert_eq!(told["holds"][0]["code"], "DELETED_THERE", "{told}");
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
    // Nor is anything advised that would be refused.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, "").unwrap();
    let answer = refused(&world, &["push", file.to_str().unwrap()]);
    assert!(answer["holds"][0]["message"].as_str().unwrap().contains("only mirrored"), "{answer}");
    let status = done(&world, &["status"]);
    for told in [&answer, &status] {
        assert!(!told.to_string().contains("--accept"), "{told}");
    }
    std::fs::write(&file, text).unwrap();
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
    // Nor of one that no conflict file has shown, since the file was held: what it said went with it.
    std::fs::write(&file, "").unwrap();
    until("it is held", || std::future::ready(status().contains("EMPTY"))).await;
    world.collaborate(&id, "theirs", "others'").await;
    until("it is in conflict, too", || std::future::ready(status().contains("once the file is not held"))).await;
    std::fs::remove_file(&file).unwrap();
    until("it is known to be deleted", || std::future::ready(status().contains("deleted"))).await;
    assert!(!status().contains("say different things"), "{}", status());
    let answer = done(&world, &["restore", &id]);
    assert!(!answer.to_string().contains("CONFLICT_ENDED"), "{answer}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("others'"));
}

/// Puts a folder where another one stands by now, into which the daemon may write at any moment.
async fn put_back(away: &Path, folder: &Path) {
    until("the folder is back", || {
        // The daemon may make it anew, or not.
        drop(std::fs::remove_dir_all(folder));
        std::future::ready(std::fs::rename(away, folder).is_ok())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_file_is_told_to_be_deleted_while_the_whole_folder_is_away() {
    let mut world = world("away");
    let (id, file) = document(&world, "alpha\n");
    let (folder, away) = (world.home.join("workspace"), world.home.join("elsewhere"));
    world.kill_daemon();
    std::fs::rename(&folder, &away).unwrap();
    world.start_daemon(&[]);
    let told = || {
        let status = done(&world, &["status"]);
        assert!(!status.to_string().contains("deleted here"), "{status}");
        status["accounts"][0]["halted"] != ""
    };
    until("everything halts", || std::future::ready(told())).await;
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(told());
    put_back(&away, &folder).await;
    done(&world, &["resume"]);
    push(&world, &file, "alpha", "beta");
    assert_eq!(world.text(&id).await, "beta\n");
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
    put_back(&away, &folder).await;
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
    put_back(&away, &folder).await;
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
