//! How a checked program ends: at the first fault, with a line; and otherwise in time.
#![expect(unsafe_code, reason = "alarm(2) and prctl(2)")]

use std::fmt;
use std::sync::{Mutex, PoisonError};

use heapmark_protocol::Text;

use crate::aside::aside;
use crate::fault::Fault;

/// How long a program may take, on however busy a machine. Then a signal ends it.
pub const PATIENCE_SECONDS: u32 = 120;

/// What the program is at.
static AT: Mutex<Text<300>> = Mutex::new(Text::new());

/// Bounds the program's life, and has it end with whoever has started it. For its `.init_array`: it runs before `main` and allocates
/// nothing.
pub extern "C" fn begin() {
    // SAFETY: alarm takes a number, and prctl with PR_SET_PDEATHSIG a signal; neither touches memory.
    unsafe {
        libc::alarm(PATIENCE_SECONDS);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Says what the program is at from now on.
pub(crate) fn at(what: fmt::Arguments<'_>) {
    let text = Text::of(what);
    *AT.lock().unwrap_or_else(PoisonError::into_inner) = text;
}

/// Ends the program with a line about what is wrong, and when.
pub(crate) fn end(fault: &Fault) {
    // Aside, so that what printing may need is not asked of an allocator with a fault.
    aside(|| {
        let at = *AT.lock().unwrap_or_else(PoisonError::into_inner);
        eprintln!("checked: {at}: {fault}");
    });
    // No handlers: other threads are at work, and some allocators unmap their heaps when a program exits.
    std::process::abort();
}
