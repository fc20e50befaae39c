//! The API calls of Gmail: threads, their messages in batches, labels, and the history of the mailbox.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::ids::{self, Named};
use super::kept::Kept;
use super::wire::{Happened, History, HistoryList, LabelList, Message, MessageList, Profile, Thread, ThreadList};
use super::{Mail, copies, naming, plan, read, text};
use crate::error::{Error, Result};
use crate::google::{BATCH_MAX, Call, Client, Service};
use crate::kinds::{Changes, Copied, Created, Fetched, Image, Kind, Listing, Outcome, PushPlan, RulePage};
use crate::model::{Cursor, ItemId, KindName, Millis, PartId, Revision, Rule};

/// Pages of the history that one poll reads, five hundred entries each. What is left is read by the next poll.
const MAX_PAGES: usize = 50;

/// Messages of one thread that are read, the newest: more than any thread of Gmail's has, which begins a new one at a hundred.
const MESSAGES_MAX: usize = 1_000;

/// Bytes that the messages of one thread may have together, as far as Gmail estimates them: they are held in memory.
const THREAD_BYTES: u64 = 96 << 20;

/// Bytes that the messages of one batch may have together, as far as Gmail estimates them.
const BATCH_BYTES: u64 = 8 << 20;

/// How often messages are asked for that Gmail did not give for want of time.
const TRIES_MAX: u32 = 5;

/// The first pause between two such tries; each next one is twice as long.
const PAUSE: Duration = Duration::from_millis(500);

/// For how long the names of labels are known: a person who makes a label in Gmail writes its name into a file right after that.
const LABELS_KNOWN: Duration = Duration::from_secs(20);

/// For how long it is known whether Drive has a folder of attachments.
const FOLDER_KNOWN: Duration = Duration::from_secs(60 * 60);

/// The label of what is in the trash.
const TRASH: &str = "TRASH";

/// The mail of one account.
#[derive(Debug)]
pub struct Gmail {
    google: Arc<Client>,
    /// The names of the account's labels by their ids, and when they were read.
    labels: Mutex<Option<(Instant, BTreeMap<String, String>)>>,
    /// Messages that were read lately; they never change.
    kept: Mutex<Kept>,
    /// The folder of Drive in which copies of attachments may be, and when that was looked up.
    folder: Mutex<Option<(Instant, Option<String>)>>,
}

impl Gmail {
    /// Makes the kind on the account's connection.
    #[must_use]
    pub fn new(google: Arc<Client>) -> Self {
        Self { google, labels: Mutex::default(), kept: Mutex::default(), folder: Mutex::default() }
    }

    /// Returns the account's connection.
    pub(super) fn google(&self) -> &Client {
        &self.google
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the thread of a message.
    async fn thread_of(&self, id: &str) -> Result<ItemId> {
        let path = format!("/gmail/v1/users/me/messages/{id}");
        let call = Call::get(Service::Gmail, path, id, "looking for the mail").with("format", "minimal");
        let message: Message = self.google.json(&call.costing(self.google.mail_units().get_message)).await?;
        thread_id(message).ok_or_else(|| Error::NotFound { id: id.to_owned() })
    }

    /// Finds the thread of the message with a Message-ID.
    ///
    /// Source: <https://support.google.com/mail/answer/7190>
    async fn thread_with(&self, message_id: &str) -> Result<ItemId> {
        let query = format!("rfc822msgid:{message_id}");
        let call = Call::get(Service::Gmail, "/gmail/v1/users/me/messages".into(), message_id, "looking for the mail")
            .with("q", &query)
            .with("includeSpamTrash", "true")
            .with("maxResults", "1");
        let found: MessageList = self.google.json(&call.costing(self.google.mail_units().list)).await?;
        let thread = found.messages.into_iter().find_map(thread_id);
        thread.ok_or_else(|| Error::NotFound { id: message_id.to_owned() })
    }

    /// Reads what a thread has, without the texts.
    pub(super) async fn thread(&self, id: &str) -> Result<Thread> {
        let path = format!("/gmail/v1/users/me/threads/{id}");
        let call = Call::get(Service::Gmail, path, id, "reading the thread").with("format", "minimal");
        self.google.json(&call.costing(self.google.mail_units().get_thread)).await
    }

    /// Reads the bytes of messages, each once; those that were read lately are not asked for again.
    ///
    /// # Errors
    ///
    /// As [`Client::send`]; a message that is gone meanwhile is left out.
    async fn raw(&self, messages: &[Message]) -> Result<BTreeMap<String, Arc<[u8]>>> {
        let mut found = BTreeMap::new();
        let mut missing = Vec::new();
        for message in messages {
            match self.kept().get(&message.id) {
                Some(raw) => drop(found.insert(message.id.clone(), raw)),
                None => missing.push(message),
            }
        }
        for batch in batches(&missing) {
            self.raw_of(batch, &mut found).await?;
        }
        Ok(found)
    }

    /// Reads one batch of messages; what Gmail has no time for is asked for again.
    async fn raw_of(&self, batch: &[&Message], found: &mut BTreeMap<String, Arc<[u8]>>) -> Result<()> {
        let mut left: Vec<&str> = batch.iter().map(|message| message.id.as_str()).collect();
        let mut pause = PAUSE;
        for attempt in 1..=TRIES_MAX {
            let calls: Vec<Call<'_>> = left.iter().map(|id| self.reading(id)).collect();
            let answers = self.google.batch(&calls).await?;
            let mut again = Vec::new();
            let mut wait = pause;
            for (id, answer) in left.into_iter().zip(answers) {
                match answer.and_then(|body| decoded(id, &body)) {
                    Ok(raw) => {
                        self.kept().keep(id, raw.clone());
                        found.insert(id.to_owned(), raw);
                    }
                    // Deleted since the thread was read; the history tells so, too.
                    Err(Error::NotFound { .. }) => {}
                    Err(error) if attempt == TRIES_MAX || !error.retryable() => return Err(error),
                    Err(error) => {
                        if let Error::RateLimited { retry_after: Some(told) } = error {
                            wait = wait.max(told);
                        }
                        again.push(id);
                    }
                }
            }
            if again.is_empty() {
                return Ok(());
            }
            tracing::debug!(left = again.len(), attempt, "Gmail left mails out of a batch");
            tokio::time::sleep(wait).await;
            (left, pause) = (again, pause * 2);
        }
        Ok(())
    }

    fn reading<'a>(&self, id: &'a str) -> Call<'a> {
        let path = format!("/gmail/v1/users/me/messages/{id}");
        let call = Call::get(Service::Gmail, path, id, "reading a mail").with("format", "raw");
        call.costing(self.google.mail_units().get_message)
    }

    /// Returns the names of all labels; they are read anew when one of these is not known, or they may have changed.
    async fn label_names(&self, ids: &BTreeSet<&str>) -> Result<BTreeMap<String, String>> {
        let known = self.labels.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, known)) = known
            && at.elapsed() < LABELS_KNOWN
            && ids.iter().all(|id| known.contains_key(*id))
        {
            return Ok(known);
        }
        let call = Call::get(Service::Gmail, "/gmail/v1/users/me/labels".into(), "labels", "reading the labels");
        let list: LabelList = self.google.json(&call.costing(self.google.mail_units().small)).await?;
        let names: BTreeMap<String, String> = list.labels.into_iter().map(|label| (label.id, label.name)).collect();
        *self.labels.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), names.clone()));
        Ok(names)
    }

    /// Returns the folder of Drive in which copies of attachments are, if there is one.
    async fn copies_folder(&self) -> Result<Option<String>> {
        let known = self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, known)) = known
            && at.elapsed() < FOLDER_KNOWN
        {
            return Ok(known);
        }
        let found = self.files(&copies::folder_query(), "looking for the folder of attachments").await;
        // Who may not ask is not let in a minute later either.
        let folder = match &found {
            Ok(files) => files.first().map(|file| file.id.clone()),
            Err(_) => None,
        };
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), folder.clone()));
        found.map(|_| folder)
    }

    /// Lists files of Drive.
    ///
    /// Source: <https://developers.google.com/workspace/drive/api/guides/search-files>
    async fn files(&self, query: &str, doing: &str) -> Result<Vec<copies::DriveFile>> {
        let call = Call::get(Service::Drive, "/drive/v3/files".into(), "copies of attachments", doing)
            .with("q", query)
            .with("pageSize", "200")
            .with("fields", "files(id,name,size,md5Checksum,webViewLink)");
        let list: copies::FileList = self.google.json(&call).await?;
        Ok(list.files)
    }

    /// Reads the history of the mailbox from a cursor on.
    ///
    /// Source: <https://developers.google.com/workspace/gmail/api/guides/sync#partial_synchronization>
    async fn history(&self, since: &Cursor) -> Result<Changes> {
        let (mut changed, mut vanished) = (BTreeSet::new(), BTreeSet::new());
        let (mut cursor, mut token) = (since.clone(), None::<String>);
        for _ in 0..MAX_PAGES {
            let path = "/gmail/v1/users/me/history".to_owned();
            let mut call =
                Call::get(Service::Gmail, path, "the history of the mailbox", "reading what is new in the mail")
                    .with("startHistoryId", &since.0)
                    .with("maxResults", "500");
            if let Some(token) = &token {
                call = call.with("pageToken", token);
            }
            let page: HistoryList = self.google.json(&call.costing(self.google.mail_units().history)).await?;
            for entry in page.history {
                if !entry.id.is_empty() {
                    cursor = Cursor(entry.id.clone());
                }
                vanished.extend(gone(&entry).into_iter().map(ItemId));
                changed.extend(entry.messages.into_iter().filter_map(thread_id));
            }
            token = page.next_page_token.filter(|token| !token.is_empty());
            if token.is_none() {
                if let Some(now) = page.history_id.filter(|id| !id.is_empty()) {
                    cursor = Cursor(now);
                }
                break;
            }
        }
        if token.is_some() {
            tracing::warn!(pages = MAX_PAGES, "the history of the mailbox is long; the next poll reads on");
        }
        // Of these it is looked up whether they are there, whatever else happened to them.
        let changed = changed.difference(&vanished).cloned().collect();
        Ok(Changes { changed, vanished: vanished.into_iter().collect(), cursor })
    }
}

/// The threads of which something was deleted or put into the trash: whether all of them was is to be looked up.
fn gone(entry: &History) -> BTreeSet<String> {
    let is_trashed = |happened: &&Happened| happened.label_ids.iter().any(|label| label == TRASH);
    let trashed = entry.labels_added.iter().filter(is_trashed);
    trashed.chain(&entry.messages_deleted).map(|happened| happened.message.thread_id.clone()).collect()
}

/// The thread of a message, if what Gmail says is the id of one.
fn thread_id(message: Message) -> Option<ItemId> {
    let is_id = matches!(ids::named(&message.thread_id), Ok(Some(Named::Either(_))));
    is_id.then_some(ItemId(message.thread_id))
}

/// Counts the messages of a thread that are not read, for those that are too many or too large, the newest stay.
fn older(messages: &[Message]) -> usize {
    let mut bytes = 0_u64;
    let fits = |message: &&Message| {
        bytes = bytes.saturating_add(message.size_estimate);
        bytes <= THREAD_BYTES
    };
    let read = messages.iter().rev().take(MESSAGES_MAX).take_while(fits).count();
    messages.len().saturating_sub(read.max(1))
}

/// Cuts messages into batches that are not too many, nor too large.
fn batches<'a, 'm>(messages: &'a [&'m Message]) -> Vec<&'a [&'m Message]> {
    let mut batches = Vec::new();
    let mut rest = messages;
    while !rest.is_empty() {
        let mut bytes = 0_u64;
        let fits = |message: &&&Message| {
            bytes = bytes.saturating_add(message.size_estimate);
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take(BATCH_MAX).take_while(fits).count().max(1);
        let (batch, left) = rest.split_at(count);
        batches.push(batch);
        rest = left;
    }
    batches
}

/// Reads the bytes of a message out of an answer.
fn decoded(id: &str, body: &[u8]) -> Result<Arc<[u8]>> {
    let strange = |source: crate::error::Source| Error::ExtractionFailed { id: id.to_owned(), source };
    let message: Message = serde_json::from_slice(body).map_err(|error| strange(error.into()))?;
    let raw = message.raw.ok_or_else(|| strange("Gmail gave the mail without its text".into()))?;
    // Gmail pads, others do not.
    let raw = URL_SAFE_NO_PAD.decode(raw.trim_end_matches('=')).map_err(|error| strange(error.into()))?;
    Ok(raw.into())
}

#[async_trait]
impl Kind for Gmail {
    fn name(&self) -> KindName {
        KindName::Gmail
    }

    fn recognize(&self, id_or_url: &str) -> Option<ItemId> {
        match ids::named(id_or_url) {
            Ok(Some(Named::Either(id) | Named::Thread(id))) => Some(ItemId(id)),
            Ok(Some(Named::Message(_) | Named::Draft(_) | Named::MessageId(_)) | None) | Err(_) => None,
        }
    }

    fn may_name(&self, id_or_url: &str) -> bool {
        !matches!(ids::named(id_or_url), Ok(None))
    }

    async fn find(&self, id_or_url: &str) -> Result<Option<ItemId>> {
        Ok(Some(match ids::named(id_or_url)? {
            None => return Ok(None),
            Some(Named::Thread(id)) => ItemId(id),
            Some(Named::Message(id) | Named::Draft(id)) => self.thread_of(&id).await?,
            Some(Named::MessageId(id)) => self.thread_with(&id).await?,
            // The ids of threads and messages look the same, and a thread has that of its first message.
            Some(Named::Either(id)) => self.thread_of(&id).await?,
        }))
    }

    async fn changes(&self, since: Option<&Cursor>) -> Result<Changes> {
        if let Some(since) = since {
            return self.history(since).await;
        }
        let call =
            Call::get(Service::Gmail, "/gmail/v1/users/me/profile".into(), "the mailbox", "looking at the mailbox");
        let profile: Profile = self.google.json(&call.costing(self.google.mail_units().small)).await?;
        Ok(Changes { changed: Vec::new(), vanished: Vec::new(), cursor: Cursor(profile.history_id) })
    }

    async fn fetch(&self, id: &ItemId, may_be_trashed: bool) -> Result<Fetched> {
        let mut thread = self.thread(&id.0).await?;
        let in_trash = |message: &Message| message.label_ids.iter().any(|label| label == TRASH);
        if thread.messages.is_empty() {
            return Err(Error::NotFound { id: id.0.clone() });
        }
        if may_be_trashed && thread.messages.iter().all(in_trash) {
            return Err(Error::Trashed { id: id.0.clone() });
        }
        let older = older(&thread.messages);
        thread.messages.drain(..older);
        let raw = self.raw(&thread.messages).await?;
        let labels: BTreeSet<&str> =
            thread.messages.iter().flat_map(|message| message.label_ids.iter().map(String::as_str)).collect();
        let names = self.label_names(&labels).await?;
        let mail = thread.messages.iter().filter_map(|message| {
            let raw = raw.get(&message.id)?.clone();
            let at = message.internal_date.parse().map(Millis).unwrap_or_default();
            Some(Mail { id: message.id.clone(), labels: message.label_ids.clone(), at, raw })
        });
        let mail: Vec<Mail> = mail.collect();
        let (history, id) = (Revision(thread.history_id), ItemId(thread.id));
        // Reading many mails takes its time, which no other task should wait for.
        let account = self.google.account().to_owned();
        tokio::task::spawn_blocking(move || read(id, history, &mail, &names, older, &account))
            .await
            .map_err(|error| Error::ExtractionFailed { id: "the thread".into(), source: error.into() })
    }

    async fn search(&self, query: &str, limit: usize) -> Result<Listing> {
        self.found(query, limit).await
    }

    async fn named(&self, rule: &Rule, page: Option<&str>) -> Result<RulePage> {
        let label = match &rule.label {
            None => None,
            Some(label) => Some(naming::label_id(label, &self.label_names(&BTreeSet::new()).await?)?),
        };
        let query = naming::query(rule)?;
        let mut call =
            Call::get(Service::Gmail, "/gmail/v1/users/me/threads".into(), "the mail of a rule", "listing the mail")
                .with("maxResults", "500");
        for (name, value) in [("q", Some(query.as_str())), ("labelIds", label.as_deref()), ("pageToken", page)] {
            call = match value.filter(|value| !value.is_empty()) {
                Some(value) => call.with(name, value),
                None => call,
            };
        }
        let list: ThreadList = self.google.json(&call.costing(self.google.mail_units().list)).await?;
        let is_id = |thread: &Thread| matches!(ids::named(&thread.id), Ok(Some(Named::Either(_))));
        Ok(RulePage {
            items: list.threads.into_iter().filter(is_id).map(|thread| ItemId(thread.id)).collect(),
            next: list.next_page_token.filter(|token| !token.is_empty()),
        })
    }

    async fn image(&self, image: &Image, bytes_max: usize) -> Result<Vec<u8>> {
        let refused = |message: &str| Error::Refused { message: message.to_owned() };
        let (message, part) = super::address(&image.address);
        let wanted = Message { id: message.to_owned(), ..Message::default() };
        let raw = self.raw(&[wanted]).await?.remove(message).ok_or_else(|| refused("its mail is gone"))?;
        let bytes = match part {
            Some(part) => text::attachment_bytes(&raw, part),
            None => Some(raw.to_vec()),
        };
        let bytes = bytes.ok_or_else(|| refused("its mail has no such part"))?;
        if bytes.len() > bytes_max {
            return Err(refused(&format!("it has more than {} MB", bytes_max >> 20)));
        }
        Ok(bytes)
    }

    async fn copies(&self, names: &[String]) -> Result<Vec<Copied>> {
        let Some(folder) = self.copies_folder().await? else { return Ok(Vec::new()) };
        let files = self.files(&copies::query(&folder, names), "looking for copies of attachments").await?;
        Ok(files.into_iter().filter_map(copies::DriveFile::copied).collect())
    }

    fn plan(&self, remote: &Fetched, part: &PartId, desired: &str, _accept: bool) -> Result<PushPlan> {
        plan::plan(remote, part, desired)
    }

    async fn push(&self, id: &ItemId, revision: &Revision, plan: &PushPlan) -> Result<Outcome> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        self.carry_out(&id.0, revision, plan, Millis(u64::try_from(now.as_millis()).unwrap_or(0))).await
    }

    async fn create(&self, title: &str, _text: &str) -> Result<Created> {
        Err(Error::Refused { message: format!("mails are not made here, `{title}` neither") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sized(sizes: &[u64]) -> Vec<Message> {
        sizes.iter().map(|mb| Message { size_estimate: mb << 20, ..Message::default() }).collect()
    }

    #[test]
    fn the_newest_messages_of_a_thread_are_read() {
        for (sizes, expected) in
            [(vec![1; 5], 0), (vec![30; 5], 2), (vec![1, 200], 1), (vec![200, 1], 1), (vec![0; 1_100], 100)]
        {
            assert_eq!(older(&sized(&sizes)), expected, "{sizes:?}");
        }
    }

    #[test]
    fn batches_are_neither_long_nor_large() {
        for (sizes, expected) in [
            (vec![], vec![]),
            (vec![0; 120], vec![50, 50, 20]),
            (vec![3, 3, 3], vec![2, 1]),
            (vec![20, 1, 20], vec![1, 1, 1]),
        ] {
            let messages = sized(&sizes);
            let messages: Vec<&Message> = messages.iter().collect();
            let counts: Vec<usize> = batches(&messages).iter().map(|batch| batch.len()).collect();
            assert_eq!(counts, expected, "{sizes:?}");
        }
    }
}
