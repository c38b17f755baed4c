//! What is told of a server to those who ask.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::process::{Look, Subject, Vitals};
use crate::record::IdentityRow;
use crate::{Bytes, Nanos};

/// A server as it is now, seen from outside. What the kernel does not say is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The contender: a backend, with its knobs.
    pub contender: String,
    /// How its worker introduced itself.
    pub identity: IdentityRow,
    /// The workload, with the parameters that were asked for.
    pub workload: String,
    /// How the server is asked.
    pub questions: Questions,
    /// The number of its process, on its own host.
    pub process: u32,
    /// For how long it has been serving.
    pub up_ns: u64,
    /// CPU time of the process so far in user mode. The kernel tells it in ticks, of which there are a hundred in a second.
    pub user_ns: u64,
    /// CPU time of the process so far in the kernel.
    pub system_ns: u64,
    /// Resident memory.
    pub rss: Option<Bytes>,
    /// The most of it since the server began to serve, or since its process began where the kernel does not allow to reset that.
    pub peak_rss: Option<Bytes>,
    /// Resident memory that belongs to no file.
    pub anonymous: Option<Bytes>,
    /// Given back with `MADV_FREE` but not taken yet; counts in `rss`. Absent where only a brief look was asked for.
    pub lazy_free: Option<Bytes>,
    /// Threads.
    pub threads: Option<u64>,
    /// Open descriptors. Absent where only a brief look was asked for.
    pub descriptors: Option<u64>,
}

/// How a server is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Questions {
    /// `GET` or `POST`.
    pub method: String,
    /// What it is asked for, with the slash.
    pub path: String,
    /// The type of the bodies.
    pub content_type: String,
}

/// All that is known of a server, and how to learn what is not.
#[derive(Debug)]
pub(super) struct Portrait {
    pub(super) subject: Subject,
    pub(super) begun: Instant,
    /// What the process had used before.
    pub(super) at_first: Vitals,
    pub(super) contender: String,
    pub(super) identity: IdentityRow,
    pub(super) workload: String,
    pub(super) questions: Questions,
    /// The body of a request.
    pub(super) request: Vec<u8>,
    /// The body of the right answer.
    pub(super) answer: Vec<u8>,
}

impl Portrait {
    /// The server as it is now; nothing once it is dead.
    pub(super) fn probe(&self, look: Look) -> Option<Probe> {
        let up_ns = Nanos::from(self.begun.elapsed()).0;
        let vitals = self.subject.look(look)?;
        Some(Probe {
            contender: self.contender.clone(),
            identity: self.identity.clone(),
            workload: self.workload.clone(),
            questions: self.questions.clone(),
            process: self.subject.number(),
            up_ns,
            user_ns: vitals.user_ns,
            system_ns: vitals.system_ns,
            rss: vitals.rss,
            peak_rss: vitals.peak_rss,
            anonymous: vitals.anonymous,
            lazy_free: vitals.lazy_free,
            threads: vitals.threads,
            descriptors: vitals.descriptors,
        })
    }
}
