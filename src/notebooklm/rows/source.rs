//! Sources.

use serde_json::Value;

use super::{Listing, Moment, listing, moment, title, wrapped_id};
use crate::notebooklm::document::{Document, document};
use crate::notebooklm::slot::{Drift, Slot};

/// A source of a notebook.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Its id, a UUID.
    pub id: String,
    /// Its title; empty where it has none yet.
    pub title: String,
    /// What it is.
    pub kind: SourceKind,
    /// How far the product has read it.
    pub status: Status,
    /// How it stands with its file in Drive, for one that has one.
    pub drive_status: Option<DriveStatus>,
    /// Why it failed, for one that did.
    pub failure: Option<Failure>,
    /// How many words it has.
    pub words: Option<u64>,
    /// How large it is, in characters or bytes: the product does not say which.
    pub size: Option<u64>,
    /// What is said of its content: another id comes with another content.
    pub revision: Option<String>,
    /// When that content was read.
    pub revised: Option<Moment>,
    /// When it was added.
    pub added: Option<Moment>,
    /// When it was changed last, in whatever way.
    pub modified: Option<Moment>,
    /// The page, or the file on a server, that it was made of.
    pub url: Option<String>,
    /// The video that it was made of: its address, and the channel's name.
    pub video: Option<(String, Option<String>)>,
    /// The id of the file in Drive that it was made of.
    pub drive_file: Option<String>,
    /// Its media type.
    pub mime: Option<String>,
    /// Where its bytes can be had, with the cookies of the account.
    pub download_url: Option<String>,
    /// Where it can be looked at.
    pub viewer_url: Option<String>,
}

/// What a source is. The numbers are the product's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// 0, or none: the product does not know yet.
    Unclassified,
    /// 1.
    GoogleDocs,
    /// 2.
    GoogleSlides,
    /// 3.
    Pdf,
    /// 4: also a file of text that a server gave away.
    Text,
    /// 5.
    WebPage,
    /// 6.
    PowerPoint,
    /// 8.
    Markdown,
    /// 9.
    YouTube,
    /// 10.
    Media,
    /// 11.
    Word,
    /// 12.
    Excel,
    /// 13.
    Image,
    /// 14: which one, its media type tells.
    Drive,
    /// 15.
    Gmail,
    /// 16.
    Csv,
    /// 17.
    Epub,
    /// 18.
    GeminiChat,
    /// 19.
    AiModeChat,
    /// 20.
    PlayBooks,
    /// Any other number.
    Other(i64),
}

/// How far the product has read a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// 1.
    Processing,
    /// 2.
    Ready,
    /// 3. What is heard may say so for a while as it is written down.
    Failed,
    /// 5: its bytes are awaited, or not looked at yet.
    Preparing,
    /// None was told.
    Untold,
    /// Any other number.
    Other(i64),
}

/// How a source stands with its file in Drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DriveStatus {
    /// 1: the account cannot see it.
    Inaccessible,
    /// 2: it is being read.
    Syncing,
    /// 3: all is well.
    Active,
    /// 4: it is gone.
    Deleted,
    /// 5: its owner does not let it be read by models.
    Denied,
    /// Any other number.
    Other(i64),
}

/// Why a source failed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Failure {
    /// As the personal product says it: each reason has a place of its own, and some have a number, too. One was
    /// recorded: place 6 with 1, for an address that nobody has (2026-09-27).
    Place {
        /// The place, from 0.
        place: usize,
        /// The number at that place, where there is one.
        code: Option<i64>,
    },
    /// As the enterprise product says it.
    Named {
        /// The reason, as in `sourceUnreachable`.
        reason: String,
        /// More of it, as in `URL_NOT_FOUND`.
        detail: Option<String>,
    },
}

/// Whether a source says what its origin does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// It does.
    Fresh,
    /// Its origin says something else by now.
    Stale,
}

/// A source with its text.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceText {
    /// The source, where it was told.
    pub source: Option<Source>,
    /// Its text.
    pub document: Document,
    /// Its text as HTML, where that was asked for.
    pub html: Option<String>,
}

impl SourceKind {
    /// Returns what a number means.
    #[must_use]
    pub const fn of(code: i64) -> Self {
        match code {
            0 => Self::Unclassified,
            1 => Self::GoogleDocs,
            2 => Self::GoogleSlides,
            3 => Self::Pdf,
            4 => Self::Text,
            5 => Self::WebPage,
            6 => Self::PowerPoint,
            8 => Self::Markdown,
            9 => Self::YouTube,
            10 => Self::Media,
            11 => Self::Word,
            12 => Self::Excel,
            13 => Self::Image,
            14 => Self::Drive,
            15 => Self::Gmail,
            16 => Self::Csv,
            17 => Self::Epub,
            18 => Self::GeminiChat,
            19 => Self::AiModeChat,
            20 => Self::PlayBooks,
            _ => Self::Other(code),
        }
    }

    /// Returns the word of the tool set, which knows fewer kinds: all others are `unknown`.
    #[must_use]
    pub fn tool_word(self, mime: Option<&str>) -> &'static str {
        match self {
            Self::GoogleDocs => "gdoc",
            Self::GoogleSlides => "gslides",
            Self::Pdf => "pdf",
            Self::Text | Self::Markdown => "text",
            Self::WebPage => "url",
            Self::YouTube => "youtube",
            Self::Media => "audio",
            Self::Drive if mime == Some("application/pdf") => "pdf",
            Self::Unclassified
            | Self::PowerPoint
            | Self::Word
            | Self::Excel
            | Self::Image
            | Self::Drive
            | Self::Gmail
            | Self::Csv
            | Self::Epub
            | Self::GeminiChat
            | Self::AiModeChat
            | Self::PlayBooks
            | Self::Other(_) => "unknown",
        }
    }
}

impl Status {
    const fn of(code: Option<i64>) -> Self {
        match code {
            None => Self::Untold,
            Some(1) => Self::Processing,
            Some(2) => Self::Ready,
            Some(3) => Self::Failed,
            Some(5) => Self::Preparing,
            Some(code) => Self::Other(code),
        }
    }
}

impl DriveStatus {
    const fn of(code: i64) -> Self {
        match code {
            1 => Self::Inaccessible,
            2 => Self::Syncing,
            3 => Self::Active,
            4 => Self::Deleted,
            5 => Self::Denied,
            _ => Self::Other(code),
        }
    }
}

/// Reads a row of a source. One that was only just made may be its id alone.
///
/// # Errors
///
/// [`Drift`] when it is none.
pub fn source(row: Slot<'_>) -> Result<Source, Drift> {
    let id = if row.text().is_some() {
        wrapped_id(row)?
    } else if row.at(0).at(0).is_absent() && !row.at(0).at(2).is_absent() {
        // Some files of Drive have `[null, true, [id]]` where others have `[id]`.
        wrapped_id(row.at(0).at(2))?
    } else {
        wrapped_id(row.at(0))?
    };
    let meta = row.at(2);
    let settings = row.at(3);
    let text = |slot: Slot<'_>| slot.text().filter(|text| !text.is_empty()).map(str::to_owned);
    let count = |slot: Slot<'_>| slot.integer().and_then(|count| u64::try_from(count).ok());
    Ok(Source {
        id,
        title: row.at(1).optional_string()?.map(title).unwrap_or_default(),
        kind: meta.at(4).optional_integer()?.map_or(SourceKind::Unclassified, SourceKind::of),
        status: Status::of(settings.at(1).optional_integer()?),
        drive_status: settings.at(3).integer().map(DriveStatus::of),
        failure: failure(settings.at(2)),
        words: count(meta.at(1)),
        size: count(meta.at(8)),
        revision: meta.at(3).at(0).optional_string()?.map(str::to_owned),
        revised: moment(meta.at(3).at(1))?,
        added: moment(meta.at(2))?,
        modified: moment(meta.at(14))?,
        url: text(meta.at(7).at(0)),
        video: text(meta.at(5).at(0)).map(|url| (url, text(meta.at(5).at(2)))),
        drive_file: text(meta.at(0).at(0)).or_else(|| text(meta.at(9).at(0))),
        mime: text(meta.at(19)).or_else(|| text(meta.at(9).at(2))).or_else(|| text(row.at(7).at(2))),
        download_url: text(row.at(5)),
        viewer_url: text(row.at(6)),
    })
}

/// Reads why a source failed: the first place at which something stands.
fn failure(slot: Slot<'_>) -> Option<Failure> {
    let place = slot.list()?.iter().position(|reason| !reason.is_null())?;
    let reason = slot.at(place);
    Some(Failure::Place { place, code: reason.integer().or_else(|| reason.at(0).integer()) })
}

/// Reads the answer to the adding of sources, at once or later, or to the registering of an upload.
///
/// # Errors
///
/// [`Drift`] when it is no list, or when none of its rows is a source.
pub fn added_sources(id: &str, answer: &Value) -> Result<Listing<Source>, Drift> {
    let slot = Slot::new(id, answer);
    if slot.list().is_none() {
        return Err(slot.drift("a list of sources"));
    }
    listing(slot.at(0), source)
}

/// Reads the answer to the import of what a search found: the rows, alone or in a list.
///
/// # Errors
///
/// [`Drift`] when it is no list, or when none of its rows is a source.
pub fn imported_sources(id: &str, answer: &Value) -> Result<Listing<Source>, Drift> {
    let slot = Slot::new(id, answer);
    if slot.list().is_none() {
        return Err(slot.drift("a list of sources"));
    }
    // A row begins with its id in a list; a list of rows with a row.
    let alone = slot.at(0).at(0).at(0).text().is_some();
    listing(if alone { slot } else { slot.at(0) }, source)
}

/// Reads the answer to the changing or refreshing of a source: its row, alone or in a list.
///
/// # Errors
///
/// [`Drift`] when it is none.
pub fn mutated_source(id: &str, answer: &Value) -> Result<Source, Drift> {
    let slot = Slot::new(id, answer);
    let nested = slot.at(0).at(0).list().is_some();
    source(if nested { slot.at(0) } else { slot })
}

/// Reads whether a source is fresh: nothing for a page that is, and yes or no for a file of Drive.
///
/// # Errors
///
/// [`Drift`] when it is no list, or one without a yes or no.
pub fn freshness(id: &str, answer: &Value) -> Result<Freshness, Drift> {
    let slot = Slot::new(id, answer);
    let Some(list) = slot.list() else { return Err(slot.drift("a list")) };
    if list.is_empty() {
        return Ok(Freshness::Fresh);
    }
    let places = [slot.at(0).at(1), slot.at(1), slot.at(0)];
    match places.into_iter().find_map(|place| place.value().and_then(Value::as_bool)) {
        Some(true) => Ok(Freshness::Fresh),
        Some(false) => Ok(Freshness::Stale),
        None => Err(slot.at(0).at(1).drift("a yes or no")),
    }
}

/// Reads the answer to a question for a source's text.
///
/// # Errors
///
/// [`Drift`] when there is no text in it.
pub fn source_text(id: &str, answer: &Value) -> Result<SourceText, Drift> {
    let slot = Slot::new(id, answer);
    let source = if slot.at(0).is_absent() { None } else { Some(source(slot.at(0))?) };
    // No recording has the answer in HTML; clients of others read it beside the document.
    let html = [slot.at(4).at(1), slot.at(4).at(0), slot.at(4)].into_iter().find_map(Slot::text).map(str::to_owned);
    if slot.at(3).list().is_none() && html.is_none() {
        return Err(slot.at(3).drift("a document"));
    }
    Ok(SourceText { source, document: document(slot.at(3)), html })
}
