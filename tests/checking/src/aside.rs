//! Memory for what the checks keep themselves, outside of the heap under test.
//!
//! The books are made of types of the standard library, which take their memory from the program's allocator: from the very one that is
//! checked. While a thread is in the books, its calls are served from a mapping instead.
#![expect(unsafe_code, reason = "mmap(2), and blocks cut from the mapping")]

use std::alloc::Layout;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Address space for the books; what is not used of it is never resident. Enough for millions of live blocks.
const ROOM: usize = 1 << 30;

/// Blocks are powers of two, from this one on: large enough for a link, and as aligned as any layout here.
const LEAST: usize = 64;

/// Lists of freed blocks, one for each power of two.
const LISTS: usize = usize::BITS as usize;

static MAPPING: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

static HEAP: Mutex<Heap> = Mutex::new(Heap { used: 0, freed: [0; LISTS] });

struct Heap {
    /// Bytes of the mapping that have ever been handed out.
    used: usize,
    /// By power of two, where in the mapping the first freed block is, counted from 1; 0 is none.
    freed: [usize; LISTS],
}

thread_local! {
    /// Without a destructor, so that it can be looked at for as long as the thread runs.
    static ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// Does some work whose calls of the allocator are served from here, and which gives everything back in the same way.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    struct Back(bool);

    impl Drop for Back {
        fn drop(&mut self) {
            ASIDE.set(self.0);
        }
    }

    let _back = Back(ASIDE.replace(true));
    work()
}

/// Whether this thread is in the books.
pub(crate) fn is_aside() -> bool {
    ASIDE.get()
}

fn locked() -> MutexGuard<'static, Heap> {
    HEAP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a block comes from here.
pub(crate) fn contains(block: *const u8) -> bool {
    let start = MAPPING.load(Ordering::Acquire);
    !start.is_null() && block.addr().checked_sub(start.addr()).is_some_and(|offset| offset < ROOM)
}

/// Takes a block; null where there is no room.
pub(crate) fn take(layout: Layout) -> *mut u8 {
    let size = rounded(layout);
    let mut heap = locked();
    let start = mapping();
    if start.is_null() {
        return start;
    }
    let list = size.ilog2() as usize;
    if let Some(offset) = heap.freed[list].checked_sub(1) {
        let block = start.wrapping_add(offset);
        // SAFETY: a freed block lies in the mapping, nobody else has it, and it begins with the place of the next.
        heap.freed[list] = unsafe { block.cast::<usize>().read_unaligned() };
        return block;
    }
    // As aligned as it is large, which no mapping but a small part of can be wasted by.
    let from = heap.used.next_multiple_of(size);
    if from.checked_add(size).is_none_or(|end| end > ROOM) {
        return ptr::null_mut();
    }
    heap.used = from + size;
    start.wrapping_add(from)
}

/// Gives back a block.
///
/// # Safety
/// It must come from [`take`] with this layout, and nobody may use it any more.
pub(crate) unsafe fn give(block: *mut u8, layout: Layout) {
    let list = rounded(layout).ilog2() as usize;
    let mut heap = locked();
    // SAFETY: the block is nobody's, and has room for a number.
    unsafe { block.cast::<usize>().write_unaligned(heap.freed[list]) };
    heap.freed[list] = block.addr() - mapping().addr() + 1;
}

fn rounded(layout: Layout) -> usize {
    layout.size().max(layout.align()).max(LEAST).next_power_of_two()
}

/// The mapping, made when it is first needed; null where the kernel has none. Only for who has the lock.
fn mapping() -> *mut u8 {
    let start = MAPPING.load(Ordering::Relaxed);
    if !start.is_null() {
        return start;
    }
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh anonymous mapping disturbs nothing.
    let start = unsafe { libc::mmap(ptr::null_mut(), ROOM, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    MAPPING.store(start.cast(), Ordering::Release);
    start.cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_apart_and_are_used_again() {
        let sizes = [1, 64, 65, 1000, 5000];
        let layout = |size: usize| Layout::from_size_align(size, if size == 1000 { 512 } else { 8 }).unwrap();
        let take_all = || sizes.map(|size| (take(layout(size)).addr(), size));
        let blocks = take_all();
        for (index, (start, size)) in blocks.iter().enumerate() {
            assert!(contains(ptr::without_provenance(*start)) && contains(ptr::without_provenance(start + size - 1)));
            assert_eq!(start % layout(*size).align(), 0);
            for (other, more) in &blocks[..index] {
                assert!(start + size <= *other || other + more <= *start);
            }
        }
        for (start, size) in blocks {
            let block = MAPPING.load(Ordering::Relaxed).with_addr(start);
            // SAFETY: taken above with this layout, and used by nobody.
            unsafe { give(block, layout(size)) };
        }
        // Other tests may take blocks of these sizes too, which come from the same lists.
        let again = take_all();
        assert!(again.iter().all(|(start, _)| contains(ptr::without_provenance(*start))));
        assert!(!contains(sizes.as_ptr().cast()));
    }

    #[test]
    fn a_thread_is_aside_only_in_between() {
        assert!(!is_aside());
        assert_eq!(
            aside(|| (aside(is_aside), is_aside())),
            (true, true),
            "leaving the inner one does not leave the outer"
        );
        assert!(!is_aside());
    }

    #[test]
    fn what_does_not_fit_is_null() {
        assert!(take(Layout::from_size_align(2 * ROOM, 8).unwrap()).is_null());
    }
}
