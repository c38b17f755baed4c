//! Every connection is a descriptor, and how many a process may have is limited, often to 1,024.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::Error;

/// Descriptors for what a thread needs beside connections: an epoll instance, and one for a name to be looked up by.
const PER_THREAD: u64 = 2;

/// Makes room for so many connections, as far as the hard limit allows; an error where that is not far enough.
pub(crate) fn make_room(connections: usize, threads: usize) -> Result<(), Error> {
    let limit = getrlimit(Resource::Nofile);
    let wanted = needed(connections, threads, open_descriptors());
    let raised = raise(connections, wanted, limit)?;
    if let Some(soft) = raised {
        setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum: limit.maximum })
            .map_err(Error::system("cannot raise the limit of descriptors"))?;
    }
    Ok(())
}

fn needed(connections: usize, threads: usize, open: u64) -> u64 {
    connections as u64 + threads as u64 * PER_THREAD + open
}

/// The soft limit to set, if it has to be raised. No limit at all is `None` in an [`Rlimit`].
fn raise(connections: usize, needed: u64, limit: Rlimit) -> Result<Option<u64>, Error> {
    let hard = limit.maximum.unwrap_or(u64::MAX);
    if needed > hard {
        let possible = (connections as u64).saturating_sub(needed - hard);
        return Err(Error::Descriptors { connections, needed, hard, possible });
    }
    // No more than needed: some programs that a shell starts later close every descriptor up to the limit.
    Ok(limit.current.is_some_and(|soft| soft < needed).then_some(needed))
}

/// How many are open now; a few where the kernel does not say.
fn open_descriptors() -> u64 {
    std::fs::read_dir("/proc/self/fd").map_or(16, |entries| entries.count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(soft: u64, hard: u64) -> Rlimit {
        Rlimit { current: Some(soft), maximum: Some(hard) }
    }

    #[test]
    fn the_limit_is_raised_as_far_as_needed_and_no_further() {
        assert_eq!(raise(100, 110, limit(1_024, 4_096)).unwrap(), None);
        assert_eq!(raise(3_900, 3_910, limit(1_024, 4_096)).unwrap(), Some(3_910));
        assert_eq!(raise(3_900, 3_910, Rlimit { current: Some(1_024), maximum: None }).unwrap(), Some(3_910));
        assert_eq!(raise(3_900, 3_910, Rlimit { current: None, maximum: None }).unwrap(), None);
    }

    #[test]
    fn too_low_a_limit_is_told_with_what_is_possible() {
        let wanted = needed(3_900, 1, 6);
        let error = raise(3_900, wanted, limit(1_024, 1_024)).unwrap_err();
        assert!(
            matches!(error, Error::Descriptors { connections: 3_900, needed: 3_908, hard: 1_024, possible: 1_016 }),
            "{error}"
        );
        assert!(error.to_string().contains("1016 connections are possible"), "{error}");
    }

    #[test]
    fn what_is_open_is_counted() {
        let before = open_descriptors();
        let _held: Vec<_> = (0..8).map(|_| std::fs::File::open("/dev/null").expect("it can be opened")).collect();
        // Other tests of this process open and close some too.
        assert!(open_descriptors() >= 8, "{before}");
    }
}
