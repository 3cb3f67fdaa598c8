//! A simulated week of two agents and a person on a public repository: how much each of them sends
//! and reads, with the present operations and with those of the first version.
//!
//! The plan is for httpx: eight tasks with seven blocks. One agent has a question and waits until
//! the person answers. The other ends without notice, and its task is taken over when its claim has
//! expired.

#![expect(
    clippy::disallowed_methods,
    reason = "a person's command line is the program under proof"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::McpClient;

use super::ProofBinary;
use crate::run::{self, XtaskResult};

/// The plan that the person writes.
const PLAN: &str = include_str!("week/plan.md");

/// How long the claim of the agent that ends without notice lasts, in minutes.
const SHORT_CLAIM: u32 = 1;

/// How often a command that is refused as busy is repeated.
const MAX_REPEATS: usize = 20;

/// Replays the week in copies of a clone of httpx. A second binary may be given for the first
/// version.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let Some(clone) = args.first() else {
        return Err("which clone of httpx? `cargo xtask prove week CLONE [OLDER_BINARY]`".into());
    };
    let proof = ProofBinary::build(root)?;
    let older = args.get(1).map_or(proof.binary.clone(), PathBuf::from);
    let now = Week::start(&proof.binary, clone)?.now()?;
    let old_week = || {
        let week = Week::start(&older, clone)?;
        Ok::<_, String>(Week { claims_bind: args.len() < 2, ..week })
    };
    let before = old_week()?.before(SourceRead::Symbols)?;
    let whole = old_week()?.before(SourceRead::Files)?;
    run::print(&report(&now, &before, &whole));
    Ok(())
}

/// What source the agents read with the operations of the first version.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceRead {
    /// The symbols that `work start` shows, with `code show`
    Symbols,
    /// The files that the task names, with `code zoom` at the level of the text
    Files,
}

/// The number of calls, and of the characters that were sent and read.
#[derive(Debug, Clone, Copy, Default)]
struct RoleCost {
    calls: usize,
    sent: usize,
    read: usize,
    /// How many of the calls are `code show`
    source_calls: usize,
    /// The characters that the `code show` calls sent
    source_sent: usize,
    /// The characters that the `code show` calls read
    source_read: usize,
    /// How many of the `code show` calls the task needs
    needed_calls: usize,
    /// The characters that these sent and read
    needed_chars: usize,
}

impl RoleCost {
    const fn chars(self) -> usize {
        self.sent + self.read
    }

    /// A call.
    const fn of_call(sent: usize, read: usize) -> Self {
        let (source_calls, source_sent, source_read) = (0, 0, 0);
        let (needed_calls, needed_chars) = (0, 0);
        Self {
            calls: 1,
            sent,
            read,
            source_calls,
            source_sent,
            source_read,
            needed_calls,
            needed_chars,
        }
    }

    /// A call that reads source.
    const fn of_source(sent: usize, read: usize) -> Self {
        let source = Self::of_call(sent, read);
        Self { source_calls: 1, source_sent: sent, source_read: read, ..source }
    }

    /// The calls without those for source that no task needs.
    const fn needed_calls(self) -> usize {
        self.calls - self.source_calls + self.needed_calls
    }

    /// The characters without those of calls for source that no task needs.
    const fn needed_chars(self) -> usize {
        self.chars() - self.source_sent - self.source_read + self.needed_chars
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            sent: self.sent + other.sent,
            read: self.read + other.read,
            source_calls: self.source_calls + other.source_calls,
            source_sent: self.source_sent + other.source_sent,
            source_read: self.source_read + other.source_read,
            needed_calls: self.needed_calls + other.needed_calls,
            needed_chars: self.needed_chars + other.needed_chars,
        }
    }
}

/// The cost of a week for each role.
#[derive(Debug, Clone, Copy, Default)]
struct WeekCost {
    person: RoleCost,
    first: RoleCost,
    second: RoleCost,
    plan: RoleCost,
}

/// The two agents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agent {
    First,
    Second,
}

/// A copy of the clone, with the agents and the person who work in it.
struct Week {
    _folder: TempDir,
    root: PathBuf,
    binary: PathBuf,
    first: Option<McpClient>,
    second: McpClient,
    cost: WeekCost,
    log: Option<PathBuf>,
    /// Whether a claim keeps other sessions from changing the task; false for the first version
    claims_bind: bool,
}

/// A task of the plan, with what the operations of the first version need.
struct PlannedTask {
    title: &'static str,
    files: &'static str,
    symbols: &'static [&'static str],
    /// Parts of the lines that its plan changes or copies. If an answer does not show them, another
    /// call is needed
    needs: &'static [&'static str],
    evidence: &'static str,
    learnt: &'static str,
}

const PORTS: PlannedTask = PlannedTask {
    title: "Ports in NO_PROXY",
    files: "httpx/_utils.py, tests/test_utils.py",
    symbols: &["httpx/_utils.py#get_environment_proxies"],
    needs: &["elif is_ipv4_hostname(hostname):", "mounts[f\"all://*{hostname}\"] = None"],
    evidence: "tests: tests/test_utils.py",
    learnt: "An entry of NO_PROXY is a host or a URL pattern; all:// is the default scheme.",
};
const HEADERS: PlannedTask = PlannedTask {
    title: "Headers of a proxy from the environment",
    files: "httpx/_config.py, tests/test_config.py",
    symbols: &["httpx/_config.py#Proxy.__init__"],
    needs: &["headers: HeaderTypes | None = None,", "headers = Headers(headers)"],
    evidence: "tests: tests/test_config.py",
    learnt: "Headers of a proxy are separated by semicolons, because values have commas.",
};
const SOCKS: PlannedTask = PlannedTask {
    title: "SOCKS 4 in the transport",
    files: "httpx/_transports/default.py, httpx/_config.py",
    symbols: &[
        "httpx/_transports/default.py#HTTPTransport.__init__",
        "httpx/_config.py#Proxy.__init__",
    ],
    needs: &[
        "if url.scheme not in (",
        "elif proxy.url.scheme in (\"socks5\", \"socks5h\"):",
        "self._pool = httpcore.SOCKSProxy(",
        "Proxy protocol must be either",
    ],
    evidence: "tests: tests/client/test_proxies.py",
    learnt: "httpcore has one pool for all versions of SOCKS; the scheme picks the version.",
};
const SOCKS_ASYNC: PlannedTask = PlannedTask {
    title: "SOCKS 4 in the asynchronous transport",
    files: "httpx/_transports/default.py",
    symbols: &["httpx/_transports/default.py#AsyncHTTPTransport.__init__"],
    needs: &[
        "self._pool = httpcore.SOCKSProxy(",
        "self._pool = httpcore.AsyncSOCKSProxy(",
        "Proxy protocol must be either",
    ],
    evidence: "tests: tests/client/test_proxies.py",
    learnt: "Both transports build their pools from the same arguments.",
};
const MOUNTS: PlannedTask = PlannedTask {
    title: "Mounts with ports",
    files: "httpx/_client.py, tests/client/test_proxies.py",
    symbols: &["httpx/_client.py#BaseClient._get_proxy_map"],
    needs: &["for key, url in get_environment_proxies().items()"],
    evidence: "tests: tests/client/test_proxies.py",
    learnt: "Patterns are sorted by how much they say, so a port comes before a host.",
};
const CREDENTIALS: PlannedTask = PlannedTask {
    title: "Credentials are not printed",
    files: "httpx/_config.py",
    symbols: &["httpx/_config.py#Proxy.__repr__"],
    needs: &["headers_str = "],
    evidence: "tests: tests/test_config.py",
    learnt: "The password is masked in the representation only; raw_auth has it.",
};
const OPTION: PlannedTask = PlannedTask {
    title: "The option --proxy takes SOCKS 4",
    files: "httpx/_main.py",
    symbols: &["httpx/_main.py#main"],
    needs: &["\"--proxy\",", "help=\"Send the request via a proxy."],
    evidence: "tests: tests/test_main.py",
    learnt: "The command line gives the proxy to the client as it is.",
};
const DOCS: PlannedTask = PlannedTask {
    title: "Documentation of proxies",
    files: "docs/advanced/proxies.md",
    symbols: &["docs/advanced/proxies.md"],
    needs: &["## SOCKS", "socks5://user:pass@host:port"],
    evidence: "tests: tests/client/test_proxies.py",
    learnt: "The page on proxies is the only one that names SOCKS.",
};

/// The tasks in the order of the plan.
const TASKS: [&PlannedTask; 8] =
    [&PORTS, &HEADERS, &SOCKS, &SOCKS_ASYNC, &MOUNTS, &CREDENTIALS, &OPTION, &DOCS];

/// The question of the second agent, and the answer.
const QUESTION: &str = "Are several headers separated by commas or by semicolons?";
const ANSWER: &str = "By semicolons: values have commas.";

impl Week {
    fn start(binary: &Path, clone: &str) -> XtaskResult<Self> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let root = folder.path().join("httpx");
        run::run(Command::new("git").args(["clone", "-q", clone]).arg(&root))?;
        let identity = [("user.name", "person"), ("user.email", "person@example.com")];
        for (name, value) in identity {
            run::run(Command::new("git").current_dir(&root).args(["config", name, value]))?;
        }
        let agent = || McpClient::start(binary, &root, &[]);
        let (first, second) = (Some(agent()), agent());
        let log = std::env::var_os("CAIRN_WEEK_LOG").map(PathBuf::from);
        let cost = WeekCost::default();
        let (binary, claims_bind) = (binary.to_owned(), true);
        Ok(Self { _folder: folder, binary, first, second, cost, log, root, claims_bind })
    }

    /// Runs a command of the person. While another process holds a lock, for example to build an
    /// index, the command is repeated as its answer says; only the last time counts.
    fn run_command(&self, words: &[&str]) -> XtaskResult<Output> {
        for _ in 0..MAX_REPEATS {
            let output = Command::new(&self.binary)
                .env("CAIRN_BACKGROUND", "off")
                .args(["-C".as_ref(), self.root.as_os_str()])
                .args(words)
                .output()
                .map_err(|error| error.to_string())?;
            if !String::from_utf8_lossy(&output.stderr).starts_with("BUSY") {
                return Ok(output);
            }
        }
        Err(format!("`cairn {}` was refused as busy {MAX_REPEATS} times", words.join(" ")))
    }

    /// Runs a command of the person, which must succeed.
    fn person(&mut self, words: &[&str]) -> XtaskResult<String> {
        let output = self.run_command(words)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        let sent = words.join(" ").chars().count();
        let cost = RoleCost::of_call(sent, text.chars().count());
        self.cost.person = self.cost.person.plus(cost);
        self.note(&format!("person: {}", words.join(" ")), &text)?;
        match output.status.success() {
            true => Ok(text),
            false => Err(format!("`cairn {}` failed: {text}", words.join(" "))),
        }
    }

    /// Makes a call of an agent, which must succeed.
    fn agent(&mut self, agent: Agent, tool: &str, arguments: Value) -> XtaskResult<String> {
        let request = format!("{tool} {arguments}");
        let sent = request.chars().count() - 1;
        let client = match agent {
            Agent::First => self.first.as_mut().ok_or("the first agent has ended")?,
            Agent::Second => &mut self.second,
        };
        let (text, is_error) = client.call(tool, arguments);
        let read = text.chars().count();
        let cost = match tool {
            "code_show" => RoleCost::of_source(sent, read),
            _ => RoleCost::of_call(sent, read),
        };
        let (name, sum) = match agent {
            Agent::First => ("first", &mut self.cost.first),
            Agent::Second => ("second", &mut self.cost.second),
        };
        *sum = sum.plus(cost);
        self.note(&format!("{name}: {request}"), &text)?;
        match is_error {
            true => Err(format!("{request} failed: {text}")),
            false => Ok(text),
        }
    }

    fn note(&self, what: &str, text: &str) -> XtaskResult<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let old = std::fs::read_to_string(log).unwrap_or_default();
        let count = text.chars().count();
        let new = format!("{old}=== {what}  ({count} characters read)\n{text}\n");
        std::fs::write(log, new).map_err(|error| error.to_string())
    }

    /// Makes a call that starts a task. Left-out source is then requested, as by a reader who wants
    /// the whole symbol. That call counts as needed if the task changes lines that the answer does
    /// not show.
    fn task(
        &mut self,
        agent: Agent,
        tool: &str,
        arguments: Value,
        started: &PlannedTask,
    ) -> XtaskResult<()> {
        let text = self.agent(agent, tool, arguments)?;
        expect_words(&text, &[started.title])?;
        let rest = text.lines().filter_map(|line| line.split_once("code_show "));
        let rest: Vec<Value> =
            rest.filter_map(|(_, call)| serde_json::from_str(call.trim()).ok()).collect();
        let targets: Vec<&Value> =
            rest.iter().filter_map(|call| call["targets"].as_array()).flatten().collect();
        let is_missing = started.needs.iter().any(|line| !text.contains(line));
        if targets.is_empty() {
            return match is_missing {
                true => Err(format!("\"{}\" needs lines that are nowhere", started.title)),
                false => Ok(()),
            };
        }
        let before = self.cost_of(agent).chars();
        let more = self.agent(agent, "code_show", json!({"targets": targets}))?;
        let all = format!("{text}{more}");
        expect_words(&all, started.needs)?;
        let cost = self.cost_of(agent);
        if is_missing {
            cost.needed_calls += 1;
            cost.needed_chars += cost.chars() - before;
        }
        Ok(())
    }

    const fn cost_of(&mut self, agent: Agent) -> &mut RoleCost {
        match agent {
            Agent::First => &mut self.cost.first,
            Agent::Second => &mut self.cost.second,
        }
    }

    /// An agent finishes a task and starts the next, which must be the expected one.
    fn done(&mut self, agent: Agent, task: &PlannedTask, next: &PlannedTask) -> XtaskResult<()> {
        let arguments = json!({"task": task.title, "evidence": [task.evidence],
            "learnt": task.learnt, "next": true});
        self.task(agent, "work_done", arguments, next)
    }

    /// The week with the present operations.
    fn now(mut self) -> XtaskResult<WeekCost> {
        use Agent::{First, Second};
        std::fs::write(self.root.join("PLAN.md"), PLAN).map_err(|error| error.to_string())?;
        self.cost.person.sent += PLAN.chars().count();
        self.person(&["work", "plan", "PLAN.md", "--dry-run"])?;
        self.person(&["work", "plan", "PLAN.md"])?;
        self.cost.plan = self.cost.person;
        self.task(First, "work_start", json!({}), &PORTS)?;
        self.task(Second, "work_start", json!({}), &HEADERS)?;
        self.done(First, &PORTS, &SOCKS)?;
        let stuck = json!({"operation": "work.block",
            "arguments": {"id": HEADERS.title, "reason": QUESTION, "next": true}});
        self.task(Second, "run", stuck, &MOUNTS)?;
        let board = self.person(&["work", "board"])?;
        expect_words(&board, &[QUESTION])?;
        self.person(&["work", "unblock", HEADERS.title, "--comment", ANSWER])?;
        self.done(Second, &MOUNTS, &HEADERS)?;
        self.done(First, &SOCKS, &SOCKS_ASYNC)?;
        self.done(First, &SOCKS_ASYNC, &OPTION)?;
        // The first agent ends without notice. Its claim is shortened, so that the proof need not
        // wait an hour; that call is not counted.
        let before = self.cost.first;
        let short = json!({"task": OPTION.title, "minutes": SHORT_CLAIM});
        self.agent(First, "run", call("work.claim", short))?;
        self.cost.first = before;
        drop(self.first.take());
        self.done(Second, &HEADERS, &CREDENTIALS)?;
        wait_for_the_claim();
        self.done(Second, &CREDENTIALS, &OPTION)?;
        self.done(Second, &OPTION, &DOCS)?;
        let last = json!({"task": DOCS.title, "evidence": [DOCS.evidence], "learnt": DOCS.learnt});
        self.agent(Second, "work_done", last)?;
        let end = self.person(&["work", "overview"])?;
        expect_words(&end, &["CLOSED"])?;
        Ok(self.cost)
    }

    /// The week with the operations of the first version.
    fn before(mut self, source: SourceRead) -> XtaskResult<WeekCost> {
        use Agent::{First, Second};
        self.plan_before()?;
        self.cost.plan = self.cost.person;
        self.start_before(First, &PORTS, source)?;
        self.start_before(Second, &HEADERS, source)?;
        self.finish_before(First, &PORTS, None)?;
        self.start_before(First, &SOCKS, source)?;
        let stuck = json!({"id": HEADERS.title, "blocked_by": ["NO_OP"], "reason": QUESTION});
        self.agent(Second, "run", json!({"operation": "work.block", "arguments": stuck}))?;
        self.start_before(Second, &MOUNTS, source)?;
        // The person sees that something is blocked, reads why, writes the answer and removes the block.
        self.person(&["work", "overview"])?;
        expect_words(&self.person(&["work", "blocked"])?, &[QUESTION])?;
        // In the present program, sections of a task that another session holds cannot be changed,
        // so the answer is a comment there.
        let section = ["work", "section-edit", "add", "--owner", HEADERS.title];
        let section = [&section[..], &["--title", "Answer", "--content", ANSWER]].concat();
        let remark = vec!["work", "comment", HEADERS.title, ANSWER];
        self.person(if self.claims_bind { &remark } else { &section })?;
        self.person(&["work", "unblock", HEADERS.title])?;
        self.finish_before(Second, &MOUNTS, None)?;
        // The agent's own task is claimed and active, so it is not suggested, and the agent
        // requests it by name.
        let own = json!({"id": HEADERS.title, "include_sections": true});
        expect_words(&self.agent(Second, "ask", call("work.show", own))?, &[ANSWER])?;
        self.finish_before(First, &SOCKS, None)?;
        self.start_before(First, &SOCKS_ASYNC, source)?;
        self.finish_before(First, &SOCKS_ASYNC, Some(&SOCKS))?;
        self.claim_before(First, &OPTION, SHORT_CLAIM, source)?;
        drop(self.first.take());
        self.finish_before(Second, &HEADERS, None)?;
        self.start_before(Second, &CREDENTIALS, source)?;
        wait_for_the_claim();
        self.finish_before(Second, &CREDENTIALS, Some(&HEADERS))?;
        // No task is suggested, so the agent searches for active tasks that nobody holds.
        self.agent(Second, "ask", call("work.next", json!({})))?;
        let active = json!({"kind": "task", "status": ["ACTIVE"]});
        let text = self.agent(Second, "ask", call("work.search", active))?;
        expect_words(&text, &[OPTION.title])?;
        self.claim_before(Second, &OPTION, 60, source)?;
        self.finish_before(Second, &OPTION, None)?;
        self.start_before(Second, &DOCS, source)?;
        self.finish_before(Second, &DOCS, None)?;
        expect_words(&self.person(&["work", "overview"])?, &["CLOSED"])?;
        Ok(self.cost)
    }

    /// 25 writes and 7 reads.
    fn plan_before(&mut self) -> XtaskResult<()> {
        let feature = "Proxies of every kind";
        let summary = PLAN.lines().nth(2).unwrap_or_default();
        self.person(&["work", "create", "project", "httpx"])?;
        self.person(&["work", "templates"])?;
        self.person(&["work", "create", "feature", feature, "--summary", summary])?;
        for task in TASKS {
            let priority = field(task.title, "priority").unwrap_or("MEDIUM");
            let create = ["work", "create", "task", task.title, "--feature", feature];
            self.person(&[&create[..], &["--priority", priority]].concat())?;
        }
        for task in TASKS {
            let sections = json!([
                {"title": "Implementation Plan", "content": steps(task.title)},
                {"title": "Context Files", "content": task.files},
            ]);
            let sections = sections.to_string();
            let words = ["work", "section-edit", "bulk_create", "--owner", task.title];
            self.person(&[&words[..], &["--sections", &sections]].concat())?;
        }
        for task in TASKS {
            for blocker in field(task.title, "blocked by").iter().flat_map(|all| all.split(", ")) {
                self.person(&["work", "depend", blocker, task.title])?;
            }
        }
        let reads: [&[&str]; 6] = [
            &["work", "overview"],
            &["work", "show", feature],
            &["work", "blocked"],
            &["work", "sections", SOCKS.title],
            &["work", "dependencies", DOCS.title],
            &["work", "next"],
        ];
        reads.iter().try_for_each(|words| self.person(words).map(drop))
    }

    /// Claims, shows and advances the next task, and reads its source.
    fn start_before(
        &mut self,
        agent: Agent,
        task: &PlannedTask,
        source: SourceRead,
    ) -> XtaskResult<()> {
        // The order of the ready tasks does not matter here: the agents do the same tasks as with
        // the present operations.
        self.agent(agent, "ask", call("work.next", json!({"limit": 3})))?;
        self.claim_before(agent, task, 60, source)
    }

    fn claim_before(
        &mut self,
        agent: Agent,
        task: &PlannedTask,
        minutes: u32,
        source: SourceRead,
    ) -> XtaskResult<()> {
        let claim = json!({"task": task.title, "minutes": minutes});
        self.agent(agent, "run", call("work.claim", claim))?;
        let show =
            json!({"id": task.title, "include_sections": true, "include_graph_context": true});
        let shown = self.agent(agent, "ask", call("work.show", show))?;
        expect_words(&shown, &[task.title])?;
        // The history below the first line names older statuses.
        if shown.lines().next().is_some_and(|first| first.contains("  NEW ")) {
            self.agent(agent, "run", call("work.advance", json!({"id": task.title})))?;
        }
        match source {
            SourceRead::Symbols => {
                self.agent(agent, "code_show", json!({"targets": task.symbols})).map(drop)
            }
            SourceRead::Files => task.files.split(", ").try_for_each(|path| {
                let zoom = json!({"path": path, "level": 2});
                self.agent(agent, "ask", call("code.zoom", zoom)).map(drop)
            }),
        }
    }

    /// Closes the task with evidence, and records what was learnt in a new atom or in that of an
    /// earlier task.
    fn finish_before(
        &mut self,
        agent: Agent,
        task: &PlannedTask,
        atom: Option<&PlannedTask>,
    ) -> XtaskResult<()> {
        let done = json!({"id": task.title, "evidence": [task.evidence]});
        self.agent(agent, "run", call("work.advance", done))?;
        let learnt = match atom {
            None => call(
                "graph.create",
                json!({"kind": "atom", "name": task.title,
                "paths": task.files.split(", ").collect::<Vec<_>>(), "knowledge": task.learnt,
                "task": task.title}),
            ),
            Some(atom) => call(
                "graph.update",
                json!({"kind": "atom", "id": atom.title,
                "version": 1, "knowledge": task.learnt, "knowledge_mode": "append",
                "task": task.title}),
            ),
        };
        self.agent(agent, "run", learnt).map(drop)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn ratio(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}

/// The arguments of `run` and `ask` for an operation.
#[expect(clippy::needless_pass_by_value, reason = "callers write `json!({…})` in place")]
fn call(operation: &str, arguments: Value) -> Value {
    json!({"operation": operation, "arguments": arguments})
}

fn expect_words(text: &str, words: &[&str]) -> XtaskResult<()> {
    match words.iter().find(|word| !text.contains(**word)) {
        None => Ok(()),
        Some(missing) => Err(format!("`{missing}` is not in the answer:\n{text}")),
    }
}

/// Waits until the claim of a minute, the shortest that is possible, has expired.
fn wait_for_the_claim() {
    std::thread::sleep(Duration::from_secs(u64::from(SHORT_CLAIM) * 60 + 1));
}

/// The part of the plan about a task.
fn part(title: &str) -> &'static str {
    let head = format!("## Task: {title}\n");
    let rest = PLAN.split_once(head.as_str()).map_or("", |(_, rest)| rest);
    rest.split("\n## ").next().unwrap_or_default()
}

fn field(title: &str, name: &str) -> Option<&'static str> {
    let start = format!("- {name}: ");
    part(title).lines().find_map(|line| line.strip_prefix(start.as_str()))
}

/// The implementation plan of a task.
fn steps(title: &str) -> &'static str {
    part(title).split_once("### Implementation Plan").map_or("", |(_, text)| text.trim())
}

fn report(now: &WeekCost, before: &WeekCost, whole: &WeekCost) -> String {
    let mut text =
        "| | calls now | ratio | now, and all that was cut | ratio | before | characters now | ratio \
        | now, and all that was cut | ratio | before, symbols read | before, files read whole |\n\
        |---|---|---|---|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    let all = |cost: &WeekCost| cost.person.plus(cost.first).plus(cost.second);
    let rows: [(&str, [RoleCost; 3]); 5] = [
        ("person", [now.person, before.person, whole.person]),
        ("first agent", [now.first, before.first, whole.first]),
        ("second agent", [now.second, before.second, whole.second]),
        ("together", [all(now), all(before), all(whole)]),
        ("to plan eight tasks", [now.plan, before.plan, whole.plan]),
    ];
    for (name, [now, before, whole]) in rows {
        let _ = writeln!(
            text,
            "| {name} | {} | {:.2} | {} | {:.2} | {} | {} | {:.2} | {} | {:.2} | {} | {} |",
            now.needed_calls(),
            ratio(now.needed_calls(), before.calls),
            now.calls,
            ratio(now.calls, before.calls),
            before.calls,
            now.needed_chars(),
            ratio(now.needed_chars(), before.chars()),
            now.chars(),
            ratio(now.chars(), before.chars()),
            before.chars(),
            whole.chars()
        );
    }
    let source = all(before).source_read;
    let floor = source + PLAN.chars().count();
    let _ = writeln!(
        text,
        "\nThe source of the symbols that the tasks are about has {source} characters as `code show` prints it; with the \
         plan itself {floor}, which is {:.2} of the old way.",
        ratio(floor, all(before).chars())
    );
    text
}
