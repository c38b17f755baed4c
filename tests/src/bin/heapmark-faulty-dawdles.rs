//! Lists workloads without end, so slowly that every line comes in time.
use std::time::Duration;

use heapmark_tests::{greet, hear, say};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(heapmark_protocol::VERSION);
    while hear().is_some() {
        let mut number = 0_u64;
        while say(format!("workload name=test/{number} summary= unit=block details=\n")) {
            number += 1;
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}
