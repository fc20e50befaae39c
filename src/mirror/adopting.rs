//! Saves that stand where a link to a mirrored file stood: each is an edit of that file, and the link is put there again.

use std::path::{Path, PathBuf};

use super::clock::system_ms;
use super::crash::crash_point;
use super::handle::MirrorHandle;
use super::{Message, Mirror, Shared, blocking, editing};
use crate::error::{Error, Result};
use crate::mebdf;
use crate::model::{ContentHash, ItemId, Millis, PartId, Stamp};
use crate::store::Link;
use crate::sync::{Event, Local, is_save_of, stands_still, with_head_of};
use crate::workspace::layout::Place;
use crate::workspace::{self, Found, NotDeposited};

/// What became of a file that stands where a link stood.
pub(super) enum Adopted {
    /// Its text is that of the mirrored file now, and the link stands there again.
    Linked,
    /// Somebody saved one of the two meanwhile.
    Moved,
    /// It is another text, which has nothing to do with the mirrored file.
    Foreign(PathBuf),
    /// Its item is not mirrored any more.
    Forgotten,
}

/// Makes the text of a file where a link stood that of the file to which it led, and puts the link there again.
pub(super) async fn adopt(mirror: &MirrorHandle, link: Link, stamp: Stamp, text: &str) -> Result<Adopted> {
    let is_made_of = link.made_of == Some(ContentHash::of(text.as_bytes()));
    match mirror.lookup(&link.item.0).await? {
        Some(_) => {}
        // It was made of this text, and could not be read then.
        None if is_made_of => drop(mirror.fetch(&link.item.0).await?),
        // Of an earlier one, and this was saved before it could be read.
        None if link.made_of.is_some() && !mirror.is_buried(&link.item.0).await? => {
            match mirror.fetch(&link.item.0).await {
                Err(Error::NotFound { .. } | Error::Trashed { .. }) => return Ok(Adopted::Forgotten),
                fetched => drop(fetched?),
            }
        }
        None => return Ok(Adopted::Forgotten),
    }
    let (shared, text, place) = (mirror.shared_arc(), text.to_owned(), Place::file(&link.item, &link.part));
    let of = place.clone();
    let (adopted, kept) = blocking(move || {
        if is_made_of {
            return Ok((keep_and_link(&shared, &link.path, (stamp, &text), &of, None)?, None));
        }
        let kept = match take_over(&shared, &of, (&text, stamp))? {
            Taken::Yes(kept) => kept,
            Taken::Moved => return Ok((Adopted::Moved, None)),
            Taken::Foreign(target) => return Ok((Adopted::Foreign(target), None)),
        };
        crash_point("after_adopting");
        Ok((put_link(&shared, &link.path, stamp, &of)?, kept))
    })
    .await?;
    if let Some(kept) = kept {
        let told = Message::Aside(place, kept);
        mirror.messages().send(told).await.map_err(|_ended| mirror.ended())?;
    }
    Ok(adopted)
}

/// What became of the text of a file where a link stood.
enum Taken {
    /// The mirrored file says it, or was saved later; the save of the two that it does not say stands here.
    Yes(Option<PathBuf>),
    /// Somebody saved the mirrored file meanwhile.
    Moved,
    /// It has little in common with the mirrored file, which stands here.
    Foreign(PathBuf),
}

/// Makes a text that of a mirrored file. Where that holds a save of its own, the later of the two stands, and the other is kept.
fn take_over(shared: &Shared, place: &Place, (text, saved): (&str, Stamp)) -> Result<Taken> {
    let (item, part, target) = (&place.item, &place.part, shared.workspace.layout().path(place)?);
    let done = |is_saved, kept| if is_saved { Taken::Yes(kept) } else { Taken::Moved };
    let (current, stamp) = match shared.workspace.observe(item, part)? {
        Local::Text { text, stamp, .. } => (text, stamp),
        Local::Restless => return Ok(Taken::Moved),
        Local::Absent => {
            return match shared.workspace.deposit(item, part, text, None) {
                Ok(_) => Ok(Taken::Yes(None)),
                Err(NotDeposited::Moved) => Ok(Taken::Moved),
                Err(NotDeposited::Failed(error)) => Err(error),
            };
        }
        Local::Unusable { notice } => {
            return Err(editing::unreadable(&target, &notice.to_string(), "Make it readable first."));
        }
    };
    if current == text {
        return Ok(Taken::Yes(None));
    }
    if !is_save_of(text, &current) {
        return Ok(Taken::Foreign(target));
    }
    if is_agreed(shared, place, current.as_bytes()) {
        return Ok(done(editing::save(shared, (item, part), text, stamp)?, None));
    }
    let name = place.name()?;
    let keep = |text| shared.workspace.put_aside(name.trim_end_matches(".md"), text, now()).map(Some);
    if is_agreed(shared, place, text.as_bytes()) {
        return Ok(Taken::Yes(None));
    }
    if stamp.mtime_ns > saved.mtime_ns {
        return Ok(Taken::Yes(keep(text)?));
    }
    let kept = keep(&current)?;
    Ok(done(editing::save(shared, (item, part), text, stamp)?, kept))
}

/// Tells whether a mirrored file and its item have agreed on a text, so that it is no edit.
fn is_agreed(shared: &Shared, place: &Place, text: &[u8]) -> bool {
    let bases = shared.reader().bases(&place.item).unwrap_or_default();
    bases.iter().any(|(part, base)| *part == place.part && base.as_bytes() == text)
}

/// Takes in a file that stands where a readable link should.
pub(super) fn adopt_readable(shared: &Shared, path: &Path) -> Result<Option<workspace::Adopted>> {
    shared.workspace.adopt_link(path, now(), &|place, text| is_agreed(shared, place, text))
}

/// Takes in what was saved in place of links while nobody looked, before anything is pushed: else a save that is older than
/// that of the mirrored file would go over it. Returns the saves for which later ones stand, each with the file that it is of.
pub(super) fn adopt_settled(shared: &Shared) -> Vec<(Place, PathBuf)> {
    let mut kept = Vec::new();
    match shared.workspace.adopt_links(now(), &|place, text| is_agreed(shared, place, text)) {
        Ok(adopted) => kept.extend(adopted.into_iter().filter_map(|adopted| Some((adopted.place, adopted.kept?)))),
        Err(error) => tracing::error!(%error, "files saved in place of links could not be taken in"),
    }
    let links = shared.reader().links().unwrap_or_default();
    for link in links {
        match adopt_one_settled(shared, &link) {
            Ok(Some(path)) => kept.push((Place::file(&link.item, &link.part), path)),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, path = %link.path.display(), "a save in place of a link is taken in later");
            }
        }
    }
    kept
}

/// Takes in what stands in the place of one link, if it stands still; all else is looked at later.
fn adopt_one_settled(shared: &Shared, link: &Link) -> Result<Option<PathBuf>> {
    let Found::File(Local::Text { text, stamp, .. }) = shared.workspace.look_beside(&link.path)? else {
        return Ok(None);
    };
    let is_whole = stands_still(&stamp, now()) && !shared.workspace.is_open(&link.path, now());
    let is_made_of = link.made_of == Some(ContentHash::of(text.as_bytes()));
    if !is_whole || is_made_of || mebdf::body(&text).trim().is_empty() || shared.reader().item(&link.item)?.is_none() {
        return Ok(None);
    }
    let place = Place::file(&link.item, &link.part);
    let Taken::Yes(kept) = take_over(shared, &place, (&text, stamp))? else { return Ok(None) };
    put_link(shared, &link.path, stamp, &place)?;
    Ok(kept)
}

impl Mirror {
    /// Tells of a save that was put away for a later one.
    pub(super) fn saved_aside(&mut self, Place { item, part, .. }: Place, kept: &Path) {
        self.step(Event::SavedAside { item, part, path: kept.display().to_string() });
    }
}

/// Gives the file of an item that was made here of a file its head back: the editor in which that was written knows of none, and
/// saves its text through the link as it was. Tells whether the file was saved with it.
pub(super) fn give_head(
    shared: &Shared,
    (item, part): (&ItemId, &PartId),
    (text, stamp): (&str, Stamp),
    base: &str,
) -> Result<bool> {
    let Some(whole) = with_head_of(base, text) else { return Ok(false) };
    let is_made_here = shared.reader().links()?.iter().any(|link| link.item == *item && shared.is_in_new(&link.path));
    let path = shared.workspace.layout().path(&Place::file(item, part))?;
    // Who has it open may have written half of it.
    if !is_made_here || shared.workspace.is_open(&path, now()) {
        return Ok(false);
    }
    editing::save(shared, (item, part), &whole, stamp)
}

/// Puts a link where a file stands of which an item was made. What it said is kept in `.retired/`: what a document has not
/// taken from it stands nowhere else.
/// Where somebody wrote into the item before it had its text, the item is given, and that is told.
pub(super) fn keep_and_link(
    shared: &Shared,
    path: &Path,
    (stamp, text): (Stamp, &str),
    to: &Place,
    foreign: Option<&ItemId>,
) -> Result<Adopted> {
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let kept = shared.workspace.put_aside(name, text, now())?;
    tracing::info!(path = %path.display(), kept = %kept.display(), "a document was made of a file");
    if let Some(item) = foreign {
        shared.beside.tell_foreign(path, item, &kept);
    }
    put_link(shared, path, stamp, to)
}

/// Puts a link where a file stands whose text is another file's by now.
fn put_link(shared: &Shared, path: &Path, stamp: Stamp, to: &Place) -> Result<Adopted> {
    match shared.workspace.put_link(path, stamp, to) {
        Ok(()) => Ok(Adopted::Linked),
        Err(NotDeposited::Moved) => Ok(Adopted::Moved),
        Err(NotDeposited::Failed(error)) => Err(error),
    }
}

fn now() -> Millis {
    Millis(system_ms())
}
