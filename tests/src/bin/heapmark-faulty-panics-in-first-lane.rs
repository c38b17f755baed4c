//! Its first lane panics while the others are done, and wait for the next turn.
use heapmark_tests::{Boxes, CATALOGUE};
use heapmark_worker::Catalogue;

const BOXES: Boxes =
    Boxes { in_turn: |turn| assert!(turn.lane > 0, "the first of {} lanes gives up", turn.lanes), ..Boxes::SOUND };

heapmark_tests::worker!(catalogue: Catalogue { workloads: &[&BOXES], ..CATALOGUE });
