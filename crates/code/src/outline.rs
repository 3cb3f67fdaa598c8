//! What of a file resolution needs: what it asks of others, and what others can take from it.
//!
//! The part that others see is kept apart, so that a file whose text changed and whose offers did
//! not leaves everybody else as they are.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use syntax::{
    BindingKind, Expr, FileFacts, Import, ImportKind, Language, Owner, Symbol, SymbolKind,
};

/// What others see of a file: where its imports lead, and the names it has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Offers {
    pub imports: Vec<Asked>,
    pub names: Vec<Named>,
}

/// One import, as far as it decides what is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub specifier: String,
    pub kind: ImportKind,
    pub level: u8,
    pub is_path: bool,
    /// The inline module it stands in
    pub scope: String,
    /// The names that are taken, each with its name here if that is another
    pub names: Vec<(String, Option<String>)>,
}

/// One name of a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    /// The inline module it is in
    pub scope: String,
    pub name: String,
    pub what: What,
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum What {
    /// A symbol of this file, by its nested name
    Own(String),
    /// A module inside this file
    Inner,
    /// A name of an import; `*` for the module itself
    From(u32, String),
    /// Everything of an import
    Star(u32),
}

/// What a file mentions of others, beyond its imports; nobody else sees that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asks {
    pub mentions: Vec<Mention>,
    /// Names of its own that it uses outside of their declaration
    pub own: BTreeSet<String>,
    /// Names of its own that something is done to where they are declared: `@route`, `#[no_mangle]`
    pub marked: BTreeSet<(String, String)>,
}

/// A name that is reached through a path or through a module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Mention {
    pub scope: String,
    /// The import it starts from, and which name of it
    pub import: Option<(u32, Option<u32>)>,
    pub path: Vec<String>,
    pub line: u32,
}

/// The outline of a file.
pub(crate) fn outline(language: Language, facts: &FileFacts) -> (Offers, Asks) {
    let imports = facts.imports.iter().map(|import| asked(facts, import)).collect();
    let names = match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => exported(facts),
        Language::Rust => in_modules(facts),
        Language::Python => at_the_top(facts).chain(bound(facts)).collect(),
        _ => at_the_top(facts).collect(),
    };
    let asks = Asks { mentions: mentions(language, facts), own: own(facts), marked: marked(facts) };
    (Offers { imports, names }, asks)
}

fn asked(facts: &FileFacts, import: &Import) -> Asked {
    let names = import.names.iter().map(|name| (name.name.clone(), name.alias.clone()));
    Asked {
        specifier: import.specifier.clone(),
        kind: import.kind,
        level: import.level,
        is_path: import.is_path,
        scope: scope(&facts.symbols, import.owner),
        names: names.collect(),
    }
}

/// The inline module around something.
fn scope(symbols: &[Symbol], owner: Owner) -> String {
    let mut at = owner;
    while let Some(symbol) = at.and_then(|at| symbols.get(at as usize)) {
        if symbol.kind == SymbolKind::Module {
            return symbol.path.clone();
        }
        at = symbol.parent;
    }
    String::new()
}

fn named(name: impl Into<String>, what: What) -> Named {
    Named { scope: String::new(), name: name.into(), what }
}

/// What a JavaScript module exports.
fn exported(facts: &FileFacts) -> Vec<Named> {
    let one = |export: &syntax::Export| {
        let local = export.local.as_deref().unwrap_or(&export.name);
        let what = match (export.from, export.symbol) {
            (Some(import), _) if export.name == "*" => What::Star(import),
            (Some(import), _) => What::From(import, local.to_owned()),
            (None, Some(symbol)) => What::Own(facts.symbols[symbol as usize].path.clone()),
            (None, None) => {
                imported(facts, &export.value).unwrap_or_else(|| What::Own(local.into()))
            }
        };
        named(export.name.clone(), what)
    };
    facts.exports.iter().map(one).collect()
}

/// What an exported value is, if it comes from an import.
fn imported(facts: &FileFacts, value: &Expr) -> Option<What> {
    let (import, at) = match value {
        Expr::Import(import) => (*import, None),
        Expr::Local(local) => match facts.flow.bindings.get(*local as usize)?.kind {
            BindingKind::Import(import, at) => (import, at),
            _ => return None,
        },
        _ => return None,
    };
    let names = &facts.imports.get(import as usize)?.names;
    let name = at.and_then(|at| names.get(at as usize)).map_or("*", |name| name.name.as_str());
    Some(What::From(import, name.to_owned()))
}

/// Symbols that no other symbol is around.
fn at_the_top(facts: &FileFacts) -> impl Iterator<Item = Named> {
    let top = facts.symbols.iter().filter(|symbol| symbol.parent.is_none());
    let top = top.filter(|symbol| !symbol.is_anonymous());
    top.map(|symbol| named(symbol.name.clone(), What::Own(symbol.path.clone())))
}

/// Names that imports at the top of a Python module bind.
fn bound(facts: &FileFacts) -> impl Iterator<Item = Named> {
    let top = (0..).zip(&facts.imports).filter(|(_, import)| import.owner.is_none());
    top.flat_map(|(at, import)| {
        import.names.iter().map(move |taken| match (&*taken.name, &taken.alias) {
            ("*", None) => named("*", What::Star(at)),
            (name, alias) => {
                let known = alias.clone().unwrap_or_else(|| name.to_owned());
                named(known, What::From(at, name.to_owned()))
            }
        })
    })
}

/// Items of a Rust file and of the modules inside it, with what `use` brings in.
fn in_modules(facts: &FileFacts) -> Vec<Named> {
    let is_module = |owner: Owner| {
        owner.is_none_or(|owner| facts.symbols[owner as usize].kind == SymbolKind::Module)
    };
    let items = facts.symbols.iter().filter(|symbol| {
        // A module with a file of its own is told by its `mod` declaration.
        let has_file = symbol.kind == SymbolKind::Module && symbol.body.is_none();
        let is_item = !symbol.is_anonymous() && symbol.kind != SymbolKind::Impl;
        is_module(symbol.parent) && is_item && !has_file
    });
    let item = |symbol: &Symbol| Named {
        scope: scope(&facts.symbols, symbol.parent),
        name: symbol.name.clone(),
        what: match symbol.kind {
            SymbolKind::Module => What::Inner,
            _ => What::Own(symbol.path.clone()),
        },
    };
    let mut names: Vec<Named> = items.map(item).collect();
    for (at, import) in (0..).zip(&facts.imports).filter(|(_, import)| is_module(import.owner)) {
        let scope = scope(&facts.symbols, import.owner);
        for taken in &import.names {
            let (name, what) = match (import.kind, &*taken.name, taken.alias.as_deref()) {
                (_, _, Some("_")) => continue,
                (ImportKind::Mod, name, _) => (name, What::From(at, "*".into())),
                (ImportKind::ExternCrate, _, alias) => {
                    (alias.unwrap_or(&import.specifier), What::From(at, "*".into()))
                }
                (_, "*", _) => ("*", What::Star(at)),
                (_, name, alias) => (alias.unwrap_or(name), What::From(at, name.to_owned())),
            };
            names.push(Named { scope: scope.clone(), name: name.to_owned(), what });
        }
    }
    names
}

/// Everything that is reached through a path or a module, each once.
fn mentions(language: Language, facts: &FileFacts) -> Vec<Mention> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    let uses = facts.flow.uses.iter().map(|used| (used.owner, &used.target, used.line));
    // Where scopes are not followed, calls are all that tells.
    let calls = facts.flow.calls.iter().filter(|_| language == Language::Go);
    for (owner, target, line) in uses.chain(calls.map(|call| (call.owner, &call.callee, call.line)))
    {
        let Some((import, path)) = reached(language, facts, target) else { continue };
        let scope = scope(&facts.symbols, owner);
        if seen.insert((scope.clone(), import, path.clone())) {
            all.push(Mention { scope, import, path, line });
        }
    }
    all
}

/// The import a mention starts from, and the names that follow.
type Reached = (Option<(u32, Option<u32>)>, Vec<String>);

fn reached(language: Language, facts: &FileFacts, target: &Expr) -> Option<Reached> {
    match target {
        Expr::Path(parts) => Some((None, parts.clone())),
        Expr::Name(name) if language == Language::Rust => Some((None, vec![name.clone()])),
        Expr::Member(object, name) => {
            let (import, mut path) = match &**object {
                Expr::Local(local) => match facts.flow.bindings.get(*local as usize)?.kind {
                    BindingKind::Import(import, at) => (Some((import, at)), Vec::new()),
                    _ => return None,
                },
                Expr::Import(import) => (Some((*import, None)), Vec::new()),
                Expr::Name(name) if language == Language::Go => {
                    (Some((package(facts, name)?, None)), Vec::new())
                }
                inner @ Expr::Member(..) => reached(language, facts, inner)?,
                _ => return None,
            };
            path.push(name.clone());
            Some((import, path))
        }
        _ => None,
    }
}

/// The Go import that a package's name stands for: its alias, or the end of its path.
fn package(facts: &FileFacts, name: &str) -> Option<u32> {
    let mut imports = (0..).zip(&facts.imports);
    imports.find(|(_, import)| import.is_package(name)).map(|(at, _)| at)
}

/// Own symbols at the top that are used outside of their declaration.
fn own(facts: &FileFacts) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for used in &facts.flow.uses {
        let symbol = match &used.target {
            Expr::Symbol(symbol) => Some(*symbol),
            Expr::Local(local) => {
                facts.flow.bindings.get(*local as usize).and_then(|binding| binding.symbol)
            }
            Expr::Name(name) => called(facts, name),
            Expr::Path(parts) => parts.iter().find_map(|part| called(facts, part)),
            _ => None,
        };
        let Some(symbol) = symbol else { continue };
        if !is_inside(&facts.symbols, used.owner, symbol) {
            names.insert(facts.symbols[symbol as usize].path.clone());
        }
    }
    names
}

/// Decorators and attributes of what is at the top.
fn marked(facts: &FileFacts) -> BTreeSet<(String, String)> {
    let top = facts.symbols.iter().filter(|symbol| symbol.parent.is_none());
    let each = top.flat_map(|symbol| {
        let marks = symbol.decorators.iter().map(|mark| mark.name.clone());
        marks.map(|mark| (symbol.path.clone(), mark))
    });
    each.collect()
}

/// The symbol of a name outside of all others, or in a module.
fn called(facts: &FileFacts, name: &str) -> Option<u32> {
    let is_top = |symbol: &Symbol| {
        let parent = symbol.parent.map(|parent| facts.symbols[parent as usize].kind);
        symbol.name == name && parent.is_none_or(|kind| kind == SymbolKind::Module)
    };
    (0..).zip(&facts.symbols).find(|(_, symbol)| is_top(symbol)).map(|(at, _)| at)
}

fn is_inside(symbols: &[Symbol], owner: Owner, around: u32) -> bool {
    let mut at = owner;
    while let Some(symbol) = at {
        if symbol == around {
            return true;
        }
        at = symbols.get(symbol as usize).and_then(|symbol| symbol.parent);
    }
    false
}
