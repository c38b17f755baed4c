//! A record as a table of its samples, for spreadsheets and scripts.

use super::csv::{csv, optional, parameters};
use crate::record::{LatencyRow, MemoryRow, Record, Role, Sample};
use crate::{Arrangement, Bytes, Case};

const COLUMNS: [&str; 45] = [
    "workload",
    "parameters",
    "contender",
    "role",
    "block",
    "arrangement",
    "counts",
    "status",
    "detail",
    "turns",
    "units",
    "wall_ns",
    "user_ns",
    "system_ns",
    "idle_cpu_ns",
    "minor_faults",
    "major_faults",
    "voluntary_switches",
    "involuntary_switches",
    "start_rss",
    "base_rss",
    "peak_rss",
    "peak_reset",
    "worked_rss",
    "worked_lazy_free",
    "worked_huge",
    "drained_rss",
    "drained_lazy_free",
    "settled_rss",
    "start_ns",
    "prepare_ns",
    "exchange_ns",
    "finish_ns",
    "checksum",
    "requests",
    "failed_requests",
    "latency_min_ns",
    "latency_mean_ns",
    "latency_p50_ns",
    "latency_p90_ns",
    "latency_p99_ns",
    "latency_p999_ns",
    "latency_max_ns",
    "sent_bytes",
    "received_bytes",
];

/// A line for each sample of the cases and contenders that are wanted, in the order of the record. `counts` says whether the
/// sample belongs to a complete block or is a failure; others decide nothing.
pub fn samples_csv(record: &Record, wanted: impl Fn(&Case, &str) -> bool) -> String {
    let samples = record.samples.iter().filter(|sample| wanted(&sample.case, &sample.contender));
    csv(&COLUMNS, samples.map(|sample| line(record, sample)))
}

fn line(record: &Record, sample: &Sample) -> [String; COLUMNS.len()] {
    let counts = !sample.status.is_ok() || record.is_complete(&sample.case, sample.block, sample.arrangement);
    let memory = |phase: &str, kind: fn(&MemoryRow) -> Option<Bytes>| {
        optional(sample.memory.get(phase).and_then(kind).map(|bytes| bytes.0))
    };
    let bytes = |bytes: Option<Bytes>| optional(bytes.map(|bytes| bytes.0));
    let of_requests = |of: fn(&LatencyRow) -> u64| optional(sample.latency.as_ref().map(of));
    [
        sample.case.workload.clone(),
        parameters(&sample.case),
        sample.contender.clone(),
        role_word(sample.role).to_owned(),
        sample.block.to_string(),
        arrangement_word(sample.arrangement).to_owned(),
        counts.to_string(),
        sample.status.label(),
        sample.status.detail().to_owned(),
        sample.turns.wall_ns.len().to_string(),
        sample.units.to_string(),
        sample.wall_ns.to_string(),
        sample.user_ns.to_string(),
        sample.system_ns.to_string(),
        sample.idle_cpu_ns.to_string(),
        sample.minor_faults.to_string(),
        sample.major_faults.to_string(),
        sample.voluntary_switches.to_string(),
        sample.involuntary_switches.to_string(),
        bytes(sample.start_rss),
        bytes(sample.base_rss),
        bytes(sample.peak_rss),
        sample.peak_reset.to_string(),
        memory("worked", |memory| memory.rss),
        memory("worked", |memory| memory.lazy_free),
        memory("worked", |memory| memory.huge),
        memory("drained", |memory| memory.rss),
        memory("drained", |memory| memory.lazy_free),
        settled(sample),
        sample.start_ns.to_string(),
        sample.prepare_ns.to_string(),
        sample.exchange_ns.to_string(),
        sample.finish_ns.to_string(),
        format!("{:016x}", sample.checksum),
        of_requests(|row| row.count),
        of_requests(|row| row.errors.total()),
        of_requests(|row| row.min_ns),
        of_requests(|row| row.mean_ns),
        of_requests(|row| row.p50_ns),
        of_requests(|row| row.p90_ns),
        of_requests(|row| row.p99_ns),
        of_requests(|row| row.p999_ns),
        of_requests(|row| row.max_ns),
        of_requests(|row| row.sent_bytes),
        of_requests(|row| row.received_bytes),
    ]
}

pub(super) fn arrangement_word(arrangement: Arrangement) -> &'static str {
    match arrangement {
        Arrangement::Turns => "turns",
        Arrangement::Alone => "alone",
    }
}

pub(super) fn role_word(role: Role) -> &'static str {
    match role {
        Role::Reference => "reference",
        Role::Twin => "twin",
        Role::Contender => "contender",
    }
}

/// Resident memory after each quiet time, in one field: `500ms=73400320&5000ms=10485760`.
fn settled(sample: &Sample) -> String {
    let readings = sample.settled.iter().filter_map(|row| Some(format!("{}ms={}", row.after_ms, row.memory.rss?.0)));
    readings.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::record::SettledRow;

    #[test]
    fn every_sample_is_a_line_and_absent_is_empty() {
        let reading = MemoryRow { rss: Some(Bytes(512)), ..MemoryRow::default() };
        let sample = |name: &str, status| Sample {
            status,
            peak_rss: Some(Bytes(4096)),
            settled: [500, 5000].map(|after_ms| SettledRow { after_ms, memory: reading }).into(),
            ..Sample::new(Case::new("a/b").with("live", 5), name, Role::Contender, 3, Arrangement::Alone)
        };
        let failed = Status::Exited { code: 7, detail: "in a test, on purpose".into() };
        let samples = vec![sample("one", Status::Ok), sample("two", failed), sample("three", Status::Ok)];
        let record = Record { samples, ..Record::default() };
        let text = samples_csv(&record, |_, name| name != "three");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 2);
        let field = |row: usize, name: &str| &rows[row][names.iter().position(|other| other == name).unwrap()];
        assert_eq!((field(0, "parameters"), field(0, "peak_rss"), field(0, "base_rss")), ("live=5", "4096", ""));
        assert_eq!(field(0, "settled_rss"), "500ms=512&5000ms=512");
        assert_eq!((field(0, "counts"), field(1, "counts")), ("false", "true"), "no block is complete");
        assert_eq!((field(1, "status"), field(1, "detail")), ("exited with 7", "in a test, on purpose"));
    }
}
