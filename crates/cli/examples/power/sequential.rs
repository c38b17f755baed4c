//! The plain way: some processes of one program, then some of the next. A process is one observation, which is already more
//! careful than most; but nothing is interleaved.

use heapmark::stats::{Verdict, median};
use heapmark::{Arrangement, Case, Comparison, Contender, Error, Settings, Stop};

/// Processes of each contender.
const PROCESSES: u32 = 10;

/// Verdicts of the reference against itself and against the others, from processes run one after another: beyond the margin
/// by the medians, and different by the rank-sum test at 5 %.
pub(crate) fn verdicts(run: u64, case: &Case, contenders: &[Contender]) -> Result<Vec<Verdict>, Error> {
    let reference = processes(run, case, &contenders[0])?;
    contenders.iter().map(|contender| Ok(judge(&reference, &processes(run, case, contender)?))).collect()
}

/// Wall time per unit of each process.
fn processes(run: u64, case: &Case, contender: &Contender) -> Result<Vec<f64>, Error> {
    let settings = Settings {
        seed: run,
        stop: Stop::Blocks(PROCESSES),
        arrangements: vec![Arrangement::Alone],
        turns_alone: 40,
        twin: false,
        ..Settings::default()
    };
    let mut session = Comparison::new([contender.clone()]).settings(settings).open(&mut |_| {})?;
    session.measure_all(std::slice::from_ref(case), &mut |_| {})?;
    let samples = session.record().samples.iter().filter(|sample| sample.status.is_ok() && sample.units > 0);
    Ok(samples.map(|sample| sample.wall_ns as f64 / sample.units as f64).collect())
}

fn judge(reference: &[f64], contender: &[f64]) -> Verdict {
    let Some(ratio) = median(contender).zip(median(reference)).map(|(ours, theirs)| ours / theirs) else {
        return Verdict::Unclear;
    };
    let differs = rank_sum_z(reference, contender).abs() > 1.96;
    match (differs, ratio) {
        (true, ratio) if ratio > 1.01 => Verdict::Slower,
        (true, ratio) if ratio < 1.0 / 1.01 => Verdict::Faster,
        (true, _) => Verdict::Same,
        (false, _) => Verdict::Unclear,
    }
}

/// The rank-sum statistic of Mann and Whitney as a standard normal deviate.
fn rank_sum_z(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len() as f64, b.len() as f64);
    let wins: f64 = b
        .iter()
        .flat_map(|ours| {
            a.iter().map(move |theirs| {
                if ours > theirs {
                    1.0
                } else if ours < theirs {
                    0.0
                } else {
                    0.5
                }
            })
        })
        .sum();
    let deviation = (n * m * (n + m + 1.0) / 12.0).sqrt();
    if deviation > 0.0 { (wins - n * m / 2.0) / deviation } else { 0.0 }
}
