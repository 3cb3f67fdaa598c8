//! Runs synchronous operations for the asynchronous servers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base::call::{CallStopReason, Progress};
use base::{Call, Problem, ProblemCode};
use engine::{Door, JsonObject, OpSpec, Outcome, Workspace};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Who calls, how long they wait, and what cancels the call.
pub(crate) struct CallerInfo {
    pub(crate) actor: String,
    pub(crate) session: String,
    pub(crate) timeout: Duration,
    /// Cancelled when the caller gives up
    pub(crate) cancel: CancellationToken,
    /// Cancelled when the server shuts down
    pub(crate) shutdown: CancellationToken,
}

impl CallerInfo {
    /// The call as the engine sees it, with a time and a stop check.
    pub(crate) fn into_call(self) -> Call {
        let deadline = Instant::now().checked_add(self.timeout);
        let in_time = move || deadline.is_none_or(|deadline| Instant::now() < deadline);
        Call::new(self.actor, now()).in_session(self.session).with_stop_check(
            move || match in_time() {
                _ if self.cancel.is_cancelled() || self.shutdown.is_cancelled() => {
                    Some(CallStopReason::Cancelled)
                }
                true => None,
                false => Some(CallStopReason::Deadline),
            },
        )
    }
}

/// The current time. The clock is read only where a call arrives.
#[expect(clippy::disallowed_methods, reason = "this is where calls arrive")]
pub(crate) fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// Refuses an operation that a server may not run for a caller at `door`.
pub(crate) fn check_allowed(op: &OpSpec, door: Door, read_only: bool) -> Result<(), Problem> {
    let name = op.name;
    let problem = |message: String| Problem::new(ProblemCode::InvalidOperation, message);
    match (op.is_reachable_from(door), op.is_read_only() || !read_only) {
        (true, true) => Ok(()),
        (false, _) => Err(problem(format!("`{name}` can only be run from the command line"))
            .hint(format!("ask the user to run  cairn {}", op.words()))),
        (_, false) => Err(problem(format!("`{name}` writes, and this server is read-only"))
            .hint("start the server without --read-only")),
    }
}

/// Runs `work` on a thread that may block. Dropping the future cancels it.
pub(crate) async fn run_blocking<T: Send + 'static>(
    caller: CallerInfo,
    progress: watch::Sender<Progress>,
    work: impl FnOnce(Call) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let _cancels_when_dropped = caller.cancel.clone().drop_guard();
    let call = caller.into_call().with_progress_sink(move |step| {
        progress.send_replace(step);
    });
    let task = tokio::task::spawn_blocking(move || work(call));
    task.await
        .unwrap_or_else(|error| Err(Problem::internal("the operation failed").with_source(error)))
}

/// Runs an operation.
pub(crate) async fn run_operation(
    workspace: Arc<Workspace>,
    op: &'static OpSpec,
    args: JsonObject,
    caller: CallerInfo,
    progress: watch::Sender<Progress>,
) -> Outcome {
    run_blocking(caller, progress, move |call| op.call(&workspace, call, args)).await
}
