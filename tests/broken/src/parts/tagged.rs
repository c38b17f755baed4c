//! Blocks with a number in front, where an allocator would keep whose they are.

use std::alloc::{GlobalAlloc, Layout, System};

use super::ALIGNMENT;

/// The room in front of a block: as much as the alignment of the block takes.
const TAG: usize = ALIGNMENT;

/// Takes a block from the system with this number in front of it; null where there is none. The alignment must be at most
/// [`ALIGNMENT`].
pub(crate) fn take_tagged(layout: Layout, tag: usize) -> *mut u8 {
    let Ok(whole) = whole(layout) else { return std::ptr::null_mut() };
    // SAFETY: the size is not zero. The block begins with at least `TAG` bytes, and these are enough for a number.
    unsafe {
        let base = System.alloc(whole);
        if base.is_null() {
            return base;
        }
        base.cast::<[u8; size_of::<usize>()]>().write(tag.to_ne_bytes());
        base.add(TAG)
    }
}

/// The number in front of a block.
///
/// # Safety
/// The block must have come from [`take_tagged`] and not have gone back.
pub(crate) unsafe fn tag(block: *const u8) -> usize {
    // SAFETY: the number was written where the block's base is, by the contract.
    usize::from_ne_bytes(unsafe { block.sub(TAG).cast::<[u8; size_of::<usize>()]>().read() })
}

/// Gives a block back.
///
/// # Safety
/// The block must have come from [`take_tagged`] with this layout; it is gone after this.
pub(crate) unsafe fn untagged(block: *mut u8, layout: Layout) {
    if let Ok(whole) = whole(layout) {
        // SAFETY: the base came from the system with the same layout, by the contract.
        unsafe { System.dealloc(block.sub(TAG), whole) }
    }
}

fn whole(layout: Layout) -> Result<Layout, std::alloc::LayoutError> {
    Layout::from_size_align(layout.size().saturating_add(TAG), ALIGNMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_stays_with_the_block() {
        let layout = Layout::new::<[u8; 100]>();
        let blocks = [3, 5].map(|number| take_tagged(layout, number));
        for (block, number) in blocks.into_iter().zip([3, 5]) {
            assert_eq!(block.addr() % ALIGNMENT, 0);
            // SAFETY: the blocks came from there with this layout, are as long as written to, and go back once.
            unsafe {
                block.write_bytes(0xFF, layout.size());
                assert_eq!(tag(block), number);
                untagged(block, layout);
            }
        }
    }
}
