//! Proof that scudo serves.
#![expect(unsafe_code, reason = "calls into scudo, and a callback from it")]

use std::ffi::{c_ulong, c_void};
use std::fmt;

use heapmark_worker::{Proof, TestBlock};
use scudo_sys::{scudo_disable, scudo_enable, scudo_iterate};

/// The block is among those that scudo counts as live.
pub(crate) fn proof(block: &TestBlock, out: &mut dyn fmt::Write) -> Proof {
    // The text is for a reader; where it ends early, the answer still stands.
    match requested_size(block.address()) {
        Some(TestBlock::SIZE) => {
            let _ = write!(out, "scudo_iterate finds the block, with {} bytes", TestBlock::SIZE);
            Proof::Api
        }
        Some(size) => {
            let _ =
                write!(out, "scudo_iterate finds a block of {size} bytes in the place of one of {}", TestBlock::SIZE);
            Proof::None
        }
        None => {
            let _ = write!(out, "scudo_iterate does not find the block");
            Proof::None
        }
    }
}

struct Search {
    address: usize,
    size: Option<usize>,
}

/// The size that a live block of scudo's was requested with; nothing for an address that is none.
pub(crate) fn requested_size(address: *const u8) -> Option<usize> {
    let mut search = Search { address: address.addr(), size: None };
    // SAFETY: scudo goes through its own blocks, between locking and unlocking itself, as its interface asks for. The callback
    // is handed `search`, which is not kept after the call returns, and allocates nothing, for which it would wait for ever.
    unsafe {
        scudo_disable();
        scudo_iterate(look_at_block, (&raw mut search).cast());
        scudo_enable();
    }
    search.size
}

/// What scudo calls with each live block.
extern "C" fn look_at_block(base: c_ulong, size: usize, search: *mut c_void) {
    // SAFETY: scudo passes on the pointer that it was given in `requested_size`, which is to a live `Search` used by nobody else.
    let search = unsafe { &mut *search.cast::<Search>() };
    if usize::try_from(base) == Ok(search.address) {
        search.size = Some(size);
    }
}
