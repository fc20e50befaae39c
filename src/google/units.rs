//! What Gmail counts: each method has a price in units, and an account may spend so many a minute.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/reference/quota>

/// The prices of the methods that are called, and what an account may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailUnits {
    /// Units that an account may spend in a minute.
    pub per_minute: u32,
    /// Price of `threads.get`.
    pub get_thread: u32,
    /// Price of `messages.get`.
    pub get_message: u32,
    /// Price of `threads.list`.
    pub list: u32,
    /// Price of `history.list`.
    pub history: u32,
    /// Price of `getProfile` and of `labels.list`.
    pub small: u32,
    /// Price of `threads.modify`, `drafts.create` and `drafts.update`: that of the dearest.
    pub change: u32,
}

impl MailUnits {
    /// Of programs that were registered since May 2026. What a change costs is not told; it is taken to have grown as reading has.
    pub const NEW: Self =
        Self { per_minute: 6_000, get_thread: 40, get_message: 20, list: 10, history: 2, small: 1, change: 60 };

    /// Of older programs.
    pub const OLD: Self =
        Self { per_minute: 15_000, get_thread: 10, get_message: 5, list: 10, history: 2, small: 1, change: 15 };

    /// Of one that may be asked as often as anybody likes.
    pub const NONE: Self = Self { per_minute: u32::MAX, ..Self::NEW };
}
