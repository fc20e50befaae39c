//! New items. What one is to say is noted before anything is asked, and until whoever asked has an answer: a start that finds
//! such a note puts the text aside, and tells of it.

use super::clock::system_ms;
use super::crash::crash_point;
use super::handle::MirrorHandle;
use super::report::FetchReport;
use super::{blocking, uploads};
use crate::error::{Error, Result};
use crate::model::{Millis, PartId};

impl MirrorHandle {
    /// Makes a new item and mirrors it. The report's first notices are about the text that it was made of.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the text cannot become an item. When the item was made but cannot be read yet, the error
    /// names its URL, so that nobody makes it twice.
    pub async fn create(&self, title: &str, text: &str) -> Result<FetchReport> {
        self.check_writable().await?;
        let (mirror, title, text) = (self.clone(), title.to_owned(), text.to_owned());
        // In a task of its own, a caller who gives up waiting does not cut it in half.
        let made = tokio::spawn(async move {
            let (shared, noted) = (mirror.shared_arc(), (title.clone(), text.clone()));
            let number = blocking(move || shared.store()?.note_making(&noted.0, &noted.1, Millis(system_ms()))).await?;
            crash_point("after_making_noted");
            let made = mirror.make(&title, &text).await;
            let shared = mirror.shared_arc();
            if let Err(error) = blocking(move || shared.store()?.drop_making(number)).await {
                tracing::error!(%error, "a new document stays noted, and is told of at the next start");
            }
            made
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
