//! A harness that runs for a very long time: compares the workers that it is given, with limits that are never reached.

use std::time::Duration;

use heapmark::{Case, Comparison, Limits, Settings, Stop, Worker};

fn main() -> Result<(), heapmark::Error> {
    let never = Duration::from_hours(1);
    let limits = Limits { start: never, prepare: never, turn: never, finish: never };
    let settings = Settings { allow_debug: true, stop: Stop::Blocks(1_000_000), limits, ..Settings::smoke() };
    let workers = std::env::args().skip(1).enumerate().map(|(index, path)| Worker::at(index.to_string(), path));
    Comparison::of(workers).settings(settings).run(&[Case::new("test/boxes")])?;
    Ok(())
}
