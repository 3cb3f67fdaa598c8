//! Evidence that a task is done, where `work.evidence` requires it.

use std::collections::BTreeSet;

use base::words::counted;
use base::{EntityRef, NextCall, Problem, ProblemCode, Result};
use serde_json::json;
use work::knowledge::files;
use work::pipeline::{WorkPipelines, missing_evidence};
use work::record::{EvidenceRecord, Task};
use work::{WorkDraft, WorkItem};

use engine::areas::kb::kb_state;
use engine::areas::work::{context_files, expand_paths, files_digest};
use engine::contract::args::NodeTarget;
use engine::graph;
use engine::rules::{self, RuleFinding, RuleScope, RuleSeverity};
use engine::view::View;

/// Evidence that is checked here and need not be given.
const LINKS_EVIDENCE: &str = "links";

/// Evidence whose test names are looked up.
const TESTS_EVIDENCE: &str = "tests";

/// How many findings a refusal lists.
const MAX_LISTED: usize = 20;

/// The evidence that a caller gave, and the current state of the task's files.
pub(super) struct TaskEvidence {
    pub given: Vec<EvidenceRecord>,
    digest: String,
    paths: Vec<String>,
}

/// Parses `kind: text` and records the current state of the task's files with it.
pub(super) fn read_evidence(
    view: &View,
    draft: &WorkDraft<'_>,
    task: &Task,
    given: &[String],
) -> Result<TaskEvidence> {
    let is_asked = !given.is_empty() || !view.config().work.evidence.is_empty();
    if !is_asked {
        return Ok(TaskEvidence { given: Vec::new(), digest: String::new(), paths: Vec::new() });
    }
    let lines = files::context_files_of(draft, &WorkItem::Task(task.clone()))?;
    let paths = context_files(view, &lines).names;
    let digest = files_digest(view, &expand_paths(view, &paths)?)?;
    let one = |text: &String| {
        let (kind, what) = text.split_once([':', '=']).unwrap_or((text, ""));
        let (kind, what) = (kind.trim().to_lowercase(), what.trim().to_owned());
        if kind.is_empty() || (what.is_empty() && kind != LINKS_EVIDENCE) {
            return Err(Problem::invalid(format!("`{text}` is not evidence"))
                .hint("write its kind and what shows it, for example  tests: login.test.ts"));
        }
        let (by, at) = (draft.actor.clone(), draft.stamp());
        Ok(EvidenceRecord { kind, what, by, at, digest: digest.clone() })
    };
    Ok(TaskEvidence { given: given.iter().map(one).collect::<Result<_>>()?, digest, paths })
}

/// Refuses evidence for anything but a task.
pub(super) fn no_evidence(given: &[String]) -> Result<TaskEvidence> {
    if !given.is_empty() {
        return Err(Problem::invalid("evidence can only be given for a task"));
    }
    Ok(TaskEvidence { given: Vec::new(), digest: String::new(), paths: Vec::new() })
}

/// Refuses to close a task without the evidence that the configuration requires.
pub(super) fn check(
    view: &View,
    pipelines: &WorkPipelines,
    task: &Task,
    shown: &TaskEvidence,
) -> Result<()> {
    let all: Vec<EvidenceRecord> = task.evidence.iter().chain(&shown.given).cloned().collect();
    check_tests(view, &shown.given)?;
    let mut missing = missing_evidence(pipelines, &all, &shown.digest);
    if pipelines.evidence.iter().any(|kind| kind == LINKS_EVIDENCE) {
        check_links(view, shown)?;
        missing.retain(|kind| kind != LINKS_EVIDENCE);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let stale = |kind: &&String| all.iter().any(|one| one.kind == **kind);
    let old: Vec<&String> = missing.iter().filter(stale).collect();
    let why = if old.is_empty() { "was given" } else { "was given since its files changed" };
    let what = format!("task \"{}\" is not closed: no {} {why}", task.title, missing.join(", "));
    Err(Problem::new(ProblemCode::Blocked, what)
        .detail("missing_evidence", missing.clone())
        .hint_call(
            "give it, for example with",
            NextCall::repeat().with("evidence", vec![format!("{}: …", missing[0])]),
        ))
}

/// Checks that the named tests exist and none is known to fail.
fn check_tests(view: &View, given: &[EvidenceRecord]) -> Result<()> {
    let tests = given.iter().filter(|one| one.kind == TESTS_EVIDENCE);
    for name in tests.flat_map(|one| one.what.split(',')).map(str::trim).filter(|n| !n.is_empty()) {
        let target: NodeTarget = name.parse().map_err(Problem::invalid)?;
        let node = match graph::resolve(view, &target) {
            Ok(node) => node,
            Err(problem) if problem.code == ProblemCode::Ambiguous => continue, // it is there, twice
            Err(problem) => {
                return Err(problem.hint("name tests by file, symbol or id, with commas between"));
            }
        };
        let EntityRef::Kb(id) = &node else { continue };
        let known = kb_state(view)?;
        let status = known.model.get(id.as_str()).map(|fact| fact.entity.status.as_str());
        if status == Some("failing") {
            return Err(Problem::new(ProblemCode::Blocked, format!("{node} fails"))
                .detail("missing_evidence", vec![TESTS_EVIDENCE])
                .hint_call(
                    "make it pass, then import its report with",
                    NextCall::new("kb.import"),
                ));
        }
    }
    Ok(())
}

/// Checks that no rule finds an error in the task's files.
fn check_rules(view: &View, paths: &[String]) -> Result<()> {
    let own: BTreeSet<String> = expand_paths(view, paths)?.into_iter().collect();
    let report = rules::run(view, &RuleScope::Everything, &[])?;
    let concerns = |finding: &&RuleFinding| {
        finding.severity == RuleSeverity::Error
            && finding.path.as_ref().is_some_and(|path| own.contains(&path.to_string()))
    };
    let wrong: Vec<&RuleFinding> = report.findings.iter().filter(concerns).collect();
    let Some(first) = wrong.first() else { return Ok(()) };
    let what = format!(
        "{} in its files, the first {}: {}",
        counted(wrong.len(), "error"),
        first.place(),
        first.message
    );
    let listed: Vec<&RuleFinding> = wrong.into_iter().take(MAX_LISTED).collect();
    Err(Problem::new(ProblemCode::Blocked, what)
        .detail("missing_evidence", vec![LINKS_EVIDENCE])
        .detail("findings", json!(listed))
        .hint_call("a fix for each is shown by", NextCall::new("verify")))
}

/// Checks that every file that the task names exists.
fn check_links(view: &View, shown: &TaskEvidence) -> Result<()> {
    let gone: Vec<String> = shown
        .paths
        .iter()
        .filter(|path| !path.contains(['*', '?', '{', '[']))
        .filter(|path| {
            let typed = view.paths().candidates(path);
            !typed.iter().any(|path| view.tree().stat_if_reachable(path).is_some())
        })
        .cloned()
        .collect();
    if gone.is_empty() {
        return check_rules(view, &shown.paths);
    }
    Err(Problem::new(
        ProblemCode::Blocked,
        format!("{} of its Context Files do not exist", gone.len()),
    )
    .detail("missing_evidence", vec![LINKS_EVIDENCE])
    .detail("missing_files", gone)
    .hint("correct the section Context Files"))
}
