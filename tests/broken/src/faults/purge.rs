//! Purge calls that take too much, or nothing.

use crate::parts::{Pooled, SPARED, trim};

/// A heap whose purge call gives the pages of all its slots to the kernel, those of live blocks too.
pub(crate) static PURGED_WHOLE: Pooled = Pooled::new(SPARED + 1..=64 * 1024, 64 * 1024);

/// The purge call of [`PURGED_WHOLE`].
pub(crate) fn discard_live() {
    let (start, length) = PURGED_WHOLE.pool.used();
    if length > 0 {
        // SAFETY: the range is the pool's own, of which so much was ever in use. That blocks in it are alive is the fault.
        unsafe { libc::madvise(start.cast(), length, libc::MADV_DONTNEED) };
    }
    trim();
}

/// Does nothing.
pub(crate) fn keep_all() {}
