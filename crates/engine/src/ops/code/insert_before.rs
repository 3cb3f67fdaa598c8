//! `code.insert_before`: a text before a symbol.

use base::{Hash, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::edit::Edit;

use crate::contract::alias::Alias;
use crate::contract::args::Target;
use crate::contract::op::{Effect, Example, Mutation};
use crate::layers::code::edit::{Content, Declared, Edited, Format, lint};
use crate::plan::Plan;
use crate::view::View;

/// Insert code before a symbol, at its level
///
/// Its doc comment and attributes belong to it. What would not parse is refused.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InsertBefore {
    /// Symbol, as path#name
    pub target: Target,
    /// Declarations to insert
    #[arg(long)]
    pub content: Content,
    /// Whether to run the project's formatter, where it leaves the rest alone
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub format: Format,
    /// Only if the file still has this hash
    #[arg(long)]
    #[serde(default)]
    pub if_hash: Option<Hash>,
}

impl Mutation for InsertBefore {
    const NAME: &'static str = "code.insert_before";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [Alias] =
        &[Alias::of("kart_insert_before").joining(["file|path", "symbol", "#", "target"])];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "src/session.ts#Session.refresh --content 'refresh() {}' --dry-run",
        shows: "what it would look like",
    }];
    type Answer = Edited;

    fn plan(self, view: &View) -> Result<Plan<Edited>> {
        let declared = Declared::find(view, &self.target, self.if_hash)?;
        declared.plan(
            view,
            (Edit::InsertBefore(self.content.as_str()), "Inserted before"),
            self.format,
        )
    }

    fn committed(view: &View, answer: &mut Edited) {
        lint(view, answer);
    }
}
