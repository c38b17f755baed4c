//! Runs a workload without a worker and without measuring it: for those who write workloads, and for their tests.

use crate::lanes::with_team;
use crate::workload::{Setup, Tally, Workload};

/// Prepares `workload`, starts its lanes as a worker would, does one turn for each number of units in `turns`, and drops
/// everything. Returns the tally of each turn, all lanes combined.
///
/// Fails with the workload's own line if it refuses the parameters, or if a turn fails.
///
/// ```
/// use heapmark_worker::{About, Job, Lane, Setup, Tally, Turn, Workload, run_turns};
///
/// struct Boxes;
///
/// impl Workload for Boxes {
///     fn about(&self) -> &About {
///         &About { name: "my/boxes", summary: "boxes numbers", unit: "box", details: "", parameters: &[] }
///     }
///     fn prepare(&self, _: &Setup<'_>) -> Result<Box<dyn Job>, String> {
///         Ok(Box::new(Boxes))
///     }
/// }
///
/// impl Job for Boxes {
///     fn lanes(&self) -> usize {
///         2
///     }
///     fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
///         Box::new(Boxes)
///     }
/// }
///
/// impl Lane for Boxes {
///     fn turn(&mut self, turn: &Turn) -> Tally {
///         let mut tally = Tally::default();
///         for unit in 0..turn.share() {
///             tally.add(*std::hint::black_box(Box::new(unit)));
///         }
///         tally
///     }
/// }
///
/// let setup = Setup::new(Boxes.about(), 1);
/// let tallies = run_turns(&Boxes, &setup, &[0, 7])?;
/// assert_eq!(tallies.iter().map(|tally| tally.count).collect::<Vec<_>>(), [0, 7]);
/// # Ok::<(), String>(())
/// ```
pub fn run_turns(workload: &dyn Workload, setup: &Setup<'_>, turns: &[u64]) -> Result<Vec<Tally>, String> {
    let job = workload.prepare(setup)?;
    with_team(&*job, |team| {
        turns
            .iter()
            .map(|units| {
                let (_, _, tally) = team.turn(*units);
                job.failure().map_or(Ok(tally), Err)
            })
            .collect()
    })
}
