//! Views of records and catalogues: text that someone else prints.

mod catalogue;
mod columns;
mod conditions;
mod csv;
mod examination;
mod judgements;
mod numbers;
mod over_time;
mod page;
mod samples;
mod standings;
mod table;
mod text;
mod verification;

pub use catalogue::{contenders, set, workload, workloads};
pub use columns::Screen;
pub use conditions::conditions;
pub use examination::{findings, noise};
pub use judgements::{judgements_csv, judgements_markdown, judgements_text};
pub use page::page;
pub use samples::samples_csv;
pub use standings::standings;
pub use table::{Style, notes, table};
pub use text::text;
pub use verification::{soundness, soundness_markdown};
