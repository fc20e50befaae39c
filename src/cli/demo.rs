//! `demo`: an embedded Google, a demo account, a workspace and a daemon, all on this machine.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use directories::ProjectDirs;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::arguments::DemoArguments;
use super::demo_mail::MESSAGES;
use super::{Answer, client, failed, print, progress, serve};
use crate::config::{AccountConfig, Config, Endpoints, HOME_VARIABLE, Places, Secret, shell_word};
use crate::emulator::{self, DEFAULT_TOKEN, DEMO_ACCOUNT, Running};
use crate::error::Error;
use crate::tools::{Command, ErrorAnswer};

/// The documents of a demo without `--seed`, imported in the order of their names; in the binary, so that an installed program has them.
const DOCUMENTS: [(&str, &str); 3] = [
    ("1-meeting-notes.json", include_str!("../../fixtures/demo/meeting-notes.json")),
    ("2-project-plan.json", include_str!("../../fixtures/demo/project-plan.json")),
    ("3-many-tongues.json", include_str!("../../fixtures/demo/many-tongues.json")),
];

/// How often the demo asks for changes: a person who types in the page wants to see them.
const POLL_MS: u64 = 2000;
/// How long the daemon may take to answer its socket.
const START_WAIT: Duration = Duration::from_secs(20);
/// The pause between two looks whether it does.
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// What a demo remembers from start to start; the file also marks its home as a demo's.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Remembered {
    /// Where the embedded Google listened.
    listen: Option<SocketAddr>,
    /// What was fetched once, with its file. It is not fetched again: it may have been forgotten on purpose.
    fetched: Vec<(String, PathBuf)>,
}

/// Tells whether a home is a demo's.
pub(crate) fn is_demo(places: &Places) -> bool {
    memory_file(places).exists()
}

/// Runs until Ctrl-C.
pub(crate) async fn run(home: Option<&Path>, arguments: DemoArguments, json: bool) -> Answer<()> {
    serve::log_to_stderr();
    let home = demo_home(home)?;
    let places = Places::find(Some(&home)).map_err(failed)?;
    // Before anything is changed: a second demo must not move the first one's Google.
    if std::os::unix::net::UnixStream::connect(places.control_socket()).is_ok() {
        return Err(failed(Error::AlreadyRunning { path: places.run }));
    }
    let mut memory = prepare(&places)?;
    let mut google = start_google(&places, &arguments, memory.listen).await?;
    let mut ids = Vec::new();
    let has_own_world = arguments.seed.is_empty();
    for dir in seed_dirs(&places, arguments.seed)? {
        let seeded = google.import_seed_dir(&dir).map_err(failed)?;
        serve::tell_skipped(&dir, &seeded.skipped, json);
        ids.extend(seeded.ids);
    }
    if has_own_world {
        google.seed_notebooks().map_err(failed)?;
    }
    memory.listen = Some(google.addr());
    remember(&places, &memory)?;
    let config = write_config(&places, &google, arguments.token)?;

    // A daemon that is no child of a task would be dropped half-way by `select!`; this one is told and waited for.
    let url = google.url();
    let mut daemon = tokio::spawn(serve::run_daemon(places.clone(), config));
    let outcome = tokio::select! {
        ended = &mut daemon => return ended_early(ended),
        () = google.ended() => Err(ErrorAnswer::invalid("the embedded Google ended by itself", "See its log above.")),
        welcomed = welcome(&home, &places, &url, &ids, &mut memory, json) => welcomed,
    };
    if let Err(answer) = outcome {
        daemon.abort();
        return Err(answer);
    }
    // The daemon ends at Ctrl-C by itself; its Google goes after it, so that the last pushes still find it.
    let ended = daemon.await;
    google.shutdown().await;
    ended_early(ended)
}

/// Waits for the daemon, fetches what is new, and says what there is to try.
async fn welcome(
    home: &Path,
    places: &Places,
    url: &str,
    ids: &[String],
    memory: &mut Remembered,
    json: bool,
) -> Answer<()> {
    let socket = places.control_socket();
    let deadline = tokio::time::Instant::now() + START_WAIT;
    let status = loop {
        match client::ask(&socket, Command::Status).await {
            Ok(status) => break status,
            Err(answer) if tokio::time::Instant::now() >= deadline => return Err(answer),
            Err(_) => tokio::time::sleep(LOOK_PAUSE).await,
        }
    };
    let known: Vec<&String> = memory.fetched.iter().map(|(fetched, _)| fetched).collect();
    let missing: Vec<&String> = ids.iter().filter(|id| !known.contains(id)).collect();
    let bar = progress::steps(missing.len(), json);
    for id in missing {
        bar.set_message(id.clone());
        match client::ask(&socket, Command::Fetch { id: id.clone(), refresh: false }).await {
            Ok(report) => match report.get("path").and_then(Value::as_str) {
                Some(path) => memory.fetched.push((id.clone(), path.into())),
                None => tracing::warn!(id, "the document has no file"),
            },
            // One document that cannot be shown does not take the others away.
            Err(answer) => bar.suspend(|| print::error(&answer, json)),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    remember(places, memory)?;
    let shown = ids
        .iter()
        .filter_map(|id| memory.fetched.iter().find(|(fetched, _)| fetched == id))
        .find(|(_, path)| path.exists());
    let workspace = status.get("workspace").and_then(Value::as_str).unwrap_or_default();
    let program = serve::program()?;
    let connect =
        format!("claude mcp add mcp-workspace -- {} --home {} bridge", shell_word(&program), shell_word(home));
    let page = shown.map(|(id, _)| format!("{url}/document/d/{id}/edit"));
    if json {
        print::line(
            &json!({ "workspace": workspace, "file": shown.map(|(_, path)| path), "page": page, "google": url,
                     "connect": connect, "home": home })
            .to_string(),
        );
    } else {
        print::line(&format!("workspace  {workspace}"));
        if let (Some((_, path)), Some(page)) = (shown, &page) {
            print::line(&format!("edit       {}", path.display()));
            print::line(&format!("page       {page}"));
            print::line("           Save the file and reload the page; type in the page and look at the file.");
        }
        print::line(&format!("connect    {connect}"));
    }
    print::line("ready");
    Ok(())
}

/// The folder that was asked for, or one of its own: a demo never touches a real workspace.
fn demo_home(home: Option<&Path>) -> Answer<PathBuf> {
    if let Some(home) = home {
        return super::absolute(home);
    }
    if let Some(home) = std::env::var_os(HOME_VARIABLE).filter(|home| !home.is_empty()) {
        return super::absolute(Path::new(&home));
    }
    match ProjectDirs::from("", "", "mcp-workspace") {
        Some(usual) => Ok(usual.data_local_dir().join("demo")),
        None => Err(ErrorAnswer::invalid("this user has no home folder", "Set HOME, or use --home.")),
    }
}

/// Makes the folders and reads what an earlier demo left; refuses a home that is in real use.
fn prepare(places: &Places) -> Answer<Remembered> {
    for dir in [&places.workspace, &places.config, &places.state, &places.run] {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)
            .map_err(|source| failed(Error::Disk { path: dir.clone(), doing: "made", source }))?;
    }
    let file = memory_file(places);
    match fs::read(&file) {
        // A memory that cannot be read costs a second fetch and a new port, nothing more.
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            if places.config_file().exists() {
                return Err(ErrorAnswer::invalid(
                    "this home is in use and is no demo's",
                    "Give the demo a folder of its own with --home, or leave --home out.",
                ));
            }
            Ok(Remembered::default())
        }
        Err(source) => Err(failed(Error::Disk { path: file, doing: "read", source })),
    }
}

fn remember(places: &Places, memory: &Remembered) -> Answer<()> {
    let path = memory_file(places);
    let text = json!(memory).to_string();
    fs::write(&path, text).map_err(|source| failed(Error::Disk { path, doing: "written", source }))
}

fn memory_file(places: &Places) -> PathBuf {
    places.state.join("demo.json")
}

/// Starts the embedded Google where it was asked for, else where it listened last: the files hold its URLs.
async fn start_google(places: &Places, arguments: &DemoArguments, last: Option<SocketAddr>) -> Answer<Running> {
    let options = |listen| emulator::Options {
        listen,
        token: arguments.token.clone(),
        state_dir: Some(places.state.join("emulator")),
        ..emulator::Options::default()
    };
    if let Some(listen) = arguments.listen {
        return emulator::serve(options(listen)).await.map_err(failed);
    }
    if let Some(listen) = last
        && let Ok(google) = emulator::serve(options(listen)).await
    {
        return Ok(google);
    }
    emulator::serve(options(emulator::Options::default().listen)).await.map_err(failed)
}

/// The folders to import: those that were named, else one with the demo's own documents.
fn seed_dirs(places: &Places, named: Vec<PathBuf>) -> Answer<Vec<PathBuf>> {
    if !named.is_empty() {
        return Ok(named);
    }
    let dir = places.state.join("demo-documents");
    let disk = |source| failed(Error::Disk { path: dir.clone(), doing: "written", source });
    fs::create_dir_all(&dir).map_err(disk)?;
    let documents = DOCUMENTS.iter().map(|(name, text)| (*name, text.as_bytes()));
    for (name, bytes) in documents.chain(MESSAGES) {
        fs::write(dir.join(name), bytes).map_err(disk)?;
    }
    Ok(vec![dir])
}

/// Signs the demo account in: the bearer that the embedded Google takes for it, and where that is.
fn write_config(places: &Places, google: &Running, token: Option<String>) -> Answer<Config> {
    let file = places.config_file();
    let mut config = Config::read(&file).map_err(failed)?;
    let url = google.url();
    config.endpoints = Endpoints { docs: url.clone(), drive: url.clone(), gmail: None, token: url, accounts: None };
    config.accounts = vec![AccountConfig {
        mode: config.accounts.first().map(|account| account.mode).unwrap_or_default(),
        email: DEMO_ACCOUNT.into(),
        mail: true,
        token_file: None,
        oauth: None,
        bearer: Some(Secret::new(token.unwrap_or_else(|| DEFAULT_TOKEN.into()))),
    }];
    config.poll_ms.get_or_insert(POLL_MS);
    config.write(&file).map_err(failed)?;
    Ok(config)
}

fn ended_early(ended: Result<crate::error::Result<()>, tokio::task::JoinError>) -> Answer<()> {
    match ended {
        Ok(result) => result.map_err(failed),
        Err(error) => Err(failed(Error::Storage { doing: "running the daemon", source: Box::new(error) })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_documents_are_raw_documents() {
        for (name, text) in DOCUMENTS {
            let document: Value = serde_json::from_str(text).unwrap();
            assert!(document["documentId"].is_string() && document["tabs"].is_array(), "{name}");
        }
    }
}
