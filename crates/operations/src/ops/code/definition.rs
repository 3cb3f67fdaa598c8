//! `code.definition`: where a name is declared.

use base::{EntityRef, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::locations::{LocationQuery, LocationsAnswer};
use crate::language_server::{
    CodeLocations, LspRequest, MissingServer, ParsedFileCache, TargetPosition,
};
use engine::contract::alias::OpAlias;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::view::View;

/// Show where a name is declared: the declaration behind an import or a use
///
/// Without a language server the index answers for symbols.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Symbol as path#name, or place as path:line:column
    pub target: NodeTarget,
    /// Line of the use in that file, counted from 1, if the target names a symbol
    #[arg(long)]
    #[serde(default)]
    pub line: Option<u32>,
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

impl Query for Definition {
    const NAME: &'static str = "code.definition";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_definition").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/app.ts:12:7", shows: "the declaration of the name at a place" }];
    type Answer = LocationsAnswer;

    fn run(self, view: &View) -> Result<LocationsAnswer> {
        let target_position = TargetPosition::of_use(view, &self.target, self.line)?;
        let asked = LocationQuery {
            request: LspRequest {
                method: "textDocument/definition",
                capability: "definitionProvider",
            },
            noun: "definition",
            limit: self.limit,
            offset: self.offset,
        };
        match asked.ask_server(view, &target_position)? {
            Ok(found) => Ok(found),
            Err(absent) => from_index(view, &target_position, &asked, absent),
        }
    }
}

/// The index knows where a named symbol is declared, but not which name is at a line and column.
fn from_index(
    view: &View,
    target_position: &TargetPosition,
    asked: &LocationQuery,
    absent: MissingServer,
) -> Result<LocationsAnswer> {
    let EntityRef::Symbol(path, name) = &target_position.node else {
        return Err(absent.into_problem());
    };
    let row = code::symbol(view.index()?.conn(), path, name.as_str())?;
    let line = row.map_or(1, |row| row.line);
    let place = ParsedFileCache::new(view).location_of_line(
        path,
        line,
        target_position.node.clone(),
        "exact",
    )?;
    let places = CodeLocations { inside: vec![place], outside: Vec::new() };
    Ok(asked.answer(target_position, absent.by(), places))
}
