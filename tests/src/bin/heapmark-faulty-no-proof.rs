//! Cannot prove that its allocator serves.
use heapmark_tests::IDENTITY;
use heapmark_worker::{Identity, Proof};

heapmark_tests::worker!(identity: Identity {
    proof: |_, out| {
        // The level is what counts.
        let _ = out.write_str("another allocator answers");
        Proof::None
    },
    ..IDENTITY
});
