//! The Pareto front: what nothing else beats in both time and memory.

use serde::{Deserialize, Serialize};

/// What something costs on two scales that are not to be mixed; less is better on both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Time, in any unit.
    pub time: f64,
    /// Memory, in any unit.
    pub memory: f64,
}

/// The indices of the costs that no other cost beats, being no worse in both and better in one; by ascending time.
/// Equal ones stand or fall together. One that is not finite takes no part.
pub fn pareto_front(costs: &[Cost]) -> Vec<usize> {
    let finite = |cost: &Cost| cost.time.is_finite() && cost.memory.is_finite();
    let mut order: Vec<usize> = (0..costs.len()).filter(|&index| finite(&costs[index])).collect();
    // Adding zero makes one zero of the two, which the total order would tell apart.
    let key = |index: usize| (costs[index].time + 0.0, costs[index].memory + 0.0);
    order.sort_by(|&a, &b| {
        let ((a_time, a_memory), (b_time, b_memory)) = (key(a), key(b));
        a_time.total_cmp(&b_time).then(a_memory.total_cmp(&b_memory)).then(a.cmp(&b))
    });
    let mut front: Vec<usize> = Vec::new();
    for index in order {
        // All that take less time came before, and the last of the front has the least memory of them.
        let beaten = front.last().is_some_and(|&last| costs[last].memory <= costs[index].memory);
        let equal = front.last().is_some_and(|&last| costs[last] == costs[index]);
        if !beaten || equal {
            front.push(index);
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front(costs: &[(f64, f64)]) -> Vec<usize> {
        pareto_front(&costs.iter().map(|&(time, memory)| Cost { time, memory }).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_beaten_in_both_is_not_on_the_front() {
        assert_eq!(front(&[(1.0, 9.0), (2.0, 4.0), (3.0, 4.5), (4.0, 1.0), (1.5, 9.5)]), [0, 1, 3]);
        assert_eq!(front(&[(4.0, 1.0), (1.0, 9.0)]), [1, 0]);
    }

    #[test]
    fn a_tie_in_one_is_beaten_by_the_better_in_the_other() {
        assert_eq!(front(&[(1.0, 5.0), (1.0, 4.0), (2.0, 4.0)]), [1]);
    }

    #[test]
    fn equals_stand_together() {
        assert_eq!(front(&[(1.0, 2.0), (2.0, 1.0), (1.0, 2.0)]), [0, 2, 1]);
        assert_eq!(front(&[(0.0, 1.0), (-0.0, 1.0)]), [0, 1]);
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        assert!(front(&[]).is_empty());
        assert_eq!(front(&[(3.0, 3.0)]), [0]);
        assert_eq!(front(&[(f64::NAN, 0.0), (0.0, f64::INFINITY), (f64::NEG_INFINITY, 0.0), (5.0, 5.0)]), [3]);
    }
}
