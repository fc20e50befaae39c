//! The watch over the folder: what it saw becomes what the engine hears.

use std::time::Instant;

use super::{Mirror, adopting, comments, failure};
use crate::error::{Error, Result};
use crate::sync::{END_MS, Event, Failure, Touch};
use crate::workspace::layout::Place;
use crate::workspace::{self, Seen};

impl Mirror {
    pub(super) fn start_watch(&mut self) -> Result<()> {
        self.watch = None;
        self.shared.heard.watched(false);
        self.shared.workspace.mend()?;
        let see = self.shared.see.clone();
        self.watch =
            Some(workspace::watch(self.shared.workspace.layout(), self.shared.beside.links(), move |seen| see(seen))?);
        self.shared.heard.watched(true);
        self.identity = self.shared.workspace.identity();
        Ok(())
    }

    /// Watches the folder; where that cannot be, its files are looked at now and then, and it is tried again.
    pub(super) fn watch_folder(&mut self) {
        self.watch_tried = Instant::now();
        let result = self.start_watch().map_err(|error| unwatched(&error));
        let watches = result.is_ok();
        self.step(Event::Watched(result));
        if watches {
            // What happened before was not seen.
            self.step(Event::Rescan);
            self.look_again();
        }
    }

    /// Looks at what no event of the engine is about, after a time in which nobody watched.
    pub(super) fn look_again(&mut self) {
        self.touch_restless();
        comments::look_at_all(self.shared.clone(), self.sender.clone());
    }

    /// Tells the engine of files that were saved just now, or are being saved, while nobody watched: what they say may be half of
    /// a save. Where nothing is known of what they said, nothing of them is pushed, and what they say is compared at once.
    fn touch_restless(&mut self) {
        if self.shared.recovered.is_new() {
            return;
        }
        let restless = self.shared.workspace.restless_files(self.clock.now(), END_MS).unwrap_or_else(|error| {
            tracing::warn!(%error, "which files are being saved is not known");
            Vec::new()
        });
        for (Place { item, part, .. }, stamp, is_open) in restless {
            let known = self.shared.reader().item(&item).ok().flatten();
            let known = known.and_then(|known| known.parts.into_iter().find(|known| known.part == part)?.stamp);
            if known.is_some_and(|known| known != stamp) {
                let touch = if is_open { Touch::Modified { closes: self.watch.is_some() } } else { Touch::Complete };
                self.step(Event::Touched { item, part, touch });
            }
        }
    }

    pub(super) fn saw(&mut self, seen: Seen) {
        let event = match seen {
            Seen::Touched { item, part, touch } => {
                self.shared.workspace.heard_of(Place::file(&item, &part));
                self.note_stray(&item, &part);
                Event::Touched { item, part, touch }
            }
            Seen::ConflictMissing { item, part } => Event::ConflictMissing { item, part },
            Seen::Comments(item) => return comments::look(self.shared.clone(), self.sender.clone(), item),
            Seen::Beside(path) => {
                self.shared.workspace.link_changed(&path);
                // Until somebody looks there a save of the mirrored file may have been pushed. What is noted too late is forgotten
                // with the look that follows when the link stands again.
                if let Err(error) = adopting::note_base(&self.shared, &path) {
                    tracing::warn!(%error, "what a save in place of a link was made of is not known");
                }
                return self.shared.beside.touch(path);
            }
            Seen::Mark(number) => return self.shared.heard.mark(number),
            Seen::Silence => {
                tracing::warn!("the watcher says nothing any more; the folder is watched anew");
                return self.watch_folder();
            }
            Seen::Rescan if self.shared.workspace.identity() == self.identity => Event::Rescan,
            Seen::Rescan => Event::RootMissing,
        };
        let all = matches!(event, Event::Rescan | Event::RootMissing);
        if all {
            self.shared.workspace.doubt_links();
            self.shared.workspace.doubt_files();
        }
        if let Some(watch) = self.watch.as_mut().filter(|_| matches!(event, Event::Rescan)) {
            watch.watch_again(self.shared.workspace.layout());
        }
        self.step(event);
        if all {
            self.look_again();
            self.shared.beside.touch_all();
            self.shared.heard.all();
        }
    }
}

/// Says why a folder is not watched.
pub(super) fn unwatched(error: &Error) -> Failure {
    tracing::error!(%error, "the folder cannot be watched");
    failure::failure(error)
}
