//! Progress on standard error, redrawn only between samples, so that it takes nothing from what is measured.

use heapmark::verify::State;
use heapmark::{Event, verify};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::print::say;

/// Shows how far a run is. Where standard error is no terminal, one line for each workload instead of a bar.
pub(crate) struct Progress {
    bar: ProgressBar,
    lines: bool,
}

impl Progress {
    /// For a run of so many samples, where that is known.
    pub(crate) fn new(samples: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(samples, ProgressDrawTarget::stderr());
        let template = match samples {
            Some(_) => "{bar:30} {percent:>3} %  {eta} left  {msg}",
            None => "{elapsed}  {pos} samples  {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let lines = bar.is_hidden();
        Self { bar, lines }
    }

    /// For the time in which contenders introduce themselves: only those who cannot are shown.
    pub(crate) fn greetings() -> Self {
        Self { bar: ProgressBar::hidden(), lines: true }
    }

    /// Shows an event.
    pub(crate) fn event(&self, event: &Event<'_>) {
        match event {
            Event::Greeted { contender, status } if !status.is_ok() => say(format_args!("{contender}: {status}")),
            Event::Calibrated(row) if self.lines => {
                say(format_args!("{}: turns of {} units, {}", row.case, row.turn_units, row.turn));
            }
            Event::Block { case, block, blocks } => {
                let of = blocks.map_or_else(String::new, |blocks| format!(" of {blocks}"));
                self.bar.set_message(format!("{case}, block {}{of}", block + 1));
            }
            Event::Sampled(sample) => {
                if !sample.status.is_ok() {
                    self.bar
                        .suspend(|| say(format_args!("{} in {}: {}", sample.contender, sample.case, sample.status)));
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

/// Shows how far a verification is. Where standard error is no terminal, a line for each contender instead of a bar.
pub(crate) struct Verifying {
    bar: ProgressBar,
}

impl Verifying {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{elapsed}  {pos} checks  {msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// Shows an event.
    pub(crate) fn event(&self, event: &verify::Event<'_>) {
        match event {
            verify::Event::Begun { contender, checks } => {
                if self.bar.is_hidden() {
                    say(format_args!("{contender}: {checks} checks"));
                }
                self.bar.set_message((*contender).to_owned());
            }
            verify::Event::Checked { contender, result } => {
                if result.state == State::Fail {
                    self.bar.suspend(|| say(format_args!("{contender}: {result}")));
                }
                self.bar.set_message(format!("{contender}, {} done", result.check));
                self.bar.inc(1);
            }
            verify::Event::Failed { contender, status } => {
                self.bar.suspend(|| say(format_args!("{contender}: {status}")));
            }
        }
    }
}

impl Drop for Verifying {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
