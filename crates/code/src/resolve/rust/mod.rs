//! Rust: modules from `mod` declarations, and `use` paths through them, through re-exports and
//! into other crates of the workspace.

mod crates;
mod modules;
mod paths;

use std::collections::BTreeSet;

use base::RepoPath;
use syntax::ImportKind;

use self::modules::Module;
use self::paths::{Def, Steps};
use super::{Here, Origin, Resolved, Taking, World};
use crate::outline::What;

pub(super) fn resolve(world: &World<'_>, here: &Here<'_>) -> Resolved {
    let mut resolved = Resolved::default();
    let mut takings = BTreeSet::new();
    for (at, asked) in (0..).zip(&here.offers.imports) {
        let module = Module { file: here.path.clone(), scope: asked.scope.clone() };
        let defs = match asked.kind {
            ImportKind::Mod => {
                let file = modules::child(world, &module, asked);
                file.map(|file| Def::Module(Module::top(file))).into_iter().collect()
            }
            ImportKind::ExternCrate => {
                let root = crates::other(world, here.path, &asked.specifier);
                root.map(|file| Def::Module(Module::top(file))).into_iter().collect()
            }
            _ => used(world, &module, asked),
        };
        let origins: Vec<Origin> = defs.into_iter().map(origin).collect();
        resolved.targets.push(origins.first().map(|origin| origin.file.clone()));
        let elsewhere = origins.into_iter().filter(|origin| origin.file != *here.path);
        takings.extend(elsewhere.map(|origin| Taking { import: Some(at), origin, line: None }));
    }
    takings.extend(mentioned(world, here));
    resolved.takings = takings.into_iter().collect();
    resolved
}

/// What a `use` brings in: the name in every namespace, or the whole module.
fn used(world: &World<'_>, module: &Module, asked: &crate::outline::Asked) -> Vec<Def> {
    let parts: Vec<&str> = asked.specifier.split("::").filter(|part| !part.is_empty()).collect();
    let mut all = Vec::new();
    for (name, _) in &asked.names {
        let mut path = parts.clone();
        if name != "*" {
            path.push(name);
        }
        let found = paths::find(world, module, &path, &mut Steps::default());
        if found.is_empty() && name != "*" {
            all.extend(unseen(world, module, &parts, name));
        }
        all.extend(found);
    }
    all
}

/// A name that its module does not show is still asked of it: a macro may make it there.
fn unseen(world: &World<'_>, module: &Module, parts: &[&str], name: &str) -> Option<Def> {
    let around = paths::find(world, module, parts, &mut Steps::default());
    around.into_iter().find_map(|def| match def {
        Def::Module(at) if at.file != module.file => Some(Def::Item(at.file, name.to_owned())),
        _ => None,
    })
}

/// What is reached by a path in the code itself, or through a star.
fn mentioned(world: &World<'_>, here: &Here<'_>) -> Vec<Taking> {
    let mut takings = Vec::new();
    for mention in &here.asks.mentions {
        let module = Module { file: here.path.clone(), scope: mention.scope.clone() };
        let parts: Vec<&str> = mention.path.iter().map(String::as_str).collect();
        if parts.len() == 1 && !is_from_star(here, &mention.scope, parts[0]) {
            continue; // declared here, or an import already says it
        }
        let defs = paths::find(world, &module, &parts, &mut Steps::default());
        let elsewhere = defs.into_iter().map(origin).filter(|origin| origin.file != *here.path);
        takings.extend(elsewhere.map(|origin| Taking {
            import: None,
            origin,
            line: Some(mention.line),
        }));
    }
    takings
}

/// Whether a name can only come from a star.
fn is_from_star(here: &Here<'_>, scope: &str, name: &str) -> bool {
    let mut own = here.offers.names.iter().filter(|named| named.scope == scope);
    let has_star = here
        .offers
        .names
        .iter()
        .any(|named| named.scope == scope && matches!(named.what, What::Star(_)));
    has_star && !own.any(|named| named.name == name)
}

fn origin(def: Def) -> Origin {
    match def {
        Def::Module(Module { file, scope }) if scope.is_empty() => Origin::whole(file),
        Def::Module(Module { file, scope }) => Origin::new(file, scope),
        Def::Item(file, full) => Origin::new(file, full),
    }
}

/// Whether the library that a file is part of may be published; none where it is part of none.
pub(super) fn library_of(world: &World<'_>, file: &RepoPath) -> Option<bool> {
    let (manifest, said) = crates::manifest_of(world, file)?;
    let library = crates::library(world, &manifest, &said)?;
    let root = paths::root(world, &Module::top(file.clone()))?;
    (root.file == library).then_some(said.is_published)
}

/// Whether every module around a file is public.
pub(super) fn is_reachable(
    world: &World<'_>,
    file: &RepoPath,
    is_public: &dyn Fn(&RepoPath, &str) -> bool,
) -> bool {
    let mut at = Module::top(file.clone());
    while let Some(around) = at.parent(world) {
        let name = match at.file.name().as_str() {
            "mod.rs" => at.file.parent().map(|folder| folder.name()).unwrap_or_default(),
            name => name.trim_end_matches(".rs").to_owned(),
        };
        if !is_public(&around.file, &name) {
            return false;
        }
        at = Module::top(around.file);
    }
    true
}

/// The folder of a file as text.
fn folder(path: &RepoPath) -> String {
    super::folder_of(path)
}

#[cfg(test)]
mod tests;
