//! The runtime under the stacks that run on tokio.

use std::io;
use std::net::TcpListener;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::Served;

/// How long tasks may take to notice that the runtime ends. By then the clients are gone.
const FAREWELL: Duration = Duration::from_secs(2);

/// A runtime with a server in it.
pub(super) struct Tokio(Option<Runtime>);

impl Tokio {
    /// A runtime with so many threads that work.
    pub(super) fn start(threads: usize) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    /// The listener as tokio knows it.
    pub(super) fn listener(&self, listener: TcpListener) -> io::Result<tokio::net::TcpListener> {
        listener.set_nonblocking(true)?;
        let _entered = self.runtime().enter();
        tokio::net::TcpListener::from_std(listener)
    }

    /// Its handle to spawn tasks by.
    pub(super) fn runtime(&self) -> &Runtime {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl Served for Tokio {}

impl Drop for Tokio {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_timeout(FAREWELL);
        }
    }
}
