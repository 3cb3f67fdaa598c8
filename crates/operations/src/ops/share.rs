//! `share`: writes knowledge as files of the repository, for review and for teammates.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::shared::{MergePreference, MergeReport, SharedProblemKind, is_tombstone};
use base::words::counted;
use base::{Call, Hash, NextCall, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use engine::areas::{kb, work};
use engine::contract::args::MergeSide;
use engine::contract::op::{Action, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::{Plan, PlannedChange};
use engine::shared_files;
use engine::view::View;
use engine::workspace::Workspace;

/// Write knowledge and the branch's facts as files, for review and for teammates
///
/// Molecules, atoms, their changelog, facts of the knowledge base: under `.cairn/shared/`, one file
/// per record. `sync` merges them elsewhere.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Whose records win where both sides changed them; refused if left out
    #[arg(long, value_enum)]
    #[serde(default)]
    pub prefer: Option<MergeSide>,
}

/// How many records without their files a page names.
const MAX_LISTED: usize = 6;

/// What was written
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShareAnswer {
    /// Files that were written or removed
    pub files: Vec<RepoPath>,
    /// How many records are shared
    pub records: usize,
    /// What was merged from the files into the store
    pub merged: MergeReport,
}

impl Action for Share {
    const NAME: &'static str = "share";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "knowledge as files that git can keep" }];
    type Answer = ShareAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<ShareAnswer> {
        // Merge what others wrote first, so that nothing of theirs is overwritten.
        let merged = merge_shared(workspace, call, MergeSide::prefer(self.prefer))?;
        let written = workspace.write(call, |view| write_files(view, &merged))?;
        // Now the files and the stores agree; this merge records that.
        merge_shared(workspace, call, MergePreference::Neither)?;
        Ok(ShareAnswer { files: written.files, records: written.result, merged })
    }
}

/// The actor that a merge of shared files is recorded for.
const SHARED_ACTOR: &str = "shared files";

/// Merges the shared files into the stores. Creates no store if nothing is shared.
pub(super) fn merge_shared(
    workspace: &Workspace,
    call: &Arc<Call>,
    prefer: MergePreference,
) -> Result<MergeReport> {
    // If the caller chose no side, the change belongs to the people who wrote the files, so the
    // caller's `undo` does not revert it.
    let call = &match prefer {
        MergePreference::Neither => Arc::new(call.on_behalf_of(SHARED_ACTOR)),
        MergePreference::Ours | MergePreference::Theirs => call.clone(),
    };
    let work = workspace.write(call, |view| work::shared::merge(view, prefer))?;
    let kb = workspace.write(call, |view| kb::shared::merge(view, prefer))?;
    Ok(work.result.combine(kb.result))
}

/// Plans the new texts of the files; files with conflicts are not changed.
fn write_files(view: &View, merged: &MergeReport) -> Result<Plan<usize>> {
    let known: BTreeMap<String, String> = shared_files::texts(view)?;
    let mut texts = work::shared::texts(view, &known)?;
    let facts = kb::shared::texts(view, &known)?;
    texts.extend(facts.into_iter().map(|(path, text)| (path, Some(text))));
    let is_settled = |path: &str| !merged.unresolved.contains(path);
    let mut edits = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| is_settled(path)) {
        let before = known.get(path);
        if before != text.as_ref() {
            edits.push(edit(path, before, text.as_ref())?);
        }
    }
    let change =
        if edits.is_empty() { PlannedChange::Nothing } else { PlannedChange::Files(edits) };
    let is_record = |text: &&Option<String>| text.as_ref().is_some_and(|text| !is_tombstone(text));
    let answer = texts.values().filter(is_record).count();
    Ok(Plan { summary: "share knowledge".into(), change, answer, retry_on_conflict: true })
}

fn edit(path: &str, before: Option<&String>, after: Option<&String>) -> Result<FileEdit> {
    Ok(FileEdit {
        path: path.parse().map_err(Problem::internal)?,
        expected: before.map(|text| Hash::of(text.as_bytes())),
        content: after.map(|text| text.as_bytes().to_vec()),
    })
}

impl Render for ShareAnswer {
    fn render(&self, page: &mut Page) {
        let (records, files) = (counted(self.records, "record"), counted(self.files.len(), "file"));
        page.answer(format!("{records} shared, {files} changed under .cairn/shared"));
        render_merged(page, &self.merged);
    }
}

/// Renders what was merged from the shared files.
pub(super) fn render_merged(page: &mut Page, merged: &MergeReport) {
    if merged.is_empty() {
        return;
    }
    let (added, updated) = (merged.added.len(), merged.updated.len());
    let removed = match merged.removed.len() {
        0 => String::new(),
        removed => format!(", {removed} deleted because their files were deleted elsewhere"),
    };
    let added = counted(added, "record");
    page.item("shared knowledge", format!("{added} added, {updated} updated{removed}"));
    for problem in &merged.problems {
        let what = match problem.kind {
            SharedProblemKind::Unreadable => "not a record",
            SharedProblemKind::Conflict => "conflict",
            SharedProblemKind::Rewritten => "rewritten changelog entry",
        };
        page.item(what, format!("{}: {}", problem.path, problem.reason));
    }
    if !merged.missing.is_empty() {
        let shown = merged.missing.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(", ");
        let count = merged.missing.len();
        page.item("records whose shared files were deleted", format!("{count}: {shown}"));
    }
    if !merged.conflicts.is_empty() || !merged.missing.is_empty() || !merged.rewritten.is_empty() {
        let share = |side: &str| NextCall::new("share").with("prefer", side);
        page.say_call("to keep this store's records", share("ours"));
        page.say_call("to take the files' records", share("theirs"));
    }
}
