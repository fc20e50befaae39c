//! The door: arguments in, exit code out.

mod arguments;
mod asking;
mod auth;
mod client;
mod config_file;
mod configuring;
mod demo;
mod demo_mail;
mod doctor;
mod extracting;
mod manual;
mod mcp;
mod notebooks;
mod print;
mod progress;
mod serve;
mod service;
mod stdio;
mod watching;

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser as _;
use serde_json::Value;

use crate::config::Places;
use crate::error::Error;
use crate::model::{Account, Rule};
use crate::tools::{Command, CommentAct, ErrorAnswer, Search, Side};
use arguments::{Arguments, RulesVerb, Verb};

/// Done.
const DONE: u8 = 0;
/// It did not work.
const FAILED: u8 = 1;
/// The command line is wrong.
const MISUSED: u8 = 2;

/// The longest text that becomes a new document.
const TEXT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// What a command answers when it does not work.
type Answer<T> = Result<T, ErrorAnswer>;

/// Runs one command line, program name first, and returns its exit code: 0 done, 1 it did not work, 2 the command line
/// is wrong.
#[must_use]
pub fn run(line: Vec<OsString>) -> ExitCode {
    // What a client reads on stdout is MCP or nothing.
    let json = line.iter().any(|argument| argument == "--json") && !speaks_mcp(&line);
    match Arguments::try_parse_from(line) {
        Ok(arguments) => match perform(arguments) {
            Ok(Outcome::Done) => ExitCode::from(DONE),
            Ok(Outcome::Waits) => ExitCode::from(FAILED),
            Err(answer) => {
                print::error(&answer, json);
                ExitCode::from(FAILED)
            }
        },
        Err(error) if error.use_stderr() && json => {
            let text = error.render().to_string();
            // Of several lines those of the error come first, as of what is missing; then how it is used.
            let told = text
                .lines()
                .take_while(|line| !line.starts_with("Usage:"))
                .map(str::trim)
                .filter(|line| !line.is_empty());
            let what = told.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned();
            print::error(&ErrorAnswer::invalid(what, "See `mcp-workspace --help`."), true);
            ExitCode::from(MISUSED)
        }
        Err(error) => {
            let code = if error.use_stderr() { MISUSED } else { DONE };
            if error.print().is_err() {
                tracing::debug!("nobody reads the help");
            }
            ExitCode::from(code)
        }
    }
}

/// Tells whether a command line, right or wrong, is one whose stdout an MCP client reads.
fn speaks_mcp(line: &[OsString]) -> bool {
    let mut words = line.iter().skip(1);
    while let Some(word) = words.next() {
        if word == "--home" {
            words.next();
        } else if !word.as_encoded_bytes().starts_with(b"-") {
            return word == "bridge" || word == "serve";
        }
    }
    false
}

/// What became of a command that was carried out.
enum Outcome {
    /// All of it was done.
    Done,
    /// A part of what was asked for waits for a person, and was told.
    Waits,
}

/// What a command that asks no daemon has to tell: for programs, and in lines for people.
struct Report {
    value: Value,
    lines: Vec<String>,
    /// Whether something of it waits for a person.
    waits: bool,
}

impl Report {
    /// Tells it.
    fn tell(&self, json: bool) -> Outcome {
        if json {
            print::line(&self.value.to_string());
        } else {
            self.lines.iter().for_each(|line| print::line(line));
        }
        if self.waits { Outcome::Waits } else { Outcome::Done }
    }
}

fn perform(arguments: Arguments) -> Answer<Outcome> {
    let done = |()| Outcome::Done;
    let json = arguments.json;
    let home = arguments.home;
    let command = match arguments.command {
        Verb::Demo(demo) => {
            return runtime(Threads::Several)?.block_on(demo::run(home.as_deref(), demo, json)).map(done);
        }
        Verb::Emulator(emulator) => {
            return runtime(Threads::Several)?.block_on(serve::emulator(emulator, json)).map(done);
        }
        Verb::Extract => return extracting::run().map(done),
        Verb::Daemon => return runtime(Threads::Several)?.block_on(serve::daemon(find(home.as_deref())?)).map(done),
        Verb::Bridge { profile } => {
            let runtime = runtime(Threads::One)?;
            let result = runtime.block_on(serve::bridge(home.as_deref(), find(home.as_deref()), profile));
            // A thread may hang in reading stdin; nobody waits for it.
            runtime.shutdown_background();
            return result.map(done);
        }
        Verb::Serve { stdio: _, profile } => {
            let runtime = runtime(Threads::Several)?;
            let result = runtime.block_on(stdio::serve(find(home.as_deref()), profile));
            runtime.shutdown_background();
            return result.map(done);
        }
        Verb::Help { topic } => return manual::help(&topic).map(done),
        Verb::Completions { shell } => {
            manual::completions(shell);
            return Ok(Outcome::Done);
        }
        Verb::Man { folder } => return manual::pages(&folder).map(done),
        Verb::Notebooks(verb) => return notebooks::perform(&verb, &find(home.as_deref())?, json),
        Verb::Config(verb) => return configuring::perform(&verb, &find(home.as_deref())?, json),
        Verb::Auth(verb) => return auth::perform(verb, &find(home.as_deref())?, json),
        Verb::Mcp(verb) => return mcp::perform(&verb, &find(home.as_deref())?, json),
        Verb::Service(verb) => return service::perform(&verb, &find(home.as_deref())?, json),
        Verb::Fetch { id, refresh } => Command::Fetch { id: named(&id)?, refresh },
        Verb::Search { query, limit, kinds, account, remote } => Command::Search(Search {
            query: query.join(" "),
            kinds,
            account: account.map(Account),
            remote,
            limit: limit.into(),
            offset: 0,
        }),
        Verb::Create { title, file } => Command::Create { title, text: text_of(file.as_deref())? },
        Verb::Forget { id } => Command::Forget { id: named(&id)? },
        Verb::Rules { verb: None } => Command::Rules,
        Verb::Rules { verb: Some(RulesVerb::Add { query, label, since, max, account }) } => Command::AddRule {
            rule: Rule { query: query.join(" "), label, since, max: max.and_then(|max| usize::try_from(max).ok()) },
            account: account.map(Account),
        },
        Verb::Rules { verb: Some(RulesVerb::End { number, account }) } => {
            Command::EndRule { number, account: account.map(Account) }
        }
        Verb::Status { watch: true } => {
            let places = find(home.as_deref())?;
            let watched = runtime(Threads::One)?.block_on(watching::status(&places.control_socket(), json));
            return watched.map(done).map_err(|answer| with_how_to_start(answer, &places));
        }
        Verb::Status { watch: false } => Command::Status,
        Verb::Doctor { repair, remote } => {
            let places = find(home.as_deref())?;
            return runtime(Threads::One)?.block_on(doctor::perform(&places, repair, remote.into(), json));
        }
        Verb::Diff { file } => Command::Diff { path: absolute(&file)? },
        Verb::Push { file, dry_run, accept } => Command::Push { path: absolute(&file)?, accept, dry_run },
        Verb::Restore { id } => Command::Restore { id: named(&id)? },
        Verb::Link { item, folder } => Command::Link { id: named(&item)?, folder: absolute(&folder)? },
        Verb::Comment { file, reply, resolve, reopen } => {
            let (thread, act) = comment(reply, resolve, reopen);
            Command::Comment { path: absolute(&file)?, thread, act }
        }
        Verb::Log { item, limit } => {
            Command::Log { id: item.map(|item| named(&item)).transpose()?, limit: limit.into() }
        }
        Verb::Ask(ask) => return asking::perform(&find(home.as_deref())?, ask, json).map(done),
        Verb::Undo { push, account } => Command::Undo { push, account: account.map(Account) },
        Verb::Trash { item } => Command::Trash { id: named(&item)? },
        Verb::Pause { account } => Command::Pause { account: account.map(Account) },
        Verb::Resume { account } => Command::Resume { account: account.map(Account) },
        Verb::Resolve { file, mine, theirs: _ } => {
            Command::Resolve { path: absolute(&file)?, side: if mine { Side::Mine } else { Side::Theirs } }
        }
    };
    let places = find(home.as_deref())?;
    let socket = places.control_socket();
    let asked = runtime(Threads::One)?.block_on(async {
        tokio::select! {
            biased;
            answer = client::ask(&socket, command.clone()) => answer,
            never = progress::show(&socket, &command, json) => match never {},
        }
    });
    let value = asked.map_err(|answer| with_how_to_start(answer, &places))?;
    print::report(&command, &value, json);
    let pushed =
        matches!(command, Command::Push { dry_run: false, .. } | Command::Resolve { .. } | Command::Undo { .. });
    let waits = value.get("waits").and_then(Value::as_bool) == Some(true);
    Ok(if pushed && waits { Outcome::Waits } else { Outcome::Done })
}

/// Returns which comment is meant, and what is done with it; just one of the three is given.
fn comment(reply: Option<Vec<String>>, resolve: Option<String>, reopen: Option<String>) -> (String, CommentAct) {
    match (reply.map(Vec::into_iter), resolve, reopen) {
        (Some(mut words), _, _) => {
            (words.next().unwrap_or_default(), CommentAct::Reply(words.next().unwrap_or_default()))
        }
        (None, Some(thread), _) => (thread, CommentAct::Resolve),
        (None, None, thread) => (thread.unwrap_or_default(), CommentAct::Reopen),
    }
}

/// Says how to start the daemon where none answers.
fn with_how_to_start(answer: ErrorAnswer, places: &Places) -> ErrorAnswer {
    match answer.kind.as_str() {
        "daemon" => ErrorAnswer { suggestion: serve::how_to_start(places), ..answer },
        _ => answer,
    }
}

/// Turns what went wrong into the answer that a person or a program reads.
#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
fn failed(error: Error) -> ErrorAnswer {
    ErrorAnswer::from(&error)
}

fn find(home: Option<&Path>) -> Answer<Places> {
    Places::find(home).map_err(failed)
}

/// How many threads work.
#[derive(Debug, Clone, Copy)]
enum Threads {
    /// The one we are in.
    One,
    /// Two more: one thing may be slow while another goes on.
    Several,
}

fn runtime(threads: Threads) -> Answer<tokio::runtime::Runtime> {
    let mut builder = match threads {
        Threads::One => tokio::runtime::Builder::new_current_thread(),
        Threads::Several => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.enable_all().worker_threads(2).build().map_err(|source| {
        ErrorAnswer::from(&Error::Storage { doing: "starting the threads", source: Box::new(source) })
    })
}

/// Returns an id or a URL as it is, and the name of a file, which may be gone, as a path that the daemon understands. A folder is
/// none: that of a document's pictures has its id for a name. Nor is every `.md`: the address of a message may end so.
fn named(item: &str) -> Answer<String> {
    let path = Path::new(item);
    let is_file = || path.symlink_metadata().is_ok_and(|data| !data.is_dir());
    let was_file = || item.ends_with(".md") && (item.contains('/') || !item.contains('@'));
    if !item.contains("://") && (is_file() || was_file()) {
        absolute(path).map(|path| path.display().to_string())
    } else {
        Ok(item.to_owned())
    }
}

/// Returns a path as text, which is all that a config file of another program can hold.
fn utf8(path: &Path) -> Answer<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let what = format!("the path {} is not UTF-8 text, and a config file can hold nothing else", path.display());
        ErrorAnswer::invalid(what, "Use a path that is.")
    })
}

/// Makes a path absolute without following links: the daemon works in another folder.
fn absolute(file: &Path) -> Answer<PathBuf> {
    std::path::absolute(file)
        .map_err(|source| ErrorAnswer::from(&Error::Disk { path: file.into(), doing: "found", source }))
}

/// Reads the text of a new document: from a file, from stdin for `-`, or none.
fn text_of(file: Option<&Path>) -> Answer<String> {
    let Some(file) = file else { return Ok(String::new()) };
    let disk = |source| ErrorAnswer::from(&Error::Disk { path: file.into(), doing: "read", source });
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().lock().take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(disk)?;
    } else {
        std::fs::File::open(file)
            .and_then(|file| file.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes))
            .map_err(disk)?;
    }
    if u64::try_from(bytes.len()).is_ok_and(|length| length > TEXT_BYTES_MAX) {
        return Err(ErrorAnswer::invalid("the text is longer than 4 MiB", "Make several documents of it."));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        ErrorAnswer::invalid(format!("{} is not UTF-8 text (byte {at})", file.display()), "Save it as UTF-8.")
    })
}
