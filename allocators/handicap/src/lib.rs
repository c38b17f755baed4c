//! The system allocator with a known loss, so that a comparison can be held against the truth.
//!
//! `handicap@slowdown_pct:5` does five units more for every hundred, without counting them; `handicap@rss_pct:3` keeps memory of
//! three per cent of its peak; `handicap@leak_bytes_per_unit:4096` keeps a page more with each unit, for ever. Without knobs
//! it is `system` with other work around it. How exact the losses are is printed by
//! `cargo run --release -p heapmark-cli --example handicap_exactness`.

mod ballast;
mod catalogue;
mod debt;
mod handicapped;
mod identity;
mod knobs;
mod percent;

pub use heapmark_system::System;

pub use catalogue::CATALOGUE;
pub use identity::IDENTITY;
