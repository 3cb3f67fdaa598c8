//! Links from code to cards, put in and taken out of doc comments.

pub(super) mod add;
pub(super) mod remove;

use base::entity::CardKey;
use base::{Code, EntityRef, Problem, RepoPath, Result};
use cards::SeeRow;
use syntax::Language;
use syntax::edit::{Place, Refusal, unlink};
use tree::FileEdit;

use super::card::{Done, now};
use crate::contract::args::Target;
use crate::graph;
use crate::layers::cards::code_node;
use crate::plan::{Change, Plan};
use crate::view::View;

/// A file or a symbol in it.
struct Spot {
    node: EntityRef,
    path: RepoPath,
    symbol: Option<String>,
    language: Language,
}

impl Spot {
    fn place(&self) -> Place<'_> {
        self.symbol.as_deref().map_or(Place::Module, Place::Symbol)
    }
}

/// The code that was named.
fn spot(view: &View, target: &Target) -> Result<Spot> {
    let node = graph::resolve(view, target)?;
    let (path, symbol) = match &node {
        EntityRef::Module(path) => (path.clone(), None),
        EntityRef::Symbol(path, name) => (path.clone(), Some(name.to_string())),
        other => return Err(no_code(other)),
    };
    let language = Language::of(&path).ok_or_else(|| no_code(&node))?;
    Ok(Spot { node, path, symbol, language })
}

/// The text of a file without a tag that names a card.
pub(super) fn without_link(text: &str, see: &SeeRow, key: &CardKey) -> Result<String> {
    let node = code_node(see);
    let language = Language::of(&see.path).ok_or_else(|| no_code(&node))?;
    let spot = Spot { node, path: see.path.clone(), symbol: see.owner.clone(), language };
    unlink(language, text, spot.place(), key.as_str()).map_err(|refusal| refused(&spot, refusal))
}

fn no_code(node: &EntityRef) -> Problem {
    Problem::invalid(format!("{node} is not code that could say what it implements"))
        .hint("name a file of code, or a symbol as `path#name`")
}

/// A plan that changes a doc comment; `already` if nothing has to change.
fn comment(
    view: &View,
    spot: &Spot,
    (key, said): (&base::entity::CardKey, String),
    change: impl FnOnce(&str) -> Result<String, Refusal>,
) -> Result<Plan<Done>> {
    let now = now(view, &spot.path)?;
    let new = change(&now.text).map_err(|refusal| refused(spot, refusal))?;
    let path = spot.path.clone();
    let mut answer = Done { key: key.clone(), path: path.clone(), said, notes: Vec::new() };
    if new == now.text {
        answer.said = format!("already so at {}", spot.node);
        return Ok(Plan { summary: String::new(), change: Change::Nothing, answer, again: false });
    }
    let edit = FileEdit { path, expected: Some(now.hash), content: Some(new.into()) };
    let summary = format!("{key}: {}", answer.said);
    Ok(Plan { summary, change: Change::Files(vec![edit]), answer, again: true })
}

fn refused(spot: &Spot, refusal: Refusal) -> Problem {
    match refusal {
        Refusal::Unparsed => no_code(&spot.node),
        Refusal::NoSymbol(near) => {
            let problem = Problem::not_found(format!("{} is not there", spot.node));
            near.into_iter()
                .map(|name| format!("near: {}#{name}", spot.path))
                .fold(problem, Problem::hint)
        }
        Refusal::Broken(error) => Problem::new(
            Code::SyntaxError,
            format!("{} would no longer parse: line {}: {}", spot.path, error.line, error.message),
        )
        .detail("syntax_error", true),
        Refusal::NoPlace(why) => Problem::new(
            Code::InvalidOperation,
            format!("no link can be put at {}: {why}", spot.node),
        )
        .hint("link the file or an enclosing symbol instead"),
    }
}
