//! Starts a child that outlives it.
use heapmark_tests::{Boxes, CATALOGUE, leave_a_child};
use heapmark_worker::Catalogue;

const BOXES: Boxes = Boxes {
    in_preparation: || {
        leave_a_child();
        Ok(())
    },
    ..Boxes::SOUND
};

heapmark_tests::worker!(catalogue: Catalogue { workloads: &[&BOXES], ..CATALOGUE });
