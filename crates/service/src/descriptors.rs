//! Every connection is a descriptor, and how many a process may have is limited, often to 1,024.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::stacks::Size;

/// What a server has open beside connections, generously: pipes, an epoll instance for each thread and an event to wake it by.
const BESIDE: u64 = 64;

/// What a thread of a server has open.
const PER_THREAD: u64 = 4;

/// Raises the limit as far as so many connections of this many descriptors need it. Fails, in the name of `workload`, where the hard
/// limit is lower.
pub(crate) fn make_room(workload: &str, each: u64, size: Size) -> Result<(), String> {
    let limit = getrlimit(Resource::Nofile);
    let beside = BESIDE + size.threads as u64 * PER_THREAD;
    match raised(size.connections as u64, each, beside, limit) {
        Ok(None) => Ok(()),
        Ok(Some(current)) => setrlimit(Resource::Nofile, Rlimit { current: Some(current), ..limit })
            .map_err(|error| format!("{workload}: cannot raise the limit of descriptors to {current}: {error}")),
        Err(why) => Err(format!("{workload}: {why}")),
    }
}

/// The soft limit to set, if it has to be raised. No limit at all is `None` in an [`Rlimit`].
fn raised(connections: u64, each: u64, beside: u64, limit: Rlimit) -> Result<Option<u64>, String> {
    let needed = connections * each + beside;
    match limit.maximum {
        Some(hard) if hard < needed => Err(format!(
            "connections={connections} needs {needed} descriptors in the server, and the hard limit is {hard}: at most {} \
             connections are possible; raise it by `ulimit -Hn {needed}` as root, in limits.conf(5), or by `--ulimit nofile={needed}` \
             of a container",
            hard.saturating_sub(beside) / each
        )),
        _ => Ok(limit.current.is_some_and(|soft| soft < needed).then_some(needed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(soft: u64, hard: u64) -> Rlimit {
        Rlimit { current: Some(soft), maximum: Some(hard) }
    }

    #[test]
    fn the_soft_limit_is_raised_where_the_hard_one_allows() {
        assert_eq!(raised(100, 1, 64, limit(1024, 4096)), Ok(None));
        assert_eq!(raised(3900, 1, 64, limit(1024, 4096)), Ok(Some(3964)));
        assert_eq!(raised(3900, 1, 64, Rlimit { current: Some(1024), maximum: None }), Ok(Some(3964)));
        assert_eq!(raised(3900, 1, 64, Rlimit { current: None, maximum: None }), Ok(None));
    }

    #[test]
    fn a_hard_limit_that_is_too_low_is_told_with_what_is_possible() {
        let error = raised(3900, 1, 64, limit(1024, 1024)).unwrap_err();
        assert!(error.contains("3964") && error.contains("at most 960 connections"), "{error}");
        assert!(!error.contains('\n'));
        let error = raised(3900, 3, 64, limit(4096, 4096)).unwrap_err();
        assert!(error.contains("11764") && error.contains("at most 1344 connections"), "{error}");
    }
}
