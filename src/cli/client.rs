//! Asks the running daemon over the control socket.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

use crate::error::{Error, ErrorKind};
use crate::tools::{
    AnswerProgress, CONTROL_VERSION, Command, ControlOutcome, ControlReply, ControlRequest, ErrorAnswer,
    connect_is_mine, read_line,
};

/// The longest a command may take: a push of a document that others are typing in is tried again for two minutes.
const ANSWER_WAIT: Duration = Duration::from_secs(300);

/// Sends one command and returns the daemon's report.
///
/// # Errors
///
/// The daemon's own error, or one that says that no daemon answers.
pub(crate) async fn ask(socket: &Path, command: Command) -> Result<Value, ErrorAnswer> {
    hear(socket, command, &mut |_progress| {}).await
}

/// As [`ask`]; `told` hears how far it is.
///
/// # Errors
///
/// As [`ask`].
pub(crate) async fn hear(
    socket: &Path,
    command: Command,
    told: &mut dyn FnMut(AnswerProgress),
) -> Result<Value, ErrorAnswer> {
    let not_running = |_| ErrorAnswer::from(&Error::NotRunning { path: socket.into() });
    let stream = UnixStream::connect(socket).await.map_err(not_running)?;
    if !connect_is_mine(&stream) {
        let reason = "another user's process answers there".into();
        return Err(ErrorAnswer::from(&Error::Unsafe { path: socket.into(), reason }));
    }
    let (what, suggestion) = unanswered(&command);
    let broke = |source: std::io::Error| {
        let message = format!("the daemon gave no answer, so nobody knows {what}: {source}");
        ErrorAnswer::from(&Error::Told { kind: ErrorKind::Daemon, message, suggestion: suggestion.into() })
    };
    let (read, mut write) = stream.into_split();
    let request = ControlRequest { version: CONTROL_VERSION, command };
    let mut line = serde_json::to_vec(&request).map_err(|error| broke(error.into()))?;
    line.push(b'\n');
    write.write_all(&line).await.map_err(broke)?;
    let mut reader = BufReader::new(read);
    let heard = async {
        loop {
            if !read_line(&mut reader, &mut line).await? {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let reply: ControlReply = serde_json::from_slice(&line)?;
            match reply.outcome {
                ControlOutcome::Progress(progress) => told(progress),
                ControlOutcome::Ok(value) => return Ok(Ok(value)),
                ControlOutcome::Error(answer) => return Ok(Err(answer)),
            }
        }
    };
    let heard = tokio::time::timeout(ANSWER_WAIT, heard).await;
    heard.unwrap_or_else(|_elapsed| Err(std::io::ErrorKind::TimedOut.into())).map_err(broke)?
}

/// What nobody knows of a command that had no answer, and what to do.
const fn unanswered(command: &Command) -> (&'static str, &'static str) {
    match command {
        Command::Create { .. } => (
            "whether the document was made",
            "Start the daemon: `mcp-workspace status` tells where its text is kept if making it had begun, and `mcp-workspace log` \
             shows it if it was made.",
        ),
        Command::Ask { .. } => (
            "whether the question was asked",
            "Look at the notebook's conversation in NotebookLM before you ask once more: each question counts.",
        ),
        Command::Comment { .. } => (
            "whether the comment was answered",
            "Start the daemon and read the comments file before you answer once more.",
        ),
        Command::Fetch { .. }
        | Command::Search { .. }
        | Command::Forget { .. }
        | Command::AddRule { .. }
        | Command::EndRule { .. }
        | Command::Rules
        | Command::Status
        | Command::Diff { .. }
        | Command::Push { .. }
        | Command::Restore { .. }
        | Command::Link { .. }
        | Command::Pause { .. }
        | Command::Resume { .. }
        | Command::Log { .. }
        | Command::Undo { .. }
        | Command::Trash { .. }
        | Command::Doctor { .. }
        | Command::CheckNotebooks
        | Command::ReleaseNotebooks
        | Command::Resolve { .. } => (
            "what came of it",
            "Start the daemon: it finds what it had begun, and `mcp-workspace status` tells how that stands.",
        ),
    }
}
