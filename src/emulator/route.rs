//! From HTTP to a handler and back: who may ask, which fault strikes, what the log keeps.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::connect_info::IntoMakeServiceWithConnectInfo;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::call::{Answer, Call, Handled, decode, pairs};
use super::errors::{self, Envelope};
use super::faults::FaultKind;
use super::state::Google;
use super::wire::Wire;
use super::{admin, batch, clock, consent, docs, drive, gmail, notebooks, oauth, page, pieces, upload};

/// Bytes that an import may have.
const IMPORT_BYTES: usize = 64 << 20;

/// Bytes that an upload may have: a picture of the largest size, and what is around it.
const UPLOAD_BYTES: usize = (50 << 20) + (1 << 20);

/// Bytes that any other request may have.
const BODY_BYTES: usize = 10 << 20;

/// The headers that are kept of a request, besides those that have a place of their own.
const KEPT_HEADERS: [&str; 8] = [
    "cookie",
    "sec-fetch-mode",
    "x-goog-upload-command",
    "x-goog-upload-offset",
    "x-goog-upload-protocol",
    "x-goog-upload-file-name",
    "x-goog-upload-header-content-length",
    "x-goog-upload-header-content-type",
];

/// Returns the service of one embedded Google.
pub(super) fn service(google: Arc<Google>) -> IntoMakeServiceWithConnectInfo<Router, Wire> {
    Router::new().fallback(entry).with_state(google).into_make_service_with_connect_info::<Wire>()
}

/// Reads a request and has it carried out in a task of its own, so that it is carried out whole although the client
/// may go away, as at Google.
async fn entry(State(google): State<Arc<Google>>, ConnectInfo(wire): ConnectInfo<Wire>, request: Request) -> Response {
    let call = match read(request).await {
        Ok(call) => call,
        Err(answer) => return reply(answer),
    };
    match tokio::spawn(process(google, wire, call)).await {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(%error, "a request to the embedded Google failed");
            reply(errors::aip(500, "INTERNAL", "Internal error encountered."))
        }
    }
}

/// Reads a request whole.
async fn read(request: Request) -> Result<Call, Answer> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let raw_query = parts.uri.query().unwrap_or_default().to_owned();
    let limit = match path.as_str() {
        "/admin/documents" => IMPORT_BYTES,
        "/upload/drive/v3/files" => UPLOAD_BYTES,
        file if file.starts_with("/upload/_/") || file.starts_with("/upload/v1alpha/") => notebooks::UPLOAD_BYTES,
        mail if mail.starts_with("/gmail/") || mail.starts_with("/admin/mail") => gmail::BODY_BYTES,
        _ => BODY_BYTES,
    };
    let body = to_bytes(body, limit).await.map_err(|error| {
        tracing::debug!(%error, "a body was not read");
        errors::aip(413, "INVALID_ARGUMENT", &format!("Request payload size exceeds the limit: {limit} bytes."))
    })?;
    let text = |name: HeaderName| header_text(&parts.headers, &name);
    let bearer = text(header::AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    });
    let content_type = text(header::CONTENT_TYPE).unwrap_or_default();
    Ok(Call {
        method: parts.method.as_str().to_owned(),
        segments: path.trim_start_matches('/').split('/').map(decode).collect(),
        query: pairs(&raw_query),
        host: text(header::HOST).unwrap_or_default(),
        origin: text(header::ORIGIN),
        headers: KEPT_HEADERS
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), header_text(&parts.headers, &HeaderName::from_static(name))?)))
            .collect(),
        bearer,
        content_type: content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase(),
        boundary: content_type
            .split(';')
            .filter_map(|part| part.trim().strip_prefix("boundary="))
            .map(|boundary| boundary.trim_matches('"').to_owned())
            .next(),
        path,
        raw_query,
        body: body.to_vec(),
    })
}

/// Returns a header that is text.
fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Carries one call out.
async fn process(google: Arc<Google>, wire: Wire, call: Call) -> Response {
    // A web page whose name was re-bound to loopback still sends its own name here.
    if !is_loopback(&call.host) && !notebooks::is_served(&call.host) {
        let message = "The embedded Google only answers under a loopback name.";
        return reply(errors::aip(403, "PERMISSION_DENIED", message));
    }
    if notebooks::claims(&call) {
        return notebook(google, wire, call).await;
    }
    reply(struck(google, wire, call).await)
}

/// Has NotebookLM answer a call; it has faults and a log of its own.
async fn notebook(google: Arc<Google>, wire: Wire, call: Call) -> Response {
    let is_enterprise = !notebooks::is_served(&call.host);
    if is_enterprise && let Err(answer) = google.authorize(&call, Envelope::Aip) {
        return reply(answer);
    }
    let there = Arc::clone(&google);
    match tokio::task::spawn_blocking(move || there.notebook(&call)).await {
        Ok(Ok(answer)) => pieces::in_pieces(google, wire, answer).await,
        Ok(Err(error)) => reply(errors::internal(&error)),
        Err(error) => {
            tracing::error!(%error, "a handler of the embedded NotebookLM failed");
            reply(errors::aip(500, "INTERNAL", "Internal error encountered."))
        }
    }
}

/// Carries one call out, with the fault that strikes it.
async fn struck(google: Arc<Google>, wire: Wire, call: Call) -> Answer {
    if call.path.starts_with("/admin/") || call.path.starts_with("/document/") {
        return carry_out(&google, call, false).await;
    }
    let at = clock::rfc3339(clock::now_ms());
    let fault = google.take_fault(&call);
    let kind = fault.as_ref().map(|fault| fault.fault);
    let delay = Duration::from_millis(fault.as_ref().map_or(0, |fault| fault.delay_ms));
    if kind == Some(FaultKind::Drop) {
        google.record(&call, 0, at);
        wire.cut_after(0);
        return Answer::empty(500);
    }
    if kind == Some(FaultKind::Slow) {
        tokio::time::sleep(delay).await;
    }
    let instead = fault.as_ref().and_then(|fault| fault.answer(&call));
    let answer = match instead {
        Some(answer) => answer,
        None => carry_out(&google, call.clone(), kind == Some(FaultKind::StaleFeed)).await,
    };
    google.record(&call, answer.status, at);
    match kind {
        Some(FaultKind::LostReply) => wire.cut_after(0),
        // The headers come before the body, so this many bytes never hold the whole reply.
        Some(FaultKind::Truncated) => wire.cut_after(u64::try_from(answer.body.len()).unwrap_or(1).max(1)),
        Some(FaultKind::SlowReply) => tokio::time::sleep(delay).await,
        Some(
            FaultKind::TooMany
            | FaultKind::RateForbidden
            | FaultKind::Invalid
            | FaultKind::Unauthenticated
            | FaultKind::Internal
            | FaultKind::Unavailable
            | FaultKind::Drop
            | FaultKind::Slow
            | FaultKind::StaleFeed,
        )
        | None => {}
    }
    answer
}

/// Carries a call out on a thread that may wait for the disk.
async fn carry_out(google: &Arc<Google>, call: Call, stale_feed: bool) -> Answer {
    let google = Arc::clone(google);
    let task = tokio::task::spawn_blocking(move || dispatch(&google, &call, stale_feed));
    match task.await {
        Ok(Ok(answer) | Err(answer)) => answer,
        Err(error) => {
            tracing::error!(%error, "a handler of the embedded Google failed");
            errors::aip(500, "INTERNAL", "Internal error encountered.")
        }
    }
}

/// Finds the handler.
pub(super) fn dispatch(google: &Google, call: &Call, stale_feed: bool) -> Handled {
    let segments: Vec<&str> = call.segments.iter().map(String::as_str).collect();
    match (call.method.as_str(), segments.as_slice()) {
        ("POST", ["token"]) => oauth::token(google, call),
        ("POST", ["revoke"]) => oauth::revoke(google, call),
        ("GET", ["tokeninfo"]) => oauth::token_info(google, call),
        (_, ["o", "oauth2", "v2", "auth"]) => consent::handle(google, call),
        ("GET", ["oauth2", "v2", "userinfo"]) => {
            google.authorize(call, Envelope::Legacy)?;
            Ok(oauth::userinfo())
        }
        (_, ["v1", "documents", rest @ ..]) => {
            google.authorize(call, Envelope::Aip)?;
            docs::handle(google, call, rest)
        }
        (_, ["drive", "v3", rest @ ..]) => {
            google.authorize(call, Envelope::Legacy)?;
            drive::handle(google, call, rest, stale_feed)
        }
        ("POST", ["upload", "drive", "v3", "files"]) => {
            google.authorize(call, Envelope::Legacy)?;
            upload::create(google, call)
        }
        (_, ["gmail", "v1", rest @ ..]) => {
            google.authorize(call, Envelope::Legacy)?;
            gmail::handle(google, call, rest, stale_feed)
        }
        ("POST", ["batch"]) => batch::handle(google, call, None),
        ("POST", ["batch", service @ ..]) => batch::handle(google, call, Some(&service.join("/"))),
        // Both are for everybody who has the URI, so neither asks for a token.
        ("GET", ["docsz", key]) => google.image(call, key),
        ("GET", ["uc"]) => google.public_file(call),
        (_, ["admin", rest @ ..]) => {
            google.authorize(call, Envelope::Aip)?;
            admin::handle(google, call, rest)
        }
        (_, ["document", "d", id, rest @ ..]) => page::handle(google, call, id, rest),
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

/// Writes an answer as HTTP.
fn reply(answer: Answer) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    response
}

/// Tells whether a `Host` header names this machine's loopback.
pub(super) fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_names() {
        for host in ["127.0.0.1", "127.0.0.1:4300", "localhost:80", "LOCALHOST", "[::1]:9", "127.9.9.9"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in
            ["", "evil.example", "localhost.evil.example:80", "10.0.0.1", "[fe80::1]:80", "127.0.0.1.evil.example"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
