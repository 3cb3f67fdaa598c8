//! The HTTP server: MCP at `/mcp` and every operation at `POST /api/<operation>`.
//!
//! One guard checks the requests of both. The numbers of connections and sessions are limited.

mod connections;
pub(crate) mod guard;
mod request_ids;
mod sessions;
mod tokens;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Extension, Json, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base::{Problem, ProblemCode};
use engine::{ColorMode, Door, JsonObject, OpSpec, Outcome, Workspace};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use operations::{CallFormat, ops};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub(crate) use self::connections::ConnectionHandle;
use self::connections::ConnectionTable;
use self::guard::{RequestGuard, authorize};
use self::request_ids::RequestIdMap;
use self::sessions::SessionLimiter;
pub(crate) use self::tokens::{TokenIdentity, parse_scope};
pub use self::tokens::{TokenList, TokenScope};
use crate::cli::exit_code;
use crate::mcp::ServerOptions;
use crate::perform::{CallerInfo, check_allowed, run_operation};

/// The longest request body, in bytes; a line on stdin has the same limit.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// How long running requests may take at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a client may take for the head of a request, and between two requests.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// How long to wait after a connection could not be accepted.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The header with the author that is recorded with changes.
pub(crate) const ACTOR_HEADER: &str = "x-cairn-actor";

/// The header with the exit code that a command line would end with.
pub(crate) const EXIT_HEADER: &str = "x-cairn-exit";

/// The type of an answer as text.
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";

/// The idle time after which an MCP session is closed.
const SESSION_IDLE_TIMEOUT: Duration = Duration::from_hours(1);

struct HttpApi {
    workspace: Arc<Workspace>,
    options: ServerOptions,
    shutdown: CancellationToken,
}

/// What an HTTP server serves, and where.
pub struct HttpServerConfig {
    /// The repository that the API answers for
    pub workspace: Arc<Workspace>,
    /// Timeouts, and whether writes are allowed
    pub options: ServerOptions,
    /// The address to listen on; port 0 picks a free one
    pub address: SocketAddr,
    /// The bearer tokens, one of which every request must send
    pub tokens: TokenList,
}

/// Serves an MCP handler and the API until `shutdown` is cancelled. `ready` gets the address once
/// the server listens.
pub async fn serve<H: ServerHandler + Clone>(
    handler: H,
    config: HttpServerConfig,
    shutdown: CancellationToken,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let HttpServerConfig { workspace, options, address, tokens } = config;
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let guard = RequestGuard::new(address, &options.allow_host, tokens);
    let api = HttpApi { workspace, options, shutdown: shutdown.clone() };
    ready(address);
    accept_connections(listener, router(handler, api, guard), shutdown).await;
    Ok(())
}

/// Serves every connection until `shutdown` is cancelled.
pub(crate) async fn accept_connections(
    listener: TcpListener,
    router: Router,
    shutdown: CancellationToken,
) {
    let visitors = ConnectionTable::default();
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            () = shutdown.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let visitor = visitors.accept();
                connections.spawn(serve_connection(
                    stream,
                    router.clone(),
                    visitor,
                    shutdown.clone(),
                ));
            }
            // No file handle is free, or the client has disconnected. Neither ends the server.
            Err(_) => tokio::time::sleep(ACCEPT_RETRY_DELAY).await,
        }
    }
    // A client that does not finish its request must not keep the server alive.
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, all).await;
}

/// Serves one connection until it ends, another takes its place, or the server ends.
async fn serve_connection(
    stream: TcpStream,
    router: Router,
    visitor: ConnectionHandle,
    shutdown: CancellationToken,
) {
    let service = TowerToHyperService::new(router.layer(Extension(visitor.clone())));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        () = visitor.evicted() => {}
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, connection).await;
        }
    }
}

fn router<H: ServerHandler + Clone>(handler: H, api: HttpApi, guard: RequestGuard) -> Router {
    // Legacy sessions stay on: without them an older client's cancellation is lost.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts() // the guard has checked the header already
        .with_allowed_origins(guard.origins().to_vec())
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_cancellation_token(api.shutdown.clone())
        .enforce_origin_validation();
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(SESSION_IDLE_TIMEOUT);
    let manager = Arc::new(manager);
    let sessions = Arc::new(SessionLimiter::new(manager.clone()));
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), manager, config);
    let mcp = Router::new().fallback_service(mcp);
    let mcp = mcp.layer(from_fn_with_state(sessions, sessions::track_sessions));
    let mcp =
        mcp.layer(from_fn_with_state(Arc::new(RequestIdMap::default()), request_ids::rewrite_ids));
    Router::new()
        .route("/api/{operation}", post(handle_api_call))
        .layer(DefaultBodyLimit::max(MAX_MESSAGE_BYTES))
        .with_state(Arc::new(api))
        .nest("/mcp", mcp)
        .layer(from_fn_with_state(Arc::new(guard), authorize))
}

async fn handle_api_call(
    State(api): State<Arc<HttpApi>>,
    Path(operation): Path<String>,
    Extension(identity): Extension<TokenIdentity>,
    headers: HeaderMap,
    args: Result<Json<JsonObject>, JsonRejection>,
) -> Response {
    let (status, outcome) = match args {
        Ok(Json(args)) => {
            let outcome = api.answer(&operation, args, &headers, &identity).await;
            let status =
                outcome.as_ref().map_or_else(|problem| status(problem.code), |_| StatusCode::OK);
            (status, outcome)
        }
        Err(refusal) => {
            let problem = Problem::invalid(refusal.body_text());
            (refusal.status(), Err(problem.hint("send a JSON object with the arguments")))
        }
    };
    // A remote command line shows the same text as a local one.
    if headers.get(header::ACCEPT).is_some_and(|wanted| wanted == TEXT) {
        let code = exit_code(&outcome).to_string();
        let text = CallFormat::CommandLine.text(&outcome, ColorMode::Plain);
        return (status, [(EXIT_HEADER, code), ("content-type", TEXT.to_owned())], text)
            .into_response();
    }
    let code = exit_code(&outcome).to_string();
    (status, [(EXIT_HEADER, code)], Json(CallFormat::Http.json(&outcome))).into_response()
}

impl HttpApi {
    async fn answer(
        &self,
        operation: &str,
        args: JsonObject,
        headers: &HeaderMap,
        identity: &TokenIdentity,
    ) -> Outcome {
        let (op, mut args) = ops::resolve(operation, args)?;
        check_allowed(op, Door::Http, self.options.read_only)?;
        check_scope(op, identity)?;
        let field = take_actor_arg(op, &mut args)?;
        let named = actor_from_headers(headers)?.or(field);
        // The name of a token is the author, whatever the request says.
        let actor = identity.name.clone().or(named).unwrap_or_else(|| "http".into());
        let caller = CallerInfo {
            session: crate::session::for_request(&actor, headers),
            actor,
            timeout: Duration::from_secs(self.options.timeout),
            cancel: CancellationToken::new(),
            shutdown: self.shutdown.clone(),
        };
        run_operation(self.workspace.clone(), op, args, caller, watch::Sender::default()).await
    }
}

/// Refuses an operation that writes to a token that may only read.
pub(crate) fn check_scope(op: &OpSpec, identity: &TokenIdentity) -> Result<(), Problem> {
    if op.is_read_only() || !identity.is_read_only() {
        return Ok(());
    }
    let name = identity.name.as_deref().unwrap_or_default();
    let message = format!("`{}` writes, and the token `{name}` may only read", op.name);
    Err(Problem::new(ProblemCode::InvalidOperation, message)
        .hint("ask for a token with the scope `write`"))
}

/// The author that a request names in its header.
pub(crate) fn actor_from_headers(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get(ACTOR_HEADER) else { return Ok(None) };
    parse_actor(&String::from_utf8_lossy(value.as_bytes())).map(Some)
}

/// The author that the arguments name: `actor`, unless the operation has such an argument itself.
fn take_actor_arg(op: &OpSpec, args: &mut JsonObject) -> Result<Option<String>, Problem> {
    let is_own = (op.input_schema)()
        .get("properties")
        .is_some_and(|properties| properties.get("actor").is_some());
    match args.get("actor") {
        None => Ok(None),
        Some(_) if is_own => Ok(None),
        Some(_) => match args.remove("actor") {
            Some(serde_json::Value::String(name)) => parse_actor(&name).map(Some),
            _ => Err(Problem::invalid("`actor` must be a string")),
        },
    }
}

/// The longest name of an author, in characters.
const MAX_ACTOR_CHARS: usize = 200;

fn parse_actor(name: &str) -> Result<String, Problem> {
    let name = name.trim();
    let is_fine = !name.is_empty()
        && name.chars().count() <= MAX_ACTOR_CHARS
        && !name.contains(char::is_control);
    if is_fine {
        return Ok(name.to_owned());
    }
    let most = MAX_ACTOR_CHARS;
    Err(Problem::invalid(format!(
        "`actor` must be 1 to {most} characters without control characters"
    ))
    .hint(format!("send it as `actor`, or in the header {ACTOR_HEADER}")))
}

const fn status(code: ProblemCode) -> StatusCode {
    match code {
        ProblemCode::ValidationError | ProblemCode::Ambiguous | ProblemCode::SyntaxError => {
            StatusCode::BAD_REQUEST
        }
        ProblemCode::NotFound => StatusCode::NOT_FOUND,
        ProblemCode::Conflict | ProblemCode::HasChildren | ProblemCode::Blocked => {
            StatusCode::CONFLICT
        }
        ProblemCode::InvariantViolation => StatusCode::UNPROCESSABLE_ENTITY,
        ProblemCode::InvalidOperation
        | ProblemCode::OutsideRepository
        | ProblemCode::WrongWorktree
        | ProblemCode::Untrusted => StatusCode::FORBIDDEN,
        ProblemCode::Unavailable | ProblemCode::Busy => StatusCode::SERVICE_UNAVAILABLE,
        ProblemCode::Timeout => StatusCode::GATEWAY_TIMEOUT,
        ProblemCode::Cancelled => StatusCode::REQUEST_TIMEOUT,
        ProblemCode::StoreDamaged | ProblemCode::Io | ProblemCode::Internal => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}
