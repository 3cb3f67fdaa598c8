//! `code.edit`: replaces exact text, lines or a pattern in symbols and files, several at once.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use base::{EntityRef, Hash, Problem, ProblemCode, RepoPath, Result};
use clap::Args;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::TextDiff;
use syntax::Language;
use tree::FileEdit;

use crate::edits::text_edit::{self, EditSelection, TextEdit};
use crate::language_server::check_writable;
use engine::contract::args::{NodeTarget, Objects};
use engine::contract::op::{Effect, Mutation, OpExample, ToolVisibility};
use engine::contract::page::{Page, Render};
use engine::graph;
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

/// The most edits that one call makes.
const MAX_EDITS: usize = 100;

/// Edit text inside files or symbols, or create a file
///
/// Replaces exact text, lines or a pattern; several edits of several files are one change that
/// `undo` reverses. If a result would no longer parse, nothing is written.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// File, or symbol as path#name, to edit
    #[serde(default, alias = "path", alias = "file")]
    pub target: Option<NodeTarget>,
    /// Text to replace, exactly as it is written there
    #[arg(long)]
    #[serde(default, alias = "old_text", alias = "old_string")]
    pub old: Option<String>,
    /// New text. Empty deletes the match; without `old`, `lines` and `pattern` it makes a file
    #[arg(long)]
    #[serde(default, alias = "new_text", alias = "new_string")]
    pub new: Option<String>,
    /// Lines of the file to replace, as 10-20
    #[arg(long, conflicts_with = "old")]
    #[serde(default)]
    pub lines: Option<String>,
    /// Regular expression to replace; `$1` in `new` is a group
    #[arg(long, conflicts_with_all = ["old", "lines"])]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub pattern: Option<String>,
    /// Expected number of matches; 1 if left out
    #[arg(long)]
    #[serde(default)]
    pub count: Option<u32>,
    /// Several edits, each an object with the fields above
    #[arg(long)]
    #[serde(default)]
    pub edits: Option<Objects>,
}

/// One of several edits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EditRequest {
    #[serde(alias = "path", alias = "file")]
    target: NodeTarget,
    #[serde(default, alias = "old_text", alias = "old_string")]
    old: Option<String>,
    #[serde(default, alias = "new_text", alias = "new_string")]
    new: Option<String>,
    #[serde(default)]
    lines: Option<String>,
    #[serde(default)]
    pattern: Option<String>,
    #[serde(default)]
    count: Option<u32>,
}

/// What was edited
#[derive(Debug, Serialize, JsonSchema)]
pub struct EditAnswer {
    /// The files, each with what changed
    pub edited: Vec<EditedFile>,
    /// Whether the change is written. Then the caller knows it, and the page shows only its line
    /// numbers
    #[serde(skip)]
    is_written: bool,
}

/// One file that was edited
#[derive(Debug, Serialize, JsonSchema)]
pub struct EditedFile {
    /// The file
    pub path: RepoPath,
    /// How many places changed; 0 for a new file
    pub places: usize,
    /// Whether the file is new
    pub is_new: bool,
    /// The file's hash from now on
    pub hash: Hash,
    /// The lines of the new text that changed, as `10-12`
    pub lines: Vec<String>,
    /// What changed
    pub diff: String,
    /// How the result was checked
    pub checked: &'static str,
    /// Whether the caller gave the exact text or lines and so knows what changed
    #[serde(skip)]
    is_exact: bool,
}

impl Mutation for Edit {
    const NAME: &'static str = "code.edit";
    const EFFECT: Effect = Effect::OVERWRITES;
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample {
            args: "src/session.ts#Session.refresh --old 'retries: 3' --new 'retries: 5'",
            shows: "one place inside a method",
        },
        OpExample { args: "src/a.rs --lines 10-12 --new '' --dry-run", shows: "lines deleted" },
    ];
    type Answer = EditAnswer;

    fn plan(self, view: &View) -> Result<Plan<EditAnswer>> {
        let edits = self.all()?;
        let mut by_file: BTreeMap<RepoPath, Vec<ResolvedEdit>> = BTreeMap::new();
        let mut texts: BTreeMap<RepoPath, Option<String>> = BTreeMap::new();
        for edit in edits {
            let place = CodeEditTarget::find(view, &edit, &mut texts)?;
            by_file.entry(place.path.clone()).or_default().push(ResolvedEdit { place, edit });
        }
        let mut plan = EditAnswer { edited: Vec::new(), is_written: false };
        let mut changes = Vec::new();
        for (path, edits) in by_file {
            let before = texts.remove(&path).flatten();
            let (edited, change) = edit_file(path, before.as_deref(), &edits)?;
            changes.extend(change);
            plan.edited.push(edited);
        }
        let names: Vec<String> = plan.edited.iter().map(|one| one.path.to_string()).collect();
        let summary = format!("Edited {}", names.join(", "));
        let change =
            if changes.is_empty() { PlannedChange::Nothing } else { PlannedChange::Files(changes) };
        Ok(Plan { summary, change, answer: plan, retry_on_conflict: true })
    }

    fn committed(_: &View, answer: &mut EditAnswer) {
        answer.is_written = true;
    }
}

impl Edit {
    /// All edits, given one by one or as a list.
    fn all(self) -> Result<Vec<EditRequest>> {
        let Self { target, old, new, lines, pattern, count, edits } = self;
        let mut all = Vec::new();
        for value in edits.as_ref().map(Objects::get).unwrap_or_default() {
            let one = serde_json::from_value(value.clone()).map_err(|error| {
                Problem::invalid(format!("`edits` has an edit that cannot be read: {error}"))
                    .hint("each has target, new, and one of old, lines, pattern")
            })?;
            all.push(one);
        }
        if let Some(target) = target {
            all.push(EditRequest { target, old, new, lines, pattern, count });
        }
        if all.is_empty() || all.len() > MAX_EDITS {
            return Err(Problem::invalid(format!("`edits` has {} entries", all.len()))
                .hint(format!("give `target` with `old` and `new`, or 1 to {MAX_EDITS} `edits`")));
        }
        Ok(all)
    }
}

/// Where an edit may change something.
struct CodeEditTarget {
    path: RepoPath,
    /// The bytes of the symbol, or of the whole file
    within: Range<usize>,
    /// Its name in messages
    name: String,
}

struct ResolvedEdit {
    place: CodeEditTarget,
    edit: EditRequest,
}

impl CodeEditTarget {
    fn find(
        view: &View,
        edit: &EditRequest,
        texts: &mut BTreeMap<RepoPath, Option<String>>,
    ) -> Result<Self> {
        let creates = edit.old.is_none() && edit.lines.is_none() && edit.pattern.is_none();
        let node = match graph::resolve(view, &edit.target) {
            Ok(node) => node,
            Err(problem) if creates && problem.code == ProblemCode::NotFound => {
                return Self::new_file(view, edit, texts, problem);
            }
            Err(problem) => return Err(problem),
        };
        let (path, symbol) = match &node {
            EntityRef::Symbol(path, name) => (path, Some(name.as_str())),
            EntityRef::Module(path) | EntityRef::File(path) => (path, None),
            other => {
                return Err(Problem::invalid(format!("{other} is neither a file nor a symbol")));
            }
        };
        if !texts.contains_key(path) {
            texts.insert(path.clone(), Some(read(view, path)?));
        }
        let text = texts[path].as_deref().unwrap_or_default();
        let within = match symbol {
            None => 0..text.len(),
            Some(name) => symbol_range(path, text, name)?,
        };
        Ok(Self { path: path.clone(), within, name: node.short_handle() })
    }

    /// Creates a file that does not exist yet.
    fn new_file(
        view: &View,
        edit: &EditRequest,
        texts: &mut BTreeMap<RepoPath, Option<String>>,
        problem: Problem,
    ) -> Result<Self> {
        let text = edit.target.as_str().trim();
        let paths = view.paths().candidates(text.strip_prefix("file:").unwrap_or(text));
        let path = paths.into_iter().last().filter(|path| !path.is_root() && !text.contains('#'));
        let path = path.ok_or(problem)?;
        view.paths().check_inside(text)?;
        if view.tree().stat(&path)?.is_some() {
            return Err(Problem::new(ProblemCode::Conflict, format!("`{path}` already exists"))
                .hint("give `old`, `lines` or `pattern` to edit it"));
        }
        texts.insert(path.clone(), None);
        Ok(Self { name: path.to_string(), path, within: 0..0 })
    }
}

fn read(view: &View, path: &RepoPath) -> Result<String> {
    check_writable(view, path)?;
    let blob = view.tree().read(path)?;
    let blob = blob.ok_or_else(|| Problem::not_found(format!("`{path}` no longer exists")))?;
    String::from_utf8(blob.bytes)
        .map_err(|_| Problem::new(ProblemCode::InvalidOperation, format!("`{path}` is not UTF-8")))
}

/// The bytes of a symbol, with its comments and attributes.
fn symbol_range(path: &RepoPath, text: &str, name: &str) -> Result<Range<usize>> {
    let missing = || Problem::not_found(format!("no symbol `{name}` in {path}"));
    let language = Language::from_path(path).ok_or_else(missing)?;
    let spans = syntax::edit::symbol_spans(language, text, name).map_err(|_| missing())?;
    spans.first().map(|span| span.range()).ok_or_else(missing)
}

/// The next text of a file, refused if it no longer parses.
fn edit_file(
    path: RepoPath,
    before: Option<&str>,
    edits: &[ResolvedEdit],
) -> Result<(EditedFile, Option<FileEdit>)> {
    let text = before.unwrap_or_default();
    let mut patterns = Vec::new();
    for one in edits {
        patterns.push(one.edit.pattern.as_deref().map(compile).transpose()?);
    }
    let mut resolved = Vec::new();
    for (one, pattern) in edits.iter().zip(&patterns) {
        resolved.push(TextEdit {
            within: one.place.within.clone(),
            selection: selection(&one.edit, pattern.as_ref(), before.is_none())?,
            new: one.edit.new.as_deref().unwrap_or_default(),
            count: one.edit.count.map_or(1, |count| count as usize),
        });
    }
    let name = edits.first().map_or_else(|| path.to_string(), |one| one.place.name.clone());
    let (next, places) = text_edit::apply_edits(&name, text, &resolved)?;
    let checked = check_syntax(&path, text, &next)?;
    let edited = EditedFile {
        places: if before.is_none() { 0 } else { places },
        is_new: before.is_none(),
        hash: Hash::of(next.as_bytes()),
        lines: changed_lines(text, &next),
        diff: TextDiff::from_lines(text, &next).unified_diff().to_string(),
        checked,
        is_exact: patterns.iter().all(Option::is_none),
        path: path.clone(),
    };
    let expected = before.map(|text| Hash::of(text.as_bytes()));
    let is_same = before == Some(next.as_str());
    let change = FileEdit { path, expected, content: Some(next.into_bytes()) };
    Ok((edited, (!is_same).then_some(change)))
}

/// The lines of a new text that an old one does not have there, as `10-12`; a deletion is named by
/// the line after it.
fn changed_lines(before: &str, after: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(before, after);
    let changed = diff.ops().iter().filter(|op| op.tag() != similar::DiffTag::Equal);
    changed
        .map(|op| {
            let range = op.new_range();
            match range.len() {
                0 | 1 => format!("{}", range.start + 1),
                _ => format!("{}-{}", range.start + 1, range.end),
            }
        })
        .collect()
}

fn compile(pattern: &str) -> Result<Regex> {
    Regex::new(pattern).map_err(|error| {
        Problem::invalid(format!("invalid regular expression in `pattern`: {error}"))
    })
}

fn selection<'a>(
    edit: &'a EditRequest,
    pattern: Option<&'a Regex>,
    is_new: bool,
) -> Result<EditSelection<'a>> {
    let given = [edit.old.is_some(), edit.lines.is_some(), edit.pattern.is_some()];
    let one_of = || {
        Problem::invalid(format!(
            "the edit of {} needs exactly one of `old`, `lines` and `pattern`",
            edit.target
        ))
        .hint("`new` alone creates a file")
    };
    match given.iter().filter(|given| **given).count() {
        0 if is_new && edit.new.is_some() => Ok(EditSelection::Whole),
        1 => {
            match (&edit.old, &edit.lines, pattern) {
                (Some(old), ..) if old.is_empty() => Err(Problem::invalid("`old` is empty")
                    .hint("name the text to replace, or use `lines`")),
                (Some(old), ..) => Ok(EditSelection::Exact(old)),
                (_, Some(lines), _) => line_range(lines),
                (_, _, Some(pattern)) => Ok(EditSelection::Pattern(pattern)),
                _ => Err(one_of()),
            }
        }
        _ => Err(one_of()),
    }
}

fn line_range<'a>(lines: &str) -> Result<EditSelection<'a>> {
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) => Ok(EditSelection::Lines(first, last)),
        _ => Err(Problem::invalid(format!("invalid line range `{lines}`"))
            .hint("write the first and last line, counted from 1, such as 10-20")),
    }
}

/// The note for a file in a language that cairn does not parse.
const NOT_PARSED: &str = "not parsed: not a language that cairn parses";

/// Refuses a text that has more syntax errors than before.
fn check_syntax(path: &RepoPath, before: &str, next: &str) -> Result<&'static str> {
    let is_parsed = |language: &Language| language.is_code() && !language.is_left_out();
    let Some(language) = Language::from_path(path).filter(is_parsed) else {
        return Ok(NOT_PARSED);
    };
    let errors = |text: &str| syntax::extract(Some(language), text.as_bytes()).errors;
    let found = errors(next);
    if found.len() <= errors(before).len() {
        return Ok("parsed: no new syntax errors");
    }
    let error = &found[0];
    let message = format!("`{path}` would no longer parse: {}", error.message);
    let place = format!("{}:{}", error.line, error.column);
    Err(Problem::new(ProblemCode::SyntaxError, format!("{message}, at {place} of the result"))
        .detail("syntax_error", true)
        .detail("line", error.line)
        .detail("column", error.column)
        .hint("nothing was written; correct the edit and repeat it"))
}

/// The longest diff that is shown to a caller who knows what changed, in lines.
const MAX_KNOWN_DIFF_LINES: usize = 12;

impl EditedFile {
    /// Whether the caller knows what changed, and a diff would only repeat it.
    fn is_known(&self) -> bool {
        !self.is_new && self.is_exact && self.diff.lines().count() > MAX_KNOWN_DIFF_LINES
    }
}

impl Render for EditAnswer {
    fn render(&self, page: &mut Page) {
        let places: usize = self.edited.iter().map(|one| one.places).sum();
        let new = self.edited.iter().filter(|one| one.is_new).count();
        let mut parts = Vec::new();
        if new > 0 {
            parts.push(format!("Created {}", base::words::counted(new, "file")));
        }
        if places > 0 || new == 0 {
            let files = base::words::counted(self.edited.len() - new, "file");
            parts.push(format!("Edited {} in {files}", base::words::counted(places, "place")));
        }
        page.answer(parts.join("; "));
        for one in &self.edited {
            if self.is_written && one.is_known() {
                let noun = base::words::agreeing(one.lines.len(), "line");
                page.say(format!("{}: {noun} {}", one.path, one.lines.join(", ")));
                continue;
            }
            if self.edited.len() > 1 || one.is_new {
                page.say(&one.path);
            }
            if !one.is_new {
                page.diff(&one.diff);
            }
        }
        let checks: BTreeSet<&str> = self.edited.iter().map(|one| one.checked).collect();
        checks.into_iter().filter(|check| *check != NOT_PARSED).for_each(|check| page.say(check));
    }

    fn shows_change(&self) -> bool {
        self.edited.iter().all(|one| !one.is_new)
    }
}
