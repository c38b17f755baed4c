#![doc = include_str!("../CONTROL.md")]

use std::io::{self, BufRead, Write};
use std::net::SocketAddr;
use std::time::Duration;

use heapmark_protocol::{LineWriter, MAX_LINE, Message, ParseError};
use rustix::process::{Signal, set_parent_process_death_signal};

use crate::clock::nanos;
use crate::{Amount, Error, Expected, Failure, Generator, Latencies, Load, Method, Outcome, Request, Target, run_on};

/// The longest body of a request that is taken: a mistyped length must not take all memory.
const LONGEST_BODY: u64 = 1 << 30;

/// How much of a histogram goes into a line, so that there is room for the rest of it.
const PART: usize = MAX_LINE - 256;

/// Has the kernel kill this process when the thread that started it ends.
pub fn die_with_parent() {
    // Where it is refused, the end of standard input ends the process too.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// Does what it is told until there is nothing more to read. What cannot be done is told as an answer too, and ends it.
pub fn serve(mut input: impl BufRead, mut output: impl Write) -> Result<(), Error> {
    let mut session = Session::default();
    let mut answers = Answers { line: LineWriter::new(), output: &mut output };
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = io::Read::take(&mut input, MAX_LINE as u64).read_until(b'\n', &mut line);
        if read.map_err(Error::system("cannot read what to do"))? == 0 {
            return Ok(());
        }
        if let Err(error) = session.answer(&line, &mut input, &mut answers) {
            answers.line.start("error").text("message", &error.to_string());
            answers.send()?;
            return Err(error);
        }
    }
}

/// Where answers go.
struct Answers<'a, W> {
    line: LineWriter,
    output: &'a mut W,
}

impl<W: Write> Answers<'_, W> {
    /// Sends the line that was written.
    fn send(&mut self) -> Result<(), Error> {
        let sent = self.output.write_all(self.line.finish()).and_then(|()| self.output.flush());
        sent.map_err(Error::system("cannot answer"))
    }
}

/// What is remembered from line to line.
#[derive(Default)]
struct Session {
    generator: Option<Generator>,
    /// The target's rate.
    rate: Option<u64>,
    latencies: Latencies,
}

impl Session {
    fn answer(
        &mut self,
        line: &[u8],
        input: &mut impl BufRead,
        answers: &mut Answers<'_, impl Write>,
    ) -> Result<(), Error> {
        let line =
            line.strip_suffix(b"\n").ok_or_else(|| ParseError::new("a line that does not end, or is too long"))?;
        let message = Message::parse(line)?;
        match message.verb() {
            "target" => {
                let target = target(&message, input)?;
                // Those of the last target go first: descriptors are scarce.
                self.generator = None;
                self.rate = rate(&message)?;
                self.latencies.clear();
                let open = if target.request.keep_alive() { target.connections as u64 } else { 0 };
                self.generator = Some(Generator::connect(&target)?);
                answers.line.start("connected").number("connections", open);
                answers.line.number("request_len", target.request.bytes().len() as u64);
                answers.send()
            }
            "go" => {
                let generator = self.generator.as_mut().ok_or_else(|| ParseError::new("`go` without a target"))?;
                let rate = if message.optional_number("rate")?.is_some() { rate(&message)? } else { self.rate };
                let load = Load { amount: Amount::Requests(message.number("requests")?), rate };
                let outcome = generator.run(&load, &|| false)?;
                done(&outcome, &mut answers.line);
                answers.send()?;
                // Who waits for the answer need not wait for this.
                self.latencies.merge(&outcome.latencies);
                Ok(())
            }
            "histogram" => {
                let encoded = self.latencies.encoded();
                let parts = encoded.as_bytes().chunks(PART);
                let count = parts.len() as u64;
                for (number, part) in (0..).zip(parts) {
                    let data = String::from_utf8_lossy(part);
                    answers.line.start("histogram").number("part", number).number("parts", count).text("data", &data);
                    answers.send()?;
                }
                Ok(())
            }
            "summary" => {
                answers.line.start("summary");
                latencies(&self.latencies, &mut answers.line);
                answers.send()
            }
            "reset" => {
                self.latencies.clear();
                answers.line.start("reset");
                answers.send()
            }
            other => Err(ParseError::new(format!("{other:?} is not understood")).into()),
        }
    }
}

/// The target that a line describes, and the body that follows it.
fn target(message: &Message<'_>, input: &mut impl BufRead) -> Result<Target, Error> {
    let body = body(message.optional_number("body_len")?.unwrap_or(0), input)?;
    let text = message.text("address")?;
    let address: SocketAddr =
        text.parse().map_err(|_| ParseError::new(format!("address={text} is no address with a port")))?;
    let word = message.optional_text("method")?.unwrap_or("GET".into());
    let method =
        Method::from_word(&word).ok_or_else(|| ParseError::new(format!("method={word} is neither GET nor POST")))?;
    let path = message.optional_text("path")?.unwrap_or("/".into());
    let mut headers = Vec::new();
    for pair in message.pairs() {
        let (key, value) = pair?;
        if let Some(name) = key.strip_prefix("header:") {
            headers.push((name.to_owned(), value.into_owned()));
        }
    }
    if let Some(processors) = message.optional_text("cpus")? {
        let numbers: Result<Vec<usize>, _> = processors.split(',').map(str::parse).collect();
        run_on(&numbers.map_err(|_| ParseError::new(format!("cpus={processors} is not numbers with commas")))?)?;
    }
    let checksum = message.optional_number("expect_checksum")?.map(u32::try_from).transpose();
    Ok(Target {
        address,
        request: Request::new(
            method,
            &address.to_string(),
            &path,
            &headers,
            &body,
            flag(message, "keep_alive", true)?,
        )?,
        connections: count(message, "connections")?,
        threads: count(message, "threads")?,
        timeout: Duration::from_millis(message.optional_number("timeout_ms")?.unwrap_or(10_000)),
        expected: Expected::Like {
            length: message.optional_number("expect_len")?,
            checksum: checksum.map_err(|_| ParseError::new("expect_checksum is of more than 32 bits"))?,
        },
    })
}

fn body(length: u64, input: &mut impl BufRead) -> Result<Vec<u8>, Error> {
    let size = usize::try_from(length).ok().filter(|_| length <= LONGEST_BODY);
    let size = size.ok_or_else(|| ParseError::new(format!("body_len={length} is more than {LONGEST_BODY}")))?;
    let mut body = vec![0; size];
    input.read_exact(&mut body).map_err(Error::system("cannot read the body of the request"))?;
    Ok(body)
}

fn rate(message: &Message<'_>) -> Result<Option<u64>, Error> {
    Ok(message.optional_number("rate")?.filter(|rate| *rate > 0))
}

fn count(message: &Message<'_>, key: &str) -> Result<usize, Error> {
    let number = message.optional_number(key)?.unwrap_or(1);
    usize::try_from(number).map_err(|_| ParseError::new(format!("{key}={number} is too many")).into())
}

fn flag(message: &Message<'_>, key: &str, default: bool) -> Result<bool, Error> {
    match message.optional_number(key)? {
        None => Ok(default),
        Some(0) => Ok(false),
        Some(1) => Ok(true),
        Some(other) => Err(ParseError::new(format!("{key}={other} is neither 0 nor 1")).into()),
    }
}

/// Writes what came of a load.
fn done(outcome: &Outcome, line: &mut LineWriter) {
    line.start("done")
        .number("requests", outcome.requests)
        .number("bytes", outcome.bytes)
        .number("body_bytes", outcome.body_bytes)
        .number("checksum", outcome.checksum)
        .number("opened", outcome.opened);
    for failure in Failure::ALL {
        line.number(&format!("errors_{failure}"), outcome.failures.count(failure));
    }
    if let Some(first) = outcome.failures.first() {
        line.text("first_error", first);
    }
    line.number("wall_ns", nanos(outcome.wall))
        .number("user_ns", nanos(outcome.user))
        .number("system_ns", nanos(outcome.system));
    latencies(&outcome.latencies, line);
}

/// Writes latencies in a few numbers, where there are any.
fn latencies(latencies: &Latencies, line: &mut LineWriter) {
    if let Some(summary) = latencies.summary() {
        line.number("min", summary.min_ns).number("mean", summary.mean_ns).number("sd", summary.sd_ns);
        for share in &summary.within {
            line.number(&format!("p{}", share.percent), share.ns);
        }
        line.number("max", summary.max_ns);
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// What is answered, line by line, and how it ends.
    fn told(input: &[u8]) -> (Vec<String>, Result<(), Error>) {
        let mut output = Vec::new();
        let result = serve(input, &mut output);
        let output = String::from_utf8(output).expect("lines are ASCII");
        (output.lines().map(str::to_owned).collect(), result)
    }

    #[test]
    fn the_end_of_the_input_is_the_end() {
        let (lines, result) = told(b"");
        assert!(lines.is_empty() && result.is_ok());
        let (lines, result) = told(b"reset\nreset\n");
        assert!(result.is_ok());
        assert_eq!(lines, ["reset", "reset"]);
    }

    #[test]
    fn what_makes_no_sense_is_answered_and_ends_it() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let target = |more: &str| format!("target address={address} {more}\n");
        for (input, why) in [
            ("nonsense\n".into(), "not%20understood"),
            ("Go!\n".into(), "not%20a%20message"),
            ("go requests=1\n".into(), "without%20a%20target"),
            ("reset".into(), "does%20not%20end"),
            (format!("go {}\n", "x".repeat(MAX_LINE)), "too%20long"),
            ("target path=/\n".into(), "lacks%20address="),
            ("target address=localhost\n".into(), "no%20address"),
            (target("method=HEAD"), "neither%20GET%20nor%20POST"),
            (target("path=x"), "cannot%20be%20the%20path"),
            (target("keep_alive=2"), "neither%200%20nor%201"),
            (target("connections=0"), "at%20least%20one%20connection"),
            (target("threads=2"), "at%20least%20one%20thread"),
            (target("timeout_ms=0"), "longer%20timeout"),
            (target("expect_checksum=4294967296"), "32%20bits"),
            (target("cpus=x"), "numbers%20with%20commas"),
            (target("header:host=x"), "sets%20this%20header"),
            (target("body_len=1073741825"), "more%20than"),
            (target("body_len=5"), "body%20of%20the%20request"),
            (target("connections=4294967295"), "are%20possible"),
        ] {
            let (lines, result) = told(input.as_bytes());
            let shown: String = input.chars().take(80).collect();
            assert!(result.is_err(), "{shown}");
            let [line] = lines.as_slice() else { panic!("{shown}: {lines:?}") };
            assert!(line.starts_with("error message=") && line.contains(why), "{shown}: {line}");
        }
    }

    #[test]
    fn a_summary_of_nothing_has_no_latencies() {
        let (lines, result) = told(b"summary\n");
        assert!(result.is_ok());
        assert_eq!(lines, ["summary"]);
    }

    #[test]
    fn a_histogram_of_nothing_is_one_line() {
        let (lines, result) = told(b"histogram\n");
        assert!(result.is_ok());
        assert_eq!(lines, [format!("histogram part=0 parts=1 data={}", Latencies::new().encoded())]);
    }
}
