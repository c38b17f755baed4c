//! The two files: which runs there are, and what is claimed of their records.

use std::collections::BTreeMap;
use std::path::Path;

use heapmark::Metric;
use heapmark::stats::Trend;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::claim::Held;
use crate::page::HeldReport;
use crate::quantity::Quantity;
use crate::records::Records;

/// The runs by name.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Runs(pub(crate) BTreeMap<String, Run>);

/// One run of heapmark.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// What is given to `heapmark run`, beside the configuration and where the record goes.
    pub(crate) arguments: String,
    /// What has to be arranged on the machine before, if anything.
    pub(crate) before: Option<String>,
}

/// Everything that was reported.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reports {
    report: Vec<Report>,
}

/// What one or several people reported, and what follows if they are right.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Report {
    /// Its number.
    pub(crate) id: String,
    /// What it is about.
    pub(crate) title: String,
    /// Where it was reported: project and number.
    pub(crate) sources: Vec<String>,
    /// What was reported.
    pub(crate) said: String,
    /// Why nothing of it is measured here.
    pub(crate) not_here: Option<String>,
    /// What is done otherwise than in the report, and why what comes out differs where it does.
    pub(crate) note: Option<String>,
    /// What follows.
    #[serde(default)]
    pub(crate) claim: Vec<Claim>,
}

/// One thing that follows from a report.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Claim {
    /// How binding it is.
    pub(crate) level: Level,
    /// In words.
    pub(crate) says: String,
    /// In numbers.
    #[serde(flatten)]
    pub(crate) check: Check,
}

/// How binding a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Level {
    /// For every allocator; where it does not hold, the harness is wrong.
    Must,
    /// What the reports show on their machines.
    Direction,
    /// What the reports show for the versions they name.
    Version,
    /// There is no difference to be found.
    Nothing,
}

/// How a claim is checked.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Check {
    /// A quantity, or a ratio of it, lies beyond a bound.
    Bound(Bound),
    /// Nobody is called different from the reference.
    Alike(Alike),
    /// Nor is the reference different from itself.
    Twin(Twin),
    /// What memory does from turn to turn.
    Trend(TrendOf),
    /// It is about the harness: a test of this name holds it.
    Test(String),
}

/// A quantity of a contender in a case; ÷ the same in another case; ÷ that of another contender.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Bound {
    /// The run.
    pub(crate) run: String,
    /// What is measured.
    pub(crate) quantity: Quantity,
    /// Whose.
    pub(crate) of: String,
    /// The case, where the run has several.
    pub(crate) case: Option<String>,
    /// The case that it is divided by.
    pub(crate) over_case: Option<String>,
    /// The contender that it is divided by.
    pub(crate) over: Option<String>,
    /// The least it is claimed to be.
    pub(crate) at_least: Option<f64>,
    /// The most.
    pub(crate) at_most: Option<f64>,
}

/// The metrics in which all contenders of a run come out alike.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alike {
    /// The run.
    pub(crate) run: String,
    /// The case; all of them, if none is named.
    pub(crate) case: Option<String>,
    /// In what.
    pub(crate) metrics: Vec<Metric>,
}

/// The cases in which two copies of the reference come out alike.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Twin {
    /// The run.
    pub(crate) run: String,
    /// The case; all of them, if none is named.
    pub(crate) case: Option<String>,
}

/// A trend that is claimed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrendOf {
    /// The run.
    pub(crate) run: String,
    /// The case, where the run has several.
    pub(crate) case: Option<String>,
    /// Whose.
    pub(crate) of: String,
    /// One of these.
    pub(crate) any: Vec<Trend>,
}

impl Runs {
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        read(&folder.join("runs.toml"))
    }
}

impl Reports {
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        read(&folder.join("reports.toml"))
    }

    /// The tests that claims about the harness name.
    #[cfg(test)]
    pub(crate) fn tests(&self) -> impl Iterator<Item = &str> {
        self.report.iter().flat_map(|report| &report.claim).filter_map(|claim| match &claim.check {
            Check::Test(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Every claim held against the records. Fails for a claim about something that the records do not have.
    pub(crate) fn held_against(&self, records: &Records) -> Result<Vec<HeldReport<'_>>, String> {
        let hold = |report, claim| Held::of(claim, records).map_err(|reason| format!("{}: {reason}", name(report)));
        let all = self.report.iter().map(|report| {
            let claims = report.claim.iter().map(|claim| hold(report, claim)).collect::<Result<Vec<_>, _>>()?;
            Ok(HeldReport { report, claims })
        });
        all.collect()
    }
}

fn name(report: &Report) -> &str {
    &report.id
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
