//! The Drive API: metadata, lists, and the change feed.
//!
//! Source: <https://developers.google.com/workspace/drive/api/reference/rest/v3>

use serde_json::{Value, json};

use super::call::{Answer, Call, Handled};
use super::errors::{self, file_not_found, invalid_value, legacy};
use super::fields::Mask;
use super::query::Query;
use super::state::{File, Google, Role};
use super::{DEMO_ACCOUNT, clock, comments, export, upload};

/// Files and changes on a page, unless asked otherwise.
const PAGE: usize = 100;

/// Files and changes on the largest page.
const MAX_PAGE: usize = 1_000;

/// Finds the method; `rest` is what follows `/drive/v3`.
pub(super) fn handle(google: &Google, call: &Call, rest: &[&str], stale_feed: bool) -> Handled {
    match (call.method.as_str(), rest) {
        ("GET", ["files"]) => list(google, call),
        ("POST", ["files"]) => upload::create_folder(google, call),
        ("GET", ["files", "generateIds"]) => upload::generate_ids(google, call),
        ("GET", ["files", id]) => get(google, call, id),
        (_, ["files", id, "permissions", rest @ ..]) => upload::permissions(google, call, id, rest),
        ("PATCH", ["files", id]) => update(google, call, id),
        ("DELETE", ["files", id]) => delete(google, id),
        ("GET", ["files", id, "export"]) => export::export(google, call, id),
        (_, ["files", id, "comments", rest @ ..]) => comments::handle(google, call, id, rest),
        ("GET", ["changes"]) => changes(google, call, stale_feed),
        ("GET", ["changes", "startPageToken"]) => {
            let token = (google.world().version + 1).to_string();
            answer(call, &json!({"kind": "drive#startPageToken", "startPageToken": token}), "*")
        }
        ("GET", ["about"]) => about(call),
        _ => Err(legacy(
            501,
            "notImplemented",
            &format!("The embedded Google does not serve {} {}.", call.method, call.path),
            None,
        )),
    }
}

/// Answers the wanted fields of a value.
pub(super) fn answer(call: &Call, value: &Value, default: &str) -> Handled {
    let mask = mask(call, default)?;
    Ok(Answer::json(200, &mask.pick(value)))
}

/// Reads the `fields` parameter.
pub(super) fn mask(call: &Call, default: &str) -> Result<Mask, Answer> {
    let text = call.parameter("fields").unwrap_or(default);
    Mask::parse(text).ok_or_else(|| bad_fields(text))
}

/// Returns the refusal of a `fields` parameter.
pub(super) fn bad_fields(text: &str) -> Answer {
    legacy(400, "invalidParameter", &format!("Invalid field selection {text}"), Some(("fields", "parameter")))
}

/// Refuses a mask of a file that names what a file does not have.
fn check_file_mask(mask: &Mask) -> Result<(), Answer> {
    match mask.0.keys().find(|name| *name != "*" && !FILE_FIELDS.contains(&name.as_str())) {
        Some(name) => Err(bad_fields(name)),
        None => Ok(()),
    }
}

/// Answers `files.get`.
pub(super) fn get(google: &Google, call: &Call, id: &str) -> Handled {
    match call.parameter("alt") {
        None | Some("json") => {}
        Some(_) => return upload::download(google, id),
    }
    let mask = mask(call, "kind,id,name,mimeType")?;
    check_file_mask(&mask)?;
    let world = google.world();
    let file = world.visible(id).ok_or_else(|| file_not_found(id))?;
    Ok(Answer::json(200, &mask.pick(&show(file, &call.host))))
}

/// Answers `files.list`.
fn list(google: &Google, call: &Call) -> Handled {
    let query = Query::parse(call.parameter("q").unwrap_or_default()).ok_or_else(|| invalid_value("q"))?;
    let order = call.parameter("orderBy").unwrap_or_default();
    if query.has_full_text() && !order.is_empty() {
        let message = "Sorting is not supported for queries with fullText terms. Results are always in descending relevance order.";
        return Err(legacy(403, "forbidden", message, Some(("orderBy", "parameter"))));
    }
    let size = page_size(call)?;
    let start = match call.parameter("pageToken") {
        None | Some("") => 0,
        Some(token) => {
            token.strip_prefix("~!").and_then(|n| n.parse().ok()).ok_or_else(|| invalid_value("pageToken"))?
        }
    };
    let mask = mask(call, "kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)")?;
    if let Some(files) = mask.0.get("files") {
        check_file_mask(files)?;
    }
    let world = google.world();
    let mut found: Vec<&File> = world.files.values().filter(|file| file.visible() && query.matches(file)).collect();
    sort(&mut found, order)?;
    let page: Vec<Value> = found.iter().skip(start).take(size).map(|file| show(file, &call.host)).collect();
    let mut value = json!({"kind": "drive#fileList", "incompleteSearch": false, "files": page});
    if start.saturating_add(size) < found.len() {
        value["nextPageToken"] = format!("~!{}", start + size).into();
    }
    Ok(Answer::json(200, &mask.pick(&value)))
}

/// Reads `pageSize`.
fn page_size(call: &Call) -> Result<usize, Answer> {
    match call.parameter("pageSize") {
        None => Ok(PAGE),
        Some(text) => match text.parse::<usize>() {
            Ok(size) if (1..=MAX_PAGE).contains(&size) => Ok(size),
            _ => Err(invalid_value("pageSize")),
        },
    }
}

/// Sorts files as `orderBy` says; the newest change first when it says nothing.
fn sort(files: &mut [&File], order: &str) -> Result<(), Answer> {
    files.sort_by_key(|file| std::cmp::Reverse((file.modified_ms, file.version)));
    let keys: Vec<&str> = order.split(',').map(str::trim).filter(|key| !key.is_empty()).collect();
    // The last key first: the sort is stable.
    for key in keys.into_iter().rev() {
        let (name, descending) = match key.split_once(' ') {
            None => (key, false),
            Some((name, "desc")) => (name, true),
            Some(_) => return Err(invalid_value("orderBy")),
        };
        match name {
            "modifiedTime" | "modifiedByMeTime" | "viewedByMeTime" | "recency" => {
                files.sort_by_key(|file| file.modified_ms);
            }
            "createdTime" => files.sort_by_key(|file| file.created_ms),
            "name" | "name_natural" => files.sort_by_key(|file| file.document.title.to_lowercase()),
            // All files here are alike in these.
            "folder" | "starred" | "quotaBytesUsed" | "sharedWithMeTime" => continue,
            _ => return Err(invalid_value("orderBy")),
        }
        if descending {
            files.reverse();
        }
    }
    Ok(())
}

/// Answers `files.update` for a name and the trash.
fn update(google: &Google, call: &Call, id: &str) -> Handled {
    let mask = mask(call, "kind,id,name,mimeType")?;
    check_file_mask(&mask)?;
    let body: Value = match call.body.as_slice() {
        [] => json!({}),
        bytes => serde_json::from_slice(bytes).map_err(|_bad| legacy(400, "parseError", "Parse Error", None))?,
    };
    let map = body.as_object().ok_or_else(|| legacy(400, "parseError", "Parse Error", None))?;
    let mut world = google.world();
    let mut file = world.visible(id).cloned().ok_or_else(|| file_not_found(id))?;
    if !file.role.can_edit() {
        let message = "The user does not have sufficient permissions for this file.";
        return Err(legacy(403, "insufficientFilePermissions", message, None));
    }
    for (name, value) in map {
        match (name.as_str(), value) {
            ("name", Value::String(name)) => file.document.title.clone_from(name),
            ("trashed", Value::Bool(trashed)) => file.trashed = *trashed,
            ("name" | "trashed", _) => return Err(invalid_value(name)),
            _ => {
                let message = format!("The embedded Google does not change `{name}`.");
                return Err(legacy(501, "notImplemented", &message, Some((name, "parameter"))));
            }
        }
    }
    file.modified_ms = clock::now_ms();
    google.put(&mut world, file, false).map_err(|error| errors::internal(&error))?;
    let file = world.visible(id).ok_or_else(|| file_not_found(id))?;
    Ok(Answer::json(200, &mask.pick(&show(file, &call.host))))
}

/// Answers `files.delete`, which passes the trash by.
fn delete(google: &Google, id: &str) -> Handled {
    let mut world = google.world();
    let mut file = world.visible(id).cloned().ok_or_else(|| file_not_found(id))?;
    if file.role != Role::Owner {
        let message = "The user does not have sufficient permissions for this file.";
        return Err(legacy(403, "insufficientFilePermissions", message, None));
    }
    file.deleted = true;
    google.put(&mut world, file, false).map_err(|error| errors::internal(&error))?;
    Ok(Answer::empty(204))
}

/// Answers `changes.list`: each file once, at its newest change.
fn changes(google: &Google, call: &Call, stale_feed: bool) -> Handled {
    let token = call
        .parameter("pageToken")
        .ok_or_else(|| legacy(400, "required", "Required parameter: pageToken", Some(("pageToken", "parameter"))))?;
    let from: u64 = token.parse().map_err(|_bad| invalid_value("pageToken"))?;
    let size = page_size(call)?;
    let include_removed = call.parameter("includeRemoved").is_none_or(|value| value != "false");
    let mask = mask(
        call,
        "kind,nextPageToken,newStartPageToken,changes(kind,changeType,time,removed,fileId,file(kind,id,name,mimeType))",
    )?;
    if let Some(file) = mask.0.get("changes").and_then(|changes| changes.0.get("file")) {
        check_file_mask(file)?;
    }
    let world = google.world();
    if from > world.version + 1 {
        // A token of a world that is gone.
        return Err(legacy(410, "gone", "The page token has expired.", Some(("pageToken", "parameter"))));
    }
    let mut touched: Vec<&File> =
        world.files.values().filter(|file| file.version >= from && (include_removed || file.visible())).collect();
    touched.sort_by_key(|file| file.version);
    let more = touched.len() > size;
    touched.truncate(size);
    let list: Vec<Value> = touched.iter().map(|file| change(file, &call.host)).collect();
    let mut value = json!({"kind": "drive#changeList", "changes": list});
    if stale_feed {
        value = json!({"kind": "drive#changeList", "changes": [], "newStartPageToken": token});
    } else if let (true, Some(last)) = (more, touched.last()) {
        value["nextPageToken"] = (last.version + 1).to_string().into();
    } else {
        value["newStartPageToken"] = (world.version + 1).to_string().into();
    }
    Ok(Answer::json(200, &mask.pick(&value)))
}

/// Writes one entry of the change feed.
fn change(file: &File, host: &str) -> Value {
    let mut change = json!({
        "kind": "drive#change",
        "changeType": "file",
        "type": "file",
        "time": clock::rfc3339(file.modified_ms),
        "removed": !file.visible(),
        "fileId": file.document.document_id,
    });
    if file.visible() {
        change["file"] = show(file, host);
    }
    change
}

/// Answers `about.get`.
fn about(call: &Call) -> Handled {
    if call.parameter("fields").is_none() {
        let message = "The 'fields' parameter is required for this method.";
        return Err(legacy(400, "required", message, Some(("fields", "parameter"))));
    }
    let user = demo_user();
    let value = json!({
        "kind": "drive#about",
        "user": user,
        "storageQuota": {"limit": "16106127360", "usage": "0", "usageInDrive": "0", "usageInDriveTrash": "0"},
        "maxUploadSize": "5242880000000",
        "appInstalled": true,
        "canCreateDrives": false,
        "exportFormats": {},
        "importFormats": {},
    });
    answer(call, &value, "*")
}

/// Returns the demo account as Drive shows a user.
fn demo_user() -> Value {
    json!({"kind": "drive#user", "displayName": "Demo Account", "me": true, "permissionId": "10000000000000000001",
        "emailAddress": DEMO_ACCOUNT})
}

/// Writes a file with all its metadata.
fn show(file: &File, host: &str) -> Value {
    let id = &file.document.document_id;
    let own = file.role == Role::Owner;
    let edit = file.role.can_edit();
    let owner = if own {
        demo_user()
    } else {
        json!({"kind": "drive#user", "displayName": "Colleague", "me": false, "permissionId": "20000000000000000002",
            "emailAddress": "colleague@example.com"})
    };
    let mut value = json!({
        "kind": "drive#file",
        "id": id,
        "name": file.document.title,
        "mimeType": file.media_type(),
        "description": "",
        "starred": false,
        "trashed": file.trashed,
        "explicitlyTrashed": file.trashed,
        "spaces": ["drive"],
        "version": file.version.to_string(),
        "webViewLink": format!("http://{host}/document/d/{id}/edit"),
        "createdTime": clock::rfc3339(file.created_ms),
        "modifiedTime": clock::rfc3339(file.modified_ms),
        "viewedByMe": true,
        "viewedByMeTime": clock::rfc3339(file.modified_ms),
        "owners": [owner],
        "lastModifyingUser": owner,
        "ownedByMe": own,
        "shared": !own || file.public,
        "writersCanShare": true,
        "capabilities": {
            "canEdit": edit,
            "canModifyContent": edit,
            "canComment": file.role.can_comment(),
            "canRename": edit,
            "canTrash": own,
            "canDelete": own,
            "canShare": edit,
            "canCopy": true,
            "canDownload": true,
            "canReadRevisions": edit,
            "canAddChildren": false,
            "canListChildren": false,
        },
    });
    if let Some(blob) = file.blob.as_ref().filter(|blob| blob.media_type != upload::FOLDER_TYPE) {
        value["md5Checksum"] = blob.md5.clone().into();
        value["size"] = blob.size.to_string().into();
        value["webContentLink"] = format!("http://{host}/uc?id={id}&export=download").into();
        value["webViewLink"] = format!("http://{host}/file/d/{id}/view").into();
    }
    if own {
        value["parents"] = json!([file.parent.as_deref().unwrap_or(ROOT_FOLDER)]);
    } else {
        value["sharedWithMeTime"] = clock::rfc3339(file.created_ms).into();
    }
    value
}

/// The id of the demo account's root folder.
pub(super) const ROOT_FOLDER: &str = "0AFdemoRootFolderPVA";

/// Fields of a file.
const FILE_FIELDS: &[&str] = &[
    "appProperties",
    "capabilities",
    "clientEncryptionDetails",
    "contentHints",
    "contentRestrictions",
    "copyRequiresWriterPermission",
    "createdTime",
    "description",
    "downloadRestrictions",
    "driveId",
    "explicitlyTrashed",
    "exportLinks",
    "fileExtension",
    "folderColorRgb",
    "fullFileExtension",
    "hasAugmentedPermissions",
    "hasThumbnail",
    "headRevisionId",
    "iconLink",
    "id",
    "imageMediaMetadata",
    "inheritedPermissionsDisabled",
    "isAppAuthorized",
    "kind",
    "labelInfo",
    "lastModifyingUser",
    "linkShareMetadata",
    "md5Checksum",
    "mimeType",
    "modifiedByMe",
    "modifiedByMeTime",
    "modifiedTime",
    "name",
    "originalFilename",
    "ownedByMe",
    "owners",
    "parents",
    "permissionIds",
    "permissions",
    "properties",
    "quotaBytesUsed",
    "resourceKey",
    "sha1Checksum",
    "sha256Checksum",
    "shared",
    "sharedWithMeTime",
    "sharingUser",
    "shortcutDetails",
    "size",
    "spaces",
    "starred",
    "teamDriveId",
    "thumbnailLink",
    "thumbnailVersion",
    "trashed",
    "trashedTime",
    "trashingUser",
    "version",
    "videoMediaMetadata",
    "viewedByMe",
    "viewedByMeTime",
    "viewersCanCopyContent",
    "webContentLink",
    "webViewLink",
    "writersCanShare",
];
