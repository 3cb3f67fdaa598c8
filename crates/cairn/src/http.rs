//! The HTTP door: MCP at `/mcp` and every operation at `POST /api/<operation>`.
//!
//! One guard stands before both: loopback `Host`, known `Origin`, bearer token.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Json, Path, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base::{Code, Problem};
use engine::{Door, DoorWords, Object, Outcome, Workspace, ops};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::mcp::Options;
use crate::perform::{Caller, operate, permit};

/// The longest request body, in bytes; the same as a line on stdin.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// How long requests in flight get when the server ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// A client that says nothing for so long has left.
const IDLE: Duration = Duration::from_hours(1);

/// Who may come in.
struct Guard {
    /// Bound to every address: then any name may be meant, and the token alone decides
    any_host: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    token: blake3::Hash,
}

impl Guard {
    fn new(address: SocketAddr, token: &str) -> Self {
        let port = address.port();
        let mut hosts =
            ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")).to_vec();
        if !address.ip().is_loopback() {
            hosts.push(address.to_string());
        }
        let origins = hosts.iter().map(|host| format!("http://{host}")).collect();
        Self {
            any_host: address.ip().is_unspecified(),
            hosts,
            origins,
            token: blake3::hash(token.as_bytes()),
        }
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), StatusCode> {
        let text = |name: HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or_default());
        let listed = |list: &[String], value: &str| list.iter().any(|entry| entry == value);
        let host = text(header::HOST);
        if !host.is_some_and(|host| self.any_host || listed(&self.hosts, host)) {
            return Err(StatusCode::FORBIDDEN);
        }
        if !text(header::ORIGIN).is_none_or(|origin| listed(&self.origins, origin)) {
            return Err(StatusCode::FORBIDDEN);
        }
        let token = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        // Hashes compare in constant time, so the answer's timing tells nothing of the token.
        let known = token.is_some_and(|token| blake3::hash(token.as_bytes()) == self.token);
        known.then_some(()).ok_or(StatusCode::UNAUTHORIZED)
    }
}

struct Api {
    workspace: Arc<Workspace>,
    options: Options,
    gone: CancellationToken,
}

/// Serves an MCP handler and the API until `gone` is cancelled. `ready` hears the address.
pub async fn serve<H: ServerHandler + Clone>(
    handler: H,
    (workspace, options): (Arc<Workspace>, Options),
    (address, token): (SocketAddr, &str),
    gone: CancellationToken,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let guard = Guard::new(address, token);
    let api = Api { workspace, options, gone: gone.clone() };
    ready(address);
    let end = gone.clone();
    let served = axum::serve(listener, router(handler, api, guard));
    let served = served.with_graceful_shutdown(gone.cancelled_owned());
    tokio::select! {
        served = served => served,
        // Somebody who does not finish their request must not keep the server alive.
        () = async { end.cancelled().await; tokio::time::sleep(FAREWELL).await } => Ok(()),
    }
}

fn router<H: ServerHandler + Clone>(handler: H, api: Api, guard: Guard) -> Router {
    // Legacy sessions stay on: without them an older client's cancellation is lost.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts() // the guard has looked at it already
        .with_allowed_origins(guard.origins.clone())
        .with_max_request_body_bytes(LONGEST)
        .with_cancellation_token(api.gone.clone())
        .enforce_origin_validation();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(sessions), config);
    Router::new()
        .route("/api/{operation}", post(call))
        .layer(DefaultBodyLimit::max(LONGEST))
        .with_state(Arc::new(api))
        .nest_service("/mcp", mcp)
        .layer(from_fn_with_state(Arc::new(guard), admit))
}

async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(StatusCode::UNAUTHORIZED) => {
            let problem = Problem::new(Code::Untrusted, "no bearer token, or a wrong one")
                .hint("send  Authorization: Bearer TOKEN");
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
            (StatusCode::UNAUTHORIZED, challenge, Json(DoorWords::Requests.json(&Err(problem))))
                .into_response()
        }
        Err(status) => {
            let problem =
                Problem::new(Code::Untrusted, "another Host or Origin than this server's");
            (status, Json(DoorWords::Requests.json(&Err(problem)))).into_response()
        }
    }
}

async fn call(
    State(api): State<Arc<Api>>,
    Path(operation): Path<String>,
    args: Result<Json<Object>, JsonRejection>,
) -> Response {
    let (status, outcome) = match args {
        Ok(Json(args)) => {
            let outcome = api.answer(&operation, args).await;
            let status =
                outcome.as_ref().map_or_else(|problem| status(problem.code), |_| StatusCode::OK);
            (status, outcome)
        }
        Err(refusal) => {
            let problem = Problem::invalid(refusal.body_text());
            (refusal.status(), Err(problem.hint("send a JSON object with the arguments")))
        }
    };
    (status, Json(DoorWords::Requests.json(&outcome))).into_response()
}

impl Api {
    async fn answer(&self, operation: &str, args: Object) -> Outcome {
        let (op, args) = ops::resolve(operation, args)?;
        permit(op, Door::Http, self.options.read_only)?;
        let caller = Caller {
            actor: "http".into(),
            timeout: Duration::from_secs(self.options.timeout),
            cancel: CancellationToken::new(),
            gone: self.gone.clone(),
        };
        operate(self.workspace.clone(), (op, args), caller, watch::Sender::default()).await
    }
}

const fn status(code: Code) -> StatusCode {
    match code {
        Code::ValidationError | Code::Ambiguous | Code::SyntaxError => StatusCode::BAD_REQUEST,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Conflict | Code::HasChildren | Code::Blocked => StatusCode::CONFLICT,
        Code::InvariantViolation => StatusCode::UNPROCESSABLE_ENTITY,
        Code::InvalidOperation
        | Code::OutsideRepository
        | Code::WrongWorktree
        | Code::Untrusted => StatusCode::FORBIDDEN,
        Code::Unavailable | Code::Busy => StatusCode::SERVICE_UNAVAILABLE,
        Code::Timeout => StatusCode::GATEWAY_TIMEOUT,
        Code::Cancelled => StatusCode::REQUEST_TIMEOUT,
        Code::StoreDamaged | Code::Io | Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_checks_host_then_origin_then_token() {
        let address = SocketAddr::from(([127, 0, 0, 1], 80));
        let check = |host: &str, origin: &str, token: &str| {
            let named =
                [(header::HOST, host), (header::ORIGIN, origin), (header::AUTHORIZATION, token)];
            let given = named.into_iter().filter(|(_, value)| !value.is_empty());
            let headers = given.map(|(name, value)| (name, value.parse().unwrap())).collect();
            Guard::new(address, "secret").check(&headers).map_err(|status| status.as_u16())
        };
        let (host, good) = ("127.0.0.1:80", "Bearer secret");
        assert_eq!(check(host, "", good), Ok(()));
        assert_eq!(check(host, "http://localhost:80", good), Ok(()));
        assert_eq!(check(host, "", ""), Err(401));
        assert_eq!(check(host, "", "Bearer guess"), Err(401));
        assert_eq!(check(host, "http://evil.example", good), Err(403));
        assert_eq!(check(host, "null", good), Err(403));
        assert_eq!(check("evil.example:80", "", good), Err(403));
        assert_eq!(check("", "", good), Err(403));
    }
}
