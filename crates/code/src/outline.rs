//! The outline of a file, for import resolution: its imports and references, and the names it
//! exports.
//!
//! The part that other files see is stored separately: if a file changes and this part does not, no
//! other file is resolved again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use syntax::{
    BindingKind, ExportedNames, Expr, FileFacts, Import, ImportKind, ImportResolver, Language,
    Symbol, SymbolKind, SymbolOwner,
};

/// What other files see of a file: its imports and its names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModuleInterface {
    pub imports: Vec<ImportRequest>,
    pub names: Vec<ModuleItem>,
}

/// An import, as far as resolution needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ImportRequest {
    pub specifier: String,
    pub kind: ImportKind,
    pub level: u8,
    pub is_path: bool,
    /// The inline module that contains it
    pub scope: String,
    /// The imported names, each with its local name if that differs
    pub names: Vec<(String, Option<String>)>,
}

/// A name in a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModuleItem {
    /// The inline module that contains it
    pub scope: String,
    pub name: String,
    pub what: ModuleItemTarget,
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ModuleItemTarget {
    /// A symbol of this file, by its full name
    Own(String),
    /// An inline module of this file
    Inner,
    /// A name of an import; `*` for the module itself
    From(u32, String),
    /// All names of an import
    Star(u32),
}

/// The references of a file to other files beyond its imports. Other files do not depend on this
/// part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModuleReferences {
    pub mentions: Vec<PathMention>,
    /// Its own top-level names that it uses outside of their declaration
    pub own: BTreeSet<String>,
    /// Its own names that carry a decorator or an attribute: `@route`, `#[no_mangle]`
    pub marked: BTreeSet<(String, String)>,
}

/// A reference through a path or through an imported module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct PathMention {
    pub scope: String,
    /// The import that it starts from, and the position of the name in that import
    pub import: Option<(u32, Option<u32>)>,
    pub path: Vec<String>,
    pub line: u32,
}

/// The outline of a file.
pub(crate) fn outline(
    language: Language,
    facts: &FileFacts,
) -> (ModuleInterface, ModuleReferences) {
    let imports = facts.imports.iter().map(|import| import_request(facts, import)).collect();
    let names = match language.semantics().exported_names {
        ExportedNames::Exports => javascript_exports(facts),
        ExportedNames::ModuleItems => rust_items(facts),
        ExportedNames::TopLevelAndImports => {
            top_level_items(facts).chain(python_import_bindings(facts)).collect()
        }
        ExportedNames::TopLevel => top_level_items(facts).collect(),
    };
    let asks = ModuleReferences {
        mentions: mentions(language, facts),
        own: used_own_names(facts),
        marked: decorated_names(facts),
    };
    (ModuleInterface { imports, names }, asks)
}

fn import_request(facts: &FileFacts, import: &Import) -> ImportRequest {
    let names = import.names.iter().map(|name| (name.name.clone(), name.alias.clone()));
    ImportRequest {
        specifier: import.specifier.clone(),
        kind: import.kind,
        level: import.level,
        is_path: import.is_path,
        scope: inline_module_path(&facts.symbols, import.owner),
        names: names.collect(),
    }
}

/// The inline module that contains a symbol.
fn inline_module_path(symbols: &[Symbol], owner: SymbolOwner) -> String {
    let mut at = owner;
    while let Some(symbol) = at.and_then(|at| symbols.get(at as usize)) {
        if symbol.kind == SymbolKind::Module {
            return symbol.path.clone();
        }
        at = symbol.parent;
    }
    String::new()
}

fn module_item(name: impl Into<String>, what: ModuleItemTarget) -> ModuleItem {
    ModuleItem { scope: String::new(), name: name.into(), what }
}

/// The exports of a JavaScript module.
fn javascript_exports(facts: &FileFacts) -> Vec<ModuleItem> {
    let one = |export: &syntax::Export| {
        let local = export.local.as_deref().unwrap_or(&export.name);
        let what = match (export.from, export.symbol) {
            (Some(import), _) if export.name == "*" => ModuleItemTarget::Star(import),
            (Some(import), _) => ModuleItemTarget::From(import, local.to_owned()),
            (None, Some(symbol)) => {
                ModuleItemTarget::Own(facts.symbols[symbol as usize].path.clone())
            }
            (None, None) => imported_item(facts, &export.value)
                .unwrap_or_else(|| ModuleItemTarget::Own(local.into())),
        };
        module_item(export.name.clone(), what)
    };
    facts.exports.iter().map(one).collect()
}

/// The import that an exported value comes from.
fn imported_item(facts: &FileFacts, value: &Expr) -> Option<ModuleItemTarget> {
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
    Some(ModuleItemTarget::From(import, name.to_owned()))
}

/// Top-level symbols.
fn top_level_items(facts: &FileFacts) -> impl Iterator<Item = ModuleItem> {
    let top = facts.symbols.iter().filter(|symbol| symbol.parent.is_none());
    let top = top.filter(|symbol| !symbol.is_anonymous());
    top.map(|symbol| module_item(symbol.name.clone(), ModuleItemTarget::Own(symbol.path.clone())))
}

/// Names that top-level imports of a Python module bind.
fn python_import_bindings(facts: &FileFacts) -> impl Iterator<Item = ModuleItem> {
    let top = (0..).zip(&facts.imports).filter(|(_, import)| import.owner.is_none());
    top.flat_map(|(at, import)| {
        import.names.iter().map(move |taken| match (&*taken.name, &taken.alias) {
            ("*", None) => module_item("*", ModuleItemTarget::Star(at)),
            (name, alias) => {
                let known = alias.clone().unwrap_or_else(|| name.to_owned());
                module_item(known, ModuleItemTarget::From(at, name.to_owned()))
            }
        })
    })
}

/// Items of a Rust file and of its inline modules, with the names that `use` imports.
fn rust_items(facts: &FileFacts) -> Vec<ModuleItem> {
    let is_module = |owner: SymbolOwner| {
        owner.is_none_or(|owner| facts.symbols[owner as usize].kind == SymbolKind::Module)
    };
    let items = facts.symbols.iter().filter(|symbol| {
        // A module with a file of its own is listed by its `mod` declaration.
        let has_file = symbol.kind == SymbolKind::Module && symbol.body.is_none();
        let is_item = !symbol.is_anonymous() && symbol.kind != SymbolKind::Impl;
        is_module(symbol.parent) && is_item && !has_file
    });
    let item = |symbol: &Symbol| ModuleItem {
        scope: inline_module_path(&facts.symbols, symbol.parent),
        name: symbol.name.clone(),
        what: match symbol.kind {
            SymbolKind::Module => ModuleItemTarget::Inner,
            _ => ModuleItemTarget::Own(symbol.path.clone()),
        },
    };
    let mut names: Vec<ModuleItem> = items.map(item).collect();
    for (at, import) in (0..).zip(&facts.imports).filter(|(_, import)| is_module(import.owner)) {
        let scope = inline_module_path(&facts.symbols, import.owner);
        for taken in &import.names {
            let (name, what) = match (import.kind, &*taken.name, taken.alias.as_deref()) {
                (_, _, Some("_")) => continue,
                (ImportKind::Mod, name, _) => (name, ModuleItemTarget::From(at, "*".into())),
                (ImportKind::ExternCrate, _, alias) => {
                    (alias.unwrap_or(&import.specifier), ModuleItemTarget::From(at, "*".into()))
                }
                (_, "*", _) => ("*", ModuleItemTarget::Star(at)),
                (_, name, alias) => {
                    (alias.unwrap_or(name), ModuleItemTarget::From(at, name.to_owned()))
                }
            };
            names.push(ModuleItem { scope: scope.clone(), name: name.to_owned(), what });
        }
    }
    names
}

/// All references through a path or a module, without duplicates.
fn mentions(language: Language, facts: &FileFacts) -> Vec<PathMention> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    let uses = facts.flow.uses.iter().map(|used| (used.owner, &used.target, used.line));
    // In languages whose scopes are not analysed, only calls show references.
    let calls =
        facts.flow.calls.iter().filter(|_| language.semantics().imports == ImportResolver::Go);
    for (owner, target, line) in uses.chain(calls.map(|call| (call.owner, &call.callee, call.line)))
    {
        let Some((import, path)) = mention_start(language, facts, target) else { continue };
        let scope = inline_module_path(&facts.symbols, owner);
        if seen.insert((scope.clone(), import, path.clone())) {
            all.push(PathMention { scope, import, path, line });
        }
    }
    all
}

/// The import that a reference starts from, and the names that follow.
type MentionStart = (Option<(u32, Option<u32>)>, Vec<String>);

fn mention_start(language: Language, facts: &FileFacts, target: &Expr) -> Option<MentionStart> {
    match target {
        Expr::Path(parts) => Some((None, parts.clone())),
        Expr::Name(name) if language.semantics().imports == ImportResolver::Rust => {
            Some((None, vec![name.clone()]))
        }
        Expr::Member(object, name) => {
            let (import, mut path) = match &**object {
                Expr::Local(local) => match facts.flow.bindings.get(*local as usize)?.kind {
                    BindingKind::Import(import, at) => (Some((import, at)), Vec::new()),
                    _ => return None,
                },
                Expr::Import(import) => (Some((*import, None)), Vec::new()),
                Expr::Name(name) if language.semantics().imports == ImportResolver::Go => {
                    (Some((go_import_of_package(facts, name)?, None)), Vec::new())
                }
                inner @ Expr::Member(..) => mention_start(language, facts, inner)?,
                _ => return None,
            };
            path.push(name.clone());
            Some((import, path))
        }
        _ => None,
    }
}

/// The Go import that a package name means: by its alias, else by the end of its path.
fn go_import_of_package(facts: &FileFacts, name: &str) -> Option<u32> {
    let mut imports = (0..).zip(&facts.imports);
    imports.find(|(_, import)| import.is_go_package_named(name)).map(|(at, _)| at)
}

/// Top-level symbols that the file uses outside of their declaration.
fn used_own_names(facts: &FileFacts) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for used in &facts.flow.uses {
        let symbol = match &used.target {
            Expr::Symbol(symbol) => Some(*symbol),
            Expr::Local(local) => {
                facts.flow.bindings.get(*local as usize).and_then(|binding| binding.symbol)
            }
            Expr::Name(name) => top_level_symbol(facts, name),
            Expr::Path(parts) => parts.iter().find_map(|part| top_level_symbol(facts, part)),
            _ => None,
        };
        let Some(symbol) = symbol else { continue };
        if !is_inside(&facts.symbols, used.owner, symbol) {
            names.insert(facts.symbols[symbol as usize].path.clone());
        }
    }
    names
}

/// Decorators and attributes of top-level symbols.
fn decorated_names(facts: &FileFacts) -> BTreeSet<(String, String)> {
    let top = facts.symbols.iter().filter(|symbol| symbol.parent.is_none());
    let each = top.flat_map(|symbol| {
        let marks = symbol.decorators.iter().map(|mark| mark.name.clone());
        marks.map(|mark| (symbol.path.clone(), mark))
    });
    each.collect()
}

/// The symbol with a name at the top level or directly in a module.
fn top_level_symbol(facts: &FileFacts, name: &str) -> Option<u32> {
    let is_top = |symbol: &Symbol| {
        let parent = symbol.parent.map(|parent| facts.symbols[parent as usize].kind);
        symbol.name == name && parent.is_none_or(|kind| kind == SymbolKind::Module)
    };
    (0..).zip(&facts.symbols).find(|(_, symbol)| is_top(symbol)).map(|(at, _)| at)
}

fn is_inside(symbols: &[Symbol], owner: SymbolOwner, around: u32) -> bool {
    let mut at = owner;
    while let Some(symbol) = at {
        if symbol == around {
            return true;
        }
        at = symbols.get(symbol as usize).and_then(|symbol| symbol.parent);
    }
    false
}
