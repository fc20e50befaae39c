//! The texts of attachments, beside them and in the index; and where else the same file is.
//!
//! They follow the downloads, so nothing waits for them. A text is read once for the same bytes, wherever they were sent; that one is to
//! be read is stored before, so that a start goes on with it.

use std::sync::Arc;

use tokio::sync::watch;

use super::images::Report;
use super::{Shared, blocking, extracting};
use crate::error::Result;
use crate::extract::{self, Format};
use crate::kinds::{Copied, Image};
use crate::model::{ContentHash, ItemId, Millis, Notice};
use crate::store::{Attached, PENDING, Store, StoredCopy};

/// How long it is believed that a file has no copy, or the same: a day.
const COPIES_KNOWN_MS: u64 = 24 * 60 * 60 * 1_000;

/// Names of one item that are looked for: a question to Drive has an end.
const COPIES_MAX: usize = 40;

/// Brings the texts of the attachments that stand.
///
/// # Errors
///
/// `Storage` and `Disk` as they come; what is left is brought after the next reading, or by the next start.
pub(super) async fn bring(
    shared: &Arc<Shared>,
    item: &ItemId,
    images: &[Image],
    stopped: &mut watch::Receiver<bool>,
    now: Millis,
) -> Result<()> {
    let sent: Vec<String> =
        images.iter().filter(|image| image.is_sent).filter_map(|image| image.name.clone()).collect();
    if sent.is_empty() {
        return Ok(());
    }
    tokio::select! {
        biased;
        _ = stopped.wait_for(|stopped| *stopped) => return Ok(()),
        () = copies(shared, item, sent, now) => {}
    }
    for image in images {
        let (Some(format), Some(name)) = (image.text, &image.name) else { continue };
        tokio::select! {
            biased;
            _ = stopped.wait_for(|stopped| *stopped) => return Ok(()),
            done = one(shared, item, image, (name, format), now) => {
                if let Err(error) = done {
                    tracing::warn!(%item, %error, "the text of an attachment could not be kept");
                }
            }
        }
    }
    Ok(())
}

/// What is to be done about one text.
enum Work {
    /// The attachment does not stand.
    Nothing,
    /// What is known of it.
    Known(Attached, String),
    /// It is to be read from these bytes; none where somebody changed the file.
    Read(Attached, Option<Vec<u8>>),
}

async fn one(
    shared: &Arc<Shared>,
    item: &ItemId,
    image: &Image,
    (name, format): (&str, Format),
    now: Millis,
) -> Result<()> {
    let (here, id, named) = (shared.clone(), item.clone(), name.to_owned());
    let work = blocking(move || look(&here, &id, &named, format, now)).await?;
    let read = match work {
        Work::Nothing => return Ok(()),
        Work::Known(attached, text) => Some((attached, text)),
        Work::Read(attached, bytes) => {
            let bytes = match bytes {
                Some(bytes) => bytes,
                None => shared.kind.image(image, extract::INPUT_BYTES_MAX).await?,
            };
            read(shared, item, attached, format, &bytes).await
        }
    };
    let Some((attached, text)) = read else { return Ok(()) };
    let (shared, item) = (shared.clone(), item.clone());
    blocking(move || keep(&shared, &item, &attached, &text, now)).await
}

/// Has a text read; `None` where nobody can, which says nothing of the file: the next start tries again.
async fn read(
    shared: &Shared,
    item: &ItemId,
    attached: Attached,
    format: Format,
    bytes: &[u8],
) -> Option<(Attached, String)> {
    let program = shared.extractor.get()?;
    match extracting::text(program, format, bytes).await {
        Ok(Ok(text)) => Some((Attached { problem: String::new(), ..attached }, text)),
        Ok(Err(problem)) => Some((Attached { problem, ..attached }, String::new())),
        Err(error) => {
            tracing::warn!(%item, %error, "no process can be started that reads an attachment");
            None
        }
    }
}

/// Reads the texts that a process that died did not: from the files that stand, so that nothing is asked for again.
pub(super) async fn resume(shared: &Arc<Shared>) {
    let here = shared.clone();
    let items = match blocking(move || here.reader().lacking_texts()).await {
        Ok(items) => items,
        Err(error) => return tracing::warn!(%error, "which texts are still to be read is not known"),
    };
    for item in items {
        if let Err(error) = resume_item(shared, &item).await {
            tracing::warn!(%item, %error, "the texts of attachments could not be kept");
        }
    }
}

async fn resume_item(shared: &Arc<Shared>, item: &ItemId) -> Result<()> {
    let (here, id) = (shared.clone(), item.clone());
    let known = blocking(move || here.reader().attached(&id)).await?;
    for attached in known.into_iter().filter(|attached| attached.problem == PENDING) {
        let Some(format) = format(&attached.format) else { continue };
        let (here, id, waiting) = (shared.clone(), item.clone(), attached.clone());
        let bytes = blocking(move || {
            here.workspace.read_attachment(&id, &waiting.name, waiting.hash, extract::INPUT_BYTES_MAX)
        });
        // What somebody changed meanwhile is read when its thread is.
        let Some(bytes) = bytes.await? else { continue };
        let Some((done, text)) = read(shared, item, attached.clone(), format, &bytes).await else { return Ok(()) };
        let (here, id) = (shared.clone(), item.clone());
        blocking(move || {
            // RACE: its thread may be forgotten, or read, right now; then a text is left in the folder that nothing needs.
            let still = here.store()?.attached(&id)?.contains(&attached);
            if still { keep(&here, &id, &done, &text, done.at) } else { Ok(()) }
        })
        .await?;
    }
    Ok(())
}

/// Finds what is known of a text, and notes that it is to be read where nothing is.
fn look(shared: &Shared, item: &ItemId, name: &str, format: Format, now: Millis) -> Result<Work> {
    let stored = shared.store()?.images(item)?.into_iter().find(|stored| stored.name == name);
    let Some(hash) = stored.filter(|stored| stored.problem.is_empty()).and_then(|stored| stored.hash) else {
        return Ok(Work::Nothing);
    };
    let known = shared.store()?.attached(item)?.into_iter().find(|attached| attached.name == name);
    let word = word(format);
    let is_same = |known: &Attached| known.hash == hash && known.format == word && known.version == extract::VERSION;
    if let Some(known) = known.clone().filter(|known| is_same(known) && known.problem != PENDING) {
        let text = shared.store()?.attached_text(item, name)?.unwrap_or_default();
        return Ok(Work::Known(known, text));
    }
    let written = known.and_then(|known| known.written);
    let mut attached = Attached {
        name: name.to_owned(),
        hash,
        format: word,
        version: extract::VERSION,
        problem: PENDING.to_owned(),
        written,
        at: now,
    };
    let same = shared.store()?.same_text(hash, &attached.format, attached.version)?;
    if let Some((problem, text)) = same {
        attached.problem = problem;
        return Ok(Work::Known(attached, text));
    }
    // A start after this one must know of it, since the item may not be read again.
    shared.store()?.keep_attached(item, &attached, "")?;
    let bytes = shared.workspace.read_attachment(item, name, hash, extract::INPUT_BYTES_MAX)?;
    Ok(Work::Read(attached, bytes))
}

/// Writes a text into the index and beside its file. A file that stands there and says something else than what was written last is
/// put away: somebody may have written into it.
fn keep(shared: &Shared, item: &ItemId, attached: &Attached, text: &str, now: Millis) -> Result<()> {
    let copy = shared.store()?.copies(item)?.into_iter().find(|copy| copy.name == attached.name);
    let copy = copy.map(|copy| copy.url).filter(|address| !address.is_empty());
    let said = if attached.problem.is_empty() { Ok(text) } else { Err(attached.problem.as_str()) };
    let file = extract::beside(&attached.name, copy.as_deref(), said);
    let hash = Some(ContentHash::of(file.as_bytes()));
    let name = extract::text_name(&attached.name);
    let stands = shared.workspace.image_stands(item, &name)?.is_some();
    if !stands || attached.written != hash {
        shared.workspace.put_image(item, &name, file.as_bytes(), attached.written, now)?;
    }
    let known = shared.store()?.attached(item)?.into_iter().find(|known| known.name == attached.name);
    let attached = Attached { written: hash, ..attached.clone() };
    if known.as_ref() != Some(&attached) {
        shared.store()?.keep_attached(item, &attached, text)?;
    }
    Ok(())
}

/// Puts the text of an attachment away, with what is known of it.
pub(super) fn put_away(shared: &Shared, item: &ItemId, name: &str, now: Millis) -> Result<()> {
    if shared.store()?.attached(item)?.iter().any(|attached| attached.name == name) {
        shared.workspace.retire_image(item, &extract::text_name(name), now)?;
    }
    shared.store()?.drop_attached(item, name, now)
}

/// Looks where else the attachments of an item are. Whatever goes wrong there is no reason for anything.
async fn copies(shared: &Arc<Shared>, item: &ItemId, names: Vec<String>, now: Millis) {
    let (here, id) = (shared.clone(), item.clone());
    let wanted = blocking(move || {
        let known = here.store()?.copies(&id)?;
        let is_known = |name: &String| {
            known.iter().any(|copy| copy.name == *name && now.0.saturating_sub(copy.at.0) < COPIES_KNOWN_MS)
        };
        Ok(names.into_iter().filter(|name| !is_known(name)).take(COPIES_MAX).collect::<Vec<String>>())
    });
    let wanted = match wanted.await {
        Ok(wanted) if wanted.is_empty() => return,
        Ok(wanted) => wanted,
        Err(error) => return tracing::debug!(%item, %error, "what is known of copies cannot be read"),
    };
    let found = match shared.kind.copies(&wanted).await {
        Ok(found) => found,
        Err(error) => return tracing::debug!(%item, %error, "nobody tells whether the attachments have copies"),
    };
    let (here, id) = (shared.clone(), item.clone());
    let kept = blocking(move || wanted.iter().try_for_each(|name| keep_copy(&here, &id, name, &found, now))).await;
    if let Err(error) = kept {
        tracing::debug!(%item, %error, "where copies of attachments are cannot be kept");
    }
}

/// Keeps where a copy is: a file that has the same bytes. Names and sizes alone say too little.
fn keep_copy(shared: &Shared, item: &ItemId, name: &str, found: &[Copied], now: Millis) -> Result<()> {
    let candidates: Vec<&Copied> = found.iter().filter(|copy| copy.name == *name).collect();
    let mut url = String::new();
    if !candidates.is_empty() {
        let stored = shared.store()?.images(item)?.into_iter().find(|stored| stored.name == name);
        // One that is still to be downloaded is compared after the next reading.
        let Some(hash) = stored.and_then(|stored| stored.hash) else { return Ok(()) };
        let bytes = shared.workspace.read_attachment(item, name, hash, extract::INPUT_BYTES_MAX)?;
        let Some(bytes) = bytes else { return Ok(()) };
        let same = candidates.into_iter().find(|copy| copy.is_of(&bytes));
        url = same.map(|copy| copy.url.clone()).unwrap_or_default();
    }
    shared.store()?.keep_copy(item, &StoredCopy { name: name.to_owned(), url, at: now })
}

/// The files of texts by their names, and what a person should know of attachments.
pub(super) fn report(shared: &Shared, reader: &Store, item: &ItemId) -> Result<Report> {
    let folder = shared.workspace.layout().images_folder(item)?;
    let notice = |code: &str, message: String| Notice { code: code.into(), line: 0, column: 0, message };
    let (mut paths, mut notices) = (Vec::new(), Vec::new());
    for attached in reader.attached(item)? {
        if attached.written.is_some() {
            let name = extract::text_name(&attached.name);
            paths.push((name.clone(), folder.join(name)));
        }
        if !attached.problem.is_empty() && attached.problem != PENDING {
            let message = format!("the text of {} could not be read: {}", attached.name, attached.problem);
            notices.push(notice("ATTACHMENT_TEXT", message));
        }
    }
    if reader.is_cut_in_index(item)? {
        let message =
            "the attachments have more text than a search looks through; of the last ones it knows less".into();
        notices.push(notice("ATTACHMENT_SEARCH", message));
    }
    for copy in reader.copies(item)?.into_iter().filter(|copy| !copy.url.is_empty()) {
        notices.push(notice("DRIVE_COPY", format!("{} is in Google Drive, too: {}", copy.name, copy.url)));
    }
    Ok((paths, notices))
}

/// The format of such a word.
fn format(word: &str) -> Option<Format> {
    serde_json::from_value(word.into()).ok()
}

/// A format as it is stored.
fn word(format: Format) -> String {
    format!("{format:?}").to_ascii_lowercase()
}
