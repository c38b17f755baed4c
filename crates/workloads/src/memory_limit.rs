//! Keeps the product of parameters that are each in range within the memory of an ordinary machine.

/// What a sample may keep alive, whatever the number of threads.
const WHOLE: u64 = 2 << 30;

/// What it may keep alive for each thread where that is more: the defaults must fit on a machine with many cores.
const PER_THREAD: u64 = 48 << 20;

/// Fails, in the name of `workload`, if `bytes` on so many threads are more than a sample should keep alive. What a workload
/// says it needs may be rough, but should not be too low.
pub(crate) fn within_memory(workload: &str, threads: usize, bytes: u64) -> Result<(), String> {
    let allowed = WHOLE.max(PER_THREAD.saturating_mul(threads as u64));
    if bytes <= allowed {
        return Ok(());
    }
    let needed = bytes >> 20;
    Err(format!(
        "{workload}: with these sizes about {needed} MiB would be alive at once; with {threads} threads the limit is {} MiB",
        allowed >> 20
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_itself_is_allowed() {
        assert_eq!(within_memory("a/b", 2, WHOLE), Ok(()));
        let error = within_memory("a/b", 8, 16 << 30).unwrap_err();
        assert!(error.contains("a/b") && error.contains("16384 MiB"), "{error}");
        assert!(error.contains("the limit is 2048 MiB"), "{error}");
        assert!(within_memory("a/b", 2, WHOLE + 1).is_err());
    }

    #[test]
    fn many_threads_have_their_allowance() {
        assert_eq!(within_memory("a/b", 1024, 1024 * PER_THREAD), Ok(()));
        assert!(within_memory("a/b", 1024, 1024 * PER_THREAD + 1).is_err());
    }
}
