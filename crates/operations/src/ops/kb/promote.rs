//! `kb.promote`: turns an entity of the store into a document, to be reviewed and shared like code.

use std::sync::Arc;

use base::{Call, Hash, NextCall, Problem, RepoPath, Result};
use clap::Args;
use kb::FactOrigin;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use engine::areas::kb::{KbChange, KbChangeKind, STORE, current_stamp, kb_state};
use engine::contract::op::{Action, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::{Plan, PlannedChange};
use engine::view::View;
use engine::workspace::Workspace;

/// Write an entity of the store as a document in the tree, for review
///
/// The entity then belongs to the document and is removed from the store. If interrupted, run it
/// again.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbPromote {
    /// Id of the entity
    pub id: String,
    /// File to write the document to; in the folder of its type if left out
    #[arg(long)]
    #[serde(default)]
    pub path: Option<RepoPath>,
    /// Show what would change, write nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

/// An entity that became a document
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbPromoteAnswer {
    /// The document
    pub path: RepoPath,
    /// Numbers of the changes, for `undo`: the document, then the store
    pub changes: Vec<String>,
    /// What a dry run would do
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    #[serde(skip)]
    id: String,
}

impl Action for KbPromote {
    const NAME: &'static str = "kb.promote";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "FACT-7", shows: "a fact written as a document" },
        OpExample { args: "REQ-9 --dry-run", shows: "the document that would be written" },
    ];
    type Answer = KbPromoteAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<KbPromoteAnswer> {
        let id = self.id.strip_prefix("kb:").unwrap_or(&self.id).to_owned();
        let write = |view: &View<'_>| self.document(view, &id);
        if self.dry_run {
            let planned = write(&workspace.view(call.clone())?)?;
            let shown = workspace.preview(planned)?;
            return Ok(KbPromoteAnswer {
                path: shown.result,
                changes: Vec::new(),
                diff: shown.diff,
                id,
            });
        }
        let written = workspace.write(call, write)?;
        let path = written.result;
        let handed = workspace.write(call, |view| hand_over(view, &id, &path))?;
        let changes = [written.change, handed.change].into_iter().flatten().collect();
        Ok(KbPromoteAnswer { path, changes, diff: None, id })
    }
}

impl KbPromote {
    /// Plans the document. If it already exists with the same content, nothing is written.
    fn document(&self, view: &View<'_>, id: &str) -> Result<Plan<RepoPath>> {
        let reading = view.store(STORE)?;
        let entities = reading.map(|reading| kb::entities(&reading.conn)).transpose()?;
        let entity = entities.unwrap_or_default().into_iter().find(|entity| entity.id == id);
        let Some(entity) = entity else { return Err(missing(view, id)?) };
        let relations = reading.map(|reading| kb::relations(&reading.conn)).transpose()?;
        let relations = relations.unwrap_or_default();
        let own: Vec<kb::KbRelation> = relations.into_iter().filter(|r| r.from == id).collect();
        let text = kb::to_document(&entity, &own);
        let path = match &self.path {
            Some(path) => path.clone(),
            None => kb::document_path(&entity).parse().map_err(Problem::invalid)?,
        };
        if !engine::areas::kb::is_document(view, &path)? {
            let message = format!("{path} is not among the documents of the knowledge base");
            return Err(Problem::invalid(message).hint("`kb.documents` in cairn.jsonc names them"));
        }
        let there = view.tree().read(&path)?.map(|blob| blob.bytes);
        if there.as_deref() == Some(text.as_bytes()) {
            let summary = String::new();
            return Ok(Plan {
                summary,
                change: PlannedChange::Nothing,
                answer: path,
                retry_on_conflict: true,
            });
        }
        if let Some(bytes) = there {
            let problem =
                Problem::new(base::ProblemCode::Conflict, format!("{path} already exists"));
            return Err(problem.detail("hash", Hash::of(&bytes).to_string()).hint_call(
                "name another file, for example with",
                NextCall::repeat().with("path", "docs/facts/NAME.md"),
            ));
        }
        let edit =
            FileEdit { path: path.clone(), expected: None, content: Some(text.into_bytes()) };
        let summary = format!("promote {id} to {path}");
        Ok(Plan {
            summary,
            change: PlannedChange::Files(vec![edit]),
            answer: path,
            retry_on_conflict: true,
        })
    }
}

fn missing(view: &View<'_>, id: &str) -> Result<Problem> {
    let known = kb_state(view)?;
    if let Some(FactOrigin::File(path, _)) = known.model.get(id).map(|fact| &fact.origin) {
        let message = format!("{id} is already in {path}");
        return Ok(Problem::new(base::ProblemCode::InvalidOperation, message));
    }
    let ids = known.model.facts().map(|fact| fact.entity.id.as_str());
    Ok(Problem::not_found(format!("no entity is called {id}")).hint_near(id, ids))
}

/// Plans to remove the entity from the store, because a file defines it now.
fn hand_over(view: &View<'_>, id: &str, path: &RepoPath) -> Result<Plan<()>> {
    let preview = format!("removes {id}: {path} has it now\n");
    let Some(reading) = view.store(STORE)? else { return Err(missing(view, id)?) };
    let stamp = current_stamp(view);
    let plan = kb::plan_promotion(&reading.conn, id, &path.to_string(), &stamp)?;
    let change = KbChange { kind: KbChangeKind::Apply(plan), author: Some(stamp), preview };
    let summary = format!("hand {id} over to {path}");
    Ok(Plan {
        summary,
        change: PlannedChange::Store(Arc::new(change)),
        answer: (),
        retry_on_conflict: true,
    })
}

impl Render for KbPromoteAnswer {
    fn render(&self, page: &mut Page) {
        match &self.diff {
            Some(diff) => {
                page.answer(format!("{} would become {}", self.id, self.path));
                page.diff(diff);
            }
            None => page.answer(format!("{} is now in {}; commit it", self.id, self.path)),
        }
        for change in &self.changes {
            let undo = NextCall::new("undo").with("change", change.as_str());
            page.say_call(format!("change {change}"), undo);
        }
    }
}
