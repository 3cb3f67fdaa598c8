//! `code.delete`: removes a symbol, unless it is still used somewhere.

use std::collections::BTreeSet;

use base::entity::own_name;
use base::words::counted;
use base::{Hash, NextCall, Problem, ProblemCode, Result};
use clap::Args;
use code::{SymbolEndpoint, SymbolRelation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::edit::{self, SymbolEdit, symbol_spans};

use crate::edits::symbol_edit::{DeclaredSymbol, FormatMode, SymbolEditAnswer, add_lint_results};
use engine::contract::alias::OpAlias;
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// How many places a problem lists.
const MAX_LISTED: usize = 20;

/// Delete a symbol with its docs, unless something still uses it
///
/// Checks calls, other uses and imports, also of the symbols inside it.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Symbol, as path#name
    pub target: NodeTarget,
    /// Delete it even if something uses it
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
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

impl Mutation for Delete {
    const NAME: &'static str = "code.delete";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_delete").joining(["file|path", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/session.ts#legacy --dry-run", shows: "what would be deleted" }];
    type Answer = SymbolEditAnswer;

    fn plan(self, view: &View) -> Result<Plan<SymbolEditAnswer>> {
        let declared = DeclaredSymbol::find(view, &self.target, self.if_hash)?;
        let mentions = mentions(view, &declared)?;
        if !mentions.is_empty() && !self.force {
            let places = counted(mentions.len(), "place");
            let message = format!("{} is still used in {places}", declared.node);
            let listed: Vec<_> = mentions.into_iter().take(MAX_LISTED).collect();
            return Err(Problem::new(ProblemCode::Blocked, message)
                .hint(format!("the first is {}", listed[0]))
                .detail("mentions", listed)
                .hint_call("to delete it anyway", NextCall::repeat().with("force", true)));
        }
        let mut plan = declared.plan(view, SymbolEdit::Delete, "Deleted", self.format)?;
        plan.answer.mentions = mentions.into_iter().take(MAX_LISTED).collect();
        Ok(plan)
    }

    fn committed(view: &View, answer: &mut SymbolEditAnswer) {
        add_lint_results(view, answer);
    }
}

/// Where the symbol, or a symbol inside it, is still used: calls and other uses in the index,
/// imports, and mentions of its name in its own file.
fn mentions(view: &View, declared: &DeclaredSymbol) -> Result<Vec<String>> {
    let DeclaredSymbol { path, name, language, text, .. } = declared;
    let conn = view.index()?.conn();
    let own = symbol_spans(*language, text, name)
        .map_err(|_| Problem::not_found(format!("no symbol `{name}`")))?;
    let is_inside = |inner: &str| {
        inner
            .strip_prefix(name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let mut found = BTreeSet::new();
    for row in code::symbols_in_file(conn, path)?.iter().filter(|row| is_inside(&row.full)) {
        let edges =
            code::edges_to(conn, &[SymbolEndpoint::new(path, &row.full)], &SymbolRelation::ALL)?;
        let outside = edges.iter().filter(|edge| edge.from.0 != *path || !is_inside(&edge.from.1));
        found.extend(outside.map(|edge| (edge.from.0.clone(), edge.line)));
    }
    let is_top = !name.contains('.');
    let line = |at: u32| text[..at as usize].matches('\n').count() + 1;
    for mention in edit::find_mentions(*language, text, own_name(name)) {
        let at = mention.span.start as usize;
        let is_own = own.iter().any(|own| own.range().contains(&at));
        if !is_own && is_top && !mention.is_member {
            let line = u32::try_from(line(mention.span.start)).unwrap_or(u32::MAX);
            found.insert((path.clone(), line));
        }
    }
    let named =
        code::importers(conn, path)?.into_iter().filter(|taker| is_top && taker.name == *name);
    found.extend(named.map(|taker| (taker.path, taker.line)));
    Ok(found.iter().map(|(path, line)| format!("{path}:{line}")).collect())
}
