//! Facts that only a measurement shows.

use super::Finding;
use crate::Judgement;
use crate::machine::Load;
use crate::record::{EndRow, Record, Sample};

/// Time lost, in per cent of the time measured, above which it is in the way.
const MUCH: f64 = 1.0;

/// What the samples of a run say about the kernel: whether the peak can be reset, and whether lazily freed memory is told.
pub fn of_the_worker(record: &Record) -> Vec<Finding> {
    const RESET: &str = "reset of the peak";
    const LAZY: &str = "lazily freed memory";
    let measured: Vec<&Sample> = record.samples.iter().filter(|sample| sample.status.is_ok()).collect();
    if measured.is_empty() {
        let failure = record.samples.first().map(|sample| sample.status.to_string());
        let advice = failure.unwrap_or_else(|| "no worker could be asked".into());
        return [RESET, LAZY].map(|fact| Finding::unknown(fact, &advice)).into();
    }
    let reset = measured.iter().all(|sample| sample.peak_reset);
    let told = measured.iter().any(|sample| sample.memory.values().any(|memory| memory.lazy_free.is_some()));
    vec![
        Finding::judged(
            RESET,
            if reset { "works" } else { "refused" },
            reset,
            "/proc/self/clear_refs cannot be written, so peaks include the preparation: loosen the container's confinement",
        ),
        Finding::judged(
            LAZY,
            if told { "told by smaps_rollup" } else { "not told" },
            told,
            "memory that was given back with MADV_FREE cannot be told from memory in use: Linux 4.14 or newer is needed",
        ),
    ]
}

/// What happened to the machine while a run lasted.
pub fn of_the_run(record: &Record) -> Vec<Finding> {
    let (Some(run), Some(EndRow { load: after })) = (&record.run, &record.end) else { return Vec::new() };
    let before = &run.load;
    let grown = |of: fn(&Load) -> Option<u64>| Some(of(after)?.saturating_sub(of(before)?) as f64);
    let lasted = record.blocks.iter().map(|block| block.wall_ns as f64 / 1e9).sum::<f64>();
    let mut findings = Vec::new();
    let mut judge = |fact: &str, seconds: Option<f64>, advice: &str| {
        let share = seconds.filter(|_| lasted > 0.0).map(|seconds| 100.0 * seconds / lasted);
        findings.extend(share.map(|share| Finding::judged(fact, format!("{share:.1} %"), share <= MUCH, advice)));
    };
    let stolen = grown(|load| load.steal_ticks).map(|ticks| ticks / rustix::param::clock_ticks_per_second() as f64);
    judge(
        "steal while measuring",
        stolen,
        "the hypervisor took processors away while this was measured: believe CPU time before wall time",
    );
    let waited = grown(|load| load.memory_pressure_us).map(|waited| waited / 1e6);
    judge("waits for memory while measuring", waited, "end what else uses memory, or choose smaller workloads");
    findings
}

/// What a program measured against itself says.
pub fn of_the_noise(twins: &[Judgement]) -> Vec<Finding> {
    const FACT: &str = "a program against itself";
    if twins.is_empty() {
        return Vec::new();
    }
    let different: Vec<String> =
        twins.iter().filter(|row| row.distrusted).map(|row| format!("{} in {}", row.metric, row.case())).collect();
    let advice = "something other than the allocator makes a difference here: nothing is called on that metric";
    let state =
        if different.is_empty() { "not different".into() } else { format!("different: {}", different.join(", ")) };
    vec![Finding::judged(FACT, state, different.is_empty(), advice)]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::doctor::Level;
    use crate::machine::{Machine, Tool};
    use crate::record::{BlockRow, MemoryRow, Role, RunRow, SCHEMA};
    use crate::{Arrangement, Bytes, Case, Settings, Status};

    fn sample(peak_reset: bool, lazy_free: Option<Bytes>) -> Sample {
        Sample {
            peak_reset,
            memory: BTreeMap::from([("worked".to_owned(), MemoryRow { lazy_free, ..MemoryRow::default() })]),
            ..Sample::new(Case::new("a/b"), "system", Role::Reference, 0, Arrangement::Alone)
        }
    }

    fn levels(samples: Vec<Sample>) -> Vec<Level> {
        let record = Record { samples, ..Record::default() };
        of_the_worker(&record).iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn the_worker_says_what_the_kernel_can() {
        assert_eq!(levels(vec![sample(true, Some(Bytes(0)))]), [Level::Ok, Level::Ok]);
        assert_eq!(levels(vec![sample(false, None)]), [Level::Warn, Level::Warn]);
        let status = Status::Timeout { detail: "in a test".into() };
        assert_eq!(levels(vec![Sample { status, ..sample(true, None) }]), [Level::Unknown, Level::Unknown]);
        assert_eq!(levels(Vec::new()), [Level::Unknown, Level::Unknown]);
    }

    #[test]
    fn what_was_stolen_in_between_counts_and_not_what_was_before() {
        let load = |steal_ticks| Load { steal_ticks, memory_pressure_us: Some(7), ..Load::default() };
        let record = |before, after| Record {
            run: Some(RunRow {
                schema: SCHEMA,
                tool: Tool::default(),
                machine: Machine::default(),
                load: load(before),
                started: 0,
                settings: Settings::default(),
                reference: "system".into(),
            }),
            end: Some(EndRow { load: load(after) }),
            blocks: vec![BlockRow {
                case: Case::new("a/b"),
                block: 0,
                arrangement: Arrangement::Turns,
                wall_ns: 10_000_000_000,
                timed_ns: 0,
            }],
            ..Record::default()
        };
        let levels = |before, after| -> Vec<Level> {
            of_the_run(&record(before, after)).iter().map(|finding| finding.level).collect()
        };
        assert_eq!(levels(Some(500), Some(500)), [Level::Ok, Level::Ok]);
        assert_eq!(levels(Some(500), Some(501)), [Level::Ok, Level::Ok]);
        assert_eq!(levels(Some(500), Some(900)), [Level::Warn, Level::Ok]);
        assert_eq!(levels(None, Some(501)), [Level::Ok], "nothing is said where the kernel does not tell");
        assert_eq!(of_the_run(&Record::default()), []);
    }
}
