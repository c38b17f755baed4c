//! Blocks that another thread frees than the one that took them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::parts::{ALIGNMENT, Pool, SPARED, lock, tag, take_tagged, untagged};

/// Tells threads apart that live at the same time.
fn this_thread() -> usize {
    // SAFETY: pthread_self takes nothing and returns a number.
    let thread = unsafe { libc::pthread_self() };
    usize::try_from(thread).unwrap_or(usize::MAX)
}

/// Whether blocks of this layout are told apart by their owner: those of alignments that the tag keeps.
fn is_owned(layout: Layout) -> bool {
    layout.align() <= ALIGNMENT
}

/// Forgets blocks that were taken by another thread than the one that frees them.
pub(crate) struct LosesRemoteFrees(
    /// From this size on.
    usize,
);

/// All of them.
pub(crate) static LOSES_REMOTE_FREES: LosesRemoteFrees = LosesRemoteFrees(0);

/// Large ones.
pub(crate) static LOSES_LARGE_REMOTE_FREES: LosesRemoteFrees = LosesRemoteFrees(16 * 1024);

// SAFETY: blocks come from the system, behind a tag or not as their alignment tells, and go back the same way or never.
unsafe impl GlobalAlloc for LosesRemoteFrees {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_owned(layout) {
            return take_tagged(layout, this_thread());
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the layout tells where the block came from, and it goes back there once.
        unsafe {
            if !is_owned(layout) {
                System.dealloc(block, layout);
            } else if tag(block) == this_thread() || layout.size() < self.0 {
                untagged(block, layout);
            }
        }
    }
}

/// Has room for a number of blocks that wait for their owner, who takes them back when it next allocates. Whoever frees one more
/// waits for room.
pub(crate) struct BoundedInbox {
    inbox: Mutex<[Option<Waiting>; BoundedInbox::ROOM]>,
    has_room: Condvar,
}

struct Waiting {
    block: AtomicPtr<u8>,
    layout: Layout,
    owner: usize,
}

/// Nobody waits.
pub(crate) static BOUNDED_INBOX: BoundedInbox =
    BoundedInbox { inbox: Mutex::new([const { None }; BoundedInbox::ROOM]), has_room: Condvar::new() };

impl BoundedInbox {
    const ROOM: usize = 256;

    fn is_owned(layout: Layout) -> bool {
        is_owned(layout) && layout.size() > SPARED
    }

    /// Takes back what waits for this thread.
    fn collect(&self) {
        let owner = this_thread();
        for place in lock(&self.inbox).iter_mut() {
            if let Some(waiting) = place.take_if(|waiting| waiting.owner == owner) {
                // SAFETY: the block was put there with its layout by whoever freed it, and is gone from there.
                unsafe { untagged(waiting.block.into_inner(), waiting.layout) }
            }
        }
        self.has_room.notify_all();
    }

    /// Leaves a block for its owner, as soon as there is room.
    fn leave(&self, waiting: Waiting) {
        let is_full = |inbox: &mut [Option<Waiting>; Self::ROOM]| inbox.iter().all(Option::is_some);
        let inbox = self.has_room.wait_while(lock(&self.inbox), is_full);
        let mut inbox = inbox.unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = inbox.iter_mut().find(|place| place.is_none()) {
            *place = Some(waiting);
        }
    }
}

// SAFETY: blocks come from the system, behind a tag or not as their layout tells, and go back the same way, now or later.
unsafe impl GlobalAlloc for BoundedInbox {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::is_owned(layout) {
            self.collect();
            return take_tagged(layout, this_thread());
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the layout tells where the block came from, and it goes back there once.
        unsafe {
            if !Self::is_owned(layout) {
                System.dealloc(block, layout);
            } else if tag(block) == this_thread() {
                untagged(block, layout);
            } else {
                self.leave(Waiting { block: AtomicPtr::new(block), layout, owner: tag(block) });
            }
        }
    }
}

/// Links a block that another thread frees into a list, and writes the link behind the block, where the neighbour begins.
pub(crate) struct LinksIntoNeighbour {
    pool: Pool,
    owners: [AtomicUsize; Pool::SLOTS],
}

/// Nothing is taken yet.
pub(crate) static LINKS_INTO_NEIGHBOUR: LinksIntoNeighbour =
    LinksIntoNeighbour { pool: Pool::new(2048), owners: [const { AtomicUsize::new(0) }; Pool::SLOTS] };

// SAFETY: a block is a slot of the pool or the system's, and its address tells which. That a byte behind a block is written to
// breaks the contract on purpose: it lies in the pool, and whoever owns it may be using it.
unsafe impl GlobalAlloc for LinksIntoNeighbour {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if (SPARED + 1..=self.pool.slot_size()).contains(&layout.size()) && layout.align() <= ALIGNMENT {
            let block = self.pool.take();
            if let Some(slot) = self.pool.number(block) {
                self.owners[slot].store(this_thread(), Ordering::Relaxed);
                return block;
            }
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some(slot) = self.pool.number(block) else {
            // SAFETY: what is not the pool's came from the system, with this layout.
            return unsafe { System.dealloc(block, layout) };
        };
        let is_remote = self.owners[slot].load(Ordering::Relaxed) != this_thread();
        if is_remote && slot + 1 < Pool::SLOTS {
            // SAFETY: the next slot lies in the mapping, since this one is not the last. Volatile, for its owner may write to it.
            unsafe { block.add(self.pool.slot_size()).cast::<[u8; 8]>().write_volatile([0xFD; 8]) };
        }
        self.pool.give(block);
    }
}

/// Moves a block that another thread took whenever it is resized, and copies half of it.
pub(crate) struct HalvesRemoteBlocks;

// SAFETY: blocks come from the system, behind a tag or not as their alignment tells, and go back the same way. That resizing loses
// bytes breaks the contract on purpose.
unsafe impl GlobalAlloc for HalvesRemoteBlocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_owned(layout) {
            return take_tagged(layout, this_thread());
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the layout tells where the block came from, and it goes back there once.
        unsafe {
            if is_owned(layout) {
                untagged(block, layout);
            } else {
                System.dealloc(block, layout);
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let kept = layout.size().min(new_size);
        // SAFETY: the caller keeps the contract of `realloc`, by which this is a layout; both blocks are live and at least as long
        // as the bytes copied, and the old one goes back once, if it has been replaced.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !new.is_null() {
                let is_remote = is_owned(layout) && tag(block) != this_thread();
                let copied = if is_remote && kept > SPARED { kept / 2 } else { kept };
                std::ptr::copy_nonoverlapping(block, new, copied);
                self.dealloc(block, layout);
            }
            new
        }
    }
}
