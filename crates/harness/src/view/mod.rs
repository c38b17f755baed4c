//! Views of records and catalogues: text that someone else prints.

mod catalogue;
mod page;
mod table;

pub use catalogue::{contenders, workload, workloads};
pub use page::page;
pub use table::{Style, notes, table};
