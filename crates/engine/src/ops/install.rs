//! What `init` and `uninstall` share: planned texts become files and hooks.

use std::path::Path;
use std::sync::Arc;

use base::{Call, Hash, NextCall, Problem, RepoPath, Result};
use git::HooksDir;
use schemars::JsonSchema;
use serde::Serialize;
use setup::{FileChange, Hook};
use tree::{Disk, FileEdit};

use crate::contract::page::{Cell, Page};
use crate::plan::{Change, Plan};
use crate::workspace::Workspace;

/// A larger hook is left alone, in bytes.
pub(crate) const LARGEST_HOOK: u64 = 64 * 1024 * 1024;

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
    /// What was, or would be, changed
    pub diff: String,
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
    (plan, summary): (impl Fn() -> setup::Plan, &str),
    dry_run: bool,
    call: &Arc<Call>,
) -> Result<(Installed, Vec<Left>)> {
    // Made anew if somebody else wrote meanwhile: then there may be less to do.
    let make = || {
        let (edits, rows, left) = edits(workspace, plan())?;
        let change = if edits.is_empty() { Change::Nothing } else { Change::Files(edits) };
        Ok(Plan { summary: summary.to_owned(), change, answer: (rows, left), again: true })
    };
    let written = match dry_run {
        true => workspace.preview(make()?)?,
        false => workspace.write(call, |_| make())?,
    };
    let (rows, left) = written.result;
    Ok((Installed { rows, change: written.change, diff: written.diff }, left))
}

/// The edits of a plan, what they do, and what is left alone.
fn edits(
    workspace: &Workspace,
    plan: setup::Plan,
) -> Result<(Vec<FileEdit>, Vec<FileRow>, Vec<Left>)> {
    let mut left = left_alone(&plan);
    let (mut edits, mut rows) = (Vec::new(), Vec::new());
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
    Ok((edits, rows, left))
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

/// Whether hooks are put in or taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hooks {
    /// By `init`
    In,
    /// By `uninstall`
    Out,
}

/// Writes hooks into the folder git really uses, if it is this repository's own.
pub(super) fn hooks(
    workspace: &Workspace,
    which: Hooks,
    (dry_run, left): (bool, &mut Vec<Left>),
    call: &Call,
) -> Result<Vec<HookRow>> {
    let Some(git) = &workspace.git else { return Ok(Vec::new()) };
    let folder = match (git.hooks_dir(call)?, which) {
        (HooksDir::Inside(folder), _) => folder,
        (HooksDir::Outside(folder), Hooks::In) => {
            left.push(outside(&folder));
            return Ok(Vec::new());
        }
        (HooksDir::Outside(_), Hooks::Out) => return Ok(Vec::new()),
    };
    let read = |hook: Hook| tree::read_regular(&folder.join(hook.name()), LARGEST_HOOK).ok();
    let mut plan = match which {
        Hooks::In => setup::plan_hooks_init(read),
        Hooks::Out => setup::plan_hooks_uninstall(read),
    };
    left.extend(left_alone(&plan));
    plan.changes.retain(|change| match stays(&folder.join(change.path)) {
        Some(why) => {
            left.push(Left { path: format!("hook {}", change.path), why: why.into() });
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

/// Why a hook that is there is not touched: what its owner decided about it stays.
fn stays(hook: &Path) -> Option<&'static str> {
    let known = hook.symlink_metadata().ok()?;
    if known.is_symlink() {
        return Some("it is a link to somewhere else");
    }
    if tree::read_regular(hook, LARGEST_HOOK).is_err() {
        return Some("it cannot be read");
    }
    let runs = tree::may_run(&known);
    (!runs).then_some("it is switched off (not executable), and would run if it were edited")
}

fn row(change: &FileChange) -> HookRow {
    let text = |bytes: &Option<Vec<u8>>| {
        String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
    };
    let (before, after) = (text(&change.before), text(&change.after));
    let name = format!("hooks/{}", change.path);
    let diff = similar::TextDiff::from_lines(&before, &after);
    let diff = diff.unified_diff().header(&name, &name).to_string();
    HookRow { name: change.path.into(), how: how(change), diff }
}

fn write_hooks(disk: &Disk, folder: &Path, changes: &[FileChange]) -> std::io::Result<()> {
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

/// Hooks that other repositories may use too are not ours to edit.
fn outside(folder: &Path) -> Left {
    let lines: Vec<String> =
        Hook::ALL.iter().map(|hook| format!("{}: {}", hook.name(), hook.block())).collect();
    let why = "it is outside the repository and was not touched; to have cairn there, add by hand";
    Left { path: folder.display().to_string(), why: format!("{why}\n{}", lines.join("\n")) }
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
        for hook in hooks {
            page.diff(&hook.diff);
        }
    }
    if let Some(change) = &files.change {
        let apart = if hooks.is_empty() { "" } else { " (the files; hooks are not part of it)" };
        let undo = NextCall::to("undo").with("change", change.as_str());
        page.say_call(format!("change {change}{apart}"), undo);
    }
}
