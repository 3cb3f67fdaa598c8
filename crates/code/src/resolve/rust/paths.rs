//! Paths: what `a::b::C` means in a module.

use std::collections::{BTreeSet, HashMap};

use base::RepoPath;
use syntax::ImportKind;

use super::crates;
use super::modules::{self, Module};
use crate::outline::{Named, Offers, What};
use crate::resolve::{LONGEST_CHAIN, World};

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Def {
    Module(Module),
    /// An item of a file, by its nested name
    Item(RepoPath, String),
}

/// How many names are looked up for one path; stars upon stars could go on for ever.
const MOST_STEPS: u32 = 2_000;

/// What a name stands for in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    /// Whatever it means, in every namespace
    All,
    /// What the rest of the path is looked for in: a module, if there is one of that name
    Container,
}

impl Wanted {
    fn before(rest: &[&str]) -> Self {
        if rest.is_empty() { Self::All } else { Self::Container }
    }
}

/// The names that are being followed, so that no circle is walked twice.
#[derive(Debug, Default)]
pub(super) struct Steps {
    open: BTreeSet<(Module, String, Wanted)>,
    taken: u32,
}

/// What a path means, seen from a module. Several, where namespaces give a name several meanings.
pub(super) fn find(world: &World<'_>, from: &Module, path: &[&str], steps: &mut Steps) -> Vec<Def> {
    let Some((first, rest)) = path.split_first() else {
        return Vec::new();
    };
    let start = match *first {
        "crate" | "$crate" => root(world, from).map(Def::Module).into_iter().collect(),
        "self" => vec![Def::Module(from.clone())],
        "super" => from.parent(world).map(Def::Module).into_iter().collect(),
        "Self" => Vec::new(),
        name => local(world, from, (name, Wanted::before(rest)), steps),
    };
    follow(world, start, rest, steps)
}

/// A name as a module knows it: its own, a crate's, or the one that everybody has.
fn local(world: &World<'_>, from: &Module, asked: (&str, Wanted), steps: &mut Steps) -> Vec<Def> {
    let own = lookup(world, from, asked, steps);
    if !own.is_empty() {
        return own;
    }
    let other = crates::other(world, &from.file, asked.0);
    other.map(|file| Def::Module(Module::top(file))).into_iter().collect()
}

fn follow(world: &World<'_>, start: Vec<Def>, rest: &[&str], steps: &mut Steps) -> Vec<Def> {
    let Some((name, rest)) = rest.split_first() else { return start };
    let mut next = Vec::new();
    for def in &start {
        if let Def::Module(module) = def {
            next.extend(match *name {
                "super" => module.parent(world).map(Def::Module).into_iter().collect(),
                "self" => vec![def.clone()],
                name => lookup(world, module, (name, Wanted::before(rest)), steps),
            });
        }
    }
    if next.is_empty() {
        // A variant or an associated function: what is taken is the type. A module of that name
        // goes first, since only a module has items.
        return start.into_iter().filter(|def| matches!(def, Def::Item(..))).collect();
    }
    follow(world, next, rest, steps)
}

/// The root module of the crate that a module is in.
pub(super) fn root(world: &World<'_>, from: &Module) -> Option<Module> {
    let found = world.once("rust crate root", (&from.file, ""), || {
        let mut at = Module::top(from.file.clone());
        for _ in 0..LONGEST_CHAIN {
            match at.parent(world) {
                Some(parent) => at = Module::top(parent.file),
                None => break,
            }
        }
        at
    });
    Some((*found).clone())
}

/// What a name means inside a module.
fn lookup(
    world: &World<'_>,
    module: &Module,
    asked: (&str, Wanted),
    steps: &mut Steps,
) -> Vec<Def> {
    let step = (module.clone(), asked.0.to_owned(), asked.1);
    steps.taken += 1;
    if steps.taken > MOST_STEPS || !steps.open.insert(step.clone()) {
        return Vec::new();
    }
    let found = in_module(world, module, asked, steps);
    steps.open.remove(&step);
    found
}

fn in_module(
    world: &World<'_>,
    module: &Module,
    (name, wanted): (&str, Wanted),
    steps: &mut Steps,
) -> Vec<Def> {
    let Some(offers) = world.offers(&module.file) else { return Vec::new() };
    let names = world.once("rust names", (&module.file, ""), || Names::of(&offers));
    let Some(scope) = names.0.get(&module.scope) else { return Vec::new() };
    let called = scope.called.get(plain(name)).into_iter().flatten();
    let called: Vec<_> = called.map(|at| &offers.names[*at]).collect();
    // `use parse::parse` beside `mod parse` asks for the module, not for itself.
    let is_declared = |named: &&&Named| match &named.what {
        What::Inner => true,
        What::From(import, _) => offers.imports[*import as usize].kind == ImportKind::Mod,
        What::Own(_) | What::Star(_) => false,
    };
    let only = called.iter().find(is_declared).filter(|_| wanted == Wanted::Container);
    let mut found = Vec::new();
    for named in only.map_or(called.as_slice(), std::slice::from_ref) {
        match &named.what {
            What::Own(full) => found.push(Def::Item(module.file.clone(), full.clone())),
            What::Inner => found.push(Def::Module(module.inner(&named.name))),
            What::From(import, inner) => {
                found.extend(imported(world, module, &offers, (*import, inner), steps));
            }
            What::Star(_) => {}
        }
    }
    if found.is_empty() {
        for import in &scope.stars {
            found.extend(imported(world, module, &offers, (*import, name), steps));
            if !found.is_empty() {
                break;
            }
        }
    }
    found
}

/// The names of a file by the inline module they are in. A path asks for one name at a time, and
/// files have thousands.
struct Names(HashMap<String, Scope>);

/// The names of one module.
#[derive(Default)]
struct Scope {
    /// Where each stands among what the file offers
    called: HashMap<String, Vec<usize>>,
    /// The imports that bring in all of another module
    stars: Vec<u32>,
}

impl Names {
    fn of(offers: &Offers) -> Self {
        let mut scopes: HashMap<String, Scope> = HashMap::new();
        for (at, named) in offers.names.iter().enumerate() {
            let scope = scopes.entry(named.scope.clone()).or_default();
            match named.what {
                What::Star(import) => scope.stars.push(import),
                _ => scope.called.entry(plain(&named.name).to_owned()).or_default().push(at),
            }
        }
        Self(scopes)
    }
}

/// A name as it is compared.
fn plain(name: &str) -> &str {
    name.trim_start_matches("r#")
}

/// A name of an import of a module.
fn imported(
    world: &World<'_>,
    module: &Module,
    offers: &Offers,
    (import, name): (u32, &str),
    steps: &mut Steps,
) -> Vec<Def> {
    let asked = &offers.imports[import as usize];
    match asked.kind {
        ImportKind::Mod => {
            let file = modules::child(world, module, asked);
            file.map(|file| Def::Module(Module::top(file))).into_iter().collect()
        }
        ImportKind::ExternCrate => {
            let file = crates::other(world, &module.file, &asked.specifier);
            file.map(|file| Def::Module(Module::top(file))).into_iter().collect()
        }
        _ => {
            let parts = asked.specifier.split("::").filter(|part| !part.is_empty());
            let path: Vec<&str> = parts.chain([name]).collect();
            find(world, module, &path, steps)
        }
    }
}
