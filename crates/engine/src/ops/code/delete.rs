//! `code.delete`: a symbol taken out, unless it is still named somewhere.

use base::{Code, Hash, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;
use syntax::edit::{Edit, itself};

use super::importers::importers;
use crate::contract::alias::Alias;
use crate::contract::args::Target;
use crate::contract::op::{Effect, Example, Mutation};
use crate::index::tables;
use crate::layers::code::edit::{Declared, Edited, lint, yes};
use crate::plan::Plan;
use crate::view::View;

/// How many places a problem lists.
const LISTED: usize = 20;

/// Delete a symbol with its docs, unless something still names it
///
/// Looks in its own file and in every file that imports it, directly or through others.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Symbol, as path#name
    pub target: Target,
    /// Delete it though something names it
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Format with the project's formatter, where it leaves the rest alone
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    #[serde(default = "yes")]
    pub format: bool,
    /// Only if the file still has this hash
    #[arg(long)]
    #[serde(default)]
    pub if_hash: Option<Hash>,
}

impl Mutation for Delete {
    const NAME: &'static str = "code.delete";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [Alias] =
        &[Alias::of("kart_delete").joining(["file|path", "symbol", "#", "target"])];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "src/session.ts#legacy --dry-run", shows: "what would go" }];
    type Answer = Edited;

    fn plan(self, view: &View) -> Result<Plan<Edited>> {
        let declared = Declared::find(view, &self.target, self.if_hash)?;
        let mentions = mentions(view, &declared)?;
        if !mentions.is_empty() && !self.force {
            let message = format!("{} is still named in {} places", declared.node, mentions.len());
            let listed: Vec<_> = mentions.into_iter().take(LISTED).collect();
            return Err(Problem::new(Code::Blocked, message)
                .hint(format!("first: {}", listed[0]))
                .detail("mentions", listed)
                .hint("these are mentions by name; `--force` deletes it all the same"));
        }
        let mut plan = declared.plan(view, (Edit::Delete, "Deleted"), self.format)?;
        plan.answer.mentions = mentions.into_iter().take(LISTED).collect();
        Ok(plan)
    }

    fn committed(view: &View, answer: &mut Edited) {
        lint(view, answer);
    }
}

/// Where the symbol's name stands, itself left out: in its file, and in those that import it.
fn mentions(view: &View, declared: &Declared) -> Result<Vec<String>> {
    let name = last_name(&declared.name);
    let own = itself(declared.language, &declared.text, &declared.name)
        .map_err(|_| Problem::not_found(format!("no symbol `{}`", declared.name)))?;
    let lines = |text: &str| text.matches('\n').count() + 1;
    let before = &declared.text[..own.start as usize];
    let after = &declared.text[own.end as usize..];
    let past = lines(&declared.text[..own.end as usize]) - 1;
    let mut found = named(&declared.path, before, name, 0);
    found.extend(named(&declared.path, after, name, past));
    for path in users(view, declared)? {
        if let Some(blob) = view.tree().read(&path)? {
            found.extend(named(&path, &String::from_utf8_lossy(&blob.bytes), name, 0));
        }
    }
    Ok(found)
}

/// The other files that could use the symbol. Where imports are not resolved, or files of one
/// package need none, that is every file of the language.
fn users(view: &View, declared: &Declared) -> Result<Vec<RepoPath>> {
    let resolved = matches!(
        declared.language,
        Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Python
            | Language::Rust
    );
    if resolved {
        let all = importers(view, &declared.path, None)?;
        return Ok(all.iter().filter_map(|importer| importer.node.path().cloned()).collect());
    }
    let mut all = tables::all_files(view.index()?.conn())?;
    all.retain(|path| Language::of(path) == Some(declared.language) && *path != declared.path);
    Ok(all.into_iter().collect())
}

/// The own name of a symbol, without what it is nested in.
fn last_name(path: &str) -> &str {
    let path = path.split(['~', '@']).next().unwrap_or(path);
    path.rsplit(['.', ' ']).next().unwrap_or(path)
}

/// The lines of a text that hold a name as a whole word.
fn named(path: &RepoPath, text: &str, name: &str, past: usize) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let holds = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part)
        })
    };
    let lines = text.lines().enumerate().filter(|(_, line)| holds(line));
    lines.map(|(at, _)| format!("{path}:{}", at + 1 + past)).collect()
}
