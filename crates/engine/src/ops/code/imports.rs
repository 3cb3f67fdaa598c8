//! `code.imports`: what a file takes from others.

use base::{EntityRef, Problem, Result};
use clap::Args;
use code::Imported;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use super::importers::how;
use super::unread;
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::graph;
use crate::view::View;

/// Show what a file imports, and which files those are
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Imports {
    /// File whose imports to list
    pub path: Target,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// What a file imports
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportList {
    /// The file
    pub node: EntityRef,
    /// Its imports, in source order
    pub imports: Vec<Import>,
    /// How many of all are of files in this repository
    pub own: usize,
    #[serde(skip)]
    paging: Paging,
}

/// One import
#[derive(Debug, Serialize, JsonSchema)]
pub struct Import {
    /// What is asked for, as written
    pub specifier: String,
    /// The names that are taken
    pub names: Vec<String>,
    /// Whether only types are taken
    pub type_only: bool,
    /// The line
    pub line: u32,
    /// How, where it is not a plain import: `re-export`, `dynamic`, `require`, `types`, `mod`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<&'static str>,
    /// The file that is meant, if it is one of the repository's
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<EntityRef>,
}

impl Query for Imports {
    const NAME: &'static str = "code.imports";
    const ALIASES: &'static [Alias] = &[Alias::of("kart_imports")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "src/main.rs", shows: "what a file takes from others" }];
    type Answer = ImportList;

    fn run(self, view: &View) -> Result<ImportList> {
        let node = graph::resolve(view, &self.path)?;
        let path = module(&node)?;
        let imports = code::imports(view.index()?.conn(), path)?;
        let own = imports.iter().filter(|import| import.target.is_some()).count();
        unread::itself(view, path)?;
        let (imports, paging) = Paging::cut(imports, self.offset, self.limit);
        let imports = imports.into_iter().map(|import| row(view, import)).collect();
        Ok(ImportList { node, imports, own, paging })
    }
}

/// The path of a file of code.
pub(super) fn module(node: &EntityRef) -> Result<&base::RepoPath> {
    match node {
        EntityRef::Module(path) => Ok(path),
        other => {
            Err(Problem::invalid(format!("{other} is not a file of code"))
                .hint("name a source file"))
        }
    }
}

pub(super) fn row(view: &View, import: Imported) -> Import {
    Import {
        target: import.target.map(|target| match Language::of(&import.path) {
            Some(Language::Go) => EntityRef::Dir(target), // a package is a folder
            _ => view.node(&target),
        }),
        how: how(&import.kind, import.type_only),
        specifier: import.specifier,
        names: import.names.into_iter().map(|taken| taken.0).collect(),
        type_only: import.type_only,
        line: import.line,
    }
}

impl Render for ImportList {
    fn render(&self, page: &mut Page) {
        let (node, count, own) = (&self.node, self.paging.total, self.own);
        page.answer(format!("{count} imports in {node}, {own} of files in this repository"));
        let cells = |import: &Import| {
            let names = import.names.join(", ");
            let target = import.target.as_ref().map(ToString::to_string).unwrap_or_default();
            vec![
                Cell::faint(import.line),
                Cell::text(&import.specifier),
                Cell::text(names),
                Cell::handle(target),
            ]
        };
        page.table(0, self.imports.iter().map(cells).collect());
        self.paging.say_rest(page, self.imports.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
