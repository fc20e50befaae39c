//! The requests that make paragraphs items of a list. Pure.

use super::edit::{insert_text, range};
use crate::gdocs::{BulletPreset, CreateParagraphBullets, Request};

/// A paragraph that shall become an item.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// Where its text begins, leading tabs included.
    pub(super) start: u32,
    /// Behind its newline.
    pub(super) end: u32,
    /// Leading tabs that tell its depth already and go when the list is made.
    pub(super) tabs: u32,
    /// Nesting from 0.
    pub(super) depth: u8,
    /// What makes its list.
    pub(super) preset: BulletPreset,
}

/// Returns the requests that make a row of adjacent paragraphs items, in the order in which they are carried out.
///
/// Items of one kind are made together, so that they count on; what is nested in them and of another kind is made again
/// on top of that. The depth is told by leading tabs, which the request takes away: after each request the places are
/// those of the text without tabs.
pub(super) fn create(items: &[Item], tab: Option<&str>) -> Vec<Request> {
    let mut stretch = Stretch { items, tabs: items.iter().map(|item| item.tabs).collect(), requests: Vec::new(), tab };
    stretch.paint(0, items.len());
    stretch.requests
}

/// The same for items that stand in one list, whatever is nested between them: all are made with `preset`, and those of another
/// kind again on top of that.
pub(super) fn create_in_one(items: &[Item], preset: BulletPreset, tab: Option<&str>) -> Vec<Request> {
    let mut stretch = Stretch { items, tabs: items.iter().map(|item| item.tabs).collect(), requests: Vec::new(), tab };
    stretch.make(0, items.len(), preset);
    stretch.paint_foreign(0, items.len(), preset);
    stretch.requests
}

struct Stretch<'a> {
    items: &'a [Item],
    /// The leading tabs that each item has by now.
    tabs: Vec<u32>,
    requests: Vec<Request>,
    tab: Option<&'a str>,
}

impl Stretch<'_> {
    /// Makes the items in `from..to`, the last group first.
    fn paint(&mut self, from: usize, to: usize) {
        let mut groups = Vec::new();
        let mut at = from;
        while let Some(first) = self.items.get(at).filter(|_| at < to) {
            let mut top = first.depth;
            let mut end = at + 1;
            for (index, item) in self.items.iter().enumerate().take(to).skip(at + 1) {
                if item.preset == first.preset {
                    top = top.min(item.depth);
                    end = index + 1;
                } else if item.depth <= top {
                    break;
                }
            }
            groups.push((at, end, first.preset));
            at = end;
        }
        for (from, to, preset) in groups.into_iter().rev() {
            self.make(from, to, preset);
            self.paint_foreign(from, to, preset);
        }
    }

    /// Makes those of another kind again.
    fn paint_foreign(&mut self, from: usize, to: usize, preset: BulletPreset) {
        let mut end = to;
        while end > from {
            let foreign = self.items.iter().take(end).skip(from).rev().take_while(|item| item.preset != preset).count();
            if foreign > 0 {
                self.paint(end - foreign, end);
            }
            end -= foreign.max(1);
        }
    }

    /// Where an item begins by now: what stands before it has lost or won tabs.
    fn start(&self, at: usize) -> u32 {
        let had: u32 = self.items.iter().take(at).map(|item| item.tabs).sum();
        let has: u32 = self.tabs.iter().take(at).sum();
        self.items.get(at).map_or(0, |item| (item.start + has).saturating_sub(had))
    }

    fn make(&mut self, from: usize, to: usize, bullet_preset: BulletPreset) {
        for at in (from..to).rev() {
            let Some(item) = self.items.get(at) else { continue };
            let missing = u32::from(item.depth).saturating_sub(self.tabs.get(at).copied().unwrap_or(0));
            if missing > 0 {
                let text = "\t".repeat(usize::try_from(missing).unwrap_or(0));
                self.requests.push(insert_text(None, self.tab, self.start(at), &text));
                if let Some(tabs) = self.tabs.get_mut(at) {
                    *tabs += missing;
                }
            }
        }
        let Some(last) = to.checked_sub(1).and_then(|last| self.items.get(last)) else { return };
        let (start, last_start) = (self.start(from), self.start(to - 1));
        let has = self.tabs.get(to - 1).copied().unwrap_or(0);
        let end = last_start + (last.end - last.start + has).saturating_sub(last.tabs);
        let range = range(None, self.tab, start, end);
        self.requests.push(Request::CreateParagraphBullets(CreateParagraphBullets { range, bullet_preset }));
        self.tabs.iter_mut().take(to).skip(from).for_each(|tabs| *tabs = 0);
    }
}
