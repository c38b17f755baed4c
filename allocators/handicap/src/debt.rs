//! How much work is still to be done a second time.

use crate::percent::Percent;

/// Units owed, spread over the turns as evenly as whole units allow.
///
/// They are paid in multiples of the lanes, so that every lane does the same of them. Where a turn has few units, not every
/// turn has any to pay: the loss lies in some turns only, and a comparison by the typical turn would miss it. heapmark then
/// compares the sums, and calls the pair uneven.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Debt {
    rate: Percent,
    lanes: u64,
    /// In thousandths of a unit; less than [`Debt::step`] between turns.
    owed: u128,
}

impl Debt {
    /// Nothing is done yet. Half a payment is owed from the start, so that what is paid is what is due, rounded.
    pub(crate) fn new(rate: Percent, lanes: usize) -> Self {
        let mut debt = Self { rate, lanes: lanes as u64, owed: 0 };
        debt.owed = debt.step() / 2;
        debt
    }

    /// The least payment, in thousandths of a unit.
    fn step(&self) -> u128 {
        u128::from(self.lanes) * u128::from(Percent::WHOLE)
    }

    /// So many units were done, over all lanes: how many to do again.
    pub(crate) fn after(&mut self, units: u64) -> u64 {
        self.owed += u128::from(units) * u128::from(self.rate.tenths());
        let payments = self.owed / self.step();
        self.owed %= self.step();
        u64::try_from(payments).unwrap_or(u64::MAX).saturating_mul(self.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debt(rate: &str, lanes: usize) -> Debt {
        Debt::new(Percent::parse(rate).unwrap(), lanes)
    }

    #[test]
    fn what_is_paid_is_what_is_due_to_within_half_a_payment() {
        for (rate, tenths) in [("0.1", 1), ("2.5", 25), ("5", 50), ("100", 1000)] {
            for lanes in [1, 2, 3, 8] {
                for units in [1, 2, 7, 20, 1000] {
                    let mut debt = debt(rate, lanes);
                    let (mut done, mut paid) = (0, 0);
                    for turn in 0..500 {
                        done += units;
                        let extra = debt.after(units);
                        assert_eq!(extra % lanes as u64, 0);
                        paid += extra;
                        let off = (paid * 1000).abs_diff(done * tenths);
                        assert!(off <= 500 * lanes as u64, "{rate} % of {units} on {lanes}: {paid} after {turn}");
                    }
                }
            }
        }
    }

    #[test]
    fn it_is_spread_over_the_turns() {
        let mut five = debt("5", 1);
        assert_eq!((0..4).map(|_| five.after(10)).collect::<Vec<_>>(), [1, 0, 1, 0]);
        let mut five = debt("5", 2);
        assert!((0..100).all(|_| five.after(1000) == 50), "every turn has its part where there are units enough");
    }

    #[test]
    fn without_a_rate_nothing_is_ever_owed() {
        let mut none = debt("0", 2);
        assert!((0..1000).all(|_| none.after(u64::MAX) == 0));
        let mut all = debt("100", 1);
        assert_eq!(all.after(u64::MAX), u64::MAX, "the greatest turn is no overflow");
    }
}
