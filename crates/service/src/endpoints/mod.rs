//! What the servers answer: the same functions from bytes to bytes behind every stack.

mod hello;
mod lot_of_objects;
mod rpc;
mod session;
mod upload;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use hello::Hello;
use lot_of_objects::LotOfObjects;
use rpc::Rpc;
use session::Session;
use upload::Upload;

/// How an endpoint is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Without a body.
    Get,
    /// With one.
    Post,
}

impl Method {
    /// As it stands in a request.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A path that a server answers.
trait Endpoint: Send + Sync {
    /// What a client sends; empty for [`Method::Get`]. The same each time, so that the answer is.
    fn request(&self) -> Vec<u8>;

    /// What the server answers. Fails with what is wrong with the request, or with the server's own state.
    fn answer(&self, request: &[u8]) -> Result<Vec<u8>, String>;
}

/// A path with its method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Where it is found, with the slash.
    pub path: &'static str,
    /// How it is asked.
    pub method: Method,
    /// What its answers are.
    pub content_type: &'static str,
}

const JSON: &str = "application/json";
const BYTES: &str = "application/octet-stream";

/// Everything that a server answers. The paths are those of [`Endpoints`], in its order.
pub const ROUTES: [Route; 5] = [
    Route { path: "/hello", method: Method::Get, content_type: JSON },
    Route { path: "/lotofobjects", method: Method::Get, content_type: JSON },
    Route { path: "/rpc", method: Method::Post, content_type: BYTES },
    Route { path: "/upload", method: Method::Post, content_type: JSON },
    Route { path: "/session", method: Method::Post, content_type: JSON },
];

/// What a server sends back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// What the body is.
    pub content_type: &'static str,
    /// The body.
    pub body: Vec<u8>,
}

/// Called with the number of each request, from 0, before it is answered: how a worker that is to lose on purpose disturbs its
/// server.
pub type Disturbance = fn(u64);

/// The endpoints of one server, with what they keep.
pub struct Endpoints {
    all: [Box<dyn Endpoint>; ROUTES.len()],
    disturbance: Option<Disturbance>,
    requests: AtomicU64,
    /// Requests that were answered, where they are counted.
    answered: Option<AtomicU64>,
}

/// What decides what endpoints answer, and what they keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The seed of everything random.
    pub seed: u64,
    /// Objects in a document of `/lotofobjects`.
    pub objects: usize,
    /// Parts in a call of `/rpc`.
    pub parts: usize,
    /// Items in a document of `/upload`.
    pub items: usize,
    /// Sessions that `/session` keeps.
    pub sessions: usize,
}

impl Contents {
    /// What the workloads have where nobody says otherwise.
    pub const fn new(seed: u64) -> Self {
        Self { seed, objects: 3000, parts: 100, items: 100, sessions: 10_000 }
    }
}

impl Endpoints {
    /// All of them.
    pub fn new(contents: Contents, disturbance: Option<Disturbance>) -> Self {
        let Contents { seed, objects, parts, items, sessions } = contents;
        Self {
            all: [
                Box::new(Hello::new(seed)),
                Box::new(LotOfObjects::new(seed, objects)),
                Box::new(Rpc::new(seed, parts)),
                Box::new(Upload::new(seed, items)),
                Box::new(Session::new(seed, sessions)),
            ],
            disturbance,
            requests: AtomicU64::new(0),
            answered: None,
        }
    }

    /// The same, but they count what they answer, which costs every request a write to memory that the threads share.
    #[must_use]
    pub fn counting(self) -> Self {
        Self { answered: Some(AtomicU64::new(0)), ..self }
    }

    /// Requests that were answered so far; none where they are not [counted](Self::counting).
    pub fn answered(&self) -> u64 {
        self.answered.as_ref().map_or(0, |answered| answered.load(Ordering::Relaxed))
    }

    fn endpoint(&self, route: Route) -> Option<&dyn Endpoint> {
        let index = ROUTES.iter().position(|known| *known == route)?;
        Some(&*self.all[index])
    }

    /// What a client sends to this route; nothing where there is no such route.
    pub fn request(&self, route: Route) -> Vec<u8> {
        self.endpoint(route).map(Endpoint::request).unwrap_or_default()
    }

    /// What a server answers to this body at this route.
    pub fn answer(&self, route: Route, body: &[u8]) -> Answer {
        if let Some(disturbance) = self.disturbance {
            disturbance(self.requests.fetch_add(1, Ordering::Relaxed));
        }
        let answer = self.undisturbed(route, body);
        if let Some(answered) = &self.answered {
            answered.fetch_add(1, Ordering::Relaxed);
        }
        answer
    }

    /// The same without a disturbance: for whoever wants to know what the answer should be.
    pub fn undisturbed(&self, route: Route, body: &[u8]) -> Answer {
        let answer = self.endpoint(route).map(|endpoint| endpoint.answer(body));
        match answer {
            Some(Ok(body)) => Answer { status: 200, content_type: route.content_type, body },
            Some(Err(why)) => Answer { status: 400, content_type: "text/plain", body: why.into_bytes() },
            None => Answer::not_found(),
        }
    }

    /// The route of this method and path.
    pub fn route(method: &str, path: &str) -> Option<Route> {
        ROUTES.into_iter().find(|route| route.path == path && route.method.name() == method)
    }
}

impl Answer {
    /// To a path that nobody serves.
    pub fn not_found() -> Self {
        Self { status: 404, content_type: "text/plain", body: b"no such path".to_vec() }
    }
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(ROUTES.iter().map(|route| route.path)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_answers_its_own_request_the_same_each_time() {
        let endpoints = Endpoints::new(Contents::new(1), None);
        for route in ROUTES {
            let request = endpoints.request(route);
            assert_eq!(request.is_empty(), route.method == Method::Get, "{}", route.path);
            let first = endpoints.answer(route, &request);
            assert_eq!(first.status, 200, "{}: {}", route.path, String::from_utf8_lossy(&first.body));
            for _ in 0..20 {
                assert!(endpoints.answer(route, &request) == first, "{} changes its answer", route.path);
            }
        }
    }

    #[test]
    fn another_seed_has_other_answers_and_the_same_one_the_same() {
        let of = |seed| {
            let endpoints = Endpoints::new(Contents::new(seed), None);
            ROUTES.map(|route| endpoints.answer(route, &endpoints.request(route)).body)
        };
        assert!(of(1) == of(1));
        for (one, (two, route)) in of(1).iter().zip(of(2).iter().zip(ROUTES)) {
            assert!(one != two, "{}", route.path);
        }
    }

    #[test]
    fn a_request_that_makes_no_sense_is_refused() {
        let endpoints = Endpoints::new(Contents::new(1), None);
        for route in ROUTES.into_iter().filter(|route| route.method == Method::Post) {
            let sound = endpoints.request(route);
            for wrong in [&b""[..], b"{}", &sound[..sound.len() / 2]] {
                assert_eq!(endpoints.answer(route, wrong).status, 400, "{}", route.path);
            }
        }
    }

    #[test]
    fn a_disturbance_sees_every_request() {
        static SEEN: AtomicU64 = AtomicU64::new(0);
        let endpoints = Endpoints::new(Contents::new(1), Some(|number| _ = SEEN.fetch_max(number, Ordering::Relaxed)));
        for _ in 0..5 {
            endpoints.answer(ROUTES[0], &[]);
        }
        endpoints.undisturbed(ROUTES[0], &[]);
        assert_eq!(SEEN.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn answers_are_counted_where_that_is_asked_for() {
        let plain = Endpoints::new(Contents::new(1), None);
        let counting = Endpoints::new(Contents::new(1), None).counting();
        for endpoints in [&plain, &counting] {
            endpoints.answer(ROUTES[0], &[]);
            endpoints.undisturbed(ROUTES[0], &[]);
            endpoints.answer(ROUTES[2], b"nonsense");
        }
        assert_eq!((plain.answered(), counting.answered()), (0, 2));
    }

    #[test]
    fn routes_are_found_by_method_and_path() {
        for route in ROUTES {
            assert_eq!(Endpoints::route(route.method.name(), route.path), Some(route));
        }
        assert_eq!(Endpoints::route("POST", "/hello"), None);
        assert_eq!(Endpoints::route("GET", "/nowhere"), None);
    }
}
