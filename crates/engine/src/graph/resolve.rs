//! From what a person typed to the node they meant.

use base::{Code, EntityRef, NextCall, Problem, RepoPath, Result};
use serde_json::json;

use crate::contract::args::Target;
use crate::view::View;

/// How many candidates a problem lists.
const LISTED: usize = 20;

/// How many near names a problem lists.
const NEAREST: usize = 3;

/// A node that a name may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The node
    pub node: EntityRef,
    /// What it is, in a few words
    pub about: String,
    /// Whether it was written out, so that nothing else can have been meant
    pub sure: bool,
}

/// The one node that a target means. Several are an error that lists them, none is an error
/// that names the nearest.
pub fn resolve(view: &View, target: &Target) -> Result<EntityRef> {
    let name = target.as_str().trim();
    match as_handle(view, name)? {
        Handle::Node(node) => Ok(node),
        Handle::Path(path) => by_name(view, &path),
        Handle::None => by_name(view, name),
    }
}

/// A file or folder that an answer is narrowed to.
#[derive(Debug, Clone)]
pub struct NarrowTo(RepoPath);

impl NarrowTo {
    /// Whether a node lies there.
    pub fn holds(&self, node: &EntityRef) -> bool {
        let is_there = |path: &RepoPath| *path == self.0 || path.is_below(&self.0);
        self.0.is_root() || node.path().is_some_and(is_there)
    }
}

/// The file or folder that a target means.
pub fn place(view: &View, target: &Target) -> Result<NarrowTo> {
    let node = resolve(view, target)?;
    let refused = || Problem::invalid(format!("{node} is neither a file nor a folder"));
    node.path().cloned().map(NarrowTo).ok_or_else(refused)
}

fn by_name(view: &View, name: &str) -> Result<EntityRef> {
    view.confine(name)?;
    let mut candidates = Vec::new();
    for layer in view.layers() {
        candidates.extend(layer.resolve(view, name)?);
    }
    if candidates.iter().any(|candidate| candidate.sure) {
        candidates.retain(|candidate| candidate.sure);
    }
    candidates.sort_by(|a, b| a.node.cmp(&b.node));
    candidates.dedup_by(|a, b| a.node == b.node);
    match candidates.as_slice() {
        [only] => Ok(only.node.clone()),
        [] => Err(nothing(view, name)?),
        several => Err(ambiguous(name, several)),
    }
}

/// What a target says when it is read as a handle.
enum Handle {
    Node(EntityRef),
    /// A kind that does not fit, and a path that may
    Path(String),
    None,
}

/// A target that is written as a handle must be there as it is written.
fn as_handle(view: &View, name: &str) -> Result<Handle> {
    let Ok(node) = name.parse::<EntityRef>() else { return Ok(Handle::None) };
    for layer in view.layers() {
        if layer.holds(view, &node)? {
            return Ok(Handle::Node(node));
        }
    }
    // `module:a.md` and `file:a.rs` are slips of the pen: the path says what was meant.
    match (&node, node.path()) {
        (EntityRef::Module(_) | EntityRef::File(_) | EntityRef::Dir(_), Some(path)) => {
            Ok(Handle::Path(path.to_string()))
        }
        // A record is also meant by the first digits of its id.
        (EntityRef::Record(..), _) => Ok(Handle::None),
        _ => Err(nothing(view, name)?),
    }
}

fn ambiguous(name: &str, several: &[Candidate]) -> Problem {
    let row = |one: &Candidate| json!({"node": one.node, "what": one.about});
    let listed: Vec<_> = several.iter().take(LISTED).map(row).collect();
    let are_symbols = several.iter().all(|one| matches!(one.node, EntityRef::Symbol(..)));
    let what = if are_symbols { "declarations are called" } else { "things are called" };
    let problem = Problem::new(Code::Ambiguous, format!("{} {what} `{name}`", several.len()))
        .detail("candidates", listed)
        .hint("name one of them as written here");
    match several.len().saturating_sub(LISTED) {
        0 => problem,
        more => problem.hint(format!("{more} more are not listed; write more of the name")),
    }
}

fn nothing(view: &View, name: &str) -> Result<Problem> {
    let mut near = Vec::new();
    for layer in view.layers() {
        near.extend(layer.near(view, name)?);
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let near: Vec<String> = near.into_iter().take(NEAREST).map(|(_, name)| name).collect();
    let problem = Problem::not_found(format!("nothing is called `{name}`"));
    if view.typed_paths(name).iter().any(|path| view.tree().stat_if_there(path).is_some()) {
        return Ok(problem.hint(
            "something is there, but not as a file of the project: git or `exclude` in cairn.jsonc \
             leaves it out, or it is a link or another repository",
        ));
    }
    Ok(match near.as_slice() {
        [] => problem.hint_call("look for it with", NextCall::to("search").with("query", name)),
        near => problem.hint(format!("the nearest: {}", near.join(", "))).detail("nearest", near),
    })
}
