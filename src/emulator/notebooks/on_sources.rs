//! Calls about sources.

use serde_json::{Value, json};

use super::Notebooks;
use super::asked::{Asked, Done, Refusal};
use super::making::cut;
use super::model::{Origin, Source, TEXT_BYTES_MAX};
use super::on_notebooks::texts;
use super::parse::{html, parse};
use super::words::{in_common, passage_text, passages, words};
use super::{reading, rows};
use crate::notebooklm::slot::Slot;

/// Passages that a search finds.
const FOUND_MAX: usize = 10;

/// The longest text that is searched for, in characters.
const QUERY_CHARS_MAX: usize = 10_000;

impl Notebooks {
    /// A source's text, as a document or as HTML.
    pub(super) fn source_text(&self, asked: &Asked<'_>) -> Done {
        let source = self.seen_source(&asked.email, asked.text(&[0, 0])?)?;
        let row = rows::source(source, self.file_of(source), asked.now);
        let read = source.is_ready(asked.now);
        // Nothing can be said yet of what is not read.
        let text = if read { source.text.as_str() } else { "" };
        match asked.at(&[1, 0]).integer() {
            Some(3) => Ok(json!([row, null, null, null, [null, html(text)]])),
            Some(_) | None => Ok(json!([row, null, null, [[parse(text).values()]]])),
        }
    }

    /// What sources are about.
    pub(super) fn source_guide(&self, asked: &Asked<'_>) -> Done {
        let mut guides = Vec::new();
        for wanted in asked.at(&[0]).list().ok_or(Refusal::INVALID)? {
            let id = Slot::new("source", wanted).at(0).at(0).text().ok_or(Refusal::INVALID)?;
            let source = self.seen_source(&asked.email, id)?;
            if source.is_ready(asked.now) {
                let keywords = reading::keywords(source);
                guides.push(json!([null, [reading::source_summary(source)], [keywords], []]));
            }
        }
        Ok(json!([guides]))
    }

    /// The passages that have most words of a text, of all sources or of some.
    pub(super) fn search_passages(&self, asked: &Asked<'_>) -> Done {
        let notebook = self.seen(&asked.email, asked.text(&[0])?)?;
        let query = asked.text(&[1])?;
        if query.chars().count() > QUERY_CHARS_MAX {
            return Err(Refusal::INVALID);
        }
        let wanted = wanted_sources(asked.at(&[4]))?;
        let question = words(query);
        let mut found = Vec::new();
        for source in notebook.sources.iter().filter(|source| source.is_ready(asked.now)) {
            if !wanted.is_empty() && !wanted.contains(&source.id) {
                continue;
            }
            let doc = parse(&source.text);
            for passage in passages(&doc) {
                let text = passage_text(&doc, &passage);
                let count = in_common(&question, &text);
                if count > 0 {
                    found.push((count, source, passage, text));
                }
            }
        }
        found.sort_by_key(|each| std::cmp::Reverse(each.0));
        found.truncate(FOUND_MAX);
        let mut by_source: Vec<(&str, Vec<Value>)> = Vec::new();
        for (rank, (_, source, passage, text)) in found.iter().enumerate() {
            let row = json!([[[[text]]], rank + 1, [[null, passage.start, passage.end]]]);
            match by_source.iter_mut().find(|(id, _)| *id == source.id) {
                Some((_, rows)) => rows.push(row),
                None => by_source.push((&source.id, vec![row])),
            }
        }
        let rows: Vec<Value> = by_source.into_iter().map(|(id, rows)| json!([id, rows])).collect();
        Ok(json!([rows]))
    }

    /// Another title for a source.
    pub(super) fn rename_source(&mut self, asked: &Asked<'_>) -> Done {
        let id = asked.text(&[1, 0])?.to_owned();
        let title = cut(asked.text(&[2, 0, 0, 0])?);
        if title.trim().is_empty() {
            return Err(Refusal::INVALID);
        }
        self.edited_source(&asked.email, &id)?.title = title;
        self.source_answer(asked, &id).map(|row| json!([row]))
    }

    /// Sources go. Their notebook is told by the page alone.
    pub(super) fn delete_sources(&mut self, asked: &Asked<'_>) -> Done {
        let ids: Vec<String> = asked
            .at(&[0])
            .list()
            .ok_or(Refusal::INVALID)?
            .iter()
            .filter_map(|id| id_of(id).map(str::to_owned))
            .collect();
        let notebook = asked.notebook.clone().ok_or(Refusal::INVALID)?;
        let seen = self.seen(&asked.email, &notebook)?;
        if ids.is_empty() || ids.iter().any(|id| seen.source(id).is_none()) {
            return Err(Refusal::NOT_FOUND);
        }
        self.edited(&asked.email, &notebook)?.sources.retain(|source| !ids.contains(&source.id));
        Ok(json!([]))
    }

    /// Whether a source still says what its origin does.
    pub(super) fn check_freshness(&self, asked: &Asked<'_>) -> Done {
        let source = self.seen_source(&asked.email, asked.text(&[1, 0])?)?;
        Ok(match &source.origin {
            Origin::Drive { .. } => json!([[null, self.is_fresh(source), [source.id]]]),
            Origin::Text | Origin::Page { .. } | Origin::Video { .. } | Origin::File { .. } => json!([]),
        })
    }

    /// Tells whether a source has the newest version of its file in Drive.
    pub(super) fn is_fresh(&self, source: &Source) -> bool {
        match (&source.origin, self.file_of(source)) {
            (Origin::Drive { version, .. }, Some(file)) => file.version == *version,
            _ => true,
        }
    }

    /// A source is read anew from its origin.
    pub(super) fn refresh_source(&mut self, asked: &Asked<'_>) -> Done {
        let id = asked.text(&[1, 0])?.to_owned();
        if self.switches.refresh_refused {
            return Err(Refusal::INVALID);
        }
        let source = self.edited_source(&asked.email, &id)?.clone();
        let notebook = self.notebook_of(&asked.email, &id)?.id.clone();
        let (text, version) = match &source.origin {
            Origin::Drive { file, .. } => {
                let file = self.drive.get(file).filter(|file| file.status == 3).ok_or(Refusal::PRECONDITION)?;
                (Some(file.text.clone()), file.version)
            }
            Origin::Page { url } | Origin::Video { url, .. } => (self.web.get(url).map(|page| page.text.clone()), 0),
            Origin::Text | Origin::File { .. } => return Err(Refusal::INVALID),
        };
        if let Some(text) = text.filter(|text| *text != source.text) {
            self.set_text(asked.now, &notebook, &id, &text);
        }
        if !matches!(source.origin, Origin::Drive { .. }) {
            return Ok(Value::Null);
        }
        if let Origin::Drive { version: known, .. } = &mut self.edited_source(&asked.email, &id)?.origin {
            *known = version;
        }
        self.source_answer(asked, &id)
    }

    /// Text at a source's end.
    pub(super) fn append_text(&mut self, asked: &Asked<'_>) -> Done {
        let id = asked.text(&[1, 0])?.to_owned();
        let (header, body) = (asked.text(&[3, 1, 0])?, asked.text(&[3, 1, 1])?);
        let source = self.edited_source(&asked.email, &id)?;
        if source.origin != Origin::Text {
            return Err(Refusal::INVALID);
        }
        let text = format!("{}\n\n## {header}\n\n{body}", source.text);
        if text.len() > TEXT_BYTES_MAX {
            return Err(Refusal::INVALID);
        }
        let notebook = self.notebook_of(&asked.email, &id)?.id.clone();
        self.set_text(asked.now, &notebook, &id, &text);
        Ok(Value::Null)
    }

    fn source_answer(&self, asked: &Asked<'_>, id: &str) -> Done {
        let source = self.seen_source(&asked.email, id)?;
        Ok(rows::source(source, self.file_of(source), asked.now))
    }

    /// Another text stands in a file of Drive. Sources of it are stale until they are refreshed.
    pub(in crate::emulator) fn set_drive_file(&mut self, id: &str, title: &str, mime: &str, text: &str) {
        if id.len() > 128 || text.len() > TEXT_BYTES_MAX {
            return;
        }
        let known = self.drive.get(id);
        if known.is_some_and(|file| file.text == text && file.title == title) {
            return;
        }
        let version = known.map_or(1, |file| file.version + 1);
        let (title, mime, text) = (title.to_owned(), mime.to_owned(), text.to_owned());
        let file = super::model::DriveFile { title, mime, text, version, status: 3 };
        self.drive.insert(id.to_owned(), file);
        self.touch();
    }
}

/// Reads the ids of sources, each in two lists of its own.
pub(super) fn wanted_sources(slot: Slot<'_>) -> Result<Vec<String>, Refusal> {
    let Some(list) = slot.list() else { return Ok(Vec::new()) };
    list.iter().map(|each| texts(Slot::new("source", each).at(0)).map(|ids| ids.into_iter().next())).try_fold(
        Vec::new(),
        |mut all, id| {
            all.extend(id?);
            Ok(all)
        },
    )
}

/// Reads an id that stands in a list of its own.
fn id_of(value: &Value) -> Option<&str> {
    value.get(0)?.as_str()
}
