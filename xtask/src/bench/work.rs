//! Knowledge about files, the next task, and writes compared with a flush of the disk.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::TestRepo;

use super::latency::WarmServer;
use super::{BenchContext, Comparison, median, print_row};
use crate::run::XtaskResult;

/// Atoms, and patterns of each.
const ATOMS: usize = 2_000;
const PATTERNS: usize = 10;

/// Existing files, each covered by one atom.
const FILES: usize = 2_000;

/// Paths of one question.
const PATHS: usize = 200;

/// Tasks to choose the next one from.
const TASKS: usize = 200;

/// How often a write and a flush are measured.
const ROUNDS: usize = 100;

/// Fills a store, then measures.
pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    let repo = TestRepo::new(&fixture());
    let mut warm = WarmServer::start(site, &repo.root())?;
    warm.call("work_create", json!({"kind": "project", "name": "Shop"}))?;
    for number in 0..ATOMS {
        let pattern = |n: usize| format!("src/area{number}/part{n}/**/*.ts");
        let paths: Vec<String> = (0..PATTERNS).map(pattern).collect();
        let args = json!({"kind": "atom", "name": format!("Atom {number}"), "paths": paths,
            "knowledge": "Amounts are in cents; rounding happens once, at the edge."});
        warm.call("knowledge_create", args)?;
    }
    for number in 0..TASKS {
        warm.call("work_create", json!({"kind": "task", "name": format!("Task {number}")}))?;
    }
    let paths: Vec<String> = (0..PATHS).map(|n| path(n * 7 % FILES)).collect();
    let context: Vec<Value> = vec![json!({"paths": paths})];
    warm.measure_and_print("knowledge_context", &context, Duration::from_millis(5))?;
    warm.measure_and_print("work_next", &[json!({})], Duration::from_millis(2))?;
    writes(&mut warm, &repo)
}

/// Alternates a write and a flush, so that both are measured under the same conditions.
fn writes(warm: &mut WarmServer, repo: &TestRepo) -> XtaskResult<()> {
    let log = repo.root().join(".git/flush");
    let mut log = OpenOptions::new().create(true).append(true).open(log).map_err(io_error_text)?;
    let (mut flushes, mut made, mut moved) = (Vec::new(), Vec::new(), Vec::new());
    let (mut asked, mut bare) = (Vec::new(), Vec::new());
    let mut floor = MinimalStore::new(repo)?;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        warm.call("version", json!({}))?;
        asked.push(begin.elapsed());
        bare.push(floor.write()?);
        flushes.push(time_flush(&mut log)?);
        let begin = Instant::now();
        let text = warm.call("work_create", json!({"kind": "task", "name": "One more"}))?;
        made.push(begin.elapsed());
        let task = text.split_whitespace().find(|word| word.starts_with("task:"));
        let task = task.ok_or_else(|| format!("no task in {text}"))?.to_owned();
        flushes.push(time_flush(&mut log)?);
        let begin = Instant::now();
        warm.call("work_advance", json!({"id": task}))?;
        moved.push(begin.elapsed());
    }
    let middle = |times: Vec<Duration>| {
        let mut times = times.into_iter();
        median(times.len(), || times.next().ok_or_else(|| "no time".to_owned()))
    };
    let flush = middle(flushes)?;
    print_row(
        "a call that does nothing, median",
        middle(asked)?,
        &Comparison::new("twice a flush", flush * 2),
    );
    print_row(
        "a row into a bare store, median",
        middle(bare)?,
        &Comparison::new("twice a flush", flush * 2),
    );
    print_row("work_create, median", middle(made)?, &Comparison::new("twice a flush", flush * 2));
    print_row("work_advance, median", middle(moved)?, &Comparison::new("twice a flush", flush * 2));
    Ok(())
}

/// The minimal cost of a write: a row in a store with one table.
struct MinimalStore(store::Store);

impl MinimalStore {
    fn new(repo: &TestRepo) -> XtaskResult<Self> {
        let path = repo.root().join(".git/floor.sqlite");
        let mut store = store::open(&path, store::Durability::Durable).map_err(problem_text)?;
        let made = |t: &store::Transaction<'_>| {
            t.execute_batch("CREATE TABLE x (y)").map_err(store::sqlite_problem("measure"))
        };
        store.write(made).map_err(problem_text)?;
        Ok(Self(store))
    }

    fn write(&mut self) -> XtaskResult<Duration> {
        let begin = Instant::now();
        let put = |t: &store::Transaction<'_>| {
            t.execute("INSERT INTO x VALUES (1)", []).map_err(store::sqlite_problem("measure"))
        };
        self.0.write(put).map_err(problem_text)?;
        Ok(begin.elapsed())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn problem_text(problem: base::Problem) -> String {
    problem.to_string()
}

fn fixture() -> String {
    let mut text = "//- README.md\n# Shop\n".to_owned();
    for n in 0..FILES {
        let _ = write!(text, "//- {}\nexport const f{n} = {n};\n", path(n));
    }
    text
}

/// The file that a pattern of atom `n` covers.
fn path(n: usize) -> String {
    format!("src/area{n}/part{}/deep/f.ts", n % PATTERNS)
}

/// How long a flush of a few bytes takes.
fn time_flush(log: &mut File) -> XtaskResult<Duration> {
    let begin = Instant::now();
    log.write_all(&[7; 4096]).and_then(|()| log.sync_data()).map_err(io_error_text)?;
    Ok(begin.elapsed())
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn io_error_text(error: std::io::Error) -> String {
    error.to_string()
}
