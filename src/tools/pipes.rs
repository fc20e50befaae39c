//! Stdin and stdout as the runtime waits for them by itself, where the system tells when they are ready: pipes and
//! sockets, which is what clients give a server.
//!
//! Tokio reads and writes them on threads beside, for terminals and files, and each line then costs two wake-ups of a
//! thread. They stay as blocking as they were: whoever else holds the same pipe, as stderr often does, would be
//! surprised by a write that is refused. So the system is asked before each read and write whether it would wait.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::FileType;
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// Stdin.
#[derive(Debug)]
pub enum Input {
    /// One that tells when it is ready.
    Ready(AsyncFd<io::Stdin>),
    /// Any other, read on a thread beside.
    Beside(tokio::io::Stdin),
}

/// Stdout.
#[derive(Debug)]
pub enum Output {
    /// One that tells when it is ready.
    Ready(AsyncFd<io::Stdout>),
    /// Any other, written to on a thread beside.
    Beside(tokio::io::Stdout),
}

/// Returns the stdin and stdout of this process; nobody else may read the one or write to the other, or lines are torn.
/// Must be called within a runtime.
#[must_use]
pub fn stdio() -> (Input, Output) {
    let input = waited_for(io::stdin(), Interest::READABLE);
    let output = waited_for(io::stdout(), Interest::WRITABLE);
    (
        input.map_or_else(|| Input::Beside(tokio::io::stdin()), Input::Ready),
        output.map_or_else(|| Output::Beside(tokio::io::stdout()), Output::Ready),
    )
}

fn waited_for<T: AsRawFd + AsFd + 'static>(stream: T, interest: Interest) -> Option<AsyncFd<T>> {
    let file_type = FileType::from_raw_mode(rustix::fs::fstat(&stream).ok()?.st_mode);
    if !matches!(file_type, FileType::Fifo | FileType::Socket) {
        return None;
    }
    #[expect(deprecated, reason = "its heir is unsafe; these descriptors stay open as long as the process is there")]
    let waited_for = AsyncFd::with_interest(stream, interest);
    waited_for.inspect_err(|error| tracing::debug!(%error, "a stream is read or written on a thread beside")).ok()
}

/// Goes on once a stream would not keep us waiting: it is ready, or it is broken, which is then found out.
fn check_ready(stream: impl AsFd, what: PollFlags) -> io::Result<()> {
    let mut streams = [PollFd::new(&stream, what)];
    let ready = rustix::io::retry_on_intr(|| rustix::event::poll(&mut streams, Some(&Timespec::default())))?;
    if ready == 0 { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
}

impl AsyncRead for Input {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let stream = match self.get_mut() {
            Self::Beside(stdin) => return Pin::new(stdin).poll_read(context, buffer),
            Self::Ready(stream) => stream,
        };
        loop {
            let mut guard = ready!(stream.poll_read_ready(context))?;
            let read = guard.try_io(|stream| {
                check_ready(stream, PollFlags::IN)?;
                Ok(rustix::io::retry_on_intr(|| rustix::io::read(stream, buffer.initialize_unfilled()))?)
            });
            // Else it was not ready after all, and is waited for.
            if let Ok(read) = read {
                return Poll::Ready(read.map(|count| buffer.advance(count)));
            }
        }
    }
}

impl AsyncWrite for Output {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let stream = match self.get_mut() {
            Self::Beside(stdout) => return Pin::new(stdout).poll_write(context, bytes),
            Self::Ready(stream) => stream,
        };
        // So much a pipe that is ready takes without waiting.
        let piece = bytes.get(..rustix::pipe::PIPE_BUF).unwrap_or(bytes);
        loop {
            let mut guard = ready!(stream.poll_write_ready(context))?;
            let written = guard.try_io(|stream| {
                check_ready(stream, PollFlags::OUT)?;
                Ok(rustix::io::retry_on_intr(|| rustix::io::write(stream, piece))?)
            });
            if let Ok(written) = written {
                return Poll::Ready(written);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Beside(stdout) => Pin::new(stdout).poll_flush(context),
            Self::Ready(_) => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Beside(stdout) => Pin::new(stdout).poll_shutdown(context),
            Self::Ready(_) => Poll::Ready(Ok(())),
        }
    }
}
