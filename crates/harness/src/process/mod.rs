//! A worker as a process: started in a clean environment, talked to over a socket, watched, and always reaped.

mod answer;
mod capture;
mod child;
mod conversation;
mod deadline;
mod launch;
mod prctl;
mod subject;

pub use child::Limits;
pub(crate) use conversation::{
    Bodies, Conversation, Greeting, KnownLimit, Start, Verdict, Welcome, check_knobs, knob_variables,
};
pub(crate) use launch::Launch;
pub(crate) use subject::{Look, Subject, Vitals};
