//! Prints megabytes to both of its streams, and is sound but for that.
use std::io::Write;

use heapmark_tests::{Boxes, CATALOGUE};
use heapmark_worker::Catalogue;

/// Prints far more than a pipe holds, alternating between the streams.
fn print() {
    let line = [b'x'; 1024];
    for _ in 0..1024 {
        // Nothing is lost where nobody listens.
        let _ = std::io::stdout().write_all(&line);
        let _ = std::io::stderr().write_all(&line);
    }
}

const BOXES: Boxes = Boxes {
    in_preparation: || {
        print();
        Ok(())
    },
    in_turn: |_| print(),
    ..Boxes::SOUND
};

heapmark_tests::worker!(catalogue: Catalogue { workloads: &[&BOXES], ..CATALOGUE });
