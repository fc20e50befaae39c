//! The merge of front matter, entry by entry.

use crate::mebdf::FrontMatter;

use super::sides::Text;
use super::{SectionConflict, Side};

/// Entries that say which item this is; only Google changes them.
const OWNED: [&str; 4] = ["id", "tab", "url", "access"];

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
    let remote_head = &remote.tree.front_matter;
    let base_head = base.tree.front_matter.as_ref().unwrap_or(&none);
    let (Some(theirs), Some(mine)) = (remote_head, &local.tree.front_matter) else {
        // A head that the file lost comes back; one that the remote never had stays the file's own.
        let file = remote_head.clone().or_else(|| local.tree.front_matter.clone());
        let landed = base.tree.front_matter.clone();
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
        let (b, l, r) = (value(base_head, name), value(mine, name), value(theirs, name));
        let mut chosen = if l == r || l == b || OWNED.contains(&name.as_str()) {
            [r, r, r, if l == r { l } else { b }]
        } else if r == b {
            [l, l, r, l]
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

fn value<'a>(head: &'a FrontMatter, name: &str) -> Option<&'a str> {
    head.entries.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
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
