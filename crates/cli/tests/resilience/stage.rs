//! A folder in which the command runs scripted workers, which stop where a test wants to step in.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use heapmark::record::{EndRow, Record};
use heapmark::{Arrangement, machine};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// How long something may take that should happen at once, on however busy a machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Twice as slow as the reference. Its name takes more bytes than letters.
pub(crate) const SLOW: &str = "größer";

/// The folder, and what its workers tell.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: TempDir,
    /// Their names.
    workers: Vec<String>,
    /// Closed once nobody runs.
    alive: File,
    /// Who has stopped.
    stopped: File,
}

impl Stage {
    /// A folder with scripted workers under these names, beside the reference and the one that counts.
    pub(crate) fn with(others: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/resilience/worker.sh");
        let workers: Vec<String> = ["system", "counting"].iter().chain(others).map(ToString::to_string).collect();
        for name in &workers {
            symlink(&script, folder.path().join(name)).expect("a link in a folder of our own");
        }
        let pipe = |name: &str, options: &mut std::fs::OpenOptions| {
            let path = folder.path().join(name);
            mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe in a folder of our own");
            let no_wait = i32::try_from(OFlags::NONBLOCK.bits()).expect("a flag of open(2)");
            options.read(true).custom_flags(no_wait).open(path).expect("the pipe is ours")
        };
        let alive = pipe("alive", &mut File::options());
        // Open for writing too, so that it never ends.
        let stopped = pipe("stopped", File::options().write(true));
        Self { folder, workers, alive, stopped }
    }

    /// With one other contender.
    pub(crate) fn new() -> Self {
        Self::with(&[SLOW])
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where the runs here write.
    pub(crate) fn record(&self) -> PathBuf {
        self.path("run.jsonl")
    }

    /// The workers of this folder that are there.
    fn names(&self) -> Vec<&str> {
        self.workers.iter().map(String::as_str).filter(|name| self.path(name).exists()).collect()
    }

    /// `heapmark run` with workers to choose from, and no choice yet.
    fn bare_command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapmark"));
        command.arg("run");
        for name in self.names() {
            command.arg("--worker").arg(format!("{name}={}", self.path(name).display()));
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// `heapmark run` with all workers of this folder that are there, to be given more arguments.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.bare_command();
        command.arg("-a").arg(format!("^({})$", self.names().join("|"))).args(["-A", "^counting$"]);
        command.args(arguments);
        command
    }

    /// A run of two workloads with settings that are nobody's default.
    pub(crate) fn run_command(&self) -> Command {
        let mut command = self.command(&["-w", "^test/", "--blocks", "7", "--seed", "7", "--margin", "2", "-o"]);
        command.arg(self.record());
        command
    }

    /// Goes on with the run.
    pub(crate) fn resume_command(&self) -> Command {
        let mut command = self.bare_command();
        command.arg("--resume").arg(self.record());
        command
    }

    /// Resumes the run, which must now come to its end.
    pub(crate) fn resume(&self) -> Output {
        let output = self.resume_command().output().expect("the command runs");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        output
    }

    /// A run that nobody disturbs: what it printed, and its record. The file is gone again.
    pub(crate) fn undisturbed(&self) -> (String, String) {
        let output = self.run_command().output().expect("the command runs");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let record = std::fs::read_to_string(self.record()).expect("the run wrote its record");
        std::fs::remove_file(self.record()).expect("it is ours");
        (text(&output.stdout), record)
    }

    /// Has a worker stop in later runs: at which stage, who, after so many rows of blocks, in which workload.
    pub(crate) fn stop_at(&self, moment: &str) {
        std::fs::write(self.path("stop"), format!("{moment}\n")).expect("a file in a folder of our own");
    }

    /// Has nobody stop any more.
    pub(crate) fn never_stop(&self) {
        std::fs::remove_file(self.path("stop")).expect("somebody was to stop");
    }

    /// Starts a command and waits until a worker has stopped; who.
    pub(crate) fn until_stopped(&self, mut command: Command) -> (Child, Pid) {
        let child = command.spawn().expect("the command starts");
        let heard = wait_for(&self.stopped);
        assert!(heard.contains(PollFlags::IN), "nobody stopped");
        let mut number = [0; 32];
        let length = (&self.stopped).read(&mut number).expect("there is something to read");
        let number = std::str::from_utf8(&number[..length]).expect("a number").trim().parse().expect("a number");
        assert!(self.somebody_runs());
        (child, Pid::from_raw(number).expect("the number of a process"))
    }

    /// Whether a worker runs.
    pub(crate) fn somebody_runs(&self) -> bool {
        let end = (&self.alive).read(&mut [0]);
        end.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    }

    /// Waits until no worker runs, nor anything that it started.
    pub(crate) fn wait_until_nothing_runs(&self) {
        let heard = wait_for(&self.alive);
        assert!(heard.contains(PollFlags::HUP), "something still runs");
    }
}

/// Waits until there is something to read, or nobody is left who could write.
fn wait_for(file: &File) -> PollFlags {
    let mut waiting = [PollFd::new(file, PollFlags::IN)];
    let limit = Timespec { tv_sec: PATIENCE.as_secs().cast_signed(), tv_nsec: 0 };
    poll(&mut waiting, Some(&limit)).expect("waiting is possible");
    waiting[0].revents()
}

/// Sends a signal to a command that was started.
pub(crate) fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("it is ours, and not yet waited for");
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// The last line of standard error, which is where the reason stands.
pub(crate) fn reason(output: &Output) -> String {
    let text = text(&output.stderr);
    assert!(!text.contains("panicked"), "{text}");
    text.lines().last().unwrap_or_default().to_owned()
}

/// What of a record does not depend on when it was written and how long anything really took. Rows are in their order.
pub(crate) fn fixed(path: &Path) -> Record {
    let mut record = Record::read(path).expect("the record can be read");
    let run = record.run.as_mut().expect("a record has a run");
    run.load = machine::Load::default();
    run.started = 0;
    for sample in &mut record.samples {
        (sample.start_ns, sample.exchange_ns, sample.finish_ns) = (0, 0, 0);
    }
    for block in &mut record.blocks {
        block.wall_ns = 0;
    }
    record.end = record.end.map(|_| EndRow { load: machine::Load::default() });
    record
}

/// The same of a record as text.
pub(crate) fn fixed_text(text: &str) -> Record {
    let file = tempfile::NamedTempFile::new().expect("a file for a while");
    std::fs::write(file.path(), text).expect("it is ours");
    fixed(file.path())
}

/// Asserts that everybody has exactly one good sample in each of so many blocks of each case and arrangement, all of one size.
pub(crate) fn assert_complete(record: &Record, blocks: u32) {
    assert!(record.end.is_some(), "the run came to its end");
    for row in &record.cases {
        for &arrangement in &row.arrangements {
            let numbers = |mut all: Vec<u32>| {
                all.sort_unstable();
                all
            };
            let expected: Vec<u32> = (0..blocks).collect();
            let rows = record.blocks.iter().filter(|b| b.case == row.case && b.arrangement == arrangement);
            assert_eq!(numbers(rows.map(|b| b.block).collect()), expected, "rows of blocks of {}", row.case);
            for contender in &record.contenders {
                let ours = record.samples_of(&row.case).filter(|s| s.contender == contender.name);
                let ours: Vec<_> = ours.filter(|s| s.arrangement == arrangement).collect();
                let who = format!("{} in {}, {arrangement:?}", contender.name, row.case);
                assert_eq!(numbers(ours.iter().map(|s| s.block).collect()), expected, "{who}");
                let turns = if arrangement == Arrangement::Turns { u64::from(row.turns) } else { 15 };
                assert!(ours.iter().all(|s| s.status.is_ok() && s.units == turns * row.turn_units), "{who}");
            }
        }
    }
}
