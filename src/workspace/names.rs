//! Links with readable names: `by-name/Meeting notes.md` → `../drive/1AbC.md`. They follow renames.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::beside::is_new;
use super::layout::{Place, readable_name};
use super::{NUMBERED_MAX, Workspace, disk, list, own_folder};
use crate::error::Result;
use crate::mebdf;
use crate::model::{ItemId, PartId};

/// The longest file that is taken in for a readable link; a mirrored file is no longer.
const ADOPTED_BYTES_MAX: u64 = 16 << 20;

/// The readable links, so that nobody need read a folder of a hundred thousand for each of them. What it says is looked at before it
/// is believed.
#[derive(Debug, Default)]
struct LinkIndex {
    /// The names of the links to each item's files.
    of: HashMap<ItemId, Vec<String>>,
    /// The last number that was given behind each name.
    numbers: HashMap<String, usize>,
}

/// The index, once it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct ReadableLinks(Arc<Mutex<Option<LinkIndex>>>);

impl ReadableLinks {
    fn lock(&self) -> MutexGuard<'_, Option<LinkIndex>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stands among the readable links under the name of one.
#[derive(Debug, Default)]
pub struct Readable {
    /// The links, each with the file to which it leads.
    pub links: Vec<(PathBuf, Place)>,
    /// What is none.
    pub others: Vec<PathBuf>,
}

impl Workspace {
    /// Makes the links of an item be those of `names`; an empty list removes them. Only links to the item's own files
    /// are ever removed: whatever else stands there is someone's, and its name counts as taken. Returns those that it made.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn set_links(&self, item: &ItemId, names: &[(PartId, String)]) -> Result<Vec<(PathBuf, Place)>> {
        let folder = self.layout().by_name_folder();
        self.layout().folders().iter().try_for_each(|folder| own_folder(folder))?;
        let mut known = self.links.lock();
        let mut index = match known.take() {
            Some(index) => index,
            None => self.read_links(&folder)?,
        };
        // Where this fails it is read anew.
        let made = self.set_links_in(&folder, &mut index, item, names)?;
        *known = Some(index);
        Ok(made)
    }

    fn set_links_in(
        &self,
        folder: &Path,
        index: &mut LinkIndex,
        item: &ItemId,
        names: &[(PartId, String)],
    ) -> Result<Vec<(PathBuf, Place)>> {
        // Where two lead to one file, the one without a number stays.
        let mut entries: Vec<String> = index.of.remove(item).unwrap_or_default();
        // Under the name that it wants a save may stand of which nobody has told.
        for wanted in names.iter().map(|(_, title)| format!("{}.md", readable_name(title))) {
            if !entries.contains(&wanted) {
                entries.push(wanted);
            }
        }
        entries.sort_unstable_by_key(|name| (name.len(), name.clone()));
        let (mut kept, mut renamed) = (Vec::new(), Vec::new());
        let mut standing: BTreeSet<PartId> = BTreeSet::new();
        for name in entries {
            let path = folder.join(&name);
            let stem = name.strip_suffix(".md").unwrap_or(&name);
            let fits = |place: &Place| {
                let wanted = names.iter().find(|(part, _)| *part == place.part).map(|(_, title)| readable_name(title));
                wanted.is_some_and(|wanted| stem == wanted || is_numbered(stem, &wanted))
            };
            match self.target(&path) {
                Some(place) if place.item != *item => {}
                Some(place) => {
                    if fits(&place) && standing.insert(place.part) {
                        kept.push(name);
                    } else {
                        fs::remove_file(&path).map_err(|source| disk(&path, "removed", source))?;
                    }
                }
                // A save that is to be taken in: the link will stand there again.
                None => match self.named_by_head(&path)?.filter(|place| place.item == *item) {
                    Some(place) if fits(&place) => {
                        standing.insert(place.part);
                        kept.push(name);
                    }
                    Some(place) => renamed.push((name, place.part)),
                    None => {}
                },
            }
        }
        // Under another name it may be a copy, but not where nothing else stands: then a link got that name, and was saved over.
        for (name, part) in renamed {
            if names.iter().any(|(wanted, _)| *wanted == part) && standing.insert(part) {
                kept.push(name);
            }
        }
        let mut made = Vec::new();
        for (part, title) in names {
            if !standing.contains(part) {
                let place = Place::file(item, part);
                let name = self.add_link(folder, &place, title, &mut index.numbers)?;
                made.push((folder.join(&name), place));
                kept.push(name);
            }
        }
        if !kept.is_empty() {
            index.of.insert(item.clone(), kept);
        }
        Ok(made)
    }

    /// Puts a link under the first name that is free; returns that. Of names that many items have the last number is known.
    fn add_link(
        &self,
        folder: &Path,
        place: &Place,
        title: &str,
        numbers: &mut HashMap<String, usize>,
    ) -> Result<String> {
        let to = self.layout().from_by_name().join(place.name()?);
        let wanted = readable_name(title);
        let known = numbers.get(&wanted).copied().unwrap_or(1);
        for number in std::iter::once(1).chain(known.saturating_add(1).max(2)..NUMBERED_MAX) {
            let name = if number == 1 { format!("{wanted}.md") } else { format!("{wanted} ({number}).md") };
            let path = folder.join(&name);
            match symlink(&to, &path) {
                Ok(()) => {
                    if number > 1 {
                        numbers.insert(wanted, number);
                    }
                    return Ok(name);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(disk(&path, "written", source)),
            }
        }
        Err(disk(folder, "written", io::ErrorKind::AlreadyExists.into()))
    }

    /// Reads which items the links lead to, and whose a save in the place of one is.
    fn read_links(&self, folder: &Path) -> Result<LinkIndex> {
        let mut index = LinkIndex::default();
        for name in list(folder)?.into_iter().filter_map(|name| name.into_string().ok()) {
            let path = folder.join(&name);
            let place = match self.target(&path) {
                Some(place) => Some(place),
                None => self.named_by_head(&path)?,
            };
            if let Some(place) = place {
                index.of.entry(place.item).or_default().push(name);
            }
        }
        Ok(index)
    }

    /// Hears that something happened to a path among the readable links: a person may have renamed one, or put a file there.
    pub fn link_changed(&self, path: &Path) {
        let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| self.is_readable(path)) else {
            return;
        };
        let mut index = self.links.lock();
        let Some(index) = &mut *index else { return };
        let place = self.target(path).or_else(|| self.named_by_head(path).ok().flatten());
        if let Some(place) = place {
            let names = index.of.entry(place.item).or_default();
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }

    /// Forgets what is known of the readable links, since nobody knows what happened to them.
    pub fn doubt_links(&self) {
        *self.links.lock() = None;
    }

    /// Tells whether a path is one of the readable links, or in the place of one.
    #[must_use]
    pub fn is_readable(&self, path: &Path) -> bool {
        path.parent() == Some(&self.layout().by_name_folder())
    }

    /// Finds the mirrored file whose text stands at a path, as its own head says; `None` when it says none.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn named_by_head(&self, path: &Path) -> Result<Option<Place>> {
        let is_file =
            |path: &Path| path.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() <= ADOPTED_BYTES_MAX);
        if !is_file(path) {
            return Ok(None);
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            // Who cannot read it does not know what it says.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            Err(source) => return Err(disk(path, "read", source)),
        };
        let Some(head) = std::str::from_utf8(&bytes).ok().and_then(mebdf::head) else { return Ok(None) };
        let Some(item) = head.value("id").map(|id| ItemId(id.trim().to_owned())) else { return Ok(None) };
        let tab = head.tab_id().unwrap_or_default();
        let mut places = [PartId(tab.to_owned()), PartId::default()].map(|part| Place::file(&item, &part)).into_iter();
        Ok(places.find(|place| self.layout().path(place).is_ok_and(|path| is_file(&path))))
    }

    /// Lists what stands among the readable links under the name of one.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn readable_paths(&self) -> Result<Readable> {
        let folder = self.layout().by_name_folder();
        let mut readable = Readable::default();
        if !folder.is_dir() {
            return Ok(readable);
        }
        for path in list(&folder)?.into_iter().map(|name| folder.join(name)).filter(|path| is_new(path)) {
            match self.target(&path) {
                Some(place) => readable.links.push((path, place)),
                None => readable.others.push(path),
            }
        }
        Ok(readable)
    }

    /// Returns which file a path given by a person means: a mirrored file, its conflict file, or a readable link to one.
    /// The path need not exist.
    #[must_use]
    pub fn resolve(&self, path: &Path) -> Option<Place> {
        if let Some(place) = self.layout().place(path) {
            return Some(place);
        }
        if path.parent().is_some_and(|parent| parent == self.layout().by_name_folder()) {
            return self.target(path);
        }
        if let Some(place) = self.led_to(path) {
            return Some(place);
        }
        // The folder may have been named by way of links or `..`; only the folder is resolved, never the file.
        let (parent, name) = (path.parent()?, path.file_name()?);
        let parent = fs::canonicalize(if parent.as_os_str().is_empty() { Path::new(".") } else { parent }).ok()?;
        let is = |folder: &Path| fs::canonicalize(folder).is_ok_and(|folder| folder == parent);
        if is(&self.layout().items_folder()) {
            return Place::of_name(name.to_str()?);
        }
        if is(&self.layout().by_name_folder()) { self.target(&parent.join(name)) } else { None }
    }

    /// Returns what a readable link points at, if it is one of ours.
    fn target(&self, link: &Path) -> Option<Place> {
        let to = fs::read_link(link).ok()?;
        if to.parent()? != self.layout().from_by_name() {
            return None;
        }
        Place::of_name(to.file_name()?.to_str()?).filter(|place| !place.conflict)
    }
}

/// Tells whether `stem` is `wanted` with a number behind it.
fn is_numbered(stem: &str, wanted: &str) -> bool {
    stem.strip_prefix(wanted)
        .and_then(|rest| rest.strip_prefix(" (")?.strip_suffix(')'))
        .is_some_and(|number| number.parse::<usize>().is_ok_and(|number| number > 1))
}
