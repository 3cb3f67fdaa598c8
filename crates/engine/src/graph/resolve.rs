//! Resolves a typed target to a node.

use base::similarity::did_you_mean_one_of;
use base::{EntityRef, NextCall, Problem, ProblemCode, RepoPath, Result};
use serde_json::json;

use crate::contract::args::NodeTarget;
use crate::view::View;

/// How many candidates a problem lists.
const MAX_CANDIDATES: usize = 20;

/// How many similar names a problem lists.
const MAX_SIMILAR_NAMES: usize = 3;

/// A node that a name may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeCandidate {
    /// The node
    pub node: EntityRef,
    /// What it is, in a few words
    pub about: String,
    /// Whether the name was written in full, so that no other node can be meant
    pub is_exact: bool,
}

/// The one node that a target means. Several matches are an error that lists them; no match is an
/// error that names the most similar.
pub fn resolve(view: &View, target: &NodeTarget) -> Result<EntityRef> {
    let name = target.as_str().trim();
    let node = match as_handle(view, name)? {
        ParsedHandle::Node(node) => node,
        ParsedHandle::Path(path) => by_name(view, &path)?,
        ParsedHandle::None => by_name(view, name)?,
    };
    for area in view.graph_areas() {
        area.refuse_ambiguous(view, &node)?;
    }
    Ok(node)
}

/// A file or folder that an answer is limited to.
#[derive(Debug, Clone)]
pub struct PathScope(RepoPath);

impl PathScope {
    /// Whether a node is inside it.
    pub fn contains(&self, node: &EntityRef) -> bool {
        let is_there = |path: &RepoPath| *path == self.0 || path.is_at_or_below(&self.0);
        self.0.is_root() || node.path().is_some_and(is_there)
    }
}

/// The file or folder that a target means.
pub fn resolve_path_scope(view: &View, target: &NodeTarget) -> Result<PathScope> {
    let node = resolve(view, target)?;
    let refused = || Problem::invalid(format!("{node} is neither a file nor a folder"));
    node.path().cloned().map(PathScope).ok_or_else(refused)
}

fn by_name(view: &View, name: &str) -> Result<EntityRef> {
    view.paths().check_inside(name)?;
    let mut candidates = Vec::new();
    for area in view.graph_areas() {
        candidates.extend(area.resolve(view, name)?);
    }
    if candidates.iter().any(|candidate| candidate.is_exact) {
        candidates.retain(|candidate| candidate.is_exact);
    }
    candidates.sort_by(|a, b| a.node.cmp(&b.node));
    candidates.dedup_by(|a, b| a.node == b.node);
    match candidates.as_slice() {
        [only] => Ok(only.node.clone()),
        [] => Err(not_found(view, name)?),
        several => Err(ambiguous(name, several)),
    }
}

/// A target read as a handle.
enum ParsedHandle {
    Node(EntityRef),
    /// The kind does not fit, but a node with this path may exist
    Path(String),
    None,
}

/// A target that is written as a handle must exist exactly as written.
fn as_handle(view: &View, name: &str) -> Result<ParsedHandle> {
    let Ok(node) = name.parse::<EntityRef>() else { return Ok(ParsedHandle::None) };
    for area in view.graph_areas() {
        if area.contains(view, &node)? {
            return Ok(ParsedHandle::Node(node));
        }
    }
    // `module:a.md` and `file:a.rs` have the wrong kind; the path identifies the node.
    match (&node, node.path()) {
        (EntityRef::Module(_) | EntityRef::File(_) | EntityRef::Dir(_), Some(path)) => {
            Ok(ParsedHandle::Path(path.to_string()))
        }
        // A record is also meant by the first digits of its id.
        (EntityRef::Record(..), _) => Ok(ParsedHandle::None),
        _ => Err(not_found(view, name)?),
    }
}

fn ambiguous(name: &str, several: &[NodeCandidate]) -> Problem {
    let row = |one: &NodeCandidate| json!({"node": one.node, "what": one.about});
    let listed: Vec<_> = several.iter().take(MAX_CANDIDATES).map(row).collect();
    let are_symbols = several.iter().all(|one| matches!(one.node, EntityRef::Symbol(..)));
    let what = if are_symbols { "declarations are called" } else { "things are called" };
    let problem =
        Problem::new(ProblemCode::Ambiguous, format!("{} {what} `{name}`", several.len()))
            .detail("candidates", listed)
            .hint("name one of them as written here");
    match several.len().saturating_sub(MAX_CANDIDATES) {
        0 => problem,
        more => problem.hint(format!("{more} more are not listed; write more of the name")),
    }
}

fn not_found(view: &View, name: &str) -> Result<Problem> {
    let mut near = Vec::new();
    for area in view.graph_areas() {
        near.extend(area.similar_names(view, name)?);
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let near: Vec<String> =
        near.into_iter().take(MAX_SIMILAR_NAMES).map(|(_, name)| name).collect();
    let problem = Problem::not_found(format!("nothing is called `{name}`"));
    if view
        .paths()
        .candidates(name)
        .iter()
        .any(|path| view.tree().stat_if_reachable(path).is_some())
    {
        return Ok(problem.hint(
            "the path exists but is not indexed: git or `exclude` in cairn.jsonc ignores it, \
             or it is a symbolic link or another repository",
        ));
    }
    Ok(match near.as_slice() {
        [] => problem.hint_call("look for it with", NextCall::new("search").with("query", name)),
        near => problem.hint(did_you_mean_one_of(near)).detail("nearest", near),
    })
}
