//! The two walks, step by step: each effect of the engine made real, each result told back as an event.
//!
//! A pull is `observe, fetch, put_conflict, deposit, record`; a push has `plan, begin, post` in its middle. Which step
//! follows which is the engine's to say; that a step only happens when the one before it stood is its safety.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::crash::crash_point;
use super::failure::failure;
use super::observing::observe;
use super::{Shared, blocking, conflicts, images, uploads};
use crate::error::{Error, Result};
use crate::kinds::{Fetched, Lack, Outcome, PushPlan};
use crate::model::{Cursor, ItemId, Millis, Notice, PartId, Revision, Stamp};
use crate::store::{Facts, NewJob};
use crate::sync::{
    Arrival, Effect, Event, Failure, FailureClass, Feed, Intent, JobId, Local, NotDone, Planned, Posted, Record,
    Remote, lines_of_file,
};
use crate::workspace::layout::Place;
use crate::workspace::{NotDeposited, Swept};

/// The name under which the cursor of an account's change feed is stored.
pub(super) const FEED: &str = "changes";

/// What a walk carries from one step to the next; it is let go of when the walk is over.
#[derive(Debug, Default)]
pub(super) struct Hand {
    /// What was fetched last.
    fetched: Option<Arc<Fetched>>,
    /// The newest plan of each file.
    pub(super) plans: BTreeMap<PartId, Arc<PushPlan>>,
    /// The plans of each file that landed in this walk, in order.
    pub(super) landed: BTreeMap<PartId, Vec<Arc<PushPlan>>>,
    /// The file whose push was begun.
    begun: Option<PartId>,
    /// The files that were written in this walk, and stand on the disk.
    deposited: BTreeSet<PartId>,
    /// A conflict file that could not be written: what depends on it must not happen.
    broken: Option<Failure>,
}

/// Performs one effect of an item, or of the feed.
pub(super) async fn perform(shared: &Arc<Shared>, hand: &mut Hand, effect: Effect, now: Millis) -> Option<Event> {
    match effect {
        Effect::Observe { item } => {
            hand.plans.clear();
            hand.landed.clear();
            hand.deposited.clear();
            Some(observe(shared, item).await)
        }
        Effect::Poll { cursor } => Some(Event::Polled(poll(shared, cursor).await)),
        Effect::Fetch { item, may_be_trashed } => {
            let result = fetch(shared, hand, &item, may_be_trashed).await;
            if let (Ok(_), Some(fetched)) = (&result, &hand.fetched) {
                images::start(shared, &item, fetched.images.clone(), now);
            }
            Some(Event::Fetched { item, result })
        }
        Effect::Plan { item, part, desired, file, accept } => {
            let result = plan(shared, hand, part, (desired, file), accept).await;
            Some(Event::Planned { item, result })
        }
        Effect::Begin { item, part, expect, revision, expected, base, told } => {
            let result = begin(shared, hand, &item, (part, expect), revision, (expected, base, told), now).await;
            Some(Event::Begun { item, result })
        }
        Effect::Post { item, job, revision } => {
            let result = post(shared, hand, &item, job, revision, now).await;
            Some(Event::Posted { item, result })
        }
        Effect::PutConflict { item, part, text } => {
            let shared = shared.clone();
            let put = blocking(move || conflicts::put(&shared, &item, &part, text.as_deref(), now));
            if let Err(error) = put.await {
                tracing::error!(%error, "a conflict file could not be written");
                hand.broken = Some(failure(&error));
            }
            None
        }
        Effect::Deposit { item, part, intent, arrived, expect } => {
            let result = deposit(shared, hand, (item.clone(), part.clone()), (intent, arrived), expect).await;
            Some(Event::Deposited { item, part, result })
        }
        Effect::Record(record) => {
            let item = record.item.clone();
            let result = self::record(shared, hand, Record { at: now, ..record }).await;
            Some(Event::Recorded { item, result })
        }
        Effect::PutAway { item, part, expect } => {
            put_away(shared, item, part, expect, now).await;
            None
        }
        Effect::Retire { item, bury, expect } => {
            let result = retire(shared, item.clone(), bury, expect, now).await;
            Some(Event::Retired { item, result })
        }
        Effect::SaveTold { item, part, told } => {
            let shared = shared.clone();
            if let Err(error) = blocking(move || shared.store()?.save_told(&item, &part, &told)).await {
                // It is told once more after the next start.
                tracing::warn!(%error, "what was told could not be stored");
            }
            None
        }
        Effect::SaveCursor(cursor) => {
            let shared = shared.clone();
            if let Err(error) = blocking(move || shared.store()?.save_cursor(FEED, &cursor)).await {
                // The page is read again after the next start; reading it twice changes nothing.
                tracing::warn!(%error, "the cursor could not be stored");
            }
            None
        }
        Effect::SavePaused(paused) => {
            let shared = shared.clone();
            if let Err(error) = blocking(move || shared.store()?.save_paused(paused)).await {
                // It holds all the same until the next start.
                tracing::error!(%error, paused, "it could not be stored whether the account is paused");
            }
            None
        }
        Effect::Sweep => Some(sweep(shared, now).await),
        // Answers are given by the loop, which knows who asked.
        Effect::Reply { .. } => None,
    }
}

/// Looks at the files that were replaced; what fails is looked at once more later.
async fn sweep(shared: &Arc<Shared>, now: Millis) -> Event {
    let here = shared.clone();
    let swept = blocking(move || here.workspace.sweep_displaced(now)).await;
    match swept {
        Ok(Swept { left, aside }) => {
            let shown = |(place, path): (Place, PathBuf)| (place.item, place.part, path.display().to_string());
            Event::Swept { left, aside: aside.into_iter().map(shown).collect() }
        }
        Err(error) => {
            tracing::warn!(%error, "the files that were replaced could not be looked at");
            Event::Swept { left: true, aside: Vec::new() }
        }
    }
}

async fn poll(shared: &Arc<Shared>, cursor: Option<Cursor>) -> Result<Feed, Failure> {
    let kind = shared.kind.clone();
    let asked = cursor.is_some();
    let changes = guarded("reading the change feed", async move { kind.changes(cursor.as_ref()).await }).await;
    match changes {
        Ok(changes) => {
            // Google can be reached, so what could not be taken away before may go now.
            let here = shared.clone();
            tokio::spawn(async move { uploads::clean(&here, false).await });
            shared.rules.heard(&changes.changed);
            Ok(Feed { changed: changes.changed, vanished: changes.vanished, cursor: changes.cursor })
        }
        Err(error) => {
            let mut failure = failure(&error);
            // Of a feed, "nothing found" says that Google has forgotten the cursor.
            if asked && failure.class == FailureClass::Gone {
                failure.class = FailureClass::CursorExpired;
            }
            Err(failure)
        }
    }
}

async fn fetch(shared: &Arc<Shared>, hand: &mut Hand, item: &ItemId, may_be_trashed: bool) -> Result<Remote, Failure> {
    let before = hand.fetched.take();
    let (kind, id) = (shared.kind.clone(), item.clone());
    let fetched = match shared.fetches.acquire().await {
        Ok(_permit) => guarded("reading the item", async move { kind.fetch(&id, may_be_trashed).await }).await,
        Err(closed) => Err(Error::Network { doing: "reading".into(), outcome_unknown: false, source: closed.into() }),
    };
    let fetched = fetched.map_err(|error| failure(&error))?;
    let mut fetched = with_main(shared, before.as_deref(), fetched).await.map_err(|error| failure(&error))?;
    if fetched.lack != Lack::Nothing {
        let known = last_known(shared, hand, before.as_deref(), item).await.map_err(|error| failure(&error))?;
        fetched = shared.kind.recall(fetched, &known);
    }
    // A tab's id comes from outside; one that cannot be a file name is refused before anything is written.
    for part in &fetched.parts {
        Place::file(&fetched.id, &part.id).name().map_err(|error| failure(&error))?;
    }
    tracing::debug!(%item, parts = fetched.parts.len(), "fetched");
    let remote = Remote {
        kind: fetched.kind,
        title: fetched.title.clone(),
        revision: fetched.revision.clone(),
        can_edit: fetched.can_edit,
        parts: fetched.parts.iter().map(|part| (part.id.clone(), part.text.clone())).collect(),
    };
    hand.fetched = Some(Arc::new(fetched));
    Ok(remote)
}

/// Gives the main file of an item to what it was of when the item was read first.
pub(super) async fn with_main(shared: &Arc<Shared>, before: Option<&Fetched>, fetched: Fetched) -> Result<Fetched> {
    if let Some(main) = before.and_then(|before| before.main.as_ref()) {
        return Ok(shared.kind.keep_main(fetched, main));
    }
    let here = shared.clone();
    blocking(move || {
        let (id, part) = (fetched.id.clone(), PartId::default());
        let (main, bases) = {
            let store = here.reader();
            (store.main_of(&id)?, store.bases(&id)?)
        };
        if let Some(main) = main {
            return Ok(here.kind.keep_main(fetched, &main));
        }
        // An earlier version did not write it down, or the state was lost.
        let standing = here.workspace.files(&id)?.into_iter().filter(|place| !place.conflict).map(|place| place.part);
        let others: BTreeSet<PartId> = standing.chain(bases.iter().map(|(of, _)| of.clone())).collect();
        let others: Vec<PartId> = others.into_iter().filter(|other| *other != part).collect();
        let agreed = bases.into_iter().find(|(of, _)| *of == part).map(|(_, base)| base);
        let text = match agreed {
            Some(base) => Some(base),
            None => match here.workspace.observe(&id, &part)? {
                Local::Text { text, .. } => Some(text),
                Local::Absent | Local::Unusable { .. } | Local::Restless => None,
            },
        };
        Ok(match text {
            Some(text) => here.kind.adopt_main(fetched, &text, &others),
            None => fetched,
        })
    })
    .await
}

/// Returns what is known of the texts of an item's parts: the base; what this walk has read since; and what a push of it
/// made of that, if it landed. A text that is ahead of the remote harms nobody who looks for words in it.
async fn last_known(
    shared: &Arc<Shared>,
    hand: &Hand,
    before: Option<&Fetched>,
    item: &ItemId,
) -> Result<Vec<(PartId, String)>> {
    let (here, id) = (shared.clone(), item.clone());
    let bases = blocking(move || here.store()?.bases(&id)).await?;
    let mut known: BTreeMap<PartId, String> = bases.into_iter().collect();
    known.extend(before.into_iter().flat_map(|before| &before.parts).map(|part| (part.id.clone(), part.text.clone())));
    known.extend(hand.plans.iter().map(|(part, plan)| (part.clone(), plan.expected.clone())));
    Ok(known.into_iter().collect())
}

async fn plan(
    shared: &Arc<Shared>,
    hand: &mut Hand,
    part: PartId,
    (desired, file): (String, String),
    accept: bool,
) -> Result<Planned, Failure> {
    let Some(fetched) = hand.fetched.clone() else { return Err(lost_hand()) };
    let (here, id) = (shared.clone(), part.clone());
    let plan = blocking(move || {
        let mut pictures = uploads::look(&here, here.kind.named_pictures(&desired));
        let mut plan = here.kind.plan_with(&fetched, &id, &desired, accept, &pictures)?;
        if !plan.wanted_pictures.is_empty() {
            pictures.standing = uploads::stand(&here, &fetched, &plan.wanted_pictures)?;
            plan = here.kind.plan_with(&fetched, &id, &desired, accept, &pictures)?;
        }
        // A person reads the lines of the file, of the plan as well as of what the engine keeps.
        for notices in [&mut plan.refused, &mut plan.told, &mut plan.unsaid, &mut plan.holds] {
            lines_of_file(notices, &desired, &file);
        }
        Ok(plan)
    })
    .await
    .map_err(|error| failure(&error))?;
    let planned = Planned {
        requests: plan.size(),
        refused: plan.refused.clone(),
        told: plan.told.clone(),
        unsaid: plan.unsaid.clone(),
        holds: plan.holds.clone(),
        expected: plan.expected.clone(),
        again: plan.again,
    };
    hand.plans.insert(part, Arc::new(plan));
    Ok(planned)
}

/// Writes "begun" into the journal. Nothing may be sent before it is on the disk, nor for another file than was read.
async fn begin(
    shared: &Arc<Shared>,
    hand: &mut Hand,
    item: &ItemId,
    (part, expect): (PartId, Option<Stamp>),
    revision: Revision,
    (expected, base, told): (String, Option<String>, Vec<Notice>),
    now: Millis,
) -> Result<JobId, NotDone> {
    crash_point("before_journal");
    let plan = hand.plans.get(&part).cloned().unwrap_or_default();
    let fetched = hand.fetched.clone();
    hand.begun = Some(part.clone());
    let (shared, item) = (shared.clone(), item.clone());
    let job = blocking(move || {
        if shared.workspace.sync(&item, &part)? != expect {
            return Ok(None);
        }
        let plan = serde_json::to_vec(&plan.shown())
            .map_err(|source| Error::Storage { doing: "writing the journal", source: Box::new(source) })?;
        let known = fetched.iter().flat_map(|fetched| &fetched.parts).find(|known| known.id == part);
        let begun = shared.store()?.begin_job(&NewJob {
            item: &item,
            part: &part,
            base_revision: &revision,
            before: known.map_or("", |known| &known.text),
            expected: &expected,
            base: base.as_deref(),
            plan: &plan,
            told: &told,
            at: now,
        });
        begun.map(Some)
    })
    .await;
    crash_point("after_journal");
    job.map_err(|error| NotDone::Failed(failure(&error)))?.ok_or(NotDone::Moved)
}

/// Sends the plan, once. When no answer comes, nobody knows whether it landed; the engine then fetches and compares.
async fn post(
    shared: &Arc<Shared>,
    hand: &mut Hand,
    item: &ItemId,
    job: JobId,
    revision: Revision,
    now: Millis,
) -> Posted {
    let begun = hand.begun.take().and_then(|part| Some((hand.plans.get(&part).cloned()?, part)));
    let Some((plan, part)) = begun else { return Posted::Failed(lost_hand()) };
    let (here, id, planned) = (shared.clone(), item.clone(), plan.clone());
    let uploads = !plan.uploads.is_empty();
    let sent = tokio::spawn(async move {
        let needed = if uploads { Some(here.uploading.read().await) } else { None };
        // Nothing of the plan was sent when an upload fails, whatever became of the upload.
        let plan = match uploads::hosted(&here, plan, now).await {
            Ok(plan) => plan,
            Err(Error::InvalidInput { what, .. }) => return Ok(Outcome::Refused(what)),
            Err(Error::Network { doing, source, .. }) => {
                return Err(Error::Network { doing, outcome_unknown: false, source });
            }
            Err(error) => return Err(error),
        };
        let sent = here.kind.push(&id, &revision, &plan).await;
        drop(needed);
        sent
    })
    .await;
    crash_point("after_post");
    if uploads {
        let here = shared.clone();
        tokio::spawn(async move { uploads::clean(&here, true).await });
    }
    let outcome = sent.unwrap_or_else(|panic| {
        Err(Error::Network { doing: "pushing".into(), outcome_unknown: true, source: panic.into() })
    });
    tracing::info!(%item, job = job.0, accepted = matches!(outcome, Ok(Outcome::Accepted(_))), "pushed");
    match outcome {
        Ok(Outcome::Accepted(revision)) => {
            let here = shared.clone();
            if let Err(error) = blocking(move || here.store()?.answered(job)).await {
                // After a crash the text of the document has to tell.
                tracing::warn!(%error, "the journal could not be told that a push has landed");
            }
            hand.landed.entry(part).or_default().push(planned);
            Posted::Accepted(revision)
        }
        Ok(Outcome::Stale) | Err(Error::StaleRevision { .. }) => Posted::Stale,
        Ok(Outcome::Refused(words)) => match planned.refused_picture(&words) {
            // Nothing of the batch was carried out, and without this picture the rest can be.
            Some(picture) => {
                shared.refused_pictures.note(picture, &words);
                Posted::Stale
            }
            None => Posted::Refused(words),
        },
        Err(error @ Error::Network { outcome_unknown: true, .. }) => Posted::Unknown(failure(&error)),
        Err(error) => Posted::Failed(failure(&error)),
    }
}

async fn deposit(
    shared: &Arc<Shared>,
    hand: &mut Hand,
    (item, part): (ItemId, PartId),
    (intent, arrived): (Intent, Vec<Arrival>),
    expect: Option<Stamp>,
) -> Result<Stamp, NotDone> {
    if let Some(broken) = hand.broken.take() {
        return Err(NotDone::Failed(broken));
    }
    let (here, id) = (shared.clone(), part.clone());
    let main = hand.fetched.as_ref().and_then(|fetched| fetched.main.clone());
    let deposited = blocking(move || {
        if expect.is_some() {
            // The note says what stands there now, which a power cut must not take back.
            here.workspace.sync(&item, &id)?;
        }
        here.store()?.intend((&item, &id), &intent, main.as_deref(), &arrived)?;
        Ok(here.workspace.deposit(&item, &id, &intent.after, expect))
    })
    .await;
    crash_point("after_deposit");
    match deposited {
        Ok(Ok(stamp)) => {
            hand.deposited.insert(part);
            Ok(stamp)
        }
        Ok(Err(NotDeposited::Moved)) => Err(NotDone::Moved),
        Ok(Err(NotDeposited::Failed(error))) | Err(error) => Err(NotDone::Failed(failure(&error))),
    }
}

async fn record(shared: &Arc<Shared>, hand: &mut Hand, record: Record) -> Result<(), Failure> {
    if let Some(broken) = hand.broken.take() {
        return Err(broken);
    }
    if !record.jobs.is_empty() {
        crash_point("after_reply");
    }
    let facts = hand.fetched.as_ref().map(|fetched| Facts {
        url: fetched.url.clone(),
        main: fetched.main.clone(),
        facets: fetched.facets.clone(),
        parts: fetched.parts.iter().map(|part| (part.id.clone(), part.title.clone(), part.warnings.clone())).collect(),
    });
    let (here, fetched) = (shared.clone(), hand.fetched.clone());
    if let Some(fetched) = &fetched {
        super::comments::read_later(shared, &record.item, fetched);
    }
    let written = std::mem::take(&mut hand.deposited);
    let recorded = blocking(move || {
        for part in record.parts.iter().filter(|part| part.stamp.is_some() && !written.contains(&part.part)) {
            here.workspace.sync(&record.item, &part.part)?;
        }
        here.store()?.record(&record, facts.as_ref())?;
        if let Some(fetched) = &fetched {
            super::comments::put(&here, &record.item, &fetched.comments, record.at);
        }
        if let Some(facts) = &facts
            && let Err(error) = put_links(&here, &record, facts)
        {
            // The links are a comfort; what they point at stands.
            tracing::warn!(item = %record.item, %error, "the readable links could not be written");
        }
        Ok(())
    })
    .await;
    crash_point("after_record");
    recorded.map_err(|error| failure(&error))
}

/// Puts the readable links of an item. A new one is known from then on: what is saved in its place may say nothing of whose it is.
fn put_links(shared: &Shared, record: &Record, facts: &Facts) -> Result<()> {
    let made = shared.workspace.set_links(&record.item, &names(record, facts))?;
    made.into_iter().try_for_each(|(path, place)| super::linking::know_link(shared, &path, place))
}

/// Names the links of an item: the main file by its title, other tabs by both titles.
fn names(record: &Record, facts: &Facts) -> Vec<(PartId, String)> {
    let name = |(part, title, _): &(PartId, String, Vec<_>)| {
        let name = if part.0.is_empty() { record.title.clone() } else { format!("{} - {title}", record.title) };
        (part.clone(), name)
    };
    facts.parts.iter().map(name).collect()
}

/// Puts the file of a tab away that is gone. Where that fails it stays, and the next walk tells that it stands alone.
async fn put_away(shared: &Arc<Shared>, item: ItemId, part: PartId, expect: Stamp, now: Millis) {
    let (here, id) = (shared.clone(), item.clone());
    let kept = blocking(move || {
        let kept = here.workspace.put_away_file(&id, &part, expect, now)?;
        if kept.is_some() {
            here.store()?.note_put_away(&id, &part, now)?;
        }
        Ok(kept)
    });
    match kept.await {
        Ok(Some(path)) => tracing::info!(%item, path = %path.display(), "the file of a tab that is gone was put away"),
        Ok(None) => tracing::info!(%item, "the file of a tab that is gone was saved meanwhile, so it stays"),
        Err(error) => tracing::warn!(%item, %error, "the file of a tab that is gone could not be put away"),
    }
}

/// Puts the files away, then forgets the item: died in between, the item is known and its files are merely absent.
async fn retire(
    shared: &Arc<Shared>,
    item: ItemId,
    bury: bool,
    expect: Option<Vec<(PartId, Option<Stamp>)>>,
    now: Millis,
) -> Result<(), NotDone> {
    // A picture that comes later would stand where nobody looks after it.
    shared.images.stop(&item).await;
    let (here, id) = (shared.clone(), item.clone());
    let retired = blocking(move || {
        Ok(match here.workspace.retire(&id, expect.as_deref(), now) {
            Ok(paths) => here.store()?.retire(&id, bury, now).map(|()| Ok(paths.len()))?,
            Err(failure) => Err(failure),
        })
    })
    .await;
    match retired {
        Ok(Ok(files)) => tracing::info!(%item, files, "retired"),
        Ok(Err(NotDeposited::Moved)) => return Err(NotDone::Moved),
        Ok(Err(NotDeposited::Failed(error))) | Err(error) => {
            tracing::error!(%item, %error, "the files of an item could not be put away");
            return Err(NotDone::Failed(failure(&error)));
        }
    }
    Ok(())
}

/// Runs a call of a kind so that its panic is an error of this call alone.
async fn guarded<T: Send + 'static>(doing: &str, call: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    match tokio::spawn(call).await {
        Ok(result) => result,
        Err(panic) => Err(Error::ExtractionFailed { id: doing.into(), source: panic.into() }),
    }
}

/// What the walk carried is gone, so it begins again.
fn lost_hand() -> Failure {
    let source = "what was fetched is no longer held".into();
    failure(&Error::Network { doing: "planning".into(), outcome_unknown: false, source })
}
