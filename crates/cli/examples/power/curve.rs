//! The whole curve of power, from the blocks of the twins: shifted by a known difference, they are blocks of a contender
//! with that difference and the noise of this machine.

use std::fmt::Write;

use heapmark::record::{Record, Role, Sample};
use heapmark::stats::{BlockRatio, Direction, PairEstimate, Verdict, judge};
use heapmark::{Metric, Outcome};

/// Resampled runs for each point of the curve.
const RUNS: usize = 2000;

/// Log-ratios of the twins' blocks, run by run.
#[derive(Default)]
pub(crate) struct Twins {
    cpu: Vec<Vec<f64>>,
    wall: Vec<Vec<f64>>,
}

impl Twins {
    /// Adds the twin of a run; what the run said, in a line.
    pub(crate) fn note(&mut self, record: &Record) -> String {
        self.cpu.push(log_ratios(record, |sample| {
            sample
                .turns
                .user_ns
                .iter()
                .zip(&sample.turns.system_ns)
                .map(|(&user, &system)| (user + system) as f64)
                .collect()
        }));
        self.wall.push(log_ratios(record, |sample| sample.turns.wall_ns.iter().map(|&ns| ns as f64).collect()));
        let outcome = Outcome::of(record);
        let Some(case) = outcome.cases.first() else { return "nothing was measured".into() };
        let entrants = case.twin.iter().chain(&case.contenders);
        let said = entrants.filter_map(|entrant| {
            let cpu = entrant.cpu?;
            let (low, high) = cpu.estimate.interval()?;
            Some(format!(
                "{} {} {:.4} [{low:.4}, {high:.4}] {}",
                entrant.name,
                Metric::Cpu,
                cpu.estimate.ratio,
                cpu.verdict
            ))
        });
        let blocks = self.cpu.last().map_or(0, Vec::len);
        format!("{blocks} blocks; {}", said.collect::<Vec<_>>().join("; "))
    }

    /// The curve, as a table.
    pub(crate) fn curve(&self) -> String {
        let mut rng = fastrand::Rng::with_seed(1);
        let blocks: Vec<usize> = self.cpu.iter().map(Vec::len).collect();
        let mut table = format!(
            "How often a true difference is called `slower`, in percent of {RUNS} runs resampled from the twins' blocks.\n\n\
             | true difference | CPU time | wall time |\n|---|--:|--:|\n"
        );
        for percent in 0..=10 {
            let shift = (f64::from(percent) / 100.0).ln_1p();
            let mut share = |pool: &[Vec<f64>]| {
                let pool: Vec<f64> = pool.iter().flatten().copied().collect();
                let called =
                    (0..RUNS).filter(|run| is_called(&pool, blocks[run % blocks.len()], shift, &mut rng)).count();
                100.0 * called as f64 / RUNS as f64
            };
            let (cpu, wall) = (share(&self.cpu), share(&self.wall));
            // Writing to a string cannot fail.
            let _ = writeln!(table, "| {percent} % | {cpu:.1} | {wall:.1} |");
        }
        table
    }
}

/// Whether a run of so many blocks, drawn from the pool and shifted, is called slower.
fn is_called(pool: &[f64], blocks: usize, shift: f64, rng: &mut fastrand::Rng) -> bool {
    if pool.is_empty() {
        return false;
    }
    let drawn: Vec<BlockRatio> = (0..blocks)
        .map(|_| pool[rng.usize(..pool.len())] + shift)
        .map(|ratio| BlockRatio { of_turns: ratio, of_sums: ratio })
        .collect();
    PairEstimate::of(&drawn).is_some_and(|pair| judge(&pair.of_turns, 0.01, Direction::Time) == Verdict::Slower)
}

fn log_ratios(record: &Record, values: impl Fn(&Sample) -> Vec<f64>) -> Vec<f64> {
    let of = |role: Role| record.samples.iter().filter(move |sample| sample.role == role && sample.status.is_ok());
    let ratio = |twin: &Sample| {
        let reference = of(Role::Reference).find(|reference| reference.block == twin.block)?;
        BlockRatio::of(&values(twin), &values(reference)).map(|block| block.of_turns)
    };
    of(Role::Twin).filter_map(ratio).collect()
}
