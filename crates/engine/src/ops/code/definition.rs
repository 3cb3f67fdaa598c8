//! `code.definition`: where a name leads.

use base::{EntityRef, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::places::{Asked, Found};
use crate::contract::alias::Alias;
use crate::contract::args::{Limit, Offset, Target};
use crate::contract::op::{Example, Query};
use crate::precise::{Absent, Places, Spot, Texts};
use crate::view::View;

/// Show where a name leads: the declaration behind an import or a use
///
/// Without a language server the index answers for symbols.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Symbol as path#name, or place as path:line:column
    pub target: Target,
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

impl Query for Definition {
    const NAME: &'static str = "code.definition";
    const ALIASES: &'static [Alias] =
        &[Alias::of("kart_definition").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "src/app.ts:12:7", shows: "what stands there, where it is declared" }];
    type Answer = Found;

    fn run(self, view: &View) -> Result<Found> {
        let spot = Spot::of_use(view, &self.target, self.line)?;
        let asked = Asked {
            method: ("textDocument/definition", "definitionProvider"),
            what: "definition",
            limit: self.limit,
            offset: self.offset,
        };
        match asked.server(view, &spot)? {
            Ok(found) => Ok(found),
            Err(absent) => from_index(view, &spot, &asked, absent),
        }
    }
}

/// The symbol that was named is declared where the index says; what stands somewhere is not known.
fn from_index(view: &View, spot: &Spot, asked: &Asked, absent: Absent) -> Result<Found> {
    let EntityRef::Symbol(path, name) = &spot.node else { return Err(absent.problem()) };
    let row = code::symbol(view.index()?.conn(), path, name.as_str())?;
    let line = row.map_or(1, |row| row.line);
    let place = Texts::new(view).line((path, line), spot.node.clone(), "exact")?;
    let places = Places { inside: vec![place], outside: Vec::new() };
    Ok(asked.found(spot, absent.by(), places))
}
