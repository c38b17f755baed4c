//! Refuses sizes that no machine in sight would enjoy.

/// What a workload may keep alive, by its own estimate.
const LIMIT: u64 = 2 << 30;

/// Fails if `bytes` is more than a workload may need; the estimate may be rough but should not be too low.
pub(super) fn within_limit(workload: &str, bytes: u64) -> Result<(), String> {
    if bytes <= LIMIT {
        return Ok(());
    }
    Err(format!(
        "{workload}: with these sizes it would need about {} MiB; more than {} MiB are refused",
        bytes >> 20,
        LIMIT >> 20
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_itself_is_allowed() {
        assert_eq!(within_limit("a/b", LIMIT), Ok(()));
        let error = within_limit("a/b", LIMIT + 1).unwrap_err();
        assert!(error.contains("a/b") && error.contains("2048 MiB"), "{error}");
    }
}
