//! A session with one language server, from `initialize` to `exit`.

use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base::{Call, Result};
use serde_json::{Value, json};

use super::connection::{LspConnection, LspConnectionOptions};
use super::documents::{FileUpdate, OpenDocuments};
use super::notifications::DiagnosticsReport;
use super::position::{PositionEncoding, uri_from_path};
use super::unavailable::RequestFailure;
use crate::find::ProgramFile;
use crate::host::ToolHost;
use crate::probe::{ServerInfo, parse_server_info, start_failure};
use crate::program_failure::ProgramFailure;
use crate::tool_process::ToolProcess;

/// Timeout of the `initialize` request.
const INITIALIZE_TIMEOUT: Duration = Duration::from_secs(30);

/// Timeout of each of the two shutdown steps.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(800);

/// How long a server that reports its work must be idle to count as done, because there are gaps
/// between two pieces of work.
const QUIET_PERIOD: Duration = Duration::from_millis(250);

/// Timeout of a health check.
const HEALTH_CHECK_TIMEOUT: Duration = Duration::from_secs(4);

/// The server that reports explicitly whether it has read the whole project.
const STATUS_REPORTING_SERVER: &str = "rust-analyzer";

/// Servers that answer before they have found all files, and log a message when they have.
const FILE_REPORTING_SERVERS: [&str; 2] = ["pyright-langserver", "basedpyright-langserver"];

/// A server that was started and initialized.
pub struct LspSession {
    /// Its program's name
    pub program: String,
    /// As it calls itself
    pub server_info: ServerInfo,
    /// How it counts columns
    pub encoding: PositionEncoding,
    connection: LspConnection,
    capabilities: Value,
    documents: Mutex<OpenDocuments>,
    /// Shutdown timeout
    exit_timeout: Duration,
    /// Whether it has answered a request after `initialize`
    has_answered: AtomicBool,
    /// Whether a request to it timed out
    has_timed_out: AtomicBool,
}

/// The options of a new session.
pub(crate) struct LspSessionOptions<'a> {
    pub program: &'a str,
    pub program_file: &'a ProgramFile,
    pub args: &'a [String],
    pub host: &'a ToolHost,
    pub folder: &'a Path,
    pub options: &'a Value,
    pub memory: u64,
    pub idle: Duration,
}

impl LspSession {
    /// Starts a server in a project and initializes it. The outer result fails when the call was
    /// stopped.
    pub(crate) fn start(
        start: &LspSessionOptions<'_>,
        call: &Call,
    ) -> Result<Result<Self, ProgramFailure>> {
        call.check_stopped()?;
        let running =
            match ToolProcess::start(start.program_file, start.args, start.host, start.folder) {
                Ok(running) => running,
                Err(error) => {
                    return Ok(Err(start_failure(start.program_file, start.folder, &error)));
                }
            };
        let name = start.folder.file_name().unwrap_or_default().to_string_lossy();
        let folder = json!({"uri": uri_from_path(start.folder), "name": name});
        let settings = start.options.clone();
        let terms =
            LspConnectionOptions { memory: start.memory, idle: start.idle, settings, folder };
        let link = LspConnection::new(running, terms.clone());
        match link.request(
            "initialize",
            &initialize_params(start, &terms.folder),
            call,
            INITIALIZE_TIMEOUT,
        ) {
            Ok(result) => Ok(Self::initialized(link, &result, start)),
            Err(RequestFailure::ServerEnded(dead)) => Ok(Err(dead)),
            Err(RequestFailure::TimedOut(waited)) => {
                Ok(Err(ProgramFailure::TimedOut { waited, message: None }))
            }
            Err(RequestFailure::Refused(said)) => {
                Ok(Err(ProgramFailure::Refused { message: Some(said) }))
            }
            Err(RequestFailure::Unsupported) => Ok(Err(ProgramFailure::Refused { message: None })),
            Err(RequestFailure::Interrupted(problem)) => Err(problem),
        }
    }

    fn initialized(
        link: LspConnection,
        result: &Value,
        start: &LspSessionOptions<'_>,
    ) -> Result<Self, ProgramFailure> {
        let alive = parse_server_info(&json!({"result": result}))?;
        link.notify("initialized", &json!({}));
        let capabilities = result["capabilities"].clone();
        let encoding = match capabilities["positionEncoding"].as_str() {
            Some("utf-8") => PositionEncoding::Utf8,
            _ => PositionEncoding::Utf16,
        };
        Ok(Self {
            program: start.program.to_owned(),
            exit_timeout: start.host.exit_timeout(SHUTDOWN_GRACE),
            server_info: alive,
            encoding,
            connection: link,
            capabilities,
            documents: Mutex::default(),
            has_answered: AtomicBool::new(false),
            has_timed_out: AtomicBool::new(false),
        })
    }

    /// The name and version of the server.
    pub fn title(&self) -> String {
        let version = self.server_info.version.as_deref();
        version
            .map_or_else(|| self.program.clone(), |version| format!("{} {version}", self.program))
    }

    /// Whether the server announced a capability, such as `renameProvider`.
    pub fn offers(&self, capability: &str) -> bool {
        let found = self.capabilities.pointer(&format!("/{}", capability.replace('.', "/")));
        found.is_some_and(|value| !value.is_null() && *value != Value::Bool(false))
    }

    /// Tells the server the present content of files.
    pub fn sync_files(&self, news: &[FileUpdate]) {
        // Locked until all is sent: two callers must not mix their versions.
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        for (method, params) in documents.sync(news) {
            self.connection.notify(method, &params);
        }
    }

    /// Sends a request. If the answer does not come in time, the request is cancelled.
    pub fn request(
        &self,
        method: &str,
        params: &Value,
        call: &Call,
        timeout: Duration,
    ) -> Result<Value, RequestFailure> {
        let answer = self.connection.request(method, params, call, timeout);
        match &answer {
            Err(RequestFailure::TimedOut(_)) => self.has_timed_out.store(true, Ordering::Relaxed),
            Ok(_) | Err(RequestFailure::Refused(_)) => {
                self.has_timed_out.store(false, Ordering::Relaxed);
            }
            Err(_) => {}
        }
        answer
    }

    /// Waits until the server has loaded the project, as far as it reports that. `Ok(false)` means
    /// that it has not.
    pub fn wait_until_ready(
        &self,
        probe: &Path,
        call: &Call,
        timeout: Duration,
    ) -> Result<bool, RequestFailure> {
        let since = Instant::now();
        if !self.has_answered.load(Ordering::Relaxed) && self.offers("documentSymbolProvider") {
            // A request about a real file makes the server begin to load what it needs for it.
            let params = json!({"textDocument": {"uri": uri_from_path(probe)}});
            match self.connection.request("textDocument/documentSymbol", &params, call, timeout) {
                Ok(_) | Err(RequestFailure::Refused(_)) => {}
                Err(RequestFailure::TimedOut(_)) => return Ok(false),
                Err(failure) => return Err(failure),
            }
        }
        loop {
            if let Some(dead) = self.connection.failure() {
                return Err(RequestFailure::ServerEnded(dead));
            }
            if self.is_quiet() {
                self.has_answered.store(true, Ordering::Relaxed);
                return Ok(true);
            }
            call.check_stopped().map_err(RequestFailure::Interrupted)?;
            if since.elapsed() >= timeout {
                return Ok(false);
            }
            self.connection.wait_briefly();
        }
    }

    fn is_quiet(&self) -> bool {
        let says_outright = self.server_info.name.as_deref() == Some(STATUS_REPORTING_SERVER);
        let is_warm = self.has_answered.load(Ordering::Relaxed);
        self.connection.with_notifications(|inbox| {
            let has_files = inbox.has_listed_files()
                || !FILE_REPORTING_SERVERS.contains(&self.program.as_str());
            let has_read = has_files && inbox.quiescent().unwrap_or(!says_outright);
            let quiet = inbox.quiet_since();
            has_read && quiet.is_some_and(|since| is_warm || since.elapsed() >= QUIET_PERIOD)
        })
    }

    /// The work that the server reports to be doing.
    pub fn current_work(&self) -> Option<String> {
        self.connection.with_notifications(super::notifications::NotificationState::current_work)
    }

    /// The error that the server reports about the project itself, such as a manifest that it
    /// cannot read.
    pub fn project_error(&self) -> Option<String> {
        self.connection.with_notifications(|inbox| inbox.project_error().map(ToOwned::to_owned))
    }

    /// The last diagnostics for a file, if they are about the text that the server was last given.
    pub fn diagnostics_report(&self, path: &Path) -> Option<DiagnosticsReport> {
        let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        let version = documents.version(path);
        let report =
            self.connection.with_notifications(|inbox| inbox.report_for(&uri_from_path(path)))?;
        let is_current = report.version.is_none() || report.version == version;
        is_current.then_some(report)
    }

    /// Waits a short time for a message.
    pub fn wait_briefly(&self) {
        self.connection.wait_briefly();
    }

    /// Whether the server is still running.
    pub fn is_running(&self) -> bool {
        self.connection.failure().is_none()
    }

    /// Why the session has ended; `None` if it has not.
    pub(crate) fn failure(&self) -> Option<ProgramFailure> {
        self.connection.failure()
    }

    /// Whether a health check is needed before the next request.
    pub(crate) fn needs_health_check(&self, idle: Duration) -> bool {
        self.has_timed_out.load(Ordering::Relaxed) || self.connection.idle() >= idle
    }

    /// Whether the server answers a request within a short time. The content of the answer does not
    /// matter.
    pub(crate) fn is_responding(&self, call: &Call) -> Result<bool> {
        let offers = self.offers("workspaceSymbolProvider");
        let (method, params) = match offers {
            true => ("workspace/symbol", json!({"query": "cairn-is-there-anybody"})),
            false => ("cairn/pulse", json!({})),
        };
        match self.request(method, &params, call, HEALTH_CHECK_TIMEOUT) {
            Ok(_) | Err(RequestFailure::Refused(_)) => Ok(true),
            Err(RequestFailure::Interrupted(problem)) => Err(problem),
            Err(_) => Ok(false),
        }
    }

    /// Shuts the server down according to the protocol, and kills it if it does not end.
    pub(crate) fn shut_down(&self) {
        let patient = Call::new("cairn", jiff::Timestamp::UNIX_EPOCH);
        if self.failure().is_none()
            && self
                .connection
                .request("shutdown", &Value::Null, &patient, self.exit_timeout)
                .is_ok()
        {
            self.connection.notify("exit", &Value::Null);
            let since = Instant::now();
            while self.failure().is_none() && since.elapsed() < self.exit_timeout {
                self.connection.wait_briefly();
            }
        }
        self.connection.stop();
    }
}

impl Drop for LspSession {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// The parameters of `initialize`: the client, its capabilities, and the folder.
fn initialize_params(start: &LspSessionOptions<'_>, folder: &Value) -> Value {
    let dynamic = json!({"dynamicRegistration": false});
    let links = json!({"linkSupport": false});
    json!({
        // The server uses the process id to notice that cairn was killed.
        "processId": process::id(),
        "clientInfo": {"name": "cairn", "version": env!("CARGO_PKG_VERSION")},
        "rootUri": folder["uri"],
        "rootPath": PathBuf::from(start.folder).to_string_lossy(),
        "workspaceFolders": [folder],
        "initializationOptions": start.options,
        "capabilities": {
            "general": {"positionEncodings": ["utf-8", "utf-16"]},
            "window": {"workDoneProgress": true},
            "workspace": {
                "applyEdit": false,
                "configuration": true,
                "workspaceFolders": true,
                "didChangeWatchedFiles": {"dynamicRegistration": true},
                "symbol": dynamic,
                "workspaceEdit": {
                    "documentChanges": true,
                    "resourceOperations": ["create", "rename", "delete"],
                },
            },
            "textDocument": {
                "synchronization": {"didSave": false},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                "hover": {"contentFormat": ["plaintext", "markdown"]},
                "definition": links,
                "typeDefinition": links,
                "implementation": links,
                "references": dynamic,
                "callHierarchy": dynamic,
                "codeAction": {
                    "codeActionLiteralSupport": {"codeActionKind": {"valueSet":
                        ["", "quickfix", "refactor", "refactor.extract", "refactor.inline",
                         "refactor.rewrite", "source", "source.organizeImports"]}},
                    "isPreferredSupport": true,
                    "disabledSupport": true,
                    "dataSupport": true,
                    "resolveSupport": {"properties": ["edit"]},
                },
                "rename": {"prepareSupport": true},
                "inlayHint": dynamic,
                "publishDiagnostics": {"versionSupport": true},
                "diagnostic": dynamic,
            },
            "experimental": {"serverStatusNotification": true},
        },
    })
}
