//! The load generator, a child process: `heapmark-load control`, told line by line what to do.
//!
//! It is found beside this worker's own program, where Cargo and whoever installs both put it. Its environment is empty, so that no
//! knob and no preloaded library of the allocator under test reaches it; and it ends with this process.

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use heapmark_protocol::{LineWriter, MAX_LINE, Message, ParseError};
use heapmark_worker::Requests;

use crate::endpoints::Route;

/// What the program is called.
const PROGRAM: &str = "heapmark-load";

/// Names another program in its place, for those who start a worker by hand; a harness empties the environment.
const VARIABLE: &str = "HEAPMARK_LOAD";

/// After how long a request has failed.
const TIMEOUT_MS: u64 = 10_000;

/// What clients ask for, and what they should get.
pub(crate) struct Target<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) route: Route,
    pub(crate) body: &'a [u8],
    pub(crate) expected: &'a [u8],
    pub(crate) connections: usize,
    pub(crate) keep_alive: bool,
}

/// What came of a number of requests, all of which were answered as expected.
pub(crate) struct Done {
    pub(crate) requests: u64,
    /// Of all bodies.
    pub(crate) checksum: u64,
}

/// The generator at work; dropping it ends it.
pub(crate) struct Generator {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    line: LineWriter,
    answers: Answers,
    /// Bytes of each request.
    request_len: u64,
    /// Since the last reset, but for latency, which it knows itself.
    totals: Totals,
}

#[derive(Clone, Copy, Default)]
struct Totals {
    requests: u64,
    received: u64,
    user_ns: u64,
    system_ns: u64,
}

impl Generator {
    /// Starts it. Fails with where it should be, if it is not there.
    pub(crate) fn start() -> Result<Self, String> {
        let program = program()?;
        let mut child = Command::new(&program)
            .arg("control")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the load generator {} cannot be started: {error}", program.display()))?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the load generator has no pipes".into());
        };
        let (line, answers, totals) = (LineWriter::new(), Answers::new(), Totals::default());
        Ok(Self { child, to, from, line, answers, request_len: 0, totals })
    }

    /// Tells it what to ask whom for, and waits until all connections are made.
    pub(crate) fn aim(&mut self, target: &Target<'_>) -> Result<(), String> {
        self.line
            .start("target")
            .display("address", format_args!("{}", target.address))
            .text("method", target.route.method.name())
            .text("path", target.route.path)
            .number("connections", target.connections as u64)
            .number("keep_alive", target.keep_alive.into())
            .number("body_len", target.body.len() as u64)
            .number("expect_len", target.expected.len() as u64)
            .number("expect_checksum", crc32fast::hash(target.expected).into())
            .number("timeout_ms", TIMEOUT_MS);
        if !target.body.is_empty() {
            self.line.text("header:content-type", target.route.content_type);
        }
        let sent = self.to.write_all(self.line.finish()).and_then(|()| self.to.write_all(target.body));
        // Where it is gone, its last answer says more.
        let answered = self.answer("connected", |connected| connected.number("request_len"));
        self.request_len = answered?;
        sent.map_err(|error| format!("the load generator does not listen: {error}"))
    }

    /// Has it make so many requests, at this rate in a second or, with 0, as fast as they are answered. Fails where one was not answered
    /// as expected.
    pub(crate) fn go(&mut self, requests: u64, rate: u64) -> Result<Done, String> {
        self.line.start("go").number("requests", requests).number("rate", rate);
        let (done, more) = self.ask("done", |done| {
            if let Some(why) = failures(done)? {
                return Ok(Err(format!("of {requests} requests {why} failed")));
            }
            let totals = Totals {
                requests: done.number("requests")?,
                received: done.number("bytes")?,
                user_ns: done.number("user_ns")?,
                system_ns: done.number("system_ns")?,
            };
            Ok(Ok((Done { requests: totals.requests, checksum: done.number("checksum")? }, totals)))
        })??;
        let totals = &mut self.totals;
        for (total, more) in [
            (&mut totals.requests, more.requests),
            (&mut totals.received, more.received),
            (&mut totals.user_ns, more.user_ns),
            (&mut totals.system_ns, more.system_ns),
        ] {
            *total = total.saturating_add(more);
        }
        Ok(done)
    }

    /// Has it forget all requests until now.
    pub(crate) fn reset(&mut self) -> Result<(), String> {
        self.totals = Totals::default();
        self.line.start("reset");
        self.ask("reset", |_| Ok(()))
    }

    /// What the requests since the last reset came to; nothing where there were none.
    pub(crate) fn summary(&mut self) -> Result<Option<Requests>, String> {
        let (totals, request_len) = (self.totals, self.request_len);
        if totals.requests == 0 {
            return Ok(None);
        }
        self.line.start("summary");
        self.ask("summary", |summary| {
            Ok(Some(Requests {
                count: totals.requests,
                min_ns: summary.number("min")?,
                mean_ns: summary.number("mean")?,
                sd_ns: summary.number("sd")?,
                p50_ns: summary.number("p50")?,
                p66_ns: summary.number("p66")?,
                p75_ns: summary.number("p75")?,
                p80_ns: summary.number("p80")?,
                p90_ns: summary.number("p90")?,
                p95_ns: summary.number("p95")?,
                p98_ns: summary.number("p98")?,
                p99_ns: summary.number("p99")?,
                p999_ns: summary.number("p99.9")?,
                max_ns: summary.number("max")?,
                sent_bytes: totals.requests.saturating_mul(request_len),
                received_bytes: totals.received,
                user_ns: Some(totals.user_ns),
                system_ns: Some(totals.system_ns),
                ..Requests::default()
            }))
        })
    }

    /// Sends the line that was written and reads the answer, whose verb should be this.
    fn ask<T>(&mut self, verb: &str, read: impl FnOnce(&Message<'_>) -> Result<T, ParseError>) -> Result<T, String> {
        let sent = self.to.write_all(self.line.finish());
        // Where it is gone, its last answer says more.
        let answered = self.answer(verb, read);
        answered.and_then(|answer| match sent {
            Ok(()) => Ok(answer),
            Err(error) => Err(format!("the load generator does not listen: {error}")),
        })
    }

    fn answer<T>(&mut self, verb: &str, read: impl FnOnce(&Message<'_>) -> Result<T, ParseError>) -> Result<T, String> {
        let Some(line) = self.answers.next(&mut self.from)? else {
            let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
            return Err(format!("the load generator ended before it answered: {status}"));
        };
        let not_understood = |error: ParseError| format!("the load generator is not understood: {error}");
        let message = Message::parse(line).map_err(not_understood)?;
        match message.verb() {
            "error" => Err(message.text("message").map_err(not_understood)?.into_owned()),
            it if it == verb => read(&message).map_err(not_understood),
            other => Err(format!("the load generator answers {other:?} where {verb:?} is expected")),
        }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        // It has nothing to lose, and may be in the middle of something.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where the generator is.
fn program() -> Result<PathBuf, String> {
    let named = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let worker = std::env::current_exe().map_err(|error| format!("this program cannot be found: {error}"))?;
    found(named, &worker).ok_or_else(|| {
        format!("there is no load generator: {PROGRAM} has to lie beside this worker's program, or {VARIABLE} has to name it")
    })
}

fn found(named: Option<OsString>, worker: &Path) -> Option<PathBuf> {
    let beside = || worker.with_file_name(PROGRAM);
    Some(named.map_or_else(beside, PathBuf::from)).filter(|program| program.is_file())
}

/// How many requests failed, by how, and what the first of them says; nothing where none did.
fn failures(done: &Message<'_>) -> Result<Option<String>, ParseError> {
    let (mut kinds, mut all) = (Vec::new(), 0_u64);
    for pair in done.pairs() {
        let (key, value) = pair?;
        let Some(kind) = key.strip_prefix("errors_").filter(|_| value != "0") else { continue };
        let count = done.number(key)?;
        all = all.saturating_add(count);
        kinds.push(format!("{count} {kind}"));
    }
    if all == 0 {
        return Ok(None);
    }
    let first = done.optional_text("first_error")?.map(|first| format!("; the first: {first}")).unwrap_or_default();
    Ok(Some(format!("{all} ({}{first})", kinds.join(", "))))
}

/// Lines that are read into a buffer of fixed size, so that turns leave the heap alone.
struct Answers {
    buffer: Box<[u8]>,
    filled: usize,
    /// Length of the line handed out last, which is dropped at the next read.
    consumed: usize,
}

impl Answers {
    fn new() -> Self {
        Self { buffer: vec![0; MAX_LINE].into(), filled: 0, consumed: 0 }
    }

    /// The next line without its line feed; nothing where there is no further one.
    fn next(&mut self, from: &mut impl Read) -> Result<Option<&[u8]>, String> {
        self.buffer.copy_within(self.consumed..self.filled, 0);
        self.filled -= self.consumed;
        self.consumed = 0;
        loop {
            if let Some(end) = self.buffer[..self.filled].iter().position(|&byte| byte == b'\n') {
                self.consumed = end + 1;
                return Ok(Some(&self.buffer[..end]));
            }
            if self.filled == self.buffer.len() {
                return Err(format!("the load generator answers by more than {MAX_LINE} bytes"));
            }
            match from.read(&mut self.buffer[self.filled..]) {
                Ok(0) => return Ok(None),
                Ok(bytes) => self.filled += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("the load generator cannot be heard: {error}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out its bytes in pieces of this many.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let size = self.1.min(buffer.len());
            let (piece, rest) = self.0.split_at(size.min(self.0.len()));
            buffer[..piece.len()].copy_from_slice(piece);
            self.0 = rest;
            Ok(piece.len())
        }
    }

    #[test]
    fn lines_are_whole_however_they_arrive() {
        for size in [1, 2, 3, 7, 100] {
            let mut pieces = Pieces(b"one\ntwo three\n\ncut", size);
            let mut answers = Answers::new();
            let mut lines = Vec::new();
            while let Some(line) = answers.next(&mut pieces).expect("no line is too long") {
                lines.push(String::from_utf8(line.to_vec()).expect("it is text"));
            }
            assert_eq!(lines, ["one", "two three", ""]);
        }
    }

    #[test]
    fn an_endless_line_is_an_error() {
        let endless = vec![b'x'; MAX_LINE + 1];
        let error = Answers::new().next(&mut Pieces(&endless, 4096)).unwrap_err();
        assert!(error.contains("more than"), "{error}");
    }

    #[test]
    fn failed_requests_are_told_by_kind_with_the_first() {
        let done = b"done requests=8 errors_reset=3 errors_timeout=0 errors_status=2 first_error=status:%20500";
        let message = Message::parse(done).expect("it is a line");
        assert_eq!(failures(&message).unwrap().as_deref(), Some("5 (3 reset, 2 status; the first: status: 500)"));
        let message = Message::parse(b"done requests=8 errors_reset=0").expect("it is a line");
        assert_eq!(failures(&message), Ok(None));
    }

    #[test]
    fn a_generator_lies_beside_the_worker_unless_another_is_named() {
        let folder = std::env::temp_dir();
        let this = std::env::current_exe().expect("it is somewhere");
        assert_eq!(found(None, &folder.join("heapmark-service-none/worker")), None);
        assert_eq!(found(Some(this.clone().into()), &folder.join("worker")), Some(this.clone()));
        assert_eq!(found(Some(folder.join("no/such/program").into()), &this), None);
    }
}
