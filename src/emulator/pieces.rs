//! Answers that come in pieces over time, or are cut, as HTTP.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_core::Stream;
use tokio::sync::mpsc;

use super::notebooks::{Ending, Reply};
use super::state::{Google, lock};
use super::wire::Wire;

/// Writes an answer: at once where it is one piece, otherwise piece by piece, until its reader goes away or it is cancelled.
pub(super) async fn in_pieces(google: Arc<Google>, wire: Wire, mut reply: Reply) -> Response {
    let pieces = std::mem::take(&mut reply.pieces);
    if pieces.is_empty() && reply.ending == Ending::Cut {
        wire.cut_after(0);
    }
    if let ([piece], Ending::Whole) = (pieces.as_slice(), reply.ending) {
        tokio::time::sleep(Duration::from_millis(piece.wait_ms)).await;
        return with_head(&reply, Body::from(piece.bytes.clone()));
    }
    let (sender, receiver) = mpsc::channel(1);
    let response = with_head(&reply, Body::from_stream(Pieces(receiver)));
    tokio::spawn(async move {
        for piece in pieces {
            tokio::time::sleep(Duration::from_millis(piece.wait_ms)).await;
            let goes_on = reply.stream.as_ref().is_none_or(|stream| lock(&google.notebooks).goes_on(stream));
            if !goes_on || sender.send(Ok(piece.bytes)).await.is_err() {
                return;
            }
        }
        if reply.ending == Ending::Cut && sender.send(Err(std::io::ErrorKind::ConnectionReset.into())).await.is_err() {
            tracing::debug!("the client went away first");
        }
    });
    response
}

fn with_head(reply: &Reply, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    for (name, value) in &reply.headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            // Added and not replaced: of cookies and of policies there are several.
            headers.append(HeaderName::from_static(name), value);
        }
    }
    response
}

/// The pieces of a body, as they come.
struct Pieces(mpsc::Receiver<std::io::Result<Vec<u8>>>);

impl Stream for Pieces {
    type Item = std::io::Result<Vec<u8>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
