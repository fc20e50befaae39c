//! `addDocumentTab`, `deleteTab` and `updateDocumentTabProperties`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#adddocumenttabrequest>

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation as _;

use super::batch::Batch;
use super::document::{Document, Tab, TabProperties};
use super::mask::Mask;
use super::new_document::new_document;
use super::quirks;
use super::refusal::Refusal;
use super::request::{AddDocumentTab, DeleteTab, UpdateDocumentTabProperties};
use super::schema::TAB_PROPERTIES;

/// Carries out `addDocumentTab`.
///
/// # Errors
///
/// Google's refusals of an id, of a title there is already, of what is no emoji; refusals of an unknown parent, of
/// too deep a nesting and of a place behind the last one.
pub(crate) fn add(batch: &mut Batch, request: &AddDocumentTab) -> Result<Value, Refusal> {
    batch.ids.learn(&batch.document);
    let given = &request.tab_properties;
    if !given.tab_id.is_empty() {
        return Err(Refusal::invalid(quirks::TAB_WITH_ID));
    }
    if given.nesting_level.is_some() {
        return Err(Refusal::invalid(quirks::output_only("tab_properties.nesting_level")));
    }
    let title = if given.title.is_empty() { free_title(&batch.document) } else { given.title.clone() };
    check_title(&batch.document, &title, "")?;
    let icon = icon(given.icon_emoji.as_deref())?;
    let tab_id = batch.ids.draw("t.");
    let mut tab = new_document("", "").tabs.into_iter().next().unwrap_or_default();
    tab.tab_properties =
        Some(TabProperties { tab_id: tab_id.clone(), title, icon_emoji: icon, ..TabProperties::default() });
    place(&mut batch.document, tab, given.parent_tab_id.as_deref(), given.index)?;
    let made = batch.document.tab(Some(&tab_id)).and_then(|tab| tab.tab_properties.clone());
    Ok(json!({ "addDocumentTab": { "tabProperties": made.map(|made| json!(made)) } }))
}

/// Carries out `deleteTab`.
///
/// # Errors
///
/// Google's refusals of an unknown tab and of the last one.
pub(crate) fn delete(batch: &mut Batch, request: &DeleteTab) -> Result<(), Refusal> {
    let id = known(&batch.document, &request.tab_id)?;
    let last = batch.document.tabs.len() == 1 && batch.document.tabs.first().is_some_and(|tab| tab.id() == id);
    if last {
        return Err(Refusal::invalid(quirks::LAST_TAB));
    }
    take(&mut batch.document, &id);
    Ok(())
}

/// Carries out `updateDocumentTabProperties`.
///
/// # Errors
///
/// Google's refusals of an unknown tab, of a bad mask, of a title there is already and of what is no emoji; refusals
/// of a place that there is not.
pub(crate) fn update(batch: &mut Batch, request: &UpdateDocumentTabProperties) -> Result<(), Refusal> {
    let given = &request.tab_properties;
    let mask = Mask::read(&request.fields, TAB_PROPERTIES)?;
    let id = known(&batch.document, &given.tab_id)?;
    let all = request.fields.trim() == "*";
    if !all && let Some(name) = ["tabId", "nestingLevel"].into_iter().find(|name| mask.names(name)) {
        return Err(Refusal::invalid(quirks::invalid_field(name)));
    }
    if mask.names("title") {
        if given.title.is_empty() {
            return Err(Refusal::invalid(quirks::NO_TAB_TITLE));
        }
        check_title(&batch.document, &given.title, &id)?;
    }
    let icon = icon(given.icon_emoji.as_deref())?;
    let own = batch.document.tab_mut(Some(&id)).and_then(|tab| tab.tab_properties.as_mut());
    let Some(own) = own else { return Ok(()) };
    if mask.names("title") {
        own.title.clone_from(&given.title);
    }
    if mask.names("iconEmoji") {
        own.icon_emoji = icon;
    }
    // The mask of all moves a tab only where the request says to.
    let moves_up = mask.names("parentTabId") && (!all || given.parent_tab_id.is_some());
    let moves_along = mask.names("index") && (!all || given.index.is_some());
    let (parent, index) = (own.parent_tab_id.clone().filter(|parent| !parent.is_empty()), own.index);
    if moves_up || moves_along {
        let parent = if moves_up { given.parent_tab_id.clone() } else { parent };
        // A tab that only changes its parent comes to stand behind its new siblings.
        let index = if moves_along { Some(given.index.unwrap_or(0)) } else { index.filter(|_| !moves_up) };
        let Some(tab) = take(&mut batch.document, &id) else { return Ok(()) };
        place(&mut batch.document, tab, parent.as_deref(), index)?;
    }
    Ok(())
}

/// Returns the id of a tab that there is.
fn known(document: &Document, id: &str) -> Result<String, Refusal> {
    let found = Some(id).filter(|id| !id.is_empty()).and_then(|id| document.tab(Some(id)));
    found.map(|tab| tab.id().to_owned()).ok_or_else(|| Refusal::invalid(quirks::unknown_tab(id)))
}

/// Returns a title that no tab has.
fn free_title(document: &Document) -> String {
    let titles: Vec<&str> = document.all_tabs().into_iter().map(Tab::title).collect();
    let numbers = (titles.len() + 1)..;
    let mut free = numbers.map(|number| format!("Tab {number}")).filter(|title| !titles.contains(&title.as_str()));
    free.next().unwrap_or_default()
}

/// Refuses a title that another tab has.
fn check_title(document: &Document, title: &str, own: &str) -> Result<(), Refusal> {
    let taken = document.all_tabs().into_iter().any(|tab| tab.title() == title && tab.id() != own);
    if taken { Err(Refusal::invalid(quirks::TAB_TITLE_TAKEN)) } else { Ok(()) }
}

/// What begins an emoji: a picture by itself, one made so by a selector, a flag, a keycap.
static EMOJI: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"^(?:\p{Emoji_Presentation}|\p{Emoji}\x{FE0F}|\p{Extended_Pictographic}\p{Emoji_Modifier}|[0-9#*]\x{FE0F}?\x{20E3})";
    Regex::new(pattern).ok()
});

/// Returns the icon, `None` for the default one.
///
/// # Errors
///
/// Google's refusal of anything but one emoji.
fn icon(given: Option<&str>) -> Result<Option<String>, Refusal> {
    let Some(emoji) = given.filter(|emoji| !emoji.is_empty()) else { return Ok(None) };
    let single = emoji.graphemes(true).count() == 1;
    let flag = emoji.chars().all(|character| ('\u{1F1E6}'..='\u{1F1FF}').contains(&character));
    let begins = EMOJI.as_ref().is_some_and(|pattern| pattern.is_match(emoji));
    // Half a flag is a letter in a box.
    if single && begins && (!flag || emoji.chars().count() == 2) {
        Ok(Some(emoji.to_owned()))
    } else {
        Err(Refusal::invalid(quirks::BAD_EMOJI))
    }
}

/// Takes a tab with its children out; its siblings are numbered anew.
fn take(document: &mut Document, id: &str) -> Option<Tab> {
    fn walk(tabs: &mut Vec<Tab>, id: &str) -> Option<Tab> {
        if let Some(at) = tabs.iter().position(|tab| tab.id() == id) {
            let gone = tabs.remove(at);
            number(tabs);
            return Some(gone);
        }
        tabs.iter_mut().find_map(|tab| walk(&mut tab.child_tabs, id))
    }
    walk(&mut document.tabs, id)
}

/// Puts a tab with its children below a parent, behind its new siblings for no index.
fn place(document: &mut Document, mut tab: Tab, parent: Option<&str>, index: Option<u32>) -> Result<(), Refusal> {
    let parent = parent.filter(|parent| !parent.is_empty());
    let (level, siblings) = match parent {
        None => (0, &mut document.tabs),
        Some(id) => {
            let parent = document.tab_mut(Some(id)).ok_or_else(|| Refusal::invalid(quirks::unknown_tab(id)))?;
            let level = parent.tab_properties.as_ref().and_then(|own| own.nesting_level).unwrap_or(0);
            (level.saturating_add(1), &mut parent.child_tabs)
        }
    };
    if level.saturating_add(depth(&tab)) > quirks::MAX_TAB_LEVELS {
        return Err(Refusal::invalid(quirks::TAB_TOO_DEEP));
    }
    let at = index.map_or(siblings.len(), super::table::to_place);
    if at > siblings.len() {
        return Err(Refusal::invalid(quirks::BAD_TAB_INDEX));
    }
    settle(&mut tab, parent, level);
    siblings.insert(at, tab);
    number(siblings);
    Ok(())
}

/// Returns how many levels a tab and its children take.
fn depth(tab: &Tab) -> u32 {
    1 + tab.child_tabs.iter().map(depth).max().unwrap_or(0)
}

/// Tells a tab and its children where they stand now.
fn settle(tab: &mut Tab, parent: Option<&str>, level: u32) {
    let id = tab.id().to_owned();
    if let Some(own) = &mut tab.tab_properties {
        own.parent_tab_id = parent.map(str::to_owned);
        own.nesting_level = (level > 0).then_some(level);
    }
    for child in &mut tab.child_tabs {
        settle(child, Some(&id), level + 1);
    }
}

/// Numbers siblings in their order.
fn number(tabs: &mut [Tab]) {
    for (at, own) in tabs.iter_mut().enumerate().filter_map(|(at, tab)| Some((at, tab.tab_properties.as_mut()?))) {
        own.index = Some(super::table::to_count(at));
    }
}
