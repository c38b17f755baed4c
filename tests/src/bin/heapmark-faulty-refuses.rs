//! Refuses its workload, with a reason of two lines and a control sequence for terminals.
use heapmark_tests::{Boxes, CATALOGUE};
use heapmark_worker::Catalogue;

const BOXES: Boxes = Boxes { in_preparation: || Err("first\n\x1b[31msecond".into()), ..Boxes::SOUND };

heapmark_tests::worker!(catalogue: Catalogue { workloads: &[&BOXES], ..CATALOGUE });
