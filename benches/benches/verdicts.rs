//! Which allocator is faster and which is leaner, from what the other benches have measured.

fn main() -> std::process::ExitCode {
    heapmark_benches::verdicts()
}
