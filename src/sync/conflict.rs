//! The conflict file: what both sides wrote, for a person to read and to copy from.

use std::fmt::Write as _;

use crate::model::{ContentHash, ItemId, PartId};

/// A section in which both sides say something else than each other, and than what was agreed on, or nobody knows what that was;
/// nothing of it moves until it is resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionConflict {
    /// The section's heading as people read it; empty for the preamble.
    pub heading: String,
    /// What both sides last agreed on.
    pub base: String,
    /// The file's text.
    pub mine: String,
    /// The remote's text.
    pub theirs: String,
}

/// What tells whether a person has seen the remote's text of a conflict.
pub(super) fn shown(conflict: &SectionConflict) -> ContentHash {
    ContentHash::of(conflict.theirs.as_bytes())
}

/// The headings of the sections in conflict, each once: several places of one section may be.
pub(super) fn headings(conflicts: &[SectionConflict]) -> Vec<String> {
    let mut headings: Vec<String> = conflicts.iter().map(|conflict| conflict.heading.clone()).collect();
    headings.dedup();
    headings
}

/// The name of a section in a sentence, by its heading.
#[must_use]
pub fn section_name(heading: &str) -> String {
    if heading.is_empty() { "the text before the first heading".into() } else { format!("\"{heading}\"") }
}

/// Says of a section that it is in conflict. Who changed it is not said: where the database was lost, nobody knows.
#[must_use]
pub fn in_conflict(heading: &str) -> String {
    format!("the file and the document say different things in {}", section_name(heading))
}

/// Writes the conflict file of one part; `None` without conflicts. `command` is how a person calls this program in a shell,
/// `read_only` whether the account is only mirrored.
#[must_use]
pub fn conflict_text(
    (command, read_only): (&str, bool),
    item: &ItemId,
    part: &PartId,
    title: &str,
    conflicts: &[SectionConflict],
) -> Option<String> {
    if conflicts.is_empty() {
        return None;
    }
    // It stands beside this one.
    let target = if part.0.is_empty() { format!("{item}.md") } else { format!("{item}.{part}.md") };
    let (these, mine) = if read_only {
        (
            "run this in the folder of this file: the account is only mirrored, so nothing goes to the document",
            String::new(),
        )
    } else {
        let mine = format!("\x20   {command} resolve {target} --mine      (the file's text goes to the document)\n");
        ("run one of these in the folder of this file", mine)
    };
    let mut text = format!(
        "# Conflicts in “{title}”\n\n\
         In the sections below the file and the document say different things, and no merge can tell what is meant. Neither \
         side was touched; everything else goes on as usual.\n\n\
         To end it, either edit the section in the file until it says what the document says, or {these}\n\n\
         {mine}\
         \x20   {command} resolve {target} --theirs    (the document's text comes to the file)\n\n\
         This file is only to be read: what is saved in it is put into `.retired/`. Deleting it resolves nothing; it is \
         written again.\n"
    );
    for conflict in conflicts {
        let heading = if conflict.heading.is_empty() { "(before the first heading)" } else { &conflict.heading };
        // Writing to a String cannot fail.
        let _written = write!(text, "\n## Section: {heading}\n");
        let base = if conflict.base.is_empty() {
            // Nothing stood there, or the database that knew it was lost.
            "base: nothing that both sides are known to have agreed on"
        } else {
            "base: what both sides last agreed on"
        };
        for (name, side) in
            [(base, &conflict.base), ("mine: the file", &conflict.mine), ("theirs: the document", &conflict.theirs)]
        {
            let fence = fence_for(side);
            let end = if side.is_empty() || side.ends_with('\n') { "" } else { "\n" };
            let _written = write!(text, "\n### {name}\n\n{fence}\n{side}{end}{fence}\n");
        }
    }
    Some(text)
}

/// Returns a fence longer than any run of backticks in `text`.
fn fence_for(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conflict_file_shows_all_three_sides_and_the_way_out() {
        let conflict = SectionConflict {
            heading: "Plan".into(),
            base: "old\n".into(),
            mine: "```\nmine\n```".into(),
            theirs: String::new(),
        };
        let (item, part) = (ItemId("1A".into()), PartId("t.1".into()));
        let of = |conflict: &SectionConflict, read_only| {
            let conflicts = std::slice::from_ref(conflict);
            conflict_text(("mcp-workspace --home '/a b'", read_only), &item, &part, "Notes", conflicts).unwrap()
        };
        let text = |read_only| of(&conflict, read_only);
        // Nothing of an account that is only mirrored goes to the document.
        assert!(!text(true).contains("--mine") && text(true).contains("resolve 1A.t.1.md --theirs "));
        let text = text(false);
        assert!(text.contains("    mcp-workspace --home '/a b' resolve 1A.t.1.md --mine "));
        assert!(text.contains("````\n```\nmine\n```\n````\n"));
        assert!(text.contains("## Section: Plan"));
        assert!(text.contains("### base: what both sides last agreed on\n\n```\nold\n"));
        // An empty text is not said to be agreed on.
        let unknown = of(&SectionConflict { base: String::new(), ..conflict.clone() }, false);
        assert!(
            !unknown.contains("last agreed on") && unknown.contains("### base: nothing that both sides"),
            "{unknown}"
        );
        assert_eq!(conflict_text(("mcp-workspace", false), &item, &part, "Notes", &[]), None);
    }
}
