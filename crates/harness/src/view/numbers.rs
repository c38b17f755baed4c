//! Numbers as text: with points, whatever the locale says.

use crate::stats::Estimate;

/// A ratio, so that differences of a tenth of the usual margin show: `1.022`, `12.3`, `150`.
pub(super) fn ratio(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.3}")
    } else if value < 100.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// A ratio with its interval: `1.022 [1.018, 1.025]`.
pub(super) fn interval(estimate: Estimate) -> String {
    match estimate.interval() {
        Some((low, high)) => format!("{} [{}, {}]", ratio(estimate.ratio), ratio(low), ratio(high)),
        None => ratio(estimate.ratio),
    }
}

/// A fraction in per cent: `1.5 %`.
pub(super) fn percent(fraction: f64) -> String {
    format!("{:.1} %", fraction * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_show_what_matters() {
        for (value, expected) in [(1.0, "1.000"), (0.98765, "0.988"), (12.34, "12.3"), (150.2, "150")] {
            assert_eq!(ratio(value), expected);
        }
        let estimate = Estimate { ratio: 1.0219, low: Some(1.018), high: None, blocks: 5 };
        assert_eq!(interval(estimate), "1.022");
        assert_eq!(interval(Estimate { high: Some(11.0), ..estimate }), "1.022 [1.018, 11.0]");
        assert_eq!(percent(0.0149), "1.5 %");
    }
}
