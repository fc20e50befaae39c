//! The mirror on a real folder and a real database, with a remote in memory.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use mcp_workspace::error::{Error, Result};
use mcp_workspace::kinds::{Changes, Comments, Created, Fetched, Kind, Lack, Listing, Outcome, Part, PushPlan};
use mcp_workspace::mirror::{Mirror, MirrorHandle, Parts};
use mcp_workspace::model::{Account, Cursor, Facets, Feed, ItemId, KindName, PartId, Revision};
use mcp_workspace::store::Store;
use mcp_workspace::sync::Side;
use mcp_workspace::sync::quota::Limits;
use mcp_workspace::workspace::Workspace;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;

const BODY: &str = "# One\n\nfirst paragraph here\n\n# Two\n\nsecond paragraph here\n";

/// What the remote does with the next push.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// It carries it out and does not answer.
    ReplyLost,
    /// It panics, as a bug in a kind would.
    Panic,
}

struct Remote {
    /// The text of each tab of each document, and its version.
    documents: BTreeMap<String, (u64, BTreeMap<String, String>)>,
    feed: Vec<String>,
    pushes: Vec<String>,
    fault: Fault,
    online: bool,
}

/// A remote whose documents are texts.
#[derive(Clone)]
struct MemoryKind(Arc<Mutex<Remote>>);

impl MemoryKind {
    fn edit(&self, id: &str, tab: &str, change: impl FnOnce(&str) -> String) {
        let mut remote = self.0.lock().unwrap();
        let (revision, tabs) = remote.documents.entry(id.into()).or_default();
        *revision += 1;
        let text = change(tabs.get(tab).map_or("", String::as_str));
        tabs.insert(tab.into(), text);
        remote.feed.push(id.into());
    }

    fn text(&self, id: &str) -> String {
        self.0.lock().unwrap().documents[id].1[""].clone()
    }

    fn pushes(&self) -> usize {
        self.0.lock().unwrap().pushes.len()
    }

    fn reachable(&self, doing: &str) -> Result<()> {
        if self.0.lock().unwrap().online {
            return Ok(());
        }
        Err(Error::Network { doing: doing.into(), outcome_unknown: false, source: "no network".into() })
    }
}

#[async_trait]
impl Kind for MemoryKind {
    fn name(&self) -> KindName {
        KindName::Docs
    }

    fn recognize(&self, id_or_url: &str) -> Option<ItemId> {
        let id = id_or_url.strip_prefix("memory://").unwrap_or(id_or_url);
        id.chars().all(|c| c.is_ascii_alphanumeric()).then(|| ItemId(id.into()))
    }

    async fn changes(&self, since: Option<&Cursor>) -> Result<Changes> {
        self.reachable("reading the feed")?;
        let remote = self.0.lock().unwrap();
        let from = since.map_or(remote.feed.len(), |cursor| cursor.0.parse().unwrap());
        let changed: Vec<ItemId> = remote.feed[from..].iter().cloned().map(ItemId).collect();
        let (vanished, changed) = changed.into_iter().partition(|id| !remote.documents.contains_key(&id.0));
        Ok(Changes { changed, vanished, cursor: Cursor(remote.feed.len().to_string()) })
    }

    async fn fetch(&self, id: &ItemId, _may_be_trashed: bool) -> Result<Fetched> {
        self.reachable("reading the document")?;
        let remote = self.0.lock().unwrap();
        let (revision, tabs) = remote.documents.get(&id.0).ok_or_else(|| Error::NotFound { id: id.0.clone() })?;
        let part = |(tab, text): (&String, &String)| Part {
            id: PartId(tab.clone()),
            title: format!("Tab {tab}"),
            text: text.clone(),
            warnings: Vec::new(),
        };
        Ok(Fetched {
            main: None,
            id: id.clone(),
            kind: KindName::Docs,
            title: format!("Title of {id}"),
            url: format!("memory://{id}"),
            revision: Some(Revision(revision.to_string())),
            can_edit: true,
            facets: Facets::default(),
            parts: tabs.iter().map(part).collect(),
            reading: Default::default(),
            images: Vec::new(),
            comments: Comments::Unread,
            lack: Lack::Nothing,
            raw: Vec::new(),
        })
    }

    async fn search(&self, _query: &str, _limit: usize) -> Result<Listing> {
        self.reachable("searching")?;
        Ok(Listing::default())
    }

    fn plan(&self, remote: &Fetched, part: &PartId, desired: &str, _accept: bool) -> Result<PushPlan> {
        let now = remote.parts.iter().find(|other| other.id == *part).map(|part| part.text.as_str());
        let requests = if now == Some(desired) { Vec::new() } else { vec![json!({ "tab": part, "text": desired })] };
        Ok(PushPlan { requests, expected: desired.into(), ..PushPlan::default() })
    }

    async fn push(&self, id: &ItemId, revision: &Revision, plan: &PushPlan) -> Result<Outcome> {
        self.reachable("pushing")?;
        let mut remote = self.0.lock().unwrap();
        let fault = std::mem::replace(&mut remote.fault, Fault::None);
        if fault == Fault::Panic {
            drop(remote);
            panic!("a bug in the kind");
        }
        let (standing, tabs) = remote.documents.get_mut(&id.0).ok_or_else(|| Error::NotFound { id: id.0.clone() })?;
        if standing.to_string() != revision.0 {
            return Ok(Outcome::Stale);
        }
        *standing += 1;
        let landed = Revision(standing.to_string());
        let text = plan.requests[0]["text"].as_str().unwrap().to_owned();
        tabs.insert(plan.requests[0]["tab"].as_str().unwrap().into(), text.clone());
        remote.feed.push(id.0.clone());
        remote.pushes.push(text);
        if fault == Fault::ReplyLost {
            return Err(Error::Network { doing: "pushing".into(), outcome_unknown: true, source: "reset".into() });
        }
        Ok(Outcome::Accepted(Some(landed)))
    }

    async fn create(&self, _title: &str, text: &str) -> Result<Created> {
        self.edit("made", "", |_| text.into());
        Ok(Created { id: ItemId("made".into()), url: "memory://made".into(), notices: Vec::new() })
    }
}

/// A mirror of one account that can be stopped and started.
struct World {
    folder: tempfile::TempDir,
    kind: MemoryKind,
    handle: MirrorHandle,
    stop: watch::Sender<bool>,
    task: JoinHandle<Result<()>>,
}

impl World {
    /// Starts a mirror that has fetched the document `one`. Its folder lies below `target`, as editors' do.
    async fn new() -> Self {
        let parent = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-workspaces");
        fs::create_dir_all(&parent).unwrap();
        let folder = tempfile::tempdir_in(parent).unwrap();
        let kind = MemoryKind(Arc::new(Mutex::new(Remote {
            documents: BTreeMap::new(),
            feed: Vec::new(),
            pushes: Vec::new(),
            fault: Fault::None,
            online: true,
        })));
        kind.edit("one", "", |_| BODY.into());
        let (handle, stop, task) = start(folder.path(), &kind);
        let world = Self { folder, kind, handle, stop, task };
        world.handle.fetch("one").await.unwrap();
        world
    }

    async fn restart(&mut self) {
        self.stop().await;
        self.start();
    }

    fn start(&mut self) {
        let (handle, stop, task) = start(self.folder.path(), &self.kind);
        (self.handle, self.stop, self.task) = (handle, stop, task);
    }

    async fn stop(&mut self) {
        self.stop.send(true).unwrap_or_default();
        (&mut self.task).await.unwrap().unwrap();
    }

    fn drive(&self) -> PathBuf {
        self.folder.path().join("workspace/ana@example.com/drive")
    }

    fn file(&self) -> PathBuf {
        self.drive().join("one.md")
    }

    fn read(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    /// Waits until `condition` holds.
    async fn until(&self, what: &str, condition: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !condition(self) {
            assert!(
                Instant::now() < deadline,
                "{what}; remote {:?}, file {:?}, status {:?}",
                self.kind.text("one"),
                fs::read_to_string(self.file()),
                self.handle.status().await.map(|report| report.status),
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until the edit of one save has arrived, and asserts that it was one push which no second one follows.
    async fn arrives(&self, text: &str) {
        self.until("the edit arrives", |world| world.kind.text("one") == text).await;
        self.quiet().await;
        assert_eq!(self.kind.pushes(), 1, "{:?}", self.kind.0.lock().unwrap().pushes);
        assert_eq!(self.read(), text);
    }

    /// Waits until nothing is being done and nothing waits, after the feed told of everything.
    async fn quiet(&self) {
        let deadline = Instant::now() + Duration::from_secs(20);
        self.handle.poll().await.unwrap();
        loop {
            let status = self.handle.status().await.unwrap().status;
            if status.items.iter().all(|item| item.phase == "idle" && !item.waiting) {
                return;
            }
            assert!(Instant::now() < deadline, "{status:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn start(folder: &Path, kind: &MemoryKind) -> (MirrorHandle, watch::Sender<bool>, JoinHandle<Result<()>>) {
    let workspace =
        Workspace::open(&folder.join("workspace"), &Account("ana@example.com".into()), Feed::Drive).unwrap();
    let store = Store::open(&folder.join("state.db")).unwrap();
    // Polls come when a test asks for them.
    let parts = Parts {
        workspace,
        kind: Arc::new(kind.clone()),
        poll_ms: Some(3_600_000),
        read_folders: Vec::new(),
        read_only: false,
        limits: Limits::NONE,
        command: "mcp-workspace".into(),
        damaged: None,
    };
    let mirror = Mirror::open(parts, store).unwrap();
    let handle = mirror.handle();
    let (stop, stopped) = watch::channel(false);
    (handle, stop, tokio::spawn(mirror.run(stopped)))
}

fn edited() -> String {
    BODY.replace("first", "1st")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetched_item_stands_in_the_folder() {
    let world = World::new().await;
    world.kind.edit("two", "", |_| "main\n".into());
    world.kind.edit("two", "t.x", |_| "other tab\n".into());
    let report = world.handle.fetch("memory://two").await.unwrap();
    assert_eq!(report.parts.len(), 2);
    assert_eq!(fs::read_to_string(&report.parts[1].path).unwrap(), "other tab\n");
    assert_eq!((report.title.as_str(), report.url.as_str(), report.stale), ("Title of two", "memory://two", None));
    let link = world.folder.path().join("workspace/ana@example.com/by-name/Title of two.md");
    assert_eq!(fs::read_to_string(&link).unwrap(), "main\n");
    assert_eq!(world.handle.diff(&link).await.unwrap().diff, "");
    let hits = world.handle.search("other tab", 10, 0).await.unwrap();
    assert_eq!((hits.hits[0].item.0.as_str(), hits.hits[0].part.0.as_str()), ("two", "t.x"));
    let made = world.handle.create("New", "text\n").await.unwrap();
    assert_eq!(fs::read_to_string(&made.parts[0].path).unwrap(), "text\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_edit_arrives_in_the_file() {
    let world = World::new().await;
    world.kind.edit("one", "", |text| text.replace("second", "2nd"));
    world.handle.poll().await.unwrap();
    world.until("the edit arrives", |world| world.read().contains("2nd")).await;
    world.quiet().await;
    // The watcher saw our own write; it is no edit.
    assert_eq!(world.kind.pushes(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_in_place_is_one_push() {
    let world = World::new().await;
    fs::write(world.file(), edited()).unwrap();
    world.arrives(&edited()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_into_place_is_one_push() {
    let world = World::new().await;
    fs::write(world.drive().join("sedX1"), edited()).unwrap();
    fs::rename(world.drive().join("sedX1"), world.file()).unwrap();
    world.arrives(&edited()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_moved_aside_and_written_anew_is_one_push() {
    let world = World::new().await;
    fs::rename(world.file(), world.drive().join("one.md~")).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    fs::write(world.file(), edited()).unwrap();
    fs::remove_file(world.drive().join("one.md~")).unwrap();
    world.arrives(&edited()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn truncated_and_slowly_written_is_one_push() {
    let world = World::new().await;
    let mut file = OpenOptions::new().write(true).truncate(true).open(world.file()).unwrap();
    for chunk in edited().as_bytes().chunks(20) {
        // Longer than a save takes to settle, so that a daemon that reads too early is caught.
        tokio::time::sleep(Duration::from_millis(150)).await;
        file.write_all(chunk).unwrap();
    }
    drop(file);
    world.arrives(&edited()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_that_changes_nothing_is_nothing() {
    let world = World::new().await;
    let stamp = |world: &World| fs::metadata(world.file()).unwrap().modified().unwrap();
    fs::write(world.file(), BODY).unwrap();
    let saved = stamp(&world);
    let report = world.handle.push(&world.file(), false, false).await.unwrap();
    assert_eq!((report.pushed, report.requests.len()), (false, 0));
    assert_eq!((world.kind.pushes(), stamp(&world)), (0, saved));
}

#[tokio::test(flavor = "multi_thread")]
async fn different_paragraphs_of_both_sides_arrive() {
    let world = World::new().await;
    world.kind.edit("one", "", |text| text.replace("second", "2nd"));
    fs::write(world.file(), edited()).unwrap();
    let both = edited().replace("second", "2nd");
    world.until("both arrive", |world| world.kind.text("one") == both && world.read() == both).await;
    assert_eq!(world.kind.pushes(), 1);
    assert!(!world.drive().join("one.conflict.md").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_paragraph_of_both_sides_is_a_conflict() {
    let world = World::new().await;
    world.kind.edit("one", "", |text| text.replace("first", "their"));
    let mine = BODY.replace("first", "my").replace("second", "2nd");
    fs::write(world.file(), &mine).unwrap();
    let conflict = world.drive().join("one.conflict.md");
    world.until("the conflict is shown", |_| conflict.exists()).await;
    world.until("the other section flows", |world| world.kind.text("one").contains("2nd")).await;
    assert!(world.kind.text("one").contains("their paragraph"));
    assert_eq!(world.read(), mine);
    let shown = fs::read_to_string(&conflict).unwrap();
    assert!(["my paragraph", "their paragraph", "first paragraph"].iter().all(|side| shown.contains(side)), "{shown}");
    // Deleting what shows it does not end it.
    fs::remove_file(&conflict).unwrap();
    world.until("the conflict is shown again", |_| conflict.exists()).await;
    world.handle.resolve(&world.file(), Side::Mine).await.unwrap();
    world.until("mine stands", |world| world.kind.text("one") == mine).await;
    world.until("nothing is shown", |_| !conflict.exists()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_reply_is_compared_not_sent_again() {
    let world = World::new().await;
    world.kind.0.lock().unwrap().fault = Fault::ReplyLost;
    fs::write(world.file(), edited()).unwrap();
    world.arrives(&edited()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_a_kind_is_a_failed_push_and_no_more() {
    let world = World::new().await;
    world.kind.0.lock().unwrap().fault = Fault::Panic;
    fs::write(world.file(), edited()).unwrap();
    world.arrives(&edited()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_made_while_nothing_ran_arrive() {
    let mut world = World::new().await;
    world.stop().await;
    fs::write(world.file(), edited()).unwrap();
    world.kind.edit("one", "", |text| text.replace("second", "2nd"));
    world.start();
    let both = edited().replace("second", "2nd");
    world.until("both arrive", |world| world.kind.text("one") == both && world.read() == both).await;
    world.restart().await;
    world.quiet().await;
    assert_eq!((world.kind.pushes(), world.read()), (1, both));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_edit_is_told_and_sent_on_demand() {
    let world = World::new().await;
    world.kind.edit("one", "", |_| format!("{BODY}{}", "a long paragraph of many words. ".repeat(20)));
    world.handle.fetch("one").await.unwrap();
    fs::write(world.file(), "short\n").unwrap();
    let report = world.handle.push(&world.file(), false, false).await.unwrap();
    // What came from the document and goes with it is named, too.
    let codes: Vec<&str> = report.held.iter().map(|held| held.code.as_str()).collect();
    assert_eq!((report.pushed, &*codes), (false, &["SHRUNK", "LACKS"][..]), "{report:?}");
    let diff = world.handle.diff(&world.file()).await.unwrap().diff;
    assert!(diff.contains("-first paragraph here") && diff.contains("+short"), "{diff}");
    let report = world.handle.push(&world.file(), true, true).await.unwrap();
    assert_eq!((report.pushed, report.requests.len()), (false, 1), "{report:?}");
    assert_eq!((world.kind.pushes(), world.read().as_str()), (0, "short\n"));
    let report = world.handle.push(&world.file(), true, false).await.unwrap();
    assert_eq!((report.pushed, report.requests.len()), (true, 1), "{report:?}");
    world.arrives("short\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_file_is_hidden_and_restored() {
    let world = World::new().await;
    fs::remove_file(world.file()).unwrap();
    let report = world.handle.push(&world.file(), false, false).await.unwrap();
    assert!(!report.pushed);
    assert_eq!((world.kind.text("one").as_str(), world.file().exists()), (BODY, false));
    world.handle.restore("one").await.unwrap();
    assert_eq!(world.read(), BODY);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_a_deleted_tab_cannot_be_written_back() {
    let world = World::new().await;
    world.kind.edit("one", "t.x", |_| "other tab\n".into());
    let parts = world.handle.fetch("one").await.unwrap().parts;
    let named = parts[1].path.to_str().unwrap();
    world.handle.restore(named).await.unwrap();
    // It was deleted here, then there.
    fs::remove_file(named).unwrap();
    world.handle.push(&parts[1].path, false, false).await.unwrap();
    {
        let mut remote = world.kind.0.lock().unwrap();
        let (revision, tabs) = remote.documents.get_mut("one").unwrap();
        *revision += 1;
        tabs.remove("t.x");
        remote.feed.push("one".into());
    }
    world.handle.fetch("one").await.unwrap();
    let refused = world.handle.restore(named).await.unwrap_err();
    assert!(refused.to_string().contains("is the file of no tab of its document"), "{refused}");
    // The document itself is written back all the same.
    fs::remove_file(world.file()).unwrap();
    world.handle.restore("one").await.unwrap();
    assert_eq!(world.read(), BODY);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_or_gone_is_put_away() {
    let world = World::new().await;
    world.kind.edit("two", "", |_| "two\n".into());
    let two = world.handle.fetch("two").await.unwrap().parts[0].path.clone();
    {
        let mut remote = world.kind.0.lock().unwrap();
        remote.documents.remove("two");
        remote.feed.push("two".into());
    }
    world.handle.poll().await.unwrap();
    world.until("the gone one is put away", |_| !two.exists()).await;
    world.handle.forget("one").await.unwrap();
    world.until("the forgotten one is put away", |world| !world.file().exists()).await;
    assert_eq!(world.kind.text("one"), BODY);
    let days: Vec<_> = fs::read_dir(world.folder.path().join("workspace/.retired")).unwrap().collect();
    let day = days[0].as_ref().unwrap().path();
    assert_eq!(fs::read_to_string(day.join("one.md")).unwrap(), BODY);
    assert_eq!(fs::read_to_string(day.join("two.md")).unwrap(), "two\n");
    assert!(matches!(world.handle.fetch("two").await, Err(Error::NotFound { .. })));
    // Its document is there again, and with it the file.
    world.kind.edit("two", "", |_| "two again\n".into());
    world.handle.poll().await.unwrap();
    world.until("the gone one is back", |_| fs::read_to_string(&two).is_ok_and(|text| text == "two again\n")).await;
    // It can be had again.
    world.handle.fetch("one").await.unwrap();
    assert_eq!(world.read(), BODY);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_network_the_file_is_told_and_edits_wait() {
    let world = World::new().await;
    world.kind.0.lock().unwrap().online = false;
    let report = world.handle.fetch("one").await.unwrap();
    assert!(report.stale.unwrap().contains("no network"));
    assert!(matches!(world.handle.fetch("two").await, Err(Error::Network { .. })));
    fs::write(world.file(), edited()).unwrap();
    assert!(world.handle.push(&world.file(), false, false).await.is_err());
    world.kind.0.lock().unwrap().online = true;
    world.arrives(&edited()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_was_moved_halts_the_account() {
    let mut world = World::new().await;
    world.kind.edit("two", "", |_| "two\n".into());
    world.handle.fetch("two").await.unwrap();
    let away = world.folder.path().join("away");
    fs::rename(world.drive(), &away).unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while world.handle.status().await.unwrap().status.halted.is_none() {
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // A restart makes the folder anew; that it is empty is still no deletion of everything.
    world.restart().await;
    assert!(world.handle.status().await.unwrap().status.halted.is_some());
    assert!(world.handle.fetch("one").await.is_err());
    fs::remove_dir(world.drive()).unwrap();
    fs::rename(&away, world.drive()).unwrap();
    world.handle.resume().await.unwrap();
    fs::write(world.file(), edited()).unwrap();
    world.arrives(&edited()).await;
}
