//! Files among the mirrored ones that belong to nothing which is mirrored: nothing of them is pulled or pushed, and a person is
//! told so.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::report::{BesideState, NotTakenIn};
use super::{Mirror, Shared};
use crate::error::Result;
use crate::model::{ItemId, PartId};
use crate::sync::Loaded;
use crate::workspace::layout::Place;

/// Most files that are remembered: whoever puts more there is told of these first.
const KEPT_MAX: usize = 1_000;

/// Most files that a person is told of by name.
const TOLD_MAX: usize = 20;

/// Where such files were seen, whether they still stand or not.
#[derive(Debug, Default)]
pub(super) struct Strays(Mutex<BTreeSet<(ItemId, PartId)>>);

impl Strays {
    fn note(&self, item: &ItemId, part: &PartId) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() < KEPT_MAX {
            seen.insert((item.clone(), part.clone()));
        }
    }

    /// Notes those of the files that stand in the folder which belong to nothing that a store knows.
    pub(super) fn note_unknown(&self, loaded: &Loaded, standing: &[Place]) {
        let known: BTreeSet<&ItemId> =
            loaded.rows.iter().map(|row| &row.item).chain(loaded.jobs.iter().map(|job| &job.item)).collect();
        for place in standing.iter().filter(|place| !place.conflict && !known.contains(&place.item)) {
            self.note(&place.item, &place.part);
        }
    }

    /// Returns those that still stand there, and lets go of all others.
    ///
    /// # Errors
    ///
    /// `Storage` and `Disk` as they come.
    pub(super) fn told(&self, shared: &Shared) -> Result<Vec<NotTakenIn>> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (mut told, mut gone) = (Vec::new(), BTreeSet::new());
        for (item, part) in seen {
            let path = shared.workspace.layout().path(&Place::file(&item, &part))?;
            // One statement each: what reads is held until its statement ends.
            let is_known = shared.reader().item(&item)?.is_some() || shared.reader().is_buried(&item)?;
            if is_known || !path.exists() {
                gone.insert((item, part));
                continue;
            }
            let spelt = shared.reader().item_spelt_otherwise(&item)?;
            let what_to_do = match spelt
                .map(|spelt| shared.workspace.layout().path(&Place::file(&spelt, &part)))
                .transpose()?
            {
                Some(path) => format!("the mirrored file is {}, in other letters: put the text there", path.display()),
                None => format!(
                    "`fetch {item}` mirrors its document and names the file of that: where it is this one and the two differ, both \
                     texts are kept; else move it elsewhere"
                ),
            };
            let why =
                format!("it belongs to nothing that is mirrored, so nothing of it is pulled or pushed: {what_to_do}");
            told.push(NotTakenIn { path, state: BesideState::Stray, why });
        }
        let more = told.len().saturating_sub(TOLD_MAX);
        told.truncate(TOLD_MAX);
        if let Some(last) = told.last_mut().filter(|_| more > 0) {
            last.why = format!("{}; {more} more files stand there so, which `doctor` names", last.why);
        }
        // Others may have been noted meanwhile.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|place| !gone.contains(place));
        Ok(told)
    }
}

impl Mirror {
    /// Notes a file that was touched and belongs to nothing which is mirrored.
    pub(super) fn note_stray(&self, item: &ItemId, part: &PartId) {
        if !self.engine.mirrors(item) {
            self.shared.strays.note(item, part);
        }
    }
}
