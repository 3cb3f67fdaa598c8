//! Resolves paths: what `a::b::C` means in a module.

use std::collections::{BTreeSet, HashMap};

use base::RepoPath;
use syntax::ImportKind;

use super::crates;
use super::modules::{self, RustModule};
use crate::outline::{ModuleInterface, ModuleItem, ModuleItemTarget};
use crate::resolve::{MAX_REEXPORT_CHAIN, ResolutionContext};

/// The target of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathTarget {
    Module(RustModule),
    /// An item of a file, by its full name
    Item(RepoPath, String),
}

/// Lookups for one path: star imports of star imports could otherwise be unlimited.
const MAX_PATH_STEPS: u32 = 2_000;

/// The namespace in which a name of a path is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PathNamespace {
    /// All namespaces
    All,
    /// Things that contain the rest of the path: a module, if there is one of that name
    Container,
}

/// A name that is looked up in a module.
#[derive(Debug, Clone, Copy)]
struct NameQuery<'n> {
    name: &'n str,
    namespace: PathNamespace,
}

impl<'n> NameQuery<'n> {
    /// A name of a path that goes on with the names in `rest`.
    const fn before(name: &'n str, rest: &[&str]) -> Self {
        let namespace = if rest.is_empty() { PathNamespace::All } else { PathNamespace::Container };
        Self { name, namespace }
    }
}

/// The lookups in progress, so that circles end.
#[derive(Debug, Default)]
pub(super) struct PathSearch {
    in_progress: BTreeSet<(RustModule, String, PathNamespace)>,
    step_count: u32,
}

/// The targets of a path in a module: several if namespaces give a name several meanings.
pub(super) fn find(
    context: &ResolutionContext<'_>,
    from: &RustModule,
    path: &[&str],
    steps: &mut PathSearch,
) -> Vec<PathTarget> {
    let Some((first, rest)) = path.split_first() else {
        return Vec::new();
    };
    let start = match *first {
        "crate" | "$crate" => root(context, from).map(PathTarget::Module).into_iter().collect(),
        "self" => vec![PathTarget::Module(from.clone())],
        "super" => from.parent(context).map(PathTarget::Module).into_iter().collect(),
        "Self" => Vec::new(),
        name => lookup_local(context, from, NameQuery::before(name, rest), steps),
    };
    follow_path(context, start, rest, steps)
}

/// Looks up the first name of a path: a name of the module, else a crate.
fn lookup_local(
    context: &ResolutionContext<'_>,
    from: &RustModule,
    asked: NameQuery<'_>,
    steps: &mut PathSearch,
) -> Vec<PathTarget> {
    let own = lookup(context, from, asked, steps);
    if !own.is_empty() {
        return own;
    }
    let other = crates::library_root(context, &from.file, asked.name);
    other.map(|file| PathTarget::Module(RustModule::file_root(file))).into_iter().collect()
}

fn follow_path(
    context: &ResolutionContext<'_>,
    start: Vec<PathTarget>,
    rest: &[&str],
    steps: &mut PathSearch,
) -> Vec<PathTarget> {
    let Some((name, rest)) = rest.split_first() else { return start };
    let mut next = Vec::new();
    for def in &start {
        if let PathTarget::Module(module) = def {
            next.extend(match *name {
                "super" => module.parent(context).map(PathTarget::Module).into_iter().collect(),
                "self" => vec![def.clone()],
                name => lookup(context, module, NameQuery::before(name, rest), steps),
            });
        }
    }
    if next.is_empty() {
        // A variant or an associated function: the target is its type. A module of that name takes
        // precedence, since only a module has items.
        return start.into_iter().filter(|def| matches!(def, PathTarget::Item(..))).collect();
    }
    follow_path(context, next, rest, steps)
}

/// The root module of the crate that a module is in.
pub(super) fn root(context: &ResolutionContext<'_>, from: &RustModule) -> Option<RustModule> {
    let found = context.memoise("rust crate root", &from.file, "", || {
        let mut at = RustModule::file_root(from.file.clone());
        for _ in 0..MAX_REEXPORT_CHAIN {
            match at.parent(context) {
                Some(parent) => at = RustModule::file_root(parent.file),
                None => break,
            }
        }
        at
    });
    Some((*found).clone())
}

/// Looks up a name in a module.
fn lookup(
    context: &ResolutionContext<'_>,
    module: &RustModule,
    asked: NameQuery<'_>,
    steps: &mut PathSearch,
) -> Vec<PathTarget> {
    let step = (module.clone(), asked.name.to_owned(), asked.namespace);
    steps.step_count += 1;
    if steps.step_count > MAX_PATH_STEPS || !steps.in_progress.insert(step.clone()) {
        return Vec::new();
    }
    let found = in_module(context, module, asked, steps);
    steps.in_progress.remove(&step);
    found
}

fn in_module(
    context: &ResolutionContext<'_>,
    module: &RustModule,
    asked: NameQuery<'_>,
    steps: &mut PathSearch,
) -> Vec<PathTarget> {
    let NameQuery { name, namespace: wanted } = asked;
    let Some(offers) = context.interface(&module.file) else { return Vec::new() };
    let names = context.memoise("rust names", &module.file, "", || ModuleNames::of(&offers));
    let Some(scope) = names.0.get(&module.scope) else { return Vec::new() };
    let called = scope.positions_by_name.get(strip_raw_prefix(name)).into_iter().flatten();
    let called: Vec<_> = called.map(|at| &offers.names[*at]).collect();
    // `use parse::parse` beside `mod parse` means the module, not itself.
    let is_declared = |named: &&&ModuleItem| match &named.what {
        ModuleItemTarget::Inner => true,
        ModuleItemTarget::From(import, _) => {
            offers.imports[*import as usize].kind == ImportKind::Mod
        }
        ModuleItemTarget::Own(_) | ModuleItemTarget::Star(_) => false,
    };
    let only = called.iter().find(is_declared).filter(|_| wanted == PathNamespace::Container);
    let mut found = Vec::new();
    for named in only.map_or(called.as_slice(), std::slice::from_ref) {
        match &named.what {
            ModuleItemTarget::Own(full) => {
                found.push(PathTarget::Item(module.file.clone(), full.clone()));
            }
            ModuleItemTarget::Inner => found.push(PathTarget::Module(module.inner(&named.name))),
            ModuleItemTarget::From(import, inner) => {
                found.extend(lookup_import(context, module, &offers, *import, inner, steps));
            }
            ModuleItemTarget::Star(_) => {}
        }
    }
    if found.is_empty() {
        for import in &scope.stars {
            found.extend(lookup_import(context, module, &offers, *import, name, steps));
            if !found.is_empty() {
                break;
            }
        }
    }
    found
}

/// The names of a file, by the inline module that contains them: a lookup asks for one name, and a
/// file may have thousands.
struct ModuleNames(HashMap<String, InlineModuleNames>);

/// The names of one module.
#[derive(Default)]
struct InlineModuleNames {
    /// The positions of each name in the interface of the file
    positions_by_name: HashMap<String, Vec<usize>>,
    /// Star imports
    stars: Vec<u32>,
}

impl ModuleNames {
    fn of(offers: &ModuleInterface) -> Self {
        let mut scopes: HashMap<String, InlineModuleNames> = HashMap::new();
        for (at, named) in offers.names.iter().enumerate() {
            let scope = scopes.entry(named.scope.clone()).or_default();
            match named.what {
                ModuleItemTarget::Star(import) => scope.stars.push(import),
                _ => scope
                    .positions_by_name
                    .entry(strip_raw_prefix(&named.name).to_owned())
                    .or_default()
                    .push(at),
            }
        }
        Self(scopes)
    }
}

/// A name without the prefix of a raw identifier.
fn strip_raw_prefix(name: &str) -> &str {
    name.trim_start_matches("r#")
}

/// Looks up a name of an import of a module.
fn lookup_import(
    context: &ResolutionContext<'_>,
    module: &RustModule,
    offers: &ModuleInterface,
    import: u32,
    name: &str,
    steps: &mut PathSearch,
) -> Vec<PathTarget> {
    let asked = &offers.imports[import as usize];
    match asked.kind {
        ImportKind::Mod => {
            let file = modules::child_file(context, module, asked);
            file.map(|file| PathTarget::Module(RustModule::file_root(file))).into_iter().collect()
        }
        ImportKind::ExternCrate => {
            let file = crates::library_root(context, &module.file, &asked.specifier);
            file.map(|file| PathTarget::Module(RustModule::file_root(file))).into_iter().collect()
        }
        _ => {
            let parts = asked.specifier.split("::").filter(|part| !part.is_empty());
            let path: Vec<&str> = parts.chain([name]).collect();
            find(context, module, &path, steps)
        }
    }
}
