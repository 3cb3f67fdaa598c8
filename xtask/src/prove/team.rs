//! A team on several machines: that nothing is lost while everything fails, and what it costs.

#![expect(clippy::disallowed_methods, reason = "a developer's tool starts itself as a worker")]

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::TestRepo;
use testkit::postgres::{PostgresServer, TestDatabase};
use testkit::proxy::NetworkProxy;
use testkit::team_proof::{self, ProofSize, ProofWorker};

use super::number_arg;
use crate::run::{self, XtaskResult};
use crate::tools;

/// Minutes of the proof, unless told.
const MINUTES: u64 = 10;

/// Writes that are measured at each latency.
const MEASURED: u32 = 20;

/// Machines that write to one project at once, and how often each.
const CLIENTS: u32 = 100;
const CLIENT_WRITES: u32 = 5;

/// Entries of the long log.
const LONG_LOG: u32 = 1_000_000;

pub(super) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    tools::install_postgres(root)?;
    if args.first() == Some(&"cost") {
        return cost();
    }
    let minutes = number_arg(args, 0, MINUTES)?;
    let size = ProofSize {
        machines: 3,
        processes: 3,
        writes: if minutes >= MINUTES { 334 } else { 40 },
        failures: 20,
        time: Duration::from_secs(minutes * 60),
        seed: number_arg(args, 1, 1)?,
    };
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let start = |worker: &ProofWorker| {
        let mut command = Command::new(&own);
        command.args(["team-worker", &worker.to_text()]);
        command
    };
    let report = team_proof::run(size, start).ok_or("PostgreSQL is not installed")?;
    run::print(&format!("{report:#?}\n"));
    Ok(())
}

pub(super) fn work(worker: &str) -> XtaskResult<()> {
    team_proof::work(&ProofWorker::parse(worker));
    Ok(())
}

/// Prints what reads and writes cost.
fn cost() -> XtaskResult<()> {
    let server = PostgresServer::start().ok_or("PostgreSQL is not installed")?;
    let database = server.database();
    let proxy = NetworkProxy::to(server.port());
    let alone = joined(None);
    let shared = joined(Some(&database.url_at(&database.owner, proxy.port())));
    run::print(
        "| latency | write, one connection | round trips | write, new process | read, one connection | read, new process |\n|---|---|---|---|---|---|\n",
    );
    let (write, _) = measure(&alone, None, true);
    let (read, _) = measure(&alone, None, false);
    run::print(&format!(
        "| no team | {write:.1?} | 0 | {:.1?} | {read:.1?} | {:.1?} |\n",
        fresh(&alone, true),
        fresh(&alone, false)
    ));
    for latency in [0, 5, 50] {
        proxy.set_round_trip(Duration::from_millis(latency));
        let (write, trips) = measure(&shared, Some(&proxy), true);
        let (read, _) = measure(&shared, Some(&proxy), false);
        run::print(&format!(
            "| {latency} ms | {write:.1?} | {trips:.1} | {:.1?} | {read:.1?} | {:.1?} |\n",
            fresh(&shared, true),
            fresh(&shared, false)
        ));
    }
    proxy.set_round_trip(Duration::ZERO);
    many_clients(&database)?;
    long_log(&server, &database, &shared)
}

/// A repository with a project, in a team or not.
fn joined(address: Option<&str>) -> TestRepo {
    let repo = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
    if let Some(address) = address {
        repo.data("team.join", json!({"address": address}));
    }
    repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "s"}));
    repo
}

fn task(title: &str) -> Value {
    json!({"kind": "task", "title": title, "summary": "s"})
}

fn call(workspace: &engine::Workspace, name: &str, args: Value) {
    try_call(workspace, name, args).expect("an answer");
}

fn try_call(workspace: &engine::Workspace, name: &str, args: Value) -> base::Result<()> {
    let args = serde_json::from_value(args).expect("an object");
    let (op, args) = operations::ops::resolve(name, args).expect("an operation");
    op.call(workspace, testkit::call_by("bench"), args).map(drop)
}

/// The mean time of a call in a process that is already connected, and its round trips.
fn measure(repo: &TestRepo, proxy: Option<&NetworkProxy>, writes: bool) -> (Duration, f64) {
    let workspace = repo.workspace();
    let ask = |number: u32| match writes {
        true => call(&workspace, "work.create", task(&format!("t{number}"))),
        false => call(&workspace, "work.overview", json!({})),
    };
    ask(0);
    let (requests, begin) = (proxy.map_or(0, NetworkProxy::requests), Instant::now());
    (1..=MEASURED).for_each(ask);
    let requests = proxy.map_or(0, NetworkProxy::requests) - requests;
    (
        begin.elapsed() / MEASURED,
        f64::from(u32::try_from(requests).unwrap_or(u32::MAX)) / f64::from(MEASURED),
    )
}

/// The mean time of a call that opens the repository and connects.
fn fresh(repo: &TestRepo, writes: bool) -> Duration {
    let begin = Instant::now();
    for number in 0..5 {
        match writes {
            true => call(&repo.workspace(), "work.create", task(&format!("f{number}"))),
            false => call(&repo.workspace(), "work.overview", json!({})),
        }
    }
    begin.elapsed() / 5
}

/// A hundred machines that write to one project at once.
fn many_clients(database: &TestDatabase) -> XtaskResult<()> {
    let origin = joined(Some(&database.url()));
    origin.commit("join");
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let clones: Vec<TestRepo> =
        (0..CLIENTS).map(|at| clone_and_join(&origin, folder.path(), at, database)).collect();
    let retries = AtomicU32::new(0);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for (client, repo) in clones.iter().enumerate() {
            let retries = &retries;
            scope.spawn(move || {
                let workspace = repo.workspace();
                for number in 0..CLIENT_WRITES {
                    let title = format!("c{client} {number}");
                    // Writers queue at the project's row, and one that waits too long is told so.
                    while let Err(problem) = try_call(&workspace, "work.create", task(&title)) {
                        assert_eq!(problem.code, base::ProblemCode::Busy, "{problem}");
                        retries.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let rate = f64::from(CLIENTS * CLIENT_WRITES) / begin.elapsed().as_secs_f64();
    let retries = retries.into_inner();
    run::print(&format!(
        "\n{CLIENTS} clients on one project: {rate:.0} writes a second, {retries} told to try again\n"
    ));
    Ok(())
}

fn clone_and_join(origin: &TestRepo, folder: &Path, at: u32, database: &TestDatabase) -> TestRepo {
    let to = folder.join(format!("client-{at}"));
    origin.git(&["clone", "-q", ".", &to.to_string_lossy()]);
    let repo = TestRepo::existing(&to);
    repo.data("team.join", json!({"address": database.url()}));
    repo
}

/// A log of a million entries: a new machine, and one that is half behind.
fn long_log(server: &PostgresServer, database: &TestDatabase, repo: &TestRepo) -> XtaskResult<()> {
    let project = repo.data("team.status", json!({}))["team"]["project"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let mut admin = server.admin(&database.name).ok_or("the server does not answer")?;
    for count in [LONG_LOG / 10, LONG_LOG] {
        let sql = format!(
            "WITH p AS (SELECT seq FROM cairn.projects WHERE id = '{project}'),
             c AS (INSERT INTO cairn.changes (project, seq, id, store, action, actor, session, summary, records)
                SELECT '{project}', p.seq + i, gen_random_uuid()::text, 'work', 'write', 'a', 's', 's', 1 FROM p, generate_series(1, {count}) i),
             r AS (INSERT INTO cairn.records (project, store, kind, id, version, body, seq)
                SELECT '{project}', 'work', 'changelog', json_build_array('x' || (p.seq + i))::text, 0,
                json_build_object('id', 'x' || (p.seq + i), 'parent_type', 'atom', 'parent_id', 'p', 'task_id', NULL, 'summary', 's', 'created_at', 't')::text,
                p.seq + i FROM p, generate_series(1, {count}) i)
             UPDATE cairn.projects SET seq = seq + {count} WHERE id = '{project}'"
        );
        admin.batch_execute(&sql).map_err(|error| error.to_string())?;
        let begin = Instant::now();
        call(&repo.workspace(), "work.overview", json!({}));
        run::print(&format!("catching up with {count} changes: {:.1?}\n", begin.elapsed()));
    }
    Ok(())
}
