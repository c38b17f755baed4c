//! Tells the crate how it is being built, so that the worker can say so in its greeting.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for (name, variable) in [("PROFILE", "PROFILE"), ("OPT_LEVEL", "OPT_LEVEL"), ("TARGET", "TARGET")] {
        println!("cargo:rustc-env=HEAPMARK_{name}={}", std::env::var(variable).unwrap_or_default());
    }
    // Flags are separated by the unit separator; `rustc-env` values may hold no line feeds, which flags never do.
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\x1f', " ");
    println!("cargo:rustc-env=HEAPMARK_RUSTFLAGS={flags}");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    println!("cargo:rustc-env=HEAPMARK_RUSTC={}", version.trim());
}
