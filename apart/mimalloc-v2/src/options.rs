//! mimalloc's version, options and build configuration, the latter as it prints them itself.
//!
//! Printed lines carry names. The numbers that `mi_option_get` takes differ between versions. Version 2 prints to where all its
//! messages go, and to nobody else: so they are listened to meanwhile.
#![expect(unsafe_code, reason = "calls into mimalloc, and a callback from it")]

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libmimalloc_sys::mi_register_output;

unsafe extern "C" {
    /// Prints every option with its value, and then the build configuration, line by line.
    fn mi_options_print();
}

/// The version: `MAJOR * 10,000 + MINOR * 100 + PATCH` (`MI_MALLOC_VERSION`).
pub(crate) fn version() -> i32 {
    // SAFETY: the function takes nothing and returns a constant.
    unsafe { libmimalloc_sys::mi_version() }
}

/// The value in force of an option; sizes are in KiB.
pub(crate) fn option(name: &'static str) -> Option<i64> {
    find(["option '", name, "': "])
}

/// `MI_DEBUG`: 0 where assertions are compiled out.
pub(crate) fn debug_level() -> Option<i64> {
    find(["debug level : ", "", ""])
}

/// `MI_SECURE`: 0 where the mitigations of the secure mode are compiled out.
pub(crate) fn secure_level() -> Option<i64> {
    find(["secure level: ", "", ""])
}

/// What is looked for in the lines, and what was found: a line starts with these parts, one after the other, and a number follows.
struct Search {
    start: [&'static str; 3],
    found: Option<i64>,
}

/// The search that goes on. Not handed to mimalloc: a message of another thread could outlive it there.
static SEARCH: Mutex<Option<Search>> = Mutex::new(None);

/// The number in the line that starts so.
fn find(start: [&'static str; 3]) -> Option<i64> {
    /// mimalloc has one place for a listener.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    *search() = Some(Search { start, found: None });
    // SAFETY: the callback takes any C string, and no argument. With no callback, messages go to standard error, as they did before.
    unsafe {
        mi_register_output(Some(look_at_line), std::ptr::null_mut());
        mi_options_print();
        mi_register_output(None, std::ptr::null_mut());
    }
    search().take()?.found
}

fn search() -> MutexGuard<'static, Option<Search>> {
    SEARCH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What mimalloc calls with each line, and before it with what all lines start with.
unsafe extern "C" fn look_at_line(line: *const c_char, _: *mut c_void) {
    // SAFETY: mimalloc passes a C string that is valid during the call.
    let Ok(line) = unsafe { CStr::from_ptr(line) }.to_str() else { return };
    if let Some(search) = search().as_mut() {
        let rest = search.start.iter().try_fold(line, |rest, part| rest.strip_prefix(part));
        search.found = search.found.or_else(|| rest?.split_whitespace().next()?.parse().ok());
    }
}
