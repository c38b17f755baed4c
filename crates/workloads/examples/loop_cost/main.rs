//! States what the timed loops of the classic workloads cost beside the allocator.
//!
//! ```sh
//! cargo run --release -p heapmark-workloads --example loop_cost
//! ```
//!
//! This program's allocators do next to nothing. For `classic/glibc-simple` a block begins where the last one ended, and when
//! all are freed the next one begins at the start: a bump allocator. For all workloads in turn, a block comes from a list of
//! freed ones of its size class, on its own thread, without a lock or a look at anything else. What a unit takes with them is
//! the workload's own loop and that little. Each workload runs on one thread, for so many units that they take a while; of
//! some rounds the least CPU time is printed, since whatever else the machine does only adds to it.
#![expect(unsafe_code, reason = "an allocator has to implement `GlobalAlloc`")]

mod bump;
mod lists;

use std::alloc::{GlobalAlloc, Layout};
use std::hint::black_box;

use heapmark_worker::{Moment, Setup, Workload, observe_turns};
use heapmark_workloads::CATALOGUE;
use rustix::time::{ClockId, clock_gettime};

use crate::lists::Lists;

/// The bump allocator where it is switched on and has the block, else lists.
struct Least;

#[global_allocator]
static ALLOCATOR: Least = Least;

// SAFETY: each block is given back to whichever of the two it came from, and both keep to the contract.
unsafe impl GlobalAlloc for Least {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on as it came.
        bump::take(layout).unwrap_or_else(|| unsafe { Lists.alloc(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !bump::give_back(block) {
            // SAFETY: passed on as it came; and a block of this thread's bump allocator does not get here. One of another
            // thread's is as good as any in a list: it is as large and as aligned, and never handed out there again, since
            // not all of that thread's blocks come back to it.
            unsafe { Lists.dealloc(block, layout) }
        }
    }
}

const ROUNDS: usize = 9;

/// CPU time of this process, which other programs disturb least.
fn cpu_ns() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds per unit, in rounds of so many units that one takes a tenth of a second.
struct Rounds<F> {
    run: F,
    units: u64,
    measured: Vec<f64>,
}

impl<F: FnMut(u64) -> f64> Rounds<F> {
    fn of(mut run: F) -> Self {
        let mut units = 1;
        while run(units) < 1e8 {
            units *= 2;
        }
        Self { run, units, measured: Vec::new() }
    }

    fn one_more(&mut self) {
        let time = (self.run)(self.units);
        self.measured.push(time / self.units as f64);
    }

    fn least(&self) -> f64 {
        self.measured.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn median(&self) -> f64 {
        let mut sorted = self.measured.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

/// CPU time that so many units of a workload take, without its preparation.
fn of_workload(workload: &dyn Workload) -> impl FnMut(u64) -> f64 {
    let mut setup = Setup::new(workload.about(), 1);
    setup.set("threads", "1").expect("every classic workload has threads");
    move |units: u64| {
        let (mut begun, mut ended) = (0.0, 0.0);
        observe_turns(workload, &setup, &[units, units], |moment| match moment {
            Moment::Prepared => begun = cpu_ns(),
            Moment::Turned(_) => ended = cpu_ns(),
            Moment::Dropped => {}
        })
        .expect("the defaults make sense");
        (ended - begun) / 2.0
    }
}

/// CPU time that the allocator itself takes for so many blocks that are freed at once.
fn of_the_allocator(blocks: u64) -> f64 {
    let begun = cpu_ns();
    for block in 0..blocks {
        drop(black_box(Box::new([block; 2])));
    }
    cpu_ns() - begun
}

/// `classic/glibc-simple` with the bump allocator: what is left when that is taken off.
fn of_glibc_simple(workload: &dyn Workload) {
    bump::switch(true);
    let mut alone = Rounds::of(of_the_allocator);
    let mut simple = Rounds::of(of_workload(workload));
    for _ in 0..ROUNDS {
        alone.one_more();
        simple.one_more();
    }
    bump::switch(false);
    println!("| `classic/glibc-simple`, ns per block, with a bump allocator | least of {ROUNDS} rounds | median |");
    println!("|---|--:|--:|");
    println!("| all of it | {:.2} | {:.2} |", simple.least(), simple.median());
    println!("| the allocator alone | {:.2} | {:.2} |", alone.least(), alone.median());
    let (least, median) = (simple.least() - alone.least(), simple.median() - alone.median());
    println!("| the loop | {least:.2} | {median:.2} |");
}

/// The least time of some rounds.
fn least(run: impl FnMut(u64) -> f64) -> f64 {
    let mut rounds = Rounds::of(run);
    (0..ROUNDS).for_each(|_| rounds.one_more());
    rounds.least()
}

fn main() {
    let classic = || CATALOGUE.workloads.iter().filter(|workload| workload.about().name.starts_with("classic/"));
    for workload in classic().filter(|workload| workload.about().name == "classic/glibc-simple") {
        of_glibc_simple(*workload);
    }
    println!("\n| workload | unit | ns per unit, with lists |\n|---|---|--:|");
    println!("| (this allocator alone) | block | {:.1} |", least(of_the_allocator));
    for workload in classic() {
        let about = workload.about();
        println!("| `{}` | {} | {:.1} |", about.name, about.unit, least(of_workload(*workload)));
    }
}
