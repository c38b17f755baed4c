//! How much is alive at once.

use heapmark_worker::{Parameter, Setup};

use super::Sizes;

/// The parameter `live_kib`: what all threads keep alive together, in place of a number of blocks for each.
pub(crate) const fn live_kib() -> Parameter {
    Parameter::number(
        "live_kib",
        0,
        0,
        1 << 30,
        "KiB that the blocks of all threads add up to; with 0 their number is given instead",
    )
}

/// How many blocks a lane keeps: as many as the parameter `count` says, or as `live_kib` makes at the mean size. At
/// least one.
pub(crate) fn blocks_alive(setup: &Setup<'_>, count: &str, sizes: &Sizes, lanes: usize) -> usize {
    let bytes = setup.size("live_kib") << 10;
    if bytes == 0 {
        return setup.size(count);
    }
    (bytes / lanes / sizes.mean().max(1)).max(1)
}
