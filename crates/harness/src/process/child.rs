//! The process itself: start, wait for lines with a deadline, kill, reap.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child as StdChild, Command, Stdio};
use std::time::Duration;

use heapmark_protocol::MAX_LINE;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::capture::Capture;
use super::deadline::Deadline;
use super::prctl;
use super::subject::Subject;
use crate::{Bytes, Cancel, HugePages, Status};

/// How long each step of a sample may take before the worker is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From start to greeting.
    pub start: Duration,
    /// Preparing a workload.
    pub prepare: Duration,
    /// One turn.
    pub turn: Duration,
    /// Dropping everything, and exiting.
    pub finish: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            prepare: Duration::from_mins(1),
            turn: Duration::from_secs(30),
            finish: Duration::from_secs(30),
        }
    }
}

/// How long a worker that closed its channel may take to die before it is killed: long enough to write a core file.
const DEATH: Duration = Duration::from_secs(10);

/// A running worker. Dropping it kills its whole process group and reaps it.
#[derive(Debug)]
pub(crate) struct Child {
    process: StdChild,
    group: Pid,
    death: OwnedFd,
    channel: UnixStream,
    inbox: Vec<u8>,
    stdout: Capture,
    stderr: Capture,
    oom_kills: Option<u64>,
    reaped: bool,
    memory_limit: Option<Bytes>,
    cancel: Cancel,
}

/// How often the memory of a worker with a limit is looked at while its answer is waited for: what it can write to in this time
/// is how far it can get beyond the limit. A turn as long as this is over before the first look.
const WATCH: Duration = Duration::from_millis(10);

/// How soon a wish to cancel is noticed. Answers come long before, so nobody is woken for it while turns are taken.
const ATTENTION: Duration = Duration::from_millis(200);

impl Child {
    /// Starts `program` with nothing but these variables in its environment, and with these huge pages where they are asked for.
    /// It is killed where its memory is seen to be above the limit, if there is one.
    pub(crate) fn start(
        program: &Path,
        environment: &BTreeMap<String, String>,
        huge_pages: Option<HugePages>,
        memory_limit: Option<Bytes>,
        cancel: &Cancel,
    ) -> Result<Self, Status> {
        let failed = |error: std::io::Error| {
            // The file's name and not its path: records are shared between machines.
            let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
            Status::FailedToStart { detail: format!("cannot start {name:?}: {error}") }
        };
        let oom_kills = oom_kills();
        let (channel, theirs) = UnixStream::pair().map_err(failed)?;
        channel.set_nonblocking(true).map_err(failed)?;
        // A path and not a command: one without a slash would be looked for on PATH.
        let mut command = Command::new(Path::new(".").join(program));
        command
            .env_clear()
            .envs(environment)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(mode) = huge_pages {
            prctl::set_huge_pages(&mut command, mode);
        }
        let mut child = command.spawn().map_err(|error| match huge_pages {
            Some(mode) if error.raw_os_error() == Some(prctl::REFUSED) => {
                let needs = if mode == HugePages::Advised { "; it needs Linux 6.18" } else { "" };
                Status::Knob { detail: format!("the kernel refuses {mode} (prctl PR_SET_THP_DISABLE){needs}") }
            }
            _ => failed(error),
        })?;
        let group = Pid::from_child(&child);
        let mut ready = || {
            let death = pidfd_open(group, PidfdFlags::empty())?;
            let missing = || std::io::Error::other("no pipe");
            let stdout = Capture::new(child.stdout.take().ok_or_else(missing)?.into())?;
            let stderr = Capture::new(child.stderr.take().ok_or_else(missing)?.into())?;
            Ok((death, stdout, stderr))
        };
        match ready() {
            Ok((death, stdout, stderr)) => Ok(Self {
                process: child,
                group,
                death,
                channel,
                inbox: Vec::new(),
                stdout,
                stderr,
                oom_kills,
                reaped: false,
                memory_limit,
                cancel: cancel.clone(),
            }),
            Err(error) => {
                // Best effort: the error to report is the first one.
                let _ = kill_process_group(group, Signal::KILL);
                let _ = child.wait();
                Err(failed(error))
            }
        }
    }

    /// What the kernel says of the process in `/proc/PID/status`; empty where it says nothing.
    pub(crate) fn status(&self) -> String {
        // The process is not reaped yet, so that the number is still its own.
        std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap_or_default()
    }

    /// The last line that it printed to standard error; empty if there is none.
    pub(crate) fn last_words(&mut self) -> String {
        self.stderr.drain();
        self.stderr.last_line()
    }

    /// Sends one line. A worker that is gone shows when its answer is waited for.
    pub(crate) fn send(&mut self, line: &[u8]) {
        // Requests are short and answered one by one, so the socket's buffer always has room.
        let _ = self.channel.write_all(line);
    }

    /// Waits for the next line, without its line feed; `step` says what the worker is doing, for the status.
    ///
    /// An answer that is there when this harness wakes up counts, however late that is; but no further line is waited
    /// for, or taken, after the deadline.
    pub(crate) fn next_line(&mut self, deadline: Deadline, step: &str) -> Result<Vec<u8>, Status> {
        let mut left = deadline.left();
        while let Some(wait) = left {
            if let Some(line) = self.take_line() {
                return Ok(line);
            }
            if self.inbox.len() >= MAX_LINE {
                return Err(Status::ProtocolError { detail: format!("{step}: a line of more than {MAX_LINE} bytes") });
            }
            if self.cancel.is_cancelled() {
                self.kill();
                return Err(Status::Timeout { detail: format!("{step}: the run was cancelled") });
            }
            let (heard, pause) = (self.inbox.len(), self.memory_limit.map_or(ATTENTION, |_| WATCH));
            self.listen(wait.min(pause), step)?;
            if self.memory_limit.is_some() && self.inbox.len() == heard {
                let peak = crate::machine::kib_in(&self.status(), "VmHWM:");
                self.check_ceiling(peak, step)?;
            }
            left = deadline.left().or_else(|| self.inbox.contains(&b'\n').then_some(Duration::ZERO));
        }
        self.kill();
        Err(Status::Timeout { detail: format!("{step}: no answer within {:?}", deadline.limit) })
    }

    /// Looks after a worker that is not waited for: drains what it prints, and holds it to its limit. Returns once the run is cancelled,
    /// which from then on ends nothing any more, so that the worker can be seen off. Fails when it dies.
    pub(crate) fn look_after(&mut self, step: &str) -> Result<(), Status> {
        let pause = self.memory_limit.map_or(ATTENTION, |_| WATCH);
        while !self.cancel.is_cancelled() {
            if wait(None, self.death.as_fd(), &mut self.stdout, &mut self.stderr, pause) {
                return Err(self.post_mortem(step));
            }
            if self.memory_limit.is_some() {
                let peak = crate::machine::kib_in(&self.status(), "VmHWM:");
                self.check_ceiling(peak, step)?;
            }
        }
        self.cancel = Cancel::default();
        Ok(())
    }

    /// The process, for others to look at from outside.
    pub(crate) fn subject(&self) -> std::io::Result<Subject> {
        Ok(Subject::new(self.group, self.death.try_clone()?))
    }

    /// Kills a worker that needs more than it may: `resident` is the most that is known of it.
    pub(crate) fn check_ceiling(&mut self, resident: Option<Bytes>, step: &str) -> Result<(), Status> {
        let Some((resident, limit)) = resident.zip(self.memory_limit).filter(|(resident, limit)| resident > limit)
        else {
            return Ok(());
        };
        self.kill();
        Err(Status::CeilingHit { detail: format!("{step}: {resident} resident, where {limit} are allowed") })
    }

    /// The first line of what came in, without its line feed.
    fn take_line(&mut self) -> Option<Vec<u8>> {
        let end = self.inbox.iter().position(|&byte| byte == b'\n')?;
        let rest = self.inbox.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.inbox, rest);
        line.pop();
        Some(line)
    }

    /// Takes in what the worker says, waiting for it if need be. Fails if nothing can come any more.
    fn listen(&mut self, limit: Duration, step: &str) -> Result<(), Status> {
        let dead = self.wait_for_something(limit);
        let mut buffer = [0; 4096];
        match self.channel.read(&mut buffer) {
            Ok(0) => Err(self.post_mortem(step)),
            Ok(bytes) => {
                self.inbox.extend_from_slice(&buffer[..bytes]);
                Ok(())
            }
            // All that it said has been read. A child of its own may still hold the channel open.
            Err(_) if dead => Err(self.post_mortem(step)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(()),
            Err(_) => Err(self.post_mortem(step)),
        }
    }

    /// Sleeps until the worker says something or dies, and drains what it prints. Whether it is dead.
    fn wait_for_something(&mut self, limit: Duration) -> bool {
        let channel = self.channel.as_fd();
        wait(Some(channel), self.death.as_fd(), &mut self.stdout, &mut self.stderr, limit)
    }

    /// What became of a worker that closed its channel.
    fn post_mortem(&mut self, step: &str) -> Status {
        let dead = self.wait_for_death(DEATH);
        let killed_by_us = !dead;
        let status = self.reap();
        let detail = self.with_last_words(step.to_owned());
        if killed_by_us {
            return Status::ProtocolError { detail: format!("{detail}: it closed the channel but went on running") };
        }
        match (status.and_then(|status| status.signal()), status.and_then(|status| status.code())) {
            (Some(signal), _) => killed(signal, self.oom_kills, oom_kills(), detail),
            (_, Some(code)) => Status::Exited { code, detail },
            (None, None) => Status::ProtocolError { detail: format!("{detail}: it ended in an unknown way") },
        }
    }

    /// What is said of the worker, and after it the last line that it printed on standard error.
    pub(crate) fn with_last_words(&mut self, what: String) -> String {
        self.stderr.drain();
        let last = self.stderr.last_line();
        if last.is_empty() { what } else { format!("{what}: {last}") }
    }

    /// Waits for the end of a worker that was told to quit; its status if that was not a clean exit.
    pub(crate) fn join(mut self, limit: Duration, step: &str) -> Result<(), Status> {
        if !self.wait_for_death(limit) {
            self.kill();
            return Err(Status::Timeout { detail: format!("{step}: still running after {limit:?}") });
        }
        match self.reap() {
            Some(status) if status.success() => Ok(()),
            _ => Err(self.post_mortem(step)),
        }
    }

    /// Whether the worker is dead, waiting for it if need be, but not once the run is cancelled; it is not reaped, so its
    /// process group stays its own.
    fn wait_for_death(&mut self, limit: Duration) -> bool {
        let deadline = Deadline::after(limit);
        loop {
            let Some(left) = deadline.left() else { return false };
            if wait(None, self.death.as_fd(), &mut self.stdout, &mut self.stderr, left.min(ATTENTION)) {
                return true;
            }
            if self.cancel.is_cancelled() {
                return false;
            }
        }
    }

    /// Kills the worker and all it started.
    fn kill(&mut self) {
        let _ = self.reap();
    }

    /// Kills what is left of the process group, then reaps the worker. The group is killed first: until the worker is
    /// reaped, its number cannot belong to anyone else.
    fn reap(&mut self) -> Option<std::process::ExitStatus> {
        if !self.reaped {
            let _ = kill_process_group(self.group, Signal::KILL);
            self.reaped = true;
        }
        // `wait` remembers the status, so that asking again is fine.
        self.process.wait().ok()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sleeps until there is something to read or the process behind `death` is dead, and drains what it prints. Whether it is
/// dead: a descriptor of a process becomes readable when it ends, see `pidfd_open(2)`.
fn wait(
    channel: Option<BorrowedFd<'_>>,
    death: BorrowedFd<'_>,
    stdout: &mut Capture,
    stderr: &mut Capture,
    limit: Duration,
) -> bool {
    let mut waiting = vec![PollFd::from_borrowed_fd(death, PollFlags::IN)];
    waiting.extend(
        [channel, stdout.waiting(), stderr.waiting()]
            .into_iter()
            .flatten()
            .map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN)),
    );
    // A signal or an error only means to look again.
    let heard = poll(&mut waiting, Some(&timespec(limit))).is_ok();
    let dead = heard && !waiting[0].revents().is_empty();
    stdout.drain();
    stderr.drain();
    dead
}

fn timespec(duration: Duration) -> Timespec {
    let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    Timespec { tv_sec: seconds, tv_nsec: i64::from(duration.subsec_nanos()) }
}

/// What it means that a signal ended a worker: the kernel kills for want of memory by `SIGKILL`, and counts that. A counter that is
/// not there tells nothing.
fn killed(signal: i32, oom_kills_before: Option<u64>, oom_kills_after: Option<u64>, detail: String) -> Status {
    let more = oom_kills_before.zip(oom_kills_after).is_some_and(|(before, after)| after > before);
    if signal == Signal::KILL.as_raw() && more {
        Status::OutOfMemory { detail }
    } else {
        Status::Signal { signal, detail }
    }
}

/// How many processes the kernel has killed for want of memory since boot; nothing where it does not say.
fn oom_kills() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/vmstat").ok()?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kill_for_want_of_memory_is_told_by_the_kernels_counter() {
        let status = |signal, before, after| killed(signal, before, after, "working".into());
        let out_of_memory = Status::OutOfMemory { detail: "working".into() };
        assert_eq!(status(9, Some(3), Some(4)), out_of_memory);
        for (signal, before, after) in
            [(9, Some(3), Some(3)), (9, None, None), (9, None, Some(4)), (9, Some(3), None), (6, Some(3), Some(4))]
        {
            let by_signal = Status::Signal { signal, detail: "working".into() };
            assert_eq!(status(signal, before, after), by_signal, "{signal} {before:?} {after:?}");
        }
    }

    #[test]
    fn this_kernel_counts_its_kills() {
        assert!(oom_kills().is_some(), "without the counter a kill for want of memory is told as SIGKILL");
    }
}
