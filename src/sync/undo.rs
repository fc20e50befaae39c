//! Taking a push back: what it changed is changed again, and nothing that was written since. Pure.

use super::conflict::section_name;
use super::merge;

/// What becomes of a file when a push is taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undone {
    /// It shall say this.
    Edit(String),
    /// Nothing of the push stands there any more.
    Nothing,
    /// What the push wrote was edited since; the names of the sections, for people.
    Edited(Vec<String>),
}

impl Undone {
    /// Takes what leads from `before` to `after` back from `now`, which came from `after`: the texts of a document before
    /// and after a push, and of its file.
    #[must_use]
    pub fn of(before: &str, after: &str, now: &str) -> Self {
        let merged = merge::merge3(after, now, before);
        if !merged.conflicts.is_empty() {
            return Self::Edited(merged.conflicts.iter().map(|conflict| section_name(&conflict.heading)).collect());
        }
        if merge::same_meaning(&merged.file, now) { Self::Nothing } else { Self::Edit(merged.file) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, now: &str, expected: &Undone) {
        assert_eq!(Undone::of(before, after, now), *expected, "{before:?} {after:?} {now:?}");
    }

    #[test]
    fn what_a_push_changed_is_changed_again_and_nothing_else() {
        let edit = |text: &str| Undone::Edit(text.into());
        check("one\n\ntwo\n", "one\n\n2\n", "one\n\n2\n", &edit("one\n\ntwo\n"));
        check("one\n\ntwo\n", "one\n\n2\n", "1\n\n2\n\nthree\n", &edit("1\n\ntwo\n\nthree\n"));
        check("one\n", "one\n\ntwo\n", "one\n\ntwo\n\nthree\n", &edit("one\n\nthree\n"));
        check("one\n\ntwo\n", "one\n", "one\n", &edit("one\n\ntwo\n"));
        check("one\n\ntwo\n", "one\n\n2\n", "one\n\ntwo\n", &Undone::Nothing);
        check("one\n", "one\n", "one\n\ntwo\n", &Undone::Nothing);
        let edited = Undone::Edited(vec!["\"A\"".into()]);
        check("# A\n\nred\n\n# B\n\nx\n", "# A\n\ngreen\n\n# B\n\nx\n", "# A\n\nblue\n\n# B\n\nx\n", &edited);
    }
}
