//! Several machines that write to one team while clients, the server and the network fail.
//!
//! Each machine is a clone, and each of its processes writes tasks and claims tasks. A process
//! notes in a file what was acknowledged to it. Afterwards every acknowledged task is there once on
//! every machine, the replicas are equal, and no task was claimed by two. Another repository has
//! its own project in the same database, behind the same network; no row of one is in the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use base::Call;
use engine::JsonObject;
use operations::ops;
use serde_json::{Value, json};

use crate::postgres::{PostgresServer, TestDatabase};
use crate::proof_program::ProofProgram;
pub use crate::proof_program::ProofWorker;
use crate::proxy::{NetworkProxy, NetworkState};
use crate::{TestRepo, call_by, postgres_tables};

/// Tasks that the processes compete for.
const CONTESTED: usize = 20;

/// Codes with which a write may be refused while others write and everything fails: it is repeated then. Any other
/// would be told to a person as if the request or a store were wrong.
const USUAL_REFUSALS: [&str; 4] = ["Busy", "Unavailable", "Timeout", "Cancelled"];

/// How much a proof does.
#[derive(Debug, Clone, Copy)]
pub struct ProofSize {
    /// Clones
    pub machines: usize,
    /// Processes of each clone
    pub processes: usize,
    /// Tasks that each process writes, at least
    pub writes: usize,
    /// Failures that are caused, one after the other
    pub failures: usize,
    /// Processes go on writing, and failures are caused, for this long if that is longer
    pub time: Duration,
    /// Chooses the failures
    pub seed: u64,
}

/// What a proof did.
#[derive(Debug, Default, Clone)]
pub struct ProofReport {
    /// Tasks that were acknowledged
    pub acknowledged: usize,
    /// Claims that were acknowledged
    pub claims: usize,
    /// Titles that are there more than once, because their process was killed or got an error
    pub repeated: usize,
    /// Writes that were refused, and repeated
    pub refusals: usize,
    /// Processes that were killed
    pub kills: usize,
    /// Times that the server was killed
    pub crashes: usize,
    /// Times that the network was cut or silent
    pub cuts: usize,
    /// The number of the team's last change
    pub changes: i64,
    /// Tasks of the other project in the same database
    pub other_project: usize,
    /// How long it took
    pub took: Duration,
}

/// Clones of one repository, and the processes that write there.
struct ProofProject {
    machines: Vec<PathBuf>,
    workers: Vec<ProofWorker>,
}

/// Runs a proof. `start` makes the command that calls [`work`] with a worker, which runs the commands of `program`, or
/// calls the operations itself without one. None if the server is not installed.
pub fn run(
    size: ProofSize,
    program: Option<&ProofProgram>,
    start: impl Fn(&ProofWorker) -> Command,
) -> Option<ProofReport> {
    let server = PostgresServer::start()?;
    let begin = Instant::now();
    let (database, proxy) = (server.database(), NetworkProxy::to(server.port()));
    let folder = tempfile::tempdir().expect("a folder");
    let stop = folder.path().join("stop");
    let mut project = set_up(&database, &proxy, folder.path(), size, "worker");
    let other_size = ProofSize { machines: 1, processes: 1, ..size };
    let mut other = set_up(&database, &proxy, folder.path(), other_size, "stranger");
    for worker in project.workers.iter_mut().chain(&mut other.workers) {
        worker.program = program.cloned();
    }
    let workers = project.workers.iter().chain(&other.workers);
    let mut running: Vec<(ProofWorker, Child)> =
        workers.map(|worker| (worker.clone(), spawn(&start, worker))).collect();
    let mut report = ProofReport::default();
    let mut random = Random(size.seed);
    let mut failures = 0;
    while !running.is_empty() {
        running = restart_killed(running, &start);
        if failures < size.failures || begin.elapsed() < size.time {
            cause_failure(&mut random, &server, &proxy, &mut running, &start, &mut report);
            failures += 1;
        } else {
            fs::write(&stop, "").expect("a file");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    proxy.set(NetworkState::Open);
    let mut other_report = report.clone();
    settle(&other.machines);
    check(&other, &mut other_report);
    settle(&project.machines);
    check(&project, &mut report);
    check_database(&server, &database);
    report.other_project = other_report.acknowledged;
    report.took = begin.elapsed();
    Some(report)
}

/// What a worker does: writes its tasks, each until it is acknowledged, and claims tasks in
/// between.
pub fn work(worker: &ProofWorker) {
    let noted = fs::read_to_string(&worker.acknowledgements).unwrap_or_default();
    let done: BTreeSet<String> =
        noted.lines().filter_map(acknowledged_task).map(|(title, _)| title.to_owned()).collect();
    let repo = TestRepo::existing(&worker.root);
    let mut is_first = true;
    for number in 0.. {
        if number >= worker.writes && worker.stop.exists() {
            return;
        }
        let title = format!("{} {number}", worker.name);
        if done.contains(&title) {
            continue;
        }
        // A process that was killed may have written the first one that was not acknowledged. It is
        // noted, so that a further process, if this one is killed too, does not look for it again.
        if std::mem::take(&mut is_first) {
            note(worker, &format!("resumed {title}"));
            if let Some(id) = find_written(&repo, worker, &title) {
                note(worker, &format!("task {title}\t{id}"));
                continue;
            }
        }
        let args =
            json!({"kind": "task", "title": title, "project_id": worker.project, "summary": "s"});
        let made = loop {
            match worker.ask(&repo, "work.create", args.clone()) {
                Ok(made) => break made,
                Err(problem) => {
                    // It may have been made nevertheless; it is made once more.
                    let why = problem.message.replace(['\n', '\t'], " ");
                    note(worker, &format!("refused {title}\t{:?} {why}", problem.code));
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
        };
        let id = find_title(&made, &title).expect("a new task has an id");
        note(worker, &format!("task {title}\t{id}"));
        if number % 5 == 0 {
            claim(&repo, worker, number);
        }
    }
}

/// The title and the id of a task in a line of acknowledgements.
fn acknowledged_task(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("task ")?.split_once('\t')
}

/// Claims one of the contested tasks; most are taken.
fn claim(repo: &TestRepo, worker: &ProofWorker, number: usize) {
    let wanted = format!("contested {}", (number / 5) % CONTESTED);
    let search = json!({"query": wanted, "kind": "task", "limit": 50});
    let found = worker.ask(repo, "work.search", search);
    let Ok(found) = found else { return };
    let Some(id) = find_title(&found, &wanted) else { return };
    let claimed = worker.ask(repo, "work.claim", json!({"id": id, "minutes": 480}));
    if claimed.is_ok() {
        note(worker, &format!("claim {wanted}"));
    }
}

fn find_title(answer: &Value, title: &str) -> Option<String> {
    match answer {
        Value::Object(fields) => {
            let named =
                fields.get("title").or(fields.get("name")).and_then(Value::as_str) == Some(title);
            match named.then(|| fields.get("id").and_then(Value::as_str)).flatten() {
                Some(id) => Some(id.to_owned()),
                None => fields.values().find_map(|value| find_title(value, title)),
            }
        }
        Value::Array(rows) => rows.iter().find_map(|row| find_title(row, title)),
        _ => None,
    }
}

/// The id of a task that is there already.
fn find_written(repo: &TestRepo, worker: &ProofWorker, title: &str) -> Option<String> {
    let asked = json!({"query": title, "kind": "task", "limit": 50});
    find_title(&worker.ask(repo, "work.search", asked).ok()?, title)
}

fn note(worker: &ProofWorker, line: &str) {
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&worker.acknowledgements)
        .expect("a file");
    file.write_all(format!("{line}\n").as_bytes()).expect("a line");
}

/// Asks as a process does that does not wait long for the server.
pub(crate) fn ask(
    repo: &TestRepo,
    actor: &str,
    name: &str,
    args: Value,
) -> Result<Value, base::Problem> {
    call(repo, call_by(actor).with_optional_wait(Duration::from_secs(1)), name, args)
}

/// Asks and waits for the server, however busy the machine is.
fn ask_patiently(repo: &TestRepo, name: &str, args: Value) -> Result<Value, base::Problem> {
    call(repo, call_by("owner"), name, args)
}

fn call(repo: &TestRepo, call: Call, name: &str, args: Value) -> Result<Value, base::Problem> {
    let args: JsonObject = serde_json::from_value(args).expect("an object");
    let (op, args) = ops::resolve(name, args)?;
    op.call(&repo.workspace(), call, args).map(|answer| (*answer.data).clone())
}

/// A repository that has joined, clones of it on other machines, and the processes that will write
/// there.
fn set_up(
    database: &TestDatabase,
    proxy: &NetworkProxy,
    folder: &Path,
    size: ProofSize,
    name: &str,
) -> ProofProject {
    let address = json!({"address": database.url_at(&database.owner, proxy.port())});
    let first = folder.join(format!("{name}-machine-0"));
    fs::create_dir_all(&first).expect("a folder");
    let repo = TestRepo::existing(&first);
    repo.git(&["init", "-q", "-b", "main"]);
    repo.write("a.ts", format!("export const {name} = 1;\n"));
    repo.commit("start");
    ask(&repo, "owner", "team.join", address.clone()).expect("the first joins");
    repo.commit("join");
    let mut machines = vec![first];
    for number in 1..size.machines {
        let to = folder.join(format!("{name}-machine-{number}"));
        repo.git(&["clone", "-q", ".", to.to_str().expect("a name")]);
        ask(&TestRepo::existing(&to), "owner", "team.join", address.clone()).expect("others join");
        machines.push(to);
    }
    let project = contested_project(&machines[0]);
    let worker = |at: usize, process: usize| ProofWorker {
        root: machines[at].clone(),
        name: format!("{name}-{at}-{process}"),
        writes: size.writes,
        acknowledgements: folder.join(format!("acknowledged-{name}-{at}-{process}")),
        project: project.clone(),
        stop: folder.join("stop"),
        program: None,
    };
    let workers = (0..machines.len())
        .flat_map(|at| (0..size.processes).map(move |process| (at, process)))
        .map(|(at, process)| worker(at, process))
        .collect();
    ProofProject { machines, workers }
}

/// A project with tasks that everybody wants.
fn contested_project(machine: &Path) -> String {
    let repo = TestRepo::existing(machine);
    let project = json!({"kind": "project", "name": "Proof", "summary": "s"});
    let made = ask(&repo, "owner", "work.create", project).expect("a project");
    let project = find_title(&made, "Proof").expect("an id");
    for number in 0..CONTESTED {
        let title = format!("contested {number}");
        let task = json!({"kind": "task", "title": title, "project_id": project, "summary": "s"});
        ask(&repo, "owner", "work.create", task).expect("a task");
    }
    project
}

fn spawn(start: &impl Fn(&ProofWorker) -> Command, worker: &ProofWorker) -> Child {
    let mut command = start(worker);
    if worker.program.is_some() {
        platform::set_process_group(&mut command);
    }
    command.spawn().expect("a worker")
}

/// The workers that still run. A worker that was killed is started again, and one that failed makes
/// the proof fail.
fn restart_killed(
    running: Vec<(ProofWorker, Child)>,
    start: &impl Fn(&ProofWorker) -> Command,
) -> Vec<(ProofWorker, Child)> {
    let mut left = Vec::new();
    for (worker, mut child) in running {
        match child.try_wait().expect("a process") {
            None => left.push((worker, child)),
            Some(status) if status.success() => {}
            Some(status) if status.code().is_none() => {
                let child = spawn(start, &worker);
                left.push((worker, child));
            }
            Some(status) => panic!("{} failed: {status}", worker.name),
        }
    }
    left
}

fn cause_failure(
    random: &mut Random,
    server: &PostgresServer,
    proxy: &NetworkProxy,
    running: &mut [(ProofWorker, Child)],
    start: &impl Fn(&ProofWorker) -> Command,
    report: &mut ProofReport,
) {
    std::thread::sleep(Duration::from_millis(random.below(300)));
    match random.below(10) {
        0 => {
            server.kill();
            std::thread::sleep(Duration::from_millis(random.below(500)));
            server.run();
            report.crashes += 1;
        }
        1 | 2 => {
            proxy.set(NetworkState::Cut);
            std::thread::sleep(Duration::from_millis(random.below(1_500)));
            proxy.set(NetworkState::Open);
            report.cuts += 1;
        }
        3 => {
            proxy.set(NetworkState::Silent);
            std::thread::sleep(Duration::from_millis(random.below(1_500)));
            proxy.set(NetworkState::Open);
            report.cuts += 1;
        }
        _ => {
            let Some(at) = usize::try_from(random.below(running.len().max(1) as u64)).ok() else {
                return;
            };
            let Some((worker, child)) = running.get_mut(at) else { return };
            if worker.program.is_some() {
                platform::kill_group(child); // with the command that it runs
            }
            if child.kill().is_ok() && !child.wait().is_ok_and(|status| status.success()) {
                report.kills += 1;
                *child = spawn(start, worker);
            } else {
                *child = spawn(start, worker); // it had finished; it finds nothing to do
            }
        }
    }
}

/// Writes what waits, on every machine.
fn settle(machines: &[PathBuf]) {
    for machine in machines {
        let repo = TestRepo::existing(machine);
        let done = || {
            let pushed = ask_patiently(&repo, "team.push", json!({}));
            pushed.is_ok_and(|answer| answer["outbox"]["waiting"] == json!([]))
        };
        crate::postgres::wait_until(done);
    }
}

/// Checks that every acknowledged task is there once on every machine, all replicas are equal, each
/// claim has one winner, and no record is from another project.
fn check(project: &ProofProject, report: &mut ProofReport) {
    let ProofProject { machines, workers } = project;
    let mut acknowledged = BTreeSet::new();
    let mut winners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut repeated: BTreeMap<String, usize> = BTreeMap::new();
    for worker in workers {
        for line in fs::read_to_string(&worker.acknowledgements).unwrap_or_default().lines() {
            if let Some((_, id)) = acknowledged_task(line) {
                acknowledged.insert(id.to_owned());
            } else if let Some(task) = line.strip_prefix("claim ") {
                winners.entry(task.to_owned()).or_default().insert(worker.name.clone());
            } else if let Some(title) = line.strip_prefix("resumed ") {
                *repeated.entry(title.to_owned()).or_default() += 1;
            } else if let Some((title, why)) =
                line.strip_prefix("refused ").and_then(|rest| rest.split_once('\t'))
            {
                *repeated.entry(title.to_owned()).or_default() += 1;
                report.refusals += 1;
                let is_usual = USUAL_REFUSALS.iter().any(|code| why.starts_with(code));
                assert!(is_usual, "`{title}` was refused: {why}");
            }
        }
    }
    for (task, names) in &winners {
        assert_eq!(names.len(), 1, "{task} was claimed by {names:?}");
    }
    let mut first: Option<Value> = None;
    for machine in machines {
        let repo = TestRepo::existing(machine);
        let status = ask_patiently(&repo, "team.status", json!({})).expect("a status");
        assert_eq!(status["team"]["conflicts"], json!([]), "{status:#}");
        let exported = export(machine);
        let tasks = exported["tables"]["task"].as_array().cloned().unwrap_or_default();
        let ids: BTreeSet<&str> = tasks.iter().filter_map(|task| task["id"].as_str()).collect();
        assert_eq!(ids.len(), tasks.len(), "a task is there twice");
        for id in &acknowledged {
            assert!(
                ids.contains(id.as_str()),
                "{id} is not on {}; on others: {:?}",
                machine.display(),
                places(machines, id)
            );
        }
        // A killed process does not know what it wrote last, and may write it once more.
        let mut titles: BTreeMap<&str, usize> = BTreeMap::new();
        for title in tasks.iter().filter_map(|task| task["title"].as_str()) {
            *titles.entry(title).or_default() += 1;
        }
        for (title, count) in &titles {
            let allowed = 1 + repeated.get(*title).copied().unwrap_or_default();
            assert!(*count <= allowed, "`{title}` was written {count} times");
        }
        report.repeated = titles.values().filter(|count| **count > 1).count();
        let is_own = |title: &&&str| {
            title.starts_with("contested ")
                || workers.iter().any(|one| title.starts_with(&one.name))
        };
        let foreign: Vec<&&str> = titles.keys().filter(|title| !is_own(title)).collect();
        assert!(foreign.is_empty(), "rows of another project: {foreign:?}");
        report.changes = status["team"]["server"]["last_change"].as_i64().unwrap_or_default();
        match &first {
            None => first = Some(exported),
            Some(first) => assert_eq!(*first, exported, "the replicas differ"),
        }
    }
    report.acknowledged = acknowledged.len();
    report.claims = winners.len();
}

/// No record holds what another project wrote, and every number was given to one change.
fn check_database(server: &PostgresServer, database: &TestDatabase) {
    let mut admin = server.admin(&database.name).expect("the server answers");
    let foreign = admin.query_one(postgres_tables::COUNT_FOREIGN_RECORDS, &[]).expect("a count");
    assert_eq!(foreign.get::<_, i64>(0), 0, "records of another project");
    for row in admin.query(postgres_tables::COUNT_CHANGES, &[]).expect("the projects") {
        let (name, last, count): (String, i64, i64) = (row.get(0), row.get(1), row.get(2));
        assert_eq!(last, count, "the changes of {name} are not numbered in a row");
    }
}

/// Every row of work and knowledge on a machine.
fn export(machine: &Path) -> Value {
    ask_patiently(&TestRepo::existing(machine), "work.export", json!({})).expect("an export")
}

/// On which machines a record is, for a message.
fn places(machines: &[PathBuf], id: &str) -> Vec<bool> {
    machines.iter().map(|machine| export(machine).to_string().contains(id)).collect()
}

/// A small generator, so that a proof can be repeated by its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
