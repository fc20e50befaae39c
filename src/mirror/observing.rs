//! What the files of an item say: the first step of each walk.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::failure::failure;
use super::{Shared, adopting, blocking, heard};
use crate::error::Result;
use crate::model::{ItemId, PartId};
use crate::sync::{Blind, Event, Intent, Local, Observation};

/// Reads every file of the item that stands or has a base, and the bases. What was read of an edited file may be half of a
/// save, so the engine hears first of all that happened until then.
pub(super) async fn observe(shared: &Arc<Shared>, item: ItemId) -> Event {
    let (here, id) = (shared.clone(), item.clone());
    let parts = blocking(move || {
        let mut bases: BTreeMap<PartId, String> = here.store()?.bases(&id)?.into_iter().collect();
        let standing = here.workspace.files(&id)?.into_iter().filter(|place| !place.conflict).map(|place| place.part);
        let mut intents: BTreeMap<PartId, Intent> = here.store()?.intents(&id)?.into_iter().collect();
        let mut blind: BTreeMap<PartId, Blind> = here.store()?.blind_of(&id)?.into_iter().collect();
        let parts: BTreeSet<PartId> = standing.chain(bases.keys().chain(intents.keys()).cloned()).collect();
        parts
            .into_iter()
            .map(|part| {
                let (mut local, mut base) = (here.workspace.observe(&id, &part)?, bases.remove(&part));
                if let (Local::Text { text, stamp, .. }, Some(base)) = (&local, &base)
                    && adopting::give_head(&here, (&id, &part), (text, *stamp), base)?
                {
                    local = here.workspace.observe(&id, &part)?;
                }
                // A file that nobody has edited still says what a damaged base said.
                if let (Local::Text { text, .. }, None) = (&local, &base)
                    && here.store()?.mend_base(&id, &part, text)?
                {
                    base = Some(text.clone());
                }
                // They are asked for only by a file that says something else, and they are long.
                let edited = matches!((&local, &base), (Local::Text { text, .. }, Some(base)) if text != base);
                let came = if edited { here.store()?.arrivals(&id, &part)? } else { Some(Vec::new()) };
                let arrivals = if let Some(arrivals) = came {
                    arrivals
                } else {
                    // It may be the save of an older text, which deletes nothing of what came since.
                    tracing::error!(item = %id, %part, "what came into the file is damaged; the texts are compared anew");
                    here.store()?.distrust(&id, &part)?;
                    base = None;
                    Vec::new()
                };
                let (intent, blind) = (intents.remove(&part), blind.remove(&part));
                Ok(Observation { base, local, part, intent, arrivals, blind })
            })
            .collect::<Result<Vec<_>>>()
    })
    .await;
    let is_edited = |seen: &Observation| match (&seen.local, &seen.base) {
        (Local::Text { text, .. }, Some(base)) => text != base,
        (Local::Text { .. }, None) => true,
        (Local::Absent | Local::Unusable { .. } | Local::Restless, _) => false,
    };
    let parts = match parts {
        Ok(parts) if parts.iter().any(is_edited) => heard::all_that_happened(shared).await.map(|()| parts),
        parts => parts,
    };
    match parts {
        Ok(parts) => Event::Observed { item, parts },
        Err(error) => {
            tracing::warn!(%item, %error, "the files of an item could not be looked at");
            Event::Unobserved { item, failure: failure(&error) }
        }
    }
}
