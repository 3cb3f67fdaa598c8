//! `code.move`: moves a symbol or a file and rewrites imports, or nothing.

use base::words::counted;
use base::{EntityRef, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use crate::edits::SymbolPath;
use crate::edits::file_move::{MovedFile, move_file};
use crate::edits::rewrite_plan::{diff_of, planned_rewrites, text_diff};
use crate::edits::symbol_move::{MovedSymbol, move_symbol};
use crate::fix::renamed_references;
use crate::language_server::{FileRewrite, refuse_new_syntax_errors};
use engine::areas::code::named_node;
use engine::contract::args::{NodeTarget, Words};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::graph;
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::moved_confirmations;
use engine::view::View;

/// Move a symbol or a file to another path, and rewrite the imports, all or nothing
///
/// TypeScript, JavaScript and Python; items of Rust to another module of their crate; Go files inside
/// their package. Refused with the places where an import cannot be rewritten with certainty.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Symbol as path#name, or file
    pub target: NodeTarget,
    /// Path of the destination file; a symbol may be moved into an existing file
    pub to: Words,
}

/// What a move did
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeMoveAnswer {
    /// What was moved
    pub target: String,
    /// The file it is in now, or is now
    pub to: RepoPath,
    /// Other files that changed: those that use it, and the one it was in
    pub importers: Vec<RepoPath>,
    /// What changed
    pub diff: String,
}

impl Mutation for Move {
    const NAME: &'static str = "code.move";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample {
            args: "src/app.ts#parse src/parser.ts --dry-run",
            shows: "what moving a function would change",
        },
        OpExample { args: "src/util.ts src/text/util.ts", shows: "a file moved with its imports" },
    ];
    type Answer = CodeMoveAnswer;

    fn plan(self, view: &View) -> Result<Plan<CodeMoveAnswer>> {
        let to = path_to(view, self.to.as_str())?;
        let node = graph::resolve(view, &self.target)?;
        let mut plan = match SymbolPath::of(&node) {
            Some(symbol) => symbol_plan(&node, &to, move_symbol(view, symbol, &to)?)?,
            None => match node.path() {
                Some(path) if !matches!(node, EntityRef::Dir(_)) => {
                    let moved = move_file(view, path, &to)?;
                    file_plan(&node, path, &to, moved)?
                }
                _ => {
                    let message = format!("`{}` is neither a symbol nor a file", self.target);
                    return Err(
                        Problem::invalid(message).hint("name a symbol as path#name, or a file")
                    );
                }
            },
        };
        if let PlannedChange::Files(edits) = &mut plan.change {
            let named = renamed_references(view, edits, |one| moved_node(one, &node, &to))?;
            edits.extend(named);
            let moved = moved_confirmations(
                view,
                edits,
                |one| moved_node(one, &node, &to),
                |one| is_split(one, &node, &to),
            )?;
            edits.extend(moved);
        }
        Ok(plan)
    }
}

/// The new handle of a node that is the moved symbol or file or is inside it.
fn moved_node(one: &EntityRef, moved: &EntityRef, to: &RepoPath) -> EntityRef {
    match (moved, one) {
        (EntityRef::Symbol(from, outer), EntityRef::Symbol(path, name)) => {
            let rest = name.as_str().strip_prefix(outer.as_str());
            let is_inside = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            match path == from && is_inside {
                true => named_node(to, name.as_str()),
                false => one.clone(),
            }
        }
        (EntityRef::Symbol(..), _) => one.clone(),
        (_, EntityRef::Symbol(path, name)) if moved.path() == Some(path) => {
            named_node(to, name.as_str())
        }
        (_, EntityRef::Module(path)) if moved.path() == Some(path) => EntityRef::Module(to.clone()),
        (_, EntityRef::File(path)) if moved.path() == Some(path) => EntityRef::File(to.clone()),
        _ => one.clone(),
    }
}

/// Whether a node is a file that loses or gets the moved symbol.
fn is_split(one: &EntityRef, moved: &EntityRef, to: &RepoPath) -> bool {
    let EntityRef::Symbol(from, _) = moved else { return false };
    let (EntityRef::Module(path) | EntityRef::File(path)) = one else { return false };
    path == from || path == to
}

/// The path that a text means. It need not exist.
fn path_to(view: &View, text: &str) -> Result<RepoPath> {
    let text = text.trim();
    view.paths().check_inside(text)?;
    let path = view.paths().candidates(text).into_iter().last();
    let path = path.filter(|path| !path.is_root() && !text.contains('#') && !text.ends_with('/'));
    path.ok_or_else(|| {
        Problem::invalid(format!("`{text}` is not the path of a file"))
            .hint("name the file it moves to: src/text/util.ts")
    })
}

fn symbol_plan(
    node: &EntityRef,
    to: &RepoPath,
    moved: MovedSymbol,
) -> Result<Plan<CodeMoveAnswer>> {
    moved.files.iter().try_for_each(refuse_new_syntax_errors)?;
    let mut diff = diff_of(&moved.files);
    let files = paths_except(&moved.files, to);
    let PlannedChange::Files(mut edits) = planned_rewrites(moved.files) else {
        return Err(Problem::internal("a move has no change"));
    };
    if let Some((path, text)) = moved.created {
        diff.push_str(&text_diff(&path, "", &text));
        edits.push(FileEdit { path, expected: None, content: Some(text.into_bytes()) });
    }
    Ok(plan(node, to, files, diff, edits))
}

fn file_plan(
    node: &EntityRef,
    from: &RepoPath,
    to: &RepoPath,
    moved: MovedFile,
) -> Result<Plan<CodeMoveAnswer>> {
    let MovedFile { file, importers } = moved;
    refuse_new_syntax_errors(&file)?;
    importers.iter().try_for_each(refuse_new_syntax_errors)?;
    let own = text_diff(to, &file.before, &file.after);
    let diff = format!("rename from {from}\nrename to {to}\n{own}{}", diff_of(&importers));
    let files = paths_except(&importers, to);
    let mut edits = match planned_rewrites(importers) {
        PlannedChange::Files(edits) => edits,
        _ => Vec::new(),
    };
    let content = Some(file.after.into_bytes());
    edits.push(FileEdit { path: to.clone(), expected: None, content });
    edits.push(FileEdit { path: from.clone(), expected: Some(file.hash), content: None });
    Ok(plan(node, to, files, diff, edits))
}

fn paths_except(files: &[FileRewrite], except: &RepoPath) -> Vec<RepoPath> {
    files.iter().map(|file| file.path.clone()).filter(|path| path != except).collect()
}

fn plan(
    node: &EntityRef,
    to: &RepoPath,
    files: Vec<RepoPath>,
    diff: String,
    edits: Vec<FileEdit>,
) -> Plan<CodeMoveAnswer> {
    let answer =
        CodeMoveAnswer { target: node.to_string(), to: to.clone(), importers: files, diff };
    let summary = format!("Moved {node} to {to}");
    Plan { summary, change: PlannedChange::Files(edits), answer, retry_on_conflict: true }
}

impl Render for CodeMoveAnswer {
    fn render(&self, page: &mut Page) {
        let others = match self.importers.len() {
            0 => "no other file changed".to_owned(),
            count => format!("{} changed with it", counted(count, "other file")),
        };
        page.answer(format!("Moved {} to {}; {others}", self.target, self.to));
        page.diff(&self.diff);
    }

    fn shows_change(&self) -> bool {
        true
    }
}
