//! Facts that are there before anything is measured.

use std::path::Path;

use super::Finding;
use super::cgroup::Limits;
use crate::Bytes;

/// Processors below which threads of a workload and the rest of the system are in each other's way.
const FEW_CORES: u64 = 4;

/// Share of the time over the last minute in which some task waited, above which the machine is busy: in per cent.
const BUSY: f64 = 10.0;

/// The kernel's files.
struct Files<'a> {
    root: &'a Path,
}

impl Files<'_> {
    fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }

    fn line(&self, path: &str) -> Option<String> {
        Some(self.text(path)?.lines().next()?.trim().to_owned())
    }

    /// The value of a line `name: value kB` in `/proc/meminfo`.
    fn memory(&self, name: &str) -> Option<Bytes> {
        let text = self.text("proc/meminfo")?;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kib.checked_mul(1024).map(Bytes)
    }

    /// A value of the line `some avg10=… avg60=… avg300=… total=…` of a pressure file.
    fn pressure(&self, of: &str) -> Option<f64> {
        let line = self.line(&format!("proc/pressure/{of}"))?;
        line.strip_prefix("some ")?.split(' ').find_map(|word| word.strip_prefix("avg60="))?.parse().ok()
    }
}

/// The facts of the machine whose files lie below `root`, `/` for this one; `cores` is how many processors may be used.
pub fn facts(root: &Path, cores: Option<u64>) -> Vec<Finding> {
    let files = Files { root };
    let limits = Limits::read(root);
    vec![
        core_count(cores),
        governor(&files),
        load(&files, cores),
        pressure(&files, "cpu", "CPU pressure", "tasks wait for a processor: end what else runs"),
        pressure(&files, "memory", "memory pressure", "tasks wait for memory: end what else uses it"),
        steal(&files),
        virtualisation(&files),
        cpu_quota(limits),
        memory_limit(limits, files.memory("MemTotal")),
        huge_pages(&files),
        swap(&files),
        overcommit(&files),
        address_layout(&files),
        hardware_counters(&files),
    ]
}

fn core_count(cores: Option<u64>) -> Finding {
    let advice = "with as many threads as processors everything else on the machine takes part: close what can be closed, \
                  and measure with --threads 1 too";
    let Some(cores) = cores else { return Finding::unknown("processors", "") };
    Finding::judged("processors", cores.to_string(), cores >= FEW_CORES, advice)
}

fn governor(files: &Files<'_>) -> Finding {
    let advice = "the clock follows the load: cpupower frequency-set -g performance";
    match files.line("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") {
        Some(governor) => Finding::judged("frequency governor", &*governor, governor == "performance", advice),
        None => {
            Finding::unknown("frequency governor", "the kernel does not control the clock, as in most virtual machines")
        }
    }
}

fn load(files: &Files<'_>, cores: Option<u64>) -> Finding {
    let advice = "something else runs: end it, or wait; wall time suffers most, CPU time less";
    let average = files.line("proc/loadavg").and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
    let Some(average) = average else { return Finding::unknown("load", "") };
    let fine = average <= cores.unwrap_or(1) as f64 / 4.0;
    Finding::judged("load", format!("{average} over a minute"), fine, advice)
}

fn pressure(files: &Files<'_>, of: &str, fact: &str, advice: &str) -> Finding {
    match files.pressure(of) {
        Some(share) => Finding::judged(fact, format!("{share} % of the last minute"), share <= BUSY, advice),
        None => Finding::unknown(fact, "this kernel keeps no pressure stall information"),
    }
}

/// Steal is the eighth number of the line `cpu`, and the later two are contained in the first two (`proc_stat(5)`).
fn steal(files: &Files<'_>) -> Finding {
    let advice = "the hypervisor gives the processors to others: another machine, or another time of the day";
    let ticks = files.line("proc/stat").map(|line| {
        line.split_whitespace().skip(1).take(8).filter_map(|word| word.parse::<u64>().ok()).collect::<Vec<_>>()
    });
    let Some(ticks) = ticks.filter(|ticks| ticks.len() == 8) else { return Finding::unknown("steal", "") };
    let percent = 100.0 * ticks[7] as f64 / ticks.iter().sum::<u64>().max(1) as f64;
    Finding::judged("steal", format!("{percent:.2} % since boot"), percent <= 1.0, advice)
}

fn virtualisation(files: &Files<'_>) -> Finding {
    let advice = "neighbours on the same hardware share its caches and memory, and no setting in here shows or stops them: \
                  believe CPU time before wall time, and repeat at another time";
    let flags = files.text("proc/cpuinfo").and_then(|text| {
        let flags = text.lines().find_map(|line| line.strip_prefix("flags"))?;
        Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
    });
    match flags {
        Some(true) => Finding::warn("virtualisation", "a virtual machine", advice),
        Some(false) => Finding::ok("virtualisation", "none"),
        None => Finding::unknown("virtualisation", "the processor does not tell"),
    }
}

fn cpu_quota(limits: Option<Limits>) -> Finding {
    let advice =
        "the group is stopped whenever its share of a period is used up: raise or remove the quota of the container";
    match limits {
        None => Finding::unknown("CPU quota", "no control groups are visible"),
        Some(Limits { cpus: Some(cpus), .. }) => Finding::warn("CPU quota", format!("{cpus} processors"), advice),
        Some(_) => Finding::ok("CPU quota", "none"),
    }
}

fn memory_limit(limits: Option<Limits>, physical: Option<Bytes>) -> Finding {
    let advice = "near the limit the kernel reclaims, and beyond it kills: raise it, or choose smaller workloads";
    match limits {
        None => Finding::unknown("memory limit", "no control groups are visible"),
        Some(Limits { memory: Some(limit), .. }) if physical.is_none_or(|physical| limit < physical) => {
            Finding::warn("memory limit", limit.to_string(), advice)
        }
        Some(_) => Finding::ok("memory limit", "none"),
    }
}

fn huge_pages(files: &Files<'_>) -> Finding {
    let advice = "small heaps get whole huge pages, so peaks depend on where blocks lie; they compare only with those of \
                  machines in the same mode: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled";
    let mode = files.line("sys/kernel/mm/transparent_hugepage/enabled");
    let mode = mode.and_then(|line| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned()));
    match mode {
        Some(mode) => Finding::judged("transparent huge pages", &*mode, mode != "always", advice),
        None => Finding::unknown("transparent huge pages", "this kernel has none"),
    }
}

fn swap(files: &Files<'_>) -> Finding {
    let advice = "what is swapped out leaves the resident memory, and comes back at a price: swapoff -a";
    match files.memory("SwapTotal") {
        Some(Bytes(0)) => Finding::ok("swap", "none"),
        Some(total) => Finding::warn("swap", total.to_string(), advice),
        None => Finding::unknown("swap", ""),
    }
}

/// Documentation/mm/overcommit-accounting.rst.
fn overcommit(files: &Files<'_>) -> Finding {
    let advice = "allocators that reserve address space in advance may fail to start: sysctl vm.overcommit_memory=0";
    match files.line("proc/sys/vm/overcommit_memory").as_deref() {
        Some("0") => Finding::ok("overcommit", "heuristic"),
        Some("1") => Finding::ok("overcommit", "always"),
        Some("2") => Finding::warn("overcommit", "never", advice),
        _ => Finding::unknown("overcommit", ""),
    }
}

/// Documentation/admin-guide/sysctl/kernel.rst, `randomize_va_space`.
fn address_layout(files: &Files<'_>) -> Finding {
    let advice = "every process has the same layout, whose luck then looks like a property of the allocator: sysctl \
                  kernel.randomize_va_space=2";
    match files.line("proc/sys/kernel/randomize_va_space").as_deref() {
        Some("0") => Finding::warn("address layout", "always the same", advice),
        Some("1") => Finding::warn("address layout", "random but for the heap", advice),
        Some("2") => Finding::ok("address layout", "random"),
        _ => Finding::unknown("address layout", ""),
    }
}

/// Whether the kernel lists a hardware counter unit and lets this user have it, by what stands in its files; no counter is
/// opened.
fn hardware_counters(files: &Files<'_>) -> Finding {
    const FACT: &str = "hardware counters";
    let unneeded = "no verdict needs them; perf and allocator_share then go by a clock instead of cycles";
    let units = std::fs::read_dir(files.root.join("sys/bus/event_source/devices")).ok();
    // `cpu`, `cpu_core` and `cpu_atom` on x86, `armv8_…` on ARM (perf_event_open(2), sysfs files).
    let is_processor = |name: &str| name == "cpu" || name.starts_with("cpu_") || name.starts_with("armv8");
    let present = units
        .into_iter()
        .flat_map(std::iter::Iterator::flatten)
        .any(|unit| unit.file_name().to_str().is_some_and(is_processor));
    let Some(paranoid) = files.line("proc/sys/kernel/perf_event_paranoid") else {
        return Finding { advice: unneeded.into(), ..Finding::warn(FACT, "no perf events in this kernel", "") };
    };
    if !present {
        return Finding::warn(FACT, "not offered to this machine", unneeded);
    }
    let allowed = paranoid.parse::<i32>().is_ok_and(|level| level <= 2);
    let advice = "no verdict needs them; for perf: sysctl kernel.perf_event_paranoid=2";
    Finding::judged(FACT, format!("there, perf_event_paranoid is {paranoid}"), allowed, advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    const FINE: &[(&str, &str)] = &[
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
        ("proc/loadavg", "0.05 0.10 0.20 1/200 4242\n"),
        ("proc/pressure/cpu", "some avg10=0.00 avg60=0.50 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00\n"),
        ("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"),
        ("proc/stat", "cpu  900 0 50 9000 10 0 5 0 0 0\ncpu0 1 2 3\n"),
        ("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme sse2\n"),
        ("proc/self/cgroup", "0::/\n"),
        ("proc/self/mountinfo", "30 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
        ("proc/meminfo", "MemTotal:       8000000 kB\nSwapTotal:             0 kB\n"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
        ("proc/sys/vm/overcommit_memory", "0\n"),
        ("proc/sys/kernel/randomize_va_space", "2\n"),
        ("proc/sys/kernel/perf_event_paranoid", "2\n"),
        ("sys/bus/event_source/devices/cpu/type", "4\n"),
    ];

    fn examine(changes: &[(&str, &str)], cores: u64) -> Vec<Finding> {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in FINE.iter().chain(changes) {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        facts(root.path(), Some(cores))
    }

    #[test]
    fn a_good_machine_is_good_throughout() {
        let findings = examine(&[], 8);
        assert!(findings.iter().all(|finding| finding.level == Level::Ok), "{findings:#?}");
    }

    #[test]
    fn each_fault_is_one_warning_with_its_state_and_advice() {
        for (fact, state, path, content) in [
            ("frequency governor", "powersave", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("load", "3.5 over a minute", "proc/loadavg", "3.50 1 1 1/2 3\n"),
            ("CPU pressure", "62.1 % of", "proc/pressure/cpu", "some avg10=0 avg60=62.1 avg300=0 total=1\n"),
            ("memory pressure", "11 % of", "proc/pressure/memory", "some avg10=0 avg60=11 avg300=0 total=1\n"),
            ("steal", "9.09 % since boot", "proc/stat", "cpu  500 0 0 500 0 0 0 100 0 0\n"),
            ("virtualisation", "a virtual machine", "proc/cpuinfo", "flags : fpu hypervisor sse2\n"),
            ("CPU quota", "1.5 processors", "sys/fs/cgroup/cpu.max", "150000 100000\n"),
            ("memory limit", "1.00 GiB", "sys/fs/cgroup/memory.max", "1073741824\n"),
            ("transparent huge pages", "always", "sys/kernel/mm/transparent_hugepage/enabled", "[always] never\n"),
            ("swap", "2.00 MiB", "proc/meminfo", "MemTotal: 8000000 kB\nSwapTotal: 2048 kB\n"),
            ("overcommit", "never", "proc/sys/vm/overcommit_memory", "2\n"),
            ("address layout", "always the same", "proc/sys/kernel/randomize_va_space", "0\n"),
            ("hardware counters", "paranoid is 4", "proc/sys/kernel/perf_event_paranoid", "4\n"),
        ] {
            let findings = examine(&[(path, content)], 8);
            let warnings: Vec<&Finding> = findings.iter().filter(|finding| finding.level != Level::Ok).collect();
            assert_eq!(warnings.len(), 1, "{fact}: {warnings:#?}");
            assert_eq!((warnings[0].fact.as_str(), warnings[0].level), (fact, Level::Warn));
            assert!(warnings[0].state.contains(state), "{warnings:?}");
            assert!(!warnings[0].advice.is_empty(), "{fact}");
        }
    }

    #[test]
    fn few_processors_are_a_warning() {
        assert_eq!(examine(&[], 2)[0].level, Level::Warn);
        assert_eq!(examine(&[], 4)[0].level, Level::Ok);
    }

    #[test]
    fn what_cannot_be_read_is_unknown_and_never_good() {
        let empty = tempfile::tempdir().unwrap();
        let findings = facts(empty.path(), None);
        assert!(findings.iter().all(|finding| finding.level != Level::Ok), "{findings:#?}");
        let odd = [("proc/loadavg", ""), ("proc/stat", "cpu 1 2\n"), ("proc/pressure/cpu", "full avg60=1\n")];
        let findings = examine(&odd, 8);
        for fact in ["load", "steal", "CPU pressure"] {
            let finding = findings.iter().find(|finding| finding.fact == fact).unwrap();
            assert_eq!(finding.level, Level::Unknown, "{finding:?}");
        }
    }
}
