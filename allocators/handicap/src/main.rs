//! The worker of the standard workloads, each with its loss.
use heapmark_handicap::{CATALOGUE, IDENTITY, System};
heapmark_worker::worker!(System = System, IDENTITY, CATALOGUE);
