//! The tools of this profile by their names, and what each may take of a minute.

use std::time::Duration;

/// One of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    /// Tells whether notebooks can be asked.
    HealthCheck,
    /// Lists the notebooks.
    ListNotebooks,
    /// Tells of one.
    GetNotebook,
    /// Lists its sources.
    ListSources,
    /// Adds one.
    AddSource,
    /// Asks a question.
    Ask,
}

impl Tool {
    /// All of them, in the order in which clients see them.
    pub(super) const ALL: [Self; 6] =
        [Self::HealthCheck, Self::ListNotebooks, Self::GetNotebook, Self::ListSources, Self::AddSource, Self::Ask];

    /// Finds the one of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The name for clients.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::HealthCheck => "health_check",
            Self::ListNotebooks => "list_notebooks",
            Self::GetNotebook => "get_notebook",
            Self::ListSources => "list_sources",
            Self::AddSource => "add_source",
            Self::Ask => "ask",
        }
    }

    /// How long it takes at most: what is usual, and what nobody can go beyond.
    const fn waits(self) -> (Duration, Duration) {
        let seconds = match self {
            Self::HealthCheck | Self::ListNotebooks | Self::GetNotebook | Self::ListSources => (30, 60),
            Self::AddSource => (60, 120),
            Self::Ask => (90, 180),
        };
        (Duration::from_secs(seconds.0), Duration::from_secs(seconds.1))
    }

    /// Returns how long it takes at most where somebody `wanted` it so.
    pub(super) fn wait(self, wanted: Option<Duration>) -> Duration {
        let (usual, longest) = self.waits();
        wanted.unwrap_or(usual).min(longest)
    }

    /// How often it may be called in a minute, where that is less than all of them together may.
    pub(super) const fn limit(self) -> Option<usize> {
        match self {
            Self::AddSource | Self::Ask => Some(5),
            Self::HealthCheck | Self::ListNotebooks | Self::GetNotebook | Self::ListSources => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_time() {
        let seconds = Duration::from_secs;
        for (tool, wanted, expected) in [
            (Tool::Ask, None, 90),
            (Tool::Ask, Some(170), 170),
            (Tool::Ask, Some(1_000), 180),
            (Tool::AddSource, None, 60),
            (Tool::AddSource, Some(1_000), 120),
            (Tool::HealthCheck, None, 30),
            (Tool::ListNotebooks, Some(1_000), 60),
            (Tool::GetNotebook, Some(1), 1),
        ] {
            assert_eq!(tool.wait(wanted.map(seconds)), seconds(expected), "{tool:?} {wanted:?}");
        }
    }
}
