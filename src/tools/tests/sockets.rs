//! The sockets: who may listen, the command line's requests, and the bridge that outlives its daemon.

use super::*;

/// Serves both sockets below `run_dir` until dropped.
pub(super) fn serve(run_dir: &Path, host: Arc<MemoryHost>) -> tokio::task::JoinSet<Result<()>> {
    prepare_run_dir(run_dir).unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(serve_mcp(bind(&run_dir.join("mcp.sock")).unwrap(), host.clone(), Profile::Default));
    tasks.spawn(serve_control(bind(&run_dir.join("control.sock")).unwrap(), host));
    tasks
}

#[tokio::test]
async fn control_runs_commands() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    let host = MemoryHost::new();
    let _tasks = serve(&run_dir, host.clone());
    let stream = UnixStream::connect(run_dir.join("control.sock")).await.unwrap();
    let mut client = Client::on(stream, Era::Legacy);
    let commands = [
        (json!({ "version": 3, "command": "fetch", "arguments": { "id": "doc1", "refresh": false } }), "/ok/path"),
        (json!({ "version": 3, "command": "search", "arguments": { "query": "x", "limit": 3 } }), "/ok/results/2/id"),
        (json!({ "version": 3, "command": "create", "arguments": { "title": "T", "text": "" } }), "/ok/path"),
        (json!({ "version": 3, "command": "forget", "arguments": { "id": "doc1" } }), "/ok/message"),
        (json!({ "version": 3, "command": "status" }), "/ok/workspace"),
        (json!({ "version": 3, "command": "diff", "arguments": { "path": "/x" } }), "/ok/diff"),
        (
            json!({ "version": 3, "command": "push", "arguments": { "path": "/x", "accept": true, "dry_run": false } }),
            "/ok/pushed",
        ),
        (json!({ "version": 3, "command": "restore", "arguments": { "id": "doc1" } }), "/ok/path"),
        (json!({ "version": 3, "command": "resolve", "arguments": { "path": "/x", "side": "theirs" } }), "/ok/message"),
        (json!({ "version": 3, "command": "pause", "arguments": { "account": null } }), "/ok/message"),
        (json!({ "version": 3, "command": "resume", "arguments": { "account": "a@b" } }), "/ok/message"),
        (json!({ "version": 3, "command": "log", "arguments": { "id": "doc1", "limit": 5 } }), "/ok/lines"),
        (json!({ "version": 3, "command": "undo", "arguments": { "push": 7, "account": null } }), "/ok/pushed"),
        (json!({ "version": 3, "command": "trash", "arguments": { "id": "doc1" } }), "/ok/message"),
        (json!({ "version": 3, "command": "doctor", "arguments": { "repair": true, "remote": 9 } }), "/ok/findings"),
        (json!({ "version": 3, "command": "fetch", "arguments": { "id": "no", "refresh": false } }), "/error/kind"),
        (json!({ "version": 1, "command": "status" }), "/error/suggestion"),
        (json!({ "version": 3, "command": "dance" }), "/error/suggestion"),
        (json!("nonsense"), "/error/suggestion"),
    ];
    for (request, pointer) in commands {
        client.send(&request).await;
        let reply = client.read().await;
        assert_eq!(reply["version"], 3);
        assert!(reply.pointer(pointer).is_some_and(|found| !found.is_null()), "{request} {reply}");
    }
    let calls = host.calls.lock().unwrap().clone();
    for call in ["push true false", "resolve Theirs", "log Some(\"doc1\") 5", "undo 7 None", "doctor true 9"] {
        assert!(calls.contains(&call.into()), "{call} {calls:?}");
    }
}

#[tokio::test]
async fn what_stands_at_the_socket_is_respected() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    prepare_run_dir(&run_dir).unwrap();
    let foreign = run_dir.join("foreign");
    std::fs::write(&foreign, "mine").unwrap();
    assert!(matches!(bind(&foreign), Err(Error::Unsafe { .. })));
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "mine");

    let path = run_dir.join("mcp.sock");
    let living = bind(&path).unwrap();
    use std::os::unix::fs::PermissionsExt as _;
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(matches!(bind(&path), Err(Error::AlreadyRunning { .. })));
    drop(living);
    let _again = bind(&path).expect("a dead socket is replaced");
    assert!(matches!(bind(&run_dir.join("x".repeat(120))), Err(Error::InvalidInput { .. })));

    std::fs::set_permissions(&run_dir, std::fs::Permissions::from_mode(0o750)).unwrap();
    assert!(matches!(prepare_run_dir(&run_dir), Err(Error::Unsafe { .. })));
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path(), &link).unwrap();
    assert!(matches!(prepare_run_dir(&link), Err(Error::Unsafe { .. })));
}

/// Whoever was served by a daemon that ends and comes back at once is not let in by it once more.
#[tokio::test]
async fn the_door_is_closed_before_those_inside_are_sent_away() {
    struct Knock(PathBuf, Option<tokio::sync::oneshot::Sender<bool>>);
    impl Drop for Knock {
        fn drop(&mut self) {
            let is_let_in = std::os::unix::net::UnixStream::connect(&self.0).is_ok();
            self.1.take().unwrap().send(is_let_in).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let path = run_dir.join("mcp.sock");
    let (tell, told) = tokio::sync::oneshot::channel();
    let knock = Mutex::new(Some(Knock(path.clone(), Some(tell))));
    let door = tokio::spawn(socket::accept(listener, 8, move |mut stream| {
        let knock = knock.lock().unwrap().take();
        async move {
            stream.write_all(b"in").await.unwrap();
            std::future::pending::<()>().await;
            drop((knock, stream));
        }
    }));
    let mut inside = UnixStream::connect(&path).await.unwrap();
    inside.read_exact(&mut [0; 2]).await.unwrap();
    door.abort();
    assert!(!told.await.unwrap());
}

/// Starts a bridge and returns the client's end and the bridge's task.
pub(super) fn bridged(run_dir: &Path, era: Era) -> (Client, tokio::task::JoinHandle<Result<()>>) {
    bridged_by(run_dir, era, Starter::Nobody)
}

fn bridged_by(run_dir: &Path, era: Era, starter: Starter) -> (Client, tokio::task::JoinHandle<Result<()>>) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let (input, output) = tokio::io::split(theirs);
    let options = BridgeOptions {
        socket: run_dir.join("mcp.sock"),
        starter,
        suggestion: "Start the daemon.".into(),
        drain: std::time::Duration::from_secs(3),
        timeout: None,
    };
    (Client::on(ours, era), tokio::spawn(bridge(options, input, output)))
}

/// A listener that a test plays the daemon of.
pub(super) fn played(folder: &Path) -> (PathBuf, tokio::net::UnixListener) {
    let run_dir = folder.join("run");
    prepare_run_dir(&run_dir).unwrap();
    let listener = bind(&run_dir.join("mcp.sock")).unwrap();
    (run_dir, listener)
}

pub(super) async fn heard(listener: &tokio::net::UnixListener) -> (BufReader<UnixStream>, Value) {
    let wait = std::time::Duration::from_secs(20);
    let (stream, _) = tokio::time::timeout(wait, listener.accept()).await.expect("somebody connects").unwrap();
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    let message = serde_json::from_str(&line).unwrap();
    (stream, message)
}

pub(super) async fn say(stream: &mut BufReader<UnixStream>, line: &str) {
    stream.get_mut().write_all(format!("{line}\n").as_bytes()).await.unwrap();
}

#[tokio::test]
async fn a_bridge_outlives_its_daemon() {
    for era in [Era::Legacy, Era::Modern] {
        let folder = tempfile::tempdir().unwrap();
        let run_dir = folder.path().join("run");
        let daemon = serve(&run_dir, MemoryHost::new());
        let (mut client, task) = bridged(&run_dir, era);
        client.begin().await;
        client.call("fetch", json!({ "id": "doc1" })).await.unwrap();

        drop(daemon);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        let _daemon = serve(&run_dir, MemoryHost::new());
        if era == Era::Legacy {
            let announced = [client.read().await, client.read().await];
            let methods: Vec<_> = announced.iter().map(|message| message["method"].as_str().unwrap()).collect();
            assert_eq!(methods, ["notifications/tools/list_changed", "notifications/resources/list_changed"]);
        }
        client.call("fetch", json!({ "id": "doc1" })).await.unwrap();

        client.write.shutdown().await.unwrap();
        tokio::time::timeout(std::time::Duration::from_secs(5), task).await.expect("it ends").unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_bridge_fails_what_was_in_flight() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    prepare_run_dir(&run_dir).unwrap();
    let listener = bind(&run_dir.join("mcp.sock")).unwrap();
    let (mut client, _task) = bridged(&run_dir, Era::Modern);
    client.send(&json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {} })).await;
    let (daemon, _) = listener.accept().await.unwrap();
    let mut lines = BufReader::new(daemon).lines();
    assert!(lines.next_line().await.unwrap().unwrap().contains("tools/call"));
    drop((lines, listener));
    let failed = client.read().await;
    assert_eq!((&failed["id"], &failed["error"]["code"]), (&json!("a"), &json!(-32000)));
    client.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} })).await;
    let failed = client.read().await;
    assert_eq!((&failed["id"], &failed["error"]["code"]), (&json!(2), &json!(-32000)));
    assert!(failed["error"]["message"].as_str().unwrap().contains("Start the daemon."));
}

#[tokio::test]
async fn what_only_asks_is_asked_again() {
    for method in ["initialize", "server/discover", "tools/list", "resources/read"] {
        // So many daemons go before they answer.
        for ends in 1..=3 {
            let folder = tempfile::tempdir().unwrap();
            let (run_dir, listener) = played(folder.path());
            let (mut client, _task) = bridged(&run_dir, Era::Modern);
            let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": { "uri": "x" } });
            client.send(&request).await;
            for _ in 0..ends {
                let (daemon, message) = heard(&listener).await;
                assert_eq!(message, request, "{method} is asked again");
                drop(daemon);
            }
            if ends == 3 {
                assert_eq!(client.read().await["error"]["code"], -32000, "{method} is not asked for ever");
                continue;
            }
            let (mut daemon, message) = heard(&listener).await;
            assert_eq!(message, request, "{method} is asked again");
            say(&mut daemon, r#"{"jsonrpc":"2.0","id":7,"result":{}}"#).await;
            assert_eq!(client.read().await, json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
        }
    }
}

/// A daemon that is killed may still let somebody in whom it never answers.
#[tokio::test]
async fn a_dying_daemon_is_not_the_last_word() {
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (mut client, _task) = bridged(&run_dir, Era::Legacy);
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} })).await;
    let (mut daemon, _) = heard(&listener).await;
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    client.read().await;
    client.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })).await;
    drop(daemon);
    for _ in 0..2 {
        let (dying, greeting) = heard(&listener).await;
        assert_eq!(greeting["method"], "initialize");
        drop(dying);
    }
    let (mut daemon, greeting) = heard(&listener).await;
    say(&mut daemon, &json!({ "jsonrpc": "2.0", "id": greeting["id"], "result": {} }).to_string()).await;
    let mut asked = String::new();
    while !asked.contains("tools/list") {
        asked.clear();
        assert!(daemon.read_line(&mut asked).await.unwrap() > 0);
    }
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#).await;
    let heard = [client.read().await, client.read().await, client.read().await];
    assert_eq!(heard[2]["result"], json!({ "tools": [] }), "{heard:?}");
}

#[tokio::test]
async fn a_client_hears_messages_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (mut client, _task) = bridged(&run_dir, Era::Modern);
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {} })).await;
    let (mut daemon, _) = heard(&listener).await;
    for line in ["warning: something", "", "[]", "7", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#] {
        say(&mut daemon, line).await;
    }
    assert_eq!(client.read().await, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
}

/// A request that was taken back has no answer; the bridge must not wait for it for ever.
#[tokio::test]
async fn requests_taken_back_are_forgotten() {
    const MANY: u64 = 1100;
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (mut client, _task) = bridged(&run_dir, Era::Modern);
    let daemon = tokio::spawn(async move {
        let (mut stream, _) = heard(&listener).await;
        let mut line = String::new();
        while !line.contains("last") {
            line.clear();
            assert!(stream.read_line(&mut line).await.unwrap() > 0);
        }
        say(&mut stream, r#"{"jsonrpc":"2.0","id":"last","result":{}}"#).await;
        stream
    });
    for id in 0..MANY {
        client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {} })).await;
        let params = json!({ "requestId": id });
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
    }
    client.send(&json!({ "jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": {} })).await;
    assert_eq!(client.read().await, json!({ "jsonrpc": "2.0", "id": "last", "result": {} }));
    drop(daemon.await.unwrap());
}

#[tokio::test]
async fn a_client_is_told_what_stands_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let failed = Arc::new(std::sync::OnceLock::new());
    let (mut client, task) = bridged_by(folder.path(), Era::Modern, Starter::Another(failed.clone()));
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} })).await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    failed.set(ErrorAnswer::invalid("the config is wrong", "Mend it.")).unwrap();
    let message = client.read().await["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("the config is wrong") && message.contains("Mend it."), "{message}");
    client.write.shutdown().await.unwrap();
    task.await.unwrap().unwrap();

    let (ours, theirs) = UnixStream::pair().unwrap();
    let (input, output) = tokio::io::split(theirs);
    let task = tokio::spawn(refuse(ErrorAnswer::invalid("no home", "Set HOME."), input, output));
    let mut client = Client::on(ours, Era::Legacy);
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    client.send(&json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {} })).await;
    let answer = client.read().await;
    assert_eq!(answer["id"], "a");
    assert!(answer["error"]["message"].as_str().unwrap().contains("Set HOME."), "{answer}");
    client.write.shutdown().await.unwrap();
    task.await.unwrap().unwrap();
}
