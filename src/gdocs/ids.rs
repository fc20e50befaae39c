//! Fresh ids without chance: the same seed gives the same ids.

use std::collections::HashSet;

use super::document::{Document, DocumentTab, StructuralElement};
use super::quirks;

/// The characters of an id; 32 of them, so that five bits choose one without bias.
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz012345";

/// A source of ids that never gives one the document already has.
pub(crate) struct FreshIds {
    /// Makes the ids of one batch different from another's.
    seed: u64,
    /// Ids drawn so far.
    drawn: u64,
    /// Ids in use; read from the document when the first one is drawn.
    taken: Option<HashSet<String>>,
}

impl FreshIds {
    /// Starts a source.
    pub(crate) const fn new(seed: u64) -> Self {
        Self { seed, drawn: 0, taken: None }
    }

    /// Reads the ids in use, once.
    pub(crate) fn learn(&mut self, document: &Document) {
        if self.taken.is_none() {
            let mut taken = HashSet::new();
            for thread in &document.comments {
                taken.extend(thread.post_ids().map(str::to_owned));
                taken.insert(thread.comment_id.clone());
            }
            for thread in &document.suggestions {
                taken.extend(thread.head_post.iter().chain(&thread.replies).map(|post| post.post_id.clone()));
                taken.insert(thread.suggestion_id.clone());
            }
            for tab in document.all_tabs() {
                taken.insert(tab.id().to_owned());
                if let Some(content) = &tab.document_tab {
                    collect(content, &mut taken);
                }
            }
            self.taken = Some(taken);
        }
    }

    /// Takes an id that a request brings along; tells whether it was free.
    pub(crate) fn claim(&mut self, id: &str) -> bool {
        self.taken.get_or_insert_with(HashSet::new).insert(id.to_owned())
    }

    /// Draws an id with this prefix, `h.` or `kix.`.
    pub(crate) fn draw(&mut self, prefix: &str) -> String {
        self.draw_long(prefix, quirks::ID_LENGTH)
    }

    /// Draws the id of a comment or a reply.
    pub(crate) fn draw_comment(&mut self) -> String {
        self.draw_long(quirks::COMMENT_ID_PREFIX, quirks::COMMENT_ID_LENGTH)
    }

    /// Draws an id of `length` characters behind a prefix.
    fn draw_long(&mut self, prefix: &str, length: usize) -> String {
        let taken = self.taken.get_or_insert_with(HashSet::new);
        loop {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&self.seed.to_le_bytes()).update(&self.drawn.to_le_bytes());
            self.drawn = self.drawn.wrapping_add(1);
            let mut id = prefix.to_owned();
            for byte in hasher.finalize().as_bytes().iter().take(length) {
                id.push(char::from(ALPHABET.get(usize::from(byte & 31)).copied().unwrap_or(b'a')));
            }
            if taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// Adds the ids that a fresh one could be mistaken for.
fn collect(tab: &DocumentTab, taken: &mut HashSet<String>) {
    for id in tab.segment_ids() {
        taken.extend(id.map(str::to_owned));
        headings(tab.segment(id).unwrap_or_default(), taken);
    }
    for ranges in tab.named_ranges.values() {
        taken.extend(ranges.named_ranges.iter().map(|range| range.named_range_id.clone()));
    }
    taken.extend(tab.comment_anchors.keys().cloned());
    let keys = tab.lists.keys().chain(tab.inline_objects.keys()).chain(tab.positioned_objects.keys());
    taken.extend(keys.chain(tab.dropdown_definitions.keys()).cloned());
}

/// The ids of chips: the key of the object and that of the id in it.
const CHIP_IDS: &[(&str, &str)] =
    &[("person", "personId"), ("dateElement", "dateId"), ("richLink", "richLinkId"), ("dropdown", "dropdownId")];

/// Adds the heading ids and the ids of chips of a segment, also those in tables.
fn headings(content: &[StructuralElement], taken: &mut HashSet<String>) {
    for element in content {
        if let Some(id) = element.paragraph.as_ref().and_then(|paragraph| paragraph.heading_id()) {
            taken.insert(id.to_owned());
        }
        for inline in element.paragraph.iter().flat_map(|paragraph| &paragraph.elements) {
            let id = CHIP_IDS.iter().find_map(|(object, key)| inline.rest.get(*object)?.get(*key)?.as_str());
            taken.extend(id.map(str::to_owned));
        }
        for cell in element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
            headings(&cell.content, taken);
        }
    }
}
