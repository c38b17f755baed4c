//! Offers a parameter that no value fits.
use heapmark_protocol::VERSION;
use heapmark_tests::{greet, hear, say};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(VERSION);
    while hear().is_some() {
        say("workload name=test/boxes summary= unit=block details=\n");
        say("parameter workload=test/boxes name=lanes summary= kind=number default=1 min=2 max=1 choices=\n");
        say("end\n");
    }
}
