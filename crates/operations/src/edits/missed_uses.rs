//! Uses that the index knows and a language server's rename leaves. Certain ones are renamed too;
//! for the others the caller chooses whether they are refused, renamed or left.

use std::collections::{BTreeMap, BTreeSet};

use base::entity::own_name;
use base::words::counted;
use base::{NextCall, Problem, ProblemCode, RepoPath, Result};
use code::{EdgeConfidence, SymbolEndpoint, SymbolRelation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use syntax::Language;
use syntax::edit::{IdentifierMention, find_mentions};

use super::SymbolPath;
use super::index_rename::{rename_in_file, same_language_family};
use crate::language_server::{FileRewrite, check_writable};
use engine::view::View;

/// How many places an answer lists.
const MAX_LISTED: usize = 20;

/// Calls by name that are looked at.
const MAX_CALLS_BY_NAME: u32 = 200;

/// What a rename does with uses that the server does not know and the index is not certain of.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum UnsureUses {
    /// Rename nothing, and list them
    #[default]
    Refuse,
    /// Rename them too
    Rename,
    /// Leave them as they are, and list them
    Leave,
}

/// A rename with what the index added to it.
#[derive(Debug)]
pub(crate) struct CompletedRename {
    pub files: Vec<FileRewrite>,
    /// Places that the server did not change and the index did
    pub added: Vec<String>,
    /// Places that may be uses and were left
    pub left: Vec<String>,
}

/// How the index knows a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UseCertainty {
    Exact,
    Inferred,
    ByName,
}

impl UseCertainty {
    const fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Inferred => "inferred",
            Self::ByName => "by name",
        }
    }
}

/// Uses on lines that the rename left unchanged.
type MissedUses = BTreeMap<(RepoPath, u32), UseCertainty>;

/// Completes a server's rename of a symbol, or fails and lists the uses that it would leave.
pub(crate) fn complete_rename(
    view: &View,
    symbol: SymbolPath<'_>,
    new: &str,
    mut files: Vec<FileRewrite>,
    unsure: UnsureUses,
) -> Result<CompletedRename> {
    let name = own_name(symbol.name);
    let missed = missed_uses(view, symbol, &files)?;
    let (certain, doubtful): (MissedUses, MissedUses) =
        missed.into_iter().partition(|(_, known)| *known == UseCertainty::Exact);
    let mut added = shown(&certain);
    let mut left = Vec::new();
    let mut by_file = lines_by_file(&certain);
    let untouched: Vec<RepoPath> = by_file
        .keys()
        .filter(|path| !files.iter().any(|file| file.path == **path))
        .cloned()
        .collect();
    for path in untouched {
        // The server does not know the file: the index renames all of it, or nothing.
        if let Some(rewrite) = rename_in_file(view, symbol, &path, new)? {
            by_file.remove(&path);
            files.push(rewrite);
        }
    }
    match unsure {
        _ if doubtful.is_empty() => {}
        UnsureUses::Refuse => return Err(refusal_problem(name, &doubtful)),
        UnsureUses::Leave => left = shown(&doubtful),
        UnsureUses::Rename => {
            added.extend(shown(&doubtful));
            for (path, lines) in lines_by_file(&doubtful) {
                by_file.entry(path).or_default().extend(lines);
            }
        }
    }
    for (path, lines) in by_file {
        rename_on_lines(rewrite_of(view, &mut files, &path)?, &lines, name, new)?;
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.iter().try_for_each(|file| check_writable(view, &file.path))?;
    Ok(CompletedRename { files, added, left })
}

fn shown(missed: &MissedUses) -> Vec<String> {
    missed.keys().map(|(path, line)| format!("{path}:{line}")).collect()
}

fn lines_by_file(missed: &MissedUses) -> BTreeMap<RepoPath, BTreeSet<u32>> {
    let mut found: BTreeMap<RepoPath, BTreeSet<u32>> = BTreeMap::new();
    for (path, line) in missed.keys() {
        found.entry(path.clone()).or_default().insert(*line);
    }
    found
}

fn refusal_problem(name: &str, doubtful: &MissedUses) -> Problem {
    let row = |((path, line), known): (&(RepoPath, u32), &UseCertainty)| json!({"place": format!("{path}:{line}"), "how": known.word()});
    let listed: Vec<_> = doubtful.iter().take(MAX_LISTED).map(row).collect();
    let uses = counted(doubtful.len(), "use");
    let message =
        format!("the language server would leave {uses} of `{name}` that the index knows");
    let problem = Problem::new(ProblemCode::Blocked, message)
        .detail("uses", listed)
        .hint_call("rename them too", NextCall::repeat().with("unsure", "rename"))
        .hint_call("leave them as they are", NextCall::repeat().with("unsure", "leave"));
    match doubtful.len().saturating_sub(MAX_LISTED) {
        0 => problem,
        more => problem.hint(format!("{more} more are not listed")),
    }
}

/// The uses that the index knows and some rewritten files do not change.
fn missed_uses(view: &View, symbol: SymbolPath<'_>, files: &[FileRewrite]) -> Result<MissedUses> {
    let (path, name) = (symbol.path, own_name(symbol.name));
    let mut by_file: BTreeMap<RepoPath, BTreeMap<u32, UseCertainty>> = BTreeMap::new();
    for ((path, line), known) in known_uses(view, symbol)? {
        by_file.entry(path).or_default().insert(line, known);
    }
    let mut missed = MissedUses::new();
    for (file, lines) in by_file.into_iter().filter(|(file, _)| same_language_family(file, path)) {
        let Some(language) = Language::from_path(&file) else { continue };
        let rewrite = files.iter().find(|rewrite| rewrite.path == file);
        let before = match rewrite {
            Some(rewrite) => rewrite.before.clone(),
            None => text_of(view, &file)?.0,
        };
        let after = rewrite.map_or(&before, |rewrite| &rewrite.after);
        let (old, now) =
            (mention_counts(language, &before, name), mention_counts(language, after, name));
        for (line, known) in lines {
            let was = old.get(&line).copied().unwrap_or_default();
            // A line without the name uses the symbol under another name.
            if was > 0 && now.get(&line).copied().unwrap_or_default() == was {
                missed.insert((file.clone(), line), known);
            }
        }
    }
    Ok(missed)
}

/// The lines that use a symbol, as far as the index knows, each with the surest reason.
fn known_uses(view: &View, symbol: SymbolPath<'_>) -> Result<MissedUses> {
    let SymbolPath { path, name: full } = symbol;
    let conn = view.index()?.conn();
    let mut found = MissedUses::new();
    let mut note = |path: RepoPath, line: u32, known: UseCertainty| {
        let one = found.entry((path, line)).or_insert(known);
        *one = known.min(*one);
    };
    for edge in code::edges_to(conn, &[SymbolEndpoint::new(path, full)], &SymbolRelation::ALL)? {
        // An overriding method is not a use: it has uses of its own.
        let is_use = matches!(edge.relation, SymbolRelation::Calls | SymbolRelation::Uses);
        let is_exact = edge.sure == EdgeConfidence::Exact && is_use;
        let known = if is_exact { UseCertainty::Exact } else { UseCertainty::Inferred };
        note(edge.from.0, edge.line, known);
    }
    for taker in code::importers(conn, path)?.into_iter().filter(|taker| taker.name == full) {
        note(taker.path, taker.line, UseCertainty::Exact);
    }
    if full.contains('.') {
        for (path, _, line) in code::unresolved_calls(conn, own_name(full), MAX_CALLS_BY_NAME)? {
            note(path, line, UseCertainty::ByName);
        }
    }
    Ok(found)
}

/// How often a name occurs on each line.
fn mention_counts(language: Language, text: &str, name: &str) -> BTreeMap<u32, usize> {
    let mut found = BTreeMap::new();
    for mention in find_mentions(language, text, name) {
        *found.entry(line_of(text, &mention)).or_default() += 1;
    }
    found
}

fn line_of(text: &str, mention: &IdentifierMention) -> u32 {
    let before = &text[..mention.span.start as usize];
    u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
}

fn text_of(view: &View, path: &RepoPath) -> Result<(String, base::Hash)> {
    let blob = view.tree().read(path)?;
    let blob = blob.ok_or_else(|| Problem::not_found(format!("`{path}` no longer exists")))?;
    let text = String::from_utf8(blob.bytes).map_err(|_| {
        Problem::new(ProblemCode::InvalidOperation, format!("`{path}` is not UTF-8"))
    })?;
    Ok((text, blob.hash))
}

/// The rewrite of a file; one that changes nothing is added if there is none yet.
fn rewrite_of<'f>(
    view: &View,
    files: &'f mut Vec<FileRewrite>,
    path: &RepoPath,
) -> Result<&'f mut FileRewrite> {
    let known = files.iter().position(|file| file.path == *path);
    let at = known.unwrap_or(files.len());
    if known.is_none() {
        let (before, hash) = text_of(view, path)?;
        files.push(FileRewrite { path: path.clone(), hash, after: before.clone(), before });
    }
    Ok(&mut files[at])
}

/// Renames the name on some lines of a file. A line that has it twice is refused: only one of the
/// two may be meant.
fn rename_on_lines(
    file: &mut FileRewrite,
    lines: &BTreeSet<u32>,
    name: &str,
    new: &str,
) -> Result<()> {
    let FileRewrite { path, after: text, .. } = file;
    let language = Language::from_path(path)
        .ok_or_else(|| Problem::internal("a use in a file without a language"))?;
    let all = find_mentions(language, text, name);
    for line in lines.iter().rev() {
        let on_line: Vec<&IdentifierMention> =
            all.iter().filter(|mention| line_of(text, mention) == *line).collect();
        let [only] = on_line.as_slice() else {
            let message = format!("{path}:{line} has `{name}` more than once");
            return Err(Problem::new(ProblemCode::Blocked, message)
                .hint("nothing was written; the language server changes none of them"));
        };
        text.replace_range(only.span.range(), new);
    }
    Ok(())
}
