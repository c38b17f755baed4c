//! Whose instructions they are.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::malloc_code::malloc_code;
use crate::profile::Profile;

/// The least share of the allocator and the workload together, in percent.
pub(crate) const LEAST: f64 = 98.0;

/// Names of the legend that are shown at most.
const SHOWN: usize = 12;

/// Part of the name of every function of the standard workloads.
const WORKLOADS: &str = "heapmark_workloads::";

/// Part of the name of every function of the harness's side in a worker.
const HARNESS: &str = "heapmark_";

/// Parts of the names of the functions between a Rust program and the C library's malloc.
const WAY: [&str; 4] = ["__rust_alloc", "__rust_dealloc", "__rust_no_alloc_shim", "__rdl_"];

/// How often who calls whom is followed outwards: a function of a library that calls another one, and so on.
const DEPTH: usize = 16;

/// Instructions by whose they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shares {
    /// In malloc.
    allocator: u64,
    /// Between Rust and malloc.
    way: u64,
    /// In the workload.
    workload: u64,
    /// Anywhere else, by function.
    others: BTreeMap<String, u64>,
}

impl Shares {
    /// Sorts what was counted.
    pub(crate) fn of(profile: &Profile) -> Result<Self, String> {
        let is_library = |file: &str| {
            let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("libc.so") || name.starts_with("libc-2.")
        };
        let library = profile.places.keys().map(|place| place.file.as_str()).find(|file| is_library(file));
        let library = library.ok_or("the worker does not use a C library that is known")?;
        let malloc = malloc_code(Path::new(library))?;
        let for_workload = for_workload(profile);
        let mut shares = Self::default();
        for (place, count) in &profile.places {
            if place.file == library && malloc.contains(&place.address) {
                shares.allocator += count;
            } else {
                let function = place.function.as_str();
                shares.count_elsewhere(function, *count, for_workload.get(function).copied().unwrap_or(0.0));
            }
        }
        if shares.allocator == 0 {
            return Err(format!("nothing was counted in malloc; this Valgrind gives other addresses of {library}"));
        }
        Ok(shares)
    }

    /// Counts instructions outside of malloc, in a function that is called by a workload for this part of its time.
    fn count_elsewhere(&mut self, function: &str, count: u64, for_workload: f64) {
        if WAY.iter().any(|part| function.contains(part)) {
            self.way += count;
            return;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count, rounded down")]
        let workload = (count as f64 * for_workload) as u64;
        self.workload += workload;
        if count > workload {
            *self.others.entry(function.to_owned()).or_default() += count - workload;
        }
    }

    /// These without those.
    pub(crate) fn less(mut self, less: &Self) -> Self {
        self.allocator = self.allocator.saturating_sub(less.allocator);
        self.way = self.way.saturating_sub(less.way);
        self.workload = self.workload.saturating_sub(less.workload);
        for (function, count) in &mut self.others {
            *count = count.saturating_sub(less.others.get(function).copied().unwrap_or(0));
        }
        self.others.retain(|_, count| *count > 0);
        self
    }

    /// One of so many equal parts.
    pub(crate) fn per(mut self, parts: u64) -> Self {
        for count in
            [&mut self.allocator, &mut self.way, &mut self.workload].into_iter().chain(self.others.values_mut())
        {
            *count /= parts;
        }
        self
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.allocator += other.allocator;
        self.way += other.way;
        self.workload += other.workload;
        for (function, count) in &other.others {
            *self.others.entry(function.clone()).or_default() += count;
        }
    }

    fn all(&self) -> u64 {
        self.allocator + self.way + self.workload + self.others.values().sum::<u64>()
    }

    fn percent(&self, count: u64) -> f64 {
        count as f64 / self.all().max(1) as f64 * 100.0
    }

    /// What a workload is there for: the allocator, the way to it and the workload's own loop, in percent.
    pub(crate) fn subject(&self) -> f64 {
        self.percent(self.allocator + self.way + self.workload)
    }
}

/// For each function, the part of its time in which it was called by a workload.
///
/// A workload's loop is in part the standard library's: an iterator's `fold` that was not inlined, the copying that a
/// `Vec` has done. They belong to who called them. A function of both sides is shared out by what the calls took.
fn for_workload(profile: &Profile) -> BTreeMap<&str, f64> {
    let functions = profile.places.keys().map(|place| place.function.as_str());
    let mut parts: BTreeMap<&str, f64> =
        functions.map(|function| (function, if function.contains(WORKLOADS) { 1.0 } else { 0.0 })).collect();
    for _ in 0..DEPTH {
        for (function, callers) in &profile.callers {
            // The two sides are known by name, whoever calls them.
            if function.contains(HARNESS) {
                continue;
            }
            let part = |caller: &str| parts.get(caller).copied().unwrap_or(0.0);
            let called: f64 = callers.iter().map(|(caller, took)| part(caller) * *took as f64).sum();
            let all: u64 = callers.values().sum();
            if let Some(part) = parts.get_mut(function.as_str()) {
                *part = called / all.max(1) as f64;
            }
        }
    }
    parts
}

/// The head of the table.
pub(crate) const HEADING: &str = "| workload | instructions of a turn | malloc and free | Rust's way there | the workload | together | the rest |\n\
                                  |---|--:|--:|--:|--:|--:|--:|";

/// A row of the table.
pub(crate) fn row(workload: &str, shares: &Shares) -> String {
    let percent = |count| format!("{:.2} %", shares.percent(count));
    format!(
        "| `{workload}` | {} | {} | {} | {} | {:.2} % | {} |",
        shares.all(),
        percent(shares.allocator),
        percent(shares.way),
        percent(shares.workload),
        shares.subject(),
        percent(shares.others.values().sum()),
    )
}

/// What the rest is, over all rows.
pub(crate) fn legend(all: &Shares) -> String {
    let mut others: Vec<_> = all.others.iter().collect();
    others.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let (shown, hidden) = others.split_at(others.len().min(SHOWN));
    let mut text = String::from("\nThe rest, in instructions of a turn, over all rows:");
    for (function, count) in shown {
        let _ = write!(text, "\n- {count}: `{function}`");
    }
    if !hidden.is_empty() {
        let _ = write!(text, "\n- {}: {} others", hidden.iter().map(|(_, count)| **count).sum::<u64>(), hidden.len());
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::profile::Place;

    #[test]
    fn functions_are_told_apart_by_name() {
        let mut shares = Shares::default();
        shares.count_elsewhere("__rustc[0123]::__rust_alloc", 5, 1.0);
        shares.count_elsewhere("__rdl_dealloc", 5, 0.0);
        shares.count_elsewhere("memcpy", 8, 0.75);
        shares.count_elsewhere("heapmark_worker::runtime::Session::measure", 3, 0.0);
        assert_eq!((shares.way, shares.workload), (10, 6));
        let others = [("heapmark_worker::runtime::Session::measure".to_owned(), 3), ("memcpy".to_owned(), 2)];
        assert_eq!(shares.others, BTreeMap::from(others));
    }

    #[test]
    fn what_a_workload_calls_is_its_own() {
        let turn = "<heapmark_workloads::classic::sh6::Sweeper as heapmark_worker::workload::Lane>::turn";
        let (harness, fold, copy) = ("heapmark_worker::lanes::Team::turn", "<Map as Iterator>::fold", "memcpy");
        let mut profile = Profile::default();
        for function in [turn, harness, fold, copy] {
            let place = Place { file: "/worker".into(), function: function.into(), address: 0 };
            profile.places.insert(place, 10);
        }
        for (callee, caller, took) in
            [(turn, harness, 500), (fold, turn, 100), (copy, fold, 30), (copy, turn, 30), (copy, harness, 20)]
        {
            profile.callers.entry(callee.into()).or_default().insert(caller.into(), took);
        }
        let parts = for_workload(&profile);
        assert_eq!(parts, BTreeMap::from([(turn, 1.0), (harness, 0.0), (fold, 1.0), (copy, 0.75)]));
    }

    #[test]
    fn the_difference_of_two_runs_is_shared_out() {
        let shares = |scale: u64| Shares {
            allocator: 100 + 60 * scale,
            way: 10 * scale,
            workload: 7 + 28 * scale,
            others: BTreeMap::from([("start".into(), 1000), ("clock".into(), 3 + 2 * scale)]),
        };
        let turn = shares(12).less(&shares(2)).per(10);
        let rest = BTreeMap::from([("clock".to_owned(), 2)]);
        assert_eq!(turn, Shares { allocator: 60, way: 10, workload: 28, others: rest });
        assert!((turn.subject() - 98.0).abs() < 1e-9);
        assert_eq!(row("a/b", &turn), "| `a/b` | 100 | 60.00 % | 10.00 % | 28.00 % | 98.00 % | 2.00 % |");
        assert!(legend(&turn).contains("- 2: `clock`"));
    }

    #[test]
    fn only_a_known_c_library_has_malloc() {
        let place = Place { file: "/worker".into(), function: "main".into(), address: 1 };
        let profile = Profile { places: BTreeMap::from([(place, 1)]), ..Profile::default() };
        assert!(Shares::of(&profile).unwrap_err().contains("C library"));
    }
}
