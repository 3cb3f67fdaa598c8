//! The server of the page: access control and response headers. The crate `page` decides what is
//! shown.
//!
//! It listens on loopback only. A one-time token in the printed address is exchanged for a cookie,
//! `Host` and `Origin` are checked as for the API, and forms carry a token of their session.

mod access;
mod events;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use engine::Workspace;
use page::{Site, SiteRequest, SiteResponse};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::access::{UiAccess, UiSession};
use crate::http::guard::AddressGuard;
use crate::http::{ConnectionHandle, accept_connections};
use crate::perform::{CallerInfo, run_blocking};

/// The longest form, in bytes.
const MAX_FORM_BYTES: usize = 4 * 1024 * 1024;

/// The headers of every response. Pages load nothing from other servers and cannot be embedded in
/// other pages.
const SECURITY_HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
         connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    // Without a referrer of its own, a form would come from the origin `null`.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
];

/// The configuration of a server of the page.
pub(crate) struct UiConfig {
    /// The repository
    pub workspace: Arc<Workspace>,
    /// The author recorded with changes
    pub actor: String,
    /// Whether changes are refused
    pub read_only: bool,
    /// Further host names, under which the port is forwarded
    pub allowed_hosts: Vec<String>,
    /// How long a request may take
    pub timeout: Duration,
}

/// Prints a line for the person who started the server.
type LogLine = fn(&str);

struct UiServer {
    site: Arc<Site>,
    guard: AddressGuard,
    access: UiAccess,
    actor: String,
    timeout: Duration,
    shutdown: CancellationToken,
    state: watch::Sender<String>,
    log: LogLine,
}

/// Serves the page until `shutdown` is cancelled. `log` gets the address to open.
pub(crate) async fn serve(
    config: UiConfig,
    listener: TcpListener,
    shutdown: CancellationToken,
    log: LogLine,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let address = listener.local_addr()?;
    let mut guard = AddressGuard::new(address);
    config.allowed_hosts.iter().for_each(|host| guard.allow_host(host));
    let access = UiAccess::new(address).map_err(io::Error::other)?;
    let site = Site { workspace: config.workspace, read_only: config.read_only };
    log(&format!("open {} in a browser of this machine; it works once", access.address()));
    let server = Arc::new(UiServer {
        site: Arc::new(site),
        guard,
        access,
        actor: config.actor,
        timeout: config.timeout,
        shutdown: shutdown.clone(),
        state: watch::Sender::new(String::new()),
        log,
    });
    tokio::spawn(events::follow_repository(
        server.site.workspace.clone(),
        server.state.clone(),
        shutdown.clone(),
    ));
    accept_connections(listener, router(server), shutdown).await;
    Ok(())
}

fn router(server: Arc<UiServer>) -> Router {
    Router::new()
        .route("/events", get(events::events))
        .fallback(answer)
        .layer(from_fn_with_state(server.clone(), authorize))
        .layer(from_fn(with_security_headers))
        .with_state(server)
}

async fn with_security_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Lets a request pass, or answers it.
async fn authorize(
    State(server): State<Arc<UiServer>>,
    Extension(visitor): Extension<ConnectionHandle>,
    mut request: Request,
    next: Next,
) -> Response {
    if !server.guard.accepts(request.headers()) || !is_own_form(&request) {
        let text = "The request names another host or comes from another page. If the port is \
                    forwarded, start the server with --allow-host HOST.";
        return message(StatusCode::FORBIDDEN, "Not for this server", text);
    }
    if let Some(asset) = page::asset(request.uri().path()) {
        let kept = "public, max-age=31536000, immutable";
        let headers = [(header::CONTENT_TYPE, asset.content_type), (header::CACHE_CONTROL, kept)];
        return (headers, asset.body).into_response();
    }
    if request.uri().path() == access::OPEN_PATH {
        return server.exchange(request.uri().query().unwrap_or_default());
    }
    let Some(session) = server.access.session_of(request.headers()) else {
        let text = "Open the address that the command printed; it works once, for one browser. \
                    Afterwards it prints another one.";
        return message(StatusCode::UNAUTHORIZED, "This page is private", text);
    };
    if !visitor.try_authenticate() {
        let text = "Close some of the browser's tabs with this page.";
        return message(StatusCode::SERVICE_UNAVAILABLE, "Too many connections", text);
    }
    request.extensions_mut().insert(session);
    next.run(request).await
}

/// Whether a form was sent by a page of this server. The guard has checked the origin if there is
/// one; a form must have one.
fn is_own_form(request: &Request) -> bool {
    let headers = request.headers();
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    match *request.method() {
        Method::GET | Method::HEAD => true,
        Method::POST => {
            headers.contains_key(header::ORIGIN) && site.is_none_or(|site| site == b"same-origin")
        }
        _ => false,
    }
}

fn message(status: StatusCode, title: &str, text: &str) -> Response {
    html(status, page::message_page(title, text))
}

fn html(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], body).into_response()
}

impl UiServer {
    /// Exchanges the one-time token for a cookie.
    ///
    /// The answer is a page that navigates by itself. A redirect would count as sent by the program
    /// in which the link was clicked, and the browser would not send the cookie.
    fn exchange(&self, query: &str) -> Response {
        match self.access.exchange(query) {
            Ok(Some(cookie)) => {
                (self.log)(&format!("opened; for another browser: {}", self.access.address()));
                let headers = [
                    (header::SET_COOKIE, cookie),
                    (HeaderName::from_static("refresh"), "0; url=/".to_owned()),
                ];
                let body = page::message_page("Welcome", "The page opens by itself.");
                (headers, html(StatusCode::OK, body)).into_response()
            }
            Ok(None) => {
                let text = "The token is wrong or was already used. \
                            Open the new address that the command has printed.";
                message(StatusCode::UNAUTHORIZED, "This address does not work any more", text)
            }
            Err(_) => {
                message(StatusCode::INTERNAL_SERVER_ERROR, "Something failed", "No randomness.")
            }
        }
    }

    fn caller(&self) -> CallerInfo {
        CallerInfo {
            actor: self.actor.clone(),
            session: crate::session::for_process(),
            timeout: self.timeout,
            cancel: CancellationToken::new(),
            shutdown: self.shutdown.clone(),
        }
    }
}

/// Answers with a view, or with the change that a form asks for.
async fn answer(
    State(server): State<Arc<UiServer>>,
    Extension(session): Extension<UiSession>,
    request: Request,
) -> Response {
    let is_form = request.method() == Method::POST;
    let (path, query) = (request.uri().path().to_owned(), request.uri().query());
    let query = query.unwrap_or_default().to_owned();
    let form = if is_form { read_form(request.into_body()).await } else { None };
    if is_form && form.is_none() {
        let text = "The form is too long or is not text.";
        return message(StatusCode::PAYLOAD_TOO_LARGE, "Too long", text);
    }
    let asked = SiteRequest { path, query, form, form_token: session.form_token };
    let site = server.site.clone();
    let work = move |call| Ok(page::respond(&site, Arc::new(call), &asked));
    match run_blocking(server.caller(), watch::Sender::default(), work).await {
        Ok(SiteResponse::Html { status, body }) => {
            html(StatusCode::from_u16(status).unwrap_or(StatusCode::OK), body)
        }
        Ok(SiteResponse::Download(file)) => {
            let disposition = format!("attachment; filename=\"{}\"", file.name);
            let headers = [
                (header::CONTENT_TYPE, file.content_type.to_owned()),
                (header::CONTENT_DISPOSITION, disposition),
            ];
            (headers, file.body).into_response()
        }
        Ok(SiteResponse::Redirect(to)) => {
            (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response()
        }
        Err(problem) => {
            message(StatusCode::INTERNAL_SERVER_ERROR, "Something failed", &problem.to_string())
        }
    }
}

async fn read_form(body: Body) -> Option<String> {
    let bytes: Bytes = axum::body::to_bytes(body, MAX_FORM_BYTES).await.ok()?;
    String::from_utf8(bytes.to_vec()).ok()
}
