//! Searches in the whole mailbox, mirrored or not, by Gmail itself.

use super::adapter::Gmail;
use super::ids::{self, Named};
use super::text::{rfc3339, shown_subject};
use super::wire::{Thread, ThreadList};
use crate::error::Result;
use crate::google::{Call, Service};
use crate::kinds::entities::unescaped;
use crate::kinds::{Listed, Listing};
use crate::model::{ItemId, Millis};

/// Threads of one answer, since each costs a call of its own for its subject.
const FOUND_MAX: usize = 50;

impl Gmail {
    /// Asks Gmail for threads by what a person typed, operators and all, the newest first.
    ///
    /// Source: <https://developers.google.com/workspace/gmail/api/guides/filtering>
    pub(super) async fn found(&self, query: &str, limit: usize) -> Result<Listing> {
        let limit = limit.clamp(1, FOUND_MAX);
        let size = limit.to_string();
        let path = "/gmail/v1/users/me/threads".to_owned();
        let call = Call::get(Service::Gmail, path, "the mail that was asked for", "searching the mail")
            .with("q", query)
            .with("maxResults", &size);
        let list: ThreadList = self.google().json(&call.costing(self.google().mail_units().list)).await?;
        let is_id = |thread: &Thread| matches!(ids::named(&thread.id), Ok(Some(Named::Either(_))));
        let found: Vec<Thread> = list.threads.into_iter().filter(is_id).take(limit).collect();
        let calls: Vec<Call<'_>> = found.iter().map(|thread| self.heading(&thread.id)).collect();
        let answers = if calls.is_empty() { Vec::new() } else { self.google().batch(&calls).await? };
        let mut items = Vec::new();
        for (thread, answer) in found.iter().zip(answers) {
            // One that cannot be looked at is named by what the list has told.
            let read = answer.ok().and_then(|body| serde_json::from_slice::<Thread>(&body).ok()).unwrap_or_default();
            items.push(listed(thread, &read));
        }
        Ok(Listing { total: items.len(), items, more: list.next_page_token.is_some_and(|token| !token.is_empty()) })
    }

    /// Asks for the headers that a list shows.
    fn heading<'a>(&self, id: &'a str) -> Call<'a> {
        let path = format!("/gmail/v1/users/me/threads/{id}");
        let call = Call::get(Service::Gmail, path, id, "reading the subject of a thread").with("format", "metadata");
        let call = call.with("metadataHeaders", "Subject").with("metadataHeaders", "From");
        call.costing(self.google().mail_units().get_thread)
    }
}

/// Shows a thread of a list.
fn listed(thread: &Thread, read: &Thread) -> Listed {
    let header = |name: &str| {
        let headers = read.messages.first().map(|message| &message.payload.headers).into_iter().flatten();
        let found = headers.into_iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| header.value.clone()).unwrap_or_default()
    };
    let last = read.messages.last().and_then(|message| message.internal_date.parse().ok()).map(Millis);
    Listed {
        id: ItemId(thread.id.clone()),
        title: shown_subject(&header("Subject")),
        url: ids::url(&thread.id),
        modified: last.map(rfc3339).unwrap_or_default(),
        owner: header("From"),
        snippet: unescaped(&thread.snippet),
    }
}
