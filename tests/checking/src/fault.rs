//! What can be wrong, and the words for it.

use std::alloc::Layout;
use std::fmt;

/// A call of the allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `alloc` of this layout.
    Alloc(Layout),
    /// `alloc_zeroed` of this layout.
    Zeroed(Layout),
    /// `realloc` of a block of this layout to this size.
    Realloc(Layout, usize),
    /// `dealloc` of a block of this layout.
    Dealloc(Layout),
}

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// There is no block.
    Refused,
    /// The block begins so many bytes behind a multiple of its alignment.
    Misaligned(usize),
    /// The block shares bytes with a live one of this size.
    Overlap(usize),
    /// This byte of a zeroed block is not zero.
    Dirty(usize),
    /// Of the block that was resized, the first bytes, this many, are not what they were.
    Corrupt(usize),
    /// No live block begins there.
    Unknown,
    /// The live block that begins there was taken with this layout.
    OtherLayout(Layout),
    /// No block may be asked for without a byte.
    Empty,
}

/// A call, and what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The call.
    pub call: Call,
    /// What is wrong.
    pub wrong: Wrong,
}

impl Wrong {
    /// Its name: that of the finding where the checks of soundness have one.
    pub fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Misaligned(_) => "misaligned",
            Self::Overlap(_) => "overlap",
            Self::Dirty(_) => "dirty",
            Self::Corrupt(_) => "corrupt",
            Self::Unknown => "unknown",
            Self::OtherLayout(_) => "layout",
            Self::Empty => "empty",
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, layout) = match self {
            Self::Alloc(layout) => ("alloc", layout),
            Self::Zeroed(layout) => ("alloc_zeroed", layout),
            Self::Realloc(layout, _) => ("realloc", layout),
            Self::Dealloc(layout) => ("dealloc", layout),
        };
        write!(f, "{name} of {} bytes", layout.size())?;
        if let Self::Realloc(_, size) = self {
            write!(f, " to {size}")?;
        }
        write!(f, " aligned to {}", layout.align())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.wrong.word(), self.call)?;
        match self.wrong {
            Wrong::Refused => f.write_str("there is no block"),
            Wrong::Misaligned(by) => write!(f, "the block begins {by} bytes behind a multiple of that"),
            Wrong::Overlap(size) => write!(f, "the block shares bytes with a live one of {size}"),
            Wrong::Dirty(offset) => write!(f, "byte {offset} is not zero"),
            Wrong::Corrupt(kept) => write!(f, "the first {kept} bytes are not what they were"),
            Wrong::Unknown => f.write_str("no live block begins there"),
            Wrong::OtherLayout(taken) => {
                write!(f, "the block was taken with {} bytes aligned to {}", taken.size(), taken.align())
            }
            Wrong::Empty => f.write_str("no block may be without a byte"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_all_there_is_to_know() {
        let layout = Layout::from_size_align(24, 8).unwrap();
        for (call, wrong, line) in [
            (
                Call::Alloc(layout),
                Wrong::Misaligned(3),
                "misaligned: alloc of 24 bytes aligned to 8: the block begins 3 bytes behind a multiple of that",
            ),
            (Call::Zeroed(layout), Wrong::Dirty(7), "dirty: alloc_zeroed of 24 bytes aligned to 8: byte 7 is not zero"),
            (
                Call::Realloc(layout, 99),
                Wrong::Corrupt(24),
                "corrupt: realloc of 24 bytes to 99 aligned to 8: the first 24 bytes are not what they were",
            ),
            (
                Call::Dealloc(layout),
                Wrong::Unknown,
                "unknown: dealloc of 24 bytes aligned to 8: no live block begins there",
            ),
        ] {
            assert_eq!(Fault { call, wrong }.to_string(), line);
        }
    }
}
