//! What can be said about one file: the same few types for every language.

mod facts;
mod flow;
mod manifest;
mod module;
mod symbol;
mod types;

pub use facts::{Doc, DocLink, DocTag, FileFacts, Heading, Link, SyntaxError};
pub use flow::{
    Action, Arg, Binding, BindingKind, Block, BlockKind, CallKind, CallSite, Expr, Flow, Item,
    ItemsKind, Param, ParamKind, Place, Step, Use,
};
pub use manifest::{
    CargoDependency, CargoManifest, Conditional, GoModule, Manifest, NpmManifest, PythonProject,
    TsConfig,
};
pub use module::{Export, ExportKind, Import, ImportKind, ImportedName};
pub use symbol::{Decorator, Fingerprint, Flags, Symbol, SymbolKind, Visibility};
pub use types::{Heritage, HeritageKind, TypeParam, TypeRef};

/// The symbol that something is inside of; `None` is the module itself.
pub type Owner = Option<u32>;
