//! Keeps the product of parameters that are each in range within the memory of an ordinary machine.

/// What a sample may keep alive, whatever the number of threads.
const WHOLE: usize = 2 << 30;

/// What it may keep alive for each thread where that is more: the defaults must fit on a machine with many cores.
const PER_THREAD: usize = 48 << 20;

/// Fails, in the name of `workload`, if `threads` times `documents` of about `bytes` each are more than a sample should keep alive.
pub(super) fn within_memory(workload: &str, threads: usize, documents: usize, bytes: usize) -> Result<(), String> {
    let allowed = WHOLE.max(PER_THREAD.saturating_mul(threads));
    let needed = threads.saturating_mul(documents).saturating_mul(bytes);
    if needed <= allowed {
        return Ok(());
    }
    let mib = |bytes: usize| bytes >> 20;
    Err(format!(
        "{workload}: about {} MiB would be alive at once ({threads} threads, {documents} documents each, {} KiB a document); the limit is {} MiB",
        mib(needed),
        bytes >> 10,
        mib(allowed),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_is_what_counts() {
        assert_eq!(within_memory("a/b", 2, 9, 4 << 20), Ok(()));
        assert_eq!(within_memory("a/b", 1024, 9, 4 << 20), Ok(()));
        let error = within_memory("a/b", 8, 512, 4 << 20).unwrap_err();
        assert!(
            error.contains("a/b") && error.contains("16384 MiB") && error.contains("the limit is 2048 MiB"),
            "{error}"
        );
        assert!(within_memory("a/b", 1024, usize::MAX, 2).is_err());
    }
}
