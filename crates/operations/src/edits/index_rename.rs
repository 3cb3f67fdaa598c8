//! Renaming by the index alone, only if every mention certainly means the symbol.

use base::entity::own_name;
use base::words::counted;
use base::{NextCall, Problem, ProblemCode, RepoPath, Result};
use code::{EdgeConfidence, SymbolEndpoint, SymbolRelation, SymbolRow};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use syntax::Language;
use syntax::edit::{IdentifierMention, find_mentions};

use super::SymbolPath;
use crate::language_server::{FileRewrite, check_writable};
use engine::areas::code::symbol_node;
use engine::index::tables;
use engine::view::View;

/// How many places a refusal lists.
const MAX_LISTED: usize = 12;

/// Calls by name that are looked at.
const MAX_CALLS_BY_NAME: u32 = 50;

/// A file that mentions the name.
struct FileWithMentions {
    path: RepoPath,
    text: String,
    hash: base::Hash,
    mentions: Vec<IdentifierMention>,
}

/// The files with another name for a symbol, or an error that says which mentions are not certain.
pub(crate) fn rename_by_index(
    view: &View,
    symbol: SymbolPath<'_>,
    new: &str,
) -> Result<Vec<FileRewrite>> {
    let SymbolPath { path, name: full } = symbol;
    let language = Language::from_path(path)
        .ok_or_else(|| Problem::internal("a symbol in a file without a language"))?;
    let name = own_name(full);
    let conn = view.index()?.conn();
    let row = code::symbol(conn, path, full)?;
    let row = row.ok_or_else(|| Problem::not_found(format!("no symbol `{full}` in {path}")))?;
    check_name_is_unique(view, &row, language, name)?;
    let known = certain_use_lines(view, symbol)?;
    let files = files_mentioning(view, language, name)?;
    let doubtful = doubtful_mentions(&files, &row, &known);
    if !doubtful.is_empty() {
        return Err(uncertain_problem(
            format!("{} mentions of `{name}` may refer to something else", doubtful.len()),
            doubtful,
        ));
    }
    let taken = files_mentioning(view, language, new)?;
    if let Some(clash) = taken.iter().find(|one| files.iter().any(|file| file.path == one.path)) {
        return Err(uncertain_problem(
            format!("`{new}` is already a name in {}", clash.path),
            Vec::new(),
        ));
    }
    files.iter().try_for_each(|file| check_writable(view, &file.path))?;
    Ok(files.into_iter().map(|file| rewrite(file, new)).collect())
}

/// One file with another name for a symbol, if every mention in it certainly means the symbol.
pub(super) fn rename_in_file(
    view: &View,
    symbol: SymbolPath<'_>,
    file: &RepoPath,
    new: &str,
) -> Result<Option<FileRewrite>> {
    let SymbolPath { path, name: full } = symbol;
    let Some(row) = code::symbol(view.index()?.conn(), path, full)? else { return Ok(None) };
    let Ok(known) = certain_use_lines(view, symbol) else { return Ok(None) };
    let Some(language) = Language::from_path(file) else { return Ok(None) };
    let Some(found) = mentions_in(view.tree(), file, language, own_name(full))? else {
        return Ok(None);
    };
    let is_certain = doubtful_mentions(std::slice::from_ref(&found), &row, &known).is_empty();
    Ok(is_certain.then(|| rewrite(found, new)))
}

/// Whether code of one file can use that of another by its name.
pub(super) fn same_language_family(one: &RepoPath, other: &RepoPath) -> bool {
    Language::from_path(one).map(Language::family)
        == Language::from_path(other).map(Language::family)
}

fn uncertain_problem(why: String, places: Vec<String>) -> Problem {
    let shown: Vec<String> = places.into_iter().take(MAX_LISTED).collect();
    let problem = Problem::new(ProblemCode::Blocked, why).detail("places", shown.clone());
    let problem = shown
        .first()
        .into_iter()
        .fold(problem, |problem, first| problem.hint(format!("first: {first}")));
    problem.hint_call(
        "nothing was written; a language server could decide, see",
        NextCall::new("doctor"),
    )
}

/// Refuses a name that other symbols have too, or that is called on values of unknown type.
fn check_name_is_unique(
    view: &View,
    row: &SymbolRow,
    language: Language,
    name: &str,
) -> Result<()> {
    let conn = view.index()?.conn();
    let kin = |path: &RepoPath| {
        Language::from_path(path).map(Language::family) == Some(language.family())
    };
    let others = code::symbols_with_name(conn, name)?;
    let others = others.iter().filter(|other| kin(&other.path));
    let others: Vec<String> = others
        .filter(|other| (&other.path, &other.full) != (&row.path, &row.full))
        .map(|other| symbol_node(other).to_string())
        .collect();
    if !others.is_empty() {
        return Err(uncertain_problem(
            format!("other symbols are called `{name}` too ({})", others.len()),
            others,
        ));
    }
    let calls = code::unresolved_calls(conn, name, MAX_CALLS_BY_NAME)?.into_iter();
    let calls: Vec<String> = calls
        .filter(|(path, ..)| kin(path))
        .map(|(path, _, line)| format!("{path}:{line}"))
        .collect();
    if !calls.is_empty() {
        let why = format!("`{name}` is called on values of unknown type ({})", calls.len());
        return Err(uncertain_problem(why, calls));
    }
    Ok(())
}

/// The lines that use the symbol for certain, by file. One that is only inferred is refused.
fn certain_use_lines(
    view: &View,
    symbol: SymbolPath<'_>,
) -> Result<BTreeMap<RepoPath, BTreeSet<u32>>> {
    let SymbolPath { path, name } = symbol;
    let conn = view.index()?.conn();
    let mut lines: BTreeMap<RepoPath, BTreeSet<u32>> = BTreeMap::new();
    let mut inferred = Vec::new();
    for edge in code::edges_to(conn, &[SymbolEndpoint::new(path, name)], &SymbolRelation::ALL)? {
        if edge.sure == EdgeConfidence::Inferred {
            inferred.push(match edge.line {
                0 => edge.from.0.to_string(), // the line is not known
                line => format!("{}:{line}", edge.from.0),
            });
        }
        lines.entry(edge.from.0).or_default().insert(edge.line);
    }
    for taker in code::importers(conn, path)? {
        lines.entry(taker.path).or_default();
    }
    lines.entry(path.clone()).or_default();
    if !inferred.is_empty() {
        let uses = counted(inferred.len(), "use");
        return Err(uncertain_problem(format!("only inferred: {uses}"), inferred));
    }
    Ok(lines)
}

/// Mentions that may mean something else: in a file without an edge to the symbol, as a member on a
/// line without an edge, or beside a local name.
fn doubtful_mentions(
    files: &[FileWithMentions],
    row: &SymbolRow,
    known: &BTreeMap<RepoPath, BTreeSet<u32>>,
) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let line_of = |mention: &IdentifierMention| {
            let before = &file.text[..mention.span.start as usize];
            u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
        };
        let lines = known.get(&file.path);
        let is_local = has_local(file, row);
        let sure = |mention: &IdentifierMention| {
            let line = line_of(mention);
            let declares = file.path == row.path && line == row.line;
            let is_tied = match row.parent {
                // A member of the same name may belong to any type; `{ name }` counts as a member
                // too.
                None => !mention.is_member && lines.is_some(),
                Some(_) => lines.is_some_and(|lines| lines.contains(&line)),
            };
            !is_local && (declares || (is_tied && !mention.is_binding))
        };
        let unsure = file.mentions.iter().filter(|mention| !sure(mention));
        found.extend(unsure.map(|mention| format!("{}:{}", file.path, line_of(mention))));
    }
    found
}

/// Whether a file declares the name for a variable or parameter of its own.
fn has_local(file: &FileWithMentions, row: &SymbolRow) -> bool {
    use syntax::BindingKind::{Import, Symbol};
    let facts = syntax::extract(Language::from_path(&file.path), file.text.as_bytes());
    let named = facts.flow.bindings.iter().filter(|binding| binding.name == row.name);
    let own = |binding: &&syntax::Binding| {
        matches!(binding.kind, Import(..))
            || matches!(binding.kind, Symbol(_))
            || binding.symbol.is_some()
    };
    named.into_iter().any(|binding| !own(&binding))
}

/// Files of the language's family that mention a name.
fn files_mentioning(view: &View, language: Language, name: &str) -> Result<Vec<FileWithMentions>> {
    let all = tables::all_files(view.index()?.conn())?;
    let tree = view.tree();
    let read = |path: &RepoPath| -> Result<Option<FileWithMentions>> {
        let own = Language::from_path(path).filter(|own| own.family() == language.family());
        own.map_or(Ok(None), |own| mentions_in(tree, path, own, name))
    };
    let found: Result<Vec<Option<FileWithMentions>>> = all.par_iter().map(read).collect();
    Ok(found?.into_iter().flatten().collect())
}

/// A file, if it mentions a name.
fn mentions_in(
    tree: &tree::WorkingTree,
    path: &RepoPath,
    language: Language,
    name: &str,
) -> Result<Option<FileWithMentions>> {
    let Some(blob) = tree.read(path)? else { return Ok(None) };
    let hash = blob.hash;
    let Ok(text) = String::from_utf8(blob.bytes) else { return Ok(None) };
    if !text.contains(name) {
        return Ok(None);
    }
    let mentions = find_mentions(language, &text, name);
    let found = FileWithMentions { path: path.clone(), text, hash, mentions };
    Ok((!found.mentions.is_empty()).then_some(found))
}

fn rewrite(file: FileWithMentions, new: &str) -> FileRewrite {
    let mut after = file.text.clone();
    for mention in file.mentions.iter().rev() {
        after.replace_range(mention.span.range(), new);
    }
    FileRewrite { path: file.path, hash: file.hash, before: file.text, after }
}
