//! mimalloc's version, options and build configuration, the latter as it prints them itself.
//!
//! Printed lines carry names. The numbers that `mi_option_get` takes have changed between versions, and the crate has
//! constants for a part of them only.
#![expect(unsafe_code, reason = "calls into mimalloc, and a callback from it")]

use std::ffi::{CStr, c_char, c_void};

use libmimalloc_sys::mi_output_fun;

unsafe extern "C" {
    /// Hands every option with its value, and then the build configuration, to `out`, line by line.
    fn mi_options_print_out(out: mi_output_fun, arg: *mut c_void);
}

/// The version: `MAJOR * 10,000 + MINOR * 100 + PATCH` (`MI_MALLOC_VERSION`).
pub(crate) fn version() -> i32 {
    // SAFETY: the function takes nothing and returns a constant.
    unsafe { libmimalloc_sys::mi_version() }
}

/// The value in force of an option; sizes are in KiB.
pub(crate) fn option(name: &str) -> Option<i64> {
    find(&["option '", name, "': "])
}

/// `MI_DEBUG`: 0 where assertions are compiled out.
pub(crate) fn debug_level() -> Option<i64> {
    find(&["debug level : "])
}

/// `MI_SECURE`: 0 where the mitigations of the secure mode are compiled out.
pub(crate) fn secure_level() -> Option<i64> {
    find(&["secure level: "])
}

/// The number in the line that starts with these parts, one after the other.
fn find(start: &[&str]) -> Option<i64> {
    let mut search = Search { start, found: None };
    // SAFETY: the callback is handed `search` and lines, and neither is kept after the call returns.
    unsafe { mi_options_print_out(Some(look_at_line), (&raw mut search).cast()) };
    search.found
}

struct Search<'a> {
    start: &'a [&'a str],
    found: Option<i64>,
}

impl Search<'_> {
    fn look_at(&mut self, line: &str) {
        let rest = self.start.iter().try_fold(line, |rest, part| rest.strip_prefix(part));
        self.found = self.found.or_else(|| rest?.split_whitespace().next()?.parse().ok());
    }
}

/// What mimalloc calls with each line.
unsafe extern "C" fn look_at_line(line: *const c_char, search: *mut c_void) {
    // SAFETY: mimalloc passes on the pointer that it was given in `find`, which is to a live `Search` used by nobody else.
    let search = unsafe { &mut *search.cast::<Search<'_>>() };
    // SAFETY: mimalloc passes a C string that is valid during the call.
    if let Ok(line) = unsafe { CStr::from_ptr(line) }.to_str() {
        search.look_at(line);
    }
}
