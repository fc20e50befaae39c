//! The edits of a file's head. Pure.

use super::planner::Planner;
use crate::mebdf::Tree;

impl Planner<'_> {
    /// Decides on every entry of the head that differs.
    pub(super) fn front_matter(&mut self, local: &Tree) {
        let (Some(remote), Some(local)) = (&self.remote.tree.front_matter, &local.front_matter) else { return };
        for (name, value) in &remote.entries {
            let here = local.entries.iter().find(|(other, _)| other == name).map(|(_, value)| value.trim_end());
            if here != Some(value.trim_end()) {
                let line = self.head_line(name);
                self.refuse(
                    "FRONT_MATTER_LOCKED",
                    line,
                    format!("`{name}` in the head of the file cannot be pushed yet"),
                );
            }
        }
        for (name, _) in local.entries.iter().filter(|(name, _)| !remote.entries.iter().any(|(other, _)| other == name))
        {
            let line = self.head_line(name);
            self.refuse("FRONT_MATTER_LOCKED", line, format!("`{name}` in the head of the file means nothing here"));
        }
    }

    /// The line of an entry of the head, or that of the head's end.
    fn head_line(&self, name: &str) -> u32 {
        let mut lines = self.text.lines().enumerate().skip(1).take_while(|(_, line)| *line != "---");
        let line = lines.find(|(_, line)| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.map_or(1, |(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX))
    }
}
