//! Moments counted by whose time they are, and how that is shown.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::share::Share;

/// A share below this, in percent, is marked.
const SMALL: f64 = 10.0;

/// Names of the legend that are shown at most, of each kind.
const SHOWN: usize = 12;

/// How often each place was seen, by whose time it is.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    allocator: BTreeMap<String, u64>,
    kernel_memory: BTreeMap<String, u64>,
    kernel: BTreeMap<String, u64>,
    program: u64,
}

impl Tally {
    pub(crate) fn count(&mut self, share: &Share) {
        let (places, name) = match share {
            Share::Allocator(name) => (&mut self.allocator, name.as_str()),
            Share::KernelMemory(name) => (&mut self.kernel_memory, *name),
            Share::Kernel(name) => (&mut self.kernel, name.as_str()),
            Share::Program => {
                self.program += 1;
                return;
            }
        };
        *places.entry(name.to_owned()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.program += other.program;
        for (ours, theirs) in [
            (&mut self.allocator, &other.allocator),
            (&mut self.kernel_memory, &other.kernel_memory),
            (&mut self.kernel, &other.kernel),
        ] {
            for (name, count) in theirs {
                *ours.entry(name.clone()).or_default() += count;
            }
        }
    }

    pub(crate) fn moments(&self) -> u64 {
        self.program + sum(&self.allocator) + sum(&self.kernel_memory) + sum(&self.kernel)
    }

    fn percent(&self, moments: u64) -> f64 {
        moments as f64 / self.moments().max(1) as f64 * 100.0
    }

    /// The allocator's share with the kernel's part in it, in percent.
    fn together(&self) -> f64 {
        self.percent(sum(&self.allocator) + sum(&self.kernel_memory))
    }

    /// What was counted as what, over all rows.
    pub(crate) fn legend(&self) -> String {
        let mut text = String::new();
        for (what, places) in [
            ("Allocator", &self.allocator),
            ("Kernel memory", &self.kernel_memory),
            ("In the kernel and not counted", &self.kernel),
        ] {
            let _ = writeln!(text, "\n{what}, in moments: {}.", listed(places));
        }
        text
    }
}

/// The head of the table.
pub(crate) const HEADING: &str = "| workload | moments | allocator (user) | kernel memory | together | by process | |\n\
                                  |---|--:|--:|--:|--:|--:|---|";

/// A row of the table, from the processes of a workload. A share that is small is marked, unless the workload is exempt.
pub(crate) fn row(workload: &str, processes: &[Tally], exempt: bool) -> String {
    let mut all = Tally::default();
    for process in processes {
        all.add(process);
    }
    let together = all.together();
    let least = processes.iter().map(Tally::together).fold(together, f64::min);
    let greatest = processes.iter().map(Tally::together).fold(together, f64::max);
    let mark = match (together < SMALL, exempt) {
        (false, _) => "",
        (true, false) => "below 10 %",
        (true, true) => "below 10 %, exempt",
    };
    format!(
        "| `{workload}` | {} | {:.1} % | {:.1} % | {together:.1} % | {least:.0}–{greatest:.0} % | {mark} |",
        all.moments(),
        all.percent(sum(&all.allocator)),
        all.percent(sum(&all.kernel_memory)),
    )
}

fn sum(places: &BTreeMap<String, u64>) -> u64 {
    places.values().sum()
}

/// Names with their counts, the greatest first.
fn listed(places: &BTreeMap<String, u64>) -> String {
    if places.is_empty() {
        return "none".into();
    }
    let mut places: Vec<_> = places.iter().collect();
    places.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let (shown, rest) = places.split_at(places.len().min(SHOWN));
    let mut words: Vec<String> = shown.iter().map(|(name, count)| format!("`{name}` {count}")).collect();
    if !rest.is_empty() {
        words.push(format!("{} others {}", rest.len(), rest.iter().map(|(_, count)| **count).sum::<u64>()));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(allocator: u64, kernel_memory: u64, kernel: u64, program: u64) -> Tally {
        let mut tally = Tally::default();
        let shares = [
            (Share::Allocator("malloc".into()), allocator),
            (Share::KernelMemory("brk"), kernel_memory),
            (Share::Kernel("futex".into()), kernel),
            (Share::Program, program),
        ];
        for (share, count) in shares {
            (0..count).for_each(|_| tally.count(&share));
        }
        tally
    }

    #[test]
    fn shares_are_of_all_moments_and_processes_show_their_range() {
        let processes = [tally(20, 5, 15, 60), tally(30, 15, 5, 50)];
        assert_eq!(row("a/b", &processes, false), "| `a/b` | 200 | 25.0 % | 10.0 % | 35.0 % | 25–45 % |  |");
    }

    #[test]
    fn a_small_share_is_marked_and_the_limit_itself_is_not_small() {
        assert!(row("a/b", &[tally(8, 1, 1, 90)], false).ends_with("| 9–9 % | below 10 % |"));
        assert!(row("a/b", &[tally(8, 1, 1, 90)], true).ends_with("below 10 %, exempt |"));
        assert!(row("a/b", &[tally(8, 2, 0, 90)], false).ends_with("| 10–10 % |  |"));
    }

    #[test]
    fn tallies_add_up_and_the_legend_names_the_greatest_first() {
        let mut all = tally(1, 2, 3, 4);
        all.count(&Share::Allocator("free".into()));
        all.add(&tally(10, 20, 30, 40));
        all.add(&tally(0, 0, 0, 1));
        assert_eq!(all.moments(), 112);
        let legend = all.legend();
        assert!(legend.contains("Allocator, in moments: `malloc` 11, `free` 1."), "{legend}");
        assert!(legend.contains("not counted, in moments: `futex` 33."), "{legend}");
    }
}
