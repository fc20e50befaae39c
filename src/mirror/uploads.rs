//! New pictures on their way up: Google fetches a picture from an address, so a file of ours stands in Drive for the moment
//! of a push.
//!
//! Its id is reserved and noted before it is uploaded, and the note goes when the file is gone. So whatever dies in
//! between, the next start takes away what is left.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::crash::crash_point;
use super::{Shared, blocking};
use crate::error::{Error, Result};
use crate::gdocs::{PICTURE_BYTES_MAX, Picture};
use crate::kinds::{Fetched, Hosted, Pictures, PushPlan, Standing, Upload};
use crate::model::{ContentHash, Millis};

/// Files that one push uploads; each is held in memory for a moment.
const UPLOADS_MAX: usize = 50;

/// For how long a picture that Google could not take is left out of the plans: then its host may answer again.
const REFUSED_FOR: Duration = Duration::from_secs(600);

/// Pictures that are remembered as refused; the oldest are forgotten first.
const REFUSED_MAX: usize = 200;

/// Pictures that Google could not take, as texts name them, with its words. One of them would hold up all of its batch.
#[derive(Debug, Default)]
pub(super) struct Refused(Mutex<BTreeMap<String, (Instant, String)>>);

impl Refused {
    /// Notes that Google could not take a picture.
    pub(super) fn note(&self, name: &str, words: &str) {
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() >= REFUSED_MAX
            && let Some(oldest) = refused.iter().min_by_key(|(_, (at, _))| *at).map(|(name, _)| name.clone())
        {
            refused.remove(&oldest);
        }
        refused.insert(name.to_owned(), (Instant::now(), format!("Google did not take `{name}`: {words}")));
    }

    fn known(&self) -> BTreeMap<String, Result<(), String>> {
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        refused.retain(|_, (at, _)| at.elapsed() < REFUSED_FOR);
        refused.iter().map(|(name, (_, why))| (name.clone(), Err(why.clone()))).collect()
    }
}

/// The file of a picture that an item has, or why there is none.
type Found = Result<Standing, String>;

/// Reads a file that a text names as a picture, and checks that it is one that Google takes.
fn read(shared: &Shared, named: &str) -> Result<(Picture, Vec<u8>), String> {
    let base = shared.workspace.layout().items_folder();
    let bytes = shared.workspace.read_named(&base, named, &shared.read_folders, PICTURE_BYTES_MAX)?;
    let picture = Picture::read(&bytes).map_err(|why| format!("`{named}` cannot be a picture: {why}"))?;
    Ok((picture, bytes))
}

/// Looks at the files that a text names as new pictures; what Google did not take before is known, too.
pub(super) fn look(shared: &Shared, named: Vec<String>) -> Pictures {
    let look = |(index, named): (usize, String)| {
        let found = if index < UPLOADS_MAX {
            read(shared, &named).map(drop)
        } else {
            Err(format!("more than {UPLOADS_MAX} pictures at once cannot be uploaded; save them in several steps"))
        };
        (named, found)
    };
    let mut found: BTreeMap<String, Result<(), String>> = named.into_iter().enumerate().map(look).collect();
    found.extend(shared.refused_pictures.known());
    Pictures { named: found, ..Pictures::default() }
}

/// Looks for the files of pictures that an item has, by object: those that were downloaded and are as they were then.
///
/// # Errors
///
/// `Storage` as it comes.
pub(super) fn stand(shared: &Shared, item: &Fetched, objects: &[String]) -> Result<BTreeMap<String, Found>> {
    let stored = shared.reader().images(&item.id)?;
    let refused = shared.refused_pictures.known();
    let find = |(index, object): (usize, &String)| -> Found {
        if index >= UPLOADS_MAX {
            return Err(format!(
                "more than {UPLOADS_MAX} pictures at once cannot be uploaded; save them in several steps"
            ));
        }
        let image = item.images.iter().find(|image| image.id == *object);
        let stored = stored.iter().find(|stored| stored.object == *object);
        let (Some(image), Some(stored)) = (image, stored.filter(|stored| !stored.name.is_empty())) else {
            return Err("its file does not stand beside the document yet".into());
        };
        if stored.source != image.source || !stored.problem.is_empty() {
            return Err("its file does not stand beside the document as it is now".into());
        }
        let path = format!("{}/{}", item.id, stored.name);
        if let Some(Err(why)) = refused.get(&path) {
            return Err(why.clone());
        }
        let (picture, bytes) = read(shared, &path)?;
        if stored.hash != Some(ContentHash::of(&bytes)) {
            return Err(format!("its file `{path}` was changed here"));
        }
        Ok(Standing { path, picture })
    };
    Ok(objects.iter().enumerate().map(|object| (object.1.clone(), find(object))).collect())
}

/// Uploads files, and returns where each stands.
///
/// # Errors
///
/// `InvalidInput` when a file is no picture any more; network and permission errors as they come.
async fn upload(shared: &Arc<Shared>, named: &[String], now: Millis) -> Result<Vec<String>> {
    let mut addresses = Vec::new();
    for name in named {
        let (here, name) = (shared.clone(), name.clone());
        let (picture, bytes) = blocking(move || {
            read(&here, &name).map_err(|what| Error::InvalidInput {
                what,
                suggestion: "Name a PNG, JPEG or GIF inside the workspace.".into(),
            })
        })
        .await?;
        let id = shared.kind.reserve().await?;
        let (here, noted) = (shared.clone(), id.clone());
        blocking(move || here.store()?.note_hosted(&noted, now)).await?;
        let upload = Upload { id: &id, media_type: picture.format.media_type(), bytes: &bytes };
        addresses.push(shared.kind.host(upload).await?);
        crash_point("after_upload");
    }
    Ok(addresses)
}

/// Puts the addresses of its uploads into a plan; one without any is returned as it is.
///
/// # Errors
///
/// `InvalidInput`, network and permission errors as they come.
pub(super) async fn hosted(shared: &Arc<Shared>, plan: Arc<PushPlan>, now: Millis) -> Result<Arc<PushPlan>> {
    if plan.uploads.is_empty() {
        return Ok(plan);
    }
    let addresses = upload(shared, &plan.uploads, now).await?;
    Ok(Arc::new(plan.hosted(&addresses)))
}

/// Uploads the pictures of a text from which an item is made; says of each where it stands, or why it cannot be one.
///
/// # Errors
///
/// `InvalidInput` when a file is no picture any more, network and permission errors as they come.
pub(super) async fn hosted_by_name(shared: &Arc<Shared>, text: &str, now: Millis) -> Result<Hosted> {
    let named = shared.kind.named_pictures(text);
    let here = shared.clone();
    // All are looked at before the first goes anywhere.
    let found = {
        let named = named.clone();
        blocking(move || Ok(look(&here, named))).await?
    };
    let (mut hosted, mut good) = (Hosted::new(), Vec::new());
    for name in named {
        match found.named.get(&name) {
            Some(Err(why)) => {
                hosted.insert(name, Err(why.clone()));
            }
            Some(Ok(())) | None => good.push(name),
        }
    }
    let addresses = upload(shared, &good, now).await?;
    hosted.extend(good.into_iter().zip(addresses.into_iter().map(Ok)));
    // An address that Google could not take a moment ago is no picture either.
    hosted.extend(found.named.into_iter().filter_map(|(name, found)| Some((name, Err(found.err()?)))));
    Ok(hosted)
}

/// Takes away what stands in Drive for a push that is over. While one is under way it waits for it, if it is `patient`;
/// else it leaves all to whoever cleans up behind that.
pub(super) async fn clean(shared: &Arc<Shared>, patient: bool) {
    // Two at once would ask for everything twice, and nothing may be taken away under a push that needs it.
    let _alone = match shared.uploading.try_write() {
        Ok(alone) => alone,
        Err(_) if patient => shared.uploading.write().await,
        Err(_) => return,
    };
    let here = shared.clone();
    let left = match blocking(move || here.store()?.hosted()).await {
        Ok(left) => left,
        Err(error) => return tracing::warn!(%error, "uploaded pictures cannot be listed"),
    };
    for id in left {
        if let Err(error) = shared.kind.unhost(&id).await {
            tracing::warn!(%error, "an uploaded picture is still in Drive; it is removed later");
            continue;
        }
        let here = shared.clone();
        if let Err(error) = blocking(move || here.store()?.drop_hosted(&id)).await {
            tracing::warn!(%error, "a note about an uploaded picture stays; it is looked at again");
        }
    }
}
