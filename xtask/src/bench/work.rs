//! What is known about files, the next task, and writes beside the disk's own flush.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::Repo;

use super::latency::Warm;
use super::{Site, median, row};
use crate::run::Result;

/// Atoms, and patterns of each.
const ATOMS: usize = 2_000;
const PATTERNS: usize = 10;

/// Paths of one question.
const PATHS: usize = 200;

/// Tasks to choose the next one from.
const TASKS: usize = 200;

/// How often a write and a flush are measured.
const ROUNDS: usize = 100;

/// Fills a store, then measures.
pub(super) fn run(site: &Site) -> Result<()> {
    let repo = Repo::new("//- README.md\n# Shop\n");
    let mut warm = Warm::start(site, &repo.root())?;
    warm.call("work_create", json!({"kind": "project", "name": "Shop"}))?;
    for number in 0..ATOMS {
        let pattern = |n: usize| format!("src/area{number}/part{n}/**/*.ts");
        let paths: Vec<String> = (0..PATTERNS).map(pattern).collect();
        let name = format!("Atom {number}");
        warm.call("graph_create", json!({"kind": "atom", "name": name, "paths": paths}))?;
    }
    for number in 0..TASKS {
        warm.call("work_create", json!({"kind": "task", "name": format!("Task {number}")}))?;
    }
    let path = |n: usize| format!("src/area{}/part{}/deep/f.ts", n * 7 % ATOMS, n % PATTERNS);
    let paths: Vec<String> = (0..PATHS).map(path).collect();
    let context: Vec<Value> = vec![json!({"paths": paths})];
    warm.row("graph_context", &context, Duration::from_millis(5))?;
    warm.row("work_next", &[json!({})], Duration::from_millis(2))?;
    let flush = median(ROUNDS, || flush(&repo.root().join(".git/flush")))?;
    let made = median(ROUNDS, || {
        let begin = Instant::now();
        warm.call("work_create", json!({"kind": "task", "name": "One more"}))?;
        Ok(begin.elapsed())
    })?;
    row("work_create, median", made, ("twice a flush", flush * 2));
    Ok(())
}

/// How long the disk takes to make a few bytes last.
fn flush(path: &std::path::Path) -> Result<Duration> {
    let mut file = File::create(path).map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let done = file.write_all(&[7; 4096]).and_then(|()| file.sync_all());
    done.map(|()| begin.elapsed()).map_err(|error| error.to_string())
}
