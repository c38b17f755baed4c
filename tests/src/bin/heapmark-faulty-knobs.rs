//! Has knobs of every kind, one of which never takes.
use heapmark_tests::IDENTITY;
use heapmark_worker::{Identity, Knob, ReadBack};

const fn knob(name: &'static str, variable: &'static str, template: &'static str) -> Knob {
    Knob { name, variable, template, joiner: None, read: ReadBack::Environment }
}

const KNOBS: &[Knob] = &[
    Knob { read: ReadBack::Allocator(|out| out.write_str("0")), ..knob("stubborn", "TEST_STUBBORN", "{}") },
    Knob { joiner: Some(":"), ..knob("depth", "TEST_SHAPE", "depth={}") },
    Knob { joiner: Some(":"), ..knob("width", "TEST_SHAPE", "width={}") },
    knob("left", "TEST_SIDE", "left={}"),
    knob("right", "TEST_SIDE", "right={}"),
];

heapmark_tests::worker!(identity: Identity { knobs: KNOBS, ..IDENTITY });
