//! What `init` and `uninstall` share: writing the planned files and hooks.

use std::path::Path;
use std::sync::Arc;

use base::words::counted;
use base::{Call, Hash, NextCall, Problem, RepoPath, Result};
use git::HooksDir;
use schemars::JsonSchema;
use serde::Serialize;
use setup::{FileChange, GitHook};
use tree::{DiskWriter, FileEdit};

use crate::doctor::MAX_HOOK_BYTES;
use engine::contract::page::{Page, PageCell};
use engine::plan::{Plan, PlannedChange};
use engine::workspace::Workspace;

/// What happened to files of the repository
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct InstalledFiles {
    /// The files, each with what happened to it
    pub rows: Vec<InstalledFileRow>,
    /// The change's number, for `undo`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// What a dry run would change
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// One file
#[derive(Debug, Serialize, JsonSchema)]
pub struct InstalledFileRow {
    /// Where it is
    pub path: String,
    /// created, edited or deleted
    pub how: &'static str,
}

/// One hook
#[derive(Debug, Serialize, JsonSchema)]
pub struct InstalledHookRow {
    /// Its name
    pub name: String,
    /// created, edited or deleted
    pub how: &'static str,
    /// What was, or would be, changed
    pub diff: String,
}

/// Something that was not touched
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkippedFile {
    /// Its path or name
    pub path: String,
    /// Why, and what to do by hand
    pub why: String,
}

/// Reads a file of the repository for a plan. Symbolic links are not followed, because they lead to
/// other files.
pub(crate) fn existing_file_reader(workspace: &Workspace) -> impl Fn(&str) -> Option<Vec<u8>> + '_ {
    |path| {
        let path: RepoPath = path.parse().ok()?;
        workspace.tree.read(&path).ok()?.map(|blob| blob.bytes)
    }
}

/// Adds one more file to a plan.
pub(super) fn add_planned(
    plan: &mut setup::SetupPlan,
    change: Result<Option<FileChange>, setup::MalformedFile>,
) {
    match change {
        Ok(change) => plan.changes.extend(change),
        Err(reason) => {
            plan.refused.push(setup::SetupRefusal { path: ".gitattributes", reason });
        }
    }
}

/// Adds the merge driver to git's settings, or removes it from them.
pub(super) fn set_merge_driver(
    workspace: &Workspace,
    command: Option<&str>,
    call: &Call,
) -> Result<()> {
    let Some(git) = &workspace.git else { return Ok(()) };
    git.repo().set_merge_driver(call, setup::MERGE_DRIVER, command)
}

/// Commits the planned files like any other change, or shows them in a dry run.
pub(super) fn write_files(
    workspace: &Workspace,
    plan: impl Fn() -> setup::SetupPlan,
    summary: &str,
    dry_run: bool,
    call: &Arc<Call>,
) -> Result<(InstalledFiles, Vec<SkippedFile>)> {
    // Plans again if another process wrote in the meantime, because less may be left to do.
    let make = || {
        let (edits, rows, left) = edits(workspace, plan())?;
        let change =
            if edits.is_empty() { PlannedChange::Nothing } else { PlannedChange::Files(edits) };
        Ok(Plan {
            summary: summary.to_owned(),
            change,
            answer: (rows, left),
            retry_on_conflict: true,
        })
    };
    let written = match dry_run {
        true => workspace.preview(make()?)?,
        false => workspace.write(call, |_| make())?,
    };
    let (rows, left) = written.result;
    Ok((InstalledFiles { rows, change: written.change, diff: written.diff }, left))
}

/// The edits of a plan, a row for each, and the files that are not touched.
fn edits(
    workspace: &Workspace,
    plan: setup::SetupPlan,
) -> Result<(Vec<FileEdit>, Vec<InstalledFileRow>, Vec<SkippedFile>)> {
    let mut left = skipped_files(&plan);
    let (mut edits, mut rows) = (Vec::new(), Vec::new());
    for change in plan.changes {
        let path: RepoPath = change.path.parse().map_err(Problem::internal)?;
        if workspace.tree.stat(&path)?.is_some_and(|stat| stat.is_link()) {
            left.push(SkippedFile { path: path.to_string(), why: "it is a symbolic link".into() });
            continue;
        }
        rows.push(InstalledFileRow { path: path.to_string(), how: how(&change) });
        let expected = change.before.as_deref().map(Hash::of);
        edits.push(FileEdit { path, expected, content: change.after });
    }
    Ok((edits, rows, left))
}

fn skipped_files(plan: &setup::SetupPlan) -> Vec<SkippedFile> {
    let refused = plan.refused.iter().map(|refusal| {
        let hint = refusal.reason.hint.iter().map(|hint| format!("; {hint}"));
        let why = format!("{}{}", refusal.reason, hint.collect::<String>());
        SkippedFile { path: refusal.path.into(), why }
    });
    let customised = plan.customised.iter().map(|path| SkippedFile {
        path: (*path).into(),
        why: "it has an entry for cairn that you wrote yourself".into(),
    });
    refused.chain(customised.filter(|left| left.path != "cairn.jsonc")).collect()
}

/// Whether hooks are installed or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookChange {
    /// By `init`
    Install,
    /// By `uninstall`
    Remove,
}

/// Writes hooks into the folder that git uses, if it belongs to this repository alone.
pub(super) fn change_hooks(
    workspace: &Workspace,
    which: HookChange,
    dry_run: bool,
    left: &mut Vec<SkippedFile>,
    call: &Call,
) -> Result<Vec<InstalledHookRow>> {
    let Some(git) = &workspace.git else { return Ok(Vec::new()) };
    let folder = match (git.hooks_dir(call)?, which) {
        (HooksDir::Inside(folder), _) => folder,
        (HooksDir::Outside(folder), HookChange::Install) => {
            left.push(shared_hooks_folder(&folder));
            return Ok(Vec::new());
        }
        (HooksDir::Outside(_), HookChange::Remove) => return Ok(Vec::new()),
    };
    let read = |hook: GitHook| tree::read_regular(&folder.join(hook.name()), MAX_HOOK_BYTES).ok();
    let mut plan = match which {
        HookChange::Install => setup::plan_hooks_init(read),
        HookChange::Remove => setup::plan_hooks_uninstall(read),
    };
    left.extend(skipped_files(&plan));
    plan.changes.retain(|change| match reason_to_keep(&folder.join(change.path)) {
        Some(why) => {
            left.push(SkippedFile { path: format!("hook {}", change.path), why: why.into() });
            false
        }
        None => true,
    });
    let rows = plan.changes.iter().map(row).collect();
    if !dry_run && !plan.changes.is_empty() {
        write_hooks(workspace.disk(), &folder, &plan.changes)
            .map_err(Problem::io("write git's hooks"))?;
    }
    Ok(rows)
}

/// Why an existing hook is not touched; `None` if it may be edited.
fn reason_to_keep(hook: &Path) -> Option<&'static str> {
    let known = hook.symlink_metadata().ok()?;
    if known.is_symlink() {
        return Some("it is a symbolic link");
    }
    if tree::read_regular(hook, MAX_HOOK_BYTES).is_err() {
        return Some("it cannot be read");
    }
    let runs = platform::is_executable(&known);
    (!runs).then_some("it is disabled (not executable), and an edit would enable it")
}

fn row(change: &FileChange) -> InstalledHookRow {
    let text = |bytes: &Option<Vec<u8>>| {
        String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
    };
    let (before, after) = (text(&change.before), text(&change.after));
    let name = format!("hooks/{}", change.path);
    let diff = similar::TextDiff::from_lines(&before, &after);
    let diff = diff.unified_diff().header(&name, &name).to_string();
    InstalledHookRow { name: change.path.into(), how: how(change), diff }
}

fn write_hooks(disk: &DiskWriter, folder: &Path, changes: &[FileChange]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let folder = tree::open_folder(folder)?;
    for change in changes {
        let name = Path::new(change.path);
        match &change.after {
            Some(text) => disk.replace_program(&folder, name, text)?,
            None => disk.remove(&folder, name)?,
        }
    }
    Ok(())
}

/// Hooks that other repositories may share are not edited.
fn shared_hooks_folder(folder: &Path) -> SkippedFile {
    let lines: Vec<String> =
        GitHook::ALL.iter().map(|hook| format!("{}: {}", hook.name(), hook.block())).collect();
    let why = "it is outside the repository; to run cairn there, add these lines by hand";
    SkippedFile { path: folder.display().to_string(), why: format!("{why}\n{}", lines.join("\n")) }
}

const fn how(change: &FileChange) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "created",
        (_, None) => "deleted",
        _ => "edited",
    }
}

/// The numbers of files and hooks as text, without those that are zero.
pub(super) fn counted_files_and_hooks(
    files: &InstalledFiles,
    hooks: &[InstalledHookRow],
) -> String {
    let (files, hooks) = (files.rows.len(), hooks.len());
    let counts = [(files, counted(files, "file")), (hooks, counted(hooks, "git hook"))];
    let some = counts.into_iter().filter(|(count, _)| *count > 0);
    some.map(|(_, text)| text).collect::<Vec<_>>().join(" and ")
}

pub(super) fn render(
    page: &mut Page,
    files: &InstalledFiles,
    hooks: &[InstalledHookRow],
    left: &[SkippedFile],
) {
    let row = |how: &'static str, path: String| vec![PageCell::text(how), PageCell::handle(path)];
    let files_rows = files.rows.iter().map(|file| row(file.how, file.path.clone()));
    let hook_rows = hooks.iter().map(|hook| row(hook.how, format!("hook {}", hook.name)));
    page.table(2, files_rows.chain(hook_rows).collect());
    for left in left {
        let mut lines = left.why.lines();
        page.item(format!("not touched: {}", left.path), lines.next().unwrap_or_default());
        lines.for_each(|line| page.say(format!("    {line}")));
    }
    if let Some(diff) = &files.diff {
        page.diff(diff);
        for hook in hooks {
            page.diff(&hook.diff);
        }
    }
    if let Some(change) = &files.change {
        let apart = if hooks.is_empty() { "" } else { " (the files; hooks are not part of it)" };
        let undo = NextCall::new("undo").with("change", change.as_str());
        page.say_call(format!("change {change}{apart}"), undo);
    }
}
