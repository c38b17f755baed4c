//! A worker, driven by hand: the harness would calibrate each time anew, and what is compared here must have turns of the
//! same length.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use heapmark::Case;
use heapmark_protocol::{Failure, LineWriter, Message, PARAMETER_PREFIX, Prepare, Turn, Turned, verb};

/// A worker that has prepared its workload. Dropping it ends it.
pub(crate) struct Worker {
    process: Child,
    requests: UnixStream,
    answers: BufReader<UnixStream>,
    line: LineWriter,
}

impl Worker {
    /// Starts it with what `command` runs, and has it prepare the workload.
    pub(crate) fn prepared(mut command: Command, case: &Case) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("cannot start a worker: {error}");
        let (requests, theirs) = UnixStream::pair().map_err(failed)?;
        let answers = BufReader::new(requests.try_clone().map_err(failed)?);
        let process = command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null()).spawn();
        // The command keeps their end open as long as it is there, and then nobody would see the worker go.
        drop(command);
        let mut worker = Self { process: process.map_err(failed)?, requests, answers, line: LineWriter::new() };
        worker.wait_for(verb::READY)?;
        Prepare { workload: case.workload.as_str().into(), seed: 1 }.write(&mut worker.line);
        for (name, value) in &case.parameters {
            worker.line.text(&format!("{PARAMETER_PREFIX}{name}"), value);
        }
        worker.send()?;
        worker.wait_for(verb::Prepared)?;
        Ok(worker)
    }

    /// Does a turn of so many units; the wall time that it took.
    pub(crate) fn turn(&mut self, units: u64) -> Result<u64, String> {
        Turn { units }.write(&mut self.line);
        self.send()?;
        let answer = self.wait_for(verb::Turned)?;
        let turned = Message::parse(&answer).and_then(|message| Turned::read(&message));
        turned.map(|turned| turned.wall_ns).map_err(|error| error.to_string())
    }

    /// Has it exit, and waits until it has.
    pub(crate) fn quit(mut self) -> Result<(), String> {
        self.line.start(verb::QUIT);
        self.send()?;
        let status = self.process.wait().map_err(|error| format!("cannot wait for a worker: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("a worker ended with {status}")) }
    }

    fn send(&mut self) -> Result<(), String> {
        let line = self.line.finish();
        self.requests.write_all(line).map_err(|error| format!("cannot talk to a worker: {error}"))
    }

    /// Reads answers up to this one.
    fn wait_for(&mut self, wanted: &str) -> Result<Vec<u8>, String> {
        loop {
            let mut line = Vec::new();
            let read = self.answers.read_until(b'\n', &mut line);
            if read.map_err(|error| format!("cannot listen to a worker: {error}"))? == 0 {
                return Err("a worker has ended early".into());
            }
            line.pop();
            let message = Message::parse(&line).map_err(|error| error.to_string())?;
            if message.verb() == verb::Failure {
                let failure = Failure::read(&message).map_err(|error| error.to_string())?;
                return Err(failure.message.into_owned());
            }
            if message.verb() == wanted {
                return Ok(line);
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // One that has quit is gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
