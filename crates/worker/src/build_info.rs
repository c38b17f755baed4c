//! How this worker was built.

use std::fmt;

/// Whether the Rust part is a debug build: with assertions, or not optimised.
pub(crate) const DEBUG: bool = cfg!(debug_assertions) || matches!(env!("HEAPMARK_OPT_LEVEL").as_bytes(), b"0");

/// Writes profile, optimisation level, target, compiler and flags, and how the native library was built.
pub(crate) fn describe(native_flags: &str) -> impl fmt::Display + '_ {
    fmt::from_fn(move |f| {
        write!(
            f,
            "{}; profile {}, opt-level {}, target {}",
            env!("HEAPMARK_RUSTC"),
            env!("HEAPMARK_PROFILE"),
            env!("HEAPMARK_OPT_LEVEL"),
            env!("HEAPMARK_TARGET"),
        )?;
        let rust_flags = env!("HEAPMARK_RUSTFLAGS");
        if !rust_flags.is_empty() {
            write!(f, "; RUSTFLAGS {rust_flags}")?;
        }
        if !native_flags.is_empty() {
            write!(f, "; native {native_flags}")?;
        }
        Ok(())
    })
}
