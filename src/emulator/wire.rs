//! Connections that a fault can cut: between applying and replying, or in the middle of a reply.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// How many more bytes may be written to one connection; `u64::MAX` is no limit.
#[derive(Debug, Clone)]
pub(super) struct Wire(Arc<AtomicU64>);

impl Wire {
    /// Cuts the connection after `bytes` more bytes of reply.
    pub(super) fn cut_after(&self, bytes: u64) {
        self.0.store(bytes, Ordering::SeqCst);
    }
}

/// A listener whose connections can be cut.
pub(super) struct Listening(pub(super) TcpListener);

impl Listener for Listening {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, addr) = Listener::accept(&mut self.0).await;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no TCP_NODELAY");
        }
        (Line { stream, wire: Wire(Arc::new(AtomicU64::new(u64::MAX))) }, addr)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Listening>> for Wire {
    fn connect_info(stream: IncomingStream<'_, Listening>) -> Self {
        stream.io().wire.clone()
    }
}

/// One connection.
pub(super) struct Line {
    stream: TcpStream,
    wire: Wire,
}

impl AsyncRead for Line {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let left = self.wire.0.load(Ordering::SeqCst);
        if left == u64::MAX {
            return Pin::new(&mut self.stream).poll_write(cx, buf);
        }
        if left == 0 {
            return Poll::Ready(Err(io::Error::from(io::ErrorKind::ConnectionReset)));
        }
        let allowed = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let some = buf.get(..allowed).unwrap_or_default();
        let wrote = Pin::new(&mut self.stream).poll_write(cx, some);
        if let Poll::Ready(Ok(count)) = &wrote {
            let count = u64::try_from(*count).unwrap_or(left);
            self.wire.0.store(left.saturating_sub(count), Ordering::SeqCst);
        }
        wrote
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
