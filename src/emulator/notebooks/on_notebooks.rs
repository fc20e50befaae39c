//! Calls about notebooks.

use serde_json::{Value, json};

use super::Notebooks;
use super::asked::{Asked, Done, Refusal};
use super::making::cut;
use super::model::{Chat, Conversation, DriveFile, Millis, Notebook, Origin, Role, Source};
use super::rows;
use crate::notebooklm::slot::Slot;

/// The longest prompt of a notebook, in characters.
const PROMPT_CHARS_MAX: usize = 10_000;

/// People that a notebook is shared with.
const SHARES_MAX: usize = 1_000;

impl Notebooks {
    /// All notebooks that somebody viewed lately.
    pub(super) fn list_notebooks(&self, asked: &Asked<'_>) -> Done {
        let person = self.person(&asked.email)?;
        let row = |notebook: &&Notebook| rows::notebook(notebook, person, self.source_rows(notebook, asked.now));
        let listed: Vec<Value> = self.listed(&asked.email).iter().map(row).collect();
        Ok(json!([listed]))
    }

    /// A new notebook.
    pub(super) fn create_notebook(&mut self, asked: &Asked<'_>) -> Done {
        let title = asked.at(&[0]).text().unwrap_or_default();
        self.check_context(asked, 3)?;
        let limit = self.person(&asked.email)?.plan.notebooks;
        let owned = self.notebooks.values().filter(|one| one.place.is_none() && one.owner == asked.email).count();
        if owned >= usize::try_from(limit).unwrap_or(usize::MAX) {
            return Err(Refusal::INVALID);
        }
        let notebook = self.new_notebook(asked.now, &asked.email, title);
        let row = rows::new_notebook(&notebook);
        self.notebooks.insert(notebook.id.clone(), notebook);
        self.touch();
        Ok(row)
    }

    /// Makes a notebook, which is then to be put in.
    pub(super) fn new_notebook(&mut self, now: Millis, owner: &str, title: &str) -> Notebook {
        Notebook {
            id: self.chance.uuid(),
            title: cut(title),
            emoji: String::new(),
            owner: owner.to_owned(),
            shares: std::collections::BTreeMap::new(),
            public: false,
            created_ms: now,
            viewed_ms: [(owner.to_owned(), now)].into(),
            hidden: std::collections::BTreeSet::new(),
            chat: None,
            sources: Vec::new(),
            notes: Vec::new(),
            conversation: Conversation { id: self.chance.uuid(), ..Conversation::default() },
            place: None,
            audio: None,
        }
    }

    /// One notebook, which is viewed thereby.
    pub(super) fn get_notebook(&mut self, asked: &Asked<'_>) -> Done {
        let id = asked.text(&[0])?;
        self.seen(&asked.email, id)?;
        self.touch();
        if let Some(notebook) = self.notebooks.get_mut(id) {
            notebook.viewed_ms.insert(asked.email.clone(), asked.now);
            notebook.hidden.remove(&asked.email);
        }
        let notebook = self.seen(&asked.email, id)?;
        let person = self.person(&asked.email)?;
        Ok(json!([rows::notebook(notebook, person, self.source_rows(notebook, asked.now))]))
    }

    /// Another title, another emoji, or how answers are.
    pub(super) fn change_notebook(&mut self, asked: &Asked<'_>) -> Done {
        let id = asked.text(&[0])?.to_owned();
        let change = asked.at(&[1, 0]);
        let chat = if change.at(7).list().is_some() { Some(chat_of(change.at(7))?) } else { None };
        let notebook = self.edited(&asked.email, &id)?;
        if let Some(title) = change.at(3).at(1).text() {
            notebook.title = cut(title);
        }
        if let Some(emoji) = change.at(3).at(2).text() {
            notebook.emoji = cut(emoji);
        }
        if chat.is_some() {
            notebook.chat = chat;
        }
        let role = notebook.role(&asked.email).unwrap_or(Role::Viewer);
        Ok(rows::changed_notebook(notebook, role))
    }

    /// Notebooks go, with all in them.
    pub(super) fn delete_notebooks(&mut self, asked: &Asked<'_>) -> Done {
        let ids: Vec<String> = texts(asked.at(&[0]))?;
        for id in &ids {
            if self.seen(&asked.email, id)?.owner != asked.email {
                return Err(Refusal::DENIED);
            }
        }
        for id in &ids {
            self.notebooks.remove(id);
        }
        self.touch();
        Ok(json!([]))
    }

    /// A notebook goes from the list. Nothing comes back but a status that says otherwise, as was recorded.
    pub(super) fn remove_from_recent(&mut self, asked: &Asked<'_>) -> Done {
        let id = asked.text(&[0])?;
        self.seen(&asked.email, id)?;
        if let Some(notebook) = self.notebooks.get_mut(id) {
            notebook.hidden.insert(asked.email.clone());
        }
        self.touch();
        Err(Refusal::INTERNAL)
    }

    /// Who sees a notebook.
    pub(super) fn share_status(&self, asked: &Asked<'_>) -> Done {
        let notebook = self.seen(&asked.email, asked.text(&[0])?)?;
        let name = |email: &str| self.people.get(email).map_or(email, |person| person.name.as_str()).to_owned();
        Ok(rows::shares(notebook, name))
    }

    /// A notebook is shown to everybody who has the link, or no more.
    pub(super) fn share_notebook(&mut self, asked: &Asked<'_>) -> Done {
        let change = asked.at(&[0, 0]);
        let id = change.at(0).text().ok_or(Refusal::INVALID)?.to_owned();
        if self.seen(&asked.email, &id)?.owner != asked.email {
            return Err(Refusal::DENIED);
        }
        let public = change.at(2).at(0).integer() == Some(1);
        self.edited(&asked.email, &id)?.public = public;
        Ok(Value::Null)
    }

    /// The studio items of a notebook: there are none here.
    pub(super) fn list_artifacts(&self, asked: &Asked<'_>) -> Done {
        self.seen(&asked.email, asked.text(&[1])?)?;
        Ok(json!([]))
    }

    /// Returns the rows of the sources of a notebook.
    pub(super) fn source_rows(&self, notebook: &Notebook, now: Millis) -> Vec<Value> {
        notebook.sources.iter().map(|source| rows::source(source, self.file_of(source), now)).collect()
    }

    /// Returns the file of Drive that a source is of.
    pub(super) fn file_of(&self, source: &Source) -> Option<&DriveFile> {
        match &source.origin {
            Origin::Drive { file, .. } => self.drive.get(file),
            Origin::Text | Origin::Page { .. } | Origin::Video { .. } | Origin::File { .. } => None,
        }
    }

    /// Shares a notebook with somebody, or no more. Returns whether there was room.
    pub(super) fn share_with(&mut self, id: &str, email: &str, role: Option<Role>) -> bool {
        self.touch();
        let Some(notebook) = self.notebooks.get_mut(id) else { return false };
        match role {
            Some(role) if notebook.shares.len() < SHARES_MAX => {
                notebook.shares.insert(email.to_owned(), role);
            }
            Some(_) => return false,
            None => {
                notebook.shares.remove(email);
                notebook.viewed_ms.remove(email);
            }
        }
        true
    }
}

/// Reads how answers are to be.
fn chat_of(slot: Slot<'_>) -> Result<Chat, Refusal> {
    let goal = slot.at(0).at(0).integer().unwrap_or(1);
    let prompt = slot.at(0).at(1).text().map(str::to_owned);
    let length = slot.at(1).at(0).integer().unwrap_or(1);
    let long = prompt.as_ref().is_some_and(|prompt| prompt.chars().count() > PROMPT_CHARS_MAX);
    if !(1..=3).contains(&goal) || ![1, 4, 5].contains(&length) || long || (goal == 2 && prompt.is_none()) {
        return Err(Refusal::INVALID);
    }
    Ok(Chat { goal, prompt, length })
}

/// Reads a list of texts.
pub(super) fn texts(slot: Slot<'_>) -> Result<Vec<String>, Refusal> {
    let list = slot.list().ok_or(Refusal::INVALID)?;
    list.iter().map(|value| value.as_str().map(str::to_owned).ok_or(Refusal::INVALID)).collect()
}
