//! Changes of what other packages and readers rely on: the exported names of a package, and documents that name
//! what changed.

use std::collections::BTreeSet;

use base::entity::own_name;
use base::{RepoPath, Result};
use syntax::Language;

use super::{ReviewCheckResult, ReviewedChange, join_few};
use crate::answers::role::{FileRole, is_log, is_test_file};
use crate::answers::source::SourceText;
use crate::answers::test_finder::first_line_with_word;
use crate::diff::{ChangedSymbol, SymbolHow};
use crate::locate;
use engine::rules::{RuleFinding, RuleSeverity};

/// Minimum length of a name that is searched in documents; shorter ones are words of any text.
const MIN_NAME_LENGTH: usize = 5;

/// If more documents than this contain a name, it is ignored as an ordinary word of the project.
const MAX_DOCUMENTS: usize = 8;

/// How many changed symbols are searched in documents.
const MAX_SYMBOLS: usize = 12;

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    let mut found = ReviewCheckResult::default();
    let is_public =
        |symbol: &&ChangedSymbol| symbol.exported && !symbol.is_test && !is_test_file(&symbol.path);
    let public: Vec<&ChangedSymbol> = change.symbols.iter().filter(is_public).collect();
    found.findings.extend(breaking(&of_others(change, &public)?));
    for symbol in public.iter().take(MAX_SYMBOLS) {
        found.findings.extend(documents(change, symbol)?);
    }
    found.checked.push("exported names");
    found.checked.push("documents");
    Ok(found)
}

/// The breaking changes that users of the package may notice. A function with a changed signature
/// is left out if other production code of the repository names it: another check reports its
/// callers, and the functions of a program have no other users.
fn of_others<'c>(
    change: &ReviewedChange<'_>,
    public: &[&'c ChangedSymbol],
) -> Result<Vec<&'c ChangedSymbol>> {
    let mut kept = Vec::new();
    for symbol in public.iter().filter(|symbol| is_breaking(symbol)) {
        if symbol.kind != SymbolHow::Signature || !is_named_elsewhere(change, symbol)? {
            kept.push(*symbol);
        }
    }
    Ok(kept)
}

/// Whether production code in another file of the repository names a symbol.
fn is_named_elsewhere(change: &ReviewedChange<'_>, symbol: &ChangedSymbol) -> Result<bool> {
    let name = own_name(&symbol.full_name).trim_end_matches("()");
    let files = locate::files_with_words(change.view, name)?;
    let is_other = |path: &&RepoPath| {
        let is_code = Language::from_path(path).is_some_and(Language::is_code);
        is_code && **path != symbol.path && FileRole::of(path) == FileRole::Production
    };
    let names = |path: &RepoPath| {
        let text = SourceText::read(change.view, path);
        text.is_ok_and(|text| first_line_with_word(text.as_str(), name).is_some())
    };
    Ok(files.iter().filter(is_other).any(names))
}

/// Exported symbols that were removed, moved or are called in another way, in one finding.
fn breaking(public: &[&ChangedSymbol]) -> Option<RuleFinding> {
    let of = |kind: SymbolHow, how: &str| {
        let is_one = |symbol: &&&ChangedSymbol| symbol.kind == kind;
        let names: BTreeSet<&str> =
            public.iter().filter(is_one).map(|symbol| symbol.full_name.as_str()).collect();
        (!names.is_empty()).then(|| format!("{how} {}", join_few(names)))
    };
    let parts = [
        of(SymbolHow::Removed, "removed"),
        of(SymbolHow::Moved, "moved or renamed"),
        of(SymbolHow::Signature, "other signature:"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let first = public.first()?;
    Some(RuleFinding {
        severity: RuleSeverity::Note,
        code: "EXPORT_CHANGED",
        path: Some(first.path.clone()),
        line: Some(first.lines.0),
        node: Some(first.node()),
        message: format!("exported names changed: {}", parts.join("; ")),
        fix: "if the package is published, this is a breaking change".into(),
    })
}

/// Whether code that uses the symbol may have to change. For a value, only its name matters.
const fn is_breaking(symbol: &ChangedSymbol) -> bool {
    match symbol.kind {
        SymbolHow::Removed | SymbolHow::Moved => true,
        SymbolHow::Signature => symbol.is_callable,
        _ => false,
    }
}

/// The lines of unchanged documents that name a changed symbol.
fn documents(change: &ReviewedChange<'_>, symbol: &ChangedSymbol) -> Result<Option<RuleFinding>> {
    let name = own_name(&symbol.full_name).trim_end_matches("()");
    if symbol.kind == SymbolHow::Added || symbol.kind == SymbolHow::Docs || !is_distinct(name) {
        return Ok(None);
    }
    let changed = change.paths();
    let is_candidate = |path: &RepoPath| {
        let is_code = Language::from_path(path).is_some_and(Language::is_code);
        let is_document = FileRole::of(path) == FileRole::Document && !is_code && !is_log(path);
        is_document && !changed.contains(path)
    };
    let mut files = locate::files_with_words(change.view, name)?;
    files.retain(is_candidate);
    if files.len() > MAX_DOCUMENTS {
        return Ok(None);
    }
    let mut places = Vec::new();
    for path in &files {
        let Ok(text) = SourceText::read(change.view, path) else { continue };
        let line = first_line_with_word(text.as_str(), name);
        places.extend(line.map(|line| format!("{path}:{line}")));
    }
    if places.is_empty() {
        return Ok(None);
    }
    Ok(Some(RuleFinding {
        severity: RuleSeverity::Note,
        code: "DOCUMENT_NAMES_IT",
        path: Some(symbol.path.clone()),
        line: Some(symbol.lines.0),
        node: Some(symbol.node()),
        message: format!("{name} is named in {}", join_few(places.iter().map(String::as_str))),
        fix: "check that this is still right".into(),
    }))
}

/// Whether a name is not an ordinary word: it is long and has underscores or capitals inside.
fn is_distinct(name: &str) -> bool {
    let is_compound = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
    name.len() >= MIN_NAME_LENGTH && is_compound && !name.starts_with("__")
}
