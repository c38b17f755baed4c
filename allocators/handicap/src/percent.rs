//! Shares in per cent, as a knob has them.

use std::fmt;

/// From 0 to 100 per cent, in tenths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Percent {
    tenths: u32,
}

impl Percent {
    /// Tenths of a per cent in the whole.
    pub(crate) const WHOLE: u32 = 1000;

    /// Reads `5` or `2.5`: digits, and at most one behind the point. Nothing for anything else, or above 100.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (whole, tenth) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(tenth) || tenth.len() > 1 {
            return None;
        }
        let tenths = whole.parse::<u32>().ok()?.checked_mul(10)?.checked_add(tenth.parse().ok()?)?;
        (tenths <= Self::WHOLE).then_some(Self { tenths })
    }

    /// In tenths of a per cent.
    pub(crate) fn tenths(self) -> u32 {
        self.tenths
    }

    /// So much of an amount, rounded down.
    pub(crate) fn of(self, amount: u64) -> u64 {
        let share = u128::from(amount) * u128::from(self.tenths) / u128::from(Self::WHOLE);
        u64::try_from(share).unwrap_or(amount)
    }

    /// Whether it is nothing at all.
    pub(crate) fn is_zero(self) -> bool {
        self.tenths == 0
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tenths % 10 {
            0 => write!(f, "{}", self.tenths / 10),
            tenth => write!(f, "{}.{tenth}", self.tenths / 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_shown_as_it_is_written() {
        for text in ["0", "0.1", "2.5", "5", "20", "99.9", "100"] {
            assert_eq!(Percent::parse(text).map(|percent| percent.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Percent::parse("5.0"), Percent::parse("5"));
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for text in ["", ".", "5.", ".5", "+5", "-1", "2.55", "100.1", "101", "5%", "5 ", "five", "4294967296"] {
            assert_eq!(Percent::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_share_of_the_largest_amount_is_exact() {
        let share = |text: &str, amount| Percent::parse(text).unwrap().of(amount);
        assert_eq!((share("2.5", 1000), share("0.1", 999), share("0", u64::MAX)), (25, 0, 0));
        assert_eq!((share("50", u64::MAX), share("100", u64::MAX)), (u64::MAX / 2, u64::MAX));
    }
}
