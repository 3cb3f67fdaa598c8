//! `work.done`: finishes the current step of a task, and says what comes next.

use base::{NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::claim::{ClaimScope, next_tasks};
use work::container::WorkItemBrief;
use work::events::comment;
use work::knowledge::context::KnowledgePage;
use work::knowledge::edit::{self as knowledge, KnowledgeFields, KnowledgeRecord, KnowledgeTarget};
use work::knowledge::globs::PathGlob;
use work::pipeline::{StatusTransition, TransitionTarget, advance};
use work::record::{Atom, Task};
use work::start::held_or_named;
use work::text::{KnowledgeText, ListArg};
use work::words::{KnowledgeKind, KnowledgeWriteMode, WorkKind, WorkStatus};
use work::{WorkDraft, WorkItem, WorkRecordId, WorkRecordRef};

use super::briefing::{FeatureProgress, feature_progress, progress_words};
use super::evidence;
use super::hints::{GraphHints, hints};
use super::start::StartAnswer;
use super::transition::TransitionAnswer;
use engine::areas::work::{
    files_of, files_touched, knowledge_about, matched_files, pipelines, plan, read_store,
};
use engine::contract::op::{Effect, Mutation, OpExample, ToolVisibility};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// How many next tasks are suggested.
const MAX_OFFERS: usize = 3;

/// How many files a new atom covers at most.
const MAX_ATOM_PATHS: usize = 20;

/// Finish the task you hold: move it on with evidence, record what was learnt, get the next one
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Task that is done; the one you hold if left out
    #[serde(default, alias = "id", alias = "task_id")]
    pub task: Option<WorkRecordRef>,
    /// Evidence that it is done, such as `tests: login.test.ts`
    #[arg(long)]
    #[serde(default)]
    pub evidence: Option<ListArg<String>>,
    /// What others should know about the files of the task
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default, alias = "learned")]
    pub learnt: Option<KnowledgeText>,
    /// Atom to append what was learnt to; by default the one that covers the files
    #[arg(long, requires = "learnt")]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub atom: Option<WorkRecordRef>,
    /// Start the next task too, as `work start` does
    #[arg(long)]
    #[serde(default)]
    pub next: bool,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub version: Option<u32>,
}

/// The atom that what was learnt was added to, or the task if it names no files
#[derive(Debug, Serialize, JsonSchema)]
pub struct LearntNote {
    /// The id of the atom; absent if it is a comment on the task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<WorkRecordId>,
    /// The name of the atom or task
    pub name: String,
    /// Whether it was created for this
    pub is_new: bool,
}

/// A finished step, and what comes next
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoneAnswer {
    /// The transition
    #[serde(flatten)]
    pub moved: TransitionAnswer,
    /// The progress of its feature
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<FeatureProgress>,
    /// The atom or task that what was learnt was added to
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learnt: Option<LearntNote>,
    /// Atoms to update after this task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_hints: Option<GraphHints>,
    /// Tasks that can be started now, best first; empty if one was started
    pub next: Vec<WorkItemBrief>,
    /// The next task, if it was to be started and one was ready
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Box<StartAnswer>>,
}

impl Mutation for Done {
    const NAME: &'static str = "work.done";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "--evidence \"tests: login.test.ts\" --learnt \"The lock is per account, not per host\"",
        shows: "the task you hold closed, with one more sentence of knowledge",
    }];
    type Answer = DoneAnswer;

    fn plan(self, view: &View) -> Result<Plan<DoneAnswer>> {
        let told = |done: &DoneAnswer| {
            format!("finish task \"{}\": {}", done.moved.0.what.name, done.moved.0.to)
        };
        plan(view, told, |draft| {
            let task = held_or_named(draft, self.task.as_ref())?;
            let moved = self.advance(view, draft, &task)?;
            let learnt = match &self.learnt {
                Some(text) => Some(self.record_learnt(view, draft, &task, text)?),
                None => None,
            };
            let is_closed = moved.to == WorkStatus::Closed && learnt.is_none();
            let graph_hints = is_closed.then(|| hints(view, draft, &task)).transpose()?;
            let progress = feature_progress(draft, &task)?;
            let started = match self.next {
                true => StartAnswer::after(view, draft, &task.project_id, &moved.unblocked)?,
                false => None,
            };
            let moved = TransitionAnswer(moved);
            Ok(DoneAnswer { moved, progress, learnt, graph_hints, next: Vec::new(), started })
        })
    }

    fn committed(view: &View, answer: &mut DoneAnswer) {
        if answer.started.is_some() {
            return;
        }
        let offers = read_store(view, |draft| {
            let task: Task = draft.require(&answer.moved.0.what.id)?;
            let project = WorkRecordRef::from(&task.project_id);
            let scope = ClaimScope { project: Some(&project), ..ClaimScope::default() };
            next_tasks(draft, scope, MAX_OFFERS)
        });
        let tasks = offers.map(|ready| ready.items).unwrap_or_default();
        answer.next = tasks.into_iter().map(|task| WorkItem::Task(task).brief()).collect();
    }
}

impl Done {
    /// Moves the task on by one status, and by two if nobody started it.
    fn advance(
        &self,
        view: &View,
        draft: &mut WorkDraft<'_>,
        task: &Task,
    ) -> Result<StatusTransition> {
        let pipelines = pipelines(view)?;
        let given = self.evidence.clone().unwrap_or_default();
        let shown = evidence::read_evidence(view, draft, task, &given.0)?;
        let id = WorkRecordRef::from(&task.id);
        let mut step =
            TransitionTarget { kind: Some(WorkKind::Task), id: &id, version: self.version };
        if task.status == WorkStatus::New {
            advance(draft, &pipelines, &step, &[])?;
            step.version = None;
        }
        let mut moved = advance(draft, &pipelines, &step, &shown.given)?;
        moved.from = task.status;
        if moved.to == WorkStatus::Closed {
            evidence::check(view, &pipelines, task, &shown)?;
        }
        Ok(moved)
    }

    /// Appends what was learnt to the atom that covers most of the task's files, or to a new one.
    fn record_learnt(
        &self,
        view: &View,
        draft: &mut WorkDraft<'_>,
        task: &Task,
        text: &KnowledgeText,
    ) -> Result<LearntNote> {
        let mut fields = KnowledgeFields {
            knowledge: Some(text.clone()),
            task: Some(WorkRecordRef::from(&task.id)),
            ..KnowledgeFields::default()
        };
        let touched = files_touched(view, draft, task)?.paths;
        let paths = match touched.is_empty() {
            true => files_of(view, draft, &WorkItem::Task(task.clone()))?,
            false => touched,
        };
        let (known, is_new) = if let Some(atom) = self.fitting_atom(view, draft, task, &paths)? {
            let files = matched_files(view, &atom.paths)?.to_vec();
            let id = WorkRecordRef::from(&atom.id);
            let grain = Some(KnowledgeKind::Atom);
            let target = KnowledgeTarget { grain, id: &id, version: atom.version };
            let mode = KnowledgeWriteMode::Append;
            (knowledge::update(draft, target, &fields, mode, Some(files))?, false)
        } else {
            if paths.is_empty() {
                return comment_learnt(draft, task, text);
            }
            let globs = paths.iter().take(MAX_ATOM_PATHS).map(|path| path.parse::<PathGlob>());
            let globs = globs.collect::<Result<Vec<_>, _>>().map_err(Problem::invalid)?;
            let patterns: Vec<String> = globs.iter().map(PathGlob::normalised).collect();
            let files = matched_files(view, &patterns)?.to_vec();
            fields.name = Some(task.title.parse().map_err(Problem::internal)?);
            fields.paths = Some(ListArg(globs));
            let project = WorkRecordRef::from(&task.project_id);
            let grain = KnowledgeKind::Atom;
            (knowledge::create(draft, grain, Some(&project), &fields, Some(files))?, true)
        };
        Ok(LearntNote { id: Some(known.id().clone()), name: known.name().to_owned(), is_new })
    }

    /// The atom that was named, or the one that covers most of some files. If several cover equally
    /// many, the one that covers fewer other files.
    fn fitting_atom(
        &self,
        view: &View,
        draft: &WorkDraft<'_>,
        task: &Task,
        paths: &[String],
    ) -> Result<Option<Atom>> {
        if let Some(asked) = &self.atom {
            return match knowledge::find(draft, Some(KnowledgeKind::Atom), asked)? {
                KnowledgeRecord::Atom(atom) => Ok(Some(atom)),
                KnowledgeRecord::Molecule(_) => Err(Problem::invalid("a molecule covers no files")),
            };
        }
        let page = KnowledgePage::all(0);
        let known = knowledge_about(view, draft, Some(&task.project_id), paths, page)?;
        let mut best: Option<(usize, std::cmp::Reverse<usize>, Atom)> = None;
        for matched in known.atoms() {
            let Some(atom) = draft.get::<Atom>(&matched.id)? else { continue };
            let covered = matched.matched_paths.len() + matched.more_matched_paths;
            let breadth = std::cmp::Reverse(matched_files(view, &atom.paths)?.len());
            let is_better =
                best.as_ref().is_none_or(|(count, width, _)| (covered, breadth) > (*count, *width));
            if is_better {
                best = Some((covered, breadth, atom));
            }
        }
        Ok(best.map(|(_, _, atom)| atom))
    }
}

/// Adds what was learnt as a comment on the task.
fn comment_learnt(
    draft: &mut WorkDraft<'_>,
    task: &Task,
    text: &KnowledgeText,
) -> Result<LearntNote> {
    let text = text.as_str().parse().map_err(Problem::invalid)?;
    comment(draft, &WorkItem::Task(task.clone()), &text)?;
    Ok(LearntNote { id: None, name: task.title.clone(), is_new: false })
}

impl Render for DoneAnswer {
    fn render(&self, page: &mut Page) {
        self.moved.render(page);
        // The first line of the started task already shows the progress of the feature.
        let is_told =
            self.started.as_ref().is_some_and(|started| started.is_in(self.progress.as_ref()));
        if let Some(progress) = self.progress.as_ref().filter(|_| !is_told) {
            page.say_handle(
                progress_words(Some(progress)).trim_start_matches([',', ' ']),
                progress.what.handle(),
            );
        }
        if let Some(learnt) = &self.learnt {
            let verb = if learnt.is_new { "recorded in the new atom" } else { "added to atom" };
            match &learnt.id {
                Some(id) => page.say_handle(
                    format!("learnt: {verb} \"{}\"", learnt.name),
                    format!("atom:{}", id.short()),
                ),
                None => page.say("learnt: stored as a comment, because the task names no files"),
            }
        }
        if let Some(hints) = &self.graph_hints {
            hints.render(page);
        }
        if let Some(started) = &self.started {
            page.blank();
            return started.render_task(page);
        }
        let Some(first) = self.next.first() else {
            page.say("Next: no task is ready to start");
            return;
        };
        page.heading("Next tasks");
        page.table(2, self.next.iter().map(super::record::row).collect());
        page.say_call("To start it:", NextCall::new("work.start").with("task", first.key.as_str()));
    }
}
