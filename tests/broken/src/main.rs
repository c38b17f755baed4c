//! The worker whose allocator has the fault that its knob names.
use heapmark_broken::{Broken, IDENTITY, choose};

heapmark_worker::worker!(Broken = Broken, IDENTITY, heapmark_workloads::CATALOGUE);

/// Runs before `main`, where nothing has been allocated yet that the fault would find.
#[expect(unsafe_code, reason = "the section holds pointers to functions without arguments, which this is")]
#[used]
#[unsafe(link_section = ".init_array")]
static CHOOSE: extern "C" fn() = choose;
