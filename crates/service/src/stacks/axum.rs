//! axum: a router, extractors and layers over hyper, on tokio's threads.

use std::future::IntoFuture;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use ::axum::Router;
use ::axum::body::Bytes;
use ::axum::extract::{DefaultBodyLimit, State};
use ::axum::http::{StatusCode, header::CONTENT_TYPE};
use ::axum::response::{IntoResponse, Response};
use ::axum::routing::{get, post};

use super::runtime::Tokio;
use super::{LARGEST_BODY, Served, Size, Stack};
use crate::endpoints::{Answer, Endpoints, Method, ROUTES};

/// See the [module](self).
pub(super) const STACK: Stack = Stack { name: "axum", crate_name: "axum", version: "0.8.9", descriptors: 1, start };

fn start(listener: TcpListener, endpoints: &Arc<Endpoints>, size: Size) -> io::Result<Box<dyn Served>> {
    let tokio = Tokio::start(size.threads)?;
    let listener = tokio.listener(listener)?;
    tokio.runtime().spawn(::axum::serve(listener, router(Arc::clone(endpoints))).into_future());
    Ok(Box::new(tokio))
}

fn router(endpoints: Arc<Endpoints>) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        let serve = move |State(endpoints): State<Arc<Endpoints>>, body: Bytes| async move {
            response(endpoints.answer(route, &body))
        };
        let served = match route.method {
            Method::Get => get(serve),
            Method::Post => post(serve),
        };
        router = router.route(route.path, served);
    }
    router.layer(DefaultBodyLimit::max(LARGEST_BODY)).with_state(endpoints)
}

fn response(answer: Answer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(CONTENT_TYPE, answer.content_type)], answer.body).into_response()
}
