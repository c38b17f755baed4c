//! The program, as a worker drives it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use heapmark_load::Digest;
use heapmark_protocol::{MAX_LINE, Message};

use crate::server::{BODY, Manner, Server};

const PROGRAM: &str = env!("CARGO_BIN_EXE_heapmark-load");

/// The program, and the two ends by which it is driven.
struct Driven {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Driven {
    fn start() -> Self {
        let mut child = Command::new(PROGRAM)
            .arg("control")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program is built");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it has an output"));
        Self { child, input, output }
    }

    /// Says something, and reads one line of answer.
    fn ask(&mut self, bytes: &[u8]) -> String {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("it listens");
        self.line()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        assert!(line.ends_with('\n') && line.len() <= MAX_LINE, "{line:?}");
        line.pop();
        line
    }

    /// Latencies since the last reset.
    fn histogram(&mut self) -> Histogram<u64> {
        let mut line = self.ask(b"histogram\n");
        let mut data = String::new();
        for part in 0.. {
            let message = Message::parse(line.as_bytes()).expect("it is a message");
            assert_eq!((message.verb(), message.number("part")), ("histogram", Ok(part)));
            data += &message.text("data").expect("there are data");
            if part + 1 == message.number("parts").expect("there is their number") {
                break;
            }
            line = self.line();
        }
        let bytes = STANDARD.decode(data).expect("it is base64");
        Deserializer::new().deserialize(&mut bytes.as_slice()).expect("it is a histogram")
    }

    /// Closes the input. How the program ends.
    fn end(mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().expect("it ends").code()
    }
}

fn number(line: &str, key: &str) -> u64 {
    let message = Message::parse(line.as_bytes()).expect("it is a message");
    message.number(key).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn a_worker_drives_it_line_by_line() {
    let server = Server::start(|number| if number % 10 == 9 { Manner::Status(500) } else { Manner::Length });
    let Digest { length, checksum } = Digest::of(BODY);
    let mut driven = Driven::start();
    let line = format!(
        "target address={} path=/hello connections=3 expect_len={length} expect_checksum={checksum} timeout_ms=60000\n",
        server.address
    );
    let sent = format!("GET /hello HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).len();
    assert_eq!(driven.ask(line.as_bytes()), format!("connected connections=3 request_len={sent}"));
    for (turn, line) in [&b"go requests=100\n"[..], b"go requests=100 rate=5000\n"].into_iter().enumerate() {
        let done = driven.ask(line);
        assert!(done.starts_with("done "), "{done}");
        assert_eq!((number(&done, "requests"), number(&done, "errors_status")), (90, 10), "{done}");
        for key in ["connect", "reset", "timeout", "body", "truncated", "protocol"] {
            assert_eq!(number(&done, &format!("errors_{key}")), 0, "{done}");
        }
        assert_eq!(number(&done, "body_bytes"), 90 * length);
        assert_eq!(number(&done, "checksum"), 90 * u64::from(checksum));
        assert_eq!(number(&done, "opened"), 0);
        assert!(number(&done, "bytes") > 100 * length, "{done}");
        assert!(done.contains(" first_error=status:%20500 "), "{done}");
        let keys = ["min", "p50", "p66", "p75", "p80", "p90", "p95", "p98", "p99", "p99.9", "max", "wall_ns"];
        let values = keys.map(|key| number(&done, key));
        assert!(values[0] > 0 && values.is_sorted(), "{done}");
        assert!((values[0]..=values[10]).contains(&number(&done, "mean")), "{done}");
        number(&done, "sd");
        number(&done, "user_ns");
        number(&done, "system_ns");
        assert_eq!(driven.histogram().len(), 90 * (turn as u64 + 1), "all since the target");
        let summary = driven.ask(b"summary\n");
        assert!(summary.starts_with("summary min=") && number(&summary, "max") >= values[10], "{summary}");
    }
    assert_eq!(driven.ask(b"reset\n"), "reset");
    assert_eq!(driven.ask(b"summary\n"), "summary");
    assert!(driven.histogram().is_empty());
    assert_eq!(driven.end(), Some(0));
    assert_eq!((server.accepted(), server.requests()), (3, 200));
}

#[test]
fn a_body_follows_its_line_and_a_target_can_be_replaced() {
    let server = Server::start(|_| Manner::Echo);
    let mut driven = Driven::start();
    // With a line feed in it, which ends no line.
    let body: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let Digest { length, checksum } = Digest::of(&body);
    let line = format!(
        "target address={} method=POST keep_alive=0 connections=2 header:content-type=text/plain body_len={length} \
         expect_len={length} expect_checksum={checksum}\n",
        server.address
    );
    let connected = driven.ask(&[line.as_bytes(), &body].concat());
    assert!(
        connected.starts_with("connected connections=0 ") && number(&connected, "request_len") > length,
        "{connected}"
    );
    let done = driven.ask(b"go requests=6\n");
    assert_eq!((number(&done, "requests"), number(&done, "opened")), (6, 6), "{done}");

    let other = Server::start(|_| Manner::Length);
    let line = format!("target address={} threads=2 connections=4 rate=10000\n", other.address);
    assert_eq!(number(&driven.ask(line.as_bytes()), "connections"), 4);
    assert!(driven.histogram().is_empty(), "a new target has no latencies yet");
    assert_eq!(number(&driven.ask(b"go requests=50\n"), "requests"), 50);
    assert_eq!(other.requests(), 50);
    let done = driven.ask(b"go requests=0\n");
    assert!(number(&done, "requests") == 0 && !done.contains(" max="), "{done}");
    assert_eq!(driven.end(), Some(0));
}

#[test]
fn what_cannot_be_done_is_an_answer_and_the_end() {
    let gone = Server::start(|_| Manner::Length).address;
    let mut driven = Driven::start();
    let answer = driven.ask(format!("target address={gone}\n").as_bytes());
    let message = Message::parse(answer.as_bytes()).expect("it is a message");
    assert_eq!(message.verb(), "error");
    let text = message.text("message").expect("it says why");
    assert!(text.contains("cannot connect") && text.contains(&gone.to_string()), "{text}");
    assert_eq!(driven.child.wait().expect("it ends").code(), Some(1));

    for arguments in [&[][..], &["frobnicate"], &["control", "more"]] {
        let output = Command::new(PROGRAM).args(arguments).output().expect("the program is built");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && output.stderr.starts_with(b"usage: heapmark-load control"));
    }
}

#[test]
fn it_dies_with_who_started_it() {
    // The shell starts it and is killed; its input stays open, so that only the kernel can end it.
    let script = r#"exec 3<&0; "$0" control <&3 & wait"#;
    let mut shell = Command::new("sh")
        .args(["-c", script, PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    let mut input = shell.stdin.take().expect("it has an input");
    let mut output = BufReader::new(shell.stdout.take().expect("it has an output"));
    input.write_all(b"reset\n").expect("it listens");
    let mut line = String::new();
    output.read_line(&mut line).expect("it answers");
    assert_eq!(line, "reset\n");
    shell.kill().and_then(|()| shell.wait()).expect("the shell is ours");
    // Ends when nobody has the other end of the output any more.
    assert_eq!(output.read_to_end(&mut Vec::new()).expect("it can be read"), 0);
    drop(input);
}
