//! `tiny_http`: blocking sockets, a thread for each connection that reads requests, and a pool that answers them.
//!
//! The threads that are counted are those of the pool. Those of connections come and go as the library likes: one that is idle
//! stays for five seconds after its client went, or for ever where only a few are left.
//!
//! The library starts a thread for a connection only if none is idle, and counts one as idle until it has woken up: of clients that come
//! at once some would be left to threads that are just taking others, and wait until one of those goes. So there are as many
//! threads as clients before the clients come.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use ::tiny_http::{Header, Request, Response, Server};

use super::{LARGEST_BODY, Served, Size, Stack};
use crate::endpoints::{Answer, Endpoints};

/// See the [module](self).
pub(super) const STACK: Stack =
    Stack { name: "tiny_http", crate_name: "tiny_http", version: "0.12.0", descriptors: 3, start };

/// How long a thread may take to answer the first time.
const PATIENCE: Duration = Duration::from_secs(10);

/// The library's server and the pool that answers.
struct Pool {
    server: Arc<Server>,
    threads: Vec<JoinHandle<()>>,
}

fn start(listener: TcpListener, endpoints: &Arc<Endpoints>, size: Size) -> io::Result<Box<dyn Served>> {
    let address = listener.local_addr()?;
    let server = Server::from_listener(listener, None).map_err(io::Error::other)?;
    let mut pool = Pool { server: Arc::new(server), threads: Vec::with_capacity(size.threads) };
    for number in 0..size.threads {
        let (server, endpoints) = (Arc::clone(&pool.server), Arc::clone(endpoints));
        let answer_all = move || {
            // Ends when the pool is told to, since that is an error here.
            while let Ok(request) = server.recv() {
                answer(&endpoints, request);
            }
        };
        pool.threads.push(std::thread::Builder::new().name(format!("answer {number}")).spawn(answer_all)?);
    }
    grow(address, size.connections)?;
    Ok(Box::new(pool))
}

/// Has the server start a thread for each of so many connections, one after another, which are all held until the last is there.
fn grow(address: SocketAddr, connections: usize) -> io::Result<()> {
    let mut held = Vec::with_capacity(connections);
    for _ in 0..connections {
        let mut client = TcpStream::connect(address)?;
        client.set_read_timeout(Some(PATIENCE))?;
        // A path that nobody serves: the answer is not what matters.
        client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        client.read_exact(&mut [0])?;
        held.push(client);
    }
    Ok(())
}

fn answer(endpoints: &Endpoints, mut request: Request) {
    let path = request.url().split('?').next().unwrap_or_default();
    let answer = match Endpoints::route(request.method().as_str(), path) {
        Some(route) => match body(&mut request) {
            Ok(body) => endpoints.answer(route, &body),
            Err(error) => Answer { status: 400, content_type: "text/plain", body: error.to_string().into_bytes() },
        },
        None => Answer::not_found(),
    };
    let content_type = Header::from_bytes("Content-Type", answer.content_type).expect("it is a header");
    let response = Response::from_data(answer.body)
        .with_status_code(answer.status)
        .with_header(content_type)
        // Large answers would come in chunks, other than those of the other stacks.
        .with_chunked_threshold(usize::MAX);
    // A client that went away is the client's affair, and counted there.
    let _ = request.respond(response);
}

fn body(request: &mut Request) -> io::Result<Vec<u8>> {
    let length = request.body_length().unwrap_or_default();
    if length > LARGEST_BODY {
        return Err(io::Error::other("the body is too large"));
    }
    let mut body = Vec::with_capacity(length);
    request.as_reader().read_to_end(&mut body)?;
    Ok(body)
}

impl Served for Pool {}

impl Drop for Pool {
    fn drop(&mut self) {
        // Each call ends one thread.
        for _ in &self.threads {
            self.server.unblock();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
