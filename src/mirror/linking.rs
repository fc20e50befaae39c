//! Links to mirrored files that stand elsewhere: put beside somebody's work, followed to another name, missed, and removed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::clock::system_ms;
use super::handle::MirrorHandle;
use super::report::LinkReport;
use super::{Message, Shared, blocking};
use crate::error::{Error, Result};
use crate::model::{ItemId, Millis, Stamp};
use crate::store::{Link, Making};
use crate::workspace::layout::Place;

/// How long saves in the place of links are waited for: they are taken in once they stand still.
const LINKS_WAIT: Duration = Duration::from_secs(6);

/// How often it is looked whether they are.
const LINKS_LOOK: Duration = Duration::from_millis(100);

/// Takes the links that are known into what is watched.
pub(super) fn know_links(shared: &Shared) -> Result<()> {
    let links = shared.reader().links()?;
    for link in links {
        if !shared.is_own(&link.path) {
            shared.beside.links().set(&link.path, true);
        }
    }
    Ok(())
}

/// Finds the link that stood at a path. Among the readable ones, which may not be noted yet, a text that stands there says by its
/// head whose it is; while the link of that stands, it is a copy that somebody keeps there.
pub(super) fn link_at(shared: &Shared, path: &Path) -> Result<Option<Link>> {
    let known = shared.reader().link(path)?;
    if known.is_some() || !shared.workspace.is_readable(path) {
        return Ok(known);
    }
    let Some(place) = shared.workspace.named_by_head(path)? else { return Ok(None) };
    let standing = shared.workspace.readable_paths()?.links;
    let named = Some(place).filter(|place| standing.iter().all(|(_, other)| other != place));
    Ok(named.map(|Place { item, part, .. }| Link { path: path.into(), item, part, made_of: None }))
}

/// Returns which file of ours a path means. A link that stands says where it leads; what is noted of it may be older. Its folder may
/// be named by way of links.
fn place_of(shared: &Shared, path: &Path) -> Result<Option<Place>> {
    if let Some(place) = shared.workspace.resolve(path) {
        return Ok(Some(place));
    }
    // An id or a URL is no path.
    if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Ok(None);
    }
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let real = folder.zip(path.file_name()).map(|(folder, name)| folder.join(name));
    for path in [Some(path), real.as_deref().filter(|real| *real != path)].into_iter().flatten() {
        if let Some(link) = link_at(shared, path)? {
            return Ok(Some(Place::file(&link.item, &link.part)));
        }
    }
    Ok(None)
}

impl MirrorHandle {
    /// Puts a link to a file of an item, which is mirrored by that, into a folder outside of the workspace; returns where it
    /// stands. An edit through it is one of the item, also when the editor puts a new file in its place.
    ///
    /// # Errors
    ///
    /// As [`MirrorHandle::fetch`]; `InvalidInput` and `Unsafe` when the folder cannot be used.
    pub async fn link(&self, id_or_url: &str, folder: &Path) -> Result<LinkReport> {
        let named = self.place_of(Path::new(id_or_url.trim()));
        let item = self.item(id_or_url)?;
        let report = match self.lookup(&item.0).await? {
            Some(report) => report,
            None => self.fetch(&item.0).await?,
        };
        let wanted = named.map(|place| place.part).unwrap_or_default();
        let part = report.parts.iter().find(|part| part.part == wanted).or(report.parts.first());
        let Some(part) = part.cloned() else { return Err(Error::NotFound { id: item.0 }) };
        // Other tabs are called as in `by-name/`.
        let title = if part.part.0.is_empty() { report.title } else { format!("{} - {}", report.title, part.title) };
        let (shared, folder) = (self.shared_arc(), folder.to_owned());
        let linked = blocking(move || {
            let to = Place::file(&item, &part.part);
            let path = shared.workspace.add_link_beside(&folder, &to, &title)?;
            let versioned = shared.workspace.is_versioned(&path);
            let link = Link { path: path.clone(), item, part: part.part, made_of: None };
            shared.store()?.note_link(&link, now())?;
            shared.beside.links().set(&path, true);
            shared.beside.found(&to.item);
            Ok(LinkReport { path, versioned })
        });
        let linked = linked.await?;
        self.messages().send(Message::Linked(linked.path.clone())).await.map_err(|_ended| self.ended())?;
        Ok(linked)
    }

    /// Returns which file of ours a path means, also where a save stands in the place of a link to it.
    pub(super) fn place_of(&self, path: &Path) -> Option<Place> {
        place_of(self.shared(), path).unwrap_or_else(|error| {
            tracing::warn!(%error, path = %path.display(), "where a link led that stood there is not known");
            None
        })
    }

    /// Returns the mirrored file that a path means: its own, that of a link to it, or of what was saved in the place of one.
    #[must_use]
    pub fn file_at(&self, path: &Path) -> Option<PathBuf> {
        self.shared().workspace.layout().path(&self.place_of(path)?).ok()
    }

    /// Returns the mirrored file that a path means, also where a save stands in the place of a link to it, once all such saves of it
    /// are its own text, and whether they are; `None` for every other path. A save that is not taken in keeps nobody waiting for
    /// ever.
    ///
    /// # Errors
    ///
    /// `Disk` and `Storage` as they come.
    pub async fn settled_file(&self, path: &Path) -> Result<Option<(PathBuf, bool)>> {
        let begun = Instant::now();
        loop {
            let (shared, path) = (self.shared_arc(), path.to_owned());
            let looked = blocking(move || {
                let Some(place) = place_of(&shared, &path)? else { return Ok(None) };
                let mut saved: Vec<PathBuf> = shared.reader().links_to(&place.item, &place.part)?;
                saved.retain(|link| link.symlink_metadata().is_ok_and(|found| found.is_file()));
                saved.iter().for_each(|link| shared.beside.touch(link.clone()));
                Ok(Some((shared.workspace.layout().path(&place)?, saved.is_empty())))
            });
            match looked.await? {
                None => return Ok(None),
                Some(found @ (_, true)) => return Ok(Some(found)),
                Some(found) if begun.elapsed() >= LINKS_WAIT => return Ok(Some(found)),
                Some(_) => tokio::time::sleep(LINKS_LOOK).await,
            }
        }
    }

    /// Removes the links to an item that is no longer mirrored. What stands in their place is somebody's, and stays.
    pub(super) async fn remove_links(&self, item: &ItemId) -> Result<()> {
        let (shared, item) = (self.shared_arc(), item.clone());
        blocking(move || {
            let links = shared.reader().links()?;
            shared.beside.found(&item);
            for link in links.iter().filter(|link| link.item == item) {
                if let Err(error) = shared.workspace.remove_link(&link.path) {
                    tracing::warn!(%error, "a link to an item that is not mirrored any more stays");
                }
                shared.beside.links().set(&link.path, false);
                shared.store()?.drop_link(&link.path)?;
            }
            Ok(())
        })
        .await
    }
}

/// Forgets what was known of a path at which nothing stands any more. A link beside somebody's work that got another name is known
/// by that; of one that is nowhere near, it is told.
pub(super) fn miss(shared: &Shared, path: &Path, seen: Option<Stamp>) -> Result<()> {
    shared.beside.links().set(path, false);
    let link = shared.reader().link(path)?;
    let renamed = match seen.filter(|_| shared.is_in_new(path)) {
        Some(seen) => shared.workspace.renamed_new(seen)?,
        None => None,
    };
    {
        let mut store = shared.store()?;
        store.drop_link(path)?;
        let is_begun = |making: &Making| making.item.is_some() && making.path.as_deref() == Some(path);
        match renamed {
            // The document that was made of it is still to get its text.
            Some(renamed) if store.makings()?.iter().any(is_begun) => store.move_making(path, &renamed)?,
            // Another file of that name is another document.
            Some(_) | None => store.drop_makings_of(path)?,
        }
    }
    let Some(link) = link.filter(|_| !shared.is_own(path)) else { return Ok(()) };
    let place = Place::file(&link.item, &link.part);
    for other in shared.workspace.links_beside(path, &place)? {
        if shared.reader().link(&other)?.is_none() {
            shared.store()?.note_link(&Link { path: other.clone(), made_of: None, ..link }, now())?;
            shared.beside.links().set(&other, true);
            return Ok(());
        }
    }
    shared.beside.miss(path, place);
    Ok(())
}

/// Notes where a link in `new/` or among the readable ones leads, or one outside that is known: somebody may have given it the name of another one, and what is
/// saved there next is an edit of what it led to last.
pub(super) fn know_link(shared: &Shared, path: &Path, Place { item, part, .. }: Place) -> Result<()> {
    let known = shared.reader().link(path)?;
    let is_noted = known.as_ref().is_some_and(|link| (&link.item, &link.part) == (&item, &part));
    if is_noted || known.is_none() && !shared.is_own(path) {
        return Ok(());
    }
    let link = Link { path: path.into(), item, part, made_of: None };
    match shared.workspace.is_readable(path) {
        // There are as many of these as documents, and each can be read again.
        true => shared.store()?.know_link(&link, now()),
        false => shared.store()?.note_link(&link, now()),
    }
}

fn now() -> Millis {
    Millis(system_ms())
}
