//! Requests that insert one element into a paragraph, and those about images.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request>

use serde::{Deserialize, Serialize};

use super::super::document::Style;
use super::{EndOfSegmentLocation, Location};

/// Inserts the mark of a new footnote, whose text is a blank.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateFootnote {
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}

/// Inserts a page break and a newline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertPageBreak {
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}

/// Inserts a newline and a section break.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertSectionBreak {
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
    /// Where the new section begins.
    pub section_type: SectionType,
}

/// Where a section begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SectionType {
    /// Nothing that Google carries out.
    #[default]
    SectionTypeUnspecified,
    /// Right behind the section before.
    Continuous,
    /// On the next page.
    NextPage,
}

/// Inserts a person chip.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertPerson {
    /// Whom it is about.
    pub person_properties: PersonProperties,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}

/// Whom a person chip is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersonProperties {
    /// The address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The name, where it is shown instead of the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Inserts a date chip.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertDate {
    /// When, and how it is shown.
    pub date_element_properties: DateElementProperties,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}

/// A point in time and how it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DateElementProperties {
    /// RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// A language, `en` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// A time zone of CLDR, `etc/UTC` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone_id: Option<String>,
    /// `DATE_FORMAT_…`, month, day and year when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_format: Option<String>,
    /// `TIME_FORMAT_…`, no time when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_format: Option<String>,
    /// What is shown; Google makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_text: Option<String>,
}

/// Inserts a chip for a file, a video, an event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertRichLink {
    /// What it leads to.
    pub rich_link_properties: RichLinkProperties,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}

/// What a chip leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RichLinkProperties {
    /// The address; the only field to be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The title; Google looks it up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The type of a file; Google looks it up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

/// Inserts an image.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertInlineImage {
    /// A public address, at most 2 kB.
    pub uri: String,
    /// The size it is fitted into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_size: Option<Size>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}

/// A width and a height.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Size {
    /// A dimension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<Style>,
    /// A dimension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<Style>,
}

/// Replaces an image by another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplaceImage {
    /// The object.
    pub image_object_id: String,
    /// A public address, at most 2 kB.
    pub uri: String,
    /// How the new one fits in.
    pub image_replace_method: ImageReplaceMethod,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// How a new image fits into the place of an old one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ImageReplaceMethod {
    /// As `CENTER_CROP`.
    #[default]
    ImageReplaceMethodUnspecified,
    /// Scaled and centred to fill the place.
    CenterCrop,
}

/// Deletes an image that is tethered to a paragraph.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeletePositionedObject {
    /// The object.
    pub object_id: String,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}
