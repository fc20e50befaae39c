//! The six tools as an MCP client gets them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use mcp_workspace::emulator::{DEFAULT_TOKEN, DEMO_ACCOUNT};
use mcp_workspace::error::{Error, NotebookFault};
use mcp_workspace::kinds::notebooks::{Personal, Service, Settings};
use mcp_workspace::tools::{
    AnswerProgress, CONTROL_VERSION, Command, ControlOutcome, ControlReply, ControlRequest, Mirrors, Notebooks,
    Profile, Server, serve_control,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::net::{UnixListener, UnixStream};

use crate::{Way, World};

/// A client of the profile, and the world that its tools ask.
struct Client {
    world: World,
    server: Server,
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    asked: u64,
}

impl Client {
    async fn new() -> Self {
        let client = Self::of(World::signed_out(Settings::default()).await, None).await;
        client.world.browser.sign_in(DEMO_ACCOUNT).await;
        client
    }

    async fn of(world: World, timeout: Option<Duration>) -> Self {
        let browser = world.browser.clone();
        let service: Arc<dyn Service> = Arc::new(Personal::new(Box::new(Way(browser)), Settings::default()));
        Self::with(world, Notebooks::new(move || Ok(service.clone()), timeout)).await
    }

    async fn with(world: World, notebooks: Notebooks) -> Self {
        let host = Arc::new(Mirrors::new("/nowhere".into(), Vec::new()).with_notebooks(notebooks));
        let server = Server::new(host, Profile::NotebookLm);
        let (read, write) = connect(&server);
        let mut client = Self { world, server, read, write, asked: 0 };
        client.begin().await;
        client
    }

    async fn begin(&mut self) {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        self.request("initialize", params).await;
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    }

    /// Connects anew: another client of the same daemon.
    async fn again(&mut self) {
        (self.read, self.write) = connect(&self.server);
        self.begin().await;
    }

    async fn send(&mut self, message: Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let mut line = String::new();
            self.read.read_line(&mut line).await.unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer["result"].clone();
            }
        }
    }

    /// Calls a tool: its answer, or its error.
    async fn call(&mut self, name: &str, arguments: Value) -> Result<Value, Value> {
        let result = self.request("tools/call", json!({ "name": name, "arguments": arguments })).await;
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        if result["isError"] == json!(true) {
            assert_eq!(text.as_object().unwrap().keys().collect::<Vec<_>>(), ["error"]);
            return Err(text["error"].clone());
        }
        assert_eq!(text, result["structuredContent"]);
        Ok(text)
    }

    /// Expects an error of this code.
    async fn refused(&mut self, name: &str, arguments: Value, code: &str) -> Value {
        let error = self.call(name, arguments.clone()).await.unwrap_err();
        assert_eq!(error["code"], code, "{name} {arguments}: {error}");
        assert!(error["message"].as_str().unwrap().len() > 10 && error["details"].is_object(), "{error}");
        assert!(error["recoverable"].is_boolean(), "{error}");
        error
    }

    async fn id_of(&self, title: &str) -> String {
        self.world.titled(title).await.id
    }

    /// Waits until the product was asked for an operation.
    async fn hears(&self, operation: &str) {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("{}/admin/notebooks:requests", self.world.google.url());
        let began = Instant::now();
        loop {
            let log: Value = http.get(&url).bearer_auth(DEFAULT_TOKEN).send().await.unwrap().json().await.unwrap();
            if log.as_array().unwrap().iter().any(|heard| heard["operation"] == operation) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "{operation} was not heard: {log}");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    async fn sources(&self, notebook: &str) -> usize {
        self.world.service.notebook(notebook).await.unwrap().sources.len()
    }
}

fn connect(server: &Server) -> (BufReader<ReadHalf<DuplexStream>>, WriteHalf<DuplexStream>) {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    tokio::spawn(server.clone().serve_stream(theirs));
    let (read, write) = tokio::io::split(ours);
    (BufReader::new(read), write)
}

#[tokio::test]
async fn notebooks_are_listed_described_and_asked() {
    let mut client = Client::new().await;
    let health = client.call("health_check", json!({})).await.unwrap();
    assert!(health["latency_ms"].is_u64());
    let said = ["status", "authenticated", "browser_ok", "error"].map(|key| health[key].clone());
    assert_eq!(said, [json!("healthy"), json!(true), json!(true), Value::Null]);

    let listed = client.call("list_notebooks", json!({ "limit": 2 })).await.unwrap();
    assert_eq!((listed["notebooks"].as_array().unwrap().len(), &listed["total"]), (2, &json!(3)));
    let id = client.id_of("Balcony").await;
    let notebook = client.call("get_notebook", json!({ "notebook_id": id })).await.unwrap();
    assert!(notebook["name"].as_str().unwrap().contains("Balcony") && notebook["source_count"].as_u64() > Some(0));
    assert!(notebook["description"].as_str().unwrap().len() > 10, "{notebook}");
    for moment in ["created_at", "updated_at", "viewed_at"] {
        assert!(notebook[moment].as_str().unwrap().ends_with('Z'), "{notebook}");
    }

    let sources = client.call("list_sources", json!({ "notebook_id": id })).await.unwrap();
    let sources = sources["sources"].as_array().unwrap();
    assert_eq!(notebook["source_count"], sources.len());
    assert!(sources.iter().all(|source| source["status"] == "complete" || source["status"] == "failed"), "{sources:?}");

    let question = json!({ "notebook_id": id, "question": "How many watts may be fed in?" });
    let answer = client.call("ask", question.clone()).await.unwrap();
    assert!(answer["answer"].as_str().unwrap().contains("800") && answer["confidence"].is_null(), "{answer}");
    let cited = answer["citations"].as_array().unwrap();
    let is_source = |id: &Value| sources.iter().find(|source| source["id"] == *id);
    assert!(!cited.is_empty());
    for citation in cited {
        let source = is_source(&citation["source_id"]).unwrap();
        assert_eq!(citation["source_title"], source["title"]);
        assert!(citation["excerpt"].as_str().is_some_and(|excerpt| !excerpt.is_empty()), "{citation}");
        assert!(answer["answer"].as_str().unwrap().contains(&format!("[{}", citation["number"])), "{answer}");
    }
    let mut plain = question;
    plain["include_citations"] = json!(false);
    let plain = client.call("ask", plain).await.unwrap();
    assert_eq!(plain["citations"], json!([]));
    let text = plain["answer"].as_str().unwrap();
    assert!(text.contains("800") && !text.contains("[1"), "{text}");
}

#[tokio::test]
async fn what_cannot_be_is_refused_before_it_counts() {
    let mut client = Client::new().await;
    let id = client.id_of("Balcony").await;
    let long = "x".repeat(10_001);
    for (name, arguments, code) in [
        ("list_notebooks", json!({ "limit": 0 }), "INVALID_INPUT"),
        ("list_notebooks", json!({ "limit": 101 }), "INVALID_INPUT"),
        ("list_notebooks", json!({ "limits": 1 }), "INVALID_INPUT"),
        ("health_check", json!({ "deep": true }), "INVALID_INPUT"),
        ("get_notebook", json!({}), "INVALID_INPUT"),
        ("get_notebook", json!({ "notebook_id": " " }), "INVALID_INPUT"),
        ("list_sources", json!({ "notebook_id": "../settings?x=1" }), "INVALID_INPUT"),
        ("ask", json!({ "notebook_id": id, "question": " \n" }), "INVALID_INPUT"),
        ("ask", json!({ "notebook_id": id, "question": long }), "QUESTION_TOO_LONG"),
        ("add_source", json!({ "notebook_id": id, "source_type": "pdf", "url": "https://a.example" }), "INVALID_INPUT"),
        ("add_source", json!({ "notebook_id": id, "source_type": "url" }), "INVALID_INPUT"),
        ("add_source", json!({ "notebook_id": id, "source_type": "url", "url": "a.example" }), "INVALID_URL"),
        (
            "add_source",
            json!({ "notebook_id": id, "source_type": "text", "text": "x".repeat(500_001) }),
            "CONTENT_TOO_LARGE",
        ),
    ] {
        client.refused(name, arguments, code).await;
    }
    // Thirteen were refused, and ten may still be made.
    for _ in 0..8 {
        client.call("list_notebooks", json!({})).await.unwrap();
    }
    client.refused("get_notebook", json!({ "notebook_id": "0e3f7a10-0000-4000-8000-000000000000" }), "NOT_FOUND").await;
    client.call("list_sources", json!({ "notebook_id": id })).await.unwrap();
    let error = client.refused("health_check", json!({}), "RATE_LIMITED").await;
    let wait = error["details"]["retry_after_seconds"].as_u64().unwrap();
    assert!((1..=60).contains(&wait) && error["recoverable"] == json!(true), "{error}");
    assert_eq!(error["message"], format!("Rate limit exceeded. Please wait {wait} seconds."));
    assert_eq!([&error["details"]["limit"], &error["details"]["window"]], [&json!(10), &json!("minute")]);
    // The account is the same for whoever else asks.
    client.again().await;
    client.refused("list_notebooks", json!({}), "RATE_LIMITED").await;
}

#[tokio::test]
async fn five_questions_a_minute_and_no_waiting() {
    let mut client = Client::new().await;
    let id = client.id_of("Balcony").await;
    for number in 0..5 {
        client.call("ask", json!({ "notebook_id": id, "question": format!("Question {number}?") })).await.unwrap();
    }
    let began = Instant::now();
    let error = client.refused("ask", json!({ "notebook_id": id, "question": "One more?" }), "RATE_LIMITED").await;
    assert_eq!(error["details"]["limit"], 5);
    assert!(began.elapsed() < Duration::from_secs(5));
    client.call("list_sources", json!({ "notebook_id": id })).await.unwrap();
}

#[tokio::test]
async fn a_source_is_added_once_whatever_becomes_of_the_answer() {
    let mut expected = 0;
    let mut client = Client::new().await;
    let made = client.world.service.create("Once").await.unwrap().id;
    for (number, (fault, code, count)) in [
        (None, None, 1),
        (Some("lost_reply"), None, 1),
        (Some("truncated"), None, 1),
        (Some("error_stub"), Some("PROCESSING_FAILED"), 1),
        (Some("500"), Some("NETWORK_ERROR"), 0),
    ]
    .into_iter()
    .enumerate()
    {
        client.world.service.notebooks().await.unwrap();
        if let Some(fault) = fault {
            client.world.fault("ADD_SOURCE", fault, json!({})).await;
        }
        let arguments =
            json!({ "notebook_id": made, "source_type": "text", "text": format!("# Text {number}\n\nWords.") });
        match code {
            None => {
                let added = client.call("add_source", arguments).await.unwrap();
                assert_eq!(
                    (&added["success"], &added["title"]),
                    (&json!(true), &json!(format!("Text {number}"))),
                    "{added}"
                );
                let notebook = client.world.service.notebook(&made).await.unwrap();
                assert!(notebook.sources.iter().any(|source| added["source_id"] == source.id.as_str()), "{added}");
                assert_eq!(
                    added["message"].as_str().unwrap_or_default().contains("do not add it again"),
                    fault.is_some()
                );
            }
            Some(code) => {
                let error = client.refused("add_source", arguments, code).await;
                assert_eq!(error["recoverable"], json!(false), "{error}");
                assert_eq!(error["details"]["source_id"].is_string(), count == 1, "{error}");
            }
        }
        expected += count;
        assert_eq!(client.sources(&made).await, expected, "{fault:?}");
    }
}

#[tokio::test]
async fn what_a_session_that_ended_looks_like() {
    let client = World::signed_out(Settings::default()).await;
    let mut client = Client::of(client, None).await;
    let health = client.call("health_check", json!({})).await.unwrap();
    assert_eq!([&health["status"], &health["authenticated"]], [&json!("unhealthy"), &json!(false)]);
    assert!(health["error"].as_str().unwrap().contains("notebooks login"), "{health}");
    let error = client.refused("list_notebooks", json!({}), "AUTH_REQUIRED").await;
    assert!(error["message"].as_str().unwrap().contains("notebooks login") && error["recoverable"] == json!(false));
    // A sign-in is noticed without a restart.
    client.world.browser.sign_in(DEMO_ACCOUNT).await;
    assert_eq!(client.call("health_check", json!({})).await.unwrap()["status"], "healthy");
    // One answer in a new shape is not all of them.
    client.world.fault("GET_USER_SETTINGS", "id_rotated", json!({})).await;
    let health = client.call("health_check", json!({})).await.unwrap();
    assert_eq!([&health["status"], &health["authenticated"]], [&json!("degraded"), &json!(true)], "{health}");
    client.world.admin("notebooks:revoke", json!({})).await;
    client.refused("list_notebooks", json!({}), "SESSION_EXPIRED").await;
}

#[tokio::test]
async fn there_is_no_browser() {
    let no_browser = || {
        Err(Error::Notebook {
            fault: NotebookFault::BrowserLaunchFailed,
            message: "no Chromium was found".into(),
            retry_after: None,
            outcome_unknown: false,
        })
    };
    let world = World::signed_out(Settings::default()).await;
    let mut client = Client::with(world, Notebooks::new(no_browser, None)).await;
    let health = client.call("health_check", json!({})).await.unwrap();
    assert_eq!([&health["status"], &health["browser_ok"]], [&json!("unhealthy"), &json!(false)], "{health}");
    client.refused("list_notebooks", json!({}), "BROWSER_LAUNCH_FAILED").await;
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_taken_back() {
    let world = World::signed_out(Settings::default()).await;
    world.browser.sign_in(DEMO_ACCOUNT).await;
    let mut client = Client::of(world, Some(Duration::from_millis(1_500))).await;
    let id = client.id_of("Balcony").await;
    client.world.fault("CHAT", "stall", json!({ "delay_ms": 20_000 })).await;
    let began = Instant::now();
    let error = client.refused("ask", json!({ "notebook_id": id, "question": "How many watts?" }), "TIMEOUT").await;
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!([&error["details"]["outcome"], &error["recoverable"]], [&json!("unknown"), &json!(false)], "{error}");
    client.hears("CANCEL_GENERATION").await;
    // An empty notebook is not asked at all.
    let empty = client.world.service.create("Empty").await.unwrap().id;
    let error = client.refused("ask", json!({ "notebook_id": empty, "question": "What?" }), "NO_SOURCES").await;
    assert_eq!(error["details"]["sources"], 0);
}

#[tokio::test]
async fn a_client_has_a_time_of_its_own() {
    let mut client = Client::new().await;
    let id = client.id_of("Balcony").await;
    client.world.fault("CHAT", "stall", json!({ "delay_ms": 20_000 })).await;
    let began = Instant::now();
    let arguments = json!({ "notebook_id": id, "question": "How many watts?" });
    let terms = json!({ "mcp-workspace/timeout-ms": 1_500 });
    let params = json!({ "name": "ask", "arguments": arguments, "_meta": terms });
    let answer = client.request("tools/call", params).await;
    let told: Value = serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(told["error"]["code"], "TIMEOUT", "{told}");
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[tokio::test]
async fn a_question_that_its_client_takes_back_is_taken_back() {
    let mut client = Client::new().await;
    let id = client.id_of("Balcony").await;
    client.world.fault("CHAT", "stall", json!({ "delay_ms": 20_000 })).await;
    let arguments = json!({ "notebook_id": id, "question": "How many watts?" });
    let params = json!({ "name": "ask", "arguments": arguments });
    client.send(json!({ "jsonrpc": "2.0", "id": "asked", "method": "tools/call", "params": params })).await;
    client.hears("CHAT").await;
    let params = json!({ "requestId": "asked", "reason": "enough" });
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
    client.hears("CANCEL_GENERATION").await;
}

#[tokio::test]
async fn the_way_is_looked_for_until_there_is_one() {
    let tries = Arc::new(AtomicU32::new(0));
    let world = World::signed_out(Settings::default()).await;
    world.browser.sign_in(DEMO_ACCOUNT).await;
    let (browser, counted) = (world.browser.clone(), tries.clone());
    let makes = move || -> mcp_workspace::error::Result<Arc<dyn Service>> {
        if counted.fetch_add(1, Ordering::Relaxed) == 0 {
            return Err(Error::Notebook {
                fault: NotebookFault::BrowserLaunchFailed,
                message: "not yet".into(),
                retry_after: None,
                outcome_unknown: false,
            });
        }
        Ok(Arc::new(Personal::new(Box::new(Way(browser.clone())), Settings::default())))
    };
    let mut client = Client::with(world, Notebooks::new(makes, None)).await;
    client.refused("list_notebooks", json!({}), "BROWSER_LAUNCH_FAILED").await;
    for _ in 0..2 {
        client.call("list_notebooks", json!({})).await.unwrap();
    }
    assert_eq!(tries.load(Ordering::Relaxed), 2);
}

/// A command line that asks, and the folder of its socket.
async fn command_line(client: &Client, question: &str) -> (tempfile::TempDir, BufReader<UnixStream>) {
    let (browser, folder) = (client.world.browser.clone(), tempfile::tempdir().unwrap());
    let service: Arc<dyn Service> = Arc::new(Personal::new(Box::new(Way(browser)), Settings::default()));
    let notebooks = Notebooks::new(move || Ok(service.clone()), None);
    let host = Arc::new(Mirrors::new("/nowhere".into(), Vec::new()).with_notebooks(notebooks));
    let socket = folder.path().join("control");
    tokio::spawn(serve_control(UnixListener::bind(&socket).unwrap(), host));
    let mut stream = UnixStream::connect(&socket).await.unwrap();
    let command = Command::Ask { notebook: "balcony".into(), question: question.into() };
    let request = serde_json::to_string(&ControlRequest { version: CONTROL_VERSION, command }).unwrap();
    stream.write_all(format!("{request}\n").as_bytes()).await.unwrap();
    (folder, BufReader::new(stream))
}

#[tokio::test]
async fn who_asks_at_a_terminal_is_told_how_far_the_answer_is() {
    let client = Client::new().await;
    let (_folder, stream) = command_line(&client, "How many watts may be fed in?").await;
    let (mut lines, mut written) = (stream.lines(), Vec::new());
    let answer = loop {
        let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await.unwrap().unwrap().unwrap();
        let reply: ControlReply = serde_json::from_str(&line).unwrap();
        match reply.outcome {
            ControlOutcome::Progress(AnswerProgress::Written(text)) => written.push(text),
            ControlOutcome::Progress(AnswerProgress::Thinking(_)) => {}
            ControlOutcome::Ok(value) => break value,
            ControlOutcome::Error(answer) => panic!("{answer:?}"),
        }
    };
    let answer = answer["answer"].as_str().unwrap();
    assert!(answer.contains("800") && !written.is_empty(), "{answer} {written:?}");
    // The newest counts, so that not each of them need be heard.
    assert!(written.iter().all(|written| answer.starts_with(written.trim_end())), "{answer} {written:?}");
}

#[tokio::test]
async fn a_question_whose_command_line_ended_is_taken_back() {
    let client = Client::new().await;
    client.world.fault("CHAT", "stall", json!({ "delay_ms": 20_000 })).await;
    let (_folder, stream) = command_line(&client, "How many watts?").await;
    client.hears("CHAT").await;
    drop(stream);
    client.hears("CANCEL_GENERATION").await;
}
