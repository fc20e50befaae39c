//! New items. What one is to say is noted before anything is asked, and until it is made: else, by this process or by the next
//! start, the text is put aside, and that is told of for as long as it stands there.

use std::path::{Path, PathBuf};

use super::clock::system_ms;
use super::crash::crash_point;
use super::handle::MirrorHandle;
use super::report::FetchReport;
use super::{Shared, blocking, uploads};
use crate::error::{Error, Result};
use crate::model::{ItemId, Millis, PartId};
use crate::store::Making;
use crate::sync::NotTaken;

/// A new item.
pub(super) struct New {
    /// Its id.
    pub(super) item: ItemId,
    /// Where it stands once it was read.
    pub(super) read: Result<FetchReport>,
}

impl MirrorHandle {
    /// Makes a new item and mirrors it. The report's first notices are about the text that it was made of.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the text cannot become an item. When the item was made but cannot be read yet, the error
    /// names its URL, so that nobody makes it twice. Whatever else goes wrong, the error names where the text is kept, or
    /// that it could not be.
    pub async fn create(&self, title: &str, text: &str) -> Result<FetchReport> {
        let (mirror, title, text) = (self.clone(), title.to_owned(), text.to_owned());
        // In a task of its own, a caller who gives up waiting does not cut it in half.
        let made = tokio::spawn(async move {
            let (shared, noted) = (mirror.shared_arc(), (title.clone(), text.clone()));
            let noted =
                blocking(move || shared.store()?.note_making(&noted.0, &noted.1, None, Millis(system_ms()))).await;
            let number = noted.map_err(|error| Error::Told {
                kind: error.kind(),
                message: error.with_causes(),
                suggestion: format!(
                    "{} Nothing was made, and what it was to say is kept nowhere: create it again then.",
                    error.suggestion()
                ),
            })?;
            crash_point("after_making_noted");
            let (made, is_over) = match mirror.check_writable().await {
                Ok(()) => {
                    let made = mirror.make(&title, &text).await.and_then(|new| new.read);
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

    /// Makes an item of a text that stands in a file, and mirrors it. Until it is known what became of that, it is noted that
    /// nobody may make it once more.
    pub(super) async fn make_of_file(&self, title: &str, text: &str, path: &Path) -> Result<New, NotTaken> {
        let not_taken = |error: &Error, again| {
            let why = format!("{}. {}", error.with_causes().trim_end_matches('.'), error.suggestion());
            NotTaken { why, again }
        };
        // Nothing is asked while it may not be; and what may not be now may be later.
        self.check_writable().await.map_err(|error| not_taken(&error, true))?;
        let (mirror, title, text, path) = (self.clone(), title.to_owned(), text.to_owned(), path.to_owned());
        let made = tokio::spawn(async move {
            let (shared, noted) = (mirror.shared_arc(), (title.clone(), text.clone(), path));
            let noting = move || {
                let (title, text, path) = noted;
                shared.store()?.note_making(&title, &text, Some(&path), Millis(system_ms()))
            };
            let number = blocking(noting).await.map_err(|error| not_taken(&error, true))?;
            crash_point("after_making_noted");
            let made = mirror.make(&title, &text).await;
            if !matches!(made, Err(Error::Told { .. })) {
                let shared = mirror.shared_arc();
                let dropped = blocking(move || shared.store()?.drop_making(number)).await;
                dropped.map_err(|error| not_taken(&error, false))?;
            }
            let may_pass = |error: &Error| error.retryable() || matches!(error, Error::AuthExpired { .. });
            made.map_err(|error| not_taken(&error, may_pass(&error)))
        });
        made.await.unwrap_or_else(|panic| {
            let error = Error::ExtractionFailed { id: "the text".into(), source: panic.into() };
            Err(not_taken(&error, false))
        })
    }

    /// Makes an item and mirrors it.
    async fn make(&self, title: &str, text: &str) -> Result<New> {
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
        let mut read = self.fetch(&made.id.0).await.map_err(|error| Error::Network {
            doing: format!("reading {}, which was made,", made.url),
            outcome_unknown: false,
            source: Box::new(error),
        });
        if let Ok(report) = &mut read {
            report.notices.splice(0..0, made.notices.into_iter().map(|notice| (PartId::default(), notice)));
        }
        Ok(New { item: made.id, read })
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
        if making.path.as_ref().is_some_and(|path| !is_file(path)) {
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
    kept.filter(|(_, path)| is_file(path)).collect()
}

/// Tells whether a file stands at a path; a link does not count, since one takes the place of a file of which an item was made.
fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}
