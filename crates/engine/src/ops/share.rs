//! `share`: knowledge as files of the repository, for review and for others.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Call, Hash, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;
use work::share::{Merged, agree, merge, texts};

use crate::contract::op::{Action, Effect, Example};
use crate::contract::page::{Page, Render};
use crate::layers::work::{look, plan, plan_bare, shared};
use crate::plan::{Change, Plan};
use crate::view::View;
use crate::workspace::Workspace;

/// Write molecules, atoms and their history as files, for review and for teammates
///
/// Under `.cairn/shared/`, one file a record. `sync` merges them elsewhere.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {}

/// What was written
#[derive(Debug, Serialize, JsonSchema)]
pub struct Wrote {
    /// Files that were written or removed
    pub files: Vec<RepoPath>,
    /// How many records are shared
    pub records: usize,
    /// What the files had and the store had not
    pub merged: Merged,
}

impl Action for Share {
    const NAME: &'static str = "share";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [Example] =
        &[Example { args: "", shows: "knowledge put where git keeps it" }];
    type Answer = Wrote;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<Wrote> {
        // First what others wrote comes in, so that nothing of theirs is overwritten.
        let merged = merge_shared(workspace, call)?;
        let written = workspace.write(call, |view| write_files(view, &merged))?;
        workspace.write(call, |view| plan(view, |()| "note what is shared".into(), agree))?;
        Ok(Wrote { files: written.files, records: written.result, merged })
    }
}

/// Merges the shared files into the store. Where nothing is shared, nothing is made.
pub(super) fn merge_shared(workspace: &Workspace, call: &Arc<Call>) -> Result<Merged> {
    if !shared::has_files(&workspace.view(call.clone())?)? {
        return Ok(Merged::default());
    }
    let written = workspace.write(call, |view| {
        let files = shared::files(view)?;
        plan_bare(view, |_| "merge shared knowledge".into(), |draft| merge(draft, &files))
    })?;
    Ok(written.result)
}

/// The files as they should be; those in conflict are left alone.
fn write_files(view: &View, merged: &Merged) -> Result<Plan<usize>> {
    let texts = look(view, texts)?;
    let known: BTreeMap<String, String> = shared::files(view)?;
    let is_disputed = |path: &str| {
        let id = path.rsplit('/').next().and_then(|name| name.strip_suffix(".md"));
        let of_id = |handle: &String| id.is_some_and(|id| handle.ends_with(id));
        merged.conflicts.iter().any(of_id) || merged.unreadable.iter().any(|file| file == path)
    };
    let mut edits = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| !is_disputed(path)) {
        let before = known.get(path);
        if before != Some(text) {
            edits.push(edit(path, before, Some(text))?);
        }
    }
    // After the merge, what is in the files and not in the store was deleted here.
    for (path, before) in known.iter().filter(|(path, _)| !is_disputed(path)) {
        if !texts.contains_key(path) {
            edits.push(edit(path, Some(before), None)?);
        }
    }
    let change = if edits.is_empty() { Change::Nothing } else { Change::Files(edits) };
    Ok(Plan { summary: "share knowledge".into(), change, answer: texts.len(), again: true })
}

fn edit(path: &str, before: Option<&String>, after: Option<&String>) -> Result<FileEdit> {
    Ok(FileEdit {
        path: path.parse().map_err(Problem::internal)?,
        expected: before.map(|text| Hash::of(text.as_bytes())),
        content: after.map(|text| text.as_bytes().to_vec()),
    })
}

impl Render for Wrote {
    fn render(&self, page: &mut Page) {
        let count = self.files.len();
        page.answer(format!(
            "{} records shared, {count} files changed under .cairn/shared",
            self.records
        ));
        say_merged(page, &self.merged);
    }
}

/// What came in from the shared files.
pub(super) fn say_merged(page: &mut Page, merged: &Merged) {
    if merged.is_nothing() {
        return;
    }
    let (added, updated) = (merged.added.len(), merged.updated.len());
    page.item("shared knowledge", format!("{added} records added, {updated} updated"));
    for handle in &merged.conflicts {
        page.item("conflict, changed here and there", handle);
    }
    for path in &merged.unreadable {
        page.item("not a record", path);
    }
}
