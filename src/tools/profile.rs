//! The sets of tools that clients may choose from, each on a socket of its own: a list of tools never depends on who asks.

use std::str::FromStr;
use std::sync::Mutex;
use std::time::Duration;

use rmcp::model::Tool;
use serde_json::{Map, Value};

use super::answer::ErrorAnswer;
use super::docs::Exports;
use super::host::Host;
use super::{docs, documentation, google_docs, notebooklm, schema, verbs};

/// The longest that most calls may take.
pub(super) const CALL_WAIT: Duration = Duration::from_secs(120);

/// A set of tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// `search`, `fetch` and `create`: documents are files.
    #[default]
    Default,
    /// Docs by section and tab, for clients that do not read files.
    Docs,
    /// Docs read whole and edited by their text, under the names of an older server.
    GoogleDocs,
    /// The notebooks of NotebookLM: asked, listed and fed.
    NotebookLm,
    /// The tools of all the others.
    Full,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Default, Self::Docs, Self::GoogleDocs, Self::NotebookLm, Self::Full];

    /// Those whose tools are their own.
    const SINGLE: [Self; 4] = [Self::Default, Self::Docs, Self::GoogleDocs, Self::NotebookLm];

    /// The word for it on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Docs => "docs",
            Self::GoogleDocs => "google-docs",
            Self::NotebookLm => "notebooklm",
            Self::Full => "full",
        }
    }

    /// The name of its socket's file.
    #[must_use]
    pub const fn socket_name(self) -> &'static str {
        match self {
            Self::Default => "mcp.sock",
            Self::Docs => "docs.sock",
            Self::GoogleDocs => "google-docs.sock",
            Self::NotebookLm => "notebooklm.sock",
            Self::Full => "full.sock",
        }
    }

    /// Tells whether it has the tools that ask notebooks.
    #[must_use]
    pub const fn asks_notebooks(self) -> bool {
        matches!(self, Self::NotebookLm | Self::Full)
    }

    /// Its tools, always in this order.
    pub(crate) fn tools(self) -> Vec<Tool> {
        match self {
            Self::Default => schema::tools(),
            Self::Docs => docs::tools(),
            Self::GoogleDocs => google_docs::tools(),
            Self::NotebookLm => notebooklm::tools(),
            Self::Full => Self::SINGLE.into_iter().flat_map(Self::tools).collect(),
        }
    }

    /// What a client is told when it connects.
    pub(crate) const fn instructions(self) -> &'static str {
        match self {
            Self::Default => documentation::INSTRUCTIONS,
            Self::Docs => docs::INSTRUCTIONS,
            Self::GoogleDocs => google_docs::INSTRUCTIONS,
            Self::NotebookLm => notebooklm::INSTRUCTIONS,
            Self::Full => documentation::FULL_INSTRUCTIONS,
        }
    }

    /// How long a call of a tool may take; clients give up sooner or later and should hear why.
    pub(super) fn wait(self, name: &str) -> Duration {
        let is_of_notebooks = self.asks_notebooks() && notebooklm::is_named(name);
        if is_of_notebooks { notebooklm::CALL_WAIT } else { CALL_WAIT }
    }

    /// Calls a tool for a client that was given `exports`; `None` when there is none of that name. `wait` is how long it may take where the
    /// client's bridge said so, of those that heed that. An error is JSON as this set of tools writes it.
    pub(super) async fn call(
        self,
        host: &dyn Host,
        exports: &Mutex<Exports>,
        name: &str,
        arguments: Map<String, Value>,
        wait: Option<Duration>,
    ) -> Option<Result<Value, Value>> {
        match self {
            Self::Default => {
                let answer = match name {
                    "search" => verbs::search(host, arguments).await,
                    "fetch" => verbs::fetch(host, arguments).await,
                    "create" => verbs::create(host, arguments).await,
                    _ => return None,
                };
                Some(answer.map_err(|error| ErrorAnswer::from(&error).to_value()))
            }
            Self::Docs => docs::call(host, exports, name, arguments).await,
            Self::GoogleDocs => google_docs::call(host, name, arguments).await,
            Self::NotebookLm => notebooklm::call(host, name, arguments, wait).await,
            Self::Full => {
                let of = Self::SINGLE.into_iter().find(|single| single.tools().iter().any(|tool| tool.name == name))?;
                Box::pin(of.call(host, exports, name, arguments, wait)).await
            }
        }
    }

    /// Writes an error that no tool has seen.
    pub(crate) fn failed(self, answer: &ErrorAnswer) -> Value {
        match self {
            Self::Default | Self::Full => answer.to_value(),
            Self::Docs => docs::failed(answer),
            Self::GoogleDocs => google_docs::failed(answer),
            Self::NotebookLm => notebooklm::failed(answer),
        }
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|profile| profile.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no profile `{}`; there are {names}", name.escape_debug())
        })
    }
}
