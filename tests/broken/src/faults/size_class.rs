//! Slots that are too small for what is put into them.

use crate::parts::Pooled;

/// Has one wrong number in its table: the class for 513 … 640 bytes has slots of 624.
pub(crate) static SMALL_CLASS: Pooled = Pooled::new(513..=640, 624);

/// Looks up classes with a wrong comparison: 769 bytes still go to the class of 768.
pub(crate) static CLASS_OFF_BY_ONE: Pooled = Pooled::new(641..=769, 768);

/// Rounds down to pages where it should round up: a byte more than sixteen pages gets sixteen.
pub(crate) static ROUNDS_TO_PAGES: Pooled = Pooled::new(60 * 1024..=64 * 1024 + 1, 64 * 1024);
