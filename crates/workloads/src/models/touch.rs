//! How much of a block the program writes, and reads back.

use heapmark_worker::{Parameter, Setup};

/// What of a block is written when it is made, and read before it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Touch {
    /// Nothing: what the kernel has not handed out stays so.
    None = 0,
    /// The first word: all that many programs do with a large part of their blocks at once.
    First = 1,
    /// A byte of each page, and the last one: what makes the whole block resident.
    Pages = 2,
    /// Everything.
    All = 3,
}

/// How far apart the bytes are that [`Touch::Pages`] writes: the smallest page there is.
pub(crate) const PAGE: usize = 4096;

impl Touch {
    /// The policy that the parameter `touch` sets.
    pub(crate) fn of(setup: &Setup<'_>) -> Self {
        match setup.choice("touch") {
            "none" => Self::None,
            "first" => Self::First,
            "pages" => Self::Pages,
            _ => Self::All,
        }
    }

    /// The policy with this number.
    pub(crate) const fn from_number(number: u64) -> Self {
        match number {
            0 => Self::None,
            1 => Self::First,
            2 => Self::Pages,
            _ => Self::All,
        }
    }
}

const SUMMARY: &str = "what of a block is written, and read back into the checksum before it goes: its first word, a byte of each page, or all";

/// The parameter `touch`, with this default, for blocks that say in their first word how large they are: it is always
/// written.
pub(crate) const fn touch(default: Touch) -> Parameter {
    let words: &'static [&'static str] = match default {
        Touch::None | Touch::First => &["first", "pages", "all"],
        Touch::Pages => &["pages", "first", "all"],
        Touch::All => &["all", "first", "pages"],
    };
    Parameter::choice("touch", words, SUMMARY)
}

/// The parameter `touch`, with this default, for buffers that may stay untouched.
pub(crate) const fn touch_or_none(default: Touch) -> Parameter {
    let words: &'static [&'static str] = match default {
        Touch::None => &["none", "first", "pages", "all"],
        Touch::First => &["first", "none", "pages", "all"],
        Touch::Pages => &["pages", "none", "first", "all"],
        Touch::All => &["all", "none", "first", "pages"],
    };
    Parameter::choice("touch", words, SUMMARY)
}
