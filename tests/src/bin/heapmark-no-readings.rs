//! A sound worker on a system that tells nothing of memory.
use heapmark_tests::Answers;

heapmark_tests::hold_lifeline!();

fn main() {
    Answers::PLAIN.give();
}
