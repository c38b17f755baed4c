//! The probes of a server that `heapmark serve` runs, perhaps on another host: read around a load, and each second of it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use heapmark::serving::{ALL, ANSWER, BRIEF, Probe, REQUEST};
use heapmark::{Bytes, Error};
use heapmark_load::Url;
use httparse::{EMPTY_HEADER, Response, Status};
use serde::Serialize;

/// How long the other host may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most that is read of an answer: bodies of requests are the largest.
const LARGEST: usize = 1 << 30;

/// How often a server is looked at.
const SECOND: Duration = Duration::from_secs(1);

/// Where the probes of a server are.
#[derive(Clone, Debug)]
pub(crate) struct Probes {
    url: String,
    authority: String,
    address: SocketAddr,
}

/// A reading with the moment at which it was there, since the first.
pub(crate) type Reading = (Duration, Probe);

/// What a server came to over a load. Times are nanoseconds, sizes bytes; what its kernel does not say is absent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ServerReport {
    /// The contender: a backend, with its knobs.
    contender: String,
    /// The version of the allocator.
    upstream_version: String,
    /// The workload, with its parameters.
    workload: String,
    /// CPU time of the server over the load, in user mode.
    user_ns: u64,
    /// CPU time of the server over the load, in the kernel.
    system_ns: u64,
    /// Requests answered as expected for each second of that; absent where there was too little of it to be told.
    requests_per_cpu_second: Option<f64>,
    /// Resident memory before the load.
    rss_before: Option<Bytes>,
    /// Resident memory after it.
    rss_after: Option<Bytes>,
    /// Peak resident memory up to before the load.
    peak_rss_before: Option<Bytes>,
    /// Peak resident memory up to after it; where it is not above the one before, the load did not reach that.
    peak_rss: Option<Bytes>,
    /// Resident memory after the load that belongs to no file.
    anonymous: Option<Bytes>,
    /// Resident memory after the load that was given back but not taken yet.
    lazy_free: Option<Bytes>,
    /// Threads after the load.
    threads: Option<u64>,
    /// Open descriptors after the load.
    descriptors: Option<u64>,
    /// The server by the second.
    each_second: Vec<Second>,
}

/// A look at a server while it is under load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Second {
    /// When, from before the load on.
    at_ns: u64,
    /// CPU time since the look before, in user mode.
    user_ns: u64,
    /// CPU time since then in the kernel.
    system_ns: u64,
    /// Resident memory.
    rss: Option<Bytes>,
}

impl Probes {
    /// Fails where the address means nothing.
    pub(crate) fn at(url: &Url) -> Result<Self, Error> {
        if url.path() != "/" {
            return Err(Error::Usage(format!("{url} is no place for probes: write http://HOST:PORT")));
        }
        let address = url.address().map_err(|error| Error::Usage(error.to_string()))?;
        Ok(Self { url: url.to_string(), authority: url.authority(), address })
    }

    /// All that there is to be known of the server.
    pub(crate) fn all(&self) -> Result<Probe, Error> {
        self.probe(ALL).map_err(|why| self.error(&why))
    }

    /// The body of a request, as the server understands it.
    pub(crate) fn request(&self) -> Result<Vec<u8>, Error> {
        self.ask(REQUEST).map_err(|why| self.error(&why))
    }

    /// The body of the right answer.
    pub(crate) fn answer(&self) -> Result<Vec<u8>, Error> {
        self.ask(ANSWER).map_err(|why| self.error(&why))
    }

    /// Looks at the server each second from `begun` on, until somebody says that it is over. A look that fails leaves a gap.
    pub(crate) fn each_second(&self, begun: Instant, over: &Receiver<()>) -> Vec<Reading> {
        let mut readings = Vec::new();
        let mut due = begun + SECOND;
        while over.recv_timeout(due.saturating_duration_since(Instant::now())) == Err(RecvTimeoutError::Timeout) {
            if let Ok(probe) = self.probe(BRIEF) {
                readings.push((begun.elapsed(), probe));
            }
            while due <= Instant::now() {
                due += SECOND;
            }
        }
        readings
    }

    fn probe(&self, path: &str) -> Result<Probe, String> {
        serde_json::from_slice(&self.ask(path)?).map_err(|error| format!("that is no probe: {error}"))
    }

    /// Asks once, on a connection of its own.
    fn ask(&self, path: &str) -> Result<Vec<u8>, String> {
        let told = |error: std::io::Error| error.to_string();
        let mut stream = TcpStream::connect_timeout(&self.address, PATIENCE).map_err(told)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(told)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(told)?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.authority);
        stream.write_all(request.as_bytes()).map_err(told)?;
        let mut answer = Vec::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let bytes = stream.read(&mut buffer).map_err(told)?;
            answer.extend_from_slice(&buffer[..bytes]);
            // Not everybody closes the connection when they are asked to.
            match body(&answer)? {
                Some(body) => return Ok(body),
                None if bytes == 0 => return Err("the answer is cut".into()),
                None if answer.len() > LARGEST => return Err("the answer is too large".into()),
                None => {}
            }
        }
    }

    fn error(&self, why: &str) -> Error {
        Error::NoWorker(format!("the probes at {} cannot be read: {why}", self.url))
    }
}

/// The body of an answer that says that all is well; nothing while it is not whole.
fn body(answer: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut fields = [EMPTY_HEADER; 64];
    let mut response = Response::new(&mut fields);
    let head = match response.parse(answer) {
        Ok(Status::Complete(head)) => head,
        Ok(Status::Partial) => return Ok(None),
        Err(error) => return Err(format!("it is answered by other than HTTP: {error}")),
    };
    let is_length = |name: &str| name.eq_ignore_ascii_case("content-length");
    let length = response.headers.iter().find(|field| is_length(field.name));
    let length = length.and_then(|field| std::str::from_utf8(field.value).ok()?.trim().parse::<usize>().ok());
    let Some(length) = length else { return Err("that is no probe: an answer without a length".into()) };
    let Some(body) = answer[head..].get(..length) else { return Ok(None) };
    match response.code {
        Some(200) => Ok(Some(body.to_vec())),
        code => {
            let why = String::from_utf8_lossy(body);
            Err(format!("status {}: {}", code.unwrap_or_default(), why.lines().next().unwrap_or_default()))
        }
    }
}

impl ServerReport {
    /// Of a load in which so many requests were answered as expected. Fails where it was not one server all the while.
    pub(crate) fn new(before: &Probe, meanwhile: &[Reading], after: &Probe, requests: u64) -> Result<Self, String> {
        let mut each_second = Vec::with_capacity(meanwhile.len());
        let mut last = before;
        for (at, now) in meanwhile {
            each_second.push(Second {
                at_ns: u64::try_from(at.as_nanos()).unwrap_or(u64::MAX),
                user_ns: now.user_ns.saturating_sub(last.user_ns),
                system_ns: now.system_ns.saturating_sub(last.system_ns),
                rss: now.rss,
            });
            last = now;
        }
        // A server that began anew has been up for a shorter time than the one before.
        if (before.process, &before.contender) != (after.process, &after.contender) || after.up_ns < before.up_ns {
            return Err("it was another server before the load than after it".into());
        }
        let user_ns = after.user_ns.saturating_sub(before.user_ns);
        let system_ns = after.system_ns.saturating_sub(before.system_ns);
        let cpu = user_ns.saturating_add(system_ns);
        Ok(Self {
            contender: after.contender.clone(),
            upstream_version: after.identity.upstream_version.clone(),
            workload: after.workload.clone(),
            user_ns,
            system_ns,
            requests_per_cpu_second: (cpu > 0).then(|| requests as f64 * 1e9 / cpu as f64),
            rss_before: before.rss,
            rss_after: after.rss,
            peak_rss_before: before.peak_rss,
            peak_rss: after.peak_rss,
            anonymous: after.anonymous,
            lazy_free: after.lazy_free,
            threads: after.threads,
            descriptors: after.descriptors,
            each_second,
        })
    }

    /// To read, below what the generator says.
    pub(crate) fn text(&self) -> String {
        let seconds = |ns: u64| ns as f64 / 1e9;
        let size = |size: Option<Bytes>| size.map_or_else(|| "n/a".into(), |size| size.to_string());
        let (contender, version) = (&self.contender, &self.upstream_version);
        let version = if version.is_empty() { String::new() } else { format!(" ({version})") };
        let per_second = self
            .requests_per_cpu_second
            .map_or_else(String::new, |rate| format!(", {rate:.0} requests per second of it"));
        let reached = if self.peak_rss > self.peak_rss_before { "" } else { ", reached before the load" };
        let mut lines = vec![
            format!("\nThe server     {contender}{version}, {}", self.workload),
            format!(
                "CPU time there {:.2} s user, {:.2} s system{per_second}",
                seconds(self.user_ns),
                seconds(self.system_ns)
            ),
            format!("Peak RSS there {}{reached}", size(self.peak_rss)),
            format!("RSS there      {} before, {} after", size(self.rss_before), size(self.rss_after)),
        ];
        // As many as stand on a line.
        let every = self.each_second.len().div_ceil(SHOWN).max(1);
        let shown: Vec<_> = self.each_second.iter().skip(every - 1).step_by(every).map(|look| size(look.rss)).collect();
        if !shown.is_empty() {
            let often = if every == 1 { "by seconds".to_owned() } else { format!("every {every} s") };
            lines.push(format!("RSS {often:<10} {}", shown.join(", ")));
        }
        lines.join("\n") + "\n"
    }
}

/// How many looks are shown; all of them are in the JSON.
const SHOWN: usize = 10;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use heapmark::record::{IdentityRow, Kind};
    use heapmark::serving::Questions;

    use super::*;

    fn probe(seconds: u64, rss: u64, peak: u64) -> Probe {
        Probe {
            contender: "mine".into(),
            identity: IdentityRow {
                crate_name: String::new(),
                crate_version: String::new(),
                upstream_version: "3.1".into(),
                licence: String::new(),
                forwards: String::new(),
                kind: Kind::Allocator,
                proof: "api".into(),
                proof_detail: String::new(),
                build: String::new(),
                features: String::new(),
                knobs: BTreeMap::new(),
                start_rss: None,
            },
            workload: "service/hello".into(),
            questions: Questions { method: "GET".into(), path: "/hello".into(), content_type: String::new() },
            process: 7,
            up_ns: seconds * 1_000_000_000,
            user_ns: seconds * 300_000_000,
            system_ns: seconds * 200_000_000,
            rss: Some(Bytes(rss << 20)),
            peak_rss: Some(Bytes(peak << 20)),
            anonymous: None,
            lazy_free: None,
            threads: Some(3),
            descriptors: None,
        }
    }

    fn readings(count: u64) -> Vec<Reading> {
        (1..=count).map(|second| (Duration::from_secs(second), probe(second, 10 + second, 40))).collect()
    }

    #[test]
    fn a_load_is_told_by_what_it_cost_the_server() {
        let report = ServerReport::new(&probe(0, 10, 12), &readings(3), &probe(4, 20, 40), 8000).expect("it is one");
        assert_eq!((report.user_ns, report.system_ns), (1_200_000_000, 800_000_000));
        assert_eq!(report.requests_per_cpu_second, Some(4000.0));
        let second =
            Second { at_ns: 2_000_000_000, user_ns: 300_000_000, system_ns: 200_000_000, rss: Some(Bytes(12 << 20)) };
        assert_eq!(report.each_second[1], second);
        let expected = "
The server     mine (3.1), service/hello
CPU time there 1.20 s user, 0.80 s system, 4000 requests per second of it
Peak RSS there 40.0 MiB
RSS there      10.0 MiB before, 20.0 MiB after
RSS by seconds 11.0 MiB, 12.0 MiB, 13.0 MiB
";
        assert_eq!(report.text(), expected);
    }

    #[test]
    fn a_short_load_has_no_rate_and_a_long_one_is_thinned_out() {
        let short = ServerReport::new(&probe(5, 10, 40), &[], &probe(5, 11, 40), 3).expect("it is one");
        assert_eq!(short.requests_per_cpu_second, None);
        let text = short.text();
        assert!(text.contains("0.00 s system\n") && text.contains("40.0 MiB, reached before the load\n"), "{text}");
        assert!(!text.contains("by seconds"), "{text}");
        let long = ServerReport::new(&probe(0, 10, 12), &readings(25), &probe(26, 20, 40), 3).expect("it is one");
        assert_eq!(long.each_second.len(), 25);
        assert!(long.text().contains("RSS every 3 s  13.0 MiB, 16.0 MiB,"), "{}", long.text());
    }

    #[test]
    fn a_server_that_was_replaced_is_told() {
        let before = probe(5, 10, 40);
        let other = |change: fn(&mut Probe)| {
            let mut after = probe(6, 10, 40);
            change(&mut after);
            ServerReport::new(&before, &[], &after, 1)
        };
        assert!(other(|_| {}).is_ok());
        for change in [(|p| p.process = 8) as fn(&mut Probe), |p| p.contender.push('x'), |p| p.up_ns = 1] {
            assert!(other(change).expect_err("it is another").contains("another server"));
        }
    }

    #[test]
    fn an_answer_counts_where_it_is_whole_and_well() {
        let body_of = |text: &str| body(text.as_bytes());
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        assert_eq!(body_of(whole), Ok(Some(b"ok".to_vec())));
        for length in 0..whole.len() {
            assert_eq!(body_of(&whole[..length]), Ok(None), "{length}");
        }
        for (answer, hint) in [
            ("HTTP/1.1 200 OK\r\n\r\nok", "without a length"),
            ("HTTP/1.1 503 No\r\ncontent-length: 19\r\n\r\nthe server is dead\n", "status 503: the server is dead"),
            ("SSH-2.0-x\r\n", "other than HTTP"),
        ] {
            let error = body_of(answer).expect_err("it does not count");
            assert!(error.contains(hint), "{answer:?}: {error}");
        }
    }
}
