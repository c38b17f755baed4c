//! What is often done instead.

use heapmark::stats::{median, student_two_sided};

use crate::design::Block;

/// The p-value of Welch's t-test that all turns have the same mean, each taken for an observation.
pub(crate) fn turns_as_observations(blocks: &[Block]) -> f64 {
    let all = |turns: fn(&Block) -> &Vec<f64>| blocks.iter().flat_map(turns).copied().collect::<Vec<_>>();
    welch(&all(|block| &block.contender), &all(|block| &block.reference))
}

/// The p-value of Welch's t-test that the medians of the processes have the same mean.
pub(crate) fn processes_as_observations(blocks: &[Block]) -> f64 {
    let medians =
        |turns: fn(&Block) -> &Vec<f64>| blocks.iter().filter_map(|block| median(turns(block))).collect::<Vec<_>>();
    welch(&medians(|block| &block.contender), &medians(|block| &block.reference))
}

fn welch(a: &[f64], b: &[f64]) -> f64 {
    let moments = |values: &[f64]| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, variance / n, n)
    };
    let ((mean_a, error_a, n_a), (mean_b, error_b, n_b)) = (moments(a), moments(b));
    let error = error_a + error_b;
    let degrees = error * error / (error_a * error_a / (n_a - 1.0) + error_b * error_b / (n_b - 1.0));
    student_two_sided((mean_a - mean_b) / error.sqrt(), degrees)
}
