//! What the harness says of the same work.

use heapmark::record::Record;
use heapmark::{Arrangement, Case, Comparison, Settings, Stop, Worker};

use crate::originals::Part;
use crate::score::Scores;

/// Timed turns of a sample, of ten milliseconds.
const TURNS: u32 = 20;

/// Measures what a program consists of under these contenders, the first of which is the C library's malloc.
pub(crate) fn measure(parts: &[Part], contenders: &[Worker], blocks: u32) -> Result<Scores, String> {
    let settings = Settings {
        stop: Stop::Blocks(blocks),
        arrangements: vec![Arrangement::Turns],
        turns: TURNS,
        timed_share: 0.0,
        twin: false,
        ..Settings::default()
    };
    let cases: Vec<Case> = parts.iter().map(|part| part.case.clone()).collect();
    let failed = |error: heapmark::Error| error.to_string();
    let mut session =
        Comparison::of(contenders.iter().cloned()).settings(settings).open(&mut |_| {}).map_err(failed)?;
    session.measure_all(&cases, &mut |_| {}).map_err(failed)?;
    let mut scores = Scores::of(contenders.len());
    for block in 0..blocks {
        for (place, contender) in contenders.iter().enumerate() {
            scores.push(place, unit(session.record(), parts, &contender.name, block)?);
        }
    }
    Ok(scores)
}

/// CPU time for a unit of a program that consists of these parts: the sum over all turns, as it is with a program that runs
/// through, and over the parts by their weight.
fn unit(record: &Record, parts: &[Part], contender: &str, block: u32) -> Result<f64, String> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for part in parts {
        let mut samples = record.samples_of(&part.case);
        let sample = samples.find(|sample| sample.contender == contender && sample.block == block);
        let sample = sample.ok_or_else(|| format!("{}: {contender} was not measured", part.case))?;
        if !sample.status.is_ok() || sample.units == 0 {
            return Err(format!("{}: {contender}: {}", part.case, sample.status));
        }
        sum += part.weight * sample.cpu().0 as f64 / (sample.units as f64 * part.units);
        weights += part.weight;
    }
    Ok(sum / weights)
}
