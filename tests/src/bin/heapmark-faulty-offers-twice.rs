//! Offers a workload twice.
use heapmark_protocol::VERSION;
use heapmark_tests::{greet, hear, offer, say};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(VERSION);
    while hear().is_some() {
        say("workload name=test/boxes summary= unit=block details=\n");
        offer();
    }
}
