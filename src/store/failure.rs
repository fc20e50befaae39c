//! What it means when a database cannot be opened.

use std::path::Path;

use rusqlite_migration::{MigrationDefinitionError, SchemaVersionError};

use crate::error::Error;

/// Why a database cannot be opened.
#[derive(Debug)]
pub(super) enum Failure {
    /// What stands there is no database, or a broken one; SQLite's words.
    Damaged(String),
    /// Anything else: trying again may help, or a person must.
    Other(Error),
}

impl Failure {
    /// Returns the error of who does not put a damaged database aside.
    pub(super) fn error(self, path: &Path) -> Error {
        match self {
            Self::Other(error) => error,
            Self::Damaged(reason) => Error::InvalidInput {
                what: format!("the state database {} is damaged: {reason}", path.display()),
                suggestion:
                    "Start the daemon: it puts the database aside and compares your files with the documents anew."
                        .into(),
            },
        }
    }
}

/// Tells whether what stands in a database is broken, or none.
pub(super) fn is_damage(source: &rusqlite::Error) -> bool {
    let codes = [rusqlite::ErrorCode::NotADatabase, rusqlite::ErrorCode::DatabaseCorrupt];
    source.sqlite_error_code().is_some_and(|code| codes.contains(&code))
}

/// Tells a damaged database from other failures.
pub(super) fn opening(source: rusqlite::Error) -> Failure {
    match is_damage(&source) {
        true => Failure::Damaged(source.to_string()),
        false => Failure::Other(Error::Storage { doing: "opening", source: Box::new(source) }),
    }
}

/// Tells a database of a newer program from other failures.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the errors are another crate's, and all but these are the same here"
)]
pub(super) fn migrating(path: &Path, source: rusqlite_migration::Error) -> Failure {
    match source {
        rusqlite_migration::Error::MigrationDefinition(MigrationDefinitionError::DatabaseTooFarAhead)
        | rusqlite_migration::Error::SpecifiedSchemaVersion(SchemaVersionError::TargetVersionOutOfRange { .. }) => {
            Failure::Other(Error::InvalidInput {
                what: format!("the state database {} was written by a newer mcp-workspace", path.display()),
                suggestion: "Update mcp-workspace, or start it with another --home.".into(),
            })
        }
        rusqlite_migration::Error::RusqliteError { err, .. } => opening(err),
        other => Failure::Other(Error::Storage { doing: "bringing the tables up to date", source: Box::new(other) }),
    }
}
