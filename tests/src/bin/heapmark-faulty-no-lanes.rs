//! Prepares a workload that nobody is to work on.
use heapmark_protocol::VERSION;
use heapmark_tests::{greet, hear, offer, say};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(VERSION);
    while let Some(verb) = hear() {
        match verb.as_str() {
            "catalogue" => offer(),
            "prepare" => {
                say("prepared prepare_ns=1 lanes=0 peak_reset=0\n");
            }
            _ => return,
        }
    }
}
