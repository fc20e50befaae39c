//! The world on disk: one file for each document, replaced whole.
//!
//! The change feed needs no file of its own: a file's version is its place in the feed.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::notebooks::Notebooks;
use super::oauth::Tokens;
use super::state::{File, World, usable_id};
use crate::error::{Error, Result};

/// The folder that keeps a world.
pub(super) struct Store {
    documents: PathBuf,
    bytes: PathBuf,
    tokens: PathBuf,
    notebooks: PathBuf,
}

impl Store {
    /// Opens or makes the folder.
    pub(super) fn open(dir: &Path) -> Result<Self> {
        let documents = dir.join("documents");
        fs::create_dir_all(&documents).map_err(|source| disk(&documents, "made", source))?;
        let bytes = dir.join("bytes");
        fs::create_dir_all(&bytes).map_err(|source| disk(&bytes, "made", source))?;
        Ok(Self { documents, bytes, tokens: dir.join("tokens.json"), notebooks: dir.join("notebooks.json") })
    }

    /// Writes bytes under their key, unless they stand there.
    pub(super) fn write_bytes(&self, key: &str, bytes: &[u8]) -> Result<()> {
        let path = self.bytes.join(key);
        if path.exists() {
            return Ok(());
        }
        replace_bytes(&path, bytes)
    }

    /// Reads bytes by their key.
    pub(super) fn read_bytes(&self, key: &str) -> Option<Vec<u8>> {
        usable_id(key).then(|| fs::read(self.bytes.join(key)).ok())?
    }

    /// Reads all documents. A file that cannot be read is an error: starting without it would lose it.
    pub(super) fn load(&self) -> Result<World> {
        let mut world = World::default();
        for entry in fs::read_dir(&self.documents).map_err(|source| disk(&self.documents, "read", source))? {
            let path = entry.map_err(|source| disk(&self.documents, "read", source))?.path();
            // Only our own names: a temporary file of a killed process has another ending.
            if path.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let bytes = fs::read(&path).map_err(|source| disk(&path, "read", source))?;
            let file: File = serde_json::from_slice(&bytes).map_err(|error| disk(&path, "read", error.into()))?;
            world.version = world.version.max(file.version);
            world.files.insert(file.document.document_id.clone(), file);
        }
        Ok(world)
    }

    /// Writes one document.
    pub(super) fn write(&self, file: &File) -> Result<()> {
        let id = &file.document.document_id;
        if !usable_id(id) {
            return Err(disk(&self.documents.join("?"), "written", std::io::ErrorKind::InvalidInput.into()));
        }
        replace(&self.documents.join(format!("{id}.json")), file)
    }

    /// Reads what is known of tokens.
    pub(super) fn load_tokens(&self) -> Result<Tokens> {
        match fs::read(&self.tokens) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| disk(&self.tokens, "read", error.into())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Tokens::default()),
            Err(source) => Err(disk(&self.tokens, "read", source)),
        }
    }

    /// Reads the notebooks, if any were kept.
    pub(super) fn load_notebooks(&self) -> Result<Option<Notebooks>> {
        match fs::read(&self.notebooks) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| disk(&self.notebooks, "read", error.into())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(disk(&self.notebooks, "read", source)),
        }
    }

    /// Writes the notebooks.
    pub(super) fn write_notebooks(&self, notebooks: &Notebooks) -> Result<()> {
        replace(&self.notebooks, notebooks)
    }

    /// Writes what is known of tokens.
    pub(super) fn write_tokens(&self, tokens: &Tokens) -> Result<()> {
        replace(&self.tokens, tokens)
    }
}

/// Replaces a file: temporary file, fsync, rename, fsync of the folder.
fn replace(path: &Path, value: &impl Serialize) -> Result<()> {
    let bytes = serde_json::to_vec(value).map_err(|error| disk(path, "written", error.into()))?;
    replace_bytes(path, &bytes)
}

fn replace_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |source| disk(path, "written", source);
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut temp = tempfile::Builder::new().suffix(".tmp").tempfile_in(dir).map_err(failed)?;
    temp.write_all(bytes).map_err(failed)?;
    temp.as_file().sync_all().map_err(failed)?;
    temp.persist(path).map_err(|error| failed(error.error))?;
    fs::File::open(dir).and_then(|dir| dir.sync_all()).map_err(failed)
}

/// Returns an error of the file system.
fn disk(path: &Path, doing: &'static str, source: std::io::Error) -> Error {
    Error::Disk { path: path.to_owned(), doing, source }
}
