//! Says what is no message.
use heapmark_tests::{say, wait_for_the_end};

heapmark_tests::hold_lifeline!();

fn main() {
    say(b"\x00\xFF who is there?\x1b[31m\n");
    wait_for_the_end();
}
