//! The socket that every stack takes its connections from.

use std::io;
use std::net::{SocketAddr, TcpListener};

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen as start_listening, socket_with, sockopt};

/// Connections that may wait to be taken. The standard library's 128 are fewer than the clients that come at once here, and those
/// that find no room try again after a second; the kernel takes the lesser of this and `net.core.somaxconn` (listen(2)).
const BACKLOG: i32 = 8192;

/// Listens at this address; with port 0, on a free one.
///
/// A port that was served a moment ago is free for the next server: what waits there for stragglers of old connections does not count
/// (`SO_REUSEADDR`, socket(7)). One on which somebody listens is not.
///
/// Connections inherit `TCP_NODELAY` from here (`inet_csk_clone_lock` in the kernel). Without it, a stack that writes an answer in
/// pieces and sets nothing waits for the client's delayed acknowledgements, which is nothing of an allocator's.
pub(super) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    bind(&socket, &address)?;
    start_listening(&socket, BACKLOG)?;
    Ok(TcpListener::from(socket))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const HERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

    #[test]
    fn a_port_is_had_by_one_at_a_time() {
        let listener = listen(HERE).expect("a socket is to be had");
        let address = listener.local_addr().expect("it is bound");
        assert_eq!(listen(address).expect_err("it is taken").kind(), io::ErrorKind::AddrInUse);
        // The connection is closed from this side first, which therefore waits for stragglers.
        let mut client = std::net::TcpStream::connect(address).expect("it listens");
        drop(listener.accept().expect("somebody came"));
        assert_eq!(io::Read::read(&mut client, &mut [0]).expect("it was closed"), 0);
        drop((client, listener));
        listen(address).expect("nobody listens there any more");
    }

    #[test]
    fn connections_inherit_that_nothing_is_held_back() {
        let listener = listen(HERE).expect("a socket is to be had");
        let _client = std::net::TcpStream::connect(listener.local_addr().expect("it is bound")).expect("it listens");
        let (connection, _) = listener.accept().expect("somebody came");
        assert!(connection.nodelay().expect("it is a socket"));
    }
}
