//! Prints without end from a thread of its own, and never answers a turn.
use std::io::Write;

use heapmark_tests::{Boxes, CATALOGUE, deadlock};
use heapmark_worker::Catalogue;

const BOXES: Boxes = Boxes {
    in_preparation: || {
        std::thread::spawn(|| while std::io::stderr().write_all(&[b'x'; 1024]).is_ok() {});
        Ok(())
    },
    in_turn: |_| deadlock(),
    ..Boxes::SOUND
};

heapmark_tests::worker!(catalogue: Catalogue { workloads: &[&BOXES], ..CATALOGUE });
