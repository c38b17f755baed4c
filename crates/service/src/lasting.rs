//! A server that others put under load, for as long as they like: its generator is on another host, or is whoever wants to ask.

use std::sync::Arc;

use heapmark_worker::Serving;

use crate::cores::Cores;
use crate::endpoints::Endpoints;
use crate::stacks::Server;

/// A server without a generator of its own. In the order in which it is dropped: first the server goes.
pub(crate) struct Lasting {
    pub(crate) _server: Server,
    pub(crate) endpoints: Arc<Endpoints>,
    pub(crate) _cores: Option<Cores>,
}

impl Serving for Lasting {
    fn answered(&self) -> u64 {
        self.endpoints.answered()
    }
}
