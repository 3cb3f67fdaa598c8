//! Names that a change uses in a file which neither declares nor imports them, though other files do.

use std::collections::BTreeSet;

use base::words::counted;
use base::{RepoPath, Result};
use syntax::{ImportResolver, Language};

use super::{ReviewCheckResult, ReviewedChange};
use engine::areas::files::file_node;
use engine::rules::{RuleFinding, RuleSeverity};

/// How many declarations and calls of a name are considered; a more common name is too ambiguous.
const MAX_PLACES: usize = 20;

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    let mut found = ReviewCheckResult::default();
    let mut is_checked = false;
    for (file, before, after) in change.pairs {
        let Some(language) = Language::from_path(&file.path) else { continue };
        let is_readable = after.first_syntax_error.is_none() && file.after.is_some();
        if !language.semantics().follows_all_scopes || !is_readable {
            continue;
        }
        is_checked = true;
        let new = after.undeclared_names.iter();
        for (name, line) in new.filter(|(name, _)| !before.undeclared_names.contains_key(*name)) {
            let used = UndeclaredName { path: &file.path, name, language };
            if let Some(source) = used.declared_elsewhere(change)? {
                found.findings.push(used.finding(*line, &source));
            }
        }
    }
    if is_checked {
        found.checked.push("imports of new names");
    }
    Ok(found)
}

/// A name that a file uses since the change and does not declare.
struct UndeclaredName<'a> {
    path: &'a RepoPath,
    name: &'a str,
    language: Language,
}

impl UndeclaredName<'_> {
    /// Where other files import the name from; `None` if it is a name of the language or visible
    /// without an import.
    fn declared_elsewhere(&self, change: &ReviewedChange<'_>) -> Result<Option<String>> {
        let conn = change.view.index()?.conn();
        if self.may_be_imported(change)? {
            return Ok(None);
        }
        let is_same_language = |path: &RepoPath| {
            Language::from_path(path).is_some_and(|other| other.family() == self.language.family())
        };
        let mut declared = code::defining_files(conn, self.name, MAX_PLACES + 1)?;
        declared.retain(is_same_language);
        let is_visible = |path: &RepoPath| {
            let is_ambient = path.name().ends_with(".d.ts");
            let is_package = self.language.semantics().imports_folders;
            is_ambient || path == self.path || is_package && path.parent() == self.path.parent()
        };
        if declared.iter().any(is_visible) {
            return Ok(None);
        }
        // If other files call the name without declaring or importing it, the language or its
        // runtime declares it.
        let changed: BTreeSet<&RepoPath> = change.paths();
        let places = u32::try_from(MAX_PLACES).unwrap_or(u32::MAX);
        let calls = code::unresolved_calls(conn, self.name, places)?;
        if calls.iter().any(|(path, ..)| !changed.contains(path) && is_same_language(path)) {
            return Ok(None);
        }
        // A package may only wrap a global name of the runtime.
        let is_told = |(specifier, _): &(String, usize)| {
            let has_globals = self.language.semantics().imports == ImportResolver::JavaScript;
            !has_globals || specifier.starts_with('.')
        };
        if let Some((specifier, count)) = code::usual_import(conn, self.name)?.filter(is_told) {
            let imports = if count == 1 { "imports" } else { "import" };
            let others = counted(count, "other file");
            return Ok(Some(format!("{others} {imports} it from {specifier}")));
        }
        let exported = declared.iter().find_map(|path| {
            let row = code::symbol(conn, path, self.name).ok().flatten()?;
            row.exported.then(|| format!("{path} declares it"))
        });
        Ok(exported)
    }

    /// Whether the file imports the name, or all names of some module.
    fn may_be_imported(&self, change: &ReviewedChange<'_>) -> Result<bool> {
        let imports = code::imports(change.view.index()?.conn(), self.path)?;
        Ok(imports.iter().any(|import| import.takes_all_names() || import.binds(self.name)))
    }

    fn finding(&self, line: u32, source: &str) -> RuleFinding {
        let Self { path, name, .. } = self;
        RuleFinding {
            severity: RuleSeverity::Warning,
            code: "NAME_NOT_IMPORTED",
            path: Some((*path).clone()),
            line: Some(line),
            node: Some(file_node(path)),
            message: format!(
                "{path}:{line} uses {name}, which the file neither declares nor imports; {source}"
            ),
            fix: "import it".into(),
        }
    }
}
