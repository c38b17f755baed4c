//! Says that its turns took less than no time.
use heapmark_protocol::{LineWriter, VERSION};
use heapmark_tests::{Answers, greet, hear, offer, say};

heapmark_tests::hold_lifeline!();

fn main() {
    greet(VERSION);
    while let Some(verb) = hear() {
        match verb.as_str() {
            "catalogue" => offer(),
            "prepare" => drop(say(Answers::PLAIN.prepared.write(&mut LineWriter::new()).finish())),
            "turn" => drop(say("turned count=1 checksum=0 wall_ns=-5 user_ns=1 system_ns=1 idle_cpu_ns=0\n")),
            _ => return,
        }
    }
}
