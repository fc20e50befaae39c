//! The verbs over a real stream pair, with a host that lives in memory.

mod bridging;
mod costs;
mod limits;
mod sockets;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines, ReadHalf, WriteHalf};
use tokio::net::UnixStream;

use super::*;
use crate::error::{Error, Result};
use crate::kinds::{CommentPlace, Elements, Facts, Listing, Look, Restyled, StyleDefinition};
use crate::model::{Account, ItemId, KindName, Notice, PartId, Rule};

const ACCOUNT: &str = "ana@example.com";
const URL: &str = "https://docs.google.com/document/d/doc1/edit";

/// A host of one document with two tabs, in a folder of its own.
struct MemoryHost {
    id: &'static str,
    folder: tempfile::TempDir,
    calls: Mutex<Vec<String>>,
    images: Mutex<usize>,
    notices: Mutex<usize>,
}

impl MemoryHost {
    fn new() -> Arc<Self> {
        Self::named("doc1", ".tmp")
    }

    /// One of a document with this id, in a folder whose name begins so.
    fn named(id: &'static str, home: &str) -> Arc<Self> {
        let folder = tempfile::Builder::new().prefix(home).tempdir().unwrap();
        let drive = folder.path().join(ACCOUNT).join("drive");
        std::fs::create_dir_all(&drive).unwrap();
        std::fs::write(
            drive.join(format!("{id}.md")),
            "---\ntab: t.0 \"Main\"\n---\n# {^ h.1}One\ntext\n## {^ h.2}Two\n# Three\n",
        )
        .unwrap();
        std::fs::write(drive.join(format!("{id}.t.2.md")), "# {^ h.9}Other\n").unwrap();
        Arc::new(Self { id, folder, calls: Mutex::new(Vec::new()), images: Mutex::new(1), notices: Mutex::new(1) })
    }

    fn drive(&self, name: &str) -> PathBuf {
        self.workspace().join(ACCOUNT).join("drive").join(name)
    }

    fn report(&self, notices: Vec<Notice>) -> ItemReport {
        let part = |part: &str, title: &str, name: String| PartReport {
            part: PartId(part.into()),
            title: title.into(),
            path: self.drive(&name),
        };
        ItemReport {
            id: ItemId(self.id.into()),
            kind: KindName::Docs,
            account: Account(ACCOUNT.into()),
            title: "Title".into(),
            url: URL.replace("doc1", self.id),
            parts: vec![
                part("", "Main", format!("{}.md", self.id)),
                part("t.2", "Second", format!("{}.t.2.md", self.id)),
            ],
            images: (1..=*self.images.lock().unwrap())
                .map(|number| ImageReport {
                    object: format!("kix.{number}"),
                    path: self.drive(self.id).join(format!("kix.{number}.png")),
                })
                .collect(),
            notices,
            stale: false,
        }
    }

    fn note(&self, call: String) {
        self.calls.lock().unwrap().push(call);
    }
}

#[async_trait]
impl Host for MemoryHost {
    fn workspace(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn accounts(&self) -> Vec<Account> {
        vec![Account(ACCOUNT.into())]
    }

    async fn fetch(&self, id_or_url: &str, refresh: bool) -> Result<ItemReport> {
        self.note(format!("fetch {id_or_url} {refresh}"));
        if ![self.id, URL].contains(&id_or_url.split(['?', '#']).next().unwrap_or_default()) {
            return Err(Error::NotFound { id: id_or_url.into() });
        }
        let notice = || Notice { code: "LOCKED".into(), line: 5, column: 0, message: "a drawing".into() };
        Ok(self.report(std::iter::repeat_with(notice).take(*self.notices.lock().unwrap()).collect()))
    }

    async fn search(&self, search: &Search) -> Result<Found> {
        let Search { query, kinds, account, remote, limit, offset } = search;
        let of = account.as_ref().map_or("", |account| &account.0);
        self.note(format!("search {query} {limit} {offset} {kinds:?} {of} {remote}"));
        let hit = |number: usize| Hit {
            id: ItemId(format!("doc{number}")),
            kind: KindName::Docs,
            account: Account(ACCOUNT.into()),
            title: format!("Title {number}"),
            snippet: "words".into(),
            modified: if number == 0 { String::new() } else { "2026-11-21T00:00:00Z".into() },
            path: (number < 24).then(|| self.drive("doc1.md")),
            url: if number < 24 { String::new() } else { URL.into() },
        };
        let hits: Vec<Hit> = (0..25).skip(*offset).take(*limit).map(hit).collect();
        let told = if *remote { vec!["Gmail knows more.".to_owned()] } else { Vec::new() };
        Ok(Found { more: offset + hits.len() < 25, hits, asked: *remote, told })
    }

    async fn create(&self, title: &str, text: &str) -> Result<ItemReport> {
        self.note(format!("create {title} {text}"));
        Ok(self.report(Vec::new()))
    }

    async fn forget(&self, id_or_url: &str) -> Result<Done> {
        Ok(Done { id: ItemId(id_or_url.into()), message: "forgotten".into(), waits: false })
    }

    async fn status(&self) -> Result<StatusReport> {
        Ok(StatusReport { workspace: self.workspace(), accounts: Vec::new() })
    }

    async fn diff(&self, path: &Path) -> Result<DiffReport> {
        Ok(DiffReport { id: ItemId("doc1".into()), path: path.into(), diff: "-a\n+b\n".into(), note: None })
    }

    async fn push(&self, path: &Path, accept: bool, dry_run: bool) -> Result<PushReport> {
        self.note(format!("push {accept} {dry_run}"));
        Ok(PushReport {
            id: ItemId("doc1".into()),
            path: path.into(),
            pushed: !dry_run,
            requests: Vec::new(),
            refused: Vec::new(),
            told: Vec::new(),
            unsaid: Vec::new(),
            holds: Vec::new(),
            waits: false,
            unsaved: false,
            message: "nothing to push".into(),
        })
    }

    async fn text(&self, path: &Path) -> Result<String> {
        Ok(std::fs::read_to_string(path).unwrap())
    }

    async fn turn(&self, id: &ItemId) -> Result<Turn> {
        turns::Turns::default().take(id).await
    }

    async fn edit(&self, path: &Path, was: &str, text: &str) -> Result<Option<PushReport>> {
        self.note(format!("edit {was:?} {text:?}"));
        self.push(path, false, false).await.map(Some)
    }

    async fn documents(&self, query: &str, limit: usize) -> Result<Listing> {
        self.note(format!("documents {query:?} {limit}"));
        Ok(Listing::default())
    }

    async fn facts(&self, id_or_url: &str) -> Result<Facts> {
        Err(Error::NotFound { id: id_or_url.into() })
    }

    async fn styles(&self, id_or_url: &str, _tab: &str) -> Result<Vec<StyleDefinition>> {
        Err(Error::NotFound { id: id_or_url.into() })
    }

    async fn restyle(&self, _id_or_url: &str, tab: &str, styles: &[StyleDefinition]) -> Result<Restyled> {
        self.note(format!("restyle {tab} {styles:?}"));
        Ok(Restyled::default())
    }

    async fn raw(&self, id_or_url: &str) -> Result<Value> {
        Err(Error::NotFound { id: id_or_url.into() })
    }

    async fn elements(&self, id_or_url: &str, _tab: &str) -> Result<Elements> {
        Err(Error::NotFound { id: id_or_url.into() })
    }

    async fn dress(&self, id_or_url: &str, tab: &str, range: (u32, u32), look: &Look) -> Result<Vec<String>> {
        self.note(format!("dress {tab} {range:?} {look:?}"));
        Err(Error::NotFound { id: id_or_url.into() })
    }

    async fn leave(&self, _id: &ItemId, name: &str, text: String) -> Result<PathBuf> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Ok(path)
    }

    async fn place_of_comment(&self, id_or_url: &str, thread: &str) -> Result<Option<CommentPlace>> {
        self.note(format!("place of comment {id_or_url} {thread}"));
        Ok(None)
    }

    async fn restore(&self, _id_or_url: &str) -> Result<ItemReport> {
        Ok(self.report(Vec::new()))
    }

    async fn link(&self, id_or_url: &str, folder: &Path) -> Result<host::Linked> {
        self.note(format!("link {id_or_url} {}", folder.display()));
        let (path, target) = (folder.join("Plan.md"), self.folder.path().join("doc1.md"));
        Ok(host::Linked { id: ItemId("doc1".into()), path, target, note: None })
    }

    async fn resolve(&self, _path: &Path, side: Side) -> Result<Done> {
        self.note(format!("resolve {side:?}"));
        Ok(Done { id: ItemId("doc1".into()), message: "resolved".into(), waits: false })
    }

    async fn add_rule(&self, rule: &Rule, account: Option<&Account>) -> Result<Told> {
        self.note(format!("add rule {rule} {account:?}"));
        Ok(Told { message: "rule".into() })
    }

    async fn end_rule(&self, number: i64, account: Option<&Account>) -> Result<Told> {
        self.note(format!("end rule {number} {account:?}"));
        Ok(Told { message: "no rule".into() })
    }

    async fn pause(&self, account: Option<&Account>) -> Result<Told> {
        self.note(format!("pause {account:?}"));
        Ok(Told { message: "off".into() })
    }

    async fn log(&self, id_or_url: Option<&str>, limit: usize) -> Result<LogReport> {
        self.note(format!("log {id_or_url:?} {limit}"));
        Ok(LogReport::default())
    }

    async fn undo(&self, push: i64, account: Option<&Account>) -> Result<PushReport> {
        self.note(format!("undo {push} {account:?}"));
        Ok(PushReport::default())
    }

    async fn trash(&self, id_or_url: &str) -> Result<Done> {
        Ok(Done { id: ItemId(id_or_url.into()), message: "trashed".into(), waits: false })
    }

    async fn doctor(&self, repair: bool, remote_max: usize) -> Result<DoctorReport> {
        self.note(format!("doctor {repair} {remote_max}"));
        Ok(DoctorReport::default())
    }

    async fn resume(&self, _account: Option<&Account>) -> Result<Told> {
        Ok(Told { message: "on".into() })
    }
}

/// How a client begins.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Era {
    Legacy,
    Modern,
}

/// A client that speaks the wire itself.
struct Client {
    lines: Lines<BufReader<ReadHalf<UnixStream>>>,
    write: WriteHalf<UnixStream>,
    era: Era,
    last_id: u64,
}

impl Client {
    fn on(stream: UnixStream, era: Era) -> Self {
        let (read, write) = tokio::io::split(stream);
        Self { lines: BufReader::new(read).lines(), write, era, last_id: 0 }
    }

    async fn of(host: Arc<MemoryHost>, era: Era) -> Self {
        let (ours, theirs) = UnixStream::pair().unwrap();
        tokio::spawn(Server::new(host, Profile::Default).serve_stream(theirs));
        let mut client = Self::on(ours, era);
        client.begin().await;
        client
    }

    async fn begin(&mut self) -> Value {
        match self.era {
            Era::Legacy => {
                let answer = self
                    .ask(
                        "initialize",
                        json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                                               "clientInfo": { "name": "t", "version": "1" } }),
                    )
                    .await;
                self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
                answer
            }
            Era::Modern => self.ask("server/discover", json!({})).await,
        }
    }

    async fn send(&mut self, message: &Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(std::time::Duration::from_secs(20), self.lines.next_line()).await;
        serde_json::from_str(&line.expect("an answer in time").unwrap().expect("the stream goes on")).unwrap()
    }

    async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        if self.era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let answer = self.read().await;
            if answer["id"] == id {
                return answer;
            }
        }
    }

    /// Calls a tool; returns the structured answer, or the error's JSON.
    async fn call(&mut self, tool: &str, arguments: Value) -> std::result::Result<Value, Value> {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        let result = answer.get("result").unwrap_or_else(|| panic!("a result: {answer}"));
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        if result["isError"] == json!(true) {
            assert!(result.get("structuredContent").is_none(), "an error is text alone: {result}");
            return Err(text);
        }
        let answer = result["structuredContent"].clone();
        // The text of a long answer lacks its lists, and says so.
        if text["left_out"] == answer["left_out"] {
            assert_eq!(text, answer);
        }
        for key in ["id", "title", "url", "path", "warnings", "stale"] {
            assert_eq!(text[key], answer[key], "{text} {answer}");
        }
        Ok(answer)
    }

    /// Expects an error of this kind whose message holds `words`.
    async fn check_refused(&mut self, tool: &str, arguments: Value, kind: &str, words: &str) {
        let shown = arguments.to_string();
        let error = self.call(tool, arguments).await.expect_err(&shown);
        assert_eq!(error["kind"], kind, "{shown}: {error}");
        assert_eq!(error["error"], json!(true));
        assert_eq!(error["retryable"], json!(false));
        assert!(error["message"].as_str().unwrap().contains(words), "{shown}: {error}");
        assert!(!error["suggestion"].as_str().unwrap().is_empty(), "{error}");
    }
}

#[tokio::test]
async fn both_eras_are_served() {
    for era in [Era::Legacy, Era::Modern] {
        let (ours, theirs) = UnixStream::pair().unwrap();
        tokio::spawn(Server::new(MemoryHost::new(), Profile::Default).serve_stream(theirs));
        let mut client = Client::on(ours, era);
        let hello = client.begin().await;
        let instructions = hello["result"]["instructions"].as_str().unwrap();
        assert!(instructions.len() < 2048, "{} bytes", instructions.len());
        let tools = client.ask("tools/list", json!({})).await;
        let names: Vec<_> = tools["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["create", "fetch", "search"]);
        let answer = client.call("fetch", json!({ "id": "doc1" })).await.unwrap();
        assert!(answer["path"].as_str().unwrap().ends_with("/drive/doc1.md"));
        let unknown = client.ask("tools/call", json!({ "name": "no_such_tool", "arguments": {} })).await;
        assert_eq!(unknown["error"]["code"], -32602, "{era:?}");
        for method in ["prompts/list", "completion/complete"] {
            let params =
                json!({ "ref": { "type": "ref/prompt", "name": "x" }, "argument": { "name": "a", "value": "" } });
            assert_eq!(client.ask(method, params).await["error"]["code"], -32601, "{era:?} {method}");
        }
        let resources = client.ask("resources/list", json!({})).await;
        let uris: Vec<_> =
            resources["result"]["resources"].as_array().unwrap().iter().map(|r| r["uri"].clone()).collect();
        let pages = documentation::PAGES.iter().map(|page| json!(page.uri));
        assert_eq!(uris, pages.chain([json!("workspace://status")]).collect::<Vec<_>>());
        for uri in uris.into_iter().take(documentation::PAGES.len()) {
            let page = client.ask("resources/read", json!({ "uri": uri })).await;
            assert!(page["result"]["contents"][0]["text"].as_str().unwrap().len() > 500);
        }
        let missing = client.ask("resources/read", json!({ "uri": "workspace://no/such" })).await;
        let code = if era == Era::Legacy { -32002 } else { -32602 };
        assert_eq!(missing["error"]["code"], code, "{era:?}");
    }
}

#[tokio::test]
async fn search_pages_and_refuses() {
    let host = MemoryHost::new();
    let mut client = Client::of(host.clone(), Era::Legacy).await;
    let first = client.call("search", json!({ "query": " report ", "limit": 20 })).await.unwrap();
    assert_eq!(first["results"].as_array().unwrap().len(), 20);
    assert_eq!(first["results"][0].get("modified"), None);
    assert_eq!(first["results"][1]["where"], "local");
    let cursor = first["next_cursor"].clone();
    let second = client
        .call(
            "search",
            json!({ "query": "report", "limit": 20, "cursor": cursor, "kinds": ["docs"], "account": ACCOUNT, "remote": true }),
        )
        .await
        .unwrap();
    assert_eq!(second["results"].as_array().unwrap().len(), 5);
    assert_eq!(second.get("next_cursor"), None);
    assert_eq!((&second["results"][4]["where"], second["results"][4].get("path")), (&json!("remote"), None));
    assert!(second["searched"].as_str().unwrap().ends_with("Gmail knows more."), "{second}");
    assert_eq!(
        *host.calls.lock().unwrap(),
        ["search report 20 0 []  false".to_owned(), format!("search report 20 20 [Docs] {ACCOUNT} true"),]
    );
    let given = cursor.as_str().unwrap();
    let damaged = [
        given.replace("-20-", "-40-"),
        given.replace("-20-", "-+20-"),
        given.strip_suffix(|_: char| true).unwrap().to_owned(),
        given.rsplit_once('-').unwrap().0.to_owned(),
        format!("{given}-"),
        "nonsense".to_owned(),
        String::new(),
    ];
    for damaged in damaged {
        assert_ne!(damaged, given);
        let arguments = json!({ "query": "report", "cursor": damaged });
        client.check_refused("search", arguments, "invalid_input", "`cursor` is damaged").await;
    }
    for (arguments, words) in [
        (json!({}), "missing field `query`"),
        (json!({ "query": "  " }), "`query` is empty"),
        (json!({ "query": "x".repeat(1001) }), "longer than 1000"),
        (json!({ "query": "x", "limit": 0 }), "`limit`"),
        (json!({ "query": "x", "limit": 51 }), "`limit`"),
        (json!({ "query": "x", "kinds": ["sheets"] }), "no kind `sheets`"),
        (json!({ "query": "x", "account": "b@example.com" }), "not signed in"),
        (json!({ "query": "other", "cursor": cursor }), "`cursor` belongs to another query"),
        (json!({ "query": "x", "cursor": "nonsense" }), "`cursor`"),
        (json!({ "query": "x", "colour": "red" }), "unknown field `colour`"),
    ] {
        client.check_refused("search", arguments, "invalid_input", words).await;
    }
}

#[tokio::test]
async fn fetch_finds_by_id_path_tab_and_section() {
    let host = MemoryHost::new();
    let mut client = Client::of(host.clone(), Era::Modern).await;
    let main = client.call("fetch", json!({ "id": "doc1", "refresh": true })).await.unwrap();
    assert_eq!(main["outline"].as_array().unwrap().len(), 3);
    assert_eq!(main["outline"][0], json!({ "line": 4, "end_line": 6, "level": 1, "anchor": "h.1", "title": "One" }));
    assert_eq!(main["warnings"], json!(["line 5: LOCKED: a drawing"]));
    let paths = main["paths"].as_array().unwrap();
    assert_eq!(paths.len(), 3);
    assert_eq!(paths[2]["object"], "kix.1");
    assert!(paths[2]["path"].as_str().unwrap().ends_with("/doc1/kix.1.png"));
    let path = host.drive("doc1.t.2.md");
    for arguments in
        [json!({ "id": "doc1", "tab": "t.2" }), json!({ "id": "doc1", "tab": "Second" }), json!({ "id": path })]
    {
        let second = client.call("fetch", arguments).await.unwrap();
        assert_eq!(second["path"], json!(path));
        assert_eq!(second["outline"][0]["anchor"], "h.9");
    }
    // The first tab has an id as well, and a URL names the one that the browser shows.
    let url = |tab: &str| format!("{URL}?tab={tab}#heading=h.1");
    for (arguments, name) in [
        (json!({ "id": "doc1", "tab": "t.0" }), "doc1.md"),
        (json!({ "id": url("t.0") }), "doc1.md"),
        (json!({ "id": url("t.2") }), "doc1.t.2.md"),
        (json!({ "id": url("t.2"), "tab": "t.0" }), "doc1.md"),
        (json!({ "id": url("t.0"), "tab": "Second" }), "doc1.t.2.md"),
    ] {
        assert_eq!(client.call("fetch", arguments).await.unwrap()["path"], json!(host.drive(name)));
    }
    let unknown = json!({ "id": url("t.9") });
    client.check_refused("fetch", unknown, "not_found", "t.0 \"Main\" (the main file), t.2 \"Second\"").await;
    for section in ["h.1", "#^h.1", "One", "one"] {
        let part = client.call("fetch", json!({ "id": "doc1", "section": section })).await.unwrap();
        assert_eq!(part["outline"].as_array().unwrap().len(), 2, "{section}");
    }
    let link = host.workspace().join("link.md");
    std::os::unix::fs::symlink(host.drive("doc1.md"), &link).unwrap();
    let linked = client.call("fetch", json!({ "id": link })).await.unwrap();
    assert_eq!(linked["path"], json!(host.drive("doc1.md")));
    assert_eq!(host.calls.lock().unwrap().first().unwrap(), "fetch doc1 true");
    client.check_refused("fetch", json!({ "id": "doc1", "tab": "t.3" }), "not_found", "t.2 \"Second\"").await;
    client.check_refused("fetch", json!({ "id": "doc1", "section": "h.77" }), "not_found", "h.77").await;
    client.check_refused("fetch", json!({ "id": "unknown" }), "not_found", "unknown").await;
    client.check_refused("fetch", json!({ "id": "" }), "invalid_input", "`id` is empty").await;
    client.check_refused("fetch", json!({ "id": "/etc/passwd" }), "invalid_input", "outside the workspace").await;
    client.check_refused("fetch", json!({}), "invalid_input", "missing field `id`").await;
    client.check_refused("fetch", json!({ "id": 7 }), "invalid_input", "`id`: invalid type").await;
    // The address of a file is the one of our own links, with its spaces written.
    let spaced = host.workspace().join("my link.md");
    std::os::unix::fs::symlink(host.drive("doc1.md"), &spaced).unwrap();
    let address = format!("file://{}", spaced.display().to_string().replace(' ', "%20"));
    assert_eq!(client.call("fetch", json!({ "id": address })).await.unwrap()["path"], json!(host.drive("doc1.md")));
}

#[tokio::test]
async fn create_takes_text_from_the_workspace_alone() {
    let host = MemoryHost::new();
    let mut client = Client::of(host.clone(), Era::Legacy).await;
    let source = host.workspace().join("draft.md");
    std::fs::write(&source, "from a file").unwrap();
    let made = client.call("create", json!({ "title": " T ", "source": source, "kind": "doc" })).await.unwrap();
    assert!(made["path"].as_str().unwrap().ends_with("doc1.md"));
    client.call("create", json!({ "title": "U", "content": "text" })).await.unwrap();
    client.call("create", json!({ "title": "V" })).await.unwrap();
    assert_eq!(*host.calls.lock().unwrap(), ["create T from a file", "create U text", "create V "]);

    let outside = tempfile::NamedTempFile::new().unwrap();
    let link = host.workspace().join("link.md");
    std::os::unix::fs::symlink(outside.path(), &link).unwrap();
    let binary = host.workspace().join("binary");
    std::fs::write(&binary, b"a\xff").unwrap();
    let pipe = host.workspace().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    for (arguments, words) in [
        (json!({ "content": "x" }), "missing field `title`"),
        (json!({ "title": " " }), "`title` is empty"),
        (json!({ "title": "a\nb" }), "control"),
        (json!({ "title": "x", "kind": "sheet" }), "`sheet`"),
        (json!({ "title": "x", "folder": "y" }), "`folder` is not supported yet"),
        (json!({ "title": "x", "folders": "y" }), "expected one of `title`, `kind`, `content`, `source`, `account`"),
        (json!({ "title": "x", "account": "b@example.com" }), "not signed in"),
        (json!({ "title": "x", "content": "a", "source": "b" }), "both"),
        (json!({ "title": "x", "source": "draft.md" }), "absolute"),
        (json!({ "title": "x", "source": host.workspace().join("none.md") }), "`source` names no file"),
        (json!({ "title": "x", "source": outside.path() }), "outside the workspace"),
        (json!({ "title": "x", "source": link }), "outside the workspace"),
        (json!({ "title": "x", "source": binary }), "not UTF-8"),
        (json!({ "title": "x", "source": host.workspace() }), "not a regular file"),
        (json!({ "title": "x", "source": pipe }), "not a regular file"),
        (json!({ "title": "x", "source": host.workspace().join("a/../../x") }), "nothing found"),
        (json!({ "title": "x", "content": "y".repeat(5 << 20) }), "4 MiB"),
    ] {
        let kind = if words == "nothing found" { "not_found" } else { "invalid_input" };
        client.check_refused("create", arguments, kind, words).await;
    }
    assert_eq!(host.calls.lock().unwrap().len(), 3, "a refused create reaches nobody");
}

/// The tools as clients see them are files, so that a change of them is seen. `UPDATE_EXPECT=1` writes them.
#[test]
fn schemas_are_the_golden_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tools");
    // Those of `full` are the others'.
    let all = Profile::ALL
        .into_iter()
        .filter(|profile| *profile != Profile::Full)
        .flat_map(|profile| profile.tools().into_iter().map(move |tool| (profile, tool)));
    for (profile, tool) in all {
        let shown = serde_json::to_string_pretty(&tool).unwrap() + "\n";
        let file = folder.join(profile.name()).join(format!("{}.json", tool.name));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, &shown).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), shown, "run with UPDATE_EXPECT=1 and look");
    }
}

/// Answers that have a text are told to be long, so that clients take them as they are.
#[test]
fn tools_that_give_a_text_say_how_long_it_may_be() {
    let told: Vec<(String, u64)> = Profile::Full
        .tools()
        .into_iter()
        .filter_map(|tool| Some((tool.name.to_string(), tool.meta?.0["anthropic/maxResultSizeChars"].as_u64()?)))
        .collect();
    let expected = [
        ("get_hierarchy", 500_000),
        ("export_section", 500_000),
        ("export_tab", 500_000),
        ("google_docs_get_document_by_id", 75_000),
        ("google_docs_get_all_documents", 75_000),
    ];
    assert_eq!(told, expected.map(|(name, chars)| (name.to_owned(), chars)));
}

#[test]
fn schemas_are_plain_objects() {
    // Some answers of those about notebooks may be null, as the document says that they keep to.
    let nulls: Vec<_> = Profile::NotebookLm.tools().into_iter().map(|tool| tool.name).collect();
    for tool in Profile::ALL.into_iter().flat_map(Profile::tools) {
        let description = tool.description.as_deref().unwrap_or_default();
        assert!(!description.is_empty() && description.len() < 2048, "{}: {} bytes", tool.name, description.len());
        assert!(tool.title.is_some());
        let hints = tool.annotations.unwrap();
        for hint in [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint] {
            assert!(hint.is_some(), "{}", tool.name);
        }
        for (schema, is_answer) in [(tool.input_schema, false), (tool.output_schema.unwrap(), true)] {
            assert_eq!(schema["type"], "object");
            let mut text = serde_json::to_string(&schema).unwrap();
            if is_answer && nulls.contains(&tool.name) {
                text = text.replace(r#"["string","null"]"#, r#""string""#).replace(r#""low",null]"#, r#""low"]"#);
            }
            for word in ["oneOf", "anyOf", "allOf", "$ref", "null", "[\"string\",", "uint"] {
                assert!(!text.contains(word), "{}: {word}", tool.name);
            }
        }
    }
}

#[tokio::test]
async fn every_parameter_of_the_schemas_is_known() {
    let mut client = Client::of(MemoryHost::new(), Era::Legacy).await;
    for tool in schema::tools() {
        for (name, _) in tool.input_schema["properties"].as_object().unwrap() {
            // A value of a wrong type is refused for its type; an unknown name would be refused for its name.
            let error = client.call(&tool.name, json!({ name.clone(): { "a": {} } })).await.unwrap_err();
            assert!(!error["message"].as_str().unwrap().contains("unknown field"), "{}: {error}", tool.name);
        }
    }
}

#[tokio::test]
async fn a_bad_line_does_not_end_a_connection() {
    let mut client = Client::of(MemoryHost::new(), Era::Legacy).await;
    client.write.write_all(b"this is not JSON\n\n[]\n{\"jsonrpc\":\"2.0\"}\n").await.unwrap();
    client.call("fetch", json!({ "id": "doc1" })).await.unwrap();
    let mut line = vec![b'x'; LINE_BYTES_MAX + 10];
    line.push(b'\n');
    client.write.write_all(&line).await.unwrap();
    client.call("fetch", json!({ "id": "doc1" })).await.unwrap();
}
