//! Saves that stand where a link to a mirrored file stood: each is an edit of that file, and the link is put there again.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::clock::system_ms;
use super::crash::crash_point;
use super::handle::MirrorHandle;
use super::linking::link_at;
use super::{Message, Mirror, Shared, blocking, editing};
use crate::error::{Error, Result};
use crate::mebdf;
use crate::model::{ContentHash, ItemId, Millis, PartId, Stamp};
use crate::store::{Link, LinkBase};
use crate::sync::{
    Arrival, END_MS, Event, Local, Saves, Target, When, arrivals_between, of_two_saves, stands_still, with_head_of,
};
use crate::workspace::layout::Place;
use crate::workspace::{Found, NotDeposited};

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
        let noted = shared.reader().link_base(&link.path)?;
        let kept = match take_over(&shared, &of, noted, (&text, stamp))? {
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

/// Makes a text that of a mirrored file, which it was made of when that said what is noted, or what is agreed on now. Where the
/// file holds a save of its own, the two are joined; where they say different things in one place, the later one stands, and the
/// other is kept.
///
/// Which was later is known where the save was seen while the file still said what is noted, or something older; else the times of
/// the files tell.
fn take_over(shared: &Shared, place: &Place, noted: Option<LinkBase>, (text, saved): (&str, Stamp)) -> Result<Taken> {
    let (item, part, target) = (&place.item, &place.part, shared.workspace.layout().path(place)?);
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
    // What it says that nothing agreed on does may be half of a save.
    let agreed = agreed(shared, place)?;
    let has_edits = agreed.as_ref().is_none_or(|agreed| *agreed != current);
    if has_edits && (!stands_still(&stamp, now()) || shared.workspace.is_open(&target, now())) {
        return Ok(Taken::Moved);
    }
    let save = |text: &str, kept| {
        let is_saved = editing::save(shared, (item, part), text, stamp)?;
        Ok(if is_saved { Taken::Yes(kept) } else { Taken::Moved })
    };
    let name = place.name()?;
    let keep = |text| shared.workspace.put_aside(name.trim_end_matches(".md"), text, now()).map(Some);
    let before_ms = (saved.mtime_ns - stamp.mtime_ns) / 1_000_000;
    let when = match noted.as_ref().map_or(before_ms < 0, |noted| noted.is_later) {
        _ if (0..=i128::from(END_MS)).contains(&before_ms) => When::JustBefore,
        true => When::Later,
        false => When::Earlier,
    };
    let arrivals = shared.reader().arrivals(item, part)?.unwrap_or_default();
    let since = match &noted {
        Some(noted) => shared.reader().arrivals_since(item, part, noted.arrival)?,
        None => 0,
    };
    let base = noted.map(|noted| noted.base).or_else(|| agreed.clone()).unwrap_or_default();
    let file = Target { base: &base, agreed: agreed.as_deref(), arrivals: &arrivals, since, text: &current, when };
    match of_two_saves(item, &file, text) {
        Saves::Stands => Ok(Taken::Yes(None)),
        Saves::Foreign => Ok(Taken::Foreign(target)),
        Saves::Takes(text) => save(&text, None),
        Saves::Joins(text, came) => {
            shared.store()?.note_arrivals(item, part, &came)?;
            save(&text, None)
        }
        Saves::GivesWay => Ok(Taken::Yes(keep(text)?)),
        Saves::GoesOver => save(text, keep(&current)?),
    }
}

/// What a mirrored file and its item have agreed on.
fn agreed(shared: &Shared, place: &Place) -> Result<Option<String>> {
    let bases = shared.reader().bases(&place.item)?;
    Ok(bases.into_iter().find(|(part, _)| *part == place.part).map(|(_, base)| base))
}

/// Notes what a mirrored file and its item had agreed on when a save in place of a link to it came there: what is pushed
/// until that is taken in is no text that it was made of. Of many that came at once the last is seen late.
pub(super) fn note_base(shared: &Shared, path: &Path) -> Result<()> {
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    if !metadata.is_file() {
        return Ok(());
    }
    // Since then it has been there, whatever it says of itself.
    let came = Millis(
        u64::try_from(metadata.ctime().saturating_mul(1000).saturating_add(metadata.ctime_nsec() / 1_000_000))
            .unwrap_or(u64::MAX),
    );
    // One statement each: what reads is held until its statement ends.
    let is_noted = shared.reader().link_base(path)?.is_some();
    if is_noted {
        return Ok(());
    }
    let Some(link) = link_at(shared, path)? else { return Ok(()) };
    let place = Place::file(&link.item, &link.part);
    let Some(agreed) = agreed(shared, &place)? else { return Ok(()) };
    let base = shared.reader().agreed_at(&place.item, &place.part, came)?.unwrap_or(agreed);
    let (is_later, arrival) = seen(shared, &place, &base, &metadata)?;
    // A start after this one must know it, too: by then more may be agreed on.
    shared.store()?.note_link_base(path, &LinkBase { base, is_later, arrival })
}

/// Forgets what a save in place of a link was made of: none stands there any more.
pub(super) fn forget_base(shared: &Shared, path: &Path) -> Result<()> {
    let is_noted = shared.reader().link_base(path)?.is_some();
    if is_noted {
        shared.store()?.drop_link_base(path)?;
    }
    Ok(())
}

/// Tells whether what the mirrored file says otherwise than `base` was saved, or will be, after a save in place of a link to it; and
/// gives the number of the arrival at which it said that. What came into it since is nobody's save, recorded or not.
fn seen(shared: &Shared, Place { item, part, .. }: &Place, base: &str, save: &Metadata) -> Result<(bool, i64)> {
    let newest = shared.reader().newest_arrival(item, part)?;
    let (text, stamp) = match shared.workspace.observe(item, part) {
        Ok(Local::Text { text, stamp, .. }) => (text, stamp),
        Ok(Local::Absent | Local::Restless | Local::Unusable { .. }) | Err(_) => return Ok((true, newest)),
    };
    let recorded = shared.reader().arrivals(item, part)?.unwrap_or_default();
    let intents = shared.reader().intents(item)?;
    let coming = || {
        let intent = intents.into_iter().find(|(of, _)| of == part).map(|(_, intent)| intent.arrival())?;
        let arrivals: Vec<Arrival> = std::iter::once(intent).chain(recorded.iter().cloned()).collect();
        // That one has no number yet.
        arrivals_between(base, &text, &arrivals).map(|since| since.saturating_sub(1))
    };
    let since = arrivals_between(base, &text, &recorded).or_else(coming);
    let saved_ns = i128::from(save.mtime()) * 1_000_000_000 + i128::from(save.mtime_nsec());
    let arrival = newest.saturating_sub(i64::try_from(since.unwrap_or_default()).unwrap_or_default());
    Ok((since.is_some() || stamp.mtime_ns > saved_ns, arrival))
}

/// Takes in what was saved in place of links while nobody looked, before anything is pushed: else what a save of the mirrored
/// file brought would be taken for what that in the place of the link took away. Returns saves for which later ones stand, each
/// with the file that it is of.
pub(super) fn adopt_settled(shared: &Shared) -> Vec<(Place, PathBuf)> {
    let mut kept = Vec::new();
    let links = shared.reader().links().unwrap_or_default();
    let elsewhere = links.into_iter().map(|link| link.path).filter(|path| !shared.workspace.is_readable(path));
    let readable = shared.workspace.readable_paths().unwrap_or_default();
    for path in elsewhere.chain(readable.others) {
        match adopt_one_settled(shared, &path) {
            Ok(adopted) => kept.extend(adopted),
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a save in place of a link is taken in later");
            }
        }
    }
    kept
}

/// Takes in what stands in the place of one link, if it stands still; all else is looked at later.
fn adopt_one_settled(shared: &Shared, path: &Path) -> Result<Option<(Place, PathBuf)>> {
    let Some(link) = link_at(shared, path)? else { return Ok(None) };
    let Found::File(Local::Text { text, stamp, .. }) = shared.workspace.look_beside(&link.path)? else {
        return Ok(None);
    };
    let place = Place::file(&link.item, &link.part);
    let is_made_of = link.made_of == Some(ContentHash::of(text.as_bytes()));
    if is_made_of || mebdf::body(&text).trim().is_empty() || shared.reader().item(&link.item)?.is_none() {
        return Ok(None);
    }
    // The file may be saved just now, and pushed before this is taken in.
    note_base(shared, &link.path)?;
    if !stands_still(&stamp, now()) || shared.workspace.is_open(&link.path, now()) {
        return Ok(None);
    }
    let noted = shared.reader().link_base(&link.path)?;
    let taken = take_over(shared, &place, noted, (&text, stamp))?;
    let Taken::Yes(kept) = taken else { return Ok(None) };
    put_link(shared, &link.path, stamp, &place)?;
    Ok(kept.map(|kept| (place, kept)))
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
        Ok(()) => {
            forget_base(shared, path)?;
            Ok(Adopted::Linked)
        }
        Err(NotDeposited::Moved) => Ok(Adopted::Moved),
        Err(NotDeposited::Failed(error)) => Err(error),
    }
}

fn now() -> Millis {
    Millis(system_ms())
}
