//! The enterprise product. The bodies are written after Google's documentation, since no answer is on record.

use serde_json::json;

use crate::error::NotebookFault;
use crate::notebooklm::call::NewSource;
use crate::notebooklm::enterprise::{BadPlace, Place, fault_of_failure, fault_of_status, read_notebooks, read_sources};
use crate::notebooklm::rows::{Failure, Role, SourceKind, Status};

fn place() -> Place {
    Place::new("123", "eu").unwrap()
}

#[test]
fn places() {
    assert_eq!(place().base(), "https://eu-discoveryengine.googleapis.com");
    for (project, location, why) in
        [("my-project", "us", BadPlace::Project), ("", "us", BadPlace::Project), ("1", "us/../x", BadPlace::Location)]
    {
        assert_eq!(Place::new(project, location), Err(why));
    }
}

#[test]
fn requests() {
    let root = "/v1alpha/projects/123/locations/eu/";
    let list = place().list_notebooks(Some("t"));
    assert_eq!((list.method, list.path), ("GET", format!("{root}notebooks:listRecentlyViewed")));
    assert_eq!(list.query, [("pageSize", "500".to_owned()), ("pageToken", "t".to_owned())]);
    assert_eq!(place().get_notebook("a/b").path, format!("{root}notebooks/a%2Fb"));
    let sources = [
        NewSource::Url("https://a.example".into()),
        NewSource::Text { title: "t".into(), text: "x".into() },
        NewSource::YouTube("https://y.example".into()),
    ];
    assert_eq!(
        place().add_sources("n", &sources).body,
        Some(json!({"userContents": [
            {"webContent": {"url": "https://a.example"}},
            {"textContent": {"sourceName": "t", "content": "x"}},
            {"videoContent": {"youtubeUrl": "https://y.example"}},
        ]}))
    );
    let delete = place().delete_notebook("n");
    assert_eq!(delete.body, Some(json!({"names": ["projects/123/locations/eu/notebooks/n"]})));
    let (upload, headers) = place().upload("n", "ä b.pdf");
    assert_eq!(upload.path, "/upload/v1alpha/projects/123/locations/eu/notebooks/n/sources:uploadFile");
    assert_eq!(headers[1].1, "%C3%A4%20b.pdf");
}

#[test]
fn answers() {
    let body = json!({"notebooks": [{
        "name": "projects/1/locations/eu/notebooks/n1",
        "title": "T",
        "emoji": "",
        "metadata": {"userRole": "PROJECT_ROLE_OWNER", "isShared": false, "createTime": "2026-11-06T10:20:30.123456Z",
            "lastViewed": "2026-11-06T12:20:30+02:00"},
        "sources": [
            {"sourceId": {"id": "s1"}, "title": "D", "metadata": {"wordCount": "12",
                "googleDocsMetadata": {"documentId": "d", "revisionId": "r"}}, "settings": {"status": "SOURCE_STATUS_COMPLETE"}},
            {"sourceId": {"id": "s2"}, "settings": {"status": "SOURCE_STATUS_ERROR",
                "failureReason": {"sourceUnreachable": {"errorDetails": "INVALID_URL"}}}},
            {"title": "without an id"},
        ],
        "unknown": [1],
    }], "nextPageToken": "next"});
    let page = read_notebooks(&body.to_string()).unwrap();
    assert_eq!(page.next_page_token.as_deref(), Some("next"));
    let notebook = page.notebooks[0].clone().into_notebook().unwrap();
    assert_eq!((notebook.id.as_str(), notebook.role, &notebook.emoji), ("n1", Some(Role::Owner), &None));
    assert_eq!(notebook.created.unwrap().ms, 1_793_960_430_123);
    assert_eq!(notebook.viewed.unwrap().ms, 1_793_960_430_000);
    assert_eq!((notebook.sources.len(), notebook.odd.len()), (2, 1));
    let [docs, failed] = &notebook.sources[..] else { panic!() };
    assert_eq!((docs.kind, docs.status, docs.words), (SourceKind::GoogleDocs, Status::Ready, Some(12)));
    assert_eq!(docs.revision.as_deref(), Some("r"));
    assert_eq!(fault_of_failure(failed.failure.as_ref().unwrap()), NotebookFault::InvalidUrl);
    assert!(read_notebooks("{\"notebooks\": 1}").is_err());
    assert!(read_sources("{}").unwrap().is_empty());
}

#[test]
fn what_failures_mean() {
    for (reason, detail, kind) in [
        ("sourceUnreachable", Some("ERROR_DETAILS_INVALID_URL"), NotebookFault::InvalidUrl),
        ("sourceUnreachable", Some("URL_NOT_FOUND"), NotebookFault::ProcessingFailed),
        ("domainBlocked", None, NotebookFault::UnsupportedUrl),
        ("sourceTooLong", None, NotebookFault::ContentTooLarge),
        ("sourceLimitExceeded", None, NotebookFault::LimitReached),
        ("newReason", None, NotebookFault::ProcessingFailed),
    ] {
        let failure = Failure::Named { reason: reason.into(), detail: detail.map(str::to_owned) };
        assert_eq!(fault_of_failure(&failure), kind, "{reason}");
    }
    assert_eq!((fault_of_status(200), fault_of_status(401)), (None, Some(NotebookFault::AuthRequired)));
}
