//! What goes wrong with a request, by its number.

use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::knobs::Faults;

/// From one stall to the next.
const PERIOD: Duration = Duration::from_secs(1);

static FAULTS: LazyLock<Faults> = LazyLock::new(Faults::from_environment);

/// When the next stall begins. Whoever stalls holds it, and everybody has to pass here.
static NEXT_STALL: Mutex<Option<Instant>> = Mutex::new(None);

/// What a request does before it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Crash,
    Hang,
}

/// What the faults mean for request number `number`, from 0.
fn fault(faults: Faults, number: u64) -> Fault {
    let is_after = |requests: u64| requests > 0 && number >= requests;
    if is_after(faults.crash_after) {
        Fault::Crash
    } else if is_after(faults.hang_after) {
        Fault::Hang
    } else {
        Fault::None
    }
}

/// Does to request number `number` what the knobs say.
pub(crate) fn disturb(number: u64) {
    match fault(*FAULTS, number) {
        Fault::None => {}
        Fault::Crash => std::process::abort(),
        Fault::Hang => loop {
            std::thread::park();
        },
    }
    if FAULTS.leak > 0 {
        leak(FAULTS.leak);
    }
    if FAULTS.stall_ms > 0 {
        stall(Duration::from_millis(FAULTS.stall_ms));
    }
}

/// Allocates so many bytes, writes them, and forgets them.
fn leak(bytes: u64) {
    // More than the address space holds is a comparison that cannot be made.
    let bytes = usize::try_from(bytes).expect("a leak fits the address space");
    std::mem::forget(std::hint::black_box(vec![1_u8; bytes]));
}

/// Lets nobody through for so long, once in each [`PERIOD`].
fn stall(length: Duration) {
    let mut next = NEXT_STALL.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    if *next.get_or_insert(now + PERIOD) <= now {
        std::thread::sleep(length);
        *next = Some(now + PERIOD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_begin_after_so_many_requests() {
        let crash = Faults { crash_after: 3, ..Faults::default() };
        let hang = Faults { hang_after: 2, ..Faults::default() };
        let of = |faults| (0..5).map(|number| fault(faults, number)).collect::<Vec<_>>();
        assert_eq!(of(Faults::default()), [Fault::None; 5]);
        assert_eq!(of(crash), [Fault::None, Fault::None, Fault::None, Fault::Crash, Fault::Crash]);
        assert_eq!(of(hang), [Fault::None, Fault::None, Fault::Hang, Fault::Hang, Fault::Hang]);
    }
}
