//! The enterprise product: Google's published calls for notebooks and sources.
//!
//! Source: <https://cloud.google.com/gemini/enterprise/notebooklm-enterprise/docs/api-notebooks> and the discovery
//! document `discoveryengine.v1alpha`, revision 20261106. Its notebooks are not those of the personal product.

use serde_json::{Value, json};

use super::Notebooks;
use super::making::{New, NoSource};
use super::model::{Failure, Millis, Notebook, Origin, Plan, Role, Source, Status};
use super::reply::Reply;
use crate::emulator::call::{Answer, Call, Handled};
use crate::emulator::errors::{self, Envelope, aip};
use crate::emulator::{DEMO_ACCOUNT, clock};

/// Notebooks of one page, at most, and unless another number is asked for.
const PAGE_SIZE_MAX: usize = 500;

/// Sources that one call may make.
const CONTENTS_MAX: usize = 100;

/// Notebooks that there may be of one place.
const NOTEBOOKS_MAX: usize = 1_000;

/// A request, taken apart.
struct Asked<'a> {
    now: Millis,
    call: &'a Call,
    /// As in `projects/1/locations/global`.
    place: String,
}

impl Asked<'_> {
    fn body(&self) -> Result<Value, Answer> {
        if self.call.body.is_empty() {
            return Ok(json!({}));
        }
        serde_json::from_slice(&self.call.body)
            .map_err(|error| aip(400, "INVALID_ARGUMENT", &format!("Invalid JSON payload received. {error}")))
    }
}

impl Notebooks {
    /// Answers a call of the enterprise product.
    pub(super) fn enterprise(&mut self, now: Millis, call: &Call) -> Reply {
        match self.enterprise_call(now, call) {
            Ok(answer) | Err(answer) => answer.into(),
        }
    }

    fn enterprise_call(&mut self, now: Millis, call: &Call) -> Handled {
        // The door has looked whose bearer it is; without any, nobody gets this far even if it did not.
        if call.bearer.is_none() {
            return Err(errors::unauthenticated(Envelope::Aip, false));
        }
        let segments: Vec<&str> = call.segments.iter().map(String::as_str).collect();
        let no_route = || errors::no_route(&format!("{} {}", call.method, call.path));
        let (uploads, rest) = match segments.as_slice() {
            ["v1alpha", "projects", rest @ ..] => (false, rest),
            ["upload", "v1alpha", "projects", rest @ ..] => (true, rest),
            _ => return Err(no_route()),
        };
        let [project, "locations", location, rest @ ..] = rest else { return Err(no_route()) };
        let numbered = (1..=20).contains(&project.len()) && project.bytes().all(|byte| byte.is_ascii_digit());
        if !numbered || !["global", "us", "eu"].contains(location) {
            return Err(aip(400, "INVALID_ARGUMENT", "Request contains an invalid argument."));
        }
        let asked = Asked { now, call, place: format!("projects/{project}/locations/{location}") };
        match (uploads, call.method.as_str(), rest) {
            (false, "POST", ["notebooks"]) => self.enterprise_create(&asked),
            (false, "GET", ["notebooks:listRecentlyViewed"]) => self.enterprise_list(&asked),
            (false, "POST", ["notebooks:batchDelete"]) => self.enterprise_delete(&asked),
            (false, "GET", ["notebooks", id]) => self.enterprise_get(&asked, id),
            (false, "POST", ["notebooks", named]) => match named.split_once(':') {
                Some((id, "share")) => self.enterprise_share(&asked, id),
                _ => Err(no_route()),
            },
            (false, "POST", ["notebooks", id, "sources:batchCreate"]) => self.enterprise_add(&asked, id),
            (false, "POST", ["notebooks", id, "sources:batchDelete"]) => self.enterprise_remove(&asked, id),
            (false, "GET", ["notebooks", id, "sources", source]) => self.enterprise_source(&asked, id, source),
            (true, "POST", ["notebooks", id, "sources:uploadFile"]) => self.enterprise_upload(&asked, id),
            (false, "POST", ["notebooks", id, "audioOverviews"]) => self.enterprise_audio(&asked, id),
            (false, "DELETE", ["notebooks", id, "audioOverviews", audio]) => {
                let notebook = self.placed(&asked, id)?;
                if notebook.audio.as_deref() != Some(*audio) {
                    return Err(errors::not_found());
                }
                notebook.audio = None;
                Ok(Answer::json(200, &json!({})))
            }
            _ => Err(no_route()),
        }
    }

    /// Returns a notebook of a place. It counts as changed.
    fn placed(&mut self, asked: &Asked<'_>, id: &str) -> Result<&mut Notebook, Answer> {
        self.touch();
        let found = self.notebooks.get_mut(id);
        found.filter(|notebook| notebook.place.as_deref() == Some(&asked.place)).ok_or_else(errors::not_found)
    }

    fn enterprise_create(&mut self, asked: &Asked<'_>) -> Handled {
        let body = asked.body()?;
        let title = body.get("title").and_then(Value::as_str).unwrap_or_default();
        let count = self.notebooks.values().filter(|one| one.place.is_some()).count();
        if count >= NOTEBOOKS_MAX {
            return Err(aip(429, "RESOURCE_EXHAUSTED", "Quota exceeded for notebooks."));
        }
        let mut notebook = self.new_notebook(asked.now, DEMO_ACCOUNT, title);
        notebook.place = Some(asked.place.clone());
        let told = notebook_value(&notebook, asked);
        self.notebooks.insert(notebook.id.clone(), notebook);
        self.touch();
        Ok(Answer::json(200, &told))
    }

    fn enterprise_get(&mut self, asked: &Asked<'_>, id: &str) -> Handled {
        let notebook = self.placed(asked, id)?;
        notebook.viewed_ms.insert(DEMO_ACCOUNT.to_owned(), asked.now);
        Ok(Answer::json(200, &notebook_value(notebook, asked)))
    }

    fn enterprise_list(&self, asked: &Asked<'_>) -> Handled {
        let number = |name: &str| asked.call.parameter(name).map(str::parse::<usize>);
        let size = match number("pageSize") {
            None => PAGE_SIZE_MAX,
            Some(Ok(size)) if size <= PAGE_SIZE_MAX => {
                if size == 0 {
                    PAGE_SIZE_MAX
                } else {
                    size
                }
            }
            Some(_) => return Err(aip(400, "INVALID_ARGUMENT", "page_size must be between 0 and 500.")),
        };
        let skip = match asked.call.parameter("pageToken").filter(|token| !token.is_empty()) {
            None => 0,
            Some(token) => token
                .strip_prefix("after-")
                .and_then(|skip| skip.parse::<usize>().ok())
                .ok_or_else(|| aip(400, "INVALID_ARGUMENT", "Invalid page token."))?,
        };
        let mut all: Vec<&Notebook> =
            self.notebooks.values().filter(|one| one.place.as_deref() == Some(&asked.place)).collect();
        all.sort_by_key(|notebook| std::cmp::Reverse(notebook.viewed_ms.values().max().copied()));
        let page: Vec<Value> = all.iter().skip(skip).take(size).map(|one| notebook_value(one, asked)).collect();
        let mut told = json!({"notebooks": page});
        if skip.saturating_add(size) < all.len() {
            told["nextPageToken"] = format!("after-{}", skip + size).into();
        }
        Ok(Answer::json(200, &told))
    }

    /// Takes notebooks away. More than one fails, as others found, although the field is a list.
    fn enterprise_delete(&mut self, asked: &Asked<'_>) -> Handled {
        let names = names_of(&asked.body()?)?;
        let [name] = names.as_slice() else {
            return Err(aip(400, "INVALID_ARGUMENT", "Request contains an invalid argument."));
        };
        let id = name.strip_prefix(&format!("{}/notebooks/", asked.place)).unwrap_or_default().to_owned();
        self.placed(asked, &id)?;
        self.notebooks.remove(&id);
        Ok(Answer::json(200, &json!({})))
    }

    fn enterprise_share(&mut self, asked: &Asked<'_>, id: &str) -> Handled {
        self.placed(asked, id)?;
        let body = asked.body()?;
        let list = body.get("accountAndRoles").and_then(Value::as_array).filter(|list| !list.is_empty());
        let list = list.ok_or_else(|| aip(400, "INVALID_ARGUMENT", "account_and_roles must not be empty."))?;
        for each in list {
            let email = each.get("email").and_then(Value::as_str).unwrap_or_default();
            let role = match each.get("role").and_then(Value::as_str).unwrap_or_default() {
                "PROJECT_ROLE_OWNER" | "PROJECT_ROLE_WRITER" => Some(Role::Editor),
                "PROJECT_ROLE_READER" => Some(Role::Viewer),
                "PROJECT_ROLE_NOT_SHARED" => None,
                _ => return Err(aip(400, "INVALID_ARGUMENT", "Invalid value at 'account_and_roles.role'.")),
            };
            if !email.contains('@') || !self.share_with(id, email, role) {
                return Err(aip(400, "INVALID_ARGUMENT", "Request contains an invalid argument."));
            }
        }
        Ok(Answer::json(200, &json!({})))
    }

    fn enterprise_add(&mut self, asked: &Asked<'_>, id: &str) -> Handled {
        self.placed(asked, id)?;
        let body = asked.body()?;
        let contents = body.get("userContents").and_then(Value::as_array).filter(|list| !list.is_empty());
        let contents = contents.ok_or_else(|| aip(400, "INVALID_ARGUMENT", "user_contents must not be empty."))?;
        let room = usize::try_from(Plan::PRO.sources).unwrap_or(usize::MAX);
        if contents.len() > CONTENTS_MAX || self.placed(asked, id)?.sources.len() + contents.len() > room {
            return Err(aip(400, "FAILED_PRECONDITION", "The notebook has too many sources."));
        }
        let mut told = Vec::new();
        for content in contents {
            let source = self.enterprise_make(asked, content)?;
            told.push(source_value(&source, id, asked));
            self.placed(asked, id)?.sources.push(source);
        }
        Ok(Answer::json(200, &json!({"sources": told})))
    }

    /// Makes a source. One that cannot be made is one that failed, with the reason.
    fn enterprise_make(&mut self, asked: &Asked<'_>, content: &Value) -> Result<Source, Answer> {
        let (new, name) = new_of(content)
            .ok_or_else(|| aip(400, "INVALID_ARGUMENT", "One of the fields of user_contents must be set."))?;
        let limit = Plan::PRO.words;
        let failed =
            |reason: &str, details: Value| Some(Failure { place: 6, code: 1, reason: reason.to_owned(), details });
        let failure = match self.make_source(asked.now, &Plan::PRO, new) {
            Ok(mut source) => {
                if !name.is_empty() {
                    source.title = name;
                }
                return Ok(source);
            }
            Err(NoSource::Unreachable(source)) => return Ok(*source),
            Err(NoSource::TooLong { words }) => {
                failed("sourceTooLong", json!({"wordCount": words, "wordLimit": limit}))
            }
            Err(NoSource::Empty) => failed("sourceEmpty", json!({})),
            Err(NoSource::Invalid) => failed("sourceUnreachable", json!({"errorDetails": "INVALID_URL"})),
            Err(NoSource::NotFound) => failed("googleDriveError", json!({"downloadPrevented": {}})),
        };
        let placeholder = New::Text(if name.is_empty() { "Source".to_owned() } else { name }, "-".to_owned());
        let mut source = self.make_source(asked.now, &Plan::PRO, placeholder).map_err(|_why| errors::not_found())?;
        source.failure = failure;
        Ok(source)
    }

    fn enterprise_remove(&mut self, asked: &Asked<'_>, id: &str) -> Handled {
        let names = names_of(&asked.body()?)?;
        let prefix = format!("{}/notebooks/{id}/sources/", asked.place);
        let notebook = self.placed(asked, id)?;
        let ids: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix(&prefix)).collect();
        if ids.len() != names.len() || ids.is_empty() || ids.iter().any(|id| notebook.source(id).is_none()) {
            return Err(errors::not_found());
        }
        notebook.sources.retain(|source| !ids.contains(&source.id.as_str()));
        Ok(Answer::json(200, &json!({})))
    }

    fn enterprise_source(&mut self, asked: &Asked<'_>, id: &str, source: &str) -> Handled {
        let source = self.placed(asked, id)?.source(source).ok_or_else(errors::not_found)?;
        Ok(Answer::json(200, &source_value(source, id, asked)))
    }

    fn enterprise_upload(&mut self, asked: &Asked<'_>, id: &str) -> Handled {
        self.placed(asked, id)?;
        let call = asked.call;
        if call.parameter("uploadType") != Some("media") && call.header("x-goog-upload-protocol") != Some("raw") {
            return Err(aip(400, "INVALID_ARGUMENT", "Only uploads of media in one request are taken."));
        }
        let name = call.header("x-goog-upload-file-name").unwrap_or("Untitled");
        let name = crate::emulator::call::decode(name);
        let made = self.make_source(asked.now, &Plan::PRO, New::File(name));
        let source = made.map_err(|_why| aip(400, "INVALID_ARGUMENT", "Request contains an invalid argument."))?;
        let source_id = source.id.clone();
        self.placed(asked, id)?.sources.push(source);
        self.take_bytes(asked.now, &source_id, &call.body);
        Ok(Answer::json(200, &json!({"sourceId": {"id": source_id}})))
    }

    fn enterprise_audio(&mut self, asked: &Asked<'_>, id: &str) -> Handled {
        let audio = self.chance.uuid();
        let notebook = self.placed(asked, id)?;
        if notebook.audio.is_some() {
            return Err(aip(409, "ALREADY_EXISTS", "The notebook has an audio overview already."));
        }
        notebook.audio = Some(audio.clone());
        let name = format!("{}/notebooks/{id}/audioOverviews/{audio}", asked.place);
        Ok(Answer::json(
            200,
            &json!({"audioOverview": {"status": "AUDIO_OVERVIEW_STATUS_IN_PROGRESS", "audioOverviewId": audio,
                "generationOptions": {}, "name": name}}),
        ))
    }
}

fn names_of(body: &Value) -> Result<Vec<String>, Answer> {
    let list = body.get("names").and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| aip(400, "INVALID_ARGUMENT", "names must not be empty."))?;
    Ok(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Reads what a source is to be made of, and how it is to be called.
fn new_of(content: &Value) -> Option<(New, String)> {
    let text = |at: &Value, key: &str| at.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(web) = content.get("webContent") {
        return Some((New::Url(text(web, "url")), text(web, "sourceName")));
    }
    if let Some(pasted) = content.get("textContent") {
        let name = text(pasted, "sourceName");
        return Some((New::Text(name.clone(), text(pasted, "content")), name));
    }
    if let Some(video) = content.get("videoContent") {
        let url = ["youtubeUrl", "url"].into_iter().map(|key| text(video, key)).find(|url| !url.is_empty());
        return Some((New::Video(url.unwrap_or_default()), String::new()));
    }
    let drive = content.get("googleDriveContent")?;
    let name = text(drive, "sourceName");
    Some((New::Drive(text(drive, "documentId"), text(drive, "mimeType"), name.clone()), name))
}

fn notebook_value(notebook: &Notebook, asked: &Asked<'_>) -> Value {
    let id = &notebook.id;
    let sources: Vec<Value> = notebook.sources.iter().map(|source| source_value(source, id, asked)).collect();
    let viewed = notebook.viewed_ms.get(DEMO_ACCOUNT).copied().unwrap_or(notebook.created_ms);
    let mut value = json!({
        "name": format!("{}/notebooks/{id}", asked.place),
        "notebookId": id,
        "title": notebook.title,
        "emoji": notebook.emoji,
        "metadata": {
            "userRole": "PROJECT_ROLE_OWNER",
            "isShared": !notebook.shares.is_empty(),
            "isShareable": true,
            "createTime": clock::rfc3339(notebook.created_ms),
            "lastViewed": clock::rfc3339(viewed),
        },
    });
    if !sources.is_empty() {
        value["sources"] = sources.into();
    }
    value
}

fn source_value(source: &Source, notebook: &str, asked: &Asked<'_>) -> Value {
    let status = source.status(asked.now);
    let word = match status {
        Status::Preparing => "SOURCE_STATUS_TENTATIVE",
        Status::Processing => "SOURCE_STATUS_PENDING",
        Status::Ready => "SOURCE_STATUS_COMPLETE",
        Status::Failed => "SOURCE_STATUS_ERROR",
    };
    let mut metadata = json!({"sourceAddedTimestamp": clock::rfc3339(source.added_ms)});
    if status == Status::Ready {
        metadata["wordCount"] = source.words.into();
        metadata["tokenCount"] = (source.words * 4 / 3).into();
    }
    match &source.origin {
        Origin::Video { video, channel, .. } => {
            metadata["youtubeMetadata"] = json!({"channelName": channel, "videoId": video});
        }
        Origin::Drive { file, .. } => {
            metadata["googleDocsMetadata"] = json!({"documentId": file, "revisionId": source.revision});
        }
        Origin::Text | Origin::Page { .. } | Origin::File { .. } => {}
    }
    let mut settings = json!({"status": word});
    if let Some(failure) = source.failure.as_ref().filter(|_| status == Status::Failed) {
        settings["failureReason"] = json!({failure.reason.as_str(): failure.details});
    }
    json!({
        "name": format!("{}/notebooks/{notebook}/sources/{}", asked.place, source.id),
        "sourceId": {"id": source.id},
        "title": source.title,
        "metadata": metadata,
        "settings": settings,
    })
}
