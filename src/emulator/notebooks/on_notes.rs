//! Calls about notes and conversations.

use serde_json::{Value, json};

use super::Notebooks;
use super::asked::{Asked, Done, Refusal};
use super::making::cut;
use super::model::{Millis, Note, TEXT_BYTES_MAX, Turn};
use super::on_notebooks::texts;
use super::{reading, rows};

/// Notes of one notebook.
pub(super) const NOTES_MAX: usize = 1_000;

/// Streams that are remembered as cancelled.
const CANCELLED_MAX: usize = 1_000;

/// Turns that one answer has.
const TURNS_MAX: usize = 1_000;

impl Notebooks {
    /// The notes and mind maps of a notebook.
    pub(super) fn list_notes(&self, asked: &Asked<'_>) -> Done {
        Ok(rows::notes(self.seen(&asked.email, asked.text(&[0])?)?, asked.now))
    }

    /// A new note. Its title is kept only by the change that follows.
    pub(super) fn create_note(&mut self, asked: &Asked<'_>) -> Done {
        let id = asked.text(&[0])?.to_owned();
        let content = asked.at(&[1]).text().unwrap_or_default();
        let note = self.new_note(asked.now, &asked.email, "New Note", content);
        let notebook = self.edited(&asked.email, &id)?;
        if notebook.notes.iter().filter(|note| !note.deleted).count() >= NOTES_MAX || content.len() > TEXT_BYTES_MAX {
            return Err(Refusal::INVALID);
        }
        let row = rows::note(&note, &[]);
        notebook.notes.push(note);
        Ok(json!([row]))
    }

    /// Makes a note, which is then to be put in.
    pub(super) fn new_note(&mut self, now: Millis, email: &str, title: &str, content: &str) -> Note {
        let user = self.people.get(email).map(|person| person.user.clone()).unwrap_or_default();
        let start: String = content.chars().filter(|letter| !letter.is_whitespace()).take(8).collect();
        Note {
            id: self.chance.uuid(),
            title: cut(title),
            content: content.to_owned(),
            mind_map: start.starts_with("{\"name\":"),
            user,
            modified_ms: now,
            edited_ms: None,
            deleted: false,
        }
    }

    /// Another text, and another title unless there is none.
    pub(super) fn update_note(&mut self, asked: &Asked<'_>) -> Done {
        let (id, note_id) = (asked.text(&[0])?.to_owned(), asked.text(&[1])?);
        let content = asked.text(&[2, 0, 0, 0])?;
        if content.len() > TEXT_BYTES_MAX {
            return Err(Refusal::INVALID);
        }
        let notebook = self.edited(&asked.email, &id)?;
        let found = notebook.notes.iter_mut().find(|note| note.id == note_id && !note.deleted);
        let note = found.ok_or(Refusal::NOT_FOUND)?;
        content.clone_into(&mut note.content);
        if let Some(title) = asked.at(&[2, 0, 0, 1]).text() {
            note.title = cut(title);
        }
        note.modified_ms = asked.now;
        note.edited_ms = Some(asked.now);
        Ok(json!([rows::note(note, &[])]))
    }

    /// Notes go; that they were is told on.
    pub(super) fn delete_notes(&mut self, asked: &Asked<'_>) -> Done {
        let id = asked.text(&[0])?.to_owned();
        let ids = texts(asked.at(&[2]))?;
        for note in &mut self.edited(&asked.email, &id)?.notes {
            if ids.contains(&note.id) {
                note.deleted = true;
                note.content.clear();
                note.title.clear();
            }
        }
        Ok(json!([]))
    }

    /// The newest conversation of a notebook.
    pub(super) fn last_conversation(&self, asked: &Asked<'_>) -> Done {
        let notebook = self.seen(&asked.email, asked.text(&[2])?)?;
        Ok(json!([[[notebook.conversation.id]]]))
    }

    /// The newest turns of a conversation, and where the older ones go on.
    pub(super) fn list_turns(&self, asked: &Asked<'_>) -> Done {
        let notebook = self.notebook_of_chat(&asked.email, asked.text(&[3])?)?;
        let limit = asked.at(&[4]).integer().and_then(|limit| usize::try_from(limit).ok()).unwrap_or(20);
        let limit = limit.clamp(1, TURNS_MAX);
        let skip = asked.at(&[5]).text().and_then(|cursor| cursor.parse::<usize>().ok()).unwrap_or_default();
        let seen: Vec<&Turn> =
            notebook.conversation.turns.iter().rev().filter(|turn| turn.at_ms <= asked.now).collect();
        // Recorded: the limit counts what either side said, and a turn has two of that.
        let all: Vec<Value> = seen.into_iter().flat_map(rows::turn).collect();
        let page: Vec<Value> = all.iter().skip(skip).take(limit).cloned().collect();
        if page.is_empty() {
            return Ok(json!([]));
        }
        let next = skip + page.len();
        Ok(if next < all.len() { json!([page, next.to_string()]) } else { json!([page]) })
    }

    /// Whether an answer is being written.
    pub(super) fn chat_status(&self, asked: &Asked<'_>) -> Done {
        let notebook = self.notebook_of_chat(&asked.email, asked.text(&[1])?)?;
        let busy = notebook.conversation.busy.as_ref().filter(|busy| asked.now < busy.until_ms);
        Ok(busy.map_or_else(|| json!([null, 1]), |busy| json!([busy.stream, 2])))
    }

    /// The answer being written ends, and is not kept.
    pub(super) fn cancel_chat(&mut self, asked: &Asked<'_>) -> Done {
        let conversation = self.chat_mut(&asked.email, asked.text(&[1])?)?;
        if let Some(busy) = conversation.busy.take().filter(|busy| asked.now < busy.until_ms) {
            conversation.turns.retain(|turn| turn.at_ms <= asked.now);
            // Streams that were cancelled long ago have ended by now.
            if self.cancelled.len() >= CANCELLED_MAX {
                self.cancelled.clear();
            }
            self.cancelled.insert(busy.stream);
        }
        Ok(json!([]))
    }

    /// The turns of a conversation go.
    pub(super) fn delete_conversation(&mut self, asked: &Asked<'_>) -> Done {
        self.chat_mut(&asked.email, asked.text(&[1])?)?.turns.clear();
        Ok(json!([]))
    }

    /// What a notebook is about.
    pub(super) fn notebook_guide(&self, asked: &Asked<'_>) -> Done {
        Ok(reading::guide(self.seen(&asked.email, asked.text(&[0])?)?, asked.now))
    }

    /// Questions to ask next.
    pub(super) fn next_steps(&self, asked: &Asked<'_>) -> Done {
        let notebook = self.seen(&asked.email, asked.text(&[1])?)?;
        Ok(json!([reading::numbered(&reading::questions(notebook, asked.now))]))
    }
}
