//! What `init` and `uninstall` share: planned texts become files and hooks.

use std::path::Path;
use std::sync::Arc;

use base::{Call, Hash, Problem, RepoPath, Result};
use git::HooksDir;
use schemars::JsonSchema;
use serde::Serialize;
use setup::{FileChange, Hook};
use tree::{Disk, FileEdit, Folder};

use crate::contract::page::{Cell, Page};
use crate::plan::{Change, Plan};
use crate::workspace::Workspace;

/// What happened to files of the repository
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Installed {
    /// The files, each with what happened to it
    pub rows: Vec<FileRow>,
    /// The change's number, for `undo`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// What a dry run would do
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// One file
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileRow {
    /// Where it is
    pub path: String,
    /// created, edited or deleted
    pub how: &'static str,
}

/// One hook
#[derive(Debug, Serialize, JsonSchema)]
pub struct HookRow {
    /// Its name
    pub name: String,
    /// created, edited or deleted
    pub how: &'static str,
}

/// Something that was left alone
#[derive(Debug, Serialize, JsonSchema)]
pub struct Left {
    /// What
    pub path: String,
    /// Why, and what to do by hand
    pub why: String,
}

/// Reads a file of the repository for a plan. A link is left alone: it is another file.
pub(super) fn existing(workspace: &Workspace) -> impl Fn(&str) -> Option<Vec<u8>> + '_ {
    |path| {
        let path: RepoPath = path.parse().ok()?;
        workspace.tree.read(&path).ok()?.map(|blob| blob.bytes)
    }
}

/// Commits planned files like any other change, or shows them.
pub(super) fn write_files(
    workspace: &Workspace,
    (plan, summary): (setup::Plan, &str),
    dry_run: bool,
    call: &Arc<Call>,
) -> Result<(Installed, Vec<Left>)> {
    let mut left = left_alone(&plan);
    let mut edits = Vec::new();
    let mut rows = Vec::new();
    for change in plan.changes {
        let path: RepoPath = change.path.parse().map_err(Problem::internal)?;
        if workspace.tree.stat(&path)?.is_some_and(|stat| stat.is_link()) {
            left.push(Left { path: path.to_string(), why: "it is a symbolic link".into() });
            continue;
        }
        rows.push(FileRow { path: path.to_string(), how: how(&change) });
        let expected = change.before.as_deref().map(Hash::of);
        edits.push(FileEdit { path, expected, content: change.after });
    }
    let change = if edits.is_empty() { Change::Nothing } else { Change::Files(edits) };
    let plan = || Plan { summary: summary.to_owned(), change: change.clone(), answer: () };
    let written = match dry_run {
        true => workspace.preview(plan())?,
        false => workspace.write(call, |_| Ok(plan()))?,
    };
    Ok((Installed { rows, change: written.change, diff: written.diff }, left))
}

fn left_alone(plan: &setup::Plan) -> Vec<Left> {
    let refused = plan.refused.iter().map(|refusal| {
        let hint = refusal.why.hint.iter().map(|hint| format!("; {hint}"));
        let why = format!("{}{}", refusal.why, hint.collect::<String>());
        Left { path: refusal.path.into(), why }
    });
    let customised = plan
        .customised
        .iter()
        .map(|path| Left { path: (*path).into(), why: "it has an entry of your own".into() });
    refused.chain(customised.filter(|left| left.path != "cairn.jsonc")).collect()
}

/// Writes hooks into the folder git really uses, if it is this repository's own.
pub(super) fn hooks(
    workspace: &Workspace,
    plan: impl Fn(&dyn Fn(Hook) -> Option<Vec<u8>>) -> setup::Plan,
    (dry_run, left): (bool, &mut Vec<Left>),
    call: &Call,
) -> Result<Vec<HookRow>> {
    let Some(git) = &workspace.git else { return Ok(Vec::new()) };
    let folder = match git.hooks_dir(call)? {
        HooksDir::Inside(folder) => folder,
        HooksDir::Outside(folder) => {
            left.push(outside(&folder, &plan(&|_| None)));
            return Ok(Vec::new());
        }
    };
    let read = |hook: Hook| std::fs::read(folder.join(hook.name())).ok();
    let plan = plan(&read);
    left.extend(left_alone(&plan));
    let rows = plan.changes.iter().map(|c| HookRow { name: c.path.into(), how: how(c) }).collect();
    if !dry_run && !plan.changes.is_empty() {
        write_hooks(workspace.disk(), &folder, &plan.changes)
            .map_err(Problem::io("write git's hooks"))?;
    }
    Ok(rows)
}

fn write_hooks(disk: &Disk, folder: &Path, changes: &[FileChange]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let folder = tree::open_folder(folder)?;
    for change in changes {
        let name = Path::new(change.path);
        match &change.after {
            Some(text) => {
                disk.replace(&folder, name, text)?;
                make_executable(&folder, name)?;
            }
            None => disk.remove(&folder, name)?,
        }
    }
    Ok(())
}

#[cfg(unix)]
fn make_executable(folder: &Folder, name: &Path) -> std::io::Result<()> {
    tree::make_executable(folder, name)
}

#[cfg(not(unix))]
fn make_executable(_: &Folder, _: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Hooks that other repositories may use too are not ours to edit.
fn outside(folder: &Path, plan: &setup::Plan) -> Left {
    let names: Vec<&str> = plan.changes.iter().map(|change| change.path).collect();
    let lines: Vec<String> =
        Hook::ALL.iter().map(|hook| format!("{}: {}", hook.name(), hook.block())).collect();
    let why = format!(
        "it is outside the repository and was not touched; to have {} there, add by hand\n{}",
        names.join(", "),
        lines.join("\n")
    );
    Left { path: folder.display().to_string(), why }
}

const fn how(change: &FileChange) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "created",
        (_, None) => "deleted",
        _ => "edited",
    }
}

pub(super) fn render(page: &mut Page, files: &Installed, hooks: &[HookRow], left: &[Left]) {
    let row = |how: &'static str, path: String| vec![Cell::text(how), Cell::handle(path)];
    let files_rows = files.rows.iter().map(|file| row(file.how, file.path.clone()));
    let hook_rows = hooks.iter().map(|hook| row(hook.how, format!("hook {}", hook.name)));
    page.table(2, files_rows.chain(hook_rows).collect());
    for left in left {
        let mut lines = left.why.lines();
        page.item(format!("left alone: {}", left.path), lines.next().unwrap_or_default());
        lines.for_each(|line| page.say(format!("    {line}")));
    }
    if let Some(diff) = &files.diff {
        page.diff(diff);
    }
    if let Some(change) = &files.change {
        page.say_next(format!("change {change}"), format!("undo --change {change}"));
    }
}
