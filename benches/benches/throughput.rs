//! Time per unit of work, from workers that take turns.

fn main() -> std::process::ExitCode {
    heapmark_benches::run::<heapmark_criterion::TimePerUnit>()
}
