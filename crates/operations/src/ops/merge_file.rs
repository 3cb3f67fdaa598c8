//! `merge_file`: git's merge driver for cards, shared records and confirmations.

use std::sync::Arc;

use base::{Call, Problem, RepoPath, Result};
use clap::Args;
use document::{MergeTexts, MergedText, merge_documents, merge_lines, merge_records};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::spec_links;
use engine::workspace::Workspace;

/// Merge a card, shared record or confirmation by field, as git's merge driver
///
/// Writes the result to the second file. Fields that both sides changed are marked, and the exit
/// code is 1. `init --merge-driver` tells git about it.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeFile {
    /// File that both sides started from (`%O`)
    pub base: String,
    /// File of this side, which the result is written to (`%A`)
    pub ours: String,
    /// File of the other side (`%B`)
    pub theirs: String,
    /// Path that the file has in the repository (`%P`); decides how it is read
    #[serde(default)]
    pub path: Option<String>,
}

/// The result of a merge
#[derive(Debug, Serialize, JsonSchema)]
pub struct MergeFileAnswer {
    /// The file that was merged
    pub path: String,
    /// Fields that both sides changed in different ways; `text` for the text below the fields
    pub conflicts: Vec<String>,
}

impl Action for MergeFile {
    const NAME: &'static str = "merge_file";
    const EFFECT: Effect = Effect::OVERWRITES;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "base.card.md ours.card.md theirs.card.md",
        shows: "three versions of a card",
    }];
    type Answer = MergeFileAnswer;

    fn run(self, workspace: &Workspace, _: &Arc<Call>) -> Result<MergeFileAnswer> {
        let read = |name: &str| read(workspace, name);
        let (base, ours, theirs) = (read(&self.base)?, read(&self.ours)?, read(&self.theirs)?);
        let path = self.path.clone().unwrap_or_else(|| self.ours.clone());
        let texts = MergeTexts { base: &base, ours: &ours, theirs: &theirs };
        let MergedText { text, conflicts } = merge(&path, texts);
        if text != ours {
            let target = repo_path(&self.ours)?;
            let root = workspace.tree.dir();
            workspace
                .disk()
                .replace(root, &target.to_relative(), text.as_bytes())
                .map_err(Problem::io("write the merged file"))?;
        }
        Ok(MergeFileAnswer { path, conflicts })
    }
}

fn merge(path: &str, texts: MergeTexts<'_>) -> MergedText {
    let is_below = |folder: &str| path.contains(&format!("{folder}/"));
    if is_below(spec_links::FOLDER) || is_below(base::shared::FOLDER) {
        merge_records(texts)
    } else if path.ends_with(".card.md") || texts.ours.starts_with("---") {
        merge_documents(texts)
    } else if texts.ours.contains("\n---\n") {
        merge_records(texts)
    } else {
        merge_lines(texts)
    }
}

fn repo_path(name: &str) -> Result<RepoPath> {
    let invalid = || Problem::invalid(format!("`{name}` is not a path in the repository"));
    RepoPath::normalised(name).and_then(Result::ok).ok_or_else(invalid)
}

/// The text of a file; empty if it does not exist, like git's base file if both sides added the
/// file.
fn read(workspace: &Workspace, name: &str) -> Result<String> {
    let Some(file) = workspace.tree.read(&repo_path(name)?)? else { return Ok(String::new()) };
    String::from_utf8(file.bytes).map_err(|_| Problem::invalid(format!("{name} is not UTF-8")))
}

impl Render for MergeFileAnswer {
    /// Renders only conflicts, because git shows everything that a merge driver prints.
    fn render(&self, page: &mut Page) {
        if !self.conflicts.is_empty() {
            page.answer(format!("{}: both sides changed {}", self.path, self.conflicts.join(", ")));
        }
    }

    fn has_findings(&self) -> bool {
        !self.conflicts.is_empty()
    }
}
