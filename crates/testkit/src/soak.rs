//! Many processes at work on one repository, killed at random: nothing acknowledged is lost.
//!
//! Workers write to stdout what was acknowledged to them. The parent process kills them, starts
//! others in their place, and at the end compares what they wrote with what is there.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use base::{Call, Hash, Problem, ProblemCode, Result};
use engine::{Plan, PlannedChange, Workspace, WorkspaceMode};
use serde_json::json;
use tree::{DiskWriter, FileEdit};

use crate::soak_work::{TaskWorker, WorkAcknowledged};
use crate::{TestRepo, WITH_LEDGER, add_line, call, lines};

/// Workers that write nothing for this long are considered stuck.
const SILENCE_TIMEOUT: Duration = Duration::from_mins(10);

/// A generator of random numbers, the same ones for the same seed.
#[derive(Debug, Clone)]
pub struct SeededRng(u64);

impl SeededRng {
    /// A generator with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`.
    pub const fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) as usize) % sides
    }
}

/// What happened in a soak, and what was wrong at the end of it.
#[derive(Debug, Default)]
pub struct SoakReport {
    /// Lines whose writing was acknowledged
    pub lines: BTreeSet<String>,
    /// Changes of two files that were acknowledged
    pub pairs: usize,
    /// Facts of the knowledge base and tasks that were acknowledged, as handles
    pub records: BTreeSet<String>,
    /// What was acknowledged about planning and doing tasks
    pub work: WorkAcknowledged,
    /// Answers that were looked at
    pub reads: usize,
    /// Writes that got `BUSY`
    pub busy: usize,
    /// Workers that were killed
    pub killed: usize,
    /// What was wrong
    pub failures: Vec<String>,
}

/// What the workers of a soak do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoakActions {
    /// Lines, pairs of files, edits, facts, tasks and questions
    All,
    /// Tasks only: plans, imports, starts, comments, blocks, relations, ends
    Tasks,
}

/// A worker: reads and writes until it is killed.
pub fn run_worker(root: &Path, name: &str, seed: u64, actions: SoakActions) {
    let dice = SeededRng::new(seed);
    let worker = SoakWorker { repo: TestRepo::existing(root), name, dice, actions };
    worker.run();
}

struct SoakWorker<'a> {
    repo: TestRepo,
    name: &'a str,
    dice: SeededRng,
    actions: SoakActions,
}

impl SoakWorker<'_> {
    fn run(mut self) {
        let mut own = BTreeSet::new();
        for round in 0_u64.. {
            // As a command would: each round opens the repository anew.
            let workspace =
                self.repo.open(WorkspaceMode::Once, DiskWriter::default(), &WITH_LEDGER);
            let done = match self.dice.below(10) {
                _ if self.actions == SoakActions::Tasks => {
                    TaskWorker { on: &workspace, name: self.name, round }.act(&mut self.dice)
                }
                0 | 1 => self.write_line(&workspace, round, &mut own),
                2 => self.write_pair(&workspace, round),
                3 => self.edit(&workspace, round),
                4 => read_lines(&workspace, &own),
                5 => self.write_fact(&workspace, round),
                6 => self.write_task(&workspace, round),
                7 | 8 => TaskWorker { on: &workspace, name: self.name, round }.act(&mut self.dice),
                _ => self.ask(&workspace),
            };
            match done {
                Ok(()) => {}
                Err(problem) if problem.code == ProblemCode::Busy => report_line("busy", ""),
                Err(problem) => report_line("wrong", &format!("{}: {problem}", self.name)),
            }
        }
    }

    fn write_line(&self, on: &Workspace, round: u64, own: &mut BTreeSet<String>) -> Result<()> {
        let line = format!("{}-{round}", self.name);
        add_line(on, &call(), &line)?;
        report_line("line", &line);
        own.insert(line);
        Ok(())
    }

    /// Writes two files that must always contain the same number.
    fn write_pair(&self, on: &Workspace, round: u64) -> Result<()> {
        let text = format!("# {} {round}\n", self.name);
        on.write(&call(), |view| {
            let edit = |side: &str| -> Result<FileEdit> {
                let path = format!("pairs/{side}.md")
                    .parse()
                    .map_err(|_| Problem::internal("the path is plain"))?;
                let expected = view.tree().read(&path)?.map(|blob| blob.hash);
                Ok(FileEdit { path, expected, content: Some(text.clone().into_bytes()) })
            };
            let change = PlannedChange::Files(vec![edit("left")?, edit("right")?]);
            Ok(Plan { summary: "a pair".into(), change, answer: (), retry_on_conflict: true })
        })
        .or_else(|problem| match problem.code {
            ProblemCode::Conflict => Ok(unchanged()), // another writer's pair came between
            _ => Err(problem),
        })?;
        report_line("pair", &text);
        Ok(())
    }

    /// A fact, and the question for it.
    fn write_fact(&self, on: &Workspace, round: u64) -> Result<()> {
        let id = format!("FACT-{}-{round}", self.name);
        let entity = json!({"id": id, "type": "fact", "title": format!("Round {round}")});
        ask(on, "kb.upsert", json!({"id": id, "entities": [entity]}))?;
        report_line("record", &format!("kb:{id}"));
        let found = ask(on, "kb.query", json!({"id": id}))?;
        match found["entities"][0]["id"] == id.as_str() {
            true => report_line("read", ""),
            false => report_line("wrong", &format!("{id} was acknowledged and is not there")),
        }
        Ok(())
    }

    /// A task, found again by its name.
    fn write_task(&self, on: &Workspace, round: u64) -> Result<()> {
        let name = format!("{}-{round}", self.name);
        ask(on, "work.create", json!({"kind": "task", "name": name}))?;
        report_line("record", &format!("task:{name}"));
        Ok(())
    }

    /// What an editor wrote is seen by the question that comes after.
    fn edit(&self, on: &Workspace, round: u64) -> Result<()> {
        let (path, title) = (format!("notes/{}.md", self.name), format!("Round {round}"));
        self.repo.write(&path, format!("# {title}\n"));
        let answer = ask(on, "context", json!({"targets": [path]}))?;
        let about = answer["targets"][0]["about"].as_str().unwrap_or_default().to_owned();
        match about.starts_with(&format!("{title} ")) {
            true => report_line("read", ""),
            false => report_line("wrong", &format!("{path} says {title}, the answer {about}")),
        }
        Ok(())
    }

    fn ask(&mut self, on: &Workspace) -> Result<()> {
        let questions = [
            ("status", json!({})),
            ("search", json!({"query": "round"})),
            ("impact", json!({"target": "README.md"})),
            ("verify", json!({})),
            ("code.list", json!({})),
        ];
        let (name, args) = questions[self.dice.below(questions.len())].clone();
        ask(on, name, args)?;
        report_line("read", "");
        Ok(())
    }
}

fn unchanged() -> engine::MutationAnswer<()> {
    engine::MutationAnswer { result: (), files: Vec::new(), change: None, diff: None }
}

fn ask(on: &Workspace, name: &str, args: serde_json::Value) -> Result<serde_json::Value> {
    let args = serde_json::from_value(args).map_err(|error| Problem::invalid(error.to_string()))?;
    let (op, args) = operations::ops::resolve(name, args)?;
    Ok(op.call(on, crate::call_by("worker"), args)?.data.clone())
}

pub(crate) fn report_line(what: &str, text: &str) {
    let line = format!("{what}\t{}\n", text.trim().replace(['\n', '\t'], " "));
    let _ = std::io::stdout().lock().write_all(line.as_bytes());
}

fn read_lines(on: &Workspace, own: &BTreeSet<String>) -> Result<()> {
    let found: Vec<String> = lines(on, &call())?;
    let all: BTreeSet<&String> = found.iter().collect();
    if all.len() != found.len() {
        report_line("wrong", "a line is there twice");
    }
    match own.iter().find(|line| !all.contains(line)) {
        Some(lost) => report_line("wrong", &format!("{lost} was acknowledged and is not there")),
        None => report_line("read", ""),
    }
    Ok(())
}

/// Runs `count` workers and kills one now and then, until `is_enough` is true of the report so far
/// and the elapsed time; then checks what is left. A worker is killed only after something was
/// acknowledged since the last kill, however slow the machine is.
pub fn soak(
    command: impl Fn(&Path, &str, u64) -> Command,
    count: usize,
    is_enough: impl Fn(&SoakReport, Duration) -> bool,
) -> SoakReport {
    let repo = TestRepo::new(
        "//- README.md\n# Start\n//- pairs/left.md\n# none\n//- pairs/right.md\n# none\n",
    );
    repo.data("work.create", json!({"kind": "project", "name": "Soak"}));
    let (sender, said) = channel();
    let mut dice = SeededRng::new(count as u64);
    let mut report = SoakReport::default();
    let mut next = 0;
    let mut start = || {
        next += 1;
        spawn(command(&repo.root(), &format!("w{next}"), next), sender.clone())
    };
    let mut workers: Vec<Child> = (0..count).map(|_| start()).collect();
    let begin = Instant::now();
    while !is_enough(&report, begin.elapsed()) {
        std::thread::sleep(Duration::from_millis(50 + dice.below(400) as u64)); // anywhere
        report.drain_some(&said);
        let victim = &mut workers[dice.below(count)];
        kill(victim);
        report.killed += 1;
        *victim = start();
    }
    workers.iter_mut().for_each(kill);
    drop(sender);
    report.drain(&said);
    report.verify(&repo);
    report
}

/// A line that a worker wrote: what happened, and to what.
struct WorkerMessage {
    kind: String,
    text: String,
}

fn spawn(mut command: Command, sender: Sender<WorkerMessage>) -> Child {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a worker starts");
    let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
    std::thread::spawn(move || {
        for line in output.lines().map_while(std::result::Result::ok) {
            if let Some((what, text)) = line.split_once('\t') {
                let (kind, text) = (what.to_owned(), text.to_owned());
                let _ = sender.send(WorkerMessage { kind, text });
            }
        }
    });
    child
}

fn kill(worker: &mut Child) {
    let _ = worker.kill(); // SIGKILL, which it cannot catch
    let _ = worker.wait();
}

impl SoakReport {
    /// Records messages until all workers are gone.
    fn drain(&mut self, said: &Receiver<WorkerMessage>) {
        for one in said {
            self.record(one);
        }
    }

    /// Records the messages so far, and waits for at least one.
    fn drain_some(&mut self, said: &Receiver<WorkerMessage>) {
        let first = said.recv_timeout(SILENCE_TIMEOUT).expect("the workers do something");
        [first].into_iter().chain(said.try_iter()).for_each(|said| self.record(said));
    }

    fn record(&mut self, message: WorkerMessage) {
        let text = message.text;
        match message.kind.as_str() {
            "line" => drop(self.lines.insert(text)),
            "pair" => self.pairs += 1,
            "record" => drop(self.records.insert(text)),
            "read" => self.reads += 1,
            "busy" => self.busy += 1,
            "wrong" => self.failures.push(text),
            other => self.work.record(other, &text),
        }
    }

    /// Compares what is there at the end with what was acknowledged.
    fn verify(&mut self, repo: &TestRepo) {
        let workspace = repo.open(WorkspaceMode::Once, DiskWriter::default(), &WITH_LEDGER);
        let call: Arc<Call> = call();
        let found: BTreeSet<String> =
            lines(&workspace, &call).map(|all| all.into_iter().collect()).unwrap_or_default();
        let lost = self.lines.difference(&found).map(|line| format!("{line} is lost"));
        self.failures.extend(lost.collect::<Vec<_>>());
        self.verify_records(&workspace);
        let exported = ask(&workspace, "work.export", json!({})).expect("the rows of the store");
        self.failures.extend(self.work.failures(&exported["tables"]));
        let side =
            |side: &str| repo.read(&format!("pairs/{side}.md")).map(|t| Hash::of(t.as_bytes()));
        if side("left") != side("right") {
            self.failures.push("a change of two files is torn".into());
        }
        let stores = ["ledger.sqlite", "work.sqlite", "branches/main/kb.sqlite"];
        let stores = stores.map(|name| repo.root().join(".git/cairn").join(name));
        for path in stores.into_iter().filter(|path| path.exists()).chain(workspace.index_path()) {
            let sound = store::open_read_only(&path).and_then(|conn| store::check_integrity(&conn));
            if !sound.as_ref().is_ok_and(Vec::is_empty) {
                self.failures.push(format!("{} is not sound: {sound:?}", path.display()));
            }
        }
        crate::assert_incremental_equals_full(&workspace, "after the soak");
    }

    /// Every fact and task that was acknowledged is there, once.
    fn verify_records(&mut self, workspace: &Workspace) {
        let facts = fetch_column(workspace, "kb.query", &json!({"type": "fact"}), "entities", "id");
        let tasks =
            fetch_column(workspace, "work.search", &json!({"kind": "task"}), "items", "name");
        let facts = facts.iter().map(|id| format!("kb:{id}"));
        let found: Vec<String> =
            facts.chain(tasks.iter().map(|name| format!("task:{name}"))).collect();
        let known: BTreeSet<&String> = found.iter().collect();
        if known.len() != found.len() {
            self.failures.push("a fact or a task is there twice".into());
        }
        let lost = self.records.iter().filter(|record| !known.contains(record));
        self.failures.extend(lost.map(|record| format!("{record} is lost")));
    }
}

/// One field of every row of a list, page by page.
fn fetch_column(
    on: &Workspace,
    name: &str,
    args: &serde_json::Value,
    list: &str,
    field: &str,
) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        let mut args = args.clone();
        (args["limit"], args["offset"]) = (json!(1000), json!(found.len()));
        let answer = ask(on, name, args).expect("a list");
        match answer[list].as_array() {
            Some(rows) if !rows.is_empty() => {
                let text =
                    |row: &serde_json::Value| row[field].as_str().unwrap_or_default().to_owned();
                found.extend(rows.iter().map(text));
            }
            _ => return found,
        }
    }
}
