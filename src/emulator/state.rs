//! The world of the embedded Google: its documents with their Drive metadata, behind one lock.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::{Answer, Call};
use super::clock;
use super::errors::{self, Envelope};
use super::export;
use super::faults::Fault;
use super::gmail::Mail;
use super::notebooks::{Notebooks, Reply};
use super::oauth::Tokens;
use super::persist::Store;
use super::{DEFAULT_TOKEN, Options};
use crate::error::{Error, Result};
use crate::gdocs::{self, Document, PostAuthor, Setting, Ticks};

/// The type of a Doc in Drive.
pub(super) const DOCUMENT_TYPE: &str = "application/vnd.google-apps.document";

/// What the demo account may do with a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    /// Everything; the file is its own.
    #[default]
    Owner,
    /// Read and edit.
    Writer,
    /// Read and comment.
    Commenter,
    /// Read.
    Reader,
    /// Nothing: the file is hidden from it.
    None,
}

impl Role {
    /// Tells whether the account may edit.
    pub(super) const fn can_edit(self) -> bool {
        match self {
            Self::Owner | Self::Writer => true,
            Self::Commenter | Self::Reader | Self::None => false,
        }
    }

    /// Tells whether the account may see comments and suggestions, and comment.
    pub(super) const fn can_comment(self) -> bool {
        match self {
            Self::Owner | Self::Writer | Self::Commenter => true,
            Self::Reader | Self::None => false,
        }
    }
}

/// One Doc with its Drive metadata.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct File {
    /// When it was made, in milliseconds since the epoch.
    pub(super) created_ms: i64,
    /// When it was last changed.
    pub(super) modified_ms: i64,
    /// Drive's version, which is also its place in the change feed: unique over all files, and growing.
    pub(super) version: u64,
    /// Whether it is in the trash.
    #[serde(default)]
    pub(super) trashed: bool,
    /// Whether it was deleted for good; it then only lives on in the change feed.
    #[serde(default)]
    pub(super) deleted: bool,
    /// What the demo account may do.
    #[serde(default)]
    pub(super) role: Role,
    /// The document; its revision is that of the last change. Of a file that is no Doc it holds the id and the name.
    pub(super) document: Document,
    /// Set for a file that is no Doc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) blob: Option<Blob>,
    /// Whether everybody may read it who has the link.
    #[serde(default)]
    pub(super) public: bool,
    /// The folder that it is in; none for that of the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<String>,
    /// The ticked boxes of its checklists, for which a Document has no field.
    #[serde(default, skip_serializing_if = "Ticks::is_empty")]
    pub(super) ticks: Ticks,
}

/// What a file holds that is no Doc.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Blob {
    /// Its media type.
    pub(super) media_type: String,
    /// The key of its bytes.
    pub(super) key: String,
    /// Count of its bytes.
    pub(super) size: usize,
    /// Their MD5, in hexadecimal digits.
    #[serde(default)]
    pub(super) md5: String,
}

impl File {
    /// Returns a new file of the demo account's own that was never put in.
    pub(super) fn new(document: Document, blob: Option<Blob>, now_ms: i64) -> Self {
        Self {
            created_ms: now_ms,
            modified_ms: now_ms,
            version: 0,
            trashed: false,
            deleted: false,
            role: Role::Owner,
            document,
            blob,
            public: false,
            parent: None,
            ticks: Ticks::default(),
        }
    }

    /// Tells whether the demo account sees it.
    pub(super) fn visible(&self) -> bool {
        !self.deleted && self.role != Role::None
    }

    /// Returns its type in Drive.
    pub(super) fn media_type(&self) -> &str {
        self.blob.as_ref().map_or(DOCUMENT_TYPE, |blob| &blob.media_type)
    }
}

/// All files.
#[derive(Debug, Default)]
pub(super) struct World {
    /// Files by id, the deleted ones too.
    pub(super) files: BTreeMap<String, File>,
    /// The newest version given to any file.
    pub(super) version: u64,
}

impl World {
    /// Returns a file that the demo account sees.
    pub(super) fn visible(&self, id: &str) -> Option<&File> {
        self.files.get(id).filter(|file| file.visible())
    }

    /// Returns a Doc that the demo account sees.
    pub(super) fn doc(&self, id: &str) -> std::result::Result<&File, Answer> {
        let file = self.visible(id).ok_or_else(errors::not_found)?;
        if file.blob.is_some() {
            return Err(errors::aip(400, "FAILED_PRECONDITION", "This operation is not supported for this document"));
        }
        Ok(file)
    }
}

/// One entry of the request log.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Logged {
    /// The method.
    pub(super) method: String,
    /// The path with its query.
    pub(super) path: String,
    /// The body when it was JSON, else null; never that of a token request.
    pub(super) body: Value,
    /// The HTTP status; 0 when the connection was cut before anything was carried out.
    pub(super) status: u16,
    /// When it arrived, RFC 3339 in UTC with milliseconds.
    pub(super) at: String,
}

/// Entries that the request log keeps; the oldest go first.
const LOG_ENTRIES: usize = 10_000;

/// Bytes of a request body that the log keeps; a longer one is logged as null.
const LOG_BODY_BYTES: usize = 1 << 20;

/// The embedded Google.
pub(super) struct Google {
    token: String,
    pub(super) token_lifetime: Duration,
    store: Option<Store>,
    /// Bytes of pictures and files by their hash; a world on disk keeps them there instead.
    bytes: Mutex<BTreeMap<String, Arc<Vec<u8>>>>,
    /// Counts the ids that were made ahead.
    reserved: AtomicU64,
    /// Counts what must be another one each time, such as the ids of attachments.
    pub(super) chance: AtomicU64,
    pub(super) mail: Mutex<Mail>,
    pub(super) notebooks: Mutex<Notebooks>,
    /// The version of the world of which the notebooks know the documents.
    notebooks_know: AtomicU64,
    world: Mutex<World>,
    pub(super) tokens: Mutex<Tokens>,
    pub(super) faults: Mutex<Vec<Fault>>,
    pub(super) log: Mutex<VecDeque<Logged>>,
    /// Makes ids and revisions of this run different from those of any other.
    salt: [u8; 16],
}

impl fmt::Debug for Google {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Google").finish_non_exhaustive()
    }
}

/// Locks, also after a panic elsewhere: every change is made whole on a copy before it is put in.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Google {
    /// Opens the world that the options name, or an empty one.
    pub(super) fn open(options: Options) -> Result<Self> {
        let store = options.state_dir.as_deref().map(Store::open).transpose()?;
        let world = store.as_ref().map(Store::load).transpose()?.unwrap_or_default();
        let tokens = store.as_ref().map(Store::load_tokens).transpose()?.unwrap_or_default();
        let faults = options.faults.into_iter().map(Fault::read).collect::<Result<Vec<_>>>()?;
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(|source| Error::Storage {
            doing: "drawing chance for the embedded Google",
            source: source.to_string().into(),
        })?;
        let notebooks = store.as_ref().map(Store::load_notebooks).transpose()?.flatten();
        Ok(Self {
            token: options.token.unwrap_or_else(|| DEFAULT_TOKEN.into()),
            token_lifetime: options.token_lifetime,
            store,
            bytes: Mutex::default(),
            reserved: AtomicU64::new(0),
            chance: AtomicU64::new(0),
            notebooks_know: AtomicU64::new(0),
            notebooks: Mutex::new(notebooks.unwrap_or_else(|| Notebooks::new(salt))),
            mail: Mutex::new(Mail::open(options.state_dir.as_deref())?),
            world: Mutex::new(world),
            tokens: Mutex::new(tokens),
            faults: Mutex::new(faults),
            log: Mutex::new(VecDeque::new()),
            salt,
        })
    }

    /// Has NotebookLM answer a call; it knows the documents as they are.
    pub(super) fn notebook(&self, call: &Call) -> Result<Reply> {
        let (version, documents) = self.changed_documents(self.notebooks_know.load(Ordering::Acquire));
        self.change_notebooks(|notebooks| {
            for (id, title, text) in documents {
                notebooks.set_drive_file(&id, &title, DOCUMENT_TYPE, &text);
            }
            self.notebooks_know.fetch_max(version, Ordering::AcqRel);
            notebooks.answer(clock::now_ms(), call)
        })
    }

    /// Returns the version of the world, and of each document that changed after another version its id, its title and its text.
    fn changed_documents(&self, after: u64) -> (u64, Vec<(String, String, String)>) {
        let world = self.world();
        let changed = |file: &&File| file.version > after && file.blob.is_none() && file.visible() && !file.trashed;
        let read = |file: &File| {
            // A source has no pictures.
            let text = export::markdown(file, |_| None);
            (file.document.document_id.clone(), file.document.title.clone(), text)
        };
        (world.version, world.files.values().filter(changed).map(read).collect())
    }

    /// Does something with the notebooks, and keeps them if that changed them.
    pub(super) fn change_notebooks<T>(&self, act: impl FnOnce(&mut Notebooks) -> T) -> Result<T> {
        let mut notebooks = lock(&self.notebooks);
        let before = notebooks.changes();
        let done = act(&mut notebooks);
        if let (true, Some(store)) = (notebooks.changes() != before, &self.store) {
            store.write_notebooks(&notebooks)?;
        }
        Ok(done)
    }

    /// Locks the world.
    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    /// Checks the bearer of a call.
    pub(super) fn authorize(&self, call: &Call, envelope: Envelope) -> std::result::Result<(), Answer> {
        match call.bearer.as_deref() {
            None => Err(errors::unauthenticated(envelope, false)),
            Some(token) if token == self.token => Ok(()),
            Some(token) if lock(&self.tokens).accepts(token, clock::now_ms()) => Ok(()),
            Some(_) => Err(errors::unauthenticated(envelope, true)),
        }
    }

    /// Puts a changed file in: gives it the next version and, when its content changed, a new revision; keeps it on
    /// disk first, so that what was answered survives a kill.
    pub(super) fn put(&self, world: &mut World, mut file: File, content_changed: bool) -> Result<()> {
        let version = world.version + 1;
        file.version = version;
        if content_changed {
            file.modified_ms = clock::now_ms();
            file.document.revision_id = Some(self.opaque("revision", &file.document.document_id, version));
        }
        if let Some(store) = &self.store {
            store.write(&file)?;
        }
        world.version = version;
        world.files.insert(file.document.document_id.clone(), file);
        Ok(())
    }

    /// Keeps bytes and returns their key.
    pub(super) fn keep_bytes(&self, bytes: Vec<u8>) -> Result<String> {
        let key = blake3::hash(&bytes).to_hex().to_string();
        match &self.store {
            Some(store) => store.write_bytes(&key, &bytes)?,
            None => drop(lock(&self.bytes).insert(key.clone(), Arc::new(bytes))),
        }
        Ok(key)
    }

    /// Returns bytes by their key.
    pub(super) fn bytes(&self, key: &str) -> Option<Arc<Vec<u8>>> {
        match &self.store {
            Some(store) => store.read_bytes(key).map(Arc::new),
            None => lock(&self.bytes).get(key).cloned(),
        }
    }

    /// Returns an id like Drive's for a file to come.
    pub(super) fn reserve_id(&self) -> String {
        let number = self.reserved.fetch_add(1, Ordering::Relaxed);
        format!("1{}", self.letters("reserved", "", number, 32))
    }

    /// Keeps the tokens.
    pub(super) fn keep_tokens(&self, tokens: &Tokens) -> Result<()> {
        self.store.as_ref().map_or(Ok(()), |store| store.write_tokens(tokens))
    }

    /// Imports a raw Document; see [`super::Running::import`].
    pub(super) fn import(&self, value: Value) -> Result<String> {
        if value.get("tabs").and_then(Value::as_array).is_none_or(Vec::is_empty) {
            return Err(bad_document("it has no `tabs`, as an answer with includeTabsContent=true has"));
        }
        let mut document: Document = serde_json::from_value(value).map_err(|error| bad_document(&error.to_string()))?;
        if document.tabs.iter().all(|tab| tab.document_tab.is_none()) {
            return Err(bad_document("none of its tabs has a `documentTab`"));
        }
        self.take_in_images(&mut document)?;
        let mut world = self.world();
        if !usable_id(&document.document_id) || world.files.contains_key(&document.document_id) {
            document.document_id = self.fresh_id(&world);
        }
        let id = document.document_id.clone();
        let file = File::new(document, None, clock::now_ms());
        self.put(&mut world, file, true)?;
        Ok(id)
    }

    /// Makes an empty document and returns its file.
    pub(super) fn create(&self, title: &str) -> Result<File> {
        let mut world = self.world();
        let id = self.fresh_id(&world);
        let file = File::new(gdocs::new_document(&id, title), None, clock::now_ms());
        self.put(&mut world, file, true)?;
        world.files.get(&id).cloned().ok_or_else(|| Error::NotFound { id })
    }

    /// Returns a seed for the fresh ids of the batch that makes the next version of `file`.
    pub(super) fn seed(&self, file: &File) -> u64 {
        let hash =
            blake3::keyed_hash(&self.key("seed"), format!("{}/{}", file.document.document_id, file.version).as_bytes());
        let mut bytes = [0; 8];
        bytes.copy_from_slice(hash.as_bytes().first_chunk::<8>().unwrap_or(&[0; 8]));
        u64::from_le_bytes(bytes)
    }

    /// Returns what the next batch of the demo account for `file` says besides its requests.
    pub(super) fn setting(&self, file: &File) -> Setting {
        let author = PostAuthor {
            display_name: "Demo Account".into(),
            me: Some(true),
            user: "users/100000000000000000001".into(),
            ..PostAuthor::default()
        };
        Setting { seed: self.seed(file), now: clock::rfc3339(clock::now_ms()), author, suggests: false }
    }

    /// Returns the same of a collaborator with this name.
    pub(super) fn setting_of(&self, file: &File, name: &str) -> Setting {
        let number = u64::from_le_bytes(*blake3::hash(name.as_bytes()).as_bytes().first_chunk().unwrap_or(&[0; 8]));
        let user = format!("users/2{number:020}");
        let author = PostAuthor { display_name: name.into(), me: Some(false), user, ..PostAuthor::default() };
        Setting { author, ..self.setting(file) }
    }

    /// Returns a string that looks like Google's opaque ones and is different for each word, id, and number.
    pub(super) fn opaque(&self, word: &str, id: &str, number: u64) -> String {
        format!("AIroW3{}", self.letters(word, id, number, 101))
    }

    /// Adds an entry to the request log.
    pub(super) fn record(&self, call: &Call, status: u16, at: String) {
        let secret = matches!(call.path.as_str(), "/token" | "/revoke" | "/o/oauth2/v2/auth");
        let body = if secret || call.body.len() > LOG_BODY_BYTES {
            Value::Null
        } else {
            serde_json::from_slice(&call.body).unwrap_or(Value::Null)
        };
        let mut log = lock(&self.log);
        if log.len() >= LOG_ENTRIES {
            log.pop_front();
        }
        log.push_back(Logged { method: call.method.clone(), path: call.target(), body, status, at });
    }

    /// Returns an id like Drive's that no file has.
    fn fresh_id(&self, world: &World) -> String {
        let mut number = world.version + 1;
        loop {
            let id = format!("1{}", self.letters("file", "", number, 43));
            if !world.files.contains_key(&id) {
                return id;
            }
            number += 1;
        }
    }

    /// Returns `count` characters of the alphabet of ids.
    pub(super) fn letters(&self, word: &str, id: &str, number: u64, count: usize) -> String {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut hasher = blake3::Hasher::new_keyed(&self.key(word));
        hasher.update(id.as_bytes()).update(&number.to_le_bytes());
        let mut bytes = vec![0; count];
        hasher.finalize_xof().fill(&mut bytes);
        bytes.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 64))).map(|&letter| char::from(letter)).collect()
    }

    /// Returns the key for one use of the salt.
    pub(super) fn key(&self, word: &str) -> [u8; 32] {
        blake3::derive_key(word, &self.salt)
    }
}

/// Tells whether an id can be a path segment and a file name as it is.
pub(super) fn usable_id(id: &str) -> bool {
    (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Returns the error about a value that is no Document.
fn bad_document(why: &str) -> Error {
    Error::InvalidInput {
        what: format!("not a Document: {why}"),
        suggestion: "Give a raw answer of documents.get with includeTabsContent=true.".into(),
    }
}
