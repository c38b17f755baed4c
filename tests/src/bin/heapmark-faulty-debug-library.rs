//! Says that its native library was built with assertions.
use heapmark_tests::IDENTITY;
use heapmark_worker::Identity;

heapmark_tests::worker!(identity: Identity { debug_build: || true, native_flags: "-O0", ..IDENTITY });
