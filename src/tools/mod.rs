//! The MCP server on the socket, the control socket of the command line, and the bridge that clients start.
//!
//! Everything here speaks to a [`Host`]; nothing here knows how the mirror works.

mod answer;
mod bridge;
mod brief;
mod control;
mod conversation;
mod docs;
mod documentation;
mod found;
mod google_docs;
mod holders;
mod host;
mod lines;
mod mirrored;
mod notebooklm;
mod outline;
mod pipes;
mod profile;
mod reaching;
mod reports;
mod resources;
mod result;
mod schema;
mod searching;
mod server;
mod skill;
mod skim;
mod socket;
mod starting;
mod tabs;
mod transport;
mod turns;
mod verbs;
mod watching;

#[cfg(test)]
mod tests;

pub use answer::ErrorAnswer;
pub use bridge::{bridge, refuse};
pub use control::{
    AnswerProgress, CONTROL_VERSION, Command, ControlOutcome, ControlReply, ControlRequest, serve_control,
};
pub use documentation::GOOGLE_SETUP;
pub use found::{Found, Hit, Search};
pub use host::{
    AccountStatus, CommentAct, CommentReport, DiffReport, DoctorFinding, DoctorReport, Done, Host, ImageReport,
    ItemReport, LogEntry, LogReport, PartReport, PushReport, QueueStatus, QuotaLeft, Side, StatusReport, Told,
    WaitingStatus,
};
pub use mirrored::Mirrors;
pub use notebooklm::{Notebooks, TIMEOUT_VARIABLE, timeout_of};
pub use outline::{OutlineEntry, outline};
pub use pipes::{Input, Output, stdio};
pub use profile::Profile;
pub use reaching::{BridgeOptions, Starter};
pub use server::{Server, serve_mcp};
pub(crate) use socket::read_line;
pub use socket::{
    LINE_BYTES_MAX, bind, connect_is_mine, is_locked, lock_file, open_lock, prepare_run_dir, raise_descriptor_limit,
    remove,
};
pub use turns::Turn;
