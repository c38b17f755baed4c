//! What a checked program says, line by line.

use std::fmt;
use std::str::FromStr;

use heapmark_worker::Tally;

use crate::books::Held;

/// When.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Everything is prepared, and every lane waits for its first turn.
    Prepared,
    /// A turn is over, counted from 1.
    Turn(u32),
    /// Everything is dropped.
    Dropped,
}

/// What was done and what is alive at the end of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The settings of the variant, with blanks between them.
    pub variant: String,
    /// The phase.
    pub phase: Phase,
    /// What was done in it.
    pub tally: Tally,
    /// Bytes alive, more than before anything was prepared.
    pub bytes: i64,
    /// Blocks alive, likewise.
    pub blocks: i64,
    /// Calls of the allocator in this phase.
    pub calls: u64,
}

impl Line {
    /// What the books said at the end of a phase, after what they said before everything and at the end of the phase before it.
    pub(crate) fn new(variant: &str, phase: Phase, tally: Tally, [start, before, now]: [Held; 3]) -> Self {
        Self {
            variant: variant.to_owned(),
            phase,
            tally,
            bytes: now.bytes.wrapping_sub(start.bytes).cast_signed(),
            blocks: now.blocks.wrapping_sub(start.blocks).cast_signed(),
            calls: now.calls - before.calls,
        }
    }
}

/// What separates the fields of a line.
const BETWEEN: char = '\t';

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prepared => f.write_str("prepared"),
            Self::Turn(number) => write!(f, "turn {number}"),
            Self::Dropped => f.write_str("dropped"),
        }
    }
}

impl FromStr for Phase {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "prepared" => Ok(Self::Prepared),
            "dropped" => Ok(Self::Dropped),
            _ => {
                let number = text.strip_prefix("turn ").and_then(|number| number.parse().ok());
                number.map(Self::Turn).ok_or_else(|| format!("{text:?} is no phase"))
            }
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variant, phase, tally: Tally { count, checksum }, bytes, blocks, calls } = self;
        write!(f, "{variant}{BETWEEN}{phase}{BETWEEN}{count}{BETWEEN}{checksum:016x}")?;
        write!(f, "{BETWEEN}{bytes}{BETWEEN}{blocks}{BETWEEN}{calls}")
    }
}

impl FromStr for Line {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fields: Vec<_> = text.split(BETWEEN).collect();
        let [variant, phase, count, checksum, bytes, blocks, calls] = fields[..] else {
            return Err(format!("{text:?} has {} fields", fields.len()));
        };
        let number = |text: &str| text.parse::<i64>().map_err(|error| format!("{text:?}: {error}"));
        let counted = |text: &str| text.parse::<u64>().map_err(|error| format!("{text:?}: {error}"));
        let checksum = u64::from_str_radix(checksum, 16).map_err(|error| format!("{checksum:?}: {error}"))?;
        Ok(Self {
            variant: variant.to_owned(),
            phase: phase.parse()?,
            tally: Tally { count: counted(count)?, checksum },
            bytes: number(bytes)?,
            blocks: number(blocks)?,
            calls: counted(calls)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let held = |bytes, blocks, calls| Held { bytes, blocks, calls };
        for phase in [Phase::Prepared, Phase::Turn(1), Phase::Turn(12), Phase::Dropped] {
            let tally = Tally { count: 7, checksum: u64::MAX / 3 };
            let books = [held(100, 10, 5), held(200, 20, 50), held(90, 11, 60)];
            let line = Line::new("threads=3 touch=all", phase, tally, books);
            assert_eq!((line.bytes, line.blocks, line.calls), (-10, 1, 10));
            assert_eq!(line.to_string().parse(), Ok(line));
        }
        for wrong in ["", "a\tturn x\t1\t1\t1\t1\t1", "a\tturn 1\t1\t1\t1\t1", "a\tturn 1\t-1\t1\t1\t1\t1"] {
            assert!(wrong.parse::<Line>().is_err(), "{wrong}");
        }
    }
}
