//! Recorded documents and mail as the first content of a world.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::gmail;
use super::state::{Google, usable_id};
use crate::error::{Error, Result};

/// Bytes that a seed file may have.
const SEED_BYTES: u64 = 64 << 20;

/// Files that a seed folder may have.
const SEED_FILES: usize = 10_000;

/// What a seed folder gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seeded {
    /// The ids of its documents, in the order of the files' names.
    pub ids: Vec<String>,
    /// The ids of its threads of mail, each once.
    pub threads: Vec<String>,
    /// The files that were skipped, each with the reason.
    pub skipped: Vec<(String, String)>,
}

/// Imports a folder; see [`super::Running::import_seed_dir`].
pub(super) fn import_dir(google: &Google, dir: &Path) -> Result<Seeded> {
    let failed = |source| Error::Disk { path: dir.to_owned(), doing: "read", source };
    let mut paths = fs::read_dir(dir)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(failed)?;
    paths.sort();
    let mut seeded = Seeded::default();
    for (count, path) in paths.iter().enumerate() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let outcome = if count < SEED_FILES { import_file(google, path) } else { Ok(Err("too many files".into())) };
        match outcome? {
            Ok(Taken::Document(id)) => seeded.ids.push(id),
            Ok(Taken::Thread(id)) if seeded.threads.contains(&id) => {}
            Ok(Taken::Thread(id)) => seeded.threads.push(id),
            Err(reason) => seeded.skipped.push((name, reason)),
        }
    }
    Ok(seeded)
}

/// What a file became.
enum Taken {
    /// A document.
    Document(String),
    /// A thread of mail, or a message of one.
    Thread(String),
}

/// Imports one file; the inner error is the reason why it is skipped.
fn import_file(google: &Google, path: &Path) -> Result<Result<Taken, String>> {
    let is_mail = path.extension().is_some_and(|ending| ending == "eml");
    if !is_mail && path.extension().is_none_or(|ending| ending != "json") {
        return Ok(Err("neither a .json nor an .eml file".into()));
    }
    let meta = match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => return Ok(Err("not a file".into())),
        Ok(meta) if meta.len() > SEED_BYTES => return Ok(Err(format!("larger than {SEED_BYTES} bytes"))),
        Ok(meta) => meta,
        Err(error) => return Ok(Err(error.to_string())),
    };
    debug_assert!(meta.is_file(), "anything else was skipped");
    if is_mail {
        return match fs::read(path) {
            Ok(bytes) => Ok(gmail::take_in_message(google, &bytes)?.map(Taken::Thread)),
            Err(error) => Ok(Err(error.to_string())),
        };
    }
    let value: Value = match fs::read(path).map(|bytes| serde_json::from_slice(&bytes)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => return Ok(Err(format!("not JSON: {error}"))),
        Err(error) => return Ok(Err(error.to_string())),
    };
    if gmail::is_recording(&value) {
        return Ok(gmail::take_in_recording(google, &value)?.map(Taken::Thread));
    }
    let Some(id) = value.get("documentId").and_then(Value::as_str).filter(|id| usable_id(id)).map(str::to_owned) else {
        return Ok(Err(
            "neither a raw Document, which has a `documentId`, nor a thread of mail with its payloads".into()
        ));
    };
    if google.world().files.contains_key(&id) {
        return Ok(Ok(Taken::Document(id)));
    }
    match google.import(value) {
        Ok(id) => Ok(Ok(Taken::Document(id))),
        Err(Error::InvalidInput { what, .. }) => Ok(Err(what)),
        Err(error) => Err(error),
    }
}
