//! Every fault is found by the check that is there for it, and called by its name; and without a fault nothing is found.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use heapmark::verify::{Examined, Finding, State, Verification};
use heapmark::{Contender, ContenderName, Worker};
use heapmark_broken::{FAULTS, Fault, NONE};

/// How long a check may take that ends. On however busy a machine it takes a fraction of it.
const PATIENCE: Duration = Duration::from_mins(3);

/// How long a check is waited for that must not end. What others find in this time shows that none needs as long.
const HANGING: Duration = Duration::from_secs(25);

/// Makes some checks of the allocator with this fault.
fn examine(fault: &str, checks: impl Fn(&str) -> bool + 'static, deadline: Duration) -> Examined {
    let name = ContenderName::parse(&format!("broken@fault:{fault}")).expect("it is a name");
    let worker = Worker::at("broken", env!("CARGO_BIN_EXE_heapmark-worker-broken"));
    let contender = Contender::resolve(&name, &[worker]).expect("it is that worker");
    let verification = Verification::new([contender]).checks(checks).deadline(deadline).allow_debug();
    let soundness = verification.run(&mut |_| {}).expect("there is something to check");
    soundness.contenders.into_iter().next().expect("there is one contender")
}

/// What is wrong with how a fault is found, if anything is.
fn complaint(fault: &'static Fault) -> Option<String> {
    let deadline = if fault.finding == Finding::Hangs { HANGING } else { PATIENCE };
    let examined = examine(fault.name, |check| check == fault.check, deadline);
    let Some(result) = examined.result(fault.check) else {
        return Some(format!("{}: {}", fault.name, examined.status));
    };
    let is_found = (result.state, result.finding) == (State::Fail, Some(fault.finding));
    (!is_found)
        .then(|| format!("{}: {} is to find that it {}, but: {result}", fault.name, fault.check, fault.finding.word()))
}

#[test]
fn every_fault_is_found_and_named() {
    let (hanging, busy): (Vec<&Fault>, Vec<&Fault>) = FAULTS.iter().partition(|fault| fault.finding == Finding::Hangs);
    let queue = Mutex::new(busy.into_iter());
    let next = || queue.lock().expect("nobody panics with it").next();
    let complaints = Mutex::new(Vec::new());
    let look_at = |fault| {
        let complaint = complaint(fault);
        complaints.lock().expect("nobody panics with it").extend(complaint);
    };
    thread::scope(|scope| {
        // Who hangs is waited for; the others need a processor each.
        for fault in hanging {
            scope.spawn(|| look_at(fault));
        }
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while let Some(fault) = next() {
                    look_at(fault);
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("nobody panics with it");
    assert!(complaints.is_empty(), "{} of {} faults:\n{}", complaints.len(), FAULTS.len(), complaints.join("\n"));
}

#[test]
fn without_a_fault_nothing_is_found() {
    let examined = examine(NONE, |_| true, PATIENCE);
    assert!(examined.status.is_ok(), "{}", examined.status);
    assert!(!examined.results.is_empty());
    for result in &examined.results {
        assert_eq!(result.state, State::Pass, "{result}");
    }
    // Each of its checks is there for a fault, and each fault has its check.
    for fault in FAULTS {
        assert!(examined.result(fault.check).is_some(), "{} is for {}", fault.check, fault.name);
    }
    for result in &examined.results {
        assert!(FAULTS.iter().any(|fault| fault.check == result.check), "no fault is for {}", result.check);
    }
}

#[test]
fn a_fault_that_is_unknown_does_not_take() {
    let examined = examine("no-such-fault", |_| true, PATIENCE);
    assert_eq!(examined.status.label(), "knob did not take", "{}", examined.status);
}
