//! Values on the command line.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use heapmark::{Bytes, ContenderName, Quantity, Worker};

/// `NAME=PATH` of a program
pub(crate) fn worker(text: &str) -> Result<Worker, String> {
    let (name, path) = named_path(text)?;
    Ok(Worker::at(name, program(path)?))
}

/// `NAME=PATH`, of a library
pub(crate) fn preload(text: &str) -> Result<(String, PathBuf), String> {
    named_path(text).map(|(name, path)| (name.into(), path.into()))
}

fn named_path(text: &str) -> Result<(&str, &str), String> {
    match text.split_once('=') {
        // Names become part of tables, and of a record that is read elsewhere.
        Some((name, _)) if name.contains(char::is_control) => Err("give a name without control characters".into()),
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name, path)),
        _ => Err("write NAME=PATH".into()),
    }
}

/// A file that can be run, so that a mistyped one is told before anything is built.
fn program(path: &str) -> Result<&Path, String> {
    let path = Path::new(path);
    let file = path.metadata().map_err(|error| format!("{}: {error}", path.display()))?;
    let runs = file.is_file() && file.permissions().mode() & 0o111 != 0;
    if runs { Ok(path) } else { Err(format!("{} is no program that can be run", path.display())) }
}

/// Names that Cargo or the compiler keeps for something else.
const RESERVED: &str = "abstract alloc as async await become box break build con const continue core crate deps do dyn \
                        else enum examples extern false final fn for gen if impl in incremental let loop macro match \
                        mod move mut nul override priv prn proc-macro proc_macro pub ref return self static std struct \
                        super test trait true try type typeof union unsafe unsized use virtual where while yield";

/// The name of a new crate, and of what is in it.
pub(crate) fn crate_name(text: &str) -> Result<String, String> {
    let begins = text.starts_with(|letter: char| letter.is_ascii_lowercase());
    let others = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter);
    if !begins || !text.chars().all(others) || text.len() > 64 {
        return Err("give a name of lower-case letters, digits, `-` and `_` that begins with a letter".into());
    }
    if RESERVED.split(' ').any(|word| word == text) || text.starts_with("heapmark") {
        return Err(format!("{text} is no name for a crate of yours; choose another"));
    }
    Ok(text.to_owned())
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

/// `NAME:VALUE`, or `NAME: VALUE` as it stands in a request
pub(crate) fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.trim().into())),
        _ => Err("write NAME:VALUE".into()),
    }
}

/// `KEY=VALUE,VALUE,…`
pub(crate) fn sweep(text: &str) -> Result<(String, Vec<String>), String> {
    let (key, values) = pair(text).map_err(|_| "write KEY=VALUE,VALUE,…")?;
    let values: Vec<String> = values.split(',').map(str::to_owned).collect();
    if values.iter().any(String::is_empty) {
        return Err("write KEY=VALUE,VALUE,… without a gap".into());
    }
    let twice = values.iter().enumerate().find(|(index, value)| values[..*index].contains(value));
    twice.map_or_else(|| Ok((key, values.clone())), |(_, value)| Err(format!("{value} stands there twice")))
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

/// Quiet times in order, each once; none at all where only 0 is given.
pub(crate) fn quiet_moments(given: &[u64]) -> Vec<u64> {
    let mut moments: Vec<u64> = given.iter().copied().filter(|moment| *moment > 0).collect();
    moments.sort_unstable();
    moments.dedup();
    moments
}

/// A size such as `512MiB` or `2G`; letters stand for powers of 1024, and without one it is bytes.
pub(crate) fn size(text: &str) -> Result<Bytes, String> {
    let wrong = || "give a size above 0, such as 512MiB or 2GiB".to_owned();
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit {
        "" | "B" => 0,
        "K" | "KiB" => 10,
        "M" | "MiB" => 20,
        "G" | "GiB" => 30,
        _ => return Err(wrong()),
    };
    let bytes = number.parse::<u64>().ok().filter(|number| *number > 0).and_then(|n| n.checked_mul(1 << shift));
    bytes.map(Bytes).ok_or_else(wrong)
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
        assert_eq!(worker("mine=/bin/sh"), Ok(Worker::at("mine", "/bin/sh")));
        for wrong in ["", "mine", "mine=", "=/bin/sh", "a\nb=/bin/sh", "a\u{1b}[31m=/bin/sh"] {
            assert!(worker(wrong).is_err() && preload(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(preload("mine=a=b"), Ok(("mine".into(), "a=b".into())));
    }

    #[test]
    fn workers_are_programs_that_are_there() {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let path = folder.path().join("a=b");
        let given = format!("mine={}", path.display());
        assert!(worker(&given).expect_err("it is not there").contains("No such file"));
        std::fs::write(&path, "").expect("a folder of our own");
        assert!(worker(&given).expect_err("it cannot be run").contains("is no program"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        assert_eq!(worker(&given), Ok(Worker::at("mine", &path)));
        assert!(worker(&format!("mine={}", folder.path().display())).is_err(), "a folder is no program");
    }

    #[test]
    fn crates_have_names_that_cargo_takes() {
        for name in ["a", "my-allocator", "shelves_2"] {
            assert_eq!(crate_name(name), Ok(name.to_owned()));
        }
        let long = "a".repeat(65);
        for wrong in ["", "-a", "1a", "A", "a b", "a/b", "../a", "ä", "fn", "std", "heapmark-worker", &long] {
            assert!(crate_name(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn headers_are_written_with_a_space_or_without() {
        for text in ["x-one:1:2", "x-one: 1:2", "x-one:  1:2 "] {
            assert_eq!(header(text), Ok(("x-one".into(), "1:2".into())));
        }
        for wrong in ["", "x", ":y"] {
            assert!(header(wrong).is_err(), "{wrong}");
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
    fn a_sweep_has_values() {
        let values = |text: &str| sweep(text).map(|(key, values)| (key, values.join(" ")));
        assert_eq!(values("threads=1,2,4"), Ok(("threads".into(), "1 2 4".into())));
        assert_eq!(values("threads=8"), Ok(("threads".into(), "8".into())));
        for wrong in ["threads", "=1,2", "threads=", "threads=1,,2", "threads=1,2,", "threads=1,2,1"] {
            assert!(sweep(wrong).is_err(), "{wrong}");
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
    fn sizes_are_bytes_or_powers_of_1024() {
        for (text, bytes) in
            [("1", 1), ("7B", 7), ("3K", 3 << 10), ("512MiB", 512 << 20), ("2G", 2 << 30), ("1GiB", 1 << 30)]
        {
            assert_eq!(size(text), Ok(Bytes(bytes)), "{text}");
        }
        let wrong = [
            "",
            "0",
            "0G",
            "-1",
            "+1",
            "1.5G",
            "MiB",
            "1MB",
            "1 MiB",
            "1mib",
            "much",
            "99999999999G",
            "99999999999999999999",
        ];
        for wrong in wrong {
            assert!(size(wrong).is_err(), "{wrong}");
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
