//! States what the timed loops of the classic workloads cost beside the allocator.
//!
//! ```sh
//! cargo run --release -p heapmark-workloads --example loop_cost
//! ```
//!
//! This program's allocator does next to nothing: a block comes from a list of freed ones of its size class, on its own
//! thread, without a lock or a look at anything else. What a unit takes with it is the workload's own loop and that
//! list. Each workload runs on one thread, for so many units that they take a while; the least CPU time of some rounds
//! is printed, since whatever else the machine does only adds to it.
#![expect(unsafe_code, reason = "an allocator has to implement `GlobalAlloc`")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::ptr;

use heapmark_worker::{Setup, Workload, run_turns};
use heapmark_workloads::CATALOGUE;
use rustix::time::{ClockId, clock_gettime};

/// Blocks up to this size come from lists; larger ones from the system.
const LISTED: usize = 4096;
const STEP: usize = 16;
const CLASSES: usize = LISTED / STEP + 1;

/// Bytes that a list is filled up with at once.
const CHUNK: usize = 64 << 10;

/// Lists of freed blocks, linked through their first words.
struct Lists;

#[global_allocator]
static ALLOCATOR: Lists = Lists;

thread_local! {
    static FREED: [Cell<*mut u8>; CLASSES] = const { [const { Cell::new(ptr::null_mut()) }; CLASSES] };
}

/// Whether the block comes from a list: then its size class holds it, and every class is aligned to a step.
const fn is_listed(layout: Layout) -> bool {
    layout.size() <= LISTED && layout.align() <= STEP
}

const fn class(layout: Layout) -> usize {
    layout.size().div_ceil(STEP)
}

/// Cuts a chunk from the system into blocks of a class and lists them.
///
/// # Safety
/// The class must not be 0, which no block has.
#[cold]
unsafe fn fill(class: usize, list: &Cell<*mut u8>) {
    let size = class * STEP;
    let blocks = (CHUNK / size).max(1);
    let Ok(layout) = Layout::from_size_align(size * blocks, STEP) else { return };
    // SAFETY: the size is not zero.
    let chunk = unsafe { System.alloc(layout) };
    if chunk.is_null() {
        return;
    }
    for block in (0..blocks).rev() {
        // SAFETY: each block lies within the chunk, is aligned, and has room for a pointer.
        unsafe {
            let block = chunk.add(block * size);
            #[expect(clippy::cast_ptr_alignment, reason = "chunk and blocks are aligned to sixteen bytes")]
            block.cast::<*mut u8>().write(list.replace(block));
        }
    }
}

// SAFETY: a listed block is in one list or in one owner's hands, is as large and as aligned as its class, and never
// goes back to the system; all others are the system's.
unsafe impl GlobalAlloc for Lists {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_listed(layout) {
            // SAFETY: passed on as it came.
            return unsafe { System.alloc(layout) };
        }
        FREED.with(|lists| {
            let list = &lists[class(layout)];
            if list.get().is_null() {
                // SAFETY: the layout's size is not zero, so neither is the class.
                unsafe { fill(class(layout), list) };
            }
            let block = list.get();
            if !block.is_null() {
                #[expect(clippy::cast_ptr_alignment, reason = "listed blocks are aligned to sixteen bytes")]
                // SAFETY: a listed block holds the address of the next.
                list.set(unsafe { block.cast::<*mut u8>().read() });
            }
            block
        })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !is_listed(layout) {
            // SAFETY: passed on as it came.
            return unsafe { System.dealloc(block, layout) };
        }
        FREED.with(|lists| {
            let list = &lists[class(layout)];
            #[expect(clippy::cast_ptr_alignment, reason = "listed blocks are aligned to sixteen bytes")]
            // SAFETY: the block has room for an address, and nobody uses it any more.
            unsafe {
                block.cast::<*mut u8>().write(list.replace(block));
            }
        });
    }
}

const ROUNDS: usize = 5;

/// CPU time of this process, which other programs disturb least.
fn cpu_ns() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds per unit, the least of some rounds. The units are doubled until a round takes a tenth of a second.
fn least(mut run: impl FnMut(u64) -> f64) -> f64 {
    let mut units = 1;
    while run(units) < 1e8 {
        units *= 2;
    }
    (0..ROUNDS).map(|_| run(units) / units as f64).fold(f64::INFINITY, f64::min)
}

/// What a workload's units take, without its preparation.
fn of_workload(workload: &dyn Workload) -> f64 {
    let mut setup = Setup::new(workload.about(), 1);
    setup.set("threads", "1").expect("every classic workload has threads");
    let time = |units: u64| {
        let begun = cpu_ns();
        run_turns(workload, &setup, &[units, units]).expect("the defaults make sense");
        cpu_ns() - begun
    };
    let idle = time(0);
    least(|units| (time(units) - idle) / 2.0)
}

/// What the allocator itself takes for a block that is freed at once.
fn of_the_allocator() -> f64 {
    least(|units| {
        let begun = cpu_ns();
        for unit in 0..units {
            drop(black_box(Box::new(unit)));
        }
        cpu_ns() - begun
    })
}

fn main() {
    println!("| workload | unit | ns per unit |\n|---|---|--:|");
    println!("| (this allocator alone) | block | {:.1} |", of_the_allocator());
    for workload in CATALOGUE.workloads.iter().filter(|workload| workload.about().name.starts_with("classic/")) {
        let about = workload.about();
        println!("| `{}` | {} | {:.1} |", about.name, about.unit, of_workload(*workload));
    }
}
