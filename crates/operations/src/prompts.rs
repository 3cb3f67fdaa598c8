//! Ready-made requests that a person picks in their client: one function and one line in
//! [`PROMPTS`].

mod workflows;

use std::collections::BTreeMap;

use base::{Problem, Result};

use engine::areas::files;
use engine::view::View;

/// How many completions are offered at most.
const MAX_COMPLETIONS: usize = 100;

/// A ready-made request.
pub struct Prompt {
    /// Its name
    pub name: &'static str,
    /// When to pick it
    pub description: &'static str,
    /// What it asks for
    pub arguments: &'static [PromptArgument],
    /// Writes the request
    pub write: fn(&View<'_>, &PromptArguments) -> Result<String>,
    /// Completions for the start of an argument
    pub complete: fn(&View<'_>, &str, &str) -> Result<Vec<String>>,
}

/// Something a prompt asks for.
pub struct PromptArgument {
    /// Its name
    pub name: &'static str,
    /// What to give
    pub description: &'static str,
    /// Whether it must be given
    pub required: bool,
}

/// The arguments that were given, by name.
pub type PromptArguments = BTreeMap<String, String>;

/// Every prompt.
pub const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "before_i_edit",
        description: "Gather what to know before editing some files",
        arguments: &[PromptArgument {
            name: "paths",
            description: "Files or folders, with commas between them",
            required: true,
        }],
        write: before_i_edit,
        complete: |view, _, begun| complete_last_path(view, begun),
    },
    workflows::DISCOVERY,
    workflows::PLANNING,
    workflows::EXECUTION,
];

fn before_i_edit(_: &View<'_>, given: &PromptArguments) -> Result<String> {
    let paths = given.get("paths").map(String::as_str).unwrap_or_default();
    let paths: Vec<&str> =
        paths.split(',').map(str::trim).filter(|path| !path.is_empty()).collect();
    if paths.is_empty() {
        return Err(Problem::invalid("`paths` names no file").hint("give one or more paths"));
    }
    let list = paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    Ok(format!(
        "I am about to edit {list}. Before you change anything:\n\
         1. Call `context` with these targets and read what it says must hold.\n\
         2. Call `impact` for each of them and note what the change would reach.\n\
         3. If an answer's basis says `stale` or `partial`, say what was not looked at.\n\
         Then tell me in a few lines: what these files are for, what I must not break, what else \
         has to change with them, and what you could not find out. Quote handles so that I can \
         look them up. Do not edit yet."
    ))
}

/// Completes the last of several paths with commas between them.
fn complete_last_path(view: &View<'_>, begun: &str) -> Result<Vec<String>> {
    let (before, last) = match begun.rsplit_once(',') {
        Some((before, last)) => (format!("{before}, "), last.trim_start()),
        None => (String::new(), begun),
    };
    let paths = files::all_paths(view)?;
    let fitting = paths.iter().map(ToString::to_string).filter(|path| path.starts_with(last));
    let mut fitting: Vec<String> = fitting.map(|path| format!("{before}{path}")).collect();
    fitting.sort();
    fitting.truncate(MAX_COMPLETIONS);
    Ok(fitting)
}
