//! `work.import`: imports work from files of cairn and of other trackers.

use base::words::counted;
use base::{Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use work::WorkRecordRef;
use work::plan::import::{ImportFile, ImportFormat, backlog, detect, read};
use work::plan::{AppliedPlan, PlanOptions, apply};
use work::rows::{ImportedRows, import_rows};

use super::plan::{read_path, render_applied, repository_name};
use engine::areas::files::all_paths;
use engine::areas::work::{pipelines, plan, plan_rows};
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::graph;
use engine::plan::Plan;
use engine::view::View;

/// Import work: a plan, a checklist, GitHub issues, beads, Backlog.md, task-master, or an export
///
/// Work that was imported before is updated, not duplicated. Relations that cannot be made are listed.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// File of the repository, or the folder of a backlog
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Text to import, instead of a file
    #[arg(long, conflicts_with = "path", allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub text: Option<String>,
    /// Format of the file; detected if left out
    #[arg(long)]
    #[serde(default)]
    pub format: Option<ImportFormat>,
    /// Project that gets the work; created if there is none
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    #[schemars(extend("x-rare" = true))]
    pub project: Option<WorkRecordRef>,
}

/// What was imported
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportAnswer {
    /// The format of what was imported
    pub format: ImportFormat,
    /// What was created and changed, for all formats except rows
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<AppliedPlan>,
    /// How many rows were imported, for rows of a store
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<ImportedRows>,
    #[serde(skip)]
    is_made: bool,
}

impl Mutation for Import {
    const NAME: &'static str = "work.import";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: ".beads/issues.jsonl --dry-run", shows: "what beads would bring" },
        OpExample { args: "backlog", shows: "the tasks of a Backlog.md folder" },
    ];
    type Answer = ImportAnswer;

    fn plan(self, view: &View) -> Result<Plan<ImportAnswer>> {
        let files = self.files(view)?;
        let format = self.format.map_or_else(|| detect(&files), Ok)?;
        if format == ImportFormat::Rows {
            return plan_export(view, &files);
        }
        let document = read(format, &files)?;
        let (pipelines, name) = (pipelines(view)?, repository_name(view));
        let told = |done: &ImportAnswer| {
            let items = done.plan.as_ref().map_or(0, |plan| plan.created + plan.changed);
            format!("import {} from {}", counted(items, "record"), done.format)
        };
        plan(view, told, |draft| {
            let options = PlanOptions {
                project: self.project.as_ref(),
                new_project_name: &name,
                is_lenient: format != ImportFormat::Plan,
            };
            let applied = apply(draft, &pipelines, &document, options)?;
            Ok(ImportAnswer { format, plan: Some(applied), rows: None, is_made: false })
        })
    }

    fn committed(_: &View, answer: &mut ImportAnswer) {
        answer.is_made = true;
    }
}

impl Import {
    fn files(&self, view: &View) -> Result<Vec<ImportFile>> {
        if let Some(text) = &self.text {
            return Ok(vec![ImportFile { path: String::new(), text: text.clone() }]);
        }
        let Some(asked) = &self.path else {
            return Err(Problem::invalid("missing `path` or `text`"));
        };
        let node = graph::resolve(view, asked)?;
        let path = node.path().ok_or_else(|| Problem::invalid(format!("{node} is not a file")))?;
        let below: Vec<RepoPath> = all_paths(view)?
            .into_iter()
            .filter(|one| one != path && one.is_at_or_below(path))
            .collect();
        if below.is_empty() {
            return Ok(vec![ImportFile { path: file_name(path), text: read_path(view, path)? }]);
        }
        let is_task = |one: &&RepoPath| {
            let text = one.to_string();
            let folder = text.rsplit('/').nth(1).unwrap_or_default();
            text.to_lowercase().ends_with(".md")
                && (backlog::FOLDERS.contains(&folder) || one.parent().as_ref() == Some(path))
        };
        let mut files = Vec::new();
        for one in below.iter().filter(is_task) {
            files.push(ImportFile { path: file_name(one), text: read_path(view, one)? });
        }
        if files.is_empty() {
            return Err(Problem::not_found(format!("no task of Backlog.md below `{path}`")));
        }
        Ok(files)
    }
}

/// The path of a file as it is on disk, so that an export gives the file its name back. A handle
/// writes signs such as `#` in another way; so does a name that is not UTF-8.
fn file_name(path: &RepoPath) -> String {
    path.to_relative().to_str().map_or_else(|| path.to_string(), ToOwned::to_owned)
}

/// Plans the rows of an export of a store.
fn plan_export(view: &View, files: &[ImportFile]) -> Result<Plan<ImportAnswer>> {
    let text: String = files.iter().map(|file| file.text.as_str()).collect();
    let json: Value = serde_json::from_str(&text)
        .map_err(|error| Problem::invalid("the export is not JSON").with_source(error))?;
    let told = |done: &ImportAnswer| {
        let count = done.rows.as_ref().map_or(0, |rows| rows.added);
        format!("import {}", counted(count, "row"))
    };
    plan_rows(view, told, |draft| {
        let rows = import_rows(draft, &json)?;
        Ok(ImportAnswer {
            format: ImportFormat::Rows,
            plan: None,
            rows: Some(rows),
            is_made: false,
        })
    })
}

impl Render for ImportAnswer {
    fn render(&self, page: &mut Page) {
        if let Some(plan) = &self.plan {
            render_applied(page, plan, self.is_made);
        }
        if let Some(rows) = &self.rows {
            page.answer(format!(
                "{} added, {} already existed",
                counted(rows.added, "row"),
                rows.known
            ));
            if !rows.different.is_empty() {
                page.heading("Existing rows that differ and were kept");
                rows.different.iter().for_each(|row| page.say(format!("  {row}")));
            }
        }
    }

    fn shows_change(&self) -> bool {
        true
    }
}
