//! Compares the two workers of this package and reads the results.
use heapmark::{Case, Comparison, Error, Workspace};

fn main() -> Result<(), Error> {
    let workers = Workspace::at(env!("CARGO_MANIFEST_DIR")).build_package(env!("CARGO_PKG_NAME"))?;
    let case = Case::new("own/words").with("words", 500).with("threads", 1);
    let outcome = Comparison::of(workers).reference("words-system").blocks(6).run(&[case])?;
    for contender in &outcome.cases[0].contenders {
        let (Some(speed), Some(peak)) = (contender.throughput, contender.peak_rss) else {
            println!("{}: {}", contender.name, contender.status);
            continue;
        };
        println!("{}: {speed}, peak RSS {peak}", contender.name);
        if let (Some(wall), Some(memory)) = (contender.wall, contender.memory) {
            let (time, space) = (wall.estimate.ratio, memory.estimate.ratio);
            println!("  time × {time:.2} ({}), memory × {space:.2} ({})", wall.verdict, memory.verdict);
        }
    }
    Ok(())
}
