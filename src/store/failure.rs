//! What it means when a database cannot be opened.

use std::path::Path;

use rusqlite_migration::{MigrationDefinitionError, SchemaVersionError};

use crate::error::Error;

/// Tells a damaged database from other failures; only the former asks the person to move the file.
pub(super) fn opening(path: &Path, source: rusqlite::Error) -> Error {
    match source.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => Error::InvalidInput {
            what: format!("the state database {} is damaged", path.display()),
            suggestion: format!(
                "Move {0}, {0}-wal and {0}-shm away and start again, then fetch your items anew; your files stay as they are and an edit in them is kept.",
                path.display()
            ),
        },
        _ => Error::Storage { doing: "opening", source: Box::new(source) },
    }
}

/// Tells a database of a newer program from other failures.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the errors are another crate's, and all but these are the same here"
)]
pub(super) fn migrating(path: &Path, source: rusqlite_migration::Error) -> Error {
    match source {
        rusqlite_migration::Error::MigrationDefinition(MigrationDefinitionError::DatabaseTooFarAhead)
        | rusqlite_migration::Error::SpecifiedSchemaVersion(SchemaVersionError::TargetVersionOutOfRange { .. }) => {
            Error::InvalidInput {
                what: format!("the state database {} was written by a newer mcp-workspace", path.display()),
                suggestion: "Update mcp-workspace, or start it with another --home.".into(),
            }
        }
        rusqlite_migration::Error::RusqliteError { err, .. } => opening(path, err),
        other => Error::Storage { doing: "bringing the tables up to date", source: Box::new(other) },
    }
}
