//! Files of Drive that are no Docs: uploads, their bytes, and who may read them.
//!
//! Source: <https://developers.google.com/workspace/drive/api/guides/manage-uploads>

use serde_json::{Map, Value, json};

use super::call::{Answer, Call, Handled};
use super::clock;
use super::errors::{self, file_not_found, legacy};
use super::images::media_type;
use super::state::{Blob, File, Google, Role, usable_id};
use crate::gdocs;

/// The id of the permission that lets everybody read who has the link.
const ANYONE: &str = "anyoneWithLink";

/// Ids that one call makes at most.
const MAX_IDS: usize = 1_000;

/// Answers `files.generateIds`.
pub(super) fn generate_ids(google: &Google, call: &Call) -> Handled {
    let count = match call.parameter("count").unwrap_or("10").parse::<usize>() {
        Ok(count) if (1..=MAX_IDS).contains(&count) => count,
        _ => return Err(errors::invalid_value("count")),
    };
    let ids: Vec<String> = (0..count).map(|_| google.reserve_id()).collect();
    Ok(Answer::json(200, &json!({"kind": "drive#generatedIds", "space": "drive", "ids": ids})))
}

/// Answers an upload: `uploadType` media or multipart.
pub(super) fn create(google: &Google, call: &Call) -> Handled {
    let (metadata, media, bytes) = match call.parameter("uploadType") {
        Some("media") => (Map::new(), call.content_type.clone(), call.body.clone()),
        Some("multipart") => parts(call)?,
        _ => return Err(errors::not_built("resumable uploads")),
    };
    let text = |name: &str| metadata.get(name).and_then(Value::as_str).map(str::to_owned);
    for name in metadata.keys() {
        if !matches!(name.as_str(), "id" | "name" | "mimeType" | "description" | "appProperties" | "parents") {
            let message = format!("The embedded Google does not set `{name}`.");
            return Err(legacy(501, "notImplemented", &message, Some((name, "parameter"))));
        }
    }
    let mut world = google.world();
    let id = text("id").unwrap_or_else(|| google.reserve_id());
    if !usable_id(&id) {
        return Err(legacy(400, "invalid", "The provided file ID is not usable.", Some(("file.id", "other"))));
    }
    if world.files.contains_key(&id) {
        return Err(legacy(409, "fileIdInUse", "A file already exists with the provided ID.", None));
    }
    let media_type = text("mimeType").filter(|kind| !kind.is_empty()).unwrap_or(media);
    let size = bytes.len();
    let md5 = hex_md5(&bytes);
    let key = google.keep_bytes(bytes).map_err(|error| errors::internal(&error))?;
    let document = gdocs::Document {
        document_id: id.clone(),
        title: text("name").unwrap_or_else(|| "Untitled".into()),
        ..gdocs::Document::default()
    };
    let mut file = File::new(document, Some(Blob { media_type, key, size, md5 }), clock::now_ms());
    file.parent = metadata.get("parents").and_then(|list| list.get(0)).and_then(Value::as_str).map(str::to_owned);
    google.put(&mut world, file, false).map_err(|error| errors::internal(&error))?;
    drop(world);
    super::drive::get(google, call, &id)
}

/// The type of a folder.
pub(super) const FOLDER_TYPE: &str = "application/vnd.google-apps.folder";

/// Answers `files.create` without bytes, for a folder.
pub(super) fn create_folder(google: &Google, call: &Call) -> Handled {
    let body: Value =
        serde_json::from_slice(&call.body).map_err(|_bad| legacy(400, "parseError", "Parse Error", None))?;
    if body.get("mimeType").and_then(Value::as_str) != Some(FOLDER_TYPE) {
        return Err(errors::not_built("files without bytes other than folders"));
    }
    let id = google.reserve_id();
    let document = gdocs::Document {
        document_id: id.clone(),
        title: body.get("name").and_then(Value::as_str).unwrap_or("Untitled").to_owned(),
        ..gdocs::Document::default()
    };
    let blob = Blob { media_type: FOLDER_TYPE.to_owned(), key: String::new(), size: 0, md5: String::new() };
    let mut world = google.world();
    google
        .put(&mut world, File::new(document, Some(blob), clock::now_ms()), false)
        .map_err(|error| errors::internal(&error))?;
    drop(world);
    super::drive::get(google, call, &id)
}

/// The MD5 of bytes, as Drive tells it.
fn hex_md5(bytes: &[u8]) -> String {
    use md5::Digest as _;

    md5::Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Metadata, media type and bytes of an upload.
type Parts = (Map<String, Value>, String, Vec<u8>);

/// Splits a body of `multipart/related` into its metadata and its media.
fn parts(call: &Call) -> Result<Parts, Answer> {
    let bad = || legacy(400, "badContent", "Malformed multipart body.", None);
    let boundary = call.boundary.as_ref().filter(|boundary| !boundary.is_empty()).ok_or_else(bad)?;
    let mark = format!("--{boundary}");
    let mut found = Vec::new();
    let mut at = find(&call.body, mark.as_bytes(), 0).ok_or_else(bad)? + mark.len();
    loop {
        let rest = call.body.get(at..).unwrap_or_default();
        if rest.starts_with(b"--") {
            break;
        }
        let end = find(&call.body, format!("\r\n{mark}").as_bytes(), at).ok_or_else(bad)?;
        let part = call.body.get(at..end).unwrap_or_default();
        let head = find(part, b"\r\n\r\n", 0).ok_or_else(bad)?;
        let headers = String::from_utf8_lossy(part.get(..head).unwrap_or_default()).to_ascii_lowercase();
        let kind = headers.lines().find_map(|line| line.strip_prefix("content-type:")).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_owned();
        found.push((kind, part.get(head + 4..).unwrap_or_default().to_vec()));
        at = end + 2 + mark.len();
    }
    let [(_, metadata), (kind, media)]: [(String, Vec<u8>); 2] = found.try_into().map_err(|_other| bad())?;
    match serde_json::from_slice(&metadata) {
        Ok(Value::Object(map)) => Ok((map, kind, media)),
        _ => Err(legacy(400, "parseError", "Parse Error", None)),
    }
}

fn find(bytes: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(wanted.len()).position(|part| part == wanted).map(|at| from + at)
}

/// Answers `files.get` with `alt=media`.
pub(super) fn download(google: &Google, id: &str) -> Handled {
    let blob = google.world().visible(id).ok_or_else(|| file_not_found(id))?.blob.clone();
    let Some(blob) = blob else {
        let message = "Only files with binary content can be downloaded. Use Export with Docs Editors files.";
        return Err(legacy(403, "fileNotDownloadable", message, Some(("alt", "parameter"))));
    };
    let bytes = google.bytes(&blob.key).ok_or_else(|| file_not_found(id))?;
    Ok(Answer::bytes(200, media_type(&bytes), &bytes))
}

/// Answers the calls on who may read a file; `rest` is what follows `permissions`.
pub(super) fn permissions(google: &Google, call: &Call, id: &str, rest: &[&str]) -> Handled {
    let mut world = google.world();
    let mut file = world.visible(id).cloned().ok_or_else(|| file_not_found(id))?;
    if file.role != Role::Owner {
        let message = "The user does not have sufficient permissions for this file.";
        return Err(legacy(403, "insufficientFilePermissions", message, None));
    }
    let anyone = json!({"kind": "drive#permission", "id": ANYONE, "type": "anyone", "role": "reader", "allowFileDiscovery": false});
    let answer = match (call.method.as_str(), rest) {
        ("GET", []) => {
            let list = if file.public { vec![anyone] } else { Vec::new() };
            return Ok(Answer::json(200, &json!({"kind": "drive#permissionList", "permissions": list})));
        }
        ("POST", []) => {
            let body: Value =
                serde_json::from_slice(&call.body).map_err(|_bad| legacy(400, "parseError", "Parse Error", None))?;
            if body.get("type") != Some(&"anyone".into()) || body.get("role") != Some(&"reader".into()) {
                return Err(errors::not_built("permissions other than reading for everybody who has the link"));
            }
            file.public = true;
            Answer::json(200, &anyone)
        }
        ("DELETE", [ANYONE]) if file.public => {
            file.public = false;
            Answer::empty(204)
        }
        ("DELETE", [other]) => {
            let message = format!("Permission not found: {other}.");
            return Err(legacy(404, "notFound", &message, Some(("permissionId", "parameter"))));
        }
        _ => return Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    };
    google.put(&mut world, file, false).map_err(|error| errors::internal(&error))?;
    Ok(answer)
}

impl Google {
    /// Answers `/uc?id=…`: the bytes of a file that everybody may read who has the link.
    pub(super) fn public_file(&self, call: &Call) -> Handled {
        let id = call.parameter("id").unwrap_or_default();
        let page = |status| {
            Answer::text(status, "text/html; charset=UTF-8", "<html><title>Google Drive - Access Denied</title></html>")
        };
        let file = self.world().files.get(id).filter(|file| !file.deleted).cloned().ok_or_else(|| page(404))?;
        let blob = file.blob.filter(|_| file.public && !file.trashed).ok_or_else(|| page(403))?;
        let bytes = self.bytes(&blob.key).ok_or_else(|| page(404))?;
        Ok(Answer::bytes(200, media_type(&bytes), &bytes))
    }
}
