//! Views of an outcome: text that someone else prints.

mod table;

pub use table::{Style, notes, table};
