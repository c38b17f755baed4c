//! A server that behaves as each test wants it to.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// What it answers where it answers rightly.
pub(crate) const BODY: &[u8] = b"{\"message\": \"hello\"}";

/// How a request is answered.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// Rightly, with a length.
    Length,
    /// Rightly, in chunks.
    Chunked,
    /// Rightly, after interim responses.
    Interim,
    /// Rightly, a byte at a time.
    Pieces,
    /// Rightly, and says that it closes the connection.
    Closing,
    /// Rightly, and closes the connection without saying so.
    Silently,
    /// Rightly, the end of the connection being the end of the body.
    UntilClosed,
    /// With what was posted.
    Echo,
    /// With this body.
    Body(Arc<[u8]>),
    /// With this status, and the right body.
    Status(u16),
    /// With more bytes than it says.
    Long,
    /// With fewer bytes than it says, and the end.
    Cut,
    /// With something else than HTTP.
    Nonsense,
    /// Not at all: the connection breaks.
    Reset,
    /// Not at all.
    Mute,
}

/// The server. It ends with this value, and its connections with their clients.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
    closed: Receiver<()>,
    accepting: Option<JoinHandle<()>>,
}

struct State {
    stop: AtomicBool,
    accepted: AtomicU64,
    requests: AtomicU64,
    /// Says how the request of this number is answered, the first being 0.
    manner: Box<dyn Fn(u64) -> Manner + Send + Sync>,
}

impl Server {
    /// One that takes any number of connections.
    pub(crate) fn start(manner: impl Fn(u64) -> Manner + Send + Sync + 'static) -> Self {
        Self::with_connections(u64::MAX, manner)
    }

    /// One that takes so many connections and then stops to listen, before it serves the last of them.
    pub(crate) fn with_connections(most: u64, manner: impl Fn(u64) -> Manner + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let state = Arc::new(State {
            stop: AtomicBool::new(false),
            accepted: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            manner: Box::new(manner),
        });
        let (closing, closed) = channel();
        let theirs = Arc::clone(&state);
        let accepting = std::thread::spawn(move || accept(listener, most, &theirs, &closing));
        Self { address, state, closed, accepting: Some(accepting) }
    }

    pub(crate) fn accepted(&self) -> u64 {
        self.state.accepted.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::SeqCst)
    }

    /// Waits until it has closed one more connection.
    pub(crate) fn wait_for_close(&self) {
        self.closed.recv().expect("the server is there");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts; one that has stopped to listen needs no waking.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            accepting.join().expect("nothing there panics");
        }
    }
}

fn accept(listener: TcpListener, most: u64, state: &Arc<State>, closing: &Sender<()>) {
    let mut listener = Some(listener);
    while let Some((stream, _)) = listener.as_ref().and_then(|listener| listener.accept().ok()) {
        if state.stop.load(Ordering::SeqCst) {
            return;
        }
        if state.accepted.fetch_add(1, Ordering::SeqCst) + 1 == most {
            listener = None;
        }
        let (state, closing) = (Arc::clone(state), closing.clone());
        std::thread::spawn(move || {
            // Clients end conversations as they like, and break them off.
            let _ = converse(stream, &state);
            let _ = closing.send(());
        });
    }
}

/// Answers one request after the other. The connection is closed when this returns.
fn converse(mut stream: TcpStream, state: &State) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut pending = Vec::new();
    while let Some(posted) = request(&mut stream, &mut pending)? {
        let number = state.requests.fetch_add(1, Ordering::SeqCst);
        let manner = (state.manner)(number);
        if let Manner::Reset = manner {
            rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO))?;
            return Ok(());
        }
        if let Manner::Mute = manner {
            std::io::copy(&mut stream, &mut std::io::sink())?;
            return Ok(());
        }
        let (answer, closes) = answer(&manner, &posted);
        if let Manner::Pieces = manner {
            for byte in answer {
                stream.write_all(&[byte])?;
            }
        } else {
            stream.write_all(&answer)?;
        }
        if closes {
            return Ok(());
        }
    }
    Ok(())
}

/// What is sent, and whether the connection is closed after it.
fn answer(manner: &Manner, posted: &[u8]) -> (Vec<u8>, bool) {
    let with = |status: u16, fields: &str, body: &[u8]| {
        let length = body.len();
        let head = format!("HTTP/1.1 {status} Text\r\nServer: test\r\n{fields}Content-Length: {length}\r\n\r\n");
        [head.as_bytes(), body].concat()
    };
    let right = with(200, "", BODY);
    match manner {
        Manner::Length | Manner::Pieces | Manner::Reset | Manner::Mute => (right, false),
        Manner::Silently => (right, true),
        Manner::Closing => (with(200, "Connection: close\r\n", BODY), true),
        Manner::Status(status) => (with(*status, "", BODY), false),
        Manner::Echo => (with(200, "", posted), false),
        Manner::Body(body) => (with(200, "", body), false),
        Manner::Interim => ([b"HTTP/1.1 102 Processing\r\n\r\n".repeat(2), right].concat(), false),
        Manner::Long => ([right, b"!!".to_vec()].concat(), false),
        Manner::Cut => (right[..right.len() - 1].to_vec(), true),
        Manner::Nonsense => (b"220 here speaks something else\r\n\r\n".to_vec(), false),
        Manner::UntilClosed => ([b"HTTP/1.1 200 OK\r\n\r\n", BODY].concat(), true),
        Manner::Chunked => {
            let mut text = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            for chunk in BODY.chunks(7) {
                text.extend(format!("{:x}\r\n", chunk.len()).bytes());
                text.extend(chunk);
                text.extend(b"\r\n");
            }
            text.extend(b"0\r\n\r\n");
            (text, false)
        }
    }
}

/// Reads a request. What was posted; nothing at the end of the connection.
fn request(stream: &mut TcpStream, pending: &mut Vec<u8>) -> std::io::Result<Option<Vec<u8>>> {
    let body = loop {
        if let Some(at) = pending.windows(4).position(|end| end == b"\r\n\r\n") {
            break at + 4;
        }
        if more(stream, pending)? == 0 {
            return Ok(None);
        }
    };
    let fields = String::from_utf8_lossy(&pending[..body]).to_ascii_lowercase();
    let length = fields.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let end = body + length;
    while pending.len() < end {
        if more(stream, pending)? == 0 {
            return Ok(None);
        }
    }
    let posted = pending[body..end].to_vec();
    pending.drain(..end);
    Ok(Some(posted))
}

fn more(stream: &mut TcpStream, pending: &mut Vec<u8>) -> std::io::Result<usize> {
    let mut buffer = [0; 16 * 1024];
    let bytes = stream.read(&mut buffer)?;
    pending.extend_from_slice(&buffer[..bytes]);
    Ok(bytes)
}
