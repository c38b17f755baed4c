//! A worker's process as it is seen from outside: what the kernel says of it, for as long as its number is its own.

use std::fs::read_to_string;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::param::clock_ticks_per_second;
use rustix::process::Pid;

use crate::Bytes;
use crate::machine::kib_in;

/// A process to look at.
#[derive(Debug)]
pub(crate) struct Subject {
    process: Pid,
    /// Readable once the process is dead, see `pidfd_open(2)`.
    death: OwnedFd,
}

/// How closely a process is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// At counters that the kernel keeps anyway.
    Brief,
    /// Also at what it has to count: pages one by one, for which those who map memory in the process have to wait, and descriptors.
    Thorough,
}

/// What the kernel says of a process. What it does not say is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vitals {
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    pub(crate) rss: Option<Bytes>,
    pub(crate) peak_rss: Option<Bytes>,
    pub(crate) anonymous: Option<Bytes>,
    pub(crate) lazy_free: Option<Bytes>,
    pub(crate) threads: Option<u64>,
    pub(crate) descriptors: Option<u64>,
}

impl Subject {
    pub(crate) fn new(process: Pid, death: OwnedFd) -> Self {
        Self { process, death }
    }

    /// The process's number.
    pub(crate) fn number(&self) -> u32 {
        self.process.as_raw_nonzero().get().unsigned_abs()
    }

    /// What the kernel says now; nothing once the process is dead.
    pub(crate) fn look(&self, look: Look) -> Option<Vitals> {
        let folder = format!("/proc/{}", self.number());
        let mut vitals = from_stat(&read_to_string(format!("{folder}/stat")).ok()?, clock_ticks_per_second())?;
        let status = read_to_string(format!("{folder}/status")).unwrap_or_default();
        vitals.rss = kib_in(&status, "VmRSS:");
        // The kernel batches its counters, so that the peak can lag a little behind what is resident now.
        vitals.peak_rss = kib_in(&status, "VmHWM:").max(vitals.rss);
        vitals.anonymous = kib_in(&status, "RssAnon:");
        if look == Look::Thorough {
            let rollup = read_to_string(format!("{folder}/smaps_rollup")).unwrap_or_default();
            vitals.lazy_free = kib_in(&rollup, "LazyFree:");
            vitals.descriptors = std::fs::read_dir(format!("{folder}/fd")).ok().map(|all| all.count() as u64);
        }
        // Whoever is alive now was so all the while, and nobody else can have had this number.
        (!self.is_dead()).then_some(vitals)
    }

    fn is_dead(&self) -> bool {
        let mut death = [PollFd::new(&self.death, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut death, Some(&now)).is_ok() && !death[0].revents().is_empty()
    }
}

/// CPU time and threads, from a line of `/proc/PID/stat` (`proc_pid_stat(5)`), whose times are in ticks. The name of the program stands in
/// brackets and can hold anything, brackets too.
fn from_stat(line: &str, ticks_per_second: u64) -> Option<Vitals> {
    let (_, fields) = line.rsplit_once(')')?;
    let number = |field: usize| -> Option<u64> { fields.split_ascii_whitespace().nth(field - 3)?.parse().ok() };
    let nanos = |ticks: u64| ticks.saturating_mul(1_000_000_000 / ticks_per_second.max(1));
    Some(Vitals {
        user_ns: nanos(number(14)?),
        system_ns: nanos(number(15)?),
        threads: number(20),
        ..Vitals::default()
    })
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::process::{Command, Stdio};

    use rustix::process::{PidfdFlags, pidfd_open};

    use super::*;

    fn subject_of(process: Pid) -> Subject {
        let death: OwnedFd = pidfd_open(process, PidfdFlags::empty()).expect("it is there");
        Subject::new(process, death)
    }

    #[test]
    fn times_are_found_behind_whatever_a_program_is_called() {
        let line = "7 (a b) 1 2) c) S 1 7 7 0 -1 4194560 1 0 0 0 250 75 0 0 20 0 9 0 100 1000 10";
        let vitals = from_stat(line, 100).expect("it is whole");
        assert_eq!((vitals.user_ns, vitals.system_ns, vitals.threads), (2_500_000_000, 750_000_000, Some(9)));
        for cut in ["", "7 (a", "7 (a) S 1 7 7"] {
            assert_eq!(from_stat(cut, 100), None, "{cut:?}");
        }
    }

    #[test]
    fn a_process_is_seen_while_it_lives() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("there is cat");
        let subject = subject_of(Pid::from_child(&child));
        assert_eq!(subject.number(), child.id());
        let brief = subject.look(Look::Brief).expect("it waits for its input");
        assert!(brief.rss > Some(Bytes(0)) && brief.peak_rss >= brief.rss, "{brief:?}");
        assert_eq!((brief.lazy_free, brief.descriptors), (None, None));
        let thorough = subject.look(Look::Thorough).expect("it waits for its input");
        assert_eq!(thorough.threads, Some(1));
        assert!(thorough.descriptors >= Some(3), "{thorough:?}");
        drop(child.stdin.take());
        // It is a corpse until it is waited for, which keeps its number.
        let mut death = [PollFd::new(&subject.death, PollFlags::IN)];
        poll(&mut death, None).expect("it ends with its input");
        assert_eq!(subject.look(Look::Brief), None);
        child.wait().expect("it is ours");
        assert_eq!(subject.look(Look::Thorough), None);
    }
}
