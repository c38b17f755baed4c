//! Books that are kept in front of a block, in the last bytes of its neighbour.

use crate::parts::{Pool, Pooled};

/// Writes a tag in front of a block when it is taken.
pub(crate) static TAGS_WHEN_TAKEN: Pooled = Pooled::new(1537..=1792, 1792).taking(write_tag);

/// Writes a tag in front of a block when it is freed.
pub(crate) static TAGS_WHEN_FREED: Pooled = Pooled::new(1281..=1536, 1536).giving(|pool, block| {
    write_tag(pool, block);
    pool.give(block);
});

fn write_tag(pool: &Pool, block: *mut u8) {
    if pool.number(block).is_some_and(|number| number > 0) {
        // SAFETY: in front of a slot that is not the first lies another one, and these are its last bytes. That they may be in use
        // is the fault; volatile, since their owner may be using them now.
        unsafe { block.sub(8).cast::<[u8; 8]>().write_volatile([0xFD; 8]) };
    }
}
