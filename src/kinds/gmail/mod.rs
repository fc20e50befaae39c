//! Mail: threads as files, what an edit of one becomes, and what an id names.

mod adapter;
mod compose;
mod copies;
pub mod ids;
mod kept;
mod naming;
mod plan;
mod searching;
pub mod text;
mod wire;
mod writing;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use adapter::Gmail;

use self::text::reply::{Answered, Reply};
use crate::kinds::{Comments, Fetched, Image, Lack, Part, Reading};
use crate::model::{ItemId, KindName, Millis, Notice, PartId, Revision};

/// Ends the names of raw messages.
const RAW: &str = ".eml";

/// A message as it was read.
#[derive(Debug, Clone)]
struct Mail {
    id: String,
    /// The ids of its labels.
    labels: Vec<String>,
    /// When Gmail took it in.
    at: Millis,
    /// The message as it was sent.
    raw: Arc<[u8]>,
}

/// What was read of a thread beside its text, for plans.
#[derive(Debug, Default)]
struct Known {
    /// The address of the account.
    account: String,
    /// The names of the account's labels by their ids.
    labels: BTreeMap<String, String>,
    /// The draft that the file shows.
    reply: Option<Reply>,
    /// The mail that an answer is one to.
    answered: Option<Answered>,
}

impl Known {
    /// The section that shows the draft.
    fn section(&self) -> Option<String> {
        self.reply.as_ref().map(|reply| text::reply::print(reply.all, &reply.text))
    }
}

/// Makes an item of a thread's messages; `older` of them were not read. Pure.
fn read(
    id: ItemId,
    revision: Revision,
    mails: &[Mail],
    labels: &BTreeMap<String, String>,
    older: usize,
    account: &str,
) -> Fetched {
    let messages: Vec<text::Message<'_>> = mails
        .iter()
        .map(|mail| text::Message { id: &mail.id, labels: &mail.labels, internal_date: mail.at, raw: &mail.raw })
        .collect();
    let text::ThreadText { title, text, attachments, mut notices, reply, answered, facets } =
        text::thread(&id.0, &messages, labels);
    if older > 0 {
        let message = format!("the thread has {older} older messages, which are not shown");
        notices.push(Notice { code: "MESSAGES".into(), line: 0, column: 0, message });
    }
    let file = |name: String, address: String, text, is_sent| Image {
        id: name.clone(),
        source: address.clone(),
        address,
        name: Some(name),
        is_sent,
        text,
    };
    // A draft that the file shows is another message after each save.
    let is_shown = |mail: &&Mail| reply.as_ref().is_none_or(|reply| reply.message != mail.id);
    let raw = mails.iter().filter(is_shown).map(|mail| file(format!("{}{RAW}", mail.id), mail.id.clone(), None, false));
    let sent = attachments.into_iter().map(|sent| {
        let format = sent.format();
        file(sent.name, format!("{}/{}", sent.message, sent.part), format, true)
    });
    let mut images: Vec<Image> = raw.chain(sent).collect();
    // The same file that was sent twice has one name.
    let mut seen = std::collections::BTreeSet::new();
    images.retain(|image| seen.insert(image.id.clone()));
    Fetched {
        url: ids::url(&id.0),
        kind: KindName::Gmail,
        revision: Some(revision),
        can_edit: true,
        facets,
        parts: vec![Part { id: PartId::default(), title: title.clone(), text, warnings: notices }],
        main: None,
        images,
        comments: Comments::None,
        lack: Lack::Nothing,
        raw: Vec::new(),
        reading: Reading::new(Known { account: account.to_owned(), labels: labels.clone(), reply, answered }),
        title,
        id,
    }
}

/// Reads the address of a file of a thread: its message, and which part of it, or the whole.
fn address(address: &str) -> (&str, Option<&str>) {
    address.split_once('/').map_or((address, None), |(message, part)| (message, Some(part)))
}

/// Reads a recorded file, where the recordings are.
#[cfg(test)]
fn fixture(name: &str) -> Option<serde_json::Value> {
    let shared = std::env::var_os("MCP_WORKSPACE_SHARED").map_or_else(
        || std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        std::path::PathBuf::from,
    );
    if !shared.is_dir() {
        return None;
    }
    Some(serde_json::from_slice(&std::fs::read(shared.join("fixtures/gmail").join(name)).unwrap()).unwrap())
}

/// Says that a test did not run.
#[cfg(test)]
fn skipped(test: &str) {
    #[expect(clippy::print_stdout, reason = "a test that did not run must say so")]
    {
        println!("SKIPPED {test}: ../shared is absent");
    }
}
