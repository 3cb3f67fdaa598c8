//! The summary of one file's calls: the edges inside the file, its references to other files, and
//! its exports. It is a pure function of the file's facts.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use syntax::GoBuildSet;

use super::value::{ExportedValue, ExternalBase, ExternalRef, ExternalStep};

/// Confidence of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EdgeConfidence {
    /// The text names the target
    Exact,
    /// The target was inferred from the values that reach it
    Inferred,
}

/// Kind of relation between two symbols: the source of an edge and its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SymbolRelation {
    /// The source calls the target
    Calls,
    /// The source mentions the target
    Uses,
    /// The source inherits from the target, or overrides it
    Extends,
    /// The source implements the target interface, or a method of it
    Implements,
    /// A dependency injection container passes the target to the source
    Injects,
    /// The source registers the target with a dependency injection container
    Provides,
}

impl SymbolRelation {
    /// All relations.
    pub const ALL: [Self; 6] =
        [Self::Calls, Self::Uses, Self::Extends, Self::Implements, Self::Injects, Self::Provides];

    /// The name of the relation, as stored and shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Uses => "uses",
            Self::Extends => "extends",
            Self::Implements => "implements",
            Self::Injects => "injects",
            Self::Provides => "provides",
        }
    }
}

/// The summary of one file's calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileCallSummary {
    /// Edges between symbols of the file
    pub edges: Vec<LocalEdge>,
    /// Edges that lead to other files
    pub unresolved_edges: Vec<UnresolvedEdge>,
    /// Calls of which only the name is known: the caller, the name and the line
    pub unresolved_calls: Vec<(String, String, u32)>,
    /// What the file exports
    pub exports: ExportTable,
    /// Whether the budget ended before the whole file was analysed
    pub is_truncated: bool,
}

/// An edge between two symbols of a file, by their paths; the empty path is the module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct LocalEdge {
    pub from: String,
    pub relation: SymbolRelation,
    pub to: String,
    pub sure: EdgeConfidence,
    pub line: u32,
}

/// An edge whose target is in another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnresolvedEdge {
    pub from: String,
    pub relation: SymbolRelation,
    pub to: ExternalRef,
    /// The arguments, if it is a call
    pub args: Vec<Vec<ExportedValue>>,
    pub sure: EdgeConfidence,
    pub line: u32,
}

/// What a file exports.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExportTable {
    /// The package of the file, in languages where one folder may hold several
    pub namespace: Option<String>,
    /// The builds that the file is part of
    pub builds: GoBuildSet,
    /// The interfaces of the file, in a language where types implement interfaces without naming
    /// them
    pub interfaces: Vec<String>,
    /// The position of each import among the file's imports, by its key
    pub imports: BTreeMap<String, u32>,
    /// The values of names, by the name qualified with its module
    pub names: BTreeMap<String, Vec<ExportedValue>>,
    /// The symbols that names declare, keyed like `names`
    pub declared: BTreeMap<String, String>,
    /// Modules whose names are all imported, each after the module that imports them
    pub stars: Vec<(String, ExternalRef)>,
    /// The shapes of symbols, by their path
    pub shapes: BTreeMap<String, Rc<SymbolShape>>,
}

impl ExportTable {
    /// The `impl`s for types with this name that other files declare: the path of the `impl`, the
    /// type, and the members.
    pub(crate) fn external_impls<'f>(
        &'f self,
        name: &'f str,
    ) -> impl Iterator<Item = (&'f str, &'f ExportedValue, &'f BTreeMap<String, Vec<ExportedValue>>)>
    {
        let named = self.shapes.iter().filter(move |(path, _)| type_of_impl(path) == Some(name));
        named.filter_map(|(path, shape)| {
            shape.bases.first().map(|of| (path.as_str(), of, &shape.members))
        })
    }

    /// The methods of types other than interfaces: the type, the name and the signature. Only in a
    /// language where a type implements an interface by having its methods.
    pub(crate) fn methods(&self) -> impl Iterator<Item = (&str, &str, &Signature)> {
        self.shapes.iter().filter_map(|(path, shape)| {
            let (of, name) = path.split_once('.')?;
            let is_interface = self.interfaces.iter().any(|one| one == of);
            let signature = shape.signature.as_ref().filter(|_| !is_interface)?;
            Some((of, name, signature))
        })
    }

    /// The names of types of other files for which this file has an `impl`.
    pub(crate) fn external_impl_types(&self) -> impl Iterator<Item = &str> {
        self.shapes.keys().filter_map(|path| type_of_impl(path))
    }
}

/// Collects the keys of the imports that values depend on.
pub(crate) fn collect_value_imports<'f>(outs: &'f [ExportedValue], found: &mut BTreeSet<&'f str>) {
    for out in outs {
        match out {
            ExportedValue::Ext(term) => collect_ref_imports(term, found),
            ExportedValue::Many(inner) => collect_value_imports(inner, found),
            ExportedValue::Obj(fields) => {
                for (_, inner) in fields {
                    collect_value_imports(inner, found);
                }
            }
            ExportedValue::Sym(_)
            | ExportedValue::New(_)
            | ExportedValue::Param(_)
            | ExportedValue::Text(_) => {}
        }
    }
}

/// Collects the keys of the imports that a value of another file depends on.
pub(crate) fn collect_ref_imports<'f>(term: &'f ExternalRef, found: &mut BTreeSet<&'f str>) {
    if let ExternalBase::Import(key, _) = &term.base {
        found.insert(key);
    }
    for op in &term.ops {
        if let ExternalStep::Call(args) = op {
            for arg in args {
                collect_value_imports(arg, found);
            }
        }
    }
}

impl SymbolShape {
    /// Collects the keys of the imports that the shape depends on.
    pub(crate) fn collect_imports<'f>(&'f self, found: &mut BTreeSet<&'f str>) {
        collect_value_imports(&self.returns, found);
        collect_value_imports(&self.bases, found);
        self.members.values().for_each(|outs| collect_value_imports(outs, found));
        self.calls
            .iter()
            .flat_map(|call| &call.args)
            .for_each(|arg| collect_value_imports(arg, found));
    }
}

/// The type that the path of an `impl` names: `impl T`, `impl Trait for T`.
fn type_of_impl(path: &str) -> Option<&str> {
    let (_, rest) = path.rsplit_once("impl ")?;
    let rest = rest.split('~').next().unwrap_or(rest);
    Some(rest.rsplit_once(" for ").map_or(rest, |(_, of)| of))
}

/// What other files need to know about a symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SymbolShape {
    /// The kind of the symbol
    pub kind: ShapeKind,
    /// The result of a function, the value of a constant or a getter, or the underlying type of a
    /// named type
    pub returns: Vec<ExportedValue>,
    /// Calls of parameters by the function or by one inside of it
    pub calls: Vec<ParamCall>,
    /// The members of a class or a module: methods, fields
    pub members: BTreeMap<String, Vec<ExportedValue>>,
    /// The classes that it inherits from directly, in order
    pub bases: Vec<ExportedValue>,
    /// The signature of a method, in a language where it decides which interfaces the type
    /// implements
    pub signature: Option<Signature>,
}

/// The parameter and result types of a method, by name and without packages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signature {
    pub params: Vec<String>,
    pub results: Vec<String>,
}

impl Signature {
    /// Represents a type parameter, which matches every type.
    pub(crate) const ANY: &'static str = "*";

    /// Whether a method with this signature satisfies the other one.
    pub(crate) fn matches(&self, other: &Self) -> bool {
        let is_same = |(a, b): (&String, &String)| a == b || a == Self::ANY || b == Self::ANY;
        let fits = |a: &[String], b: &[String]| a.len() == b.len() && a.iter().zip(b).all(is_same);
        fits(&self.params, &other.params) && fits(&self.results, &other.results)
    }
}

/// What a symbol is, as far as calls are concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ShapeKind {
    /// A function or a method
    Function,
    /// A type: calling it creates an instance
    Class,
    /// A property that runs code when it is read
    Getter,
    /// A module or a namespace
    Module,
    /// Anything else
    #[default]
    Value,
}

/// A call of a parameter, by the function that has it or by one inside of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ParamCall {
    /// The path of the caller
    pub from: String,
    /// The position of the parameter
    pub param: u32,
    /// The arguments
    pub args: Vec<Vec<ExportedValue>>,
}
