//! Setting up a run: who takes part, how it is made, where the record goes.

use std::path::PathBuf;

use crate::outcome::Outcome;
use crate::process::{Conversation, Launch, Start};
use crate::record::{Record, RecordFile};
use crate::session::{Event, Session};
use crate::{Case, Catalogue, Contender, Error, Settings, Status, Stop, Worker};

/// A comparison of contenders, to be set up and then run.
#[derive(Debug)]
pub struct Comparison {
    pub(crate) contenders: Vec<Contender>,
    pub(crate) reference: Option<String>,
    pub(crate) counting: Option<Worker>,
    pub(crate) settings: Settings,
    pub(crate) file: Option<RecordFile>,
    pub(crate) workspace: Option<PathBuf>,
    pub(crate) counters_too: bool,
    pub(crate) resumed: Option<Record>,
}

impl Comparison {
    /// Compares these, with default settings. The reference is `system` where it takes part, else the first.
    pub fn new(contenders: impl IntoIterator<Item = Contender>) -> Self {
        Self {
            contenders: contenders.into_iter().collect(),
            reference: None,
            counting: None,
            settings: Settings::default(),
            file: None,
            workspace: None,
            counters_too: false,
            resumed: None,
        }
    }

    /// Compares workers as they are, without knobs.
    pub fn of(workers: impl IntoIterator<Item = Worker>) -> Self {
        Self::new(workers.into_iter().map(Contender::plain))
    }

    /// The contender that the others are compared with.
    #[must_use]
    pub fn reference(mut self, name: impl Into<String>) -> Self {
        self.reference = Some(name.into());
        self
    }

    /// A worker that counts; it is asked once for each case and never compared.
    #[must_use]
    pub fn counting(mut self, worker: Worker) -> Self {
        self.counting = Some(worker);
        self
    }

    /// Lets workers that only count take part: to list them, since their times say nothing about an allocator.
    #[must_use]
    pub fn counters_too(mut self) -> Self {
        self.counters_too = true;
        self
    }

    /// How the run is made.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Stops after so many blocks of each case.
    #[must_use]
    pub fn blocks(mut self, blocks: u32) -> Self {
        self.settings.stop = Stop::Blocks(blocks);
        self
    }

    /// Where every row is written as it is measured.
    #[must_use]
    pub fn record(mut self, file: RecordFile) -> Self {
        self.file = Some(file);
        self
    }

    /// Goes on with an interrupted run: `record` as it was read, and `file` to append to. The settings are the record's; the
    /// contenders must be the same.
    #[must_use]
    pub fn resume(mut self, record: Record, file: RecordFile) -> Self {
        if let Some(run) = &record.run {
            let (limits, cancel) = (self.settings.limits, self.settings.cancel);
            self.settings = Settings { limits, cancel, ..run.settings.clone() };
            self.reference = Some(run.reference.clone());
        }
        self.resumed = Some(record);
        self.file = Some(file);
        self
    }

    /// The workspace whose revision is named in the record.
    #[must_use]
    pub fn workspace(mut self, root: impl Into<PathBuf>) -> Self {
        self.workspace = Some(root.into());
        self
    }

    /// What there is to measure: the workloads of the reference, or of the first contender that can be asked. For those who
    /// want to choose before they open a [`Session`]. Fails if nobody can be asked.
    pub fn catalogue(&self) -> Result<Catalogue, Error> {
        let reference = self.reference.as_deref().unwrap_or("system");
        let (first, others): (Vec<_>, Vec<_>) = self.contenders.iter().partition(|c| c.name == reference);
        let mut reasons = Vec::new();
        for contender in first.into_iter().chain(others) {
            match ask_catalogue(contender, &self.settings) {
                Ok(catalogue) => return Ok(catalogue),
                Err(status) => reasons.push(format!("{}: {status}", contender.name)),
            }
        }
        Err(Error::NoWorker(format!("no contender can be asked: {}", reasons.join("; "))))
    }

    /// Has every contender introduce itself, so that cases can be measured one by one.
    pub fn open(self, observe: &mut dyn FnMut(Event<'_>)) -> Result<Session, Error> {
        Session::open(self, observe)
    }

    /// Measures the cases one after another and judges them. Every case is checked before the first is measured.
    pub fn run(self, cases: &[Case]) -> Result<Outcome, Error> {
        let mut session = self.open(&mut |_| {})?;
        session.measure_all(cases, &mut |_| {})?;
        session.finish()?;
        Ok(Outcome::of(session.record()))
    }
}

/// Starts a worker only to hear what it offers.
fn ask_catalogue(contender: &Contender, settings: &Settings) -> Result<Catalogue, Status> {
    let program = contender.worker.program.as_deref().map_err(|why| Status::NotBuilt { detail: why.clone() })?;
    let mut conversation = Conversation::open(program, &Start::new(settings, 0, &Launch::of(contender, program)?))?;
    let catalogue = conversation.catalogue()?;
    conversation.quit()?;
    Ok(catalogue)
}
