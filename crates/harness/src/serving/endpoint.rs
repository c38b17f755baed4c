//! Where a server's figures are asked for, over HTTP: answered by this process, from what the kernel says of the server's. The server
//! has no part in it.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use httparse::{EMPTY_HEADER, Request, Status};
use rustix::net::{Shutdown, shutdown};

use super::probe::Portrait;
use crate::Error;
use crate::process::Look;

/// The path of everything that is known of the server: a [`Probe`](super::Probe) in JSON.
pub const ALL: &str = "/";

/// The same without what the kernel has to count, so that nobody in the server waits for that: for those who ask often.
pub const BRIEF: &str = "/brief";

/// The path of the body of a request, as it is.
pub const REQUEST: &str = "/request";

/// The path of the body of the right answer, as it is.
pub const ANSWER: &str = "/answer";

/// The longest head of a request that is read.
const LONGEST_HEAD: usize = 8192;

/// Header fields of a request, at most.
const MOST_FIELDS: usize = 64;

/// How long somebody who asks may keep silent.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where nobody can be taken in, for want of descriptors or threads, it is tried again after so long.
const PAUSE: Duration = Duration::from_millis(10);

/// A port for probes, before there is a server to ask about.
#[derive(Debug)]
pub struct ProbesPort(TcpListener);

/// Answers whoever asks. Dropping it ends that.
#[derive(Debug)]
pub struct Probes {
    address: SocketAddr,
    listener: Arc<TcpListener>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ProbesPort {
    /// Listens at this address; with port 0, on a free one. Fails where it is not to be had.
    pub fn listen(address: SocketAddr) -> Result<Self, Error> {
        let fail = |source| Error::File { action: "cannot listen on", path: address.to_string().into(), source };
        TcpListener::bind(address).map(Self).map_err(fail)
    }

    /// Begins to answer.
    pub(super) fn answer(self, portrait: Arc<Portrait>) -> Result<Probes, Error> {
        let Self(listener) = self;
        let fail = |source| Error::File { action: "cannot answer on", path: "the port for probes".into(), source };
        let address = listener.local_addr().map_err(fail)?;
        let (listener, ended) = (Arc::new(listener), Arc::new(AtomicBool::new(false)));
        let accepting = (Arc::clone(&listener), Arc::clone(&ended));
        let thread = std::thread::Builder::new().name("probes".into());
        let thread = thread.spawn(move || accept(&accepting.0, &accepting.1, &portrait)).map_err(fail)?;
        Ok(Probes { address, listener, ended, thread: Some(thread) })
    }
}

impl Probes {
    /// Where they are asked for, with the port that it has.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Probes {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for somebody: on Linux it then finds that the socket listens no more.
        let _ = shutdown(&*self.listener, Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Takes in everybody, each on a thread of their own, so that nobody waits for one that is slow.
fn accept(listener: &TcpListener, ended: &AtomicBool, portrait: &Arc<Portrait>) {
    while !ended.load(Ordering::Relaxed) {
        let taken = listener.accept().and_then(|(stream, _)| {
            let portrait = Arc::clone(portrait);
            // Who goes away in the middle is not told.
            std::thread::Builder::new().name("probe".into()).spawn(move || _ = converse(stream, &portrait))
        });
        if taken.is_err() && !ended.load(Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Answers one request and closes the connection.
fn converse(mut stream: TcpStream, portrait: &Portrait) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut head = Vec::new();
    let reply = loop {
        let mut buffer = [0; 1024];
        let bytes = stream.read(&mut buffer)?;
        if bytes == 0 {
            return Ok(());
        }
        head.extend_from_slice(&buffer[..bytes]);
        if let Some(reply) = reply(&head, portrait) {
            break reply;
        }
    };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        reply.status,
        reply.content_type,
        reply.body.len()
    );
    stream.write_all(&[head.as_bytes(), &reply.body].concat())
}

/// What is sent back.
#[derive(Debug, PartialEq, Eq)]
struct Reply {
    status: &'static str,
    content_type: String,
    body: Vec<u8>,
}

impl Reply {
    fn refusal(status: &'static str, why: &str) -> Self {
        Self { status, content_type: "text/plain".into(), body: format!("{why}\n").into_bytes() }
    }
}

/// What is answered to the bytes that came so far; nothing while the head of the request is not whole.
fn reply(head: &[u8], portrait: &Portrait) -> Option<Reply> {
    let mut fields = [EMPTY_HEADER; MOST_FIELDS];
    let mut request = Request::new(&mut fields);
    match request.parse(head) {
        Ok(Status::Partial) if head.len() < LONGEST_HEAD => return None,
        Ok(Status::Partial) => return Some(Reply::refusal("431 Request Header Fields Too Large", "too long a head")),
        Err(error) => return Some(Reply::refusal("400 Bad Request", &error.to_string())),
        Ok(Status::Complete(_)) => {}
    }
    if request.method != Some("GET") {
        return Some(Reply::refusal("405 Method Not Allowed", "only GET is answered"));
    }
    let path = request.path.unwrap_or_default();
    Some(match path.split('?').next().unwrap_or_default() {
        ALL => figures(portrait, Look::Thorough),
        BRIEF => figures(portrait, Look::Brief),
        REQUEST => body(portrait, &portrait.request),
        ANSWER => body(portrait, &portrait.answer),
        _ => {
            let known = [ALL, BRIEF, REQUEST, ANSWER].join(", ");
            Reply::refusal("404 Not Found", &format!("there are: {known}"))
        }
    })
}

fn figures(portrait: &Portrait, look: Look) -> Reply {
    let Some(probe) = portrait.probe(look) else {
        return Reply::refusal("503 Service Unavailable", "the server is dead");
    };
    match serde_json::to_vec(&probe) {
        Ok(body) => Reply { status: "200 OK", content_type: "application/json".into(), body },
        Err(error) => Reply::refusal("500 Internal Server Error", &error.to_string()),
    }
}

fn body(portrait: &Portrait, body: &[u8]) -> Reply {
    Reply { status: "200 OK", content_type: portrait.questions.content_type.clone(), body: body.to_vec() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::process::{Child, Command, Stdio};
    use std::time::Instant;

    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    use super::super::{Probe, Questions};
    use super::*;
    use crate::process::{Subject, Vitals};
    use crate::record::{IdentityRow, Kind};

    /// A process that lives until its input ends.
    fn alive() -> (Child, Arc<Portrait>) {
        let child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("there is cat");
        let process = Pid::from_child(&child);
        let portrait = Portrait {
            subject: Subject::new(process, pidfd_open(process, PidfdFlags::empty()).expect("it is there")),
            begun: Instant::now(),
            at_first: Vitals::default(),
            contender: "mine@a:1".into(),
            identity: IdentityRow {
                crate_name: String::new(),
                crate_version: String::new(),
                upstream_version: "1".into(),
                licence: String::new(),
                forwards: String::new(),
                kind: Kind::Allocator,
                proof: "api".into(),
                proof_detail: String::new(),
                build: String::new(),
                features: String::new(),
                knobs: BTreeMap::new(),
                start_rss: None,
            },
            workload: "service/rpc?threads=2".into(),
            questions: Questions { method: "POST".into(), path: "/rpc".into(), content_type: "text/x".into() },
            request: b"asked".to_vec(),
            answer: b"told".to_vec(),
        };
        (child, Arc::new(portrait))
    }

    fn end(mut child: Child) {
        drop(child.stdin.take());
        child.wait().expect("it ends with its input");
    }

    #[test]
    fn each_path_has_its_answer_and_others_are_told() {
        let (child, portrait) = alive();
        let ask = |path: &str| reply(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes(), &portrait).unwrap();
        let figures = |path: &str| -> Probe { serde_json::from_slice(&ask(path).body).expect("it is a probe") };
        let all = figures(ALL);
        assert_eq!((&*all.contender, &*all.workload), ("mine@a:1", "service/rpc?threads=2"));
        assert_eq!((all.process, &all.questions), (child.id(), &portrait.questions));
        assert!(all.rss.is_some() && all.descriptors.is_some());
        assert!(figures("/brief?x=1").descriptors.is_none());
        for (path, body) in [(REQUEST, "asked"), (ANSWER, "told")] {
            let reply = ask(path);
            assert_eq!((reply.status, &*reply.content_type, &*reply.body), ("200 OK", "text/x", body.as_bytes()));
        }
        assert!(ask("/else").status.starts_with("404"));
        end(child);
        assert!(ask(ALL).status.starts_with("503"));
    }

    #[test]
    fn a_request_may_come_in_pieces_but_not_without_end_or_sense() {
        let (child, portrait) = alive();
        let whole = b"GET /answer HTTP/1.0\r\n\r\n";
        for length in 0..whole.len() {
            assert_eq!(reply(&whole[..length], &portrait), None);
        }
        assert_eq!(reply(whole, &portrait).map(|reply| reply.body), Some(b"told".to_vec()));
        let endless = [b"GET / HTTP/1.1\r\nx: ".to_vec(), vec![b'y'; LONGEST_HEAD]].concat();
        for (head, status) in
            [(&endless[..], "431"), (b"POST / HTTP/1.1\r\n\r\n", "405"), (b"\x16\x03\x01 nonsense\r\n\r\n", "400")]
        {
            let reply = reply(head, &portrait).expect("there is something to say");
            assert!(reply.status.starts_with(status), "{reply:?}");
        }
        end(child);
    }

    #[test]
    fn whoever_asks_is_answered_until_it_is_over_even_beside_one_who_says_nothing() {
        let (child, portrait) = alive();
        let port = ProbesPort::listen(([127, 0, 0, 1], 0).into()).expect("there is a port");
        let probes = port.answer(portrait).expect("there is a thread");
        let address = probes.address();
        let silent = TcpStream::connect(address).expect("it listens");
        let mut asking = TcpStream::connect(address).expect("it listens");
        asking.write_all(b"GET /request HTTP/1.1\r\n\r\n").expect("it listens");
        let mut answer = String::new();
        asking.read_to_string(&mut answer).expect("it is closed after the answer");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nasked"), "{answer}");
        assert!(
            ProbesPort::listen(address).expect_err("it is taken").to_string().contains("cannot listen on 127.0.0.1:")
        );
        drop((silent, probes));
        assert!(TcpStream::connect(address).is_err());
        end(child);
    }
}
