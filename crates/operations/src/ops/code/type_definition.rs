//! `code.type_definition`: where the type of a value is declared, as the language server knows.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::locations::{LocationQuery, LocationsAnswer};
use crate::language_server::LspRequest;
use crate::language_server::TargetPosition;
use engine::contract::alias::OpAlias;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::view::View;

/// Show where the type of a value is declared
///
/// Asks the language server: the index does not infer types.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TypeDefinition {
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

impl Query for TypeDefinition {
    const NAME: &'static str = "code.type_definition";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_type_definition").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/app.ts:12:7", shows: "the type of the value at a place" }];
    type Answer = LocationsAnswer;

    fn run(self, view: &View) -> Result<LocationsAnswer> {
        let target_position = TargetPosition::of_use(view, &self.target, self.line)?;
        let asked = LocationQuery {
            request: LspRequest {
                method: "textDocument/typeDefinition",
                capability: "typeDefinitionProvider",
            },
            noun: "type definition",
            limit: self.limit,
            offset: self.offset,
        };
        asked
            .ask_server(view, &target_position)?
            .map_err(crate::language_server::MissingServer::into_problem)
    }
}
