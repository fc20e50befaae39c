//! How often the tools are called in a minute. Pure: time comes in.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::toolkit::Tool;

/// How many calls of all tools may be made in a minute.
const CALLS_MAX: usize = 10;
/// As long a call counts.
const MINUTE: Duration = Duration::from_secs(60);

/// The calls of the last minute, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Calls(VecDeque<(Instant, Tool)>);

/// A call that would be one too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany {
    /// After how many whole seconds it may be made.
    pub(super) retry_after_s: u64,
    /// How many may be made in a minute.
    pub(super) limit: usize,
}

impl Calls {
    /// Counts a call. One that is refused does not count.
    ///
    /// # Errors
    ///
    /// [`TooMany`].
    pub(super) fn count(&mut self, tool: Tool, now: Instant) -> Result<(), TooMany> {
        self.0.retain(|(at, _)| now.saturating_duration_since(*at) < MINUTE);
        let own = tool.limit().map(|limit| (limit, Some(tool)));
        let mut refused: Option<TooMany> = None;
        for (limit, of) in own.into_iter().chain([(CALLS_MAX, None)]) {
            let mut counted = self.0.iter().filter(|(_, tool)| of.is_none_or(|of| of == *tool));
            let surplus = counted.clone().count().saturating_sub(limit - 1);
            // The call that has to be a minute old for this one.
            let Some((at, _)) = surplus.checked_sub(1).and_then(|index| counted.nth(index)) else { continue };
            let left = MINUTE.saturating_sub(now.saturating_duration_since(*at));
            let too_many = TooMany { retry_after_s: left.as_secs() + u64::from(left.subsec_nanos() > 0), limit };
            refused = refused.filter(|other| other.retry_after_s >= too_many.retry_after_s).or(Some(too_many));
        }
        match refused {
            Some(too_many) => Err(too_many),
            None => {
                self.0.push_back((now, tool));
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes calls at their seconds, and tells of each whether it was taken: `.`, or after how long it may come and what the limit is.
    fn check(calls: &[(u64, Tool)], expected: &[Option<(u64, usize)>]) {
        let began = Instant::now();
        let mut counted = Calls::default();
        let made = calls.iter().map(|(at, tool)| counted.count(*tool, began + Duration::from_secs(*at)).err());
        let refused: Vec<_> = made.map(|too_many| too_many.map(|many| (many.retry_after_s, many.limit))).collect();
        assert_eq!(refused, expected, "{calls:?}");
    }

    #[test]
    fn ten_calls_a_minute() {
        let mut calls: Vec<(u64, Tool)> = (0..10).map(|at| (at, Tool::ListSources)).collect();
        let mut expected = vec![None; 10];
        calls.extend([(20, Tool::Ask), (59, Tool::HealthCheck), (60, Tool::GetNotebook), (60, Tool::GetNotebook)]);
        expected.extend([Some((40, 10)), Some((1, 10)), None, Some((1, 10))]);
        check(&calls, &expected);
    }

    #[test]
    fn five_questions_and_five_sources_of_them() {
        let mut calls = vec![(0, Tool::Ask); 5];
        calls.extend([(1, Tool::Ask), (2, Tool::AddSource), (61, Tool::Ask)]);
        check(&calls, &[None, None, None, None, None, Some((59, 5)), None, None]);
        // Both limits are reached, and the later moment counts.
        for (first, then, expected) in [
            (Tool::AddSource, Tool::ListSources, (29, 5)),
            (Tool::ListSources, Tool::AddSource, (59, 5)),
            (Tool::Ask, Tool::ListSources, (29, 10)),
        ] {
            let mut calls = vec![(0, first); 5];
            calls.extend([(30, then); 5]);
            calls.push((31, Tool::AddSource));
            let mut refused = vec![None; 10];
            refused.push(Some(expected));
            check(&calls, &refused);
        }
    }
}
