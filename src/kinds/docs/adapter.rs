//! The API calls of Docs: documents from the Docs API, changes from Drive.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::json;

use super::text::checklist;
use super::wire::{BatchReply, ChangeList, CommentList, DriveComment, DriveFile, GeneratedIds, StartPageToken};
use super::{Access, Boxes, commented, comments, plan, recognize};
use crate::error::{Error, Result};
use crate::gdocs::Document;
use crate::google::{Call, Client, Service};
use crate::kinds::{
    Changes, CommentAct, CommentPlace, Comments, Created, Elements, Facts, Fetched, Filled, Hosted, Image, Kind,
    Listing, Look, NotFilled, Outcome, Pictures, PushPlan, Rename, Restyled, StyleDefinition, Upload,
};
use crate::model::{Cursor, ItemId, KindName, Notice, PartId, Revision};

/// The type of a Doc in Drive.
pub(super) const DOCUMENT_TYPE: &str = "application/vnd.google-apps.document";

/// Pages of the change feed that one poll reads; with a thousand entries each, far more than anybody makes between
/// two polls. What is left is read by the next poll, from the cursor that this one returns.
const MAX_PAGES: usize = 50;

/// The name of a picture while Google Docs fetches it from Drive.
const TEMPORARY_NAME: &str = "A picture on its way into a document (mcp-workspace)";

/// Pages of comments that one fetch reads, a hundred each; more threads than anybody answers.
const MAX_COMMENT_PAGES: usize = 20;

/// What is asked of a comment.
const COMMENT_FIELDS: &str = "nextPageToken,comments(id,content,createdTime,resolved,deleted,anchor,quotedFileContent(value),\
     author(displayName,me),replies(id,content,createdTime,deleted,action,author(displayName,me)))";

/// Google Docs of one account.
#[derive(Debug)]
pub struct Docs {
    pub(super) google: Arc<Client>,
    /// Set when Google does not tell this account's program where comments stand.
    anchors_untold: AtomicBool,
}

impl Docs {
    /// Makes the kind on the account's connection.
    #[must_use]
    pub const fn new(google: Arc<Client>) -> Self {
        Self { google, anchors_untold: AtomicBool::new(false) }
    }

    /// Returns where a person opens a document.
    pub(super) fn url(&self, id: &str) -> String {
        format!("{}/document/d/{id}/edit", self.google.endpoints().pages)
    }

    /// Reads a document with all tabs; suggestions inline where the account may see them, since edits must be based
    /// on that.
    ///
    /// Source: <https://developers.google.com/docs/api/reference/rest/v1/documents#suggestionsviewmode>
    pub(super) async fn read(&self, id: &str, mode: &str) -> Result<Vec<u8>> {
        self.google.send(&reading(id, mode)).await
    }

    /// Reads a document as well as the account may see it: where comments stand, suggestions inline, or neither.
    pub(super) async fn read_all(&self, id: &str) -> Result<Vec<u8>> {
        if !self.anchors_untold.load(Ordering::Relaxed) {
            // Source: <https://developers.google.com/docs/api/reference/rest/v1/documents#commentsviewmode>
            let call = reading(id, "SUGGESTIONS_INLINE").with("commentsViewMode", "COMMENTS_VIEW_MODE_INCLUDED");
            match self.google.send(&call).await {
                // The parameter is younger than the API and not open to every program.
                Err(Error::Refused { message }) => {
                    tracing::debug!(%message, "where comments stand is not told; their words will be looked for");
                    self.anchors_untold.store(true, Ordering::Relaxed);
                }
                Err(Error::PermissionDenied { .. }) => {}
                other => return other,
            }
        }
        match self.read(id, "SUGGESTIONS_INLINE").await {
            // Readers may not see suggestions. They cannot edit either, so the preview is good enough.
            Err(Error::PermissionDenied { .. }) => self.read(id, "DEFAULT_FOR_CURRENT_ACCESS").await,
            other => other,
        }
    }

    /// Reads a document, and which boxes of it are ticked when it has any: only its Markdown export tells.
    ///
    /// The text must not wait for that: where the export fails, the reading says that it lacks it.
    async fn read_whole(&self, id: &str) -> Result<(Vec<u8>, Document, Boxes)> {
        let raw = self.read_all(id).await?;
        let document = super::document(&raw)?;
        if !checklist::has_boxes(&document) {
            return Ok((raw, document, Boxes::NotAsked));
        }
        let boxes = match self.exported(id).await {
            Ok(export) => Boxes::Told(export),
            Err(error) => {
                tracing::warn!(item = %id, %error, "which boxes are ticked could not be read");
                Boxes::Failed { why: error.to_string(), passes: error.retryable() }
            }
        };
        Ok((raw, document, boxes))
    }

    /// Reads a document as Markdown.
    ///
    /// Source: <https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export>
    async fn exported(&self, id: &str) -> Result<Vec<u8>> {
        let path = format!("/drive/v3/files/{id}/export");
        let call = Call::get(Service::Drive, path, id, "reading the ticks of the checklists");
        let export = self.google.send(&call.with("mimeType", "text/markdown")).await?;
        if export.len() > checklist::EXPORT_BYTES_MAX {
            return Err(Error::Refused { message: format!("the export has {} bytes", export.len()) });
        }
        Ok(export)
    }

    /// Reads all comment threads, newest first; tells whether there are more.
    ///
    /// Source: <https://developers.google.com/workspace/drive/api/reference/rest/v3/comments/list>
    async fn threads(&self, id: &str) -> Result<(Vec<DriveComment>, bool)> {
        let mut threads = Vec::new();
        let mut token = String::new();
        for _ in 0..MAX_COMMENT_PAGES {
            let path = format!("/drive/v3/files/{id}/comments");
            let mut call = Call::get(Service::Drive, path, id, "reading the comments")
                .with("pageSize", "100")
                .with("fields", COMMENT_FIELDS);
            if !token.is_empty() {
                call = call.with("pageToken", &token);
            }
            let mut page: CommentList = self.google.json(&call).await?;
            threads.append(&mut page.comments);
            match page.next_page_token.filter(|token| !token.is_empty()) {
                Some(next) => token = next,
                None => return Ok((threads, false)),
            }
        }
        Ok((threads, true))
    }

    /// Reads one comment thread; `None` when there is none of that id.
    ///
    /// Source: <https://developers.google.com/workspace/drive/api/reference/rest/v3/comments/get>
    async fn thread(&self, id: &str, thread: &str) -> Result<Option<DriveComment>> {
        // Anchors have a dot and comments have none, so hardly any wrong anchor is asked for.
        let Ok(thread) = checked(&ItemId(thread.to_owned())).map(str::to_owned) else { return Ok(None) };
        let path = format!("/drive/v3/files/{id}/comments/{thread}");
        let call = Call::get(Service::Drive, path, id, "reading the comment")
            .with("fields", "id,resolved,deleted,anchor,quotedFileContent(value)");
        match self.google.json(&call).await {
            Ok(thread) => Ok(Some(thread)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Tells whether a document is in the trash; one of which that is not told is not.
    ///
    /// Source: <https://developers.google.com/workspace/drive/api/reference/rest/v3/files#File.FIELDS.trashed>
    async fn is_trashed(&self, id: &str) -> bool {
        let call = Call::get(Service::Drive, format!("/drive/v3/files/{id}"), id, "looking for it in the trash")
            .with("supportsAllDrives", "true")
            .with("fields", "trashed");
        let file: Result<DriveFile> = self.google.json(&call).await;
        file.inspect_err(|error| tracing::warn!(item = %id, %error, "whether it is in the trash was not told"))
            .is_ok_and(|file| file.trashed)
    }

    /// Adds one reply to a thread.
    async fn reply(&self, id: &str, thread: &str, act: &CommentAct) -> Result<()> {
        let body = match act {
            CommentAct::Reply(text) => json!({ "content": text }),
            CommentAct::Resolve => json!({ "action": "resolve" }),
            CommentAct::Reopen => json!({ "action": "reopen" }),
        };
        let path = format!("/drive/v3/files/{id}/comments/{thread}/replies");
        let call = Call::post(Service::Drive, path, &body, id, "answering the comment").with("fields", "id");
        self.google.send(&call).await.map(drop)
    }

    /// Sends one batch.
    pub(super) async fn batch(
        &self,
        id: &str,
        revision: &str,
        requests: &[serde_json::Value],
    ) -> Result<Option<Revision>> {
        let body = json!({"requests": requests, "writeControl": {"requiredRevisionId": revision}});
        let path = format!("/v1/documents/{id}:batchUpdate");
        let call = Call::post(Service::Docs, path, &body, id, "pushing the edit");
        let reply: BatchReply = self.google.json(&call).await?;
        Ok(reply.write_control.required_revision_id.map(Revision))
    }

    /// Gives a document its other name, unless it has a third one by now. Tells whether it has the wanted one.
    ///
    /// Drive locks no rename to a revision, so the name is looked at first.
    ///
    /// RACE: somebody may rename the document between the look and the change; their name is lost, and stands in
    /// Drive's history alone.
    async fn rename(&self, id: &str, rename: &Rename) -> Result<bool> {
        let path = format!("/drive/v3/files/{id}");
        let call = Call::get(Service::Drive, path.clone(), id, "reading the document's name")
            .with("supportsAllDrives", "true")
            .with("fields", "name");
        let now: DriveFile = self.google.json(&call).await?;
        if now.name == rename.to || now.name != rename.from {
            return Ok(now.name == rename.to);
        }
        let body = json!({"name": rename.to});
        let call = Call::patch(Service::Drive, path, &body, id, "renaming the document")
            .with("supportsAllDrives", "true")
            .with("fields", "name");
        let now: DriveFile = self.google.json(&call).await?;
        Ok(now.name == rename.to)
    }

    /// Renames after the batch; `landed` tells that there was one.
    async fn rename_after(&self, id: &str, rename: &Rename, landed: bool) -> Result<Option<Outcome>> {
        let failure: crate::error::Source = match self.rename(id, rename).await {
            Ok(true) => return Ok(None),
            Ok(false) if !landed => return Ok(Some(Outcome::Stale)),
            Ok(false) => "the document has another name by now".into(),
            Err(Error::Refused { message } | Error::PermissionDenied { message, .. }) if !landed => {
                return Ok(Some(Outcome::Refused(message)));
            }
            Err(error) if !landed => return Err(error),
            Err(error) => error.into(),
        };
        // The text landed and the name did not, or nobody knows. Looking at the document again tells what is left.
        Err(Error::Network { doing: "renaming the document".into(), outcome_unknown: true, source: failure })
    }

    /// Reads the change feed from a cursor; all pages, at most [`MAX_PAGES`].
    async fn feed(&self, since: &Cursor) -> Result<Changes> {
        let mut token = since.0.clone();
        let mut changed = BTreeSet::new();
        let mut vanished = BTreeSet::new();
        let mut at_end = false;
        for _ in 0..MAX_PAGES {
            let call =
                Call::get(Service::Drive, "/drive/v3/changes".into(), "the change feed", "reading the change feed")
                    .with("pageToken", &token)
                    .with("pageSize", "1000")
                    .with("includeRemoved", "true")
                    .with("supportsAllDrives", "true")
                    .with("includeItemsFromAllDrives", "true")
                    .with("spaces", "drive")
                    .with("fields", "nextPageToken,newStartPageToken,changes(fileId,removed,file(mimeType,trashed))");
            let page: ChangeList = self.google.json(&call).await.map_err(expired_cursor)?;
            for change in page.changes {
                let Some(id) = change.file_id.map(ItemId) else { continue };
                // The feed is in order: the newest word about a file counts.
                if change.removed || change.file.as_ref().is_some_and(|file| file.trashed) {
                    changed.remove(&id);
                    vanished.insert(id);
                } else if change.file.is_none_or(|file| file.mime_type == DOCUMENT_TYPE) {
                    vanished.remove(&id);
                    changed.insert(id);
                }
            }
            at_end = page.next_page_token.is_none();
            match page.next_page_token.or(page.new_start_page_token) {
                Some(next) => token = next,
                None => return Err(strange("reading the change feed", "the change feed named no place to go on from")),
            }
            if at_end {
                break;
            }
        }
        if !at_end {
            tracing::warn!(pages = MAX_PAGES, "the change feed is long; the next poll reads on");
        }
        Ok(Changes {
            changed: changed.into_iter().collect(),
            vanished: vanished.into_iter().collect(),
            cursor: Cursor(token),
        })
    }
}

#[async_trait]
impl Kind for Docs {
    fn name(&self) -> KindName {
        KindName::Docs
    }

    fn recognize(&self, id_or_url: &str) -> Option<ItemId> {
        recognize::item(id_or_url)
    }

    async fn changes(&self, since: Option<&Cursor>) -> Result<Changes> {
        if let Some(since) = since {
            return self.feed(since).await;
        }
        let path = "/drive/v3/changes/startPageToken".into();
        let call = Call::get(Service::Drive, path, "the change feed", "finding the end of the change feed")
            .with("supportsAllDrives", "true");
        let start: StartPageToken = self.google.json(&call).await?;
        Ok(Changes { changed: Vec::new(), vanished: Vec::new(), cursor: Cursor(start.start_page_token) })
    }

    async fn fetch(&self, id: &ItemId, may_be_trashed: bool) -> Result<Fetched> {
        let id = checked(id)?;
        let trashed = async { may_be_trashed && self.is_trashed(id).await };
        let (read, threads, trashed) = tokio::join!(self.read_whole(id), self.threads(id), trashed);
        let (raw, document, boxes) = read?;
        if trashed {
            return Err(Error::Trashed { id: id.to_owned() });
        }
        let url = self.url(id);
        let mut unread = None;
        // Google tells the revision to editors alone; without one there is no lock, hence no edit.
        let mut fetched = super::read_with(raw, document, Access::Edit, &url, &boxes, |document| match &threads {
            Ok((threads, more)) => {
                let shown = comments::render(document, &url, threads, *more);
                comments::tie(document, threads);
                shown.map_or(Comments::None, Comments::Open)
            }
            // The text is here and must not wait for what is said about it.
            Err(error) => {
                unread = Some(error.to_string());
                if error.retryable() { Comments::Later } else { Comments::Unread }
            }
        });
        if let (Some(why), Some(main)) = (unread, fetched.parts.first_mut()) {
            tracing::warn!(item = %id, %why, "the comments could not be read");
            let message = format!("the comments could not be read: {why}");
            main.warnings.push(Notice { code: "COMMENTS_UNREAD".into(), line: 0, column: 0, message });
        }
        Ok(fetched)
    }

    async fn list(&self, query: &str, limit: usize) -> Result<Listing> {
        self.listing(query, limit).await
    }

    async fn search(&self, query: &str, limit: usize) -> Result<Listing> {
        self.found(query, limit).await
    }

    async fn facts(&self, id: &ItemId) -> Result<Facts> {
        self.facts_of(id).await
    }

    async fn styles(&self, id: &ItemId, tab: &str) -> Result<Vec<StyleDefinition>> {
        self.styles_of(id, tab).await
    }

    async fn restyle(&self, id: &ItemId, tab: &str, styles: &[StyleDefinition]) -> Result<Restyled> {
        self.set_styles(id, tab, styles).await
    }

    async fn raw(&self, id: &ItemId) -> Result<serde_json::Value> {
        self.as_answered(id).await
    }

    async fn elements(&self, id: &ItemId, tab: &str) -> Result<Elements> {
        self.elements_of(id, tab).await
    }

    async fn dress(&self, id: &ItemId, tab: &str, range: (u32, u32), look: &Look) -> Result<Vec<String>> {
        self.set_look(id, tab, range, look).await
    }

    /// Source: <https://developers.google.com/workspace/drive/api/guides/delete>
    async fn trash(&self, id: &ItemId) -> Result<()> {
        let id = checked(id)?;
        let body = json!({"trashed": true});
        let call = Call::patch(Service::Drive, format!("/drive/v3/files/{id}"), &body, id, "trashing the document")
            .with("supportsAllDrives", "true")
            .with("fields", "id");
        self.google.send(&call).await.map(drop)
    }

    async fn place_of_comment(&self, id: &ItemId, thread: &str) -> Result<Option<CommentPlace>> {
        let id = checked(id)?;
        let Some(thread) = self.thread(id, thread).await? else { return Ok(None) };
        let document = super::document(&self.read_all(id).await?)?;
        Ok(Some(commented::section_of(&document, &thread)))
    }

    async fn comment(&self, id: &ItemId, thread: &str, act: &CommentAct) -> Result<()> {
        let id = checked(id)?;
        let (threads, _) = self.threads(id).await?;
        let found = comments::answerable(&threads, thread, act)?;
        // An id that Google gave, but it becomes a part of a path.
        checked(&ItemId(found.id.clone()))?;
        match self.reply(id, &found.id, act).await {
            Err(error @ Error::Network { outcome_unknown: true, .. }) => {
                // Nobody says whether it was heard, so it is looked up and never said twice.
                let Ok((now, _)) = self.threads(id).await else { return Err(error) };
                if comments::was_said(found, &now, act) { Ok(()) } else { Err(error) }
            }
            Err(error @ Error::Refused { .. }) => Err(comments::refused(&error, act)),
            other => other,
        }
    }

    fn recall(&self, fetched: Fetched, known: &[(PartId, String)]) -> Fetched {
        super::recalled(fetched, known)
    }

    fn keep_main(&self, fetched: Fetched, main: &str) -> Fetched {
        super::keep_main(fetched, main)
    }

    fn adopt_main(&self, fetched: Fetched, text: &str, others: &[PartId]) -> Fetched {
        super::adopt_main(fetched, text, others)
    }

    async fn image(&self, image: &Image, bytes_max: usize) -> Result<Vec<u8>> {
        self.google.content(&image.address, bytes_max, "reading a picture").await
    }

    fn plan(&self, remote: &Fetched, part: &PartId, desired: &str, accept: bool) -> Result<PushPlan> {
        plan(remote, part, desired, accept)
    }

    fn named_pictures(&self, desired: &str) -> Vec<String> {
        plan::named_files(desired)
    }

    fn plan_with(
        &self,
        remote: &Fetched,
        part: &PartId,
        desired: &str,
        accept: bool,
        pictures: &Pictures,
    ) -> Result<PushPlan> {
        super::plan_with(remote, part, desired, accept, pictures)
    }

    async fn reserve(&self) -> Result<String> {
        let path = "/drive/v3/files/generateIds".into();
        let call = Call::get(Service::Drive, path, "a new file", "reserving the id of a file")
            .with("count", "1")
            .with("space", "drive")
            .with("type", "files");
        let ids: GeneratedIds = self.google.json(&call).await?;
        ids.ids.into_iter().next().ok_or_else(|| strange("reserving the id of a file", "no id was reserved"))
    }

    async fn host(&self, upload: Upload<'_>) -> Result<String> {
        let Upload { id, media_type, bytes } = upload;
        let metadata = json!({"id": id, "name": TEMPORARY_NAME, "mimeType": media_type});
        let call = Call::post(Service::Drive, "/upload/drive/v3/files".into(), &metadata, id, "uploading a picture")
            .with_media(media_type, bytes)
            .with("uploadType", "multipart")
            .with("fields", "id,name,webContentLink");
        let file: DriveFile = self.google.json(&call).await?;
        let body = json!({"type": "anyone", "role": "reader"});
        let path = format!("/drive/v3/files/{id}/permissions");
        let call = Call::post(Service::Drive, path, &body, id, "sharing the picture with Google Docs");
        self.google.send(&call).await?;
        file.web_content_link.ok_or_else(|| strange("uploading a picture", "an uploaded picture has no address"))
    }

    async fn unhost(&self, id: &str) -> Result<()> {
        let id = checked(&ItemId(id.to_owned()))?.to_owned();
        // With the file goes the permission to read it.
        let call = Call::delete(Service::Drive, format!("/drive/v3/files/{id}"), &id, "removing an uploaded picture")
            .with("supportsAllDrives", "true");
        match self.google.send(&call).await {
            Ok(_) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn push(&self, id: &ItemId, revision: &Revision, plan: &PushPlan) -> Result<Outcome> {
        let id = checked(id)?;
        if revision.0.is_empty() {
            // An empty lock is no lock for Google: the edit would land on whatever is there now.
            return Err(Error::ReadOnly {
                id: id.to_owned(),
                reason: "there is no revision to lock the edit to".into(),
            });
        }
        let mut landed = Some(revision.clone());
        if !plan.requests.is_empty() {
            match self.batch(id, &revision.0, &plan.requests).await {
                Ok(new) => landed = new,
                Err(Error::StaleRevision { .. }) => return Ok(Outcome::Stale),
                Err(Error::Refused { message }) => return Ok(Outcome::Refused(message)),
                Err(error) => return Err(error),
            }
        }
        if let Some(rename) = &plan.rename
            && let Some(other) = self.rename_after(id, rename, !plan.requests.is_empty()).await?
        {
            return Ok(other);
        }
        Ok(Outcome::Accepted(landed))
    }

    async fn create(&self, title: &str, text: &str) -> Result<Created> {
        self.create_with(title, text, &BTreeMap::new()).await
    }

    async fn create_with(&self, title: &str, text: &str, pictures: &Hosted) -> Result<Created> {
        self.make(title, text, pictures).await
    }

    async fn create_empty(&self, title: &str, text: &str, pictures: &Pictures) -> Result<Created> {
        self.make_empty(title, text, pictures).await
    }

    async fn fill(&self, id: &ItemId, title: &str, text: &str, pictures: &Hosted) -> Result<Filled, NotFilled> {
        self.fill_new(id, title, text, pictures).await
    }
}

/// Returns the call that reads a document with all tabs.
fn reading<'a>(id: &'a str, mode: &'a str) -> Call<'a> {
    Call::get(Service::Docs, format!("/v1/documents/{id}"), id, "reading the document")
        .with("includeTabsContent", "true")
        .with("suggestionsViewMode", mode)
}

/// Returns an id that can stand in a path as it is.
pub(super) fn checked(id: &ItemId) -> Result<&str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if (1..=128).contains(&id.0.len()) && id.0.bytes().all(plain) {
        Ok(&id.0)
    } else {
        Err(Error::NotFound { id: id.0.clone() })
    }
}

/// Turns the refusal of a cursor into what an expired one is.
fn expired_cursor(error: Error) -> Error {
    if matches!(&error, Error::Refused { message } if message == "Invalid Value") {
        return Error::NotFound { id: "the change feed".into() };
    }
    error
}

/// Returns the error for an answer that is against the service's own rules.
fn strange(doing: &str, what: &str) -> Error {
    Error::Network { doing: doing.to_owned(), outcome_unknown: false, source: what.into() }
}
