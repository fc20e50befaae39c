//! Two saves of one file: one in it, and one that an editor put where a link to it stood. Pure.

use std::collections::{HashMap, HashSet};

use super::arrival::{Arrival, says_the_same};
use super::beside::with_head_of;
use super::hold;
use super::merge::merge3;
use super::older::older_base;
use super::stale::{self, Stale};
use super::went;
use super::words::{said_in, words_in};
use crate::mebdf;
use crate::model::ItemId;

/// When a file was saved that has another save in the place of a link to it, as seen from that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Later.
    Later,
    /// So short before that it may have been half of a save.
    JustBefore,
    /// Before that.
    Earlier,
}

/// What becomes of a save that stands where a link to a file stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saves {
    /// The file says it already.
    Stands,
    /// It has little in common with the file.
    Foreign,
    /// The file takes this text, of which all that it says is a part, or which an editor saved after that.
    Takes(String),
    /// The file takes this text, in which nothing of either is missing. What it has of the file came to who saved the other, as if
    /// that had been in the file and this had come from the document, and what it has of that to who had the file open; the newest
    /// first.
    Joins(String, Vec<Arrival>),
    /// What the file says was saved later and stands; the save is kept elsewhere.
    GivesWay,
    /// It stands; what the file says is kept elsewhere.
    GoesOver,
}

/// The file of an item, as an editor finds it that put a save in place of a link to it.
#[derive(Debug, Clone, Copy)]
pub struct Target<'t> {
    /// What it and its item had agreed on when the save was seen; empty where that is not known.
    pub base: &'t str,
    /// What they agree on now.
    pub agreed: Option<&'t str>,
    /// What came into it, newest first.
    pub arrivals: &'t [Arrival],
    /// How many of those came after the save was seen.
    pub since: usize,
    /// What it says.
    pub text: &'t str,
    /// When that was saved.
    pub when: When,
}

impl Target<'_> {
    /// What a text was made of, where that was not the base. What came after it was seen tells nothing of that: whoever read it
    /// by then is another one.
    fn older(&self, text: &str) -> Option<String> {
        let arrivals = self.arrivals.get(self.since..)?;
        match stale::find(arrivals, self.base, text)? {
            Stale::Lacks { oldest, .. } => Some(older_base(arrivals, oldest, self.base, text)),
            Stale::Keeps(_) => {
                let went = |arrival: &Arrival| !went::kept(arrival, text).is_empty();
                arrivals.iter().rfind(|arrival| went(arrival)).map(|arrival| arrival.base.clone())
            }
        }
    }

    /// Tells whether all that it says otherwise than the base came from the document.
    fn came_alone(&self) -> bool {
        let since = self.arrivals.get(..self.since).unwrap_or_default();
        self.agreed == Some(self.text) && arrivals_between(self.base, self.text, since).is_some()
    }
}

/// Returns how many of the newest arrivals lead from what was agreed on to a text and nothing else does; `None` where a person wrote
/// some of it.
#[must_use]
pub fn arrivals_between(base: &str, text: &str, arrivals: &[Arrival]) -> Option<usize> {
    let mut says = text;
    for (count, arrival) in arrivals.iter().enumerate() {
        if says_the_same(says, base) {
            return Some(count);
        }
        if !says_the_same(&arrival.after, says) {
            return None;
        }
        says = &arrival.before;
    }
    says_the_same(says, base).then_some(arrivals.len())
}

/// Decides what becomes of a save `text` that stands where a link to the file of an item stood: it was made of what the file's base
/// said, or of something older.
#[must_use]
pub fn of_two_saves(item: &ItemId, file: &Target<'_>, text: &str) -> Saves {
    let Target { base, agreed, text: current, when, .. } = *file;
    if current == text {
        return Saves::Stands;
    }
    if !names(text, item) && !is_save_of(text, current) {
        return Saves::Foreign;
    }
    // Where nothing is agreed, all that the file says may be somebody's own.
    if base == current {
        return Saves::Takes(text.to_owned());
    }
    let whole = with_head_of(base, text);
    let whole = whole.as_deref().unwrap_or(text);
    // What looks like no edit is none of the other save either: joined, it would not even be held any more.
    if looks_unmeant(base, whole) {
        return Saves::GivesWay;
    }
    let older = file.older(whole);
    let made_of = older.as_deref().unwrap_or(base);
    let both = joined(made_of, current, whole);
    // Nobody else saved anything, so it is as any save of the file from an older text: merged, in conflict, or asked about.
    if (older.is_some() || both.is_none()) && file.came_alone() {
        return Saves::Takes(text.to_owned());
    }
    let has_own = says_more(current, &[base, text]);
    // The rest of a text may be what was saved in place of the link.
    if looks_unmeant(base, current) || when == When::JustBefore && hold::lacks_end(base, current) {
        return if has_own { Saves::GoesOver } else { Saves::Takes(text.to_owned()) };
    }
    match both {
        Some(both) if both == current => Saves::Stands,
        Some(both) => {
            // Who saved this knows nothing of the rest, and may save the next one without it: no deletion of what others wrote.
            // Where nothing was agreed on since, nothing of it came from there.
            let to_other = Some(whole).filter(|_| agreed != Some(base));
            let to_other = to_other.and_then(|whole| Arrival::noted(whole, &both, made_of));
            let to_file = || Arrival::noted(current, &both, agreed.unwrap_or_default());
            let came = to_other.into_iter().flat_map(|came| [Some(came), to_file()]).flatten().collect();
            Saves::Joins(both, came)
        }
        // An earlier save of the same editor is in the next one.
        None if !has_own => Saves::Takes(text.to_owned()),
        None if when == When::Later => Saves::GivesWay,
        None => Saves::GoesOver,
    }
}

/// Tells whether a text would be held if a file that says `base` were saved with it.
fn looks_unmeant(base: &str, text: &str) -> bool {
    !hold::holds(Some(base), text).is_empty()
}

/// Joins two saves of one file that were made of the same text; `None` where they say different things in one place.
fn joined(base: &str, one: &str, other: &str) -> Option<String> {
    if other == base {
        return Some(one.to_owned());
    }
    let merged = merge3(base, one, other);
    merged.conflicts.is_empty().then_some(merged.file)
}

/// Tells whether a text has a word that none of the others has.
fn says_more(text: &str, others: &[&str]) -> bool {
    let known: HashSet<String> = others.iter().flat_map(|other| said_in(other)).collect();
    said_in(text).iter().any(|word| !known.contains(word))
}

/// Tells whether the head of a text names an item.
fn names(text: &str, item: &ItemId) -> bool {
    mebdf::head(text).is_some_and(|head| head.value("id").is_some_and(|id| id.trim() == item.0))
}

/// Tells whether a text that stands where a link to `current` stood is an edit of that: half of the words of the shorter one are in
/// the other. Else it is another text that happens to have its name.
fn is_save_of(text: &str, current: &str) -> bool {
    let [text, current] = [text, current].map(|said| words_in(mebdf::body(said)).collect::<Vec<_>>());
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in &current {
        *left.entry(word).or_default() += 1;
    }
    let has =
        |word: &&&str| left.get_mut(**word).is_some_and(|count| std::mem::replace(count, count.saturating_sub(1)) > 0);
    let shared = text.iter().filter(has).count();
    shared * 2 >= text.len().min(current.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file into which nothing came.
    const fn file<'t>(base: &'t str, text: &'t str, when: When) -> Target<'t> {
        Target { base, agreed: Some(text), arrivals: &[], since: 0, text, when }
    }

    #[test]
    fn two_saves_of_one_text_are_joined_where_they_do_not_meet() {
        let base = "# {^ h.a}One\n\nalpha beta\n\ngamma\n";
        let (one, other) = (base.replace("alpha", "first"), base.replace("gamma", "second"));
        let both = one.replace("gamma", "second");
        for (one, other, expected) in [
            (one.as_str(), other.as_str(), Some(both.as_str())),
            (&one, base, Some(&one)),
            (base, &other, Some(&other)),
            (&one, &base.replace("alpha beta", "others"), None),
        ] {
            assert_eq!(joined(base, one, other).as_deref(), expected, "{one:?} {other:?}");
        }
        for (text, others, expected) in [
            (base, &["# One\n\nalpha beta gamma\n"][..], false),
            (&one, &[base], true),
            (&one, &[base, &one], false),
            ("", &[], false),
        ] {
            assert_eq!(says_more(text, others), expected, "{text:?} {others:?}");
        }
        let meets = base.replace("alpha beta", "others");
        // What the file said came to who saved the other, and what that said into the file, which agreed with its item.
        let came = |before: &str, after: &str, base: &str| Arrival {
            before: before.into(),
            after: after.into(),
            base: base.into(),
        };
        let joins = |text: &str, current: &str, both: &str| {
            Saves::Joins(both.into(), vec![came(text, both, base), came(current, both, current)])
        };
        let item = ItemId("1a".into());
        let short = base.split_once("gamma").map_or("", |(start, _)| start).trim_end().to_owned() + "\n";
        for (base, current, when, text, expected) in [
            (base, &*one, When::Earlier, &*one, Saves::Stands),
            (base, &one, When::Later, base, Saves::Stands),
            (base, base, When::Later, &one, Saves::Takes(one.clone())),
            (base, &one, When::Later, &other, joins(&other, &one, &both)),
            (base, &one, When::Later, &meets, Saves::GivesWay),
            (base, &one, When::Earlier, &meets, Saves::GoesOver),
            ("", &one, When::Earlier, &meets, Saves::GoesOver),
            ("", &one, When::Later, &meets, Saves::GivesWay),
            // What ends early is a deletion unless the rest comes at once.
            (base, &short, When::JustBefore, &one, Saves::Takes(one.clone())),
            (base, &short, When::Earlier, &one, joins(&one, &short, &one.replace("\n\ngamma", ""))),
            (base, base, When::Earlier, "Nothing of that at all, milk and bread.\n", Saves::Foreign),
        ] {
            assert_eq!(of_two_saves(&item, &file(base, current, when), text), expected, "{current:?} {text:?}");
        }
        // What looks like no edit goes into none.
        let [base, one, other] = [base, &one, &other].map(|said| format!("---\nid: 1a\n---\n{said}"));
        let cut = base.get(..base.len() - 3).unwrap_or_default();
        let torn =
            format!("{}alpha b", base.replace("# {^", "Mine.\n\n# {^").split("alpha").next().unwrap_or_default());
        for (current, text, expected) in [
            (cut, &*one, Saves::GoesOver),
            ("", &one, Saves::Takes(one.clone())),
            (&torn, &one, Saves::GoesOver),
            // A head that is gone makes a person be asked, too.
            (mebdf::body(&other), &one, Saves::GoesOver),
            (mebdf::body(&base), &one, Saves::Takes(one.clone())),
            (&one, cut, Saves::GivesWay),
            (&other, &torn, Saves::GivesWay),
            (cut, &torn, Saves::GivesWay),
            // Of one alone a person is asked.
            (&base, cut, Saves::Takes(cut.to_owned())),
        ] {
            for when in [When::Later, When::JustBefore, When::Earlier] {
                assert_eq!(of_two_saves(&item, &file(&base, current, when), text), expected, "{current:?} {text:?}");
            }
        }
        for (text, expected) in
            [("---\nid: 1a\n---\n\nx\n", true), ("---\nid: 1b\n---\n\nx\n", false), ("id: 1a\n", false)]
        {
            assert_eq!(names(text, &item), expected, "{text:?}");
        }
    }

    #[test]
    fn what_came_is_told_from_what_a_person_wrote() {
        let arrival =
            |before: &str, after: &str| Arrival { before: before.into(), after: after.into(), base: before.into() };
        let arrivals = [arrival("a\n\nb\n", "a\n\nb\n\nc\n"), arrival("a\n", "a\n\nb\n")];
        for (base, text, expected) in [
            ("a\n\nb\n\nc\n", "a\n\nb\n\nc\n", Some(0)),
            ("a\n\nb\n", "a\n\nb\n\nc\n", Some(1)),
            ("a\n", "a\n\nb\n\nc\n", Some(2)),
            ("b\n", "a\n\nb\n\nc\n", None),
            ("a\n", "a\n\nb\n\nmine\n", None),
            // What came before that is there, but something came after it.
            ("a\n", "a\n\nb\n", None),
        ] {
            assert_eq!(arrivals_between(base, text, &arrivals), expected, "{base:?} {text:?}");
        }
    }

    #[test]
    fn an_editor_that_is_behind_takes_away_nothing() {
        let item = ItemId("1a".into());
        let said = |lines: [&str; 4]| format!("---\nid: 1a\n---\n\n# Plan\n\n{}\n", lines.join("\n\n"));
        let [one, two, three, four] = [
            "The first day begins at nine.",
            "The second day is long and hot.",
            "The third day has a quiz for all.",
            "The last day is free.",
        ];
        let tour = "The second day, after the harbour tour, is long and hot.";
        let (own, direct) = ("The first day begins at nine sharp.", "The last day is free, says one.");
        let (remote, meets) = ("The last remote day is free.", "The first day begins at dawn.");
        let opened = said([one, two, three, four]);
        let arrival =
            |before: &str, after: &str| Arrival { before: before.into(), after: after.into(), base: before.into() };
        // All but the oldest came after the save was seen.
        let check = |base: &str, agreed: &str, current: &str, arrivals: &[Arrival], text: &str, expected: &Saves| {
            let since = arrivals.len() - 1;
            let file = Target { base, agreed: Some(agreed), arrivals, since, text: current, when: When::Later };
            assert_eq!(of_two_saves(&item, &file, text), *expected, "{current}{text}");
        };
        let joins = |text: &str, both: &str, base: &str, noted: Option<[&str; 2]>| {
            let came = |[current, agreed]: [&str; 2]| {
                [(text, base), (current, agreed)].map(|(before, base)| Arrival {
                    before: before.into(),
                    after: both.into(),
                    base: base.into(),
                })
            };
            Saves::Joins(both.into(), noted.into_iter().flat_map(came).collect())
        };
        // Something came before the editor saved, and more since.
        let (newer, text) = (said([one, tour, three, four]), said([own, two, three, four]));
        let came = arrival(&opened, &newer);
        let newest = said([one, tour, three, remote]);
        let since = [arrival(&newer, &newest), came.clone()];
        check(&newer, &newest, &newest, &since, &text, &Saves::Takes(text.clone()));
        // Who has read what had come is joined with what came since, unless they meet.
        let (read, both) = (said([own, tour, three, four]), said([own, tour, three, remote]));
        check(&newer, &newest, &newest, &since, &read, &joins(&read, &both, &newer, Some([&newest, &newest])));
        let newest = said([meets, tour, three, four]);
        let since = [arrival(&newer, &newest), came.clone()];
        check(&newer, &newest, &newest, &since, &read, &Saves::Takes(read.clone()));
        // Another program saved the file since, and that was pushed, or not yet.
        let (saved, both) = (said([one, tour, three, direct]), said([own, tour, three, direct]));
        let came = [came];
        check(&newer, &saved, &saved, &came, &text, &joins(&text, &both, &opened, Some([&saved, &saved])));
        check(&newer, &newer, &saved, &came, &text, &joins(&text, &both, &newer, None));
        let saved = said([meets, tour, three, four]);
        check(&newer, &saved, &saved, &came, &text, &Saves::GivesWay);
        // What came since stands beside a save of who has read more than the editor, which wrote where the first had come.
        let saved = said([one, tour, three, direct]);
        let very_place = said([one, "The second day, says one, is long and hot.", three, four]);
        let newest = said([meets, tour, three, direct]);
        let since = [arrival(&saved, &newest), came[0].clone()];
        check(&newer, &newest, &newest, &since, &very_place, &Saves::GivesWay);
        // Something had gone that the editor still has: of one alone it is asked whether that is wanted again; joined, it is gone.
        let (newer, newest) = (said([one, two, "", four]), said([one, two, "", remote]));
        let came = arrival(&opened, &newer);
        let since = [arrival(&newer, &newest), came.clone()];
        check(&newer, &newest, &newest, &since, &text, &Saves::Takes(text.clone()));
        let (saved, both) = (said([one, two, "", direct]), said([own, two, "", direct]));
        for agreed in [&newer, &saved] {
            let joined = joins(&text, &both, &opened, (agreed == &saved).then_some([&*saved, &*saved]));
            check(&newer, agreed, &saved, std::slice::from_ref(&came), &text, &joined);
        }
    }

    #[test]
    fn an_edit_is_told_from_another_text_of_the_same_name() {
        let check =
            |text: &str, current: &str, expected| assert_eq!(is_save_of(text, current), expected, "{text} {current}");
        let current = "---\nid: abc\n---\n# Plan\n\nWe meet on Monday in the small room.\n";
        check("# Plan\n\nWe meet on Tuesday in the small room.\n", current, true);
        check("# Plan\n", current, true);
        check(&format!("{current}\n{}", "More of it. ".repeat(100)), current, true);
        check("Buy milk, bread, butter, eggs, flour and tea.\n", current, false);
        check("", current, true);
        check("Anything", "", true);
    }
}
