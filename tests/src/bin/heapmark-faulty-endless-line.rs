//! Begins a line and never ends it.
use heapmark_tests::say;

heapmark_tests::hold_lifeline!();

fn main() {
    say("hello name=");
    while say([b'x'; 1024]) {}
}
