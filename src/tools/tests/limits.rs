//! Clients that do not do their part: what is waited for ends, and what is remembered of them is bounded.

use std::time::Duration;

use tokio::io::AsyncReadExt as _;

use super::*;
use crate::tools::transport::Limits;

/// Long enough for a busy machine to say one thing, short enough for a test.
const WAIT: Duration = Duration::from_millis(400);
/// When a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

fn server(long_lines: usize) -> Server {
    let limits = Limits {
        first_message: WAIT,
        long_line: WAIT,
        write: WAIT,
        long_lines: Arc::new(tokio::sync::Semaphore::new(long_lines)),
    };
    Server::new(MemoryHost::new(), Profile::Default).with_limits(limits)
}

/// Connects a client; returns its stream and the server's task.
fn connected(server: &Server) -> (UnixStream, tokio::task::JoinHandle<()>) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    (ours, tokio::spawn(server.clone().serve_stream(theirs)))
}

/// The server ends the connection by itself.
async fn ends(task: tokio::task::JoinHandle<()>) {
    tokio::time::timeout(PATIENCE, task).await.expect("the connection ends").unwrap();
}

#[tokio::test]
async fn who_never_ends_a_first_message_is_let_go() {
    for said in ["", "{\"jsonrpc\":\"2.0\",\"id\":1,\"met"] {
        let (mut stream, task) = connected(&server(1));
        stream.write_all(said.as_bytes()).await.unwrap();
        ends(task).await;
    }
}

#[tokio::test]
async fn who_has_begun_may_rest() {
    let (stream, task) = connected(&server(1));
    let mut client = Client::on(stream, Era::Legacy);
    client.begin().await;
    tokio::time::sleep(3 * WAIT).await;
    client.call("fetch", json!({ "id": "doc1" })).await.unwrap();
    assert!(!task.is_finished());
}

#[tokio::test]
async fn a_long_line_that_never_ends_gives_its_place_to_the_next() {
    let server = server(1);
    let (stream, task) = connected(&server);
    let mut hostile = Client::on(stream, Era::Legacy);
    hostile.begin().await;
    hostile.write.write_all(&vec![b'x'; 200_000]).await.unwrap();
    let (stream, _task) = connected(&server);
    let mut client = Client::on(stream, Era::Legacy);
    client.begin().await;
    client.call("create", json!({ "title": "T", "content": "y".repeat(1 << 20) })).await.unwrap();
    ends(task).await;
}

#[tokio::test]
async fn who_asks_and_never_reads_is_stopped_and_let_go() {
    for half_closed in [false, true] {
        let (mut stream, task) = connected(&server(1));
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-11-25",
            "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
        stream.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
        let mut sent = 0_usize;
        let all = tokio::time::timeout(PATIENCE, async {
            for id in 1..200_000 {
                let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" });
                stream.write_all(format!("{call}\n").as_bytes()).await?;
                sent += 1;
                if half_closed && sent == 500 {
                    stream.shutdown().await?;
                    return Ok(());
                }
            }
            Ok::<(), std::io::Error>(())
        });
        let broke = all.await.expect("it is let go in time");
        assert_eq!(broke.is_err(), !half_closed, "{broke:?} after {sent}");
        // 1024 that wait, what the sockets hold of both ways, and one line.
        assert!(sent < 20_000, "{sent} were taken");
        ends(task).await;
    }
}

#[tokio::test]
async fn what_is_no_request_is_said_to_be_none() {
    let (stream, _task) = connected(&server(1));
    let mut client = Client::on(stream, Era::Legacy);
    client.begin().await;
    let many = format!("[{}]", "0,".repeat(20_000) + "0");
    for (line, id, words) in [
        (r#"{"jsonrpc":"2.0","id":7}"#.to_owned(), json!(7), "no request"),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#.to_owned(), json!("a"), "no request"),
        ("[]".to_owned(), Value::Null, "no request"),
        (
            json!({ "jsonrpc": "2.0", "id": "x".repeat(2000), "method": "ping" }).to_string(),
            Value::Null,
            "id is longer",
        ),
        (format!(r#"{{"jsonrpc":"2.0","id":8,"method":"ping","params":{{"a":{many}}}}}"#), json!(8), "10000 values"),
        (r#"{"id":9,"result":{}}"#.to_owned(), Value::Null, "no request"),
        ("x".repeat(LINE_BYTES_MAX + 1), Value::Null, "16 MiB"),
    ] {
        client.write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let answer = client.read().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
    }
    // What is no JSON, and notifications that nobody knows, are passed over.
    client.write.write_all(b"nonsense\n{\"jsonrpc\":\"2.0\",\"method\":\"$/progress\"}\n\n \n").await.unwrap();
    client.call("fetch", json!({ "id": "doc1" })).await.unwrap();
}

#[tokio::test]
async fn an_id_in_use_is_refused_and_free_again_when_it_was_answered() {
    let (stream, _task) = connected(&server(1));
    let mut client = Client::on(stream, Era::Legacy);
    client.begin().await;
    let call = json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call",
                       "params": { "name": "fetch", "arguments": { "id": "doc1" } } });
    for _ in 0..3 {
        client.send(&call).await;
        assert!(client.read().await.get("result").is_some());
    }
    client.write.write_all(format!("{call}\n").repeat(50).as_bytes()).await.unwrap();
    let (mut done, mut refused) = (0, 0);
    for _ in 0..50 {
        let answer = client.read().await;
        match answer["id"] == "same" {
            true => done += 1,
            false => refused += usize::from(answer["error"]["message"].as_str().unwrap().contains("without an answer")),
        }
    }
    assert!(done >= 1 && refused >= 1 && done + refused == 50, "{done} {refused}");
}

#[tokio::test]
async fn an_end_amid_everything_leaves_nothing_behind() {
    let server = server(1);
    for bytes in [0, 1, 70_000] {
        let (mut stream, task) = connected(&server);
        stream.write_all(&vec![b'{'; bytes]).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut rest = Vec::new();
        tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await.unwrap().unwrap();
        assert!(rest.is_empty());
        ends(task).await;
    }
}
