//! Values on the command line.

use std::time::Duration;

use heapmark::{ContenderName, Quantity, Worker};

/// `NAME=PATH`
pub(crate) fn worker(text: &str) -> Result<Worker, String> {
    match text.split_once('=') {
        // Names become part of tables, and of a record that is read elsewhere.
        Some((name, _)) if name.contains(char::is_control) => Err("give a name without control characters".into()),
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok(Worker::at(name, path)),
        _ => Err("write NAME=PATH".into()),
    }
}

/// `NAME` or `NAME@KNOB:VALUE,…`
pub(crate) fn contender(text: &str) -> Result<ContenderName, String> {
    ContenderName::parse(text).map_err(|error| error.to_string())
}

/// `KEY=VALUE`
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.into(), value.into())),
        _ => Err("write KEY=VALUE".into()),
    }
}

/// A number from 0 to 100, with or without a sign for per cent, as a fraction.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).trim_end().parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("give a number from 0 to 100".into()),
    }
}

/// A quiet time such as `0.5s`, in milliseconds.
pub(crate) fn quiet(text: &str) -> Result<u64, String> {
    let whole = humantime::parse_duration(text).map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    // Fractions of seconds are how people say half a second, and humantime knows whole numbers only.
    let seconds =
        || text.strip_suffix('s').and_then(|number| number.parse::<f64>().ok()).map(Duration::try_from_secs_f64);
    let fraction = || seconds()?.ok().map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    match whole.ok().or_else(fraction) {
        Some(ms) if ms <= LONGEST_QUIET_MS => Ok(ms),
        _ => Err("give times of at most an hour, such as 500ms, 0.5s, 15s".into()),
    }
}

/// An hour: no allocator's clock runs longer.
const LONGEST_QUIET_MS: u64 = 3_600_000;

/// The name of a quantity.
pub(crate) fn quantity(text: &str) -> Result<Quantity, String> {
    let known = || Quantity::ALL.map(Quantity::word).join(", ");
    Quantity::ALL.into_iter().find(|quantity| quantity.word() == text).ok_or_else(|| format!("choose from {}", known()))
}

/// `QUANTITY=WEIGHT`
pub(crate) fn weight(text: &str) -> Result<(Quantity, f64), String> {
    let (name, weight) = text.split_once('=').ok_or("write METRIC=WEIGHT")?;
    let weight: f64 = weight.parse().map_err(|_| format!("{weight:?} is no number"))?;
    Ok((quantity(name)?, weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_have_names_that_can_be_shown() {
        assert_eq!(worker("mine=a=b"), Ok(Worker::at("mine", "a=b")));
        for wrong in ["", "mine", "mine=", "=path", "a\nb=path", "a\u{1b}[31m=path"] {
            assert!(worker(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn margins_are_percentages() {
        for one in ["1", "1%", "1.0 %"] {
            assert_eq!(percent(one), Ok(0.01));
        }
        for wrong in ["-1", "101", "NaN", "inf", "", "%", "1%%", "0,5"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn quiet_times_are_durations() {
        for (text, ms) in [("500ms", 500), ("0.5s", 500), ("15s", 15_000), ("1m", 60_000), ("0", 0), ("0s", 0)] {
            assert_eq!(quiet(text), Ok(ms), "{text}");
        }
        for wrong in ["", "5", "-1s", "NaNs", "infs", "2h", "s"] {
            assert!(quiet(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn weights_name_what_they_weigh() {
        assert_eq!(weight("peak-rss=1.5"), Ok((Quantity::PeakRss, 1.5)));
        for wrong in ["peak-rss", "peak=1", "cpu=", "cpu=much", "=1"] {
            assert!(weight(wrong).is_err(), "{wrong}");
        }
    }
}
