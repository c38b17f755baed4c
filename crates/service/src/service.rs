//! The life of a workload of this family: a server in this process, a generator in another, turns of requests between them.
//!
//! The generator is started and told what to do by lines on its standard input, and answers on its standard output. Meanwhile this
//! thread, the only lane, waits in a system call: what the process uses of a processor is the server's.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heapmark_worker::{About, Job, Lane, Offer, Requests, Serving, Setup, Tally, Turn, Workload};

use crate::cores::Cores;
use crate::descriptors;
use crate::endpoints::{Disturbance, Endpoints};
use crate::generator::{Generator, Target};
use crate::lasting::Lasting;
use crate::scenario::{SCENARIOS, Scenario};
use crate::stacks::{Server, Size, Stack};

/// A workload of the family.
pub struct Service {
    scenario: &'static Scenario,
    disturbance: Option<Disturbance>,
}

/// All workloads of the family, with or without something that disturbs their servers.
pub const fn services(disturbance: Option<Disturbance>) -> [Service; SCENARIOS.len()] {
    static ALL: [Scenario; SCENARIOS.len()] = SCENARIOS;
    let mut services = [const { Service { scenario: &ALL[0], disturbance: None } }; SCENARIOS.len()];
    let mut index = 0;
    while index < services.len() {
        services[index].scenario = &ALL[index];
        services[index].disturbance = disturbance;
        index += 1;
    }
    services
}

impl Workload for Service {
    fn about(&self) -> &About {
        self.scenario.about
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        self.start(setup).map_err(|why| self.named(why))
    }

    fn serve(&self, setup: &Setup<'_>, listen: SocketAddr) -> Result<(Box<dyn Serving>, Offer), String> {
        self.start_lasting(setup, listen).map_err(|why| self.named(why))
    }

    fn is_handicapped(&self) -> bool {
        self.disturbance.is_some()
    }

    fn settle_ms(&self) -> &'static [u64] {
        self.scenario.settle_ms
    }
}

/// What a server and its clients need, made before either.
struct Ready {
    stack: Stack,
    size: Size,
    endpoints: Endpoints,
    /// What a client sends.
    body: Vec<u8>,
    /// What it should get.
    expected: Vec<u8>,
}

impl Service {
    /// A reason that says whose it is.
    fn named(&self, why: String) -> String {
        let name = self.scenario.about.name;
        if why.starts_with(name) { why } else { format!("{name}: {why}") }
    }

    fn ready(&self, setup: &Setup<'_>) -> Result<Ready, String> {
        let Scenario { about, route, contents, .. } = *self.scenario;
        let (connections, threads) = (setup.size("connections"), setup.size("threads"));
        let size = Size { threads, connections };
        let stack = Stack::named(setup.choice("stack")).ok_or("there is no such stack")?;
        descriptors::make_room(about.name, stack.descriptors, size)?;
        let endpoints = Endpoints::new(contents(setup), self.disturbance);
        let body = endpoints.request(route);
        let expected = endpoints.undisturbed(route, &body);
        if expected.status != 200 {
            return Err(format!("{} cannot be answered: {}", route.path, String::from_utf8_lossy(&expected.body)));
        }
        Ok(Ready { stack, size, endpoints, body, expected: expected.body })
    }

    /// A server without a generator of its own, for as long as somebody wants it. Where it runs and how it is asked is for others to
    /// say, but for the processors of the server where they are told.
    fn start_lasting(&self, setup: &Setup<'_>, listen: SocketAddr) -> Result<(Box<dyn Serving>, Offer), String> {
        if setup.number("rate") > 0 || setup.choice("keep_alive") != "yes" {
            return Err("rate and keep_alive are for whoever asks to choose; nobody is asked for here".into());
        }
        let Ready { stack, size, endpoints, body, expected } = self.ready(setup)?;
        let server_cores = setup.size("server_cores");
        let cores = if server_cores > 0 { Some(Cores::of(server_cores)?) } else { None };
        if let Some(cores) = &cores {
            cores.for_server()?;
        }
        let endpoints = Arc::new(endpoints.counting());
        let started = stack.start_at(listen, &endpoints, size);
        let server = started.map_err(|error| format!("{} cannot listen on {listen}: {error}", stack.name))?;
        let route = self.scenario.route;
        let offer = Offer {
            address: server.address(),
            method: route.method.name(),
            path: route.path,
            content_type: route.content_type,
            request: body,
            answer: expected,
        };
        Ok((Box::new(Lasting { _server: server, endpoints, _cores: cores }), offer))
    }

    fn start(&self, setup: &Setup<'_>) -> Result<Box<dyn Job>, String> {
        let route = self.scenario.route;
        let Ready { stack, size, endpoints, body, expected } = self.ready(setup)?;
        let connections = size.connections;
        let endpoints = Arc::new(endpoints);
        let cores = Cores::of(setup.size("server_cores"))?;
        cores.for_generator()?;
        let mut generator = Generator::start()?;
        cores.for_server()?;
        let started = stack.start(&endpoints, size);
        let server = started.map_err(|error| format!("{} cannot be started: {error}", stack.name))?;
        let rate = setup.number("rate");
        generator.aim(&Target {
            address: server.address(),
            route,
            body: &body,
            expected: &expected,
            connections,
            keep_alive: setup.choice("keep_alive") == "yes",
        })?;
        // What the server keeps for a connection is there before the first turn. Not at a rate, at which it could take for ever.
        generator.go(connections as u64, 0)?;
        Ok(Box::new(Load {
            generator: Mutex::new(generator),
            server: Some(server),
            _cores: cores,
            turn_requests: setup.number("turn_requests"),
            connections,
            rate,
            failure: Mutex::new(None),
        }))
    }
}

/// A server under load. In the order in which it is dropped: first the clients go.
struct Load {
    generator: Mutex<Generator>,
    server: Option<Server>,
    _cores: Cores,
    turn_requests: u64,
    connections: usize,
    rate: u64,
    failure: Mutex<Option<String>>,
}

impl Load {
    fn generator(&self) -> MutexGuard<'_, Generator> {
        self.generator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn why_failed(&self) -> MutexGuard<'_, Option<String>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        // To end a server, its threads are waited for. After a failure they may never come, and the process ends anyway.
        if self.why_failed().is_some() {
            std::mem::forget(self.server.take());
        }
    }
}

impl Job for Load {
    fn lanes(&self) -> usize {
        1
    }

    fn lane(&self, _: usize) -> Box<dyn Lane + '_> {
        Box::new(Clients { load: self, warm: false })
    }

    fn least_units(&self) -> u64 {
        self.turn_requests
    }

    fn failure(&self) -> Option<String> {
        self.why_failed().clone()
    }

    fn requests(&self) -> Result<Option<Requests>, String> {
        let requests = self.generator().summary()?;
        let requests =
            requests.map(|all| Requests { connections: self.connections as u64, open_loop: self.rate > 0, ..all });
        Ok(requests)
    }
}

/// Has the generator ask, and waits for it.
struct Clients<'a> {
    load: &'a Load,
    /// Whether a turn is over: the first one warms up.
    warm: bool,
}

impl Clients<'_> {
    fn ask(&mut self, requests: u64) -> Result<Tally, String> {
        let mut generator = self.load.generator();
        let done = generator.go(requests, self.load.rate)?;
        if !self.warm {
            self.warm = true;
            generator.reset()?;
        }
        Ok(Tally { count: done.requests, checksum: done.checksum })
    }
}

impl Lane for Clients<'_> {
    fn turn(&mut self, turn: &Turn) -> Tally {
        // Without requests there is nothing to wait for, and no turn that could warm up.
        if turn.share() == 0 || self.load.why_failed().is_some() {
            return Tally::default();
        }
        self.ask(turn.share()).unwrap_or_else(|why| {
            *self.load.why_failed() = Some(why);
            Tally::default()
        })
    }
}
