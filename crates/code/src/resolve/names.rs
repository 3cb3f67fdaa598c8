//! Languages whose modules are files: names are followed from file to file through what hands
//! them on.

use std::collections::BTreeSet;

use base::RepoPath;

use super::{Here, LONGEST_CHAIN, Origin, Resolved, Taking, Target, World};
use crate::outline::{Asked, What};

/// The module of a name inside another module that is a package.
pub(super) type Inner = fn(&World<'_>, &RepoPath, &str) -> Option<RepoPath>;

/// The module of a name in a package that has no file of its own.
pub(super) type Bare = fn(&World<'_>, &RepoPath, &Asked, &str) -> Option<RepoPath>;

/// What differs between these languages.
pub(super) struct Rules {
    pub target: Target,
    /// Only where folders can be packages
    pub inner: Option<(Inner, Bare)>,
}

pub(super) fn resolve(world: &World<'_>, here: &Here<'_>, rules: &Rules) -> Resolved {
    let imports = &here.offers.imports;
    let mut targets: Vec<Option<RepoPath>> =
        imports.iter().map(|asked| (rules.target)(world, here.path, asked)).collect();
    let mut takings = BTreeSet::new();
    for (at, (asked, target)) in (0..).zip(imports.iter().zip(&mut targets)) {
        let origins = of_import(world, here.path, rules, (asked, target));
        let one = |origin| Taking { import: Some(at), origin, line: None };
        takings.extend(origins.into_iter().map(one));
    }
    for mention in &here.asks.mentions {
        let Some((import, at)) = mention.import else { continue };
        let Some(Some(target)) = targets.get(import as usize) else { continue };
        let name = at.and_then(|at| imports[import as usize].names.get(at as usize));
        let start = match name {
            Some((name, _)) => taken(world, rules, target, name),
            None => Origin::whole(target.clone()),
        };
        if let Some(origin) = member(world, rules, start, &mention.path) {
            takings.insert(Taking { import: Some(import), origin, line: Some(mention.line) });
        }
    }
    Resolved { targets, takings: takings.into_iter().collect() }
}

/// What an import takes. Where its one name is a module of a package, that module is what it means.
fn of_import(
    world: &World<'_>,
    from: &RepoPath,
    rules: &Rules,
    (asked, target): (&Asked, &mut Option<RepoPath>),
) -> Vec<Origin> {
    let names = asked.names.iter().map(|(name, _)| name.as_str());
    let origins: Vec<Origin> = match (&target, rules.inner) {
        (Some(target), _) if asked.names.is_empty() => vec![Origin::whole(target.clone())],
        (Some(target), _) => names.map(|name| taken(world, rules, target, name)).collect(),
        (None, Some((_, bare))) => {
            names.filter_map(|name| bare(world, from, asked, name)).map(Origin::whole).collect()
        }
        (None, None) => Vec::new(),
    };
    match origins.as_slice() {
        [first, ..] if target.is_none() => *target = Some(first.file.clone()),
        [only] if only.name == "*" && rules.inner.is_some() => *target = Some(only.file.clone()),
        _ => {}
    }
    origins
}

/// What a name of a module is; a name that it does not have is still asked of it.
fn taken(world: &World<'_>, rules: &Rules, target: &RepoPath, name: &str) -> Origin {
    let found = origin(world, rules, target, name);
    found.unwrap_or_else(|| Origin::new(target.clone(), name))
}

/// The first name of a path that belongs to a file which is reached as a whole.
fn member(world: &World<'_>, rules: &Rules, start: Origin, path: &[String]) -> Option<Origin> {
    let mut at = start;
    for name in path {
        if at.name != "*" {
            return None;
        }
        at = origin(world, rules, &at.file, name)?;
    }
    Some(at)
}

/// A search for where a name is declared, and where it has been.
struct NameSearch<'a, 'w> {
    world: &'a World<'w>,
    rules: &'a Rules,
    seen: BTreeSet<(RepoPath, String)>,
    /// How many files hand the name on from one to the next, up to here
    depth: usize,
}

/// Where a name that a file offers is declared.
fn origin(world: &World<'_>, rules: &Rules, file: &RepoPath, name: &str) -> Option<Origin> {
    NameSearch { world, rules, seen: BTreeSet::new(), depth: 0 }.origin(file, name)
}

impl NameSearch<'_, '_> {
    /// How many files a barrel hands on does not count, only how far one leads to the next.
    fn origin(&mut self, file: &RepoPath, name: &str) -> Option<Origin> {
        if name == "*" {
            return Some(Origin::whole(file.clone()));
        }
        if self.depth > LONGEST_CHAIN || !self.seen.insert((file.clone(), name.to_owned())) {
            return None;
        }
        self.depth += 1;
        let found = self.offered_as(file, name);
        self.depth -= 1;
        found
    }

    fn offered_as(&mut self, file: &RepoPath, name: &str) -> Option<Origin> {
        let (world, rules) = (self.world, self.rules);
        let offers = world.offers(file)?;
        let target = |import: u32| (rules.target)(world, file, &offers.imports[import as usize]);
        for named in offers.names.iter().filter(|named| named.name == name) {
            match &named.what {
                What::Own(full) => return Some(Origin::new(file.clone(), full)),
                What::From(import, inner) => {
                    let Some(next) = target(*import) else { continue };
                    let module = || rules.inner.and_then(|(module, _)| module(world, &next, inner));
                    let found = self.origin(&next, inner);
                    let found = found.or_else(|| module().map(Origin::whole));
                    return Some(found.unwrap_or_else(|| Origin::new(next, inner.clone())));
                }
                What::Inner | What::Star(_) => {}
            }
        }
        let mut through_stars = || {
            let stars = offers.names.iter().filter_map(|named| match named.what {
                What::Star(import) if name != "default" => Some(import),
                _ => None,
            });
            stars.into_iter().find_map(|import| {
                let next = target(import).filter(|next| next != file)?;
                self.origin(&next, name)
            })
        };
        let inner = || (rules.inner?.0)(world, file, name).map(Origin::whole);
        through_stars().or_else(inner)
    }
}

/// Everything that a module offers, where it is declared.
pub(super) fn offered(
    world: &World<'_>,
    rules: &Rules,
    file: &RepoPath,
    seen: &mut BTreeSet<RepoPath>,
) -> BTreeSet<Origin> {
    let Some(offers) = world.offers(file).filter(|_| seen.insert(file.clone())) else {
        return BTreeSet::new();
    };
    let mut all = BTreeSet::new();
    for named in &offers.names {
        match named.what {
            What::Star(import) => {
                let next = (rules.target)(world, file, &offers.imports[import as usize]);
                all.extend(next.into_iter().flat_map(|next| offered(world, rules, &next, seen)));
            }
            _ => match origin(world, rules, file, &named.name) {
                Some(whole) if whole.name == "*" => {
                    all.extend(offered(world, rules, &whole.file, seen));
                }
                found => all.extend(found),
            },
        }
    }
    all
}
