//! The HTTP door: MCP at `/mcp` and every operation at `POST /api/<operation>`.
//!
//! One guard stands before both, and the numbers of connections and of sessions are limited.

mod guard;
mod ids;
mod sessions;
mod visitors;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Extension, Json, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base::{Code, Problem};
use engine::{Door, DoorWords, Object, OpSpec, Outcome, Workspace, ops};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::guard::{Guard, admit};
use self::ids::RequestIds;
use self::sessions::Sessions;
use self::visitors::{Visitor, Visitors};
use crate::mcp::Options;
use crate::perform::{Caller, operate, permit};

/// The longest request body, in bytes; the same as a line on stdin.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// How long requests in flight get when the server ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long a client may take for the head of a request, and between two requests.
const HEADER: Duration = Duration::from_secs(30);

/// How long to wait when no connection can be taken.
const PAUSE: Duration = Duration::from_millis(50);

/// The header that says who a request is from, for the record.
pub(crate) const ACTOR: &str = "x-cairn-actor";

/// A client that says nothing for so long has left.
const IDLE: Duration = Duration::from_hours(1);

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
    let (router, visitors) = (router(handler, api, guard), Visitors::default());
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            () = gone.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let visitor = visitors.enter();
                connections.spawn(attend(stream, router.clone(), visitor, gone.clone()));
            }
            // Handles run out, or a client has left already; neither ends the server.
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
    // Somebody who does not finish their request must not keep the server alive.
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(FAREWELL, all).await;
    Ok(())
}

/// Serves one connection until it ends, another takes its place, or the server ends.
async fn attend(stream: TcpStream, router: Router, visitor: Visitor, gone: CancellationToken) {
    let service = TowerToHyperService::new(router.layer(Extension(visitor.clone())));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        () = visitor.evicted() => {}
        () = gone.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(FAREWELL, connection).await;
        }
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
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(IDLE);
    let manager = Arc::new(manager);
    let sessions = Arc::new(Sessions::of(manager.clone()));
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), manager, config);
    let mcp = Router::new().fallback_service(mcp);
    let mcp = mcp.layer(from_fn_with_state(sessions, sessions::count));
    let mcp = mcp.layer(from_fn_with_state(Arc::new(RequestIds::default()), ids::rename));
    Router::new()
        .route("/api/{operation}", post(call))
        .layer(DefaultBodyLimit::max(LONGEST))
        .with_state(Arc::new(api))
        .nest("/mcp", mcp)
        .layer(from_fn_with_state(Arc::new(guard), admit))
}

async fn call(
    State(api): State<Arc<Api>>,
    Path(operation): Path<String>,
    headers: HeaderMap,
    args: Result<Json<Object>, JsonRejection>,
) -> Response {
    let (status, outcome) = match args {
        Ok(Json(args)) => {
            let outcome = api.answer(&operation, args, &headers).await;
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
    async fn answer(&self, operation: &str, args: Object, headers: &HeaderMap) -> Outcome {
        let (op, mut args) = ops::resolve(operation, args)?;
        permit(op, Door::Http, self.options.read_only)?;
        let field = args_actor(op, &mut args)?;
        let actor = actor_of(headers)?.or(field).unwrap_or_else(|| "http".into());
        let caller = Caller {
            session: crate::session::of_actor(&actor),
            actor,
            timeout: Duration::from_secs(self.options.timeout),
            cancel: CancellationToken::new(),
            gone: self.gone.clone(),
        };
        operate(self.workspace.clone(), (op, args), caller, watch::Sender::default()).await
    }
}

/// Who a request says it is from, in its header.
pub(crate) fn actor_of(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get(ACTOR) else { return Ok(None) };
    actor_named(&String::from_utf8_lossy(value.as_bytes())).map(Some)
}

/// Who the arguments say they are from: `actor`, where the operation has no such argument itself.
fn args_actor(op: &OpSpec, args: &mut Object) -> Result<Option<String>, Problem> {
    let is_own = (op.input_schema)()
        .get("properties")
        .is_some_and(|properties| properties.get("actor").is_some());
    match args.get("actor") {
        None => Ok(None),
        Some(_) if is_own => Ok(None),
        Some(_) => match args.remove("actor") {
            Some(serde_json::Value::String(name)) => actor_named(&name).map(Some),
            _ => Err(Problem::invalid("`actor` is a text")),
        },
    }
}

/// The longest name of somebody who asks, in characters.
const LONGEST_NAME: usize = 200;

fn actor_named(name: &str) -> Result<String, Problem> {
    let name = name.trim();
    let is_fine = !name.is_empty()
        && name.chars().count() <= LONGEST_NAME
        && !name.contains(char::is_control);
    if is_fine {
        return Ok(name.to_owned());
    }
    let most = LONGEST_NAME;
    Err(Problem::invalid(format!("an actor is a name of 1 to {most} characters on one line"))
        .hint(format!("send it as `actor`, or in the header {ACTOR}")))
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
