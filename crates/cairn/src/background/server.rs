//! The background process itself.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use base::call::CallStopReason;
use base::{Call, Problem, RepoPath, Result};
use engine::durable::team::{self, TeamState};
use engine::{ColorMode, Outcome, Workspace};
use operations::{CallFormat, ops};

use super::protocol::{
    AnswerForm, AnswerRequest, BackgroundReply, BackgroundRequest, RequestKind, program_identity,
};
use super::socket::BackgroundPaths;
use super::{BackgroundStatus, may_run_in};
use crate::cli::exit_code;
use crate::perform::now;

/// How long it waits for a call before it ends.
const IDLE_TIMEOUT: Duration = Duration::from_mins(15);

/// How often it checks whether it should end.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// How long a command may take to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest request, in bytes.
const MAX_REQUEST_BYTES: u64 = 16 * 1024 * 1024;

/// The state that the threads of the process share.
struct BackgroundServer {
    workspace: Arc<Workspace>,
    program: String,
    since: Instant,
    /// When the last call ended, in milliseconds since the start
    last_call: AtomicU64,
    /// Calls that are being answered
    running: AtomicUsize,
    answered: AtomicU64,
    is_stopping: AtomicBool,
}

/// Answers the commands of a working tree until it should end. Ends at once if another process does so already, or
/// if none may run here.
pub(crate) fn serve(workspace: Arc<Workspace>) -> Result<()> {
    let failed = || Problem::io("listen for commands");
    let paths = BackgroundPaths::of(workspace.tree.root(), &workspace.data_folders.local);
    let paths = paths.map_err(failed())?;
    let lock = File::create(&paths.lock).map_err(failed())?;
    if lock.try_lock().is_err() || !is_wanted(&workspace, &paths) {
        return Ok(());
    }
    // An old socket file is left over from a process that ended, because this process holds the
    // lock.
    let _ = std::fs::remove_file(&paths.socket);
    let listener = UnixListener::bind(&paths.socket).map_err(failed())?;
    let Some(program) = program_identity() else { return Ok(()) };
    let server = Arc::new(BackgroundServer {
        workspace,
        program,
        since: Instant::now(),
        last_call: AtomicU64::new(0),
        running: AtomicUsize::new(0),
        answered: AtomicU64::new(0),
        is_stopping: AtomicBool::new(false),
    });
    follow_team(server.clone());
    build_first_index(server.clone());
    let own_socket = inode(&paths.socket);
    let (sender, events) = mpsc::channel();
    accept(listener, sender.clone());
    while !server.should_end(&paths, own_socket) {
        if let Ok(BackgroundEvent::Connection(stream)) = events.recv_timeout(CHECK_INTERVAL) {
            server.clone().answer_in_thread(stream, sender.clone());
        }
    }
    if inode(&paths.socket) == own_socket {
        let _ = std::fs::remove_file(&paths.socket);
    }
    server.workspace.stop_servers();
    Ok(())
}

/// Keeps the replicas of a team up to date, so that questions need not wait for the server.
fn follow_team(server: Arc<BackgroundServer>) {
    std::thread::spawn(move || {
        let own = server.clone();
        let stop =
            move || own.is_stopping.load(Ordering::SeqCst).then_some(CallStopReason::Cancelled);
        let call = Call::new("background", now()).with_stop_check(stop);
        team::follow(&server.workspace, &call, now);
    });
}

/// Builds the index if there is none. Until then, questions about named files are answered from
/// these files.
fn build_first_index(server: Arc<BackgroundServer>) {
    if server.workspace.index_path().is_some() {
        return;
    }
    std::thread::spawn(move || {
        let own = server.clone();
        let stop =
            move || own.is_stopping.load(Ordering::SeqCst).then_some(CallStopReason::Cancelled);
        // A failure is reported to the next question that waits for the index.
        let _ = server.workspace.sync(false, &Call::new("background", now()).with_stop_check(stop));
    });
}

/// Whether a process may run here now.
fn is_wanted(workspace: &Workspace, paths: &BackgroundPaths) -> bool {
    !paths.off.exists() && workspace.tree.root().is_dir() && may_run_in(workspace)
}

fn inode(path: &Path) -> Option<u64> {
    path.symlink_metadata().ok().map(|known| known.ino())
}

/// What wakes the process up.
enum BackgroundEvent {
    /// A command connected
    Connection(UnixStream),
    /// A reply was sent
    Replied,
}

/// Accepts connections in a thread of their own, so that waiting for them can end.
fn accept(listener: UnixListener, events: mpsc::Sender<BackgroundEvent>) {
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if events.send(BackgroundEvent::Connection(stream)).is_err() {
                break;
            }
        }
    });
}

impl BackgroundServer {
    fn should_end(&self, paths: &BackgroundPaths, own_socket: Option<u64>) -> bool {
        let is_idle = || {
            let last = Duration::from_millis(self.last_call.load(Ordering::SeqCst));
            self.since.elapsed().saturating_sub(last) > IDLE_TIMEOUT
        };
        if self.running.load(Ordering::SeqCst) > 0 {
            return false;
        }
        self.is_stopping.load(Ordering::SeqCst)
            || is_idle()
            || program_identity().as_ref() != Some(&self.program)
            || inode(&paths.socket) != own_socket
            || !is_wanted(&self.workspace, paths)
    }

    fn answer_in_thread(
        self: Arc<Self>,
        stream: UnixStream,
        events: mpsc::Sender<BackgroundEvent>,
    ) {
        self.running.fetch_add(1, Ordering::SeqCst);
        std::thread::spawn(move || {
            // A broken connection only concerns the command that asked.
            let _ = self.reply(&stream);
            let elapsed = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.last_call.store(elapsed, Ordering::SeqCst);
            self.running.fetch_sub(1, Ordering::SeqCst);
            // The receiver is gone if the process is about to end.
            let _ = events.send(BackgroundEvent::Replied);
        });
    }

    fn reply(&self, stream: &UnixStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
        stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
        let mut line = String::new();
        BufReader::new(stream.take(MAX_REQUEST_BYTES)).read_line(&mut line)?;
        let reply = match serde_json::from_str::<BackgroundRequest>(&line) {
            Ok(request) => self.reply_to(request, stream),
            Err(_) => BackgroundReply::Refused,
        };
        let mut bytes = serde_json::to_vec(&reply)?;
        bytes.push(b'\n');
        (&mut &*stream).write_all(&bytes)
    }

    fn reply_to(&self, request: BackgroundRequest, stream: &UnixStream) -> BackgroundReply {
        match request.wanted {
            RequestKind::Stop => {
                self.is_stopping.store(true, Ordering::SeqCst);
                BackgroundReply::Stopping
            }
            // After an upgrade the old program ends, and the new one starts its own.
            _ if request.program != self.program => {
                self.is_stopping.store(true, Ordering::SeqCst);
                BackgroundReply::Refused
            }
            RequestKind::Status => BackgroundReply::Status(BackgroundStatus {
                process: std::process::id(),
                seconds: self.since.elapsed().as_secs(),
                answered: self.answered.load(Ordering::SeqCst),
                idle_minutes: IDLE_TIMEOUT.as_secs() / 60,
            }),
            RequestKind::Answer(wanted) => self.answer(wanted, stream),
        }
    }

    fn answer(&self, wanted: AnswerRequest, stream: &UnixStream) -> BackgroundReply {
        let folder: Option<RepoPath> = match wanted.folder.as_str() {
            "" | "." => Some(RepoPath::ROOT),
            folder => folder.parse().ok(),
        };
        let (Ok(op), Some(folder)) = (ops::find(&wanted.operation), folder) else {
            return BackgroundReply::Refused;
        };
        if !op.is_read_only() {
            return BackgroundReply::Refused;
        }
        let is_gone = watch_for_end(stream);
        let stop = move || is_gone.load(Ordering::SeqCst).then_some(CallStopReason::Cancelled);
        let call = Call::new(wanted.actor, now())
            .in_session(wanted.session)
            .from_folder(folder)
            .with_stop_check(stop);
        let outcome = op.call(&self.workspace, call, wanted.args);
        // The command may have the password that this process was started without.
        if team_state(&outcome) == Some(TeamState::Refused) {
            return BackgroundReply::Refused;
        }
        self.answered.fetch_add(1, Ordering::SeqCst);
        BackgroundReply::Answered { text: print(&outcome, wanted.form), exit: exit_code(&outcome) }
    }
}

/// How the replica that was read relates to the team's server.
fn team_state(outcome: &Outcome) -> Option<TeamState> {
    outcome.as_ref().ok()?.basis.team.as_ref().map(|team| team.state)
}

/// A flag that is set when the command disconnects, because its answer is then no longer needed.
fn watch_for_end(stream: &UnixStream) -> Arc<AtomicBool> {
    let is_gone = Arc::new(AtomicBool::new(false));
    if let Ok(mut stream) = stream.try_clone() {
        let (_, seen) = (stream.set_read_timeout(None), is_gone.clone());
        std::thread::spawn(move || {
            // A command sends nothing after its request, so this read ends when the connection
            // does.
            let _ = stream.read(&mut [0]);
            seen.store(true, Ordering::SeqCst);
        });
    }
    is_gone
}

fn print(outcome: &Outcome, form: AnswerForm) -> String {
    match form {
        AnswerForm::Json => format!("{:#}\n", CallFormat::CommandLine.json(outcome)),
        AnswerForm::Plain => CallFormat::CommandLine.text(outcome, ColorMode::Plain),
        AnswerForm::Terminal => CallFormat::CommandLine.text(outcome, ColorMode::Terminal),
    }
}
