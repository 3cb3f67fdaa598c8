//! Soak tests: many processes at once, killed at random, for minutes.

#![expect(clippy::disallowed_methods, reason = "the workers are processes of their own")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use testkit::soak::{self, SoakActions, SoakReport};
use testkit::writers::{self, KbSoakSize, WriterAssignment};

use crate::run::{self, XtaskResult};

/// How many processes work at once.
const PROCESSES: usize = 8;

/// How many changesets each writer sends.
const CHANGESETS: usize = 1_000;

/// How many changesets are acknowledged between two kills.
const BETWEEN_KILLS: usize = 5;

/// Lets eight workers do everything for some minutes, by default ten.
pub(crate) fn run(minutes: Option<&str>) -> XtaskResult<()> {
    let (minutes, report) = soak_for(minutes, "soak-worker")?;
    run::print(&format!(
        "| minutes | killed | lines | pairs | facts and tasks | operations of work | reads | busy | wrong |\n\
         |---|---|---|---|---|---|---|---|---|\n| {minutes} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        report.killed,
        report.lines.len(),
        report.pairs,
        report.records.len(),
        report.work.operations,
        report.reads,
        report.busy,
        report.failures.len()
    ));
    refuse_failures(&report.failures)
}

/// Lets eight workers plan, start, discuss and finish tasks for some minutes, by default ten.
pub(crate) fn run_work(minutes: Option<&str>) -> XtaskResult<()> {
    let (minutes, report) = soak_for(minutes, "task-worker")?;
    let counts = report.work.counts();
    run::print(&format!(
        "| minutes | killed | operations | plans | tasks started | finished | comments | lessons | busy | wrong |\n\
         |---|---|---|---|---|---|---|---|---|---|\n| {minutes} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        report.killed,
        report.work.operations,
        counts.plans,
        counts.started,
        counts.done,
        counts.comments,
        counts.lessons,
        report.busy,
        report.failures.len()
    ));
    refuse_failures(&report.failures)
}

/// Runs eight workers of a kind for some minutes.
fn soak_for(minutes: Option<&str>, worker: &str) -> XtaskResult<(f64, SoakReport)> {
    let minutes: f64 = match minutes {
        Some(text) => text.parse().map_err(|_| format!("`{text}` is not a number of minutes"))?,
        None => 10.0,
    };
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let command = |root: &Path, name: &str, seed: u64| {
        let mut command = Command::new(&own);
        command.arg(worker).arg(root).args([name, &seed.to_string()]);
        command
    };
    let time = Duration::from_secs_f64(minutes * 60.0);
    Ok((minutes, soak::soak(command, PROCESSES, |_, took| took >= time)))
}

fn refuse_failures(failures: &[String]) -> XtaskResult<()> {
    match failures.first() {
        None => Ok(()),
        Some(first) => Err(format!("{} things are wrong; the first: {first}", failures.len())),
    }
}

/// Eight writers of a thousand changesets each to one knowledge base, killed at random.
pub(crate) fn run_kb() -> XtaskResult<()> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let command = |root: &Path, part: &WriterAssignment| {
        let mut command = Command::new(&own);
        command.arg("kb-writer").arg(root).arg(&part.name);
        command.args([part.next.to_string(), part.count.to_string()]);
        command
    };
    let size =
        KbSoakSize { writers: PROCESSES, changesets: CHANGESETS, between_kills: BETWEEN_KILLS };
    let report = writers::soak(command, &size);
    run::print(&format!(
        "| changesets acknowledged | killed | sent again | minutes | wrong |\n|---|---|---|---|---|\n\
         | {} | {} | {} | {:.1} | {} |\n",
        report.acknowledged.len(),
        report.killed,
        report.repeated,
        report.took.as_secs_f64() / 60.0,
        report.failures.len()
    ));
    refuse_failures(&report.failures)
}

/// One of the writers.
pub(crate) fn kb_writer(root: &str, name: &str, from: &str, count: &str) -> XtaskResult<()> {
    let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number"));
    let part =
        WriterAssignment { name: name.to_owned(), next: number(from)?, count: number(count)? };
    writers::run_writer(Path::new(root), &part);
    Ok(())
}

/// One of the workers.
pub(crate) fn worker(root: &str, name: &str, seed: &str, actions: SoakActions) -> XtaskResult<()> {
    let seed = seed.parse().map_err(|_| format!("`{seed}` is not a seed"))?;
    soak::run_worker(Path::new(root), name, seed, actions);
    Ok(())
}
