//! Notebooks of NotebookLM ("Gemini Notebook").
//!
//! The personal product has no published interface. What is asked of it is what its own page asks, from inside a page of the
//! person's own browser, so that no cookie ever leaves that; `personal` knows what to ask and what came of it, a [`Transport`] how
//! a request gets there.
//!
//! **Invariant:** nothing that makes something new, or costs part of a quota, is sent twice by itself.

mod failure;
mod in_page;
mod own_browser;
mod personal;
mod service;
mod transport;

pub use in_page::InPage;
pub use own_browser::OwnBrowser;
pub use personal::{Personal, Settings};
pub use service::{Service, SignedIn};
pub use transport::{Head, Opened, Pieces, Sent, Transport};
