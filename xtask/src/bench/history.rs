//! History: the whole history compared with `git log`, one more commit, and warm answers.
//!
//! `CAIRN_BENCH_JJ` and `CAIRN_BENCH_RUST_ANALYZER` name whole clones of jj and rust-analyzer, for
//! which figures are published.

#![expect(clippy::disallowed_methods, reason = "a benchmark runs programs and takes the time")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::code::run_measured;
use super::latency::WarmServer;
use super::{BenchContext, Comparison, median, print_not_run, print_row};
use crate::run::{XtaskResult, print};

/// A repository, the variable that names a clone of it, and the limit for its history as a multiple
/// of the time of `git log`.
const REPOSITORIES: [(&str, &str, f64); 2] =
    [("jj", "CAIRN_BENCH_JJ", 1.5), ("rust-analyzer", "CAIRN_BENCH_RUST_ANALYZER", 0.6)];

/// The arguments of git for the same data: every commit with its message and the files it touched.
const GIT_LOG_ARGS: [&str; 7] =
    ["log", "--raw", "-z", "-M", "-c", "--format=%H%n%P%n%an%n%ae%n%at%n%cn%n%ce%n%ct%n%B", "HEAD"];

/// How often the history is built, alternating with `git log`, and how often a commit is made.
const ROUNDS: usize = 5;

/// How long one more commit, and a warm answer at the 99th percentile, may take.
const NEW_COMMIT_LIMIT: Duration = Duration::from_millis(30);
const WARM_ANSWER_LIMIT: Duration = Duration::from_millis(5);

/// Words to search commits and files for.
const WORDS: [&str; 8] =
    ["rename", "conflict", "parser", "fix typo", "cli test", "completion", "release", "perf"];

pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    for (name, variable, most) in REPOSITORIES {
        let Some(clone) = std::env::var_os(variable).map(PathBuf::from) else {
            print_not_run(&format!("history of {name}"), &format!("{variable} names no clone"));
            continue;
        };
        bench_cold_index(site, name, &clone, most)?;
        let mut warm = WarmServer::start(site, &clone)?;
        print(&format!("| history of {name}, warm: | | | |\n"));
        bench_new_commit(&mut warm, &clone)?;
        bench_warm_answers(&mut warm)?;
    }
    Ok(())
}

/// The whole history from scratch, search text and snapshot included, alternating with `git log`.
fn bench_cold_index(site: &BenchContext, name: &str, clone: &Path, most: f64) -> XtaskResult<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut peak = 0;
    for _ in 0..ROUNDS {
        theirs.push(measure_cpu(|| run_measured(clone, Path::new("git"), &GIT_LOG_ARGS))?);
        remove_caches(clone)?;
        let once =
            measure_cpu(|| run_measured(clone, &site.cairn, &["history", "tags", "--limit", "1"]))?;
        peak = peak.max(once.2);
        ours.push(once);
    }
    ours.sort();
    theirs.sort();
    let (ours, theirs) = (ours[ROUNDS / 2], theirs[ROUNDS / 2]);
    print_row(
        &format!("history of {name}: whole index, at most {most}"),
        ours.0,
        &Comparison::new("git log", theirs.0),
    );
    print_row("its processor time, all processes", ours.1, &Comparison::new("git log", theirs.1));
    print(&format!("| its peak memory | {peak} MB | limit 300 MB | |\n"));
    Ok(())
}

/// Removes the caches of a clone's history.
fn remove_caches(clone: &Path) -> XtaskResult<()> {
    let _ = fs::remove_dir_all(clone.join(".git/cairn/cache"));
    for entry in fs::read_dir(clone.join(".cairn/cache")).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("history-") {
            fs::remove_file(entry.path()).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// Runs a program. Returns its time, the processor time of it and all its children, and its peak
/// memory.
fn measure_cpu(
    run: impl FnOnce() -> XtaskResult<(Duration, u64)>,
) -> XtaskResult<(Duration, Duration, u64)> {
    let before = children_time();
    let (time, peak) = run()?;
    Ok((time, children_time().saturating_sub(before), peak))
}

/// The processor time of all children that have ended; 0 if the system does not provide it.
fn children_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(14) + ticks(15)) * 10)
}

/// The time from one more commit until an answer contains it. Removes the commits afterwards.
pub(super) fn bench_new_commit(warm: &mut WarmServer, clone: &Path) -> XtaskResult<()> {
    let before = git(clone, ["rev-parse", "HEAD"])?;
    let index = clone.join(".git/cairn/bench-index");
    let mut number = 0_u64;
    let took = median(ROUNDS * 5, || {
        number += 1;
        let text = clone.join(".git/cairn/bench-text");
        fs::write(&text, format!("{number}\n")).map_err(|error| error.to_string())?;
        let blob = git(clone, ["hash-object".as_ref(), "-w".as_ref(), text.as_os_str()])?;
        let entry = format!("100644,{blob},cairn-bench.md");
        git_with_index(clone, &index, &["read-tree", "HEAD"])?;
        git_with_index(clone, &index, &["update-index", "--add", "--cacheinfo", &entry])?;
        let tree = git_with_index(clone, &index, &["write-tree"])?;
        let commit = git(clone, ["commit-tree", &tree, "-p", "HEAD", "-m", "one more"])?;
        git(clone, ["update-ref", "--no-deref", "HEAD", &commit])?;
        let begin = Instant::now();
        let text =
            warm.call("history_provenance", json!({"path": "cairn-bench.md", "limit": 1}))?;
        let took = begin.elapsed();
        let all = base::words::counted(number, "commit");
        if text.contains(&all) { Ok(took) } else { Err(format!("{all} expected: {text}")) }
    });
    git(clone, ["update-ref", "--no-deref", "HEAD", &before])?;
    print_row("one more commit, until the answer", took?, &Comparison::limit(NEW_COMMIT_LIMIT));
    Ok(())
}

pub(super) fn bench_warm_answers(warm: &mut WarmServer) -> XtaskResult<()> {
    let text = warm.call("history_list", json!({"limit": 1000}))?;
    let files: Vec<&str> =
        text.lines().filter_map(|line| line.split_whitespace().next()).skip(1).collect();
    let files: Vec<&str> = files.into_iter().filter(|file| file.contains('.')).collect();
    let some: Vec<&str> = files.iter().step_by((files.len() / 50).max(1)).copied().collect();
    let about = |key: &str| -> Vec<Value> { some.iter().map(|file| json!({key: file})).collect() };
    warm.measure_and_print("history_provenance", &about("path"), WARM_ANSWER_LIMIT)?;
    warm.measure_and_print("history_cochange", &about("paths"), WARM_ANSWER_LIMIT)?;
    let commits = |word: &&str| json!({"query": word, "kinds": ["commit"]});
    warm.measure_and_print(
        "search",
        &WORDS.iter().map(commits).collect::<Vec<_>>(),
        WARM_ANSWER_LIMIT,
    )
}

fn git<A: AsRef<OsStr>>(clone: &Path, args: impl IntoIterator<Item = A>) -> XtaskResult<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(clone).args(["-c", "user.name=Bench", "-c", "user.email=b@example.org"]);
    let output = command.args(args).output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Runs git with a separate index file.
fn git_with_index(clone: &Path, index: &Path, args: &[&str]) -> XtaskResult<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(clone).env("GIT_INDEX_FILE", index).args(args);
    let output = command.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
