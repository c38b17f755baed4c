//! `tiny_http`: blocking sockets, a thread for each connection that reads requests, and a pool that answers them.
//!
//! The threads that are counted are those of the pool. Those of connections come and go as the library likes: one that is idle
//! stays for five seconds after its client went, or for ever where only a few are left.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;

use ::tiny_http::{Header, Request, Response, Server};

use super::{LARGEST_BODY, Served, Stack};
use crate::endpoints::{Answer, Endpoints};

/// See the [module](self).
pub(super) const STACK: Stack = Stack { name: "tiny_http", crate_name: "tiny_http", version: "0.12.0", start };

/// The library's server and the pool that answers.
struct Pool {
    server: Arc<Server>,
    threads: Vec<JoinHandle<()>>,
}

fn start(listener: TcpListener, endpoints: &Arc<Endpoints>, threads: usize) -> io::Result<Box<dyn Served>> {
    let server = Server::from_listener(listener, None).map_err(io::Error::other)?;
    let mut pool = Pool { server: Arc::new(server), threads: Vec::with_capacity(threads) };
    for number in 0..threads {
        let (server, endpoints) = (Arc::clone(&pool.server), Arc::clone(endpoints));
        let answer_all = move || {
            // Ends when the pool is told to, since that is an error here.
            while let Ok(request) = server.recv() {
                answer(&endpoints, request);
            }
        };
        pool.threads.push(std::thread::Builder::new().name(format!("answer {number}")).spawn(answer_all)?);
    }
    Ok(Box::new(pool))
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
