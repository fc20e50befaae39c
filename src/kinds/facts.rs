//! What is known of an item without its text: that there is one, its tabs, how its paragraphs look, where a comment stands. Pure data.

use serde::{Deserialize, Serialize};

use crate::model::ItemId;

/// An item of the remote as a list shows it, mirrored or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: ItemId,
    /// Its name.
    pub title: String,
    /// Where a person opens it.
    pub url: String,
    /// When it was last changed, RFC 3339.
    pub modified: String,
    /// Its owner's address, or who began it; empty where nobody is told, as for an item of a shared drive.
    pub owner: String,
    /// How its text begins, where the remote tells that.
    pub snippet: String,
}

/// Items of the remote that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The last changed first.
    pub items: Vec<Listed>,
    /// Count of all that there are, also of those beyond the limit.
    pub total: usize,
    /// Whether there are even more than were counted.
    pub more: bool,
}

/// What an item is, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its id.
    pub id: ItemId,
    /// Its name.
    pub title: String,
    /// Its tabs with their ids and titles, each before those below it.
    pub tabs: Vec<(String, String)>,
    /// Whether the account may edit it.
    pub can_edit: bool,
    /// Whether the account may comment on it.
    pub can_comment: bool,
}

/// How one kind of paragraph looks: what is not said is left as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StyleDefinition {
    /// `body`, `title`, `subtitle`, `heading1` to `heading6`.
    pub element_type: String,
    /// A family, such as `Arial`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font_family: Option<String>,
    /// A length, such as `11pt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font_size: Option<String>,
    /// `normal`, `bold`, or hundreds from 100 to 900.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font_weight: Option<String>,
    /// `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_color: Option<String>,
    /// `single`, `double`, or a factor such as `1.15`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_spacing: Option<String>,
    /// A length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space_before: Option<String>,
    /// A length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space_after: Option<String>,
}

/// What became of looks that were set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restyled {
    /// Count of named styles and ranges of text that were changed.
    pub changes: usize,
    /// What was left as it is, and why.
    pub warnings: Vec<String>,
}

/// Where a comment stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentPlace {
    /// In a section of a tab.
    Section {
        /// The tab's id.
        tab_id: String,
        /// What people call the tab.
        tab_title: String,
        /// The section as [`crate::mebdf::headings`] names it in the tab's file; empty before the first heading.
        anchor: String,
    },
    /// In what belongs to no section: `the header`, `the footer`, `a footnote`.
    Apart(&'static str),
    /// In one of several places in different sections that say the same; nothing tells in which.
    Several(usize),
    /// It is about the item as a whole.
    Whole,
    /// Its words are not in the item any more.
    Lost,
    /// It is closed, so nobody looks where it stood.
    Resolved,
}
