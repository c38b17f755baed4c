//! The socket that every stack takes its connections from.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen as start_listening, socket_with, sockopt};

/// Connections that may wait to be taken. The standard library's 128 are fewer than the clients that come at once here, and those
/// that find no room try again after a second; the kernel takes the lesser of this and `net.core.somaxconn` (listen(2)).
const BACKLOG: i32 = 8192;

/// Listens on a free port of 127.0.0.1.
///
/// Connections inherit `TCP_NODELAY` from here (`inet_csk_clone_lock` in the kernel). Without it, a stack that writes an answer in
/// pieces and sets nothing waits for the client's delayed acknowledgements, which is nothing of an allocator's.
pub(super) fn listen() -> io::Result<TcpListener> {
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0))?;
    start_listening(&socket, BACKLOG)?;
    Ok(TcpListener::from(socket))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_inherit_that_nothing_is_held_back() {
        let listener = listen().expect("a socket is to be had");
        let _client = std::net::TcpStream::connect(listener.local_addr().expect("it is bound")).expect("it listens");
        let (connection, _) = listener.accept().expect("somebody came");
        assert!(connection.nodelay().expect("it is a socket"));
    }
}
