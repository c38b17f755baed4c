//! Answers another question than the one that was asked.
use heapmark_tests::{greet, hear, offer, say};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(heapmark_protocol::VERSION);
    while let Some(verb) = hear() {
        match verb.as_str() {
            "catalogue" => offer(),
            "prepare" => {
                say("phase name=worked\n");
            }
            _ => return,
        }
    }
}
