//! Lists workloads without end.
use heapmark_tests::{greet, hear, say};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(heapmark_protocol::VERSION);
    while hear().is_some() {
        while say("workload name=test/again summary= unit=block details=\n") {}
    }
}
