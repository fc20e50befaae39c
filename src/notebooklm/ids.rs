//! The operations of the product's web page, the ids that stand for them on the wire, and other ids for them.
//!
//! The ids are chosen by Google's build of the page and change without notice, so each can be set from outside.

use std::collections::BTreeMap;
use std::fmt;

/// The service that answers all calls of the personal product.
pub const SERVICE: &str = "google.internal.labs.tailwind.orchestration.v1.LabsTailwindOrchestrationService";

/// The method that streams an answer. It is called by its name and has no id.
pub const CHAT_METHOD: &str = "GenerateFreeFormStreamed";

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident $name:literal $id:literal $method:literal;)*) => {
        /// What the page can ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            $($(#[$doc])* $variant,)*
        }

        impl Operation {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name by which a config names it, as in `LIST_NOTEBOOKS`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the id that the page of 2026 sends, as in `wXbhsf`.
            #[must_use]
            pub const fn wire_id(self) -> &'static str {
                match self { $(Self::$variant => $id,)* }
            }

            /// Returns the name of the server's method, as far as it is known; otherwise an empty text.
            #[must_use]
            pub const fn method(self) -> &'static str {
                match self { $(Self::$variant => $method,)* }
            }
        }
    };
}

operations! {
    /// All notebooks that were viewed lately, with their sources.
    ListNotebooks "LIST_NOTEBOOKS" "wXbhsf" "ListRecentlyViewedProjects";
    /// A new notebook.
    CreateNotebook "CREATE_NOTEBOOK" "CCqFvf" "CreateProject";
    /// A copy of a notebook.
    CopyNotebook "COPY_NOTEBOOK" "te3DCe" "CopyProject";
    /// One notebook with its sources.
    GetNotebook "GET_NOTEBOOK" "rLM1Ne" "GetProject";
    /// A notebook's title, emoji or chat settings: one method changes all of them.
    RenameNotebook "RENAME_NOTEBOOK" "s0tc2d" "MutateProject";
    /// A notebook goes, with all in it.
    DeleteNotebook "DELETE_NOTEBOOK" "WWINqb" "DeleteProjects";
    /// A notebook goes from the list of those viewed lately.
    RemoveRecentlyViewed "REMOVE_RECENTLY_VIEWED" "fejl7e" "RemoveRecentlyViewedProject";
    /// What a notebook is about, and questions to ask of it.
    Summarize "SUMMARIZE" "VfAZjd" "GenerateNotebookGuide";
    /// New sources: pages, videos, texts, files of Drive.
    AddSource "ADD_SOURCE" "izAoDd" "AddSources";
    /// New sources that are read later.
    AddSourcesAsync "ADD_SOURCES_ASYNC" "X1snv" "AddSourcesAsync";
    /// A new source whose bytes are about to be uploaded.
    AddSourceFile "ADD_SOURCE_FILE" "o4cbdc" "";
    /// A source's text.
    GetSource "GET_SOURCE" "hizoJc" "LoadSource";
    /// What a source is about, and its key words.
    GetSourceGuide "GET_SOURCE_GUIDE" "tr032e" "GenerateDocumentGuides";
    /// The passages of sources that answer a question best.
    RetrieveRelevantChunks "RETRIEVE_RELEVANT_CHUNKS" "ASU5Oe" "RetrieveRelevantChunks";
    /// A source's title.
    UpdateSource "UPDATE_SOURCE" "b7Wfje" "MutateSource";
    /// Sources go.
    DeleteSource "DELETE_SOURCE" "tGMBJ" "DeleteSources";
    /// Whether a source still says what its origin does.
    CheckSourceFreshness "CHECK_SOURCE_FRESHNESS" "yR9Yof" "CheckSourceFreshness";
    /// A source is read anew.
    RefreshSource "REFRESH_SOURCE" "FLmJqe" "RefreshSource";
    /// Text at a source's end.
    AppendSource "APPEND_SOURCE" "QsNTEd" "AppendSource";
    /// Copies of sources in another notebook.
    CopySources "COPY_SOURCES" "R27wvc" "CopySourcesAsync";
    /// The notes and mind maps of a notebook.
    GetNotes "GET_NOTES_AND_MIND_MAPS" "cFji9" "GetNotes";
    /// A new note.
    CreateNote "CREATE_NOTE" "CYK0Xb" "CreateNote";
    /// A note's title and text.
    UpdateNote "UPDATE_NOTE" "cYAfTb" "MutateNote";
    /// Notes go.
    DeleteNote "DELETE_NOTE" "AH0mwd" "DeleteNotes";
    /// A mind map of sources.
    GenerateMindMap "GENERATE_MIND_MAP" "yyryJe" "ActOnSources";
    /// The newest conversation of a notebook.
    GetLastConversation "GET_LAST_CONVERSATION_ID" "hPTbtc" "ListChatSessions";
    /// The questions and answers of a conversation.
    GetTurns "GET_CONVERSATION_TURNS" "khqZz" "ListChatTurns";
    /// Whether an answer is being written.
    GetChatStatus "GET_CHAT_SESSION_STATUS" "oXwmh" "GetChatSessionStatus";
    /// The answer being written ends.
    CancelGeneration "CANCEL_GENERATION" "XgrPMd" "CancelGeneration";
    /// The turns of a conversation go.
    DeleteConversation "DELETE_CONVERSATION" "J7Gthc" "DeleteChatTurns";
    /// Questions to ask next.
    SuggestNextSteps "SUGGEST_NEXT_STEPS" "OcvKNc" "NextStepSuggestions";
    /// Prompts for what could be made of sources.
    SuggestPrompts "SUGGEST_PROMPTS" "otmP3b" "GeneratePromptSuggestions";
    /// Reports that could be made of sources.
    GetSuggestedReports "GET_SUGGESTED_REPORTS" "ciyUvf" "GenerateReportSuggestions";
    /// A new studio item: audio, video, report, slides.
    CreateArtifact "CREATE_ARTIFACT" "R7cb6c" "CreateArtifact";
    /// The studio items of a notebook.
    ListArtifacts "LIST_ARTIFACTS" "gArtLc" "ListArtifacts";
    /// One studio item.
    GetArtifact "GET_INTERACTIVE_HTML" "v9rmvd" "GetArtifact";
    /// A studio item goes.
    DeleteArtifact "DELETE_ARTIFACT" "V5N4be" "DeleteArtifact";
    /// A studio item's title.
    RenameArtifact "RENAME_ARTIFACT" "rc3d8d" "UpdateArtifact";
    /// A failed studio item is made anew.
    RetryArtifact "RETRY_ARTIFACT" "Rytqqe" "GenerateArtifact";
    /// A slide is changed.
    ReviseSlide "REVISE_SLIDE" "KmcKPe" "DeriveArtifact";
    /// A studio item goes to Drive.
    ExportArtifact "EXPORT_ARTIFACT" "Krh3pd" "ExportToDrive";
    /// A studio item is shown to others.
    ShareArtifact "SHARE_ARTIFACT" "RGP97b" "ShareAudio";
    /// Copies of studio items in another notebook.
    CopyArtifacts "COPY_ARTIFACTS" "mKDdke" "CopyArtifactsAsync";
    /// What can be chosen of a studio item.
    GetCustomizationChoices "GET_CUSTOMIZATION_CHOICES" "sqTeoe" "GetArtifactCustomizationChoices";
    /// Sources for a question, at once.
    DiscoverSources "DISCOVER_SOURCES" "Es3dTe" "DiscoverSources";
    /// A quick search for sources begins.
    StartFastResearch "START_FAST_RESEARCH" "Ljjv0c" "DiscoverSourcesManifold";
    /// A long search for sources begins.
    StartDeepResearch "START_DEEP_RESEARCH" "QA9ei" "DiscoverSourcesAsync";
    /// How far the searches are.
    PollResearch "POLL_RESEARCH" "e3bVqc" "ListDiscoverSourcesJob";
    /// What a search found becomes sources.
    ImportResearch "IMPORT_RESEARCH" "LBwxtb" "FinishDiscoverSourcesRun";
    /// A search ends.
    CancelResearch "CANCEL_RESEARCH" "Zbrupe" "CancelDiscoverSourcesJob";
    /// The books that can be sources.
    ListExpertContent "LIST_EXPERT_INTELLIGENCE_CONTENT" "mVtEUb" "ListExpertIntelligenceContent";
    /// New labels of sources.
    CreateLabel "CREATE_LABEL" "agX4Bc" "CreateLabel";
    /// The labels of sources.
    ListLabels "LIST_LABELS" "I3xc3c" "GetLabels";
    /// A label's name, emoji or sources.
    UpdateLabel "UPDATE_LABEL" "le8sX" "MutateLabel";
    /// Labels go.
    DeleteLabel "DELETE_LABEL" "GyzE7e" "DeleteLabels";
    /// The account's language and plan.
    GetSettings "GET_USER_SETTINGS" "ZwVcOc" "GetOrCreateAccount";
    /// The account's language is set.
    SetSettings "SET_USER_SETTINGS" "hT54vc" "MutateAccount";
    /// The account's plan.
    GetAccount "GET_ACCOUNT" "SatQRc" "GetAccount";
    /// What is used up of the five hours and of the week.
    ListQuotaSummary "LIST_QUOTA_SUMMARY" "EylDcb" "ListQuotaSummary";
    /// Who sees a notebook.
    GetShareStatus "GET_SHARE_STATUS" "JFMDGd" "GetProjectDetails";
    /// A notebook is shared.
    ShareNotebook "SHARE_NOTEBOOK" "QDyure" "ShareProject";
}

impl Operation {
    /// Finds an operation by the name that a config uses.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|operation| operation.name() == name)
    }

    /// Tells whether asking twice changes no more than asking once, so that a call whose answer was lost may be sent
    /// anew. What makes something new, or costs part of a quota, is never sent twice by itself.
    #[must_use]
    pub const fn is_read(self) -> bool {
        matches!(
            self,
            Self::ListNotebooks
                | Self::GetNotebook
                | Self::GetSource
                | Self::RetrieveRelevantChunks
                | Self::CheckSourceFreshness
                | Self::GetNotes
                | Self::GetLastConversation
                | Self::GetTurns
                | Self::GetChatStatus
                | Self::ListArtifacts
                | Self::GetArtifact
                | Self::GetCustomizationChoices
                | Self::PollResearch
                | Self::ListExpertContent
                | Self::ListLabels
                | Self::GetSettings
                | Self::GetAccount
                | Self::ListQuotaSummary
                | Self::GetShareStatus
        )
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Ids that stand for operations instead of those known here: a way out on the day that Google changes one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    ids: BTreeMap<Operation, String>,
}

/// Why a table of ids is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadOverride {
    /// No operation has this name.
    #[error("no operation is named `{name}`; did you mean {}?", near.join(" or "))]
    UnknownName {
        /// The name.
        name: String,
        /// The names that are most like it, the nearest first.
        near: Vec<&'static str>,
    },
    /// No id looks like this.
    #[error("`{id}` for {operation} is no id: it must have 4 to 12 letters and digits")]
    BadId {
        /// The operation.
        operation: Operation,
        /// The text.
        id: String,
    },
    /// One id stands for two operations, so that an answer would be either's.
    #[error("`{id}` stands for both {first} and {second}")]
    Twice {
        /// The id.
        id: String,
        /// One operation.
        first: Operation,
        /// The other.
        second: Operation,
    },
}

impl Overrides {
    /// Reads a table of names and ids, as a config has it.
    ///
    /// # Errors
    ///
    /// [`BadOverride`] for the first entry that cannot be.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, BadOverride> {
        let mut overrides = Self::default();
        for (name, id) in entries {
            let operation = Operation::by_name(name)
                .ok_or_else(|| BadOverride::UnknownName { name: shown(name), near: nearest(name) })?;
            let letters = id.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !letters || !(4..=12).contains(&id.len()) {
                return Err(BadOverride::BadId { operation, id: shown(id) });
            }
            overrides.ids.insert(operation, id.to_owned());
        }
        let mut seen: BTreeMap<&str, Operation> = BTreeMap::new();
        for &operation in Operation::ALL {
            let id = overrides.wire_id(operation);
            if let Some(first) = seen.insert(id, operation) {
                return Err(BadOverride::Twice { id: id.to_owned(), first, second: operation });
            }
        }
        Ok(overrides)
    }

    /// Returns the id that stands for an operation.
    #[must_use]
    pub fn wire_id(&self, operation: Operation) -> &str {
        self.ids.get(&operation).map_or(operation.wire_id(), String::as_str)
    }

    /// Finds the operation that an id stands for.
    #[must_use]
    pub fn operation(&self, id: &str) -> Option<Operation> {
        Operation::ALL.iter().copied().find(|operation| self.wire_id(*operation) == id)
    }
}

/// A text from outside as a message shows it.
fn shown(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(40).collect()
}

/// Returns the three names that are most like a name.
fn nearest(name: &str) -> Vec<&'static str> {
    let name: String = name.chars().take(64).map(|letter| letter.to_ascii_uppercase()).collect();
    let mut names: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
    names.sort_by_key(|known| (distance(&name, known), *known));
    names.truncate(3);
    names
}

/// Counts the letters that must come, go or change to make one text of the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        let mut next = vec![before];
        for (other, above) in right.iter().zip(row.iter().skip(1)) {
            let changed = diagonal + usize::from(letter != *other);
            before = changed.min(above + 1).min(before + 1);
            next.push(before);
            diagonal = *above;
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
