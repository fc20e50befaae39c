//! New items. What one is to say is noted before anything is asked, and until it is made: else, by this process or by the next
//! start, the text is put aside, and that is told of for as long as it stands there.

use std::path::PathBuf;

use super::clock::system_ms;
use super::crash::crash_point;
use super::handle::MirrorHandle;
use super::report::FetchReport;
use super::{Shared, blocking, uploads};
use crate::error::{Error, Result};
use crate::model::{Millis, PartId};
use crate::store::Making;

impl MirrorHandle {
    /// Makes a new item and mirrors it. The report's first notices are about the text that it was made of.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the text cannot become an item. When the item was made but cannot be read yet, the error
    /// names its URL, so that nobody makes it twice. Whatever else goes wrong, the error names where the text is kept.
    pub async fn create(&self, title: &str, text: &str) -> Result<FetchReport> {
        let (mirror, title, text) = (self.clone(), title.to_owned(), text.to_owned());
        // In a task of its own, a caller who gives up waiting does not cut it in half.
        let made = tokio::spawn(async move {
            let (shared, noted) = (mirror.shared_arc(), (title.clone(), text.clone()));
            let number = blocking(move || shared.store()?.note_making(&noted.0, &noted.1, Millis(system_ms()))).await?;
            crash_point("after_making_noted");
            let (made, is_over) = match mirror.check_writable().await {
                Ok(()) => {
                    let made = mirror.make(&title, &text).await;
                    let is_over = matches!(made, Ok(_) | Err(Error::InvalidInput { .. }));
                    (made, is_over)
                }
                Err(error) => (Err(error), false),
            };
            let shared = mirror.shared_arc();
            let making = Making { number, title, text, path: None };
            let kept = blocking(move || match is_over || making.text.trim().is_empty() {
                true => shared.store()?.drop_making(making.number).map(|()| None),
                false => put_aside(&shared, &making, Millis(system_ms())).map(Some),
            });
            match (made, kept.await) {
                (Err(error), Ok(Some(path))) => Err(Error::Told {
                    kind: error.kind(),
                    message: error.with_causes(),
                    suggestion: format!("{} What it was to say is kept at {}", after(&error), path.display()),
                }),
                (made, Ok(_)) => made,
                (made, Err(error)) => {
                    tracing::error!(%error, "a new document stays noted, and is told of at the next start");
                    made
                }
            }
        })
        .await;
        made.map_err(|panic| Error::ExtractionFailed { id: "the text".into(), source: panic.into() })?
    }

    /// Makes an item and mirrors it.
    async fn make(&self, title: &str, text: &str) -> Result<FetchReport> {
        let shared = &self.shared_arc();
        let made = if shared.kind.named_pictures(text).is_empty() {
            shared.kind.create(title, text).await
        } else {
            let needed = shared.uploading.read().await;
            let made = match uploads::hosted_by_name(shared, text, Millis(system_ms())).await {
                Ok(addresses) => shared.kind.create_with(title, text, &addresses).await,
                Err(error) => Err(error),
            };
            drop(needed);
            uploads::clean(shared, true).await;
            made
        }?;
        crash_point("after_making");
        let mut report = self.fetch(&made.id.0).await.map_err(|error| Error::Network {
            doing: format!("reading {}, which was made,", made.url),
            outcome_unknown: false,
            source: Box::new(error),
        })?;
        report.notices.splice(0..0, made.notices.into_iter().map(|notice| (PartId::default(), notice)));
        Ok(report)
    }
}

/// What to do about an item that was not made, or not for certain. Nothing tries that again by itself.
fn after(error: &Error) -> String {
    if matches!(error, Error::Network { .. } | Error::RateLimited { .. }) {
        "Make it once more when Google answers again; nothing does by itself.".into()
    } else {
        error.suggestion()
    }
}

/// Puts aside what an item was to say; returns where that stands.
fn put_aside(shared: &Shared, making: &Making, now: Millis) -> Result<PathBuf> {
    let path = shared.workspace.put_aside(&making.title, &making.text, now)?;
    shared.store()?.keep_making(making.number, &path)?;
    tracing::warn!(path = %path.display(), "a document was not made, or not for certain; what it was to say is kept");
    Ok(path)
}

/// Puts aside what items were to say whose making was cut off: nobody had an answer, and may have the text no more.
pub(super) fn put_aside_cut_off(shared: &Shared, now: Millis) -> Result<()> {
    let makings = shared.store()?.makings()?;
    for making in makings {
        if making.path.as_ref().is_some_and(|path| !path.exists()) {
            shared.store()?.drop_making(making.number)?;
        } else if making.path.is_none() {
            put_aside(shared, &making, now)?;
        }
    }
    Ok(())
}

/// Returns the items that were not made, or not for certain, for as long as what they were to say stands where it was put.
pub(super) fn told(makings: &[Making]) -> Vec<(String, PathBuf)> {
    let kept = makings.iter().filter_map(|making| Some((making.title.clone(), making.path.clone()?)));
    kept.filter(|(_, path)| path.exists()).collect()
}
