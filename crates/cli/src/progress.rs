//! Progress on standard error, redrawn only between samples, so that it takes nothing from what is measured.

use heapmark::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows how far a run is. Where standard error is no terminal, one line for each workload instead of a bar.
pub(crate) struct Progress {
    bar: ProgressBar,
    lines: bool,
}

impl Progress {
    /// For a run of so many samples.
    pub(crate) fn new(samples: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(samples), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {eta} left  {msg}") {
            bar.set_style(style);
        }
        let lines = bar.is_hidden();
        Self { bar, lines }
    }

    /// Shows an event.
    pub(crate) fn event(&self, event: &Event<'_>) {
        match event {
            Event::Greeted { contender, status } if !status.is_ok() => {
                self.bar.suspend(|| eprintln!("{contender}: {status}"));
            }
            Event::Calibrated(row) => {
                self.bar.set_message(row.case.to_string());
                if self.lines {
                    eprintln!("{}: turns of {} units, {}", row.case, row.turn_units, row.turn);
                }
            }
            Event::Sampled(sample) => {
                if !sample.status.is_ok() {
                    self.bar.suspend(|| eprintln!("{} in {}: {}", sample.contender, sample.case, sample.status));
                }
                self.bar.inc(1);
            }
            _ => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
