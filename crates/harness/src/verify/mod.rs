//! Soundness: each check of each contender, in a process of its own.
//!
//! The checks are in the workers (`crates/soundness`); this is who asks for them, and who says so where a worker dies or hangs.

mod examine;
mod outcome;

use std::time::Duration;

use crate::introduce::{Introduced, introduce};
use crate::process::Limits;
use crate::{Cancel, Contender, Error, Settings, Status, Worker};

use examine::Examiner;
pub use heapmark_protocol::Finding;
pub use outcome::{CheckInfo, Checked, Examined, Soundness, State};

/// A verification of contenders, to be set up and then run.
///
/// ```no_run
/// # fn main() -> Result<(), heapmark::Error> {
/// let workers = heapmark::Workspace::at(".").build(|name| name == "mimalloc")?;
/// let soundness = heapmark::verify::Verification::of(workers).run(&mut |_| {})?;
/// for failure in soundness.failures() {
///     println!("{failure}");
/// }
/// # Ok(())
/// # }
/// ```
pub struct Verification {
    contenders: Vec<Contender>,
    wanted: Box<dyn Fn(&str) -> bool>,
    deadline: Duration,
    repeat: u32,
    settings: Settings,
}

/// What happens while contenders are verified.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A contender is about to be examined, by so many checks.
    Begun {
        /// Who.
        contender: &'a str,
        /// How many checks are made, repeats included.
        checks: usize,
    },
    /// A check was made once.
    Checked {
        /// Of whom.
        contender: &'a str,
        /// What it came to this time.
        result: &'a Checked,
    },
    /// A contender could not be examined.
    Failed {
        /// Who.
        contender: &'a str,
        /// Why.
        status: &'a Status,
    },
}

impl Verification {
    /// Verifies these, by all checks, once.
    pub fn new(contenders: impl IntoIterator<Item = Contender>) -> Self {
        Self {
            contenders: contenders.into_iter().collect(),
            wanted: Box::new(|_| true),
            deadline: Duration::from_mins(2),
            repeat: 1,
            settings: Settings::default(),
        }
    }

    /// Verifies workers as they are, without knobs.
    pub fn of(workers: impl IntoIterator<Item = Worker>) -> Self {
        Self::new(workers.into_iter().map(Contender::plain))
    }

    /// Makes only the checks whose names are wanted.
    #[must_use]
    pub fn checks(mut self, wanted: impl Fn(&str) -> bool + 'static) -> Self {
        self.wanted = Box::new(wanted);
        self
    }

    /// How long one check may take: a worker that has not answered by then hangs, and is killed.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Makes each check so many times; the worst counts.
    #[must_use]
    pub fn repeat(mut self, times: u32) -> Self {
        self.repeat = times.max(1);
        self
    }

    /// How long starting and ending may take.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Takes debug builds too.
    #[must_use]
    pub fn allow_debug(mut self) -> Self {
        self.settings.allow_debug = true;
        self
    }

    /// Ends the verification early when it is set.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.settings.cancel = cancel;
        self
    }

    /// Makes all checks of all contenders. A contender that cannot be examined is a row with its status, as in a run.
    ///
    /// Fails if there is nobody to examine or nothing to check, or if it was cancelled.
    pub fn run(self, observe: &mut dyn FnMut(Event<'_>)) -> Result<Soundness, Error> {
        if self.contenders.is_empty() {
            return Err(Error::NothingSelected("no contender is selected".into()));
        }
        let mut soundness = Soundness::default();
        // What there would be to choose from.
        let mut known: Vec<String> = Vec::new();
        for contender in &self.contenders {
            let examined = match introduce(contender, &self.settings).and_then(|who| self.begin(contender, who)) {
                Ok(mut examiner) => {
                    if known.is_empty() {
                        known.extend(examiner.checks.iter().map(|check| check.name.clone()));
                    }
                    examiner.checks.retain(|check| (self.wanted)(&check.name));
                    let checks = examiner.checks.len() * self.repeat as usize;
                    observe(Event::Begun { contender: &contender.name, checks });
                    soundness.add_checks(&examiner.checks);
                    self.examine(&examiner, observe)
                }
                Err(status) => {
                    observe(Event::Failed { contender: &contender.name, status: &status });
                    Examined { name: contender.name.clone(), status, version: None, results: Vec::new() }
                }
            };
            if self.settings.cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            soundness.contenders.push(examined);
        }
        if soundness.checks.is_empty() && !known.is_empty() {
            return Err(Error::NothingSelected(format!("no check is selected; there are {}", known.join(", "))));
        }
        Ok(soundness)
    }

    /// Asks a contender for its checks.
    fn begin(&self, contender: &Contender, who: Introduced) -> Result<Examiner<'_>, Status> {
        Examiner::new(contender, who, &self.settings, self.deadline)
    }

    fn examine(&self, examiner: &Examiner<'_>, observe: &mut dyn FnMut(Event<'_>)) -> Examined {
        let contender = examiner.contender();
        let mut results = Vec::new();
        for check in &examiner.checks {
            let mut worst: Option<Checked> = None;
            for _ in 0..self.repeat {
                if self.settings.cancel.is_cancelled() {
                    break;
                }
                let result = examiner.check(&check.name);
                observe(Event::Checked { contender, result: &result });
                worst = Some(match worst {
                    None => result,
                    Some(worst) => worst.and(result),
                });
            }
            results.extend(worst);
        }
        Examined { name: contender.to_owned(), status: Status::Ok, version: Some(examiner.version()), results }
    }
}
