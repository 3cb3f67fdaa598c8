//! The three prompts for working with tasks and knowledge: discovery, planning, execution.

use base::{Problem, Result};
use work::WorkRecordRef;

use super::{Prompt, PromptArgument, PromptArguments};
use engine::areas::work::read_store;
use engine::view::View;

/// What to do next, and what to know before doing it.
pub(super) const DISCOVERY: Prompt = Prompt {
    name: "work_discovery",
    description: "Find the next task and what is known about its files",
    arguments: &[],
    write: |_, _| Ok(DISCOVER.to_owned()),
    complete: |_, _, _| Ok(Vec::new()),
};

/// A goal as features and tasks, with the knowledge they need.
pub(super) const PLANNING: Prompt = Prompt {
    name: "work_planning",
    description: "Plan a goal as features and tasks, using and extending what is known",
    arguments: &[PromptArgument {
        name: "goal",
        description: "What should be possible afterwards",
        required: true,
    }],
    write: plan,
    complete: |_, _, _| Ok(Vec::new()),
};

/// A task from claim to close, with what it taught.
pub(super) const EXECUTION: Prompt = Prompt {
    name: "work_execution",
    description: "Carry out a task and write down what it taught",
    arguments: &[PromptArgument {
        name: "task",
        description: "Id of the task; the next one if left out",
        required: false,
    }],
    write: execute,
    complete: complete_task,
};

const DISCOVER: &str = "Find out what I should work on next.\n\
    1. `work_overview`, then `work_search` with status ACTIVE: what is being worked on, and by whom.\n\
    2. `work_next`: the task it suggests, and why.\n\
    3. `work_show` for that task with include_sections and include_knowledge: read its Context \
    Files and what molecules and atoms say about them.\n\
    4. Where an atom has drifted, say so: its knowledge may no longer hold. Name the uncovered paths.\n\
    Then tell me in a few lines: the task with its handle, what to know before touching its files, \
    what is blocked and by what. Do not claim it and do not edit yet.";

fn plan(_: &View<'_>, given: &PromptArguments) -> Result<String> {
    let goal = given.get("goal").map(|goal| goal.trim()).filter(|goal| !goal.is_empty());
    let goal = goal.ok_or_else(|| Problem::invalid("`goal` is empty").hint("say what to plan"))?;
    let quoted: String = goal.lines().map(|line| format!("> {line}\n")).collect();
    Ok(format!(
        "Plan this goal:\n{quoted}\n\
         1. `knowledge_search` and `search` for the area it is in; `knowledge_context` for the files you \
         expect to change. Read what is known before you decide.\n\
         2. Write the plan as Markdown: `# Feature: name`, `## Task: name` with the fields \
         `- files: a, b` and `- blocked by: name`, and the sections `### Implementation Plan` and \
         `### Verification`.\n\
         3. `work_plan` with that text and dry_run, look at what it would create, then without \
         dry_run.\n\
         4. Where the plan names paths that no atom covers, `knowledge_create` a molecule or atom with \
         what you found out; list the paths that stay uncovered.\n\
         Then show me the plan with handles. Change no code."
    ))
}

fn execute(_: &View<'_>, given: &PromptArguments) -> Result<String> {
    let task = given.get("task").map(|task| task.trim()).filter(|task| !task.is_empty());
    let claim = match task {
        Some(task) => {
            let task: WorkRecordRef = task.parse().map_err(Problem::invalid)?;
            format!("`work_start` with task {task}")
        }
        None => "`work_start` without a task: the one you hold, or the next one".to_owned(),
    };
    Ok(format!(
        "Carry out a task.\n\
         1. {claim}. It answers with the plan, the files, what is known about them and what shows \
         that the task is done.\n\
         2. `context` for each file before you edit it. Commit with the trailer `Task: <key>`.\n\
         3. Do what Verification says and keep what you saw: closing may ask for it as evidence.\n\
         4. Which atoms cover the files that you touched (`knowledge_context`)? `knowledge_update` one whose \
         area works differently now; move its paths where files moved; `knowledge_create` one for a new \
         area; `changelog_append` what changed and why.\n\
         5. `work_done` with evidence, and with learnt what others should know. It offers the next \
         task.\n\
         If something stands in the way, `work_block` with the reason instead of going around it."
    ))
}

fn complete_task(view: &View<'_>, _: &str, begun: &str) -> Result<Vec<String>> {
    read_store(view, |draft| {
        let tasks: Vec<work::record::Task> = draft.all()?;
        let open = tasks.into_iter().filter(|task| !task.status.is_terminal());
        let keys = open.map(|task| work::WorkItem::Task(task).key().to_string());
        Ok(keys.filter(|key| key.starts_with(begun)).take(super::MAX_COMPLETIONS).collect())
    })
}
