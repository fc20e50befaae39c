//! The engine: observations in, decisions out. Pure.
//!
//! One item is in one phase at a time; whatever happens meanwhile waits as a flag. A walk reads the files, reads the
//! remote, merges, pushes what only the file changed, deposits what only the remote changed, and records the new
//! base last. Whatever stops a walk, the next one finds the same differences again, since they are derived from
//! base, local and remote and never stored as work; only a push that was begun is.

mod accepted;
mod align;
mod alike;
mod alone;
mod arrival;
pub mod backoff;
mod beside;
mod blind;
mod carried;
mod choice;
mod command;
mod conflict;
mod counts;
mod deposit;
mod effect;
mod ending;
mod engine;
mod event;
mod feed;
mod head;
pub mod hold;
mod holding;
mod hunks;
mod intent;
mod item;
mod lines;
mod loaded;
pub mod merge;
mod moved;
mod named;
mod numbers;
mod older;
mod order;
mod parts;
mod polling;
mod presence;
mod progress;
mod push;
pub mod quota;
mod readings;
mod request;
mod rows;
mod run;
mod saves;
mod seldom;
mod settle;
mod sides;
mod spelling;
mod stale;
mod standing;
mod status;
#[cfg(test)]
mod tests;
mod told;
mod undo;
mod unknown;
mod walk;
mod weave;
mod went;
mod within;
mod words;

pub use accepted::RELEASED;
pub use arrival::Arrival;
pub use beside::{Beside, NotTaken, Stands, Step, is_half_merged, stands_still, with_head_of};
pub use blind::Blind;
pub use choice::GIVEN_UP;
pub use conflict::{SectionConflict, conflict_text, in_conflict, section_name};
pub use effect::{Effect, JobEnd, Record, RecordPart};
pub use engine::{Engine, PAUSED};
pub use event::{
    Event, Failure, FailureClass, Feed, JobId, Local, NotDone, Observation, Planned, Posted, Remote, Touch,
};
pub use feed::HALTED;
pub use intent::Intent;
pub use lines::lines_of_file;
pub use loaded::{Loaded, OpenJob, Row, RowPart, Settings};
pub use merge::{Merged, is_edited, merge3, same_meaning};
pub use request::{Answer, Command, RequestId, Side};
pub use saves::{Saves, Target, When, arrivals_between, of_two_saves};
pub use settle::END_MS;
pub use status::{ItemStatus, PartStatus, SHOWN_LATER, Status, Trouble};
pub use told::Told;
pub use undo::Undone;
pub use words::Words;
