//! Which files of an item stand, without reading the names of all others for each.
//!
//! Most items have one file, whose name is known. The names of further ones only a listing tells. It is kept for a moment, and what is
//! written, or heard of, is added to it.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
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

#[derive(Debug, Default)]
struct Listing {
    at: Option<Instant>,
    places: HashMap<ItemId, Vec<Place>>,
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
            self.named.0.lock().unwrap_or_else(PoisonError::into_inner).add(place);
        }
    }

    /// Has the next question read the folder: something may have happened of which nobody told.
    pub fn doubt_files(&self) {
        self.named.0.lock().unwrap_or_else(PoisonError::into_inner).at = None;
    }

    /// Returns the files of an item's parts that have names, as far as somebody told of them.
    fn named(&self, item: &ItemId) -> Result<Vec<Place>> {
        let mut listing = self.named.0.lock().unwrap_or_else(PoisonError::into_inner);
        if listing.at.is_none_or(|at| at.elapsed() >= LISTED_FOR) {
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
