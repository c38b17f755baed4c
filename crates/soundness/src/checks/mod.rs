//! The checks, a file for each.

pub(crate) mod align;
pub(crate) mod contention;
pub(crate) mod exhaustion;
pub(crate) mod fork;
pub(crate) mod impossible;
pub(crate) mod overlap;
pub(crate) mod purge;
pub(crate) mod realloc;
pub(crate) mod remote_free;
pub(crate) mod reuse;
pub(crate) mod short_threads;
pub(crate) mod sizes;
pub(crate) mod thread_exit;
pub(crate) mod zeroed;

use fastrand::Rng;

/// A size whose magnitude is as likely as any other between these powers of two: small blocks are many, large ones are there.
fn size_between(rng: &mut Rng, least: u32, most: u32) -> usize {
    let magnitude = rng.u32(least..most);
    rng.usize(1 << magnitude..2 << magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_lie_between_the_powers_and_reach_both_ends() {
        let mut rng = Rng::with_seed(1);
        let sizes: Vec<usize> = (0..10_000).map(|_| size_between(&mut rng, 0, 10)).collect();
        assert!(sizes.iter().all(|size| (1..1024).contains(size)), "{sizes:?}");
        assert!(sizes.contains(&1) && sizes.iter().any(|size| *size > 1000));
    }
}
