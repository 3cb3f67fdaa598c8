//! Code: the index of a large checkout beside a peer, one changed file, and warm answers.
//!
//! `CAIRN_BENCH_CODE` names a checkout (rust-analyzer is what the figures are given for),
//! `CAIRN_BENCH_CODEGRAPH` the peer's program, of the npm package `@colbymchenry/codegraph`.

#![expect(clippy::disallowed_methods, reason = "a benchmark runs programs and takes the time")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::latency::Warm;
use super::{Site, median, not_run, row};
use crate::run::{Result, say};

/// What a cold index may take, on two cores.
const COLD: Duration = Duration::from_secs(15);

/// What one changed file may take when its exports stay.
const CHANGED: Duration = Duration::from_millis(50);

/// What a warm answer may take at the 99th percentile.
const WARM: Duration = Duration::from_millis(5);

/// How often one file is changed.
const ROUNDS: usize = 15;

pub(super) fn run(site: &Site) -> Result<()> {
    let Some(checkout) = std::env::var_os("CAIRN_BENCH_CODE").map(PathBuf::from) else {
        not_run("code", "CAIRN_BENCH_CODE names no checkout");
        return Ok(());
    };
    cold(site, &checkout)?;
    let mut warm = Warm::start(site, &checkout)?;
    let files = questions(&mut warm)?;
    changed(&mut warm, &checkout, &files)?;
    answers(&mut warm, &files)?;
    grep(&mut warm, &checkout)
}

/// The whole index from nothing: time and peak memory, beside the peer.
fn cold(site: &Site, checkout: &Path) -> Result<()> {
    // Facts that are kept from earlier runs would make it a warm one.
    for kept in [".cairn/cache", ".git/cairn/cache"] {
        let _ = fs::remove_dir_all(checkout.join(kept));
    }
    let ours = timed(checkout, &site.cairn, &["sync", "--full"])?;
    row("code: cold index", ours.0, ("limit", COLD));
    say(&format!("| code: its peak memory | {} MB | limit 300 MB | |\n", ours.1));
    let Some(peer) = std::env::var_os("CAIRN_BENCH_CODEGRAPH").map(PathBuf::from) else {
        not_run("code: codegraph", "CAIRN_BENCH_CODEGRAPH names no program");
        return Ok(());
    };
    let _ = fs::remove_dir_all(checkout.join(".codegraph"));
    let theirs = timed(checkout, &peer, &["init", "--yes"])?;
    let _ = fs::remove_dir_all(checkout.join(".codegraph"));
    row("code: cold index", ours.0, ("codegraph", theirs.0));
    say(&format!("| code: its peak memory | {} MB | codegraph {} MB | |\n", ours.1, theirs.1));
    Ok(())
}

/// Runs a program to its end: how long it took, and the most memory it had, in megabytes.
pub(super) fn timed(folder: &Path, program: &Path, args: &[&str]) -> Result<(Duration, u64)> {
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(failed)?;
    let mut peak = 0;
    loop {
        peak = peak.max(high_water(child.id()));
        if let Some(status) = child.try_wait().map_err(failed)? {
            let took = begin.elapsed();
            let ended = || format!("{} ended with {status}", program.display());
            return if status.success() { Ok((took, peak / 1024)) } else { Err(ended()) };
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The most memory that a process, or one that it started, has had so far, in kilobytes: some
/// programs only start another. Zero where the system does not say.
fn high_water(process: u32) -> u64 {
    let read = |file: &str| fs::read_to_string(format!("/proc/{process}/{file}"));
    let own = said(&read("status").unwrap_or_default(), "VmHWM:");
    let children = read(&format!("task/{process}/children")).unwrap_or_default();
    let below = children.split_whitespace().filter_map(|child| child.parse().ok()).map(high_water);
    below.max().unwrap_or(0).max(own)
}

/// The memory that a process has now, in megabytes.
pub(super) fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    said(&status, "VmRSS:") / 1024
}

/// A figure of a process's status.
fn said(status: &str, key: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Files to ask about: some of the checkout's sources, spread over it.
fn questions(warm: &mut Warm) -> Result<Vec<String>> {
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
fn changed(warm: &mut Warm, checkout: &Path, files: &[String]) -> Result<()> {
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
    row("code: one changed file, exports stay", stay?, ("limit", CHANGED));
    row("code: one changed file, exports change", change?, ("limit", CHANGED));
    Ok(())
}

fn answers(warm: &mut Warm, files: &[String]) -> Result<()> {
    let about = |key: &str| -> Vec<Value> {
        files.iter().map(|file| json!({key: format!("module:{file}")})).collect()
    };
    let stem = |file: &String| {
        let name = file.rsplit('/').next().unwrap_or(file);
        json!({"name": name.trim_end_matches(".rs")})
    };
    let names: Vec<Value> = files.iter().map(stem).collect();
    warm.row("code_find", &names, WARM)?;
    warm.row("code_imports", &about("path"), WARM)?;
    warm.row("code_importers", &about("path"), WARM)?;
    warm.row("impact", &about("target"), WARM)
}

/// The same pattern in process and by `rg`, which has to start and to walk.
fn grep(warm: &mut Warm, checkout: &Path) -> Result<()> {
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
        Ok(theirs) => row("code: grep", ours, ("rg", theirs)),
        Err(why) => not_run("code: grep beside rg", &why),
    }
    Ok(())
}
