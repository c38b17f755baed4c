//! Who this backend is: the system allocator, with knobs of its own.

use heapmark_worker::Identity;

use crate::knobs::KNOBS;

/// What this backend says of itself. Its allocator is that of `system`, and so is the proof that it serves.
pub const IDENTITY: Identity = Identity { name: "handicap", knobs: &KNOBS, ..heapmark_system::IDENTITY };
