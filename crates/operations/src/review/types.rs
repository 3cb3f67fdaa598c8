//! Type errors in what changed, by the language server where the repository is trusted.

use std::collections::BTreeMap;

use base::words::counted;
use base::{RepoPath, Result};
use syntax::Language;

use super::{ReviewCheckResult, ReviewedChange};
use crate::diff::{ChangedFile, FileChangeKind};
use crate::language_server::lint::{CheckRequest, Diagnostic};
use crate::language_server::reports::by_server;
use engine::areas::files::file_node;
use engine::rules::{RuleFinding, RuleSeverity};

/// Number of files above which a server is not asked: it checks them one by one.
const MAX_FILES: usize = 20;

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    let mut found = ReviewCheckResult::default();
    let mut by_language: BTreeMap<Language, Vec<RepoPath>> = BTreeMap::new();
    for file in change.files.iter().filter(|file| file.kind != FileChangeKind::Deleted) {
        let language = Language::from_path(&file.path).filter(|language| language.is_code());
        if let Some(language) = language.filter(|one| one.semantics().has_static_types) {
            by_language.entry(language.tool_language()).or_default().push(file.path.clone());
        }
    }
    for (language, files) in by_language {
        match check_language(change, language, &files)? {
            Ok(diagnostics) => {
                found.checked.push("types");
                found.findings.extend(diagnostics.iter().filter_map(|one| finding(change, one)));
            }
            Err(why) => found.not_checked.push(format!("types of {} ({why})", language.name())),
        }
    }
    found.checked.dedup();
    Ok(found)
}

/// The diagnostics of the changed files of a language, or why there are none.
fn check_language(
    change: &ReviewedChange<'_>,
    language: Language,
    files: &[RepoPath],
) -> Result<Result<Vec<Diagnostic>, String>> {
    if !change.checks_types {
        return Ok(Err("not requested".into()));
    }
    if !change.is_indexed {
        return Ok(Err("only the working tree can be checked".into()));
    }
    if files.len() > MAX_FILES {
        return Ok(Err(format!("{} are too many", counted(files.len(), "file"))));
    }
    if change.view.trust_status().refusal().is_some() {
        return Ok(Err("the repository is not trusted".into()));
    }
    let wanted = CheckRequest { language, scopes: files, files };
    Ok(match by_server(change.view, &wanted)? {
        Ok((_, diagnostics)) => Ok(diagnostics),
        Err(absent) => Err(absent.why),
    })
}

/// An error on a line that the change wrote, or in a symbol that it changed. Others were there before.
fn finding(change: &ReviewedChange<'_>, found: &Diagnostic) -> Option<RuleFinding> {
    if found.severity != "error" {
        return None;
    }
    let file: &ChangedFile = change.files.iter().find(|file| file.path == found.path)?;
    let is_in_symbol = change
        .symbols_of_file(&found.path)
        .into_iter()
        .any(|symbol| (symbol.lines.0..=symbol.lines.1).contains(&found.line));
    if !is_in_symbol && !file.lines.iter().any(|range| range.contains(&found.line)) {
        return None;
    }
    let rule = found.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    Some(RuleFinding {
        severity: RuleSeverity::Error,
        code: "TYPE_ERROR",
        path: Some(found.path.clone()),
        line: Some(found.line),
        node: Some(file_node(&found.path)),
        message: format!("{}:{} {}{rule}", found.path, found.line, found.message),
        fix: "correct it".into(),
    })
}
