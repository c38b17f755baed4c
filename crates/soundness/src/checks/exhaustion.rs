//! The end of the address space: null, and no more than that; and blocks can be had again once others are given back.
#![expect(unsafe_code, reason = "setrlimit(2), getrlimit(2) and prctl(2)")]

use std::mem::MaybeUninit;

use heapmark_protocol::Finding;

use crate::Promises;
use crate::block::{Block, How};
use crate::books::table;
use crate::ended::{Checked, Ended, found, keep, skipped};
use crate::memory::{MIB, address_space};
use crate::stage::stage;

/// Address space that there still is when the check begins. Allocators that took more than they needed have that besides.
const MARGIN: usize = 256 * MIB;

/// What is asked for, from large to small, and how many at most: what an allocator reserved before is not without end, but it
/// may be large. Small blocks are for its last pages, and where its own books must grow.
const KINDS: [(usize, usize); 4] = [(MIB, 4096), (64 * 1024, 8192), (4096, 32_768), (64, 131_072)];

/// Takes blocks until there are no more, gives them back, and takes some again.
pub(crate) fn exhaustion(_: Promises) -> Checked {
    // Before the limit: the books are address space, too.
    let mut books = KINDS.map(|_| <&mut [Option<Block>]>::default());
    for (book, (_, most)) in books.iter_mut().zip(KINDS) {
        *book = table(most, None)?;
    }
    no_huge_pages();
    let limit = address_space()?.saturating_add(MARGIN);
    let before = limit_address_space(limit)?;
    let mut counts = [0; KINDS.len()];
    for ((book, count), (size, most)) in books.iter_mut().zip(&mut counts).zip(KINDS) {
        stage(format_args!("blocks of {size} bytes until there are no more"));
        *count = take_all(book, size);
        if *count == 0 && size == MIB {
            return Err(found(
                Finding::Refused,
                format_args!("not one block of 1 MiB where there are {} MiB of address space", MARGIN / MIB),
            ));
        }
        if *count == most && size == MIB {
            return Err(skipped(format_args!("{most} blocks of 1 MiB do not exhaust what it reserved beforehand")));
        }
    }
    stage(format_args!("growing a block where there is no room"));
    for block in books[0].iter_mut().flatten().take(4) {
        // Whether it can is the allocator's matter; the block must live on, either way.
        if !block.try_resize(MARGIN * 4) {
            block.check_mark()?;
        }
    }
    stage(format_args!("giving all back"));
    for book in &mut books {
        for slot in book.iter_mut() {
            if let Some(block) = slot.take() {
                block.check_mark()?;
                block.give_back();
            }
        }
    }
    let large = counts[0];
    stage(format_args!("blocks of 1 MiB again"));
    let again = take_all(&mut books[0][..large.div_ceil(4)], MIB);
    if again < large / 4 {
        return Err(found(
            Finding::Refused,
            format_args!("of {large} blocks of 1 MiB that were given back at the limit, {again} could be had again"),
        ));
    }
    for slot in books[0].iter_mut() {
        slot.take().into_iter().for_each(Block::give_back);
    }
    limit_address_space(before)?;
    Ok(keep(format_args!("{large} blocks of 1 MiB within {} MiB of address space", MARGIN / MIB)))
}

/// Takes blocks until there are no more, or the book is full. How many.
fn take_all(book: &mut [Option<Block>], size: usize) -> usize {
    for (number, slot) in book.iter_mut().enumerate() {
        let Some(mut block) = Block::try_take(How::Fresh, size, 8) else { return number };
        block.mark(number as u64);
        *slot = Some(block);
    }
    book.len()
}

/// A byte in each block is written to, and with huge pages that would be 2 MiB of memory for each.
fn no_huge_pages() {
    let (yes, none): (libc::c_ulong, libc::c_ulong) = (1, 0);
    // SAFETY: prctl with PR_SET_THP_DISABLE takes numbers and touches no memory. A kernel without it changes nothing.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, yes, none, none, none) };
}

/// Limits this process to so much address space; the limit before.
fn limit_address_space(bytes: usize) -> Result<usize, Ended> {
    let failed = || skipped(format_args!("the address space cannot be limited here"));
    let mut limits = MaybeUninit::<libc::rlimit>::zeroed();
    // SAFETY: the pointer is valid for a write of an rlimit, and all-zero is one should the call fail.
    let mut limits = unsafe {
        if libc::getrlimit(libc::RLIMIT_AS, limits.as_mut_ptr()) != 0 {
            return Err(failed());
        }
        limits.assume_init()
    };
    let before = limits.rlim_cur;
    limits.rlim_cur = (bytes as u64).min(limits.rlim_max);
    // SAFETY: the limits are valid for reads.
    if unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limits) } != 0 {
        return Err(failed());
    }
    Ok(usize::try_from(before).unwrap_or(usize::MAX))
}
