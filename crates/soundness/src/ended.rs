//! How a check ends before its end, and the words for it, which outlive the check without the heap.

use std::fmt;
use std::sync::OnceLock;

use heapmark_protocol::{Finding, Text};

/// Why a check went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It does not apply.
    Skipped(&'static str),
    /// Something is wrong.
    Found(Finding, &'static str),
}

/// What a check returns: what there is to say if nothing is wrong, mostly nothing.
pub(crate) type Checked = Result<&'static str, Ended>;

/// Something is wrong.
pub(crate) fn found(finding: Finding, detail: fmt::Arguments<'_>) -> Ended {
    Ended::Found(finding, keep(detail))
}

/// The check does not apply.
pub(crate) fn skipped(reason: fmt::Arguments<'_>) -> Ended {
    Ended::Skipped(keep(reason))
}

/// The longest text that is kept: a line or two.
const ROOM: usize = 200;

/// Room for one text.
type Slot = OnceLock<Text<ROOM>>;

/// Room for the words of a check: one finding for each thread that can have one, and some more. It is part of the program.
static KEPT: [Slot; 32] = [const { Slot::new() }; 32];

/// Keeps a text for as long as the process lives.
pub(crate) fn keep(text: fmt::Arguments<'_>) -> &'static str {
    keep_in(&KEPT, text)
}

fn keep_in(slots: &'static [Slot], text: fmt::Arguments<'_>) -> &'static str {
    let text = Text::of(text);
    let slot = slots.iter().find(|slot| slot.set(text).is_ok());
    slot.and_then(OnceLock::get).map_or("(no room for the details)", Text::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_kept_until_there_is_no_room() {
        static SLOTS: [Slot; 2] = [const { Slot::new() }; 2];
        let kept = [1, 2, 3].map(|number| keep_in(&SLOTS, format_args!("block {number}")));
        assert_eq!(kept, ["block 1", "block 2", "(no room for the details)"]);
    }
}
