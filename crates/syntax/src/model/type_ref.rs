//! Types as they are written.

use base::Span;
use serde::{Deserialize, Serialize};

use super::Expr;

/// A written type. References, pointers, `readonly` and the like are looked through.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TypeRef {
    /// A name with its type arguments
    Named {
        /// As written, with the language's own separators: `a.B`, `std::fmt::Display`
        path: String,
        /// What the first part of the path is bound to in this file
        binding: Option<u32>,
        /// Its type arguments
        args: Vec<TypeRef>,
    },
    /// Elements of one type: `T[]`, `[T]`
    List(Box<TypeRef>),
    /// A tuple
    Tuple(Vec<TypeRef>),
    /// One of several
    Union(Vec<TypeRef>),
    /// All of several: `A & B`, `impl A + B`
    Intersection(Vec<TypeRef>),
    /// A function: its parameter types, where these are kept, and its result
    Function(Vec<TypeRef>, Box<TypeRef>),
    /// The type around it: `Self`, `this`
    This,
    /// The type of a value: `typeof x`
    Of(Box<Expr>),
    /// Anything else
    Unknown,
}

/// A type parameter and what it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeParam {
    /// Its name
    pub name: String,
    /// What it must extend or implement
    pub bounds: Vec<TypeRef>,
}

/// An inheritance edge from a type to a parent type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heritage {
    /// The symbol that inherits
    pub symbol: u32,
    /// How
    pub kind: HeritageKind,
    /// From what
    pub target: TypeRef,
    /// The same as a value, in languages where it is evaluated
    pub value: Expr,
    /// Its span
    pub span: Span,
    /// The line, from 1
    pub line: u32,
}

/// How a type inherits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum HeritageKind {
    /// A base class, a super trait, an embedded struct
    Extends,
    /// An interface, a trait
    Implements,
    /// A module or trait mixed in
    Mixin,
}

impl TypeRef {
    /// A plain name.
    pub fn named(path: impl Into<String>) -> Self {
        Self::Named { path: path.into(), binding: None, args: Vec::new() }
    }
}
