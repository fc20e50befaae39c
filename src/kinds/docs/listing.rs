//! Which documents there are in Drive, mirrored or not, and what the account may do with one.

use super::adapter::{DOCUMENT_TYPE, Docs, checked};
use super::wire::{FileList, Frame, FrameTab, ListedFile};
use crate::error::Result;
use crate::google::{Call, Service};
use crate::kinds::{Facts, Listed, Listing};
use crate::model::ItemId;

/// Files of one page, at most.
const PAGE_SIZE: &str = "1000";
/// As many pages are read to count what is beyond the limit.
const PAGES_MAX: usize = 10;

/// What is asked of a document's tabs: they stand three deep at most.
///
/// Source: <https://support.google.com/docs/answer/14923580>
const FRAME_FIELDS: &str =
    "title,tabs(tabProperties,childTabs(tabProperties,childTabs(tabProperties,childTabs(tabProperties))))";

/// Asks Drive for the documents whose name has some words, the last changed first.
///
/// Source: <https://developers.google.com/workspace/drive/api/guides/search-files>
pub(super) fn search_terms(query: &str) -> String {
    terms("name", query)
}

/// Asks Drive for the documents with some words in the field of that name.
fn terms(field: &str, query: &str) -> String {
    let all = format!("mimeType = '{DOCUMENT_TYPE}' and trashed = false");
    match query.trim() {
        "" => all,
        words => format!("{all} and {field} contains '{}'", words.replace('\\', r"\\").replace('\'', r"\'")),
    }
}

impl Docs {
    pub(super) async fn listing(&self, query: &str, limit: usize) -> Result<Listing> {
        let terms = search_terms(query);
        let mut listing = Listing::default();
        let mut token = String::new();
        for _ in 0..PAGES_MAX {
            // Beyond the limit they are only counted.
            let fields = match listing.items.len() < limit {
                true => "nextPageToken,files(id,name,modifiedTime,owners(emailAddress,displayName))",
                false => "nextPageToken,files(id)",
            };
            let mut call =
                Call::get(Service::Drive, "/drive/v3/files".into(), "the documents", "listing the documents")
                    .with("q", &terms)
                    .with("orderBy", "modifiedTime desc")
                    .with("pageSize", PAGE_SIZE)
                    .with("supportsAllDrives", "true")
                    .with("includeItemsFromAllDrives", "true")
                    .with("fields", fields);
            if !token.is_empty() {
                call = call.with("pageToken", &token);
            }
            let page: FileList = self.google.json(&call).await?;
            listing.total += page.files.len();
            let free = limit.saturating_sub(listing.items.len());
            listing.items.extend(page.files.into_iter().take(free).map(|file| self.listed(file)));
            match page.next_page_token.filter(|token| !token.is_empty()) {
                Some(next) => token = next,
                None => return Ok(listing),
            }
        }
        listing.more = true;
        Ok(listing)
    }

    /// Asks Drive for documents by the words of their names and texts; it gives those that fit best first, and sorts them by nothing
    /// else.
    ///
    /// Source: <https://developers.google.com/workspace/drive/api/guides/ref-search-terms> (`fullText`)
    pub(super) async fn found(&self, query: &str, limit: usize) -> Result<Listing> {
        let (terms, size) = (terms("fullText", query), limit.clamp(1, 100).to_string());
        let call = Call::get(Service::Drive, "/drive/v3/files".into(), "the documents", "searching the documents")
            .with("q", &terms)
            .with("pageSize", &size)
            .with("supportsAllDrives", "true")
            .with("includeItemsFromAllDrives", "true")
            .with("fields", "nextPageToken,files(id,name,modifiedTime,owners(emailAddress,displayName))");
        let page: FileList = self.google.json(&call).await?;
        let more = page.next_page_token.is_some_and(|token| !token.is_empty());
        let items: Vec<Listed> = page.files.into_iter().take(limit).map(|file| self.listed(file)).collect();
        Ok(Listing { total: items.len(), items, more })
    }

    /// Sources: <https://developers.google.com/workspace/drive/api/reference/rest/v3/files#File.FIELDS.capabilities>,
    /// <https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/get>
    pub(super) async fn facts_of(&self, id: &ItemId) -> Result<Facts> {
        let named = checked(id)?;
        let file =
            Call::get(Service::Drive, format!("/drive/v3/files/{named}"), named, "asking what may be done with it")
                .with("supportsAllDrives", "true")
                .with("fields", "capabilities(canEdit,canComment)");
        let frame = Call::get(Service::Docs, format!("/v1/documents/{named}"), named, "reading the tabs")
            .with("includeTabsContent", "true")
            .with("fields", FRAME_FIELDS);
        let (file, frame) = tokio::join!(self.google.json::<ListedFile>(&file), self.google.json::<Frame>(&frame));
        let (file, frame) = (file?, frame?);
        let mut tabs = Vec::new();
        let mut waiting: Vec<FrameTab> = frame.tabs.into_iter().rev().collect();
        while let Some(FrameTab { tab_properties, child_tabs }) = waiting.pop() {
            tabs.push((tab_properties.tab_id, tab_properties.title));
            waiting.extend(child_tabs.into_iter().rev());
        }
        let (can_edit, can_comment) = (file.capabilities.can_edit, file.capabilities.can_comment);
        Ok(Facts { id: id.clone(), title: frame.title, tabs, can_edit, can_comment })
    }

    fn listed(&self, file: ListedFile) -> Listed {
        let owner = file.owners.into_iter().next().unwrap_or_default();
        let owner = if owner.email_address.is_empty() { owner.display_name } else { owner.email_address };
        let url = self.url(&file.id);
        Listed {
            id: ItemId(file.id),
            title: file.name,
            url,
            modified: file.modified_time,
            owner,
            snippet: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_no_part_of_the_query() {
        let check = |query: &str, expected: &str| {
            let all = "mimeType = 'application/vnd.google-apps.document' and trashed = false";
            assert_eq!(search_terms(query), format!("{all}{expected}"), "{query:?}");
        };
        check("", "");
        check("  ", "");
        check("plan", " and name contains 'plan'");
        check("Ana's", r" and name contains 'Ana\'s'");
        check(
            r"a\' or trashed = true or name contains '",
            r" and name contains 'a\\\' or trashed = true or name contains \''",
        );
    }
}
