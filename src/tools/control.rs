//! What the command line says to the running daemon: one JSON object a line, on a socket of its own, so that the MCP
//! socket serves MCP and nothing else.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

use super::answer::ErrorAnswer;
use super::found::{Found, Search};
use super::host::{CommentAct, Host, ItemReport, Side};
use super::socket::{accept, connect_is_mine, connections_of, read_line};
use crate::error::{Error, Result};
use crate::model::{Account, Rule};
use crate::notebooklm::chat::Progress;

/// The version of this protocol. The command line and the daemon are one program, so two versions meet only after an
/// update, until the daemon is restarted; they then refuse each other.
pub const CONTROL_VERSION: u32 = 3;

/// The most commands at once.
const CONNECTIONS_MAX: usize = 256;
/// How long a connection may be idle, and how long who is told how far an answer is may not read that.
const IDLE_WAIT: Duration = Duration::from_secs(60);
/// The most hits of one search, and lines of the log.
const LIMIT_MAX: usize = 1000;

/// One request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ControlRequest {
    /// [`CONTROL_VERSION`] of who asks.
    pub version: u32,
    /// What is asked.
    #[serde(flatten)]
    pub command: Command,
}

/// What can be asked of a daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", content = "arguments", rename_all = "lowercase", deny_unknown_fields)]
pub enum Command {
    /// Mirrors an item and tells where it stands.
    Fetch {
        /// Its id or URL.
        id: String,
        /// Reads the remote first, even when the item is mirrored.
        refresh: bool,
    },
    /// Searches what is mirrored.
    Search(Search),
    /// Makes a new Doc.
    Create {
        /// Its name.
        title: String,
        /// Its MEBDF.
        text: String,
    },
    /// Stops mirroring an item.
    Forget {
        /// Its id or URL.
        id: String,
    },
    /// Begins a rule of what is mirrored by itself.
    AddRule {
        /// What it names.
        rule: Rule,
        /// Whose mail; that of the only account when none is named.
        account: Option<Account>,
    },
    /// Ends a rule.
    EndRule {
        /// Its number.
        number: i64,
        /// Whose, when several accounts have one of that number.
        account: Option<Account>,
    },
    /// Tells what is mirrored by itself.
    Rules,
    /// Tells how things stand.
    Status,
    /// Tells what a file would change.
    Diff {
        /// The file, absolute.
        path: PathBuf,
    },
    /// Pushes a file.
    Push {
        /// The file, absolute.
        path: PathBuf,
        /// Sends what is held, too.
        accept: bool,
        /// Sends nothing, tells what would be sent.
        dry_run: bool,
    },
    /// Writes a deleted file back.
    Restore {
        /// The item's id or URL.
        id: String,
    },
    /// Puts a link to an item's file into a folder outside of the workspace.
    Link {
        /// The item's id or URL, or a file, absolute.
        id: String,
        /// The folder, absolute.
        folder: PathBuf,
    },
    /// Answers, closes, or reopens a comment.
    Comment {
        /// A file of the item, absolute; its comments file will do.
        path: PathBuf,
        /// The comment, as the comments file names it.
        thread: String,
        /// What is done with it.
        act: CommentAct,
    },
    /// Pulls and pushes nothing until `Resume`.
    Pause {
        /// One account; all when none is named.
        account: Option<Account>,
    },
    /// Goes on after a halt or a pause.
    Resume {
        /// One account; all when none is named.
        account: Option<Account>,
    },
    /// Tells what was pushed and pulled.
    Log {
        /// An item's id or URL, or a file, absolute; all when none is named.
        id: Option<String>,
        /// Most lines.
        limit: usize,
    },
    /// Takes a push back.
    Undo {
        /// Its number in the log.
        push: i64,
        /// Whose, when several accounts have one of that number.
        account: Option<Account>,
    },
    /// Moves an item to the trash.
    Trash {
        /// Its id or URL, or a file, absolute.
        id: String,
    },
    /// Checks what must hold of live data.
    Doctor {
        /// Mends what can be mended.
        repair: bool,
        /// Most documents of each account that are read and compared.
        remote: usize,
    },
    /// Asks a question of a notebook.
    Ask {
        /// Its id or its name.
        notebook: String,
        /// The question.
        question: String,
    },
    /// Tells whether notebooks can be asked.
    CheckNotebooks,
    /// Lets go of the browser that asks notebooks, so that somebody can sign in with it.
    ReleaseNotebooks,
    /// Ends a file's conflicts.
    Resolve {
        /// The file, absolute.
        path: PathBuf,
        /// Whose text stands.
        side: Side,
    },
}

/// One reply.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ControlReply {
    /// [`CONTROL_VERSION`] of who answers.
    pub version: u32,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: ControlOutcome,
}

/// What came of a command.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlOutcome {
    /// How far it is: the reply itself is still to come.
    Progress(AnswerProgress),
    /// The command's own report.
    Ok(Value),
    /// Why there is none.
    Error(ErrorAnswer),
}

/// How far the answer of a notebook is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerProgress {
    /// What it thinks at the moment.
    Thinking(String),
    /// All that is written so far.
    Written(String),
}

impl From<Progress> for AnswerProgress {
    fn from(progress: Progress) -> Self {
        match progress {
            Progress::Thinking(text) => Self::Thinking(text),
            Progress::Partial(text) => Self::Written(text),
        }
    }
}

/// Accepts commands until the future is dropped.
///
/// # Errors
///
/// Never ends by itself but for a listener that is broken for good.
pub async fn serve_control(listener: UnixListener, host: Arc<dyn Host>) -> Result<()> {
    accept(listener, connections_of(CONNECTIONS_MAX), move |stream| {
        let host = host.clone();
        async move {
            if !connect_is_mine(&stream) {
                return;
            }
            if let Err(error) = serve_stream(stream, host.as_ref()).await {
                tracing::debug!(%error, "a command's connection broke");
            }
        }
    })
    .await
}

async fn serve_stream(stream: UnixStream, host: &dyn Host) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut reader = BufReader::new(read);
    let mut line = Vec::new();
    loop {
        match tokio::time::timeout(IDLE_WAIT, read_line(&mut reader, &mut line)).await {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) | Err(_) => return Ok(()),
            Ok(Err(error)) => return Err(error),
        }
        let done = match read_request(&line) {
            Ok(command) => run_told(host, command, (&mut reader, &mut write)).await?,
            Err(answer) => {
                reply(&mut write, ControlOutcome::Error(answer)).await?;
                continue;
            }
        };
        let outcome = match done {
            Ok(value) => ControlOutcome::Ok(value),
            Err(error) => ControlOutcome::Error(ErrorAnswer::from(&error)),
        };
        reply(&mut write, outcome).await?;
    }
}

async fn reply(write: &mut OwnedWriteHalf, outcome: ControlOutcome) -> std::io::Result<()> {
    let mut bytes = serde_json::to_vec(&ControlReply { version: CONTROL_VERSION, outcome })?;
    bytes.push(b'\n');
    write.write_all(&bytes).await
}

/// Does what a command says, and tells meanwhile how far it is: each time all of that, so that who reads slowly misses nothing. Who
/// goes away before a notebook has answered waits for no answer, and it is given up; all else is done to its end.
async fn run_told(
    host: &dyn Host,
    command: Command,
    (read, write): (&mut BufReader<OwnedReadHalf>, &mut OwnedWriteHalf),
) -> std::io::Result<Result<Value>> {
    let is_given_up = matches!(command, Command::Ask { .. });
    let (tell, mut told) = watch::channel(None);
    let mut note = |progress| drop(tell.send_replace(Some(AnswerProgress::from(progress))));
    let mut done = std::pin::pin!(run(host, command, &mut note));
    let mut says_more = false;
    loop {
        tokio::select! {
            biased;
            done = &mut done => {
                // What is told last may have come at the same moment.
                if told.has_changed().unwrap_or_default() {
                    tell_newest(&mut told, write).await?;
                }
                return Ok(done);
            }
            more = read.fill_buf(), if is_given_up && !says_more => match more?.is_empty() {
                true => return Err(std::io::ErrorKind::BrokenPipe.into()),
                // The next command, which is read in its turn.
                false => says_more = true,
            },
            Ok(()) = told.changed() => tell_newest(&mut told, write).await?,
        }
    }
}

async fn tell_newest(
    told: &mut watch::Receiver<Option<AnswerProgress>>,
    write: &mut OwnedWriteHalf,
) -> std::io::Result<()> {
    let Some(newest) = told.borrow_and_update().clone() else {
        return Ok(());
    };
    let written = tokio::time::timeout(IDLE_WAIT, reply(write, ControlOutcome::Progress(newest))).await;
    written.unwrap_or_else(|_elapsed| Err(std::io::ErrorKind::TimedOut.into()))
}

fn read_request(line: &[u8]) -> std::result::Result<Command, ErrorAnswer> {
    let other = "Restart the daemon, so that both are the same program.";
    let value: Value =
        serde_json::from_slice(line).map_err(|error| ErrorAnswer::invalid(format!("no JSON: {error}"), other))?;
    let version = value.get("version").and_then(Value::as_u64);
    if version != Some(CONTROL_VERSION.into()) {
        return Err(ErrorAnswer::invalid("the command line and the daemon are of different versions", other));
    }
    serde_json::from_value::<ControlRequest>(value)
        .map(|request| request.command)
        .map_err(|error| ErrorAnswer::invalid(format!("unknown command: {error}"), other))
}

async fn run(host: &dyn Host, command: Command, note: &mut (dyn FnMut(Progress) + Send)) -> Result<Value> {
    match command {
        Command::Fetch { id, refresh } => item_value(&host.fetch(&id, refresh).await?),
        Command::Search(search) => {
            let Found { hits, more, told, .. } =
                host.search(&Search { limit: search.limit.clamp(1, LIMIT_MAX), ..search }).await?;
            Ok(serde_json::json!({ "results": to_value(&hits)?, "more": more, "told": told }))
        }
        Command::Create { title, text } => item_value(&host.create(&title, &text).await?),
        Command::Forget { id } => to_value(&host.forget(&id).await?),
        Command::AddRule { rule, account } => to_value(&host.add_rule(&rule, account.as_ref()).await?),
        Command::EndRule { number, account } => to_value(&host.end_rule(number, account.as_ref()).await?),
        Command::Status | Command::Rules => to_value(&host.status().await?),
        Command::Diff { path } => to_value(&host.diff(&path).await?),
        Command::Push { path, accept, dry_run } => to_value(&host.push(&path, accept, dry_run).await?),
        Command::Restore { id } => item_value(&host.restore(&id).await?),
        Command::Link { id, folder } => to_value(&host.link(&id, &folder).await?),
        Command::Comment { path, thread, act } => to_value(&host.comment(&path, &thread, act).await?),
        Command::Pause { account } => to_value(&host.pause(account.as_ref()).await?),
        Command::Resume { account } => to_value(&host.resume(account.as_ref()).await?),
        Command::Log { id, limit } => to_value(&host.log(id.as_deref(), limit.clamp(1, LIMIT_MAX)).await?),
        Command::Undo { push, account } => to_value(&host.undo(push, account.as_ref()).await?),
        Command::Trash { id } => to_value(&host.trash(&id).await?),
        Command::Doctor { repair, remote } => to_value(&host.doctor(repair, remote).await?),
        Command::Ask { notebook, question } => host.notebooks()?.ask(&notebook, &question, note).await,
        Command::CheckNotebooks => Ok(host.notebooks()?.health().await),
        Command::ReleaseNotebooks => {
            host.notebooks()?.release().await;
            Ok(Value::Null)
        }
        Command::Resolve { path, side } => to_value(&host.resolve(&path, side).await?),
    }
}

/// Adds the main file's path, which is what most people want to know.
fn item_value(report: &ItemReport) -> Result<Value> {
    let mut value = to_value(report)?;
    value["path"] = to_value(&report.parts.first().map(|part| &part.path))?;
    Ok(value)
}

fn to_value<T: Serialize>(report: &T) -> Result<Value> {
    serde_json::to_value(report)
        .map_err(|error| Error::Storage { doing: "writing a report as JSON", source: Box::new(error) })
}
