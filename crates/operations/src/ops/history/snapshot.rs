//! `history snapshot`: writes the history to one file.

use std::sync::Arc;

use base::words::counted;
use base::{Call, NextCall, Problem, ProblemCode, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::snapshots::{SnapshotRow, store};
use engine::areas::history::{HistoryReader, snapshot};
use engine::contract::op::{Action, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::view::View;
use engine::workspace::Workspace;

/// Write the history to one file, for a clone that lacks commits
///
/// `history restore` reads it. One is also written every `history.snapshot_frequency` commits.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeSnapshot {
    /// File of the repository to write to; the folder of snapshots if left out
    #[arg(long)]
    #[serde(default)]
    pub to: Option<String>,
}

/// The snapshot that was taken
#[derive(Debug, Serialize, JsonSchema)]
pub struct TakeSnapshotAnswer {
    /// Its name, size and commits
    pub snapshot: SnapshotRow,
    /// The file that was written, if one was named
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<RepoPath>,
}

impl Action for TakeSnapshot {
    const NAME: &'static str = "history.snapshot";
    const EFFECT: Effect = Effect::REBUILDS;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "a snapshot of the current history" },
        OpExample { args: "--to history.snapshot", shows: "a file that CI can keep" },
    ];
    type Answer = TakeSnapshotAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<TakeSnapshotAnswer> {
        let view = workspace.view(call.clone())?;
        let file = self.to.as_deref().map(|to| writable(&view, to)).transpose()?;
        let history = HistoryReader::open(&view)?;
        let (about, bytes) = snapshot::take_snapshot(history.stores(), view.config(), call)?;
        if about.commits == 0 {
            return Err(Problem::new(ProblemCode::InvalidOperation, "there are no commits yet")
                .hint("commit something first"));
        }
        let name = match &file {
            None => {
                let name = snapshot::default_name(&about);
                snapshot::write(&store(&view)?, &name, &bytes)?;
                name
            }
            Some(path) => {
                let failed = || Problem::io(format!("write {path}"));
                let root = tree::open_folder(workspace.tree.root()).map_err(failed())?;
                workspace.disk().replace(&root, &path.to_relative(), &bytes).map_err(failed())?;
                path.to_string()
            }
        };
        Ok(TakeSnapshotAnswer { snapshot: SnapshotRow::of(name, bytes.len() as u64, &about), file })
    }
}

/// A path to write to: a new one, or that of an older snapshot.
fn writable(view: &View, to: &str) -> Result<RepoPath> {
    let path = view.paths().resolve(to)?.into_iter().next();
    let path = path.ok_or_else(|| Problem::invalid(format!("`{to}` is not a path to write to")))?;
    let there = view.tree().read(&path)?;
    if there.is_some_and(|file| history::snapshot::read(&file.bytes).is_err()) {
        let text = format!("{path} exists and is not a snapshot");
        return Err(Problem::new(ProblemCode::Conflict, text).hint("name another file"));
    }
    Ok(path)
}

impl Render for TakeSnapshotAnswer {
    fn render(&self, page: &mut Page) {
        let SnapshotRow { name, commits, head, bytes, .. } = &self.snapshot;
        let size = bytes.div_ceil(1024);
        let commits = counted(*commits, "commit");
        page.answer(format!("{commits} up to {head} saved as {name}, {size} KB"));
        let restore = NextCall::new("history.restore").with("snapshot", name.as_str());
        page.say_call("To read them in a clone that lacks commits", restore);
    }
}
