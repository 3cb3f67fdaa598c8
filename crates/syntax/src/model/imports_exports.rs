//! Imports and exports of a file.

use base::Span;
use serde::{Deserialize, Serialize};

use super::{Expr, SymbolOwner};

/// One import of another module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The imported module, as written: `./a`, `a.b`, `crate::x`, `stdio.h`
    pub specifier: String,
    /// The imported names; empty when the module is only run, or bound as a whole under its own
    /// name
    pub names: Vec<ImportedName>,
    /// Whether only types are imported
    pub is_type_only: bool,
    /// The form of the import
    pub kind: ImportKind,
    /// The number of leading dots of a relative Python import; 0 for none
    pub level: u8,
    /// Whether the specifier is a file path, as in `#[path = "…"]` or `#include "a.h"`;
    /// `<stdio.h>` is not
    pub is_path: bool,
    /// The function or class that contains it
    pub owner: SymbolOwner,
    /// The whole statement or call
    pub span: Span,
    /// The line it starts on, from 1
    pub line: u32,
}

/// One name imported from a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    /// Its name there; `*` for all of it, `default` for the default export
    pub name: String,
    /// Its name here, when it is another; for `*` the name of the namespace
    pub alias: Option<String>,
    /// Whether it is only a type
    pub is_type: bool,
    /// Its span
    pub span: Span,
}

/// The form of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ImportKind {
    /// `import … from "x"`, `import x`, `using x`
    Import,
    /// `require("x")`
    Require,
    /// `import("x")`, `importlib.import_module("x")`
    Dynamic,
    /// `export … from "x"`
    ReExport,
    /// `from x import y`
    From,
    /// `use x::y`
    Use,
    /// `pub use x::y`
    PubUse,
    /// `mod x;`
    Mod,
    /// `extern crate x`
    ExternCrate,
    /// `#include`, `source`, `include_once`
    Include,
    /// A type written `import("x").T`
    TypeImport,
}

/// One name that a module exports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// Its name outside; `default`, or `*` for everything of `from`
    pub name: String,
    /// Its name here, or in `from`
    pub local: Option<String>,
    /// The declaration, when it is in this file
    pub symbol: Option<u32>,
    /// The exported value
    pub value: Expr,
    /// The import that it re-exports, by its index in the file's imports
    pub from: Option<u32>,
    /// Whether it is only a type
    pub is_type: bool,
    /// The form of the export
    pub kind: ExportKind,
    /// Its span
    pub span: Span,
    /// The line it starts on, from 1
    pub line: u32,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ExportKind {
    /// By name
    Named,
    /// `export default`
    Default,
    /// `export * from`
    Star,
    /// `export * as x from`
    StarAs,
    /// `module.exports`, `exports.x`, `export =`; `default` is the whole
    CommonJs,
    /// `pub use`
    PubUse,
    /// `__all__`
    All,
}
