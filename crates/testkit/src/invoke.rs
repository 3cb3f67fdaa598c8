//! Calls operations in the way that people and programs do.

use std::sync::Arc;
use std::time::Duration;

use base::{Call, ProblemCode};
use engine::{ColorMode, JsonObject, OpSpec, Outcome, Workspace};
use jiff::Timestamp;
use operations::{CallFormat, ops};
use serde_json::Value;

use crate::TestRepo;

/// How long a test waits for optional parts of an answer. On a busy machine they come late, and a
/// test must not depend on that.
const WAIT_FOR_ALL: Duration = Duration::from_mins(10);

/// A call without a particular actor, at a fixed time.
pub fn call() -> Arc<Call> {
    Arc::new(call_by("tester"))
}

/// A call of this actor, at a fixed time.
pub fn call_by(actor: &str) -> Call {
    let now: Timestamp = "2026-01-02T03:04:05Z".parse().expect("a time");
    Call::new(actor, now).with_optional_wait(WAIT_FOR_ALL)
}

impl TestRepo {
    /// The text that a command line prints.
    pub fn text(&self, line: &str) -> String {
        text_of(&self.workspace(), line)
    }

    /// The outcome of a command line.
    pub fn run_line(&self, line: &str) -> Outcome {
        run_line(&self.workspace(), line)
    }

    /// The data that an operation answers with. Panics on a problem.
    pub fn data(&self, name: &str, args: Value) -> Value {
        data_of(&self.workspace(), name, args)
    }

    /// The code of the problem that an operation answers with.
    pub fn code(&self, name: &str, args: Value) -> ProblemCode {
        call_op(&self.workspace(), name, args).expect_err("a problem").code
    }

    /// Calls an operation by its present or an older name, with JSON arguments.
    pub fn call_op(&self, name: &str, args: Value) -> Outcome {
        call_op(&self.workspace(), name, args)
    }
}

fn call_op(workspace: &Workspace, name: &str, args: Value) -> Outcome {
    let args: JsonObject = serde_json::from_value(args).expect("arguments are an object");
    let (op, args) = ops::resolve(name, args)?;
    op.call(workspace, call_by("tester"), args)
}

fn data_of(workspace: &Workspace, name: &str, args: Value) -> Value {
    let answer = CallFormat::CommandLine.json(&call_op(workspace, name, args));
    assert!(answer.get("error").is_none(), "{name}: {answer:#}");
    answer["data"].clone()
}

/// The text that a command line answers with in an open workspace.
pub fn text_of(workspace: &Workspace, line: &str) -> String {
    CallFormat::CommandLine.text(&run_line(workspace, line), ColorMode::Plain)
}

fn run_line(workspace: &Workspace, line: &str) -> Outcome {
    let (op, words) = split_command(line);
    let typed = ["operation".to_owned()].into_iter().chain(words);
    let matches = (op.command)().try_get_matches_from(typed);
    let matches = matches.unwrap_or_else(|error| panic!("{line}: {error}"));
    let args = (op.from_cli)(&matches).unwrap_or_else(|error| panic!("{line}: {error}"));
    op.call(workspace, call_by("tester"), args)
}

/// The operation that a command line names.
pub fn operation_of(line: &str) -> &'static OpSpec {
    split_command(line).0
}

/// The operation that a command line names, and the words after its name. Quotes are those of a
/// shell.
fn split_command(line: &str) -> (&'static OpSpec, Vec<String>) {
    let mut words = shlex::split(line).unwrap_or_else(|| panic!("`{line}` has an open quote"));
    let found = (1..=words.len().min(2)).rev().find_map(|count| {
        ops::find(&words[..count].join(".").replace('-', "_")).ok().map(|op| (op, count))
    });
    let (op, count) = found.unwrap_or_else(|| panic!("`{line}` names no operation"));
    (op, words.split_off(count))
}

/// Compares what a command line answers with the expected page.
///
/// The expected text is written as it should be read: one line break after the opening quote,
/// and the indentation of its least indented line, do not count.
#[track_caller]
pub fn check(repo: &TestRepo, line: &str, expected: &str) {
    let found = match repo.read(".git/HEAD") {
        Some(_) => mask_commit(&repo.text(line), &repo.git(&["rev-parse", "HEAD"])),
        None => repo.text(line),
    };
    let expected = dedent(expected);
    assert!(found == expected, "{line}\n--- found\n{found}--- expected\n{expected}");
}

/// The page with the id of the commit masked, because it changes with every change of a fixture.
fn mask_commit(page: &str, commit: &str) -> String {
    page.replace(&commit[..12], "COMMIT")
}

fn dedent(text: &str) -> String {
    let lines: Vec<&str> = text.strip_prefix('\n').unwrap_or(text).lines().collect();
    let said = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = said.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let kept = lines.iter().map(|line| line.get(indent..).unwrap_or_default().trim_end());
    kept.collect::<Vec<_>>().join("\n").trim_end().to_owned() + "\n"
}
