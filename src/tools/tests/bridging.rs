//! The bridge between sides that break, that say too much, or that do not listen.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};

use super::sockets::{bridged, heard, played, say};
use super::*;

const WAIT: Duration = Duration::from_secs(20);

fn options(run_dir: &Path) -> BridgeOptions {
    BridgeOptions {
        socket: run_dir.join("mcp.sock"),
        starter: Starter::Nobody,
        suggestion: "Start the daemon.".into(),
        drain: Duration::from_secs(3),
        timeout: None,
    }
}

async fn ends(task: tokio::task::JoinHandle<Result<()>>) -> Result<()> {
    tokio::time::timeout(WAIT, task).await.expect("the bridge ends").expect("it does not panic")
}

fn request(id: impl Into<Value>, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

/// A daemon that reads nothing until all that it says was read, and a client that asks on and on meanwhile: both are
/// entitled to that, so the bridge must listen while it speaks.
#[tokio::test(flavor = "multi_thread")]
async fn neither_side_waits_for_the_other_in_a_circle() {
    const WORDS: usize = 300;
    const REQUESTS: usize = 200;
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (client, task) = bridged(&run_dir, Era::Modern);
    let Client { mut lines, mut write, .. } = client;
    let filling = "x".repeat(32 * 1024);
    let asking = tokio::spawn({
        let filling = filling.clone();
        async move {
            for id in 0..REQUESTS {
                let line = format!("{}\n", request(id, "tools/call", &json!({ "a": filling })));
                write.write_all(line.as_bytes()).await.unwrap();
            }
            write
        }
    });
    let daemon = tokio::spawn(async move {
        let (mut stream, _) = heard(&listener).await;
        for _ in 0..WORDS {
            let params = json!({ "data": filling });
            say(
                &mut stream,
                &json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }).to_string(),
            )
            .await;
        }
        // Only now it looks what it was asked; the first request is read already.
        for id in 0..REQUESTS {
            let mut line = String::new();
            if id > 0 {
                stream.read_line(&mut line).await.unwrap();
            }
            say(&mut stream, &json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string()).await;
        }
        stream
    });
    let reading = async {
        let (mut words, mut answers) = (0, 0);
        while answers < REQUESTS {
            let line = lines.next_line().await.unwrap().expect("the bridge goes on");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message.get("id") == Some(&json!(answers)) {
                answers += 1;
            } else {
                words += 1;
            }
        }
        words
    };
    assert_eq!(tokio::time::timeout(WAIT, reading).await.expect("nobody waits for ever"), WORDS);
    drop(daemon.await.unwrap());
    asking.await.unwrap().shutdown().await.unwrap();
    ends(task).await.unwrap();
}

/// What no daemon could read is answered by the bridge, under its id where it has one, and the conversation goes on.
#[tokio::test]
async fn lines_that_cannot_be_read_have_answers() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    let _tasks = sockets::serve(&run_dir, MemoryHost::new());
    let (mut client, task) = bridged(&run_dir, Era::Legacy);
    client.begin().await;
    let long = "x".repeat(LINE_BYTES_MAX);
    let deep = "[".repeat(200) + &"]".repeat(200);
    let case = |line: String, code: i64, id: Value| (line.into_bytes(), code, id);
    let mut cases = vec![
        // Too long: the id stands before, or behind as the clients of the TypeScript SDK have it, or nowhere.
        case(
            format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{{"id":3,"x":"{long}"}}}}"#),
            -32600,
            json!("a"),
        ),
        case(
            format!(r#"{{"method":"tools/call","params":{{"id":3,"x":"\"{long}"}},"jsonrpc":"2.0","id":81}}"#),
            -32600,
            json!(81),
        ),
        case(
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"id":3,"x":"{long}"}}}}"#),
            -32600,
            json!(null),
        ),
        // A response to nothing must not look like an answer to a request of that id.
        case(format!(r#"{{"jsonrpc":"2.0","id":5,"result":{{"x":"{long}"}}}}"#), -32600, json!(null)),
        case(long.clone() + &long, -32600, json!(null)),
        case("{bad json".into(), -32700, json!(null)),
        case("\0".into(), -32700, json!(null)),
        case(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\ud83d"}}"#.into(), -32700, json!(7)),
        case(
            format!(r#"{{"jsonrpc":"2.0","id":"deep","method":"ping","params":{{"a":{deep}}}}}"#),
            -32700,
            json!("deep"),
        ),
        case(r#"{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":1e999}}"#.into(), -32700, json!(8)),
        case(r#"[{"jsonrpc":"2.0","id":9,"method":"ping"}]"#.into(), -32600, json!(null)),
        case(r#"[9,"ping"]"#.into(), -32600, json!(null)),
        case("7".into(), -32600, json!(null)),
        case(r#"{"jsonrpc":"2.0","id":0.5,"method":"ping"}"#.into(), -32600, json!(null)),
        case(r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#.into(), -32600, json!(null)),
        case(r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#.into(), -32600, json!(null)),
        case(format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "i".repeat(1025)), -32600, json!(null)),
        case(r#"{"jsonrpc":"2.0","id":10,"method":7}"#.into(), -32600, json!(10)),
        // The daemon's own refusal has the id, too.
        case(
            format!(r#"{{"jsonrpc":"2.0","id":11,"method":"ping","params":{{"a":[{}0]}}}}"#, "0,".repeat(10_001)),
            -32600,
            json!(11),
        ),
    ];
    cases.push((
        b"{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"tools/call\",\"params\":{\"a\":\"\xff\xfe\"}}".to_vec(),
        -32700,
        json!(12),
    ));
    cases.push((vec![0xff; 100], -32700, json!(null)));
    for (line, code, id) in cases {
        let shown = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
        client.write.write_all(&line).await.unwrap();
        client.write.write_all(b"\n").await.unwrap();
        let answer = client.read().await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{shown}: {answer}");
        client.call("fetch", json!({ "id": "doc1" })).await.unwrap();
    }
    // None of them is remembered as a request that waits: the bridge would wait for them here.
    client.write.shutdown().await.unwrap();
    let begun = std::time::Instant::now();
    ends(task).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

/// Reads as a pipe that breaks.
struct Breaks;

impl AsyncRead for Breaks {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Err(std::io::ErrorKind::ConnectionReset.into()))
    }
}

#[tokio::test]
async fn what_is_in_flight_is_answered_when_stdin_breaks() {
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (ours, theirs) = UnixStream::pair().unwrap();
    let asked = std::io::Cursor::new(format!("{}\n", request(1, "tools/call", &json!({}))).into_bytes());
    let task = tokio::spawn(bridge(options(&run_dir), asked.chain(Breaks), theirs));
    let (mut daemon, _) = heard(&listener).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    let mut client = Client::on(ours, Era::Modern);
    assert_eq!(client.read().await, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    assert!(matches!(ends(task).await, Err(Error::Network { .. })));
}

/// How long a tool may take where the environment of the bridge says so, the daemon is told with each call.
#[tokio::test]
async fn a_bridge_tells_how_long_its_calls_may_take() {
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let (input, output) = tokio::io::split(theirs);
    let options = BridgeOptions { timeout: Some(Duration::from_millis(1500)), ..options(&run_dir) };
    let task = tokio::spawn(bridge(options, input, output));
    ours.write_all(format!("{}\n", request(1, "tools/call", &json!({ "name": "ask" }))).as_bytes()).await.unwrap();
    let (mut daemon, message) = heard(&listener).await;
    assert_eq!(message["params"], json!({ "name": "ask", "_meta": { "mcp-workspace/timeout-ms": 1500 } }));
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    let mut answer = String::new();
    BufReader::new(&mut ours).read_line(&mut answer).await.unwrap();
    assert_eq!(answer.trim_end(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    drop(ours);
    ends(task).await.unwrap();
}

/// A client that closes its ears is gone: what it asked for is finished, and the bridge ends as it should.
#[tokio::test]
async fn a_closed_stdout_is_a_good_end() {
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (mut ours, input) = UnixStream::pair().unwrap();
    let (ears, output) = UnixStream::pair().unwrap();
    let task = tokio::spawn(bridge(options(&run_dir), input, output));
    for id in [1, 2] {
        ours.write_all(format!("{}\n", request(id, "tools/call", &json!({}))).as_bytes()).await.unwrap();
    }
    let (mut daemon, _) = heard(&listener).await;
    let mut line = String::new();
    daemon.read_line(&mut line).await.unwrap();
    drop(ears);
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!task.is_finished(), "the second call is still at work");
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
    ends(task).await.unwrap();
    assert_eq!(daemon.read_line(&mut line).await.unwrap(), 0, "the daemon's side is closed");
}

/// Whoever closes stdin still hears what became of each call.
#[tokio::test]
async fn the_last_calls_are_told_of_when_the_daemon_goes_or_takes_too_long() {
    for goes in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let (run_dir, listener) = played(folder.path());
        let (mut client, task) = bridged(&run_dir, Era::Modern);
        client.send(&request(1, "tools/call", &json!({}))).await;
        client.send(&request(2, "tools/list", &json!({}))).await;
        client.write.shutdown().await.unwrap();
        let (mut daemon, _) = heard(&listener).await;
        daemon.read_line(&mut String::new()).await.unwrap();
        let daemon = (!goes).then_some(daemon);
        for id in [1, 2] {
            let failed = client.read().await;
            assert_eq!((&failed["id"], &failed["error"]["code"]), (&json!(id), &json!(-32000)), "{failed}");
        }
        ends(task).await.unwrap();
        drop(daemon);
    }
}

/// A daemon that says its last words and goes: they are heard, though nobody can write to it any more, and what it
/// cannot have read is asked of the next one.
#[tokio::test]
async fn last_words_are_heard_and_what_was_not_sent_is_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (mut client, task) = bridged(&run_dir, Era::Modern);
    client.send(&request(1, "tools/call", &json!({}))).await;
    let (mut daemon, _) = heard(&listener).await;
    // More than any socket holds: it is not whole when the daemon goes.
    let large = request(2, "tools/call", &json!({ "x": "y".repeat(4 << 20) }));
    client.send(&large).await;
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":1,"result":{"last":"words"}}"#).await;
    drop(daemon);
    assert_eq!(client.read().await["result"], json!({ "last": "words" }));
    // The next request leads to the next daemon at the latest.
    client.send(&request(3, "tools/list", &json!({}))).await;
    let (mut daemon, message) = heard(&listener).await;
    assert_eq!(message["id"], 2, "it is whole");
    assert_eq!(message, large);
    for id in [2, 3] {
        say(&mut daemon, &json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string()).await;
        assert_eq!(client.read().await["id"], id);
    }
    client.write.shutdown().await.unwrap();
    ends(task).await.unwrap();
}

/// Only an `initialize` that was granted is played to the next daemon.
#[tokio::test]
async fn a_refused_initialize_is_not_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (mut client, _task) = bridged(&run_dir, Era::Legacy);
    client.send(&request(1, "initialize", &json!({ "good": true }))).await;
    let (mut daemon, _) = heard(&listener).await;
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    client.read().await;
    client.send(&request(2, "initialize", &json!({ "bad": true }))).await;
    daemon.read_line(&mut String::new()).await.unwrap();
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"twice"}}"#).await;
    client.read().await;
    drop(daemon);
    let (_daemon, greeting) = heard(&listener).await;
    assert_eq!(greeting["params"], json!({ "good": true }));
}

/// What is called after a daemon said that it is being stopped waits for the next one, and a daemon that is no more
/// than let in is asked nothing that could be carried out.
#[tokio::test]
async fn a_daemon_that_stops_is_called_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let (run_dir, listener) = played(folder.path());
    let (mut client, task) = bridged(&run_dir, Era::Modern);
    let terms = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let call = |id: i64| request(id, "tools/call", &json!({ "name": "create", "_meta": terms }));
    client.send(&call(1)).await;
    let (mut stopped, _) = heard(&listener).await;
    say(&mut stopped, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"It was stopped."}}"#).await;
    assert_eq!(client.read().await["error"]["message"], "It was stopped.");
    client.send(&call(2)).await;
    let mut line = String::new();
    let read = tokio::time::timeout(Duration::from_millis(200), stopped.read_line(&mut line)).await;
    assert!(read.is_err(), "it was called: {line}");
    drop(stopped);
    let (dying, greeting) = heard(&listener).await;
    assert_eq!((&greeting["method"], &greeting["params"]), (&json!("server/discover"), &json!({ "_meta": terms })));
    drop(dying);
    let (mut daemon, greeting) = heard(&listener).await;
    say(&mut daemon, &json!({ "jsonrpc": "2.0", "id": greeting["id"], "error": { "code": 1 } }).to_string()).await;
    line.clear();
    daemon.read_line(&mut line).await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), call(2));
    say(&mut daemon, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
    assert_eq!(client.read().await, json!({ "jsonrpc": "2.0", "id": 2, "result": {} }));
    client.write.shutdown().await.unwrap();
    ends(task).await.unwrap();
}
