//! What can go wrong in a tool of this profile, as its clients know it.

use serde_json::{Value, json};

use super::exports::Lacking;
use crate::error::{Error, ErrorKind};
use crate::kinds::CommentPlace;
use crate::model::Notice;
use crate::sync::SectionConflict;
use crate::tools::host::PushReport;
use crate::tools::verbs::excerpt;

/// A tool's answer.
pub(in crate::tools) type Outcome = Result<Value, Failure>;

/// Why a tool did not do what it was asked for.
#[derive(Debug)]
pub(in crate::tools) enum Failure {
    /// What went wrong below.
    Of(Error),
    /// The edit could not be pushed, and is taken back.
    NotMade(Error),
    /// Which of several tabs is meant was not said.
    MultipleTabs {
        /// The document.
        document: String,
        /// Its tabs, with their titles.
        tabs: Vec<String>,
    },
    /// The comment that was named stands in no section of the tab.
    NoSection {
        /// Its id.
        comment: String,
        /// The tab.
        tab: String,
        /// Where it stands.
        place: CommentPlace,
    },
    /// The text holds forms that are none.
    Malformed(Vec<Notice>),
    /// The text names objects that the tab does not have.
    NoSuchObject {
        /// Their ids.
        objects: Vec<String>,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The client's text changes what others changed since it was given that.
    Changed(Vec<SectionConflict>),
    /// The client's text lacks a piece as one that was cut on its way to it does.
    Lacks(Lacking),
    /// The edit stands in the file and waits there.
    Waits(Box<PushReport>),
    /// The file was saved again and again meanwhile.
    Restless,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Of(error)
    }
}

impl Failure {
    /// Returns the JSON that a client gets.
    pub(in crate::tools) fn to_value(&self) -> Value {
        match self {
            Self::Of(error) => {
                let (kind, suggestion) = of(error);
                shown(kind, &error.with_causes(), &suggestion.map_or_else(|| error.suggestion(), str::to_owned))
            }
            Self::NotMade(error) => {
                shown(of(error).0, &format!("the edit was not made: {}", error.with_causes()), &once_more(error))
            }
            Self::MultipleTabs { document, tabs } => shown(
                "MultipleTabsError",
                &format!("`{document}` has {} tabs and no tab_id is given: {}", tabs.len(), tabs.join(", ")),
                "Give the tab_id of one of them; get_metadata lists them.",
            ),
            Self::NoSection { comment, tab, place } => {
                let (why, suggestion) = elsewhere(place, tab);
                shown("AnchorNotFoundError", &format!("the comment `{comment}` {why}"), &suggestion)
            }
            Self::Malformed(notices) => {
                let said: Vec<String> = notices.iter().take(NOTICES_MAX).map(ToString::to_string).collect();
                shown(
                    "MebdfParseError",
                    &said.join("; "),
                    "Check the form in the resource workspace://docs/mebdf; a literal brace is written \\{. Nothing was changed.",
                )
            }
            Self::NoSuchObject { objects, known } => {
                let there =
                    if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
                shown(
                    "EmbeddedObjectNotFoundError",
                    &format!("the tab has no object {}; {there}", objects.join(", ")),
                    "Keep the placeholders of the export as they are: an object id must exist in the document. Nothing was changed.",
                )
            }
            Self::Changed(conflicts) => changed(conflicts),
            Self::Lacks(piece) => lacks(piece),
            Self::Waits(report) => waits(report),
            Self::Restless => shown(
                "NetworkError",
                "the file was saved again and again while it was to be edited",
                "Try again in a moment; nothing was changed.",
            ),
        }
    }
}

/// Says why a comment names no section of a tab, and what to do.
fn elsewhere(place: &CommentPlace, tab: &str) -> (String, String) {
    match place {
        CommentPlace::Section { tab_id, tab_title, .. } => (
            format!("stands in the tab {tab_id} \"{}\", not in {tab}", excerpt(tab_title)),
            format!("Give the tab_id {tab_id} and the same anchor_id."),
        ),
        CommentPlace::Apart(part) => (
            format!("stands in {part}, which is in no section"),
            "Call get_hierarchy to see the sections there are; a footnote comes with the section that points to it."
                .into(),
        ),
        CommentPlace::Several(places) => (
            format!("was made on words that stand in {places} places, and nothing tells which of them is meant"),
            "Call get_hierarchy, and give the anchor_id of the section that you mean.".into(),
        ),
        CommentPlace::Whole => (
            "is about the document as a whole, so it stands in no section".into(),
            "Call export_tab for all of a tab, or get_hierarchy to see the sections there are.".into(),
        ),
        CommentPlace::Lost => {
            ("was made on words that are not in the document any more".into(), SEE_HIERARCHY.to_owned())
        }
        CommentPlace::Resolved => {
            ("is resolved, and only an open one names a section".into(), SEE_HIERARCHY.to_owned())
        }
    }
}

/// Writes what both sides changed.
fn changed(conflicts: &[SectionConflict]) -> Value {
    let where_from = |conflict: &SectionConflict| {
        let place = if conflict.heading.is_empty() { "before the first heading" } else { &conflict.heading };
        match conflict.theirs.trim() {
            "" => format!("\"{}\", where it is gone", excerpt(place)),
            theirs => format!("\"{}\", where it says now: {}", excerpt(place), excerpt(theirs)),
        }
    };
    let said: Vec<String> = conflicts.iter().take(NOTICES_MAX).map(where_from).collect();
    shown(
        "EditConflictError",
        &format!("others changed since your export what your text changes, too: {}", said.join("; ")),
        "Export it again, make your change in that, and import it. Nothing was changed.",
    )
}

/// Writes what a text lacks.
fn lacks(piece: &Lacking) -> Value {
    shown(
        "InvalidInputError",
        &format!(
            "`content` lacks {} bytes in one piece, which begin with: {}; it looks cut, as clients do with long texts, not edited",
            piece.bytes,
            excerpt(&piece.from)
        ),
        "Export the section that you change with export_section, and import that alone. To take out so much, import the section that \
         it stands in without it, or take it out in smaller pieces. Nothing was changed.",
    )
}

/// Writes why an edit waits.
fn waits(report: &PushReport) -> Value {
    let (kind, suggestion) = match (report.holds.is_empty(), report.refused.is_empty()) {
        (false, _) if report.unsaved => (
            "EditHeldError",
            "The person sends the earlier edit with `mcp-workspace push --accept FILE`, or you export again and import that with what it took away; then import this again.",
        ),
        (false, _) => (
            "EditHeldError",
            "It stands in the file and waits: the person sends it with `mcp-workspace push --accept FILE`, or you import a text that keeps what is there.",
        ),
        (true, false) if is_read_only(report) => ("PermissionDeniedError", ASK_OWNER),
        (true, false) => (
            "EditRefusedError",
            "It stands in the file alone. Export the section again and leave what is read-only as it is.",
        ),
        (true, true) => (
            "EditConflictError",
            "Both sides changed the same words: the file holds yours, the conflict file beside it all three texts. The person settles it with `mcp-workspace resolve FILE --mine` or `--theirs`.",
        ),
    };
    let why = report.holds.iter().chain(&report.refused).take(NOTICES_MAX);
    let why: Vec<String> = why.map(ToString::to_string).collect();
    let what = match report.unsaved {
        true => "nothing was imported, since an earlier edit of the file waits for the person",
        false => &report.message,
    };
    let message = if why.is_empty() { what.to_owned() } else { format!("{what}: {}", why.join("; ")) };
    shown(kind, &format!("{message} ({})", report.path.display()), suggestion)
}

/// Tells whether all that was refused was so since the account may only read.
pub(in crate::tools) fn is_read_only(report: &PushReport) -> bool {
    !report.refused.is_empty() && report.refused.iter().all(|notice| notice.code == "READ_ONLY")
}

/// So many notices are told in an error.
const NOTICES_MAX: usize = 5;

/// Writes an error.
pub(super) fn shown(kind: &str, message: &str, suggestion: &str) -> Value {
    json!({ "success": false, "error": { "type": kind, "message": message, "suggestion": suggestion } })
}

/// What to do about an id that names nothing.
const VERIFY_ID: &str =
    "Verify the document id: it is the part of the URL between /d/ and /edit. The account must be able to open it.";
/// What to do where the account may not.
const ASK_OWNER: &str = "Ask the owner for access, or use an account that has it.";
/// What to do about an anchor that stands nowhere.
const SEE_HIERARCHY: &str =
    "Call get_hierarchy to see the anchors there are; an empty anchor_id is what stands before the first heading.";

/// What to do after an edit that was taken back.
fn once_more(error: &Error) -> String {
    match error.kind() {
        ErrorKind::AuthExpired => {
            "The person signs in again; then make the same call again. Nothing was changed.".into()
        }
        ErrorKind::NetworkError | ErrorKind::StaleRevision | ErrorKind::Daemon => {
            "Make the same call again in a moment. If the edit arrived without an answer, it is taken back.".into()
        }
        ErrorKind::Refused => "Make the edit in smaller steps. Nothing was changed.".into(),
        ErrorKind::PermissionDenied
        | ErrorKind::NotFound
        | ErrorKind::RateLimited
        | ErrorKind::ReadOnly
        | ErrorKind::InvalidInput
        | ErrorKind::ExtractionFailed
        | ErrorKind::StorageError => format!("{} Nothing was changed.", error.suggestion()),
    }
}

/// The name of an error, and what to do where this profile knows better than the error itself.
fn of(error: &Error) -> (&'static str, Option<&'static str>) {
    match (error, error.kind()) {
        (Error::AnchorNotFound { .. }, _) => ("AnchorNotFoundError", Some(SEE_HIERARCHY)),
        (Error::TabNotFound { .. }, _) => ("TabNotFoundError", Some("Call get_metadata to see the tabs there are.")),
        (Error::NotFound { .. }, _) => ("DocumentNotFoundError", Some(VERIFY_ID)),
        (_, ErrorKind::NotFound) => ("DocumentNotFoundError", None),
        (_, ErrorKind::PermissionDenied) => ("PermissionDeniedError", Some(ASK_OWNER)),
        (_, ErrorKind::ReadOnly) => ("PermissionDeniedError", None),
        (_, ErrorKind::InvalidInput) => ("InvalidInputError", None),
        (_, ErrorKind::AuthExpired) => ("AuthExpiredError", None),
        (_, ErrorKind::RateLimited) => ("RateLimitError", None),
        (_, ErrorKind::NetworkError | ErrorKind::StaleRevision | ErrorKind::Daemon) => ("NetworkError", None),
        (_, ErrorKind::Refused) => ("EditRefusedError", None),
        (_, ErrorKind::ExtractionFailed | ErrorKind::StorageError) => ("InternalError", None),
    }
}
