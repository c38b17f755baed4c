//! Whether the checked workloads find the faults of real allocators, as `tests/broken` has them.

use crate::programs::{Errand, in_parallel};

/// How a fault shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shows {
    /// A check says this word.
    As(&'static str),
    /// The workload reads something else than it wrote, or comes to an end.
    InTheWork,
}

use Shows::{As, InTheWork};

/// Faults, and a workload that finds each: with which parameters, and how.
const FOUND: &[(&str, &str, &[&str], Shows)] = &[
    ("align-over-64", "memory/alignment", &[], As("misaligned")),
    ("align-large", "memory/alignment", &["buffer_kib=256"], As("misaligned")),
    ("align-over-page", "memory/alignment", &["alignment=2MiB"], As("misaligned")),
    ("align-refused", "memory/alignment", &["alignment=2MiB"], As("refused")),
    ("align-free-aborts", "memory/alignment", &["alignment=2MiB"], InTheWork),
    ("dirty-reused", "memory/zeroed", &["heap=aged"], As("dirty")),
    ("dirty-beyond-page", "memory/zeroed", &["heap=aged", "largest_kib=256"], As("dirty")),
    ("dirty-large", "memory/zeroed", &["heap=aged", "largest_kib=1024"], As("dirty")),
    ("realloc-loses-tail", "memory/grow", &[], As("corrupt")),
    ("realloc-one-short", "memory/grow", &[], As("corrupt")),
    ("realloc-16-bit", "memory/grow", &["largest_kib=512"], As("corrupt")),
    ("overlap-twice", "classic/glibc-thread", &["sizes=uniform", "max_size=2000"], As("overlap")),
    ("overlap-split", "classic/rptest", &[], As("overlap")),
    ("overlap-discard", "classic/rptest", &["max_size=32768", "touch=all"], As("empty")),
    ("overlap-header", "classic/glibc-thread", &["sizes=fixed", "min_size=1792", "max_size=1792"], InTheWork),
    ("overlap-footer", "classic/glibc-thread", &["sizes=fixed", "min_size=1536", "max_size=1536"], InTheWork),
    ("class-small", "classic/glibc-thread", &["sizes=uniform", "max_size=2000"], As("overlap")),
    ("class-off-by-one", "classic/glibc-thread", &["sizes=fixed", "min_size=769", "max_size=769"], As("overlap")),
    ("class-page", "classic/glibc-thread", &["sizes=fixed", "min_size=65537", "max_size=65537"], As("overlap")),
    ("remote-link", "classic/xmalloc", &["threads=3", "min_size=1000", "max_size=1000"], As("layout")),
    ("exit-reuses", "classic/larson", &["threads=1"], As("overlap")),
    ("exit-unmaps", "classic/larson", &["threads=1"], InTheWork),
];

/// The workload on the broken allocator with a fault, or with none.
fn errand(workload: &'static str, fixed: &'static [&'static str], fault: &'static str) -> Errand<'static> {
    Errand { backend: "broken", workload, fill: 0xa5, fixed, fault: Some(fault) }
}

#[test]
fn the_faults_of_real_allocators_are_found() {
    let complaints = in_parallel(FOUND, |&(fault, workload, fixed, shows)| {
        let sound = errand(workload, fixed, "none").run();
        let Ok(sound) = sound else { return Some(format!("{workload} {fixed:?} without a fault: {sound:?}")) };
        let tallies = |lines: &[heapmark_checking::Line]| lines.iter().map(|line| line.tally).collect::<Vec<_>>();
        let found = match errand(workload, fixed, fault).run() {
            Err(end) => match shows {
                As(word) => end.contains(&format!(": {word}: ")).then_some(()).ok_or(end),
                InTheWork => (!end.contains("checked: ")).then_some(()).ok_or(end),
            },
            Ok(lines) if tallies(&lines) == tallies(&sound) => Err("nothing is found".to_owned()),
            Ok(_) => (shows == InTheWork).then_some(()).ok_or_else(|| "only the work is another".to_owned()),
        };
        found.err().map(|why| format!("{fault} in {workload} {fixed:?} is to show {shows:?}: {why}"))
    });
    let complaints: Vec<_> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{} of {} faults:\n{}", complaints.len(), FOUND.len(), complaints.join("\n"));
}
