//! What people do to the texts of the world.

use super::{World, canonical};
use crate::model::{ItemId, PartId};
use crate::sync::{Event, Touch};

impl World {
    /// Edits a text as a person does: a new paragraph, a word added to one, seldom a paragraph removed.
    fn edit(&mut self, text: &str, side: char) -> String {
        self.tokens += 1;
        let token = format!("{side}{:05}x", self.tokens);
        let head = text.find("\n---\n").map_or(0, |at| at + 5);
        let mut blocks: Vec<String> =
            text.get(head..).unwrap().split("\n\n").map(|block| block.trim().to_owned()).collect();
        blocks.retain(|block| !block.is_empty());
        let at = self.below(blocks.len());
        match self.below(8) {
            0 if blocks.len() > 6 && !blocks[at].starts_with('#') => {
                let gone = blocks.remove(at);
                self.alive.retain(|token| !gone.contains(token.as_str()));
                blocks.push(token.clone());
            }
            1 => blocks.insert(at, format!("# {token}")),
            2..=4 => blocks.insert(at, token.clone()),
            _ if blocks[at].starts_with('#') => blocks.insert(at, token.clone()),
            _ => blocks[at] = format!("{} {token}", blocks[at]),
        }
        self.alive.insert(token);
        // People do not write as the printer does.
        let gap = if side == 'l' && self.below(3) == 0 { "\n\n\n" } else { "\n\n" };
        format!("{}\n{}\n", text.get(..head).unwrap(), blocks.join(gap))
    }

    pub(super) fn edit_local(&mut self) {
        let name = if self.below(2) == 0 { "one" } else { "two" };
        let item = ItemId(name.into());
        let Some(file) = self.files.get(&item) else { return };
        let text = file.text.clone();
        let text = self.edit(&text, 'l');
        self.save(&item, text);
        self.feed_in(Event::Touched { item, part: PartId::default(), touch: Touch::Complete });
    }

    pub(super) fn edit_remote(&mut self) {
        let name = if self.below(2) == 0 { "one" } else { "two" };
        let item = ItemId(name.into());
        let text = self.remotes[&item].text.clone();
        let text = canonical(&self.edit(&text, 'r'));
        let remote = self.remotes.get_mut(&item).unwrap();
        remote.text = text;
        remote.revision += 1;
        self.feed.push((item, remote.revision));
    }
}
