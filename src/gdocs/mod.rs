//! What Google Docs is: the JSON model and an interpreter of `batchUpdate`. Pure.
//!
//! Recorded answers of the real service are its truth; what they do not settle stands in one table, `quirks`.

mod access;
mod apply;
mod batch;
mod bullets;
mod chips;
mod comment;
mod delete;
mod document;
mod dropdowns;
#[cfg(test)]
mod element_tests;
mod elements;
mod glyphs;
mod ids;
mod images;
mod index;
mod insert;
mod insert_table;
#[cfg(test)]
mod law_form;
#[cfg(test)]
mod law_requests;
#[cfg(test)]
mod laws;

mod legacy;
#[cfg(test)]
mod list_tests;
mod lists;
mod locate;
mod mask;
mod message;
mod named_range;
mod new_document;
mod objects;
mod page;
mod page_style;
#[cfg(test)]
mod page_tests;
mod paragraph_style;
mod picture;
mod quirks;
mod read;
mod refusal;
mod replace;
#[cfg(test)]
mod replace_tests;
mod request;
mod runs;
#[cfg(test)]
mod sample;
mod schema;
mod segment;
mod setting;
mod shared;
mod style;
mod style_values;
mod suggest;
mod suggested;
mod suggestion;
#[cfg(test)]
mod tab_tests;
mod table;
mod table_merge;
mod table_rows;
mod table_style;
#[cfg(test)]
mod table_tests;
mod tabs;
#[cfg(test)]
mod tests;
mod text_style;
mod thread;
#[cfg(test)]
mod thread_tests;
mod threads;
mod ticks;
mod time;
mod trace;

pub use access::ElementKind;
pub use apply::{Applied, apply, apply_as, apply_as_traced, apply_traced};
pub use comment::{comment_without_place, text_between};
pub use document::*;
pub(crate) use glyphs::list_of;
pub use index::{reindex, segment_end, utf16_len};
pub use legacy::to_legacy;
pub use new_document::new_document;
pub use picture::{PICTURE_BYTES_MAX, PICTURE_PIXELS_MAX, PICTURE_URI_BYTES_MAX, Picture, PictureFormat};
pub use read::read_requests;
pub use refusal::Refusal;
pub use request::*;
pub use setting::Setting;
pub use shared::Shared;
pub(crate) use style::{inherited_paragraph, inherited_text, same, same_field};
pub use suggestion::preview;
pub use thread::{CommentAnchor, CommentThread, Post, PostAuthor, SuggestionThread};
pub use ticks::{CheckItem, Ticks, check_items, is_check_level};
pub use time::date_that_shows;
pub use trace::SegmentTrace;
