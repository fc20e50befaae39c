//! Files of which nothing is known from before, since the state was lost or nothing was ever agreed: somebody may still have an older
//! text, and nothing tells what that lacks from a deletion, nor what it still has from something new. Pure.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::mebdf;
use crate::model::{ContentHash, Millis, Notice, Stamp, counted};

use super::item::{Part, notice};
use super::merge;
use super::words::words_in;

/// How long an editor may have a text open without looking at the file again, in milliseconds.
const OPEN_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// How many words are shown to a person.
const SHOWN_WORDS: usize = 8;

/// As many words of a save that was let go are remembered.
const READ_MAX: usize = 16;

/// The code of what tells why a save waits.
const STATE_LOST: &str = "STATE_LOST";

/// What is known of a file of which nothing is known from before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blind {
    /// Until when saves wait that may have been made from an older text.
    pub until: Millis,
    /// Words that were first written in a save which its person has let go: who has most of them has read the newest text. Empty
    /// as long as there was none.
    pub read: Vec<String>,
}

impl Blind {
    /// Of a file that stood there when nothing was known of it; `None` where it has said the same for so long that whoever has it
    /// open has read that.
    pub(super) fn found(stamp: &Stamp, now: Millis) -> Option<Self> {
        // Programs give a save an older date, and nobody sets the time of a change.
        let changed_ms = u64::try_from(stamp.mtime_ns.max(stamp.ctime_ns) / 1_000_000).unwrap_or_default();
        let until = changed_ms.min(now.0).saturating_add(OPEN_MS);
        (now.0 < until).then_some(Self { until: Millis(until), read: Vec::new() })
    }

    /// Takes in that a person has let a text go, or chosen it, where the document or the base said the `others`.
    pub(super) fn let_go(&mut self, text: &str, others: [&str; 2]) {
        let known: BTreeSet<&str> = others.into_iter().flat_map(|text| words_in(mebdf::body(text))).collect();
        let new: BTreeSet<&str> = words_in(mebdf::body(text)).filter(|word| !known.contains(word)).collect();
        if !new.is_empty() {
            self.read = new.into_iter().take(READ_MAX).map(str::to_owned).collect();
        }
    }

    /// Of a file that is written where none stood and nothing is known since a time, if it is not: since the state was lost, perhaps.
    /// The file may have stood there before that, and somebody may bring it back, or have it open.
    pub(super) fn written_anew(unknown_since: Option<Millis>, now: Millis) -> Option<Self> {
        let until = unknown_since?.0.saturating_add(OPEN_MS);
        (now.0 < until).then_some(Self { until: Millis(until), read: Vec::new() })
    }

    fn is_read_in(&self, said: &BTreeSet<&str>) -> bool {
        let there = self.read.iter().filter(|word| said.contains(word.as_str())).count();
        there * 2 > self.read.len()
    }
}

/// Why a save waits of such a file; `None` where it is the text that was found or written there, changes nothing of the base, was
/// made by who has read what was let go, or time has passed.
pub(super) fn held(part: &Part, hash: ContentHash, [base, text]: [&str; 2], now: Millis) -> Option<Notice> {
    let blind = part.state.blind.as_ref().filter(|blind| now < blind.until)?;
    if part.hash == Some(hash) || !merge::is_edited(base, text) {
        return None;
    }
    let [was, is] = [base, text].map(|text| words_in(mebdf::body(text)).collect::<Vec<_>>());
    let [known, said] = [&was, &is].map(|words| words.iter().copied().collect::<BTreeSet<_>>());
    if blind.is_read_in(&said) {
        return None;
    }
    let gone: Vec<&str> = was.into_iter().filter(|word| !said.contains(word)).collect();
    let came: Vec<&str> = is.into_iter().filter(|word| !known.contains(word)).collect();
    let changes = [(gone, "without"), (came, "with")].into_iter().filter(|(words, _)| !words.is_empty());
    let changes: Vec<String> = changes.map(|(words, how)| format!("{how} {}", shown(&words))).collect();
    let changes = if changes.is_empty() { String::new() } else { format!(" ({})", changes.join(", ")) };
    let message = format!(
        "what this file said earlier, if it stood there, is not known, so nobody can tell whether this save{changes} was made from \
         its newest text; look at it with `diff`, and push the file with `push --accept`, or delete it and `restore` it to have the document's \
         text"
    );
    Some(notice(STATE_LOST, message))
}

/// The first of some words, and how many more there are.
fn shown(words: &[&str]) -> String {
    let first = words.iter().take(SHOWN_WORDS).copied().collect::<Vec<_>>().join(" ");
    match words.len().saturating_sub(SHOWN_WORDS) {
        0 => format!("`{first}`"),
        more => format!("`{first}` and {}", counted(more, "more word")),
    }
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
            let found = Blind::found(&stamp(mtime, ctime), Millis(now)).map(|blind| blind.until);
            assert_eq!(found, expected.map(Millis), "{mtime} {ctime}");
        }
    }
}
