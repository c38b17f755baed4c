//! JSON as services handle it: built, parsed, edited, serialised, and dropped, with `serde_json`.
//!
//! A value tree is the typical load of a web service on an allocator: many small blocks of a few sizes (strings of some
//! bytes, the nodes of a sorted map), arrays and texts that grow by reallocation, and whole documents that go at once.

mod build;
mod documents;
mod edit;
mod features;
mod generator;
mod lotofobjects;
mod parse;
mod pool;
mod sample;
#[cfg(test)]
mod tests;
mod turnstile;
mod typed;
mod window;

pub(crate) use build::Build;
pub(crate) use edit::Edit;
pub use features::features;
pub(crate) use lotofobjects::LotOfObjects;
pub use lotofobjects::ObjectLists;
pub(crate) use parse::Parse;
pub(crate) use pool::Pool;
