//! Suggestions for knowledge to record after a finished task.

use base::Result;
use base::words::counted;
use schemars::JsonSchema;
use serde::Serialize;
use work::knowledge::context::KnowledgePage;
use work::record::Task;
use work::{WorkDraft, WorkItem, WorkRecordId};

use engine::areas::work::{files_of, files_touched, knowledge_about};
use engine::contract::page::{Page, PageCell};
use engine::view::View;

/// How many paths a page shows.
const MAX_SHOWN_PATHS: usize = 12;

/// Knowledge to record now
#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphHints {
    /// Introduction
    pub message: String,
    /// Suggested actions
    pub suggested_actions: Vec<String>,
    /// Commits of this task that were found
    pub commits: usize,
    /// Atoms that cover files of this task
    pub atoms: Vec<AtomHint>,
    /// Files of this task that no atom covers
    pub uncovered_paths: Vec<String>,
}

/// An atom that may be out of date
#[derive(Debug, Serialize, JsonSchema)]
pub struct AtomHint {
    /// Its id
    pub id: WorkRecordId,
    /// Its name
    pub name: String,
    /// Files of this task that it covers
    pub paths: Vec<String>,
    /// How much the covered code changed since it was written
    pub drift: String,
}

/// Matches the files that the task's commits touched, or else those it names, with the atoms.
pub(super) fn hints(view: &View, draft: &WorkDraft<'_>, task: &Task) -> Result<GraphHints> {
    let found = files_touched(view, draft, task)?;
    let paths = match found.commits.len() {
        0 => files_of(view, draft, &WorkItem::Task(task.clone()))?,
        _ => found.paths,
    };
    let known =
        knowledge_about(view, draft, Some(&task.project_id), &paths, KnowledgePage::all(0))?;
    let atom = |atom: &work::knowledge::context::MatchedAtom| AtomHint {
        id: atom.id.clone(),
        name: atom.name.clone(),
        paths: atom.matched_paths.clone(),
        drift: atom
            .drift
            .as_ref()
            .map(work::knowledge::drift::KnowledgeDrift::describe)
            .unwrap_or_default(),
    };
    let actions = [
        "Update atom knowledge for areas affected by this task",
        "Update atom paths if files were moved or new directories created",
        "Append changelog entries for significant changes",
    ];
    Ok(GraphHints {
        message: "Task completed. Consider updating atoms and molecules.".into(),
        suggested_actions: actions.map(ToOwned::to_owned).to_vec(),
        commits: found.commits.len(),
        atoms: known.atoms().map(atom).collect(),
        uncovered_paths: known.unmatched_paths,
    })
}

impl GraphHints {
    /// Renders the suggestions below the transition.
    pub(super) fn render(&self, page: &mut Page) {
        page.heading("Knowledge to record");
        self.suggested_actions.iter().for_each(|action| page.say(format!("  {action}")));
        let cells = |atom: &AtomHint| {
            let name = PageCell::text(format!("\"{}\"", atom.name));
            let files =
                format!("{} of this task; {}", counted(atom.paths.len(), "file"), atom.drift);
            vec![
                name,
                PageCell::faint(files),
                PageCell::handle(format!("atom:{}", atom.id.short())),
            ]
        };
        page.table(2, self.atoms.iter().map(cells).collect());
        if !self.uncovered_paths.is_empty() {
            let shown: Vec<&str> =
                self.uncovered_paths.iter().take(MAX_SHOWN_PATHS).map(String::as_str).collect();
            let more = match self.uncovered_paths.len().saturating_sub(MAX_SHOWN_PATHS) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            page.say(format!("  No atom covers {}{more}", shown.join(", ")));
        }
    }
}
