//! Its last lane panics while the others are done, or at work.
use heapmark_tests::{Boxes, CATALOGUE};
use heapmark_worker::Catalogue;

const BOXES: Boxes =
    Boxes { in_turn: |turn| assert!(turn.lane + 1 < turn.lanes, "lane {} gives up", turn.lane), ..Boxes::SOUND };

heapmark_tests::worker!(catalogue: Catalogue { workloads: &[&BOXES], ..CATALOGUE });
