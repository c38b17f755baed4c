//! The own workload in criterion: `cargo bench -p own-workload --bench words`, with all of criterion's options.
use criterion::Criterion;
use heapmark::{Case, Comparison, Error, Settings, Workspace};
use heapmark_criterion::{Arguments, PeakRss, bench_case};

fn main() -> Result<(), Error> {
    let mut criterion = Criterion::default().with_measurement(PeakRss).configure_from_args();
    let arguments = Arguments::from_env()?;
    let workers = Workspace::at(env!("CARGO_MANIFEST_DIR")).build_package(env!("CARGO_PKG_NAME"))?;
    let comparison = Comparison::of(workers).reference("words-system");
    let mut session = comparison.settings(arguments.settings::<PeakRss>(&Settings::default())).open(&mut |_| {})?;
    for words in [100, 10_000] {
        let case = Case::new("own/words").with("words", words);
        bench_case(&mut criterion, &mut session, &arguments, &case, &mut |_| {})?;
    }
    criterion.final_summary();
    Ok(())
}
