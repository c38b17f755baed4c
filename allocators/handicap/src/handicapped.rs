//! A workload that loses: units that are done again without being counted, and memory that is kept for nothing.

use std::sync::Barrier;

use heapmark_worker::{About, Job, Lane, Requests, Setup, Tally, Turn, Workload, resident};

use crate::ballast::Ballast;
use crate::debt::Debt;
use crate::knobs::Loss;

/// A workload with the loss that the knobs say.
#[derive(Clone, Copy)]
pub(crate) struct Handicapped(pub(crate) &'static dyn Workload);

impl Workload for Handicapped {
    fn about(&self) -> &About {
        self.0.about()
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        prepare(self.0, setup, Loss::from_environment())
    }

    fn is_handicapped(&self) -> bool {
        true
    }

    fn settle_ms(&self) -> &'static [u64] {
        self.0.settle_ms()
    }
}

fn prepare(workload: &dyn Workload, setup: &Setup<'_>, loss: Loss) -> Result<Box<dyn Job>, String> {
    if !loss.rss.is_zero() && resident().peak.is_none() {
        return Err("rss_pct is a share of the peak, and this system does not tell it".into());
    }
    let inner = workload.prepare(setup)?;
    let between = Barrier::new(inner.lanes().max(1));
    Ok(Box::new(HandicappedJob { inner, loss, between }))
}

struct HandicappedJob {
    inner: Box<dyn Job>,
    loss: Loss,
    /// Where the lanes meet before they do units again: to the workload that is another turn, and no turn begins before
    /// everybody has ended the last.
    between: Barrier,
}

impl Job for HandicappedJob {
    fn lanes(&self) -> usize {
        self.inner.lanes()
    }

    fn lane(&self, index: usize) -> Box<dyn Lane + '_> {
        let ballast = (index == 0 && !self.loss.rss.is_zero()).then(|| Ballast::new(self.loss.rss));
        let debt = Debt::new(self.loss.slowdown, self.lanes().max(1));
        let (inner, between) = (self.inner.lane(index), &self.between);
        Box::new(HandicappedLane { inner, debt, ballast, leak: self.loss.leak, between })
    }

    fn least_units(&self) -> u64 {
        self.inner.least_units()
    }

    fn failure(&self) -> Option<String> {
        self.inner.failure()
    }

    fn requests(&self) -> Result<Option<Requests>, String> {
        self.inner.requests()
    }
}

struct HandicappedLane<'a> {
    inner: Box<dyn Lane + 'a>,
    /// The same on every lane at every turn, so that all agree on each other's shares.
    debt: Debt,
    /// On the first lane only.
    ballast: Option<Ballast>,
    /// Bytes that each unit leaks.
    leak: u64,
    between: &'a Barrier,
}

/// Allocates so many bytes, writes them, and forgets them.
fn leak(bytes: u64) {
    // More than the address space holds is a comparison that cannot be made.
    let bytes = usize::try_from(bytes).expect("a leak fits the address space");
    std::mem::forget(std::hint::black_box(vec![1_u8; bytes]));
}

impl Lane for HandicappedLane<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let tally = self.inner.turn(turn);
        let units = self.debt.after(turn.units);
        if units > 0 {
            self.between.wait();
            self.inner.turn(&Turn { units, ..*turn });
        }
        if self.leak > 0 {
            leak(self.leak.saturating_mul(turn.share()));
        }
        if let Some(ballast) = &mut self.ballast {
            ballast.after_turn(|| resident().peak.unwrap_or_default());
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use heapmark_worker::{Parameter, run_turns};

    use super::*;
    use crate::percent::Percent;

    fn loss(slowdown: &str, rss: &str) -> Loss {
        Loss { slowdown: Percent::parse(slowdown).unwrap(), rss: Percent::parse(rss).unwrap(), leak: 0 }
    }

    /// A workload with a loss of its own, whatever the environment says.
    struct Lossy<W>(W, Loss);

    impl<W: Workload> Workload for Lossy<W> {
        fn about(&self) -> &About {
            self.0.about()
        }
        fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
            prepare(&self.0, setup, self.1)
        }
    }

    /// Counts the units of each lane.
    #[derive(Clone, Default)]
    struct Counted(Arc<[AtomicU64; 2]>);

    impl Workload for Counted {
        fn about(&self) -> &About {
            &About { name: "test/counted", summary: "", unit: "unit", details: "", parameters: &[] }
        }
        fn prepare(&self, _: &Setup<'_>) -> Result<Box<dyn Job>, String> {
            Ok(Box::new(self.clone()))
        }
    }
    impl Job for Counted {
        fn lanes(&self) -> usize {
            self.0.len()
        }
        fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
            Box::new(self.clone())
        }
    }
    impl Lane for Counted {
        fn turn(&mut self, turn: &Turn) -> Tally {
            self.0[turn.lane].fetch_add(turn.share(), Ordering::Relaxed);
            Tally { count: turn.share(), checksum: 1 }
        }
    }

    #[test]
    fn more_is_done_than_is_counted() {
        for (slowdown, done) in [("0", 10_000), ("5", 10_500), ("2.5", 10_250), ("100", 20_000)] {
            let counted = Counted::default();
            let lossy = Lossy(counted.clone(), loss(slowdown, "0"));
            let tallies = run_turns(&lossy, &Setup::new(lossy.about(), 1), &[100; 100]).unwrap();
            assert!(tallies.iter().all(|tally| *tally == Tally { count: 100, checksum: 2 }), "{tallies:?}");
            let lanes = counted.0.each_ref().map(|lane| lane.load(Ordering::Relaxed));
            assert_eq!(lanes, [done / 2; 2], "{slowdown} %, the same on both lanes");
        }
    }

    /// Lanes that work together must not wait for each other for ever when they do more than they were told.
    #[test]
    fn every_standard_workload_can_lose() {
        for &workload in heapmark_workloads::CATALOGUE.workloads {
            let mut setup = Setup::new(workload.about(), 1);
            if workload.about().parameters.iter().any(|parameter: &Parameter| parameter.name == "threads") {
                setup.set("threads", "3").unwrap();
            }
            let job = Lossy(Handed(workload), loss("50", "10"));
            let tallies = run_turns(&job, &setup, &[1, 7, 12]).unwrap();
            let counts: Vec<u64> = tallies.iter().map(|tally| tally.count).collect();
            assert_eq!(counts, [1, 7, 12], "{}", workload.about().name);
        }
    }

    /// A workload of a catalogue.
    struct Handed(&'static dyn Workload);

    impl Workload for Handed {
        fn about(&self) -> &About {
            self.0.about()
        }
        fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
            self.0.prepare(setup)
        }
    }
}
