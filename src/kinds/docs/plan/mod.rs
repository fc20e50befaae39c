//! How an edit of the text becomes requests, in stages, each tried on the model. Pure.

mod align;
mod anchors;
mod blocks;
mod carried;
mod creation;
mod edit;
mod endings;
mod footnotes;
mod gap;
mod head;
mod images;
mod joins;
mod less;
mod lists;
mod moves;
mod newlines;
mod objects;
mod paragraphs;
mod part;
mod pieces;
mod planner;
mod properties;
mod restyle;
mod rows;
mod seats;
mod tables;
mod told;
mod trial;
mod verify;
mod window;
mod words;

pub(super) use creation::{create_plan, try_creation};
pub(super) use head::bad_title;
pub(super) use images::named_files;
pub(super) use part::plan_part;
pub(super) use window::{Source, plan};
