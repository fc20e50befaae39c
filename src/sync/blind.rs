//! Files of which nothing is known from before, since the state was lost: an editor may still have an older text open, and nothing
//! tells what that lacks from a deletion, nor what it still has from something new. Pure.

use std::collections::BTreeSet;

use crate::mebdf;
use crate::model::{ContentHash, Millis, Notice, Stamp};

use super::item::{Part, notice};
use super::merge;
use super::words::words_in;

/// How long an editor may have a text open without looking at the file again, in milliseconds.
const OPEN_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// How many words are shown to a person.
const SHOWN_WORDS: usize = 8;

/// The code of what tells why a save waits.
const STATE_LOST: &str = "STATE_LOST";

/// Until when the first save waits of a file that stood there when nothing was known of it; `None` where it has said the same for so
/// long that whoever has it open has read that.
pub(super) fn until(stamp: &Stamp, now: Millis) -> Option<Millis> {
    // Programs give a save an older date, and nobody sets the time of a change.
    let changed_ms = u64::try_from(stamp.mtime_ns.max(stamp.ctime_ns) / 1_000_000).unwrap_or_default();
    let until = changed_ms.min(now.0).saturating_add(OPEN_MS);
    (now.0 < until).then_some(Millis(until))
}

/// Why a save waits that is the first one of such a file; `None` where it is the text that was found or written there, changes nothing
/// of the base, or time has passed.
pub(super) fn held(part: &Part, hash: ContentHash, [base, text]: [&str; 2], now: Millis) -> Option<Notice> {
    part.state.blind_until.filter(|until| now < *until)?;
    if part.hash.is_none_or(|known| known == hash) || !merge::is_edited(base, text) {
        return None;
    }
    let said: BTreeSet<&str> = words_in(mebdf::body(text)).collect();
    let gone: Vec<&str> = words_in(mebdf::body(base)).filter(|word| !said.contains(word)).take(SHOWN_WORDS).collect();
    let without = if gone.is_empty() { String::new() } else { format!(" (it is without `{}`)", gone.join(" ")) };
    let message = format!(
        "what was known of this file was lost, so nobody can tell whether this save{without} was made from its newest text; look at it \
         with `diff`, and push the file with `push --accept`, or delete it and `restore` it to have the document's text"
    );
    Some(notice(STATE_LOST, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_said_the_same_for_long_is_open_nowhere_as_another() {
        let stamp = |mtime_ms: u64, ctime_ms: u64| Stamp {
            dev: 1,
            ino: 1,
            len_bytes: 1,
            mtime_ns: i128::from(mtime_ms) * 1_000_000,
            ctime_ns: i128::from(ctime_ms) * 1_000_000,
        };
        let now = 1_800_000_000_000;
        for (mtime, ctime, expected) in [
            (now - 5, now - 5, Some(now - 5 + OPEN_MS)),
            (now - OPEN_MS, now - OPEN_MS, None),
            // It was given an older date; or the clock was set back since.
            (now - 2 * OPEN_MS, now - 7, Some(now - 7 + OPEN_MS)),
            (now + OPEN_MS, now - 7, Some(now + OPEN_MS)),
            (0, 0, None),
        ] {
            assert_eq!(until(&stamp(mtime, ctime), Millis(now)), expected.map(Millis), "{mtime} {ctime}");
        }
    }
}
