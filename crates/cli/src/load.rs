//! `heapmark load`

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use heapmark::Error;
use heapmark::serving::Probe;
use heapmark_load::{Amount, Expected, Generator, Load, Method, Outcome, Report, Request, Target, Url, run_on, text};
use serde::Serialize;

use crate::exit::Exit;
use crate::interrupt::cancel_on_interrupt;
use crate::print::{Output, say};
use crate::probes::{Probes, Reading, ServerReport};
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
    /// Where the server's memory and CPU time are asked for, as `heapmark serve` says: http://HOST:PORT. What is sent to the path that it
    /// serves, and what must come back, is asked for there too, unless it is given here
    #[arg(long, value_name = "URL")]
    pub(crate) probes: Option<Url>,
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

/// What is printed for programs: the load, and the server where its probes were read.
#[derive(Serialize)]
struct Loaded {
    #[serde(flatten)]
    load: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<ServerReport>,
}

/// What is sent, and what is expected back.
struct Exchange {
    method: Method,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    expected: Expected,
}

/// Why there is no load.
enum Failed {
    Here(Error),
    Generator(heapmark_load::Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Here(error)
    }
}

impl From<heapmark_load::Error> for Failed {
    fn from(error: heapmark_load::Error) -> Self {
        Self::Generator(error)
    }
}

/// Puts a server under load and prints how it stood it. A request that failed, and probes that could not be read, make the exit code 1.
pub(crate) fn load(arguments: &Loading, output: &Output) -> Result<Exit, Error> {
    let probes = arguments.probes.as_ref().map(Probes::at).transpose()?;
    let cancel = cancel_on_interrupt()?;
    let (report, server) = match make(arguments, probes.as_ref(), &|| cancel.is_cancelled()) {
        Ok(made) => made,
        Err(Failed::Here(error)) => return Err(error),
        Err(Failed::Generator(heapmark_load::Error::Usage(why))) => return Err(Error::Usage(why)),
        Err(Failed::Generator(error)) => {
            say(format_args!("heapmark: {error}"));
            return Ok(Exit::Failure);
        }
    };
    let failed = report.failed > 0 || matches!(server, Some(Err(_)));
    let (server, lost) = match server {
        Some(Ok(server)) => (Some(server), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    let loaded = Loaded { load: report, server };
    match arguments.format {
        Format::Text => {
            let server = loaded.server.as_ref().map(ServerReport::text).unwrap_or_default();
            output.write(&(text(&loaded.load) + &server))?;
        }
        Format::Json => output.json(&loaded)?,
    }
    if let Some(why) = lost {
        say(format_args!("heapmark: {why}"));
    }
    Ok(if failed { Exit::Failure } else { Exit::Pass })
}

/// The load, and what it cost the server where that can be asked, or why it could not be.
type Made = (Report, Option<Result<ServerReport, String>>);

fn make(arguments: &Loading, probes: Option<&Probes>, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Made, Failed> {
    if !arguments.cpus.is_empty() {
        run_on(&arguments.cpus)?;
    }
    let exchange = exchange(arguments, probes)?;
    let url = &arguments.url;
    let keep_alive = !arguments.no_keep_alive;
    let Exchange { method, headers, body, expected } = exchange;
    let target = Target {
        address: url.address()?,
        request: Request::new(method, &url.authority(), url.path(), &headers, &body, keep_alive)?,
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
    let mut generator = Generator::connect(&target)?;
    let before = probes.map(Probes::all).transpose()?;
    let (outcome, meanwhile) = run(&mut generator, &load, probes, cancelled);
    let outcome = outcome?;
    let server = probes.zip(before).map(|(probes, before)| {
        let after = probes.all().map_err(|error| error.to_string())?;
        ServerReport::new(&before, &meanwhile, &after, outcome.requests)
    });
    Ok((Report::new(url.to_string(), &target, &load, &outcome), server))
}

/// Makes the load, with a look at the server each second.
fn run(
    generator: &mut Generator,
    load: &Load,
    probes: Option<&Probes>,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> (Result<Outcome, heapmark_load::Error>, Vec<Reading>) {
    let Some(probes) = probes else { return (generator.run(load, cancelled), Vec::new()) };
    std::thread::scope(|scope| {
        let (ended, over) = mpsc::channel();
        let begun = Instant::now();
        let looking = scope.spawn(move || probes.each_second(begun, &over));
        let outcome = generator.run(load, cancelled);
        drop(ended);
        (outcome, looking.join().unwrap_or_default())
    })
}

/// What was asked for; where that is silent, and the probes are those of a server of which the address asks for what it serves, what
/// they say.
fn exchange(arguments: &Loading, probes: Option<&Probes>) -> Result<Exchange, Error> {
    let asked = probes.map(|probes| Ok::<_, Error>((probes, probes.all()?))).transpose()?;
    let asked = asked.as_ref().filter(|(_, probe)| probe.questions.path == arguments.url.path());
    let is_post = |(_, probe): &&(&Probes, Probe)| probe.questions.method == Method::Post.word();
    let posting = asked.filter(is_post).filter(|_| arguments.post.is_none());
    let mut headers = arguments.header.clone();
    let body = match (&arguments.post, posting) {
        (Some(path), _) => read(path)?,
        (None, Some((probes, probe))) => {
            const CONTENT_TYPE: &str = "content-type";
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(CONTENT_TYPE)) {
                headers.push((CONTENT_TYPE.into(), probe.questions.content_type.clone()));
            }
            probes.request()?
        }
        (None, None) => Vec::new(),
    };
    // Whoever posts something else gets something else.
    let known = asked.filter(|_| arguments.post.is_none());
    let expected = match (&arguments.expect, known) {
        (Some(path), _) => Expected::Exactly(read(path)?.into()),
        (None, _) if arguments.same => Expected::Same(Arc::default()),
        (None, Some((probes, _))) => Expected::Exactly(probes.answer()?.into()),
        (None, None) => Expected::Whole,
    };
    let method = if arguments.post.is_some() || posting.is_some() { Method::Post } else { Method::Get };
    Ok(Exchange { method, headers, body, expected })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::File { action: "cannot read", path: path.to_owned(), source })
}
