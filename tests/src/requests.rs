//! A workload that serves requests, or says so.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use heapmark_worker::{About, Job, Lane, Parameter, RequestErrors, Setup, Tally, Turn, Workload};

/// Takes a block for each request, which nobody makes; how long they took follows from their number.
#[derive(Clone, Copy, Debug)]
pub struct Requests;

static ABOUT: About = About {
    name: "test/requests",
    summary: "takes a block for each request",
    unit: "request",
    details: "For tests of what a workload says of its requests.",
    parameters: &[
        Parameter::number("connections", 1, 1, 4096, "connections that it says were open"),
        Parameter::choice("says", &["figures", "nothing", "failure"], "what it says of the requests"),
    ],
};

impl Workload for Requests {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        Ok(Box::new(RequestsJob {
            connections: setup.number("connections"),
            says: setup.choice("says"),
            turns: AtomicU64::new(0),
            served: AtomicU64::new(0),
            kept: Mutex::new(Vec::new()),
        }))
    }
}

struct RequestsJob {
    connections: u64,
    says: &'static str,
    turns: AtomicU64,
    /// Requests of all turns but the first.
    served: AtomicU64,
    /// What is alive until the end.
    kept: Mutex<Vec<Vec<u8>>>,
}

impl Job for RequestsJob {
    fn lanes(&self) -> usize {
        1
    }

    fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
        Box::new(RequestsLane(self))
    }

    fn requests(&self) -> Result<Option<heapmark_worker::Requests>, String> {
        let count = self.served.load(Ordering::Relaxed);
        assert!(self.kept.lock().is_ok_and(|kept| !kept.is_empty()), "asked before anything is dropped");
        match self.says {
            "nothing" => Ok(None),
            "failure" => Err("whoever makes the requests is gone".into()),
            _ => Ok(Some(heapmark_worker::Requests {
                count,
                open_loop: true,
                min_ns: 1,
                p50_ns: 50,
                p99_ns: 99,
                p999_ns: 999,
                max_ns: 1000,
                received_bytes: 10 * count,
                connections: self.connections,
                errors: RequestErrors { body: 1, ..RequestErrors::default() },
                user_ns: Some(7),
                ..heapmark_worker::Requests::default()
            })),
        }
    }
}

struct RequestsLane<'a>(&'a RequestsJob);

impl Lane for RequestsLane<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        let mut tally = Tally::default();
        for unit in 0..turn.share() {
            let block = std::hint::black_box(vec![1_u8; 64]);
            tally.add(unit + u64::from(block[63]));
        }
        let is_first = self.0.turns.fetch_add(1, Ordering::Relaxed) == 0;
        if !is_first {
            self.0.served.fetch_add(tally.count, Ordering::Relaxed);
        }
        if let Ok(mut kept) = self.0.kept.lock()
            && kept.is_empty()
        {
            kept.push(vec![0; 16]);
        }
        tally
    }
}
