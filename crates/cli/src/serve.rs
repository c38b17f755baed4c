//! `heapmark serve`

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use heapmark::record::MemoryRow;
use heapmark::serving::{Conclusion, ProbesPort, Server};
use heapmark::{Case, ContenderName, Error, Nanos, Settings, Surroundings, Worker};

use crate::args::ContenderSelection;
use crate::exit::Exit;
use crate::family;
use crate::interrupt::cancel_on_interrupt;
use crate::print::{Output, say};
use crate::values::{contender, pair, preload, quiet, quiet_moments, worker};

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// What to serve, such as `service/hello` or `service/rpc?stack=axum`; `heapmark list` has them
    #[arg(value_name = "WORKLOAD")]
    pub(crate) workload: String,
    /// Under which allocator: a backend, perhaps with knobs, or a name of heapmark.toml
    #[arg(short = 'a', long, value_name = "NAME[@KNOB:VALUE]", default_value = "system", value_parser = contender)]
    pub(crate) allocator: ContenderName,
    /// A parameter of the workload
    #[arg(long = "param", value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) parameters: Vec<(String, String)>,
    /// Threads of the server [default: the cores there are]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u64>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Where to listen; at port 0 on a free one. For clients on other hosts, an address that they reach: 0.0.0.0:8080
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,
    /// Where to answer those who ask for memory and CPU time of the server [default: a free port of the address to listen at]
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) probes: Option<SocketAddr>,
    /// After how much quiet time memory is read again in the end, as 0.5s,5s,15s; 0 for not at all [default: as the workload asks
    /// for, or 1s]
    #[arg(long, value_name = "TIMES", value_delimiter = ',', value_parser = quiet)]
    pub(crate) settle: Vec<u64>,
    /// A worker program of your own, under a name
    #[arg(long, value_name = "NAME=PATH", value_parser = worker)]
    pub(crate) worker: Vec<Worker>,
    /// A library that replaces malloc, under a name: it is preloaded into the worker of the system allocator
    #[arg(long, value_name = "NAME=PATH", value_parser = preload)]
    pub(crate) preload: Vec<(String, PathBuf)>,
    /// The configuration [default: heapmark.toml here or in a folder around, up to the root of the repository]
    #[arg(long, value_name = "FILE", env = "HEAPMARK_CONFIG", hide_env_values = true)]
    pub(crate) config: Option<PathBuf>,
}

/// Serves until it is interrupted, and prints what the server came to. A server that fails makes the exit code 1.
pub(crate) fn serve(arguments: Serve, output: &Output) -> Result<Exit, Error> {
    let Serve { workload, allocator, parameters, threads, seed, listen, probes, settle, worker, preload, config } =
        arguments;
    let cancel = cancel_on_interrupt()?;
    let threads = threads.map(|threads| ("threads".to_owned(), threads.to_string()));
    let case = parameters
        .into_iter()
        .chain(threads)
        .fold(Case::parse(&workload)?, |case, (name, value)| case.with(name, value));
    // Before anything is built or started, so that a port that is taken is told at once.
    let port = ProbesPort::listen(probes.unwrap_or(SocketAddr::new(listen.ip(), 0)))?;
    let families = Surroundings::find()?.families()?;
    let family = families.into_iter().find(|family| family::is_of(&case.workload, family));
    let selection = ContenderSelection { worker, preload, config, family, ..ContenderSelection::default() };
    let contender = selection.one(&allocator)?;
    let settle_after_ms = if settle.is_empty() { None } else { Some(quiet_moments(&settle)) };
    let settings = Settings { seed, settle_after_ms, cancel, ..Settings::default() };
    let mut server = Server::start(&contender, &case, listen, &settings)?;
    let probes = server.probes(port)?;
    output.line(format_args!("{}\tprobes http://{}", server.url(), probes.address()))?;
    say(greeting(&contender.name, &case, &server));
    if let Err(status) = server.look_after() {
        say(format_args!("heapmark: {}: {status}", contender.name));
        return Ok(Exit::Failure);
    }
    drop(probes);
    match server.finish() {
        Ok(conclusion) => {
            output.write(&text(&conclusion))?;
            Ok(Exit::Pass)
        }
        Err(status) => {
            say(format_args!("heapmark: {}: {status}", contender.name));
            Ok(Exit::Failure)
        }
    }
}

/// Who serves what, and how it ends.
fn greeting(contender: &str, case: &Case, server: &Server) -> String {
    let pair = |(name, value): (&String, &String)| format!("{name}={value}");
    let parameters: Vec<_> = server.parameters().iter().map(pair).collect();
    format!("{contender} serves {} with {}; an interrupt ends it", case.workload, parameters.join(" "))
}

/// What a server came to, to read.
fn text(conclusion: &Conclusion) -> String {
    let Conclusion { requests, up, user, system, .. } = conclusion;
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = writeln!(text, "Answered       {requests} requests in {:.3} s", up.as_secs_f64());
    let cpu = *user + *system;
    let per_second = match cpu {
        Nanos(0) => String::new(),
        cpu => format!(", {:.0} requests per second of it", *requests as f64 / cpu.duration().as_secs_f64()),
    };
    let (user, system) = (user.duration().as_secs_f64(), system.duration().as_secs_f64());
    let _ = writeln!(text, "CPU time       {user:.2} s user, {system:.2} s system{per_second}");
    let peak = conclusion.peak_rss.map_or_else(|| "n/a".into(), |peak| peak.to_string());
    let since = if conclusion.peak_reset { "" } else { ", from the start of its process on" };
    let _ = writeln!(text, "Peak RSS       {peak}{since}");
    let mut memory = |what: &str, row: Option<&MemoryRow>| {
        let _ = writeln!(text, "{what:<15}{}", resident(row));
    };
    memory("RSS at the end", conclusion.worked.as_ref());
    memory("RSS dropped", conclusion.drained.as_ref());
    for row in &conclusion.settled {
        let after = Nanos(row.after_ms.saturating_mul(1_000_000));
        memory(&format!("RSS {after} on"), Some(&row.memory));
    }
    text
}

/// What is resident, and how much of it is the kernel's for the asking.
fn resident(memory: Option<&MemoryRow>) -> String {
    let Some((memory, rss)) = memory.and_then(|memory| Some((memory, memory.rss?))) else { return "n/a".into() };
    match memory.lazy_free {
        Some(lazy) if lazy.0 > 0 => format!("{rss}, of which {lazy} are given back but not taken yet"),
        _ => rss.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use heapmark::Bytes;
    use heapmark::record::SettledRow;

    use super::*;

    #[test]
    fn a_conclusion_can_be_read() {
        let memory = |mib: u64, lazy: u64| MemoryRow {
            rss: Some(Bytes(mib << 20)),
            lazy_free: Some(Bytes(lazy << 20)),
            ..MemoryRow::default()
        };
        let mut conclusion = Conclusion {
            requests: 3000,
            up: Duration::from_millis(12_345),
            user: Nanos(1_250_000_000),
            system: Nanos(250_000_000),
            peak_rss: Some(Bytes(64 << 20)),
            peak_reset: true,
            worked: Some(memory(48, 0)),
            drained: Some(memory(40, 8)),
            settled: vec![SettledRow { after_ms: 1500, memory: memory(32, 0) }],
        };
        let expected = "\
Answered       3000 requests in 12.345 s
CPU time       1.25 s user, 0.25 s system, 2000 requests per second of it
Peak RSS       64.0 MiB
RSS at the end 48.0 MiB
RSS dropped    40.0 MiB, of which 8.00 MiB are given back but not taken yet
RSS 1.50 s on  32.0 MiB
";
        assert_eq!(text(&conclusion), expected);
        (conclusion.user, conclusion.system) = (Nanos(0), Nanos(0));
        (conclusion.peak_rss, conclusion.peak_reset, conclusion.drained) = (None, false, None);
        let text = text(&conclusion);
        for line in ["CPU time       0.00 s user, 0.00 s system\n", "Peak RSS       n/a, from", "RSS dropped    n/a\n"]
        {
            assert!(text.contains(line), "{line:?} in\n{text}");
        }
    }
}
