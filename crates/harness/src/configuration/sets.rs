//! The sets of contenders that come with heapmark: the configurations that people ask about.

/// A set of contenders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyMade {
    /// Its name.
    pub name: &'static str,
    /// What it shows, in a line.
    pub summary: &'static str,
    /// Its contenders, as they are written in a `heapmark.toml` too.
    pub contenders: &'static [&'static str],
}

/// All of them. The defaults that they depart from take part beside them.
pub const READY_MADE: &[ReadyMade] = &[
    ReadyMade {
        name: "jemalloc",
        summary: "decay times, purging in the background, and a single arena",
        contenders: &[
            "jemalloc@dirty_decay_ms:0",
            "jemalloc@dirty_decay_ms:1000",
            "jemalloc@dirty_decay_ms:10000",
            "jemalloc@background_thread:true",
            "jemalloc@narenas:1",
        ],
    },
    ReadyMade {
        name: "jemalloc-decay",
        summary: "how long free pages are kept: not at all, 1 s, 10 s (jemalloc's default)",
        contenders: &["jemalloc@dirty_decay_ms:0", "jemalloc@dirty_decay_ms:1000", "jemalloc@dirty_decay_ms:10000"],
    },
    ReadyMade {
        name: "mimalloc",
        summary: "purging at once, large pages where the host has reserved any, arenas committed step by step",
        contenders: &["mimalloc@purge_delay:0", "mimalloc@allow_large_os_pages:1", "mimalloc@arena_eager_commit:0"],
    },
    ReadyMade {
        name: "system",
        summary: "glibc with few arenas, with its mmap threshold pinned at 128 KiB, without caches of threads",
        contenders: &[
            "system@arena_max:1",
            "system@arena_max:2",
            "system@arena_max:8",
            // Any value switches off that it follows the sizes that are freed (mallopt(3)); this is where it starts.
            "system@mmap_threshold:131072",
            "system@tcache_count:0",
        ],
    },
    ReadyMade {
        name: "thp",
        summary: "every backend that takes part, without transparent huge pages",
        contenders: &["*@thp:never"],
    },
    ReadyMade {
        name: "thp-advised",
        summary: "every backend that takes part, with transparent huge pages only where it asks for them (Linux 6.18)",
        contenders: &["*@thp:advised"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::Member;

    #[test]
    fn they_are_in_order_and_hold_contenders() {
        assert!(READY_MADE.is_sorted_by(|a, b| a.name < b.name), "each name once");
        for set in READY_MADE {
            assert!(!set.contenders.is_empty() && !set.summary.is_empty(), "{}", set.name);
            for text in set.contenders {
                let member = Member::parse(text).unwrap_or_else(|why| panic!("{}: {why}", set.name));
                assert_eq!(member.to_string(), *text);
            }
        }
    }
}
