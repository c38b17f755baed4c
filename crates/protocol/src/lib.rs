#![doc = include_str!("../PROTOCOL.md")]

mod line;
mod messages;
#[cfg(test)]
mod page;
mod text;

pub use line::{LineWriter, MAX_LINE, Message, ParseError, is_key};
pub use messages::{
    Check, Failure, Field, Finding, Finish, Hello, Knob, Latency, Limit, Numbers, Outcome, PARAMETER_PREFIX, Parameter,
    ParameterKind, Phase, PhaseName, Prepare, Prepared, Proof, Serve, Serving, Set, Turn, Turned, Verified, Verify,
    WorkerKind, Workload, verb,
};
pub use text::Text;

/// The version of the protocol that this crate speaks. A worker that says another one in its `hello` is refused.
pub const VERSION: u64 = 1;
