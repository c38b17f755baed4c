//! The servers: each stack is a module and a line in [`STACKS`].
//!
//! A stack takes requests off a listener, has [`Endpoints`] answer them on threads of its own, and ends when it is dropped. What it
//! does besides is as its authors made it, but for time-outs of idle connections: a worker that waits for its turn must not lose
//! its clients.

mod actix;
mod axum;
mod hyper;
mod listener;
mod runtime;
mod tiny_http;

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use crate::endpoints::Endpoints;

/// The largest body that a server takes; stacks have limits of their own, some of them lower than what is sent here.
const LARGEST_BODY: usize = 64 << 20;

/// A kind of server.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Its name, for the parameter `stack`.
    pub name: &'static str,
    /// The crate's version, which a test holds against the lockfile.
    pub version: &'static str,
    /// The crate.
    pub crate_name: &'static str,
    /// Descriptors that the server has for each connection.
    pub descriptors: u64,
    /// Serves until what it returns is dropped.
    start: Start,
}

type Start = fn(TcpListener, &Arc<Endpoints>, Size) -> io::Result<Box<dyn Served>>;

/// How large a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Threads that answer.
    pub threads: usize,
    /// Connections that are to come at once; a stack need not know, and takes more too.
    pub connections: usize,
}

/// Every stack, the default first.
pub const STACKS: [Stack; 4] = [hyper::STACK, axum::STACK, actix::STACK, tiny_http::STACK];

/// The names of [`STACKS`].
pub const STACK_NAMES: [&str; STACKS.len()] = {
    let mut names = [""; STACKS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = STACKS[index].name;
        index += 1;
    }
    names
};

/// A server at work; dropping it ends it, with its threads.
trait Served: Send + Sync {}

/// A server, and where it is reached.
pub struct Server {
    address: SocketAddr,
    _served: Box<dyn Served>,
}

impl Server {
    /// Where it is reached.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Stack {
    /// The stack of this name.
    pub fn named(name: &str) -> Option<Self> {
        STACKS.into_iter().find(|stack| stack.name == name)
    }

    /// Starts a server on a free port of this machine's own address. Fails where the kernel refuses a socket or a thread.
    pub fn start(&self, endpoints: &Arc<Endpoints>, size: Size) -> io::Result<Server> {
        self.start_at((Ipv4Addr::LOCALHOST, 0).into(), endpoints, size)
    }

    /// Starts a server at this address. Fails too where it is not to be had.
    pub fn start_at(&self, address: SocketAddr, endpoints: &Arc<Endpoints>, size: Size) -> io::Result<Server> {
        let listener = listener::listen(address)?;
        let address = listener.local_addr()?;
        Ok(Server { address, _served: (self.start)(listener, endpoints, size)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_are_those_in_the_lockfile() {
        let lock = include_str!("../../../../Cargo.lock");
        for Stack { name, crate_name, version, .. } in STACKS {
            let entry = format!("name = \"{crate_name}\"\nversion = \"{version}\"");
            assert!(lock.contains(&entry), "{name}: {entry}");
        }
    }

    #[test]
    fn every_stack_has_a_name_of_its_own() {
        for name in STACK_NAMES {
            assert_eq!(STACK_NAMES.iter().filter(|other| **other == name).count(), 1);
            assert_eq!(Stack::named(name).map(|stack| stack.name), Some(name));
        }
        assert!(Stack::named("none").is_none());
    }
}
