//! `code.implementation`: what implements something.

use base::Result;
use clap::Args;
use code::Relation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::places::{Asked, Found, used_by};
use crate::contract::alias::Alias;
use crate::contract::args::{Limit, Offset, Target};
use crate::contract::op::{Example, Query};
use crate::precise::{Absent, Places, Spot};
use crate::view::View;

/// Show what implements an interface, trait or abstract method
///
/// Without a language server the index answers from what types declare.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Implementation {
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

impl Query for Implementation {
    const NAME: &'static str = "code.implementation";
    const ALIASES: &'static [Alias] =
        &[Alias::of("kart_implementation").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "src/store.ts#Store", shows: "the classes that implement it" }];
    type Answer = Found;

    fn run(self, view: &View) -> Result<Found> {
        let spot = Spot::of_use(view, &self.target, self.line)?;
        let asked = Asked {
            method: ("textDocument/implementation", "implementationProvider"),
            what: "implementation",
            limit: self.limit,
            offset: self.offset,
        };
        match asked.server(view, &spot)? {
            Ok(found) => Ok(found),
            Err(absent) => from_index(view, &spot, &asked, absent),
        }
    }
}

/// Types and methods that say what they implement or extend.
fn from_index(view: &View, spot: &Spot, asked: &Asked, absent: Absent) -> Result<Found> {
    let relations = [Relation::Implements, Relation::Extends];
    let ((places, by), _) = used_by(view, spot, &relations, absent)?;
    Ok(asked.found(spot, by, Places { inside: places, outside: Vec::new() }))
}
