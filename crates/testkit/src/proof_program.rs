//! A process of the team proof, and the program whose commands it runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base::{Problem, ProblemCode};
use serde_json::Value;

use crate::{TestRepo, team_proof};

/// One process of one machine.
#[derive(Debug, Clone)]
pub struct ProofWorker {
    /// Its clone
    pub root: PathBuf,
    /// Its name, which is its actor
    pub name: String,
    /// Tasks that it writes, at least
    pub writes: usize,
    /// Where it notes what was acknowledged
    pub acknowledgements: PathBuf,
    /// The project that its tasks belong to
    pub project: String,
    /// It goes on writing until this file exists
    pub stop: PathBuf,
    /// The program whose commands it runs; `None` if it calls the operations itself
    pub program: Option<ProofProgram>,
}

impl ProofWorker {
    /// Its fields in one line, for the process that it becomes.
    pub fn to_text(&self) -> String {
        let Self { root, name, writes, acknowledgements, project, stop, program } = self;
        let (root, stop) = (root.display(), stop.display());
        let acknowledgements = acknowledgements.display();
        let program = program.as_ref().map(ProofProgram::to_text).unwrap_or_default();
        format!("{root}\t{name}\t{writes}\t{acknowledgements}\t{project}\t{stop}\t{program}")
    }

    /// Reads what [`Self::to_text`] wrote.
    pub fn parse(text: &str) -> Self {
        let fields: Vec<&str> = text.split('\t').collect();
        let [root, name, writes, acknowledgements, project, stop, program] = fields[..] else {
            panic!("not a worker: {text}")
        };
        Self {
            root: root.into(),
            name: name.to_owned(),
            writes: writes.parse().expect("a number"),
            acknowledgements: acknowledgements.into(),
            project: project.to_owned(),
            stop: stop.into(),
            program: ProofProgram::parse(program),
        }
    }

    /// Asks as a process does that does not wait long for the server.
    pub(crate) fn ask(&self, repo: &TestRepo, name: &str, args: Value) -> Result<Value, Problem> {
        match &self.program {
            Some(program) => program.ask(&self.root, &self.name, name, &args),
            None => team_proof::ask(repo, &self.name, name, args),
        }
    }
}

/// A program whose commands answer in JSON.
#[derive(Debug, Clone)]
pub struct ProofProgram(PathBuf);

impl ProofProgram {
    /// The program at a path.
    pub fn at(binary: &Path) -> Self {
        Self(binary.to_owned())
    }

    /// Its path, for the process that runs it.
    pub fn to_text(&self) -> String {
        self.0.display().to_string()
    }

    /// Reads what [`Self::to_text`] wrote; `None` for an empty text.
    pub fn parse(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self(text.into()))
    }

    /// Runs the command of an operation. Returns the data of its answer.
    #[expect(clippy::disallowed_methods, reason = "a proof runs the program under proof")]
    pub fn ask(
        &self,
        root: &Path,
        actor: &str,
        operation: &str,
        args: &Value,
    ) -> Result<Value, Problem> {
        let mut command = Command::new(&self.0);
        command.arg("-C").arg(root).args(["--json", "--actor", actor]);
        command.args(words(operation, args)).stdin(Stdio::null());
        command.env("CAIRN_BACKGROUND", "off").env_remove("CI");
        let output = command.output().map_err(Problem::io("run the program"))?;
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if output.status.success() {
            return Ok(answer["data"].clone());
        }
        let error = &answer["error"];
        let code = serde_json::from_value(error["code"].clone());
        Err(Problem::new(code.unwrap_or(ProblemCode::Internal), error["message"].to_string()))
    }
}

/// The words of a command: the required arguments in their order, and the others as options.
fn words(operation: &str, args: &Value) -> Vec<String> {
    let text =
        |name: &str| args[name].as_str().map_or_else(|| args[name].to_string(), str::to_owned);
    let (plain, options): (&[&str], &[(&str, &str)]) = match operation {
        "work.create" => {
            (&["kind", "title"], &[("--project", "project_id"), ("--summary", "summary")])
        }
        "work.search" => (&["query"], &[("--kind", "kind"), ("--limit", "limit")]),
        "work.claim" => (&["id"], &[("--minutes", "minutes")]),
        _ => panic!("no worker asks for {operation}"),
    };
    let mut words: Vec<String> = operation.split('.').map(str::to_owned).collect();
    words.extend(plain.iter().map(|name| text(name)));
    words.extend(options.iter().flat_map(|(option, name)| [(*option).to_owned(), text(name)]));
    words
}
