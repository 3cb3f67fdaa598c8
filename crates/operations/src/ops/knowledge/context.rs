//! `knowledge.context`: the knowledge about some files.

use base::words::counted;
use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::container::project_if_any;
use work::knowledge::context::{KnowledgePage, PathKnowledge};
use work::text::ListArg;
use work::words::KnowledgeKind;

use super::details::{render_known, render_unmatched};
use super::show::ChangelogLimit;
use engine::areas::work::{expand_paths, knowledge_about, read_store};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

/// Show the knowledge about some files: atoms that cover them, their molecules, and gaps
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Context {
    /// Files, folders or globs, separated by commas
    pub paths: ListArg<String>,
    /// Id or name of the project; needed only if there are several
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Only atoms or only molecules; both if left out
    #[arg(long)]
    #[serde(default, alias = "entity_type")]
    pub kind: Option<KnowledgeKind>,
    /// Show the changelog of each atom; true if left out
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub include_changelog: Option<bool>,
    /// Changelog entries to show for each
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub changelog_limit: ChangelogLimit,
    /// Atoms to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Atoms to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Knowledge about some paths, one page of it
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnowledgeContextAnswer {
    /// The knowledge
    #[serde(flatten)]
    pub known: PathKnowledge,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    shown: usize,
}

impl Query for Context {
    const NAME: &'static str = "knowledge.context";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("query_graph").when("operation", "context")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/a.ts,src/b.ts", shows: "what others learnt about two files" }];
    type Answer = KnowledgeContextAnswer;

    fn run(self, view: &View) -> Result<KnowledgeContextAnswer> {
        if self.paths.0.is_empty() {
            return Err(Problem::invalid("`paths` is empty").hint("name one or more files"));
        }
        self.paths.0.iter().try_for_each(|path| view.paths().check_inside(path))?;
        let changelog_limit = self.changelog_limit.entry_count(self.include_changelog);
        let (offset, limit) = (self.offset.get(), self.limit.get());
        let paths = expand_paths(view, &self.paths.0)?;
        let mut known = read_store(view, |draft| {
            let project = project_if_any(draft, self.project.as_ref())?;
            let project = project.as_ref().map(|project| &project.id);
            knowledge_about(
                view,
                draft,
                project,
                &paths,
                KnowledgePage { offset, limit, changelog_limit },
            )
        })?;
        let shown = known.atoms().count();
        let paging =
            Paging { offset: offset as u64, limit: limit as u64, total: known.total_atoms as u64 };
        match self.kind {
            Some(KnowledgeKind::Atom) => {
                known.molecules.iter_mut().for_each(|one| one.knowledge.clear());
            }
            Some(KnowledgeKind::Molecule) => {
                known.orphan_atoms.clear();
                known.molecules.iter_mut().for_each(|one| one.atoms.clear());
            }
            None => {}
        }
        Ok(KnowledgeContextAnswer { known, paging, shown })
    }
}

impl Render for KnowledgeContextAnswer {
    fn render(&self, page: &mut Page) {
        let gaps = self.known.unmatched_paths.len() + self.known.more_unmatched_paths;
        let gaps = counted(gaps, "path");
        page.answer(match self.known.total_atoms {
            0 => format!("No atom covers {gaps}"),
            atoms => format!("{} about these paths; no atom covers {gaps}", counted(atoms, "atom")),
        });
        match self.known.total_atoms {
            0 => render_unmatched(page, &self.known), // the line above says what they are
            _ => render_known(page, &self.known),
        }
        self.paging.render_rest(page, self.shown);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
