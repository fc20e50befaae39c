//! The pictures of items: downloaded beside the walks, so that no text waits for them.
//!
//! A picture's address is good for half an hour, so the download begins as soon as the item was read. What stands already
//! is not asked for again, whatever its address says.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::JoinSet;

use super::{Message, Shared, blocking, texts};
use crate::error::Result;
use crate::gdocs::PictureFormat;
use crate::kinds::Image;
use crate::model::{ContentHash, ItemId, Millis, Notice};
use crate::store::{PENDING, Store, StoredImage};
use crate::sync::Command;
use crate::workspace::layout::{image_name, is_file_name};

/// Bytes that a picture may have.
const IMAGE_BYTES_MAX: usize = 50 << 20;

/// Bytes that the pictures of one item may have together.
const ITEM_BYTES_MAX: u64 = 500 << 20;

/// Pictures that are downloaded at the same time, over all items; each is held in memory until it stands.
const DOWNLOADS_MAX: usize = 3;

/// Items whose downloads may be under way before items that nobody asked for wait.
const ITEMS_MAX: usize = 64;

/// For how long the downloads of one item are waited for before another is looked at.
const ROOM_WAIT: Duration = Duration::from_secs(1);

/// How long an answer waits for the pictures of its item.
pub(super) const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// The downloads under way.
pub(super) struct Images {
    slots: Semaphore,
    running: Mutex<HashMap<ItemId, Running>>,
}

/// The downloads of one item.
struct Running {
    /// Pictures of a newer reading, which come after those under way.
    next: Option<Vec<Image>>,
    stop: watch::Sender<bool>,
    done: watch::Receiver<bool>,
}

impl Images {
    pub(super) fn new() -> Self {
        Self { slots: Semaphore::new(DOWNLOADS_MAX), running: Mutex::default() }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<ItemId, Running>> {
        self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Waits until the pictures of an item stand, at most `wait`; tells whether they do.
    pub(super) async fn wait(&self, item: &ItemId, wait: Duration) -> bool {
        let Some(mut done) = self.running().get(item).map(|running| running.done.clone()) else { return true };
        // A sender that is gone has done its work, too.
        tokio::time::timeout(wait, done.wait_for(|done| *done)).await.is_ok()
    }

    /// Waits until the downloads of few items are under way: what is read faster than its files come would pile up, here and, after
    /// a crash, as what must be read once more.
    pub(super) async fn have_room(&self) {
        loop {
            let mut done = {
                let running = self.running();
                match running.values().next().filter(|_| running.len() > ITEMS_MAX) {
                    Some(some) => some.done.clone(),
                    None => return,
                }
            };
            drop(tokio::time::timeout(ROOM_WAIT, done.wait_for(|done| *done)).await);
        }
    }

    /// Ends the downloads of an item, and waits for the last one.
    pub(super) async fn stop(&self, item: &ItemId) {
        let done = {
            let mut running = self.running();
            let Some(running) = running.get_mut(item) else { return };
            running.next = None;
            running.stop.send_replace(true);
            running.done.clone()
        };
        let mut done = done;
        drop(done.wait_for(|done| *done).await);
    }
}

/// Begins to download what is new among the pictures of an item that was just read, and puts away what it no longer has.
pub(super) fn start(shared: &Arc<Shared>, item: &ItemId, images: Vec<Image>, now: Millis) {
    let mut all = shared.images.running();
    if let Some(running) = all.get_mut(item) {
        running.next = Some(images);
        return;
    }
    let (stop, stopped) = watch::channel(false);
    let (finished, done) = watch::channel(false);
    all.insert(item.clone(), Running { next: None, stop, done });
    drop(all);
    let (shared, item) = (shared.clone(), item.clone());
    tokio::spawn(async move {
        let (mut images, mut stopped) = (images, stopped);
        loop {
            let brought = match bring(&shared, &item, &images, &stopped, now).await {
                Ok(()) => texts::bring(&shared, &item, &images, &mut stopped, now).await,
                Err(error) => Err(error),
            };
            if let Err(error) = brought {
                tracing::warn!(%item, %error, "the pictures of an item could not be brought");
            }
            let mut all = shared.images.running();
            match all.get_mut(&item).and_then(|running| running.next.take()) {
                Some(next) if !*stopped.borrow() => images = next,
                _ => {
                    all.remove(&item);
                    break;
                }
            }
        }
        // Who waits may be gone.
        finished.send_replace(true);
    });
}

/// What is to be done about the pictures of an item.
struct Work {
    /// To be downloaded, with the hash of what was written last.
    missing: Vec<(Image, Option<ContentHash>)>,
    /// Bytes that stand already.
    bytes: u64,
}

/// Makes the folder of an item hold its pictures.
async fn bring(
    shared: &Arc<Shared>,
    item: &ItemId,
    images: &[Image],
    stopped: &watch::Receiver<bool>,
    now: Millis,
) -> Result<()> {
    let work = {
        let (shared, item, images) = (shared.clone(), item.clone(), images.to_vec());
        blocking(move || look(&shared, &item, images, now)).await?
    };
    if work.missing.is_empty() {
        return Ok(());
    }
    tracing::debug!(%item, count = work.missing.len(), "pictures are downloaded");
    let budget = Arc::new(Mutex::new(ITEM_BYTES_MAX.saturating_sub(work.bytes)));
    let mut tasks = JoinSet::new();
    for (image, known) in work.missing {
        let (shared, item, budget, mut stopped) = (shared.clone(), item.clone(), budget.clone(), stopped.clone());
        tasks.spawn(async move {
            let Ok(_slot) = shared.images.slots.acquire().await else { return Ok(()) };
            let read = tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => return Ok(()),
                read = shared.kind.image(&image, IMAGE_BYTES_MAX) => read,
            };
            let shared = shared.clone();
            blocking(move || keep(&shared, &item, image, read, known, &budget, now)).await
        });
    }
    while let Some(done) = tasks.join_next().await {
        match done {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%item, %error, "a picture could not be kept"),
            Err(error) => tracing::error!(%item, %error, "a download ended without a result"),
        }
    }
    Ok(())
}

/// Finds the pictures that do not stand, and puts away those that the item no longer has.
fn look(shared: &Shared, item: &ItemId, images: Vec<Image>, now: Millis) -> Result<Work> {
    let stored = shared.store()?.images(item)?;
    let ids: BTreeSet<&str> = images.iter().map(|image| image.id.as_str()).collect();
    for gone in stored.iter().filter(|stored| !ids.contains(stored.object.as_str())) {
        if !gone.name.is_empty() {
            shared.workspace.retire_image(item, &gone.name, now)?;
        }
        texts::put_away(shared, item, &gone.object, now)?;
        shared.store()?.drop_image(item, &gone.object)?;
    }
    let mut work = Work { missing: Vec::new(), bytes: 0 };
    for image in images {
        let known = stored.iter().find(|stored| stored.object == image.id);
        let standing = match known.filter(|known| !known.name.is_empty()) {
            Some(known) => shared.workspace.image_stands(item, &known.name)?,
            None => None,
        };
        match standing {
            Some(bytes) if known.is_some_and(|known| known.source == image.source && known.problem.is_empty()) => {
                work.bytes = work.bytes.saturating_add(bytes);
            }
            _ => {
                let known = known.cloned();
                let (name, hash) = known.map(|known| (known.name, known.hash)).unwrap_or_default();
                let (object, source) = (image.id.clone(), image.source.clone());
                let pending = StoredImage { object, source, name, hash, problem: PENDING.to_owned(), at: now };
                // A start after this one must know of it, since the item may not be read again.
                shared.store()?.keep_image(item, &pending)?;
                work.missing.push((image, hash));
            }
        }
    }
    Ok(work)
}

/// Has the items read again whose downloads a process that died did not end.
pub(super) async fn resume(shared: Arc<Shared>) {
    let here = shared.clone();
    let lacking = move || {
        if let Err(error) = here.workspace.sweep_contents() {
            tracing::warn!(%error, "what no attachment needs any more could not be removed");
        }
        here.reader().lacking_images()
    };
    let items = match blocking(lacking).await {
        Ok(items) => items,
        Err(error) => return tracing::warn!(%error, "what is still to be downloaded is not known"),
    };
    for item in items {
        let Some(messages) = shared.messages.upgrade() else { return };
        let (reply, answer) = oneshot::channel();
        if messages.send(Message::Ask(Command::Fetch(item), reply)).await.is_ok() {
            drop(answer.await);
        }
    }
    texts::resume(&shared).await;
}

/// Writes a picture that was read, or notes why there is none. What stood before stays where the new one cannot be had.
fn keep(
    shared: &Shared,
    item: &ItemId,
    image: Image,
    read: Result<Vec<u8>>,
    known: Option<ContentHash>,
    budget: &Mutex<u64>,
    now: Millis,
) -> Result<()> {
    // Each mail as it came is one of its own; what was sent with mails may come often.
    let may_come_often = image.is_sent;
    let usable = read.map_err(|error| error.to_string()).and_then(|bytes| {
        let name = match &image.name {
            Some(name) => is_file_name(name).then(|| name.clone()),
            None => {
                let format = PictureFormat::of(&bytes).ok_or("what lies at its address is no picture")?;
                image_name(&image.id, format.extension())
            }
        };
        let name = name.ok_or("its id cannot be the name of a file")?;
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let mut left = budget.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *left = left
            .checked_sub(length)
            .ok_or_else(|| format!("the pictures of this item would take more than {} MB", ITEM_BYTES_MAX >> 20))?;
        Ok((name, bytes))
    });
    let old = shared.store()?.images(item)?.into_iter().find(|stored| stored.object == image.id);
    let (object, source) = (image.id, image.source);
    let stored = match usable {
        Ok((name, bytes)) => {
            if may_come_often {
                shared.workspace.put_attachment(item, &name, &bytes, known, now)?;
            } else {
                shared.workspace.put_image(item, &name, &bytes, known, now)?;
            }
            // A picture that became one of another format leaves its old name.
            if let Some(old) = old.filter(|old| !old.name.is_empty() && old.name != name) {
                shared.workspace.retire_image(item, &old.name, now)?;
            }
            let hash = Some(ContentHash::of(&bytes));
            StoredImage { object, source, name, hash, problem: String::new(), at: now }
        }
        Err(problem) => {
            tracing::warn!(%item, object, problem, "a picture could not be downloaded");
            let (name, hash) = old.map(|old| (old.name, old.hash)).unwrap_or_default();
            StoredImage { object, source, name, hash, problem, at: now }
        }
    };
    shared.store()?.keep_image(item, &stored)
}

/// The files of pictures by their objects, and what a person should know of them.
pub(super) type Report = (Vec<(String, PathBuf)>, Vec<Notice>);

/// Returns the files of an item's pictures by their objects, and what a person should know of them.
pub(super) fn report(shared: &Shared, reader: &Store, item: &ItemId, all_here: bool) -> Result<Report> {
    let folder = shared.workspace.layout().images_folder(item)?;
    let (mut paths, mut notices) = (Vec::new(), Vec::new());
    let notice = |code: &str, message: String| Notice { code: code.into(), line: 0, column: 0, message };
    for image in reader.images(item)? {
        if !image.problem.is_empty() && image.problem != PENDING {
            notices.push(notice(
                "IMAGE",
                format!("the picture {} could not be downloaded: {}", image.object, image.problem),
            ));
        }
        if !image.name.is_empty() {
            paths.push((image.object, folder.join(image.name)));
        }
    }
    let (texts, told) = texts::report(shared, reader, item)?;
    paths.extend(texts);
    notices.extend(told);
    if !all_here {
        let message = format!("pictures are still being downloaded into {}", folder.display());
        notices.push(notice("IMAGES_PENDING", message));
    }
    Ok((paths, notices))
}
