//! A worker that serves for as long as somebody wants it, to be put under load from elsewhere: from another host, above all, since
//! a generator is the first that outgrows one.
//!
//! The worker is introduced, started and asked for its proof as in a run; then it serves, and this process looks after it. What it uses is
//! read from outside, and [`Probes`] tell it to whoever asks, so that none of that is the worker's doing.

mod endpoint;
mod probe;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use heapmark_protocol::{Numbers, PhaseName};

pub use endpoint::{ALL, ANSWER, BRIEF, Probes, ProbesPort, REQUEST};
pub use probe::{Probe, Questions};

use crate::introduce::{Introduced, identity_row, introduce};
use crate::process::{Bodies, Conversation, Look, Start, Welcome, check_knobs};
use crate::record::{MemoryRow, SettledRow};
use crate::serving::probe::Portrait;
use crate::{Bytes, Case, Contender, Error, Nanos, Settings, Status};

/// After how much quiet time memory is read again at the end, where neither the settings nor the workload name a moment.
const QUIET_MS: u64 = 1000;

/// A server at work. Dropping it kills it.
#[derive(Debug)]
pub struct Server {
    conversation: Conversation,
    welcome: Welcome,
    portrait: Arc<Portrait>,
    settle: Numbers,
}

/// What a server came to, in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// Requests that it answered.
    pub requests: u64,
    /// For how long it served.
    pub up: Duration,
    /// CPU time meanwhile, in user mode. The kernel tells it in ticks, of which there are a hundred in a second.
    pub user: Nanos,
    /// CPU time meanwhile, in the kernel.
    pub system: Nanos,
    /// Peak resident memory since it began to serve.
    pub peak_rss: Option<Bytes>,
    /// Whether that leaves out what came before; not every kernel allows it.
    pub peak_reset: bool,
    /// Memory when it was told to end.
    pub worked: Option<MemoryRow>,
    /// Memory once the server was gone.
    pub drained: Option<MemoryRow>,
    /// Memory after quiet times.
    pub settled: Vec<SettledRow>,
}

impl Server {
    /// Starts the contender's worker as a server at this address. Fails with what is wrong with the request, or with how the worker
    /// failed: as `NAME: status`, as a run tells it.
    ///
    /// It ends with the thread that starts it, as every worker does.
    pub fn start(contender: &Contender, case: &Case, listen: SocketAddr, settings: &Settings) -> Result<Self, Error> {
        let failed = |status: Status| {
            if settings.cancel.is_cancelled() {
                return Error::Interrupted;
            }
            Error::NoWorker(format!("{}: {status}", contender.name))
        };
        settings.check()?;
        let Introduced { launch, catalogue, .. } = introduce(contender, settings).map_err(failed)?;
        let workload = catalogue.check(case)?;
        let mut settle = settings.settle_of(workload);
        if settle.is_empty() && settings.settle_after_ms.is_none() {
            settle.push(QUIET_MS);
        }
        // The settings were checked, and a workload that names too many moments is one without a hint.
        let settle = Numbers::new(settle).unwrap_or_default();
        let program = contender.worker.program.as_deref();
        let program = program.map_err(|why| failed(Status::NotBuilt { detail: why.clone() }))?;
        let mut conversation = Conversation::open(program, &Start::new(settings, 0, &launch)).map_err(failed)?;
        check_knobs(contender, conversation.greeting()).map_err(failed)?;
        let folder = tempfile::tempdir().map_err(Error::file("cannot make a folder in", std::env::temp_dir()))?;
        let (request, answer) = (folder.path().join("request"), folder.path().join("answer"));
        let bodies = request.to_str().zip(answer.to_str()).map(|(request, answer)| Bodies { request, answer });
        let bodies = bodies.ok_or_else(|| Error::Usage(format!("{} is not UTF-8", folder.path().display())))?;
        let welcome = conversation.serve(case, settings.seed, listen, bodies).map_err(failed)?;
        let unknown = |error| failed(Status::FailedToStart { detail: format!("it cannot be looked at: {error}") });
        let subject = conversation.subject().map_err(unknown)?;
        let begun = Instant::now();
        let at_first = subject.look(Look::Brief).unwrap_or_default();
        let portrait = Portrait {
            subject,
            begun,
            at_first,
            contender: contender.name.clone(),
            identity: identity_row(conversation.greeting().clone()),
            workload: case.to_string(),
            questions: Questions {
                method: welcome.method.clone(),
                path: welcome.path.clone(),
                content_type: welcome.content_type.clone(),
            },
            request: std::fs::read(&request).map_err(Error::file("cannot read", &request))?,
            answer: std::fs::read(&answer).map_err(Error::file("cannot read", &answer))?,
        };
        Ok(Self { conversation, welcome, portrait: Arc::new(portrait), settle })
    }

    /// Where it listens, with the port that it has.
    pub fn address(&self) -> SocketAddr {
        self.welcome.address
    }

    /// What to ask it for.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.welcome.address, self.welcome.path)
    }

    /// Every parameter as it is in force.
    pub fn parameters(&self) -> &BTreeMap<String, String> {
        &self.welcome.parameters
    }

    /// What there is to be seen of it now; nothing once it is dead.
    pub fn probe(&self) -> Option<Probe> {
        self.portrait.probe(Look::Thorough)
    }

    /// Answers those who ask for it, until what this returns is dropped. Fails where there is no thread to be had for that.
    pub fn probes(&self, port: ProbesPort) -> Result<Probes, Error> {
        port.answer(Arc::clone(&self.portrait))
    }

    /// Looks after it until the run is cancelled: from then on, that ends nothing any more, so that [`finish`](Self::finish) comes to its
    /// end. Fails with how it died, and when.
    pub fn look_after(&mut self) -> Result<(), Status> {
        self.conversation.look_after().map_err(|status| {
            let up = Nanos::from(self.portrait.begun.elapsed());
            status.with_progress(&format!("; after {up}"))
        })
    }

    /// Ends it: its peak is read, it is dropped with all that it keeps, and memory is read again. Fails with how that failed.
    pub fn finish(self) -> Result<Conclusion, Status> {
        let up = self.portrait.begun.elapsed();
        let (first, last) = (self.portrait.at_first, self.portrait.subject.look(Look::Brief).unwrap_or_default());
        let since = |first: u64, last: u64| Nanos(last.saturating_sub(first));
        let finished = self.conversation.finish(true, self.settle)?;
        let mut conclusion = Conclusion {
            requests: finished.outcome.count,
            up,
            user: since(first.user_ns, last.user_ns),
            system: since(first.system_ns, last.system_ns),
            peak_rss: finished.outcome.peak_rss.map(Bytes),
            peak_reset: self.welcome.peak_reset,
            worked: None,
            drained: None,
            settled: Vec::new(),
        };
        for phase in &finished.phases {
            let memory = MemoryRow::from(phase);
            match (phase.name, phase.settled_ms) {
                (PhaseName::Worked, _) => conclusion.worked = Some(memory),
                (PhaseName::Drained, _) => conclusion.drained = Some(memory),
                (PhaseName::Settled, after_ms) => {
                    conclusion.settled.push(SettledRow { after_ms: after_ms.unwrap_or_default(), memory });
                }
            }
        }
        Ok(conclusion)
    }
}
