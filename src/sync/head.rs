//! The merge of front matter, entry by entry.

use std::collections::BTreeMap;

use crate::mebdf::{self, FrontMatter, LABELS, Tree};
use crate::model::Notice;

use super::item::notice;
use super::sides::Text;
use super::{SectionConflict, Side};

/// The entry that says what the item is called.
const TITLE: &str = "title";

/// The entry that says what this account may do with the item.
const ACCESS: &str = "access";

/// The entry that says of which tab a file is, by its id and its name, which can be edited.
const TAB: &str = "tab";

/// Entries that say which item this is; only Google changes them, but for the name of a tab.
const OWNED: [&str; 4] = ["id", TAB, "url", ACCESS];

/// The heads of the three results of a merge.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// The file's.
    pub(super) file: Option<FrontMatter>,
    /// The remote's.
    pub(super) push: Option<FrontMatter>,
    /// The base's.
    pub(super) base: Option<FrontMatter>,
    /// The base's once the push has landed.
    pub(super) landed: Option<FrontMatter>,
    /// Entries that both sides changed.
    pub(super) conflict: Option<SectionConflict>,
    /// Whether the head has anything to push.
    pub(super) pushes: bool,
}

/// Merges the heads: the remote's, with entries that only the file changed.
pub(super) fn merge(base: &Text<'_>, local: &Text<'_>, remote: &Text<'_>, side: Option<Side>) -> Heads {
    let none = FrontMatter::default();
    let remote_head = &remote.tree().front_matter;
    let base_head = base.tree().front_matter.as_ref().unwrap_or(&none);
    if let (Some(theirs), Some(mine)) = (remote_head, &local.tree().front_matter)
        && is_raw(mine)
        && !is_raw(theirs)
    {
        // What a person wrote there cannot be read, so nothing of it is merged: it stays as it is in the file, and the
        // plan says so.
        let (file, push) = (Some(mine.clone()), Some(mine.clone()));
        let landed = base.tree().front_matter.clone();
        return Heads { file, push, base: Some(theirs.clone()), landed, pushes: true, ..Heads::default() };
    }
    let (Some(theirs), Some(mine)) = (remote_head, &local.tree().front_matter) else {
        // A head that the file lost comes back; one that the remote never had stays the file's own.
        let file = remote_head.clone().or_else(|| local.tree().front_matter.clone());
        let landed = base.tree().front_matter.clone();
        return Heads { file, push: remote_head.clone(), base: remote_head.clone(), landed, ..Heads::default() };
    };
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in theirs.entries.iter().chain(&mine.entries).chain(&base_head.entries) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut lists = [const { Vec::new() }; 4];
    let mut sides = [const { String::new() }; 3];
    let mut pushes = false;
    let mut is_conflict = false;
    for name in names {
        let (b, l, r) = (base_head.value(name), mine.value(name), theirs.value(name));
        let owned = OWNED.contains(&name.as_str());
        // A set of names, of which each is somebody's own edit.
        let is_list = name == LABELS;
        let both = if is_list { b.zip(l).zip(r).map(|((b, l), r)| merged_names(b, l, r)) } else { None };
        // A header without words says as much as none.
        let shown = |value: Option<&'_ str>| value.is_some_and(|text| !text.trim().is_empty());
        let empty = ["header", "footer"].contains(&name.as_str());
        let alike =
            |one: Option<&str>, other: Option<&str>| alike(name, one, other) || (empty && !shown(one) && !shown(other));
        // Both sides gave a tab another name.
        let is_renamed = name == TAB && !alike(l, b) && !alike(r, b) && is_of_one_tab([b, l, r]);
        let owned = owned && !is_renamed;
        let mut chosen = if alike(l, r) {
            // A line's end more or less is nobody's edit, and stays as the file has it.
            [l, r, r, l]
        } else if alike(l, b) || (owned && (l.is_none() || !alike(r, b))) || (is_list && l.is_none()) {
            // What only Google can say and the file lost comes back.
            [r, r, r, b]
        } else if name == ACCESS || (owned && r.is_none()) {
            // It changes without the person, so most who say something else have an older text, as where there was another tab;
            // the plan says so all the same.
            [r, l, r, b]
        } else if owned {
            // It cannot be pushed; the plan says so, and the file keeps it until the person takes it back.
            [l, l, r, b]
        } else if alike(r, b) {
            [l, l, r, l]
        } else if let Some(both) = &both {
            let both = Some(both.as_str());
            [both, both, r, l]
        } else {
            match side {
                Some(Side::Mine) => [l, l, r, l],
                Some(Side::Theirs) => [r, r, r, b],
                None => {
                    is_conflict = true;
                    for (text, value) in sides.iter_mut().zip([b, l, r]) {
                        if let Some(value) = value {
                            text.push_str(&format!("{name}: {value}\n"));
                        }
                    }
                    [l, r, b, b]
                }
            }
        };
        pushes |= chosen[1] != r;
        for (list, value) in lists.iter_mut().zip(chosen.iter_mut()) {
            if let Some(value) = value.take() {
                list.push((name.clone(), value.to_owned()));
            }
        }
    }
    let [file, push, base, landed] = lists.map(|entries| Some(FrontMatter { entries }));
    let [b, l, r] = sides;
    let conflict =
        is_conflict.then(|| SectionConflict { heading: "the head of the file".into(), base: b, mine: l, theirs: r });
    let heads = Heads { file, push, base, landed, conflict, pushes };
    in_the_order_of(heads, mine)
}

/// Tells whether heads name the same tab, however they call it.
fn is_of_one_tab(tabs: [Option<&str>; 3]) -> bool {
    let [base, local, remote] = tabs.map(|tab| tab.and_then(|tab| tab.split_whitespace().next()));
    base.is_some() && base == local && base == remote
}

/// Tells whether two heads say the same, in whatever order; the ends of the last lines of their values mean nothing.
pub(super) fn same(one: Option<&FrontMatter>, other: Option<&FrontMatter>) -> bool {
    let says_all_of = |one: &FrontMatter, other: &FrontMatter| {
        let says = |(name, value): &(String, String)| {
            one.entries.iter().any(|(other, said)| name == other && alike(name, Some(said), Some(value)))
        };
        other.entries.iter().all(says)
    };
    match (one, other) {
        (Some(one), Some(other)) => {
            one.entries.len() == other.entries.len() && says_all_of(one, other) && says_all_of(other, one)
        }
        (one, other) => one == other,
    }
}

/// Tells whether two values of an entry say the same.
fn alike(name: &str, one: Option<&str>, other: Option<&str>) -> bool {
    if name == LABELS
        && let (Some(one), Some(other)) = (one, other)
    {
        return names(one).keys().eq(names(other).keys());
    }
    one.map(|text| text.trim_end_matches('\n')) == other.map(|text| text.trim_end_matches('\n'))
}

/// The names of a list, by what they are compared by: upper and lower case are one, and so is their order.
fn names(value: &str) -> BTreeMap<String, String> {
    mebdf::read_names(value).into_iter().map(|name| (name.to_lowercase(), name)).collect()
}

/// The names that the remote has, without those that the file took away and with those that it added. Two such edits never meet.
fn merged_names(base: &str, local: &str, remote: &str) -> String {
    let (base, local, mut merged) = (names(base), names(local), names(remote));
    merged.retain(|key, _| local.contains_key(key) || !base.contains_key(key));
    for (key, name) in local {
        if !base.contains_key(&key) {
            merged.entry(key).or_insert(name);
        }
    }
    let mut merged: Vec<String> = merged.into_values().collect();
    merged.sort();
    mebdf::print_names(merged.iter().map(String::as_str))
}

/// Tells whether a head could not be read: it is kept as one entry without a name.
fn is_raw(head: &FrontMatter) -> bool {
    matches!(head.entries.as_slice(), [(name, _)] if name.is_empty())
}

/// What is told where a file alone says otherwise what this account may do with its item, and is about to say what the base says;
/// `None` where it does not.
pub(super) fn access_kept(texts: [&str; 3]) -> Option<Notice> {
    let heads = texts.map(mebdf::head);
    let [base, local, file] = heads.each_ref().map(|head| head.as_ref().and_then(|head| head.value(ACCESS)));
    let (base, local) = (base?, local?);
    let is_kept = alike(ACCESS, Some(base), file) && !alike(ACCESS, Some(base), Some(local));
    let message =
        || format!("`{ACCESS}: {}` is Google's to say, so `{}` stands there again", local.trim(), base.trim());
    is_kept.then(|| notice("ACCESS_KEPT", message()))
}

/// The title that the head of a text says.
pub(super) fn title(text: &str) -> Option<String> {
    mebdf::head(text).as_ref().and_then(|head| head.value(TITLE)).map(ToOwned::to_owned)
}

/// The text with another title in its head; `None` when it has it, or none.
pub(super) fn with_title(text: &str, title: &str) -> Option<String> {
    let mut head = mebdf::head(text)?;
    let (_, said) = head.entries.iter_mut().find(|(key, said)| key == TITLE && said != title)?;
    title.clone_into(said);
    let head = mebdf::print(&Tree { front_matter: Some(head), blocks: Vec::new() });
    Some(format!("{head}\n{}", mebdf::body(text)))
}

/// The text with what only Google says in its head as the remote has it; `None` when it has that, or is another item's.
pub(super) fn with_owned(text: &str, remote: &str) -> Option<String> {
    let (mut head, theirs) = (mebdf::head(text)?, mebdf::head(remote)?);
    if is_raw(&head) || is_raw(&theirs) || head.value("id") != theirs.value("id") {
        return None;
    }
    let before = head.clone();
    head.entries.retain(|(name, _)| !OWNED.contains(&name.as_str()) || theirs.value(name).is_some());
    // One that was missing comes behind the same one as there.
    let mut behind = 0;
    for (name, theirs) in &theirs.entries {
        let at = head.entries.iter().position(|(key, _)| key == name);
        match at.and_then(|at| head.entries.get_mut(at)) {
            Some((_, said)) if OWNED.contains(&name.as_str()) => theirs.clone_into(said),
            None if OWNED.contains(&name.as_str()) => head.entries.insert(behind, (name.clone(), theirs.clone())),
            Some(_) | None => {}
        }
        behind = head.entries.iter().position(|(key, _)| key == name).map_or(behind, |at| at + 1);
    }
    (head != before).then(|| {
        let head = mebdf::print(&Tree { front_matter: Some(head), blocks: Vec::new() });
        format!("{head}\n{}", mebdf::body(text))
    })
}

/// Keeps the file's own order of entries where it holds the same entries.
fn in_the_order_of(mut heads: Heads, mine: &FrontMatter) -> Heads {
    if let Some(file) = &heads.file {
        let same =
            file.entries.len() == mine.entries.len() && file.entries.iter().all(|entry| mine.entries.contains(entry));
        if same {
            heads.file = Some(mine.clone());
        }
    }
    heads
}
