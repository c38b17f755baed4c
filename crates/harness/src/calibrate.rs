//! How much work a turn is: found on the reference, then the same for every contender.

use std::time::Instant;

use heapmark_protocol::Numbers;

use crate::process::Limits;
use crate::sample::{Entrant, Running, Work};
use crate::{Arrangement, Bytes, Case, Nanos, Settings, Status};

/// What calibration found.
#[derive(Clone, Debug)]
pub(crate) struct Calibration {
    pub(crate) turn_units: u64,
    /// What a turn of that many units took.
    pub(crate) turn: Nanos,
    /// What starting and preparing took.
    pub(crate) overhead: Nanos,
    pub(crate) lanes: u64,
    pub(crate) parameters: std::collections::BTreeMap<String, String>,
    /// Peak memory of the worker while calibrating.
    pub(crate) peak: Option<Bytes>,
}

/// What a worker may ask a turn to have at least; more can only be a mistake, and a turn of so many units never ends.
const MOST_ASKED_FOR: u64 = 1 << 40;

/// Turns at the final size whose median decides.
const CHECKS: usize = 3;

/// Steps of proportion: the first starts from a size that may have been far away, so at least so many; on a machine that is busy
/// with something else one turn can say nearly anything, so at most so many.
const LEAST_STEPS: usize = 2;
const MOST_STEPS: usize = 6;

/// Finds the units with which a turn takes about [`Settings::turn`] on this entrant; at least a unit for each thread, and as many as
/// the workload asks for.
///
/// Fails with the status of the worker if it cannot do the work.
pub(crate) fn calibrate(entrant: &Entrant, case: &Case, settings: &Settings) -> Result<Calibration, Status> {
    let work = Work { case, settings, turn_units: 1, turns: 0, turns_alone: 0, settle: Numbers::default() };
    let begun = Instant::now();
    let mut running = Running::start(entrant, work, 0, Arrangement::Alone, settings.seed, 0);
    if !running.is_alive() {
        return Err(running.into_sample().status);
    }
    let overhead = begun.elapsed().into();
    let lanes = running.lanes.max(1);
    let least = least_units(running.least_units, lanes);
    let target = settings.turn.0.max(1);
    let mut units = least;
    let mut wall = time_of(&mut running, units)?;
    // Up to half of the target by doubling, since the first turns are slow; then one step of proportion.
    while wall < target / 2 && units < u64::MAX / 4 {
        units *= 2;
        wall = time_of(&mut running, units)?;
    }
    for step in 0..MOST_STEPS {
        if step >= LEAST_STEPS && is_near(wall, target, units == least) {
            break;
        }
        units = scaled(units, wall, target, lanes).max(least);
        wall = median_time(&mut running, units)?;
    }
    running.finish();
    let (parameters, peak) = (running.parameters.clone(), running.sample().peak_rss);
    let status = running.into_sample().status;
    if status.is_ok() {
        Ok(Calibration { turn_units: units, turn: Nanos(wall), overhead, lanes, parameters, peak })
    } else {
        Err(status)
    }
}

/// Whether a turn takes as long as it should to within half of it; or longer, where it cannot have fewer units.
fn is_near(wall: u64, target: u64, at_least: bool) -> bool {
    let long_enough = u128::from(wall) * 3 >= u128::from(target) * 2;
    let short_enough = at_least || u128::from(wall) * 2 <= u128::from(target) * 3;
    long_enough && short_enough
}

/// The units that a turn has at least, as a multiple of the lanes; a worker may ask for any number.
fn least_units(asked_for: u64, lanes: u64) -> u64 {
    asked_for.min(MOST_ASKED_FOR).div_ceil(lanes).max(1).saturating_mul(lanes)
}

/// The units that would take `target`, as a multiple of the lanes, so that all do the same.
fn scaled(units: u64, wall: u64, target: u64, lanes: u64) -> u64 {
    let exact = u128::from(units) * u128::from(target) / u128::from(wall.max(1));
    // A worker may claim any number of lanes, and any time.
    let most = (u64::MAX / 8 / lanes).max(1);
    let per_lane = (exact / u128::from(lanes)).clamp(1, u128::from(most));
    u64::try_from(per_lane).map_or(lanes, |per_lane| per_lane.saturating_mul(lanes))
}

fn time_of(running: &mut Running<'_>, units: u64) -> Result<u64, Status> {
    match running.one_turn(units) {
        Some(turned) => Ok(turned.wall_ns),
        None => Err(running.sample().status.clone()),
    }
}

fn median_time(running: &mut Running<'_>, units: u64) -> Result<u64, Status> {
    let mut times = [0; CHECKS];
    for time in &mut times {
        *time = time_of(running, units)?;
    }
    times.sort_unstable();
    Ok(times[CHECKS / 2])
}

/// The limits with a turn limit that leaves a much slower allocator time, but not for ever: a hundred times what the
/// reference takes, and never less than the limit given.
pub(crate) fn limits_for(limits: Limits, turn: Nanos) -> Limits {
    Limits { turn: limits.turn.max(turn.duration().saturating_mul(100)), ..limits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_has_what_the_workload_asks_for_in_equal_shares() {
        assert_eq!(least_units(0, 2), 2);
        assert_eq!(least_units(1, 1), 1);
        assert_eq!(least_units(3900, 1), 3900);
        assert_eq!(least_units(7, 3), 9);
        assert_eq!(least_units(u64::MAX, 1), MOST_ASKED_FOR, "a worker that asks for anything is no panic");
        assert_eq!(least_units(u64::MAX, u64::MAX), u64::MAX);
    }

    #[test]
    fn steps_end_where_a_turn_takes_about_what_it_should() {
        for (wall, at_least, near) in [
            (10, false, true),
            (7, false, true),
            (15, false, true),
            (6, false, false),
            (16, false, false),
            (16, true, true),
            (6, true, false),
            (u64::MAX, false, false),
            (0, false, false),
        ] {
            assert_eq!(is_near(wall, 10, at_least), near, "{wall} of 10, {at_least}");
        }
    }

    #[test]
    fn work_is_scaled_to_the_target_in_equal_shares() {
        assert_eq!(scaled(100, 1_000, 10_000, 2), 1000);
        assert_eq!(scaled(100, 1_000, 10_050, 2), 1004);
        assert_eq!(scaled(1, 1_000_000, 10, 8), 8, "never less than a unit for each thread");
        assert_eq!(scaled(5, 0, 10, 1), 50, "a clock that did not move is no division by zero");
        assert!(scaled(u64::MAX / 4, 1, u64::MAX, 4) <= u64::MAX / 8);
        assert_eq!(scaled(u64::MAX, u64::MAX, 10, u64::MAX), u64::MAX, "a worker that claims anything is no panic");
    }
}
