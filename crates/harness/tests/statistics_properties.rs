//! What must hold of the statistics for any input, the absurd included.

use heapmark::Nanos;
use heapmark::stats::{
    BlockRatio, Cost, Direction, Estimate, Growth, MINIMUM_BLOCKS, PairEstimate, Progress, Slope, Stop, Trend, Verdict,
    blocks_needed, enough, estimate, geometric_mean, holm, judge, median, minimum_detectable, pareto_front,
    shared_geometric_means, sign_flip_test, signed_rank_interval, signed_rank_test, signed_rank_test_beyond,
    student_quantile, student_two_sided, t_interval, t_test, theil_sen, twin_differs, walsh_median, weighted_ranking,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases in every run.
fn config() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() }
}

/// Any number there is, the special ones often.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => any::<f64>(),
        4 => -1.0..1.0,
        1 => Just(0.0),
        1 => Just(-0.0),
        1 => Just(1.0),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
        1 => Just(f64::MAX),
        1 => Just(f64::MIN_POSITIVE),
    ]
}

/// Finite numbers of any size, ties often.
fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -1e300..1e300, 4 => -1.0..1.0, 2 => (-3_i8..=3).prop_map(f64::from)]
}

/// Log-ratios as blocks have them, ties often.
fn log_ratio() -> impl Strategy<Value = f64> {
    prop_oneof![3 => -0.2..0.2, 1 => (-4_i8..=4).prop_map(|step| f64::from(step) * 0.03)]
}

fn is_probability(p: Option<f64>) -> bool {
    p.is_none_or(|p| (0.0..=1.0).contains(&p))
}

fn in_order((low, high): (f64, f64)) -> bool {
    low.is_finite() && high.is_finite() && low <= high
}

/// Equal but for the last digits of the larger values that went in.
fn close(a: f64, b: f64, values: &[f64]) -> bool {
    (a - b).abs() <= 1e-9 * values.iter().fold(0.0_f64, |most, value| most.max(value.abs()))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn estimates_are_numbers_or_absent(values in vec(any_number(), 0..20), confidence in any_number(), margin in any_number()) {
        prop_assert!(median(&values).is_none_or(|middle| !middle.is_nan()));
        prop_assert!(walsh_median(&values).is_none_or(f64::is_finite));
        prop_assert!(signed_rank_interval(&values, confidence).is_none_or(in_order));
        prop_assert!(t_interval(&values, confidence).is_none_or(in_order));
        if let Some(estimate) = estimate(&values) {
            prop_assert!(estimate.ratio.is_normal() && estimate.interval().is_none_or(in_order));
            prop_assert!(estimate.interval().is_none_or(|(low, high)| low <= estimate.ratio && estimate.ratio <= high));
            prop_assert!(estimate.inverted().ratio > 0.0 && estimate.inverted().ratio.is_finite());
            prop_assert!(minimum_detectable(&estimate, margin).is_none_or(f64::is_finite));
            let needed = blocks_needed(&estimate, margin);
            prop_assert!(needed.is_none_or(|blocks| blocks >= MINIMUM_BLOCKS));
            let judged = judge(&estimate, margin, Direction::Time);
            prop_assert!(judged == Verdict::Unclear || needed == Some(estimate.blocks));
        }
    }

    #[test]
    fn p_values_are_probabilities(values in vec(any_number(), 0..20), margin in any_number(), degrees in any_number()) {
        prop_assert!(is_probability(signed_rank_test(&values)));
        prop_assert!(is_probability(signed_rank_test_beyond(&values, margin)));
        prop_assert!(is_probability(sign_flip_test(&values)));
        prop_assert!(is_probability(t_test(&values)));
        let tail = student_two_sided(margin, degrees);
        prop_assert!(tail.is_nan() == (margin.is_nan() || degrees.is_nan() || degrees <= 0.0));
        prop_assert!(is_probability(Some(tail).filter(|tail| !tail.is_nan())));
        prop_assert!(student_quantile(margin, degrees).is_none_or(|t| t.is_finite() && t >= 0.0));
        let usable = !values.is_empty() && values.iter().all(|value| value.is_finite());
        prop_assert_eq!(signed_rank_test(&values).is_some(), usable);
        prop_assert_eq!(sign_flip_test(&values).is_some(), usable);
        prop_assert_eq!(t_test(&values).is_some(), usable && values.len() > 1);
    }

    #[test]
    fn summaries_of_anything_are_sound(
        rows in vec(vec(proptest::option::of(any_number()), 0..5), 0..5),
        weights in vec(any_number(), 0..5),
        costs in vec((any_number(), any_number()), 0..12),
    ) {
        let shared = shared_geometric_means(&rows);
        prop_assert_eq!(shared.means.len(), rows.len());
        for mean in shared.means {
            prop_assert!(mean.is_none_or(f64::is_finite));
        }
        for ranked in weighted_ranking(&rows, &weights).unwrap_or_default() {
            prop_assert!(ranked.contender < rows.len() && ranked.score.is_finite());
        }
        prop_assert!(geometric_mean(&weights).is_none_or(f64::is_finite));

        let costs: Vec<Cost> = costs.into_iter().map(|(time, memory)| Cost { time, memory }).collect();
        let front = pareto_front(&costs);
        let finite = |cost: &Cost| cost.time.is_finite() && cost.memory.is_finite();
        let beats = |a: &Cost, b: &Cost| a.time <= b.time && a.memory <= b.memory && a != b;
        for (index, cost) in costs.iter().enumerate() {
            let beaten = costs.iter().any(|other| finite(other) && beats(other, cost));
            prop_assert_eq!(front.contains(&index), finite(cost) && !beaten);
        }
    }

    #[test]
    fn reductions_and_controls_survive_anything(
        contender in vec(any_number(), 0..20),
        reference in vec(any_number(), 0..20),
        blocks in vec(vec(any_number(), 0..12), 0..6),
        limit in any_number(),
        count in any::<usize>(),
    ) {
        if let Some(block) = BlockRatio::of(&contender, &reference) {
            prop_assert!(block.of_turns.is_finite() && block.of_sums.is_finite());
            prop_assert!(PairEstimate::of(&[block; 8]).is_none_or(|pair| pair.deciding().blocks == 8));
        }
        let differs = twin_differs(&blocks, limit);
        prop_assert_eq!(differs.len(), blocks.len());
        for (blocks, differs) in blocks.iter().zip(differs) {
            prop_assert!(!differs || blocks.len() >= MINIMUM_BLOCKS && blocks.iter().all(|block| block.is_finite()));
        }
        let whole = u32::try_from(count).unwrap_or(u32::MAX);
        let progress = Progress { blocks: whole, elapsed: Nanos(u64::MAX), pairs: &blocks };
        prop_assert!(!enough(&progress, &[Stop::Precision(limit)]) || count >= 12);
        prop_assert!(enough(&progress, &[Stop::Precision(limit), Stop::Blocks(whole)]));
    }

    #[test]
    fn slopes_of_anything_are_numbers_or_absent(
        curves in vec(vec(any_number(), 0..40), 0..9),
        growths in vec((finite(), finite(), finite()), 0..12),
        margin in any_number(),
    ) {
        for curve in &curves {
            prop_assert!(theil_sen(curve).is_none_or(|slope| !slope.is_nan()));
            if let Some(Growth { whole, late, rise }) = Growth::of(curve) {
                prop_assert!(whole.is_finite() && late.is_finite() && rise.is_finite());
            }
        }
        let growths: Vec<Growth> =
            growths.into_iter().map(|(whole, late, rise)| Growth { whole, late, rise }).collect();
        if let Some(slope) = Slope::of(&growths, margin) {
            prop_assert!(slope.per_turn.is_finite() && slope.interval().is_none_or(in_order));
            prop_assert!(slope.interval().is_none_or(|(low, high)| low <= slope.per_turn && slope.per_turn <= high));
            prop_assert!(slope.trend == Trend::Unclear || growths.len() >= MINIMUM_BLOCKS && margin >= 0.0);
        }
        prop_assert_eq!(Slope::of(&growths, margin).is_none(), growths.is_empty());
    }

    #[test]
    fn growth_does_not_depend_on_the_unit_of_memory_and_turns_over_with_the_curve(
        curve in vec(1.0..2.0, 16..60),
        unit in 1e-3..1e9,
    ) {
        let growth = Growth::of(&curve).unwrap();
        let scaled = Growth::of(&curve.iter().map(|value| value * unit).collect::<Vec<_>>()).unwrap();
        for (a, b) in [(growth.whole, scaled.whole), (growth.late, scaled.late), (growth.rise, scaled.rise)] {
            prop_assert!((a - b).abs() < 1e-9);
        }
        let warm_up = curve.len().div_ceil(4);
        let mut mirrored = curve.clone();
        mirrored[warm_up..].reverse();
        let mirrored = Growth::of(&mirrored).unwrap();
        prop_assert!((growth.whole + mirrored.whole).abs() < 1e-9 && (growth.rise + mirrored.rise).abs() < 1e-9);
    }

    #[test]
    fn the_slope_of_a_line_is_found_among_any_values_in_a_fifth_of_its_places(
        slope in -1.0_f64..1.0,
        turns in 20_usize..60,
        wild in vec((any::<proptest::sample::Index>(), -1e3..1e3), 0..4),
    ) {
        let mut curve: Vec<f64> = (0..turns).map(|turn| 100.0 + slope * turn as f64).collect();
        for (place, value) in wild {
            curve[place.index(turns)] = value;
        }
        prop_assert!((theil_sen(&curve).unwrap() - slope).abs() < 1e-6);
    }

    #[test]
    fn what_grows_faster_is_never_called_flatter(
        noise in vec(-0.002..0.002, 6..12),
        growth in 0.0..0.01,
        more in 0.0..0.01,
    ) {
        let at = |growth: f64| {
            let of = |noise: &f64| Growth { whole: growth + noise, late: growth + noise, rise: growth + noise };
            Slope::of(&noise.iter().map(of).collect::<Vec<_>>(), 0.001).unwrap().trend
        };
        let rank = |trend: Trend| match trend {
            Trend::Flat => 0,
            Trend::Plateau => 1,
            Trend::Unclear => 2,
            Trend::Growing => 3,
        };
        prop_assert!(rank(at(growth)) <= rank(at(growth + more)));
    }

    #[test]
    fn holm_keeps_the_order_and_the_bounds(p_values in vec(0.0..1.0, 0..30)) {
        let corrected = holm(&p_values);
        for (index, (p, c)) in p_values.iter().zip(&corrected).enumerate() {
            prop_assert!(c >= p && *c <= (p * p_values.len() as f64).min(1.0));
            for (other, also_corrected) in p_values.iter().zip(&corrected).skip(index) {
                prop_assert!(p.total_cmp(other) == c.total_cmp(also_corrected) || c.total_cmp(also_corrected).is_eq());
            }
        }
    }

    #[test]
    fn order_and_sign_do_not_matter(values in vec(finite(), 1..14), rotation in 0_usize..14) {
        let mut rotated = values.clone();
        rotated.rotate_left(rotation % values.len());
        let negated: Vec<f64> = values.iter().map(|value| -value).collect();
        let centre = walsh_median(&values).unwrap();
        prop_assert_eq!(walsh_median(&rotated), Some(centre));
        prop_assert!(close(walsh_median(&negated).unwrap(), -centre, &values));
        prop_assert_eq!(signed_rank_test(&rotated), signed_rank_test(&values));
        prop_assert_eq!(signed_rank_test(&negated), signed_rank_test(&values));
        prop_assert_eq!(sign_flip_test(&negated), sign_flip_test(&values));
        prop_assert_eq!(signed_rank_interval(&rotated, 0.95), signed_rank_interval(&values, 0.95));
        if let Some((low, high)) = signed_rank_interval(&values, 0.95) {
            prop_assert_eq!(signed_rank_interval(&negated, 0.95), Some((-high, -low)));
            prop_assert!(low <= centre && centre <= high);
        }
    }

    #[test]
    fn a_difference_is_called_just_where_the_test_against_the_margin_is_significant(
        blocks in vec(log_ratio(), 6..20),
        shift in -0.3..0.3,
        margin in 0.0..0.2,
    ) {
        let shifted: Vec<f64> = blocks.iter().map(|block| block + shift).collect();
        let called = judge(&estimate(&shifted).unwrap(), margin, Direction::Time).is_difference();
        prop_assert_eq!(called, signed_rank_test_beyond(&shifted, margin).unwrap() <= 0.05);
        prop_assert_eq!(called, twin_differs(&[shifted], margin)[0]);
    }

    #[test]
    fn a_wider_margin_calls_less(blocks in vec(log_ratio(), 1..16), narrow in 0.0..0.1, more in 0.0..0.1) {
        let at = |margin| signed_rank_test_beyond(&blocks, margin).unwrap();
        prop_assert!(at(narrow) <= at(narrow + more));
        prop_assert_eq!(signed_rank_test(&blocks), Some(at(0.0)));
    }

    #[test]
    fn blocks_needed_would_do(ratio in 0.5..2.0, half_width in 0.0001..0.5, blocks in 6_usize..60, margin in 0.0..0.1) {
        let of_width = |width: f64, blocks| Estimate {
            ratio,
            low: Some(ratio * (-width).exp()),
            high: Some(ratio * width.exp()),
            blocks,
        };
        let now = of_width(half_width, blocks);
        if let Some(needed) = blocks_needed(&now, margin) {
            prop_assert!(needed >= blocks);
            let then = of_width(half_width * (blocks as f64 / needed as f64).sqrt(), needed);
            prop_assert_ne!(judge(&then, margin, Direction::Time), Verdict::Unclear);
        }
    }
}
