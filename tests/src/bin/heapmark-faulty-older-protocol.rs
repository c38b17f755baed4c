//! Speaks a version of the protocol that is no longer understood.
use heapmark_tests::{greet, wait_for_the_end};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(heapmark_protocol::VERSION - 1);
    wait_for_the_end();
}
