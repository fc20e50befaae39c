//! What Drive is asked for copies of attachments, which programs of people put into a folder there: Drive finds what is inside PDFs. Pure.

use serde::Deserialize;

use crate::kinds::Copied;

/// The name of that folder.
const FOLDER: &str = "Email Attachments";

/// A list of files of Drive.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FileList {
    pub(super) files: Vec<DriveFile>,
}

/// A file of Drive.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct DriveFile {
    pub(super) id: String,
    name: String,
    size: String,
    md5_checksum: String,
    web_view_link: String,
}

impl DriveFile {
    /// What it may be a copy of; nothing for what has no bytes, and where it leads nowhere that a person would open.
    pub(super) fn copied(self) -> Option<Copied> {
        let Self { name, size, md5_checksum, web_view_link, .. } = self;
        let is_link = web_view_link.starts_with("https://") || web_view_link.starts_with("http://");
        let is_plain = web_view_link.len() < 500 && web_view_link.chars().all(|letter| letter.is_ascii_graphic());
        let copy = Copied { name, size: size.parse().ok()?, md5: md5_checksum, url: web_view_link };
        (is_link && is_plain && !copy.md5.is_empty()).then_some(copy)
    }
}

/// The query for the folder.
pub(super) fn folder_query() -> String {
    format!("name = '{FOLDER}' and mimeType = 'application/vnd.google-apps.folder' and trashed = false")
}

/// The query for files of these names in a folder.
pub(super) fn query(folder: &str, names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("name = {}", quoted(name))).collect();
    format!("{} in parents and trashed = false and ({})", quoted(folder), names.join(" or "))
}

/// A text in quotes.
///
/// Source: <https://developers.google.com/workspace/drive/api/guides/search-files#query_string_examples>
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_no_query() {
        let names = ["a.pdf".to_owned(), "it's \\ here' or name contains '.pdf".to_owned()];
        assert_eq!(
            query("F", &names),
            r"'F' in parents and trashed = false and (name = 'a.pdf' or name = 'it\'s \\ here\' or name contains \'.pdf')"
        );
    }

    #[test]
    fn only_files_with_bytes_and_an_address_are_copies() {
        let file = |size: &str, md5: &str, link: &str| DriveFile {
            name: "a".into(),
            size: size.into(),
            md5_checksum: md5.into(),
            web_view_link: link.into(),
            ..DriveFile::default()
        };
        assert!(file("3", "0a", "https://drive.google.com/x").copied().is_some());
        for (size, md5, link) in
            [("", "0a", "https://x"), ("3", "", "https://x"), ("3", "0a", "javascript:x"), ("3", "0a", "https://x y")]
        {
            assert!(file(size, md5, link).copied().is_none(), "{size} {md5} {link}");
        }
    }
}
