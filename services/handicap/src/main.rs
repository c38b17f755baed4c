//! The workloads of the family `service` on the system allocator, with servers that fail on purpose, so that a comparison can be held
//! against the truth.
//!
//! `handicap@crash_after:1000` aborts at the thousandth request; `handicap@hang_after:1000` answers none from there on;
//! `handicap@leak_bytes_per_request:4096` keeps a page more with each, for ever; `handicap@stall_ms:200` answers nobody for 200 ms once
//! a second. Without knobs it is `system`.

mod disturbance;
mod knobs;

use heapmark_service::{Service, services};
use heapmark_system::System;
use heapmark_worker::{Catalogue, Identity, Workload};

/// Its allocator is that of `system`, and so is the proof that it serves.
const IDENTITY: Identity = Identity { name: "handicap", knobs: &knobs::KNOBS, ..heapmark_system::IDENTITY };

const COUNT: usize = heapmark_service::CATALOGUE.workloads.len();

static SERVICES: [Service; COUNT] = services(Some(disturbance::disturb));

static WORKLOADS: [&dyn Workload; COUNT] = {
    let mut all: [&dyn Workload; COUNT] = [&SERVICES[0]; COUNT];
    let mut index = 0;
    while index < COUNT {
        all[index] = &SERVICES[index];
        index += 1;
    }
    all
};

const CATALOGUE: Catalogue = Catalogue { workloads: &WORKLOADS, ..heapmark_service::CATALOGUE };

heapmark_worker::worker!(System = System, IDENTITY, CATALOGUE);
