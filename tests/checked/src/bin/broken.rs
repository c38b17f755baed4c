//! The workloads over a checked allocator with the fault that its knob names.
use heapmark_broken::{Broken, IDENTITY, choose};
heapmark_checking::program!(Broken = Broken, IDENTITY);

/// Runs before `main`, where nothing has been allocated yet that the fault would find.
#[expect(unsafe_code, reason = "the section holds pointers to functions without arguments, which this is")]
#[used]
#[unsafe(link_section = ".init_array")]
static CHOOSE: extern "C" fn() = choose;
