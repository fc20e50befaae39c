//! What a person wants to be mirrored by itself: each rule's items are listed, newest first, and those that are new are fetched, a few
//! at a time, beside whatever else is asked for. Nothing is kept of how far a listing came: after a stop it is made anew, and what is
//! mirrored by then is passed over.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::clock::system_ms;
use super::handle::MirrorHandle;
use super::report::{RuleReport, RuleState};
use super::{Shared, blocking};
use crate::error::{Error, Result};
use crate::kinds::RulePage;
use crate::model::{ItemId, Millis, Rule};
use crate::store::KeptRule;
use crate::sync::{Answer, Command, Failure, FailureClass, HALTED, PAUSED};

/// Items of rules that are fetched at once: one less than are read at once, so that a person who asks for one need not wait.
const FETCHES: usize = super::FETCHES_MAX - 1;

/// Pages that one listing reads, five hundred items each: no mailbox of a person has a million threads.
const PAGES_MAX: usize = 2_000;

/// Rules of one mirror.
const RULES_MAX: usize = 50;

/// The first pause after a failure that may pass; each next one is twice as long.
const PAUSE_FIRST: Duration = Duration::from_secs(5);

/// The longest such pause.
const PAUSE_MAX: Duration = Duration::from_secs(600);

/// Items in a row that cannot be had now until the rest waits.
const IN_VAIN_MAX: usize = 8;

/// Items that were fetched until it is told how long the rest takes.
const MEASURED_MIN: u32 = 5;

/// How often the rules are looked at though nothing was heard.
const LOOK: Duration = Duration::from_secs(3_600);

/// How far the rules of a mirror are, and what wakes who works on them.
#[derive(Default)]
pub(super) struct Rules {
    states: Mutex<BTreeMap<i64, RuleState>>,
    /// Counts what was fetched.
    fetched: AtomicU64,
    wake: Notify,
}

impl Rules {
    fn states(&self) -> MutexGuard<'_, BTreeMap<i64, RuleState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is told of a rule.
    fn tell(&self, number: i64, change: impl FnOnce(&mut RuleState)) {
        change(self.states().entry(number).or_default());
    }

    /// Hears that something happened to items: one of them may be new.
    pub(super) fn heard(&self, changed: &[ItemId]) {
        if !changed.is_empty() {
            self.wake.notify_one();
        }
    }
}

impl MirrorHandle {
    /// Begins a rule; returns its number and how many items its first page names, and whether there are more.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a rule that means nothing, is there already, or is one too many; network and permission errors as they come.
    pub async fn add_rule(&self, rule: &Rule) -> Result<(i64, usize, bool)> {
        let shared = self.shared_arc();
        let RulePage { items, next } = shared.kind.named(rule, None).await?;
        let (here, rule) = (shared.clone(), rule.clone());
        let number = blocking(move || {
            let mut store = here.store()?;
            let rules = store.rules()?;
            if let Some(same) = rules.iter().find(|kept| kept.rule == rule) {
                return Err(Error::InvalidInput {
                    what: format!("rule {} says the same", same.number),
                    suggestion: "See `mcp-workspace rules`.".into(),
                });
            }
            if rules.len() >= RULES_MAX {
                return Err(Error::InvalidInput {
                    what: format!("there are {RULES_MAX} rules already"),
                    suggestion: "End one with `mcp-workspace rules end NUMBER`.".into(),
                });
            }
            store.add_rule(&rule, Millis(system_ms()))
        })
        .await?;
        self.shared().rules.wake.notify_one();
        Ok((number, items.len(), next.is_some()))
    }

    /// Ends a rule; what it brought stays mirrored. Tells whether there was one of that number.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub async fn end_rule(&self, number: i64) -> Result<bool> {
        let shared = self.shared_arc();
        let ended = blocking(move || shared.store()?.end_rule(number)).await?;
        self.shared().rules.states().remove(&number);
        Ok(ended)
    }

    /// Returns the rules and how far they are.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub async fn rules(&self) -> Result<Vec<RuleReport>> {
        let shared = self.shared_arc();
        let kept = blocking(move || shared.reader().rules()).await?;
        let states = self.shared().rules.states();
        let report = |KeptRule { number, rule, whole }| RuleReport {
            number,
            rule,
            whole,
            state: states.get(&number).cloned().unwrap_or_default(),
        };
        Ok(kept.into_iter().map(report).collect())
    }
}

/// Works on the rules of a mirror, until it is dropped.
pub(super) async fn run(mirror: MirrorHandle) {
    let shared = mirror.shared_arc();
    let mut pause = PAUSE_FIRST;
    loop {
        let kept = blocking({
            let shared = shared.clone();
            move || shared.reader().rules()
        });
        let (mut wait, before) = (LOOK, shared.rules.fetched.load(Ordering::Relaxed));
        match kept.await {
            Ok(rules) => {
                for kept in rules {
                    let number = kept.number;
                    let worked = work(&mirror, &kept).await;
                    let trouble = worked.as_ref().err().map(|stopped| stopped.told.clone()).unwrap_or_default();
                    shared.rules.tell(number, |state| state.trouble = trouble);
                    // What a person must change is tried again once an hour; the rest soon.
                    if worked.is_err_and(|stopped| stopped.soon) {
                        let came_on = shared.rules.fetched.load(Ordering::Relaxed) > before;
                        pause = if came_on { PAUSE_FIRST } else { pause };
                        wait = wait.min(pause);
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the rules could not be read"),
        }
        pause = if wait == LOOK { PAUSE_FIRST } else { (pause * 2).min(PAUSE_MAX) };
        tokio::select! {
            () = shared.rules.wake.notified() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Why a rule, or one of its items, does not come on.
struct Stopped {
    /// What people read.
    told: String,
    /// Whether it may come on soon, with nobody doing anything.
    soon: bool,
    /// Whether the item is not there any more, which says nothing of the others.
    gone: bool,
    /// Whether it would be the same with every item.
    of_all: bool,
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        let told = format!("{}. {}", error.with_causes().trim_end_matches('.'), error.suggestion());
        let soon = error.retryable() || matches!(error, Error::AuthExpired { .. });
        Self { told, soon, gone: false, of_all: true }
    }
}

impl Stopped {
    fn of_item(failure: &Failure) -> Self {
        // A person ends a halt and a pause, and signs in: nobody tells who works here.
        let of_all = failure.class == FailureClass::SignedOut || [HALTED, PAUSED].contains(&failure.kind.as_str());
        Self {
            told: format!("{}. {}", failure.message.trim_end_matches('.'), failure.suggestion),
            soon: of_all || failure.class == FailureClass::Transient,
            gone: failure.class == FailureClass::Gone,
            of_all,
        }
    }
}

/// Mirrors what a rule names and is not mirrored yet.
async fn work(mirror: &MirrorHandle, kept: &KeptRule) -> Result<(), Stopped> {
    let shared = mirror.shared_arc();
    // Nothing is asked for while nothing may be.
    let halted = mirror.ask_status(None).await?.halted;
    if let Some(halted) = halted {
        let told = format!("{}. {}", halted.message.trim_end_matches('.'), halted.suggestion);
        return Err(Stopped { told, soon: true, gone: false, of_all: true });
    }
    let new = list(&shared, kept).await?;
    let count = new.len();
    shared.rules.tell(kept.number, |state| {
        (state.left, state.left_s) = (count, None);
    });
    fetch_all(mirror, kept.number, new).await?;
    if !kept.whole {
        let number = kept.number;
        blocking(move || shared.store()?.rule_is_whole(number)).await?;
    }
    Ok(())
}

/// Lists what a rule names and is not mirrored yet, newest first. Of a rule whose items were all mirrored once it is enough to look as
/// far as a page of known ones.
async fn list(shared: &Arc<Shared>, kept: &KeptRule) -> Result<Vec<ItemId>> {
    let most = kept.rule.max.unwrap_or(usize::MAX);
    let (mut new, mut seen, mut page) = (Vec::new(), 0, None);
    for _ in 0..PAGES_MAX {
        let RulePage { mut items, next } = shared.kind.named(&kept.rule, page.as_deref()).await?;
        items.truncate(most.saturating_sub(seen));
        seen += items.len();
        let here = shared.clone();
        let fresh = blocking(move || {
            let reader = here.reader();
            let mut fresh = Vec::new();
            for item in items {
                if !reader.is_settled(&item)? {
                    fresh.push(item);
                }
            }
            Ok(fresh)
        })
        .await?;
        let known = fresh.is_empty();
        new.extend(fresh);
        shared.rules.tell(kept.number, |state| (state.named, state.left) = (state.named.max(seen), new.len()));
        page = next;
        if page.is_none() || seen >= most || (kept.whole && known) {
            break;
        }
    }
    Ok(new)
}

/// Fetches items in their order, some at once. One that cannot be had is passed over, one that cannot be had now comes last; when
/// that is so of several in a row, it ends.
async fn fetch_all(mirror: &MirrorHandle, number: i64, items: Vec<ItemId>) -> Result<(), Stopped> {
    let rules = &mirror.shared().rules;
    let (begun, mut left) = (Instant::now(), VecDeque::from(items));
    let mut tasks: JoinSet<(ItemId, Result<(), Stopped>)> = JoinSet::new();
    let (mut done, mut passed, mut in_vain) = (0_u32, 0, 0);
    loop {
        while tasks.len() < FETCHES
            && let Some(item) = left.pop_front()
        {
            let mirror = mirror.clone();
            tasks.spawn(async move { (item.clone(), fetch(&mirror, item).await) });
        }
        let Some(ended) = tasks.join_next().await else { return Ok(()) };
        let (item, fetched) =
            ended.map_err(|panic| Error::ExtractionFailed { id: "a thread".into(), source: panic.into() })?;
        match fetched {
            Ok(()) => {
                (done, in_vain) = (done.saturating_add(1), 0);
                rules.fetched.fetch_add(1, Ordering::Relaxed);
            }
            // The listing is made anew when it can be asked again.
            Err(stopped) if stopped.of_all || in_vain >= IN_VAIN_MAX => return Err(stopped),
            Err(stopped) => {
                in_vain += usize::from(!stopped.gone);
                if stopped.soon {
                    left.push_back(item);
                } else {
                    passed += 1;
                    tracing::warn!(told = stopped.told, rule = number, "an item of a rule is passed over");
                }
            }
        }
        let open = left.len() + tasks.len();
        let rest =
            begun.elapsed().as_secs_f64() / f64::from(done.max(1)) * f64::from(u32::try_from(open).unwrap_or(u32::MAX));
        let left_s = (done >= MEASURED_MIN).then(|| Duration::try_from_secs_f64(rest).unwrap_or_default().as_secs());
        rules.tell(number, |state| (state.left, state.left_s, state.passed) = (open, left_s, passed));
        let shared = mirror.shared_arc();
        // A rule that was ended asks for nothing more.
        if !blocking(move || Ok(shared.reader().rules()?.iter().any(|kept| kept.number == number))).await? {
            rules.states().remove(&number);
            return Ok(());
        }
    }
}

async fn fetch(mirror: &MirrorHandle, item: ItemId) -> Result<(), Stopped> {
    mirror.shared().images.have_room().await;
    match mirror.ask(Command::Fetch(item)).await?.answer {
        Answer::Done { .. } => Ok(()),
        Answer::Failed(failure) => Err(Stopped::of_item(&failure)),
    }
}
