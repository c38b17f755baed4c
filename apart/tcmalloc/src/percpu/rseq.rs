//! Lets tcmalloc have the kernel's restartable sequences, without which it has no caches per CPU.
//!
//! A thread can register with the kernel once. glibc does so itself since version 2.35, and a program cannot take that back: it has
//! to be told before it starts. So this program starts itself anew with the tunable that says so, before `main` and before any
//! thread. The process stays the same, and with it its standard input and its harness.
#![expect(unsafe_code, reason = "a function that runs before main, and calls into the C library and tcmalloc")]

use std::ffi::CStr;
use std::os::unix::process::CommandExt;
use std::process::Command;

const VARIABLE: &str = "GLIBC_TUNABLES";
const SETTING: &str = "glibc.pthread.rseq=0";

unsafe extern "C" {
    /// Switches to caches per CPU if that can be. The static constructor that would do the same is left out by the linker where
    /// nobody asks for it by this name: it lies in a part of the archive of its own.
    fn TCMalloc_Internal_ForceCpuCacheActivation();
}

#[used]
#[unsafe(link_section = ".init_array")]
static CLAIM: extern "C" fn() = claim;

extern "C" fn claim() {
    if is_set() {
        // SAFETY: the function takes nothing, and there is one thread.
        unsafe { TCMalloc_Internal_ForceCpuCacheActivation() };
    } else if !is_privileged() {
        start_anew();
    }
}

/// Whether this process was started with the setting. Nothing is allocated for the answer.
fn is_set() -> bool {
    // SAFETY: the name is a C string, there is one thread, and the value is looked at before anybody could change it.
    let value = unsafe {
        let value = libc::getenv(c"GLIBC_TUNABLES".as_ptr());
        if value.is_null() { c"" } else { CStr::from_ptr(value) }
    };
    value.to_bytes().windows(SETTING.len()).any(|part| part == SETTING.as_bytes())
}

/// Whether the dynamic linker takes the variable away, so that starting anew would never end.
fn is_privileged() -> bool {
    // SAFETY: the function takes a number and returns one.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Comes back only if it fails. Then there are no caches per CPU, and the greeting has no proof.
fn start_anew() {
    let tunables = match std::env::var(VARIABLE) {
        Ok(others) if !others.is_empty() => format!("{others}:{SETTING}"),
        _ => SETTING.to_owned(),
    };
    let error = match std::env::current_exe() {
        Ok(program) => {
            let mut arguments = std::env::args_os();
            let name = arguments.next().unwrap_or_else(|| program.clone().into());
            Command::new(program).arg0(name).args(arguments).env(VARIABLE, tunables).exec()
        }
        Err(error) => error,
    };
    eprintln!("cannot start anew with {VARIABLE}={SETTING}: {error}");
}
