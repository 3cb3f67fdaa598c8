//! `code.replace`: replaces the text of a symbol.

use base::{Hash, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::edit::SymbolEdit;

use crate::edits::symbol_edit::{
    DeclaredSymbol, EditContent, FormatMode, SymbolEditAnswer, add_lint_results,
};
use engine::contract::alias::OpAlias;
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Replace a symbol: a function, method, type, constant, field
///
/// Its doc comment and attributes are part of it. Refused if the result does not parse.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replace {
    /// Symbol, as path#name
    pub target: NodeTarget,
    /// The complete new declaration; of several in one statement, only the part for this name
    #[arg(long)]
    pub content: EditContent,
    /// Whether to run the project's formatter, if it changes nothing else
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub format: FormatMode,
    /// Only if the file still has this hash
    #[arg(long)]
    #[serde(default)]
    pub if_hash: Option<Hash>,
}

impl Mutation for Replace {
    const NAME: &'static str = "code.replace";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_replace").joining(["file|path", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "src/session.ts#Session.refresh --content 'refresh() {}' --dry-run",
        shows: "what replacing a method would change",
    }];
    type Answer = SymbolEditAnswer;

    fn plan(self, view: &View) -> Result<Plan<SymbolEditAnswer>> {
        let declared = DeclaredSymbol::find(view, &self.target, self.if_hash)?;
        declared.plan(view, SymbolEdit::Replace(self.content.as_str()), "Replaced", self.format)
    }

    fn committed(view: &View, answer: &mut SymbolEditAnswer) {
        add_lint_results(view, answer);
    }
}
