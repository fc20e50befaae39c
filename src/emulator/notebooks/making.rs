//! New sources, from whatever says what they are: a call, an upload, an admin call, the enterprise product.

use url::Url;

use super::Notebooks;
use super::generate;
use super::model::{Failure, Millis, Origin, Plan, Source, TEXT_BYTES_MAX, count_words};

/// The type of a document in Drive.
const DOCUMENT_TYPE: &str = "application/vnd.google-apps.document";

/// The longest address, in bytes.
const URL_BYTES_MAX: usize = 2_048;

/// The longest title, in characters; a longer one is cut.
pub(super) const TITLE_CHARS_MAX: usize = 1_000;

/// What a source is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum New {
    /// A text.
    Text(String, String),
    /// A page.
    Url(String),
    /// A video.
    Video(String),
    /// A file of Drive: its id, its type and its title.
    Drive(String, String, String),
    /// A file whose bytes come later.
    File(String),
}

/// Why there is no source.
#[derive(Debug, Clone)]
pub(super) enum NoSource {
    /// It is no address, or no text.
    Invalid,
    /// There is nothing in it.
    Empty,
    /// It is too long.
    TooLong {
        /// Count of its words.
        words: usize,
    },
    /// Nobody answers at the address; a source that failed is to be left.
    Unreachable(Box<Source>),
    /// There is no such file in Drive.
    NotFound,
}

impl Notebooks {
    /// Makes a source, which is then to be put into a notebook.
    pub(super) fn make_source(&mut self, now: Millis, plan: &Plan, new: New) -> Result<Source, NoSource> {
        let (title, origin, text) = match new {
            New::Text(title, text) => (title, Origin::Text, text),
            New::Url(url) => self.page_of(&url)?,
            New::Video(url) => self.video_of(&url)?,
            New::Drive(file, mime, title) => self.drive_file(&file, &mime, &title)?,
            New::File(name) => (name.clone(), Origin::File { mime: mime_of(&name).to_owned() }, String::new()),
        };
        let awaits_bytes = matches!(origin, Origin::File { .. });
        let words = count_words(&text);
        if words > usize::try_from(plan.words).unwrap_or(usize::MAX) || text.len() > TEXT_BYTES_MAX {
            return Err(NoSource::TooLong { words });
        }
        if text.trim().is_empty() && !awaits_bytes {
            return Err(NoSource::Empty);
        }
        let takes = if origin == Origin::Text { self.switches.text_ms } else { self.switches.processing_ms };
        let failure = failure_of(&origin);
        let mut source = Source {
            id: self.chance.uuid(),
            title: cut(if title.trim().is_empty() { "Pasted Text" } else { title.trim() }),
            origin,
            text,
            words,
            revision: self.chance.uuid(),
            revised_ms: now,
            added_ms: now,
            modified_ms: now,
            typed_ms: now,
            ready_ms: now + i64::from(takes),
            failure,
            awaits_bytes,
        };
        source.modified_ms = source.ready_ms;
        if let Origin::Page { url } = &source.origin
            && Url::parse(url).is_ok_and(|url| url.host_str().is_some_and(|host| host.ends_with(".invalid")))
        {
            source.ready_ms = now;
            return Err(NoSource::Unreachable(Box::new(source)));
        }
        Ok(source)
    }

    fn page_of(&self, address: &str) -> Result<(String, Origin, String), NoSource> {
        let url = web_address(address)?;
        let page = self.web.get(address).cloned().unwrap_or_else(|| generate::page(&url));
        // What cannot be read keeps its address as its title.
        let title = if address.contains("fails") { address.to_owned() } else { page.title };
        Ok((title, Origin::Page { url: address.to_owned() }, page.text))
    }

    fn video_of(&self, address: &str) -> Result<(String, Origin, String), NoSource> {
        let url = web_address(address)?;
        let by_query = url.query_pairs().find(|(key, _)| key == "v").map(|(_, video)| video.into_owned());
        let by_path = url.path().rsplit('/').next().filter(|last| !last.is_empty() && *last != "watch");
        let video = by_query.or_else(|| by_path.map(str::to_owned)).ok_or(NoSource::Invalid)?;
        let page = self.web.get(address).cloned().unwrap_or_else(|| generate::video(&video));
        let origin = Origin::Video { url: address.to_owned(), video, channel: "Demo Channel".to_owned() };
        Ok((page.title, origin, page.text))
    }

    fn drive_file(&self, id: &str, mime: &str, title: &str) -> Result<(String, Origin, String), NoSource> {
        let file = self.drive.get(id).filter(|file| file.status == 3).ok_or(NoSource::NotFound)?;
        let mime = [mime, file.mime.as_str(), DOCUMENT_TYPE].into_iter().find(|mime| !mime.is_empty());
        let origin = Origin::Drive {
            file: id.to_owned(),
            mime: mime.unwrap_or(DOCUMENT_TYPE).to_owned(),
            version: file.version,
        };
        let title = if title.is_empty() { file.title.as_str() } else { title };
        Ok((title.to_owned(), origin, file.text.clone()))
    }

    /// Gives a source another text, and with it another revision.
    pub(super) fn set_text(&mut self, now: Millis, notebook: &str, source: &str, text: &str) {
        let revision = self.chance.uuid();
        let found = self.notebooks.get_mut(notebook).and_then(|notebook| notebook.source_mut(source));
        if let Some(source) = found {
            source.words = count_words(text);
            text.clone_into(&mut source.text);
            source.revision = revision;
            source.revised_ms = now;
            source.modified_ms = now;
            self.touch();
        }
    }
}

fn web_address(text: &str) -> Result<Url, NoSource> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.filter(|_| text.len() <= URL_BYTES_MAX).ok_or(NoSource::Invalid)
}

/// Tells why a page will fail: its address says so.
fn failure_of(origin: &Origin) -> Option<Failure> {
    let (Origin::Page { url } | Origin::Video { url, .. }) = origin else { return None };
    let failed = |reason: &str| {
        let details = serde_json::json!({});
        Failure { place: 6, code: 1, reason: reason.into(), details }
    };
    if url.contains("fails-paywall") {
        Some(failed("paywallError"))
    } else if url.contains("fails-blocked") {
        Some(failed("domainBlocked"))
    } else if url.contains("fails") {
        Some(Failure::unreachable("URL_NOT_FOUND"))
    } else if url.contains(".invalid") {
        Some(Failure::unreachable("NOT_REACHABLE"))
    } else {
        None
    }
}

/// Cuts a title to what the product keeps.
pub(super) fn cut(title: &str) -> String {
    title.chars().filter(|letter| !letter.is_control()).take(TITLE_CHARS_MAX).collect()
}

/// Returns the media type of a file by the end of its name.
pub(super) fn mime_of(name: &str) -> &'static str {
    let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default();
    match end.as_str() {
        "pdf" => "application/pdf",
        "md" | "markdown" => "text/markdown",
        "csv" => "text/csv",
        "epub" => "application/epub+zip",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "mp3" => "audio/mpeg",
        "m4a" => "audio/mp4",
        "mp4" => "video/mp4",
        _ => "text/plain",
    }
}
