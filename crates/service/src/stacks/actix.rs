//! actix-web: threads that share nothing but the listener, each with a runtime of its own.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::http::{KeepAlive, StatusCode};
use actix_web::{App, HttpResponse, HttpServer, rt::System, web};

use super::{LARGEST_BODY, Served, Size, Stack};
use crate::endpoints::{Answer, Endpoints, Method, ROUTES};

/// See the [module](self).
pub(super) const STACK: Stack =
    Stack { name: "actix", crate_name: "actix-web", version: "4.18.1", descriptors: 1, start };

/// The server's own thread, which only waits for the others.
struct Actix {
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

fn start(listener: TcpListener, endpoints: &Arc<Endpoints>, size: Size) -> io::Result<Box<dyn Served>> {
    let endpoints = web::Data::from(Arc::clone(endpoints));
    let server = HttpServer::new(move || {
        let app = App::new().app_data(endpoints.clone()).app_data(web::PayloadConfig::new(LARGEST_BODY));
        ROUTES.into_iter().fold(app, |app, route| {
            let serve = move |endpoints: web::Data<Endpoints>, body: web::Bytes| async move {
                response(endpoints.answer(route, &body))
            };
            let served = match route.method {
                Method::Get => web::get().to(serve),
                Method::Post => web::post().to(serve),
            };
            app.route(route.path, served)
        })
    });
    let server = server
        .workers(size.threads)
        .keep_alive(KeepAlive::Os)
        .client_request_timeout(Duration::ZERO)
        .disable_signals()
        .listen(listener)?
        .run();
    let handle = server.handle();
    let thread = std::thread::Builder::new().name("actix".into()).spawn(move || {
        if let Err(error) = System::new().block_on(server) {
            eprintln!("actix-web: {error}");
        }
    })?;
    Ok(Box::new(Actix { handle, thread: Some(thread) }))
}

fn response(answer: Answer) -> HttpResponse {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::build(status).content_type(answer.content_type).body(answer.body)
}

impl Served for Actix {}

impl Drop for Actix {
    fn drop(&mut self) {
        // The order is given when the call is made; to wait for it is the thread's affair.
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
