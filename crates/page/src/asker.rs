//! Asks operations for a view, and collects the basis of their answers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Call, EntityRef, Problem, ProblemCode, Result};
use engine::contract::op::Query;
use engine::graph::{self, NodeDescription};
use engine::{Basis, BasisState, JsonObject, Outcome, View, Workspace};
use operations::ops;
use serde_json::Value;

/// The names of nodes. A node that is not in it is shown by its handle.
pub(crate) type NodeNames = BTreeMap<EntityRef, NodeDescription>;

/// Asks operations on behalf of one request.
pub(crate) struct Asker<'a> {
    workspace: &'a Workspace,
    call: Arc<Call>,
    bases: RefCell<Vec<Basis>>,
}

impl<'a> Asker<'a> {
    /// An asker for one call.
    pub(crate) fn new(workspace: &'a Workspace, call: Arc<Call>) -> Self {
        Self { workspace, call, bases: RefCell::default() }
    }

    /// The call that everything is asked for.
    pub(crate) fn call(&self) -> &Call {
        &self.call
    }

    /// The name of the repository's folder.
    pub(crate) fn repository_name(&self) -> String {
        let name = self.workspace.tree.root().file_name();
        name.map_or_else(|| "repository".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The typed answer of a query to arguments in JSON.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are asked")]
    pub(crate) fn ask<Q: Query>(&self, args: Value) -> Result<Q::Answer> {
        let read = |view: &View<'_>| parse::<Q>(args.clone())?.run(view);
        let (answer, basis) = self.workspace.read(&self.call, read)?;
        self.bases.borrow_mut().push(basis);
        Ok(answer)
    }

    /// The answer of a query that a view can do without: nothing where the repository has no
    /// such data. Wrong arguments, damage, timeouts and cancellation are still problems.
    pub(crate) fn ask_optional<Q: Query>(&self, args: Value) -> Result<Option<Q::Answer>> {
        parse::<Q>(args.clone())?;
        match self.ask::<Q>(args) {
            Ok(answer) => Ok(Some(answer)),
            Err(problem) => match problem.code {
                ProblemCode::Unavailable
                | ProblemCode::NotFound
                | ProblemCode::ValidationError
                | ProblemCode::Ambiguous
                | ProblemCode::InvalidOperation => Ok(None),
                _ => Err(problem),
            },
        }
    }

    /// The names of those nodes that would otherwise be shown by an id.
    pub(crate) fn names<'n>(
        &self,
        nodes: impl IntoIterator<Item = &'n EntityRef>,
    ) -> Result<NodeNames> {
        let has_id = |node: &&EntityRef| {
            matches!(node, EntityRef::Kb(_) | EntityRef::Record(..) | EntityRef::Card(_))
        };
        let nodes: Vec<&EntityRef> = nodes.into_iter().filter(has_id).collect();
        if nodes.is_empty() {
            return Ok(NodeNames::new());
        }
        let read = |view: &View<'_>| {
            let named = |node: &&EntityRef| Ok(((*node).clone(), graph::describe(view, node)?));
            nodes.iter().map(named).collect::<Result<NodeNames>>()
        };
        Ok(self.workspace.read(&self.call, read)?.0)
    }

    /// The state of everything that views show, as text: it differs after every change.
    pub(crate) fn state(&self) -> Result<String> {
        let look = |view: &View<'_>| {
            view.index()?;
            view.durables().iter().try_for_each(|store| view.store(store.name).map(drop))
        };
        let ((), basis) = self.workspace.read(&self.call, look)?;
        let revisions: Vec<String> =
            basis.revisions.iter().map(|(name, revision)| format!("{name} {revision}")).collect();
        let commit = basis.commit.clone().unwrap_or_default();
        self.bases.borrow_mut().push(basis);
        Ok(format!("{commit} · {}", revisions.join(", ")))
    }

    /// Runs any operation, as the other doors do.
    pub(crate) fn run(&self, operation: &str, args: JsonObject) -> Outcome {
        let op = ops::find(operation)?;
        op.call(self.workspace, self.call.child(|| None), args)
    }

    /// The basis of all answers so far: the least certain one, with the reasons of all.
    pub(crate) fn basis(&self) -> Option<Basis> {
        let bases = self.bases.borrow();
        let rank = |basis: &Basis| match basis.state {
            BasisState::Fresh => 0,
            BasisState::Partial => 1,
            BasisState::Stale => 2,
        };
        let mut shown = bases.iter().max_by_key(|basis| rank(basis))?.clone();
        for basis in bases.iter() {
            for reason in &basis.reasons {
                if !shown.reasons.contains(reason) {
                    shown.reasons.push(reason.clone());
                }
            }
            shown.edited = shown.edited.or(basis.edited);
        }
        Some(shown)
    }
}

fn parse<Q: Query>(args: Value) -> Result<Q> {
    serde_json::from_value(args).map_err(|error| Problem::invalid(error.to_string()))
}
