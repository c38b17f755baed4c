//! A place for a connection, which is opened anew when the server has closed it.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, ipproto, sockopt};

use crate::body::Body;
use crate::response::Reader;
use crate::{Expected, Failure};

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing: it is free, and perhaps not even open.
    Free,
    /// It is being opened, with no request to make yet.
    Opening,
    /// A request is under way.
    Busy,
    /// Its response is whole, and the server is about to close it.
    ///
    /// Who closes first has to remember the connection for a minute (`TIME_WAIT`) and cannot use its port again meanwhile. Servers can
    /// afford that, a client that opens a connection for each request runs out of ports.
    Leaving,
}

/// How far a write came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// To the end.
    All,
    /// As far as there was room, or not at all since the connection is not there yet.
    Part,
}

/// What a read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// So many bytes.
    Bytes(usize),
    /// Nothing for now.
    Nothing,
    /// The server has closed the connection.
    End,
}

/// A place for a connection.
#[derive(Debug)]
pub(crate) struct Slot {
    socket: Option<OwnedFd>,
    /// Counts the sockets, so that events of one that was closed are not taken for the next one's.
    serial: u32,
    pub(crate) state: State,
    /// Whether the connection is known to stand.
    established: bool,
    /// When the request was due.
    pub(crate) due: u64,
    /// When patience ends: with a request, with opening, or with a server that is about to close.
    pub(crate) deadline: u64,
    /// How much of the request is sent.
    written: usize,
    pub(crate) response: Reader,
    pub(crate) body: Body,
}

impl Slot {
    pub(crate) fn new(expected: Expected) -> Self {
        Self {
            socket: None,
            serial: 0,
            state: State::Free,
            established: false,
            due: 0,
            deadline: 0,
            written: 0,
            response: Reader::new(),
            body: Body::new(expected),
        }
    }

    /// Begins to connect, and has `epoll` tell what comes of it. Every change is told once (`EPOLLET`): the connection is read and
    /// written until there is nothing left, and registered only this once.
    pub(crate) fn open(&mut self, address: &SocketAddr, index: u32, epoll: &OwnedFd) -> Result<(), Errno> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
        // A long body must not wait for the acknowledgement of its beginning.
        sockopt::set_tcp_nodelay(&socket, true)?;
        match rustix::net::connect(&socket, address) {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        self.serial = self.serial.wrapping_add(1);
        let interest =
            epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        let data = u64::from(self.serial) << 32 | u64::from(index);
        epoll::add(epoll, &socket, epoll::EventData::new_u64(data), interest)?;
        self.socket = Some(socket);
        self.established = false;
        Ok(())
    }

    /// Whether an event with these data is of the socket that is open now.
    pub(crate) fn is_addressed_by(&self, data: u64) -> bool {
        self.socket.is_some() && data >> 32 == u64::from(self.serial)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.socket.is_some()
    }

    /// Closes the connection, if there is one.
    pub(crate) fn close(&mut self) {
        self.socket = None;
    }

    /// Whether the connection that was being opened stands now, or why it does not.
    pub(crate) fn opened(&mut self) -> Result<(), Errno> {
        let socket = self.socket.as_ref().ok_or(Errno::NOTCONN)?;
        sockopt::socket_error(socket)??;
        self.established = true;
        Ok(())
    }

    /// Makes the slot ready for a request.
    pub(crate) fn begin(&mut self, due: u64, deadline: u64) {
        self.state = State::Busy;
        self.due = due;
        self.deadline = deadline;
        self.written = 0;
        self.response.begin();
        self.body.begin();
    }

    /// Sends what is not sent yet.
    pub(crate) fn write(&mut self, request: &[u8]) -> Result<Written, Errno> {
        let socket = self.socket.as_ref().ok_or(Errno::NOTCONN)?;
        while self.written < request.len() {
            match rustix::net::send(socket, &request[self.written..], SendFlags::NOSIGNAL) {
                Ok(bytes) => {
                    self.established = true;
                    self.written += bytes;
                }
                Err(Errno::AGAIN) => return Ok(Written::Part),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Written::All)
    }

    /// Whether the whole request is sent.
    pub(crate) fn has_written(&self, request: &[u8]) -> bool {
        self.written == request.len()
    }

    /// Reads what there is.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<Received, Errno> {
        let socket = self.socket.as_ref().ok_or(Errno::NOTCONN)?;
        loop {
            match rustix::net::recv(socket, &mut *buffer, RecvFlags::empty()) {
                Ok((0, _)) => return Ok(Received::End),
                Ok((bytes, _)) => return Ok(Received::Bytes(bytes)),
                Err(Errno::AGAIN) => return Ok(Received::Nothing),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// What it means that the connection broke.
    pub(crate) fn breakage(&self) -> Failure {
        if self.established { Failure::Reset } else { Failure::Connect }
    }
}
