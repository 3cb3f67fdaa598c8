//! Questions across all areas: 500 cards, 2,000 files, 10,000 entities and 10,000 commits, with
//! knowledge and tasks beside them.

#![expect(clippy::disallowed_methods, reason = "a benchmark runs git to write a history")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::TestRepo;

use super::latency::WarmServer;
use super::{BenchContext, cards};
use crate::run::XtaskResult;

const COMMITS: usize = 10_000;

/// Atoms and tasks beside the code.
const ATOMS: usize = 40;

/// How long an answer, and a context, may take at the 99th percentile.
const WARM_ANSWER_LIMIT: Duration = Duration::from_millis(10);
const CONTEXT_LIMIT: Duration = Duration::from_millis(30);

/// Measures the operations that ask all areas, on a warm server.
pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    let repo = TestRepo::new(&cards::fixture());
    repo.commit("everything");
    write_history(&repo)?;
    let mut warm = WarmServer::start(site, &repo.root())?;
    add_knowledge(&mut warm)?;
    let nodes: Vec<String> = (0..cards::CARDS).step_by(17).flat_map(related_nodes).collect();
    let of =
        |field: &str| -> Vec<Value> { nodes.iter().map(|node| json!({field: node})).collect() };
    let pairs: Vec<Value> =
        nodes.windows(2).map(|pair| json!({"from": pair[0], "to": pair[1]})).collect();
    let words = ["payment", "session 12", "결제", "handler7", "O", "chnge", "settled once"];
    let queries: Vec<Value> = words.iter().map(|query| json!({"query": query})).collect();
    warm.measure_and_print("context", &of("targets"), CONTEXT_LIMIT)?;
    warm.measure_and_print("search", &queries, WARM_ANSWER_LIMIT)?;
    warm.measure_and_print("impact", &of("target"), WARM_ANSWER_LIMIT)?;
    warm.measure_and_print("deps", &of("target"), WARM_ANSWER_LIMIT)?;
    warm.measure_and_print("subgraph", &of("center"), WARM_ANSWER_LIMIT)?;
    warm.measure_and_print("trace", &pairs, WARM_ANSWER_LIMIT)
}

/// A card, a file and a symbol that are linked.
fn related_nodes(n: usize) -> [String; 3] {
    [
        format!("spec::area{}/card{n}", n % 20),
        format!("module:{}", cards::path(n)),
        format!("symbol:{}#handler{n}_0", cards::path(n)),
    ]
}

/// Knowledge about folders, and tasks.
fn add_knowledge(warm: &mut WarmServer) -> XtaskResult<()> {
    warm.call("work_create", json!({"kind": "project", "name": "Shop"}))?;
    for n in 0..ATOMS {
        let atom = json!({"kind": "atom", "name": format!("Area {n}"),
            "paths": [format!("src/m{n}/**")], "knowledge": "Rounding happens once."});
        warm.call("knowledge_create", atom)?;
        warm.call("work_create", json!({"kind": "task", "name": format!("Task {n}")}))?;
    }
    Ok(())
}

/// Commits that each change two or three files, written as one stream.
fn write_history(repo: &TestRepo) -> XtaskResult<()> {
    let failed = |error: std::io::Error| format!("git fast-import: {error}");
    let mut stream = String::new();
    for commit in 0..COMMITS {
        let message = format!("Change {commit} of payments");
        let from = if commit == 0 { "from refs/heads/main^0\n" } else { "" };
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter Ada <ada@example.org> {} +0000\ndata {}\n{message}\n{from}",
            1_700_000_000 + commit * 600,
            message.len()
        );
        for n in [commit % cards::FILES, (commit + 40) % cards::FILES, commit * 7 % cards::FILES] {
            let text = format!("{}// {commit}\n", cards::code(n));
            let _ =
                write!(stream, "M 644 inline {}\ndata {}\n{text}\n", cards::path(n), text.len());
        }
    }
    let mut import = Command::new("git")
        .args(["fast-import", "--quiet", "--force"])
        .current_dir(repo.root())
        .stdin(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut input = import.stdin.take().ok_or("git takes no input")?;
    input.write_all(stream.as_bytes()).map_err(failed)?;
    drop(input);
    let ended = import.wait().map_err(failed)?;
    if !ended.success() {
        return Err(format!("git fast-import ended with {ended}"));
    }
    repo.git(&["reset", "-q", "--hard"]);
    Ok(())
}
