//! Who sends a batch, when, and how it is meant.

use super::thread::PostAuthor;

/// What a batch says besides its requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Makes fresh ids different from batch to batch.
    pub seed: u64,
    /// The moment, RFC 3339; comments bear it.
    pub now: String,
    /// Who sends it; comments bear the name. `me` is as the reader of the document sees it.
    pub author: PostAuthor,
    /// Whether edits of the text are made as suggestions.
    pub suggests: bool,
}

impl Setting {
    /// Returns the setting of a batch by nobody in particular, such as one that is only tried.
    #[must_use]
    pub fn plain(seed: u64) -> Self {
        Self { seed, now: "1970-01-01T00:00:00.000Z".into(), author: PostAuthor::default(), suggests: false }
    }
}
