//! The rows of a record. Times are nanoseconds, sizes are bytes, both as integers.

use std::collections::BTreeMap;
use std::fmt;

use heapmark_protocol::{Latency, Phase, WorkerKind};
use serde::{Deserialize, Serialize};

use crate::machine::{Load, Machine, Tool};
use crate::{Arrangement, Bytes, Case, Nanos, Settings, Status};

/// The version of these rows. A record of a newer schema is refused; older ones are read.
pub const SCHEMA: u32 = 1;

/// One line of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "row", rename_all = "kebab-case")]
pub enum Row {
    /// The first line: how and where the run was made.
    Run(Box<RunRow>),
    /// A contender, before anything is measured.
    Contender(Box<ContenderRow>),
    /// What is to be measured, before the first of it is.
    Plan(PlanRow),
    /// A case, once its work is calibrated.
    Case(Box<CaseRow>),
    /// One sample.
    Sample(Box<Sample>),
    /// The samples of a block in one arrangement are complete.
    Block(BlockRow),
    /// What the counting backend saw in a case.
    Counts(CountsRow),
    /// The last line of a run that came to its end.
    End(EndRow),
}

/// How and where a run was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunRow {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// heapmark itself.
    pub tool: Tool,
    /// The machine.
    pub machine: Machine,
    /// How busy it was at the start.
    pub load: Load,
    /// When the run began, in seconds since 1970.
    pub started: u64,
    /// How samples are made.
    pub settings: Settings,
    /// The contender that the others are compared with.
    pub reference: String,
}

/// What a contender is in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The others are compared with it.
    Reference,
    /// The reference a second time, which must come out the same.
    Twin,
    /// Compared with the reference.
    Contender,
}

/// What a worker is for, by its own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// To be compared.
    Allocator,
    /// To be asked how much is allocated; never compared.
    Counter,
    /// To lose by a known amount, for which it changes the work: compared where it is named, its checksums with nobody's.
    Handicap,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Allocator => "allocator",
            Self::Counter => "counter",
            Self::Handicap => "handicap",
        })
    }
}

impl From<WorkerKind> for Kind {
    fn from(kind: WorkerKind) -> Self {
        match kind {
            WorkerKind::Allocator => Self::Allocator,
            WorkerKind::Counter => Self::Counter,
            WorkerKind::Handicap => Self::Handicap,
        }
    }
}

/// A knob as the worker read it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KnobValue {
    /// The value in force.
    pub value: String,
    /// Whether the allocator itself said so; otherwise it is what stood in the worker's environment.
    pub confirmed: bool,
}

/// Who takes part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ContenderRow {
    /// Its name in this record.
    pub name: String,
    /// What it is in the run.
    pub role: Role,
    /// Whether it can be measured.
    #[serde(flatten)]
    pub status: Status,
    /// The backend's name.
    pub backend: String,
    /// Names and values of the knobs that were asked for.
    pub set: Vec<(String, String)>,
    /// How it introduced itself; absent if it could not.
    pub identity: Option<IdentityRow>,
}

/// A worker as it introduced itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IdentityRow {
    /// The crate that provides the allocator; empty where there is none.
    pub crate_name: String,
    /// That crate's version.
    pub crate_version: String,
    /// The version of the allocator itself.
    pub upstream_version: String,
    /// Licence of both.
    pub licence: String,
    /// The methods of `GlobalAlloc` that its wrapper forwards.
    pub forwards: String,
    /// What it is for.
    pub kind: Kind,
    /// How it is proved that it serves: `api`, `symbol` or `linked`.
    pub proof: String,
    /// What was seen.
    pub proof_detail: String,
    /// How it was built.
    pub build: String,
    /// Features of its libraries that change the work.
    pub features: String,
    /// All its knobs as read back.
    pub knobs: BTreeMap<String, KnobValue>,
    /// Resident memory of the idle worker.
    pub start_rss: Option<Bytes>,
}

/// What is to be measured: a run that is interrupted before it came to a case knows about it all the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanRow {
    /// The cases as asked for.
    pub cases: Vec<Case>,
}

/// A case and the work it was calibrated to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaseRow {
    /// The case as asked for.
    #[serde(flatten)]
    pub case: Case,
    /// What one unit is.
    pub unit: String,
    /// All parameters in force.
    pub parameters_in_force: BTreeMap<String, String>,
    /// Threads that do the work.
    pub lanes: u64,
    /// Units of one turn, the same for every contender.
    pub turn_units: u64,
    /// What such a turn took on the reference in the calibration.
    pub turn: Nanos,
    /// Turns of a sample in [`Arrangement::Turns`].
    pub turns: u32,
    /// Turns of a sample in [`Arrangement::Alone`]; where absent, as the settings say.
    #[serde(default)]
    pub turns_alone: Option<u32>,
    /// Whether the workload is about memory over time.
    #[serde(default)]
    pub over_time: bool,
    /// After how much quiet time memory is read again at the end of a sample in [`Arrangement::Alone`], in milliseconds.
    #[serde(default)]
    pub settle_ms: Vec<u64>,
    /// What each block consists of.
    pub arrangements: Vec<Arrangement>,
    /// Whether taking turns was impossible, so that every sample ran alone; why.
    pub no_turns: Option<String>,
}

/// A block is complete in one arrangement: the samples in it count. Those of a block without this row do not; the run was
/// interrupted in its middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BlockRow {
    /// The case.
    #[serde(flatten)]
    pub case: Case,
    /// The block, from 0.
    pub block: u32,
    /// The arrangement.
    pub arrangement: Arrangement,
    /// Wall time from the first start to the last exit.
    pub wall_ns: u64,
    /// Of this, wall time inside timed turns.
    pub timed_ns: u64,
}

/// Memory at the end of a phase. A field that the kernel lacks is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryRow {
    /// Resident.
    pub rss: Option<Bytes>,
    /// Resident and of no file.
    pub anonymous: Option<Bytes>,
    /// Given back with `MADV_FREE` but not taken yet; counts in `rss`.
    pub lazy_free: Option<Bytes>,
    /// Written to and not shared.
    pub private_dirty: Option<Bytes>,
    /// Anonymous and in huge pages.
    pub huge: Option<Bytes>,
}

impl From<&Phase> for MemoryRow {
    fn from(phase: &Phase) -> Self {
        Self {
            rss: phase.rss.map(Bytes),
            anonymous: phase.anonymous.map(Bytes),
            lazy_free: phase.lazy_free.map(Bytes),
            private_dirty: phase.private_dirty.map(Bytes),
            huge: phase.huge.map(Bytes),
        }
    }
}

/// Memory after a quiet time in which nobody called the allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SettledRow {
    /// The quiet time since everything was dropped, in milliseconds.
    pub after_ms: u64,
    /// What was there then.
    #[serde(flatten)]
    pub memory: MemoryRow,
}

/// Every timed turn of a sample, column by column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Turns {
    /// Wall time of each turn.
    pub wall_ns: Vec<u64>,
    /// User time of each turn.
    pub user_ns: Vec<u64>,
    /// System time of each turn.
    pub system_ns: Vec<u64>,
    /// CPU time used before each turn, since the one before it.
    pub idle_cpu_ns: Vec<u64>,
    /// When in its round the turn came, from 0.
    pub position: Vec<u32>,
    /// Checksum of each turn's results.
    pub checksum: Vec<u64>,
    /// Resident memory after each turn; empty where it was not read.
    #[serde(default)]
    pub rss: Vec<Bytes>,
}

/// What the requests of a sample came to, as whoever made them saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatencyRow {
    /// Requests that were made in the timed turns, those that failed included.
    pub count: u64,
    /// Whether latency counts from when a request was due, at a fixed rate; if not, from when it was sent.
    pub open_loop: bool,
    /// The least latency of a request that was answered as expected.
    pub min_ns: u64,
    /// The mean.
    pub mean_ns: u64,
    /// The standard deviation.
    pub sd_ns: u64,
    /// The median.
    pub p50_ns: u64,
    /// 66 % were answered within it.
    pub p66_ns: u64,
    /// 75 % were.
    pub p75_ns: u64,
    /// 80 % were.
    pub p80_ns: u64,
    /// 90 % were.
    pub p90_ns: u64,
    /// 95 % were.
    pub p95_ns: u64,
    /// 98 % were.
    pub p98_ns: u64,
    /// 99 % were.
    pub p99_ns: u64,
    /// 99.9 % were.
    pub p999_ns: u64,
    /// The greatest.
    pub max_ns: u64,
    /// Bytes sent to the server.
    pub sent_bytes: u64,
    /// Bytes received from it.
    pub received_bytes: u64,
    /// Connections that were open at once.
    pub connections: u64,
    /// Requests that failed, by how.
    pub errors: ErrorsRow,
    /// User time of whoever made the requests; absent where it is not known.
    pub user_ns: Option<u64>,
    /// Its system time.
    pub system_ns: Option<u64>,
}

/// Requests that failed, by how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorsRow {
    /// No connection was to be had.
    pub refused: u64,
    /// The connection was reset.
    pub reset: u64,
    /// No answer in time.
    pub timeout: u64,
    /// Another status than the expected one.
    pub status: u64,
    /// Another body.
    pub body: u64,
    /// The answer ended too early.
    pub truncated: u64,
    /// The answer could not be understood.
    pub protocol: u64,
}

impl ErrorsRow {
    /// Each kind with its count.
    pub fn kinds(&self) -> [(&'static str, u64); 7] {
        [
            ("refused", self.refused),
            ("reset", self.reset),
            ("timeout", self.timeout),
            ("status", self.status),
            ("body", self.body),
            ("truncated", self.truncated),
            ("protocol", self.protocol),
        ]
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.kinds().iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Both, kind by kind.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            refused: self.refused.saturating_add(other.refused),
            reset: self.reset.saturating_add(other.reset),
            timeout: self.timeout.saturating_add(other.timeout),
            status: self.status.saturating_add(other.status),
            body: self.body.saturating_add(other.body),
            truncated: self.truncated.saturating_add(other.truncated),
            protocol: self.protocol.saturating_add(other.protocol),
        }
    }
}

impl From<Latency> for LatencyRow {
    fn from(latency: Latency) -> Self {
        Self {
            count: latency.count,
            open_loop: latency.open_loop,
            min_ns: latency.min_ns,
            mean_ns: latency.mean_ns,
            sd_ns: latency.sd_ns,
            p50_ns: latency.p50_ns,
            p66_ns: latency.p66_ns,
            p75_ns: latency.p75_ns,
            p80_ns: latency.p80_ns,
            p90_ns: latency.p90_ns,
            p95_ns: latency.p95_ns,
            p98_ns: latency.p98_ns,
            p99_ns: latency.p99_ns,
            p999_ns: latency.p999_ns,
            max_ns: latency.max_ns,
            sent_bytes: latency.sent_bytes,
            received_bytes: latency.received_bytes,
            connections: latency.connections,
            errors: ErrorsRow {
                refused: latency.errors_refused,
                reset: latency.errors_reset,
                timeout: latency.errors_timeout,
                status: latency.errors_status,
                body: latency.errors_body,
                truncated: latency.errors_truncated,
                protocol: latency.errors_protocol,
            },
            user_ns: latency.user_ns,
            system_ns: latency.system_ns,
        }
    }
}

/// One sample: one fresh worker doing one fixed amount of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sample {
    /// The case.
    #[serde(flatten)]
    pub case: Case,
    /// The contender.
    pub contender: String,
    /// What the contender is in the run.
    pub role: Role,
    /// The block, from 0.
    pub block: u32,
    /// How the block's contenders shared the machine.
    pub arrangement: Arrangement,
    /// How it ended; what follows is only complete for `ok`.
    #[serde(flatten)]
    pub status: Status,
    /// Units of all timed turns.
    pub units: u64,
    /// Checksum of all turns, the warm ones included.
    pub checksum: u64,
    /// Wall time of all timed turns.
    pub wall_ns: u64,
    /// User time of all timed turns.
    pub user_ns: u64,
    /// System time of all timed turns.
    pub system_ns: u64,
    /// CPU time used between the turns.
    pub idle_cpu_ns: u64,
    /// Page faults without a read, in all timed turns.
    pub minor_faults: u64,
    /// Page faults with a read.
    pub major_faults: u64,
    /// Times that a thread gave the processor away.
    pub voluntary_switches: u64,
    /// Times that a thread had it taken away.
    pub involuntary_switches: u64,
    /// Resident memory at the greeting.
    pub start_rss: Option<Bytes>,
    /// Resident memory when the workload was ready.
    pub base_rss: Option<Bytes>,
    /// Peak resident memory of the work.
    pub peak_rss: Option<Bytes>,
    /// Whether the peak leaves the preparation out.
    pub peak_reset: bool,
    /// From the start of the process to its greeting, as the harness saw it.
    pub start_ns: u64,
    /// Time of the preparation, as the worker saw it.
    pub prepare_ns: u64,
    /// What the harness waited for the timed turns beyond their wall time: the cost of the protocol.
    pub exchange_ns: u64,
    /// From the last turn until the worker was gone: memory probes, dropping everything, exiting.
    pub finish_ns: u64,
    /// Length of the variable that shifted the stack.
    pub padding: usize,
    /// Memory after each phase: `worked`, `drained`.
    pub memory: BTreeMap<String, MemoryRow>,
    /// Memory after each quiet time that followed.
    #[serde(default)]
    pub settled: Vec<SettledRow>,
    /// What the requests came to, of a workload that serves some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<LatencyRow>,
    /// Every timed turn.
    pub turns: Turns,
}

impl Sample {
    /// A sample that was begun: nothing is measured yet, and nothing has gone wrong.
    pub fn new(case: Case, contender: &str, role: Role, block: u32, arrangement: Arrangement) -> Self {
        Self {
            case,
            contender: contender.to_owned(),
            role,
            block,
            arrangement,
            status: Status::Ok,
            padding: 0,
            units: 0,
            checksum: 0,
            wall_ns: 0,
            user_ns: 0,
            system_ns: 0,
            idle_cpu_ns: 0,
            minor_faults: 0,
            major_faults: 0,
            voluntary_switches: 0,
            involuntary_switches: 0,
            start_rss: None,
            base_rss: None,
            peak_rss: None,
            peak_reset: false,
            start_ns: 0,
            prepare_ns: 0,
            exchange_ns: 0,
            finish_ns: 0,
            memory: BTreeMap::new(),
            settled: Vec::new(),
            latency: None,
            turns: Turns::default(),
        }
    }

    /// User and system time of all timed turns.
    pub fn cpu(&self) -> Nanos {
        Nanos(self.user_ns.saturating_add(self.system_ns))
    }
}

/// What the counting backend saw in the timed turns of one sample: exact, and the same in every run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CountsRow {
    /// The case.
    #[serde(flatten)]
    pub case: Case,
    /// How the sample ended.
    #[serde(flatten)]
    pub status: Status,
    /// Units of all timed turns.
    pub units: u64,
    /// Calls that obtained, resized or gave back memory.
    pub calls: u64,
    /// Bytes requested.
    pub requested: Bytes,
    /// The most bytes that were live at once.
    pub peak_live: Option<Bytes>,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EndRow {
    /// How busy the machine was.
    pub load: Load,
}
