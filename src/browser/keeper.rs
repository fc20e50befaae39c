//! Keeps one browser with one page for as long as somebody uses it, and some time beyond.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex as Lock, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::error::Result;
use super::{Browser, Launch, Page};

/// What can be opened and kept; a test keeps something else than a browser.
pub trait Opens: Send + Sync + 'static {
    /// What is kept open.
    type Open: Send + Sync + 'static;

    /// Opens it.
    fn open(&self) -> impl Future<Output = Result<Self::Open>> + Send;

    /// Tells whether it can still be used.
    fn is_usable(&self, open: &Self::Open) -> bool;

    /// Closes it, and returns when nothing of it is left. Some may still hold it; nothing works for them any more.
    fn close(&self, open: &Self::Open) -> impl Future<Output = ()> + Send;
}

/// Opens a browser with a page.
#[derive(Debug)]
pub struct Chromium(pub Launch);

/// A browser and its page.
#[derive(Debug)]
pub struct Kept {
    browser: Lock<Option<Browser>>,
    page: Page,
}

/// Keeps a browser: started when it is first asked for, closed when nobody has used it for a while, started anew after a crash.
///
/// A clone keeps the same one. When the last is dropped the browser is ended in the background.
pub struct Keeper<O: Opens = Chromium> {
    inner: Arc<Inner<O>>,
}

/// The right to use what is kept: while there is one it is not closed for being idle.
pub struct Lease<O: Opens = Chromium> {
    open: Arc<O::Open>,
    inner: Arc<Inner<O>>,
}

struct Inner<O: Opens> {
    opens: O,
    idle: Duration,
    /// Held while something is opened, closed or given out, so that there is never a second one.
    turn: Mutex<()>,
    now: Lock<Now<O::Open>>,
}

/// What is kept now, and who uses it.
struct Now<T> {
    open: Option<Arc<T>>,
    leases: usize,
    last_used: Instant,
}

impl Keeper<Chromium> {
    /// Keeps what `launch` starts, and closes it when nobody has used it for `idle`.
    #[must_use]
    pub fn new(launch: Launch, idle: Duration) -> Self {
        Self::of(Chromium(launch), idle)
    }

    /// Returns the page, and starts the browser for it when none runs, or the one that ran has crashed.
    ///
    /// # Errors
    ///
    /// As [`Launch::start`] and [`Browser::page`].
    pub async fn page(&self) -> Result<Lease> {
        self.lease().await
    }
}

impl<O: Opens> Keeper<O> {
    /// Keeps what `opens` opens, and closes it when nobody has used it for `idle`.
    #[must_use]
    pub fn of(opens: O, idle: Duration) -> Self {
        let now = Now { open: None, leases: 0, last_used: Instant::now() };
        Self { inner: Arc::new(Inner { opens, idle, turn: Mutex::new(()), now: Lock::new(now) }) }
    }

    /// Tells whether something is open and can be used.
    #[must_use]
    pub fn is_running(&self) -> bool {
        let open = self.inner.now().open.clone();
        open.is_some_and(|open| self.inner.opens.is_usable(&open))
    }

    /// Returns what is kept, and opens it when it is not open or cannot be used any more. Several may use it at once.
    ///
    /// # Errors
    ///
    /// As what opens it.
    pub async fn lease(&self) -> Result<Lease<O>> {
        let inner = &self.inner;
        let _turn = inner.turn.lock().await;
        let open = inner.now().open.clone();
        let open = match open {
            Some(open) if inner.opens.is_usable(&open) => open,
            broken => {
                inner.now().open = None;
                // What is broken has the profile yet.
                if let Some(broken) = broken {
                    inner.opens.close(&broken).await;
                }
                let open = Arc::new(inner.opens.open().await?);
                let mut now = inner.now();
                now.open = Some(Arc::clone(&open));
                now.last_used = Instant::now();
                drop(now);
                tokio::spawn(close_when_idle(Arc::downgrade(inner), Arc::downgrade(&open)));
                open
            }
        };
        inner.now().leases += 1;
        Ok(Lease { open, inner: Arc::clone(inner) })
    }

    /// Closes what is open, whoever uses it, and returns when nothing of it is left. Who asks later opens it anew.
    pub async fn close(&self) {
        let _turn = self.inner.turn.lock().await;
        let open = self.inner.now().open.take();
        if let Some(open) = open {
            self.inner.opens.close(&open).await;
        }
    }
}

/// Closes one that was opened once nobody has used it for long enough.
async fn close_when_idle<O: Opens>(inner: Weak<Inner<O>>, one: Weak<O::Open>) {
    loop {
        let Some(due) = inner.upgrade().map(|inner| inner.due()) else { return };
        tokio::time::sleep_until(due).await;
        let Some(inner) = inner.upgrade() else { return };
        let _turn = inner.turn.lock().await;
        let idle = {
            let mut now = inner.now();
            // Another may have taken its place, or none.
            let is_it = now.open.as_ref().is_some_and(|open| std::ptr::eq(Arc::as_ptr(open), one.as_ptr()));
            if !is_it {
                return;
            }
            let is_idle = now.leases == 0 && now.last_used + inner.idle <= Instant::now();
            is_idle.then(|| now.open.take()).flatten()
        };
        if let Some(open) = idle {
            inner.opens.close(&open).await;
            return;
        }
    }
}

impl<O: Opens> Inner<O> {
    fn now(&self) -> MutexGuard<'_, Now<O::Open>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when it is to be looked at next.
    fn due(&self) -> Instant {
        let now = self.now();
        if now.leases > 0 { Instant::now() + self.idle } else { now.last_used + self.idle }
    }
}

impl Opens for Chromium {
    type Open = Kept;

    async fn open(&self) -> Result<Kept> {
        let browser = self.0.start().await?;
        let page = browser.page().await?;
        Ok(Kept { browser: Lock::new(Some(browser)), page })
    }

    fn is_usable(&self, open: &Kept) -> bool {
        open.page.is_open() && open.browser().as_ref().is_some_and(Browser::is_running)
    }

    async fn close(&self, open: &Kept) {
        let browser = open.browser().take();
        if let Some(browser) = browser {
            browser.close().await;
        }
    }
}

impl Kept {
    fn browser(&self) -> MutexGuard<'_, Option<Browser>> {
        self.browser.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease<Chromium> {
    /// Returns the number of the browser's process.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.open.browser().as_ref().and_then(Browser::process_id)
    }
}

impl Deref for Lease<Chromium> {
    type Target = Page;

    fn deref(&self) -> &Page {
        &self.open.page
    }
}

impl<O: Opens> Drop for Lease<O> {
    fn drop(&mut self) {
        let mut now = self.inner.now();
        now.leases = now.leases.saturating_sub(1);
        now.last_used = Instant::now();
    }
}

impl<O: Opens> Clone for Keeper<O> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<O: Opens> fmt::Debug for Keeper<O> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Keeper").field("is_running", &self.is_running()).finish_non_exhaustive()
    }
}

impl<O: Opens> fmt::Debug for Lease<O> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lease").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use crate::browser::Error;

    const IDLE: Duration = Duration::from_secs(600);

    #[derive(Default)]
    struct Doors {
        opened: AtomicUsize,
        closed: AtomicUsize,
        stuck: AtomicBool,
    }

    struct Door(AtomicBool);

    impl Opens for Arc<Doors> {
        type Open = Door;

        async fn open(&self) -> Result<Door> {
            if self.stuck.load(Ordering::SeqCst) {
                return Err(Error::Ended { doing: "starting", outcome_unknown: false });
            }
            self.opened.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(Door(AtomicBool::new(true)))
        }

        fn is_usable(&self, door: &Door) -> bool {
            door.0.load(Ordering::SeqCst)
        }

        async fn close(&self, door: &Door) {
            door.0.store(false, Ordering::SeqCst);
            self.closed.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn kept() -> (Arc<Doors>, Keeper<Arc<Doors>>) {
        let doors = Arc::<Doors>::default();
        (Arc::clone(&doors), Keeper::of(doors, IDLE))
    }

    #[track_caller]
    fn check(doors: &Doors, opened: usize, closed: usize) {
        assert_eq!((doors.opened.load(Ordering::SeqCst), doors.closed.load(Ordering::SeqCst)), (opened, closed));
    }

    async fn pass(time: Duration) {
        tokio::time::sleep(time).await;
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_opened_when_asked_for_and_closed_when_idle() {
        let (doors, keeper) = kept();
        check(&doors, 0, 0);
        assert!(!keeper.is_running());
        // Two who ask at once share one.
        let (one, two) = tokio::join!(keeper.lease(), keeper.lease());
        check(&doors, 1, 0);
        drop(one.unwrap());
        pass(IDLE * 3).await;
        check(&doors, 1, 0);
        drop(two.unwrap());
        pass(IDLE - Duration::from_secs(1)).await;
        assert!(keeper.is_running());
        drop(keeper.lease().await.unwrap());
        pass(IDLE - Duration::from_secs(1)).await;
        check(&doors, 1, 0);
        pass(Duration::from_secs(2)).await;
        check(&doors, 1, 1);
        assert!(!keeper.is_running());
        drop(keeper.lease().await.unwrap());
        check(&doors, 2, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn what_broke_is_closed_and_opened_anew() {
        let (doors, keeper) = kept();
        let lease = keeper.lease().await.unwrap();
        lease.open.0.store(false, Ordering::SeqCst);
        assert!(!keeper.is_running());
        let again = keeper.lease().await.unwrap();
        check(&doors, 2, 1);
        drop((lease, again));
        pass(IDLE * 2).await;
        check(&doors, 2, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_opened_is_tried_again() {
        let (doors, keeper) = kept();
        doors.stuck.store(true, Ordering::SeqCst);
        assert!(keeper.lease().await.is_err());
        doors.stuck.store(false, Ordering::SeqCst);
        assert!(keeper.lease().await.is_ok());
        keeper.close().await;
        check(&doors, 1, 1);
        keeper.close().await;
        check(&doors, 1, 1);
    }
}
