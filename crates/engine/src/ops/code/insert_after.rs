//! `code.insert_after`: a text after a symbol.

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

/// Insert code after a symbol, at its level
///
/// Its doc comment and attributes belong to it. What would not parse is refused.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InsertAfter {
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

impl Mutation for InsertAfter {
    const NAME: &'static str = "code.insert_after";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [Alias] =
        &[Alias::of("kart_insert_after").joining(["file|path", "symbol", "#", "target"])];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "src/session.ts#Session.refresh --content 'refresh() {}' --dry-run",
        shows: "what it would look like",
    }];
    type Answer = Edited;

    fn plan(self, view: &View) -> Result<Plan<Edited>> {
        let declared = Declared::find(view, &self.target, self.if_hash)?;
        declared.plan(
            view,
            (Edit::InsertAfter(self.content.as_str()), "Inserted after"),
            self.format,
        )
    }

    fn committed(view: &View, answer: &mut Edited) {
        lint(view, answer);
    }
}
