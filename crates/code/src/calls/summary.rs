//! What one file says about calls: what it settles itself, what it asks of other files, and what
//! others may ask of it. A pure function of the file's facts.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use syntax::GoBuildSet;

use super::value::{ExportedValue, ExternalBase, ExternalRef, ExternalStep};

/// How sure an edge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EdgeConfidence {
    /// It is written there
    Exact,
    /// It follows from what is written
    Inferred,
}

/// What an edge says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SymbolRelation {
    /// One calls the other
    Calls,
    /// One mentions the other
    Uses,
    /// One comes from the other, or takes the place of its method
    Extends,
    /// One is what the other promises
    Implements,
    /// A container gives the other to the one
    Injects,
    /// One makes the other available to a container
    Provides,
}

impl SymbolRelation {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Calls, Self::Uses, Self::Extends, Self::Implements, Self::Injects, Self::Provides];

    /// The word for it.
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

/// What a file says about calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileCallSummary {
    /// Edges between symbols of the file
    pub edges: Vec<LocalEdge>,
    /// What depends on other files
    pub wants: Vec<UnresolvedEdge>,
    /// Calls of which only the name is known: who calls, what, and the line
    pub names: Vec<(String, String, u32)>,
    /// What others may ask for
    pub face: ExportTable,
    /// Whether there was more in it than one file may cost
    pub is_cut: bool,
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

/// An edge whose other end lies in another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnresolvedEdge {
    pub from: String,
    pub relation: SymbolRelation,
    pub to: ExternalRef,
    /// What is given, if it is a call
    pub args: Vec<Vec<ExportedValue>>,
    pub sure: EdgeConfidence,
    pub line: u32,
}

/// What a file offers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExportTable {
    /// The package that it belongs to, in languages where one folder may have several
    pub namespace: Option<String>,
    /// The builds that it says it is part of
    pub builds: GoBuildSet,
    /// Its interfaces, in a language where a type need not say which of them it implements
    pub interfaces: Vec<String>,
    /// Which import a key means, by its place in the file's imports
    pub imports: BTreeMap<String, u32>,
    /// What names mean, by the path of the module they are in and their own
    pub names: BTreeMap<String, Vec<ExportedValue>>,
    /// Which symbols names declare, keyed like `names`
    pub declared: BTreeMap<String, String>,
    /// Modules whose names are all taken in, each by the module that takes them
    pub stars: Vec<(String, ExternalRef)>,
    /// What is behind the paths of symbols
    pub shapes: BTreeMap<String, Rc<SymbolShape>>,
}

impl ExportTable {
    /// The `impl`s of types of this name that are declared in other files: the path of each, the
    /// type, its members.
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

    /// The methods of types that are no interfaces: the path of each, and its shape. Only where a
    /// type implements an interface by having its methods.
    pub(crate) fn methods(&self) -> impl Iterator<Item = (&str, &str, &Signature)> {
        self.shapes.iter().filter_map(|(path, shape)| {
            let (of, name) = path.split_once('.')?;
            let is_interface = self.interfaces.iter().any(|one| one == of);
            let signature = shape.signature.as_ref().filter(|_| !is_interface)?;
            Some((of, name, signature))
        })
    }

    /// The types of other files that this one implements something for, by name.
    pub(crate) fn external_impl_types(&self) -> impl Iterator<Item = &str> {
        self.shapes.keys().filter_map(|path| type_of_impl(path))
    }
}

/// Finds the imports that values come through, by their keys.
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

/// The same for what is of another file.
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
    /// Finds the imports that it comes through.
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

/// What is behind a symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SymbolShape {
    /// What it is
    pub kind: ShapeKind,
    /// What calling it gives; what a constant or a getter is worth; what a type that is no class
    /// is made like
    pub returns: Vec<ExportedValue>,
    /// What it, or a function inside of it, calls of what it is given
    pub calls: Vec<ParamCall>,
    /// The members of a class or a module: methods, fields
    pub members: BTreeMap<String, Vec<ExportedValue>>,
    /// What it inherits from, nearest first
    pub bases: Vec<ExportedValue>,
    /// What a method takes and returns, in a language where that decides which interfaces its type
    /// implements
    pub signature: Option<Signature>,
}

/// What a method takes and returns: the names of types, without their packages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signature {
    pub params: Vec<String>,
    pub results: Vec<String>,
}

impl Signature {
    /// What is written for a type that is not told apart from others: a type parameter.
    pub(crate) const ANY: &'static str = "*";

    /// Whether a method with this signature is one with the other.
    pub(crate) fn matches(&self, other: &Self) -> bool {
        let is_same = |(a, b): (&String, &String)| a == b || a == Self::ANY || b == Self::ANY;
        let fits = |a: &[String], b: &[String]| a.len() == b.len() && a.iter().zip(b).all(is_same);
        fits(&self.params, &other.params) && fits(&self.results, &other.results)
    }
}

/// What a symbol is, as far as calls go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ShapeKind {
    /// It has parameters
    Function,
    /// It is made by calling it
    Class,
    /// It is read like a field and runs like a function
    Getter,
    /// It has members
    Module,
    /// Anything else
    #[default]
    Value,
}

/// A function that calls what its surrounding function was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ParamCall {
    /// Who calls
    pub from: String,
    /// Which parameter
    pub param: u32,
    /// With what
    pub args: Vec<Vec<ExportedValue>>,
}
