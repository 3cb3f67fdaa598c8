//! Unchanged callers of changed symbols, and uses of removed ones.

use std::collections::BTreeSet;

use base::{EntityRef, Hint, NextCall, RepoPath, Result};
use code::{EdgeConfidence, SymbolEndpoint, SymbolRelation};

use super::{ReviewCheckResult, ReviewedChange, join_few};
use crate::diff::{ChangedFile, ChangedSymbol, FileChangeKind, SymbolHow};
use crate::edits::SymbolPath;
use engine::areas::code::handle;
use engine::areas::files::file_node;
use engine::rules::{RuleFinding, RuleSeverity};

/// How many calls of a name are considered; a more common name is too ambiguous.
const MAX_UNRESOLVED_CALLS: u32 = 20;

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    let mut found = ReviewCheckResult::default();
    let mut at_risk: Vec<(usize, RuleFinding)> = Vec::new();
    for symbol in change.symbols {
        match symbol.kind {
            SymbolHow::Signature => {
                at_risk.extend(callers(change, symbol)?);
            }
            SymbolHow::Removed => {
                let old = SymbolPath { path: &symbol.path, name: &symbol.full_name };
                found.findings.extend(still_used(change, old, symbol)?);
            }
            SymbolHow::Moved => {
                if let Some((path, name)) = &symbol.previous {
                    let old = SymbolPath { path, name };
                    found.findings.extend(still_used(change, old, symbol)?);
                }
            }
            _ => {}
        }
    }
    for file in change
        .files
        .iter()
        .filter(|file| matches!(file.kind, FileChangeKind::Deleted | FileChangeKind::Renamed))
    {
        found.findings.extend(broken_imports(change, file)?);
    }
    at_risk.sort_by_key(|(callers, _)| std::cmp::Reverse(*callers));
    found.findings.extend(at_risk.into_iter().map(|(_, finding)| finding));
    found.checked.push("callers of changed signatures");
    Ok(found)
}

/// Callers of a changed signature that did not change themselves.
fn callers(
    change: &ReviewedChange<'_>,
    symbol: &ChangedSymbol,
) -> Result<Option<(usize, RuleFinding)>> {
    let conn = change.view.index()?.conn();
    let here = SymbolEndpoint::new(&symbol.path, &symbol.full_name);
    let mut callers: BTreeSet<(EdgeConfidence, RepoPath, String, u32)> = BTreeSet::new();
    let asked = [SymbolRelation::Calls, SymbolRelation::Implements, SymbolRelation::Extends];
    for edge in code::edges_to(conn, &[here], &asked)? {
        callers.insert((edge.sure, edge.from.0, edge.from.1, edge.line));
    }
    let changed: BTreeSet<EntityRef> = change.symbols.iter().map(ChangedSymbol::node).collect();
    let mut names: Vec<(EntityRef, bool)> = Vec::new();
    for (sure, path, name, _) in callers {
        let caller = match name.as_str() {
            "" => file_node(&path),
            name => handle(&path, name).parse().unwrap_or_else(|_| file_node(&path)),
        };
        if !changed.contains(&caller) && !names.iter().any(|(known, _)| *known == caller) {
            names.push((caller, sure == EdgeConfidence::Exact));
        }
    }
    if names.is_empty() {
        return Ok(None);
    }
    let exact = names.iter().filter(|(_, exact)| *exact).count();
    let shown: Vec<String> = names.iter().map(|(node, _)| node_place(node)).collect();
    let count = match names.len() {
        1 => "1 caller".to_owned(),
        many => format!("{many} callers"),
    };
    let message = format!(
        "the signature of {} changed; {count} did not change ({exact} exact): {}",
        symbol.full_name,
        join_few(shown.iter().map(String::as_str))
    );
    let finding = RuleFinding {
        severity: RuleSeverity::Warning,
        code: "CALLER_AT_RISK",
        path: Some(symbol.path.clone()),
        line: Some(symbol.lines.0),
        node: Some(symbol.node()),
        message,
        fix: Hint::call(
            "look at them:",
            NextCall::new("impact").with("target", symbol.node().short_handle()).with("depth", 1),
        ),
    };
    Ok(Some((names.len(), finding)))
}

/// Imports and calls of a symbol that was moved or removed.
fn still_used(
    change: &ReviewedChange<'_>,
    old: SymbolPath<'_>,
    symbol: &ChangedSymbol,
) -> Result<Option<RuleFinding>> {
    let SymbolPath { path, name: full } = old;
    let conn = change.view.index()?.conn();
    // A new symbol under the old name satisfies its uses.
    if code::symbol(conn, path, full)?.is_some() {
        return Ok(None);
    }
    let mut users: Vec<(String, bool)> = Vec::new();
    if !full.contains('.') {
        for import in code::imports_of_name(conn, path, full)? {
            users.push((format!("{}:{}", import.path, import.line), true));
        }
    }
    // A match by name alone counts only if no other symbol has the name.
    let short = full.rsplit('.').next().unwrap_or(full);
    if symbol.is_callable
        && symbol.kind == SymbolHow::Removed
        && code::defining_files(conn, short, 1)?.is_empty()
    {
        for (path, _, line) in code::unresolved_calls(conn, short, MAX_UNRESOLVED_CALLS)? {
            let place = format!("{path}:{line}");
            if !users.iter().any(|(known, _)| *known == place) {
                users.push((place, false));
            }
        }
    }
    if users.is_empty() {
        return Ok(None);
    }
    let exact = users.iter().any(|(_, exact)| *exact);
    let places = join_few(users.iter().map(|(place, _)| place.as_str()));
    let (now, fix) = match symbol.kind {
        SymbolHow::Moved => {
            (format!("is now {}#{}", symbol.path, symbol.full_name), "update them to the new path")
        }
        _ => ("was removed".to_owned(), "restore it, or change the code that uses it"),
    };
    let how = if exact { "still imported" } else { "still called by that name" };
    Ok(Some(RuleFinding {
        severity: if exact { RuleSeverity::Error } else { RuleSeverity::Warning },
        code: "STILL_USED",
        path: Some(symbol.path.clone()),
        line: Some(symbol.lines.0).filter(|_| symbol.kind == SymbolHow::Moved),
        node: Some(symbol.node()),
        message: format!("{full} {now}; {how} at {places}"),
        fix: fix.into(),
    }))
}

/// Unresolved imports that have the name of a file that was moved or removed.
fn broken_imports(change: &ReviewedChange<'_>, file: &ChangedFile) -> Result<Option<RuleFinding>> {
    let old = file.before_path();
    let name = old.name();
    let stem = name.split('.').next().unwrap_or_default();
    let is_code = syntax::Language::from_path(old).is_some_and(syntax::Language::is_code);
    if !is_code || stem.is_empty() {
        return Ok(None);
    }
    let is_it = |import: &code::ImportRow| {
        let mut parts = import.specifier.split(['/', '.', ':', '\\']);
        parts.any(|part| part == stem)
    };
    let imports =
        code::unresolved_imports(change.view.index()?.conn(), stem)?.into_iter().filter(is_it);
    let places: Vec<String> = imports.map(|i| format!("{}:{}", i.path, i.line)).collect();
    if places.is_empty() {
        return Ok(None);
    }
    let now = match file.kind {
        FileChangeKind::Renamed => format!("is now {}", file.path),
        _ => "was removed".to_owned(),
    };
    let places = join_few(places.iter().map(String::as_str));
    Ok(Some(RuleFinding {
        severity: RuleSeverity::Warning,
        code: "STILL_USED",
        path: Some(file.path.clone()),
        line: None,
        node: Some(file_node(&file.path)),
        message: format!("{old} {now}; unresolved imports name it at {places}"),
        fix: "check whether they mean this file".into(),
    }))
}

/// A handle without its kind: shorter, and still accepted by the next call.
fn node_place(node: &EntityRef) -> String {
    match node {
        EntityRef::Symbol(path, name) => format!("{path}#{name}"),
        other => other.path().map_or_else(|| other.to_string(), ToString::to_string),
    }
}
