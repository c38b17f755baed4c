//! The tests of the tests: allocators with one fault each, and programs that misuse a sound one.

use std::alloc::System;
use std::cell::{Cell, RefCell};
use std::sync::Mutex;

use super::*;

thread_local! {
    /// What was reported on this thread.
    static REPORTED: RefCell<Vec<Fault>> = const { RefCell::new(Vec::new()) };
}

fn note(fault: &Fault) {
    REPORTED.with_borrow_mut(|reported| reported.push(*fault));
}

/// What was reported since the last time.
fn reported() -> Vec<Fault> {
    REPORTED.take()
}

fn checked<A: GlobalAlloc>(inner: A) -> Checked<A> {
    Checked::reporting_to(inner, note)
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

/// What a faulty allocator does with the block that the system has for it.
type Turn = fn(*mut u8, Layout) -> *mut u8;

/// The system allocator, where fresh, zeroed and resized blocks go through a function. Blocks have room to be moved by sixteen bytes.
/// Freed blocks are kept for ever, so that one that was given out twice, or moved, does no harm.
struct Faulty {
    fresh: Turn,
    zeroed: Turn,
    resized: Turn,
}

const SOUND: Faulty = Faulty { fresh: |block, _| block, zeroed: |block, _| block, resized: |block, _| block };

impl Faulty {
    fn block(layout: Layout) -> *mut u8 {
        let roomy = Layout::from_size_align(layout.size() + 16, layout.align().max(64)).unwrap();
        // SAFETY: the size is above zero.
        unsafe { System.alloc_zeroed(roomy) }
    }
}

// SAFETY: blocks are the system's, each for one owner, unless it is the fault that they are not; those that are moved have the room.
unsafe impl GlobalAlloc for Faulty {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        (self.fresh)(Self::block(layout), layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        (self.zeroed)(Self::block(layout), layout)
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let new = Layout::from_size_align(new_size, layout.align()).unwrap();
        let moved = Self::block(new);
        // SAFETY: both blocks have as many bytes, and are not the same.
        unsafe { moved.copy_from_nonoverlapping(block, new_size.min(layout.size())) };
        (self.resized)(moved, new)
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

/// Takes a block of each kind, and reports what was wrong with them. The resized one had 100 bytes, and has `size` then.
fn faults(faulty: Faulty, size: usize, align: usize) -> Vec<Fault> {
    let checked = checked(faulty);
    // SAFETY: sizes are above zero, blocks are live and of these layouts, and are given back once.
    unsafe {
        let fresh = checked.alloc(layout(size, align));
        let zeroed = checked.alloc_zeroed(layout(size, align));
        let resized = checked.alloc(layout(100, align));
        let _ = reported();
        let more = [checked.alloc(layout(size, align)), checked.alloc_zeroed(layout(size, align))];
        let moved = checked.realloc(resized, layout(100, align), size);
        let found = reported();
        for block in [fresh, zeroed, moved].into_iter().chain(more) {
            checked.dealloc(block, layout(size, align));
        }
        found
    }
}

#[test]
fn nothing_is_wrong_with_a_sound_one() {
    for (size, align) in [(1, 1), (7, 8), (24, 8), (100, 64), (5000, 4096), (70_000, 16)] {
        assert_eq!(faults(SOUND, size, align), []);
        assert_eq!(reported(), []);
    }
}

#[test]
fn blocks_that_are_not_aligned_are_found() {
    let off: Turn = |block, _| block.wrapping_add(3);
    let (size, align) = (24, 8);
    for (faulty, call) in [
        (Faulty { fresh: off, ..SOUND }, Call::Alloc(layout(size, align))),
        (Faulty { zeroed: off, ..SOUND }, Call::Zeroed(layout(size, align))),
        (Faulty { resized: |block, _| block.wrapping_add(3), ..SOUND }, Call::Realloc(layout(100, align), size)),
    ] {
        let found = faults(faulty, size, align);
        assert_eq!(found[0], Fault { call, wrong: Wrong::Misaligned(3) }, "{found:?}");
    }
}

#[test]
fn a_block_that_somebody_has_is_found() {
    thread_local!(static LAST: Cell<*mut u8> = const { Cell::new(std::ptr::null_mut()) });
    // Every block is the one before it, moved by eight bytes, but the first.
    let again: Turn = |block, _| {
        let last = LAST.replace(block);
        if last.is_null() { block } else { last.wrapping_add(8) }
    };
    let checked = checked(Faulty { fresh: again, ..SOUND });
    // SAFETY: the size is above zero, and nobody uses the blocks.
    unsafe {
        let first = checked.alloc(layout(16, 8));
        assert!(!first.is_null() && reported().is_empty());
        checked.alloc(layout(9, 8));
    }
    assert_eq!(reported(), [Fault { call: Call::Alloc(layout(9, 8)), wrong: Wrong::Overlap(16) }]);
    assert_eq!(checked.held(), Held { bytes: 16, blocks: 1, calls: 2 });
}

#[test]
fn zeroes_that_are_none_are_found() {
    for dirty in [0_usize, 7, 8, 23] {
        thread_local!(static WHERE: Cell<usize> = const { Cell::new(0) });
        WHERE.set(dirty);
        let write: Turn = |block, _| {
            // SAFETY: the block has more than 24 bytes.
            unsafe { block.add(WHERE.get()).write(1) };
            block
        };
        let expected = Fault { call: Call::Zeroed(layout(24, 8)), wrong: Wrong::Dirty(dirty) };
        assert_eq!(faults(Faulty { zeroed: write, ..SOUND }, 24, 8), [expected]);
    }
}

#[test]
fn a_beginning_that_is_lost_is_found() {
    for size in [9, 64, 100, 101, 4000] {
        let spoil_last: Turn = |block, new| {
            let last = new.size().min(100) - 1;
            // SAFETY: the byte lies within the block.
            unsafe { block.add(last).write(!block.add(last).read()) };
            block
        };
        let call = Call::Realloc(layout(100, 8), size);
        let expected = Fault { call, wrong: Wrong::Corrupt(size.min(100)) };
        assert_eq!(faults(Faulty { resized: spoil_last, ..SOUND }, size, 8), [expected]);
    }
}

#[test]
fn no_block_is_a_fault_and_the_old_one_stays() {
    let none: Turn = |_, _| std::ptr::null_mut();
    let checked = checked(Faulty { zeroed: none, resized: none, ..SOUND });
    // SAFETY: sizes are above zero, and the block is live and of its layout until it is given back.
    unsafe {
        assert!(checked.alloc_zeroed(layout(8, 8)).is_null());
        let block = checked.alloc(layout(100, 8));
        assert!(checked.realloc(block, layout(100, 8), 200).is_null());
        let refused = |call| Fault { call, wrong: Wrong::Refused };
        assert_eq!(reported(), [refused(Call::Zeroed(layout(8, 8))), refused(Call::Realloc(layout(100, 8), 200))]);
        assert_eq!(checked.held(), Held { bytes: 100, blocks: 1, calls: 3 });
        checked.dealloc(block, layout(100, 8));
    }
    assert_eq!((reported(), checked.held().bytes), (vec![], 0));
}

/// What a program can do wrong. The allocator never gets to see it.
#[test]
fn what_is_given_back_wrongly_is_found() {
    let checked = checked(System);
    // SAFETY: what breaks the contract is reported and goes no further; the block is given back once.
    unsafe {
        let block = checked.alloc(layout(100, 8));
        checked.dealloc(block.wrapping_add(8), layout(100, 8));
        checked.dealloc(block, layout(99, 8));
        assert!(checked.realloc(block, layout(100, 16), 200).is_null());
        checked.dealloc(block, layout(100, 8));
        checked.dealloc(block, layout(100, 8));
    }
    let taken = Wrong::OtherLayout(layout(100, 8));
    assert_eq!(
        reported(),
        [
            Fault { call: Call::Dealloc(layout(100, 8)), wrong: Wrong::Unknown },
            Fault { call: Call::Dealloc(layout(99, 8)), wrong: taken },
            Fault { call: Call::Realloc(layout(100, 16), 200), wrong: taken },
            Fault { call: Call::Dealloc(layout(100, 8)), wrong: Wrong::Unknown },
        ]
    );
    assert_eq!(checked.held(), Held { bytes: 0, blocks: 0, calls: 6 });
}

#[test]
fn a_block_without_a_byte_is_a_fault_of_whoever_asks() {
    let checked = checked(SOUND);
    // SAFETY: the faulty allocator behind it makes room for more than was asked for.
    unsafe { checked.alloc(layout(0, 8)) };
    assert_eq!(reported(), [Fault { call: Call::Alloc(layout(0, 8)), wrong: Wrong::Empty }]);
}

/// Keeps what was in the last block that came back.
#[derive(Default)]
struct Spy(Mutex<Vec<u8>>);

// SAFETY: every call goes to the system allocator as it came.
unsafe impl GlobalAlloc for Spy {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is live, of that layout, and all of it was written; then as the caller promises.
        unsafe {
            *self.0.lock().unwrap() = std::slice::from_raw_parts(block, layout.size()).to_vec();
            System.dealloc(block, layout);
        }
    }
}

#[test]
fn blocks_are_filled_when_they_are_fresh_when_they_grow_and_when_they_go() {
    let checked = checked(Spy::default());
    checked.set_fill(0x3c);
    let was = || checked.inner.0.lock().unwrap().clone();
    // SAFETY: sizes are above zero, and the blocks are live and of these sizes whenever they are read or written.
    unsafe {
        let block = checked.alloc(layout(10, 8));
        assert_eq!(std::slice::from_raw_parts(block, 10), [0x3c; 10]);
        block.write_bytes(7, 10);
        // The trait's own way to resize takes a block, copies, and gives one back.
        let grown = checked.realloc(block, layout(10, 8), 30);
        assert_eq!(std::slice::from_raw_parts(grown, 30), [[7; 10], [0x3c; 10], [0x3c; 10]].concat());
        assert_eq!(was(), [7; 10]);
        checked.dealloc(grown, layout(30, 8));
        assert_eq!(was(), [0xc3; 30]);
    }
    assert_eq!(reported(), []);
}

#[test]
fn threads_that_take_and_give_at_once_are_no_fault() {
    static CHECKED: Checked<System> = Checked::reporting_to(System, note);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4_usize)
            .map(|thread| {
                scope.spawn(move || {
                    for round in 1..2000_usize {
                        let (size, more) = (round % 97 + 1, round * (thread + 1) % 301 + 1);
                        // SAFETY: sizes are above zero, the block is live and of its layout, and is given back once.
                        unsafe {
                            let block = CHECKED.alloc(layout(size, 8));
                            let block = CHECKED.realloc(block, layout(size, 8), more);
                            CHECKED.dealloc(block, layout(more, 8));
                        }
                    }
                    reported()
                })
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), []);
        }
    });
    assert_eq!(CHECKED.held(), Held { bytes: 0, blocks: 0, calls: 4 * 3 * 1999 });
}
