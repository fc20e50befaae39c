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
    /// What went from a file is not remembered, so that a save of an older text is taken for something new.
    ForgetsDeletions,
    /// What a file is about to say is not written down, so that after a crash it looks like edits of a person.
    ForgetsIntents,
    /// A file that was replaced is removed, though an editor may have it open.
    ForgetsReplaced,
    /// A push goes out before the journal knows of it.
    PostsWithoutIntent,
    /// No push requires the revision that it was planned for.
    RequiresNoRevision,
    /// Indices are counted in letters, not in units of UTF-16.
    CountsLetters,
    /// What is pushed at once goes out in two requests.
    SplitsBatches,
    /// The main file is that of whichever tab stands first.
    ForgetsMain,
    /// A file that is not newer than the last known one counts as unchanged.
    ComparesTimes,
    /// What touches a file soon after the daemon did is taken for the daemon.
    IgnoresEchoesByTime,
    /// A save counts as complete while it is being written: its last whole line is taken for its end, nobody says that one has begun, nor
    /// looks whether it went on.
    HurriesSaves,
    /// A conflict is shown nowhere.
    WritesNoConflictFile,
    /// What stands in the file counts as agreed on.
    TakesFileForBase,
    /// As much is asked for in a minute as there is to ask for.
    IgnoresLimits,
    /// A pause ends with the daemon.
    ForgetsPauses,
    /// The edits of an account that is only mirrored are pushed.
    PushesMirrored,
    /// With a document all is forgotten at once that is known of its file.
    ForgetsForgotten,
}

impl Plant {
    /// All of them.
    pub(crate) const ALL: [Self; 26] = [
        Self::ResendsBlind,
        Self::IgnoresRescan,
        Self::CursorBeforeItem,
        Self::NoStampCheck,
        Self::DepositsWithoutSync,
        Self::RecordsBeforeAnswer,
        Self::DropsTheirs,
        Self::TrustsTheCache,
        Self::ForgetsArrivals,
        Self::ForgetsDeletions,
        Self::ForgetsIntents,
        Self::ForgetsReplaced,
        Self::PostsWithoutIntent,
        Self::RequiresNoRevision,
        Self::CountsLetters,
        Self::SplitsBatches,
        Self::ForgetsMain,
        Self::ComparesTimes,
        Self::IgnoresEchoesByTime,
        Self::HurriesSaves,
        Self::WritesNoConflictFile,
        Self::TakesFileForBase,
        Self::IgnoresLimits,
        Self::ForgetsPauses,
        Self::PushesMirrored,
        Self::ForgetsForgotten,
    ];
}
