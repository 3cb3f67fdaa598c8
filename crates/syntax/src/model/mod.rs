//! The language-independent facts about one file.

mod facts;
mod flow;
mod imports_exports;
mod manifest;
mod schema;
mod symbol;
mod type_ref;

pub use facts::{
    DocComment, DocLink, DocTag, FileFacts, MarkdownHeading, MarkdownLink, SyntaxError,
};
pub use flow::{
    Arg, AssignTarget, Binding, BindingKind, CallKind, CallSite, Expr, FileFlow, FlowAction,
    FlowBlock, FlowBlockKind, FlowStep, LiteralItem, LiteralKind, NameUse, Param, ParamKind,
};
pub use imports_exports::{Export, ExportKind, Import, ImportKind, ImportedName};
pub use manifest::{
    CargoDependency, CargoManifest, ConditionalTarget, GoModule, Manifest, NpmManifest,
    PythonProject, TsConfig,
};
pub use schema::SchemaUse;
pub use symbol::{Decorator, Fingerprint, Symbol, SymbolFlags, SymbolKind, Visibility};
pub use type_ref::{Heritage, HeritageKind, TypeParam, TypeRef};

/// The symbol that something is inside of; `None` is the module itself.
pub type SymbolOwner = Option<u32>;
