//! A sound worker from before there were checks: it does not know the verb.
use heapmark_tests::{greet, hear, offer, say};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(1);
    while let Some(verb) = hear() {
        match verb.as_str() {
            "catalogue" => offer(),
            "quit" => return,
            _ => {
                say("error message=never%20heard%20of%20it\n");
                std::process::exit(1);
            }
        }
    }
}
