//! What a file declares.

use base::Span;
use serde::{Deserialize, Serialize};

use super::{DocComment, Expr, SymbolOwner, TypeParam, TypeRef};

/// Something declared, at any depth; functions that are values count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its own name; an anonymous function is `<arrow1>`, counted within its scope
    pub name: String,
    /// The names it is nested in, joined by `.`; unique in the file, but for the signatures of one
    /// body
    pub path: String,
    /// What it is
    pub kind: SymbolKind,
    /// The symbol around it
    pub parent: SymbolOwner,
    /// The declaration on one line, without its body
    pub signature: String,
    /// Its doc comment
    pub doc: Option<DocComment>,
    /// Who may use it
    pub visibility: Visibility,
    /// Whether it is exported from its file
    pub exported: bool,
    /// Whether it is a test, or is compiled only for tests
    pub is_test: bool,
    /// What else is true of it
    pub flags: SymbolFlags,
    /// All of it, with its doc comment, attributes and decorators
    pub span: Span,
    /// The declaration, without doc comment and attributes
    pub declaration: Span,
    /// Its name, where it is declared
    pub name_span: Span,
    /// Its body, with the braces
    pub body: Option<Span>,
    /// The line that `span` starts on, from 1
    pub start_line: u32,
    /// The line that its name is on, from 1
    pub line: u32,
    /// The line that `span` ends on, from 1
    pub end_line: u32,
    /// Recognizes it after it moved
    pub fingerprint: Fingerprint,
    /// The result of a function, the type of a variable or field, the target of an alias, the type
    /// an `impl` is of
    pub ty: Option<TypeRef>,
    /// Its type parameters
    pub generics: Vec<TypeParam>,
    /// Decorators, annotations and attributes, in source order
    pub decorators: Vec<Decorator>,
}

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each name is what languages call it")]
pub enum SymbolKind {
    Module,
    Namespace,
    Class,
    Interface,
    Trait,
    Struct,
    Enum,
    Variant,
    Union,
    Function,
    Method,
    Constructor,
    Getter,
    Setter,
    Field,
    Property,
    Constant,
    Variable,
    Type,
    Macro,
    Impl,
    Event,
}

/// Who may use a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visibility {
    /// Everyone
    Public,
    /// Some, as the language writes it: `pub(crate)`, `protected`, `internal`
    Restricted(String),
    /// Only the code around it
    Private,
}

/// Boolean properties of a symbol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolFlags(u16);

/// Recognizes a symbol after it moved. Both halves are stable under reformatting.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Fingerprint {
    /// Of its name, kind and signature
    pub shape: u64,
    /// Of its body, white space left out; zero without a body
    pub body: u64,
}

/// A decorator, annotation or attribute on a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decorator {
    /// Its name as written, without arguments
    pub name: String,
    /// What is evaluated; [`Expr::Unknown`] where the language has no values here
    pub value: Expr,
    /// Its span
    pub span: Span,
}

impl SymbolFlags {
    /// A function without a name of its own; left out of listings
    pub const ANONYMOUS: Self = Self(1);
    /// Runs asynchronously
    pub const ASYNC: Self = Self(1 << 1);
    /// Belongs to the type and not to its values
    pub const STATIC: Self = Self(1 << 2);
    /// Has no body and must get one elsewhere
    pub const ABSTRACT: Self = Self(1 << 3);
    /// Yields values
    pub const GENERATOR: Self = Self(1 << 4);
    /// A function that keeps the `this` around it
    pub const ARROW: Self = Self(1 << 5);
    /// Cannot be written after it was set
    pub const READONLY: Self = Self(1 << 6);
    /// May be absent
    pub const OPTIONAL: Self = Self(1 << 7);
    /// Declares what is defined elsewhere: a prototype, `declare`, an overload
    pub const DECLARATION_ONLY: Self = Self(1 << 8);
    /// Its name is computed, and `name` is the source of the expression
    pub const COMPUTED: Self = Self(1 << 9);
    /// Replaces what its parent type has
    pub const OVERRIDE: Self = Self(1 << 10);
    /// A function given as the value of a variable, field or property
    pub const FUNCTION_VALUE: Self = Self(1 << 11);
    /// One more signature of the symbol that has the same path
    pub const OVERLOAD: Self = Self(1 << 12);
    /// A type of its own that is made like another: `type A B` in Go, which is no alias
    pub const DISTINCT_TYPE: Self = Self(1 << 13);

    /// Whether all of `other` is set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These and `other`, if `yes`.
    #[must_use]
    pub const fn with_if(self, other: Self, yes: bool) -> Self {
        if yes { Self(self.0 | other.0) } else { self }
    }
}

impl std::ops::BitOr for SymbolFlags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl SymbolKind {
    /// All kinds, each at the position of its discriminant.
    pub const ALL: [Self; 22] = [
        Self::Module,
        Self::Namespace,
        Self::Class,
        Self::Interface,
        Self::Trait,
        Self::Struct,
        Self::Enum,
        Self::Variant,
        Self::Union,
        Self::Function,
        Self::Method,
        Self::Constructor,
        Self::Getter,
        Self::Setter,
        Self::Field,
        Self::Property,
        Self::Constant,
        Self::Variable,
        Self::Type,
        Self::Macro,
        Self::Impl,
        Self::Event,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Namespace => "namespace",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Variant => "variant",
            Self::Union => "union",
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Getter => "getter",
            Self::Setter => "setter",
            Self::Field => "field",
            Self::Property => "property",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Type => "type",
            Self::Macro => "macro",
            Self::Impl => "impl",
            Self::Event => "event",
        }
    }

    /// Whether it has parameters and can be called.
    pub const fn is_callable(self) -> bool {
        matches!(
            self,
            Self::Function
                | Self::Method
                | Self::Constructor
                | Self::Getter
                | Self::Setter
                | Self::Macro
        )
    }

    /// Whether it has members.
    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Interface
                | Self::Trait
                | Self::Struct
                | Self::Enum
                | Self::Union
                | Self::Impl
        )
    }
}

impl Symbol {
    /// Whether listings leave it out because it has no name.
    pub const fn is_anonymous(&self) -> bool {
        self.flags.contains(SymbolFlags::ANONYMOUS)
    }

    /// Whether it is a further signature of a symbol whose main declaration is another one.
    pub const fn is_overload(&self) -> bool {
        self.flags.contains(SymbolFlags::OVERLOAD)
    }

    /// Whether it is a symbol that listings show.
    pub const fn is_listed(&self) -> bool {
        !self.is_anonymous() && !self.is_overload()
    }
}
