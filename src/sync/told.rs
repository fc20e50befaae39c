//! What went with pushes of a file though the file does not show it, kept until a person was told. Pure.

use serde::{Deserialize, Serialize};

use crate::model::{Millis, Notice};

/// Most notices that are kept for one file; the newest are.
const KEPT_MAX: usize = 20;

/// How long a push that lands adds to what earlier ones left, in milliseconds. Who saves each minute, or lets a program do
/// it, finds all of a day.
const KEPT_MS: u64 = 24 * 60 * 60 * 1000;

/// What went with pushes of a file that landed: each stays until somebody pushed the file by hand, which tells it, or until
/// another push lands a day later.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// When the last of it went.
    pub at: Millis,
    /// What went, oldest first, with the lines that the file had then.
    pub notices: Vec<Notice>,
}

impl Told {
    /// Takes in what went with a push that landed.
    pub(super) fn landed(&mut self, notices: Vec<Notice>, now: Millis) {
        if now.0.saturating_sub(self.at.0) >= KEPT_MS {
            self.notices.clear();
        }
        for notice in notices {
            self.at = now;
            // Once more it is the newest.
            self.notices.retain(|other| *other != notice);
            self.notices.push(notice);
        }
        self.notices.drain(..self.notices.len().saturating_sub(KEPT_MAX));
    }

    /// Lets go of what somebody has decided since.
    pub(super) fn decided(&mut self, code: &str) {
        self.notices.retain(|notice| notice.code != code);
    }

    /// Lets go of what somebody has read.
    pub(super) fn seen(&mut self, notices: &[Notice]) {
        self.notices.retain(|notice| !notices.contains(notice));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(line: u32) -> Notice {
        Notice { code: "RANGE_LOST".into(), line, column: 0, message: "x".into() }
    }

    /// Checks what is kept of pushes at these times with notices of these lines, when those of `seen` were read at the end.
    fn check(pushes: &[(u64, &[u32])], seen: &[u32], kept: &[u32]) {
        let mut told = Told::default();
        for (at, lines) in pushes {
            told.landed(lines.iter().copied().map(notice).collect(), Millis(*at));
        }
        told.seen(&seen.iter().copied().map(notice).collect::<Vec<_>>());
        assert_eq!(told.notices.iter().map(|notice| notice.line).collect::<Vec<_>>(), kept, "{pushes:?}");
    }

    #[test]
    fn what_went_is_kept_until_it_was_told() {
        let now = 1_800_000_000_000;
        check(&[(now, &[3])], &[], &[3]);
        check(&[(now, &[3]), (now + 1000, &[])], &[], &[3]);
        check(&[(now, &[3]), (now + 1000, &[1, 3])], &[], &[1, 3]);
        check(&[(now, &[3]), (now + 1000, &[1])], &[3], &[1]);
        check(&[(now, &[3]), (now + KEPT_MS - 1, &[])], &[], &[3]);
        check(&[(now, &[3]), (now + KEPT_MS, &[])], &[], &[]);
        check(&[(now, &[3]), (now + KEPT_MS, &[1])], &[], &[1]);
        let many: Vec<u32> = (1..=30).collect();
        check(&[(now, &many)], &[], &many[10..]);
    }
}
