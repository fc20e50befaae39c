//! Faults that a program like this may have, planted into the shell: a simulation that does not find them proves nothing.

/// A planted fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plant {
    /// A push without an answer is sent once more, requiring no revision.
    ResendsBlind,
    /// After lost events of the watcher nothing is looked at.
    IgnoresRescan,
    /// The cursor of the feed is stored before what it named.
    CursorBeforeItem,
    /// A file is replaced whatever stands there.
    NoStampCheck,
    /// Nothing waits until the disk has what was written.
    DepositsWithoutSync,
    /// The base moves when a push is sent, not when it has landed.
    RecordsBeforeAnswer,
    /// A merge takes the file's text alone.
    DropsTheirs,
    /// A save is pushed though the disk does not have it yet.
    TrustsTheCache,
    /// What came into a file is not remembered, so that a save of an older text is taken for a deletion.
    ForgetsArrivals,
    /// What a file is about to say is not written down, so that after a crash it looks like edits of a person.
    ForgetsIntents,
    /// A file that was replaced is removed, though an editor may have it open.
    ForgetsReplaced,
}

impl Plant {
    /// All of them.
    pub(crate) const ALL: [Self; 11] = [
        Self::ResendsBlind,
        Self::IgnoresRescan,
        Self::CursorBeforeItem,
        Self::NoStampCheck,
        Self::DepositsWithoutSync,
        Self::RecordsBeforeAnswer,
        Self::DropsTheirs,
        Self::TrustsTheCache,
        Self::ForgetsArrivals,
        Self::ForgetsIntents,
        Self::ForgetsReplaced,
    ];
}
