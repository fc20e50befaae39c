//! Google Docs.
