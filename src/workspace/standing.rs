//! Which files of an item stand, without reading the names of all others for each.
//!
//! Most items have one file, whose name is known. The names of further ones only a listing tells. It is kept for a moment, and what is
//! written, or heard of, is added to it.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::layout::Place;
use super::{Workspace, disk, io};
use crate::error::Result;
use crate::model::{ItemId, PartId};

/// How long a listing is believed. A file that came meanwhile, and of which nobody told, is seen by a later walk.
const LISTED_FOR: Duration = Duration::from_secs(10);

/// The files of parts that have names.
#[derive(Debug, Clone, Default)]
pub(super) struct Named(Arc<Mutex<Listing>>);

impl Named {
    fn lock(&self) -> MutexGuard<'_, Listing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Listing {
    at: Option<Instant>,
    /// How long it is believed.
    believed: Duration,
    places: HashMap<ItemId, Vec<Place>>,
}

impl Default for Listing {
    fn default() -> Self {
        Self { at: None, believed: LISTED_FOR, places: HashMap::new() }
    }
}

impl Listing {
    fn add(&mut self, place: Place) {
        let places = self.places.entry(place.item.clone()).or_default();
        if !places.contains(&place) {
            places.push(place);
        }
    }
}

impl Workspace {
    /// Returns the parts of an item that have a file, and whether a conflict file stands beside each.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; a missing folder has no files.
    pub fn files(&self, item: &ItemId) -> Result<Vec<Place>> {
        let folder = self.layout.items_folder();
        let unnamed = PartId::default();
        let own = [Place::file(item, &unnamed), Place::conflict(item, &unnamed)];
        let stands = |place: &Place| place.name().is_ok_and(|name| fs::symlink_metadata(folder.join(name)).is_ok());
        Ok(own.into_iter().chain(self.named(item)?).filter(stands).collect())
    }

    /// Takes in that somebody told of a file.
    pub fn heard_of(&self, place: Place) {
        if !place.part.0.is_empty() {
            self.named.lock().add(place);
        }
    }

    /// Has the next question read the folder: something may have happened of which nobody told.
    pub fn doubt_files(&self) {
        self.named.lock().at = None;
    }

    /// Returns the files of an item's parts that have names, as far as somebody told of them.
    fn named(&self, item: &ItemId) -> Result<Vec<Place>> {
        let mut listing = self.named.lock();
        if listing.at.is_none_or(|at| at.elapsed() >= listing.believed) {
            listing.at = None;
            self.list_named(&mut listing)?;
            listing.at = Some(Instant::now());
        }
        Ok(listing.places.get(item).cloned().unwrap_or_default())
    }

    fn list_named(&self, listing: &mut Listing) -> Result<()> {
        let folder = self.layout.items_folder();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(disk(&folder, "listed", source)),
        };
        listing.places.clear();
        for entry in entries {
            let name = entry.map_err(|source| disk(&folder, "listed", source))?.file_name();
            let place = name.to_str().and_then(Place::of_name).filter(|place| !place.part.0.is_empty());
            place.into_iter().for_each(|place| listing.add(place));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Account, Feed};

    #[test]
    fn files_of_an_item_are_known_without_reading_all_names() {
        let folder = tempfile::tempdir().unwrap();
        let workspace =
            &Workspace::open(&folder.path().join("w"), &Account("ana@example.com".into()), Feed::Drive).unwrap();
        // However long the test takes.
        workspace.named.lock().believed = Duration::MAX;
        let (one, tab) = (ItemId("one".into()), PartId("t1".into()));
        let files = |workspace: &Workspace| {
            let mut names: Vec<String> =
                workspace.files(&one).unwrap().iter().map(|place| place.name().unwrap()).collect();
            names.sort_unstable();
            names
        };
        let write = |name: &str| fs::write(workspace.layout().items_folder().join(name), "x").unwrap();
        assert_eq!(files(workspace), Vec::<String>::new());
        // What has no name of its own is looked for each time.
        for name in ["one.md", "one.conflict.md", "one.comments.md", "other.t1.md", "one.t2.md"] {
            write(name);
        }
        assert_eq!(files(workspace), ["one.conflict.md", "one.md"]);
        // Somebody tells of one, one is written by us, and one is found when what is known is doubted.
        workspace.heard_of(Place::file(&one, &PartId("t2".into())));
        assert_eq!(files(workspace), ["one.conflict.md", "one.md", "one.t2.md"]);
        workspace.deposit(&one, &tab, "text\n", None).unwrap();
        write("one.t3.md");
        assert_eq!(files(workspace), ["one.conflict.md", "one.md", "one.t1.md", "one.t2.md"]);
        workspace.doubt_files();
        fs::remove_file(workspace.layout().items_folder().join("one.t2.md")).unwrap();
        assert_eq!(files(workspace), ["one.conflict.md", "one.md", "one.t1.md", "one.t3.md"]);
        // What nobody told of is seen when the listing is too old.
        write("one.t4.md");
        assert_eq!(files(workspace).len(), 4);
        workspace.named.lock().believed = Duration::ZERO;
        assert_eq!(files(workspace).len(), 5);
        assert_eq!(workspace.files(&ItemId("../x".into())).unwrap(), []);
    }
}
