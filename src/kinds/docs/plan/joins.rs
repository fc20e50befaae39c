//! A paragraph that became an item right above a numbered list counts on into it, as the file does. Pure.
//!
//! The request that makes items joins the list above and never the one below, so that what stands below is made anew, as
//! part of the list that it now belongs to.

use std::ops::Range;

use serde_json::{Value, json};

use super::edit::{Expected, What, range};
use super::lists;
use crate::gdocs::{DeleteParagraphBullets, DocumentTab, Paragraph, Request};
use crate::kinds::docs::text::extract::{Extract, Origin};
use crate::kinds::docs::text::line::{Line, Token};
use crate::kinds::docs::text::lists::{is_made_by_preset, preset};
use crate::mebdf::{Content, Mark};

/// Items that came to stand above a list of their own kind, and what joins it to theirs.
#[derive(Default)]
pub(super) struct Joins {
    /// What joins the lists, the last first.
    pub(super) requests: Vec<Request>,
    /// The elements of the document before whose list becomes another.
    pub(super) touched: Vec<usize>,
}

/// Finds the numbered lists that begin right behind an item that was none of its list in the tab `before`.
pub(super) fn below(
    before: &DocumentTab,
    (tab, after): (&DocumentTab, &Extract),
    expected: &[Expected],
    tab_id: Option<&str>,
) -> Joins {
    let mut joins = Joins::default();
    let blocks = Blocks { tab, after };
    for at in (1..expected.len()).rev() {
        let Some(above) = expected.get(at - 1).filter(|above| matches!(above.what, What::Edited { .. })) else {
            continue;
        };
        let (Some(list), Some(other)) = (blocks.list(at - 1), blocks.list(at)) else { continue };
        if list == other || !blocks.alike(at - 1, at) || had(before, above.element, list) {
            continue;
        }
        let Some((run, items)) = blocks.movable(at, other) else { continue };
        let Some(kept) = expected.get(run).filter(|kept| kept.iter().all(|kept| kept.element.is_some())) else {
            continue;
        };
        let (Some(first), Some(last)) = (items.first(), items.last()) else { continue };
        joins.touched.extend(kept.iter().filter_map(|kept| kept.element));
        let range = range(None, tab_id, first.start, last.end);
        joins.requests.push(Request::DeleteParagraphBullets(DeleteParagraphBullets { range }));
        joins.requests.extend(lists::create(&items, tab_id));
    }
    joins
}

/// Tells whether a paragraph was in a list before; of a new one, whether anything was.
fn had(before: &DocumentTab, element: Option<usize>, list: &str) -> bool {
    let content = before.body.as_ref().map_or(&[][..], |body| &body.content);
    let is_in = |paragraph: Option<&Paragraph>| {
        paragraph.and_then(|paragraph| paragraph.bullet.as_ref()).is_some_and(|bullet| bullet.list_id == list)
    };
    match element {
        Some(element) => is_in(content.get(element).and_then(|element| element.paragraph.as_ref())),
        None => content.iter().any(|element| is_in(element.paragraph.as_ref())),
    }
}

/// The blocks of a tab with its lists.
pub(super) struct Blocks<'a> {
    pub(super) tab: &'a DocumentTab,
    pub(super) after: &'a Extract,
}

impl<'a> Blocks<'a> {
    fn paragraph(&self, at: usize) -> Option<(&'a Paragraph, &'a Line)> {
        let Origin::Line { element, line } = self.after.origins.get(at)? else { return None };
        Some((self.tab.body.as_ref()?.content.get(*element)?.paragraph.as_ref()?, line))
    }

    /// The list of a block, when it is an item.
    pub(super) fn list(&self, at: usize) -> Option<&'a str> {
        Some(self.paragraph(at)?.0.bullet.as_ref()?.list_id.as_str())
    }

    /// The depth of a block, its mark and the name of its glyphs, when it is an item.
    pub(super) fn item(&self, at: usize) -> Option<(u8, Mark, Option<&'a str>)> {
        let Content::Item { depth, mark, .. } = &self.after.tree.blocks.get(at)?.content else { return None };
        Some((*depth, *mark, self.after.looks.get(at)?.list.as_deref()))
    }

    /// Tells whether two blocks are numbered items of one depth and kind; of others nobody sees where a list begins.
    fn alike(&self, above: usize, below: usize) -> bool {
        let item = self.item(below);
        self.item(above) == item && item.is_some_and(|(_, mark, _)| mark == Mark::Number)
    }

    /// The items of a list from `at` on, when they are all of it and nothing of theirs is lost when they are made anew.
    fn movable(&self, at: usize, list: &str) -> Option<(Range<usize>, Vec<lists::Item>)> {
        let count = (at..self.after.origins.len()).take_while(|at| self.list(*at) == Some(list)).count();
        let run = at..at + count;
        let of_list = |at: &usize| self.list(*at) == Some(list);
        if (0..self.after.origins.len()).filter(of_list).count() != count {
            return None;
        }
        let items = run.clone().map(|at| self.remade(at)).collect::<Option<Vec<_>>>()?;
        Some((run, items))
    }

    /// An item as it is made anew, when nothing of it is lost by that.
    pub(super) fn remade(&self, at: usize) -> Option<lists::Item> {
        let ((depth, mark, name), (paragraph, line)) = (self.item(at)?, self.paragraph(at)?);
        let levels = self.tab.lists.get(self.list(at)?)?.pointer("/listProperties/nestingLevels")?;
        let begins_with_tab = line.units.first().is_some_and(|unit| unit.token == Token::Char('\t'));
        let fine = is_made_by_preset(levels, mark, name)
            && is_plain(paragraph, levels.get(usize::from(depth))?)
            && line.lock.is_none()
            && mark != Mark::Task { checked: true }
            && !begins_with_tab;
        let preset = preset(mark, name)?;
        fine.then_some(lists::Item { start: line.start, end: line.end, tabs: 0, depth, preset })
    }
}

/// Tells whether an item looks as every new one does.
fn is_plain(paragraph: &Paragraph, level: &Value) -> bool {
    let style = paragraph.paragraph_style.as_ref().map(|style| &style.0);
    let glyph = paragraph.bullet.as_ref().and_then(|bullet| bullet.text_style.as_ref()).map(|style| &style.0);
    let fresh = json!({ "underline": false });
    ["indentFirstLine", "indentStart"].iter().all(|key| style.and_then(|style| style.get(*key)) == level.get(key))
        && glyph.is_none_or(|glyph| glyph.is_empty() || Some(glyph) == fresh.as_object())
}
