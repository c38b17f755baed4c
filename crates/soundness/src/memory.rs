//! Memory of this process, as the kernel tells it, read without the heap.

use std::fs::File;
use std::io::Read;

use heapmark_protocol::Finding;

use crate::ended::{Checked, Ended, found, keep, skipped};

/// Bytes in a MiB.
pub(crate) const MIB: usize = 1 << 20;

/// Resident bytes, but for those that were given back with `MADV_FREE`, which the kernel takes when it wants them.
///
/// The sum over all mappings and not `VmRSS`, whose counters are batched per processor.
pub(crate) fn in_use() -> Result<usize, Ended> {
    let mut room = [0; 4096];
    let text = read("/proc/self/smaps_rollup", &mut room);
    let resident =
        field(text, "Rss:").ok_or_else(|| skipped(format_args!("the kernel does not tell resident memory")))?;
    Ok(resident.saturating_sub(field(text, "LazyFree:").unwrap_or(0)))
}

/// Bytes of address space.
pub(crate) fn address_space() -> Result<usize, Ended> {
    let mut room = [0; 4096];
    let text = read("/proc/self/status", &mut room);
    field(text, "VmSize:").ok_or_else(|| skipped(format_args!("the kernel does not tell the address space in use")))
}

/// Memory over rounds of the same work.
///
/// What leaks grows without end. What an allocator keeps for later grows at first and then stays, and what it gives back after a
/// while goes up and down. So the least of the last rounds is compared with the most of the first.
pub(crate) struct Growth {
    rounds: usize,
    first: usize,
    last: usize,
}

impl Growth {
    /// Nothing is known yet of so many rounds.
    pub(crate) fn over(rounds: usize) -> Self {
        Self { rounds, first: 0, last: usize::MAX }
    }

    /// Looks at memory in this round.
    pub(crate) fn look(&mut self, round: usize) -> Result<(), Ended> {
        self.note(round, in_use()?);
        Ok(())
    }

    fn note(&mut self, round: usize, bytes: usize) {
        if round < self.rounds / 4 {
            self.first = self.first.max(bytes);
        } else if round >= self.rounds - self.rounds / 8 {
            self.last = self.last.min(bytes);
        }
    }

    /// What there is to say, if memory grew by no more than `limit`: `what` says of which work.
    pub(crate) fn bounded(&self, what: &str, limit: usize) -> Checked {
        let (first, last, limit) = (self.first / MIB, self.last / MIB, limit / MIB);
        if last <= first + limit {
            return Ok(keep(format_args!(
                "{what}: resident at most {first} MiB at first, at least {last} MiB at last"
            )));
        }
        Err(found(
            Finding::Leaks,
            format_args!("{what}: resident memory grew from {first} to {last} MiB, where {limit} more would do"),
        ))
    }
}

/// The value of a line such as `Rss:    13624 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kib.checked_mul(1024)
}

/// The beginning of a small file; nothing where it cannot be read.
fn read<'a>(path: &str, room: &'a mut [u8; 4096]) -> &'a str {
    let mut filled = 0;
    if let Ok(mut file) = File::open(path) {
        while let Ok(bytes @ 1..) = file.read(&mut room[filled..]) {
            filled += bytes;
        }
    }
    std::str::from_utf8(&room[..filled]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells() {
        assert!(in_use().is_ok_and(|bytes| bytes > 100_000));
        assert!(address_space().unwrap() >= in_use().unwrap());
    }

    #[test]
    fn fields_are_read_by_their_whole_names() {
        let text = "Rss:                1796 kB\nLazyFree:              0 kB\nShmem: huge\n";
        assert_eq!(field(text, "Rss:"), Some(1796 * 1024));
        assert_eq!(field(text, "Shmem:"), None);
        assert_eq!(field(text, "Pss:"), None);
    }

    #[test]
    fn what_grows_without_end_leaks_and_nothing_else() {
        let after = |bytes: fn(usize) -> usize| {
            let mut growth = Growth::over(40);
            (0..40).for_each(|round| growth.note(round, bytes(round) * MIB));
            growth.bounded("rounds", 4 * MIB)
        };
        assert!(after(|_| 10).is_ok());
        assert!(after(|round| round.min(9)).is_ok(), "it grows at first");
        assert!(after(|round| if round % 3 == 0 { 50 } else { 1 }).is_ok(), "it goes up and down");
        let leak = "rounds: resident memory grew from 9 to 35 MiB, where 4 more would do";
        assert_eq!(after(|round| round), Err(Ended::Found(Finding::Leaks, leak)));
    }
}
