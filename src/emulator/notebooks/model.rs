//! The nouns of the notebooks' world: people, notebooks, sources, notes, conversations.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Milliseconds since the epoch.
pub(in crate::emulator) type Millis = i64;

/// The longest text of one source or note, in bytes. It is above the product's own limit of words, so that a text which
/// is too long for the product is refused in its words.
pub(super) const TEXT_BYTES_MAX: usize = 8 << 20;

/// What a person may do with a notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    /// All.
    Owner,
    /// Change it.
    Editor,
    /// Read it.
    Viewer,
}

impl Role {
    /// Returns the product's number for it.
    pub(super) const fn code(self) -> i64 {
        match self {
            Self::Owner => 1,
            Self::Editor => 2,
            Self::Viewer => 3,
        }
    }
}

/// What an account may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// The product's number for it; 1 is the free one.
    pub(super) tier: u32,
    /// Notebooks.
    pub(super) notebooks: u32,
    /// Sources of one notebook.
    pub(super) sources: u32,
    /// Words of one source.
    pub(super) words: u32,
    /// Questions of a day.
    pub(super) chats: u32,
}

impl Plan {
    /// What everybody has.
    pub(super) const FREE: Self = Self { tier: 1, notebooks: 100, sources: 50, words: 500_000, chats: 50 };

    /// What a subscriber has.
    pub(super) const PRO: Self = Self { tier: 6, notebooks: 500, sources: 300, words: 500_000, chats: 500 };
}

/// Somebody who can sign in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Person {
    /// The address.
    pub(super) email: String,
    /// The name that is shown.
    pub(super) name: String,
    /// The id of the account.
    pub(super) user: String,
    /// What is typed to sign in.
    pub(super) password: String,
    /// The second step, for who has one: a code that always works.
    pub(super) second_step: Option<String>,
    /// What the account may use.
    pub(super) plan: Plan,
    /// The language of answers.
    pub(super) language: String,
    /// When questions were asked, the oldest first; those of the last week.
    pub(super) asked_ms: Vec<Millis>,
}

/// A notebook.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Notebook {
    /// Its id.
    pub(super) id: String,
    /// Its title.
    pub(super) title: String,
    /// Its emoji; empty for none.
    pub(super) emoji: String,
    /// Who owns it.
    pub(super) owner: String,
    /// Who else may see it.
    pub(super) shares: BTreeMap<String, Role>,
    /// Whether everybody may see it who has the link.
    pub(super) public: bool,
    /// When it was made.
    pub(super) created_ms: Millis,
    /// When each person viewed it last.
    pub(super) viewed_ms: BTreeMap<String, Millis>,
    /// Who took it from the list of those viewed lately.
    pub(super) hidden: BTreeSet<String>,
    /// How its answers are, where that was set.
    pub(super) chat: Option<Chat>,
    /// Its sources, the oldest first.
    pub(super) sources: Vec<Source>,
    /// Its notes, the deleted ones too.
    pub(super) notes: Vec<Note>,
    /// What was asked.
    pub(super) conversation: Conversation,
    /// The project and location of one that belongs to the enterprise product.
    pub(super) place: Option<String>,
    /// Its audio overview, which only the enterprise product can make here.
    pub(super) audio: Option<String>,
}

impl Notebook {
    /// Returns what a person may do with it.
    pub(super) fn role(&self, email: &str) -> Option<Role> {
        if self.owner == email {
            return Some(Role::Owner);
        }
        let role = self.shares.get(email).copied();
        role.or_else(|| self.public.then_some(Role::Viewer))
    }

    /// Tells whether a person finds it among those viewed lately.
    pub(super) fn is_listed(&self, email: &str) -> bool {
        let known = self.owner == email || self.shares.contains_key(email) || self.viewed_ms.contains_key(email);
        self.place.is_none() && known && self.role(email).is_some() && !self.hidden.contains(email)
    }

    /// Returns one of its sources.
    pub(super) fn source(&self, id: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.id == id)
    }

    /// Returns one of its sources, to change it.
    pub(super) fn source_mut(&mut self, id: &str) -> Option<&mut Source> {
        self.sources.iter_mut().find(|source| source.id == id)
    }
}

/// How the answers of a notebook are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Chat {
    /// The product's number for what they aim at.
    pub(super) goal: i64,
    /// What a person wrote about it.
    pub(super) prompt: Option<String>,
    /// The product's number for how long they are.
    pub(super) length: i64,
}

/// Where a source comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Origin {
    /// Somebody pasted it.
    Text,
    /// A page, or a file that a server gives away.
    Page {
        /// Its address.
        url: String,
    },
    /// A video.
    Video {
        /// Its address.
        url: String,
        /// Its id.
        video: String,
        /// Who shows it.
        channel: String,
    },
    /// A file of Drive.
    Drive {
        /// Its id there.
        file: String,
        /// Its media type there.
        mime: String,
        /// Its version when it was read.
        version: u64,
    },
    /// A file that was uploaded.
    File {
        /// Its media type.
        mime: String,
    },
}

/// Why a source failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Failure {
    /// The place in the row at which the reason stands. One was recorded: 6, for an address that nobody answers at.
    pub(super) place: usize,
    /// What stands there.
    pub(super) code: i64,
    /// The enterprise product's word for it.
    pub(super) reason: String,
    /// What the enterprise product says of it.
    pub(super) details: Value,
}

impl Failure {
    /// Nobody answers at the address.
    pub(super) fn unreachable(details: &str) -> Self {
        let details = serde_json::json!({ "errorDetails": details });
        Self { place: 6, code: 1, reason: "sourceUnreachable".into(), details }
    }
}

/// How far the product has read a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// 5: its bytes are awaited, or not looked at yet.
    Preparing,
    /// 1.
    Processing,
    /// 2.
    Ready,
    /// 3.
    Failed,
}

impl Status {
    /// Returns the product's number for it.
    pub(super) const fn code(self) -> i64 {
        match self {
            Self::Preparing => 5,
            Self::Processing => 1,
            Self::Ready => 2,
            Self::Failed => 3,
        }
    }
}

/// A source.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Source {
    /// Its id.
    pub(super) id: String,
    /// Its title.
    pub(super) title: String,
    /// Where it comes from.
    pub(super) origin: Origin,
    /// What it says, in Markdown.
    pub(super) text: String,
    /// Count of its words.
    pub(super) words: usize,
    /// What is said of its content: another id comes with another content.
    pub(super) revision: String,
    /// When that content was read.
    pub(super) revised_ms: Millis,
    /// When it was added.
    pub(super) added_ms: Millis,
    /// When it was changed last, in whatever way.
    pub(super) modified_ms: Millis,
    /// When the product knows what it is.
    pub(super) typed_ms: Millis,
    /// When it is read.
    pub(super) ready_ms: Millis,
    /// Why it fails then, for one that does.
    pub(super) failure: Option<Failure>,
    /// Whether its bytes are awaited.
    pub(super) awaits_bytes: bool,
}

impl Source {
    /// Returns how far it is read.
    pub(super) fn status(&self, now: Millis) -> Status {
        if self.awaits_bytes || now < self.typed_ms {
            Status::Preparing
        } else if now < self.ready_ms {
            Status::Processing
        } else if self.failure.is_some() {
            Status::Failed
        } else {
            Status::Ready
        }
    }

    /// Tells whether it can be asked.
    pub(super) fn is_ready(&self, now: Millis) -> bool {
        self.status(now) == Status::Ready
    }

    /// Returns the product's number for what it is.
    pub(super) fn kind(&self) -> i64 {
        match &self.origin {
            Origin::Text => 4,
            // Recorded: files of text that a server gives away are text, not pages.
            Origin::Page { url } if [".md", ".py", ".txt"].iter().any(|end| url.ends_with(end)) => 4,
            Origin::Page { .. } => 5,
            Origin::Video { .. } => 9,
            Origin::Drive { mime, .. } => match mime.as_str() {
                "application/vnd.google-apps.document" => 1,
                "application/vnd.google-apps.presentation" => 2,
                _ => 14,
            },
            Origin::File { mime } => match mime.as_str() {
                "application/pdf" => 3,
                "text/markdown" => 8,
                "text/csv" => 16,
                "application/epub+zip" => 17,
                "application/vnd.openxmlformats-officedocument.presentationml.presentation" => 6,
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => 11,
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => 12,
                mime if mime.starts_with("image/") => 13,
                mime if mime.starts_with("audio/") || mime.starts_with("video/") => 10,
                _ => 4,
            },
        }
    }
}

/// A note.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Note {
    /// Its id.
    pub(super) id: String,
    /// Its title.
    pub(super) title: String,
    /// Its text: Markdown, or the JSON of a mind map.
    pub(super) content: String,
    /// Whether it is a mind map.
    pub(super) mind_map: bool,
    /// The account that made it.
    pub(super) user: String,
    /// When it was made or changed last.
    pub(super) modified_ms: Millis,
    /// The same once more, for one that was changed.
    pub(super) edited_ms: Option<Millis>,
    /// Whether it is gone.
    pub(super) deleted: bool,
}

/// What was asked of a notebook.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Conversation {
    /// Its id.
    pub(super) id: String,
    /// Questions with their answers, the oldest first.
    pub(super) turns: Vec<Turn>,
    /// The answer that is being written.
    pub(super) busy: Option<Busy>,
}

/// A question with its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Turn {
    /// The id of the question.
    pub(super) question_id: String,
    /// What was asked.
    pub(super) question: String,
    /// The id of the answer.
    pub(super) answer_id: String,
    /// The row of the answer.
    pub(super) answer: Value,
    /// When it was there whole. Nobody sees the turn before.
    pub(super) at_ms: Millis,
}

/// An answer that is being written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Busy {
    /// Its stream.
    pub(super) stream: String,
    /// Until when.
    pub(super) until_ms: Millis,
}

/// A file of Drive that sources can be made of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DriveFile {
    /// Its title.
    pub(super) title: String,
    /// Its media type.
    pub(super) mime: String,
    /// What it says, in Markdown.
    pub(super) text: String,
    /// Its version: another one comes with another text.
    pub(super) version: u64,
    /// The product's number for how it stands with it: 3 is well, 1 and 4 are hidden and gone.
    pub(super) status: i64,
}

/// A page of the web that sources can be made of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WebPage {
    /// Its title.
    pub(super) title: String,
    /// What it says, in Markdown.
    pub(super) text: String,
}

/// Counts words as the product does, near enough: what stands between spaces, and each letter of scripts without them.
pub(super) fn count_words(text: &str) -> usize {
    let spaced = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    spaced + text.chars().filter(|letter| is_ideograph(*letter)).count()
}

/// Tells whether a letter is of a script that has no spaces between words.
pub(super) const fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}
