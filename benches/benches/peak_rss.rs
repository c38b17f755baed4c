//! Peak resident memory, from workers that run undisturbed.

fn main() -> std::process::ExitCode {
    heapmark_benches::run::<heapmark_criterion::PeakRss>()
}
