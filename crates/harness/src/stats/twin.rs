//! The control: the reference against a second copy of itself, in every workload.

use super::estimate::CONFIDENCE;
use super::{MINIMUM_BLOCKS, holm, signed_rank_least, signed_rank_test_beyond};

/// Where the twin must be called different, workload by workload, from the log-ratios of its blocks in each: the
/// difference is beyond the margin, by the signed-rank test, with Holm's correction over the workloads that have enough
/// blocks for a verdict.
///
/// An exact test of few blocks has a least p-value (1 in 512 for ten), and in a large enough family even that is
/// corrected to more than 5 %: a control that cannot fail. So a twin is called different too where all its blocks, and
/// therefore all means of two, lie beyond the margin on one side. In that case alone the chance of any false call can
/// exceed 5 %, and is at most the number of workloads times that least p-value.
pub fn twin_differs<B: AsRef<[f64]>>(workloads: &[B], margin: f64) -> Vec<bool> {
    let tested: Vec<(usize, f64, usize)> = workloads
        .iter()
        .enumerate()
        .filter(|(_, blocks)| blocks.as_ref().len() >= MINIMUM_BLOCKS)
        .filter_map(|(index, blocks)| {
            let blocks = blocks.as_ref();
            Some((index, signed_rank_test_beyond(blocks, margin)?, blocks.len()))
        })
        .collect();
    let p_values: Vec<f64> = tested.iter().map(|&(_, p, _)| p).collect();
    let mut differs = vec![false; workloads.len()];
    for ((index, p, blocks), corrected) in tested.into_iter().zip(holm(&p_values)) {
        let alpha = 1.0 - CONFIDENCE;
        differs[index] = corrected <= alpha || p <= signed_rank_least(blocks);
    }
    differs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten blocks around a difference, none equal to another.
    fn around(difference: f64) -> Vec<f64> {
        (0..10).map(|i| difference + 0.001 * (f64::from(i) - 4.3)).collect()
    }

    #[test]
    fn only_what_lies_beyond_the_margin_is_called() {
        let workloads = [around(0.0), around(0.05), around(-0.05), around(0.008), vec![0.05; 5], vec![]];
        assert_eq!(twin_differs(&workloads, 0.01), [false, true, true, false, false, false]);
    }

    #[test]
    fn what_would_be_called_alone_is_not_among_many() {
        // One block lies on the other side, so p is 2 × 2/1024: enough alone, not as one of thirty.
        let mut nearly = around(0.05);
        nearly[0] = -0.001;
        assert_eq!(twin_differs(std::slice::from_ref(&nearly), 0.0), [true]);
        let mut many = vec![around(0.0); 30];
        many[7] = nearly;
        assert!(twin_differs(&many, 0.0).iter().all(|differs| !differs));
    }

    #[test]
    fn a_blatant_difference_is_called_in_a_family_of_any_size() {
        let mut many = vec![around(0.0); 200];
        many[7] = around(0.05);
        let differs = twin_differs(&many, 0.01);
        assert!(differs[7] && differs.iter().filter(|differs| **differs).count() == 1);
    }

    #[test]
    fn every_input_has_a_defined_answer() {
        assert!(twin_differs::<Vec<f64>>(&[], 0.01).is_empty());
        assert_eq!(twin_differs(&[[f64::NAN; 10], [f64::INFINITY; 10], [0.0; 10]], 0.01), [false; 3]);
        assert_eq!(twin_differs(&[around(0.5)], f64::NAN), [false]);
    }
}
