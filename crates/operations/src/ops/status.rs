//! `status`: what is indexed, how fresh it is, and where each store lives.

use std::path::Path;

use base::words::counted;
use base::{NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::matrix::MatrixSummary;
use super::team::status::summary_line;
use engine::durable::team::TeamOverview;

use super::sync::{NamedCount, counts, counts_text};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::durable::branches::SET_DEFAULT_BRANCH;
use engine::index::tables;
use engine::spec_links::trace_matrix;
use engine::view::View;

/// Show what is indexed, how fresh it is and where each store is
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {}

/// The state of the workspace
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatusAnswer {
    /// Files of the project
    pub files: u64,
    /// Files that differ from the checked-out commit
    pub edited: u64,
    /// Files by language
    pub languages: Vec<NamedCount>,
    /// How many requirements and cards have code and tests; absent if there are none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specs: Option<MatrixSummary>,
    /// What was left out, by reason
    pub left_out: Vec<NamedCount>,
    /// Whether `init` has been run here
    pub initialised: bool,
    /// Mistakes in `cairn.jsonc`
    pub config: Vec<String>,
    /// Where data is kept
    pub stores: Vec<StoreRow>,
    /// The last change that cairn made to files; 0 if it made none
    pub last_change: u64,
    /// The branch whose knowledge base new branches start from; none without git
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_branch: Option<String>,
    /// What is wrong with the default branch
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_branch_problem: Option<String>,
    /// The team that shares the durable stores, if this clone has joined one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamOverview>,
}

/// A file that cairn keeps
#[derive(Debug, Serialize, JsonSchema)]
pub struct StoreRow {
    /// What it is
    pub name: String,
    /// Whether it is a cache, which is safe to delete
    pub derived: bool,
    /// Where it is: below the repository's root or below git's folder
    pub place: String,
    /// Bytes on disk; none if it does not exist yet
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl Query for Status {
    const NAME: &'static str = "status";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "the state of this repository" }];
    type Answer = StatusAnswer;

    fn run(self, view: &View) -> Result<StatusAnswer> {
        let conn = view.index()?.conn();
        let default = view.store_locations()?.default_branch();
        Ok(StatusAnswer {
            files: tables::count_files(conn)?,
            edited: tables::count_edited(conn)?,
            languages: counts(tables::language_counts(conn)?),
            specs: specs(view)?,
            left_out: counts(tables::skipped_counts(conn)?),
            initialised: view.tree().root().join(".cairn/schema/version").is_file(),
            config: view.config_findings().iter().map(ToString::to_string).collect(),
            stores: stores(view)?,
            last_change: view.journal().last_number(),
            default_branch: default.map(|default| default.name.clone()),
            default_branch_problem: default_branch_problem(view)?,
            team: view.team().short_overview(view.call())?,
        })
    }
}

/// The counts of requirements and cards; `None` if there are none.
fn specs(view: &View) -> Result<Option<MatrixSummary>> {
    let summary = MatrixSummary::of(&trace_matrix(view)?);
    Ok((summary.requirements + summary.cards > 0).then_some(summary))
}

/// A problem with the default branch.
fn default_branch_problem(view: &View) -> Result<Option<String>> {
    let (Some(git), Some(default)) = (view.git(), view.store_locations()?.default_branch()) else {
        return Ok(None);
    };
    default.missing_warning(git, view.call())
}

fn stores(view: &View) -> Result<Vec<StoreRow>> {
    let homes = view.data_folders();
    let index = view.index_path();
    let row = |name: &str, derived: bool, path: &Path| StoreRow {
        name: name.into(),
        derived,
        place: place(view, path),
        bytes: std::fs::metadata(path).ok().map(|known| known.len()),
    };
    let derived = index.iter().map(|path| row("index", true, path));
    let facts = row("facts", true, &homes.facts);
    let durables = view.durables().into_iter();
    let kept = view.store_locations()?;
    let durable = durables.map(|store| row(store.name, false, &kept.read_path(&store)));
    let files = view.follower_paths();
    let followed = files.iter().map(|(name, path)| row(name, true, path));
    Ok(derived.chain([facts]).chain(followed).chain(durable).collect())
}

/// A path without the part outside the repository, which is private.
fn place(view: &View, path: &Path) -> String {
    let root = view.tree().root();
    let shared = view.git().map(|git| git.layout().common_dir.clone());
    let below = |base: &Path, name: &str| {
        path.strip_prefix(base).ok().map(|rest| format!("{name}{}", rest.display()))
    };
    // A linked worktree has no folder `.git` of its own.
    let own = shared.as_deref().is_some_and(|shared| shared.starts_with(root));
    let git = if own { ".git/" } else { "<common git folder>/" };
    let in_git = shared.as_deref().and_then(|shared| below(shared, git));
    in_git.or_else(|| below(root, "")).unwrap_or_else(|| path.display().to_string())
}

impl Render for StatusAnswer {
    fn render(&self, page: &mut Page) {
        let edited = match self.edited {
            0 => "none edited".into(),
            edited => format!("{edited} edited"),
        };
        page.answer(format!("{} indexed, {edited}", counted(self.files, "file")));
        if !self.languages.is_empty() {
            page.item("languages", counts_text(&self.languages));
        }
        if let Some(specs) = &self.specs {
            page.item("specs", specs.sentence());
        }
        if !self.left_out.is_empty() {
            page.item("left out", counts_text(&self.left_out));
        }
        let stores = self.stores.iter().map(|store| {
            let bytes = store
                .bytes
                .map_or("not created yet".into(), |bytes| format!("{} KB", bytes / 1024));
            let kind = if store.derived { "derived" } else { "durable" };
            vec![
                PageCell::text(&store.name),
                PageCell::text(kind),
                PageCell::text(bytes),
                PageCell::handle(&store.place),
            ]
        });
        page.table(0, stores.collect());
        if let Some(team) = &self.team {
            page.item("team", summary_line(team));
        }
        for finding in &self.config {
            page.item("cairn.jsonc", finding);
        }
        if let Some(problem) = &self.default_branch_problem {
            page.item("default branch", format!("{problem}; {SET_DEFAULT_BRANCH}"));
        }
        if !self.initialised {
            page.say_call(
                "Not set up: agents and git hooks do not use cairn here yet",
                NextCall::new("init"),
            );
        }
    }
}
