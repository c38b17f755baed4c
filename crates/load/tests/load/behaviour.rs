//! What is made of each way in which a server can answer.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use heapmark_load::{Amount, Digest, Error, Expected, Failure, Generator, Load, Method, Outcome, Request, Target};

use crate::server::{BODY, Manner, Server};
use crate::{request, requests, run, target};

/// The right body, by its digest.
fn right() -> Expected {
    let Digest { length, checksum } = Digest::of(BODY);
    Expected::Like { length: Some(length), checksum: Some(checksum) }
}

/// Every request has failed in the same way, and nothing else has happened.
fn assert_all(outcome: &Outcome, failure: Failure, count: u64) {
    assert_eq!((outcome.requests, outcome.failures.count(failure)), (0, count), "{:?}", outcome.failures);
    assert_eq!(outcome.failures.total(), count);
    assert!(outcome.failures.first().is_some_and(|first| first.starts_with(failure.word())), "{:?}", outcome.failures);
    assert_eq!(outcome.latencies.count(), 0, "what failed has no latency");
}

#[test]
fn right_answers_are_right_in_whatever_form_they_come() {
    for manner in [Manner::Length, Manner::Chunked, Manner::Interim, Manner::Pieces] {
        let server = Server::start(move |_| manner.clone());
        let outcome = run(&Target { expected: right(), ..target(server.address, 3) }, &requests(50));
        assert_eq!((outcome.requests, outcome.failures.total()), (50, 0), "{:?}", outcome.failures);
        assert_eq!(outcome.body_bytes, 50 * BODY.len() as u64);
        assert!(outcome.bytes > outcome.body_bytes);
        assert_eq!(outcome.checksum, 50 * u64::from(Digest::of(BODY).checksum));
        assert_eq!((outcome.opened, server.accepted(), server.requests()), (0, 3, 50));
        assert_eq!(outcome.latencies.count(), 50);
        assert_eq!(outcome.each_second.iter().sum::<u64>(), 50);
    }
}

#[test]
fn a_connection_that_the_server_closes_is_opened_again() {
    for manner in [Manner::Closing, Manner::UntilClosed] {
        let server = Server::start(move |_| manner.clone());
        let outcome = run(&Target { expected: right(), ..target(server.address, 2) }, &requests(20));
        assert_eq!((outcome.requests, outcome.failures.total()), (20, 0), "{:?}", outcome.failures);
        assert_eq!((outcome.opened, server.accepted()), (18, 20));
    }
}

#[test]
fn a_connection_for_each_request_whether_the_server_closes_it_or_not() {
    for manner in [Manner::Length, Manner::Closing] {
        let server = Server::start(move |_| manner.clone());
        let target = Target { request: request(server.address, false), ..target(server.address, 2) };
        let outcome = run(&target, &requests(20));
        assert_eq!((outcome.requests, outcome.failures.total()), (20, 0), "{:?}", outcome.failures);
        assert_eq!((outcome.opened, server.accepted()), (20, 21), "one more to see whether there is a server");
    }
}

#[test]
fn a_connection_that_was_closed_between_two_loads_is_no_failure() {
    let server = Server::start(|_| Manner::Silently);
    let mut generator = Generator::connect(&target(server.address, 1)).expect("the server is there");
    for opened in [0, 1, 1] {
        let outcome = generator.run(&requests(1), &|| false).expect("the load is made");
        assert_eq!((outcome.requests, outcome.failures.total(), outcome.opened), (1, 0, opened));
        server.wait_for_close();
    }
}

#[test]
fn each_failure_is_told_for_what_it_is() {
    for (manner, failure) in [
        (Manner::Status(500), Failure::Status),
        (Manner::Status(302), Failure::Status),
        (Manner::Body(b"{\"message\": \"hullo\"}".as_slice().into()), Failure::Body),
        (Manner::Body(b"{}".as_slice().into()), Failure::Body),
        (Manner::Long, Failure::Protocol),
        (Manner::Nonsense, Failure::Protocol),
        (Manner::Cut, Failure::Truncated),
        (Manner::Reset, Failure::Reset),
    ] {
        let server = Server::start(move |_| manner.clone());
        let outcome = run(&Target { expected: right(), ..target(server.address, 2) }, &requests(12));
        assert_all(&outcome, failure, 12);
        assert_eq!(server.requests(), 12, "nothing is asked twice");
    }
}

#[test]
fn who_never_answers_runs_out_of_time() {
    let server = Server::start(|_| Manner::Mute);
    let target = Target { timeout: Duration::from_millis(30), ..target(server.address, 2) };
    assert_all(&run(&target, &requests(4)), Failure::Timeout, 4);
}

#[test]
fn failures_of_all_kinds_are_counted_apart_and_spoil_nothing_else() {
    let server = Server::start(|number| match number % 7 {
        0 => Manner::Status(503),
        1 => Manner::Long,
        2 => Manner::Cut,
        3 => Manner::Reset,
        4 => Manner::Body(b"wrong".as_slice().into()),
        5 => Manner::Closing,
        _ => Manner::Chunked,
    });
    let target = Target { expected: right(), ..target(server.address, 5) };
    let mut generator = Generator::connect(&target).expect("the server is there");
    for _ in 0..3 {
        let outcome = generator.run(&requests(70), &|| false).expect("the load is made");
        assert_eq!(outcome.requests, 20, "{:?}", outcome.failures);
        for (failure, count) in [
            (Failure::Status, 10),
            (Failure::Protocol, 10),
            (Failure::Truncated, 10),
            (Failure::Reset, 10),
            (Failure::Body, 10),
            (Failure::Connect, 0),
            (Failure::Timeout, 0),
        ] {
            assert_eq!(outcome.failures.count(failure), count, "{failure}: {:?}", outcome.failures);
        }
    }
}

#[test]
fn a_server_that_goes_away_leaves_the_rest_without_connection() {
    // One to see that there is a server, five for requests.
    let serve = || Server::with_connections(6, |_| Manner::Closing);
    let server = serve();
    let alone = |server: &Server| Target { request: request(server.address, false), ..target(server.address, 1) };
    let outcome = run(&alone(&server), &requests(20));
    assert_eq!((outcome.requests, outcome.failures.count(Failure::Connect)), (5, 15), "{:?}", outcome.failures);
    assert_eq!(outcome.failures.total(), 15);

    // Where only time would end it, it is not waited for.
    let server = serve();
    let hour = Load { amount: Amount::For(Duration::from_hours(1)), rate: None };
    let outcome = run(&alone(&server), &hour);
    assert_eq!(outcome.requests, 5);
    assert_eq!(outcome.failures.total(), outcome.failures.count(Failure::Connect));
}

#[test]
fn who_is_not_there_is_told_before_any_load() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        listener.local_addr().expect("it has an address")
    };
    for keep_alive in [true, false] {
        let target = Target { request: request(address, keep_alive), ..target(address, 2) };
        let error = Generator::connect(&target).expect_err("nobody listens");
        assert!(matches!(error, Error::Connect { opened: 0, .. }), "{error}");
    }
}

#[test]
fn too_many_connections_are_refused_before_any_is_made() {
    let server = Server::start(|_| Manner::Length);
    let error = Generator::connect(&target(server.address, 2_000_000_000)).expect_err("no limit is that high");
    let Error::Descriptors { connections: 2_000_000_000, possible, .. } = error else { panic!("{error}") };
    assert!(possible < 2_000_000_000);
    assert_eq!(server.accepted(), 0);
}

#[test]
fn long_bodies_go_both_ways() {
    // More than the kernel takes at once.
    let body: Arc<[u8]> = (0..8_000_000_u32).map(|number| (number % 251) as u8).collect();
    let server = Server::start(|_| Manner::Echo);
    let fields = [("Content-Type".to_owned(), "application/octet-stream".to_owned())];
    let post = Request::new(Method::Post, "here", "/", &fields, &body, true).expect("it makes sense");
    let expected = Expected::Exactly(Arc::clone(&body));
    let outcome = run(&Target { request: post, expected, ..target(server.address, 2) }, &requests(4));
    assert_eq!((outcome.requests, outcome.failures.total()), (4, 0), "{:?}", outcome.failures);
    assert_eq!(outcome.body_bytes, 4 * body.len() as u64);

    let mut other = body.to_vec();
    other[7_000_000] ^= 1;
    let server = Server::start(move |_| Manner::Body(other.as_slice().into()));
    let expected = Expected::Exactly(body);
    let outcome = run(&Target { expected, ..target(server.address, 1) }, &requests(2));
    assert_all(&outcome, Failure::Body, 2);
}

#[test]
fn the_first_body_is_the_measure_where_that_is_wished() {
    let server = Server::start(|number| Manner::Body(if number == 3 { &b"other"[..] } else { b"first" }.into()));
    let expected = Expected::Same(Arc::default());
    let outcome = run(&Target { expected, ..target(server.address, 1) }, &requests(10));
    assert_eq!((outcome.requests, outcome.failures.count(Failure::Body)), (9, 1));
}

#[test]
fn threads_share_connections_and_requests() {
    let server = Server::start(|_| Manner::Length);
    let target = Target { threads: 3, expected: right(), ..target(server.address, 7) };
    for load in [requests(100), Load { rate: Some(100_000), ..requests(100) }] {
        let outcome = run(&target, &load);
        assert_eq!((outcome.requests, outcome.failures.total()), (100, 0), "{:?}", outcome.failures);
        assert_eq!(outcome.checksum, 100 * u64::from(Digest::of(BODY).checksum));
    }
    assert_eq!(server.accepted(), 14);
}

#[test]
fn in_an_open_loop_nothing_is_sent_before_it_is_due() {
    let server = Server::start(|_| Manner::Length);
    let load = Load { amount: Amount::Requests(100), rate: Some(1_000) };
    let outcome = run(&target(server.address, 4), &load);
    assert_eq!((outcome.requests, outcome.failures.total()), (100, 0), "{:?}", outcome.failures);
    assert!(outcome.wall >= Duration::from_millis(99), "the last is due then: {:?}", outcome.wall);
}

#[test]
fn latency_counts_from_when_a_request_was_due() {
    let server = Server::start(|_| Manner::Length);
    let together = |load: Load| {
        let outcome = run(&target(server.address, 1), &load);
        assert_eq!((outcome.requests, outcome.failures.total()), (50, 0), "{:?}", outcome.failures);
        let mean = outcome.latencies.summary().expect("there were requests").mean_ns;
        (Duration::from_nanos(50 * mean), outcome.wall)
    };
    // All of them are due at once and have to wait for one another: each but the first counts the time of those before.
    let (sum, wall) = together(Load { rate: Some(1_000_000_000), ..requests(50) });
    assert!(sum > wall * 2, "{sum:?} in {wall:?}");
    // One after the other, no time counts twice.
    let (sum, wall) = together(requests(50));
    assert!(sum <= wall, "{sum:?} in {wall:?}");
}

#[test]
fn in_an_open_loop_requests_run_out_of_time_without_being_sent() {
    let server = Server::start(|_| Manner::Mute);
    let target = Target { timeout: Duration::from_millis(40), ..target(server.address, 1) };
    let load = Load { amount: Amount::Requests(100), rate: Some(1_000) };
    assert_all(&run(&target, &load), Failure::Timeout, 100);
    assert!(server.requests() < 100, "one connection cannot have carried all of them");
}

#[test]
fn a_load_can_be_cancelled_with_requests_under_way() {
    let server = Server::start(|number| if number < 3 { Manner::Length } else { Manner::Mute });
    let mut generator = Generator::connect(&target(server.address, 1)).expect("the server is there");
    let asked = AtomicU64::new(0);
    let cancelled = || asked.fetch_add(1, Ordering::Relaxed) > 0;
    let hour = Load { amount: Amount::For(Duration::from_hours(1)), rate: None };
    let outcome = generator.run(&hour, &cancelled).expect("what was measured is returned");
    assert_eq!((outcome.requests, outcome.failures.total()), (3, 0), "{:?}", outcome.failures);
}

#[test]
fn a_rate_of_nothing_makes_no_sense() {
    let server = Server::start(|_| Manner::Length);
    let mut generator = Generator::connect(&target(server.address, 1)).expect("the server is there");
    assert!(generator.run(&Load { rate: Some(0), ..requests(1) }, &|| false).is_err());
    let outcome = generator.run(&requests(0), &|| false).expect("nothing is soon done");
    assert_eq!((outcome.requests, outcome.latencies.summary()), (0, None));
}
