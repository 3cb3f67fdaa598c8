//! One server, from its greeting to its farewell.

use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base::{Call, Result};
use serde_json::{Value, json};

use super::documents::{Documents, News};
use super::inbox::Report;
use super::lack::Failure;
use super::link::{Link, Terms};
use super::place::{Encoding, uri_of};
use crate::dead::Dead;
use crate::find::Found;
use crate::host::Host;
use crate::probe::{Alive, alive, not_started};
use crate::process::Running;

/// How long a server may take to say hello.
const GREETING: Duration = Duration::from_secs(30);

/// How long a server may take to leave, each of two steps.
const GOODBYE: Duration = Duration::from_millis(800);

/// How long a server that tells of its work must have been quiet to count as done. Between two
/// pieces of work there are gaps.
const SETTLED: Duration = Duration::from_millis(250);

/// How long an answer to whether it is there may take.
const PULSE: Duration = Duration::from_secs(4);

/// Who says outright whether all is read.
const TELLS_STATUS: &str = "rust-analyzer";

/// Who answers before it has looked for files, and says in its log when it has.
const TELLS_FILES: [&str; 2] = ["pyright-langserver", "basedpyright-langserver"];

/// A server that was started, greeted, and answers.
pub struct Session {
    /// Its program's name
    pub program: String,
    /// As it calls itself
    pub alive: Alive,
    /// How it counts columns
    pub encoding: Encoding,
    link: Link,
    capabilities: Value,
    documents: Mutex<Documents>,
    /// How long it may take to leave when it is sent away
    grace: Duration,
    /// Whether it has answered something since it was greeted
    is_warm: AtomicBool,
    /// Whether it let somebody wait in vain
    is_suspect: AtomicBool,
}

/// What a server is started with.
pub(crate) struct Start<'a> {
    pub program: &'a str,
    pub found: &'a Found,
    pub args: &'a [String],
    pub host: &'a Host,
    pub folder: &'a Path,
    pub options: &'a Value,
    pub memory: u64,
    pub idle: Duration,
}

impl Session {
    /// Starts a server in a project and greets it. The outer result fails when the caller left.
    pub(crate) fn start(start: &Start<'_>, call: &Call) -> Result<Result<Self, Dead>> {
        call.go_on()?;
        let running = match Running::start(start.found, start.args, start.host, start.folder) {
            Ok(running) => running,
            Err(error) => return Ok(Err(not_started(start.found, start.folder, &error))),
        };
        let name = start.folder.file_name().unwrap_or_default().to_string_lossy();
        let folder = json!({"uri": uri_of(start.folder), "name": name});
        let settings = start.options.clone();
        let terms = Terms { memory: start.memory, idle: start.idle, settings, folder };
        let link = Link::new(running, terms.clone());
        match link.request("initialize", &greeting(start, &terms.folder), (call, GREETING)) {
            Ok(result) => Ok(Self::greeted(link, &result, start)),
            Err(Failure::Dead(dead)) => Ok(Err(dead)),
            Err(Failure::Late(waited)) => Ok(Err(Dead::Silent { waited, said: None })),
            Err(Failure::Refused(said)) => Ok(Err(Dead::Refused { said: Some(said) })),
            Err(Failure::Unsupported) => Ok(Err(Dead::Refused { said: None })),
            Err(Failure::Stopped(problem)) => Err(problem),
        }
    }

    fn greeted(link: Link, result: &Value, start: &Start<'_>) -> Result<Self, Dead> {
        let alive = alive(&json!({"result": result}))?;
        link.notify("initialized", &json!({}));
        let capabilities = result["capabilities"].clone();
        let encoding = match capabilities["positionEncoding"].as_str() {
            Some("utf-8") => Encoding::Utf8,
            _ => Encoding::Utf16,
        };
        Ok(Self {
            program: start.program.to_owned(),
            grace: start.host.grace(GOODBYE),
            alive,
            encoding,
            link,
            capabilities,
            documents: Mutex::default(),
            is_warm: AtomicBool::new(false),
            is_suspect: AtomicBool::new(false),
        })
    }

    /// Its name and version, for people.
    pub fn title(&self) -> String {
        let version = self.alive.version.as_deref();
        version
            .map_or_else(|| self.program.clone(), |version| format!("{} {version}", self.program))
    }

    /// Whether it said that it can do something, such as `renameProvider`.
    pub fn offers(&self, capability: &str) -> bool {
        let found = self.capabilities.pointer(&format!("/{}", capability.replace('.', "/")));
        found.is_some_and(|value| !value.is_null() && *value != Value::Bool(false))
    }

    /// Tells it what files are like now.
    pub fn tell(&self, news: &[News]) {
        // Locked until all is sent: two callers must not mix their versions.
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        for (method, params) in documents.tell(news) {
            self.link.notify(method, &params);
        }
    }

    /// Asks. A request that is not answered in time is taken back.
    pub fn request(
        &self,
        method: &str,
        params: &Value,
        (call, timeout): (&Call, Duration),
    ) -> Result<Value, Failure> {
        let answer = self.link.request(method, params, (call, timeout));
        match &answer {
            Err(Failure::Late(_)) => self.is_suspect.store(true, Ordering::Relaxed),
            Ok(_) | Err(Failure::Refused(_)) => self.is_suspect.store(false, Ordering::Relaxed),
            Err(_) => {}
        }
        answer
    }

    /// Waits until it has read the project, as far as it tells. `Ok(false)`: it still has not.
    pub fn ready(
        &self,
        probe: &Path,
        (call, patience): (&Call, Duration),
    ) -> Result<bool, Failure> {
        let since = Instant::now();
        if !self.is_warm.load(Ordering::Relaxed) && self.offers("documentSymbolProvider") {
            // A real question about a real file: what is loaded for it begins to load now.
            let params = json!({"textDocument": {"uri": uri_of(probe)}});
            match self.link.request("textDocument/documentSymbol", &params, (call, patience)) {
                Ok(_) | Err(Failure::Refused(_)) => {}
                Err(Failure::Late(_)) => return Ok(false),
                Err(failure) => return Err(failure),
            }
        }
        loop {
            if let Some(dead) = self.link.dead() {
                return Err(Failure::Dead(dead));
            }
            if self.has_settled() {
                self.is_warm.store(true, Ordering::Relaxed);
                return Ok(true);
            }
            call.go_on().map_err(Failure::Stopped)?;
            if since.elapsed() >= patience {
                return Ok(false);
            }
            self.link.pause();
        }
    }

    fn has_settled(&self) -> bool {
        let says_outright = self.alive.name.as_deref() == Some(TELLS_STATUS);
        let is_warm = self.is_warm.load(Ordering::Relaxed);
        self.link.heard(|inbox| {
            let has_files = inbox.has_listed() || !TELLS_FILES.contains(&self.program.as_str());
            let has_read = has_files && inbox.quiescent().unwrap_or(!says_outright);
            let quiet = inbox.quiet_since();
            has_read && quiet.is_some_and(|since| is_warm || since.elapsed() >= SETTLED)
        })
    }

    /// What it is doing, in its own words.
    pub fn doing(&self) -> Option<String> {
        self.link.heard(super::inbox::Inbox::doing)
    }

    /// What it finds wrong with the project itself, such as a manifest it cannot read.
    pub fn complaint(&self) -> Option<String> {
        self.link.heard(|inbox| inbox.complaint().map(ToOwned::to_owned))
    }

    /// What it last reported about a file, if that is about the text it was last told.
    pub fn report(&self, path: &Path) -> Option<Report> {
        let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        let version = documents.version(path);
        let report = self.link.heard(|inbox| inbox.report_on(&uri_of(path)))?;
        let is_current = report.version.is_none() || report.version == version;
        is_current.then_some(report)
    }

    /// Waits for something to be heard, for a moment at most.
    pub fn pause(&self) {
        self.link.pause();
    }

    /// Whether it is still there.
    pub fn is_running(&self) -> bool {
        self.link.dead().is_none()
    }

    /// Why it is gone, if it is.
    pub(crate) fn dead(&self) -> Option<Dead> {
        self.link.dead()
    }

    /// Whether it is worth asking whether it is still there.
    pub(crate) fn is_doubtful(&self, idle: Duration) -> bool {
        self.is_suspect.load(Ordering::Relaxed) || self.link.idle() >= idle
    }

    /// Whether it answers a real question in short time; what the answer is does not matter.
    pub(crate) fn has_pulse(&self, call: &Call) -> Result<bool> {
        let offers = self.offers("workspaceSymbolProvider");
        let (method, params) = match offers {
            true => ("workspace/symbol", json!({"query": "cairn-is-there-anybody"})),
            false => ("cairn/pulse", json!({})),
        };
        match self.request(method, &params, (call, PULSE)) {
            Ok(_) | Err(Failure::Refused(_)) => Ok(true),
            Err(Failure::Stopped(problem)) => Err(problem),
            Err(_) => Ok(false),
        }
    }

    /// Sends it away as the protocol wants it, and by force if it does not go.
    pub(crate) fn send_away(&self) {
        let patient = Call::new("cairn", jiff::Timestamp::UNIX_EPOCH);
        if self.dead().is_none()
            && self.link.request("shutdown", &Value::Null, (&patient, self.grace)).is_ok()
        {
            self.link.notify("exit", &Value::Null);
            let since = Instant::now();
            while self.dead().is_none() && since.elapsed() < self.grace {
                self.link.pause();
            }
        }
        self.link.end();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.send_away();
    }
}

/// What a server is told first: who we are, what we can take, and what it serves.
fn greeting(start: &Start<'_>, folder: &Value) -> Value {
    let dynamic = json!({"dynamicRegistration": false});
    let links = json!({"linkSupport": false});
    json!({
        // With our process id the server can notice that we are gone, should we be killed.
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
