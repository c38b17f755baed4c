//! A small allocator to start from: free lists of blocks of a few sizes, over the system allocator.
//!
//! A block of up to 1,024 bytes is rounded up to a power of two and comes from the free list of that size. A list that runs out
//! cuts a chunk of 64 KiB into blocks, and keeps it for ever. Larger blocks are the system allocator's.
//!
//! It is sound, and it is no good allocator: it rounds up by half on average, gives nothing back, and its threads wait for
//! each other. Put yours in its place.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{null_mut, write};
use std::sync::{Mutex, PoisonError};

/// The smallest block: room for a link, and aligned as the C library's.
const SMALLEST: usize = 16;

/// The largest block that comes from a list.
const LARGEST: usize = 1024;

/// As many as there are powers of two from the smallest to the largest.
const LISTS: usize = (LARGEST / SMALLEST).trailing_zeros() as usize + 1;

/// What a list takes from the system at once.
const CHUNK: Layout = match Layout::from_size_align(64 * 1024, LARGEST) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two, and no overflow"),
};

/// The allocator.
pub struct FreeLists {
    lists: [Mutex<FreeList>; LISTS],
}

/// The free blocks of one size, and the chunks that they were cut from; each is linked through its first word.
struct FreeList {
    blocks: *mut Link,
    chunks: *mut Link,
}

struct Link {
    next: *mut Link,
}

// SAFETY: what the pointers lead to belongs to the list, and only whoever holds its lock follows them.
unsafe impl Send for FreeList {}

impl FreeList {
    const EMPTY: Self = Self {
        blocks: null_mut(),
        chunks: null_mut(),
    };

    /// A free block of `size` bytes, which is the size of all in this list; null where the system has no memory.
    fn take(&mut self, size: usize) -> *mut u8 {
        if self.blocks.is_null() {
            self.refill(size);
        }
        let block = self.blocks;
        if !block.is_null() {
            // SAFETY: a block on the list is ours until it is handed out, and begins with a link.
            self.blocks = unsafe { (*block).next };
        }
        block.cast()
    }

    /// Puts a block back.
    ///
    /// # Safety
    /// The block must be of this list's size, from one of its chunks, and used by nobody.
    unsafe fn put(&mut self, block: *mut u8) {
        let link = block.cast::<Link>();
        // SAFETY: the block is at least as large as a link and aligned to its size; nobody else uses it.
        unsafe { write(link, Link { next: self.blocks }) };
        self.blocks = link;
    }

    /// Cuts a new chunk into blocks. Its first place holds the link to the chunk before it.
    fn refill(&mut self, size: usize) {
        // SAFETY: the layout is not of size 0.
        let chunk = unsafe { System.alloc(CHUNK) };
        if chunk.is_null() {
            return;
        }
        // SAFETY: the chunk is ours alone, and large enough for a link.
        unsafe { write(chunk.cast::<Link>(), Link { next: self.chunks }) };
        self.chunks = chunk.cast();
        for offset in (size..CHUNK.size()).step_by(size) {
            // SAFETY: the offset is a multiple of the size below that of the chunk, which is another; so each block lies within
            // the chunk, overlaps no other, and is aligned to its size, as the chunk is aligned to the largest.
            unsafe { self.put(chunk.add(offset)) };
        }
    }

    fn owns(&self, address: usize) -> bool {
        let mut chunk = self.chunks;
        while !chunk.is_null() {
            if (chunk.addr()..chunk.addr() + CHUNK.size()).contains(&address) {
                return true;
            }
            // SAFETY: every chunk begins with a link, and is never given back.
            chunk = unsafe { (*chunk).next };
        }
        false
    }
}

impl FreeLists {
    /// Without any chunks yet.
    pub const fn new() -> Self {
        Self {
            lists: [const { Mutex::new(FreeList::EMPTY) }; LISTS],
        }
    }

    /// Whether a block of this address came from a free list. Any address may be asked about.
    pub fn owns(&self, address: *const u8) -> bool {
        self.lists.iter().any(|list| {
            list.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .owns(address.addr())
        })
    }

    /// Does something with the free list of this size.
    fn with_list<T>(&self, size: usize, use_it: impl FnOnce(&mut FreeList) -> T) -> T {
        let index = (size / SMALLEST).trailing_zeros() as usize;
        // The lock of the standard library allocates nothing on Linux, and nothing panics while it is held.
        use_it(
            &mut self.lists[index]
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

/// The size of the list that serves a layout; nothing where the system does.
fn listed(layout: Layout) -> Option<usize> {
    let size = layout.size().max(layout.align()).max(SMALLEST);
    (size <= LARGEST).then(|| size.next_power_of_two())
}

// SAFETY: a block is of a list, and then at least as large and aligned as its layout asks for and nobody else's until it is put
// back; or it is of the system allocator. Which of both follows from the layout alone, so that it goes back where it came from.
unsafe impl GlobalAlloc for FreeLists {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match listed(layout) {
            Some(size) => self.with_list(size, |list| list.take(size)),
            // SAFETY: what is asked of us.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match listed(layout) {
            // SAFETY: the block came from this list, and its user has done with it.
            Some(size) => self.with_list(size, |list| unsafe { list.put(block) }),
            // SAFETY: the block came from the system.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if listed(layout).is_none() {
            // SAFETY: what is asked of us. Fresh pages are zeroed already, and the system knows which are.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: what is asked of us.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block is ours alone and as large as the layout says.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller vouches that the new size, rounded up to the alignment, does not overflow.
        let new = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        match (listed(layout), listed(new)) {
            (Some(old), Some(new)) if old == new => block,
            // SAFETY: the block came from the system, and stays there.
            (None, None) => unsafe { System.realloc(block, layout, new_size) },
            _ => {
                // SAFETY: what is asked of us.
                let moved = unsafe { self.alloc(new) };
                if !moved.is_null() {
                    // SAFETY: both blocks are as large as their layouts say, and not the same.
                    unsafe { block.copy_to_nonoverlapping(moved, layout.size().min(new_size)) };
                    // SAFETY: the block is the caller's, and is now done with.
                    unsafe { self.dealloc(block, layout) };
                }
                moved
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_keep_what_is_written_to_them() {
        let allocator = FreeLists::new();
        for align in [1, 8, 64, 512, 4096] {
            let mut blocks = Vec::new();
            for size in (1..3000).step_by(7) {
                let layout = Layout::from_size_align(size, align).expect("a small size");
                // SAFETY: the size is not 0, and the block is written to within its bounds.
                let block = unsafe {
                    let block = allocator.alloc(layout);
                    block.write_bytes(size as u8, size);
                    block
                };
                assert_eq!(block.addr() % align, 0, "{layout:?}");
                assert_eq!(
                    allocator.owns(block),
                    size.max(align) <= LARGEST,
                    "{layout:?}"
                );
                blocks.push((block, layout));
            }
            for (block, layout) in blocks {
                // SAFETY: the block is live and as large as its layout, also after it has moved; then it goes back.
                unsafe {
                    let grown = allocator.realloc(block, layout, 2 * layout.size());
                    let kept = std::slice::from_raw_parts(grown, layout.size());
                    assert!(
                        kept.iter().all(|byte| *byte == layout.size() as u8),
                        "{layout:?}"
                    );
                    let layout =
                        Layout::from_size_align(2 * layout.size(), align).expect("a small size");
                    allocator.dealloc(grown, layout);
                    let zeroed = allocator.alloc_zeroed(layout);
                    assert!(
                        std::slice::from_raw_parts(zeroed, layout.size())
                            .iter()
                            .all(|byte| *byte == 0)
                    );
                    allocator.dealloc(zeroed, layout);
                }
            }
        }
    }

    #[test]
    fn blocks_of_other_threads_come_back() {
        let texts: Vec<String> = std::thread::scope(|scope| {
            let threads = [1, 2, 3].map(|seed| {
                scope.spawn(move || (0..1000).map(|i| "x".repeat(i * seed % 900)).collect())
            });
            threads
                .into_iter()
                .flat_map(|thread| -> Vec<String> { thread.join().expect("no thread panics") })
                .collect()
        });
        assert!(
            texts
                .iter()
                .all(|text| text.bytes().all(|byte| byte == b'x'))
        );
    }
}
