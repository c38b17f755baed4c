//! Speaks a version of the protocol that is not known yet, with a greeting that only it understands.
use heapmark_tests::{say, wait_for_the_end};

heapmark_tests::hold_lifeline!();

fn main() {
    say(format!("hello protocol={} mood=good\nready\n", heapmark_protocol::VERSION + 1));
    wait_for_the_end();
}
