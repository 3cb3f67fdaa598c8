//! `share`: knowledge as files of the repository, for review and for others.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::shared::{Merged, Prefer};
use base::{Call, Hash, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use crate::contract::args::Side;
use crate::contract::op::{Action, Effect, Example};
use crate::contract::page::{Page, Render};
use crate::layers::{kb, work};
use crate::plan::{Change, Plan};
use crate::shared;
use crate::view::View;
use crate::workspace::Workspace;

/// Write knowledge and the branch's facts as files, for review and for teammates
///
/// Molecules, atoms, their changelog, facts of the knowledge base: under `.cairn/shared/`, one
/// file a record. `sync` merges them elsewhere.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Whose records stay where both sides changed them
    #[arg(long, value_enum)]
    #[serde(default)]
    pub prefer: Option<Side>,
}

/// How many records that miss their files a page names.
const LISTED: usize = 6;

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
        let merged = merge_shared(workspace, call, Side::prefer(self.prefer))?;
        let written = workspace.write(call, |view| write_files(view, &merged))?;
        workspace.write(call, |view| work::shared::agree(view, &merged))?;
        workspace.write(call, |view| kb::shared::agree(view, &merged))?;
        Ok(Wrote { files: written.files, records: written.result, merged })
    }
}

/// Merges the shared files into the stores. Where nothing is shared, nothing is made.
pub(super) fn merge_shared(
    workspace: &Workspace,
    call: &Arc<Call>,
    prefer: Prefer,
) -> Result<Merged> {
    if !shared::has_files(&workspace.view(call.clone())?)? {
        return Ok(Merged::default());
    }
    let work = workspace.write(call, |view| work::shared::merge(view, prefer))?;
    let kb = workspace.write(call, |view| kb::shared::merge(view, prefer))?;
    Ok(work.result.and(kb.result))
}

/// The files as they should be; those that are to be settled first are left alone.
fn write_files(view: &View, merged: &Merged) -> Result<Plan<usize>> {
    let mut texts = work::shared::texts(view)?;
    texts.append(&mut kb::shared::texts(view)?);
    let known: BTreeMap<String, String> = shared::files(view)?;
    let is_settled = |path: &str| !merged.unsettled.contains(path);
    let mut edits = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| is_settled(path)) {
        let before = known.get(path);
        if before != Some(text) {
            edits.push(edit(path, before, Some(text))?);
        }
    }
    // After the merge, what is in the files and not in the store was deleted here.
    let is_record = |path: &String| is_settled(path) && merged.records.contains(path);
    for (path, before) in known.iter().filter(|(path, _)| is_record(path)) {
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
    if !merged.missing.is_empty() {
        let shown = merged.missing.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
        let count = merged.missing.len();
        page.item("shared before, and their files are gone", format!("{count}: {shown}"));
    }
    if !merged.conflicts.is_empty() || !merged.missing.is_empty() {
        page.say("`share --prefer ours` writes what is here, `--prefer theirs` takes the files'");
    }
    for path in &merged.unreadable {
        page.item("not a record", path);
    }
}
