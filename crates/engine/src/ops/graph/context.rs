//! `graph.context`: what is known about some files.

use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::container::project;
use work::graph::context::Known;
use work::text::Many;

use super::show::Changes;
use super::shown::render_known;
use crate::contract::alias::Alias;
use crate::contract::op::{Example, Query};
use crate::contract::page::{Page, Render};
use crate::layers::work::{known_about, look, named_paths};
use crate::view::View;

/// Say what is known about some files: atoms that cover them, their molecules, and gaps
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Context {
    /// Files, folders or globs, with commas between them
    pub paths: Many<String>,
    /// Only of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<Ref>,
    /// With each atom's history; true if left out
    #[arg(long)]
    #[serde(default)]
    pub include_changelog: Option<bool>,
    /// Entries of it
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub changelog_limit: Changes,
}

impl Query for Context {
    const NAME: &'static str = "graph.context";
    const ALIASES: &'static [Alias] = &[Alias::of("query_graph").when("operation", "context")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "src/a.ts,src/b.ts", shows: "what others learnt about two files" }];
    type Answer = Known;

    fn run(self, view: &View) -> Result<Known> {
        if self.paths.0.is_empty() {
            return Err(Problem::invalid("`paths` is empty").hint("name one or more files"));
        }
        self.paths.0.iter().try_for_each(|path| view.confine(path))?;
        let changes = match self.include_changelog {
            Some(false) => 0,
            _ => self.changelog_limit.get(),
        };
        let paths = named_paths(view, &self.paths.0)?;
        look(view, |draft| {
            let scope = self.project.as_ref().map(|id| project(draft, Some(id))).transpose()?;
            let scope = scope.as_ref().map(|project| &project.id);
            known_about(view, draft, (scope, &paths), changes)
        })
    }
}

impl Render for Known {
    fn render(&self, page: &mut Page) {
        let (atoms, gaps) = (self.atoms().count(), self.unmatched_paths.len());
        page.answer(match atoms {
            0 => format!("Nothing is written down about these {gaps} paths"),
            _ => format!("{atoms} atoms know about these paths; {gaps} paths are uncovered"),
        });
        render_known(page, self);
    }
}
