//! Lists of messages and threads: newest first, filtered, page by page.

use super::mailbox::{LabelNumber, Mailbox, Message};
use super::matching::Matcher;
use super::refusals::{bad_value, invalid, no_label};
use super::search::Search;
use super::unpadded;
use crate::emulator::call::{Answer, Call};
use crate::emulator::clock;
use crate::emulator::state::Google;

/// Entries on a page, unless asked otherwise.
const PAGE: usize = 100;

/// Entries on the largest page; who asks for more gets these.
const MAX_PAGE: usize = 500;

/// Bytes of a query.
const MAX_QUERY: usize = 8 << 10;

/// What Gmail says of many: its estimate is not to be relied on.
const MANY: usize = 201;

/// What is listed.
pub(super) struct Listing {
    limit: usize,
    before: Option<(i64, u64)>,
    labels: Vec<LabelNumber>,
    search: Option<Search>,
    hidden: Vec<LabelNumber>,
}

/// A page of a list.
pub(super) struct Page<'m> {
    /// What stands on it.
    pub(super) messages: Vec<&'m Message>,
    /// What asks for the next one.
    pub(super) next: Option<String>,
}

impl Page<'_> {
    /// Returns Gmail's estimate of how many there are.
    pub(super) fn estimate(&self) -> usize {
        if self.next.is_some() { self.messages.len().max(MANY) } else { self.messages.len() }
    }
}

/// Reads `maxResults`.
pub(super) fn limit(call: &Call) -> Result<usize, Answer> {
    match call.parameter("maxResults") {
        None => Ok(PAGE),
        Some(text) => match text.parse::<u32>() {
            Ok(0) => Ok(PAGE),
            Ok(count) => Ok(usize::try_from(count).unwrap_or(MAX_PAGE).min(MAX_PAGE)),
            Err(_) => Err(bad_value("max_results", "TYPE_UINT32", text)),
        },
    }
}

impl Listing {
    /// Reads the parameters of a call.
    pub(super) fn read(call: &Call, mailbox: &Mailbox) -> Result<Self, Answer> {
        let limit = limit(call)?;
        let named = call.query.iter().filter(|(key, _)| key == "labelIds");
        let labels = named.map(|(_, id)| mailbox.label(id).ok_or_else(no_label)).collect::<Result<Vec<_>, _>>()?;
        let query = call.parameter("q").unwrap_or_default();
        if query.len() > MAX_QUERY {
            return Err(invalid("Invalid query"));
        }
        let search = Search::parse(query, clock::now_ms());
        let mut hidden: Vec<LabelNumber> = ["TRASH", "SPAM"].iter().filter_map(|id| mailbox.label(id)).collect();
        let asked = |label: &LabelNumber| labels.contains(label);
        if call.flag("includeSpamTrash") || search.as_ref().is_some_and(Search::looks_everywhere) {
            hidden.clear();
        }
        hidden.retain(|label| !asked(label));
        let before = match call.parameter("pageToken") {
            Some(token) => Some(read_token(token).ok_or_else(|| invalid("Invalid pageToken"))?),
            None => None,
        };
        Ok(Self { limit, before, labels, search, hidden })
    }

    /// Returns a page of messages.
    pub(super) fn messages<'m>(&self, google: &Google, mailbox: &'m Mailbox) -> Page<'m> {
        let matcher = Matcher::new(google, mailbox);
        self.page(mailbox, |message| self.takes(&matcher, message))
    }

    /// Returns a page of threads, each by the newest of its messages that the list takes.
    pub(super) fn threads<'m>(&self, google: &Google, mailbox: &'m Mailbox) -> Page<'m> {
        let matcher = Matcher::new(google, mailbox);
        let newer = |message: &Message| {
            let siblings = mailbox.thread(message.thread);
            let at = (message.date_ms, message.id);
            siblings.into_iter().any(|other| (other.date_ms, other.id) > at && self.takes(&matcher, other))
        };
        self.page(mailbox, |message| self.takes(&matcher, message) && !newer(message))
    }

    fn page<'m>(&self, mailbox: &'m Mailbox, takes: impl Fn(&Message) -> bool) -> Page<'m> {
        let end = self.before.unwrap_or((i64::MAX, u64::MAX));
        let mut messages = Vec::new();
        for (_, id) in mailbox.order.range(..end).rev() {
            let Some(message) = mailbox.messages.get(id).filter(|message| takes(message)) else { continue };
            if messages.len() == self.limit {
                let next = messages.last().map(|last: &&Message| write_token((last.date_ms, last.id)));
                return Page { messages, next };
            }
            messages.push(message);
        }
        Page { messages, next: None }
    }

    fn takes(&self, matcher: &Matcher<'_>, message: &Message) -> bool {
        let has = |label: &LabelNumber| message.labels.binary_search(label).is_ok();
        self.labels.iter().all(has)
            && !self.hidden.iter().any(has)
            && self.search.as_ref().is_none_or(|search| matcher.takes(search, message))
    }
}

/// Writes the place behind which the next page begins.
fn write_token((date, id): (i64, u64)) -> String {
    let bytes: Vec<u8> = date.to_be_bytes().into_iter().chain(id.to_be_bytes()).collect();
    super::payload::base64url(&bytes).trim_end_matches('=').to_owned()
}

fn read_token(token: &str) -> Option<(i64, u64)> {
    let bytes = unpadded(token)?;
    let (date, id) = bytes.split_first_chunk::<8>()?;
    Some((i64::from_be_bytes(*date), u64::from_be_bytes(id.try_into().ok()?)))
}
