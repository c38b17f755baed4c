//! Never says a word.

heapmark_tests::hold_lifeline!();

fn main() {
    heapmark_tests::wait_for_the_end();
}
