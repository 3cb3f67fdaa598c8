//! Links from code to cards, added to and removed from doc comments.

pub(super) mod add;
pub(super) mod remove;

use base::entity::CardKey;
use base::{EntityRef, Problem, ProblemCode, RepoPath, Result};
use cards::SeeTagRow;
use syntax::Language;
use syntax::edit::{DocTarget, EditRefusal, remove_doc_link};
use tree::FileEdit;

use super::card::{CardChangeAnswer, read_current};
use engine::areas::cards::code_node;
use engine::contract::args::NodeTarget;
use engine::graph;
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::{SpecLink, SpecLinkKind};
use engine::view::View;

/// A file or a symbol in it.
struct CardLinkTarget {
    node: EntityRef,
    path: RepoPath,
    symbol: Option<String>,
    language: Language,
}

impl CardLinkTarget {
    fn place(&self) -> DocTarget<'_> {
        self.symbol.as_deref().map_or(DocTarget::Module, DocTarget::Symbol)
    }
}

/// The code that was named.
fn link_target(view: &View, target: &NodeTarget) -> Result<CardLinkTarget> {
    let node = graph::resolve(view, target)?;
    let (path, symbol) = match &node {
        EntityRef::Module(path) => (path.clone(), None),
        EntityRef::Symbol(path, name) => (path.clone(), Some(name.to_string())),
        other => return Err(not_code(other)),
    };
    let language = Language::from_path(&path).ok_or_else(|| not_code(&node))?;
    Ok(CardLinkTarget { node, path, symbol, language })
}

/// The text of a file without its link to a card.
pub(super) fn without_link(text: &str, see: &SeeTagRow, key: &CardKey) -> Result<String> {
    let node = code_node(see);
    let language = Language::from_path(&see.path).ok_or_else(|| not_code(&node))?;
    let target =
        CardLinkTarget { node, path: see.path.clone(), symbol: see.owner.clone(), language };
    remove_doc_link(language, text, target.place(), key.as_str())
        .map_err(|refusal| refused(&target, refusal))
}

fn not_code(node: &EntityRef) -> Problem {
    Problem::invalid(format!("{node} is not code, so it cannot link a card"))
        .hint("name a file of code, or a symbol as `path#name`")
}

/// Plans the change of a doc comment. If nothing has to change, the answer says so.
fn edit_comment(
    view: &View,
    target: &CardLinkTarget,
    key: &base::entity::CardKey,
    said: String,
    change: impl FnOnce(&str) -> Result<String, EditRefusal>,
) -> Result<Plan<CardChangeAnswer>> {
    let now = read_current(view, &target.path)?;
    let new = change(&now.text).map_err(|refusal| refused(target, refusal))?;
    let path = target.path.clone();
    let mut answer =
        CardChangeAnswer { key: key.clone(), path: path.clone(), said, notes: Vec::new() };
    if new == now.text {
        answer.said = format!("unchanged: already so at {}", target.node);
        return Ok(Plan {
            summary: String::new(),
            change: PlannedChange::Nothing,
            answer,
            retry_on_conflict: false,
        });
    }
    let edit = FileEdit { path, expected: Some(now.hash), content: Some(new.into()) };
    let summary = format!("{key}: {}", answer.said);
    Ok(Plan { summary, change: PlannedChange::Files(vec![edit]), answer, retry_on_conflict: true })
}

/// The link of a place to a card.
fn spec_link(node: &EntityRef, key: &CardKey) -> SpecLink {
    SpecLink { kind: SpecLinkKind::See, from: node.clone(), to: EntityRef::Card(key.clone()) }
}

/// The edits of a plan that changes files.
fn edits_of(change: PlannedChange) -> Vec<FileEdit> {
    match change {
        PlannedChange::Files(edits) => edits,
        _ => Vec::new(),
    }
}

fn refused(target: &CardLinkTarget, refusal: EditRefusal) -> Problem {
    match refusal {
        EditRefusal::UnsupportedLanguage => not_code(&target.node),
        EditRefusal::NoSymbol(near) => {
            let problem = Problem::not_found(format!("{} does not exist", target.node));
            near.into_iter()
                .map(|name| format!("near: {}#{name}", target.path))
                .fold(problem, Problem::hint)
        }
        EditRefusal::NewSyntaxError(error) => Problem::new(
            ProblemCode::SyntaxError,
            format!(
                "{} would no longer parse: line {}: {}",
                target.path, error.line, error.message
            ),
        )
        .detail("syntax_error", true),
        EditRefusal::NotPossible(why) => Problem::new(
            ProblemCode::InvalidOperation,
            format!("cannot add a link at {}: {why}", target.node),
        )
        .hint("link the file or an enclosing symbol instead"),
    }
}
