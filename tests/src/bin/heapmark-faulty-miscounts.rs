//! Counts a unit that it has not done.
use heapmark_tests::{Boxes, CATALOGUE};
use heapmark_worker::Catalogue;

const BOXES: Boxes = Boxes { surplus: 1, ..Boxes::SOUND };

heapmark_tests::worker!(catalogue: Catalogue { workloads: &[&BOXES], ..CATALOGUE });
