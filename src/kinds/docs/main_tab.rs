//! Which tab the main file is of, whatever stands first in the document by now: an edit of the file is one of that tab.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Read, landmarks};
use crate::kinds::{Fetched, Part, Reading};
use crate::mebdf;
use crate::model::PartId;

/// The id of the first tab of a new document, which the recorded answers show; no reference names it.
const FIRST_TAB: &str = "t.0";

/// What the ids of tabs begin with.
const TAB_SIGN: &str = "t.";

/// Gives the main file to a tab; see [`Kind::keep_main`](crate::kinds::Kind::keep_main). Pure.
#[must_use]
pub fn keep_main(mut fetched: Fetched, main: &str) -> Fetched {
    let Some(read) = fetched.reading.get::<Read>() else { return fetched };
    if fetched.main.as_deref() == Some(main) {
        return fetched;
    }
    let parts = std::mem::take(&mut fetched.parts).into_iter();
    let mut all: Vec<_> = parts.zip(read.tabs.clone()).zip(read.landmarks.clone()).collect();
    all.sort_by_key(|((_, tab), _)| tab != main);
    let (mut tabs, mut landmarks) = (Vec::new(), Vec::new());
    for ((part, tab), marks) in all {
        let id = if tab == main { PartId::default() } else { PartId(tab.clone()) };
        fetched.parts.push(Part { id, ..part });
        tabs.push(tab);
        landmarks.push(marks);
    }
    fetched.main = Some(main.to_owned());
    fetched.reading = Reading::new(Read {
        document: Arc::clone(&read.document),
        ticks: read.ticks.clone(),
        access: read.access,
        tabs,
        landmarks,
        unknown: landmarks::Landmarks::default(),
    });
    fetched
}

/// What is known as the main tab where no tab is that.
const NONE: &str = "";

/// Gives the main file to the tab that its text tells of; see [`Kind::adopt_main`](crate::kinds::Kind::adopt_main). Pure.
///
/// The file of a document of one tab names none. Then it is that of the tab that has most of its words; of several, that of the tab
/// which Google gives to each new document, or of the first. Where each tab has a file of its own, its tab is gone.
#[must_use]
pub fn adopt_main(fetched: Fetched, text: &str, others: &[PartId]) -> Fetched {
    let Some(head) = mebdf::head(text).filter(|head| head.value("id") == Some(fetched.id.0.as_str())) else {
        return fetched;
    };
    let has_own = |tab: &str| others.iter().any(|other| other.0 == tab);
    let main = match head.tab_id() {
        Some(tab) if tab.starts_with(TAB_SIGN) && !has_own(tab) => Some(tab.to_owned()),
        Some(_) | None => most_alike(&fetched, text, has_own),
    };
    keep_main(fetched, main.as_deref().unwrap_or(NONE))
}

/// The tab that is most like a text, of those that have no file of their own.
fn most_alike(fetched: &Fetched, text: &str, has_own: impl Fn(&str) -> bool) -> Option<String> {
    let read = fetched.reading.get::<Read>()?;
    let words = words(text);
    let mut best: Option<(usize, usize, &String)> = None;
    for (part, tab) in fetched.parts.iter().zip(&read.tabs).filter(|(_, tab)| !has_own(tab)) {
        let there = self::words(&part.text);
        let (both, all) = (words.intersection(&there).count(), words.union(&there).count());
        // Which share of the words of either is in both.
        let is_better = |(most, of_all, _): (usize, usize, &String)| {
            both * of_all > most * all || both * of_all == most * all && tab == FIRST_TAB
        };
        if best.is_none_or(is_better) {
            best = Some((both, all, tab));
        }
    }
    best.map(|(_, _, tab)| tab.clone())
}

/// The words of a text, without its head.
fn words(text: &str) -> BTreeSet<&str> {
    mebdf::body(text).split_whitespace().collect()
}
