//! `code.implementation`: the implementations of an interface, trait or method.

use base::Result;
use clap::Args;
use code::SymbolRelation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::locations::{LocationQuery, LocationsAnswer, used_by};
use crate::language_server::{CodeLocations, LspRequest, MissingServer, TargetPosition};
use engine::contract::alias::OpAlias;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::view::View;

/// Show what implements an interface, trait or abstract method
///
/// Without a language server the index answers from declared types.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Implementation {
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

impl Query for Implementation {
    const NAME: &'static str = "code.implementation";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_implementation").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/store.ts#Store", shows: "the classes that implement it" }];
    type Answer = LocationsAnswer;

    fn run(self, view: &View) -> Result<LocationsAnswer> {
        let target_position = TargetPosition::of_use(view, &self.target, self.line)?;
        let asked = LocationQuery {
            request: LspRequest {
                method: "textDocument/implementation",
                capability: "implementationProvider",
            },
            noun: "implementation",
            limit: self.limit,
            offset: self.offset,
        };
        match asked.ask_server(view, &target_position)? {
            Ok(found) => Ok(found),
            Err(absent) => from_index(view, &target_position, &asked, absent),
        }
    }
}

/// Types and methods that declare what they implement or extend.
fn from_index(
    view: &View,
    target_position: &TargetPosition,
    asked: &LocationQuery,
    absent: MissingServer,
) -> Result<LocationsAnswer> {
    let relations = [SymbolRelation::Implements, SymbolRelation::Extends];
    let ((places, by), _) = used_by(view, target_position, &relations, absent)?;
    Ok(asked.answer(target_position, by, CodeLocations { inside: places, outside: Vec::new() }))
}
