//! What this worker says of itself: what the system's says, with one knob and without known limits.

use heapmark_worker::Identity;

use crate::choice::{KNOB, chosen};
use crate::parts::trim;

/// Says of itself what `system` does, but for the name, the knob, and the purge call that a fault may have broken.
pub const IDENTITY: Identity = Identity {
    name: "broken",
    knobs: &[KNOB],
    purge: Some(|| chosen().map_or(trim as fn(), |fault| fault.purge)()),
    limits: &[],
    ..heapmark_system::IDENTITY
};
