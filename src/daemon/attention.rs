//! What a person is told of on the desktop without having asked: what waits for them alone, each once, and seldom.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Account, ItemId, Millis, PartId};
use crate::sync::{self, Status, Trouble, section_name};

/// The shortest time between two notifications, in milliseconds.
const QUIET_MS: u64 = 60_000;

/// The longest text of a notification, in characters; desktops show no more than a few lines.
const TEXT_CHARS_MAX: usize = 240;

/// The longest name of a document in it, in characters.
const NAME_CHARS_MAX: usize = 60;

/// What is the matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Matter {
    /// The account is signed out.
    SignedOut,
    /// The account halted.
    Halted,
    /// A file and its document say different things of one section.
    Conflict,
    /// An edit is held.
    Held,
}

/// Something that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Concern {
    matter: Matter,
    account: Account,
    /// The file; `None` when it is about the account.
    file: Option<(ItemId, PartId)>,
}

/// All that waits for a person, and a sentence about each.
pub(super) type Concerns = BTreeMap<Concern, String>;

/// What a notification says, as plain text without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notification {
    /// What it is about.
    pub(super) title: String,
    /// What waits, and what to do.
    pub(super) text: String,
}

/// Takes in what waits for a person in one feed of an account.
pub(super) fn take_in(concerns: &mut Concerns, account: &Account, status: &Status) {
    let mut add = |matter: Matter, file: Option<(ItemId, PartId)>, sentence: String| {
        concerns.entry(Concern { matter, account: account.clone(), file }).or_insert(sentence);
    };
    let of_account = |trouble: &Trouble| format!("{account}: {}. {}", trouble.message, trouble.suggestion);
    if let Some(trouble) = &status.paused {
        add(Matter::SignedOut, None, of_account(trouble));
    }
    // Whoever paused an account knows of it.
    if let Some(trouble) = status.halted.as_ref().filter(|halted| halted.kind != sync::PAUSED) {
        add(Matter::Halted, None, of_account(trouble));
    }
    for item in &status.items {
        let name = shortened(&item.title, NAME_CHARS_MAX);
        for part in &item.parts {
            let file = || Some((item.id.clone(), part.part.clone()));
            if let Some(heading) = part.conflicts.first() {
                add(Matter::Conflict, file(), format!("\"{name}\" is in conflict: {}.", section_name(heading)));
            }
            if let Some(notice) = part.held.first() {
                add(Matter::Held, file(), format!("An edit of \"{name}\" waits for you: {}.", notice.message));
            }
        }
    }
}

/// What a person was told, and when.
#[derive(Debug, Default)]
pub(super) struct Attention {
    /// What waited at the last look.
    known: BTreeSet<Concern>,
    /// What came since the last notification.
    untold: BTreeSet<Concern>,
    told_at: Option<Millis>,
}

impl Attention {
    /// Takes in what waits now, and returns what a person is to be told of it, if anything.
    pub(super) fn look(&mut self, now: Millis, concerns: &Concerns) -> Option<Notification> {
        // What ended needs nobody any more; when it begins anew it is told of anew.
        self.untold.retain(|concern| concerns.contains_key(concern));
        let came = concerns.keys().filter(|concern| !self.known.contains(concern));
        self.untold.extend(came.cloned());
        self.known = concerns.keys().cloned().collect();
        if self.untold.is_empty() || self.due().is_some_and(|due| now < due) {
            return None;
        }
        self.told_at = Some(now);
        notification(&std::mem::take(&mut self.untold), concerns)
    }

    /// Returns when a look may tell of what waits to be told; `None` when nothing does, or any time will do.
    pub(super) fn due(&self) -> Option<Millis> {
        let told_at = self.told_at.filter(|_| !self.untold.is_empty())?;
        Some(Millis(told_at.0.saturating_add(QUIET_MS)))
    }
}

/// Says what waits: the one thing in its own words, several by their count.
fn notification(untold: &BTreeSet<Concern>, concerns: &Concerns) -> Option<Notification> {
    let first = untold.first()?;
    let sentence = concerns.get(first).map(String::as_str).unwrap_or_default();
    let title = match (first.matter, untold.len()) {
        (_, 2..) => format!("{} things wait for you", untold.len()),
        (Matter::SignedOut, _) => "An account is signed out".into(),
        (Matter::Halted, _) => "An account stands still".into(),
        (Matter::Conflict, _) => "A conflict waits for you".into(),
        (Matter::Held, _) => "An edit is held".into(),
    };
    let more = match untold.len() {
        1 => "",
        _ => " And more:",
    };
    // What to do must not be cut off.
    let hint = " `mcp-workspace status` tells what to do.";
    let room = TEXT_CHARS_MAX.saturating_sub(more.len() + hint.len());
    Some(Notification { title, text: format!("{}{more}{hint}", shortened(sentence, room)) })
}

/// Returns a text of at most `chars` characters, none of which acts on whoever shows it.
fn shortened(text: &str, chars: usize) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    match text.char_indices().nth(chars) {
        None => text.chars().map(shown).collect(),
        Some(_) => text.chars().take(chars.saturating_sub(1)).map(shown).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concern(matter: Matter, number: u32) -> (Concern, String) {
        let file = Some((ItemId(format!("d{number}")), PartId::default()));
        (Concern { matter, account: Account("a@b".into()), file }, format!("Sentence {number}."))
    }

    /// Plays looks, each at a time in seconds with the numbers of what waits, and returns the titles of what was told, and when.
    fn check(looks: &[(u64, &[u32])], expected: &[(u64, &str)]) {
        let mut attention = Attention::default();
        let mut told = Vec::new();
        for (at, waits) in looks {
            let concerns = waits.iter().map(|number| concern(Matter::Held, *number)).collect();
            told.extend(attention.look(Millis(at * 1000), &concerns).map(|told| (*at, told.title)));
        }
        let told: Vec<_> = told.iter().map(|(at, title)| (*at, title.as_str())).collect();
        assert_eq!(told, expected, "{looks:?}");
    }

    #[test]
    fn each_thing_is_told_once_and_seldom() {
        check(&[(0, &[]), (1, &[1]), (70, &[1]), (200, &[1])], &[(1, "An edit is held")]);
        // What comes within the minute is told of at its end, in one.
        check(
            &[(0, &[1]), (5, &[1, 2]), (9, &[1, 2, 3]), (60, &[1, 2, 3])],
            &[(0, "An edit is held"), (60, "2 things wait for you")],
        );
        // What ended before it was told of needs nobody.
        check(&[(0, &[1]), (5, &[1, 2]), (9, &[1]), (60, &[1])], &[(0, "An edit is held")]);
        // What began anew is news.
        check(&[(0, &[1]), (70, &[]), (140, &[1])], &[(0, "An edit is held"), (140, "An edit is held")]);
    }

    #[test]
    fn a_look_is_due_when_something_waits_to_be_told() {
        let mut attention = Attention::default();
        let one: Concerns = [concern(Matter::Conflict, 1)].into();
        let two: Concerns = [concern(Matter::Conflict, 1), concern(Matter::SignedOut, 2)].into();
        assert!(attention.look(Millis(1_000), &one).is_some());
        assert_eq!(attention.due(), None);
        assert_eq!(attention.look(Millis(2_000), &two), None);
        assert_eq!(attention.due(), Some(Millis(61_000)));
        let told = attention.look(Millis(61_000), &two).unwrap();
        assert_eq!(told.title, "An account is signed out");
        assert_eq!((attention.due(), attention.look(Millis(70_000), &two)), (None, None));
    }

    #[test]
    fn what_to_do_is_never_cut_off_and_nothing_acts_on_the_desktop() {
        let (key, _) = concern(Matter::Held, 1);
        let concerns: Concerns = [(key, "\u{1b}[2J日本語".repeat(200))].into();
        let told = Attention::default().look(Millis(0), &concerns).unwrap();
        assert!(told.text.ends_with("`mcp-workspace status` tells what to do."), "{}", told.text);
        assert!(told.text.chars().count() <= TEXT_CHARS_MAX && !told.text.contains('\u{1b}'), "{}", told.text);
    }
}
