//! Views of records and catalogues: text that someone else prints.

mod catalogue;
mod columns;
mod conditions;
mod csv;
mod examination;
mod figures;
mod judgements;
mod numbers;
mod over_time;
mod page;
mod requests;
mod samples;
mod scaling;
mod sensitivity;
mod series;
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
pub use requests::{requests_csv, requests_markdown, requests_text};
pub use samples::samples_csv;
pub use scaling::{scaling_csv, scaling_markdown, scaling_text};
pub use sensitivity::{sensitivity_csv, sensitivity_markdown, sensitivity_text};
pub use series::{series_csv, series_markdown, series_text};
pub use standings::standings;
pub use table::{Style, notes, table};
pub use text::text;
pub use verification::{soundness, soundness_markdown};
