//! What a team costs: reads and writes at several latencies, many clients at once, and a long log.
//!
//! Times are those of the optimised program: an MCP server, as agents use it, and commands, as people do.

#![expect(clippy::disallowed_methods, reason = "a developer's tool starts the program under proof")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use engine::Workspace;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::postgres::{PostgresServer, TestDatabase};
use testkit::proxy::NetworkProxy;
use testkit::{McpClient, TestRepo};

use super::ProofBinary;
use crate::run::{self, XtaskResult};

/// Calls of a server that are measured of each kind. The middle one is printed.
const MEASURED_CALLS: u32 = 51;

/// Commands that are measured of each kind.
const MEASURED_COMMANDS: u32 = 21;

/// Writes whose round trips are counted.
const COUNTED_WRITES: u32 = 10;

/// Tasks of the project that is read.
const TASKS: u32 = 100;

/// Default latencies between a machine and the server, in milliseconds.
const LATENCIES: [u32; 3] = [0, 5, 50];

/// Default number of machines that write to one project at once.
const CLIENTS: u32 = 100;
const CLIENT_WRITES: u32 = 10;

/// Default numbers of entries that are added to the long log.
const LOG_GROWTH: [u32; 3] = [10_000, 100_000, 1_000_000];

/// The columns of the table of latencies.
const COLUMNS: &str = "| latency | write, server | round trips | write, command | read, server | read, command | round trips | read, command, background process |";

/// The program under proof, with a home of its own and a database.
struct CostSite {
    program: ProofBinary,
    home: TempDir,
    server: PostgresServer,
    database: TestDatabase,
}

impl CostSite {
    fn start(root: &Path) -> XtaskResult<Self> {
        let program = ProofBinary::build(root)?;
        let server = PostgresServer::start_durable().ok_or("PostgreSQL is not installed")?;
        let database = server.database();
        // The path of a socket has at most 108 bytes, so the folder must be near the root.
        let home = tempfile::Builder::new().prefix("ct").tempdir_in("/tmp");
        let home = home.map_err(|error| error.to_string())?;
        std::fs::create_dir(home.path().join("run")).map_err(|error| error.to_string())?;
        Ok(Self { program, home, server, database })
    }

    /// Runs a command as a person does, with or without a background process.
    fn command(&self, repo: &TestRepo, background: &str, words: &[&str]) -> String {
        let home = self.home.path();
        let mut command = Command::new(&self.program.binary);
        command.arg("-C").arg(repo.root()).args(words).stdin(Stdio::null());
        command.env("HOME", home).env("XDG_CONFIG_HOME", home);
        command.env("XDG_RUNTIME_DIR", home.join("run"));
        command.env("CAIRN_BACKGROUND", background).env_remove("CI");
        let output = command.output().expect("the program runs");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }

    fn read(&self, repo: &TestRepo, background: &str) {
        let said = self.command(repo, background, &["work", "overview"]);
        assert!(said.contains("basis:") && !said.contains("team:"), "{said}");
    }

    fn write(&self, repo: &TestRepo, title: &str) {
        let said = self.command(repo, "off", &["work", "create", "task", title, "--summary", "s"]);
        assert!(said.contains("basis:") && !said.contains("team:"), "{said}");
    }

    /// A repository with a project, in a team or not.
    fn repository(&self, address: Option<&str>) -> TestRepo {
        let repo = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
        if let Some(address) = address {
            repo.data("team.join", json!({"address": address}));
            repo.commit("join");
        }
        repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "s"}));
        let mut server = self.serve(&repo);
        (0..TASKS).for_each(|number| write_task(&mut server, &format!("s{number}")));
        repo
    }

    fn serve(&self, repo: &TestRepo) -> McpClient {
        McpClient::start(&self.program.binary, &repo.root(), &[])
    }

    /// Another machine: a clone that has joined.
    fn member(&self, origin: &TestRepo, folder: &Path, at: u32) -> TestRepo {
        let to = folder.join(format!("client-{at}"));
        origin.git(&["clone", "-q", ".", &to.to_string_lossy()]);
        let repo = TestRepo::existing(&to);
        let joined = self.command(&repo, "off", &["team", "join", &self.database.url()]);
        assert!(joined.contains("Joined"), "{joined}");
        repo
    }
}

/// Asks a server for the overview of work.
fn ask_overview(server: &mut McpClient) -> Result<String, String> {
    call(server, "ask", &json!({"operation": "work.overview", "arguments": {}}))
}

/// Lets a server write a task.
fn create_task(server: &mut McpClient, title: &str) -> Result<String, String> {
    call(server, "run", &json!({"operation": "work.create", "arguments": task(title)}))
}

/// Calls a tool of a server; the text of its answer, or of its problem.
fn call(server: &mut McpClient, tool: &str, arguments: &Value) -> Result<String, String> {
    let (text, failed) = server.call(tool, arguments.clone());
    if failed { Err(text) } else { Ok(text) }
}

fn task(title: &str) -> Value {
    json!({"kind": "task", "title": title, "summary": "s"})
}

fn write_task(server: &mut McpClient, title: &str) {
    create_task(server, title).expect("a task");
}

fn read_overview(server: &mut McpClient) {
    let said = ask_overview(server).expect("an answer");
    assert!(said.contains("basis:") && !said.contains("team:"), "{said}");
}

/// Numbers from the command line, or `otherwise` if there are none.
fn numbers(args: &[&str], otherwise: &[u32]) -> XtaskResult<Vec<u32>> {
    if args.is_empty() {
        return Ok(otherwise.to_vec());
    }
    args.iter().map(|text| text.parse().map_err(|_| format!("`{text}` is no number"))).collect()
}

/// The middle time of several calls, in milliseconds, after one that is not measured.
fn middle(count: u32, mut call: impl FnMut(u32)) -> f64 {
    call(0);
    let mut times: Vec<Duration> = Vec::new();
    for number in 1..=count {
        let begin = Instant::now();
        call(number);
        times.push(begin.elapsed());
    }
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

/// Round trips of one call, in the middle of several.
fn trips(proxy: &NetworkProxy, count: u32, call: impl Fn(u32)) -> u64 {
    call(0);
    let mut counts: Vec<u64> = Vec::new();
    for number in 1..=count {
        let before = proxy.requests();
        call(number);
        counts.push(proxy.requests() - before);
    }
    counts.sort_unstable();
    counts[counts.len() / 2]
}

/// Prints what reads and writes cost without a team and at several latencies.
pub(super) fn latencies(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let latencies = numbers(args, &LATENCIES)?;
    let site = CostSite::start(root)?;
    let proxy = NetworkProxy::to(site.server.port());
    let alone = site.repository(None);
    let address = site.database.url_at(&site.database.owner, proxy.port());
    let shared = site.repository(Some(&address));
    run::print(&format!("{COLUMNS}\n|---|---|---|---|---|---|---|---|\n"));
    print_row(&site, "no team", &alone, None);
    for latency in latencies {
        proxy.set_round_trip(Duration::from_millis(latency.into()));
        print_row(&site, &format!("{latency} ms"), &shared, Some(&proxy));
    }
    Ok(())
}

fn print_row(site: &CostSite, name: &str, repo: &TestRepo, proxy: Option<&NetworkProxy>) {
    let mut server = site.serve(repo);
    let write = middle(MEASURED_CALLS, |at| write_task(&mut server, &format!("{name} s{at}")));
    // A server that listens asks the database nothing more for a read.
    wait_until_nobody_asks(proxy, || read_overview(&mut server));
    let read = middle(MEASURED_CALLS, |_| read_overview(&mut server));
    drop(server);
    let write_command = middle(MEASURED_COMMANDS, |at| site.write(repo, &format!("{name} c{at}")));
    let read_command = middle(MEASURED_COMMANDS, |_| site.read(repo, "off"));
    // The round trips of a write are those of a connected client that does not listen.
    let workspace = repo.workspace();
    let count =
        |proxy: &NetworkProxy| trips(proxy, COUNTED_WRITES, |at| write_in_process(&workspace, at));
    let write_trips = proxy.map_or(0, count);
    let read_trips = proxy.map_or(0, |proxy| trips(proxy, 3, |_| site.read(repo, "off")));
    let background = with_background(site, repo, proxy);
    run::print(&format!(
        "| {name} | {write:.1} ms | {write_trips} | {write_command:.1} ms | {read:.1} ms | {read_command:.1} ms | {read_trips} | {background:.1} ms |\n"
    ));
}

/// Repeats a read until the database is not asked for several of them.
fn wait_until_nobody_asks(proxy: Option<&NetworkProxy>, mut read: impl FnMut()) {
    loop {
        let before = proxy.map_or(0, NetworkProxy::requests);
        (0..3).for_each(|_| read());
        if proxy.map_or(0, NetworkProxy::requests) == before {
            return;
        }
    }
}

fn write_in_process(workspace: &Workspace, at: u32) {
    let args = serde_json::from_value(task(&format!("p{at}"))).expect("an object");
    let (op, args) = operations::ops::resolve("work.create", args).expect("an operation");
    op.call(workspace, testkit::call_by("bench"), args).expect("an answer");
}

/// The middle time of a command whose background process listens.
fn with_background(site: &CostSite, repo: &TestRepo, proxy: Option<&NetworkProxy>) -> f64 {
    let ask = |words: &[&str]| site.command(repo, "on", words);
    ask(&["trust"]);
    ask(&["background", "start"]);
    testkit::postgres::wait_until(|| ask(&["background"]).starts_with("It runs"));
    wait_until_nobody_asks(proxy, || site.read(repo, "on"));
    let time = middle(MEASURED_COMMANDS, |_| site.read(repo, "on"));
    ask(&["background", "stop"]);
    ask(&["untrust"]);
    time
}

/// Prints how many writes a second many machines make that write to one project at once.
pub(super) fn many_clients(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let site = CostSite::start(root)?;
    let origin = site.repository(Some(&site.database.url()));
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    for clients in numbers(args, &[1, CLIENTS])? {
        let named = folder.path().join(clients.to_string());
        std::fs::create_dir(&named).map_err(|error| error.to_string())?;
        let clones: Vec<TestRepo> =
            (0..clients).map(|at| site.member(&origin, &named, at)).collect();
        let mut servers: Vec<McpClient> = clones.iter().map(|repo| site.serve(repo)).collect();
        servers.iter_mut().for_each(read_overview);
        print_rate(&mut servers);
        check_replicas(&mut servers, &origin);
    }
    Ok(())
}

/// Lets every server write at once, and prints how fast they are.
fn print_rate(servers: &mut [McpClient]) {
    let retries = AtomicU32::new(0);
    let begin = Instant::now();
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let clients = servers.iter_mut().enumerate().map(|(client, server)| {
            let retries = &retries;
            scope.spawn(move || write_often(server, client, retries))
        });
        let clients: Vec<_> = clients.collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    let took = begin.elapsed().as_secs_f64();
    times.sort();
    let count = u32::try_from(times.len()).unwrap_or(u32::MAX);
    let (rate, retries) = (f64::from(count) / took, retries.into_inner());
    let (middle, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    run::print(&format!(
        "{} clients on one project: {rate:.0} writes a second ({count} in {took:.1} s), a write {middle:.1?} in the middle and {slowest:.1?} at most, {retries} told to try again\n",
        servers.len()
    ));
}

/// Writes as one client does. Returns how long each write took.
fn write_often(server: &mut McpClient, client: usize, retries: &AtomicU32) -> Vec<Duration> {
    let write = |number: u32| {
        let (title, begin) = (format!("c{client} {number}"), Instant::now());
        // Writers queue at the project's row, and one that waits too long is told so.
        while let Err(problem) = create_task(server, &title) {
            assert!(problem.starts_with("BUSY"), "{problem}");
            retries.fetch_add(1, Ordering::Relaxed);
        }
        begin.elapsed()
    };
    (0..CLIENT_WRITES).map(write).collect()
}

/// Waits until every machine has what all of them wrote. A write that was made while the server did
/// not answer in time reaches the others later.
fn check_replicas(servers: &mut [McpClient], origin: &TestRepo) {
    for server in servers {
        testkit::postgres::wait_until(|| {
            let own = project_lines(&ask_overview(server).expect("an answer"));
            assert!(!own.is_empty(), "the overview names no project");
            own == project_lines(&origin.text("work overview"))
        });
    }
    run::print(&format!("all have {}\n", project_lines(&origin.text("work overview")).join(", ")));
}

/// The lines of an overview that count the tasks of a project. The others depend on who asks.
fn project_lines(overview: &str) -> Vec<String> {
    overview.lines().filter(|line| line.starts_with("project ")).map(str::to_owned).collect()
}

/// Prints how long a machine takes to catch up with many changes, and a new machine with all of them.
pub(super) fn long_log(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let growth = numbers(args, &LOG_GROWTH)?;
    let site = CostSite::start(root)?;
    let repo = site.repository(Some(&site.database.url()));
    let project = repo.data("team.status", json!({}))["team"]["project"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let admin = site.server.admin(&site.database.name);
    let mut admin = admin.ok_or("the server does not answer")?;
    for count in growth {
        admin.batch_execute(&grow_log(&project, count)).map_err(|error| error.to_string())?;
        let begin = Instant::now();
        site.read(&repo, "off");
        let took = begin.elapsed();
        let each = took.as_secs_f64() * 1e6 / f64::from(count);
        let after = middle(5, |_| site.read(&repo, "off"));
        run::print(&format!(
            "catching up with {count} changes: {took:.1?}, {each:.1} µs each; a read after it: {after:.1} ms\n"
        ));
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let newcomer = site.member(&repo, folder.path(), 0);
    site.read(&newcomer, "off");
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
