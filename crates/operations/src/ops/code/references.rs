//! `code.references`: every use of a symbol.

use base::Result;
use clap::Args;
use code::SymbolRelation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::locations::{LocationQuery, LocationsAnswer, used_by};
use crate::language_server::{
    CodeLocations, LanguageServer, LspRequest, MissingServer, ParsedFileCache, TargetPosition,
};
use engine::contract::alias::OpAlias;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::view::View;

/// Show every use of a symbol
///
/// Asks the language server; without one the index answers, with its confidence.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct References {
    /// Symbol as path#name, or place as path:line:column
    pub target: NodeTarget,
    /// Line of that file where it is used, from 1
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

impl Query for References {
    const NAME: &'static str = "code.references";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_references").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/session.ts#Session.refresh", shows: "who uses a method" }];
    type Answer = LocationsAnswer;

    fn run(self, view: &View) -> Result<LocationsAnswer> {
        let spot = TargetPosition::of_use(view, &self.target, self.line)?;
        let asked = LocationQuery {
            request: LspRequest {
                method: "textDocument/references",
                capability: "referencesProvider",
            },
            noun: "reference",
            limit: self.limit,
            offset: self.offset,
        };
        match from_server(view, &spot, &asked)? {
            Ok(found) => Ok(found),
            Err(absent) => from_index(view, &spot, &asked, absent),
        }
    }
}

fn from_server(
    view: &View,
    spot: &TargetPosition,
    asked: &LocationQuery,
) -> Result<Result<LocationsAnswer, MissingServer>> {
    let server = match LanguageServer::open_for_all(view, &spot.path, spot.language)? {
        Ok(server) => server,
        Err(absent) => return Ok(Err(absent)),
    };
    server.open_projects_mentioning(spot)?;
    let mut params = server.at(spot);
    params["context"] = json!({"includeDeclaration": false});
    match server.ask(asked.request, &params)? {
        Ok(answer) => {
            let places = ParsedFileCache::new(view).places(&answer, server.encoding())?;
            Ok(Ok(asked.answer(spot, server.by(), places)))
        }
        Err(absent) => Ok(Err(absent)),
    }
}

fn from_index(
    view: &View,
    spot: &TargetPosition,
    asked: &LocationQuery,
    absent: MissingServer,
) -> Result<LocationsAnswer> {
    let ((places, by), unsure) = used_by(view, spot, &SymbolRelation::ALL, absent)?;
    let mut found = asked.answer(spot, by, CodeLocations { inside: places, outside: Vec::new() });
    found.notes.push("Each symbol that uses it is listed once".into());
    if unsure > 0 {
        found
            .notes
            .push(format!("{unsure} more calls match by name only, on values of unknown type"));
    }
    Ok(found)
}
