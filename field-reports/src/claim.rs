//! A claim held against the records.

use std::collections::BTreeMap;

use heapmark::record::Record;
use heapmark::stats::{Estimate, Trend, estimate};
use heapmark::{Case, CaseOutcome, ContenderOutcome, Metric, Outcome};

use crate::quantity::Quantity;
use crate::records::{Records, case, samples};
use crate::reports::{Alike, Bound, Check, Claim, TrendOf, Twin};

/// Whether what came out agrees with what was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// The whole interval does.
    Yes,
    /// The interval lies on both sides of the bound.
    Unclear,
    /// The whole interval does not.
    No,
    /// A test holds it, not a record.
    Tested,
}

/// A claim and what came out.
pub(crate) struct Held<'a> {
    /// What was claimed.
    pub(crate) claim: &'a Claim,
    /// What came out, in words and numbers.
    pub(crate) came_out: String,
    /// Whether they agree.
    pub(crate) agreement: Agreement,
}

impl<'a> Held<'a> {
    /// Fails for a claim about something that the records do not have.
    pub(crate) fn of(claim: &'a Claim, records: &Records) -> Result<Self, String> {
        let (came_out, agreement) = match &claim.check {
            Check::Bound(bound) => hold_bound(bound, records)?,
            Check::Alike(alike) => hold_alike(alike, records)?,
            Check::Twin(twin) => hold_twin(twin, records)?,
            Check::Trend(trend) => hold_trend(trend, records)?,
            Check::Test(name) => (format!("test `{name}`"), Agreement::Tested),
        };
        Ok(Self { claim, came_out, agreement })
    }
}

fn hold_bound(bound: &Bound, records: &Records) -> Result<(String, Agreement), String> {
    let (record, outcome) = records.of(&bound.run)?;
    let its = blocks(record, outcome, bound, &bound.of)?;
    let logarithms: Vec<f64> = match &bound.over {
        None => its.values().map(|value| value.ln()).collect(),
        Some(other) => {
            let others = blocks(record, outcome, bound, other)?;
            its.iter().filter_map(|(block, value)| Some((value / others.get(block)?).ln())).collect()
        }
    };
    let what = || format!("{} of {} in the run {}", bound.quantity.name(), bound.of, bound.run);
    let estimate = estimate(&logarithms).ok_or_else(|| format!("there is no {}", what()))?;
    Ok((shown(bound, &estimate), agreement(bound, &estimate)?))
}

/// The value of each block: in the case, or there ÷ in the other case.
fn blocks(record: &Record, outcome: &Outcome, bound: &Bound, contender: &str) -> Result<BTreeMap<u32, f64>, String> {
    let of_case = |wanted: Option<&str>| -> Result<BTreeMap<u32, f64>, String> {
        let found = case(outcome, wanted)?;
        let values = values(record, &found.case, contender, bound.quantity);
        let missing =
            || format!("{contender} has no {} in {} of the run {}", bound.quantity.name(), found.case, bound.run);
        if values.is_empty() { Err(missing()) } else { Ok(values) }
    };
    let its = of_case(bound.case.as_deref())?;
    let Some(over) = bound.over_case.as_deref() else { return Ok(its) };
    let others = of_case(Some(over))?;
    Ok(its.iter().filter_map(|(block, value)| Some((*block, value / others.get(block)?))).collect())
}

fn values(record: &Record, case: &Case, contender: &str, quantity: Quantity) -> BTreeMap<u32, f64> {
    let counts = record.counts.iter().find(|row| row.case == *case && row.status.is_ok());
    let of = |arrangement| {
        let samples = samples(record, case, contender, arrangement);
        samples.iter().filter_map(|(block, sample)| Some((*block, quantity.of(sample, counts)?))).collect()
    };
    let ways = quantity.arrangements().map(of);
    ways.into_iter().find(|values: &BTreeMap<u32, f64>| !values.is_empty()).unwrap_or_default()
}

fn shown(bound: &Bound, estimate: &Estimate) -> String {
    let quantity = bound.quantity.name();
    let number = |value: f64| match bound.quantity {
        Quantity::Peak | Quantity::Worked if bound.over.is_none() && bound.over_case.is_none() => {
            format!("{:.1} MiB", value / f64::from(1 << 20))
        }
        _ => format!("{value:.3}"),
    };
    let interval = estimate.interval().map(|(low, high)| format!(" [{}, {}]", number(low), number(high)));
    format!("{quantity} {}{}", number(estimate.ratio), interval.unwrap_or_default())
}

fn agreement(bound: &Bound, estimate: &Estimate) -> Result<Agreement, String> {
    let (low, high) = estimate.interval().unwrap_or((estimate.ratio, estimate.ratio));
    let (least, most) = match (bound.at_least, bound.at_most) {
        (None, None) => return Err("a bound needs at-least or at-most".to_owned()),
        (least, most) => (least.unwrap_or(0.0), most.unwrap_or(f64::INFINITY)),
    };
    Ok(if low >= least && high <= most {
        Agreement::Yes
    } else if high < least || low > most {
        Agreement::No
    } else {
        Agreement::Unclear
    })
}

fn hold_alike(alike: &Alike, records: &Records) -> Result<(String, Agreement), String> {
    let (_, outcome) = records.of(&alike.run)?;
    let cases = cases(outcome, alike.case.as_deref())?;
    let (mut called, mut judged) = (Vec::new(), 0);
    for (case, contender, metric) in every(&cases, &alike.metrics) {
        let Some(compared) = contender.compared(metric).filter(|_| contender.name != outcome.reference) else {
            continue;
        };
        judged += 1;
        if compared.verdict.is_difference() {
            let ratio = compared.estimate.ratio;
            called.push(format!("{}: {metric} of {} {} at {ratio:.3}", case.case, contender.name, compared.verdict));
        }
    }
    match (judged, called.is_empty()) {
        (0, _) => Err(format!("nothing is judged in the run {}", alike.run)),
        (_, true) => Ok((format!("{judged} comparisons, none called different"), Agreement::Yes)),
        (_, false) => Ok((called.join("; "), Agreement::No)),
    }
}

/// The case of this form; all of them, if none is named.
fn cases<'a>(outcome: &'a Outcome, wanted: Option<&str>) -> Result<Vec<&'a CaseOutcome>, String> {
    match wanted {
        Some(_) => Ok(vec![case(outcome, wanted)?]),
        None => Ok(outcome.cases.iter().collect()),
    }
}

fn hold_twin(twin: &Twin, records: &Records) -> Result<(String, Agreement), String> {
    let (_, outcome) = records.of(&twin.run)?;
    let cases = cases(outcome, twin.case.as_deref())?;
    let distrusted: Vec<String> = cases
        .iter()
        .filter(|case| !case.distrusted.is_empty())
        .map(|case| format!("{} differs from itself in {}", outcome.reference, case.case))
        .collect();
    match (cases.iter().filter(|case| case.twin.is_some()).count(), distrusted.is_empty()) {
        (0, _) => Err(format!("no twin took part in the run {}", twin.run)),
        (cases, true) => Ok((format!("{cases} cases, none different"), Agreement::Yes)),
        (_, false) => Ok((distrusted.join("; "), Agreement::No)),
    }
}

fn every<'a>(
    cases: &'a [&'a CaseOutcome],
    metrics: &'a [Metric],
) -> impl Iterator<Item = (&'a CaseOutcome, &'a ContenderOutcome, Metric)> {
    let contenders = cases.iter().flat_map(|case| case.contenders.iter().map(move |contender| (*case, contender)));
    contenders.flat_map(|(case, contender)| metrics.iter().map(move |metric| (case, contender, *metric)))
}

fn hold_trend(trend: &TrendOf, records: &Records) -> Result<(String, Agreement), String> {
    let (_, outcome) = records.of(&trend.run)?;
    let missing = || format!("{} has no trend in the run {}", trend.of, trend.run);
    let contender = case(outcome, trend.case.as_deref())?.contender(&trend.of).ok_or_else(missing)?;
    let slope = contender.over_time.as_ref().and_then(|over_time| over_time.slope).ok_or_else(missing)?;
    let agreement = match slope.trend {
        found if trend.any.contains(&found) => Agreement::Yes,
        Trend::Unclear => Agreement::Unclear,
        _ => Agreement::No,
    };
    Ok((format!("{}, {:+.2} % of the level in each turn", slope.trend, slope.per_turn * 100.0), agreement))
}
