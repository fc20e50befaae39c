//! New items. What one is to say is noted before anything is asked, and until it is made: else, by this process or by the next
//! start, the text is put aside, and that is told of for as long as it stands there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::clock::system_ms;
use super::crash::crash_point;
use super::handle::MirrorHandle;
use super::report::{FetchReport, Unmade};
use super::{Shared, blocking, uploads};
use crate::error::{Error, Result};
use crate::kinds::{Created, Filled, Hosted, NotFilled};
use crate::model::{ItemId, Millis, Notice, PartId};
use crate::store::Making;
use crate::sync::NotTaken;

/// An item that was made of a file.
pub(super) struct Made {
    /// Under which number that is noted.
    pub(super) number: i64,
    /// Its id.
    pub(super) item: ItemId,
    /// The text that was written into it: that of the file, or of an earlier save of it.
    pub(super) text: String,
    /// Whether it has that. Else somebody wrote there before.
    pub(super) whole: bool,
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
            let (made, fate) = match mirror.check_writable().await {
                Ok(()) => match mirror.make(&title, &text).await {
                    Ok(Created { id, url, notices }) => (mirror.fetch_made(&id, &url, notices).await, Fate::Over),
                    Err(error @ Error::InvalidInput { .. }) => (Err(error), Fate::Over),
                    Err(error) if is_refusal(&error) => (Err(error), Fate::Unmade),
                    Err(error) => (Err(error), Fate::Open),
                },
                Err(error) => (Err(error), Fate::Unmade),
            };
            let shared = mirror.shared_arc();
            let making = Making { number, title, text, path: None, item: None, asked: true };
            let kept = blocking(move || match fate {
                Fate::Open | Fate::Unmade if !making.text.trim().is_empty() => {
                    let making = Making { asked: fate == Fate::Open, ..making };
                    put_aside(&shared, &making, Millis(system_ms())).map(Some)
                }
                Fate::Open | Fate::Unmade | Fate::Over => shared.store()?.drop_making(making.number).map(|()| None),
            });
            match (made, kept.await) {
                // Without a text there is nothing to keep, and nothing tries it again either.
                (Err(error), Ok(None)) if fate != Fate::Over => {
                    Err(Error::Told { kind: error.kind(), message: error.with_causes(), suggestion: after(&error) })
                }
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
    /// nobody may make it once more; and once it is made, that it is, so that what is left to do is done to that one.
    pub(super) async fn make_of_file(&self, title: &str, text: &str, path: &Path) -> Result<Made, NotTaken> {
        let (shared, at) = (self.shared_arc(), path.to_owned());
        let begun = blocking(move || Ok(shared.reader().makings()?.into_iter().find_map(|making| begun(making, &at))));
        let begun = begun.await.map_err(|error| not_taken(&error, true))?;
        // Nothing is asked while it may not be; and what may not be now may be later.
        let made = begun.is_some();
        self.check_writable().await.map_err(|error| NotTaken { made, ..not_taken(&error, true) })?;
        let (mirror, title, text, path) = (self.clone(), title.to_owned(), text.to_owned(), path.to_owned());
        let made = tokio::spawn(async move {
            let begun = match begun {
                Some(begun) => begun,
                None => mirror.make_empty(title, &text, path).await?,
            };
            crash_point("after_making_empty");
            mirror.fill(begun, text).await
        });
        made.await.unwrap_or_else(|panic| {
            let error = Error::ExtractionFailed { id: "the text".into(), source: panic.into() };
            Err(not_taken(&error, false))
        })
    }

    /// Makes an item that is to say what stands in a file, and notes that it is made.
    async fn make_empty(&self, title: String, text: &str, path: PathBuf) -> Result<Begun, NotTaken> {
        let (shared, named) = (self.shared_arc(), title.clone());
        let noting = move || shared.store()?.note_making(&named, "", Some(&path), Millis(system_ms()));
        let number = blocking(noting).await.map_err(|error| not_taken(&error, true))?;
        crash_point("after_making_noted");
        let shared = self.shared_arc();
        let looking = text.to_owned();
        let pictures = blocking(move || Ok(uploads::look(&shared, shared.kind.named_pictures(&looking)))).await;
        let made = match pictures {
            Ok(pictures) => self.shared().kind.create_empty(&title, text, &pictures).await,
            Err(error) => Err(error),
        };
        let shared = self.shared_arc();
        match made {
            Ok(Created { id, .. }) => {
                let item = id.clone();
                let noted = blocking(move || shared.store()?.note_made(number, &id, "")).await;
                noted.map_err(|error| not_filled(&item, &error, false))?;
                Ok(Begun { number, item, title, written: String::new() })
            }
            Err(error @ Error::Told { .. }) => Err(not_taken(&error, false)),
            Err(error) => {
                let dropped = blocking(move || shared.store()?.drop_making(number)).await;
                dropped.map_err(|error| not_taken(&error, false))?;
                Err(not_taken(&error, may_pass(&error)))
            }
        }
    }

    /// Makes an item that was made say what may have been written into it before, or else `text`, and mirrors it.
    async fn fill(&self, Begun { number, item, title, written }: Begun, text: String) -> Result<Made, NotTaken> {
        let was_begun = !written.is_empty();
        let text = if was_begun { written } else { text };
        let (shared, noted) = (self.shared_arc(), (item.clone(), text.clone()));
        let noting = blocking(move || shared.store()?.note_made(number, &noted.0, &noted.1)).await;
        noting.map_err(|error| not_filled(&item, &error, true))?;
        let (whole, notices) = match filled(&self.shared_arc(), (&item, &title), &text).await {
            Ok(Filled { whole, notices }) => (whole, notices),
            Err(NotFilled { error, begun }) => {
                let is_gone = matches!(error, Error::NotFound { .. });
                let (shared, id) = (self.shared_arc(), item.clone());
                let noted = blocking(move || match (is_gone, begun.unwrap_or(was_begun)) {
                    (true, _) => shared.store()?.drop_making(number),
                    (false, false) => shared.store()?.note_made(number, &id, ""),
                    (false, true) => Ok(()),
                });
                noted.await.map_err(|error| not_filled(&item, &error, true))?;
                return Err(if is_gone { gone(&item) } else { not_filled(&item, &error, may_pass(&error)) });
            }
        };
        crash_point("after_making");
        let read = self.fetch_made(&item, &item.0, notices).await;
        Ok(Made { number, item, text, whole, read })
    }

    /// Makes an item that says a text.
    async fn make(&self, title: &str, text: &str) -> Result<Created> {
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
        Ok(made)
    }

    /// Mirrors an item that was just made. The report's first notices are about the text that it was made of.
    async fn fetch_made(&self, item: &ItemId, named: &str, notices: Vec<Notice>) -> Result<FetchReport> {
        let mut report = self.fetch(&item.0).await.map_err(|error| Error::Told {
            kind: error.kind(),
            message: format!("{named} was made, but it cannot be read yet: {}", error.with_causes()),
            suggestion: format!("Do not make it once more: `fetch` {named} when Google answers again."),
        })?;
        report.notices.splice(0..0, notices.into_iter().map(|notice| (PartId::default(), notice)));
        Ok(report)
    }
}

/// What is known of an item that was to be made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It was made, or never can be.
    Over,
    /// It was not made: nobody was asked for it, or Google refused.
    Unmade,
    /// It was not made, or may have been.
    Open,
}

/// Writes a text into an item that was made empty, with its pictures.
async fn filled(shared: &Arc<Shared>, (item, title): (&ItemId, &str), text: &str) -> Result<Filled, NotFilled> {
    if shared.kind.named_pictures(text).is_empty() {
        return shared.kind.fill(item, title, text, &Hosted::new()).await;
    }
    let needed = shared.uploading.read().await;
    let filled = match uploads::hosted_by_name(shared, text, Millis(system_ms())).await {
        Ok(addresses) => shared.kind.fill(item, title, text, &addresses).await,
        Err(error) => Err(NotFilled { error, begun: None }),
    };
    drop(needed);
    uploads::clean(shared, true).await;
    filled
}

/// An item that was made of a file, and is to get its text yet.
struct Begun {
    /// Under which number that is noted.
    number: i64,
    item: ItemId,
    title: String,
    /// What may have been written into it; empty when nothing was.
    written: String,
}

/// Returns the item that was made of the file at a path, and is to get its text yet.
fn begun(making: Making, path: &Path) -> Option<Begun> {
    let Making { number, title, text: written, item, .. } =
        Some(making).filter(|making| making.path.as_deref() == Some(path))?;
    Some(Begun { number, item: item?, title, written })
}

/// Tells whether an error says that Google made nothing. What was made before something went wrong is [`Error::Told`].
const fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::PermissionDenied { .. }
            | Error::AuthExpired { .. }
            | Error::RateLimited { .. }
            | Error::NotFound { .. }
            | Error::Refused { .. }
            | Error::Network { outcome_unknown: false, .. }
    )
}

fn may_pass(error: &Error) -> bool {
    error.retryable() || matches!(error, Error::AuthExpired { .. })
}

fn not_taken(error: &Error, again: bool) -> NotTaken {
    let why = format!("{}. {}", error.with_causes().trim_end_matches('.'), error.suggestion());
    NotTaken { why, again, soon: false, made: false }
}

/// Says of an item that was made that its text is not there yet.
fn not_filled(item: &ItemId, error: &Error, again: bool) -> NotTaken {
    let then = match again {
        true => "It is tried again by itself, in that document.".to_owned(),
        false => format!("{} Once the file is saved anew, it is tried again in that document.", error.suggestion()),
    };
    let why = error.with_causes();
    let why =
        format!("it became the document {item}, which has not its text yet: {}. {then}", why.trim_end_matches('.'));
    NotTaken { why, again, soon: false, made: true }
}

/// Says of an item that was made that it is not there any more.
fn gone(item: &ItemId) -> NotTaken {
    let why = format!(
        "the document {item}, which was made of it, is gone before it had its text; save it anew to make another one"
    );
    NotTaken { why, again: false, soon: false, made: false }
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
    shared.store()?.keep_making(making.number, &path, making.asked)?;
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
pub(super) fn told(makings: &[Making]) -> Vec<Unmade> {
    // Of one that was made, and has not its text, its file tells.
    let unmade = makings.iter().filter(|making| making.item.is_none());
    let kept = unmade.filter_map(|making| {
        Some(Unmade { title: making.title.clone(), path: making.path.clone()?, asked: making.asked })
    });
    kept.filter(|unmade| is_file(&unmade.path)).collect()
}

/// Tells whether a file stands at a path; a link does not count, since one takes the place of a file of which an item was made.
fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}
