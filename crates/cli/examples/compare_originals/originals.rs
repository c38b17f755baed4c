//! The C programs, as mimalloc-bench runs them on two threads, and the workload that stands for each.

use heapmark::Case;

/// A C program and what it is held against.
pub(crate) struct Original {
    /// Its name, and that of its file.
    pub(crate) program: &'static str,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) work: Work,
    /// What it is held against; where the workload does something else on purpose, also without that.
    pub(crate) ours: &'static [Variant],
}

/// A workload, or several that together do what a program does.
pub(crate) struct Variant {
    /// What it is called in the table.
    pub(crate) name: &'static str,
    pub(crate) parts: fn() -> Vec<Part>,
}

impl Variant {
    const fn new(name: &'static str, parts: fn() -> Vec<Part>) -> Self {
        Self { name, parts }
    }
}

/// How many units a run did.
pub(crate) enum Work {
    /// Always as many.
    Fixed(f64),
    /// As it says itself: a number behind these words, times this.
    Printed(&'static str, f64),
}

impl Work {
    /// Reads it from what the program printed.
    pub(crate) fn units(&self, output: &str) -> Option<f64> {
        match self {
            Self::Fixed(units) => Some(*units),
            Self::Printed(words, scale) => {
                let (_, behind) = output.split_once(words)?;
                let digits = behind.trim_start();
                let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
                let number: f64 = digits[..end].parse().ok()?;
                (number > 0.0).then_some(number * scale)
            }
        }
    }
}

/// A workload that is one part of what a program does.
pub(crate) struct Part {
    pub(crate) case: Case,
    /// Units of the program in one of the workload.
    pub(crate) units: f64,
    /// How many of the program's units are of this part.
    pub(crate) weight: f64,
}

/// All of it.
fn whole(case: &str) -> Vec<Part> {
    vec![Part { case: case_of(case), units: 1.0, weight: 1.0 }]
}

fn case_of(text: &str) -> Case {
    Case::parse(text).expect("the cases of this file are well-formed, which a test sees to")
}

/// Batches of 4,096 blocks, of which the program counts each.
fn batches(case: &str) -> Vec<Part> {
    vec![Part { case: case_of(case), units: 4096.0, weight: 1.0 }]
}

/// The program goes through four numbers of blocks for each of three sizes: twice on its first thread (the first time as a
/// warm-up), once on a second thread, and once more on the first.
fn places_and_sizes() -> Vec<Part> {
    let mut parts = Vec::new();
    for (place, weight) in [("first", 2.0), ("second", 1.0), ("accompanied", 1.0)] {
        for size in [16, 32, 64] {
            for live in [25, 100, 400, 1600] {
                let case = Case::new("classic/glibc-simple").with("touch", "all");
                let case = case.with("where", place).with("size", size).with("live", live);
                parts.push(Part { case, units: 1.0, weight });
            }
        }
    }
    parts
}

/// Seconds that programs run which run for a time.
const SECONDS: f64 = 2.0;

pub(crate) const ORIGINALS: &[Original] = &[
    Original {
        program: "larson",
        arguments: &["2", "8", "1000", "5000", "100", "4141", "2"],
        work: Work::Printed("Throughput =", SECONDS),
        ours: &[Variant::new("classic/larson?threads=2", || whole("classic/larson?threads=2"))],
    },
    Original {
        program: "larson-sized",
        arguments: &["2", "8", "1000", "5000", "100", "4141", "2"],
        work: Work::Printed("Throughput =", SECONDS),
        ours: &[Variant::new("classic/larson?threads=2", || whole("classic/larson?threads=2"))],
    },
    Original {
        program: "mstress",
        arguments: &["2", "50", "25"],
        // Tasks of 5,000 and 10,000 objects and half as many that are kept, 25 times.
        work: Work::Fixed(25.0 * 1.5 * (5000.0 + 10_000.0)),
        ours: &[Variant::new("classic/mstress?threads=2", || whole("classic/mstress?threads=2"))],
    },
    Original {
        program: "rptest",
        arguments: &["2", "0", "1", "2", "500", "1000", "100", "8", "16000"],
        // 500 loops of two threads in two rounds, and all that twice.
        work: Work::Fixed(500.0 * 2.0 * 2.0 * 2.0),
        // The suite's version of the program clears or fills every block, which its maker's does not.
        ours: &[
            Variant::new("classic/rptest?threads=2", || whole("classic/rptest?threads=2")),
            Variant::new("classic/rptest?threads=2&touch=all", || whole("classic/rptest?threads=2&touch=all")),
        ],
    },
    Original {
        program: "alloc-test",
        arguments: &["2"],
        work: Work::Fixed(2.0 * 1e8),
        ours: &[Variant::new("classic/alloc-test?threads=2", || whole("classic/alloc-test?threads=2"))],
    },
    Original {
        program: "sh6bench",
        arguments: &["4"],
        work: Work::Fixed(1.0),
        ours: &[Variant::new("classic/sh6?threads=4", || whole("classic/sh6?threads=4"))],
    },
    Original {
        program: "sh8bench",
        arguments: &["4"],
        work: Work::Fixed(1.0),
        ours: &[Variant::new("classic/sh8?threads=4", || whole("classic/sh8?threads=4"))],
    },
    Original {
        program: "xmalloc-test",
        arguments: &["-w", "2", "-t", "2", "-s", "64"],
        work: Work::Printed("free/sec:", 1e6 * SECONDS),
        // As many producers and as many consumers.
        ours: &[Variant::new("classic/xmalloc?threads=4", || batches("classic/xmalloc?threads=4"))],
    },
    Original {
        program: "cache-scratch",
        arguments: &["2", "1000", "1", "2000000", "2"],
        work: Work::Fixed(2.0 * 1000.0),
        ours: &[Variant::new("classic/cache-scratch?threads=2&writes=1000000", || {
            whole("classic/cache-scratch?threads=2&writes=1000000")
        })],
    },
    Original {
        program: "cache-thrash",
        arguments: &["2", "1000", "1", "2000000", "2"],
        work: Work::Fixed(2.0 * 1000.0),
        ours: &[Variant::new("classic/cache-thrash?threads=2&writes=1000000", || {
            whole("classic/cache-thrash?threads=2&writes=1000000")
        })],
    },
    Original {
        program: "glibc-simple",
        arguments: &[],
        // Sixteen times two millions of blocks of each of three sizes.
        work: Work::Fixed(3.0 * 16.0 * 2e6),
        ours: &[Variant::new("classic/glibc-simple?touch=all, of all places, sizes and numbers", places_and_sizes)],
    },
    Original {
        program: "glibc-thread",
        arguments: &["2"],
        work: Work::Printed("", 1.0),
        // The program writes all of a block too, but never reads it back.
        ours: &[
            Variant::new("classic/glibc-thread?threads=2", || whole("classic/glibc-thread?threads=2")),
            Variant::new("classic/glibc-thread?threads=2&touch=first", || {
                whole("classic/glibc-thread?threads=2&touch=first")
            }),
        ],
    },
    Original {
        program: "malloc-large",
        arguments: &[],
        work: Work::Fixed(2000.0),
        ours: &[Variant::new("classic/malloc-large", || whole("classic/malloc-large"))],
    },
    Original {
        program: "mleak",
        arguments: &["50"],
        // A hundred rounds of ten threads.
        work: Work::Fixed(50.0 * 100.0 * 10.0),
        ours: &[Variant::new("classic/mleak?threads=1", || whole("classic/mleak?threads=1"))],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn units_are_read_from_what_is_printed() {
        let units = |words, output: &str| Work::Printed(words, 2.0).units(output);
        assert_eq!(
            units("Throughput =", "Throughput =  1234567 operations per second, relative time"),
            Some(2_469_134.0)
        );
        assert_eq!(units("free/sec:", "rtime: 1.234, free/sec: 81.037 M\n"), Some(162.074));
        assert_eq!(units("", "123 iterations\n"), Some(246.0));
        for output in ["", "Throughput = nan", "Throughput = 0 operations", "no"] {
            assert_eq!(units("Throughput =", output), None, "{output:?}");
        }
        assert_eq!(Work::Fixed(5.0).units("anything"), Some(5.0));
    }

    #[test]
    fn every_program_is_there_once_with_a_workload() {
        let programs: BTreeSet<_> = ORIGINALS.iter().map(|original| original.program).collect();
        assert_eq!(programs.len(), ORIGINALS.len());
        for original in ORIGINALS {
            assert!(!original.ours.is_empty());
            for part in original.ours.iter().flat_map(|variant| (variant.parts)()) {
                assert!(part.case.workload.starts_with("classic/"), "{}", original.program);
                assert!(part.weight > 0.0 && part.units > 0.0, "{}", original.program);
            }
        }
        let simple: f64 = places_and_sizes().iter().map(|part| part.weight).sum();
        assert!((simple - 48.0).abs() < 1e-9, "as many as sixteen for each of three sizes");
    }
}
