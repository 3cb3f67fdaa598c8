//! Asks language servers: from a target to a position, from locations to handles.
//!
//! `toolchain` knows the protocol and the processes, the operations know the answers. This module
//! chooses the server, decides whether it may run, makes sure that it has seen the files on disk,
//! and decides what is reported without an answer.

mod calls;
mod choice;
mod edits;
mod format;
mod hover;
pub(crate) mod lint;
mod locations;
mod projects;
pub(crate) mod reports;
mod target_position;

use std::sync::Arc;
use std::time::Duration;

use base::{Hint, NextCall, Problem, ProblemCode, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use syntax::Language;
use toolchain::lsp::{
    LspSession, PositionEncoding, RequestFailure, ServerUnavailable, uri_from_path,
};

pub(crate) use self::calls::CallGraph;
pub(crate) use self::choice::candidates;
pub(crate) use self::edits::{FileRewrite, check_writable, refuse_new_syntax_errors, rewrites};
pub(crate) use self::format::{FormatOutcome, format};
pub(crate) use self::hover::types;
pub(crate) use self::lint::{CheckReport, CheckRequest, Diagnostic, by_linter, check};
pub(crate) use self::locations::{
    CodeLocation, CodeLocations, ExternalLocation, ParsedFile, ParsedFileCache, enclosing_node,
};
pub(crate) use self::target_position::TargetPosition;

use engine::contract::page::Page;
use engine::view::View;
use engine::workspace::WorkspaceMode;

/// How long a server is waited for before the index answers.
#[derive(Clone, Copy)]
struct ServerTimeouts {
    /// Until it has loaded the project
    load: Duration,
    /// Until it has answered one question
    request: Duration,
}

/// On the command line, where a person waits.
const COMMAND_TIMEOUTS: ServerTimeouts =
    ServerTimeouts { load: Duration::from_mins(2), request: Duration::from_mins(1) };

/// In a server, where an agent can ask again while the language server keeps loading.
const SERVING_TIMEOUTS: ServerTimeouts =
    ServerTimeouts { load: Duration::from_secs(20), request: Duration::from_secs(40) };

/// A request of the protocol.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LspRequest {
    /// Its method
    pub method: &'static str,
    /// The capability with which a server says that it answers it
    pub capability: &'static str,
}

/// Who answered: a language server, or the index instead
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AnswerSource {
    /// Whether a server or the index answered
    pub source: AnswerSourceKind,
    /// The server's program and version
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why no server was asked, or its answer not used
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How to get one
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
}

/// Where an answer comes from
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerSourceKind {
    /// A language server
    Server,
    /// The index
    Index,
}

impl AnswerSource {
    fn server(name: String) -> Self {
        Self { source: AnswerSourceKind::Server, name: Some(name), why: None, hints: Vec::new() }
    }

    /// The server that answered.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Renders why no server answered, if none did.
    pub(crate) fn render(&self, page: &mut Page) {
        self.render_as(page, "from the index");
    }

    /// Like [`Self::render`], with another label.
    pub(crate) fn render_as(&self, page: &mut Page, what: &str) {
        if let Some(why) = &self.why {
            page.item(what, why);
        }
        self.hints.iter().for_each(|hint| page.hint(hint));
    }
}

/// Why no server answers, as a problem and as a part of another answer.
#[derive(Debug)]
pub(crate) struct MissingServer {
    pub code: ProblemCode,
    pub why: String,
    pub hints: Vec<Hint>,
}

impl MissingServer {
    fn new(code: ProblemCode, why: impl Into<String>) -> Self {
        Self { code, why: why.into(), hints: Vec::new() }
    }

    /// No server for this reason.
    pub(crate) fn unavailable(why: impl Into<String>) -> Self {
        Self::new(ProblemCode::Unavailable, why)
    }

    fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The problem, for operations that need a server.
    pub(crate) fn into_problem(self) -> Problem {
        let problem = Problem::new(self.code, self.why);
        self.hints.into_iter().fold(problem, Problem::hint)
    }

    /// The source of an answer from the index.
    pub(crate) fn by(self) -> AnswerSource {
        AnswerSource {
            source: AnswerSourceKind::Index,
            name: None,
            why: Some(self.why),
            hints: self.hints,
        }
    }
}

/// A server that has read the project and seen what is on disk.
pub(crate) struct LanguageServer<'v> {
    view: &'v View<'v>,
    session: Arc<LspSession>,
}

impl<'v> LanguageServer<'v> {
    /// The server for a file, ready to be asked about it. The inner error says why there is none;
    /// the outer one says that the call was stopped.
    pub(crate) fn open(
        view: &'v View<'v>,
        path: &RepoPath,
        language: Language,
    ) -> Result<Result<Self, MissingServer>> {
        let candidates = candidates(view.config(), language);
        if let Err(absent) = check_permission(view, language, &candidates) {
            return Ok(Err(absent));
        }
        let pool = view.servers();
        let session = match pool.session(view, &candidates)? {
            Ok(session) => session,
            Err(lack) => return Ok(Err(missing_server(language, &lack))),
        };
        let session = match pool.bring_up_to_date(view, session, &candidates, &[path])? {
            Ok(session) => session,
            Err(lack) => return Ok(Err(missing_server(language, &lack))),
        };
        let server = Self { view, session };
        let patience = timeouts(view).load;
        let file = view.tree().root().join(path.to_relative());
        match server.session.wait_until_ready(&file, view.call(), patience) {
            Ok(true) => {}
            Ok(false) => {
                let program = server.session.program.clone();
                let progress = server.session.current_work();
                let lack = ServerUnavailable::Loading { program, progress };
                return Ok(Err(still_loading(view, language, &lack, patience)));
            }
            Err(failure) => return server.request_failed(failure).map(Err),
        }
        if let Some(complaint) = server.session.project_error() {
            view.mark_partial(format!("{} says: {complaint}", server.session.program));
        }
        Ok(Ok(server))
    }

    /// Why it may miss places: it reported that it could not load the whole project. A question may
    /// still be answered, as partial; a change of all places may not.
    pub(crate) fn incomplete_project(&self) -> Option<MissingServer> {
        let complaint = self.session.project_error()?;
        let why = format!("{} has not loaded the whole project: {complaint}", self.session.program);
        let restart = Hint::call("correct that, then", NextCall::new("code.restart"));
        Some(MissingServer::new(ProblemCode::Unavailable, why).hint(restart))
    }

    /// Its name and version.
    pub(crate) fn by(&self) -> AnswerSource {
        AnswerSource::server(self.session.title())
    }

    /// How it counts columns.
    pub(crate) fn encoding(&self) -> PositionEncoding {
        self.session.encoding
    }

    /// Whether it announced a capability.
    pub(crate) fn offers(&self, capability: &str) -> bool {
        self.session.offers(capability)
    }

    /// The session itself.
    pub(crate) fn session(&self) -> &LspSession {
        &self.session
    }

    /// Opens some files in it, so that it loads their projects.
    pub(crate) fn open_files(&self, paths: &[&RepoPath]) -> Result<()> {
        self.session.sync_files(&engine::language_servers::open_notifications(self.view, paths)?);
        Ok(())
    }

    /// The parameters of a request about a position.
    pub(crate) fn at(&self, target_position: &TargetPosition) -> Value {
        let position = target_position.position(self.encoding());
        json!({"textDocument": {"uri": self.uri(&target_position.path)}, "position": position.to_json()})
    }

    /// A file's URI.
    pub(crate) fn uri(&self, path: &RepoPath) -> String {
        uri_from_path(&self.view.tree().root().join(path.to_relative()))
    }

    /// Sends a request, if it announced the capability.
    pub(crate) fn ask(
        &self,
        request: LspRequest,
        params: &Value,
    ) -> Result<Result<Value, MissingServer>> {
        let LspRequest { method, capability } = request;
        if !self.session.offers(capability) {
            let what = method.rsplit('/').next().unwrap_or(method);
            let why = format!("{} does not offer {what}", self.session.title());
            return Ok(Err(MissingServer::new(ProblemCode::Unavailable, why)));
        }
        match self.session.request(method, params, self.view.call(), timeouts(self.view).request) {
            Ok(answer) => Ok(Ok(answer)),
            Err(failure) => self.request_failed(failure).map(Err),
        }
    }

    fn request_failed(&self, failure: RequestFailure) -> Result<MissingServer> {
        let program = &self.session.program;
        let why = format!("{program}: {failure}");
        let absent = match failure {
            RequestFailure::Interrupted(problem) => return Err(problem),
            RequestFailure::Refused(_) => MissingServer::new(ProblemCode::InvalidOperation, why),
            RequestFailure::Unsupported => MissingServer::new(ProblemCode::Unavailable, why),
            RequestFailure::ServerEnded(_) | RequestFailure::TimedOut(_) => {
                MissingServer::new(ProblemCode::Unavailable, why)
                    .hint("it is started again with the next question")
            }
        };
        Ok(absent)
    }
}

fn timeouts(view: &View) -> ServerTimeouts {
    if view.mode() == WorkspaceMode::Once { COMMAND_TIMEOUTS } else { SERVING_TIMEOUTS }
}

/// Whether a file with one of these names is in a folder above this one.
fn exists_above(view: &View, path: &RepoPath, names: &[&str]) -> bool {
    let root = view.tree().root();
    let file = root.join(path.to_relative());
    let mut above = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    above.any(|folder| names.iter().any(|name| folder.join(name).is_file()))
}

/// Whether a server may be started. No server is started in a repository that is not trusted.
fn check_permission(
    view: &View,
    language: Language,
    candidates: &[toolchain::lsp::ServerCandidate],
) -> Result<(), MissingServer> {
    let Some(first) = candidates.first() else {
        let why = format!("no language server is known for {}", language.name());
        let key = language.name().to_lowercase();
        return Err(MissingServer::new(ProblemCode::Unavailable, why)
            .hint(format!("name one in cairn.jsonc: languages.{key}.server")));
    };
    let host = view.servers().host();
    let Some(found) =
        candidates.iter().find(|one| toolchain::find_program(&one.program, host).is_some())
    else {
        let programs = candidates.iter().map(|one| one.program.clone()).collect();
        let lack = ServerUnavailable::NotInstalled { programs, install: first.install.clone() };
        return Err(missing_server(language, &lack));
    };
    untrusted(view, &found.program).map_or(Ok(()), Err)
}

/// Why a program is not started, if the user does not trust the repository as it is now.
fn untrusted(view: &View, program: &str) -> Option<MissingServer> {
    let standing = view.trust_status();
    let why = standing.refusal()?;
    let why = format!("{program} was not started: {why}");
    Some(MissingServer::new(ProblemCode::Untrusted, why).hint(standing.hint()))
}

/// A server that did not load the project in time. A server that a single command started ends with
/// it, so asking again does not help.
fn still_loading(
    view: &View,
    language: Language,
    lack: &ServerUnavailable,
    waited: Duration,
) -> MissingServer {
    if view.mode() != WorkspaceMode::Once {
        return missing_server(language, lack);
    }
    let why = format!("{lack} after {} seconds", waited.as_secs());
    MissingServer::new(ProblemCode::Unavailable, why)
        .hint(Hint::call("to check the servers of all languages", NextCall::new("doctor")))
        .hint(Hint::call(
            "to keep it loaded between questions, run a server:",
            NextCall::new("mcp"),
        ))
}

/// What is missing, with the way to get it.
fn missing_server(language: Language, lack: &ServerUnavailable) -> MissingServer {
    let absent = MissingServer::new(ProblemCode::Unavailable, lack.to_string());
    match lack {
        ServerUnavailable::NotInstalled { install, .. } => {
            absent.hint(format!("install it:  {install}"))
        }
        ServerUnavailable::Failing { .. } => absent
            .hint(Hint::call("to check the servers of all languages", NextCall::new("doctor")))
            .hint(Hint::call("to try it again at once:", NextCall::new("code.restart"))),
        ServerUnavailable::Loading { .. } => absent.hint("ask again in a moment"),
        ServerUnavailable::NoKnownServer => {
            let key = language.name().to_lowercase();
            absent.hint(format!("name one in cairn.jsonc: languages.{key}.server"))
        }
    }
}
