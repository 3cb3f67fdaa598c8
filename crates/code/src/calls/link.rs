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

use syntax::CallModel;

use super::summary::{
    EdgeConfidence, ExportTable, FileCallSummary, ShapeKind, SymbolRelation, UnresolvedEdge,
};
use super::value::{ExportedValue, ExternalBase, ExternalStep};
use values::FileValue;

/// Lookups that one want may take.
const MAX_LOOKUPS: u32 = 400;

/// Modules without the name that one want may look into, where they are handed on whole.
const MAX_REEXPORT_MISSES: u32 = 4_000;

/// Functions that one call may lead to; a call that fits more of them says nothing.
const MAX_CALL_TARGETS: usize = 8;

/// How far one thing may lead to another.
const MAX_LINK_DEPTH: u32 = 48;

/// The name under which an answer rests on who declares a file to be its module.
pub(crate) const DECLARED_BY_KEY: &str = "^";

/// What a file offers to say which package it is part of, before the name of that.
pub(crate) const PACKAGE_PREFIX: &str = "package ";

/// What a file offers to say that one of its types has a method, before the name of that.
pub(crate) const METHOD_PREFIX: &str = "method ";

/// The line of an edge that nobody wrote down.
const NO_LINE: u32 = 0;

/// What constructors are called, besides the name of their class.
const CONSTRUCTOR_NAMES: [&str; 5] =
    ["__init__", "constructor", "__construct", "init", "initialize"];

/// What linking asks of all files together.
pub(crate) trait LinkSource {
    /// What a file offers.
    fn exports(&mut self, file: &RepoPath) -> Result<Option<Rc<ExportTable>>>;
    /// The file that an import means.
    fn import_target(&mut self, file: &RepoPath, import: u32) -> Result<Option<RepoPath>>;
    /// The file, and the module in it, that declares a file to be its module.
    fn declared_by(&mut self, file: &RepoPath) -> Result<Option<RepoPath>>;
    /// Where the root file of a package may be, the likeliest first.
    fn package_roots(&mut self, name: &str) -> Result<Vec<RepoPath>>;
    /// Other files of the same package that declare a name.
    fn package_files_declaring(&mut self, file: &RepoPath, name: &str) -> Result<Vec<RepoPath>>;
    /// Other files of the same package that declare a name or something of it, tests included, as far
    /// as they are built with the file that asks.
    fn package_files_contributing(
        &mut self,
        file: &RepoPath,
        name: &str,
        asker: &RepoPath,
    ) -> Result<Vec<RepoPath>>;
    /// Files of a folder that declare a name for a file that imports the package in it.
    fn imported_package_files(
        &mut self,
        folder: &RepoPath,
        name: &str,
        asker: &RepoPath,
    ) -> Result<Vec<RepoPath>>;
    /// Files that declare a method of this name for a type that is no interface.
    fn files_with_method(&mut self, name: &str) -> Result<Vec<RepoPath>>;
    /// Files with an `impl` of a type of this name that is declared elsewhere.
    fn files_with_impl(&mut self, name: &str) -> Result<Vec<RepoPath>>;
}

/// An edge between two symbols of the repository; an empty path is the file's own code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkedEdge {
    pub from: (RepoPath, String),
    pub relation: SymbolRelation,
    pub to: (RepoPath, String),
    pub sure: EdgeConfidence,
    pub line: u32,
}

/// What a file's wants came to.
#[derive(Debug, Default)]
pub(crate) struct LinkResult {
    pub edges: Vec<LinkedEdge>,
    /// The names that were looked up, by file; the file is a folder where a package was asked
    pub dependencies: HashMap<RepoPath, HashSet<String>>,
    /// Calls that led nowhere, by the last name that was asked for
    pub unresolved_calls: Vec<(String, String, u32)>,
}

/// Answers what one file wants.
pub(crate) struct Linker<'w> {
    source: &'w mut dyn LinkSource,
    /// The file
    file: RepoPath,
    dependencies: HashMap<RepoPath, HashSet<String>>,
    /// Names that are being looked up
    in_progress: Vec<(RepoPath, String)>,
    /// What names of files came to, where that holds wherever they are asked for
    resolved_names: HashMap<(RepoPath, String), Vec<FileValue>>,
    /// How often something was not followed to its end
    abandoned_lookups: u32,
    /// How much may still be looked at for one want
    lookups_left: u32,
    /// How many modules that are handed on whole may still turn out not to have a name
    misses_left: u32,
    /// How far one thing has led to another: modules that import each other lead in circles
    depth: u32,
}

/// Answers all that a file wants.
pub(crate) fn link(
    world: &mut dyn LinkSource,
    file: &RepoPath,
    summary: &FileCallSummary,
) -> Result<LinkResult> {
    let mut linker = Linker {
        source: world,
        file: file.clone(),
        dependencies: HashMap::new(),
        in_progress: Vec::new(),
        resolved_names: HashMap::new(),
        abandoned_lookups: 0,
        lookups_left: 0,
        misses_left: 0,
        depth: 0,
    };
    let mut edges: BTreeMap<_, (EdgeConfidence, u32)> = BTreeMap::new();
    let mut names = Vec::new();
    for want in &summary.wants {
        (linker.lookups_left, linker.misses_left) = (MAX_LOOKUPS, MAX_REEXPORT_MISSES);
        let found = linker.resolve_edge(file, want)?;
        let is_lost = found.is_empty() && want.relation == SymbolRelation::Calls;
        if is_lost && !linker.is_external_call(file, want)? {
            names.extend(last_member_name(want).map(|name| (want.from.clone(), name, want.line)));
        }
        for (from, to, sure) in found {
            let kept = edges.entry((from, want.relation, to)).or_insert((sure, want.line));
            kept.0 = kept.0.min(sure);
        }
    }
    for (from, to) in linker.interface_implementations(file)? {
        edges
            .entry((from, SymbolRelation::Implements, to))
            .or_insert((EdgeConfidence::Inferred, NO_LINE));
    }
    let called: BTreeSet<_> = edges
        .keys()
        .filter(|(_, relation, _)| *relation == SymbolRelation::Calls)
        .map(|(from, _, to)| (from.clone(), to.clone()))
        .collect();
    let is_told = |from: &(RepoPath, String), relation: SymbolRelation, to: &(RepoPath, String)| {
        relation == SymbolRelation::Uses && called.contains(&(from.clone(), to.clone()))
    };
    let edges = edges
        .into_iter()
        .filter(|((from, relation, to), _)| from != to && !is_told(from, *relation, to));
    let edges = edges.map(|((from, relation, to), (sure, line))| LinkedEdge {
        from,
        relation,
        to,
        sure,
        line,
    });
    Ok(LinkResult {
        edges: edges.collect(),
        dependencies: linker.dependencies,
        unresolved_calls: names,
    })
}

/// The method that a call asks for, where it is one.
fn last_member_name(want: &UnresolvedEdge) -> Option<String> {
    match want.to.ops.as_slice() {
        [_, .., ExternalStep::Get(name)] | [ExternalStep::Get(name)] => Some(name.clone()),
        _ => None,
    }
}

/// Whether a call asks for a symbol by its own name, not by that of a variable that holds it.
fn names_symbol(want: &UnresolvedEdge, symbol: &str) -> bool {
    let own = symbol.rsplit('.').next().unwrap_or(symbol);
    let own = own.split('~').next().unwrap_or(own);
    let asked = want.to.ops.iter().rev().find_map(|op| match op {
        ExternalStep::Get(name) => Some(name),
        _ => None,
    });
    match (asked, &want.to.base) {
        (Some(name), _) | (None, ExternalBase::Global(name)) => name == own,
        _ => true,
    }
}

type SymbolLink = ((RepoPath, String), (RepoPath, String), EdgeConfidence);

impl Linker<'_> {
    fn resolve_edge(&mut self, file: &RepoPath, want: &UnresolvedEdge) -> Result<Vec<SymbolLink>> {
        let from = (file.clone(), want.from.clone());
        if want.relation != SymbolRelation::Calls {
            let found = self.declared_symbols(file, &want.to)?;
            return Ok(found.into_iter().map(|to| (from.clone(), to, want.sure)).collect());
        }
        let found = self.resolve_ref(file, &want.to)?;
        let args = CallArgs { file: file.clone(), values: want.args.clone() };
        let mut edges = Vec::new();
        for one in &found {
            self.add_call_targets(&from, one, &args, &mut edges)?;
        }
        if edges.len() > MAX_CALL_TARGETS {
            return Ok(Vec::new());
        }
        let direct = edges.iter().filter(|(by, ..)| *by == from).count();
        let is_held = is_go(file)
            && edges.iter().any(|(by, to, _)| *by == from && !names_symbol(want, &to.1));
        let sure = if direct > 1 || is_held { EdgeConfidence::Inferred } else { want.sure };
        for (by, _, how) in &mut edges {
            *how = if *by == from { sure } else { EdgeConfidence::Inferred };
        }
        Ok(edges)
    }

    /// What calling something runs.
    fn add_call_targets(
        &mut self,
        from: &(RepoPath, String),
        found: &FileValue,
        args: &CallArgs,
        edges: &mut Vec<SymbolLink>,
    ) -> Result<()> {
        let ExportedValue::Sym(path) = &found.out else {
            if let ExportedValue::New(_) = &found.out {
                for one in self.member_value(found, "__call__")? {
                    self.add_call_targets(from, &one, args, edges)?;
                }
            }
            return Ok(());
        };
        let Some(face) = self.source.exports(&found.file)? else { return Ok(()) };
        let Some(shape) = face.shapes.get(path) else { return Ok(()) };
        match shape.kind {
            ShapeKind::Function | ShapeKind::Getter => {
                let to = (found.file.clone(), path.clone());
                edges.push((from.clone(), to, EdgeConfidence::Exact));
                self.depend_on_symbol(&found.file, path);
                for call in &shape.calls {
                    let by = (found.file.clone(), call.from.clone());
                    for given in args.arg(call.param) {
                        let given = FileValue { file: args.file.clone(), out: given.clone() };
                        for one in self.dereference(given)? {
                            if let ExportedValue::Sym(_) = &one.out {
                                let inner = CallArgs {
                                    file: found.file.clone(),
                                    values: call.args.clone(),
                                };
                                self.add_call_targets(&by, &one, &inner, edges)?;
                            }
                        }
                    }
                }
                Ok(())
            }
            ShapeKind::Class if is_go(&found.file) => Ok(()), // nothing runs
            ShapeKind::Class => {
                for one in self.constructors(found, path)? {
                    self.add_call_targets(from, &one, args, edges)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn constructors(&mut self, class: &FileValue, path: &str) -> Result<Vec<FileValue>> {
        let own = path.rsplit('.').next().unwrap_or(path);
        let instance =
            FileValue { file: class.file.clone(), out: ExportedValue::New(path.to_owned()) };
        for name in CONSTRUCTOR_NAMES.into_iter().chain([own]) {
            let found = self.member_value(&instance, name)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Notes that an answer depends on what is behind a name, with all that is inside of it.
    fn depend_on_symbol(&mut self, file: &RepoPath, path: &str) {
        let top = path.split('.').next().unwrap_or(path);
        self.depend_on_name(file, top);
    }

    fn depend_on_name(&mut self, file: &RepoPath, name: &str) {
        match self.dependencies.get_mut(file) {
            Some(names) if names.contains(name) => {}
            Some(names) => drop(names.insert(name.to_owned())),
            None => drop(self.dependencies.insert(file.clone(), HashSet::from([name.to_owned()]))),
        }
    }
}

/// Whether the calls of a file are interpreted by the rules of Go.
fn is_go(file: &RepoPath) -> bool {
    CallModel::of_file(file) == Some(CallModel::Go)
}

/// What a call gives, in terms of the file it is made in.
#[derive(Debug, Clone)]
pub(super) struct CallArgs {
    file: RepoPath,
    values: Vec<Vec<ExportedValue>>,
}

impl CallArgs {
    fn arg(&self, param: u32) -> &[ExportedValue] {
        self.values.get(param as usize).map(Vec::as_slice).unwrap_or_default()
    }
}
