//! A full disk and too many open files, with the real binary: nothing is pushed that was not saved whole, nothing is lost, and
//! all goes on by itself.
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
use std::process::Command;
use std::time::Duration;

use support::world::{World, edit_in_place, until};

/// A document that says `text`: its id and its file.
fn document(world: &World, text: &str) -> (String, PathBuf) {
    let source = world.home.join("source.md");
    std::fs::write(&source, text).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Scarce", source.to_str().unwrap()]);
    assert!(done, "{made}");
    let told = |key: &str| made[key].as_str().unwrap().to_owned();
    (told("id"), told("path").into())
}

fn says(file: &Path, word: &str) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.contains(word))
}

/// Sets how many descriptors the daemon may have; false where that cannot be.
fn limit_files(world: &World, count: u32) -> bool {
    let process = world.daemon_id().to_string();
    let limit = format!("--nofile={count}:");
    Command::new("prlimit").args(["--pid", &process, &limit]).status().is_ok_and(|status| status.success())
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_open_files_stop_nothing_for_good() {
    let mut world = World::new("open-files");
    world.start_daemon(&[]);
    let (id, file) = document(&world, "# One\n\nalpha\n\n# Two\n\ngamma\n");
    // Fewer than are open already, so that every further one fails.
    if !limit_files(&world, 4) {
        println!("SKIPPED too_many_open_files_stop_nothing_for_good: descriptors cannot be limited here");
        return;
    }
    edit_in_place(&file, "alpha", "beta");
    world.collaborate(&id, "gamma", "theirs").await;
    for _ in 0..30 {
        // Whoever knocks gets no answer and ends nothing.
        let socket = world.home.join("run/control.sock");
        drop(std::os::unix::net::UnixStream::connect(socket));
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    assert!(!world.daemon_died(), "the daemon ended; see {}", world.log().display());
    assert!(says(&file, "beta"), "an edit was lost");
    assert!(limit_files(&world, 1024));
    until("both edits are on both sides", async || {
        says(&file, "theirs") && says(&file, "beta") && world.text(&id).await == "One\nbeta\nTwo\ntheirs\n"
    })
    .await;
}

/// A file system of its own, small and gone with the test.
struct Small(PathBuf);

impl Small {
    /// Mounts one at a folder and keeps what stands there; `None` where nobody may.
    fn mount(folder: &Path, bytes: u64) -> Option<Self> {
        let aside = folder.with_extension("aside");
        let copy = |from: &Path, to: &Path| {
            let copied = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
            assert!(copied.success());
        };
        std::fs::create_dir_all(&aside).unwrap();
        copy(folder, &aside);
        let options = format!("size={bytes},mode=700");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder).output();
        let small = mounted.is_ok_and(|output| output.status.success()).then(|| Self(folder.to_owned()))?;
        copy(&aside, folder);
        Some(small)
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).status());
    }
}

/// Takes all the room that is left in a folder.
fn fill(folder: &Path) -> PathBuf {
    let file = folder.join("ballast");
    let mut bytes = 1 << 20;
    let mut ballast = std::fs::File::create(&file).unwrap();
    while bytes > 0 {
        if std::io::Write::write_all(&mut ballast, &vec![0; bytes]).is_err() {
            bytes /= 2;
        }
    }
    file
}

/// Plays what happens while a disk is full: that of the documents, or that of the state.
async fn full(name: &str, folder: &str) {
    let mut world = World::new(name);
    let Some(_small) = Small::mount(&world.home.join(folder), 8 << 20) else {
        println!("SKIPPED {name}: nothing can be mounted here");
        return;
    };
    world.start_daemon(&[]);
    let (id, file) = document(&world, "# One\n\nalpha\n\n# Two\n\ngamma\n");
    let ballast = fill(&world.home.join(folder));
    let before = world.text(&id).await;
    world.collaborate(&id, "gamma", "theirs").await;
    // An editor on the full disk: it has emptied the file, and has no room for the text.
    let saved = std::fs::read_to_string(&file).unwrap().replace("alpha", "beta");
    let whole = std::fs::write(&file, &saved).is_ok();
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert!(!world.daemon_died(), "the daemon ended; see {}", world.log().display());
    // What the document says is what it said, or what was saved whole.
    let said = world.text(&id).await;
    let allowed = [before.replace("gamma", "theirs"), before.replace("gamma", "theirs").replace("alpha", "beta")];
    assert!(allowed.contains(&said), "{said}");
    std::fs::remove_file(ballast).unwrap();
    if !whole {
        std::fs::write(&file, &saved).unwrap();
    }
    until("both edits are on both sides", async || {
        says(&file, "theirs") && says(&file, "beta") && world.text(&id).await == "One\nbeta\nTwo\ntheirs\n"
    })
    .await;
    world.kill_daemon();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_below_the_documents_loses_nothing() {
    full("full-workspace", "workspace").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_below_the_state_loses_nothing() {
    full("full-state", "state/demo@example.com").await;
}
