//! Which fault the environment asks for.
#![expect(unsafe_code, reason = "getenv(3), since std's copy would be made by the allocator that is to be chosen")]

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use heapmark_worker::{Knob, ReadBack};

use crate::fault::{Fault, NONE};
use crate::table::FAULTS;

const VARIABLE: &str = "HEAPMARK_BROKEN_FAULT";
const C_VARIABLE: &CStr = c"HEAPMARK_BROKEN_FAULT";

/// The chosen fault's place in the table, counted from 1; 0 is none.
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// The knob that chooses. A name that is not in the table leaves the allocator sound, and the harness sees that it did not take.
pub(crate) const KNOB: Knob = Knob {
    name: "fault",
    variable: VARIABLE,
    template: "{}",
    joiner: None,
    read: ReadBack::Allocator(|out| out.write_str(chosen().map_or(NONE, |fault| fault.name))),
};

/// Reads the environment. For the program's `.init_array`: it runs before `main` and allocates nothing.
pub extern "C" fn choose() {
    // SAFETY: the name is a C string; nobody changes the environment while this runs before `main`, on the only thread, and
    // the value is looked at no longer than that.
    let value = unsafe {
        let value = libc::getenv(C_VARIABLE.as_ptr());
        if value.is_null() {
            return;
        }
        CStr::from_ptr(value)
    };
    CHOSEN.store(place_of(value.to_bytes()), Ordering::Relaxed);
}

fn place_of(name: &[u8]) -> usize {
    FAULTS.iter().position(|fault| fault.name.as_bytes() == name).map_or(0, |index| index + 1)
}

/// The chosen fault, if there is one.
pub(crate) fn chosen() -> Option<&'static Fault> {
    FAULTS.get(CHOSEN.load(Ordering::Relaxed).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_known_by_its_whole_name() {
        assert_eq!(C_VARIABLE.to_str(), Ok(VARIABLE));
        for (index, fault) in FAULTS.iter().enumerate() {
            assert_eq!(place_of(fault.name.as_bytes()), index + 1, "{}", fault.name);
            assert_eq!(place_of(&fault.name.as_bytes()[1..]), 0, "{}", fault.name);
        }
        assert_eq!((place_of(NONE.as_bytes()), place_of(b"")), (0, 0));
    }
}
