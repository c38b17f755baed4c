//! In which order contenders run: random, and balanced so that each follows itself and every other equally often.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// A random order of `count` contenders.
pub(crate) fn shuffled(count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut order);
    order
}

/// How the orders of a sample's turns follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TurnOrder {
    /// Each random order is followed by its reverse, so that whoever came last comes first next, and following oneself is
    /// equally frequent for all.
    #[default]
    Mirrored,
    /// Each order is random, whatever came before.
    Random,
    /// Always the same: whoever comes first always follows the same other. Only there to show what that does.
    Fixed,
}

/// Orders for `turns` turns of `count` contenders.
pub(crate) fn turn_orders(count: usize, turns: usize, kind: TurnOrder, rng: &mut Rng) -> Vec<Vec<usize>> {
    let mut orders = Vec::with_capacity(turns + 1);
    let fixed = shuffled(count, rng);
    while orders.len() < turns {
        match kind {
            TurnOrder::Mirrored => {
                let order = shuffled(count, rng);
                let reversed = order.iter().rev().copied().collect();
                orders.push(order);
                orders.push(reversed);
            }
            TurnOrder::Random => orders.push(shuffled(count, rng)),
            TurnOrder::Fixed => orders.push(fixed.clone()),
        }
    }
    orders.truncate(turns);
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_turn_has_everyone_once_and_each_order_is_followed_by_its_reverse() {
        let mut rng = Rng::with_seed(7);
        for count in 1..7 {
            for turns in [0, 1, 2, 5, 40] {
                let orders = turn_orders(count, turns, TurnOrder::Mirrored, &mut rng);
                assert_eq!(orders.len(), turns);
                for order in &orders {
                    let mut sorted = order.clone();
                    sorted.sort_unstable();
                    assert_eq!(sorted, (0..count).collect::<Vec<_>>());
                }
                for pair in orders.chunks_exact(2) {
                    assert!(pair[0].iter().eq(pair[1].iter().rev()));
                }
            }
        }
    }

    #[test]
    fn nobody_is_favoured() {
        let mut rng = Rng::with_seed(1);
        let orders = turn_orders(4, 4000, TurnOrder::Mirrored, &mut rng);
        for contender in 0..4 {
            let first = orders.iter().filter(|order| order[0] == contender).count();
            assert!((900..1100).contains(&first), "contender {contender} was first {first} times of 4000");
        }
    }
}
