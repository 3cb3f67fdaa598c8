//! Language-independent data flow: calls, and the values that reach them.
//!
//! Patterns are taken apart: `[a, b] = f()` is two assignments of projections of one call. What
//! cannot lead to a call is left out. Steps stand in the order they run; a step in a block hides
//! earlier ones from what follows in that block, and joins them after it.

use std::collections::BTreeMap;

use base::Span;
use serde::{Deserialize, Serialize};

use super::{SymbolOwner, TypeRef};

/// Calls, assignments and parameters of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFlow {
    /// Names that are declared in the file, as far as the flow uses them
    pub bindings: Vec<Binding>,
    /// Parameters, by function
    pub params: Vec<Param>,
    /// Calls, inner before outer
    pub calls: Vec<CallSite>,
    /// What runs, in order
    pub steps: Vec<FlowStep>,
    /// Blocks that may be skipped or repeated
    pub blocks: Vec<FlowBlock>,
    /// Who mentions which name, each once: what `unused` and the impact of types and constants need
    pub uses: Vec<NameUse>,
}

/// A declared name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The name
    pub name: String,
    /// The function or class whose name it is
    pub owner: SymbolOwner,
    /// Where its first value comes from; assignments may add others
    pub kind: BindingKind,
    /// The symbol it declares
    pub symbol: Option<u32>,
    /// Its declared type
    pub ty: Option<TypeRef>,
}

/// Where the first value of a name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BindingKind {
    /// Assignments only
    Variable,
    /// A declared symbol, from the start; where order counts (Python) the declaration is a step
    Symbol(u32),
    /// A parameter
    Param(u32),
    /// A name of an import; `None` for the module itself
    Import(u32, Option<u32>),
    /// A caught error, a type parameter, and the like
    Opaque,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The function
    pub function: u32,
    /// Its name; empty when it is a pattern
    pub name: String,
    /// Counted from 0
    pub position: u32,
    /// How arguments reach it
    pub kind: ParamKind,
    /// Its default value
    pub default: Option<Expr>,
    /// Its declared type
    pub ty: Option<TypeRef>,
}

/// How arguments reach a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamKind {
    /// By position, or by name where the language allows
    Plain,
    /// By name only
    Keyword,
    /// All that is left, in a list
    Rest,
    /// All that is left, by name
    KeywordRest,
    /// The receiver (`self`)
    Receiver,
}

/// A call, or something that works like one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    /// The symbol it is made in: a function, or a variable or field whose value it is part of
    pub owner: SymbolOwner,
    /// What is called
    pub callee: Expr,
    /// Its arguments
    pub args: Vec<Arg>,
    /// The form of the call
    pub kind: CallKind,
    /// The whole expression
    pub span: Span,
    /// The line that the called name is on, from 1
    pub line: u32,
}

/// The form of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CallKind {
    /// `f(x)`
    Call,
    /// `new F(x)`
    New,
    /// `@f` on a declaration, which is the argument
    Decorator,
    /// ``f`text` ``
    Template,
    /// `f!(x)`
    Macro,
    /// `<F x={y}/>`; the argument holds the properties
    Element,
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arg {
    /// Its value
    pub value: Expr,
    /// Its name, when it is given by name
    pub name: Option<String>,
    /// Whether it expands to several: `...x`, `*x`, `**x`
    pub spread: bool,
}

/// A value, as far as calls depend on it.
///
/// Parentheses, `await` and the like are looked through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// A value that is not followed
    #[default]
    Unknown,
    /// A name that is declared in this file, by its binding
    Local(u32),
    /// A name that is not: a global, a builtin, something from a star import, or any name in a
    /// language whose scopes are not followed
    Name(String),
    /// Names joined by `::`
    Path(Vec<String>),
    /// `a.b`
    Member(Box<Expr>, String),
    /// `a[b]`
    Index(Box<Expr>, Box<Expr>),
    /// What a call returns
    Call(u32),
    /// A function or class where it is declared
    Symbol(u32),
    /// A module that is imported in an expression
    Import(u32),
    /// The receiver: `this`, `self` where it is a keyword
    This,
    /// The parent of the receiver
    Super,
    /// A literal list, tuple, set, dictionary or object
    Items(LiteralKind, Vec<LiteralItem>),
    /// One of several
    Either(Vec<Expr>),
    /// One of the elements that iterating gives
    Each(Box<Expr>),
    /// A short text literal
    Text(String),
    /// A whole number literal
    Number(i64),
    /// A value whose type is written beside it
    Typed(Box<Expr>, Box<TypeRef>),
}

/// What a literal builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each name is what languages call it")]
pub enum LiteralKind {
    List,
    Tuple,
    Set,
    Dict,
    Object,
}

/// An entry of a literal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LiteralItem {
    /// Its key; lists count from 0 and have none
    pub key: Option<Expr>,
    /// Its value
    pub value: Expr,
    /// Whether it expands to several: `...x`, `*x`, `**x`
    pub spread: bool,
}

/// The target of an assignment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AssignTarget {
    /// A name that is declared in this file, by its binding
    Local(u32),
    /// A name that is not
    Name(String),
    /// `a.b`
    Member(Expr, String),
    /// `a[b]`
    Index(Expr, Expr),
}

/// A mention of a name that is declared at the top of a file, here or elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameUse {
    /// Where it is mentioned first
    pub owner: SymbolOwner,
    /// What is mentioned: a name, a path, or a member of an imported module
    pub target: Expr,
    /// Whether it is used as a type
    pub is_type: bool,
    /// The line, from 1
    pub line: u32,
}

/// One executed operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowStep {
    /// Where
    pub owner: SymbolOwner,
    /// The conditional block that contains it; `None` when it runs whenever its owner does
    pub block: Option<u32>,
    /// What
    pub action: FlowAction,
}

/// What happens in a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlowAction {
    /// A call is made
    Call(u32),
    /// A value is assigned
    Assign(AssignTarget, Expr),
    /// A function gives its result
    Return(Expr),
    /// A generator gives a value
    Yield(Expr),
    /// A generator gives all values of another
    YieldFrom(Expr),
}

/// A block that may be skipped or repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowBlock {
    /// The block around it, in the same function
    pub parent: Option<u32>,
    /// Why it is one
    pub kind: FlowBlockKind,
}

/// Whether a block may be skipped or repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlowBlockKind {
    /// A condition
    Branch,
    /// A loop: later steps reach earlier ones
    Loop,
    /// An error handler
    Handler,
}

impl Expr {
    /// The pseudo-member for the key, the first of two values of an iteration.
    pub const ITERATION_KEY: &'static str = "#key";

    /// `self.name`.
    #[must_use]
    pub fn member(self, name: impl Into<String>) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            object => Self::Member(Box::new(object), name.into()),
        }
    }

    /// `self[key]`, looked up at once where both are literals.
    #[must_use]
    pub fn index(self, key: Expr) -> Self {
        match (self, key) {
            (Self::Unknown, _) => Self::Unknown,
            (Self::Items(LiteralKind::List | LiteralKind::Tuple, mut items), Self::Number(at))
                if items.iter().all(|item| !item.spread)
                    && usize::try_from(at).is_ok_and(|at| at < items.len()) =>
            {
                items.swap_remove(usize::try_from(at).unwrap_or_default()).value
            }
            (object, key) => Self::Index(Box::new(object), Box::new(key)),
        }
    }

    /// One of the elements of `self`.
    #[must_use]
    pub fn each(self) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            many => Self::Each(Box::new(many)),
        }
    }

    /// One of several values; unknown ones are left out.
    pub fn either(values: impl IntoIterator<Item = Expr>) -> Self {
        let mut known: Vec<Self> =
            values.into_iter().filter(|value| *value != Self::Unknown).collect();
        match known.len() {
            0 => Self::Unknown,
            1 => known.swap_remove(0),
            _ => Self::Either(known),
        }
    }

    /// The name that it starts with, if the file does not declare it.
    fn undeclared_root(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Path(names) => names.first().map(String::as_str),
            Self::Member(object, _) | Self::Index(object, _) => object.undeclared_root(),
            _ => None,
        }
    }

    /// The value with a type beside it.
    #[must_use]
    pub fn typed(self, ty: TypeRef) -> Self {
        if ty == TypeRef::Unknown { self } else { Self::Typed(Box::new(self), Box::new(ty)) }
    }
}

impl FileFlow {
    /// The names that calls and mentions use and the file does not declare, each with its first
    /// line. They are only complete where the language's scopes are all followed.
    pub fn undeclared_names(&self) -> BTreeMap<&str, u32> {
        let calls = self.calls.iter().map(|call| (&call.callee, call.line));
        let uses = self.uses.iter().map(|used| (&used.target, used.line));
        let mut names = BTreeMap::new();
        for (expr, line) in calls.chain(uses) {
            if let Some(name) = expr.undeclared_root() {
                let first = names.entry(name).or_insert(line);
                *first = line.min(*first);
            }
        }
        names
    }
}

impl Arg {
    /// An argument that is given by position.
    pub const fn positional(value: Expr) -> Self {
        Self { value, name: None, spread: false }
    }
}
