//! The admin calls: what a person would do on the web page, and what tests need and the product does not offer.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::making::{New, NoSource, cut};
use super::model::{Failure, Millis, Notebook, Plan, Role, TEXT_BYTES_MAX, WebPage};
use super::{Notebooks, generate};
use crate::emulator::call::{Answer, Call, Handled};
use crate::emulator::errors::{self, aip};
use crate::emulator::{DEMO_ACCOUNT, clock};

/// The furthest that the clock can be set ahead at once: a year.
const AHEAD_MS_MAX: i64 = 366 * 24 * 3_600_000;

/// Notebooks that there may be in all.
const NOTEBOOKS_MAX: usize = 5_000;

/// People, files of Drive, and pages that may be set.
const KNOWN_MAX: usize = 1_000;

/// A notebook to make.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NewNotebook {
    title: String,
    emoji: String,
    owner: Option<String>,
    shares: std::collections::BTreeMap<String, Role>,
    public: bool,
    sources: Vec<NewSource>,
    notes: Vec<NewNote>,
}

/// A source to make.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NewSource {
    title: String,
    text: Option<String>,
    url: Option<String>,
    youtube: Option<String>,
    drive: Option<String>,
    file: Option<String>,
}

/// A note to make.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NewNote {
    title: Option<String>,
    text: Option<String>,
}

/// What is to be another of a source.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SourceChange {
    title: Option<String>,
    text: Option<String>,
    failure: Option<i64>,
}

/// Whom a notebook is shared with; without a role, no more.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Share {
    email: String,
    role: Option<Role>,
    public: Option<bool>,
}

/// Notebooks to make up.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    count: u32,
    seed: u64,
    owner: Option<String>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { count: 100, seed: 1, owner: None }
    }
}

/// Somebody who can sign in.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NewPerson {
    email: String,
    name: Option<String>,
    password: Option<String>,
    second_step: Option<String>,
    plan: Option<Plan>,
}

/// A file of Drive, or a page.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Content {
    id: String,
    url: String,
    title: String,
    text: String,
    mime: Option<String>,
    status: Option<i64>,
}

impl Notebooks {
    /// Answers an admin call; `rest` is what follows `/admin`.
    pub(in crate::emulator) fn admin(&mut self, now: Millis, call: &Call, rest: &[&str]) -> Handled {
        let now = now.saturating_add(self.ahead_ms);
        match (call.method.as_str(), rest) {
            ("GET", ["notebooks"]) => Ok(Answer::json(200, &self.told(now))),
            ("POST", ["notebooks"]) => self.make_notebook(now, call),
            ("POST", ["notebooks:seed"]) => Ok(Answer::json(200, &json!({"ids": self.seed(now)}))),
            ("POST", ["notebooks:generate"]) => self.make_many(now, call),
            ("POST", ["notebooks:people"]) => self.set_person(call),
            ("POST", ["notebooks:drive"]) => self.set_file(call),
            ("POST", ["notebooks:web"]) => self.set_page(call),
            ("POST", ["notebooks:clock"]) => self.advance(now, call),
            ("GET", ["notebooks:switches"]) => Ok(Answer::json(200, &json!(self.switches))),
            ("POST" | "PATCH", ["notebooks:switches"]) => {
                self.switches = self.switches.changed(&body(call)?).map_err(|why| bad(&why))?;
                self.touch();
                Ok(Answer::json(200, &json!(self.switches)))
            }
            ("POST", ["notebooks:revoke"]) => {
                let email = body::<Value>(call)?.get("email").and_then(Value::as_str).map(str::to_owned);
                Ok(Answer::json(200, &json!({"sessions": self.revoke(email.as_deref())})))
            }
            ("POST", ["notebooks:expire-tokens"]) => {
                self.age_tokens(now);
                Ok(Answer::json(200, &json!({})))
            }
            (_, ["notebooks:faults"]) => self.admin_faults(call),
            ("GET", ["notebooks:requests"]) => Ok(Answer::json(200, &json!(self.log))),
            ("DELETE", ["notebooks:requests"]) => {
                self.log.clear();
                Ok(Answer::json(200, &json!([])))
            }
            (_, ["notebooks", id, rest @ ..]) => self.admin_one(now, call, id, rest),
            _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
        }
    }

    /// Answers an admin call about one notebook.
    fn admin_one(&mut self, now: Millis, call: &Call, id: &str, rest: &[&str]) -> Handled {
        if !self.notebooks.contains_key(id) {
            return Err(errors::not_found());
        }
        match (call.method.as_str(), rest) {
            ("GET", []) => {}
            ("DELETE", []) => {
                self.notebooks.remove(id);
                self.touch();
                return Ok(Answer::json(200, &json!({})));
            }
            ("PATCH", []) => {
                let change: NewNotebook = body(call)?;
                if let Some(notebook) = self.notebooks.get_mut(id) {
                    notebook.title = cut(&change.title);
                    notebook.emoji = cut(&change.emoji);
                }
            }
            ("POST", ["sources"]) => self.put_source(now, id, body(call)?)?,
            ("PATCH", ["sources", source]) => self.change_source(now, id, source, &body(call)?)?,
            ("DELETE", ["sources", source]) => {
                self.notebook(id)?.sources.retain(|each| each.id != *source);
            }
            ("POST", ["notes"]) => self.put_note(now, id, None, &body(call)?)?,
            ("PATCH", ["notes", note]) => self.put_note(now, id, Some(note), &body(call)?)?,
            ("DELETE", ["notes", note]) => {
                for each in self.notebook(id)?.notes.iter_mut().filter(|each| each.id == *note) {
                    each.deleted = true;
                }
            }
            ("POST", ["share"]) => {
                let share: Share = body(call)?;
                if let Some(public) = share.public {
                    self.notebook(id)?.public = public;
                }
                if !share.email.is_empty() && !self.share_with(id, &share.email, share.role) {
                    return Err(bad("it is shared with too many"));
                }
            }
            _ => return Err(errors::no_route(&format!("{} {}", call.method, call.path))),
        }
        self.touch();
        let notebook = self.notebooks.get(id).ok_or_else(errors::not_found)?;
        Ok(Answer::json(200, &told(notebook, now)))
    }

    fn notebook(&mut self, id: &str) -> Result<&mut Notebook, Answer> {
        self.notebooks.get_mut(id).ok_or_else(errors::not_found)
    }

    fn told(&self, now: Millis) -> Value {
        let notebooks: Vec<Value> = self.notebooks.values().map(|notebook| told(notebook, now)).collect();
        json!({"notebooks": notebooks, "people": self.people.keys().collect::<Vec<_>>(),
            "sessions": self.sessions.len(), "now": clock::rfc3339(now)})
    }

    fn make_notebook(&mut self, now: Millis, call: &Call) -> Handled {
        let given: NewNotebook = body(call)?;
        if self.notebooks.len() >= NOTEBOOKS_MAX {
            return Err(bad("there are too many notebooks"));
        }
        let owner = given.owner.as_deref().unwrap_or(DEMO_ACCOUNT);
        if !self.people.contains_key(owner) {
            return Err(bad("the owner is nobody who can sign in"));
        }
        let mut notebook = self.new_notebook(now, owner, &given.title);
        notebook.emoji = cut(&given.emoji);
        notebook.shares = given.shares;
        notebook.public = given.public;
        let id = notebook.id.clone();
        self.notebooks.insert(id.clone(), notebook);
        for source in given.sources {
            self.put_source(now, &id, source)?;
        }
        for note in &given.notes {
            self.put_note(now, &id, None, note)?;
        }
        self.touch();
        let notebook = self.notebooks.get(&id).ok_or_else(errors::not_found)?;
        Ok(Answer::json(200, &told(notebook, now)))
    }

    fn put_source(&mut self, now: Millis, id: &str, given: NewSource) -> Result<(), Answer> {
        let NewSource { title, text, url, youtube, drive, file } = given;
        let bytes = file.is_some().then(|| text.clone().unwrap_or_default());
        let new = match (file, url, youtube, drive, text) {
            (Some(name), ..) => New::File(name),
            (_, Some(url), ..) => New::Url(url),
            (_, _, Some(url), ..) => New::Video(url),
            (_, _, _, Some(id), _) => New::Drive(id, String::new(), title),
            (_, _, _, _, Some(text)) => New::Text(title, text),
            _ => return Err(bad("a source has `text`, `url`, `youtube`, `drive` or `file`")),
        };
        let source = match self.make_source(now, &Plan::PRO, new) {
            Ok(source) => source,
            Err(NoSource::Unreachable(source)) => *source,
            Err(why) => return Err(bad(&format!("no source can be made of it: {why:?}"))),
        };
        let source_id = source.id.clone();
        self.notebook(id)?.sources.push(source);
        if let Some(bytes) = bytes {
            self.take_bytes(now, &source_id, bytes.as_bytes());
        }
        Ok(())
    }

    fn change_source(&mut self, now: Millis, id: &str, source: &str, change: &SourceChange) -> Result<(), Answer> {
        if change.text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES_MAX) {
            return Err(bad("the text is too long"));
        }
        let found = self.notebook(id)?.source_mut(source).ok_or_else(errors::not_found)?;
        if let Some(title) = &change.title {
            found.title = cut(title);
        }
        if let Some(code) = change.failure {
            found.failure = Some(Failure { code, ..Failure::unreachable("NOT_ACCESSIBLE") });
        }
        if let Some(text) = &change.text {
            self.set_text(now, id, source, text);
        }
        Ok(())
    }

    fn put_note(&mut self, now: Millis, id: &str, note: Option<&str>, given: &NewNote) -> Result<(), Answer> {
        let owner = self.notebook(id)?.owner.clone();
        let text = given.text.clone().unwrap_or_default();
        if text.len() > TEXT_BYTES_MAX {
            return Err(bad("the text is too long"));
        }
        let Some(note) = note else {
            let note = self.new_note(now, &owner, given.title.as_deref().unwrap_or("New Note"), &text);
            self.notebook(id)?.notes.push(note);
            return Ok(());
        };
        let notes = &mut self.notebook(id)?.notes;
        let found = notes.iter_mut().find(|each| each.id == note && !each.deleted).ok_or_else(errors::not_found)?;
        if given.text.is_some() {
            found.content = text;
        }
        if let Some(title) = &given.title {
            found.title = cut(title);
        }
        found.modified_ms = now;
        found.edited_ms = Some(now);
        Ok(())
    }

    fn make_many(&mut self, now: Millis, call: &Call) -> Handled {
        let wanted: Wanted = body(call)?;
        let owner = wanted.owner.unwrap_or_else(|| DEMO_ACCOUNT.to_owned());
        let many = usize::try_from(wanted.count).unwrap_or(usize::MAX);
        if wanted.count > generate::GENERATED_MAX || self.notebooks.len().saturating_add(many) > NOTEBOOKS_MAX {
            return Err(bad(&format!("`count` is at most {}", generate::GENERATED_MAX)));
        }
        if !self.people.contains_key(&owner) {
            return Err(bad("the owner is nobody who can sign in"));
        }
        Ok(Answer::json(200, &json!(self.generate(now, &owner, wanted.count, wanted.seed))))
    }

    fn set_person(&mut self, call: &Call) -> Handled {
        let given: NewPerson = body(call)?;
        let email = given.email.trim().to_lowercase();
        if !email.contains('@') || email.len() > 254 || self.people.len() >= KNOWN_MAX {
            return Err(bad("`email` is no address, or there are too many people"));
        }
        self.add_person(&email, given.name.as_deref().unwrap_or(&email), given.plan.unwrap_or(Plan::FREE));
        if let Some(person) = self.people.get_mut(&email) {
            if let Some(password) = given.password {
                person.password = password;
            }
            if let Some(plan) = given.plan {
                person.plan = plan;
            }
            person.second_step = given.second_step.or(person.second_step.take()).filter(|code| !code.is_empty());
        }
        self.touch();
        Ok(Answer::json(200, &json!({"email": email})))
    }

    fn set_file(&mut self, call: &Call) -> Handled {
        let given: Content = body(call)?;
        if given.id.is_empty() || self.drive.len() >= KNOWN_MAX {
            return Err(bad("`id` is missing, or there are too many files"));
        }
        let mime = given.mime.as_deref().unwrap_or("application/vnd.google-apps.document");
        self.set_drive_file(&given.id, &cut(&given.title), mime, &given.text);
        let file = self.drive.get_mut(&given.id).ok_or_else(|| bad("the text is too long"))?;
        if let Some(status) = given.status {
            file.status = status;
        }
        let version = file.version;
        self.touch();
        Ok(Answer::json(200, &json!({"id": given.id, "version": version})))
    }

    fn set_page(&mut self, call: &Call) -> Handled {
        let given: Content = body(call)?;
        if given.url.is_empty() || given.text.len() > TEXT_BYTES_MAX || self.web.len() >= KNOWN_MAX {
            return Err(bad("`url` is missing, the text is too long, or there are too many pages"));
        }
        self.web.insert(given.url.clone(), WebPage { title: cut(&given.title), text: given.text });
        self.touch();
        Ok(Answer::json(200, &json!({"url": given.url})))
    }

    /// Sets the clock ahead, which is the only way in which anything here goes on.
    fn advance(&mut self, now: Millis, call: &Call) -> Handled {
        let ahead = body::<Value>(call)?.get("advance_ms").and_then(Value::as_i64);
        let ahead = ahead.filter(|ahead| (0..=AHEAD_MS_MAX).contains(ahead));
        let ahead = ahead.ok_or_else(|| bad("`advance_ms` is a number of milliseconds, up to a year"))?;
        self.ahead_ms = self.ahead_ms.saturating_add(ahead);
        self.touch();
        Ok(Answer::json(200, &json!({"now": clock::rfc3339(now.saturating_add(ahead))})))
    }

    fn admin_faults(&mut self, call: &Call) -> Handled {
        match call.method.as_str() {
            "GET" => {}
            "POST" => self.add_faults(body(call)?).map_err(|why| bad(&why))?,
            "DELETE" => self.faults.clear(),
            _ => return Err(errors::no_route(&format!("{} {}", call.method, call.path))),
        }
        self.touch();
        Ok(Answer::json(200, &json!(self.faults)))
    }
}

/// Tells a notebook to a test.
fn told(notebook: &Notebook, now: Millis) -> Value {
    let sources: Vec<Value> = notebook
        .sources
        .iter()
        .map(|source| {
            json!({"id": source.id, "title": source.title, "kind": source.kind(), "status": source.status(now).code(),
                "revision": source.revision, "words": source.words})
        })
        .collect();
    let note = |note: &super::model::Note| json!({"id": note.id, "title": note.title, "deleted": note.deleted});
    let notes: Vec<Value> = notebook.notes.iter().map(note).collect();
    json!({"id": notebook.id, "title": notebook.title, "emoji": notebook.emoji, "owner": notebook.owner,
        "shares": notebook.shares, "public": notebook.public, "sources": sources, "notes": notes,
        "conversation": notebook.conversation.id, "turns": notebook.conversation.turns.len()})
}

/// Reads a body; an empty one says nothing.
fn body<T: DeserializeOwned>(call: &Call) -> Result<T, Answer> {
    let bytes: &[u8] = if call.body.is_empty() { b"{}" } else { &call.body };
    serde_json::from_slice(bytes).map_err(|error| bad(&error.to_string()))
}

/// Returns the refusal of a body.
fn bad(why: &str) -> Answer {
    aip(400, "INVALID_ARGUMENT", &format!("Not a body of this admin call: {why}."))
}
