//! `heapmark load`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use heapmark::Error;
use heapmark_load::{Amount, Expected, Generator, Load, Method, Report, Request, Target, Url, run_on, text};

use crate::exit::Exit;
use crate::interrupt::cancel_on_interrupt;
use crate::print::{Output, say};
use crate::values::header;

#[derive(Debug, Args)]
pub(crate) struct Loading {
    /// The server and what is asked of it, such as `http://127.0.0.1:8080/hello`
    #[arg(value_name = "URL")]
    pub(crate) url: Url,
    /// How many connections there are; as many requests can be under way
    #[arg(long, short = 'c', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) connections: u32,
    /// How many threads share the connections
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) threads: u32,
    /// How many requests to make
    #[arg(long, short = 'n', value_name = "N", conflicts_with = "duration")]
    pub(crate) requests: Option<u64>,
    /// How long to make requests [default: 10s]
    #[arg(long, short = 'd', value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) duration: Option<Duration>,
    /// Have so many requests due in a second, whatever becomes of those before, and count latency from then on: an open
    /// loop. Without it, each connection sends its next request when it has its answer: a closed loop, which hides how long a
    /// stalled server would have made others wait
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) rate: Option<u64>,
    /// Open a connection for each request
    #[arg(long)]
    pub(crate) no_keep_alive: bool,
    /// After how long a request has failed
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Duration,
    /// Post what is in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) post: Option<PathBuf>,
    /// A header field of every request, such as content-type:application/json
    #[arg(long, value_name = "NAME:VALUE", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
    /// What every answer must hold, byte by byte
    #[arg(long, value_name = "FILE")]
    pub(crate) expect: Option<PathBuf>,
    /// Every answer must hold what the first one does
    #[arg(long, conflicts_with = "expect")]
    pub(crate) same: bool,
    /// Processors to run on, apart from the server's, such as 2,3
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) cpus: Vec<usize>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// How long, where neither that is said nor how many requests.
const DURATION: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// To read
    Text,
    /// For programs
    Json,
}

/// Puts a server under load and prints how it stood it. A request that failed makes the exit code 1.
pub(crate) fn load(arguments: &Loading, output: &Output) -> Result<Exit, Error> {
    let body = arguments.post.as_deref().map_or(Ok(Vec::new()), read)?;
    let expected = match &arguments.expect {
        Some(path) => Expected::Exactly(read(path)?.into()),
        None if arguments.same => Expected::Same(Arc::default()),
        None => Expected::Whole,
    };
    let cancel = cancel_on_interrupt()?;
    let report = match make(arguments, &body, expected, &|| cancel.is_cancelled()) {
        Ok(report) => report,
        Err(heapmark_load::Error::Usage(why)) => return Err(Error::Usage(why)),
        Err(error) => {
            say(format_args!("heapmark: {error}"));
            return Ok(Exit::Failure);
        }
    };
    match arguments.format {
        Format::Text => output.write(&text(&report))?,
        Format::Json => output.json(&report)?,
    }
    Ok(if report.failed > 0 { Exit::Failure } else { Exit::Pass })
}

fn make(
    arguments: &Loading,
    body: &[u8],
    expected: Expected,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Report, heapmark_load::Error> {
    if !arguments.cpus.is_empty() {
        run_on(&arguments.cpus)?;
    }
    let url = &arguments.url;
    let method = if arguments.post.is_some() { Method::Post } else { Method::Get };
    let keep_alive = !arguments.no_keep_alive;
    let target = Target {
        address: url.address()?,
        request: Request::new(method, &url.authority(), url.path(), &arguments.header, body, keep_alive)?,
        connections: arguments.connections as usize,
        threads: arguments.threads as usize,
        timeout: arguments.timeout,
        expected,
    };
    let amount = match arguments.requests {
        Some(requests) => Amount::Requests(requests),
        None => Amount::For(arguments.duration.unwrap_or(DURATION)),
    };
    let load = Load { amount, rate: arguments.rate };
    let outcome = Generator::connect(&target)?.run(&load, cancelled)?;
    Ok(Report::new(url.to_string(), &target, &load, &outcome))
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::File { action: "cannot read", path: path.to_owned(), source })
}
