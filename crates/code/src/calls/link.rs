//! Resolves a file's references to other files from the export tables of these.
//!
//! Every name that is looked up in a file is recorded as a dependency, found or not: the result is
//! valid as long as the exports behind these names stay the same.
//!
//! @see spec::code/calls

mod declared;
mod interfaces;
mod package;
mod paths;
mod python_modules;
mod schemas;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use base::{RepoPath, Result};

use syntax::CallModel;

use super::ids::ImportId;
use super::summary::{
    EdgeConfidence, ExportTable, FileCallSummary, ShapeKind, SymbolRelation, UnresolvedEdge,
};
use super::tables::SymbolEndpoint;
use super::value::{ExportedValue, ExternalBase, ExternalStep};
use values::FileValue;

/// Lookups for one reference.
const MAX_LOOKUPS: u32 = 400;

/// Modules without the name that are searched for one reference, where they are re-exported as a
/// whole.
const MAX_REEXPORT_MISSES: u32 = 4_000;

/// Functions that one call may lead to. A call with more candidates is dropped.
const MAX_CALL_TARGETS: usize = 8;

/// Nesting of lookups.
const MAX_LINK_DEPTH: u32 = 48;

/// Dependency key for: which file declares this one as its module.
pub(crate) const DECLARED_BY_KEY: &str = "^";

/// Prefix of the export key that says which package a file belongs to.
pub(crate) const PACKAGE_PREFIX: &str = "package ";

/// Prefix of the export key that says that a type of the file has a method of this name.
pub(crate) const METHOD_PREFIX: &str = "method ";

/// Prefix of the export key that says that a schema file declares a name.
pub(crate) const SCHEMA_PREFIX: &str = "schema ";

/// Line number of an edge without a source line.
const NO_LINE: u32 = 0;

/// Names of constructors, besides the name of their class.
const CONSTRUCTOR_NAMES: [&str; 5] =
    ["__init__", "constructor", "__construct", "init", "initialize"];

/// The files of the repository, as the linker sees them.
pub(crate) trait LinkSource {
    /// The export table of a file.
    fn exports(&mut self, file: &RepoPath) -> Result<Option<Rc<ExportTable>>>;
    /// The file that an import means.
    fn import_target(&mut self, file: &RepoPath, import: ImportId) -> Result<Option<RepoPath>>;
    /// The file that declares a file as its module.
    fn declared_by(&mut self, file: &RepoPath) -> Result<Option<RepoPath>>;
    /// The paths where the root file of a package may be, the most likely first.
    fn package_roots(&mut self, name: &str) -> Result<Vec<RepoPath>>;
    /// Other files of the same package that declare a name.
    fn package_files_declaring(&mut self, file: &RepoPath, name: &str) -> Result<Vec<RepoPath>>;
    /// Other files of the same package that declare a name or a member of it, tests included, if
    /// they are built together with the file that asks.
    fn package_files_contributing(
        &mut self,
        file: &RepoPath,
        name: &str,
        asker: &RepoPath,
    ) -> Result<Vec<RepoPath>>;
    /// Files of a folder that declare a name, for a file that imports the package in that folder.
    fn imported_package_files(
        &mut self,
        folder: &RepoPath,
        name: &str,
        asker: &RepoPath,
    ) -> Result<Vec<RepoPath>>;
    /// Files that declare a method of this name for a type other than an interface.
    fn files_with_method(&mut self, name: &str) -> Result<Vec<RepoPath>>;
    /// Schema files that declare something with this key.
    fn files_with_schema_key(&mut self, key: &str) -> Result<Vec<RepoPath>>;
    /// Files with an `impl` for a type of this name that another file declares.
    fn files_with_impl(&mut self, name: &str) -> Result<Vec<RepoPath>>;
}

/// An edge between two symbols of the repository; an empty path is the file's top-level code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkedEdge {
    pub from: (RepoPath, String),
    pub relation: SymbolRelation,
    pub to: (RepoPath, String),
    pub sure: EdgeConfidence,
    pub line: u32,
}

/// The result of linking a file.
#[derive(Debug, Default)]
pub(crate) struct LinkResult {
    pub edges: Vec<LinkedEdge>,
    /// The names that were looked up, by file, or by folder where a package was searched
    pub dependencies: HashMap<RepoPath, HashSet<String>>,
    /// Calls that could not be resolved: the caller, the last name that was looked up, and the line
    pub unresolved_calls: Vec<(String, String, u32)>,
}

/// Links one file.
pub(crate) struct Linker<'w> {
    source: &'w mut dyn LinkSource,
    /// The file that is linked
    file: RepoPath,
    dependencies: HashMap<RepoPath, HashSet<String>>,
    /// Names whose lookup is in progress
    in_progress: Vec<(RepoPath, String)>,
    /// Results of lookups that do not depend on where they started
    resolved_names: HashMap<(RepoPath, String), Vec<FileValue>>,
    /// How many lookups were abandoned at a limit
    abandoned_lookups: u32,
    /// Lookups that are left for the current reference
    lookups_left: u32,
    /// Re-exported modules without the name that may still be searched
    misses_left: u32,
    /// Current nesting of lookups: modules that import each other form circles
    depth: u32,
}

/// Links a file: resolves all its references to other files.
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
    for want in &summary.unresolved_edges {
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

/// The name of the method that a call means, if it is a method call.
fn last_member_name(want: &UnresolvedEdge) -> Option<String> {
    match want.to.ops.as_slice() {
        [_, .., ExternalStep::Get(name)] | [ExternalStep::Get(name)] => Some(name.clone()),
        _ => None,
    }
}

/// Whether a call names a symbol itself, not a variable that holds it.
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

/// Whether a call of JavaScript names the declaration of a symbol.
fn names_declaration(want: &UnresolvedEdge, symbol: &str) -> bool {
    match (want.to.ops.last(), &want.to.base) {
        (None, ExternalBase::Import(_, Some(name))) => {
            let own = symbol.split('~').next().unwrap_or(symbol);
            own == name || own.strip_suffix(".constructor") == Some(name)
        }
        _ => names_symbol(want, symbol),
    }
}

type SymbolLink = (LinkEnd, LinkEnd, EdgeConfidence);

/// One end of an edge: the file and the name of a symbol.
type LinkEnd = (RepoPath, String);

impl SymbolEndpoint<'_> {
    fn to_link_end(self) -> LinkEnd {
        (self.file.clone(), self.name.to_owned())
    }
}

impl Linker<'_> {
    fn resolve_edge(&mut self, file: &RepoPath, want: &UnresolvedEdge) -> Result<Vec<SymbolLink>> {
        let from = (file.clone(), want.from.clone());
        if let ExternalBase::Schema(key) = &want.to.base {
            let found = self.schema_symbols(file, key)?;
            let sure = if found.len() > 1 { EdgeConfidence::Inferred } else { want.sure };
            return Ok(found.into_iter().map(|to| (from.clone(), to, sure)).collect());
        }
        if want.relation != SymbolRelation::Calls {
            let found = self.declared_symbols(file, &want.to)?;
            return Ok(found.into_iter().map(|to| (from.clone(), to, want.sure)).collect());
        }
        let found = self.resolve_ref(file, &want.to)?;
        let args = CallArgs { file: file.clone(), values: want.args.clone() };
        let mut edges = Vec::new();
        let caller = SymbolEndpoint::new(file, &want.from);
        for one in &found {
            self.add_call_targets(caller, one, &args, &mut edges)?;
        }
        if edges.len() > MAX_CALL_TARGETS {
            return Ok(Vec::new());
        }
        // A class of Python and the constructor that it inherits are one callee.
        let direct = match CallModel::of_file(file) {
            Some(CallModel::Python) => found.len(),
            _ => edges.iter().filter(|(by, ..)| *by == from).count(),
        };
        let is_held = is_go(file)
            && edges.iter().any(|(by, to, _)| *by == from && !names_symbol(want, &to.1));
        let sure = if direct > 1 || is_held { EdgeConfidence::Inferred } else { want.sure };
        for (by, _, how) in &mut edges {
            *how = if *by == from { sure } else { EdgeConfidence::Inferred };
        }
        if is_javascript(file) && !edges.iter().any(|(_, to, _)| names_declaration(want, &to.1)) {
            for to in self.called_variables(file, &want.to)? {
                for (_, _, how) in &mut edges {
                    *how = EdgeConfidence::Inferred;
                }
                edges.push((from.clone(), to, want.sure));
            }
        }
        Ok(edges)
    }

    /// Records the functions that a call runs.
    fn add_call_targets(
        &mut self,
        caller: SymbolEndpoint<'_>,
        found: &FileValue,
        args: &CallArgs,
        edges: &mut Vec<SymbolLink>,
    ) -> Result<()> {
        let ExportedValue::Sym(path) = &found.out else {
            if let ExportedValue::New(_) = &found.out {
                for one in self.member_value(found, "__call__")? {
                    self.add_call_targets(caller, &one, args, edges)?;
                }
            }
            return Ok(());
        };
        let Some(face) = self.source.exports(&found.file)? else { return Ok(()) };
        let Some(shape) = face.shapes.get(path) else {
            for whole in self.whole_module(found)? {
                self.add_call_targets(caller, &whole, args, edges)?;
            }
            return Ok(());
        };
        match shape.kind {
            ShapeKind::Function | ShapeKind::Getter => {
                let to = (found.file.clone(), path.clone());
                edges.push((caller.to_link_end(), to, EdgeConfidence::Exact));
                self.depend_on_symbol(&found.file, path);
                for call in &shape.calls {
                    let by = SymbolEndpoint::new(&found.file, &call.from);
                    for given in args.arg(call.param) {
                        let given = FileValue { file: args.file.clone(), out: given.clone() };
                        for one in self.dereference(given)? {
                            if let ExportedValue::Sym(_) = &one.out {
                                let inner = CallArgs {
                                    file: found.file.clone(),
                                    values: call.args.clone(),
                                };
                                self.add_call_targets(by, &one, &inner, edges)?;
                            }
                        }
                    }
                }
                Ok(())
            }
            ShapeKind::Class if is_go(&found.file) => Ok(()), // nothing runs
            ShapeKind::Class => {
                let constructors = self.constructors(found, path)?;
                let own_name = match CallModel::of_file(&found.file) {
                    Some(CallModel::JavaScript) => Some("constructor"),
                    Some(CallModel::Python) => Some("__init__"),
                    _ => None,
                };
                let is_own = |one: &FileValue, name: &str| {
                    one.file == found.file
                        && one.out == ExportedValue::Sym(format!("{path}.{name}"))
                };
                // A class without a constructor of its own is called itself.
                if own_name.is_some_and(|name| !constructors.iter().any(|one| is_own(one, name))) {
                    let to = (found.file.clone(), path.clone());
                    edges.push((caller.to_link_end(), to, EdgeConfidence::Exact));
                    self.depend_on_symbol(&found.file, path);
                }
                for one in constructors {
                    self.add_call_targets(caller, &one, args, edges)?;
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
            if is_javascript(&class.file) && name != "constructor" {
                continue;
            }
            let found = self.member_value(&instance, name)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Records that the result depends on the exports behind a name, members included.
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

/// Whether the calls of a file are interpreted by the rules of Python.
fn is_python(file: &RepoPath) -> bool {
    CallModel::of_file(file) == Some(CallModel::Python)
}

/// Whether the calls of a file are interpreted by the rules of JavaScript.
fn is_javascript(file: &RepoPath) -> bool {
    CallModel::of_file(file) == Some(CallModel::JavaScript)
}

/// The result of a call, in terms of the calling file.
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
