//! Languages whose modules are files: names are followed from file to file through re-exports.

use std::collections::BTreeSet;

use base::RepoPath;

use super::{
    ImportTargetFn, ImportUse, MAX_REEXPORT_CHAIN, OutlinedFile, ResolutionContext,
    ResolvedImports, SymbolOrigin,
};
use crate::outline::{ImportRequest, ModuleItemTarget};

/// Finds the file of a submodule of a package.
pub(super) type SubmoduleResolver = fn(&ResolutionContext<'_>, &RepoPath, &str) -> Option<RepoPath>;

/// Finds the file of a module in a package that has no file of its own.
pub(super) type NamespaceResolver =
    fn(&ResolutionContext<'_>, &RepoPath, &ImportRequest, &str) -> Option<RepoPath>;

/// The rules in which these languages differ.
pub(super) struct ModuleRules {
    pub target: ImportTargetFn,
    /// Only in languages where folders can be packages
    pub submodules: Option<(SubmoduleResolver, NamespaceResolver)>,
}

pub(super) fn resolve(
    context: &ResolutionContext<'_>,
    here: &OutlinedFile<'_>,
    rules: &ModuleRules,
) -> ResolvedImports {
    let imports = &here.interface.imports;
    let mut targets: Vec<Option<RepoPath>> =
        imports.iter().map(|asked| (rules.target)(context, here.path, asked)).collect();
    let mut takings = BTreeSet::new();
    for (at, (asked, target)) in (0..).zip(imports.iter().zip(&mut targets)) {
        let origins = import_origins(context, here.path, rules, asked, target);
        let one = |origin| ImportUse { import: Some(at), origin, line: None };
        takings.extend(origins.into_iter().map(one));
    }
    for mention in &here.references.mentions {
        let Some((import, at)) = mention.import else { continue };
        let Some(Some(target)) = targets.get(import as usize) else { continue };
        let name = at.and_then(|at| imports[import as usize].names.get(at as usize));
        let start = match name {
            Some((name, _)) => origin_or_module(context, rules, target, name),
            None => SymbolOrigin::whole_file(target.clone()),
        };
        if let Some(origin) = first_member(context, rules, start, &mention.path) {
            takings.insert(ImportUse { import: Some(import), origin, line: Some(mention.line) });
        }
    }
    ResolvedImports { targets, uses: takings.into_iter().collect() }
}

/// The symbols that an import means. If its only name is a module of a package, the import means
/// that module.
fn import_origins(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    rules: &ModuleRules,
    asked: &ImportRequest,
    target: &mut Option<RepoPath>,
) -> Vec<SymbolOrigin> {
    let names = asked.names.iter().map(|(name, _)| name.as_str());
    let origins: Vec<SymbolOrigin> = match (&target, rules.submodules) {
        (Some(target), _) if asked.names.is_empty() => {
            vec![SymbolOrigin::whole_file(target.clone())]
        }
        (Some(target), _) => {
            names.map(|name| origin_or_module(context, rules, target, name)).collect()
        }
        (None, Some((_, bare))) => names
            .filter_map(|name| bare(context, from, asked, name))
            .map(SymbolOrigin::whole_file)
            .collect(),
        (None, None) => Vec::new(),
    };
    match origins.as_slice() {
        [first, ..] if target.is_none() => *target = Some(first.file.clone()),
        [only] if only.name == "*" && rules.submodules.is_some() => {
            *target = Some(only.file.clone());
        }
        _ => {}
    }
    origins
}

/// The origin of a name of a module. A name that the module does not have is attributed to it.
fn origin_or_module(
    context: &ResolutionContext<'_>,
    rules: &ModuleRules,
    target: &RepoPath,
    name: &str,
) -> SymbolOrigin {
    let found = find_origin(context, rules, target, name);
    found.unwrap_or_else(|| SymbolOrigin::new(target.clone(), name))
}

/// The origin of the last name of a path through modules; `None` if the path leaves the modules.
fn first_member(
    context: &ResolutionContext<'_>,
    rules: &ModuleRules,
    start: SymbolOrigin,
    path: &[String],
) -> Option<SymbolOrigin> {
    let mut at = start;
    for name in path {
        if at.name != "*" {
            return None;
        }
        at = find_origin(context, rules, &at.file, name)?;
    }
    Some(at)
}

/// A search for the declaration of a name.
struct NameSearch<'a, 'w> {
    context: &'a ResolutionContext<'w>,
    rules: &'a ModuleRules,
    seen: BTreeSet<(RepoPath, String)>,
    /// The length of the re-export chain up to here
    depth: usize,
}

/// The declaration of a name that a file exports.
fn find_origin(
    context: &ResolutionContext<'_>,
    rules: &ModuleRules,
    file: &RepoPath,
    name: &str,
) -> Option<SymbolOrigin> {
    NameSearch { context, rules, seen: BTreeSet::new(), depth: 0 }.find_origin(file, name)
}

impl NameSearch<'_, '_> {
    /// Only the length of a re-export chain is limited, not the number of re-exports in a file.
    fn find_origin(&mut self, file: &RepoPath, name: &str) -> Option<SymbolOrigin> {
        if name == "*" {
            return Some(SymbolOrigin::whole_file(file.clone()));
        }
        if self.depth > MAX_REEXPORT_CHAIN || !self.seen.insert((file.clone(), name.to_owned())) {
            return None;
        }
        self.depth += 1;
        let found = self.find_exported(file, name);
        self.depth -= 1;
        found
    }

    fn find_exported(&mut self, file: &RepoPath, name: &str) -> Option<SymbolOrigin> {
        let (context, rules) = (self.context, self.rules);
        let offers = context.interface(file)?;
        let target = |import: u32| (rules.target)(context, file, &offers.imports[import as usize]);
        for named in offers.names.iter().filter(|named| named.name == name) {
            match &named.what {
                ModuleItemTarget::Own(full) => return Some(SymbolOrigin::new(file.clone(), full)),
                ModuleItemTarget::From(import, inner) => {
                    let Some(next) = target(*import) else { continue };
                    let module =
                        || rules.submodules.and_then(|(module, _)| module(context, &next, inner));
                    let found = self.find_origin(&next, inner);
                    let found = found.or_else(|| module().map(SymbolOrigin::whole_file));
                    return Some(found.unwrap_or_else(|| SymbolOrigin::new(next, inner.clone())));
                }
                ModuleItemTarget::Inner | ModuleItemTarget::Star(_) => {}
            }
        }
        let mut through_stars = || {
            let stars = offers.names.iter().filter_map(|named| match named.what {
                ModuleItemTarget::Star(import) if name != "default" => Some(import),
                _ => None,
            });
            stars.into_iter().find_map(|import| {
                let next = target(import).filter(|next| next != file)?;
                self.find_origin(&next, name)
            })
        };
        let inner = || (rules.submodules?.0)(context, file, name).map(SymbolOrigin::whole_file);
        through_stars().or_else(inner)
    }
}

/// The declarations of all names that a module exports.
pub(super) fn all_exports(
    context: &ResolutionContext<'_>,
    rules: &ModuleRules,
    file: &RepoPath,
    seen: &mut BTreeSet<RepoPath>,
) -> BTreeSet<SymbolOrigin> {
    let Some(offers) = context.interface(file).filter(|_| seen.insert(file.clone())) else {
        return BTreeSet::new();
    };
    let mut all = BTreeSet::new();
    for named in &offers.names {
        match named.what {
            ModuleItemTarget::Star(import) => {
                let next = (rules.target)(context, file, &offers.imports[import as usize]);
                all.extend(
                    next.into_iter().flat_map(|next| all_exports(context, rules, &next, seen)),
                );
            }
            _ => match find_origin(context, rules, file, &named.name) {
                Some(whole) if whole.name == "*" => {
                    all.extend(all_exports(context, rules, &whole.file, seen));
                }
                found => all.extend(found),
            },
        }
    }
    all
}
