//! Rust: modules from `mod` declarations, and `use` paths through them, through re-exports and
//! into other crates of the workspace.

mod crates;
mod modules;
mod paths;

use std::collections::BTreeSet;

use base::RepoPath;
use syntax::ImportKind;

use self::modules::RustModule;
use self::paths::{PathSearch, PathTarget};
use super::{ImportUse, OutlinedFile, ResolutionContext, ResolvedImports, SymbolOrigin};
use crate::outline::ModuleItemTarget;

pub(super) fn resolve(context: &ResolutionContext<'_>, here: &OutlinedFile<'_>) -> ResolvedImports {
    let mut resolved = ResolvedImports::default();
    let mut takings = BTreeSet::new();
    for (at, asked) in (0..).zip(&here.interface.imports) {
        let module = RustModule { file: here.path.clone(), scope: asked.scope.clone() };
        let defs = match asked.kind {
            ImportKind::Mod => {
                let file = modules::child_file(context, &module, asked);
                file.map(|file| PathTarget::Module(RustModule::file_root(file)))
                    .into_iter()
                    .collect()
            }
            ImportKind::ExternCrate => {
                let root = crates::library_root(context, here.path, &asked.specifier);
                root.map(|file| PathTarget::Module(RustModule::file_root(file)))
                    .into_iter()
                    .collect()
            }
            _ => use_targets(context, &module, asked),
        };
        let origins: Vec<SymbolOrigin> = defs.into_iter().map(origin).collect();
        resolved.targets.push(origins.first().map(|origin| origin.file.clone()));
        let elsewhere = origins.into_iter().filter(|origin| origin.file != *here.path);
        takings.extend(elsewhere.map(|origin| ImportUse { import: Some(at), origin, line: None }));
    }
    takings.extend(mentioned_uses(context, here));
    resolved.uses = takings.into_iter().collect();
    resolved
}

/// The symbols that a `use` imports: the name in every namespace, or the whole module.
fn use_targets(
    context: &ResolutionContext<'_>,
    module: &RustModule,
    asked: &crate::outline::ImportRequest,
) -> Vec<PathTarget> {
    let parts: Vec<&str> = asked.specifier.split("::").filter(|part| !part.is_empty()).collect();
    let mut all = Vec::new();
    for (name, _) in &asked.names {
        let mut path = parts.clone();
        if name != "*" {
            path.push(name);
        }
        let found = paths::find(context, module, &path, &mut PathSearch::default());
        if found.is_empty() && name != "*" {
            all.extend(undeclared_target(context, module, &parts, name));
        }
        all.extend(found);
    }
    all
}

/// A name that the module does not declare is attributed to it: a macro may declare it there.
fn undeclared_target(
    context: &ResolutionContext<'_>,
    module: &RustModule,
    parts: &[&str],
    name: &str,
) -> Option<PathTarget> {
    let around = paths::find(context, module, parts, &mut PathSearch::default());
    around.into_iter().find_map(|def| match def {
        PathTarget::Module(at) if at.file != module.file => {
            Some(PathTarget::Item(at.file, name.to_owned()))
        }
        _ => None,
    })
}

/// The symbols that are used through a path in the code or through a star import.
fn mentioned_uses(context: &ResolutionContext<'_>, here: &OutlinedFile<'_>) -> Vec<ImportUse> {
    let mut takings = Vec::new();
    for mention in &here.references.mentions {
        let module = RustModule { file: here.path.clone(), scope: mention.scope.clone() };
        let parts: Vec<&str> = mention.path.iter().map(String::as_str).collect();
        if parts.len() == 1 && !is_from_star(here, &mention.scope, parts[0]) {
            continue; // declared here, or an import already says it
        }
        let defs = paths::find(context, &module, &parts, &mut PathSearch::default());
        let elsewhere = defs.into_iter().map(origin).filter(|origin| origin.file != *here.path);
        takings.extend(elsewhere.map(|origin| ImportUse {
            import: None,
            origin,
            line: Some(mention.line),
        }));
    }
    takings
}

/// Whether a name can only come from a star.
fn is_from_star(here: &OutlinedFile<'_>, scope: &str, name: &str) -> bool {
    let mut own = here.interface.names.iter().filter(|named| named.scope == scope);
    let has_star = here
        .interface
        .names
        .iter()
        .any(|named| named.scope == scope && matches!(named.what, ModuleItemTarget::Star(_)));
    has_star && !own.any(|named| named.name == name)
}

fn origin(def: PathTarget) -> SymbolOrigin {
    match def {
        PathTarget::Module(RustModule { file, scope }) if scope.is_empty() => {
            SymbolOrigin::whole_file(file)
        }
        PathTarget::Module(RustModule { file, scope }) => SymbolOrigin::new(file, scope),
        PathTarget::Item(file, full) => SymbolOrigin::new(file, full),
    }
}

/// Whether the library of a file may be published; `None` if the file belongs to no library.
pub(super) fn is_library_publishable(
    context: &ResolutionContext<'_>,
    file: &RepoPath,
) -> Option<bool> {
    let (manifest, said) = crates::manifest_of(context, file)?;
    let library = crates::library_root_of(context, &manifest, &said)?;
    let root = paths::root(context, &RustModule::file_root(file.clone()))?;
    (root.file == library).then_some(said.is_published)
}

/// Whether every module around a file is public.
pub(super) fn is_publicly_reachable(
    context: &ResolutionContext<'_>,
    file: &RepoPath,
    is_public: &dyn Fn(&RepoPath, &str) -> bool,
) -> bool {
    let mut at = RustModule::file_root(file.clone());
    while let Some(around) = at.parent(context) {
        let name = match at.file.name().as_str() {
            "mod.rs" => at.file.parent().map(|folder| folder.name()).unwrap_or_default(),
            name => name.trim_end_matches(".rs").to_owned(),
        };
        if !is_public(&around.file, &name) {
            return false;
        }
        at = RustModule::file_root(around.file);
    }
    true
}

#[cfg(test)]
mod tests;
