//! The whole daemon: memory and the way from a save to the network.

use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use notify::Watcher as _;

use super::generated;
use super::report::{Report, ms};
use super::world::{World, until};

/// What a save is given to be complete, as the daemon declares it.
const SETTLE: Duration = Duration::from_millis(50);
const SAVES: usize = 30;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// A field of `/proc/PID/status` in MiB.
fn memory(process: u32, field: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

/// The daemon with a document of 500 pages: mirrored, then one word of it pushed.
pub(crate) fn long_document(report: &mut Report) {
    runtime().block_on(async {
        let mut world = World::new("bench-long");
        world.start_daemon(&[]);
        let raw: serde_json::Value = serde_json::from_slice(&generated::document(500)).unwrap();
        let made = world.post("/admin/documents", &raw).await;
        let file = world.file(made["documentId"].as_str().unwrap());
        let before = world.pushes().await.len();
        let text = std::fs::read_to_string(&file).unwrap();
        let middle = text.len() / 2;
        let at = (middle..).find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(" customers "))).unwrap();
        replace(&file, &format!("{} clients {}", &text[..at], &text[at + " customers ".len()..]));
        until("the edit of the long document is pushed", async || world.pushes().await.len() > before).await;
        let (peak, now) = (memory(world.daemon_id(), "VmHWM"), memory(world.daemon_id(), "VmRSS"));
        report.add(
            "daemon with a document of 500 pages, one word pushed",
            format!("peak {peak:.0} MiB, then {now:.0} MiB"),
            format!("JSON {:.1} MB", raw.to_string().len() as f64 / 1e6),
            "<= 200 MB RSS",
            Some(peak * 1.048_576 <= 200.0),
        );
    });
}

/// Writes a new file and renames it into place, as most editors save.
fn replace(file: &Path, text: &str) {
    let temporary = file.with_extension("saving");
    std::fs::write(&temporary, text).unwrap();
    std::fs::rename(temporary, file).unwrap();
}

/// Documents of the restarts.
const MIRRORED: usize = 30;
/// Restarts of each kind, in turns.
const RESTARTS: usize = 5;

/// From the start of a daemon that was killed amid its pushes until nothing is left to do, against a daemon that knows nothing
/// and reads everything anew.
pub(crate) fn restart(report: &mut Report) {
    let (mut killed, mut cold) = runtime().block_on(async {
        let mut world = World::new("bench-restart");
        world.start_daemon(&[]);
        let source = world.home.join("source.md");
        std::fs::write(&source, "# One\n\nword here\n".repeat(40)).unwrap();
        let make = |_| {
            let (done, made) = world.cli(&["create", "--title", "Restart", source.to_str().unwrap()]);
            assert!(done, "{made}");
            std::path::PathBuf::from(made["path"].as_str().unwrap())
        };
        let files: Vec<std::path::PathBuf> = (0..MIRRORED).map(make).collect();
        let account = world.cli(&["status"]).1["accounts"][0]["account"].as_str().unwrap().to_owned();
        let state = world.home.join("state").join(account);
        let (mut killed, mut cold) = (Vec::new(), Vec::new());
        for round in 0..RESTARTS {
            for file in files.iter().take(10) {
                let text = std::fs::read_to_string(file).unwrap();
                replace(file, &text.replacen("word", &format!("word{round}"), 1));
            }
            tokio::time::sleep(Duration::from_millis(80)).await;
            world.kill_daemon();
            killed.push(until_idle(&mut world).await);
            world.kill_daemon();
            for file in std::fs::read_dir(&state).unwrap() {
                let path = file.unwrap().path();
                if path.to_string_lossy().contains("state.db") {
                    std::fs::remove_file(path).unwrap();
                }
            }
            cold.push(until_idle(&mut world).await);
        }
        (killed, cold)
    });
    killed.sort_unstable();
    cold.sort_unstable();
    let (killed, cold) = (killed[RESTARTS / 2], cold[RESTARTS / 2]);
    report.add(
        "restart after SIGKILL amid 10 pushes, until nothing is left to do",
        ms(killed),
        format!("cold start with {MIRRORED} documents {}", ms(cold)),
        "<= 2x",
        Some(killed <= cold * 2),
    );
}

/// Starts the daemon, and waits until nothing is left for it to do.
async fn until_idle(world: &mut World) -> Duration {
    let start = Instant::now();
    world.start_daemon(&[]);
    until("nothing is left to do", async || {
        let queue = world.cli(&["status"]).1["accounts"][0]["queue"].clone();
        queue["waiting"] == 0 && queue["working"] == 0
    })
    .await;
    start.elapsed()
}

/// Milliseconds since midnight, UTC.
fn time_of_day() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() % 86_400.0 * 1e3
}

/// Reads the time of day in milliseconds out of `2026-11-21T07:08:09.123Z`.
fn logged_time_of_day(at: &str) -> f64 {
    let time = at.trim_end_matches('Z').split('T').nth(1).unwrap();
    time.split(':').fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().unwrap()) * 1e3
}

/// From a rename to the POST in the log of the embedded Google, less the settle time; against a bare event of the
/// file system and a round trip.
pub(crate) fn save_to_post(report: &mut Report) {
    let (mut times, bare) = runtime().block_on(async {
        let mut world = World::new("bench-save");
        world.start_daemon(&[]);
        let (_, id) = world.documents().await.into_iter().find(|(title, _)| title == "Meeting notes").unwrap();
        let file = world.file(&id);
        let mut times = Vec::new();
        for save in 0..SAVES {
            let before = world.pushes().await.len();
            let text = std::fs::read_to_string(&file).unwrap();
            let start = time_of_day();
            replace(&file, &format!("{} word{save}\n", text.trim_end()));
            until("the save is pushed", async || world.pushes().await.len() > before).await;
            let pushes = world.pushes().await;
            let at = logged_time_of_day(pushes.last().unwrap()["at"].as_str().unwrap());
            times.push((at - start).rem_euclid(86_400e3));
            // The walk ends with the file as it was saved, so nothing of it is left for the next round.
            tokio::time::sleep(Duration::from_millis(400)).await;
        }
        (times, bare_event_and_round_trip(&world).await)
    });
    times.sort_by(f64::total_cmp);
    let settle = SETTLE.as_secs_f64() * 1e3;
    let (p50, p99) = (times[times.len() / 2] - settle, times[times.len() - 1] - settle);
    let bare = bare.as_secs_f64() * 1e3;
    report.add(
        "save to POST, less the settle time",
        format!("p50 {p50:.1} ms, max of {SAVES} {p99:.1} ms"),
        format!("notify event + round trip {bare:.1} ms"),
        "p50 <= +15 ms, p99 <= +50 ms",
        Some(p50 - bare <= 15.0 && p99 - bare <= 50.0),
    );
}

/// The median time until `notify` tells of a rename, and then of one small request.
async fn bare_event_and_round_trip(world: &World) -> Duration {
    let folder = world.home.join("bare");
    std::fs::create_dir_all(&folder).unwrap();
    let (sender, receiver) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(move |event| drop(sender.send(event))).unwrap();
    watcher.watch(&folder, notify::RecursiveMode::NonRecursive).unwrap();
    let mut times = Vec::new();
    for _ in 0..SAVES {
        while receiver.try_recv().is_ok() {}
        let start = Instant::now();
        std::fs::write(folder.join("file.saving"), "text").unwrap();
        std::fs::rename(folder.join("file.saving"), folder.join("file.md")).unwrap();
        receiver.recv_timeout(Duration::from_secs(5)).unwrap().unwrap();
        world.get("/drive/v3/about?fields=user").await;
        times.push(start.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    times.sort_unstable();
    println!("bare event and round trip: median {}", ms(times[times.len() / 2]));
    times[times.len() / 2]
}
