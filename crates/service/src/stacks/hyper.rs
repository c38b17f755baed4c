//! hyper: HTTP itself on tokio's threads, with nothing in between.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;

use super::runtime::Tokio;
use super::{LARGEST_BODY, Served, Size, Stack};
use crate::endpoints::{Answer, Endpoints};

/// See the [module](self).
pub(super) const STACK: Stack = Stack { name: "hyper", crate_name: "hyper", version: "1.12.0", descriptors: 1, start };

/// Where no connection can be taken, for want of descriptors for one, it is tried again after so long.
const PAUSE: Duration = Duration::from_millis(10);

fn start(listener: TcpListener, endpoints: &Arc<Endpoints>, size: Size) -> io::Result<Box<dyn Served>> {
    let tokio = Tokio::start(size.threads)?;
    let listener = tokio.listener(listener)?;
    tokio.runtime().spawn(accept(listener, Arc::clone(endpoints)));
    Ok(Box::new(tokio))
}

async fn accept(listener: tokio::net::TcpListener, endpoints: Arc<Endpoints>) {
    loop {
        let Ok((connection, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let endpoints = Arc::clone(&endpoints);
        tokio::spawn(async move {
            let serve = service_fn(move |request| answer(Arc::clone(&endpoints), request));
            // A client that goes away in the middle is the client's affair, and counted there.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(connection), serve).await;
        });
    }
}

async fn answer(endpoints: Arc<Endpoints>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let Some(route) = Endpoints::route(head.method.as_str(), head.uri.path()) else {
        return Ok(response(Answer::not_found()));
    };
    Ok(match Limited::new(body, LARGEST_BODY).collect().await {
        Ok(body) => response(endpoints.answer(route, &body.to_bytes())),
        Err(error) => {
            response(Answer { status: 400, content_type: "text/plain", body: error.to_string().into_bytes() })
        }
    })
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    response
}
