//! A site of this machine: pages, cookies, answers in pieces, and some that never come.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A text of characters of one to four bytes.
pub(crate) const TEXT: &str = "a é 日本語 👩‍👩‍👧 end";

/// How large the large answer is, in bytes.
pub(crate) const LARGE_BYTES: usize = 5_000_000;

pub(crate) struct Server {
    port: u16,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<String>>,
    hung_up: AtomicUsize,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::<Seen>::default();
        let for_all = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = Arc::clone(&for_all);
                std::thread::spawn(move || serve(stream, &seen));
            }
        });
        Self { port, seen }
    }

    pub(crate) fn url(&self, path: &str) -> url::Url {
        url::Url::parse(&format!("http://app.localhost:{}{path}", self.port)).unwrap()
    }

    /// Tells whether a request that begins so has come.
    pub(crate) fn has_seen(&self, request: &str) -> bool {
        self.seen.requests.lock().unwrap().iter().any(|seen| seen.starts_with(request))
    }

    /// How many answers were not waited for.
    pub(crate) fn hung_up(&self) -> usize {
        self.seen.hung_up.load(Ordering::SeqCst)
    }
}

fn serve(stream: TcpStream, seen: &Seen) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut head, mut line) = (Vec::new(), String::new());
    while reader.read_line(&mut line).ok()? > 2 {
        head.push(std::mem::take(&mut line).trim_end().to_owned());
    }
    let header = |name: &str| head.iter().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
    let mut body = vec![0; header("Content-Length: ").parse().unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let request = head.first()?.clone();
    let path = request.split(' ').nth(1)?.to_owned();
    seen.requests.lock().unwrap().push(request);
    answer(stream, &path, &header("Cookie: "), &body, seen)
}

fn answer(mut stream: TcpStream, path: &str, cookies: &str, body: &[u8], seen: &Seen) -> Option<()> {
    let whole = |status: &str, headers: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    let html = "Content-Type: text/html; charset=utf-8\r\n";
    let bytes = match path.split('?').next()? {
        "/" => whole("200 OK", html, b"<title>here</title><script>window.facts={a:1}</script>"),
        "/telling" => whole("200 OK", html, b"<script>fetch('/told?'+navigator.webdriver)</script>"),
        "/strict" => {
            let policy =
                format!("{html}Content-Security-Policy: require-trusted-types-for 'script'; script-src 'none'\r\n");
            whole("200 OK", &policy, b"<title>strict</title>")
        }
        "/echo" => whole("200 OK", "ETag: \"one\"\r\n", body),
        "/moved" => whole("302 Found", "Location: /?end\r\n", b""),
        "/away" => whole("302 Found", "Location: http://other.localhost:1/\r\n", b""),
        "/large" => whole("200 OK", "", &vec![b'a'; LARGE_BYTES]),
        "/set" => {
            let cookies = "Set-Cookie: kept=1; Max-Age=9999; Secure; HttpOnly\r\n\
                           Set-Cookie: __Host-kept=2; Max-Age=9999; Secure; Path=/\r\nSet-Cookie: gone=3; Secure\r\n";
            whole("200 OK", cookies, b"")
        }
        "/cookies" => whole("200 OK", "", cookies.as_bytes()),
        "/text" => return pieces(&mut stream, TEXT.as_bytes(), 1, Duration::ZERO),
        "/slow" => {
            // It goes on for longer than any test waits.
            let sent = pieces(&mut stream, &b"piece ".repeat(600), 6, Duration::from_millis(100));
            seen.hung_up.fetch_add(usize::from(sent.is_none()), Ordering::SeqCst);
            return sent;
        }
        "/never" => {
            let until = Instant::now() + Duration::from_secs(60);
            stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
            // The other side says nothing more, so this ends when it hangs up.
            let ended = stream.read(&mut [0; 1]).is_ok_and(|read| read == 0) && Instant::now() < until;
            seen.hung_up.fetch_add(usize::from(ended), Ordering::SeqCst);
            return Some(());
        }
        _ => whole("404 Not Found", html, b"nothing"),
    };
    stream.write_all(&bytes).ok()
}

/// Sends a body in pieces of `size` bytes, whatever characters that cuts.
fn pieces(stream: &mut TcpStream, body: &[u8], size: usize, pause: Duration) -> Option<()> {
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n";
    stream.write_all(head.as_bytes()).ok()?;
    for piece in body.chunks(size) {
        std::thread::sleep(pause);
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).ok()?;
        stream.write_all(piece).ok()?;
        stream.write_all(b"\r\n").ok()?;
    }
    stream.write_all(b"0\r\n\r\n").ok()
}
