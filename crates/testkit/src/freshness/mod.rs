//! Changes a repository at random, in the ways in which developers change it. After each step three
//! views of it must agree: a server that has been running all the time, a process that was just
//! started, and an index built from scratch in a copy.
//!
//! If two of them answer differently and both claim in their basis to be up to date, that is a
//! defect.

mod answers;
mod steps;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::soak::SeededRng;
use crate::{McpClient, TestRepo};
use answers::{AnswerSet, QuestionSet};
use steps::SimulatedDeveloper;

/// The result of a run.
#[derive(Debug, Default)]
pub struct FreshnessReport {
    /// Number of steps by kind
    pub steps: std::collections::BTreeMap<&'static str, usize>,
    /// How many answers were compared
    pub answers: usize,
    /// Answers that declared themselves out of date
    pub declared_stale: usize,
    /// Failures: the last steps, the question, and the two different answers
    pub differences: Vec<String>,
    /// Duration of the run
    pub took: Duration,
}

/// Number of steps that are listed with a difference.
const SHOWN_STEPS: usize = 12;

const FIXTURE: &str = "
//- src/a.ts
import { b } from './b';
/** @see spec::f */
export function alpha() { return b(); }
//- src/b.ts
export const b = () => 1;
//- src/deep/c.rs
pub mod c;
/// Doc
pub fn c() {}
//- lib/d.py
from a import b

def d():
    return b()
//- docs/e.md
# E
[a](../src/a.ts)
//- .cairn/cards/f.card.md
---
key: spec::f
type: spec
summary: F
status: draft
---
Text
//- docs/requirements/g.md
---
id: REQ-1
title: G
status: open
priority: must
---
";

/// Runs this many steps and compares after each. `tell` is called for every step and every
/// difference.
pub fn run(
    binary: &Path,
    steps: usize,
    seed: u64,
    mut tell: impl FnMut(usize, &str),
) -> FreshnessReport {
    let begin = Instant::now();
    let repo = TestRepo::new(FIXTURE);
    let copy = tempfile::tempdir().expect("a folder");
    let mut developer = SimulatedDeveloper::new(&repo, SeededRng::new(seed));
    let mut server = McpClient::start(binary, &repo.root(), &[]);
    let mut report = FreshnessReport::default();
    let mut done: Vec<String> = Vec::new();
    for number in 1..=steps {
        let step = developer.step(&mut server);
        tell(number, &step.description);
        *report.steps.entry(step.name).or_default() += 1;
        done.push(step.description);
        let questions = QuestionSet::sample(&repo.root(), &mut developer.dice);
        let running = questions.ask(&mut server, &repo.root());
        let started = questions.ask(&mut McpClient::start(binary, &repo.root(), &[]), &repo.root());
        let place = copy.path().join("copy");
        copy_without_caches(&repo.root(), &place);
        let anew = questions.ask(&mut McpClient::start(binary, &place, &[]), &place);
        let last = &done[done.len().saturating_sub(SHOWN_STEPS)..];
        let known = report.differences.len();
        report.compare(&running, &started, &format!("{last:?}: server and new process"));
        report.compare(&running, &anew, &format!("{last:?}: server and index from nothing"));
        report.differences[known..].iter().for_each(|difference| tell(number, difference));
        let _ = fs::remove_dir_all(&place);
    }
    report.took = begin.elapsed();
    report
}

impl FreshnessReport {
    fn compare(&mut self, one: &AnswerSet, other: &AnswerSet, what: &str) {
        for (question, left, right) in one.zip(other) {
            self.answers += 1;
            if left.content == right.content {
                continue;
            }
            // An answer may differ if its basis says that it is not up to date, as just after a
            // start.
            if !left.is_fresh || !right.is_fresh {
                self.declared_stale += 1;
                continue;
            }
            self.differences
                .push(format!("{what}: {question}\n  {}\n  {}", left.content, right.content));
        }
    }
}

/// Copies a repository with the times of its files and without cairn's caches.
#[expect(clippy::disallowed_methods, reason = "cp keeps times, links and modes")]
fn copy_without_caches(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(copied.is_ok_and(|status| status.success()), "the repository can be copied");
    let caches: [PathBuf; 2] = [to.join(".cairn/cache"), to.join(".git/cairn/cache")];
    for cache in caches {
        let _ = fs::remove_dir_all(cache);
    }
}
