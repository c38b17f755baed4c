//! What came of a load, to read.

use std::fmt::Write;

use crate::{Report, Summary};

/// A report as text, with the table of percentages that people know from other load generators.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = writeln!(text, "{}\n{}\n", report.url, how(report));
    let _ = writeln!(text, "Answered       {} requests in {:.3} s", report.requests, seconds(report.wall_ns));
    let _ = writeln!(text, "Failed         {}{}", report.failed, failures(report));
    let _ = writeln!(text, "Throughput     {:.1} requests/s", report.requests_per_second);
    let _ = writeln!(
        text,
        "Received       {:.1} KiB, {:.1} KiB/s",
        report.bytes as f64 / 1024.0,
        report.bytes_per_second / 1024.0
    );
    let _ = writeln!(
        text,
        "CPU time here  {:.3} s user, {:.3} s system, {:.0} requests per second of it",
        seconds(report.user_ns),
        seconds(report.system_ns),
        report.requests_per_cpu_second
    );
    if let Some(latency) = &report.latency {
        text.push_str(&latencies(latency, report.rate.is_some()));
    }
    text
}

/// Which loop it was, on how many connections.
fn how(report: &Report) -> String {
    let pacing = match report.rate {
        Some(rate) => format!("open loop, {rate} requests/s due"),
        None => "closed loop".into(),
    };
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let kept = if report.keep_alive { "kept" } else { "anew for each request" };
    let (connections, threads) = (report.connections, report.threads);
    format!("{pacing}, {connections} connection{} {kept}, {threads} thread{}", plural(connections), plural(threads))
}

/// How often each kind of failure came, and what the first was.
fn failures(report: &Report) -> String {
    let kinds: Vec<_> = report
        .failures
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    match &report.first_failure {
        Some(first) => format!(": {}; the first: {first}", kinds.join(", ")),
        None => String::new(),
    }
}

fn latencies(latency: &Summary, open: bool) -> String {
    let since = if open { "counted from when a request was due" } else { "counted from when a request was sent" };
    let mut text = format!("\nLatency in ms, {since}\n");
    for column in ["min", "mean", "sd", "median", "max"] {
        let _ = write!(text, "{column:>11}");
    }
    text.push('\n');
    for ns in [latency.min_ns, latency.mean_ns, latency.sd_ns, latency.median_ns(), latency.max_ns] {
        let _ = write!(text, "{:>11}", ms(ns));
    }
    text.push_str("\n\nRequests answered within so many ms\n");
    for share in &latency.within {
        let _ = writeln!(text, "{:>7} %{:>11}", share.percent, ms(share.ns));
    }
    let _ = writeln!(text, "{:>7} %{:>11}", 100, ms(latency.max_ns));
    text
}

fn ms(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Failure, Latencies};

    fn report() -> Report {
        let mut latencies = Latencies::new();
        (1..=1000).for_each(|ms| latencies.record(ms * 1_000_000));
        Report {
            url: "http://here/hello".into(),
            connections: 10,
            threads: 1,
            keep_alive: true,
            rate: None,
            requests: 1000,
            failed: 0,
            failures: Failure::ALL.map(|failure| (failure.word(), 0)).into(),
            first_failure: None,
            opened: 0,
            wall_ns: 2_000_000_000,
            user_ns: 100_000_000,
            system_ns: 300_000_000,
            requests_per_second: 500.0,
            requests_per_cpu_second: 2500.0,
            bytes: 2048,
            bytes_per_second: 1024.0,
            latency: latencies.summary(),
            each_second: vec![400, 600],
            histogram: String::new(),
        }
    }

    #[test]
    fn a_report_can_be_read() {
        let text = text(&report());
        for line in [
            "http://here/hello",
            "closed loop, 10 connections kept, 1 thread",
            "Answered       1000 requests in 2.000 s",
            "Failed         0",
            "Throughput     500.0 requests/s",
            "Received       2.0 KiB, 1.0 KiB/s",
            "CPU time here  0.100 s user, 0.300 s system, 2500 requests per second of it",
            "Latency in ms, counted from when a request was sent",
            "        min       mean         sd     median        max",
            "    100 %   1000.000",
        ] {
            assert!(text.lines().any(|there| there == line), "{line:?} in\n{text}");
        }
        let table: Vec<_> = text.lines().filter(|line| line.contains(" % ")).collect();
        assert_eq!(table.len(), 10, "{text}");
        assert!(table[8].starts_with("   99.9 %"), "{text}");
    }

    #[test]
    fn failures_are_told_by_kind_with_the_first_of_them() {
        let mut report = report();
        report.failed = 3;
        report.failures.insert("reset", 1);
        report.failures.insert("timeout", 2);
        report.first_failure = Some("timeout: no answer in time".into());
        report.latency = None;
        report.rate = Some(100);
        (report.connections, report.threads, report.keep_alive) = (1, 2, false);
        let text = text(&report);
        assert!(
            text.contains("Failed         3: reset 1, timeout 2; the first: timeout: no answer in time\n"),
            "{text}"
        );
        assert!(
            text.contains("open loop, 100 requests/s due, 1 connection anew for each request, 2 threads\n"),
            "{text}"
        );
        assert!(!text.contains("Latency"), "{text}");
    }
}
