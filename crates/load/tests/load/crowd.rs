//! A server for thousands of connections on one thread, which always answers the same.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};

/// Where the listener's events are told apart from the connections'.
const LISTENER: u64 = 0;

/// What one connection has sent of a request that is not whole yet.
struct Connection {
    stream: TcpStream,
    held: Vec<u8>,
}

/// The server.
pub(crate) struct Crowd {
    listener: TcpListener,
    epoll: OwnedFd,
    connections: HashMap<u64, Connection>,
    body: Vec<u8>,
    /// The most connections that were open at a time.
    pub(crate) most: usize,
}

impl Crowd {
    /// Listens on a port of its own, to answer with this body.
    pub(crate) fn listen(body: Vec<u8>) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        Ok(Self { listener, epoll, connections: HashMap::new(), body, most: 0 })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `done` says so, which is asked after every answer and every connection that was closed.
    pub(crate) fn serve(&mut self, done: impl Fn(&Self) -> bool) -> std::io::Result<()> {
        let mut events = Vec::with_capacity(256);
        let mut next = LISTENER + 1;
        while !done(self) {
            events.clear();
            epoll::wait(&self.epoll, spare_capacity(&mut events), None)?;
            for event in events.drain(..) {
                let epoll::Event { data, .. } = event;
                if data.u64() == LISTENER {
                    let (stream, _) = self.listener.accept()?;
                    stream.set_nodelay(true)?;
                    epoll::add(&self.epoll, &stream, EventData::new_u64(next), EventFlags::IN)?;
                    self.connections.insert(next, Connection { stream, held: Vec::new() });
                    self.most = self.most.max(self.connections.len());
                    next += 1;
                } else if !self.answer(data.u64()).unwrap_or(false) {
                    self.connections.remove(&data.u64());
                }
            }
        }
        Ok(())
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.len()
    }

    /// Answers what a connection has asked. Whether it stays open.
    fn answer(&mut self, number: u64) -> std::io::Result<bool> {
        let Some(connection) = self.connections.get_mut(&number) else { return Ok(false) };
        let mut buffer = [0; 4096];
        let bytes = connection.stream.read(&mut buffer)?;
        if bytes == 0 {
            return Ok(false);
        }
        connection.held.extend_from_slice(&buffer[..bytes]);
        while let Some(at) = connection.held.windows(4).position(|end| end == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&connection.held[..at + 4]).to_ascii_lowercase();
            let says = |option: &str| head.contains(&format!("connection: {option}\r\n"));
            // Without a wish, HTTP/1.0 closes and HTTP/1.1 does not.
            let keeps = if head.contains(" http/1.0\r\n") { says("keep-alive") } else { !says("close") };
            let option = if keeps { "keep-alive" } else { "close" };
            let length = self.body.len();
            let answer = format!("HTTP/1.1 200 OK\r\nConnection: {option}\r\nContent-Length: {length}\r\n\r\n");
            connection.stream.write_all(&[answer.as_bytes(), &self.body].concat())?;
            connection.held.drain(..at + 4);
            if !keeps {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
