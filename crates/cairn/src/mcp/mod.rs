//! The MCP server: operations as tools, files as resources, ready-made requests as prompts.
//!
//! The list of tools is fixed at launch. Operations that are not listed can be called through `ask`
//! and `run`, and by the names of older tools.

mod backlog;
mod catalog;
pub(crate) mod json_member;
mod pipe_closed;
mod stdio;
mod tools;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use base::Problem;
use base::call::Progress;
use clap::Args;
use engine::{ColorMode, Outcome, Workspace};
use operations::CallFormat;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
    CompleteResult, ContentBlock, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    Tool,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::perform::{CallerInfo, run_blocking, run_operation};
use crate::session;

/// How often a waiting client gets progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// How long a client may cache the list of tools, which does not change while the server runs.
const LIST_TTL_MS: u64 = 60 * 60 * 1000;

/// Methods of requests that have parameters.
const METHODS_WITH_ARGUMENTS: [&str; 4] =
    ["tools/call", "resources/read", "prompts/get", "completion/complete"];

/// The instructions for agents. They are short because some clients truncate them, and they cost
/// tokens in every client.
const INSTRUCTIONS: &str = "\
cairn is this repository's memory, read from the working tree as it is now. Start with `context` and \
the task in plain words: it shows the code that decides it, tests and callers. Read code with \
`code_show` (symbols, path:10-40, several at once), search text with `code_grep`, names with \
`search`. Before you change something, `impact`; change it with `code_edit`; then `review`. Every \
handle that an answer prints can be the target of the next call. The last line of an answer is its \
basis: `stale` or `partial` there says what was not looked at. `help` lists everything else (specs, \
requirements, history, tasks, edits by symbol); call it with `ask` (reads) or `run` (writes).";

/// Counts the messages that the reader of stdin finds in some bytes, for fuzzing.
#[cfg(feature = "fuzzing")]
pub async fn count_messages(bytes: &[u8]) -> usize {
    stdio::count_messages(bytes).await
}

/// Serve agents over MCP, on stdin and stdout or over HTTP
#[derive(Debug, Clone, Args)]
pub struct ServerOptions {
    /// List the tools of these groups besides the everyday ones, or `all`
    #[arg(long, value_delimiter = ',')]
    pub toolsets: Vec<String>,
    /// Refuse every operation that writes
    #[arg(long)]
    pub read_only: bool,
    /// Also send answers as structured content, with output schemas
    #[arg(long)]
    pub structured: bool,
    /// Serve HTTP on this address instead, with MCP at /mcp and operations at /api
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:7717")]
    pub http: Option<SocketAddr>,
    /// Also answer to this host name, under which a proxy forwards; with `:PORT` if its port is not 80 or 443
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// File with the bearer token for HTTP; without it a token is generated and stored
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<std::path::PathBuf>,
    /// File with named tokens for HTTP, one `name:scope:hash` a line, instead of the one token
    #[arg(long, value_name = "FILE", conflicts_with = "token_file")]
    pub tokens: Option<std::path::PathBuf>,
    /// Timeout of a call, in seconds
    #[arg(long, default_value_t = 60)]
    pub timeout: u64,
}

/// Serves one workspace. Clones share everything; there is no state per connection.
#[derive(Clone)]
pub struct McpServer {
    workspace: Arc<Workspace>,
    options: ServerOptions,
    tools: Arc<[Tool]>,
    words: CallFormat,
    shutdown: CancellationToken,
}

type McpRequestContext = RequestContext<RoleServer>;

impl McpServer {
    /// A server whose calls end when `shutdown` is cancelled.
    pub fn new(
        workspace: Arc<Workspace>,
        options: ServerOptions,
        shutdown: CancellationToken,
    ) -> Self {
        let tools: Arc<[Tool]> = tools::list(&options).into();
        let words = CallFormat::ToolCall(tools.iter().map(|tool| tool.name.to_string()).collect());
        Self { workspace, options, tools, words, shutdown }
    }

    /// Serves one client on stdin and stdout until it disconnects. `note` gets error messages.
    pub async fn serve_stdio(
        self,
        note: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<(), Problem> {
        let (input, output) = rmcp::transport::stdio_pipes();
        let parting = stdio::ShutdownSignals {
            shutdown: self.shutdown.clone(),
            drain_timeout: Duration::from_secs(self.options.timeout),
            stdin_closed: Box::pin(pipe_closed::stdin()),
            stdout_closed: Box::pin(pipe_closed::stdout()),
        };
        let transport = stdio::StdioTransport::new(input, output, parting, note);
        let broken = |error: String| Problem::internal(format!("mcp: {error}"));
        let service = match self.serve(transport).await {
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            started => started.map_err(|error| broken(error.to_string()))?,
        };
        service.waiting().await.map(drop).map_err(|error| broken(error.to_string()))
    }

    fn caller(&self, context: &McpRequestContext) -> CallerInfo {
        let named = http_identity(context).and_then(|identity| identity.name);
        let actor = named
            .or_else(|| http_actor(context))
            .or_else(|| context.client_info().map(|client| client.name))
            .unwrap_or_else(|| "mcp".into());
        // Over HTTP one process serves many clients.
        let session = match (&self.options.http, http_parts(context)) {
            (None, _) => session::for_process(),
            (Some(_), Some(parts)) => session::for_request(&actor, &parts.headers),
            (Some(_), None) => session::for_actor(&actor),
        };
        CallerInfo {
            actor,
            session,
            timeout: Duration::from_secs(self.options.timeout),
            cancel: context.ct.clone(),
            shutdown: self.shutdown.clone(),
        }
    }

    async fn call_operation(
        &self,
        request: CallToolRequestParams,
        context: McpRequestContext,
    ) -> Outcome {
        let args = request.arguments.unwrap_or_default();
        let (op, args) = tools::resolve_call(&request.name, args, self.options.read_only)?;
        if let Some(identity) = http_identity(&context) {
            crate::http::check_scope(op, &identity)?;
        }
        let (sender, receiver) = watch::channel(Progress::default());
        let caller = self.caller(&context);
        tokio::select! {
            outcome = run_operation(self.workspace.clone(), op, args, caller, sender) => outcome,
            never = report_progress(&context, receiver) => match never {},
        }
    }

    /// Runs a function that reads the workspace, for resources and prompts.
    async fn read_view<T: Send + 'static>(
        &self,
        context: &McpRequestContext,
        read: impl FnOnce(&engine::View<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let workspace = self.workspace.clone();
        let work = move |call: base::Call| read(&workspace.view(Arc::new(call))?);
        run_blocking(self.caller(context), watch::Sender::default(), work).await
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> InitializeResult {
        let able = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        InitializeResult::new(able)
            .with_server_info(Implementation::new("cairn", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: McpRequestContext,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(self.tools.to_vec());
        Ok(list.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: McpRequestContext,
    ) -> Result<CallToolResponse, ErrorData> {
        let outcome = self.call_operation(request, context).await;
        let text = vec![ContentBlock::text(self.words.text(&outcome, ColorMode::Plain))];
        let mut result = match outcome {
            Ok(_) => CallToolResult::success(text),
            Err(_) => CallToolResult::error(text),
        };
        result.structured_content = self.options.structured.then(|| self.words.json(&outcome));
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: McpRequestContext,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.read_view(&context, catalog::resources).await.map_err(catalog::protocol_error)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: McpRequestContext,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(catalog::templates().with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: McpRequestContext,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read =
            self.read_view(&context, move |view| catalog::read_resource(view, &request.uri)).await;
        read.map(Into::into).map_err(|problem| catalog::resource_error(problem, &uri))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: McpRequestContext,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(catalog::prompts().with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: McpRequestContext,
    ) -> Result<GetPromptResponse, ErrorData> {
        let write = move |view: &engine::View<'_>| catalog::get_prompt(view, request);
        self.read_view(&context, write).await.map(Into::into).map_err(catalog::protocol_error)
    }

    /// Answers a known request with invalid arguments, which rmcp treats as an unknown request.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: McpRequestContext,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if METHODS_WITH_ARGUMENTS.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(
                format!("invalid arguments for `{method}`"),
                None,
            ));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: McpRequestContext,
    ) -> Result<CompleteResult, ErrorData> {
        let complete = move |view: &engine::View<'_>| catalog::complete(view, &request);
        self.read_view(&context, complete).await.map_err(catalog::protocol_error)
    }
}

/// The token that an HTTP request was sent with.
fn http_identity(context: &McpRequestContext) -> Option<crate::http::TokenIdentity> {
    let parts = context.extensions.get::<axum::http::request::Parts>()?;
    parts.extensions.get().cloned()
}

/// The author that an HTTP request names; an invalid header is ignored.
fn http_actor(context: &McpRequestContext) -> Option<String> {
    crate::http::actor_from_headers(&http_parts(context)?.headers).ok().flatten()
}

/// The head of an HTTP request; none on stdin.
fn http_parts(context: &McpRequestContext) -> Option<&axum::http::request::Parts> {
    context.extensions.get::<axum::http::request::Parts>()
}

/// Sends progress to a client that asked for it, at most every [`PROGRESS_INTERVAL`]. Never returns.
async fn report_progress(
    context: &McpRequestContext,
    progress: watch::Receiver<Progress>,
) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else { std::future::pending().await };
    let mut tick = tokio::time::interval(PROGRESS_INTERVAL);
    let mut sent = 0.0;
    loop {
        tick.tick().await;
        let Progress { activity: what, done, total } = *progress.borrow();
        if what.is_empty() {
            continue;
        }
        #[expect(clippy::cast_precision_loss, reason = "MCP counts in floats")]
        let (done, total) = (done as f64, total as f64);
        // Progress must grow from one note to the next, also across the parts of a long call.
        sent = if done > sent { done } else { sent + 0.001 };
        let mut note = ProgressNotificationParam::new(token.clone(), sent).with_message(what);
        if total > 0.0 && sent <= total {
            note = note.with_total(total);
        }
        let _ = context.peer.notify_progress(note).await; // a client that left needs none
    }
}
