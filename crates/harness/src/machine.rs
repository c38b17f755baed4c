//! What the machine is and how busy: facts that a record must carry, since results of different machines do not compare.
//!
//! A fact that cannot be read is absent, never guessed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// What does not change while a run lasts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Machine {
    /// The processor's model name.
    pub cpu: Option<String>,
    /// Processors that this process may run on.
    pub cores: Option<u64>,
    /// Physical memory.
    pub memory: Option<Bytes>,
    /// Kernel name and release.
    pub kernel: Option<String>,
    /// Architecture.
    pub architecture: String,
    /// Mode of transparent huge pages: `always`, `madvise` or `never`.
    pub thp: Option<String>,
    /// Frequency governor of the first processor.
    pub governor: Option<String>,
    /// The hypervisor, or `none` where the processor reports no hypervisor.
    pub virtualisation: Option<String>,
}

/// How busy the machine is at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Load {
    /// Load averages over 1, 5 and 15 minutes.
    pub average: Option<[f64; 3]>,
    /// Time that some task waited for a processor, since boot, in microseconds (pressure stall information).
    pub cpu_pressure_us: Option<u64>,
    /// Time that some task waited for memory, since boot, in microseconds.
    pub memory_pressure_us: Option<u64>,
    /// Time that the hypervisor gave to others, over all processors since boot, in clock ticks.
    pub steal_ticks: Option<u64>,
    /// Memory that could be had without swapping.
    pub available: Option<Bytes>,
}

fn line_of(path: &str) -> Option<String> {
    Some(std::fs::read_to_string(path).ok()?.lines().next()?.trim().to_owned())
}

/// The value behind a name in a file of lines `name: value` or `name value`.
fn value_of(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(rest.trim_start_matches([':', ' ', '\t']).trim().to_owned())
}

fn kib_of(path: &str, name: &str) -> Option<Bytes> {
    bytes_of_kib(&value_of(path, name)?)
}

/// The size behind a name in lines such as `VmHWM:    13624 kB`.
pub(crate) fn kib_in(text: &str, name: &str) -> Option<Bytes> {
    bytes_of_kib(text.lines().find_map(|line| line.strip_prefix(name))?.trim())
}

fn bytes_of_kib(text: &str) -> Option<Bytes> {
    let kib: u64 = text.strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024).map(Bytes)
}

impl Machine {
    /// Reads the facts.
    pub fn read() -> Self {
        let uname = rustix::system::uname();
        let text = |c: &std::ffi::CStr| c.to_string_lossy().into_owned();
        let affinity = rustix::thread::sched_getaffinity(None).ok();
        Self {
            cpu: value_of("/proc/cpuinfo", "model name"),
            cores: affinity.map(|set| u64::from(set.count())),
            memory: kib_of("/proc/meminfo", "MemTotal"),
            kernel: Some(format!("{} {}", text(uname.sysname()), text(uname.release()))),
            architecture: text(uname.machine()),
            thp: thp_mode(),
            governor: line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            virtualisation: virtualisation(),
        }
    }
}

/// The file that holds the mode of transparent huge pages.
pub(crate) const THP_MODE: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// The word in brackets: `always [madvise] never`.
pub(crate) fn thp_mode() -> Option<String> {
    let line = line_of(THP_MODE)?;
    Some(line.split_once('[')?.1.split_once(']')?.0.to_owned())
}

fn virtualisation() -> Option<String> {
    let flags = value_of("/proc/cpuinfo", "flags")?;
    if !flags.split(' ').any(|flag| flag == "hypervisor") {
        return Some("none".into());
    }
    let kind = line_of("/sys/hypervisor/type").or_else(|| line_of("/sys/class/dmi/id/sys_vendor"));
    Some(kind.unwrap_or_else(|| "unknown hypervisor".into()))
}

impl Load {
    /// Reads the load.
    pub fn read() -> Self {
        let average = line_of("/proc/loadavg").and_then(|line| {
            let mut numbers = line.split(' ').map_while(|word| word.parse().ok());
            Some([numbers.next()?, numbers.next()?, numbers.next()?])
        });
        let steal = line_of("/proc/stat").and_then(|line| line.split_whitespace().nth(8)?.parse().ok());
        Self {
            average,
            cpu_pressure_us: stalled("/proc/pressure/cpu"),
            memory_pressure_us: stalled("/proc/pressure/memory"),
            steal_ticks: steal,
            available: kib_of("/proc/meminfo", "MemAvailable"),
        }
    }
}

/// The total of the line `some avg10=… avg60=… avg300=… total=…`.
fn stalled(path: &str) -> Option<u64> {
    let line = line_of(path)?;
    line.strip_prefix("some ")?.rsplit_once("total=")?.1.parse().ok()
}

/// The tool itself: version, the revision of the workspace it measures, and the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tool {
    /// Version of heapmark.
    pub version: String,
    /// Git revision of the workspace, with `+changes` where it differs from what is on disk.
    pub revision: Option<String>,
    /// The compiler on the path.
    pub rustc: Option<String>,
}

impl Tool {
    /// Asks git and the compiler, as far as they are there.
    pub fn read(workspace: Option<&Path>) -> Self {
        let ask = |program: &str, arguments: &[&str]| {
            let mut command = std::process::Command::new(program);
            if let Some(root) = workspace {
                command.current_dir(root);
            }
            let output = command.args(arguments).output().ok().filter(|output| output.status.success())?;
            Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
        };
        let revision = workspace.and_then(|_| ask("git", &["rev-parse", "--short=12", "HEAD"])).map(|revision| {
            let changed = ask("git", &["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
            if changed { format!("{revision}+changes") } else { revision }
        });
        Self { version: env!("CARGO_PKG_VERSION").into(), revision, rustc: ask("rustc", &["--version"]) }
    }
}

/// What differs between two machines in a way that matters to results; empty if nothing does.
pub fn differences(a: &Machine, b: &Machine) -> BTreeMap<&'static str, (String, String)> {
    let show = |value: &Option<String>| value.clone().unwrap_or_else(|| "n/a".into());
    let facts = |machine: &Machine| {
        [
            ("cpu", show(&machine.cpu)),
            ("cores", show(&machine.cores.map(|cores| cores.to_string()))),
            ("kernel", show(&machine.kernel)),
            ("architecture", machine.architecture.clone()),
            ("transparent huge pages", show(&machine.thp)),
            ("governor", show(&machine.governor)),
        ]
    };
    facts(a).into_iter().zip(facts(b)).filter(|(a, b)| a.1 != b.1).map(|(a, b)| (a.0, (a.1, b.1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_facts() {
        let machine = Machine::read();
        assert!(machine.cores.is_some_and(|cores| cores > 0), "{machine:?}");
        assert!(machine.memory.is_some() && machine.kernel.is_some(), "{machine:?}");
        assert!(differences(&machine, &machine).is_empty());
        let other = Machine { cpu: Some("another".into()), ..machine.clone() };
        assert_eq!(differences(&machine, &other).keys().collect::<Vec<_>>(), [&"cpu"]);
    }

    #[test]
    fn sizes_are_read_from_lines_of_kib() {
        let text = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 7 pages\n";
        assert_eq!(kib_in(text, "VmHWM:"), Some(Bytes(2 << 20)));
        assert_eq!((kib_in(text, "VmRSS:"), kib_in(text, "VmSize:"), kib_in("", "VmHWM:")), (None, None, None));
    }

    #[test]
    fn load_is_read() {
        let load = Load::read();
        assert!(load.average.is_some() && load.available.is_some(), "{load:?}");
    }
}
