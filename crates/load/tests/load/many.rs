//! Thousands of connections on one thread.

use heapmark_load::{Expected, Generator, Target};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::crowd::Crowd;
use crate::{requests, target};

#[test]
fn thousands_of_connections_take_one_thread() {
    // Both ends are in this process, which needs two descriptors for each connection.
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).expect("up to the hard limit it may");
    let room = limit.maximum.unwrap_or(u64::MAX).saturating_sub(200) / 2;
    let connections = usize::try_from(room).unwrap_or(usize::MAX).min(3_900);
    assert!(connections > 0, "a hard limit of {:?} descriptors leaves no room", limit.maximum);

    let body = b"the same for all".to_vec();
    let mut crowd = Crowd::listen(body.clone()).expect("there is a port");
    let address = crowd.address().expect("it has an address");
    let server = std::thread::spawn(move || {
        crowd.serve(|crowd| crowd.most > 0 && crowd.connections() == 0).expect("it serves until all have gone");
        crowd.most
    });

    let target = Target { expected: Expected::Exactly(body.into()), ..target(address, connections) };
    let mut generator = Generator::connect(&target).expect("the server is there");
    let count = 2 * connections as u64;
    let outcome = generator.run(&requests(count), &|| false).expect("the load is made");
    drop(generator);
    assert_eq!((outcome.requests, outcome.failures.total()), (count, 0), "{:?}", outcome.failures);
    assert_eq!(outcome.opened, 0, "all connections were kept");
    assert_eq!(server.join().expect("the server does not panic"), connections);
}
