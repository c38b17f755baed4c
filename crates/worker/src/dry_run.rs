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
    let mut tallies = Vec::with_capacity(turns.len());
    observe_turns(workload, setup, turns, |moment| {
        if let Moment::Turned(tally) = moment {
            tallies.push(tally);
        }
    })?;
    Ok(tallies)
}

/// A moment of a dry run in which no lane is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Everything is prepared, and every lane waits for its first turn.
    Prepared,
    /// A turn is over; its tally, all lanes combined.
    Turned(Tally),
    /// Everything is dropped, and the lanes' threads have ended.
    Dropped,
}

/// Does the same as [`run_turns`] and calls `observe` in between, from the thread that called this. It allocates nothing itself
/// from one moment to the next, so that an allocator which counts can be asked what the workload did.
///
/// Fails with the workload's own line if it refuses the parameters, or if a turn fails.
pub fn observe_turns(
    workload: &dyn Workload,
    setup: &Setup<'_>,
    turns: &[u64],
    mut observe: impl FnMut(Moment),
) -> Result<(), String> {
    let job = workload.prepare(setup)?;
    with_team(&*job, |team| {
        observe(Moment::Prepared);
        for units in turns {
            let (_, _, tally) = team.turn(*units);
            if let Some(why) = job.failure() {
                return Err(why);
            }
            observe(Moment::Turned(tally));
        }
        Ok(())
    })?;
    drop(job);
    observe(Moment::Dropped);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::workload::{About, Job, Lane, Turn};

    /// Counts its lanes that are there.
    struct Counted {
        lanes: usize,
    }

    static ALIVE: AtomicUsize = AtomicUsize::new(0);

    impl Workload for Counted {
        fn about(&self) -> &About {
            &About { name: "test/counted", summary: "", unit: "unit", details: "", parameters: &[] }
        }
        fn prepare(&self, _: &Setup<'_>) -> Result<Box<dyn Job>, String> {
            Ok(Box::new(Self { lanes: self.lanes }))
        }
    }
    impl Job for Counted {
        fn lanes(&self) -> usize {
            self.lanes
        }
        fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
            ALIVE.fetch_add(1, Ordering::Relaxed);
            Box::new(Present)
        }
    }

    struct Present;

    impl Lane for Present {
        fn turn(&mut self, turn: &Turn) -> Tally {
            Tally { count: turn.share(), checksum: 1 }
        }
    }
    impl Drop for Present {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn moments_come_in_their_order_and_when_they_say() {
        for lanes in [1, 3] {
            let workload = Counted { lanes };
            let mut seen = Vec::new();
            let setup = Setup::new(workload.about(), 1);
            observe_turns(&workload, &setup, &[5, 0], |moment| seen.push((moment, ALIVE.load(Ordering::Relaxed))))
                .unwrap();
            let turned = |count| (Moment::Turned(Tally { count, checksum: lanes as u64 }), lanes);
            assert_eq!(seen, [(Moment::Prepared, lanes), turned(5), turned(0), (Moment::Dropped, 0)]);
        }
    }
}
