//! The timed parts of `graph/aged` and of the controls call the allocator not once: doing more changes no count. The others'
//! calls are all made: no compiler has left out an allocation whose block nobody seems to need.
#![expect(unsafe_code, reason = "an allocator that counts has to implement `GlobalAlloc`")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use heapmark_worker::{Setup, run_turns};

struct Counting;

static CALLS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is passed on unchanged to the system allocator; counting touches an atomic only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are those that the system allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above; the block came from the system allocator.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Allocator calls of a whole run, from preparation to drop.
fn calls(workload: &str, size: (&str, &str), turns: &[u64]) -> u64 {
    let workload = heapmark_workloads::CATALOGUE.find(workload).unwrap();
    let mut setup = Setup::new(workload.about(), 1);
    setup.set("threads", "1").unwrap();
    setup.set(size.0, size.1).unwrap();
    let before = CALLS.load(Ordering::Relaxed);
    run_turns(workload, &setup, turns).unwrap();
    CALLS.load(Ordering::Relaxed) - before
}

// One test in one file: another test's thread would be counted too.
#[test]
fn reading_allocates_nothing_while_the_other_workloads_allocate_in_proportion() {
    let buffer = ("buffer_kib", "64");
    // What the standard library allocates only once in a process is none of theirs.
    calls("graph/aged", ("records", "2000"), &[1]);
    for (workload, size) in [
        ("graph/aged", ("records", "2000")),
        ("control/compute", buffer),
        ("control/hash", buffer),
        ("control/noise", buffer),
    ] {
        assert_eq!(calls(workload, size, &[0, 0, 0]), calls(workload, size, &[1, 100, 1000]), "{workload}");
    }
    // A block is made and one is freed for each unit: the queue between the threads adds nothing to that.
    let live = ("live_kib", "64");
    let (idle, busy) = (calls("memory/free-only", live, &[0, 0, 0]), calls("memory/free-only", live, &[1, 100, 1000]));
    assert_eq!(busy - idle, 2 * 1101);
    for (workload, size) in [
        ("graph/tree", ("nodes", "20")),
        ("graph/dag", ("nodes", "500")),
        ("graph/records", ("records", "500")),
        ("graph/handoff", ("live", "50")),
        ("graph/fork-join", ("nodes", "20")),
        ("classic/larson", ("slots", "50")),
        ("classic/mstress", ("objects", "100")),
        ("classic/xmalloc", ("batch", "10")),
        ("classic/rptest", ("operations", "2")),
        ("classic/alloc-test", ("slots", "1000")),
        ("classic/sh6", ("live", "100")),
        ("classic/sh8", ("live", "100")),
        ("classic/cache-scratch", ("writes", "1")),
        ("classic/cache-thrash", ("writes", "1")),
        ("classic/glibc-simple", ("live", "10")),
        ("classic/glibc-thread", ("slots", "100")),
        ("classic/malloc-large", ("touch", "none")),
        ("classic/mleak", ("blocks", "1")),
        ("classic/message-passing", ("outstanding", "10")),
        ("classic/slot-table", ("slots", "100")),
        ("classic/thread-start", ("blocks", "1")),
        ("memory/queue-drain", ("messages", "10")),
        ("memory/hand-off", ("blocks", "10")),
        ("memory/blow-up", ("round_kib", "8")),
        ("memory/grow", ("largest_kib", "4")),
        ("memory/zeroed", ("largest_kib", "64")),
        ("memory/alignment", ("buffer_kib", "1")),
        ("memory/size-sweep", ("step_kib", "4")),
    ] {
        let (idle, busy) = (calls(workload, size, &[0, 0, 0]), calls(workload, size, &[1, 100, 1000]));
        // Of alloc-test a unit is one call, and how many blocks are left to be dropped varies a little.
        assert!(busy - idle > 1000, "{workload}: {idle} and {busy} calls");
    }
}
