//! The enterprise product: Google's published calls for notebooks and sources, as the same nouns.
//!
//! It has no call that asks a question, none for a source's text and none for notes.
//!
//! Source: <https://cloud.google.com/gemini/enterprise/notebooklm-enterprise/docs/api-notebooks> and the discovery
//! document `discoveryengine.v1alpha`, revision 20261106. No answer of it is on record, so every field may be missing.

mod moment;
mod read;
mod refusal;

use serde_json::{Value, json};

use super::call::NewSource;
use super::form;

pub use read::{EnterpriseNotebook, EnterprisePage, EnterpriseSource, read_notebook, read_notebooks, read_sources};
pub use refusal::{fault_of_failure, fault_of_status};

/// The most notebooks of one page.
pub const PAGE_SIZE_MAX: u32 = 500;

/// Where the notebooks of an organisation are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    project: String,
    location: Location,
}

/// Where Google keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// Anywhere.
    Global,
    /// In the United States.
    Us,
    /// In the European Union.
    Eu,
}

/// A request, to be sent with a bearer token.
#[derive(Debug, Clone, PartialEq)]
pub struct EnterpriseCall {
    /// The HTTP method.
    pub method: &'static str,
    /// The path below [`Place::base`].
    pub path: String,
    /// The query; not encoded.
    pub query: Vec<(&'static str, String)>,
    /// The body, for one that has one.
    pub body: Option<Value>,
}

/// Why a place is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadPlace {
    /// The project is told by its number.
    #[error("the project must be given by its number, which has up to 20 digits")]
    Project,
    /// There is no such location.
    #[error("the location must be `global`, `us` or `eu`")]
    Location,
}

impl Location {
    /// Returns the word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Us => "us",
            Self::Eu => "eu",
        }
    }
}

impl Place {
    /// Reads a place.
    ///
    /// # Errors
    ///
    /// [`BadPlace`].
    pub fn new(project: &str, location: &str) -> Result<Self, BadPlace> {
        let digits = project.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || !(1..=20).contains(&project.len()) {
            return Err(BadPlace::Project);
        }
        let location = match location {
            "global" => Location::Global,
            "us" => Location::Us,
            "eu" => Location::Eu,
            _ => return Err(BadPlace::Location),
        };
        Ok(Self { project: project.to_owned(), location })
    }

    /// Returns the base of all calls.
    #[must_use]
    pub fn base(&self) -> String {
        format!("https://{}-discoveryengine.googleapis.com", self.location.word())
    }

    /// A page of the notebooks viewed lately.
    #[must_use]
    pub fn list_notebooks(&self, page: Option<&str>) -> EnterpriseCall {
        let mut query = vec![("pageSize", PAGE_SIZE_MAX.to_string())];
        query.extend(page.map(|page| ("pageToken", page.to_owned())));
        EnterpriseCall { query, ..self.call("GET", "notebooks:listRecentlyViewed", None) }
    }

    /// A new notebook.
    #[must_use]
    pub fn create_notebook(&self, title: &str) -> EnterpriseCall {
        self.call("POST", "notebooks", Some(json!({"title": title})))
    }

    /// One notebook with its sources.
    #[must_use]
    pub fn get_notebook(&self, notebook: &str) -> EnterpriseCall {
        self.call("GET", &format!("notebooks/{}", form::encode(notebook)), None)
    }

    /// A notebook goes. The call takes several, but fails for more than one.
    #[must_use]
    pub fn delete_notebook(&self, notebook: &str) -> EnterpriseCall {
        let name = self.name(&format!("notebooks/{notebook}"));
        self.call("POST", "notebooks:batchDelete", Some(json!({"names": [name]})))
    }

    /// New sources for a notebook. A file of Drive needs a token that may read Drive, too.
    #[must_use]
    pub fn add_sources(&self, notebook: &str, sources: &[NewSource]) -> EnterpriseCall {
        let contents: Vec<Value> = sources.iter().map(content).collect();
        let path = format!("notebooks/{}/sources:batchCreate", form::encode(notebook));
        self.call("POST", &path, Some(json!({"userContents": contents})))
    }

    /// One source.
    #[must_use]
    pub fn get_source(&self, notebook: &str, source: &str) -> EnterpriseCall {
        let path = format!("notebooks/{}/sources/{}", form::encode(notebook), form::encode(source));
        self.call("GET", &path, None)
    }

    /// Sources go.
    #[must_use]
    pub fn delete_sources(&self, notebook: &str, sources: &[&str]) -> EnterpriseCall {
        let name = |source: &&str| self.name(&format!("notebooks/{notebook}/sources/{source}"));
        let names: Vec<String> = sources.iter().map(name).collect();
        let path = format!("notebooks/{}/sources:batchDelete", form::encode(notebook));
        self.call("POST", &path, Some(json!({"names": names})))
    }

    /// The path to upload a file to, as a source; its bytes are the body, and two headers say what it is.
    #[must_use]
    pub fn upload(&self, notebook: &str, file_name: &str) -> (EnterpriseCall, [(&'static str, String); 2]) {
        let notebook = form::encode(notebook);
        let path = format!("/upload/v1alpha/{}/notebooks/{notebook}/sources:uploadFile", self.parent());
        let query = vec![("uploadType", "media".to_owned())];
        let headers =
            [("X-Goog-Upload-Protocol", "raw".to_owned()), ("X-Goog-Upload-File-Name", form::encode(file_name))];
        (EnterpriseCall { method: "POST", path, query, body: None }, headers)
    }

    fn call(&self, method: &'static str, path: &str, body: Option<Value>) -> EnterpriseCall {
        let path = format!("/v1alpha/{}", self.name(path));
        EnterpriseCall { method, path, query: Vec::new(), body }
    }

    fn name(&self, path: &str) -> String {
        format!("{}/{path}", self.parent())
    }

    fn parent(&self) -> String {
        format!("projects/{}/locations/{}", self.project, self.location.word())
    }
}

fn content(source: &NewSource) -> Value {
    match source {
        NewSource::Url(url) => json!({"webContent": {"url": url}}),
        NewSource::YouTube(url) => json!({"videoContent": {"youtubeUrl": url}}),
        NewSource::Text { title, text } => json!({"textContent": {"sourceName": title, "content": text}}),
        NewSource::Drive { file, mime, title } => {
            json!({"googleDriveContent": {"documentId": file, "mimeType": mime, "sourceName": title}})
        }
    }
}
