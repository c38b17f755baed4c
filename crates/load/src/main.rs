//! `heapmark-load control`: the load generator as a worker's child. For people there is `heapmark load`.

use std::process::ExitCode;

use heapmark_load::control;

/// As in `heapmark`: the request makes no sense.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments != ["control"] {
        eprintln!(
            "usage: heapmark-load control\n\nIt is told what to do on standard input; for people there is `heapmark load`."
        );
        return ExitCode::from(USAGE);
    }
    control::die_with_parent();
    match control::serve(std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("heapmark-load: {error}");
            ExitCode::FAILURE
        }
    }
}
