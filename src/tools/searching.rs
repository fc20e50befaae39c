//! A search over all mirrors: what stands here first, then what the remote knows beside it.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::task::JoinSet;

use super::found::{Found, Hit, Search};
use super::reports::rfc3339;
use crate::error::{Error, Result};
use crate::kinds::Listing;
use crate::mirror::MirrorHandle;
use crate::model::{Feed, ItemId};
use crate::workspace::layout::Place;

/// How long the remote has for its answer.
const REMOTE_WAIT: Duration = Duration::from_secs(8);

/// Items that the remote is asked for at most.
const REMOTE_MAX: usize = 50;

/// Searches in these mirrors.
pub(super) async fn search(handles: &[&MirrorHandle], search: &Search) -> Result<Found> {
    let end = search.offset.saturating_add(search.limit);
    let mut found = Found::default();
    let mut lists = Vec::new();
    let (mut elsewhere, mut of_mail) = (BTreeSet::new(), false);
    for handle in handles {
        let local = handle.search(&search.query, end.saturating_add(1), 0).await?;
        if local.truncated {
            found.told.push(format!("Of what matches only the newest {} are ranked: add words.", local.total));
        }
        of_mail |= local.filtered || !local.elsewhere.is_empty();
        elsewhere.extend(local.elsewhere.iter().cloned());
        lists.push(hits(handle, local)?.into_iter());
    }
    let mut merged = in_turns(lists, end.saturating_add(1));
    if merged.len() <= end && (search.remote || merged.is_empty()) {
        let wanted = (end + 1 - merged.len()).min(REMOTE_MAX);
        // Documents know none of those operators.
        let asked: Vec<&MirrorHandle> =
            handles.iter().filter(|handle| !of_mail || handle.layout().feed() == Feed::Gmail).copied().collect();
        found.asked = !asked.is_empty();
        if !elsewhere.is_empty() {
            let answers = if asked.is_empty() { "no mail is searched" } else { "Gmail itself was asked" };
            found
                .told
                .push(format!("{} is not known here: {answers}.", elsewhere.into_iter().collect::<Vec<_>>().join(" ")));
        }
        let remote = remote(&asked, &search.query, wanted, &mut found.told).await?;
        let here: BTreeSet<ItemId> = merged.iter().map(|hit| hit.id.clone()).collect();
        merged.extend(remote.into_iter().filter(|hit| !here.contains(&hit.id)));
    }
    found.more = merged.len() > end;
    found.hits = merged.into_iter().skip(search.offset).take(search.limit).collect();
    Ok(found)
}

/// Shows what a mirror has found.
fn hits(handle: &MirrorHandle, found: crate::store::Hits) -> Result<Vec<Hit>> {
    let hit = |hit: crate::store::Hit| {
        Ok(Hit {
            path: Some(handle.layout().path(&Place::file(&hit.item, &hit.part))?),
            id: hit.item,
            kind: handle.kind(),
            account: handle.account().clone(),
            title: hit.title,
            snippet: hit.snippet,
            modified: rfc3339(hit.modified),
            url: String::new(),
        })
    };
    found.hits.into_iter().map(hit).collect()
}

/// Ranks of two indexes cannot be compared, so they take turns.
fn in_turns(mut lists: Vec<std::vec::IntoIter<Hit>>, limit: usize) -> Vec<Hit> {
    let mut merged = Vec::new();
    while merged.len() < limit {
        let before = merged.len();
        merged.extend(lists.iter_mut().filter_map(Iterator::next));
        if merged.len() == before {
            break;
        }
    }
    merged.truncate(limit);
    merged
}

/// Asks the remote through each mirror at once. One that does not answer is told of.
async fn remote(handles: &[&MirrorHandle], query: &str, limit: usize, told: &mut Vec<String>) -> Result<Vec<Hit>> {
    let mut tasks = JoinSet::new();
    for (at, handle) in handles.iter().copied().enumerate() {
        let (handle, query) = (handle.clone(), query.to_owned());
        tasks.spawn(async move {
            let answer = tokio::time::timeout(REMOTE_WAIT, handle.search_remote(&query, limit)).await;
            (at, answer.unwrap_or_else(|_late| Err(late())))
        });
    }
    let mut answers: Vec<(usize, Result<Listing>)> = tasks.join_all().await;
    answers.sort_by_key(|(at, _)| *at);
    let mut lists = Vec::new();
    for (handle, (_, answer)) in handles.iter().zip(answers) {
        let service = match handle.layout().feed() {
            Feed::Drive => "Google Drive",
            Feed::Gmail => "Gmail",
        };
        match answer {
            Ok(listing) => {
                if listing.more {
                    told.push(format!("{service} knows more that match: narrow the query."));
                }
                lists.push(unmirrored(handle, listing).await?.into_iter());
            }
            Err(error) => {
                told.push(format!("{service} of {} could not be asked: {error}", handle.account().0));
            }
        }
    }
    Ok(in_turns(lists, limit))
}

/// Shows what the remote has found; what is mirrored has a path.
async fn unmirrored(handle: &MirrorHandle, listing: Listing) -> Result<Vec<Hit>> {
    let mut hits = Vec::new();
    for listed in listing.items {
        let report = handle.lookup(&listed.id.0).await?;
        hits.push(Hit {
            path: report.and_then(|report| report.parts.into_iter().next()).map(|part| part.path),
            id: listed.id,
            kind: handle.kind(),
            account: handle.account().clone(),
            title: listed.title,
            snippet: listed.snippet,
            modified: listed.modified,
            url: listed.url,
        });
    }
    Ok(hits)
}

fn late() -> Error {
    Error::Network {
        doing: "searching".into(),
        outcome_unknown: false,
        source: format!("no answer came within {} seconds", REMOTE_WAIT.as_secs()).into(),
    }
}
