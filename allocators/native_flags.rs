//! Build script of the backends whose allocator is C or C++: tells them what the `cc` crate made of the environment.
//!
//! `HEAPMARK_NATIVE_C` and `HEAPMARK_NATIVE_CXX` hold the compiler and the flags from the environment, for a reader.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rustc-env=HEAPMARK_NATIVE_C={}", describe("CC", "cc", "CFLAGS"));
    println!("cargo:rustc-env=HEAPMARK_NATIVE_CXX={}", describe("CXX", "c++", "CXXFLAGS"));
}

/// Compiler and flags as `cc` finds them: one compiler from the first variable that is set, flags from all of them.
fn describe(compiler_variable: &str, default_compiler: &str, flags_variable: &str) -> String {
    let compilers = values(compiler_variable);
    let compiler = compilers.last().map_or(default_compiler, String::as_str);
    let flags = values(flags_variable).join(" ");
    // Without its defaults `cc` does not even ask for optimisation.
    let no_defaults = values("CRATE_CC_NO_DEFAULTS").last().map_or("", |_| " CRATE_CC_NO_DEFAULTS");
    let flags = if flags.is_empty() { "not set" } else { &flags };
    format!("{}, {flags_variable} {flags}{no_defaults}", version(compiler))
}

/// The first line of the compiler's version, or the command where it does not say.
fn version(compiler: &str) -> String {
    let mut words = compiler.split_whitespace();
    let output = words.next().and_then(|program| Command::new(program).args(words).arg("--version").output().ok());
    let text = output.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    text.lines().next().filter(|line| !line.is_empty()).unwrap_or(compiler).trim().to_owned()
}

/// The values of a variable and of its more specific forms that say something, the most specific last (`Build::envflags` of cc 1.2 and later).
fn values(variable: &str) -> Vec<String> {
    let target = env::var("TARGET").unwrap_or_default();
    let kind = if env::var("HOST").is_ok_and(|host| host == target) { "HOST" } else { "TARGET" };
    let names = [
        variable.to_owned(),
        format!("{kind}_{variable}"),
        format!("{variable}_{}", target.replace(['-', '.'], "_")),
        format!("{variable}_{target}"),
    ];
    let mut found = Vec::new();
    for name in names {
        println!("cargo:rerun-if-env-changed={name}");
        found.extend(env::var(name).ok().filter(|value| !value.trim().is_empty()));
    }
    found
}
