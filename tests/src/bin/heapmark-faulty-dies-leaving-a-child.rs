//! Starts a child that holds the channel open, and aborts.
use heapmark_tests::{Boxes, CATALOGUE, abort, leave_a_child};
use heapmark_worker::Catalogue;

const BOXES: Boxes = Boxes {
    in_turn: |_| {
        leave_a_child();
        abort();
    },
    ..Boxes::SOUND
};

heapmark_tests::worker!(catalogue: Catalogue { workloads: &[&BOXES], ..CATALOGUE });
