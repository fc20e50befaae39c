//! Files beside the mirrored ones: Markdown that a person saves in `new/`, which is to become a document, and what an editor put
//! where a link to a mirrored file stood. Which of them are whole, and what became of those that were taken in. Pure.

use std::collections::BTreeMap;

use super::hold;
use crate::mebdf;
use crate::model::{Millis, Stamp};

/// For how long a file must stand as it is before it is taken in, in milliseconds.
const SETTLE_MS: u64 = 2_000;
/// For how long nothing must stand at a path until it is known for removed: some editors take a file away before they write it
/// anew, at once. In milliseconds.
const GONE_MS: u64 = 1_000;
/// After how long a file that is open, and is not written to, is told of, in milliseconds.
const OPEN_MS: u64 = 10_000;
/// The first pause after a failure that may pass, in milliseconds.
const RETRY_FIRST_MS: u64 = 15_000;
/// The longest such pause, in milliseconds.
const RETRY_LONGEST_MS: u64 = 600_000;
/// Files that wait at once; more of them are a folder that was put there by mistake.
const FILES_MAX: usize = 100;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stands {
    /// No file.
    Nothing,
    /// A link, or a text without a word: an editor may have made the file before it writes.
    Idle,
    /// A text, and whether some program has it open for writing.
    Text {
        /// Its version.
        stamp: Stamp,
        /// Whether it is open.
        open: bool,
    },
    /// What cannot be used, and why.
    Unusable(String),
}

/// What is to be done about a path now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Nothing yet.
    Wait,
    /// The file is whole: it is to be taken in, and [`Beside::done`] hears what became of that.
    Take(Stamp),
    /// What stood there was removed; with the version that was seen last.
    Gone(Option<Stamp>),
}

/// Why a file was not taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotTaken {
    /// What people read: what went wrong, and what to do.
    pub why: String,
    /// Whether the same file may be taken in by trying again, which makes nothing twice.
    pub again: bool,
    /// Whether that may be soon: another file is being saved.
    pub soon: bool,
    /// Whether an item was made of it all the same, which lacks its text or whose link does not stand there.
    pub made: bool,
}

/// What is known of the files beside the mirrored ones.
#[derive(Debug, Default)]
pub struct Beside {
    files: BTreeMap<String, File>,
}

#[derive(Debug)]
struct File {
    /// When it is looked at next; `None` until it is touched.
    due: Option<Millis>,
    /// The version that was seen last, and since when it stands there.
    seen: Option<(Stamp, Millis)>,
    /// Since when nothing stands there.
    gone: Option<Millis>,
    /// Why it waits.
    waits: Option<NotTaken>,
    /// How often it was tried in vain.
    tries: u32,
}

impl Beside {
    /// Hears that something happened at a path, or may have.
    pub fn touched(&mut self, path: &str, now: Millis) {
        let new = File { due: None, seen: None, gone: None, waits: None, tries: 0 };
        self.files.entry(path.to_owned()).or_insert(new).due = Some(now);
    }

    /// Hears of a file of which nobody knows whether it was taken in: it waits until it is saved anew.
    pub fn in_doubt(&mut self, path: &str, stamp: Stamp, why: String, now: Millis) {
        let waits = Some(NotTaken { why, again: false, soon: false, made: false });
        self.files.insert(path.to_owned(), File { due: None, seen: Some((stamp, now)), gone: None, waits, tries: 0 });
    }

    /// Returns the paths that are to be looked at now.
    #[must_use]
    pub fn due(&self, now: Millis) -> Vec<String> {
        let due = self.files.iter().filter(|(_, file)| file.due.is_some_and(|due| due <= now));
        due.map(|(path, _)| path.clone()).collect()
    }

    /// Returns when one must be looked at next.
    #[must_use]
    pub fn next_due(&self) -> Option<Millis> {
        self.files.values().filter_map(|file| file.due).min()
    }

    /// Hears what stands at a path that was due.
    pub fn looked(&mut self, path: &str, stands: Stands, now: Millis) -> Step {
        let is_crowded = self.files.len() > FILES_MAX;
        let Some(file) = self.files.get_mut(path) else { return Step::Wait };
        file.due = None;
        let (stamp, open) = match stands {
            Stands::Nothing => {
                let since = *file.gone.get_or_insert(now);
                if since.0 + GONE_MS > now.0 {
                    file.due = Some(Millis(since.0 + GONE_MS));
                    file.waits = None;
                    return Step::Wait;
                }
                let seen = self.files.remove(path).and_then(|file| file.seen);
                return Step::Gone(seen.map(|(stamp, _)| stamp));
            }
            Stands::Idle => {
                self.files.remove(path);
                return Step::Wait;
            }
            Stands::Unusable(why) => {
                (file.gone, file.seen) = (None, None);
                file.waits = Some(NotTaken { why, again: false, soon: false, made: false });
                return Step::Wait;
            }
            Stands::Text { stamp, open } => (stamp, open),
        };
        file.gone = None;
        let since = match file.seen {
            Some((seen, since)) if seen == stamp => since,
            Some(_) | None => {
                (file.seen, file.waits, file.tries) = (Some((stamp, now)), None, 0);
                now
            }
        };
        if file.waits.as_ref().is_some_and(|waits| !waits.again) {
            return Step::Wait;
        }
        if open && since.0 + OPEN_MS <= now.0 {
            let why = "it stays open for writing; close it in the program that writes it".to_owned();
            file.waits = Some(NotTaken { why, again: true, soon: false, made: false });
        }
        if open || since.0 + SETTLE_MS > now.0 {
            file.due = Some(Millis(now.0.max(since.0) + SETTLE_MS));
            return Step::Wait;
        }
        if is_crowded {
            let why = format!(
                "more than {FILES_MAX} files wait to be taken in at once, so none is; take away those that are not to become \
                 documents"
            );
            (file.due, file.waits) =
                (Some(Millis(now.0 + RETRY_FIRST_MS)), Some(NotTaken { why, again: true, soon: false, made: false }));
            return Step::Wait;
        }
        Step::Take(stamp)
    }

    /// Hears what became of a file that was to be taken in.
    pub fn done(&mut self, path: &str, done: Result<(), NotTaken>, now: Millis) {
        let Some(file) = self.files.get_mut(path) else { return };
        match done {
            // What was saved meanwhile is looked at.
            Ok(()) if file.due.is_none() => drop(self.files.remove(path)),
            Ok(()) => (file.seen, file.waits, file.tries) = (None, None, 0),
            Err(not_taken) => {
                if not_taken.again {
                    let pause = RETRY_FIRST_MS.saturating_mul(1 << file.tries.min(8)).min(RETRY_LONGEST_MS);
                    let retry = Millis(now.0 + if not_taken.soon { SETTLE_MS } else { pause });
                    file.due = Some(file.due.map_or(retry, |due| due.min(retry)));
                    file.tries += u32::from(!not_taken.soon);
                }
                file.waits = Some(not_taken);
            }
        }
    }

    /// Returns the files that wait, and why.
    #[must_use]
    pub fn waiting(&self) -> Vec<(String, NotTaken)> {
        self.files.iter().filter_map(|(path, file)| Some((path.clone(), file.waits.clone()?))).collect()
    }
}

/// Tells whether nothing has written to a file for as long as one is waited for. Where it says of itself that it was written later
/// than now, the time counts at which the system changed it last.
#[must_use]
pub fn stands_still(stamp: &Stamp, now: Millis) -> bool {
    let now_ns = i128::from(now.0) * 1_000_000;
    let since_ns = if stamp.mtime_ns > now_ns { (now_ns - stamp.ctime_ns).abs() } else { now_ns - stamp.mtime_ns };
    since_ns >= i128::from(SETTLE_MS) * 1_000_000
}

/// Tells whether the marks of an unfinished merge stand in a text, outside of code.
#[must_use]
pub fn is_half_merged(text: &str) -> bool {
    // Compared with a text that has an empty paragraph alone.
    hold::holds(Some("\\"), text).iter().any(|notice| notice.code == "MERGE_MARKS")
}

/// Gives a text that has no head, or one that names no item, the head of `base`, with the title that it says itself; `None` when it
/// needs none.
#[must_use]
pub fn with_head_of(base: &str, text: &str) -> Option<String> {
    if text.trim().is_empty() || mebdf::head(text).is_some_and(|head| head.value("id").is_some()) {
        return None;
    }
    let (body, head_of) = (mebdf::body(text), |said: &str| said.len() - mebdf::body(said).len());
    let [own, head] = [text, base].map(|said| said.get(..head_of(said)).unwrap_or_default());
    mebdf::head(base)?.value("id")?;
    let title = |head: &str| head.lines().find(|line| line.starts_with("title:")).map(str::to_owned);
    let head = match (title(head), title(own)) {
        (Some(was), Some(is)) => head.replacen(&was, &is, 1),
        (None, _) | (_, None) => head.to_owned(),
    };
    Some(format!("{head}{body}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "new/a.md";

    fn version(number: u64) -> Stamp {
        Stamp { dev: 1, ino: number, len_bytes: 9, mtime_ns: 0, ctime_ns: 0 }
    }

    fn text(number: u64) -> Stands {
        Stands::Text { stamp: version(number), open: false }
    }

    fn no(again: bool) -> NotTaken {
        NotTaken { why: "no".into(), again, soon: false, made: false }
    }

    #[test]
    fn a_file_is_taken_in_once_it_stands_still() {
        let mut beside = Beside::default();
        assert_eq!(beside.next_due(), None);
        beside.touched(A, Millis(10_000));
        assert_eq!(beside.due(Millis(10_000)), [A]);
        assert_eq!(beside.looked(A, text(1), Millis(10_000)), Step::Wait);
        assert_eq!(beside.next_due(), Some(Millis(12_000)));
        // Another version begins anew, and so does one that is open.
        assert_eq!(beside.looked(A, text(2), Millis(12_000)), Step::Wait);
        let open = Stands::Text { stamp: version(2), open: true };
        assert_eq!(beside.looked(A, open.clone(), Millis(14_000)), Step::Wait);
        assert_eq!(beside.waiting(), []);
        assert_eq!(beside.looked(A, open, Millis(22_000)), Step::Wait);
        assert_eq!((beside.waiting().len(), beside.next_due()), (1, Some(Millis(24_000))));
        assert_eq!(beside.looked(A, text(2), Millis(24_000)), Step::Take(version(2)));
        beside.done(A, Ok(()), Millis(25_000));
        assert_eq!((beside.next_due(), beside.waiting()), (None, Vec::new()));
    }

    #[test]
    fn what_failed_is_tried_again_only_where_that_is_safe() {
        let mut beside = Beside::default();
        for again in [true, false] {
            beside.touched(A, Millis(0));
            assert_eq!(beside.looked(A, text(1), Millis(0)), Step::Wait);
            assert_eq!(beside.looked(A, text(1), Millis(2_000)), Step::Take(version(1)));
            beside.done(A, Err(no(again)), Millis(2_000));
            assert_eq!(beside.waiting(), [(A.to_owned(), no(again))]);
            assert_eq!(beside.next_due(), again.then_some(Millis(17_000)), "{again}");
            // The same file once more, by whoever says so.
            beside.touched(A, Millis(20_000));
            let expected = if again { Step::Take(version(1)) } else { Step::Wait };
            assert_eq!(beside.looked(A, text(1), Millis(20_000)), expected);
            beside.done(A, Err(no(again)), Millis(20_000));
            assert_eq!(beside.next_due(), again.then_some(Millis(50_000)), "{again}");
            // A save is another file.
            beside.touched(A, Millis(30_000));
            assert_eq!(beside.looked(A, text(2), Millis(30_000)), Step::Wait);
            assert_eq!(beside.looked(A, text(2), Millis(32_000)), Step::Take(version(2)));
            beside.done(A, Ok(()), Millis(32_000));
        }
        // What nobody knows of waits like what must not be tried again.
        beside.in_doubt(A, version(3), "perhaps".into(), Millis(0));
        beside.touched(A, Millis(60_000));
        assert_eq!(beside.looked(A, text(3), Millis(60_000)), Step::Wait);
        assert_eq!(beside.waiting().len(), 1);
        assert_eq!(beside.looked(A, text(4), Millis(61_000)), Step::Wait);
        assert_eq!(beside.waiting().len(), 0);
    }

    #[test]
    fn what_waits_for_another_file_is_tried_soon() {
        let mut beside = Beside::default();
        beside.touched(A, Millis(0));
        beside.looked(A, text(1), Millis(0));
        for at in [2_000, 4_000, 6_000] {
            assert_eq!(beside.looked(A, text(1), Millis(at)), Step::Take(version(1)));
            beside.done(A, Err(NotTaken { soon: true, ..no(true) }), Millis(at));
            assert_eq!(beside.next_due(), Some(Millis(at + SETTLE_MS)));
        }
    }

    #[test]
    fn a_file_stands_still_whatever_time_it_tells_of_itself() {
        let now = Millis(100_000);
        for (written_ms, changed_ms, expected) in [
            (98_000, 98_000, true),
            (98_001, 98_001, false),
            (98_000, 99_000, true),
            (900_000, 98_000, true),
            (900_000, 99_000, false),
            // The clock was set back since.
            (900_000, 900_000, true),
        ] {
            let [mtime_ns, ctime_ns] = [written_ms, changed_ms].map(|ms: i128| ms * 1_000_000);
            let stamp = Stamp { mtime_ns, ctime_ns, ..version(1) };
            assert_eq!(stands_still(&stamp, now), expected, "{written_ms} {changed_ms}");
        }
    }

    #[test]
    fn what_is_saved_while_a_file_is_taken_in_is_looked_at() {
        let mut beside = Beside::default();
        beside.touched(A, Millis(0));
        beside.looked(A, text(1), Millis(0));
        assert_eq!(beside.looked(A, text(1), Millis(2_000)), Step::Take(version(1)));
        beside.touched(A, Millis(2_500));
        beside.done(A, Ok(()), Millis(3_000));
        assert_eq!(beside.due(Millis(3_000)), [A]);
    }

    #[test]
    fn a_path_is_free_after_a_while() {
        let mut beside = Beside::default();
        beside.touched(A, Millis(0));
        assert_eq!(beside.looked(A, Stands::Nothing, Millis(0)), Step::Wait);
        beside.touched(A, Millis(500));
        assert_eq!(beside.looked(A, text(1), Millis(500)), Step::Wait);
        assert_eq!(beside.looked(A, Stands::Nothing, Millis(1_000)), Step::Wait);
        assert_eq!(beside.next_due(), Some(Millis(2_000)));
        assert_eq!(beside.looked(A, Stands::Nothing, Millis(2_000)), Step::Gone(Some(version(1))));
        // A link, or an empty file, is nothing to wait for.
        beside.touched(A, Millis(20_000));
        assert_eq!(beside.looked(A, Stands::Idle, Millis(20_000)), Step::Wait);
        assert_eq!(beside.next_due(), None);
        beside.touched(A, Millis(20_000));
        assert_eq!(beside.looked(A, Stands::Unusable("a pipe".into()), Millis(20_000)), Step::Wait);
        assert_eq!(beside.waiting(), [(A.to_owned(), NotTaken { why: "a pipe".into(), ..no(false) })]);
    }

    #[test]
    fn a_folder_full_of_files_waits() {
        let mut beside = Beside::default();
        let paths: Vec<String> = (0..=FILES_MAX).map(|number| format!("new/{number}.md")).collect();
        for path in &paths {
            beside.touched(path, Millis(0));
            beside.looked(path, text(1), Millis(0));
        }
        assert!(paths.iter().all(|path| beside.looked(path, text(1), Millis(2_000)) == Step::Wait));
        assert_eq!(beside.waiting().len(), paths.len());
        // One less, and the others go on.
        beside.looked(&paths[0], Stands::Nothing, Millis(3_000));
        beside.looked(&paths[0], Stands::Nothing, Millis(13_000));
        assert_eq!(beside.looked(&paths[1], text(1), Millis(17_000)), Step::Take(version(1)));
    }

    #[test]
    fn a_text_without_a_head_gets_that_of_its_item() {
        let base = "---\ntitle: Plan\nid: abc\naccess: edit\n---\n\nwords\n";
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(with_head_of(base, text).as_deref(), expected, "{text}");
        check("more words\n", Some("---\ntitle: Plan\nid: abc\naccess: edit\n---\n\nmore words\n"));
        let named = "---\ntitle: My plan\ntags: mine\n---\n\nwords\n";
        check(named, Some("---\ntitle: My plan\nid: abc\naccess: edit\n---\n\nwords\n"));
        check(base, None);
        check("---\nid: other\n---\nwords\n", None);
        check("", None);
        assert_eq!(with_head_of("no head\n", "words\n"), None);
    }

    #[test]
    fn the_marks_of_a_merge_are_found_outside_of_code() {
        let merged = "words\n\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n";
        assert!(is_half_merged(merged));
        assert!(!is_half_merged(&format!("```\n{merged}```\n")));
        assert!(!is_half_merged("<<<<<<< HEAD\none\n=======\n"));
        assert!(!is_half_merged("Title\n=======\n"));
    }
}
