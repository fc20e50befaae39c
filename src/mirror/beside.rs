//! Files beside the mirrored ones: what is saved in `new/` becomes a document, and what an editor puts where a link to a mirrored
//! file stood becomes the text of that file. In either case a link stands there afterwards, so that the next save finds it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::adopting::{Adopted, adopt, forget_base, keep_and_link, note_base};
use super::clock::{Clock, system_ms};
use super::crash::crash_point;
use super::handle::MirrorHandle;
use super::making::Made;
use super::report::{BesideState, NotTakenIn};
use super::{Shared, blocking, linking};
use crate::error::{Error, Result};
use crate::mebdf;
use crate::model::{ContentHash, ItemId, Millis, Notice, PartId, Stamp};
use crate::store::Link;
use crate::sync::{Beside, Local, NotTaken, Stands, Step, is_half_merged};
use crate::workspace::layout::Place;
use crate::workspace::{Found, Links, Readable};

/// Paths that wait to be looked at; more of them become a look at all.
const TOUCHED_MAX: usize = 1024;

/// How often all is looked at though nothing was heard: not every folder can be watched.
const LOOK_PAUSE: Duration = Duration::from_secs(300);

/// Documents of which it is remembered what of their text they cannot say.
const TOLD_MAX: usize = 50;

/// For how long it is told that a link is gone.
const UNLINKED_FOR: Duration = Duration::from_secs(3600);

/// What others see of the files beside the mirrored ones.
pub(super) struct Watched {
    touched: mpsc::Sender<PathBuf>,
    /// Whether all are to be looked at.
    all: AtomicBool,
    links: Links,
    waiting: Mutex<Vec<NotTakenIn>>,
    /// What was taken in, but not whole.
    told: Mutex<Vec<(PathBuf, String)>>,
    /// Links that were there, where they led, and when they were missed.
    unlinked: Mutex<Vec<(PathBuf, Place, Instant)>>,
}

/// Makes what others see, and where what they heard of comes out.
pub(super) fn watched() -> (Watched, mpsc::Receiver<PathBuf>) {
    let (touched, heard) = mpsc::channel(TOUCHED_MAX);
    let watched = Watched {
        touched,
        all: AtomicBool::new(false),
        links: Links::default(),
        waiting: Mutex::default(),
        told: Mutex::default(),
        unlinked: Mutex::default(),
    };
    (watched, heard)
}

impl Watched {
    /// Something happened at a path, or may have.
    pub(super) fn touch(&self, path: PathBuf) {
        if self.touched.try_send(path).is_err() {
            self.all.store(true, Ordering::Release);
        }
    }

    /// Anything may have happened.
    pub(super) fn touch_all(&self) {
        self.all.store(true, Ordering::Release);
        // A path that nobody has, to be heard.
        self.touch(PathBuf::new());
    }

    /// The links outside of the workspace.
    pub(super) const fn links(&self) -> &Links {
        &self.links
    }

    /// The files that were not taken in, or not whole, and why.
    pub(super) fn told(&self) -> Vec<NotTakenIn> {
        let mut told = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let lacking = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let in_part = |(path, why): &(PathBuf, String)| NotTakenIn {
            path: path.clone(),
            state: BesideState::MadeInPart,
            why: why.clone(),
        };
        told.extend(lacking.iter().map(in_part));
        let mut unlinked = self.unlinked.lock().unwrap_or_else(PoisonError::into_inner);
        unlinked.retain(|(_, _, at)| at.elapsed() < UNLINKED_FOR);
        told.extend(unlinked.iter().map(|(path, place, _)| NotTakenIn {
            path: path.clone(),
            state: BesideState::Unlinked,
            why: format!(
                "the link to {} that stood here is gone; where it was moved, it is none that is known, and what an editor puts in its \
                 place there is no edit: run `mcp-workspace link` with the folder in which it stands now",
                place.item
            ),
        }));
        told
    }

    /// Notes that a link is gone.
    pub(super) fn miss(&self, path: &Path, place: Place) {
        let mut unlinked = self.unlinked.lock().unwrap_or_else(PoisonError::into_inner);
        unlinked.push((path.into(), place, Instant::now()));
        let over = unlinked.len().saturating_sub(TOLD_MAX);
        unlinked.drain(..over);
    }

    /// Notes that a link to an item stands somewhere, or that none is wanted any more.
    pub(super) fn found(&self, item: &ItemId) {
        self.unlinked.lock().unwrap_or_else(PoisonError::into_inner).retain(|(_, place, _)| place.item != *item);
    }

    fn tell(&self, path: &Path, notices: &[(PartId, Notice)]) {
        let said: Vec<String> = notices.iter().map(|(_, notice)| notice.to_string()).collect();
        let lacks = format!("it became a document, but not all of it: {}", said.join("; "));
        self.note(path, (!said.is_empty()).then_some(lacks));
    }

    /// Tells that somebody wrote into a document before the text of a file had arrived there.
    pub(super) fn tell_foreign(&self, path: &Path, item: &ItemId, kept: &Path) {
        let told = format!(
            "it became the document {item}, into which somebody wrote before all of its text was there; so that is as it was, \
             the link leads there, and what was to be written is kept at {}",
            kept.display()
        );
        self.note(path, Some(told));
    }

    /// Notes what there is to tell of a path, in place of what was told before.
    fn note(&self, path: &Path, said: Option<String>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|(other, _)| other != path);
        told.extend(said.map(|said| (path.into(), said)));
        let over = told.len().saturating_sub(TOLD_MAX);
        told.drain(..over);
    }
}

impl Shared {
    /// Tells whether a path is one of the folders of ours that have links.
    pub(super) fn is_own(&self, path: &Path) -> bool {
        self.is_in_new(path) || self.workspace.is_readable(path)
    }

    /// Tells whether a path is one of `new/`.
    pub(super) fn is_in_new(&self, path: &Path) -> bool {
        self.workspace.layout().new_folder().is_some_and(|new| path.parent() == Some(&new))
    }
}

/// Looks at files beside the mirrored ones, one after the other, until it is cut off.
pub(super) async fn run(mirror: MirrorHandle, mut touched: mpsc::Receiver<PathBuf>) {
    let (mut beside, clock) = (Beside::default(), Clock::new());
    let shared = mirror.shared_arc();
    let doubts = match blocking(move || doubts(&shared)).await {
        Ok(doubts) => doubts,
        // Whoever does not know what was begun must not begin it once more.
        Err(error) => return tracing::error!(%error, "nothing is taken in from `new/` until the next start"),
    };
    for (path, stamp, why) in doubts {
        beside.in_doubt(&path, stamp, why, clock.now());
    }
    let shared = mirror.shared_arc();
    if let Err(error) = blocking(move || finish(&shared)).await {
        tracing::error!(%error, "what the last start left beside the mirrored files stays as it is");
    }
    mirror.shared().beside.touch_all();
    let mut looked = tokio::time::Instant::now();
    loop {
        let wait = beside.next_due().map(|due| clock.instant(due).into());
        let due = async {
            match wait {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        let again = tokio::time::sleep_until(looked + LOOK_PAUSE);
        tokio::select! {
            path = touched.recv() => match path.as_deref().map(Path::to_str) {
                None => return,
                Some(Some(path)) if !path.is_empty() => beside.touched(path, clock.now()),
                Some(_) => {}
            },
            () = due => {}
            () = again => mirror.shared().beside.all.store(true, Ordering::Release),
        }
        if mirror.shared().beside.all.swap(false, Ordering::AcqRel) {
            looked = tokio::time::Instant::now();
            touch_all(&mirror, &mut beside, clock.now()).await;
        }
        for path in beside.due(clock.now()) {
            look(&mirror, &mut beside, &clock, &path).await;
        }
        let not_taken = |(path, NotTaken { why, made, .. })| {
            let state = if made { BesideState::MadeInPart } else { BesideState::NotMade };
            NotTakenIn { path: PathBuf::from(path), state, why }
        };
        let waiting = beside.waiting().into_iter().map(not_taken).collect();
        *mirror.shared().beside.waiting.lock().unwrap_or_else(PoisonError::into_inner) = waiting;
    }
}

/// Touches every file that stands in `new/`, every link outside, and what stands among the readable ones and is none. Where those
/// lead is noted.
async fn touch_all(mirror: &MirrorHandle, beside: &mut Beside, now: Millis) {
    let shared = mirror.shared_arc();
    let paths = blocking(move || {
        let mut paths = shared.workspace.new_files()?;
        paths.extend(shared.beside.links.all());
        // Of these it is to be found out whether they were removed.
        let known = shared.reader().links()?.into_iter().map(|link| link.path);
        paths.extend(known.filter(|path| !shared.workspace.is_readable(path)));
        let Readable { links, others } = shared.workspace.readable_paths()?;
        links.into_iter().try_for_each(|(path, place)| linking::know_link(&shared, &path, place))?;
        paths.extend(others);
        Ok(paths)
    });
    match paths.await {
        Ok(paths) => paths.iter().filter_map(|path| path.to_str()).for_each(|path| beside.touched(path, now)),
        Err(error) => tracing::error!(%error, "`new/` cannot be read"),
    }
}

/// Gives files that a process that died was about to link their names back. What cannot be done for one is done for the others.
fn finish(shared: &Shared) -> Result<()> {
    let links = shared.reader().links()?;
    for link in links.into_iter().filter(|link| !shared.is_own(&link.path)) {
        if let Err(error) = shared.workspace.give_back(&link.path, now()) {
            tracing::warn!(%error, "a file that was taken in has not its name");
        }
    }
    shared.workspace.give_back_own(now())
}

/// Returns the files of which nobody knows whether they became documents, since a process died or had no answer.
fn doubts(shared: &Shared) -> Result<Vec<(String, Stamp, String)>> {
    if shared.recovered.is_new() {
        // Nobody knows what was begun of any, and a start after this one must not know less.
        for path in shared.workspace.new_files()? {
            if let Ok(Found::File(Local::Text { .. })) = shared.workspace.look_beside(&path) {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                shared.store()?.note_making(&name, "", Some(&path), now())?;
            }
        }
    }
    let mut doubts = Vec::new();
    let makings = shared.reader().makings()?.into_iter();
    // One that was made gets its text by itself.
    for path in makings.filter(|making| making.item.is_none()).filter_map(|making| making.path) {
        if shared.is_in_new(&path)
            && shared.reader().link(&path)?.is_none()
            && let Ok(Found::File(Local::Text { stamp, .. })) = shared.workspace.look_beside(&path)
        {
            let why = "making a document of it did not come to its end, so one may stand in Google Drive, whole or without its \
                       text. Look there; then put this file away, or save it once more to make another one.";
            doubts.extend(path.to_str().map(|path| (path.to_owned(), stamp, why.to_owned())));
        }
    }
    Ok(doubts)
}

/// Looks at a path that is due, and takes in what stands there if it is whole.
async fn look(mirror: &MirrorHandle, beside: &mut Beside, clock: &Clock, path: &str) {
    let (shared, at) = (mirror.shared_arc(), PathBuf::from(path));
    let stands = blocking(move || {
        let stands = stands(&shared, &at)?;
        match stands {
            Stands::Text { .. } => note_base(&shared, &at)?,
            Stands::Nothing => forget_base(&shared, &at)?,
            Stands::Idle if at.is_symlink() => forget_base(&shared, &at)?,
            // It may be between two saves.
            Stands::Idle | Stands::Unusable(_) => {}
        }
        Ok(stands)
    })
    .await;
    let stands = stands.unwrap_or_else(|error| Stands::Unusable(told(&error)));
    match beside.looked(path, stands, clock.now()) {
        Step::Wait => {}
        Step::Gone(seen) => {
            let (shared, at) = (mirror.shared_arc(), PathBuf::from(path));
            let forgotten = blocking(move || linking::miss(&shared, &at, seen));
            if let Err(error) = forgotten.await {
                tracing::warn!(%error, path, "a link that was removed is still known");
            }
        }
        Step::Take(stamp) => {
            let taken = take(mirror, Path::new(path), stamp).await;
            if let Err(not_taken) = &taken {
                tracing::warn!(path, why = not_taken.why, "a file beside the mirrored ones was not taken in");
            }
            beside.done(path, taken, clock.now());
        }
    }
}

fn stands(shared: &Shared, path: &Path) -> Result<Stands> {
    let found = shared.workspace.look_beside(path)?;
    // What somebody put among the readable links, and not in the place of one, is theirs.
    if shared.workspace.is_readable(path)
        && matches!(found, Found::File(_))
        && linking::link_at(shared, path)?.is_none()
    {
        return Ok(Stands::Idle);
    }
    Ok(match found {
        // Where the whole folder is away, as a disk is that was taken out, nobody removed the file.
        Found::Nothing | Found::File(Local::Absent) if !path.parent().is_some_and(Path::is_dir) => Stands::Idle,
        Found::Nothing | Found::File(Local::Absent) => Stands::Nothing,
        Found::Link(place) => {
            linking::know_link(shared, path, place)?;
            Stands::Idle
        }
        // Whatever writes a restless one touches it again.
        Found::File(Local::Restless) => Stands::Idle,
        Found::File(Local::Unusable { notice }) => Stands::Unusable(notice.to_string()),
        Found::File(Local::Text { text, .. }) if mebdf::body(&text).trim().is_empty() => Stands::Idle,
        Found::File(Local::Text { text, .. }) if is_half_merged_new(shared, path, &text)? => Stands::Unusable(
            "the marks of an unfinished merge stand in it, so no document is made of it; choose one of the texts between them, \
             and save it"
                .into(),
        ),
        Found::File(Local::Text { stamp, .. }) => Stands::Text { stamp, open: shared.workspace.is_open(path, now()) },
    })
}

/// Tells whether a text is to become a document that has the marks of an unfinished merge. Where a link stood it is an edit, which
/// waits for them like any other.
fn is_half_merged_new(shared: &Shared, path: &Path, text: &str) -> Result<bool> {
    Ok(shared.is_in_new(path) && is_half_merged(text) && shared.reader().link(path)?.is_none())
}

/// Takes in a file: as an edit of the item to which a link led from there, or as a new item.
async fn take(mirror: &MirrorHandle, path: &Path, stamp: Stamp) -> Result<(), NotTaken> {
    let (shared, at) = (mirror.shared_arc(), path.to_owned());
    let read = blocking(move || Ok(text_of(&shared, &at, stamp)?.zip(Some(linking::link_at(&shared, &at)?))));
    let Some((text, link)) = read.await.map_err(|error| later(&error))? else { return Err(saved_meanwhile()) };
    let is_in_new = mirror.shared().is_in_new(path);
    let adopted = match link {
        Some(link) => adopt(mirror, link, stamp, &text).await.map_err(|error| later(&error))?,
        None => Adopted::Forgotten,
    };
    let why = match adopted {
        Adopted::Linked => return Ok(()),
        Adopted::Moved => return Err(saved_meanwhile()),
        Adopted::Forgotten | Adopted::Foreign(_) if is_in_new => return make(mirror, path, stamp, text).await,
        Adopted::Forgotten => {
            "a link stood here to a document that is not mirrored any more, so this file is nothing but a file"
                .to_owned()
        }
        Adopted::Foreign(target) => format!(
            "a link to {} stood here, and this file has little in common with that, so it is not taken for an edit; put it \
             elsewhere, or make the edit in the mirrored file",
            target.display()
        ),
    };
    Err(NotTaken { why, again: false, soon: false, made: false })
}

/// Makes an item of a file in `new/`, and puts a link to its file there.
async fn make(mirror: &MirrorHandle, path: &Path, stamp: Stamp, text: String) -> Result<(), NotTaken> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let named = mebdf::head(&text).and_then(|head| head.entries.into_iter().find(|(key, _)| key == "title"));
    let title =
        named.map(|(_, title)| title).filter(|title| !title.trim().is_empty()).unwrap_or_else(|| stem.to_owned());
    let Made { number, item, text: filled, whole, read } = mirror.make_of_file(&title, &text, path).await?;
    // What somebody wrote into it first stays as it is, whatever the file says by now.
    let is_made_of_it = !whole || filled == text;
    let made_of = Some(ContentHash::of(if whole { filled.as_bytes() } else { text.as_bytes() }));
    let (shared, at) = (mirror.shared_arc(), path.to_owned());
    let link = Link { path: at.clone(), item: item.clone(), part: PartId::default(), made_of };
    let noting = link.clone();
    let noted = blocking(move || shared.store()?.note_filled(number, &noting, now()));
    noted.await.map_err(|error| not_linked(&item, &error, true))?;
    crash_point("after_making_of_file");
    let report = read.map_err(|error| not_linked(&item, &error, true))?;
    mirror.shared().beside.tell(path, &report.notices);
    let linked = if is_made_of_it {
        let (shared, place) = (mirror.shared_arc(), Place::file(&item, &PartId::default()));
        let told = (!whole).then(|| item.clone());
        blocking(move || keep_and_link(&shared, &at, (stamp, &text), &place, told.as_ref())).await
    } else {
        adopt(mirror, link, stamp, &text).await
    };
    match linked.map_err(|error| not_linked(&item, &error, true))? {
        Adopted::Linked => Ok(()),
        // What was saved meanwhile is an edit of it.
        Adopted::Moved | Adopted::Foreign(_) | Adopted::Forgotten => Err(saved_meanwhile()),
    }
}

/// Reads the text of a file; `None` when it is not the one with this stamp any more.
fn text_of(shared: &Shared, path: &Path, stamp: Stamp) -> Result<Option<String>> {
    Ok(match shared.workspace.look_beside(path)? {
        Found::File(Local::Text { stamp: now, text, .. }) if now == stamp => Some(text),
        Found::File(_) | Found::Nothing | Found::Link(_) => None,
    })
}

fn saved_meanwhile() -> NotTaken {
    NotTaken {
        why: "it, or the file to which its link led, is being saved".into(),
        again: true,
        soon: true,
        made: false,
    }
}

/// Of what went wrong before anything was asked: it may pass.
fn later(error: &Error) -> NotTaken {
    NotTaken { why: told(error), again: true, soon: false, made: false }
}

/// Of what went wrong after an item was made: that it was.
fn not_linked(item: &ItemId, error: &Error, again: bool) -> NotTaken {
    let why = format!("it became the document {item}, but no link stands here yet: {}", told(error));
    NotTaken { why, again, soon: false, made: true }
}

fn told(error: &Error) -> String {
    format!("{}. {}", error.with_causes().trim_end_matches('.'), error.suggestion())
}

fn now() -> Millis {
    Millis(system_ms())
}
