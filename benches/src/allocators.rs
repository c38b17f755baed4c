//! Who takes part.

use std::sync::LazyLock;

/// Names the backends that take part, separated by commas or spaces, the reference first.
const VARIABLE: &str = "HEAPMARK_ALLOCATORS";

/// Who takes part where [`VARIABLE`] does not say otherwise. Not all that there are: each one more makes the benches longer, and
/// `cargo bench` is to take some minutes. `heapmark run` compares all that need not be named.
const USUAL: [&str; 4] = ["system", "mimalloc", "jemalloc", "snmalloc"];

/// Who is asked how much is allocated, and not compared.
pub(crate) const COUNTING: &str = "counting";

/// The backends that take part, the reference first.
pub(crate) fn allocators() -> &'static [String] {
    static ALLOCATORS: LazyLock<Vec<String>> = LazyLock::new(|| named(&std::env::var(VARIABLE).unwrap_or_default()));
    &ALLOCATORS
}

/// Those that the text names, each once; the usual ones where it names nobody.
fn named(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in text.split([',', ' ']).filter(|name| !name.is_empty()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if names.is_empty() { USUAL.map(str::to_owned).into() } else { names }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_named_takes_part_once_and_in_that_order() {
        for (text, names) in [
            ("", &USUAL[..]),
            (" , ", &USUAL[..]),
            ("rpmalloc", &["rpmalloc"]),
            ("dlmalloc,system, dlmalloc,,mimalloc", &["dlmalloc", "system", "mimalloc"]),
        ] {
            assert_eq!(named(text), names, "{text:?}");
        }
    }
}
