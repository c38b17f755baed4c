//! Interrupts: the first ends what is under way in good order.

use std::time::{Duration, Instant};

use heapmark::{Cancel, Error};

/// The first interrupt is a wish to end; whoever asks again a second later is impatient, and gets an end at once.
pub(crate) fn cancel_on_interrupt() -> Result<Cancel, Error> {
    let cancel = Cancel::default();
    let wish = cancel.clone();
    let mut wished: Option<Instant> = None;
    ctrlc::set_handler(move || {
        // One wish can arrive as several signals, to the process and to its group.
        if wished.is_some_and(|when| when.elapsed() > Duration::from_secs(1)) {
            std::process::exit(130);
        }
        wished = wished.or_else(|| Some(Instant::now()));
        wish.cancel();
    })
    .map_err(|error| Error::Usage(format!("cannot listen for interrupts: {error}")))?;
    Ok(cancel)
}
