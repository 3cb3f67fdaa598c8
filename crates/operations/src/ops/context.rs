//! `context`: what to know before touching something, cut to a budget.
//!
//! @see spec::cross/context

mod choice;
mod code;
mod located_symbol;
mod question;

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, Hash, NextCall, Problem, ProblemCode, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answers::source::{Excerpt, omitted_lines_text};
use crate::locate::{self, FileCandidate};
use engine::areas::files::file_node;
use engine::areas::history::updated_at;
use engine::contract::alias::OpAlias;
use engine::contract::args::{NodeTarget, TokenBudget, one_or_many};
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph::{self, ContextItem, ContextSection, NodeDescription};
use engine::index::tables;

use engine::view::View;

pub use self::question::QuestionAnswer;

/// Average size of a token of such text, in hundredths of a byte.
const HUNDREDTHS_PER_TOKEN: usize = 426;

/// Show what to know before a change: everything near some targets, most useful first
///
/// Use first, before reading or editing files. Says what the budget left out.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Context {
    /// Paths, symbols, ids or handles; or a sentence, such as an issue's text
    #[arg(required = true)]
    #[serde(deserialize_with = "one_or_many")]
    pub targets: Vec<NodeTarget>,
    /// Maximum size of the answer, in tokens
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub budget: TokenBudget,
}

/// What is near the targets
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContextAnswer {
    /// Files that the sentences among the targets are most likely about, best first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<LikelyFile>,
    /// The places that the sentences are about, with their source
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<QuestionAnswer>,
    /// One part for each target
    pub targets: Vec<TargetContext>,
    /// How many items the budget left out, by section
    pub left_out: BTreeMap<&'static str, usize>,
    #[serde(skip)]
    budget: usize,
}

/// A file that a sentence is likely about
#[derive(Debug, Serialize, JsonSchema)]
pub struct LikelyFile {
    /// Its handle
    pub node: EntityRef,
    /// What the sentence names in it
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Its score, comparable within one answer
    pub score: f64,
}

/// What is near one target
#[derive(Debug, Serialize, JsonSchema)]
pub struct TargetContext {
    /// The target itself
    #[serde(flatten)]
    pub target: NodeDescription,
    /// When it last changed, as far as that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Identity of a module or symbol
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<CodeEntity>,
    /// The source of a symbol, as much as the budget allows
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Excerpt>,
    /// Where the symbol ends
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_line: Option<u32>,
    /// What is worth knowing, in sections
    pub items: Vec<ContextRow>,
}

/// Identity of a piece of code
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CodeEntity {
    /// The file
    pub file_path: RepoPath,
    /// The symbol, with the names it is nested in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol_name: Option<String>,
    /// Its kind, such as module, class or function
    pub kind: String,
    /// The declaration without its body
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Its last line, for a symbol
    #[serde(skip)]
    pub(super) last_line: Option<u32>,
    /// The hash of its name, kind and signature: the same after it moved
    pub fingerprint: Hash,
    /// The hash of the file's content
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<Hash>,
}

/// One thing worth knowing
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContextRow {
    /// The section it belongs to
    pub section: ContextSection,
    /// What it says
    pub text: String,
    /// Handle for the next call
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

impl Query for Context {
    const NAME: &'static str = "context";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("get_context").renaming(&[("target", "targets"), ("card_key", "targets")])];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "README.md", shows: "what a file is about and what depends on it" },
        OpExample {
            args: "\"why is a stale index rebuilt\"",
            shows: "the code that answers a question",
        },
        OpExample { args: "src docs --budget 400", shows: "two folders in brief" },
    ];
    type Answer = ContextAnswer;

    fn named_targets(&self) -> Vec<&NodeTarget> {
        self.targets.iter().collect()
    }

    fn run(self, view: &View) -> Result<ContextAnswer> {
        if self.targets.is_empty() {
            return Err(
                Problem::invalid("`targets` is empty").hint("name a path, a symbol or a handle")
            );
        }
        let (mut nodes, mut sentences): (Vec<EntityRef>, Vec<&str>) = (Vec::new(), Vec::new());
        for target in &self.targets {
            match graph::resolve(view, target) {
                Ok(node) => nodes.push(node),
                Err(problem) if is_sentence(target, &problem) => sentences.push(target.as_str()),
                Err(problem) => return Err(self.with_sentence_hint(problem)),
            }
        }
        let budget = self.budget.get();
        let (mut places, mut answer) = (Vec::new(), None);
        if !sentences.is_empty() {
            let share = if nodes.is_empty() { budget } else { budget / 2 };
            let (found, told) = answer_question(view, &sentences.join("\n"), share)?;
            (places, answer) = (found, Some(told));
        }
        let mut seen = BTreeSet::new();
        nodes.retain(|node| seen.insert(node.clone()));
        let mut gathered = Vec::new();
        for node in &nodes {
            let mut items = code::used_by(view, node)?;
            for area in view.graph_areas() {
                items.extend(area.context(view, node)?);
            }
            gathered.push(CollectedContext {
                target: graph::describe(view, node)?,
                updated_at: changed_at(view, node)?,
                entity: code_entity(view, node)?,
                source: code::source(view, node, budget * SOURCE_PERCENT / 100 / nodes.len())?,
                items,
            });
        }
        let left = if answer.is_some() { budget / 2 } else { budget };
        Ok(ContextAnswer { places, answer, budget, ..fit_to_budget(gathered, left) })
    }
}

impl Context {
    /// Adds the question as one target to a problem, if it was given as several words.
    fn with_sentence_hint(&self, problem: Problem) -> Problem {
        let words: Vec<&str> = self.targets.iter().map(NodeTarget::as_str).collect();
        let is_word = |word: &&str| !word.contains(['/', '#', '.', ':']);
        if words.len() < 3 || !words.iter().all(is_word) {
            return problem;
        }
        let call = NextCall::new("context").with("targets", json!([words.join(" ")]));
        problem.hint_call("a question is one target:", call)
    }
}

/// What was found about one target.
struct CollectedContext {
    target: NodeDescription,
    updated_at: Option<String>,
    entity: Option<CodeEntity>,
    source: Option<Excerpt>,
    items: Vec<ContextItem>,
}

/// When a node last changed. A file, or something in a file, changed when the file did.
fn changed_at(view: &View, node: &EntityRef) -> Result<Option<String>> {
    let marks = graph::node_metadata(view, node)?;
    match node.path().or(marks.file.as_ref()) {
        Some(path) if !matches!(node, EntityRef::Dir(_)) => updated_at(view, path),
        _ => Ok(marks.changed.map(|at| at.to_string())),
    }
}

fn code_entity(view: &View, node: &EntityRef) -> Result<Option<CodeEntity>> {
    let (path, name) = match node {
        EntityRef::Module(path) => (path, None),
        EntityRef::Symbol(path, name) => (path, Some(name.as_str())),
        _ => return Ok(None),
    };
    let conn = view.index()?.conn();
    let symbol = name.map(|name| ::code::symbol(conn, path, name)).transpose()?.flatten();
    let kind = symbol.as_ref().map_or_else(|| node.kind().to_owned(), |one| one.kind.clone());
    let last_line = symbol.as_ref().map(|one| one.end_line);
    let signature = symbol.map(|one| one.signature);
    let words = [name.unwrap_or_default(), &kind, signature.as_deref().unwrap_or_default()];
    Ok(Some(CodeEntity {
        file_path: path.clone(),
        symbol_name: name.map(ToOwned::to_owned),
        fingerprint: Hash::of(words.join("\n").as_bytes()),
        content_hash: tables::known_files_below(conn, path)?
            .remove(path)
            .and_then(|file| file.hash),
        kind,
        signature,
        last_line,
    }))
}

/// How much of the budget the source of symbols may take, in percent.
const SOURCE_PERCENT: usize = 50;

/// How many files are listed for a sentence.
const MAX_LISTED_FILES: usize = 10;

/// How much of a question is repeated if nothing matches it, in characters.
const MAX_REPEATED_CHARS: usize = 200;

/// A target that resolves to no node and has several words is a sentence.
fn is_sentence(target: &NodeTarget, problem: &Problem) -> bool {
    let words = target.as_str().split_whitespace().count();
    words > 1 && matches!(problem.code, ProblemCode::NotFound | ProblemCode::OutsideRepository)
}

/// The files that a sentence is about, and the places in them with their source.
fn answer_question(
    view: &View,
    text: &str,
    budget: usize,
) -> Result<(Vec<LikelyFile>, QuestionAnswer)> {
    let located = locate::locate(view, text)?;
    if located.files.is_empty() {
        let start: String = text.chars().take(MAX_REPEATED_CHARS).collect();
        let more = if start.len() < text.len() { "…" } else { "" };
        return Err(Problem::not_found(format!("no file or symbol matches \"{start}{more}\""))
            .hint("name a path, a symbol or a handle, or use other words"));
    }
    let row = |place: &FileCandidate| LikelyFile {
        node: file_node(&place.path),
        why: place.mentions_text(),
        score: (place.score * 1000.0).round() / 1000.0,
    };
    let places = located.files.iter().take(MAX_LISTED_FILES).map(row).collect();
    Ok((places, QuestionAnswer::of(view, &located, budget)?))
}

/// Takes the most useful items until the budget is spent. A section's first item is worth more
/// than another's tenth, so every section is represented before any is complete.
fn fit_to_budget(gathered: Vec<CollectedContext>, budget: usize) -> ContextAnswer {
    let frame: usize =
        gathered.iter().map(|one| cost(&one.target.name) + cost(&one.target.about)).sum();
    let source =
        |one: &CollectedContext| one.source.as_ref().map_or(0, located_symbol::source_cost);
    let frame = frame + gathered.iter().map(source).sum::<usize>();
    let mut spent = frame + 30; // the headings and the basis
    let mut ranked: Vec<(usize, usize, usize)> = Vec::new();
    for (target, one) in gathered.iter().enumerate() {
        let mut within: BTreeMap<ContextSection, usize> = BTreeMap::new();
        for (at, item) in one.items.iter().enumerate() {
            let rank = within.entry(item.section).or_default();
            *rank += 1;
            ranked.push((*rank * item.section.item_cost(), target, at));
        }
    }
    ranked.sort_unstable();
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new(); gathered.len()];
    let mut left_out = BTreeMap::new();
    let mut cut_sections = BTreeSet::new();
    for (_, target, at) in ranked {
        let item = &gathered[target].items[at];
        let handle = shown_handle(&gathered[target].target, item.section, item.handle.as_deref());
        let price = cost(&item.text) + handle.map_or(0, cost) + 1;
        // Once a section is cut, it gets no more items: later ones are less useful, even if they
        // are shorter.
        let is_cut = cut_sections.contains(&(target, item.section));
        if !is_cut && spent + price <= budget {
            spent += price;
            chosen[target].push(at);
        } else {
            cut_sections.insert((target, item.section));
            *left_out.entry(item.section.title()).or_default() += 1;
        }
    }
    let about = |(one, mut chosen): (CollectedContext, Vec<usize>)| {
        let CollectedContext { target, updated_at, entity, source, items } = one;
        chosen.sort_by_key(|at| (items[*at].section, *at));
        let known = |at: usize| {
            let ContextItem { section, text, handle } = items[at].clone();
            ContextRow { section, text, handle }
        };
        let last_line = entity.as_ref().and_then(|entity| entity.last_line);
        TargetContext {
            target,
            updated_at,
            entity,
            source,
            last_line,
            items: chosen.into_iter().map(known).collect(),
        }
    };
    let targets = gathered.into_iter().zip(chosen).map(about).collect();
    ContextAnswer { places: Vec::new(), answer: None, targets, left_out, budget }
}

fn cost(text: &str) -> usize {
    (text.len() * 100).div_ceil(HUNDREDTHS_PER_TOKEN)
}

impl Render for ContextAnswer {
    fn render(&self, page: &mut Page) {
        if let Some(answer) = &self.answer {
            answer.render(page, self.places.len());
        }
        for (at, about) in self.targets.iter().enumerate() {
            let line = format!("{}: {}", about.target.name, about.target.about);
            if at == 0 && self.answer.is_none() {
                page.answer(line);
            } else {
                page.heading(line);
            }
            if let Some(source) = &about.source {
                page.source(&source.text, source.first_line);
                about.render_rest_hint(page, source);
            }
            let mut items = about.items.as_slice();
            while let Some(first) = items.first() {
                let same = items.iter().take_while(|item| item.section == first.section).count();
                page.heading(first.section.title());
                page.table(2, items[..same].iter().map(|item| about.cells(item)).collect());
                items = &items[same..];
            }
        }
        self.render_left_out(page);
    }
}

impl TargetContext {
    /// A row of a section.
    fn cells(&self, item: &ContextRow) -> Vec<PageCell> {
        let handle = shown_handle(&self.target, item.section, item.handle.as_deref());
        let text = PageCell::text(&item.text);
        [text].into_iter().chain(handle.map(PageCell::handle)).collect()
    }

    /// Renders how to see the rest of a source that was cut.
    fn render_rest_hint(&self, page: &mut Page, source: &Excerpt) {
        let last = self.last_line.unwrap_or(source.last_line);
        if let Some(more) = last.checked_sub(source.last_line).filter(|more| *more > 0) {
            let next = NextCall::new("code.show").with("targets", vec![self.target.name.clone()]);
            page.say_call(omitted_lines_text(more), next);
        }
    }
}

impl ContextAnswer {
    fn render_left_out(&self, page: &mut Page) {
        let total: usize = self.left_out.values().sum();
        if total == 0 {
            return;
        }
        let part = |(section, count): (&&str, &usize)| format!("{count} of \"{section}\"");
        let parts: Vec<String> = self.left_out.iter().map(part).collect();
        let left_out = format!("Omitted to fit the budget: {}", parts.join(", "));
        page.blank();
        match larger_budget(self.budget) {
            Some(budget) => page.say_call(left_out, page.answered_call().with("budget", budget)),
            None => page.say(format!("{left_out} (this is the largest budget)")),
        }
    }
}

/// The budget to suggest if an answer was cut; `None` if it had the largest.
fn larger_budget(budget: usize) -> Option<usize> {
    (budget < TokenBudget::MAX).then(|| budget.saturating_mul(3).min(TokenBudget::MAX))
}

/// The handle that is printed beside an item; `None` for a symbol in the target's own file that the
/// item's text already names.
fn shown_handle<'h>(
    target: &NodeDescription,
    section: ContextSection,
    handle: Option<&'h str>,
) -> Option<&'h str> {
    let file = target.name.split('#').next().unwrap_or_default();
    let is_named = |handle: &&str| {
        let own = handle.strip_prefix("symbol:").and_then(|rest| rest.strip_prefix(file));
        section == ContextSection::Outline && own.is_some_and(|rest| rest.starts_with('#'))
    };
    handle.filter(|handle| !is_named(handle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_budget_is_offered_that_is_refused() {
        assert_eq!(larger_budget(1200), Some(3600));
        assert_eq!(larger_budget(40_000), Some(TokenBudget::MAX));
        assert_eq!(larger_budget(TokenBudget::MAX), None);
    }
}
