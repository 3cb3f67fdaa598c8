//! What a team costs: reads and writes at several latencies, many clients at once, and a long log.

#![expect(clippy::disallowed_methods, reason = "a developer's tool starts the program under proof")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use base::Call;
use base::call::CallStopReason;
use engine::{AREAS, Workspace, WorkspaceMode};
use serde_json::{Value, json};
use testkit::TestRepo;
use testkit::postgres::{PostgresServer, TestDatabase};
use testkit::proxy::NetworkProxy;
use tree::DiskWriter;

use super::ProofBinary;
use crate::run::{self, XtaskResult};

/// Calls that are measured of each kind. The middle one is printed.
const MEASURED: u32 = 31;

/// Commands that are measured of each kind.
const MEASURED_COMMANDS: u32 = 15;

/// Tasks of the project that is read.
const TASKS: u32 = 100;

/// Machines that write to one project at once, and how often each.
const CLIENTS: u32 = 100;
const CLIENT_WRITES: u32 = 10;

/// Entries that the long log grows by.
const LOG_GROWTH: [u32; 3] = [10_000, 100_000, 1_000_000];

/// A call that is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MeasuredCall {
    Read,
    Write,
}

/// The middle of several times, and the round trips of one call.
#[derive(Default)]
struct CallCost {
    time: Duration,
    trips: f64,
}

impl std::fmt::Display for CallCost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1} ms ({:.1})", self.time.as_secs_f64() * 1000.0, self.trips)
    }
}

/// Prints what reads and writes cost at several latencies. The round trips are in brackets.
pub(super) fn latencies(root: &Path, binary: Option<&str>) -> XtaskResult<()> {
    let built = match binary {
        None => Some(ProofBinary::build(root)?),
        Some(_) => None,
    };
    let binary = built.as_ref().map_or_else(
        || Path::new(binary.unwrap_or_default()).to_path_buf(),
        |built| built.binary.clone(),
    );
    let server = PostgresServer::start().ok_or("PostgreSQL is not installed")?;
    let database = server.database();
    let proxy = NetworkProxy::to(server.port());
    let alone = joined(None);
    let shared = joined(Some(&database.url_at(&database.owner, proxy.port())));
    run::print(
        "| latency | write, connected | write, opened anew | read, listening server | read, connected | read, opened anew | read, command | command with background |\n|---|---|---|---|---|---|---|---|\n",
    );
    let home = tempfile::Builder::new().prefix("ct").tempdir_in("/tmp");
    let home = home.map_err(|error| error.to_string())?;
    std::fs::create_dir(home.path().join("run")).map_err(|error| error.to_string())?;
    print_row("no team", &alone, None, &binary, home.path())?;
    for latency in [0, 5, 50] {
        proxy.set_round_trip(Duration::from_millis(latency));
        print_row(&format!("{latency} ms"), &shared, Some(&proxy), &binary, home.path())?;
    }
    Ok(())
}

fn print_row(
    name: &str,
    repo: &TestRepo,
    proxy: Option<&NetworkProxy>,
    binary: &Path,
    home: &Path,
) -> XtaskResult<()> {
    let open = repo.workspace();
    let connected = |what| measure(proxy, MEASURED, |at| ask(&open, what, at));
    let anew = |what| measure(proxy, MEASURED, |at| ask(&repo.workspace(), what, at));
    let columns = [
        connected(MeasuredCall::Write),
        anew(MeasuredCall::Write),
        listening(repo, proxy),
        connected(MeasuredCall::Read),
        anew(MeasuredCall::Read),
        measure(proxy, MEASURED_COMMANDS, |_| command(binary, repo, home, "off")),
        with_background(binary, repo, home, proxy)?,
    ];
    let cells: Vec<String> = columns.iter().map(ToString::to_string).collect();
    run::print(&format!("| {name} | {} |\n", cells.join(" | ")));
    Ok(())
}

/// Measures a call, after one that is not measured.
fn measure(proxy: Option<&NetworkProxy>, count: u32, call: impl Fn(u32)) -> CallCost {
    call(0);
    let requests = || proxy.map_or(0, NetworkProxy::requests);
    let (before, mut times) = (requests(), Vec::new());
    for number in 1..=count {
        let begin = Instant::now();
        call(number);
        times.push(begin.elapsed());
    }
    times.sort();
    let trips = u32::try_from(requests() - before).unwrap_or(u32::MAX);
    CallCost { time: times[times.len() / 2], trips: f64::from(trips) / f64::from(count) }
}

fn ask(workspace: &Workspace, what: MeasuredCall, number: u32) {
    match what {
        MeasuredCall::Read => call(workspace, "work.overview", json!({})),
        MeasuredCall::Write => call(workspace, "work.create", task(&format!("t{number}"))),
    }
}

/// Reads in a server that listens.
fn listening(repo: &TestRepo, proxy: Option<&NetworkProxy>) -> CallCost {
    let workspace = repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    let is_over = Arc::new(AtomicBool::new(false));
    let stop = is_over.clone();
    let stop = move || stop.load(Ordering::Relaxed).then_some(CallStopReason::Cancelled);
    let call = Call::new("server", testkit::call().now).with_stop_check(stop);
    std::thread::scope(|scope| {
        scope.spawn(|| engine::durable::team::follow(&workspace, &call, || testkit::call().now));
        // Until the listener has begun, a read asks the server itself.
        let asks_nobody = || {
            let before = proxy.map_or(0, NetworkProxy::requests);
            (0..5).for_each(|number| ask(&workspace, MeasuredCall::Read, number));
            proxy.map_or(0, NetworkProxy::requests) == before
        };
        testkit::postgres::wait_until(asks_nobody);
        let cost = measure(proxy, MEASURED, |number| ask(&workspace, MeasuredCall::Read, number));
        is_over.store(true, Ordering::Relaxed);
        cost
    })
}

/// Asks with the program itself, as a person does.
fn command(binary: &Path, repo: &TestRepo, home: &Path, background: &str) {
    let run = run_command(binary, repo, home, background, &["work", "overview"]);
    assert!(run.contains("basis:"), "{run}");
}

fn run_command(
    binary: &Path,
    repo: &TestRepo,
    home: &Path,
    background: &str,
    words: &[&str],
) -> String {
    let mut command = Command::new(binary);
    command.arg("-C").arg(repo.root()).args(words).stdin(Stdio::null());
    command.env("HOME", home).env("XDG_CONFIG_HOME", home).env("XDG_RUNTIME_DIR", home.join("run"));
    command.env("CAIRN_BACKGROUND", background).env_remove("CI");
    let output = command.output().expect("the program runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The same in a trusted repository, whose background process listens.
fn with_background(
    binary: &Path,
    repo: &TestRepo,
    home: &Path,
    proxy: Option<&NetworkProxy>,
) -> XtaskResult<CallCost> {
    let ask = |words: &[&str]| run_command(binary, repo, home, "on", words);
    ask(&["trust"]);
    ask(&["background", "start"]);
    testkit::postgres::wait_until(|| ask(&["background"]).starts_with("It runs"));
    let asks_nobody = || {
        let before = proxy.map_or(0, NetworkProxy::requests);
        (0..3).for_each(|_| command(binary, repo, home, "on"));
        proxy.map_or(0, NetworkProxy::requests) == before
    };
    testkit::postgres::wait_until(asks_nobody);
    let cost = measure(proxy, MEASURED_COMMANDS, |_| command(binary, repo, home, "on"));
    ask(&["background", "stop"]);
    ask(&["untrust"]);
    Ok(cost)
}

/// A repository with a project, in a team or not.
fn joined(address: Option<&str>) -> TestRepo {
    let repo = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
    if let Some(address) = address {
        repo.data("team.join", json!({"address": address}));
    }
    repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "s"}));
    let workspace = repo.workspace();
    (0..TASKS).for_each(|number| call(&workspace, "work.create", task(&format!("s{number}"))));
    repo
}

fn task(title: &str) -> Value {
    json!({"kind": "task", "title": title, "summary": "s"})
}

fn call(workspace: &Workspace, name: &str, args: Value) {
    try_call(workspace, name, args).expect("an answer");
}

fn try_call(workspace: &Workspace, name: &str, args: Value) -> base::Result<()> {
    let args = serde_json::from_value(args).expect("an object");
    let (op, args) = operations::ops::resolve(name, args).expect("an operation");
    op.call(workspace, testkit::call_by("bench"), args).map(drop)
}

/// Prints how many writes a second a hundred machines make that write to one project at once.
pub(super) fn many_clients() -> XtaskResult<()> {
    let server = PostgresServer::start().ok_or("PostgreSQL is not installed")?;
    let database = server.database();
    let origin = joined(Some(&database.url()));
    origin.commit("join");
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let clones: Vec<TestRepo> =
        (0..CLIENTS).map(|at| clone_and_join(&origin, folder.path(), at, &database)).collect();
    let retries = AtomicU32::new(0);
    let (begin, mut slowest) = (Instant::now(), Duration::ZERO);
    std::thread::scope(|scope| {
        let clients = clones.iter().enumerate().map(|(client, repo)| {
            let retries = &retries;
            scope.spawn(move || write_often(repo, client, retries))
        });
        let clients: Vec<_> = clients.collect();
        for client in clients {
            slowest = slowest.max(client.join().expect("a client"));
        }
    });
    let took = begin.elapsed().as_secs_f64();
    let rate = f64::from(CLIENTS * CLIENT_WRITES) / took;
    let retries = retries.into_inner();
    run::print(&format!(
        "{CLIENTS} clients on one project: {rate:.0} writes a second ({} writes in {took:.1} s), the slowest {slowest:.1?}, {retries} told to try again\n",
        CLIENTS * CLIENT_WRITES
    ));
    Ok(())
}

/// Writes as one client does. Returns how long its slowest write took.
fn write_often(repo: &TestRepo, client: usize, retries: &AtomicU32) -> Duration {
    let workspace = repo.workspace();
    let mut slowest = Duration::ZERO;
    for number in 0..CLIENT_WRITES {
        let (title, begin) = (format!("c{client} {number}"), Instant::now());
        // Writers queue at the project's row, and one that waits too long is told so.
        while let Err(problem) = try_call(&workspace, "work.create", task(&title)) {
            assert_eq!(problem.code, base::ProblemCode::Busy, "{problem}");
            retries.fetch_add(1, Ordering::Relaxed);
        }
        slowest = slowest.max(begin.elapsed());
    }
    slowest
}

fn clone_and_join(origin: &TestRepo, folder: &Path, at: u32, database: &TestDatabase) -> TestRepo {
    let to = folder.join(format!("client-{at}"));
    origin.git(&["clone", "-q", ".", &to.to_string_lossy()]);
    let repo = TestRepo::existing(&to);
    repo.data("team.join", json!({"address": database.url()}));
    repo
}

/// Prints how long a machine takes to catch up with many changes, and a new machine with all of them.
pub(super) fn long_log() -> XtaskResult<()> {
    let server = PostgresServer::start().ok_or("PostgreSQL is not installed")?;
    let database = server.database();
    let repo = joined(Some(&database.url()));
    repo.commit("join");
    let project = repo.data("team.status", json!({}))["team"]["project"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let mut admin = server.admin(&database.name).ok_or("the server does not answer")?;
    for count in LOG_GROWTH {
        admin.batch_execute(&grow_log(&project, count)).map_err(|error| error.to_string())?;
        let begin = Instant::now();
        call(&repo.workspace(), "work.overview", json!({}));
        let took = begin.elapsed();
        let each = took.as_secs_f64() * 1e6 / f64::from(count);
        run::print(&format!("catching up with {count} changes: {took:.1?}, {each:.1} µs each\n"));
        let begin = Instant::now();
        call(&repo.workspace(), "work.overview", json!({}));
        run::print(&format!("a read after it: {:.1?}\n", begin.elapsed()));
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let newcomer = clone_and_join(&repo, folder.path(), 0, &database);
    call(&newcomer.workspace(), "work.overview", json!({}));
    run::print(&format!("a machine that joins then: {:.1?}\n", begin.elapsed()));
    Ok(())
}

/// The statement that adds entries to a project's log, each with a record.
fn grow_log(project: &str, count: u32) -> String {
    format!(
        "WITH p AS (SELECT seq FROM cairn.projects WHERE id = '{project}'),
         c AS (INSERT INTO cairn.changes (project, seq, id, store, action, actor, session, summary, records)
            SELECT '{project}', p.seq + i, gen_random_uuid()::text, 'work', 'write', 'a', 's', 's', 1 FROM p, generate_series(1, {count}) i),
         r AS (INSERT INTO cairn.records (project, store, kind, id, version, body, seq)
            SELECT '{project}', 'work', 'changelog', json_build_array('x' || (p.seq + i))::text, 0,
            json_build_object('id', 'x' || (p.seq + i), 'parent_type', 'atom', 'parent_id', 'p', 'task_id', NULL, 'summary', 's', 'created_at', 't')::text,
            p.seq + i FROM p, generate_series(1, {count}) i)
         UPDATE cairn.projects SET seq = seq + {count} WHERE id = '{project}'"
    )
}
