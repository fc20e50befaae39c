//! Lists that have lost their last item.

use std::collections::BTreeSet;

use super::document::{Document, DocumentTab, StructuralElement};
use super::quirks;
use super::request::Request;

/// Tells whether a request may take the last item out of a list.
const fn may_orphan(request: &Request) -> bool {
    matches!(
        request,
        Request::DeleteContentRange(_)
            | Request::CreateParagraphBullets(_)
            | Request::DeleteParagraphBullets(_)
            | Request::DeleteTableRow(_)
            | Request::DeleteTableColumn(_)
            | Request::DeleteHeader(_)
            | Request::DeleteFooter(_)
            | Request::MergeTableCells(_)
            | Request::ReplaceNamedRangeContent(_)
    )
}

/// Removes the lists that a batch took the last item from. Lists that had none before stay: nobody touched them.
pub(crate) fn forget_orphans(before: &Document, after: &mut Document, requests: &[Request]) {
    if !quirks::LISTS_GO_WITH_ITEMS || !requests.iter().any(may_orphan) {
        return;
    }
    let ids: Vec<String> = after.all_tabs().into_iter().map(|tab| tab.id().to_owned()).collect();
    for id in ids {
        let Some(new) = after.tab_mut(Some(&id)).and_then(|tab| tab.document_tab.as_mut()) else { continue };
        if new.lists.is_empty() {
            continue;
        }
        let used = used(new);
        if used.len() == new.lists.len() {
            continue;
        }
        let old = before.tab(Some(&id)).and_then(|tab| tab.document_tab.as_ref());
        let idle: Vec<String> = old.map_or_else(Vec::new, |old| {
            let used = self::used(old);
            old.lists.keys().filter(|list| !used.contains(*list)).cloned().collect()
        });
        new.lists.retain(|list, _| used.contains(list) || idle.contains(list));
    }
}

/// Returns the lists that have items.
fn used(tab: &DocumentTab) -> BTreeSet<String> {
    fn walk(content: &[StructuralElement], used: &mut BTreeSet<String>) {
        for element in content {
            if let Some(bullet) = element.paragraph.as_ref().and_then(|paragraph| paragraph.bullet.as_ref())
                && !used.contains(&bullet.list_id)
            {
                used.insert(bullet.list_id.clone());
            }
            for cell in element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
                walk(&cell.content, used);
            }
            walk(element.table_of_contents.as_ref().map_or(&[], |contents| &contents.content), used);
        }
    }
    let mut used = BTreeSet::new();
    for id in tab.segment_ids() {
        walk(tab.segment(id).unwrap_or_default(), &mut used);
    }
    used
}
