//! Code: the index of a large checkout compared with that of another tool, one changed file, and
//! warm answers.
//!
//! `CAIRN_BENCH_CODE` names a checkout (published figures are for rust-analyzer),
//! `CAIRN_BENCH_CODEGRAPH` the program of the other tool, from the npm package
//! `@colbymchenry/codegraph`.

#![expect(clippy::disallowed_methods, reason = "a benchmark runs programs and takes the time")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::latency::WarmServer;
use super::{BenchContext, Comparison, median, print_not_run, print_row};
use crate::run::{XtaskResult, print};

/// How long a cold index may take, on two cores.
const COLD_INDEX_LIMIT: Duration = Duration::from_secs(15);

/// How long one changed file may take if its exports stay.
const CHANGED_FILE_LIMIT: Duration = Duration::from_millis(50);

/// How long a warm answer may take at the 99th percentile.
const WARM_ANSWER_LIMIT: Duration = Duration::from_millis(5);

/// How often one file is changed.
const ROUNDS: usize = 15;

pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    let Some(checkout) = std::env::var_os("CAIRN_BENCH_CODE").map(PathBuf::from) else {
        print_not_run("code", "CAIRN_BENCH_CODE names no checkout");
        return Ok(());
    };
    bench_cold_index(site, &checkout)?;
    let mut warm = WarmServer::start(site, &checkout)?;
    let files = sample_files(&mut warm)?;
    bench_changed_file(&mut warm, &checkout, &files)?;
    bench_warm_answers(&mut warm, &files)?;
    bench_grep(&mut warm, &checkout)
}

/// The whole index from scratch: time and peak memory, compared with the other tool.
fn bench_cold_index(site: &BenchContext, checkout: &Path) -> XtaskResult<()> {
    // Facts that were cached by earlier runs would make it a warm index.
    for kept in [".cairn/cache", ".git/cairn/cache"] {
        let _ = fs::remove_dir_all(checkout.join(kept));
    }
    let ours = run_measured(checkout, &site.cairn, &["sync", "--full"])?;
    print_row("code: cold index", ours.0, &Comparison::limit(COLD_INDEX_LIMIT));
    print(&format!("| code: its peak memory | {} MB | limit 300 MB | |\n", ours.1));
    let Some(peer) = std::env::var_os("CAIRN_BENCH_CODEGRAPH").map(PathBuf::from) else {
        print_not_run("code: codegraph", "CAIRN_BENCH_CODEGRAPH names no program");
        return Ok(());
    };
    let _ = fs::remove_dir_all(checkout.join(".codegraph"));
    let theirs = run_measured(checkout, &peer, &["init", "--yes"])?;
    let _ = fs::remove_dir_all(checkout.join(".codegraph"));
    print_row("code: cold index", ours.0, &Comparison::new("codegraph", theirs.0));
    print(&format!("| code: its peak memory | {} MB | codegraph {} MB | |\n", ours.1, theirs.1));
    Ok(())
}

/// Runs a program to its end. Returns how long it took, and its peak memory in megabytes.
pub(super) fn run_measured(
    folder: &Path,
    program: &Path,
    args: &[&str],
) -> XtaskResult<(Duration, u64)> {
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(failed)?;
    let mut peak = 0;
    loop {
        peak = peak.max(peak_memory(child.id()));
        if let Some(status) = child.try_wait().map_err(failed)? {
            let took = begin.elapsed();
            let ended = || format!("{} ended with {status}", program.display());
            return if status.success() { Ok((took, peak / 1024)) } else { Err(ended()) };
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The peak memory of a process or of one that it started, in kilobytes, because some programs only
/// start another. 0 if the system does not provide it.
fn peak_memory(process: u32) -> u64 {
    let read = |file: &str| fs::read_to_string(format!("/proc/{process}/{file}"));
    let own = status_field(&read("status").unwrap_or_default(), "VmHWM:");
    let children = read(&format!("task/{process}/children")).unwrap_or_default();
    let below = children.split_whitespace().filter_map(|child| child.parse().ok()).map(peak_memory);
    below.max().unwrap_or(0).max(own)
}

/// The memory that a process has now, in megabytes.
pub(super) fn resident_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status_field(&status, "VmRSS:") / 1024
}

/// A figure of a process's status.
fn status_field(status: &str, key: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Files to ask about: some of the checkout's sources, spread over it.
fn sample_files(warm: &mut WarmServer) -> XtaskResult<Vec<String>> {
    let text = warm.call("code_list", json!({"glob": "**/*.rs", "limit": 1000}))?;
    let files =
        text.lines().filter_map(|line| line.split_whitespace().next()?.strip_prefix("module:"));
    let files: Vec<String> = files.map(str::to_owned).collect();
    match files.len() {
        0 => Err("the checkout has no Rust".into()),
        count => Ok(files.into_iter().step_by((count / 50).max(1)).collect()),
    }
}

/// One changed file until the next answer: once with the same exports, once with another.
fn bench_changed_file(warm: &mut WarmServer, checkout: &Path, files: &[String]) -> XtaskResult<()> {
    let file = checkout.join(&files[files.len() / 2]);
    let before = fs::read(&file).map_err(|error| error.to_string())?;
    let mut count = 0;
    let mut edit = |addition: fn(usize) -> String| {
        median(ROUNDS, || {
            count += 1;
            let text = [&before[..], addition(count).as_bytes()].concat();
            fs::write(&file, text).map_err(|error| error.to_string())?;
            let begin = Instant::now();
            warm.call("status", json!({}))?;
            Ok(begin.elapsed())
        })
    };
    let stay = edit(|count| format!("\n// change {count}\n"));
    let change = edit(|count| format!("\npub fn added_{count}() {{}}\n"));
    fs::write(&file, &before).map_err(|error| error.to_string())?;
    print_row(
        "code: one changed file, exports stay",
        stay?,
        &Comparison::limit(CHANGED_FILE_LIMIT),
    );
    print_row(
        "code: one changed file, exports change",
        change?,
        &Comparison::limit(CHANGED_FILE_LIMIT),
    );
    Ok(())
}

fn bench_warm_answers(warm: &mut WarmServer, files: &[String]) -> XtaskResult<()> {
    let about = |key: &str| -> Vec<Value> {
        files.iter().map(|file| json!({key: format!("module:{file}")})).collect()
    };
    let stem = |file: &String| {
        let name = file.rsplit('/').next().unwrap_or(file);
        json!({"name": name.trim_end_matches(".rs")})
    };
    let names: Vec<Value> = files.iter().map(stem).collect();
    warm.measure_and_print("code_find", &names, WARM_ANSWER_LIMIT)?;
    warm.measure_and_print("code_imports", &about("path"), WARM_ANSWER_LIMIT)?;
    warm.measure_and_print("code_importers", &about("path"), WARM_ANSWER_LIMIT)?;
    warm.measure_and_print("impact", &about("target"), WARM_ANSWER_LIMIT)
}

/// The same pattern in the server and with `rg`, whose time includes its start and the walk.
fn bench_grep(warm: &mut WarmServer, checkout: &Path) -> XtaskResult<()> {
    let pattern = "fn\\s+resolve_\\w+";
    let ours = median(ROUNDS, || {
        let begin = Instant::now();
        warm.call("code_grep", json!({"pattern": pattern}))?;
        Ok(begin.elapsed())
    })?;
    let found = median(ROUNDS, || {
        let begin = Instant::now();
        let mut rg = Command::new("rg");
        let done = rg.args(["-n", pattern]).current_dir(checkout).stdin(Stdio::null()).output();
        done.map_err(|error| format!("rg: {error}"))?;
        Ok(begin.elapsed())
    });
    match found {
        Ok(theirs) => print_row("code: grep", ours, &Comparison::new("rg", theirs)),
        Err(why) => print_not_run("code: grep beside rg", &why),
    }
    Ok(())
}
