//! Every stack answers every endpoint alike, over connections that are kept and over such that are not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use heapmark_service::{Answer, Contents, Endpoints, Method, ROUTES, Route, STACKS, Size};

/// Small enough for many requests by debug builds.
fn contents() -> Contents {
    Contents { objects: 50, parts: 20, items: 5, sessions: 4, ..Contents::new(1) }
}

/// More time than anything here takes on any machine.
const LONG: Duration = Duration::from_mins(1);

/// A server of so many threads for a few clients.
fn size(threads: usize) -> Size {
    Size { threads, connections: 8 }
}

/// What came back, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
struct Received {
    status: u16,
    content_type: String,
    body: Vec<u8>,
}

impl From<Answer> for Received {
    fn from(answer: Answer) -> Self {
        Self { status: answer.status, content_type: answer.content_type.to_owned(), body: answer.body }
    }
}

/// A client with one connection.
struct Client {
    connection: BufReader<TcpStream>,
}

impl Client {
    fn of(address: SocketAddr) -> Self {
        Self { connection: BufReader::new(TcpStream::connect(address).expect("the server listens")) }
    }

    fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Received {
        let head = format!("{method} {path} HTTP/1.1\r\nHost: here\r\nContent-Length: {}\r\n\r\n", body.len());
        let connection = self.connection.get_mut();
        connection.write_all(&[head.as_bytes(), body].concat()).expect("the server takes it");
        let line = self.line();
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status line");
        let (mut length, mut content_type) = (None, String::new());
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().ok(),
                "content-type" => value.trim().clone_into(&mut content_type),
                "transfer-encoding" => panic!("an answer of known length comes in chunks: {value}"),
                _ => {}
            }
        }
        let mut body = vec![0; length.expect("an answer has a length")];
        self.connection.read_exact(&mut body).expect("the whole body comes");
        Received { status, content_type, body }
    }

    fn route(&mut self, route: Route, body: &[u8]) -> Received {
        self.ask(route.method.name(), route.path, body)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.connection.read_line(&mut line).expect("a line comes");
        line.trim_end().to_owned()
    }
}

#[test]
fn every_stack_answers_every_endpoint_rightly() {
    let model = Endpoints::new(contents(), None);
    for stack in STACKS {
        let server = stack.start(&Arc::new(Endpoints::new(contents(), None)), size(2)).expect("it starts");
        let mut kept = Client::of(server.address());
        for _ in 0..3 {
            for route in ROUTES {
                let request = model.request(route);
                let expected = Received::from(model.answer(route, &request));
                assert_eq!(expected.status, 200);
                for received in [kept.route(route, &request), Client::of(server.address()).route(route, &request)] {
                    assert!(received == expected, "{} {}: {received:?}", stack.name, route.path);
                }
            }
        }
    }
}

#[test]
fn every_stack_refuses_what_makes_no_sense_and_goes_on() {
    for stack in STACKS {
        let endpoints = Arc::new(Endpoints::new(contents(), None));
        let server = stack.start(&endpoints, size(1)).expect("it starts");
        let mut client = Client::of(server.address());
        assert_eq!(client.ask("GET", "/nowhere", b"").status, 404, "{}", stack.name);
        for route in ROUTES.into_iter().filter(|route| route.method == Method::Post) {
            assert_eq!(client.route(route, b"nonsense").status, 400, "{} {}", stack.name, route.path);
            let request = endpoints.request(route);
            assert_eq!(client.route(route, &request).status, 200, "{} {}", stack.name, route.path);
        }
    }
}

#[test]
fn large_bodies_come_whole() {
    // Above what stacks take by default, and what they write in one piece.
    let contents = Contents { items: 20_000, ..contents() };
    let model = Endpoints::new(contents, None);
    let upload = Endpoints::route("POST", "/upload").expect("there is one");
    let request = model.request(upload);
    assert!(request.len() > 2 << 20, "{}", request.len());
    let expected = Received::from(model.answer(upload, &request));
    for stack in STACKS {
        let server = stack.start(&Arc::new(Endpoints::new(contents, None)), size(1)).expect("it starts");
        let received = Client::of(server.address()).route(upload, &request);
        assert_eq!((received.status, received.body.len()), (200, expected.body.len()), "{}", stack.name);
        assert!(received == expected, "{}", stack.name);
    }
}

#[test]
fn clients_at_the_same_time_get_their_own_answers() {
    let model = Endpoints::new(contents(), None);
    for stack in STACKS {
        let server = stack.start(&Arc::new(Endpoints::new(contents(), None)), size(3)).expect("it starts");
        std::thread::scope(|scope| {
            for first in 0..8 {
                let (model, address) = (&model, server.address());
                scope.spawn(move || {
                    let mut client = Client::of(address);
                    for turn in 0..20 {
                        let route = ROUTES[(first + turn) % ROUTES.len()];
                        let request = model.request(route);
                        let expected = Received::from(model.answer(route, &request));
                        assert!(client.route(route, &request) == expected, "{} {}", stack.name, route.path);
                    }
                });
            }
        });
    }
}

/// Nobody is forgotten who stays connected while others come.
#[test]
fn clients_that_come_at_once_are_all_served() {
    let size = Size { threads: 2, connections: 60 };
    for stack in STACKS {
        let server = stack.start(&Arc::new(Endpoints::new(contents(), None)), size).expect("it starts");
        for _ in 0..3 {
            let mut clients: Vec<_> = (0..size.connections).map(|_| Client::of(server.address())).collect();
            for client in &mut clients {
                assert_eq!(client.ask("GET", "/hello", b"").status, 200, "{}", stack.name);
            }
        }
    }
}

#[test]
fn a_server_ends_with_its_connections() {
    for stack in STACKS {
        let server = stack.start(&Arc::new(Endpoints::new(contents(), None)), size(2)).expect("it starts");
        let address = server.address();
        let mut client = Client::of(address);
        assert_eq!(client.ask("GET", "/hello", b"").status, 200);
        drop(client);
        drop(server);
        // A thread that waits for connections may notice only by the next one.
        let begun = Instant::now();
        while TcpStream::connect(address).is_ok() {
            assert!(begun.elapsed() < LONG, "{} still listens", stack.name);
        }
    }
}
