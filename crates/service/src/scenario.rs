//! The workloads: which endpoint, how many clients, and what a reader should know.

use heapmark_worker::{About, Parameter, Setup};

use crate::endpoints::{Contents, ROUTES, Route};
use crate::stacks::STACK_NAMES;

/// A workload of the family.
pub(crate) struct Scenario {
    pub(crate) about: &'static About,
    /// What the clients ask for.
    pub(crate) route: Route,
    /// What the parameters make of what the endpoints answer.
    pub(crate) contents: fn(&Setup<'_>) -> Contents,
    /// After how much quiet time memory is worth reading.
    pub(crate) settle_ms: &'static [u64],
}

const STACK: Parameter = Parameter::choice("stack", &STACK_NAMES, "which HTTP server");
const KEEP_ALIVE: Parameter =
    Parameter::choice("keep_alive", &["yes", "no"], "whether a connection serves more than one request");
const RATE: Parameter =
    Parameter::number("rate", 0, 0, 10_000_000, "requests that are due in a second; 0 for as many as are answered");
const SERVER_CORES: Parameter = Parameter::number(
    "server_cores",
    0,
    0,
    1023,
    "processors for the server, the others being the generator's; 0 for all but one where there are four or more, else all for both",
);

const fn connections(default: u64) -> Parameter {
    Parameter::number("connections", default, 1, 100_000, "clients that ask at the same time")
}

const fn turn_requests(default: u64) -> Parameter {
    Parameter::number("turn_requests", default, 1, 1_000_000_000, "requests that a turn has at least")
}

const fn pool(default: u64) -> Parameter {
    Parameter::number("threads", default, 1, 1024, "threads of the server")
}

/// All of them, in the order in which they are listed.
pub(crate) const SCENARIOS: [Scenario; 6] = [
    Scenario { about: &HELLO, route: ROUTES[0], contents: |setup| Contents::new(setup.seed), settle_ms: &[] },
    Scenario {
        about: &LOT_OF_OBJECTS,
        route: ROUTES[1],
        contents: |setup| Contents { objects: setup.size("objects"), ..Contents::new(setup.seed) },
        settle_ms: &[],
    },
    Scenario { about: &RPC, route: ROUTES[2], contents: parts, settle_ms: &[] },
    Scenario { about: &RPC_SOAK, route: ROUTES[2], contents: parts, settle_ms: &[500, 2000] },
    Scenario {
        about: &UPLOAD,
        route: ROUTES[3],
        contents: |setup| Contents { items: setup.size("items"), ..Contents::new(setup.seed) },
        settle_ms: &[],
    },
    Scenario {
        about: &SESSION,
        route: ROUTES[4],
        contents: |setup| Contents { sessions: setup.size("sessions"), ..Contents::new(setup.seed) },
        settle_ms: &[],
    },
];

fn parts(setup: &Setup<'_>) -> Contents {
    Contents { parts: setup.size("parts"), ..Contents::new(setup.seed) }
}

static HELLO: About = About {
    name: "service/hello",
    summary: "an HTTP server that answers a small JSON object: the stack itself",
    unit: "request",
    details: "A server of the chosen stack runs inside the worker, on threads of its own; a generator, a process apart that is never \
              on the allocator under test, keeps `connections` clients asking. Each answer is checked whole, and one that is \
              wrong, late or missing ends the sample with an error. CPU time is the server's alone, so compare requests per CPU \
              second first: on a machine where server and generator share the processors, requests per second are those of \
              both. With four processors or more they are kept apart, see `server_cores`; with fewer nobody is. `rate` makes an \
              open loop, in which latency counts from when a request was due. The response is so small that what differs is the \
              stack with its buffers: run it for each `stack`, with `keep_alive` on and off, and over `threads` or `connections` \
              for a curve. Follows field reports that put web servers of several kinds under load and swap the memory manager.",
    parameters: &[STACK, Parameter::threads(), connections(50), KEEP_ALIVE, RATE, turn_requests(1), SERVER_CORES],
};

static LOT_OF_OBJECTS: About = About {
    name: "service/lotofobjects",
    summary: "an HTTP server that builds 3,000 objects for each answer",
    unit: "request",
    details: "The server and its clients are those of service/hello. Each answer is an array of objects built as a tree of values, \
              written to a text and dropped, as in json/lotofobjects, of which this is the whole: at the default of 3,000 \
              objects 251,001 bytes, and 10 clients, as in the field report on a web framework that it follows. Nearly all of \
              the server's time is its own and not the stack's; compare CPU time, and peak memory over `connections`.",
    parameters: &[
        STACK,
        Parameter::threads(),
        connections(10),
        KEEP_ALIVE,
        RATE,
        turn_requests(1),
        SERVER_CORES,
        Parameter::number("objects", 3000, 1, 100_000, "objects in each answer"),
    ],
};

static RPC: About = About {
    name: "service/rpc",
    summary: "remote calls, compressed and encrypted, over an object graph, on a pool of threads",
    unit: "call",
    details: "The server and its clients are those of service/hello. The arguments of a call are decrypted (AES-256-GCM), \
              decompressed (LZ4) and parsed into a graph of parts that are made of each other; a function works out what the \
              last one contains, and its result is written, compressed and encrypted. So a call allocates buffers of some KiB \
              beside some hundred small blocks. Sweep `connections` from 13 to 3,900 on 16 `threads`: requests per second and \
              memory against connections are what the field report on a remote-call library that this follows was about. Every \
              connection has made a call before the first turn, so that what a stack keeps for each is there.",
    parameters: &[
        STACK,
        pool(16),
        connections(130),
        KEEP_ALIVE,
        RATE,
        turn_requests(1),
        SERVER_CORES,
        Parameter::number("parts", 100, 1, 10_000, "parts in the graph of each call"),
    ],
};

static RPC_SOAK: About = About {
    name: "service/rpc-soak",
    summary: "remote calls for long: whether memory grows, and whether every answer is right",
    unit: "call",
    details: "The calls of service/rpc, as memory over time: an undisturbed sample has many turns, after each of which resident \
              memory is read. Read the slope from it, growing or plateau, what is kept once the clients have gone, and that no \
              answer was wrong, which would have ended the sample. `turn_requests` says how long it lasts: an undisturbed sample \
              has 61 turns, of at least so many calls each. The field report had its servers run for 9.5 to 81 hours and 435 \
              million calls; with a million calls in a turn a sample here takes hours too.",
    parameters: &[
        STACK,
        pool(16),
        connections(130),
        KEEP_ALIVE,
        RATE,
        turn_requests(1000),
        SERVER_CORES,
        Parameter::number("parts", 100, 1, 10_000, "parts in the graph of each call"),
    ],
};

static UPLOAD: About = About {
    name: "service/upload",
    summary: "JSON posted to an HTTP server, parsed, edited, returned",
    unit: "request",
    details: "The server and its clients are those of service/hello. A client posts an order of `items` items, the server parses it \
              into a tree of values, edits each item and returns the whole. Compared with service/lotofobjects, blocks also \
              come from reading: a body that grows while it arrives, strings of the sizes that were sent.",
    parameters: &[
        STACK,
        Parameter::threads(),
        connections(50),
        KEEP_ALIVE,
        RATE,
        turn_requests(1),
        SERVER_CORES,
        Parameter::number("items", 100, 1, 100_000, "items of each order"),
    ],
};

static SESSION: About = About {
    name: "service/session",
    summary: "an HTTP server that keeps state for a while: survivors among the requests",
    unit: "request",
    details: "The server and its clients are those of service/hello. A client posts its cart, the server keeps a session with it \
              and with up to 17 pieces of up to 1 KiB, in the place of a random one of `sessions`, whose content is checked before \
              it goes. So most blocks of a request go with it, some stay among those of others for long, and those that go were \
              made by other threads. Compare peak memory and CPU time; blow-up is meaningful.",
    parameters: &[
        STACK,
        Parameter::threads(),
        connections(50),
        KEEP_ALIVE,
        RATE,
        turn_requests(1),
        SERVER_CORES,
        Parameter::number("sessions", 10_000, 1, 1_000_000, "sessions that are kept"),
    ],
};
