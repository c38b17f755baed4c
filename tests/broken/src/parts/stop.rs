//! Ways not to go on.

/// Ends the program by `SIGABRT`, without a word.
pub(crate) fn abort() -> ! {
    std::process::abort()
}

/// Waits for what never comes, as for a lock whose holder is gone.
pub(crate) fn hang() -> ! {
    loop {
        // SAFETY: pause(2) takes nothing, and returns after a signal.
        unsafe { libc::pause() };
    }
}

/// Lets another thread run.
pub(crate) fn yield_now() {
    // SAFETY: sched_yield(2) takes nothing and touches no memory.
    unsafe { libc::sched_yield() };
}
