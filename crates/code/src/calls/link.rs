//! What a file wants of others, answered from their faces.
//!
//! Every name that is looked up in a file is kept, found or not: an answer holds as long as what
//! is behind these names stays the same.
//!
//! @see spec::code/calls

mod interfaces;
mod package;
mod paths;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use base::{RepoPath, Result};

use syntax::Language;

use super::summary::{Face, Relation, ShapeKind, Summary, Sure, Want};
use super::value::{Base, Op, Out};
use values::Found;

/// Lookups that one want may take.
const FUEL: u32 = 400;

/// Modules without the name that one want may look into, where they are handed on whole.
const MOST_MISSES: u32 = 4_000;

/// Functions that one call may lead to; a call that fits more of them says nothing.
const MOST_TARGETS: usize = 8;

/// How far one thing may lead to another.
const DEEPEST: u32 = 48;

/// The name under which an answer rests on who declares a file to be its module.
pub(crate) const DECLARED_BY: &str = "^";

/// What a file offers to say which package it is part of, before the name of that.
pub(crate) const PACKAGE: &str = "package ";

/// What a file offers to say that one of its types has a method, before the name of that.
pub(crate) const METHOD: &str = "method ";

/// The line of an edge that nobody wrote down.
const NO_LINE: u32 = 0;

/// What constructors are called, besides the name of their class.
const CONSTRUCTORS: [&str; 5] = ["__init__", "constructor", "__construct", "init", "initialize"];

/// What linking asks of all files together.
pub(crate) trait World {
    /// What a file offers.
    fn face(&mut self, file: &RepoPath) -> Result<Option<Rc<Face>>>;
    /// The file that an import means.
    fn target(&mut self, file: &RepoPath, import: u32) -> Result<Option<RepoPath>>;
    /// The file, and the module in it, that declares a file to be its module.
    fn declared_by(&mut self, file: &RepoPath) -> Result<Option<RepoPath>>;
    /// Where the root file of a package may be, the likeliest first.
    fn package(&mut self, name: &str) -> Result<Vec<RepoPath>>;
    /// Other files of the same package that declare a name.
    fn mates(&mut self, file: &RepoPath, name: &str) -> Result<Vec<RepoPath>>;
    /// Other files of the same package that declare a name or something of it, tests included, as far
    /// as they are built with the file that asks.
    fn parts(&mut self, file: &RepoPath, name: &str, asker: &RepoPath) -> Result<Vec<RepoPath>>;
    /// Files of a folder that declare a name for a file that imports the package in it.
    fn of_package(
        &mut self,
        folder: &RepoPath,
        name: &str,
        asker: &RepoPath,
    ) -> Result<Vec<RepoPath>>;
    /// Files that declare a method of this name for a type that is no interface.
    fn with_method(&mut self, name: &str) -> Result<Vec<RepoPath>>;
    /// Files with an `impl` of a type of this name that is declared elsewhere.
    fn implementors(&mut self, name: &str) -> Result<Vec<RepoPath>>;
}

/// An edge between two symbols of the repository; an empty path is the file's own code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Linked {
    pub from: (RepoPath, String),
    pub relation: Relation,
    pub to: (RepoPath, String),
    pub sure: Sure,
    pub line: u32,
}

/// What a file's wants came to.
#[derive(Debug, Default)]
pub(crate) struct Links {
    pub edges: Vec<Linked>,
    /// The names that were looked up, by file; the file is a folder where a package was asked
    pub rests: HashMap<RepoPath, HashSet<String>>,
    /// Calls that led nowhere, by the last name that was asked for
    pub names: Vec<(String, String, u32)>,
}

/// Answers what one file wants.
pub(crate) struct Linker<'w> {
    world: &'w mut dyn World,
    /// The file
    asker: RepoPath,
    rests: HashMap<RepoPath, HashSet<String>>,
    /// Names that are being looked up
    asking: Vec<(RepoPath, String)>,
    /// What names of files came to, where that holds wherever they are asked for
    known: HashMap<(RepoPath, String), Vec<Found>>,
    /// How often something was not followed to its end
    gave_up: u32,
    /// How much may still be looked at for one want
    fuel: u32,
    /// How many modules that are handed on whole may still turn out not to have a name
    misses: u32,
    /// How far one thing has led to another: modules that import each other lead in circles
    depth: u32,
}

/// Answers all that a file wants.
pub(crate) fn link(world: &mut dyn World, file: &RepoPath, summary: &Summary) -> Result<Links> {
    let mut linker = Linker {
        world,
        asker: file.clone(),
        rests: HashMap::new(),
        asking: Vec::new(),
        known: HashMap::new(),
        gave_up: 0,
        fuel: 0,
        misses: 0,
        depth: 0,
    };
    let mut edges: BTreeMap<_, (Sure, u32)> = BTreeMap::new();
    let mut names = Vec::new();
    for want in &summary.wants {
        (linker.fuel, linker.misses) = (FUEL, MOST_MISSES);
        let found = linker.answer(file, want)?;
        let is_lost = found.is_empty() && want.relation == Relation::Calls;
        if is_lost && !linker.is_outside(file, want)? {
            names.extend(last_name(want).map(|name| (want.from.clone(), name, want.line)));
        }
        for (from, to, sure) in found {
            let kept = edges.entry((from, want.relation, to)).or_insert((sure, want.line));
            kept.0 = kept.0.min(sure);
        }
    }
    for (from, to) in linker.implemented_here(file)? {
        edges.entry((from, Relation::Implements, to)).or_insert((Sure::Inferred, NO_LINE));
    }
    let called: BTreeSet<_> = edges
        .keys()
        .filter(|(_, relation, _)| *relation == Relation::Calls)
        .map(|(from, _, to)| (from.clone(), to.clone()))
        .collect();
    let is_told = |from: &(RepoPath, String), relation: Relation, to: &(RepoPath, String)| {
        relation == Relation::Uses && called.contains(&(from.clone(), to.clone()))
    };
    let edges = edges
        .into_iter()
        .filter(|((from, relation, to), _)| from != to && !is_told(from, *relation, to));
    let edges =
        edges.map(|((from, relation, to), (sure, line))| Linked { from, relation, to, sure, line });
    Ok(Links { edges: edges.collect(), rests: linker.rests, names })
}

/// The method that a call asks for, where it is one.
fn last_name(want: &Want) -> Option<String> {
    match want.to.ops.as_slice() {
        [_, .., Op::Get(name)] | [Op::Get(name)] => Some(name.clone()),
        _ => None,
    }
}

/// Whether a call asks for a symbol by its own name, not by that of a variable that holds it.
fn is_named(want: &Want, symbol: &str) -> bool {
    let own = symbol.rsplit('.').next().unwrap_or(symbol);
    let own = own.split('~').next().unwrap_or(own);
    let asked = want.to.ops.iter().rev().find_map(|op| match op {
        Op::Get(name) => Some(name),
        _ => None,
    });
    match (asked, &want.to.base) {
        (Some(name), _) | (None, Base::Global(name)) => name == own,
        _ => true,
    }
}

type Edge = ((RepoPath, String), (RepoPath, String), Sure);

impl Linker<'_> {
    fn answer(&mut self, file: &RepoPath, want: &Want) -> Result<Vec<Edge>> {
        let from = (file.clone(), want.from.clone());
        if want.relation != Relation::Calls {
            let found = self.symbols(file, &want.to)?;
            return Ok(found.into_iter().map(|to| (from.clone(), to, want.sure)).collect());
        }
        let found = self.term(file, &want.to)?;
        let args = Args { file: file.clone(), values: want.args.clone() };
        let mut edges = Vec::new();
        for one in &found {
            self.called(&from, one, &args, &mut edges)?;
        }
        if edges.len() > MOST_TARGETS {
            return Ok(Vec::new());
        }
        let direct = edges.iter().filter(|(by, ..)| *by == from).count();
        let is_held =
            is_go(file) && edges.iter().any(|(by, to, _)| *by == from && !is_named(want, &to.1));
        let sure = if direct > 1 || is_held { Sure::Inferred } else { want.sure };
        for (by, _, how) in &mut edges {
            *how = if *by == from { sure } else { Sure::Inferred };
        }
        Ok(edges)
    }

    /// What calling something runs.
    fn called(
        &mut self,
        from: &(RepoPath, String),
        found: &Found,
        args: &Args,
        edges: &mut Vec<Edge>,
    ) -> Result<()> {
        let Out::Sym(path) = &found.out else {
            if let Out::New(_) = &found.out {
                for one in self.get(found, "__call__")? {
                    self.called(from, &one, args, edges)?;
                }
            }
            return Ok(());
        };
        let Some(face) = self.world.face(&found.file)? else { return Ok(()) };
        let Some(shape) = face.shapes.get(path) else { return Ok(()) };
        match shape.kind {
            ShapeKind::Function | ShapeKind::Getter => {
                let to = (found.file.clone(), path.clone());
                edges.push((from.clone(), to, Sure::Exact));
                self.rest_on(&found.file, path);
                for call in &shape.calls {
                    let by = (found.file.clone(), call.from.clone());
                    for given in args.at(call.param) {
                        let given = Found { file: args.file.clone(), out: given.clone() };
                        for one in self.settle(given)? {
                            if let Out::Sym(_) = &one.out {
                                let inner =
                                    Args { file: found.file.clone(), values: call.args.clone() };
                                self.called(&by, &one, &inner, edges)?;
                            }
                        }
                    }
                }
                Ok(())
            }
            ShapeKind::Class if is_go(&found.file) => Ok(()), // nothing runs
            ShapeKind::Class => {
                for one in self.constructors(found, path)? {
                    self.called(from, &one, args, edges)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn constructors(&mut self, class: &Found, path: &str) -> Result<Vec<Found>> {
        let own = path.rsplit('.').next().unwrap_or(path);
        let instance = Found { file: class.file.clone(), out: Out::New(path.to_owned()) };
        for name in CONSTRUCTORS.into_iter().chain([own]) {
            let found = self.get(&instance, name)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Notes that an answer depends on what is behind a name, with all that is inside of it.
    fn rest_on(&mut self, file: &RepoPath, path: &str) {
        let top = path.split('.').next().unwrap_or(path);
        self.rest(file, top);
    }

    fn rest(&mut self, file: &RepoPath, name: &str) {
        match self.rests.get_mut(file) {
            Some(names) if names.contains(name) => {}
            Some(names) => drop(names.insert(name.to_owned())),
            None => drop(self.rests.insert(file.clone(), HashSet::from([name.to_owned()]))),
        }
    }
}

/// Whether a file is written in Go.
fn is_go(file: &RepoPath) -> bool {
    Language::of(file) == Some(Language::Go)
}

/// What a call gives, in terms of the file it is made in.
#[derive(Debug, Clone)]
pub(super) struct Args {
    file: RepoPath,
    values: Vec<Vec<Out>>,
}

impl Args {
    fn at(&self, param: u32) -> &[Out] {
        self.values.get(param as usize).map(Vec::as_slice).unwrap_or_default()
    }
}
