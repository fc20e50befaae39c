//! The files of an item as the engine holds them, by their ids. Most items have one, and a map would keep room for eleven.

use crate::model::PartId;

use super::item::Part;

/// Files, sorted by their ids.
#[derive(Debug, Default)]
pub(super) struct Parts(Vec<(PartId, Part)>);

impl Parts {
    fn find(&self, id: &PartId) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.cmp(id))
    }

    pub(super) fn get(&self, id: &PartId) -> Option<&Part> {
        self.0.get(self.find(id).ok()?).map(|(_, part)| part)
    }

    pub(super) fn get_mut(&mut self, id: &PartId) -> Option<&mut Part> {
        let at = self.find(id).ok()?;
        self.0.get_mut(at).map(|(_, part)| part)
    }

    pub(super) fn contains_key(&self, id: &PartId) -> bool {
        self.find(id).is_ok()
    }

    /// Returns a file, of which nothing may be known so far.
    pub(super) fn or_default(&mut self, id: &PartId) -> &mut Part {
        let at = self.find(id).unwrap_or_else(|at| {
            // It seldom grows again.
            self.0.reserve_exact(1);
            self.0.insert(at, (id.clone(), Part::default()));
            at
        });
        &mut self.0[at].1
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&PartId, &Part)> {
        self.0.iter().map(|(id, part)| (id, part))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&PartId, &mut Part)> {
        self.0.iter_mut().map(|(id, part)| (&*id, part))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &PartId> {
        self.0.iter().map(|(id, _)| id)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Part> {
        self.0.iter_mut().map(|(_, part)| part)
    }

    /// Keeps those whose ids are wanted.
    pub(super) fn retain(&mut self, mut is_wanted: impl FnMut(&PartId) -> bool) {
        self.0.retain(|(id, _)| is_wanted(id));
    }

    /// Keeps the ids of files that are put away, and until when nothing tells a save of an older text, and forgets all else.
    pub(super) fn put_away(&mut self) {
        for part in self.values_mut() {
            let blind = part.state.blind.clone();
            *part = Part { away: true, ..Part::default() };
            if blind.is_some() {
                part.state.blind = blind;
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
