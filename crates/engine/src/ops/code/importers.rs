//! `code.importers`: who takes something from a file, also through files that hand it on.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, RepoPath, Result};
use clap::Args;
use code::Imported;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::imports::module;
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::graph;
use crate::index::tables;
use crate::view::View;

/// Show who imports a file, also through barrels and re-exports
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Importers {
    /// File
    pub path: Target,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to pass over
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub offset: Offset,
}

/// Who imports a file
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImporterList {
    /// The file
    pub node: EntityRef,
    /// The files that import it
    pub importers: Vec<Importer>,
    /// How many files were read to know that
    pub files: u64,
    #[serde(skip)]
    paging: Paging,
}

/// One file that imports another
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Importer {
    /// The file
    pub node: EntityRef,
    /// The names it takes
    pub names: Vec<String>,
    /// The line
    pub line: u32,
    /// The file that hands it on, if it does not import it directly
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<EntityRef>,
}

impl Query for Importers {
    const NAME: &'static str = "code.importers";
    const ALIASES: &'static [Alias] = &[Alias::of("kart_importers")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "src/lib.rs", shows: "every file that takes something from it" }];
    type Answer = ImporterList;

    fn run(self, view: &View) -> Result<ImporterList> {
        let node = graph::resolve(view, &self.path)?;
        let all = importers(view, module(&node)?)?;
        let (importers, paging) = Paging::cut(all, self.offset, self.limit);
        let files = tables::count_files(view.index()?.conn())?;
        Ok(ImporterList { node, importers, files, paging })
    }
}

/// Follows files that hand on what they import, each once.
pub(super) fn importers(view: &View, path: &RepoPath) -> Result<Vec<Importer>> {
    let conn = view.index()?.conn();
    let mut found: BTreeMap<RepoPath, Importer> = BTreeMap::new();
    let mut seen = BTreeSet::from([path.clone()]);
    let mut queue = vec![(path.clone(), None)];
    while let Some((target, through)) = queue.pop() {
        for import in code::importers(conn, &target)? {
            if matches!(import.kind.as_str(), "ReExport" | "PubUse")
                && seen.insert(import.path.clone())
            {
                queue.push((import.path.clone(), Some(view.node(&import.path))));
            }
            let taken = import.names.iter().map(|taken| taken.0.clone());
            let known = found.entry(import.path.clone());
            let known = known.or_insert_with(|| importer(view, &import, through.clone()));
            known.names.extend(taken);
            known.names.sort();
            known.names.dedup();
        }
    }
    found.remove(path);
    let mut all: Vec<Importer> = found.into_values().collect();
    all.sort_by(|a, b| (a.through.is_some(), &a.node).cmp(&(b.through.is_some(), &b.node)));
    Ok(all)
}

fn importer(view: &View, import: &Imported, through: Option<EntityRef>) -> Importer {
    Importer { node: view.node(&import.path), names: Vec::new(), line: import.line, through }
}

impl Render for ImporterList {
    fn render(&self, page: &mut Page) {
        let total = self.paging.total;
        page.answer(match total {
            0 => format!("No importers of {}. All {} files were read", self.node, self.files),
            1 => format!("1 file imports {}", self.node),
            _ => format!("{total} files import {}", self.node),
        });
        let cells = |importer: &Importer| {
            let through = importer.through.as_ref().map(|node| format!("through {node}"));
            vec![
                Cell::faint(importer.line),
                Cell::text(importer.names.join(", ")),
                Cell::faint(through.unwrap_or_default()),
                Cell::handle(&importer.node),
            ]
        };
        page.table(0, self.importers.iter().map(cells).collect());
        let again = format!("code importers {}", self.node);
        self.paging.say_rest(page, self.importers.len(), again);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
